"""Can this judge stand in? Agreement without noise beside its ceiling, the top, groups, scores, judgments."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...coefficients.records import Ties
from ...figures import scatter, spans
from ...reference.rankings import midranks
from ...results import count, number, word
from ..facts import Facts
from ..facts.agreement import Agreement
from ..facts.judge import Judge
from ..material import Material
from ..parts import Column, Figure, Name, Part, Section, Sentence, Table, readable, span
from ..verdict import advice, observed_top, rule, verdict

#: Names longer than this are cut inside charts and cells.
LONGEST = 30


def section(material: Material, facts: Facts) -> Section | None:
    """Where both sides have complete scores on topics."""
    found, known = facts.agreement, facts.judge
    if found is None or known is None:
        return None
    heading = "Can this judge stand in?" if material.same_measure else "Can one stand in for the other?"
    cited = [key for one in known.results for key in one.cited()]
    cited += ["urbano2016", *known.significant.cited(), *(known.kappa.cited() if known.kappa else ())]
    return Section(
        id="judge",
        heading=material.heading(heading),
        words=(
            verdict(material, known),
            *advice(material, known),
            *rule(material, known),
            _ceiling(material, known),
            *_humans(material, known),
            _head(material, found, known),
            _pairs(material, known),
            *_groups(material, known),
            *_scores(material, known),
            *_judged(known),
            *material.caution(),
        ),
        tables=(
            _table(material, known),
            _pair_table(material, known),
            *_group_table(material, known),
            *_judged_table(known),
        ),
        figures=tuple(
            figure
            for figure in (_agreement_figure(material, known), _group_figure(material, known), _means_figure(material))
            if figure is not None
        ),
        data=_data(material, known),
        cited=tuple(cited),
        methods=tuple(_for_a_paper(material, known)),
        short="The judge",
    )


def _data(material: Material, known: Judge) -> dict[str, Any]:
    return {
        "comparisons": [one.to_dict() for one in known.results],
        "noise_ceilings": [one.to_dict() for one in known.ceilings],
        "humans": [one.to_dict() for one in known.humans],
        "margin": material.margin,
        "top": known.top.to_dict() if known.top else None,
        "shifts": known.shifts.to_dict() if known.shifts else None,
        "bias": known.bias.to_dict() if known.bias else None,
        "significance": {name: getattr(known.significant, name) for name in known.significant.facts()},
        "qrels": known.kappa.to_dict() if known.kappa else None,
        "judged": {name: one.to_dict() for name, one in known.judged},
    }


def _ceiling(material: Material, known: Judge) -> Sentence:
    one, top = known.results[0], known.ceilings[0]
    # The other section has the variants for rankings without ties.
    same = top.coefficient.ties is Ties.FORBIDDEN
    there = "tau_ap" if top.coefficient.head_weighted else "tau"
    parts: Sentence = (
        f"Observed {one.coefficient.name} {number(one.observed)}, beside a noise ceiling of {number(top.value)} "
        f"{span(*top.interval)}: what the reference's own ranking is expected to reach with its true one on these "
        f"{word('topics')}, the same quantity as its expected {there} under “Does the ranking hold on other "
        f"{word('topics')}?”{'' if same else f', here of {top.coefficient.name}'}",
    )
    if np.isnan([one.observed, top.value]).any():
        return (*parts, ".")
    where = "below" if one.observed < top.value else "above"
    return (*parts, "; ", Name(material.names[0]), f" is {number(abs(top.value - one.observed))} {where} it.")


def _humans(material: Material, known: Judge) -> list[Sentence]:
    if not known.humans or material.second_reference is None:
        return []
    human, machine = known.humans[0], known.results[0]
    return [
        (
            "Human against human: ",
            Name(material.second_reference.name),
            f" reaches {number(human.observed)} observed and {number(human.corrected)} {span(*human.interval)} "
            "without noise; ",
            Name(material.names[0]),
            f" {number(machine.corrected)}.",
        )
    ]


def _head(material: Material, found: Agreement, known: Judge) -> Sentence:
    names = [str(label) for label in found.data.labels]
    estimate, reference = (midranks(-scores) + 1 for scores in (found.data.first, found.data.second))
    best, other = (np.flatnonzero(ranks == ranks.min()).tolist() for ranks in (reference, estimate))
    top: Sentence = ()
    if known.top is not None:
        top = (f"At the top: {observed_top(known.top)}; whoever is in one top ten only is tied below the other. ",)
    if best == other:
        return (*top, f"The best {word('system')}, ", Name(names[best[0]]), ", keeps its place.")
    return (
        *top,
        f"The best {word('system')} of the reference, ",
        Name(names[best[0]]),
        f", is at rank {estimate[best[0]]:g} under ",
        Name(material.names[0]),
        ", whose best is ",
        Name(names[other[0]]),
        ".",
    )


def _pairs(material: Material, known: Judge) -> Sentence:
    s = known.significant
    test = "sign-flip max-t over all pairs" if s.correction == "maxT" else "paired t-tests with Holm's correction"
    return (
        f"Of {count(s.truth_significant or 0, 'significant difference')} under the reference, ",
        Name(material.names[0]),
        f" keeps {s.kept or 0:,}, misses {s.missed or 0:,} and reverses {s.reversed or 0:,}; it has "
        f"{count(s.spurious or 0, 'spurious difference')}. Precision is {number(s.precision)}, recall "
        f"{number(s.recall)} ({test}, alpha {s.alpha:g}).",
    )


def _groups(material: Material, known: Judge) -> list[Sentence]:
    s = known.shifts
    if s is None:
        return []
    if np.isnan(s.low).any():
        return [(f"Whether a group is lifted cannot be said: {s.lines()[1]}.",)]
    lifted = s.favoured()
    if not lifted:
        return [(f"No group of {word('systems')} is lifted beyond chance.",)]
    parts: list[Part] = [Name(material.names[0]), " lifts "]
    for place, group in enumerate(lifted):
        i = s.groups.index(group)
        by = f" by {s.shift[i]:.1f} ranks {span(float(s.low[i]), float(s.high[i]), 1)}"
        parts += [", " if place else "", Name(group), by]
    return [(*parts, ".")]


def _scores(material: Material, known: Judge) -> list[Sentence]:
    b = known.bias
    if b is None:
        return []
    return [
        (
            "The scores of ",
            Name(material.names[0]),
            f" are {'higher' if b.bias > 0 else 'lower'} by {number(abs(b.bias), 4)} on average (bias "
            f"{number(b.bias, 4)} {span(b.low, b.high, 4)}); RMSE {number(b.rmse, 4)} of single scores, "
            f"{number(b.rmse_means, 4)} of means.",
        )
    ]


def _judged(known: Judge) -> list[Sentence]:
    words: list[Sentence] = [(" ".join(known.kappa.lines()),)] if known.kappa is not None else []
    for name, one in known.judged:
        least = int(np.argmin(one.shares))
        mean, lowest = (number(100 * float(share), 1) for share in (one.mean, one.shares[least]))
        shares = f": {mean} % on average, least {lowest} % ("
        words.append((f"judged@{one.k} under ", Name(name), shares, Name(one.runs[least]), ")."))
    return words


def _for_a_paper(material: Material, known: Judge) -> list[Sentence]:
    lead: Sentence = ("Where the estimate is ", Name(material.names[0]), " and the truth the reference: ")
    return [(*lead, one.methods_sentence()) for one in known.results]


def _second(material: Material) -> str:
    return material.second_reference.name if material.second_reference is not None else ""


def _table(material: Material, known: Judge) -> Table:
    columns = (
        Column("who", "name"),
        Column("coefficient"),
        Column("what"),
        Column("value", "number"),
        Column("low", "number"),
        Column("high", "number"),
        Column("at least", "number"),
    )
    judged, reference = material.names
    without = f"without the noise of {word('topics')}"
    ceiling = "noise ceiling: expected with its own true ranking"
    rows: list[tuple[Any, ...]] = []
    for who, results in ((judged, known.results), (_second(material), known.humans)):
        for one in results:
            name = one.coefficient.name
            rows.append((who, name, "observed", one.observed, None, None, None))
            rows.append((who, name, without, one.corrected, *one.interval, one.at_least()))
    for top in known.ceilings:
        rows.append((reference, top.coefficient.name, ceiling, top.value, *top.interval, top.at_least()))
    if known.top is not None:
        what = f"observed, over the {count(known.top.n, 'system')} in either top ten"
        rows.append((judged, known.top.coefficient.name, what, known.top.value, None, None, None))
    caption = f"Agreement with the reference; {material.confidence} intervals, at least: one-sided."
    return Table("agreement", (caption,), columns, tuple(rows), shown=20)


def _pair_table(material: Material, known: Judge) -> Table:
    s = known.significant
    rows = (
        ("kept", s.kept, "both see the same difference"),
        ("missed", s.missed, "only the reference sees one"),
        ("spurious", s.spurious, f"only {readable(material.names[0], LONGEST)} sees one"),
        ("reversed", s.reversed, "both see one, in opposite directions"),
        ("neither", s.neither, "neither sees one"),
    )
    columns = (Column("kind"), Column("pairs", "whole"), Column("which means"))
    caption = f"Pairs of {word('systems')} by which side finds a significant difference."
    return Table("significance", (caption,), columns, rows)


def _group_table(material: Material, known: Judge) -> list[Table]:
    s = known.shifts
    if s is None:
        return []
    columns = (
        Column("group", "name"),
        Column(word("systems"), "whole"),
        Column("ranks gained", "number", 2),
        Column("low", "number", 2),
        Column("high", "number", 2),
    )
    rows = tuple(zip(s.groups, s.members, s.shift.tolist(), s.low.tolist(), s.high.tolist(), strict=True))
    intervals = f", by group; {s.level * 100:g} % intervals, each taken alone."
    return [Table("groups", ("Mean ranks gained under ", Name(material.names[0]), intervals), columns, rows)]


def _judged_table(known: Judge) -> list[Table]:
    if not known.judged or all((one.shares == 1).all() for _, one in known.judged):
        return []
    first = known.judged[0][1]
    shares = [{run: float(share) for run, share in zip(one.runs, one.shares, strict=True)} for _, one in known.judged]
    own = (Column(Name(f"judged@{first.k}, {name}"), "number") for name, _ in known.judged)
    rows = sorted(((run, *(side.get(run) for side in shares)) for run in first.runs), key=lambda row: row[1] or 0.0)
    caption = f"Share of the first {first.k} documents that were judged, least first."
    return [Table("judged", (caption,), (Column(word("system"), "name"), *own), tuple(rows), shown=8)]


def _agreement_figure(material: Material, known: Judge) -> Figure | None:
    judge, second = (readable(name, LONGEST) for name in (material.names[0], _second(material)))
    rows = [(f"{one.coefficient.name}, {judge}", *one.interval, one.corrected) for one in known.results]
    rows += [(f"{one.coefficient.name}, {second}", *one.interval, one.corrected) for one in known.humans]
    rows += [(f"{top.coefficient.name}, noise ceiling", *top.interval, top.value) for top in known.ceilings]
    rows = [row for row in rows if row[3] == row[3]]
    if not rows:
        return None
    labels, low, high, at = zip(*rows, strict=True)
    title = "Agreement with the reference"
    drawn = spans(labels, low, high, at, x="coefficient", title=title, mark=material.margin)
    marked = "" if material.margin is None else "; the rule marks the margin"
    caption = f"Agreement without the noise of {word('topics')}, and the noise ceiling{marked}."
    return Figure("agreement", (caption,), drawn)


def _group_figure(material: Material, known: Judge) -> Figure | None:
    if known.shifts is None:
        return None
    kinder = " by group; right of the rule it is kinder than the reference."
    return Figure("groups", ("Mean ranks gained under ", Name(material.names[0]), kinder), known.shifts.plot())


def _means_figure(material: Material) -> Figure | None:
    estimate = material.estimate.complete if material.estimate is not None else None
    truth = material.reference.complete
    if estimate is None or truth is None or not material.same_measure:
        return None
    drawn = scatter(
        truth.as_read(truth.means()),
        estimate.as_read(estimate.select(systems=truth.systems).means()),
        truth.systems,
        x="mean, reference",
        y="mean, judge",
        title="Means under both",
        diagonal=True,
    )
    across = f"The mean of each {word('system')}: reference across, "
    return Figure("scores", (across, Name(material.names[0]), " up; on the line both are equal."), drawn)
