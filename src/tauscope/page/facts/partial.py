"""A board with missing cells: its ranks, and the chance that two systems are in the wrong order, for the page."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...arrays import Floats, Ints
from ...boards.ranks import Ranks, rank
from ...expected.paired import Paired, means_and_influence
from ...inference.observed import real_share
from ...inference.reliability import FLOOR
from ...results import plain, said
from ...scores import Scores


@dataclass(frozen=True, eq=False, kw_only=True)
class PartialRanking:
    """Ranks where cells are missing, and for each pair the chance that it is really in the other order (NaN where two
    systems share fewer than two topics), the topics in common, and how much of the spread of the means is real."""

    ranks: Ranks
    probabilities: Floats
    shared: Ints
    reliability: float
    identical: int
    undefined_because: str | None

    @property
    def systems(self) -> tuple[str, ...]:
        return self.ranks.systems

    @property
    def level(self) -> float:
        return self.ranks.level

    @property
    def tiers(self) -> tuple[tuple[str, ...], ...]:
        return self.ranks.tiers

    @property
    def _pairs(self) -> Floats:
        return self.probabilities[np.triu_indices(len(self.systems), 1)]

    @property
    def unknown(self) -> int:
        """How many pairs share fewer than two topics: they say nothing, and are left out."""
        return int(np.isnan(self._pairs).sum())

    @property
    def expected_tau(self) -> float:
        """The expected tau with the true ranking, 1 - 2 * mean swap probability over the known pairs."""
        return math.nan if self.undefined_because else 1 - 2 * float(np.nanmean(self._pairs))

    @property
    def against_means(self) -> int:
        """How many pairs the shared topics put in the other order than the means: swap probabilities above 1/2."""
        return int((self._pairs > 0.5).sum())

    def lines(self) -> list[str]:
        return self.ranks.lines()

    def methods_sentence(self) -> str:
        return self.ranks.methods_sentence()

    def cited(self) -> tuple[str, ...]:
        return ("urbano2016", *self.ranks.cited())

    def to_dict(self) -> dict[str, Any]:
        names = ("expected_tau", "undefined_because", "reliability", "against_means")
        more = {"unknown_pairs": self.unknown, "identical_pairs": self.identical}
        return self.ranks.to_dict() | {name: plain(getattr(self, name)) for name in names} | more


def partial_ranking(scores: Scores, *, level: float, seed: int) -> PartialRanking:
    """Rank a board with missing cells, and compare pairs on the topics that both have."""
    ranks = rank(scores, level=level, rng=seed)
    paired = Paired.of(scores)
    place = {name: i for i, name in enumerate(paired.names)}
    at = np.array([place[name] for name in ranks.systems])
    swaps = paired.swaps()[np.ix_(at, at)]
    turned = at[:, None] > at[None, :]  # of pairs that the adjusted means have in the other order
    chances = np.where(np.triu(turned, 1) | np.tril(turned.T, -1), 1 - swaps, swaps)
    m = len(at)
    alike = int(paired.identical[np.triu_indices(m, 1)].sum())
    return PartialRanking(
        ranks=ranks,
        probabilities=chances,
        shared=paired.shared[np.ix_(at, at)],
        reliability=_one_reliability(paired.x, *means_and_influence(paired.x)),
        identical=alike,
        undefined_because=_hopeless(m, alike, chances),
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
