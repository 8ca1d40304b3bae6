"""What `report()` is given, read and measured: scores, cubes and rankings, or runs and their judgments."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from .. import checking
from ..boards.bradley_terry import BradleyTerry, bradley_terry
from ..boards.published import PublishedScores
from ..boards.ranks import rank
from ..errors import Advice, CallError, Option
from ..evaluation.evaluate import evaluate
from ..evaluation.qrels import Qrels, read_qrels
from ..evaluation.runs import read_runs
from ..jobs.progress import Progress
from ..judges.audit import Audit
from ..judges.hybrid import Hybrid
from ..names import GUPTA2019, canonical
from ..ranking import Ranking
from ..results import count, word
from ..scores import ScoreCube, Scores
from ..scores.alignment import aligned_scores, require_one_scale
from ..scores.battles import Battles
from ..scores.loose import MATCH
from ..scores.scales import ONE_SCALE
from .board import Board, board_of_ranks
from .sides import Side, chosen_measure, cube_of, on_the_same, side_of, spelled_as

#: Measures computed from runs where none are asked for.
MEASURES = ("AP", "nDCG@20", "P@10", "RR")
#: What the sides are called where nobody says: the reference first.
JUDGES = ("human", "machine", "second human")


class Found(NamedTuple):
    """A result that a page is about, instead of scores on topics: its ranking, what the page is called, and the board
    where it has one."""

    result: Any
    ranking: Ranking
    title: str
    board: Board | None = None
    topics: int = 0


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
    #: How many of the last ones are single people, and whether their mean is the reference.
    people: int = 0
    pooled: bool = False
    #: (topics, clusters) where topics come in clusters, which are the rows then.
    clusters: tuple[int, int] | None = None

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
            if (found := scores.scales()) is not None and found.sure:
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
    people: Mapping[str, Any] | None = None,
    progress: Progress | None,
) -> Sources:
    """Whatever `report()` takes."""
    several = qrels is None and _several(source)
    if people and not several:
        raise CallError(
            "people= stands beside several judges, given as a dict of names and scores.",
            Advice("For one judge beside people, call report(audit(judge, people=people)).", shell=""),
        )
    pooled = several and truth is None and bool(people)
    if several:
        truth = _mean(people) if pooled and people else truth
        if truth is None:
            raise CallError(
                "Several judges are measured against a truth.",
                Advice("Call report(judges, truth=reference).", shell=""),
            )
        own = {
            **source,
            **{f"{name} (a person)" if name in source else name: one for name, one in (people or {}).items()},
        }
        scores = [cube_of(truth, "truth"), *(cube_of(one, f"The judge {name!r}") for name, one in own.items())]
        called = names or ("people" if pooled else "reference",)
        return _sources(
            (*called[:1], *own) if len(called) < len(scores) else called,
            scores,
            measure,
            clusters=_clusters(truth),
            several=True,
            people=len(people or {}),
            pooled=pooled,
        )
    if qrels is None:
        scores = [cube_of(source, "The source")]
        if truth is not None:
            scores.insert(0, cube_of(truth, "truth"))
        called = names or (("reference", "estimate") if truth is not None else ("ranking",))
        return _sources(called, scores, measure, clusters=_clusters(truth if truth is not None else source))
    if truth is not None:
        raise CallError(
            "truth and qrels both say who is the reference.",
            Advice("Give one of them: with qrels it is the first."),
        )
    judgments = _judgments(qrels)
    if len(judgments) > 1:
        source = read_runs(source)  # once for all judges
    made = [evaluate(source, one, _wanted(measure, measures), progress=progress) for one in judgments]
    called = names or (JUDGES[: len(judgments)] if len(judgments) > 1 else ("judgments",))
    return _sources(called, made, measure, qrels=judgments, runs=source)


def _sources(
    called: tuple[str, ...], scores: Sequence[ScoreCube | Ranking], measure: str | None, **more: Any
) -> Sources:
    if len(called) < len(scores):
        raise CallError(f"names={called!r}: give {len(scores)} of them, the reference first.")
    focus = next((chosen_measure(one, measure) for one in scores if isinstance(one, ScoreCube)), "")
    return Sources(names=called, scores=scores, asked=measure, measure=focus, **more)


def _clusters(source: Any) -> tuple[int, int] | None:
    own = source.clusters if isinstance(source, Scores) else None
    return None if own is None else (len(source.topics), len(set(own.values())))


def _mean(people: Mapping[str, Any]) -> Scores:
    """The mean of people's scores, on the systems and topics that all have."""
    if len(people) < 2 or not all(isinstance(one, Scores) for one in people.values()):
        raise CallError(
            "Without a truth the mean of people is the reference, and there must be at least two of them.",
            Option("truth", effect="with the scores that judges are measured against"),
        )
    same = aligned_scores(dict(people), "report()", "error").scores
    return same[0].changed(None, values=np.mean([one.values for one in same], axis=0), collection="")


def _several(source: Any) -> bool:
    """Whether these are judges by name."""
    return (
        isinstance(source, Mapping)
        and len(source) > 1
        and all(isinstance(s, (Scores, ScoreCube)) for s in source.values())
    )


def found_from(source: Any, level: float, seed: int) -> Found | None:
    """An arena, published scores, people and a judge together, or an audit; None where it is none of them."""
    if isinstance(source, Battles):
        source = bradley_terry(source)
    if isinstance(source, BradleyTerry):
        board = board_of_ranks(
            rank(source, level=level, rng=seed), source.assumes, source.battles_each, score="Elo", counts="battles"
        )
        return Found(source, source.ranking(), "Arena", board)
    if isinstance(source, PublishedScores):
        ranks = rank(source, level=level, rng=seed)
        board = board_of_ranks(ranks, source.assumes, None, score="score", counts="votes")
        return Found(source, source.ranking(), "Published scores", board)
    if isinstance(source, Hybrid):
        ranks = rank(source, level=level, rng=seed)
        board = board_of_ranks(ranks, source.assumes, None, score="estimate", counts=word("topics"))
        judged = f"{source.human_topics:,} of them judged by people"
        board = replace(board, size=f"{count(source.judge_topics, 'topic')}, {judged}")
        return Found(source, Ranking.from_means(source.estimates, source.systems), "People and a judge together", board)
    if isinstance(source, Audit):
        who = f"Audit of {count(len(source.judges), 'judge')}" if len(source.judges) > 1 else "Audit of a judge"
        return Found(source, source.people_ranking(), who, topics=source.topics)
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
