"""A small matrix as colours, with its numbers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..arrays import Floats
from .base import INK, chart_of, finish, json_number


def numbered_cells(
    values: Floats, row_labels: Sequence[str], column_labels: Sequence[str], *, rows: str, columns: str, title: str
) -> Any:
    """Blue above 0, orange below it, white between; each cell says its number."""
    import altair as alt

    cells = [
        {"r": i, "c": j, "row": row_labels[i], "column": column_labels[j], "v": json_number(values[i, j])}
        | {"text": f"{values[i, j]:+.3f}"}
        for i in range(values.shape[0])
        for j in range(values.shape[1])
    ]
    end = max(float(np.nanmax(np.abs(values), initial=0.0)), 1e-12)
    order = alt.EncodingSortField("c", op="min")
    base = chart_of(cells).encode(
        x=alt.X("column:N", title=columns, sort=order, axis=alt.Axis(labelAngle=-40)),
        y=alt.Y("row:N", title=rows, sort=alt.EncodingSortField("r", op="min")),
    )
    scale = alt.Scale(interpolate="rgb", domain=[-end, 0, end], range=["#d55e00", "#ffffff", "#0072b2"])
    drawn = base.mark_rect(stroke="white").encode(
        color=alt.Color("v:Q", scale=scale, legend=None),
        tooltip=["row:N", "column:N", alt.Tooltip("v:Q", format="+.4f")],
    )
    # White on dark cells, ink on light ones.
    dark = alt.condition(f"abs(datum.v) > {0.6 * end}", alt.value("white"), alt.value(INK))
    texts = base.mark_text(fontSize=12).encode(text="text:N", color=dark)
    return finish(alt.layer(drawn, texts), title, 80 * values.shape[1], 44 * values.shape[0])
