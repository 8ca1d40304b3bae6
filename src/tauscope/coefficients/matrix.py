"""`correlation_matrix()`: every ranking against every other."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from .. import kernels
from ..arrays import Floats, repeated
from ..errors import Advice, AlignmentError, CallError, Option, Undefined
from ..frames import is_frame
from ..ranking import Ranking, align, as_ranking
from ..results import Plain
from ..ties import EXACT, Tolerance, tolerances
from .batch import as_rows
from .coefficient import Coefficient, with_other_ties
from .correlation import check_tolerance
from .records import catalogue


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class CorrelationMatrix(Plain):
    """What is one coefficient of every ranking with every other? NumPy takes it as the array of its values.

    `matrix["human", "machine"]` looks up one value: truth first, estimate second.

    Attributes
    ----------
    coefficient : Coefficient
        The record of the coefficient.
    names : tuple of str
        The names of the rankings.
    values : array of float, k x k
        `values[i, j]` has ranking i as the truth and ranking j as the estimate; NaN where it is undefined.
    undefined_because : array of int, k x k
        A member of `Undefined` per cell, 0 where there is a value.
    n : int
        How many items a ranking has.
    tied_within : pair of Tolerance
        The tolerances of estimates and truths.
    """

    QUESTION: ClassVar[str] = "matrix"

    coefficient: Coefficient
    names: tuple[str, ...]
    values: Floats
    undefined_because: NDArray[np.int8]
    n: int
    tied_within: tuple[Tolerance, Tolerance] = (EXACT, EXACT)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        return np.array(self.values, dtype=dtype, copy=copy)

    @property
    def off(self) -> Floats:
        """The values of different rankings, without the diagonal."""
        return np.asarray(self.values[~np.eye(len(self.names), dtype=bool)])

    @property
    def missing(self) -> int:
        """How many of them are undefined."""
        return int(np.isnan(self.off).sum())

    def __getitem__(self, pair: tuple[str, str]) -> float:
        """`matrix["human", "machine"]`: truth first, estimate second."""
        places = {name: place for place, name in enumerate(self.names)}
        try:
            return float(self.values[places[pair[0]], places[pair[1]]])
        except KeyError as lacking:
            raise AlignmentError(
                f"{lacking.args[0]!r} is not among the rankings {', '.join(self.names[:8])}."
            ) from None

    def columns(self) -> dict[str, Any]:
        names, k = np.array(self.names, object), len(self.names)
        return {"truth": repeated(names, k), "estimate": np.tile(names, k), "value": self.values.ravel()}

    def cited(self) -> tuple[str, ...]:
        return (self.coefficient.paper,)


def correlation_matrix(
    rankings: Any,
    coefficient: str | Coefficient = "tau_b",
    *,
    tied_within: Any = None,
    lower_is_better: bool = False,
    unmatched: str = "error",
    other_ties: str = "discordant",
    threads: int | None = None,
) -> CorrelationMatrix:
    """Compute one coefficient of every ranking with every other: row = truth, column = estimate."""
    c = with_other_ties(catalogue[coefficient], other_ties)
    names, rows, own = _named_rows(rankings, unmatched)
    if tied_within is None and len(own) > 1:
        raise CallError(
            "The rankings have different tolerances of their own.",
            Option("tied_within", 0.0, effect="to take none, or another for all"),
        )
    within = tolerances(tied_within, (next(iter(own)),) * 2)
    check_tolerance(c, within, own=tied_within is None)
    if lower_is_better:
        rows = -rows
    kernels.check_size(rows.shape[1], c)
    if c.weights_are_scores and lower_is_better:
        values, codes = np.full((len(rows),) * 2, np.nan), np.full((len(rows),) * 2, Undefined.LOWER_IS_BETTER, np.int8)
    else:
        values, codes = kernels.matrix(c, rows, *within, threads=threads)
    return CorrelationMatrix(
        coefficient=c, names=names, values=values, undefined_because=codes, n=rows.shape[1], tied_within=within
    )


def _named_rows(rankings: Any, unmatched: str) -> tuple[tuple[str, ...], Floats, set[Tolerance]]:
    """Names, one ranking per row, and the tolerances of their own."""
    if isinstance(rankings, Mapping):
        named = {str(name): as_ranking(ranking, f"ranking {name!r}") for name, ranking in rankings.items()}
        if not named:
            raise CallError("correlation_matrix() needs at least one ranking.")
        first_name, first = next(iter(named.items()))
        if unmatched == "drop" and first.items is not None:
            shared = set(first.items).intersection(*(set(r.items or ()) for r in named.values()))
            kept = {item: first[item] for item in first.items if item in shared}
            first = Ranking(kept, tied_within=first.tied_within, lower_is_better=first.lower_is_better)
        rows = []
        for name, ranking in named.items():
            aligned = align(first, ranking, names=(f"ranking {first_name!r}", f"ranking {name!r}"), unmatched=unmatched)
            rows.append(aligned.second)
        own = {ranking.tied_within for ranking in named.values()}
        return tuple(named), np.ascontiguousarray(np.stack(rows)), own
    if isinstance(rankings, (list, tuple)) and rankings and isinstance(rankings[0], Ranking):
        return _named_rows({str(place + 1): ranking for place, ranking in enumerate(rankings)}, unmatched)
    if is_frame(rankings):
        raise CallError(
            "`rankings` is a data frame: is a ranking a row of it, or a column?",
            Advice(
                "Give {name: frame[name] for name in frame} where it is a column, frame.to_numpy() where it is a row."
            ),
        )
    rows_array = as_rows(rankings, "`rankings`")
    return tuple(str(place + 1) for place in range(len(rows_array))), rows_array, {EXACT}
