"""What every reader returns, a `Piece`, and how pieces become one labelled object."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ..arrays import Floats, Ints
from ..errors import CallError, FileError, TauscopeError
from ..names import canonical
from ..results import count
from ..scores import MeasureTable, ScoreCube, Scores
from ..scores.labels import Labels, shown
from ..scores.matrix import UNNAMED
from .streams import MAX_CELLS


@dataclass(frozen=True)
class Piece:
    """The scores found in one file or frame: `values` is measures x topics x systems, NaN where nothing was found.

    A measure that is not named is "". `hole` says where the first empty cell stands: a place and the cell in words.
    """

    source: str
    values: Floats
    measures: Labels
    topics: Labels
    systems: Labels
    notes: tuple[str, ...] = ()
    hole: str = ""
    frame: str | None = None
    collection: str = ""


@dataclass(frozen=True)
class Cells:
    """A long table: one row a score. `lines` gives the line of each row where there are lines."""

    source: str
    systems: Sequence[str]
    topics: Sequence[str]
    measures: Sequence[str]
    values: Floats
    lines: Sequence[int] | None = None
    notes: tuple[str, ...] = ()
    frame: str | None = None

    def at(self, row: int) -> str:
        """Where a row is."""
        return f"{self.source}, row {row + 1}" if self.lines is None else f"{self.source}:{self.lines[row]}"

    def piece(self) -> Piece:
        """The rows as a block, labels in the order in which they come; the same cell twice is an error."""
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
        empty = np.flatnonzero(np.isnan(self.values))
        hole = f"{self.at(int(empty[0]))}: {self._cell(int(empty[0]))}" if empty.size else ""
        return Piece(self.source, block, labels[0], labels[1], labels[2], self.notes, hole, self.frame)

    def table(self, missing: str) -> MeasureTable:
        """The rows as a table: a row a system, or a row a topic and system, and a column a measure."""
        if not any(self.topics):
            piece = self.piece()
            return self._table(piece.values[:, 0].T, piece.systems, piece.measures, None, piece.hole, missing)
        pairs = [f"{len(topic)}:{topic}{system}" for topic, system in zip(self.topics, self.systems, strict=True)]
        block = replace(self, systems=pairs, topics=[""] * len(pairs)).piece()
        first = {pair: row for row, pair in reversed(list(enumerate(pairs)))}
        rows = [first[pair] for pair in block.systems]
        topics = tuple(self.topics[row] for row in rows)
        systems = tuple(self.systems[row] for row in rows)
        return self._table(block.values[:, 0].T, systems, block.measures, topics, block.hole, missing)

    def _table(
        self, values: Floats, systems: Labels, measures: Labels, topics: Labels | None, hole: str, missing: str
    ) -> MeasureTable:
        if missing == "error" and np.isnan(values).any():
            row, column = (int(i) for i in np.argwhere(np.isnan(values))[0])
            on = f" on topic {topics[row]!r}" if topics else ""
            place = f"{self.source}: system {systems[row]!r}{on} by {measures[column]}"
            raise FileError(
                f"{hole.partition(': ')[0] + ': ' + place.partition(': ')[2] if hole else place} has no value. "
                "Pass missing='zero', 'drop-systems', 'drop-measures' or 'keep' to say what that means."
            )
        try:
            return MeasureTable(values, systems, measures, "", topics, self.notes, self.frame, missing=missing)
        except CallError:
            raise
        except TauscopeError as error:
            raise FileError(f"{self.source}: {error}") from None

    def _cell(self, row: int) -> str:
        by = f" by {canonical(self.measures[row])}" if self.measures[row] else ""
        return f"system {self.systems[row]!r} on topic {self.topics[row]!r}{by}"

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
    """A block that memory cannot hold is refused before it is made."""
    cells = int(np.prod([int(size) for size in shape], dtype=object))
    if cells > MAX_CELLS:
        k, n, m = shape
        raise FileError(
            f"{source}: {count(k, 'measure')} x {count(n, 'topic')} x {count(m, 'system')} make {cells:,} cells "
            f"for {count(found, 'score')}; at most {MAX_CELLS:,} are read. Are the columns what they seem?"
        )


def merge(pieces: Sequence[Piece]) -> Piece:
    """One piece of several: by measure, by system, or both; a cell that two of them have is an error."""
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
    hole = next((piece.hole for piece in pieces if piece.hole), "")
    source = f"{pieces[0].source} and {count(len(pieces) - 1, 'more file')}"
    first = pieces[0]
    return Piece(source, block, labels[0], labels[1], labels[2], notes, hole, first.frame, first.collection)


_AXES = ("measures", "topics", "systems")


def _notes_of(pieces: Sequence[Piece]) -> tuple[str, ...]:
    """The notes of all pieces; what was noted of many files is told once."""
    files: dict[str, list[str]] = {}
    for piece in pieces:
        for note in piece.notes:
            name, _, text = note.partition(": ")
            files.setdefault(text or note, []).append(name if text else "")
    return tuple(
        f"{count(len(names), 'file')}: {text}" if len(names) > 2 and all(names) else f"{name}: {text}" if name else text
        for text, names in files.items()
        for name in (names[:1] if len(names) > 2 else dict.fromkeys(names))
    )


def _overlap(piece: Piece, pieces: Sequence[Piece], index: list[int]) -> FileError:
    measure, system = piece.measures[index[0]], piece.systems[index[2]]
    first = next(p for p in pieces if p is not piece and system in p.systems and measure in p.measures)
    way_out = "Keep one of the two." if measure else "If they are different measures, give a dict: {measure: path}."
    by = f" by {measure}" if measure else ""
    return FileError(f"{piece.source}: the system {system!r} has scores{by} in {first.source} too. {way_out}")


def choose_measure(piece: Piece, measure: str | None) -> Piece:
    """The block of one measure: the one asked for, or the only one; a block without a name takes the name given."""
    if len(piece.measures) == 1 and (measure is None or piece.measures[0] in ("", canonical(measure))):
        name = piece.measures[0] if measure is None else canonical(measure)
        return replace(piece, measures=(name,))
    names = [name or "(no name)" for name in piece.measures]
    if measure is None:
        raise CallError(
            f"{piece.source} has {count(len(names), 'measure')}: {shown(names)}. Say which one: measure={names[0]!r}; "
            "read_cube() reads them all."
        )
    wanted = canonical(measure)
    if wanted not in piece.measures:
        raise TauscopeError(f"{piece.source} does not have the measure {wanted!r}; it has {shown(names)}.")
    at = piece.measures.index(wanted)
    return replace(piece, values=piece.values[at : at + 1], measures=(wanted,))


def choose_measures(piece: Piece, measures: Sequence[str] | None) -> Piece:
    """The blocks of the measures asked for, in that order; all of them by default."""
    if measures is None:
        return piece
    wanted = [measures] if isinstance(measures, str) else list(measures)
    return merge([choose_measure(piece, name) for name in wanted])


def to_cube(piece: Piece, missing: str) -> ScoreCube:
    """The labelled cube; what is missing is named with the file and the line where there is one."""
    measures = tuple(name or UNNAMED for name in piece.measures)
    with _named(piece, missing):
        return ScoreCube(
            piece.values, measures, piece.topics, piece.systems, piece.collection, piece.notes, piece.frame,
            missing=missing,
        )  # fmt: skip


def to_scores(piece: Piece, missing: str) -> Scores:
    """The labelled scores of a piece that has one measure."""
    with _named(piece, missing):
        return Scores(
            piece.values[0], piece.topics, piece.systems, piece.measures[0], piece.collection, piece.notes, piece.frame,
            missing=missing,
        )  # fmt: skip


@contextmanager
def _named(piece: Piece, missing: str) -> Iterator[None]:
    """Errors about the scores start with the file they came from."""
    holes = np.isnan(piece.values)
    if missing == "error" and holes.any():
        raise FileError(_holes_text(piece, holes))
    try:
        yield
    except CallError:
        raise
    except TauscopeError as error:
        raise FileError(f"{piece.source}: {error}") from None


def _holes_text(piece: Piece, holes: NDArray[np.bool_]) -> str:
    place = piece.hole
    if not place:
        measure, topic, system = (int(i) for i in np.argwhere(holes)[0])
        by = f" by {piece.measures[measure]}" if piece.measures[measure] else ""
        place = f"{piece.source}: system {piece.systems[system]!r} on topic {piece.topics[topic]!r}{by}"
    total = int(holes.sum())
    more = "" if total == 1 else f" In all, {count(total, 'cell')} of {holes.size:,} have none."
    choices = "Pass missing='zero', 'drop-topics', 'drop-systems' or 'keep' to say what that means."
    return f"{place} has no score.{more} {choices}"


def stem(path: Path) -> str:
    """The name of a run whose file does not give one: the file's own, without compression and format."""
    name = path.name
    for suffixes in (
        (".gz", ".zst", ".zstd"),
        (".csv", ".tsv", ".txt", ".json", ".jsonl", ".parquet", ".eval", ".out"),
    ):
        for suffix in suffixes:
            if name.lower().endswith(suffix) and len(name) > len(suffix):
                name = name[: -len(suffix)]
                break
    return name
