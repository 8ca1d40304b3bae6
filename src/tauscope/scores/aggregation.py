"""Other ways than the plain mean to make one number of a system's scores: as scores whose means are that number."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from ..arrays import Floats
from ..errors import CallError, Option
from ..reference.rankings import midranks
from ..results import count, word
from .labels import Labels, shown

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
