"""Reading and writing scores: tables, output of evaluation tools, data frames and dicts become labelled objects."""

from __future__ import annotations

from .chances import read_chances
from .detect import detect_format
from .groups import Groups, read_groups
from .read import read_cube, read_ranking, read_scores, read_table
from .run_names import run_name
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
