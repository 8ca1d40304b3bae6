"""Reading and writing scores: tables, output of evaluation tools, data frames and dicts become labelled objects."""

from __future__ import annotations

from .read import detect_format, read_cube, read_ranking, read_scores, read_table
from .write import write_columns, write_scores

__all__ = ["detect_format", "read_cube", "read_ranking", "read_scores", "read_table", "write_columns", "write_scores"]
