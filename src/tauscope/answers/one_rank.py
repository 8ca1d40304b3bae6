"""The answer to "which rank can this one system have?". The words are in `texts/one_rank.txt`."""

from __future__ import annotations

from ..boards.ranks import Extent, OneRank
from .blocks import Answer
from .charts import Axis, Forest, Interval
from .ranks import unit_of
from .wording import Texts, unmarked

TONES = {Extent.ONE: "yes", Extent.SEVERAL: "partly", Extent.ALL: "open"}


def answer(r: OneRank) -> Answer:
    """Put the facts into words, a table and a chart."""
    texts = Texts("one_rank", r, unit=unit_of(r.unit))
    labels = texts.named("kinds")
    rows = (("own", r.low, r.high), ("joint", r.joint_low, r.joint_high))
    figure = Forest(
        axis=Axis(title=texts("axis"), low=1, high=float(r.out_of), whole=True),
        rows=tuple(
            Interval(label=labels[key], value=float(r.rank), low=float(a), high=float(b), strong=key == "own")
            for key, a, b in rows
        ),
        description=unmarked(texts("headline")),
    )
    return Answer(
        question=texts("question"),
        subject=texts("subject"),
        verdict=texts.verdict(r.verdict.value, TONES[r.verdict]),
        advice=texts.prose("advice"),
        numbers=tuple(map(texts.number, ("own", "joint"))),
        charts=(texts.chart("intervals", figure),),
        claims=texts.claims(),
        tables=(
            texts.table(
                "intervals", {"kind": "text", "interval": "range"}, [(labels[key], (a, b)) for key, a, b in rows]
            ),
        ),
        prose=tuple(map(texts.prose, ("methods", "rule_prose", "references"))),
    )
