"""Topic by topic: where do the two sides agree, and where not?"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...coefficients.topics import TopicCorrelations, correlate_topics
from ...figures import bars
from ...results import count, number, word
from ..facts import Facts
from ..facts.agreement import Agreement
from ..material import Material
from ..parts import Column, Figure, Name, Part, Section, Sentence, Table, span


def section(material: Material, facts: Facts) -> Section | None:
    """Where both sides have complete scores on some of the same topics."""
    result = _by_topic(material, facts.agreement) if facts.agreement is not None else None
    if result is None or np.isnan(result.values).all():
        return None
    topic, name = word("topic"), result.coefficient.name
    rows = _rows(result)
    places, values = np.arange(1.0, len(rows) + 1), np.array([row[1] for row in rows])
    across = f"{word('topics')}, lowest first"
    drawn = bars(places, values, [row[0] for row in rows], x=across, y=name, title=f"{name} on each {topic}")
    columns = (
        Column(topic, "name"),
        Column(name, "number"),
        Column("tied pairs, estimate", "whole"),
        Column("tied pairs, reference", "whole"),
        Column("undefined because"),
    )
    return Section(
        id="topics",
        heading=material.heading(f"{topic.capitalize()} by {topic}"),
        words=tuple(_words(result)),
        tables=(Table("values", (f"Agreement on each {topic}, lowest first.",), columns, rows),),
        figures=(Figure("values", (f"{name} on each {topic}, lowest first.",), drawn),),
        data=result.to_dict(),
        cited=result.cited(),
        short=f"By {topic}",
    )


def _by_topic(material: Material, found: Agreement) -> TopicCorrelations | None:
    estimate = material.estimate.complete if material.estimate is not None else None
    truth = material.reference.complete
    if estimate is None or truth is None or not set(estimate.topics) & set(truth.topics):
        return None
    c = found.chosen.coefficient
    within: Any = 0.0 if material.tied_within is None else found.chosen.tied_within
    return correlate_topics(
        estimate,
        truth=truth,
        coefficient=c.name if c.takes_tolerance else "tau_b",  # on one topic scores tie nearly always
        one_sided="drop",
        level=material.level,
        tied_within=within,
    )


def _words(result: TopicCorrelations) -> list[Sentence]:
    topic, means = word("topic"), result.of_means.value
    low: list[Part] = []
    for place, one in enumerate(result.worst(3)):
        low += [", " if place else "", Name(one.topic), f" {number(one.value)}"]
    words: list[Sentence] = [
        (
            f"{topic.capitalize()} by {topic} they agree {'less' if result.mean < means else 'more'} than by means: "
            f"mean {result.coefficient.name} {number(result.mean)} {span(*result.interval)} over "
            f"{count(len(result), 'topic')}, of the means {number(means)}.",
        ),
        (f"Least agreement: {topic} ", *low, "."),
    ]
    undefined = int(np.isnan(result.values).sum())
    if undefined:
        reasons = sorted({str(result.reason(i)) for i in range(len(result)) if result.reason(i)})
        words.append((f"{count(undefined, 'topic')} without a value: {'; '.join(reasons)}.",))
    if result.dropped:
        words.append((f"{len(result.dropped):,} on one side only left out.",))
    return words


def _rows(result: TopicCorrelations) -> tuple[tuple[Any, ...], ...]:
    """Lowest first, topics without a value last."""
    own = result.columns()
    ties = (own["ties_estimate"].tolist(), own["ties_truth"].tolist())
    rows = zip(own["topic"], map(float, own["value"]), *ties, own["undefined_because"], strict=True)
    return tuple(sorted(rows, key=lambda row: (row[1] != row[1], row[1])))
