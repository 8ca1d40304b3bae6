"""What the commands on measures share: collections from files, options, documents."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Literal

from cyclopts import Parameter

from ..errors import TauscopeError
from ..files import detect_format, read_cube, read_table
from ..results import Result
from .output import one_format, show_csv, show_json

Files = Annotated[list[Path], Parameter(negative=())]
Many = Annotated[list[str] | None, Parameter(consume_multiple=True, negative=())]
ManyFiles = Annotated[list[Path] | None, Parameter(consume_multiple=True, negative=())]
Numbers = Annotated[list[int] | None, Parameter(consume_multiple=True, negative=())]
Missing = Annotated[
    Literal["error", "zero", "drop-systems", "drop-measures", "drop-topics"],
    Parameter(help="What a missing cell means: an error that names it, 0, or leave out its row or column."),
]
By = Annotated[
    Literal["topic", "system"] | None, Parameter(help="A row a topic and system, or a row a system (means).")
]


def collections_from(files: list[Path], missing: str) -> dict[str, Any]:
    """A collection a file, by the file's name; output of an evaluation tool, one file a run, is one collection."""
    found: dict[str, Any] = {}
    for path in files:
        found[str(path) if path.stem in found else path.stem] = scores_or_table(path, missing)
    if len(files) > 1 and all(len(set(one.systems)) == 1 for one in found.values()):
        return {f"{len(files)} files": read_cube(list(files), missing=missing)}
    return found


def scores_or_table(path: Path, missing: str) -> Any:
    """A table of systems by measures, scores by several measures, or scores by one."""
    try:
        if not path.is_dir() and detect_format(path) == "table":
            return read_table(path, collection=path.stem, missing=missing)
        cube = read_cube(path, collection=path.stem, missing=missing)
        return cube if len(cube.measures) > 1 else cube[cube.measures[0]]
    except TauscopeError as error:
        raise error.at(str(path)) from None


def documents(result: Result, json: bool, csv: bool, more: dict[str, Any] | None = None) -> bool:
    """Prints JSON or CSV if asked, and says whether it did."""
    one_format(json, csv)
    if json:
        show_json(result.to_dict() | (more or {}))
    elif csv:
        show_csv(result.columns())
    return json or csv
