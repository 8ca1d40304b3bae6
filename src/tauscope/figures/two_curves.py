"""A few curves over one axis, each with its name."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..arrays import Floats
from .base import PALETTE, RED, chart_of, finish, json_number


def two_curves(xs: Floats, ys: Mapping[str, Floats], *, x: str, y: str, title: str, mark: float | None = None) -> Any:
    """Curves of the same places, x on a logarithmic axis, in the order of their names; a rule at `mark`."""
    import altair as alt

    rows = [
        {"x": float(a), "y": json_number(b), "curve": name}
        for name, values in ys.items()
        for a, b in zip(xs, values, strict=True)
    ]
    drawn = chart_of(rows).mark_line(point=True, strokeWidth=2)
    drawn = drawn.encode(
        x=alt.X("x:Q", title=x, scale=alt.Scale(type="log", nice=False), axis=alt.Axis(grid=False)),
        y=alt.Y("y:Q", title=y, scale=alt.Scale(zero=False), axis=alt.Axis(grid=False)),
        color=alt.Color(
            "curve:N",
            title=None,
            sort=list(ys),
            scale=alt.Scale(domain=list(ys), range=list(PALETTE[: len(ys)])),
            legend=alt.Legend(orient="top"),
        ),
        tooltip=["curve:N", alt.Tooltip("x:Q", title=x), alt.Tooltip("y:Q", format=".4f", title=y)],
    )
    if mark is None:
        return finish(drawn, title, 420, 300)
    rule = chart_of([{"y": mark}]).mark_rule(color=RED, strokeDash=[4, 3]).encode(y="y:Q")
    return finish(alt.layer(drawn, rule), title, 420, 300)
