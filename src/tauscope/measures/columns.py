"""The door of this room: cubes and tables become observations x measures, or an error says why they cannot."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from ..core import checking
from ..core.arrays import Floats, Ints, tally
from ..core.rankings import unit
from ..core.ties import snap
from ..data.cube import ScoreCube
from ..data.holes import PAIRWISE, RestsOn, settled
from ..data.labels import Labels, changes, positions, shown
from ..data.scores import Scores
from ..data.table import MeasureTable, measure_labels
from ..errors import Advice, AlignmentError, CallError, Option, TauscopeError
from ..io.door import scores_or_cube
from ..io.formats.arrays import is_array
from ..results import count, word

By = Literal["topic", "system"]
#: Oddities that do not matter where columns are correlated: each is on a scale of its own.
OWN_SCALES = ("different-scales",)


@dataclass(frozen=True, eq=False, kw_only=True)
class Columns:
    """Observations x measures of one collection; an observation is a system, or a system on a topic."""

    values: Floats
    measures: Labels
    name: str
    by: By
    systems: Labels
    #: What a column is called: a measure, or for a leaderboard a topic (task).
    noun: str = "measure"
    snapped: int = 0
    #: What was left out or filled in before.
    notes: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.values)

    def select(self, measures: Sequence[str]) -> Columns:
        """Only these columns, in the order given."""
        at = positions(measures, self.measures, self.noun)
        return replace(self, values=self.values[:, at], measures=tuple(self.measures[i] for i in at))

    def column(self, measure: str) -> Floats:
        """The values of one measure."""
        return self.values[:, positions([measure], self.measures, self.noun)[0]]


def rows_in_words(rows: int, by: str) -> str:
    """How many observations."""
    if by == "system":
        return count(rows, "system")
    return f"{count(rows, 'row')} of {word('topic')} and {word('system')}"


def as_columns(data: Any, by: str | None, what: str, name: str = "", *, missing: str | None = None) -> Columns:
    """One collection. `by=None` takes a cube topic by topic and a table as it is.

    `missing` is what functions that can deal with holes were asked: without it every cell needs a score.
    """
    if by is not None:
        checking.one_of(by, ("topic", "system"), "by")
    data = scores_or_cube(data, what)
    if missing is None:
        data.require_complete(what)
    else:
        data = settled(data, missing, what, PAIRWISE)
    if isinstance(data, Scores):
        if by == "topic":
            raise CallError(
                f"{what}: Scores have one measure, so their topics are the columns and systems the rows.",
                Option("by", "system"),
            )
        return Columns(
            values=np.array(data.values.T),
            measures=data.topics,
            name=name or data.collection,
            by="system",
            systems=data.systems,
            noun="topic",
            notes=changes(data.notes),
        )
    if isinstance(data, ScoreCube):
        table = data.system_wise() if by == "system" else data.topic_wise()
    else:
        if by == "topic" and not data.is_topic_wise:
            raise CallError(f"{what}: this table has one row per system, without topics.", Option("by", "system"))
        table = _averaged(data) if by == "system" and data.is_topic_wise else data
    values, made = np.array(table.values), 0
    if not table.is_topic_wise:  # means over topics tie only up to rounding
        for column in range(values.shape[1]):
            known = ~np.isnan(values[:, column])
            values[known, column], ties = snap(values[known, column])
            made += ties
    how: By = "topic" if table.is_topic_wise else "system"
    return Columns(
        values=values,
        measures=table.measures,
        name=name or table.collection,
        by=how,
        systems=table.systems,
        snapped=made,
        notes=changes(table.notes),
    )


def notes_on(collections: Sequence[Columns], common: Sequence[str] | None = None) -> tuple[str, ...]:
    """What was left out or filled in of each collection; and which measures, where only the common ones stay."""
    several = len(collections) > 1
    told = tuple(f"{one.name}: {note}" if several and one.name else note for one in collections for note in one.notes)
    every = dict.fromkeys(m for one in collections for m in one.measures)
    left = [] if common is None else [m for m in every if m not in common]
    return (*told, f"left out, not in every collection: {shown(left)}") if left else told


def _averaged(table: MeasureTable) -> MeasureTable:
    """Means over topics of a topic-wise table; every system needs the same topics."""
    systems = tuple(dict.fromkeys(table.systems))
    at = {system: i for i, system in enumerate(systems)}
    place = np.array([at[system] for system in table.systems])
    sizes = tally(place)
    if (sizes != sizes[0]).any():
        odd = systems[int(np.flatnonzero(sizes != sizes[0])[0])]
        raise AlignmentError(
            f"{word('system').capitalize()} {odd!r} has {count(int(sizes[at[odd]]), 'topic')} and {systems[0]!r} has "
            f"{sizes[0]:,}, and means are compared over the same topics.",
            Advice("Leave out the topics that not all have."),
        )
    sums = np.zeros((len(systems), len(table.measures)))
    np.add.at(sums, place, table.values)
    return MeasureTable(sums / sizes[0], systems, table.measures, table.collection, None, table.notes)


def as_collections(data: Any, by: str | None, what: str, *, missing: str | None = None) -> list[Columns]:
    """One or several collections: one object, a list of them, or a dict of names; names are made unique."""
    if isinstance(data, Mapping) and not is_one(data):
        found = [as_columns(one, by, what, str(name), missing=missing) for name, one in data.items()]
    elif isinstance(data, (list, tuple)) and not is_one(data):
        found = [as_columns(one, by, what, missing=missing) for one in data]
    else:
        return [as_columns(data, by, what, missing=missing)]
    if not found:
        raise CallError(f"{what} needs at least one collection.")
    if len(found) > 1 and isinstance(data, list) and all(len(set(one.systems)) == 1 for one in found):
        return [as_columns(data, by, what, missing=missing)]  # the output of an evaluation tool, one file per run
    if len({one.by for one in found}) > 1:
        raise CallError(
            f"{what}: some collections are topic-wise and others system-wise.",
            Option("by", "system", effect="to take the means of all"),
        )
    used: set[str] = set()
    for place, one in enumerate(found):
        label = one.name or str(place + 1)
        while label in used:
            label = f"{label}#{place + 1}"
        used.add(label)
        found[place] = replace(one, name=label)
    return found


def is_one(data: Any) -> bool:
    """Whether a dict or a list is one collection: dicts of numbers, rows of numbers."""
    if isinstance(data, Mapping):
        return bool(data) and all(isinstance(one, Mapping) for one in data.values())
    return is_array(data)


def shared_measures(collections: Sequence[Columns], least: int, what: str) -> tuple[list[Columns], tuple[str, ...]]:
    """The collections with the measures that all have, in the first one's order; and notes on what was left out."""
    first = collections[0]
    common = [m for m in first.measures if all(m in other.measures for other in collections[1:])]
    noun = first.noun
    if len(common) < least:
        found = f"there {'is' if len(common) == 1 else 'are'} {len(common)}"
        if len(collections) > 1:
            found = f"the {len(collections):,} collections share {shown(common) if common else 'none'}"
        raise AlignmentError(f"{what} needs at least {count(least, noun)}; {found}.")
    return [one.select(common) for one in collections], notes_on(collections, common)


#: Over fewer rows, 1.000 is often chance.
ENOUGH_ROWS = 10


def least_in_common(rows: int) -> int:
    """Two columns are correlated where cells are missing if so many rows have both: 10, or of a small table most."""
    return min(ENOUGH_ROWS, max(3, rows // 2 + 1))


#: The note on systems that were left out.
_DROPPED = re.compile(r"^([0-9,]+) \S+ with missing cells dropped")
#: The way out of too few systems left.
_PAIRWISE_INSTEAD = Option(
    "missing",
    "keep",
    effect="to compare every two on what both have",
    python='Give the scores with their holes, and missing="pairwise" to compare every two on what both have.',
)


def check_rows(columns: Columns, what: str) -> None:
    """An error where leaving out what has missing cells left next to nothing: over 3 systems, 1.000 is chance."""
    dropped = [int(found[1].replace(",", "")) for note in columns.notes if (found := _DROPPED.search(note))]
    if len(columns) < min(ENOUGH_ROWS, sum(dropped)):
        raise TauscopeError(
            f"{what}: with {word('systems')} that have missing cells left out, "
            f"{rows_in_words(len(columns), columns.by)} "
            f"{'is' if len(columns) == 1 else 'are'} left, too few to correlate "
            f"{count(len(columns.measures), columns.noun)}: {ENOUGH_ROWS} are needed.",
            _PAIRWISE_INSTEAD,
        )


def common_rows(values: Floats) -> Ints:
    """How many rows both of two columns have: columns x columns."""
    known = (~np.isnan(values)).astype(np.int64)
    return np.asarray(known.T @ known)


def rests_on(collections: Sequence[Columns]) -> RestsOn | None:
    """How many cells the correlations rest on; None where none is missing."""
    missing = sum(int(np.isnan(one.values).sum()) for one in collections)
    if not missing:
        return None
    shared = np.min([common_rows(one.values) for one in collections], axis=0)
    pairs = shared[np.triu_indices(len(shared), 1)]
    noun = collections[0].noun
    rows = word("systems") if collections[0].by == "system" else "rows"
    rule = f"every two {word(noun + 's')} over the {rows} that have both"
    cells = sum(one.values.size for one in collections)
    return RestsOn.of(pairs, f"{rows} in common", rule, missing=missing, cells=cells)


def constant(columns: Columns) -> list[str]:
    """Measures that have one value only, up to rounding."""
    known = np.where(np.isnan(columns.values), np.nanmin(columns.values, axis=0), columns.values)
    values = unit(known.T)  # so that no spread overflows
    spread, size = np.ptp(values, axis=1), np.abs(values).max(axis=1)
    return [m for m, s, z in zip(columns.measures, spread, size, strict=True) if s <= 1e-12 * z]


def labels(names: Any, noun: str = "measure") -> tuple[str, ...]:
    """Names of measures in their canonical spelling; topics and tasks as they are."""
    made = measure_labels(names) if noun == "measure" else ((names,) if isinstance(names, str) else tuple(names))
    return tuple(str(name) for name in made)
