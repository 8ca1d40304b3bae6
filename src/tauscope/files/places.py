"""A place in a file, as it stands at the start of an error."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from ..errors import Advice, FileError, Option


class Where(NamedTuple):
    """A place in a file, as it stands at the start of an error."""

    path: Path
    line: int | None = None

    def __str__(self) -> str:
        return f"{self.path}" if self.line is None else f"{self.path}:{self.line}"

    def error(self, text: str, *ways_out: Option | Advice) -> FileError:
        """The error that starts with this place."""
        return FileError(f"{self}: {text}", *ways_out)
