"""The answer to "which judge is closest to people?". The words are in `texts/judges.txt`."""

from __future__ import annotations

import math

from ..coefficients.records import catalogue
from ..judges.agreement import Standing
from ..judges.comparisons import WIDER, Closest, Comparisons
from .blocks import Answer
from .charts import Axis, Forest, Interval
from .judge import label
from .wording import Texts, mark, number, span, unmarked

#: Numbers of which the highest is the best.
BEST = {"observed": "high", "corrected": "high", "limit": "high"}
TONES = {Closest.ONE: "yes", Closest.SEVERAL: "open"}


def answer(r: Comparisons) -> Answer:
    """Put the facts into words, tables and charts."""
    c = catalogue[r.coefficient]
    texts = Texts("judges", r, best=r.judge[0], standing=label(r.standing[0]), wider=WIDER)
    texts.know(truth=mark("n", r.truth) if r.truth else texts("unnamed"), symbol=c.symbol, title=c.full_title)
    texts.know(replacing=r.standing.count(Standing.REPLACES), some_uses=r.standing.count(Standing.SOME_USES))
    texts.know(alpha=f"{1 - r.level:.3g}")
    limits = list(zip(r.low.tolist(), r.high.tolist(), strict=True))
    verdicts = [label(standing) for standing in r.standing]
    kinds = {"judge": "name", "observed": "number", "corrected": "number", "interval": "range", "letters": "text"}
    rows = zip(r.judge, r.observed, r.corrected, limits, r.letters, r.limit, verdicts, strict=True)
    pairs = [(one.closer, one.other, one.difference, (one.low, one.high), one.differ) for one in r.pairs]
    of_pairs = {"closer": "name", "other": "name", "difference": "number", "simultaneous": "range", "differ": "check"}
    return Answer(
        question=texts("question"),
        subject=texts("subject"),
        verdict=texts.verdict(r.verdict.value, TONES[r.verdict]),
        advice=texts.prose("advice"),
        numbers=(
            texts.number("closest", texts("closest_interval")),
            texts.number("differing", figure=texts.share("differing", r.differing, len(pairs) - r.differing)),
            texts.number("replace"),
        ),
        charts=(texts.chart("forest", _forest(r, texts)),),
        claims=texts.claims(),
        tables=(
            texts.table("judges", {**kinds, "limit": "number", "standing": "text"}, rows, detail=("limit",), best=BEST),
            texts.table("pairs", of_pairs, pairs),
        ),
        prose=tuple(p for p in map(texts.prose, ("methods", "rule_prose", "references", "data")) if p.paragraphs),
    )


def _forest(r: Comparisons, texts: Texts) -> Forest:
    rows = tuple(
        Interval(
            label=name,
            value=float(r.corrected[i]),
            low=float(r.low[i]),
            high=float(r.high[i]),
            beside=f"{r.letters[i]}  {number(r.corrected[i], 2)} ({span((r.low[i], r.high[i]), 2)})",
            strong=not r.apart[0, i],
        )
        for i, name in enumerate(r.judge)
    )
    low = min([0.5, *(row.low for row in rows)])
    axis = Axis(title=texts("forest_axis"), low=math.floor(10 * low) / 10, high=1.0)
    return Forest(axis=axis, rows=rows, beside=" ", description=unmarked(texts("headline")))
