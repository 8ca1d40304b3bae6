"""The answer to "would this ranking hold on new topics?". The words are in `texts/expected.txt`."""

from __future__ import annotations

import math
from dataclasses import replace

from ..inference.expected_correlation import ExpectedCorrelation, Holds
from .blocks import Answer, Chart
from .charts import Forest, Interval, Mark
from .plain import axis, curve, trace
from .wording import Texts, span, unmarked

TONES = {Holds.HOLDS: "yes", Holds.PARTLY: "partly", Holds.NOT_SHOWN: "open", Holds.UNDEFINED: "open"}


def answer(r: ExpectedCorrelation) -> Answer:
    """Put the facts into words, tables and charts."""
    known = r.verdict != Holds.UNDEFINED
    good, fair = r.thresholds
    code = r.undefined_because.code if r.undefined_because else ""
    texts = Texts("expected", r, good=good, fair=fair, code=code, reason=r.undefined_because)
    limits = "" if math.isnan(r.of_100_limits[0]) else span(r.of_100_limits, 1)
    numbers = [texts.number("agreement", span(r.interval) if known else "", _ruler(r, texts) if known else None)]
    if not math.isnan(r.of_100):
        numbers.append(texts.number("pairs", limits))
    if not math.isnan(r.topics_for_good):
        numbers.append(texts.number("topics"))
    labels = texts.named("subsets")
    rows = zip(*({**r.columns(), "subset": [labels[name] for name in r.columns()["subset"]]}).values(), strict=True)
    return Answer(
        question=texts("question"),
        subject=texts("subject"),
        verdict=texts.verdict(r.verdict.value, TONES[r.verdict]),
        advice=texts.prose("advice"),
        numbers=tuple(numbers),
        charts=_charts(r, texts),
        claims=texts.claims(),
        tables=(
            texts.table(
                "table",
                {"subset": "text", "systems": "whole", "value": "number", "low": "number", "high": "number"},
                rows,
            ),
        ),
        prose=tuple(map(texts.prose, ("methods", "reading", "rule_prose", "references"))),
        warnings=texts.each("warnings"),
    )


def _ruler(r: ExpectedCorrelation, texts: Texts) -> Forest:
    """Draw the value beside what the verdict requires."""
    return _forest((Interval(label=texts("agreement_axis"), value=r.value, low=r.low, high=r.high),), texts)


def _forest(rows: tuple[Interval, ...], texts: Texts) -> Forest:
    marks = tuple(Mark(value=float(value), label=label) for value, label in texts.named("marks").items())
    limits = (limit for row in rows for limit in (row.low, row.high))
    own = axis(limits, texts("agreement_axis"), *(mark.value for mark in marks), 1.0)
    own = replace(own, low=own.low - 0.03 * (own.high - own.low))  # no bar ends at the frame
    return Forest(axis=own, rows=rows, marks=marks, description=unmarked(texts("headline")))


def _charts(r: ExpectedCorrelation, texts: Texts) -> tuple[Chart, ...]:
    """Draw subsets of systems, and the value for more topics."""
    if r.verdict == Holds.UNDEFINED:
        return ()
    labels = texts.named("subsets")
    rows = tuple(
        Interval(
            label=labels[own.subset],
            value=own.value,
            low=own.low,
            high=own.high,
            beside=f"{own.systems:,}",
            strong=own.subset == "all",
        )
        for own in r.subsets
        if not math.isnan(own.value)
    )
    charts = [texts.chart("subsets", _forest(rows, texts))]
    if not math.isnan(r.topics_for_good):
        topics, values = r.growth
        charts.append(texts.chart("growth", curve(texts, [trace(topics, values)], r.topics)))
    return tuple(charts)
