"""One, two or three sides of scores on the same systems: what a page is about."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ..boards.bradley_terry import BradleyTerry, bradley_terry
from ..boards.published import PublishedScores
from ..errors import Advice, CallError
from ..evaluation.qrels import Qrels
from ..ranking import Ranking
from ..results import count
from ..scores import ScoreCube, Scores
from ..scores.aggregation import rescaled
from ..scores.alignment import shared_labels
from ..scores.battles import Battles
from ..scores.labels import shown
from ..scores.matrix import UNNAMED


@dataclass(frozen=True, kw_only=True, eq=False)
class Side:
    """One set of scores of the systems. `cube` and `scores` are None where only a ranking is known."""

    name: str
    ranking: Ranking
    scores: Scores | None = None
    cube: ScoreCube | None = None
    qrels: Qrels | None = None
    notes: tuple[str, ...] = ()

    @property
    def systems(self) -> tuple[str, ...]:
        """The names of the systems, in the order of the scores."""
        return tuple(str(label) for label in self.ranking.labels)

    @property
    def complete(self) -> Scores | None:
        """The scores, where no cell is missing."""
        return self.scores if self.scores is not None and not self.scores.has_holes else None

    def only(self, systems: Sequence[str]) -> Side:
        """The same side with these systems, in this order."""
        if self.systems == tuple(systems):
            return self
        if self.scores is None or self.cube is None:
            return replace(self, ranking=_named(self.ranking, [self.ranking[system] for system in systems], systems))
        scores = self.scores.select(systems=systems)
        return replace(self, ranking=scores.ranking(), scores=scores, cube=self.cube.select(systems=systems))


def cube_of(source: Any, what: str) -> ScoreCube | Ranking:
    """Scores of any shape as a cube, or a ranking where there are no topics."""
    if isinstance(source, (ScoreCube, Ranking)):
        return source
    if isinstance(source, Battles):
        source = bradley_terry(source, ties="half")
    if isinstance(source, (BradleyTerry, PublishedScores)):
        return source.ranking()
    if isinstance(source, Scores):
        return ScoreCube(
            source.values[None],
            (source.measure or UNNAMED,),
            source.topics,
            source.systems,
            collection=source.collection,
            notes=source.notes,
            frame=source.frame,
            missing="keep",
        )
    if isinstance(source, Mapping) and source and all(isinstance(value, (int, float)) for value in source.values()):
        return Ranking(source)
    raise CallError(
        f"{what} is of type {type(source).__name__}; report() takes Scores, ScoreCube or Ranking, Battles "
        "or PublishedScores.",
        Advice(
            "Read files with read_scores(), read_cube() or read_ranking(), or measure runs with evaluate().", shell=""
        ),
    )


def chosen_measure(cube: ScoreCube, wanted: str | None) -> str:
    """The measure in focus: the one asked for, or the first."""
    if wanted is None:
        return cube.measures[0]
    return cube[wanted].measure or UNNAMED


def side_of(
    name: str,
    source: ScoreCube | Ranking,
    measure: str,
    *,
    aggregate: str = "mean",
    topic_groups: Mapping[str, str] | None = None,
    qrels: Qrels | None = None,
) -> Side:
    """A side with the scores of the measure in focus."""
    if isinstance(source, Ranking):
        return Side(name=name, ranking=_named(source, source.scores, [str(label) for label in source.labels]))
    scores = source[measure]
    if aggregate != "mean":
        scores = rescaled(scores, aggregate, topic_groups)
    return Side(name=name, ranking=scores.ranking(), scores=scores, cube=source, qrels=qrels, notes=scores.notes)


def on_the_same(sides: Iterable[Side], one_sided: str) -> tuple[list[Side], list[str]]:
    """Sides with the same systems in the same order, and what was left out for that."""
    sides = list(sides)
    last = sides[1:] + sides[:1]  # systems come in the order of the last: the reference
    found = shared_labels([side.name for side in last], [side.systems for side in last], "system", one_sided)
    notes = [
        f"{count(len(only), 'system')} only in {side.name} left out: {shown(only)}"
        for side, only in zip(sides, found.only[-1:] + found.only[:-1], strict=True)
        if only
    ]
    return [side.only(found.kept) for side in sides], notes


def _named(own: Ranking, scores: Any, names: Sequence[str]) -> Ranking:
    """These scores under these names, read as the ranking reads its own."""
    return Ranking(scores, names, tied_within=own.tied_within, lower_is_better=own.lower_is_better)
