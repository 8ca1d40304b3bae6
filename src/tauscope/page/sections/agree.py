"""Do the two rankings agree? The chosen coefficient and why, all others, whether another variant would change it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

from ...coefficients.batch import Correlations, correlate
from ...coefficients.correlation import Correlation, evaluate
from ...coefficients.fitting import band, fitting, stability
from ...coefficients.records import catalogue
from ...judges.compare import Comparison, compare
from ...ranking import Aligned, align
from ...results import count, number, word
from ...ties import tolerances
from ..parts import Column, Name, Section, Sentence, Table, span
from ..sides import Material, side_by_side

VERDICTS = ("No: the two rankings differ", "In part", "Yes: the two rankings are nearly the same")


@dataclass(frozen=True, eq=False)
class Agreement:
    """The estimate against the reference: the coefficient that fits, the head-weighted one beside it, all others."""

    data: Aligned
    within: Any
    chosen: Correlation
    head: Correlation
    because: str
    every: Correlations
    compared: tuple[Comparison, ...] = ()

    @cached_property
    def stability(self) -> str:
        texts = [text for r in (self.chosen, self.head) if (text := stability(r, self.data, self.within, False))]
        return ". ".join(texts)


def agreement(material: Material) -> Agreement | None:
    """None where there is one side only."""
    if material.estimate is None:
        return None
    data = align(material.estimate.ranking, material.reference.ranking, names=material.shown_names)
    within = None if material.tied_within is None else tolerances(material.tied_within)
    names = material.shown_names
    (tau, tau_ap), because = fitting(data, within, False, against_truth=True)
    if material.coefficient:
        asked = catalogue[material.coefficient]
        because = "it was asked for"
        tau, tau_ap = asked, asked if asked.head_weighted else tau_ap
    chosen, head = (evaluate(c, data, tied_within=within, names=names) for c in (tau, tau_ap))
    every = correlate(material.estimate.ranking, truth=material.reference.ranking, tied_within=within)
    both = list(dict.fromkeys(c.name for c in (tau, tau_ap)))
    return Agreement(data, within, chosen, head, because, every, _compared(material, both))


def _compared(material: Material, names: list[str]) -> tuple[Comparison, ...]:
    """The same coefficients without the noise of topics, where both sides have complete scores."""
    estimate, truth = material.estimate, material.reference.complete
    if estimate is None or estimate.complete is None or truth is None:
        return ()
    scores = estimate.complete
    steps = (
        partial(compare, scores, truth=truth, coefficient=n, level=material.level, rng=material.seed) for n in names
    )
    return tuple(side_by_side(*steps))


def section(material: Material, found: Agreement) -> Section:
    """Where there are two sides."""
    chosen = found.chosen
    words: list[Sentence] = [
        _verdict(material, found),
        (f"Why {chosen.coefficient.name}: {found.because}.",),
        (chosen.methods_sentence(),),
    ]
    if found.head.coefficient != chosen.coefficient:
        words.append((found.head.methods_sentence(),))
    stable = found.stability
    words.append((f"Would another variant change the conclusion? {stable or 'No: the variants do not differ here'}.",))
    data = {"chosen": chosen.to_dict(), "head_weighted": found.head.to_dict(), "chosen_because": found.because,
            "other_variants": stable, "coefficients": found.every.to_dict(),
            "without_noise": [one.to_dict() for one in found.compared]}  # fmt: skip
    heading = material.heading("Do the two rankings agree?")
    return Section(
        "agree", heading, tuple(words), (_table(found),), data=data, cited=(*chosen.cited(), *found.head.cited())
    )


def _verdict(material: Material, found: Agreement) -> Sentence:
    c, head = found.chosen, found.head
    estimate, reference = material.names
    both: Sentence = (Name(estimate), " against ", Name(reference))
    if c.undefined_because is not None:
        return (f"{c.coefficient.name} of ", *both, f" is undefined: {c.undefined_because}.")
    second = f", {head.coefficient.name} = {number(head.value)}" if head.coefficient != c.coefficient else ""
    return (f"{VERDICTS[band(c.value)]}: ", *both, f", {c.coefficient.name} = {number(c.value)}{second} over "
            f"{count(c.n, 'system')}; {c.discordant:,} of {count(c.n * (c.n - 1) // 2, 'pair')} of {word('systems')} are in opposite orders{_without_noise(found)}.")  # fmt: skip


def _without_noise(found: Agreement) -> str:
    parts = [
        f"{one.coefficient.name} {number(one.corrected)} {span(*one.interval)}"
        for one in found.compared
        if one.undefined_because is None
    ]
    return (
        f"; without the noise of {word('topics')} {' and '.join(parts)} ({found.compared[0].level * 100:g} %)"
        if parts
        else ""
    )


def _table(found: Agreement) -> Table:
    columns = (Column("coefficient"), Column("value", "number", 4), Column("head-weighted"), Column("gap-sensitive"), Column("a tie means"),
               Column("undefined because"))  # fmt: skip
    rows = tuple(
        (r.coefficient.name, r.value, "yes" if r.coefficient.head_weighted else "no", "yes" if r.coefficient.gap_sensitive else "no",
         r.coefficient.ties.value, r.undefined_because or "")
        for r in found.every
    )  # fmt: skip
    return Table("coefficients", ("All coefficients of the catalogue.",), columns, rows, shown=20)
