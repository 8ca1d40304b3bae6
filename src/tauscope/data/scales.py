"""Scales of scores: whether topics or measures have different ones, and one mean over them all the same."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..core.arrays import Floats
from ..core.rankings import midranks
from ..errors import CallError, Option
from ..results import count, word
from .labels import Labels, shown
from .summaries import units_in

#: The note of scores on different scales whose plain mean was asked for.
PLAIN_MEAN = "aggregated as plain mean of topics on different scales, as asked: the widest scale decides"
#: What topics on different scales can be made into, the first by default where one is taken.
ONE_SCALE = ("z", "rank", "minmax", "mean")
#: The note of scores that only look as if they were on different scales, and whose plain mean was asked for.
AS_THEY_ARE = "aggregated as the mean of scores as they are, as asked"
#: The highest scores of one scale are at least this many times 1, and its differences this many times those of the
#: other. Values alone are evidence of two scales where even the lowest score of the wide one is that far beyond the
#: highest of the other.
_GAP = 3.0
#: How the notes start that say that scores were brought to one scale.
AGGREGATED = "aggregated as"
#: Those of them after which a mean is still in the units of the scores.
IN_UNITS = (PLAIN_MEAN, "aggregated as the mean of ")


class Scales(NamedTuple):
    """Topics whose scores lie between -1 and 1, and topics whose scores go beyond.

    `sure`: names, units or values are evidence of two scales; otherwise one scale with easy and hard topics, such as
    penalties for errors, can look the same.
    """

    small: tuple[str, ...]
    large: tuple[str, ...]
    top: float
    sure: bool

    def text(self) -> str:
        """What is wrong, as a sentence."""
        return (
            f"{count(len(self.small), 'topic')} {'has' if len(self.small) == 1 else 'have'} scores up to 1 "
            f"({shown(self.small, 3)}) and {count(len(self.large), 'topic')} up to {self.top:g} "
            f"({shown(self.large, 3)})"
        )


def different_scales(values: Floats, topics: Labels) -> Scales | None:
    """Find the topics of either scale where there seem to be two; None for one scale, counts and grades among them.

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
    if np.median(ranges[~small] / 2) < _GAP * np.median(ranges[small] / 2):  # the mean of two huge ones would overflow
        return None
    low, high = (tuple(topics[i] for i in np.flatnonzero(kept)) for kept in (small, ~small))
    return Scales(low, high, float(tops.max()), _units_differ(low, high) or _values_differ(values, small))


def _units_differ(small: Labels, large: Labels) -> bool:
    """Whether every topic of one scale names a measure or a unit that no topic of the other names."""
    own, other = ([units_in(name) for name in names] for names in (small, large))
    shared = frozenset().union(*own) & frozenset().union(*other)
    return not shared and (all(own) or all(other))


def _values_differ(values: Floats, small: NDArray[np.bool_]) -> bool:
    """Whether no score of either scale lies within the range of the other, or near it.

    Where no score exceeds 0, the scores are penalties: segments with few errors and segments with many are on one
    scale, however far apart they lie.
    """
    known = ~np.isnan(values)
    if not (values[known] > 0).any():
        return False
    low, high = (np.abs(values[part][known[part]]) for part in (small, ~small))
    return bool(high.min() > _GAP * low.max())


HOW = ("mean", "z", "rank", "minmax", "borda", "group-mean")


def aggregates(values: Floats, topics: Labels, how: str, groups: Mapping[str, str] | None) -> tuple[Floats, str]:
    """Scores, topics x systems, whose means over topics are the aggregate asked for, and the note that says so.

    "z": on each topic (x - mean)/standard deviation over the systems that have it (n - 1 in the denominator); 0 on
    topics where all are equal. "borda", also "rank": on each topic the share of other systems that a system beats, ties
    half. "minmax": on each topic (x - min)/(max - min); 1/2 where all are equal. "group-mean": each group of topics
    counts alike, whatever its size; `groups` is topic -> group. Missing cells stay missing: a system is placed among
    those that have the topic.
    """
    if how == "group-mean":
        return _weighted(values, topics, groups)
    make = _MAKE[how]
    note = _NOTES[how].format(topic=word("topic"), systems=word("systems"))
    return np.stack([make(row) for row in values]), note


_NOTES = {
    "z": "aggregated as mean z-score: on each {topic}, distance from the mean in standard deviations over {systems}",
    "borda": "aggregated as mean Borda share: on each {topic}, the share of other {systems} beaten, ties half",
    "minmax": "aggregated as mean of shares of the range: on each {topic}, (score - lowest)/(highest - lowest)",
}
_NOTES["rank"] = _NOTES["borda"]


def _standardised(row: Floats) -> Floats:
    known = ~np.isnan(row)
    x = row[known]
    result = np.full(len(row), np.nan)
    deviation = float(x.std(ddof=1)) if len(x) > 1 else 0.0
    # Equal scores differ by rounding only: that is no spread.
    level = float(np.abs(x).max(initial=0.0))
    result[known] = (x - x.mean()) / deviation if deviation > 1e-12 * level else 0.0
    return result


def _borda(row: Floats) -> Floats:
    known = ~np.isnan(row)
    result = np.full(len(row), np.nan)
    others = int(known.sum()) - 1
    result[known] = midranks(row[known]) / others if others > 0 else 0.5
    return result


def _of_range(row: Floats) -> Floats:
    low, high = np.nanmin(row), np.nanmax(row)
    return np.where(np.isnan(row), np.nan, (row - low) / (high - low) if high > low else 0.5)


_MAKE = {"z": _standardised, "borda": _borda, "rank": _borda, "minmax": _of_range}


def _weighted(values: Floats, topics: Labels, groups: Mapping[str, str] | None) -> tuple[Floats, str]:
    """Topics times n/(groups x topics of its group)."""
    if not groups:
        raise CallError("aggregate='group-mean' needs groups of topics.", Option("groups", effect="as {topic: group}"))
    without = [topic for topic in topics if topic not in groups]
    if without:
        raise CallError(
            f"{count(len(without), 'topic')} {'is' if len(without) == 1 else 'are'} in no group: {shown(without)}."
        )
    own = np.array([groups[topic] for topic in topics], dtype=object)
    names = list(dict.fromkeys(own.tolist()))
    known = ~np.isnan(values)
    sizes = np.array([known[own == name].sum(axis=0) for name in names])  # groups x systems: cells of each
    weight = np.zeros(values.shape)
    for name, size in zip(names, sizes, strict=True):
        weight[own == name] = known.sum(axis=0) / ((sizes > 0).sum(axis=0) * np.maximum(size, 1))
    note = f"aggregated as the mean of {count(len(names), 'group mean')}: {shown(names)}"
    if not known.all():
        lacking = int((sizes == 0).any(axis=0).sum())
        note += f"; a group mean is over the {word('topics')} that a {word('system')} has there"
        note += (
            f", and {count(lacking, 'system')} without any in some group are averaged over the others"
            if lacking
            else ""
        )
    return values * weight, note
