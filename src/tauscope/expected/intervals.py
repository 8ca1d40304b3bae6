"""Between which values does the correlation with the true ranking lie? Quantiles of scaled draws of the true means.

With topic means removed, a the observed means and e* the deviations of the resampled ones: mu* = g a + sqrt(g)
sqrt(n/(n-1)) e*, inside each group of systems (`inference.reliability`). The factor n/(n-1) makes up for the
variance that resampling loses, and g, the reliability, for observed means being further apart than true ones. Without
it the interval is too optimistic where systems are close. There g itself is hardly known, so each draw has its own, and
the lower limit counts a draw whose g has the confidence u 3 (1 - u)² times: that g may be low is what must not be
missed. For the same reason the lower limit gives groups of systems more weight than the value and the upper limit do.

Resampled topics have no tails: where the order is nearly certain every draw has it, while Student's t leaves it a
chance of being wrong. There quantiles of the draws alone would not hold the expected value, so limits go as far as it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from .. import checking
from ..arrays import Bools, Floats
from ..coefficients.records import Coefficient
from ..inference.observed import Observed
from ..inference.reliability import evenly
from ..jobs.draws import INTERVAL_DRAWS, Stream, stream
from .true_means import coefficient_draws


class Interval(NamedTuple):
    """Both limits of an interval; it unpacks: `low, high = result.interval`."""

    low: float
    high: float


class WithInterval:
    """What results with an interval share: `level`, and limits at that level and at others."""

    level: float

    @property
    def interval(self) -> Interval:
        """Where the true value lies with confidence `level`: (low, high), NaN where there is none."""
        return self.interval_at(self.level)

    def interval_at(self, level: float) -> Interval:
        """The interval at another level; nothing is drawn again.

        Parameters
        ----------
        level : float
            Confidence, between 0 and 1.

        Returns
        -------
        Interval
            (low, high); NaN where there is none.
        """
        raise TypeError(f"{type(self).__name__} must define interval_at()")

    def at_least(self, level: float | None = None) -> float:
        """What is the true value at least? A one-sided limit.

        Parameters
        ----------
        level : float or None, default None
            Confidence, above 0.5; None is that of the result.

        Returns
        -------
        float
            The lower limit; NaN where there is none.
        """
        # One-sided at 95 % is the lower end of the interval at 90 %.
        one_sided = checking.level(self.level if level is None else level)
        return self.interval_at(2 * one_sided - 1).low if one_sided > 0.5 else math.nan


@dataclass(frozen=True, eq=False, kw_only=True)
class CorrelationDraws:
    """Values of a coefficient of the observed ranking with draws of the true one; `undefined` of them had none.

    `lower` and `upper` are the weights of the draws in lower and in upper limits; `bayesian`: topics had random weights
    instead of being resampled; `expected`: the expected value, which lies between all limits, or NaN.
    """

    values: Floats
    lower: Floats
    upper: Floats
    undefined: int
    bayesian: bool
    expected: float = math.nan

    def interval(self, level: float) -> Interval:
        """Where the middle share `level` of the draws lies, and the expected value."""
        rest = (1 - checking.level(level)) / 2
        return Interval(self._low(rest), self._high(1 - rest))

    def at_least(self, level: float) -> float:
        """The value that is exceeded with this confidence, at most the expected one."""
        return self._low(1 - checking.level(level))

    def _low(self, share: float) -> float:
        if not len(self.values):
            return math.nan
        return float(np.fmin(weighted_quantile(self.values, self.lower, share), self.expected))

    def _high(self, share: float) -> float:
        if not len(self.values):
            return math.nan
        alike = (self.upper == self.upper[0]).all()
        high = np.quantile(self.values, share) if alike else weighted_quantile(self.values, self.upper, share)
        return float(np.fmax(high, self.expected))

    @property
    def text(self) -> str:
        """How they were made, for a line of a result: "2,000 scaled draws"."""
        kind = "scaled draws of a Bayesian bootstrap" if self.bayesian else "scaled draws"
        return f"{len(self.values) + self.undefined:,} {kind}"


def weighted_quantile(values: Floats, weights: Floats, share: float) -> float:
    """The value below which this share of the weight lies, between draws by a straight line.

    >>> weighted_quantile(np.array([3.0, 1.0, 2.0]), np.ones(3), 0.5)
    2.0
    >>> weighted_quantile(np.array([1.0, 2.0, 3.0]), np.array([1.0, 1.0, 0.0]), 0.9)
    2.0
    """
    order = np.argsort(values, kind="stable")
    order = order[weights[order] > 0]
    own = weights[order]
    return float(np.interp(share, (np.cumsum(own) - own / 2) / own.sum(), values[order]))


def caution(shares: Floats) -> Floats:
    """How much a lower limit counts a reliability of this confidence: 3 (1 - u)², so that low ones count more."""
    return np.asarray(3 * (1 - shares) ** 2)


def draw_correlations(
    observed: Observed,
    c: Coefficient,
    seed: int,
    *,
    expected: float = math.nan,
    bayesian: bool = False,
    draws: int = INTERVAL_DRAWS,
) -> CorrelationDraws:
    """Draws for an interval that holds the expected value, from the seed's own stream."""
    generator = stream(seed, Stream.INTERVAL)
    shares = evenly(draws, generator)
    chosen = observed.local.chosen_for_limits(shares, generator)
    lower, upper = observed.local.weights_in_limits(chosen)
    values = coefficient_draws(observed, c, draws, generator, bayesian=bayesian, shares=shares, chosen=chosen)
    defined = ~np.isnan(values)
    return CorrelationDraws(
        values=values[defined],
        lower=(caution(shares) * lower)[defined],
        upper=upper[defined],
        undefined=len(values) - int(defined.sum()),
        bayesian=bayesian,
        expected=expected,
    )


#: Groups of topics of which one at a time is left out.
MOST_GROUPS = 20


@dataclass(frozen=True, kw_only=True)
class StandardError:
    """A standard error, NaN where there is none, and from how many groups left out it comes."""

    deviation: float
    groups: int

    @property
    def freedom(self) -> int:
        """Degrees of freedom: one less than groups."""
        return self.groups - 1

    def reach(self, level: float) -> float:
        """How far the limits of an interval with confidence `level` are from the value: Student's t times the error."""
        from scipy.special import stdtrit

        return float(stdtrit(self.freedom, (1 + level) / 2)) * self.deviation


#: What is known where nothing was left out.
NO_ERROR = StandardError(deviation=math.nan, groups=0)


def pseudo_values(
    every: Floats | float, left: Floats, sizes: Floats, used: Bools | None = None
) -> tuple[Floats, Floats]:
    """h every - (h - 1) left, h = n/size, less their mean by size, one row per group that is `used`; and h
    (busing1999).

    `left` has one row per group, and one column per value where there are several.
    """
    used = np.ones(len(left), bool) if used is None else used
    h = sizes.sum() / sizes[used]
    rows = h if left.ndim == 1 else h[:, None]
    pseudo = rows * every - (rows - 1) * left[used]
    return np.asarray(pseudo - np.average(pseudo, axis=0, weights=1 / h)), h


def jackknife(every: float, left: Floats, sizes: Floats) -> StandardError:
    """The standard error from values without one group after the other, groups of any size (busing1999).

    With h = n/size the variance is the mean of (pseudo-value - their mean)²/(h - 1). Groups without a value are left
    out.

    >>> found = jackknife(5.0, np.array([6.5, 5.5, 3.0]), np.ones(3))  # of the mean of 2, 4 and 9
    >>> round(found.deviation**2, 6), round(float(np.var([2.0, 4.0, 9.0], ddof=1)) / 3, 6)
    (4.333333, 4.333333)
    """
    defined = ~np.isnan(left)
    groups = int(defined.sum())
    if math.isnan(every) or groups < 2:
        return StandardError(deviation=math.nan, groups=groups)
    centred, h = pseudo_values(every, left, sizes, defined)
    return StandardError(deviation=math.sqrt(float((centred**2 / (h - 1)).mean())), groups=groups)
