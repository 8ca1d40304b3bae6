"""Topics that are not a random sample: easy or hard ones are favoured, by weights that change from draw to draw."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..arrays import Floats, repeated

#: The pool from which topics are chosen: max(200, 4n) of them.
_POOL, _TIMES = 200, 4
#: Parameters of the Beta density: uniform between these.
_FIRST, _SECOND = (0.01, 2.0), (2.0, 8.0)
#: Expectations for a larger pool are taken from one of this size, with the same share chosen.
_LARGEST = 800
#: Gauss-Legendre points for each parameter.
_POINTS = 12


def pool_size(topics: int) -> int:
    """How many topics are drawn to choose `topics` from."""
    return max(_POOL, _TIMES * topics)


def choose(generator: np.random.Generator, pool: int, topics: int) -> NDArray[np.intp]:
    """Places of the chosen topics in a pool sorted by topic effect, in the order in which they were chosen.

    One after the other without replacement, with weights from a Beta(u, v) density at r/(pool + 1) for the r-th topic;
    u ~ U(.01, 2), v ~ U(2, 8), exchanged with probability 1/2 (urbano2016).
    """
    u, v = generator.uniform(*_FIRST), generator.uniform(*_SECOND)
    if generator.random() < 0.5:
        u, v = v, u
    # The order in which exponential clocks with these rates ring is the order of choices without replacement.
    clocks = np.log(generator.standard_exponential(pool)) - _log_weights(pool, np.array([u]), np.array([v]))[0]
    return np.argsort(clocks, kind="stable")[:topics]


def chosen_below(topics: int, levels: Floats) -> Floats:
    """The expected share of chosen topics whose effect is below each quantile level of the topic effects.

    Over the parameters by Gauss-Legendre points, over the places of the pool's topics exactly (order statistics are
    Beta). Approximate: the clock at which the last topic is chosen is taken as fixed, at the time when the expected
    number chosen is `topics`; a pool above 800 is taken as 800 with the same share chosen.
    """
    from scipy.special import betainc

    pool = pool_size(topics)
    number = float(topics)
    if pool > _LARGEST:
        number, pool = topics * _LARGEST / pool, _LARGEST
    shares = _inclusion(pool, number) / number
    places = np.arange(1, pool + 1)[:, None]
    reached = betainc(places, pool + 1 - places, np.clip(levels, 0.0, 1.0))
    return np.asarray(np.einsum("r,rl->l", shares, reached))


def _inclusion(pool: int, number: float) -> Floats:
    """The probability that each place of the pool is chosen, over all parameters."""
    nodes, weights = np.polynomial.legendre.leggauss(_POINTS)
    u, v = (middle + half * nodes for middle, half in map(_middle, (_FIRST, _SECOND)))
    rates = np.exp(_log_weights(pool, repeated(u, _POINTS), np.tile(v, _POINTS)))
    rates /= rates.sum(axis=1, keepdims=True)
    time = np.full((len(rates), 1), number)
    for _ in range(100):  # Newton from below: the number chosen is a concave function of time
        left = np.exp(-rates * time)
        short = number - (1 - left).sum(axis=1, keepdims=True)
        time += short / (rates * left).sum(axis=1, keepdims=True)
        if float(np.abs(short).max()) < 1e-10 * number:
            break
    share = np.einsum("p,pr->r", np.outer(weights, weights).ravel() / 4, 1 - np.exp(-rates * time))
    return np.asarray((share + share[::-1]) / 2)


def _middle(between: tuple[float, float]) -> tuple[float, float]:
    low, high = between
    return (low + high) / 2, (high - low) / 2


def _log_weights(pool: int, u: Floats, v: Floats) -> Floats:
    """Logarithms of Beta(u, v) densities up to a constant, one row per pair of parameters."""
    x = np.arange(1, pool + 1) / (pool + 1)
    return np.asarray((u[:, None] - 1) * np.log(x) + (v[:, None] - 1) * np.log(x[::-1]))
