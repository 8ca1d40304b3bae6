"""How high is a coefficient of two rankings of means once topic noise is taken off, and how sure is that?

The value is the mean of c(mu*_E, mu*_T) over draws of the true means (`noise`), and half of the misfit: what the coefficient of
the observed means has more than that of means observed anew, mu* + noise. Where true means are not as normal as the draws suppose,
the misfit says so; half of it balances bias against variance (docs/explanation). The standard error is by jackknife over groups of
topics, of systems, or both, with the same draws for all.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import numpy as np

from ..coefficients.records import Coefficient
from ..reference import Ints
from ..ties import Floats
from .joint import Joint, Moments, Sums, draw_counts
from .noise import Spread, coefficient_of, spread, true_mean_draws

#: Draws behind a value, and behind each value of the jackknife.
VALUE_DRAWS, JACKKNIFE_DRAWS = 1000, 200
#: How much of the misfit is added.
MISFIT = 0.5

Progress = Callable[[int, int], None]


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


class Correction:
    """Corrects one coefficient of matrix `estimate` against matrix `truth` of joint scores."""

    def __init__(self, joint: Joint, c: Coefficient, generator: np.random.Generator) -> None:
        self.joint, self.coefficient = joint, c
        self.counts = draw_counts(joint, VALUE_DRAWS, generator)
        self.freedom = min(joint.topics) - 1.0

    def value(self) -> Corrected:
        """The corrected value."""
        undivided = replace(self.joint, group=np.zeros_like(self.joint.group))
        return self._corrected(Sums(undivided, self.counts).moments())

    def topics(self, report: Progress | None = None) -> Error:
        """The standard error from topics left out."""
        sums = Sums(self.joint, self.counts[:JACKKNIFE_DRAWS])
        sizes = np.bincount(self.joint.group).astype(float)
        every = self._corrected(sums.moments()).value
        left = [self._corrected(sums.moments(g)).value for g in _counted(len(sizes), report)]
        return jackknife(every, np.array(left), sizes)

    def systems(self, groups: Ints, report: Progress | None = None) -> Error:
        """The standard error from groups of systems left out."""
        undivided = replace(self.joint, group=np.zeros_like(self.joint.group))
        moments = Sums(undivided, self.counts[:JACKKNIFE_DRAWS]).moments()
        sizes = np.bincount(groups).astype(float)
        every = self._corrected(moments).value
        left = [self._corrected(moments.of_systems(groups != g)).value for g in _counted(len(sizes), report)]
        return jackknife(every, np.array(left), sizes)

    def _corrected(self, moments: Moments) -> Corrected:
        found = spread(moments)
        means = true_mean_draws(moments, found, self.freedom)
        values = self._coefficient(means[0], means[1], moments)
        # Noise of the next draw: of the same size as this one's, and independent of it.
        anew = [own + np.roll(noise, 1, axis=0) for own, noise in zip(means, moments.deviations, strict=True)]
        again = self._coefficient(anew[0], anew[1], moments)
        observed = self._coefficient(moments.means[:1], moments.means[1:2], moments)[0]
        value = _mean(values)
        misfit = observed - _mean(again)
        value = value if math.isnan(misfit) else value + MISFIT * misfit
        low, high = self.coefficient.range
        return Corrected(min(max(value, low), high) if value == value else value, found, int(np.isnan(values).sum()))

    def _coefficient(self, estimate: Floats, truth: Floats, moments: Moments) -> Floats:
        return coefficient_of(self.coefficient, self.joint, estimate, truth, moments.twin)


def _counted(n: int, report: Progress | None) -> Iterator[int]:
    for i in range(n):
        yield i
        if report is not None:
            report(i + 1, n)


def _mean(values: Floats) -> float:
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
