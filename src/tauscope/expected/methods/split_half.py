"""`SplitHalf`: how far two samples of topics agree, extrapolated to all of them (urbano2016 4.2).

This is the agreement of two samples with each other, not of one with the truth. What two halves do say about the truth
is the sanity line: (1 + mean coefficient of random halves)/2 is close to the expected correlation of the whole.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from ... import kernels
from ...arrays import BLOCK, FEWEST_DRAWS, Floats, Ints, blocks, product, repeated, tally
from ...coefficients.records import Coefficient
from ...inference.few_topics import LEAST, LEAST_FOR_HALVES
from ...inference.observed import SWAP_SUMS, Observed
from ...jobs.draws import SANITY_HALVES
from ...results import said
from .base import Method

#: Sizes of samples, trials of each, and observations in all.
SIZES, MOST_TRIALS, MOST_OBSERVATIONS = 20, 100, 2000


@dataclass(frozen=True)
class SplitHalf(Method):
    """The agreement of two samples of topics, extrapolated to all of them: urbano2016's baseline (section 4.2).

    It is not an estimate of the correlation with the truth, and results say so. It has no swap probabilities.

    Parameters
    ----------
    replacement : bool, default True
        Whether topics are drawn with replacement ("shw"), or the two samples share none ("shwo").

    Examples
    --------
    >>> SplitHalf(replacement=False).name
    'shwo'
    """

    replacement: bool = True
    by_pairs: ClassVar[bool] = False
    random: ClassVar[bool] = True
    caution: ClassVar[str] = (
        "split-half is the agreement of two samples of topics, not with the truth; "
        "that is near (1 + mean of random halves)/2"
    )

    @property
    def name(self) -> str:
        return "shw" if self.replacement else "shwo"

    @property
    def text(self) -> str:
        return f"split-half {'with' if self.replacement else 'without'} replacement (urbano2016 4.2)"

    def sums(self, observed: Observed, generator: np.random.Generator | None = None) -> dict[str, float]:
        """Extrapolated coefficients of two samples of all topics; NaN below four topics."""
        if observed.topics < LEAST_FOR_HALVES:
            return {c.name: math.nan for c in SWAP_SUMS}
        seen = observe(observed, replacement=self.replacement, generator=self.needed(generator))
        return {c.name: extrapolate(seen.size, seen.of(c), observed.topics) for c in SWAP_SUMS}

    def why_undefined(self, observed: Observed, coefficient: Coefficient) -> str:
        if observed.topics < LEAST_FOR_HALVES:
            return said(f"split-half needs at least four topics, and there are {observed.topics}")
        return "split-half found samples of at most one size that disagree, and has no line to extrapolate"


class Observations(NamedTuple):
    """One row per trial: topics in each sample, and tau and tau_ap between the two rankings."""

    size: Ints
    tau: Floats
    tau_ap: Floats

    def of(self, coefficient: Coefficient) -> Floats:
        """The values of one of the two, which differ in whether the head counts more."""
        return self.tau_ap if coefficient.head_weighted else self.tau


def sample_sizes(topics: int) -> Ints:
    """unique(round(linspace(1, floor(n/2), 21))) without the first; 1 and 2 where only 2 is left; none below 4."""
    sizes = np.unique(np.round(np.linspace(1, topics // 2, SIZES + 1))).astype(np.int64)[1:]
    return np.array([1, 2]) if len(sizes) == 1 else sizes


def observe(observed: Observed, *, replacement: bool, generator: np.random.Generator) -> Observations:
    """Pairs of samples of topics and the agreement of their rankings; a tied pair is not discordant."""
    sizes = sample_sizes(observed.topics)
    trials = min(MOST_TRIALS, MOST_OBSERVATIONS // max(1, len(sizes)))
    return _observed_at(observed, repeated(sizes, trials), replacement=replacement, generator=generator)


def _observed_at(observed: Observed, size: Ints, *, replacement: bool, generator: np.random.Generator) -> Observations:
    """One pair of samples for each size."""
    scores = np.ascontiguousarray(observed.x.T)
    distance, head = np.empty(len(size)), np.empty(len(size))
    width = max(observed.topics, observed.systems)
    for rows in blocks(len(size), width, max(BLOCK, FEWEST_DRAWS * width)):
        estimate, truth = (
            product(weights, scores) for weights in _two_samples(size[rows], observed.topics, replacement, generator)
        )
        distance[rows], head[rows] = kernels.discordance(estimate, truth, observed.tolerance)
    m = observed.systems
    return Observations(size, 1 - 4 * distance / (m * (m - 1)), 1 - 2 * head / (m - 1))


def sanity_line(observed: Observed, generator: np.random.Generator) -> dict[str, float]:
    """(1 + mean of tau, tau_ap between random disjoint halves)/2: near the expected correlation, without a model."""
    if observed.topics < LEAST or observed.systems < 2:
        return {c.name: math.nan for c in SWAP_SUMS}
    seen = _observed_at(observed, np.full(SANITY_HALVES, observed.topics // 2), replacement=False, generator=generator)
    return {c.name: (1 + float(seen.of(c).mean())) / 2 for c in SWAP_SUMS}


def _two_samples(size: Ints, topics: int, replacement: bool, generator: np.random.Generator) -> tuple[Floats, Floats]:
    """Weights of the topics in the two samples of each trial: trials x topics, shares of the sample."""
    rows, places = len(size), np.arange(topics)
    share = 1.0 / size
    if not replacement:
        order = generator.permuted(np.broadcast_to(places, (rows, topics)), axis=1)
        first = np.where(order < size[:, None], share[:, None], 0.0)
        second = np.where((order >= size[:, None]) & (order < 2 * size[:, None]), share[:, None], 0.0)
        return first, second
    owner = repeated(np.arange(rows), size) * topics
    samples = []
    for _ in range(2):
        drawn = generator.integers(topics, size=len(owner)) + owner
        samples.append(tally(drawn, rows * topics).reshape(rows, topics) * share[:, None])
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
