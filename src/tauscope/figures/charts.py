"""Single charts from arrays and labels."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ..arrays import Floats
from .base import (
    BLUE,
    GREY,
    INK,
    MOST_MARKS,
    NAME,
    PALETTE,
    ROW,
    chart_of,
    finish,
    json_number,
    name_axis,
    rule_at,
)


def ranks(first: Floats, second: Floats, labels: Sequence[str], *, names: tuple[str, str], title: str) -> Any:
    """Ranks in one against ranks in the other, rank 1 at the top right; far from the diagonal means disagreement."""
    import altair as alt

    rows: list[dict[str, Any]] = [
        {"item": label, "a": float(a), "b": float(b), "moved": float(abs(a - b))}
        for label, a, b in zip(labels, first, second, strict=True)
    ]
    rows = sorted(rows, key=lambda row: -row["moved"])[:MOST_MARKS]
    end = float(max(1, len(labels)))
    scale = alt.Scale(reverse=True, nice=False, domain=[1, end], padding=8)
    ticks = sorted({1, *(round(t) for t in np.linspace(1, end, min(8, len(labels) or 1)))})
    axis = alt.Axis(values=ticks, grid=False)
    marks = chart_of(rows).mark_circle(size=55, opacity=0.8, color=BLUE)
    points = marks.encode(
        x=alt.X("b:Q", title=f"rank in {names[1]}", scale=scale, axis=axis),
        y=alt.Y("a:Q", title=f"rank in {names[0]}", scale=scale, axis=axis),
        tooltip=[
            alt.Tooltip("item:N", title="name"),
            alt.Tooltip("a:Q", title="rank, vertical"),
            alt.Tooltip("b:Q", title="rank, horizontal"),
        ],
    )
    ends = [{"a": 1.0, "b": 1.0}, {"a": end, "b": end}]
    diagonal = chart_of(ends).mark_line(color=GREY, strokeDash=[4, 3], strokeWidth=1).encode(x="b:Q", y="a:Q")
    return finish(alt.layer(diagonal, points), title, 340, 340)


def named_bars(labels: Sequence[str], heights: Any, *, y: str, title: str) -> Any:
    """A bar for each of a few names, the height above it."""
    import altair as alt

    rows = [
        {"place": place, "label": label, "y": json_number(value)}
        for place, (label, value) in enumerate(zip(labels, heights, strict=True))
    ]
    order = alt.EncodingSortField("place", op="min")
    axis = alt.Axis(labelAngle=0, labelFontSize=12, labelLimit=160)
    base = chart_of(rows).encode(
        x=alt.X("label:N", sort=order, title=None, axis=axis),
        y=alt.Y("y:Q", title=y, axis=alt.Axis(grid=False)),
        tooltip=[alt.Tooltip("label:N", title="name"), alt.Tooltip("y:Q", title=y, format=",.4~g")],
    )
    text = base.mark_text(baseline="bottom", dy=-3, fontSize=12, color=INK)
    text = text.encode(text=alt.Text("y:Q", format=",.3~g" if _small(rows) else ",.0f"))
    return finish(alt.layer(base.mark_bar(color=BLUE), text), title, max(200, 90 * len(rows)), 260)


def _small(rows: Sequence[dict[str, Any]]) -> bool:
    """Whether heights are shares or coefficients, which need digits."""
    return all(abs(row["y"] or 0.0) <= 1 for row in rows)


def histogram(values: Floats, weights: Floats | None = None, *, x: str, title: str) -> Any:
    """How values are spread, each counted as often as its weight says; the counting is done here, so that a million
    values are forty bars."""
    import altair as alt

    counts, edges = np.histogram(values, bins=40, weights=weights)
    rows = [
        {"from": float(a), "to": float(b), "count": round(float(n))}
        for a, b, n in zip(edges, edges[1:], counts, strict=False)
    ]
    drawn = chart_of(rows).mark_bar(color=BLUE)
    drawn = drawn.encode(
        x=alt.X("from:Q", title=x, bin="binned", axis=alt.Axis(grid=False)),
        x2="to:Q",
        y=alt.Y("count:Q", title="how many", axis=alt.Axis(grid=False)),
        tooltip=["from:Q", "to:Q", "count:Q"],
    )
    return finish(drawn, title)


def band(
    xs: Floats, ys: Floats, low: Floats, high: Floats, *, x: str, y: str, title: str, mark: float | None = None
) -> Any:
    """A curve with its limits as a shaded band, and a rule at `mark`."""
    import altair as alt

    rows = [
        {"x": float(a), "y": json_number(b), "low": json_number(c), "high": json_number(d)}
        for a, b, c, d in zip(xs, ys, low, high, strict=True)
    ]
    data = chart_of(rows)
    places = alt.X("x:Q", title=x, scale=alt.Scale(type="log", nice=False))
    heights = alt.Y("y:Q", title=y, scale=alt.Scale(zero=False))
    tooltip = [alt.Tooltip("x:Q", title=x)] + [alt.Tooltip(f"{name}:Q", format=".4f") for name in ("y", "low", "high")]
    area = data.mark_area(color=BLUE, opacity=0.2).encode(x=places, y=alt.Y("low:Q", title=y), y2="high:Q")
    curve = data.mark_line(point=True, color=BLUE).encode(x=places, y=heights, tooltip=tooltip)
    return finish(alt.layer(area, curve, *([] if mark is None else [rule_at(mark)])), title)


def spans(
    labels: Sequence[str],
    low: Any,
    high: Any,
    at: Any,
    *,
    x: str,
    title: str,
    mark: float | None = None,
    groups: Sequence[str] | None = None,
    group: str = "group",
    limit: int = NAME,
) -> Any:
    """One bar per label from low to high, with a tick in between; the first label at the top.

    `groups` are colours, and a click on the legend leaves one of them.
    """
    import altair as alt

    rows = [
        {"place": place, "label": label, "low": json_number(a), "high": json_number(b), "at": json_number(c)}
        | ({"group": groups[place]} if groups else {})
        for place, (label, a, b, c) in enumerate(zip(labels, low, high, at, strict=True))
    ][: MOST_MARKS // 2]
    data = chart_of(rows)
    names = name_axis("label", "place", limit=limit)
    scale = alt.Scale(zero=False, nice=False, padding=6)
    limits = [alt.Tooltip(f"{key}:Q", format=".4~g") for key in ("low", "at", "high")]
    tooltip = [alt.Tooltip("label:N", title="name"), *limits]
    colour: dict[str, Any] = {}
    if groups:
        picked = alt.selection_point(fields=["group"], bind="legend", name="picked")
        colour = {
            "color": alt.Color("group:N", title=group, scale=alt.Scale(range=list(PALETTE)), sort=None),
            "opacity": alt.condition(picked, alt.value(0.9), alt.value(0.1)),
        }
        tooltip.append(alt.Tooltip("group:N", title=group))
    look = {} if groups else {"color": BLUE, "opacity": 0.4}
    whole = all(float(limit).is_integer() for limit in (*low, *high))
    axis = alt.Axis(grid=False, tickMinStep=1) if whole else alt.Axis(grid=False)
    along = alt.X("low:Q", title=x, scale=scale, axis=axis)
    bar = data.mark_bar(**look, height={"band": 0.7}).encode(x=along, x2="high:Q", y=names, tooltip=tooltip, **colour)
    if groups:
        bar = bar.add_params(picked)
    tick = data.mark_tick(color=INK, thickness=2, height={"band": 0.7})
    tick = tick.encode(x=alt.X("at:Q", scale=scale), y=names, tooltip=tooltip)
    drawn = alt.layer(bar, tick, *([] if mark is None else [rule_at(mark)]))
    return finish(drawn, title, 420, max(60, ROW * len(rows)))


def dots(
    labels: Sequence[str],
    values: Any,
    *,
    groups: Sequence[str],
    group: str,
    x: str,
    title: str,
    colours: Sequence[str] | Mapping[str, str],
    mark: float | None = None,
    limit: int = NAME,
) -> Any:
    """One dot per label at its value, the first label at the top, with a rule at `mark`.

    `colours` are those of the groups by name, or in the order in which they come.
    """
    import altair as alt

    rows = [
        {"place": place, "label": label, "at": json_number(value), "group": own}
        for place, (label, value, own) in enumerate(zip(labels, values, groups, strict=True))
    ][:MOST_MARKS]
    names = list(dict.fromkeys(groups))
    own = (
        [colours[name] for name in names]
        if isinstance(colours, Mapping)
        else [colours[place % len(colours)] for place in range(len(names))]
    )
    scale = alt.Scale(domain=names, range=own)
    drawn = chart_of(rows).mark_circle(size=70, opacity=1)
    drawn = drawn.encode(
        x=alt.X("at:Q", title=x, scale=alt.Scale(zero=False, padding=8), axis=alt.Axis(grid=False)),
        y=name_axis("label", "place", limit=limit),
        color=alt.Color("group:N", title=group, scale=scale, sort=None),
        tooltip=[
            alt.Tooltip("label:N", title="name"),
            alt.Tooltip("at:Q", title=x, format=".4~g"),
            alt.Tooltip("group:N", title=group),
        ],
    )
    if mark is not None:
        drawn = alt.layer(drawn, rule_at(mark))
    return finish(drawn, title, 420, max(60, ROW * len(rows)))


def scatter(
    xs: Any, ys: Any, labels: Sequence[str], *, x: str, y: str, title: str, diagonal: bool = False, zero: bool = True
) -> Any:
    """One mark per label; with `diagonal` the line on which the two are equal.

    Without `zero` the axes need not begin there.
    """
    import altair as alt

    rows: list[dict[str, Any]] = [
        {"label": label, "x": json_number(a), "y": json_number(b)} for label, a, b in zip(labels, xs, ys, strict=True)
    ][:MOST_MARKS]
    look: dict[str, Any] = {"scale": alt.Scale(zero=zero), "axis": alt.Axis(grid=False)}
    points = chart_of(rows).mark_circle(size=45, opacity=0.7, color=BLUE)
    points = points.encode(
        x=alt.X("x:Q", title=x, **look),
        y=alt.Y("y:Q", title=y, **look),
        tooltip=[
            alt.Tooltip("label:N", title="name"),
            alt.Tooltip("x:Q", format=".4f", title=x),
            alt.Tooltip("y:Q", format=".4f", title=y),
        ],
    )
    if not diagonal:
        return finish(points, title, 340, 340)
    known = [row[axis] for row in rows for axis in ("x", "y") if row[axis] is not None]
    ends = [{"x": value, "y": value} for value in ((min(known), max(known)) if known else (0.0, 1.0))]
    equal = chart_of(ends).mark_line(color=GREY, strokeDash=[4, 3], strokeWidth=1).encode(x="x:Q", y="y:Q")
    return finish(alt.layer(equal, points), title, 340, 340)


def steps(labels: Sequence[str], ys: Floats, *, x: str, y: str, title: str) -> Any:
    """A curve over names in their order; what is not finite is left out."""
    import altair as alt

    rows = [
        {"label": label, "y": float(value) if np.isfinite(value) else None}
        for label, value in zip(labels, ys, strict=True)
    ]
    drawn = chart_of(rows).mark_line(point=True, color=BLUE)
    drawn = drawn.encode(
        x=alt.X("label:N", sort=list(labels), title=x, axis=alt.Axis(labelAngle=-60, grid=False)),
        y=alt.Y("y:Q", title=y, scale=alt.Scale(zero=False)),
        tooltip=["label:N", alt.Tooltip("y:Q", format=".4f", title=y)],
    )
    return finish(drawn, title, max(240, min(640, 26 * len(rows))), 260)
