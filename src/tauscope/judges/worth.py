"""What human topics with a judge are worth: how many of them, without the judge, would rank as well.

Prediction-powered estimates have pairs in the wrong order with the chance Phi(-|delta|/se), delta what the true gap
could be; people on n topics alone with Phi(-|delta| sqrt(n)/s), s the standard deviation of their differences. Both are
averaged over the same delta ~ N(g d, g se^2) (Gauss-Hermite), and n is where they are equal.

An estimate drawn towards the judge has no error of that kind. Under its own model, normal true means with the spread G,
an estimate whose reliability is R = 1 - (variance left)/G has the expected tau 2/pi arcsin(sqrt(R)); people on n topics
have R = G/(G + v/n). Again n is where they are equal.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from ..arrays import Bools, Floats, Ints
from ..expected.normal_scores import NormalScores
from .empirical_bayes import Shrunken
from .two_phase import TwoPhase

#: Nodes of the Gauss-Hermite rule for what a gap could be.
NODES = 21


class Gaps:
    """What the true gaps of some pairs could be, given estimates: one row per pair, one column per node."""

    def __init__(self, scores: NormalScores, first: Ints, second: Ints) -> None:
        g = scores.shrinkage
        nodes, weights = np.polynomial.hermite_e.hermegauss(NODES)
        spread = math.sqrt(g) * scores.errors[first, second][:, None]
        self.sizes = np.abs(g * scores.gaps[first, second][:, None] + spread * nodes)
        self.weights = weights / weights.sum()

    def swapped(self, errors: Floats) -> float:
        """How many of these pairs estimates with these errors have in the wrong order, on average: a share."""
        from scipy.special import ndtr

        ratio = self.sizes / np.maximum(errors, 1e-300)[:, None]
        return float((ndtr(-ratio) @ self.weights).mean())


def human_deviations(data: TwoPhase, scores: NormalScores, first: Ints, second: Ints) -> Floats:
    """Standard deviations over topics of people's differences of these pairs, which are in the order of `scores`."""
    return deviations_of(data.covariances[0], scores.order, first, second)


def deviations_of(covariance: Floats, order: Ints, first: Ints, second: Ints) -> Floats:
    """Of differences, from the covariance of single systems."""
    i, j = order[first], order[second]
    own = np.diagonal(covariance)
    return np.asarray(np.sqrt(np.maximum(own[i] + own[j] - covariance[i, j] - covariance[j, i], 1e-300)))


def effective_topics(data: TwoPhase, scores: NormalScores, pairs: Bools) -> float:
    """How many human topics alone would put as few of these pairs in the wrong order as prediction-powered estimates."""
    first, second = (index[pairs] for index in np.triu_indices(scores.size, 1))
    gaps = Gaps(scores, first, second)
    spread = human_deviations(data, scores, first, second)
    goal = gaps.swapped(scores.errors[first, second])
    return _where(lambda topics: -gaps.swapped(_share(data, topics) * spread), -goal, data.n)


def effective_topics_shrunken(data: TwoPhase, found: Shrunken) -> float:
    """The same of an estimate that is drawn towards the judge, over all systems."""
    people = data.covariances[0]
    spread, noise = found.spread[:, None], float(np.diagonal(people).mean())
    # Errors of systems are correlated, so that m systems say less of the judge than as many that are not: the likelihood
    # counts for sqrt(m d) systems, d the directions in which errors vary. Between d and m, what simulations had.
    directions = float(np.trace(people)) ** 2 / max(float((people**2).sum()), 1e-300)
    weight = found.weight ** math.sqrt(min(1.0, directions / data.systems))
    weight = weight / weight.sum()
    goal = _tau(1 - found.left / spread, weight)

    def of_people(topics: float) -> float:
        return _tau(spread / (spread + noise * _share(data, topics) ** 2), weight)

    return _where(of_people, goal, data.n)


def _tau(reliability: Floats, weight: Floats) -> float:
    """The expected tau of normal estimates of normal means."""
    value = 2 / math.pi * np.arcsin(np.sqrt(np.clip(reliability, 0.0, 1.0)))
    return float(weight @ value.mean(axis=1))


def _share(data: TwoPhase, topics: float) -> float:
    """The standard error of people's means on so many topics, over the deviation of one topic."""
    return math.sqrt(max(1 / topics - (1 / data.n if data.whole else 0.0), 1e-12))


def _where(value: Callable[[float], float], goal: float, most: int) -> float:
    """Where a value that grows with topics reaches its goal; never more than the judge's own topics, which the best of
    judges would make of them."""
    low, high = 1.0, float(most)
    if value(high) <= goal:
        return high
    while high / low > 1.001:
        middle = math.sqrt(low * high)
        low, high = (middle, high) if value(middle) < goal else (low, middle)
    return math.sqrt(low * high)
