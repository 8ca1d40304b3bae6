"""Reading and writing scores: tables, output of evaluation tools, data frames and dicts become labelled objects."""

from __future__ import annotations

from .columns import Groups, read_chances, read_groups
from .detect import detect_format
from .pieces import run_name
from .read import read_cube, read_ranking, read_scores, read_table
from .write import write_columns, write_scores

__all__ = [
    "Groups",
    "detect_format",
    "read_chances",
    "read_cube",
    "read_groups",
    "read_ranking",
    "read_scores",
    "read_table",
    "run_name",
    "write_columns",
    "write_scores",
]
