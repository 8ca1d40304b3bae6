"""`partial_ranking()`: a leaderboard with missing cells, two systems compared on the topics that both have."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from .. import checking, papers
from ..arrays import Bools, Floats, Ints
from ..files.door import ScoresLike, takes_scores
from ..inference.few_topics import require_two
from ..inference.observed import real_share
from ..inference.reliability import FLOOR
from ..reference.rankings import midranks
from ..results import Result, count, number, plain, said, word
from ..scores.alignment import refuse_clusters, require_one_scale, require_type
from .from_tests import ranks_from, tiers_of
from .paired import Paired, means_and_influence


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
        Pairs with the same scores on the same topics, counted as undecided.
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
    _better: Bools = field(repr=False)

    @property
    def _pairs(self) -> Floats:
        return self.probabilities[np.triu_indices(len(self.systems), 1)]

    @property
    def unknown(self) -> int:
        """How many pairs share fewer than two topics: they say nothing, and are left out."""
        return int(np.isnan(self._pairs).sum())

    @property
    def expected_tau(self) -> float:
        """The expected tau with the true ranking, 1 - 2 * mean swap probability over the known pairs (urbano2016 eq.
        3)."""
        if self.undefined_because is not None:
            return math.nan
        return 1 - 2 * float(self._pairs[~np.isnan(self._pairs)].mean())

    @property
    def against_means(self) -> int:
        """How many pairs the shared topics put in the other order than the means: swap probabilities above 1/2."""
        return int((self._pairs > 0.5).sum())

    def with_contiguous_tiers(self) -> PartialRanking:
        """The same with tiers that follow the ranking, as `tiers(contiguous=True)` makes them.

        Returns
        -------
        PartialRanking
            Each tier ends at the last system that is not told apart from its first.
        """
        return replace(self, tiers=tiers_of(self._better, self.systems, contiguous=True))

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

    def methods_sentence(self) -> str:
        """The sentence a paper needs: how far a ranking with missing cells is known, and how pairs were compared.

        Returns
        -------
        str
            One sentence, with the missing cells, the level and what was left out.
        """
        size = (
            f"{count(len(self.systems), 'system')} over {count(self.topics, 'topic')}, {self.holes:,} of "
            f"{self.topics * len(self.systems):,} cells missing,"
        )
        if self.undefined_because is not None:
            return (
                f"The expected tau of the ranking of {size} with the true one is undefined: {self.undefined_because}."
            )
        unknown = f"; {count(self.unknown, 'pair')} with fewer than two in common left out" if self.unknown else ""
        unknown += f"; {self._alike()}" if self.identical else ""
        width = float((self.high - self.low + 1).mean())
        return (
            f"The expected tau of the ranking of {size} with the true one is {number(self.expected_tau)}, its ranks "
            f"have {self.level * 100:g} % intervals for all {word('systems')} at once, {width:.1f} ranks wide on "
            f"average, and there are {count(len(self.tiers), 'tier')} (pairs on the {word('topics')} that both have, "
            "cells taken as missing at random; two-sided paired t-tests with Holm's step-down, gaps shrunk by a "
            f"reliability of {number(self.reliability)}{unknown}; after {papers.short('urbano2016')} and "
            f"{papers.short('mogstad2024')})."
        )

    def _alike(self) -> str:
        return f"{count(self.identical, 'pair')} of identical {word('systems')} counted as undecided"

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
        found["methods_sentence"] = self.methods_sentence()
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

    Tied means and identical systems have p = 1/2, and the result says so. Pairs with fewer than two topics in common
    are unknown, and say nothing. With no cell missing use `rank_intervals()` and `tiers()`: max-t is stronger than
    Holm. Do not use it where cells are missing because systems would do badly there.

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
        means=scores.as_read(paired.means * paired.unit),
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
        _better=better,
    )


def _hopeless(m: int, identical: int, swaps: Floats) -> str | None:
    """Why there is no expected tau, or None."""
    if identical == m * (m - 1) // 2:
        return said(f"all {m} systems have the same scores on every topic")
    if np.isnan(swaps[np.triu_indices(m, 1)]).all():
        return said("no two systems share two topics")
    return None


def _one_reliability(x: Floats, means: Floats, influence: Floats) -> float:
    """g of all systems that have a topic together, at least 0.05."""
    some = ~np.isnan(x).all(axis=0)
    error = float((influence**2).sum())
    spread = float(((means[some] - means[some].mean()) ** 2).sum())
    return max(FLOOR, float(real_share(error, spread))) if spread > 0 and error > 0 else FLOOR
