"""`Walk`: a coefficient pivot by pivot, from the head of the walked ranking to its tail."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from ..arrays import Floats
from ..results import Plain


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Walk(Plain):
    """Where, from the head of a ranking to its tail, does a coefficient lose?

    Contributions add up to the value and losses to 1 - value; of a coefficient that walks both rankings, each walk adds
    up to half of that of its direction.

    Attributes
    ----------
    coefficient : str
        The name of the coefficient.
    walks : str
        Which ranking is walked, "estimate" or "truth".
    rank : array of float
        The rank of each pivot in that ranking, 1 for the best, ties at the mean of their places.
    item : tuple
        The pivots.
    above : array of float
        Items above the pivot that count; where ties are averaged over orders, those of its own tie group too.
    right : array of float
        How many of them are rightly there.
    contribution, loss : array of float
        What the pivot adds to the value and to 1 - value.
    """

    QUESTION: ClassVar[str] = "walk"

    coefficient: str
    walks: str
    rank: Floats
    item: tuple[Hashable, ...]
    above: Floats
    right: Floats
    contribution: Floats
    loss: Floats

    @property
    def total(self) -> float:
        """The sum of all losses of this walk."""
        return float(self.loss.sum())

    @property
    def half(self) -> float:
        """The rank by which half of the loss has occurred."""
        return float(self.rank[int(np.argmax(np.cumsum(self.loss) >= self.total / 2))])

    def columns(self) -> dict[str, Any]:
        """The walk, one row per pivot."""
        return {
            "rank": self.rank,
            "item": [str(item) for item in self.item],
            "above": self.above,
            "right": self.right,
            "contribution": self.contribution,
            "loss": self.loss,
        }
