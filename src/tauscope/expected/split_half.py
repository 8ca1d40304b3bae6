"""Split-half: how far two samples of topics agree, extrapolated to all of them (urbano2016 4.2).

This is the agreement of two samples with each other, not of one with the truth. What two halves do say about the truth is
the sanity line: (1 + mean coefficient of random halves)/2 is close to the expected correlation of the whole.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from .. import kernels
from ..arrays import BLOCK, FEWEST_DRAWS, Floats, Ints, blocks
from ..significance.observed import Observed

#: Sizes of samples, trials of each, and observations in all.
SIZES, MOST_TRIALS, MOST_OBSERVATIONS = 20, 100, 2000
#: Pairs of halves behind the sanity line.
HALVES = 500


class Observations(NamedTuple):
    """One row a trial: topics in each sample, and tau and tau_ap between the two rankings."""

    size: Ints
    tau: Floats
    tau_ap: Floats


def sample_sizes(topics: int) -> Ints:
    """unique(round(linspace(1, floor(n/2), 21))) without the first; 1 and 2 where only 2 is left; none below 4 topics."""
    sizes = np.unique(np.round(np.linspace(1, topics // 2, SIZES + 1))).astype(np.int64)[1:]
    return np.array([1, 2]) if len(sizes) == 1 else sizes


def observe(observed: Observed, *, replacement: bool, generator: np.random.Generator) -> Observations:
    """Pairs of samples of topics and the agreement of their rankings; a tied pair is not discordant."""
    sizes = sample_sizes(observed.topics)
    trials = min(MOST_TRIALS, MOST_OBSERVATIONS // max(1, len(sizes)))
    return _observed_at(observed, np.repeat(sizes, trials), replacement=replacement, generator=generator)


def _observed_at(observed: Observed, size: Ints, *, replacement: bool, generator: np.random.Generator) -> Observations:
    """One pair of samples for each size."""
    scores = np.ascontiguousarray(observed.x.T)
    distance, head = np.empty(len(size)), np.empty(len(size))
    width = max(observed.topics, observed.systems)
    for rows in blocks(len(size), width, max(BLOCK, FEWEST_DRAWS * width)):
        estimate, truth = (
            weights @ scores for weights in _two_samples(size[rows], observed.topics, replacement, generator)
        )
        distance[rows], head[rows] = kernels.discordance(estimate, truth, observed.tolerance)
    m = observed.systems
    return Observations(size, 1 - 4 * distance / (m * (m - 1)), 1 - 2 * head / (m - 1))


def sanity_line(observed: Observed, generator: np.random.Generator) -> dict[str, float]:
    """(1 + mean of tau, tau_ap between random disjoint halves)/2: close to the expected correlation, without a model."""
    if observed.topics < 2 or observed.systems < 2:
        return {"tau": math.nan, "tau_ap": math.nan}
    seen = _observed_at(observed, np.full(HALVES, observed.topics // 2), replacement=False, generator=generator)
    return {"tau": (1 + float(seen.tau.mean())) / 2, "tau_ap": (1 + float(seen.tau_ap.mean())) / 2}


def _two_samples(size: Ints, topics: int, replacement: bool, generator: np.random.Generator) -> tuple[Floats, Floats]:
    """Weights of the topics in the two samples of each trial: trials x topics, shares of the sample."""
    rows, places = len(size), np.arange(topics)
    share = 1.0 / size
    if not replacement:
        order = generator.permuted(np.broadcast_to(places, (rows, topics)), axis=1)
        first = np.where(order < size[:, None], share[:, None], 0.0)
        second = np.where((order >= size[:, None]) & (order < 2 * size[:, None]), share[:, None], 0.0)
        return first, second
    owner = np.repeat(np.arange(rows), size) * topics
    samples = []
    for _ in range(2):
        drawn = generator.integers(topics, size=len(owner)) + owner
        samples.append(np.bincount(drawn, minlength=rows * topics).reshape(rows, topics) * share[:, None])
    return samples[0], samples[1]


def extrapolate(size: Ints, values: Floats, topics: int) -> float:
    """The value at all topics, from a line through log((1 - value)/2) by size; trials of full agreement are left out.

    NaN where fewer than two sizes are left.
    """
    loss = (1 - values) / 2
    usable = loss > 0
    if len(np.unique(size[usable])) < 2:
        return math.nan
    x, y = size[usable].astype(float), np.log(loss[usable])
    slope = float(((x - x.mean()) * (y - y.mean())).sum() / ((x - x.mean()) ** 2).sum())
    end = float(y.mean()) + slope * (topics - float(x.mean()))
    return 1 - 2 * min(1.0, math.exp(min(end, 0.0)))


def split_half_values(observed: Observed, *, replacement: bool, generator: np.random.Generator) -> dict[str, float]:
    """Extrapolated tau and tau_ap of two samples of all topics; NaN below four topics."""
    if observed.topics < 4:
        return {"tau": math.nan, "tau_ap": math.nan}
    seen = observe(observed, replacement=replacement, generator=generator)
    return {name: extrapolate(seen.size, getattr(seen, name), observed.topics) for name in ("tau", "tau_ap")}
