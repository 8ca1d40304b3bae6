"""`OneRank`: the rank interval of one system that was chosen before looking at the data."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Any, ClassVar

from ..results import Facts, fact


class Known(Enum):
    """The verdict: whether the data support one rank, several, or all of them."""

    ONE = "one"
    SEVERAL = "several"
    ALL = "all"


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class OneRank(Facts):
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
