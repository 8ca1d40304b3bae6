"""The one table behind every coefficient: `1 - value = sum of pair losses`, pair by pair.

A loss is weight x (1 - agreement). For weighted means of agreements the weights are those of the formula; for cosines
of pair differences with unit vectors u and v they are (u² + v²)/2, and the agreement is 2uv/(u² + v²). Weights sum to
1. A walk adds the losses up from the top of a ranking to its bottom, and `PairWeights` has what a coefficient loses
where only two items are exchanged.
"""

from __future__ import annotations

import heapq
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..core import checking, kernels
from ..core.arrays import EXACT, Floats, Ints, sums_by, tolerances
from ..core.formulas import Terms, midranks, pivot_blocks, signs_at
from ..data.ranking import Aligned, as_ranking
from ..errors import Advice, CallError, TauscopeError, Undefined
from ..results import Plain
from .coefficient import Coefficient, check_tolerance

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
    """What does one pair of items cost?

    Attributes
    ----------
    first, second : hashable
        The names of the items; `first` stands above `second` in the ranking that is walked, elsewhere in the estimate.
    weight : float
        The share of the pair in the coefficient; weights add up to 1.
    agreement : float
        From -1, where the rankings contradict each other, to 1, where they agree.
    loss : float
        weight * (1 - agreement); losses add up to 1 - value.
    """

    first: Hashable
    second: Hashable
    weight: float
    agreement: float
    loss: float


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class PairTable(Plain):
    """Which share has every pair of items in 1 - value? Losses add up to it.

    Iterating gives a `Pair` for every entry. Walking coefficients have entries where something is above a pivot; a
    coefficient that walks both rankings has two entries for each pair, one for each walk.

    Attributes
    ----------
    items : tuple
        The names of the items, to which `first` and `second` are places.
    first, second : array of int
        The items of each entry; `first` stands above `second` in the ranking that is walked, elsewhere in the estimate.
    weight, agreement, loss : array of float
        loss = weight * (1 - agreement), agreement from -1 to 1; weights add up to 1.
    walk : array of int
        0 for a walk through the estimate, or no walk at all, and 1 for a walk through the truth.

    Examples
    --------
    >>> from tauscope import tau
    >>> [round(pair.loss, 4) for pair in tau([3, 2, 1], [3, 1, 2]).pairs]
    [0.0, 0.0, 0.6667]
    """

    QUESTION: ClassVar[str] = "pairs"

    items: tuple[Hashable, ...]
    first: Ints
    second: Ints
    weight: Floats
    agreement: Floats
    loss: Floats
    walk: NDArray[np.int8]

    def __len__(self) -> int:
        return len(self.weight)

    @property
    def total(self) -> float:
        """The sum of all losses, 1 - value."""
        return float(self.loss.sum())

    def __iter__(self) -> Iterator[Pair]:
        for row in zip(self.first, self.second, self.weight, self.agreement, self.loss, strict=True):
            yield Pair(self.items[row[0]], self.items[row[1]], float(row[2]), float(row[3]), float(row[4]))

    def heaviest(self, k: int = 10) -> list[Pair]:
        """Which pairs cost most, the costliest first? Two entries of one pair are added up.

        Parameters
        ----------
        k : int, default 10
            How many of them.

        Returns
        -------
        list of Pair
        """
        k, n = checking.whole(k, "k", least=1), len(self.items)
        key = np.minimum(self.first, self.second) * n + np.maximum(self.first, self.second)
        pairs, index, inverse = np.unique(key, return_index=True, return_inverse=True)
        sums = [
            sums_by(inverse, values, len(pairs)) for values in (self.loss, self.weight, self.weight * self.agreement)
        ]
        return _top(list(zip(*sums, self.first[index], self.second[index], strict=True)), self.items, k)

    def columns(self) -> dict[str, Any]:
        labels = np.array([str(item) for item in self.items], dtype=object)
        order = np.argsort(-self.loss, kind="stable")
        return {
            "first": labels[self.first[order]],
            "second": labels[self.second[order]],
            "weight": self.weight[order],
            "agreement": self.agreement[order],
            "loss": self.loss[order],
            "walk": np.array(["estimate", "truth"], object)[self.walk[order]],
        }

    def to_dict(self) -> dict[str, Any]:
        return {"pairs": [pair._asdict() | {"first": str(pair.first), "second": str(pair.second)} for pair in self]}


class Explained(Plain):
    """What results of a coefficient share: `1 - value` is a sum of losses of pairs, which is made when it is asked
    for."""

    _data: Aligned

    @property
    def items(self) -> tuple[Hashable, ...]:
        """The items compared, in the order of the estimate's input."""
        return self._data.labels

    def _terms(self) -> list[Terms]:
        """The entries of the table; an error where the coefficient is undefined."""
        raise TypeError(f"{type(self).__name__} must define _terms()")

    @property
    def ranks(self) -> tuple[Floats, Floats]:
        """Ranks of the items in both rankings, 1 for the best, ties at the mean of their places."""
        one, two = (midranks(-scores) + 1 for scores in (self._data.first, self._data.second))
        return one, two

    @cached_property
    def pairs(self) -> PairTable:
        """Every pair with its weight, agreement and loss; losses add up to 1 - value."""
        return pair_table(self._terms(), self._data.first, self.items)

    def heaviest(self, k: int = 10) -> list[Pair]:
        """Which pairs cost most, the costliest first? The table of all pairs is not kept.

        Parameters
        ----------
        k : int, default 10
            How many pairs.

        Returns
        -------
        list of Pair
            Losses of one pair in two walks are added up.

        Raises
        ------
        TauscopeError
            Where the coefficient is undefined: there are no losses then.

        Examples
        --------
        >>> from tauscope import tau
        >>> tau({"A": 3, "B": 2, "C": 1}, {"A": 3, "B": 1, "C": 2}).heaviest(1)[0].second
        'C'
        """
        return heaviest(self._terms(), self._data.first, self.items, k)


def pair_blocks(terms: Sequence[Terms], y: Floats) -> Iterator[PairBlock]:
    """Make every entry of the table of pairs, in blocks of pivots.

    Parameters
    ----------
    terms : sequence of Terms
        The pair terms of a coefficient, one for each walk.
    y : array
        Scores of the estimate.

    Yields
    ------
    PairBlock
        Entries with their weights and agreements; those without weight are left out of walks.
    """
    everything, places = slice(0, len(y)), np.arange(len(y))
    for term in terms:
        for rows in pivot_blocks(y):
            weight, agreement = term.at(rows, everything)
            if not term.symmetric:
                pivot, other = np.nonzero(weight)
                yield PairBlock(other, pivot + rows.start, weight[pivot, other], agreement[pivot, other], term.walk)
                continue
            pivot, other = np.nonzero(places[None, :] > places[rows, None])
            first, second = pivot + rows.start, other
            lower = y[first] < y[second]  # `first` is the one that the estimate puts higher
            first, second = np.where(lower, second, first), np.where(lower, first, second)
            yield PairBlock(first, second, weight[pivot, other], agreement[pivot, other], 0)


def pair_table(terms: Sequence[Terms], y: Floats, items: tuple[Hashable, ...]) -> PairTable:
    """Make the table of all pairs.

    Parameters
    ----------
    terms : sequence of Terms
        The pair terms of the coefficient.
    y : array
        Scores of the estimate.
    items : tuple
        Names of the items.

    Returns
    -------
    PairTable

    Raises
    ------
    TauscopeError
        Above `LIMIT` items, where `heaviest()` still works.
    """
    n = len(items)
    if n > LIMIT:
        raise TauscopeError(
            f"{n:,} items have {n * (n - 1) // 2:,} pairs; the table is made up to {LIMIT:,} items.",
            Advice("Use .heaviest(k), which does not keep them.", shell="Use --pairs, which does not keep them."),
        )
    parts = list(pair_blocks(terms, y))
    first, second, weight, agreement = (np.concatenate([part[k] for part in parts]) for k in range(4))
    walk = np.concatenate([np.full(len(part.first), part.walk, np.int8) for part in parts])
    return PairTable(
        items=items,
        first=first.astype(np.int64),
        second=second.astype(np.int64),
        weight=weight,
        agreement=agreement,
        loss=weight * (1 - agreement),
        walk=walk,
    )


def heaviest(terms: Sequence[Terms], y: Floats, items: tuple[Hashable, ...], k: int) -> list[Pair]:
    """Find the pairs that reduce a coefficient most, without keeping the others.

    Parameters
    ----------
    terms : sequence of Terms
        The pair terms of the coefficient.
    y : array
        Scores of the estimate.
    items : tuple
        Names of the items.
    k : int
        How many pairs.

    Returns
    -------
    list of Pair
        The largest loss first; two entries of one pair are added up.
    """
    k, n = checking.whole(k, "k", least=1), len(y)
    everything, places = slice(0, n), np.arange(n)
    kept: list[tuple[float, ...]] = []
    for rows in pivot_blocks(y):
        loss, total, weighted = np.zeros((3, rows.stop - rows.start, n))
        # Whose entry comes first in the table: +1 that of the pivot in the row, -1 that of the pivot in the column.
        side = signs_at(y, EXACT, rows, everything).astype(float) if terms[0].symmetric else np.zeros(loss.shape)
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
    best = heapq.nsmallest(k, entries, key=lambda e: (-e[0], e[3], e[4]))
    return [
        Pair(
            items[int(first)],
            items[int(second)],
            float(weight),
            float(weighted / weight if weight else 0.0),
            float(loss),
        )
        for loss, weight, weighted, first, second in best
    ]


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class PairWeights(Plain):
    """What does a coefficient lose when only two items are swapped? NumPy takes it as the array of its values.

    Attributes
    ----------
    coefficient : Coefficient
        The record of the coefficient.
    items : tuple
        The items, best first.
    values : array of float, n x n
        `values[i, j]`: the loss when only the items at places i and j are swapped.
    rescaled : bool
        Whether the matrix was mapped to [0, 1].
    """

    QUESTION: ClassVar[str] = "weights"

    coefficient: Coefficient
    items: tuple[Hashable, ...]
    values: Floats
    rescaled: bool

    @property
    def off(self) -> Floats:
        """The costs of all swaps."""
        return np.asarray(self.values[~np.eye(len(self.items), dtype=bool)])

    @property
    def heaviest(self) -> tuple[int, int]:
        """The two ranks whose swap costs most."""
        i, j = sorted(int(p) for p in np.unravel_index(int(np.nanargmax(self.values)), self.values.shape))
        return i + 1, j + 1

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        return np.array(self.values, dtype=dtype, copy=copy)

    def columns(self) -> dict[str, Any]:
        i, j = np.triu_indices(len(self.items), 1)
        names = np.array([str(item) for item in self.items], object)
        return {"rank_i": i + 1, "rank_j": j + 1, "item_i": names[i], "item_j": names[j], "weight": self.values[i, j]}

    def cited(self) -> tuple[str, ...]:
        return (self.coefficient.paper, "gao2015")


#: All pairs are swapped one by one: n^3/2 scores.
MOST_SWAPPED = 2_000
#: Rows of swapped rankings held at once.
_CHUNK = 8_000_000


def pair_weights(
    ranking: Any, coefficient: str | Coefficient, *, rescale: bool = False, tied_within: Any = None
) -> PairWeights:
    """What would swapping two systems of this ranking cost, for every pair of ranks?

    The ranking is the truth; the estimate is the ranking with the scores of two items exchanged; the cell is 1 - value
    (gao2015, section 4.2). Cells that are undefined are NaN.
    Do not use it to explain a comparison: it is of one ranking; the losses of two are in `Correlation.pairs`.

    Parameters
    ----------
    ranking : ranking
        Anything `Ranking` takes, of 2 to 2,000 items.
    coefficient : str or Coefficient
        Which coefficient.
    rescale : bool, default False
        Whether to map the matrix to [0, 1], as in the paper's heatmaps.
    tied_within : float, str or pair, optional
        Scores this close are tied. By default the ranking's own tolerance.

    Returns
    -------
    PairWeights

    Raises
    ------
    CallError
        Where the ranking has fewer than two items, or the coefficient takes no tolerance.
    TauscopeError
        Where the ranking is too long, or the coefficient is not defined for it.

    Examples
    --------
    >>> weights = pair_weights({"A": 4, "B": 3, "C": 2, "D": 1}, "tau_ap")
    >>> [round(float(w), 4) for w in weights.values[0]]
    [0.0, 0.6667, 1.3333, 1.6667]
    """
    from .records import catalogue

    c = catalogue[coefficient]
    data = as_ranking(ranking, "`ranking`")
    within = tolerances(tied_within, (data.tied_within, data.tied_within))
    check_tolerance(c, within)
    n = len(data)
    if n < 2:
        raise CallError(f"pair_weights() swaps two items; the ranking has {n}.")
    if n > MOST_SWAPPED:
        raise TauscopeError(
            f"pair_weights() tries every swap and takes rankings of up to {MOST_SWAPPED:,} items; this one has {n:,}."
        )
    if c.weights_are_scores and data.lower_is_better:
        reason = c.why_undefined(Undefined.LOWER_IS_BETTER, truth="the ranking")
        raise TauscopeError(f"{c} is undefined here: {reason}.")
    order = data.order()
    truth = np.ascontiguousarray(data.oriented[order])
    first, second = np.triu_indices(n, 1)
    values = np.zeros((n, n))
    step = max(1, _CHUNK // n)
    for start in range(0, len(first), step):
        i, j = first[start : start + step], second[start : start + step]
        rows = np.tile(truth, (len(i), 1))
        rows[np.arange(len(i)), i], rows[np.arange(len(i)), j] = truth[j], truth[i]
        value, _ = kernels.batch(c, rows, truth[None], *within)
        values[i, j] = values[j, i] = 1 - value
    if rescale:
        off = values[first, second]
        defined = off[~np.isnan(off)]
        low, high = (defined.min(), defined.max()) if len(defined) else (0.0, 0.0)
        values = (values - low) / (high - low) if high > low else np.zeros_like(values)
        np.fill_diagonal(values, 0.0)
    items = tuple(data.labels[place] for place in order)
    return PairWeights(coefficient=c, items=items, values=values, rescaled=rescale)


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Walk(Plain):
    """Where, from the head of a ranking to its tail, does a coefficient lose?

    Contributions add up to the value and losses to 1 - value; of a coefficient that walks both rankings, each walk adds
    up to half of that of its direction.

    Attributes
    ----------
    coefficient : str
        The name of the coefficient.
    walks : str
        Which ranking is walked, "estimate" or "truth".
    rank : array of float
        The rank of each pivot in that ranking, 1 for the best, ties at the mean of their places.
    item : tuple
        The pivots.
    above : array of float
        Items above the pivot that count; where ties are averaged over orders, those of its own tie group too.
    right : array of float
        How many of them are rightly there.
    contribution, loss : array of float
        What the pivot adds to the value and to 1 - value.
    """

    QUESTION: ClassVar[str] = "walk"

    coefficient: str
    walks: str
    rank: Floats
    item: tuple[Hashable, ...]
    above: Floats
    right: Floats
    contribution: Floats
    loss: Floats

    @property
    def total(self) -> float:
        """The sum of all losses of this walk."""
        return float(self.loss.sum())

    @property
    def half(self) -> float:
        """The rank by which half of the loss has occurred."""
        return float(self.rank[int(np.argmax(np.cumsum(self.loss) >= self.total / 2))])

    def columns(self) -> dict[str, Any]:
        """The walk, one row per pivot."""
        return {
            "rank": self.rank,
            "item": [str(item) for item in self.item],
            "above": self.above,
            "right": self.right,
            "contribution": self.contribution,
            "loss": self.loss,
        }
