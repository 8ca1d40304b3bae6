"""The largest difference of two systems' sums when scores are exchanged within topics: the definition, and the twin of
cpp/permute.hpp.

Random numbers are a function of what they are for (key, draw, topic, place), so that neither threads nor workers nor
blocks of draws change them: SplitMix64, whose k-th word is the finalised sum of a start and k times the golden ratio.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..arrays import Floats

Words = NDArray[np.uint64]
GOLDEN = np.uint64(0x9E3779B97F4A7C15)
#: Permuted scores held at once.
BLOCK = 1 << 18


def finalise(words: Words) -> Words:
    """SplitMix64's last step: every bit depends on every other."""
    words = (words ^ (words >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    words = (words ^ (words >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return np.asarray(words ^ (words >> np.uint64(31)))


def random_places(starts: Words, m: int) -> NDArray[np.int64]:
    """Row by row, m numbers of which the i-th is from 0 to i: the high half of a 32-bit number times i + 1."""
    words = finalise(starts[:, None] + np.arange(1, (m + 1) // 2 + 1, dtype=np.uint64) * GOLDEN)
    halves = np.stack([words & np.uint64(0xFFFFFFFF), words >> np.uint64(32)], axis=2).reshape(len(starts), -1)[:, :m]
    return np.asarray((halves * np.arange(1, m + 1, dtype=np.uint64)) >> np.uint64(32)).astype(np.int64)


def permuted_ranges(scores: Floats, key: int, first: int, draws: int) -> Floats:
    """Of topics x systems: highest minus lowest sum of a system, for the draws from `first` on.

    Each topic has its systems in random order, by Fisher and Yates from the inside out.
    """
    topics, m = scores.shape
    ranges = np.empty(draws)
    step = max(1, BLOCK // m)
    for start in range(0, draws, step):
        numbers = np.arange(first + start, first + min(draws, start + step)).astype(np.uint64)
        rows = np.arange(len(numbers))
        sums = np.zeros((len(numbers), m))
        for topic in range(topics):
            at = numbers * np.uint64(topics) + np.uint64(topic + 1)
            places = random_places(finalise(np.uint64(key) + at * GOLDEN), m)
            shuffled = np.empty((len(numbers), m))
            for i in range(m):
                shuffled[:, i] = shuffled[rows, places[:, i]]
                shuffled[rows, places[:, i]] = scores[topic, i]
            sums += shuffled
        ranges[start : start + len(numbers)] = sums.max(axis=1) - sums.min(axis=1)
    return ranges
