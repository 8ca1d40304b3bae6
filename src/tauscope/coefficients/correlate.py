"""`correlate()`: one coefficient or several, of two rankings, a batch, a matrix or scores on topics."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from ..core import checking, kernels
from ..core.arrays import EXACT, Floats, Tolerance, is_frame, repeated, tolerances
from ..data.alignment import aligned_scores
from ..data.cube import ScoreCube
from ..data.ranking import Ranking, align, as_given, as_ranking, floats, refuse_masked, refuse_nulls
from ..data.scores import Scores
from ..errors import Advice, AlignmentError, CallError, FileError, Option, TauscopeError, Undefined
from ..io.door import as_scores
from ..io.read import read_ranking
from ..results import Plain
from .calling import align_top, check_top_k, unions
from .coefficient import Coefficient, check_tolerance
from .correlation import Correlation, evaluate
from .discounted import discounted
from .records import catalogue


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


def correlate_batch(
    estimates: Any,
    *,
    truth: Any,
    coefficient: str | Coefficient,
    tied_within: Any = 0.0,
    lower_is_better: bool = False,
    top_k: int | None = None,
    threads: int | None = None,
) -> Batch:
    """Compute one coefficient of many rankings, one per row, against one truth or one truth per row."""
    c = catalogue[coefficient]
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
    threads: int | None = None,
) -> CorrelationMatrix:
    """Compute one coefficient of every ranking with every other: row = truth, column = estimate."""
    c = catalogue[coefficient]
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


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Correlations(Plain):
    """What do several coefficients say of one pair of rankings? Look one up by name, or iterate.

    Attributes
    ----------
    results : tuple of Correlation
        One result per coefficient, in the order in which they were asked for.
    """

    QUESTION: ClassVar[str] = "correlations"

    results: tuple[Correlation, ...]

    def __iter__(self) -> Iterator[Correlation]:
        return iter(self.results)

    def __len__(self) -> int:
        return len(self.results)

    @property
    def first(self) -> Correlation:
        """The result of the first coefficient."""
        return self.results[0]

    @property
    def values(self) -> tuple[float, ...]:
        """The value of each coefficient, NaN where it is undefined."""
        return tuple(result.value for result in self.results)

    @property
    def undefined(self) -> tuple[str, ...]:
        """The coefficients that have no value."""
        return tuple(result.coefficient.name for result in self.results if result.undefined_because is not None)

    def __getitem__(self, name: str | Coefficient) -> Correlation:
        wanted, there = catalogue[name], {str(result.coefficient): result for result in self.results}
        if str(wanted) not in there:
            raise CallError(f"{wanted} was not asked for; there are {', '.join(there)}.")
        return there[str(wanted)]

    @property
    def cautions(self) -> tuple[str, ...]:
        """What is odd about the scores: an order that depends on rounding."""
        return tuple(dict.fromkeys(text for r in self.results for text in r.cautions))

    def columns(self) -> dict[str, Any]:
        rows = [r.row() for r in self.results]
        return {key: [row[key] for row in rows] for key in rows[0]}

    def to_dict(self) -> dict[str, Any]:
        return {r.coefficient.name: r.to_dict() for r in self.results}

    def cited(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(key for r in self.results for key in r.cited()))


def correlate(
    rankings: Any,
    other: Any = None,
    *,
    truth: Any = None,
    coefficient: str | Coefficient | Iterable[str | Coefficient] = "tau_b",
    tied_within: float | str | tuple[Any, Any] | None = None,
    top_k: int | None = None,
    discount: float | str | None = None,
    lower_is_better: bool = False,
    unmatched: str = "error",
    match: str = "exact",
) -> Any:
    """Do two rankings agree? Compute one coefficient or several, for two rankings or for many.

    Two rankings are an estimate and its `truth`, or two opinions (`other`). An array with one ranking per row and a
    `truth` is a batch: one value per row, computed without a Python loop. A dict of rankings, or an array of them,
    without a truth is a matrix: each ranking with each other. Do not read a value of 0.9 as "good": how high a value
    can be depends on the number of topics (`compare()` and `expected_correlation()` correct for that).

    Parameters
    ----------
    rankings : ranking, Scores, array of shape (k, n), or dict of rankings
        The ranking to compare: anything `Ranking` takes, or `Scores`, which are ranked by their means. Many rankings
        are rows or a dict.
    other : ranking or Scores, optional
        A second ranking where neither is the truth.
    truth : ranking, Scores or array, optional
        The ranking that is correct by definition; for a batch, one truth for all rows or one per row.
    coefficient : str, Coefficient, or several, default "tau_b"
        One of the catalogue, several of them, or "all".
    tied_within : float, str or pair, optional
        Scores this close are tied: a number, a share such as "5%", or a pair (estimate, truth).
    top_k : int, optional
        Compare only the union of both top k; an item outside one of them is tied below it there.
    discount : float or "soft", optional
        Of tau_gap and tau_ap with `Scores` as the truth: count only pairs of the truth with p below this level, or
        weight each pair by how certain its order is ("soft").
    lower_is_better : bool, default False
        Whether the best item has the lowest score, in all rankings.
    unmatched : {"error", "drop"}, default "error"
        What to do with items that not all rankings have: "drop" compares those that all have.
    match : {"exact", "loose"}, default "exact"
        Whether names of `Scores` that differ only by spelling are the same.

    Returns
    -------
    Correlation, Correlations, Batch, CorrelationMatrix or DiscountedCorrelation
        One coefficient of two rankings, several, one value per row, one per pair of rankings, or the discounted value.

    Raises
    ------
    CallError
        If the call does not say what is compared with what, or an argument does not fit a coefficient.
    AlignmentError
        If the rankings are not of the same items.

    See Also
    --------
    compare : The same for a judge, corrected for topic noise and with an interval.
    rbo : Lists that need not hold the same items.

    Examples
    --------
    >>> float(correlate([3, 2, 1, 0], truth=[3, 2, 0, 1]))
    0.6666666666666666
    >>> correlate([3, 2, 1, 0], truth=[3, 2, 1, 1], coefficient=["tau_a", "tau_b"]).values
    (0.8333333333333334, 0.9128709291752769)
    >>> correlate([[1, 2, 3], [3, 2, 1]], truth=[1, 2, 3]).values.tolist()
    [1.0, -1.0]
    >>> correlate({"human": [3, 2, 1], "machine": [3, 1, 2]})["human", "machine"]
    0.3333333333333333
    """
    if other is not None and truth is not None:
        raise CallError("Give either a second ranking or a truth, not both.")
    wanted = _wanted(coefficient, tied_within, top_k)
    rankings, other, truth = (_side(data) for data in (rankings, other, truth))
    if discount is not None:
        return _discounted(rankings, truth, _one(wanted, "discount"), discount, unmatched)
    second = truth if truth is not None else other
    if second is None:
        _refuse("a matrix of rankings", top_k=top_k)
        if not _several(rankings):
            raise CallError(
                "correlate() compares rankings, and got one.",
                Advice("Give its truth, correlate(estimate, truth=…), a second opinion, or a dict of rankings."),
            )
        known: dict[str, Any] = {"lower_is_better": lower_is_better, "unmatched": unmatched}
        return correlation_matrix(rankings, _one(wanted, "a matrix"), tied_within=tied_within, **known)
    walkers = [c.name for c in wanted if not c.symmetric]
    if walkers and truth is None:
        call = Advice(f"Say which is which: correlate(estimate, truth=…, coefficient={walkers[0]!r}).")
        raise CallError(f"{', '.join(walkers)}: not symmetric, so one ranking must be the truth.", call)
    if _rows(rankings):
        within = 0.0 if tied_within is None else tied_within
        known = {"tied_within": within, "lower_is_better": lower_is_better, "top_k": top_k}
        return correlate_batch(rankings, truth=second, coefficient=_one(wanted, "a batch"), **known)
    known = {"tied_within": tied_within, "top_k": top_k, "lower_is_better": lower_is_better, "unmatched": unmatched}
    results = _pair(rankings, second, wanted, match, against_truth=truth is not None, **known)
    single = isinstance(coefficient, Coefficient) or (isinstance(coefficient, str) and coefficient != "all")
    return results[0] if single else Correlations(results=tuple(results))


def _pair(
    first: Any,
    second: Any,
    wanted: list[Coefficient],
    match: str,
    *,
    against_truth: bool,
    tied_within: Any,
    top_k: int | None,
    lower_is_better: bool,
    unmatched: str,
) -> list[Correlation]:
    """Evaluate coefficients of two rankings."""
    names = ("estimate", "truth") if against_truth else ("first", "second")
    shown, sides = (f"`{names[0]}`", f"`{names[1]}`"), None
    if isinstance(first, Scores) and isinstance(second, Scores):
        sides = (first, second)
        same = aligned_scores(dict(zip(names, sides, strict=True)), "correlate()", unmatched, match=match)
        first, second = (own.ranking() for own in same.scores)
        alone: Any = tuple(tuple(name for name in same.dropped if name in own.systems) for own in sides)
    first, second = (own.ranking() if isinstance(own, Scores) else own for own in (first, second))
    if top_k is None:
        data = align(first, second, names=shown, unmatched=unmatched)
        data = data if sides is None else replace(data, dropped=alone)
    else:
        k = check_top_k(None, top_k)
        data = align_top(first, second, k, names=shown, tied_within=tied_within, lower_is_better=lower_is_better)
        for c in wanted:
            check_top_k(c, k)
    within = data.within if tied_within is None else tolerances(tied_within)
    results = [evaluate(c, data, tied_within=within, lower_is_better=lower_is_better, names=names) for c in wanted]
    return results if sides is None else [replace(result, _sides=sides, _unmatched=unmatched) for result in results]


def _wanted(asked: Any, tied_within: Any, top_k: int | None) -> list[Coefficient]:
    """Return the records of the coefficients asked for; "all" are those that take the tolerance and the top k."""
    if isinstance(asked, str) and asked == "all":
        wide = tied_within is not None and any(width.width for width in tolerances(tied_within))
        return [c for c in catalogue if (c.takes_tolerance or not wide) and (c.ordinal or top_k is None)]
    names = [asked] if isinstance(asked, (str, Coefficient)) else list(asked)
    if not names:
        raise CallError("coefficient=[] asks for nothing.")
    return [catalogue[name] for name in names]


def _one(wanted: list[Coefficient], what: str) -> Coefficient:
    if len(wanted) != 1:
        raise CallError(f"{what} takes one coefficient, and {len(wanted)} were named.")
    return wanted[0]


def _refuse(what: str, **given: Any) -> None:
    for name, value in given.items():
        if value is not None:
            raise CallError(f"{name}= means nothing for {what}.")


def _side(data: Any) -> Any:
    """Convert files, frames of topics by systems and dicts of dicts to `Scores`; everything else stays as it is."""
    if isinstance(data, (str, Path)):
        try:
            return as_scores(data, "correlate()")
        except FileError:
            return read_ranking(data)
    nested = isinstance(data, Mapping) and bool(data) and all(isinstance(own, Mapping) for own in data.values())
    wide = is_frame(data) and len(getattr(data, "columns", ())) > 2
    return as_scores(data, "correlate()") if nested or wide or isinstance(data, ScoreCube) else data


def _rows(data: Any) -> bool:
    """Whether something holds one ranking per row."""
    if isinstance(data, np.ndarray):
        return data.ndim == 2
    if isinstance(data, (list, tuple)) and data:
        return all(isinstance(row, (list, tuple, np.ndarray)) and np.ndim(row) == 1 for row in data) and not any(
            isinstance(item, str) for row in data for item in row
        )
    return False


def _several(data: Any) -> bool:
    """Whether something holds several rankings: rows, or a dict or a frame of rankings by name."""
    numbers = (int, float, np.integer, np.floating)
    if isinstance(data, Mapping):
        return bool(data) and not any(isinstance(value, numbers) for value in data.values())
    return _rows(data) or not isinstance(data, (Ranking, Scores, str, list, tuple, np.ndarray))


def _discounted(estimate: Any, truth: Any, c: Coefficient, discount: float | str, unmatched: str) -> Any:
    if truth is None:
        raise CallError("discount= needs the truth as Scores: correlate(estimate, truth=scores, discount=0.05).")
    own = estimate.ranking() if isinstance(estimate, Scores) else estimate
    soft = discount == "soft"
    level = 0.05 if soft else checking.share(discount, "discount")
    return discounted(own, truth=truth, coefficient=c, alpha=level, soft=soft, unmatched=unmatched)
