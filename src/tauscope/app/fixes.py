"""Errors for the page: the problem, each fix that the app can apply as a button, and all others as advice."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..errors import Advice, FileError, Option, TauscopeError

#: Buttons in words; what is not here is worded by its name and value.
LABELS = {
    ("format", "wide"): "One row per topic",
    ("format", "turned"): "One row per system (rows and columns reversed)",
    ("format", "matrix"): "Every column is a system",
    ("format", "numbers"): "Numbers only",
    ("format", "long"): "One row per score",
    ("format", "measures"): "One column per measure",
    ("missing", "zero"): "Count what is missing as 0",
    ("missing", "drop-topics"): "Leave out topics with missing cells",
    ("missing", "drop-systems"): "Leave out systems with missing cells",
    ("missing", "keep"): "Keep missing cells",
    ("missing", "drop"): "Leave these out",
    ("self_battles", "drop"): "Leave these out",
    ("unmatched", "drop"): "Compare what both have",
    ("match", "loose"): "Match names loosely",
    ("rule", "mean"): "Rank by the mean",
    ("rule", "z"): "Rank by z-scores",
    ("rule", "mean-rank"): "Rank by the mean rank",
    ("rule", "min-max"): "Rank by scores from 0 to 1",
    ("aggregate", "z"): "Make them z-scores",
    ("aggregate", "rank"): "Take ranks on each topic",
    ("aggregate", "minmax"): "Stretch each topic to 0–1",
    ("aggregate", "mean"): "Average them as they are",
    ("without", "[]"): "Use all systems",
    ("kind", ""): "Read it as at first",
    ("kind", "ranking"): "It is a list of systems",
    ("kind", "published"): "It is a published board",
}
#: What a column can be, in words.
ROLES = {
    "system": "names the systems",
    "topic": "names the topics",
    "value": "is the score",
    "measure": "is the measure",
}
#: Options of readers that name one column each.
COLUMN_OPTIONS = ("first", "second", "winner", "system", "score", "error", "low", "high")
#: Columns that a choice lists.
MOST = 200


def as_buttons(
    error: TauscopeError, *, known: Sequence[str], otherwise: Advice, header: Sequence[str] = ()
) -> dict[str, Any]:
    """The problem, and its ways out: options that are `known` as buttons or choices of a column, the others as advice.

    `otherwise` is said where nothing else is: nobody is left with a problem alone.
    """
    ways: list[dict[str, Any]] = []
    for way in error.ways_out:
        if isinstance(way, Option):
            ways += _of_option(way, header) if way.name in known else []
        elif text := way.in_shell():
            ways.append({"advice": text})
    ways += _columns_to_name(error, known, header, ways)
    ways.sort(key=lambda way: "advice" in way)  # first what can be pressed
    return {"problem": error.problem, "fixes": ways or [{"advice": otherwise.in_shell()}]}


def button(option: str, value: Any, effect: str = "") -> dict[str, Any]:
    """A button that sets an option."""
    role, _, column = str(value).partition("=")
    named = f"“{column}” {ROLES[role]}" if option == "columns" and role in ROLES else ""
    if option == "format" and ">" in str(value):  # which level of a nested file is what
        named = "First " + ", then ".join(f"{level}s" for level in str(value).split(">"))
    label = named or LABELS.get((option, str(value))) or f"{option.replace('_', ' ').capitalize()}: {value}"
    return {"option": option, "value": value, "label": label, "effect": effect}


def _of_option(way: Option, header: Sequence[str]) -> list[dict[str, Any]]:
    if way.values:
        # Functions have options of their own for missing cells; a file is read again by those that have a label.
        fit = [value for value in way.values if way.name != "missing" or ("missing", value) in LABELS]
        return [button(way.name, value, way.effect) for value in fit]
    if way.name == "columns" and header:
        return [columns_by_role(header)]
    return _named(way.name, header) if way.name in COLUMN_OPTIONS else []


def columns_by_role(header: Sequence[str]) -> dict[str, Any]:
    """A choice of the column of systems, of that of topics and of that of scores."""
    # They are written as WHAT=COLUMN with commas between, which a column with such marks would break.
    plain = [name for name in header[:MOST] if name and not set(name) & {",", "="}]
    labels = {role: f"Which column {what}?" for role, what in ROLES.items() if role != "measure"}
    return {"option": "columns", "label": "Read these columns", "roles": labels, "choices": plain}


def _named(option: str, header: Sequence[str]) -> list[dict[str, Any]]:
    label = f"Which column is the {option}?"
    return [{"option": option, "label": label, "choices": list(header[:MOST])}] if header else []


def _columns_to_name(
    error: TauscopeError, known: Sequence[str], header: Sequence[str], ways: list[dict[str, Any]]
) -> list[dict[str, Any]]:
    """Readers that look for columns say which they lack in words; a list of the columns is the way out."""
    if not isinstance(error, FileError) or any("option" in way for way in ways) or "column" not in error.problem:
        return []
    return [one for name in known if name in COLUMN_OPTIONS for one in _named(name, header)]
