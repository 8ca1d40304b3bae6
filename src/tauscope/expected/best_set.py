"""Which systems could be the best?"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from .. import checking, papers
from ..arrays import Floats
from ..files.door import ScoresLike, takes_scores
from ..inference.corrections import rejected
from ..inference.few_topics import too_few_flips
from ..inference.observed import observed_scores
from ..inference.sign_flips import exceeded_p, flips_said
from ..jobs.seeds import Rng, remembered
from ..results import Result, count, word
from ..scores.additive import RestsOn
from ..scores.clusters import sampled
from ..scores.holes import PAIRWISE, settled
from .paired import paired_scores

#: Systems that a chart of the possible bests shows beside them.
MOST_OTHERS = 5


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class BestSet(Result):
    """The systems that could be the best: the truly best one is among them with confidence `level`.

    `len()` counts them, and `"bm25" in found` looks one up.

    Parameters
    ----------
    systems : tuple of str
        Those that could be the best, the one with the highest observed mean first.
    out_of : int
        How many systems there are.
    level : float
        With which confidence the truly best system is among them.
    seed : int
        The seed of the flips.
    topics : int
        How many topics there are, or clusters of them.
    clustered : int
        How many topics the clusters have, where whole clusters were taken for independent; else 0.
    rests_on : RestsOn or None
        Where cells are missing, how many the pairs rest on.
    """

    systems: tuple[str, ...]
    out_of: int
    level: float
    seed: int
    topics: int
    clustered: int = 0
    rests_on: RestsOn | None = field(default=None, repr=False)
    #: All systems, best observed first, with their means.
    _every: tuple[str, ...] = field(default=(), repr=False)
    _means: Floats = field(default_factory=lambda: np.zeros(0), repr=False)

    def __contains__(self, system: object) -> bool:
        return system in self.systems

    def __len__(self) -> int:
        return len(self.systems)

    def lines(self) -> list[str]:
        shown = ", ".join(self.systems[:10]) + (", …" if len(self.systems) > 10 else "")
        first = f"{count(len(self), 'system')} of {self.out_of:,} could be the best ({self.level * 100:g} %): {shown}"
        if self.rests_on is not None:
            return [first, self.rests_on.line()]
        return [first, f"{self.how}{too_few_flips(self.topics, self.level, sides=1)}"]

    def methods_sentence(self) -> str:
        """The sentence a paper needs: which systems could be the best, with which confidence, and by which test.

        Returns
        -------
        str
            One sentence, with the flips and the seed.
        """
        after = f"after {papers.short('mogstad2024')}"
        if self.rests_on is not None:
            how = self.rests_on.line()
        else:
            few = too_few_flips(self.topics, self.level, sides=1)
            against = f"one-sided max-t of each {word('system')} against all others"
            how = f"{against}, {flips_said(self.topics, self.seed, one_sided=True)}{few}"
        shown = ", ".join(self.systems[:10]) + (", …" if len(self.systems) > 10 else "")
        return (
            f"{len(self):,} of {count(self.out_of, 'system')} could be the best with {self.level * 100:g} % confidence "
            f"over {sampled(self.topics, self.clustered)}: {shown} ({how}; {after})."
        )

    @property
    def how(self) -> str:
        """How it was found, without what few topics do to it."""
        against = f"one-sided max-t of each {word('system')} against all others"
        return f"{against} over {sampled(self.topics, self.clustered)}, seed {self.seed}"

    def columns(self) -> dict[str, Any]:
        return {"system": list(self.systems)}

    def cited(self) -> tuple[str, ...]:
        return ("mogstad2024",)

    def plot(self) -> Any:
        """The means of those that could be the best, and of the first that could not."""
        from ..figures import BLUE, GREY, dots

        last = max(self._every.index(name) for name in self.systems) if self.systems else 0
        shown = slice(0, last + 1 + MOST_OTHERS)
        could = [name in self.systems for name in self._every[shown]]
        return dots(
            self._every[shown],
            self._means[shown],
            groups=["yes" if own else "no" for own in could],
            group="could be the best",
            x="mean",
            title=f"{count(len(self), 'system')} of {self.out_of:,} could be the best ({self.level * 100:g} %)",
            colours=(BLUE, GREY),
        )


@takes_scores("scores")
def best_set(scores: ScoresLike, *, missing: str = "error", level: float = 0.95, rng: Rng = 0) -> BestSet:
    """Which systems could be the best?

    Every system that no other one exceeds by more than chance: by as much as the largest of them comes when signs are
    flipped at random, topic by topic (mogstad2024, with flips). The truly best system is among them with confidence
    `level`, whatever the number of systems, where differences are about symmetric around their mean; a few topics that
    decide all can leave it out more often. Systems with equal means are kept or left out together. Do not use it to
    order the systems in it.

    Parameters
    ----------
    scores : Scores, or what read_scores() takes
        One row per topic, one column per system.
    missing : {"error", "pairwise", "zero", "drop-topics", "drop-systems"}, default "error"
        What a cell without a score means. "pairwise" compares two systems on the topics that both have, by paired
        t-tests with Bonferroni's correction, if missing has nothing to do with how the two differ; the others are those
        of `Scores`.
    level : float, default 0.95
        With which confidence the truly best system is among them.
    rng : int, Generator or None, default 0
        Seed of the flips; None takes a fresh one, which the result remembers.

    Returns
    -------
    BestSet
        The systems that could be the best.

    Raises
    ------
    CallError, TauscopeError
        As `rank_intervals()` does.

    Examples
    --------
    >>> from tauscope import Scores
    >>> scores = Scores([[0.9, 0.8, 0.1], [0.8, 0.9, 0.2], [0.9, 0.8, 0.1], [0.7, 0.8, 0.3], [0.9, 0.7, 0.2]] * 2)
    >>> best_set(scores).systems
    ('1', '2')
    """
    scores = settled(scores, missing, "best_set()", PAIRWISE)
    if scores.has_holes:
        paired = paired_scores(scores, "best_set")
        left = [
            name for name, could in zip(paired.names, paired.not_exceeded(checking.level(level)), strict=True) if could
        ]
        return BestSet(
            systems=tuple(left),
            out_of=len(paired.names),
            level=level,
            seed=remembered(rng),
            topics=len(scores.topics),
            rests_on=paired.rests_on("one-sided paired t-tests, Bonferroni"),
            _every=tuple(paired.names),
            _means=scores.as_read(paired.means * paired.unit),
        )
    observed = observed_scores(scores, "best_set()", clusters=True)
    level, seed = checking.level(level), remembered(rng)
    exceeded = rejected(exceeded_p(observed, seed), 1 - level)
    kept = [scores.systems[i] for i, worse in zip(observed.order, exceeded, strict=True) if not worse]
    return BestSet(
        systems=tuple(kept),
        out_of=observed.systems,
        level=level,
        seed=seed,
        topics=observed.topics,
        clustered=observed.clustered,
        _every=tuple(scores.systems[i] for i in observed.order),
        _means=scores.as_read(observed.means * observed.unit),
    )
