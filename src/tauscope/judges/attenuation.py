"""How high is a coefficient of two rankings of means once topic noise is taken off, and how sure is that?

The value is the mean of c(mu*_E, mu*_T) over draws of the true means (`noise`), and half of the misfit: what the coefficient of
the observed means has more than that of means observed anew, mu* + noise. Where true means are not as normal as the draws suppose,
the misfit says so; half of it balances bias against variance (docs/explanation). The standard error is by jackknife over groups of
topics, of systems, or both, with the same draws for all.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from .. import checking
from ..arrays import Floats, Ints
from ..coefficients.records import Coefficient
from ..expected.intervals import Interval
from ..jobs.progress import Progress
from .noise_free_means import Spread, coefficient_of, spread, true_mean_draws
from .shared_topics import Joint, Moments, Sums, draw_counts

#: Draws behind a value, and behind each value of the jackknife.
VALUE_DRAWS, JACKKNIFE_DRAWS = 1000, 200
#: How much of the misfit is added.
MISFIT = 0.5


@dataclass(frozen=True, eq=False)
class Corrected:
    """A coefficient without topic noise; `undefined` of `VALUE_DRAWS` draws had no value, NaN if none had one."""

    value: float
    spread: Spread
    undefined: int


@dataclass(frozen=True)
class Error:
    """A standard error, and from how many groups left out it comes."""

    deviation: float
    groups: int

    @property
    def freedom(self) -> int:
        return self.groups - 1


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
        return Corrected(value if math.isnan(value) else min(max(value, low), high), found, int(np.isnan(values).sum()))

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


def jackknife(every: float, left: Floats, sizes: Floats) -> Error:
    """From values without one group after the other, groups of any size (busing1999): with h = n/size the variance is the mean
    of (pseudo - their mean by size)²/(h - 1), pseudo = h every - (h - 1) left. Groups without a value are left out."""
    defined = ~np.isnan(left)
    if math.isnan(every) or defined.sum() < 2:
        return Error(math.nan, int(defined.sum()))
    h, left = sizes.sum() / sizes[defined], left[defined]
    pseudo = h * every - (h - 1) * left
    centre = float(np.average(pseudo, weights=1 / h))
    variance = float(((pseudo - centre) ** 2 / (h - 1)).mean())
    return Error(math.sqrt(variance), int(defined.sum()))


def limits(
    c: Coefficient, value: float, observed: float, error: Error, level: float, *, difference: bool = False
) -> Interval:
    """value ± t times its standard error, cut off at the range of the coefficient, or of a difference of two, and widened to
    contain the observed value."""
    from scipy.special import stdtrit

    if math.isnan(value) or math.isnan(error.deviation):
        return Interval(math.nan, math.nan)
    wide = float(stdtrit(error.freedom, (1 + checking.level(level)) / 2)) * error.deviation
    low, high = (c.range[0] - c.range[1], c.range[1] - c.range[0]) if difference else c.range
    seen = value if math.isnan(observed) else observed
    return Interval(max(low, min(value - wide, seen)), min(high, max(value + wide, seen)))
