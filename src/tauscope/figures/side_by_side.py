"""Several charts side by side, on the same scales."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .base import SERIES, chart_of, json_number


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
    """Curves by series with one standard error to each side, in a grid of panels: a row and a column a label."""
    import altair as alt

    data = [
        {
            "x": float(a),
            "y": json_number(b),
            "low": json_number(b - e),
            "high": json_number(b + e),
            "s": s,
            "r": r,
            "c": c,
        }
        for a, b, e, s, r, c in zip(xs, ys, errors, series, rows, columns, strict=True)
    ]
    names = list(dict.fromkeys(series))
    looks = [SERIES[place % len(SERIES)] for place in range(len(names))]
    colours, dashes, shapes = ([look[part] for look in looks] for part in range(3))
    legend = alt.Legend(title=None, orient="top")
    at = alt.X("x:Q", title=x, scale=alt.Scale(nice=False), axis=alt.Axis(grid=False))
    up = alt.Y("y:Q", title=y, scale=alt.Scale(zero=False))
    colour = alt.Color("s:N", sort=names, scale=alt.Scale(domain=names, range=colours), legend=legend)
    tooltip = [alt.Tooltip("s:N", title=" "), alt.Tooltip("x:Q", title=x), alt.Tooltip("y:Q", title=y, format=".4f")]
    base = alt.Chart(width=300, height=200).encode(x=at, color=colour)
    curve = base.mark_line(aria=False).encode(
        y=up, strokeDash=alt.StrokeDash("s:N", sort=names, scale=alt.Scale(domain=names, range=dashes), legend=legend)
    )
    point = base.mark_point(filled=True, size=35, aria=False).encode(
        y=up, shape=alt.Shape("s:N", sort=names, scale=alt.Scale(domain=names, range=shapes), legend=legend), tooltip=tooltip
    )  # fmt: skip
    bar = base.mark_rule(opacity=0.5, aria=False).encode(y=alt.Y("low:Q", title=y), y2="high:Q")
    grid = alt.layer(bar, curve, point, data=alt.Data(values=data)).facet(
        row=alt.Row("r:N", title=None, sort=list(dict.fromkeys(rows))),
        column=alt.Column("c:N", title=None, sort=list(dict.fromkeys(columns))),
    )
    return grid.properties(title=alt.TitleParams(title, anchor="start", fontSize=13))


def framed_curves(xs: Sequence[float], ys: Sequence[Any], *, x: str, y: str, title: str, frames: Sequence[str]) -> Any:
    """Named curves over the same places: `ys` is (name, values) for each, `frames` the panel of each, three side by side."""
    import altair as alt

    rows = [
        {"s": name, "frame": frame, "x": float(a), "y": json_number(b)}
        for (name, values), frame in zip(ys, frames, strict=True)
        for a, b in zip(xs, values, strict=True)
    ]
    names = list(dict.fromkeys(name for name, _ in ys))
    looks = [SERIES[place % len(SERIES)] for place in range(len(names))]
    colours, dashes, shapes = ([look[part] for look in looks] for part in range(3))
    legend = alt.Legend(title=None, orient="top", labelLimit=400)
    base = alt.Chart(width=220, height=170).encode(
        x=alt.X("x:Q", title=x, axis=alt.Axis(grid=False)), y=alt.Y("y:Q", title=y, scale=alt.Scale(zero=False)),
        color=alt.Color("s:N", sort=names, scale=alt.Scale(domain=names, range=colours), legend=legend),
    )  # fmt: skip
    line = base.mark_line().encode(
        strokeDash=alt.StrokeDash("s:N", sort=names, scale=alt.Scale(domain=names, range=dashes), legend=legend)
    )
    point = base.mark_point(filled=True, size=30).encode(
        shape=alt.Shape("s:N", sort=names, scale=alt.Scale(domain=names, range=shapes), legend=legend),
        tooltip=[alt.Tooltip("s:N", title=" "), alt.Tooltip("x:Q", title=x), alt.Tooltip("y:Q", format=".4f", title=y)],
    )
    grid = alt.layer(line, point, data=alt.Data(values=rows)).facet(
        alt.Facet("frame:N", sort=list(dict.fromkeys(frames)), title=None), columns=3
    )
    return grid.properties(title=alt.TitleParams(title, anchor="start", fontSize=13))


def curves(
    rows: Sequence[dict[str, Any]],
    *,
    x: str,
    ys: Sequence[str],
    line: str,
    panel: str,
    title: str,
    least: float | None = None,
) -> Any:
    """Curves by the key `line`, in a panel a value of `panel` (beside each other) and a quantity of `ys` (below each other).

    A value below `least` is drawn there, and the axis says so: one outlier must not flatten all the others.
    """
    import altair as alt

    panels = list(dict.fromkeys(str(row[panel]) for row in rows))
    names = list(dict.fromkeys(str(row[line]) for row in rows))
    looks = [SERIES[place % len(SERIES)] for place in range(len(names))]
    colours, shapes = [look[0] for look in looks], [look[2] for look in looks]
    colour = alt.Color("line:N", title=None, sort=names, scale=alt.Scale(domain=names, range=colours))
    shape = alt.Shape("line:N", title=None, sort=names, scale=alt.Scale(domain=names, range=shapes))
    places = alt.X("x:Q", title=x, axis=alt.Axis(grid=False, values=sorted({row[x] for row in rows})))
    charts = []
    for quantity in ys:
        cut = least is not None and any(row[quantity] < least for row in rows)
        shown = []
        for name in panels:
            data = [
                {
                    "x": row[x],
                    "y": json_number(row[quantity]),
                    "at": _at_least(row[quantity], least),
                    "line": str(row[line]),
                }
                for row in rows
                if str(row[panel]) == name
            ]
            heights = alt.Y(
                "at:Q", title=f"{quantity} (cut at {least:g})" if cut else quantity, scale=alt.Scale(zero=False)
            )
            tooltip = ["line:N", "x:Q", alt.Tooltip("y:Q", format=".3f", title=quantity)]
            drawn = (
                chart_of(data)
                .mark_line(point=True)
                .encode(x=places, y=heights, color=colour, shape=shape, tooltip=tooltip)
            )
            shown.append(drawn.properties(width=200, height=160, title=name))
        charts.append(alt.hconcat(*shown).resolve_scale(y="shared"))
    return alt.vconcat(*charts, title=alt.TitleParams(title, anchor="start", fontSize=13))


def _at_least(value: float, least: float | None) -> float | None:
    number = json_number(value)
    return number if number is None or least is None else max(number, least)
