"""`neighbours()`: how many neighbours of a board can be told apart?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from .. import checking
from ..arrays import Bools, Floats
from ..files.door import ScoresLike, takes_scores
from ..inference.observed import observed_scores
from ..inference.pair_tests import student_p
from ..inference.sign_flips import flips_said, significantly_better
from ..jobs.seeds import Rng, remembered
from ..results import Result, count, fields_of, word
from ..scores.clusters import few_said, sampled


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Neighbours(Result):
    """Each system of a board beside the next one below it, and whether the two can be told apart.

    Attributes
    ----------
    above, below : tuple of str
        The two of each pair.
    difference : array
        Of their means.
    p : array
        Of the paired t-test, each pair taken alone.
    apart : array of bool
        Whether p is below 1 - level.
    apart_at_once : array of bool
        Whether they differ with all pairs of systems tested at once.
    identical : array of bool
        Whether the two have the same scores on every topic.
    level : float
        The confidence.
    topics : int
        How many topics there are, or clusters of them.
    seed : int
        The seed of the random numbers.
    clustered : int
        How many topics the clusters have, where whole clusters were taken for independent; else 0.
    """

    above: tuple[str, ...]
    below: tuple[str, ...]
    difference: Floats
    p: Floats
    apart: Bools
    apart_at_once: Bools
    identical: Bools
    level: float
    topics: int
    seed: int
    clustered: int = 0

    def __len__(self) -> int:
        """The number of neighbouring pairs."""
        return len(self.above)

    @property
    def told_apart(self) -> int:
        """How many pairs differ, each taken alone."""
        return int(self.apart.sum())

    @property
    def told_apart_at_once(self) -> int:
        """How many pairs differ with all pairs of systems tested at once."""
        return int(self.apart_at_once.sum())

    def lines(self) -> list[str]:
        """How many cannot be told apart, and what was tested."""
        pairs = f"{count(len(self), 'pair')} of neighbours"
        over = sampled(self.topics, self.clustered)
        copies = [f"{a} and {b}" for a, b, same in zip(self.above, self.below, self.identical, strict=True) if same]
        alike = f"; {count(len(copies), 'pair')} of copies: {', '.join(copies[:3])}" if copies else ""
        return [
            f"{len(self) - self.told_apart:,} of {pairs} cannot be told apart over {over}{alike}",
            f"paired t-test at {(1 - self.level) * 100:g} %, each pair taken alone; with all pairs of {word('systems')} "
            f"tested at once {len(self) - self.told_apart_at_once:,} cannot (max-t, seed {self.seed})"
            f"{few_said(self.topics, self.clustered)}",
        ]

    def methods_sentence(self) -> str:
        """The sentence a paper needs: how many neighbours cannot be told apart, alone and at once.

        Returns
        -------
        str
            One sentence, with the level, the flips and the seed.
        """
        copies = int(self.identical.sum())
        alike = f"; {count(copies, 'pair')} of copies" if copies else ""
        return (
            f"Of {count(len(self), 'pair')} of neighbours on a board of {count(len(self) + 1, 'system')} over "
            f"{sampled(self.topics, self.clustered)}, {len(self) - self.told_apart:,} cannot be told apart by a paired t-test at "
            f"{(1 - self.level) * 100:g} %, each pair taken alone, and {len(self) - self.told_apart_at_once:,} with all pairs "
            f"of {word('systems')} tested at once (max-t with step-down, {flips_said(self.topics, self.seed)}{alike}"
            f"{few_said(self.topics, self.clustered)}{self._after()})."
        )

    def columns(self) -> dict[str, Any]:
        """One row per pair."""
        found = {"above": list(self.above), "below": list(self.below), "difference": self.difference, "p": self.p}
        verdicts = fields_of(self, "apart", "apart_at_once", "identical")
        return found | {name: values.tolist() for name, values in verdicts.items()}

    def plot(self) -> Any:
        """One dot per pair at the difference of its means, in the colour of what can be said of it."""
        from ..figures import BLUE, GREEN, GREY, TWO_NAMES, dots

        verdicts = np.where(self.apart_at_once, "with all pairs at once", np.where(self.apart, "taken alone", "no"))
        return dots(
            [f"{a} – {b}" for a, b in zip(self.above, self.below, strict=True)],
            self.difference,
            groups=verdicts.tolist(),
            group="told apart",
            x="difference of means",
            title=self.lines()[0],
            colours={"with all pairs at once": BLUE, "taken alone": GREEN, "no": GREY},
            limit=TWO_NAMES,
        )

    def cited(self) -> tuple[str, ...]:
        """Whose correction it is."""
        return ("westfall1993",)


@takes_scores("scores")
def neighbours(scores: ScoresLike, *, level: float = 0.95, rng: Rng = 0) -> Neighbours:
    """How many neighbours of a board can be told apart?

    The paired t-test of each system and the next one below it over the topics or tasks that both have, uncorrected,
    because each answers its own question; and beside it what is left when all pairs of systems are tested at once
    (max-t over flips of signs, step-down). Tied means have p-value 1. Do not use it where tasks are few and unlike each
    other: a t-test takes them as a sample of tasks like these.

    Parameters
    ----------
    scores : Scores, or what read_scores() takes
        The board, without missing cells.
    level : float
        The confidence: pairs with a p-value below 1 - level differ.
    rng : int, Generator or None
        The seed of the flips of signs.

    Returns
    -------
    Neighbours

    See Also
    --------
    BradleyTerry.ranks, PublishedScores.ranks : The same for battles and for printed errors.

    Examples
    --------
    >>> from tauscope import Scores
    >>> values = [[0.9, 0.5, 0.5], [0.8, 0.6, 0.6], [0.9, 0.4, 0.4], [0.7, 0.6, 0.6]]
    >>> neighbours(Scores(values, systems=["a", "b", "copy of b"])).told_apart
    1
    """
    observed = observed_scores(scores, "neighbours()", clusters=True)
    checking.level(level)
    seed = remembered(rng)
    first, second = observed.pairs
    next_to = np.flatnonzero(second == first + 1)
    p = np.where(observed.tied[next_to], 1.0, student_p(observed)[next_to])
    names = [scores.systems[i] for i in observed.order]
    return Neighbours(
        above=tuple(names[:-1]),
        below=tuple(names[1:]),
        difference=observed.gaps[next_to] * observed.unit,
        p=p,
        apart=p < 1 - level,
        apart_at_once=np.diagonal(significantly_better(observed, level, seed), 1).copy(),
        identical=observed.identical[next_to],
        level=level,
        topics=observed.topics,
        seed=seed,
        clustered=observed.clustered,
    )
