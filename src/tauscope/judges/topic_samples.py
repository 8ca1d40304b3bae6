"""Which topics should people judge next, and with which chances were they drawn?"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import numpy as np

from ..core import checking
from ..core.arrays import Floats, Ints, tally
from ..core.draws import Stream, stream
from ..data.labels import shown
from ..data.scores import Scores
from ..errors import AlignmentError, TauscopeError
from ..io.write import write_columns
from ..results import Plain, count, per_row

#: How topics are drawn.
DESIGNS = ("random", "scores", "disagreement")
#: Strata, where there are topics enough for two draws of each.
MOST_STRATA = 5


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class TopicSample(Plain):
    """Topics to give to assessors, in a random order, and the chances that `hybrid()` needs. Topics judged before come
    after those to judge, with stratum 0.

    Parameters
    ----------
    topic : tuple of str
        The topics. If assessors stop early, those that they judged are a random part of the sample.
    stratum : tuple of int
        Stratum of each, from 1, the lowest values first; 0 if it was judged before.
    chance : tuple of float
        The chance of each topic to be among those that people then have judged.
    judged : tuple of str
        "no" or "yes": whether people had judged it before.
    design : str
        "random", "scores" or "disagreement".
    of : int
        Number of topics to choose from, those judged before not counted.
    seed : int
        Seed of the draw.
    """

    QUESTION: ClassVar[str] = "topic_sample"
    topic: tuple[str, ...] = per_row()
    stratum: tuple[int, ...] = per_row()
    chance: tuple[float, ...] = per_row()
    judged: tuple[str, ...] = per_row()
    design: str
    of: int
    seed: int

    def __len__(self) -> int:
        """Return the number of topics that were drawn."""
        return self.judged.count("no")

    @property
    def topics(self) -> tuple[str, ...]:
        """The topics to judge next."""
        return self.topic[: len(self)]

    @property
    def chances(self) -> Mapping[str, float]:
        """The chance of each topic, those judged before among them, as `hybrid(…, chances=…)` takes them."""
        return dict(zip(self.topic, self.chance, strict=True))

    def write(self, path: str | Path) -> Path:
        """Write the list for assessors: topic, stratum, chance, and whether it is judged.

        Parameters
        ----------
        path : str or Path
            A CSV or TSV file.

        Returns
        -------
        Path
            Where it was written. `tauscope hybrid --chances` reads it back.
        """
        return write_columns(self.columns(), path)

    def cited(self) -> tuple[str, ...]:
        return ("horvitz1952", "neyman1934") if self.design == "disagreement" else ("horvitz1952",)


def sampled_topics(machine: Scores, topics: int, *, design: str, judged: Iterable[str], seed: int) -> TopicSample:
    """Draw topics of a judge that people have not judged; `Hybrid.next()` explains the arguments."""
    checking.one_of(design, DESIGNS, "design")
    before = list(map(str, judged))
    strangers = [topic for topic in before if topic not in set(machine.topics)]
    if strangers:
        raise AlignmentError(f"{count(len(strangers), 'judged topic')} the judge has not: {shown(strangers)}.")
    left = np.array([i for i, topic in enumerate(machine.topics) if topic not in set(before)], dtype=np.int64)
    wanted = checking.whole(topics, "choose", least=1)
    if wanted > len(left):
        raise TauscopeError(f"There are {len(left):,} topics to choose from, not {wanted:,}.")
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
    every = (*(machine.topics[i] for i in order), *before)
    return TopicSample(
        topic=every,
        stratum=(*(int(stratum[i]) + 1 for i in order), *(0 for _ in before)),
        chance=tuple(float(both[stratum[place[topic]]]) for topic in every),
        judged=(*("no" for _ in order), *("yes" for _ in before)),
        design=design,
        of=len(left),
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
