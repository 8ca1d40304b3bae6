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
from .scales import PLAIN_MEAN, different_scales

HOW = ("mean", "z", "rank", "minmax", "borda", "group-mean")


def rescaled(scores: Scores, how: str = "z", groups: Mapping[str, str] | None = None) -> Scores:
    """Scores whose means over topics are the aggregate asked for, so that everything else can be done with them.

    "z": on each topic (x - mean)/standard deviation over the systems that have it (n - 1 in the denominator); 0 on
    topics where all are equal. "borda", also "rank": on each topic the share of other systems that a system beats, ties
    half. "minmax": on each topic (x - min)/(max - min); 1/2 where all are equal. "mean" leaves them as they are; where
    the topics are on different scales a note says that this was asked for. "group-mean": each group of topics counts alike, whatever its size; `groups` is topic -> group.
    Missing cells stay missing: with z and borda a system is placed among those that have the topic.
    """
    checking.one_of(how, HOW, "aggregate")
    if how == "mean":
        return scores.changed(PLAIN_MEAN) if different_scales(scores) else scores
    if how == "group-mean":
        return _weighted(scores, groups)
    make = _MAKE[how]
    values = np.stack([make(row) for row in scores.values])
    return scores.changed(_NOTES[how].format(topic=word("topic"), systems=word("systems")), values=values)


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


def _weighted(scores: Scores, groups: Mapping[str, str] | None) -> Scores:
    """Topics times n/(groups x topics of its group)."""
    if not groups:
        raise CallError("aggregate='group-mean' needs groups of topics.", Option("groups", effect="as {topic: group}"))
    without = [topic for topic in scores.topics if topic not in groups]
    if without:
        raise CallError(
            f"{count(len(without), 'topic')} {'is' if len(without) == 1 else 'are'} in no group: {shown(without)}."
        )
    if scores.has_holes:
        raise CallError(
            "aggregate='group-mean' needs a score in every cell.",
            Option("aggregate", "z", "borda", effect="instead"),
            Scores.missing_option(np.isnan(scores.values)),
        )
    own = [groups[topic] for topic in scores.topics]
    size = {group: own.count(group) for group in own}
    weight = np.array([len(own) / (len(size) * size[group]) for group in own])
    note = f"aggregated as the mean of {count(len(size), 'group mean')}: {shown(list(size))}"
    return scores.changed(note, values=scores.values * weight[:, None])
