"""What numbers of human topics and of the judge's would give, from what was seen so far."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ..arrays import Bools, Floats, blocks, product
from ..expected.normal_scores import NormalScores, drawn_truths
from ..expected.topics_needed import fewest
from ..jobs.draws import plan_draws
from ..jobs.seeds import Stream, stream
from .human_topics import LEAST_TOPICS
from .two_phase import TwoPhase
from .worth import Gaps, deviations_of


@dataclass(frozen=True, eq=False, kw_only=True)
class Model:
    """What a number of human topics and of the judge's gives, from what was seen so far."""

    data: TwoPhase
    scores: NormalScores
    goal: str
    top: int
    level: float
    seed: int

    def covariance(self, k: float, n: float) -> Floats:
        """Of the estimates of all systems, in the order of the scores; n = 0 or n <= k: people alone."""
        people, _, there, between = self.data.covariances
        b = self.data.slope_seen
        alone = people / k
        if n > k and b > 0:
            rest = (people - b * (between + between.T) + b * b * there) * self.data.short
            with_judge = rest / k + self.data.of_judge / n
            # A judge that makes it worse is left out.
            alone = with_judge if np.trace(with_judge) < np.trace(alone) else alone
        order = self.scores.order
        return np.asarray(alone[np.ix_(order, order)])

    def value(self, k: float, n: float) -> float:
        """The expected tau, the mean width of intervals of differences, or the share of the top found."""
        covariance = self.covariance(k, n)
        if self.goal == "top":
            return self._found(covariance)
        first, second = np.triu_indices(self.scores.size, 1)
        errors = deviations_of(covariance, np.arange(self.scores.size), first, second)
        if self.goal == "width":
            from scipy.special import stdtrit

            return 2 * float(stdtrit(max(k - 2, 1), (1 + self.level) / 2)) * float(errors.mean())
        return 1 - 2 * Gaps(self.scores, first, second).swapped(errors)

    def _found(self, covariance: Floats) -> float:
        """The share of the truly best that are among the best found, over what the true scores could be."""
        values, vectors = np.linalg.eigh(covariance)
        spread = vectors * np.sqrt(np.maximum(values, 0.0))
        there = 0
        for true, noise, best in self._drawn:
            moved = product(noise, spread.T)
            for seen in (true + moved, true - moved):  # both are as likely, and the second costs next to nothing
                least = np.partition(seen, -self.top, axis=1)[:, -self.top, None]
                there += int((best & (seen >= least)).sum())
        return there / (2 * self.top * sum(len(true) for true, _, _ in self._drawn))

    @cached_property
    def _drawn(self) -> list[tuple[Floats, Floats, Bools]]:
        """True scores as they could be, noise in units of its own, and who is best; the same for all numbers of topics."""
        truths = drawn_truths(self.scores, self.seed, 2 * plan_draws(self.scores.size), Stream.PLAN)
        generator = stream(self.seed, Stream.PLAN_NOISE)
        found = []
        for part in blocks(len(truths), self.scores.size):
            true = truths[part]
            best = np.zeros(true.shape, bool)
            np.put_along_axis(best, np.argpartition(-true, self.top - 1, axis=1)[:, : self.top], True, axis=1)
            found.append((true, generator.standard_normal(true.shape), best))
        return found

    def needed(self, target: float, judge_topics: Callable[[float], float]) -> int | None:
        """The fewest human topics that reach the target."""
        sign = -1.0 if self.goal == "width" else 1.0
        return fewest(sign * target, LEAST_TOPICS, lambda k: sign * self.value(k, judge_topics(k)))
