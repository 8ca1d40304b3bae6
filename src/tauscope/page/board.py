"""`Board`: what may be printed beside each score, whatever the scores were made from."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from ..arrays import Floats, Ints
from ..expected.board_ranks import BoardRanks


@dataclass(frozen=True, kw_only=True, eq=False)
class Board:
    """Systems, best first, with scores and their errors, the ranks they could have, tiers, and the possible bests."""

    systems: tuple[str, ...]
    scores: Floats
    errors: Floats
    rank: Floats
    low: Ints
    high: Ints
    tiers: tuple[tuple[str, ...], ...]
    #: None where that was not looked for.
    best: tuple[str, ...] | None
    #: How many of the neighbours are told apart, each pair taken alone.
    apart: int
    #: How many topics, or votes, each system has; None where all have all.
    covered: Ints | None
    #: How many topics there are, or votes in all; 0 where that is not known.
    topics: int
    expected_tau: float
    interval: tuple[float, float] | None
    level: float
    #: What scores are, what `covered` counts, and what errors are taken to be.
    score: str
    counts: str
    assumes: str

    @property
    def pairs(self) -> int:
        """How many neighbours there are."""
        return len(self.systems) - 1

    @property
    def tier(self) -> dict[str, int]:
        """The number of each system's tier."""
        return tier_of(self.tiers)


def tier_of(tiers: Iterable[Iterable[str]]) -> dict[str, int]:
    """The number of each system's tier."""
    return {system: number for number, tier in enumerate(tiers, start=1) for system in tier}


def board_of_ranks(found: BoardRanks, covered: Ints | None, *, score: str, counts: str) -> Board:
    """A board of strengths in an arena, or of published scores with errors."""
    return Board(
        systems=found.systems,
        scores=found.scores,
        errors=found.errors,
        rank=found.rank,
        low=found.low,
        high=found.high,
        tiers=found.tiers,
        best=found.best,
        apart=found.told_apart,
        covered=covered,
        topics=found.votes or 0,
        expected_tau=found.expected_tau,
        interval=found.tau_interval,
        level=found.level,
        score=score,
        counts=counts,
        assumes=found.assumes,
    )
