"""Topic by topic: where do the two sides agree, and where not?"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...coefficients.topics import correlate_topics
from ...figures import bars
from ...results import count, number, word
from ..parts import Column, Figure, Name, Section, Sentence, Table, span
from ..sides import Material
from .agree import Agreement


def section(material: Material, found: Agreement) -> Section | None:
    """Where both sides have complete scores on some of the same topics."""
    estimate, reference = material.estimate, material.reference
    if estimate is None or estimate.complete is None or reference.complete is None:
        return None
    if not set(estimate.complete.topics) & set(reference.complete.topics):
        return None
    c = found.chosen.coefficient
    name = c.name if c.takes_tolerance else "tau_b"  # on one topic scores tie nearly always
    within: Any = 0.0 if material.tied_within is None else found.chosen.tied_within
    result = correlate_topics(
        estimate.complete,
        truth=reference.complete,
        coefficient=name,
        one_sided="drop",
        level=material.level,
        tied_within=within,
    )
    if np.isnan(result.values).all():
        return None
    worst = result.worst(3)
    low: list[str | Name] = []
    for place, one in enumerate(worst):
        low += [", " if place else "", Name(one.topic), f" {number(one.value)}"]
    undefined = int(np.isnan(result.values).sum())
    words: list[Sentence] = [
        (f"{word('topic').capitalize()} by {word('topic')} they agree {'less' if result.mean < result.of_means.value else 'more'} than by means: mean "
         f"{name} {number(result.mean)} {span(*result.interval)} over {count(len(result), 'topic')}, of the means {number(result.of_means.value)}.",),
        (f"Least agreement: {word('topic')} ", *low, "."),
    ]  # fmt: skip
    if undefined:
        words.append(
            (
                f"{count(undefined, 'topic')} without a value: {'; '.join(sorted({str(result.reason(i)) for i in range(len(result)) if result.reason(i)}))}.",
            )
        )
    if result.dropped:
        words.append((f"{len(result.dropped):,} on one side only left out.",))
    columns = (Column(word("topic"), "name"), Column(name, "number"), Column("tied pairs, estimate", "whole"), Column("tied pairs, reference", "whole"),
               Column("undefined because"))  # fmt: skip
    table = result.columns()
    rows = tuple(zip(table["topic"], (float(v) for v in table["value"]), table["ties_estimate"].tolist(), table["ties_truth"].tolist(),
                     table["undefined_because"], strict=True))  # fmt: skip
    rows = tuple(sorted(rows, key=lambda row: (row[1] != row[1], row[1])))
    caption = f"Agreement on each {word('topic')}, lowest first."
    drawn = bars(np.arange(1.0, len(rows) + 1), np.array([row[1] for row in rows]), [row[0] for row in rows],
                 x=f"{word('topics')}, lowest first", y=name, title=f"{name} on each {word('topic')}")  # fmt: skip
    figure = Figure("values", (f"{name} on each {word('topic')}, lowest first.",), drawn)
    return Section("topics", material.heading(f"{word('topic').capitalize()} by {word('topic')}"), tuple(words), (Table("values", (caption,), columns, rows),),
                   (figure,), result.to_dict(), result.cited())  # fmt: skip
