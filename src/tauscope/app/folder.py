"""The folder of one app: removed when it ends, and after a crash when the next one starts."""

from __future__ import annotations

import contextlib
import os
import shutil
import tempfile
from pathlib import Path
from typing import IO, Any

_LOCK = "lock"


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
