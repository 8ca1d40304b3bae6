"""Data in memory and Parquet files: data frames of any library through narwhals, arrays of NumPy and xarray."""

from __future__ import annotations

import copy
import json
import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ..core.arrays import Floats, is_labelled_array, is_pandas
from ..data.cube import ScoreCube
from ..data.labels import EXACT_INTEGERS, KEPT, SHIFT, inexact, shown, without_code
from ..data.scores import Scores
from ..errors import Advice, CallError, FileError, MissingPackageError, Option
from ..results import Note, Notes
from .layouts import Layout, Rows, Table, by_counts, describe, place_of, role_of
from .numerals import like_ids, shape
from .pieces import Piece
from .streams import FRAMES_EXTRA, MAX_CELLS, MAX_COLUMNS, MAX_ROWS, Where


class Flat(NamedTuple):
    """A data frame whose labels are texts in one row of names, without an index.

    Attributes
    ----------
    data : data frame
        The frame.
    layout : str or None
        The layout that the labels settle.
    assumed : tuple of Note or str
        What was taken for granted about them.
    """

    data: Any
    layout: str | None = None
    assumed: Notes = ()


def flattened(data: Any, source: str) -> Flat:
    """Return a pandas frame or series with its labels as columns; frames of other libraries have none and stay as they
    are.

    An index that only numbers the rows is dropped, others become columns, and levels of columns become rows. Columns
    that are 0, 1, 2, … have no names.

    Parameters
    ----------
    data : data frame or series
        What the caller has.
    source : str
        What it is called in errors.

    Returns
    -------
    Flat

    Raises
    ------
    FileError
        If levels do not say what they hold, or a series has no topics.
    """
    if not is_pandas(data):
        return Flat(data)
    if not hasattr(data, "columns"):
        data = _series(data, source)
    if data.columns.nlevels > 1:
        data = _one_level(data, source)
    numbered = _counts(data.columns) and data.columns.name is None
    if numbered:
        data = data.sort_index(axis=1)
    role = role_of(str(data.columns.name)) if data.columns.name is not None else None
    plain = data.set_axis([str(name) for name in data.columns], axis=1)
    indexed = _with_index(plain, source, role)
    if numbered:
        return _numbered(indexed, len(data.columns), source)
    named = list(indexed.data.columns)
    if indexed.layout is None and _integers(data.columns) and len(named) == len(data.columns):
        told = Note("numbers_name_systems", systems=named)
        return indexed._replace(layout="matrix", assumed=(told, *indexed.assumed))
    return indexed


def _series(data: Any, source: str) -> Any:
    """A series has its names in two or more levels of the index; with one level it is a ranking."""
    if data.index.nlevels < 2:
        raise FileError(
            f"{source}: a series has one score per name, and no topics.",
            Advice("As a ranking, it goes into tau_b(), correlate() and the like; scores have topics and systems."),
        )
    return data.to_frame("value")


def _one_level(data: Any, source: str) -> Any:
    """Levels of one value only are left out; if several stay, a row per score, where all levels say what they are."""
    columns = data.columns
    single = [level for level in range(columns.nlevels) if columns.get_level_values(level).nunique() == 1]
    if len(single) == columns.nlevels:
        single = single[:-1]
    if single:
        data = data.set_axis(columns.droplevel(single), axis=1)
    if data.columns.nlevels == 1:
        return data
    names = [*data.index.names, *data.columns.names]
    unknown = [name for name in names if name is None or role_of(str(name)) is None]
    if unknown:
        raise FileError(
            f"{source}: its columns have several levels, and the names of the levels do not all say what they hold: "
            f"{shown(names)}.",
            Advice(
                "Call the levels system, topic, measure or value (df.columns.names, df.index.name), or flatten them "
                "to one name each."
            ),
        )
    return data.stack(list(range(data.columns.nlevels)), future_stack=True).to_frame("value")


def _with_index(data: Any, source: str, role: str | None) -> Flat:
    """The index as columns, unless it only numbers the rows. `role` is that of the columns, where their axis is
    named."""
    index = data.index
    if index.nlevels > 1:
        return Flat(_reset(data, [_level_name(name, place) for place, name in enumerate(index.names)], source))
    if index.name is None and _integers(index):
        if _counts(index):
            # A frame that was sorted or shuffled: back to the order in which its rows were numbered.
            return _turned(data.sort_index().reset_index(drop=True), role, indexed=False)
        texts = [name for name in data.columns if _holds_texts(data[name])]
        named = [name for name in data.columns if role_of(name) in ("topic", "system")]
        if texts or named:
            told = Note("index_not_read", column=repr((named or texts)[0]))
            flat = _turned(data.reset_index(drop=True), role, indexed=False)
            return flat._replace(assumed=(*flat.assumed, told))
        told = Note("index_names_rows", rows=[str(label) for label in index[:4]])
        flat = _turned(_reset(data, [""], source), role, indexed=True)
        return flat._replace(assumed=(*flat.assumed, told))
    return _turned(_reset(data, ["" if index.name is None else str(index.name)], source), role, indexed=True)


def _turned(data: Any, role: str | None, *, indexed: bool) -> Flat:
    """What the name of the columns' axis says: columns that are topics make rows of systems, and the other way
    round."""
    if not indexed or role not in ("topic", "system"):
        return Flat(data)
    own = role_of(str(data.columns[0]))
    if role == "topic" and own in (None, "system"):
        return Flat(data, "turned", (Note("named_axis", axis="topics"),))
    if role == "system" and own in (None, "topic"):
        return Flat(data, "wide", (Note("named_axis", axis="systems"),))
    return Flat(data)


def _numbered(flat: Flat, columns: int, source: str) -> Flat:
    """Columns called 0, 1, 2, …, which nobody gave names."""
    data = flat.data
    if len(data.columns) == columns and not any(_holds_texts(data[name]) for name in data.columns):
        return Flat(data, "numbers", (*flat.assumed, Note("columns_numbered")))
    if len(data.columns) == columns:
        raise FileError(
            f"{source}: its columns are only numbered, and one of them holds texts.",
            Advice("Give the columns names: df.columns = ['topic', 'bm25', 'dense', …]."),
        )
    names = [str(name) for name in data.columns[:-columns]]
    renamed = data.set_axis([*names, *map(str, range(1, columns + 1))], axis=1)
    return flat._replace(data=renamed, assumed=(*flat.assumed, Note("columns_numbered")))


def _reset(data: Any, names: list[str], source: str) -> Any:
    """The index as columns called `names`; where a column has that name already, it must say the same."""
    index = data.index
    for level, name in enumerate(names):
        if name not in data.columns:
            continue
        if [str(label) for label in index.get_level_values(level)] != [str(label) for label in data[name]]:
            raise FileError(
                f"{source}: its index and one of its columns are both called {name!r}, and they differ.",
                Advice("Rename one, or drop the index: df.reset_index(drop=True)."),
            )
        data = data.drop(columns=name)
    return data.rename_axis(index=names if len(names) > 1 else names[0]).reset_index()


def _level_name(name: Any, place: int) -> str:
    return f"index level {place + 1}" if name is None else str(name)


def _counts(labels: Any) -> bool:
    """Whether the labels are 0, 1, 2, …, in any order: nobody's names."""
    return _integers(labels) and np.array_equal(np.sort(np.asarray(labels).astype(np.int64)), np.arange(len(labels)))


def _holds_texts(column: Any) -> bool:
    return column.dtype.kind not in "iufb" and any(isinstance(value, str) for value in column)


def _integers(labels: Any) -> bool:
    """Whether all labels are whole numbers."""
    if labels.dtype.kind in "iu":
        return True
    return labels.dtype.kind == "O" and all(
        hasattr(label, "__index__") and not isinstance(label, bool) for label in labels
    )


#: Key of the Parquet metadata that hold what the columns cannot: measure, collection, notes.
METADATA = b"tauscope"
_SAMPLE = 50
#: Up to so many rows it is not worth asking first whether a cell must be there twice.
_MANY = 100_000


class Frame(Table):
    """A data frame as a table: columns by position, texts and numbers on demand.

    Parameters
    ----------
    data : data frame or series
        Of pandas, polars, pyarrow or any other library that narwhals knows.
    source : str, default "the frame"
        What it is called in errors and notes.
    """

    def __init__(self, data: Any, source: str = "the frame") -> None:
        import narwhals as nw

        self.source = self.where = source
        flat = flattened(data, source)
        self.settled, self.assumed = flat.layout, flat.assumed
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
        self.dropped: tuple[str, ...] = ()
        self.numeric = [self._numeric(i) for i in range(len(columns))]

    def drop(self, names: Sequence[str]) -> None:
        """Leave out columns that the caller does not want.

        Parameters
        ----------
        names : sequence of str
            Their names.

        Raises
        ------
        FileError
            If there is no such column.
        """
        names = tuple(name for name in names if name not in self.dropped)
        if names:
            self.dropped += names
            places = {place_of(name, self.header, self.source) for name in names}
            kept = [i for i in range(len(self.header)) if i not in places]
            self._columns = [self._columns[i] for i in kept]
            self.numeric = [self.numeric[i] for i in kept]
            self.header = [self.header[i] for i in kept]
            self.assumed = (*self.assumed, Note("columns_left_out", columns=names))

    def __len__(self) -> int:
        return len(self._frame)

    def like_ids(self, column: int) -> bool:
        """Whether the first cells are different whole numbers, as ids are, and not all 0 or 1."""
        some = self._frame[self._columns[column]].head(_SAMPLE)
        return not some.is_null().any() and like_ids(self.texts(column, _SAMPLE))

    def cells(self, column: int) -> list[str]:
        """Return the first cells of a column as texts; "" where one is missing."""
        values = self._frame[self._columns[column]].head(_SAMPLE).to_list()
        return ["" if value is None or value != value else str(value) for value in values]

    def rows(self, chosen: Layout) -> Rows:
        """Read the columns that the layout names.

        Parameters
        ----------
        chosen : Layout
            Which columns are read.

        Returns
        -------
        Rows

        Raises
        ------
        FileError
            If a name is missing or a score is no number.
        """
        frame = self._shortened(list(chosen.named.values())) if chosen.by_cell and chosen.named else self
        names = {role: frame.texts(place) for role, place in chosen.named.items()}
        return Rows(np.column_stack([frame.numbers(i) for i in chosen.values]), names)

    def _numeric(self, column: int) -> bool:
        dtype = self._frame.schema[self._columns[column]]
        if dtype.is_numeric() or dtype == self._nw.Boolean:
            return True
        sample = self._frame[self._columns[column]].head(_SAMPLE).to_list()
        return all(isinstance(value, (int, float)) or value is None for value in sample)

    def texts(self, column: int, most: int | None = None) -> list[str]:
        """Return a column of names; whole numbers that a library made floats are written as whole numbers.

        Parameters
        ----------
        column : int
            The place of the column.
        most : int, optional
            Only so many rows.

        Returns
        -------
        list of str

        Raises
        ------
        FileError
            If a name is missing.
        """
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

    def _shortened(self, columns: list[int]) -> Frame:
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
        """Return a column of scores; nulls are missing.

        Parameters
        ----------
        column : int
            The place of the column.

        Returns
        -------
        array

        Raises
        ------
        FileError
            If a cell is no number, or an integer that floats do not hold.
        """
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

    def notes(self, chosen: Layout) -> Notes:
        """Say how the frame was read, and what is odd about it."""
        numbered = self.settled == chosen.kind == "numbers"
        unsure = by_counts(len(self), len(chosen.values), self.source) if numbered else ()
        layout = describe(chosen, self.header)
        note = Note("frame", where=self.source, library=self.library, layout=layout, assumed=self.assumed)
        return (note, *unsure, *chosen.remarks)


def _ways_out(value: Any, name: str) -> list[Advice]:
    """For a text that is a number with a decimal comma."""
    found = shape(value) if isinstance(value, str) else None
    if found is None or found.decimal != "," or found.percent:
        return []
    made = f'frame[{name!r}].str.replace(",", ".").astype(float)'
    return [Advice(f"Make numbers of decimal commas: {made} in pandas; a file is read with them by Scores.read().", "")]


def arrow(path: Path) -> tuple[Any, Any]:
    """Import pyarrow and its part for Parquet.

    Parameters
    ----------
    path : Path
        The file that needs it, for the error.

    Returns
    -------
    tuple of module

    Raises
    ------
    MissingPackageError
        If pyarrow is not installed; the error says how to install it.
    """
    try:
        import pyarrow
        import pyarrow.compute
        import pyarrow.parquet as parquet
    except ImportError:
        raise MissingPackageError.needed(f"{path}: Parquet", "pyarrow", FRAMES_EXTRA) from None
    return pyarrow, parquet


def read_parquet(path: Path, max_bytes: int) -> tuple[Any, dict[str, Any]]:
    """Read a Parquet file.

    Sizes are checked before anything is unpacked. Texts stay numbers and a dictionary, so that a file that repeats one
    long text a million times does not fill the memory.

    Parameters
    ----------
    path : Path
        The file.
    max_bytes : int
        A file that unpacks to more is refused.

    Returns
    -------
    tuple of Table and dict
        The Arrow table, and what Tauscope wrote beside it.

    Raises
    ------
    FileError
        If the file is damaged or holds too much.
    """
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


#: The dimensions of a piece, in its order.
_DIMENSIONS = ("measure", "topic", "system")


def is_array(data: Any) -> bool:
    """Whether this is an array of numbers, a list of rows of numbers, an array of xarray, or labelled scores.

    Examples
    --------
    >>> is_array([[0.1, 0.2], [0.3, 0.4]]), is_array(["a", "b"])
    (True, False)
    """
    if isinstance(data, (np.ndarray, Scores, ScoreCube)) or is_labelled_array(data):
        return True
    return isinstance(data, (list, tuple)) and bool(data) and all(_is_row(row) for row in data)


def _is_row(row: Any) -> bool:
    if isinstance(row, np.ndarray):
        return row.ndim > 0
    return isinstance(row, (list, tuple)) and bool(row) and not any(isinstance(one, (str, dict)) for one in row)


def array_scores(data: Any, wanted: str | None = None) -> Piece:
    """Read the scores of an array.

    Parameters
    ----------
    data : array, list of rows, DataArray, Scores or ScoreCube
        Where it names nothing, it is topics x systems.
    wanted : str, optional
        "turned" for systems x topics.

    Returns
    -------
    Piece

    Raises
    ------
    CallError
        If `wanted` is a layout of tables.
    FileError
        If the dimensions of a DataArray do not say what they are.
    """
    if isinstance(data, (Scores, ScoreCube)):
        return _labelled(data)
    if wanted not in (None, "matrix", "numbers", "turned"):
        raise CallError(
            f"format={wanted!r} is for tables; an array is topics x systems.",
            Advice('With format="turned" it is systems x topics.', ""),
        )
    if is_labelled_array(data):
        return _xarray(data, wanted)
    scores = Scores(data, missing="keep")  # checks numbers, masks and the shape
    values = scores.values.T if wanted == "turned" else scores.values
    rows = "systems x topics" if wanted == "turned" else "topics x systems"
    n, m = values.shape
    return Piece(
        source="the array",
        values=values[None],
        measures=("",),
        topics=_counted(n),
        systems=_counted(m),
        notes=(Note("array", rows=rows), *(() if wanted else by_counts(n, m, "the array"))),
    )


def _labelled(data: Scores | ScoreCube) -> Piece:
    cube = isinstance(data, ScoreCube)
    return Piece(
        source="the scores",
        values=data.values if cube else data.values[None],
        measures=data.measures if isinstance(data, ScoreCube) else (data.measure,),
        topics=data.topics,
        systems=data.systems,
        notes=without_code(data.notes, KEPT.code),
        frame=data.frame,
        collection=data.collection,
    )


def _xarray(data: Any, wanted: str | None) -> Piece:
    """A DataArray: the names of its dimensions say what they are; without such names it is topics x systems."""
    if not hasattr(data, "name"):
        raise FileError(
            "the Dataset: it holds several arrays.", Advice('Give one of them, or all: dataset.to_array("measure").')
        )
    dims = [str(dim) for dim in data.dims]
    known = [role_of(dim) for dim in dims]
    if len(dims) not in (2, 3):
        raise FileError(f"the DataArray: it has {len(dims)} dimensions, {shown(dims)}; topics and systems are needed.")
    if not any(known) and len(dims) == 2:
        roles = ["system", "topic"] if wanted == "turned" else ["topic", "system"]
        unsure = wanted is None
    else:
        roles, unsure = _completed(known, dims), False
    order = [roles.index(role) for role in _DIMENSIONS if role in roles]
    labels = {role: _labels(data, dim) for role, dim in zip(roles, data.dims, strict=True)}
    values = np.asarray(data.values)
    values = np.transpose(values, order)
    block = values if values.ndim == 3 else values[None]
    named = "" if data.name is None or role_of(str(data.name)) == "value" else str(data.name)
    measures = labels.get("measure", (named,))
    cube = ScoreCube(
        block, tuple(name or "score" for name in measures), labels["topic"], labels["system"], missing="keep"
    )
    return Piece(
        source="the DataArray",
        values=cube.values,
        measures=cube.measures if "measure" in labels or measures != ("",) else ("",),
        topics=cube.topics,
        systems=cube.systems,
        notes=(
            Note("data_array", dims=dims, roles=() if any(known) or len(dims) != 2 else roles),
            *(by_counts(len(cube.topics), len(cube.systems), "the DataArray") if unsure else ()),
        ),
        collection=str(data.attrs.get("collection", "")),
    )


def _completed(roles: Sequence[str | None], dims: Sequence[str]) -> list[str]:
    """Where one dimension has no name that is known, it is what is left; where two have none, that cannot be said."""
    needed = _DIMENSIONS[-len(dims) :]
    left = [role for role in needed if role not in roles]
    found = [role if role is not None else (left[0] if len(left) == 1 else "?") for role in roles]
    if sorted(found) != sorted(needed):
        raise FileError(
            f"the DataArray: which of its dimensions, {shown(dims)}, are topics and systems?",
            Advice("Rename them: array.rename({…: 'topic', …: 'system'})."),
        )
    return found


def _labels(data: Any, dim: Any) -> tuple[str, ...]:
    """The coordinates along a dimension, or numbers where there are none."""
    if dim not in data.coords:
        return _counted(data.sizes[dim])
    return tuple(str(label) for label in data.coords[dim].values.tolist())


def _counted(size: int) -> tuple[str, ...]:
    return tuple(map(str, range(1, size + 1)))
