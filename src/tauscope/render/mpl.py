"""Charts with matplotlib, for papers: `ax=`, PDF and PGF, and the style sheet of the user.

Nothing global is changed: fonts, sizes and line widths come from `rcParams`, colours from `colours`.
"""

from __future__ import annotations

import io
from functools import singledispatch
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..answers.charts import (
    Axis,
    Bars,
    CriticalDifference,
    Curve,
    Figure,
    Forest,
    Heatmap,
    Scatter,
    Share,
    Slope,
    Timeline,
)
from ..errors import CallError, Option
from ..io.streams import write_bytes

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: Roles of colours; Okabe and Ito's palette, which is safe for colour blindness.
COLOURS = {
    "main": "#0072b2",
    "muted": "#8fbdd9",
    "rest": "#d0d7de",
    "bad": "#d55e00",
    "ink": "#1b1f23",
    "soft": "#57606a",
}
COLOURS |= {"up": "#0072b2", "down": "#d55e00", "noise": "#a9b2bb", "same": "#d0d7de", "mark": "#c85200"}
GROUPS = ("#0072b2", "#e69f00", "#009e73", "#d55e00", "#cc79a7", "#56b4e9", "#b8a800", "#777777")
#: Inches per row, and width of a figure that is made here.
ROW, WIDTH = 0.17, 5.6

#: What a chart is written as.
ENDINGS = (".pdf", ".pgf", ".svg", ".png")


def draw(figure: Figure, ax: Axes | None = None, colours: dict[str, str] | None = None, font_size: float = 8) -> Axes:
    """Draw a chart into `ax`, or into a new figure of a suitable size."""
    if ax is None:
        import matplotlib.pyplot as plt

        _, ax = plt.subplots(figsize=(WIDTH, _height(figure)), layout="constrained")
    _drawn(figure, ax, COLOURS | (colours or {}), font_size)
    return ax


def save(figure: Figure, path: str | Path) -> Path:
    """Draw a chart into a file, which appears whole or not at all; the same chart gives the same bytes.

    Parameters
    ----------
    figure : Figure
        The chart.
    path : str or Path
        Ends in .pdf, .pgf, .svg or .png.

    Returns
    -------
    Path
        The file.

    Raises
    ------
    CallError
        If the ending is another one.
    FileError
        If the file cannot be written.
    """
    target = Path(path)
    ending = target.suffix.lower()
    if ending not in ENDINGS:
        way = Option("plot", *(target.with_suffix(one).name for one in ENDINGS))
        raise CallError(f"{target.name}: a chart is written as {', '.join(ENDINGS[:-1])} or {ENDINGS[-1]}.", way)
    import matplotlib.pyplot as plt
    from matplotlib import rc_context

    made: Any = draw(figure).figure
    # The date of a PDF or an SVG, and random ids of an SVG, would make two files of one chart differ.
    known: dict[str, Any] = {".pdf": {"CreationDate": None, "Creator": "Tauscope"}, ".svg": {"Date": None}}
    data = io.BytesIO()
    try:
        with rc_context({"svg.hashsalt": "tauscope"}):
            made.savefig(data, format=ending[1:], dpi=200, metadata=known.get(ending))
    except RuntimeError as error:  # LaTeX measures the texts of a PGF
        raise CallError(f"{target.name}: a PGF file needs xelatex ({error}).", Option("plot", "chart.pdf")) from None
    finally:
        plt.close(made)
    write_bytes(target, data.getvalue())
    return target


@singledispatch
def _drawn(figure: Figure, ax: Axes, colours: dict[str, str], size: float) -> None:
    raise TypeError(f"There is no matplotlib drawing for {type(figure).__name__}.")


@_drawn.register(Forest)
def _(figure: Forest, ax: Axes, colours: dict[str, str], size: float) -> None:
    half = 0.5 if figure.axis.whole else 0.0
    for y, row in enumerate(figure.rows):
        colour = colours["main" if row.strong else "muted"]
        ax.barh(y, row.high - row.low + 2 * half, left=row.low - half, height=0.5, color=colour, linewidth=0)
        ax.plot(
            row.value, y, "|" if half else "o", color=colours["ink"], markersize=size * 0.8, markerfacecolor="white"
        )
        if y and row.band != figure.rows[y - 1].band:
            ax.axhline(y - 0.5, color=colours["soft"], linewidth=0.6)
        if row.beside:
            _beside(row.beside, y, ax, size)
    for mark in figure.marks:
        ax.axvline(mark.value, color=colours["mark"], linestyle=(0, (4, 3)), linewidth=1, zorder=0)
    _mark_labels(figure, ax, colours, size)
    if figure.beside:
        _beside(figure.beside, -1, ax, size)
    ax.set_yticks(range(len(figure.rows)), [row.label for row in figure.rows], fontsize=size)
    ax.set_ylim(len(figure.rows) - 0.4, -0.6)
    ax.tick_params(axis="y", length=0)
    ax.margins(y=0)
    _finish(figure.axis, ax, colours, size)
    ax.grid(axis="x", color=colours["rest"], linewidth=0.5)
    ax.set_axisbelow(True)


def _beside(text: str, y: float, ax: Axes, size: float) -> None:
    """Write a text to the right of the frame."""
    where: Any = ("axes fraction", "data")
    ax.annotate(text, (1.02, y), xycoords=where, va="center", fontsize=size, annotation_clip=False)


def _mark_labels(figure: Forest, ax: Axes, colours: dict[str, str], size: float) -> None:
    """Write the labels of marks above the frame, one above the other so that they cannot overlap."""
    for level, mark in enumerate(reversed([mark for mark in figure.marks if mark.label])):
        place: Any = {"xy": (mark.value, 1.0), "xycoords": ("data", "axes fraction"), "textcoords": "offset points"}
        place |= {"xytext": (0, 3 + level * size * 1.2), "ha": "right"}
        ax.annotate(mark.label, fontsize=size, color=colours["soft"], **place)


@_drawn.register(Slope)
def _(figure: Slope, ax: Axes, colours: dict[str, str], size: float) -> None:
    groups = {name: GROUPS[k % 8] for k, name in enumerate(sorted({line.group for line in figure.lines} - {""}))}
    left = sorted(figure.lines, key=lambda line: line.left)
    right = sorted(figure.lines, key=lambda line: (line.right, line.left))
    for y, line in enumerate(left):
        other = right.index(line)
        colour, width = (colours["ink"], 1.2) if line.strong else (colours[line.move], 1.0)
        ax.plot([0, 1], [y, other], color=colour, linewidth=width, zorder=2 if line.strong else 1)
        for x, at, rank, side, dot in ((0, y, line.left, "right", -0.11), (1, other, line.right, "left", 1.11)):
            edge: Any = {"va": "center", "fontsize": size, "clip_on": False}
            ax.text(x + (0.02 if x else -0.02), at, f"{rank}", ha=side, color=colours["soft"], **edge)
            ax.text(dot + (0.025 if x else -0.025), at, line.label, ha=side, color=colours["ink"], **edge)
            if line.group:
                ax.plot(dot, at, "o", color=groups[line.group], markersize=size * 0.45, clip_on=False)
    for at_x, side, name in ((-0.1, "right", figure.left), (1.1, "left", figure.right)):
        ax.text(at_x, -0.9, name, ha=side, va="bottom", fontsize=size, fontweight="bold")
    tones = colours | {"strong": colours["ink"]}
    keys = [ax.plot([], [], color=tones[move], label=text)[0] for move, text in figure.legend]
    dots: Any = {"marker": "o", "linestyle": "", "markersize": size * 0.45}
    keys += [ax.plot([], [], color=colour, label=name, **dots)[0] for name, colour in groups.items()]
    if keys:
        ax.legend(handles=keys, loc="upper center", bbox_to_anchor=(0.5, 0.0), ncols=3, fontsize=size, frameon=False)
    ax.set_ylim(len(figure.lines) - 0.5, -0.5)
    ax.set_xlim(0, 1)
    ax.set_axis_off()


@_drawn.register(CriticalDifference)
def _(figure: CriticalDifference, ax: Axes, colours: dict[str, str], size: float) -> None:
    spread = (figure.axis.high - figure.axis.low) or 1.0
    low, high = figure.axis.low - 0.08 * spread, figure.axis.high + 0.08 * spread
    depth = 0.55 * len(figure.groups) + 0.8
    for k, group in enumerate(figure.groups):
        members = [figure.values[place] for place in group]
        ax.plot([members[-1], members[0]], [0.55 * (k + 1)] * 2, color=colours["main"], linewidth=3, alpha=0.5)
        ax.plot(members, [0.55 * (k + 1)] * len(members), "o", color=colours["main"], markersize=size * 0.45)
    for place, (right, level) in enumerate(figure.layout()):
        x, y, end = figure.values[place], depth + level, high if right else low
        ax.plot([x, x, end], [0, y, y], color=colours["soft"], linewidth=0.7, zorder=0)
        side: Any = {"ha": "left", "xytext": (3, 0)} if right else {"ha": "right", "xytext": (-3, 0)}
        ax.annotate(figure.labels[place], (end, y), textcoords="offset points", va="center", fontsize=size, **side)
    ax.set_ylim(depth + (len(figure.labels) + 1) // 2 - 0.4, 0)
    ax.set_xlim(low, high)
    ax.set_yticks([])
    ax.xaxis.tick_top()
    ax.xaxis.set_label_position("top")
    for edge in ("left", "right", "bottom"):
        ax.spines[edge].set_visible(False)
    ax.set_xlabel(figure.axis.title, fontsize=size)
    ax.tick_params(labelsize=size)


@_drawn.register(Bars)
def _(figure: Bars, ax: Axes, colours: dict[str, str], size: float) -> None:
    for y, bar in enumerate(figure.bars):
        ax.barh(y, bar.value, height=0.6, color=colours["main" if bar.strong else "muted"], linewidth=0)
        if bar.value == bar.value:
            ax.annotate(bar.text, (bar.value, y), (3, 0), textcoords="offset points", va="center", fontsize=size)
    ax.set_yticks(range(len(figure.bars)), [bar.label for bar in figure.bars], fontsize=size)
    ax.set_ylim(len(figure.bars) - 0.4, -0.6)
    ax.tick_params(axis="y", length=0)
    _finish(figure.axis, ax, colours, size)


@_drawn.register(Timeline)
def _(figure: Timeline, ax: Axes, colours: dict[str, str], size: float) -> None:
    times = range(len(figure.times))
    for k, course in enumerate(figure.courses):
        there = [t for t in times if course.values[t] == course.values[t]]
        if not there:
            continue
        colour, values = GROUPS[k % len(GROUPS)], [course.values[t] for t in there]
        at = [t + 0.02 * (k - len(figure.courses) / 2) for t in there]
        ax.vlines(at, [course.lows[t] for t in there], [course.highs[t] for t in there], color=colour, alpha=0.4)
        ax.plot(at, values, "o-", color=colour, markersize=size * 0.45, linewidth=1.2)
        ax.annotate(course.label, (at[-1], values[-1]), (5, 0), textcoords="offset points", va="center", fontsize=size)
    ax.set_xticks(list(times), list(figure.times), fontsize=size)
    ax.set_ylim(figure.lowest + 0.5, 0.5)
    ax.set_xlabel("version", fontsize=size)
    ax.set_ylabel(figure.title, fontsize=size)
    ax.tick_params(labelsize=size, color=colours["soft"])
    for side in ("top", "right"):
        ax.spines[side].set_visible(False)


@_drawn.register(Scatter)
def _(figure: Scatter, ax: Axes, colours: dict[str, str], size: float) -> None:
    groups = sorted({point.group for point in figure.points})
    for k, group in enumerate(groups):
        own = [point for point in figure.points if point.group == group]
        colour = GROUPS[k % len(GROUPS)] if group else colours["main"]
        at = [point.x for point in own], [point.y for point in own]
        ax.plot(*at, "o", color=colour, markersize=size * 0.55, label=group or None, linestyle="")
    for point in figure.named():
        text: Any = {"textcoords": "offset points", "va": "center", "fontsize": size * 0.85, "color": colours["soft"]}
        ax.annotate(point.label, (point.x, point.y), (4, 0), **text)
    if any(groups):
        ax.legend(fontsize=size, frameon=False)
    _two_axes(figure.x, figure.y, ax, colours, size)


@_drawn.register(Curve)
def _(figure: Curve, ax: Axes, colours: dict[str, str], size: float) -> None:
    for k, trace in enumerate(figure.traces):
        colour, style = GROUPS[k % len(GROUPS)], "--" if trace.dashed else "-"
        alone = "o" if len(trace.x) == 1 else ""
        ax.plot(trace.x, trace.y, style, color=colour, linewidth=1.4, label=trace.label or None, marker=alone)
        if trace.lows:
            ax.fill_between(trace.x, trace.lows, trace.highs, color=colour, alpha=0.18, linewidth=0)
    dashed: Any = {"color": colours["mark"], "linestyle": (0, (4, 3)), "linewidth": 1, "zorder": 0}
    text: Any = {"textcoords": "offset points", "fontsize": size, "color": colours["soft"]}
    for mark in figure.marks:
        ax.axhline(mark.value, **dashed)
        ax.annotate(mark.label, (0.01, mark.value), (0, 3), xycoords=("axes fraction", "data"), **text)
    for level, mark in enumerate(figure.at):
        ax.axvline(mark.value, **dashed)
        place: Any = {"xycoords": ("data", "axes fraction"), **text}
        ax.annotate(mark.label, (mark.value, 0.02), (3, level * size * 1.2), **place)
    if len(figure.traces) > 1 and any(trace.label for trace in figure.traces):
        ax.legend(fontsize=size, frameon=False)
    ax.set_xlim(figure.x.low, figure.x.high)
    ax.set_ylim(figure.y.low, figure.y.high)
    _two_axes(figure.x, figure.y, ax, colours, size)


@_drawn.register(Heatmap)
def _(figure: Heatmap, ax: Axes, colours: dict[str, str], size: float) -> None:
    from matplotlib.colors import LinearSegmentedColormap

    shades = LinearSegmentedColormap.from_list("tauscope", ["#ffffff", colours["main"]])
    ax.imshow(figure.values, cmap=shades, vmin=figure.low, vmax=figure.high, aspect="auto")
    ax.set_xticks(range(len(figure.columns)), figure.columns, fontsize=size, rotation=45, ha="right")
    ax.set_yticks(range(len(figure.rows)), figure.rows, fontsize=size)
    ax.set_xlabel(figure.across, fontsize=size)
    ax.set_ylabel(figure.down, fontsize=size)
    ax.tick_params(length=0)
    for side in ax.spines.values():
        side.set_visible(False)
    if len(figure.columns) <= 12 and len(figure.rows) <= 30:
        for y, row in enumerate(figure.values):
            for x, value in enumerate(row):
                ink = "white" if value == value and figure.shade(value) > 0.55 else colours["ink"]
                shown = f"{value:.{figure.digits}f}" if value == value else "–"
                ax.text(x, y, shown, ha="center", va="center", fontsize=size, color=ink)


def _two_axes(x: Axis, y: Axis, ax: Axes, colours: dict[str, str], size: float) -> None:
    ax.set_xlabel(x.title, fontsize=size)
    ax.set_ylabel(y.title, fontsize=size)
    ax.tick_params(labelsize=size, color=colours["soft"])
    ax.grid(color=colours["rest"], linewidth=0.5)
    ax.set_axisbelow(True)
    for side in ("top", "right"):
        ax.spines[side].set_visible(False)


@_drawn.register(Share)
def _(figure: Share, ax: Axes, colours: dict[str, str], size: float) -> None:
    begin = 0
    for label, n, role in figure.parts:
        ax.barh(0, n, left=begin, color=colours[role], label=f"{label} {n:,}", linewidth=0)
        begin += n
    ax.legend(fontsize=size, frameon=False, ncols=len(figure.parts), loc="upper left", bbox_to_anchor=(0, 0))
    ax.set_axis_off()


def _finish(axis: Axis, ax: Axes, colours: dict[str, str], size: float) -> None:
    room = 0.5 if axis.whole else 0.0
    ax.set_xlim(axis.low - room, axis.high + room)
    if axis.whole:
        from matplotlib.ticker import MaxNLocator

        found = MaxNLocator(9, integer=True, steps=[1, 2, 5, 10]).tick_values(axis.low, axis.high)
        room = (found[1] - found[0]) / 2  # between the ends and their neighbours
        inner = (tick for tick in found if axis.low + room <= tick <= axis.high - room)
        ax.set_xticks(list(dict.fromkeys([axis.low, *inner, axis.high])))
    ax.set_xlabel(axis.title, fontsize=size)
    ax.tick_params(labelsize=size, color=colours["soft"])
    for side in ("top", "right", "left"):
        ax.spines[side].set_visible(False)


def _height(figure: Figure) -> float:
    if isinstance(figure, Forest):
        return 0.7 + ROW * max(4, len(figure.rows)) + 0.15 * sum(bool(mark.label) for mark in figure.marks)
    if isinstance(figure, Slope):
        return 1.0 + 0.155 * len(figure.lines)
    if isinstance(figure, Bars):
        return 0.7 + 1.4 * ROW * len(figure.bars)
    if isinstance(figure, Heatmap):
        return 1.2 + 1.3 * ROW * len(figure.rows)
    if isinstance(figure, (Timeline, Scatter, Curve)):
        return 3.8 if isinstance(figure, Scatter) else 3.2
    if isinstance(figure, CriticalDifference):
        return 0.6 + ROW * (len(figure.labels) / 2 + 0.55 * len(figure.groups))
    return 0.6
