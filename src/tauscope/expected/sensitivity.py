"""How large must a difference of two means be to be trusted, and how reliable are the means?"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..arrays import Floats
from ..errors import CallError, TauscopeError
from ..results import Result, count, number
from ..scores import Scores
from ..significance.observed import Observed


@dataclass(frozen=True, eq=False, repr=False)
class Sensitivity(Result):
    """The smallest difference of observed means that keeps its sign on as many new topics with at most `error` mistakes.

    `g` and `phi` are the reliability of the means for ranking systems and as numbers (generalisability coefficients);
    `pairs` of `all_pairs` are at least this far apart; `of_best` is the difference as a share of the best mean.
    """

    difference: float
    error: float
    topics: int
    systems: int
    pairs: int
    of_best: float
    g: float
    phi: float
    measure: str

    def __float__(self) -> float:
        return self.difference

    @property
    def all_pairs(self) -> int:
        return self.systems * (self.systems - 1) // 2

    def lines(self) -> list[str]:
        share = f" ({self.of_best * 100:.1f} % of the best mean)" if math.isfinite(self.of_best) else ""
        return [
            f"A difference of {number(self.difference, 4)}{' ' * bool(self.measure)}{self.measure}{share} keeps its sign on "
            f"{count(self.topics, 'new topic')} but for {self.error * 100:g} % of the time",
            f"{self.pairs:,} of {count(self.all_pairs, 'pair')} of {count(self.systems, 'system')} are that far apart; "
            f"reliability of the ranking g = {number(self.g)}, of the means Phi = {number(self.phi)}",
        ]

    def columns(self) -> dict[str, Any]:
        return {"difference": [self.difference], "error": [self.error], "topics": [self.topics], "pairs": [self.pairs],
                "of_best": [self.of_best], "g": [self.g], "phi": [self.phi]}  # fmt: skip

    def cited(self) -> tuple[str, ...]:
        return ("buckley2000",)

    def plot(self) -> Any:
        """Both coefficients as bars."""
        from ..figures import bars

        return bars(np.array([1.0, 2.0]), np.array([self.g, self.phi]), ["g", "Phi"], x="g, Phi", y="reliability",
                    title=self.lines()[0])  # fmt: skip


def sensitivity(scores: Scores, *, error: float = 0.05) -> Sensitivity:
    """How far apart must two observed means be to come out in the same order on new topics?

    With d the observed difference over n topics, s the standard deviation of the differences and g the reliability, the
    true difference is N(g d, g s²/n), and the one over n new topics is N(g d, (1 + g) s²/n): it has the other sign with
    probability Phi(-sqrt(n/(1 + g)) g d/s). The smallest d whose mean over the pairs of systems is at most `error`.
    """
    if not isinstance(error, (int, float)) or not 0 < error < 0.5:
        raise CallError(f"error={error!r} must be between 0 and 0.5, such as 0.05.")
    scores.require_complete("sensitivity()")
    observed = Observed.of(scores.values)
    if observed.systems < 2 or observed.topics < 2:
        raise TauscopeError(
            f"sensitivity() needs at least two systems and two topics; there are {observed.systems} and {observed.topics}."
        )
    difference = _smallest(observed, error)
    best = float(observed.means[0])
    g, phi = reliability_coefficients(observed)
    return Sensitivity(
        difference * observed.unit, error, observed.topics, observed.systems,
        int((observed.gaps >= difference).sum()), difference / best if best > 0 else math.nan, g, phi, scores.measure,
    )  # fmt: skip


def _smallest(observed: Observed, error: float) -> float:
    """By bisection: the mean error falls with d."""
    from scipy.special import ndtr

    g = observed.reliability
    s = observed.deviations[observed.deviations > 0]
    if not s.size:
        return 0.0
    steepness: Floats = g * math.sqrt(observed.topics / (1 + g)) / s
    low, high = 0.0, 10 / float(steepness.min())
    while high - low > 1e-12 * high:
        middle = (low + high) / 2
        low, high = (middle, high) if float(ndtr(-steepness * middle).mean()) > error else (low, middle)
    return high


def reliability_coefficients(observed: Observed) -> tuple[float, float]:
    """g = var(systems)/(var(systems) + var(residual)/n), and Phi, which counts the topics' own variance as error too."""
    n, m = observed.topics, observed.systems
    x = observed.x
    residual = float(np.trace(observed.covariance)) / (m - 1)
    topics = max(0.0, float(x.mean(axis=0).var(ddof=1)) - residual / m)
    systems = max(0.0, float(observed.effects.var(ddof=1)) - residual / n)
    spread = systems + residual / n
    return (systems / spread if spread else math.nan), (
        systems / (spread + topics / n) if spread + topics else math.nan
    )
