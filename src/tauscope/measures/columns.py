"""Observations x measures: what every function of this package makes of scores, cubes, tables and collections of them.

An observation is a system, or a system on a topic. Of `Scores`, which have one measure, the topics are the columns: the
tasks of a leaderboard.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..core import checking
from ..core.arrays import Floats, Ints, snap, tally, unit
from ..data.cube import ScoreCube
from ..data.holes import PAIRWISE, RestsOn, settled
from ..data.labels import Labels, changes, positions, shown, with_code
from ..data.scores import Scores
from ..data.table import MeasureTable, measure_labels
from ..errors import Advice, AlignmentError, CallError, Option, TauscopeError
from ..io.door import scores_or_cube
from ..io.frames import is_array
from ..results import Note, Notes, count, word

#: Data problems that do not matter if columns are correlated: each column has a scale of its own.
OWN_SCALES = ("different-scales",)
#: Over fewer rows, a correlation of 1.000 is often chance.
ENOUGH_ROWS = 10


@dataclass(frozen=True, eq=False, kw_only=True)
class Columns:
    """Observations x measures of one collection.

    Parameters
    ----------
    values : array
        Observations x measures; NaN where a cell is missing.
    measures, systems : tuple of str
        The columns, and the system of each row.
    name : str
        Name of the collection.
    by : {"topic", "system"}
        Whether an observation is a system on a topic, or a system.
    noun : {"measure", "topic"}
        What a column is.
    snapped : int
        Number of pairs of means that differed by rounding only, and were made equal.
    notes : tuple of Note or str
        What was left out or filled in before.
    """

    values: Floats
    measures: Labels
    name: str
    by: str
    systems: Labels
    noun: str = "measure"
    snapped: int = 0
    notes: Notes = ()

    def __len__(self) -> int:
        return len(self.values)

    def select(self, measures: Sequence[str]) -> Columns:
        """Keep these columns, in the order given."""
        at = positions(measures, self.measures, self.noun)
        return replace(self, values=self.values[:, at], measures=tuple(self.measures[i] for i in at))


def rows_in_words(rows: int, by: str) -> str:
    """Return the number of observations for an error: "3 systems"."""
    return count(rows, "system" if by == "system" else "observation")


def as_columns(data: Any, by: str | None, what: str, name: str = "", *, missing: str | None = None) -> Columns:
    """Make columns of one collection.

    Parameters
    ----------
    data : Scores, ScoreCube, MeasureTable, or what can be read as one
        The collection.
    by : {"topic", "system"} or None
        What an observation is; None takes a cube topic by topic, and a table as it is.
    what : str
        The function, for errors.
    name : str
        Name of the collection, if it has another one than its own.
    missing : str or None
        The option of a function that can deal with missing cells; None requires a score in every cell.

    Returns
    -------
    Columns
    """
    if by is not None:
        checking.one_of(by, ("topic", "system"), "by")
    data = scores_or_cube(data, what)
    if missing is None:
        data.require_complete(what)
    else:
        data = settled(data, missing, what, PAIRWISE)
    name = name or data.collection
    if isinstance(data, Scores):
        if by == "topic":
            raise CallError(
                f"{what}: Scores have one measure, so their topics are the columns and systems the rows.",
                Option("by", "system"),
            )
        fields: dict[str, Any] = {"measures": data.topics, "noun": "topic", "notes": changes(data.notes)}
        return Columns(values=np.array(data.values.T), name=name, by="system", systems=data.systems, **fields)
    if isinstance(data, ScoreCube):
        table = data.system_wise() if by == "system" else data.topic_wise()
    else:
        if by == "topic" and not data.is_topic_wise:
            raise CallError(f"{what}: this table has one row per system, without topics.", Option("by", "system"))
        table = _averaged(data) if by == "system" and data.is_topic_wise else data
    values, snapped = np.array(table.values), 0
    if not table.is_topic_wise:  # means over topics tie only up to rounding
        for column in values.T:
            known = ~np.isnan(column)
            column[known], ties = snap(column[known])
            snapped += ties
    return Columns(
        values=values,
        measures=table.measures,
        name=name,
        by="topic" if table.is_topic_wise else "system",
        systems=table.systems,
        snapped=snapped,
        notes=changes(table.notes),
    )


def _averaged(table: MeasureTable) -> MeasureTable:
    """Average a topic-wise table over topics; every system needs the same number of them."""
    systems = tuple(dict.fromkeys(table.systems))
    place = np.array([systems.index(system) for system in table.systems])
    sizes = tally(place)
    if (sizes != sizes[0]).any():
        at = int(np.flatnonzero(sizes != sizes[0])[0])
        raise AlignmentError(
            f"{word('system').capitalize()} {systems[at]!r} has {count(int(sizes[at]), 'topic')} and {systems[0]!r} "
            f"has {sizes[0]:,}, and means are compared over the same topics.",
            Advice("Leave out the topics that not all have."),
        )
    sums = np.zeros((len(systems), len(table.measures)))
    np.add.at(sums, place, table.values)
    return MeasureTable(sums / sizes[0], systems, table.measures, table.collection, None, table.notes)


def as_collections(data: Any, by: str | None, what: str, *, missing: str | None = None) -> list[Columns]:
    """Make columns of one collection, of a list of them, or of a dict by name; names are made unique."""
    several = isinstance(data, (Mapping, list, tuple)) and not _is_one(data)
    if not several:
        return [as_columns(data, by, what, missing=missing)]
    named = data.items() if isinstance(data, Mapping) else (("", one) for one in data)
    collections = [as_columns(one, by, what, str(name), missing=missing) for name, one in named]
    if not collections:
        raise CallError(f"{what} needs at least one collection.")
    if len(collections) > 1 and isinstance(data, list) and all(len(set(one.systems)) == 1 for one in collections):
        return [as_columns(data, by, what, missing=missing)]  # the output of an evaluation tool, one file per run
    if len({one.by for one in collections}) > 1:
        raise CallError(
            f"{what}: some collections are topic-wise and others system-wise.",
            Option("by", "system", effect="to take the means of all"),
        )
    used: set[str] = set()
    for place, one in enumerate(collections):
        label = one.name or str(place + 1)
        while label in used:
            label = f"{label}#{place + 1}"
        used.add(label)
        collections[place] = replace(one, name=label)
    return collections


def _is_one(data: Any) -> bool:
    """Whether a dict or a list is one collection: dicts of numbers, rows of numbers."""
    if isinstance(data, Mapping):
        return bool(data) and all(isinstance(one, Mapping) for one in data.values())
    return is_array(data)


def notes_on(collections: Sequence[Columns], common: Sequence[str] | None = None) -> tuple[str | Note, ...]:
    """Return what was left out or filled in of each collection, and the measures that are not in `common`."""
    several = len(collections) > 1
    notes = tuple(f"{one.name}: {note}" if several and one.name else note for one in collections for note in one.notes)
    every = dict.fromkeys(measure for one in collections for measure in one.measures)
    left = () if common is None else tuple(measure for measure in every if measure not in common)
    return (*notes, Note("not_in_all", measures=left)) if left else notes


def shared_measures(
    collections: Sequence[Columns], least: int, what: str
) -> tuple[list[Columns], tuple[str | Note, ...]]:
    """Cut collections to the measures that all have, in the first one's order; also return notes on the others."""
    first = collections[0]
    common = [m for m in first.measures if all(m in other.measures for other in collections[1:])]
    if len(common) < least:
        shared = shown(common) if common else "none"
        raise AlignmentError(
            f"{what} needs at least {count(least, first.noun)}; the {len(collections):,} collections share {shared}."
            if len(collections) > 1
            else f"{what} needs at least {count(least, first.noun)}; there {'is' if common else 'are'} {len(common)}."
        )
    return [one.select(common) for one in collections], notes_on(collections, common)


def least_in_common(rows: int) -> int:
    """Return the number of rows that two columns must share to be correlated: 10, or most rows of a small table."""
    return min(ENOUGH_ROWS, max(3, rows // 2 + 1))


def check_rows(columns: Columns, what: str) -> None:
    """Raise an error if leaving out missing cells left too few rows: over 3 systems, 1.000 is chance."""
    dropped = sum(len(note.numbers["labels"]) for note in with_code(columns.notes, "holes_dropped"))
    if len(columns) < min(ENOUGH_ROWS, dropped):
        raise TauscopeError(
            f"{what}: with {word('systems')} that have missing cells left out, "
            f"{rows_in_words(len(columns), columns.by)} "
            f"{'is' if len(columns) == 1 else 'are'} left, too few to correlate "
            f"{count(len(columns.measures), columns.noun)}: {ENOUGH_ROWS} are needed.",
            Option(
                "missing",
                "keep",
                effect="to compare every two on what both have",
                python="Give the scores with their holes, "
                'and missing="pairwise" to compare every two on what both have.',
            ),
        )


def common_rows(collections: Sequence[Columns], combine: np.ufunc = np.minimum) -> Ints:
    """Count the rows that both of two columns have, columns x columns: the fewest of a collection, or their sum."""
    known = [(~np.isnan(one.values)).astype(np.int64) for one in collections]
    return np.asarray(combine.reduce([each.T @ each for each in known]))


def rests_on(collections: Sequence[Columns]) -> RestsOn | None:
    """Count the cells on which correlations rest; None if no cell is missing."""
    missing = sum(int(np.isnan(one.values).sum()) for one in collections)
    if not missing:
        return None
    pairs = common_rows(collections)
    first = collections[0]
    rows = word("systems") if first.by == "system" else "rows"
    rule = str(Note("pairwise_rule", nouns=word(f"{first.noun}s"), rows=rows))
    cells = sum(one.values.size for one in collections)
    return RestsOn.of(pairs[np.triu_indices(len(pairs), 1)], f"{rows} in common", rule, missing=missing, cells=cells)


def constant(values: Floats, measures: Labels) -> list[str]:
    """Return the measures that have one value only, up to rounding."""
    filled = np.where(np.isnan(values), np.nanmin(values, axis=0), values)
    scaled = unit(filled.T)  # so that no spread overflows
    spread, size = np.ptp(scaled, axis=1), np.abs(scaled).max(axis=1)
    return [m for m, s, z in zip(measures, spread, size, strict=True) if s <= 1e-12 * z]


def labels(names: Any, noun: str = "measure") -> tuple[str, ...]:
    """Return names of measures in their canonical spelling; names of topics and tasks stay as they are."""
    made = measure_labels(names) if noun == "measure" else ((names,) if isinstance(names, str) else tuple(names))
    return tuple(str(name) for name in made)
