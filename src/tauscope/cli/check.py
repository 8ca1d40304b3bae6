"""`tauscope check`: the linter of scores."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

from cyclopts import Parameter

from ..checks import check_pair, check_scores
from ..files import read_cube
from ..scores import ScoreCube
from .output import show, show_csv, show_json


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
    cubes = {str(path): read_cube(path, missing="keep") for path in files}
    found = {name: check_scores(_single(cube)) for name, cube in cubes.items()}
    if len(cubes) == 2:
        (first, a), (second, b) = cubes.items()
        if len(a.measures) == len(b.measures) == 1:
            one, two = _single(a), _single(b)
            found[f"{first} and {second}"] = check_pair(one, two, names=(first, second))
    if json:
        show_json({name: findings.to_dict() for name, findings in found.items()})
    elif csv:
        show_csv(_table(found))
    else:
        for name, findings in found.items():
            lines = findings.lines()
            show(f"{name}: {lines[0].partition(': ')[2]}", *(f"  {line}" for line in lines[1:]))
    return 1 if any(findings.worst == "error" for findings in found.values()) else 0


def _single(cube: ScoreCube) -> Any:
    return cube[cube.measures[0]] if len(cube.measures) == 1 else cube


def _table(found: dict[str, Any]) -> dict[str, list[Any]]:
    table: dict[str, list[Any]] = {}
    for name, findings in found.items():
        for key, values in ({"file": [name] * len(findings)} | findings.columns()).items():
            table.setdefault(key, []).extend(values)
    return table
