"""Files of groups: which team a system is of, which family a task."""

from __future__ import annotations

import csv
from pathlib import Path

from .formats import mt_metrics
from .look import role_of
from .streams import MAX_BYTES, Where, open_start, open_text

#: What the column of groups is called, where there is a header; that of names has a name that any table knows.
_HEADS = ("group", "team", "family", "category", "kind")


#: mt-metrics-eval's file of the documents of segments.
_DOCUMENTS = (".docs", ".docs.gz")


class Groups(dict[str, str]):
    """Name -> group, and the file that says so: a page lists the files it was made from."""

    file: str = ""


def read_groups(path: str | Path, *, max_bytes: int = MAX_BYTES) -> Groups:
    """Which name is in which group, from a file of two columns.

    Parameters
    ----------
    path : str or Path
        A CSV or TSV file, name and group in each line; a first line such as `system,group` is a header. A file `.docs`
        of mt-metrics-eval gives the document of each segment, by number.
    max_bytes : int
        A file that unpacks to more is refused.

    Returns
    -------
    Groups
        A dict, name -> group, whose `.file` is the file.

    Raises
    ------
    FileError
        Where a line has more or fewer than two columns, a name has two groups, or the file is no UTF-8 text.
    """
    file = Path(path)
    found = Groups()
    found.file = str(path)
    if file.name.endswith(_DOCUMENTS):
        with open_start(file, max_bytes=max_bytes) as text:
            found.update(mt_metrics.read_documents(text))
        return found
    with open_text(file, max_bytes=max_bytes) as stream:
        first = stream.readline()
        delimiter = "\t" if "\t" in first and "," not in first else ","
        reader = csv.reader([first, *stream], delimiter=delimiter, strict=True)
        try:
            for row in reader:
                if any(cell.strip() for cell in row):
                    _add(found, row, Where(file, reader.line_num), header=reader.line_num == 1)
        except csv.Error as error:
            raise Where(file, reader.line_num).error(f"the quotes of this line are damaged ({error}).") from None
    if not found:
        raise Where(file).error("there is no line of a name and its group.")
    return found


def _add(found: Groups, row: list[str], where: Where, *, header: bool) -> None:
    if len(row) != 2:
        columns = "1 column" if len(row) == 1 else f"{len(row)} columns"
        raise where.error(f"{columns}; a file of groups has two, name and group.")
    name, group = (cell.strip() for cell in row)
    if header and (group.lower() in _HEADS or role_of(name) is not None):
        return
    if not name or not group:
        raise where.error(f"the {'name' if not name else 'group'} is empty.")
    if found.setdefault(name, group) != group:
        raise where.error(f"{name!r} is in {found[name]!r} and in {group!r}; give it one group.")
