"""True means as they could be, given the scores: topics resampled, by weights shared by all systems."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from .. import kernels
from ..arrays import BLOCK, FEWEST_DRAWS, Floats, Ints, blocks
from ..coefficients.records import catalogue
from ..significance.observed import Observed
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
    # Systems with the same scores must get the same means to the last bit, which a product of matrices does not promise.
    twin = _first_of_identical(observed)
    scores, centre = (observed.centred, observed.effects) if scaled else (observed.x, 0.0)
    stretch = factors(observed, draws, generator, bayesian=bayesian) if scaled else np.ones(draws)
    done = 0
    for weights in topic_weights(observed.topics, draws, generator, bayesian=bayesian):
        means = centre + stretch[done : done + len(weights), None] * (weights @ scores.T - centre)
        done += len(weights)
        yield means if twin is None else np.ascontiguousarray(means[:, twin])


def _first_of_identical(observed: Observed) -> Ints | None:
    """For each system the first one with the same scores; None where there is none."""
    if not observed.identical.any():
        return None
    first, second = observed.pairs
    twin = np.arange(observed.systems)
    np.minimum.at(twin, second[observed.identical], first[observed.identical])
    return twin


def coefficient_draws(
    observed: Observed,
    name: str,
    draws: int,
    generator: np.random.Generator,
    *,
    bayesian: bool = False,
    scaled: bool = True,
) -> Floats:
    """The coefficient of the observed ranking with each draw of the true means; NaN where it is not defined.

    tau and tau_ap with ties: a pair tied in the observed ranking counts half; identical systems count as in order.
    """
    means = true_means(observed, draws, generator, bayesian=bayesian, scaled=scaled)
    if name in ("tau", "tau_ap"):
        return np.concatenate([correlations_with(observed, name, block) for block in means])
    return np.concatenate([_kernel(observed, name, block, scaled=scaled) for block in means])


def correlations_with(observed: Observed, name: str, means: Floats) -> Floats:
    """tau or tau_ap of the observed ranking with each row of means: 1 - 2 * sum(weight * swapped)."""
    m = observed.systems
    if not observed.undecided:
        distance, head = kernels.discordance(observed.places, means, observed.tolerance)
        return 1 - 2 * (distance / (m * (m - 1) / 2) if name == "tau" else head / (m - 1))
    rows = np.broadcast_to(observed.means, means.shape)
    values, _ = kernels.batch(f"{name}_a", np.ascontiguousarray(rows), np.ascontiguousarray(means))
    return np.asarray(values + float(observed.weights[name] @ observed.identical))


def _kernel(observed: Observed, name: str, means: Floats, *, scaled: bool) -> Floats:
    c = catalogue[name]
    truth = means + observed.means.mean() if scaled else means  # Pearson Rank's weights are the means themselves
    within = Tolerance(observed.tolerance) if c.takes_tolerance else EXACT
    rows = np.ascontiguousarray(np.broadcast_to(observed.means, means.shape))
    values, _ = kernels.batch(name, rows, np.ascontiguousarray(truth), EXACT, within)
    return values
