"""Text with columns: CSV, TSV, semicolons or spaces, with or without a header; sheets arrive as such text."""

from __future__ import annotations

import csv
from array import array
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import chain, islice
from operator import itemgetter
from pathlib import Path

import numpy as np

from ..core import kernels
from ..core.arrays import Floats
from ..data.labels import Remark, shown
from ..errors import Advice, FileError
from ..results import Note, Notes, count
from .layouts import Layout, Rows, Table, describe, place_of, role_of
from .numerals import Numerals, like_ids, like_number, numeric_columns
from .streams import MAX_COLUMNS, Text, Where

#: Rows that the kernel reads together.
_ROWS = 256
#: Cells that are taken together otherwise, so that the texts of a large file are not all in memory.
_CELLS, _ROWS_AT_ONCE = 300_000, 10_000
#: Characters in a name, or at the start of a line, that `csv` or a reader of comments has something to say about.
_SPECIAL = ('"', "#", " ", "\t", "\r", "\n")


class Lines:
    """Lines that are counted, and of which the last can be given back.

    `csv` reads them one by one. The quick reader takes as many as are a name and plain numbers, and gives back the
    first that is not.

    Attributes
    ----------
    given : int
        How many lines were given.
    skipped : int
        Those that the quick reader took, which `csv` has not seen.
    """

    def __init__(self, lines: Iterable[str]) -> None:
        self._lines = iter(lines)
        self._back: list[str] = []
        self.given = 0
        #: Lines that were read here and that `csv` has not seen.
        self.skipped = 0

    def __iter__(self) -> Iterator[str]:
        return self

    def __next__(self) -> str:
        line = self._back.pop() if self._back else next(self._lines)
        self.given += 1
        return line

    def quick_rows(self, delimiter: str, width: int) -> tuple[list[str], list[int], list[Floats]]:
        """Read lines up to the first that is not a name and `width` numbers.

        Parameters
        ----------
        delimiter : str
            What separates cells.
        width : int
            How many numbers follow the name.

        Returns
        -------
        tuple
            Names, lines, and blocks of numbers.
        """
        names: list[str] = []
        places: list[int] = []
        blocks: list[Floats] = []
        block = np.empty((_ROWS, width))
        at = 0
        for line in self:
            name, _, rest = line.partition(delimiter)
            if (
                not name
                or name[0] in _SPECIAL
                or '"' in name
                or name[-1].isspace()
                or not kernels.read_row(rest, delimiter, block[at])
            ):
                self._back.append(line)
                self.given -= 1
                break
            names.append(name)
            places.append(self.given)
            at += 1
            if at == _ROWS:
                blocks.append(block)
                block, at = np.empty((_ROWS, width)), 0
        self.skipped += len(names)
        return names, places, [*blocks, block[:at]]


DELIMITERS = {",": "comma", "\t": "tab", ";": "semicolon", " ": "space"}
Record = tuple[int, list[str]]
#: What begins a comment.
COMMENT = "#"
#: Lines that can stand above a header.
_MOST_TITLES = 5
#: Records looked at before the layout is decided.
_SAMPLE = 50


class TextTable(Table):
    """A text with columns: the header, and the records after it with the line on which each begins.

    Titles above the header, comments and empty rows are left out and told in the notes. The separator is the one that
    the name of the file promises, or the only one that splits the header.

    Parameters
    ----------
    text : Text
        The text, which stands open.
    numbered : bool, default False
        Whether the first line holds scores like all others, so that there is no header.
    """

    def __init__(self, text: Text, *, numbered: bool = False) -> None:
        self.path = path = text.path
        self.source = str(path)
        self.told = text.told
        self.comments = self.blank = 0
        self.trimmed = False
        self.dropped: tuple[str, ...] = ()
        text, self.titles = _without_titles(text)
        head = [line for line in text.head if not line.startswith(COMMENT)] or text.head
        self.delimiter = "\t" if text.told.startswith("sheet ") else delimiter(head, path)
        self.spaced = _spaced(head, self.delimiter)
        self.underscores = False
        self._lines = Lines(text.lines())
        records = self._records(_commented_header(text.head, self.delimiter))
        self.line, self.header = next(records, (1, []))
        self.where = f"{path}:{self.line}"
        if not self.header:
            raise Where(path).error("the file is empty.")
        self.sample = list(islice(records, _SAMPLE))
        self._trim_header()
        self.records: Iterator[Record] = chain(self.sample, records)
        if not numbered and self._row_names():
            self.header = ["", *self.header]
        if numbered:
            self.keep_header()
        self._look(with_header=numbered)

    def keep_header(self) -> None:
        """Take the first line for a row like all others."""
        self.records = chain([(self.line, self.header)], self.records)

    def _look(self, *, with_header: bool = False) -> None:
        """Find out what the cells of the first rows are like."""
        rows, width = [record for _, record in self.sample], len(self.header)
        self.numerals = Numerals.of_rows([self.header, *rows] if with_header else rows, width)
        self.numeric = numeric_columns(rows, width)
        self.first = list(zip(*(row for row in rows if len(row) == width), strict=True)) or [()] * width

    def _row_names(self) -> bool:
        """Whether every row has one cell more than the header: R's write.table names the rows without a header."""
        longer = all(len(record) == len(self.header) + 1 for _, record in self.sample)
        return bool(self.sample) and longer and not any(map(role_of, self.header))

    def _watched(self) -> Iterator[str]:
        for line, text in enumerate(self._lines, 1):
            if len(text) > MAX_COLUMNS and text.count(self.delimiter) >= MAX_COLUMNS:
                raise Where(self.path, line).error(
                    f"{text.count(self.delimiter) + 1:,} columns are too many; at most {MAX_COLUMNS:,} are read."
                )
            if "_" in text:
                self.underscores = True
            yield text

    def _records(self, commented: bool) -> Iterator[Record]:
        """The records; comments, and rows in which nothing stands, are left out and counted."""
        reader = csv.reader(self._watched(), delimiter=self.delimiter, skipinitialspace=self.spaced, strict=True)
        start, width = 1, 0
        blank: int | None = None
        try:
            for record in reader:
                if record:
                    if blank is not None and len(record) == 1:
                        raise Where(self.path, blank).error("this line is empty; write NaN where a score is missing.")
                    header = commented and not width
                    if header:
                        record[0] = record[0].lstrip(COMMENT + " ") or COMMENT
                    if header or self._kept(record, width):
                        width = width or len(record)
                        if self.trimmed:
                            self._trim(record)
                        yield start, record
                elif start > 1:
                    blank = start
                start = reader.line_num + 1 + self._lines.skipped
        except csv.Error as error:
            raise Where(self.path, start).error(f"the quotes or cells of this record are damaged ({error}).") from None

    def _kept(self, record: list[str], width: int) -> bool:
        """Whether a record is one: no comment (which has another number of cells), and no row of empty cells."""
        first = record[0]
        if first[:1] == COMMENT and len(record) != width:
            self.comments += 1
            return False
        if not first and (width or len(record)) > 1 and not any(map(str.strip, record)):
            self.blank += 1
            return False
        return True

    def _trim_header(self) -> None:
        """Spreadsheets write columns in which nothing stands, at the end: they have no name and no cells."""
        width = full = len(self.header)
        while width > 1 and not self.header[width - 1].strip():
            width -= 1
        if width < full and not any(any(map(str.strip, record[width:])) for _, record in self.sample):
            self.trimmed = True
            del self.header[width:]
            for _, record in self.sample:
                del record[width:]

    def _trim(self, record: list[str]) -> None:
        """Cut the empty cells below columns that have no name; a cell that is not empty stays, and is an error
        later."""
        width = len(self.header)
        if not any(map(str.strip, record[width:])):
            del record[width:]

    def drop(self, names: Sequence[str]) -> None:
        """Leave out columns that the caller does not want.

        Parameters
        ----------
        names : sequence of str
            Their names; those that are left out already may be named again.

        Raises
        ------
        FileError
            If there is no such column.
        """
        names = tuple(name for name in names if name not in self.dropped)
        places = sorted((place_of(name, self.header, f"{self.path}:{self.line}") for name in names), reverse=True)
        if not places:
            return
        width = len(self.header)

        def without(record: Record) -> Record:
            self._check_width(*record, width)
            for place in places:
                del record[1][place]
            return record

        unread = islice(self.records, len(self.sample), None)
        self.sample = [without(record) for record in self.sample]
        self.header = [name for place, name in enumerate(self.header) if place not in places]
        self.records = chain(self.sample, map(without, unread))
        self._look()
        self.dropped += names

    def rows(self, chosen: Layout) -> Rows:
        """Read the columns that the layout names.

        Where a name and then plain numbers stand in each row, the kernel reads them; otherwise some rows are taken at a
        time, so that the texts of a large file are never all in memory.

        Parameters
        ----------
        chosen : Layout
            Which columns are read.

        Returns
        -------
        Rows

        Raises
        ------
        FileError
            If a cell is no number, a name is missing, a row has more or fewer cells than the header, or there are no
            rows.
        """
        named = chosen.named
        names: dict[str, list[str]] = {role: [] for role in named}
        seen: dict[str, str] = {}  # one object per name, however many rows have it
        blocks: list[Floats] = []
        lines = array("q")

        def take(records: Iterator[Record]) -> None:
            most = max(1, min(_ROWS_AT_ONCE, _CELLS // len(self.header)))
            while batch := list(islice(records, most)):
                for role, place in named.items():
                    cells = [record[place] for _, record in batch]
                    if "" in cells:
                        raise Where(self.path, batch[cells.index("")][0]).error(f"a {role} has no name.")
                    names[role] += [seen.setdefault(name, name) for name in cells]
                blocks.append(self._block(chosen.values, batch))
                lines.extend(line for line, _ in batch)

        records = self.checked()
        take(islice(records, len(self.sample)))
        at_once, before = 1, 0
        while self._is_plain(chosen) and len(lines) > before:  # quick rows, and between them those that take `csv`
            before = len(lines)
            more, of_lines, quick = self._lines.quick_rows(self.delimiter, len(self.header) - 1)
            names[next(iter(named))] += more
            lines.extend(of_lines)
            blocks += quick
            at_once = 1 if more else 2 * at_once
            take(islice(records, at_once))
        take(records)
        if not lines:
            raise Where(self.path, self.line).error("there is a header and not one row below it.")
        return Rows(np.concatenate(blocks), names, lines)

    def _is_plain(self, chosen: Layout) -> bool:
        """Whether a name and then plain scores stand in every row, for which there is a quick reader."""
        unusual = self.spaced or self.trimmed or self.dropped or not self.numerals.plain
        first = chosen.system if chosen.kind == "turned" else chosen.topic
        everything = chosen.values == tuple(range(1, len(self.header)))
        return first == 0 and everything and chosen.kind in ("wide", "turned") and not unusual

    def _block(self, columns: Sequence[int], batch: Sequence[Record]) -> Floats:
        """The scores of some records: row by row if all are plain numbers, otherwise column by column."""
        if len(columns) > 1 and self.numerals.plain and not self.underscores:
            scores = itemgetter(*columns)
            try:
                return np.array([list(map(float, scores(record))) for _, record in batch])
            except ValueError:
                pass
        cells = list(zip(*(record for _, record in batch), strict=True))
        return np.array([self._numbers(place, cells[place], batch) for place in columns], dtype=np.float64).T

    def _numbers(self, column: int, cells: Sequence[str], batch: Sequence[Record]) -> list[float]:
        """The scores in a column of some records."""
        try:
            if self.numerals.plain and (not self.underscores or "_" not in "".join(cells)):
                return list(map(float, cells))
        except ValueError:
            pass
        found = []
        for text, (line, _) in zip(cells, batch, strict=True):
            try:
                found.append(self.numerals.value(text, column))
            except ValueError as reason:
                raise _not_number(self, line, column, text, str(reason)) from None
        return found

    def notes(self, chosen: Layout) -> Notes:
        """Say how the table was read, and what is odd about it.

        Parameters
        ----------
        chosen : Layout
            The layout in which it was read.

        Returns
        -------
        tuple of Note or str
            One note, and remarks.
        """
        how = self.told if self.told.startswith("sheet ") else f"{DELIMITERS[self.delimiter]}-separated"
        told = [] if self.told == how or not self.told else [self.told]
        left_out = [f"{count(self.comments, 'comment')} left out"] if self.comments else []
        left_out += [f"{count(self.blank, 'empty row')} left out"] if self.blank else []
        given = [Note("columns_left_out", columns=self.dropped)] if self.dropped else []
        parts = [how, describe(chosen, self.header), *told, *self.numerals.told(), *left_out, *given]
        return (Note("table", where=self.path.name, parts=parts), *self.told_of_titles(), *chosen.remarks)

    def told_of_titles(self) -> list[Remark]:
        """Return the remark on titles above the header, if there are any."""
        if not self.titles:
            return []
        return [
            Remark(
                f"title above the header left out: {shown(self.titles)}",
                where=f"{self.path.name}:{self.line}",
                code="title",
                effect="it would have been taken for the names of the columns",
                suggestion="remove it from the file",
                severity="note",
            )
        ]

    def checked(self) -> Iterator[Record]:
        """Go through the records, each as wide as the header.

        Raises
        ------
        FileError
            At the first that has more or fewer cells.
        """
        width = len(self.header)
        for line, record in self.records:
            if len(record) != width:
                self._check_width(line, record, width)
            yield line, record

    def _check_width(self, line: int, record: list[str], width: int) -> None:
        if len(record) != width:
            cells = "1 cell" if len(record) == 1 else f"{len(record):,} cells"
            raise Where(self.path, line).error(f"{cells}, where the header (line {self.line}) has {width:,}.")


def _without_titles(text: Text) -> tuple[Text, tuple[str, ...]]:
    """The text with empty lines in place of titles above its header, so that lines keep their numbers; the titles."""
    places = [place for place, line in enumerate(text.head) if line.strip() and not line.startswith(COMMENT)]
    lines = [text.head[place] for place in places]
    marks = "\t" if text.told.startswith("sheet ") else ",\t;"
    found = [number for mark in marks if (number := _titles(lines, mark)) is not None]
    number = min(found, default=0)
    if not number:
        return text, ()
    head = ["\n" if place in places[:number] else line for place, line in enumerate(text.head)]
    titles = (line.strip(' \t,;\r\n"') for line in lines[:number])
    return replace(text, head=head), tuple(filter(None, titles))


def _titles(lines: list[str], mark: str) -> int | None:
    """The number of lines above the header, if the text is a table with this separator; None if it is not.

    Titles have fewer cells than the rows, or a single one that is not empty. The header below them has texts, or ids of
    topics, and the row below the header has scores. A header that is merely shorter than the rows has scores below it.
    """
    if any(line.count('"') % 2 for line in lines):
        return 0  # cells with line breaks: lines are not rows
    try:
        rows = [next(csv.reader([line], delimiter=mark), []) for line in lines]
    except csv.Error:
        return None
    width = len(rows[-1]) if rows else 0
    even = next((place for place in range(len(rows)) if all(len(row) == width for row in rows[place:])), 0)
    filled = [[cell for cell in row if cell.strip()] for row in rows]
    first = next((place for place in range(even, len(rows)) if len(filled[place]) > 1), len(rows))
    if width < 2:
        return None
    if first <= _MOST_TITLES and first + 1 < len(rows):
        header, row = filled[first], filled[first + 1]
        numbers, scores = (list(filter(like_number, cells)) for cells in (header, row))
        ids = len(numbers) < len(header) and like_ids(numbers) and not all(map(str.isdigit, scores))
        if scores and (not numbers or ids):
            return first
    return None if even else 0


def _require_cells(header: str, where: Where) -> None:
    """An error where the header has a cell that is longer than a cell can be."""
    most = csv.field_size_limit()
    if len(header) <= most:
        return
    for mark in (mark for mark in DELIMITERS if mark in header):
        try:
            next(csv.reader([header], delimiter=mark), [])
        except csv.Error:
            raise where.error(f"the header has a cell of more than {most:,} characters. Is this a table?") from None


def delimiter(head: list[str], path: Path) -> str:
    """Find the character between cells.

    Parameters
    ----------
    head : list of str
        The first lines.
    path : Path
        The file; .csv promises commas, .tsv tabs.

    Returns
    -------
    str
        The one that the name promises, or the only one that splits the header.

    Raises
    ------
    FileError
        If two characters split the header.
    """
    first = next((line for line in head if line.strip()), "")
    _require_cells(first, Where(path, head.index(first) + 1 if first else 1))
    names = path.name.lower().removesuffix(".gz").removesuffix(".zst")
    promised = "," if names.endswith(".csv") else "\t" if names.endswith((".tsv", ".tab")) else None
    marks = [mark for mark in DELIMITERS if mark in first.strip()]
    splits = [mark for mark in marks if mark != " " and len(next(csv.reader([first], delimiter=mark))) > 1]
    if len(splits) > 1 and len(even := [mark for mark in splits if _even(head, mark)]) == 1:
        return even[0]
    if promised in splits or not splits:
        return promised or (" " if " " in marks else ",")
    if len(splits) > 1:
        named = " and ".join(f"{DELIMITERS[mark]}s" for mark in splits)
        raise Where(path, head.index(first) + 1).error(
            f"the header has {named}: which of them separate the cells? Call the file .csv (commas) or .tsv (tabs)."
        )
    return splits[0]


def _even(head: list[str], mark: str) -> bool:
    """Whether all of the first lines have as many of these separators."""
    lines = [line for line in head if line.strip()]
    return len(lines) > 1 and len({len(row) for row in csv.reader(lines, delimiter=mark)}) == 1


def _spaced(head: list[str], mark: str) -> bool:
    """Whether spaces belong to the separator: there are only spaces, or one follows every separator of the header."""
    first = next((line for line in head if line.strip()), "")
    return mark == " " or (mark in ",;" and mark in first and first.count(mark) == first.count(f"{mark} "))


def _commented_header(head: list[str], mark: str) -> bool:
    """Whether the header itself begins with #, as `#topic` or as a column of ranks called `#`: as wide as the line
    below it, and without a space after the # or with numbers below its names."""
    lines = [line for line in head if line.strip()]
    if next((at for at, line in enumerate(lines) if not line.startswith(COMMENT)), 0) != 1:
        return False
    names, cells = (next(csv.reader([line], delimiter=mark), []) for line in lines[:2])
    if len(cells) != len(names) or len(names) < 2:
        return False
    return not names[0].startswith(f"{COMMENT} ") or all(map(like_number, cells[1:]))


def _not_number(table: TextTable, line: int, column: int, text: str, reason: str) -> FileError:
    """The error for a cell: its line, its column, what stands there, and why that is no number here."""
    shown = repr(text if len(text) <= 60 else text[:57] + "…")
    cell = f"{shown} in the column {table.header[column]!r}"
    if not reason:
        return Where(table.path, line).error(f"{cell} is not a number.")
    percent = "percent" in reason
    way = "Write all cells of a column with a percent sign, or none." if percent else "Write decimals with a point."
    return Where(table.path, line).error(f"{cell} {reason}.", Advice(way))
