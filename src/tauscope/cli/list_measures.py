"""`tauscope measures list`: every measure with its definition and its conventions."""

from __future__ import annotations

import textwrap

from ..evaluation import conventions
from .options import Documents
from .output import show


def list_measures(name: str | None = None, /, *, output: Documents = Documents()) -> None:
    """Which measures can runs be evaluated by, and by which conventions?

    With --csv: one row per measure.

    Example: `tauscope measures list nDCG`

    Parameters
    ----------
    name
        One measure, in any of its spellings; all of them by default.
    """
    found = conventions.rows() if name is None else [conventions.row_of(name)]
    columns = {key: [row[key] for row in found] for key in found[0]}
    if output.print_both(lambda: {"measures": found, "conventions": list(conventions.GENERAL)}, lambda: columns):
        return
    for row in found:
        show(f"{row['measure']}  {row['definition']}")
        for key in ("convention", "parameters", "also", "paper"):
            if row[key]:
                show(*textwrap.wrap(f"{key}: {row[key]}", 110, initial_indent="    ", subsequent_indent="      "))
    show("", "For all of them:")
    for text in conventions.GENERAL:
        show(*textwrap.wrap(text, 110, initial_indent="  ", subsequent_indent="    "))
