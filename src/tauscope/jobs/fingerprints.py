"""What decides the numbers of a run: its task, its arguments, its seed, and the versions that compute them."""

from __future__ import annotations

import functools
import hashlib
import platform
import struct
from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass
from enum import Enum
from importlib import metadata
from pathlib import PurePath
from typing import Any

import numpy as np

from .. import __version__, kernels
from ..errors import Advice, CallError

#: What a cell may be called: it stands in a checkpoint and comes back from there the same.
Key = str | int | tuple[str | int, ...]


#: Parts of a fingerprint that say less than any other that differs.
_OPAQUE = ("arguments", "cells")


def environment() -> dict[str, str]:
    """The versions on which numbers depend, here. Driver and workers must have the same."""
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
    """'numpy 2.4.6 here, 1.26.4 there', or nothing where the two are the same."""
    names = [name for name in dict.fromkeys([*here, *there]) if here.get(name) != there.get(name)]
    told = [name for name in names if name not in _OPAQUE]
    names = told or names
    return "; ".join(f"{name} {here.get(name, 'unknown')} here, {there.get(name, 'unknown')} there" for name in names)


def identity(
    task: Callable[..., Any],
    cells: Mapping[Key, tuple[Any, ...]],
    seed: int | None,
    about: Mapping[str, Any] | None = None,
    same: Any = None,
) -> dict[str, str]:
    """The fingerprint of a run, in parts, so that an error can say which differ; `about` are parts for people.

    `same`: what the cells of a run that may be extended have in common, instead of all that they are given.
    """
    digest = hashlib.sha256()
    arrays: dict[int, bytes] = {}  # cells share large arrays: each is read once
    for key, arguments in cells.items() if same is None else ():
        _feed(digest, key, arrays)
        _feed(digest, arguments, arrays)
    if same is not None:
        _feed(digest, same, arrays)
    return {
        "task": f"{task.__module__}.{task.__qualname__}",
        **{name: str(value) for name, value in (about or {}).items()},
        **({"cells": str(len(cells))} if same is None else {}),
        "arguments": digest.hexdigest()[:16],
        "seed": str(seed),
        **environment(),
    }


def marks(cells: Mapping[Key, tuple[Any, ...]]) -> dict[Key, str]:
    """For each cell a text that changes with its arguments."""
    arrays: dict[int, bytes] = {}
    found = {}
    for key, arguments in cells.items():
        digest = hashlib.sha256()
        _feed(digest, arguments, arrays)
        found[key] = digest.hexdigest()[:16]
    return found


def _feed(digest: Any, value: Any, arrays: dict[int, bytes]) -> None:
    """Equal values give equal bytes. (Pickles do not: they tell whether two equal parts are one object.)"""
    if isinstance(value, np.ndarray) and value.dtype != object:
        if id(value) not in arrays:
            dtype = value.dtype.newbyteorder("<")
            content = hashlib.sha256(np.ascontiguousarray(value, dtype).tobytes())
            arrays[id(value)] = f"array {dtype.str} {value.shape} ".encode() + content.digest()
        digest.update(arrays[id(value)])
    elif isinstance(value, (Enum, PurePath)):
        digest.update(f"{type(value).__name__} {value} ".encode())
    elif isinstance(value, np.generic):
        _feed(digest, value.item(), arrays)
    elif isinstance(value, float):
        digest.update(b"float " + struct.pack("<d", value))
    elif value is None or isinstance(value, (bool, int, str, bytes)):
        digest.update(f"{type(value).__name__} {value!r} ".encode())
    elif isinstance(value, (tuple, list)):
        digest.update(f"sequence {len(value)} ".encode())
        for part in value:
            _feed(digest, part, arrays)
    elif isinstance(value, Mapping):
        digest.update(f"mapping {len(value)} ".encode())
        for name, part in value.items():
            _feed(digest, name, arrays)
            _feed(digest, part, arrays)
    elif is_dataclass(value) and not isinstance(value, type):
        digest.update(f"{type(value).__qualname__} ".encode())
        for one in fields(value):
            _feed(digest, one.name, arrays)
            _feed(digest, getattr(value, one.name), arrays)
    else:
        raise CallError(
            f"An argument of a cell is a {type(value).__name__}, which has no fingerprint.",
            Advice("Use arrays, numbers, texts, dataclasses and lists, tuples or dicts of them."),
        )
