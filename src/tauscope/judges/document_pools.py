"""The documents that a judge judged: where systems have them, what people said of them, and their strata by depth."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from .. import checking
from ..arrays import Ints
from ..errors import AlignmentError, Option
from ..evaluation.qrels import Qrels
from ..evaluation.runs import Run
from ..results import count
from ..scores.labels import shown

#: Deeper than any run.
BOTTOM = 2**31 - 1
#: A document that a system does not have.
AWAY = 2**40


def ends_of_strata(depths: Iterable[int]) -> tuple[int, ...]:
    """Depths as they were given, checked and in order."""
    return tuple(sorted({checking.whole(depth, "depths", least=1) for depth in depths}))


def pool_of(machine: Qrels, topic: int) -> Ints:
    """The entries of a topic that the judge has a label for."""
    here = np.arange(machine.offsets[topic], machine.offsets[topic + 1])
    return np.asarray(here[machine.grades[here] >= 0])


def strata_by_depth(places: Ints, depths: tuple[int, ...]) -> Ints:
    """The stratum of each document by its best place in any system: above the first depth 0, and so on."""
    best = places.min(axis=0, initial=np.iinfo(np.int64).max)
    found = np.searchsorted(np.array(depths), best, side="right")
    _, stratum = np.unique(found, return_inverse=True)
    return stratum.reshape(-1).astype(np.int64)


def grades_of_people(people: Qrels, machine: Qrels, one_sided: str) -> tuple[Any, tuple[str, ...]]:
    """People's grade of each of the judge's documents, -1 where there is none."""
    found = machine.judged(people, np.arange(len(people)), BOTTOM)
    place_of = people.topic_numbers
    first = np.array([people.offsets[place_of[t]] if t in place_of else -1 for t in machine.topics])
    entries = first[found.topic] + found.place
    known = np.zeros(len(people), bool)
    known[entries] = machine.grades[found.entry] >= 0
    alone = np.flatnonzero(~known & (people.grades >= 0))
    if len(alone) and one_sided == "error":
        some = [f"{people.topics[people.topic_of_entry[i]]} {people.document(i)}" for i in alone[:5].tolist()]
        raise AlignmentError(
            f"{count(len(alone), 'document')} that people judged the judge did not: {shown(some)}.",
            Option("one_sided", "drop", effect="to leave them out"),
        )
    grades = np.full(len(machine), -1, dtype=np.int64)
    grades[found.entry] = people.grades[entries]
    dropped = f"{count(len(alone), 'document')} that only people judged left out"
    return grades, ((dropped,) if len(alone) else ())


def places_in(systems: tuple[Run, ...], machine: Qrels) -> Any:
    """The place of each of the judge's documents in each system: systems x documents."""
    places = np.full((len(systems), len(machine)), AWAY, dtype=np.int64)
    for row, run in zip(places, systems, strict=True):
        found = machine.judged(run, run.order(), BOTTOM)
        row[found.entry] = found.place
    return places
