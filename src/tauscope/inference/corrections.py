"""Tests of pairs of systems, and corrections for many of them.

Student's t, Wilcoxon's signed ranks and sign flips test one pair. Holm's step-down, the false discovery rate, max-t
and the randomised Tukey HSD correct for the number of pairs. t is reduced where differences are skewed and topics are
few, because flips keep the level only if differences are symmetric. `Paired` makes the same tests where cells are
missing.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

import numpy as np

from ..core import differences, kernels
from ..core.arrays import FEWEST_DRAWS, SNAP, Bools, Floats, Ints, blocks, near_one, product, snap
from ..core.checking import CAUTION_DRAWS, Progress
from ..data.holes import RestsOn
from ..data.labels import mean_over
from ..data.scores import Scores
from ..results import Note, word
from .methods import confidences
from .reliability import LocalReliability
from .true_means import Observed

#: Numbers of pairs x topics, or flips x pairs, held at once.
BLOCK = 1 << 18
#: Up to so many differences that are not 0 and not tied, Wilcoxon's p is exact.
EXACT = 50


def student_statistics(observed: Observed) -> Floats:
    """t of each pair, at least 0; infinite for a constant difference, 0 for identical systems."""
    s = observed.deviations
    constant = np.where(observed.gaps > 0, np.inf, 0.0)
    return np.asarray(np.sqrt(observed.topics) * np.divide(observed.gaps, s, out=constant, where=s > 0))


def student_p(observed: Observed) -> Floats:
    """Of the paired t-test. A constant difference has p = 0, identical systems 1."""
    t = student_statistics(observed)
    return np.where(
        np.isinf(t),
        0.0,
        np.minimum(1.0, 2 * differences.student_tail(np.where(np.isinf(t), 0.0, t), observed.topics - 1)),
    )


def wilcoxon_p(observed: Observed, progress: Progress | None = None) -> Floats:
    """Compute p-values of Wilcoxon's signed-rank test (wilcoxon1945) for all pairs.

    Differences of 0 are dropped, ties have mid-ranks, both up to rounding. The test is exact up to `EXACT` differences
    without ties, and otherwise normal with the variance corrected for ties, and not for continuity.

    Parameters
    ----------
    observed : Observed
        The scores.
    progress : callable, optional
        Called with the number of pairs done, and of all.

    Returns
    -------
    array of float
        One two-sided p-value per pair.
    """
    first, second = observed.pairs
    p = np.ones(len(first))
    for rows in blocks(len(first), observed.topics, BLOCK):
        p[rows] = _signed_rank_p(observed.x[first[rows]] - observed.x[second[rows]], observed.tolerance)
        if progress is not None:
            progress(rows.stop, len(first))
    return p


def signed_ranks(difference: Floats, tolerance: float) -> tuple[Floats, Bools, Floats]:
    """Mid-ranks of the sizes of the differences, row by row, 0 for those that are 0; which differences are positive;
    and the sum of t³ - t over groups of t ties."""
    size = np.abs(difference)
    columns = size.shape[1]
    order = np.argsort(size, axis=1, kind="stable")
    ascending = np.take_along_axis(size, order, axis=1)
    zeros = np.count_nonzero(ascending <= tolerance, axis=1)[:, None]
    place = np.arange(columns)
    start = np.ones(size.shape, bool)
    start[:, 1:] = np.diff(ascending, axis=1) > tolerance
    start |= place == zeros  # the first that is not 0 is tied with no 0
    last = np.ones(size.shape, bool)
    last[:, :-1] = start[:, 1:]
    begin = np.maximum.accumulate(np.where(start, place, 0), axis=1)
    end = np.minimum.accumulate(np.where(last, place, columns)[:, ::-1], axis=1)[:, ::-1]
    counted = place >= zeros
    rank = np.empty(size.shape)
    np.put_along_axis(rank, order, np.where(counted, (begin + end) / 2 + 1 - zeros, 0.0), axis=1)
    # Each of t ties adds t² - 1.
    ties = np.where(counted, (end - begin + 1.0) ** 2 - 1, 0.0).sum(axis=1)
    return rank, difference > 0, ties


def _signed_rank_p(difference: Floats, tolerance: float) -> Floats:
    rank, positive, ties = signed_ranks(difference, tolerance)
    above = (rank * positive).sum(axis=1)
    n = np.count_nonzero(rank, axis=1)
    variance = n * (n + 1.0) * (2 * n + 1) / 24 - ties / 48
    deviation = np.abs(above - n * (n + 1) / 4)
    p = _normal_p(np.divide(deviation, np.sqrt(variance), out=np.zeros(len(n)), where=variance > 0))
    for size in np.unique(n[(ties == 0) & (n > 0) & (n <= EXACT)]):
        exact = (ties == 0) & (n == size)
        smaller = np.minimum(above[exact], size * (size + 1) / 2 - above[exact])
        p[exact] = np.minimum(1.0, 2 * _rank_sum_cdf(int(size))[smaller.astype(int)])
    return p


def _normal_p(z: Floats) -> Floats:
    from scipy.special import ndtr

    return np.asarray(2 * ndtr(-z))


@cache
def _rank_sum_cdf(n: int) -> Floats:
    """P(W <= w) for w = 0, 1, …, the sum of those of 1..n whose coins show heads."""
    counts = np.zeros(n * (n + 1) // 2 + 1)
    counts[0] = 1.0
    for rank in range(1, n + 1):
        counts[rank:] = counts[rank:] + counts[:-rank]
    return np.asarray(np.cumsum(counts) / 2.0**n)


def flips(draws: int, topics: int) -> int:
    """How many flips of the topics' signs are made: so many at random, or all there are besides the data, if these are
    fewer.
    """
    return min(draws, 2 ** (topics - 1) - 1) if topics <= 40 else draws


def sign_blocks(made: int, topics: int) -> Iterator[slice]:
    """Flips made at once: enough for a product of matrices to be worth it."""
    return blocks(made, topics, max(BLOCK, FEWEST_DRAWS * topics))


def signs_of(
    rows: slice, draws: int, topics: int, generator: np.random.Generator, *, one_sided: bool = False
) -> Floats:
    """Make rows of sign flips.

    Parameters
    ----------
    rows : slice
        Numbers of the flips.
    draws, topics : int
        How many flips were asked for, and the number of topics.
    generator : Generator
        The source of randomness; not used where all flips are made.
    one_sided : bool, default False
        Whether a flip of all topics differs from none. There are twice as many flips then, and all of them are not
        made.

    Returns
    -------
    array of flips x topics
        +1 or -1; where all flips are made, all are different and none is without a flip.
    """
    if flips(draws, topics) < draws and not one_sided:
        patterns = np.arange(rows.start + 1, rows.stop + 1)[:, None] >> np.arange(topics) & 1
    else:
        patterns = generator.integers(0, 2, (rows.stop - rows.start, topics))
    return 1 - 2 * patterns.astype(np.float64)


def permutation_p(
    observed: Observed, draws: int, generator: np.random.Generator, progress: Progress | None = None
) -> Floats:
    """Compute p-values of the paired randomisation test for all pairs.

    Each is the share of exchanges of the two systems' scores, topic by topic at random, that make the means differ at
    least as much; the data themselves count as one of them. The exchanges are the same for all pairs.

    Parameters
    ----------
    observed : Observed
        The scores.
    draws : int
        Number of exchanges; all there are, if these are fewer.
    generator : Generator
        The source of randomness.
    progress : callable, optional
        Called with the number of exchanges done, and of all.

    Returns
    -------
    array of float
        One two-sided p-value per pair; 1 for identical systems.
    """
    gap = observed.gaps - observed.tolerance
    extreme = np.zeros(len(gap), np.int64)
    made = flips(draws, observed.topics)
    for rows in sign_blocks(made, observed.topics):
        signs = signs_of(rows, draws, observed.topics, generator)
        means = product(signs, observed.centred.T) / observed.topics
        for i in range(observed.systems - 1):
            pairs = slice(_start(observed.systems, i), _start(observed.systems, i + 1))
            extreme[pairs] += np.count_nonzero(np.abs(means[:, i : i + 1] - means[:, i + 1 :]) >= gap[pairs], axis=0)
        if progress is not None:
            progress(rows.stop, made)
    return np.where(observed.identical, 1.0, (1.0 + extreme) / (1.0 + made))


def _start(systems: int, row: int) -> int:
    """Where the pairs of a row of the upper triangle begin."""
    return row * systems - row * (row + 1) // 2


#: Of more pairs, so many are looked at, and all have what is common to those.
MOST_PAIRS = 20_000
#: A resampled variance is at least this share of the variance.
LEAST_VARIANCE = 1e-3
#: Calibrated (`claims.py`): which quantile of |t| is compared, and which quantile of lambda all pairs have at least.
SHARE, COMMON = 0.95, 0.75


def cautious_statistics(observed: Observed, generator: np.random.Generator) -> Floats:
    r"""Compute the statistic of max-t for all pairs, reduced where differences are skewed.

    .. math:: r = \frac{|\sum_t d_t|}{\sqrt{\sum_t d_t^2}} = \frac{t\sqrt{n}}{\sqrt{n - 1 + t^2}}

    with t divided by what skewed differences require (`caution()`), but never below what it would be with one more
    topic against (`with_one_against()`).

    Parameters
    ----------
    observed : Observed
        The scores.
    generator : Generator
        Draws the resamples of the correction, from a child, so that its own stream does not move.

    Returns
    -------
    array of float
        One value per pair.
    """
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
    """Compute the number by which t of each pair is divided, at least 1.

    It is the 0.95 quantile of |t| over resampled topics, divided by that of Student's t; pairs whose own value is
    small get the 0.75 quantile of all (`SHARE`, `COMMON`), and the excess over 1 is squared and added once more. With
    symmetric differences and many topics it is 1.

    Parameters
    ----------
    observed : Observed
        The scores.
    generator : Generator
        Its child draws the resamples.

    Returns
    -------
    array of float
        One value per pair.
    """
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
    """Tell which differences are significant: those with p <= alpha, as Holm (1979) and every test have it.

    Parameters
    ----------
    p : array of float
        Adjusted p-values.
    alpha : float
        The level; a p-value equals it up to rounding (`ROUNDING`).

    Returns
    -------
    array of bool

    Examples
    --------
    >>> rejected(np.array([0.05, 0.051]), 1 - 0.95).tolist()
    [True, False]
    """
    return np.asarray(p <= alpha * (1 + ROUNDING))


def holm(p: Floats) -> Floats:
    """Adjust p-values by Holm's step-down, which keeps the familywise error (holm1979).

    The k-th smallest of N is multiplied by N - k + 1, and none is below a smaller one's. It holds whatever the
    dependence of the tests. `max_t()` uses the dependence, and finds more.

    Parameters
    ----------
    p : array of float
        p-values of single tests.

    Returns
    -------
    array of float
        Adjusted p-values in the same order, at most 1.

    Examples
    --------
    >>> holm(np.array([0.04, 0.01, 0.03])).round(2).tolist()
    [0.06, 0.03, 0.06]
    """
    order = np.argsort(p, kind="stable")
    scaled = np.maximum.accumulate(p[order] * np.arange(len(p), 0, -1))
    result = np.empty(len(p))
    result[order] = np.minimum(1.0, scaled)
    return result


def false_discovery(p: Floats) -> Floats:
    """Adjust p-values by Benjamini and Hochberg's step-up, for the false discovery rate (benjamini1995).

    The k-th smallest of N is multiplied by N/k, and none is above a larger one's. It bounds the expected share of false
    differences among those found, not the probability of any.

    Parameters
    ----------
    p : array of float
        p-values of single tests.

    Returns
    -------
    array of float
        Adjusted p-values in the same order, at most 1.

    Examples
    --------
    >>> false_discovery(np.array([0.04, 0.01, 0.03])).round(2).tolist()
    [0.04, 0.03, 0.04]
    """
    order = np.argsort(p, kind="stable")
    scaled = p[order] * len(p) / np.arange(1, len(p) + 1)
    result = np.empty(len(p))
    result[order] = np.minimum(1.0, np.minimum.accumulate(scaled[::-1])[::-1])
    return result


def max_t(observed: Observed, draws: int, generator: np.random.Generator, progress: Progress | None = None) -> Floats:
    r"""Adjust the p-values of the paired t-test by step-down max-t, which keeps the familywise error (westfall1993).

    .. math:: p_{(k)} = \frac{1 + \#\{b : \max_{l \le k} r^{(b)}_{(l)} \ge r_{(k)}\}}{1 + B}

    Pairs are in ascending order of the statistic r (`cautious_statistics()`), all differences of a topic change their
    sign together at random, and the data themselves count as one flip. Flips keep the level however few topics there
    are if differences are symmetric; resampled topics do not (with five, noise had "significant" pairs two times out
    of three).

    Parameters
    ----------
    observed : Observed
        The scores.
    draws : int
        Number of flips; all there are, if these are fewer.
    generator : Generator
        The source of randomness.
    progress : callable, optional
        Called with the number of flips done, and of all.

    Returns
    -------
    array of float
        One adjusted p-value per pair; 1 for identical systems.

    See Also
    --------
    MaxT : the same, to which flips can be added.
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
    """Adjust the p-values of Wilcoxon's test by the largest statistic, in one step, which keeps the familywise error.

    Each is the share of flips, all differences of a topic changing their sign together at random, in which the largest
    statistic, in standard deviations, is at least the pair's; the data themselves count as one.

    Parameters
    ----------
    observed : Observed
        The scores.
    draws : int
        Number of flips; all there are, if these are fewer.
    generator : Generator
        The source of randomness.
    progress : callable, optional
        Called with the number of pairs done, and of all.

    Returns
    -------
    array of float
        One adjusted p-value per pair.
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
    """Adjust p-values by the randomised Tukey HSD (carterette2012).

    Each is the share of permutations of the systems within each topic in which the best and the worst mean differ at
    least as much as the two; the data themselves count as one. It keeps the familywise error where all systems could
    be exchanged on every topic. Do not use it if systems vary unequally: `Significance.unreliable` tells.

    Parameters
    ----------
    observed : Observed
        The scores.
    draws : int
        Number of permutations. Each is a function of the seed and its number: threads do not matter.
    generator : Generator
        Draws the key.
    progress : callable, optional
        Called with the number of permutations done, and of all.

    Returns
    -------
    array of float
        One adjusted p-value per pair.
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


@dataclass(frozen=True, eq=False, kw_only=True)
class Paired:
    """Every two systems on the topics that both have, best first: topics in common, t and two-sided p-values."""

    names: list[str]
    x: Floats
    means: Floats
    unit: float
    shared: Ints
    differing: Ints
    identical: Bools
    t: Floats
    p: Floats

    @classmethod
    def of(cls, scores: Scores) -> Paired:
        """From scores with holes; the order is that of the means over the topics that each system has."""
        x, unit = _scaled(scores.values)
        means, _ = snap(mean_over(x, 0))
        order = np.argsort(-means, kind="stable")
        x, means = x[:, order], means[order]
        tolerance = SNAP * float(np.nanmax(np.abs(x)))
        shared, gap, deviation = _differences(x)
        differing, identical = _differing(x, tolerance)
        t = _statistics(shared, gap, deviation, tolerance)
        return cls(
            names=[scores.systems[i] for i in order],
            x=x,
            means=means,
            unit=unit,
            shared=shared,
            differing=differing,
            identical=identical,
            t=t,
            p=_pvalues(t, shared, differing),
        )

    def better(self, level: float) -> Bools:
        """systems x systems: whether i is better than j, all such statements right at once (Holm)."""
        return _significantly_better(self.t, self.p, level)

    def apart_from(self, system: int, level: float) -> Bools:
        """Which systems differ from one, the one in this place, all statements about it right at once (Holm)."""
        apart, own = np.zeros(len(self.p), bool), self.p[system]
        known = np.flatnonzero(~np.isnan(own) & (np.arange(len(own)) != system))
        apart[known] = rejected(holm(own[known]), 1 - level)
        return np.asarray(apart & ~(self.t[system] == 0))

    def not_exceeded(self, level: float) -> Bools:
        """Systems that no other one exceeds beyond chance: the one-sided p-values of the others, times their number."""
        one_sided = np.where(self.t.T > 0, self.p / 2, 1 - self.p / 2)  # of "column is better than row"
        np.fill_diagonal(one_sided, 1.0)
        known = (~np.isnan(one_sided)).sum(axis=1) - 1
        least = np.nanmin(one_sided, axis=1)
        return np.asarray(~rejected(np.minimum(1.0, least * np.maximum(known, 1)), 1 - level))

    def swaps(self) -> Floats:
        """Swap probabilities of the pairs, NaN where fewer than two topics are shared."""
        local = LocalReliability.of(*means_and_influence(self.x))
        tails = _shrunk_tails(self.t, self.shared, local)
        tied = self.means[:, None] == self.means[None, :]
        return _swaps(self.t, tails, self.shared, self.differing, tied)

    def rests_on(self, tests: str = "paired t-tests, Holm") -> RestsOn:
        """How many cells the pairs rest on, and by which tests they are compared."""
        pairs = self.shared[np.triu_indices(len(self.names), 1)]
        rule = str(Note("pairs_on_common_topics", tests=tests))
        missing = int(np.isnan(self.x).sum())
        return RestsOn.of(pairs, f"{word('topics')} in common", rule, missing=missing, cells=self.x.size)


def _scaled(values: Floats) -> tuple[Floats, float]:
    """Scores times a power of two that keeps their squares finite, and what undoes it; holes stay."""
    known = ~np.isnan(values)
    scaled, unit = near_one(np.where(known, values, 0.0))
    return np.where(known, scaled, np.nan), unit


def _differences(x: Floats) -> tuple[Ints, Floats, Floats]:
    """Of every pair: topics that both have, mean and standard deviation of first - second over them."""
    known = ~np.isnan(x)
    o = known.astype(np.float64)
    topic = np.where(known, x, 0.0).sum(axis=1) / np.maximum(known.sum(axis=1), 1)
    c = np.where(known, x - topic[:, None], 0.0)  # without topic means: sums of squares do not cancel
    shared = product(o.T, o)
    sums, squares, products = product(c.T, o), product((c * c).T, o), product(c.T, c)
    with np.errstate(invalid="ignore", divide="ignore"):
        gap = (sums - sums.T) / shared
        variance = (squares + squares.T - 2 * products - shared * gap**2) / (shared - 1)
    few = shared < 2
    gap[few] = np.nan
    scale = float(np.abs(c).max())
    deviation = np.sqrt(np.where(few, np.nan, np.maximum(variance, 0.0)))
    return shared.astype(np.int64), gap, np.where(deviation <= 1e-7 * scale, 0.0, deviation)


def _differing(x: Floats, tolerance: float) -> tuple[Ints, Bools]:
    """Of every pair: shared topics on which the two differ, and whether they have the same scores everywhere."""
    m = x.shape[1]
    known = ~np.isnan(x)
    differing = np.zeros((m, m), np.int64)
    identical = np.zeros((m, m), bool)
    for i in range(m):
        differing[i] = (np.abs(x - x[:, [i]]) > tolerance).sum(axis=0)  # a missing cell makes NaN, which is not greater
        identical[i] = (known == known[:, [i]]).all(axis=0) & (differing[i] == 0) & (known[:, i].sum() > 1)
    return differing, identical


def means_and_influence(x: Floats) -> tuple[Floats, Floats]:
    """As those of `Observed`, error variances and means each over the topics that a system has.

    One topic does not tell how a system varies: such systems vary from topic to topic as the others do on average.
    """
    known = ~np.isnan(x)
    sizes = known.sum(axis=0)
    topic = np.where(known, x, 0.0).sum(axis=1) / np.maximum(known.sum(axis=1), 1)
    c = np.where(known, x - topic[:, None], 0.0)
    a = c.sum(axis=0) / np.maximum(sizes, 1)
    residual = np.where(known, c - a, 0.0)
    several, once = sizes > 1, sizes == 1
    if several.any():
        variance = (residual[:, several] ** 2).sum(axis=0) / (sizes[several] - 1)
        residual[known & once] = math.sqrt(float(variance.mean()))
    influence = residual / np.sqrt(np.maximum(sizes * (sizes - 1.0), 1.0))
    return np.where(sizes > 0, a, 0.0), influence


def _statistics(shared: Ints, gap: Floats, deviation: Floats, tolerance: float) -> Floats:
    """t of first - second; infinite for a constant difference, 0 where there is none."""
    constant = np.where(np.isnan(gap), np.nan, np.where(np.abs(gap) > tolerance, np.copysign(np.inf, gap), 0.0))
    return np.divide(gap * np.sqrt(shared), deviation, out=constant, where=deviation > 0)


def _tail(t: Floats, shared: Ints) -> Floats:
    """T_{k-1}(-|t|), NaN where t is."""
    from scipy.special import stdtr

    return np.where(np.isinf(t), 0.0, stdtr(np.maximum(shared - 1, 1), -np.abs(t)))


def _pvalues(t: Floats, shared: Ints, differing: Ints) -> Floats:
    """Two-sided, and never below what a sign test of as many topics could reach: few topics of 0 and 1 often differ
    alike.
    """
    least = np.where(differing > 0, np.exp2(1.0 - differing), 1.0)
    return np.where(np.isnan(t), np.nan, np.maximum(2 * _tail(t, shared), least))


def _shrunk_tails(t: Floats, shared: Ints, local: LocalReliability) -> Floats:
    """T_{k-1}(-sqrt(g) |t|), averaged over the reliabilities that a pair could have."""
    pairs = np.triu_indices(len(t), 1)
    tails = np.zeros(len(pairs[0]))
    for weight, reliabilities in local.terms(confidences(len(tails)), pairs):
        for g in reliabilities:
            tails += weight / len(reliabilities) * _tail(t[pairs] * math.sqrt(g), shared[pairs])
    found = np.zeros(t.shape)
    found[pairs] = tails
    return found + found.T


def _swaps(t: Floats, tails: Floats, shared: Ints, differing: Ints, tied: Bools) -> Floats:
    """Tails for the observed order: rows above columns in the upper triangle, symmetric."""
    upper = np.triu(np.ones(t.shape, bool), 1)
    against = np.maximum(tails, np.exp2(-np.maximum(differing, 1.0)))
    chance = np.where(upper, np.where(t >= 0, against, 1 - against), 0.0)
    chance[upper & tied] = 0.5
    chance[upper & (shared < 2)] = np.nan
    return np.asarray(np.where(upper, chance, chance.T) * (1 - np.eye(len(t))))


def _significantly_better(t: Floats, pvalues: Floats, level: float) -> Bools:
    """systems x systems: whether i is better than j, all such statements right at once (Holm)."""
    m = len(t)
    first, second = np.triu_indices(m, 1)
    own = t[first, second]
    known = np.flatnonzero(~np.isnan(own))
    found = known[rejected(holm(pvalues[first, second][known]), 1 - level)]
    wins = own[found] > 0
    better = np.zeros((m, m), bool)
    better[first[found[wins]], second[found[wins]]] = True
    better[second[found[~wins]], first[found[~wins]]] = True
    return better
