"""Rows that summarise the others, such as "mean" or "all", are no topics and no systems: they are left out, and that
is told."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from pathlib import Path

import numpy as np

from ..arrays import Floats
from ..results import count
from ..scores.labels import shown
from ..scores.odd_names import MOST_NAMES, is_summary
from ..scores.remarks import Remark
from .pieces import Piece

#: What a mean may differ from the one that is written, as a share of the spread: means are written rounded.
_ROUNDED = 0.02


def without_summaries(piece: Piece, keep: Collection[str], *, by_content: bool) -> Piece:
    """The piece without rows that summarise the others by name, and `by_content` also are about their means."""
    for axis, names, one in ((1, piece.topics, "topic"), (2, piece.systems, "system")):
        if len(names) > MOST_NAMES:
            continue
        found = [i for i, name in enumerate(names) if name not in keep and is_summary(name)]
        if not found or len(found) == len(names):
            continue
        rest = [i for i in range(len(names)) if i not in found]
        if by_content:
            found = [i for i in found if _is_mean(piece.values, axis, i, rest)]
            rest = [i for i in range(len(names)) if i not in found]
            if not found:
                continue
        told = Remark(
            f"{count(len(found), 'row')} left out, by name no {one} but a summary: {shown([names[i] for i in found])}",
            where=Path(piece.source).name,
            code="summary-row",
            effect=f"as a {one} it would have counted the others once more",
            suggestion=f"keep it by name (columns, keep={names[found[0]]}) if it is one",
        )
        labels = tuple(names[i] for i in rest)
        changed = {"topics": labels} if axis == 1 else {"systems": labels}
        values = np.take(piece.values, rest, axis=axis)
        piece = replace(piece, values=values, notes=(*piece.notes, told), **changed)  # type: ignore[arg-type]
    return piece


def _is_mean(values: Floats, axis: int, at: int, rest: list[int]) -> bool:
    own, others = np.take(values, at, axis=axis), np.take(values, rest, axis=axis)
    known = ~np.isnan(own) & ~np.isnan(others).all(axis=axis)
    if len(rest) < 2 or not known.any():
        return False
    with np.errstate(over="ignore", invalid="ignore"):
        means = np.nanmean(np.where(np.expand_dims(known, axis), others, 0.0), axis=axis)
        spread = float(np.nanmax(others) - np.nanmin(others))
        close = np.abs(own - means)[known] <= _ROUNDED * spread
    return spread > 0 and bool(close.all())  # of scores that are all the same, each one is the mean
