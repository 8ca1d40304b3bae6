"""AutoJudge's files of many runs, without a header: `tot`, `ir_measures` and `ranking` have other orders of columns.

Its `trec_eval` is trec_eval's, and its `jsonl` is read with all other JSON.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ...names import MeasureName
from ..cells import is_number, number
from ..pieces import Cells, Piece
from ..streams import Text, Where
from .base import Format
from .trec_eval import ALL


class Order(NamedTuple):
    """Where the columns stand; `fixed` is one that always holds the same text."""

    columns: tuple[str, ...]
    run: int
    measure: int
    topic: int
    value: int
    fixed: tuple[int, str] | None = None

    def fits(self, row: Sequence[str]) -> bool:
        """Whether a line has these columns and a number where the value stands."""
        right = len(row) == len(self.columns) and is_number(row[self.value])
        return right and (self.fixed is None or row[self.fixed[0]] == self.fixed[1])

    def shows(self, row: Sequence[str]) -> bool:
        """Whether a line that fits says that this is the order: a measure that is known, or a row for all topics."""
        return row[self.topic] == ALL or MeasureName.parse(row[self.measure]).known


#: The orders by the names of the formats.
ORDERS = {
    "tot": Order(("run", "measure", "topic", "value"), run=0, measure=1, topic=2, value=3),
    "ir_measures": Order(("run", "topic", "measure", "value"), run=0, topic=1, measure=2, value=3),
    "autojudge-ranking": Order(
        ("topic", "Q0", "run", "rank", "value", "measure"), topic=0, run=2, value=4, measure=5, fixed=(1, "Q0")
    ),
}


def recognise(head: Sequence[str]) -> str | None:
    """The one order that all lines fit and that some line shows; None where there are none or two."""
    rows = [line.split() for line in head if line.strip()]
    found = [
        name
        for name, order in ORDERS.items()
        if all(order.fits(row) for row in rows) and any(order.shows(row) for row in rows)
    ]
    return found[0] if len(found) == 1 else None


def takes(head: Sequence[str], name: str) -> bool:
    """Whether the first line has the columns of this order: ir_measures itself writes three, AutoJudge four."""
    first = next((line.split() for line in head if line.strip()), [])
    return name != "ir_measures" or len(first) == len(ORDERS[name].columns)


def read(text: Text, name: str, run: str) -> Piece:
    """The scores of all runs; rows of the topic `all` summarise a run and are left out."""
    order = ORDERS[name]
    rows: list[list[str]] = []
    lines: list[int] = []
    for line, row in enumerate(text.lines(), 1):
        cells = row.split()
        if not cells:
            continue
        if not order.fits(cells):
            wanted = f"{', '.join(order.columns[:-1])} and {order.columns[-1]}"
            raise Where(text.path, line).error(f"{wanted} should stand here, and nothing else.")
        if cells[order.topic] != ALL:
            rows.append(cells)
            lines.append(line)
    return Cells(
        source=str(text.path),
        systems=[row[order.run] for row in rows],
        measures=[row[order.measure] for row in rows],
        topics=[row[order.topic] for row in rows],
        values=np.array([number(row[order.value]) for row in rows]),
        lines=lines,
        notes=(f"{text.path.name}: AutoJudge's {name.removeprefix('autojudge-')}",),
    ).piece()


FORMAT = Format(names=tuple(ORDERS), recognise=recognise, read=read, takes=takes)
