"""`correlation_matrix()`: every ranking against every other."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .. import kernels
from ..arrays import Floats, repeated
from ..errors import Advice, AlignmentError, CallError, Option, Undefined
from ..frames import is_frame
from ..ranking import Ranking, align, as_ranking
from ..results import Result, count, number
from ..ties import EXACT, Tolerance, tolerances, within_said
from .batch import as_rows
from .coefficient import Coefficient, with_other_ties
from .correlation import check_tolerance
from .records import catalogue


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class CorrelationMatrix(Result):
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

    coefficient: Coefficient
    names: tuple[str, ...]
    values: Floats
    undefined_because: NDArray[np.int8]
    n: int
    tied_within: tuple[Tolerance, Tolerance] = (EXACT, EXACT)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        return np.array(self.values, dtype=dtype, copy=copy)

    def __getitem__(self, pair: tuple[str, str]) -> float:
        """`matrix["human", "machine"]`: truth first, estimate second."""
        places = {name: place for place, name in enumerate(self.names)}
        try:
            return float(self.values[places[pair[0]], places[pair[1]]])
        except KeyError as lacking:
            raise AlignmentError(
                f"{lacking.args[0]!r} is not among the rankings {', '.join(self.names[:8])}."
            ) from None

    def lines(self) -> list[str]:
        off = self.values[~np.eye(len(self.names), dtype=bool)]
        defined = off[~np.isnan(off)]
        ends = [number(float(end), 4) for end in (defined.min(), defined.max())] if len(defined) else []
        spread = f"from {ends[0]} to {ends[1]}" if ends else "no value"
        rows = "" if self.coefficient.symmetric else "; row = truth, column = estimate"
        between = f"{count(len(self.names), 'ranking')} of {count(self.n, 'item')}"
        lines = [f"{self.coefficient} between {between}: {spread}{rows}"]
        if len(defined) < len(off):
            lines.append(f"undefined: {count(len(off) - len(defined), 'cell')}")
        return lines

    def methods_sentence(self) -> str:
        """The sentence a paper needs: which coefficient between how many rankings, and what its values are.

        Returns
        -------
        str
            One sentence, with the cells that have no value.
        """
        off = self.values[~np.eye(len(self.names), dtype=bool)]
        defined = off[~np.isnan(off)]
        ends = [number(float(end), 4) for end in (defined.min(), defined.max())] if len(defined) else []
        value = f"is from {ends[0]} to {ends[1]}" if ends else "has no value"
        truth = "" if self.coefficient.symmetric else "each of a pair taken once as the truth"
        lost = len(off) - len(defined)
        undefined = f"{count(lost, 'cell')} undefined" if lost else ""
        between = f"between every two of {count(len(self.names), 'ranking')} of {count(self.n, 'item')}"
        beside = self._beside(truth, within_said(self.tied_within), undefined)
        return f"{self.coefficient.full_title} {between} {value}{beside}."

    def columns(self) -> dict[str, Any]:
        names, k = np.array(self.names, object), len(self.names)
        return {"truth": repeated(names, k), "estimate": np.tile(names, k), "value": self.values.ravel()}

    def cited(self) -> tuple[str, ...]:
        return (self.coefficient.paper,)

    def plot(self) -> Any:
        """A heatmap, rows are truths."""
        from ..figures import heatmap

        names = list(self.names)
        return heatmap(self.values, names, names, title=self.lines()[0], rows="truth", columns="estimate")


def correlation_matrix(
    rankings: Any,
    coefficient: str | Coefficient = "tau_b",
    *,
    tied_within: Any = None,
    lower_is_better: bool = False,
    one_sided: str = "error",
    other_ties: str = "discordant",
    threads: int | None = None,
) -> CorrelationMatrix:
    """What is one coefficient of every ranking with every other? Row = truth, column = estimate.

    Parameters
    ----------
    rankings : array of shape (k, n), or dict
        One ranking per row, or named rankings (name -> anything `Ranking` takes), which are matched by the names of
        items.
    coefficient : str or Coefficient, default "tau_b"
        Which coefficient.
    tied_within : float, str or pair, optional
        Scores this close are tied; a pair is (estimate, truth). By default the tolerance that all rankings have.
    lower_is_better : bool, default False
        Whether the best item has the lowest score, in all rankings.
    one_sided : "error" or "drop", default "error"
        What to do with items that not all rankings have: "drop" keeps those that all have, "error" names the others.
    other_ties : "discordant" or "zero", default "discordant"
        How tau_ap_b counts ties of the ranking that is not walked.
    threads : int, optional
        How many threads share the work, by default as many as there are cores; the values do not depend on it.

    Returns
    -------
    CorrelationMatrix

    Raises
    ------
    AlignmentError
        Where the rankings are not of the same items.
    CallError
        Where there is no ranking, or an argument does not fit the coefficient.

    See Also
    --------
    correlate_batch, correlate

    Examples
    --------
    >>> correlation_matrix({"human": [3, 2, 1], "machine": [3, 1, 2]}, "tau")["human", "machine"]
    0.3333333333333333
    """
    c = with_other_ties(catalogue[coefficient], other_ties)
    names, rows, own = _named_rows(rankings, one_sided)
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


def _named_rows(rankings: Any, one_sided: str) -> tuple[tuple[str, ...], Floats, set[Tolerance]]:
    """Names, one ranking per row, and the tolerances of their own."""
    if isinstance(rankings, Mapping):
        named = {str(name): as_ranking(ranking, f"ranking {name!r}") for name, ranking in rankings.items()}
        if not named:
            raise CallError("correlation_matrix() needs at least one ranking.")
        first_name, first = next(iter(named.items()))
        if one_sided == "drop" and first.items is not None:
            shared = set(first.items).intersection(*(set(r.items or ()) for r in named.values()))
            kept = {item: first[item] for item in first.items if item in shared}
            first = Ranking(kept, tied_within=first.tied_within, lower_is_better=first.lower_is_better)
        rows = []
        for name, ranking in named.items():
            aligned = align(first, ranking, names=(f"ranking {first_name!r}", f"ranking {name!r}"), one_sided=one_sided)
            rows.append(aligned.second)
        own = {ranking.tied_within for ranking in named.values()}
        return tuple(named), np.ascontiguousarray(np.stack(rows)), own
    if isinstance(rankings, (list, tuple)) and rankings and isinstance(rankings[0], Ranking):
        return _named_rows({str(place + 1): ranking for place, ranking in enumerate(rankings)}, one_sided)
    if is_frame(rankings):
        raise CallError(
            "`rankings` is a data frame: is a ranking a row of it, or a column?",
            Advice(
                "Give {name: frame[name] for name in frame} where it is a column, frame.to_numpy() where it is a row."
            ),
        )
    rows_array = as_rows(rankings, "`rankings`")
    return tuple(str(place + 1) for place in range(len(rows_array))), rows_array, {EXACT}
