"""Does a judge like long answers better than people do?

The judge's score is set against people's and the length, with an effect of each topic and of each system: f = a_t + a_s +
b h + c log2(length), by least squares. c is what doubling the length is worth under the judge at people's score; its error
is that of topics as clusters, with the usual small-sample correction G/(G - 1) (N - 1)/(N - K) for G topics, N scores and K
coefficients; effects of topics, each within one cluster, are not counted. Length that is a trait of a system, the same
on every topic, cannot be separated from what else the judge thinks of that system: the effect of the system takes it up,
and c rests on how lengths vary within systems. Without that effect the test found a bias in a third to a half of
collections that had none. Where people's scores are noisy and people themselves like long answers, c is too large: h takes
up only a part of what they like, and the test found a bias in seven of ten collections that had none. So the same test is
made of people's own scores, and the result says where these depend on length.
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
    of_people, p_of_people : float
        What doubling the length is worth under people, and the p-value of its test. Where this is more than chance and
        people's scores are noisy, part of it counts as the judge's.
    undefined_because : str or None
        Why there is no estimate.
    """

    doubling: float
    low: float
    high: float
    p: float
    in_spreads: float
    within: float = math.nan
    of_people: float = math.nan
    p_of_people: float = math.nan
    undefined_because: str | None = None


def length_bias(judge: Floats, people: Floats, lengths: Floats, *, level: float) -> LengthBias:
    """All topics x systems, in the same order; lengths are above 0."""
    from scipy.special import stdtrit

    by_topic = np.log2(lengths) - np.log2(lengths).mean(axis=1, keepdims=True)
    y, h, x = (_within(v) for v in (judge, people, np.log2(lengths)))
    whole = float((by_topic**2).sum())
    within = float((x**2).sum()) / whole if whole > 0 else math.nan
    if not within > ROUNDING:
        nan = math.nan
        why = "length does not vary within systems, so that it cannot be separated from them"
        return LengthBias(nan, nan, nan, nan, nan, within, undefined_because=why)
    slope, error, p = _last_slope(y, (h, x))
    of_people, _, p_of_people = _last_slope(h, (x,))
    reach = float(stdtrit(max(1, len(judge) - 1), (1 + level) / 2)) * error
    spread = float((judge - judge.mean(axis=1, keepdims=True)).std())
    relative = slope / spread if spread > 0 else math.nan
    return LengthBias(slope, slope - reach, slope + reach, p, relative, within, of_people, p_of_people)


def _last_slope(y: Floats, predictors: tuple[Floats, ...]) -> tuple[float, float, float]:
    """The last slope of a least-squares fit, its standard error with topics as clusters, and a two-sided p-value. All are
    topics x systems, effects of both removed."""
    from scipy.special import stdtr

    design = np.stack([x.ravel() for x in predictors], axis=1)
    bread = np.linalg.pinv(design.T @ design)
    slopes = bread @ (design.T @ y.ravel())
    rest = y - sum(slope * x for slope, x in zip(slopes, predictors, strict=True))
    moments = np.stack([(x * rest).sum(axis=1) for x in predictors], axis=1)
    topics, systems = y.shape
    coefficients = systems - 1 + len(predictors)
    small = topics / max(1, topics - 1) * (y.size - 1) / max(1, y.size - coefficients)
    error = math.sqrt(max(float((bread @ (moments.T @ moments) @ bread)[-1, -1]), 0.0) * small)
    slope = float(slopes[-1])
    p = 2 * float(stdtr(max(1, topics - 1), -abs(slope) / error)) if error > 0 else float(slope == 0)
    return slope, error, p


def _within(values: Floats) -> Floats:
    """What is left without the effects of topics and of systems."""
    left = values - values.mean(axis=1, keepdims=True)
    return np.asarray(left - left.mean(axis=0))
