"""Estimates drawn towards the judge, as far as judge and people were seen to agree over systems (empirical Bayes).

True means (mu_s, nu_s) of people and judge are taken for a normal sample of systems with covariance G. Given them, z_s =
(ybar_k, fbar_k, fbar_rest) has the error covariance of its topics. E[mu_s | z_s] is averaged over G by its likelihood,
so that a correlation that is hardly known is not taken for certain.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from ..arrays import Floats
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
