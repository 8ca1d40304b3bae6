"""Does a difference of .05 under the judge mean anything? The scale of its differences, from people's.

Over all pairs of systems, people's difference d is set against the judge's D: d = b D. With b = 1 the judge's
differences are people's; with b = .5 they are worth half. The noise of the topics makes D larger, and b too small; so what
topics add to the products D d and D² on average is subtracted, and b is about true means. The interval is Fieller's, with a
jackknife over topics for the two products; that of the slope of observed means held .47 instead of .95 with a noisy judge.
How many pairs are in people's order from which difference on is counted, not modelled.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ..arrays import Floats

#: From this share of pairs in people's order on a difference is taken to mean something.
SURE = 0.95
#: Fewer pairs say nothing of a share.
FEWEST = 10
#: Fewer topics say nothing of their noise.
FEWEST_TOPICS = 3
#: What is less than this share of the judge's spread, squared, is rounding.
ROUNDING = 1e-9


class Calibration(NamedTuple):
    """What a difference under the judge is worth under people.

    Attributes
    ----------
    slope, low, high : float
        People's difference for a difference of 1 under the judge, corrected for topic noise, with limits over topics; NaN
        where the judge's means hardly differ beyond noise.
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
    x, y = (values - values.mean(axis=1, keepdims=True) for values in (judge, people))
    f, h = x.mean(axis=0), y.mean(axis=0)
    slope, low, high = _slope(x, y, level)
    first, second = np.triu_indices(len(f), 1)
    gaps, own = f[first] - f[second], h[first] - h[second]
    trustworthy, beyond = _trustworthy(np.abs(gaps), np.sign(gaps) == np.sign(own))
    residual = math.sqrt(float(((own - slope * gaps) ** 2).mean()))
    return Calibration(slope, low, high, trustworthy, beyond, residual, _step(f))


def _step(means: Floats) -> float:
    """.05 where the judge's means lie that far apart, else about a fifth of their range, with one digit."""
    width = float(np.ptp(means))
    if 0.05 <= width <= 2 or width == 0:
        return 0.05
    size = 10.0 ** math.floor(math.log10(width / 5))
    return max(1.0, math.floor(width / 5 / size)) * size


def _slope(judge: Floats, people: Floats, level: float) -> tuple[float, float, float]:
    """Over all differences of two systems, which is over deviations from the mean, with its limits by Fieller's theorem;
    NaN where the judge's spread does not differ from 0 beyond chance. Topics x systems, topic means removed."""
    from scipy.special import stdtrit

    n, nan = len(judge), math.nan
    if n < FEWEST_TOPICS:
        return nan, nan, nan
    every = _products(judge, people)
    left = np.array([_products(np.delete(judge, t, axis=0), np.delete(people, t, axis=0)) for t in range(n)])
    off = left - left.mean(axis=0)
    t2 = float(stdtrit(n - 1, (1 + level) / 2)) ** 2
    spread, both, own = t2 * (n - 1) / n * (off.T @ off)[[0, 0, 1], [0, 1, 1]]
    # (product - b square)² <= t² var(product - b square), a quadratic in b.
    a, b, c = every[0] ** 2 - spread, every[0] * every[1] - both, every[1] ** 2 - own
    if every[0] <= 0 or a <= ROUNDING * every[0] ** 2:
        return nan, nan, nan
    reach = math.sqrt(max(b * b - a * c, 0.0))
    return every[1] / every[0], (b - reach) / a, (b + reach) / a


def _products(judge: Floats, people: Floats) -> tuple[float, float]:
    """Sums over systems of the judge's means squared, and times people's, less what the noise of the topics adds to them
    on average."""
    n, found = len(judge), []
    mean = judge.mean(axis=0)
    for other in (judge, people):
        gold = other.mean(axis=0)
        found.append(float(mean @ gold) - float(((judge - mean) * (other - gold)).sum()) / (n * (n - 1)))
    return found[0], found[1]


def _trustworthy(sizes: Floats, right: Floats) -> tuple[float, float]:
    """The smallest size from which on so many are right, and the share of pairs from there on."""
    order = np.argsort(-sizes, kind="stable")
    share = np.cumsum(right[order]) / np.arange(1, len(order) + 1)
    ends = np.flatnonzero(np.concatenate((np.diff(sizes[order]) < 0, [True])))
    good = ends[(share[ends] >= SURE) & (ends + 1 >= min(FEWEST, len(order)))]
    if not good.size:
        return math.nan, 0.0
    return float(sizes[order][good[-1]]), float((good[-1] + 1) / len(order))
