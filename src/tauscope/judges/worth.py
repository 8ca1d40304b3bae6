"""What human topics with a judge are worth: how many of them, without the judge, would rank as well.

Prediction-powered estimates have pairs in the wrong order with the chance Phi(-|delta|/se), delta what the true gap
could be; people on n topics alone with Phi(-|delta| sqrt(n)/s), s the standard deviation of their differences. Both are
averaged over the same delta ~ N(g d, g se^2), g the reliability of the pair's group, and n is where they are equal. An
average is the chance that two normal variables differ in sign, 2 T(|m|/sqrt(v + e^2), e/sqrt(v)) for delta ~ N(m, v) and
an error e, T Owen's function.

An estimate drawn towards the judge has no error of that kind: delta ~ N(d, v) given what was seen, v what the posterior
leaves open of the pair, and it is wrong with the chance Phi(-|d|/sqrt(v)).
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from ..arrays import Bools, Floats, Ints
from ..expected.normal_scores import NormalScores
from .empirical_bayes import Shrunken
from .two_phase import TwoPhase


class Gaps:
    """What the true gaps of some pairs could be, given estimates: delta ~ N(g d, g se²) with the weight of each g."""

    def __init__(self, scores: NormalScores, first: Ints, second: Ints) -> None:
        self.sizes, self.errors = np.abs(scores.gaps[first, second]), scores.errors[first, second]
        self.terms = scores.terms(first, second)

    def swapped(self, errors: Floats) -> float:
        """How many of these pairs estimates with these errors have in the wrong order, on average: a share."""
        parts = (
            (weight * differ_in_sign(g * self.sizes, math.sqrt(g) * self.errors, errors)).mean()
            for weight, g in self.terms
        )
        return float(sum(parts))


def differ_in_sign(means: Floats, deviations: Floats, errors: Floats) -> Floats:
    """P(delta and delta + noise differ in sign), delta ~ N(mean, deviation²) and noise with this standard error."""
    from scipy.special import owens_t

    wrong = np.maximum(errors, 1e-300)
    with np.errstate(divide="ignore"):
        return np.asarray(2 * owens_t(means / np.hypot(deviations, wrong), wrong / deviations))


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


def effective_topics_shrunken(data: TwoPhase, found: Shrunken, order: Ints, pairs: Bools) -> float:
    """The same of estimates that are drawn towards the judge; `order` is that of the systems, the best first."""
    from scipy.special import ndtr

    people = data.covariances[0]
    first, second = (index[pairs] for index in np.triu_indices(data.systems, 1))
    left = deviations_of(found.left_open(data), order, first, second)
    gaps = np.abs(found.means[order[first]] - found.means[order[second]])
    spread = deviations_of(people, order, first, second)

    def of_people(topics: float) -> float:
        return -float(differ_in_sign(gaps, left, _share(data, topics) * spread).mean())

    return _where(of_people, -float(ndtr(-gaps / left).mean()), data.n)


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
