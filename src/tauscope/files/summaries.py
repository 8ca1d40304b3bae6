"""Rows and columns that summarise the others, such as "mean" or "all", are neither topics nor systems: they are left
out, and a remark says so."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from pathlib import Path

import numpy as np

from ..arrays import Floats
from ..errors import FileError
from ..names import canonical
from ..results import count
from ..scores.labels import Labels, shown
from ..scores.mean_topics import mean_topics
from ..scores.odd_names import MOST_NAMES, is_summary
from ..scores.remarks import Remark
from .pieces import Cells, Piece

#: What a mean may differ from the one that is written, as a share of the spread: means are written rounded.
_ROUNDED = 0.02


def without_summaries(piece: Piece, keep: Collection[str], *, by_content: bool) -> Piece:
    """Leave out rows that summarise the others by name (`by_content`: if they are about their means, too), and topics
    whose scores are the mean of the others, whatever their names; `keep` names those that stay."""
    for name in keep:
        if name not in piece.topics and name not in piece.systems and canonical(name) not in piece.measures:
            raise FileError(f"{piece.source}: there is no column or row {name!r} to keep.")
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
    return _without_means(piece, keep)


def _without_means(piece: Piece, keep: Collection[str]) -> Piece:
    found = _means(piece.values.transpose(1, 0, 2), piece.topics, keep)
    if not found:
        return piece
    rest = [i for i in range(len(piece.topics)) if i not in found]
    told = _mean_remark([piece.topics[i] for i in found], piece.source, "topic")
    topics = tuple(piece.topics[i] for i in rest)
    return replace(piece, values=piece.values[:, rest], topics=topics, notes=(*piece.notes, told))


def without_mean_measures(cells: Cells, keep: Collection[str]) -> Cells:
    """Leave out measures of a table whose values are the mean of the others; `keep` names those that stay."""
    piece = cells.piece()
    found = {piece.measures[i] for i in _means(piece.values, piece.measures, {canonical(name) for name in keep})}
    if not found:
        return cells
    rows = [i for i, measure in enumerate(cells.measures) if canonical(measure) not in found]
    told = _mean_remark(sorted(found), cells.source, "measure")
    return replace(
        cells,
        systems=[cells.systems[i] for i in rows],
        topics=[cells.topics[i] for i in rows],
        measures=[cells.measures[i] for i in rows],
        values=cells.values[rows],
        lines=None if cells.lines is None else [cells.lines[i] for i in rows],
        notes=(*cells.notes, told),
    )


def _means(values: Floats, names: Labels, keep: Collection[str]) -> list[int]:
    """The places along the first axis that are means of the others, over all cells of the other two."""
    if not 2 < len(names) <= MOST_NAMES:
        return []
    return [i for i in mean_topics(values.reshape(len(names), -1)) if names[i] not in keep]


def _mean_remark(names: list[str], source: str, one: str) -> Remark:
    return Remark(
        f"{count(len(names), one)} left out, whose scores are the mean of the others: {shown(names)}",
        where=Path(source).name,
        code="mean-topic",
        effect=f"as a {one} it would have counted the others once more",
        suggestion=f"keep it by name (columns, keep={names[0]}) if it is one",
    )


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
