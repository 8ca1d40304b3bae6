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
    """The answer in two or three words, from a closed set, with its headline and the rule behind it.

    Attributes
    ----------
    kind : str
        The decision as programs read it, such as "some uses".
    tone : {"yes", "partly", "open", "no", "none"}
        How it is coloured; "none" where there is nothing to decide.
    label, headline, rule : str
        The decision in words, the answer in one sentence, and how it was decided.
    """

    kind: str
    tone: str
    label: str
    headline: str
    rule: str


@dataclass(frozen=True, kw_only=True)
class Number:
    """One key number.

    Attributes
    ----------
    key : str
        Its name, for programs.
    title, value, interval, note : str
        What it is, its value and its confidence interval as they are read, and what a reader should know of it.
    figure : chart or None
        A small chart beside it.
    """

    key: str
    title: str
    value: str
    interval: str = ""
    note: str = ""
    figure: Figure | None = None


@dataclass(frozen=True, kw_only=True)
class Column:
    """A column of a table.

    Attributes
    ----------
    key : str
        Its name, for programs and CSV.
    title : str
        Its heading.
    kind : str
        How values are written: "name", "symbol", "text", "whole", "count" (may be infinite), "counts" (an interval of
        counts), "number", "p" (never 0), "percent", "range" or "check".
    digits : int
        Decimals of numbers.
    detail : bool
        Whether a brief rendering leaves it out.
    best : {"", "high", "low"}
        Whether the highest or the lowest number is the best, which LaTeX prints in bold.
    """

    key: str
    title: str
    kind: str = "text"
    digits: int = 3
    detail: bool = False
    best: str = ""


@dataclass(frozen=True, kw_only=True)
class Table:
    """A table of plain values.

    Attributes
    ----------
    key : str
        Its name, which `--view` takes.
    title, caption : str
        Its heading, and what a reader should know of it.
    columns : tuple of Column
        The columns.
    rows : tuple of tuple
        One value per column.
    brief : int
        How many rows a terminal shows first.
    """

    key: str
    title: str
    caption: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[Any, ...], ...]
    brief: int = 10


@dataclass(frozen=True, kw_only=True)
class Chart:
    """A chart with its caption.

    Attributes
    ----------
    key : str
        Its name, which `plot(kind=…)` takes.
    title, caption : str
        Its heading, and what it shows.
    figure : chart
        One of the kinds of `charts`.
    """

    key: str
    title: str
    caption: str
    figure: Figure


@dataclass(frozen=True, kw_only=True)
class Claims:
    """What the data allow to claim, and what they do not.

    Attributes
    ----------
    may, may_not : tuple of str
        The claims.
    titles : (str, str)
        The headings of both.
    """

    may: tuple[str, ...]
    may_not: tuple[str, ...]
    titles: tuple[str, str]

    def sides(self) -> list[tuple[str, str, tuple[str, ...]]]:
        """Return the sides that are not empty.

        Returns
        -------
        list of (str, str, tuple of str)
            The tone ("yes" or "no"), the title and the claims of each.
        """
        both = (("yes", self.titles[0], self.may), ("no", self.titles[1], self.may_not))
        return [side for side in both if side[2]]


@dataclass(frozen=True, kw_only=True)
class Prose:
    """Paragraphs under a title.

    Attributes
    ----------
    key : str
        What they are: "advice", "methods", "reading", "rule_prose" or "references".
    title : str
        Their heading.
    paragraphs : tuple of str
        The texts; none if there is nothing to say.
    """

    key: str
    title: str
    paragraphs: tuple[str, ...]


Block: TypeAlias = Verdict | Number | Table | Chart | Claims | Prose


@dataclass(frozen=True, kw_only=True)
class Answer:
    """Everything that is said about one question, in reading order.

    Terminal, page, app, Markdown, JSON and LaTeX render the same answer, so they cannot contradict each other.

    Attributes
    ----------
    question, subject : str
        The question, and the data with their size: "ap-human, 40 systems, 50 topics".
    verdict : Verdict
        The decision and the headline.
    advice : Prose
        What to do next.
    numbers : tuple of Number
        The key numbers.
    charts : tuple of Chart
        The charts, the main one first.
    claims : Claims
        What may and may not be claimed.
    tables : tuple of Table
        The tables, the main one first.
    prose : tuple of Prose
        Methods, how to read the numbers, the rule of the verdict, references.
    warnings : tuple of str
        What a reader must know of the data before any number.
    """

    question: str
    subject: str
    verdict: Verdict
    advice: Prose
    numbers: tuple[Number, ...]
    charts: tuple[Chart, ...]
    claims: Claims
    tables: tuple[Table, ...]
    prose: tuple[Prose, ...]
    warnings: tuple[str, ...] = ()

    @property
    def methods(self) -> str:
        """The sentences for the methods section of a paper, as a marked text."""
        return " ".join(p for prose in self.prose if prose.key == "methods" for p in prose.paragraphs)

    def blocks(self) -> Iterator[Block]:
        """Iterate over the blocks in reading order.

        Yields
        ------
        Verdict, Prose, Number, Chart, Claims or Table
        """
        yield self.verdict
        yield self.advice
        yield from self.numbers
        yield from self.charts
        yield self.claims
        yield from self.tables
        yield from self.prose

    def chart(self, key: str | None = None) -> Chart:
        """Return one chart.

        Parameters
        ----------
        key : str or None, default None
            Its name; None for the main chart.

        Returns
        -------
        Chart

        Raises
        ------
        CallError
            If there is no such chart, or none at all.
        """
        named = {chart.key: chart for chart in reversed(self.charts)}
        if key is not None and key not in named:
            raise CallError(f"There is no chart {key!r} in this answer.", Option("kind", *sorted(named)))
        if not self.charts:
            raise CallError("This answer has no chart.", Advice("print() shows it, and to_frame() returns its table."))
        return self.charts[0] if key is None else named[key]
