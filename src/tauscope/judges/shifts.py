"""Does a judge favour its own kind? Ranks gained and scores given, by group of systems."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from .. import checking
from ..arrays import Floats
from ..coefficients.topics import matched
from ..errors import CallError, TauscopeError
from ..jobs.seeds import Rng, Stream, remembered, stream
from ..reference import rankings
from ..reference.rankings import midranks
from ..results import Result, count, number, word
from ..scores import Scores
from ..scores.labels import shown
from ..ties import snap_rows
from .shared_topics import Joint, draw_counts, join

#: Resamples of topics behind a standard error.
SHIFT_DRAWS = 1000


@dataclass(frozen=True, eq=False, repr=False)
class RankShifts(Result):
    """Mean ranks gained under the estimate by group of systems, with an interval each, taken alone; the largest gain first.

    `shift` > 0: the group stands higher in the estimate than in the truth. `topics` were resampled: the
    `shared` ones, that both have, together, the others apart.
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

    def favoured(self) -> tuple[str, ...]:
        """Groups whose interval lies above 0."""
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
            few = f"no intervals: {self.topics[0]:,} and {count(self.topics[1], 'topic')}, {self.shared:,} of them shared, do not tell how"
            return [first, f"{few} shifts vary from {word('topic')} to {word('topic')}"]
        return [
            first,
            f"{self.level * 100:g} % intervals, each taken alone: Student's t, standard error from {SHIFT_DRAWS:,} resamples of "
            f"{word('topics')} ({self._how()}), seed {self.seed}",
        ]

    def _how(self) -> str:
        apart = [n - self.shared for n in self.topics]
        if not any(apart):
            return f"all {self.shared:,} shared, together"
        if not self.shared:
            return f"{self.topics[0]:,} and {self.topics[1]:,}, none shared, apart"
        return f"{self.shared:,} shared, together; {apart[0]:,} only in the estimate and {apart[1]:,} only in the truth, apart"

    def columns(self) -> dict[str, Any]:
        return {
            "group": list(self.groups),
            "systems": list(self.members),
            "shift": self.shift,
            "low": self.low,
            "high": self.high,
        }

    def plot(self) -> Any:
        """One bar a group; the rule marks no shift."""
        from ..figures import spans

        return spans(self.groups, self.low, self.high, self.shift, x="ranks gained under the estimate",
                     title="Mean ranks gained, by group", mark=0.0)  # fmt: skip


def rank_shifts(
    estimate: Scores,
    *unnamed: Any,
    truth: Scores | None = None,
    groups: Mapping[str, str] | None = None,
    level: float = 0.95,
    rng: Rng = 0,
) -> RankShifts:
    """Does the estimate lift a group of systems: those of its own kind, say?

    shift = mean over the systems of a group of (rank in the truth - rank in the estimate), ranks of the means, ties at mid-rank.
    Interval: shift ± t_{n-s} * se, se the standard deviation of the shift over resamples of the topics times sqrt(n/(n-s)), n the
    topics of the smaller side. Topics that both sides have, by their labels, are resampled together, the others apart: that
    makes s = 2 strata of a side that has both kinds, otherwise s = 1. All shifts, weighted by size, add up to 0: where one group
    rises others fall. Do not use it to look for groups: name them before you look.

    groups: system -> group, for every system.

    >>> human = Scores([[0.9, 0.8, 0.1, 0.2]] * 3, systems=list("abcd"))
    >>> judge = Scores([[0.2, 0.1, 0.8, 0.9]] * 3, systems=list("abcd"))
    >>> rank_shifts(judge, truth=human, groups={"a": "old", "b": "old", "c": "new", "d": "new"}, rng=1).shift.tolist()
    [2.0, -2.0]
    """
    if unnamed or truth is None:
        raise CallError(
            "rank_shifts() wants to know which scores are the truth: rank_shifts(estimate, truth=…, groups=…)."
        )
    if not isinstance(groups, Mapping):
        raise CallError(
            f"rank_shifts() wants the group of every system, groups={{system: group, …}}; it got {'none' if groups is None else type(groups).__name__}."
        )
    for scores, name in ((estimate, "estimate"), (truth, "truth")):
        if not isinstance(scores, Scores):
            raise CallError(
                f"rank_shifts() takes Scores, topics x systems; `{name}` is of type {type(scores).__name__}."
            )
        scores.require_complete(f"rank_shifts(), `{name}`")
    if set(estimate.systems) != set(truth.systems):
        raise TauscopeError(
            "rank_shifts() needs the same systems in both. Select those that both have with .select(systems=…)."
        )
    without = [system for system in truth.systems if system not in groups]
    if without:
        raise TauscopeError(
            f"{count(len(without), 'system')} {'has' if len(without) == 1 else 'have'} no group: {shown(without)}."
        )
    estimate = estimate.select(systems=truth.systems)
    seed = remembered(rng)
    names = list(dict.fromkeys(groups[system] for system in truth.systems))
    member = np.zeros((len(truth.systems), len(names)))
    for place, system in enumerate(truth.systems):
        member[place, names.index(groups[system])] = 1.0
    sizes = member.sum(axis=0)
    value = (_ranks(truth.means()[None]) - _ranks(estimate.means()[None])) @ member / sizes
    generator = stream(seed, Stream.SHIFTS)
    joint = join((estimate, truth), generator)
    deviation, freedom = _deviation(joint, member / sizes, generator)
    reach = _t(freedom, checking.level(level)) * deviation
    order = np.argsort(-value[0], kind="stable")
    return RankShifts(
        tuple(names[i] for i in order), tuple(int(sizes[i]) for i in order), value[0][order], (value[0] - reach)[order],
        (value[0] + reach)[order], level, seed, (len(estimate.topics), len(truth.topics)), joint.shared,
    )  # fmt: skip


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


@dataclass(frozen=True, eq=False, repr=False)
class ScoreBias(Result):
    """How much higher one scores than the other: `bias` (estimate - truth) with its interval over topics, `rmse` of single
    scores and `rmse_means` of the systems' means."""

    bias: float
    low: float
    high: float
    rmse: float
    rmse_means: float
    level: float
    systems: int
    topics: int
    dropped: tuple[str, ...] = ()

    def lines(self) -> list[str]:
        left = f"; {len(self.dropped):,} on one side only left out" if self.dropped else ""
        return [
            f"Bias {number(self.bias, 4)} [{number(self.low, 4)}, {number(self.high, 4)}], RMSE {number(self.rmse, 4)} of single scores "
            f"and {number(self.rmse_means, 4)} of means   {count(self.systems, 'system')} x {count(self.topics, 'topic')}",
            f"estimate - truth; {self.level * 100:g} % t-interval over {word('topics')}{left}",
        ]

    def columns(self) -> dict[str, Any]:
        return {
            name: [getattr(self, name)]
            for name in ("bias", "low", "high", "rmse", "rmse_means", "level", "systems", "topics")
        }


def score_bias(estimate: Scores, *unnamed: Any, truth: Scores | None = None, level: float = 0.95) -> ScoreBias:
    """Does the estimate score higher or lower than the truth, and by how much does it miss?

    bias = mean of estimate - truth over the topics and systems that both have, with Student's interval over topics; RMSE of the
    single scores, and of the means of the systems. A bias that all systems share moves no rank.
    Do not use it for scores on different scales.

    >>> score_bias(Scores([[0.5, 0.4], [0.7, 0.4]]), truth=Scores([[0.4, 0.3], [0.5, 0.2]])).bias.__round__(3)
    0.15
    """
    if unnamed or truth is None:
        raise CallError("score_bias() wants to know which scores are the truth: score_bias(estimate, truth=…).")
    one, two, dropped = matched(estimate, truth, "drop")
    difference, unit = _differences(one.values, two.values)
    by_topic = difference.mean(axis=1)
    n = len(by_topic)
    reach = _t(n - 1, checking.level(level)) * float(by_topic.std(ddof=1)) / math.sqrt(n) if n > 1 else math.nan
    bias = float(by_topic.mean())
    rmse = math.sqrt(float((difference**2).mean()))
    of_means = math.sqrt(float((difference.mean(axis=0) ** 2).mean()))
    bias, low, high, rmse, of_means = (v * unit for v in (bias, bias - reach, bias + reach, rmse, of_means))
    return ScoreBias(bias, low, high, rmse, of_means, level, len(one.systems), n, dropped)


def _differences(estimate: Floats, truth: Floats) -> tuple[Floats, float]:
    """estimate - truth times a power of two that keeps squares finite, and what undoes it."""
    both = np.concatenate([estimate.reshape(-1), truth.reshape(-1)])
    scaled = rankings.unit(both)
    largest = int(np.argmax(np.abs(both)))
    unit = float(both[largest] / scaled[largest]) if scaled[largest] else 1.0
    return (scaled[: estimate.size] - scaled[estimate.size :]).reshape(estimate.shape), unit
