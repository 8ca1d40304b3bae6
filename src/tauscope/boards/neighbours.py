"""`Neighbours`: each system of a board beside the next one in the ranking."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import ClassVar

import numpy as np

from ..arrays import Bools, Floats
from ..results import Facts, fact, per_row


class Separated(Enum):
    """The verdict: whether all neighbouring pairs differ significantly, some, or none."""

    ALL = "all"
    SOME = "some"
    NONE = "none"


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Neighbours(Facts):
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
