"""Every coefficient's formula in plain NumPy, with its pair terms: the definition, and the twin of each kernel.

A formula takes the scores of `estimate` (y) and `truth` (x), higher is better, of shape (..., n) with a batch in the
leading axes, and the tolerances of both; it returns (values, reasons), NaN where `reasons` is not 0. Its pair terms
take one pair of rankings for which the formula has a value; their losses, weight x (1 - agreement), add up to 1 -
value. Matrices of pairs are [pivot i, other item j], made in blocks of pivots.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..errors import Undefined
from .arrays import EXACT, Bools, Floats, Ints, Tolerance, signs, summable, unit

Result = tuple[Floats, NDArray[np.int8]]

#: How many matrix entries are held at once.
BLOCK = 4_000_000


class PairCounts(NamedTuple):
    """Unordered pairs; pairs tied in both rankings are concordant + discordant + tied_estimate + tied_truth - all."""

    concordant: Ints
    discordant: Ints
    tied_estimate: Ints
    tied_truth: Ints


def pivot_blocks(y: Floats) -> Iterator[slice]:
    """Slice the pivots so that batch x pivots x items stays within `BLOCK`.

    Parameters
    ----------
    y : array
        Scores, items along the last axis.

    Yields
    ------
    slice
        Consecutive pivots, at least one.
    """
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
    """Count concordant, discordant and tied pairs (Kendall's counts, with thresholded signs).

    Parameters
    ----------
    y, x : array
        Scores of estimate and truth, items along the last axis.
    wy, wx : Tolerance, default EXACT
        How close tied scores are in each.

    Returns
    -------
    PairCounts
        Numbers of unordered pairs, with the batch's shape. A pair that both rankings tie is counted as tied in each.

    Examples
    --------
    >>> counts = pair_counts(np.array([3.0, 2.0, 2.0]), np.array([3.0, 1.0, 2.0]))
    >>> [int(count) for count in counts]
    [2, 0, 1, 0]
    """
    n = y.shape[-1]
    agree = against = tied_y = tied_x = np.zeros(y.shape[:-1], np.int64)
    for rows in pivot_blocks(y):
        sy, sx = sign_rows(y, rows, wy), sign_rows(x, rows, wx)
        product = sy * sx
        agree = agree + np.count_nonzero(product > 0, axis=(-2, -1))
        against = against + np.count_nonzero(product < 0, axis=(-2, -1))
        tied_y = tied_y + np.count_nonzero(sy == 0, axis=(-2, -1))
        tied_x = tied_x + np.count_nonzero(sx == 0, axis=(-2, -1))
    return PairCounts(agree // 2, against // 2, (tied_y - n) // 2, (tied_x - n) // 2)


def pivot_counts(y: Floats, x: Floats, wy: Tolerance, wx: Tolerance) -> tuple[Ints, Ints, Ints]:
    """Count, for every pivot, the items above it in y, and how many of them x puts above and below it.

    Parameters
    ----------
    y, x : array
        Scores of the ranking that is walked and of the other one.
    wy, wx : Tolerance
        How close tied scores are in each.

    Returns
    -------
    (array, array, array)
        Items above (all of them), right (x agrees), and wrong (x puts them below); those that x ties are neither.
    """
    above, right, wrong = (np.zeros(y.shape, np.int64) for _ in range(3))
    for rows in pivot_blocks(y):
        sy, sx = sign_rows(y, rows, wy), sign_rows(x, rows, wx)
        above[..., rows] = (sy > 0).sum(-1)
        right[..., rows] = ((sy > 0) & (sx > 0)).sum(-1)
        wrong[..., rows] = ((sy > 0) & (sx < 0)).sum(-1)
    return above, right, wrong


def subgroups(y: Floats, within: Tolerance) -> tuple[Ints, Ints]:
    """Find the sub-groups of items that are tied with exactly the same items (stepping, radja2018 6.1.2).

    Tied items are neighbours in the order of y, so the number of items above by more than the tolerance, and the
    number below, name the set of those tied with an item.

    Parameters
    ----------
    y : array
        Scores, items along the last axis.
    within : Tolerance
        How close tied scores are.

    Returns
    -------
    (array, array)
        For every item the number of items above its sub-group (p_i - 1), and the size of the sub-group (t_i).
    """
    above, below, over, size = (np.zeros(y.shape, np.int64) for _ in range(4))
    for rows in pivot_blocks(y):
        sy = sign_rows(y, rows, within)
        above[..., rows] = (sy > 0).sum(-1)
        below[..., rows] = (sy < 0).sum(-1)
    for rows in pivot_blocks(y):
        same = (above[..., None, :] == above[..., rows, None]) & (below[..., None, :] == below[..., rows, None])
        size[..., rows] = same.sum(-1)
        over[..., rows] = ((y[..., None, :] > y[..., rows, None]) & ~same).sum(-1)
    return over, size


def mean_inverse(above: Ints, size: Ints) -> Floats:
    r"""Average 1/(items above) over the places that the members of a tie group can take.

    .. math:: h_i = \frac{1}{t_i} \sum_{k=1}^{t_i} \frac{1}{p_i + k - 2}

    Parameters
    ----------
    above, size : array of int
        p_i - 1 and t_i, as `subgroups()` returns them.

    Returns
    -------
    array of float
        0 where nothing is above.
    """
    return _by_group(above, size, lambda a, t: float((1.0 / np.arange(a, a + t)).sum()) / t if a else 0.0)


def group_inverse(above: Ints, size: Ints) -> Floats:
    r"""Return the weight of one other member of the pivot's own tie group, averaged over the orders of the group.

    .. math:: g_i = \frac{1}{t_i} \sum_{k=2}^{t_i} \frac{k - 1}{t_i - 1} \cdot \frac{1}{p_i + k - 2}

    Parameters
    ----------
    above, size : array of int
        p_i - 1 and t_i, as `subgroups()` returns them.

    Returns
    -------
    array of float
        0 for an item that is tied with no other.
    """

    def one(a: int, t: int) -> float:
        k = np.arange(1.0, t)
        return float((k / (a + k)).sum()) / (t * (t - 1)) if t > 1 else 0.0

    return _by_group(above, size, one)


def _by_group(above: Ints, size: Ints, weight) -> Floats:  # type: ignore[no-untyped-def]
    pairs, inverse = np.unique(np.stack([above.ravel(), size.ravel()]), axis=1, return_inverse=True)
    weights = np.array([weight(int(a), int(t)) for a, t in pairs.T])
    return weights[inverse].reshape(above.shape)


def valued(value: Floats, undefined: list[tuple[Bools, Undefined]]) -> Result:
    """Put values and the reasons for being undefined together.

    Parameters
    ----------
    value : array
        Values of the batch.
    undefined : list of (array of bool, Undefined)
        Where there is no value, and why; of several reasons the first counts.

    Returns
    -------
    (array, array of int8)
        Values, NaN where there is a reason; and the reasons, 0 where there is a value.
    """
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
    """Average a formula that takes its weights from one ranking with itself after the rankings were exchanged.

    Parameters
    ----------
    one_way : callable
        The formula of (estimate, truth, tolerances).
    y, x : array
        Scores of estimate and truth.
    wy, wx : Tolerance, default EXACT
        Their tolerances.

    Returns
    -------
    (array, array of int8)
        Values and reasons of a symmetric coefficient.
    """
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


def tau(y: Floats, x: Floats, wy: Tolerance = EXACT, wx: Tolerance = EXACT) -> Result:
    r"""Kendall's tau, for rankings without ties (radja2018 2.1).

    .. math:: \tau = \frac{C - D}{n(n-1)/2}

    Returns
    -------
    (array, array of int8)
        NaN with the reason "tied" where either ranking has a tie; tolerances are not used.
    """
    c = pair_counts(y, x)
    tied = either(c.tied_estimate > 0, c.tied_truth > 0, Undefined.TIED_ESTIMATE)
    return valued((c.concordant - c.discordant) / all_pairs(y), tied)


def tau_a(y: Floats, x: Floats, wy: Tolerance = EXACT, wx: Tolerance = EXACT) -> Result:
    r"""Kendall's tau_a: tied pairs count 0 (radja2018 2.3, with thresholds 6.1).

    .. math:: \tau_a = \frac{C - D}{n(n-1)/2}

    Returns
    -------
    (array, array of int8)
        Always defined; 0 where everything is tied.
    """
    c = pair_counts(y, x, wy, wx)
    return valued((c.concordant - c.discordant) / all_pairs(y), [])


def tau_a_terms(y: Floats, x: Floats, wy: Tolerance = EXACT, wx: Tolerance = EXACT) -> list[Terms]:
    """Of tau and tau_a: every pair counts alike, a tied one 0."""

    def at(i: slice, j: slice) -> Matrix:
        product = signs_at(y, wy, i, j) * signs_at(x, wx, i, j)
        return np.full(product.shape, 1 / all_pairs(y)), product.astype(float)

    return [Terms(at, symmetric=True)]


def tau_b(y: Floats, x: Floats, wy: Tolerance = EXACT, wx: Tolerance = EXACT) -> Result:
    r"""Kendall's tau_b: ties are taken out of the denominator (radja2018 2.4, with thresholds 6.3).

    .. math:: \tau_b = \frac{C - D}{\sqrt{(N - t_Y)(N - t_X)}},\qquad N = n(n-1)/2

    Returns
    -------
    (array, array of int8)
        Undefined where a ranking is all tied.
    """
    c = pair_counts(y, x, wy, wx)
    untied_y, untied_x = all_pairs(y) - c.tied_estimate, all_pairs(y) - c.tied_truth
    # Equal denominators need no root, so that a perfect reversal is exactly -1.
    denominator = np.where(untied_y == untied_x, untied_y, np.sqrt(untied_y) * np.sqrt(untied_x))
    value = (c.concordant - c.discordant) / np.where(denominator == 0, 1, denominator)
    return valued(np.clip(value, -1, 1), either(untied_y == 0, untied_x == 0, Undefined.ALL_TIED_ESTIMATE))


def tau_b_terms(y: Floats, x: Floats, wy: Tolerance = EXACT, wx: Tolerance = EXACT) -> list[Terms]:
    """A cosine of the signs of all pairs."""
    c = pair_counts(y, x, wy, wx)
    norm_y, norm_x = np.sqrt(all_pairs(y) - c.tied_estimate), np.sqrt(all_pairs(y) - c.tied_truth)
    return [
        Terms(lambda i, j: cosine_pairs(signs_at(x, wx, i, j) / norm_x, signs_at(y, wy, i, j) / norm_y), symmetric=True)
    ]


def tau_e(y: Floats, x: Floats, wy: Tolerance = EXACT, wx: Tolerance = EXACT) -> Result:
    r"""The tau for ties that mean "equal" (radja2018 5.1, with thresholds 6.6).

    .. math:: \tau_e = \frac{2}{N} \sum_{i<j} c_{ij} - 1

    where c_ij is 1 if both rankings order the pair alike, or both tie it.

    Returns
    -------
    (array, array of int8)
        Always defined.
    """
    c = pair_counts(y, x, wy, wx)
    tied_in_both = c.concordant + c.discordant + c.tied_estimate + c.tied_truth - all_pairs(y)
    return valued(1 - 2 * (all_pairs(y) - c.concordant - tied_in_both) / all_pairs(y), [])


def tau_e_terms(y: Floats, x: Floats, wy: Tolerance = EXACT, wx: Tolerance = EXACT) -> list[Terms]:
    """Every pair counts alike: 1 where both order it, or both tie it, in the same way."""

    def at(i: slice, j: slice) -> Matrix:
        same = signs_at(y, wy, i, j) == signs_at(x, wx, i, j)
        return np.full(same.shape, 1 / all_pairs(y)), np.where(same, 1.0, -1.0)

    return [Terms(at, symmetric=True)]


def gamma(y: Floats, x: Floats, wy: Tolerance = EXACT, wx: Tolerance = EXACT) -> Result:
    r"""Goodman and Kruskal's gamma: pairs that neither ranking ties (goodman1954).

    .. math:: \gamma = \frac{C - D}{C + D}

    Returns
    -------
    (array, array of int8)
        Undefined where no pair is untied in both.
    """
    c = pair_counts(y, x, wy, wx)
    ordered = c.concordant + c.discordant
    value = (c.concordant - c.discordant) / np.maximum(ordered, 1)
    return valued(value, [(ordered == 0, Undefined.NOTHING_COUNTS)])


def gamma_terms(y: Floats, x: Floats, wy: Tolerance = EXACT, wx: Tolerance = EXACT) -> list[Terms]:
    """Every pair that neither ranking ties counts alike, the others not at all."""
    c = pair_counts(y, x, wy, wx)

    def at(i: slice, j: slice) -> Matrix:
        product = (signs_at(y, wy, i, j) * signs_at(x, wx, i, j)).astype(float)
        return np.abs(product) / (c.concordant + c.discordant), product

    return [Terms(at, symmetric=True)]


def somers_d(y: Floats, x: Floats, wy: Tolerance = EXACT, wx: Tolerance = EXACT) -> Result:
    r"""Somers' D of the estimate given the truth: pairs that the truth ties do not count (somers1962).

    .. math:: D = \frac{C - D'}{N - t_X}

    where D' are the discordant pairs, and t_X those tied in the truth.

    Returns
    -------
    (array, array of int8)
        Undefined where the truth is all tied.
    """
    c = pair_counts(y, x, wy, wx)
    ordered = all_pairs(y) - c.tied_truth
    value = (c.concordant - c.discordant) / np.maximum(ordered, 1)
    return valued(value, [(ordered == 0, Undefined.ALL_TIED_TRUTH)])


def somers_d_terms(y: Floats, x: Floats, wy: Tolerance = EXACT, wx: Tolerance = EXACT) -> list[Terms]:
    """Every pair that the truth orders counts alike, and one that the estimate ties agrees in nothing."""
    ordered = all_pairs(y) - pair_counts(y, x, wy, wx).tied_truth

    def at(i: slice, j: slice) -> Matrix:
        truth = signs_at(x, wx, i, j).astype(float)
        return np.abs(truth) / ordered, truth * signs_at(y, wy, i, j)

    return [Terms(at, symmetric=True)]


def tau_ap(y: Floats, x: Floats, wy: Tolerance = EXACT, wx: Tolerance = EXACT) -> Result:
    r"""AP correlation, for rankings without ties (yilmaz2008, urbano2016 eq. 2).

    .. math:: \tau_{ap} = 1 - \frac{2}{n-1} \sum_{i=2}^{n} \frac{W_i}{i-1}

    where W_i is the number of items above rank i of the estimate that the truth puts below it.

    Returns
    -------
    (array, array of int8)
        NaN with the reason "tied" where either ranking has a tie.
    """
    above, _, wrong = pivot_counts(y, x, EXACT, EXACT)
    c = pair_counts(y, x)
    loss = np.divide(wrong, above, out=np.zeros(y.shape), where=above > 0).sum(-1)
    tied = either(c.tied_estimate > 0, c.tied_truth > 0, Undefined.TIED_ESTIMATE)
    return valued(1 - 2 * loss / (y.shape[-1] - 1), tied)


def tau_ap_a(y: Floats, x: Floats, wy: Tolerance = EXACT, wx: Tolerance = EXACT) -> Result:
    r"""AP correlation averaged over all ways of breaking the ties (radja2018 4.4, with thresholds 6.2).

    .. math:: \tau_{ap,a} = \frac{1}{n-1} \sum_i h_i (R_i - W_i)

    where R_i and W_i are the items above pivot i that the truth puts above and below it, and h_i is that of
    `mean_inverse()`.

    Returns
    -------
    (array, array of int8)
        Always defined; 0 where everything is tied.
    """
    _, right, wrong = pivot_counts(y, x, wy, wx)
    over, size = subgroups(y, wy)
    return valued((mean_inverse(over, size) * (right - wrong)).sum(-1) / (y.shape[-1] - 1), [])


def tau_ap_a_terms(y: Floats, x: Floats, wy: Tolerance = EXACT, wx: Tolerance = EXACT) -> list[Terms]:
    """Of tau_ap and tau_ap_a: items of the pivot's own group have a weight, and agree in nothing."""
    over, weights = _places(y, wy)

    def at(i: slice, j: slice) -> Matrix:
        product = signs_at(y, wy, i, j) * signs_at(x, wx, i, j)
        return weights(i, j), np.where(over[None, j] == over[i, None], 0.0, product)

    return [Terms(at, symmetric=False)]


def _places(y: Floats, within: Tolerance) -> tuple[Ints, Callable[[slice, slice], Floats]]:
    """How many items are above each sub-group, and the weights of pairs: means of 1/(items above) over the orders of
    the pivot's sub-group."""
    n = len(y)
    over, size = subgroups(y, within)
    outside, inside = mean_inverse(over, size) / (n - 1), group_inverse(over, size) / (n - 1)
    places = np.arange(n)

    def weights(i: slice, j: slice) -> Floats:
        above = np.where(y[None, j] > y[i, None], outside[i, None], 0.0)
        weight = np.where(over[None, j] == over[i, None], inside[i, None], above)
        weight[places[None, j] == places[i, None]] = 0.0
        return weight

    return over, weights


def tau_ap_ties(y: Floats, x: Floats, wy: Tolerance, wx: Tolerance, ties_are_zero: bool) -> Floats:
    """Walk one ranking and compare it with the other: one direction of tau_ap_b (radja2018 4.8, with thresholds 6.5).

    Parameters
    ----------
    y, x : array
        The ranking that is walked, and the other one.
    wy, wx : Tolerance
        Their tolerances.
    ties_are_zero : bool
        Whether a pair that x ties counts 0; otherwise it counts as discordant.

    Returns
    -------
    array
        NaN where nothing stands above anything.
    """
    above, right, wrong = pivot_counts(y, x, wy, wx)
    loss = (above - right + wrong) if ties_are_zero else 2 * (above - right)
    share = np.divide(loss, above, out=np.zeros(y.shape), where=above > 0).sum(-1)
    pivots = (above > 0).sum(-1)
    return np.where(pivots > 0, 1 - share / np.maximum(pivots, 1), np.nan)


def tau_ap_b(
    y: Floats, x: Floats, wy: Tolerance = EXACT, wx: Tolerance = EXACT, *, ties_are_zero: bool = False
) -> Result:
    """AP correlation of two observers: the mean of walking either ranking (radja2018 4.7, with thresholds 6.4).

    Parameters
    ----------
    y, x : array
        Scores of the two rankings.
    wy, wx : Tolerance, default EXACT
        Their tolerances.
    ties_are_zero : bool, default False
        How ties of the ranking that is not walked count, as in `tau_ap_ties()`.

    Returns
    -------
    (array, array of int8)
        Undefined where a ranking is all tied.
    """
    walking_y, walking_x = tau_ap_ties(y, x, wy, wx, ties_are_zero), tau_ap_ties(x, y, wx, wy, ties_are_zero)
    undefined = either(np.isnan(walking_y), np.isnan(walking_x), Undefined.ALL_TIED_ESTIMATE)
    return valued((walking_y + walking_x) / 2, undefined)


def tau_ap_b_terms(
    y: Floats, x: Floats, wy: Tolerance = EXACT, wx: Tolerance = EXACT, *, ties_are_zero: bool = False
) -> list[Terms]:
    """Both directions, each with half of the weight."""
    return [_one_way_terms(y, x, wy, wx, ties_are_zero, 0), _one_way_terms(x, y, wx, wy, ties_are_zero, 1)]


def _one_way_terms(y: Floats, x: Floats, wy: Tolerance, wx: Tolerance, ties_are_zero: bool, walk: int) -> Terms:
    above, _, _ = pivot_counts(y, x, wy, wx)
    share = np.divide(0.5 / np.count_nonzero(above), above, out=np.zeros(len(y)), where=above > 0)

    def at(i: slice, j: slice) -> Matrix:
        sy, sx = signs_at(y, wy, i, j), signs_at(x, wx, i, j)
        agreement = sx.astype(float) if ties_are_zero else np.where(sx > 0, 1.0, -1.0)
        return np.where(sy > 0, share[i, None], 0.0), agreement

    return Terms(at, symmetric=False, walk=walk)


def tau_ap_e(y: Floats, x: Floats, wy: Tolerance = EXACT, wx: Tolerance = EXACT) -> Result:
    """AP correlation for ties that mean "equal" (radja2018 5.2, with thresholds 6.7).

    As tau_ap, but a pair above a pivot is wrong unless both rankings order it alike or both tie it. It is averaged
    over the orders of exactly equal estimates.

    Returns
    -------
    (array, array of int8)
        Always defined.
    """
    over, size = subgroups(y, EXACT)
    wrong_above, wrong_within = np.zeros(y.shape, np.int64), np.zeros(y.shape, np.int64)
    for rows in pivot_blocks(y):
        differ = sign_rows(y, rows, wy) != sign_rows(x, rows, wx)
        wrong_above[..., rows] = (differ & (y[..., None, :] > y[..., rows, None])).sum(-1)
        wrong_within[..., rows] = (differ & (y[..., None, :] == y[..., rows, None])).sum(-1)
    loss = (mean_inverse(over, size) * wrong_above + group_inverse(over, size) * wrong_within).sum(-1)
    return valued(np.clip(1 - 2 * loss / (y.shape[-1] - 1), -1, 1), [])


def tau_ap_e_terms(y: Floats, x: Floats, wy: Tolerance = EXACT, wx: Tolerance = EXACT) -> list[Terms]:
    """As tau_ap_a's, over the orders of exactly equal estimates; both order, or both tie, the pair, or it is wrong."""
    _, weights = _places(y, EXACT)

    def at(i: slice, j: slice) -> Matrix:
        return weights(i, j), np.where(signs_at(y, wy, i, j) == signs_at(x, wx, i, j), 1.0, -1.0)

    return [Terms(at, symmetric=False)]


def weighted_tau(y: Floats, x: Floats, wy: Tolerance = EXACT, wx: Tolerance = EXACT) -> Result:
    r"""Kendall's tau with hyperbolic weights by the ranks of the truth (vigna2015).

    .. math:: \tau_h = \frac{\langle y, x \rangle_w}{\sqrt{\langle y, y \rangle_w \langle x, x \rangle_w}},\qquad
              w_{ij} = \frac{1}{1 + r_i} + \frac{1}{1 + r_j}

    where r_i is the rank of item i in the truth, from 0, and the products are over signs of pairs. `both_ways()` makes
    the symmetric coefficient of it.

    Returns
    -------
    (array, array of int8)
        Undefined where a ranking is all tied.
    """
    _, agreed, norm_y, norm_x = _weighted_sums(y, x)
    norm = np.where(norm_y == norm_x, norm_y, np.sqrt(norm_y) * np.sqrt(norm_x))  # equal ones need no root
    undefined = either(norm_y == 0, norm_x == 0, Undefined.ALL_TIED_ESTIMATE)
    return valued(np.clip(agreed / np.where(norm > 0, norm, 1), -1, 1), undefined)


def weighted_tau_terms(y: Floats, x: Floats, wy: Tolerance = EXACT, wx: Tolerance = EXACT) -> list[Terms]:
    """A cosine of the signs of pairs, each with the sum of its items' weights."""
    weights, _, norm_y, norm_x = _weighted_sums(y, x)

    def at(i: slice, j: slice) -> Matrix:
        root = np.sqrt(weights[i, None] + weights[None, j])
        return cosine_pairs(
            root * signs_at(x, wx, i, j) / np.sqrt(norm_x), root * signs_at(y, wy, i, j) / np.sqrt(norm_y)
        )

    return [Terms(at, symmetric=True)]


def _weighted_sums(y: Floats, x: Floats) -> tuple[Floats, ...]:
    """Weights 1/(1 + rank in x), and with them the sums of agreements, and of untied pairs of y and of x."""
    counts = np.zeros((3, *y.shape))
    for rows in pivot_blocks(y):
        sy, sx = sign_rows(y, rows, EXACT), sign_rows(x, rows, EXACT)
        counts[..., rows] = [signs.sum(-1) for signs in (sy * sx, abs(sy), abs(sx))]
    weights = 1 / (1 + np.argsort(np.lexsort((-y, -x))))  # items that x ties stand in the order of y
    return weights, *(weights * counts).sum(-1)


def spans(scores: Floats, scaled: Floats, above: Bools, rows: slice) -> tuple[Floats, Bools]:
    """[pivot, item] = the item's score minus the pivot's where it is `above`, else 0; and which pivots have them as
    they are.

    Where a sum of them would not be finite, the pivot has those of `summable` scores: only there, because scaling makes
    scores equal that are tiny beside the largest.
    """
    with np.errstate(over="ignore", invalid="ignore"):
        found = np.where(above, scores[..., None, :] - scores[..., rows, None], 0.0)
        plain = np.isfinite(np.abs(found).sum(-1))
    if not plain.all():
        others = np.where(above, scaled[..., None, :] - scaled[..., rows, None], 0.0)
        found = np.where(plain[..., None], found, others)
    return found, plain


def span_at(scores: Floats, scaled: Floats, plain: Bools, i: slice, j: slice) -> Floats:
    """The same for some pivots of one ranking and some other items, whether above or not."""
    with np.errstate(over="ignore"):
        return np.where(plain[i, None], scores[None, j] - scores[i, None], scaled[None, j] - scaled[i, None])


def tau_gap(y: Floats, x: Floats, wy: Tolerance = EXACT, wx: Tolerance = EXACT) -> Result:
    r"""AP correlation in which each pair counts by the gap of its true scores (gao2015 eq. 3).

    .. math:: \tau_{gap} = 1 - \frac{2}{|P|} \sum_{i \in P}
              \frac{\sum_{j \in W_i} |x_j - x_i|}{\sum_{j \in A_i} |x_j - x_i|}

    where A_i are the items above pivot i of the estimate, W_i those of them that the truth puts below it, and P the
    pivots whose gaps are not all 0.

    Returns
    -------
    (array, array of int8)
        Undefined where no gap counts.
    """
    scaled = summable(x)
    right, wrong = np.zeros(y.shape), np.zeros(y.shape)
    for rows in pivot_blocks(y):
        gap, _ = spans(x, scaled, y[..., None, :] > y[..., rows, None], rows)
        right[..., rows] = np.where(gap > 0, gap, 0).sum(-1)
        wrong[..., rows] = np.where(gap < 0, -gap, 0).sum(-1)
    gaps = right + wrong
    # Twice a gap may be no number: the quotient first.
    loss = 2 * np.divide(wrong, gaps, out=np.zeros(y.shape), where=gaps > 0)
    pivots = (gaps > 0).sum(-1)
    return valued(1 - loss.sum(-1) / np.maximum(pivots, 1), [(pivots == 0, Undefined.NOTHING_COUNTS)])


def tau_gap_terms(y: Floats, x: Floats, wy: Tolerance = EXACT, wx: Tolerance = EXACT) -> list[Terms]:
    """The gaps above each pivot, as shares of their sum."""
    scaled, gaps, plain = summable(x), np.empty(len(y)), np.empty(len(y), bool)
    for rows in pivot_blocks(y):
        gap, plain[rows] = spans(x, scaled, y[None, :] > y[rows, None], rows)
        gaps[rows] = np.abs(gap).sum(-1)
    total, pivots = np.where(gaps > 0, gaps, np.inf), max(1, int(np.count_nonzero(gaps)))

    def at(i: slice, j: slice) -> Matrix:
        gap = span_at(x, scaled, plain, i, j)
        weight = np.where(y[None, j] > y[i, None], np.abs(gap), 0.0) / total[i, None] / pivots
        return weight, np.sign(gap)

    return [Terms(at, symmetric=False)]


def pivot_cosines(y: Floats, x: Floats, rows: slice) -> tuple[Floats, Floats, Floats, Floats]:
    """Pearson Rank's ingredients for a block of pivots: unit vectors u (truth) and v (estimate) about each pivot over
    the items above it, their cosine (NaN where 0/0), and the pivot's weight x_i."""
    above = x[..., None, :] > x[..., rows, None]
    vectors = []
    for scores in (x, y):
        difference, _ = spans(scores, summable(scores), above, rows)
        largest = np.abs(difference).max(-1, keepdims=True)
        difference = np.divide(difference, largest, out=np.zeros_like(difference), where=largest > 0)
        norm = np.sqrt((difference**2).sum(-1, keepdims=True))
        vectors.append(np.divide(difference, norm, out=np.zeros_like(difference), where=norm > 0))
    u, v = vectors
    usable = (np.abs(u).max(-1) > 0) & (np.abs(v).max(-1) > 0)
    cosine = np.where(usable, np.clip((u * v).sum(-1), -1, 1), np.nan)
    return u, v, cosine, np.broadcast_to(x, y.shape)[..., rows]


def pivot_shares(cosine: Floats, x: Floats) -> Floats:
    """The pivots' weights x_i, 0 where they are left out, relative to the heaviest: their sums neither overflow nor
    vanish."""
    weights = np.where(np.isnan(cosine) | (x < 0), 0.0, x)
    heaviest = weights.max(-1, keepdims=True)
    shares: Floats = np.divide(weights, heaviest, out=np.zeros(weights.shape), where=heaviest > 0)
    return shares


def pearson_rank(y: Floats, x: Floats, wy: Tolerance = EXACT, wx: Tolerance = EXACT) -> Result:
    """gao2016: pivots that are 0/0 are left out with their weight."""
    negative = np.asarray((x < 0).any(-1))
    cosines = np.empty(y.shape)
    for rows in pivot_blocks(y):
        cosines[..., rows] = pivot_cosines(y, x, rows)[2]
    shares = pivot_shares(cosines, np.broadcast_to(x, y.shape))
    weighted, weight = (shares * np.nan_to_num(cosines)).sum(-1), shares.sum(-1)
    value = weighted / np.where(weight > 0, weight, 1)
    return valued(
        np.clip(value, -1, 1), [(negative, Undefined.NEGATIVE_TRUTH), (weight <= 0, Undefined.NOTHING_COUNTS)]
    )


def pearson_rank_terms(y: Floats, x: Floats, wy: Tolerance = EXACT, wx: Tolerance = EXACT) -> list[Terms]:
    """A weighted mean of cosines, one for each pivot."""
    cosines, scaled = np.empty(len(y)), [summable(scores) for scores in (x, y)]
    plain, scales = np.ones((2, len(y)), bool), np.ones((2, 2, len(y)))
    for rows in pivot_blocks(y):
        cosines[rows] = pivot_cosines(y, x, rows)[2]
        for side, scores in enumerate((x, y)):
            difference, plain[side, rows] = spans(scores, scaled[side], x[None, :] > x[rows, None], rows)
            scales[side, :, rows] = _lengths(difference)
    share = pivot_shares(cosines, x)
    share /= share.sum()  # of a coefficient that has a value: not 0

    def at(i: slice, j: slice) -> Matrix:
        above = (x[None, j] > x[i, None]) & (share[i, None] > 0)
        u, v = (
            np.where(above, span_at(scores, scaled[side], plain[side], i, j), 0.0)
            / scales[side, 0, i, None]
            / scales[side, 1, i, None]
            for side, scores in enumerate((x, y))
        )
        weight, agreement = cosine_pairs(u, v)
        return weight * share[i, None], agreement

    return [Terms(at, symmetric=False, walk=1)]


def _lengths(difference: Floats) -> Floats:
    """The length of each pivot's differences, as the largest of them and what is left, 2 x pivots: their product need
    not be a number that exists. 1 where there are none."""
    largest = np.abs(difference).max(-1)
    largest = np.where(largest > 0, largest, 1.0)
    rest = np.sqrt(((difference / largest[:, None]) ** 2).sum(-1))
    return np.stack([largest, np.where(rest > 0, rest, 1.0)])


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
    return valued(np.clip(value, -1, 1), either(constant_y, constant_x, Undefined.CONSTANT_ESTIMATE))


def pearson_terms(y: Floats, x: Floats, wy: Tolerance = EXACT, wx: Tolerance = EXACT) -> list[Terms]:
    """A cosine: centred scores of length 1, whose squared differences sum to n over all pairs."""
    v, u = (standardise(s) / np.sqrt(len(s)) for s in (y, x))
    return [Terms(lambda i, j: cosine_pairs(u[None, j] - u[i, None], v[None, j] - v[i, None]), symmetric=True)]


def midranks(scores: Floats) -> Floats:
    """Ranks from 0 (lowest score), ties at the mean of their places."""
    result = np.empty(scores.shape)
    flat, out = scores.reshape(-1, scores.shape[-1]), result.reshape(-1, scores.shape[-1])
    order = np.argsort(flat, axis=1, kind="stable")
    ordered = np.take_along_axis(flat, order, axis=1)
    np.put_along_axis(out, order, np.arange(flat.shape[1], dtype=float)[None], axis=1)
    tied = (ordered[:, 1:] == ordered[:, :-1]).any(axis=1) | np.isnan(ordered[:, -1:]).any(axis=1)
    for row, target in zip(flat[tied], np.flatnonzero(tied), strict=True):
        _, inverse, size = np.unique(row, return_inverse=True, return_counts=True)
        out[target] = (np.cumsum(size) - size + (size - 1) / 2)[inverse]
    return result


def spearman(y: Floats, x: Floats, wy: Tolerance = EXACT, wx: Tolerance = EXACT) -> Result:
    """Pearson on mid-ranks."""
    return pearson(midranks(y), midranks(x))


def spearman_terms(y: Floats, x: Floats, wy: Tolerance = EXACT, wx: Tolerance = EXACT) -> list[Terms]:
    """Pearson's on mid-ranks."""
    return pearson_terms(midranks(y), midranks(x))
