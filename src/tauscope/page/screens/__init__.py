"""The first screen of a page, by what was asked: each is a module with a function `screen(material, facts)`.

Facts become a `Screen` (data), the templates make it a fragment (`html.fragment`), and a page or an app shows it.
"""

from __future__ import annotations

from typing import Protocol

from ..facts import Facts
from ..material import Material
from . import audit, board, holds, hybrid, judge, judges
from .parts import Screen


class Opens(Protocol):
    """A module of this folder."""

    def screen(self, material: Material, facts: Facts) -> Screen | None:
        """The first screen, or None where something else was asked."""
        ...


#: The first that has an answer is what the page opens with.
SCREENS: tuple[Opens, ...] = (judge, judges, hybrid, audit, board, holds)


def first_screen(material: Material, facts: Facts) -> Screen | None:
    """What the page opens with; None where there is only a ranking to speak of."""
    for module in SCREENS:
        found = module.screen(material, facts)
        if found is not None:
            return found
    return None
