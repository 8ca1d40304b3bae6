"""Other ways than the plain mean to make one number of a system's scores: as scores whose means are that number."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from .. import checking
from ..arrays import Floats
from ..errors import CallError, Option
from ..reference.rankings import midranks
from ..results import count, word
from .labels import shown
from .matrix import Scores

HOW = ("mean", "z", "borda", "group-mean")


def rescaled(scores: Scores, how: str = "z", groups: Mapping[str, str] | None = None) -> Scores:
    """Scores whose means over topics are the aggregate asked for, so that everything else can be done with them.

    "z": on each topic (x - mean)/standard deviation over the systems that have it (n - 1 in the denominator); 0 on
    topics where all are equal. "borda": on each topic the share of other systems that a system beats, ties half.
    "group-mean": each group of topics counts alike, whatever its size; `groups` is topic -> group.
    Missing cells stay missing: with z and borda a system is placed among those that have the topic.
    """
    checking.one_of(how, HOW, "aggregate")
    if how == "mean":
        return scores
    if how == "group-mean":
        return _weighted(scores, groups)
    make = _standardised if how == "z" else _borda
    values = np.stack([make(row) for row in scores.values])
    return scores.changed(_NOTES[how].format(topic=word("topic"), systems=word("systems")), values=values)


_NOTES = {
    "z": "aggregated as mean z-score: on each {topic}, distance from the mean in standard deviations over {systems}",
    "borda": "aggregated as mean Borda share: on each {topic}, the share of other {systems} beaten, ties half",
}


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


def _weighted(scores: Scores, groups: Mapping[str, str] | None) -> Scores:
    """Topics times n/(groups x topics of its group)."""
    if not groups:
        raise CallError("aggregate='group-mean' needs groups of topics.", Option("groups", effect="as {topic: group}"))
    without = [topic for topic in scores.topics if topic not in groups]
    if without:
        raise CallError(
            f"{count(len(without), 'topic')} {'is' if len(without) == 1 else 'are'} in no group: {shown(without)}."
        )
    own = np.array([groups[topic] for topic in scores.topics], dtype=object)
    names = list(dict.fromkeys(own.tolist()))
    known = ~np.isnan(scores.values)
    sizes = np.array([known[own == name].sum(axis=0) for name in names])  # groups x systems: cells of each
    weight = np.zeros(scores.shape)
    for name, size in zip(names, sizes, strict=True):
        weight[own == name] = known.sum(axis=0) / ((sizes > 0).sum(axis=0) * np.maximum(size, 1))
    note = f"aggregated as the mean of {count(len(names), 'group mean')}: {shown(names)}"
    if scores.has_holes:
        lacking = int((sizes == 0).any(axis=0).sum())
        note += f"; a group mean is over the {word('topics')} that a {word('system')} has there"
        note += (
            f", and {count(lacking, 'system')} without any in some group are averaged over the others"
            if lacking
            else ""
        )
    return scores.changed(note, values=scores.values * weight)
