"""`Board`: what may be printed beside each score, whatever the scores were made from."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from ..arrays import Floats, Ints
from ..boards.ranks import Ranks

#: What every result about ranks calls alike.
_ALIKE = ("systems", "rank", "low", "high", "level")


@dataclass(frozen=True, kw_only=True, eq=False)
class Board:
    """Systems, best first, with scores and their errors, the ranks they could have, tiers, and the possible bests."""

    #: Best first.
    systems: tuple[str, ...]
    rank: Floats
    #: The ranks that each could have, for all of them at once.
    low: Ints
    high: Ints
    scores: Floats
    errors: Floats
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
    #: How many topics or votes there are, in words, where `topics` does not say it.
    size: str = ""

    @classmethod
    def of(cls, found: Any, **more: Any) -> Board:
        """From a result about ranks, and what is known besides."""
        return cls(**{name: getattr(found, name) for name in _ALIKE}, **more)

    @property
    def pairs(self) -> int:
        """How many neighbours there are."""
        return len(self.systems) - 1

    @property
    def alike(self) -> int:
        """How many of the neighbouring pairs cannot be told apart."""
        return self.pairs - self.apart

    @property
    def clear(self) -> bool:
        """Whether only one can be the best."""
        return self.best is not None and len(self.best) == 1

    @property
    def tier(self) -> dict[str, int]:
        """The number of each system's tier."""
        return tier_of(self.tiers)


def tier_of(tiers: Iterable[Iterable[str]]) -> dict[str, int]:
    """The number of each system's tier."""
    return {system: number for number, tier in enumerate(tiers, start=1) for system in tier}


def board_of_ranks(found: Ranks, assumes: str, covered: Ints | None, *, score: str, counts: str) -> Board:
    """A board of strengths in an arena, or of published scores with errors; its tiers follow the ranks."""
    tau = found.expected_tau()
    return Board.of(
        found,
        scores=found.scores,
        errors=found.errors,
        tiers=found.tiers,
        best=found.winners,
        apart=found.neighbours.significant_alone,
        covered=covered,
        topics=found.units if score != "estimate" else 0,
        expected_tau=tau.value,
        interval=(tau.low, tau.high),
        score=score,
        counts=counts,
        assumes=assumes,
    )
