"""Answers to questions without a verdict: a headline, a few numbers, one table, at most one chart, and the methods.

The words are in `texts/<question>.txt`; `CHARTS` says what is drawn.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import islice, product
from typing import Any

import numpy as np

from ..inference.relation import shared_ranks
from ..results import Plain
from .blocks import Answer, Chart, Column, Number, Prose, Table
from .charts import Axis, Bar, Bars, Curve, Figure, Forest, Heatmap, Interval, Mark, Point, Scatter, Trace
from .wording import Texts, number, seen, unmarked

#: Bars and points of a chart, rows and columns of a heatmap.
MOST_BARS, MOST_POINTS, MOST_CELLS = 30, 500, 60
#: Intervals of a chart.
MOST_INTERVALS = 40
#: Decimals of columns, where 4 are too many.
DIGITS = {"elo": 0, "elo_error": 1}
#: Columns that hold names of the user, or words of ours, although their values are texts.
TEXT_COLUMNS = (
    "what",
    "where",
    "coefficient",
    "method",
    "undefined_because",
    "steps",
    "because",
    "reason",
    "note",
    "walk",
    "text",
    "definition",
)
#: Columns that hold names, in tables without a question.
NAME_COLUMNS = ("name", "measure", "system", "topic")


def answer(r: Plain) -> Answer:
    """Put the facts of a question without a verdict into words, one table and its charts.

    Parameters
    ----------
    r : Plain
        The result; its `QUESTION` names the file of `texts/` and the entry of `CHARTS`.

    Returns
    -------
    Answer
    """
    texts = Texts(r.QUESTION, r)
    draw = CHARTS.get(r.QUESTION)
    drawn = draw(r, texts) if draw else None
    return Answer(
        question=texts("question"),
        subject=texts("subject"),
        verdict=texts.verdict("none", "none"),
        advice=_prose(texts, "advice"),
        numbers=tuple(
            Number(key=f"number-{k}", title=title, value=value)
            for k, (title, value) in enumerate(texts.named("numbers").items())
        ),
        charts=_charts(texts, drawn),
        claims=texts.claims(),
        tables=(_table(r, texts),),
        prose=tuple(prose for key in ("methods", "reading", "references") if (prose := _prose(texts, key)).paragraphs),
        warnings=texts.each("warnings"),
    )


def _prose(texts: Texts, block: str) -> Prose:
    """Return a block with its title; without paragraphs if it has none."""
    return texts.prose(block) if texts.each(block) else Prose(key=block, title="", paragraphs=())


def _charts(texts: Texts, drawn: Figure | dict[str, Figure | None] | None) -> tuple[Chart, ...]:
    """Return the chart of a question, or several by their titles."""
    if isinstance(drawn, dict):
        caption = texts("chart_caption")
        own = {title: seen(figure) for title, figure in drawn.items() if figure is not None}
        return tuple(Chart(key=seen(title), title=seen(title), caption=caption, figure=own[title]) for title in own)
    return () if drawn is None else (texts.chart("chart", drawn),)


def table_of(columns: Mapping[str, Sequence[Any]]) -> Table:
    """Make a table of plain columns, without words of its own.

    Parameters
    ----------
    columns : mapping of str to sequence
        One value per row in each.

    Returns
    -------
    Table
    """
    kinds = {key: "symbol" if key == "symbol" else kind_of(key, own) for key, own in columns.items()}
    kinds |= {key: "text" for key, kind in kinds.items() if kind == "name" and key not in NAME_COLUMNS}
    made = tuple(Column(key=key, title=_title(key), kind=kind) for key, kind in kinds.items())
    return Table(key="table", title="", caption="", columns=made, rows=tuple(zip(*columns.values(), strict=True)))


def _title(key: str) -> str:
    """Make a heading of the name of a column: "low_rank" becomes "Low rank"."""
    return key.replace("_", " ").capitalize()


def _table(r: Plain, texts: Texts) -> Table:
    """Make the table of a result from its columns, with the headings of its text file."""
    columns = {key: list(values) for key, values in r.columns().items()}
    titles = texts.named("columns")
    kinds = {key: kind_of(key, values) for key, values in columns.items()}
    known = {key: titles.get(key, _title(key)) for key in kinds}
    detail = tuple(texts.named("detail"))
    rows = zip(*columns.values(), strict=True)
    table = texts.table("table", kinds, rows, digits=4, detail=detail, titles=known)
    return replace(table, columns=tuple(replace(own, digits=DIGITS.get(own.key, 4)) for own in table.columns))


def kind_of(key: str, values: Sequence[Any]) -> str:
    """Decide how the values of a column are written, by its name and its first value.

    Parameters
    ----------
    key : str
        The name of the column.
    values : sequence
        Its values.

    Returns
    -------
    str
        One of the kinds of `Column`.

    Examples
    --------
    >>> kind_of("topics", [50, 25]), kind_of("value", [0.5]), kind_of("system", ["bm25"]), kind_of("reason", ["ties"])
    ('whole', 'number', 'name', 'text')
    """
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
    """Make an axis that shows all values that are defined.

    Parameters
    ----------
    values : iterable of float
        The values; those that are undefined or infinite do not count.
    title : str
        What they are.
    *also : float
        Further values that the axis shows, such as a threshold.

    Returns
    -------
    Axis
        From 0 to 1 if no value is defined.

    Examples
    --------
    >>> axis([0.5, math.nan, 0.8], "tau", 1.0)
    Axis(title='tau', low=0.5, high=1.0, whole=False)
    """
    known = [float(value) for value in (*values, *also) if math.isfinite(value)]
    low, high = (min(known), max(known)) if known else (0.0, 1.0)
    return Axis(title=title, low=low, high=high if high > low else low + 1.0)


def bars(texts: Texts, rows: Iterable[tuple[Any, float]], digits: int = 3) -> Bars | None:
    """Draw one bar per label and value, from 0.

    Parameters
    ----------
    texts : Texts
        The words of the question; the block "chart_x" names the axis.
    rows : iterable of (label, float)
        Labels and values; at most 30 are drawn, those that come first.
    digits : int, default 3
        Decimals of the texts at the ends of the bars.

    Returns
    -------
    Bars or None
        None if no value is defined.
    """
    own = [(str(label), float(value)) for label, value in rows if math.isfinite(value)][:MOST_BARS]
    if not own:
        return None
    drawn = tuple(Bar(label=label, value=value, text=number(value, digits)) for label, value in own)
    side = axis((value for _, value in own), texts("chart_x"), 0.0)
    return Bars(axis=side, bars=drawn, description=unmarked(texts("headline")))


def curve(
    texts: Texts, traces: Sequence[Trace], at: float | None = None, low: float | None = None, up: str | None = None
) -> Curve:
    """Draw lines over a horizontal axis.

    Parameters
    ----------
    texts : Texts
        The words of the question; the blocks "chart_x" and "chart_y" name the axes.
    traces : sequence of Trace
        The lines.
    at : float or None, default None
        A place on the horizontal axis that is marked with the block "chart_mark".
    low : float or None, default None
        A value that the vertical axis shows besides.
    up : str or None, default None
        The title of the vertical axis, where it is not that of the block.

    Returns
    -------
    Curve
    """
    across = axis((x for trace in traces for x in trace.x), texts("chart_x"))
    every = (y for trace in traces for y in (*trace.y, *trace.lows, *trace.highs))
    marks = () if at is None else (Mark(value=at, label=unmarked(texts("chart_mark"))),)
    side = axis(every, texts("chart_y") if up is None else up, *([] if low is None else [low]))
    return Curve(x=across, y=side, traces=tuple(traces), at=marks, description=unmarked(texts("headline")))


def trace(x: Iterable[float], y: Iterable[float], label: str = "", band: Any = ((), ()), **known: Any) -> Trace:
    """Make one line of arrays.

    Parameters
    ----------
    x, y : iterable of float
        Places and values.
    label : str, default ""
        What it is.
    band : (iterable, iterable), default ((), ())
        Lower and upper limits; they are not drawn if one is undefined.
    **known
        Further fields of `Trace`.

    Returns
    -------
    Trace
    """
    low, high = (tuple(map(float, own)) if all(map(math.isfinite, own)) else () for own in band)
    return Trace(label=label, x=tuple(map(float, x)), y=tuple(map(float, y)), lows=low, highs=high, **known)


def _strengths(r: Any, t: Texts) -> Forest:
    """Draw Elo points with their limits."""
    reach = r.half_widths()
    return forest(t, r.systems, r.elo(), r.elo() - reach, r.elo() + reach)


def _finite(x: Iterable[float], y: Any) -> tuple[list[float], list[float]]:
    """Return the points that can be drawn."""
    known = [(a, b) for a, b in zip(x, np.asarray(y, float).tolist(), strict=True) if math.isfinite(b)]
    return [a for a, _ in known], [b for _, b in known]


def scatter(texts: Texts, labels: Iterable[Any], x: Iterable[float], y: Iterable[float]) -> Scatter | None:
    """Draw one point per label.

    Parameters
    ----------
    texts : Texts
        The words of the question; the blocks "chart_x" and "chart_y" name the axes.
    labels : iterable
        The names.
    x, y : iterable of float
        Where the points stand; those that are undefined are left out, and at most 500 are drawn.

    Returns
    -------
    Scatter or None
        None if no point is defined.
    """
    points = [
        Point(label=str(label), x=float(a), y=float(b))
        for label, a, b in zip(labels, x, y, strict=True)
        if math.isfinite(a) and math.isfinite(b)
    ][:MOST_POINTS]
    if not points:
        return None
    across, up = axis((p.x for p in points), texts("chart_x")), axis((p.y for p in points), texts("chart_y"))
    return Scatter(x=across, y=up, points=tuple(points), description=unmarked(texts("headline")))


def forest(texts: Texts, labels: Any, values: Any, lows: Any, highs: Any, whole: bool = False) -> Forest:
    """Draw one interval per label; at most 40, those that come first.

    Parameters
    ----------
    texts : Texts
        The words of the question; the block "chart_x" names the axis.
    labels, values, lows, highs : sequence
        Names, values and their limits.
    whole : bool, default False
        Whether the values are ranks or counts.

    Returns
    -------
    Forest
    """
    every = zip(labels, *(np.asarray(own, float).tolist() for own in (values, lows, highs)), strict=False)
    rows = tuple(Interval(label=str(label), value=x, low=a, high=b) for label, x, a, b in islice(every, MOST_INTERVALS))
    side = replace(axis((x for row in rows for x in (row.low, row.high)), texts("chart_x")), whole=whole)
    return Forest(axis=side, rows=rows, description=unmarked(texts("headline")))


def documents(r: Any, texts: Texts) -> Forest:
    """Draw the estimates by the first measure with their intervals.

    Parameters
    ----------
    r : HybridDocuments
        The estimates.
    texts : Texts
        The words of the question.

    Returns
    -------
    Forest
    """
    from scipy.special import ndtri

    own = r.columns()
    m = min(len(r.scores.systems), MOST_BARS)
    mean, reach = own["mean"][:m], float(ndtri((1 + r.level) / 2)) * own["error"][:m]
    return forest(texts, own["system"][:m], mean, mean - reach, mean + reach)


def heatmap(texts: Texts, values: Any, rows: Iterable[Any], columns: Iterable[Any]) -> Heatmap | None:
    """Draw a matrix.

    Parameters
    ----------
    texts : Texts
        The words of the question; the blocks "chart_x" and "chart_y" say what columns and rows are.
    values : array
        The matrix.
    rows, columns : iterable
        The names of both.

    Returns
    -------
    Heatmap or None
        None if the matrix is empty or has more than 60 rows or columns.
    """
    matrix = np.asarray(values, float)
    if not matrix.size or max(matrix.shape) > MOST_CELLS:
        return None
    shown = axis(matrix[np.isfinite(matrix)].tolist(), "")
    cells = tuple(tuple(row) for row in matrix.tolist())
    return Heatmap(
        rows=tuple(map(str, rows)),
        columns=tuple(map(str, columns)),
        values=cells,
        low=shown.low,
        high=shown.high,
        across=texts("chart_x"),
        down=texts("chart_y"),
        description=unmarked(texts("headline")),
    )


def _study(r: Any, texts: Texts) -> dict[str, Figure | None]:
    """Draw errors and biases of all methods by the number of topics: one chart per collection and coefficient."""
    table = {name: np.asarray(values) for name, values in r.columns().items()}
    drawn: dict[str, Figure | None] = {}
    for what, title in texts.named("what").items():
        for collection, coefficient in product(r.collections, r.coefficients):
            panel = (table["collection"] == collection) & (table["coefficient"] == coefficient)
            traces = []
            for method in r.methods:
                rows = panel & (table["method"] == method)
                y, reach = table[what][rows], 2 * np.nan_to_num(table[f"{what}_se"][rows])
                traces.append(trace(table["topics"][rows], y, method, band=(y - reach, y + reach)))
            drawn[f"{what} {collection} {coefficient}"] = curve(texts, traces, low=0.0, up=title)
    return drawn


def _power(r: Any, texts: Texts) -> dict[str, Figure | None]:
    """Draw curves by the number of topics, or for one size a heatmap: one chart per coefficient."""
    names = r.measures
    if len(r.sizes) == 1:
        return {v.label: heatmap(texts, r.values[0, k], names, names) for k, v in enumerate(r.variants)}
    at = [(i, i) for i in range(min(4, len(names)))] + [(i, j) for i, j in ((0, 1), (1, 0)) if len(names) > 1]
    return {
        v.label: curve(texts, [trace(r.sizes, r.values[:, k, i, j], f"{names[i]} – {names[j]}") for i, j in at])
        for k, v in enumerate(r.variants)
    }


def _judgments(r: Any, texts: Texts) -> dict[str, Figure | None]:
    """Draw the correlations by the share of the judgments: one chart per coefficient."""
    labels = texts.named("traces").values()
    return {
        v.label: curve(texts, [trace(r.percents, r.values[:, k, i], label) for i, label in enumerate(labels)])
        for k, v in enumerate(r.variants)
    }


#: Question -> what is drawn from its facts; a question without an entry has no chart.
CHARTS: dict[str, Callable[[Any, Texts], Figure | dict[str, Figure | None] | None]] = {
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
    "hybrid": lambda r, t: forest(
        t, r.systems[:MOST_BARS], shared_ranks(r.estimates), r.low_rank, r.high_rank, whole=True
    ),
    "hybrid_plan": lambda r, t: curve(
        t, [trace(r.human_topics, getattr(r, key), label) for key, label in t.named("chart_lines").items()]
    ),
    "topic_sample": lambda r, t: bars(t, zip(r.topics, r.chance, strict=False)),
    "hybrid_documents": lambda r, t: documents(r, t),
    "soft_accuracy": lambda r, t: scatter(
        t,
        map(" > ".join, zip(r.columns()["first"], r.columns()["second"], strict=True)),
        *list(r.columns().values())[2:],
    ),
    "weights": lambda r, t: heatmap(t, r.values, range(1, len(r.items) + 1), range(1, len(r.items) + 1)),
    "judged": lambda r, t: bars(t, zip(r.columns()["run"], r.columns()["judged"], strict=True)),
    "qrels": lambda r, t: heatmap(
        t, r.confusion / max(r.documents, 1), range(len(r.confusion)), range(len(r.confusion))
    ),
    "identification": lambda r, t: bars(t, ((own, own.value) for own in r.tried)),
    "study": _study,
    "power": _power,
    "judgments": _judgments,
    "perturbation": lambda r, t: scatter(t, r.systems, r.truth, r.perturbed[-1]),
    "swap_experiment": lambda r, t: scatter(t, r.systems, *r.ranks),
    "simulator": lambda r, t: scatter(t, r.systems, r.original_means, r.true_means),
    "replication": lambda r, t: scatter(
        t,
        (f"{row.where}: {row.what}" for row in r.rows),
        *([getattr(row, n) for row in r.rows] for n in ("printed", "ours")),
    ),
    "swaps": lambda r, t: heatmap(t, r.values, r.system, r.system),
    "doubtful": lambda r, t: bars(t, ((f"{p.better} – {p.worse}", p.probability) for p in islice(r, MOST_BARS))),
    "curve": lambda r, t: curve(t, [trace(r.topics, r.values, band=(r.low, r.high))], r.observed_topics),
    "sensitivity": lambda r, t: bars(t, ((name, own) for name, own in (("g", r.g), ("Φ", r.phi)) if own == own)),
}
