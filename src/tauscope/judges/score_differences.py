"""Does a difference of .05 under the judge mean anything? The scale of its differences, from people's.

Over all pairs of systems, people's difference d is set against the judge's D: d = b D. With b = 1 the judge's
differences are people's; with b = .5 they are worth half. How many pairs are in people's order from which difference on
is counted, not modelled. The error is that of a jackknife over topics.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ..arrays import Floats
from ..expected.jackknife import jackknife

#: From this share of pairs in people's order on a difference is taken to mean something.
SURE = 0.95
#: Fewer pairs say nothing of a share.
FEWEST = 10


class Calibration(NamedTuple):
    """What a difference under the judge is worth under people.

    Attributes
    ----------
    slope, low, high : float
        People's difference for a difference of 1 under the judge, with limits over topics.
    trustworthy : float
        The smallest difference under the judge from which on 95 % of pairs are in people's order; NaN where there is
        none.
    beyond : float
        The share of pairs that differ by so much.
    residual : float
        The root mean square of what is left of people's differences: how far a single pair is off.
    step : float
        A difference under the judge that one may speak of: .05, or one that goes with the judge's scale.
    """

    slope: float
    low: float
    high: float
    trustworthy: float
    beyond: float
    residual: float
    step: float


def calibration(judge: Floats, people: Floats, *, level: float) -> Calibration:
    """Both topics x systems, in the same order."""
    n = len(judge)
    x, y = (values - values.mean(axis=1, keepdims=True) for values in (judge, people))
    f, h = x.mean(axis=0), y.mean(axis=0)
    slope = _slope(f, h)
    left = [_slope((n * f - x[t]) / (n - 1), (n * h - y[t]) / (n - 1)) for t in range(n)] if n > 1 else []
    reach = jackknife(slope, np.array(left), np.ones(n)).reach(level) if n > 2 else math.nan
    first, second = np.triu_indices(len(f), 1)
    gaps, own = f[first] - f[second], h[first] - h[second]
    trustworthy, beyond = _trustworthy(np.abs(gaps), np.sign(gaps) == np.sign(own))
    residual = math.sqrt(float(((own - slope * gaps) ** 2).mean()))
    return Calibration(slope, slope - reach, slope + reach, trustworthy, beyond, residual, _step(f))


def _step(means: Floats) -> float:
    """.05 where the judge's means lie that far apart, else about a fifth of their range, with one digit."""
    width = float(np.ptp(means))
    if 0.05 <= width <= 2 or width == 0:
        return 0.05
    size = 10.0 ** math.floor(math.log10(width / 5))
    return max(1.0, math.floor(width / 5 / size)) * size


def _slope(judge: Floats, people: Floats) -> float:
    """Over all differences of two systems, which is over deviations from the mean."""
    x, y = judge - judge.mean(), people - people.mean()
    spread = float(x @ x)
    return float(x @ y) / spread if spread > 0 else math.nan


def _trustworthy(sizes: Floats, right: Floats) -> tuple[float, float]:
    """The smallest size from which on so many are right, and the share of pairs from there on."""
    order = np.argsort(-sizes, kind="stable")
    share = np.cumsum(right[order]) / np.arange(1, len(order) + 1)
    ends = np.flatnonzero(np.concatenate((np.diff(sizes[order]) < 0, [True])))
    good = ends[(share[ends] >= SURE) & (ends + 1 >= min(FEWEST, len(order)))]
    if not good.size:
        return math.nan, 0.0
    return float(sizes[order][good[-1]]), float((good[-1] + 1) / len(order))
