"""The formula of every measure: AP, nDCG, ERR and others, and the conventions behind their numbers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..core.arrays import Bools, Floats, Ints, sums_by, tally
from ..data.names import FAMILIES, MeasureName
from ..errors import CallError
from ..results import Note

#: trec_eval's: the logarithm of a topic's average precision needs a floor.
GMAP_FLOOR = 1e-5
#: How many numbers ERR holds at once.
BLOCK = 1 << 20
#: trec_eval's smoothing of infAP.
INFAP_EPSILON = 1e-5


#: The lowest grade that has a gain: any above 0.
GAINFUL = 5e-324
#: int32, or float64 where grades are real numbers.
Grades = NDArray[Any]


class Settings(NamedTuple):
    """What a label such as RBP(p=0.8,rel=2)@100 asks for.

    Parameters
    ----------
    cutoff : int or None
        The k of a label: only the first k documents count.
    rel : float
        The lowest grade that is relevant.
    p : float
        The persistence of RBP.
    gain : {"binary", "grade", "exp-grade", "linear", "exp"}
        What a relevant document is worth.
    max : float
        The highest grade that is possible.
    depth : int or None
        Cuts the run and leaves ideal rankings as they are.
    """

    cutoff: int | None = None
    rel: float = 1
    p: float = 0.8
    gain: str = "binary"
    max: float = 0
    depth: int | None = None


#: What a label asks for that says nothing.
PLAIN = Settings()


@dataclass(frozen=True)
class Pool:
    """What the judgments say about each topic, computed once for all runs.

    Parameters
    ----------
    topics : int
        Number of topics.
    topic, grade : array
        Topic and grade of each judged document.
    kept : dict
        What was computed already.
    """

    topics: int
    topic: Ints
    grade: Grades
    kept: dict[tuple[object, ...], Floats] = field(default_factory=dict)

    def relevant(self, rel: float) -> Floats:
        """Return R of each topic: the number of documents of at least this grade."""
        return self._once(("relevant", rel), lambda: self._count(self.grade >= max(rel, 0)))

    def not_relevant(self, rel: float) -> Floats:
        """Return N of each topic: the number of judged documents below this grade."""
        return self._once(("not relevant", rel), lambda: self._count((self.grade >= 0) & (self.grade < rel)))

    def ideal(self, s: Settings) -> Floats:
        """Return the discounted cumulated gain of the ideal ranking of each topic, documents by grade."""
        return self._once(("ideal", s.rel, s.gain, s.cutoff), lambda: self._ideal(s))

    def _once(self, key: tuple[object, ...], compute: Callable[[], Floats]) -> Floats:
        if key not in self.kept:
            self.kept[key] = compute()
        return self.kept[key]

    def _count(self, which: Bools) -> Floats:
        return tally(self.topic[which], self.topics).astype(np.float64)

    def _ideal(self, s: Settings) -> Floats:
        gainful = self.grade >= max(s.rel, GAINFUL)
        topic, grade = self.topic[gainful], self.grade[gainful]
        order = np.lexsort((-grade, topic))
        topic, grade = topic[order], grade[order]
        place = np.arange(len(topic)) - np.searchsorted(topic, np.arange(self.topics))[topic]
        within = place < (len(place) if s.cutoff is None else s.cutoff)
        dcg = _gain(grade[within], s) / np.log2(place[within] + 2.0)
        return np.asarray(sums_by(topic[within], dcg, self.topics))


@dataclass(frozen=True)
class Hits:
    """The relevant documents that a run retrieved, in order of topic and place.

    Parameters
    ----------
    pool : Pool
        The judgments.
    topic, place, grade : array
        Topic, place in the run (0 for the first) and grade of each.
    above : array
        Number of documents of the pool at higher places.
    number : array
        Number of relevant ones among them.
    unjudged : array
        Number of those without a grade among them.
    """

    pool: Pool
    topic: NDArray[np.int32]
    place: NDArray[np.int32]
    grade: Grades
    above: Ints
    number: Ints
    unjudged: Ints

    def cut(self, depth: int | None) -> Hits:
        """Keep only the documents at the first `depth` places; None keeps all."""
        if depth is None:
            return self
        k = self.place < depth
        counts = self.above[k], self.number[k], self.unjudged[k]
        return Hits(self.pool, self.topic[k], self.place[k], self.grade[k], *counts)

    def sum(self, values: Floats) -> Floats:
        """Sum a value of each document by topic."""
        return np.asarray(sums_by(self.topic, values, self.pool.topics))

    def count(self) -> Floats:
        """Count the documents by topic."""
        return tally(self.topic, self.pool.topics).astype(np.float64)


@dataclass(frozen=True)
class Gains:
    """The documents of the pool that a run retrieved, in order of topic and place.

    Parameters
    ----------
    pool : Pool
        The judgments.
    topic, place, grade : array
        Topic, place in the run and grade of each document.
    kept : dict
        Relevant documents by the lowest grade that counts, computed once.
    """

    pool: Pool
    topic: NDArray[np.int32]
    place: NDArray[np.int32]
    grade: Grades
    kept: dict[float, Hits] = field(default_factory=dict)

    def hits(self, rel: float) -> Hits:
        """Return the documents of at least this grade."""
        if rel not in self.kept:
            self.kept[rel] = self._hits(rel)
        return self.kept[rel]

    @cached_property
    def first(self) -> Ints:
        """Where each topic begins."""
        return np.searchsorted(self.topic, np.arange(self.pool.topics, dtype=np.int32))

    def _hits(self, rel: float) -> Hits:
        at = np.flatnonzero(self.grade >= rel)
        topic = self.topic[at]
        above = at - self.first[topic]
        number = np.arange(len(at)) - np.searchsorted(topic, np.arange(self.pool.topics, dtype=np.int32))[topic]
        unjudged = np.zeros(len(at), np.int64)
        if self.grade.min(initial=0) < 0:
            before = np.concatenate(([0], np.cumsum(self.grade < 0)))
            unjudged = before[at] - before[self.first[topic]]
        return Hits(self.pool, topic, self.place[at], self.grade[at], above, number, unjudged)


def average_precision(h: Hits, s: Settings) -> Floats:
    """AP = 1/R * sum over relevant documents of the precision at their rank."""
    return _ratio(h.sum((h.number + 1) / (h.place + 1.0)), h.pool.relevant(s.rel))


def ndcg(h: Hits, s: Settings) -> Floats:
    """nDCG = DCG / DCG of the ideal ranking, DCG = sum gain / log2(rank + 1) (jarvelin2002).

    The gain is the grade, or with dcg='exp-log2' 2^grade - 1.
    """
    return _ratio(h.sum(_gain(h.grade, s) / np.log2(h.place + 2.0)), h.pool.ideal(s))


def precision(h: Hits, s: Settings) -> Floats:
    """P@k = relevant documents among the first k / k."""
    return h.count() / float(s.cutoff or 1)


def recall(h: Hits, s: Settings) -> Floats:
    """R@k = relevant documents among the first k / R."""
    return _ratio(h.count(), h.pool.relevant(s.rel))


def reciprocal_rank(h: Hits, s: Settings) -> Floats:
    """RR = 1 / rank of the first relevant document."""
    return h.sum((h.number == 0) / (h.place + 1.0))


def r_precision(h: Hits, s: Settings) -> Floats:
    """Rprec = relevant documents among the first R / R."""
    relevant = h.pool.relevant(s.rel)
    return _ratio(h.sum((h.place < relevant[h.topic]).astype(np.float64)), relevant)


def bpref(h: Hits, s: Settings) -> Floats:
    """Bpref = 1/R * sum over relevant documents of 1 - min(n, R) / min(N, R) (buckley2004, as trec_eval has it).

    n counts the judged documents above it that are not relevant, N those of the topic.
    """
    relevant = h.pool.relevant(s.rel)
    others = h.above - h.number - h.unjudged
    most = np.maximum(np.minimum(h.pool.not_relevant(s.rel), relevant), 1.0)
    return _ratio(h.sum(1.0 - np.minimum(others, relevant[h.topic]) / most[h.topic]), relevant)


def inferred_ap(h: Hits, s: Settings) -> Floats:
    """infAP: the expected precision at each relevant document when the judged are a sample of the pool (yilmaz2006).

    At rank k: 1/k + (k-1)/k * pooled/(k-1) * (relevant + e)/(judged + 2e), each counted above k.
    """
    places = h.place.astype(np.float64)
    share = (h.number + INFAP_EPSILON) / (h.above - h.unjudged + 2 * INFAP_EPSILON)
    expected = 1.0 / (places + 1.0) + places / (places + 1.0) * (h.above / np.maximum(places, 1.0)) * share
    return _ratio(h.sum(expected), h.pool.relevant(s.rel))


def expected_reciprocal_rank(h: Hits, s: Settings) -> Floats:
    """ERR = sum 1/rank * r * product over the documents above of (1 - r), r = (2^grade - 1) / 2^max (chapelle2009)."""
    stop = _gain(h.grade, s)
    return h.sum(stop * _reached(h, stop) / (h.place + 1.0))


def relevant_retrieved(h: Hits, s: Settings) -> Floats:
    """NumRelRet@k: how many relevant documents are among the first k; ranx calls it hits@k."""
    return h.count()


def relevant_documents(h: Hits, s: Settings) -> Floats:
    """NumRel = R, whatever was retrieved."""
    return h.pool.relevant(s.rel)


def rank_biased_precision(h: Hits, s: Settings) -> Floats:
    """RBP = (1 - p) * sum gain * p^(rank - 1) (moffat2008).

    The gain is 1 for relevant documents; with gain='linear' grade/max, with gain='exp' (2^grade - 1) / 2^max.
    """
    return h.sum((1.0 - s.p) * _gain(h.grade, s) * np.power(s.p, h.place))


@dataclass(frozen=True, kw_only=True)
class Measure:
    """One kind of measure: all that is known of it, from its formula to its conventions.

    Attributes
    ----------
    name : str
        The family of `data.names.MeasureName`, which knows other spellings and the range.
    formula : callable or None
        Makes one value per topic from the relevant documents retrieved and the settings; None for GMAP, which is one
        number per system and made from AP.
    definition : str
        What it measures, in a sentence.
    convention : str
        What other tools do differently, and what else a reader of its values must know.
    parameters : tuple of str
        What a label may give in brackets, as in P(rel=2)@10.
    defaults : Settings
        What holds where the label says nothing.
    needs_cutoff : bool
        Whether it has no value without a cut-off.
    paper : str
        Key of its paper; "" if it has none.
    """

    name: str
    formula: Callable[[Hits, Settings], Floats] | None
    definition: str
    convention: str
    parameters: tuple[str, ...] = ("rel",)
    defaults: Settings = PLAIN
    needs_cutoff: bool = False
    paper: str = ""

    def row(self) -> dict[str, str]:
        """Return the record as texts: label, definition, parameters, convention, other spellings and paper."""
        also = (alias for alias in FAMILIES[self.name].aliases if MeasureName.parse(alias).family == self.name)
        return {
            "measure": f"{self.name}@k" if self.needs_cutoff else self.name,
            "definition": self.definition,
            "parameters": ", ".join((*self.parameters, "depth")),
            "convention": self.convention,
            "also": ", ".join(also),
            "paper": self.paper,
        }


#: Every measure of ours by its name. What is not here is computed by ir_measures.
MEASURES: dict[str, Measure] = {
    measure.name: measure
    for measure in (
        Measure(
            name="AP",
            formula=average_precision,
            definition="mean precision at the ranks of the relevant documents, those not retrieved counting 0",
            convention="R is all relevant documents of the qrels, also beyond a cut-off, as in trec_eval's map_cut",
        ),
        Measure(
            name="nDCG",
            formula=ndcg,
            definition=(
                "discounted cumulated gain, discount log2(rank + 1), divided by that of the ideal ranking of the qrels"
            ),
            convention=(
                "gain is the grade, as in trec_eval; dcg='exp-log2' has 2^grade - 1, as ranx's ndcg_burges and many "
                "papers have; the ideal ranking is that of the qrels, cut at k"
            ),
            parameters=("rel", "dcg"),
            defaults=Settings(gain="grade"),
            paper="jarvelin2002",
        ),
        Measure(
            name="P",
            formula=precision,
            definition="share of relevant documents among the first k",
            convention="divides by k, also where a run has fewer documents",
            needs_cutoff=True,
        ),
        Measure(
            name="R",
            formula=recall,
            definition="share of the relevant documents that are among the first k",
            convention="divides by all relevant documents; without a cut-off the whole run counts",
        ),
        Measure(
            name="RR",
            formula=reciprocal_rank,
            definition="1 / rank of the first relevant document",
            convention="0 where no relevant document was retrieved; with a cut-off, none among the first k",
        ),
        Measure(
            name="Rprec",
            formula=r_precision,
            definition="share of relevant documents among the first R, R being how many there are",
            convention="0 for a topic without relevant documents",
        ),
        Measure(
            name="Bpref",
            formula=bpref,
            definition="how few judged documents that are not relevant stand above relevant ones",
            convention=(
                "documents with a grade below 0 are no judgments; min(N, R) below the line, as trec_eval has it"
            ),
            paper="buckley2004",
        ),
        Measure(
            name="infAP",
            formula=inferred_ap,
            definition="AP expected where the judged documents are a sample of the pool",
            convention=(
                "documents with a grade below 0 are in the pool and not judged; smoothing 0.00001, as in trec_eval"
            ),
            paper="yilmaz2006",
        ),
        Measure(
            name="ERR",
            formula=expected_reciprocal_rank,
            definition="expected 1 / rank at which a reader is satisfied, by the grades (2^grade - 1) / 2^max",
            convention=(
                "the highest grade is that of the qrels, or max=; gdeval and ir_measures take 4 whatever the qrels hold"
            ),
            paper="chapelle2009",
            parameters=("rel", "max"),
            defaults=Settings(gain="exp"),
        ),
        Measure(
            name="RBP",
            formula=rank_biased_precision,
            definition="gain expected by a reader who goes on to the next document with probability p",
            convention=(
                "p is 0.8 where it is not said, as in ir_measures (trec_eval 10: 0.9); binary where gain= is not said"
            ),
            parameters=("rel", "p", "gain", "max"),
            paper="moffat2008",
        ),
        Measure(
            name="NumRelRet",
            formula=relevant_retrieved,
            definition="how many relevant documents are among the first k",
            convention="a count, which ranx calls hits@k; hits@k is asked back, for others mean whether there is one",
        ),
        Measure(
            name="NumRel",
            formula=relevant_documents,
            definition="how many relevant documents the topic has, retrieved or not",
            convention="the same for every run, also for a topic that a run lacks",
        ),
        Measure(
            name="GMAP",
            formula=None,
            definition="geometric mean of AP over topics",
            convention=(
                "exp of the mean log of AP, AP below 0.00001 counting 0.00001; one number per system, not per topic"
            ),
            paper="robertson2006",
        ),
    )
}


def _reached(h: Hits, stop: Floats) -> Floats:
    """Return for each hit the probability that a reader gets there: the product of 1 - stop over the hits above.

    Parameters
    ----------
    h : Hits
        The documents.
    stop : array
        The probability that a reader stops at each.
    """
    width = int(h.number.max(initial=-1)) + 2
    step = max(1, min(h.pool.topics, BLOCK // width))
    reached = np.empty(len(stop))
    for begin in range(0, h.pool.topics, step):
        part = slice(*np.searchsorted(h.topic, [begin, begin + step]))
        topic, number = h.topic[part] - begin, h.number[part]
        goes_on = np.ones((step, width))
        goes_on[topic, number + 1] = 1.0 - stop[part]
        reached[part] = np.cumprod(goes_on, axis=1)[topic, number]
    return reached


def _gain(grade: Grades, s: Settings) -> Floats:
    """Return what each document is worth, by its grade."""
    if s.gain == "binary":
        return np.ones(len(grade))
    if s.gain == "grade":
        return grade.astype(np.float64)
    if s.gain == "exp-grade":
        return np.exp2(grade.astype(np.float64)) - 1.0
    if s.gain == "linear":
        return grade.astype(np.float64) / s.max
    return np.asarray((np.exp2(grade.astype(np.float64)) - 1.0) / np.exp2(s.max))


def _ratio(above: Floats, below: Floats) -> Floats:
    """Return a quotient that is 0 where there is nothing to divide by."""
    return np.asarray(np.divide(above, below, out=np.zeros(len(below)), where=below > 0))


#: What holds for all of them.
GENERAL = tuple(
    Note(f"convention_{code}") for code in ("relevance", "negative_grades", "equal_scores", "missing_topics", "others")
)


def rows() -> list[dict[str, str]]:
    """Return every measure as texts."""
    return [measure.row() for measure in MEASURES.values()]


def row_of(text: str) -> dict[str, str]:
    """Return one measure, in any of its spellings, as texts."""
    name = MeasureName.parse(text).family
    if name not in MEASURES:
        known = ", ".join(MEASURES)
        raise CallError(f"{text} is not one of our measures ({known}); ir_measures computes it, if it has it.")
    return MEASURES[name].row()
