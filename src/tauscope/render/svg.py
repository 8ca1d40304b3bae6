"""Charts as SVG, for pages: no script, no bundle; colours are classes that the style sheet of the page defines.

Geometry is computed here and markup stands in `templates/*.svg`.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import singledispatch
from typing import Any

from ..answers.charts import (
    Axis,
    Bars,
    CriticalDifference,
    Curve,
    Figure,
    Forest,
    Heatmap,
    Interval,
    Scatter,
    Share,
    Slope,
    Timeline,
)
from .page import templates

#: Estimated width of a letter in pixels, at the font size of charts.
LETTER = 7.0
STEPS = (1, 2, 5, 10)
#: Pixels of the narrowest bar of an interval.
LEAST_BAR = 6.0
#: Pixels of a chart for a phone, and of one in a tile, which has no room for a title of its axis.
NARROW, TILE = 350, 330
#: Letters beside a row of a narrow chart; longer texts are left out, because the table has them.
MOST_BESIDE = 8


@dataclass(frozen=True)
class Scale:
    """From values to pixels, with ticks."""

    low: float
    high: float
    begin: float
    end: float
    ticks: tuple[tuple[float, str], ...]

    @classmethod
    def of(cls, axis: Axis, begin: float, end: float) -> Scale:
        """Fit an axis between two places; whole numbers have room for half a step at both ends."""
        room = 0.5 if axis.whole else 0.0
        low, high = axis.low - room, axis.high + room
        most = max(2, int(abs(end - begin) / 55))
        return cls(low, high, begin, end, tuple(ticks(axis, most)))

    def __call__(self, value: float) -> float:
        share = (min(max(value, self.low), self.high) - self.low) / ((self.high - self.low) or 1.0)
        return round(self.begin + share * (self.end - self.begin), 1)


def ticks(axis: Axis, most: int) -> Iterable[tuple[float, str]]:
    """Choose at most about `most` round values on an axis, and what they are called."""
    spread = (axis.high - axis.low) or 1.0
    power = 10.0 ** math.floor(math.log10(spread / most))
    step = next(factor * power for factor in STEPS if spread / (factor * power) <= most)
    if axis.whole:
        step = max(1.0, step)
        every = (k * step for k in range(1, int(axis.high / step) + 1))
        inner = [value for value in every if axis.low + step / 2 <= value <= axis.high - step / 2]
        return [(value, f"{value:,.0f}") for value in (axis.low, *inner, axis.high)]
    digits = max(0, -math.floor(math.log10(step) + 1e-9))
    first, last = math.ceil(axis.low / step - 1e-9), math.floor(axis.high / step + 1e-9)
    return [(k * step, f"{k * step + 0.0:,.{digits}f}") for k in range(first, last + 1)]


@singledispatch
def draw(figure: Figure, width: int = 640) -> str:
    """Draw a chart as an SVG element."""
    raise TypeError(f"There is no SVG template for {type(figure).__name__}.")


def _fill(name: str, **known: Any) -> str:
    return templates().get_template(f"{name}.svg").render(**known)


#: Where a name may be cut: before one of these.
_BOUNDARY = re.compile(r"(?<=[^\s_./:-])(?=[\s_./:-]+)")


def _letters(width: int, most: int = 22) -> int:
    """Return how many letters of a name a chart of this width shows."""
    return min(most, 12) if width == NARROW else most


def _short(labels: Iterable[str], letters: int) -> Callable[[str], str]:
    """Shorten labels so that they stay different; the title of an element has the whole.

    A label loses its middle, at the boundary of a word if one is near. Labels that would look the same keep more of
    their end, where names of versions and sizes differ, and are numbered if that does not help.
    """
    shown: dict[str, str] = {}
    for tail in (letters // 3, letters // 2, letters - 4):
        left = [label for label in dict.fromkeys(labels) if label not in shown]
        cut = {label: _cut(label, letters, tail) for label in left}
        alike = Counter([*cut.values(), *shown.values()])
        shown |= {label: short for label, short in cut.items() if alike[short] == 1}
    numbered = (label for label in dict.fromkeys(labels) if label not in shown)
    shown |= {label: f"{_cut(label, letters - 3, letters // 3)} {k}" for k, label in enumerate(numbered, 1)}
    return shown.__getitem__


def _cut(text: str, letters: int, tail: int) -> str:
    """Leave out the middle of a text: at most so many letters stay, about `tail` of them at the end."""
    if len(text) <= letters:
        return text
    head, tail = letters - tail - 1, len(text) - tail
    ends = [match.start() for match in _BOUNDARY.finditer(text)]
    head = max((end for end in ends if head - 5 <= end <= head), default=head)
    tail = min((end for end in ends if tail <= end <= tail + 4), default=tail)
    return f"{text[:head]}…{text[tail:]}"


@draw.register
def _(figure: Forest, width: int = 640) -> str:
    small, letters = width <= TILE, _letters(width)
    pitch = 18 if len(figure.rows) > 12 or small else 24
    label = min(letters, max(len(row.label) for row in figure.rows)) * LETTER + 10
    longest = max(len(row.beside) for row in figure.rows) if figure.beside and not small else 0
    beside = longest * LETTER + 14 if longest and (width > NARROW or longest <= MOST_BESIDE) else 0
    scale = Scale.of(figure.axis, label + 6, width - beside - 12)
    top = 8 + 14 * (sum(bool(mark.label) for mark in figure.marks) or 1)
    ends = [k for k, row in enumerate(figure.rows[1:], 1) if row.band != figure.rows[k - 1].band]
    half = 0.5 if figure.axis.whole else 0.0

    def bar(row: Interval) -> tuple[float, float]:
        """Where a bar begins and how wide it is: never so narrow that it cannot be seen."""
        begin, end = scale(row.low - half), scale(row.high + half)
        room = max(0.0, LEAST_BAR - (end - begin)) / 2
        return round(begin - room, 1), round(end - begin + 2 * room, 1)

    return _fill(
        "forest",
        bar=bar,
        figure=figure,
        width=width,
        height=top + pitch * len(figure.rows) + (22 if small else 38),
        top=top,
        bottom=top + pitch * len(figure.rows),
        titled=not small,
        pitch=pitch,
        label=label,
        scale=scale,
        half=half,
        ends=ends,
        beside=bool(beside),
        short=_short([row.label for row in figure.rows], letters),
    )


@draw.register
def _(figure: Slope, width: int = 640) -> str:
    rows = len(figure.lines)
    pitch = 15 if rows > 30 else 18 if rows > 15 else 24
    label = min(_letters(width), max(len(line.label) for line in figure.lines)) * LETTER + 48
    groups = {name: k % 8 for k, name in enumerate(sorted({line.group for line in figure.lines} - {""}))}
    legend = [(f"move {move}", text) for move, text in figure.legend]
    legend += [(f"g{k}", name) for name, k in groups.items()]
    placed, y = _placed(legend, width)
    left = {id(line): k for k, line in enumerate(sorted(figure.lines, key=lambda own: own.left))}
    right = {id(line): k for k, line in enumerate(sorted(figure.lines, key=lambda own: (own.right, own.left)))}
    top = y + 38 if placed else 24
    return _fill(
        "slope",
        figure=figure,
        width=width,
        height=top + pitch * rows + 4,
        top=top,
        label=label,
        legend=placed,
        groups=groups,
        lines=[
            (line, top + pitch * (left[id(line)] + 0.5), top + pitch * (right[id(line)] + 0.5)) for line in figure.lines
        ],
        short=_short([line.label for line in figure.lines], _letters(width)),
    )


@draw.register
def _(figure: CriticalDifference, width: int = 640) -> str:
    label = min(_letters(width), max(map(len, figure.labels))) * LETTER + 16
    scale = Scale.of(figure.axis, label + 20, width - label - 20)
    bars = 44 + 11 * len(figure.groups)
    sides = [(place, right, bars + 16 + 18 * level) for place, (right, level) in enumerate(figure.layout())]
    return _fill(
        "critical_difference",
        figure=figure,
        width=width,
        height=max(y for _, _, y in sides) + 12,
        label=label,
        scale=scale,
        sides=sides,
        short=_short(figure.labels, _letters(width)),
    )


@draw.register
def _(figure: Bars, width: int = 640) -> str:
    label = min(_letters(width, 30), max(len(bar.label) for bar in figure.bars)) * LETTER + 10
    beside = max(len(bar.text) for bar in figure.bars) * LETTER + 14
    scale = Scale.of(figure.axis, label + 6, width - beside)
    pitch = 26
    return _fill(
        "bars",
        figure=figure,
        width=width,
        height=pitch * len(figure.bars) + 38,
        bottom=pitch * len(figure.bars),
        pitch=pitch,
        label=label,
        scale=scale,
        short=_short([bar.label for bar in figure.bars], _letters(width, 30)),
    )


@draw.register
def _(figure: Timeline, width: int = 640) -> str:
    label = min(_letters(width), max(len(course.label) for course in figure.courses)) * LETTER + 14
    top, bottom = 10, 330
    across = Scale.of(Axis(title="", low=0, high=len(figure.times) - 1), 46, width - label - 8)
    down = Scale.of(Axis(title="", low=1, high=figure.lowest, whole=True), top, bottom)
    courses = []
    for k, course in enumerate(figure.courses):
        runs = [t for t, value in enumerate(course.values) if value == value]
        points = [(across(t), down(course.values[t]), down(course.lows[t]), down(course.highs[t])) for t in runs]
        courses.append((course, k % 8, points))
    ends = sorted((points[-1][1], k) for k, (_, _, points) in enumerate(courses) if points)
    place: dict[int, float] = {}
    for y, k in ends:
        place[k] = max(y, max(place.values(), default=-99.0) + 13)
    return _fill(
        "timeline",
        figure=figure,
        width=width,
        height=bottom + 30,
        bottom=bottom,
        across=across,
        down=down,
        courses=courses,
        place=place,
        label=width - label,
        short=_short([*(course.label for course in figure.courses), *figure.times], _letters(width)),
    )


@draw.register
def _(figure: Scatter, width: int = 640) -> str:
    groups = {name: k % 8 for k, name in enumerate(sorted({point.group for point in figure.points} - {""}))}
    legend, y = _placed([(f"g{k}", name) for name, k in groups.items()], width)
    top = y + 36 if legend else 26
    bottom = top + min(380, int(0.62 * width))
    across = Scale.of(_roomy(figure.x), 54, width - 16)
    up = Scale.of(_roomy(figure.y), bottom, top)
    named = figure.named()
    short = _short([point.label for point in named], _letters(width))
    taken: list[tuple[float, float]] = []
    points = []
    for point in figure.points:
        x, at = across(point.x), up(point.y)
        free = point in named and all(abs(x - a) > 150 or abs(at - b) > 13 for a, b in taken)
        taken += [(x, at)] if free else []
        colour = f"g{groups[point.group]}" if point.group else "dot"
        points.append((point, colour, x, at, short(point.label) if free else ""))
    return _fill(
        "scatter",
        figure=figure,
        width=width,
        height=bottom + 42,
        top=top,
        bottom=bottom,
        across=across,
        up=up,
        legend=legend,
        points=points,
    )


@draw.register
def _(figure: Curve, width: int = 640) -> str:
    legend, y = _placed([(f"g{k % 8}", trace.label) for k, trace in enumerate(figure.traces) if trace.label], width)
    legend = legend if len(figure.traces) > 1 else []
    top = (y + 36) if legend else 26
    bottom = top + min(300, int(0.5 * width))
    across, up = Scale.of(figure.x, 54, width - 16), Scale.of(figure.y, bottom, top)
    traces = []
    for k, trace in enumerate(figure.traces):
        known = [(across(x), up(v)) for x, v in zip(trace.x, trace.y, strict=True) if v == v]
        band = list(zip(trace.x, trace.lows, trace.highs, strict=False))
        band = [(x, low, high) for x, low, high in band if low == low and high == high]
        edge = [(across(x), up(high)) for x, _, high in band] + [(across(x), up(low)) for x, low, _ in reversed(band)]
        traces.append((trace, k % 8, known, edge))
    return _fill(
        "curve",
        figure=figure,
        width=width,
        height=bottom + 42,
        top=top,
        bottom=bottom,
        across=across,
        up=up,
        legend=legend,
        traces=traces,
    )


#: Pixels of a cell of a heatmap in which a number can be written.
CELL = 30


@draw.register
def _(figure: Heatmap, width: int = 640) -> str:
    label = min(_letters(width), max(map(len, figure.rows))) * LETTER + 18
    cell = round(max(6.0, min(44.0, (width - label - 4) / max(1, len(figure.columns)))), 1)
    deep = min(CELL, cell) if cell >= 12 else cell
    foot = min(_letters(width), max(map(len, figure.columns))) * LETTER * 0.75 + 24 if cell >= 11 else 6
    head = 18 if figure.across or figure.down else 0
    shaded = [[(value, round(figure.shade(value), 3)) for value in row] for row in figure.values]
    return _fill(
        "heatmap",
        figure=figure,
        width=max(width, int(label + cell * len(figure.columns) + 4)),
        height=round(head + deep * len(figure.rows) + foot),
        head=head,
        label=label,
        cell=cell,
        deep=deep,
        rows=shaded,
        numbers=cell >= CELL + 4 * (figure.digits > 2) and len(figure.rows) <= 30,
        short=_short([*figure.rows, *figure.columns], _letters(width)),
    )


def _roomy(axis: Axis) -> Axis:
    """Widen an axis a little, so that no point touches its ends."""
    room = 0.05 * ((axis.high - axis.low) or 1.0)
    return Axis(title=axis.title, low=axis.low - room, high=axis.high + room)


def _placed(legend: list[tuple[str, str]], width: int) -> tuple[list[tuple[str, str, float, int]], int]:
    """Place the entries of a legend in lines, and return where the last line stands."""
    placed, x, y = [], 0.0, 10
    for kind, text in legend:
        need = len(text) * LETTER + 34
        x, y = (0.0, y + 18) if x and x + need > width else (x, y)
        placed.append((kind, text, x, y))
        x += need
    return placed, y


@draw.register
def _(figure: Share, width: int = 300) -> str:
    total = sum(n for _, n, _ in figure.parts) or 1
    begins = [sum(n for _, n, _ in figure.parts[:k]) / total for k in range(len(figure.parts))]
    parts = [(label, n, role, begin, n / total) for (label, n, role), begin in zip(figure.parts, begins, strict=True)]
    return _fill("share", figure=figure, parts=parts, width=width)
