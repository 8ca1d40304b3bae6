"""One cell of a table: a number, missing, or neither."""

from __future__ import annotations

from collections.abc import Sequence

#: Cells that mean "no score", in lower case.
MISSING = frozenset({"", "na", "n/a", "#n/a", "n.a.", "nan", "null", "none", "-", "–", "—"})


def number(text: str) -> float:
    """The number that a cell holds; NaN where it is missing. Raises ValueError for anything else."""
    if "_" in text:  # Python reads 1_000 as a number, nobody else does
        raise ValueError(text)
    try:
        return float(text)
    except ValueError:
        if text.strip().lower() in MISSING:
            return float("nan")
        raise


def is_number(text: str) -> bool:
    """Whether a cell can be a score: a number, or missing."""
    try:
        number(text)
    except ValueError:
        return False
    return True


def like_ids(column: Sequence[str]) -> bool:
    """Whether cells look like ids: different whole numbers, and not just 0 and 1."""
    if not all(text.strip().isdigit() for text in column):
        return False
    return len(set(column)) == len(column) and not {text.strip() for text in column} <= {"0", "1"}
