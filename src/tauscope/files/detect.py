"""What is it? The format of a text by its first lines, and the list of the formats that are read."""

from __future__ import annotations

from pathlib import Path

from .. import checking
from ..errors import FileError
from . import rankings
from .formats import autojudge, delimited, frames, nested, trec_eval
from .formats.base import Format
from .layouts import layout, table_layout
from .streams import MAX_BYTES, Text, compression, open_start

#: The formats of text files, asked in this order whether they recognise one; a table is what nothing else is.
FORMATS: tuple[Format, ...] = (nested.FORMAT, autojudge.FORMAT, trec_eval.FORMAT, delimited.FORMAT)
#: Every `format=` that can be asked for: the layouts of tables first.
NAMES = tuple(dict.fromkeys(name for one in reversed(FORMATS) for name in one.names))


def check_format(wanted: str | None) -> None:
    """Only a format that is known can be asked for."""
    if wanted is not None:
        checking.one_of(wanted, NAMES, "format")


def recognised(text: Text, wanted: str | None = None) -> tuple[Format, str]:
    """The format asked for, or else the one that recognises the first lines, and the name that it gives them."""
    if wanted is not None:
        return next((one, wanted) for one in FORMATS if wanted in one.names and one.takes(text.head, wanted))
    return next((one, name) for one in FORMATS if (name := one.recognise(text.head)))


def detect_format(path: str | Path, *, max_bytes: int = MAX_BYTES) -> str:
    """What is this file?

    Parameters
    ----------
    path : str or Path
        The file.
    max_bytes : int
        A file that unpacks to more is refused.

    Returns
    -------
    str
        "wide", "matrix", "long", "measures", "table" (systems by measures), "ranking", "trec_eval", "ir_measures",
        "tot", "autojudge-ranking" or "json".

    Raises
    ------
    FileError
        Where the columns leave it open: the error that the readers would raise.
    """
    file = Path(path)
    if compression(file) == "parquet":
        look = frames.Frame(frames.read_parquet(file, max_bytes)[0], str(file)).look()
    else:
        with open_start(file, max_bytes=max_bytes) as text:
            name = recognised(text)[1]
            if name != "table":
                return name
            table = delimited.Table(text)
            if rankings.is_list(table):
                return "ranking"
            look = table.look()
    try:
        return layout(look).kind
    except FileError:
        try:
            table_layout(look)
        except FileError:
            pass
        else:
            return "table"
        raise
