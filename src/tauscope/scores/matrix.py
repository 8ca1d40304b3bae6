"""`Scores`: the scores of systems on topics by one measure."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import InitVar, dataclass
from typing import Any, ClassVar

import numpy as np

from ..arrays import Floats
from ..errors import CallError, MissingPackageError
from ..names import canonical
from ..ranking import Ranking
from ..results import count, frame
from .labelled import Labelled, drop_worst, mean_over
from .labels import Axes, Labels, positions
from .table import MeasureTable

#: The name of the only column where a measure is needed and none was given.
UNNAMED = "score"


@dataclass(frozen=True, eq=False, repr=False)
class Scores(Labelled):
    """How each system did on each topic: `values` is topics x systems, higher is better.

    Topics and systems without names are numbered from 1. A cell that is NaN or None is missing: an error that names
    it, unless `missing` says what to do: "zero", "drop-topics", "drop-systems", or "keep" to leave the hole.

    >>> Scores([[0.1, 0.3], [0.2, 0.6]], topics=["401", "402"], systems=["bm25", "dense"], measure="map")
    Scores: 2 systems x 2 topics, AP
    values from 0.1 to 0.6, no missing cells
    """

    AXES: ClassVar[Axes] = (("topics", "topic"), ("systems", "system"))

    values: Floats
    topics: Labels = None  # type: ignore[assignment]
    systems: Labels = None  # type: ignore[assignment]
    measure: str = ""
    collection: str = ""
    notes: tuple[str, ...] = ()
    frame: str | None = None
    missing: InitVar[str] = "error"

    def __post_init__(self, missing: str) -> None:
        object.__setattr__(self, "measure", canonical(self.measure))
        self._settle(missing)

    def __len__(self) -> int:
        """The number of topics."""
        return len(self.topics)

    def headline(self) -> str:
        named = "".join(f", {text}" for text in (self.measure, self.collection) if text)
        return f"Scores: {count(len(self.systems), 'system')} x {count(len(self.topics), 'topic')}{named}"

    def means(self) -> Floats:
        """The mean of each system over the topics it has, in the order of `.systems`."""
        return mean_over(self.values, 0)

    def ranking(self, **options: Any) -> Ranking:
        """The ranking of the systems by their means; means that differ only by rounding are ties (`.snapped`)."""
        return Ranking.from_means(self.means(), self.systems, **options)

    def drop_worst(self, share: float = 0.25) -> Scores:
        """Without the systems whose mean is below the `share` quantile of the means (linear interpolation)."""
        kept = drop_worst(self.means(), share)
        note = f"bottom {share * 100:g} % dropped: {count(len(self.systems) - len(kept), 'system')}"
        return self._with(note, values=self.values[:, kept], systems=tuple(self.systems[i] for i in kept))

    def select(self, *, topics: Iterable[str] | None = None, systems: Iterable[str] | None = None) -> Scores:
        """Only these topics or systems, in the order given."""
        rows, columns, notes = range(len(self.topics)), range(len(self.systems)), []
        if topics is not None:
            rows = positions(topics, self.topics, "topic")  # type: ignore[assignment]
            notes.append(f"{len(rows):,} of {count(len(self.topics), 'topic')} selected")
        if systems is not None:
            columns = positions(systems, self.systems, "system")  # type: ignore[assignment]
            notes.append(f"{len(columns):,} of {count(len(self.systems), 'system')} selected")
        return self._with(
            "; ".join(notes) or None,
            values=self.values[np.ix_(rows, columns)],
            topics=tuple(self.topics[row] for row in rows),
            systems=tuple(self.systems[column] for column in columns),
        )

    def sample_topics(self, k: int, rng: int | np.random.Generator, *, replace: bool = False) -> Scores:
        """`k` topics drawn at random, in their old order; with `replace` a topic drawn again is named `401#2`."""
        drawn, topics, note = draw_topics(self.topics, k, rng, replace)
        return self._with(note, values=self.values[drawn], topics=topics)

    def topic_wise(self) -> MeasureTable:
        """A row for each topic and system, one column: the measure."""
        m = len(self.systems)
        topics = tuple(topic for topic in self.topics for _ in range(m))
        return self._table(self.values.reshape(-1, 1), self.systems * len(self.topics), topics)

    def system_wise(self) -> MeasureTable:
        """A row for each system, one column: the mean over topics."""
        return self._table(self.means()[:, None], self.systems, None)

    def _table(self, values: Floats, systems: Labels, topics: Labels | None) -> MeasureTable:
        return MeasureTable(
            values, systems, (self.measure or UNNAMED,), self.collection, topics, self.notes, self.frame, missing="keep"
        )  # fmt: skip

    def to_frame(self, backend: str | None = None, *, long: bool = False) -> Any:
        """A data frame of the caller's own kind: a row a topic and a column a system, or with `long` the columns
        system, topic, measure and value. `backend` is "pandas", "polars" or "pyarrow"."""
        if long:
            n, m = self.shape
            return frame(
                {
                    "system": list(self.systems) * n,
                    "topic": [topic for topic in self.topics for _ in range(m)],
                    "measure": [self.measure or UNNAMED] * (n * m),
                    "value": self.values.ravel(),
                },
                backend or self.frame,
            )
        if "topic" in self.systems:
            raise CallError("A system is called 'topic', as the column of topics is. Use to_frame(long=True).")
        columns = {system: self.values[:, i].copy() for i, system in enumerate(self.systems)}
        return frame({"topic": list(self.topics), **columns}, backend or self.frame)

    def to_xarray(self) -> Any:
        """An xarray DataArray with the dimensions topic and system."""
        coordinates = {"topic": list(self.topics), "system": list(self.systems)}
        return data_array(self.values, coordinates, self.measure or UNNAMED, self.collection, self.notes)


def draw_topics(topics: Labels, k: int, rng: int | np.random.Generator, replace: bool) -> tuple[list[int], Labels, str]:
    """(places, labels, note) of topics drawn at random."""
    n = len(topics)
    if k < 1 or (k > n and not replace):
        raise CallError(f"sample_topics({k}) of {count(n, 'topic')}: draw 1 to {n:,}, or more with replace=True.")
    generator = np.random.default_rng(rng)
    drawn = sorted(int(i) for i in generator.choice(n, size=k, replace=replace))
    labels, times = [], dict.fromkeys(drawn, 0)
    for i in drawn:
        times[i] += 1
        labels.append(topics[i] if times[i] == 1 else f"{topics[i]}#{times[i]}")
    seed = f"rng={rng}" if isinstance(rng, (int, np.integer)) else "rng a Generator"
    again = " with replacement" if replace else ""
    return drawn, tuple(labels), f"{k:,} of {count(n, 'topic')} drawn at random{again} ({seed})"


def data_array(values: Floats, coordinates: dict[str, list[str]], name: str, collection: str, notes: Labels) -> Any:
    """An xarray DataArray; its attributes hold the collection and the notes."""
    try:
        import xarray
    except ImportError:
        raise MissingPackageError("to_xarray() needs xarray, which is not installed. Run: pip install xarray") from None
    attributes = {"collection": collection, "notes": list(notes)}
    return xarray.DataArray(values.copy(), coordinates, dims=list(coordinates), name=name, attrs=attributes)
