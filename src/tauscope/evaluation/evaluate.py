"""`evaluate()`: from runs and judgments to scores, with one rule for ties and topics whatever the measure."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from typing import Any, ClassVar, NamedTuple

import numpy as np

from ..core import checking
from ..core.arrays import Floats
from ..core.checking import Progress
from ..data.cube import ScoreCube
from ..data.labels import shown
from ..data.names import MeasureName
from ..data.scores import Scores
from ..data.table import MeasureTable
from ..errors import CallError, Option, TauscopeError
from ..results import Note, Notes, Plain, fact, large
from .labels import Chosen, External, Scale, choose
from .measures import GMAP_FLOOR, Gains, Pool
from .qrels import Qrels, read_qrels
from .runs import Run, check_names, check_ties, in_order, names_by_file, note_on_names, run_loaders

#: Deeper than any run.
_BOTTOM = 2**31 - 1


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Means(Plain):
    """The means of runs over topics, best run first.

    Attributes
    ----------
    table : MeasureTable
        One number per run and measure.
    topics : int
        The number of topics of the judgments.
    notes : tuple of Note or str
        What was done to the scores.
    """

    QUESTION: ClassVar[str] = "evaluate"

    table: MeasureTable = large()
    topics: int
    notes: Notes

    @fact
    def best(self) -> str:
        """The run with the highest mean of the first measure."""
        return self.table.systems[self._order[0]]

    @property
    def _order(self) -> list[int]:
        return [int(place) for place in np.argsort(-self.table.values[:, 0], kind="stable")]

    def columns(self) -> dict[str, Any]:
        rows = self._order
        named = {measure: self.table.values[rows, place] for place, measure in enumerate(self.table.measures)}
        return {"run": [self.table.systems[place] for place in rows], **named}


class Evaluated(NamedTuple):
    """One run, evaluated.

    Parameters
    ----------
    name, source : str
        The run, and where it came from.
    values : array
        Measures x topics.
    lacking : tuple of int
        Places of the topics that it lacks.
    extra : tuple of str
        Its topics that nobody judged.
    comments : int
        Number of lines of its file that are comments.
    notes : tuple of Note or str
        What was left out when it was read.
    """

    name: str
    source: str
    values: Floats
    lacking: tuple[int, ...]
    extra: tuple[str, ...]
    comments: int = 0
    notes: Notes = ()


@dataclass(frozen=True)
class Plan:
    """All that is the same for every run, made once.

    Parameters
    ----------
    qrels : Qrels
        The judgments.
    pool : Pool
        What they say about each topic.
    chosen : sequence of Chosen
        The measures.
    external : External or None
        Computes those that are not ours.
    ties, depth
        As in `evaluate()`.
    rel : float
        The lowest grade that is relevant where no label says.
    """

    qrels: Qrels
    pool: Pool
    chosen: Sequence[Chosen]
    external: External | None
    ties: str
    depth: int
    #: From which grade up a document is relevant where no label says.
    rel: float = 1

    def evaluate(self, run: Run) -> Evaluated:
        """One run by all measures."""
        order = run.order(self.ties)
        reaches = [one.reach for one in self.chosen if one.measure]
        reach = max((_BOTTOM if reach is None else reach for reach in reaches), default=0)
        pooled = self.qrels.judged(run, order, min(self.depth, reach))
        gains = Gains(
            self.pool,
            *in_order_of_topics(pooled.topic, pooled.place, self.qrels.grades[pooled.entry]),
        )
        values = np.zeros((len(self.chosen), len(self.qrels.topics)))
        for row, one in enumerate(self.chosen):
            if one.measure:
                values[row] = one.values(gains)
        if self.external:
            rows = [row for row, one in enumerate(self.chosen) if not one.measure]
            values[rows] = self.external.values(run, order, self.depth)
        has, judged = set(run.topics), self.qrels.topic_numbers
        lacking = tuple(i for i, topic in enumerate(self.qrels.topics) if topic not in has)
        extra = tuple(t for t in run.topics if t not in judged)
        return Evaluated(run.name, run.source, values, lacking, extra, run.comments, run.notes)


def evaluate(
    runs: Any,
    qrels: Any,
    measures: Any,
    *,
    by: str = "topic",
    depth: int | None = None,
    ties: str = "trec_eval",
    missing: str = "zero",
    max_grade: float | None = None,
    rel: float | None = None,
    progress: Progress | None = None,
) -> Any:
    """Compute the scores of runs on every topic by every measure, or their means.

    Topics are those of the qrels. A measure that Tauscope does not have is computed by ir_measures, if it is installed.
    Documents with equal scores are ordered by id, descending by bytes, as in trec_eval. Do not average scores of topics
    yourself to get GMAP: ask for it with ``by="system"``.

    Parameters
    ----------
    runs : path, paths, dict, data frame or Runs
        What `Runs.read()` takes or returns; paths are read one by one, so that not all are in memory at once.
    qrels : path, dict, data frame or Qrels
        The judgments.
    measures : str or list of str
        Labels such as "AP", "nDCG@20", "ERR(max=4)@20", "RBP(p=0.8)", or "gupta2019" for its 23.
    by : {"topic", "system"}, default "topic"
        Scores of every topic, or one number per system and measure: means over topics, and GMAP where it is asked for,
        exp(mean of log max(AP, 0.00001)) (robertson2006).
    depth : int or None, default None
        Cuts every run there and keeps the qrels; None for no cut.
    ties : {"trec_eval", "exact", "input"}, default "trec_eval"
        The order of documents: by 32-bit scores and then by document id, as trec_eval; by 64-bit scores ("exact"); or
        as in the file.
    missing : {"zero", "error", "keep", "drop-topics", "drop-systems"}, default "zero"
        A topic that a run lacks scores 0, and the notes say so; or it is a missing cell, see `Scores`. A run without
        any topic of the qrels is an error.
    max_grade : float or None, default None
        The top of the scale for ERR and graded RBP; None for the highest grade in the qrels, rounded up where grades
        are real numbers. Give it to compare two qrels.
    rel : float or None, default None
        The lowest grade that is relevant for measures without grades, where their label does not say, as AP(rel=2)
        does; None for 1, or 0.5 where grades are real numbers from 0 to 1, which the notes say then.
    progress : callable or None, default None
        Called as progress(done, total) after each run.

    Returns
    -------
    ScoreCube or measures.Table
        Measures x topics x systems, or systems x measures.

    Raises
    ------
    CallError
        Where a measure or an argument is unknown.
    TauscopeError
        Where two runs have the same name, or a run has none of the topics.

    See Also
    --------
    Runs.judged_at : How much of what the runs retrieved was judged.

    Examples
    --------
    >>> runs = {"a": {"1": {"x": 2.0, "y": 1.0}}, "b": {"1": {"y": 2.0, "x": 1.0}}}
    >>> evaluate(runs, {"1": {"x": 1, "y": 0}}, ["RR", "P@2"]).values.tolist()
    [[[1.0, 0.5]], [[0.5, 0.5]]]
    >>> evaluate(runs, {"1": {"x": 1, "y": 0}}, ["RR", "GMAP"], by="system").values.tolist()
    [[1.0, 1.0], [0.5, 0.5]]
    """
    if checking.one_of(by, ("topic", "system"), "by") == "system":
        options = {"depth": depth, "ties": ties, "missing": missing, "max_grade": max_grade, "rel": rel}
        return _system_wise(runs, qrels, measures, options | {"progress": progress})
    check_ties(ties)
    cut = None if depth is None else checking.whole(depth, "depth", least=1)
    checking.one_of(missing, ScoreCube.MISSING, "missing")
    judgments = read_qrels(qrels)
    scale = _scale(max_grade, rel, judgments)
    chosen, notes = choose(measures, scale)
    plan = replace(make_plan(judgments, chosen, ties, cut), rel=scale.rel)
    done = _run_all(plan, run_loaders(runs), progress)
    new = names_by_file(done)
    remarks = note_on_names(done, new)
    done = [one._replace(name=new.get((one.source, one.name), one.name)) for one in done]
    check_names(done)
    values = np.stack([one.values for one in done], axis=2)
    if missing != "zero":
        for column, one in enumerate(done):
            values[:, one.lacking, column] = np.nan
    notes = [*_choices(ties, cut), *remarks, *notes, *_topic_notes(plan, done, missing)]
    return ScoreCube(
        values,
        tuple(one.label for one in chosen),
        judgments.topics,
        tuple(one.name for one in done),
        notes=tuple(notes),
        missing=missing,
    )


def _system_wise(runs: Any, qrels: Any, measures: Any, options: dict[str, Any]) -> MeasureTable:
    """Return means over topics, and GMAP if it is asked for."""
    wanted = [measures] if isinstance(measures, str) else list(measures)
    names = [MeasureName.parse(str(label)) for label in wanted]
    if isinstance(measures, str) and not names[0].known:  # the name of several measures
        return evaluate(runs, qrels, measures, **options).system_wise()  # type: ignore[no-any-return]
    return means(evaluate(runs, qrels, needed(wanted), **options), wanted)


def needed(wanted: Sequence[str]) -> list[str]:
    """Return the measures of topics behind these: GMAP is made from AP."""
    names = [MeasureName.parse(str(label)) for label in wanted]
    return list(dict.fromkeys(str(replace(one, family="AP") if one.family == "GMAP" else one) for one in names))


def means(cube: ScoreCube, wanted: Sequence[str]) -> MeasureTable:
    """Return one number per system for each of these measures."""
    labels = [str(MeasureName.parse(str(label))) for label in wanted]
    pairs = zip(labels, (needed([label])[0] for label in labels), strict=True)
    columns = [gmap(cube[need]) if need != label else cube[need].means() for label, need in pairs]
    return MeasureTable(np.stack(columns, axis=1), cube.systems, tuple(labels), cube.collection, notes=cube.notes)


def gmap(scores: Scores) -> Floats:
    """Return the geometric mean of average precision over topics, with the floor of trec_eval (robertson2006)."""
    scores.require_complete("GMAP")
    return np.asarray(np.exp(np.log(np.maximum(scores.values, GMAP_FLOOR)).mean(axis=0)))


def make_plan(qrels: Qrels, chosen: Sequence[Chosen], ties: str, depth: int | None) -> Plan:
    """What all runs share, made once."""
    others = [one.label for one in chosen if not one.measure]
    if others:
        qrels.require_whole(f"ir_measures, which computes {others[0]},")
    external = External(others, qrels) if others else None
    pool = Pool(len(qrels.topics), qrels.topic_of_entry, qrels.grades)
    _ = qrels.index, qrels.topic_numbers  # made before threads ask for them
    return Plan(qrels, pool, chosen, external, ties, _BOTTOM if depth is None else depth)


def in_order_of_topics(topic: Any, *columns: Any) -> Iterator[Any]:
    """Sort columns by topic: runs can have other orders than the judgments. Places stay ascending."""
    if len(topic) and (np.diff(topic) < 0).any():
        order = np.argsort(topic, kind="stable")
        return (column[order] for column in (topic, *columns))
    return iter((topic, *columns))


def _scale(max_grade: float | None, rel: float | None, qrels: Qrels) -> Scale:
    """Return the scale of the grades, after the arguments that change it."""
    top: float = qrels.top
    if max_grade is not None:
        real = qrels.real or isinstance(max_grade, float)
        top = checking.number(max_grade, "max_grade", above=0.0) if real else checking.whole(max_grade, "max_grade")
        if top < qrels.highest:
            raise CallError(
                f"max_grade={max_grade!r}: {qrels.source} has the grade {qrels.highest:g}.",
                Option("max_grade", qrels.top, effect="or more"),
            )
    least = qrels.threshold if rel is None else checking.number(rel, "rel")
    if least < 0:
        raise CallError(f"rel={rel!r}: grades below 0 are no judgments, so relevant are grades of 0 at least.")
    return Scale(qrels.highest, top, int(least) if least == int(least) else least, qrels.real)


def _run_all(plan: Plan, loaders: Sequence[Callable[[], list[Run]]], progress: Progress | None) -> list[Evaluated]:
    """Evaluate all runs, one thread per core.

    Parameters
    ----------
    plan : Plan
        What is the same for all.
    loaders : sequence of callable
        Each reads the runs of one source, so that not all are in memory at once.
    progress : callable or None
        Called with (runs done, sources).

    Returns
    -------
    list of Evaluated

    Raises
    ------
    TauscopeError
        If a run has none of the topics of the judgments.
    """
    done: list[Evaluated] = []
    with closing(in_order(lambda load: [plan.evaluate(run) for run in load()], loaders)) as every:
        for one in (one for source in every for one in source):
            if one.extra and len(one.lacking) == len(plan.qrels.topics):
                raise no_topics(one.name, one.source, one.extra, plan.qrels)
            done.append(one)
            if progress is not None:
                progress(len(done), max(len(done), len(loaders)))
    return done


def no_topics(name: str, source: str, topics: Sequence[str], qrels: Qrels) -> TauscopeError:
    """Return the error for a run that has other topics than the judgments."""
    return TauscopeError(
        f"The run {name!r} ({source}) has none of the topics of {qrels.source}: it has {shown(topics)}, they are "
        f"{shown(qrels.topics)}."
    )


def _choices(ties: str, depth: int | None) -> list[Note]:
    """Say which choices differ from those of trec_eval."""
    notes = [] if depth is None else [Note("cut_runs", depth=depth)]
    return notes + [Note(f"ties_{ties}")] * (ties in ("input", "exact"))


def _topic_notes(plan: Plan, done: Sequence[Evaluated], missing: str) -> list[Note | str]:
    """Say what a reader must know about the topics, the files and the grades."""
    topics = plan.qrels.topics
    notes: list[Note | str] = []
    without = np.flatnonzero(plan.pool.relevant(plan.rel) == 0)
    if without.size:
        notes.append(Note("topics_without_relevant", topics=[topics[i] for i in without.tolist()]))
    lacking = [one for one in done if one.lacking]
    if lacking and missing == "zero":
        runs = {one.name: [topics[i] for i in one.lacking] for one in lacking}
        notes.append(Note("missing_topics_scored_0", topics=sum(map(len, runs.values())), runs=runs))
    extra = dict.fromkeys(topic for one in done for topic in one.extra)
    if extra:
        notes.append(Note("topics_without_judgments", topics=list(extra)))
    tagged = [one for one in done if one.source.endswith(f", tag {one.name!r}")]
    if tagged:
        files = dict.fromkeys(one.source.removesuffix(f", tag {one.name!r}") for one in tagged)
        notes.append(Note("runs_by_tag", runs=len(tagged), files=list(files)))
    notes += dict.fromkeys(note for one in done for note in one.notes)
    read = {one.source.removesuffix(f", tag {one.name!r}"): one.comments for one in done}
    for what, comments in (("judgments", plan.qrels.comments), ("runs", sum(read.values()))):
        if comments:
            notes.append(Note("comments", lines=comments, what=what))
    notes += plan.qrels.odd()
    others = [one.label for one in plan.chosen if not one.measure]
    if others:
        notes.append(f"by ir_measures: {', '.join(others)}")
    return notes
