"""Several charts side by side, on the same scales."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from .base import Looks, json_number, looks_of, title_of

if TYPE_CHECKING:
    import altair as alt


def panels(
    xs: Sequence[float],
    ys: Sequence[float],
    errors: Sequence[float],
    *,
    series: Sequence[str],
    rows: Sequence[str],
    columns: Sequence[str],
    x: str,
    y: str,
    title: str,
) -> Any:
    """Curves by series with one standard error to each side, in a grid of panels: one row and one column per label."""
    import altair as alt

    data = [
        {"x": float(a), "y": json_number(b), "low": json_number(b - e), "high": json_number(b + e)}
        | {"s": s, "r": r, "c": c}
        for a, b, e, s, r, c in zip(xs, ys, errors, series, rows, columns, strict=True)
    ]
    looks = looks_of(series)
    legend = alt.Legend(title=None, orient="top")
    at = alt.X("x:Q", title=x, scale=alt.Scale(nice=False), axis=alt.Axis(grid=False))
    up = alt.Y("y:Q", title=y, scale=alt.Scale(zero=False))
    base = alt.Chart(width=300, height=200).encode(x=at, color=_colour(looks, legend))
    curve = base.mark_line(aria=False).encode(y=up, strokeDash=_dash(looks, legend))
    point = base.mark_point(filled=True, size=35, aria=False)
    point = point.encode(y=up, shape=_shape(looks, legend), tooltip=_tooltip(x, y))
    bar = base.mark_rule(opacity=0.5, aria=False).encode(y=alt.Y("low:Q", title=y), y2="high:Q")
    grid = alt.layer(bar, curve, point, data=alt.Data(values=data)).facet(
        row=alt.Row("r:N", title=None, sort=list(dict.fromkeys(rows))),
        column=alt.Column("c:N", title=None, sort=list(dict.fromkeys(columns))),
    )
    return grid.properties(title=title_of(title))


def framed_curves(xs: Sequence[float], ys: Sequence[Any], *, x: str, y: str, title: str, frames: Sequence[str]) -> Any:
    """Named curves over the same places, in panels, three side by side.

    `ys` is (name, values) for each curve, `frames` the panel of each.
    """
    import altair as alt

    rows = [
        {"s": name, "frame": frame, "x": float(a), "y": json_number(b)}
        for (name, values), frame in zip(ys, frames, strict=True)
        for a, b in zip(xs, values, strict=True)
    ]
    looks = looks_of([name for name, _ in ys])
    legend = alt.Legend(title=None, orient="top", labelLimit=400)
    base = alt.Chart(width=220, height=170).encode(
        x=alt.X("x:Q", title=x, axis=alt.Axis(grid=False)),
        y=alt.Y("y:Q", title=y, scale=alt.Scale(zero=False)),
        color=_colour(looks, legend),
    )
    line = base.mark_line().encode(strokeDash=_dash(looks, legend))
    point = base.mark_point(filled=True, size=30).encode(shape=_shape(looks, legend), tooltip=_tooltip(x, y))
    frame = alt.Facet("frame:N", sort=list(dict.fromkeys(frames)), title=None)
    grid = alt.layer(line, point, data=alt.Data(values=rows)).facet(frame, columns=3)
    return grid.properties(title=title_of(title))


def _colour(looks: Looks, legend: alt.Legend) -> alt.Color:
    import altair as alt

    return alt.Color("s:N", sort=looks.names, scale=looks.scale(looks.colours), legend=legend)


def _dash(looks: Looks, legend: alt.Legend) -> alt.StrokeDash:
    import altair as alt

    return alt.StrokeDash("s:N", sort=looks.names, scale=looks.scale(looks.dashes), legend=legend)


def _shape(looks: Looks, legend: alt.Legend) -> alt.Shape:
    import altair as alt

    return alt.Shape("s:N", sort=looks.names, scale=looks.scale(looks.shapes), legend=legend)


def _tooltip(x: str, y: str) -> list[alt.Tooltip]:
    import altair as alt

    named = alt.Tooltip("s:N", title=" ")
    return [named, alt.Tooltip("x:Q", title=x), alt.Tooltip("y:Q", title=y, format=".4f")]
