"""What is it? The format of a text by its first lines, and the list of the formats that are read."""

from __future__ import annotations

from pathlib import Path

from .. import checking
from ..errors import FileError
from . import folders, rankings
from .archives import part_of
from .formats import autojudge, delimited, frames, mt_metrics, nested, trec_eval
from .formats.base import Format
from .layouts import layout, table_layout
from .streams import MAX_BYTES, Text, Where, compression, open_start

#: The formats of text files, asked in this order whether they recognise one; a table is what nothing else is.
FORMATS: tuple[Format, ...] = (
    mt_metrics.FORMAT,
    nested.FORMAT,
    autojudge.FORMAT,
    trec_eval.FORMAT,
    delimited.FORMAT,
)
#: Every `format=` that can be asked for: the layouts of tables first.
NAMES = tuple(dict.fromkeys([*(name for one in reversed(FORMATS) for name in one.names), *folders.NAMES]))


def check_format(wanted: str | None) -> None:
    """Only a format that is known can be asked for."""
    if wanted is not None:
        checking.one_of(wanted, NAMES, "format")


def recognised(text: Text, wanted: str | None = None) -> tuple[Format, str]:
    """The format asked for, or else the one that recognises the first lines, and the name that it gives them."""
    if wanted is not None:
        found = next(((one, wanted) for one in FORMATS if wanted in one.names and one.takes(text.head, wanted)), None)
        if found is None:
            raise Where(text.path).error(f"this file is not what format={wanted!r} says.")
        return found
    return next((one, name) for one in FORMATS if (name := one.named(text.path) or one.recognise(text.head)))


def detect_format(path: str | Path, *, max_bytes: int = MAX_BYTES) -> str:
    """What is this file?

    Parameters
    ----------
    path : str or Path
        The file, or a folder that a tool wrote.
    max_bytes : int
        A file that unpacks to more is refused.

    Returns
    -------
    str
        "wide", "matrix", "long", "measures", "table" (systems by measures), "ranking", "trec_eval", "ir_measures",
        "tot", "autojudge-ranking", "json", or the tool that wrote the file or the folder: "mteb", "mt-metrics",
        "lm-eval-results", "lm-eval-samples", "inspect", "helm-stats", "helm-instances", "alpaca-eval".

    Raises
    ------
    FileError
        Where the columns leave it open: the error that the readers would raise.
    """
    file = Path(path)
    place = part_of(file)[0]
    if place.is_dir() and (folder := folders.folder_kind(place, None)):
        return folder.name
    if compression(file) == "parquet":
        look = frames.Frame(frames.read_parquet(file, max_bytes)[0], str(file)).look()
    else:
        with open_start(file, max_bytes=max_bytes) as text:
            name = recognised(text)[1]
            if name != "table":
                return nested.kind_of(text) if name == "json" else name
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
