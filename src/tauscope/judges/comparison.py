"""`Comparison`: what `compare()` finds, its limits, and how it is told."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import Any

from .. import checking
from ..coefficients.records import Coefficient
from ..expected.expected_correlation import ExpectedCorrelation, expected_correlation
from ..expected.intervals import Interval, WithInterval
from ..expected.jackknife import StandardError
from ..results import Result, count, number, plain, word
from ..scores import Scores
from .attenuation import NOTICEABLE, Draws

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
    _remarks: tuple[str, ...] = field(default=(), repr=False)
    _limits: Limits = field(default=None, repr=False)  # type: ignore[assignment]
    _scores: tuple[Scores, Scores] = field(default=None, repr=False)  # type: ignore[assignment]
    _paired: bool | None = field(default=None, repr=False)
    _left_out: Mapping[str, Any] | None = field(default=None, repr=False)

    def __float__(self) -> float:
        return self.corrected

    def interval_at(self, level: float) -> Interval:
        return self._limits.interval(level) if self.no_interval_because is None else Interval(math.nan, math.nan)

    def at_least(self, level: float | None = None) -> float:
        one_sided = checking.level(self.level if level is None else level)
        return self._limits.at_least(one_sided) if self.no_interval_because is None else math.nan

    def exceeds(self, margin: float, level: float | None = None) -> bool:
        """Does the true agreement reach a margin that was stated beforehand?

        Parameters
        ----------
        margin : float
            What it must reach.
        level : float or None, default None
            Confidence; None is that of the result.

        Returns
        -------
        bool
            Whether the one-sided lower limit is at least the margin.
        """
        return self.at_least(level) >= margin - _ROUNDING

    def falls_short(self, margin: float, level: float | None = None) -> bool:
        """Is the true agreement below a margin that was stated beforehand?

        Parameters
        ----------
        margin : float
            What it would have to reach.
        level : float or None, default None
            Confidence; None is that of the result.

        Returns
        -------
        bool
            Whether the whole interval is below the margin.
        """
        return self.interval_at(self.level if level is None else level).high < margin - _ROUNDING

    def p_values(self, margin: float) -> tuple[float, float]:
        """How much evidence is there that the true agreement reaches a margin, and that it does not?

        Parameters
        ----------
        margin : float
            The margin.

        Returns
        -------
        (float, float)
            The smallest 1 - level at which `exceeds()` holds, and the smallest at which `falls_short()` does. Neither is
            smaller than one in the number of draws, nor defined where there is no interval.
        """
        least = 1 / (1 + max(1, self.draws))
        if self.no_interval_because is not None:
            return math.nan, math.nan
        return tuple(_smallest(least, partial(shown, margin)) for shown in (self.exceeds, self.falls_short))  # type: ignore[return-value]

    @property
    def sides(self) -> tuple[Scores, Scores]:
        """Estimate and truth as they were compared: the same systems in one order."""
        return self._scores

    @property
    def paired(self) -> bool | None:
        """Whether topics with the same label were taken for one topic, as `compare()` was told."""
        return self._paired

    @property
    def left_out(self) -> Mapping[str, Any] | None:
        """The groups of systems that were left out together, as `compare()` was told."""
        return self._left_out

    @cached_property
    def noise_ceiling(self) -> ExpectedCorrelation:
        """The expected coefficient of the truth's observed ranking with its own true ranking.

        A judge that had the true ranking itself would be expected to reach it. One that is measured on the same topics
        shares their noise, and can exceed it. It is computed when it is first asked for.
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
        also = "".join(f"; {note}" for note in self.notes if note not in self._remarks)
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
