"""Views of `Ranks` that are results of their own: the best set, the rank of one system, and neighbouring pairs."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Any, ClassVar

import numpy as np

from ..core.arrays import Bools, Floats
from ..results import Result, fact, per_row


class Best(Enum):
    """The verdict: whether the set has one system, several, or all of them."""

    ONE = "one"
    SEVERAL = "several"
    ALL = "all"


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class BestSet(Result):
    """A set of systems that contains each best one with confidence `level`; `len()` counts it, `in` looks one up.

    It answers one question, and is sharper than the possible winners of `Ranks`, which hold together with all other
    statements about ranks.

    Parameters
    ----------
    systems : tuple of str
        All systems, the best score first.
    scores, errors : array
        Their scores and standard errors.
    in_set : array of bool
        Whether a system is in the set.
    possible_winners : int
        Number of possible winners by the joint tests, for comparison.
    method, unit, units, seed, name, level
        As in `Ranks`.
    """

    QUESTION: ClassVar[str] = "best_set"
    PAPERS: ClassVar[tuple[str, ...]] = ("mogstad2024",)
    systems: tuple[str, ...] = per_row()
    scores: Floats = per_row()
    errors: Floats = per_row()
    in_set: Bools = per_row()
    possible_winners: int
    method: str
    unit: str
    units: int
    seed: int
    name: str

    @fact
    def members(self) -> tuple[str, ...]:
        """Systems of the set, the best score first."""
        return tuple(name for name, own in zip(self.systems, self.in_set, strict=True) if own)

    @fact
    def verdict(self) -> Best:
        """Whether the set has one system, several, or all of them."""
        if len(self.members) == 1:
            return Best.ONE
        return Best.ALL if len(self.members) == len(self.systems) else Best.SEVERAL

    def columns(self) -> dict[str, Any]:
        return {"system": list(self.systems), "score": self.scores, "error": self.errors, "in_set": self.in_set}

    def __len__(self) -> int:
        """Return the number of systems in the set."""
        return len(self.members)

    def __contains__(self, system: object) -> bool:
        return system in self.members


class Known(Enum):
    """The verdict: whether the data support one rank, several, or all of them."""

    ONE = "one"
    SEVERAL = "several"
    ALL = "all"


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class OneRank(Result):
    """The rank interval of one system that was chosen before looking at the data; it says nothing about the others.

    Parameters
    ----------
    system : str
        Its name.
    rank, low, high : int
        Observed rank, and the limits of its true rank.
    joint_low, joint_high : int
        Limits that hold for all systems together, which are wider.
    out_of : int
        Number of systems.
    method, unit, units, seed, name, level
        As in `Ranks`.
    """

    QUESTION: ClassVar[str] = "one_rank"
    PAPERS: ClassVar[tuple[str, ...]] = ("mogstad2024",)
    system: str
    rank: int
    low: int
    high: int
    joint_low: int
    joint_high: int
    out_of: int
    method: str
    unit: str
    units: int
    seed: int
    name: str

    @fact
    def verdict(self) -> Known:
        """Whether the data support one rank, several, or all of them."""
        if self.low == self.high:
            return Known.ONE
        return Known.ALL if (self.low, self.high) == (1, self.out_of) else Known.SEVERAL

    def columns(self) -> dict[str, Any]:
        names = ("system", "rank", "low", "high", "joint_low", "joint_high")
        return {name: [getattr(self, name)] for name in names}


class Separated(Enum):
    """The verdict: whether all neighbouring pairs differ significantly, some, or none."""

    ALL = "all"
    SOME = "some"
    NONE = "none"


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Neighbours(Result):
    """Each system beside the next one in the ranking, and whether the two differ significantly.

    Parameters
    ----------
    above, below : tuple of str
        The two systems of each pair.
    difference : array
        Absolute difference of their scores.
    p : array
        Two-sided p-value of the pair by itself, without a correction for the number of pairs; 1 for equal scores.
    significant : array of bool
        Whether the two differ with all pairs of systems tested jointly, as in `Ranks`.
    tied, identical : array of bool
        Whether the two have equal scores, and whether they have the same score on every topic.
    method, unit, units, name, level
        As in `Ranks`.
    """

    QUESTION: ClassVar[str] = "neighbours"
    PAPERS: ClassVar[tuple[str, ...]] = ("mogstad2024",)
    above: tuple[str, ...] = per_row()
    below: tuple[str, ...] = per_row()
    difference: Floats = per_row()
    p: Floats = per_row()
    significant: Bools = per_row()
    tied: Bools = per_row()
    identical: Bools = per_row()
    method: str
    unit: str
    units: int
    name: str

    def __len__(self) -> int:
        """Return the number of neighbouring pairs."""
        return len(self.above)

    @fact
    def significant_pairs(self) -> int:
        """Number of pairs that differ significantly with all pairs of systems tested jointly."""
        return int(self.significant.sum())

    @fact
    def significant_alone(self) -> int:
        """Number of pairs whose own p-value is below 1 - level, without a correction for the number of pairs."""
        return int((self.p < 1 - self.level).sum())

    @fact
    def copies(self) -> int:
        """Number of pairs with the same score on every topic."""
        return int(np.sum(self.identical))

    @fact
    def verdict(self) -> Separated:
        """Whether all neighbouring pairs differ significantly, some, or none."""
        if not self.significant_pairs:
            return Separated.NONE
        return Separated.ALL if self.significant_pairs == len(self) else Separated.SOME
