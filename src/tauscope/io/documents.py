"""JSON and what is like it: documents of evaluation tools, dicts of dicts, as ranx and pytrec_eval make them,
{run: {measure: {topic: value}}}, and records, one per score."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from ..data.labels import shown
from ..data.names import MeasureName
from ..errors import Advice, CallError, FileError, Option
from ..results import count
from .formats import alpaca_eval, helm, inspect_ai, lm_eval, mteb
from .formats.base import Document
from .layouts import Layout, Rows, Table, layout, role_of
from .numerals import is_number
from .pieces import Cells, Piece, cells_in
from .streams import Text, Where

#: Orders of the keys, outermost first, that can be asked for with `format=`.
ORDERS = ("run>measure>topic", "run>topic>measure", "measure>topic", "topic>measure", "run>topic", "topic>run")
#: What tools write as JSON, asked in this order; anything else are dicts of dicts or records.
DOCUMENTS: tuple[Document, ...] = (
    mteb.RESULT,
    inspect_ai.LOG,
    lm_eval.RESULTS,
    lm_eval.SAMPLES,
    helm.INSTANCES,
    helm.STATS,
    alpaca_eval.ANNOTATIONS,
)
#: Readers of levels deeper than this would be readers of something else.
_DEEPEST = 3
#: What ends a line of JSON lines; a text can hold other separators.
_ENDS = re.compile(r"\r\n|\n|\r")


def parse_json(text: str, path: Path) -> Any:
    """Parse JSON, or a file with JSON in each line.

    Parameters
    ----------
    text : str
        The whole text.
    path : Path
        The file, for errors.

    Returns
    -------
    object
        `JsonLines` for a file with several lines.

    Raises
    ------
    FileError
        If it is not JSON, is nested too deeply, or has a key twice in one object; the error names the line.
    """
    try:
        return json.loads(text, object_pairs_hook=partial(_unique, path=path))
    except json.JSONDecodeError as error:
        if error.msg == "Extra data" and text.lstrip().startswith("{"):
            return _json_lines(text, path)
        raise Where(path, error.lineno).error(f"this is not JSON ({error.msg}).") from None
    except RecursionError:
        raise Where(path).error("the JSON is nested too deeply to be scores.") from None
    except FileError:
        raise
    except ValueError as error:
        raise Where(path).error(f"this is not JSON ({error}).") from None


class JsonLines(list[Any]):
    """The values of a file with JSON in each line.

    Attributes
    ----------
    lines : sequence of int
        The line of each value; empty lines count.
    """

    def __init__(self, values: Iterable[Any], lines: Sequence[int]) -> None:
        super().__init__(values)
        self.lines = lines


def _json_lines(text: str, path: Path) -> JsonLines:
    found, lines = list[Any](), list[int]()
    for line, part in enumerate(_ENDS.split(text), 1):
        if part.strip():
            try:
                found.append(json.loads(part, object_pairs_hook=partial(_unique, path=path, line=line)))
            except (json.JSONDecodeError, RecursionError):
                raise Where(path, line).error("this line is not JSON.") from None
            lines.append(line)
    return JsonLines(found, lines)


def _unique(pairs: list[tuple[str, Any]], path: Path, line: int | None = None) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        keys = [key for key, _ in pairs]
        twice = next(key for key in keys if keys.count(key) > 1)
        raise Where(path, line).error(f"the key {twice!r} is there twice in one object. Names must be unique.")
    return found


def read(text: Text, name: str, run: str) -> Piece:
    """Read the scores of a JSON file; `name` is the tool, the order of its keys, or "json"."""
    return cells_of(parse_json("".join(text.lines()), text.path), text.path, run, name).piece()


def cells_of(data: Any, path: Path, run: str, name: str = "json") -> Cells:
    """Find the scores of parsed JSON.

    Parameters
    ----------
    data : object
        What was parsed.
    path : Path
        The file, for errors and names.
    run : str
        What the system is called if the document does not say.
    name : str, default "json"
        A tool of `DOCUMENTS` or an order of keys, if it was asked for.

    Returns
    -------
    Cells

    Raises
    ------
    FileError
        If it is not what was asked for, or has no score.
    """
    data = _records_of(data)
    found = next((one for one in DOCUMENTS if name in (one.name, "json") and one.fits(data)), None)
    if found is not None:
        cells = found.read(data, path, run)
        if not len(cells.values):
            raise Where(path).error(f"it looks like a file of {found.name}, and there is not one score in it.")
        return cells
    if any(name == one.name for one in DOCUMENTS):
        raise Where(path).error(f"it does not look like a file of {name}.")
    return read_dicts(data, str(path), run, None if name == "json" else name)


def _records_of(data: Any) -> Any:
    """What was parsed, or a list of one record where it is a single line of JSON lines."""
    if not isinstance(data, Mapping) or any(one.fits(data) for one in DOCUMENTS):
        return data
    roles = {role_of(str(key)) for key, value in data.items() if not isinstance(value, (Mapping, list))}
    single = {"topic", "value"} <= roles or any(one.fits([data]) for one in DOCUMENTS)
    return JsonLines([data], [1]) if single else data


def tool_of(text: Text) -> str:
    """Return the tool whose document a JSON file is, or "json" for dicts and records."""
    data = _records_of(parse_json("".join(text.lines()), text.path))
    return next((one.name for one in DOCUMENTS if one.fits(data)), "json")


def read_dicts(data: Any, source: str, run: str | None, order: str | None = None) -> Cells:
    """Read nested dicts or a list of records.

    Which level of dicts is which is known by the names of measures; otherwise the caller says it.

    Parameters
    ----------
    data : dict or list
        {run: {measure: {topic: value}}} in any order of levels, or records.
    source : str
        What it is called in errors.
    run : str or None
        What the system is called if the data do not say.
    order : str, optional
        One of `ORDERS`.

    Returns
    -------
    Cells

    Raises
    ------
    FileError
        If it is not clear which level is which, or a value is no number.
    CallError
        If `order` does not fit, or nothing names the system.
    """
    if isinstance(data, list):
        return _read_records(data, source, run, order)
    if not isinstance(data, Mapping) or not data:
        raise FileError(f"{source}: there are no scores in it; {{run: {{measure: {{topic: value}}}}}} is expected.")
    levels = _depth(data, source)
    names = _order(data, levels, source, order)
    rows = list(_leaves(data, len(names), source))
    columns = {name: [row[i] for row in rows] for i, name in enumerate(names)}
    systems = columns.get("run") or [_run(run, source)] * len(rows)
    return Cells(
        source=source,
        systems=systems,
        topics=columns["topic"],
        measures=columns.get("measure") or [""] * len(rows),
        values=np.array([row[-1] for row in rows], dtype=np.float64),
        notes=(f"{source}: dicts, {'>'.join(names)}",),
    )


def _depth(data: Mapping[Any, Any], source: str) -> int:
    depth, inner = 1, next(iter(data.values()))
    while isinstance(inner, Mapping) and inner and depth <= _DEEPEST:
        depth, inner = depth + 1, next(iter(inner.values()))
    if depth not in (2, 3):
        raise FileError(
            f"{source}: {count(depth, 'level')} of dicts, where 2 or 3 are expected: "
            "{run: {measure: {topic: value}}}."
        )
    return depth


def _order(data: Mapping[Any, Any], depth: int, source: str, wanted: str | None) -> list[str]:
    if wanted is not None:
        if wanted not in ORDERS or wanted.count(">") != depth - 1:
            raise CallError(
                f"format={wanted!r} does not fit {depth} levels of dicts.", Option("format", *_orders(depth))
            )
        return wanted.split(">")
    levels = [list(data)]
    inner = data
    for _ in range(depth - 1):
        inner = next(iter(inner.values()))
        levels.append(list(inner))
    known = [all(MeasureName.parse(str(key)).known for key in keys) for keys in levels]
    if depth == 3 and not known[0] and known[1] != known[2]:
        return ["run", "measure", "topic"] if known[1] else ["run", "topic", "measure"]
    if depth == 2 and known[0] != known[1]:
        return ["measure", "topic"] if known[0] else ["topic", "measure"]
    raise FileError(
        f"{source}: which level is which? The keys are {' > '.join(shown(keys, 2) for keys in levels)}.",
        Option("format", *_orders(depth)),
    )


def _orders(depth: int) -> list[str]:
    return [order for order in ORDERS if order.count(">") == depth - 1]


def _leaves(data: Mapping[Any, Any], depth: int, source: str, path: tuple[str, ...] = ()) -> Iterator[tuple[Any, ...]]:
    for key, inner in data.items():
        here = (*path, str(key))
        if depth > 1:
            if not isinstance(inner, Mapping):
                raise FileError(f"{source}: at {' > '.join(map(repr, here))} there is {inner!r} and not a dict.")
            yield from _leaves(inner, depth - 1, source, here)
        else:
            yield (*here, _value(inner, f"{source}: at {' > '.join(map(repr, here))}"))


def _value(value: Any, place: str) -> float:
    if value is None:
        return float("nan")
    if isinstance(value, (str, bytes, Mapping, list)):
        raise FileError(f"{place} there is {value!r} and not a number.")
    try:
        return float(value)
    except (TypeError, ValueError, OverflowError):
        raise FileError(f"{place} there is {value!r} and not a number.") from None


def _run(run: str | None, source: str) -> str:
    if run is None:
        raise CallError(
            f"{source} has no level of runs.", Advice("Give a dict {run: scores}, so that the run has a name.")
        )
    return run


class Records(Table):
    """Records as a table: [{"query_id": …, "measure": …, "value": …}, …], as `ir_measures -o jsonl` writes them.

    Parameters
    ----------
    rows : list
        Dicts or named tuples, all with the keys of the first.
    source : str
        What they are called in errors and notes.
    """

    def __init__(self, rows: list[Any], source: str) -> None:
        self.source = self.where = source
        self._records = [_record(row) for row in rows]
        self._lines = rows.lines if isinstance(rows, JsonLines) else None
        first = self._records[0] if rows else {}
        bad = next((i for i, record in enumerate(self._records) if not record or set(record) != set(first)), None)
        if not rows or bad is not None:
            lines = self._lines
            which = f" record {(bad or 0) + 1}" if lines is None else f"{lines[bad or 0]}: this record"
            raise FileError(f"{source}:{which} does not have the keys of the first, such as topic and value.")
        self.header = list(first)
        some = self._records[:50]
        self.first = [["" if one[name] is None else str(one[name]) for one in some] for name in self.header]
        # One number makes a column of values: what is none is an error with its place.
        self.numeric = [
            (any if role_of(name) == "value" else all)(map(is_number, cells))
            for name, cells in zip(self.header, self.first, strict=True)
        ]

    def like_ids(self, column: int) -> bool:
        """Return False: what numbers records is not known."""
        return False

    def rows(self, chosen: Layout) -> Rows:
        """Read the scores; those of the topic `all` summarise a run and are left out."""
        named = {role: self.header[place] for role, place in chosen.named.items()}
        kept = [i for i, record in enumerate(self._records) if str(record[named["topic"]]) != "all"]
        value = self.header[chosen.values[0]]
        values = np.array([_value(self._records[i][value], self._place(i)) for i in kept], dtype=np.float64)
        names = {role: [str(self._records[i][key]) for i in kept] for role, key in named.items()}
        return Rows(values[:, None], names, None if self._lines is None else [self._lines[i] for i in kept])

    def notes(self, chosen: Layout) -> tuple[str, ...]:
        """Say how the records were read."""
        return (f"{self.source}: records",)

    def _place(self, at: int) -> str:
        return f"{self.source}: in record {at + 1}" if self._lines is None else f"{self.source}:{self._lines[at]}:"


def _read_records(rows: list[Any], source: str, run: str | None, wanted: str | None) -> Cells:
    table = Records(rows, source)
    chosen = layout(table, wanted)
    if chosen.kind != "long" or chosen.topic is None:
        raise FileError(f"{source}: records need a topic and a value; they have {shown(table.header)}.")
    return cells_in(table, chosen, table.rows(chosen), _run(run, source) if chosen.system is None else run)


def _record(row: Any) -> dict[str, Any]:
    if hasattr(row, "_asdict"):  # ir_measures.Metric
        return dict(row._asdict())
    return {str(key): value for key, value in row.items()} if isinstance(row, Mapping) else {}


def is_records(data: Any) -> bool:
    """Whether these are records: dicts or named tuples, one per score.

    Examples
    --------
    >>> is_records([{"topic": "1", "value": 0.5}]), is_records({"1": 0.5})
    (True, False)
    """
    return isinstance(data, Iterable) and not isinstance(data, (str, bytes, Mapping)) and all(map(_record, data))


def first_columns(text: Text) -> dict[str, list[Any]]:
    """Return the columns of the first records of JSON, by which `kind_of()` tells what it holds; none if there are no
    records.
    """
    if _start(text).startswith("["):
        records = parse_json("".join(text.lines()), text.path)
    else:
        records = [_object(line) for line in text.head if line.strip()]
    return columns_of_records(records) if records and all(isinstance(one, Mapping) for one in records) else {}


def _start(text: Text) -> str:
    return next(line for line in text.head if line.strip()).lstrip()


def _object(line: str) -> Any:
    try:
        return json.loads(line)
    except (ValueError, RecursionError):
        return None


def columns_of_records(records: Sequence[Mapping[str, Any]]) -> dict[str, list[Any]]:
    """Return the values of records by their keys, None where a record lacks one."""
    names = list(dict.fromkeys(name for record in records for name in record))
    return {str(name): [record.get(name) for record in records] for name in names}
