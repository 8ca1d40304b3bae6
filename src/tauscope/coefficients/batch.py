"""Many rankings at once: rows against a truth, all pairs of rankings, several coefficients of one pair."""

from __future__ import annotations

import inspect
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Never, TypeVar

import numpy as np
from numpy.typing import NDArray

from .. import kernels
from ..arrays import Floats
from ..errors import Advice, AlignmentError, CallError, Option, TauscopeError, Undefined
from ..ranking import Ranking, align, as_ranking, floats, refuse_masked
from ..results import Result, count, number
from ..ties import EXACT, Tolerance, tolerances
from .coefficient import Coefficient, with_other_ties
from .correlation import Correlation, check_tolerance, evaluate
from .records import catalogue
from .top_k import align_top, check_top_k, unions

F = TypeVar("F", bound=Callable[..., Any])


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Batch(Result):
    """What is one coefficient of many pairs of rankings? NumPy takes it as the array of its values.

    Attributes
    ----------
    coefficient : Coefficient
        The record of the coefficient.
    values : array of float
        One value per row, NaN where it is undefined.
    undefined_because : array of int
        A member of `Undefined` per row, 0 where there is a value; `reason(row)` has it in words.
    n : int
        How many items a row has.
    tied_within : pair of Tolerance
        The tolerances of the estimates and of the truth.
    top_k : int or None
        How many items of each head were compared, where not all.
    """

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
        """Why has a row no value?

        Parameters
        ----------
        row : int
            The row, from 0.

        Returns
        -------
        str or None
            The reason in words; None where the row has a value.
        """
        return self.coefficient.why_undefined(int(self.undefined_because[row]), n=self._n)

    @property
    def _n(self) -> int | None:
        """How many items a row compares, where that is the same for all."""
        return self.n if self.top_k is None else None

    def reasons(self) -> dict[str, int]:
        """How many rows are undefined, and why?

        Returns
        -------
        dict
            Reason -> rows, the most frequent first.
        """
        found = Counter(int(code) for code in self.undefined_because[self.undefined_because != 0])
        return {str(self.coefficient.why_undefined(code, n=self._n)): rows for code, rows in found.most_common()}

    def lines(self) -> list[str]:
        defined = self.values[~np.isnan(self.values)]
        spread = "no value"
        if len(defined):
            mean, low, high = (number(float(end), 4) for end in (defined.mean(), defined.min(), defined.max()))
            spread = f"mean {mean}, from {low} to {high}"
        heads = f", top {self.top_k}" if self.top_k else ""
        lines = [f"{self.coefficient} of {count(len(self), 'row')} of {count(self.n, 'item')}{heads}: {spread}"]
        lines += [f"undefined: {count(rows, 'row')}, {reason}" for reason, rows in list(self.reasons().items())[:2]]
        return lines

    def columns(self) -> dict[str, Any]:
        return {"value": self.values, "undefined_because": [self.reason(row) or "" for row in range(len(self))]}

    def to_dict(self) -> dict[str, Any]:
        values = [None if np.isnan(value) else float(value) for value in self.values]
        return {"coefficient": self.coefficient.name, "n": self.n, "values": values, "undefined": self.reasons()}

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


def _required(function: F) -> F:
    """A call without a truth is an error of ours, which says why it is needed, and not one of Python's."""
    function.__kwdefaults__ = (function.__kwdefaults__ or {}) | {"truth": None}
    parameters = inspect.signature(function).parameters.values()
    kept = [
        p.replace(default=p.empty) if p.name == "truth" else p for p in parameters if p.kind is not p.VAR_POSITIONAL
    ]
    function.__signature__ = inspect.signature(function).replace(parameters=kept)  # type: ignore[attr-defined]
    return function


@_required
def correlate_batch(
    estimates: Any,
    *unnamed: Never,
    truth: Any,
    coefficient: str | Coefficient,
    tied_within: Any = 0.0,
    lower_is_better: bool = False,
    other_ties: str = "discordant",
    top_k: int | None = None,
    threads: int | None = None,
) -> Batch:
    """What is one coefficient of many rankings, one per row, against one truth, or one truth per row?

    No Python runs for a row. A row that is not finite, or where the coefficient is not defined, is NaN, and
    `.undefined_because` has a code for it (`.reason(row)` in words).

    Parameters
    ----------
    estimates : array of shape (B, n)
        One ranking per row.
    truth : array of shape (n,) or (B, n)
        The truth of all rows, or one truth per row.
    coefficient : str or Coefficient
        Which coefficient.
    tied_within : float, str or pair, default 0.0
        Scores this close are tied: a number, a share such as "5%", or a pair in the order (estimates, truth).
    lower_is_better : bool, default False
        Whether the best item has the lowest score.
    other_ties : "discordant" or "zero", default "discordant"
        How tau_ap_b counts ties of the ranking that is not walked.
    top_k : int, optional
        Compares in each row only the union of both top k; an item outside one of them is tied below it there.
    threads : int, optional
        How many threads share the rows, by default as many as there are cores; the values do not depend on it.

    Returns
    -------
    Batch

    Raises
    ------
    CallError
        Where the truth has no name, or an argument does not fit the coefficient.
    AlignmentError
        Where estimates and truth are not of one shape.

    See Also
    --------
    correlation_matrix, correlate

    Examples
    --------
    >>> correlate_batch([[1, 2, 3], [3, 2, 1], [1, 1, 1]], truth=[1, 2, 3], coefficient="tau_b").values.tolist()
    [1.0, -1.0, nan]
    """
    _need_truth("correlate_batch", unnamed, truth)
    c = with_other_ties(catalogue[coefficient], other_ties)
    within = tolerances(tied_within)
    check_tolerance(c, within)
    rows, gold = as_rows(estimates, "`estimates`"), as_rows(truth, "`truth`", one_row=True)
    if rows.shape[1] != gold.shape[1] or gold.shape[0] not in (1, rows.shape[0]):
        raise AlignmentError(
            f"`estimates` is {rows.shape[0]:,} x {rows.shape[1]:,} and `truth` is {gold.shape[0]:,} x {gold.shape[1]:,}.",
            Advice("The truth is one ranking of the same items, or one per row."),
        )
    if c.weights_are_scores and lower_is_better:
        values, codes = np.full(len(rows), np.nan), np.full(len(rows), Undefined.LOWER_IS_BETTER, np.int8)
    else:
        kernels.check_size(rows.shape[1], c)
        rows, gold = (-rows, -gold) if lower_is_better else (rows, gold)
        if top_k is None:
            values, codes = kernels.batch(c, rows, gold, *within, threads=threads)
        else:
            values, codes = _heads(c, rows, gold, within, check_top_k(c, top_k), threads)
    return Batch(
        coefficient=c, values=values, undefined_because=codes, n=rows.shape[1], tied_within=within, top_k=top_k
    )


def _heads(
    c: Coefficient,
    rows: Floats,
    gold: Floats,
    within: tuple[Tolerance, Tolerance],
    k: int,
    threads: int | None,
) -> tuple[Floats, NDArray[np.int8]]:
    """The batch on the unions of the top k, rows with unions of one size together."""
    values, codes = np.full(len(rows), np.nan), np.full(len(rows), Undefined.NOT_FINITE, np.int8)
    usable = np.flatnonzero(np.isfinite(rows).all(1) & np.isfinite(np.broadcast_to(gold, rows.shape)).all(1))
    own = gold if len(gold) == 1 else gold[usable]
    for part, y, x in unions(rows[usable], own, k, within):
        at = usable[part]
        values[at], codes[at] = kernels.batch(c, y, x, *within, threads=threads)
    return values, codes


def as_rows(data: Any, name: str, *, one_row: bool = False) -> Floats:
    """A C-ordered (rows, n) array of floats; NaN is allowed here, what is no number is not."""
    refuse_masked(data, name)
    try:
        raw = np.asarray(data)
        if raw.dtype.kind in "USVMmc" or (raw.dtype.kind == "O" and not _numbers(raw)):
            raise TypeError
        array = floats(raw, name)
    except (TypeError, ValueError, OverflowError) as error:
        if isinstance(error, TauscopeError):
            raise
        raise TauscopeError(f"{name} must be an array of numbers with one ranking per row.") from None
    if array.ndim == 1 and one_row:
        array = array[None]
    if array.ndim != 2:
        raise CallError(f"{name} has {array.ndim} dimensions; it needs two: one ranking per row.")
    return np.ascontiguousarray(array)


def _numbers(raw: NDArray[Any]) -> bool:
    """Whether objects are numbers: neither texts nor missing values, which would become NaN."""
    return not any(value is None or isinstance(value, (str, bytes)) for value in raw.ravel())


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

    def columns(self) -> dict[str, Any]:
        names, k = np.array(self.names, object), len(self.names)
        return {"truth": np.repeat(names, k), "estimate": np.tile(names, k), "value": self.values.ravel()}

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
        One ranking per row, or named rankings (name -> anything `Ranking` takes), which are matched by the names of items.
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
    rows_array = as_rows(rankings, "`rankings`")
    return tuple(str(place + 1) for place in range(len(rows_array))), rows_array, {EXACT}


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Correlations(Result):
    """What do several coefficients say of one pair of rankings? Look one up by name, or iterate.

    Attributes
    ----------
    results : tuple of Correlation
        One result per coefficient, in the order in which they were asked for.
    """

    results: tuple[Correlation, ...]

    def __iter__(self) -> Iterator[Correlation]:
        return iter(self.results)

    def __len__(self) -> int:
        return len(self.results)

    def __getitem__(self, name: str | Coefficient) -> Correlation:
        wanted, there = catalogue[name], {str(result.coefficient): result for result in self.results}
        if str(wanted) not in there:
            raise CallError(f"{wanted} was not asked for; there are {', '.join(there)}.")
        return there[str(wanted)]

    def lines(self) -> list[str]:
        width = max(len(r.coefficient.name) for r in self.results)
        return [
            f"{r.coefficient.name.ljust(width)}  {number(r.value, 4).rjust(9)}   {r.undefined_because or ''}".rstrip()
            for r in self.results
        ]

    def columns(self) -> dict[str, Any]:
        rows = [r.row() for r in self.results]
        return {key: [row[key] for row in rows] for key in rows[0]}

    def to_dict(self) -> dict[str, Any]:
        return {r.coefficient.name: r.to_dict() for r in self.results}

    def cited(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(key for r in self.results for key in r.cited()))

    def plot(self) -> Any:
        """Ranks in the one against ranks in the other."""
        return self.results[0].plot()


@_required
def correlate(
    estimate: Any,
    *unnamed: Never,
    truth: Any,
    coefficients: Iterable[str | Coefficient] | None = None,
    tied_within: Any = None,
    lower_is_better: bool = False,
    one_sided: str = "error",
    other_ties: str = "discordant",
    top_k: int | None = None,
) -> Correlations:
    """What do several coefficients say of one pair of rankings? Undefined ones are NaN with their reason.

    Parameters
    ----------
    estimate : ranking
        The ranking to judge: anything `Ranking` takes, or an array.
    truth : ranking
        The ranking that is right; always a keyword.
    coefficients : list of str or Coefficient, optional
        Which coefficients. By default all of the catalogue; with a tolerance those that take one, with `top_k` those of the
        order.
    tied_within : float, str or pair, optional
        Scores this close are tied: a number, a share such as "5%", or a pair (estimate, truth). By default the rankings' own.
    lower_is_better : bool, default False
        Whether the best item has the lowest score, in both rankings.
    one_sided : "error" or "drop", default "error"
        What to do with items that only one ranking has: "drop" compares those that both have, "error" names the others.
    other_ties : "discordant" or "zero", default "discordant"
        How tau_ap_b counts ties of the ranking that is not walked.
    top_k : int, optional
        Compares only the union of both top k; an item outside one of them is tied below it there.

    Returns
    -------
    Correlations

    Raises
    ------
    CallError
        Where the truth has no name, or an argument does not fit a coefficient.
    AlignmentError
        Where the rankings are not of the same items.

    See Also
    --------
    correlate_batch, correlation_matrix, choose

    Examples
    --------
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
        k = check_top_k(None, top_k)
        data = align_top(estimate, truth, k, names=both, tied_within=tied_within, lower_is_better=lower_is_better)
        for c in wanted or ():
            check_top_k(c, k)
    within = data.within if tied_within is None else tolerances(tied_within)
    if wanted is None:
        wide = bool(within[0].width or within[1].width)
        wanted = [c for c in catalogue if (c.takes_tolerance or not wide) and (c.ordinal or top_k is None)]
    chosen = [with_other_ties(c, other_ties) for c in wanted]
    return Correlations(
        results=tuple(evaluate(c, data, tied_within=within, lower_is_better=lower_is_better) for c in chosen)
    )


def _wanted(coefficients: Any) -> list[Coefficient]:
    """The records of the coefficients asked for."""
    names = [coefficients] if isinstance(coefficients, (str, Coefficient)) else list(coefficients)
    if not names:
        raise CallError("coefficients=[] asks for nothing.")
    return [catalogue[name] for name in names]
