"""`compare()`: how far does one judge, or one measure, rank systems like another, beyond the noise of the topics?"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from .. import checking, kernels
from ..arrays import Floats, Ints, tally
from ..coefficients.correlation import Correlation, evaluate
from ..coefficients.records import Coefficient, Ties, catalogue
from ..errors import CallError, Option
from ..expected.expected_correlation import ExpectedCorrelation, expected_correlation
from ..expected.intervals import Interval, WithInterval
from ..expected.jackknife import StandardError, jackknife
from ..files.door import ScoresLike, takes_scores
from ..jobs.progress import Progress
from ..jobs.seeds import Rng, Stream, remembered, stream
from ..ranking import align
from ..results import Result, count, number, plain, said, word
from ..scores import Scores
from ..scores.alignment import REQUIRED, aligned_scores, require_truth
from ..scores.clusters import all_independent, rows_said
from ..significance.few_topics import LEAST, LEAST_FOR_NOISE
from ..significance.reliability import FLOOR
from .attenuation import Correction, Draws, Samples
from .shared_topics import Joint, join
from .system_groups import left_out_together

RESAMPLED = ("topics", "systems", "both")
#: A Monte Carlo error above this is printed.
NOTICEABLE = 0.0015
#: Where so many draws agree entirely, the result says so.
HALF = 0.5


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
        reach = self.systems.reach(checking.level(level))
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


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Comparison(WithInterval, Result):
    """How two score matrices agree on the order of systems: `observed`, and `corrected` for the noise of the topics.

    Parameters
    ----------
    coefficient : Coefficient
        What the two rankings are compared by.
    observed : float
        Its value between the observed means.
    corrected : float
        The same without the noise of the topics (disattenuated), which is about the true means; `float()` gives it.
    error : float
        Its standard error.
    level : float
        Confidence of the interval.
    resampled : {"topics", "systems", "both"}
        What was taken for a sample. With "systems" alone topics are taken as they are, and `corrected` is `observed`.
    groups : int
        How many groups of systems were left out in turn; 0 where systems were not taken for a sample.
    draws : int
        How many true means were drawn; 0 where topics were taken as they are.
    monte_carlo : float
        How far `at_least()` may be off because draws are not without number: its Monte Carlo error.
    seed : int
        The seed of everything that was drawn.
    systems : int
        How many systems both have.
    topics : (int, int)
        Topics of the estimate and of the truth.
    shared_topics : int
        Topics that both have: they were resampled together, the others apart.
    reliability : (float, float)
        How much of the spread of the means is real, of the estimate and of the truth.
    undefined_because, no_interval_because : str or None
        Why there is no value, and why there is no interval.
    undefined_draws : int
        Draws without a value.
    notes : tuple of str
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
    monte_carlo: float
    seed: int
    systems: int
    topics: tuple[int, int]
    shared_topics: int
    reliability: tuple[float, float]
    undefined_because: str | None = None
    no_interval_because: str | None = None
    undefined_draws: int = 0
    notes: tuple[str, ...] = ()
    _limits: Limits = field(default=None, repr=False)  # type: ignore[assignment]
    _scores: tuple[Scores, Scores] = field(default=None, repr=False)  # type: ignore[assignment]

    def __float__(self) -> float:
        return self.corrected

    def interval_at(self, level: float) -> Interval:
        return self._limits.interval(level) if self.no_interval_because is None else Interval(math.nan, math.nan)

    def at_least(self, level: float | None = None) -> float:
        one_sided = checking.level(self.level if level is None else level)
        return self._limits.at_least(one_sided) if self.no_interval_because is None else math.nan

    def exceeds(self, margin: float, level: float | None = None) -> bool:
        """Is the true agreement above a margin that was stated beforehand?

        Parameters
        ----------
        margin : float
            What it must exceed.
        level : float or None, default None
            Confidence; None is that of the result.

        Returns
        -------
        bool
            Whether the one-sided limit is above the margin.
        """
        return self.at_least(level) > margin

    @cached_property
    def noise_ceiling(self) -> ExpectedCorrelation:
        """The expected coefficient of the truth's observed ranking with its own true ranking.

        Even a perfect judge, measured against this truth, is not expected to exceed it. It is computed when it is first
        asked for.
        """
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
        drawn = f"{self.draws:,} draws of true means, {how}"
        if self.monte_carlo > NOTICEABLE:
            drawn += f" (Monte Carlo error {number(self.monte_carlo)})"
        if self.resampled == "both":
            drawn += f"; jackknife over {count(self.groups, 'group')} of {word('systems')}"
        return drawn

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
        """The sentence a paper needs: what was compared, how, and how sure it is.

        Returns
        -------
        str
            One sentence for the section on methods.
        """
        c = self.coefficient
        what = f"{c.full_title} between the estimated and the true ranking of {self._what()}"
        if self.undefined_because is not None:
            without = f"its value without the noise of {word('topics')} is undefined"
            return f"{what} is {number(self.observed)}; {without}: {self.undefined_because}."
        low, high = self.interval
        limits = (
            f" ({self.level * 100:g} % interval {number(low)} to {number(high)}; at least "
            f"{number(self.at_least())} one-sided)"
            if self.no_interval_because is None
            else ""
        )
        value = f" and {number(self.corrected)} corrected for the noise of {word('topics')}"
        value = "" if self.resampled == "systems" else value
        also = "".join(f"; {note}" for note in self.notes)
        return f"{what} is {number(self.observed)} observed{value}{limits}: {self._sampled()} (seed {self.seed}){also}."

    def _row(self) -> dict[str, Any]:
        low, high = self.interval
        return {
            "coefficient": self.coefficient.name,
            "observed": self.observed,
            "corrected": self.corrected,
            "low": low,
            "high": high,
            "at_least": self.at_least(),
            "level": self.level,
            "error": self.error,
            "groups": self.groups,
            "draws": self.draws,
            "monte_carlo": self.monte_carlo,
            "resampled": self.resampled,
            "seed": self.seed,
            "systems": self.systems,
            "topics_estimate": self.topics[0],
            "topics_truth": self.topics[1],
            "shared_topics": self.shared_topics,
            "reliability_estimate": self.reliability[0],
            "reliability_truth": self.reliability[1],
            "undefined_because": self.undefined_because or "",
        }

    def columns(self) -> dict[str, Any]:
        return {key: [value] for key, value in self._row().items()}

    def to_dict(self) -> dict[str, Any]:
        also = {
            "undefined_because": self.undefined_because,
            "no_interval_because": self.no_interval_because,
            "undefined_draws": self.undefined_draws,
            "notes": list(self.notes),
            "methods_sentence": self.methods_sentence(),
        }
        return {key: plain(value) for key, value in (self._row() | also).items()}

    def cited(self) -> tuple[str, ...]:
        return (self.coefficient.paper, "xie2013", *(("busing1999",) if self.groups else ()))

    def plot(self) -> Any:
        """Ranks in the estimate against ranks in the truth."""
        from ..figures import ranks

        estimate, truth = (scores.ranking().ranks() for scores in self._scores)
        return ranks(estimate, truth, self._scores[0].systems, names=("estimate", "truth"), title=self.lines()[0])


@takes_scores("estimate", "truth")
def compare(
    estimate: ScoresLike,
    *unnamed: Any,
    truth: ScoresLike = REQUIRED,
    coefficient: str | Coefficient = "tau_b",
    level: float = 0.95,
    resample: str = "topics",
    groups: Mapping[str, Any] | None = None,
    one_sided: str = "error",
    match: str = "exact",
    paired: bool | None = None,
    rng: Rng = 0,
    progress: Progress | None = None,
) -> Comparison:
    """How far do two score matrices agree on the order of systems: on these topics, and beyond their noise?

    The target is c(mu_E, mu_T), the coefficient of the true means over all topics that could have been asked. The
    observed value is lowered (attenuated) by the noise of the topics, and resampling lowers it once more; so true means
    as they could be, given the observed ones, are drawn and compared: mu*_s = K_s y_s + K_s^1/2 e*_s, y_s = (estimate,
    truth) of a system, e* the deviations of resampled topics (formulas in `tauscope.judges.attenuation`). How far true
    means spread and differ is not known: each draw has its own value, from the confidence distribution of each
    (xie2013). The corrected value is the middle of the draws, the interval are their quantiles. There is no p-value
    against 0: no judge is that bad, and it would not say how good one is. The order of the topics does not matter.

    Ties are as the coefficient has them in the observed means; true means hardly ever tie. tau and tau_ap are undefined
    on observed ties, but not without noise. Do not use it where topics are no random sample, or where the estimate was
    tuned on these topics.

    Parameters
    ----------
    estimate : Scores, or what read_scores() takes
        A judge or a measure: one row per topic, one column per system, a score in every cell.
    *unnamed, truth : Scores, or what read_scores() takes
        The scores that are right by definition, given by name. Required.
    coefficient : str or Coefficient, default "tau_b"
        Any of the catalogue.
    level : float, default 0.95
        Confidence of the interval.
    resample : {"topics", "systems", "both"}, default "topics"
        "topics": systems are these and no others; "systems": topics are these, systems a sample, of which one after the
        other is left out, or one of `groups` after the other; "both": both variances are added.
    groups : Mapping or None, default None
        System to group, such as its team, since systems of one team are no independent witnesses.
    one_sided : {"error", "drop"}, default "error"
        What to do with systems that only one of the two has.
    match : {"exact", "loose"}, default "exact"
        "loose" takes names of systems and topics for the same that differ by spelling only: spaces, case, leading
        zeros, ".0", or a word that all of them begin with. The notes say how many.
    paired : bool or None, default None
        None: topics with the same label are the same topic, and are drawn together. False takes all for different
        topics, True insists on the same labels.
    rng : int, Generator or None, default 0
        Seed of everything drawn; None takes a fresh one, which the result remembers.
    progress : callable or None, default None
        Called with the number of pieces done and of those there are.

    Returns
    -------
    Comparison
        The observed and the corrected value, with `.interval`, `.at_least()` and `.noise_ceiling`.

    Raises
    ------
    CallError
        Where the truth is not given by name, or an argument is unknown.
    AlignmentError
        Where systems are on one side only, or with `paired` topics.

    See Also
    --------
    better_judge, rank_judges : several judges against one truth.
    significance_agreement : whether they find the same significant differences.

    Examples
    --------
    >>> human = Scores([[0.9, 0.5, 0.1], [0.8, 0.6, 0.3], [0.7, 0.6, 0.2], [0.9, 0.4, 0.3]])
    >>> machine = Scores([[0.8, 0.6, 0.3], [0.9, 0.6, 0.2], [0.6, 0.7, 0.2], [0.9, 0.5, 0.4]])
    >>> compare(machine, truth=human, rng=1).observed
    1.0
    """
    require_truth(truth, unnamed, "compare(estimate, truth=…)")
    c = catalogue[coefficient]
    checking.one_of(resample, RESAMPLED, "resample")
    if groups is not None and resample == "topics":
        raise CallError(
            '`groups` are groups of systems, which resample="topics" leaves alone.',
            Option("resample", "systems", "both", effect="to leave groups out in turn"),
        )
    level, seed = checking.level(level), remembered(rng)
    same = aligned_scores({"estimate": estimate, "truth": truth}, "compare()", one_sided, match=match, clusters=True)
    rows = all_independent(same.scores)
    own, gold = same.scores
    correlation = evaluate(c, align(own.ranking(), gold.ranking()), names=("estimate", "truth"))
    joint = join(rows, paired=paired)
    members = None if resample == "topics" else left_out_together(own.systems, groups, seed)
    found = Limits(value=math.nan)
    correction, no_interval = None, None
    reason = _hopeless(joint, correlation, resample)
    if reason is None and resample != "systems":
        correction = Correction(Samples(joint, stream(seed, Stream.JUDGES)), c)
        found, no_interval = _estimate(correction, members, progress)
        reason = _why_nan(c) if math.isnan(found.value) else None
    elif reason is None and members is not None:
        found = Limits(value=correlation.value, systems=_observed_error(c, correlation, members), range=c.range)
        no_interval = said("leaving systems out leaves too few to rank") if math.isnan(found.error) else None
    return Comparison(
        coefficient=c,
        observed=correlation.value,
        corrected=found.value,
        error=found.error if no_interval is None else math.nan,
        level=level,
        resampled=resample,
        groups=0 if found.systems is None else found.systems.groups,
        draws=0 if found.topics is None else len(found.topics.values),
        monte_carlo=0.0 if found.topics is None else found.topics.monte_carlo(level),
        seed=seed,
        systems=joint.systems,
        topics=(joint.topics[0], joint.topics[1]),
        shared_topics=joint.shared,
        reliability=(math.nan, math.nan) if correction is None else _pair(correction.reliability),
        undefined_because=reason,
        no_interval_because=reason or no_interval,
        undefined_draws=0 if found.topics is None else found.topics.undefined,
        notes=same.notes + rows_said(same.scores, rows) + _notes(correlation, correction, groups, members),
        _limits=found,
        _scores=(rows[0], rows[1]),
    )


def _pair(values: Floats) -> tuple[float, float]:
    return float(values[0]), float(values[1])


def _hopeless(joint: Joint, correlation: Correlation, resample: str) -> str | None:
    """Why there is no value without noise, or None."""
    if joint.systems < 2:
        return said(f"a ranking needs at least two systems, and there is {joint.systems}")
    if resample == "systems":
        return correlation.undefined_because
    if min(joint.topics) < LEAST:
        return said("one topic does not tell how scores vary from topic to topic; two are the least")
    return None


def _why_nan(c: Coefficient) -> str:
    if c.ties is Ties.FORBIDDEN:
        return said(f"{c} is not defined with ties, and some systems have the same scores; use {', '.join(c.instead)}")
    return f"{c} has no value in any of the draws"


def _estimate(correction: Correction, members: Ints | None, progress: Progress | None) -> tuple[Limits, str | None]:
    """The value with its limits, and why there are none."""
    joint, c = correction.joint, correction.coefficient
    draws = correction.draws
    if min(joint.topics) < LEAST_FOR_NOISE:
        return Limits(value=draws.value, topics=draws), said(f"the noise of topics takes at least {LEAST_FOR_NOISE}")
    if members is None:
        return Limits(value=draws.value, topics=draws, range=c.range), None
    # Both are samples: their errors add up (and count twice what topics and systems share, which is little).
    own = jackknife(*correction.systems(members, progress), tally(members).astype(float))
    both = Limits(value=draws.value, topics=draws, systems=own, range=c.range)
    return both, f"{c} has no value without some of them" if math.isnan(own.deviation) else None


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
) -> tuple[str, ...]:
    """What a reader must know besides."""
    found = []
    if correlation.undefined_because is not None and correction is not None:
        found.append(f"the observed value is undefined: {correlation.undefined_because}")
    tied = correlation.ties
    if any(tied) and correlation.coefficient.ties is not Ties.SCORES:
        found.append(
            f"{tied.estimate:,} and {count(tied.truth, 'pair')} tied in the observed means of estimate and truth"
        )
    if correction is not None:
        flat = [name for name, g in zip(("estimate", "truth"), correction.reliability, strict=True) if g < FLOOR]
        if flat:
            hardly = f"the means of the {' and the '.join(flat)} hardly differ beyond noise"
            found.append(f"{hardly}: reliability set to its floor of {FLOOR:g}")
        elif correction.agree_entirely > HALF:
            found.append("estimate and truth differ by no more than noise")
        if correction.draws.undefined:
            found.append(f"{correction.draws.undefined:,} draws without a value left out")
    if members is not None:
        n = int(members.max()) + 1
        kind = "each its own group" if n == len(members) else "groups at random"
        kind = "groups given" if groups is not None else kind
        found.append(f"{count(len(members), 'system')} in {count(n, 'group')} left out together, {kind}")
    return tuple(found)
