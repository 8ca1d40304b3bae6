"""`MeasureTable`: one number for each system and measure, or for each topic, system and measure."""

from __future__ import annotations

import importlib
from collections.abc import Iterable, Mapping
from dataclasses import InitVar, dataclass
from typing import Any, ClassVar

import numpy as np

from ..core.arrays import Floats
from ..core.checking import MAX_BYTES
from ..errors import CallError, TauscopeError
from ..results import Notes, count, shape
from .labels import Axes, Labelled, Labels, check_unique, one_measure, positions
from .names import canonical
from .ranking import Ranking


@dataclass(frozen=True, eq=False, repr=False)
class MeasureTable(Labelled):
    """How do the systems do by each measure? A table, systems x measures, without topics.

    `ScoreCube.system_wise()` makes it from means over topics; a table of gupta2019 is read as one. Made by
    `topic_wise()` it has one row per topic and system. `table["map"]` is the column of one measure, under any of its
    spellings.

    Parameters
    ----------
    values : array
        Systems x measures.
    systems, measures : sequence of str
        Their names.
    collection : str, default ""
        What the collection is called in results.
    topics : sequence of str or None, default None
        The topic of each row, where rows are pairs of topic and system.
    notes : tuple of Note or str, default ()
        What was done to the values before.
    frame : str or None, default None
        The library of the data frame they came from, which `to_frame()` makes again.
    missing : {"error", "zero", "drop-systems", "drop-measures", "keep"}, default "error"
        What a missing cell means.

    Raises
    ------
    CallError, TauscopeError
        As `Scores` raises them: where names do not fit the values, or a cell is missing.

    Examples
    --------
    >>> from tauscope.measures import Table
    >>> Table([[0.2, 0.4], [0.3, 0.5]], ["bm25", "dense"], ["map", "P_10"])["AP"].tolist()
    [0.2, 0.3]
    """

    AXES: ClassVar[Axes] = (("systems", "system"), ("measures", "measure"))
    MISSING: ClassVar[tuple[str, ...]] = ("error", "zero", "drop-systems", "drop-measures", "keep")

    values: Floats
    systems: Labels
    measures: Labels
    collection: str = ""
    topics: Labels | None = None
    notes: Notes = ()
    frame: str | None = None
    missing: InitVar[str] = "error"

    def __post_init__(self, missing: str) -> None:
        object.__setattr__(self, "measures", measure_labels(self.measures))
        if self.topics is not None:
            object.__setattr__(self, "topics", tuple(map(str, self.topics)))
        self._settle(missing)

    @classmethod
    def read(
        cls,
        source: Any,
        *,
        missing: str = "error",
        collection: str = "",
        columns: Mapping[str, Any] | str | None = None,
        max_bytes: int = MAX_BYTES,
    ) -> MeasureTable:
        """Read a table of systems by measures, one row per system.

        Parameters
        ----------
        source : path or data frame
            A CSV, TSV or Parquet file or a frame. Systems are numbered where no column names them, as in the tables of
            gupta2019; a column of topics makes the table topic-wise.
        missing : {"error", "zero", "drop-systems", "drop-measures", "keep"}, default "error"
            What a cell without a value means.
        collection : str, default ""
            What the collection is called in results.
        columns : dict, str or None, default None
            Which column is what, as in `Scores.read()`.
        max_bytes : int
            A file that unpacks to more is refused.

        Returns
        -------
        MeasureTable

        Raises
        ------
        FileError
            If the file cannot be read as a table of systems and measures.

        Examples
        --------
        >>> import pandas
        >>> MeasureTable.read(pandas.DataFrame({"system": ["a", "b"], "map": [0.2, 0.3], "P_10": [0.4, 0.5]})).measures
        ('AP', 'P@10')
        """
        found: MeasureTable = importlib.import_module("tauscope.io.read").read_table(
            source, missing=missing, collection=collection, columns=columns, max_bytes=max_bytes
        )
        return found

    def _check_unique(self) -> None:
        check_unique(self.measures, "measure")
        if self.topics is None:
            check_unique(self.systems, "system")
        elif len(self.topics) != len(self.systems):
            raise CallError(
                f"A topic-wise table of {len(self.systems):,} rows has {len(self.topics):,} topics; each row needs one."
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
        """The column of one measure, under any of its spellings."""
        return self.values[:, positions(canonical(measure), self.measures, "measure")[0]]

    def headline(self) -> str:
        rows = count(len(set(self.systems)), "system")
        if self.topics is not None:
            rows = f"{count(len(self), 'row')} ({rows}, {count(len(set(self.topics)), 'topic')})"
        where = f", {self.collection}" if self.collection else ""
        return f"MeasureTable: {shape(rows, count(len(self.measures), 'measure'))}{where}"

    def _shown(self) -> dict[str, Any]:
        keys = {"topic": self.topics, "system": self.systems} if self.topics is not None else {"system": self.systems}
        return {**keys, **{measure: self.values[:, i] for i, measure in enumerate(self.measures)}}

    def ranking(self, measure: str | None = None, *, tied_within: Any = 0, lower_is_better: bool = False) -> Ranking:
        """In which order are the systems by one measure?

        Values that differ only by rounding are ties.

        Parameters
        ----------
        measure, tied_within, lower_is_better
            As in `ScoreCube.ranking()`.

        Returns
        -------
        Ranking

        Raises
        ------
        CallError
            Where the table is topic-wise, or has several measures and none was chosen.
        """
        self._need_system_wise("ranking()")
        column = self[one_measure(self.measures, measure, "ranking()")]
        if np.isnan(column).any():
            self.require_complete("ranking()")
        return Ranking.from_means(column, self.systems, tied_within=tied_within, lower_is_better=lower_is_better)

    def drop_worst(self, share: float = 0.25, *, by: str | None = None) -> MeasureTable:
        """The table without the worst systems.

        Parameters
        ----------
        share, by
            As in `ScoreCube.drop_worst()`, by the values themselves.

        Returns
        -------
        MeasureTable
        """
        self._need_system_wise("drop_worst()")
        self.require_complete("drop_worst()")
        measure = one_measure(self.measures, by, "drop_worst()")
        return self._without_worst(self[measure], share, f" by {measure}")

    def select(self, *, systems: Iterable[str] | None = None, measures: Iterable[str] | None = None) -> MeasureTable:
        """The table of some systems or measures only.

        Parameters
        ----------
        systems, measures : iterable of str or None, default None
            Their names, in the order wanted; None for all. Of a topic-wise table the rows keep their order.

        Returns
        -------
        MeasureTable

        Raises
        ------
        TauscopeError
            Where a name is not there; the nearest spelling is offered.
        """
        chosen = measure_labels(measures)
        if systems is None or self.topics is None:
            return self._selected(systems=systems, measures=chosen)
        wanted = {systems} if isinstance(systems, str) else set(map(str, systems))
        positions(sorted(wanted), tuple(dict.fromkeys(self.systems)), "system")
        rows = [row for row, system in enumerate(self.systems) if system in wanted]
        part = self.changed(
            f"{len(rows):,} of {count(len(self), 'row')} selected",
            values=self.values[rows],
            systems=tuple(self.systems[row] for row in rows),
            topics=tuple(self.topics[row] for row in rows),
        )
        return part if chosen is None else part.select(measures=chosen)

    def _columns(self, long: bool) -> dict[str, Any]:
        if not long:
            return self._shown()
        width = len(self.measures)
        keys = {"system": self.systems} if self.topics is None else {"topic": self.topics, "system": self.systems}
        repeated = {name: [label for label in labels for _ in range(width)] for name, labels in keys.items()}
        return {**repeated, "measure": list(self.measures) * len(self), "value": self.values.ravel()}

    def _need_system_wise(self, what: str) -> None:
        if self.topics is not None:
            raise CallError(
                f"{what} needs one row per system, and this table is topic-wise; take system_wise() of its cube."
            )


def topic_wise(like: Labelled, values: Floats, measures: Labels) -> MeasureTable:
    """One row per topic and system of scores with `like`'s labels; `values` is measures x topics x systems."""
    topics, systems = _labels(like)
    rows = tuple(topic for topic in topics for _ in systems)
    return _table(like, values.reshape(len(measures), -1).T, systems * len(topics), measures, rows)


def system_wise(like: Labelled, means: Floats, measures: Labels) -> MeasureTable:
    """One row per system; `means` is measures x systems."""
    return _table(like, means.T, _labels(like)[1], measures, None)


def long_columns(like: Labelled, values: Floats, measures: Labels) -> dict[str, Any]:
    """One row per score: the columns system, topic, measure and value; `values` is measures x topics x systems."""
    topics, systems = _labels(like)
    n, m = len(topics), len(systems)
    return {
        "system": list(systems) * (len(measures) * n),
        "topic": [topic for topic in topics for _ in range(m)] * len(measures),
        "measure": [measure for measure in measures for _ in range(n * m)],
        "value": values.ravel(),
    }


def _labels(like: Labelled) -> tuple[Labels, Labels]:
    named = dict(zip((name for name, _ in like.AXES), (getattr(like, name) for name, _ in like.AXES), strict=True))
    return named["topics"], named["systems"]


def _table(like: Labelled, values: Floats, systems: Labels, measures: Labels, topics: Labels | None) -> MeasureTable:
    return MeasureTable(
        values,
        systems,
        measures,
        collection=like.collection,
        topics=topics,
        notes=like.notes,
        frame=like.frame,
        missing="keep",
    )


def measure_labels(measures: Any) -> Any:
    """Measures by their canonical labels; what is not a list of names is left for the check of labels to word."""
    if measures is None or isinstance(measures, bytes):
        return measures
    if isinstance(measures, str):
        return (canonical(measures),)
    return tuple(canonical(name) if isinstance(name, str) else name for name in measures)
