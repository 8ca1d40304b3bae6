"""`ScoreCube`: the scores of systems on topics by several measures."""

from __future__ import annotations

import importlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import InitVar, dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from ..core.arrays import Floats
from ..core.checking import MAX_BYTES
from ..errors import CallError
from ..results import Note, Notes, count, shape
from .labels import Axes, Labelled, Labels, check_unique, mean_over, one_measure, positions
from .names import canonical
from .ranking import Ranking
from .scores import ALL_NEGATED, NEGATED, UNNAMED, Scores, data_array, draw_topics
from .table import MeasureTable, long_columns, measure_labels, system_wise, topic_wise

if TYPE_CHECKING:
    from ..core.checking import Rng


@dataclass(frozen=True, eq=False, repr=False)
class ScoreCube(Labelled):
    """How did each system do on each topic by each measure? A cube, measures x topics x systems.

    `cube["AP"]` is the `Scores` of one measure, under any of its spellings.

    Parameters
    ----------
    values : array
        Measures x topics x systems.
    measures : sequence of str
        The measures, in any of their spellings.
    topics, systems : sequence of str or None, default None
        Their names; numbered from 1 where there are none.
    collection : str, default ""
        What the collection is called in results.
    notes : tuple of Note or str, default ()
        What was done to the scores before.
    frame : str or None, default None
        The library of the data frame they came from, which `to_frame()` makes again.
    missing : {"error", "zero", "drop-topics", "drop-systems", "keep"}, default "error"
        What a missing cell means, as in `Scores`.

    Raises
    ------
    CallError
        Where the values have not three dimensions, or there are more or fewer names than they are long.
    TauscopeError
        Where a cell is missing or not finite, or a name is there twice.

    See Also
    --------
    read_cube : From files, frames and dicts.
    evaluate : From runs and judgments.

    Examples
    --------
    >>> cube = ScoreCube([[[0.1, 0.3]], [[0.2, 0.6]]], ["map", "P_10"], systems=["bm25", "dense"])
    >>> cube["P@10"].means().tolist()
    [0.2, 0.6]
    """

    AXES: ClassVar[Axes] = (("measures", "measure"), ("topics", "topic"), ("systems", "system"))

    values: Floats
    measures: Labels
    topics: Labels = None  # type: ignore[assignment]
    systems: Labels = None  # type: ignore[assignment]
    collection: str = ""
    notes: Notes = ()
    frame: str | None = None
    missing: InitVar[str] = "error"

    def __post_init__(self, missing: str) -> None:
        object.__setattr__(self, "measures", measure_labels(self.measures))
        self._settle(missing)

    @classmethod
    def read(
        cls,
        sources: Any,
        *,
        measures: Sequence[str] | None = None,
        missing: str = "error",
        format: str | None = None,
        collection: str = "",
        columns: Mapping[str, Any] | str | None = None,
        lower_is_better: bool | Sequence[str] = False,
        like: Any = None,
        max_bytes: int = MAX_BYTES,
    ) -> ScoreCube:
        """Read scores by several measures.

        Parameters
        ----------
        sources : path, list, dict or data frame
            What `Scores.read()` takes. Matrices that do not name their measure are given as {measure: file}.
        measures : sequence of str or None, default None
            Chooses and orders the measures; None for all, in the order of the files.
        missing, format, collection, columns, lower_is_better, like, max_bytes
            As in `Scores.read()`.

        Returns
        -------
        ScoreCube

        Raises
        ------
        FileError
            If a file cannot be read, or could be read in two ways.

        Examples
        --------
        >>> cube = ScoreCube.read({"bm25": {"AP": {"401": 0.1}, "P@10": {"401": 0.3}}})
        >>> cube.measures
        ('AP', 'P@10')
        """
        found: ScoreCube = importlib.import_module("tauscope.io.read").read_cube(
            sources,
            measures=measures,
            missing=missing,
            format=format,
            collection=collection,
            columns=columns,
            lower_is_better=lower_is_better,
            like=like,
            max_bytes=max_bytes,
        )
        return found

    @classmethod
    def stack(cls, scores: Iterable[Scores], *, missing: str = "error") -> ScoreCube:
        """One cube of several `Scores`, matched by the names of topics and systems.

        Parameters
        ----------
        scores : iterable of Scores
            Each by a measure of its own.
        missing : {"error", "zero", "drop-topics", "drop-systems", "keep"}, default "error"
            What a cell that one of them lacks means.

        Returns
        -------
        ScoreCube

        Examples
        --------
        >>> ScoreCube.stack([Scores([[0.1]], measure="AP"), Scores([[0.2]], measure="RR")]).measures
        ('AP', 'RR')
        """
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
        alike = len({layer.lower_is_better for layer in layers}) == 1
        notes = tuple(
            dict.fromkeys(
                Note(NEGATED, topics=(), measure=measure) if not alike and note == ALL_NEGATED else note
                for layer, measure in zip(layers, measures, strict=True)
                for note in layer.notes
            )
        )
        return cls(
            values,
            tuple(measures),
            topics,
            systems,
            collection=layers[0].collection,
            notes=notes,
            frame=layers[0].frame,
            missing=missing,
        )

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
            self.values[at],
            self.topics,
            self.systems,
            measure=self.measures[at],
            collection=self.collection,
            notes=self.notes,
            frame=self.frame,
            missing="keep",
        )

    def headline(self) -> str:
        where = f", {self.collection}" if self.collection else ""
        names = f" ({', '.join(self.measures[:6])}{', …' if len(self) > 6 else ''})"
        size = shape(count(len(self.systems), "system"), count(len(self.topics), "topic"), count(len(self), "measure"))
        return f"ScoreCube: {size}{names}{where}"

    def _shown(self) -> dict[str, Any]:
        layers = {name: self[name] for name in self.measures}
        return {"system": self.systems, **{f"mean {name}": own.as_read(own.means()) for name, own in layers.items()}}

    def _range(self) -> tuple[float, float]:
        low, high = super()._range()
        return (-high, -low) if all(self[name].lower_is_better for name in self.measures) else (low, high)

    def means(self) -> Floats:
        """What is the mean of each system by each measure, over the topics it has?

        Returns
        -------
        array
            Measures x systems.
        """
        return mean_over(self.values, 1)

    def ranking(self, measure: str | None = None, *, tied_within: Any = 0, lower_is_better: bool = False) -> Ranking:
        """In which order are the systems by their means of one measure?

        Parameters
        ----------
        measure : str or None, default None
            Which one, under any of its spellings; None where there is only one.
        tied_within, lower_is_better
            As in `Scores.ranking()`.

        Returns
        -------
        Ranking
            The best mean over topics first.

        Raises
        ------
        CallError
            Where there are several measures and none was chosen.
        """
        return self[one_measure(self.measures, measure, "ranking()")].ranking(
            tied_within=tied_within, lower_is_better=lower_is_better
        )

    def drop_worst(self, share: float = 0.25, *, by: str | None = None) -> ScoreCube:
        """The cube without the worst systems.

        Parameters
        ----------
        share : float, default 0.25
            Systems whose mean is below this quantile of the means (by linear interpolation) go.
        by : str or None, default None
            The measure that says which are the worst; None where there is only one.

        Returns
        -------
        ScoreCube
        """
        measure = one_measure(self.measures, by, "drop_worst()")
        return self._without_worst(self[measure].means(), share, f" by {measure}")

    def select(
        self,
        *,
        measures: Iterable[str] | None = None,
        topics: Iterable[str] | None = None,
        systems: Iterable[str] | None = None,
    ) -> ScoreCube:
        """The scores by some measures, on some topics or of some systems only.

        Parameters
        ----------
        measures, topics, systems : iterable of str or None, default None
            Their names, in the order wanted; None for all.

        Returns
        -------
        ScoreCube

        Raises
        ------
        TauscopeError
            Where a name is not there; the nearest spelling is offered.
        """
        return self._selected(measures=measure_labels(measures), topics=topics, systems=systems)

    def sample_topics(self, k: int, rng: Rng = 0, *, replace: bool = False) -> ScoreCube:
        """The scores on topics drawn at random, the same for all measures.

        Parameters
        ----------
        k, rng, replace
            As in `Scores.sample_topics()`.

        Returns
        -------
        ScoreCube
        """
        drawn, topics, note = draw_topics(self.topics, k, rng, replace)
        return self.changed(note, values=self.values[:, drawn], topics=topics)

    def topic_wise(self) -> MeasureTable:
        """The scores as a table with one row per topic and system, and one column per measure.

        Returns
        -------
        MeasureTable
        """
        return topic_wise(self, self.values, self.measures)

    def system_wise(self) -> MeasureTable:
        """The means over topics as a table with one row per system, and one column per measure.

        Returns
        -------
        MeasureTable
        """
        return system_wise(self, self.means(), self.measures)

    def _columns(self, long: bool) -> dict[str, Any]:
        return long_columns(self, self.values, self.measures) if long else self.topic_wise()._shown()

    def to_xarray(self) -> Any:
        """The scores as an xarray DataArray with the dimensions measure, topic and system.

        Returns
        -------
        xarray.DataArray
        """
        coordinates = {name: list(getattr(self, axis)) for axis, name in self.AXES}
        return data_array(self.values, coordinates, "scores", self.collection, self.notes)
