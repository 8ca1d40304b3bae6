"""From tables to data: the rows of a table become a block of scores (`Piece`), blocks are merged, and `Scores`, a
`ScoreCube`, a `measures.Table` or a `Ranking` is made of them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ..core.arrays import Floats, Ints
from ..data.cube import ScoreCube
from ..data.labels import Labels, Remark, remarks_in, shown, together
from ..data.names import canonical
from ..data.ranking import Ranking
from ..data.scores import UNNAMED, Scores
from ..data.summaries import MOST_NAMES, is_summary, mean_topics
from ..data.table import MeasureTable
from ..errors import Advice, CallError, FileError, Option, TauscopeError
from ..results import Note, Notes, count
from .layouts import NOTHING, Asked, Layout, Rows, Table, layout, role_of, table_layout
from .numerals import is_number
from .streams import MAX_CELLS


class Hole(NamedTuple):
    """A cell that stands in a file and holds no score.

    Attributes
    ----------
    place : str
        The file and the line.
    measure, topic, system : str
        Whose it is; "" for a measure or a topic without a name.
    """

    place: str
    measure: str
    topic: str
    system: str


@dataclass(frozen=True, kw_only=True)
class Piece:
    """The scores of one file or frame: a block, measures x topics x systems.

    Pieces of several files are merged, one measure is chosen, and `Scores` or a `ScoreCube` is made of the result.

    Attributes
    ----------
    source : str
        What was read; errors start with it.
    values : array
        Measures x topics x systems, NaN if there is no score.
    measures, topics, systems : tuple of str
        The labels; a measure without a name is "".
    notes : tuple of Note or str
        How it was read, and what was decided.
    empty : callable
        Goes through the empty cells in the order of the file.
    frame : str or None
        The library of the data frame.
    collection : str
        What the file calls the collection.
    """

    source: str
    values: Floats
    measures: Labels
    topics: Labels
    systems: Labels
    notes: Notes = ()
    empty: Callable[[], Iterable[Hole]] = tuple
    frame: str | None = None
    collection: str = ""

    def hole(self) -> str:
        """Describe a cell without a score, with its line if it has one.

        Returns
        -------
        str
            The first such cell of the file, or of the block if another file could have filled it.
        """
        at = [{label: i for i, label in enumerate(getattr(self, axis))} for axis in _AXES]
        if len(self.measures) == 1:
            at[0].setdefault("", 0)  # a measure that the file does not name, and the caller does
        for place, *labels in self.empty():
            index = [places.get(label) for places, label in zip(at, labels, strict=True)]
            if None not in index and np.isnan(self.values[tuple(index)]):
                return f"{place}: {cell_text(labels[0] or self.measures[0], *labels[1:])}"
        measure, topic, system = (int(i) for i in np.argwhere(np.isnan(self.values))[0])
        return f"{self.source}: {cell_text(self.measures[measure], self.topics[topic], self.systems[system])}"


_AXES = ("measures", "topics", "systems")


def cell_text(measure: str, topic: str, system: str) -> str:
    """Describe a cell in words.

    Examples
    --------
    >>> cell_text("AP", "401", "b")
    "system 'b' on topic '401' by AP"
    """
    on = f" on topic {topic!r}" if topic else ""
    return f"system {system!r}{on}{f' by {measure}' if measure else ''}"


@dataclass(frozen=True, kw_only=True)
class Cells:
    """A long table: one row per score.

    Attributes
    ----------
    source : str
        What was read; errors start with it.
    systems, topics, measures : sequence of str
        The labels of each row; "" for a topic or a measure without a name.
    values : array
        The scores, NaN if one is missing.
    lines : sequence of int or None
        The line of each row, if there are lines.
    notes : tuple of Note or str
        How it was read.
    frame : str or None
        The library of the data frame.

    Examples
    --------
    >>> import numpy as np
    >>> cells = Cells(
    ...     source="x.csv",
    ...     systems=["a", "b"],
    ...     topics=["1", "1"],
    ...     measures=["map", "map"],
    ...     values=np.array([0.2, 0.4]),
    ... )
    >>> cells.piece().measures, cells.piece().values.tolist()
    (('AP',), [[[0.2, 0.4]]])
    """

    source: str
    systems: Sequence[str]
    topics: Sequence[str]
    measures: Sequence[str]
    values: Floats
    lines: Sequence[int] | None = None
    notes: Notes = ()
    frame: str | None = None

    def at(self, row: int) -> str:
        """Return the place of a row: its file and line, or its number."""
        return f"{self.source}, row {row + 1}" if self.lines is None else f"{self.source}:{self.lines[row]}"

    def piece(self) -> Piece:
        """Make a block of the rows, with labels in the order in which they come.

        Returns
        -------
        Piece

        Raises
        ------
        FileError
            If a cell is there twice, a score is infinite, there is no score at all, or the block would be too large.
        """
        if not len(self.values):
            raise FileError(f"{self.source}: there is not one score in it.")
        spelled, measure_codes = _codes(self.measures)
        measures, same = _codes([canonical(name) if name else "" for name in spelled])
        labels, codes = zip(
            (measures, same[measure_codes]), *(_codes(column) for column in (self.topics, self.systems)), strict=True
        )
        shape = tuple(len(label) for label in labels)
        check_size(self.source, shape, len(self.values))
        flat = np.ravel_multi_index(codes, shape)
        self._check_twice(flat)
        infinite = np.flatnonzero(np.isinf(self.values))
        if infinite.size:
            row = int(infinite[0])
            raise FileError(f"{self.at(row)}: the score of {self._cell(row)} is {self.values[row]}; scores are finite.")
        block = np.full(shape, np.nan)
        block.ravel()[flat] = self.values
        return Piece(
            source=self.source,
            values=block,
            measures=labels[0],
            topics=labels[1],
            systems=labels[2],
            notes=self.notes,
            empty=self.empty,
            frame=self.frame,
        )

    def empty(self) -> Iterator[Hole]:
        """Go through the rows without a score."""
        for row in np.flatnonzero(np.isnan(self.values)).tolist():
            measure = self.measures[row]
            yield Hole(self.at(row), canonical(measure) if measure else "", self.topics[row], self.systems[row])

    def table(self, missing: str) -> MeasureTable:
        """Make a table of systems by measures: one row per system, or one per topic and system.

        Parameters
        ----------
        missing : str
            What a missing cell means, as in `measures.Table`.

        Returns
        -------
        MeasureTable

        Raises
        ------
        FileError
            If a cell is missing and `missing` is "error"; the error names its line.
        """
        if not any(self.topics):
            piece = self.piece()
            return self._table(piece.values[:, 0].T, piece.systems, piece.measures, None, missing)
        pairs = [f"{len(topic)}:{topic}{system}" for topic, system in zip(self.topics, self.systems, strict=True)]
        block = replace(self, systems=pairs, topics=[""] * len(pairs)).piece()
        first = {pair: row for row, pair in reversed(list(enumerate(pairs)))}
        rows = [first[pair] for pair in block.systems]
        topics = tuple(self.topics[row] for row in rows)
        systems = tuple(self.systems[row] for row in rows)
        return self._table(block.values[:, 0].T, systems, block.measures, topics, missing)

    def _table(
        self, values: Floats, systems: Labels, measures: Labels, topics: Labels | None, missing: str
    ) -> MeasureTable:
        if missing == "error" and np.isnan(values).any():
            hole = next(self.empty(), None)
            if hole is None:
                row, column = (int(i) for i in np.argwhere(np.isnan(values))[0])
                hole = Hole(self.source, measures[column], topics[row] if topics else "", systems[row])
            raise FileError(
                f"{hole.place}: {cell_text(*hole[1:])} has no value.",
                MeasureTable.missing_option(np.isnan(values), keep=True),
            )
        with naming(self.source):
            return MeasureTable(
                values, systems, measures, topics=topics, notes=self.notes, frame=self.frame, missing=missing
            )

    def _cell(self, row: int) -> str:
        measure = self.measures[row]
        return cell_text(canonical(measure) if measure else "", self.topics[row], self.systems[row])

    def _check_twice(self, flat: Ints) -> None:
        order = np.argsort(flat, kind="stable")
        again = np.flatnonzero(np.diff(flat[order]) == 0)
        if again.size:
            second = int(order[again + 1].min())
            first = int(np.flatnonzero(flat == flat[second])[0])
            there = f"line {self.lines[first]}" if self.lines is not None else f"row {first + 1}"
            raise FileError(
                f"{self.at(second)}: {self._cell(second)} has a score already, on {there}. Keep one of the two."
            )


def _codes(column: Sequence[str]) -> tuple[Labels, Ints]:
    at: dict[str, int] = {}
    codes = np.fromiter((at.setdefault(label, len(at)) for label in column), dtype=np.int64, count=len(column))
    return tuple(at), codes


def check_size(source: str, shape: tuple[int, ...], found: int) -> None:
    """Refuse a block that memory cannot hold, before it is made.

    Parameters
    ----------
    source : str
        What was read.
    shape : tuple of int
        Measures, topics and systems.
    found : int
        The number of scores.

    Raises
    ------
    FileError
        If the block would have more than `MAX_CELLS` cells.
    """
    cells = int(np.prod([int(size) for size in shape], dtype=object))
    if cells > MAX_CELLS:
        k, n, m = shape
        raise FileError(
            f"{source}: {count(k, 'measure')} x {count(n, 'topic')} x {count(m, 'system')} make {cells:,} cells "
            f"for {count(found, 'score')}; at most {MAX_CELLS:,} are read. Are the columns what they seem?"
        )


def scores_in(table: Table, wanted: str | None, run: str | None, asked: Asked = NOTHING) -> Piece:
    """Read the scores of a table, in the layout that fits or that was asked for.

    Parameters
    ----------
    table : Table
        Text, a data frame or records.
    wanted : str or None
        The layout that was asked for.
    run : str or None
        What the system is called where the table does not say.
    asked : Asked
        What the caller says of the columns.

    Returns
    -------
    Piece
        Without rows and topics that only summarise others, which its notes tell.

    Raises
    ------
    FileError
        If no layout fits or several do, or a row is damaged.
    """
    table.drop(asked.drop)
    chosen = layout(table, wanted or table.settled, asked)
    rows = table.rows(chosen)
    whole_rows = not chosen.by_cell and chosen.measure is None
    piece = _matrix(table, chosen, rows) if whole_rows else cells_in(table, chosen, rows, run).piece()
    return without_summaries(piece, asked.columns.get("keep", ()), by_content=chosen.by_cell)


def measures_in(table: Table, run: str, asked: Asked = NOTHING) -> Cells:
    """Read a table of systems by measures, with or without topics.

    Parameters
    ----------
    table : Table
        Text or a data frame; a list of systems and scores has one measure.
    run : str
        What the system is called if no column names it.
    asked : Asked
        What the caller says of the columns.

    Returns
    -------
    Cells
        Without measures whose values are the mean of the others, which the notes tell.
    """
    table.drop(asked.drop)
    if table.library is None and is_list(table) and _has_no_header(table):
        table.keep_header()
        table.header = ["system", "score"]
    chosen = table_layout(table, asked)
    rows = table.rows(chosen)
    if chosen.kind == "measures" and chosen.system is None and chosen.topic is None:
        rows = rows._replace(names={**rows.names, "system": _numbered(len(rows.values))})
    return _without_mean_measures(cells_in(table, chosen, rows, run), asked.columns.get("keep", ()))


def ranking_in(
    table: Table,
    run: str,
    measure: str | None,
    missing: str,
    options: dict[str, Any],
    asked: Asked = NOTHING,
    notice: Callable[[Any], Any] = lambda data: data,
) -> Ranking | None:
    """Read a list of systems and scores, or a table of systems by measures, as a ranking.

    Parameters
    ----------
    table : Table
        Text or a data frame.
    run : str
        What the system is called if no column names it.
    measure : str or None
        The column that ranks the systems.
    missing : str
        What a missing cell means.
    options : dict
        Options of `Ranking`.
    asked : Asked
        What the caller says of the columns.
    notice : callable
        Takes the table, or the notes on a list, before they are ranked.

    Returns
    -------
    Ranking or None
        None for scores on topics, which are read otherwise.

    Raises
    ------
    FileError
        If a system has no finite score or is there twice, or two columns of numbers leave open which one has names.
    """
    table.drop(asked.drop)
    roles = [role_of(name) for name in table.header]
    if is_list(table) and not asked.columns:
        return _list_in(table, options, notice)
    if table.library is None and len(table.header) == 2 and all(table.numeric) and not any(roles):
        raise table.error(
            f"both columns, {table.header[0]!r} and {table.header[1]!r}, hold numbers: are the first names?",
            Advice("Call the columns system and score."),
            Option("format", "matrix", effect="for two systems on topics"),
        )
    if not _is_of_measures(table, measure, asked):
        return None
    found = notice(measures_in(table, run, asked).table(missing))
    only = measure or (found.measures[0] if len(found.measures) == 1 else "")
    return found.ranking(measure, **_by_rank(only, options))  # type: ignore[no-any-return]


def _has_no_header(table: Table) -> bool:
    """Whether the first line of a list is a system with its score."""
    return is_number(table.header[1]) and role_of(table.header[0]) is None


def is_list(table: Table) -> bool:
    """Whether a table is a list of names and numbers: two columns, the first of them names."""
    roles = [role_of(name) for name in table.header]
    if len(roles) != 2 or roles[0] == "topic" or roles[1] == "system":
        return False
    return roles[0] == "system" or (not table.numeric[0] and table.numeric[1])


def _list_in(table: Table, options: dict[str, Any], notice: Callable[[Any], Any]) -> Ranking:
    if _has_no_header(table):
        table.keep_header()
    chosen = Layout("list", system=0, values=(1,))
    notice(table.notes(chosen))
    rows = table.rows(chosen)
    names, scores = rows.names["system"], rows.values[:, 0]
    _check_names(table, names, rows, "system")
    for row in np.flatnonzero(~np.isfinite(scores))[:1]:
        where = _at(table, rows, int(row))
        raise FileError(f"{where}: the system {names[row]!r} has no score that is a finite number. Leave it out.")
    return Ranking(scores, names, name=table.source, **_by_rank(table.header[1], options))


#: Columns in which a lower number is better.
RANKS = ("rank", "ranks", "position", "place")


def _by_rank(title: str, options: dict[str, Any]) -> dict[str, Any]:
    """A column of ranks has 1 for the best."""
    return {"lower_is_better": True, **options} if title.strip().lower() in RANKS else options


def _is_of_measures(table: Table, measure: str | None, asked: Asked) -> bool:
    """Whether this is a table of systems by measures, and not a board whose columns are averaged."""
    roles = [role_of(name) for name in table.header]
    named = "system" in asked.columns or ("system" in roles and not table.numeric[roles.index("system")])
    if not named or "topic" in roles or "topic" in asked.columns:
        return False
    if measure is not None or "value" in asked.columns:
        return True
    try:
        return layout(table, None, asked).kind != "turned"
    except FileError:
        return True


def cells_in(table: Table, chosen: Layout, rows: Rows, run: str | None) -> Cells:
    """Make a long table of rows that a layout took from a table.

    Parameters
    ----------
    table : Table
        Where the rows come from.
    chosen : Layout
        Long, or one column per measure, or a matrix in which every row says who judged.
    rows : Rows
        The cells.
    run : str or None
        What the system is called if no column names it.

    Returns
    -------
    Cells
        Column by column.

    Raises
    ------
    FileError
        If nothing names the system, or a column is there twice.
    """
    n, k = rows.values.shape
    heads = [table.header[i] for i in chosen.values]
    names, lines = rows.names, rows.lines
    if chosen.kind != "long":  # column by column
        of_columns = "measure" if chosen.by_cell else "topic" if chosen.kind == "turned" else "system"
        _check_names(table, heads, None, of_columns)
        names = {role: own * k for role, own in names.items()}
        names[of_columns] = [head for head in heads for _ in range(n)]
        lines = None if lines is None else list(lines) * k
    if "system" not in names and run is None:
        raise FileError(
            f"{table.source}: no column names the system; recognised names are system, run, name, model and run_id.",
            Advice("Add one, or give a dict: {run: frame}.", "Add one."),
        )
    return Cells(
        source=table.source,
        systems=names.get("system") or [str(run)] * (n * k),
        topics=names.get("topic") or [""] * (n * k),
        measures=names.get("measure") or [""] * (n * k),
        values=rows.values.ravel(order="F"),
        lines=lines,
        notes=table.notes(chosen),
        frame=table.library,
    )


def _numbered(size: int) -> list[str]:
    return [str(i) for i in range(1, size + 1)]


def _at(table: Table, rows: Rows, row: int) -> str:
    """The place of a row in words."""
    return f"{table.source}, row {row + 1}" if rows.lines is None else f"{table.source}:{rows.lines[row]}"


def _matrix(table: Table, chosen: Layout, rows: Rows) -> Piece:
    """The block of a table with one row per topic, or per system."""
    values, turned = rows.values, chosen.kind == "turned"
    one, other = ("system", "topic") if turned else ("topic", "system")
    columns = [table.header[i] for i in chosen.values]
    check_size(table.source, (1, *values.shape), values.size)
    if chosen.kind == "numbers":
        columns = _numbered(len(columns))
    else:
        _check_names(table, columns, None, other)
    names = rows.names.get(one) or _numbered(len(values))
    _check_names(table, names, rows, one)

    def cell(index: Sequence[int]) -> Hole:
        row, column = index
        system, topic = (names[row], columns[column]) if turned else (columns[column], names[row])
        return Hole(_at(table, rows, row), "", topic, system)

    infinite = np.argwhere(np.isinf(values)).tolist()
    if infinite:
        place, *labels = cell(infinite[0])
        raise FileError(f"{place}: {cell_text(*labels)} has the score {values[tuple(infinite[0])]}; scores are finite.")
    topics, systems = (columns, names) if turned else (names, columns)
    return Piece(
        source=table.source,
        values=(values.T if turned else values)[None],
        measures=("",),
        topics=tuple(topics),
        systems=tuple(systems),
        notes=table.notes(chosen),
        empty=lambda: map(cell, np.argwhere(np.isnan(values)).tolist()),
        frame=table.library,
    )


def _check_names(table: Table, names: Sequence[str], rows: Rows | None, one: str) -> None:
    """Names of rows, or of columns where `rows` is None, are there and unique."""
    if len(set(names)) == len(names) and "" not in names:
        return
    seen: dict[str, int] = {}
    for row, name in enumerate(names):
        where = table.where if rows is None else _at(table, rows, row)
        if not name:
            raise FileError(f"{where}: a {one} has no name.")
        if name in seen:
            first = seen[name]
            before = "" if rows is None else f" (first on row {first + 1})"
            before = f" (first on line {rows.lines[first]})" if rows is not None and rows.lines is not None else before
            raise FileError(f"{where}: the {one} {name!r} is there twice{before}. Names must be unique.")
        seen[name] = row


#: What a mean may differ from the one that is written, as a share of the spread: means are written rounded.
_ROUNDED = 0.02


def without_summaries(piece: Piece, keep: Collection[str], *, by_content: bool) -> Piece:
    """Leave out rows and topics that only summarise the others.

    A row is a summary by its name ("Average", "Overall"), or because its scores are the mean of the others on all
    systems. As a topic it would count the others once more.

    Parameters
    ----------
    piece : Piece
        What was read.
    keep : collection of str
        Names that stay.
    by_content : bool
        Whether a summary by name must also be about the mean of the others, as in long tables, where a topic may be
        called "all".

    Returns
    -------
    Piece
        With a remark for what was left out.

    Raises
    ------
    FileError
        If `keep` names nothing that is there.
    """
    for name in keep:
        if name not in piece.topics and name not in piece.systems and canonical(name) not in piece.measures:
            raise FileError(f"{piece.source}: there is no column or row {name!r} to keep.")
    for axis, names, one in ((1, piece.topics, "topic"), (2, piece.systems, "system")):
        if len(names) > MOST_NAMES:
            continue
        found = [i for i, name in enumerate(names) if name not in keep and is_summary(name)]
        if not found or len(found) == len(names):
            continue
        rest = [i for i in range(len(names)) if i not in found]
        if by_content:
            found = [i for i in found if _is_mean(piece.values, axis, i, rest)]
            rest = [i for i in range(len(names)) if i not in found]
            if not found:
                continue
        told = Remark(
            f"{count(len(found), 'row')} left out, by name no {one} but a summary: {shown([names[i] for i in found])}",
            where=Path(piece.source).name,
            code="summary-row",
            effect=f"as a {one} it would have counted the others once more",
            suggestion=f"keep it by name (columns, keep={names[found[0]]}) if it is one",
        )
        labels = tuple(names[i] for i in rest)
        changed = {"topics": labels} if axis == 1 else {"systems": labels}
        values = np.take(piece.values, rest, axis=axis)
        piece = replace(piece, values=values, notes=(*piece.notes, told), **changed)  # type: ignore[arg-type]
    return _without_means(piece, keep)


def _without_means(piece: Piece, keep: Collection[str]) -> Piece:
    found = _means(piece.values.transpose(1, 0, 2), piece.topics, keep)
    if not found:
        return piece
    rest = [i for i in range(len(piece.topics)) if i not in found]
    told = _mean_remark([piece.topics[i] for i in found], piece.source, "topic")
    topics = tuple(piece.topics[i] for i in rest)
    return replace(piece, values=piece.values[:, rest], topics=topics, notes=(*piece.notes, told))


def _without_mean_measures(cells: Cells, keep: Collection[str]) -> Cells:
    """Leave out measures of a table whose values are the mean of the others; `keep` names those that stay."""
    piece = cells.piece()
    found = {piece.measures[i] for i in _means(piece.values, piece.measures, {canonical(name) for name in keep})}
    if not found:
        return cells
    rows = [i for i, measure in enumerate(cells.measures) if canonical(measure) not in found]
    told = _mean_remark(sorted(found), cells.source, "measure")
    return replace(
        cells,
        systems=[cells.systems[i] for i in rows],
        topics=[cells.topics[i] for i in rows],
        measures=[cells.measures[i] for i in rows],
        values=cells.values[rows],
        lines=None if cells.lines is None else [cells.lines[i] for i in rows],
        notes=(*cells.notes, told),
    )


def _means(values: Floats, names: Labels, keep: Collection[str]) -> list[int]:
    """The places along the first axis that are means of the others, over all cells of the other two."""
    if not 2 < len(names) <= MOST_NAMES:
        return []
    return [i for i in mean_topics(values.reshape(len(names), -1)) if names[i] not in keep]


def _mean_remark(names: list[str], source: str, one: str) -> Remark:
    return Remark(
        f"{count(len(names), one)} left out, whose scores are the mean of the others: {shown(names)}",
        where=Path(source).name,
        code="mean-topic",
        effect=f"as a {one} it would have counted the others once more",
        suggestion=f"keep it by name (columns, keep={names[0]}) if it is one",
    )


def _is_mean(values: Floats, axis: int, at: int, rest: list[int]) -> bool:
    own, others = np.take(values, at, axis=axis), np.take(values, rest, axis=axis)
    known = ~np.isnan(own) & ~np.isnan(others).all(axis=axis)
    if len(rest) < 2 or not known.any():
        return False
    with np.errstate(over="ignore", invalid="ignore"):
        means = np.nanmean(np.where(np.expand_dims(known, axis), others, 0.0), axis=axis)
        spread = float(np.nanmax(others) - np.nanmin(others))
        close = np.abs(own - means)[known] <= _ROUNDED * spread
    return spread > 0 and bool(close.all())  # of scores that are all the same, each one is the mean


def merge(pieces: Sequence[Piece]) -> Piece:
    """Merge pieces: by measure, by system, or both.

    Parameters
    ----------
    pieces : sequence of Piece
        One for each file.

    Returns
    -------
    Piece
        The union; what was noted of more than two files is told once.

    Raises
    ------
    FileError
        If two pieces have the same cell.
    """
    if len(pieces) == 1:
        return pieces[0]
    labels = [tuple(dict.fromkeys(label for piece in pieces for label in getattr(piece, axis))) for axis in _AXES]
    shape = tuple(len(axis) for axis in labels)
    check_size(f"{count(len(pieces), 'file')}", shape, sum(piece.values.size for piece in pieces))
    places = [{label: i for i, label in enumerate(axis)} for axis in labels]
    block = np.full(shape, np.nan)
    for piece in pieces:
        at = np.ix_(
            *([place[label] for label in getattr(piece, axis)] for place, axis in zip(places, _AXES, strict=True))
        )
        both = ~np.isnan(block[at]) & ~np.isnan(piece.values)
        if both.any():
            raise _overlap(piece, pieces, [int(i) for i in np.argwhere(both)[0]])
        block[at] = np.where(np.isnan(piece.values), block[at], piece.values)
    notes = _notes_of(pieces)
    return Piece(
        source=f"{pieces[0].source} and {count(len(pieces) - 1, 'more file')}",
        values=block,
        measures=labels[0],
        topics=labels[1],
        systems=labels[2],
        notes=notes,
        empty=lambda: chain.from_iterable(piece.empty() for piece in pieces),
        frame=pieces[0].frame,
        collection=pieces[0].collection,
    )


def _notes_of(pieces: Sequence[Piece]) -> Notes:
    """The notes of all pieces; what was noted of many files is told once."""
    if len(pieces) == 1:
        return pieces[0].notes
    files: dict[str, list[str]] = {}
    told = together(remarks_in(note for piece in pieces for note in piece.notes))
    kept: list[Note] = []
    for piece in pieces:
        for note in piece.notes:
            if isinstance(note, Remark):
                continue
            if isinstance(note, Note) and "where" not in note.numbers:
                kept += [] if note in kept else [note]
                continue
            name, _, text = str(note).partition(": ")
            files.setdefault(text or name, []).append(name if text else "")
    plain = (
        f"{count(len(names), 'file')}: {text}" if len(names) > 2 and all(names) else f"{name}: {text}" if name else text
        for text, names in files.items()
        for name in (names[:1] if len(names) > 2 else dict.fromkeys(names))
    )
    return (*plain, *kept, *told)


def _overlap(piece: Piece, pieces: Sequence[Piece], index: list[int]) -> FileError:
    measure, system = piece.measures[index[0]], piece.systems[index[2]]
    first = next(p for p in pieces if p is not piece and system in p.systems and measure in p.measures)
    by = f" by {measure}" if measure else ""
    way_out = Advice("Keep one of the two.")
    if not measure:
        name = "If they are different measures, give a dict: {measure: path}."
        way_out = Advice(name, "If they are different measures, name the measure in a column of each file.")
    return FileError(f"{piece.source}: the system {system!r} has scores{by} in {first.source} too.", way_out)


def choose_measure(piece: Piece, measure: str | None) -> Piece:
    """Choose the block of one measure.

    Parameters
    ----------
    piece : Piece
        Scores by one measure or several.
    measure : str or None
        The measure, in any spelling. A block without a name takes it.

    Returns
    -------
    Piece
        Without topics and systems that have scores by other measures only.

    Raises
    ------
    CallError
        If there are several measures and none was named.
    TauscopeError
        If there is no such measure.
    """
    if len(piece.measures) == 1 and (measure is None or piece.measures[0] in ("", canonical(measure))):
        name = piece.measures[0] if measure is None else canonical(measure)
        return replace(piece, measures=(name,))
    names = [name or "(no name)" for name in piece.measures]
    if measure is None:
        raise CallError(
            f"{piece.source} has {count(len(names), 'measure')}: {shown(names)}.",
            Option("measure", piece.measures[0], effect="or another of them to say which one"),
            Advice("ScoreCube.read() reads them all.", ""),
        )
    wanted = canonical(measure)
    if wanted not in piece.measures:
        known = [name for name in piece.measures if name]
        raise TauscopeError(
            f"{piece.source} does not have the measure {wanted!r}; it has {shown(names)}.",
            *([Option("measure", known[0], effect="or another of them")] if known else []),
        )
    at = piece.measures.index(wanted)
    return _only_rated(replace(piece, values=piece.values[at : at + 1], measures=(wanted,)))


def _only_rated(piece: Piece) -> Piece:
    """The block of one of several measures without the topics and systems of which only others have scores."""
    rated = ~np.isnan(piece.values[0])
    if not rated.any():
        return piece
    topics, systems = rated.any(axis=1), rated.any(axis=0)
    notes = list(piece.notes)
    for kept, labels, one in ((topics, piece.topics, "topic"), (systems, piece.systems, "system")):
        if not kept.all():
            left_out = [label for label, keep in zip(labels, kept.tolist(), strict=True) if not keep]
            notes.append(Note("without_measure", one=one, labels=left_out, measure=piece.measures[0]))
    return replace(
        piece,
        values=piece.values[:, topics][:, :, systems],
        topics=tuple(label for label, keep in zip(piece.topics, topics.tolist(), strict=True) if keep),
        systems=tuple(label for label, keep in zip(piece.systems, systems.tolist(), strict=True) if keep),
        notes=tuple(notes),
    )


def choose_measures(piece: Piece, measures: Sequence[str] | None) -> Piece:
    """Choose the blocks of some measures, in that order; all of them by default."""
    if measures is None:
        return piece
    wanted = [measures] if isinstance(measures, str) else list(measures)
    chosen = merge([choose_measure(piece, name) for name in wanted])
    return chosen if len(wanted) == 1 else replace(chosen, notes=piece.notes)


def to_cube(piece: Piece, missing: str) -> ScoreCube:
    """Make a `ScoreCube` of a piece; the error on a missing cell names the file and the line."""
    _check_holes(piece, missing)
    with naming(piece.source):
        return ScoreCube(
            piece.values,
            tuple(name or UNNAMED for name in piece.measures),
            piece.topics,
            piece.systems,
            collection=piece.collection,
            notes=piece.notes,
            frame=piece.frame,
            missing=missing,
        )


def to_scores(piece: Piece, missing: str) -> Scores:
    """Make `Scores` of a piece that has one measure; the error on a missing cell names the file and the line."""
    _check_holes(piece, missing)
    with naming(piece.source):
        return Scores(
            piece.values[0],
            piece.topics,
            piece.systems,
            measure=piece.measures[0],
            collection=piece.collection,
            notes=piece.notes,
            frame=piece.frame,
            missing=missing,
        )


@contextmanager
def naming(source: str) -> Iterator[None]:
    """Let errors about the scores start with the file that they came from; those about the call stay as they are."""
    try:
        yield
    except CallError:
        raise
    except TauscopeError as error:
        raise FileError(error.problem, *error.ways_out).at(source) from None


def _check_holes(piece: Piece, missing: str) -> None:
    holes = np.isnan(piece.values)
    total = int(holes.sum())
    if missing == "error" and total:
        raise FileError(
            f"{piece.hole()} has no score."
            f"{f' In all, {total:,} cells of {holes.size:,} have none.' if total > 1 else ''}",
            ScoreCube.missing_option(holes, keep=True),
        )
