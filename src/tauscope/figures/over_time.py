"""Ranks of several labels over several dates, with what could be true as bands."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from .base import SERIES, chart_of, finish, json_number


def ranks_over_time(dates: Sequence[str], labels: Sequence[str], rank: Any, low: Any, high: Any, *, title: str) -> Any:
    """One line per label (at most nine), rank 1 at the top; `rank`, `low` and `high` are dates x labels, NaN where one
    is absent."""
    import altair as alt

    shown = list(labels)[: len(SERIES)]
    rows = [
        {
            "date": date,
            "place": k,
            "label": label,
            "rank": json_number(rank[k][i]),
            "low": json_number(low[k][i]),
            "high": json_number(high[k][i]),
        }
        for i, label in enumerate(shown)
        for k, date in enumerate(dates)
        if not np.isnan(rank[k][i])
    ]
    data = chart_of(rows)
    # Labels of one date stand side by side, close enough to be seen as one date.
    dates_scale = alt.Scale(paddingInner=0.8, paddingOuter=0.3)
    in_time = alt.EncodingSortField("place", op="min")
    x = alt.X("date:O", title=None, sort=in_time, scale=dates_scale, axis=alt.Axis(labelAngle=0))
    beside = alt.XOffset("label:N", sort=None)
    scale = alt.Scale(reverse=True, zero=False, nice=False, padding=8)
    y = alt.Y("rank:Q", title="rank", scale=scale, axis=alt.Axis(grid=False, tickMinStep=1))
    colour = alt.Color("label:N", title=None, sort=None, scale=alt.Scale(range=[own[0] for own in SERIES]))
    tooltip = ["label:N", "date:O", *(alt.Tooltip(f"{name}:Q", format=".4~g") for name in ("low", "rank", "high"))]
    bars = data.mark_rule(strokeWidth=2, opacity=0.45).encode(
        x=x, y=alt.Y("low:Q", scale=scale), y2="high:Q", color=colour, xOffset=beside, tooltip=tooltip
    )
    lines = data.mark_line(point=True).encode(x=x, y=y, color=colour, xOffset=beside, tooltip=tooltip)
    return finish(alt.layer(bars, lines), title, 480, 340)
