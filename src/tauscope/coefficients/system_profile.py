"""One system, topic by topic: where is it below its own average, and where is it over- or underrated? (radja2018
7.2.2)"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from .. import checking
from ..arrays import Floats
from ..errors import Advice, CallError
from ..reference.rankings import midranks
from ..results import Plain
from ..scores.alignment import aligned_scores, require_scores
from ..scores.labels import positions


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class SystemProfile(Plain):
    """How does one system fare on every topic?

    Ranks are among all systems on that topic, 1 for the best, ties at the mean of their places.

    Attributes
    ----------
    system : str
        The system.
    topics : tuple of str
        The topics.
    score, rank : array of float
        Its score and its rank on each topic.
    mean : float
        The mean of its scores.
    systems : int
        How many systems there are.
    true_score, true_rank : array of float, or None
        The same by the truth, where there is one.
    dropped : tuple of str
        Topics and systems that only one side has.
    lower_is_better : bool
        Whether a lower score is better.
    """

    QUESTION: ClassVar[str] = "profile"

    system: str
    topics: tuple[str, ...]
    score: Floats
    rank: Floats
    mean: float
    systems: int
    true_score: Floats | None = None
    true_rank: Floats | None = None
    dropped: tuple[str, ...] = ()
    lower_is_better: bool = False

    @property
    def below_average(self) -> tuple[str, ...]:
        """Topics on which the system is worse than its own mean, the worst first."""
        away = self.score / 2 - self.mean / 2  # halves: no difference of huge scores overflows
        away = -away if self.lower_is_better else away
        order = np.argsort(away, kind="stable")
        edge = -5e-13 * float(np.abs(self.score).max(initial=0.0))
        return tuple(self.topics[i] for i in order if away[i] < edge)

    @property
    def mean_rank(self) -> float:
        """The mean of its ranks."""
        return float(self.rank.mean())

    @property
    def over(self) -> int:
        """The number of topics on which it is overrated."""
        return int(np.count_nonzero(self.overrated > 0))

    @property
    def under(self) -> int:
        """The number of topics on which it is underrated."""
        return int(np.count_nonzero(self.overrated < 0))

    def lowest(self) -> list[tuple[str, float]]:
        """Return topics and scores minus the mean, the worst first."""
        away = self.score - self.mean
        return [(self.topics[i], float(away[i])) for i in np.argsort(away, kind="stable")]

    @property
    def overrated(self) -> Floats:
        """Places by which the estimate puts the system above where the truth has it, topic by topic."""
        if self.true_rank is None:
            raise CallError(
                "Whether a system is overrated needs a truth.",
                Advice("Say it: system_profile(scores, system, truth=…)."),
            )
        return self.true_rank - self.rank

    def most_overrated(self, k: int = 5) -> list[tuple[str, float]]:
        """On which topics does the estimate put the system furthest above the truth, and by how many places?

        Parameters
        ----------
        k : int, default 5
            How many topics to list, the largest shift first.

        Returns
        -------
        list of (str, float)
        """
        return self._extreme(k, 1.0)

    def most_underrated(self, k: int = 5) -> list[tuple[str, float]]:
        """On which topics does the estimate put the system furthest below the truth, and by how many places?

        Parameters
        ----------
        k : int, default 5
            How many; places are negative.

        Returns
        -------
        list of (str, float)
        """
        return self._extreme(k, -1.0)

    def _extreme(self, k: int, sign: float) -> list[tuple[str, float]]:
        k, places = checking.whole(k, "k", least=1), self.overrated
        order = np.argsort(-sign * places, kind="stable")[:k]
        return [(self.topics[i], float(places[i])) for i in order if sign * places[i] > 0]

    def columns(self) -> Mapping[str, Any]:
        table: dict[str, Any] = {
            "topic": list(self.topics),
            "score": self.score,
            "from_mean": self.score - self.mean,
            "rank": self.rank,
        }
        if self.true_score is not None:
            table |= {"true_score": self.true_score, "true_rank": self.true_rank, "overrated": self.overrated}
        return table

    def cited(self) -> tuple[str, ...]:
        return ("radja2018",)


def system_profile(
    scores: Any, system: str, *, truth: Any = None, unmatched: str = "error", match: str = "exact"
) -> SystemProfile:
    """Compare the scores and ranks of one system on each topic, with those of a truth where there is one."""
    scores = require_scores(scores, "system_profile()", means=False, clusters=True)
    dropped: tuple[str, ...] = ()
    if truth is not None:
        same = aligned_scores(
            {"scores": scores, "truth": truth}, "system_profile()", unmatched, topics=True, match=match, clusters=True
        )
        (scores, truth), dropped = same.scores, same.dropped
    place = positions(str(system), scores.systems, "system")[0]
    own = scores.as_read(scores.values[:, place])
    known: dict[str, Any] = {}
    if truth is not None:
        known = {
            "true_score": truth.as_read(truth.values[:, place]),
            "true_rank": midranks(-truth.values)[:, place] + 1,
        }
    return SystemProfile(
        system=str(system),
        topics=scores.topics,
        score=own,
        rank=midranks(-scores.values)[:, place] + 1,
        mean=_mean(own),
        systems=len(scores.systems),
        dropped=dropped,
        lower_is_better=scores.lower_is_better,
        **known,
    )


def _mean(values: Floats) -> float:
    """The mean, by way of a power of two where the sum would overflow."""
    power = int(np.frexp(np.abs(values).max(initial=0.0))[1])
    return float(np.ldexp(np.ldexp(values, -power).mean(), power))
