"""Charts as data: a chart says what is shown, `render/svg.py` and `render/mpl.py` say what it looks like.

Texts in a chart are plain strings or marked texts of `answers.wording`; colours are roles ("main", "muted", "up",
"down"), not values. A new kind of chart is a dataclass here and one function in each of the two renderers.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias


@dataclass(frozen=True, kw_only=True)
class Axis:
    """A horizontal or vertical axis.

    Attributes
    ----------
    title : str
        What the values are.
    low, high : float
        Its ends; renderers add room where points would touch them.
    whole : bool
        Whether only whole numbers stand at the ticks, as for ranks.
    """

    title: str
    low: float
    high: float
    whole: bool = False


@dataclass(frozen=True, kw_only=True)
class Mark:
    """A value to see the others beside: a threshold or a ceiling.

    Attributes
    ----------
    value : float
        Where it stands.
    label : str
        What it means.
    """

    value: float
    label: str


@dataclass(frozen=True, kw_only=True)
class Interval:
    """One row of a forest: a value with its interval.

    Attributes
    ----------
    label : str
        The name of the row.
    value, low, high : float
        The value and its limits; NaN if there is no interval.
    beside : str
        A text at the end of the row.
    strong : bool
        Whether it has the main colour.
    band : int
        Rows of one band, such as a tier, stand together; a line separates bands.
    """

    label: str
    value: float
    low: float
    high: float
    beside: str = ""
    strong: bool = True
    band: int = 0


@dataclass(frozen=True, kw_only=True)
class Forest:
    """Intervals one below the other: ranks, agreements, strengths or differences.

    Attributes
    ----------
    axis : Axis
        The horizontal axis.
    rows : tuple of Interval
        The rows, from the top.
    marks : tuple of Mark
        Vertical lines.
    beside : str
        The title of the texts at the end of the rows; "" if there are none.
    description : str
        What the chart shows, for people who cannot see it.
    """

    axis: Axis
    rows: tuple[Interval, ...]
    marks: tuple[Mark, ...] = ()
    beside: str = ""
    description: str = ""


@dataclass(frozen=True, kw_only=True)
class Line:
    """One line of a slope chart, from a rank on the left to a rank on the right.

    Attributes
    ----------
    label : str
        The name of the system.
    left, right : int
        Its ranks.
    move : {"up", "down", "noise", "same"}
        Whether it moved significantly, not significantly, or not at all.
    group : str
        Its group, which has a colour; "" for none.
    strong : bool
        Whether its group is to be seen first.
    """

    label: str
    left: int
    right: int
    move: str
    group: str = ""
    strong: bool = False


@dataclass(frozen=True, kw_only=True)
class Slope:
    """Ranks on two sides, connected: which systems move if the judge decides?

    Attributes
    ----------
    left, right : str
        The titles of both sides.
    lines : tuple of Line
        One line per system.
    legend : tuple of (str, str)
        The moves that occur and what they mean, in this order.
    description : str
        What the chart shows, for people who cannot see it.
    """

    left: str
    right: str
    lines: tuple[Line, ...]
    legend: tuple[tuple[str, str], ...] = ()
    description: str = ""


@dataclass(frozen=True, kw_only=True)
class CriticalDifference:
    """Scores on an axis, and bars that connect systems that are not significantly different.

    Standard errors differ between pairs, so a group need not be contiguous: a bar has a dot for each member, and none
    for a system that it only passes.

    Attributes
    ----------
    axis : Axis
        The axis of the scores.
    labels, values : tuple of str, tuple of float
        Systems and their scores, the best first.
    groups : tuple of tuple of int
        The places of the members of each group.
    description : str
        What the chart shows, for people who cannot see it.

    References
    ----------
    demsar2006, who proposed the diagram.
    """

    axis: Axis
    labels: tuple[str, ...]
    values: tuple[float, ...]
    groups: tuple[tuple[int, ...], ...]
    description: str = ""

    def layout(self) -> list[tuple[bool, int]]:
        """Return where each label stands: the upper half is on the right.

        Returns
        -------
        list of (bool, int)
            For each label whether it is on the right, and its level below the axis.
        """
        half = (len(self.labels) + 1) // 2
        return [(k < half, k if k < half else len(self.labels) - 1 - k) for k in range(len(self.labels))]


@dataclass(frozen=True, kw_only=True)
class Bar:
    """One bar.

    Attributes
    ----------
    label : str
        What it belongs to.
    value : float
        Its length.
    text : str
        The text at its end.
    strong : bool
        Whether it has the main colour.
    """

    label: str
    value: float
    text: str = ""
    strong: bool = True


@dataclass(frozen=True, kw_only=True)
class Bars:
    """Bars one below the other, from 0.

    Attributes
    ----------
    axis : Axis
        The horizontal axis.
    bars : tuple of Bar
        The bars, from the top.
    description : str
        What the chart shows, for people who cannot see it.
    """

    axis: Axis
    bars: tuple[Bar, ...]
    description: str = ""


@dataclass(frozen=True, kw_only=True)
class Course:
    """One line of a timeline.

    Attributes
    ----------
    label : str
        The name of the system.
    values, lows, highs : tuple of float
        Its rank and the limits of it at each time; NaN where it was not on the board.
    """

    label: str
    values: tuple[float, ...]
    lows: tuple[float, ...]
    highs: tuple[float, ...]


@dataclass(frozen=True, kw_only=True)
class Timeline:
    """Ranks over time, the best at the top.

    Attributes
    ----------
    times : tuple of str
        The versions of the board.
    courses : tuple of Course
        One line per system.
    title : str
        The title of the vertical axis.
    description : str
        What the chart shows, for people who cannot see it.
    """

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
    """One point of a scatter chart.

    Attributes
    ----------
    label : str
        The name of the system.
    x, y : float
        Where it stands.
    group : str
        Its group, which has a colour; "" for none.
    """

    label: str
    x: float
    y: float
    group: str = ""


@dataclass(frozen=True, kw_only=True)
class Scatter:
    """Points by two numbers each, such as scores by people and by a judge.

    Attributes
    ----------
    x, y : Axis
        Both axes.
    points : tuple of Point
        The points.
    description : str
        What the chart shows, for people who cannot see it.
    """

    x: Axis
    y: Axis
    points: tuple[Point, ...]
    description: str = ""

    def named(self, most: int = 12) -> tuple[Point, ...]:
        """Choose the points whose labels are written.

        Points far from the others, and far from the diagonal of the chart, come first; none is chosen beside another,
        so that labels do not overlap.

        Parameters
        ----------
        most : int, default 12
            The largest number of labels.

        Returns
        -------
        tuple of Point
        """
        wide, tall = self.x.high - self.x.low or 1.0, self.y.high - self.y.low or 1.0
        n = len(self.points)
        middle = sum(p.x for p in self.points) / n, sum(p.y for p in self.points) / n

        def far(p: Point) -> float:
            """Measure how far a point is from the middle; across the diagonal counts more than along it."""
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
    """One line of a curve chart.

    Attributes
    ----------
    label : str
        What it is, for the legend.
    x, y : tuple of float
        Values at increasing places; NaN is a gap.
    lows, highs : tuple of float
        Limits of the values, drawn as a band; empty if there are none.
    dashed : bool
        Whether the line is dashed, as for an extrapolation or a diagonal.
    """

    label: str
    x: tuple[float, ...]
    y: tuple[float, ...]
    lows: tuple[float, ...] = ()
    highs: tuple[float, ...] = ()
    dashed: bool = False


@dataclass(frozen=True, kw_only=True)
class Curve:
    """Lines over a horizontal axis, with bands for their limits.

    Attributes
    ----------
    x, y : Axis
        Both axes.
    traces : tuple of Trace
        The lines.
    marks, at : tuple of Mark
        Horizontal and vertical lines.
    description : str
        What the chart shows, for people who cannot see it.
    """

    x: Axis
    y: Axis
    traces: tuple[Trace, ...]
    marks: tuple[Mark, ...] = ()
    at: tuple[Mark, ...] = ()
    description: str = ""


@dataclass(frozen=True, kw_only=True)
class Heatmap:
    """A matrix of numbers as colours; a cell without a value is empty.

    Attributes
    ----------
    rows, columns : tuple of str
        Their names.
    values : tuple of tuple of float
        One row per name; NaN is drawn as no value.
    low, high : float
        The numbers of the lightest and of the darkest colour.
    across, down : str
        What columns and rows are, where their names do not say.
    digits : int
        Decimals of the numbers in the cells, which are written where there is room.
    description : str
        What the chart shows, for people who cannot see it.
    """

    rows: tuple[str, ...]
    columns: tuple[str, ...]
    values: tuple[tuple[float, ...], ...]
    low: float
    high: float
    across: str = ""
    down: str = ""
    digits: int = 2
    description: str = ""

    def shade(self, value: float) -> float:
        """Return where a value lies between low and high.

        Parameters
        ----------
        value : float
            A value of the matrix.

        Returns
        -------
        float
            From 0, the lightest colour, to 1, the darkest.
        """
        return min(max((value - self.low) / ((self.high - self.low) or 1.0), 0.0), 1.0)


@dataclass(frozen=True, kw_only=True)
class Share:
    """Counts that make up a whole: one bar in parts.

    Attributes
    ----------
    parts : tuple of (str, int, str)
        The label, the count and the role ("main", "rest" or "bad") of each part.
    description : str
        What the chart shows, for people who cannot see it.
    """

    parts: tuple[tuple[str, int, str], ...]
    description: str = ""


Figure: TypeAlias = Forest | Slope | CriticalDifference | Bars | Timeline | Scatter | Curve | Heatmap | Share
