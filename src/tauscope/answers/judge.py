"""The answer to "can this judge replace people?". The words are in `texts/judge.txt`."""

from __future__ import annotations

import math
from typing import Any

from ..judges.agreement import TOP, Agreement, Decision, Standing
from ..judges.compare import Comparison
from .blocks import Answer, Chart, Number, Table
from .charts import Axis, Forest, Interval, Line, Mark, Point, Scatter, Slope
from .wording import Texts, environment, mark, number, sentence_of, span, unmarked, user_noun

TONES = {
    Standing.REPLACES: "yes",
    Standing.SOME_USES: "partly",
    Standing.NOT_SHOWN: "open",
    Standing.CANNOT: "no",
    Standing.UNDEFINED: "open",
}
#: Lines of the slope chart, where more cannot be followed. The table has all systems.
MOST_LINES = 40


def label(standing: Standing) -> str:
    """Return the verdict as people read it."""
    return _named("labels")[standing.value]


def sentence(decision: Decision) -> str:
    """Return the verdict and its numbers as one sentence."""
    w = decision.whole
    return _rendered(
        "sentence",
        b=decision,
        w=w,
        label=label(decision.verdict),
        reason=str(decision.reason),
        over_all=decision.over_all.value,
        top="" if decision.top is None else decision.top.value,
        stated=decision.margin is not None,
    )


def agreement_sentence(w: Agreement) -> str:
    """Return one agreement as a sentence for a paper."""
    key = "all" if w.shared_topics == max(w.topics) else "some" if w.shared_topics else "none"
    return _rendered("agreement_sentence", w=w, reason=str(w.reason), shared=_named("shared_topics", w=w)[key])


def answer(r: Comparison) -> Answer:
    """Put the facts into words, tables and charts."""
    texts = Texts("judge", r, a=r.agreements["whole"], d=r.decision, ten=r.decision.ten, label=label(r.verdict))
    unnamed = texts.named("unnamed")
    names = {side: mark("n", getattr(r, side)) if getattr(r, side) else unnamed[side] for side in ("judge", "truth")}
    top = "" if r.top is None else r.top.value
    texts.know(**names, top=top, over_all=r.decision.over_all.value, reason=str(r.reason), alpha=f"{1 - r.level:g}")
    texts.know(
        more=texts.named("more")[r.resampled],
        agreement_sentence=agreement_sentence(r.agreements["whole"]),
        lines=min(MOST_LINES, len(r.system)),
    )
    clause = texts.named("top_clauses").get(top, "")
    texts.know(top_clause=f"{'' if clause.startswith((',', ';')) or not clause else ' '}{clause}")
    forest = _agreement(r, texts)
    charts = [_slope(r, texts), _scatter(r, texts)]
    charts += [] if forest is None else [texts.chart("agreement", forest)]
    charts += [texts.chart("groups", _groups(r, texts))] if r.shifts else []
    return Answer(
        question=texts("question"),
        subject=texts("subject"),
        verdict=texts.verdict(r.verdict.value, TONES[r.verdict]),
        advice=texts.prose("advice"),
        numbers=tuple(_numbers(r, texts)),
        charts=tuple(charts),
        claims=texts.claims(),
        tables=tuple(_tables(r, texts)),
        prose=tuple(p for p in map(texts.prose, ("methods", "rule_prose", "references", "data")) if p.paragraphs),
    )


def _named(block: str, **known: Any) -> dict[str, str]:
    lines = (line.partition(":") for line in _text(block, **known).splitlines() if line.strip())
    return {key.strip(): text.strip() for key, _, text in lines}


def _rendered(block: str, **known: Any) -> str:
    return unmarked(sentence_of(_text(block, **known)))


def _text(block: str, **known: Any) -> str:
    template = environment().get_template("judge.txt")
    known = {"system": user_noun("system"), "topic": user_noun("topic")} | known
    return "".join(template.blocks[block](template.new_context(known)))


def _numbers(r: Comparison, texts: Texts) -> list[Number]:
    numbers = [texts.number("agreement", texts("agreement_interval"), _noise(r, texts))]
    if r.decision.ten is not None:
        numbers.append(texts.number("top", figure=texts.share("top", r.top_shared, TOP - r.top_shared)))
    if r.differences is not None:
        share = texts.share("differences", r.kept, r.missed, r.reversed) if r.truth_differences else None
        numbers.append(texts.number("differences", figure=share))
    if r.people is not None:
        numbers.append(texts.number("people"))
    return numbers


def _noise(r: Comparison, texts: Texts) -> Forest | None:
    """Draw the corrected value beside the observed one and the noise ceiling."""
    none = (math.nan, math.nan)
    values = {"corrected": (r.corrected, r.low, r.high), "observed": (r.observed, *none)}
    values["ceiling"] = (r.noise_ceiling, *none)
    rows = tuple(
        Interval(label=label, value=values[key][0], low=values[key][1], high=values[key][2])
        for key, label in texts.named("agreement_rows").items()
    )
    return _with_thresholds(r, texts, rows)


def _agreement(r: Comparison, texts: Texts) -> Forest | None:
    """Draw agreement over all systems, and at the top."""
    scopes = texts.named("scopes")
    rows = tuple(
        Interval(
            label=f"{scopes[scope]}, {one.coefficient.symbol}",
            value=one.corrected,
            low=one.interval.low,
            high=one.interval.high,
            beside=f"{number(one.corrected, 2)} ({span(one.interval, 2)})" if one.reason is None else "",
            strong=scope == "whole",
        )
        for scope, one in r.agreements.items()
    )
    return _with_thresholds(r, texts, rows)


def _with_thresholds(r: Comparison, texts: Texts, rows: tuple[Interval, ...]) -> Forest | None:
    """Draw rows beside what the verdict requires; a value that is undefined has no row."""
    rows = tuple(row for row in rows if not math.isnan(row.value))
    if not rows:
        return None
    bars = {r.required: texts("required_label"), r.sufficient: texts("sufficient_label")}
    lowest = min([0.5, *(row.value if math.isnan(row.low) else row.low for row in rows)])
    return Forest(
        axis=Axis(title=texts("agreement_axis"), low=math.floor(10 * lowest) / 10, high=1.0),
        rows=rows,
        marks=tuple(Mark(value=value, label=label) for value, label in bars.items()),
        description=unmarked(texts("headline")),
    )


def _groups(r: Comparison, texts: Texts) -> Forest:
    rows = tuple(
        Interval(label=one.group, value=one.ranks, low=one.low, high=one.high, strong=one.significant)
        for one in r.shifts
    )
    ends = [abs(end) for row in rows for end in (row.value, row.low, row.high) if not math.isnan(end)]
    reach = 1.1 * max([1.0, *ends])
    axis = Axis(title=texts("groups_axis"), low=-reach, high=reach)
    return Forest(axis=axis, rows=rows, marks=(Mark(value=0, label=""),), description=unmarked(texts("groups_caption")))


def _slope(r: Comparison, texts: Texts) -> Chart:
    favoured = {one.group for one in r.favoured}
    kinds = {} if r.differences is None else r.differences.kinds
    turned = {name for pair, kind in kinds.items() if kind == "reversed" for name in pair}
    rows = list(zip(r.system, r.truth_rank, r.judge_rank, r.gain, r.group, strict=True))
    first = sorted(rows, key=lambda row: (min(row[1], row[2]) > TOP, -abs(row[3])))[:MOST_LINES]
    lines = []
    for name, left, right, gain, group in sorted(first, key=lambda row: row[1]):
        move = "same" if not gain else ("up" if gain > 0 else "down") if name in turned else "noise"
        lines.append(Line(label=name, left=left, right=right, move=move, group=group, strong=group in favoured))
    seen = {*(line.move for line in lines), *(("strong",) if favoured else ())}
    legend = tuple((move, text) for move, text in texts.named("moves").items() if move in seen)
    figure = Slope(
        left=_plain_name(r, "truth", texts),
        right=_plain_name(r, "judge", texts),
        lines=tuple(lines),
        legend=legend,
        description=unmarked(texts("slope_caption")),
    )
    return texts.chart("slope", figure)


def _scatter(r: Comparison, texts: Texts) -> Chart:
    points = tuple(
        Point(label=name, x=x, y=y, group=group)
        for name, x, y, group in zip(r.system, r.truth_mean, r.judge_mean, r.group, strict=True)
    )
    titles = {key: unmarked(text) for key, text in texts.named("scatter_axes").items()}
    axes = [
        Axis(title=titles[key], low=min(values), high=max(values))
        for key, values in (("x", r.truth_mean), ("y", r.judge_mean))
    ]
    return texts.chart("scatter", Scatter(x=axes[0], y=axes[1], points=points, description=titles["y"]))


def _plain_name(r: Comparison, side: str, texts: Texts) -> str:
    return str(getattr(r, side)) or texts.named("unnamed")[side]


def _tables(r: Comparison, texts: Texts) -> list[Table]:
    scopes = texts.named("scopes")
    kinds = {"scope": "text", "coefficient": "symbol", "observed": "number", "corrected": "number"}
    kinds |= {"interval": "range", "limit": "number"}
    rows: Any = [
        (scopes[scope], one.coefficient.symbol, one.observed, one.corrected, _limits(one), one.at_least())
        for scope, one in r.agreements.items()
    ]
    tables = [texts.table("agreements", kinds, rows)]
    if r.pairs:
        words = texts.named("kinds")
        rows = [(one.truth_better, one.judge_better, one.loss, words[one.kind]) for one in r.pairs]
        kinds = {"truth_better": "name", "judge_better": "name", "loss": "number", "kind": "text"}
        tables.append(texts.table("pairs", kinds, rows, digits=4))
    if r.shifts:
        rows = [(one.group, one.systems, one.ranks, (one.low, one.high)) for one in r.shifts]
        kinds = {"group": "name", "systems": "whole", "ranks": "number", "interval": "range"}
        tables.append(texts.table("shifts", kinds, rows, digits=1))
    if r.people is not None:
        rows = [(one.person, one.of_person, one.of_judge, one.p, one.as_good) for one in r.people.left_out]
        kinds = {"person": "name", "of_person": "number", "of_judge": "number", "p": "p", "as_good": "check"}
        tables.append(texts.table("people", kinds, rows))
    kinds = {"system": "name", "truth_rank": "whole", "judge_rank": "whole", "gain": "whole"}
    kinds |= {"truth_mean": "number", "judge_mean": "number"}
    columns: list[Any] = [r.system, r.truth_rank, r.judge_rank, r.gain, r.truth_mean, r.judge_mean]
    if any(r.group):
        kinds, columns = {**kinds, "group": "name"}, [*columns, r.group]
    return [*tables, texts.table("systems", kinds, zip(*columns, strict=True))]


def _limits(one: Agreement) -> tuple[float, float] | None:
    return None if one.reason is not None else (one.interval.low, one.interval.high)
