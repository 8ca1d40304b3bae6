"""What `report()` is given, read and measured: scores, cubes and rankings, or runs and their judgments."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from .. import checking
from ..boards.bradley_terry import ELO, BradleyTerry, bradley_terry
from ..boards.published import PublishedScores
from ..errors import Advice, CallError
from ..evaluation.evaluate import evaluate
from ..evaluation.qrels import Qrels, read_qrels
from ..evaluation.runs import read_runs
from ..jobs.progress import Progress
from ..judges.hybrid import Hybrid
from ..names import GUPTA2019, canonical
from ..ranking import Ranking
from ..results import word
from ..scores import ScoreCube, Scores
from ..scores.alignment import require_one_scale
from ..scores.battles import Battles
from ..scores.loose import MATCH
from ..scores.scales import ONE_SCALE
from .board import Board, board_of_ranks
from .sides import Side, chosen_measure, cube_of, on_the_same, side_of, spelled_as

#: Measures computed from runs where none are asked for.
MEASURES = ("AP", "nDCG@20", "P@10", "RR")
#: What the sides are called where nobody says: the reference first.
JUDGES = ("human", "machine", "second human")


class Printed(NamedTuple):
    """A board that does not come from scores on topics: the result that it is made from, and its ranking."""

    board: Board
    result: Any
    ranking: Ranking


@dataclass(frozen=True, kw_only=True, eq=False)
class Sources:
    """The reference first, then what is measured against it."""

    names: tuple[str, ...]
    scores: Sequence[ScoreCube | Ranking]
    #: The measure that was asked for, and the one that the page looks at.
    asked: str | None
    measure: str
    qrels: Sequence[Qrels] = ()
    runs: Any = None
    #: Whether several judges are measured against the reference, instead of one.
    several: bool = False

    def matched(self, match: str) -> tuple[Sources, list[str]]:
        """The same with systems and topics spelled as the reference spells them, where `match` is "loose"."""
        checking.one_of(match, MATCH, "match")
        if match == "exact":
            return self, []
        reference, *others = self.scores
        found = [spelled_as(one, reference) for one in others]
        told = [note for name, (_, notes) in zip(self.names[1:], found, strict=False) for note in notes(name)]
        return replace(self, scores=[reference, *(one for one, _ in found)]), told

    def aggregate(self, asked: str | None, *, leaderboard: bool) -> str:
        """What scores are made into: what was asked for, or their mean, or of a board on several scales z-scores."""
        if asked is not None:
            return asked
        for one in self.scores:
            if isinstance(one, Ranking):
                continue
            scores = one[self._measure_of(one)]
            if scores.scales() is not None:
                if leaderboard:
                    return ONE_SCALE[0]
                require_one_scale(scores, "report()", argument=True)
        return "mean"

    def sides(
        self, *, aggregate: str, topic_groups: Mapping[str, str] | None, one_sided: str
    ) -> tuple[list[Side], list[str]]:
        """The sides of the page on the same systems, and what was left out for that."""
        judged = (*self.qrels, *(None for _ in self.scores))
        sides = [
            side_of(
                str(name), one, self._measure_of(one), aggregate=aggregate, topic_groups=topic_groups, qrels=judgments
            )
            for name, one, judgments in zip(self.names, self.scores, judged, strict=False)
        ]
        return on_the_same(sides, one_sided) if len(sides) > 1 else (sides, [])

    def _measure_of(self, source: ScoreCube | Ranking) -> str:
        """The measure in focus on this side; a side with one unnamed measure has no choice."""
        if isinstance(source, Ranking) or self.measure in source or len(source.measures) > 1:
            return self.measure
        return source.measures[0] if self.asked is None else self.measure


def sources_of(
    source: Any,
    truth: Any,
    qrels: Any,
    *,
    measure: str | None,
    measures: Any,
    names: tuple[str, ...] | None,
    progress: Progress | None,
) -> Sources:
    """Whatever `report()` takes."""
    judgments: list[Qrels] = []
    scores: list[ScoreCube | Ranking]
    several = qrels is None and _several(source)
    if several:
        if truth is None:
            raise CallError(
                "Several judges are measured against a truth.",
                Advice("Call report(judges, truth=reference).", shell=""),
            )
        scores = [cube_of(truth, "truth"), *(cube_of(one, f"The judge {name!r}") for name, one in source.items())]
        called = names or ("reference", *map(str, source))
    elif qrels is None:
        scores = [cube_of(source, "The source")]
        if truth is not None:
            scores.insert(0, cube_of(truth, "truth"))
        called = names or (("reference", "estimate") if truth is not None else ("ranking",))
    else:
        if truth is not None:
            raise CallError(
                "truth and qrels both say who is the reference.",
                Advice("Give one of them: with qrels it is the first."),
            )
        judgments = _judgments(qrels)
        if len(judgments) > 1:
            source = read_runs(source)  # once for all judges
        scores = [evaluate(source, one, _wanted(measure, measures), progress=progress) for one in judgments]
        called = names or (JUDGES[: len(judgments)] if len(judgments) > 1 else ("judgments",))
    if len(called) < len(scores):
        raise CallError(f"names={called!r}: give {len(scores)} of them, the reference first.")
    return Sources(
        names=called,
        scores=scores,
        asked=measure,
        measure=next((chosen_measure(one, measure) for one in scores if isinstance(one, ScoreCube)), ""),
        qrels=judgments,
        runs=source if qrels is not None else None,
        several=several,
    )


def _several(source: Any) -> bool:
    """Whether these are judges by name."""
    return (
        isinstance(source, Mapping)
        and len(source) > 1
        and all(isinstance(s, (Scores, ScoreCube)) for s in source.values())
    )


def board_from(source: Any, level: float, seed: int) -> Printed | None:
    """The board of an arena, of published scores, or of people and a judge; None where it is none of them."""
    if isinstance(source, Battles):
        source = bradley_terry(source)
    if isinstance(source, BradleyTerry):
        found = board_of_ranks(source.ranks(level=level, rng=seed), source.battles_each, score="Elo", counts="battles")
        return Printed(replace(found, scores=source.elo(), errors=ELO * source.errors), source, source.ranking())
    if isinstance(source, PublishedScores):
        found = board_of_ranks(source.ranks(level=level, rng=seed), None, score="score", counts="votes")
        return Printed(replace(found, scores=source.scores, errors=source.errors), source, source.ranking())
    if isinstance(source, Hybrid):
        found = board_of_ranks(source.ranks, None, score="estimate", counts=word("topics"))
        return Printed(found, source, Ranking.from_means(source.estimates, source.systems))
    return None


def _judgments(qrels: Any) -> list[Qrels]:
    given = list(qrels) if isinstance(qrels, (list, tuple)) else [qrels]
    if not 1 <= len(given) <= len(JUDGES):
        raise CallError(f"{len(given)} qrels: give one, or a human and a machine judge, or these and a second human.")
    return [read_qrels(one) for one in given]


def _wanted(measure: str | None, measures: Any) -> list[str]:
    """What to compute: the measure in focus and the others, each once."""
    wanted = [measures] if isinstance(measures, str) else list(measures or MEASURES)
    wanted = list(GUPTA2019) if wanted == ["gupta2019"] else wanted
    if measure is not None and canonical(measure) not in map(canonical, wanted):
        wanted.insert(0, measure)
    return wanted
