"""The public readers: find out what a source is, read it, say how it was read."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from ..core.arrays import is_frame
from ..data.alignment import require_one_scale
from ..data.cube import ScoreCube
from ..data.labels import Remark, shown
from ..data.names import canonical
from ..data.ranking import Ranking
from ..data.scores import Scores
from ..data.table import MeasureTable
from ..errors import Advice, CallError, Option
from ..results import count
from . import detect, rankings
from .archives import part_of
from .detect import check_format, recognised
from .formats import arrays, delimited, frames, nested, trec_eval
from .look import NOTHING, Asked, Names
from .pieces import Cells, Piece, choose_measure, choose_measures, merge, run_name, to_cube, to_scores
from .streams import MAX_BYTES, Text, Where, compression, is_text, open_start


def read_scores(
    source: Any,
    *,
    measure: str | None = None,
    missing: str = "error",
    format: str | None = None,
    collection: str = "",
    columns: Mapping[str, Any] | str | None = None,
    lower_is_better: bool | Sequence[str] = False,
    aggregate: str | None = None,
    like: Scores | ScoreCube | None = None,
    max_bytes: int = MAX_BYTES,
) -> Scores:
    """Read scores by one measure; `Scores.read()` documents how."""
    asked = Asked.of(columns, _names(like))
    piece = choose_measure(merge(list(_pieces(source, format, max_bytes, asked))), measure)
    found = to_scores(replace(piece, collection=collection or piece.collection), missing).negated(lower_is_better)
    return found if aggregate is None else found.aggregated(aggregate)


def read_cube(
    sources: Any,
    *,
    measures: Sequence[str] | None = None,
    missing: str = "error",
    format: str | None = None,
    collection: str = "",
    columns: Mapping[str, Any] | str | None = None,
    lower_is_better: bool | Sequence[str] = False,
    like: Scores | ScoreCube | None = None,
    max_bytes: int = MAX_BYTES,
) -> ScoreCube:
    """Read scores by several measures; `ScoreCube.read()` documents how."""
    asked = Asked.of(columns, _names(like))
    piece = choose_measures(merge(list(_pieces(sources, format, max_bytes, asked))), measures)
    cube = to_cube(replace(piece, collection=collection or piece.collection), missing)
    if lower_is_better is False:
        return cube
    parts = [cube[measure].negated(lower_is_better) for measure in cube.measures]
    return replace(cube, notes=parts[0].notes, values=np.stack([part.values for part in parts]), missing="keep")


def _names(like: Scores | ScoreCube | None) -> Names | None:
    return None if like is None else Names(frozenset(like.systems), frozenset(like.topics))


def read_table(
    source: Any,
    *,
    missing: str = "error",
    collection: str = "",
    columns: Mapping[str, Any] | str | None = None,
    max_bytes: int = MAX_BYTES,
) -> MeasureTable:
    """Read a table of systems by measures; `MeasureTable.read()` documents how."""
    asked = Asked.of(columns)
    if isinstance(source, (str, Path)):
        path = Path(source)
        if compression(path) == "parquet":
            data, beside = frames.read_parquet(path, max_bytes)
            table = frames.read_measures(data, str(path), asked).table(missing)
            notes = (*beside.get("notes", ()), *table.notes)
            named = collection or str(beside.get("collection", ""))
            return replace(table, collection=named, frame=None, notes=notes, missing="keep")
        with open_start(path, max_bytes=max_bytes) as text:
            table = _measures_in(text, asked).table(missing)
    elif is_frame(source):
        table = frames.read_measures(source, "the frame", asked).table(missing)
    else:
        raise CallError(f"measures.Table.read() reads a file or a data frame, not {type(source).__name__}.")
    return replace(table, collection=collection, missing="keep")


def _measures_in(text: Text, asked: Asked) -> Cells:
    """The systems and measures of a table, or of the means that an evaluation tool prints."""
    one, name = recognised(text)
    if one is trec_eval.FORMAT:
        return trec_eval.read_means(text, name, run_name(text.path))
    if one is not delimited.FORMAT:
        raise Where(text.path).error(
            f"this is {name}, and not a table of systems by measures.",
            Advice("ScoreCube.read() reads scores on topics.", ""),
        )
    return delimited.read_measures(delimited.Table(text), asked)


def read_ranking(
    source: Any,
    *,
    measure: str | None = None,
    missing: str = "error",
    format: str | None = None,
    columns: Mapping[str, Any] | str | None = None,
    aggregate: str | None = None,
    max_bytes: int = MAX_BYTES,
    **options: Any,
) -> Ranking:
    """Read a ranking; `Ranking.read()` documents how."""
    check_format(format)
    if isinstance(source, Mapping) and all(isinstance(value, (int, float)) for value in source.values()):
        return Ranking(source, **options)
    asked = Asked.of(columns)
    negated = options.pop("lower_is_better") if _names_topics(options) else False
    found: Ranking | Piece | None = None
    if isinstance(source, (str, Path)) and not part_of(Path(source))[0].is_dir():
        found = _ranking_in(Path(source), measure, missing, format, max_bytes, options, asked)
    elif is_frame(source) and format is None:
        found = rankings.read_frame(source, "the frame", measure, missing, options, asked)
    if isinstance(found, Ranking):
        if negated:
            raise CallError(
                "A list of systems has no topics on which alone lower could be better.",
                Option("lower_is_better", True, effect="where it is in the whole list"),
            )
        return found
    piece = found or merge(list(_pieces(source, format, max_bytes, asked)))
    scores = to_scores(choose_measure(piece, measure), missing).negated(negated)
    if aggregate is None:
        of = f"the ranking in '{source}'" if isinstance(source, (str, Path)) else "a ranking"
        require_one_scale(scores, of, argument=True)
        return scores.ranking(**options)
    return scores.aggregated(aggregate).ranking(**options)


def _names_topics(options: Mapping[str, Any]) -> bool:
    """Whether lower is better on some topics only, which a ranking cannot say."""
    return not isinstance(options.get("lower_is_better", False), bool)


def _ranking_in(
    path: Path,
    measure: str | None,
    missing: str,
    wanted: str | None,
    max_bytes: int,
    options: dict[str, Any],
    asked: Asked,
) -> Ranking | Piece:
    if compression(path) == "parquet":
        data, _ = frames.read_parquet(path, max_bytes)
        found = None if wanted else rankings.read_frame(data, str(path), measure, missing, options, asked)
        return found or _file(path, wanted, max_bytes, asked=asked)
    with open_start(path, max_bytes=max_bytes) as text:
        return rankings.read_text(text, wanted, measure, missing, options, *recognised(text, wanted), asked)


def _pieces(source: Any, wanted: str | None, max_bytes: int, asked: Asked = NOTHING) -> Iterator[Piece]:
    check_format(wanted)
    if isinstance(source, (str, Path)):
        path = Path(source)
        place, part = part_of(path)
        folder = detect.folder_kind(place, wanted) if place.is_dir() else None
        if folder is not None:
            yield from folder.read(place, part, max_bytes, lambda file: _file(file, None, max_bytes))
            return
        if path.is_dir():
            yield from _folder(path, wanted, max_bytes, asked)
        else:
            yield _file(path, wanted, max_bytes, asked=asked)
    elif isinstance(source, Mapping):
        yield from _mapping(source, wanted, max_bytes, asked)
    elif is_frame(source, series=True):
        yield frames.read(source, "the frame", None, wanted, asked)
    elif arrays.is_array(source):
        yield arrays.read(source, wanted)
    elif isinstance(source, MeasureTable) or not isinstance(source, Iterable):
        raise CallError(f"Scores.read() reads files, frames, dicts and arrays, not {type(source).__name__}.")
    else:
        yield from _many(list(source), wanted, max_bytes, asked)


def _many(sources: list[Any], wanted: str | None, max_bytes: int, asked: Asked) -> Iterator[Piece]:
    if not sources:
        raise CallError("There is not one file to read.")
    if nested.is_records(sources):
        yield nested.read_dicts(sources, "the records", None, wanted).piece()
        return
    for place, source in enumerate(sources, 1):
        if is_frame(source):
            yield frames.read(source, f"frame {place}", None, wanted, asked)
        elif isinstance(source, (str, Path)):
            yield _file(Path(source), wanted, max_bytes, asked=asked)
        else:
            raise CallError(f"Item {place} of the list is of type {type(source).__name__}; give files or frames.")


def _mapping(sources: Mapping[Any, Any], wanted: str | None, max_bytes: int, asked: Asked) -> Iterator[Piece]:
    """{run: file}, {measure: file} for files that name the systems but not the measure, or dicts of dicts."""
    if not sources:
        raise CallError("The dict is empty.")
    if not any(_is_source(value) for value in sources.values()):
        yield nested.read_dicts(sources, "the dict", None, wanted).piece()
        return
    for key, value in sources.items():
        name = str(key)
        if isinstance(value, (str, Path)):
            piece = _file(Path(value), wanted, max_bytes, run=name, asked=asked)
        elif is_frame(value):
            piece = frames.read(value, f"the frame of {name!r}", name, wanted, asked)
        elif nested.is_records(value):
            piece = nested.read_dicts(list(value), f"the records of {name!r}", name, wanted).piece()
        else:
            raise CallError(f"At {name!r} there is an object of type {type(value).__name__}; give a file or a frame.")
        if piece.systems != (name,):
            if piece.measures != ("",):
                raise CallError(
                    f"{piece.source} names its systems and its measures, so {name!r} names neither.",
                    Advice("Give a list instead of a dict."),
                )
            piece = replace(piece, measures=(canonical(name),))
        yield piece


def _is_source(value: Any) -> bool:
    return isinstance(value, (str, Path, list, tuple)) or is_frame(value)


def _folder(folder: Path, wanted: str | None, max_bytes: int, asked: Asked) -> Iterator[Piece]:
    """The files of a folder one by one; pictures and the like are left out, and a remark says so."""
    files = sorted(path for path in folder.iterdir() if path.is_file() and not path.name.startswith("."))
    if not files:
        raise Where(folder).error("there are no files in this folder.")
    read = [path for path in files if is_text(path)] or files
    left_out = [path.name for path in files if path not in read]
    for path in read:
        piece = _file(path, wanted, max_bytes, asked=asked)
        if left_out:
            told = Remark(
                f"{count(len(left_out), 'file')} left out, not text: {shown(left_out)}",
                where=folder.name,
                code="not-scores",
                effect="no number changes if they hold no scores",
                suggestion="remove them from the folder, or name the files to be read",
            )
            piece, left_out = replace(piece, notes=(*piece.notes, told)), []
        yield piece


def _file(path: Path, wanted: str | None, max_bytes: int, run: str | None = None, asked: Asked = NOTHING) -> Piece:
    if compression(path) == "parquet":
        data, beside = frames.read_parquet(path, max_bytes)
        return _beside(frames.read(data, str(path), run or run_name(path), wanted, asked), beside)
    with open_start(path, max_bytes=max_bytes) as text:
        one, name = recognised(text, wanted)
        if one is delimited.FORMAT:
            table = delimited.Table(text, numbered=name == "numbers")
            return delimited.read_table(table, None if name == "table" else name, run or run_name(path), asked)
        return one.read(text, name, run or run_name(path))


def _beside(piece: Piece, beside: dict[str, Any]) -> Piece:
    measure, collection = (
        found if isinstance(found := beside.get(name), str) else "" for name in ("measure", "collection")
    )
    measures = (measure,) if piece.measures == ("",) else piece.measures
    written = beside.get("notes")
    notes = (*(note for note in (written if isinstance(written, list) else ()) if isinstance(note, str)), *piece.notes)
    return replace(piece, measures=measures, notes=notes, frame=None, collection=collection)
