"""The answer to "do the claims about this board hold?". The words are in `texts/gate.txt`."""

from __future__ import annotations

from typing import Any

from ..boards.gate import ClaimResult, Gate, Holding, Passing
from ..coefficients.records import catalogue
from ..data.clusters import ENOUGH, HELD
from .blocks import Answer, Chart, Table
from .charts import Bar, Bars
from .plain import axis
from .wording import Texts, mark, number, p_value, unmarked

TONES = {Passing.PASSES: "yes", Passing.FAILS: "no"}


def answer(r: Gate) -> Answer:
    """Put the facts into words, one table and one chart."""
    counts = {kind.name.lower(): [one for one in r.claims if one.verdict is kind] for kind in Holding}
    few = bool(r.clusters) and r.unit == "topic" and r.clusters < ENOUGH
    texts = Texts("gate", r, few_clusters=few, least_clusters=HELD, one_claim=len(r.claims) == 1, **counts)
    tone = "open" if r.verdict is Passing.FAILS and not counts["does_not_hold"] else TONES[r.verdict]
    verdict = texts.verdict(r.verdict.value, tone)
    texts.know(observed=_found(r.claims[0], texts))
    return Answer(
        question=texts("question"),
        subject=texts("subject"),
        verdict=verdict,
        advice=texts.prose("advice"),
        numbers=(texts.number("held", figure=texts.share("held", *map(len, counts.values()))),),
        charts=(_chart(r, texts),),
        claims=texts.claims(),
        tables=(_table(r, texts),),
        prose=tuple(map(texts.prose, ("methods", "reading", "rule_prose", "references"))),
        warnings=texts.each("warnings"),
    )


def _table(r: Gate, texts: Texts) -> Table:
    verdicts = texts.named("verdicts")
    kinds = {"claim": "name", "verdict": "text", "found": "text", "p": "p", "opposite_p": "p"}
    rows = (
        (one.claim, verdicts[one.verdict.name.lower()], _found(one, texts), one.p, one.opposite_p) for one in r.claims
    )
    return texts.table("claims", kinds, rows)


def _found(one: ClaimResult, texts: Texts) -> str:
    """Say what was observed: a difference, a rank, or a coefficient."""
    symbol = mark("s", catalogue[one.coefficient].symbol) if one.coefficient else ""
    known: dict[str, Any] = {"value": number(one.value), "corrected": number(one.corrected), "symbol": symbol}
    texts.know(**known, rank=one.value, margin=one.margin, kind=one.kind)
    return texts("found")


def _chart(r: Gate, texts: Texts) -> Chart:
    """Draw one bar per claim: its p-value."""
    bars = tuple(
        Bar(
            label=one.claim,
            value=one.p,
            text=p_value(one.p).removeprefix("p ").removeprefix("= "),
            strong=one.p <= 1 - r.level,
        )
        for one in r.claims
    )
    figure = Bars(axis=axis((0.0, 1.0), texts("chart_x")), bars=bars, description=unmarked(texts("headline")))
    return texts.chart("claims", figure)
