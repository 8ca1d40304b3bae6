"""Parts of score matrices as files have them, and their union: one run or several, by one measure or several."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path
from typing import NamedTuple

import numpy as np

from ..core.arrays import Floats, Ints
from ..data.cube import ScoreCube
from ..data.labels import Labels, Remark, remarks_in, shown, together
from ..data.names import canonical
from ..data.scores import UNNAMED, Scores
from ..data.table import MeasureTable
from ..errors import Advice, CallError, FileError, Option, TauscopeError
from ..results import count
from .streams import MAX_CELLS


class Hole(NamedTuple):
    """A cell that stands in a file and holds no score: where, and whose it is."""

    place: str
    measure: str
    topic: str
    system: str


@dataclass(frozen=True, kw_only=True)
class Piece:
    """The scores found in one file or frame: `values` is measures x topics x systems, NaN where nothing was found.

    A measure that is not named is "". `empty` goes through the empty cells in the order of the file.
    """

    source: str
    values: Floats
    measures: Labels
    topics: Labels
    systems: Labels
    notes: tuple[str, ...] = ()
    empty: Callable[[], Iterable[Hole]] = tuple
    frame: str | None = None
    collection: str = ""

    def hole(self) -> str:
        """A cell without a score in words, with its line where it has one: the first of the file, or of all."""
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
    """A cell in words: "system 'b' on topic '401' by AP"."""
    on = f" on topic {topic!r}" if topic else ""
    return f"system {system!r}{on}{f' by {measure}' if measure else ''}"


@dataclass(frozen=True, kw_only=True)
class Cells:
    """A long table: one row per score. `lines` gives the line of each row where there are lines."""

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
        """The rows without a score."""
        for row in np.flatnonzero(np.isnan(self.values)).tolist():
            measure = self.measures[row]
            yield Hole(self.at(row), canonical(measure) if measure else "", self.topics[row], self.systems[row])

    def table(self, missing: str) -> MeasureTable:
        """The rows as a table: one row per system, or one per topic and system, and one column per measure."""
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


def _notes_of(pieces: Sequence[Piece]) -> tuple[str, ...]:
    """The notes of all pieces; what was noted of many files is told once."""
    files: dict[str, list[str]] = {}
    told = together(remarks_in(note for piece in pieces for note in piece.notes))
    for piece in pieces:
        for note in piece.notes:
            if isinstance(note, Remark):
                continue
            name, _, text = note.partition(": ")
            files.setdefault(text or note, []).append(name if text else "")
    plain = (
        f"{count(len(names), 'file')}: {text}" if len(names) > 2 and all(names) else f"{name}: {text}" if name else text
        for text, names in files.items()
        for name in (names[:1] if len(names) > 2 else dict.fromkeys(names))
    )
    return (*plain, *told)


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
    """The block of one measure: the one asked for, or the only one; a block without a name takes the name given."""
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
            notes.append(f"{count(len(left_out), one)} without {piece.measures[0]} left out: {shown(left_out, 5)}")
    return replace(
        piece,
        values=piece.values[:, topics][:, :, systems],
        topics=tuple(label for label, keep in zip(piece.topics, topics.tolist(), strict=True) if keep),
        systems=tuple(label for label, keep in zip(piece.systems, systems.tolist(), strict=True) if keep),
        notes=tuple(notes),
    )


def choose_measures(piece: Piece, measures: Sequence[str] | None) -> Piece:
    """The blocks of the measures asked for, in that order; all of them by default."""
    if measures is None:
        return piece
    wanted = [measures] if isinstance(measures, str) else list(measures)
    chosen = merge([choose_measure(piece, name) for name in wanted])
    return chosen if len(wanted) == 1 else replace(chosen, notes=piece.notes)


def to_cube(piece: Piece, missing: str) -> ScoreCube:
    """The labelled cube; what is missing is named with the file and the line where there is one."""
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
    """The labelled scores of a piece that has one measure."""
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
    """Errors about the scores start with the file they came from; those about the call stay as they are."""
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
        more = "" if total == 1 else f" In all, {count(total, 'cell')} of {holes.size:,} have none."
        raise FileError(f"{piece.hole()} has no score.{more}", ScoreCube.missing_option(holes, keep=True))


#: Endings that tell how a file is packed, and what it holds; a name has one of the first and any number of the others.
_PACKED = (".gz", ".zst", ".zstd", ".lz4")
_FORMATS = frozenset(
    (
        *(".csv", ".tsv", ".txt", ".json", ".jsonl", ".parquet", ".xlsx", ".ods"),
        *(".eval", ".out", ".run", ".trec", ".res", ".qrels"),
    )
)


def run_name(path: str | os.PathLike[str]) -> str:
    """The name of a file without the endings that tell its packing and its format.

    >>> run_name("runs/bm25.v1.run.txt.gz"), run_name("qrels.1-50.txt"), run_name(".run")
    ('bm25.v1', 'qrels.1-50', '.run')
    """
    name = Path(path).name
    name = next((name[: -len(end)] for end in _PACKED if name.lower().endswith(end) and name.lower() != end), name)
    while (suffix := Path(name).suffix).lower() in _FORMATS and suffix:
        name = name[: -len(suffix)]
    return name
