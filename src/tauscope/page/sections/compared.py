"""What was compared: systems, topics, measures, what was dropped, ties."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...reference.rankings import midranks
from ...results import count, word
from ...ties import snap
from ..facts import Facts
from ..material import Material
from ..parts import Column, Name, Section, Sentence, Table, listed, ranks
from ..sides import Side


def section(material: Material, facts: Facts) -> Section:
    """Always there."""
    reference, estimate = material.reference, material.estimate
    scores, cube = reference.scores, reference.cube
    first: Sentence = (count(len(reference.systems), "system"),)
    if material.clusters is not None:
        topics, clusters = material.clusters
        rows = f"{count(clusters, 'cluster')}, which are taken for independent as wholes,"
        first += (f" on {count(topics, 'topic')} in {rows}",)
    elif scores is not None:
        first += (f" on {count(len(scores.topics), 'topic')}",)
    first += (" by ", *material.by) if material.by else ()
    if estimate is not None:
        first += ("; ", Name(estimate.name), " is measured against ", *material.called(reference))
    return Section(
        id="compared",
        heading=material.heading("What was compared"),
        words=((*first, "."), *_measures(material), *map(_ties, material.sides), *_holes(material), _dropped(material)),
        tables=(_table(material),),
        data={
            "systems": list(reference.systems),
            "topics": list(scores.topics) if scores is not None else None,
            "measure": material.measure,
            "measures": list(cube.measures) if cube is not None else [],
            "sides": [_counts(side) for side in material.sides],
            "dropped": list(material.notes),
        },
        short="What was compared",
    )


def _tied_pairs(side: Side) -> tuple[int, int]:
    """(pairs of systems tied in the ranking, all pairs)."""
    _, sizes = np.unique(side.ranking.scores, return_counts=True)
    n = len(side.ranking)
    return int((sizes.astype(np.int64) * (sizes - 1) // 2).sum()), n * (n - 1) // 2


def _counts(side: Side) -> dict[str, Any]:
    tied, pairs = _tied_pairs(side)
    snapped, notes = side.ranking.snapped, list(side.notes)
    return {"name": side.name, "tied_pairs": tied, "pairs": pairs, "snapped": snapped, "notes": notes}


def _measures(material: Material) -> list[Sentence]:
    cube = material.reference.cube
    if material.result is not None:
        return []
    if not material.by:
        return [("The input does not say by which measure; -m names it, and then every heading does.",)]
    if cube is None or len(cube.measures) < 2:
        return []
    there: Sentence = (f"There are {count(len(cube.measures), 'measure')}: ", *listed(cube.measures, 12))
    return [(*there, ". This page looks at ", Name(material.measure), "; ask for another with -m.")]


def _ties(side: Side) -> Sentence:
    tied, pairs = _tied_pairs(side)
    snapped = f" ({side.ranking.snapped:,} of them equal up to rounding of the means)" if side.ranking.snapped else ""
    said = f"{tied:,} of {count(pairs, 'pair')} of {word('systems')} are tied in "
    return ("Ties: ", said, Name(side.name), f"{snapped}.")


def _holes(material: Material) -> list[Sentence]:
    one, many, topics = word("system"), word("systems"), word("topics")
    found: list[Sentence] = []
    for side in material.sides:
        if side.scores is not None and side.scores.has_holes:
            share = 100 * side.scores.holes / side.scores.values.size
            kept = (
                f" ({share:.1f} %) have no score and were kept empty: a mean is over the {topics} that a {one} has, "
                f"and two {many} are compared on the {topics} that both have."
            )
            found.append((f"{count(side.scores.holes, 'cell')} of ", Name(side.name), kept))
    return found


def _dropped(material: Material) -> Sentence:
    notes = dict.fromkeys([*material.notes, *(note for side in material.sides for note in side.notes)])
    if not notes:
        return ("Nothing was dropped, filled in or changed.",)
    return ("Dropped, filled in or changed: ", Name("; ".join(notes), 1000), ".")


def _table(material: Material) -> Table:
    """The ranking, best first: means and ranks on each side."""
    sides = material.sides
    first = sides[0]
    columns = [Column(word("system"), "name")]
    values: list[list[Any]] = [list(first.systems)]
    for side in sides:
        means, places = _means(side, first.systems)
        mean = "mean" if side.scores is not None else "score"
        if len(sides) == 1:
            columns += [ranks("rank", places), Column(mean, "number", 4)]
        else:
            columns += [
                ranks(Name(f"rank, {side.name}"), places),
                Column(Name(f"mean, {side.name}"), "number", 4),
            ]
        values += [places, means]
    if first.scores is not None and first.scores.has_holes:
        columns.append(Column(word("topics"), "whole"))
        values.append((~np.isnan(first.scores.values)).sum(axis=0).tolist())
    if material.groups:
        columns.append(Column("group", "name"))
        values.append([material.groups.get(system, "") for system in first.systems])
    rows = sorted(zip(*values, strict=True), key=lambda row: row[1])
    return Table("ranking", (f"The ranking of {count(len(rows), 'system')}, best first.",), tuple(columns), tuple(rows))


def _means(side: Side, systems: tuple[str, ...]) -> tuple[list[float], list[float]]:
    place = {system: i for i, system in enumerate(side.systems)}
    order = [place[system] for system in systems]
    places = midranks(-snap(np.array(side.ranking.oriented))[0]) + 1
    return [float(side.ranking.scores[i]) for i in order], [float(places[i]) for i in order]
