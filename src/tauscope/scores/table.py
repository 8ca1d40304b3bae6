"""`MeasureTable`: one number a system and measure, or a topic, system and measure."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import InitVar, dataclass
from typing import Any, ClassVar

import numpy as np

from ..arrays import Floats
from ..errors import CallError, TauscopeError
from ..names import canonical
from ..ranking import Ranking
from ..results import count, frame
from .labelled import Labelled, drop_worst
from .labels import Axes, Labels, check_unique, positions


@dataclass(frozen=True, eq=False, repr=False)
class MeasureTable(Labelled):
    """How the systems do by each measure: `values` is systems x measures, without topics.

    `ScoreCube.system_wise()` makes it from means over topics; a table of gupta2019 is read as one. Made by
    `topic_wise()` it has a row for each topic and system, and `topics` names the topic of each row.
    """

    AXES: ClassVar[Axes] = (("systems", "system"), ("measures", "measure"))
    MISSING: ClassVar[tuple[str, ...]] = ("error", "zero", "drop-systems", "drop-measures", "keep")

    values: Floats
    systems: Labels
    measures: Labels
    collection: str = ""
    topics: Labels | None = None
    notes: tuple[str, ...] = ()
    frame: str | None = None
    missing: InitVar[str] = "error"

    def __post_init__(self, missing: str) -> None:
        object.__setattr__(self, "measures", measure_labels(self.measures))
        if self.topics is not None:
            object.__setattr__(self, "topics", tuple(map(str, self.topics)))
        self._settle(missing)

    def _check_unique(self) -> None:
        check_unique(self.measures, "measure")
        if self.topics is None:
            check_unique(self.systems, "system")
        elif len(self.topics) != len(self.systems):
            raise CallError(
                f"A topic-wise table of {len(self.systems):,} rows has {len(self.topics):,} topics; give one a row."
            )
        elif len(set(zip(self.topics, self.systems, strict=True))) != len(self.systems):
            raise TauscopeError("A topic-wise table has the same topic and system in two rows.")

    def _drop(self, holes: Any, name: str) -> None:
        if self.topics is not None and name == "systems":
            kept = ~holes.any(axis=1)
            object.__setattr__(self, "topics", tuple(t for t, keep in zip(self.topics, kept, strict=True) if keep))
        super()._drop(holes, name)

    @property
    def is_topic_wise(self) -> bool:
        """Whether the rows are pairs of topic and system."""
        return self.topics is not None

    def __len__(self) -> int:
        return len(self.systems)

    def __contains__(self, measure: object) -> bool:
        return isinstance(measure, str) and canonical(measure) in self.measures

    def __getitem__(self, measure: str) -> Floats:
        """The column of one measure; `table["map"]` is `table["AP"]`."""
        return self.values[:, positions(canonical(measure), self.measures, "measure")[0]]

    def headline(self) -> str:
        rows = count(len(set(self.systems)), "system")
        if self.topics is not None:
            rows = f"{count(len(self), 'row')} ({rows}, {count(len(set(self.topics)), 'topic')})"
        where = f", {self.collection}" if self.collection else ""
        return f"MeasureTable: {rows} x {count(len(self.measures), 'measure')}{where}"

    def ranking(self, measure: str | None = None, **options: Any) -> Ranking:
        """The ranking of the systems by one measure, equal up to rounding made equal."""
        self._need_system_wise("ranking()")
        column = self[self._one(measure, "ranking()")]
        if np.isnan(column).any():
            self.require_complete("ranking()")
        return Ranking.from_means(column, self.systems, **options)

    def drop_worst(self, share: float = 0.25, *, by: str | None = None) -> MeasureTable:
        """Without the systems whose value of the measure `by` is below its `share` quantile (linear)."""
        self._need_system_wise("drop_worst()")
        self.require_complete("drop_worst()")
        measure = self._one(by, "drop_worst()")
        kept = drop_worst(self[measure], share)
        note = f"bottom {share * 100:g} % by {measure} dropped: {count(len(self) - len(kept), 'system')}"
        return self._with(note, values=self.values[kept], systems=tuple(self.systems[i] for i in kept))

    def select(self, *, systems: Iterable[str] | None = None, measures: Iterable[str] | None = None) -> MeasureTable:
        """Only these systems or measures, in the order given."""
        rows: list[int] = list(range(len(self)))
        notes = []
        if systems is not None and self.topics is not None:
            wanted = {systems} if isinstance(systems, str) else set(map(str, systems))
            positions(sorted(wanted), tuple(dict.fromkeys(self.systems)), "system")
            rows = [row for row in rows if self.systems[row] in wanted]
        elif systems is not None:
            rows = positions(systems, self.systems, "system")
        if systems is not None:
            notes.append(f"{len(rows):,} of {count(len(self), 'row' if self.topics else 'system')} selected")
        columns = list(range(len(self.measures)))
        if measures is not None:
            columns = positions(measure_labels(measures), self.measures, "measure")
            notes.append(f"{len(columns):,} of {count(len(self.measures), 'measure')} selected")
        return self._with(
            "; ".join(notes) or None,
            values=self.values[np.ix_(rows, columns)],
            systems=tuple(self.systems[row] for row in rows),
            measures=tuple(self.measures[column] for column in columns),
            topics=None if self.topics is None else tuple(self.topics[row] for row in rows),
        )

    def to_frame(self, backend: str | None = None, *, long: bool = False) -> Any:
        """A data frame: a row a system and a column a measure, or with `long` the columns system, measure and value."""
        keys: dict[str, Any] = {"system": list(self.systems)}
        if self.topics is not None:
            keys = {"topic": list(self.topics), **keys}
        if not long:
            columns = {measure: self.values[:, i].copy() for i, measure in enumerate(self.measures)}
            return frame({**keys, **columns}, backend or self.frame)
        width = len(self.measures)
        repeated = {name: [label for label in labels for _ in range(width)] for name, labels in keys.items()}
        measures = list(self.measures) * len(self)
        return frame({**repeated, "measure": measures, "value": self.values.ravel()}, backend or self.frame)

    def _one(self, measure: str | None, what: str) -> str:
        if measure is not None:
            return self.measures[positions(canonical(measure), self.measures, "measure")[0]]
        if len(self.measures) > 1:
            raise CallError(f"{what} of {len(self.measures):,} measures: say which one, such as {self.measures[0]!r}.")
        return self.measures[0]

    def _need_system_wise(self, what: str) -> None:
        if self.topics is not None:
            raise CallError(f"{what} needs one row a system, and this table is topic-wise. Use system_wise() instead.")


def measure_labels(measures: Any) -> Any:
    """Measures by their canonical labels; what is not a list of names is left for the check of labels to word."""
    if measures is None or isinstance(measures, bytes):
        return measures
    if isinstance(measures, str):
        return (canonical(measures),)
    return tuple(canonical(name) if isinstance(name, str) else name for name in measures)
