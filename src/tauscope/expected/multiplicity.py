"""p-values of many pairs at once, adjusted for their number: max-t, the randomised Tukey HSD, Holm, false discovery rate."""

from __future__ import annotations

import numpy as np

from ..ties import Floats
from .observed import Observed, blocks
from .pair_tests import BLOCK, Progress, random_signs, signed_ranks
from .significance import Deviations, student_statistics


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


def max_t(observed: Observed, seed: int, draws: int, progress: Progress | None = None) -> Floats:
    """Of the paired t-test over all pairs, step-down (westfall1993): the largest |t| of the pair and of all with smaller ones, in
    resamples of the topics about the observed differences. Resampled deviations have normal tails and t Student's, so t is taken
    over by its tail probability."""
    t = normal_equivalent(student_statistics(observed), observed.topics)
    order = np.argsort(-t, kind="stable")
    first, second = (side[order] for side in observed.pairs)
    deviations = Deviations(observed, seed, draws)
    scale = deviations.inverse[first, second]
    extreme = np.zeros(len(t), np.int64)
    done = 0
    for block in deviations.blocks():
        for rows in blocks(len(block), len(t), BLOCK):
            part = block[rows]
            largest = np.abs((part[:, first] - part[:, second]) * scale)
            largest = np.maximum.accumulate(largest[:, ::-1], axis=1)[:, ::-1]
            extreme += np.count_nonzero(largest >= t[order], axis=0)
            done += len(part)
            if progress is not None:
                progress(done, draws)
    p = np.empty(len(t))
    p[order] = np.maximum.accumulate((1.0 + extreme) / (1.0 + draws))
    return np.where(observed.identical, 1.0, p)


def normal_equivalent(t: Floats, topics: int) -> Floats:
    """The value that a normal variable exceeds as rarely as Student's t exceeds the given one."""
    from scipy.special import ndtri, stdtr

    with np.errstate(divide="ignore"):
        return np.asarray(-ndtri(stdtr(topics - 1, -t)))


def max_rank(
    observed: Observed, draws: int, generator: np.random.Generator, progress: Progress | None = None
) -> Floats:
    """Of Wilcoxon's test over all pairs, in one step: the largest statistic, in standard deviations, when all differences of a topic
    change their sign together, at random; the data themselves count as one."""
    signs = random_signs(draws, observed.topics, generator)
    first, second = observed.pairs
    own, largest = np.zeros(len(first)), np.zeros(draws)
    for rows in blocks(len(first), max(observed.topics, draws), BLOCK):
        rank, positive, _ = signed_ranks(observed.x[first[rows]] - observed.x[second[rows]], observed.tolerance)
        signed = np.where(positive, rank, -rank)
        norm = np.sqrt((rank**2).sum(axis=1))
        scale = np.divide(1.0, norm, out=np.zeros(len(norm)), where=norm > 0)
        own[rows] = np.abs(signed.sum(axis=1)) * scale
        np.maximum(largest, np.abs(signs @ signed.T * scale).max(axis=1), out=largest)
        if progress is not None:
            progress(rows.stop, len(first))
    largest.sort()
    at_least = draws - np.searchsorted(largest, own * (1 - 1e-12), side="left")
    return np.where(observed.identical, 1.0, (1.0 + at_least) / (1.0 + draws))
