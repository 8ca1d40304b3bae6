"""The answer to "which differences are real?". The words are in `texts/significance.txt`."""

from __future__ import annotations

import math

from ..data.clusters import ENOUGH, HELD
from ..inference.relation import compact_letters, letter_groups
from ..inference.significance import Differences, Significance
from .blocks import Answer, Chart, Number, Table
from .charts import Axis, Bar, Bars, CriticalDifference
from .wording import Texts, unmarked

TONES = {Differences.ALL: "yes", Differences.SOME: "partly", Differences.NONE: "open", Differences.IMPOSSIBLE: "open"}
TONES |= {Differences.SAME: "yes", Differences.PARTLY: "partly", Differences.NONE_KEPT: "no"}
TONES |= {Differences.REVERSED: "no", Differences.NOTHING_TO_KEEP: "open"}
#: A diagram shows at most this number of systems, the best ones; letters are given for at most the second number.
MOST_DRAWN, MOST_LETTERED = 20, 60
#: The number of pairs in a table; `to_frame()` has all of them.
MOST_PAIRS = 20


def answer(r: Significance) -> Answer:
    """Put the facts into words, tables and charts."""
    few = bool(r.clustered) and r.topics < ENOUGH
    texts = Texts("significance", r, few_clusters=few, held=HELD, most_drawn=MOST_DRAWN, most_pairs=MOST_PAIRS)
    texts.know(rows=texts("rows"), kept=texts("kept_phrase") if r.truth else "", needed=_needed(r))
    texts.know(test=texts.named("tests")[f"{r.test} {r.correction}"], drawn=texts("drawn"))
    texts.know(correction=texts.named("corrections")[f"{r.correction}"], guarantee=texts("guarantee"))
    sections = [
        "methods",
        "reading",
        "rule_prose",
        *(["data"] if r.notes else []),
        *(["references"] if r.cited() else []),
    ]
    return Answer(
        question=texts("question"),
        subject=texts("subject"),
        verdict=texts.verdict(r.verdict.value, TONES[r.verdict]),
        advice=texts.prose("advice"),
        numbers=_numbers(r, texts),
        charts=_charts(r, texts),
        claims=texts.claims(),
        tables=_tables(r, texts),
        prose=tuple(map(texts.prose, sections)),
        warnings=texts.each("warnings"),
    )


def _needed(r: Significance) -> int:
    """Return the number of topics, or of draws, from which a difference can be significant."""
    times = (r.all_pairs if r.correction == "holm" else 1) / r.alpha
    return math.ceil(1 + math.log2(times) - 1e-9) if r.exhaustive else math.ceil(times - 1 - 1e-9)


def _numbers(r: Significance, texts: Texts) -> tuple[Number, ...]:
    if r.truth is None:
        share = texts.share("significant", r.significant, r.all_pairs - r.significant)
        return texts.number("significant", figure=share), texts.number("neighbours")
    share = texts.share("kept", r.kept or 0, r.missed or 0, r.reversed or 0)
    return texts.number("kept", figure=share), texts.number("spurious"), texts.number("reversed")


def _charts(r: Significance, texts: Texts) -> tuple[Chart, ...]:
    groups = texts.chart("groups", _diagram(r, texts))
    if r.truth is None:
        return (groups,)
    labels = texts.named("kinds")
    counts = {kind: getattr(r, kind) for kind in ("kept", "missed", "spurious", "reversed")}
    bars = tuple(Bar(label=labels[kind], value=n, text=f"{n:,}", strong=kind == "kept") for kind, n in counts.items())
    axis = Axis(title=texts("kinds_axis"), low=0, high=max(1, *counts.values()), whole=False)
    return texts.chart("kinds", Bars(axis=axis, bars=bars, description=unmarked(texts("headline")))), groups


def _diagram(r: Significance, texts: Texts) -> CriticalDifference:
    """Draw the best systems on an axis, and connect those that do not differ significantly."""
    shown = min(len(r.systems), MOST_DRAWN)
    places = range(shown) if r.means[0] >= r.means[-1] else range(shown)[::-1]  # the highest mean first
    values = tuple(float(r.means[k]) for k in places)
    groups = [sorted(places.index(k) for k in group) for group in letter_groups(r.better[:shown, :shown])]
    return CriticalDifference(
        axis=Axis(title=texts("groups_axis"), low=min(values), high=max(values)),
        labels=tuple(r.systems[k] for k in places),
        values=values,
        groups=tuple(tuple(group) for group in groups if len(group) > 1),
        description=unmarked(texts("groups_caption")),
    )


def _tables(r: Significance, texts: Texts) -> tuple[Table, ...]:
    kinds = {"system": "name", "mean": "number"}
    columns = [r.systems, r.means.tolist()]
    if len(r.systems) <= MOST_LETTERED:
        letters = compact_letters(r.better, list(r.systems))
        kinds |= {"letters": "text"}
        columns.append([letters[name] for name in r.systems])
    kinds |= {"better_than": "whole", "worse_than": "whole"}
    columns += [r.better.sum(axis=1).tolist(), r.better.sum(axis=0).tolist()]
    systems = texts.table("systems", kinds, zip(*columns, strict=True))
    if r.truth is None:
        near = sorted(r.pairs, key=lambda pair: abs(pair.p - r.alpha))[:MOST_PAIRS]
        rows = [pair[:5] for pair in sorted(near, key=lambda pair: (pair.p, -pair.difference))]
        kinds = {"better": "name", "worse": "name", "difference": "number", "p": "p", "significant": "check"}
        return systems, texts.table("nearest", kinds, rows, digits=4)
    order = {"reversed": 0, "spurious": 1, "missed": 2}
    labels = texts.named("kinds")
    unlike = sorted((pair for pair in r.pairs if pair.kind in order), key=lambda pair: order[pair.kind])
    listed = [(labels[d.kind], d.better, d.worse, d.difference, d.p, d.truth_difference, d.truth_p) for d in unlike]
    kinds = {"kind": "text", "better": "name", "worse": "name", "difference": "number", "p": "p"}
    kinds |= {"truth_difference": "number", "truth_p": "p"}
    unlike_table = texts.table("unlike", kinds, listed[:MOST_PAIRS], digits=4)
    return (unlike_table, systems) if listed else (systems,)
