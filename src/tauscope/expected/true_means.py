"""True means as they could be, given the scores: topics resampled, by weights shared by all systems."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from .. import kernels
from ..arrays import BLOCK, FEWEST_DRAWS, Floats, blocks
from ..coefficients.records import Coefficient, catalogue
from ..significance.observed import SWAP_SUMS, Observed
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
            yield np.bincount(drawn.ravel(), minlength=count * topics).reshape(count, topics) / topics


def factors(observed: Observed, draws: int, generator: np.random.Generator, *, bayesian: bool) -> Floats:
    """By how much the deviations of each draw are stretched: sqrt(n/((n-1) g)), for Dirichlet weights
    sqrt((n+1)/((n-1) g)), with g drawn too: where systems are close, it is hardly known."""
    n = observed.topics
    return np.asarray(np.sqrt((n + bayesian) / ((n - 1) * observed.drawn_reliabilities(draws, generator))))


def true_means(
    observed: Observed, draws: int, generator: np.random.Generator, *, bayesian: bool = False, scaled: bool = True
) -> Iterator[Floats]:
    """Blocks of draws x systems, best observed system first.

    Scaled: mu* = a + factors (a* - a), a the observed means without topic effects, a* the resampled ones. Unscaled: the
    resampled means themselves.
    """
    # Systems with the same scores must get the same means to the last bit, which a product of matrices does not
    # promise.
    twin = observed.twin
    scores, centre = (observed.centred, observed.effects) if scaled else (observed.x, 0.0)
    stretch = factors(observed, draws, generator, bayesian=bayesian) if scaled else np.ones(draws)
    done = 0
    for weights in topic_weights(observed.topics, draws, generator, bayesian=bayesian):
        means = centre + stretch[done : done + len(weights), None] * (weights @ scores.T - centre)
        done += len(weights)
        yield means if twin is None else np.ascontiguousarray(means[:, twin])


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
) -> Floats:
    """The coefficient of the observed ranking with each draw of the true means; NaN where it is not defined.

    Sums over pairs with ties: a pair tied in the observed ranking counts half; identical systems count as in order.
    """
    means = true_means(observed, draws, generator, bayesian=bayesian, scaled=scaled)
    if c.no_swap_sum:
        return np.concatenate([_kernel(observed, c, block, scaled=scaled) for block in means])
    return np.concatenate([correlations_with(observed, c, block) for block in means])


def correlations_with(observed: Observed, c: Coefficient, means: Floats) -> Floats:
    """A coefficient of `SWAP_SUMS` of the observed ranking with each row of means: 1 - 2 * sum(weight * swapped)."""
    if not observed.undecided:
        return 1 - 2 * (swapped(observed, means)[c.name] / most_swapped(c, observed.systems))
    rows = np.broadcast_to(observed.means, means.shape)
    # Its first variant for ties is the one against a truth, where a pair tied in the estimate counts half.
    values, _ = kernels.batch(catalogue[c.instead[0]], np.ascontiguousarray(rows), np.ascontiguousarray(means))
    return np.asarray(values + float(observed.weights[c.name] @ observed.identical))


def _kernel(observed: Observed, c: Coefficient, means: Floats, *, scaled: bool) -> Floats:
    truth = means + observed.means.mean() if scaled else means  # some coefficients weigh by the means themselves
    within = Tolerance(observed.tolerance) if c.takes_tolerance else EXACT
    rows = np.ascontiguousarray(np.broadcast_to(observed.means, means.shape))
    values, _ = kernels.batch(c, rows, np.ascontiguousarray(truth), EXACT, within)
    return values
