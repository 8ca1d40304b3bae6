"""The JavaScript that draws the charts: Vega, Vega-Lite and Vega-Embed as one script, made once and kept.

Making it takes two to three seconds and holds the interpreter, so another process makes it while we compute.
"""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
import tempfile
import weakref
from importlib.metadata import version
from pathlib import Path

from ..errors import Advice, MissingPackageError, TauscopeError

#: The interpreter of expressions that needs no `eval` is inside Vega-Embed.
_SNIPPET = "window.vegaEmbed=vegaEmbed;"
_MAKE = f"import sys, vl_convert; sys.stdout.buffer.write(vl_convert.javascript_bundle({_SNIPPET!r}).encode())"


def cache_folder() -> Path:
    """Where this user keeps what can be made again."""
    if os.name == "nt":
        home = os.environ.get("LOCALAPPDATA") or str(Path.home() / "AppData" / "Local")
    elif sys.platform == "darwin":
        home = str(Path.home() / "Library" / "Caches")
    else:
        home = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    return Path(home) / "tauscope"


class Bundle:
    """The script, from the cache or on its way. Make one early and ask for `.text()` late."""

    def __init__(self, folder: Path | None = None) -> None:
        try:
            import vl_convert  # noqa: F401
        except ImportError:
            way_out = Advice("Run: pip install vl-convert-python")
            raise MissingPackageError("The page needs vl-convert-python, which is not installed.", way_out) from None
        name = f"vega-{version('vl-convert-python')}-{hashlib.sha256(_SNIPPET.encode()).hexdigest()[:8]}.js"
        try:
            self.file: Path | None = (folder or cache_folder()) / name
        except RuntimeError:  # no home folder
            self.file = None
        self._text = _read(self.file)
        self._maker = (
            None
            if self._text
            else subprocess.Popen([sys.executable, "-c", _MAKE], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        )
        # A report that nobody renders must not leave the process behind.
        self._stop = None if self._maker is None else weakref.finalize(self, _stop, self._maker)

    def text(self) -> str:
        """The script; waits where it is still being made."""
        if self._maker is not None:
            made, said = self._maker.communicate()
            if self._maker.returncode:
                raise TauscopeError(
                    f"The script of the charts could not be made: {said.decode(errors='replace')[-400:]}"
                )
            self._maker, self._text = None, made.decode()
            _keep(self.file, self._text)
        return self._text

    def close(self) -> None:
        """Stops the making, where nobody waits for it any more."""
        if self._stop is not None:
            self._stop()
            self._maker = None


def _stop(maker: subprocess.Popen[bytes]) -> None:
    if maker.returncode is None:
        maker.kill()
        maker.communicate()


def _read(file: Path | None) -> str:
    """What was kept, or nothing where it is not there, damaged, or another user could have written it."""
    try:
        if file is None or not _own(file):
            return ""
        digest, _, text = file.read_bytes().partition(b"\n")
        return text.decode() if hashlib.sha256(text).hexdigest().encode() == digest else ""
    except (OSError, UnicodeDecodeError):
        return ""


def _own(file: Path) -> bool:
    """Whether only this user can write the file and its folder: it becomes part of pages that people open."""
    if os.name != "posix":
        return True
    return all(
        status.st_uid == os.getuid() and not status.st_mode & 0o022 for status in (file.stat(), file.parent.stat())
    )


def _keep(file: Path | None, text: str) -> None:
    """Keeps it for the next page; a folder that cannot be written is no error."""
    if file is None:
        return
    content = text.encode()
    try:
        file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=file.parent, delete=False) as target:
            target.write(hashlib.sha256(content).hexdigest().encode() + b"\n" + content)
        os.replace(target.name, file)
    except OSError:
        return
