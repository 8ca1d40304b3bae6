"""The files of a session: what was dropped or named in the shell, and what was read from each."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import re
import shutil
import tempfile
import unicodedata
from collections import OrderedDict
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

from ..errors import Advice, CallError, FileError
from ..io.read import run_name
from .guard import Limits, megabytes
from .reading import Understood, understand
from .workers import Pool

#: Readings that are kept: another layout of the same file is another reading.
KEPT = 2000
LONGEST_NAME = 200
_LOCK = "lock"


@dataclass(frozen=True, kw_only=True)
class Shelved:
    """One file: where it is, what the user calls it, and an id made of its content."""

    id: str
    name: str
    path: Path
    bytes: int
    dropped: bool


@dataclass(kw_only=True)
class Shelf:
    """All files of a session, in the order in which they came."""

    folder: Folder
    pool: Pool
    limits: Limits
    files: dict[str, Shelved] = field(default_factory=dict)
    #: Bytes of files that are still on their way.
    _coming: int = 0
    _read: OrderedDict[tuple[str, str], Understood] = field(default_factory=OrderedDict)

    async def add(self, name: str, body: AsyncIterator[bytes]) -> Shelved:
        """Keeps what is being sent, counted while it comes."""
        shown = checked_name(name)
        path = self.folder.new(_safe(shown))
        digest, size = hashlib.sha256(), 0
        try:
            with path.open("wb") as target:
                async for chunk in body:
                    size += len(chunk)
                    self._coming += len(chunk)
                    if self._kept() + self._coming > self.limits.upload_bytes:
                        raise FileError(
                            f"{shown}: with it the files would be more than {megabytes(self.limits.upload_bytes)}, the "
                            "limit of this app.",
                            Advice("Remove files, or name it on the command line: tauscope serve FILE."),
                        )
                    digest.update(chunk)
                    target.write(chunk)
        except BaseException:
            _remove(path)
            raise
        finally:
            self._coming -= size
        return self._keep(Shelved(id=digest.hexdigest()[:12], name=shown, path=path, bytes=size, dropped=True))

    def _kept(self) -> int:
        return sum(file.bytes for file in self.files.values() if file.dropped)

    def name_file(self, path: Path) -> Shelved:
        """A file that the shell named: it is read where it is."""
        digest, size = hashlib.sha256(), 0
        with path.open("rb") as source:
            while chunk := source.read(1 << 20):
                digest.update(chunk)
                size += len(chunk)
        found = Shelved(id=digest.hexdigest()[:12], name=path.name, path=path.resolve(), bytes=size, dropped=False)
        return self._keep(found)

    def _keep(self, file: Shelved) -> Shelved:
        """The same content again is the same file."""
        if file.id in self.files:
            if file.dropped:
                _remove(file.path)
            return self.files[file.id]
        self.files[file.id] = file
        return file

    def remove(self, id: str) -> None:
        """Forgets a file, and deletes it where it was dropped."""
        file = self[id]
        del self.files[id]
        for key in [key for key in self._read if key[0] == id]:
            del self._read[key]
        if file.dropped:
            _remove(file.path)

    def __getitem__(self, id: str) -> Shelved:
        if id not in self.files:
            raise CallError("This file is not here any more.", Advice("Drop it again."))
        return self.files[id]

    def labels(self) -> dict[str, str]:
        """What each file is called in answers: without its endings where that tells them apart."""
        names = [run_name(file.name) for file in self.files.values()]
        alike = {name for name in names if names.count(name) > 1}
        full = [file.name for file in self.files.values()]
        return {
            file.id: name
            if name not in alike
            else file.name
            if full.count(file.name) == 1
            else f"{file.name} {file.id}"
            for file, name in zip(self.files.values(), names, strict=True)
        }

    async def read(self, id: str, options: Mapping[str, str]) -> Understood:
        """What is in the file, read with these options; each reading is kept."""
        file = self[id]
        key = id, json.dumps(dict(options), sort_keys=True)
        if key not in self._read:
            found = await self.pool.run(understand, file.path, dict(options), self.limits.upload_bytes)
            self._read[key] = found
            while len(self._read) > KEPT:
                self._read.popitem(last=False)
        self._read.move_to_end(key)
        return self._read[key]

    def described(self, file: Shelved, understood: Understood) -> dict[str, Any]:
        """What the page shows of a file."""
        return {"id": file.id, "name": file.name, "bytes": file.bytes, **understood.said}

    def public(self, text: str) -> str:
        """The text without folders of this machine: files are called what the user calls them.

        `text` is JSON, in which a path stands as JSON writes it.
        """
        inside = json.dumps(str(self.folder.path))[1:-1]
        text = re.sub(rf"{re.escape(inside)}(?:/|\\\\)+[^/\\\s\"]+(?:/|\\\\)+", "", text)
        for file in self.files.values():
            if not file.dropped:
                text = text.replace(json.dumps(str(file.path))[1:-1], json.dumps(file.name)[1:-1])
        return text.replace(inside, "(this app's folder)")


def checked_name(name: str) -> str:
    """The name of a file, and only that: no folders, nothing that cannot be seen."""
    bad = not name or name in (".", "..") or len(name) > LONGEST_NAME or any(mark in name for mark in "/\\")
    if bad or any(unicodedata.category(letter) in ("Cc", "Cs") for letter in name):
        raise CallError(
            f"A file has a name of at most {LONGEST_NAME} characters, without folders and control characters."
        )
    return name


def _safe(name: str) -> str:
    """A name that every file system takes; runs without a tag are called by it."""
    return re.sub(r"[^\w.+@=-]", "_", name)[-100:].lstrip(".") or "file"


def _remove(path: Path) -> None:
    path.unlink(missing_ok=True)
    path.parent.rmdir()


class Folder:
    """A private folder for what was dropped and made; `close()` removes it."""

    def __init__(self, base: Path | None = None) -> None:
        home = base or _home()
        home.mkdir(mode=0o700, parents=True, exist_ok=True)
        _refuse_strangers(home)
        remove_left_over(home)
        self.path = Path(tempfile.mkdtemp(prefix="session-", dir=home))
        self._lock = (self.path / _LOCK).open("wb")
        _take(self._lock)

    def new(self, name: str) -> Path:
        """A path of that name in a folder of its own."""
        return Path(tempfile.mkdtemp(dir=self.path)) / name

    def close(self) -> None:
        """Removes everything."""
        self._lock.close()
        shutil.rmtree(self.path, ignore_errors=True)


def remove_left_over(home: Path) -> None:
    """Removes folders whose app is gone: nobody holds their lock."""
    for session in home.glob("session-*"):
        lock = session / _LOCK
        try:
            with lock.open("r+b") as file:
                _take(file)
        except FileNotFoundError:
            pass  # killed before it had one
        except OSError:
            continue  # its app is running
        shutil.rmtree(session, ignore_errors=True)


def _home() -> Path:
    own = f"tauscope-{os.getuid()}" if hasattr(os, "getuid") else "tauscope"
    return Path(tempfile.gettempdir()) / own


def _refuse_strangers(home: Path) -> None:
    """A folder that another user made in the shared temporary folder is not ours to write to."""
    if hasattr(os, "getuid"):
        status = home.lstat()
        if status.st_uid != os.getuid() or not home.is_dir() or home.is_symlink():
            raise PermissionError(f"{home} belongs to somebody else; set TMPDIR to a folder of your own.")
        home.chmod(0o700)


def _take(file: IO[bytes]) -> None:
    """Locks a file; an `OSError` where another process has it."""
    with contextlib.suppress(ImportError):
        import fcntl

        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        return
    import importlib

    windows: Any = importlib.import_module("msvcrt")
    windows.locking(file.fileno(), windows.LK_NBLCK, 1)
