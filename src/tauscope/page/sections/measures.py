"""Which measures to report: what they say twice, and what each says alone."""

from __future__ import annotations

import numpy as np

from ...errors import TauscopeError
from ...figures import heatmap
from ...results import count, number
from ...selection.measure_correlations import MeasureCorrelations, measure_correlations
from ...selection.rank_measures import MeasureRanking, rank_measures
from ..facts import Facts
from ..material import Material
from ..parts import Column, Figure, Name, Part, Section, Sentence, Table, listed

#: Measures that are called enough.
ENOUGH = 3
#: Of more measures than these the best set is sought step by step.
MOST_EXACT = 40
#: Groups of like measures that are listed.
MOST_GROUPS = 6
#: Measures whose rankings agree this far are called nearly alike.
ALIKE = 0.9


def section(material: Material, facts: Facts) -> Section | None:
    """Where the reference has several measures, and no missing cells."""
    cube = material.reference.cube
    if cube is None or len(cube.measures) < 2 or cube.has_holes:
        return None
    try:
        found = measure_correlations(cube, "system", "tau_b")
        method = "exact" if len(cube.measures) <= MOST_EXACT else "backward"
        ranked = rank_measures(cube, method, scale="correlation", keep=min(ENOUGH, len(cube.measures)))
    except TauscopeError:  # all constant: no measure says anything
        return None
    return Section(
        id="measures",
        heading=("Which measures to report?",),
        words=(
            _to_report(ranked, len(cube.measures)),
            *_extremes(found),
            *_alike(material, found),
            (f"How they were ordered: {ranked.lines()[1]}.",),
            (
                "Correlated does not mean exchangeable: measures that agree on these runs can stand for different "
                "users.",
            ),
        ),
        tables=(_order(ranked), _pairs(found)),
        figures=(_figure(found),),
        data={"correlations": found.to_dict(), "ranking": ranked.to_dict()},
        cited=(*found.cited(), *ranked.cited()),
        short="Measures",
    )


def _to_report(ranked: MeasureRanking, every: int) -> Sentence:
    kept = ranked.kept
    which = (
        f", the {len(kept)} of {every} that together say most and repeat each other least."
        if len(kept) < every
        else ", in this order: so few need no choice."
    )
    return ("To report: ", *listed(kept), which)


def _extremes(found: MeasureCorrelations) -> list[Sentence]:
    pairs = found.pairs()
    if not pairs:
        return []
    near, far = pairs[0], pairs[-1]
    return [
        (
            "Nearest to saying the same: ",
            Name(near.first),
            " and ",
            Name(near.second),
            f", tau_b {number(near.value)} of the rankings; furthest apart: ",
            Name(far.first),
            " and ",
            Name(far.second),
            f", {number(far.value)}.",
        )
    ]


def _alike(material: Material, found: MeasureCorrelations) -> list[Sentence]:
    groups = [group for group in found.groups(ALIKE) if len(group) > 1]
    if not groups:
        return []
    parts: list[Part] = []
    for place, group in enumerate(groups[:MOST_GROUPS]):
        parts += ["; " if place else "", *listed(group)]
    systems = count(len(material.reference.systems), "system")
    return [(f"Rank {systems} nearly alike (every pair at least {ALIKE:g}): ", *parts, ".")]


def _order(ranked: MeasureRanking) -> Table:
    columns = (Column("place", "whole"), Column("measure", "name"), Column("log determinant", "number", 3))
    own = ranked.columns()
    rows = zip(map(int, own["place"]), own["measure"], map(float, own["log_determinant"]), strict=True)
    return Table("order", ("Measures from the most to the least informative.",), columns, tuple(rows))


def _pairs(found: MeasureCorrelations) -> Table:
    columns = (Column("measure", "name"), Column("measure ", "name"), Column("tau_b", "number"))
    rows = tuple((pair.first, pair.second, pair.value) for pair in found.pairs())
    return Table("pairs", ("Agreement of the rankings by two measures, strongest first.",), columns, rows, shown=6)


def _figure(found: MeasureCorrelations) -> Figure:
    order = found.clustered()
    at = [found.measures.index(name) for name in order]
    values = np.asarray(found.values)[np.ix_(at, at)]
    drawn = heatmap(values, order, order, rows="measure", columns="measure", title="tau_b between measures")
    caption = "Agreement of the rankings by two measures; similar measures stand beside each other."
    return Figure("heatmap", (caption,), drawn)
