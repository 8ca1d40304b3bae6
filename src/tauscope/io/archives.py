"""Zip archives of strangers, unpacked within limits: spreadsheets (.xlsx, .ods) and logs of Inspect, both as text.

A sheet becomes lines of text with tabs, line 5 being row 5, so that what reads tables reads sheets.
"""

from __future__ import annotations

import csv
import io
import json
import re
import struct
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from xml.parsers import expat

from ..errors import Advice, FileError, MissingPackageError, Option
from ..results import count
from .streams import Where, part_of

#: Members that an archive may have; more are no spreadsheet and no log.
MAX_MEMBERS = 200_000
_CHUNK = 1 << 20
_BROKEN = (zipfile.BadZipFile, zlib.error, struct.error, EOFError, OSError, ValueError, KeyError, IndexError)


class Archive:
    """The members of a zip archive; what is unpacked is counted, over all of them.

    Parameters
    ----------
    file : ZipFile
        The archive, which stands open.
    path : Path
        The file, for errors.
    max_bytes : int
        What all members together may unpack to.

    Attributes
    ----------
    names : tuple of str
        The names of the members.
    """

    def __init__(self, file: zipfile.ZipFile, path: Path, max_bytes: int) -> None:
        self._file, self._path, self._max_bytes, self._left = file, path, max_bytes, max_bytes
        self.names = tuple(file.namelist())
        if len(self.names) > MAX_MEMBERS:
            raise Where(path).error(f"{len(self.names):,} files in one archive; at most {MAX_MEMBERS:,} are read.")

    def read(self, name: str) -> bytes:
        """Unpack one member.

        Parameters
        ----------
        name : str
            Its name.

        Returns
        -------
        bytes

        Raises
        ------
        FileError
            If the archive is damaged or locked, or holds too much.
        """
        pieces = []
        try:
            with self._file.open(name) as stream:
                while piece := stream.read(min(_CHUNK, self._left + 1)):
                    self._left -= len(piece)
                    if self._left < 0:
                        raise self._too_much()
                    pieces.append(piece)
        except FileError:
            raise
        except NotImplementedError:
            raise Where(self._path).error(f"{name!r} in it is packed in a way that is not known here.") from None
        except RuntimeError:
            raise Where(self._path).error("it is locked with a password. Save it without one.") from None
        except _BROKEN as error:
            raise damaged(self._path, error) from None
        return b"".join(pieces)

    def again(self) -> io.BytesIO:
        """Return the same members in a new archive, which holds what was counted here and nothing else."""
        target = io.BytesIO()
        with zipfile.ZipFile(target, "w") as copy:
            for name in dict.fromkeys(self.names):
                if not name.endswith("/"):
                    copy.writestr(name, self.read(name))
        target.seek(0)
        return target

    def _too_much(self) -> FileError:
        return Where(self._path).error(
            f"the file holds more than {self._max_bytes / 2**20:,.0f} MiB of text.",
            Option("max_bytes", effect="with a higher limit, if it should"),
        )


@contextmanager
def zipped(path: Path, max_bytes: int) -> Iterator[Archive]:
    """Open a zip archive.

    Parameters
    ----------
    path : Path
        The file.
    max_bytes : int
        What all members together may unpack to.

    Yields
    ------
    Archive

    Raises
    ------
    FileError
        If it is damaged.
    """
    try:
        file = zipfile.ZipFile(path)
    except (*_BROKEN, NotImplementedError, RuntimeError) as error:
        raise damaged(path, error) from None
    with file:
        yield Archive(file, path, max_bytes)


def damaged(path: Path, error: BaseException) -> FileError:
    """Return the error for an archive that cannot be unpacked."""
    said = str(error).splitlines()[0] if str(error) else type(error).__name__
    return Where(path).error(f"the archive is damaged ({said}). Copy the file again.")


def kind_of_zip(path: Path) -> str:
    """Find out what a zip archive is, by what is in it.

    Parameters
    ----------
    path : Path
        The file.

    Returns
    -------
    str
        "sheet" for a spreadsheet, "inspect" for a log.

    Raises
    ------
    FileError
        For anything else, which is to be unpacked first.
    """
    with zipped(path, _CHUNK) as archive:
        names = set(archive.names)
        if "xl/workbook.xml" in names or ("content.xml" in names and _is_ods(archive)):
            return "sheet"
        if "header.json" in names or "_journal/start.json" in names:
            return "inspect"
    raise Where(path).error("this is a zip archive: unpack it, and give what is in it.")


def _is_ods(archive: Archive) -> bool:
    return "mimetype" not in archive.names or b"spreadsheet" in archive.read("mimetype")[:200]


def log_text(path: Path, max_bytes: int) -> str:
    """Read an archive of Inspect as the text of its `.json` log: the model, the task, and the scores of samples.

    Parameters
    ----------
    path : Path
        The file.
    max_bytes : int
        What all members together may unpack to.

    Returns
    -------
    str
        JSON.

    Raises
    ------
    MissingPackageError
        If the archive is packed in a way that needs `inspect_ai`.
    """
    try:
        with zipped(path, max_bytes) as archive:
            log = _header(archive, path)
            log["samples"] = [
                {key: sample.get(key) for key in ("id", "epoch", "scores")}
                for name in archive.names
                if name.startswith("samples/") and name.endswith(".json")
                for sample in [_object(archive, name, path)]
            ]
    except FileError as error:
        if "not known here" not in str(error):
            raise
        log = _by_its_own_package(path)
    return json.dumps(log)


def _header(archive: Archive, path: Path) -> dict[str, Any]:
    """What the evaluation was; a log that was not ended has only its start."""
    if "header.json" in archive.names:
        found = _object(archive, "header.json", path)
        return {key: found.get(key) for key in ("version", "status", "eval")}
    return {"status": "started", "eval": _object(archive, "_journal/start.json", path).get("eval")}


def _object(archive: Archive, name: str, path: Path) -> dict[str, Any]:
    data = archive.read(name)
    try:
        found = json.loads(data)
    except (ValueError, RecursionError):
        raise Where(path).error(f"{name!r} in it is not JSON.") from None
    return found if isinstance(found, dict) else {}


def _by_its_own_package(path: Path) -> dict[str, Any]:
    """Newer archives are packed in a way that Python's zipfile may not know."""
    try:
        from inspect_ai.log import read_eval_log
    except ImportError:
        raise MissingPackageError.needed(f"{path}: this Inspect log", "inspect_ai", "inspect-ai") from None
    log = json.loads(read_eval_log(str(path)).model_dump_json(include={"version", "status", "eval", "samples"}))
    return log if isinstance(log, dict) else {}


#: What pip installs for spreadsheets.
SHEETS_EXTRA = "tauscope[sheets]"
#: Rows times columns of a sheet: a cell far from the others would else make a table that no memory holds.
MAX_SHEET_CELLS = 10_000_000
_REFERENCE = re.compile(rb"""\sr\s*=\s*["']([A-Za-z]{1,4})([0-9]{1,10})["']""")


def sheet_text(path: Path, max_bytes: int) -> tuple[str, str]:
    """Read a sheet of a spreadsheet as text, one line per row and tabs between cells.

    Parameters
    ----------
    path : Path
        The file, with `#` and the name of a sheet if there are several.
    max_bytes : int
        What the archive and the text may hold.

    Returns
    -------
    tuple of str
        The text, and what to say of it: which sheet it was.

    Raises
    ------
    FileError
        If the file is damaged, several sheets hold cells and none was named, or cells lie too far apart.
    MissingPackageError
        If python-calamine is not installed.
    """
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
