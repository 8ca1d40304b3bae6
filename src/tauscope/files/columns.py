"""The columns of a table by name, from a file, a frame or records, for readers that look for columns and not for a
matrix."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ..errors import CallError, FileError
from ..frames import is_frame
from ..scores.labels import shown
from .formats import delimited, frames, nested
from .streams import Where, compression, open_start


class Columns(dict[str, Sequence[Any]]):
    """The cells of each column by its name, and what is to be said of how they were read."""

    notes: tuple[str, ...] = ()


def columns_of(source: Any, what: str, max_bytes: int) -> tuple[Columns, str]:
    """The columns of the source by name, and what to call it."""
    if isinstance(source, (str, Path)):
        path = Path(source)
        if compression(path) == "parquet":
            return _of_frame(frames.read_parquet(path, max_bytes)[0]), str(path)
        return _of_text(path, max_bytes), str(path)
    if is_frame(source):
        return _of_frame(source), "the frame"
    if isinstance(source, (list, tuple)):
        return _of_records(source, "the records"), "the records"
    raise CallError(f"{what} reads a file, a data frame or a list of dicts, not {type(source).__name__}.")


def first_columns(path: Path, max_bytes: int) -> Columns:
    """The columns of the first rows of a file, by which it is told what it holds; none where it has no columns."""
    if path.is_dir() or not path.is_file():
        return Columns()  # a pipe can be read once
    kind = compression(path)
    if kind == "inspect":
        return Columns()  # a log of an evaluation, not a table
    if kind == "parquet":
        return _of_frame(frames.read_parquet(path, max_bytes)[0])
    with open_start(path, max_bytes=max_bytes) as text:
        start = next(line for line in text.head if line.strip()).lstrip()
        if start.startswith("["):
            records = nested.parse_json("".join(text.lines()), path)
        elif start.startswith("{"):
            records = [_object(line) for line in text.head if line.strip()]
        else:
            table = delimited.Table(text)
            rows = [record for _, record in table.sample if len(record) == len(table.header)]
            return Columns({name: [row[at] for row in rows] for at, name in enumerate(table.header)} if rows else {})
    whole = isinstance(records, list) and records and all(isinstance(record, Mapping) for record in records)
    return _of_records(records, str(path)) if whole else Columns()


def _object(line: str) -> Any:
    try:
        return json.loads(line)
    except (ValueError, RecursionError):
        return None


def _of_frame(data: Any) -> Columns:
    import narwhals as nw

    native = nw.from_native(data)
    table: Any = native.collect() if isinstance(native, nw.LazyFrame) else native
    return Columns({str(name): table[name].to_list() for name in table.columns})


def _of_text(path: Path, max_bytes: int) -> Columns:
    with open_start(path, max_bytes=max_bytes) as text:
        start = next(line for line in text.head if line.strip()).lstrip()
        if start.startswith(("{", "[")):
            data = nested.parse_json("".join(text.lines()), path)
            return _of_records([data] if isinstance(data, Mapping) else data, str(path))
        table = delimited.Table(text)
        cells = list(zip(*(record for _, record in table.checked()), strict=True))
    if not cells:
        raise Where(path, table.line).error("there is a header and not one row below it.")
    found = Columns(zip(table.header, cells, strict=True))
    found.notes = tuple(table.told_of_titles())
    return found


def _of_records(records: Sequence[Any], where: str) -> Columns:
    if not records or not all(isinstance(record, Mapping) for record in records):
        raise FileError(f"{where}: rows are a list of objects, {{column: value}}.")
    names = list(dict.fromkeys(name for record in records for name in record))
    return Columns({str(name): [record.get(name) for record in records] for name in names})


def find_column(columns: Columns, asked: str | None, known: Sequence[str], where: str) -> str | None:
    """The column asked for, or the first that is known by its name."""
    if asked is not None:
        if not isinstance(asked, str) or asked not in columns:
            raise FileError(f"{where}: there is no column {asked!r}; there are {shown(list(columns), 12)}.")
        return asked
    lower = {name.strip().lower(): name for name in reversed(list(columns))}
    return next((lower[name] for name in known if name in lower), None)


def named_columns(given: str | Mapping[str, str] | None, roles: Sequence[str]) -> dict[str, Any]:
    """Return role -> column of "first=model_a,second=model_b", or of a dict."""
    if isinstance(given, str):
        pairs = [part.partition("=") for part in given.split(",") if part.strip()]
        named = {role.strip(): column for role, _, column in pairs}
    else:
        named = dict(given or {})
    for role, column in named.items():
        if role not in roles or not column:
            raise CallError(
                f"columns: {role!r} is not a column that can be named here; write {roles[0]}=COLUMN. The roles are "
                f"{', '.join(roles)}."
            )
    return named
