"""Which of several judges? Their agreement with the reference, and which are told apart."""

from __future__ import annotations

from ...figures import spans
from ...results import number, word
from ..facts import Facts
from ..facts.judges import SeveralJudges
from ..material import Material
from ..parts import Column, Figure, Name, Section, Sentence, Table, listed, span


def section(material: Material, facts: Facts) -> Section | None:
    """Where there are several judges."""
    found = facts.judges
    if found is None:
        return None
    r = found.ranking
    return Section(
        id="judges",
        heading=material.heading("Which judge?"),
        words=(
            _verdict(found),
            _ceiling(found),
            *_people(material, found),
            (r.methods_sentence(),),
        ),
        tables=(_table(found), _pairs(found), *_people_table(found)),
        figures=(_figure(found),),
        data={
            "judges": r.to_dict(),
            "noise_ceiling": found.ceiling.to_dict(),
            "people": {name: one.to_dict() for name, one in found.people.items()},
        },
        cited=(*r.cited(), *found.ceiling.cited()),
        short="The judges",
    )


def _verdict(found: SeveralJudges) -> Sentence:
    r = found.ranking
    best: Sentence = (
        Name(r.judge[0]),
        f" is closest: {r.coefficient} without the noise of {word('topics')} is {number(float(r.corrected[0]))} "
        f"{span(float(r.low[0]), float(r.high[0]))}",
    )
    if not found.not_worse:
        return (*best, ", and every other judge is shown to be worse.")
    return (*best, "; not shown to be worse: ", *listed(found.not_worse, 6), ".")


def _ceiling(found: SeveralJudges) -> Sentence:
    top = found.ceiling
    return (
        f"The noise ceiling belongs to the observed values: even a perfect judge is expected to reach "
        f"{number(top.value)} {span(*top.interval)} on these {word('topics')}.",
    )


def _people(material: Material, found: SeveralJudges) -> list[Sentence]:
    limits = found.between_people
    if limits is None:
        return []
    against = "the mean of the others" if material.pooled else "the reference"
    low, high = (number(limit) for limit in limits)
    who = "from the lowest to the highest" if len(found.people) > 1 else "the interval of the one person"
    return [(f"People against {against}, without the noise of {word('topics')}: {low} to {high}, {who}.",)]


def _people_table(found: SeveralJudges) -> list[Table]:
    if not found.people:
        return []
    columns = (
        Column("person", "name"),
        *(Column(title, "number") for title in ("observed", "without noise", "low", "high")),
    )
    rows = tuple((name, one.observed, one.corrected, *one.interval) for name, one in found.people.items())
    return [Table("people", ("How far people agree, by the same coefficient.",), columns, rows, shown=20)]


def _table(found: SeveralJudges) -> Table:
    r = found.ranking
    columns = (
        Column("judge", "name"),
        Column("observed", "number"),
        Column("without noise", "number"),
        Column("low", "number"),
        Column("high", "number"),
        Column("letters"),
    )
    values = zip(*(getattr(r, name).tolist() for name in ("observed", "corrected", "low", "high")), strict=True)
    rows = tuple((name, *own, letters) for name, own, letters in zip(r.judge, values, r.letters, strict=True))
    caption = f"{r.coefficient} with the reference; {r.level * 100:g} % limits of each judge taken alone."
    return Table("agreement", (caption,), columns, rows, shown=20)


def _pairs(found: SeveralJudges) -> Table:
    columns = (
        Column("closer", "name"),
        Column("other", "name"),
        Column("difference", "number"),
        Column("low", "number"),
        Column("high", "number"),
        Column("told apart"),
    )
    rows = tuple((*pair[:-1], "yes" if pair.differ else "no") for pair in found.ranking.pairs)
    return Table("pairs", ("Pairs of judges, all limits right at once.",), columns, rows, shown=10)


def _figure(found: SeveralJudges) -> Figure:
    r = found.ranking
    drawn = spans(r.judge, r.low, r.high, r.corrected, x=r.coefficient, title="Agreement with the reference")
    return Figure("agreement", (f"{r.coefficient} without the noise of {word('topics')}, best first.",), drawn)
