"""The blocks of an answer. Renderers know these and nothing about statistics.

Every text is a marked text (see `wording`): a plain `str` in which names of the user, commands and symbols are marked,
so that each renderer can escape and typeset them in its own way.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, TypeAlias

from ..errors import Advice, CallError, Option
from .charts import Figure


@dataclass(frozen=True, kw_only=True)
class Verdict:
    """The answer in two or three words, from a closed set, with its headline and the rule behind it."""

    kind: str
    #: "yes", "partly", "open", "no", or "none" where there is nothing to decide.
    tone: str
    label: str
    headline: str
    rule: str


@dataclass(frozen=True, kw_only=True)
class Number:
    """One key number: what it is, its value and interval as they are read, a note, and a small chart."""

    key: str
    title: str
    value: str
    interval: str = ""
    note: str = ""
    figure: Figure | None = None


@dataclass(frozen=True, kw_only=True)
class Column:
    """A column of a table. `kind` is "name", "symbol", "text", "whole", "count", "counts", "number", "p",
    "percent", "range" or "check"; a count may be infinite, counts are an interval of them, p is never 0."""

    key: str
    title: str
    kind: str = "text"
    digits: int = 3
    #: Whether a brief rendering leaves it out.
    detail: bool = False


@dataclass(frozen=True, kw_only=True)
class Table:
    """Rows of plain values; `brief` is the number of rows that a terminal shows first."""

    key: str
    title: str
    caption: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[Any, ...], ...]
    brief: int = 10


@dataclass(frozen=True, kw_only=True)
class Chart:
    """A chart with its caption."""

    key: str
    title: str
    caption: str
    figure: Figure


@dataclass(frozen=True, kw_only=True)
class Claims:
    """What may be claimed, and what may not: (title, claims) for each."""

    may: tuple[str, ...]
    may_not: tuple[str, ...]
    titles: tuple[str, str]

    def sides(self) -> list[tuple[str, str, tuple[str, ...]]]:
        """Return (tone, title, claims) of the sides that are not empty."""
        both = (("yes", self.titles[0], self.may), ("no", self.titles[1], self.may_not))
        return [side for side in both if side[2]]


@dataclass(frozen=True, kw_only=True)
class Prose:
    """Paragraphs under a title."""

    key: str
    title: str
    paragraphs: tuple[str, ...]


Block: TypeAlias = Verdict | Number | Table | Chart | Claims | Prose


@dataclass(frozen=True, kw_only=True)
class Answer:
    """Everything that is said about one question, in reading order."""

    question: str
    #: Data and size: "ap-human, 40 systems, 50 topics".
    subject: str
    verdict: Verdict
    advice: Prose
    numbers: tuple[Number, ...]
    charts: tuple[Chart, ...]
    claims: Claims
    tables: tuple[Table, ...]
    prose: tuple[Prose, ...]
    #: What a reader must know of the data before any number.
    warnings: tuple[str, ...] = ()

    @property
    def methods(self) -> str:
        """The sentences for the methods section of a paper."""
        return " ".join(p for prose in self.prose if prose.key == "methods" for p in prose.paragraphs)

    def blocks(self) -> Iterator[Block]:
        """Iterate over the blocks in reading order."""
        yield self.verdict
        yield self.advice
        yield from self.numbers
        yield from self.charts
        yield self.claims
        yield from self.tables
        yield from self.prose

    def chart(self, key: str | None = None) -> Chart:
        """Return the chart called `key`, or the main one."""
        named = {chart.key: chart for chart in reversed(self.charts)}
        if key is not None and key not in named:
            raise CallError(f"There is no chart {key!r} in this answer.", Option("kind", *sorted(named)))
        if not self.charts:
            raise CallError("This answer has no chart.", Advice("print() shows it, and to_frame() returns its table."))
        return self.charts[0] if key is None else named[key]
