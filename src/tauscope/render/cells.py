"""Cells of tables as text: the same digits in every renderer."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from ..answers.blocks import Column, Table
from ..answers.wording import counts, mark, number, percent, whole_number


def text(column: Column, value: Any, dash: str = "–") -> str:
    """Format one cell as a marked text."""
    if value is None or value == "":
        return ""
    if column.kind == "name":
        return mark("n", value)
    if column.kind == "symbol":
        return mark("s", value)
    if column.kind == "check":
        return "yes" if value else ""
    if column.kind == "whole":
        return f"{int(value):,}"
    if column.kind == "percent":
        return percent(float(value))
    if column.kind == "count":
        return whole_number(float(value))
    if column.kind == "counts":
        return counts(value) if value[0] == value[0] else ""
    if column.kind == "number":
        return number(float(value), column.digits)
    if column.kind == "p":
        least = 10.0**-column.digits
        return f"< {least:.{column.digits}f}" if value < least else number(float(value), column.digits)
    if column.kind == "range":
        low, high = value
        whole = all(float(limit).is_integer() for limit in value) and not isinstance(low, float)
        return f"{low}{dash}{high}" if whole else f"{number(low, column.digits)} to {number(high, column.digits)}"
    return str(value)


def rows(table: Table, most: int | None = None, dash: str = "–") -> list[list[str]]:
    """Format the first `most` rows of a table, or all of them."""
    return [[text(c, value, dash) for c, value in zip(table.columns, row, strict=True)] for row in table.rows[:most]]


def with_digits(table: Table, digits: int | None) -> Table:
    """Return the table with other digits of its numbers."""
    if digits is None:
        return table
    return replace(table, columns=tuple(replace(column, digits=digits) for column in table.columns))


def right(column: Column) -> bool:
    """Whether the cells of a column are aligned to the right."""
    return column.kind in ("number", "whole", "percent", "count", "p")
