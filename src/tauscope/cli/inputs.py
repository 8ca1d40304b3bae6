"""From paths and options for reading to scores, rankings and tables: the one place where commands read files."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from ..errors import Advice, CallError, FileError, Option, TauscopeError
from ..files import detect_format, read_chances, read_cube, read_groups, read_ranking, read_scores, read_table, run_name
from ..ranking import Ranking
from ..scores import MeasureTable, ScoreCube, Scores
from ..scores.matrix import UNNAMED
from .options import Reading, Tables

#: The layout of a file among several that is to be found out, as it is without --format.
AUTO = "auto"


def scores(files: Sequence[Path], reading: Reading) -> Scores:
    """Scores by one measure from a file, a folder, or the output of an evaluation tool, one file per run."""
    return _scores(files, reading, reading.measure, _layouts(reading.format, 1)[0])


def two_scores(
    estimate: Path, truth: Path, reading: Reading, truth_measure: str | None = None
) -> tuple[Scores, Scores]:
    """The scores of the estimate and those of the truth; --format A,B gives each file its own layout."""
    layouts = _layouts(reading.format, 2)
    with _layout_of(0, layouts):
        one = _scores([estimate], reading, reading.measure, layouts[0])
    with _layout_of(1, layouts):
        return one, _scores([truth], reading, truth_measure or reading.measure, layouts[1])


def judges(
    texts: Sequence[str], truth: Path, reading: Reading, truth_measure: str | None = None
) -> tuple[dict[str, Scores], Scores]:
    """The scores of several judges, each as NAME=FILE, and those of the truth."""
    gold = _scores([truth], reading, truth_measure or reading.measure, _layouts(reading.format, 1)[0])
    return named(texts, "--judges", reading), gold


def named(texts: Sequence[str], option: str, reading: Reading) -> dict[str, Scores]:
    """Scores of several, each as NAME=FILE."""
    files = pairs(texts, option, what="NAME=FILE", like="gpt=gpt.csv")
    return {name: scores([Path(path)], reading) for name, path in files.items()}


def pairs(
    texts: Sequence[str] | None, option: str, *, what: str = "NAME=FAMILY", like: str = "gpt=openai"
) -> dict[str, str]:
    """What is said of each name, as NAME=TEXT."""
    found: dict[str, str] = {}
    for text in texts or ():
        name, equals, value = text.partition("=")
        if not equals or not name or not value:
            raise CallError(f"{option} {text}: write {what}, such as {like}.")
        if name in found:
            raise CallError(f"{option}: {name!r} is there twice.")
        found[name] = value
    return found


def chances(path: Path | None) -> dict[str, float] | None:
    """Topic -> chance, where a list was given."""
    return None if path is None else read_chances(path)


def groups(path: Path | None) -> dict[str, str] | None:
    """System -> group, or topic -> group, where a file of groups was given."""
    return None if path is None else read_groups(path)


def ranking(file: Path, reading: Reading) -> Ranking:
    """The ranking in a list of systems and scores, or by the means of scores on topics."""
    return _ranking(file, reading, _layouts(reading.format, 1)[0])


def two_rankings(first: Path, second: Path, reading: Reading) -> tuple[Ranking, Ranking]:
    """The rankings in two files; --format A,B gives each file its own layout."""
    layouts = _layouts(reading.format, 2)
    with _layout_of(0, layouts):
        one = _ranking(first, reading, layouts[0])
    with _layout_of(1, layouts):
        return one, _ranking(second, reading, layouts[1])


def cube(files: Sequence[str], missing: str, format: str | None) -> ScoreCube:
    """Scores by several measures; NAME=FILE names the measure of a matrix."""
    named = {
        name: path
        for name, equals, path in (text.partition("=") for text in files)
        if equals and not Path(f"{name}={path}").exists()
    }
    if named and len(named) < len(files):
        raise CallError("Name the measure of every file, AP=ap.csv P@10=p10.csv, or of none.")
    source: Any = {name: Path(path) for name, path in named.items()} if named else [Path(text) for text in files]
    try:
        return read_cube(source[0] if not named and len(files) == 1 else source, missing=missing, format=format)
    except TauscopeError as error:
        if named or "measure" not in str(error):
            raise
        raise CallError(error.problem, *error.ways_out, Advice(f"Or name them here: AP={files[0]}.")) from None


def collections(files: Sequence[Path], tables: Tables) -> dict[str, Any]:
    """One collection per file, by the file's name; an evaluation tool's output, one file per run, is one together."""
    found: dict[str, Any] = {}
    for path in files:
        found[str(path) if path.stem in found else path.stem] = scores_or_table(path, tables)
    if len(files) > 1 and all(len(set(one.systems)) == 1 for one in found.values()):
        return {f"{len(files)} files": read_cube(list(files), missing=tables.missing, format=tables.format)}
    return found


def scores_or_table(path: Path, tables: Tables) -> Any:
    """A table of systems by measures, scores by several measures, or scores by one."""
    with _at(path):
        if not path.is_dir() and tables.format is None and detect_format(path) == "table":
            return read_table(path, collection=path.stem, missing=tables.missing)
        return one_or_more(read_cube(path, collection=path.stem, missing=tables.missing, format=tables.format))


def scores_or_list(source: Path | list[Path], *, missing: str, measure: str | None, format: str | None) -> Any:
    """Scores of all measures, or a ranking where the file has no topics."""
    try:
        found = read_cube(source, missing=missing, format=format)
    except FileError as error:
        if isinstance(source, list):
            raise
        try:
            return read_ranking(source, measure=measure)
        except TauscopeError:
            raise error from None
    unnamed = found.measures in ((UNNAMED,), ("",))
    return replace(found, measures=(measure,), missing="keep") if measure and unnamed else found


def two_scores_or_lists(
    source: Path | list[Path], truth: Path, *, missing: str, measure: str | None, format: str | None
) -> tuple[Any, Any]:
    """The same of an estimate and its truth; --format A,B gives each its own layout."""
    layouts = _layouts(format, 2)
    with _layout_of(0, layouts):
        one = scores_or_list(source, missing=missing, measure=measure, format=layouts[0])
    with _layout_of(1, layouts):
        return one, scores_or_list(truth, missing=missing, measure=measure, format=layouts[1])


def anything(files: Sequence[Path], format: str | None) -> dict[str, Any]:
    """Whatever each file holds, holes included; output of an evaluation tool, one file per run, is read together."""
    found = {str(path): _anything(path, format) for path in files}
    if len(found) > 1 and all(len(getattr(one, "systems", ())) == 1 for one in found.values()):
        return {f"{len(files)} files": one_or_more(read_cube(list(files), missing="keep", format=format))}
    return found


def one_or_more(found: ScoreCube) -> Scores | ScoreCube:
    """A cube, or its scores where it has one measure."""
    return found[found.measures[0]] if len(found.measures) == 1 else found


def runs(paths: Sequence[Path]) -> Any:
    """A folder of runs alone, or files."""
    if len(paths) == 1:
        return paths[0]
    folders = [path for path in paths if path.is_dir()]
    if folders:
        raise CallError(f"{folders[0]} is a folder: give one folder, or files.")
    return list(paths)


def names_of_qrels(paths: Sequence[Path]) -> list[str]:
    """Names that tell the qrels apart; where they are alike, the folder goes before."""
    names = [run_name(path) for path in paths]
    if len(set(names)) < len(names):
        names = [f"{path.resolve().parent.name}-{name}" for path, name in zip(paths, names, strict=True)]
    if len(set(names)) < len(names):
        raise CallError("Two of the qrels have the same name and folder; the output could not tell them apart.")
    return names


def names_of_sides(first: Path, second: Path) -> tuple[str, str]:
    """The names of two files without their endings, or their paths where these are alike."""
    names = (run_name(first), run_name(second))
    return names if names[0] != names[1] else (str(first), str(second))


def _scores(files: Sequence[Path], reading: Reading, measure: str | None, layout: str | None) -> Scores:
    source: Any = files[0] if len(files) == 1 else list(files)
    with _at(files[0] if len(files) == 1 else None):
        return read_scores(source, measure=measure, missing=reading.missing, format=layout)


def _ranking(file: Path, reading: Reading, layout: str | None) -> Ranking:
    with _at(file):
        return read_ranking(file, measure=reading.measure, missing=reading.missing, format=layout)


def _anything(path: Path, format: str | None) -> Any:
    """Scores, a cube, or a table of systems by measures (a list of systems and scores is one with one measure)."""
    try:
        return one_or_more(read_cube(path, missing="keep", format=format))
    except FileError as error:
        try:
            return read_table(path)
        except TauscopeError:
            return _table_of_list(path, error)


def _table_of_list(path: Path, error: TauscopeError) -> MeasureTable:
    import numpy as np

    try:
        found = read_ranking(path)
    except TauscopeError:
        raise error from None
    values = np.array(found.scores)[:, None]
    return MeasureTable(values, tuple(str(item) for item in found.labels), ("score",), str(path))


def _layouts(format: str | None, files: int) -> list[str | None]:
    """The layout of each file: one for all of them, or as many as there are files, AUTO being none."""
    parts: list[str | None] = [None] if format is None else [part.strip() for part in format.split(",")]
    if len(parts) not in (1, files):
        raise CallError(f"--format {format}: give one layout, or one for each of the {files} files.")
    layouts = [None if part == AUTO else part for part in parts]
    return layouts * files if len(layouts) == 1 else layouts


@contextmanager
def _at(path: Path | None) -> Iterator[None]:
    """Errors inside name the file."""
    try:
        yield
    except TauscopeError as error:
        raise error.at(str(path)) if path is not None else error from None


@contextmanager
def _layout_of(place: int, layouts: Sequence[str | None]) -> Iterator[None]:
    """A layout that an error advises is that of one file: the others keep theirs."""

    def here(way: Any) -> Any:
        if not isinstance(way, Option) or way.name != "format":
            return way
        values = [
            ",".join(str(value) if at == place else layout or AUTO for at, layout in enumerate(layouts))
            for value in way.values
        ]
        return Option(way.name, *values, effect=way.effect)

    try:
        yield
    except TauscopeError as error:
        raise type(error)(error.problem, *map(here, error.ways_out)) from None
