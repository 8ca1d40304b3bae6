"""An answer as Markdown, for a README, an issue or a pull request."""

from __future__ import annotations

import re
from functools import singledispatch

from ..answers.blocks import Answer, Block, Chart, Claims, Number, Prose, Table, Verdict
from ..answers.wording import spans
from . import cells

_SPECIAL = re.compile(r"([\\`*_{}\[\]<>#|~])")


def render(answer: Answer, digits: int | None = None) -> str:
    """Return the whole answer; `digits` replaces those of numbers in tables."""
    head = f"## {text(answer.question)}\n\n{text(answer.subject)}"
    warnings = [f"> Warning: {text(warning)}" for warning in answer.warnings]
    blocks = (cells.with_digits(block, digits) if isinstance(block, Table) else block for block in answer.blocks())
    return "\n\n".join([head, *warnings, *filter(None, map(written, blocks))]) + "\n"


def text(marked: str) -> str:
    """Convert a marked text; what Markdown would read as markup is escaped."""
    wrap = {"text": "{}", "name": "**{}**", "code": "`{}`", "symbol": "*{}*"}
    return "".join(
        wrap[kind].format(part if kind == "code" else _SPECIAL.sub(r"\\\1", part))
        for kind, part in spans(marked)
        if part
    )


@singledispatch
def written(block: Block) -> str:
    """Write one block."""
    raise TypeError(f"Markdown does not know {type(block).__name__}.")


@written.register
def _(block: Verdict) -> str:
    return f"**{text(block.label)}.** {text(block.headline)}" if block.label else text(block.headline)


@written.register
def _(block: Number) -> str:
    interval = f" ({text(block.interval)})" if block.interval else ""
    return f"- {text(block.title)}: **{text(block.value)}**{interval}. {text(block.note)}"


@written.register
def _(block: Chart) -> str:
    return ""


@written.register
def _(block: Claims) -> str:
    sides = (f"**{title}**\n\n" + "\n".join(f"- {text(c)}" for c in own) for _, title, own in block.sides())
    return "\n\n".join(sides)


@written.register
def _(block: Prose) -> str:
    return f"**{text(block.title)}.** " + "\n\n".join(map(text, block.paragraphs)) if block.paragraphs else ""


@written.register
def _(block: Table) -> str:
    head = " | ".join(text(c.title) for c in block.columns)
    rule = " | ".join("--:" if cells.right(c) else ":--" for c in block.columns)
    body = "\n".join(f"| {' | '.join(map(text, row))} |" for row in cells.rows(block))
    return f"| {head} |\n| {rule} |\n{body}\n\n{text(block.caption)}"
