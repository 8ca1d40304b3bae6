"""What is this file? Its kind and its format, found from its first lines, and the readers of scores and rankings.

A source is a file, a folder, a data frame, an array, or dicts. A file is read as what `recognised()` says: a format
that a tool writes, JSON, or else a table. `kind_of()` tells scores from battles, published boards, judgments and so on.
"""

from __future__ import annotations

import importlib
import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from ..core import checking
from ..core.arrays import is_frame
from ..data.alignment import require_one_scale
from ..data.cube import ScoreCube
from ..data.labels import Remark, shown
from ..data.names import canonical
from ..data.ranking import Ranking
from ..data.scores import Scores
from ..data.table import MeasureTable
from ..errors import Advice, CallError, FileError, Option, TauscopeError
from ..results import Note, Notes, count
from . import documents, frames
from .columns import DOUBTFUL_PAIRS, PAIRS, PUBLISHED, REPEATS, VERDICTS, interval_column
from .folders import OF_FOLDERS, folder_kind
from .formats import trec_eval
from .layouts import FORMATS as LAYOUTS
from .layouts import NOTHING, Asked, Names, Table, layout, table_layout
from .numerals import is_float
from .pieces import (
    Cells,
    Piece,
    choose_measure,
    choose_measures,
    is_list,
    measures_in,
    merge,
    ranking_in,
    scores_in,
    to_cube,
    to_scores,
)
from .streams import MAX_BYTES, Text, Where, compression, is_text, open_start, part_of
from .tables import COMMENT, TextTable


@dataclass(frozen=True, kw_only=True)
class Format:
    """A format of text files, or several that one module reads.

    The module has `read(text, name, run)`, which takes the open text, the name of the format and what the run is called
    where the file does not say, and returns a `Piece`; and `recognise(head)`, which takes the first lines and returns
    the name of the format, or None. It is called only for a file that can be one of its own.

    Parameters
    ----------
    module : str
        The module, below `tauscope.io`.
    names : tuple of str
        What `format=` may ask for.
    start : pattern or None
        What the first line looks like that is neither empty nor a comment.
    file : pattern or None
        What files are called whose lines do not tell the format.
    sure : str or None
        The name of the format, if nothing more than these patterns tells it.
    """

    module: str
    names: tuple[str, ...]
    start: re.Pattern[str] | None = None
    file: re.Pattern[str] | None = None
    sure: str | None = None

    def recognise(self, text: Text) -> str | None:
        """Return the name of the format of a text, or None if it is another one.

        Parameters
        ----------
        text : Text
            An open text, of which only the first lines are looked at.

        Returns
        -------
        str or None
        """
        called = self.file is None or self.file.fullmatch(text.path.name) is not None
        if not called or not self.starts(text):
            return None
        return self.sure or self._of_module("recognise")(text.head)

    def starts(self, text: Text) -> bool:
        """Whether the first line looks like one of this format."""
        return self.start is None or self.start.match(_first_line(text)) is not None

    def read(self, text: Text, name: str, run: str) -> Piece:
        """Read the scores of a text of this format.

        Parameters
        ----------
        text : Text
            The open text.
        name : str
            The name of the format, as it was recognised or asked for.
        run : str
            What the system is called if the text does not say.

        Returns
        -------
        Piece
        """
        return self._of_module("read")(text, name, run)  # type: ignore[no-any-return]

    def _of_module(self, what: str) -> Any:
        return getattr(importlib.import_module(f".{self.module}", __package__), what)


def _first_line(text: Text) -> str:
    lines = (line for line in text.head if line.strip() and not line.startswith(COMMENT))
    return next(lines, "")


JSON = Format(
    module="documents",
    names=(*documents.ORDERS, "json", *(one.name for one in documents.DOCUMENTS)),
    start=re.compile(r"\s*[{[]"),
    sure="json",
)
TREC_EVAL = Format(
    module="formats.trec_eval",
    names=("trec_eval", "ir_measures"),
    start=re.compile(r"\s*(\S+\s+\S+\s+\S+\s*$|runid\s|relstring)"),
)
#: The formats of text files, asked in this order whether they recognise one; a table is what nothing else is.
FORMATS = (
    Format(
        module="formats.mt_metrics",
        names=("mt-metrics",),
        file=re.compile(r".+\.(seg|sys|domain|doc)\.score(\.gz|\.zst)?"),
        sure="mt-metrics",
    ),
    JSON,
    Format(
        module="formats.autojudge",
        names=("tot", "ir_measures", "autojudge-ranking"),
        start=re.compile(r"\s*\S+(\s+\S+){3}((\s+\S+){2})?\s*$"),
    ),
    TREC_EVAL,
)
#: Every `format=` that can be asked for: the layouts of tables first.
NAMES = tuple(dict.fromkeys([*LAYOUTS, *(name for one in reversed(FORMATS) for name in one.names), *OF_FOLDERS]))


def recognised(text: Text, wanted: str | None = None) -> tuple[Format | None, str]:
    """Find the format of a text.

    A format that is asked for is taken; of two that have the same name, the one whose first line fits. Otherwise
    formats are tried in the order of `FORMATS`, and a table is what no other format is.

    Parameters
    ----------
    text : Text
        An open text, of which only the first lines are looked at.
    wanted : str, optional
        The format that was asked for.

    Returns
    -------
    tuple of Format or None and str
        The format and its name; None and the layout for a table, "table" if the layout is not known yet.

    Raises
    ------
    FileError
        If the text is not what was asked for.
    """
    if wanted is None:
        known = ((one, name) for one in FORMATS if (name := one.recognise(text)) is not None)
        return next(known, (None, "table"))
    if wanted in LAYOUTS:
        return None, wanted
    named = [one for one in FORMATS if wanted in one.names]
    fitting = [one for one in named if one.starts(text)] or [one for one in named[-1:] if one is not JSON]
    if not fitting:
        raise Where(text.path).error(f"this file is not what format={wanted!r} says.")
    return fitting[0], wanted


def _format_asked(wanted: str | None) -> str | None:
    """Only a format that is known can be asked for."""
    return wanted if wanted is None else checking.one_of(wanted, NAMES, "format")


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
    """Read scores by one measure; `Scores.read()` documents how.

    Parameters
    ----------
    source : path, data frame, array, dict or list
        One file, several, or what is in memory.
    measure : str, optional
        Which measure, if there are several.
    missing, format, collection, columns, lower_is_better, aggregate, max_bytes
        As for `Scores.read()`.
    like : Scores or ScoreCube, optional
        Scores whose names tell whether rows are topics or systems.

    Returns
    -------
    Scores

    Raises
    ------
    FileError
        If the source cannot be read, or leaves open what its columns are.
    CallError
        If it has several measures and none was named.
    """
    asked = Asked.of(columns, _names(like))
    piece = choose_measure(merge(list(_pieces(source, format, max_bytes, asked))), measure)
    found = to_scores(replace(piece, collection=collection or piece.collection), missing)
    if lower_is_better is not False:
        found = found.negated(lower_is_better)
    return found if aggregate is None else found.aggregated(aggregate)


def was_guessed(scores: Scores | ScoreCube) -> bool:
    """Whether nothing said, when these scores were read, if rows were topics or systems."""
    return any(isinstance(note, Remark) and note.code == "layout-guessed" for note in scores.notes)


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
    """Read scores by several measures; `ScoreCube.read()` documents how.

    Parameters
    ----------
    sources : path, data frame, array, dict or list
        One file, several, or what is in memory; {measure: file} names the measures.
    measures : sequence of str, optional
        Which measures, in this order.
    missing, format, collection, columns, lower_is_better, like, max_bytes
        As for `ScoreCube.read()`.

    Returns
    -------
    ScoreCube

    Raises
    ------
    FileError
        If a source cannot be read, or two of them have the same cell.
    """
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
    """Read a table of systems by measures; `measures.Table.read()` documents how.

    Parameters
    ----------
    source : path or data frame
        A table, or the output of trec_eval, whose means are taken.
    missing, collection, columns, max_bytes
        As for `measures.Table.read()`.

    Returns
    -------
    MeasureTable

    Raises
    ------
    CallError
        If it is neither a file nor a data frame.
    FileError
        If it is no such table.
    """
    asked = Asked.of(columns)
    if is_frame(source):
        cells = measures_in(frames.Frame(source), "the run", asked)
    elif not isinstance(source, (str, Path)):
        raise CallError(f"measures.Table.read() reads a file or a data frame, not {type(source).__name__}.")
    elif compression(path := Path(source)) == "parquet":
        frame, beside = _parquet(path, max_bytes)
        cells = measures_in(frame, "the run", asked)
        cells = replace(cells, notes=(*_written_notes(beside), *cells.notes), frame=None)
        collection = collection or str(beside.get("collection", ""))
    else:
        with open_start(path, max_bytes=max_bytes) as text:
            cells = _measures_of(text, asked)
    return replace(cells.table(missing), collection=collection, missing="keep")


def _measures_of(text: Text, asked: Asked) -> Cells:
    """The systems and measures of a table, or of the means that an evaluation tool prints."""
    one, name = recognised(text)
    if one is None:
        return measures_in(TextTable(text), run_name(text.path), asked)
    if one is TREC_EVAL:
        return trec_eval.read_means(text, name, run_name(text.path))
    raise Where(text.path).error(
        f"this is {name}, and not a table of systems by measures.",
        Advice("ScoreCube.read() reads scores on topics.", ""),
    )


def read_any(
    source: Any,
    *,
    missing: str = "keep",
    format: str | None = None,
    collection: str = "",
    columns: Mapping[str, Any] | str | None = None,
    by_measures: bool = False,
) -> Scores | ScoreCube | MeasureTable:
    """Read scores on topics by one measure or several, or else a table of systems by measures.

    Parameters
    ----------
    source : path, data frame, array, dict or list
        What `ScoreCube.read()` or `measures.Table.read()` takes.
    missing, format, collection, columns
        As for these.
    by_measures : bool, default False
        Whether the columns of a board with one row per system are measures (tasks) rather than topics.

    Returns
    -------
    Scores, ScoreCube or MeasureTable
        Scores if there is one measure only.

    Raises
    ------
    FileError
        If neither reader can read it; the error is that of `ScoreCube.read()`.
    """
    is_file = isinstance(source, (str, Path)) and Path(source).is_file()
    options: dict[str, Any] = {"missing": missing, "collection": collection, "columns": columns}
    if by_measures and is_file and format is None and detect_format(source) in ("table", "turned"):
        return read_table(source, **options)
    try:
        cube = read_cube(source, format=format, **options)
    except FileError as error:
        if format is not None or not (is_file or is_frame(source)):
            raise
        try:
            return read_table(source, **options)
        except TauscopeError:
            raise error from None
    return cube[cube.measures[0]] if len(cube) == 1 else cube


def read_ranking(
    source: Any,
    *,
    measure: str | None = None,
    missing: str = "error",
    format: str | None = None,
    columns: Mapping[str, Any] | str | None = None,
    aggregate: str | None = None,
    notice: Callable[[Any], Any] | None = None,
    max_bytes: int = MAX_BYTES,
    **options: Any,
) -> Ranking:
    """Read a ranking; `Ranking.read()` documents how.

    Parameters
    ----------
    source : path, data frame, dict or what `Scores.read()` takes
        A list of systems and scores, a table of systems by measures, or scores on topics, whose means rank.
    measure, missing, format, columns, aggregate, max_bytes
        As for `Ranking.read()`.
    notice : callable, optional
        Takes what is ranked before it is: scores, a table of systems by measures, or the notes on a list. It returns
        what takes the place of scores or of a table; scores have higher for better then.
    **options
        `lower_is_better` and `tied_within` of the ranking.

    Returns
    -------
    Ranking

    Raises
    ------
    FileError
        If the source cannot be read.
    TauscopeError
        If topics are on different scales, so that means say little.
    """
    wanted, asked = _format_asked(format), Asked.of(columns)
    if isinstance(source, Mapping) and all(isinstance(value, (int, float)) for value in source.values()):
        return Ranking(source, **options)
    # Whether lower is better on some topics only, which a ranking cannot say.
    lower = options.get("lower_is_better", False)
    negated = options.pop("lower_is_better") if not isinstance(lower, bool) else False
    found: Ranking | Piece | None = None
    if isinstance(source, (str, Path)) and not part_of(Path(source))[0].is_dir():
        found = _ranking_of(Path(source), measure, missing, wanted, max_bytes, options, asked, notice)
    elif is_frame(source) and wanted is None:
        found = ranking_in(frames.Frame(source), "the run", measure, missing, options, asked)
    if isinstance(found, Ranking):
        if negated:
            raise CallError(
                "A list of systems has no topics on which alone lower could be better.",
                Option("lower_is_better", True, effect="where it is in the whole list"),
            )
        return found
    piece = found or merge(list(_pieces(source, wanted, max_bytes, asked)))
    scores = to_scores(choose_measure(piece, measure), missing)
    if notice is not None:
        scores = notice(scores.negated(options.pop("lower_is_better", negated)))
    else:
        scores = scores.negated(negated)
    if aggregate is None:
        of = f"the ranking in '{source}'" if isinstance(source, (str, Path)) else "a ranking"
        require_one_scale(scores, of, argument=True)
        return scores.ranking(**options)
    return scores.aggregated(aggregate).ranking(**options)


def _ranking_of(
    path: Path,
    measure: str | None,
    missing: str,
    wanted: str | None,
    max_bytes: int,
    options: dict[str, Any],
    asked: Asked,
    notice: Callable[[Any], Any] | None,
) -> Ranking | Piece:
    """The ranking that a file holds, or else its scores; it is read once, for it may be a pipe."""
    run = run_name(path)
    more = {} if notice is None else {"notice": notice}
    if compression(path) == "parquet":
        frame, beside = _parquet(path, max_bytes)
        found = None if wanted else ranking_in(frame, run, measure, missing, options, asked, **more)
        return found or _beside(scores_in(frame, wanted, run, asked), beside)
    with open_start(path, max_bytes=max_bytes) as text:
        one, name = recognised(text, wanted)
        if one is None:
            table = TextTable(text, numbered=name == "numbers")
            found = ranking_in(table, run, measure, missing, options, asked, **more) if wanted is None else None
            return found or scores_in(table, wanted, run, asked)
        if one is JSON and wanted is None:
            data = documents.parse_json("".join(text.lines()), path)
            if isinstance(data, dict) and data and all(isinstance(value, (int, float)) for value in data.values()):
                return Ranking(data, name=str(path), **options)
            return documents.cells_of(data, path, run).piece()
        return one.read(text, name, run)


def _pieces(source: Any, wanted: str | None, max_bytes: int, asked: Asked = NOTHING) -> Iterator[Piece]:
    _format_asked(wanted)
    if isinstance(source, (str, Path)):
        path = Path(source)
        place, part = part_of(path)
        folder = folder_kind(place, wanted) if place.is_dir() else None
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
        yield scores_in(frames.Frame(source), wanted, None, asked)
    elif frames.is_array(source):
        yield frames.array_scores(source, wanted)
    elif isinstance(source, MeasureTable) or not isinstance(source, Iterable):
        raise CallError(f"Scores.read() reads files, frames, dicts and arrays, not {type(source).__name__}.")
    else:
        yield from _many(list(source), wanted, max_bytes, asked)


def _many(sources: list[Any], wanted: str | None, max_bytes: int, asked: Asked) -> Iterator[Piece]:
    if not sources:
        raise CallError("There is not one file to read.")
    if documents.is_records(sources):
        yield documents.read_dicts(sources, "the records", None, wanted).piece()
        return
    for place, source in enumerate(sources, 1):
        if is_frame(source):
            yield scores_in(frames.Frame(source, f"frame {place}"), wanted, None, asked)
        elif isinstance(source, (str, Path)):
            yield _file(Path(source), wanted, max_bytes, asked=asked)
        else:
            raise CallError(f"Item {place} of the list is of type {type(source).__name__}; give files or frames.")


def _mapping(sources: Mapping[Any, Any], wanted: str | None, max_bytes: int, asked: Asked) -> Iterator[Piece]:
    """{run: file}, {measure: file} for files that name the systems but not the measure, or dicts of dicts."""
    if not sources:
        raise CallError("The dict is empty.")
    if not any(_is_source(value) for value in sources.values()):
        yield documents.read_dicts(sources, "the dict", None, wanted).piece()
        return
    for key, value in sources.items():
        name = str(key)
        if isinstance(value, (str, Path)):
            piece = _file(Path(value), wanted, max_bytes, run=name, asked=asked)
        elif is_frame(value):
            piece = scores_in(frames.Frame(value, f"the frame of {name!r}"), wanted, name, asked)
        elif documents.is_records(value):
            piece = documents.read_dicts(list(value), f"the records of {name!r}", name, wanted).piece()
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
    run = run or run_name(path)
    if compression(path) == "parquet":
        frame, beside = _parquet(path, max_bytes)
        return _beside(scores_in(frame, wanted, run, asked), beside)
    with open_start(path, max_bytes=max_bytes) as text:
        one, name = recognised(text, wanted)
        if one is None:
            return scores_in(TextTable(text, numbered=name == "numbers"), wanted, run, asked)
        return one.read(text, name, run)


def _parquet(path: Path, max_bytes: int) -> tuple[Table, dict[str, Any]]:
    """A Parquet file as a table, and what Tauscope wrote beside it."""
    data, beside = frames.read_parquet(path, max_bytes)
    return frames.Frame(data, str(path)), beside


def _beside(piece: Piece, beside: dict[str, Any]) -> Piece:
    measure, collection = (
        found if isinstance(found := beside.get(name), str) else "" for name in ("measure", "collection")
    )
    measures = (measure,) if piece.measures == ("",) else piece.measures
    notes = (*_written_notes(beside), *piece.notes)
    return replace(piece, measures=measures, notes=notes, frame=None, collection=collection)


def _written_notes(beside: dict[str, Any]) -> Notes:
    """The notes that Tauscope wrote beside a table; what else a file has there is left out."""
    written = beside.get("notes")
    notes = map(Note.written, written if isinstance(written, list) else ())
    return tuple(note for note in notes if note is not None)


def detect_format(path: str | Path, *, max_bytes: int = MAX_BYTES) -> str:
    """What is this file?

    Parameters
    ----------
    path : str or Path
        The file, or a folder that a tool wrote.
    max_bytes : int
        A file that unpacks to more is refused.

    Returns
    -------
    str
        "wide", "matrix", "long", "measures", "table" (systems by measures), "ranking", "trec_eval", "ir_measures",
        "tot", "autojudge-ranking", "json", or the tool that wrote the file or the folder: "mteb", "mt-metrics",
        "lm-eval-results", "lm-eval-samples", "inspect", "helm-stats", "helm-instances", "alpaca-eval".

    Raises
    ------
    FileError
        Where the columns leave it open: the error that the readers would raise.
    """
    file = Path(path)
    place = part_of(file)[0]
    if place.is_dir() and (folder := folder_kind(place, None)):
        return str(folder.name)
    if compression(file) == "parquet":
        return _layout_of(_parquet(file, max_bytes)[0])
    with open_start(file, max_bytes=max_bytes) as text:
        one, name = recognised(text)
        if one is not None:
            return str(documents.tool_of(text)) if one is JSON else name
        return _layout_of(TextTable(text))


def _layout_of(table: Table) -> str:
    """The layout of a table, "table" for systems by measures, or "ranking" for a list."""
    if table.library is None and is_list(table):
        return "ranking"
    try:
        return layout(table).kind
    except FileError:
        try:
            table_layout(table)
        except FileError:
            pass
        else:
            return "table"
        raise


def kind_of(path: Path, *, max_bytes: int = MAX_BYTES) -> str:
    """Find out what a file holds from its first lines.

    A format that a tool writes, or a layout of `FORMATS`, holds scores. The names of columns tell battles, published
    scores and repeated runs; two columns are a list of systems with scores or with groups; lines of TREC are judgments
    or runs.

    Parameters
    ----------
    path : Path
        The file, or a folder, which holds runs if its first file does, and otherwise scores.
    max_bytes : int
        A file that unpacks to more is refused.

    Returns
    -------
    str
        "scores", "ranking", "battles", "published", "repeats", "judgments", "runs" or "groups".

    Raises
    ------
    FileError
        If the file cannot be opened, or its columns cannot be separated.
    """
    if path.is_dir():
        first = next((file for file in sorted(path.iterdir()) if file.is_file() and file.name[0] != "."), None)
        return "runs" if first is not None and kind_of(first, max_bytes=max_bytes) == "runs" else "scores"
    if compression(path) == "inspect":
        return "scores"
    if compression(path) == "parquet":
        return _kind_of_table(_parquet(path, max_bytes)[0])
    with open_start(path, max_bytes=max_bytes) as text:
        kind = _kind_of_lines(_first_line(text))
        if kind is not None or not path.is_file():  # a pipe can be read once
            return kind or "scores"
        if JSON.starts(text):
            return _kind_of_columns(documents.first_columns(text)) or "scores"
        return _kind_of_table(TextTable(text), tool=recognised(text)[0] is not None)


def _kind_of_lines(line: str) -> str | None:
    """Judgments are topic, 0, document and grade, runs topic, Q0, document, rank, score and tag."""
    cells = line.split()
    if "," in line or line.lstrip().startswith(("{", "[")) or len(cells) < 4:
        return None
    if len(cells) == 4 and is_float(cells[3]) and (cells[1] in ("0", "Q0") or not is_float(cells[2])):
        return "judgments"
    return "runs" if len(cells) >= 6 and cells[3].lstrip("-").isdecimal() and is_float(cells[4]) else None


def _kind_of_table(table: Table, *, tool: bool = False) -> str:
    kind = _kind_of_columns({name: table.cells(column) for column, name in enumerate(table.header)})
    if kind is not None or tool:
        return kind or "scores"
    if len(table.header) == 2 and not table.numeric[1] and not table.numeric[0]:
        return "groups"
    return "ranking" if table.library is None and is_list(table) else "scores"


#: Boards list a system twice now and then; a table in which less than this share of the names are different is none.
_ONCE = 0.9


def _kind_of_columns(columns: Mapping[str, Sequence[Any]]) -> str | None:
    """Return "battles", "repeats" or "published" where the names of columns tell it, else None.

    Battles have the two systems, and a verdict where the names of these columns could be systems themselves. Repeated
    runs have topics and runs. Published scores have a row per system, a score, and how precise it is.
    """
    lower = {name.strip().lower(): name for name in reversed(list(columns))}

    def known(names: Sequence[str]) -> str | None:
        return next((lower[name] for name in names if name in lower), None)

    pair = next((pair for pair in PAIRS if all(name in lower for name in pair)), None)
    if pair is not None:
        names_are_numbers = all(map(is_float, columns[lower[pair[0]]]))
        if pair not in DOUBTFUL_PAIRS or (known(VERDICTS["winner"]) and not names_are_numbers):
            return "battles"
    if known(REPEATS["run"]) and known(REPEATS["topic"]):
        return "repeats"
    system, score = known(PUBLISHED["system"]), known(PUBLISHED["score"])
    if system is None or score is None:
        return None
    precise = known((*PUBLISHED["error"], *PUBLISHED["interval"], *PUBLISHED["items"])) or interval_column(columns)
    once = len(set(map(str, columns[system]))) >= _ONCE * len(columns[system])
    return "published" if once and (precise or (known(PUBLISHED["low"]) and known(PUBLISHED["high"]))) else None


#: Endings that tell how a file is packed, and what it holds; a name has one of the first and any number of the others.
_PACKED = (".gz", ".zst", ".zstd", ".lz4")
_FORMATS = frozenset(
    (
        *(".csv", ".tsv", ".txt", ".json", ".jsonl", ".parquet", ".xlsx", ".ods"),
        *(".eval", ".out", ".run", ".trec", ".res", ".qrels"),
    )
)


def run_name(path: str | os.PathLike[str]) -> str:
    """Return the name of a file without the endings that tell its packing and its format.

    Parameters
    ----------
    path : str or path
        The file.

    Returns
    -------
    str

    Examples
    --------
    >>> run_name("runs/bm25.v1.run.txt.gz"), run_name("qrels.1-50.txt"), run_name(".run")
    ('bm25.v1', 'qrels.1-50', '.run')
    """
    name = Path(path).name
    name = next((name[: -len(end)] for end in _PACKED if name.lower().endswith(end) and name.lower() != end), name)
    while (suffix := Path(name).suffix).lower() in _FORMATS and suffix:
        name = name[: -len(suffix)]
    return name
