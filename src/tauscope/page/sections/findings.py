"""What the linter found in the scores."""

from __future__ import annotations

from ...checks import check_pair, check_scores
from ...checks.findings import Findings
from ...results import count
from ..parts import Column, Section, Sentence, Table
from ..sides import Material


def section(material: Material) -> Section | None:
    """Where there are scores on topics."""
    found: dict[str, Findings] = {}
    for side in material.sides:
        if side.scores is not None:
            found[side.name] = check_scores(side.scores)
    if not found:
        return None
    reference, estimate = material.reference, material.estimate
    if estimate is not None and estimate.scores is not None and reference.scores is not None:
        found[f"{estimate.name} and {reference.name}"] = check_pair(
            estimate.scores, reference.scores, names=(estimate.name, reference.name)
        )
    rows = tuple(
        (name, finding.severity, finding.code, finding.where, finding.text, finding.effect, finding.suggestion)
        for name, findings in found.items()
        for finding in findings
    )
    serious = sum(row[1] != "note" for row in rows)
    lead: Sentence = (f"{count(len(rows), 'finding')}: {serious:,} to act on, {count(len(rows) - serious, 'note')}.",)
    columns = (Column("in", "name"), Column("severity"), Column("code"), Column("where", "name"), Column("what", "name"),
               Column("what it does"), Column("what to do"))  # fmt: skip
    words = (lead,) if rows else (("Nothing to report.",),)
    tables = (Table("findings", ("Findings, the gravest first on each side.",), columns, rows),) if rows else ()
    data = {name: findings.to_dict() for name, findings in found.items()}
    return Section("findings", material.heading("What the linter found"), words, tables, data=data)
