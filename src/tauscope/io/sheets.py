"""Spreadsheets (.xlsx, .ods) as lines of text: what reads tables then reads sheets, and line 5 is row 5."""

from __future__ import annotations

import csv
import io
import re
from pathlib import Path
from typing import Any
from xml.parsers import expat

from ..errors import Advice, FileError, MissingPackageError
from ..results import count
from .archives import Archive, Where, damaged, part_of, zipped

#: What pip installs for spreadsheets.
SHEETS_EXTRA = "tauscope[sheets]"
#: Rows times columns of a sheet: a cell far from the others would else make a table that no memory holds.
MAX_SHEET_CELLS = 10_000_000
_REFERENCE = re.compile(rb"""\sr\s*=\s*["']([A-Za-z]{1,4})([0-9]{1,10})["']""")


def sheet_text(path: Path, max_bytes: int) -> tuple[str, str]:
    """The text of a sheet, one line per row, tabs between cells; and what to say of it: which sheet it was."""
    file, wanted = part_of(path)
    package = _calamine(path)
    with zipped(file, max_bytes) as archive:
        _check_extent(archive, path)
        copy = archive.again()
    try:
        book = package.load_workbook(copy)
        sheets = {name: book.get_sheet_by_name(name) for name in _chosen(book, wanted, package, path)}
        filled = {name: sheet for name, sheet in sheets.items() if sheet.height and sheet.width}
        name = _one(filled, list(sheets), path)
        return _text(filled[name], max_bytes, path), f"sheet {name!r}"
    except FileError:
        raise
    except BaseException as error:
        # Its parser may panic, which is no Exception in Python.
        if isinstance(error, Exception) or type(error).__name__ == "PanicException":
            raise damaged(path, error) from None
        raise


def _calamine(path: Path) -> Any:
    try:
        import python_calamine as package
    except ImportError:
        raise MissingPackageError.needed(f"{path}: a spreadsheet", "python-calamine", SHEETS_EXTRA) from None
    return package


def _chosen(book: Any, wanted: str, package: Any, path: Path) -> list[str]:
    """The sheet asked for, or all that a reader of the book sees."""
    if wanted:
        if wanted not in book.sheet_names:
            names = ", ".join(map(repr, book.sheet_names[:12]))
            raise Where(path).error(f"there is no sheet {wanted!r}; there are {names}.")
        return [wanted]
    seen = [
        sheet.name
        for sheet in book.sheets_metadata
        if sheet.visible == package.SheetVisibleEnum.Visible and sheet.typ == package.SheetTypeEnum.WorkSheet
    ]
    return seen or list(book.sheet_names)


def _one(filled: dict[str, Any], names: list[str], path: Path) -> str:
    if len(filled) == 1:
        return next(iter(filled))
    if not filled:
        raise Where(path).error("the file is empty.")
    file, first = part_of(path)[0].name, next(iter(filled))
    raise Where(path).error(
        f"{count(len(filled), 'sheet')} hold cells: {', '.join(map(repr, list(filled)[:12]))}.",
        Advice(f"Name one after the file, as in '{file}#{first}'."),
    )


def _text(sheet: Any, max_bytes: int, path: Path) -> str:
    target = io.StringIO()
    target.write("\n" * sheet.start[0])
    writer = csv.writer(target, delimiter="\t", lineterminator="\n")
    for row in sheet.to_python(skip_empty_area=True):
        cells = [_cell(value) for value in row]
        if any(cells):
            writer.writerow(cells)
        else:
            target.write("\n")
        if target.tell() > max_bytes:
            raise Where(path).error(f"the sheet holds more than {max_bytes / 2**20:,.0f} MiB of text.")
    return target.getvalue()


def _cell(value: Any) -> str:
    """A cell as it would stand in a CSV file; a spreadsheet has floats only, so 401.0 is the topic 401."""
    if isinstance(value, str):
        return " ".join(value.splitlines()).replace("\t", " ").replace("\0", "")
    if isinstance(value, bool) or value is None:
        return "" if value is None else str(value)
    if isinstance(value, float) and value.is_integer() and abs(value) < 2**53:
        return str(int(value))
    return value.isoformat() if hasattr(value, "isoformat") else str(value)


def _check_extent(archive: Archive, path: Path) -> None:
    """Refuse a sheet whose cells lie so far apart that the table between them would fill the memory."""
    for name in archive.names:
        if name == "content.xml":
            rows, columns = _extent_of_ods(archive.read(name), path)
        elif name.endswith(".xml") and "sheet" in name.lower():
            rows, columns = _extent_of_xlsx(archive.read(name))
        else:
            continue
        if rows * columns > MAX_SHEET_CELLS:
            raise Where(path).error(
                f"{rows:,} rows x {columns:,} columns in a sheet; at most {MAX_SHEET_CELLS:,} cells are read."
            )


def _extent_of_xlsx(data: bytes) -> tuple[int, int]:
    rows = columns = 0
    for letters, digits in _REFERENCE.findall(data):
        rows = max(rows, int(digits))
        column = 0
        for letter in letters.upper():
            column = 26 * column + letter - 64
        columns = max(columns, column)
    return rows, columns


class _Extent:
    """Row and column of the last cell with a value, of all tables of an .ods; repeated cells and rows counted out."""

    def __init__(self) -> None:
        self.rows = self.columns = 0
        self._row = self._repeat = self._column = self._last = 0

    def start(self, name: str, attributes: dict[str, str]) -> None:
        tag = name.rpartition(":")[2]
        if tag == "table":
            self._row = 0
        elif tag == "table-row":
            self._repeat, self._column, self._last = _repeated(attributes, "number-rows-repeated"), 0, 0
        elif tag in ("table-cell", "covered-table-cell"):
            self._column += _repeated(attributes, "number-columns-repeated")
            if any(key.rpartition(":")[2] in ("value-type", "formula", "value") for key in attributes):
                self._last = self._column

    def end(self, name: str) -> None:
        if name.rpartition(":")[2] == "table-row":
            self._row += self._repeat
            if self._last:
                self.rows, self.columns = max(self.rows, self._row), max(self.columns, self._last)


def _repeated(attributes: dict[str, str], wanted: str) -> int:
    text = next((value for key, value in attributes.items() if key.rpartition(":")[2] == wanted), "1")
    return int(text) if text.isdigit() and len(text) < 19 else 1


def _extent_of_ods(data: bytes, path: Path) -> tuple[int, int]:
    found = _Extent()
    parser = expat.ParserCreate()
    parser.StartElementHandler, parser.EndElementHandler = found.start, found.end
    parser.EntityDeclHandler = _no_entities
    try:
        parser.Parse(data, True)
    except (expat.ExpatError, ValueError) as error:
        raise damaged(path, error) from None
    return found.rows, found.columns


def _no_entities(*declared: Any) -> None:
    raise ValueError("it declares entities")
