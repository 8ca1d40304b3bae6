"""Lists of documents by topic: the base of `Run` and `Qrels`, how both are read, and errors in their files.

Documents of all topics are one text in UTF-8 with the places at which ids begin, because ten million Python strings
would not fit into memory. Files are parsed by a kernel; only a faulty line is looked at again here, to say what is
wrong.
"""

from __future__ import annotations

import math
import numbers
import os
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ..core.arrays import Floats, Ints, is_frame
from ..core.kernels import parse_lines
from ..core.lines import COMMENT, ENDS, QRELS, REAL_QRELS, Fault, Layout, Table, columns_of, join, split
from ..errors import CallError, FileError, TauscopeError
from ..io.documents import parse_json
from ..io.frames import read_parquet
from ..io.streams import MAX_BYTES, compression, line_number, read_whole, write_whole
from ..results import Notes

#: What the columns of a line are called, by their number.
_COLUMNS = {
    6: ("a run", "has", "topic Q0 document rank score tag"),
    4: ("qrels", "have", "topic iteration document grade"),
}


def shown(text: bytes, longest: int = 60) -> str:
    """Return a text from a file for a message: quoted, control characters escaped, cut where it is long."""
    start = text[: 4 * longest].decode("utf-8", "replace")
    return repr(start if len(start) <= longest else f"{start[:longest]}…")


def fault_error(path: str, data: bytes, layout: Layout, fault: Fault, at: int) -> FileError:
    """Return the error for a line of a file.

    Parameters
    ----------
    path : str
        The file.
    data : bytes
        Its content.
    layout : Layout
        The columns that a line should have.
    fault : Fault
        What the parser met.
    at : int
        The byte at which the line begins.

    Returns
    -------
    FileError
        With the number of the line and the line itself.
    """
    end = ENDS.search(data, at)
    line = data[at : len(data) if end is None else end.start()]
    columns = columns_of(line)
    what, has, names = _COLUMNS[layout.columns]
    place = f"{path}:{line_number(data, at)}:"
    if fault == Fault.COLUMNS:
        looks = next((f" It looks like {kind}." for n, (kind, _, _) in _COLUMNS.items() if n == len(columns)), "")
        number = f"{len(columns):,} column{'' if len(columns) == 1 else 's'}"
        return FileError(
            f"{place} {number} where {what} {has} {layout.columns}: {names}.{looks} The line is {shown(line)}."
        )
    if fault == Fault.CONTROL:
        wrong = next(column for column in columns if any(byte < 32 or byte == 127 for byte in column))
        return FileError(
            f"{place} there is a control character in {shown(wrong)}. Columns are separated by spaces or tabs."
        )
    if fault == Fault.SECOND:
        return FileError(
            f"{place} a second document follows on the same line. Every line has one. The line is {shown(line)}."
        )
    if fault == Fault.VALUE:
        word = "grade" if layout.tag < 0 else "score"
        kind = "a whole number" if layout.whole else "a finite number"
        return FileError(f"{place} the {word} is {shown(columns[layout.value])}, not {kind}.")
    if fault == Fault.TAG:
        first = next(row for line in ENDS.split(data) if (row := columns_of(line)) and not row[0].startswith(COMMENT))
        tags = f"{shown(columns[layout.tag])}, and {shown(first[layout.tag])} above"
        return FileError(
            f"{place} the tag is {tags}. One run is wanted: Runs.read() and evaluate() take several by their tags."
        )
    return _duplicate_error(place, data, columns, layout, at)


def _duplicate_error(place: str, data: bytes, columns: list[bytes], layout: Layout, at: int) -> FileError:
    """Return the error for a document that is there twice, with the line at which it is first."""
    topic, document = columns[0], columns[layout.document]
    before = 0
    for number, line in enumerate(ENDS.split(data[:at]), 1):
        other = columns_of(line)
        if other and other[0] == topic and other[layout.document] == document:
            before = number
            break
    subtopics = layout.tag < 0 and columns_of(ENDS.split(data, before)[before - 1])[1] != columns[1]
    return FileError(
        f"{place} document {shown(document)} of topic {shown(topic)} is there twice, first at line {before}."
        f"{' Judgments of subtopics (diversity qrels) cannot be used.' if subtopics else ''}"
    )


PathLike = str | os.PathLike[str]

#: Names of columns in frames, as ir_measures, PyTerrier and others write them.
TOPIC = ("query_id", "qid", "q_id", "topic", "topic_id", "query")
DOCUMENT = ("doc_id", "docno", "docid", "document", "doc")
SYSTEM = ("run", "name", "system", "tag", "run_id", "runid")


class Parts(NamedTuple):
    """What was read, before it is a Run or Qrels; `tag` is that of a run, "" where the source has none."""

    topics: tuple[str, ...]
    offsets: Ints
    documents: bytes
    starts: Ints
    values: Floats
    comments: int = 0
    tag: str = ""
    source: str = ""

    def fields(self) -> dict[str, Any]:
        """Return the fields of `TopicLists`, which runs and judgments share."""
        return {name: value for name, value in self._asdict().items() if name not in ("values", "tag")}


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class TopicLists:
    """Base of `Run` and `Qrels`: documents of topic t are the entries `offsets[t]` to `offsets[t + 1]`.

    Document i is `documents[starts[i]:starts[i + 1]]`, in UTF-8.
    """

    topics: tuple[str, ...]
    offsets: Ints
    documents: bytes
    starts: Ints
    source: str = ""
    comments: int = 0
    notes: Notes = ()

    def __post_init__(self) -> None:
        for f in fields(self):
            value = getattr(self, f.name)
            if isinstance(value, np.ndarray):
                value.flags.writeable = False

    def __len__(self) -> int:
        """The number of documents, over all topics."""
        return len(self.starts) - 1

    def __eq__(self, other: object) -> bool:
        if type(self) is not type(other):
            return NotImplemented
        names = [f.name for f in fields(self) if f.name not in ("source", "comments", "notes")]
        return all(np.array_equal(getattr(self, name), getattr(other, name)) for name in names)

    def __hash__(self) -> int:
        return hash((self.topics, self.documents))

    def document(self, entry: int) -> str:
        """The id of one document.

        Parameters
        ----------
        entry : int
            Its place among all entries.

        Returns
        -------
        str
        """
        return self.documents[self.starts[entry] : self.starts[entry + 1]].decode("utf-8", "surrogatepass")

    def document_list(self) -> list[str]:
        """The ids of all documents, in the order of the entries.

        Returns
        -------
        list of str
        """
        return [text.decode("utf-8", "surrogatepass") for text in split(self.documents, self.starts)]

    @property
    def values(self) -> Any:
        """The number beside each entry: its score or its grade."""
        raise TypeError(f"{type(self).__name__} must define values")

    def lines(self) -> Iterator[str]:
        """The lines of a TREC file, in the order of the entries; the column of ranks of a run is by trec_eval's rule.

        Yields
        ------
        str
        """
        raise TypeError(f"{type(self).__name__} must define lines()")

    def to_dict(self) -> dict[str, dict[str, Any]]:
        """A dict of dicts, as pytrec_eval and ranx take it.

        Returns
        -------
        dict
            {topic: {document: score}} of a run, {topic: {document: grade}} of judgments.
        """
        ids, values, places = self.document_list(), self.values.tolist(), self.offsets.tolist()
        return {
            topic: dict(zip(ids[begin:end], values[begin:end], strict=True))
            for topic, begin, end in zip(self.topics, places, places[1:], strict=False)
        }

    def write(self, path: PathLike) -> None:
        """Write a TREC file.

        Parameters
        ----------
        path : str or Path
            Packed where the name ends in .gz or .zst.

        Raises
        ------
        TauscopeError
            Where an id is empty or has white space, or a topic begins with #, as comments do.
        """
        write_whole(Path(path), "".join(self.lines()).encode("utf-8"))

    def check_writable(self, *others: str) -> None:
        """Raise an error where an id is empty or has white space, so that no file of columns can hold it.

        Parameters
        ----------
        *others : str
            Names that are written beside topics and documents.

        Raises
        ------
        TauscopeError
            Names the first such id.
        """
        for kind, ids in (("topic", self.topics), ("name", others), ("document", self.document_list())):
            for label in ids:
                if not label or len(label.split()) != 1 or label.strip() != label or "\0" in label:
                    raise TauscopeError(f"The {kind} {label!r} cannot be a column: it is empty or has white space.")
                if kind == "topic" and label.startswith(COMMENT.decode()):
                    raise TauscopeError(f"The topic {label!r} cannot begin a line: what begins with # is a comment.")
                if not label.isascii() and not _is_utf8(label):
                    raise TauscopeError(f"The {kind} {label!r} cannot be written as UTF-8.")


#: A grade is an integer of 32 bits, or a real number that is no larger.
_LARGEST = 2**31 - 1
#: Lines that begin with the mark of a comment.
_COMMENTS = re.compile(rb"(?:\A|[\r\n])[ \t]*#")


def parse_file(path: PathLike, data: bytes, layout: Layout, table: Table | None = None) -> Parts:
    """Make lists of the bytes of a file; `table` where they have been parsed already."""
    table = parse_lines(data, layout) if table is None else table
    if table.fault == Fault.VALUE and layout == QRELS:
        real = parse_lines(data, REAL_QRELS)
        if real.fault != Fault.NONE or np.abs(real.values).max(initial=0.0) <= _LARGEST:
            table, layout = real, REAL_QRELS
    if table.fault != Fault.NONE:
        raise fault_error(str(path), data, layout, table.fault, table.fault_at)
    if not table.topics:
        raise FileError(f"{path}: there are only comments, lines that begin with #.")
    topics = tuple(topic.decode("utf-8") for topic in table.topics)
    comments = len(_COMMENTS.findall(data)) if COMMENT in data else 0
    tag = table.tag.decode("utf-8")
    return Parts(topics, table.offsets, table.documents, table.starts, table.values, comments, tag, str(path))


def several_runs(path: PathLike, data: bytes, layout: Layout) -> list[Parts]:
    """Return the runs of a file by their tags, in the order in which they come; one where it has one tag."""
    table = parse_lines(data, layout)
    if table.fault != Fault.TAG:
        return [parse_file(path, data, layout, table)]
    rows = ENDS.split(data)
    tags = [_tag(columns_of(row), layout) for row in rows]
    runs = []
    for tag in dict.fromkeys(filter(None, tags)):
        # The lines of the others stay as empty ones, so that errors have the right numbers.
        text = b"\n".join(row if of in (tag, b"") else b"" for row, of in zip(rows, tags, strict=True))
        one = parse_file(path, text, layout)
        runs.append(one._replace(source=f"{path}, tag {one.tag!r}"))
    return runs


def _tag(columns: list[bytes], layout: Layout) -> bytes:
    """Return the tag of a line; "" for comments, and for lines that are too short and will be an error."""
    comment = not columns or columns[0].startswith(COMMENT)
    return b"" if comment or len(columns) <= layout.tag else columns[layout.tag]


def from_nested(lists: Mapping[Any, Any], what: str, value: str) -> Parts:
    """Make lists of a dictionary.

    Parameters
    ----------
    lists : dict
        {topic: {document: value}}.
    what : str
        What is read, for errors.
    value : {"score", "grade"}
        What the values are.

    Returns
    -------
    Parts

    Raises
    ------
    CallError, TauscopeError
        If there are no topics, an id is not a text, something is there twice, or a value is not a finite number.
    """
    if not lists:
        raise CallError(f"{what} has no topics.")
    topics = tuple(label(topic, f"a topic of {what}") for topic in lists)
    if len(set(topics)) != len(topics):
        raise TauscopeError(f"{what} has a topic twice, as a number and as a text.")
    documents: list[bytes] = []
    values: list[Any] = []
    sizes = [0]
    for topic, entries in zip(topics, lists.values(), strict=True):
        if not isinstance(entries, Mapping):
            raise CallError(f"Topic {topic!r} of {what} holds {type(entries).__name__}; give {{document: {value}}}.")
        ids = [label(document, f"a document of {what}, topic {topic!r},") for document in entries]
        if len(set(ids)) != len(ids):
            raise TauscopeError(f"Topic {topic!r} of {what} has a document twice, as a number and as a text.")
        documents += [text.encode("utf-8", "surrogatepass") for text in ids]
        values += entries.values()
        sizes.append(len(ids))
    offsets = np.cumsum(sizes, dtype=np.int64)
    text, starts = join(documents)
    parsed = as_numbers(values, _LARGEST if value == "grade" else math.inf)
    if isinstance(parsed, int):
        topic = topics[int(np.searchsorted(offsets, parsed, side="right")) - 1]
        document = documents[parsed].decode()
        raise TauscopeError(
            f"The {value} of document {document!r}, topic {topic!r}, in {what} is {values[parsed]!r}, not "
            f"{f'a number of at most {_LARGEST:,}' if _is_number(values[parsed]) else 'a finite number'}."
        )
    return Parts(topics, offsets, text, starts, parsed)


def label(name: object, what: str) -> str:
    """Return an id as text. Whole numbers are welcome; other things are not: 301.0 is not the topic "301"."""
    if isinstance(name, str):
        return name
    if type(name) is not bool and isinstance(name, numbers.Integral):
        return str(int(name))
    raise CallError(f"The id of {what} is {name!r}; ids are texts.")


def as_numbers(values: list[Any], largest: float) -> Floats | int:
    """Return values as an array, or the place of the first one that is not a finite number or is too large."""
    try:
        result = np.array(values, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        result = None
    if result is not None and result.ndim == 1 and not any(isinstance(value, (str, bytes)) for value in values):
        wrong = ~np.isfinite(result) | (np.abs(result) > largest)
        return int(np.flatnonzero(wrong)[0]) if wrong.any() else result
    return next(i for i, value in enumerate(values) if not _is_number(value))


def _is_utf8(text: str) -> bool:
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def _is_number(value: Any) -> bool:
    try:
        return not isinstance(value, (str, bytes)) and math.isfinite(float(value))
    except (TypeError, ValueError, OverflowError):
        return False


def read_parts(
    source: Any,
    columns: Mapping[str, Iterable[str]],
    layout: Layout,
    what: str,
    max_bytes: int = MAX_BYTES,
    *,
    several: bool = False,
) -> list[Parts]:
    """Read lists of documents from a file, a dictionary or a frame.

    The content of a file says what it is: Parquet or JSON of ranx, or the lines of a TREC file.

    Parameters
    ----------
    source : path, dict or data frame
        Of a dictionary {topic: {document: value}}.
    columns : dict
        Our name of a column -> its names in frames.
    layout : Layout
        The columns of a line.
    what : str
        What is read, for errors.
    max_bytes : int
        The largest size to which a packed file may unpack.
    several : bool
        Whether a file may hold several runs, which are distinguished by their tags.

    Returns
    -------
    list of Parts
        One, or with `several` one for each tag.
    """
    value = "grade" if layout.tag < 0 else "score"
    if isinstance(source, Mapping):
        return [from_nested(source, what, value)._replace(source="a dictionary")]
    if is_frame(source):
        nested = nest(frame_columns(source, columns, what), value, what)
        return [from_nested(nested, what, value)._replace(source="a frame")]
    if not isinstance(source, (str, os.PathLike)):
        raise CallError(f"{what} can be a path, a dictionary or a frame, not {type(source).__name__}.")
    path, where = Path(source), str(source)
    if compression(path) == "parquet":
        nested = nest(frame_columns(read_parquet(path, max_bytes)[0], columns, where), value, where)
        return [from_nested(nested, where, value)._replace(source=where)]
    data = read_whole(path, max_bytes=max_bytes)
    if not data.lstrip().startswith((b"{", b"[")):
        return several_runs(source, data, layout) if several else [parse_file(source, data, layout)]
    lists = parse_json(data.decode("utf-8"), path)
    if not isinstance(lists, Mapping):
        raise FileError(f"{where}: {{topic: {{document: {value}}}}} is expected.")
    return [from_nested(lists, where, value)._replace(source=where)]


def frame_columns(frame: Any, wanted: Mapping[str, Iterable[str]], what: str) -> dict[str, list[Any]]:
    """Return columns of a frame under our names.

    Parameters
    ----------
    frame : data frame
        Of any library.
    wanted : dict
        Our name -> the names that the column can have.
    what : str
        What is read, for errors.

    Returns
    -------
    dict
        Our name -> values; without "system" if there is no such column.

    Raises
    ------
    CallError
        If another column is not there.
    """
    import narwhals as nw

    native = nw.from_native(frame)
    table = native.collect() if isinstance(native, nw.LazyFrame) else native
    columns: dict[str, list[Any]] = {}
    for ours, theirs in wanted.items():
        column = next((name for name in theirs if name in table.columns), None)
        if column is not None:
            columns[ours] = table[column].to_list()
        elif ours != "system":
            known, there = ", ".join(theirs), ", ".join(table.columns)
            raise CallError(f"{what} has no column for the {ours} ({known}); its columns are {there}.")
    return columns


def nest(columns: Mapping[str, list[Any]], value: str, what: str) -> dict[str, dict[str, Any]]:
    """Make {topic: {document: value}} of columns.

    Parameters
    ----------
    columns : dict
        "topic", "document" and the column of values.
    value : str
        Name of that column.
    what : str
        What is read, for errors.

    Raises
    ------
    TauscopeError
        If a document of a topic is there twice.
    """
    lists: dict[str, dict[str, Any]] = {}
    for topic, document, number in zip(columns["topic"], columns["document"], columns[value], strict=True):
        entries = lists.setdefault(label(topic, f"a topic of {what}"), {})
        name = label(document, f"a document of {what}")
        if name in entries:
            raise TauscopeError(f"Document {name!r} of topic {topic!r} is in {what} twice.")
        entries[name] = number
    return lists
