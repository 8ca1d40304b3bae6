"""The one door for numbers and choices: whole numbers, shares, levels, one of several names; and the count of cores.

NumPy's numbers are taken wherever Python's are; booleans, texts and NaN are no numbers. Each function returns what was
meant as a plain Python value, or raises a `CallError` that names the argument, what it was given, and what it takes.
"""

from __future__ import annotations

import difflib
import math
import numbers
import os
import sys
from collections.abc import Iterable
from typing import Any

from ..errors import CallError

#: What a file may bring at most; beyond it reading stops with an error instead of filling the memory.
MAX_BYTES = 2 << 30


def whole(value: Any, name: str, *, least: int = 0, most: int | None = None) -> int:
    """A whole number within limits, both included; 3.0 is not one, True is not one."""
    if not _is_whole(value) or value < least or (most is not None and value > most):
        limit = f"of at least {least:,}" if most is None else f"from {least:,} to {most:,}"
        raise CallError(f"{name}={_shown(value)}: {name} is a whole number {limit}.")
    return int(value)


def number(value: Any, name: str, *, above: float = -math.inf, below: float = math.inf) -> float:
    """A finite number strictly between two limits."""
    found = _real(value)
    if found is None or not math.isfinite(found) or not above < found < below:
        limits = [f"above {above:g}"] * (above > -math.inf) + [f"below {below:g}"] * (below < math.inf)
        raise CallError(f"{name}={_shown(value)}: {name} is a number{' ' * bool(limits)}{' and '.join(limits)}.")
    return found


def share(value: Any, name: str, *, zero: bool = False, one: bool = False) -> float:
    """A share of something, between 0 and 1; `zero` and `one` say which of the ends belong to it."""
    found = _real(value)
    if found is None or not (0 < found < 1 or (zero and found == 0) or (one and found == 1)):
        ends = f"{'at least' if zero else 'above'} 0 and {'at most' if one else 'below'} 1"
        raise CallError(f"{name}={_shown(value)}: {name} is a share, {ends}, such as 0.25.")
    return found


def level(value: Any, name: str = "level") -> float:
    """A level of confidence, between 0 and 1."""
    found = _real(value)
    if found is None or not 0 < found < 1:
        hint = f" Do you mean {found / 100:g}?" if found is not None and 1 < found < 100 else ""
        raise CallError(f"{name}={_shown(value)} must be between 0 and 1, such as 0.95.{hint}")
    return found


def one_of(value: Any, choices: Iterable[str], name: str) -> str:
    """One of several names; an unknown one is an error with the nearest."""
    known = tuple(choices)
    if isinstance(value, str) and value in known:
        return str(value)
    near = difflib.get_close_matches(str(value), known, 1)
    hint = f" Do you mean {near[0]!r}?" if near else ""
    listed = " or ".join(filter(None, [", ".join(map(repr, known[:-1])), *map(repr, known[-1:])]))
    raise CallError(f"{name}={_shown(value)} is unknown; use {listed}.{hint}")


def flag(value: Any, name: str) -> bool:
    """Yes or no: True or False, NumPy's too, and nothing that could be taken for either."""
    if not isinstance(value, bool) and type(value).__name__ not in ("bool_", "bool"):
        raise CallError(f"{name}={_shown(value)}: {name} is True or False.")
    return bool(value)


def cores() -> int:
    """How many cores this process may use: one in a browser, where no thread can be started."""
    if sys.platform in ("emscripten", "wasi"):
        return 1
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else (os.cpu_count() or 1)


def _is_whole(value: Any) -> bool:
    # NumPy registers its integers as Integral; its booleans are neither Integral nor bool.
    return isinstance(value, numbers.Integral) and not isinstance(value, bool)


def _real(value: Any) -> float | None:
    """A number as a float; None for everything else, True included. float32(.95) is .95, as it prints."""
    if isinstance(value, bool) or not isinstance(value, numbers.Real):
        return None
    try:
        return float(str(value)) if type(value).__module__ == "numpy" else float(value)
    except OverflowError:
        return math.inf  # a whole number that no double holds is refused, whatever its sign


def _shown(value: Any) -> str:
    """A value as a caller wrote it: 0.5 and not np.float64(0.5); long texts are cut."""
    text = repr(value.item() if type(value).__module__ == "numpy" and getattr(value, "ndim", 1) == 0 else value)
    return text if len(text) <= 100 else f"{text[:97]}…"
