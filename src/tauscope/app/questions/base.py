"""What every question of the app can be asked."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

from ...jobs.progress import Progress
from ...page.rendered import Report
from ...results import Result, plain
from ..state import State


@dataclass(frozen=True, kw_only=True)
class Question(ABC):
    """What is asked, and of what: `names` are what the user calls the sides, `groups` system to group."""

    #: Whether point values take so long that a worker has to find them.
    LONG: ClassVar[bool] = False

    state: State
    groups: Mapping[str, str] = field(default_factory=dict)

    @abstractmethod
    def points(self) -> dict[str, Any]:
        """Numbers that are there at once."""

    @abstractmethod
    def intervals(self, progress: Progress) -> dict[str, Any]:
        """How sure they are."""

    @abstractmethod
    def page(self, progress: Progress, command: str) -> Report:
        """The report page on the same material."""

    @abstractmethod
    def table(self) -> Result:
        """The result whose table is taken away as CSV."""


def as_data(found: dict[str, Any]) -> dict[str, Any]:
    """Plain values, ready for JSON."""
    return {name: plain(value) for name, value in found.items()}
