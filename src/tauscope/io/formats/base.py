"""What readers of JSON documents share: how a document is recognised, and scores that are found one by one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ..pieces import Cells, cell_text
from ..streams import Where


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
        """Add one score.

        Parameters
        ----------
        system, topic, measure : str
            Whose it is; a measure may be "".
        value : float
            The score, NaN if there is none.

        Raises
        ------
        FileError
            If the system or the topic has no name.
        """
        if not system or not topic:
            raise Where(self.path).error(f"a {'topic' if system else 'system'} has no name.")
        self._found.setdefault((system, topic, measure), []).append(value)

    def note(self, text: str) -> None:
        """Say something of the file, in the notes of what is read."""
        self.notes.append(f"{self.path.name}: {text}")

    def cells(self, repeated: str = "") -> Cells:
        """Make the table.

        Parameters
        ----------
        repeated : str, default ""
            What a cell may have several of, such as "epochs"; their mean is taken.

        Returns
        -------
        Cells

        Raises
        ------
        FileError
            If a cell has several scores and nothing repeats.
        """
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
    """Return a number of a JSON document; None for anything else, True and False too.

    Examples
    --------
    >>> real(3), real(True), real("3")
    (3.0, None, None)
    """
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return None
    try:
        return float(value)
    except OverflowError:
        return None
