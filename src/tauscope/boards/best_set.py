"""`BestSet`: the smallest set that contains a best system."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Any, ClassVar

from ..arrays import Bools, Floats
from ..results import Facts, fact, per_row


class Best(Enum):
    """The verdict: whether the set has one system, several, or all of them."""

    ONE = "one"
    SEVERAL = "several"
    ALL = "all"


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class BestSet(Facts):
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
