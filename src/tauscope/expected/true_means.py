"""True means as they could be, given the scores: topics resampled, by weights shared by all systems."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from .. import kernels
from ..arrays import BLOCK, FEWEST_DRAWS, Floats, Ints, blocks, product, tally
from ..coefficients.records import Coefficient, catalogue
from ..inference.observed import SWAP_SUMS, Observed
from ..inference.reliability import evenly
from ..ties import EXACT, Tolerance


def topic_weights(topics: int, draws: int, generator: np.random.Generator, *, bayesian: bool) -> Iterator[Floats]:
    """Blocks of draws x topics, rows adding up to 1: shares of a resample, or Dirichlet(1, …, 1) weights."""
    for rows in blocks(draws, topics, max(BLOCK, FEWEST_DRAWS * topics)):
        count = rows.stop - rows.start
        if bayesian:
            weights = generator.standard_exponential((count, topics))
            yield weights / weights.sum(axis=1, keepdims=True)
        else:
            drawn = generator.integers(topics, size=(count, topics))
            drawn += np.arange(count)[:, None] * topics
            yield tally(drawn.ravel(), count * topics).reshape(count, topics) / topics


def true_means(
    observed: Observed,
    draws: int,
    generator: np.random.Generator,
    *,
    bayesian: bool = False,
    scaled: bool = True,
    shares: Floats | None = None,
    chosen: Ints | None = None,
) -> Iterator[Floats]:
    """Blocks of draws x systems, best observed system first.

    Scaled: mu* = centre + g (a - centre) + sqrt(g) e*, a the observed means without topic effects, e* the deviations of
    the resampled ones times sqrt(n/(n-1)), for Dirichlet weights sqrt((n+1)/(n-1)), and g the reliability of the means,
    or of those of a group about its centre, which moves with its systems (`inference.reliability`). g is not known:
    each draw has the one that is not exceeded with the confidence in `shares`, which are evenly spread by default, and
    sees the systems in the way that is `chosen`, by default in proportion to the weights of the ways.
    Unscaled: the resampled means themselves.
    """
    if scaled:
        shares = evenly(draws, generator) if shares is None else shares
        chosen = observed.local.chosen(draws, generator) if chosen is None else chosen
        means = _scaled(observed, shares, chosen, generator, bayesian=bayesian)
    else:
        means = (
            product(weights, observed.x.T)
            for weights in topic_weights(observed.topics, draws, generator, bayesian=bayesian)
        )
    # Systems with the same scores must get the same means to the last bit, which a product of matrices does not
    # promise.
    twin = observed.twin
    for block in means:
        yield block if twin is None else np.ascontiguousarray(block[:, twin])


def _scaled(
    observed: Observed, shares: Floats, chosen: Ints, generator: np.random.Generator, *, bayesian: bool
) -> Iterator[Floats]:
    n, local, done = observed.topics, observed.local, 0
    stretch = math.sqrt((n + bayesian) / (n - 1))
    for weights in topic_weights(n, len(shares), generator, bayesian=bayesian):
        rows = slice(done, done + len(weights))
        done = rows.stop
        deviations = stretch * (product(weights, observed.centred.T) - observed.effects)
        yield local.believed(deviations, shares[rows], chosen[rows], generator)


def swapped(observed: Observed, means: Floats) -> dict[str, Floats]:
    """For each draw and each coefficient of `SWAP_SUMS`, how much is swapped, of at most `most_swapped()`."""
    distance, head = kernels.discordance(observed.places, means, observed.tolerance)
    return {c.name: head if c.head_weighted else distance for c in SWAP_SUMS}


def most_swapped(c: Coefficient, systems: int) -> float:
    """What a reversed ranking has swapped: all pairs, or where the head counts more one per rank below the first."""
    return systems - 1 if c.head_weighted else systems * (systems - 1) / 2


def coefficient_draws(
    observed: Observed,
    c: Coefficient,
    draws: int,
    generator: np.random.Generator,
    *,
    bayesian: bool = False,
    scaled: bool = True,
    shares: Floats | None = None,
    chosen: Ints | None = None,
) -> Floats:
    """The coefficient of the observed ranking with each draw of the true means; NaN where it is not defined.

    Sums over pairs with ties: a pair tied in the observed ranking counts half, and so do identical systems.
    """
    means = true_means(observed, draws, generator, bayesian=bayesian, scaled=scaled, shares=shares, chosen=chosen)
    if c.no_swap_sum:
        return np.concatenate([_kernel(observed, c, block, scaled=scaled) for block in means])
    return np.concatenate([correlations_with(observed, c, block) for block in means])


def correlations_with(observed: Observed, c: Coefficient, means: Floats) -> Floats:
    """A coefficient of `SWAP_SUMS` of the observed ranking with each row of means: 1 - 2 * sum(weight * swapped)."""
    if not observed.undecided:
        known = 1 - 2 * (swapped(observed, means)[c.name] / most_swapped(c, observed.systems))
        return known - observed.identical_weight(c.name)
    rows = np.broadcast_to(observed.means, means.shape)
    # Its first variant for ties is the one against a truth, where a pair tied in the estimate counts half.
    values, _ = kernels.batch(catalogue[c.instead[0]], np.ascontiguousarray(rows), np.ascontiguousarray(means))
    return np.asarray(values)


def _kernel(observed: Observed, c: Coefficient, means: Floats, *, scaled: bool) -> Floats:
    truth = means + observed.means.mean() if scaled else means  # some coefficients weigh by the means themselves
    within = Tolerance(observed.tolerance) if c.takes_tolerance else EXACT
    rows = np.ascontiguousarray(np.broadcast_to(observed.means, means.shape))
    values, _ = kernels.batch(c, rows, np.ascontiguousarray(truth), EXACT, within)
    return values
