"""`Qrels`: judgments, samples of them and shallower pools; how two sets agree, and how much of runs they cover."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from ..core import checking
from ..core.arrays import Floats, Ints, repeated, tally
from ..core.checking import Rng
from ..core.kernels import JudgmentIndex, judged_documents, judgment_index
from ..core.lines import QRELS, Judged
from ..data.labels import Remark
from ..errors import Advice, CallError, TauscopeError
from ..io.streams import MAX_BYTES
from ..results import Note, Plain, count
from .runs import run_loaders
from .topic_lists import DOCUMENT, TOPIC, TopicLists, read_parts

#: Integers of 32 bits, or real numbers where a grade is one.
Grades = NDArray[Any]

#: In the pool, but nobody judged it.
UNJUDGED = -1
_COLUMNS = {"topic": TOPIC, "document": DOCUMENT, "grade": ("relevance", "label", "rel", "grade", "relevancy", "score")}


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Qrels(TopicLists):
    """How relevant is each judged document to each topic?

    A negative grade is a document of the pool that was not judged. Grades are whole, or real numbers, as judges that
    count nuggets give them. `Qrels.read()` and `from_dict()` make one.

    Parameters
    ----------
    topics : tuple of str
        The topics, in the order of the file.
    offsets : array of int
        Where the entries of each topic begin, and where the last ends.
    documents : bytes
        The ids of the documents, one after the other, in UTF-8.
    starts : array of int
        Where each id begins, and where the last ends.
    grades : array
        One for each entry, int32 or, where they are real numbers, float64.
    source : str, default ""
        Where they came from.
    comments : int, default 0
        The number of lines of the file that begin with # and were taken for comments.
    notes : tuple of Note or str, default ()
        What is to be said of how they were read.

    Examples
    --------
    >>> Qrels.from_dict({"401": {"d1": 2, "d2": 0}})
    Qrels: 1 topic, 2 documents (2 judged, 1 relevant, highest grade 2)
    """

    grades: Grades

    @classmethod
    def read(cls, source: Any, *, max_bytes: int = MAX_BYTES) -> Qrels:
        """Read judgments from a file, a dictionary or a data frame.

        Parameters
        ----------
        source : path, dict, data frame or Qrels
            A TREC qrels file (plain, gzip or zstd), {topic: {document: grade}}, a frame with columns such as query_id,
            doc_id, relevance, or a JSON, lz4 or Parquet file of ranx. Lines that begin with # are comments. Grades may
            be real numbers; `threshold` is then the lowest that is relevant.
        max_bytes : int
            The largest size to which a packed file may unpack.

        Returns
        -------
        Qrels

        Raises
        ------
        FileError
            If a line does not belong in qrels; it names the first one.

        Examples
        --------
        >>> Qrels.read({"401": {"d1": 1, "d2": 0}}).highest
        1
        """
        return read_qrels(source, max_bytes=max_bytes)

    @classmethod
    def from_dict(cls, lists: Mapping[Any, Mapping[Any, int]]) -> Qrels:
        """Judgments from a dict of dicts, as pytrec_eval has it.

        Parameters
        ----------
        lists : dict
            {topic: {document: grade}}.

        Returns
        -------
        Qrels
        """
        return read_qrels(lists)

    def __repr__(self) -> str:
        judged = int((self.grades >= 0).sum())
        count_of = int((self.grades >= self.threshold).sum())
        from_where = f" (from {self.threshold:g} up)" if self.real else ""
        sizes = (f"{judged:,} judged", f"{count_of:,} relevant{from_where}", f"highest grade {self.highest}")
        return f"Qrels: {count(len(self.topics), 'topic')}, {count(len(self), 'document')} ({', '.join(sizes)})"

    @property
    def highest(self) -> float:
        """The highest grade given, at least 0; a whole number where all grades are."""
        highest: float = self.grades.max(initial=0).item()
        return max(0, highest)

    @property
    def real(self) -> bool:
        """Whether some grade is not a whole number."""
        return self.grades.dtype.kind == "f"

    @property
    def threshold(self) -> float:
        """The lowest grade that is relevant where nobody says otherwise: 1, or 0.5 on a real scale from 0 to 1."""
        return 0.5 if self.real and self.highest <= 1 else 1

    @property
    def top(self) -> float:
        """The top of the scale where nobody says otherwise: the highest grade, rounded up where grades are real."""
        return math.ceil(self.highest) if self.real else self.highest

    def odd(self) -> tuple[Remark, ...]:
        """Which grades are below 0, and what that means here?

        Returns
        -------
        tuple of Remark
            A warning where some are below -1, which often stands for spam; empty where none is below 0.
        """
        low = self.grades[self.grades < 0]
        if not low.size:
            return ()
        values = ", ".join(f"{value:g}" for value in np.unique(low)[:5])
        return (
            Remark(
                f"{count(low.size, 'grade')} below 0 ({values}): documents of the pool that nobody judged",
                code="negative-grades",
                effect="for Bpref, infAP and Judged they are not judged; where -2 stands for spam, it was judged",
                suggestion="write 0 for what was judged and is not relevant",
                severity="warning" if low.min() < UNJUDGED else "note",
            ),
        )

    def require_whole(self, caller: str) -> None:
        """Raise an error where grades are real numbers, for what needs whole ones.

        Parameters
        ----------
        caller : str
            What needs them, as the start of the sentence.

        Raises
        ------
        TauscopeError
            Says so, and what to do.
        """
        if self.real:
            raise TauscopeError(
                f"{caller} needs whole grades, and those of {self.source or 'the qrels'} are real numbers.",
                Advice("Round them, or say from which grade up a document is relevant, and give 0 and 1."),
            )

    @cached_property
    def topic_of_entry(self) -> Ints:
        """The number of the topic of each entry, counted from 0."""
        return repeated(np.arange(len(self.topics)), np.diff(self.offsets))

    @cached_property
    def topic_numbers(self) -> dict[str, int]:
        """The number of each topic, counted from 0."""
        return {topic: number for number, topic in enumerate(self.topics)}

    @cached_property
    def index(self) -> JudgmentIndex:
        """What finds documents among the judgments; it is made once."""
        return judgment_index(self.documents, self.starts, self.offsets)

    def judged(self, run: TopicLists, order: Ints, depth: int) -> Judged:
        """Which of the first documents of a run are in the pool of these judgments?

        Parameters
        ----------
        run : Run or Qrels
            The documents.
        order : array of int
            Its entries, topic after topic, each from first to last.
        depth : int
            Number of documents of each topic to look up.

        Returns
        -------
        Judged
            The topic, the place in the run and the entry among the judgments of each that was found.
        """
        number = self.topic_numbers
        topic_of = np.array([number.get(topic, -1) for topic in run.topics], dtype=np.int64)
        return judged_documents(run.documents, run.starts, run.offsets, order, topic_of, depth, self.index)

    def with_grades(self, grades: Grades, source: str) -> Qrels:
        """The same documents with other grades.

        Parameters
        ----------
        grades : array
            One for each entry.
        source : str
            Where they come from.

        Returns
        -------
        Qrels
        """
        return replace(self, grades=as_grades(grades), source=source)

    def sample(self, percent: float, rng: Rng = 0, *, rel: int = 1) -> Qrels:
        """Keep a random sample of the judgments of each topic; the others become unjudged (-1).

        It shows what measures would say if fewer documents had been judged (yilmaz2006, radja2018 section 7.2). A topic
        keeps round(percent/100 * judged), at least one; if none of them is relevant, a relevant one drawn at random
        replaces the last. With the same seed a smaller sample is part of a larger one, those replacements aside.

        Parameters
        ----------
        percent : float
            The share of judgments to keep on each topic, above 0 and at most 100.
        rng : int, Generator or None, default 0
            The seed; None for a fresh one.
        rel : int, default 1
            The lowest grade that is relevant.

        Returns
        -------
        Qrels

        Examples
        --------
        >>> Qrels.from_dict({"1": {"a": 1, "b": 0, "c": 0, "d": 2}}).sample(50).grades.tolist()
        [-1, -1, 0, 2]
        """
        share = checking.number(percent, "percent", above=0)
        if share > 100:
            raise CallError(f"percent={percent!r}: keep more than 0 and at most 100 percent.")
        generator, seed = checking.generator(rng)
        grades = sample_grades(self.grades, self.offsets, share, generator, rel)
        return self.with_grades(grades, f"{self.source}, {share:g} % ({seed})")

    def to_depth(self, runs: Any, depth: int, *, ties: str = "trec_eval") -> Qrels:
        """Keep the judgments of a shallower pool: the first documents of these runs, and no others.

        Topics that are left without a judgment stay.

        Parameters
        ----------
        runs : path, paths, dict or data frame
            What `Runs.read()` takes.
        depth : int
            The number of documents of each run that go into the pool.
        ties : {"trec_eval", "exact", "input"}, default "trec_eval"
            The order of documents with equal scores; see `evaluate()`.

        Returns
        -------
        Qrels

        Examples
        --------
        >>> Qrels.from_dict({"1": {"a": 1, "b": 0}}).to_depth({"bm25": {"1": {"a": 2.0, "b": 1.0}}}, 1).to_dict()
        {'1': {'a': 1}}
        """
        depth = checking.whole(depth, "depth", least=1)
        pooled = np.zeros(len(self), np.bool_)
        for run in (run for load in run_loaders(runs) for run in load()):
            pooled[self.judged(run, run.order(ties), depth).entry] = True
        return full_part(self, pooled, f"{self.source}, pool depth {depth}")

    def compare(
        self,
        other: Any,
        *,
        rel: float | tuple[float, float] | None = None,
        weights: str = "quadratic",
        names: tuple[str, str] = ("first", "second"),
    ) -> Any:
        r"""Compare these judgments with those of another assessor, human or machine, on the documents both judged.

        Cohen's kappa is agreement beyond chance, on relevance, on grades (cohen1960), and on grades with disagreements
        weighted by size (cohen1968); the overlap of relevant documents is that of voorhees2000. Do not use it to decide
        whether a judge can replace people: a judge with a low kappa can rank systems well (`tauscope.compare()`).

        .. math:: \kappa = (p_o - p_e) / (1 - p_e)

        Parameters
        ----------
        other : path, dict, data frame or Qrels
            The other judgments.
        rel : float, tuple of two, or None, default None
            The lowest grade that is relevant, for both or for each; None for 1, or 0.5 where grades are real numbers
            from 0 to 1. The kappas on grades are undefined where grades are real numbers.
        weights : {"quadratic", "linear"}, default "quadratic"
            How the weight of a disagreement between grades grows with its size.
        names : tuple of two str, default ("first", "second")
            What the two are called in the result.

        Returns
        -------
        QrelsComparison

        Raises
        ------
        TauscopeError
            If no document was judged in both.

        Examples
        --------
        >>> one = Qrels.from_dict({"1": {"a": 2, "b": 0, "c": 1, "d": 0}})
        >>> one.compare({"1": {"a": 1, "b": 0, "c": 0, "d": 0}}).relevance_kappa
        0.5
        """
        return compare_qrels(self, read_qrels(other), rel=rel, weights=weights, names=names)

    @property
    def values(self) -> Grades:
        """The grade of each entry."""
        return self.grades

    def lines(self) -> Iterator[str]:
        self.check_writable()
        entries = zip(self.topic_of_entry.tolist(), self.document_list(), self.grades.tolist(), strict=True)
        yield from (f"{self.topics[topic]} 0 {document} {grade!r}\n" for topic, document, grade in entries)


def as_grades(values: NDArray[Any]) -> Grades:
    """Integers of 32 bits where all grades are whole, else the real numbers that they are."""
    return values.astype(np.int32 if np.array_equal(values, np.floor(values)) else np.float64)


def read_qrels(source: Any, *, max_bytes: int = MAX_BYTES) -> Qrels:
    """Read judgments; `Qrels.read()` documents what from."""
    if isinstance(source, Qrels):
        return source
    (parts,) = read_parts(source, _COLUMNS, QRELS, "the qrels", max_bytes)
    return Qrels(grades=as_grades(parts.values), **parts.fields())


def sample_grades(full: Grades, offsets: Ints, percent: float, generator: np.random.Generator, rel: int = 1) -> Grades:
    """Return the grades of `Qrels.sample()`, from grades by topic."""
    keys = generator.random(len(full))
    keys[full < 0] = np.inf
    grades = np.full(len(full), UNJUDGED, full.dtype)
    grades[full < UNJUDGED] = full[full < UNJUDGED]
    for begin, end in zip(offsets.tolist(), offsets[1:].tolist(), strict=False):
        judged = int((full[begin:end] >= 0).sum())
        if not judged:
            continue
        order = begin + np.argsort(keys[begin:end], kind="stable")[:judged]
        sample = order[: max(1, round(percent / 100 * judged))]
        relevant = order[full[order] >= rel]
        if relevant.size and not (full[sample] >= rel).any():
            sample[-1] = relevant[0]
        grades[sample] = full[sample]
    return grades


def full_part(qrels: Qrels, part: NDArray[np.bool_], source: str) -> Qrels:
    """Some entries of judgments, all topics."""
    sizes = np.diff(qrels.starts)
    text = np.frombuffer(qrels.documents, np.uint8)[repeated(part, sizes)].tobytes()
    starts = np.concatenate(([0], np.cumsum(sizes[part]))).astype(np.int64)
    counts = tally(qrels.topic_of_entry[part], len(qrels.topics))
    offsets = np.concatenate(([0], np.cumsum(counts))).astype(np.int64)
    return Qrels(
        topics=qrels.topics, offsets=offsets, documents=text, starts=starts, grades=qrels.grades[part], source=source
    )


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
    confusion: Ints
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
    reason = "grades are real numbers" if real else str(Note("one_grade")) if np.isnan(kappas).any() else ""
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


def _shared(a: Qrels, b: Qrels) -> tuple[Ints, NDArray[Any], NDArray[Any]]:
    """(topic, grade in a, grade in b) of the documents judged in both."""
    both_judged = a.judged(b, np.arange(len(b)), len(b))
    place = dict(zip(b.topics, b.offsets.tolist(), strict=False))
    begins = np.array([place.get(name, 0) for name in a.topics], dtype=np.int64)
    x, y = a.grades[both_judged.entry], b.grades[begins[both_judged.topic] + both_judged.place]
    both = (x >= 0) & (y >= 0)
    return both_judged.topic[both].astype(np.int64), x[both], y[both]


def _kappa(confusion: Ints, weights: Floats) -> float:
    """1 - weighted disagreement observed / expected from the margins; NaN where none can be expected."""
    total = confusion.sum()
    expected = np.outer(confusion.sum(axis=1), confusion.sum(axis=0)) / total
    below = float((weights * expected).sum())
    return 1.0 - float((weights * confusion).sum()) / below if below > 0 else float("nan")
