"""p-values of many pairs at once, adjusted for their number: max-t, Holm, false discovery rate.

The randomised Tukey HSD, max-t of the randomisation test, is in `tukey`.
"""

from __future__ import annotations

import numpy as np

from .. import kernels
from ..arrays import Bools, Floats, blocks, product
from ..jobs.progress import Progress
from .caution import cautious_statistics
from .observed import Observed
from .pair_tests import BLOCK, flips, sign_blocks, signed_ranks, signs_of

#: A p-value equals a level up to this share of it: 1 - 0.9 is not quite 0.1.
ROUNDING = 1e-9


def rejected(p: Floats, alpha: float) -> Bools:
    """Which differences are significant: those with p <= alpha, as Holm (1979) and every test have it."""
    return np.asarray(p <= alpha * (1 + ROUNDING))


def holm(p: Floats) -> Floats:
    """Holm's step-down, which keeps the familywise error (holm1979).

    The k-th smallest of N is multiplied by N - k + 1, and none is below a smaller one's.
    """
    order = np.argsort(p, kind="stable")
    scaled = np.maximum.accumulate(p[order] * np.arange(len(p), 0, -1))
    result = np.empty(len(p))
    result[order] = np.minimum(1.0, scaled)
    return result


def false_discovery(p: Floats) -> Floats:
    """Benjamini and Hochberg's step-up, for the false discovery rate (benjamini1995).

    The k-th smallest of N is multiplied by N/k, and none is above a larger one's.
    """
    order = np.argsort(p, kind="stable")
    scaled = p[order] * len(p) / np.arange(1, len(p) + 1)
    result = np.empty(len(p))
    result[order] = np.minimum(1.0, np.minimum.accumulate(scaled[::-1])[::-1])
    return result


def max_t(observed: Observed, draws: int, generator: np.random.Generator, progress: Progress | None = None) -> Floats:
    """p-values of the paired t-test over all pairs by max-t, step-down, which keep the familywise error (westfall1993).

    Each is the share of flips, all differences of a topic changing their sign together at random, in which the largest
    statistic of the pair and of all with smaller ones is at least the pair's; the data themselves count as one.

    The statistic is r = |sum of differences| / root of the sum of their squares, which grows with |t|; t is divided by
    what skewed differences ask for (`caution`). Flips keep it right however few topics there are; resampled topics do
    not (with five, noise had "significant" pairs two times out of three).
    """
    return MaxT(observed, generator, draws).p(progress)


class MaxT:
    """The p-values of `max_t()`, to which flips can be added.

    Parameters
    ----------
    observed : Observed
        The scores.
    generator : Generator
        Draws the flips.
    draws : int
        Number of flips that `p()` starts with; all there are, if these are fewer.
    resampled : Generator, optional
        Draws the resamples of the small-sample correction; by default a child of `generator`.
    """

    def __init__(
        self,
        observed: Observed,
        generator: np.random.Generator,
        draws: int,
        resampled: np.random.Generator | None = None,
    ) -> None:
        self._observed, self._generator, self._draws = observed, generator, draws
        self.made = 0
        norm = pair_norms(observed)
        own = cautious_statistics(observed, resampled or generator)
        # The smallest first, so that each meets the largest of itself and all before it.
        self._order = np.argsort(own, kind="stable")
        self._first, self._second = (side[self._order] for side in observed.pairs)
        self._scale = np.divide(1.0, norm, out=np.zeros(len(norm)), where=norm > 0)[self._order]
        self._limit = own[self._order] * (1 - 1e-9)
        self._extreme = np.zeros(len(own), np.int64)

    @property
    def exact(self) -> bool:
        """Whether all flips there are have been made."""
        return flips(self._draws, self._observed.topics) < self._draws

    def p(self, progress: Progress | None = None) -> Floats:
        """Make as many flips as at the start, again, and return the p-values of all flips so far."""
        n, made = self._observed.topics, flips(self._draws, self._observed.topics)
        for rows in sign_blocks(made, n):
            sums = product(signs_of(rows, self._draws, n, self._generator), self._observed.centred.T)
            self._extreme += kernels.flips_reached(sums, self._first, self._second, self._scale, self._limit)
            if progress is not None:
                progress(rows.stop, made)
        self.made += made
        p = np.empty(len(self._extreme))
        # No p-value is below that of a larger statistic.
        p[self._order] = np.maximum.accumulate(((1.0 + self._extreme) / (1.0 + self.made))[::-1])[::-1]
        return np.where(self._observed.identical, 1.0, p)


def pair_norms(observed: Observed) -> Floats:
    """The root of the sum of squares of the differences of each pair."""
    n = observed.topics
    return np.sqrt((n - 1) * observed.deviations**2 + n * observed.gaps**2)


def max_rank(
    observed: Observed, draws: int, generator: np.random.Generator, progress: Progress | None = None
) -> Floats:
    """p-values of Wilcoxon's test over all pairs by the largest statistic, in one step, which keep the familywise
    error.

    Each is the share of flips, all differences of a topic changing their sign together at random, in which the largest
    statistic, in standard deviations, is at least the pair's; the data themselves count as one.
    """
    made = flips(draws, observed.topics)
    signs = signs_of(slice(0, made), draws, observed.topics, generator)
    first, second = observed.pairs
    own, largest = np.zeros(len(first)), np.zeros(made)
    for rows in blocks(len(first), max(observed.topics, made), BLOCK):
        rank, positive, _ = signed_ranks(observed.x[first[rows]] - observed.x[second[rows]], observed.tolerance)
        signed = np.where(positive, rank, -rank)
        norm = np.sqrt((rank**2).sum(axis=1))
        scale = np.divide(1.0, norm, out=np.zeros(len(norm)), where=norm > 0)
        own[rows] = np.abs(signed.sum(axis=1)) * scale
        np.maximum(largest, np.abs(product(signs, signed.T) * scale).max(axis=1), out=largest)
        if progress is not None:
            progress(rows.stop, len(first))
    largest.sort()
    at_least = made - np.searchsorted(largest, own * (1 - 1e-9), side="left")
    return np.where(observed.identical, 1.0, (1.0 + at_least) / (1.0 + made))
