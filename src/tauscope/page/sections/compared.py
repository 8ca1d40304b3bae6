"""What was compared: systems, topics, measures, what was dropped, ties."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...reference.rankings import midranks
from ...results import count, word
from ...ties import snap
from ..parts import Column, Name, Section, Sentence, Table, listed
from ..parts import ranks as rank_column
from ..sides import Material, Side


def tied_pairs(side: Side) -> tuple[int, int]:
    """(pairs of systems tied in the ranking, all pairs)."""
    _, sizes = np.unique(side.ranking.scores, return_counts=True)
    n = len(side.ranking)
    return int((sizes.astype(np.int64) * (sizes - 1) // 2).sum()), n * (n - 1) // 2


def section(material: Material) -> Section:
    """Always there."""
    reference, estimate = material.reference, material.estimate
    first: Sentence = (f"{count(len(reference.systems), 'system')}",)
    if reference.scores is not None:
        first += (f" on {count(len(reference.scores.topics), 'topic')}",)
    first += (" by ", *material.by) if material.by else ()
    if estimate is not None:
        first += ("; ", Name(estimate.name), " is measured against ", *material.called(reference))
    words = [(*first, "."), *_measures(material), *map(_ties, material.sides), *_holes(material), *_dropped(material)]
    data = {
        "systems": list(reference.systems),
        "topics": list(reference.scores.topics) if reference.scores is not None else None,
        "measure": material.measure,
        "measures": list(reference.cube.measures) if reference.cube is not None else [],
        "sides": [{"name": side.name, "tied_pairs": tied_pairs(side)[0], "pairs": tied_pairs(side)[1],
                   "snapped": side.ranking.snapped, "notes": list(side.notes)} for side in material.sides],
        "dropped": list(material.notes),
    }  # fmt: skip
    return Section("compared", material.heading("What was compared"), tuple(words), (_table(material),), data=data)


def _measures(material: Material) -> list[Sentence]:
    cube = material.reference.cube
    if not material.by:
        return [("The input does not say by which measure; -m names it, and then every heading does.",)]
    if cube is None or len(cube.measures) < 2:
        return []
    return [(f"There are {count(len(cube.measures), 'measure')}: ", *listed(cube.measures, 12), ". This page looks at ",
             Name(material.measure), "; ask for another with -m.")]  # fmt: skip


def _ties(side: Side) -> Sentence:
    tied, pairs = tied_pairs(side)
    snapped = f" ({side.ranking.snapped:,} of them equal up to rounding of the means)" if side.ranking.snapped else ""
    return (
        "Ties: ",
        f"{tied:,} of {count(pairs, 'pair')} of {word('systems')} are tied in ",
        Name(side.name),
        f"{snapped}.",
    )


def _holes(material: Material) -> list[Sentence]:
    found: list[Sentence] = []
    for side in material.sides:
        if side.scores is not None and side.scores.has_holes:
            share = 100 * side.scores.holes / side.scores.values.size
            found.append(
                (
                    f"{count(side.scores.holes, 'cell')} of ",
                    Name(side.name),
                    f" ({share:.1f} %) have no score and were kept empty: "
                    f"a mean is over the {word('topics')} that a {word('system')} has, and two {word('systems')} are compared on "
                    f"the {word('topics')} that both have.",
                )
            )
    return found


def _dropped(material: Material) -> list[Sentence]:
    notes = list(material.notes)
    notes += [note for side in material.sides for note in side.notes if note not in notes]
    if not notes:
        return [("Nothing was dropped, filled in or changed.",)]
    return [("Dropped, filled in or changed: ", Name("; ".join(dict.fromkeys(notes)), 1000), ".")]


def _table(material: Material) -> Table:
    """The ranking, best first: means and ranks on each side."""
    sides = material.sides
    columns = [Column(word("system"), "name")]
    values: list[list[Any]] = [list(sides[0].systems)]
    for side in sides:
        own = Name(side.name)
        means, ranks = _means(side, sides[0].systems)
        if len(sides) == 1:
            columns += [
                rank_column("rank", ranks),
                Column("mean" if side.scores is not None else "score", "number", 4),
            ]
        else:
            columns += [rank_column(Name(f"rank, {own.text}"), ranks), Column(Name(f"mean, {own.text}"), "number", 4)]
        values += [ranks, means]
    if sides[0].scores is not None and sides[0].scores.has_holes:
        columns.append(Column(word("topics"), "whole"))
        values.append((~np.isnan(sides[0].scores.values)).sum(axis=0).tolist())
    if material.groups:
        columns.append(Column("group", "name"))
        values.append([material.groups.get(system, "") for system in sides[0].systems])
    rows = sorted(zip(*values, strict=True), key=lambda row: row[1])
    return Table("ranking", (f"The ranking of {count(len(rows), 'system')}, best first.",), tuple(columns), tuple(rows))


def _means(side: Side, systems: tuple[str, ...]) -> tuple[list[float], list[float]]:
    place = {system: i for i, system in enumerate(side.systems)}
    order = [place[system] for system in systems]
    scores = snap(np.array(side.ranking.oriented))[0]
    ranks = midranks(-scores) + 1
    return [float(side.ranking.scores[i]) for i in order], [float(ranks[i]) for i in order]
