"""Lists of systems and scores, and tables of systems by measures, as rankings."""

from __future__ import annotations

import math
from typing import Any

from ..data.ranking import Ranking
from ..errors import Advice, FileError, Option
from .formats import delimited, frames, nested
from .formats.base import Format
from .formats.delimited import Table, read_measures
from .layouts import layout
from .look import NOTHING, Asked, Look, role_of
from .numerals import is_number
from .pieces import Piece, run_name
from .streams import Text, Where

#: Columns in which a lower number is better.
RANKS = ("rank", "ranks", "position", "place")


def is_list(table: Table) -> bool:
    """Whether this is a list of names and numbers: two columns, the first of them names."""
    if len(table.header) != 2 or role_of(table.header[0]) == "topic" or role_of(table.header[1]) == "system":
        return False
    if role_of(table.header[0]) == "system":
        return True
    return not table.look().numeric[0] and table.look().numeric[1]


def read_text(
    text: Text,
    wanted: str | None,
    measure: str | None,
    missing: str,
    options: dict[str, Any],
    one: Format,
    name: str,
    asked: Asked = NOTHING,
) -> Ranking | Piece:
    """The ranking that a text holds, or else its scores; it is read once, for it may be a pipe."""
    if one is delimited.FORMAT:
        table = Table(text, numbered=name == "numbers")
        found = read(table, measure, missing, options, asked) if wanted is None else None
        return found or delimited.read_table(table, wanted, run_name(text.path), asked)
    if wanted is None and one is nested.FORMAT:
        data = nested.parse_json("".join(text.lines()), text.path)
        if isinstance(data, dict) and data and all(isinstance(value, (int, float)) for value in data.values()):
            return Ranking(data, name=str(text.path), **options)
        return nested.cells_of(data, text.path, run_name(text.path)).piece()
    return one.read(text, name, run_name(text.path))


def read(
    table: Table, measure: str | None, missing: str, options: dict[str, Any], asked: Asked = NOTHING
) -> Ranking | None:
    """The ranking of a list or of a table of systems by measures; None for scores on topics."""
    table.drop(asked.drop)
    roles = [role_of(name) for name in table.header]
    if is_list(table) and not asked.columns:
        return _list(table, options)
    if len(table.header) == 2 and all(table.look().numeric) and not any(roles):
        raise FileError(
            f"{table.path}:{table.line}: both columns, {table.header[0]!r} and {table.header[1]!r}, hold numbers: "
            "are the first names?",
            Advice("Call the columns system and score."),
            Option("format", "matrix", effect="for two systems on topics"),
        )
    if _is_table(table.look(), measure, asked):
        found = read_measures(table, asked).table(missing)
        return found.ranking(measure, **_by_rank(found.measures, measure, options))
    return None


def _is_table(look: Look, measure: str | None, asked: Asked) -> bool:
    """Whether this is a table of systems by measures, and not a board whose columns are averaged."""
    roles = [role_of(name) for name in look.header]
    named = "system" in asked.columns or ("system" in roles and not look.numeric[roles.index("system")])
    if not named or "topic" in roles or "topic" in asked.columns:
        return False
    if measure is not None or "value" in asked.columns:
        return True
    try:
        return layout(look, None, asked).kind != "turned"
    except FileError:
        return True


def _by_rank(measures: tuple[str, ...], measure: str | None, options: dict[str, Any]) -> dict[str, Any]:
    """A column of ranks has 1 for the best."""
    only = measure or (measures[0] if len(measures) == 1 else "")
    return {"lower_is_better": True, **options} if only.strip().lower() in RANKS else options


def read_frame(
    data: Any, source: str, measure: str | None, missing: str, options: dict[str, Any], asked: Asked = NOTHING
) -> Ranking | None:
    """The same of a data frame."""
    frame = frames.Frame(data, source, asked.drop)
    roles = [role_of(name) for name in frame.header]
    if asked.columns:
        if not _is_table(frame.look(), measure, asked):
            return None
        return frames.read_measures(data, source, asked).table(missing).ranking(measure, **options)
    if "topic" in roles or roles[-1] == "system":
        return None
    numeric = frame.look().numeric
    if len(roles) == 2 and numeric[1] and (roles[0] == "system" or not numeric[0]):
        if frame.header[1].strip().lower() in RANKS:
            options = {"lower_is_better": True, **options}
        return Ranking(frame.numbers(1), frame.texts(0), name=source, **options)
    if _is_table(frame.look(), measure, asked):
        return frames.read_measures(data, source, asked).table(missing).ranking(measure, **options)
    return None


def _list(table: Table, options: dict[str, Any]) -> Ranking:
    found: dict[str, float] = {}
    lines: dict[str, int] = {}
    title = table.header[1].strip().lower()
    if is_number(table.header[1]) and role_of(table.header[0]) is None:
        _add(table, table.line, table.header, found, lines)
    for line, record in table.checked():
        _add(table, line, record, found, lines)
    if not found:
        raise Where(table.path, table.line).error("there is a header and not one row below it.")
    if title in RANKS:
        options = {"lower_is_better": True, **options}
    return Ranking(found, name=str(table.path), **options)


def _add(table: Table, line: int, record: list[str], found: dict[str, float], lines: dict[str, int]) -> None:
    name, text = record
    try:
        value = table.numerals.value(text, 1)
    except ValueError as reason:
        why = str(reason) or "is not a number"
        raise Where(table.path, line).error(f"the score {text[:60]!r} of {name!r} {why}.") from None
    if not math.isfinite(value):
        raise Where(table.path, line).error(f"the system {name!r} has no score that is a finite number. Leave it out.")
    if not name or name in found:
        first = f" (first on line {lines[name]})" if name else ""
        what = f"the system {name!r} is there twice{first}" if name else "a system has no name"
        raise Where(table.path, line).error(f"{what}. Names must be unique.")
    found[name] = value
    lines[name] = line
