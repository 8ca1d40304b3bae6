"""How do judgments compare with others, and how much of the top of runs do they cover?"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from ..core import checking
from ..core.arrays import Floats, tally
from ..errors import CallError, TauscopeError
from ..results import Plain, fact
from .qrels import Qrels, read_qrels
from .runs import Run, Runs

Counts = NDArray[np.int64]

_POWERS = {"linear": 1, "quadratic": 2}


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class QrelsComparison(Plain):
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

    QUESTION: ClassVar[str] = "qrels"
    PAPERS: ClassVar[tuple[str, ...]] = ("cohen1960", "cohen1968", "voorhees2000")

    def columns(self) -> Mapping[str, Any]:
        size = len(self.confusion)
        first, second = np.divmod(np.arange(size * size), size)
        return {"first": first, "second": second, "documents": self.confusion.ravel()}


#: A confusion table is no larger.
MOST_GRADES = 1000


def compare_qrels(
    a: Qrels, b: Qrels, *, rel: float | tuple[float, float] | None, weights: str, names: tuple[str, str]
) -> QrelsComparison:
    """Compare two sets of judgments; `Qrels.compare()` documents how."""
    checking.one_of(weights, _POWERS, "weights")
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


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Judged(Plain):
    """The share of the first k documents that have a judgment, for each run.

    Attributes
    ----------
    k : int
        The number of documents from the top.
    runs : tuple of str
        The runs.
    shares : array
        One for each run: a mean over the topics of the qrels that the run has.
    topics : int
        The number of topics of the qrels.
    """

    k: int
    runs: tuple[str, ...]
    shares: Floats
    topics: int

    QUESTION: ClassVar[str] = "judged"

    @fact
    def mean(self) -> float:
        """The mean share over the runs."""
        return float(self.shares.mean())

    @fact
    def least(self) -> str:
        """The run with the smallest share."""
        return self.runs[int(np.argmin(self.shares))]

    def columns(self) -> dict[str, Any]:
        order = np.argsort(self.shares, kind="stable")
        return {"run": [self.runs[i] for i in order], "judged": self.shares[order]}


def judged_at(runs: Runs, qrels: Any, k: int = 10, *, ties: str = "trec_eval") -> Judged:
    """Compute the share of the first k documents of each run that was judged."""
    k = checking.whole(k, "k", least=1)
    judgments = read_qrels(qrels)
    shares = np.array([_share(run, judgments, k, ties) for run in runs])
    return Judged(k=k, runs=runs.names, shares=shares, topics=len(judgments.topics))


def _share(run: Run, qrels: Qrels, k: int, ties: str) -> float:
    found = qrels.judged(run, run.order(ties), k)
    known = qrels.grades[found.entry] >= 0
    judged = tally(found.topic[known], len(qrels.topics))
    shown = {
        topic: min(k, int(end - begin))
        for topic, begin, end in zip(run.topics, run.offsets, run.offsets[1:], strict=False)
    }
    shares = [judged[i] / shown[topic] for i, topic in enumerate(qrels.topics) if shown.get(topic)]
    return float(np.mean(shares)) if shares else 0.0
