"""Corrections for many pairs: Holm, false discovery rate, max-t, the randomised Tukey HSD, and caution where topics are few."""

from __future__ import annotations

import math

import numpy as np

from .. import kernels
from ..arrays import Bools, Floats, blocks, product
from ..jobs.draws import CAUTION_DRAWS, Progress
from .observed import Observed
from .pair_tests import BLOCK, flips, sign_blocks, signed_ranks, signs_of

#: Of more pairs, so many are looked at, and all have what is common to those.
MOST_PAIRS = 20_000
#: A resampled variance is at least this share of the variance.
LEAST_VARIANCE = 1e-3
#: Which quantile of |t| is compared, and which quantile of lambda all pairs have at least.
SHARE, COMMON = 0.95, 0.75


def cautious_statistics(observed: Observed, generator: np.random.Generator) -> Floats:
    """r of each pair, |sum of differences| / root of the sum of their squares, as t/lambda has it."""
    n = observed.topics
    t = np.maximum(_moderated_statistics(observed) / caution(observed, generator), with_one_against(observed))
    with np.errstate(invalid="ignore"):
        return np.where(np.isinf(t), math.sqrt(n), t * math.sqrt(n) / np.sqrt(n - 1 + t * t))


def _moderated_statistics(observed: Observed) -> Floats:
    """t of each pair with the variance that one more topic, as usual as any, would leave it; at least 0."""
    n, variance = observed.topics, observed.deviations**2
    spread = np.sqrt(variance + (float(np.median(variance)) if variance.size else 0.0) / n)
    constant = np.where(observed.gaps > 0, np.inf, 0.0)
    return np.asarray(math.sqrt(n) * np.divide(observed.gaps, spread, out=constant, where=spread > 0))


def with_one_against(observed: Observed) -> Floats:
    """t of each pair with one more topic, as far the other way as any two systems are on any topic; at least 0."""
    n, gap = observed.topics, observed.gaps
    far = float(np.ptp(observed.centred, axis=0).max(initial=0.0))
    squares = (n - 1) * observed.deviations**2 + n / (n + 1) * (gap + far) ** 2
    spread = np.sqrt(np.maximum(squares, 1e-300) / n)
    return np.asarray(np.maximum(n * gap - far, 0.0) / math.sqrt(n + 1) / spread)


def caution(observed: Observed, generator: np.random.Generator) -> Floats:
    """What t of each pair is divided by, at least 1; what is drawn does not move the generator."""
    from scipy.special import stdtrit

    first, second = observed.pairs
    n, count = observed.topics, len(first)
    if n < 2 or not count:
        return np.ones(count)
    every = -(-count // MOST_PAIRS)
    looked = np.arange(0, count, every)
    looked = looked[observed.deviations[looked] > 0]
    if not len(looked):
        return np.ones(count)
    own = generator.spawn(1)[0]
    weights = (own.multinomial(n, np.full(n, 1 / n), size=CAUTION_DRAWS) / n).T
    student = float(stdtrit(n - 1, (1 + SHARE) / 2))
    # An order of their own, so that nothing drawn depends on how topics are listed.
    centred = observed.centred[:, np.lexsort(observed.centred)]
    centred = centred - centred.mean(axis=1, keepdims=True)
    resampled = product(centred, weights)
    found = np.empty(len(looked))
    for rows in blocks(len(looked), max(n, CAUTION_DRAWS), BLOCK):
        pairs = looked[rows]
        square = (centred[first[pairs]] - centred[second[pairs]]) ** 2
        moved = (resampled[first[pairs]] - resampled[second[pairs]]) ** 2
        least = LEAST_VARIANCE * square.mean(axis=1, keepdims=True)
        t = np.sqrt((n - 1) * moved / np.maximum(product(square, weights) - moved, least))
        found[rows] = np.maximum(np.quantile(t, SHARE, axis=1) / student, 1.0)
    result = np.full(count, float(np.quantile(found, COMMON)))
    if every == 1:
        result[looked] = np.maximum(found, result[looked])
    return result + (result - 1.0) ** 2


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


#: Permuted scores between two reports of progress.
TUKEY_BLOCK = 1 << 24


def tukey(observed: Observed, draws: int, generator: np.random.Generator, progress: Progress | None = None) -> Floats:
    """p-values of the randomised Tukey HSD (carterette2012), which keep the familywise error where all systems could
    be exchanged on every topic.

    Each is the share of permutations of the systems within each topic in which the best and the worst mean differ at
    least as much as the two; the data themselves count as one. A permutation is a function of the seed and its number:
    the number of threads does not matter.
    """
    scores = np.ascontiguousarray(observed.centred.T)
    key = int(generator.integers(2**64, dtype=np.uint64))
    found = []
    for rows in blocks(draws, scores.size, TUKEY_BLOCK):
        found.append(kernels.permuted_ranges(scores, key, rows.start, rows.stop - rows.start))
        if progress is not None:
            progress(rows.stop, draws)
    ranges = np.sort(np.concatenate(found)) / observed.topics
    at_least = draws - np.searchsorted(ranges, observed.gaps - observed.tolerance, side="left")
    return np.where(observed.identical, 1.0, (1.0 + at_least) / (1.0 + draws))
