"""The answer to "which set contains a best system?". The words are in `texts/best_set.txt`."""

from __future__ import annotations

import numpy as np

from ..boards.ranks import BestSet, Extent
from .blocks import Answer
from .charts import Axis, Forest, Interval
from .ranks import WINDOW, beside, digits_of, unit_of
from .wording import Texts, unmarked

TONES = {Extent.ONE: "yes", Extent.SEVERAL: "open", Extent.ALL: "open"}
#: Systems outside the set that the chart shows below it.
MOST_OTHERS = 5


def answer(r: BestSet) -> Answer:
    """Put the facts into words, tables and charts."""
    texts = Texts("best_set", r, unit=unit_of(r.unit))
    kinds = {"system": "name", "score": "number", "error": "number", "in_set": "check"}
    rows = zip(r.systems, r.scores, r.errors, r.in_set, strict=True)
    return Answer(
        question=texts("question"),
        subject=texts("subject"),
        verdict=texts.verdict(r.verdict.value, TONES[r.verdict]),
        advice=texts.prose("advice"),
        numbers=tuple(map(texts.number, ("set", "joint"))),
        charts=(texts.chart("scores", _scores(r, texts)),),
        claims=texts.claims(),
        tables=(texts.table("set", kinds, rows, digits_of(r.errors), detail=("error",)),),
        prose=tuple(map(texts.prose, ("methods", "rule_prose", "references"))),
    )


def _scores(r: BestSet, texts: Texts) -> Forest:
    last = int(np.flatnonzero(r.in_set)[-1]) + 1 + MOST_OTHERS
    digits, reach = digits_of(r.errors), np.nan_to_num(r.errors)
    rows = tuple(
        Interval(
            label=name,
            value=float(score),
            low=float(score - error),
            high=float(score + error),
            beside=beside(score, own, digits),
            strong=bool(member),
        )
        for name, score, error, own, member in zip(
            r.systems[: min(last, WINDOW)], r.scores, reach, r.errors, r.in_set, strict=False
        )
    )
    low, high = min(row.low for row in rows), max(row.high for row in rows)
    room = 0.0 if high > low else 0.5
    axis = Axis(title=texts("scores_axis"), low=low - room, high=high + room)
    return Forest(axis=axis, rows=rows, description=unmarked(texts("headline")))
