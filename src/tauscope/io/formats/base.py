"""What every format of a text file is: how it is recognised, and how it is read; and what readers of JSON share."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ..pieces import Cells, Piece, cell_text
from ..streams import Text, Where


@dataclass(frozen=True, kw_only=True)
class Format:
    """One format, or several that one module reads.

    Parameters
    ----------
    names : tuple of str
        What `format=` may ask for.
    recognise : callable
        Takes the first lines of a file; returns the name of the format where they are it, else None.
    read : callable
        Takes the open text, the name that was asked for or recognised, and what the run is called where the file does
        not say; returns the scores as a `Piece`.
    takes : callable
        Takes the first lines and a name that was asked for; False where the file is another format of that name.
    named : callable
        Takes the file's path; the name of the format where the file's name alone tells it, else None.
    """

    names: tuple[str, ...]
    recognise: Callable[[Sequence[str]], str | None]
    read: Callable[[Text, str, str], Piece]
    takes: Callable[[Sequence[str], str], bool] = lambda head, name: True
    named: Callable[[Path], str | None] = lambda path: None


@dataclass(frozen=True, kw_only=True)
class Document:
    """One kind of JSON document that a tool writes, told by its keys.

    Parameters
    ----------
    name : str
        What `format=` may ask for, and what is printed.
    fits : callable
        Takes the parsed document; whether it is one.
    read : callable
        Takes the document, its file and what the run is called where the document does not say; returns its scores.
    """

    name: str
    fits: Callable[[Any], bool]
    read: Callable[[Any, Path, str], Cells]


class Rows:
    """Scores as they are found, one by one; the same cell several times is a mean where repeats are allowed."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.notes: list[str] = []
        self._found: dict[tuple[str, str, str], list[float]] = {}

    def add(self, system: str, topic: str, measure: str, value: float) -> None:
        """One score; NaN where there is none."""
        if not system or not topic:
            raise Where(self.path).error(f"a {'topic' if system else 'system'} has no name.")
        self._found.setdefault((system, topic, measure), []).append(value)

    def note(self, text: str) -> None:
        """Say something of the file."""
        self.notes.append(f"{self.path.name}: {text}")

    def cells(self, repeated: str = "") -> Cells:
        """The table; `repeated` names what a cell may have several of, whose mean it is then."""
        counts = {len(values) for values in self._found.values()}
        if counts - {1}:
            if not repeated:
                system, topic, measure = next(key for key, values in self._found.items() if len(values) > 1)
                text = cell_text(measure, topic, system)
                raise Where(self.path).error(f"{text} has more than one score. Keep one of them.")
            each = f"{min(counts)} to {max(counts)}" if len(counts) > 1 else f"{max(counts)}"
            self.note(f"means over {each} {repeated}")
        return Cells(
            source=str(self.path),
            systems=[key[0] for key in self._found],
            topics=[key[1] for key in self._found],
            measures=[key[2] for key in self._found],
            values=np.array([float(np.mean(values)) for values in self._found.values()], dtype=np.float64),
            notes=tuple(self.notes),
        )


def real(value: Any) -> float | None:
    """A number of a JSON document; None for anything else, True and False too."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return None
    try:
        return float(value)
    except OverflowError:
        return None
