"""An audit: every question with its answer, and what differences under the judge are worth."""

from __future__ import annotations

from ...judges.audit import Audit
from ...results import count
from ..facts import Facts
from ..facts.audit import OBJECTION, answers_of
from ..material import Material
from ..parts import Column, Figure, Name, Section, Sentence, Table


def section(material: Material, facts: Facts) -> Section | None:
    """Where the page is about an audit."""
    found = material.result
    if not isinstance(found, Audit):
        return None
    first, *_, how = found.lines()
    caption = ("Differences of all pairs: under ", Name(found.judges[0]), " across, under people up.")
    return Section(
        id="audit",
        heading=("What was asked of the judge?",),
        words=(_verdict(found), (f"{first}.",), (f"{how}.",)),
        tables=(_table(found),),
        figures=(Figure("scale", caption, found.plot()),),
        data=found.to_dict(),
        cited=found.cited(),
        methods=((found.methods_sentence(),),),
        short="The audit",
    )


def _verdict(found: Audit) -> Sentence:
    answers = answers_of(found)
    objections = sum(one.tone == OBJECTION for one in answers)
    return (f"{count(objections, 'objection')} among {count(len(answers), 'answer')}.",)


def _table(found: Audit) -> Table:
    columns = (
        Column("question"),
        Column("judge", "name"),
        Column("value", "number"),
        Column("low", "number"),
        Column("high", "number"),
        Column("p", "number"),
        Column("what came out"),
    )
    rows = tuple(
        (one.asks, one.check.judge, *(_known(value) for value in one.check[2:6]), one.says) for one in answers_of(found)
    )
    caption = f"Every question, with {found.level * 100:g} % limits and the p-value of a test where it has one."
    return Table("answers", (caption,), columns, rows, shown=20)


def _known(value: float) -> float | None:
    return None if value != value else value
