"""Is the difference of two systems more than chance? One p-value a pair, two-sided, never systems x systems x topics in
memory.

Pairs are those of `Observed`: the upper triangle, the better system of the observed ranking first.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

import numpy as np

from ..arrays import FEWEST_DRAWS, Bools, Floats, blocks, product
from ..jobs.draws import Progress
from ..reference import differences
from .observed import Observed

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
    """Of Wilcoxon's signed-rank test: differences of 0 dropped, mid-ranks for ties, both up to rounding.

    Exact up to 50 differences without ties, else normal with the variance corrected for ties (and not for continuity).
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
    """Rows of flips x topics, +1 or -1; where all are made, all different and none without a flip. `one_sided`: a flip
    of all topics is not the same as none, so that there are twice as many, and all of them are not made."""
    if flips(draws, topics) < draws and not one_sided:
        patterns = np.arange(rows.start + 1, rows.stop + 1)[:, None] >> np.arange(topics) & 1
    else:
        patterns = generator.integers(0, 2, (rows.stop - rows.start, topics))
    return 1 - 2 * patterns.astype(np.float64)


def permutation_p(
    observed: Observed, draws: int, generator: np.random.Generator, progress: Progress | None = None
) -> Floats:
    """Of the paired randomisation test: the share of exchanges of the two systems' scores, topic by topic at random,
    that make the means differ at least as much; the data themselves count as one of them. The exchanges are the same
    for all pairs."""
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
