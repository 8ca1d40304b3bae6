"""`plan_hybrid()`: how many topics must people still judge, with this judge and without it?"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from .. import checking
from ..arrays import Floats
from ..errors import CallError, Option
from ..expected.normal_scores import NormalScores
from ..expected.topics_needed import MOST_TOPICS
from ..files.door import ScoresLike, takes_scores
from ..jobs.seeds import Rng, remembered
from ..results import Result, count, fields_of, number, word
from .human_topics import LEAST_TOPICS, two_phase
from .hybrid_model import Model

#: Goals, and what is aimed at unless something else is said. Differences have no scale of their own: a width has none.
GOALS: dict[str, float | None] = {"tau": 0.9, "width": None, "top": 0.9}
_SAID = {
    "tau": "an expected tau of {} with people's ranking over all topics",
    "width": "intervals of differences that are {} wide on average",
    "top": "{} of the truly best {} among the best {} found, on average",
}
#: How many systems are the top, where there are more and nothing else is said.
TOP = 10
#: Numbers of human topics that a curve shows.
STEPS = (5, 7, 10, 15, 20, 30, 50, 70, 100, 150, 200, 300, 500, 700, 1000)


class HybridChoice(NamedTuple):
    """One way to reach the goal, and its price.

    Attributes
    ----------
    human_topics, judge_topics : int
        How many topics people judge, and how many the judge does; 0 for people alone.
    cost : float
        Of all labels together.
    """

    human_topics: int
    judge_topics: int
    cost: float


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class HybridPlan(Result):
    """What people's topics give with a judge and without it, and how many are enough.

    Parameters
    ----------
    goal : str
        "tau", "width" or "top".
    target : float
        What is to be reached.
    top : int
        How many are the top, for that goal.
    topics : tuple of int
        Numbers of human topics.
    people, hybrid : array of float
        What each would give: people alone, and with the judge on all of its topics.
    judge_topics : int
        The judge's topics.
    most_topics : int
        Up to how many it could go.
    human_topics : int
        How many topics people have judged so far.
    people_needed, hybrid_needed : int or None
        The fewest human topics that reach the goal, alone and with the judge; None where a million are not enough.
    human_cost, judge_cost : float
        The price of one label of people and of the judge.
    labels : float
        Labels that one topic takes.
    cheapest : HybridChoice or None
        The cheapest way to reach the goal.
    correlation : float
        Of people's and the judge's differences, topic by topic, so far.
    level : float
        Confidence of intervals, for the goal "width".
    seed : int
        Repeats the draws of the goal "top".
    notes : tuple of str
        What was left out or assumed.
    """

    goal: str
    target: float
    top: int
    topics: tuple[int, ...]
    people: Floats
    hybrid: Floats
    judge_topics: int
    most_topics: int
    human_topics: int
    people_needed: int | None
    hybrid_needed: int | None
    human_cost: float
    judge_cost: float
    labels: float
    cheapest: HybridChoice | None
    correlation: float
    level: float
    seed: int
    notes: tuple[str, ...] = ()
    _model: Model = field(default=None, repr=False)  # type: ignore[assignment]

    def lines(self) -> list[str]:
        """How many human topics are enough, alone and with the judge, how many are left to judge, and the cheapest way."""
        left = f"; {'; '.join(self.notes)}" if self.notes else ""
        return [
            f"For {self._aim()}: {self._numbers()}",
            " ".join([self._still(), self._price(), *self._wider()]),
            f"from {count(self.human_topics, 'human topic')} so far, correlation of differences "
            f"{number(self.correlation)}; gaps shrunk by their reliability, seed {self.seed}{left}",
        ]

    def _numbers(self) -> str:
        alone, both = (_needed(n) for n in (self.people_needed, self.hybrid_needed))
        judged = f"this judge on {count(self.judge_topics, 'topic')}"
        if self.people_needed == self.hybrid_needed:
            return f"{alone}, {judged} or not"
        return f"{both} with {judged}, {alone} without it"

    @property
    def people_still(self) -> int | None:
        """How many more topics people must judge without the judge; None where a million are not enough."""
        return None if self.people_needed is None else max(0, self.people_needed - self.human_topics)

    @property
    def hybrid_still(self) -> int | None:
        """How many more topics people must judge with the judge; None where a million are not enough."""
        return None if self.hybrid_needed is None else max(0, self.hybrid_needed - self.human_topics)

    def _still(self) -> str:
        alone, both = (_more(n) for n in (self.people_still, self.hybrid_still))
        said = (
            f"{both}, with the judge or without it" if alone == both else f"{both} with the judge, {alone} without it"
        )
        return f"People have judged {self.human_topics:,}: {said}."

    def _wider(self) -> list[str]:
        """Where the judge has too few topics to help: that it could be asked about more."""
        if self.most_topics > self.judge_topics or (self.hybrid_needed or MOST_TOPICS) <= self.judge_topics:
            return []
        has = count(self.judge_topics, "topic")
        return [f"The judge may help on more than its {has}: most_topics, in the shell --most-topics, plans with more."]

    def to_dict(self) -> dict[str, Any]:
        """The result as plain Python values, ready for JSON.

        Returns
        -------
        dict
            One entry per field, and how many topics are left for people to judge; undefined numbers are None.
        """
        return super().to_dict() | fields_of(self, "people_still", "hybrid_still")

    def _aim(self) -> str:
        return _SAID[self.goal].format(number(self.target), self.top, self.top)

    def _price(self) -> str:
        if self.cheapest is None:
            return "No number of topics that was thought of is enough."
        human, judge, cost = self.cheapest
        with_judge = f"the judge on {count(judge, 'topic')}" if judge else "without the judge"
        return f"Cheapest: people on {count(human, 'topic')}, {with_judge}, for {cost:,.6g}."

    def methods_sentence(self) -> str:
        """The sentence a paper needs: what was planned, and from what.

        Returns
        -------
        str
            One sentence.
        """
        return (
            f"From {count(self.human_topics, 'topic')} judged by people and {self.judge_topics:,} by a judge we expect to "
            f"need {self._numbers()}, for {self._aim()} (prediction-powered inference with power tuning, gaps shrunk by "
            "their reliability)."
        )

    def at(self, human_topics: int, judge_topics: int | None = None) -> float:
        """What would so many human topics give?

        Parameters
        ----------
        human_topics : int
            Topics that people judge.
        judge_topics : int or None, default None
            Topics that the judge judges, those of people among them; None for those it has, 0 for people alone.

        Returns
        -------
        float
            The expected tau, width, or share of the top.
        """
        k = checking.whole(human_topics, "human_topics", least=LEAST_TOPICS)
        n = self.judge_topics if judge_topics is None else checking.whole(judge_topics, "judge_topics")
        return self._model.value(k, n)

    def columns(self) -> dict[str, Any]:
        """One row per number of human topics."""
        return {"human_topics": list(self.topics), "people": self.people, "hybrid": self.hybrid}

    def cited(self) -> tuple[str, ...]:
        """Whose methods these are."""
        return ("angelopoulos2023", "urbano2016")

    def plot(self) -> Any:
        """Two curves over the number of human topics: with the judge, and people alone; the rule marks the goal."""
        from ..figures.two_curves import two_curves

        y = {"tau": "expected tau", "width": "width of intervals", "top": f"share of the top {self.top} found"}
        return two_curves(
            np.array(self.topics, dtype=float),
            {"with the judge": self.hybrid, "people alone": self.people},
            x="human topics",
            y=y[self.goal],
            title=f"Human topics for {self._aim()}",
            mark=self.target,
        )


def _needed(topics: int | None) -> str:
    return f"more than {count(MOST_TOPICS, 'human topic')}" if topics is None else f"{topics:,} human {word('topics')}"


def _more(topics: int | None) -> str:
    return "no number is enough" if topics is None else f"{topics:,} more" if topics else "enough"


@takes_scores("human", "judge", in_order=("systems",))
def plan_hybrid(
    human: ScoresLike,
    judge: ScoresLike,
    *,
    goal: str = "tau",
    target: float | None = None,
    top: int | None = None,
    topics: Iterable[int] | None = None,
    human_cost: float = 1.0,
    judge_cost: float = 0.0,
    labels: float = 1.0,
    most_topics: int | None = None,
    one_sided: str = "error",
    level: float = 0.95,
    rng: Rng = 0,
) -> HybridPlan:
    """How many topics must people judge, with this judge and without it, and what is the cheapest way?

    The error covariance of the estimates with k human topics and n of the judge's is var(y - b f)/k + b^2 var(f)/n,
    that of people alone var(y)/k, both from what was seen so far. True gaps are taken as N(g d, g se^2), d the estimated
    gap, se its error, g the reliability, as in `expected_correlation(…).topics_needed()`: plugging in d itself would ask
    for too few topics. The expected tau is 1 - 2 E[Phi(-|gap|/error)] over all pairs; widths are those of `level`
    intervals with k - 2 degrees of freedom; the top is found by drawing true scores and estimates.

    Ties do not matter. Do not use it where the topics to come are unlike those so far, or where the judge will be
    another one: correlation and slope are taken from these.

    Parameters
    ----------
    human : Scores, or what read_scores() takes
        People's scores so far: a random sample of the judge's topics, at least five.
    judge : Scores, or what read_scores() takes
        The judge's scores of the same systems on all topics.
    goal : {"tau", "width", "top"}, default "tau"
        An expected tau with people's ranking over all topics, the mean width of intervals of differences, or the share
        of the truly best systems among the best found.
    target : float or None, default None
        What to reach; None for .9 of tau or of the top, which are below 1 and at most 1. A width has to be given.
    top : int or None, default None
        How many systems are the top, at most one less than there are; None for ten, or that.
    topics : iterable of int or None, default None
        Numbers of human topics for the curves; None for some up to the judge's.
    human_cost, judge_cost : float, default 1.0 and 0.0
        The price of one label of people, and of the judge.
    labels : float, default 1.0
        How many labels one topic takes.
    most_topics : int or None, default None
        Up to how many topics the judge could go, for the cheapest way; None for those it has.
    one_sided : {"error", "drop"}, default "error"
        What to do with systems that only one side has, and with human topics that the judge lacks.
    level : float, default 0.95
        Confidence of the intervals whose width is the goal.
    rng : int, Generator or None, default 0
        Seed of the draws behind the goal "top".

    Returns
    -------
    HybridPlan
        Both curves, how many are enough, the cheapest way, and `.at()` for any other number.

    Raises
    ------
    CallError
        Where a width is asked for and not said which, or the target cannot be reached by any number of topics.
    TauscopeError
        Where people judged fewer than five topics, or cells are missing.

    See Also
    --------
    choose_topics : which topics to give to people.
    hybrid : the ranking itself.

    Examples
    --------
    >>> from tauscope import Scores
    >>> rng = np.random.default_rng(1)
    >>> people = rng.normal(np.linspace(0.4, 0.6, 6), 0.1, (80, 6))
    >>> machine = 0.5 * people + rng.normal(0, 0.02, (80, 6))
    >>> plan = plan_hybrid(Scores(people[:15]), Scores(machine), target=0.85)
    >>> plan.hybrid_needed < plan.people_needed
    True
    """
    checking.one_of(goal, GOALS, "goal")
    wanted = _target(goal, target)
    prices = [checking.number(price, name, above=-1e-300) for price, name in _named(human_cost, judge_cost, labels)]
    level, seed = checking.level(level), remembered(rng)
    found = two_phase(human, judge, one_sided=one_sided, what="plan_hybrid()")
    data = found.data
    most_top = data.systems - 1
    top = min(TOP, most_top) if top is None else checking.whole(top, "top", least=1, most=most_top)
    most = data.n if most_topics is None else checking.whole(most_topics, "most_topics", least=data.n)
    scores = NormalScores.of(found.systems, *data.pooled, float(data.k - 2))
    model = Model(data=data, scores=scores, goal=goal, top=top, level=level, seed=seed)
    grid = _grid(topics, data.n)
    alone, both = model.needed(wanted, lambda _: 0), model.needed(wanted, lambda _: data.n)
    return HybridPlan(
        goal=goal,
        target=wanted,
        top=top,
        topics=grid,
        people=np.array([model.value(k, 0) for k in grid]),
        hybrid=np.array([model.value(k, data.n) for k in grid]),
        judge_topics=data.n,
        most_topics=most,
        human_topics=data.k,
        people_needed=alone,
        hybrid_needed=both,
        human_cost=prices[0],
        judge_cost=prices[1],
        labels=prices[2],
        cheapest=_cheapest(model, wanted, alone, most, prices),
        correlation=data.correlation,
        level=level,
        seed=seed,
        notes=found.notes,
        _model=model,
    )


def _target(goal: str, target: float | None) -> float:
    """What to reach: given, or what the goal aims at by itself."""
    usual = GOALS[goal]
    if target is None and usual is None:
        raise CallError(
            "For the goal width, the width has to be given, in the units of the scores.",
            Option("target", 0.05, effect="for intervals of differences that are 0.05 wide on average"),
        )
    if target is None:
        return float(usual or 0.0)
    if goal == "width":
        return checking.number(target, "target", above=0.0)
    return checking.share(target, "target", one=goal == "top")


def _named(human: float, judge: float, labels: float) -> tuple[tuple[float, str], ...]:
    return (human, "human_cost"), (judge, "judge_cost"), (labels, "labels")


def _grid(topics: Iterable[int] | None, most: int) -> tuple[int, ...]:
    if topics is not None:
        return tuple(sorted({checking.whole(k, "topics", least=LEAST_TOPICS) for k in topics}))
    return tuple(sorted({*(k for k in STEPS if k < most), most}))


def _cheapest(model: Model, target: float, alone: int | None, most: int, prices: list[float]) -> HybridChoice | None:
    """Over people alone, and the judge on what it has and more; of ways that cost the same, the one with fewer human
    topics, then without the judge, then with more of its topics."""
    human, judge, labels = prices
    found = [] if alone is None else [HybridChoice(alone, 0, alone * human * labels)]
    sizes = np.unique(np.geomspace(model.data.n, most, 15).round().astype(int))
    for n in sizes.tolist():
        k = model.needed(target, lambda _, n=n: n)  # type: ignore[misc]
        if k is not None and k < n:
            found.append(HybridChoice(k, n, (k * human + n * judge) * labels))
    return min(
        found, key=lambda one: (one.cost, one.human_topics, one.judge_topics > 0, -one.judge_topics), default=None
    )
