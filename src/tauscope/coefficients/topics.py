"""Topic by topic: where do two judges, measures or sets of judgments agree, and how does one system fare? (radja2018
7.2)"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .. import checking, kernels
from ..arrays import Floats, Ints
from ..files.door import takes_scores
from ..ranking import align
from ..results import Result, count, fields_of, number, plain, word
from ..scores.alignment import aligned_scores
from ..scores.labels import shown
from ..ties import Tolerance, tolerances, within_said
from .coefficient import Coefficient, with_other_ties
from .correlation import Correlation, check_tolerance, evaluate
from .records import catalogue


class TopicValue(NamedTuple):
    """What is the coefficient on one topic?

    Attributes
    ----------
    topic : str
        The topic.
    value : float
        The coefficient of the systems' scores on it, NaN where it is undefined.
    ties_estimate, ties_truth : int
        How many pairs of systems are tied on it.
    undefined_because : str or None
        Why there is no value.
    """

    topic: str
    value: float
    ties_estimate: int
    ties_truth: int
    undefined_because: str | None


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class TopicCorrelations(Result):
    """How far do two sets of scores agree on every topic, and how far do their means?

    Attributes
    ----------
    coefficient : Coefficient
        The record of the coefficient.
    topics : tuple of str
        The topics.
    values : array of float
        One value per topic, NaN where it is undefined.
    undefined_because : array of int
        A member of `Undefined` per topic, 0 where there is a value; `reason(row)` has it in words.
    ties_estimate, ties_truth : array of int
        Tied pairs on each topic.
    mean : float
        The mean over the topics that have a value.
    interval : pair of float
        Student's t-interval of the mean.
    level : float
        The level of the interval.
    of_means : Correlation
        The coefficient of the rankings by means, nearly always higher: averaging hides where topics disagree.
    systems : int
        How many systems.
    tied_within : pair of Tolerance
        The tolerances of estimate and truth.
    dropped : tuple of str
        Topics and systems that only one side has.
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
        """Why has a topic no value?

        Parameters
        ----------
        row : int
            The place of the topic, from 0.

        Returns
        -------
        str or None
            The reason in words; None where the topic has a value.
        """
        return self.coefficient.why_undefined(int(self.undefined_because[row]), n=self.systems)

    def worst(self, k: int = 5) -> list[TopicValue]:
        """On which topics is the agreement worst? Those without a value are left out.

        Parameters
        ----------
        k : int, default 5
            How many, from the lowest value on.

        Returns
        -------
        list of TopicValue
        """
        k = checking.whole(k, "k", least=1)
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
        size = f"{count(self.systems, 'system')}, {count(len(self), 'topic')}"
        means = f"mean {number(self.mean)}{interval}, of the means {number(self.of_means.value)}"
        first = f"{self.coefficient} {word('topic')} by {word('topic')}: {means}   {size}"
        worst = ", ".join(f"{one.topic} {number(one.value)}" for one in self.worst(3))
        share = 100 / max(1, self.systems * (self.systems - 1) // 2)
        ties = [number(share * float(t.mean()), 1) for t in (self.ties_estimate, self.ties_truth)]
        tied = f"tied pairs on a {word('topic')}: {ties[0]} % in the estimate, {ties[1]} % in the truth"
        second = f"lowest: {worst or 'none'}; {tied}"
        level = number(100 * self.level, 0)
        third = f"{self.coefficient.equation}; {level} % t-interval of the mean over {count(known, 'topic')}"
        if known < len(self):
            reasons = sorted({str(self.reason(row)) for row in range(len(self)) if np.isnan(self.values[row])})
            third += f"; {len(self) - known:,} undefined ({'; '.join(reasons)})"
        if self.dropped:
            third += f"; left out, on one side only: {shown(self.dropped)}"
        return [first, second, third]

    def methods_sentence(self) -> str:
        """The sentence a paper needs: how far two sets of scores agree topic by topic, and how far their means do.

        Returns
        -------
        str
            One sentence, with the interval of the mean, and what was left out.
        """
        known, (low, high) = int(np.count_nonzero(~np.isnan(self.values))), self.interval
        limits = "" if math.isnan(low) else f" ({self.level * 100:g} % t-interval {number(low)} to {number(high)})"
        lost = f"{len(self) - known:,} without a value left out" if known < len(self) else ""
        left = f"left out, on one side only: {shown(self.dropped)}" if self.dropped else ""
        return (
            f"{self.coefficient.full_title} of the estimate against the truth on a single {word('topic')} is "
            f"{number(self.mean)} on average{limits} over {count(known, 'topic')} and "
            f"{count(self.systems, 'system')}, and {number(self.of_means.value)} of the rankings by means"
            f"{self._beside(within_said(self.tied_within), lost, left)}."
        )

    def columns(self) -> Mapping[str, Any]:
        reasons = [self.reason(row) or "" for row in range(len(self))]
        found = {"topic": list(self.topics), "value": self.values, **fields_of(self, "ties_estimate", "ties_truth")}
        return found | {"undefined_because": reasons}

    def to_dict(self) -> dict[str, Any]:
        return {
            "coefficient": self.coefficient.name,
            "mean": plain(self.mean),
            "interval": plain(self.interval),
            "level": self.level,
            "of_means": self.of_means.to_dict(),
            "systems": self.systems,
            "dropped": list(self.dropped),
            "topics": [plain(self._row(row)) for row in range(len(self))],
            "methods_sentence": self.methods_sentence(),
        }

    def cited(self) -> tuple[str, ...]:
        return (*self.of_means.cited(), "radja2018")

    def plot(self) -> Any:
        """One bar per topic, lowest first."""
        from ..figures import bars

        order = np.argsort(np.where(np.isnan(self.values), np.inf, self.values), kind="stable")
        places, names = np.arange(1.0, len(order) + 1), [self.topics[i] for i in order]
        x, y = f"{word('topics')}, lowest first", self.coefficient.symbol
        return bars(places, self.values[order], names, x=x, y=y, title=self.lines()[0])


@takes_scores("estimate", "truth")
def correlate_topics(
    estimate: Any,
    *,
    truth: Any,
    coefficient: str | Coefficient = "tau_b",
    tied_within: Any = 0.0,
    other_ties: str = "discordant",
    one_sided: str = "error",
    match: str = "exact",
    level: float = 0.95,
) -> TopicCorrelations:
    """On which topics do two sets of scores of the same systems agree, and is that less than their means agree?

    The coefficient of the systems' scores on each topic; their mean with Student's t-interval; and, beside it, the
    coefficient of the two rankings by means (radja2018, section 7.2.2). Topics where it is undefined are counted and
    left out of the mean. On single topics scores tie often: `tau_b`, or `tau_a` against a truth. Do not take the mean
    of the topics for the correlation of the rankings that are reported: those are of means.

    Parameters
    ----------
    estimate, truth : Scores, or what read_scores() takes
        Two matrices of the same topics and systems, matched by name.
    coefficient : str or Coefficient, default "tau_b"
        Which coefficient.
    tied_within : float, str or pair, default 0.0
        Scores this close are tied: a number, a share such as "5%", or a pair (estimate, truth).
    other_ties : "discordant" or "zero", default "discordant"
        How tau_ap_b counts ties of the ranking that is not walked.
    one_sided : "error" or "drop", default "error"
        What to do with topics and systems that only one side has: "drop" compares what both have, "error" names them.
    match : {"exact", "loose"}, default "exact"
        "loose" takes names of systems and topics for the same that differ by spelling only: spaces, case, leading
        zeros, ".0", or a word that all of them begin with. The notes say how many.
    level : float, default 0.95
        The level of the interval of the mean.

    Returns
    -------
    TopicCorrelations

    Raises
    ------
    CallError
        Where estimate or truth are not Scores.
    AlignmentError
        Where they are not of the same topics and systems, and those of one side only were not to be dropped.

    See Also
    --------
    system_profile, correlate

    Examples
    --------
    >>> from tauscope import Scores
    >>> human = Scores([[3, 2, 1], [1, 2, 3], [3, 1, 2]], systems=list("ABC"))
    >>> judge = Scores([[3, 2, 1], [1, 3, 2], [1, 2, 3]], systems=list("ABC"))
    >>> found = correlate_topics(judge, truth=human, coefficient="tau_a")
    >>> [round(float(value), 3) for value in found.values], found.worst(1)[0].topic
    ([1.0, 0.333, -0.333], '3')
    """
    c = with_other_ties(catalogue[coefficient], other_ties)
    within = tolerances(tied_within)
    check_tolerance(c, within)
    level = checking.level(level)
    same = aligned_scores(
        {"estimate": estimate, "truth": truth}, "correlate_topics()", one_sided, topics=True, match=match
    )
    (one, two), dropped = same.scores, same.dropped
    values, codes = kernels.batch(c, np.ascontiguousarray(one.values), np.ascontiguousarray(two.values), *within)
    ties = np.array([kernels.pair_counts(y, x, *within)[2:] for y, x in zip(one.values, two.values, strict=True)])
    rankings = align(one.ranking(), two.ranking(), names=("`estimate`", "`truth`"))
    mean, interval = _t_interval(values[~np.isnan(values)], level)
    return TopicCorrelations(
        coefficient=c,
        topics=one.topics,
        values=values,
        undefined_because=codes,
        ties_estimate=ties[:, 0],
        ties_truth=ties[:, 1],
        mean=mean,
        interval=interval,
        level=level,
        of_means=evaluate(c, rankings, tied_within=within),
        systems=len(one.systems),
        tied_within=within,
        dropped=dropped,
    )


def _t_interval(values: Floats, level: float) -> tuple[float, tuple[float, float]]:
    """The mean, and mean ± t * s/sqrt(n); NaN below two values."""
    mean = float(values.mean()) if len(values) else math.nan
    if len(values) < 2:
        return mean, (math.nan, math.nan)
    from scipy.special import stdtrit

    half = float(stdtrit(len(values) - 1, (1 + level) / 2)) * float(values.std(ddof=1)) / math.sqrt(len(values))
    return mean, (max(-1.0, mean - half), min(1.0, mean + half))
