"""Pivot by pivot without O(n²) memory or time, in NumPy: sorted prefixes of the walk, and what is left of them by brute
force. An algorithm of its own, to check the compiled one at sizes that the twins in `reference` do not reach."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

BLOCK = 2048


class Pivots(NamedTuple):
    """For every pivot, in the order of y from the top: items above it; of these, how many x puts above (right) and
    below (wrong); the sums of the differences in x of the former and of the latter."""

    above: np.ndarray
    right: np.ndarray
    wrong: np.ndarray
    right_gaps: np.ndarray
    wrong_gaps: np.ndarray


def pivots(y: np.ndarray, x: np.ndarray, wy: float = 0.0, wx: float = 0.0) -> Pivots:
    """Thresholds are compared naively: give scores whose differences are exact, such as integers."""
    order = np.argsort(-y, kind="stable")
    y, x = y[order], x[order]
    above = np.searchsorted(-y, -(y + wy), side="left")  # how many have a score of more than y_i + wy
    counts = np.zeros((2, len(y)), np.int64)
    gaps = np.zeros((2, len(y)))
    for start in range(0, len(y), BLOCK):
        mine = np.flatnonzero((above >= start) & (above < start + BLOCK))
        prefix = np.sort(x[:start])
        sums = np.concatenate([[0.0], np.cumsum(prefix)])
        rest = x[start : start + BLOCK]
        for part in np.array_split(mine, len(mine) // BLOCK + 1):
            pivot = x[part]
            over, under = np.searchsorted(prefix, pivot + wx, "right"), np.searchsorted(prefix, pivot - wx, "left")
            inside = np.arange(len(rest))[None, :] < (above[part] - start)[:, None]
            higher, lower = inside & (rest > pivot[:, None] + wx), inside & (rest < pivot[:, None] - wx)
            difference = rest - pivot[:, None]
            counts[0, part] = start - over + higher.sum(1)
            counts[1, part] = under + lower.sum(1)
            gaps[0, part] = sums[-1] - sums[over] - (start - over) * pivot + np.where(higher, difference, 0).sum(1)
            gaps[1, part] = under * pivot - sums[under] - np.where(lower, difference, 0).sum(1)
    return Pivots(above, counts[0], counts[1], gaps[0], gaps[1])


def tied_pairs(scores: np.ndarray, within: float = 0.0) -> int:
    """Pairs that are at most `within` apart."""
    ascending = np.sort(scores)
    return int((np.searchsorted(ascending, ascending + within, "right") - np.arange(1, len(scores) + 1)).sum())
