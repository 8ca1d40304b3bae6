"""The public readers: find out what a source is, read it, say how it was read."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import IO, Any

from ..errors import CallError, FileError
from ..names import canonical
from ..ranking import Ranking
from ..scores import MeasureTable, ScoreCube, Scores
from . import rankings
from .formats import delimited, frames, nested, trec_eval
from .layouts import FORMATS, layout, table_layout
from .pieces import Piece, choose_measure, choose_measures, merge, stem, to_cube, to_scores
from .streams import MAX_BYTES, Where, compression, open_text

#: Lines and characters looked at before the format is decided.
_HEAD_LINES, _HEAD_SIZE = 60, 1 << 20
_FORMATS = (*FORMATS, "trec_eval", "ir_measures", *nested.ORDERS)

Location = str | Path


def read_scores(
    source: Any,
    *,
    measure: str | None = None,
    missing: str = "error",
    format: str | None = None,
    collection: str = "",
    max_bytes: int = MAX_BYTES,
) -> Scores:
    """The scores of systems on topics by one measure, from whatever holds them; `.notes` says how they were read.

    `source` is a file (CSV, TSV or Parquet, wide or long; `trec_eval -q` or ir_measures output; JSON; also gzip or
    zstd), a list of files of one run each, a folder of them, a dict {run: file or frame}, a pandas, polars or pyarrow
    frame, or a dict {run: {measure: {topic: value}}}. `measure` chooses one of several, or names the only one.
    `missing` says what a cell without a score means (see `Scores`), `format` settles what the columns leave open.
    A file that unpacks to more than `max_bytes` is refused.
    """
    piece = choose_measure(merge(list(_pieces(source, format, max_bytes))), measure)
    return to_scores(replace(piece, collection=collection or piece.collection), missing)


def read_cube(
    sources: Any,
    *,
    measures: Sequence[str] | None = None,
    missing: str = "error",
    format: str | None = None,
    collection: str = "",
    max_bytes: int = MAX_BYTES,
) -> ScoreCube:
    """The scores of systems on topics by several measures; `measures` chooses and orders them.

    `sources` is what `read_scores()` takes. Matrices that do not name their measure are given as {measure: file}.
    """
    piece = choose_measures(merge(list(_pieces(sources, format, max_bytes))), measures)
    return to_cube(replace(piece, collection=collection or piece.collection), missing)


def read_table(
    source: Any, *, missing: str = "error", collection: str = "", max_bytes: int = MAX_BYTES
) -> MeasureTable:
    """A table of systems by measures, one row a system, from a CSV, TSV or Parquet file or a frame.

    Systems are numbered where no column names them, as in the tables of gupta2019; a column of topics makes the table
    topic-wise.
    """
    if isinstance(source, (str, Path)):
        path = Path(source)
        if compression(path) == "parquet":
            data, beside = frames.read_parquet(path, max_bytes)
            table = frames.read_measures(data, str(path)).table(missing)
            return replace(
                table, collection=collection or str(beside.get("collection", "")), frame=None,
                notes=(*beside.get("notes", ()), *table.notes), missing="keep",
            )  # fmt: skip
        with _text(path, max_bytes) as (head, rest):
            table = delimited.read_measures(delimited.Table(head, rest, path)).table(missing)
    elif frames.is_frame(source):
        table = frames.read_measures(source, "the frame").table(missing)
    else:
        raise CallError(f"read_table() reads a file or a data frame, not {type(source).__name__}.")
    return replace(table, collection=collection, missing="keep")


def read_ranking(
    source: Any,
    *,
    measure: str | None = None,
    missing: str = "error",
    format: str | None = None,
    max_bytes: int = MAX_BYTES,
    **options: Any,
) -> Ranking:
    """A ranking of systems: a list of systems and scores (or ranks), or scores on topics, of which it takes the means.

    Two columns, a name and a number, are a list; a column called rank has 1 for the best. A table of systems by
    measures needs `measure`. Anything else is read by `read_scores()` and ranked by means, which are ties when they
    differ only by rounding. `options` go to `Ranking`: `tied_within`, `lower_is_better`.
    """
    if isinstance(source, Mapping) and all(isinstance(value, (int, float)) for value in source.values()):
        return Ranking(source, **options)
    found: Ranking | Piece | None = None
    if isinstance(source, (str, Path)) and not Path(source).is_dir():
        found = _ranking_in(Path(source), measure, missing, format, max_bytes, options)
    elif frames.is_frame(source) and format is None:
        found = rankings.read_frame(source, "the frame", measure, missing, options)
    if isinstance(found, Ranking):
        return found
    piece = found or merge(list(_pieces(source, format, max_bytes)))
    return to_scores(choose_measure(piece, measure), missing).ranking(**options)


def _ranking_in(
    path: Path, measure: str | None, missing: str, wanted: str | None, max_bytes: int, options: dict[str, Any]
) -> Ranking | Piece:
    """The ranking that a file holds, or else its scores; the file is read once, for it may be a pipe."""
    if compression(path) == "parquet":
        data, _ = frames.read_parquet(path, max_bytes)
        found = None if wanted else rankings.read_frame(data, str(path), measure, missing, options)
        return found or _file(path, wanted, max_bytes)
    with _text(path, max_bytes) as (head, rest):
        kind = _sniff(head) if wanted is None else _kind_of(wanted)
        if kind == "table" and wanted is None:
            table = delimited.Table(head, rest, path)
            return rankings.read(table, measure, missing, options) or delimited.read(table, None, stem(path))
        if kind == "json":
            data = nested.parse_json("".join(chain(head, rest)), path)
            if isinstance(data, dict) and data and all(isinstance(value, (int, float)) for value in data.values()):
                return Ranking(data, name=str(path), **options)
            return nested.read(data, str(path), stem(path), wanted).piece()
        return _text_piece(kind, head, rest, path, wanted, stem(path))


def detect_format(path: Location, *, max_bytes: int = MAX_BYTES) -> str:
    """What a file is: "wide", "matrix", "long", "measures", "table", "ranking", "trec_eval", "ir_measures" or "json".

    Raises the error that readers would raise where the columns leave it open.
    """
    file = Path(path)
    if compression(file) == "parquet":
        look = frames.Frame(frames.read_parquet(file, max_bytes)[0], str(file)).look()
    else:
        with _text(file, max_bytes) as (head, rest):
            kind = _sniff(head)
            if kind != "table":
                return kind
            table = delimited.Table(head, rest, file)
            if rankings.is_list(table):
                return "ranking"
            look = table.look()
    try:
        return layout(look).kind
    except FileError:
        try:
            table_layout(look)
        except FileError:
            pass
        else:
            return "table"
        raise


def _pieces(source: Any, wanted: str | None, max_bytes: int) -> Iterator[Piece]:
    if wanted is not None and wanted not in _FORMATS:
        raise CallError(f"format={wanted!r} is unknown; use one of {', '.join(map(repr, _FORMATS))}.")
    if isinstance(source, (str, Path)):
        path = Path(source)
        files = _files_in(path) if path.is_dir() else [path]
        yield from (_file(file, wanted, max_bytes) for file in files)
    elif isinstance(source, Mapping):
        yield from _mapping(source, wanted, max_bytes)
    elif frames.is_frame(source):
        yield frames.read(source, "the frame", None, wanted)
    elif type(source).__module__.partition(".")[0] == "numpy":
        raise CallError("An array has no names. Use Scores(values, topics, systems), values being topics x systems.")
    elif isinstance(source, (Scores, ScoreCube, MeasureTable)) or not isinstance(source, Iterable):
        raise CallError(f"read_scores() reads files, frames and dicts, not {type(source).__name__}.")
    else:
        yield from _many(list(source), wanted, max_bytes)


def _many(sources: list[Any], wanted: str | None, max_bytes: int) -> Iterator[Piece]:
    if not sources:
        raise CallError("There is not one file to read.")
    if nested.is_records(sources):
        yield nested.read(sources, "the records", None, wanted).piece()
        return
    for place, source in enumerate(sources, 1):
        if frames.is_frame(source):
            yield frames.read(source, f"frame {place}", None, wanted)
        elif isinstance(source, (str, Path)):
            yield _file(Path(source), wanted, max_bytes)
        else:
            raise CallError(f"Item {place} of the list is of type {type(source).__name__}; give files or frames.")


def _mapping(sources: Mapping[Any, Any], wanted: str | None, max_bytes: int) -> Iterator[Piece]:
    """{run: file}, {measure: file} for files that name the systems but not the measure, or dicts of dicts."""
    if not sources:
        raise CallError("The dict is empty.")
    if not any(_is_source(value) for value in sources.values()):
        yield nested.read(sources, "the dict", None, wanted).piece()
        return
    for key, value in sources.items():
        name = str(key)
        if isinstance(value, (str, Path)):
            piece = _file(Path(value), wanted, max_bytes, run=name)
        elif frames.is_frame(value):
            piece = frames.read(value, f"the frame of {name!r}", name, wanted)
        elif nested.is_records(value):
            piece = nested.read(list(value), f"the records of {name!r}", name, wanted).piece()
        else:
            raise CallError(f"At {name!r} there is an object of type {type(value).__name__}; give a file or a frame.")
        if piece.systems != (name,):
            if piece.measures != ("",):
                raise CallError(
                    f"{piece.source} names its systems and its measures, so {name!r} names neither. Give a list."
                )
            piece = replace(piece, measures=(canonical(name),))
        yield piece


def _is_source(value: Any) -> bool:
    return isinstance(value, (str, Path, list, tuple)) or frames.is_frame(value)


def _files_in(folder: Path) -> list[Path]:
    files = sorted(path for path in folder.iterdir() if path.is_file() and not path.name.startswith("."))
    if not files:
        raise Where(folder).error("there are no files in this folder.")
    return files


def _file(path: Path, wanted: str | None, max_bytes: int, run: str | None = None) -> Piece:
    if compression(path) == "parquet":
        data, beside = frames.read_parquet(path, max_bytes)
        return _beside(frames.read(data, str(path), run or stem(path), wanted), beside)
    with _text(path, max_bytes) as (head, rest):
        kind = _sniff(head) if wanted is None else _kind_of(wanted)
        return _text_piece(kind, head, rest, path, wanted, run or stem(path))


def _text_piece(kind: str, head: list[str], rest: IO[str], path: Path, wanted: str | None, run: str) -> Piece:
    if kind in ("trec_eval", "ir_measures"):
        return trec_eval.read(head, rest, path, kind, run).piece()
    if kind == "json":
        data = nested.parse_json("".join(chain(head, rest)), path)
        return nested.read(data, str(path), run, wanted).piece()
    return delimited.read(delimited.Table(head, rest, path, numbered=wanted == "numbers"), wanted, run)


def _beside(piece: Piece, beside: dict[str, Any]) -> Piece:
    measure = str(beside.get("measure", ""))
    measures = (measure,) if piece.measures == ("",) else piece.measures
    notes = (*map(str, beside.get("notes", ())), *piece.notes)
    return replace(piece, measures=measures, notes=notes, frame=None, collection=str(beside.get("collection", "")))


@contextmanager
def _text(path: Path, max_bytes: int) -> Iterator[tuple[list[str], IO[str]]]:
    """The first lines of a text, and the stream of the others."""
    with open_text(path, max_bytes=max_bytes) as stream:
        head: list[str] = []
        size = 0
        while len(head) < _HEAD_LINES and size < _HEAD_SIZE:
            line = stream.readline()
            if not line:
                break
            head.append(line)
            size += len(line)
        if not any(line.strip() for line in head):
            raise Where(path).error("the file is empty.")
        yield head, stream


def _sniff(head: list[str]) -> str:
    first = next(line for line in head if line.strip()).lstrip()
    if first.startswith(("{", "[")):
        return "json"
    return trec_eval.recognise(head) or "table"


def _kind_of(wanted: str) -> str:
    if wanted in ("trec_eval", "ir_measures"):
        return wanted
    return "json" if wanted in nested.ORDERS else "table"
