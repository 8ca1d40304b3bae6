"""How large must a difference of two means be to be trusted, and how reliable are the means?"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from .. import checking, papers
from ..arrays import Floats
from ..files.door import ScoresLike, takes_scores
from ..inference.observed import Observed, observed_scores, real_share
from ..results import Result, count, number
from ..scores.additive import RestsOn
from ..scores.alignment import require_type
from ..scores.holes import adjusted_or_complete


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Sensitivity(Result):
    """The smallest difference of observed means that keeps its sign on as many new topics with at most `error`
    mistakes.

    Parameters
    ----------
    difference : float
        That difference, which `float()` gives.
    error : float
        The share of mistakes that was allowed.
    topics, systems : int
        How many there are.
    pairs : int
        How many of `all_pairs` are at least this far apart.
    of_best : float
        The difference as a share of the best mean; NaN where that is not positive.
    g, phi : float
        The reliability of the means for ranking systems, and as numbers (generalisability coefficients).
    measure : str
        The measure, where it is named.
    rests_on : RestsOn or None
        Where cells are missing, how many the means rest on.
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
    rests_on: RestsOn | None = field(default=None, repr=False)

    def __float__(self) -> float:
        return self.difference

    @property
    def all_pairs(self) -> int:
        """Pairs of systems in all, m(m-1)/2, of which `pairs` are far enough apart."""
        return self.systems * (self.systems - 1) // 2

    def lines(self) -> list[str]:
        share = f" ({self.of_best * 100:.1f} % of the best mean)" if math.isfinite(self.of_best) else ""
        return [
            f"A difference of {number(self.difference, 4)}{' ' * bool(self.measure)}{self.measure}{share} keeps its "
            f"sign on {count(self.topics, 'new topic')} but for {self.error * 100:g} % of the time",
            f"{self.pairs:,} of {count(self.all_pairs, 'pair')} of {count(self.systems, 'system')} are that far apart; "
            f"reliability of the ranking g = {number(self.g)}, of the means Phi = {number(self.phi)}",
            *([] if self.rests_on is None else [self.rests_on.line()]),
        ]

    def methods_sentence(self) -> str:
        """The sentence a paper needs: which difference keeps its sign, how often, and how many pairs have it.

        Returns
        -------
        str
            One sentence, with the reliability of the means.
        """
        share = f" ({self.of_best * 100:.1f} % of the best mean)" if math.isfinite(self.of_best) else ""
        cells = "" if self.rests_on is None else f"; {self.rests_on.line()}"
        return (
            f"A difference of at least {number(self.difference, 4)}{' ' * bool(self.measure)}{self.measure}{share} "
            f"between means over {count(self.topics, 'topic')} keeps its sign on as many new ones but for "
            f"{self.error * 100:g} % of the time, on average over pairs; {self.pairs:,} of "
            f"{count(self.all_pairs, 'pair')} of {count(self.systems, 'system')} are that far apart (normal errors, "
            f"gaps shrunk by their reliability; that of the ranking is g = {number(self.g)}, of the means Phi = "
            f"{number(self.phi)}{cells}; after {papers.short('buckley2000')})."
        )

    def columns(self) -> dict[str, Any]:
        names = ("difference", "error", "topics", "pairs", "of_best", "g", "phi")
        return {name: [getattr(self, name)] for name in names}

    def cited(self) -> tuple[str, ...]:
        return ("buckley2000",)

    def plot(self) -> Any:
        """Both coefficients as bars."""
        from ..figures import named_bars

        return named_bars(["g", "Phi"], [self.g, self.phi], y="reliability", title=self.lines()[0])


@takes_scores("scores")
def sensitivity(scores: ScoresLike, *, error: float = 0.05, missing: str = "error") -> Sensitivity:
    """How far apart must two observed means be to come out in the same order on new topics?

    With d the observed difference over n topics, s the standard deviation of the differences and g the reliability, the
    true difference is N(g d, g s²/n), and the one over n new topics is N(g d, (1 + g) s²/n): it has the other sign with
    probability Phi(-sqrt(n/(1 + g)) g d/s). The result is the smallest d for which the mean of that over the pairs of
    systems is at most `error`. Ties do not matter. Do not use it as a test of one pair: that is
    `significance()`.

    Parameters
    ----------
    scores : Scores, or what read_scores() takes
        One row per topic, one column per system.
    error : float, default 0.05
        The share of mistakes that is allowed, below one half.
    missing : {"error", "adjusted", "zero", "drop-topics", "drop-systems"}, default "error"
        What a cell without a score means. "adjusted" takes the means of an additive model of systems and topics, with
        the errors that its topics leave, if cells are missing at random; the others are those of `Scores`.

    Returns
    -------
    Sensitivity
        The difference, how many pairs are that far apart, and the reliability of the means.

    Raises
    ------
    CallError
        Where `error` is not between 0 and 0.5.
    TauscopeError
        Where cells are missing, or there are fewer than two systems or topics.

    Examples
    --------
    >>> from tauscope import Scores
    >>> scores = Scores([[0.5, 0.3], [0.6, 0.2], [0.4, 0.3], [0.5, 0.2]])
    >>> found = sensitivity(scores)
    >>> round(found.difference, 3), found.pairs
    (0.158, 1)
    """
    error = checking.number(error, "error", above=0, below=0.5)
    require_type(scores, "sensitivity()")
    scores, rests_on = adjusted_or_complete(scores, missing, "sensitivity()")
    observed = observed_scores(scores, "sensitivity()")
    difference = _smallest(observed, error)
    best = float(observed.means[0])
    g, phi = reliability_coefficients(observed)
    return Sensitivity(
        difference=difference * observed.unit,
        error=error,
        topics=observed.topics,
        systems=observed.systems,
        pairs=int((observed.gaps >= difference).sum()),
        of_best=difference / best if best > 0 else math.nan,
        g=g,
        phi=phi,
        measure=scores.measure,
        rests_on=rests_on,
    )


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
    """g, `Observed.raw_reliability` but not below 0, and Phi, which counts the topics' own variance as error too.

    g = var(systems)/(var(systems) + var(residual)/n), Phi = var(systems)/(var(systems) + (var(residual) +
    var(topics))/n).
    """
    n, m = observed.topics, observed.systems
    residual = float(np.trace(observed.covariance)) / (m - 1)
    topics = max(0.0, float(observed.x.mean(axis=0).var(ddof=1)) - residual / m)
    error = residual / n
    spread = max(error, float(observed.effects.var(ddof=1)))
    if not spread:
        return math.nan, 0.0 if topics else math.nan
    g = max(0.0, float(real_share(error, spread)))
    return g, g * spread / (spread + topics / n)
