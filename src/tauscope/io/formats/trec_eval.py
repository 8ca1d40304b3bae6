"""Output of `trec_eval -q` and of `ir_measures -q`: three columns, no header, one file per run, or several runs one
after the other, each of which ends with its name (`runid`) and its means."""

from __future__ import annotations

import math
from array import array
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from ...core.arrays import Floats
from ...data.names import FAMILIES, MeasureName
from ...errors import Advice
from ...results import Note
from ..numerals import is_number, number
from ..pieces import Cells, Piece
from ..streams import Text, Where

#: Lines of trec_eval whose third column is a text.
_RUN, _RELEVANCE = "runid", "relstring"
#: What trec_eval 10 leaves unsaid; elsewhere RBP has another persistence.
_UNSAID = {"rbp": "RBP(p=0.9)"}
#: trec_eval 10 writes comments.
COMMENT = "#"
#: The topic of the rows that summarise a run.
ALL = "all"


def recognise(head: Sequence[str]) -> str | None:
    """Recognise three columns with a measure that is known.

    Parameters
    ----------
    head : sequence of str
        The first lines of a file.

    Returns
    -------
    str or None
        "trec_eval" for measure, topic and value; "ir_measures" for topic, measure and value.

    Examples
    --------
    >>> recognise(["map all 0.3"]), recognise(["q1 AP 0.3"]), recognise(["a b c"])
    ('trec_eval', 'ir_measures', None)
    """
    rows = [line.split() for line in head if line.strip() and not line.startswith(COMMENT)]
    rows = [row for row in rows if not _is_text(row)]
    rows, lines = [row for row in rows if len(row) == 3 and is_number(row[2])], rows
    if not rows or rows[0] is not lines[0] or 2 * len(rows) <= len(lines):  # a damaged line is an error of the reader
        return None
    first = any(MeasureName.parse(row[0]).known for row in rows)
    second = any(MeasureName.parse(row[1]).known for row in rows)
    if first == second:
        return None
    return "trec_eval" if first else "ir_measures"


def _is_text(row: list[str]) -> bool:
    """Whether a row holds a text, which may be empty or have spaces: `runid all NAME`, `relstring_10 401 '0110'`."""
    return len(row) > 1 and (row[0].startswith(_RELEVANCE) or (row[0] == _RUN and row[1] == ALL))


@dataclass
class _Block:
    """What stands between two summaries: the rows of one run, and the name and the means after them."""

    topics: list[str] = field(default_factory=list)
    measures: list[str] = field(default_factory=list)
    values: array[float] = field(default_factory=lambda: array("d"))
    lines: array[int] = field(default_factory=lambda: array("q"))
    summaries: dict[str, tuple[str, int]] = field(default_factory=dict)
    run: str = ""

    @property
    def first(self) -> int:
        """The line of its first row."""
        return min([*self.lines[:1], *(line for _, line in self.summaries.values())])


def read(source: Text, kind: str, run: str) -> Piece:
    """Read the rows of one run or of several.

    Rows of the topic `all` are no scores. If they contradict the mean of the topics beyond rounding, a note says so.

    Parameters
    ----------
    source : Text
        The open file.
    kind : str
        "trec_eval" or "ir_measures".
    run : str
        What a run is called that is alone in its file.

    Returns
    -------
    Piece

    Raises
    ------
    FileError
        If there are only means, or runs one after the other do not name themselves.
    """
    path = source.path
    digits: dict[str, int] = {}
    unsaid: dict[str, Note] = {}
    blocks = _blocks(source, kind, digits, unsaid)
    filled = [block for block in blocks if block.topics]
    if not filled:
        raise Where(path).error(
            f"there are only rows for {ALL!r}: no topic has a score of its own.", Advice(f"Run {kind} with -q.")
        )
    names = _names(filled, run, path)
    notes = [Note("trec_eval_output", where=path.name, kind=kind, runs=len(filled))]
    if len(filled) == 1 and filled[0].run and filled[0].run != run:
        notes.append(Note("run_calls_itself", where=path.name, run=repr(filled[0].run)))
    notes += unsaid.values()
    for block in filled:
        notes += _contradictions(block.measures, np.frombuffer(block.values), block.summaries, digits, path)
    return Cells(
        source=str(path),
        systems=[name for name, block in zip(names, filled, strict=True) for _ in block.topics],
        topics=[topic for block in filled for topic in block.topics],
        measures=[measure for block in filled for measure in block.measures],
        values=np.concatenate([np.frombuffer(block.values) for block in filled]),
        lines=[line for block in filled for line in block.lines],
        notes=tuple(notes),
    ).piece()


def _names(blocks: list[_Block], run: str, path: Path) -> list[str]:
    """The file names a run that is alone in it; several name themselves, or there is no telling them apart."""
    if len(blocks) == 1:
        return [run]
    unnamed = next((block for block in blocks if not block.run), None)
    names = [block.run for block in blocks]
    twice = next((name for name in names if names.count(name) > 1), None)
    if unnamed is not None or twice is not None:
        line = (unnamed or [block for block in blocks if block.run == twice][-1]).first
        raise Where(path, line).error(
            f"{len(blocks)} runs one after the other, and the one that begins here "
            f"{'has no runid' if unnamed is not None else f'is called {twice!r} as another is'}.",
            Advice("Give one file per run."),
        )
    return names


def _blocks(source: Text, kind: str, digits: dict[str, int], unsaid: dict[str, Note]) -> list[_Block]:
    path = source.path
    measure_at = 0 if kind == "trec_eval" else 1
    blocks = [_Block()]
    for line, text in enumerate(source.lines(), 1):
        cells = text.split()
        if not cells or text.startswith(COMMENT):
            continue
        block = blocks[-1]
        if _is_text(cells):
            if cells[0] == _RUN:
                if block.run and block.summaries:
                    block = _Block()
                    blocks.append(block)
                block.run = " ".join(cells[2:])
            continue
        if len(cells) != 3:
            order = "measure, topic and value" if kind == "trec_eval" else "topic, measure and value"
            raise Where(path, line).error(f"{len(cells)} columns, where {order} should stand.")
        try:
            value = number(cells[2])
        except ValueError:
            raise Where(path, line).error(f"the value {cells[2]!r} is not a number.") from None
        measure = cells[measure_at]
        if kind == "trec_eval" and measure in _UNSAID:
            measure = _UNSAID[measure]
            unsaid.setdefault(measure, Note("old_name", where=path.name, name=cells[0], measure=measure))
        digits[measure] = max(digits.get(measure, 0), len(cells[2].partition(".")[2]))
        if cells[1 - measure_at] == ALL:
            block.summaries[measure] = (cells[2], line)
            continue
        if block.summaries and block.run:
            block = _Block()
            blocks.append(block)
        block.measures.append(measure)
        block.topics.append(cells[1 - measure_at])
        block.values.append(value)
        block.lines.append(line)
    return blocks


def read_means(source: Text, kind: str, run: str) -> Cells:
    """Read the rows of the topic `all` of one run or of several: systems by measures.

    Parameters
    ----------
    source : Text
        The open file.
    kind : str
        "trec_eval" or "ir_measures".
    run : str
        What a run is called that is alone in its file.

    Returns
    -------
    Cells

    Raises
    ------
    FileError
        If there are no such rows.
    """
    blocks = [block for block in _blocks(source, kind, {}, {}) if block.summaries]
    if not blocks:
        raise Where(source.path).error(
            f"there are no rows for {ALL!r}, the means over topics, in this output of {kind}."
        )
    rows = [
        (name, measure, text, line)
        for name, block in zip(_names(blocks, run, source.path), blocks, strict=True)
        for measure, (text, line) in block.summaries.items()
    ]
    return Cells(
        source=str(source.path),
        systems=[name for name, *_ in rows],
        topics=[""] * len(rows),
        measures=[measure for _, measure, *_ in rows],
        values=np.array([number(text) for *_, text, _ in rows]),
        lines=[line for *_, line in rows],
        notes=(Note("trec_eval_means", where=source.path.name, kind=kind),),
    )


def _contradictions(
    measures: list[str], values: Floats, summaries: dict[str, tuple[str, int]], digits: dict[str, int], path: Path
) -> list[Note]:
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
            where = f"{path.name}:{line}"
            found.append(Note("contradicted_summary", where=where, name=str(name), value=written, expected=shown))
    return found
