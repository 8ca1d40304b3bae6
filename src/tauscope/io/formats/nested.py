"""Dicts of dicts, as ranx and pytrec_eval make them, and JSON: {run: {measure: {topic: value}}} and its like."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from ...data.labels import shown
from ...data.names import MeasureName
from ...errors import Advice, CallError, FileError, Option
from ...results import count
from ..layouts import layout
from ..look import Look, role_of
from ..numerals import is_number
from ..pieces import Cells, Piece
from ..streams import Text, Where
from . import alpaca_eval, helm, inspect_ai, lm_eval, mteb
from .base import Document, Format

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
    """The JSON of a file, or of each of its lines; a key that stands twice in one object is an error."""
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
    """The values of the lines of a file that hold one, and the numbers of those lines."""

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


def recognise(head: Sequence[str]) -> str | None:
    """ "json" for what starts with a bracket."""
    first = next((line for line in head if line.strip()), "").lstrip()
    return "json" if first.startswith(("{", "[")) else None


def read(text: Text, name: str, run: str) -> Piece:
    """The scores of a JSON file, or of one with JSON in each line; `name` is the order of its keys, or "json"."""
    return cells_of(parse_json("".join(text.lines()), text.path), text.path, run, name).piece()


def cells_of(data: Any, path: Path, run: str, name: str = "json") -> Cells:
    """The scores of a parsed file: of a tool's document, or of dicts and records."""
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


def kind_of(text: Text) -> str:
    """The tool whose document a JSON file is, or "json"."""
    data = _records_of(parse_json("".join(text.lines()), text.path))
    return next((one.name for one in DOCUMENTS if one.fits(data)), "json")


def _takes(head: Sequence[str], name: str) -> bool:
    return name in ORDERS or recognise(head) is not None


FORMAT = Format(names=(*ORDERS, "json", *(one.name for one in DOCUMENTS)), recognise=recognise, read=read, takes=_takes)


def read_dicts(data: Any, source: str, run: str | None, order: str | None = None) -> Cells:
    """The scores of nested dicts or of a list of records; `run` names the run where the data do not."""
    if isinstance(data, list):
        return _records(data, source, run, order)
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


def _records(rows: list[Any], source: str, run: str | None, wanted: str | None) -> Cells:
    """[{"query_id": …, "measure": …, "value": …}, …], as `ir_measures -o jsonl` writes and its objects are."""
    records = [_record(row) for row in rows]
    lines = rows.lines if isinstance(rows, JsonLines) else None

    def place(at: int) -> str:
        return f"{source}: in record {at + 1}" if lines is None else f"{source}:{lines[at]}:"

    bad = next((i for i, record in enumerate(records) if not record or set(record) != set(records[0])), None)
    if not rows or bad is not None:
        which = f"{source}: record {(bad or 0) + 1}" if lines is None else f"{source}:{lines[bad or 0]}: this record"
        raise FileError(f"{which} does not have the keys of the first, such as topic and value.")
    header = list(records[0])
    texts = [{key: "" if value is None else str(value) for key, value in record.items()} for record in records[:50]]
    # One number makes a column of values: what is none is an error with its place.
    numeric = [(any if role_of(name) == "value" else all)(is_number(row[name]) for row in texts) for name in header]
    chosen = layout(Look(source, header, numeric, lambda _: False), wanted)
    if chosen.kind != "long" or chosen.topic is None:
        raise FileError(f"{source}: records need a topic and a value; they have {shown(header)}.")
    keep = [i for i, record in enumerate(records) if str(record[header[chosen.topic]]) != "all"]

    def column(at: int | None) -> list[str]:
        return [] if at is None else [str(records[i][header[at]]) for i in keep]

    name = header[chosen.values[0]]
    values = np.array([_value(records[i][name], place(i)) for i in keep], dtype=np.float64)
    return Cells(
        source=source,
        systems=column(chosen.system) or [_run(run, source)] * len(keep),
        topics=column(chosen.topic),
        measures=column(chosen.measure) or [""] * len(keep),
        values=values,
        lines=None if lines is None else [lines[i] for i in keep],
        notes=(f"{source}: records",),
    )


def _record(row: Any) -> dict[str, Any]:
    if hasattr(row, "_asdict"):  # ir_measures.Metric
        return dict(row._asdict())
    return {str(key): value for key, value in row.items()} if isinstance(row, Mapping) else {}


def is_records(data: Any) -> bool:
    """Whether these are records: dicts or named tuples, one per score."""
    return isinstance(data, Iterable) and not isinstance(data, (str, bytes, Mapping)) and all(map(_record, data))
