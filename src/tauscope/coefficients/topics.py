"""Topic by topic: where do two judges, measures or sets of judgments agree, and how does one system fare? (radja2018 7.2)"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .. import kernels
from ..arrays import Floats, Ints
from ..errors import AlignmentError, CallError, Undefined
from ..ranking import align
from ..results import Result, count, number, word
from ..scores import Scores
from ..scores.labels import shown
from ..ties import Tolerance, tolerances
from .correlation import Correlation, check_other_ties, check_tolerance, evaluate
from .records import Coefficient, catalogue


class TopicValue(NamedTuple):
    """The coefficient on one topic, and how many pairs are tied there."""

    topic: str
    value: float
    ties_estimate: int
    ties_truth: int
    undefined_because: str | None


@dataclass(frozen=True, eq=False, repr=False)
class TopicCorrelations(Result):
    """One coefficient on every topic, beside that of the means.

    `mean` and `interval` (Student's t over the topics that have a value) are of the topics; `of_means` is the coefficient
    of the rankings by means, nearly always higher: averaging hides where topics disagree.
    """

    coefficient: Coefficient
    topics: tuple[str, ...]
    values: Floats
    undefined_because: NDArray[np.int8]
    ties_estimate: Ints
    ties_truth: Ints
    mean: float
    interval: tuple[float, float]
    level: float
    of_means: Correlation
    systems: int
    tied_within: tuple[Tolerance, Tolerance]
    dropped: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.topics)

    def reason(self, row: int) -> str | None:
        """Why a topic has no value, in words; None where it has one."""
        code = Undefined(int(self.undefined_because[row]))
        return code.text(n=self.systems) if code else None

    def worst(self, k: int = 5) -> list[TopicValue]:
        """The k topics with the lowest values, lowest first; topics without a value are left out."""
        if k < 1:
            raise CallError(f"worst({k}): ask for at least one topic.")
        defined = np.flatnonzero(~np.isnan(self.values))
        order = defined[np.argsort(self.values[defined], kind="stable")][:k]
        return [self._row(int(place)) for place in order]

    def _row(self, row: int) -> TopicValue:
        ties = int(self.ties_estimate[row]), int(self.ties_truth[row])
        return TopicValue(self.topics[row], float(self.values[row]), *ties, self.reason(row))

    def lines(self) -> list[str]:
        known = int(np.count_nonzero(~np.isnan(self.values)))
        low, high = (number(end) for end in self.interval)
        interval = "" if math.isnan(self.interval[0]) else f" [{low}, {high}]"
        first = f"{self.coefficient} {word('topic')} by {word('topic')}: mean {number(self.mean)}{interval}, of the means {number(self.of_means.value)}   {count(self.systems, 'system')}, {count(len(self), 'topic')}"
        worst = ", ".join(f"{one.topic} {number(one.value)}" for one in self.worst(3))
        share = 100 / max(1, self.systems * (self.systems - 1) // 2)
        ties = [number(share * float(t.mean()), 1) for t in (self.ties_estimate, self.ties_truth)]
        second = f"lowest: {worst or 'none'}; tied pairs on a {word('topic')}: {ties[0]} % in the estimate, {ties[1]} % in the truth"
        third = f"{self.coefficient.equation}; {number(100 * self.level, 0)} % t-interval of the mean over {count(known, 'topic')}"
        if known < len(self):
            reasons = sorted({str(self.reason(row)) for row in range(len(self)) if np.isnan(self.values[row])})
            third += f"; {len(self) - known:,} undefined ({'; '.join(reasons)})"
        if self.dropped:
            third += f"; left out, on one side only: {shown(self.dropped)}"
        return [first, second, third]

    def columns(self) -> Mapping[str, Any]:
        return {
            "topic": list(self.topics),
            "value": self.values,
            "ties_estimate": self.ties_estimate,
            "ties_truth": self.ties_truth,
            "undefined_because": [self.reason(row) or "" for row in range(len(self))],
        }

    def to_dict(self) -> dict[str, Any]:
        table = {row.topic: row._asdict() for row in map(self._row, range(len(self)))}
        interval = [None if math.isnan(end) else end for end in self.interval]
        return {"coefficient": self.coefficient.name, "mean": None if math.isnan(self.mean) else self.mean, "interval": interval, "level": self.level,
                "of_means": self.of_means.to_dict(), "systems": self.systems, "dropped": list(self.dropped),
                "topics": [row | {"value": None if math.isnan(row["value"]) else row["value"]} for row in table.values()]}  # fmt: skip

    def cited(self) -> tuple[str, ...]:
        return (*self.of_means.cited(), "radja2018")

    def plot(self) -> Any:
        """One bar a topic, lowest first."""
        from ..figures import bars

        order = np.argsort(np.where(np.isnan(self.values), np.inf, self.values), kind="stable")
        places = np.arange(1.0, len(order) + 1)
        return bars(places, self.values[order], [self.topics[i] for i in order], x=f"{word('topics')}, lowest first",
                    y=self.coefficient.symbol, title=self.lines()[0])  # fmt: skip


def correlate_topics(
    estimate: Any,
    *,
    truth: Any,
    coefficient: str | Coefficient = "tau_b",
    tied_within: Any = 0.0,
    other_ties: str = "discordant",
    one_sided: str = "error",
    level: float = 0.95,
) -> TopicCorrelations:
    """On which topics do two sets of scores of the same systems agree, and is that less than their means agree?

    The coefficient of the systems' scores on each topic; their mean with Student's t-interval; and, beside it, the
    coefficient of the two rankings by means (radja2018, section 7.2.2). Topics where it is undefined are counted and left
    out of the mean. On single topics scores tie often: `tau_b`, or `tau_a` against a truth.
    Do not take the mean of the topics for the correlation of the rankings that are reported: those are of means.

    estimate, truth: `Scores` of the same topics and systems, matched by name. one_sided: "drop" compares what both have.
    tied_within, other_ties: as for the coefficient. level: of the interval.

    >>> human = Scores([[3, 2, 1], [1, 2, 3], [3, 1, 2]], systems=list("ABC"))
    >>> judge = Scores([[3, 2, 1], [1, 3, 2], [1, 2, 3]], systems=list("ABC"))
    >>> found = correlate_topics(judge, truth=human, coefficient="tau_a")
    >>> [round(float(value), 3) for value in found.values], found.worst(1)[0].topic
    ([1.0, 0.333, -0.333], '3')
    """
    c = catalogue[coefficient]
    within = tolerances(tied_within)
    check_tolerance(c, within)
    check_other_ties(other_ties)
    if isinstance(level, bool) or not isinstance(level, (int, float, np.number)) or not 0 < level < 1:
        raise CallError(f"level={level!r}: give a share between 0 and 1, such as 0.95.")
    one, two, dropped = matched(estimate, truth, one_sided)
    zero = other_ties == "zero"
    values, codes = kernels.batch(
        c.name, np.ascontiguousarray(one.values), np.ascontiguousarray(two.values), *within, ties_are_zero=zero
    )
    ties = np.array([kernels.pair_counts(y, x, *within)[2:] for y, x in zip(one.values, two.values, strict=True)])
    means = _of_means(c, one, two, within, other_ties)
    mean, interval = _t_interval(values[~np.isnan(values)], level)
    return TopicCorrelations(c, one.topics, values, codes, ties[:, 0], ties[:, 1], mean, interval, level, means, len(one.systems),
                             within, dropped)  # fmt: skip


def _of_means(
    c: Coefficient, one: Scores, two: Scores, within: tuple[Tolerance, Tolerance], other_ties: str
) -> Correlation:
    data = align(one.ranking(), two.ranking(), names=("`estimate`", "`truth`"))
    return evaluate(c, data, tied_within=within, other_ties=other_ties)


def _t_interval(values: Floats, level: float) -> tuple[float, tuple[float, float]]:
    """The mean, and mean ± t * s/sqrt(n); NaN below two values."""
    mean = float(values.mean()) if len(values) else math.nan
    if len(values) < 2:
        return mean, (math.nan, math.nan)
    from scipy.special import stdtrit

    half = float(stdtrit(len(values) - 1, (1 + level) / 2)) * float(values.std(ddof=1)) / math.sqrt(len(values))
    return mean, (max(-1.0, mean - half), min(1.0, mean + half))


def matched(estimate: Any, truth: Any, one_sided: str) -> tuple[Scores, Scores, tuple[str, ...]]:
    """Two score matrices on the topics and systems that both have, in the truth's order; what was left out."""
    if one_sided not in ("error", "drop"):
        raise CallError(f"one_sided={one_sided!r} is unknown; use 'error' or 'drop'.")
    for scores, name in ((estimate, "estimate"), (truth, "truth")):
        if not isinstance(scores, Scores):
            raise CallError(
                f"`{name}` must be Scores, topics x systems; read_scores() makes them from a file or a frame, Scores(array) from an array."
            )
        scores.require_complete(f"Comparing topic by topic (`{name}`)")
    if estimate.topics == truth.topics and estimate.systems == truth.systems:
        return estimate, truth, ()
    kept, dropped = {}, []
    for axis in ("topics", "systems"):
        a, b = getattr(estimate, axis), getattr(truth, axis)
        both = set(a) & set(b)
        alone = [label for label in (*a, *b) if label not in both]
        if alone and one_sided == "error":
            raise AlignmentError(
                f"{count(len(alone), axis[:-1])} on one side only: {shown(alone)}.\n"
                f'Scores are compared on the same {word(axis)}. Pass one_sided="drop" to compare the {len(both):,} they share.'
            )
        if not both:
            raise AlignmentError(
                f"`estimate` and `truth` share none of their {word(axis)}: are the names spelled alike?"
            )
        kept[axis] = [label for label in b if label in both]
        dropped += alone
    return estimate.select(**kept), truth.select(**kept), tuple(dropped)
