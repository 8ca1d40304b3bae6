"""One, two or three sides of scores on the same systems: what a page is about."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ..boards.bradley_terry import BradleyTerry, bradley_terry
from ..boards.published import PublishedScores
from ..errors import Advice, CallError, FileError, TauscopeError
from ..evaluation.qrels import Qrels
from ..files import read_ranking
from ..files.door import is_readable, scores_or_cube
from ..ranking import Ranking
from ..results import count
from ..scores import MeasureTable, ScoreCube, Scores
from ..scores.alignment import shared_labels
from ..scores.battles import Battles
from ..scores.clusters import rows_by_cluster
from ..scores.labels import shown
from ..scores.loose import pairs_shown, would_match
from ..scores.matrix import UNNAMED
from ..scores.oddities import oddities, oddities_of_pair


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
        if source.clusters is not None:
            source = rows_by_cluster(source, source.clusters)
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
    if not is_readable(source) and not isinstance(source, MeasureTable):
        raise CallError(
            f"{what} is of type {type(source).__name__}; report() takes Scores, ScoreCube or Ranking.",
            Advice(
                "Read files with read_scores(), read_cube() or read_ranking(), or measure runs with evaluate().",
                shell="",
            ),
        )
    try:
        found = scores_or_cube(source, "report()")
    except FileError as error:
        return _list_of_systems(source, error)
    if not isinstance(found, MeasureTable):
        return cube_of(found, what)
    raise CallError(
        f"{what} is a table of systems by measures; report() takes Scores, ScoreCube or Ranking, Battles or "
        "PublishedScores.",
        Advice("Of a table with one row per system, give one column: table.ranking('AP').", shell=""),
    )


def _list_of_systems(source: Any, error: FileError) -> Ranking:
    """The ranking of a list of systems and scores, where scores on topics could not be read."""
    try:
        return read_ranking(source)
    except TauscopeError:
        raise error from None


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
    scores = scores.aggregated(aggregate, topic_groups)
    return Side(name=name, ranking=scores.ranking(), scores=scores, cube=source, qrels=qrels, notes=scores.notes)


def spelled_as(
    own: ScoreCube | Ranking, reference: ScoreCube | Ranking
) -> tuple[ScoreCube | Ranking, Callable[[str], list[str]]]:
    """A source with the names of the reference where only the spelling differs, and what is said of it."""
    if isinstance(own, Ranking) or isinstance(reference, Ranking):
        names = [str(label) for label in (own.labels if isinstance(own, Ranking) else own.systems)]
        gold = [str(label) for label in (reference.labels if isinstance(reference, Ranking) else reference.systems)]
        found = would_match(names, gold)
        labels = tuple(found.get(name, name) for name in names)
        same = {"system": found}
        made: ScoreCube | Ranking = (
            _named(own, own.scores, labels) if isinstance(own, Ranking) else own.changed(None, systems=labels)
        )
    else:
        same = {
            "system": would_match(own.systems, reference.systems),
            "topic": would_match(own.topics, reference.topics),
        }
        made = own.changed(
            None,
            systems=tuple(same["system"].get(name, name) for name in own.systems),
            topics=tuple(same["topic"].get(name, name) for name in own.topics),
        )
    return made, lambda name: [
        f"{count(len(pairs), one)} of {name} matched loosely: {pairs_shown(list(pairs.items()), 1)}"
        for one, pairs in same.items()
        if pairs
    ]


def oddities_beside(sides: Sequence[Side]) -> list[str]:
    """What is odd about the scores of each side, and about each beside the reference."""
    own = [remark for side in sides if side.scores is not None for remark in oddities(side.scores)]
    reference, *others = sides
    pairs = [
        remark
        for side in others
        if side.scores is not None and reference.scores is not None
        for remark in oddities_of_pair(side.scores, reference.scores, (side.name, reference.name))
    ]
    return list(dict.fromkeys(str(remark) for remark in (*own, *pairs) if remark.severity == "warning"))


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
