"""Many rankings at once: rows against a truth, all pairs of rankings, several coefficients of one pair."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .. import kernels
from ..arrays import Floats
from ..errors import AlignmentError, CallError, TauscopeError, Undefined
from ..ranking import Ranking, align, as_ranking
from ..results import Result, count, number
from ..ties import EXACT, Tolerance, tolerances
from .correlation import Correlation, check_other_ties, check_tolerance, evaluate
from .records import Coefficient, catalogue
from .top_k import align_top, check_top_k, unions


@dataclass(frozen=True, eq=False, repr=False)
class Batch(Result):
    """One coefficient of many pairs of rankings: `.values`, NaN where undefined, and a code a row why."""

    coefficient: Coefficient
    values: Floats
    undefined_because: NDArray[np.int8]
    n: int
    tied_within: tuple[Tolerance, Tolerance] = (EXACT, EXACT)
    top_k: int | None = None

    def __len__(self) -> int:
        return len(self.values)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        return np.array(self.values, dtype=dtype, copy=copy)

    def reason(self, row: int) -> str | None:
        """Why a row has no value, in words; None where it has one."""
        code = Undefined(int(self.undefined_because[row]))
        return code.text(n=self._n) if code else None

    @property
    def _n(self) -> int | None:
        """How many items a row compares, where that is the same for all."""
        return self.n if self.top_k is None else None

    def reasons(self) -> dict[str, int]:
        """How many rows are undefined, and why."""
        found = Counter(int(code) for code in self.undefined_because[self.undefined_because != 0])
        return {Undefined(code).text(n=self._n): rows for code, rows in found.most_common()}

    def lines(self) -> list[str]:
        defined = self.values[~np.isnan(self.values)]
        spread = f"mean {number(float(defined.mean()), 4)}, from {number(float(defined.min()), 4)} to {number(float(defined.max()), 4)}" if len(defined) else "no value"  # fmt: skip
        heads = f", top {self.top_k}" if self.top_k else ""
        lines = [f"{self.coefficient} of {count(len(self), 'row')} of {count(self.n, 'item')}{heads}: {spread}"]
        lines += [f"undefined: {count(rows, 'row')}, {reason}" for reason, rows in list(self.reasons().items())[:2]]
        return lines

    def columns(self) -> dict[str, Any]:
        return {"value": self.values, "undefined_because": [self.reason(row) or "" for row in range(len(self))]}

    def to_dict(self) -> dict[str, Any]:
        return {"coefficient": self.coefficient.name, "n": self.n, "values": [None if np.isnan(v) else float(v) for v in self.values],
                "undefined": self.reasons()}  # fmt: skip

    def cited(self) -> tuple[str, ...]:
        return (self.coefficient.paper,)

    def plot(self) -> Any:
        """How the values are spread."""
        from ..figures import histogram

        return histogram(self.values[~np.isnan(self.values)], x=self.coefficient.symbol, title=self.lines()[0])


def _need_truth(function: str, unnamed: tuple[Any, ...], truth: Any) -> None:
    """The call says who is the truth: some coefficients are not symmetric."""
    if unnamed or truth is None:
        raise CallError(
            f"Some coefficients are not symmetric, so {function}() wants to know which is the truth: {function}(…, truth=…)."
        )


def correlate_batch(
    estimates: Any,
    *unnamed: Any,
    truth: Any = None,
    coefficient: str | Coefficient,
    tied_within: Any = 0.0,
    lower_is_better: bool = False,
    other_ties: str = "discordant",
    top_k: int | None = None,
    threads: int | None = None,
) -> Batch:
    """One coefficient of many rankings, a row each, against one truth or a truth a row.

    estimates: (B, n); truth: (n,) or (B, n). No Python runs a row: the rows are shared among `threads` (all cores by
    default; the values do not depend on how many). A row that is not finite, or where the coefficient is not defined, is
    NaN, and `.undefined_because` has a code for it (`.reason(row)` in words). `top_k` compares in each row only the union
    of both top k; an item outside one of them is tied below it there.

    >>> correlate_batch([[1, 2, 3], [3, 2, 1], [1, 1, 1]], truth=[1, 2, 3], coefficient="tau_b").values.tolist()
    [1.0, -1.0, nan]
    """
    _need_truth("correlate_batch", unnamed, truth)
    c = catalogue[coefficient]
    within = tolerances(tied_within)
    check_tolerance(c, within)
    check_other_ties(other_ties)
    rows, gold = _matrix(estimates, "`estimates`"), _matrix(truth, "`truth`", one_row=True)
    if rows.shape[1] != gold.shape[1] or gold.shape[0] not in (1, rows.shape[0]):
        raise AlignmentError(
            f"`estimates` is {rows.shape[0]:,} x {rows.shape[1]:,} and `truth` is {gold.shape[0]:,} x {gold.shape[1]:,}. "
            "The truth is one ranking of the same items, or one a row."
        )
    if c.name == "pearson_rank" and lower_is_better:
        values, codes = np.full(len(rows), np.nan), np.full(len(rows), Undefined.LOWER_IS_BETTER, np.int8)
    else:
        kernels.check_size(rows.shape[1])
        rows, gold = (-rows, -gold) if lower_is_better else (rows, gold)
        zero = other_ties == "zero"
        if top_k is None:
            values, codes = kernels.batch(c.name, rows, gold, *within, ties_are_zero=zero, threads=threads)
        else:
            values, codes = _heads(c, rows, gold, within, check_top_k(c, top_k), zero, threads)
    return Batch(c, values, codes, rows.shape[1], within, top_k)


def _heads(
    c: Coefficient,
    rows: Floats,
    gold: Floats,
    within: tuple[Tolerance, Tolerance],
    k: int,
    zero: bool,
    threads: int | None,
) -> tuple[Floats, NDArray[np.int8]]:
    """The batch on the unions of the top k, rows with unions of one size together."""
    values, codes = np.full(len(rows), np.nan), np.full(len(rows), Undefined.NOT_FINITE, np.int8)
    usable = np.flatnonzero(np.isfinite(rows).all(1) & np.isfinite(np.broadcast_to(gold, rows.shape)).all(1))
    own = gold if len(gold) == 1 else gold[usable]
    for part, y, x in unions(rows[usable], own, k, within):
        at = usable[part]
        values[at], codes[at] = kernels.batch(c.name, y, x, *within, ties_are_zero=zero, threads=threads)
    return values, codes


def _matrix(data: Any, name: str, *, one_row: bool = False) -> Floats:
    """A C-ordered (rows, n) array of floats; NaN is allowed here."""
    try:
        raw = np.asarray(data)
        if raw.dtype.kind in "USV" or (raw.dtype.kind == "O" and any(isinstance(v, (str, bytes)) for v in raw.ravel())):
            raise TypeError
        array = np.asarray(raw, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        raise TauscopeError(f"{name} must be an array of numbers with one ranking a row.") from None
    if array.ndim == 1 and one_row:
        array = array[None]
    if array.ndim != 2:
        raise CallError(f"{name} has {array.ndim} dimensions; it needs two: one ranking a row.")
    return np.ascontiguousarray(array)


@dataclass(frozen=True, eq=False, repr=False)
class CorrelationMatrix(Result):
    """All pairs of k rankings: `values[i, j]` has ranking i as the truth and ranking j as the estimate."""

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
        spread = (
            f"from {number(float(defined.min()), 4)} to {number(float(defined.max()), 4)}"
            if len(defined)
            else "no value"
        )
        rows = "" if self.coefficient.symmetric else "; row = truth, column = estimate"
        lines = [
            f"{self.coefficient} between {count(len(self.names), 'ranking')} of {count(self.n, 'item')}: {spread}{rows}"
        ]
        if len(defined) < len(off):
            lines.append(f"undefined: {count(len(off) - len(defined), 'cell')}")
        return lines

    def columns(self) -> dict[str, Any]:
        k = len(self.names)
        return {"truth": np.repeat(np.array(self.names, object), k), "estimate": np.tile(np.array(self.names, object), k),
                "value": self.values.ravel()}  # fmt: skip

    def cited(self) -> tuple[str, ...]:
        return (self.coefficient.paper,)

    def plot(self) -> Any:
        """A heatmap, rows are truths."""
        from ..figures import heatmap

        return heatmap(self.values, list(self.names), list(self.names), title=self.lines()[0],
                       rows="truth", columns="estimate")  # fmt: skip


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
    """Every ranking against every other: row = truth, column = estimate.

    rankings: an array of one ranking a row (k, n), or named rankings in a dict (name -> anything `Ranking` takes); these
    must be of the same items (one_sided="drop" keeps those that all have). `tied_within` as a pair is (estimate, truth); by default the tolerance that all rankings have.

    >>> correlation_matrix({"human": [3, 2, 1], "machine": [3, 1, 2]}, "tau")["human", "machine"]
    0.3333333333333333
    """
    c = catalogue[coefficient]
    check_other_ties(other_ties)
    names, rows, own = _named_rows(rankings, one_sided)
    within = tolerances(tied_within, (own, own))
    check_tolerance(c, within, own=tied_within is None)
    if lower_is_better:
        rows = -rows
    kernels.check_size(rows.shape[1])
    if c.name == "pearson_rank" and lower_is_better:
        values, codes = np.full((len(rows),) * 2, np.nan), np.full((len(rows),) * 2, Undefined.LOWER_IS_BETTER, np.int8)
    else:
        values, codes = kernels.matrix(
            c.name, rows, *within, symmetric=c.symmetric, ties_are_zero=other_ties == "zero", threads=threads
        )
    return CorrelationMatrix(c, names, values, codes, rows.shape[1], within)


def _named_rows(rankings: Any, one_sided: str) -> tuple[tuple[str, ...], Floats, Tolerance]:
    """Names, one ranking a row, and the tolerance that all of them have."""
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
        if len(own) > 1:
            raise CallError("The rankings have different tolerances of their own; pass tied_within.")
        return tuple(named), np.ascontiguousarray(np.stack(rows)), own.pop()
    if isinstance(rankings, (list, tuple)) and rankings and isinstance(rankings[0], Ranking):
        return _named_rows({str(place + 1): ranking for place, ranking in enumerate(rankings)}, one_sided)
    rows_array = _matrix(rankings, "`rankings`")
    return tuple(str(place + 1) for place in range(len(rows_array))), rows_array, EXACT


@dataclass(frozen=True, eq=False, repr=False)
class Correlations(Result):
    """Several coefficients of one pair of rankings; look one up by name, or iterate."""

    results: tuple[Correlation, ...]

    def __iter__(self) -> Iterator[Correlation]:
        return iter(self.results)

    def __len__(self) -> int:
        return len(self.results)

    def __getitem__(self, name: str | Coefficient) -> Correlation:
        wanted = catalogue[name]
        for result in self.results:
            if result.coefficient == wanted:
                return result
        raise CallError(f"{wanted} was not asked for; there are {', '.join(r.coefficient.name for r in self.results)}.")

    def lines(self) -> list[str]:
        width = max(len(r.coefficient.name) for r in self.results)
        return [
            f"{r.coefficient.name.ljust(width)}  {number(r.value, 4).rjust(9)}{f'   {r.undefined_because}' if r.undefined_because else ''}"
            for r in self.results
        ]

    def columns(self) -> dict[str, Any]:
        rows = [r._flat() for r in self.results]
        return {key: [row[key] for row in rows] for key in rows[0]}

    def to_dict(self) -> dict[str, Any]:
        return {r.coefficient.name: r.to_dict() for r in self.results}

    def cited(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(key for r in self.results for key in r.cited()))

    def plot(self) -> Any:
        """Ranks in the one against ranks in the other."""
        return self.results[0].plot()


def correlate(
    estimate: Any,
    *unnamed: Any,
    truth: Any = None,
    coefficients: Iterable[str | Coefficient] | None = None,
    tied_within: Any = None,
    lower_is_better: bool = False,
    one_sided: str = "error",
    other_ties: str = "discordant",
    top_k: int | None = None,
) -> Correlations:
    """Several coefficients of one pair of rankings at once; undefined ones are NaN with their reason.

    Without `coefficients`: all of the catalogue, or with a tolerance all that take one, with `top_k` those of the order.
    `top_k` compares only the union of both top k; an item outside one of them is tied below it there.

    >>> print(correlate([3, 2, 1, 0], truth=[3, 2, 1, 1], coefficients=["tau", "tau_a", "tau_b"]))
    tau    undefined   there are ties in `truth`
    tau_a     0.8333
    tau_b     0.9129
    """
    _need_truth("correlate", unnamed, truth)
    wanted = None if coefficients is None else _wanted(coefficients)
    both = "`estimate`", "`truth`"
    if top_k is None:
        data = align(estimate, truth, names=both, one_sided=one_sided)
    else:
        for c in wanted or [catalogue["tau_b"]]:
            check_top_k(c, top_k)
        data = align_top(estimate, truth, top_k, names=both, tied_within=tied_within, lower_is_better=lower_is_better)
    within = data.within if tied_within is None else tolerances(tied_within)
    if wanted is None:
        wide = bool(within[0].width or within[1].width)
        wanted = [c for c in catalogue if (c.takes_tolerance or not wide) and (c.ordinal or top_k is None)]
    return Correlations(
        tuple(
            evaluate(c, data, tied_within=within, lower_is_better=lower_is_better, other_ties=other_ties)
            for c in wanted
        )
    )


def _wanted(coefficients: Any) -> list[Coefficient]:
    """The records of the coefficients asked for."""
    names = [coefficients] if isinstance(coefficients, (str, Coefficient)) else list(coefficients)
    if not names:
        raise CallError("coefficients=[] asks for nothing.")
    return [catalogue[name] for name in names]
