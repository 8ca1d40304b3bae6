"""The sections of a page, in their order. Each is a module named after its id, with a function
`section(material, facts)` that answers one question, or gives None where the input cannot answer it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from ...jobs.progress import Progress
from ..at_once import at_once
from ..facts import Facts, facts_of
from ..material import Material
from ..parts import Section
from . import agree, compared, disagree, findings, holds, judge, measures, repeat, topics


class Answers(Protocol):
    """A module of this folder."""

    def section(self, material: Material, facts: Facts) -> Section | None:
        """The answer, or None."""
        ...


#: All sections but the last, which says how to repeat the page and cites what these used.
SECTIONS: tuple[Answers, ...] = (judge, compared, holds, agree, disagree, topics, measures, findings)
#: On a leaderboard these come first: ranks before what was compared.
FIRST_ON_A_BOARD: tuple[Answers, ...] = (judge, holds)


def all_sections(material: Material, progress: Progress | None = None) -> tuple[Section, ...]:
    """Every section that the input can answer; made two at a time, for they share nothing but the facts."""
    facts = facts_of(material)
    first = FIRST_ON_A_BOARD if material.leaderboard else ()
    asked = (*first, *(module for module in SECTIONS if module not in first))
    done = 0

    def step(module: Answers) -> Callable[[], Section | None]:
        def run() -> Section | None:
            nonlocal done
            section = module.section(material, facts)
            done += 1
            if progress is not None:
                progress(done, len(asked))
            return section

        return run

    sections = [section for section in at_once(*map(step, asked)) if section is not None]
    cited = [key for section in sections for key in section.cited]
    return (*sections, repeat.section(material, cited))
