"""The answer to "how few topics or battles decide?". The words are in `texts/fragility.txt`."""

from __future__ import annotations

import math

from ..boards.fragility import Fragility, Robust
from ..boards.rules import board_rules
from .blocks import Answer
from .charts import Axis, Forest, Interval, Mark
from .ranks import unit_of
from .wording import Noun, Texts, count, unmarked

TONES = {Robust.CHANGES: "partly", Robust.NONE: "yes"}
#: Removals that a chart shows.
MOST_STEPS = 30


def answer(r: Fragility) -> Answer:
    """Put the facts into words, tables and charts."""
    unit = unit_of(r.kind) or Noun.of(r.kind)
    texts = Texts("fragility", r, unit=unit, by=board_rules[r.rule] if r.rule else None)
    rows = [(place, name) for place, name in enumerate(r.removed, start=1)]
    return Answer(
        question=texts("question"),
        subject=texts("subject"),
        verdict=texts.verdict(r.verdict.value, TONES[r.verdict]),
        advice=texts.prose("advice"),
        numbers=tuple(map(texts.number, ("removed", "share"))),
        charts=(texts.chart("gaps", _gaps(r, texts, unit)),),
        claims=texts.claims(),
        tables=(texts.table("removed", {"place": "whole", "removed": "name"}, rows),),
        prose=tuple(map(texts.prose, ("methods", "rule_prose"))),
    )


def _gaps(r: Fragility, texts: Texts, unit: Noun) -> Forest:
    """Draw the lead before and after removals: all of a few, and some of many."""
    every = -(-len(r.gaps) // MOST_STEPS) or 1
    steps = [*r.gaps[:-1:every], r.gaps[-1]] if r.gaps else []
    named = len(r.gaps) == len(r.removed) + 1 and every == 1
    rows = tuple(
        Interval(
            label=texts("all_of") if not n else f"− {r.removed[n - 1]}" if named else f"− {count(n, unit)}",
            value=gap,
            low=math.nan,
            high=math.nan,
            strong=gap >= 0,
        )
        for n, gap in steps
    ) or (Interval(label=texts("all_of"), value=math.nan, low=math.nan, high=math.nan),)
    known = [row.value for row in rows if row.value == row.value]
    axis = Axis(title=texts("gaps_axis"), low=min([0.0, *known]), high=max([0.0, *known]) or 1.0)
    mark = Mark(value=0.0, label="")
    return Forest(axis=axis, rows=rows, marks=(mark,), description=unmarked(texts("headline")))
