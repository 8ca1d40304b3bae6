"""How commands print: a table for people, JSON or CSV for programs. No colours, so nothing to import."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from typing import Any

from ..results import plain


def show_json(data: Any) -> None:
    """One JSON document on standard output; undefined numbers are null."""
    json.dump(plain(data), sys.stdout, ensure_ascii=False, indent=2, allow_nan=False)
    sys.stdout.write("\n")


def show_csv(columns: Mapping[str, Sequence[Any]]) -> None:
    """A CSV table on standard output; undefined numbers are empty."""
    import csv

    writer = csv.writer(sys.stdout, lineterminator="\n")
    writer.writerow(columns)
    rows = zip(*(plain(list(values)) for values in columns.values()), strict=True)
    # A file keeps names as they are; a terminal would obey them.
    shown = printable if sys.stdout.isatty() else str
    writer.writerows([shown(v) if isinstance(v := safe(value), str) else v for value in row] for row in rows)


def show_latex(columns: Mapping[str, Sequence[Any]]) -> None:
    """A table for a paper on standard output; undefined numbers are empty."""
    from ..answers.plain import table_of
    from ..render import latex

    print(latex.table(table_of({name: plain(list(values)) for name, values in columns.items()})))


def safe(value: Any) -> Any:
    """A cell that a spreadsheet will not run: names come from strangers."""
    if isinstance(value, str) and value.startswith(("=", "+", "-", "@", "\t", "\r")):
        return f"'{value}"
    return "" if value is None else value


def show_table(rows: Sequence[Sequence[str]], *, right: Sequence[int] = (), indent: str = "") -> None:
    """Aligned columns, the first row is the head."""
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    for row in rows:
        clean = [printable(cell) for cell in row]
        sized = enumerate(zip(clean, widths, strict=True))
        cells = [cell.rjust(width) if column in right else cell.ljust(width) for column, (cell, width) in sized]
        print(indent + "  ".join(cells).rstrip())


def printable(text: str) -> str:
    """One line without control characters: a name must not drive the terminal, nor look like a line of its own."""
    return "".join(c if c.isprintable() else "�" for c in text)


def show(*lines: str) -> None:
    """Lines of text for people, one each."""
    for line in lines:
        print(printable(line))
