"""Folders that evaluation tools write: what each is, and the scores in it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

from . import documents
from .formats import mt_metrics, mteb
from .pieces import Piece
from .streams import Where, open_start

#: What is read of the folders below the one given.
_FILES = {
    "helm-instances": "per_instance_stats.json",
    "helm-stats": "stats.json",
    "lm-eval-samples": "samples_*.jsonl",
    "lm-eval-results": "results*.json",
}
_MAX_FILES = 100_000
Reader = Callable[[Path], Piece]
#: Takes the folder, the part of it that is asked for, how large files may be, and what reads one of them.
Read = Callable[[Path, str, int, Reader], Iterator[Piece]]


@dataclass(frozen=True, kw_only=True)
class Folder:
    """One kind of folder that a tool writes.

    Attributes
    ----------
    name : str
        What `format=` may ask for.
    fits : callable
        Whether a folder is one.
    read : callable
        Takes the folder, the part of it that is asked for, how large files may be, and the reader of one file; goes
        through the pieces.
    """

    name: str
    fits: Callable[[Path], bool]
    read: Read


def _mteb(*, subsets: bool) -> Read:
    def read(folder: Path, part: str, max_bytes: int, reader: Reader) -> Iterator[Piece]:
        def parse(path: Path) -> Any:
            with open_start(path, max_bytes=max_bytes) as text:
                return documents.parse_json("".join(text.lines()), path)

        _whole(folder, part)
        yield mteb.read_folder(folder, parse, subsets=subsets)

    return read


def _mt_metrics(level: str) -> Read:
    def read(folder: Path, part: str, max_bytes: int, reader: Reader) -> Iterator[Piece]:
        yield from map(reader, mt_metrics.files_of(folder, level, part))

    return read


def _below(pattern: str) -> Read:
    def read(folder: Path, part: str, max_bytes: int, reader: Reader) -> Iterator[Piece]:
        _whole(folder, part)
        files = list(islice(folder.rglob(pattern), _MAX_FILES + 1))
        if len(files) > _MAX_FILES:
            raise Where(folder).error(f"more than {_MAX_FILES:,} files are called {pattern}; so many are not read.")
        if not files:
            raise Where(folder).error(f"there is no file called {pattern} in it.")
        yield from map(reader, sorted(files))

    return read


def _whole(folder: Path, part: str) -> None:
    if part:
        raise Where(folder).error(f"it is read as a whole, and has no part {part!r}.")


def _has(pattern: str) -> Callable[[Path], bool]:
    """Files of this name in folders below, and no others that are read by themselves."""

    def fits(folder: Path) -> bool:
        below = next(folder.glob(f"*/{pattern}"), None) or next(folder.glob(f"*/*/{pattern}"), None)
        return (next(folder.glob(pattern), None) or below) is not None

    return fits


def _never(folder: Path) -> bool:
    return False


#: Asked in this order whether a folder is one; those that never fit are asked for by name.
FOLDERS: tuple[Folder, ...] = (
    Folder(name="mteb", fits=mteb.is_folder, read=_mteb(subsets=False)),
    Folder(name="mteb-subsets", fits=_never, read=_mteb(subsets=True)),
    Folder(name="mt-metrics", fits=mt_metrics.is_folder, read=_mt_metrics("seg")),
    Folder(name="mt-metrics-systems", fits=_never, read=_mt_metrics("sys")),
    Folder(name="mt-metrics-domains", fits=_never, read=_mt_metrics("domain")),
    *(Folder(name=name, fits=_has(pattern), read=_below(pattern)) for name, pattern in _FILES.items()),
)
#: Every `format=` that a folder can be asked for by.
OF_FOLDERS = tuple(one.name for one in FOLDERS)


def folder_kind(path: Path, wanted: str | None) -> Folder | None:
    """Find what kind of folder this is.

    Parameters
    ----------
    path : Path
        The folder.
    wanted : str or None
        The kind that was asked for.

    Returns
    -------
    Folder or None
        None for a folder of files that are read one by one.
    """
    if wanted is not None:
        return next((one for one in FOLDERS if one.name == wanted), None)
    return next((one for one in FOLDERS if one.fits(path)), None)
