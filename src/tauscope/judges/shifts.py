"""Does a judge favour its own kind? Ranks gained and scores given, by group of systems."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..arrays import Floats
from ..jobs.draws import SHIFT_DRAWS
from ..jobs.seeds import Stream, stream
from ..reference.differences import near_one
from ..reference.rankings import midranks
from ..results import Result, count, fields_of, number, word
from ..scores import Scores
from ..scores.alignment import aligned_scores
from ..ties import snap_rows
from .shared_topics import Joint, draw_counts, join
from .system_groups import groups_of


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class RankShifts(Result):
    """Mean ranks gained under the estimate by group of systems, with an interval each, taken alone; the largest gain
    first.

    Parameters
    ----------
    groups : tuple of str
        The groups, the one that gains most first.
    members : tuple of int
        How many systems each has.
    shift : ndarray
        Mean ranks gained; above 0 the group stands higher in the estimate than in the truth.
    low, high : ndarray
        Limits of each, taken alone; NaN where topics are too few.
    level, seed : float, int
        Confidence, and the seed of the resamples.
    topics : (int, int)
        Topics of the estimate and of the truth.
    shared : int
        Topics that both have: they were resampled together, the others apart.
    notes : tuple of str
        What was dropped.
    """

    groups: tuple[str, ...]
    members: tuple[int, ...]
    shift: Floats
    low: Floats
    high: Floats
    level: float
    seed: int
    topics: tuple[int, int]
    shared: int
    notes: tuple[str, ...] = ()

    def favoured(self) -> tuple[str, ...]:
        """Which groups does the estimate lift, beyond chance?

        Returns
        -------
        tuple of str
            Groups whose interval lies above 0.
        """
        return tuple(group for group, low in zip(self.groups, self.low, strict=True) if low > 0)

    def lines(self) -> list[str]:
        parts = [
            f"{group} {s:+.1f} [{a:+.1f}, {b:+.1f}]"
            for group, s, a, b in zip(self.groups, self.shift, self.low, self.high, strict=True)
        ]
        more = "; …" if len(parts) > 8 else ""
        first = (
            f"Mean ranks gained under the estimate, {count(len(self.groups), 'group')}: {'; '.join(parts[:8])}{more}"
        )
        if np.isnan(self.low).any():
            second = (
                f"no intervals: {self.topics[0]:,} and {count(self.topics[1], 'topic')}, {self.shared:,} of them "
                f"shared, do not tell how shifts vary from {word('topic')} to {word('topic')}"
            )
        else:
            second = (
                f"{self.level * 100:g} % intervals, each taken alone: Student's t, standard error from "
                f"{SHIFT_DRAWS:,} resamples of {word('topics')} ({self._how()}), seed {self.seed}"
            )
        return [first, "; ".join([second, *self.notes])]

    def _how(self) -> str:
        apart = [n - self.shared for n in self.topics]
        if not any(apart):
            return f"all {self.shared:,} shared, together"
        if not self.shared:
            return f"{self.topics[0]:,} and {self.topics[1]:,}, none shared, apart"
        only = f"{apart[0]:,} only in the estimate and {apart[1]:,} only in the truth"
        return f"{self.shared:,} shared, together; {only}, apart"

    def cited(self) -> tuple[str, ...]:
        """Whose methods these are."""
        return ("efron1979", "student1908")

    def columns(self) -> dict[str, Any]:
        return {"group": list(self.groups), "systems": list(self.members), **fields_of(self, "shift", "low", "high")}

    def plot(self) -> Any:
        """One bar per group; the rule marks no shift."""
        from ..figures import spans

        x, title = "ranks gained under the estimate", "Mean ranks gained, by group"
        return spans(self.groups, self.low, self.high, self.shift, x=x, title=title, mark=0.0)


def rank_shifts(own: Scores, gold: Scores, groups: Mapping[str, str], *, level: float, seed: int) -> RankShifts:
    """Estimate by how many ranks each group of systems rises or falls under a judge, on average.

    shift = mean over the systems of a group of (rank in the truth - rank in the estimate), ranks of the means, ties at
    mid-rank. Interval: shift ± t_{n-s} * se, se the standard deviation of the shift over resamples of the topics times
    sqrt(n/(n-s)), n the topics of the smaller side. Topics that both sides have, by their labels, are resampled
    together, the others separately: that makes s = 2 strata of a side that has both kinds, otherwise s = 1. All shifts,
    weighted by size, add up to 0.
    """
    names, number_of = groups_of(gold.systems, groups)
    member = np.zeros((len(gold.systems), len(names)))
    member[np.arange(len(number_of)), number_of] = 1.0
    sizes = member.sum(axis=0)
    value = ((_ranks(gold.means()[None]) - _ranks(own.means()[None])) @ member / sizes)[0]
    generator = stream(seed, Stream.SHIFTS)
    joint = join((own, gold))
    deviation, freedom = _deviation(joint, member / sizes, generator)
    reach = _t(freedom, level) * deviation
    order = np.argsort(-value, kind="stable")
    return RankShifts(
        groups=tuple(names[i] for i in order),
        members=tuple(int(sizes[i]) for i in order),
        shift=value[order],
        low=(value - reach)[order],
        high=(value + reach)[order],
        level=level,
        seed=seed,
        topics=(len(own.topics), len(gold.topics)),
        shared=joint.shared,
    )


def _ranks(means: Floats) -> Floats:
    return midranks(-snap_rows(means)) + 1


def _deviation(joint: Joint, mean: Floats, generator: np.random.Generator) -> tuple[Floats, int]:
    """Standard error of the mean shift of each group, and its degrees of freedom.

    A stratum of k topics varies by (k-1)/k too little over resamples, so n topics in s strata by (n-s)/n.
    """
    strata = joint.present.sum(axis=0)
    free = [n - int(s) for n, s in zip(joint.topics, strata, strict=True)]
    if min(free) < 1:
        return np.full(mean.shape[1], math.nan), 0
    counts = draw_counts(joint, SHIFT_DRAWS, generator)
    # Topic means were taken off; the level makes the means as large as they were, so that rounding ties them as before.
    estimate, truth = (
        _ranks(np.where(joint.present[joint.stratum, i], counts, 0.0) @ x / n + joint.level[i])
        for i, (x, n) in enumerate(zip(joint.x, joint.topics, strict=True))
    )
    stretch = math.sqrt(max(n / f for n, f in zip(joint.topics, free, strict=True)))
    return np.asarray(((truth - estimate) @ mean).std(axis=0, ddof=1) * stretch), min(free)


def _t(freedom: int, level: float) -> float:
    from scipy.special import stdtrit

    return float(stdtrit(freedom, (1 + level) / 2)) if freedom > 0 else math.nan


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class ScoreBias(Result):
    """How much higher the estimate scores than the truth.

    Parameters
    ----------
    bias : float
        Mean of estimate - truth.
    low, high : float
        Its interval over topics; NaN where there is only one.
    rmse, rmse_means : float
        Root mean square difference of the single scores, and of the systems' means.
    level : float
        Confidence.
    systems, topics : int
        How many both have.
    dropped : tuple of str
        Systems and topics that only one side has.
    """

    bias: float
    low: float
    high: float
    rmse: float
    rmse_means: float
    level: float
    systems: int
    topics: int
    dropped: tuple[str, ...] = ()
    #: Of each system its name, and bias, low and high.
    _names: tuple[str, ...] = field(default=(), repr=False)
    _each: Floats = field(default_factory=lambda: np.zeros((3, 0)), repr=False)

    def lines(self) -> list[str]:
        left = f"; {len(self.dropped):,} on one side only left out" if self.dropped else ""
        size = f"{count(self.systems, 'system')} x {count(self.topics, 'topic')}"
        return [
            f"Bias {number(self.bias, 4)} [{number(self.low, 4)}, {number(self.high, 4)}], "
            f"RMSE {number(self.rmse, 4)} of single scores and {number(self.rmse_means, 4)} of means   {size}",
            f"estimate - truth; {self.level * 100:g} % t-interval over {word('topics')}{left}",
        ]

    def cited(self) -> tuple[str, ...]:
        """Whose methods these are."""
        return ("student1908",)

    def plot(self) -> Any:
        """The bias over all systems and that of each, the highest first, with intervals; the rule marks no bias."""
        from ..figures import spans

        order = np.argsort(-self._each[0], kind="stable")
        labels = [f"all {word('systems')}", *(self._names[i] for i in order)]
        bias, low, high = (np.append(one, each[order]) for one, each in zip(self._limits, self._each, strict=True))
        groups = ["all together", *["each"] * len(order)]
        title = "Scores of the estimate less the truth's"
        x = "estimate less truth"
        return spans(labels, low, high, bias, x=x, title=title, mark=0.0, groups=groups, group=word("systems"))

    @property
    def _limits(self) -> tuple[float, float, float]:
        return self.bias, self.low, self.high

    def columns(self) -> dict[str, Any]:
        found = fields_of(self, "bias", "low", "high", "rmse", "rmse_means", "level", "systems", "topics")
        return {name: [value] for name, value in found.items()}


def score_bias(estimate: Scores, truth: Scores, *, level: float) -> ScoreBias:
    """Estimate how much higher or lower a judge scores than the truth, on the topics and systems that both have.

    bias = mean of estimate - truth, with Student's interval over topics; RMSE of the single scores, and of the means of
    the systems. A bias that all systems share moves no rank.
    """
    same = aligned_scores({"estimate": estimate, "truth": truth}, "compare()", "drop", topics=True, clusters=True)
    one, two = same.scores
    scaled, unit = near_one(np.stack([one.values, two.values]))
    difference = scaled[0] - scaled[1]
    if one.lower_is_better and two.lower_is_better:  # on the scale of the source
        difference = 0.0 - difference
    # Sorted, so that sums do not depend on how a file lists its topics.
    difference, by_topic = np.sort(difference, axis=0), np.sort(difference.mean(axis=1))
    n = len(by_topic)
    reach = _t(n - 1, level) * float(by_topic.std(ddof=1)) / math.sqrt(n) if n > 1 else math.nan
    bias = float(by_topic.mean())
    own = difference.mean(axis=0)
    reaches = _t(n - 1, level) * difference.std(axis=0, ddof=1) / math.sqrt(n) if n > 1 else np.full(len(own), math.nan)
    return ScoreBias(
        bias=bias * unit,
        low=(bias - reach) * unit,
        high=(bias + reach) * unit,
        rmse=math.sqrt(float((difference**2).mean(axis=0).mean())) * unit,
        rmse_means=math.sqrt(float((difference.mean(axis=0) ** 2).mean())) * unit,
        level=level,
        systems=len(one.systems),
        topics=n,
        dropped=same.dropped,
        _names=one.systems,
        _each=np.stack([own, own - reaches, own + reaches]) * unit,
    )
