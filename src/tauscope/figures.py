"""Charts from arrays and labels (Altair). Knows no domain type; Altair is imported when a chart is made."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from .errors import CallError
from .ties import Floats

if TYPE_CHECKING:
    import altair as alt

#: Okabe and Ito's colours: told apart by the colour-blind, and in grey by their lightness.
BLUE, ORANGE, GREEN, RED, GREY = "#0072B2", "#E69F00", "#009E73", "#D55E00", "#777777"
PALETTE = (BLUE, ORANGE, GREEN, RED, "#CC79A7", "#56B4E9", "#F0E442", GREY)
#: Ticks and words inside a chart; a dark page turns it light.
INK = "#222222"
#: More marks than this make a page slow and a figure black.
MOST_MARKS = 5_000


def _finish(chart: Any, title: str, width: int = 420, height: int = 320) -> Any:
    """The look that all charts share."""
    import altair as alt

    # No configuration: charts that carry one cannot stand side by side.
    titled = alt.TitleParams(title, anchor="start", fontSize=13)
    return chart.properties(width=width, height=height, title=titled, view=alt.ViewBackground(stroke=None))


#: Endings of files that a chart can be saved as.
SAVED_AS = ("svg", "pdf", "png", "html", "json")
_SAVING: dict[str, dict[str, Any]] = {"png": {"scale_factor": 3}, "html": {"inline": True}}


def save(chart: Any, path: str | Path) -> Path:
    """A chart as a file for a paper or a page: .svg, .pdf (vectors, fonts embedded), .png (three pixels a point), .html (works
    without a network), or its .json specification. The file appears whole or not at all."""
    path = Path(path)
    kind = path.suffix.lower().removeprefix(".")
    if kind not in SAVED_AS:
        raise CallError(f"{path}: a figure ends in {', '.join('.' + k for k in SAVED_AS)}.")
    if not path.parent.is_dir():
        raise CallError(f"{path}: there is no folder {path.parent}.")
    part = path.with_name(f".{path.name}.part")
    try:
        chart.save(str(part), format=kind, **_SAVING.get(kind, {}))
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)
    return path


def _data(rows: list[dict[str, Any]]) -> alt.Chart:
    import altair as alt

    # As a plain dict: Altair would check an object of its own row by row, which takes a second for a heatmap.
    return alt.Chart({"values": rows})


def _number(value: Any) -> float | None:
    return None if value is None or np.isnan(value) else float(value)


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
    points = _data(rows).mark_circle(size=55, opacity=0.8, color=BLUE).encode(
        x=alt.X("b:Q", title=f"rank in {names[1]}", scale=scale, axis=axis),
        y=alt.Y("a:Q", title=f"rank in {names[0]}", scale=scale, axis=axis),
        tooltip=[alt.Tooltip("item:N", title="name"), alt.Tooltip("a:Q", title="rank, vertical"), alt.Tooltip("b:Q", title="rank, horizontal")],
    )  # fmt: skip
    ends = [{"a": 1.0, "b": 1.0}, {"a": end, "b": end}]
    diagonal = _data(ends).mark_line(color=GREY, strokeDash=[4, 3], strokeWidth=1).encode(x="b:Q", y="a:Q")
    return _finish(alt.layer(diagonal, points), title, 340, 340)


def bars(places: Floats, heights: Floats, labels: Sequence[str], *, x: str, y: str, title: str) -> Any:
    """One bar a place, in order."""
    import altair as alt

    rows = [
        {"label": label, "x": float(a), "y": _number(b)} for label, a, b in zip(labels, places, heights, strict=True)
    ][:MOST_MARKS]
    return _finish(_data(rows).mark_bar(color=BLUE).encode(
        x=alt.X("x:Q", title=x, scale=alt.Scale(nice=False, padding=8), axis=alt.Axis(tickMinStep=1, grid=False)),
        y=alt.Y("y:Q", title=y, axis=alt.Axis(grid=False)), tooltip=["label:N", alt.Tooltip("x:Q", title=x), alt.Tooltip("y:Q", format=".4f")],
    ), title)  # fmt: skip


def histogram(values: Floats, *, x: str, title: str) -> Any:
    """How values are spread; the counting is done here, so that a million values are forty bars."""
    import altair as alt

    counts, edges = np.histogram(values, bins=40)
    rows = [
        {"from": float(a), "to": float(b), "count": int(n)} for a, b, n in zip(edges, edges[1:], counts, strict=False)
    ]
    return _finish(_data(rows).mark_bar(color=BLUE).encode(
        x=alt.X("from:Q", title=x, bin="binned", axis=alt.Axis(grid=False)), x2="to:Q", y=alt.Y("count:Q", title="rows", axis=alt.Axis(grid=False)), tooltip=["from:Q", "to:Q", "count:Q"]
    ), title)  # fmt: skip


def line(xs: Floats, ys: Floats, *, x: str, y: str, title: str, mark: float | None = None) -> Any:
    """A curve, with a rule at `mark`."""
    import altair as alt

    rows = [{"x": float(a), "y": _number(b)} for a, b in zip(xs, ys, strict=True)]
    chart = _data(rows).mark_line(point=True, color=BLUE).encode(
        x=alt.X("x:Q", title=x, axis=alt.Axis(grid=False)), y=alt.Y("y:Q", title=y, scale=alt.Scale(zero=False), axis=alt.Axis(grid=False)),
        tooltip=[alt.Tooltip("x:Q", title=x), alt.Tooltip("y:Q", format=".4f", title=y)],
    )  # fmt: skip
    if mark is not None:
        rule = _data([{"x": mark}]).mark_rule(color=RED, strokeDash=[4, 3]).encode(x="x:Q")
        chart = alt.layer(chart, rule)
    return _finish(chart, title)


def band(
    xs: Floats, ys: Floats, low: Floats, high: Floats, *, x: str, y: str, title: str, mark: float | None = None
) -> Any:
    """A curve with its limits as a shaded band, and a rule at `mark`."""
    import altair as alt

    rows = [
        {"x": float(a), "y": _number(b), "low": _number(c), "high": _number(d)}
        for a, b, c, d in zip(xs, ys, low, high, strict=True)
    ]
    data = _data(rows)
    places = alt.X("x:Q", title=x, scale=alt.Scale(type="log", nice=False))
    tooltip = [alt.Tooltip("x:Q", title=x)] + [alt.Tooltip(f"{name}:Q", format=".4f") for name in ("y", "low", "high")]
    area = data.mark_area(color=BLUE, opacity=0.2).encode(x=places, y=alt.Y("low:Q", title=y), y2="high:Q")
    curve = data.mark_line(point=True, color=BLUE).encode(
        x=places, y=alt.Y("y:Q", title=y, scale=alt.Scale(zero=False)), tooltip=tooltip
    )
    layers = [area, curve]
    if mark is not None:
        layers.append(_data([{"x": mark}]).mark_rule(color=RED, strokeDash=[4, 3]).encode(x="x:Q"))
    return _finish(alt.layer(*layers), title)


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
) -> Any:
    """One bar a label from low to high, with a tick in between; the first label at the top. `groups` are colours, and a
    click on the legend leaves one of them."""
    import altair as alt

    rows = [
        {"place": place, "label": label, "low": _number(a), "high": _number(b), "at": _number(c)}
        | ({"group": groups[place]} if groups else {})
        for place, (label, a, b, c) in enumerate(zip(labels, low, high, at, strict=True))
    ][: MOST_MARKS // 2]
    data = _data(rows)
    names = _labels("label", "place")
    scale = alt.Scale(zero=False, nice=False, padding=6)
    tooltip = [
        alt.Tooltip("label:N", title="name"),
        *(alt.Tooltip(f"{k}:Q", format=".4~g") for k in ("low", "at", "high")),
    ]
    colour: dict[str, Any] = {}
    if groups:
        picked = alt.selection_point(fields=["group"], bind="legend", name="picked")
        colour = {
            "color": alt.Color("group:N", title=group, scale=alt.Scale(range=list(PALETTE)), sort=None),
            "opacity": alt.condition(picked, alt.value(0.9), alt.value(0.1)),
        }
        tooltip.append(alt.Tooltip("group:N", title=group))
    bar = data.mark_bar(**({} if groups else {"color": BLUE, "opacity": 0.4}), height={"band": 0.7}).encode(
        x=alt.X("low:Q", title=x, scale=scale, axis=alt.Axis(grid=False)), x2="high:Q", y=names, tooltip=tooltip, **colour
    )  # fmt: skip
    if groups:
        bar = bar.add_params(picked)
    tick = data.mark_tick(color=INK, thickness=2, height={"band": 0.7}).encode(
        x=alt.X("at:Q", scale=scale), y=names, tooltip=tooltip
    )
    layers = [bar, tick]
    if mark is not None:
        layers.append(_data([{"x": mark}]).mark_rule(color=RED, strokeDash=[4, 3]).encode(x="x:Q"))
    return _finish(alt.layer(*layers), title, 420, max(60, min(1800, 14 * len(rows))))


def _labels(field: str, place: str, **options: Any) -> Any:
    """A vertical axis of names in their order. Sorted by a number: a list of names would be written into an expression."""
    import altair as alt

    return alt.Y(f"{field}:N", sort=alt.EncodingSortField(place, op="min"), title=None,
                 axis=alt.Axis(labelOverlap=True, labelLimit=160), **options)  # fmt: skip


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
        {"r": i, "c": j, "row": names["r"][i], "column": names["c"][j], "v": _number(values[i, j])}
        for i in range(values.shape[0])
        for j in range(values.shape[1])
    ]
    side = max(160, min(460, 22 * max(values.shape)))
    scheme = alt.Scale(scheme="blues") if not diverging else alt.Scale(scheme="blues", domainMax=1)
    by = {"r": alt.EncodingSortField("r", op="min"), "c": alt.EncodingSortField("c", op="min")}
    many = max(values.shape) > 40  # up to there, every label has a place
    angle = -45 if values.shape[1] <= 30 else -90
    return _finish(_data(cells).mark_rect().encode(
        x=alt.X("column:N", sort=by["c"], title=columns, axis=alt.Axis(labelOverlap=many, labelAngle=angle, labelLimit=120)),
        y=alt.Y("row:N", sort=by["r"], title=rows, axis=alt.Axis(labelOverlap=many, labelLimit=160)),
        color=alt.Color("v:Q", scale=scheme, title=None), tooltip=["row:N", "column:N", alt.Tooltip("v:Q", format=".4f", title="value")],
    ), title, side, side)  # fmt: skip


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


def bump(first: Floats, second: Floats, labels: Sequence[str], *, names: tuple[str, str], title: str) -> Any:
    """A line a label from its rank on the left to its rank on the right; rank 1 at the top. A click on the legend leaves
    those that rose, fell or stayed."""
    import altair as alt

    kinds = np.where(second < first, "rose", np.where(second > first, "fell", "stayed"))
    order = np.argsort(-np.abs(second - first), kind="stable")[: MOST_MARKS // 2]
    rows = [
        {"label": labels[i], "side": side, "rank": float((first, second)[side][i]), "kind": str(kinds[i]),
         "from": float(first[i]), "to": float(second[i]), "moved": float(abs(second[i] - first[i]))}
        for i in order.tolist()
        for side in (0, 1)
    ]  # fmt: skip
    picked = alt.selection_point(fields=["kind"], bind="legend", name="picked")
    tooltip = [alt.Tooltip("label:N", title="name"), alt.Tooltip("from:Q", title="rank on the left"),
               alt.Tooltip("to:Q", title="rank on the right")]  # fmt: skip
    end = float(max(2, len(labels)))
    y = alt.Y("rank:Q", title="rank", axis=alt.Axis(grid=False, tickMinStep=1), scale=alt.Scale(reverse=True, nice=False, domain=[1, end], padding=6))  # fmt: skip
    # Two places on a line, named by the axis title: names of the sides are data, never part of an expression.
    x = alt.X("side:Q", title=None, axis=None, scale=alt.Scale(domain=[0, 1], padding=12))
    base = _data(rows).encode(x=x, y=y, detail="label:N", tooltip=tooltip)
    opacity = alt.condition(picked, alt.value(0.75), alt.value(0.05))
    colour = alt.Color("kind:N", title="on the right", scale=alt.Scale(domain=["rose", "fell", "stayed"], range=[BLUE, ORANGE, GREY]))  # fmt: skip
    width = alt.StrokeWidth("moved:Q", legend=None, scale=alt.Scale(range=[0.7, 3.5]))
    lines = base.mark_line().encode(color=colour, strokeWidth=width, opacity=opacity).add_params(picked)
    points = base.mark_circle(size=28).encode(color=colour, opacity=opacity)
    ends = [{"side": 0, "name": names[0]}, {"side": 1, "name": names[1]}]
    heads = _data(ends).mark_text(baseline="bottom", dy=-8, limit=200, fontWeight="bold", color=INK).encode(
        x=x, y=alt.value(0), text="name:N"
    )  # fmt: skip
    return _finish(alt.layer(lines, points, heads), title, 380, max(220, min(900, 9 * len(labels))))


#: Lines of a chart that are told apart in grey as well: by colour, by dashes and by the shape of their points.
_SERIES = (
    (BLUE, [1, 0], "circle"), (ORANGE, [6, 2], "square"), (GREEN, [2, 2], "triangle-up"), (RED, [8, 3, 2, 3], "diamond"),
    ("#CC79A7", [4, 4], "cross"), ("#56B4E9", [1, 3], "triangle-down"), (GREY, [10, 4], "triangle-right"),
    ("#000000", [3, 1], "triangle-left"), ("#B8A800", [5, 1, 1, 1], "stroke"),
)  # fmt: skip


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
        {"x": float(a), "y": _number(b), "low": _number(b - e), "high": _number(b + e), "s": s, "r": r, "c": c}
        for a, b, e, s, r, c in zip(xs, ys, errors, series, rows, columns, strict=True)
    ]
    names = list(dict.fromkeys(series))
    looks = [_SERIES[place % len(_SERIES)] for place in range(len(names))]
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


def scatter(
    xs: Any, ys: Any, labels: Sequence[str], *, x: str, y: str, title: str, diagonal: bool = False, zero: bool = True
) -> Any:
    """A mark a label; with `diagonal` the line on which the two are equal. Without `zero` the axes need not begin there."""
    import altair as alt

    rows: list[dict[str, Any]] = [
        {"label": label, "x": _number(a), "y": _number(b)} for label, a, b in zip(labels, xs, ys, strict=True)
    ][:MOST_MARKS]
    points = _data(rows).mark_circle(size=45, opacity=0.7, color=BLUE).encode(
        x=alt.X("x:Q", title=x, scale=alt.Scale(zero=zero), axis=alt.Axis(grid=False)), y=alt.Y("y:Q", title=y, scale=alt.Scale(zero=zero), axis=alt.Axis(grid=False)),
        tooltip=[alt.Tooltip("label:N", title="name"), alt.Tooltip("x:Q", format=".4f", title=x), alt.Tooltip("y:Q", format=".4f", title=y)],
    )  # fmt: skip
    if not diagonal:
        return _finish(points, title, 340, 340)
    known = [row[axis] for row in rows for axis in ("x", "y") if row[axis] is not None]
    ends = [{"x": value, "y": value} for value in ((min(known), max(known)) if known else (0.0, 1.0))]
    line = _data(ends).mark_line(color=GREY, strokeDash=[4, 3], strokeWidth=1).encode(x="x:Q", y="y:Q")
    return _finish(alt.layer(line, points), title, 340, 340)


def framed_curves(xs: Sequence[float], ys: Sequence[Any], *, x: str, y: str, title: str, frames: Sequence[str]) -> Any:
    """Named curves over the same places: `ys` is (name, values) for each, `frames` the panel of each, three side by side."""
    import altair as alt

    rows = [
        {"s": name, "frame": frame, "x": float(a), "y": _number(b)}
        for (name, values), frame in zip(ys, frames, strict=True)
        for a, b in zip(xs, values, strict=True)
    ]
    names = list(dict.fromkeys(name for name, _ in ys))
    looks = [_SERIES[place % len(_SERIES)] for place in range(len(names))]
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


def steps(labels: Sequence[str], ys: Floats, *, x: str, y: str, title: str) -> Any:
    """A curve over names in their order; what is not finite is left out."""
    import altair as alt

    rows = [
        {"label": label, "y": float(value) if np.isfinite(value) else None}
        for label, value in zip(labels, ys, strict=True)
    ]
    axis = alt.Axis(labelAngle=-60, grid=False)
    return _finish(_data(rows).mark_line(point=True, color=BLUE).encode(
        x=alt.X("label:N", sort=list(labels), title=x, axis=axis), y=alt.Y("y:Q", title=y, scale=alt.Scale(zero=False)),
        tooltip=["label:N", alt.Tooltip("y:Q", format=".4f", title=y)],
    ), title, max(240, min(640, 26 * len(rows))), 260)  # fmt: skip


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
    looks = [_SERIES[place % len(_SERIES)] for place in range(len(names))]
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
                    "y": _number(row[quantity]),
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
                _data(data)
                .mark_line(point=True)
                .encode(x=places, y=heights, color=colour, shape=shape, tooltip=tooltip)
            )
            shown.append(drawn.properties(width=200, height=160, title=name))
        charts.append(alt.hconcat(*shown).resolve_scale(y="shared"))
    return alt.vconcat(*charts, title=alt.TitleParams(title, anchor="start", fontSize=13))


def _at_least(value: float, least: float | None) -> float | None:
    number = _number(value)
    return number if number is None or least is None else max(number, least)
