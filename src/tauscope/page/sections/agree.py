"""Do the two rankings agree? The chosen coefficient and why, all others, whether another variant would change it."""

from __future__ import annotations

from ...coefficients.rule_of_thumb import band
from ...results import count, number, word
from ..facts import Facts
from ..facts.agreement import Agreement
from ..material import Material
from ..parts import Column, Name, Section, Sentence, Table, span

#: By the band of the coefficient.
VERDICTS = ("No: the two rankings differ", "In part", "Yes: the two rankings are nearly the same")


def section(material: Material, facts: Facts) -> Section | None:
    """Where there are two sides."""
    found = facts.agreement
    if found is None:
        return None
    chosen, head = found.chosen, found.head
    words: list[Sentence] = [
        _verdict(material, found),
        (f"Why {chosen.coefficient.name}: {found.because}.",),
    ]
    used = [chosen] if head.coefficient == chosen.coefficient else [chosen, head]
    stable = found.stability
    words.append((f"Would another variant change the conclusion? {stable or 'No: the variants do not differ here'}.",))
    return Section(
        id="agree",
        heading=material.heading("Do the two rankings agree?"),
        words=tuple(words),
        tables=(_table(found),),
        data={
            "chosen": chosen.to_dict(),
            "head_weighted": head.to_dict(),
            "chosen_because": found.because,
            "other_variants": stable,
            "coefficients": found.every.to_dict(),
            "without_noise": [one.to_dict() for one in found.compared],
        },
        cited=(*chosen.cited(), *head.cited()),
        methods=tuple((one.methods_sentence(),) for one in used),
        short="Agreement",
    )


def _verdict(material: Material, found: Agreement) -> Sentence:
    c, head = found.chosen, found.head
    estimate, reference = material.names
    both: Sentence = (Name(estimate), " against ", Name(reference))
    if c.undefined_because is not None:
        return (f"{c.coefficient.name} of ", *both, f" is undefined: {c.undefined_because}.")
    second = f", {head.coefficient.name} = {number(head.value)}" if head.coefficient != c.coefficient else ""
    return (
        f"{VERDICTS[band(c.value)]}: ",
        *both,
        f", {c.coefficient.name} = {number(c.value)}{second} over {count(c.n, 'system')}; {c.discordant:,} of "
        f"{count(c.n * (c.n - 1) // 2, 'pair')} of {word('systems')} are in opposite orders{_without_noise(found)}.",
    )


def _without_noise(found: Agreement) -> str:
    parts = [
        f"{one.coefficient.name} {number(one.corrected)} {span(*one.interval)}"
        for one in found.compared
        if one.undefined_because is None
    ]
    if not parts:
        return ""
    level = found.compared[0].level
    return f"; without the noise of {word('topics')} {' and '.join(parts)} ({level * 100:g} %)"


def _table(found: Agreement) -> Table:
    columns = (
        Column("coefficient"),
        Column("value", "number", 4),
        Column("head-weighted"),
        Column("gap-sensitive"),
        Column("a tie means"),
        Column("undefined because"),
    )
    rows = []
    for result in found.every:
        c = result.coefficient
        kinds = ("yes" if kind else "no" for kind in (c.head_weighted, c.gap_sensitive))
        rows.append((c.name, result.value, *kinds, c.ties.value, result.undefined_because or ""))
    return Table("coefficients", ("All coefficients of the catalogue.",), columns, tuple(rows), shown=20)
