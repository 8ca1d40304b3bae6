"""Matrices of numbers as colours."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..arrays import Floats
from .base import MOST_MARKS, chart_of, finish, json_number

#: Pixels of a cell, at least: a row has room for its name.
LEAST = 14


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

    A matrix of more than 5,000 cells is shown as means of blocks of neighbours, and the axes number them.
    """
    import altair as alt

    names: dict[str, Sequence[str]] = {"r": row_labels, "c": column_labels}
    if values.size > MOST_MARKS:
        values, names = _blocks(values)
        title, rows, columns = f"{title} (means of blocks)", f"{rows}, by place", f"{columns}, by place"
    cells = [
        {"r": i, "c": j, "row": names["r"][i], "column": names["c"][j], "v": json_number(values[i, j])}
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
        tooltip=["row:N", "column:N", alt.Tooltip("v:Q", format=".4f", title="value")],
    )
    return finish(drawn, title, side, side)


def _blocks(values: Floats) -> tuple[Floats, dict[str, Sequence[str]]]:
    """Means over blocks of neighbours, few enough to draw, and the places that each block covers."""
    step = int(np.ceil(np.sqrt(values.size / MOST_MARKS)))
    while int(np.ceil(values.shape[0] / step)) * int(np.ceil(values.shape[1] / step)) > MOST_MARKS:
        step += 1
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
