"""AutoJudge's files of many runs, without a header: `tot`, `ir_measures` and `ranking` have other orders of columns.

Its `trec_eval` is trec_eval's, and its `jsonl` is read with all other JSON.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ...data.names import MeasureName
from ..numerals import is_number, number
from ..pieces import Cells, Piece
from ..streams import Text, Where
from .trec_eval import ALL, COMMENT


class Order(NamedTuple):
    """The order of columns in one format.

    Attributes
    ----------
    columns : tuple of str
        What stands in each.
    run, measure, topic, value : int
        Where these stand.
    written : tuple
        Texts that AutoJudge writes into every line, by column.
    """

    columns: tuple[str, ...]
    run: int
    measure: int
    topic: int
    value: int
    written: tuple[tuple[int, str], ...] = ()

    def fits(self, row: Sequence[str]) -> bool:
        """Whether a line has these columns and a number where the value stands."""
        return len(row) == len(self.columns) and is_number(row[self.value])

    def shown_by(self, rows: Sequence[Sequence[str]]) -> bool:
        """Whether lines say that this is the order: some line has a measure that is known, or is one for all topics."""
        if not all(self.fits(row) and all(row[at] == text for at, text in self.written) for row in rows):
            return False
        return any(row[self.topic] == ALL or MeasureName.parse(row[self.measure]).known for row in rows)


#: The orders by the names of the formats.
ORDERS = {
    "tot": Order(("run", "measure", "topic", "value"), run=0, measure=1, topic=2, value=3),
    "ir_measures": Order(("run", "topic", "measure", "value"), run=0, topic=1, measure=2, value=3),
    # A run of documents looks like it, but has other ranks than 0.
    "autojudge-ranking": Order(
        ("topic", "Q0", "run", "rank", "value", "measure"),
        run=2,
        measure=5,
        topic=0,
        value=4,
        written=((1, "Q0"), (3, "0")),
    ),
}


def recognise(head: Sequence[str]) -> str | None:
    """Return the one order that the first lines show; None if they show none or two."""
    rows = [line.split() for line in head if line.strip() and not line.startswith(COMMENT)]
    found = [name for name, order in ORDERS.items() if order.shown_by(rows)]
    return found[0] if len(found) == 1 else None


def read(text: Text, name: str, run: str) -> Piece:
    """Read the scores of all runs; rows of the topic `all` summarise a run and are left out."""
    order = ORDERS[name]
    rows: list[list[str]] = []
    lines: list[int] = []
    for line, row in enumerate(text.lines(), 1):
        cells = row.split()
        if not cells or row.startswith(COMMENT):
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
