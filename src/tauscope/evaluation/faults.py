"""The words for what is wrong with a line of a run or of judgments."""

from __future__ import annotations

from ..files.whole import line_number
from ..reference.lines import COMMENT, ENDS, Fault, Layout, columns_of

#: What the columns of a line are called, by their number.
_COLUMNS = {
    6: ("a run", "has", "topic Q0 document rank score tag"),
    4: ("qrels", "have", "topic iteration document grade"),
}


def shown(text: bytes, longest: int = 60) -> str:
    """A text from a file as it stands in a message: quoted, control characters escaped, cut where it is long."""
    start = text[: 4 * longest].decode("utf-8", "replace")
    return repr(start if len(start) <= longest else f"{start[:longest]}…")


def fault_text(path: str, data: bytes, layout: Layout, fault: Fault, at: int) -> str:
    """What is wrong with the line that begins at byte `at`."""
    end = ENDS.search(data, at)
    line = data[at : len(data) if end is None else end.start()]
    columns = columns_of(line)
    what, has, names = _COLUMNS[layout.columns]
    place = f"{path}:{line_number(data, at)}:"
    if fault == Fault.COLUMNS:
        looks = next((f" It looks like {kind}." for n, (kind, _, _) in _COLUMNS.items() if n == len(columns)), "")
        found = f"{len(columns):,} column{'' if len(columns) == 1 else 's'}"
        return f"{place} {found} where {what} {has} {layout.columns}: {names}.{looks} The line is {shown(line)}."
    if fault == Fault.CONTROL:
        odd = next(column for column in columns if any(byte < 32 or byte == 127 for byte in column))
        return f"{place} there is a control character in {shown(odd)}. Columns are separated by spaces or tabs."
    if fault == Fault.SECOND:
        return f"{place} a second document follows on the same line. Every line has one. The line is {shown(line)}."
    if fault == Fault.VALUE:
        word = "grade" if layout.tag < 0 else "score"
        kind = "a whole number" if layout.whole else "a finite number"
        return f"{place} the {word} is {shown(columns[layout.value])}, not {kind}."
    if fault == Fault.TAG:
        first = next(row for line in ENDS.split(data) if (row := columns_of(line)) and not row[0].startswith(COMMENT))
        tags = f"{shown(columns[layout.tag])}, and {shown(first[layout.tag])} above"
        return f"{place} the tag is {tags}. One run is wanted: Runs.read() and evaluate() take several by their tags."
    return f"{place} {_duplicate_text(data, columns, layout, at)}"


def _duplicate_text(data: bytes, columns: list[bytes], layout: Layout, at: int) -> str:
    topic, document = columns[0], columns[layout.document]
    before = 0
    for number, line in enumerate(ENDS.split(data[:at]), 1):
        other = columns_of(line)
        if other and other[0] == topic and other[layout.document] == document:
            before = number
            break
    again = f"document {shown(document)} of topic {shown(topic)} is there twice, first at line {before}."
    if layout.tag < 0 and line_iteration(data, before) != columns[1]:
        return f"{again} Judgments of subtopics (diversity qrels) cannot be used."
    return again


def line_iteration(data: bytes, number: int) -> bytes:
    """The second column of a line."""
    return columns_of(ENDS.split(data, number)[number - 1])[1]
