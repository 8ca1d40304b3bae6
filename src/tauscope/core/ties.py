"""Every decision about ties: when two scores are tied, and how means are snapped together."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..errors import CallError, Option
from .arrays import Floats

#: Neighbouring means closer than this share of the largest are one number that was summed in two orders.
SNAP = 1e-12


class Tolerance(NamedTuple):
    """Scores this close are tied, inclusive: a number, or with `relative` a share of the smaller score.

    It is checked where it comes in, by `tolerance()`, and trusted below.
    """

    width: float = 0.0
    relative: bool = False

    def __str__(self) -> str:
        return f"{self.width * 100:g}% of the smaller score" if self.relative else f"{self.width:g}"


EXACT = Tolerance()


def tolerance(spec: Any, name: str = "tied_within") -> Tolerance:
    """One tolerance from what users write: `0.01`, `"5%"`, or a `Tolerance`; `name` is that of the argument."""
    try:
        width, relative = _read(spec)
    except (TypeError, ValueError):
        raise CallError(
            f"{name}={spec!r} is not a tolerance.", Option(name, 0.01, "5%", effect="for instance")
        ) from None
    if not math.isfinite(width) or width < 0:
        raise CallError(f"{name}={spec!r} must be a number of at least 0, and finite.")
    return Tolerance(width, relative and width > 0)


def _read(spec: Any) -> tuple[float, bool]:
    if isinstance(spec, Tolerance):
        return float(spec.width), bool(spec.relative)
    if isinstance(spec, str) and spec.strip().endswith("%"):
        return float(spec.strip()[:-1]) / 100, True
    return float(spec), False


def tolerances(spec: Any, own: tuple[Tolerance, Tolerance] = (EXACT, EXACT)) -> tuple[Tolerance, Tolerance]:
    """(estimate, truth) or (first, second) from one tolerance for both, a pair, or None for the rankings' own."""
    if spec is None:
        return own
    if isinstance(spec, (tuple, list)) and not isinstance(spec, Tolerance):
        if len(spec) != 2:
            raise CallError(f"tied_within={spec!r}: give one tolerance, or a pair in the order (estimate, truth).")
        return tolerance(spec[0]), tolerance(spec[1])
    both = tolerance(spec)
    return both, both


def is_tied(a: Any, b: Any, within: Tolerance = EXACT) -> Any:
    """Whether scores are tied: equal numbers, or |a - b| <= w up to rounding (0.4 - 0.3 counts as 0.1)."""
    if within.width == 0:
        return np.equal(a, b)
    size_a, size_b = np.abs(a), np.abs(b)
    with np.errstate(over="ignore"):
        width = within.width * np.minimum(size_a, size_b) if within.relative else within.width
        slack = np.maximum(1e-9 * width, 8 * np.finfo(float).eps * np.maximum(size_a, size_b))
        return np.abs(np.subtract(a, b)) <= width + slack


def signs(a: Any, b: Any, within: Tolerance = EXACT) -> NDArray[np.int8]:
    """The sign of a - b, 0 where the two are tied."""
    direction = np.greater(a, b).view(np.int8) - np.less(a, b).view(np.int8)
    if within.width:
        direction = np.where(is_tied(a, b, within), np.int8(0), direction)
    result: NDArray[np.int8] = direction.astype(np.int8, copy=False)
    return result


def snap(scores: Floats, size: float = 0.0) -> tuple[Floats, int]:
    """Means that differ only by rounding become one number; also returns how many tied pairs that made.

    Sorted neighbours closer than 1e-12 times the largest absolute score are chained; a chain takes its lowest score.
    Where means are differences from their mean, they can all be rounding: `size` is the largest number that went into
    them.
    """
    if scores.size < 2:
        return scores, 0
    order = np.argsort(scores, kind="stable")
    ascending = scores[order]
    new_group = np.diff(ascending) > SNAP * max(size, np.abs(ascending[[0, -1]]).max())
    group = np.concatenate(([0], np.cumsum(new_group)))
    starts = np.flatnonzero(np.concatenate(([True], new_group)))
    snapped = np.empty_like(scores)
    snapped[order] = ascending[starts][group]
    made = _tied_pairs(snapped) - _tied_pairs(scores)
    return snapped, made


def snap_rows(scores: Floats) -> Floats:
    """`snap` row by row: means of resamples that differ only by rounding become one number."""
    if scores.shape[-1] < 2:
        return scores
    gaps = np.diff(np.sort(scores, axis=1), axis=1)
    largest = np.abs(scores).max(axis=1, keepdims=True)
    rows = np.flatnonzero(((gaps <= SNAP * largest) & (gaps > 0)).any(axis=1))
    if not len(rows):  # equal or apart already
        return scores
    result, part = scores.copy(), scores[rows]
    order = np.argsort(part, axis=1)
    ascending = np.take_along_axis(part, order, 1)
    starts = np.diff(ascending, axis=1, prepend=-np.inf) > SNAP * largest[rows]
    # Each place takes the score at which its chain starts.
    chain = np.maximum.accumulate(np.where(starts, np.arange(scores.shape[1]), 0), axis=1)
    np.put_along_axis(part, order, np.take_along_axis(ascending, chain, 1), 1)
    result[rows] = part
    return result


def _tied_pairs(scores: Floats) -> int:
    sizes = np.unique(scores, return_counts=True)[1].astype(np.int64)
    return int((sizes * (sizes - 1) // 2).sum())
