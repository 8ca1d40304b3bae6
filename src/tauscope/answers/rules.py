"""The answer to "does the winner depend on the rule?". The words are in `texts/rules.txt`."""

from __future__ import annotations

import numpy as np

from ..boards.rules import Agreement, RuleComparison, board_rules
from .blocks import Answer
from .charts import Axis, Forest, Interval
from .ranks import WINDOW
from .wording import Texts, unmarked

TONES = {Agreement.SAME: "yes", Agreement.DIFFERENT: "partly", Agreement.ONE: "open"}


def answer(r: RuleComparison) -> Answer:
    """Put the facts into words, tables and charts."""
    firsts, widest = [one.first for one in r.firsts], int(np.argmax(r.worst_rank - r.best_rank))
    texts = Texts(
        "rules",
        r,
        leading=r.winners[0],
        agreeing=firsts.count(r.winners[0]),
        largest=(r.systems[widest], int(r.best_rank[widest]), int(r.worst_rank[widest])),
        shown=min(WINDOW, len(r.systems)),
    )
    kinds = {"rule": "text", "formula": "text", "first": "name", "winners": "whole"}
    rows: list[tuple[object, ...]] = [
        (one.rule, board_rules[one.rule].formula, one.first, one.possible_winners) for one in r.firsts
    ]
    if any(one.lacks for one in r.firsts):
        kinds |= {"lacks": "whole"}
        rows = [(*row, one.lacks) for row, one in zip(rows, r.firsts, strict=True)]
    ranks = {"system": "name"} | dict.fromkeys(r.rules, "whole")
    return Answer(
        question=texts("question"),
        subject=texts("subject"),
        verdict=texts.verdict(r.verdict.value, TONES[r.verdict]),
        advice=texts.prose("advice"),
        numbers=tuple(map(texts.number, ("winners", "agreement", "moves"))),
        charts=(texts.chart("ranges", _ranges(r, texts)),),
        claims=texts.claims(),
        tables=(
            texts.table("firsts", kinds, rows, detail=("formula",)),
            texts.table("ranks", ranks, zip(r.systems, *r.ranks.tolist(), strict=True)),
        ),
        prose=tuple(map(texts.prose, ("methods", "rule_prose", "references"))),
        warnings=texts.each("warnings"),
    )


def _ranges(r: RuleComparison, texts: Texts) -> Forest:
    own = r.rules.index(r.own) if r.own in r.rules else 0
    columns = (r.systems, r.ranks[own], r.best_rank, r.worst_rank)
    rows = tuple(
        Interval(label=name, value=float(rank), low=float(low), high=float(high), strong=name in r.winners)
        for name, rank, low, high in zip(*(values[:WINDOW] for values in columns), strict=True)
    )
    axis = Axis(title=texts("ranges_axis"), low=1, high=max(row.high for row in rows), whole=True)
    return Forest(axis=axis, rows=rows, description=unmarked(texts("headline")))
