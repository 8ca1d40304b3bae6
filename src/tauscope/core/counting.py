"""What the formulas of rankings are made of: signs of pairs, counts, tie groups, and the entries of the table of pairs.

Arrays are `estimate` (y) and `truth` (x), higher is better, shape (..., n): leading axes are a batch. Matrices are
[pivot i, other item j], made in blocks of pivots.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..errors import Undefined
from .arrays import Bools, Floats, Ints
from .ties import EXACT, Tolerance, signs

Result = tuple[Floats, NDArray[np.int8]]

#: How many matrix entries are held at once.
BLOCK = 4_000_000


class PairCounts(NamedTuple):
    """Unordered pairs; pairs tied in both rankings are concordant + discordant + tied_estimate + tied_truth - all."""

    concordant: Ints
    discordant: Ints
    tied_estimate: Ints
    tied_truth: Ints


def blocks(y: Floats) -> Iterator[slice]:
    """Slices of pivots such that batch x pivots x items stays within BLOCK."""
    n = y.shape[-1]
    step = max(1, BLOCK // max(1, y.size))
    for start in range(0, n, step):
        yield slice(start, min(n, start + step))


def sign_rows(scores: Floats, rows: slice, within: Tolerance) -> NDArray[np.int8]:
    """[i, j] = +1 where item j is above the pivot i, -1 below, 0 tied."""
    return signs(scores[..., None, :], scores[..., rows, None], within)


def finite(*arrays: Floats) -> Bools:
    """Which rows of the batch have only finite scores."""
    result = np.isfinite(arrays[0]).all(-1)
    for array in arrays[1:]:
        result = result & np.isfinite(array).all(-1)
    return np.asarray(result)


def pair_counts(y: Floats, x: Floats, wy: Tolerance = EXACT, wx: Tolerance = EXACT) -> PairCounts:
    """Concordant, discordant and tied pairs (Kendall's counts, with thresholded signs)."""
    n = y.shape[-1]
    agree = against = tied_y = tied_x = np.zeros(y.shape[:-1], np.int64)
    for rows in blocks(y):
        sy, sx = sign_rows(y, rows, wy), sign_rows(x, rows, wx)
        product = sy * sx
        agree = agree + np.count_nonzero(product > 0, axis=(-2, -1))
        against = against + np.count_nonzero(product < 0, axis=(-2, -1))
        tied_y = tied_y + np.count_nonzero(sy == 0, axis=(-2, -1))
        tied_x = tied_x + np.count_nonzero(sx == 0, axis=(-2, -1))
    return PairCounts(agree // 2, against // 2, (tied_y - n) // 2, (tied_x - n) // 2)


def pivot_counts(y: Floats, x: Floats, wy: Tolerance, wx: Tolerance) -> tuple[Ints, Ints, Ints]:
    """For every pivot: items above it in y, and how many of those x puts above it (right) and below it (wrong)."""
    above, right, wrong = (np.zeros(y.shape, np.int64) for _ in range(3))
    for rows in blocks(y):
        sy, sx = sign_rows(y, rows, wy), sign_rows(x, rows, wx)
        above[..., rows] = (sy > 0).sum(-1)
        right[..., rows] = ((sy > 0) & (sx > 0)).sum(-1)
        wrong[..., rows] = ((sy > 0) & (sx < 0)).sum(-1)
    return above, right, wrong


def subgroups(y: Floats, within: Tolerance) -> tuple[Ints, Ints]:
    """Stepping (radja2018 6.1.2): items tied with exactly the same items share a sub-group.

    Returns, for every item, how many items are above its sub-group (p_i - 1) and the size of the sub-group (t_i).
    Tied items are neighbours in the order of y, so how many are above and below by more than w names the tied set.
    """
    above, below, over, size = (np.zeros(y.shape, np.int64) for _ in range(4))
    for rows in blocks(y):
        sy = sign_rows(y, rows, within)
        above[..., rows] = (sy > 0).sum(-1)
        below[..., rows] = (sy < 0).sum(-1)
    for rows in blocks(y):
        same = (above[..., None, :] == above[..., rows, None]) & (below[..., None, :] == below[..., rows, None])
        size[..., rows] = same.sum(-1)
        over[..., rows] = ((y[..., None, :] > y[..., rows, None]) & ~same).sum(-1)
    return over, size


def mean_inverse(above: Ints, size: Ints) -> Floats:
    """h_i: mean over the places k = 1..t of 1/(p + k - 2), `above` being p - 1. 0 where nothing is above."""
    return _by_group(above, size, lambda a, t: float((1.0 / np.arange(a, a + t)).sum()) / t if a else 0.0)


def group_inverse(above: Ints, size: Ints) -> Floats:
    """g_i: weight of one other member of the pivot's own group, over the places k = 2..t: (k-1)/(t-1) / (p + k - 2) /
    t."""

    def one(a: int, t: int) -> float:
        k = np.arange(1.0, t)
        return float((k / (a + k)).sum()) / (t * (t - 1)) if t > 1 else 0.0

    return _by_group(above, size, one)


def _by_group(above: Ints, size: Ints, weight) -> Floats:  # type: ignore[no-untyped-def]
    pairs, inverse = np.unique(np.stack([above.ravel(), size.ravel()]), axis=1, return_inverse=True)
    weights = np.array([weight(int(a), int(t)) for a, t in pairs.T])
    return weights[inverse].reshape(above.shape)


def valued(value: Floats, undefined: list[tuple[Bools, Undefined]]) -> Result:
    """Values and reasons; of several reasons the first counts."""
    reasons = np.zeros(value.shape, np.int8)
    for mask, reason in reversed(undefined):
        reasons[mask] = reason
    return np.where(reasons == 0, value, np.nan), reasons


def either(first: Bools, second: Bools, base: Undefined) -> list[tuple[Bools, Undefined]]:
    """The three reasons estimate, truth, both, in the order of `Undefined`."""
    return [(first & second, Undefined(base + 2)), (first, base), (second, Undefined(base + 1))]


def all_pairs(y: Floats) -> int:
    """How many unordered pairs the items of a ranking have: n(n-1)/2."""
    n = int(y.shape[-1])
    return n * (n - 1) // 2


Matrix = tuple[Floats, Floats]


class Terms(NamedTuple):
    """A coefficient's entries as a function of places: `at(pivots, others)` gives the matrices of weights and
    agreements.

    `symmetric`: an entry belongs to the unordered pair; otherwise to (pivot, other), weight 0 where there is none.
    `walk` is 0 for a walk through the estimate (or no walk at all), 1 for a walk through the truth.
    """

    at: Callable[[slice, slice], Matrix]
    symmetric: bool
    walk: int = 0


def signs_at(scores: Floats, within: Tolerance, pivots: slice, others: slice) -> NDArray[np.int8]:
    """[i, j] = +1 where item j is above the pivot i, -1 below, 0 tied, for some pivots and some others."""
    return signs(scores[None, others], scores[pivots, None], within)


def cosine_pairs(u: Floats, v: Floats) -> Matrix:
    """Weight and agreement of the pairs of a cosine: (u² + v²)/2 and 2uv/(u² + v²)."""
    weight = (u * u + v * v) / 2
    agreement = np.divide(u * v, weight, out=np.zeros_like(weight), where=weight > 0)
    return weight, np.clip(agreement, -1.0, 1.0)


def both_ways(
    one_way: Callable[..., Result], y: Floats, x: Floats, wy: Tolerance = EXACT, wx: Tolerance = EXACT
) -> Result:
    """The mean of a formula that takes its weights from one ranking, and of itself with the rankings exchanged."""
    (there, reasons), (back, _) = one_way(y, x, wy, wx), one_way(x, y, wx, wy)
    return (there + back) / 2, reasons


def both_ways_terms(
    one_way: Callable[..., list[Terms]], y: Floats, x: Floats, wy: Tolerance = EXACT, wx: Tolerance = EXACT
) -> list[Terms]:
    """The pair terms of that mean, where they belong to unordered pairs."""
    (there,), (back,) = one_way(y, x, wy, wx), one_way(x, y, wx, wy)

    def at(i: slice, j: slice) -> Matrix:
        (weight, agreement), (other_weight, other_agreement) = there.at(i, j), back.at(i, j)
        both, agreed = weight + other_weight, weight * agreement + other_weight * other_agreement
        return both / 2, np.clip(np.divide(agreed, both, out=np.zeros_like(both), where=both > 0), -1.0, 1.0)

    return [Terms(at, symmetric=True)]
