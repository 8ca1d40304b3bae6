"""Disattenuated: how high is a coefficient of two rankings of means once topic noise is taken off, and how sure is
that?

True means as they could be, given the observed ones: y_s are the k observed means of a system, V_s their error
covariance and V the mean of V_s, S the covariance of y over systems. Omega = S - V is how the true means vary, made
positive: along the directions in which S and V are both diagonal, the reliability g = 1 - V/S is at least 0.05. With W
= V_s^-1/2 Omega V_s^-1/2:

    K_s = Omega (Omega + V_s)^-1,   L_s = V_s^1/2 [W (W + I)^-1]^1/2 V_s^-1/2,
    mu*_s = K_s y_s + L_s sqrt(n/(n-1)) (y*_s - y_s),

y* from topics resampled. These have the mean and covariance of the true means given y, where those are normal. V_s is
the system's own covariance with `STEADY` degrees of freedom of the mean one: with V for all systems the head, where
scores vary most, comes out too uncertain.

The value is the mean of c(mu*_E, mu*_T) over such draws, and half of the misfit: what the coefficient of the observed
means has more than that of means observed anew, mu* + noise. Where true means are not as normal as the draws suppose,
the misfit says so; half of it balances bias against variance (docs/explanation). The standard error is by jackknife
over groups of topics, of systems, or both, with the same draws for all.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from .. import checking, kernels
from ..arrays import Floats, Ints
from ..coefficients.records import Coefficient
from ..expected.intervals import Interval
from ..expected.jackknife import StandardError
from ..jobs.draws import JACKKNIFE_DRAWS, VALUE_DRAWS
from ..jobs.progress import Progress
from ..significance.observed import FLOOR, real_share
from ..ties import EXACT, Tolerance
from .shared_topics import Joint, Moments, Sums, draw_counts

#: Degrees of freedom of the mean error covariance in a system's own.
STEADY = 10.0
#: Eigenvalues of a covariance are at least this share of the largest variance: directions without noise.
NO_NOISE = 1e-12
#: How much of the misfit is added.
MISFIT = 0.5


@dataclass(frozen=True, eq=False, kw_only=True)
class Spread:
    """How true means vary over systems: `omega` k x k, the `reliability` of each matrix, and whether a floor held."""

    omega: Floats
    mean_error: Floats
    reliability: Floats
    floored: bool


def spread(moments: Moments) -> Spread:
    """Omega = S - V, made positive along the directions that diagonalise both."""
    m = moments.means.shape[1]
    S = moments.means @ moments.means.T / m
    V = moments.errors.mean(axis=0)
    root, inverse = _roots(V[None], float(np.trace(S) + np.trace(V)))
    ratio, turn = np.linalg.eigh(inverse[0] @ S @ inverse[0])
    raw = 1 - 1 / np.maximum(ratio, 1e-300)
    g = np.clip(raw, FLOOR, 1 - NO_NOISE)
    omega = root[0] @ (turn * (g / (1 - g))) @ turn.T @ root[0]
    own = np.asarray(real_share(np.diagonal(V), np.maximum(np.diagonal(S), 1e-300)))
    return Spread(omega=omega, mean_error=V, reliability=own, floored=bool((raw < FLOOR).any()))


def true_mean_draws(moments: Moments, found: Spread, freedom: float) -> list[Floats]:
    """mu*, one draws x systems a matrix, each without its general level.

    `freedom`: topics that V_s was estimated from, less 1.
    """
    k = len(moments.means)
    V = (STEADY * found.mean_error + freedom * moments.errors) / (STEADY + freedom)
    root, inverse = _roots(V, float(np.trace(found.omega) + np.trace(found.mean_error)))
    w, turn = np.linalg.eigh(inverse @ found.omega @ inverse)
    g = np.clip(w, 0.0, None)
    g = g / (1 + g)
    out, back = root @ turn, turn.transpose(0, 2, 1) @ inverse
    K = (out * g[:, None]) @ back
    L = (out * np.sqrt(g)[:, None]) @ back
    centre = np.einsum("mij,jm->im", K, moments.means)
    return [centre[i] + np.einsum("mj,jbm->bm", L[:, i], moments.deviations) for i in range(k)]


def _roots(V: Floats, scale: float) -> tuple[Floats, Floats]:
    """V^1/2 and V^-1/2 of each k x k matrix, directions without noise lifted to next to none."""
    size, turn = np.linalg.eigh(V)
    size = np.sqrt(np.maximum(size, NO_NOISE * scale + 1e-300))[:, None]
    across = turn.transpose(0, 2, 1)
    return (turn * size) @ across, (turn / size) @ across


def coefficient_of(
    c: Coefficient,
    joint: Joint,
    estimate: Floats,
    truth: Floats,
    twin: Ints | None,
    matrices: tuple[int, int] = (0, -1),
) -> Floats:
    """The coefficient row by row of means without their level; NaN where it is not defined. `matrices`: which the means
    are of.
    """
    rows = []
    for means, matrix in zip((estimate, truth), matrices, strict=True):
        equal = means if twin is None else means[:, twin]  # products do not give identical systems equal means
        rows.append(np.ascontiguousarray(equal + joint.level[matrix]))
    if c.weights_are_scores:  # its weights are the true means, which are not negative where no score is
        np.maximum(rows[1], joint.least[matrices[1]], out=rows[1])
    within = Tolerance(joint.tolerance) if c.takes_tolerance else EXACT
    values, _ = kernels.batch(c, rows[0], rows[1], within, within)
    return values


@dataclass(frozen=True, eq=False, kw_only=True)
class Corrected:
    """A coefficient without topic noise, NaN where no draw had one; `undefined` of `VALUE_DRAWS` draws had none.

    `spread` is None where no true means were drawn.
    """

    value: float
    spread: Spread | None = None
    undefined: int = 0


class Samples:
    """What the jackknife and the draws need of joint scores, computed once for all coefficients and judges."""

    def __init__(self, joint: Joint, generator: np.random.Generator) -> None:
        self.joint = joint
        self.counts = draw_counts(joint, VALUE_DRAWS, generator)

    @cached_property
    def whole(self) -> Moments:
        """Of all topics, with all draws."""
        undivided = replace(self.joint, group=np.zeros_like(self.joint.group))
        return Sums(undivided, self.counts).moments()

    @cached_property
    def sums(self) -> Sums:
        """By groups of topics, with the draws of the jackknife."""
        return Sums(self.joint, self.counts[:JACKKNIFE_DRAWS])

    @property
    def sizes(self) -> Floats:
        """Topics in each group."""
        return np.bincount(self.joint.group).astype(float)


class Correction:
    """Corrects one coefficient of two of the matrices, (estimate, truth)."""

    def __init__(self, samples: Samples, c: Coefficient, matrices: tuple[int, int] = (0, 1)) -> None:
        self.samples, self.coefficient, self.matrices = samples, c, matrices
        self.joint = samples.joint
        self.freedom = min(self.joint.topics[i] for i in matrices) - 1.0

    @cached_property
    def value(self) -> Corrected:
        """From all topics and all draws."""
        return self._corrected(self.samples.whole)

    def topics(self, report: Progress | None = None) -> tuple[float, Floats]:
        """The value from the draws of the jackknife, and the values without one group of topics after the other."""
        sums = self.samples.sums
        left = [self._corrected(sums.moments(g)).value for g in _counted(self.joint.groups, report)]
        return self._corrected(sums.moments()).value, np.array(left)

    def systems(self, groups: Ints, report: Progress | None = None) -> tuple[float, Floats]:
        """The same without one group of systems after the other."""
        moments = self.samples.sums.moments()
        left = [self._corrected(moments.of_systems(groups != g)).value for g in _counted(int(groups.max()) + 1, report)]
        return self._corrected(moments).value, np.array(left)

    def _corrected(self, moments: Moments) -> Corrected:
        moments = moments.of_matrices(self.matrices)
        found = spread(moments)
        means = true_mean_draws(moments, found, self.freedom)
        values = self._coefficient(means[0], means[1], moments.twin)
        # Noise of the next draw: of the same size as this one's, and independent of it.
        anew = [own + np.roll(noise, 1, axis=0) for own, noise in zip(means, moments.deviations, strict=True)]
        again = self._coefficient(anew[0], anew[1], moments.twin)
        observed = float(self._coefficient(moments.means[:1], moments.means[1:], moments.twin)[0])
        value = mean_defined(values)
        misfit = observed - mean_defined(again)
        value = value if math.isnan(misfit) else value + MISFIT * misfit
        low, high = self.coefficient.range
        within = value if math.isnan(value) else min(max(value, low), high)
        return Corrected(value=within, spread=found, undefined=int(np.isnan(values).sum()))

    def _coefficient(self, estimate: Floats, truth: Floats, twin: Ints | None) -> Floats:
        return coefficient_of(self.coefficient, self.joint, estimate, truth, twin, self.matrices)


def _counted(n: int, report: Progress | None) -> Iterator[int]:
    for i in range(n):
        yield i
        if report is not None:
            report(i + 1, n)


def mean_defined(values: Floats) -> float:
    """The mean of those that are not NaN."""
    defined = values[~np.isnan(values)]
    return float(defined.mean()) if len(defined) else math.nan


def limits(
    c: Coefficient, value: float, observed: float, error: StandardError, level: float, *, difference: bool = False
) -> Interval:
    """value ± t times its standard error, cut off at the range of the coefficient, or of a difference of two, and
    widened to contain the observed value."""
    level = checking.level(level)
    if math.isnan(value) or math.isnan(error.deviation):
        return Interval(math.nan, math.nan)
    wide = error.reach(level)
    low, high = (c.range[0] - c.range[1], c.range[1] - c.range[0]) if difference else c.range
    seen = value if math.isnan(observed) else observed
    return Interval(max(low, min(value - wide, seen)), min(high, max(value + wide, seen)))
