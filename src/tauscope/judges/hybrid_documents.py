"""People judged some documents of each topic, and a judge all of them: measures without bias, and which documents
next."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar, Literal, NamedTuple

import numpy as np

from ..core import checking
from ..core.arrays import Bools, Floats, Ints, tally
from ..core.checking import Stream, stream
from ..data.cube import ScoreCube
from ..data.labels import shown
from ..errors import Advice, AlignmentError, CallError, Option, TauscopeError
from ..evaluation.evaluate import evaluate
from ..evaluation.labels import Chosen, Scale, choose
from ..evaluation.qrels import Qrels, read_qrels
from ..evaluation.runs import Runs
from ..io.write import write_columns
from ..results import Note, Plain, count, large, per_row
from .hybrid_plan import allocated

#: Measures that can be estimated.
FAMILIES = ("P", "AP", "nDCG")
#: With so many judged documents of a topic nDCG has hardly any bias; with fewer it can be OFF (benchmarks).
ENOUGH, OFF = 20, 0.01
#: Of a stratum fewer say nothing of its error.
FEWEST = 2
#: Deeper than any run.
BOTTOM = 2**31 - 1
#: A document that a system does not have.
AWAY = 2**40


class Pool(NamedTuple):
    """The documents that the judge judged: its qrels, people's grade of each (-1: none), the place of each in every
    run, and where the strata end."""

    machine: Qrels
    grades: Ints
    places: Any
    ends: tuple[int, ...]


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class DocumentPlan(Plain):
    """How many documents people must judge for a standard error, or for an interval of some width.

    Parameters
    ----------
    measure : str
        The measure.
    goal : str
        "error" or "width".
    target : float
        What is to be reached, on average over systems.
    error : float
        The standard error so far.
    judged, documents : int
        Number of documents that people have judged, and of those that the judge has.
    needed : int or None
        Number of documents of all topics together; None if people judged all of them already.
    """

    QUESTION: ClassVar[str] = "document_plan"
    PAPERS: ClassVar[tuple[str, ...]] = ("horvitz1952",)
    measure: str
    goal: str
    target: float
    error: float
    judged: int
    documents: int
    needed: int | None
    level: float

    def columns(self) -> dict[str, Any]:
        names = ("measure", "goal", "target", "error", "judged", "documents", "needed")
        return {name: [getattr(self, name)] for name in names}


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class DocumentSample(Plain):
    """Documents to give to assessors, topic by topic in a random order, and the chances that they were drawn with.

    Parameters
    ----------
    topic, document : tuple of str
        What to judge next: a topic and a document of it.
    stratum : tuple of int
        The stratum of each, from 1, the shallowest first.
    chance : array of float
        Which share of its stratum people have judged then, documents judged before among them.
    depths : tuple of int
        Where strata end.
    of : int
        Number of documents to choose from.
    judged : int
        Number of documents that people had judged before.
    seed : int
        Seed of the draw.
    """

    QUESTION: ClassVar[str] = "document_sample"
    PAPERS: ClassVar[tuple[str, ...]] = ("horvitz1952", "aslam2006")
    topic: tuple[str, ...] = per_row()
    document: tuple[str, ...] = per_row()
    stratum: tuple[int, ...] = per_row()
    chance: Floats = per_row()
    depths: tuple[int, ...]
    of: int
    judged: int
    seed: int

    def __len__(self) -> int:
        """Return the number of documents that were drawn."""
        return len(self.document)

    def write(self, path: str | Path) -> Path:
        """Write the list for assessors: topic, document, stratum, chance.

        Parameters
        ----------
        path : str or Path
            A CSV or TSV file.

        Returns
        -------
        Path
            Where it was written.
        """
        return write_columns(self.columns(), path)


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class HybridDocuments(Plain):
    """Measures of runs from people's labels of a sample of documents and a judge's of all. One row per measure and
    system, the best by that measure first.

    Parameters
    ----------
    scores : ScoreCube
        Estimates of every measure, topic and system. Single topics may be below 0 or above 1: means are without bias.
    errors : array of float
        Standard errors of the same over samples of documents: measures x topics x systems.
    judge : array of float
        What the judge alone says of each system: measures x systems.
    human_documents, judge_documents : int
        Number of documents that people judged, and that the judge did.
    depths : tuple of int
        Where the strata end, by the best place of a document in any run; empty if each topic is one stratum.
    level : float
        Confidence of intervals.
    notes : tuple
        What was left out.
    seed : int
        Seed of the draws of `next()`.
    """

    QUESTION: ClassVar[str] = "hybrid_documents"
    PAPERS: ClassVar[tuple[str, ...]] = ("aslam2006", "yilmaz2006", "angelopoulos2023", "horvitz1952", "beale1962")
    VIEWS: ClassVar[tuple[str, ...]] = ("plan", "next")
    scores: ScoreCube = large()
    errors: Floats = large()
    judge: Floats
    human_documents: int
    judge_documents: int
    depths: tuple[int, ...]
    seed: int
    level: float
    notes: tuple[Note | str, ...] = ()
    _pool: Pool = field(repr=False)

    @property
    def measures(self) -> tuple[str, ...]:
        """Labels of the measures."""
        return self.scores.measures

    @property
    def means(self) -> Floats:
        """The mean over topics of each measure and system: measures x systems."""
        return np.asarray(self.scores.values.mean(axis=1))

    @property
    def errors_here(self) -> Floats:
        """Standard errors of the means over these topics: what the sample of documents leaves open."""
        return np.asarray(np.sqrt((self.errors**2).sum(axis=1)) / self.errors.shape[1])

    @property
    def errors_of_population(self) -> Floats:
        """Standard errors of the means over all topics that could have been asked: documents and topics together."""
        topics = self.errors.shape[1]
        return (
            np.asarray(self.scores.values.std(axis=1, ddof=1) / math.sqrt(topics))
            if topics > 1
            else self.errors[:, 0] * math.nan
        )

    def plan(
        self, goal: Literal["error", "width"] = "error", *, target: float, measure: str | None = None
    ) -> DocumentPlan:
        """Compute how many documents people must judge for a standard error, or an interval, over these topics.

        The variance of a sample of a share p of the documents is proportional to 1/p - 1, with strata as they are.

        Parameters
        ----------
        goal : {"error", "width"}, default "error"
            The standard error of a system's mean over these topics, on average over systems; or the width of its
            interval.
        target : float
            What to reach.
        measure : str or None, default None
            One of the measures; None for the first.

        Returns
        -------
        DocumentPlan
        """
        from scipy.special import ndtri

        checking.one_of(goal, ("error", "width"), "goal")
        wanted = checking.number(target, "target", above=0.0)
        wanted /= 2 * float(ndtri((1 + self.level) / 2)) if goal == "width" else 1.0
        row = 0 if measure is None else self.measures.index(checking.one_of(measure, self.measures, "measure"))
        variance = float((self.errors_here[row] ** 2).mean())
        share = self.human_documents / self.judge_documents
        needed = None
        if share < 1 and variance > 0:
            odds = wanted**2 / variance * (1 / share - 1)
            needed = math.ceil(self.judge_documents / (1 + odds))
        return DocumentPlan(
            measure=self.measures[row],
            goal=goal,
            target=target,
            error=math.sqrt(variance),
            judged=self.human_documents,
            documents=self.judge_documents,
            needed=needed,
            level=self.level,
        )

    def next(self, choose: int) -> DocumentSample:
        """Draw documents of each topic for people to judge next, so that the estimates stay without bias.

        Documents of each topic are drawn at random from those that the judge judged. With `depths`, the documents that
        some run has near its top are a stratum of their own, and as many are drawn from each stratum as from the
        others, as far as they go: so the few at the top, which decide P@k and nDCG, are judged more often, and count
        less each.
        Every document of a stratum has the same chance, the share of it that is judged.

        Do not let people judge the documents that look best instead: no chance is known then, and no estimate is
        without bias.

        Parameters
        ----------
        choose : int
            Number of documents of each topic, or all that are left.

        Returns
        -------
        DocumentSample
        """
        return sampled_documents(self._pool, choose, self.seed)

    def columns(self) -> dict[str, Any]:
        measures, systems = self.measures, self.scores.systems
        order = np.argsort(-self.means, axis=1, kind="stable")
        values = {
            "mean": self.means,
            "error": self.errors_here,
            "error_of_population": self.errors_of_population,
            "judge": self.judge,
        }
        return {
            "measure": [m for m in measures for _ in systems],
            "system": [systems[i] for i in order.ravel()],
            **{name: np.take_along_axis(table, order, axis=1).ravel() for name, table in values.items()},
        }


def pool(runs: Any, human: Any, judge: Any, depths: Iterable[int], unmatched: str) -> tuple[Pool, Runs, Any]:
    """Align people's judgments of documents with the judge's, in the runs.

    Parameters
    ----------
    runs : object
        What `Runs.read()` takes.
    human, judge : object
        What `Qrels.read()` takes; `human` can be None.
    depths : iterable of int
        Depths at which strata of documents end.
    unmatched : {"error", "drop"}
        What to do with documents that only people judged.

    Returns
    -------
    (Pool, Runs, tuple of Note)
    """
    ends = tuple(sorted({checking.whole(depth, "depths", least=1) for depth in depths}))
    machine, systems = read_qrels(judge), Runs.read(runs)
    grades, notes = np.full(len(machine), -1, dtype=np.int64), tuple[Note, ...]()
    if human is not None:
        grades, notes = grades_of_people(read_qrels(human), machine, unmatched)
    return Pool(machine, grades, places_in(systems, machine), ends), systems, notes


def estimated(
    runs: Any, human: Any, judge: Any, measures: Any, *, depths: Iterable[int], unmatched: str, level: float, seed: int
) -> HybridDocuments:
    """Estimate measures of runs from people's labels of some documents and a judge's of all.

    A document's label is estimated by t j + (N/n)(h - t j) where people judged it, and by t j where they did not; j is
    the judge's label, h people's, N/n the documents for each one sampled, t the share of the judge that is used, from 0
    to 1. P@k, DCG and the number of relevant documents are sums of these; the numerator of AP is a sum over pairs of
    documents, with the chances of pairs, as in statAP (aslam2006; infAP, yilmaz2006, is its case without a judge). AP
    and nDCG divide by estimates; a jackknife over documents, for nDCG Beale's correction of a quotient (beale1962),
    takes off the bias of that. The errors are the jackknife's. t comes from the other topics.
    """
    checking.one_of(unmatched, ("error", "drop"), "unmatched")
    people, machine = read_qrels(human), read_qrels(judge)
    highest = _highest(people, machine)
    chosen, _ = choose(measures, Scale(highest, highest))
    _check(chosen)
    own, systems, notes = pool(runs, people, machine, depths, unmatched)
    topics, names = _topics(machine, own.grades, own.places, own.ends)
    values, variances = _estimated(topics, chosen, highest)
    alone = evaluate(systems, machine, [one.label for one in chosen])
    kept = [alone.topics.index(name) for name in names]
    left = len(machine.topics) - len(names)
    return HybridDocuments(
        scores=ScoreCube(values, tuple(one.label for one in chosen), tuple(names), tuple(run.name for run in systems)),
        errors=np.sqrt(variances),
        judge=alone.values[:, kept].mean(axis=1),
        human_documents=sum(len(topic.sampled) for topic in topics),
        judge_documents=sum(len(topic.judge) for topic in topics),
        depths=own.ends,
        seed=seed,
        level=level,
        notes=(*notes, *((Note("unjudged_topics", topics=left),) if left else ()), *_few(topics, chosen)),
        _pool=own,
    )


def _highest(people: Qrels, machine: Qrels) -> int:
    """The highest grade of both; a gain is a sum over whole grades here."""
    for qrels, name in ((people, "human"), (machine, "judge")):
        if qrels.real:
            raise TauscopeError(
                f"hybrid() takes whole grades, and `{name}` has others.",
                Advice("Make whole grades of them first, such as 0 and 1 by a threshold."),
            )
    return int(max(people.highest, machine.highest))


def _check(chosen: list[Chosen]) -> None:
    other = [one.label for one in chosen if one.measure is None or one.measure.name not in FAMILIES]
    if other:
        raise CallError(
            f"hybrid() estimates AP, P@k and nDCG@k, not {', '.join(other)}.",
            Option("measures", effect="with labels of these alone"),
        )


def _topics(machine: Qrels, grades: Any, places: Any, depths: tuple[int, ...]) -> tuple[list[Topic], list[str]]:
    """The topics of which people judged something."""
    found, names = [], []
    for number_, name in enumerate(machine.topics):
        here = pool_of(machine, number_)
        if not (grades[here] >= 0).any():
            continue
        topic = Topic(
            places=places[:, here],
            judge=machine.grades[here].astype(np.int64),
            human=grades[here],
            stratum=strata_by_depth(places[:, here], depths),
        )
        if too_few(topic).any():
            raise TauscopeError(
                f"Topic {name!r} has a stratum of which people judged fewer than two documents.",
                Option("depths", effect="with fewer strata") if depths else Advice("Have people judge at least two."),
            )
        found.append(topic)
        names.append(name)
    if not found:
        raise AlignmentError("People and judge share no document.", Advice("Are topics and documents spelled alike?"))
    return found, names


def _estimated(topics: list[Topic], chosen: list[Chosen], highest: int) -> tuple[Floats, Floats]:
    """Values and variances: measures x topics x systems."""
    rows = [_of_measure(one, topics, highest) for one in chosen]
    values, variances = (np.array([[pair[i] for pair in row] for row in rows]) for i in (0, 1))
    return values, variances


def _of_measure(one: Chosen, topics: list[Topic], highest: int) -> list[Estimate]:
    """A measure of each topic."""
    settings = one.settings
    cutoff = BOTTOM if one.reach is None else one.reach
    rel = max(1, math.ceil(settings.rel))
    if one.measure is not None and one.measure.name == "nDCG":
        gain = (lambda g: 2.0**g - 1) if settings.gain == "exp-grade" else float
        before = {g: gain(g - 1) if g > rel else 0.0 for g in range(rel, highest + 1)}
        steps = {g: gain(g) - low for g, low in before.items()}
        by_grade = {g: shares_of_judge(topics, g) for g in steps}
        shares = [{g: own[place] for g, own in by_grade.items()} for place in range(len(topics))]
        return [ndcg(topic, cutoff, steps, own) for topic, own in zip(topics, shares, strict=True)]
    formula = precision if one.measure is not None and one.measure.name == "P" else average_precision
    both = zip(topics, shares_of_judge(topics, rel), strict=True)
    return [formula(topic, cutoff, rel, share) for topic, share in both]


def _few(topics: list[Topic], chosen: list[Chosen]) -> tuple[Note, ...]:
    """Note where nDCG rests on few documents."""
    few = sum(len(topic.sampled) < ENOUGH and len(topic.replicas) > 0 for topic in topics)
    if not few or all(one.measure is None or one.measure.name != "nDCG" for one in chosen):
        return ()
    return (Note("few_documents", topics=few, least=ENOUGH, off=OFF),)


def sampled_documents(own: Pool, choose: int, seed: int) -> DocumentSample:
    """Draw documents of each topic that people have not judged."""
    wanted = checking.whole(choose, "choose", least=1)
    machine, grades, generator = own.machine, own.grades, stream(seed, Stream.TOPICS)
    entries, strata, chances, left = [], [], [], 0
    for number_ in range(len(machine.topics)):
        here = pool_of(machine, number_)
        drawn = _drawn(strata_by_depth(own.places[:, here], own.ends), grades[here] >= 0, wanted, generator)
        entries.append(here[drawn[0]])
        strata.append(drawn[1])
        chances.append(drawn[2])
        left += int((grades[here] < 0).sum())
    if not left:
        raise TauscopeError("People have judged all documents that the judge judged.")
    at = np.concatenate(entries)
    return DocumentSample(
        topic=tuple(machine.topics[machine.topic_of_entry[i]] for i in at.tolist()),
        document=tuple(machine.document(i) for i in at.tolist()),
        stratum=tuple(np.concatenate(strata).tolist()),
        chance=np.concatenate(chances),
        depths=own.ends,
        of=left,
        judged=int((grades >= 0).sum()),
        seed=seed,
    )


def _drawn(stratum: Ints, known: Any, wanted: int, generator: np.random.Generator) -> tuple[Ints, Ints, Floats]:
    """Places of documents of one topic, their strata and chances."""
    size = int(stratum.max(initial=-1)) + 1
    open_ = tally(stratum[~known], size)
    share = allocated(
        np.ones(size), open_, min(wanted, int(open_.sum())), fewest=FEWEST if wanted >= FEWEST * size else 0
    )
    picked = [generator.permutation(np.flatnonzero(~known & (stratum == h)))[: share[h]] for h in range(size)]
    order = generator.permutation(np.concatenate([*picked, np.zeros(0, np.int64)]).astype(np.int64))
    then = (tally(stratum[known], size) + share) / np.maximum(tally(stratum, size), 1)
    return order, stratum[order] + 1, np.asarray(then[stratum[order]], dtype=float)


def pool_of(machine: Qrels, topic: int) -> Ints:
    """The entries of a topic that the judge has a label for."""
    here = np.arange(machine.offsets[topic], machine.offsets[topic + 1])
    return np.asarray(here[machine.grades[here] >= 0])


def strata_by_depth(places: Ints, depths: tuple[int, ...]) -> Ints:
    """Number the stratum of each document by its best place in any system.

    Parameters
    ----------
    places : array of systems x documents
        Places from 0.
    depths : tuple of int
        Where strata end.

    Returns
    -------
    array of int
        0 for documents above the first depth; strata without documents are skipped.

    Examples
    --------
    >>> strata_by_depth(np.array([[0, 4, 20], [9, 30, 25]]), (3, 10)).tolist()
    [0, 1, 2]
    """
    best = places.min(axis=0, initial=np.iinfo(np.int64).max)
    found = np.searchsorted(np.array(depths), best, side="right")
    _, stratum = np.unique(found, return_inverse=True)
    return stratum.reshape(-1).astype(np.int64)


def grades_of_people(people: Qrels, machine: Qrels, unmatched: str) -> tuple[Any, tuple[Note, ...]]:
    """People's grade of each of the judge's documents, -1 where there is none."""
    found = machine.judged(people, np.arange(len(people)), BOTTOM)
    place_of = people.topic_numbers
    first = np.array([people.offsets[place_of[t]] if t in place_of else -1 for t in machine.topics])
    entries = first[found.topic] + found.place
    known = np.zeros(len(people), bool)
    known[entries] = machine.grades[found.entry] >= 0
    alone = np.flatnonzero(~known & (people.grades >= 0))
    if len(alone) and unmatched == "error":
        some = [f"{people.topics[people.topic_of_entry[i]]} {people.document(i)}" for i in alone[:5].tolist()]
        raise AlignmentError(
            f"{count(len(alone), 'document')} that people judged the judge did not: {shown(some)}.",
            Option("unmatched", "drop", effect="to leave them out"),
        )
    grades = np.full(len(machine), -1, dtype=np.int64)
    grades[found.entry] = people.grades[entries]
    return grades, ((Note("human_only_documents", documents=len(alone)),) if len(alone) else ())


def places_in(systems: Runs, machine: Qrels) -> Any:
    """The place of each of the judge's documents in each system: systems x documents."""
    places = np.full((len(systems), len(machine)), AWAY, dtype=np.int64)
    for row, run in zip(places, systems, strict=True):
        found = machine.judged(run, run.order(), BOTTOM)
        row[found.entry] = found.place
    return places


#: A value of each system, and its variance.
Estimate = tuple[Floats, Floats]


@dataclass(frozen=True, eq=False, kw_only=True)
class Topic:
    """One topic. `places` is systems x documents of the pool, 0 for the first, `AWAY` where a system has it not;
    `judge` and `human` are grades, those of people -1 where they did not judge; `stratum` is of each document."""

    places: Ints
    judge: Ints
    human: Ints
    stratum: Ints

    @cached_property
    def sampled(self) -> Ints:
        """Documents that people judged."""
        return np.flatnonzero(self.human >= 0)

    @cached_property
    def sizes(self) -> tuple[Ints, Ints]:
        """N and n of each stratum."""
        most = int(self.stratum.max()) + 1
        return tally(self.stratum, most), tally(self.stratum[self.sampled], most)

    @cached_property
    def replicas(self) -> Ints:
        """The sampled documents of which one at a time is left out: those of strata that were not judged as a whole."""
        whole, n = self.sizes
        return np.asarray(self.sampled[(n < whole)[self.stratum[self.sampled]]])

    @cached_property
    def weights(self) -> tuple[Floats, Floats]:
        """N/n of every document, 0 where it is not sampled, and what pairs of the same stratum count more: the sample
        as it is first, then without one after the other; replicas x documents, replicas x strata."""
        whole, n = self.sizes
        counts = np.repeat(n[None], 1 + len(self.replicas), axis=0)
        rows = np.arange(1, len(counts))
        counts[rows, self.stratum[self.replicas]] -= 1
        there = np.zeros((len(counts), len(self.human)), bool)
        there[:, self.sampled] = True
        there[rows, self.replicas] = False
        weights = np.where(there, (whole / np.maximum(counts, 1))[:, self.stratum], 0.0)
        below = np.maximum((counts - 1) * whole, 1)
        pairs = np.where(counts > 1, counts * (whole - 1) / below, 1.0)
        return weights, np.asarray(pairs)

    def labels(self, level: int, share: float) -> tuple[Floats, Floats, float]:
        """Whether each document has at least this grade: r_d and the part of it that was sampled, replicas x documents,
        and for how many people said so."""
        judge, human = (self.judge >= level).astype(float), (self.human >= level).astype(float)
        drawn = self.weights[0] * (human - share * judge)
        return share * judge + drawn, drawn, float(human[self.sampled].sum())

    def covariance(self, left: Floats, right: Floats) -> Floats:
        """Of two estimates over samples of documents, from their replicas: replicas x estimates, or x 1."""
        whole, n = self.sizes
        total = np.zeros(left.shape[1])
        for h, own in self._left_out():
            x, y = (side[1:][own] - side[1:][own].mean(axis=0) for side in (left, right))
            total += (1 - n[h] / whole[h]) * (n[h] - 1) / n[h] * (x * y).sum(axis=0)
        return total

    def jackknife(self, values: Floats) -> Estimate:
        """Values without the bias of the order 1/n, and their variances, from replicas x values."""
        whole, n = self.sizes
        bias = np.zeros(values.shape[1])
        for h, own in self._left_out():
            bias += (1 - n[h] / whole[h]) * (n[h] - 1) * (values[1:][own].mean(axis=0) - values[0])
        return values[0] - bias, self.covariance(values, values)

    def _left_out(self) -> list[tuple[int, Bools]]:
        """Strata, and which of the replicas lack a document of each."""
        stratum = self.stratum[self.replicas]
        return [(int(h), stratum == h) for h in np.unique(stratum)]


def precision(topic: Topic, cutoff: int, level: int, share: float) -> Estimate:
    """Estimate P@k of each system on one topic.

    Parameters
    ----------
    topic : Topic
        Grades and places of the documents.
    cutoff : int
        k.
    level : int
        The lowest grade that is relevant.
    share : float
        The share t of the judge that is used.

    Returns
    -------
    (array, array)
        Values without the bias of order 1/n, and their variances over samples of documents.
    """
    labels, _, _ = topic.labels(level, share)
    return topic.jackknife(labels @ (topic.places < cutoff).T.astype(float) / cutoff)


def average_precision(topic: Topic, cutoff: int, level: int, share: float) -> Estimate:
    """Estimate AP of each system on one topic.

    The numerator is a sum over pairs of documents, with the chances of pairs, as in statAP (aslam2006); the
    denominator is an estimate too, and a jackknife over documents takes off the bias of the quotient.

    Parameters
    ----------
    topic, cutoff, level, share
        As in `precision()`.

    Returns
    -------
    (array, array)
        Values and their variances.
    """
    labels, drawn, seen = topic.labels(level, share)
    order = np.argsort(topic.places, axis=1, kind="stable")
    places = np.take_along_axis(topic.places, order, axis=1)
    reached = np.where(places < cutoff, 1.0 / (places + 1.0), 0.0)
    found = np.zeros((len(labels), len(order)))
    for strata, values in ((None, labels), (topic.stratum, drawn)):
        for h in range(1 if strata is None else int(topic.stratum.max()) + 1):
            kept = values if strata is None else np.where(strata == h, values, 0.0)
            extra = np.ones(len(labels)) if strata is None else topic.weights[1][:, h] - 1
            if not extra.any():
                continue
            ranked = kept[:, order]
            above = np.cumsum(ranked, axis=2) - ranked
            found += extra[:, None] * (ranked * above * reached).sum(axis=2)
    found += (labels[:, order] * reached).sum(axis=2)
    # Of a few documents, sums over pairs can come to anything: they stay within half of where AP is.
    return topic.jackknife(np.clip(_divided(found, labels.sum(axis=1), max(seen, 1.0)), -0.5, 1.5))


def ndcg(topic: Topic, cutoff: int, steps: dict[int, float], shares: dict[int, float]) -> Estimate:
    """Estimate nDCG of each system on one topic, by Beale's correction of a quotient (beale1962).

    Parameters
    ----------
    topic : Topic
        Grades and places of the documents.
    cutoff : int
        The number of documents that count.
    steps : dict of int to float
        How much the gain grows at each grade.
    shares : dict of int to float
        The share t of the judge at each grade.

    Returns
    -------
    (array, array)
        Values and their variances.
    """
    discount = np.where(topic.places < cutoff, 1 / np.log2(topic.places + 2.0), 0.0)
    size = topic.places.shape[1]
    ideal_sums = np.concatenate(([0.0], np.cumsum(1 / np.log2(np.arange(size) + 2.0))))
    gained = np.zeros((len(topic.weights[0]), len(topic.places)))
    ideal = np.zeros(len(gained))
    for level, step in steps.items():
        labels, _, _ = topic.labels(level, shares[level])
        gained += step * labels @ discount.T
        # Less of the judge for the number of relevant documents, all of it only where it is right: so the number falls
        # below 0 less often, and what is cut off there is bias. (That there are as many as people saw at least would be
        # true too, and biased.)
        counted = topic.labels(level, shares[level] ** 2)[0].sum(axis=1)
        relevant = np.clip(counted, 0.0, min(size, cutoff))
        ideal += step * np.interp(relevant, np.arange(size + 1), ideal_sums)
    return _beale(topic, gained, ideal, min(steps.values()))


def _beale(topic: Topic, above: Floats, below: Floats, least: float) -> Estimate:
    """A quotient of estimates, almost without bias: a/b (1 + cov(a, b)/(ab))/(1 + var(b)/b^2) (beale1962), b without
    its own bias and at least `least`. The jackknife of the quotient itself is too unsteady where b is hardly known."""
    under, spread = topic.jackknife(below[:, None])
    under = np.maximum(under, least)
    both = topic.covariance(above, below[:, None])
    value = (above[0] / under + both / under**2) / (1 + spread / under**2)
    return value, topic.jackknife(_divided(above, below, least))[1]


def _divided(above: Floats, below: Floats, least: float) -> Floats:
    """A quotient, 0 where there is nothing to divide by; what people saw is there at least."""
    below = np.maximum(below, least)[:, None]
    return np.asarray(np.divide(above, below, out=np.zeros_like(above), where=below > 1e-9))


def shares_of_judge(topics: Sequence[Topic], level: int) -> list[float]:
    """Estimate which share of the judge's labels to use on each topic.

    It is the slope of people's labels on the judge's over the sampled documents of all other topics, within topics,
    from 0 to 1. It does not depend on the topic's own sample, because that would be bias.

    Parameters
    ----------
    topics : sequence of Topic
        All topics.
    level : int
        The lowest grade that counts as a label.

    Returns
    -------
    list of float
        t for each topic.
    """
    both, spread = np.array([_products(topic, level) for topic in topics]).T
    if len(topics) > 1:
        both, spread = both.sum() - both, spread.sum() - spread
    slopes = np.divide(both, spread, out=np.zeros(len(topics)), where=spread > 1e-12)
    return [float(slope) for slope in np.clip(slopes, 0.0, 1.0)]


def _products(topic: Topic, level: int) -> tuple[float, float]:
    """Of the judge's labels with people's, and with themselves, from their mean."""
    at = topic.sampled
    weight = topic.weights[0][0][at]
    j, h = ((grades[at] >= level).astype(float) for grades in (topic.judge, topic.human))
    centre = j - float(weight @ j) / max(float(weight.sum()), 1e-300)
    return float(weight @ (centre * h)), float(weight @ centre**2)


def too_few(topic: Topic) -> Bools:
    """Strata of which people judged fewer than two documents, and not all."""
    whole, n = topic.sizes
    return np.asarray((n < np.minimum(2, whole)) | ((n == 1) & (whole > 1)))
