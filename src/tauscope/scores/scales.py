"""Topics, or tasks, on different scales: some from 0 to 1, others from 0 to 100, whose plain mean says nothing."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..arrays import Floats
from ..results import count
from .labels import Labels, shown

#: The note of scores on different scales whose plain mean was asked for.
PLAIN_MEAN = "aggregated as plain mean of topics on different scales, as asked: the widest scale decides"
#: What topics on different scales can be made into, the first by default where one is taken.
ONE_SCALE = ("z", "rank", "minmax", "mean")
#: The highest scores of one scale are at least so many times 1, and its differences so many times those of the other.
_GAP = 3.0
#: How the notes start that say that scores were brought to one scale.
AGGREGATED = "aggregated as"
#: Those of them after which a mean is still in the units of the scores.
IN_UNITS = (PLAIN_MEAN, "aggregated as the mean of ")


class Scales(NamedTuple):
    """Topics whose scores lie between -1 and 1, and topics whose scores go beyond."""

    small: tuple[str, ...]
    large: tuple[str, ...]
    top: float

    def text(self) -> str:
        """What is wrong, as a sentence."""
        return (
            f"{count(len(self.small), 'topic')} {'has' if len(self.small) == 1 else 'have'} scores up to 1 "
            f"({shown(self.small, 3)}) and {count(len(self.large), 'topic')} up to {self.top:g} "
            f"({shown(self.large, 3)})"
        )


def different_scales(values: Floats, topics: Labels) -> Scales | None:
    """The topics of either scale where there are two; None for scores on one scale, counts and grades among them.

    On some topics no score exceeds 1, on all others the highest is several times that, and nothing is between: scores
    of one wide scale fill the gap. Scores up to 1 that are whole numbers are counts, grades or votes, and on the scale
    of the others; and so are topics that are only easy or hard for all, on which systems differ as they do elsewhere.
    """
    n, m = values.shape
    if n < 2 or m < 2:
        return None
    tops = np.abs(np.where(np.isnan(values), 0.0, values)).max(axis=1)
    small = tops <= 1
    if not small.any() or small.all() or tops[~small].min() < _GAP:
        return None
    part = values[small]
    part = part[~np.isnan(part)]
    if not (part != np.round(part)).any():
        return None
    bottoms = np.where(np.isnan(values), np.inf, values).min(axis=1)
    ranges = np.where(np.isnan(values), -np.inf, values).max(axis=1) - bottoms
    if np.median(ranges[~small]) < _GAP * np.median(ranges[small]):
        return None
    return Scales(
        small=tuple(topics[i] for i in np.flatnonzero(small)),
        large=tuple(topics[i] for i in np.flatnonzero(~small)),
        top=float(tops.max()),
    )
