"""Charts as data: a chart says what is shown, `render/svg.py` and `render/mpl.py` say what it looks like.

Texts in a chart are plain strings or marked texts of `answers.wording`; colours are roles ("main", "muted", "up",
"down"), not values. A new kind of chart is a dataclass here and one function in each of the two renderers.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias


@dataclass(frozen=True, kw_only=True)
class Axis:
    """A horizontal axis. `whole` asks for whole numbers at the ticks, as for ranks."""

    title: str
    low: float
    high: float
    whole: bool = False


@dataclass(frozen=True, kw_only=True)
class Mark:
    """A value to see the others beside: a threshold or a ceiling."""

    value: float
    label: str


@dataclass(frozen=True, kw_only=True)
class Interval:
    """One row of a forest: a value with its interval, and a text beside the label."""

    label: str
    value: float
    low: float
    high: float
    beside: str = ""
    strong: bool = True
    #: Rows of one band stand on one background; a line separates bands.
    band: int = 0


@dataclass(frozen=True, kw_only=True)
class Forest:
    """Intervals one below the other."""

    axis: Axis
    rows: tuple[Interval, ...]
    marks: tuple[Mark, ...] = ()
    beside: str = ""
    description: str = ""


@dataclass(frozen=True, kw_only=True)
class Line:
    """One line of a slope chart, from a rank on the left to a rank on the right."""

    label: str
    left: int
    right: int
    #: "up", "down", "noise" or "same".
    move: str
    group: str = ""
    #: Whether its group is to be seen first.
    strong: bool = False


@dataclass(frozen=True, kw_only=True)
class Slope:
    """Ranks on two sides, connected."""

    left: str
    right: str
    lines: tuple[Line, ...]
    #: What the moves that occur mean, in this order.
    legend: tuple[tuple[str, str], ...] = ()
    description: str = ""


@dataclass(frozen=True, kw_only=True)
class CriticalDifference:
    """Scores on an axis, and bars that connect systems that are not significantly different.

    `groups` hold the places of their members. Standard errors differ between pairs, so a group need not be
    contiguous: a bar has a dot for each member, and none for a system that it only passes.
    """

    axis: Axis
    labels: tuple[str, ...]
    values: tuple[float, ...]
    groups: tuple[tuple[int, ...], ...]
    description: str = ""

    def layout(self) -> list[tuple[bool, int]]:
        """Return for each label whether it stands on the right, and its level: the upper half is on the right."""
        half = (len(self.labels) + 1) // 2
        return [(k < half, k if k < half else len(self.labels) - 1 - k) for k in range(len(self.labels))]


@dataclass(frozen=True, kw_only=True)
class Bar:
    """One bar: a label, its length, and the text at its end."""

    label: str
    value: float
    text: str = ""
    strong: bool = True


@dataclass(frozen=True, kw_only=True)
class Bars:
    """Bars one below the other, from 0."""

    axis: Axis
    bars: tuple[Bar, ...]
    description: str = ""


@dataclass(frozen=True, kw_only=True)
class Course:
    """One line of a timeline: a value at each time with its interval; NaN if there is none."""

    label: str
    values: tuple[float, ...]
    lows: tuple[float, ...]
    highs: tuple[float, ...]


@dataclass(frozen=True, kw_only=True)
class Timeline:
    """Ranks over time, the best at the top; `title` names the vertical axis."""

    times: tuple[str, ...]
    courses: tuple[Course, ...]
    title: str = ""
    description: str = ""

    @property
    def lowest(self) -> float:
        """The worst rank that is drawn."""
        return max((h for c in self.courses for h in (*c.highs, *c.values) if h == h), default=1.0)


@dataclass(frozen=True, kw_only=True)
class Point:
    """One point of a scatter chart; a group has a colour of its own."""

    label: str
    x: float
    y: float
    group: str = ""


@dataclass(frozen=True, kw_only=True)
class Scatter:
    """Points by two numbers each."""

    x: Axis
    y: Axis
    points: tuple[Point, ...]
    description: str = ""

    def named(self, most: int = 12) -> tuple[Point, ...]:
        """Return the points whose labels are written: those furthest from the others first, and none beside another."""
        wide, tall = self.x.high - self.x.low or 1.0, self.y.high - self.y.low or 1.0
        n = len(self.points)
        middle = sum(p.x for p in self.points) / n, sum(p.y for p in self.points) / n

        def far(p: Point) -> float:
            across, up = (p.x - middle[0]) / wide, (p.y - middle[1]) / tall
            return abs(across - up) + 0.3 * abs(across + up)

        chosen: list[Point] = []
        for point in sorted(self.points, key=far, reverse=True):
            apart = (abs(point.x - p.x) > 0.2 * wide or abs(point.y - p.y) > 0.04 * tall for p in chosen)
            if len(chosen) < most and all(apart):
                chosen.append(point)
        return tuple(chosen)


@dataclass(frozen=True, kw_only=True)
class Trace:
    """One line of a curve chart: values at increasing places, with limits where there are any."""

    label: str
    x: tuple[float, ...]
    y: tuple[float, ...]
    lows: tuple[float, ...] = ()
    highs: tuple[float, ...] = ()
    #: Whether it is drawn as a dashed line, as for an extrapolation or a diagonal.
    dashed: bool = False


@dataclass(frozen=True, kw_only=True)
class Curve:
    """Lines over a horizontal axis, with bands for their limits; marks are horizontal lines, `at` are vertical ones."""

    x: Axis
    y: Axis
    traces: tuple[Trace, ...]
    marks: tuple[Mark, ...] = ()
    at: tuple[Mark, ...] = ()
    description: str = ""


@dataclass(frozen=True, kw_only=True)
class Heatmap:
    """A matrix of numbers as colours, from `low` to `high`; NaN is drawn as no value."""

    rows: tuple[str, ...]
    columns: tuple[str, ...]
    values: tuple[tuple[float, ...], ...]
    low: float
    high: float
    #: What columns and rows are, where their names do not say.
    across: str = ""
    down: str = ""
    #: Decimals of the numbers in the cells, which are written where there is room.
    digits: int = 2
    description: str = ""

    def shade(self, value: float) -> float:
        """Return where a value lies between low and high, from 0 to 1."""
        return min(max((value - self.low) / ((self.high - self.low) or 1.0), 0.0), 1.0)


@dataclass(frozen=True, kw_only=True)
class Share:
    """Counts that make up a whole: one bar in parts, each with a label, a count and a role."""

    parts: tuple[tuple[str, int, str], ...]
    description: str = ""


Figure: TypeAlias = Forest | Slope | CriticalDifference | Bars | Timeline | Scatter | Curve | Heatmap | Share
