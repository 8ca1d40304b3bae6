"""What is kept for a while: the last used, up to so many bytes."""

from __future__ import annotations

from collections import OrderedDict
from typing import Generic, TypeVar

T = TypeVar("T")


class Kept(Generic[T]):
    """Values by their keys; those that were used longest ago are dropped once all are more than `most` bytes."""

    def __init__(self, most: int) -> None:
        self._most, self._bytes = most, 0
        self._values: OrderedDict[str, tuple[T, int]] = OrderedDict()

    def __contains__(self, key: str) -> bool:
        return key in self._values

    def get(self, key: str) -> T:
        """The value, which is used by that."""
        self._values.move_to_end(key)
        return self._values[key][0]

    def put(self, key: str, value: T, size: int) -> None:
        """Keeps a value of so many bytes; the newest is kept however large it is."""
        self._bytes += size - self._values.pop(key, (value, 0))[1]
        self._values[key] = value, size
        while self._bytes > self._most and len(self._values) > 1:
            _, (_, gone) = self._values.popitem(last=False)
            self._bytes -= gone
