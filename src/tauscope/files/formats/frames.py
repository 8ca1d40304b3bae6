"""Data frames of any library, through narwhals, and Parquet files."""

from __future__ import annotations

import copy
import json
import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ...arrays import Floats
from ...errors import Advice, FileError, MissingPackageError, Option
from ...scores.labels import EXACT_INTEGERS, SHIFT, inexact, shown
from ..cells import like_ids
from ..layouts import Layout, describe, layout, table_layout
from ..look import NOTHING, Asked, Look, place_of
from ..numerals import shape
from ..pieces import Cells, Piece, check_size
from ..streams import FRAMES_EXTRA, MAX_CELLS, MAX_COLUMNS, MAX_ROWS, Where
from ..summaries import without_mean_measures, without_summaries
from ..turns import by_counts
from . import pandas_labels

#: Key of the Parquet metadata that hold what the columns cannot: measure, collection, notes.
METADATA = b"tauscope"
_SAMPLE = 50
#: Up to so many rows it is not worth asking first whether a cell must be there twice.
_MANY = 100_000


class Frame:
    """A data frame at the door: columns by position, texts and numbers on demand.

    `asked` is the layout that its labels settle (names of the axes, numbered columns), `assumed` what was taken for
    granted of them.
    """

    def __init__(self, data: Any, source: str = "the frame", drop: Sequence[str] = ()) -> None:
        import narwhals as nw

        self.source = source
        flat = pandas_labels.flattened(data, source)
        self.asked, self.assumed = flat.layout, flat.assumed
        native = nw.from_native(flat.data)
        self._frame: Any = native.collect() if isinstance(native, nw.LazyFrame) else native
        self._nw = nw
        self.library = self._frame.implementation.value
        columns = list(self._frame.columns)
        self.header = [str(name) for name in columns]
        if not columns or not len(self._frame):
            raise FileError(f"{source}: there are no rows in it.")
        if len(set(self.header)) != len(self.header):
            twice = next(name for name in self.header if self.header.count(name) > 1)
            raise FileError(f"{source}: the column {twice!r} is there twice. Names must be unique.")
        self._columns = columns
        if drop:
            kept = [name for name in self.header if self.header.index(name) not in {self._place(name) for name in drop}]
            self._columns = [columns[self._place(name)] for name in kept]
            self.header = kept
            self.assumed = (*self.assumed, f"left out as asked: {shown(drop)}")

    def _place(self, name: str) -> int:
        return place_of(name, self.header, self.source)

    def __len__(self) -> int:
        return len(self._frame)

    def look(self) -> Look:
        """What the layout is decided on."""
        numeric = [self._numeric(i) for i in range(len(self.header))]
        return Look(self.source, self.header, numeric, self._like_ids, self._cells)

    def _like_ids(self, column: int) -> bool:
        some = self._frame[self._columns[column]].head(_SAMPLE)
        return not some.is_null().any() and like_ids(self.texts(column, _SAMPLE))

    def _cells(self, column: int) -> list[str]:
        """The first cells as texts; "" where one is missing."""
        values = self._frame[self._columns[column]].head(_SAMPLE).to_list()
        return ["" if value is None or value != value else str(value) for value in values]

    def _numeric(self, column: int) -> bool:
        dtype = self._frame.schema[self._columns[column]]
        if dtype.is_numeric() or dtype == self._nw.Boolean:
            return True
        sample = self._frame[self._columns[column]].head(_SAMPLE).to_list()
        return all(isinstance(value, (int, float)) or value is None for value in sample)

    def texts(self, column: int, most: int | None = None) -> list[str]:
        """A column of names; whole numbers that a library made floats are written as whole numbers."""
        series = self._frame[self._columns[column]]
        some = series if most is None else series.head(most)
        nulls = some.is_null()
        least = nulls.to_list().index(True) + 1 if nulls.any() else None
        found = []
        for row, value in enumerate(some.to_list(), 1):
            if row == least or value != value or value == "":
                raise FileError(f"{self.source}, row {row}: the column {self.header[column]!r} has no name there.")
            found.append(str(int(value)) if isinstance(value, float) and value.is_integer() else str(value))
        return found

    def shortened(self, columns: list[int]) -> Frame:
        """The frame, or its first rows where these columns name so few cells that those rows must name one twice.

        A file of a few kilobytes can hold many millions of rows that are all alike: they are refused without being
        read.
        """
        if len(self) <= _MANY:
            return self
        most = math.prod(int(self._frame[self._columns[i]].n_unique()) for i in columns)
        if most >= len(self):
            return self
        short = copy.copy(self)
        short._frame = self._frame.head(most + 1)
        return short

    def numbers(self, column: int) -> Floats:
        """A column of scores; nulls are missing."""
        series = self._frame[self._columns[column]]
        try:
            found = np.asarray(series.cast(self._nw.Float64).to_numpy(), dtype=np.float64)
        except Exception:
            for row, value in enumerate(series.to_list(), 1):
                if value is not None and (isinstance(value, str) or not isinstance(value, (int, float))):
                    name = self.header[column]
                    raise FileError(
                        f"{self.source}, row {row}: {value!r} in the column {name!r} is not a number.",
                        *_ways_out(value, name),
                    ) from None
            raise
        if (np.abs(found) >= EXACT_INTEGERS).any():
            self._check_exact(series.to_list(), found, self.header[column])
        return found

    def _check_exact(self, values: list[Any], found: Floats, name: str) -> None:
        for row, (value, kept) in enumerate(zip(values, found.tolist(), strict=True), 1):
            if isinstance(value, int) and value != kept:
                raise FileError(f"{self.source}, row {row}: {inexact(value)} It is in the column {name!r}.", SHIFT)

    def notes(self, chosen: Layout) -> tuple[str, ...]:
        """How the frame was read, and what is odd about it."""
        told = "".join(f"; {text}" for text in self.assumed)
        unsure = by_counts(len(self), len(chosen.values), self.source) if self.asked == chosen.kind == "numbers" else ()
        return (f"{self.source}: {self.library} frame, {describe(chosen, self.header)}{told}", *unsure, *chosen.remarks)


def _ways_out(value: Any, name: str) -> list[Advice]:
    """For a text that is a number with a decimal comma."""
    found = shape(value) if isinstance(value, str) else None
    if found is None or found.decimal != "," or found.percent:
        return []
    made = f'frame[{name!r}].str.replace(",", ".").astype(float)'
    return [Advice(f"Make numbers of decimal commas: {made} in pandas; a file is read with them by read_scores().", "")]


def read(data: Any, source: str, run: str | None, wanted: str | None, asked: Asked = NOTHING) -> Piece:
    """The scores of a frame, in the layout that fits or that was asked for."""
    frame = Frame(data, source, asked.drop)
    chosen = layout(frame.look(), wanted or frame.asked, asked)
    keep = asked.columns.get("keep", ())
    if chosen.by_cell:
        return without_summaries(_cells(frame, chosen, run).piece(), keep, by_content=True)
    block = _matrix(frame, chosen) if chosen.measure is None else _by_judge(frame, chosen).piece()
    return without_summaries(block, keep, by_content=False)


def _by_judge(frame: Frame, chosen: Layout) -> Cells:
    """A matrix in which every row says who judged."""
    turned = chosen.kind == "turned"
    at = chosen.system if turned else chosen.topic
    width = len(chosen.values)
    names = [str(i) for i in range(1, len(frame) + 1)] if at is None else frame.texts(at)
    rows = [name for name in names for _ in range(width)]
    columns = [frame.header[i] for _ in names for i in chosen.values]
    return Cells(
        source=frame.source,
        systems=rows if turned else columns,
        topics=columns if turned else rows,
        measures=[judge for judge in frame.texts(chosen.measure or 0) for _ in range(width)],
        values=np.column_stack([frame.numbers(i) for i in chosen.values]).ravel(),
        notes=frame.notes(chosen),
        frame=frame.library,
    )


def _matrix(frame: Frame, chosen: Layout) -> Piece:
    source = frame.source
    check_size(source, (1, len(frame), len(chosen.values)), len(frame))
    values = np.column_stack([frame.numbers(i) for i in chosen.values])
    columns = [frame.header[i] for i in chosen.values]
    turned = chosen.kind == "turned"
    at = chosen.system if turned else chosen.topic
    names = [str(i) for i in range(1, len(frame) + 1)] if at is None else frame.texts(at)
    if chosen.kind == "numbers":
        columns = [str(i) for i in range(1, len(columns) + 1)]
    topics, systems = (columns, names) if turned else (names, columns)
    block = (values.T if turned else values)[None]
    return Piece(
        source=source,
        values=block,
        measures=("",),
        topics=tuple(topics),
        systems=tuple(systems),
        notes=frame.notes(chosen),
        frame=frame.library,
    )


def read_measures(data: Any, source: str, asked: Asked = NOTHING) -> Cells:
    """The rows of a table of systems by measures, with or without topics."""
    frame = Frame(data, source, asked.drop)
    chosen = table_layout(frame.look(), asked)
    rows = [str(i) for i in range(1, len(frame) + 1)] if chosen.kind == "measures" and chosen.topic is None else None
    return without_mean_measures(_cells(frame, chosen, "the run", rows), asked.columns.get("keep", ()))


def _cells(frame: Frame, chosen: Layout, run: str | None, rows: list[str] | None = None) -> Cells:
    if rows is None:
        frame = frame.shortened([i for i in (chosen.system, chosen.topic, chosen.measure) if i is not None])
    n, k = len(frame), len(chosen.values)
    if chosen.system is not None:
        systems = frame.texts(chosen.system)
    elif rows is not None:
        systems = rows
    elif run is not None:
        systems = [run] * n
    else:
        raise FileError(
            f"{frame.source}: no column names the system; recognised names are system, run, name, model and run_id.",
            Advice("Add one, or give a dict: {run: frame}.", "Add one."),
        )
    topics = [""] * n if chosen.topic is None else frame.texts(chosen.topic)
    if chosen.kind == "long":
        measures = [""] * n if chosen.measure is None else frame.texts(chosen.measure)
    else:
        measures = [frame.header[i] for _ in range(n) for i in chosen.values]
        systems = [system for system in systems for _ in range(k)]
        topics = [topic for topic in topics for _ in range(k)]
    return Cells(
        source=frame.source,
        systems=systems,
        topics=topics,
        measures=measures,
        values=np.column_stack([frame.numbers(i) for i in chosen.values]).ravel(),
        notes=frame.notes(chosen),
        frame=frame.library,
    )


def arrow(path: Path) -> tuple[Any, Any]:
    """pyarrow and its part for Parquet, or the error that says how to install them."""
    try:
        import pyarrow
        import pyarrow.compute
        import pyarrow.parquet as parquet
    except ImportError:
        raise MissingPackageError.needed(f"{path}: Parquet", "pyarrow", FRAMES_EXTRA) from None
    return pyarrow, parquet


def read_parquet(path: Path, max_bytes: int) -> tuple[Any, dict[str, Any]]:
    """The Arrow table of a Parquet file, and what Tauscope wrote beside it."""
    pyarrow, parquet = arrow(path)
    try:
        meta = parquet.read_metadata(path)
        size = sum(meta.row_group(i).total_byte_size for i in range(meta.num_row_groups))
        many = meta.num_columns > MAX_COLUMNS or meta.num_rows * meta.num_columns > MAX_CELLS
        if size > max_bytes or many or meta.num_rows > MAX_ROWS:
            raise _too_much(path, meta, size, max_bytes)
        # Texts stay numbers and a dictionary: a text of a megabyte in a million rows is one megabyte.
        schema = parquet.read_schema(path)
        texts = [field.name for field in schema if _is_text(pyarrow, field.type)]
        table = parquet.read_table(path, read_dictionary=texts)
        unpacked = sum(_unpacked(pyarrow, table.column(i)) for i in range(table.num_columns))
        if unpacked > max_bytes:
            raise _too_much(path, meta, unpacked, max_bytes)
    except (pyarrow.ArrowException, OSError, UnicodeDecodeError) as error:
        first = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise Where(path).error(f"the Parquet file cannot be read ({first}).") from None
    written = (table.schema.metadata or {}).get(METADATA)
    try:
        beside = json.loads(written) if written else {}
    except (ValueError, RecursionError):
        beside = {}
    return table, beside if isinstance(beside, dict) else {}


def _is_text(pyarrow: Any, kind: Any) -> bool:
    types = pyarrow.types
    return any(is_kind(kind) for is_kind in (types.is_string, types.is_large_string, types.is_binary))


def _unpacked(pyarrow: Any, column: Any) -> int:
    """How many bytes the texts of a column have when each row has its own."""
    total = 0
    for chunk in column.chunks if pyarrow.types.is_dictionary(column.type) else ():
        lengths = pyarrow.compute.binary_length(chunk.dictionary).fill_null(0) if len(chunk.dictionary) else None
        if lengths is not None:
            places = chunk.indices.drop_null().to_numpy(zero_copy_only=False)
            total += int(lengths.to_numpy(zero_copy_only=False).astype(np.int64)[places].sum())
    return total


def _too_much(path: Path, meta: Any, size: int, max_bytes: int) -> FileError:
    return Where(path).error(
        f"{meta.num_rows:,} rows x {meta.num_columns:,} columns ({size / 2**20:,.0f} MiB) are too many; at most "
        f"{MAX_ROWS:,} rows, {MAX_CELLS:,} cells and {max_bytes / 2**20:,.0f} MiB are read.",
        Option("max_bytes", effect="with a higher limit, if it should hold so much"),
    )
