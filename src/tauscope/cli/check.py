"""`tauscope check`: the linter of scores."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import numpy as np
from cyclopts import Parameter

from ..checks import check_pair, check_scores
from ..errors import FileError, TauscopeError
from ..files import read_cube, read_ranking, read_table
from ..ranking import Ranking
from ..scores import MeasureTable, Scores
from .output import one_format, show, show_csv, show_json


def check(
    files: Annotated[list[Path], Parameter(negative=())],
    /,
    *,
    json: Annotated[bool, Parameter(negative=())] = False,
    csv: Annotated[bool, Parameter(negative=())] = False,
) -> int:
    """What is odd about these scores, and what it would do to the coefficients.

    Rounding ties, constant and duplicate systems, missing topics, systems on one side only, scores outside the range of
    their measure. Exit code 1 when something serious was found.

    Parameters
    ----------
    files
        Score matrices or tables. Two files are also compared with each other.
    json
        Print JSON.
    csv
        Print CSV.
    """
    one_format(json, csv)
    read = {str(path): _read(path) for path in files}
    found = {name: check_scores(scores) for name, scores in read.items()}
    if len(read) == 2 and all(isinstance(scores, Scores) for scores in read.values()):
        (first, a), (second, b) = read.items()
        found[f"{first} and {second}"] = check_pair(a, b, names=(first, second))
    if json:
        show_json({name: findings.to_dict() for name, findings in found.items()})
    elif csv:
        show_csv(_table(found))
    else:
        for name, findings in found.items():
            lines = findings.lines()
            show(f"{name}: {lines[0].partition(': ')[2]}", *(f"  {line}" for line in lines[1:]))
    return 1 if any(findings.worst == "error" for findings in found.values()) else 0


def _read(path: Path) -> Any:
    """Scores, a cube, or a table of systems by measures (a list of systems and scores is one with one measure)."""
    try:
        cube = read_cube(path, missing="keep")
    except FileError as error:
        try:
            return read_table(path)
        except TauscopeError:
            ranking = _list(path)
            if ranking is None:
                raise error from None
            values = np.array(ranking.scores)[:, None]
            return MeasureTable(values, tuple(str(item) for item in ranking.labels), ("score",), str(path))
    return cube[cube.measures[0]] if len(cube.measures) == 1 else cube


def _list(path: Path) -> Ranking | None:
    try:
        return read_ranking(path)
    except TauscopeError:
        return None


def _table(found: dict[str, Any]) -> dict[str, list[Any]]:
    table: dict[str, list[Any]] = {}
    for name, findings in found.items():
        for key, values in ({"file": [name] * len(findings)} | findings.columns()).items():
            table.setdefault(key, []).extend(values)
    return table
