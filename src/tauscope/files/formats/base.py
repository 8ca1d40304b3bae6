"""What every format of a text file is: how it is recognised, and how it is read."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from ..pieces import Piece
from ..streams import Text


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
    """

    names: tuple[str, ...]
    recognise: Callable[[Sequence[str]], str | None]
    read: Callable[[Text, str, str], Piece]
    takes: Callable[[Sequence[str], str], bool] = lambda head, name: True
