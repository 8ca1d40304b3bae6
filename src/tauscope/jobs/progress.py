"""How long work tells that it goes on."""

from __future__ import annotations

from collections.abc import Callable

#: Called with how many of the pieces are done, and how many there are.
Progress = Callable[[int, int], None]
