"""What the sections look at: the sides, and the choices of whoever asked for the page."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..results import count, word
from ..scores.matrix import UNNAMED
from .board import Board
from .parts import Name, Sentence, readable
from .sides import Side


@dataclass(frozen=True, kw_only=True, eq=False)
class Material:
    """`reference` is the only side, or the one that is right by definition; `estimate` is measured against it."""

    reference: Side
    estimate: Side | None = None
    second_reference: Side | None = None
    #: Several judges that are measured against the reference, instead of one estimate.
    judges: tuple[Side, ...] = ()
    #: Single people beside the reference, to see how far people agree.
    people: tuple[Side, ...] = ()
    #: Whether the reference is the mean of these people.
    pooled: bool = False
    #: An arena or a table of published scores, instead of scores on topics.
    board: Board | None = None
    #: The result that the page is about, instead of scores.
    result: Any = None
    #: How many topics it was found on, where no scores say so.
    result_topics: int = 0
    #: (topics, clusters) where topics come in clusters, which are the rows of the scores then.
    clusters: tuple[int, int] | None = None
    #: The measure that the page looks at; nothing where nobody named one.
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
    #: What the page is called where nobody says; nothing where the sides say it.
    title: str = ""
    command: str = ""
    #: Files that were read.
    files: tuple[str, ...] = ()
    #: What `evaluate()` was given, where there are judgments.
    runs: Any = None
    #: What was left out so that all sides have the same systems.
    notes: tuple[str, ...] = ()

    @property
    def sides(self) -> tuple[Side, ...]:
        """The sides that there are, the reference first."""
        known = (self.reference, self.estimate, self.second_reference, *self.judges, *self.people)
        return tuple(side for side in known if side is not None)

    @property
    def names(self) -> tuple[str, str]:
        """What the two sides are called: the estimate first, as in every call."""
        return (self.estimate.name if self.estimate else "", self.reference.name)

    @property
    def shown_names(self) -> tuple[str, str]:
        """The same for sentences that are made elsewhere, which cannot keep a name apart from their own words."""
        return (readable(self.names[0]), readable(self.names[1]))

    @property
    def by(self) -> Sentence:
        """The measure, or the two where the sides differ; empty where nobody named one."""
        named = [measure for measure in self._measures() if measure and measure != UNNAMED]
        return (Name(named[0]), " against ", Name(named[1])) if len(named) == 2 else tuple(map(Name, named))

    @property
    def same_measure(self) -> bool:
        """Whether both sides are scores by one measure, so that their scores can be compared, not only their ranks."""
        return len(self._measures()) == 1 and self.aggregate == "mean"

    @property
    def confidence(self) -> str:
        """The level of all intervals: '95 %'."""
        return f"{self.level * 100:g} %"

    @property
    def size(self) -> str:
        """'12 systems, 460 topics in 120 clusters'."""
        parts = [count(len(self.reference.systems), "system")]
        if self.board is not None and (self.board.size or self.board.topics):
            parts.append(self.board.size or f"{self.board.topics:,} {self.board.counts}")
        if self.clusters is not None:
            topics, clusters = self.clusters
            parts.append(f"{count(topics, 'topic')} in {count(clusters, 'cluster')}")
        elif self.reference.scores is not None:
            parts.append(count(len(self.reference.scores.topics), "topic"))
            values = self.reference.scores.values
            if holes := int(np.isnan(values).sum()):
                parts.append(f"{holes:,} of {values.size:,} scores missing")
        elif self.result_topics:
            parts.append(count(self.result_topics, "topic"))
        return ", ".join(parts)

    def called(self, side: Side) -> Sentence:
        """A side by its name, and the reference also by its role."""
        if side is not self.reference:
            return (Name(side.name),)
        return ("the reference",) if side.name == "reference" else (Name(side.name), " (the reference)")

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
        return (
            (
                f"These {tasks} were chosen, not sampled: intervals tell how far the result depends on which {tasks} "
                "of this kind are there, not what would happen on others.",
            ),
        )

    def _measures(self) -> list[str]:
        own = (side.scores for side in (self.estimate, self.reference) if side is not None)
        return list(dict.fromkeys(scores.measure for scores in own if scores is not None))
