"""What would one swap cost? The weight of every pair of ranks (gao2015 Figures 4-6)."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from typing import Any

import numpy as np

from .. import kernels
from ..arrays import Floats
from ..errors import CallError, TauscopeError, Undefined
from ..ranking import as_ranking
from ..results import Result, count, number
from ..ties import tolerances
from .correlation import check_tolerance
from .records import Coefficient, catalogue

#: All pairs are swapped one by one: n^3/2 scores.
LIMIT = 2_000
#: Rows of swapped rankings held at once.
_CHUNK = 8_000_000


@dataclass(frozen=True, eq=False, repr=False)
class PairWeights(Result):
    """`values[i, j]`: what the coefficient loses when only the items at places i and j (best first) are swapped."""

    coefficient: Coefficient
    items: tuple[Hashable, ...]
    values: Floats
    rescaled: bool

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        return np.array(self.values, dtype=dtype, copy=copy)

    def lines(self) -> list[str]:
        off = self.values[~np.eye(len(self.items), dtype=bool)]
        if np.isnan(off).all():
            return [f"{self.coefficient} is undefined after every swap: it has ties, or scores it cannot take"]
        place = np.unravel_index(int(np.nanargmax(self.values)), self.values.shape)
        i, j = sorted(int(p) for p in place)
        scale = ", rescaled to [0, 1]" if self.rescaled else ""
        return [
            f"weights of {count(len(self.items) * (len(self.items) - 1) // 2, 'pair')} in {self.coefficient}: 1 - value after one swap{scale}",
            f"heaviest: ranks {i + 1} and {j + 1} ({self.items[i]}, {self.items[j]}) {number(float(self.values[i, j]), 6)}",
        ]

    def columns(self) -> dict[str, Any]:
        i, j = np.triu_indices(len(self.items), 1)
        names = np.array([str(item) for item in self.items], object)
        return {"rank_i": i + 1, "rank_j": j + 1, "item_i": names[i], "item_j": names[j], "weight": self.values[i, j]}

    def cited(self) -> tuple[str, ...]:
        return (self.coefficient.paper, "gao2015")

    def plot(self) -> Any:
        """The heatmap of gao2015 Figures 4-6."""
        from ..figures import heatmap

        ranks = [str(rank) for rank in range(1, len(self.items) + 1)]
        return heatmap(self.values, ranks, ranks, rows="rank", columns="rank", title=self.lines()[0], diverging=False)


def pair_weights(
    ranking: Any, coefficient: str | Coefficient, *, rescale: bool = False, tied_within: Any = None
) -> PairWeights:
    """What would swapping two systems of this ranking cost, for every pair of ranks?

    The ranking is the truth; the estimate is the ranking with the scores of two items exchanged; the cell is 1 - value
    (gao2015, section 4.2). `rescale=True` maps the matrix to [0, 1] as in the paper's heatmaps. Cells that are undefined
    are NaN.

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
    if c.name == "pearson_rank" and data.lower_is_better:
        raise TauscopeError(f"pearson_rank is undefined here: {Undefined.LOWER_IS_BETTER.text(truth='the ranking')}.")
    order = data.order()
    truth = np.ascontiguousarray(data.oriented[order])
    first, second = np.triu_indices(n, 1)
    values = np.zeros((n, n))
    step = max(1, _CHUNK // n)
    for start in range(0, len(first), step):
        i, j = first[start : start + step], second[start : start + step]
        rows = np.tile(truth, (len(i), 1))
        rows[np.arange(len(i)), i], rows[np.arange(len(i)), j] = truth[j], truth[i]
        value, _ = kernels.batch(c.name, rows, truth[None], *within)
        values[i, j] = values[j, i] = 1 - value
    if rescale:
        off = values[first, second]
        defined = off[~np.isnan(off)]
        low, high = (defined.min(), defined.max()) if len(defined) else (0.0, 0.0)
        values = (values - low) / (high - low) if high > low else np.zeros_like(values)
        np.fill_diagonal(values, 0.0)
    return PairWeights(c, tuple(data.labels[place] for place in order), values, rescale)
