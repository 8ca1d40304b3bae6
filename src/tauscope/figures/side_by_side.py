"""Several charts side by side, on the same scales."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from .base import chart_of, json_number, looks_of, title_of

if TYPE_CHECKING:
    pass


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
    """Curves by the key `line`: one column of panels per value of `panel`, one row of them per quantity of `ys`.

    A value below `least` is drawn there, and the axis says so: one outlier must not flatten all the others.
    """
    import altair as alt

    names = list(dict.fromkeys(str(row[panel]) for row in rows))
    looks = looks_of([str(row[line]) for row in rows])
    look = {
        "x": alt.X("x:Q", title=x, axis=alt.Axis(grid=False, values=sorted({row[x] for row in rows}))),
        "color": alt.Color("line:N", title=None, sort=looks.names, scale=looks.scale(looks.colours)),
        "shape": alt.Shape("line:N", title=None, sort=looks.names, scale=looks.scale(looks.shapes)),
    }
    charts = []
    for quantity in ys:
        cut = least is not None and any(row[quantity] < least for row in rows)
        heights = alt.Y(
            "at:Q", title=f"{quantity} (cut at {least:g})" if cut else quantity, scale=alt.Scale(zero=False)
        )
        tooltip = ["line:N", "x:Q", alt.Tooltip("y:Q", format=".3f", title=quantity)]
        shown = []
        for name in names:
            own = [row for row in rows if str(row[panel]) == name]
            data = [
                {"x": row[x], "y": json_number(row[quantity]), "at": _at_least(row[quantity], least)}
                | {"line": str(row[line])}
                for row in own
            ]
            drawn = chart_of(data).mark_line(point=True).encode(y=heights, tooltip=tooltip, **look)
            shown.append(drawn.properties(width=200, height=160, title=name))
        charts.append(alt.hconcat(*shown).resolve_scale(y="shared"))
    return alt.vconcat(*charts, title=title_of(title))


def _at_least(value: float, least: float | None) -> float | None:
    number = json_number(value)
    return number if number is None or least is None else max(number, least)
