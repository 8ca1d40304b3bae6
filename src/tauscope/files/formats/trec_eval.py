"""Output of `trec_eval -q` and of `ir_measures -q`: three columns, no header, one file per run."""

from __future__ import annotations

import math
from array import array
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from ...arrays import Floats
from ...errors import Advice
from ...names import FAMILIES, MeasureName
from ..cells import number
from ..pieces import Cells, Piece
from ..streams import Text, Where
from .base import Format

#: Lines of trec_eval whose third column is a text.
_TEXTS = ("runid", "relstring")
#: What trec_eval 10 leaves unsaid; elsewhere RBP has another persistence.
_UNSAID = {"rbp": "RBP(p=0.9)"}
#: The topic of the rows that summarise a run.
ALL = "all"


def recognise(head: Sequence[str]) -> str | None:
    """ "trec_eval" (measure, topic, value) or "ir_measures" (topic, measure, value), or None for anything else."""
    rows = [line.split() for line in head if line.strip()]
    if not rows or any(len(row) != 3 for row in rows):
        return None
    rows = [row for row in rows if not row[0].startswith(_TEXTS)]
    try:
        for row in rows:
            number(row[2])
    except ValueError:
        return None
    first = any(MeasureName.parse(row[0]).known for row in rows)
    second = any(MeasureName.parse(row[1]).known for row in rows)
    if first == second:
        return None
    return "trec_eval" if first else "ir_measures"


def read(source: Text, kind: str, run: str) -> Piece:
    """The rows of one run; rows of the topic `all` are not scores, but they must fit the means."""
    path = source.path
    measure_at = 0 if kind == "trec_eval" else 1
    topics: list[str] = []
    measures: list[str] = []
    values, lines = array("d"), array("q")
    summaries: dict[str, tuple[str, int]] = {}
    digits: dict[str, int] = {}
    unsaid: dict[str, str] = {}
    notes = [f"{path.name}: output of {kind} -q"]
    for line, text in enumerate(source.lines(), 1):
        cells = text.split()
        if not cells:
            continue
        if len(cells) != 3:
            order = "measure, topic and value" if kind == "trec_eval" else "topic, measure and value"
            raise Where(path, line).error(f"{len(cells)} columns, where {order} should stand.")
        if cells[0].startswith(_TEXTS):
            if cells[0] == "runid" and cells[2] != run:
                notes.append(f"{path.name}: the run calls itself {cells[2]!r}")
            continue
        try:
            value = number(cells[2])
        except ValueError:
            raise Where(path, line).error(f"the value {cells[2]!r} is not a number.") from None
        measure = cells[measure_at]
        if kind == "trec_eval" and measure in _UNSAID:
            measure = _UNSAID[measure]
            unsaid.setdefault(measure, f"{path.name}: {cells[0]} is {measure}, as trec_eval 10 has it")
        digits[measure] = max(digits.get(measure, 0), len(cells[2].partition(".")[2]))
        if cells[1 - measure_at] == ALL:
            summaries[measure] = (cells[2], line)
            continue
        measures.append(measure)
        topics.append(cells[1 - measure_at])
        values.append(value)
        lines.append(line)
    if not values:
        raise Where(path).error(
            f"there are only rows for {ALL!r}: no topic has a score of its own.", Advice(f"Run {kind} with -q.")
        )
    scores = np.frombuffer(values)
    notes += unsaid.values()
    notes += _contradictions(measures, scores, summaries, digits, path)
    found = Cells(
        source=str(path),
        systems=[run] * len(topics),
        topics=topics,
        measures=measures,
        values=scores,
        lines=lines,
        notes=tuple(notes),
    )
    return found.piece()


FORMAT = Format(names=("trec_eval", "ir_measures"), recognise=recognise, read=read)


def _contradictions(
    measures: list[str], values: Floats, summaries: dict[str, tuple[str, int]], digits: dict[str, int], path: Path
) -> list[str]:
    """Where the row `all` is not the mean (of counts: the sum) of the rows above it, beyond what rounding explains."""
    found = []
    names = np.array(measures, dtype=object)
    for measure, (written, line) in summaries.items():
        own = values[names == measure]
        name = MeasureName.parse(measure)
        if not own.size or name.family == "GMAP" or np.isnan(own).any():
            continue
        counts = name.known and math.isinf(FAMILIES[name.family].highest)
        expected = float(own.sum() if counts and name.family != "DCG" else own.mean())
        # Half a unit of the last decimal for the summary, half for the rounded rows; counts are exact.
        slack = max(1.0001 * 10.0 ** -digits[measure], 1e-9) if digits[measure] else 0.5
        if abs(float(written) - expected) > slack:
            shown = f"{expected:.{min(digits[measure], 9)}f}"
            found.append(f"{path.name}:{line}: {name} of {ALL!r} is {written}, but the topics give {shown}")
    return found
