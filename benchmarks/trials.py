"""Counts the trials of a long table, and keeps what was counted: a run that was cut short goes on where it ended.

A cell of a table is a tuple of names and numbers, a trial of it is a row of figures that hangs on the cell and the
number of the trial alone. With `--record FILE` each part of a cell is written down as a line of JSON when it is done.
The next run with the same record counts what is missing, for more trials as well; where the first trial of a cell
comes out differently, the record is of other code or other data, and is refused.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
from workers import add_options, in_order

#: So many trials are counted at a time.
PART = 50
#: Figures that differ by less are the same: other machines round otherwise.
ROUNDING = 1e-6

Cell = tuple[Any, ...]
Rows = list[list[float]]
#: Counts these trials of a cell, a row of figures each.
Count = Callable[[Cell, range], Rows]


def add_trial_options(parser: argparse.ArgumentParser) -> None:
    """--trials, --record and who works on it."""
    parser.add_argument("--trials", type=int, default=1000)
    parser.add_argument("--record", type=Path, help="keep what was counted here, and go on where it ends")
    add_options(parser)


def count_trials(
    count: Count, cells: Sequence[Cell], options: argparse.Namespace, executor: Executor | None = None
) -> Iterator[tuple[Cell, np.ndarray]]:
    """(cell, its trials x figures), in the order of the cells."""
    known = _read(options.record, cells) if options.record else {}
    firsts = [(cell, range(1)) for cell in cells if 0 in known.get(cell, {})]
    for (cell, _), (again,) in in_order(partial(_counted, count), firsts, options, executor):
        if not np.allclose(again, known[cell][0], rtol=0, atol=ROUNDING, equal_nan=True):
            raise SystemExit(
                f"{options.record} was counted with other code or other data: the first trial of {cell} was "
                f"{known[cell][0]} and is {again} now. Give another --record."
            )
    parts = {cell: list(_missing(known.get(cell, {}), options.trials)) for cell in cells}
    tasks = [(cell, part) for cell in cells for part in parts[cell]]
    found = in_order(partial(_counted, count), tasks, options, executor)
    for cell in cells:
        rows = known.setdefault(cell, {})
        for (_, part), counted in islice(found, len(parts[cell])):
            rows.update(zip(part, counted, strict=True))
            if options.record:
                _write(options.record, cell, part, counted)
        yield cell, np.array([rows[trial] for trial in range(options.trials)], float)


def _counted(count: Count, task: tuple[Cell, range]) -> Rows:
    return count(*task)


def _missing(known: dict[int, list[float]], trials: int) -> Iterator[range]:
    """Parts of the trials that are not known."""
    for start in range(0, trials, PART):
        left = [trial for trial in range(start, min(start + PART, trials)) if trial not in known]
        if left:
            yield range(left[0], left[-1] + 1)


def _read(path: Path, cells: Sequence[Cell]) -> dict[Cell, dict[int, list[float]]]:
    """What was counted before; a last line that was cut short is left out."""
    known: dict[Cell, dict[int, list[float]]] = {}
    named = {json.dumps(cell): cell for cell in cells}
    text = path.read_text(encoding="utf-8") if path.exists() else ""
    if text and not text.endswith("\n"):
        path.write_text(text[: text.rfind("\n") + 1], encoding="utf-8")
    for line in text.splitlines():
        try:
            part = json.loads(line)
        except ValueError:
            continue
        cell = named.get(json.dumps(part["cell"]))
        if cell is not None:
            known.setdefault(cell, {}).update(enumerate(part["rows"], part["first"]))
    return known


def _write(path: Path, cell: Cell, part: range, rows: Rows) -> None:
    with path.open("a", encoding="utf-8") as file:
        print(json.dumps({"cell": cell, "first": part.start, "rows": rows}), file=file)
