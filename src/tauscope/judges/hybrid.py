"""`hybrid()`: people on some topics and a judge on all of them, combined into one ranking with its errors."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np

from .. import checking
from ..arrays import Bools, Floats, Ints
from ..coefficients.records import catalogue
from ..expected import normal_scores as normal
from ..expected.intervals import Interval
from ..expected.normal_scores import NormalScores, swap_chances
from ..files.door import ScoresLike, takes_scores
from ..inference.relation import closed, rank_limits, shared_ranks, tier_numbers
from ..inference.reliability import FLOOR
from ..jobs.draws import rank_draws
from ..jobs.seeds import Rng, Stream, remembered, stream
from ..results import Result, count, fields_of, number, word
from ..scores.labels import positions
from .attenuation import Correction, Samples
from .empirical_bayes import Shrunken, shrunken
from .human_topics import Sides, two_phase
from .shared_topics import join
from .two_phase import TwoPhase
from .worth import Gaps, deviations_of, effective_topics, effective_topics_shrunken

METHODS = ("ppi", "shrunk")
TARGETS = ("population", "topics")
#: The head for which effective topics are told apart.
TOP = 10
#: What is noted of `shrunk`; it was counted on people and metrics of WMT23 and on simulated boards.
UNSURE = "the effective number of human topics of method='shrunk' can be off by a factor of two, either way"
#: Why a difference has no interval.
NO_VARIATION = "no two systems differ on any topic, under people or under the judge"


class HybridDifference(NamedTuple):
    """The difference of two systems, with an interval and a two-sided p-value against 0.

    Attributes
    ----------
    first, second : str
        The two systems.
    difference : float
        The score of the first less that of the second.
    low, high : float
        The limits of the interval.
    p : float
        Two-sided, against no difference.
    undefined_because : str or None
        Why there is no interval.
    """

    first: str
    second: str
    difference: float
    low: float
    high: float
    p: float
    undefined_because: str | None = None


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Hybrid(Result):
    """One ranking from people on some topics and a judge on all, the best system first.

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
        The expected tau_b with people's ranking over all topics, of the judge's ranking alone, as far as people's topics
        tell: over the draws of people's true means that `compare()` makes. NaN where topics had unequal chances, or people's
        topics say too little.
    interval_of_judge : pair of float
        Its limits. Where they are wide, it is not known whether the judge alone would rank better.
    method : str
        "ppi" or "shrunk".
    target : str
        "population" or "topics".
    low_rank, high_rank, tier, possible_winner : array
        Simultaneous rank limits, tiers and possible winners; `rank(hybrid)` tells more of them.
    level : float
        Confidence of intervals.
    seed : int
        Repeats the ranks.
    notes : tuple of str
        What was left out.
    """

    systems: tuple[str, ...]
    estimates: Floats
    errors: Floats
    people: Floats
    judge: Floats
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
    target: str
    low_rank: Ints
    high_rank: Ints
    tier: Ints
    possible_winner: Bools
    level: float
    seed: int
    notes: tuple[str, ...] = ()
    _normal: NormalScores = field(repr=False)
    _data: TwoPhase = field(repr=False)

    @property
    def worth_something(self) -> bool:
        """Whether the judge adds more than a twentieth to people's topics."""
        return self.worth >= 1.05 * self.human_topics

    @property
    def people_alone(self) -> bool:
        """Whether the judge is left out, since it does not make the ranking better: this is people's ranking."""
        return not self.slope and (self.method == "ppi" or not self.people.any())

    @property
    def assumes(self) -> str:
        """What the errors of the estimates take for granted."""
        return f"errors are Student's t with {self._normal.freedom:g} degrees of freedom, topics a random sample"

    def normal(self) -> NormalScores:
        """The estimates with their covariance, as `rank()` takes them.

        Returns
        -------
        NormalScores
        """
        return self._normal

    def difference(self, first: str, second: str) -> HybridDifference:
        """How far apart are two systems? With a slope of their own, which makes the interval as narrow as their topics
        allow.

        The interval is that of Student's t, or of the studentised bootstrap over human topics where that is wider. Where
        few human topics decide, or the two do not differ on any, it is at most as wide as it would be with one more topic,
        on which they are as far apart, the other way, as any two systems are on any topic. So a sample without variation
        does not make an interval of width zero.

        Parameters
        ----------
        first, second : str
            The names of two of the systems.

        Returns
        -------
        HybridDifference
            The difference with its interval and p-value, by prediction-powered inference whatever the method of the
            ranking.
        """
        i, j = (positions(name, self.systems, "system")[0] for name in (str(first), str(second)))
        own = self._data.limits(int(self._normal.order[i]), int(self._normal.order[j]), self.level, self.seed)
        return HybridDifference(self.systems[i], self.systems[j], *own, NO_VARIATION if math.isnan(own.low) else None)

    def lines(self) -> list[str]:
        """The order, what the human topics are worth with this judge, and how it was made."""
        order = ", ".join(self.systems[:5]) + (", …" if len(self.systems) > 5 else "")
        left = f"; {'; '.join(self.notes)}" if self.notes else ""
        return [
            f"Hybrid ranking of {count(len(self.systems), 'system')}: {order}; expected tau with people's ranking over "
            f"{self._over()} {number(self.expected_tau)} (people alone {number(self.expected_tau_of_people)}"
            f"{self._judge_alone()})",
            self.sentence(),
            f"{_METHOD[self.method]}, {_TARGET[self.target]}, slope {number(self.slope)}, correlation of differences "
            f"{number(self.correlation)}, seed {self.seed}; scores as differences from the mean of the "
            f"{word('systems')}{left}",
        ]

    @property
    def judge_may_rank_better(self) -> bool:
        """Whether the judge's ranking alone is expected to be closer to people's than this one."""
        return self.expected_tau_of_judge > self.expected_tau

    def _judge_alone(self) -> str:
        """The judge's expected tau, and a word where it is the largest."""
        if math.isnan(self.expected_tau_of_judge):
            return ""
        low, high = self.interval_of_judge
        more = ", so that it may rank better alone" if self.judge_may_rank_better else ""
        return f"; the judge alone {number(self.expected_tau_of_judge)} [{number(low)}, {number(high)}]{more}"

    def _over(self) -> str:
        """The topics that people's ranking is meant over."""
        return word("all topics") if self.target == "population" else f"the judge's {count(self.judge_topics, 'topic')}"

    def _worth(self) -> str:
        """In topics; with a decimal where whole ones would not tell it from what people have."""
        return f"{self.worth:,.{1 if round(self.worth) == self.human_topics else 0}f}"

    def sentence(self) -> str:
        """What are the human topics worth with this judge?

        Returns
        -------
        str
            One sentence, or the advice to use people alone.
        """
        had = f"{count(self.human_topics, 'human topic')} with this judge on {count(self.judge_topics, 'topic')} are worth"
        if self.people_alone:
            return f"{had} no more than without it: use people alone, as this ranking does."
        if self.worth < self.human_topics:
            return f"{had} {self._worth()}, less than without it: use people alone, or another method."
        if not self.worth_something:
            return f"{had} {self._worth()}, hardly more than without it: people alone would do."
        return f"{had} {self._worth()}{self._at_the_top()}."

    def _at_the_top(self) -> str:
        if len(self.systems) <= TOP:
            return ""
        if self.method == "shrunk":
            return f"; how many among the top {TOP} is not known by this method"
        return f"; among the top {TOP}, {self.worth_at_the_top:,.0f}"

    def methods_sentence(self) -> str:
        """The sentence a paper needs: what was combined, how, and what came out.

        Returns
        -------
        str
            One sentence.
        """
        weighted = "" if self._data.chances is None else " drawn with unequal chances, which weigh them"
        people, judge = count(self.human_topics, "topic"), count(self.judge_topics, "topic")
        tau = f"the expected tau with people's ranking is {number(self.expected_tau)}"
        ranked = f"{count(len(self.systems), 'system')} were ranked by"
        if self.people_alone:
            return (
                f"{ranked} people's scores on {people}{weighted} alone, since {_METHOD[self.method]} with a judge's on {judge} "
                f"would not have ranked them better ({_TARGET[self.target]}); {tau}."
            )
        return (
            f"{ranked} {_METHOD[self.method]} from people's scores on {people}{weighted} and a judge's on {judge} "
            f"({_TARGET[self.target]}); {tau}, as with {self._worth()} human {word('topics')} alone."
        )

    def to_dict(self) -> dict[str, Any]:
        """The result as plain Python values, ready for JSON.

        Returns
        -------
        dict
            One entry per field; undefined numbers are None.
        """
        said = {
            "people_alone": self.people_alone,
            "worth_something": self.worth_something,
            "judge_may_rank_better": self.judge_may_rank_better,
            "sentence": self.sentence(),
        }
        return super().to_dict() | said

    def columns(self) -> Mapping[str, Any]:
        """One row per system."""
        found = {"system": list(self.systems), "estimate": self.estimates, "error": self.errors}
        ranks = fields_of(self, "low_rank", "high_rank", "tier", "possible_winner")
        return found | ranks | fields_of(self, "people", "judge")

    def cited(self) -> tuple[str, ...]:
        """Whose methods these are."""
        weighted = ("horvitz1952",) if self._data.chances is not None else ()
        shrunk = ("efron1973",) if self.method == "shrunk" else ()
        return ("angelopoulos2023", *shrunk, *weighted, "mogstad2024")

    def plot(self) -> Any:
        """One bar per system, from its best to its worst rank, in the colours of the tiers."""
        from ..figures import spans

        groups = [f"tier {number}" for number in self.tier]
        rank = shared_ranks(self.estimates)
        title = f"Ranks of {count(len(self.systems), 'system')} by people and judge, {self.level * 100:g} %"
        return spans(
            self.systems, self.low_rank, self.high_rank, rank, x="rank", title=title, groups=groups, group="tier"
        )


_METHOD = {
    "ppi": "prediction-powered inference with power tuning",
    "shrunk": "empirical Bayes towards the judge",
}
#: The estimates are differences from a mean, and signed either way.
_LOWER = "lower is better in the source, and differences have the other sign here: higher is better"
_TARGET = {"population": "target: all topics that could have been asked", "topics": "target: the judge's topics"}


@takes_scores("human", "judge", in_order=("systems",))
def hybrid(
    human: ScoresLike,
    judge: ScoresLike,
    *,
    method: str = "ppi",
    target: str = "population",
    chances: Mapping[str, float] | None = None,
    one_sided: str = "error",
    match: str = "exact",
    level: float = 0.95,
    rng: Rng = 0,
) -> Hybrid:
    """How do systems rank when people judged some topics, and a judge all of them?

    The estimate of a system is ybar_k + b (fbar_N - fbar_k): people's mean on their k topics, moved by as much as the
    judge's mean on all N topics differs from the one on those k; b = cov(people, judge)/var(judge), pooled over all
    differences of two systems and cut at 0 and at three times people's spread over the judge's. This is
    prediction-powered inference with power tuning (PPI++, angelopoulos2023), the regression estimator of two-phase
    sampling. A useless judge leaves about the errors of people alone. The bias is of the order 1/k: small beside the errors
    with normal scores and ratings, and up to one standard error with sparse, very skewed ones.
    Where b would make the errors, or the pairs that are expected in the wrong order, no fewer than people's own, it is
    0: the ranking is people's, and the result says so.

    Where topics had unequal chances p_t to be given to people, every mean over people's topics is weighted by 1/p_t
    (horvitz1952, divided by the sum of the weights), which keeps the bias of the order 1/k; `choose_topics()` keeps
    these chances.

    Ties are those of the estimates. Do not use it where people judged topics that were chosen for what the judge said
    of them, and the chances are not known: the k topics must be a random sample of the N. Nor is the hybrid always the best
    ranking: a judge that ranks systems well, but says little about single topics, can rank better alone where human topics
    are few (0.85 instead of 0.79 with 20 segments of WMT23). `expected_tau_of_judge` says how the judge alone would do.

    Parameters
    ----------
    human : Scores, or what read_scores() takes
        People's scores: one row per topic, one column per system. Its topics are among the judge's, by their labels.
    judge : Scores, or what read_scores() takes
        The judge's scores of the same systems, on more topics.
    method : {"ppi", "shrunk"}, default "ppi"
        "shrunk" draws the estimates towards the judge's order, as far as judge and people were seen to agree over
        systems (empirical Bayes, efron1973). It ranks better where human topics are few (10 to 30) and the judge is
        good, or systems are many; its errors are those of a normal prior, and a system that the judge treats unlike the
        others is drawn the wrong way.
    target : {"population", "topics"}, default "population"
        What people's ranking is meant over: all topics that could have been asked, or the judge's N topics.
    chances : Mapping of str to float or None, default None
        The chance with which each human topic was drawn, such as `choose_topics(…).chances`; None where all topics had
        the same.
    one_sided : {"error", "drop"}, default "error"
        What to do with systems that only one side has, and with human topics that the judge lacks.
    match : {"exact", "loose"}, default "exact"
        "loose" takes names of systems and topics for the same that differ by spelling only: spaces, case, leading
        zeros, ".0", or a word that all of them begin with. The notes say how many.
    level : float, default 0.95
        Confidence of intervals.
    rng : int, Generator or None, default 0
        Seed of the ranks; None takes a fresh one, which the result remembers.

    Returns
    -------
    Hybrid
        The ranking with errors, its rank limits, tiers and possible winners, `.difference()`, and what the topics
        are worth.

    Raises
    ------
    AlignmentError
        Where systems or human topics are on one side only.
    TauscopeError
        Where people judged fewer than five topics, cells are missing, or a human topic has no chance.

    See Also
    --------
    plan_hybrid : how many human topics are enough.
    choose_topics : which topics to give to people, with chances that are kept.
    hybrid_documents : people judged some documents of each topic instead of some topics.
    compare : whether the judge could stand in alone.

    Examples
    --------
    >>> from tauscope import Scores
    >>> rng = np.random.default_rng(1)
    >>> people = rng.normal([0.6, 0.5, 0.4], 0.1, (60, 3)) + rng.normal(0, 0.1, (60, 1))
    >>> machine = 0.5 * people + rng.normal(0, 0.02, (60, 3))
    >>> found = hybrid(Scores(people[:15]), Scores(machine))
    >>> found.systems, found.worth > 30
    (('1', '2', '3'), True)
    """
    checking.one_of(method, METHODS, "method")
    checking.one_of(target, TARGETS, "target")
    level = checking.level(level)
    found = two_phase(
        human, judge, one_sided=one_sided, match=match, what="hybrid()", chances=chances, whole=target == "topics"
    )
    notes = (*found.notes, *((_LOWER,) if human.lower_is_better else ()))
    return _result(found._replace(notes=notes), method, target, level, remembered(rng))


def _result(found: Sides, method: str, target: str, level: float, seed: int) -> Hybrid:
    systems, notes = found.systems, found.notes
    # Where people's means do not differ there is nothing that could be drawn towards the judge.
    shrinks = method == "shrunk" and bool(found.data.human_mean.any())
    given = found.data if shrinks or method == "ppi" else replace(found.data, alone=True)
    data, scores = _pooled(given, systems)
    chances = swap_chances(scores)
    tau, of_people = 1 - 2 * float(chances.mean()), _tau_of_people(data, scores, chances)
    if data.alike and not (data.whole and data.k >= data.n):
        notes = (
            *notes,
            f"{count(data.alike, 'pair')} of {word('systems')} show no variation on human {word('topics')}: their intervals "
            f"are as wide as one more {word('topic')} against them would make them",
        )
    drawn = shrunken(data) if shrinks else None
    if drawn is not None:
        split = scores.local.split
        if split is not None:
            sizes = " and ".join(str(len(part.systems)) for part in split)
            notes = (
                *notes,
                f"{word('systems')} come in groups of {sizes}, which method='shrunk' takes for one: of close ones it "
                "promises too much",
            )
        scores = NormalScores.of(systems, drawn.means, drawn.left_open(data), data.freedom, shrunk=True)
        tau = 1 - 2 * float(swap_chances(scores).mean())
        notes = (*notes, UNSURE)
    worth, at_the_top = _worth(data, scores, drawn)
    of_judge, limits = judge_alone(found, level, seed)
    if not math.isnan(of_judge) and data.few_decide:
        notes = (
            *notes,
            f"few of the human {word('topics')} decide, as {data.deciding:.1f} equal ones would: the judge alone may rank better "
            "than its interval says",
        )
    order = scores.order
    better = closed(normal.better(scores, level, seed, rank_draws(scores.size)), scores.estimates)
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
        target=target,
        low_rank=low,
        high_rank=high,
        tier=tier_numbers(better, scores.estimates),
        possible_winner=low == 1,
        level=level,
        seed=seed,
        notes=notes,
        _normal=scores,
        _data=data,
    )


def judge_alone(found: Sides, level: float, seed: int) -> tuple[float, Interval]:
    """The expected tau_b of the judge's ranking with people's true one, and its limits; NaN where topics have chances of
    their own, which `compare()` does not know, where people's topics show no variation of most pairs, or where people's
    means hardly differ beyond noise."""
    data = found.data
    pairs = data.systems * (data.systems - 1) / 2
    if data.chances is not None or not data.judge.any() or data.alike > pairs / 2:
        return math.nan, Interval(math.nan, math.nan)
    samples = Samples(join([found.judge, found.human]), stream(seed, Stream.JUDGES))
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
    judge is left out: one slope can make the error smaller over all systems, and larger between those that are close."""
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
