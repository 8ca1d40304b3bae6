"""Which measures to report: what they say twice, and what each says alone."""

from __future__ import annotations

import numpy as np

from ...errors import TauscopeError
from ...figures import heatmap
from ...results import count, number
from ...selection.measure_correlations import measure_correlations
from ...selection.rank_measures import rank_measures
from ..parts import Column, Figure, Name, Section, Sentence, Table, listed
from ..sides import Material

#: Measures that are called enough.
ENOUGH = 3


def section(material: Material) -> Section | None:
    """Where the reference has several measures, and no missing cells."""
    cube = material.reference.cube
    if cube is None or len(cube.measures) < 2 or cube.has_holes:
        return None
    try:
        found = measure_correlations(cube, "system", "tau_b")
        ranked = rank_measures(cube, "backward", scale="correlation", keep=min(ENOUGH, len(cube.measures)))
    except TauscopeError:  # all constant: no measure says anything
        return None
    pairs = found.pairs()
    words: list[Sentence] = [
        ("To report: ", *listed(ranked.kept), f", the {len(ranked.kept)} of {len(cube.measures)} that together say most and repeat each other least."
         if len(ranked.kept) < len(cube.measures) else ", in this order: so few need no choice."),
    ]  # fmt: skip
    if pairs:
        words.append(("Nearest to saying the same: ", Name(pairs[0].first), " and ", Name(pairs[0].second), f", tau_b {number(pairs[0].value)} of the rankings; "
                      "furthest apart: ", Name(pairs[-1].first), " and ", Name(pairs[-1].second), f", {number(pairs[-1].value)}."))  # fmt: skip
    groups = [group for group in found.groups(0.9) if len(group) > 1]
    if groups:
        parts: list[str | Name] = []
        for place, group in enumerate(groups[:6]):
            parts += ["; " if place else "", *listed(group)]
        words.append(
            (
                f"Rank {count(len(material.reference.systems), 'system')} nearly alike (every pair at least 0.9): ",
                *parts,
                ".",
            )
        )
    words.append((f"How they were ordered: {ranked.lines()[1]}.",))
    words.append(
        ("Correlated does not mean exchangeable: measures that agree on these runs can stand for different users.",)
    )
    order = found.clustered()
    at = [found.measures.index(name) for name in order]
    drawn = heatmap(
        np.asarray(found.values)[np.ix_(at, at)],
        order,
        order,
        rows="measure",
        columns="measure",
        title="tau_b between measures",
    )
    columns = (Column("place", "whole"), Column("measure", "name"), Column("log determinant", "number", 3))
    table = ranked.columns()
    rows = tuple(
        (int(i), name, float(v))
        for i, name, v in zip(table["place"], table["measure"], table["log_determinant"], strict=True)
    )
    pair_columns = (Column("measure", "name"), Column("measure ", "name"), Column("tau_b", "number"))
    pair_rows = tuple((p.first, p.second, p.value) for p in pairs)
    tables = (Table("order", ("Measures from the most to the least informative.",), columns, rows),
              Table("pairs", ("Agreement of the rankings by two measures, strongest first.",), pair_columns, pair_rows, shown=6))  # fmt: skip
    data = {"correlations": found.to_dict(), "ranking": ranked.to_dict()}
    figure = Figure(
        "heatmap", ("Agreement of the rankings by two measures; similar measures stand beside each other.",), drawn
    )
    cited = (*found.cited(), *ranked.cited())
    return Section("measures", ("Which measures to report?",), tuple(words), tables, (figure,), data, cited)
