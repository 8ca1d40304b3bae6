"""Checkpoints: every finished cell is on disk at once, and what a kill tore off is recognised and done again.

A checkpoint is a text file: a line that says what was asked, then one line per cell, each with the checksum of its
content. Values are JSON, arrays included, so that reading a checkpoint of a stranger runs nothing.
"""

from __future__ import annotations

import base64
import binascii
import json
import os
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import IO, Any

import numpy as np

from ..errors import Advice, FileError, TauscopeError
from .fingerprints import Key, difference

FORMAT = "tauscope checkpoint 1"
#: What the checkpoint of a study is called in the folder of its results.
STUDY_CELLS = "study.cells"


def beside(path: Path, what: str) -> Path:
    """The checkpoint of a part that comes first, beside that of the whole: study.fits.cells beside study.cells."""
    return path.with_name(f"{path.stem}.{what}{path.suffix}")


def encoded(value: Any) -> str:
    """A value of a cell as one line of JSON."""
    try:
        _check_keys(value)
        return json.dumps(value, default=_special, separators=(",", ":"))
    except (TypeError, ValueError) as error:
        raise TauscopeError(
            f"a cell gave a {type(value).__name__} that cannot be kept ({error}).",
            Advice("Use numbers, texts, arrays, lists and dicts with text keys."),
        ) from None


def decoded(text: str) -> Any:
    """What `encoded` encoded; tuples come back as lists."""
    return json.loads(text, object_hook=_ordinary)


def _check_keys(value: Any) -> None:
    """JSON would make texts of numbers without a word."""
    if isinstance(value, dict):
        odd = next((key for key in value if not isinstance(key, str)), None)
        if odd is not None:
            raise TypeError(f"the key {odd!r} is no text")
        value = list(value.values())
    if isinstance(value, (list, tuple)):
        for part in value:
            _check_keys(part)


def _special(value: Any) -> Any:
    if isinstance(value, np.ndarray) and value.dtype.kind in "biuf":
        dtype = value.dtype.newbyteorder("<")
        data = base64.b64encode(np.ascontiguousarray(value, dtype).tobytes()).decode("ascii")
        return {"__array__": data, "dtype": dtype.str, "shape": list(value.shape)}
    if isinstance(value, np.generic):
        return value.item()
    raise TypeError(f"{type(value).__name__} is no JSON")


def _ordinary(found: dict[str, Any]) -> Any:
    if "__array__" not in found:
        return found
    flat = np.frombuffer(base64.b64decode(found["__array__"]), np.dtype(found["dtype"]))
    return flat.reshape(found["shape"]).astype(flat.dtype.newbyteorder("="))


def _line(content: str) -> bytes:
    data = content.encode("utf-8")
    return b"%08x %s\n" % (binascii.crc32(data), data)


def _content(line: bytes) -> str | None:
    """The content of a line, or None where it is not what was written."""
    if not line.endswith(b"\n") or line[8:9] != b" ":
        return None
    data = line[9:-1]
    return data.decode("utf-8") if b"%08x" % binascii.crc32(data) == line[:8] else None


class Checkpoint:
    """The file of one run, open and locked. `done` are the cells found in it, as encoded values."""

    def __init__(self, path: Path, asked: Mapping[str, str]) -> None:
        self.path = path
        self.done: dict[Key, str] = {}
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._file = path.open("a+b")
        except OSError as error:
            raise FileError(f"{path}: it cannot be written ({error.strerror or error}).") from None
        try:
            _lock(self._file, path)
            self._open(asked)
        except BaseException:
            self._file.close()
            raise

    def _open(self, asked: Mapping[str, str]) -> None:
        self._file.seek(0)
        lines = self._file.readlines()
        if not lines or (len(lines) == 1 and not lines[0].endswith(b"\n")):  # new, or killed while it was made
            self._file.truncate(0)
            self._write(json.dumps({"format": FORMAT, "asked": dict(asked)}))
            return
        self._check_head(_content(lines[0]), asked)
        for line in lines[1:]:
            content = _content(line)
            if content is None:  # damaged: its cell is simply done again
                continue
            key, value = content.split("\t", 1)
            self.done[_key(json.loads(key))] = value
        if not lines[-1].endswith(b"\n"):
            self._file.truncate(sum(map(len, lines[:-1])))

    def _check_head(self, content: str | None, asked: Mapping[str, str]) -> None:
        head = json.loads(content) if content else {}
        if not isinstance(head, dict) or head.get("format") != FORMAT:
            raise FileError(
                f"{self.path}: it is no checkpoint of this version.", Advice("Give another file, or remove this one.")
            )
        if what := difference(asked, head.get("asked", {})):
            raise FileError(
                f"{self.path}: this checkpoint is of another run ({what}).",
                Advice("Repeat the command that made it, give another folder, or remove the file to start over."),
            )

    def add(self, key: Key, value: str) -> None:
        """One finished cell; when this returns, it survives a crash of the machine."""
        self._write(f"{json.dumps(key)}\t{value}")
        self.done[key] = value

    def _write(self, content: str) -> None:
        """A line, on the disk when this returns; where the disk is full, what was there before is there still."""
        line, descriptor = _line(content), self._file.fileno()
        self._file.flush()
        size = os.fstat(descriptor).st_size
        try:
            # Past Python's buffer, which would keep half a line and write it later.
            while line:
                line = line[os.write(descriptor, line) :]
            os.fsync(descriptor)
        except OSError as error:
            with suppress(OSError):
                os.ftruncate(descriptor, size)
            kept = f"; the {len(self.done):,} cells that are in it stay" if self.done else ""
            raise FileError(
                f"{self.path}: it cannot be written ({error.strerror or error}){kept}.",
                Advice("Make room, and repeat the call: it goes on where it stopped."),
            ) from None

    def close(self) -> None:
        self._file.close()


def _key(found: Any) -> Key:
    return tuple(found) if isinstance(found, list) else found


def _lock(file: IO[bytes], path: Path) -> None:
    """Two runs at one checkpoint would do everything twice."""
    try:
        import fcntl
    except ImportError:  # Windows: two at a time are not noticed
        return
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        wait = Advice("Wait until it has ended.")
        raise FileError(f"{path}: another run is writing to this checkpoint.", wait) from None
    except OSError:  # a file system without locks
        return
