"""Can this judge stand in? Agreement without the noise of topics beside its ceiling, the top, groups, scores, judgments."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...figures import scatter, spans
from ...reference.rankings import midranks
from ...results import count, number, word
from ..judge_facts import Judge
from ..parts import Column, Figure, Name, Part, Section, Sentence, Table, readable, span
from ..sides import Material
from ..verdict import advice, rule, top_words, verdict
from .agree import Agreement


def section(material: Material, found: Agreement, known: Judge) -> Section:
    """Where both sides have complete scores on topics."""
    words: list[Sentence] = [
        verdict(material, known), *advice(material, known), *rule(material, known), _ceiling(material, known),
        *_humans(material, known), *_head(material, found, known), _pairs(material, known), *_groups(material, known),
        *_scores(material, known), *_judged(known), *material.caution(),
        *(("For a paper, where the estimate is ", Name(material.names[0]), " and the truth the reference: ", one.methods_sentence())
          for one in known.results),
    ]  # fmt: skip
    data = {
        "comparisons": [one.to_dict() for one in known.results], "noise_ceilings": [one.to_dict() for one in known.ceilings],
        "humans": [one.to_dict() for one in known.humans], "margin": material.margin, "top": known.top.to_dict() if known.top else None,
        "shifts": known.shifts.to_dict() if known.shifts else None, "bias": known.bias.to_dict() if known.bias else None,
        "significance": known.significant.to_dict(),
        "qrels": known.kappa.to_dict() if known.kappa else None, "judged": {name: one.to_dict() for name, one in known.judged},
    }  # fmt: skip
    parts: tuple[Part, ...] = ("Can this judge stand in?",)
    if not material.same_measure:
        parts = ("Can one stand in for the other?",)
    tables = [
        _table(material, known),
        _pair_table(material, known),
        *_group_table(material, known),
        *_judged_table(known),
    ]
    cited = [key for one in known.results for key in one.cited()]
    cited += ["urbano2016", *known.significant.cited(), *(known.kappa.cited() if known.kappa else ())]
    heading = material.heading(str(parts[0]))
    return Section("judge", heading, tuple(words), tuple(tables), _figures(material, known), data, tuple(cited))


def _ceiling(material: Material, known: Judge) -> Sentence:
    one, top = known.results[0], known.ceilings[0]
    same = top.coefficient.name in ("tau", "tau_ap")
    parts: Sentence = (f"Observed {one.coefficient.name} {number(one.observed)}, beside a noise ceiling of {number(top.value)} "
                       f"{span(*top.interval)}: what the reference's own ranking is expected to reach with its true one on these "
                       f"{word('topics')}, the same quantity as its expected {'tau_ap' if top.coefficient.head_weighted else 'tau'} under "
                       f"“Does the ranking hold on other {word('topics')}?”{'' if same else f', here of {top.coefficient.name}'}",)  # fmt: skip
    if one.observed == one.observed and top.value == top.value:
        return (
            *parts,
            "; ",
            Name(material.names[0]),
            f" is {number(abs(top.value - one.observed))} {'below' if one.observed < top.value else 'above'} it.",
        )
    return (*parts, ".")


def _humans(material: Material, known: Judge) -> list[Sentence]:
    if not known.humans or material.second_reference is None:
        return []
    human, machine = known.humans[0], known.results[0]
    return [("Human against human: ", Name(material.second_reference.name), f" reaches {number(human.observed)} observed and "
             f"{number(human.corrected)} {span(*human.interval)} without noise; ", Name(material.names[0]), f" {number(machine.corrected)}.")]  # fmt: skip


def _head(material: Material, found: Agreement, known: Judge) -> list[Sentence]:
    if material.estimate is None:
        return []
    names = [str(label) for label in found.data.labels]
    estimate, reference = (midranks(-scores) + 1 for scores in (found.data.first, found.data.second))
    best = [names[i] for i in np.flatnonzero(reference == reference.min())]
    other = [names[i] for i in np.flatnonzero(estimate == estimate.min())]
    at = {name: float(rank) for name, rank in zip(names, estimate, strict=True)}
    top: Sentence = ()
    if known.top is not None:
        top = (f"At the top: {top_words(known)}; whoever is in one top ten only is tied below the other. ",)
    if best == other:
        return [(*top, "The best ", word("system"), ", ", Name(best[0]), ", keeps its place.")]
    return [
        (
            *top,
            "The best ",
            word("system"),
            " of the reference, ",
            Name(best[0]),
            f", is at rank {at[best[0]]:g} under ",
            Name(material.names[0]),
            ", whose best is ",
            Name(other[0]),
            ".",
        )
    ]


def _pairs(material: Material, known: Judge) -> Sentence:
    s = known.significant
    return (f"Of {count(s.truth.significant, 'significant difference')} under the reference, ", Name(material.names[0]),
            f" shares {s.shared:,}, contradicts {s.contradicted:,}, misses {s.missed:,}, and invents {s.invented:,}; {s.lines()[1]} "
            f"({s.lines()[2]}).")  # fmt: skip


def _groups(material: Material, known: Judge) -> list[Sentence]:
    if known.shifts is None:
        return []
    up = known.shifts.favoured()
    if np.isnan(known.shifts.low).any():
        return [(f"Whether a group is lifted cannot be said: {known.shifts.lines()[1]}.",)]
    if not up:
        return [("No group of ", word("systems"), " is lifted beyond chance.")]
    parts: list[Part] = [Name(material.names[0]), " lifts "]
    for place, group in enumerate(up):
        i = known.shifts.groups.index(group)
        parts += [
            ", " if place else "",
            Name(group),
            f" by {known.shifts.shift[i]:.1f} ranks {span(float(known.shifts.low[i]), float(known.shifts.high[i]), 1)}",
        ]
    return [(*parts, ".")]


def _scores(material: Material, known: Judge) -> list[Sentence]:
    if known.bias is None:
        return []
    b = known.bias
    return [("The scores of ", Name(material.names[0]), f" are {'higher' if b.bias > 0 else 'lower'} by {number(abs(b.bias), 4)} on average (bias {number(b.bias, 4)} "
             f"{span(b.low, b.high, 4)}); RMSE {number(b.rmse, 4)} of single scores, {number(b.rmse_means, 4)} of means.",)]  # fmt: skip


def _judged(known: Judge) -> list[Sentence]:
    words: list[Sentence] = []
    if known.kappa is not None:
        words.append((" ".join(known.kappa.lines()),))
    for name, one in known.judged:
        words.append((f"judged@{one.k} under ", Name(name), f": {number(100 * one.mean, 1)} % on average, least {number(100 * float(one.shares.min()), 1)} % (",
                      Name(one.runs[int(np.argmin(one.shares))]), ")."))  # fmt: skip
    return words


def _table(material: Material, known: Judge) -> Table:
    columns = (Column("who", "name"), Column("coefficient"), Column("what"), Column("value", "number"), Column("low", "number"),
               Column("high", "number"), Column("at least", "number"))  # fmt: skip
    judged, reference = material.names
    rows: list[tuple[Any, ...]] = []
    for who, results in (
        (judged, known.results),
        (material.second_reference.name if material.second_reference else "", known.humans),
    ):
        for one in results:
            name = one.coefficient.name
            rows.append((who, name, "observed", one.observed, None, None, None))
            rows.append(
                (
                    who,
                    name,
                    f"without the noise of {word('topics')}",
                    one.corrected,
                    one.interval.low,
                    one.interval.high,
                    one.at_least(),
                )
            )
    for top in known.ceilings:
        rows.append(
            (
                reference,
                top.coefficient.name,
                "noise ceiling: expected with its own true ranking",
                top.value,
                top.interval.low,
                top.interval.high,
                top.at_least(),
            )
        )
    if known.top is not None:
        rows.append(
            (
                judged,
                known.top.coefficient.name,
                f"observed, over the {count(known.top.n, 'system')} in either top ten",
                known.top.value,
                None,
                None,
                None,
            )
        )
    caption = f"Agreement with the reference; {material.level * 100:g} % intervals, at least: one-sided."
    return Table("agreement", (caption,), columns, tuple(rows), shown=20)


def _pair_table(material: Material, known: Judge) -> Table:
    s = known.significant
    columns = (Column("kind"), Column("pairs", "whole"), Column("which means"))
    judge = readable(material.names[0], 30)
    meaning = {"shared": "both see the same difference", "missed": "only the reference sees one", "invented": f"only {judge} sees one",
               "contradicted": "both see one, in opposite directions", "neither": "neither sees one"}  # fmt: skip
    rows = tuple((kind, getattr(s, kind), text) for kind, text in meaning.items())
    return Table(
        "significance", (f"Pairs of {word('systems')} by which side finds a significant difference.",), columns, rows
    )


def _group_table(material: Material, known: Judge) -> list[Table]:
    if known.shifts is None:
        return []
    s = known.shifts
    columns = (
        Column("group", "name"),
        Column(word("systems"), "whole"),
        Column("ranks gained", "number", 2),
        Column("low", "number", 2),
        Column("high", "number", 2),
    )
    rows = tuple(zip(s.groups, s.members, s.shift.tolist(), s.low.tolist(), s.high.tolist(), strict=True))
    return [
        Table(
            "groups",
            (
                "Mean ranks gained under ",
                Name(material.names[0]),
                f", by group; {s.level * 100:g} % intervals, each taken alone.",
            ),
            columns,
            rows,
        )
    ]


def _judged_table(known: Judge) -> list[Table]:
    if not known.judged or all((one.shares == 1).all() for _, one in known.judged):
        return []
    first = known.judged[0][1]
    place = [{run: float(share) for run, share in zip(one.runs, one.shares, strict=True)} for _, one in known.judged]
    columns = (
        Column(word("system"), "name"),
        *(Column(Name(f"judged@{first.k}, {name}"), "number") for name, _ in known.judged),
    )
    rows = sorted(((run, *(own.get(run) for own in place)) for run in first.runs), key=lambda row: row[1] or 0.0)
    return [
        Table(
            "judged",
            (f"Share of the first {first.k} documents that were judged, least first.",),
            columns,
            tuple(rows),
            shown=8,
        )
    ]


def _second(material: Material) -> str:
    return readable(material.second_reference.name, 30) if material.second_reference is not None else ""


def _figures(material: Material, known: Judge) -> tuple[Figure, ...]:
    estimate, reference = material.estimate, material.reference
    figures = []
    rows = [
        (
            f"{one.coefficient.name}, {readable(material.names[0], 30)}",
            one.interval.low,
            one.interval.high,
            one.corrected,
        )
        for one in known.results
    ]
    rows += [
        (f"{one.coefficient.name}, {_second(material)}", one.interval.low, one.interval.high, one.corrected)
        for one in known.humans
    ]
    rows += [
        (f"{top.coefficient.name}, noise ceiling", top.interval.low, top.interval.high, top.value)
        for top in known.ceilings
    ]
    rows = [row for row in rows if row[3] == row[3]]
    if rows:
        labels, low, high, at = zip(*rows, strict=True)
        figures.append(
            Figure("agreement", (f"Agreement without the noise of {word('topics')}, and the noise ceiling; the rule marks the margin.",
                                 ) if material.margin is not None else (f"Agreement without the noise of {word('topics')}, and the noise ceiling.",),
                   spans(labels, low, high, at, x="coefficient", title="Agreement with the reference", mark=material.margin))
        )  # fmt: skip
    if known.shifts is not None:
        figures.append(
            Figure(
                "groups",
                (
                    "Mean ranks gained under ",
                    Name(material.names[0]),
                    " by group; right of the rule it is kinder than the reference.",
                ),
                known.shifts.plot(),
            )
        )
    if (
        estimate is not None
        and estimate.complete is not None
        and reference.complete is not None
        and material.same_measure
    ):
        place = {system: i for i, system in enumerate(estimate.systems)}
        order = [place[system] for system in reference.systems]
        figures.append(
            Figure("scores", (f"The mean of each {word('system')}: reference across, ", Name(material.names[0]), " up; on the line both are equal."),
                   scatter(reference.complete.means(), estimate.complete.means()[order], reference.systems, x="mean, reference", y="mean, judge",
                        title="Means under both", diagonal=True))
        )  # fmt: skip
    return tuple(figures)
