"""`choose_topics()`: which topics should people judge next, and with which chances were they drawn?"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from .. import checking
from ..arrays import Floats, Ints, tally
from ..errors import AlignmentError, TauscopeError
from ..files import write_columns
from ..files.door import ScoresLike, takes_scores
from ..jobs.seeds import Rng, Stream, remembered, stream
from ..results import Result, count, number
from ..scores import Scores
from ..scores.alignment import require_scores
from ..scores.labels import shown

#: How topics are drawn.
DESIGNS = ("random", "scores", "disagreement")
#: Strata, where there are topics enough for two draws of each.
MOST_STRATA = 5
_SAID = {
    "random": "at random",
    "scores": "in strata by the judge's mean score of a topic, in proportion to their size",
    "disagreement": "in strata by how far systems are apart under the judge, more where they are (Neyman's allocation)",
}


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class TopicSample(Result):
    """Topics to give to assessors, in a random order, and the chances that `hybrid()` needs.

    Parameters
    ----------
    topics : tuple of str
        The topics to judge next; whoever stops early has a random part of them.
    strata : tuple of int
        The stratum of each, from 1, the lowest values first.
    chances : Mapping of str to float
        The chance of each topic that people then have judged, those judged before among them.
    design : str
        "random", "scores" or "disagreement".
    of : int
        How many topics there were to choose from, those judged before not counted.
    judged : int
        How many people had judged before.
    seed : int
        Repeats the draw.
    """

    topics: tuple[str, ...]
    strata: tuple[int, ...]
    chances: Mapping[str, float] = field(repr=False)
    design: str
    of: int
    judged: int
    seed: int

    def __len__(self) -> int:
        """How many topics were drawn."""
        return len(self.topics)

    def lines(self) -> list[str]:
        """The topics, and how they were drawn."""
        listed = ", ".join(self.topics[:8]) + (", …" if len(self) > 8 else "")
        own = [self.chances[topic] for topic in self.topics]
        before = f", beside {self.judged:,} judged before" if self.judged else ""
        return [
            f"{count(len(self), 'topic')} of {self.of:,} for people to judge: {listed}",
            f"drawn {_SAID[self.design]}{before}; chances {number(min(own))} to {number(max(own))}, seed {self.seed}",
        ]

    def methods_sentence(self) -> str:
        """The sentence a paper needs: how the topics were drawn.

        Returns
        -------
        str
            One sentence.
        """
        before = f", after {self.judged:,} that had been drawn at random" if self.judged else ""
        return (
            f"{count(len(self), 'topic')} of {self.of:,} were drawn {_SAID[self.design]}{before}, and their means are "
            f"weighted by the inverse of their chances (seed {self.seed})."
        )

    def columns(self) -> dict[str, Any]:
        """One row per topic, in the order in which to judge them."""
        own = [self.chances[topic] for topic in self.topics]
        return {"topic": list(self.topics), "stratum": list(self.strata), "chance": own}

    def write(self, path: str | Path) -> Path:
        """Write the list for assessors: topic, stratum, chance, and whether it is judged. Topics judged before come after
        those to judge, with stratum 0.

        Parameters
        ----------
        path : str or Path
            A CSV or TSV file.

        Returns
        -------
        Path
            Where it was written. `tauscope hybrid --chances` reads it back.
        """
        before = [topic for topic in self.chances if topic not in set(self.topics)]
        own = [self.chances[topic] for topic in (*self.topics, *before)]
        strata = [*self.strata, *(0 for _ in before)]
        judged = [*("no" for _ in self.topics), *("yes" for _ in before)]
        topics = [*self.topics, *before]
        return write_columns({"topic": topics, "stratum": strata, "chance": own, "judged": judged}, path)

    def cited(self) -> tuple[str, ...]:
        """Whose methods these are."""
        return ("horvitz1952", "neyman1934") if self.design == "disagreement" else ("horvitz1952",)

    def plot(self) -> Any:
        """The chance of each topic that was drawn, by stratum."""
        from ..figures import steps

        order = sorted(range(len(self)), key=lambda i: (self.strata[i], self.topics[i]))
        chances = np.array([self.chances[self.topics[i]] for i in order])
        labels = [self.topics[i] for i in order]
        return steps(labels, chances, x="topic, by stratum", y="chance", title=self.lines()[0].partition(":")[0])


@takes_scores("judge", in_order=("topics",))
def choose_topics(
    judge: ScoresLike, topics: int, *, design: str = "random", judged: Any = (), rng: Rng = 0
) -> TopicSample:
    """Which topics should people judge next, so that `hybrid()` stays unbiased?

    "random" gives all topics the same chance. "scores" makes strata of equal size by the mean score of a topic under
    the judge and draws from each in proportion, so that easy and hard topics are there as they are among all.
    "disagreement" makes strata by the standard deviation of the judge's scores over systems, and draws from each in
    proportion to its size times its mean deviation (neyman1934): topics that tell systems apart are drawn more often,
    and count less. Chances are those of being drawn at all; for topics that were judged before, drawn at random, they
    are p + (1 - p) q, p that of having been drawn then and q that of being drawn now.

    Topics of equal value stay in the judge's order. Do not choose topics by hand from what the judge says: no chance is
    known then, and no estimate is unbiased.

    Parameters
    ----------
    judge : Scores, or what read_scores() takes
        The judge's scores on all topics.
    topics : int
        How many to choose.
    design : {"random", "scores", "disagreement"}, default "random"
        How they are drawn.
    judged : Scores or iterable of str, default ()
        What people have judged already, a random sample of the judge's topics: it is not drawn again.
    rng : int, Generator or None, default 0
        Seed of the draw; None takes a fresh one, which the result remembers.

    Returns
    -------
    TopicSample
        The topics, `.chances` for `hybrid()`, and `.write()` for a list that one can hand to assessors.

    Raises
    ------
    AlignmentError
        Where a judged topic is not among the judge's.
    TauscopeError
        Where there are not so many topics left.

    See Also
    --------
    plan_hybrid : how many topics to choose.

    Examples
    --------
    >>> judge = Scores(np.random.default_rng(1).normal(size=(40, 3)))
    >>> sample = choose_topics(judge, 10, judged=["1", "2"])
    >>> len(sample), sorted(set(sample.chances.values()))
    (10, [0.3])
    """
    machine = require_scores(judge, "choose_topics()", "judge")
    checking.one_of(design, DESIGNS, "design")
    before = list(judged.topics if isinstance(judged, Scores) else map(str, judged))
    strangers = [topic for topic in before if topic not in set(machine.topics)]
    if strangers:
        raise AlignmentError(f"{count(len(strangers), 'judged topic')} the judge has not: {shown(strangers)}.")
    left = np.array([i for i, topic in enumerate(machine.topics) if topic not in set(before)], dtype=np.int64)
    wanted = checking.whole(topics, "topics", least=1)
    if wanted > len(left):
        raise TauscopeError(f"There are {len(left):,} topics to choose from, not {wanted:,}.")
    seed = remembered(rng)
    generator = stream(seed, Stream.TOPICS)
    stratum, sizes = _strata(machine.values, left, design, wanted)
    inside = tally(stratum[left], len(sizes))
    drawn = [generator.permutation(left[stratum[left] == h])[: sizes[h]] for h in range(len(sizes))]
    order = generator.permutation(np.concatenate(drawn))
    # What was judged before has the chance that its like had in both draws.
    first = len(before) / len(machine.topics)
    now = np.divide(sizes, inside, out=np.zeros(len(sizes)), where=inside > 0)
    both = first + (1 - first) * now
    place = {topic: i for i, topic in enumerate(machine.topics)}
    chosen = [machine.topics[i] for i in order]
    return TopicSample(
        topics=tuple(chosen),
        strata=tuple(int(stratum[i]) + 1 for i in order),
        chances={topic: float(both[stratum[place[topic]]]) for topic in (*chosen, *before)},
        design=design,
        of=len(left),
        judged=len(before),
        seed=seed,
    )


def _strata(values: Floats, left: Ints, design: str, wanted: int) -> tuple[Ints, Ints]:
    """The stratum of every topic, and how many to draw from each."""
    if design == "random":
        return np.zeros(len(values), np.int64), np.array([wanted])
    by = values.mean(axis=1) if design == "scores" else values.std(axis=1)
    count_of = max(1, min(MOST_STRATA, wanted // 2))
    stratum = np.empty(len(values), np.int64)
    stratum[np.argsort(by, kind="stable")] = np.arange(len(values)) * count_of // len(values)
    inside = tally(stratum[left], count_of)
    own = np.array([by[stratum == h].mean() for h in range(count_of)])
    pull = inside * (np.maximum(own, 1e-3 * max(own.max(), 1e-300)) if design == "disagreement" else 1.0)
    return stratum, allocated(pull, inside, wanted)


def allocated(pull: Floats, most: Ints, wanted: int, *, fewest: int = 1) -> Ints:
    """So many draws in proportion to `pull`, at least `fewest` from each stratum that has them, never more than it has."""
    found = np.minimum(fewest, most)
    while found.sum() < wanted:
        # The next draw goes where the fewest were made for the pull of the stratum.
        found[np.argmax(np.where(found < most, pull / (found + 0.5), -1.0))] += 1
    return found
