"""Do two assessors, human or machine, judge alike? `compare_qrels()`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .. import checking
from ..arrays import Floats, tally
from ..errors import CallError, TauscopeError
from ..results import Result, count, number, word
from .qrels import Qrels, read_qrels

Counts = NDArray[np.int64]

_POWERS = {"linear": 1, "quadratic": 2}


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class QrelsComparison(Result):
    """How far two sets of judgments agree on the documents that both have judged.

    Attributes
    ----------
    names : tuple of two str
        What the two are called.
    topics, documents : int
        How much both have judged.
    only_first, only_second : int
        Documents that only one of them has judged.
    rel : float or tuple of two
        The lowest grade that is relevant; two where it is another for either.
    confusion : array of int
        `confusion[i, j]` counts documents of grade i in the first and j in the second, grades from 0 up; where grades
        are real numbers, of those that are not relevant (0) and relevant (1).
    agreement : float
        The share of documents on whose relevance they agree.
    overlap : float
        The mean over topics of (relevant in both) / (relevant in either).
    relevance_kappa, kappa, weighted_kappa : float
        Cohen's kappa on relevance, on grades, and on grades with disagreements weighted by size; NaN where
        `undefined_because` says why.
    weights : str
        "linear" or "quadratic".
    undefined_because : str
        Why a kappa is NaN, or "".
    """

    names: tuple[str, str]
    topics: int
    documents: int
    only_first: int
    only_second: int
    rel: float | tuple[float, float]
    confusion: Counts
    agreement: float
    overlap: float
    relevance_kappa: float
    kappa: float
    weighted_kappa: float
    weights: str
    undefined_because: str = ""

    def lines(self) -> list[str]:
        first, second = self.names
        alone = f"{self.only_first:,} only by {first}, {self.only_second:,} only by {second}"
        kappas = [number(value) for value in (self.relevance_kappa, self.kappa, self.weighted_kappa)]
        reason = f" ({self.undefined_because})" if self.undefined_because else ""
        return [
            f"{count(self.documents, 'document')} of {count(self.topics, 'topic')} judged by both; {alone}.",
            f"They agree on relevance (grade >= {_shown(self.rel)}) for {number(100 * self.agreement, 1)} % of them; "
            f"the relevant documents overlap by {number(self.overlap)} (mean over topics).",
            f"Cohen's kappa: {kappas[0]} on relevance, {kappas[1]} on grades, {kappas[2]} with {self.weights} weights"
            f"{reason}.",
        ]

    def methods_sentence(self) -> str:
        """The sentence a paper needs: how far two assessors agree, on how much, and beyond chance.

        Returns
        -------
        str
            One sentence, with what only one of them has judged.
        """
        first, second = self.names
        reason = f"; undefined: {self.undefined_because}" if self.undefined_because else ""
        return (
            f"On {count(self.documents, 'document')} of {count(self.topics, 'topic')} judged by both, {first} and "
            f"{second} agree on relevance (grade >= {_shown(self.rel)}) in {number(100 * self.agreement, 1)} %, with "
            f"Cohen's kappa {number(self.relevance_kappa)}, {number(self.kappa)} on grades and "
            f"{number(self.weighted_kappa)} with {self.weights} weights, and their relevant documents overlap by "
            f"{number(self.overlap)} on average over {word('topics')} ({self.only_first:,} only by {first} and "
            f"{self.only_second:,} only by {second} left out{reason}{self._after()})."
        )

    def columns(self) -> Mapping[str, Any]:
        size = len(self.confusion)
        first, second = np.divmod(np.arange(size * size), size)
        return {"first": first, "second": second, "documents": self.confusion.ravel()}

    def cited(self) -> tuple[str, ...]:
        return ("cohen1960", "cohen1968", "voorhees2000")

    def plot(self) -> Any:
        """The share of each pair of grades as a heatmap.

        Returns
        -------
        altair.Chart
        """
        from ..figures import heatmap

        grades = [str(grade) for grade in range(len(self.confusion))]
        first, second = (f"grade by {name}" for name in self.names)
        shares = self.confusion / max(self.documents, 1)
        return heatmap(shares, grades, grades, rows=first, columns=second, title=self.lines()[0], diverging=False)


def _shown(rel: float | tuple[float, float]) -> str:
    return " and ".join(f"{one:g}" for one in rel) if isinstance(rel, tuple) else f"{rel:g}"


#: A confusion table is no larger.
MOST_GRADES = 1000


def compare_qrels(
    first: Any,
    second: Any,
    *,
    rel: float | tuple[float, float] | None = None,
    weights: str = "quadratic",
    names: tuple[str, str] = ("first", "second"),
) -> QrelsComparison:
    """Do two assessors, human or machine, judge alike? Told by the documents that both judged.

    Cohen's kappa = (observed - expected agreement) / (1 - expected): on relevance, on grades (cohen1960), and on grades
    with disagreements weighted by size (cohen1968). Overlap as in voorhees2000.

    Parameters
    ----------
    first, second : path, dict, data frame or Qrels
        The judgments of either.
    rel : float, tuple of two, or None, default None
        The lowest grade that is relevant, for both or for each; None for 1, or 0.5 where grades are real numbers from 0
        to 1. The kappas on grades are undefined where grades are real numbers.
    weights : {"quadratic", "linear"}, default "quadratic"
        How much worse a larger disagreement between grades is.
    names : tuple of two str, default ("first", "second")
        What the two are called in the result.

    Returns
    -------
    QrelsComparison

    Raises
    ------
    TauscopeError
        Where no document was judged in both, so that there is nothing to compare.

    Examples
    --------
    >>> one, other = {"1": {"a": 2, "b": 0, "c": 1, "d": 0}}, {"1": {"a": 1, "b": 0, "c": 0, "d": 0}}
    >>> compare_qrels(one, other).relevance_kappa
    0.5
    """
    checking.one_of(weights, _POWERS, "weights")
    a, b = read_qrels(first), read_qrels(second)
    limits = _thresholds(rel, a, b)
    topic, x, y = _shared(a, b)
    if not len(x):
        both_names = f"{names[0]} and {names[1]}"
        raise TauscopeError(f"No document was judged in both {both_names}: are topics and ids spelled alike?")
    one, other = x >= limits[0], y >= limits[1]
    real = a.real or b.real
    size = 2 if real else int(max(a.highest, b.highest)) + 1
    if size > MOST_GRADES:
        raise TauscopeError(f"The grades go up to {size - 1:,}; a table of grades has at most {MOST_GRADES:,} of them.")
    grades = (one, other) if real else (x, y)
    i, j = (grade.astype(np.int64) for grade in grades)
    confusion = tally(i * size + j, size * size).reshape(size, size)
    in_both, in_either = one & other, one | other
    both, either = (tally(topic[which], len(a.topics)) for which in (in_both, in_either))
    overlap = float((both[either > 0] / either[either > 0]).mean()) if either.any() else float("nan")
    binary = tally(one * 2 + other, 4).reshape(2, 2)
    distance = np.abs(np.subtract.outer(np.arange(size), np.arange(size))).astype(np.float64)
    kappas = (
        _kappa(binary, 1.0 - np.eye(2)),
        float("nan") if real else _kappa(confusion, (distance > 0).astype(np.float64)),
        float("nan") if real else _kappa(confusion, distance ** _POWERS[weights]),
    )
    judged = [int((qrels.grades >= 0).sum()) for qrels in (a, b)]
    reason = "grades are real numbers" if real else "one grade only, in both" if np.isnan(kappas).any() else ""
    agreement = float(np.mean(one == other))
    return QrelsComparison(
        names=names,
        topics=len(np.unique(topic)),
        documents=len(x),
        only_first=judged[0] - len(x),
        only_second=judged[1] - len(x),
        rel=limits[0] if limits[0] == limits[1] else limits,
        confusion=confusion,
        agreement=agreement,
        overlap=overlap,
        relevance_kappa=kappas[0],
        kappa=kappas[1],
        weighted_kappa=kappas[2],
        weights=weights,
        undefined_because=reason,
    )


def _thresholds(rel: float | tuple[float, float] | None, a: Qrels, b: Qrels) -> tuple[float, float]:
    if rel is None:
        return a.threshold, b.threshold
    both = tuple(rel) if isinstance(rel, (tuple, list)) else (rel, rel)
    if len(both) != 2:
        raise CallError(f"rel={rel!r}: give one grade, or two, one for either.")
    first, second = (checking.number(one, "rel") for one in both)
    if min(first, second) < 0:
        raise CallError(f"rel={rel!r}: grades below 0 are no judgments, so relevant are grades of 0 at least.")
    return _whole(first), _whole(second)


def _whole(number: float) -> float:
    return int(number) if number.is_integer() else number


def _shared(a: Qrels, b: Qrels) -> tuple[Counts, NDArray[Any], NDArray[Any]]:
    """(topic, grade in a, grade in b) of the documents judged in both."""
    found = a.judged(b, np.arange(len(b)), len(b))
    place = dict(zip(b.topics, b.offsets.tolist(), strict=False))
    begins = np.array([place.get(name, 0) for name in a.topics], dtype=np.int64)
    x, y = a.grades[found.entry], b.grades[begins[found.topic] + found.place]
    both = (x >= 0) & (y >= 0)
    return found.topic[both].astype(np.int64), x[both], y[both]


def _kappa(confusion: Counts, weights: Floats) -> float:
    """1 - weighted disagreement observed / expected from the margins; NaN where none can be expected."""
    total = confusion.sum()
    expected = np.outer(confusion.sum(axis=1), confusion.sum(axis=0)) / total
    below = float((weights * expected).sum())
    return 1.0 - float((weights * confusion).sum()) / below if below > 0 else float("nan")
