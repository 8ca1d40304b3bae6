"""Agreement of two score matrices on the order of systems, as observed and corrected for topic noise.

The target is c(mu_judge, mu_truth), the coefficient of the true means over all topics that could have been asked. Plausible
true means given the observed ones are drawn (`attenuation`), and the coefficient is computed for each draw.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import Enum
from functools import cached_property, partial
from typing import Any

import numpy as np

from ..coefficients.coefficient import FAIR, GOOD
from ..coefficients.correlation import Correlation, evaluate
from ..coefficients.records import Coefficient, Ties, catalogue
from ..core import checking, kernels
from ..core.arrays import Floats, Ints, near_one, tally
from ..core.checking import Stream, stream
from ..data.alignment import aligned_scores
from ..data.clusters import all_independent
from ..data.ranking import align
from ..data.scores import Scores
from ..inference.attenuation import Correction, Draws, Joint, Samples, join
from ..inference.methods import expected_value
from ..inference.reliability import FLOOR
from ..inference.true_means import LEAST, LEAST_FOR_NOISE, Interval, StandardError, jackknife, observed_values
from ..results import Note, Part, plain, worded
from .groups import left_out_together

#: One-sided limits are those of an interval from here on.
HALF = 0.5
#: Limits that miss a margin by less than this miss it by rounding.
_ROUNDING = 1e-9


@dataclass(frozen=True, eq=False, kw_only=True)
class Limits:
    """A value and what is known of its error: `topics` the draws, where topics are a sample; `systems` the standard
    error of the systems, where they are one; `range` of the coefficient."""

    value: float
    topics: Draws | None = None
    systems: StandardError | None = None
    range: tuple[float, float] = (-math.inf, math.inf)

    @property
    def error(self) -> float:
        """The standard error of both."""
        own = 0.0 if self.topics is None else self.topics.error
        return own if self.systems is None else math.hypot(own, self.systems.deviation)

    def interval(self, level: float) -> Interval:
        """Limits of both together: on each side what topics and what systems reach, as the sides of a right angle."""
        around = Interval(self.value, self.value) if self.topics is None else self.topics.interval(level)
        if self.systems is None:
            return around
        reach = self.systems.reach(level)
        low, high = self.value - math.hypot(self.value - around.low, reach), math.hypot(around.high - self.value, reach)
        return Interval(max(self.range[0], low), min(self.range[1], self.value + high))

    def at_least(self, level: float) -> float:
        """The one-sided limit."""
        low = self.value if self.topics is None else self.topics.at_least(level)
        if self.systems is None:
            return low
        # One-sided at 95 % is the lower end of the interval at 90 %.
        reach = self.systems.reach(2 * level - 1) if level > HALF else math.nan
        return max(self.range[0], self.value - math.hypot(self.value - low, reach))


@dataclass(frozen=True, eq=False, kw_only=True)
class Agreement(Part):
    """Agreement of two score matrices by one coefficient: `observed`, and `corrected` for topic noise.

    Parameters
    ----------
    coefficient : Coefficient
        The coefficient of the two rankings.
    observed, corrected : float
        Its value for the observed means, and corrected for topic noise (disattenuated).
    error : float
        Standard error of the corrected value.
    level : float
        Confidence of the interval.
    resampled : {"topics", "systems", "both"}
        What was treated as a sample. With "systems", topics are fixed and `corrected` equals `observed`.
    groups : int
        Number of groups of systems left out in turn; 0 if systems were not treated as a sample.
    draws, undefined_draws : int
        Number of draws of true means, and of those without a value.
    monte_carlo : float
        Monte Carlo error of `at_least()`, because the number of draws is finite.
    seed : int
        Seed of everything that was drawn.
    systems : int
        Number of systems.
    topics : (int, int)
        Number of topics of the judge and of the truth.
    shared_topics : int
        Number of topics that both have; they were resampled together, the others separately.
    reliability : (float, float)
        Share of the variance between observed means that is real, for judge and truth.
    reason : Note or None
        Why there is no interval; the value is undefined too if `corrected` is NaN.
    notes : tuple of Note
        What a reader must know besides.
    """

    coefficient: Coefficient
    observed: float
    corrected: float
    error: float
    level: float
    resampled: str
    groups: int
    draws: int
    undefined_draws: int = 0
    monte_carlo: float
    seed: int
    systems: int
    topics: tuple[int, int]
    shared_topics: int
    reliability: tuple[float, float]
    reason: Note | None = None
    notes: tuple[Note, ...] = ()
    _limits: Limits = field(repr=False)
    _correlation: Correlation = field(repr=False)
    _scores: tuple[Scores, Scores] = field(repr=False)
    _paired: bool | None = field(default=None, repr=False)
    _groups: Mapping[str, Any] | None = field(default=None, repr=False)
    _head: Agreement | None = field(default=None, repr=False)

    def __float__(self) -> float:
        return self.corrected

    @property
    def no_interval_because(self) -> str | None:
        """Why there is no interval, in words."""
        return None if self.reason is None else str(self.reason)

    @property
    def undefined_because(self) -> str | None:
        """Why there is no value, in words."""
        return self.no_interval_because if math.isnan(self.corrected) else None

    @property
    def interval(self) -> Interval:
        """Where the true value lies with confidence `level`: (low, high), NaN without an interval."""
        return self._interval(self.level)

    def interval_at(self, level: float) -> Interval:
        """Return the interval at another level; nothing is drawn again."""
        return self._interval(checking.level(level))

    def _interval(self, level: float) -> Interval:
        return self._limits.interval(level) if self.reason is None else Interval(math.nan, math.nan)

    def at_least(self, level: float | None = None) -> float:
        """Return the one-sided lower confidence limit; NaN without an interval."""
        one_sided = self.level if level is None else checking.level(level)
        return self._limits.at_least(one_sided) if self.reason is None else math.nan

    def exceeds(self, margin: float, level: float | None = None) -> bool:
        """Return whether the one-sided lower confidence limit reaches a margin."""
        return self.at_least(level) >= margin - _ROUNDING

    def falls_short(self, margin: float, level: float | None = None) -> bool:
        """Return whether the whole interval is below a margin."""
        return (self.interval if level is None else self.interval_at(level)).high < margin - _ROUNDING

    def p_values(self, margin: float) -> tuple[float, float]:
        """Return the smallest 1 - level at which `exceeds()` holds, and the smallest at which `falls_short()` does.

        Neither is smaller than one divided by the number of draws, nor defined without an interval.
        """
        if self.reason is not None:
            return math.nan, math.nan
        least = 1 / (1 + max(1, self.draws))
        return tuple(_smallest(least, partial(shown, margin)) for shown in (self.exceeds, self.falls_short))  # type: ignore[return-value]

    @property
    def sides(self) -> tuple[Scores, Scores]:
        """Judge and truth as they were compared: the same systems in one order."""
        return self._scores

    @property
    def within_noise(self) -> bool:
        """Whether judge and truth differ by no more than noise."""
        return any(note.code == "within_noise" for note in self.notes)

    @property
    def correlation(self) -> Correlation:
        """The coefficient of the observed means."""
        return self._correlation

    @cached_property
    def noise_ceiling(self) -> float:
        """The expected coefficient of the truth's observed ranking with its own true ranking: what a perfect judge would
        be expected to reach. A judge that is scored on the same topics shares their noise, and can exceed it."""
        return expected_value(observed_values(self._scores[1]), self.coefficient, self.seed)

    @cached_property
    def head(self) -> Agreement | None:
        """The same by the head-weighted coefficient that fits; None if the coefficient is head-weighted itself."""
        if self._head is not None or self.coefficient.head_weighted:
            return self._head
        return self.again(head_weighted(self._correlation))

    def again(self, coefficient: Coefficient, systems: list[str] | None = None) -> Agreement:
        """Compare the same scores by another coefficient, or some of the systems, which are then not a sample."""
        own, gold = self._scores if systems is None else (one.select(systems=systems) for one in self._scores)
        fixed = systems is not None and self.resampled != "systems"
        return agreement(
            own,
            gold,
            coefficient,
            level=self.level,
            resample="topics" if fixed else self.resampled,
            groups=None if systems is not None else self._groups,
            paired=self._paired,
            seed=self.seed,
        )

    def cited(self) -> tuple[str, ...]:
        """Return the keys of the papers."""
        return (self.coefficient.paper, "xie2013", *(("busing1999",) if self.groups else ()))

    def methods_sentence(self) -> str:
        """Return the sentence for a paper."""
        return worded("judge.agreement_sentence", self)

    def to_dict(self) -> dict[str, Any]:
        """Return every fact as plain Python values, ready for JSON."""
        low, high = self.interval
        found = {"coefficient": self.coefficient.name, "observed": self.observed, "corrected": self.corrected}
        found |= {"low": low, "high": high, "at_least": self.at_least(), "error": self.error, "systems": self.systems}
        found |= {"monte_carlo": self.monte_carlo, "groups": self.groups, "undefined_because": self.undefined_because}
        return {key: plain(value) for key, value in found.items()}


def _smallest(least: float, shown: Callable[[float], bool]) -> float:
    """The smallest 1 - level, from `least` on, at which something is shown; 1 where it is at none."""
    low, high = least, 1 - least
    if shown(1 - low):
        return low
    if not shown(1 - high):
        return 1.0
    while high - low > 1e-9:
        middle = (low + high) / 2
        low, high = (low, middle) if shown(1 - middle) else (middle, high)
    return high


def agree(
    judge: Scores,
    truth: Scores,
    coefficient: str | Coefficient = "tau_b",
    *,
    level: float = 0.95,
    unmatched: str = "error",
    seed: int = 0,
) -> Agreement:
    """Align two score matrices and compare them."""
    named = {"judge": judge.in_order("systems"), "truth": truth.in_order("systems")}
    own, gold = aligned_scores(named, "compare()", unmatched, clusters=True).scores
    return agreement(own, gold, catalogue[coefficient], level=level, seed=seed)


def agreement(
    judge: Scores,
    truth: Scores,
    c: Coefficient,
    *,
    level: float,
    resample: str = "topics",
    groups: Mapping[str, Any] | None = None,
    paired: bool | None = None,
    seed: int = 0,
    head: bool = False,
) -> Agreement:
    """Compare two complete matrices of the same systems in the same order; `compare()` explains the arguments. `head`:
    compute the head-weighted agreement too, which takes little longer."""
    own, gold = all_independent((judge, truth))
    aligned = align(judge.ranking(), truth.ranking())
    joint = join((own, gold), paired=paired)
    members = None if resample == "topics" else left_out_together(own.systems, groups, seed)
    samples = None if resample == "systems" or _hopeless(joint) else Samples(joint, stream(seed, Stream.JUDGES))
    correction = None if samples is None else Correction(samples, c)
    made: dict[str, Any] = {"level": level, "resampled": resample, "seed": seed, "systems": joint.systems}
    made |= {"topics": (joint.topics[0], joint.topics[1]), "shared_topics": joint.shared}
    made |= {"_scores": (own, gold), "_paired": paired, "_groups": groups}
    observed, weighted = evaluate(c, aligned, names=("judge", "truth")), None
    if head and correction is not None and members is None and not c.head_weighted:
        record = head_weighted(observed)
        by_head = evaluate(record, aligned, names=("judge", "truth"))
        weighted = _measured(by_head, joint, correction.beside(record), members, made)
    return _measured(observed, joint, correction, members, made | {"_head": weighted})


def head_weighted(observed: Correlation) -> Coefficient:
    """Return the head-weighted coefficient that fits two rankings, with ties or without."""
    return catalogue["tau_ap_a" if any(observed.ties) else "tau_ap"]


def _measured(
    correlation: Correlation, joint: Joint, correction: Correction | None, members: Ints | None, made: dict[str, Any]
) -> Agreement:
    """Compute one agreement from what was drawn."""
    c = correlation.coefficient
    limits, reason = Limits(value=math.nan), _hopeless(joint)
    if correction is not None:
        limits, reason = _estimate(correction, members)
    elif reason is None and correlation.undefined_because is not None:
        reason = Note("observed_undefined", because=correlation.undefined_because)
    elif reason is None and members is not None:
        limits = Limits(value=correlation.value, systems=_observed_error(c, correlation, members), range=c.range)
        reason = Note("few_systems_left") if math.isnan(limits.error) else None
    drawn = limits.topics
    return Agreement(
        coefficient=c,
        observed=correlation.value,
        corrected=limits.value,
        error=limits.error if reason is None else math.nan,
        groups=0 if limits.systems is None else limits.systems.groups,
        draws=0 if drawn is None else len(drawn.values),
        undefined_draws=0 if drawn is None else drawn.undefined,
        monte_carlo=0.0 if drawn is None else drawn.monte_carlo(made["level"]),
        reliability=(math.nan, math.nan) if correction is None else _pair(correction.reliability),
        reason=reason,
        notes=_notes(correlation, correction, made["_groups"], members),
        _limits=limits,
        _correlation=correlation,
        **made,
    )


def _pair(values: Floats) -> tuple[float, float]:
    return float(values[0]), float(values[1])


def _hopeless(joint: Joint) -> Note | None:
    """Return why there is no value, whatever the coefficient, or None."""
    if joint.systems < 2:
        return Note("one_system")
    flat = [name for name, own in zip(("judge", "truth"), joint.x, strict=True) if not own.any()]
    if flat:
        return Note("all_tied", sides=flat)
    return Note("one_topic") if min(joint.topics) < LEAST else None


def _estimate(correction: Correction, members: Ints | None) -> tuple[Limits, Note | None]:
    """Return the value with its limits, and why there are none."""
    joint, c, draws = correction.joint, correction.coefficient, correction.draws
    if math.isnan(draws.value):
        return Limits(value=math.nan, topics=draws), _undefined(correction)
    if min(joint.topics) < LEAST_FOR_NOISE:
        return Limits(value=draws.value, topics=draws), Note("few_topics", least=LEAST_FOR_NOISE)
    if members is None:
        return Limits(value=draws.value, topics=draws, range=c.range), None
    # Both are samples: their errors add up (and count twice what topics and systems share, which is little).
    own = jackknife(*correction.systems(members), tally(members).astype(float))
    both = Limits(value=draws.value, topics=draws, systems=own, range=c.range)
    return both, Note("few_systems_left") if math.isnan(own.deviation) else None


def _undefined(correction: Correction) -> Note:
    """Return why no draw has a value: ties that the coefficient forbids, or a side that does not differ."""
    c = correction.coefficient
    if c.ties is Ties.FORBIDDEN:
        return Note("ties_forbidden", coefficient=c.name, instead=list(c.instead))
    return Note("no_value", coefficient=c.name)


def _observed_error(c: Coefficient, correlation: Correlation, members: Ints) -> StandardError:
    """Jackknife of the observed value over groups of systems."""
    data = correlation._data
    left = []
    for group in range(int(members.max()) + 1):
        kept = members != group
        if kept.sum() < 2:
            left.append(math.nan)
            continue
        estimate, truth = (np.ascontiguousarray(scores[kept]) for scores in (data.first, data.second))
        left.append(kernels.one(c, estimate, truth).value)
    return jackknife(correlation.value, np.array(left), tally(members).astype(float))


def _notes(
    correlation: Correlation, correction: Correction | None, groups: Mapping[str, Any] | None, members: Ints | None
) -> tuple[Note, ...]:
    """Return what a reader must know besides."""
    notes = []
    if correlation.undefined_because is not None and correction is not None:
        notes.append(Note("observed_undefined", because=correlation.undefined_because))
    tied = correlation.ties
    if any(tied) and correlation.coefficient.ties is not Ties.SCORES:
        notes.append(Note("tied_means", judge=tied.estimate, truth=tied.truth))
    if correction is not None:
        flat = [name for name, g in zip(("judge", "truth"), correction.reliability, strict=True) if g < FLOOR]
        if flat:
            notes.append(Note("hardly_differ", sides=flat, floor=FLOOR))
        elif correction.agree_entirely > HALF:
            notes.append(Note("within_noise"))
        if correction.own_scales:
            notes.append(Note("own_scales"))
        if correction.draws.undefined and not math.isnan(correction.draws.value):
            notes.append(Note("undefined_draws", draws=correction.draws.undefined))
    if members is not None:
        n = int(members.max()) + 1
        kind = "given" if groups is not None else "each" if n == len(members) else "random"
        notes.append(Note("left_out", systems=len(members), groups=n, kind=kind))
    return tuple(notes)


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
