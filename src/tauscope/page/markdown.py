"""Sections as GitHub's Markdown, whole or as a summary of one screen."""

from __future__ import annotations

import re
from collections.abc import Sequence

from .parts import Column, Name, Part, Section, Sentence, Table, readable
from .screens.parts import Screen

#: Cells longer than this are cut: Markdown has no other way to keep a table readable.
LONGEST_CELL = 120
#: In our own sentences: what would be markup. An underscore inside a word is none, nor a bracket without a link.
_SPECIAL = re.compile(r"([\\`*<>|~]|(?<!\w)_|_(?!\w)|\](?=[(\[]))")


def markdown(title: str, brief: Sentence, sections: Sequence[Section], screen: Screen | None = None) -> str:
    """Everything but the charts."""
    blocks = [f"# {_part(Name(title, 120))}", _words(brief)]
    if screen is not None:
        blocks += [f"**{_escape(screen.badge.text)}.** {_words(screen.sentence)}"]
        told = (("What to do", screen.todo), ("You may claim", screen.may), ("You may not claim", screen.may_not))
        for head, claims in told:
            blocks += [f"{head}:", "\n".join(f"- {_words(claim)}" for claim in claims)] if claims else []
    for section in sections:
        first, *rest = section.words
        blocks += [f"## {_words(section.heading)}", f"**{_words(first)}**", *map(_words, rest)]
        blocks += [block for table in section.tables for block in (_words(table.caption), _table(table))]
        blocks += [block for code in section.code for block in (f"{_escape(code.title)}:", _fenced(code.text))]
    return "\n\n".join(blocks) + "\n"


def summary(title: str, brief: Sentence, sections: Sequence[Section], screen: Screen | None = None) -> str:
    """Each question with its answer in short."""
    lines = [f"# {_part(Name(title, 80))}", "", _words(brief), ""]
    if screen is not None:
        lines += [f"**{_escape(screen.badge.text)}.** {_words(screen.sentence)}", ""]
        lines += [f"**What to do:** {' '.join(map(_words, screen.todo))}", ""] if screen.todo else []
    lines += [f"- **{_words(section.heading)}** {_words(section.words[0])}" for section in sections]
    return "\n".join(lines) + "\n"


def _escape(text: str) -> str:
    return _SPECIAL.sub(r"\\\1", text)


def _part(part: Part) -> str:
    return _code(str(part)) if isinstance(part, Name) else _escape(part)


def _code(text: str) -> str:
    """A name as code: nothing in it is read as Markdown or HTML."""
    if not text:
        return ""
    ticks = "`" * (1 + max((len(run) for run in re.findall("`+", text)), default=0))
    pad = " " if text.startswith("`") or text.endswith("`") else ""
    return f"{ticks}{pad}{text}{pad}{ticks}"


def _words(sentence: Sentence) -> str:
    return "".join(map(_part, sentence))


def _fenced(text: str) -> str:
    fence = "`" * (3 + max((len(run) for run in re.findall("`{3,}", text)), default=0))
    return f"{fence}text\n{text}\n{fence}"


def _table(whole: Table) -> str:
    table = whole.without_empty()
    head = [_cell(Column("", "name" if isinstance(c.title, Name) else "text"), c.whole_title) for c in table.columns]
    rule = ["---:" if column.numeric else "---" for column in table.columns]
    rows = [[_cell(column, value) for column, value in zip(table.columns, row, strict=True)] for row in table.rows]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in (head, rule, *rows))


def _cell(column: Column, value: object) -> str:
    text = column.shown(value)
    if column.kind == "name":
        return _code(readable(text, LONGEST_CELL)).replace("|", "\\|")
    return _escape(text)
