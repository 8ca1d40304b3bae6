"""What a first screen is made of: a badge, a sentence, tiles, a picture, and what may be claimed.

Pictures are data with places on a scale from 0 to 100; `templates/` draws them.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, ClassVar

from ...results import number, plain
from ..parts import Sentence, shortened, verbatim


def place(value: float, low: float, high: float) -> float:
    """Where a value stands on a scale from `low` to `high`, in per cent of its length."""
    if math.isnan(value) or high <= low:
        return 0.0
    return round(100 * min(1.0, max(0.0, (value - low) / (high - low))), 2)


#: Letters of a name beside a line, and in a row of a board.
BESIDE_A_LINE, IN_A_ROW = 20, 23
#: Groups beyond so many share the last colour.
MOST_COLOURS = 8
#: What the tones of a move mean.
KEYS = {
    "up": "rises under the judge, more than noise",
    "down": "falls, more than noise",
    "noise": "could be noise",
}


def colours(groups: Mapping[str, str] | None) -> dict[str, int]:
    """Each group with the number of its colour: the same in every picture of a page."""
    names = sorted(set((groups or {}).values()))
    return {name: min(place, MOST_COLOURS - 1) for place, name in enumerate(names)}


@dataclass(frozen=True)
class Badge:
    """The answer in a word or two: `tone` is "yes", "partly", "open" or "no"."""

    text: str
    tone: str


@dataclass(frozen=True, kw_only=True, eq=False)
class Scale:
    """Numbers along a line, and where their marks stand."""

    low: float
    high: float
    marks: tuple[float, ...]
    digits: int = 1
    #: What the marks are called, where the values are not what is read, as on a logarithmic scale.
    labels: tuple[str, ...] = ()

    def at(self, value: float) -> float:
        """The place of a value, in per cent."""
        return place(value, self.low, self.high)

    def text(self, value: float) -> str:
        """A mark as it is read."""
        return self.labels[self.marks.index(value)] if self.labels else f"{value:,.{self.digits}f}"


def coefficients(values: Sequence[float]) -> Scale:
    """A scale of correlation coefficients that ends at 1 and has room for the lowest value."""
    known = [value for value in values if not math.isnan(value)]
    low = min(0.5, math.floor(10 * min(known, default=0.5)) / 10)
    step = 0.1 if low >= 0.3 else 0.25 if low >= 0 else 0.5
    first = math.ceil(low / step - 1e-9)
    marks = tuple(round(k * step, 2) for k in range(first, round(1 / step) + 1))
    return Scale(low=low, high=1.0, marks=marks, digits=2 if step == 0.25 else 1)


@dataclass(frozen=True, kw_only=True, eq=False)
class RulerLine:
    """One value on a ruler: its interval, and what it has to be seen beside (`beside`, a mark with a name)."""

    #: Nothing where the value is the tile's own, which is read there.
    label: str = ""
    value: float
    interval: tuple[float, float] | None = None
    beside: float | None = None
    beside_label: str = ""
    #: More about it, on hover.
    beside_tip: str = ""
    #: What the value has to reach; drawn as dashed lines.
    bars: tuple[float, ...] = ()
    bars_label: str = ""
    strong: bool = False

    @property
    def shown(self) -> str:
        """The value as it is read; of a strong line the tile has it."""
        return "" if self.strong else number(self.value, 2)

    @property
    def beside_shown(self) -> str:
        """What stands beside it, as it is read."""
        return "" if self.beside is None else number(self.beside, 2)


@dataclass(frozen=True, kw_only=True, eq=False)
class Ruler:
    """Values on one scale, each with what belongs to it."""

    kind: ClassVar[str] = "ruler"
    scale: Scale
    lines: tuple[RulerLine, ...]


@dataclass(frozen=True, kw_only=True, eq=False)
class Zones:
    """A value with its interval on a scale that is parted by the marks `edges`, with a name for each part."""

    kind: ClassVar[str] = "zones"
    scale: Scale
    value: float
    interval: tuple[float, float] | None
    edges: tuple[float, ...]
    names: tuple[str, ...]

    @property
    def placed(self) -> list[tuple[str, float, float]]:
        """Each part with its beginning and its end, in per cent."""
        ends = (0.0, *map(self.scale.at, self.edges), 100.0)
        return [(name, begin, end) for name, begin, end in zip(self.names, ends, ends[1:], strict=False)]


@dataclass(frozen=True)
class Segment:
    """A part of a bar: `tone` is its colour."""

    label: str
    count: int
    tone: str


@dataclass(frozen=True, kw_only=True, eq=False)
class Stack:
    """One bar made of parts."""

    kind: ClassVar[str] = "stack"
    segments: tuple[Segment, ...]
    #: Whether the parts are named under the bar; not where the tile's value says them.
    keys: bool = True

    @property
    def placed(self) -> list[tuple[Segment, float, float]]:
        """Each part with its beginning and its length, in per cent."""
        total = sum(segment.count for segment in self.segments) or 1
        found, begin = [], 0
        for segment in self.segments:
            found.append((segment, round(100 * begin / total, 2), round(100 * segment.count / total, 2)))
            begin += segment.count
        return found


@dataclass(frozen=True, kw_only=True, eq=False)
class Places:
    """A row of boxes, one per system at the top: `inside` where it is there on the other side too."""

    kind: ClassVar[str] = "places"
    names: tuple[str, ...]
    texts: tuple[str, ...]
    inside: tuple[bool, ...]
    caption: str


@dataclass(frozen=True, kw_only=True, eq=False)
class Curve:
    """A value by the number of topics with its band: `goal` is what to reach, `now` how many there are, and `needed`
    how many it takes, all as places on the scales."""

    kind: ClassVar[str] = "curve"
    across: Scale
    up: Scale
    xs: tuple[float, ...]
    ys: tuple[float, ...]
    low: tuple[float, ...]
    high: tuple[float, ...]
    now: float
    goal: float
    needed: float | None
    words: str
    #: What stands under the line across.
    across_title: str

    def _points(self, ys: Sequence[float]) -> list[tuple[float, float]]:
        return [(self.across.at(math.log(x)), round(100 - self.up.at(y), 2)) for x, y in zip(self.xs, ys, strict=True)]

    @property
    def line(self) -> str:
        """The curve in a square of 100 by 100."""
        return " ".join(f"{x:g},{y:g}" for x, y in self._points(self.ys))

    @property
    def band(self) -> str:
        """The band in a square of 100 by 100."""
        return " ".join(f"{x:g},{y:g}" for x, y in [*self._points(self.high), *self._points(self.low)[::-1]])


@dataclass(frozen=True, kw_only=True, eq=False)
class Line:
    """A system in a slope chart: its places from the top on both sides, and what its move is worth."""

    name: str
    left: int
    right: int
    ranks: tuple[str, str]
    #: "up" or "down" beyond noise, "noise" where the move could be that, "stayed".
    tone: str
    #: The colour of its group; None where there are no groups.
    colour: int | None = None
    #: Whether its group is one that the judge favours.
    lifted: bool = False


@dataclass(frozen=True, kw_only=True, eq=False)
class Slope:
    """Each system from its rank on the left to its rank on the right."""

    kind: ClassVar[str] = "slope"
    names: tuple[str, str]
    lines: tuple[Line, ...]
    caption: Sentence
    #: What a click does, where it does something.
    hint: str = ""
    #: Names of the groups, in the order of their colours, and those that the judge favours.
    groups: tuple[str, ...] = ()
    lifted: tuple[str, ...] = ()

    #: Pixels that all names together take at most where claims stand below them, and those from one name to the next
    #: that there is a look for.
    HEIGHT: ClassVar[int] = 420
    PITCHES: ClassVar[tuple[int, ...]] = (26, 24, 22, 20, 18, 16, 14)
    #: From this pitch on letters are larger; and letters of a short name.
    LARGE: ClassVar[int] = 20
    SHORT: ClassVar[int] = 16

    @cached_property
    def short(self) -> dict[str, str]:
        """Names as there is room for them, no two alike."""
        return shortened((line.name for line in self.lines), BESIDE_A_LINE - 3 * (self.pitch >= self.LARGE))

    @cached_property
    def short_groups(self) -> dict[str, str]:
        """Names of the groups as there is room for them, no two alike."""
        return shortened(self.groups, IN_A_ROW)

    @property
    def pitch(self) -> int:
        """Pixels from one name to the next: as many as there is room for."""
        return next((one for one in self.PITCHES if one * len(self.lines) <= self.HEIGHT), self.PITCHES[-1])

    @property
    def narrow(self) -> bool:
        """Whether names are short enough for it to stand beside the tiles on paper."""
        return max(map(len, self.short.values()), default=0) <= self.SHORT

    @property
    def low(self) -> bool:
        """Whether there is room for claims below it."""
        return self.pitch * len(self.lines) <= self.HEIGHT

    @property
    def tones(self) -> list[str]:
        """Those that need a key."""
        there = {line.tone for line in self.lines}
        return [tone for tone in ("up", "down", "noise") if tone in there]

    @property
    def sides(self) -> tuple[list[Line], list[Line]]:
        """The systems from the top, on both sides."""
        return sorted(self.lines, key=lambda line: line.left), sorted(self.lines, key=lambda line: line.right)


@dataclass(frozen=True, kw_only=True, eq=False)
class Cross:
    """A system by its ranks in the reference (across) and in the estimate (up), with the ranks that could be true."""

    name: str
    x: float
    y: float
    across: tuple[float, float]
    up: tuple[float, float]
    tone: str
    #: Its ranks as they are read.
    ranks: tuple[str, str] = ("", "")


@dataclass(frozen=True, kw_only=True, eq=False)
class Crosses:
    """Ranks against ranks: all systems, and the head of the ranking with names."""

    kind: ClassVar[str] = "crosses"
    names: tuple[str, str]
    scale: Scale
    points: tuple[Cross, ...]
    #: Those of "up", "down" and "noise" that need a key.
    tones: tuple[str, ...]
    top_scale: Scale
    top: tuple[Cross, ...]
    caption: Sentence

    @cached_property
    def short(self) -> dict[str, str]:
        """Names of the head as there is room for them, no two alike."""
        return shortened((point.name for point in self.top), IN_A_ROW)

    @property
    def top_height(self) -> int:
        """Pixels of the head: a line of text for each rank."""
        return 18 * (1 + len(self.top))


@dataclass(frozen=True, kw_only=True, eq=False)
class ForestRow:
    """A name with a value, its interval and letters."""

    name: str
    value: float
    low: float
    high: float
    letters: str = ""
    observed: float = math.nan
    #: Whether it could be the best.
    best: bool = False


@dataclass(frozen=True, kw_only=True, eq=False)
class Forest:
    """Intervals one below the other, and a band to see them beside."""

    kind: ClassVar[str] = "forest"
    scale: Scale
    rows: tuple[ForestRow, ...]
    #: What names are of: "judge".
    of: str
    value: str
    band: tuple[float, float] | None = None
    band_label: str = ""
    #: More about the band, on hover.
    band_tip: str = ""
    #: What a star and the letters mean, and what topics are called.
    star: str = ""
    letters: str = ""
    topics: str = "topics"
    mark: float | None = None
    #: The level of the intervals: "95 %"; nothing where there are none yet.
    sure: str = ""

    @cached_property
    def short(self) -> dict[str, str]:
        """Names as there is room for them, no two alike."""
        return shortened((row.name for row in self.rows), IN_A_ROW)


@dataclass(frozen=True, kw_only=True, eq=False)
class BoardRow:
    """A system of a board."""

    name: str
    rank: str
    low: int
    high: int
    at: float
    score: float
    error: float
    tier: int
    first_of_tier: bool
    best: bool
    covered: int | None
    thin: bool
    group: str
    colour: int | None = None


@dataclass(frozen=True, kw_only=True, eq=False)
class BoardPicture:
    """The board itself: rows with rank intervals, and the scores on each topic where there is room for them."""

    kind: ClassVar[str] = "board"
    rows: tuple[BoardRow, ...]
    scale: Scale
    caption: Sentence
    system: str
    score: str
    covered: str
    topics: int
    digits: int
    groups: tuple[str, ...] = ()
    #: Names of topics, and for each the scores of the systems in the order of the rows.
    tasks: tuple[str, ...] = ()
    values: tuple[tuple[float | None, ...], ...] = ()
    #: What a star means; nothing where there are none.
    star: str = ""
    #: What bars mean.
    bar: str = ""
    #: What the lines between tiers mean; nothing where there is one tier.
    tiers: str = ""
    tools: bool = True

    #: Rows that are seen before anything is scrolled.
    AT_FIRST: ClassVar[int] = 14

    @cached_property
    def short(self) -> dict[str, str]:
        """Names as there is room for them, no two alike."""
        return shortened((row.name for row in self.rows), IN_A_ROW)

    @property
    def errors(self) -> bool:
        """Whether any score has an error."""
        return any(not math.isnan(row.error) for row in self.rows)

    @property
    def data(self) -> dict[str, Any]:
        """What the script needs to show a column for a topic."""
        return {"tasks": list(self.tasks), "values": [list(column) for column in self.values], "digits": self.digits}


@dataclass(frozen=True, kw_only=True, eq=False)
class Check:
    """Something that was asked of a judge: `tone` is "yes", "no", "open" or "told", `value` what came out with its unit,
    and `says` the same in words."""

    asked: str
    #: What the field calls it.
    term: str
    judge: str
    tone: str
    value: str
    says: str
    picture: Ruler | None = None


@dataclass(frozen=True, kw_only=True, eq=False)
class Checks:
    """What was asked, one below the other."""

    kind: ClassVar[str] = "checks"
    rows: tuple[Check, ...]
    #: Whether there are several judges, each with its name in the row.
    several: bool
    #: The level of the intervals: "95 %".
    sure: str

    #: What the signs mean.
    SIGNS: ClassVar[Mapping[str, str]] = {
        "no": "an objection",
        "open": "not shown",
        "yes": "nothing against it",
        "told": "a number to know",
    }

    @property
    def signs(self) -> list[tuple[str, str]]:
        """Those that are there."""
        there = {row.tone for row in self.rows}
        return [(tone, text) for tone, text in self.SIGNS.items() if tone in there]

    @property
    def ruled(self) -> bool:
        """Whether any row has a ruler."""
        return any(row.picture is not None for row in self.rows)

    @property
    def barred(self) -> bool:
        """Whether any has something to reach."""
        return any(line.bars for row in self.rows if row.picture is not None for line in row.picture.lines)

    @cached_property
    def short(self) -> dict[str, str]:
        """Names as there is room for them, no two alike."""
        return shortened((row.judge for row in self.rows), IN_A_ROW)


Picture = Ruler | Zones | Stack | Places | Curve | Slope | Crosses | Forest | BoardPicture | Checks


def limits_of(interval: tuple[float, float] | None, level: float) -> str:
    """'0.81 to 0.89 (95 %)', to be read beside a value."""
    if interval is None or math.isnan(interval[0]) or math.isnan(interval[1]):
        return ""
    return f"{number(interval[0], 2)} to {number(interval[1], 2)} ({level * 100:g} %)"


@dataclass(frozen=True, kw_only=True, eq=False)
class Tile:
    """One number that can be read from afar, what it is, how sure, and a small picture."""

    title: str
    value: str
    #: What is read with the value: its limits.
    beside: str = ""
    note: Sentence = ()
    picture: Picture | None = None


@dataclass(frozen=True, kw_only=True, eq=False)
class PairScores:
    """Scores of both sides on the topics they share, so that a page can say which topics decide a pair."""

    systems: tuple[str, ...]
    topics: tuple[str, ...]
    sides: tuple[str, ...]
    #: sides x systems x topics.
    values: tuple[tuple[tuple[float, ...], ...], ...]
    #: What one topic and several are called.
    called: tuple[str, str] = ("topic", "topics")

    def to_dict(self) -> dict[str, Any]:
        """Ready for a script."""
        return {
            "systems": list(self.systems),
            "topics": list(self.topics),
            "sides": list(self.sides),
            "called": list(self.called),
            "values": plain([[list(row) for row in side] for side in self.values]),
        }


@dataclass(frozen=True, kw_only=True, eq=False)
class Screen:
    """The first screen of a page: the answer, how sure it is, and what to do with it."""

    kind: str
    question: Sentence
    badge: Badge
    sentence: Sentence
    tiles: tuple[Tile, ...]
    picture: Picture | None
    #: What to do now, in one or two sentences.
    todo: tuple[Sentence, ...] = ()
    may: tuple[Sentence, ...] = ()
    may_not: tuple[Sentence, ...] = ()
    #: All systems, so that charts and tables can mark the same one.
    systems: tuple[str, ...] = ()
    pairs: PairScores | None = None
    data: Mapping[str, Any] = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        """The words and numbers, ready for JSON."""
        return {
            "kind": self.kind,
            "question": verbatim(self.question),
            "badge": self.badge.text,
            "tone": self.badge.tone,
            "sentence": verbatim(self.sentence),
            "what_to_do": [verbatim(one) for one in self.todo],
            "tiles": [
                {"title": tile.title, "value": tile.value, "beside": tile.beside, "note": verbatim(tile.note)}
                for tile in self.tiles
            ],
            "may_claim": [verbatim(one) for one in self.may],
            "may_not_claim": [verbatim(one) for one in self.may_not],
            "data": plain(dict(self.data)),
        }
