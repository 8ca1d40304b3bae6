"""One coefficient of many rankings: each against a truth, or every two of them."""

from __future__ import annotations

import inspect
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Never, TypeVar

import numpy as np
from numpy.typing import NDArray

from ..core import kernels
from ..core.arrays import EXACT, Floats, Tolerance, is_frame, repeated, tolerances
from ..data.ranking import Ranking, align, as_given, as_ranking, floats, refuse_masked, refuse_nulls
from ..errors import Advice, AlignmentError, CallError, Option, TauscopeError, Undefined
from ..results import Plain
from .coefficient import Coefficient, with_other_ties
from .correlation import check_tolerance
from .records import catalogue
from .top_k import check_top_k, unions

F = TypeVar("F", bound=Callable[..., Any])


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Batch(Plain):
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

    QUESTION: ClassVar[str] = "batch"

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

    @property
    def defined(self) -> Floats:
        """The values of the rows that have one."""
        return self.values[~np.isnan(self.values)]

    @property
    def mean(self) -> float:
        """The mean of the values that are defined."""
        return float(self.defined.mean()) if len(self.defined) else float("nan")

    def histogram(self) -> list[tuple[str, int]]:
        """Return how many values lie between each two of eleven equally distant values."""
        if not len(self.defined):
            return []
        counts, edges = np.histogram(self.defined, bins=10)
        return [(f"{a:.3f} to {b:.3f}", int(n)) for a, b, n in zip(edges[:-1], edges[1:], counts, strict=True)]

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

    def columns(self) -> dict[str, Any]:
        return {"value": self.values, "undefined_because": [self.reason(row) or "" for row in range(len(self))]}

    def to_dict(self) -> dict[str, Any]:
        values = [None if np.isnan(value) else float(value) for value in self.values]
        found = {"coefficient": self.coefficient.name, "n": self.n, "values": values, "undefined": self.reasons()}
        return found | {"methods_sentence": self.methods_sentence()}

    def cited(self) -> tuple[str, ...]:
        return (self.coefficient.paper,)


def need_truth(function: str, unnamed: tuple[Any, ...], truth: Any) -> None:
    """The call says who is the truth: some coefficients are not symmetric."""
    if unnamed or truth is None:
        raise CallError(
            f"Some coefficients are not symmetric, so {function}() wants to know which is the truth: {function}(…, "
            "truth=…)."
        )


def truth_required(function: F) -> F:
    """A call without a truth is an error of ours, which says why it is needed, and not one of Python's."""
    function.__kwdefaults__ = (function.__kwdefaults__ or {}) | {"truth": None}
    parameters = inspect.signature(function).parameters.values()
    kept = [
        p.replace(default=p.empty) if p.name == "truth" else p for p in parameters if p.kind is not p.VAR_POSITIONAL
    ]
    function.__signature__ = inspect.signature(function).replace(parameters=kept)  # type: ignore[attr-defined]
    return function


@truth_required
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
    """Compute one coefficient of many rankings, one per row, against one truth or one truth per row."""
    need_truth("correlate_batch", unnamed, truth)
    c = with_other_ties(catalogue[coefficient], other_ties)
    within = tolerances(tied_within)
    check_tolerance(c, within)
    rows, gold = as_rows(estimates, "`estimates`"), as_rows(truth, "`truth`", one_row=True)
    if rows.shape[1] != gold.shape[1] or gold.shape[0] not in (1, rows.shape[0]):
        raise AlignmentError(
            f"`estimates` is {rows.shape[0]:,} x {rows.shape[1]:,} and `truth` is {gold.shape[0]:,} x "
            f"{gold.shape[1]:,}.",
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
    refuse_nulls(data, name)
    try:
        raw = as_given(data)
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
            raise CallError("correlate() needs at least one ranking.")
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
