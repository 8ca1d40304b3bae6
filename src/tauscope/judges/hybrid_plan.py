"""How many topics must people still judge, with a judge and without it?"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import ClassVar, NamedTuple

import numpy as np

from ..core import checking
from ..core.arrays import Bools, Floats, Ints, blocks, product, tally
from ..core.checking import Stream, plan_draws, stream
from ..data.labels import shown
from ..data.scores import Scores
from ..errors import AlignmentError, CallError, Option, TauscopeError
from ..inference.expected_views import MOST_TOPICS, fewest
from ..inference.relation import NormalScores, drawn_truths, symmetric_root
from ..io.write import write_columns
from ..results import Note, Plain, count, fact, per_row
from .two_phase import LEAST_TOPICS, Gaps, TwoPhase, deviations_of

#: Goals, and the target unless another is given. Differences have no scale of their own, so a width has none.
GOALS: dict[str, float | None] = {"tau": 0.9, "width": None, "top": 0.9}
#: By how much of the range of scores the first of two equal systems is better, so that rounding does not decide.
TIE = 1e-9
#: Number of systems at the top, if there are more and nothing else is given.
TOP = 10
#: Numbers of human topics that a curve shows.
STEPS = (5, 7, 10, 15, 20, 30, 50, 70, 100, 150, 200, 300, 500, 700, 1000)


class Choice(NamedTuple):
    """One way to reach the goal: number of topics that people judge and that the judge judges (0 for people alone), and
    the cost of all labels."""

    human_topics: int
    judge_topics: int
    cost: float


@dataclass(frozen=True, eq=False, kw_only=True)
class Model:
    """What a number of human topics and of the judge's gives, from what was seen so far."""

    data: TwoPhase
    scores: NormalScores
    goal: str
    top: int
    level: float
    seed: int

    def covariance(self, k: float, n: float) -> Floats:
        """Of the estimates of all systems, in the order of the scores; n = 0 or n <= k: people alone."""
        people, _, there, between = self.data.covariances
        b = self.data.slope_seen
        alone = people / k
        if n > k and b > 0:
            rest = (people - b * (between + between.T) + b * b * there) * self.data.short
            with_judge = rest / k + self.data.of_judge / n
            # A judge that makes it worse is left out.
            alone = with_judge if np.trace(with_judge) < np.trace(alone) else alone
        order = self.scores.order
        return np.asarray(alone[np.ix_(order, order)])

    def value(self, k: float, n: float) -> float:
        """The expected tau, the mean width of intervals of differences, or the share of the top found."""
        covariance = self.covariance(k, n)
        if self.goal == "top":
            return self._found(covariance)
        first, second = np.triu_indices(self.scores.size, 1)
        errors = deviations_of(covariance, np.arange(self.scores.size), first, second)
        if self.goal == "width":
            from scipy.special import stdtrit

            return 2 * float(stdtrit(max(k - 2, 1), (1 + self.level) / 2)) * float(errors.mean())
        return 1 - 2 * Gaps(self.scores, first, second).swapped(errors)

    def _found(self, covariance: Floats) -> float:
        """The share of the truly best that are among the best found, over what the true scores could be."""
        root = symmetric_root(covariance)
        there = 0
        for true, noise, best in self._drawn:
            moved = product(noise, root)
            for seen in (true + moved, true - moved):  # both are as likely, and the second costs next to nothing
                least = np.partition(seen, -self.top, axis=1)[:, -self.top, None]
                there += int((best & (seen >= least)).sum())
        return there / (2 * self.top * sum(len(true) for true, _, _ in self._drawn))

    @cached_property
    def _drawn(self) -> list[tuple[Floats, Floats, Bools]]:
        """True scores as they could be, noise in units of its own, and who is best; the same for all numbers of topics."""
        truths = drawn_truths(self.scores, self.seed, 2 * plan_draws(self.scores.size), Stream.PLAN)
        # Systems with the same scores tie but for rounding, which is not the same on all processors: the first is better.
        truths = truths - TIE * float(np.ptp(truths)) * np.arange(self.scores.size)
        generator = stream(self.seed, Stream.PLAN_NOISE)
        found = []
        for part in blocks(len(truths), self.scores.size):
            true = truths[part]
            best = np.zeros(true.shape, bool)
            np.put_along_axis(best, np.argpartition(-true, self.top - 1, axis=1)[:, : self.top], True, axis=1)
            found.append((true, generator.standard_normal(true.shape), best))
        return found

    def needed(self, target: float, judge_topics: Callable[[float], float]) -> int | None:
        """The fewest human topics that reach the target."""
        sign = -1.0 if self.goal == "width" else 1.0
        return fewest(sign * target, LEAST_TOPICS, lambda k: sign * self.value(k, judge_topics(k)))


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class HybridPlan(Plain):
    """What people's topics give with a judge and without it, and how many are enough. One row per number of topics.

    Parameters
    ----------
    human_topics : tuple of int
        Numbers of human topics.
    people, hybrid : array of float
        What each would give: people alone, and with the judge on all of its topics.
    goal : str
        "tau", "width" or "top".
    target : float
        What is to be reached.
    top : int
        Number of systems at the top, for that goal.
    judge_topics, most_topics : int
        Number of the judge's topics, and how many it could judge.
    judged : int
        Number of topics that people have judged so far.
    people_needed, hybrid_needed : int or None
        The fewest human topics that reach the goal, alone and with the judge; None if a million are not enough.
    human_cost, judge_cost, labels : float
        Cost of one label of people and of the judge, and number of labels per topic.
    cheapest : Choice or None
        The cheapest plan that reaches the goal.
    correlation : float
        Correlation of people's and the judge's differences, topic by topic, so far.
    seed : int
        Seed of the draws of the goal "top".
    notes : tuple
        What was left out or assumed.
    """

    QUESTION: ClassVar[str] = "hybrid_plan"
    PAPERS: ClassVar[tuple[str, ...]] = ("angelopoulos2023", "urbano2016")
    human_topics: tuple[int, ...] = per_row()
    people: Floats = per_row()
    hybrid: Floats = per_row()
    goal: str
    target: float
    top: int
    judge_topics: int
    most_topics: int
    judged: int
    people_needed: int | None
    hybrid_needed: int | None
    human_cost: float
    judge_cost: float
    labels: float
    cheapest: Choice | None
    correlation: float
    seed: int
    level: float
    notes: tuple[Note | str, ...] = ()
    _model: Model = field(repr=False)

    @fact
    def people_still(self) -> int | None:
        """Number of topics that people must still judge without the judge; None if a million are not enough."""
        return None if self.people_needed is None else max(0, self.people_needed - self.judged)

    @fact
    def hybrid_still(self) -> int | None:
        """Number of topics that people must still judge with the judge; None if a million are not enough."""
        return None if self.hybrid_needed is None else max(0, self.hybrid_needed - self.judged)

    @property
    def more_may_help(self) -> bool:
        """Whether the judge has too few topics to help, and could judge more."""
        return self.most_topics == self.judge_topics and (self.hybrid_needed or MOST_TOPICS) > self.judge_topics

    def at(self, human_topics: int, judge_topics: int | None = None) -> float:
        """Compute what a number of human topics would give.

        Parameters
        ----------
        human_topics : int
            Number of topics that people judge.
        judge_topics : int or None, default None
            Number of topics that the judge judges, those of people among them; None for those it has, 0 for people
            alone.

        Returns
        -------
        float
            The expected tau, width, or share of the top.
        """
        k = checking.whole(human_topics, "human_topics", least=LEAST_TOPICS)
        n = self.judge_topics if judge_topics is None else checking.whole(judge_topics, "judge_topics")
        return self._model.value(k, n)


def planned(
    data: TwoPhase,
    systems: tuple[str, ...],
    *,
    goal: str,
    target: float | None,
    top: int | None,
    costs: tuple[float, float, float],
    most_topics: int | None,
    level: float,
    seed: int,
) -> HybridPlan:
    """Plan from what people and the judge have judged so far; `Hybrid.plan()` explains the arguments."""
    checking.one_of(goal, GOALS, "goal")
    wanted = _target(goal, target)
    named = zip(costs, ("human_cost", "judge_cost", "labels"), strict=True)
    prices = [checking.number(price, name, above=-1e-300) for price, name in named]
    most_top = data.systems - 1
    top = min(TOP, most_top) if top is None else checking.whole(top, "top", least=1, most=most_top)
    most = data.n if most_topics is None else checking.whole(most_topics, "most_topics", least=data.n)
    scores = NormalScores.of(systems, *data.pooled, float(data.k - 2))
    model = Model(data=data, scores=scores, goal=goal, top=top, level=level, seed=seed)
    grid = tuple(sorted({*(k for k in STEPS if k < data.n), data.n}))
    alone, both = model.needed(wanted, lambda _: 0), model.needed(wanted, lambda _: data.n)
    return HybridPlan(
        human_topics=grid,
        people=np.array([model.value(k, 0) for k in grid]),
        hybrid=np.array([model.value(k, data.n) for k in grid]),
        goal=goal,
        target=wanted,
        top=top,
        judge_topics=data.n,
        most_topics=most,
        judged=data.k,
        people_needed=alone,
        hybrid_needed=both,
        human_cost=prices[0],
        judge_cost=prices[1],
        labels=prices[2],
        cheapest=_cheapest(model, wanted, alone, most, prices),
        correlation=data.correlation,
        seed=seed,
        level=level,
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


def _cheapest(model: Model, target: float, alone: int | None, most: int, prices: list[float]) -> Choice | None:
    """Over people alone, and the judge on what it has and more; of ways that cost the same, the one with fewer human
    topics, then without the judge, then with more of its topics."""
    human, judge, labels = prices
    found = [] if alone is None else [Choice(alone, 0, alone * human * labels)]
    sizes = np.unique(np.geomspace(model.data.n, most, 15).round().astype(int))
    for n in sizes.tolist():
        k = model.needed(target, lambda _, n=n: n)  # type: ignore[misc]
        if k is not None and k < n:
            found.append(Choice(k, n, (k * human + n * judge) * labels))
    return min(
        found, key=lambda one: (one.cost, one.human_topics, one.judge_topics > 0, -one.judge_topics), default=None
    )


#: How topics are drawn.
DESIGNS = ("random", "scores", "disagreement")
#: Strata, where there are topics enough for two draws of each.
MOST_STRATA = 5


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class TopicSample(Plain):
    """Topics to give to assessors, in a random order, and the chances that `hybrid()` needs. Topics judged before come
    after those to judge, with stratum 0.

    Parameters
    ----------
    topic : tuple of str
        The topics. If assessors stop early, those that they judged are a random part of the sample.
    stratum : tuple of int
        Stratum of each, from 1, the lowest values first; 0 if it was judged before.
    chance : tuple of float
        The chance of each topic to be among those that people then have judged.
    judged : tuple of str
        "no" or "yes": whether people had judged it before.
    design : str
        "random", "scores" or "disagreement".
    of : int
        Number of topics to choose from, those judged before not counted.
    seed : int
        Seed of the draw.
    """

    QUESTION: ClassVar[str] = "topic_sample"
    topic: tuple[str, ...] = per_row()
    stratum: tuple[int, ...] = per_row()
    chance: tuple[float, ...] = per_row()
    judged: tuple[str, ...] = per_row()
    design: str
    of: int
    seed: int

    def __len__(self) -> int:
        """Return the number of topics that were drawn."""
        return self.judged.count("no")

    @property
    def topics(self) -> tuple[str, ...]:
        """The topics to judge next."""
        return self.topic[: len(self)]

    @property
    def chances(self) -> Mapping[str, float]:
        """The chance of each topic, those judged before among them, as `hybrid(…, chances=…)` takes them."""
        return dict(zip(self.topic, self.chance, strict=True))

    def write(self, path: str | Path) -> Path:
        """Write the list for assessors: topic, stratum, chance, and whether it is judged.

        Parameters
        ----------
        path : str or Path
            A CSV or TSV file.

        Returns
        -------
        Path
            Where it was written. `tauscope hybrid --chances` reads it back.
        """
        return write_columns(self.columns(), path)

    def cited(self) -> tuple[str, ...]:
        return ("horvitz1952", "neyman1934") if self.design == "disagreement" else ("horvitz1952",)


def sampled_topics(machine: Scores, topics: int, *, design: str, judged: Iterable[str], seed: int) -> TopicSample:
    """Draw topics of a judge that people have not judged; `Hybrid.next()` explains the arguments."""
    checking.one_of(design, DESIGNS, "design")
    before = list(map(str, judged))
    strangers = [topic for topic in before if topic not in set(machine.topics)]
    if strangers:
        raise AlignmentError(f"{count(len(strangers), 'judged topic')} the judge has not: {shown(strangers)}.")
    left = np.array([i for i, topic in enumerate(machine.topics) if topic not in set(before)], dtype=np.int64)
    wanted = checking.whole(topics, "choose", least=1)
    if wanted > len(left):
        raise TauscopeError(f"There are {len(left):,} topics to choose from, not {wanted:,}.")
    generator = stream(seed, Stream.TOPICS)
    stratum, sizes = _strata(machine.values, left, design, wanted)
    inside = tally(stratum[left], len(sizes))
    drawn = [generator.permutation(left[stratum[left] == h])[: sizes[h]] for h in range(len(sizes))]
    order = generator.permutation(np.concatenate(drawn))
    # What was judged before has the chance that its like had in both draws.
    first = len(before) / len(machine.topics)
    now = np.divide(sizes, inside, out=np.zeros(len(sizes)), where=inside > 0)
    both = first + (1 - first) * now
    place = {topic: i for i, topic in enumerate(machine.topics)}
    every = (*(machine.topics[i] for i in order), *before)
    return TopicSample(
        topic=every,
        stratum=(*(int(stratum[i]) + 1 for i in order), *(0 for _ in before)),
        chance=tuple(float(both[stratum[place[topic]]]) for topic in every),
        judged=(*("no" for _ in order), *("yes" for _ in before)),
        design=design,
        of=len(left),
        seed=seed,
    )


def _strata(values: Floats, left: Ints, design: str, wanted: int) -> tuple[Ints, Ints]:
    """The stratum of every topic, and how many to draw from each."""
    if design == "random":
        return np.zeros(len(values), np.int64), np.array([wanted])
    by = values.mean(axis=1) if design == "scores" else values.std(axis=1)
    count_of = max(1, min(MOST_STRATA, wanted // 2))
    stratum = np.empty(len(values), np.int64)
    stratum[np.argsort(by, kind="stable")] = np.arange(len(values)) * count_of // len(values)
    inside = tally(stratum[left], count_of)
    own = np.array([by[stratum == h].mean() for h in range(count_of)])
    pull = inside * (np.maximum(own, 1e-3 * max(own.max(), 1e-300)) if design == "disagreement" else 1.0)
    return stratum, allocated(pull, inside, wanted)


def allocated(pull: Floats, most: Ints, wanted: int, *, fewest: int = 1) -> Ints:
    """So many draws in proportion to `pull`, at least `fewest` from each stratum that has them, never more than it has."""
    found = np.minimum(fewest, most)
    while found.sum() < wanted:
        # The next draw goes where the fewest were made for the pull of the stratum.
        found[np.argmax(np.where(found < most, pull / (found + 0.5), -1.0))] += 1
    return found
