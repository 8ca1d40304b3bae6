"""The one table behind every coefficient: `1 - value = sum of pair losses`, pair by pair.

A loss is weight x (1 - agreement). For weighted means of agreements the weights are those of the formula; for cosines of
pair differences with unit vectors u and v they are (u² + v²)/2, and the agreement is 2uv/(u² + v²). Weights sum to 1.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .arrays import Floats, Ints
from .errors import CallError, TauscopeError
from .reference import rankings
from .results import Result, count, number
from .ties import EXACT, Tolerance, signs

#: The table of all pairs is made up to this many items; beyond it `heaviest()` streams.
LIMIT = 5_000


class PairBlock(NamedTuple):
    """Some pairs. For walks `second` is the pivot and `first` stands above it; `walk` is 0 for a walk through the
    estimate (or no walk at all), 1 for a walk through the truth."""

    first: Ints
    second: Ints
    weight: Floats
    agreement: Floats
    walk: int

    @property
    def loss(self) -> Floats:
        return self.weight * (1 - self.agreement)


class Pair(NamedTuple):
    """One pair and what it costs."""

    first: Hashable
    second: Hashable
    weight: float
    agreement: float
    loss: float


@dataclass(frozen=True, eq=False, repr=False)
class PairTable(Result):
    """Every pair of items: weight, agreement in [-1, 1], loss; losses add up to 1 - value.

    `first` stands above `second` in the ranking that is walked (elsewhere: in the estimate). Walking coefficients have
    entries where something is above a pivot; tau_ap_b has two entries a pair, one a walk.
    """

    items: tuple[Hashable, ...]
    first: Ints
    second: Ints
    weight: Floats
    agreement: Floats
    loss: Floats
    walk: NDArray[np.int8]

    def __len__(self) -> int:
        return len(self.weight)

    def __iter__(self) -> Iterator[Pair]:
        for row in zip(self.first, self.second, self.weight, self.agreement, self.loss, strict=True):
            yield Pair(self.items[row[0]], self.items[row[1]], float(row[2]), float(row[3]), float(row[4]))

    def heaviest(self, k: int = 10) -> list[Pair]:
        """The k pairs that cost most; two entries of one pair are added up."""
        n = len(self.items)
        key = np.minimum(self.first, self.second) * n + np.maximum(self.first, self.second)
        pairs, index, inverse = np.unique(key, return_index=True, return_inverse=True)
        sums = [
            np.bincount(inverse, values, len(pairs))
            for values in (self.loss, self.weight, self.weight * self.agreement)
        ]
        return _top(list(zip(*sums, self.first[index], self.second[index], strict=True)), self.items, k)

    def columns(self) -> dict[str, Any]:
        labels = np.array([str(item) for item in self.items], dtype=object)
        return {"first": labels[self.first], "second": labels[self.second], "weight": self.weight,
                "agreement": self.agreement, "loss": self.loss, "walk": np.array(["estimate", "truth"], object)[self.walk]}  # fmt: skip

    def to_dict(self) -> dict[str, Any]:
        return {"pairs": [pair._asdict() | {"first": str(pair.first), "second": str(pair.second)} for pair in self]}

    def lines(self) -> list[str]:
        worst = "; ".join(f"{p.first} / {p.second} {number(p.loss, 4)}" for p in self.heaviest(3) if p.loss > 0)
        return [
            f"{count(len(self), 'pair')} of {count(len(self.items), 'item')}, losses add up to {number(float(self.loss.sum()), 6)}",
            f"costliest: {worst or 'none'}",
        ]


Matrix = tuple[Floats, Floats]


class Terms(NamedTuple):
    """A coefficient's entries as a function of places: `at(pivots, others)` gives the matrices of weights and agreements.

    `symmetric`: an entry belongs to the unordered pair; otherwise to (pivot, other), weight 0 where there is none.
    """

    at: Callable[[slice, slice], Matrix]
    symmetric: bool
    walk: int = 0


def pair_terms(
    name: str, y: Floats, x: Floats, wy: Tolerance = EXACT, wx: Tolerance = EXACT, *, ties_are_zero: bool = False
) -> list[Terms]:
    """The pair losses of a coefficient that has a value: y is the estimate, x the truth, higher is better."""
    if name in ("pearson", "spearman"):
        scores = (y, x) if name == "pearson" else (rankings.midranks(y), rankings.midranks(x))
        return [_scores(*scores)]
    if name in ("tau", "tau_a", "tau_b", "tau_e"):
        return [_kendall(name, y, x, wy, wx)]
    if name == "tau_ap_b":
        return [_walk_ties(y, x, wy, wx, ties_are_zero, 0), _walk_ties(x, y, wx, wy, ties_are_zero, 1)]
    if name == "tau_gap":
        return [_walk_gaps(y, x)]
    if name == "pearson_rank":
        return [_walk_truth(y, x)]
    return [_walk_positions(name, y, x, wy, wx)]


def pair_blocks(terms: Sequence[Terms], y: Floats) -> Iterator[PairBlock]:
    """Every entry, in blocks of pivots."""
    everything, places = slice(0, len(y)), np.arange(len(y))
    for term in terms:
        for rows in rankings.blocks(y):
            weight, agreement = term.at(rows, everything)
            if not term.symmetric:
                pivot, other = np.nonzero(weight)
                yield PairBlock(other, pivot + rows.start, weight[pivot, other], agreement[pivot, other], term.walk)
                continue
            pivot, other = np.nonzero(places[None, :] > places[rows, None])
            first, second = pivot + rows.start, other
            lower = y[first] < y[second]  # `first` is the one that the estimate puts higher
            yield PairBlock(np.where(lower, second, first), np.where(lower, first, second), weight[pivot, other],
                            agreement[pivot, other], 0)  # fmt: skip


def pair_table(terms: Sequence[Terms], y: Floats, items: tuple[Hashable, ...]) -> PairTable:
    """All pairs in one table; an error above 5,000 items."""
    n = len(items)
    if n > LIMIT:
        raise TauscopeError(
            f"{n:,} items have {n * (n - 1) // 2:,} pairs; the table is made up to {LIMIT:,} items. "
            "Use .heaviest(k), which does not keep them."
        )
    parts = list(pair_blocks(terms, y))
    first, second, weight, agreement = (np.concatenate([part[k] for part in parts]) for k in range(4))
    walk = np.concatenate([np.full(len(part.first), part.walk, np.int8) for part in parts])
    return PairTable(
        items, first.astype(np.int64), second.astype(np.int64), weight, agreement, weight * (1 - agreement), walk
    )


def heaviest(terms: Sequence[Terms], y: Floats, items: tuple[Hashable, ...], k: int) -> list[Pair]:
    """The k costliest pairs, without keeping the others; two entries of one pair are added up."""
    n = len(y)
    everything, places = slice(0, n), np.arange(n)
    kept: list[tuple[float, ...]] = []
    for rows in rankings.blocks(y):
        loss, total, weighted = np.zeros((3, rows.stop - rows.start, n))
        # Whose entry comes first in the table: +1 that of the pivot in the row, -1 that of the pivot in the column.
        side = _signs(y, EXACT, rows, everything).astype(float) if terms[0].symmetric else np.zeros(loss.shape)
        for term in terms:
            sides = [term.at(rows, everything)]
            if not term.symmetric:
                sides.append(tuple(part.T for part in term.at(everything, rows)))  # type: ignore[arg-type]
                side = np.where(side == 0, np.sign(sides[0][0] - sides[1][0]), side)
            for weight, agreement in sides:
                loss += weight * (1 - agreement)
                total += weight
                weighted += weight * agreement
        loss[(places[None, :] <= places[rows, None]) | ((total == 0) & (not terms[0].symmetric))] = -1.0
        flat = loss.ravel()
        top = np.argpartition(-flat, k)[:k] if len(flat) > k else np.arange(len(flat))
        for index in top[flat[top] >= 0]:
            i, j = divmod(int(index), n)
            row_first = side[i, j] < 0 or (side[i, j] == 0 and terms[0].symmetric)
            first, second = (i + rows.start, j) if row_first else (j, i + rows.start)
            kept.append((loss[i, j], total[i, j], weighted[i, j], first, second))
        kept = heapq.nsmallest(k, kept, key=lambda e: (-e[0], e[3], e[4]))
    return _top(kept, items, k)


def _top(entries: Sequence[tuple[Any, ...]], items: tuple[Hashable, ...], k: int) -> list[Pair]:
    """Pairs from (loss, weight, weighted agreement, first, second), the costliest first."""
    if k < 1:
        raise CallError(f"heaviest({k}): ask for at least one pair.")
    best = heapq.nsmallest(k, entries, key=lambda e: (-e[0], e[3], e[4]))
    return [
        Pair(
            items[int(first)],
            items[int(second)],
            float(weight),
            float(weighted / weight) if weight else 0.0,
            float(loss),
        )
        for loss, weight, weighted, first, second in best
    ]


def _cosine_pairs(u: Floats, v: Floats) -> Matrix:
    """Weight and agreement of pairs of a cosine."""
    weight = (u * u + v * v) / 2
    agreement = np.divide(u * v, weight, out=np.zeros_like(weight), where=weight > 0)
    return weight, np.clip(agreement, -1.0, 1.0)


def _signs(scores: Floats, within: Tolerance, pivots: slice, others: slice) -> NDArray[np.int8]:
    return signs(scores[None, others], scores[pivots, None], within)


def _scores(y: Floats, x: Floats) -> Terms:
    """Pearson: centred scores of length 1, whose squared differences sum to n over all pairs."""
    v, u = (rankings.standardise(s) / np.sqrt(len(s)) for s in (y, x))
    return Terms(lambda i, j: _cosine_pairs(u[None, j] - u[i, None], v[None, j] - v[i, None]), symmetric=True)


def _kendall(name: str, y: Floats, x: Floats, wy: Tolerance, wx: Tolerance) -> Terms:
    all_pairs = len(y) * (len(y) - 1) / 2
    counts = rankings.pair_counts(y, x, wy, wx)
    norm_y, norm_x = np.sqrt(all_pairs - counts.tied_estimate), np.sqrt(all_pairs - counts.tied_truth)

    def at(i: slice, j: slice) -> Matrix:
        sy, sx = _signs(y, wy, i, j), _signs(x, wx, i, j)
        if name == "tau_b":
            return _cosine_pairs(sx / norm_x, sy / norm_y)
        agreement = np.where(sy == sx, 1.0, -1.0) if name == "tau_e" else (sy * sx).astype(float)
        return np.full(sy.shape, 1 / all_pairs), agreement

    return Terms(at, symmetric=True)


def _walk_positions(name: str, y: Floats, x: Floats, wy: Tolerance, wx: Tolerance) -> Terms:
    """tau_ap, tau_ap_a, tau_ap_e: weights are averages of 1/(items above) over the orders of the pivot's group."""
    n = len(y)
    over, size = rankings.subgroups(y, wy if name == "tau_ap_a" else EXACT)
    outside, inside = rankings.mean_inverse(over, size) / (n - 1), rankings.group_inverse(over, size) / (n - 1)
    places = np.arange(n)

    def at(i: slice, j: slice) -> Matrix:
        sy, sx = _signs(y, wy, i, j), _signs(x, wx, i, j)
        same = over[None, j] == over[i, None]
        weight = np.where(same, inside[i, None], np.where(y[None, j] > y[i, None], outside[i, None], 0.0))
        weight[places[None, j] == places[i, None]] = 0.0
        agreement = np.where(sy == sx, 1.0, -1.0) if name == "tau_ap_e" else np.where(same, 0.0, sy * sx)
        return weight, agreement

    return Terms(at, symmetric=False)


def _walk_ties(y: Floats, x: Floats, wy: Tolerance, wx: Tolerance, ties_are_zero: bool, walk: int) -> Terms:
    """One direction of tau_ap_b, walking y; each direction has half of the weight."""
    above, _, _ = rankings.pivot_counts(y, x, wy, wx)
    share = np.divide(0.5 / np.count_nonzero(above), above, out=np.zeros(len(y)), where=above > 0)

    def at(i: slice, j: slice) -> Matrix:
        sy, sx = _signs(y, wy, i, j), _signs(x, wx, i, j)
        agreement = sx.astype(float) if ties_are_zero else np.where(sx > 0, 1.0, -1.0)
        return np.where(sy > 0, share[i, None], 0.0), agreement

    return Terms(at, symmetric=False, walk=walk)


def _walk_gaps(y: Floats, x: Floats) -> Terms:
    x = rankings.summable(x)
    gaps = np.empty(len(y))
    for rows in rankings.blocks(y):
        gaps[rows] = np.where(y[None, :] > y[rows, None], np.abs(x[None, :] - x[rows, None]), 0.0).sum(-1)
    total = np.where(gaps > 0, gaps, np.inf) * max(1, np.count_nonzero(gaps))

    def at(i: slice, j: slice) -> Matrix:
        gap = x[None, j] - x[i, None]
        return np.where(y[None, j] > y[i, None], np.abs(gap), 0.0) / total[i, None], np.sign(gap)

    return Terms(at, symmetric=False)


def _walk_truth(y: Floats, x: Floats) -> Terms:
    """Pearson Rank: a weighted mean of cosines, one a pivot."""
    y, x = rankings.summable(y), rankings.summable(x)
    cosines, scale_x, scale_y = np.empty(len(y)), np.ones((2, len(y))), np.ones((2, len(y)))
    for rows in rankings.blocks(y):
        cosines[rows] = rankings.pivot_cosines(y, x, rows)[2]
        scale_x[:, rows], scale_y[:, rows] = (_lengths(s, x, rows) for s in (x, y))
    share = rankings.pivot_shares(cosines, x)
    share /= share.sum()  # of a coefficient that has a value: not 0

    def at(i: slice, j: slice) -> Matrix:
        above = (x[None, j] > x[i, None]) & (share[i, None] > 0)
        u = np.where(above, x[None, j] - x[i, None], 0.0) / scale_x[0, i, None] / scale_x[1, i, None]
        v = np.where(above, y[None, j] - y[i, None], 0.0) / scale_y[0, i, None] / scale_y[1, i, None]
        weight, agreement = _cosine_pairs(u, v)
        return weight * share[i, None], agreement

    return Terms(at, symmetric=False, walk=1)


def _lengths(scores: Floats, x: Floats, rows: slice) -> tuple[Floats, Floats]:
    """The length of each pivot's differences over the items above it in the truth, as the largest difference and what is
    left: their product need not be a number that exists. 1 where there are none."""
    difference = np.where(x[None, :] > x[rows, None], scores[None, :] - scores[rows, None], 0.0)
    largest = np.abs(difference).max(-1)
    largest = np.where(largest > 0, largest, 1.0)
    rest = np.sqrt(((difference / largest[:, None]) ** 2).sum(-1))
    return largest, np.where(rest > 0, rest, 1.0)
