"""The answer to "is this judge as good as people, and impartial?". The words are in `texts/audit.txt`."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

from ..judges.agreement import Standing
from ..judges.audit import ALONE, Audit, Outcome
from ..results import Note
from .blocks import Answer, Chart, Prose, Table
from .charts import Axis, Forest, Heatmap, Interval, Mark
from .judge import TONES, agreement_sentence, label
from .judge import answer as compared
from .plain import kind_of
from .wording import Texts, mark, unmarked

#: Rows of the table of checks that a terminal shows first.
MOST_ROWS = 40


def answer(r: Audit) -> Answer:
    """Put the facts into words, tables and charts."""
    first = r[r.judges[0]]
    texts = Texts("audit", r, first=first, several=len(r.judges) > 1)
    replacing = [name for name in r.judges if r.standing[name] is Standing.REPLACES]
    whole = [name for name in r.judges if r.standing[name] is Standing.SOME_USES]
    none = all(own is Standing.CANNOT for own in r.standing.values())
    texts.know(replacing=replacing, some_uses=whole, none=none, checks=list(dict.fromkeys(r.check)))
    failing = [row for row in r.checks if row.outcome is Outcome.FAILS and row.check != "agreement"]
    against = [_said(r, texts, row.check, row.judge, "against") for row in failing]
    reasons = [_said(r, texts, row.check, row.judge, "reason") for row in failing]
    texts.know(reasons=reasons)
    texts.know(against=against, failing=failing, agreements={name: _agreement(r, name) for name in r.judges})
    texts.know(says={(row.check, row.judge): _said(r, texts, row.check, row.judge, "says") for row in r.checks})
    if len(r.judges) == 1:
        alone = compared(first)
        kind, tone = r.standing[r.judges[0]].value, TONES[r.standing[r.judges[0]]]
        texts.know(own=alone.verdict.headline, own_label=alone.verdict.label, own_rule=alone.verdict.rule)
        advice = alone.advice.paragraphs
    else:
        texts.know(own="", own_label="", own_rule=compared(first).verdict.rule)
        kind, tone, advice = (
            f"{len(replacing)}",
            "yes" if replacing else "partly" if whole else "no" if none else "open",
            (),
        )
    verdict = texts.verdict(kind, tone)
    more = texts.prose("advice")
    return Answer(
        question=texts("question"),
        subject=texts("subject"),
        verdict=verdict,
        advice=Prose(key="advice", title=more.title, paragraphs=(*advice, *more.paragraphs)),
        numbers=(),
        charts=tuple(_charts(r, texts)),
        claims=texts.claims(),
        tables=tuple(_tables(r, texts)),
        prose=tuple(p for p in map(texts.prose, ("methods", "rule_prose", "references", "data")) if p.paragraphs),
    )


def _agreement(r: Audit, name: str) -> str:
    return agreement_sentence(r[name].agreements["whole"])


def _name(texts: Texts, judge: str) -> str:
    return texts("unnamed") if judge == ALONE else mark("n", judge)


def _said(r: Audit, texts: Texts, check: str, judge: str, what: str) -> str:
    """Render the sentence about one check of one judge."""
    own = getattr(r, check)
    own = own.get(judge) if isinstance(own, dict) else own
    texts.know(f=own, judge=_name(texts, judge) if judge else "", verdict="")
    if check == "agreement":
        texts.know(verdict=label(r.standing[judge]))
    return texts(f"{what}_{check}")


def _charts(r: Audit, texts: Texts) -> list[Chart]:
    rows = tuple(
        Interval(label=unmarked(_name(texts, name)), value=own.corrected, low=own.low, high=own.high)
        for name, own in r.agreement.items()
        if not math.isnan(own.corrected)
    )
    charts = []
    if rows:
        first = r[r.judges[0]]
        ends = [row.value if math.isnan(row.low) else row.low for row in rows]
        axis = Axis(title=texts("forest_axis"), low=math.floor(10 * min([0.5, *ends])) / 10, high=1.0)
        marks = tuple(Mark(value=value, label=f"{value:g}") for value in (first.required, first.sufficient))
        charts.append(
            texts.chart("forest", Forest(axis=axis, rows=rows, marks=marks, description=unmarked(texts("headline"))))
        )
    if r.families is not None:
        table = r.families.table
        kinds = tuple(next(iter(table.values())))
        values = tuple(tuple(row[kind] for kind in kinds) for row in table.values())
        most = max(abs(value) for row in values for value in row) or 1.0
        heat = Heatmap(
            rows=tuple(table), columns=kinds, values=values, low=-most, high=most, description=texts("heatmap_caption")
        )
        charts.append(texts.chart("heatmap", heat))
    return charts


def _tables(r: Audit, texts: Texts) -> list[Table]:
    words, titles = texts.named("outcomes"), texts.named("checks")
    kinds = {"check": "text", "judge": "name", "outcome": "text", "value": "number", "interval": "range", "p": "p"}
    rows: list[tuple[Any, ...]] = []
    for row in r.checks:
        limits = None if math.isnan(row.low) else (row.low, row.high)
        p = None if math.isnan(row.p) else row.p
        rows.append((titles[row.check], row.judge, words[row.outcome.value], row.value, limits, p))
    if len(r.judges) == 1:
        kinds.pop("judge")
        rows = [row[:1] + row[2:] for row in rows]
    tables = [replace(texts.table("checks", kinds, rows), brief=MOST_ROWS)]
    for check in dict.fromkeys(r.check):
        columns = _columns(r, check)
        own = {key: kind_of(key, values) for key, values in columns.items()}
        known = texts.named("columns")
        named = {key: known.get(key, key.replace("_", " ")) for key in own}
        texts.know(check=titles[check])
        made = texts.table("one_check", own, zip(*columns.values(), strict=True), titles=named)
        tables.append(Table(key=check, title=titles[check], caption=made.caption, columns=made.columns, rows=made.rows))
    return tables


def _columns(r: Audit, check: str) -> dict[str, list[Any]]:
    """Return the table behind one check."""
    facts = getattr(r, check)
    rows: list[dict[str, Any]] = []
    if check == "agreement":
        names = ("observed", "corrected", "low", "high", "limit")
        rows = [
            {"judge": name, "verdict": label(own.verdict)} | {key: getattr(own, key) for key in names}
            for name, own in facts.items()
        ]
    elif check == "soft_accuracy":
        rows = [
            {
                "judge": name,
                "value": own.value,
                "accuracy": own.accuracy,
                "low": own.interval.low,
                "high": own.interval.high,
            }
            for name, own in facts.items()
        ]
    elif check == "people":
        rows = [{"judge": name} | one._asdict() for name, own in facts.items() for one in own.left_out]
    elif check == "shifts":
        rows = [{"judge": name} | one._asdict() for name, own in facts.items() for one in own]
    elif check == "families":
        fields = ("judges", "families", "members", "scores", "ranks", "p", "own_p", "adjusted")
        return {key.removesuffix("s") if key == "judges" else key: list(getattr(facts, key)) for key in fields}
    elif check == "panel":
        rows = [{"judge": name, "without": value} for name, value in zip(r.judges, facts.without, strict=True)]
    else:
        rows = [
            {"judge": name} | {key: value for key, value in own._asdict().items() if not isinstance(value, Note)}
            for name, own in facts.items()
        ]
        for row in rows:
            row.pop("reason", None)
    return {key: [row[key] for row in rows] for key in rows[0]}
