"""The rows of a large matrix without `csv`: a name and plain numbers; the first line that has more is given back."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np

from ... import kernels
from ...arrays import Floats

#: Rows that are taken together.
_ROWS = 256
#: Characters in a name, or at the start of a line, that `csv` or a reader of comments has something to say about.
_SPECIAL = ('"', "#", " ", "\t", "\r", "\n")


class Lines:
    """Lines that are counted, and of which the last can be given back."""

    def __init__(self, lines: Iterable[str]) -> None:
        self._lines = iter(lines)
        self._back: list[str] = []
        self.given = 0
        #: Lines that were read here and that `csv` has not seen.
        self.skipped = 0

    def __iter__(self) -> Iterator[str]:
        return self

    def __next__(self) -> str:
        line = self._back.pop() if self._back else next(self._lines)
        self.given += 1
        return line

    def quick_rows(self, delimiter: str, width: int) -> tuple[list[str], list[int], list[Floats]]:
        """Names, lines and blocks of numbers of the lines up to the first that is not a name and `width` numbers."""
        names: list[str] = []
        places: list[int] = []
        blocks: list[Floats] = []
        block = np.empty((_ROWS, width))
        at = 0
        for line in self:
            name, _, rest = line.partition(delimiter)
            if (
                not name
                or name[0] in _SPECIAL
                or '"' in name
                or name[-1].isspace()
                or not kernels.read_row(rest, delimiter, block[at])
            ):
                self._back.append(line)
                self.given -= 1
                break
            names.append(name)
            places.append(self.given)
            at += 1
            if at == _ROWS:
                blocks.append(block)
                block, at = np.empty((_ROWS, width)), 0
        self.skipped += len(names)
        return names, places, [*blocks, block[:at]]
