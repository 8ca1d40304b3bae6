"""Does a judge like long answers better than people do?

Within topics, the judge's score is set against people's and the length: f = a_t + b h + c log2(length), by least squares.
c is what doubling the length is worth under the judge at people's score; its error is that of topics as clusters (with
the correction G/(G - 1) for G of them). Where people's scores are noisy and people themselves like long answers, c is too
large: h takes up only a part of what they like.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ..arrays import Floats


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
    """

    doubling: float
    low: float
    high: float
    p: float
    in_spreads: float


def length_bias(judge: Floats, people: Floats, lengths: Floats, *, level: float) -> LengthBias:
    """All topics x systems, in the same order; lengths are above 0."""
    from scipy.special import stdtr, stdtrit

    y, h, x = (v - v.mean(axis=1, keepdims=True) for v in (judge, people, np.log2(lengths)))
    design = np.stack([h.ravel(), x.ravel()], axis=1)
    bread = np.linalg.pinv(design.T @ design)
    slopes = bread @ (design.T @ y.ravel())
    rest = y - slopes[0] * h - slopes[1] * x
    by_topic = np.stack([(h * rest).sum(axis=1), (x * rest).sum(axis=1)], axis=1)
    n = len(judge)
    covariance = bread @ (by_topic.T @ by_topic) @ bread * (n / max(1, n - 1))
    error = math.sqrt(max(float(covariance[1, 1]), 0.0))
    reach = float(stdtrit(max(1, n - 1), (1 + level) / 2)) * error
    slope = float(slopes[1])
    p = 2 * float(stdtr(max(1, n - 1), -abs(slope) / error)) if error > 0 else float(slope == 0)
    spread = float(y.std())
    return LengthBias(slope, slope - reach, slope + reach, p, slope / spread if spread > 0 else math.nan)
