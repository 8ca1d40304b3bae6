"""Lines of columns in plain Python: how runs and judgments are parsed, ranked and matched.

This is the definition, and what runs where no compiler was found; cpp/parse.hpp and cpp/judged.hpp do the same.
Texts are kept as one piece of bytes with `starts`: number i is `text[starts[i]:starts[i + 1]]`.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable
from enum import IntEnum
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .arrays import Floats, Ints


class Fault(IntEnum):
    """What is wrong with the first bad line. The numbers are those of `Fault` in cpp/parse.hpp."""

    NONE = 0
    COLUMNS = 1
    VALUE = 2
    TAG = 3
    DUPLICATE = 4
    CONTROL = 5
    SECOND = 6


class Layout(NamedTuple):
    """Which columns a line has; `tag` is -1 where there is none; `whole`: values are integers of 32 bits; `rank`: this
    column is a whole number where text follows the columns (-1: none may follow)."""

    columns: int
    document: int
    value: int
    tag: int
    whole: bool
    rank: int


RUN = Layout(columns=6, document=2, value=4, tag=5, whole=False, rank=3)
QRELS = Layout(columns=4, document=2, value=3, tag=-1, whole=True, rank=-1)
#: Judgments whose grades are real numbers.
REAL_QRELS = QRELS._replace(whole=False)
#: A line that begins with it is a comment, as in trec_eval 10.
COMMENT = b"#"


class Table(NamedTuple):
    """Entries topic by topic, topics in order of first appearance, the order of the lines kept within a topic.

    Entries of topic t are `offsets[t]` to `offsets[t + 1]`. With a fault the rest is empty, and `fault_at` is the byte
    where the bad line begins.
    """

    topics: tuple[bytes, ...]
    offsets: Ints
    documents: bytes
    starts: Ints
    values: Floats
    tag: bytes
    fault: Fault = Fault.NONE
    fault_at: int = -1


class Judged(NamedTuple):
    """The judged documents among those of a run: topic (its number in the qrels), place (0 for the first), entry."""

    topic: NDArray[np.int32]
    place: NDArray[np.int32]
    entry: Ints


#: Where lines end, as in CSV; what separates columns; and what has no place in them: no file means it for a space.
ENDS = re.compile(rb"\r\n|\r|\n")
_COLUMN = re.compile(rb"[^ \t]+")
_CONTROL = re.compile(rb"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")

_REAL = re.compile(rb"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
_WHOLE = re.compile(rb"[+-]?[0-9]+")


def number(text: bytes, *, whole: bool) -> float | None:
    """Read the number that a column holds.

    Parameters
    ----------
    text : bytes
        The column.
    whole : bool
        Whether only integers of 32 bits are numbers here.

    Returns
    -------
    float or None
        None for anything else: text, infinities, and what a double cannot hold.

    Examples
    --------
    >>> number(b"1.5e3", whole=False), number(b"1.5", whole=True)
    (1500.0, None)
    """
    if not (_WHOLE if whole else _REAL).fullmatch(text):
        return None
    value = float(text) + 0.0 if whole else float(text)  # an integer has no negative zero
    return value if abs(value) <= (2**31 - 1 if whole else sys.float_info.max) else None


def faulty(fault: Fault, at: int) -> Table:
    """A table that only says what is wrong."""
    none = np.zeros(1, np.int64)
    return Table((), none, b"", none, np.empty(0), b"", fault, at)


def parse(data: bytes, layout: Layout) -> Table:
    """Parse the bytes of a run, or of judgments, to a table.

    Blank lines and comments are skipped; lines end with CR, LF or both, columns are separated by spaces and tabs.

    Parameters
    ----------
    data : bytes
        The whole file.
    layout : Layout
        Which columns a line has: `RUN`, `QRELS` or `REAL_QRELS`.

    Returns
    -------
    Table
        The entries topic by topic; or only the fault of the first bad line, and where that line begins.
    """
    topics: dict[bytes, list[tuple[bytes, float, int]]] = {}
    tag, at = b"", 0
    for line in ENDS.split(data):
        begin, at = at, at + len(line)
        at += 2 if data[at : at + 2] == b"\r\n" else 1
        columns = columns_of(line)
        if not columns or columns[0].startswith(COMMENT):
            continue
        if _CONTROL.search(line):
            return faulty(Fault.CONTROL, begin)
        if len(columns) != layout.columns and not _text_follows(columns, layout):
            return faulty(Fault.COLUMNS, begin)
        if _second_document(columns, layout):
            return faulty(Fault.SECOND, begin)
        value = number(columns[layout.value], whole=layout.whole)
        if value is None:
            return faulty(Fault.VALUE, begin)
        if layout.tag >= 0:
            tag = tag or columns[layout.tag]
            if columns[layout.tag] != tag:
                return faulty(Fault.TAG, begin)
        topics.setdefault(columns[0], []).append((columns[layout.document], value, begin))
    twice = [at for entries in topics.values() if (at := _first_duplicate(entries)) >= 0]
    if twice:
        return faulty(Fault.DUPLICATE, min(twice))
    offsets = np.cumsum([0, *map(len, topics.values())], dtype=np.int64)
    entries = [entry for group in topics.values() for entry in group]
    documents, starts = join(entry[0] for entry in entries)
    values = np.array([entry[1] for entry in entries], dtype=np.float64)
    return Table(tuple(topics), offsets, documents, starts, values, tag)


def join(texts: Iterable[bytes]) -> tuple[bytes, Ints]:
    """Texts as one piece of bytes, and where they start."""
    kept = list(texts)
    return b"".join(kept), np.cumsum([0, *map(len, kept)], dtype=np.int64)


def split(text: bytes, starts: Ints) -> list[bytes]:
    """The texts again."""
    return [text[begin:end] for begin, end in pairwise(starts.tolist())]


def order(documents: bytes, starts: Ints, scores: Floats, offsets: Ints, *, input_order: bool) -> Ints:
    """Order the entries of each topic from first to last.

    Parameters
    ----------
    documents, starts : bytes, array of int
        Names of the documents as one piece of bytes, and where each starts.
    scores : array of float
        Score of each entry.
    offsets : array of int
        Where the entries of each topic begin.
    input_order : bool
        Whether equal scores stay as they come; otherwise the document decides, descending by bytes, as in trec_eval.

    Returns
    -------
    array of int
        Numbers of the entries.
    """
    texts, numbers, result = split(documents, starts), scores.tolist(), []
    for begin, end in pairwise(offsets.tolist()):
        if input_order:
            result += sorted(range(begin, end), key=lambda i: -numbers[i])
        else:
            result += sorted(range(begin, end), key=lambda i: (numbers[i], texts[i]), reverse=True)
    return np.array(result, dtype=np.int64)


def index(documents: bytes, starts: Ints, offsets: Ints) -> list[dict[bytes, int]]:
    """A dictionary a topic: document to entry."""
    texts = split(documents, starts)
    return [{texts[entry]: entry for entry in range(begin, end)} for begin, end in pairwise(offsets.tolist())]


def judged(
    documents: bytes,
    starts: Ints,
    offsets: Ints,
    ranked: Ints,
    topic_of: Ints,
    depth: int,
    judgments: list[dict[bytes, int]],
) -> Judged:
    """Find the judged documents among the first of each topic of a run.

    Parameters
    ----------
    documents, starts : bytes, array of int
        Names of the run's documents, and where each starts.
    offsets, ranked : array of int
        Where the entries of each topic begin, and the entries from first to last.
    topic_of : array of int
        The number, in the judgments, of each topic of the run; -1 where they have none.
    depth : int
        How many documents of each topic are looked at.
    judgments : list of dict
        For each topic of the judgments: document -> entry.

    Returns
    -------
    Judged
        Topic, place and judgment of each, in the order of the run.
    """
    texts, found = split(documents, starts), []
    for topic, (begin, end) in zip(topic_of.tolist(), pairwise(offsets.tolist()), strict=True):
        if topic < 0:
            continue
        for place, entry in enumerate(ranked[begin : min(end, begin + depth)].tolist()):
            judgment = judgments[topic].get(texts[entry])
            if judgment is not None:
                found.append((topic, place, judgment))
    columns = np.array(found, dtype=np.int64).reshape(-1, 3)
    return Judged(columns[:, 0].astype(np.int32), columns[:, 1].astype(np.int32), columns[:, 2].copy())


def _text_follows(columns: list[bytes], layout: Layout) -> bool:
    """Text after the tag, and not a document with a space in it: then no number stands where the rank should."""
    more = len(columns) > layout.columns and layout.rank >= 0
    return more and number(columns[layout.rank], whole=True) is not None


def _second_document(columns: list[bytes], layout: Layout) -> bool:
    """Whether what follows the columns are the columns of one more document: two lines that became one."""
    more = columns[layout.columns : 2 * layout.columns]
    if layout.rank < 0 or len(more) < layout.columns:
        return False
    return number(more[layout.rank], whole=True) is not None and _REAL.fullmatch(more[layout.value]) is not None


def columns_of(line: bytes) -> list[bytes]:
    """The columns of a line."""
    return _COLUMN.findall(line)


def _first_duplicate(entries: list[tuple[bytes, float, int]]) -> int:
    """Where the line begins that has a document of this topic for the second time, or -1."""
    seen: set[bytes] = set()
    for document, _, begin in entries:
        if document in seen:
            return begin
        seen.add(document)
    return -1


_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", re.ASCII)


def row(text: str, delimiter: str, into: Floats) -> bool:
    """The cells of a line as numbers, where all of them are plain ones and there are as many as places. What a double
    cannot hold, 1e999 or 1e-999, is left to the caller."""
    found = [_NUMBER.fullmatch(cell) for cell in text.rstrip("\r\n").split(delimiter)]
    if len(found) != len(into) or not all(found):
        return False
    into[:] = [float(cell[0]) for cell in found if cell]
    lost = any(not value and cell and cell[1].strip("0.") for value, cell in zip(into.tolist(), found, strict=True))
    return not lost and bool(np.isfinite(into).all())
