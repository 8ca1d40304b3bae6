"""Can this judge stand in? Agreement without the noise of topics beside its ceiling, the top, groups, scores, judgments."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...figures import scatter, spans
from ...reference import midranks
from ...results import number, word
from ..material import Material
from ..parts import Column, Figure, Name, Part, Section, Sentence, Table, readable, span
from .agreeing import Agreement
from .judging import TOP, Judge

#: Without a stated margin: at least this much is "yes", at least that "in part" (Voorhees's rule of thumb).
GOOD, FAIR = 0.9, 0.8


def section(material: Material, found: Agreement, known: Judge) -> Section:
    """Where both sides have complete scores on topics."""
    words: list[Sentence] = [
        _verdict(material, known), _ceiling(material, known), *_humans(material, known), *_head(material, found, known),
        _pairs(known), *_groups(known), *_scores(material, known), *_judged(known), *material.caution(),
        *((one.methods_sentence(),) for one in known.results),
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
    tables = [_table(material, known), _pair_table(known), *_group_table(known), *_judged_table(known)]
    cited = [key for one in known.results for key in one.cited()]
    cited += ["urbano2016", *known.significant.cited(), *(known.kappa.cited() if known.kappa else ())]
    heading = material.heading(str(parts[0]))
    return Section("judge", heading, tuple(words), tuple(tables), _figures(material, known), data, tuple(cited))


def _verdict(material: Material, known: Judge) -> Sentence:
    one = known.results[0]
    name = one.coefficient.name
    if one.undefined_because is not None:
        return (
            f"It cannot be said: {name} without the noise of {word('topics')} is undefined, because {one.undefined_because}.",
        )
    value = f"{name} without the noise of {word('topics')} is {number(one.corrected)} {span(*one.interval)}"
    limit = one.at_least()
    sure = f"at least {number(limit)} with {material.level * 100:g} % confidence"
    who: Sentence = (Name(material.names[0]), " for ", Name(material.names[1]))
    asked = GOOD if material.margin is None else material.margin
    if material.margin is None:
        answer = "Yes" if limit >= GOOD else "In part" if one.corrected >= FAIR else "No"
        against = f". No --margin was stated; {GOOD:g} and {FAIR:g} are the usual rule of thumb"
    else:
        answer = "Yes" if limit > material.margin else "Not shown"
        against = f", {'above' if limit > material.margin else 'not above'} the stated margin of {material.margin:g}"
    but = _but_the_top(known, asked) if answer == "Yes" else ""
    return (f"{answer}{' over all ranks, but not at the top' * bool(but)}, ", *who, f": {value}, {sure}{against}{but}.")


def _but_the_top(known: Judge, asked: float) -> str:
    """What a yes over all ranks must not hide."""
    parts = [
        f"{h.coefficient.name} is at least {number(h.at_least())}" for h in known.results[1:] if h.at_least() <= asked
    ]
    if known.top is not None and known.top.value <= asked:
        parts.append(f"{known.top.coefficient.name}@{TOP} is {number(known.top.value)}")
    return f"; but {' and '.join(parts)}" if parts else ""


def _ceiling(material: Material, known: Judge) -> Sentence:
    one, top = known.results[0], known.ceilings[0]
    parts: Sentence = (f"Observed {one.coefficient.name} {number(one.observed)}, beside a noise ceiling of {number(top.value)} "
                       f"{span(*top.interval)}: what the reference's own ranking is expected to reach with its true one on these "
                       f"{word('topics')}",)  # fmt: skip
    if one.observed == one.observed and top.value == top.value:
        return (
            *parts,
            f"; the judge is {number(abs(top.value - one.observed))} {'below' if one.observed < top.value else 'above'} it.",
        )
    return (*parts, ".")


def _humans(material: Material, known: Judge) -> list[Sentence]:
    if not known.humans or material.second_reference is None:
        return []
    human, machine = known.humans[0], known.results[0]
    return [("Human against human: ", Name(material.second_reference.name), f" reaches {number(human.observed)} observed and "
             f"{number(human.corrected)} {span(*human.interval)} without noise; the judge {number(machine.corrected)}.")]  # fmt: skip


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
        top = (f"At the top, {known.top.coefficient.name}@{TOP} = {number(known.top.value)}. ",)
    if best == other:
        return [(*top, "The best ", word("system"), ", ", Name(best[0]), ", keeps its place.")]
    return [
        (
            *top,
            "The best ",
            word("system"),
            " of the reference, ",
            Name(best[0]),
            f", is at rank {at[best[0]]:g}; the best for the judge is ",
            Name(other[0]),
            ".",
        )
    ]


def _pairs(known: Judge) -> Sentence:
    s = known.significant
    return (f"{'; '.join(s.lines()[:2])} ({s.lines()[2]}).",)


def _groups(known: Judge) -> list[Sentence]:
    if known.shifts is None:
        return []
    up = known.shifts.favoured()
    if not up:
        return [("No group of ", word("systems"), " is lifted beyond chance.")]
    parts: list[Part] = ["The judge lifts "]
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
    return [(f"Its scores are {'higher' if b.bias > 0 else 'lower'} by {number(abs(b.bias), 4)} on average (bias {number(b.bias, 4)} "
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
                "noise ceiling",
                top.value,
                top.interval.low,
                top.interval.high,
                top.at_least(),
            )
        )
    if known.top is not None:
        rows.append(
            (judged, f"{known.top.coefficient.name}@{TOP}", "observed, at the top", known.top.value, None, None, None)
        )
    caption = f"Agreement with the reference; {material.level * 100:g} % intervals, at least: one-sided."
    return Table("agreement", (caption,), columns, tuple(rows), shown=20)


def _pair_table(known: Judge) -> Table:
    s = known.significant
    columns = (Column("kind"), Column("pairs", "whole"), Column("which means"))
    meaning = {"shared": "both see the same difference", "missed": "only the reference sees one", "invented": "only the judge sees one",
               "contradicted": "both see one, in opposite directions", "neither": "neither sees one"}  # fmt: skip
    rows = tuple((kind, getattr(s, kind), text) for kind, text in meaning.items())
    return Table(
        "significance", (f"Pairs of {word('systems')} by which side finds a significant difference.",), columns, rows
    )


def _group_table(known: Judge) -> list[Table]:
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
            (f"Mean ranks gained under the judge, by group; {s.level * 100:g} % intervals, each taken alone.",),
            columns,
            rows,
        )
    ]


def _judged_table(known: Judge) -> list[Table]:
    if not known.judged:
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
        (f"{one.coefficient.name}, second human", one.interval.low, one.interval.high, one.corrected)
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
                    "Mean ranks gained under the judge by group; right of the rule the judge is kinder than the reference.",
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
            Figure("scores", (f"The mean of each {word('system')}: reference across, judge up; on the line both are equal.",),
                   scatter(reference.complete.means(), estimate.complete.means()[order], reference.systems, x="mean, reference", y="mean, judge",
                        title="Means under both", diagonal=True))
        )  # fmt: skip
    return tuple(figures)
