"""`ScoreCube`: the scores of systems on topics by several measures."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import InitVar, dataclass
from typing import Any, ClassVar

import numpy as np

from ..arrays import Floats
from ..errors import CallError
from ..names import canonical
from ..ranking import Ranking
from ..results import count, frame
from .labelled import Labelled, drop_worst, mean_over
from .labels import Axes, Labels, check_unique, positions
from .matrix import UNNAMED, Scores, data_array, draw_topics
from .table import MeasureTable, measure_labels


@dataclass(frozen=True, eq=False, repr=False)
class ScoreCube(Labelled):
    """How each system did on each topic by each measure: `values` is measures x topics x systems.

    `cube["AP"]` is the `Scores` of one measure, under any of its spellings. Missing cells are an error that names them
    unless `missing` says what to do, as in `Scores`.
    """

    AXES: ClassVar[Axes] = (("measures", "measure"), ("topics", "topic"), ("systems", "system"))

    values: Floats
    measures: Labels
    topics: Labels = None  # type: ignore[assignment]
    systems: Labels = None  # type: ignore[assignment]
    collection: str = ""
    notes: tuple[str, ...] = ()
    frame: str | None = None
    missing: InitVar[str] = "error"

    def __post_init__(self, missing: str) -> None:
        object.__setattr__(self, "measures", measure_labels(self.measures))
        self._settle(missing)

    @classmethod
    def stack(cls, scores: Iterable[Scores], *, missing: str = "error") -> ScoreCube:
        """One cube of several `Scores`, matched by the names of topics and systems."""
        layers = list(scores)
        if not layers:
            raise CallError("ScoreCube.stack() needs at least one Scores.")
        measures = [layer.measure or UNNAMED for layer in layers]
        check_unique(measures, "measure")
        topics = tuple(dict.fromkeys(topic for layer in layers for topic in layer.topics))
        systems = tuple(dict.fromkeys(system for layer in layers for system in layer.systems))
        row, column = ({label: i for i, label in enumerate(labels)} for labels in (topics, systems))
        values = np.full((len(layers), len(topics), len(systems)), np.nan)
        for layer, target in zip(layers, values, strict=True):
            target[np.ix_([row[t] for t in layer.topics], [column[s] for s in layer.systems])] = layer.values
        notes = tuple(dict.fromkeys(note for layer in layers for note in layer.notes))
        first = layers[0]
        return cls(values, tuple(measures), topics, systems, first.collection, notes, first.frame, missing=missing)

    def __len__(self) -> int:
        """The number of measures."""
        return len(self.measures)

    def __iter__(self) -> Iterator[str]:
        return iter(self.measures)

    def __contains__(self, measure: object) -> bool:
        return isinstance(measure, str) and canonical(measure) in self.measures

    def __getitem__(self, measure: str) -> Scores:
        at = positions(canonical(measure), self.measures, "measure")[0]
        return Scores(
            self.values[at], self.topics, self.systems, self.measures[at], self.collection, self.notes, self.frame,
            missing="keep",
        )  # fmt: skip

    def headline(self) -> str:
        where = f", {self.collection}" if self.collection else ""
        names = f" ({', '.join(self.measures[:6])}{', …' if len(self) > 6 else ''})"
        size = f"{count(len(self.systems), 'system')} x {count(len(self.topics), 'topic')}"
        return f"ScoreCube: {size} x {count(len(self), 'measure')}{names}{where}"

    def means(self) -> Floats:
        """The mean of each system by each measure: measures x systems."""
        return mean_over(self.values, 1)

    def ranking(self, measure: str | None = None, **options: Any) -> Ranking:
        """The ranking of the systems by their means of one measure."""
        return self[self._one(measure, "ranking()")].ranking(**options)

    def drop_worst(self, share: float = 0.25, *, by: str | None = None) -> ScoreCube:
        """Without the systems whose mean by the measure `by` is below the `share` quantile of the means (linear)."""
        measure = self._one(by, "drop_worst()")
        kept = drop_worst(self[measure].means(), share)
        note = f"bottom {share * 100:g} % by {measure} dropped: {count(len(self.systems) - len(kept), 'system')}"
        return self._with(note, values=self.values[:, :, kept], systems=tuple(self.systems[i] for i in kept))

    def select(
        self,
        *,
        measures: Iterable[str] | None = None,
        topics: Iterable[str] | None = None,
        systems: Iterable[str] | None = None,
    ) -> ScoreCube:
        """Only these measures, topics or systems, in the order given."""
        wanted = {"measures": measure_labels(measures), "topics": topics, "systems": systems}
        places: list[list[int]] = []
        labels: dict[str, Labels] = {}
        notes = []
        for name, one in self.AXES:
            own: Labels = getattr(self, name)
            chosen = wanted[name]
            taken = list(range(len(own))) if chosen is None else positions(chosen, own, one)
            places.append(taken)
            labels[name] = tuple(own[i] for i in taken)
            if chosen is not None:
                notes.append(f"{len(taken):,} of {count(len(own), one)} selected")
        return self._with("; ".join(notes) or None, values=self.values[np.ix_(*places)], **labels)

    def sample_topics(self, k: int, rng: int | np.random.Generator, *, replace: bool = False) -> ScoreCube:
        """`k` topics drawn at random, the same for all measures; with `replace` one drawn again is named `401#2`."""
        drawn, topics, note = draw_topics(self.topics, k, rng, replace)
        return self._with(note, values=self.values[:, drawn], topics=topics)

    def topic_wise(self) -> MeasureTable:
        """A row for each topic and system, a column a measure."""
        m = len(self.systems)
        topics = tuple(topic for topic in self.topics for _ in range(m))
        return self._table(self.values.reshape(len(self), -1).T, self.systems * len(self.topics), topics)

    def system_wise(self) -> MeasureTable:
        """A row for each system, a column a measure: means over topics."""
        return self._table(self.means().T, self.systems, None)

    def _table(self, values: Floats, systems: Labels, topics: Labels | None) -> MeasureTable:
        return MeasureTable(
            values, systems, self.measures, self.collection, topics, self.notes, self.frame, missing="keep"
        )  # fmt: skip

    def to_frame(self, backend: str | None = None, *, long: bool = False) -> Any:
        """A data frame of the caller's own kind: the columns topic, system and one a measure, or with `long` the
        columns system, topic, measure and value."""
        if not long:
            return self.topic_wise().to_frame(backend)
        k, n, m = self.shape
        return frame(
            {
                "system": list(self.systems) * (k * n),
                "topic": [topic for topic in self.topics for _ in range(m)] * k,
                "measure": [measure for measure in self.measures for _ in range(n * m)],
                "value": self.values.ravel(),
            },
            backend or self.frame,
        )

    def to_xarray(self) -> Any:
        """An xarray DataArray with the dimensions measure, topic and system."""
        coordinates = {name: list(getattr(self, axis)) for axis, name in self.AXES}
        return data_array(self.values, coordinates, "scores", self.collection, self.notes)

    def _one(self, measure: str | None, what: str) -> str:
        if measure is not None:
            return self.measures[positions(canonical(measure), self.measures, "measure")[0]]
        if len(self.measures) > 1:
            raise CallError(f"{what} of {len(self):,} measures: say which one, such as cube[{self.measures[0]!r}].")
        return self.measures[0]
