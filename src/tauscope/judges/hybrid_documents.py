"""`hybrid_documents()`: people judged some documents of each topic, a judge all of them: measures without bias."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from .. import checking
from ..arrays import Floats
from ..errors import Advice, AlignmentError, CallError, Option, TauscopeError
from ..evaluation.evaluate import evaluate
from ..evaluation.labels import Chosen, Scale, choose
from ..evaluation.qrels import Qrels, read_qrels
from ..evaluation.runs import Runs
from ..results import Result, count, number
from ..scores import ScoreCube
from . import document_samples as samples
from .document_pools import BOTTOM, ends_of_strata, grades_of_people, places_in, pool_of, strata_by_depth
from .document_samples import Topic

#: What is estimated here.
FAMILIES = ("P", "AP", "nDCG")
#: With so many judged documents of a topic nDCG has hardly any bias; with fewer it can be OFF (benchmarks).
ENOUGH, OFF = 20, 0.01


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class HybridDocuments(Result):
    """Measures of runs from people's labels of a sample of documents and a judge's of all.

    Parameters
    ----------
    scores : ScoreCube
        Estimates of every measure, topic and system. Single topics may be below 0 or above 1: means are without bias.
    errors : array of float
        Standard errors of the same over samples of documents: measures x topics x systems.
    judge : array of float
        What the judge alone says of each system: measures x systems.
    human_documents, judge_documents : int
        How many documents people judged, and how many the judge did.
    depths : tuple of int
        Where the strata end, by the best place of a document in any run; none where each topic is one.
    level : float
        Confidence of intervals.
    notes : tuple of str
        What was left out.
    """

    scores: ScoreCube
    errors: Floats = field(repr=False)
    judge: Floats = field(repr=False)
    human_documents: int
    judge_documents: int
    depths: tuple[int, ...]
    level: float
    notes: tuple[str, ...] = ()

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

    def documents_needed(
        self, error: float | None = None, measure: str | None = None, *, width: float | None = None
    ) -> int | None:
        """How many documents must people judge for a standard error, or an interval, of this much over these topics?

        The variance of a sample of a share p of the documents is proportional to 1/p - 1, with strata as they are.

        Parameters
        ----------
        error : float or None, default None
            The standard error of a system's mean over these topics, on average over systems.
        measure : str or None, default None
            One of the measures; None for the first.
        width : float or None, default None
            Instead of the error, the width of the interval of that mean, at the `level` of the result.

        Returns
        -------
        int or None
            Documents of all topics together; None where people judged all already.

        Raises
        ------
        CallError
            Where neither an error nor a width is given, or both are.
        """
        from scipy.special import ndtri

        if (error is None) == (width is None):
            raise CallError("documents_needed() wants an error or a width, one of the two.")
        if width is not None:
            error = checking.number(width, "width", above=0.0) / (2 * float(ndtri((1 + self.level) / 2)))
        wanted = checking.number(error, "error", above=0.0)
        labels = self.scores.measures
        row = 0 if measure is None else labels.index(checking.one_of(measure, labels, "measure"))
        variance = float((self.errors_here[row] ** 2).mean())
        share = self.human_documents / self.judge_documents
        if share >= 1 or variance == 0:
            return None
        odds = wanted**2 / variance * (1 / share - 1)
        return math.ceil(self.judge_documents / (1 + odds))

    def lines(self) -> list[str]:
        """The best systems by the first measure, and how much was judged by whom."""
        row, systems = self.means[0], self.scores.systems
        order = np.argsort(-row, kind="stable")[:3]
        best = ", ".join(f"{systems[i]} {number(row[i])} ± {number(self.errors_here[0][i])}" for i in order)
        share = 100 * self.human_documents / self.judge_documents
        how = f"in strata by depth, {', '.join(map(str, self.depths))}" if self.depths else "at random"
        how = "" if self.human_documents == self.judge_documents else f", {how}"
        left = f"; {'; '.join(self.notes)}" if self.notes else ""
        return [
            f"{', '.join(self.scores.measures)} of {count(len(systems), 'system')} on "
            f"{count(len(self.scores.topics), 'topic')}; {self.scores.measures[0]}: {best}{', …' * (len(systems) > 3)}",
            f"people judged {self.human_documents:,} of {count(self.judge_documents, 'document')} ({share:.3g} %{how}), "
            f"a judge all{left}",
            "± is one standard error over samples of documents, these topics; the bias is small beside it, whatever the judge",
        ]

    def methods_sentence(self) -> str:
        """The sentence a paper needs: what was judged by whom, and how measures were estimated.

        Returns
        -------
        str
            One sentence.
        """
        how = f"in strata of depth {', '.join(map(str, self.depths))}" if self.depths else "at random"
        of = f"{self.human_documents:,} of {count(self.judge_documents, 'document')}, sampled {how} within each topic"
        if self.human_documents == self.judge_documents:
            of = f"all {count(self.judge_documents, 'document')}"
        return (
            f"{', '.join(self.scores.measures)} were estimated from people's labels of {of}, and a judge's labels of all of "
            "them (difference estimator with Horvitz-Thompson weights; quotients corrected by a jackknife over documents, nDCG by "
            "Beale's correction)."
        )

    def columns(self) -> dict[str, Any]:
        """One row per measure and system, the best by that measure first."""
        measures, systems = self.scores.measures, self.scores.systems
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

    def cited(self) -> tuple[str, ...]:
        """Whose methods these are."""
        return ("aslam2006", "yilmaz2006", "angelopoulos2023", "horvitz1952", "beale1962")

    def plot(self) -> Any:
        """One bar per system, the interval of its mean by the first measure over these topics."""
        from scipy.special import ndtri

        from ..figures import spans

        order = np.argsort(-self.means[0], kind="stable")
        mean, reach = self.means[0][order], float(ndtri((1 + self.level) / 2)) * self.errors_here[0][order]
        names = [self.scores.systems[i] for i in order]
        label = self.scores.measures[0]
        return spans(names, mean - reach, mean + reach, mean, x=label, title=f"{label}, people and a judge")


def hybrid_documents(
    runs: Any,
    human: Any,
    judge: Any,
    measures: Any = ("AP", "P@10", "nDCG@10"),
    *,
    depths: Iterable[int] = (),
    one_sided: str = "error",
    level: float = 0.95,
) -> HybridDocuments:
    """How good are runs when people judged some documents of each topic, and a judge all of them?

    A document's label is estimated by t j + (N/n)(h - t j) where people judged it, and by t j where they did not; j is
    the judge's label, h people's, N/n the documents for each one sampled, t the share of the judge that is used, from 0
    to 1. P@k, DCG and the number of relevant documents are sums of these; the numerator of AP is a sum over pairs of
    documents, with the chances of pairs, as in statAP (aslam2006; infAP, yilmaz2006, is its case without a judge). AP
    and nDCG divide by estimates; a jackknife over documents, for nDCG Beale's correction of a quotient (beale1962), takes
    off the bias of that. The errors are the jackknife's. t comes from the other topics. The notes say where too few
    documents of a topic were judged for nDCG.

    Documents that the judge has no label for are not relevant; documents with equal scores are ordered as trec_eval
    does. Do not use it where people judged the documents that looked best, without strata that say so: every document of
    a stratum must have had the same chance.

    Parameters
    ----------
    runs : path, paths, dict or data frame
        What `Runs.read()` takes or returns.
    human : path, dict, data frame or Qrels
        People's judgments of some documents of each topic; a grade below 0 is no judgment.
    judge : path, dict, data frame or Qrels
        The judge's judgments of all documents of the pool.
    measures : str or list of str, default ("AP", "P@10", "nDCG@10")
        Labels of AP, P and nDCG.
    depths : iterable of int, default ()
        Where strata end: (10, 50) are documents that some run has among its first 10, else among its first 50, and all
        others. None for samples of all documents of a topic alike.
    one_sided : {"error", "drop"}, default "error"
        What to do with documents that people judged and the judge did not, and with topics that one side lacks.
    level : float, default 0.95
        Confidence of the intervals that are drawn.

    Returns
    -------
    HybridDocuments
        Estimates with errors, and `.documents_needed()`; `.scores` goes on to every function that takes scores.

    Raises
    ------
    AlignmentError
        Where documents or topics are on one side only.
    CallError
        Where a measure is none of these.
    TauscopeError
        Where people judged fewer than two documents of a stratum, or grades are no whole numbers.

    See Also
    --------
    hybrid : people judged some topics as a whole.
    choose_documents : which documents people should judge next.

    Examples
    --------
    >>> runs = {"a": {"1": {"x": 3, "y": 2, "z": 1}}, "b": {"1": {"z": 3, "y": 2, "x": 1}}}
    >>> people, machine = {"1": {"x": 1, "z": 0, "y": 0}}, {"1": {"x": 1, "y": 1, "z": 1}}
    >>> hybrid_documents(runs, people, machine, "AP").means.round(3).tolist()
    [[1.0, 0.333]]
    """
    level = checking.level(level)
    checking.one_of(one_sided, ("error", "drop"), "one_sided")
    ends = ends_of_strata(depths)
    people, machine = read_qrels(human), read_qrels(judge)
    highest = _highest(people, machine)
    chosen, _ = choose(measures, Scale(highest, highest))
    _check(chosen)
    systems = Runs.read(runs)
    grades, notes = grades_of_people(people, machine, one_sided)
    topics, names = _topics(machine, grades, places_in(systems, machine), ends)
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
        depths=ends,
        level=level,
        notes=(
            *notes,
            *((f"{count(left, 'topic')} without people's judgments left out",) if left else ()),
            *_few(topics, chosen),
        ),
    )


def _highest(people: Qrels, machine: Qrels) -> int:
    """The highest grade of both; a gain is a sum over whole grades here."""
    for qrels, name in ((people, "human"), (machine, "judge")):
        if qrels.real:
            raise TauscopeError(
                f"hybrid_documents() takes whole grades, and `{name}` has others.",
                Advice("Make whole grades of them first, such as 0 and 1 by a threshold."),
            )
    return int(max(people.highest, machine.highest))


def _check(chosen: list[Chosen]) -> None:
    other = [one.label for one in chosen if one.measure is None or one.measure.name not in FAMILIES]
    if other:
        raise CallError(
            f"hybrid_documents() estimates AP, P@k and nDCG@k, not {', '.join(other)}.",
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
        if samples.too_few(topic).any():
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


def _of_measure(one: Chosen, topics: list[Topic], highest: int) -> list[samples.Estimate]:
    """A measure of each topic."""
    settings = one.settings
    cutoff = BOTTOM if one.reach is None else one.reach
    rel = max(1, math.ceil(settings.rel))
    if one.measure is not None and one.measure.name == "nDCG":
        gain = (lambda g: 2.0**g - 1) if settings.gain == "exp-grade" else float
        before = {g: gain(g - 1) if g > rel else 0.0 for g in range(rel, highest + 1)}
        steps = {g: gain(g) - low for g, low in before.items()}
        by_grade = {g: samples.shares_of_judge(topics, g) for g in steps}
        shares = [{g: own[place] for g, own in by_grade.items()} for place in range(len(topics))]
        return [samples.ndcg(topic, cutoff, steps, own) for topic, own in zip(topics, shares, strict=True)]
    formula = samples.precision if one.measure is not None and one.measure.name == "P" else samples.average_precision
    both = zip(topics, samples.shares_of_judge(topics, rel), strict=True)
    return [formula(topic, cutoff, rel, share) for topic, share in both]


def _few(topics: list[Topic], chosen: list[Chosen]) -> tuple[str, ...]:
    """A note where nDCG rests on few documents."""
    few = sum(len(topic.sampled) < ENOUGH and len(topic.replicas) > 0 for topic in topics)
    if not few or all(one.measure is None or one.measure.name != "nDCG" for one in chosen):
        return ()
    return (
        f"people judged fewer than {ENOUGH} documents of {count(few, 'topic')}: nDCG can be off by {OFF:g} there, for "
        "the ideal ranking is hardly known",
    )
