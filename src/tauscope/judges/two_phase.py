"""People on k topics, a judge on all N: estimates of the systems' means and their errors, from arrays.

Scores have their topic means removed, since only differences between systems matter. With y people's scores on k topics
and f the judge's on N topics, the k among them, the estimate of a system, or of the difference of two, is

    ybar_k + b (fbar_N - fbar_k),   b = cov(y, f)/var(f),

the regression estimator of two-phase sampling, which is prediction-powered inference with power tuning (PPI++): its
lambda is b (N - k)/N. It has no bias worth the name however wrong the judge is; b only decides how much is gained. Its
variance is

    var(e) (1/k + (fbar_N - fbar_k)^2/SS_f) + b^2 var(f)/N,   e = y - b f, with k - 2 degrees of freedom,

for the population of topics; for the mean over the N topics at hand 1/k becomes 1/k - 1/N, and the last term goes.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ..arrays import Floats

#: Slopes beyond this would say that the judge's differences are far too small; they are cut, which costs no coverage.
STEEPEST = 3.0
#: Values of the correlation of true means, and of the spread of people's, over which the shrunken estimate is averaged.
CORRELATIONS = np.linspace(-0.95, 0.99, 40)
SPREADS = np.exp(np.linspace(-1.2, 1.2, 13))


@dataclass(frozen=True, eq=False, kw_only=True)
class TwoPhase:
    """Scores of the same systems by people and by a judge, topics x systems, topic means removed.

    `people` and `judge_there` are on the same k topics, `judge` on all N. `whole`: the target is the mean over the N
    topics at hand instead of the population that they were drawn from.
    """

    people: Floats
    judge_there: Floats
    judge: Floats
    whole: bool = False

    @property
    def systems(self) -> int:
        """How many systems there are."""
        return int(self.people.shape[1])

    @property
    def k(self) -> int:
        """How many topics people judged."""
        return len(self.people)

    @property
    def n(self) -> int:
        """How many topics the judge judged."""
        return len(self.judge)

    @cached_property
    def gap(self) -> Floats:
        """fbar_N - fbar_k of each system."""
        return np.asarray(self.judge.mean(axis=0) - self.judge_there.mean(axis=0))

    @cached_property
    def covariances(self) -> tuple[Floats, Floats, Floats, Floats]:
        """Of people on the k topics, of the judge on all, of the judge there, and between people and judge there."""
        y, there, f = (x - x.mean(axis=0) for x in (self.people, self.judge_there, self.judge))
        free = max(1, self.k - 1)
        return y.T @ y / free, f.T @ f / max(1, self.n - 1), there.T @ there / free, y.T @ there / free

    @cached_property
    def slope(self) -> float:
        """One b for all systems: pooled over all differences of two."""
        _, judge, _, between = self.covariances
        spread = float(np.trace(judge))
        if self.n <= self.k or spread <= 0:
            return 0.0
        return float(np.clip(np.trace(between) / spread, 0.0, STEEPEST))

    @cached_property
    def correlation(self) -> float:
        """Of people's and the judge's differences of two systems, topic by topic, pooled over all pairs."""
        people, _, there, between = self.covariances
        both = float(np.trace(people)) * float(np.trace(there))
        return float(np.trace(between)) / both**0.5 if both > 0 else float("nan")

    @cached_property
    def pooled(self) -> tuple[Floats, Floats]:
        """Estimates of all systems with one slope, and their covariance."""
        b = self.slope
        estimate = self.people.mean(axis=0) + b * self.gap
        people, judge, there, between = self.covariances
        rest = (people - b * (between + between.T) + b * b * there) * (self.k - 1) / max(1, self.k - (2 if b else 1))
        share = 1 / self.k - (1 / self.n if self.whole else 0.0)
        return estimate, rest * share + (0.0 if self.whole else b * b / self.n) * judge

    @cached_property
    def people_only(self) -> tuple[Floats, Floats]:
        """Means of the k topics, and their covariance."""
        share = 1 / self.k - (1 / self.n if self.whole else 0.0)
        return self.people.mean(axis=0), self.covariances[0] * share

    @cached_property
    def by_pair(self) -> tuple[Floats, Floats]:
        """Differences of all pairs, each with its own slope, and their standard errors: systems x systems."""
        people, judge, there, between = self.covariances
        vy, vf, vt = (_of_differences(c) for c in (people, judge, there))
        own = np.diagonal(between)
        cross = own[:, None] + own[None, :] - between - between.T
        b = np.divide(cross, vf, out=np.zeros_like(cross), where=vf > 0) if self.n > self.k else np.zeros_like(cross)
        b = np.clip(b, 0.0, STEEPEST)
        means, gap = self.people.mean(axis=0), self.gap
        step = gap[:, None] - gap[None, :]
        estimate = means[:, None] - means[None, :] + b * step
        free = np.where(b > 0, self.k - 2, self.k - 1)
        rest = np.maximum(vy - 2 * b * cross + b * b * vt, 0.0) * (self.k - 1) / np.maximum(free, 1)
        lever = np.divide(step**2, vt * (self.k - 1), out=np.zeros_like(vt), where=(vt > 0) & (b > 0))
        share = 1 / self.k - (1 / self.n if self.whole else 0.0)
        variance = rest * (share + lever) + (0.0 if self.whole else 1.0) * b * b * vf / self.n
        return estimate, np.sqrt(variance)

    @cached_property
    def shrunken(self) -> tuple[Floats, Floats]:
        """Empirical Bayes: estimates drawn towards what the judge says, as far as the two were seen to agree, and their
        variances.

        True means (mu_s, nu_s) of people and judge are taken for a normal sample with covariance G. Given them, z_s =
        (ybar_k, fbar_k, fbar_rest) has the error covariance of its topics. E[mu_s | z_s] is averaged over G by its
        likelihood, so that a correlation that is hardly known is not taken for certain.
        """
        if self.n <= self.k:
            estimate, covariance = self.people_only
            return estimate, np.diagonal(covariance).copy()
        return _averaged(self)


def _of_differences(covariance: Floats) -> Floats:
    own = np.diagonal(covariance)
    return np.maximum(own[:, None] + own[None, :] - covariance - covariance.T, 0.0)


def _averaged(data: TwoPhase) -> tuple[Floats, Floats]:
    """The mean and variance of mu_s given z_s, averaged over the covariance of the true means by its likelihood."""
    k, r, m = data.k, data.n - data.k, data.systems
    people, judge, _, between = (np.diagonal(c) for c in data.covariances)
    vy, vf, vyf = ((own + own.mean()) / 2 for own in (people, judge, between))
    most = 0.95 * np.sqrt(vy * vf)
    vyf = np.clip(vyf, -most, most)
    rest = (data.n * data.judge.mean(axis=0) - k * data.judge_there.mean(axis=0)) / r
    z = np.stack([data.people.mean(axis=0), data.judge_there.mean(axis=0), rest], axis=1)
    errors = np.zeros((m, 3, 3))
    errors[:, 0, 0], errors[:, 1, 1], errors[:, 2, 2] = vy / k, vf / k, vf / r
    errors[:, 0, 1] = errors[:, 1, 0] = vyf / k
    spread_judge = _spread(data.judge.mean(axis=0), vf / data.n)
    spread_people = _spread(data.people.mean(axis=0), vy / k) * SPREADS
    sees = np.array([[1.0, 0.0], [0.0, 1.0], [0.0, 1.0]])
    likelihood, means, variances = [], [], []
    for correlation in CORRELATIONS:
        for spread in spread_people:
            cross = correlation * np.sqrt(spread * spread_judge)
            prior = np.array([[spread, cross], [cross, spread_judge]])
            total = sees @ prior @ sees.T + errors
            inverse = np.linalg.inv(total)
            # One degree of freedom went with the topic means, which leave the systems' means with the sum 0.
            fit = np.einsum("mi,mij,mj->m", z, inverse, z) + np.linalg.slogdet(total)[1]
            likelihood.append(-0.5 * (m - 1) / m * float(fit.sum()))
            weights = (sees @ prior)[:, 0] @ inverse
            means.append((weights * z).sum(axis=1))
            variances.append(spread - weights @ (sees @ prior)[:, 0])
    weight = np.exp(np.array(likelihood) - max(likelihood))
    weight /= weight.sum()
    mean = weight @ np.array(means)
    within, across = weight @ np.array(variances), weight @ (np.array(means) - mean) ** 2
    return mean, within + across


def _spread(means: Floats, errors: Floats) -> float:
    """How much true means vary: what is left of the observed variance, at least a twentieth of it."""
    observed = float(means.var(ddof=1))
    return max(observed - float(errors.mean()), 0.05 * observed, 1e-300)
