"""One, two or three sides of scores on the same systems: what a page is about."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from ..errors import Advice, AlignmentError, CallError, Option
from ..evaluation.qrels import Qrels
from ..ranking import Ranking
from ..results import count, word
from ..scores import ScoreCube, Scores
from ..scores.aggregation import rescaled
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
        f"{what} is of type {type(source).__name__}; report() takes Scores, ScoreCube or Ranking.",
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
    everywhere = set.intersection(*(set(side.systems) for side in sides))
    shared = [system for system in sides[0].systems if system in everywhere]
    notes: list[str] = []
    for side in sides:
        only = [system for system in side.systems if system not in everywhere]
        if only and (one_sided == "error" or not shared):
            raise _one_sided(side, only, len(shared))
        if only:
            notes.append(f"{count(len(only), 'system')} only in {side.name} left out: {shown(only)}")
    return [side.only(shared) for side in sides], notes


def _one_sided(side: Side, only: list[str], shared: int) -> AlignmentError:
    return AlignmentError(
        f"{len(only):,} of {count(len(side.systems), 'system')} {'is' if len(only) == 1 else 'are'} only in "
        f"{side.name}: {shown(only)}.\nRankings are compared on the same {word('systems')}.",
        Option("one_sided", "drop", effect=f"to compare the {shared:,} that all have")
        if shared
        else Advice("Are they spelled alike?"),
    )


def _named(own: Ranking, scores: Any, names: Sequence[str]) -> Ranking:
    """These scores under these names, read as the ranking reads its own."""
    return Ranking(scores, names, tied_within=own.tied_within, lower_is_better=own.lower_is_better)


class Groups(dict[str, str]):
    """Name -> group, and the file that says so: a page lists the files it was made from."""

    file: str = ""


def read_groups(path: Path) -> Groups:
    """A two-column CSV, name and group; a first line `run,group`, `system,group` or the like is a header."""
    import csv

    from ..errors import FileError

    found = Groups()
    found.file = str(path)
    with path.open(encoding="utf-8-sig", newline="") as stream:
        for line, row in enumerate(csv.reader(stream), start=1):
            if not row or not any(cell.strip() for cell in row):
                continue
            if len(row) != 2:
                raise FileError(f"{path}:{line}: {len(row)} columns; a file of groups has two, name and group.")
            name, group = (cell.strip() for cell in row)
            if line == 1 and group.lower() == "group":
                continue
            if found.setdefault(name, group) != group:
                raise FileError(f"{path}:{line}: {name!r} is in {found[name]!r} and in {group!r}; give it one group.")
    if not found:
        raise FileError(f"{path}: there is no line of a name and its group.")
    return found
