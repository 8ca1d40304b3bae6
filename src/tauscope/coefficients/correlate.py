"""`correlate()`: do two rankings agree, do many, and where do they differ?"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from ..core import checking
from ..core.arrays import is_frame, tolerances
from ..data.alignment import aligned_scores
from ..data.cube import ScoreCube
from ..data.ranking import Ranking, align
from ..data.scores import Scores
from ..errors import Advice, CallError, FileError
from ..io.door import as_scores
from ..io.read import read_ranking
from ..results import Plain
from .batch import correlate_batch, correlation_matrix
from .coefficient import Coefficient
from .correlation import Correlation, evaluate
from .discounted import discounted
from .records import catalogue
from .top_k import align_top, check_top_k


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
    walkers = [c.name for c in wanted if not c.symmetric]
    if walkers and not against_truth:
        call = Advice(f"Say which is which: correlate(estimate, truth=…, coefficient={walkers[0]!r}).")
        raise CallError(f"{', '.join(walkers)}: not symmetric, so one ranking must be the truth.", call)
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
