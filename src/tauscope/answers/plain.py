"""Answers to questions without a verdict: a headline, a few numbers, one table, at most one chart, and the methods.

The words are in `texts/<question>.txt`; `CHARTS` says what is drawn.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ..results import Plain, number
from .blocks import Answer, Chart, Number, Prose, Table
from .charts import Axis, Bar, Bars, Curve, Figure, Forest, Heatmap, Interval, Mark, Point, Scatter, Trace
from .wording import Texts, unmarked

#: Bars and points of a chart, rows and columns of a heatmap.
MOST_BARS, MOST_POINTS, MOST_CELLS = 30, 500, 60
#: Intervals of a chart.
MOST_INTERVALS = 40
#: Decimals of columns, where 4 are too many.
DIGITS = {"elo": 0, "elo_error": 1}
#: Columns that hold names of the user, or words of ours, although their values are texts.
TEXT_COLUMNS = ("undefined_because", "steps", "because", "reason", "note", "walk", "text", "definition")


def answer(r: Plain) -> Answer:
    """Put the facts into words, one table and one chart."""
    texts = Texts(r.QUESTION, r)
    draw = CHARTS.get(r.QUESTION)
    figure = draw(r, texts) if draw else None
    return Answer(
        question=texts("question"),
        subject=texts("subject"),
        verdict=texts.verdict("none", "none"),
        advice=_prose(texts, "advice"),
        numbers=tuple(
            Number(key=f"number-{k}", title=title, value=value)
            for k, (title, value) in enumerate(texts.named("numbers").items())
        ),
        charts=() if figure is None else (_chart(texts, figure),),
        claims=texts.claims(),
        tables=(_table(r, texts),),
        prose=tuple(prose for key in ("methods", "reading", "references") if (prose := _prose(texts, key)).paragraphs),
        warnings=texts.each("warnings"),
    )


def _prose(texts: Texts, block: str) -> Prose:
    """Return a block with its title; without paragraphs if it has none."""
    return texts.prose(block) if texts.each(block) else Prose(key=block, title="", paragraphs=())


def _chart(texts: Texts, figure: Figure) -> Chart:
    return texts.chart("chart", figure)


def _table(r: Plain, texts: Texts) -> Table:
    columns = {key: list(values) for key, values in r.columns().items()}
    titles = texts.named("columns")
    kinds = {key: _kind(key, values) for key, values in columns.items()}
    known = {key: titles.get(key, key.replace("_", " ").capitalize()) for key in kinds}
    table = texts.table("table", kinds, zip(*columns.values(), strict=True), digits=4, titles=known)
    return replace(table, columns=tuple(replace(own, digits=DIGITS.get(own.key, 4)) for own in table.columns))


def _kind(key: str, values: Sequence[Any]) -> str:
    """Return how the values of a column are written."""
    first = next((value for value in values if value is not None), None)
    if isinstance(first, (bool, np.bool_)):
        return "check"
    if isinstance(first, (int, np.integer)):
        return "whole"
    if isinstance(first, (float, np.floating)):
        return "whole" if all(float(v).is_integer() for v in values) else "number"
    if isinstance(first, tuple):
        return "range"
    return "text" if key in TEXT_COLUMNS else "name"


def axis(values: Iterable[float], title: str, *also: float) -> Axis:
    """Return an axis that shows all values that are defined, and those that are named besides."""
    known = [float(value) for value in (*values, *also) if math.isfinite(value)]
    low, high = (min(known), max(known)) if known else (0.0, 1.0)
    return Axis(title=title, low=low, high=high if high > low else low + 1.0)


def bars(texts: Texts, rows: Iterable[tuple[Any, float]], digits: int = 3) -> Bars | None:
    """Draw one bar per label and value, from 0; those that come first are shown, and nothing where there is none."""
    own = [(str(label), float(value)) for label, value in rows if math.isfinite(value)][:MOST_BARS]
    if not own:
        return None
    drawn = tuple(Bar(label=label, value=value, text=number(value, digits)) for label, value in own)
    side = axis((value for _, value in own), texts("chart_x"), 0.0)
    return Bars(axis=side, bars=drawn, description=unmarked(texts("headline")))


def curve(texts: Texts, traces: Sequence[Trace], at: float | None = None, low: float | None = None) -> Curve:
    """Draw lines; `at` marks a place on the horizontal axis, and `low` is shown on the vertical one."""
    across = axis((x for trace in traces for x in trace.x), texts("chart_x"))
    every = (y for trace in traces for y in (*trace.y, *trace.lows, *trace.highs))
    marks = () if at is None else (Mark(value=at, label=unmarked(texts("chart_mark"))),)
    up = axis(every, texts("chart_y"), *([] if low is None else [low]))
    return Curve(x=across, y=up, traces=tuple(traces), at=marks, description=unmarked(texts("headline")))


def trace(x: Iterable[float], y: Iterable[float], label: str = "") -> Trace:
    """Return one line from arrays."""
    return Trace(label=label, x=tuple(map(float, x)), y=tuple(map(float, y)))


def forest(texts: Texts, labels: Iterable[Any], values: Any, low: Any, high: Any) -> Forest:
    """Draw one interval per label; those that come first are shown."""
    every = zip(labels, *(np.asarray(own, float).tolist() for own in (values, low, high)), strict=True)
    shown = [Interval(label=str(label), value=x, low=a, high=b) for label, x, a, b in every][:MOST_INTERVALS]
    side = axis((limit for row in shown for limit in (row.low, row.high)), texts("chart_x"))
    return Forest(axis=side, rows=tuple(shown), description=unmarked(texts("headline")))


def _strengths(r: Any, t: Texts) -> Forest:
    reach = r.half_widths()
    return forest(t, r.systems, r.elo(), r.elo() - reach, r.elo() + reach)


def _finite(x: Iterable[float], y: Any) -> tuple[list[float], list[float]]:
    """Return the points that can be drawn."""
    known = [(a, b) for a, b in zip(x, np.asarray(y, float).tolist(), strict=True) if math.isfinite(b)]
    return [a for a, _ in known], [b for _, b in known]


def scatter(texts: Texts, labels: Iterable[Any], x: Iterable[float], y: Iterable[float]) -> Scatter | None:
    """Draw one point per label; nothing where there is none."""
    points = [
        Point(label=str(label), x=float(a), y=float(b))
        for label, a, b in zip(labels, x, y, strict=True)
        if math.isfinite(a) and math.isfinite(b)
    ][:MOST_POINTS]
    if not points:
        return None
    across, up = axis((p.x for p in points), texts("chart_x")), axis((p.y for p in points), texts("chart_y"))
    return Scatter(x=across, y=up, points=tuple(points), description=unmarked(texts("headline")))


def heatmap(texts: Texts, values: Any, rows: Iterable[Any], columns: Iterable[Any]) -> Heatmap | None:
    """Draw a matrix; nothing where it is too large to be seen."""
    matrix, across, down = np.asarray(values, float), tuple(map(str, columns)), tuple(map(str, rows))
    if not matrix.size or max(matrix.shape) > MOST_CELLS:
        return None
    shown = axis(matrix[np.isfinite(matrix)].tolist(), "")
    cells = tuple(tuple(row) for row in matrix.tolist())
    description = unmarked(texts("headline"))
    return Heatmap(rows=down, columns=across, values=cells, low=shown.low, high=shown.high, description=description)


#: Question -> what is drawn from its facts; a question without an entry has no chart.
CHARTS: dict[str, Callable[[Any, Texts], Figure | None]] = {
    "correlation": lambda r, t: scatter(t, r.items, r.ranks[1], r.ranks[0]),
    "discounted": lambda r, t: scatter(t, r.items, r.ranks[1], r.ranks[0]),
    "correlations": lambda r, t: bars(t, ((own.coefficient.name, own.value) for own in r)),
    "batch": lambda r, t: bars(t, r.histogram(), digits=0),
    "matrix": lambda r, t: heatmap(t, r.values, r.names, r.names),
    "walk": lambda r, t: curve(t, [trace(r.rank, r.loss)], low=0.0),
    "pairs": lambda r, t: bars(t, ((f"{p.first} – {p.second}", p.loss) for p in r.heaviest(MOST_BARS) if p.loss > 0)),
    "thresholds": lambda r, t: curve(t, [trace(r.thresholds, r.values)], r.turning_point),
    "calibration": lambda r, t: curve(t, [trace(r.thresholds, r.curve)], r.threshold),
    "topics": lambda r, t: bars(t, ((own.topic, own.value) for own in r.worst(MOST_BARS))),
    "profile": lambda r, t: (
        bars(t, r.lowest()) if r.true_score is None else scatter(t, r.topics, r.true_score, r.score)
    ),
    "strengths": _strengths,
    "measures": lambda r, t: heatmap(t, r.ordered(), r.clustered(), r.clustered()),
    "measure_ranking": lambda r, t: curve(t, [trace(*_finite(range(1, len(r.order) + 1), r.criterion))]),
    "topic_subset": lambda r, t: bars(t, (("chosen", r.held_out_mean), ("random", r.random_mean))),
    "depths": lambda r, t: curve(t, [trace(x, y, label) for label, x, y in r.courses()]),
    "prediction": lambda r, t: curve(t, [trace(x, y, label) for label, x, y in r.courses()]),
    "predictions": lambda r, t: bars(t, ((one.target, one.chosen.fits[-1].tau_b) for one in r)),
    "predicted": lambda r, t: forest(t, r.systems, r.values, r.low, r.high),
    "verdicts": lambda r, t: scatter(t, r.system, r.truth_strength, r.judge_strength),
    "overlap": lambda r, t: curve(t, [trace(range(1, len(r.agreement) + 1), r.agreement)], low=0.0),
    "weights": lambda r, t: heatmap(t, r.values, range(1, len(r.items) + 1), range(1, len(r.items) + 1)),
    "identification": lambda r, t: bars(t, ((own, own.value) for own in r.tried)),
}
