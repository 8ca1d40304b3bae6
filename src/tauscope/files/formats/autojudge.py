"""AutoJudge's `tot` files: run, measure, topic and value in each line, many runs in one file, and no header."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ...names import MeasureName
from ..cells import is_number, number
from ..pieces import Cells, Piece
from ..streams import Text, Where
from .base import Format
from .trec_eval import ALL


def recognise(head: Sequence[str]) -> str | None:
    """ "tot" where lines have four columns, the last a number, and measures that are known or rows for all topics."""
    rows = [line.split() for line in head if line.strip()]
    if any(len(row) != 4 or not is_number(row[3]) for row in rows):
        return None
    return "tot" if any(row[2] == ALL or MeasureName.parse(row[1]).known for row in rows) else None


def read(text: Text, name: str, run: str) -> Piece:
    """The scores of all runs; rows of the topic `all` summarise a run and are left out."""
    rows: list[tuple[str, str, str]] = []
    values, lines = [], []
    for line, row in enumerate(text.lines(), 1):
        cells = row.split()
        if not cells:
            continue
        if len(cells) != 4 or not is_number(cells[3]):
            raise Where(text.path, line).error("run, measure, topic and value should stand here, and nothing else.")
        if cells[2] == ALL:
            continue
        rows.append((cells[0], cells[1], cells[2]))
        values.append(number(cells[3]))
        lines.append(line)
    return Cells(
        source=str(text.path),
        systems=[row[0] for row in rows],
        measures=[row[1] for row in rows],
        topics=[row[2] for row in rows],
        values=np.array(values),
        lines=lines,
        notes=(f"{text.path.name}: AutoJudge's tot",),
    ).piece()


FORMAT = Format(names=("tot",), recognise=recognise, read=read)
