"""`Walk`: a coefficient pivot by pivot, from the head of the walked ranking to its tail."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..arrays import Floats
from ..results import Result, count, number


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Walk(Result):
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

    coefficient: str
    walks: str
    rank: Floats
    item: tuple[Hashable, ...]
    above: Floats
    right: Floats
    contribution: Floats
    loss: Floats

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

    def lines(self) -> list[str]:
        """How much is lost, and by which rank half of it."""
        total = float(self.loss.sum())
        half = np.cumsum(self.loss) >= total / 2
        head = f", half of it by rank {self.rank[int(np.argmax(half))]:g}" if total > 0 else ""
        pivots = count(len(self.rank), "pivot")
        return [f"{self.coefficient} walking the {self.walks}: {pivots}, loss {number(total, 4)}{head}"]

    def methods_sentence(self) -> str:
        """The sentence a paper needs: how much is lost on the way from head to tail, and by which rank half of it.

        Returns
        -------
        str
            One sentence, with the number of pivots.
        """
        total = float(self.loss.sum())
        half = np.cumsum(self.loss) >= total / 2
        head = f", half of it by rank {self.rank[int(np.argmax(half))]:g}" if total > 0 else ""
        return (
            f"Walking the {self.walks} from its head, {self.coefficient} loses {number(total, 4)} over "
            f"{count(len(self.rank), 'pivot')}{head}."
        )

    def plot(self) -> Any:
        """Loss by rank of the pivot, head to tail."""
        from ..figures import bars

        names = [str(item) for item in self.item]
        title = f"Where {self.coefficient} loses"
        return bars(self.rank, self.loss, names, x=f"rank in the {self.walks}", y="loss", title=title)
