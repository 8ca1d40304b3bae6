"""`Comparison`: how well one judge reproduces the ranking of a truth, and whether it can replace it."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from functools import cached_property
from typing import Any, ClassVar, NamedTuple

import numpy as np

from ..coefficients.coefficient import FAIR, GOOD
from ..coefficients.correlation import Correlation, evaluate
from ..coefficients.records import Coefficient, catalogue
from ..core.arrays import Ints, near_one, snap_rows
from ..data.clusters import rows_said
from ..data.ranking import align
from ..data.scores import Scores
from ..inference.significance import Significance, tested_beside
from ..inference.true_means import Interval, WithInterval
from ..results import Note, Part, Result, column, fact, per_row, worded
from .agreement import Agreement, agreement
from .groups import Shift, rank_shifts
from .panels import Ceiling, ceiling
from .score_scales import ScoreBias, score_bias
from .soft_pairwise import SoftAccuracy, soft_pairwise_accuracy

#: Number of pairs that lower agreement most.
MOST_PAIRS = 20
#: By how much less than a person the judge may agree with the other people and still count as good as this person.
AS_GOOD = 0.1


class Swap(NamedTuple):
    """Two systems in opposite orders: which is better under the truth and under the judge, by how much the pair lowers
    the coefficient, and what becomes of their difference: "reversed", "missed", "spurious" or "neither"."""

    truth_better: str
    judge_better: str
    loss: float
    kind: str


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Comparison(WithInterval, Result):
    """How well a judge reproduces the ranking of a truth, and whether it can replace it. One row per system.

    Parameters
    ----------
    judge, truth : str
        Names of the two sides; empty if the data have none.
    system : tuple of str
        The systems in the order of the truth.
    truth_mean, judge_mean : tuple of float
        Their mean scores.
    truth_rank, judge_rank : tuple of int
        Their ranks; equal means share the better rank.
    group : tuple of str
        Their groups; empty without `groups`.
    margin : float or None
        What the agreement has to reach, stated beforehand; None for the rule of thumb (0.9, and 0.8 for some uses).
    level : float
        Confidence of intervals and tests.
    notes : tuple
        What was done to match the two sides, and what a reader must know besides.
    """

    QUESTION: ClassVar[str] = "judge"
    VIEWS: ClassVar[tuple[str, ...]] = ("pairs", "shifts", "agreements", "systems", "differences", "soft_accuracy")
    judge: str
    truth: str
    system: tuple[str, ...] = per_row()
    truth_mean: tuple[float, ...] = per_row()
    judge_mean: tuple[float, ...] = per_row()
    truth_rank: tuple[int, ...] = per_row()
    judge_rank: tuple[int, ...] = per_row()
    group: tuple[str, ...] = per_row()
    margin: float | None
    notes: tuple[Note | str, ...] = ()
    _whole: Agreement = field(repr=False)
    _sides: tuple[Scores, Scores] = field(repr=False)
    _people: Mapping[str, Scores] = field(default_factory=dict, repr=False)
    _done: tuple[Note | str, ...] = field(default=(), repr=False)

    def __float__(self) -> float:
        return self._whole.corrected

    def interval_at(self, level: float) -> Interval:
        return self._whole.interval_at(level)

    def at_least(self, level: float | None = None) -> float:
        return self._whole.at_least(level)

    def exceeds(self, margin: float, level: float | None = None) -> bool:
        """Return whether the one-sided lower confidence limit of the agreement reaches a margin.

        Parameters
        ----------
        margin : float
            What the agreement has to reach.
        level : float or None, default None
            Confidence; None for that of the result.

        Returns
        -------
        bool
        """
        return self._whole.exceeds(margin, level)

    def p_values(self, margin: float) -> tuple[float, float]:
        """Return p-values of the two claims that the true agreement reaches a margin, and that it is below it.

        Parameters
        ----------
        margin : float
            The margin.

        Returns
        -------
        (float, float)
            Neither is smaller than one divided by the number of draws; NaN without an interval.
        """
        return self._whole.p_values(margin)

    @property
    def done(self) -> tuple[Note | str, ...]:
        """Those of the notes that say what was done to match the two sides."""
        return self._done

    @cached_property
    def decision(self) -> Decision:
        """The verdict with what it rests on."""
        return Decision(whole=self._whole, margin=self.margin)

    @fact
    def verdict(self) -> Standing:
        """Whether the judge can replace the truth; decided by `judges.standing.Decision`."""
        return self.decision.verdict

    @fact
    def reason(self) -> Note | None:
        """Why the verdict is undefined, or None."""
        return self.decision.reason

    @fact
    def top(self) -> Top | None:
        """Whether agreement at the top of the ranking reaches what the whole ranking reached."""
        return self.decision.top

    @fact
    def required(self) -> float:
        """What the lower confidence limit has to reach for some uses."""
        return self.decision.required

    @fact
    def sufficient(self) -> float:
        """What the lower confidence limit has to reach to replace the truth."""
        return self.decision.sufficient

    @fact
    def coefficient(self) -> str:
        """Name of the coefficient."""
        return self._whole.coefficient.name

    @fact
    def observed(self) -> float:
        """Agreement of the observed means."""
        return self._whole.observed

    @fact
    def corrected(self) -> float:
        """Agreement corrected for topic noise (disattenuated)."""
        return self._whole.corrected

    @fact
    def low(self) -> float:
        """Lower limit of the confidence interval of the corrected agreement."""
        return self.interval.low

    @fact
    def high(self) -> float:
        """Upper limit of the confidence interval of the corrected agreement."""
        return self.interval.high

    @fact
    def limit(self) -> float:
        """One-sided lower confidence limit of the corrected agreement, which decides."""
        return self.at_least()

    @fact
    def agreements(self) -> dict[str, Agreement]:
        """Agreement over all systems ("whole"), head-weighted ("head"), and over the ten best ("ten")."""
        scopes = {"whole": self._whole, "head": self.decision.head, "ten": self.decision.ten}
        return {scope: one for scope, one in scopes.items() if one is not None}

    @fact
    def noise_ceiling(self) -> float:
        """What a perfect judge would be expected to reach on these topics; NaN if topics are not a sample."""
        if math.isnan(self._whole.corrected) or self._whole.resampled == "systems":
            return math.nan
        return self._whole.noise_ceiling.value

    @fact
    def error(self) -> float:
        """Standard error of the corrected agreement."""
        return self._whole.error

    @fact
    def systems(self) -> int:
        """Number of systems."""
        return len(self.system)

    @fact
    def resampled(self) -> str:
        """What was treated as a sample: "topics", "systems" or "both"."""
        return self._whole.resampled

    @fact
    def topics(self) -> tuple[int, int]:
        """Number of topics of the judge and of the truth."""
        return self._whole.topics

    @fact
    def shared_topics(self) -> int:
        """Number of topics that both have."""
        return self._whole.shared_topics

    @fact
    def reliability(self) -> tuple[float, float]:
        """Share of the variance between observed means that is real, for judge and truth."""
        return self._whole.reliability

    @fact
    def draws(self) -> int:
        """Number of draws of true means."""
        return self._whole.draws

    @fact
    def monte_carlo(self) -> float:
        """Monte Carlo error of `limit`."""
        return self._whole.monte_carlo

    @fact
    def seed(self) -> int:
        """Seed of everything that was drawn."""
        return self._whole.seed

    @column
    def gain(self) -> tuple[int, ...]:
        """Ranks that each system gains under the judge."""
        return tuple(a - b for a, b in zip(self.truth_rank, self.judge_rank, strict=True))

    @property
    def differences(self) -> Significance | None:
        """All pairs of systems tested under both sides; None with fewer than two systems or topics."""
        return self._differences

    @cached_property
    def _differences(self) -> Significance | None:
        own, gold = self._whole.sides
        if len(own.systems) < 2 or min(len(own.topics), len(gold.topics)) < 2:
            return None
        return tested_beside(own, gold, alpha=1 - self.level, seed=self.seed)

    @fact
    def kept(self) -> int:
        """Number of significant differences of the truth that the judge finds too."""
        return self._counted("kept")

    @fact
    def missed(self) -> int:
        """Number of significant differences of the truth that the judge does not find."""
        return self._counted("missed")

    @fact
    def reversed(self) -> int:
        """Number of pairs that differ significantly on both sides, in opposite directions."""
        return self._counted("reversed")

    @fact
    def spurious(self) -> int:
        """Number of significant differences that only the judge finds."""
        return self._counted("spurious")

    def _counted(self, kind: str) -> int:
        return 0 if self.differences is None else int(getattr(self.differences, kind))

    @fact
    def truth_differences(self) -> int:
        """Number of significant differences under the truth."""
        return self.kept + self.missed + self.reversed

    @fact
    def precision(self) -> float:
        """Share of the judge's significant differences that the truth has too; NaN without any."""
        return math.nan if self.differences is None else self.differences.precision

    @fact
    def swaps(self) -> int:
        """Number of pairs of systems in opposite orders."""
        sides = [np.sign(np.subtract.outer(ranks, ranks)) for ranks in (self.truth_rank, self.judge_rank)]
        return int((sides[0] * sides[1] < 0).sum()) // 2

    @fact
    def top_shared(self) -> int:
        """Number of systems that are among the ten best on both sides."""
        return sum(a <= TOP and b <= TOP for a, b in zip(self.truth_rank, self.judge_rank, strict=True))

    @fact
    def pairs(self) -> tuple[Swap, ...]:
        """The pairs in opposite orders that lower the coefficient most."""
        heaviest = [] if self._correlation.undefined_because else self._correlation.heaviest(MOST_PAIRS)
        place = {name: (a, b) for name, a, b in zip(self.system, self.truth_rank, self.judge_rank, strict=True)}
        kinds = {} if self.differences is None else self.differences.kinds
        swaps = []
        for pair in heaviest:
            one, other = sorted((str(pair.first), str(pair.second)), key=lambda name: place[name][0])
            if place[one][0] < place[other][0] and place[one][1] > place[other][1]:
                swaps.append(Swap(one, other, pair.loss, kinds.get(frozenset((one, other)), "neither")))
        return tuple(swaps)

    @cached_property
    def _correlation(self) -> Correlation:
        own, gold = self._whole.sides
        return evaluate(self._whole.coefficient, align(own.ranking(), gold.ranking()), names=("judge", "truth"))

    @fact
    def shifts(self) -> tuple[Shift, ...]:
        """Mean ranks gained by each group of systems, the largest gain first; empty without groups."""
        if not any(self.group) or len(self.system) < 2:
            return ()
        groups = dict(zip(self.system, self.group, strict=True))
        return rank_shifts(*self._whole.sides, groups, level=self.level, seed=self.seed)

    @fact
    def favoured(self) -> tuple[Shift, ...]:
        """The groups that the judge ranks significantly higher than the truth does, the largest gain first."""
        return tuple(one for one in self.shifts if one.significant and one.ranks > 0)

    @fact
    def bias(self) -> ScoreBias | None:
        """How much higher the judge scores than the truth, on topics that both have; None without such topics."""
        own, gold = self._sides
        return score_bias(own, gold, level=self.level) if set(own.topics) & set(gold.topics) else None

    @fact
    def people(self) -> Ceiling | None:
        """Agreement among several people, and the judge beside them; None without `people`."""
        if not self._people:
            return None
        sides = [self._people[name] for name in self._people]
        own = self._sides[0].select(topics=sides[0].topics, systems=sides[0].systems)
        return ceiling(
            own.values,
            [one.values for one in sides],
            list(self._people),
            self._whole.coefficient,
            margin=AS_GOOD,
            level=self.level,
            seed=self.seed,
        )

    def soft_accuracy(self) -> SoftAccuracy:
        """Compute soft pairwise accuracy: does the judge order pairs as the truth does, and with the same confidence?

        Returns
        -------
        SoftAccuracy
            Its value with a confidence interval, and the p-values of all pairs, on the topics that both sides have.
        """
        own, gold = (one.in_order("topics", "systems") for one in self._sides)
        return soft_pairwise_accuracy(own, gold, level=self.level, seed=self.seed)

    def cited(self) -> tuple[str, ...]:
        more = () if self.differences is None else self.differences.cited()
        return tuple(dict.fromkeys((*self._whole.cited(), *more, *(("calderon2025",) if self._people else ()))))


class Given(NamedTuple):
    """What was asked for, whatever the judge."""

    coefficient: Coefficient
    margin: float | None
    groups: Mapping[str, str] | None
    level: float
    resample: str
    paired: bool | None
    seed: int


def one_judge(
    name: str,
    own: Scores,
    gold: Scores,
    given: Given,
    notes: tuple[Note | str, ...],
    people: Mapping[str, Scores],
    done: tuple[Note | str, ...] = (),
) -> Comparison:
    """Compare one judge with the truth, both with the same systems in the same order."""
    whole = agreement(
        own,
        gold,
        given.coefficient,
        level=given.level,
        resample=given.resample,
        groups=given.groups,
        paired=given.paired,
        seed=given.seed,
        head=True,
    )
    # Sums of sorted scores do not depend on how a file lists its topics.
    means = [np.sort(side.values, axis=0).mean(axis=0) for side in (gold, own)]
    ranks = [_competition(side) for side in means]
    order = np.lexsort((np.arange(len(ranks[0])), ranks[1], ranks[0])).tolist()
    systems = [gold.systems[i] for i in order]
    names = _names(name, own, gold)
    found = Comparison(
        judge=names[0],
        truth=names[1],
        system=tuple(systems),
        truth_mean=tuple(gold.as_read(means[0])[order].tolist()),
        judge_mean=tuple(own.as_read(means[1])[order].tolist()),
        truth_rank=tuple(ranks[0][order].tolist()),
        judge_rank=tuple(ranks[1][order].tolist()),
        group=tuple(str((given.groups or {}).get(system, "")) for system in systems),
        margin=given.margin,
        level=given.level,
        notes=(*notes, *rows_said((own, gold), whole.sides), *whole.notes),
        _whole=whole,
        _sides=(own, gold),
        _people=people,
        _done=done,
    )
    for fact_name in found.facts():  # printing computes nothing
        getattr(found, fact_name)
    return found


def _competition(means: Any) -> Ints:
    """Rank means; equal ones share the better rank."""
    own = snap_rows(np.asarray(means, float)[None])[0]
    return np.asarray(1 + (own[None, :] > own[:, None]).sum(axis=1))


def _names(name: str, own: Scores, gold: Scores) -> tuple[str, str]:
    """Return what the two sides are called: the given name, else the collection or the measure if they differ."""
    for key in ("collection", "measure"):
        first, second = name or getattr(own, key), getattr(gold, key)
        if first != second and second:
            return first, second
    return name, ""


#: Number of systems at the top of the ranking that are compared on their own.
TOP = 10


class Standing(Enum):
    """The verdict: whether a judge can replace people."""

    REPLACES = "can replace"
    SOME_USES = "for some uses"
    NOT_SHOWN = "not shown"
    CANNOT = "cannot replace"
    UNDEFINED = "undefined"


class Top(Enum):
    """Whether agreement at the top of the ranking reaches what is required, may or may not, or does not."""

    HOLDS = "holds"
    OPEN = "open"
    FAILS = "fails"


@dataclass(frozen=True, kw_only=True, eq=False)
class Decision(Part):
    """A verdict with what it rests on.

    Attributes
    ----------
    whole : Agreement
        Agreement over all systems.
    margin : float or None
        What the agreement has to reach, stated beforehand; None for the rule of thumb.
    """

    whole: Agreement
    margin: float | None = None

    @property
    def sufficient(self) -> float:
        """What the lower confidence limit has to reach to replace people."""
        return GOOD if self.margin is None else self.margin

    @property
    def required(self) -> float:
        """What it has to reach for some uses; if the whole interval is below it, the judge cannot replace people."""
        return FAIR if self.margin is None else self.margin

    @cached_property
    def reason(self) -> Note | None:
        """Why the verdict is undefined, or None."""
        own, gold = self.whole.sides
        same = set(own.topics) == set(gold.topics) and np.array_equal(own.values, gold.select(topics=own.topics).values)
        return Note("same_scores") if same else self.whole.reason

    @cached_property
    def over_all(self) -> Standing:
        """The verdict over all ranks, before the top is looked at."""
        if self.reason is not None or math.isnan(self.whole.at_least()):
            return Standing.UNDEFINED
        if self.whole.exceeds(self.sufficient):
            return Standing.REPLACES
        if self.whole.exceeds(self.required):
            return Standing.SOME_USES
        return Standing.CANNOT if self.whole.falls_short(self.required) else Standing.NOT_SHOWN

    @property
    def bar(self) -> float:
        """The threshold that the whole ranking reached, or else the lower one."""
        return self.sufficient if self.over_all is Standing.REPLACES else self.required

    @cached_property
    def head(self) -> Agreement | None:
        """The same by the head-weighted coefficient that fits; None if the coefficient is head-weighted itself."""
        return self.whole.head

    @cached_property
    def ten(self) -> Agreement | None:
        """The same over the ten best systems; None if there are no others.

        They are the best by judge and truth together, in units of their spreads: systems that only one side has at the
        top are there because the two differ, and would make any judge look worse.
        """
        own, gold = self.whole.sides
        if len(gold.systems) <= TOP:
            return None
        both = np.zeros(len(gold.systems))
        for means in (near_one(own.means())[0], near_one(gold.means())[0]):
            both += (means - means.mean()) / (float(means.std()) or 1.0)
        best = [gold.systems[i] for i in np.sort(np.argsort(-both, kind="stable")[:TOP])]
        c = self.whole.coefficient
        return self.whole.again(catalogue["tau_b"] if c.head_weighted else c, best)

    @property
    def failing(self) -> tuple[Agreement, ...]:
        """Agreements at the top whose whole interval is below the threshold."""
        below = [one for one in (self.head,) if one is not None and one.interval.high < self.bar]
        if self.ten is not None:
            most = self.ten.observed if self.ten.resampled == "systems" else self.ten.interval.high
            below += [self.ten] if most < self.bar else []
        return tuple(below)

    @cached_property
    def top(self) -> Top | None:
        """What is known about the top; None if the whole ranking does not reach anything."""
        if self.over_all not in (Standing.REPLACES, Standing.SOME_USES):
            return None
        if self.failing:
            return Top.FAILS
        return Top.OPEN if self.head is not None and self.head.at_least() < self.bar else Top.HOLDS

    @cached_property
    def verdict(self) -> Standing:
        """The one place where it is decided whether a judge can replace people."""
        fails = self.over_all is Standing.REPLACES and self.top is Top.FAILS
        return Standing.SOME_USES if fails else self.over_all

    @property
    def label(self) -> str:
        """The verdict as people read it."""
        return worded("judge.label", self.verdict)

    @property
    def sentence(self) -> str:
        """The verdict and its numbers in one sentence."""
        return worded("judge.sentence", self)

    def to_dict(self) -> dict[str, Any]:
        """Return the verdict in plain values."""
        top = None if self.top is None else self.top.value
        return {"verdict": self.verdict.value, "answer": self.label, "sentence": self.sentence, "top": top}


def stands_in(one: Agreement, margin: float | None = None) -> Decision:
    """Decide on an agreement."""
    decision = Decision(whole=one, margin=margin)
    decision.verdict, decision.top  # noqa: B018  computed here, and not when it is printed
    return decision
