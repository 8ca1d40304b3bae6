"""Every formula in plain NumPy: this is the definition, and what runs where no compiler was found.

Arrays are `estimate` (y) and `truth` (x), higher is better, shape (..., n): leading axes are a batch. Each function
returns (values, reasons), NaN where `reasons` is not 0. Matrices are [pivot i, other item j], made in blocks of pivots.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..arrays import Floats, Ints
from ..errors import Undefined
from ..ties import EXACT, Tolerance, signs

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


def finite(*arrays: Floats) -> NDArray[np.bool_]:
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
    """g_i: weight of one other member of the pivot's own group, over the places k = 2..t: (k-1)/(t-1) / (p + k - 2) / t."""

    def one(a: int, t: int) -> float:
        k = np.arange(1.0, t)
        return float((k / (a + k)).sum()) / (t * (t - 1)) if t > 1 else 0.0

    return _by_group(above, size, one)


def _by_group(above: Ints, size: Ints, weight) -> Floats:  # type: ignore[no-untyped-def]
    pairs, inverse = np.unique(np.stack([above.ravel(), size.ravel()]), axis=1, return_inverse=True)
    weights = np.array([weight(int(a), int(t)) for a, t in pairs.T])
    return weights[inverse].reshape(above.shape)


def _result(value: Floats, undefined: list[tuple[NDArray[np.bool_], Undefined]]) -> Result:
    reasons = np.zeros(value.shape, np.int8)
    for mask, reason in reversed(undefined):
        reasons[mask] = reason
    return np.where(reasons == 0, value, np.nan), reasons


def _either(
    first: NDArray[np.bool_], second: NDArray[np.bool_], base: Undefined
) -> list[tuple[NDArray[np.bool_], Undefined]]:
    """The three reasons estimate, truth, both, in the order of `Undefined`."""
    return [(first & second, Undefined(base + 2)), (first, base), (second, Undefined(base + 1))]


def _pairs(y: Floats) -> int:
    n = int(y.shape[-1])
    return n * (n - 1) // 2


def tau_a(y: Floats, x: Floats, wy: Tolerance = EXACT, wx: Tolerance = EXACT) -> Result:
    """radja2018 (2.3), (6.1)."""
    c = pair_counts(y, x, wy, wx)
    return _result((c.concordant - c.discordant) / _pairs(y), [])


def tau(y: Floats, x: Floats, wy: Tolerance = EXACT, wx: Tolerance = EXACT) -> Result:
    """radja2018 (2.1): no ties."""
    c = pair_counts(y, x)
    return _result((c.concordant - c.discordant) / _pairs(y),
                   _either(c.tied_estimate > 0, c.tied_truth > 0, Undefined.TIED_ESTIMATE))  # fmt: skip


def tau_b(y: Floats, x: Floats, wy: Tolerance = EXACT, wx: Tolerance = EXACT) -> Result:
    """radja2018 (2.4), (6.3)."""
    c = pair_counts(y, x, wy, wx)
    untied_y, untied_x = _pairs(y) - c.tied_estimate, _pairs(y) - c.tied_truth
    # Equal denominators need no root, so that a perfect reversal is exactly -1.
    denominator = np.where(untied_y == untied_x, untied_y, np.sqrt(untied_y) * np.sqrt(untied_x))
    value = (c.concordant - c.discordant) / np.where(denominator == 0, 1, denominator)
    return _result(np.clip(value, -1, 1), _either(untied_y == 0, untied_x == 0, Undefined.ALL_TIED_ESTIMATE))


def tau_e(y: Floats, x: Floats, wy: Tolerance = EXACT, wx: Tolerance = EXACT) -> Result:
    """radja2018 (5.1), (6.6)."""
    c = pair_counts(y, x, wy, wx)
    tied_in_both = c.concordant + c.discordant + c.tied_estimate + c.tied_truth - _pairs(y)
    return _result(1 - 2 * (_pairs(y) - c.concordant - tied_in_both) / _pairs(y), [])


def tau_ap(y: Floats, x: Floats, wy: Tolerance = EXACT, wx: Tolerance = EXACT) -> Result:
    """urbano2016 (2), yilmaz2008: no ties."""
    above, _, wrong = pivot_counts(y, x, EXACT, EXACT)
    c = pair_counts(y, x)
    loss = np.divide(wrong, above, out=np.zeros(y.shape), where=above > 0).sum(-1)
    return _result(1 - 2 * loss / (y.shape[-1] - 1),
                   _either(c.tied_estimate > 0, c.tied_truth > 0, Undefined.TIED_ESTIMATE))  # fmt: skip


def tau_ap_a(y: Floats, x: Floats, wy: Tolerance = EXACT, wx: Tolerance = EXACT) -> Result:
    """radja2018 (4.4); with thresholds (6.2)."""
    _, right, wrong = pivot_counts(y, x, wy, wx)
    over, size = subgroups(y, wy)
    return _result((mean_inverse(over, size) * (right - wrong)).sum(-1) / (y.shape[-1] - 1), [])


def tau_ap_ties(y: Floats, x: Floats, wy: Tolerance, wx: Tolerance, ties_are_zero: bool) -> Floats:
    """radja2018 (4.8), (6.5): one direction, walking y. NaN when nothing is above anything."""
    above, right, wrong = pivot_counts(y, x, wy, wx)
    loss = (above - right + wrong) if ties_are_zero else 2 * (above - right)
    share = np.divide(loss, above, out=np.zeros(y.shape), where=above > 0).sum(-1)
    pivots = (above > 0).sum(-1)
    return np.where(pivots > 0, 1 - share / np.maximum(pivots, 1), np.nan)


def tau_ap_b(
    y: Floats, x: Floats, wy: Tolerance = EXACT, wx: Tolerance = EXACT, *, ties_are_zero: bool = False
) -> Result:
    """radja2018 (4.7), (6.4): the mean of the two directions."""
    walking_y, walking_x = tau_ap_ties(y, x, wy, wx, ties_are_zero), tau_ap_ties(x, y, wx, wy, ties_are_zero)
    undefined = _either(np.isnan(walking_y), np.isnan(walking_x), Undefined.ALL_TIED_ESTIMATE)
    return _result((walking_y + walking_x) / 2, undefined)


def tau_ap_e(y: Floats, x: Floats, wy: Tolerance = EXACT, wx: Tolerance = EXACT) -> Result:
    """radja2018 (5.2), (6.7), averaged over the orders of exactly equal estimates."""
    over, size = subgroups(y, EXACT)
    wrong_above, wrong_within = np.zeros(y.shape, np.int64), np.zeros(y.shape, np.int64)
    for rows in blocks(y):
        differ = sign_rows(y, rows, wy) != sign_rows(x, rows, wx)
        wrong_above[..., rows] = (differ & (y[..., None, :] > y[..., rows, None])).sum(-1)
        wrong_within[..., rows] = (differ & (y[..., None, :] == y[..., rows, None])).sum(-1)
    loss = (mean_inverse(over, size) * wrong_above + group_inverse(over, size) * wrong_within).sum(-1)
    return _result(np.clip(1 - 2 * loss / (y.shape[-1] - 1), -1, 1), [])


def unit(scores: Floats) -> Floats:
    """Scores times a power of two, so that squares and sums neither overflow nor vanish."""
    largest = np.abs(scores).max(-1, keepdims=True)
    exponent = np.clip(-np.frexp(largest)[1], -1022, 1022)
    return np.ldexp(scores, np.where(largest == 0, 0, exponent))


def summable(scores: Floats) -> Floats:
    """Scores whose sums of n differences are finite: divided by a power of two where the largest are huge, else as they are."""
    largest = np.abs(scores).max(-1, keepdims=True)
    exponent = 1020 - np.frexp(largest)[1] - np.frexp(float(scores.shape[-1]))[1]
    scaled: Floats = np.ldexp(scores, np.minimum(exponent, 0))
    return scaled


def tau_gap(y: Floats, x: Floats, wy: Tolerance = EXACT, wx: Tolerance = EXACT) -> Result:
    """gao2015 (3): pivots whose gaps are all 0 are left out."""
    x = summable(x)
    right, wrong = np.zeros(y.shape), np.zeros(y.shape)
    for rows in blocks(y):
        gap = np.where(y[..., None, :] > y[..., rows, None], x[..., None, :] - x[..., rows, None], 0.0)
        right[..., rows] = np.where(gap > 0, gap, 0).sum(-1)
        wrong[..., rows] = np.where(gap < 0, -gap, 0).sum(-1)
    gaps = right + wrong
    loss = np.divide(2 * wrong, gaps, out=np.zeros(y.shape), where=gaps > 0).sum(-1)
    pivots = (gaps > 0).sum(-1)
    return _result(1 - loss / np.maximum(pivots, 1), [(pivots == 0, Undefined.NO_PIVOT)])


def pivot_cosines(y: Floats, x: Floats, rows: slice) -> tuple[Floats, Floats, Floats, Floats]:
    """Pearson Rank's ingredients for a block of pivots: unit vectors u (truth) and v (estimate) about each pivot over
    the items above it, their cosine (NaN where 0/0), and the pivot's weight x_i."""
    above = x[..., None, :] > x[..., rows, None]
    vectors = []
    for scores in (x, y):
        difference = np.where(above, scores[..., None, :] - scores[..., rows, None], 0.0)
        largest = np.abs(difference).max(-1, keepdims=True)
        difference = np.divide(difference, largest, out=np.zeros_like(difference), where=largest > 0)
        norm = np.sqrt((difference**2).sum(-1, keepdims=True))
        vectors.append(np.divide(difference, norm, out=np.zeros_like(difference), where=norm > 0))
    u, v = vectors
    usable = (np.abs(u).max(-1) > 0) & (np.abs(v).max(-1) > 0)
    cosine = np.where(usable, np.clip((u * v).sum(-1), -1, 1), np.nan)
    return u, v, cosine, np.broadcast_to(x, y.shape)[..., rows]


def pivot_shares(cosine: Floats, x: Floats) -> Floats:
    """The pivots' weights x_i, 0 where they are left out, relative to the heaviest: their sums neither overflow nor vanish."""
    weights = np.where(np.isnan(cosine) | (x < 0), 0.0, x)
    heaviest = weights.max(-1, keepdims=True)
    shares: Floats = np.divide(weights, heaviest, out=np.zeros(weights.shape), where=heaviest > 0)
    return shares


def pearson_rank(y: Floats, x: Floats, wy: Tolerance = EXACT, wx: Tolerance = EXACT) -> Result:
    """gao2016: pivots that are 0/0 are left out with their weight."""
    negative = np.asarray((x < 0).any(-1))
    y, x = summable(y), summable(x)
    cosines = np.empty(y.shape)
    for rows in blocks(y):
        cosines[..., rows] = pivot_cosines(y, x, rows)[2]
    shares = pivot_shares(cosines, np.broadcast_to(x, y.shape))
    weighted, weight = (shares * np.nan_to_num(cosines)).sum(-1), shares.sum(-1)
    value = weighted / np.where(weight > 0, weight, 1)
    return _result(np.clip(value, -1, 1), [(negative, Undefined.NEGATIVE_TRUTH), (weight <= 0, Undefined.NO_PIVOT)])


def standardise(scores: Floats) -> Floats:
    """Centred scores of length 1; 0 where constant. Centring twice removes what rounding left of the mean."""
    scores = unit(scores)
    for _ in range(2):
        scores = unit(scores - scores.mean(-1, keepdims=True))
    norm = np.sqrt((scores**2).sum(-1, keepdims=True))
    return scores / np.where(norm > 0, norm, 1)


def pearson(y: Floats, x: Floats, wy: Tolerance = EXACT, wx: Tolerance = EXACT) -> Result:
    """Textbook."""
    value = (standardise(y) * standardise(x)).sum(-1)
    constant_y, constant_x = (y == y[..., :1]).all(-1), (x == x[..., :1]).all(-1)
    return _result(np.clip(value, -1, 1), _either(constant_y, constant_x, Undefined.CONSTANT_ESTIMATE))


def midranks(scores: Floats) -> Floats:
    """Ranks from 0 (lowest score), ties at the mean of their places."""
    result = np.empty(scores.shape)
    flat, out = scores.reshape(-1, scores.shape[-1]), result.reshape(-1, scores.shape[-1])
    for row, target in zip(flat, out, strict=True):
        _, inverse, size = np.unique(row, return_inverse=True, return_counts=True)
        target[:] = (np.cumsum(size) - size + (size - 1) / 2)[inverse]
    return result


def spearman(y: Floats, x: Floats, wy: Tolerance = EXACT, wx: Tolerance = EXACT) -> Result:
    """Pearson on mid-ranks."""
    return pearson(midranks(y), midranks(x))
