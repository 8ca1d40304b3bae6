"""Does a judge like long answers better than people do?

The judge's score is set against people's and the length, with an effect of each topic and of each system: f = a_t + a_s +
b h + c log2(length), by least squares. c is what doubling the length is worth under the judge at people's score; its error
is that of topics as clusters (with the correction G/(G - 1) for G of them). Length that is a trait of a system, the same
on every topic, cannot be separated from what else the judge thinks of that system: the effect of the system takes it up,
and c rests on how lengths vary within systems. Without that effect the test found a bias in a third to a half of
collections that had none. Where people's scores are noisy and people themselves like long answers, c is too large: h takes
up only a part of what they like.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ..arrays import Floats

#: A share of a variance below this is rounding.
ROUNDING = 1e-12


class LengthBias(NamedTuple):
    """What doubling the length is worth under the judge, beyond people's score.

    Attributes
    ----------
    doubling, low, high : float
        In the judge's scores, with limits over topics.
    p : float
        Two-sided, against none.
    in_spreads : float
        The same in standard deviations of the judge's scores within topics.
    within : float
        The share of the variance of log lengths within topics that is not constant over a system's answers: what the
        estimate rests on. The rest cannot be separated from the systems themselves.
    undefined_because : str or None
        Why there is no estimate.
    """

    doubling: float
    low: float
    high: float
    p: float
    in_spreads: float
    within: float = math.nan
    undefined_because: str | None = None


def length_bias(judge: Floats, people: Floats, lengths: Floats, *, level: float) -> LengthBias:
    """All topics x systems, in the same order; lengths are above 0."""
    from scipy.special import stdtr, stdtrit

    by_topic = np.log2(lengths) - np.log2(lengths).mean(axis=1, keepdims=True)
    y, h, x = (_within(v) for v in (judge, people, np.log2(lengths)))
    whole = float((by_topic**2).sum())
    within = float((x**2).sum()) / whole if whole > 0 else math.nan
    if not within > ROUNDING:
        nan = math.nan
        why = "length does not vary within systems, so that it cannot be separated from them"
        return LengthBias(nan, nan, nan, nan, nan, within, why)
    design = np.stack([h.ravel(), x.ravel()], axis=1)
    bread = np.linalg.pinv(design.T @ design)
    slopes = bread @ (design.T @ y.ravel())
    rest = y - slopes[0] * h - slopes[1] * x
    moments = np.stack([(h * rest).sum(axis=1), (x * rest).sum(axis=1)], axis=1)
    n = len(judge)
    covariance = bread @ (moments.T @ moments) @ bread * (n / max(1, n - 1))
    error = math.sqrt(max(float(covariance[1, 1]), 0.0))
    reach = float(stdtrit(max(1, n - 1), (1 + level) / 2)) * error
    slope = float(slopes[1])
    p = 2 * float(stdtr(max(1, n - 1), -abs(slope) / error)) if error > 0 else float(slope == 0)
    spread = float((judge - judge.mean(axis=1, keepdims=True)).std())
    return LengthBias(slope, slope - reach, slope + reach, p, slope / spread if spread > 0 else math.nan, within)


def _within(values: Floats) -> Floats:
    """What is left without the effects of topics and of systems."""
    left = values - values.mean(axis=1, keepdims=True)
    return np.asarray(left - left.mean(axis=0))
