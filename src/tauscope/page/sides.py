"""What the sections look at: one or two sides of scores, and the choices of whoever asked for the page."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from dataclasses import dataclass, field
from typing import Any

from ..errors import CallError
from ..evaluation.qrels import Qrels
from ..jobs.progress import Progress
from ..ranking import Ranking
from ..results import count, word
from ..scores import ScoreCube, Scores
from ..scores.aggregation import rescaled
from ..scores.alignment import shared_labels
from ..scores.labels import shown
from ..scores.matrix import UNNAMED
from .parts import Name, Sentence, readable


@dataclass(frozen=True, eq=False)
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
        return tuple(str(label) for label in self.ranking.labels)

    @property
    def complete(self) -> Scores | None:
        """The scores, where no cell is missing."""
        return self.scores if self.scores is not None and not self.scores.has_holes else None


@dataclass(frozen=True, eq=False)
class Material:
    """`reference` is the only side, or the one that is right by definition; `estimate` is measured against it."""

    reference: Side
    estimate: Side | None = None
    second_reference: Side | None = None
    measure: str = ""
    coefficient: str | None = None
    tied_within: Any = None
    level: float = 0.95
    seed: int = 0
    margin: float | None = None
    target: float = 0.9
    groups: Mapping[str, str] | None = None
    leaderboard: bool = False
    aggregate: str = "mean"
    title: str = ""
    command: str = ""
    files: tuple[str, ...] = ()
    runs: Any = None
    notes: tuple[str, ...] = ()
    progress: Progress | None = field(default=None, repr=False)

    @property
    def sides(self) -> tuple[Side, ...]:
        return tuple(side for side in (self.reference, self.estimate, self.second_reference) if side is not None)

    @property
    def names(self) -> tuple[str, str]:
        """What the two sides are called: the estimate first, as in every call."""
        return (self.estimate.name if self.estimate else "", self.reference.name)

    @property
    def shown_names(self) -> tuple[str, str]:
        """The same for sentences that are made elsewhere, which cannot keep a name apart from their own words."""
        return (readable(self.names[0]), readable(self.names[1]))

    def called(self, side: Side) -> Sentence:
        """A side by its name, and the reference also by its role."""
        if side is not self.reference or side.name == "reference":
            return ("the reference",) if side is self.reference else (Name(side.name),)
        return (Name(side.name), " (the reference)")

    @property
    def by(self) -> Sentence:
        """The measure, or the two where the sides differ; empty where nobody named one."""
        own = [
            side.scores.measure
            for side in (self.estimate, self.reference)
            if side is not None and side.scores is not None
        ]
        named = [measure for measure in dict.fromkeys(own) if measure and measure != UNNAMED]
        return (Name(named[0]), " against ", Name(named[1])) if len(named) == 2 else tuple(map(Name, named))

    @property
    def same_measure(self) -> bool:
        """Whether both sides are scores by one measure, so that their scores can be compared, not only their ranks."""
        own = {
            side.scores.measure
            for side in (self.estimate, self.reference)
            if side is not None and side.scores is not None
        }
        return len(own) == 1 and self.aggregate == "mean"

    def heading(self, text: str, side: Side | None = None) -> Sentence:
        """A heading with the measure in it: of both sides, or of the one that the section is about."""
        own = side.scores.measure if side is not None and side.scores is not None else ""
        by = ((Name(own),) if own and own != UNNAMED else ()) if side is not None else self.by
        return (text, " · ", *by) if by else (text,)

    def caution(self) -> tuple[Sentence, ...]:
        """What stands beside every interval of a leaderboard."""
        if not self.leaderboard:
            return ()
        tasks = word("topics")
        return ((f"These {tasks} were chosen, not sampled: intervals tell how far the result depends on which {tasks} "
                 "of this kind are there, not what would happen on others."),),  # fmt: skip


def side_by_side(*steps: Callable[[], Any]) -> list[Any]:
    """The results of steps that do not depend on each other, in their order; NumPy lets go of the interpreter meanwhile."""
    contexts = [copy_context() for _ in steps]  # the user's words for systems and topics
    with ThreadPoolExecutor(2) as pool:
        return list(pool.map(lambda context, step: context.run(step), contexts, steps))


def cube_of(source: Any, what: str) -> ScoreCube | Ranking:
    """Scores of any shape as a cube, or a ranking where there are no topics."""
    if isinstance(source, ScoreCube):
        return source
    if isinstance(source, Scores):
        return ScoreCube(source.values[None], (source.measure or UNNAMED,), source.topics, source.systems,
                         source.collection, source.notes, source.frame, missing="keep")  # fmt: skip
    if isinstance(source, Ranking):
        return source
    if isinstance(source, Mapping) and source and all(isinstance(value, (int, float)) for value in source.values()):
        return Ranking(source)
    raise CallError(
        f"{what} is of type {type(source).__name__}; report() takes Scores, ScoreCube or Ranking. Read files with "
        "read_scores(), read_cube() or read_ranking(), or measure runs with evaluate()."
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
    task_groups: Mapping[str, str] | None = None,
    qrels: Qrels | None = None,
) -> Side:
    """A side with the scores of the measure in focus."""
    if isinstance(source, Ranking):
        labels = tuple(str(label) for label in source.labels)
        ranking = Ranking(source.scores, labels, tied_within=source.tied_within, lower_is_better=source.lower_is_better)
        return Side(name, ranking)
    scores = source[measure]
    notes = scores.notes
    if aggregate != "mean":
        scores = rescaled(scores, aggregate, task_groups)
        notes = scores.notes
    return Side(name, scores.ranking(), scores, source, qrels, notes)


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
    return [_only(side, found.kept) for side in sides], notes


def _only(side: Side, systems: list[str]) -> Side:
    if side.systems == tuple(systems):
        return side
    if side.scores is None or side.cube is None:
        own = side.ranking
        kept = Ranking([own[system] for system in systems], systems, tied_within=own.tied_within,
                       lower_is_better=own.lower_is_better)  # fmt: skip
        return Side(side.name, kept, notes=side.notes)
    scores = side.scores.select(systems=systems)
    return Side(side.name, scores.ranking(), scores, side.cube.select(systems=systems), side.qrels, side.notes)
