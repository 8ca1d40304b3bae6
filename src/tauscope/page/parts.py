"""What a page is made of: sections of sentences, tables and charts. Renderers read these and nothing else."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from ..results import number, plain

#: Names longer than this are cut in running text; tables and charts have them whole.
LONGEST = 60
#: Names of this length are never cut.
WHOLE = 1_000_000
#: Characters that are not seen but change what is seen: controls, zero-width ones, directions.
_UNSEEN = re.compile(
    "[\x00-\x1f\x7f-\x9f\u00ad\u061c\u200b-\u200f\u2028-\u202f\u2060-\u206f\ufeff\ufff9-\ufffb\ud800-\udfff]"
)


@dataclass(frozen=True)
class Name:
    """A name out of the user's files: of a system, topic, measure, collection or file. Nothing may trust it."""

    text: str
    longest: int = LONGEST

    def __str__(self) -> str:
        return readable(self.text, self.longest)

    @property
    def cut(self) -> bool:
        """Whether it is shown shorter than it is, or otherwise."""
        return str(self) != self.text


Part = str | Name
Sentence = tuple[Part, ...]


def readable(text: str, longest: int = LONGEST) -> str:
    """A name in running text: what cannot be seen is spelled out, and what is too long is cut in the middle."""
    shown = _UNSEEN.sub(lambda found: f"⟨U+{ord(found[0]):04X}⟩", text)
    return shown if len(shown) <= longest else f"{shown[: longest - longest // 3 - 1]}…{shown[-(longest // 3) :]}"


def shortened(names: Iterable[str], longest: int) -> dict[str, str]:
    """Each name in at most about so many letters, no two of them alike: of a long one first what stands before its
    last slash (or `__`) goes, then its middle, then its beginning; where all that is alike, a number tells them apart.
    """
    every = list(dict.fromkeys(names))
    found = {name: shown for name in every if len(shown := readable(name, WHOLE)) <= longest}
    ways: tuple[Callable[[str], str], ...] = (
        lambda name: readable(re.split(r"/|__", name)[-1], longest),
        lambda name: readable(name, longest),
        lambda name: f"…{readable(name, WHOLE)[-longest + 1 :]}",
    )
    for way in ways:
        tried = {name: way(name) for name in every if name not in found}
        counted = Counter([*tried.values(), *found.values()])
        found |= {name: shown for name, shown in tried.items() if counted[shown] == 1 and shown}
    taken = set(found.values())
    for place, name in enumerate((name for name in every if name not in found), start=1):
        found[name] = f"{readable(name, longest - 6)} ({place})"
        while found[name] in taken:
            found[name] += "′"
        taken.add(found[name])
    return found


def listed(names: Iterable[str], most: int = 8) -> Sentence:
    """'a, b, c, … (12 in all)'."""
    every = list(names)
    parts: list[Part] = []
    for place, name in enumerate(every[:most]):
        parts += [", ", Name(name)] if place else [Name(name)]
    return (*parts, f", … ({len(every):,} in all)") if len(every) > most else tuple(parts)


def text_of(sentence: Sentence) -> str:
    """A sentence as plain text."""
    return "".join(str(part) for part in sentence)


@dataclass(frozen=True)
class Column:
    """A column of a table: `kind` is "name" (of the user's), "text" (ours), "number" or "whole"."""

    title: Part
    kind: str = "text"
    digits: int = 3

    @property
    def numeric(self) -> bool:
        """Whether its cells are numbers, which stand to the right."""
        return self.kind in ("number", "whole")

    @property
    def whole_title(self) -> str:
        """The title with every name as it is in the files."""
        return verbatim((self.title,))

    def exact(self, value: Any) -> str:
        """A number for sorting and for files, with more digits than are read; nothing where there is none."""
        return "" if value is None or math.isnan(float(value)) else f"{float(value):.10g}"

    def shown(self, value: Any) -> str:
        """A cell as it is read; undefined is said, absent is empty."""
        if value is None or value == "":
            return ""
        if self.kind == "whole":
            return f"{int(value):,}"
        return number(float(value), self.digits) if self.kind == "number" else str(value)


def ranks(title: Part, values: Iterable[float]) -> Column:
    """A column of ranks: 1, 2, 3; with a digit more where ties make halves."""
    whole = all(float(value).is_integer() for value in values)
    return Column(title, "number", 0 if whole else 1)


@dataclass(frozen=True)
class Table:
    """Rows of plain values; the first `shown` of them are what a reader sees first."""

    id: str
    caption: Sentence
    columns: tuple[Column, ...]
    rows: tuple[tuple[Any, ...], ...]
    shown: int = 12

    def without_empty(self) -> Table:
        """For readers: without columns of ours that have nothing in any row."""
        kept = [
            k
            for k, c in enumerate(self.columns)
            if c.kind != "text" or any(row[k] not in ("", None) for row in self.rows)
        ]
        if len(kept) == len(self.columns):
            return self
        return replace(
            self,
            columns=tuple(self.columns[k] for k in kept),
            rows=tuple(tuple(row[k] for k in kept) for row in self.rows),
        )

    def to_dict(self) -> dict[str, Any]:
        """Column titles and rows, ready for JSON."""
        titles = [column.whole_title for column in self.columns]
        return {"caption": verbatim(self.caption), "columns": titles, "rows": [plain(list(row)) for row in self.rows]}


@dataclass(frozen=True, eq=False)
class Figure:
    """A chart, and what it shows in words for those who cannot see it."""

    id: str
    caption: Sentence
    chart: Any = field(repr=False)


@dataclass(frozen=True)
class Code:
    """Lines to copy: a command, references. `open` where they are seen at once."""

    title: str
    text: str
    open: bool = False


@dataclass(frozen=True, kw_only=True, eq=False)
class Section:
    """One question and its answer. The first sentence is the answer in short; `data` is the same for machines."""

    id: str
    heading: Sentence
    words: tuple[Sentence, ...]
    tables: tuple[Table, ...] = ()
    figures: tuple[Figure, ...] = ()
    data: Mapping[str, Any] = field(default_factory=dict)
    cited: tuple[str, ...] = ()
    code: tuple[Code, ...] = ()
    #: Sentences for the section on methods of a paper; the page has those of all sections in one place.
    methods: tuple[Sentence, ...] = ()
    #: What the slim bar calls it; the heading's first part where nothing is said.
    short: str = ""
    #: Whether it is open at first.
    open: bool = False

    @property
    def label(self) -> str:
        """What the slim bar calls it."""
        return self.short or str(self.heading[0])

    def to_dict(self) -> dict[str, Any]:
        """Everything but the drawings, ready for JSON; names are whole."""
        return {
            "id": self.id,
            "heading": verbatim(self.heading),
            "words": [verbatim(sentence) for sentence in self.words],
            "tables": {table.id: table.to_dict() for table in self.tables},
            "figures": {figure.id: verbatim(figure.caption) for figure in self.figures},
            **({"code": {code.title: code.text for code in self.code}} if self.code else {}),
            "data": plain(dict(self.data)),
        }


def verbatim(sentence: Sentence) -> str:
    """A sentence with every name as it is in the files."""
    return "".join(part.text if isinstance(part, Name) else part for part in sentence)


def percent(share: float, digits: int = 0) -> str:
    """'63 %'."""
    return "undefined" if math.isnan(share) else f"{100 * share:.{digits}f} %"


def span(low: float, high: float, digits: int = 3) -> str:
    """'[0.701, 0.853]'."""
    return f"[{number(low, digits)}, {number(high, digits)}]"
