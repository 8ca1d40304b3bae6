"""A leaderboard with holes: two systems are compared on the topics that both have."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..errors import CallError, TauscopeError
from ..reference import Ints, midranks
from ..results import Result, count, number, word
from ..scores import Scores
from ..ties import Floats, snap
from .intervals import check_level
from .observed import FLOOR, Bools


@dataclass(frozen=True, eq=False, repr=False)
class PartialRanking(Result):
    """A ranking by means over the topics that each system has, and what pairs say on the topics that both have.

    Best observed system first. `probabilities[i, j]`: chance that i and j are really in the other order, NaN where they share
    fewer than two topics (`unknown` pairs); `shared`: topics in common. `low`, `high`: ranks that could be true, all at once.
    """

    systems: tuple[str, ...]
    means: Floats
    rank: Floats
    low: Ints
    high: Ints
    tiers: tuple[tuple[str, ...], ...]
    probabilities: Floats
    shared: Ints
    reliability: float
    level: float
    topics: int
    holes: int

    @property
    def _pairs(self) -> Floats:
        return self.probabilities[np.triu_indices(len(self.systems), 1)]

    @property
    def unknown(self) -> int:
        """Pairs that share fewer than two topics."""
        return int(np.isnan(self._pairs).sum())

    @property
    def expected_tau(self) -> float:
        """1 - 2 * mean swap probability (urbano2016 eq. 3) over the pairs that are known."""
        known = self._pairs[~np.isnan(self._pairs)]
        return 1 - 2 * float(known.mean()) if len(known) else math.nan

    @property
    def against_means(self) -> int:
        """Pairs that the shared topics put in the other order than the means."""
        return int((self._pairs > 0.5).sum())

    def lines(self) -> list[str]:
        cells = self.topics * len(self.systems)
        first = "; ".join(f"{s} {a}–{b}" for s, a, b in zip(self.systems[:6], self.low, self.high, strict=False))
        unknown = f", {count(self.unknown, 'pair')} with fewer than two in common left out" if self.unknown else ""
        return [
            f"E[tau] = {number(self.expected_tau)}   {count(len(self.systems), 'system')} x {count(self.topics, 'topic')}, "
            f"{self.holes:,} of {cells:,} cells missing; {count(len(self.tiers), 'tier')}",
            f"ranks ({self.level * 100:g} %, all at once): {first}{'; …' if len(self.systems) > 6 else ''}",
            f"pairs on the {word('topics')} that both have{unknown}; gaps shrunk by reliability {number(self.reliability)}, Student's t, Holm",
        ]

    def columns(self) -> dict[str, Any]:
        tier = {system: k for k, tier in enumerate(self.tiers, start=1) for system in tier}
        return {"system": list(self.systems), "mean": self.means, "rank": self.rank, "low": self.low, "high": self.high,
                "tier": [tier[system] for system in self.systems]}  # fmt: skip

    def to_dict(self) -> dict[str, Any]:
        from ..results import plain

        flat = {"systems": self.systems, "means": self.means, "rank": self.rank, "low": self.low, "high": self.high, "tiers": self.tiers,
                "expected_tau": self.expected_tau, "unknown_pairs": self.unknown, "against_means": self.against_means,
                "reliability": self.reliability, "level": self.level, "topics": self.topics, "holes": self.holes}  # fmt: skip
        return {key: plain(value) for key, value in flat.items()}

    def cited(self) -> tuple[str, ...]:
        return ("urbano2016", "mogstad2024")

    def plot(self) -> Any:
        """One bar a system, from its best to its worst rank."""
        from ..figures import spans

        return spans(self.systems, self.low, self.high, self.rank, x="rank", title=self.lines()[0])


def partial_ranking(scores: Scores, *, level: float = 0.95) -> PartialRanking:
    """Which ranks could the systems of a leaderboard with missing cells really have?

    Systems are ordered by the mean over the topics they have. For each pair d and s are mean and standard deviation of their
    differences over the k topics that both have: p = T_{k-1}(-sqrt(k g) d/s), g the reliability of the means. Significant is what
    Holm's step-down leaves of two-sided t-tests of all pairs; ranks from 1 + the systems significantly better to m - those
    significantly worse. Tied means have p = 1/2. Pairs with fewer than two topics in common are unknown, and say nothing.
    With no cell missing use `rank_intervals()` and `tiers()`: max-t is stronger than Holm. Do not use it where cells are
    missing because systems would do badly there.

    >>> board = Scores([[0.9, 0.5, None], [0.8, 0.4, 0.3], [0.9, 0.6, 0.2], [0.8, None, 0.3]], missing="keep")
    >>> partial_ranking(board).shared.tolist()
    [[4, 3, 3], [3, 3, 2], [3, 2, 3]]
    """
    if not isinstance(scores, Scores):
        raise CallError(f"partial_ranking() takes Scores, topics x systems, not {type(scores).__name__}.")
    n, m = scores.shape
    if m < 2 or n < 2:
        raise TauscopeError(f"partial_ranking() needs at least two systems and two topics; there are {m} and {n}.")
    check_level(level)
    means, _ = snap(np.array(scores.means()))
    order = np.argsort(-means, kind="stable")
    x = scores.values[:, order]
    shared, gap, deviation = _differences(x)
    g = _reliability(x)
    t = _statistics(shared, gap, deviation)
    better = _holm(t, shared, level)
    tied = means[order][:, None] == means[order][None, :]
    return PartialRanking(
        tuple(scores.systems[i] for i in order), means[order], midranks(-means[order]) + 1, 1 + better.sum(axis=0), m - better.sum(axis=1),
        _tiers(better, [scores.systems[i] for i in order]), _swaps(t * math.sqrt(g), shared, tied), shared, g, level, n, scores.holes,
    )  # fmt: skip


def _differences(x: Floats) -> tuple[Ints, Floats, Floats]:
    """Of every pair: topics that both have, mean and standard deviation of first - second over them."""
    known = ~np.isnan(x)
    o = known.astype(np.float64)
    topic = np.where(known, x, 0.0).sum(axis=1) / np.maximum(known.sum(axis=1), 1)
    c = np.where(known, x - topic[:, None], 0.0)  # without topic means: sums of squares do not cancel
    shared = o.T @ o
    sums, squares, products = c.T @ o, (c * c).T @ o, c.T @ c
    with np.errstate(invalid="ignore", divide="ignore"):
        gap = (sums - sums.T) / shared
        variance = (squares + squares.T - 2 * products - shared * gap**2) / (shared - 1)
    few = shared < 2
    gap[few] = np.nan
    scale = float(np.abs(c).max())
    deviation = np.sqrt(np.where(few, np.nan, np.maximum(variance, 0.0)))
    return shared.astype(np.int64), gap, np.where(deviation <= 1e-7 * scale, 0.0, deviation)


def _reliability(x: Floats) -> float:
    """g = 1 - mean error variance of the means / their variance, each over the topics a system has; at least 0.05."""
    known = ~np.isnan(x)
    sizes = known.sum(axis=0)
    topic = np.where(known, x, 0.0).sum(axis=1) / np.maximum(known.sum(axis=1), 1)
    c = np.where(known, x - topic[:, None], 0.0)
    a = c.sum(axis=0) / np.maximum(sizes, 1)
    residual = np.where(known, c - a, 0.0)
    error = (residual**2).sum(axis=0) / np.maximum(sizes - 1, 1) / np.maximum(sizes, 1)
    spread = float(((a - a.mean()) ** 2).sum())
    return max(FLOOR, 1 - float(error.sum()) / spread) if spread > 0 else FLOOR


def _statistics(shared: Ints, gap: Floats, deviation: Floats) -> Floats:
    """t of first - second; infinite for a constant difference, 0 where there is none."""
    constant = np.where(np.isnan(gap), np.nan, np.where(np.abs(gap) > 1e-12, np.copysign(np.inf, gap), 0.0))
    return np.divide(gap * np.sqrt(shared), deviation, out=constant, where=deviation > 0)


def _swaps(t: Floats, shared: Ints, tied: Bools) -> Floats:
    """T_{k-1}(-t) for the observed order: rows above columns in the upper triangle, symmetric."""
    from scipy.special import stdtr

    freedom = np.maximum(shared - 1, 1)
    upper = np.triu(np.ones(t.shape, bool), 1)
    chance = np.where(upper, stdtr(freedom, -t), 0.0)
    chance[upper & (t == np.inf)] = 0.0
    chance[upper & (t == -np.inf)] = 1.0
    chance[upper & tied] = 0.5
    chance[upper & (shared < 2)] = np.nan
    return np.asarray(np.where(upper, chance, chance.T) * (1 - np.eye(len(t))))


def _holm(t: Floats, shared: Ints, level: float) -> Bools:
    """systems x systems: whether i is better than j, all such statements right at once."""
    from scipy.special import stdtr

    m = len(t)
    first, second = np.triu_indices(m, 1)
    own = t[first, second]
    known = np.flatnonzero(~np.isnan(own))
    p = 2 * stdtr(np.maximum(shared[first, second][known] - 1, 1), -np.abs(own[known]))
    order = np.argsort(p, kind="stable")
    limits = (1 - level) / (len(p) - np.arange(len(p)))
    passed = np.logical_and.accumulate(p[order] <= limits)
    rejected = known[order[passed]]
    better = np.zeros((m, m), bool)
    wins = own[rejected] > 0
    better[first[rejected[wins]], second[rejected[wins]]] = True
    better[second[rejected[~wins]], first[rejected[~wins]]] = True
    return better


def _tiers(better: Bools, names: list[str]) -> tuple[tuple[str, ...], ...]:
    """As `tiers()`: the leader and all not significantly worse, then the same of the others."""
    left, found = list(range(len(names))), []
    while left:
        worse = better[left[0]]
        found.append(tuple(names[i] for i in left if not worse[i]))
        left = [i for i in left if worse[i]]
    return tuple(found)
