"""`compare()`: how far does one judge, or one measure, rank systems like another, beyond the noise of the topics?"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from .. import checking, kernels
from ..arrays import Ints
from ..coefficients.correlation import Correlation, evaluate
from ..coefficients.records import Coefficient, Ties, catalogue
from ..errors import CallError
from ..expected.expected_correlation import ExpectedCorrelation, expected_correlation
from ..expected.intervals import Interval
from ..jobs.progress import Progress
from ..jobs.seeds import Rng, Stream, remembered, stream
from ..ranking import align
from ..results import Result, count, number, said, word
from ..scores import Scores
from ..scores.alignment import aligned_scores
from ..significance.observed import FLOOR
from .attenuation import VALUE_DRAWS, Corrected, Correction, Error, Samples, jackknife, limits
from .shared_topics import Joint, join
from .system_groups import system_groups

RESAMPLED = ("topics", "systems", "both")
#: With fewer topics, leaving some out leaves too few to tell noise from differences.
FEWEST_TOPICS = 4


@dataclass(frozen=True, eq=False, repr=False)
class Comparison(Result):
    """How two score matrices agree on the order of systems: `observed`, and `corrected` for the noise of the topics.

    `interval` and `at_least()` are of the corrected value, which is about the true means. `resampled` says what was taken for a
    sample: "topics", "systems" or "both"; with "systems" alone topics are taken as they are, and `corrected` is `observed`.
    `shared_topics` were resampled together for both, the others apart. `error` is the standard error, `groups` how many groups
    were left out to find it. `reliability` of the means, (estimate, truth). NaN has its reason in `undefined_because`, for the
    interval in `no_interval_because`.
    """

    coefficient: Coefficient
    observed: float
    corrected: float
    error: float
    level: float
    resampled: str
    groups: int
    seed: int
    systems: int
    topics: tuple[int, int]
    shared_topics: int
    reliability: tuple[float, float]
    undefined_because: str | None = None
    no_interval_because: str | None = None
    undefined_draws: int = 0
    notes: tuple[str, ...] = ()
    _correlation: Correlation = field(default=None, repr=False)  # type: ignore[assignment]
    _scores: tuple[Scores, Scores] = field(default=None, repr=False)  # type: ignore[assignment]

    def __float__(self) -> float:
        return self.corrected

    @property
    def interval(self) -> Interval:
        """Both limits with confidence `level`."""
        return self.interval_at(self.level)

    def interval_at(self, level: float) -> Interval:
        """The same at another level. It always contains the observed value."""
        return limits(self.coefficient, self.corrected, self.observed, Error(self.error, self.groups), level)

    def at_least(self, level: float | None = None) -> float:
        """The true agreement is at least this much with confidence `level`: a one-sided limit."""
        # One-sided at 95 % is the lower end of the interval at 90 %.
        one_sided = checking.level(self.level if level is None else level)
        return self.interval_at(2 * one_sided - 1).low if one_sided > 0.5 else math.nan

    def exceeds(self, margin: float, level: float | None = None) -> bool:
        """Whether the true agreement is above `margin` with confidence `level`."""
        return self.at_least(level) > margin

    @cached_property
    def noise_ceiling(self) -> ExpectedCorrelation:
        """The expected coefficient of the truth's observed ranking with its own true ranking: what even a perfect judge,
        measured against this truth, is not expected to exceed."""
        return expected_correlation(self._scores[1], self.coefficient, level=self.level, rng=self.seed)

    def _what(self) -> str:
        n, k = self.topics
        over = count(n, "topic") if n == k else f"{n:,} and {count(k, 'topic')}"
        return f"{count(self.systems, 'system')} x {over}"

    def _sampled(self) -> str:
        """'topics resampled together', and so on: what was taken for a sample, and how."""
        topics = word("topics")
        if self.shared_topics == max(self.topics):
            how = f"{topics} shared"
        elif self.shared_topics == 0:
            how = f"{topics} independent"
        else:
            how = f"{count(self.shared_topics, 'topic')} shared, the others independent"
        if self.resampled == "systems":
            return f"jackknife over {count(self.groups, 'group')} of {word('systems')}, {topics} as they are"
        parts = f"{topics} and {word('systems')}" if self.resampled == "both" else topics
        return f"{VALUE_DRAWS:,} draws of true means (noise of each {word('system')} its own) and half of the misfit, {how}; jackknife over groups of {parts}"

    def lines(self) -> list[str]:
        name = f"{self.coefficient} = {number(self.observed)} observed"
        if self.undefined_because is not None:
            return [f"{name}, true value undefined   {self._what()}", f"because {self.undefined_because}"]
        low, high = self.interval
        limits = f" [{number(low)}, {number(high)}]" if self.no_interval_because is None else ""
        first = f"{name}"
        if self.resampled == "systems":
            first += f"{limits}   {self._what()}"
        else:
            first += f", {number(self.corrected)}{limits} without the noise of {word('topics')}   {self._what()}"
        second = f"{self._sampled()}, seed {self.seed}"
        if self.no_interval_because is None:
            second = f"at least {number(self.at_least())} ({self.level * 100:g} %); {second}"
        else:
            second = f"no interval: {self.no_interval_because}; {second}"
        return [first, second, *(["; ".join(self.notes)] if self.notes else [])]

    def methods_sentence(self) -> str:
        """The sentence a paper needs."""
        c = self.coefficient
        title = c.title if c.name in c.title else f"{c.title} ({c.name})"
        what = f"{title} between the estimated and the true ranking of {self._what()}"
        if self.undefined_because is not None:
            return f"{what} is {number(self.observed)}; its value without the noise of {word('topics')} is undefined: {self.undefined_because}."
        low, high = self.interval
        limits = (
            f" ({self.level * 100:g} % interval {number(low)} to {number(high)}; at least {number(self.at_least())} one-sided)"
            if self.no_interval_because is None
            else ""
        )
        also = "".join(f"; {note}" for note in self.notes)
        value = (
            ""
            if self.resampled == "systems"
            else f" and {number(self.corrected)} corrected for the noise of {word('topics')}"
        )
        return f"{what} is {number(self.observed)} observed{value}{limits}: {self._sampled()} (seed {self.seed}){also}."

    def _flat(self) -> dict[str, Any]:
        low, high = self.interval
        return {"coefficient": self.coefficient.name, "observed": self.observed, "corrected": self.corrected, "low": low,
                "high": high, "at_least": self.at_least(), "level": self.level, "error": self.error, "groups": self.groups,
                "resampled": self.resampled, "seed": self.seed, "systems": self.systems, "topics_estimate": self.topics[0],
                "topics_truth": self.topics[1], "shared_topics": self.shared_topics,
                "reliability_estimate": self.reliability[0], "reliability_truth": self.reliability[1],
                "undefined_because": self.undefined_because or ""}  # fmt: skip

    def columns(self) -> dict[str, Any]:
        return {key: [value] for key, value in self._flat().items()}

    def to_dict(self) -> dict[str, Any]:
        from ..results import plain

        flat = self._flat() | {"undefined_because": self.undefined_because, "no_interval_because": self.no_interval_because,
                               "undefined_draws": self.undefined_draws, "notes": list(self.notes),
                               "methods_sentence": self.methods_sentence()}  # fmt: skip
        return {key: plain(value) for key, value in flat.items()}

    def cited(self) -> tuple[str, ...]:
        return (self.coefficient.paper, "busing1999")

    def plot(self) -> Any:
        """Ranks in the estimate against ranks in the truth."""
        from ..figures import ranks

        estimate, truth = (scores.ranking().ranks() for scores in self._scores)
        return ranks(estimate, truth, self._scores[0].systems, names=("estimate", "truth"), title=self.lines()[0])


def compare(
    estimate: Scores,
    *unnamed: Any,
    truth: Scores | None = None,
    coefficient: str | Coefficient = "tau_b",
    level: float = 0.95,
    resample: str = "topics",
    groups: Mapping[str, Any] | None = None,
    one_sided: str = "error",
    paired: bool | None = None,
    rng: Rng = 0,
    progress: Progress | None = None,
) -> Comparison:
    """How far do two score matrices, of two judges or two measures, agree on the order of systems: on these topics, and beyond
    their noise?

    The target is c(mu_E, mu_T), the coefficient of the true means over all topics that could have been asked. The observed value is
    lowered by the noise of the topics, and resampling lowers it once more; so draws of the true means, given the observed ones, are
    compared instead: mu*_s = K_s y_s + L_s sqrt(n/(n-1)) (y*_s - y_s), y_s = (estimate, truth) of a system without topic means
    (formulas in `tauscope.judges.noise_free_means`). The interval is corrected ± t times a jackknife standard error over at most 20 groups of
    topics, and contains the observed value. There is no p-value against 0: no judge is that bad, and it would not say how good one is.

    Ties: as the coefficient has them in the observed means; true means hardly ever tie. tau and tau_ap are undefined on observed
    ties, but not without noise. Do not use it where topics are no random sample, or where the estimate was tuned on these topics.

    truth: the scores that are right by definition. Topics with the same label are the same topic and are drawn together; `paired`
    False takes all for different topics, True insists on the same labels. resample: "topics" (systems are these and no others);
    "systems" (topics are these, systems a sample: one system after the other is left out, or one of `groups` after the other, such as
    {system: team}, since systems of one team are no independent witnesses); "both" (both variances are added). one_sided: systems in one
    matrix only are an "error", or "drop" them.

    >>> human = Scores([[0.9, 0.5, 0.1], [0.8, 0.6, 0.3], [0.7, 0.6, 0.2], [0.9, 0.4, 0.3]])
    >>> machine = Scores([[0.8, 0.6, 0.3], [0.9, 0.6, 0.2], [0.6, 0.7, 0.2], [0.9, 0.5, 0.4]])
    >>> compare(machine, truth=human, rng=1).observed
    1.0
    """
    if unnamed or truth is None:
        raise CallError("compare() wants to know which scores are the truth: compare(estimate, truth=…).")
    c = catalogue[coefficient]
    if resample not in RESAMPLED:
        raise CallError(f"resample={resample!r} is unknown; use {', '.join(map(repr, RESAMPLED))}.")
    if groups is not None and resample == "topics":
        raise CallError(
            '`groups` are groups of systems, which resample="topics" leaves alone. Use resample="systems" or "both".'
        )
    checking.level(level)
    matrices, notes = aligned_scores({"estimate": estimate, "truth": truth}, "compare()", one_sided)
    own, gold = matrices
    correlation = evaluate(c, align(own.ranking(), gold.ranking()), names=("estimate", "truth"))
    seed = remembered(rng)
    generator = stream(seed, Stream.JUDGES)
    joint = join(matrices, generator, paired=paired)
    members = None if resample == "topics" else system_groups(own.systems, groups, seed)
    reason = _hopeless(joint, correlation, resample)
    empty = (Corrected(math.nan, None, 0), Error(math.nan, 0), None)  # type: ignore[arg-type]
    corrected, error, no_interval = (
        empty
        if reason is not None
        else _estimate(Correction(Samples(joint, generator), c), correlation, members, resample, progress)
    )
    reason = reason or (_why_nan(c) if math.isnan(corrected.value) else None)
    reliability = (math.nan, math.nan)
    if corrected.spread is not None:
        reliability = (float(corrected.spread.reliability[0]), float(corrected.spread.reliability[1]))
    notes += _notes(correlation, corrected, groups, members, resample)
    return Comparison(
        c, correlation.value, corrected.value, error.deviation, level, resample, error.groups, seed, joint.systems,
        (joint.topics[0], joint.topics[1]), joint.shared, reliability, reason, no_interval, corrected.undefined, notes,
        correlation, (own, gold),
    )  # fmt: skip


def _hopeless(joint: Joint, correlation: Correlation, resample: str) -> str | None:
    """Why there is no value without noise, or None."""
    if joint.systems < 2:
        return said(f"a ranking needs at least two systems, and there is {joint.systems}")
    if resample == "systems":
        return correlation.undefined_because
    if min(joint.topics) < 2:
        return said("one topic does not tell how scores vary from topic to topic; two are the least")
    return None


def _why_nan(c: Coefficient) -> str:
    if c.ties is Ties.FORBIDDEN:
        return said(f"{c} is not defined with ties, and some systems have the same scores; use {', '.join(c.instead)}")
    return f"{c} has no value in any of the draws"


def _estimate(
    correction: Correction, correlation: Correlation, members: Ints | None, resample: str, progress: Progress | None
) -> tuple[Corrected, Error, str | None]:
    """The value, its standard error, and why there is none."""
    joint, c = correction.joint, correction.coefficient
    if resample == "systems" and members is not None:
        error = _observed_error(c, correlation, members)
        few = said("leaving systems out leaves too few to rank") if math.isnan(error.deviation) else None
        return Corrected(correlation.value, None, 0), error, few  # type: ignore[arg-type]
    value = correction.value
    if min(joint.topics) < FEWEST_TOPICS:
        return value, Error(math.nan, 0), said(f"leaving topics out needs at least {FEWEST_TOPICS}")
    error = jackknife(*correction.topics(progress), correction.samples.sizes)
    if members is not None:
        # Both are samples: their variances add up (and count twice what topics and systems share, which is little).
        own = jackknife(*correction.systems(members, progress), np.bincount(members).astype(float))
        error = Error(math.hypot(error.deviation, own.deviation), min(error.groups, own.groups))
    return value, error, f"{c} has no value without some of them" if math.isnan(error.deviation) else None


def _observed_error(c: Coefficient, correlation: Correlation, members: Ints) -> Error:
    """Jackknife of the observed value over groups of systems."""
    data = correlation._data
    left = []
    for group in range(int(members.max()) + 1):
        kept = members != group
        if kept.sum() < 2:
            left.append(math.nan)
            continue
        estimate, truth = (np.ascontiguousarray(scores[kept]) for scores in (data.first, data.second))
        left.append(kernels.one(c.name, estimate, truth).value)
    return jackknife(correlation.value, np.array(left), np.bincount(members).astype(float))


def _notes(
    correlation: Correlation,
    corrected: Corrected,
    groups: Mapping[str, Any] | None,
    members: Ints | None,
    resample: str,
) -> tuple[str, ...]:
    """What a reader must know besides."""
    found = []
    if correlation.undefined_because is not None and resample != "systems":
        found.append(f"the observed value is undefined: {correlation.undefined_because}")
    tied = correlation.ties
    if any(tied) and correlation.coefficient.ties is not Ties.SCORES:
        found.append(
            f"{tied.estimate:,} and {count(tied.truth, 'pair')} tied in the observed means of estimate and truth"
        )
    if corrected.spread is not None and corrected.spread.floored:
        flat = [name for name, g in zip(("estimate", "truth"), corrected.spread.reliability, strict=True) if g < FLOOR]
        found.append(
            f"the means of the {' and the '.join(flat)} hardly differ beyond noise: reliability set to its floor of {FLOOR:g}"
            if flat
            else "estimate and truth differ by no more than noise"
        )
    if corrected.undefined:
        found.append(f"{corrected.undefined:,} draws without a value left out")
    if members is not None:
        kind = (
            "groups given"
            if groups is not None
            else "each its own group"
            if int(members.max()) + 1 == len(members)
            else "groups at random"
        )
        found.append(
            f"{count(len(members), 'system')} in {count(int(members.max()) + 1, 'group')} left out together, {kind}"
        )
    return tuple(found)
