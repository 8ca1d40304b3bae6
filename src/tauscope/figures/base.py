"""What all charts share: colours, the look, the data behind them, and saving them to files."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import CallError

if TYPE_CHECKING:
    import altair as alt

#: Okabe and Ito's colours: told apart by the colour-blind, and in grey by their lightness.
BLUE, ORANGE, GREEN, RED, GREY = "#0072B2", "#E69F00", "#009E73", "#D55E00", "#777777"
PALETTE = (BLUE, ORANGE, GREEN, RED, "#CC79A7", "#56B4E9", "#F0E442", GREY)
#: Ticks and words inside a chart; a dark page turns it light.
INK = "#222222"
#: More marks than this make a page slow and a figure black.
MOST_MARKS = 5_000
#: Lines of a chart that are told apart in grey as well: by colour, by dashes and by the shape of their points.
SERIES = (
    (BLUE, [1, 0], "circle"), (ORANGE, [6, 2], "square"), (GREEN, [2, 2], "triangle-up"), (RED, [8, 3, 2, 3], "diamond"),
    ("#CC79A7", [4, 4], "cross"), ("#56B4E9", [1, 3], "triangle-down"), (GREY, [10, 4], "triangle-right"),
    ("#000000", [3, 1], "triangle-left"), ("#B8A800", [5, 1, 1, 1], "stroke"),
)  # fmt: skip
#: Endings of files that a chart can be saved as.
SAVED_AS = ("svg", "pdf", "png", "html", "json")
_SAVING: dict[str, dict[str, Any]] = {"png": {"scale_factor": 3}, "html": {"inline": True}}


def finish(chart: Any, title: str, width: int = 420, height: int = 320) -> Any:
    """The look that all charts share."""
    import altair as alt

    # No configuration: charts that carry one cannot stand side by side.
    titled = alt.TitleParams(title, anchor="start", fontSize=13)
    return chart.properties(width=width, height=height, title=titled, view=alt.ViewBackground(stroke=None))


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


def chart_of(rows: list[dict[str, Any]]) -> alt.Chart:
    import altair as alt

    # As a plain dict: Altair would check an object of its own row by row, which takes a second for a heatmap.
    return alt.Chart({"values": rows})


def json_number(value: Any) -> float | None:
    return None if value is None or np.isnan(value) else float(value)


def name_axis(field: str, place: str, **options: Any) -> Any:
    """A vertical axis of names in their order. Sorted by a number: a list of names would be written into an expression."""
    import altair as alt

    return alt.Y(f"{field}:N", sort=alt.EncodingSortField(place, op="min"), title=None,
                 axis=alt.Axis(labelOverlap=True, labelLimit=160), **options)  # fmt: skip
