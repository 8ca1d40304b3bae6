"""Matrices of numbers as colours."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..arrays import Floats
from .base import MOST_MARKS, chart_of, finish, json_number

#: Pixels of a cell, at least: a row has room for its name.
LEAST = 14
#: Names that a block says.
MOST_NAMES = 12


def heatmap(
    values: Floats,
    row_labels: Sequence[str],
    column_labels: Sequence[str],
    *,
    rows: str,
    columns: str,
    title: str,
    diverging: bool = True,
) -> Any:
    """A matrix of numbers as colours; light is small and dark is large, so that it survives a grey printer.

    A matrix of more than 5,000 cells is shown as means of blocks of neighbours: the axes number them, and a block that
    is pointed at says by name what is in it.
    """
    import altair as alt

    names: dict[str, Sequence[str]] = {"r": row_labels, "c": column_labels}
    inside: dict[str, Sequence[str]] = {}
    tips = ["row:N", "column:N", alt.Tooltip("v:Q", format=".4f", title="value")]
    if values.size > MOST_MARKS:
        inside, step = names, _step(values.shape)
        values, names = _blocks(values, step)
        inside = {key: _by_block(labels, step) for key, labels in inside.items()}
        tips = [
            *tips[:2],
            alt.Tooltip("rows:N", title=rows),
            alt.Tooltip("columns:N", title=f"{columns} across"),
            tips[2],
        ]
        title, rows, columns = f"{title} (means of blocks)", f"{rows}, by place", f"{columns}, by place"
    cells = [
        {"r": i, "c": j, "row": names["r"][i], "column": names["c"][j], "v": json_number(values[i, j])}
        | ({"rows": inside["r"][i], "columns": inside["c"][j]} if inside else {})
        for i in range(values.shape[0])
        for j in range(values.shape[1])
    ]
    side = max(160, min(460, 22 * max(values.shape)), LEAST * max(values.shape))
    scheme = alt.Scale(scheme="blues") if not diverging else alt.Scale(scheme="blues", domainMax=1)
    by = {"r": alt.EncodingSortField("r", op="min"), "c": alt.EncodingSortField("c", op="min")}
    labelled: dict[str, Any] = {"labelOverlap": False, "labelFontSize": 12}
    angle = -45 if values.shape[1] <= 30 else -90
    drawn = chart_of(cells).mark_rect()
    drawn = drawn.encode(
        x=alt.X("column:N", sort=by["c"], title=columns, axis=alt.Axis(**labelled, labelAngle=angle, labelLimit=120)),
        y=alt.Y("row:N", sort=by["r"], title=rows, axis=alt.Axis(**labelled, labelLimit=160)),
        color=alt.Color("v:Q", scale=scheme, title=None),
        tooltip=tips,
    )
    return finish(drawn, title, side, side)


def _step(shape: tuple[int, ...]) -> int:
    """How many neighbours make a block, so that blocks are few enough to draw."""
    step = int(np.ceil(np.sqrt(shape[0] * shape[1] / MOST_MARKS)))
    while int(np.ceil(shape[0] / step)) * int(np.ceil(shape[1] / step)) > MOST_MARKS:
        step += 1
    return step


def _by_block(labels: Sequence[str], step: int) -> list[str]:
    """The names in each block."""
    blocks = [labels[a : a + step] for a in range(0, len(labels), step)]
    more = (f", … ({len(own):,} in all)" if len(own) > MOST_NAMES else "" for own in blocks)
    return [", ".join(own[:MOST_NAMES]) + rest for own, rest in zip(blocks, more, strict=True)]


def _blocks(values: Floats, step: int) -> tuple[Floats, dict[str, Sequence[str]]]:
    """Means over blocks of so many neighbours, and the places that each block covers."""
    known = ~np.isnan(values)
    sums, sizes = np.where(known, values, 0.0), known.astype(np.float64)
    for axis in (0, 1):
        starts = np.arange(0, values.shape[axis], step)
        sums, sizes = np.add.reduceat(sums, starts, axis), np.add.reduceat(sizes, starts, axis)
    means = np.divide(sums, sizes, out=np.full(sums.shape, np.nan), where=sizes > 0)
    names: dict[str, Sequence[str]] = {
        key: [f"{a + 1}–{min(a + step, size)}" for a in range(0, size, step)]
        for key, size in zip("rc", values.shape, strict=True)
    }
    return np.asarray(means), names
