"""An answer in a terminal, with rich. `render(answer, brief=True)` is what `print(result)` shows."""

from __future__ import annotations

import io
import sys
from functools import singledispatch
from typing import Any

from rich.console import Console, Group
from rich.padding import Padding
from rich.table import Table as Grid
from rich.text import Text

from ..answers.blocks import Answer, Block, Chart, Claims, Number, Prose, Table, Verdict
from ..answers.wording import spans
from . import cells

STYLES = {"text": "", "name": "bold", "code": "cyan", "symbol": "italic"}
TONES = {"yes": "green", "partly": "blue", "open": "yellow", "no": "red"}
WIDTH = 100


def render(answer: Answer, *, brief: bool = False) -> str:
    """Return the answer as plain text; brief: verdict, advice, key numbers and the start of the first table."""
    text = io.StringIO()
    _print(answer, Console(file=text, width=WIDTH, color_system=None), brief=brief)
    return "\n".join(line.rstrip() for line in text.getvalue().splitlines())


def show(answer: Answer, *, brief: bool = False) -> None:
    """Print the answer on standard output: in colours and to its width on a terminal, as plain text elsewhere."""
    if sys.stdout.isatty():
        _print(answer, Console(highlight=False), brief=brief)
    else:
        print(render(answer, brief=brief))


def headline(answer: Answer) -> str:
    """Return question, verdict and headline as plain text."""
    label = f"{answer.verdict.label}. " if answer.verdict.label else ""
    return f"{styled(answer.question).plain}\n{label}{styled(answer.verdict.headline).plain}"


def show_table(table: Table) -> None:
    """Print one whole table on standard output."""
    console = Console(highlight=False) if sys.stdout.isatty() else Console(width=WIDTH, color_system=None)
    console.print(styled(table.title), style="bold")
    console.print(_table(table, None))


def _print(answer: Answer, console: Console, *, brief: bool) -> None:
    console.print(styled(answer.question), styled(answer.subject), sep="  ", style="dim")
    console.print(drawn(answer.verdict))
    if answer.advice.paragraphs:
        console.print(drawn(answer.advice))
    for warning in answer.warnings:
        console.print(Text.assemble(("Warning: ", "bold yellow"), styled(warning)))
    grid = Grid.grid(padding=(0, 2))
    for number in answer.numbers:
        grid.add_row(*_parts(number))
    console.print(Padding(grid, (1, 0, 1, 0)) if answer.numbers else "")
    if brief:
        if len(answer.tables[0].rows) > 1 or not answer.numbers:
            console.print(_table(answer.tables[0], answer.tables[0].brief))
        return
    rest: list[Block] = [answer.claims, *answer.tables, *answer.prose]
    for block in rest:
        console.print(drawn(block), "")


def styled(text: str) -> Text:
    """Convert a marked text; names cannot contain control characters, so they cannot drive the terminal."""
    return Text.assemble(*((part, STYLES[kind]) for kind, part in spans(text)))


@singledispatch
def drawn(block: Block) -> Any:
    """Convert one block to something that rich can print."""
    raise TypeError(f"The terminal does not know {type(block).__name__}.")


@drawn.register
def _(block: Verdict) -> Any:
    label = [(f"{block.label}. ", f"bold {TONES[block.tone]}")] if block.label else []
    return Text.assemble(*label, styled(block.headline))


@drawn.register
def _(block: Prose) -> Any:
    if len(block.paragraphs) == 1:
        return Text.assemble((f"{block.title}: ", "bold"), styled(block.paragraphs[0]))
    points = [Padding(Text("• ") + styled(paragraph), (0, 0, 0, 2)) for paragraph in block.paragraphs]
    return Group(Text(f"{block.title}:", "bold"), *points)


@drawn.register
def _(block: Claims) -> Any:
    signs = {"yes": "✓", "no": "✗"}
    sides = [
        [Text(title, "bold"), *(Text(f"  {signs[tone]} ") + styled(c) for c in own)]
        for tone, title, own in block.sides()
    ]
    return Group(*(line for side in sides for line in side))


@drawn.register
def _(block: Table) -> Any:
    return _table(block, None)


@drawn.register
def _(block: Chart) -> Any:
    return Text.assemble("[chart] ", styled(block.caption))


def _parts(block: Number) -> tuple[Text, Text, Text]:
    interval = f" ({block.interval})" if block.interval else ""
    value = styled(block.value)
    value.append(interval)
    value.stylize("bold")
    return styled(block.title), value, styled(block.note)


def _table(block: Table, most: int | None) -> Any:
    grid = Grid(box=None, padding=(0, 2, 0, 0), header_style="bold")
    shown = [k for k, c in enumerate(block.columns) if most is None or not c.detail]
    for c in (block.columns[k] for k in shown):
        grid.add_column(c.title, justify="right" if cells.right(c) else "left", overflow="fold")
    for row in cells.rows(block, most):
        grid.add_row(*(styled(row[k]) for k in shown))
    left = len(block.rows) - len(block.rows[:most])
    return Group(grid, Text(f"… {left} more rows", "dim")) if left else grid
