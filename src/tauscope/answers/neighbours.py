"""The answer to "do neighbours in the ranking differ?". The words are in `texts/neighbours.txt`."""

from __future__ import annotations

import numpy as np

from ..boards.ranks import Neighbours, Separated
from .blocks import Answer
from .charts import Axis, Forest, Interval
from .ranks import WINDOW, unit_of
from .wording import Texts, unmarked

TONES = {Separated.ALL: "yes", Separated.SOME: "partly", Separated.NONE: "open"}


def answer(r: Neighbours) -> Answer:
    """Put the facts into words, tables and charts."""
    texts = Texts(
        "neighbours",
        r,
        unit=unit_of(r.unit),
        pairs=range(len(r)),
        open=len(r) - r.significant_pairs,
        has_p=bool(np.isfinite(r.p).all()),
        shown=min(WINDOW, len(r)),
    )
    kinds = {"above": "name", "below": "name", "difference": "number", "p": "p", "significant": "check"}
    return Answer(
        question=texts("question"),
        subject=texts("subject"),
        verdict=texts.verdict(r.verdict.value, TONES[r.verdict]),
        advice=texts.prose("advice"),
        numbers=tuple(map(texts.number, ("joint", "alone", "tied"))),
        charts=(texts.chart("differences", _differences(r, texts)),),
        claims=texts.claims(),
        tables=(
            texts.table("neighbours", kinds, zip(r.above, r.below, r.difference, r.p, r.significant, strict=True)),
        ),
        prose=tuple(map(texts.prose, ("methods", "rule_prose", "references"))),
    )


def _differences(r: Neighbours, texts: Texts) -> Forest:
    rows = tuple(
        Interval(label=f"{above} – {below}", value=float(gap), low=0.0, high=float(gap), strong=bool(sure))
        for above, below, gap, sure in zip(
            r.above[:WINDOW], r.below[:WINDOW], r.difference, r.significant, strict=False
        )
    )
    axis = Axis(title=texts("differences_axis"), low=0.0, high=max(row.value for row in rows) or 1.0)
    return Forest(axis=axis, rows=rows, description=unmarked(texts("headline")))
