"""`tauscope check`: the linter of scores."""

from __future__ import annotations

from typing import Any

from ..checks import check_pair, check_scores
from ..scores import Scores
from . import inputs
from .options import Columns, Documents, Files, Format
from .output import show


def check(files: Files, /, *, format: Format = None, columns: Columns = None, output: Documents = Documents()) -> int:
    """What is odd about these scores, and what would it do to the coefficients?

    Columns that are no scores, marks such as -1, rounding ties, constant and duplicate systems, missing topics, systems
    on one side only, scores outside the range of their measure. Exit code 1 when something serious was found.

    Example: `tauscope check judge.csv human.csv`

    Parameters
    ----------
    files
        Score matrices or tables, a folder, or the output of an evaluation tool, one file per run. Two matrices are also
        compared with each other.
    """
    read = inputs.anything(files, format, columns)
    found = {name: check_scores(scores) for name, scores in read.items()}
    if len(read) == 2 and all(isinstance(scores, Scores) for scores in read.values()):
        (first, a), (second, b) = read.items()
        found[f"{first} and {second}"] = check_pair(a, b, names=(first, second))
    if not output.print_both(
        lambda: {name: findings.to_dict() for name, findings in found.items()}, lambda: _table(found)
    ):
        for name, findings in found.items():
            lines = findings.lines()
            show(f"{name}: {lines[0].partition(': ')[2]}", *(f"  {line}" for line in lines[1:]))
    return 1 if any(findings.worst == "error" for findings in found.values()) else 0


def _table(found: dict[str, Any]) -> dict[str, list[Any]]:
    table: dict[str, list[Any]] = {}
    for name, findings in found.items():
        for key, values in ({"file": [name] * len(findings)} | findings.columns()).items():
            table.setdefault(key, []).extend(values)
    return table
