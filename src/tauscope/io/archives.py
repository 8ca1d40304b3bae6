"""Zip archives of strangers, Inspect's logs among them: members unpacked within limits, and errors with their place."""

from __future__ import annotations

import io
import json
import struct
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from ..errors import Advice, FileError, MissingPackageError, Option


class Where(NamedTuple):
    """A place in a file, as it stands at the start of an error."""

    path: Path
    line: int | None = None

    def __str__(self) -> str:
        return f"{self.path}" if self.line is None else f"{self.path}:{self.line}"

    def error(self, text: str, *ways_out: Option | Advice) -> FileError:
        """The error that starts with this place."""
        return FileError(f"{self}: {text}", *ways_out)


#: Members that an archive may have; more are no spreadsheet and no log.
MAX_MEMBERS = 200_000
_CHUNK = 1 << 20
_BROKEN = (zipfile.BadZipFile, zlib.error, struct.error, EOFError, OSError, ValueError, KeyError, IndexError)


def part_of(path: Path) -> tuple[Path, str]:
    """A file or folder, and the part of it that is asked for: `book.xlsx#Sheet2` where nothing has that whole name."""
    name, mark, part = path.name.rpartition("#")
    try:
        if mark and name and not path.exists() and (file := path.with_name(name)).exists():
            return file, part
    except (OSError, ValueError):
        pass
    return path, ""


class Archive:
    """The members of an archive; what is unpacked is counted, over all of them."""

    def __init__(self, file: zipfile.ZipFile, path: Path, max_bytes: int) -> None:
        self._file, self._path, self._max_bytes, self._left = file, path, max_bytes, max_bytes
        self.names = tuple(file.namelist())
        if len(self.names) > MAX_MEMBERS:
            raise Where(path).error(f"{len(self.names):,} files in one archive; at most {MAX_MEMBERS:,} are read.")

    def read(self, name: str) -> bytes:
        """One member."""
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
        """The same members in a new archive, which holds what was counted here and nothing else."""
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
    """A zip archive that stands open."""
    try:
        file = zipfile.ZipFile(path)
    except (*_BROKEN, NotImplementedError, RuntimeError) as error:
        raise damaged(path, error) from None
    with file:
        yield Archive(file, path, max_bytes)


def damaged(path: Path, error: BaseException) -> FileError:
    """The error for an archive that cannot be unpacked."""
    said = str(error).splitlines()[0] if str(error) else type(error).__name__
    return Where(path).error(f"the archive is damaged ({said}). Copy the file again.")


def kind_of_zip(path: Path) -> str:
    """ "sheet" or "inspect", by what is in the archive; anything else is an error."""
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
    """What `.json` logs say of the model, the task and the scores of samples."""
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
