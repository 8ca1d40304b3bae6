"""`hybrid()`: people on some topics or documents and a judge on all of them, combined into one ranking with its
errors."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Literal

import numpy as np

from ..coefficients.records import catalogue
from ..core import checking
from ..core.arrays import Bools, Floats, Ints
from ..core.checking import Rng, remembered
from ..data.alignment import require_scores
from ..data.labels import positions
from ..errors import CallError
from ..inference import relation as normal
from ..inference.attenuation import Correction, Samples, join
from ..inference.relation import NormalScores, closed, rank_limits, swap_chances, tier_numbers
from ..inference.reliability import FLOOR
from ..inference.true_means import Interval
from ..io.door import TAKES, ScoresLike, takes_scores
from ..results import Note, Plain, fact, per_row
from .hybrid_plan import HybridPlan, TopicSample, planned, sampled_topics
from .two_phase import (
    Gaps,
    Shrunken,
    Sides,
    TwoPhase,
    deviations_of,
    effective_topics,
    effective_topics_shrunken,
    shrunken,
    two_phase,
)

METHODS = ("ppi", "shrunk")
OVER = ("population", "topics")
#: Number of systems at the top, for which effective topics are counted on their own.
TOP = 10


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class HybridDifference(Plain):
    """The difference of two systems, with an interval and a two-sided p-value against 0.

    Parameters
    ----------
    first, second : str
        The two systems.
    difference : float
        The score of the first less that of the second.
    low, high : float
        The limits of the interval.
    p : float
        Two-sided, against no difference.
    reason : Note or None
        Why there is no interval.
    seed : int
        Seed of the hybrid's random numbers.
    """

    QUESTION: ClassVar[str] = "hybrid_difference"
    PAPERS: ClassVar[tuple[str, ...]] = ("angelopoulos2023",)
    first: str
    second: str
    difference: float
    low: float
    high: float
    p: float
    level: float
    seed: int
    reason: Note | None = None

    def columns(self) -> dict[str, Any]:
        return {name: [getattr(self, name)] for name in ("first", "second", "difference", "low", "high", "p")}


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Hybrid(Plain):
    """One ranking from people on some topics and a judge on all. One row per system, the best first.

    Scores are relative to the mean over the systems, since a judge's scale need not be people's.

    Parameters
    ----------
    systems : tuple of str
        The systems, best first.
    estimates, errors : array of float
        Each system's score, and its standard error.
    people, judge : array of float
        What people alone say on their topics, and what the judge alone says on all.
    human_topics, judge_topics : int
        How many topics people judged, and how many the judge did, those of people among them.
    slope : float
        How much a difference under the judge is worth under people; 0 where the judge is left out of the ranking, which
        is people's alone then.
    correlation : float
        Of people's and the judge's differences between systems, topic by topic.
    worth, worth_at_the_top : float
        How many human topics, without the judge, would give as good a ranking: over all pairs, and over those of the
        top ten; NaN for the top where there are no more systems, and with "shrunk".
    expected_tau, expected_tau_of_people : float
        The expected tau with people's ranking over all topics, of this ranking and of people on as many topics alone,
        both by the gaps of the prediction-powered estimates, which are the better known.
    expected_tau_of_judge : float
        The expected tau_b with people's ranking over all topics, of the judge's ranking alone, as far as people's
        topics tell: over the draws of people's true means that `compare()` makes. NaN where topics had unequal
        chances, or people's topics say too little.
    interval_of_judge : pair of float
        Its limits. Where they are wide, it is not known whether the judge alone would rank better.
    method : str
        "ppi" or "shrunk".
    over : str
        "population" or "topics".
    low_rank, high_rank, tier, possible_winner : array
        Simultaneous rank limits, tiers and possible winners; `rank(hybrid)` tells more of them.
    level : float
        Confidence of intervals.
    seed : int
        Repeats the ranks.
    notes : tuple of Note or str
        What was left out.
    """

    QUESTION: ClassVar[str] = "hybrid"
    VIEWS: ClassVar[tuple[str, ...]] = ("plan", "next", "difference")
    systems: tuple[str, ...]
    estimates: Floats
    errors: Floats
    low_rank: Ints = per_row()
    high_rank: Ints = per_row()
    tier: Ints = per_row()
    possible_winner: Bools = per_row()
    people: Floats = per_row()
    judge: Floats = per_row()
    human_topics: int
    judge_topics: int
    slope: float
    correlation: float
    worth: float
    worth_at_the_top: float
    expected_tau: float
    expected_tau_of_people: float
    expected_tau_of_judge: float
    interval_of_judge: Interval
    method: str
    over: str
    level: float
    seed: int
    notes: tuple[Note | str, ...] = ()
    _normal: NormalScores = field(repr=False)
    _data: TwoPhase = field(repr=False)
    _sides: Sides = field(repr=False)

    @fact
    def worth_something(self) -> bool:
        """Whether the judge adds more than a twentieth to people's topics."""
        return self.worth >= 1.05 * self.human_topics

    @fact
    def people_alone(self) -> bool:
        """Whether the judge is left out, since it does not make the ranking better: this is people's ranking."""
        return not self.slope and (self.method == "ppi" or not self.people.any())

    @fact
    def judge_may_rank_better(self) -> bool:
        """Whether the judge's ranking alone is expected to be closer to people's than this one."""
        return self.expected_tau_of_judge > self.expected_tau

    @property
    def weighted(self) -> bool:
        """Whether topics had unequal chances."""
        return self._data.chances is not None

    @property
    def winners(self) -> tuple[str, ...]:
        """The systems that could be the best."""
        return tuple(name for name, could in zip(self.systems, self.possible_winner, strict=True) if could)

    @property
    def assumes(self) -> str:
        """What the errors of the estimates take for granted."""
        return str(Note("student_errors", freedom=self._normal.freedom))

    def normal(self) -> NormalScores:
        """Return the estimates with their covariance, as `rank()` takes them.

        Returns
        -------
        NormalScores
        """
        return self._normal

    def difference(self, first: str, second: str) -> HybridDifference:
        """Compute how far apart two systems are, with a slope of their own, so that the interval is as narrow as their
        topics allow.

        The interval is that of Student's t, or of the studentised bootstrap over human topics if that is wider. If
        few human topics decide, or the two do not differ on any, it is at most as wide as it would be with one more
        topic, on which they are as far apart, the other way, as any two systems are on any topic. So a sample without
        variation does not make an interval of width zero.

        Parameters
        ----------
        first : str
            Name of a system.
        second : str
            Name of another system.

        Returns
        -------
        HybridDifference
            The difference with its interval and p-value, by prediction-powered inference whatever the method of the
            ranking.
        """
        i, j = (positions(name, self.systems, "system")[0] for name in (str(first), str(second)))
        own = self._data.limits(int(self._normal.order[i]), int(self._normal.order[j]), self.level, self.seed)
        return HybridDifference(
            first=self.systems[i],
            second=self.systems[j],
            **own._asdict(),
            level=self.level,
            seed=self.seed,
            reason=Note("no_variation") if math.isnan(own.low) else None,
        )

    def plan(
        self,
        goal: Literal["tau", "width", "top"] = "tau",
        *,
        target: float | None = None,
        top: int | None = None,
        human_cost: float = 1.0,
        judge_cost: float = 0.0,
        labels: float = 1.0,
        most_topics: int | None = None,
    ) -> HybridPlan:
        """Plan how many topics people must judge, with this judge and without it, and what is the cheapest way.

        The error covariance of the estimates with k human topics and n of the judge's is var(y - b f)/k + b^2 var(f)/n,
        that of people alone var(y)/k, both from what was seen so far. True gaps are taken as N(g d, g se^2), d the
        estimated gap, se its error, g the reliability: plugging in d itself would ask for too few topics. The expected
        tau is 1 - 2 E[Phi(-|gap|/error)] over all pairs; widths are those of intervals with k - 2 degrees of freedom;
        the top is found by drawing true scores and estimates.

        Do not use it if the topics to come are unlike those so far, or the judge will be another one.

        Parameters
        ----------
        goal : {"tau", "width", "top"}, default "tau"
            An expected tau with people's ranking over all topics, the mean width of intervals of differences, or the
            share of the truly best systems among the best found.
        target : float or None, default None
            What to reach; None for 0.9 of tau or of the top. A width has to be given.
        top : int or None, default None
            Number of systems at the top, at most one less than there are; None for ten, or that.
        human_cost : float, default 1.0
            Cost of one label of people.
        judge_cost : float, default 0.0
            Cost of one label of the judge.
        labels : float, default 1.0
            Number of labels per topic.
        most_topics : int or None, default None
            How many topics the judge could judge, for the cheapest plan; None for those it has.

        Returns
        -------
        HybridPlan
            Both curves, how many topics are enough, the cheapest plan, and `.at()` for any other number.
        """
        return planned(
            replace(self._sides.data, whole=False),
            self._sides.systems,
            goal=goal,
            target=target,
            top=top,
            costs=(human_cost, judge_cost, labels),
            most_topics=most_topics,
            level=self.level,
            seed=self.seed,
        )

    def next(self, choose: int, *, design: Literal["random", "scores", "disagreement"] = "random") -> TopicSample:
        """Draw topics for people to judge next, so that the estimates stay without bias.

        "random" gives all topics the same chance. "scores" makes strata of equal size by the mean score of a topic
        under the judge and draws from each in proportion, so that easy and hard topics are there as they are among all.
        "disagreement" makes strata by the standard deviation of the judge's scores over systems, and draws from each in
        proportion to its size times its mean deviation (neyman1934): topics that separate systems are drawn more often,
        and count less. For topics that were judged before, drawn at random, chances are p + (1 - p) q, p that of having
        been drawn then and q that of being drawn now.

        Do not choose topics by hand from what the judge says: no chance is known then, and no estimate is without bias.

        Parameters
        ----------
        choose : int
            Number of topics.
        design : {"random", "scores", "disagreement"}, default "random"
            How they are drawn.

        Returns
        -------
        TopicSample
            The topics with their chances, which `hybrid(…, chances=…)` takes; `.write()` makes a list for assessors.
        """
        machine = self._sides.judge.in_order("topics")
        return sampled_topics(machine, choose, design=design, judged=self._sides.human.topics, seed=self.seed)

    def columns(self) -> dict[str, Any]:
        own = {"system": list(self.systems), "estimate": self.estimates, "error": self.errors}
        return own | dict(super().columns())

    def cited(self) -> tuple[str, ...]:
        weighted = ("horvitz1952",) if self.weighted else ()
        shrunk = ("efron1973",) if self.method == "shrunk" else ()
        return ("angelopoulos2023", *shrunk, *weighted, "mogstad2024")


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class HybridStart(Plain):
    """What a judge has judged, before people have judged anything; `.next()` draws what they judge first.

    Parameters
    ----------
    of : str
        "topics" or "documents".
    judged : int
        Number of them that the judge has judged.
    seed : int
        Seed of the draw.
    """

    QUESTION: ClassVar[str] = "hybrid_start"
    VIEWS: ClassVar[tuple[str, ...]] = ("next",)
    of: str
    judged: int
    seed: int
    _judge: Any = field(repr=False)

    def next(self, choose: int, *, design: Literal["random", "scores", "disagreement"] = "random") -> Any:
        """Draw what people judge first; `Hybrid.next()` and `HybridDocuments.next()` explain it.

        Parameters
        ----------
        choose : int
            Number of topics, or of documents of each topic.
        design : {"random", "scores", "disagreement"}, default "random"
            How topics are drawn.

        Returns
        -------
        TopicSample or DocumentSample
        """
        if self.of == "topics":
            return sampled_topics(self._judge, choose, design=design, judged=(), seed=self.seed)
        from .hybrid_documents import sampled_documents

        return sampled_documents(self._judge, choose, self.seed)

    def columns(self) -> dict[str, Any]:
        return {"of": [self.of], "judged": [self.judged]}


def hybrid(
    human: ScoresLike | None,
    judge: ScoresLike,
    *,
    runs: Any = None,
    measures: Any = ("AP", "P@10", "nDCG@10"),
    method: Literal["ppi", "shrunk"] = "ppi",
    over: Literal["population", "topics"] = "population",
    chances: Mapping[str, float] | Iterable[int] | None = None,
    unmatched: Literal["error", "drop"] = "error",
    level: float = 0.95,
    rng: Rng = 0,
) -> Any:
    """Rank systems by people on some topics, or documents, and a judge on all of them.

    The estimate of a system is ybar_k + b (fbar_N - fbar_k): people's mean on their k topics, moved by as much as the
    judge's mean on all N topics differs from the one on those k; b = cov(people, judge)/var(judge), pooled over all
    differences of two systems and cut at 0 and at three times people's spread over the judge's. This is
    prediction-powered inference with power tuning (PPI++, angelopoulos2023), the regression estimator of two-phase
    sampling. A useless judge leaves about the errors of people alone. The bias is of the order 1/k: small beside the
    errors with normal scores and ratings, and up to one standard error with sparse, very skewed ones.
    Where b would make the errors, or the pairs that are expected in the wrong order, no fewer than people's own, it is
    0: the ranking is people's, and the result says so.

    Where topics had unequal chances p_t to be given to people, every mean over people's topics is weighted by 1/p_t
    (horvitz1952, divided by the sum of the weights), which keeps the bias of the order 1/k; `Hybrid.next()` keeps
    these chances.

    With `runs`, `human` and `judge` are judgments (qrels): people judged some documents of each topic and the judge
    all of the pool. AP, P and nDCG are estimated with hardly any bias (difference estimator with Horvitz-Thompson
    weights, as in statAP, aslam2006); documents that the judge has no label for are not relevant. Every document of a
    stratum must have had the same chance to be given to people.

    Do not use it where people judged topics that were chosen for what the judge said
    of them, and the chances are not known: the k topics must be a random sample of the N. Nor is the hybrid always the
    best ranking: a judge that ranks systems well, but says little about single topics, can rank better alone where
    human topics are few (0.85 instead of 0.79 with 20 segments of WMT23). `expected_tau_of_judge` says how the judge
    alone would do.

    Parameters
    ----------
    human : Scores, or what Scores.read() takes, or None
        People's scores: one row per topic, one column per system. Its topics are among the judge's, by their labels.
        With None, people have judged nothing yet, and `.next()` draws what they judge first.
    judge : Scores, or what Scores.read() takes
        The judge's scores of the same systems, on more topics.
    runs : path, paths, dict or data frame, or None, default None
        Runs, as `Runs.read()` takes them: `human` and `judge` are qrels then.
    measures : str or list of str, default ("AP", "P@10", "nDCG@10")
        With `runs`, labels of AP, P and nDCG.
    method : {"ppi", "shrunk"}, default "ppi"
        "shrunk" draws the estimates towards the judge's order, as far as judge and people were seen to agree over
        systems (empirical Bayes, efron1973). It ranks better where human topics are few (10 to 30) and the judge is
        good, or systems are many; its errors are those of a normal prior, and a system that the judge treats unlike the
        others is drawn the wrong way.
    over : {"population", "topics"}, default "population"
        What people's ranking is meant over: all topics that could have been asked, or the judge's N topics.
    chances : Mapping of str to float, iterable of int, or None, default None
        The chance with which each human topic was drawn, such as `.next(…).chances`; None if all topics had the same.
        With `runs`, the depths at which the strata of documents end: (10, 50) are documents that some run has among its
        first 10, else among its first 50, and all others. None if all documents of a topic had the same chance.
    unmatched : {"error", "drop"}, default "error"
        What to do with systems that only one side has, and with human topics or documents that the judge lacks.
    level : float, default 0.95
        Confidence of intervals.
    rng : int, Generator or None, default 0
        Seed of the ranks; None takes a fresh one, which the result remembers.

    Returns
    -------
    Hybrid or HybridDocuments
        The ranking with its errors, rank limits and effective number of topics; with `runs`, estimates of the measures.
        `.plan()` says how many topics, or documents, people must still judge, `.next()` which, and `.difference()`
        compares two systems.

    Raises
    ------
    AlignmentError
        Where systems or human topics are on one side only.
    TauscopeError
        Where people judged fewer than five topics, cells are missing, or a human topic has no chance.

    See Also
    --------
    compare : whether the judge could replace people alone.
    rank : ranks, tiers and possible winners of a hybrid.

    Examples
    --------
    >>> from tauscope import Scores
    >>> rng = np.random.default_rng(1)
    >>> people = rng.normal([0.6, 0.5, 0.4], 0.1, (60, 3)) + rng.normal(0, 0.1, (60, 1))
    >>> machine = 0.5 * people + rng.normal(0, 0.02, (60, 3))
    >>> found = hybrid(Scores(people[:15]), Scores(machine))
    >>> found.systems, found.worth > 30
    (('1', '2', '3'), True)
    >>> plan = found.plan(target=0.85)
    >>> plan.hybrid_needed <= plan.people_needed, len(found.next(10))
    (True, 10)
    >>> runs = {"a": {"1": {"x": 3, "y": 2, "z": 1}}, "b": {"1": {"z": 3, "y": 2, "x": 1}}}
    >>> some, machine = {"1": {"x": 1, "z": 0, "y": 0}}, {"1": {"x": 1, "y": 1, "z": 1}}
    >>> hybrid(some, machine, runs=runs, measures="AP").means.round(3).tolist()
    [[1.0, 0.333]]
    """
    checking.one_of(method, METHODS, "method")
    checking.one_of(over, OVER, "over")
    checking.one_of(unmatched, ("error", "drop"), "unmatched")
    level, seed = checking.level(level), remembered(rng)
    if runs is None:
        return _of_topics(human, judge, method, over, chances, unmatched, level, seed)
    if method != "ppi" or over != "population" or isinstance(chances, Mapping):
        raise CallError("method, over and chances of topics are for scores on topics, and runs are for documents.")
    from .hybrid_documents import estimated, pool

    depths = chances or ()
    if human is None:
        own = pool(runs, None, judge, depths, unmatched)[0]
        return HybridStart(of="documents", judged=len(own.machine), seed=seed, _judge=own)
    return estimated(runs, human, judge, measures, depths=depths, unmatched=unmatched, level=level, seed=seed)


setattr(hybrid, TAKES, ("human", "judge"))


def _combined(
    human: Any, judge: Any, method: str, over: str, chances: Any, unmatched: str, level: float, seed: int
) -> Any:
    if human is None:
        machine = require_scores(judge, "hybrid()", "judge").in_order("topics")
        return HybridStart(of="topics", judged=len(machine.topics), seed=seed, _judge=machine)
    if chances is not None and not isinstance(chances, Mapping):
        raise CallError("chances maps every human topic to its chance; depths of strata go with runs.")
    found = two_phase(human, judge, unmatched=unmatched, chances=chances, whole=over == "topics")
    lower = (Note("lower_is_better"),) if human.lower_is_better else ()
    return _result(found._replace(notes=(*found.notes, *lower)), method, over, level, seed)


_combined.__name__ = "hybrid"
_of_topics = takes_scores("human", "judge", in_order=("systems",))(_combined)


def _result(found: Sides, method: str, over: str, level: float, seed: int) -> Hybrid:
    systems, notes = found.systems, found.notes
    # Where people's means do not differ there is nothing that could be drawn towards the judge.
    shrinks = method == "shrunk" and bool(found.data.human_mean.any())
    given = found.data if shrinks or method == "ppi" else replace(found.data, alone=True)
    data, scores = _pooled(given, systems)
    chances = swap_chances(scores)
    tau, of_people = 1 - 2 * float(chances.mean()), _tau_of_people(data, scores, chances)
    if data.alike and not (data.whole and data.k >= data.n):
        notes = (*notes, Note("alike_pairs", pairs=data.alike))
    drawn = shrunken(data) if shrinks else None
    if drawn is not None:
        split = scores.local.split
        if split is not None:
            notes = (*notes, Note("groups_of_systems", sizes=[len(part.systems) for part in split]))
        scores = NormalScores.of(systems, drawn.means, drawn.left_open(data), data.freedom, shrunk=True)
        tau = 1 - 2 * float(swap_chances(scores).mean())
        notes = (*notes, Note("unsure_effective_topics"))
    worth, at_the_top = _worth(data, scores, drawn)
    of_judge, limits = judge_alone(found, level, seed)
    if not math.isnan(of_judge) and data.few_decide:
        notes = (*notes, Note("few_decide", size=data.deciding))
    order = scores.order
    better = closed(normal.better(scores, level, seed), scores.estimates)
    low, high = rank_limits(better)
    return Hybrid(
        systems=scores.systems,
        estimates=scores.estimates,
        errors=np.sqrt(np.diagonal(scores.covariance)),
        people=data.human_mean[order],
        judge=data.judge_mean[order],
        human_topics=data.k,
        judge_topics=data.n,
        slope=data.slope,
        correlation=data.correlation,
        worth=worth,
        worth_at_the_top=at_the_top,
        expected_tau=tau,
        expected_tau_of_people=of_people,
        expected_tau_of_judge=of_judge,
        interval_of_judge=limits,
        method=method,
        over=over,
        low_rank=low,
        high_rank=high,
        tier=tier_numbers(better, scores.estimates),
        possible_winner=low == 1,
        level=level,
        seed=seed,
        notes=notes,
        _normal=scores,
        _data=data,
        _sides=found,
    )


def judge_alone(found: Sides, level: float, seed: int) -> tuple[float, Interval]:
    """Estimate the expected tau_b of the judge's ranking alone with people's true one.

    Parameters
    ----------
    found : Sides
        Scores of people and judge.
    level : float
        Confidence of the limits.
    seed : int
        Seed of the draws.

    Returns
    -------
    (float, Interval)
        NaN where topics have chances of their own, which `compare()` does not know, where people's topics show no
        variation of most pairs, or where people's means hardly differ beyond noise.
    """
    data = found.data
    pairs = data.systems * (data.systems - 1) / 2
    if data.chances is not None or not data.judge.any() or data.alike > pairs / 2:
        return math.nan, Interval(math.nan, math.nan)
    samples = Samples.of(join([found.judge, found.human]), seed)
    correction = Correction(samples, catalogue["tau_b"])
    if correction.reliability[1] < FLOOR:  # there is no order of people's to agree with
        return math.nan, Interval(math.nan, math.nan)
    return correction.of_observed.mean, correction.of_observed.interval(level)


def _tau_of_people(data: TwoPhase, scores: NormalScores, chances: Floats) -> float:
    """The expected tau of people's own ranking, by what the hybrid knows of each pair: where the two have it in another
    order, people are right as often as the hybrid is wrong."""
    first, second = np.triu_indices(scores.size, 1)
    people = data.human_mean[scores.order]
    wrong = np.where(people[first] >= people[second], chances, 1 - chances)
    return 1 - 2 * float(np.where(people[first] == people[second], 0.5, wrong).mean())


def _pooled(data: TwoPhase, systems: tuple[str, ...]) -> tuple[TwoPhase, NormalScores]:
    """The prediction-powered estimates. Where people alone have no more pairs in the wrong order, by the same gaps, the
    judge is left out: one slope can make the error smaller over all systems, and larger between those that are
    close."""
    scores = NormalScores.of(systems, *data.pooled, data.freedom)
    if not data.slope:
        return data, scores
    first, second = np.triu_indices(scores.size, 1)
    gaps = Gaps(scores, first, second)
    people = deviations_of(data.people_only[1], scores.order, first, second)
    lost = gaps.swapped(people) - gaps.swapped(scores.errors[first, second])
    return (data, scores) if lost > 0 else _pooled(replace(data, alone=True), systems)


def _worth(data: TwoPhase, scores: NormalScores, drawn: Shrunken | None) -> tuple[float, float]:
    """Effective human topics over all pairs, and over those of the top; NaN where the top is all there is."""

    def over(pairs: Bools) -> float:
        if drawn is None:
            return effective_topics(data, scores, pairs)
        return effective_topics_shrunken(data, drawn, scores.order, pairs)

    second = np.triu_indices(scores.size, 1)[1]
    if drawn is None and not data.slope and data.chances is None:
        return float(data.k), float(data.k) if scores.size > TOP else math.nan
    return over(second >= 0), over(second < TOP) if scores.size > TOP else math.nan
