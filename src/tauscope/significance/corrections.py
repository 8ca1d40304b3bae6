"""p-values of many pairs at once, adjusted for their number: max-t, the randomised Tukey HSD, Holm, false discovery rate."""

from __future__ import annotations

import numpy as np

from .. import kernels
from ..arrays import Floats, blocks
from ..jobs.progress import Progress
from .observed import Observed
from .pair_tests import BLOCK, flips, sign_blocks, signed_ranks, signs_of


def holm(p: Floats) -> Floats:
    """Holm's step-down: the k-th smallest of N is multiplied by N - k + 1, and none is below a smaller one's (holm1979)."""
    order = np.argsort(p, kind="stable")
    scaled = np.maximum.accumulate(p[order] * np.arange(len(p), 0, -1))
    result = np.empty(len(p))
    result[order] = np.minimum(1.0, scaled)
    return result


def false_discovery(p: Floats) -> Floats:
    """Benjamini and Hochberg's step-up: the k-th smallest of N times N/k, and none is above a larger one's (benjamini1995)."""
    order = np.argsort(p, kind="stable")
    scaled = p[order] * len(p) / np.arange(1, len(p) + 1)
    result = np.empty(len(p))
    result[order] = np.minimum(1.0, np.minimum.accumulate(scaled[::-1])[::-1])
    return result


def tukey(observed: Observed, draws: int, generator: np.random.Generator, progress: Progress | None = None) -> Floats:
    """The randomised Tukey HSD (carterette2012): the share of permutations of the systems within each topic in which the best and
    the worst mean differ at least as much as the two; the data themselves count as one."""
    ranges = np.empty(draws)
    scores = np.ascontiguousarray(observed.centred.T)
    for rows in blocks(draws, scores.size, BLOCK):
        for draw in range(rows.start, rows.stop):
            means = generator.permuted(scores, axis=1).mean(axis=0)
            ranges[draw] = means.max() - means.min()
        if progress is not None:
            progress(rows.stop, draws)
    ranges.sort()
    at_least = draws - np.searchsorted(ranges, observed.gaps - observed.tolerance, side="left")
    return np.where(observed.identical, 1.0, (1.0 + at_least) / (1.0 + draws))


def max_t(observed: Observed, draws: int, generator: np.random.Generator, progress: Progress | None = None) -> Floats:
    """Of the paired t-test over all pairs, step-down (westfall1993): the largest statistic of the pair and of all with smaller ones,
    when all differences of a topic change their sign together, at random; the data themselves count as one.

    The statistic is r = |sum of differences| / root of the sum of their squares, which grows with |t|. Flips keep it right however few
    topics there are; resampled topics do not (with five, noise had "significant" pairs two times out of three).
    """
    n = observed.topics
    norm = pair_norms(observed)
    own = np.divide(n * observed.gaps, norm, out=np.zeros(len(norm)), where=norm > 0)
    order = np.argsort(own, kind="stable")
    first, second = (side[order] for side in observed.pairs)
    scale = np.divide(1.0, norm, out=np.zeros(len(norm)), where=norm > 0)[order]
    limit = own[order] * (1 - 1e-9)
    extreme = np.zeros(len(own), np.int64)
    made = flips(draws, n)
    for rows in sign_blocks(made, n):
        sums = signs_of(rows, draws, n, generator) @ observed.centred.T
        # The smallest first, so that each meets the largest of itself and all before it.
        extreme += kernels.flips_reached(sums, first, second, scale, limit)
        if progress is not None:
            progress(rows.stop, made)
    p = np.empty(len(own))
    # No p-value is below that of a larger statistic.
    p[order] = np.maximum.accumulate(((1.0 + extreme) / (1.0 + made))[::-1])[::-1]
    return np.where(observed.identical, 1.0, p)


def pair_norms(observed: Observed) -> Floats:
    """The root of the sum of squares of the differences of each pair."""
    n = observed.topics
    return np.sqrt((n - 1) * observed.deviations**2 + n * observed.gaps**2)


def max_rank(
    observed: Observed, draws: int, generator: np.random.Generator, progress: Progress | None = None
) -> Floats:
    """Of Wilcoxon's test over all pairs, in one step: the largest statistic, in standard deviations, when all differences of a topic
    change their sign together, at random; the data themselves count as one."""
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
        np.maximum(largest, np.abs(signs @ signed.T * scale).max(axis=1), out=largest)
        if progress is not None:
            progress(rows.stop, len(first))
    largest.sort()
    at_least = made - np.searchsorted(largest, own * (1 - 1e-9), side="left")
    return np.where(observed.identical, 1.0, (1.0 + at_least) / (1.0 + made))
