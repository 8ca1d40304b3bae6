"""The answer to "where does the variance of these scores come from?". The words are in `texts/variance.txt`."""

from __future__ import annotations

from ..boards.variance_components import Reliable, VarianceComponents
from .blocks import Answer
from .charts import Axis, Bar, Bars, Forest, Interval, Mark
from .wording import Texts, number, percent, span, unmarked

TONES = {Reliable.SHOWN: "yes", Reliable.LIKELY: "partly", Reliable.NOT_REACHED: "open", Reliable.UNDEFINED: "open"}


def answer(r: VarianceComponents) -> Answer:
    """Put the facts into words, tables and charts."""
    texts = Texts("variance", r)
    names = texts.named("components")
    return Answer(
        question=texts("question"),
        subject=texts("subject"),
        verdict=texts.verdict(r.verdict.value, TONES[r.verdict]),
        advice=texts.prose("advice"),
        numbers=(
            texts.number("order", _interval(r.relative_limits), figure=_ruler(r.relative, r.relative_limits, r, texts)),
            texts.number(
                "scores", _interval(r.absolute_limits), figure=_ruler(r.absolute, r.absolute_limits, r, texts)
            ),
            texts.number("topics"),
        ),
        charts=(texts.chart("shares", _shares(r, texts, names)),),
        claims=texts.claims(),
        tables=(
            texts.table(
                "components",
                {"component": "text", "variance": "number", "share": "percent"},
                zip([names[key] for key in r.component], r.variance, r.share, strict=True),
                digits=4,
            ),
            texts.table(
                "needed",
                {"of": "text", "topics": "count", "limits": "counts"},
                (
                    (texts("order_of"), r.topics_for_order, r.topics_for_order_limits),
                    (texts("scores_of"), r.topics_for_scores, r.topics_for_scores_limits),
                ),
            ),
        ),
        prose=tuple(map(texts.prose, ("methods", "reading", "rule_prose", "references"))),
    )


def _interval(limits: tuple[float, float]) -> str:
    return "" if limits[0] != limits[0] else span(limits)


def _ruler(value: float, limits: tuple[float, float], r: VarianceComponents, texts: Texts) -> Forest | None:
    """Draw one coefficient beside the target."""
    if value != value:
        return None
    row = Interval(label=number(value), value=value, low=limits[0], high=limits[1])
    mark = Mark(value=r.target, label=texts("target_mark"))
    low = min([0.5, *(limit for limit in (*limits, value) if limit == limit)])
    return Forest(axis=Axis(title="", low=low, high=1.0), rows=(row,), marks=(mark,), description=texts("headline"))


def _shares(r: VarianceComponents, texts: Texts, names: dict[str, str]) -> Bars:
    bars = tuple(
        Bar(label=names[key], value=share, text=percent(share), strong=key == "system")
        for key, share in zip(r.component, r.share, strict=True)
    )
    high = max((share for share in r.share if share == share), default=1.0)
    axis = Axis(title=texts("shares_axis"), low=0.0, high=high)
    return Bars(axis=axis, bars=bars, description=unmarked(texts("shares_caption")))
