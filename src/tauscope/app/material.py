"""From a state and the files of a session to the question with its scores."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass, field
from typing import Any

from ..boards.published import PublishedScores
from ..errors import Advice, CallError, Option, TauscopeError
from ..names import canonical
from ..page.sources import MEASURES
from ..ranking import Ranking
from ..scores import ScoreCube, Scores
from ..scores.battles import Battles
from .questions import Board, ManyJudges, Measured, OneJudge, OneSet, Question
from .reading import Understood
from .shelf import Shelf
from .state import State
from .tasks import measure_runs

#: Evaluations and questions that are kept.
KEPT = 64


@dataclass(kw_only=True)
class Material:
    """Scores of the files of a session, as a state asks for them."""

    shelf: Shelf
    _measured: OrderedDict[Any, ScoreCube] = field(default_factory=OrderedDict)
    _asked: OrderedDict[str, Question] = field(default_factory=OrderedDict)

    async def question(self, state: State) -> Question:
        """The question of a state; where it is asked again, the same one."""
        key = state.without(tied_within=0.0, top_k=None, margin=None, coefficient="tau_b", rule="mean").to_text()
        for id in state.files():
            if id not in self.shelf.files:
                raise CallError("A file of this question is not here.", Advice("Drop it again, and it goes on."))
        key = f"{key} {','.join(self.shelf.files)}"
        if key not in self._asked:
            self._asked[key] = await self._question(state)
            _trim(self._asked)
        self._asked.move_to_end(key)
        return _with_state(self._asked[key], state)

    async def _question(self, state: State) -> Question:
        groups = (await self._found(state, state.groups)).found if state.groups else {}
        if not state.sources:
            raise CallError("Nothing is chosen yet: say which file the question is about.")
        out = Left(state, groups)
        common: dict[str, Any] = {"state": state, "groups": groups}
        called = self.shelf.labels()
        names = [called[id] for id in state.sources]
        if state.question in ("judge", "judges"):
            if not state.truth:
                raise CallError("Say which file is the truth.")
            truth, name = out.of(await self._side(state, state.truth)), called[state.truth]
            if state.question == "judge":
                estimate = out.of(await self._side(state, state.sources[0]))
                judged = await self._judged(state)
                return OneJudge(estimate=estimate, truth=truth, names=(names[0], name), judged=judged, **common)
            found = [_scores(out.of(await self._side(state, id))) for id in state.sources]
            if len(found) < 2:
                raise CallError("Several judges are two or more.")
            return ManyJudges(judges=dict(zip(names, found, strict=True)), truth=_scores(truth), name=name, **common)
        side = out.of(await self._side(state, state.sources[0]))
        if isinstance(side, (Battles, PublishedScores)):
            return Measured(board=side, name=names[0], **common)
        kind = OneSet if state.question == "set" else Board
        return kind(scores=_scores(side), name=names[0], **common)

    async def _judged(self, state: State) -> Any:
        """Runs and judgments, where both sides are made of them and nothing is left out."""
        sides = (state.truth, state.sources[0])
        kinds = {(await self._found(state, id)).kind for id in sides}
        if kinds != {"judgments"} or state.without_systems or state.without_groups or state.without_topics:
            return None
        runs = tuple(self.shelf[run].path for run in await self.runs(state))
        return runs, tuple(self.shelf[id].path for id in sides)

    async def _found(self, state: State, id: str) -> Understood:
        understood = await self.shelf.read(id, state.reading.get(id, {}))
        if understood.found is None:
            raise CallError(f"{self.shelf[id].name} could not be read yet: see what it says there.")
        return understood

    async def _side(self, state: State, id: str) -> Any:
        """Scores by the measure of the state; a list of systems, battles and printed scores as they are."""
        understood = await self._found(state, id)
        if understood.kind == "run":
            raise CallError("A run is measured by judgments: drop its qrels, and choose them.")
        if understood.kind == "judgments":
            cube = await self.measured(state, id)
        elif understood.kind == "scores":
            cube = understood.found
        else:
            return understood.found
        return cube[_measure_in(cube, state.measure, self.shelf[id].name)]

    async def measured(self, state: State, id: str) -> ScoreCube:
        """All runs by the judgments of one file."""
        runs = await self.runs(state)
        if not runs:
            raise CallError("Judgments alone rank nothing: drop the runs as well.")
        wanted = list(MEASURES)
        if state.measure and canonical(state.measure) not in map(canonical, wanted):
            wanted.append(state.measure)
        key = id, tuple(runs), tuple(wanted), state.names
        if key not in self._measured:
            paths = [self.shelf[run].path for run in runs]
            self._measured[key] = await self.shelf.pool.run(
                measure_runs, paths, self.shelf[id].path, wanted, state.names
            )
            _trim(self._measured)
        return self._measured[key]

    async def runs(self, state: State) -> list[str]:
        """The ids of all runs."""
        ids = []
        for id in self.shelf.files:
            if (await self.shelf.read(id, state.reading.get(id, {}))).kind == "run":
                ids.append(id)
        return ids

    async def choices(self, state: State) -> dict[str, Any]:
        """What can be chosen or left out: measures, systems, groups and topics of the files in question."""
        groups = (await self._found(state, state.groups)).found if state.groups else {}
        measures: dict[str, None] = {}
        systems: dict[str, None] = {}
        topics: dict[str, None] = {}
        for id in dict.fromkeys((state.truth, *state.sources)):
            if not id:
                continue
            understood = await self._found(state, id)
            cube = await self.measured(state, id) if understood.kind == "judgments" else understood.found
            measures.update(dict.fromkeys(getattr(cube, "measures", ())))
            systems.update(dict.fromkeys(map(str, getattr(cube, "systems", getattr(cube, "labels", ())))))
            topics.update(dict.fromkeys(getattr(cube, "topics", ())))
        own = {name: group for name, group in groups.items() if name in systems}
        return {
            "measures": list(measures),
            "systems": list(systems),
            "topics": list(topics),
            "groups": sorted(set(own.values())),
            "group_of": own,
        }


class Left:
    """What is left when systems, groups and topics are left out."""

    def __init__(self, state: State, groups: Any) -> None:
        self._systems = {*state.without_systems}
        self._systems |= {name for name, group in groups.items() if group in state.without_groups}
        self._topics = {*state.without_topics}

    def of(self, side: Any) -> Any:
        """The side without them."""
        if isinstance(side, Scores):
            kept = {
                axis: [label for label in getattr(side, axis) if label not in out]
                for axis, out in (("systems", self._systems), ("topics", self._topics))
                if out & set(getattr(side, axis))
            }
            _check_left(kept)
            return side.select(**kept) if kept else side
        if isinstance(side, Battles) and self._systems & set(side.systems):
            return side.select(systems=[name for name in side.systems if name not in self._systems])
        if isinstance(side, Ranking) and self._systems & set(side.labels):
            return Ranking({name: side[name] for name in side.labels if name not in self._systems})
        if isinstance(side, PublishedScores) and self._systems & set(side.systems):
            raise TauscopeError("From a published board nothing can be left out: its errors belong together.")
        return side


def _check_left(kept: dict[str, list[str]]) -> None:
    for axis, labels in kept.items():
        if not labels:
            raise CallError(
                f"All {axis} are left out.", Option(f"without_{axis}", [], effect=f"to have the {axis} back")
            )


def _scores(side: Any) -> Scores:
    if not isinstance(side, Scores):
        raise CallError("This question takes scores on topics.", Advice("Choose another file, or another question."))
    return side


def _measure_in(cube: ScoreCube, measure: str, name: str) -> str:
    """The measure that was asked for; a file with one measure has no choice."""
    if len(cube.measures) == 1 or not measure:
        return cube.measures[0]
    if canonical(measure) not in cube.measures:
        raise CallError(
            f"{name} does not have the measure {measure!r}.",
            Option("measure", *cube.measures[:8], effect="to look at that one"),
        )
    return measure


def _with_state(question: Question, state: State) -> Question:
    from dataclasses import replace

    return replace(question, state=state)


def _trim(kept: OrderedDict[Any, Any]) -> None:
    while len(kept) > KEPT:
        kept.popitem(last=False)
