"""What the linter found in the scores."""

from __future__ import annotations

from ...checks import check_pair, check_scores
from ...results import count
from ..facts import Facts
from ..material import Material
from ..parts import Column, Section, Sentence, Table


def section(material: Material, facts: Facts) -> Section | None:
    """Where there are scores on topics."""
    found = {side.name: check_scores(side.scores) for side in material.sides if side.scores is not None}
    if not found:
        return None
    reference, estimate = material.reference, material.estimate
    if estimate is not None and estimate.scores is not None and reference.scores is not None:
        names = (estimate.name, reference.name)
        found[" and ".join(names)] = check_pair(estimate.scores, reference.scores, names=names)
    rows = tuple(
        (name, finding.severity, finding.code, finding.where, finding.text, finding.effect, finding.suggestion)
        for name, findings in found.items()
        for finding in findings
    )
    serious = sum(row[1] != "note" for row in rows)
    lead: Sentence = (f"{count(len(rows), 'finding')}: {serious:,} to act on, {count(len(rows) - serious, 'note')}.",)
    return Section(
        id="findings",
        heading=material.heading("What the linter found"),
        words=(lead if rows else ("Nothing to report.",),),
        tables=(_table(rows),) if rows else (),
        data={name: findings.to_dict() for name, findings in found.items()},
        short="Linter",
    )


def _table(rows: tuple[tuple[str, ...], ...]) -> Table:
    columns = (
        Column("in", "name"),
        Column("severity"),
        Column("code"),
        Column("where", "name"),
        Column("what", "name"),
        Column("what it does"),
        Column("what to do"),
    )
    return Table("findings", ("Findings, the gravest first on each side.",), columns, rows)
