"""One system, topic by topic: where is it below its own average, and where is it over- or underrated? (radja2018
7.2.2)"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from .. import checking
from ..arrays import Floats
from ..errors import Advice, CallError
from ..files.door import takes_scores
from ..reference.rankings import midranks
from ..results import Result, count, number, word
from ..scores.alignment import aligned_scores, require_scores
from ..scores.labels import positions, shown


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class SystemProfile(Result):
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
    def _worse(self) -> str:
        return "above" if self.lower_is_better else "below"

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

    def lines(self) -> list[str]:
        below = self.below_average
        rank = f"mean rank {number(float(self.rank.mean()), 1)} of {count(self.systems, 'system')}"
        first = f"{self.system}: mean {number(self.mean, 4)} over {count(len(self.topics), 'topic')}, {rank}"
        second = f"{self._worse} its own mean on {len(below):,}, furthest on {', '.join(below[:5]) or 'none'}"
        if self.true_score is None:
            return [first, second]
        places = self.overrated
        over, under = int(np.count_nonzero(places > 0)), int(np.count_nonzero(places < 0))
        error = number(2 * _mean(self.score / 2 - self.true_score / 2), 4)
        most = ", ".join(
            f"{topic} {number(rise, 1)}" for topic, rise in (*self.most_overrated(2), *self.most_underrated(2))
        )
        left = f"; left out, on one side only: {shown(self.dropped)}" if self.dropped else ""
        third = f"against the truth: overrated on {over:,}, underrated on {under:,} (places: {most or 'none'})"
        return [first, second, f"{third}; mean score error {error}{left}"]

    def methods_sentence(self) -> str:
        """The sentence a paper needs: how one system fares on the topics, and where it is over- or underrated.

        Returns
        -------
        str
            One sentence, with the numbers of topics and systems.
        """
        first = (
            f"{self.system} scores {number(self.mean, 4)} on average over {count(len(self.topics), 'topic')}, where it "
            f"has a mean rank of {number(float(self.rank.mean()), 1)} of {count(self.systems, 'system')}, and is "
            f"{self._worse} its own mean on {len(self.below_average):,}"
        )
        if self.true_rank is None:
            return f"{first}{self._beside()}."
        places, left = self.overrated, f"left out, on one side only: {shown(self.dropped)}" if self.dropped else ""
        over, under = int(np.count_nonzero(places > 0)), int(np.count_nonzero(places < 0))
        ranked = f"ranks among all {word('systems')} on the {word('topic')}"
        return (
            f"{first}; against the truth it is overrated on {over:,} {word('topics')} and underrated on {under:,}"
            f"{self._beside(ranked, left)}."
        )

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

    def plot(self) -> Any:
        """Estimate against truth, one mark per topic; without a truth the distance from the mean."""
        from ..figures import bars, scatter

        if self.true_score is not None:
            names, title = list(self.topics), self.lines()[0]
            return scatter(self.true_score, self.score, names, x="truth", y="estimate", title=title, diagonal=True)
        order = np.argsort(self.score, kind="stable")
        places, names = np.arange(1.0, len(order) + 1), [self.topics[i] for i in order]
        x, away = f"{word('topics')}, lowest first", (self.score - self.mean)[order]
        return bars(places, away, names, x=x, y="score - mean", title=self.lines()[0])


@takes_scores("scores", "truth")
def system_profile(
    scores: Any, system: str, *, truth: Any = None, one_sided: str = "error", match: str = "exact"
) -> SystemProfile:
    """On which topics is a system below its own average, and on which does the estimate over- or underrate it?

    For error analysis (radja2018, section 7.2.2). With a truth, a system is overrated on a topic where `scores` gives
    it a better rank among all systems than `truth` does; ranks, because two judges may use different scales.

    Parameters
    ----------
    scores : Scores, or what read_scores() takes
        The matrix, topics x systems.
    system : str
        The name of the system.
    truth : Scores, or what read_scores() takes, optional
        The same topics and systems, judged by the truth.
    one_sided : "error" or "drop", default "error"
        What to do with topics and systems that only one side has: "drop" compares what both have, "error" names them.
    match : {"exact", "loose"}, default "exact"
        "loose" takes names of systems and topics for the same that differ by spelling only: spaces, case, leading
        zeros, ".0", or a word that all of them begin with. The notes say how many.

    Returns
    -------
    SystemProfile

    Raises
    ------
    CallError
        Where there is no such system, or the scores are not `Scores`.
    AlignmentError
        Where scores and truth are not of the same topics and systems.

    See Also
    --------
    correlate_topics

    Examples
    --------
    >>> from tauscope import Scores
    >>> judge = Scores([[3, 2, 1], [3, 1, 2], [1, 2, 3]], systems=list("ABC"))
    >>> human = Scores([[1, 2, 3], [3, 1, 2], [1, 2, 3]], systems=list("ABC"))
    >>> profile = system_profile(judge, "A", truth=human)
    >>> profile.below_average, profile.most_overrated()
    (('3',), [('1', 2.0)])
    """
    scores = require_scores(scores, "system_profile()", means=False, clusters=True)
    dropped: tuple[str, ...] = ()
    if truth is not None:
        same = aligned_scores(
            {"scores": scores, "truth": truth}, "system_profile()", one_sided, topics=True, match=match, clusters=True
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
