"""The sections of a page, in their order. Each is a module named after its id, with a function
`section(material, facts)` that answers one question, or gives None where the input cannot answer it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from ..at_once import at_once
from ..facts import Facts
from ..material import Material
from ..parts import Section
from . import agree, audit, board, compared, disagree, findings, holds, judge, judges, measures, repeat, topics


class Answers(Protocol):
    """A module of this folder."""

    def section(self, material: Material, facts: Facts) -> Section | None:
        """The answer, or None."""
        ...


#: All sections but the last, which says how to repeat the page and cites what these used.
SECTIONS: tuple[Answers, ...] = (
    judge,
    judges,
    audit,
    board,
    compared,
    holds,
    agree,
    disagree,
    topics,
    measures,
    findings,
)
#: On a leaderboard these come first: ranks before what was compared.
FIRST_ON_A_BOARD: tuple[Answers, ...] = (judge, holds)


def all_sections(material: Material, facts: Facts, done: Callable[[], None] = lambda: None) -> tuple[Section, ...]:
    """Every section that the input can answer; made two at a time, for they share nothing but the facts."""
    first = FIRST_ON_A_BOARD if material.leaderboard else ()
    asked = (*first, *(module for module in SECTIONS if module not in first))

    def step(module: Answers) -> Callable[[], Section | None]:
        def run() -> Section | None:
            section = module.section(material, facts)
            done()
            return section

        return run

    sections = [section for section in at_once(*map(step, asked)) if section is not None]
    return (*sections, repeat.section(material, sections))
