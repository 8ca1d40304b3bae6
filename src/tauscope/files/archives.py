"""Zip archives of strangers: what one is, and its members unpacked within limits."""

from __future__ import annotations

import io
import struct
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ..errors import FileError, Option
from .places import Where

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
