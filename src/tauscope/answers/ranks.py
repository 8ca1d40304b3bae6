"""The answer to "which ranks do the data support?". The words are in `texts/ranks.txt`."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..boards.ranks import Ranks, Winner
from ..boards.rules import board_rules
from .blocks import Answer, Chart, Table
from .charts import Axis, CriticalDifference, Forest, Interval
from .wording import Noun, Texts, number, unmarked, user_noun

TONES = {Winner.CLEAR: "yes", Winner.SEVERAL: "open", Winner.ALL: "open"}
#: Systems in one forest, forests of one board, and systems in a critical difference diagram, where more cannot be read.
WINDOW, WINDOWS, DIFFERENCE = 60, 5, 12


def answer(r: Ranks) -> Answer:
    """Put the facts into words, tables and charts."""
    size = len(r.systems)
    significant, tied = np.diagonal(r.better, 1), r.rank[1:] == r.rank[:-1]
    unsure = np.flatnonzero(~significant & ~tied)
    # The second pair that is in doubt: the first one is the winner's, of which the claim before speaks.
    example = [(r.systems[k], r.systems[k + 1]) for k in unsure[:2].tolist()][-1:]
    texts = Texts(
        "ranks",
        r,
        unit=unit_of(r.unit),
        neighbours=range(size - 1),
        open=int((~significant).sum()),
        untied=len(unsure),
        example=example[0] if example else (),
        by=board_rules[r.rule] if r.rule else None,
        least=math.ceil(1 - math.log2(1 - r.level)),
        has_errors=bool(np.isfinite(r.errors).any()),
        shown=min(DIFFERENCE, size),
        first=1,
        last=min(WINDOW, size),
    )
    texts.know(score=texts("score_word"))
    verdict = texts.verdict(r.verdict.value, TONES[r.verdict])
    return Answer(
        question=texts("question"),
        subject=texts("subject"),
        verdict=verdict,
        advice=texts.prose("advice"),
        numbers=(
            texts.number("winners", figure=texts.share("winners", len(r.winners), size - len(r.winners))),
            texts.number("pairs", figure=texts.share("pairs", r.significant_pairs, r.pairs - r.significant_pairs)),
            texts.number("tiers"),
        ),
        charts=(*_forests(r, texts), texts.chart("critical-difference", _difference(r, texts))),
        claims=texts.claims(),
        tables=(_table(r, texts),),
        prose=tuple(map(texts.prose, ("methods", "reading", "rule_prose", "references"))),
        warnings=texts.each("warnings"),
    )


def unit_of(unit: str) -> Noun | None:
    """Return the noun of what was sampled, as this user calls it."""
    return user_noun(unit) if unit == "topic" else Noun.of(unit) if unit else None


def digits_of(errors: Any) -> int:
    """Choose as many digits as the standard errors support."""
    known = np.sort(errors[np.isfinite(errors)])
    typical = float(known[len(known) // 2]) if known.size else 0.0
    return 0 if typical >= 3 else 1 if typical >= 0.3 else 3


def beside(score: float, error: float, digits: int) -> str:
    """Write a score with its standard error, if it has one."""
    return number(score, digits) + (f" ± {number(error, digits)}" if error == error else "")


def _forests(r: Ranks, texts: Texts) -> tuple[Chart, ...]:
    """Make one forest for each window of the ranking; the first is the main chart, and shows the top."""
    size = len(r.systems)
    found = [texts.chart("forest", _forest(r, texts, 0))]
    for start in range(WINDOW, size if size <= WINDOW * WINDOWS else 0, WINDOW):
        texts.know(first=start + 1, last=min(start + WINDOW, size))
        made = texts.chart("window", _forest(r, texts, start))
        found.append(Chart(key=f"places-{start + 1}", title=made.title, caption=made.caption, figure=made.figure))
    return tuple(found)


def _forest(r: Ranks, texts: Texts, start: int) -> Forest:
    digits, places = digits_of(r.errors), slice(start, start + WINDOW)
    columns = (r.systems, r.rank, r.low, r.high, r.scores, r.errors, r.possible_winner, r.tier)
    rows = tuple(
        Interval(
            label=name,
            value=float(rank),
            low=float(low),
            high=float(high),
            beside=beside(score, error, digits),
            strong=bool(winner),
            band=int(tier),
        )
        for name, rank, low, high, score, error, winner, tier in zip(*(own[places] for own in columns), strict=True)
    )
    low, high = float(r.low[places].min()), float(r.high[places].max())
    axis = Axis(title=texts("forest_axis"), low=low, high=high, whole=True)
    return Forest(axis=axis, rows=rows, beside=texts("forest_beside"), description=unmarked(texts("headline")))


def _difference(r: Ranks, texts: Texts) -> CriticalDifference:
    """Draw the first systems, and the groups of the letters as far as they have two of these systems or more."""
    values = tuple(r.scores[:DIFFERENCE].tolist())
    cut = {tuple(place for place in group if place < DIFFERENCE) for group in r.groups}
    groups = sorted(own for own in cut if len(own) > 1 and not any(set(own) < set(other) for other in cut))
    return CriticalDifference(
        axis=Axis(title=texts("score_word"), low=min(values), high=max(values)),
        labels=r.systems[:DIFFERENCE],
        values=values,
        groups=tuple(groups),
        description=unmarked(texts("critical_difference_caption")),
    )


def _table(r: Ranks, texts: Texts) -> Table:
    kinds = {"rank": "whole", "system": "name", "interval": "range", "score": "number", "error": "number"}
    kinds |= {"tier": "whole", "letters": "text", "winner": "check"}
    intervals = zip(r.low.tolist(), r.high.tolist(), strict=True)
    columns: list[Any] = [r.rank, r.systems, intervals, r.scores, r.errors, r.tier, r.letters, r.possible_winner]
    if r.holes:
        kinds, columns = {**kinds, "unadjusted": "number"}, [*columns, r.unadjusted]
    if r.covered.min() < r.covered.max():
        kinds, columns = {**kinds, "covered": "whole"}, [*columns, r.covered]
    digits = digits_of(r.errors)
    rows, best = zip(*columns, strict=True), {"score": "low" if r.lower_is_better else "high"}
    return texts.table("ranks", kinds, rows, digits, detail=("error", "letters", "unadjusted"), best=best)
