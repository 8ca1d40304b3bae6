"""Tables for papers and pages: LaTeX with booktabs, and Markdown. Names come from strangers, so every text is
escaped."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

#: The columns of which the best value is bold, the first that a table of systems or judges has.
VALUES = ("score", "mean", "estimate", "strength", "corrected", "value")
#: Tables with one of these have one row per thing that is ranked, so that one of them is best.
RANKED = ("system", "judge", "model", "measure")
_LATEX = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "$": r"\$",
    "&": r"\&",
    "#": r"\#",
    "%": r"\%",
    "_": r"\_",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
}


@dataclass(frozen=True, kw_only=True)
class Cell:
    """What stands in one cell, before it is escaped: a text, whether it is bold, and letters set high behind it."""

    text: str
    bold: bool = False
    letters: str = ""


@dataclass(frozen=True, kw_only=True)
class Table:
    """A table ready to be set: head, rows, and which columns stand to the right."""

    head: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    right: tuple[bool, ...]


def table(columns: Mapping[str, Sequence[Any]], *, digits: int = 3) -> Table:
    """Columns of plain values as cells: limits in one column as an interval, the best of what is ranked bold, letters
    behind the value they belong to."""
    columns = dict(columns)
    size = len(next(iter(columns.values()), ()))
    main = next((name for name in VALUES if name in columns), "") if set(RANKED) & set(columns) else ""
    best = _best(columns[main]) if main else set()
    letters = columns.pop("letters", None) if main else None
    set_columns: dict[str, list[Cell]] = {}
    right = []
    for name, values in columns.items():
        if _other_limit(name, "high", "low", columns) is not None:  # printed beside its lower limit
            continue
        high = _other_limit(name, "low", "high", columns)
        texts = [shown(value, digits) for value in values]
        if "rank" in name.split("_") or {f"{name}_low", f"low_{name}"} & set(columns):
            texts = [f"{value:g}" if _is_number(value) and value == value else "" for value in values]
        if high is not None:
            above = (shown(value, digits) for value in columns[high])
            texts = ["" if a == b == "" else f"[{a}, {b}]" for a, b in zip(texts, above, strict=True)]
        head = name if high is None else _interval(name)
        marks = [letters[i] if letters is not None and name == main else "" for i in range(size)]
        set_columns[head.replace("_", " ")] = [
            Cell(text=text, bold=name == main and i in best, letters=str(marks[i])) for i, text in enumerate(texts)
        ]
        right.append(high is not None or all(value is None or _is_number(value) for value in values))
    rows = tuple(zip(*set_columns.values(), strict=True)) if size else ()
    return Table(head=tuple(set_columns), rows=rows, right=tuple(right))


def latex(found: Table, *, caption: str | None = None, label: str | None = None) -> str:
    """A `tabular` with booktabs rules; with a caption or a label inside a `table`."""

    def cell(one: Cell) -> str:
        text = latex_text(one.text)
        bold = rf"\textbf{{{text}}}" if one.bold else text
        return rf"{bold}\textsuperscript{{{latex_text(one.letters)}}}" if one.letters else bold

    aligned = "".join("r" if right else "l" for right in found.right)
    lines = [
        rf"\begin{{tabular}}{{{aligned}}}",
        r"\toprule",
        " & ".join(map(latex_text, found.head)) + r" \\",
        r"\midrule",
        *(" & ".join(map(cell, row)) + r" \\" for row in found.rows),
        r"\bottomrule",
        r"\end{tabular}",
    ]
    if caption is not None or label is not None:
        said = [] if caption is None else [rf"\caption{{{latex_text(caption)}}}"]
        named = [] if label is None else [rf"\label{{{re.sub(r'[^A-Za-z0-9:._-]', '-', label)}}}"]
        lines = [r"\begin{table}", r"\centering", *said, *named, *lines, r"\end{table}"]
    return "\n".join(["% needs \\usepackage{booktabs}", *lines]) + "\n"


def markdown(found: Table) -> str:
    """A table of pipes, as GitHub shows it."""

    def cell(one: Cell) -> str:
        text = markdown_text(one.text)
        bold = f"**{text}**" if one.bold and text else text
        return f"{bold} {markdown_text(one.letters)}" if one.letters else bold

    lines = [
        "| " + " | ".join(map(markdown_text, found.head)) + " |",
        "|" + "".join("---:|" if right else "---|" for right in found.right),
        *("| " + " | ".join(map(cell, row)) + " |" for row in found.rows),
    ]
    return "\n".join(lines) + "\n"


def latex_text(text: str) -> str:
    """A text that LaTeX prints as it is."""
    return "".join(_LATEX.get(c, c) for c in one_line(text))


def markdown_text(text: str) -> str:
    """A text that Markdown prints as it is: no markup, no link, no cell of its own."""
    return re.sub(r"([\\`*_{}\[\]<>|#!~&])", r"\\\1", one_line(text))


def one_line(text: str) -> str:
    """Without control characters, and white space as one blank."""
    return "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in " ".join(text.split()))


def shown(value: Any, digits: int = 3) -> str:
    """A value as it stands in a cell; an undefined number is empty."""
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        if value.is_integer() and abs(value) >= 1000:
            return f"{value:.0f}"
        if 0 < abs(value) < 0.5 * 10**-digits:  # a p-value of 1e-7 is not 0.000
            return f"{value:.1e}"
        return f"{value:.{digits}f}"
    if isinstance(value, (list, tuple)):
        return ", ".join(shown(item, digits) for item in value)
    return str(value)


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _best(values: Sequence[Any]) -> set[int]:
    """Where the largest number stands; several where they tie, none where there is no other row."""
    known = [value for value in values if _is_number(value) and not math.isnan(value)]
    if len(known) < 2:
        return set()
    return {i for i, value in enumerate(values) if _is_number(value) and value == max(known)}


def _other_limit(name: str, own: str, others: str, columns: Mapping[str, Any]) -> str | None:
    """The column of the other limits, where this is one of limits: of `alone_low`, `alone_high`."""
    words = name.split("_")
    other = "_".join(others if word == own else word for word in words)
    return other if own in words and other in columns else None


def _interval(name: str) -> str:
    """The head of a column of intervals: of `alone_low`, "alone"."""
    return "_".join(word for word in name.split("_") if word != "low") or "interval"
