"""From a state and the files of a session to the question with its scores."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from ..boards.published import PublishedScores
from ..errors import Advice, CallError, Option, TauscopeError
from ..names import canonical
from ..page.sources import MEASURES
from ..ranking import Ranking
from ..results import wording
from ..scores import ScoreCube, Scores
from ..scores.alignment import matched, shared_labels
from ..scores.battles import Battles
from .questions import Board, ManyJudges, Measured, OneJudge, OneSet, Question
from .reading import Understood
from .shelf import Shelf
from .state import State
from .tasks import measure_runs, words

#: Evaluations and questions that are kept.
KEPT = 16


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
        found = replace(self._asked[key], state=state)
        with wording(**words(found)):
            found.check()
        return found

    async def _question(self, state: State) -> Question:
        groups = (await self._found(state, state.groups)).found if state.groups else {}
        if not state.sources:
            raise CallError("Nothing is chosen yet.", Advice("Say which file the question is about."))
        out = Left(state, groups)
        common: dict[str, Any] = {"state": state, "groups": groups}
        called = self.shelf.labels()
        names = [called[id] for id in state.sources]
        if state.question in ("judge", "judges"):
            if not state.truth:
                raise CallError("There is no truth to compare with yet.", Advice("Say which file is the truth."))
            truth, name = out.of(await self._side(state, state.truth)), called[state.truth]
            if state.question == "judge":
                estimate = _ranked(out.of(await self._side(state, state.sources[0])))
                (estimate, truth), notes = _alike([estimate, _ranked(truth)], [names[0], name], state)
                common |= {"judged": await self._judged(state), "notes": notes}
                return OneJudge(estimate=estimate, truth=truth, names=(names[0], name), **common)
            found = [_scores(out.of(await self._side(state, id))) for id in state.sources]
            if len(found) < 2:
                raise CallError(
                    "Several judges are two or more, and one is chosen.",
                    Option("question", "judge", effect="to see whether this one can stand in"),
                    Advice("Choose another judge beside it."),
                )
            (*found, truth), notes = _alike([*found, _scores(truth)], [*names, name], state)
            judges = dict(zip(names, found, strict=True))
            return ManyJudges(judges=judges, truth=truth, name=name, notes=notes, **common)
        side = out.of(await self._side(state, state.sources[0]))
        if state.question == "board" and isinstance(side, (Battles, PublishedScores)):
            return Measured(board=side, name=names[0], **common)
        kind = OneSet if state.question == "set" else Board
        return kind(scores=_scores(side), name=names[0], **common)

    async def _judged(self, state: State) -> Any:
        """Runs and judgments, where both sides are made of them and nothing is left out."""
        sides = (state.truth, state.sources[0])
        kinds = {(await self._found(state, id)).kind for id in sides}
        if (
            kinds != {"judgments"}
            or state.match != "exact"
            or state.without_systems
            or state.without_groups
            or state.without_topics
        ):
            return None
        runs = tuple(self.shelf[run].path for run in await self.runs(state))
        return runs, tuple(self.shelf[id].path for id in sides)

    async def _found(self, state: State, id: str) -> Understood:
        understood = await self.shelf.read(id, state.reading.get(id, {}))
        if understood.found is None:
            raise CallError(
                f"{self.shelf[id].name} could not be read yet.", Advice("It stands among the files, with ways out.")
            )
        return understood

    async def _side(self, state: State, id: str) -> Any:
        """Scores by the measure of the state; a list of systems, battles and printed scores as they are."""
        understood = await self._found(state, id)
        if understood.kind == "run":
            raise CallError("A run is measured by judgments.", Advice("Drop its qrels, and choose them instead."))
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
            raise CallError("Judgments alone rank nothing.", Advice("Drop the runs as well."))
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
        self._state = state
        self._systems = {*state.without_systems}
        self._systems |= {name for name, group in groups.items() if group in state.without_groups}
        self._topics = {*state.without_topics}
        self._by_kind: dict[type, Callable[[Any], Any]] = {
            Scores: self._of_scores,
            Battles: self._of_battles,
            Ranking: self._of_list,
            PublishedScores: self._of_published,
        }

    def of(self, side: Any) -> Any:
        """The side without them."""
        if type(side) not in self._by_kind:
            raise CallError("This file ranks nothing.", Advice("Choose another one for this question."))
        return self._by_kind[type(side)](side)

    def _of_scores(self, scores: Scores) -> Scores:
        kept = {
            axis: [label for label in getattr(scores, axis) if label not in out]
            for axis, out in (("systems", self._systems), ("topics", self._topics))
            if out & set(getattr(scores, axis))
        }
        self._check(kept)
        return scores.select(**kept) if kept else scores

    def _of_battles(self, battles: Battles) -> Battles:
        kept = [name for name in battles.systems if name not in self._systems]
        self._check({"systems": kept})
        return battles.select(systems=kept) if len(kept) < len(battles.systems) else battles

    def _of_list(self, ranking: Ranking) -> Ranking:
        kept = [name for name in ranking.labels if name not in self._systems]
        self._check({"systems": kept})
        return Ranking({name: ranking[name] for name in kept}) if len(kept) < len(ranking) else ranking

    def _check(self, kept: Mapping[str, Sequence[Any]]) -> None:
        for axis, labels in kept.items():
            if labels:
                continue
            # Whatever leaves any of them out is a way back; having some back need not be enough for the question.
            lists = {"systems": ("systems", "groups"), "topics": ("topics",)}[axis]
            used = [name for name in lists if getattr(self._state, f"without_{name}")]
            raise CallError(
                f"All {axis} are left out.",
                *(Option(f"without_{name}", [], effect=f"to have the {name} back") for name in used),
            )

    def _of_published(self, board: PublishedScores) -> PublishedScores:
        if self._systems & set(board.systems):
            raise TauscopeError(
                "From a published board nothing can be left out: its errors belong together.",
                Option("without_systems", [], effect="to have the systems back"),
                Option("without_groups", [], effect="to have the groups back"),
            )
        return board


def _alike(sides: list[Any], names: list[str], state: State) -> tuple[list[Any], tuple[str, ...]]:
    """The sides spelled as the last one, where that was asked for, and notes on it; an error says what is not shared."""
    if not all(isinstance(side, Scores) for side in sides):
        return sides, ()
    same, notes = matched(sides, names, state.match)
    shared_labels(names, [side.systems for side in same], "system", state.one_sided)
    return list(same), tuple(notes)


_OTHER_FILE = Advice("Choose another file for this question.")
_AS_BOARD = Option("question", "board", effect="to rank what it holds")


def _ranked(side: Any) -> Scores | Ranking:
    if not isinstance(side, (Scores, Ranking)):
        raise CallError("A judge is compared by scores, or by a list.", _OTHER_FILE, _AS_BOARD)
    return side


def _scores(side: Any) -> Scores:
    if not isinstance(side, Scores):
        ways = [_AS_BOARD] if isinstance(side, (Battles, PublishedScores)) else []
        raise CallError("This question takes scores on topics.", _OTHER_FILE, *ways)
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


def _trim(kept: OrderedDict[Any, Any]) -> None:
    while len(kept) > KEPT:
        kept.popitem(last=False)
