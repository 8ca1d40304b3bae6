"""Effective number of human topics: how many of them, without the judge, would rank as well.

Prediction-powered estimates have pairs in the wrong order with the chance Phi(-|delta|/se), delta what the true gap
could be; people on n topics alone with Phi(-|delta| sqrt(n)/s), s the standard deviation of their differences. Both are
averaged over the same delta ~ N(g d, g se^2), g the reliability of the pair's group, and n is where they are equal. An
average is the chance that two normal variables differ in sign, 2 T(|m|/sqrt(v + e^2), e/sqrt(v)) for delta ~ N(m, v) and
an error e, T Owen's function.

An estimate drawn towards the judge has no error of that kind: delta ~ N(d, v) given what was seen, v what the posterior
leaves open of the pair, and it is wrong with the chance Phi(-|d|/sqrt(v)).

Estimates drawn towards the judge, as far as judge and people were seen to agree over systems (empirical Bayes).

True means (mu_s, nu_s) of people and judge are taken for a normal sample of systems with covariance G. Given them, z_s =
(ybar_k, fbar_k, fbar_rest) has the error covariance of its topics. E[mu_s | z_s] is averaged over G by its likelihood,
so that a correlation that is hardly known is not taken for certain.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from ..core.arrays import Bools, Floats, Ints
from ..inference.normal_scores import NormalScores
from .two_phase import TwoPhase

#: Values of the correlation of true means, and of the spread of people's, over which the estimate is averaged.
CORRELATIONS = np.linspace(-0.95, 0.99, 40)
SPREADS = np.exp(np.linspace(-1.2, 1.2, 13))


@dataclass(frozen=True, eq=False, kw_only=True)
class Shrunken:
    """Means of mu_s, one per system; and one entry per covariance G that was thought of: its `weight`, the
    covariance itself (`prior`), the means under it (`each`) and how z makes them (`pulls`, covariances x systems x 3).
    """

    means: Floats
    weight: Floats
    prior: Floats
    each: Floats
    pulls: Floats

    def left_open(self, data: TwoPhase) -> Floats:
        """The covariance of the errors of all means: the noise of topics, which systems have in common, what a system is
        of its own, which no other shares, and what is not known of G.

        Where people judged all topics it is that of their means. Errors of systems are correlated, so that m systems say
        less of G than as many that are not: the likelihood counts for sqrt(m d) systems, d the directions in which errors
        vary. Between d and m, what simulations had.
        """
        if data.n <= data.k:
            return data.people_only[1]
        k = data.size
        people, judge, there, between = data.covariances
        directions = float(np.trace(people)) ** 2 / max(float((people**2).sum()), 1e-300)
        weight = self.weight ** math.sqrt(min(1.0, directions / data.systems))
        weight /= weight.sum()
        noise = [(0, 0, people / k), (1, 1, there / k), (0, 1, between / k), (1, 0, between.T / k)]
        noise.append((2, 2, judge / (data.n - k)))
        off = self.each - self.means
        total = off.T @ (weight[:, None] * off)
        for a, b, own in noise:
            total += own * (self.pulls[:, :, a].T @ (weight[:, None] * self.pulls[:, :, b]))
        amiss = np.stack([self.pulls[:, :, 0] - 1, self.pulls[:, :, 1] + self.pulls[:, :, 2]], axis=2)
        return np.asarray(total + np.diag(weight @ np.einsum("gmi,gij,gmj->gm", amiss, self.prior, amiss)))


def shrunken(data: TwoPhase) -> Shrunken:
    """E[mu_s | z_s], and what it was made of."""
    if data.n <= data.k:
        estimate, covariance = data.people_only
        own = np.diagonal(covariance)
        prior = np.zeros((1, 2, 2))
        prior[0, 0, 0] = _spread(estimate, own)
        pulls = np.zeros((1, data.systems, 3))
        pulls[0, :, 0] = 1.0
        return Shrunken(means=estimate, weight=np.ones(1), prior=prior, each=estimate[None], pulls=pulls)
    return _averaged(data)


def _averaged(data: TwoPhase) -> Shrunken:
    """The mean of mu_s given z_s, averaged over the covariance of the true means by its likelihood."""
    k, m = data.size, data.systems
    r = data.n - k
    people, judge, _, between = (np.diagonal(c) for c in data.covariances)
    vy, vf, vyf = ((own + own.mean()) / 2 for own in (people, judge, between))
    most = 0.95 * np.sqrt(vy * vf)
    vyf = np.clip(vyf, -most, most)
    rest = (data.n * data.judge_mean - k * data.judge_mean_there) / r
    z = np.stack([data.human_mean, data.judge_mean_there, rest], axis=1)
    errors = np.zeros((m, 3, 3))
    errors[:, 0, 0], errors[:, 1, 1], errors[:, 2, 2] = vy / k, vf / k, vf / r
    errors[:, 0, 1] = errors[:, 1, 0] = vyf / k
    spread_judge = _spread(data.judge_mean, vf / data.n)
    spread_people = _spread(data.human_mean, vy / k) * SPREADS
    sees = np.array([[1.0, 0.0], [0.0, 1.0], [0.0, 1.0]])
    rho, spread = (grid.ravel() for grid in np.meshgrid(CORRELATIONS, spread_people, indexing="ij"))
    cross = rho * np.sqrt(spread * spread_judge)
    prior = np.array([[spread, cross], [cross, np.full_like(spread, spread_judge)]]).transpose(2, 0, 1)
    seen = np.einsum("ai,gij,bj->gab", sees, prior, sees)
    total = seen[:, None] + errors[None]  # one for each covariance and system
    inverse = np.linalg.inv(total)
    # One degree of freedom went with the topic means, which leave the systems' means with the sum 0.
    fit = np.einsum("mi,gmij,mj->gm", z, inverse, z) + np.linalg.slogdet(total)[1]
    likelihood = -0.5 * (m - 1) / m * fit.sum(axis=1)
    towards = (sees @ prior)[:, :, 0]
    pulls = np.einsum("gi,gmij->gmj", towards, inverse)
    means = (pulls * z).sum(axis=2)
    weight = np.exp(likelihood - likelihood.max())
    weight /= weight.sum()
    return Shrunken(means=weight @ means, weight=weight, prior=prior, each=means, pulls=pulls)


def _spread(means: Floats, errors: Floats) -> float:
    """How much true means vary: what is left of the observed variance, at least a twentieth of it."""
    observed = float(means.var(ddof=1))
    return max(observed - float(errors.mean()), 0.05 * observed, 1e-300)


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
