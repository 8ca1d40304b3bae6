"""Judges, people, lengths and the truth of an audit: the same systems, and the topics that they share."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from ..errors import CallError, Option, TauscopeError
from ..reference.differences import content_order
from ..scores import Scores
from ..scores.alignment import ALL, SHARED, aligned_scores
from ..scores.labels import shown
from ..scores.matrix import ALL_NEGATED

#: What a single judge is called.
ALONE = "judge"
#: From how many people on one can be left out.
FEWEST_PEOPLE = 3


class Sides(NamedTuple):
    """Judges, people and lengths on the topics that all have, in one order; `compared` are judges and truth for
    `compare()`, on all topics that each has, unless shared ones were asked for."""

    judges: dict[str, Scores]
    people: dict[str, Scores]
    lengths: Scores | None
    truth: Scores
    compared: dict[str, tuple[Scores, Scores]]
    notes: tuple[str, ...]


def aligned_sides(
    judges: Mapping[str, Scores],
    truth: Scores | None,
    people: Mapping[str, Scores] | None,
    lengths: Scores | None,
    *,
    one_sided: str,
    topics: str,
) -> Sides:
    """Everything that an audit asks about, or an error."""
    own = dict(people or {})
    _check(truth, own)
    named: dict[str, Any] = {f"judge {name}" if len(judges) > 1 else ALONE: one for name, one in judges.items()}
    named |= {f"person {name}": one for name, one in own.items()}
    named |= {} if lengths is None else {"lengths": lengths}
    named |= {} if truth is None else {"truth": truth}
    whole = aligned_scores(named, "audit()", one_sided, means_over=topics)
    same = aligned_scores(dict(zip(named, whole.scores, strict=True)), "audit()", one_sided, means_over=SHARED)
    # An order of their own, so that nothing drawn depends on how a file lists its topics.
    order = [same.scores[-1].topics[i] for i in content_order(*(one.values for one in same.scores))]
    shared = _sides(tuple(one.select(topics=order) for one in same.scores), judges, own, lengths, truth)
    full = _sides(whole.scores, judges, own, lengths, truth) if topics == ALL else shared
    _check_lengths(shared.lengths)
    left = [f"{note}, but for the agreement" for note in same.notes if note not in whole.notes]
    return shared._replace(compared=full.compared, notes=(*whole.notes, *left))


def _sides(
    scores: tuple[Scores, ...], judges: Any, people: dict[str, Scores], lengths: Scores | None, truth: Scores | None
) -> Sides:
    """The matrices in the order in which they were aligned, by what they are."""
    first, last = len(judges), len(judges) + len(people)
    found = dict(zip(judges, scores, strict=False))
    gold = scores[-1] if truth is not None else _mean(scores[first:last])
    return Sides(
        judges=found,
        people=dict(zip(people, scores[first:last], strict=True)),
        lengths=None if lengths is None else scores[last],
        truth=gold,
        compared={name: (one, gold) for name, one in found.items()},
        notes=(),
    )


def _mean(people: tuple[Scores, ...]) -> Scores:
    """What people say on average, on the topics that all of them have."""
    topics = [topic for topic in people[0].topics if all(topic in one.topics for one in people[1:])]
    values = np.mean([one.select(topics=topics).values for one in people], axis=0)
    notes = (ALL_NEGATED,) if all(one.lower_is_better for one in people) else ()
    return Scores(values, topics=tuple(topics), systems=people[0].systems, notes=notes)


def _check(truth: Scores | None, people: Mapping[str, Scores]) -> None:
    if truth is None and not people:
        raise CallError(
            "audit() wants to know what people say.",
            Option("truth", effect="with people's scores"),
            Option("people", effect="with those of several people by name"),
        )
    if people and len(people) < FEWEST_PEOPLE:
        raise TauscopeError(
            f"There are {len(people)} people; leaving one out at a time needs at least {FEWEST_PEOPLE}.",
            Option("truth", effect="with the mean of their scores"),
        )


def _check_lengths(lengths: Scores | None) -> None:
    if lengths is None or (lengths.values > 0).all():
        return
    where = np.argwhere(lengths.values <= 0)[:3]
    cells = [f"{lengths.topics[t]} {lengths.systems[s]}" for t, s in where.tolist()]
    raise TauscopeError(f"Lengths are above 0; these are not: {shown(cells)}.")
