"""Where a coefficient looks: the weight of every pair of places, and the terms of its walk down a ranking."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from ..core import kernels
from ..core.arrays import Floats, tolerances
from ..data.ranking import as_ranking
from ..errors import CallError, TauscopeError, Undefined
from ..results import Plain
from .coefficient import Coefficient
from .correlation import check_tolerance
from .records import catalogue


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
LIMIT = 2_000
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
    c = catalogue[coefficient]
    data = as_ranking(ranking, "`ranking`")
    within = tolerances(tied_within, (data.tied_within, data.tied_within))
    check_tolerance(c, within)
    n = len(data)
    if n < 2:
        raise CallError(f"pair_weights() swaps two items; the ranking has {n}.")
    if n > LIMIT:
        raise TauscopeError(
            f"pair_weights() tries every swap and takes rankings of up to {LIMIT:,} items; this one has {n:,}."
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
