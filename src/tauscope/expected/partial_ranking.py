"""`partial_ranking()`: a leaderboard with missing cells, two systems compared on the topics that both have."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from .. import checking
from ..arrays import Bools, Floats, Ints, product
from ..files.door import ScoresLike, takes_scores
from ..reference.rankings import midranks
from ..results import Result, count, number, plain, said, word
from ..scores import Scores
from ..scores.additive import RestsOn
from ..scores.alignment import refuse_clusters, require_one_scale, require_type
from ..scores.labelled import mean_over
from ..significance.corrections import holm, rejected
from ..significance.few_topics import require_two
from ..significance.observed import near_one, real_share
from ..significance.reliability import FLOOR, LocalReliability
from ..ties import SNAP, snap
from .from_tests import ranks_from, tiers_of
from .methods.shrunk import confidences


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class PartialRanking(Result):
    """A ranking by means over the topics that each system has, and what pairs say on the topics that both have.

    Parameters
    ----------
    systems : tuple of str
        The systems, the one with the highest mean first.
    means : ndarray
        Means over the topics that each system has.
    rank : ndarray
        Their ranks, mid-ranks where means are equal.
    low, high : ndarray
        The ranks that could be true, all at once.
    tiers : tuple of tuple of str
        Tiers, as in `tiers()`.
    probabilities : ndarray
        systems x systems: the chance that two are really in the other order, NaN where they share fewer than two
        topics.
    shared : ndarray
        systems x systems: topics in common.
    reliability : float
        How much of the spread of the means is real (g).
    level : float
        Confidence.
    topics : int
        How many topics there are.
    holes : int
        How many cells are missing.
    identical : int
        Pairs with the same scores on the same topics, counted as in order.
    undefined_because : str or None
        Why there is no expected tau.
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
    identical: int = 0
    undefined_because: str | None = None

    @property
    def _pairs(self) -> Floats:
        return self.probabilities[np.triu_indices(len(self.systems), 1)]

    @property
    def unknown(self) -> int:
        """How many pairs share fewer than two topics: they say nothing, and are left out."""
        return int(np.isnan(self._pairs).sum())

    @property
    def expected_tau(self) -> float:
        """The expected tau with the true ranking, 1 - 2 * mean swap probability over the known pairs (urbano2016 eq. 3)."""
        if self.undefined_because is not None:
            return math.nan
        return 1 - 2 * float(self._pairs[~np.isnan(self._pairs)].mean())

    @property
    def against_means(self) -> int:
        """How many pairs the shared topics put in the other order than the means: swap probabilities above 1/2."""
        return int((self._pairs > 0.5).sum())

    def lines(self) -> list[str]:
        cells = self.topics * len(self.systems)
        first = "; ".join(f"{s} {a}–{b}" for s, a, b in zip(self.systems[:6], self.low, self.high, strict=False))
        unknown = f", {count(self.unknown, 'pair')} with fewer than two in common left out" if self.unknown else ""
        unknown += f", {self._alike()}" if self.identical else ""
        size = f"{count(len(self.systems), 'system')} x {count(self.topics, 'topic')}"
        size += f", {self.holes:,} of {cells:,} cells missing"
        if self.undefined_because is not None:
            return [f"E[tau] is undefined   {size}", f"because {self.undefined_because}"]
        return [
            f"E[tau] = {number(self.expected_tau)}   {size}; {count(len(self.tiers), 'tier')}",
            f"ranks ({self.level * 100:g} %, all at once): {first}{'; …' if len(self.systems) > 6 else ''}",
            f"pairs on the {word('topics')} that both have{unknown}; gaps shrunk by reliability "
            f"{number(self.reliability)}, Student's t, Holm",
        ]

    def _alike(self) -> str:
        return f"{count(self.identical, 'pair')} of identical {word('systems')} counted as in order"

    def columns(self) -> dict[str, Any]:
        tier = {system: k for k, tier in enumerate(self.tiers, start=1) for system in tier}
        return {
            "system": list(self.systems),
            "mean": self.means,
            "rank": self.rank,
            "low": self.low,
            "high": self.high,
            "tier": [tier[system] for system in self.systems],
        }

    def to_dict(self) -> dict[str, Any]:
        counted = {
            "unknown_pairs": self.unknown,
            "against_means": self.against_means,
            "identical_pairs": self.identical,
        }
        own = ("systems", "means", "rank", "low", "high", "tiers", "expected_tau", "undefined_because", "reliability")
        found = {name: getattr(self, name) for name in (*own, "level", "topics", "holes")} | counted
        return {key: plain(value) for key, value in found.items()}

    def cited(self) -> tuple[str, ...]:
        return ("urbano2016", "mogstad2024")

    def plot(self) -> Any:
        """One bar per system, from its best to its worst rank."""
        from ..figures import spans

        return spans(self.systems, self.low, self.high, self.rank, x="rank", title=self.lines()[0])


@takes_scores("scores")
def partial_ranking(scores: ScoresLike, *, level: float = 0.95) -> PartialRanking:
    """Which ranks could the systems of a leaderboard with missing cells really have?

    Systems are ordered by the mean over the topics they have. For each pair d and s are mean and standard deviation of
    their differences over the k topics that both have: p = T_{k-1}(-sqrt(k g) d/s), g the reliability of the means
    as in `expected_correlation()`, and at least 2^-j, j the topics on which the two differ: half of what a sign test
    could reach. Significant is what
    Holm's step-down leaves of two-sided t-tests of all pairs, none with a p-value below 2^(1-j): two topics of 1
    against 0 prove nothing. Ranks go from 1 + the systems significantly better to m - those significantly worse.

    Tied means have p = 1/2, identical systems 0, and the result says so. Pairs with fewer than two topics in common are
    unknown, and say nothing. With no cell missing use `rank_intervals()` and `tiers()`: max-t is stronger than Holm. Do
    not use it where cells are missing because systems would do badly there.

    Parameters
    ----------
    scores : Scores, or what read_scores() takes
        One row per topic, one column per system; made with missing="keep" where cells are missing.
    level : float, default 0.95
        Confidence that all ranks are right at once.

    Returns
    -------
    PartialRanking
        Ranks, tiers, swap probabilities and the expected tau.

    Raises
    ------
    CallError
        Where something else than `Scores` is given.
    TauscopeError
        Where there are fewer than two systems or topics, or topics are on different scales.

    Examples
    --------
    >>> from tauscope import Scores
    >>> board = Scores([[0.9, 0.5, None], [0.8, 0.4, 0.3], [0.9, 0.6, 0.2], [0.8, None, 0.3]], missing="keep")
    >>> partial_ranking(board).shared.tolist()
    [[4, 3, 3], [3, 3, 2], [3, 2, 3]]
    """
    require_type(scores, "partial_ranking()")
    refuse_clusters(scores, "partial_ranking()")
    require_one_scale(scores, "partial_ranking()")
    n, m = scores.shape
    require_two("partial_ranking()", m, n)
    level = checking.level(level)
    paired = Paired.of(scores)
    swaps = paired.swaps()
    better = paired.better(level)
    alike = int(paired.identical[np.triu_indices(m, 1)].sum())
    low, high = ranks_from(better)
    return PartialRanking(
        systems=tuple(paired.names),
        means=paired.means * paired.unit,
        rank=midranks(-paired.means) + 1,
        low=low,
        high=high,
        tiers=tiers_of(better, paired.names),
        probabilities=swaps,
        shared=paired.shared,
        reliability=_one_reliability(paired.x, *means_and_influence(paired.x)),
        undefined_because=_hopeless(m, alike, swaps),
        level=level,
        topics=n,
        holes=scores.holes,
        identical=alike,
    )


@dataclass(frozen=True, eq=False, kw_only=True)
class Paired:
    """Every two systems on the topics that both have, best first: topics in common, t and two-sided p-values."""

    names: list[str]
    x: Floats
    means: Floats
    unit: float
    shared: Ints
    differing: Ints
    identical: Bools
    t: Floats
    p: Floats

    @classmethod
    def of(cls, scores: Scores) -> Paired:
        """From scores with holes; the order is that of the means over the topics that each system has."""
        x, unit = _scaled(scores.values)
        means, _ = snap(mean_over(x, 0))
        order = np.argsort(-means, kind="stable")
        x, means = x[:, order], means[order]
        tolerance = SNAP * float(np.nanmax(np.abs(x)))
        shared, gap, deviation = _differences(x)
        differing, identical = _differing(x, tolerance)
        t = _statistics(shared, gap, deviation, tolerance)
        return cls(
            names=[scores.systems[i] for i in order],
            x=x,
            means=means,
            unit=unit,
            shared=shared,
            differing=differing,
            identical=identical,
            t=t,
            p=_pvalues(t, shared, differing),
        )

    def better(self, level: float) -> Bools:
        """systems x systems: whether i is better than j, all such statements right at once (Holm)."""
        return _significantly_better(self.t, self.p, level)

    def apart_from_each(self, level: float) -> Bools:
        """In row i, which systems differ from i, all statements about i right at once (Holm)."""
        apart = np.zeros(self.t.shape, bool)
        for i, own in enumerate(self.p):
            known = np.flatnonzero(~np.isnan(own) & (np.arange(len(own)) != i))
            apart[i, known] = rejected(holm(own[known]), 1 - level)
        return np.asarray(apart & ~(self.t == 0))

    def not_exceeded(self, level: float) -> Bools:
        """Systems that no other one exceeds beyond chance: the one-sided p-values of the others, times their number."""
        one_sided = np.where(self.t.T > 0, self.p / 2, 1 - self.p / 2)  # of "column is better than row"
        np.fill_diagonal(one_sided, 1.0)
        known = (~np.isnan(one_sided)).sum(axis=1) - 1
        least = np.nanmin(one_sided, axis=1)
        return np.asarray(~rejected(np.minimum(1.0, least * np.maximum(known, 1)), 1 - level))

    def swaps(self) -> Floats:
        """Swap probabilities of the pairs, NaN where fewer than two topics are shared."""
        local = LocalReliability.of(*means_and_influence(self.x))
        tails = _shrunk_tails(self.t, self.shared, local)
        tied = self.means[:, None] == self.means[None, :]
        return _swaps(self.t, tails, self.shared, self.differing, tied, self.identical)

    def rests_on(self) -> RestsOn:
        """How many cells the pairs rest on."""
        pairs = self.shared[np.triu_indices(len(self.names), 1)]
        return RestsOn(
            missing=int(np.isnan(self.x).sum()),
            cells=self.x.size,
            fewest=int(pairs.min()),
            median=float(np.median(pairs)),
            unit=f"{word('topics')} in common",
            rule=f"in the order of means over the {word('topics')} that each has, "
            f"pairs on the {word('topics')} that both have (paired t-tests, Holm)",
        )


def _scaled(values: Floats) -> tuple[Floats, float]:
    """Scores times a power of two that keeps their squares finite, and what undoes it; holes stay."""
    known = ~np.isnan(values)
    scaled, unit = near_one(np.where(known, values, 0.0))
    return np.where(known, scaled, np.nan), unit


def _hopeless(m: int, identical: int, swaps: Floats) -> str | None:
    """Why there is no expected tau, or None."""
    if identical == m * (m - 1) // 2:
        return said(f"all {m} systems have the same scores on every topic")
    if np.isnan(swaps[np.triu_indices(m, 1)]).all():
        return said("no two systems share two topics")
    return None


def _differences(x: Floats) -> tuple[Ints, Floats, Floats]:
    """Of every pair: topics that both have, mean and standard deviation of first - second over them."""
    known = ~np.isnan(x)
    o = known.astype(np.float64)
    topic = np.where(known, x, 0.0).sum(axis=1) / np.maximum(known.sum(axis=1), 1)
    c = np.where(known, x - topic[:, None], 0.0)  # without topic means: sums of squares do not cancel
    shared = product(o.T, o)
    sums, squares, products = product(c.T, o), product((c * c).T, o), product(c.T, c)
    with np.errstate(invalid="ignore", divide="ignore"):
        gap = (sums - sums.T) / shared
        variance = (squares + squares.T - 2 * products - shared * gap**2) / (shared - 1)
    few = shared < 2
    gap[few] = np.nan
    scale = float(np.abs(c).max())
    deviation = np.sqrt(np.where(few, np.nan, np.maximum(variance, 0.0)))
    return shared.astype(np.int64), gap, np.where(deviation <= 1e-7 * scale, 0.0, deviation)


def _differing(x: Floats, tolerance: float) -> tuple[Ints, Bools]:
    """Of every pair: shared topics on which the two differ, and whether they have the same scores everywhere."""
    m = x.shape[1]
    known = ~np.isnan(x)
    differing = np.zeros((m, m), np.int64)
    identical = np.zeros((m, m), bool)
    for i in range(m):
        differing[i] = (np.abs(x - x[:, [i]]) > tolerance).sum(axis=0)  # a missing cell makes NaN, which is not greater
        identical[i] = (known == known[:, [i]]).all(axis=0) & (differing[i] == 0) & (known[:, i].sum() > 1)
    return differing, identical


def means_and_influence(x: Floats) -> tuple[Floats, Floats]:
    """As those of `Observed`, error variances and means each over the topics that a system has.

    One topic does not tell how a system varies: such systems vary from topic to topic as the others do on average.
    """
    known = ~np.isnan(x)
    sizes = known.sum(axis=0)
    topic = np.where(known, x, 0.0).sum(axis=1) / np.maximum(known.sum(axis=1), 1)
    c = np.where(known, x - topic[:, None], 0.0)
    a = c.sum(axis=0) / np.maximum(sizes, 1)
    residual = np.where(known, c - a, 0.0)
    several, once = sizes > 1, sizes == 1
    if several.any():
        variance = (residual[:, several] ** 2).sum(axis=0) / (sizes[several] - 1)
        residual[known & once] = math.sqrt(float(variance.mean()))
    influence = residual / np.sqrt(np.maximum(sizes * (sizes - 1.0), 1.0))
    return np.where(sizes > 0, a, 0.0), influence


def _one_reliability(x: Floats, means: Floats, influence: Floats) -> float:
    """g of all systems that have a topic together, at least 0.05."""
    some = ~np.isnan(x).all(axis=0)
    error = float((influence**2).sum())
    spread = float(((means[some] - means[some].mean()) ** 2).sum())
    return max(FLOOR, float(real_share(error, spread))) if spread > 0 and error > 0 else FLOOR


def _statistics(shared: Ints, gap: Floats, deviation: Floats, tolerance: float) -> Floats:
    """t of first - second; infinite for a constant difference, 0 where there is none."""
    constant = np.where(np.isnan(gap), np.nan, np.where(np.abs(gap) > tolerance, np.copysign(np.inf, gap), 0.0))
    return np.divide(gap * np.sqrt(shared), deviation, out=constant, where=deviation > 0)


def _tail(t: Floats, shared: Ints) -> Floats:
    """T_{k-1}(-|t|), NaN where t is."""
    from scipy.special import stdtr

    return np.where(np.isinf(t), 0.0, stdtr(np.maximum(shared - 1, 1), -np.abs(t)))


def _pvalues(t: Floats, shared: Ints, differing: Ints) -> Floats:
    """Two-sided, and never below what a sign test of as many topics could reach: few topics of 0 and 1 often differ
    alike.
    """
    least = np.where(differing > 0, np.exp2(1.0 - differing), 1.0)
    return np.where(np.isnan(t), np.nan, np.maximum(2 * _tail(t, shared), least))


def _shrunk_tails(t: Floats, shared: Ints, local: LocalReliability) -> Floats:
    """T_{k-1}(-sqrt(g) |t|), averaged over the reliabilities that a pair could have."""
    pairs = np.triu_indices(len(t), 1)
    tails = np.zeros(len(pairs[0]))
    for weight, g in local.terms(confidences(len(tails)), pairs):
        tails += weight * _tail(t[pairs] * math.sqrt(g), shared[pairs])
    found = np.zeros(t.shape)
    found[pairs] = tails
    return found + found.T


def _swaps(t: Floats, tails: Floats, shared: Ints, differing: Ints, tied: Bools, identical: Bools) -> Floats:
    """Tails for the observed order: rows above columns in the upper triangle, symmetric."""
    upper = np.triu(np.ones(t.shape, bool), 1)
    against = np.maximum(tails, np.exp2(-np.maximum(differing, 1.0)))
    chance = np.where(upper, np.where(t >= 0, against, 1 - against), 0.0)
    chance[upper & tied] = 0.5
    chance[upper & identical] = 0.0
    chance[upper & (shared < 2)] = np.nan
    return np.asarray(np.where(upper, chance, chance.T) * (1 - np.eye(len(t))))


def _significantly_better(t: Floats, pvalues: Floats, level: float) -> Bools:
    """systems x systems: whether i is better than j, all such statements right at once (Holm)."""
    m = len(t)
    first, second = np.triu_indices(m, 1)
    own = t[first, second]
    known = np.flatnonzero(~np.isnan(own))
    found = known[rejected(holm(pvalues[first, second][known]), 1 - level)]
    wins = own[found] > 0
    better = np.zeros((m, m), bool)
    better[first[found[wins]], second[found[wins]]] = True
    better[second[found[~wins]], first[found[~wins]]] = True
    return better
