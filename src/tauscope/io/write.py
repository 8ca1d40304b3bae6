"""Writing scores: CSV, TSV and Parquet, compressed or not, so that reading them gives the same numbers and names."""

from __future__ import annotations

import csv
import io
import json
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

from ..core import checking
from ..data.cube import ScoreCube
from ..data.scores import Scores
from ..data.summaries import is_summary
from ..data.table import MeasureTable
from ..errors import CallError, FileError
from ..results import plain
from .door import scores_or_cube
from .frames import METADATA, arrow
from .layouts import Table, layout, role_of, table_layout
from .numerals import numeric_columns
from .streams import Where, packing, replacing

Writable = Scores | ScoreCube | MeasureTable
Row = Sequence[Any]
_SUFFIXES = {".csv": ",", ".tsv": "\t", ".tab": "\t", ".parquet": ""}
LAYOUTS = ("auto", "wide", "long")


def write_scores(scores: Any, path: str | Path, *, layout: str = "auto") -> Path:
    """Write scores; `Scores.write()` documents how.

    Parameters
    ----------
    scores : Scores, ScoreCube, MeasureTable or what their read() takes
        What is written.
    path : str or Path
        Ends in .csv, .tsv or .parquet; a text may also end in .gz or .zst.
    layout : {"auto", "wide", "long"}, default "auto"
        "auto" is wide if reading gives back the same.

    Returns
    -------
    Path

    Raises
    ------
    CallError
        If the name does not say a format.
    FileError
        If the file cannot be written.
    """
    target = Path(path)
    scores = scores_or_cube(scores, "Scores.write()")
    name = target.name.lower()
    packed = next((ending for ending in (".gz", ".zst") if name.endswith(ending)), "")
    suffix = Path(name.removesuffix(packed)).suffix
    if suffix not in _SUFFIXES or (packed and suffix == ".parquet"):
        raise CallError(f"{target}: write to .csv, .tsv (both also .gz or .zst) or .parquet; the name says the format.")
    checking.one_of(layout, LAYOUTS, "layout")
    if suffix == ".parquet":
        _write_parquet(scores, target, layout)
    else:
        header, rows = _text_rows(scores, layout)
        _write_text(target, packed, header, rows, _SUFFIXES[suffix])
    return target


def write_columns(columns: Mapping[str, Sequence[Any]], path: str | Path) -> Path:
    """Write a table of results: numbers to the last digit, undefined ones empty.

    The file appears whole or not at all, and equal tables are equal bytes.

    Parameters
    ----------
    columns : mapping
        The cells of each column by its name.
    path : str or Path
        Ends in .csv or .parquet.

    Returns
    -------
    Path

    Raises
    ------
    CallError
        If it ends otherwise.
    """
    target = Path(path)
    if target.suffix not in (".csv", ".parquet"):
        raise CallError(f"{target}: a table ends in .csv or .parquet.")
    if target.suffix == ".parquet":
        pyarrow, parquet = arrow(target)
        plain = {name: [None if cell != cell else cell for cell in values] for name, values in columns.items()}
        with replacing(target) as raw:
            parquet.write_table(pyarrow.table(plain), raw)
        return target
    with replacing(target) as raw:
        text = io.TextIOWrapper(raw, encoding="utf-8", newline="")
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(columns)
        for row in zip(*columns.values(), strict=True):
            writer.writerow("" if cell != cell else cell for cell in row)
        text.flush()
        text.detach()
    return target


def _text_rows(scores: Writable, wanted: str) -> tuple[list[str], Iterable[Row]]:
    if wanted == "auto":
        wanted = "long" if isinstance(scores, Scores) and scores.measure else "wide"
        if wanted == "wide" and not _reads_back(scores):
            wanted = "long"
    return _wide(scores) if wanted == "wide" else _long(scores)


class Written(Table):
    """The first rows of a table as it would be written."""

    def __init__(self, header: list[str], rows: list[list[str]]) -> None:
        self.source = self.where = ""
        self.header, self.numeric = header, numeric_columns(rows, len(header))
        self.first = list(zip(*rows, strict=True))


def _reads_back(scores: Writable) -> bool:
    """Whether the names of the columns leave no doubt about the layout: a system may be called 'score'."""
    header, rows = _wide(scores)
    if len(set(header)) < len(header) or (isinstance(scores, Scores) and any(map(role_of, scores.systems))):
        return False
    table = Written(header, [[_text(cell) for cell in row] for row in islice(rows, 50)])
    try:
        if isinstance(scores, MeasureTable):
            found, wanted = table_layout(table), "measures"
        else:
            found, wanted = layout(table), "wide" if isinstance(scores, Scores) else "measures"
    except FileError:
        return False
    summaries = isinstance(scores, Scores) and any(map(is_summary, (*scores.topics, *scores.systems)))
    return found.kind == wanted and not found.ignored and not summaries


def _text(cell: Any) -> str:
    return cell if isinstance(cell, str) else repr(cell)


def _wide(scores: Writable) -> tuple[list[str], Iterator[Row]]:
    if isinstance(scores, Scores):
        rows = ([topic, *map(_cell, row)] for topic, row in zip(scores.topics, scores.values.tolist(), strict=True))
        return ["topic", *scores.systems], rows
    table = scores.topic_wise() if isinstance(scores, ScoreCube) else scores
    if table.topics is None:
        plain = ([system, *map(_cell, row)] for system, row in zip(table.systems, table.values.tolist(), strict=True))
        return ["system", *table.measures], plain
    labels = zip(table.topics, table.systems, table.values.tolist(), strict=True)
    return ["topic", "system", *table.measures], ([topic, system, *map(_cell, row)] for topic, system, row in labels)


def _long(scores: Writable) -> tuple[list[str], Iterator[Row]]:
    if isinstance(scores, Scores):
        # A measure without a name has no column, so that reading gives it back without one.
        named = [scores.measure] if scores.measure else []
        header = ["system", "topic", *(["measure"] if named else []), "value"]
        return header, (
            [system, topic, *named, _cell(value)]
            for topic, row in zip(scores.topics, scores.values.tolist(), strict=True)
            for system, value in zip(scores.systems, row, strict=True)
        )
    table = scores.topic_wise() if isinstance(scores, ScoreCube) else scores
    topics: Sequence[str | None] = table.topics or [None] * len(table)
    return ["system", *(["topic"] if table.topics else []), "measure", "value"], (
        [system, *([topic] if topic is not None else []), measure, _cell(value)]
        for system, topic, row in zip(table.systems, topics, table.values.tolist(), strict=True)
        for measure, value in zip(table.measures, row, strict=True)
    )


def _cell(value: float) -> float | str:
    return "NaN" if math.isnan(value) else value


def _write_text(path: Path, packed: str, header: list[str], rows: Iterable[Row], delimiter: str) -> None:
    with replacing(path) as raw, packing(raw, packed, path) as stream:
        text = io.TextIOWrapper(stream, encoding="utf-8", newline="", write_through=False)
        # Quoting every text keeps newlines, delimiters and names that look like numbers.
        writer = csv.writer(text, delimiter=delimiter, quoting=csv.QUOTE_NONNUMERIC, lineterminator="\n")
        try:
            _check_text(header, path)
            writer.writerow(header)
            for record in rows:
                _check_text([cell for cell in record[:3] if isinstance(cell, str)], path)
                writer.writerow(record)
            text.flush()
        except UnicodeEncodeError as error:
            raise Where(path).error(f"the name {error.object[:60]!r} cannot be written as UTF-8.") from None
        text.detach()


def _check_text(names: Sequence[str], path: Path) -> None:
    bad = next((name for name in names if "\0" in name), None)
    if bad is not None:
        raise Where(path).error(f"the name {bad[:60]!r} has a NUL character, which no text file can hold.")


def _write_parquet(scores: Writable, path: Path, layout: str) -> None:
    pyarrow, parquet = arrow(path)
    long = layout == "long" or (layout == "auto" and not _reads_back(scores))
    table = scores.to_frame("pyarrow", long=long)
    beside: dict[str, Any] = {"collection": scores.collection, "notes": plain(scores.notes)}
    if isinstance(scores, Scores):
        beside["measure"] = scores.measure
        if long and not scores.measure:
            table = table.drop_columns(["measure"])
    try:
        table = table.replace_schema_metadata({METADATA: json.dumps(beside).encode()})
        with replacing(path) as raw:
            parquet.write_table(table, raw)
    except (pyarrow.ArrowException, UnicodeError) as error:
        raise Where(path).error(f"it cannot be written as Parquet ({error}).") from None
