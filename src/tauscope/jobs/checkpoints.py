"""Checkpoints of long runs: the cells that are done, their format, and what must be the same to go on.

A checkpoint is a text file. Its first line says what was asked; each other line has one finished cell, its key and its
value as JSON. Every line begins with its checksum and is on the disk before the next cell is begun, so that whatever a
crash tears off is simply done again.
"""

from __future__ import annotations

import base64
import binascii
import functools
import hashlib
import json
import os
import platform
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import fields, is_dataclass
from enum import Enum
from importlib import metadata
from pathlib import Path, PurePath
from typing import IO, Any

import numpy as np

from .. import __version__
from ..core import kernels
from ..errors import Advice, CallError, FileError, TauscopeError

#: What a cell may be called: it stands in a checkpoint and comes back from there the same.
Key = str | int | tuple[str | int, ...]


#: Parts of a fingerprint that say less than any other that differs.
_OPAQUE = ("arguments", "cells")


def environment() -> dict[str, str]:
    """Return the versions on which numbers depend. Driver and workers must have the same."""
    return {
        "tauscope": __version__,
        "kernels": kernels.implementation(),
        "numpy": np.__version__,
        "scipy": _installed("scipy"),
        "python": ".".join(platform.python_version_tuple()[:2]),
    }


@functools.cache
def _installed(package: str) -> str:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return "not installed"


def difference(here: Mapping[str, str], there: Mapping[str, str]) -> str:
    """Say in which parts two descriptions differ.

    Parameters
    ----------
    here, there : dict
        Name of the part -> its value.

    Returns
    -------
    str
        Such as "numpy 2.4.6 here, 1.26.4 there"; "" if they are the same. Fingerprints are named only if nothing else
        differs.
    """
    names = [name for name in dict.fromkeys([*here, *there]) if here.get(name) != there.get(name)]
    readable = [name for name in names if name not in _OPAQUE]
    names = readable or names
    return "; ".join(f"{name} {here.get(name, 'unknown')} here, {there.get(name, 'unknown')} there" for name in names)


def identity(
    task: Callable[..., Any],
    cells: Mapping[Key, tuple[Any, ...]],
    seed: int | None,
    about: Mapping[str, Any] | None = None,
    same: Any = None,
) -> dict[str, str]:
    """Describe a run in parts, so that an error can say which of them differ.

    Parameters
    ----------
    task : callable
        What is called for every cell.
    cells : dict
        Key -> arguments.
    seed : int or None
        The seed of the run.
    about : dict or None
        Parts for people: what was asked, in words.
    same : object
        What the cells of a run that may be extended have in common; it replaces all that they are given.

    Returns
    -------
    dict
        Part -> text.
    """
    asked = [[key, arguments] for key, arguments in cells.items()] if same is None else same
    return {
        "task": f"{task.__module__}.{task.__qualname__}",
        **{name: str(value) for name, value in (about or {}).items()},
        **({"cells": str(len(cells))} if same is None else {}),
        "arguments": fingerprint(asked, {}),
        "seed": str(seed),
        **environment(),
    }


def marks(cells: Mapping[Key, tuple[Any, ...]]) -> dict[Key, str]:
    """Return for each cell a text that changes with its arguments."""
    arrays: dict[int, str] = {}
    return {key: fingerprint(arguments, arrays) for key, arguments in cells.items()}


def fingerprint(value: Any, arrays: dict[int, str]) -> str:
    """Return a text that is the same for equal values, and another for others.

    It is a digest of JSON, in which an array is its own digest. (Pickles tell whether two equal parts
    are one object, which does not matter here.)

    Parameters
    ----------
    value : object
        Numbers, texts, arrays, paths, dataclasses, and lists, tuples or dicts of them.
    arrays : dict
        The digests of arrays by their identity: cells share large arrays, and each is read once.

    Returns
    -------
    str
        16 hexadecimal digits.

    Raises
    ------
    CallError
        If a part has no fingerprint.
    """

    def described(part: Any) -> Any:
        if isinstance(part, np.ndarray) and part.dtype != object:
            if id(part) not in arrays:
                dtype = part.dtype.newbyteorder("<")
                content = hashlib.sha256(np.ascontiguousarray(part, dtype).tobytes())
                arrays[id(part)] = f"array {dtype.str} {part.shape} {content.hexdigest()}"
            return arrays[id(part)]
        if isinstance(part, np.generic):
            return part.item()
        if isinstance(part, (Enum, PurePath, bytes)):
            return [type(part).__name__, str(part)]
        if is_dataclass(part) and not isinstance(part, type):
            return [type(part).__qualname__, {one.name: getattr(part, one.name) for one in fields(part)}]
        raise CallError(
            f"An argument of a cell is a {type(part).__name__}, which has no fingerprint.",
            Advice("Use arrays, numbers, texts, dataclasses and lists, tuples or dicts of them."),
        )

    return hashlib.sha256(json.dumps(value, default=described).encode()).hexdigest()[:16]


FORMAT = "tauscope checkpoint 1"
#: What the checkpoint of a study is called in the folder of its results.
STUDY_CELLS = "study.cells"


def beside(path: Path, what: str) -> Path:
    """Return the checkpoint of a part that comes first: study.fits.cells beside study.cells.

    Parameters
    ----------
    path : Path
        The checkpoint of the whole.
    what : str
        The part.
    """
    return path.with_name(f"{path.stem}.{what}{path.suffix}")


def encoded(value: Any) -> str:
    """Encode a value of a cell as one line of JSON.

    Parameters
    ----------
    value : object
        Numbers, texts, arrays, and lists and dicts of them.

    Returns
    -------
    str
        Arrays are stored exactly, by their bytes.

    Raises
    ------
    TauscopeError
        If a part cannot be kept.
    """
    try:
        _check_keys(value)
        return json.dumps(value, default=_special, separators=(",", ":"))
    except (TypeError, ValueError) as error:
        raise TauscopeError(
            f"a cell gave a {type(value).__name__} that cannot be kept ({error}).",
            Advice("Use numbers, texts, arrays, lists and dicts with text keys."),
        ) from None


def decoded(text: str) -> Any:
    """Decode what `encoded()` encoded; tuples come back as lists."""
    return json.loads(text, object_hook=_ordinary)


def _check_keys(value: Any) -> None:
    """Raise an error if a dict has keys other than texts: JSON would make texts of them."""
    if isinstance(value, dict):
        wrong = next((key for key in value if not isinstance(key, str)), None)
        if wrong is not None:
            raise TypeError(f"the key {wrong!r} is no text")
        value = list(value.values())
    if isinstance(value, (list, tuple)):
        for part in value:
            _check_keys(part)


def _special(value: Any) -> Any:
    """Encode what JSON does not have: arrays and NumPy scalars."""
    if isinstance(value, np.ndarray) and value.dtype.kind in "biuf":
        dtype = value.dtype.newbyteorder("<")
        data = base64.b64encode(np.ascontiguousarray(value, dtype).tobytes()).decode("ascii")
        return {"__array__": data, "dtype": dtype.str, "shape": list(value.shape)}
    if isinstance(value, np.generic):
        return value.item()
    raise TypeError(f"{type(value).__name__} is no JSON")


def _ordinary(value: dict[str, Any]) -> Any:
    """Decode arrays."""
    if "__array__" not in value:
        return value
    flat = np.frombuffer(base64.b64decode(value["__array__"]), np.dtype(value["dtype"]))
    return flat.reshape(value["shape"]).astype(flat.dtype.newbyteorder("="))


def _line(content: str) -> bytes:
    """Return a line with its checksum."""
    data = content.encode("utf-8")
    return b"%08x %s\n" % (binascii.crc32(data), data)


def _content(line: bytes) -> str | None:
    """Return the content of a line, or None if it is not what was written."""
    if not line.endswith(b"\n") or line[8:9] != b" ":
        return None
    data = line[9:-1]
    return data.decode("utf-8") if b"%08x" % binascii.crc32(data) == line[:8] else None


class Checkpoint:
    """The file of one run, open and locked.

    Parameters
    ----------
    path : Path
        The file; it is made if it does not exist.
    asked : dict
        What was asked, as `identity()` describes it.

    Attributes
    ----------
    done : dict
        Cells found in the file -> their encoded values.

    Raises
    ------
    FileError
        If the file is not a checkpoint, is that of another run, is in use, or cannot be written.
    """

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
        """Read the cells of an old file, or begin a new one; a torn last line is removed."""
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
        """Raise an error if the file is not a checkpoint, or that of another run."""
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
        """Keep one finished cell.

        When this returns, the cell survives a crash of the machine.

        Parameters
        ----------
        key : str, int or tuple of them
            What the cell is called.
        value : str
            Its encoded value.
        """
        self._write(f"{json.dumps(key)}\t{value}")
        self.done[key] = value

    def _write(self, content: str) -> None:
        """Write a line to the disk; if the disk is full, what was there before is there still."""
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
            raise FileError(
                f"{self.path}: it cannot be written ({error.strerror or error})"
                f"{f'; the {len(self.done):,} cells that are in it stay' if self.done else ''}.",
                Advice("Make room, and repeat the call: it goes on where it stopped."),
            ) from None

    def close(self) -> None:
        """Close the file, which unlocks it."""
        self._file.close()


def _key(key: Any) -> Key:
    """Return a key as it was before JSON: tuples come back as lists."""
    return tuple(key) if isinstance(key, list) else key


def _lock(file: IO[bytes], path: Path) -> None:
    """Lock the file; two runs at one checkpoint would do everything twice."""
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
