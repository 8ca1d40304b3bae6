"""What all charts share: colours, the look, the data behind them, and saving them to files."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from textwrap import wrap
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..errors import CallError, FileError

if TYPE_CHECKING:
    import altair as alt

#: Okabe and Ito's colours: told apart by the colour-blind, and in grey by their lightness.
BLUE, ORANGE, GREEN, RED, GREY = "#0072B2", "#E69F00", "#009E73", "#D55E00", "#777777"
PURPLE, SKY, YELLOW, OLIVE, BLACK = "#CC79A7", "#56B4E9", "#F0E442", "#B8A800", "#000000"
PALETTE = (BLUE, ORANGE, GREEN, RED, PURPLE, SKY, YELLOW, GREY)
#: Letters in one line of a title.
LONGEST_TITLE = 72
#: Pixels of a row with a name.
ROW = 16
#: Ticks and words inside a chart; a dark page turns it light.
INK = "#222222"
#: More marks than this make a page slow and a figure black.
MOST_MARKS = 5_000
#: Lines of a chart that are told apart in grey as well: by colour, by dashes and by the shape of their points.
SERIES = (
    (BLUE, [1, 0], "circle"),
    (ORANGE, [6, 2], "square"),
    (GREEN, [2, 2], "triangle-up"),
    (RED, [8, 3, 2, 3], "diamond"),
    (PURPLE, [4, 4], "cross"),
    (SKY, [1, 3], "triangle-down"),
    (GREY, [10, 4], "triangle-right"),
    (BLACK, [3, 1], "triangle-left"),
    (OLIVE, [5, 1, 1, 1], "stroke"),
)
#: Endings of files that a chart can be saved as.
SAVED_AS = ("svg", "pdf", "png", "html", "json")
_SAVING: dict[str, dict[str, Any]] = {"png": {"scale_factor": 3}, "html": {"inline": True}}


def title_of(text: str) -> alt.TitleParams:
    """The title of a chart, above its left edge; a long one in several lines, so that it makes no chart wider."""
    import altair as alt

    text = text.replace("   ", " · ")
    lines = wrap(text, LONGEST_TITLE) or [""]
    return alt.TitleParams(lines if len(lines) > 1 else text, anchor="start", fontSize=13)


def finish(chart: Any, title: str, width: int = 420, height: int = 320) -> Any:
    """The look that all charts share."""
    import altair as alt

    # No configuration: charts that carry one cannot stand side by side.
    view = alt.ViewBackground(stroke=None)
    return chart.properties(width=width, height=height, title=title_of(title), view=view)


def save(chart: Any, path: str | Path) -> Path:
    """A chart as a file for a paper or a page; it appears whole or not at all.

    The ending says what it is: .svg, .pdf (vectors, fonts embedded), .png (three pixels per point), .html (works
    without a network), or .json, its specification.
    """
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
    except OSError as error:
        raise FileError(f"{path}: it cannot be written ({error.strerror or error}).") from None
    finally:
        part.unlink(missing_ok=True)
    return path


def chart_of(rows: list[dict[str, Any]]) -> alt.Chart:
    """A chart of these rows, without marks."""
    import altair as alt

    # As a plain dict: Altair would check an object of its own row by row, which takes a second for a heatmap.
    return alt.Chart({"values": rows})


def rule_at(x: float) -> alt.Chart:
    """A dashed vertical rule."""
    return chart_of([{"x": x}]).mark_rule(color=RED, strokeDash=[4, 3]).encode(x="x:Q")


def json_number(value: Any) -> float | None:
    """A number as JSON has it: undefined is None."""
    return None if value is None or np.isnan(value) else float(value)


#: Pixels of a name, and of a label that has two of them.
NAME, TWO_NAMES = 220, 460


def name_axis(field: str, place: str, *, limit: int = NAME, **options: Any) -> alt.Y:
    """A vertical axis of names in the order of `place`: a list of names would be written into an expression."""
    import altair as alt

    order = alt.EncodingSortField(place, op="min")
    # Every name is there: the chart grows with them.
    axis = alt.Axis(labelOverlap=False, labelLimit=limit, labelFontSize=12)
    return alt.Y(f"{field}:N", sort=order, title=None, axis=axis, **options)


class Looks(NamedTuple):
    """How the lines of a chart are told apart: colours, dashes and shapes of points, one of each per name."""

    names: list[str]
    colours: list[str]
    dashes: list[list[int]]
    shapes: list[str]

    def scale(self, values: Sequence[Any]) -> alt.Scale:
        """Each name with its value."""
        import altair as alt

        return alt.Scale(domain=self.names, range=list(values))


def looks_of(series: Sequence[str]) -> Looks:
    """The looks of these names, in the order in which they first appear."""
    names = list(dict.fromkeys(series))
    own = [SERIES[place % len(SERIES)] for place in range(len(names))]
    return Looks(names, [look[0] for look in own], [look[1] for look in own], [look[2] for look in own])
