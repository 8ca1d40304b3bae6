"""A table of an answer in LaTeX, with the rules of booktabs."""

from __future__ import annotations

import math
import re
from typing import Any

from ..answers.blocks import Answer, Column, Table
from ..answers.wording import spans
from . import cells

_SPECIAL = {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "±": r"$\pm$", "–": "--"}
_SPECIAL |= {
    "“": "``",
    "”": "''",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "×": r"$\times$",
    "²": r"\textsuperscript{2}",
} | {c: f"\\{c}" for c in "&%$#_{}"}
_GREEK = {"α": r"\alpha", "τ": r"\tau", "ρ": r"\rho", "γ": r"\gamma", "Φ": r"\Phi"}
_SPECIAL |= {letter: f"${name}$" for letter, name in _GREEK.items()}


def render(answer: Answer) -> str:
    """Return the methods of an answer as text to paste, and its first table."""
    return f"{text(answer.methods)}\n\n{table(answer.tables[0])}\n"


def text(marked: str) -> str:
    """Convert a marked text; every special character is escaped."""
    wrap = {"text": "{}", "name": r"\textsf{{{}}}", "code": r"\texttt{{{}}}", "symbol": "{}"}
    return "".join(
        wrap[kind].format(_symbol(part) if kind == "symbol" else _escape(part)) for kind, part in spans(marked) if part
    )


def table(block: Table, *, digits: int | None = None, caption: str | None = None, label: str | None = None) -> str:
    """Return a table without the columns that are details; with a caption or a label it floats."""
    shown = [k for k, column in enumerate(block.columns) if not column.detail]
    own = cells.with_digits(block, digits)
    columns, rows = own.columns, cells.rows(own)
    bold = {k: _best(columns[k], [row[k] for row in own.rows]) for k in shown if columns[k].best}
    lines = [
        f"\\begin{{tabular}}{{{''.join('r' if cells.right(columns[k]) else 'l' for k in shown)}}}",
        r"\toprule",
        " & ".join(text(columns[k].title) for k in shown) + r" \\",
        r"\midrule",
        *(" & ".join(_cell(text(row[k]), n in bold.get(k, ())) for k in shown) + r" \\" for n, row in enumerate(rows)),
        r"\bottomrule",
        r"\end{tabular}",
    ]
    if caption is None and label is None:
        return "\n".join(lines)
    above = [] if caption is None else [f"\\caption{{{_escape(caption)}}}"]
    named = [f"\\label{{{label}}}"] * (label is not None)
    return "\n".join([r"\begin{table}", r"\centering", *above, *named, *lines, r"\end{table}"])


def _best(column: Column, values: list[Any]) -> set[int]:
    """Return the rows with the best number of a column, as it is printed: ties are all in bold."""
    known = {n: float(value) for n, value in enumerate(values) if value is not None and math.isfinite(value)}
    if len(known) < 2:
        return set()
    best = max(known.values()) if column.best == "high" else min(known.values())
    return {n for n, value in known.items() if cells.text(column, value) == cells.text(column, best)}


def _cell(shown: str, bold: bool) -> str:
    """Print a cell, in bold if it is the best of its column."""
    return f"\\textbf{{{shown}}}" if bold else shown


def _escape(part: str) -> str:
    return "".join(_SPECIAL.get(letter, letter) for letter in part)


def _symbol(part: str) -> str:
    """Typeset τ_ap as a symbol with an upright index."""
    base, _, index = part.partition("_")
    greek = _GREEK.get(base, base)
    return f"${greek}_{{\\mathrm{{{re.sub('_', ',', index)}}}}}$" if index else f"${greek}$"
