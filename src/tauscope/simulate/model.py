"""The model behind a simulator, arrays only: effects, margins, dependence, and what they give on average."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..core.arrays import Floats, repeated
from ..results import count
from .dependence import Copula, gaussian_copula
from .expected_scores import Sums, centres, sums
from .margins import FLAT, Margins, Scale, kernel_margins, normal_margins

#: Cells drawn at a time: they fit in the cache, and it is always the same number, as must be the scores.
_BLOCK = 1 << 16


class Options(NamedTuple):
    """What was asked of a simulator."""

    means: str = "exact"
    normal: bool = False
    homoscedastic: bool = False
    uncorrelated: bool = False
    random_topics: bool = True
    decimals: int | None = None

    def text(self) -> str:
        """The options that were chosen, for a sentence."""
        words = [f"means {self.means}"]
        words += [name for name in ("normal", "homoscedastic", "uncorrelated") if getattr(self, name)]
        words += [] if self.random_topics else ["topics not a random sample"]
        words += [] if self.decimals is None else [f"rounded to {count(self.decimals, 'decimal')}"]
        return ", ".join(words)


@dataclass(frozen=True, eq=False, kw_only=True)
class Model:
    """z_st = centre_s + nu_t + e_st; `kept` holds the score of a system that has only one, NaN for all others."""

    scale: Scale
    centres: Floats
    shifts: Floats
    residuals: Margins
    topics: Margins
    copula: Copula
    kept: Floats
    random_topics: bool

    def draw(self, topics: int, generator: np.random.Generator) -> Floats:
        """Scores on new topics, topics x systems."""
        normal = self._topic_scores(topics, generator)
        effects = self.topics.at(normal[:, None].copy())
        m = len(self.centres)
        kept = np.flatnonzero(~np.isnan(self.kept))
        result = np.empty((topics, m))
        rows = max(1, _BLOCK // m)
        for start in range(0, topics, rows):
            part = slice(start, start + rows)
            noise = generator.standard_normal((len(effects[part]), self.copula.rank))
            z = self.residuals.at(self.copula.scores(normal[part], noise))
            z += self.centres
            z += effects[part]
            result[part] = self.scale.back(z)
        result[:, kept] = self.kept[kept]
        return result

    def _topic_scores(self, topics: int, generator: np.random.Generator) -> Floats:
        """Normal scores of the topics. The effect rises with them, so that sorting them sorts topics by effect."""
        if self.random_topics:
            return generator.standard_normal(topics)
        pool = np.sort(generator.standard_normal(pool_size(topics)))
        return np.asarray(pool[choose(generator, len(pool), topics)])

    def expected(self, topics: int) -> Floats:
        """The expected score of each system in collections of so many topics."""
        total = _sums(self.residuals, self.topics, self.copula, self.random_topics, topics)
        result = total.expected(self.centres, self.scale)
        return np.asarray(np.where(np.isnan(self.kept), result, self.kept))


def fit(scores: Floats, options: Options) -> tuple[Model, Floats]:
    """The model of a matrix of scores, topics x systems, and its true means."""
    scale = Scale(options.normal, options.decimals)
    systems, effects, residuals = _decomposed(scale.forward(scores), options.homoscedastic)
    if options.normal:
        margins = normal_margins(residuals.std(axis=0, ddof=1))
    else:
        margins = kernel_margins(residuals, scale.support)
    topics = kernel_margins(effects[:, None], scale.support)
    copula = gaussian_copula(residuals, effects, uncorrelated=options.uncorrelated)
    total = _sums(margins, topics, copula, options.random_topics, len(scores))
    means = scores.mean(axis=0)
    middle = centres(total, means, systems, scale) if options.means == "exact" else systems
    rounded = means if options.decimals is None else np.round(means, options.decimals)
    kept = np.where(total.still, rounded, np.nan)
    truth = means if options.means == "exact" else total.expected(middle, scale)
    model = Model(
        scale=scale,
        centres=middle,
        shifts=middle - systems,
        residuals=margins,
        topics=topics,
        copula=copula,
        kept=kept,
        random_topics=options.random_topics,
    )
    return model, np.where(total.still, kept, truth)


def _decomposed(z: Floats, homoscedastic: bool) -> tuple[Floats, Floats, Floats]:
    """(mu + nu_s, nu_t, e_st); with `homoscedastic` residuals of all systems have the pooled variance."""
    systems = z.mean(axis=0)
    effects = z.mean(axis=1) - systems.mean()
    residuals = z - systems - effects[:, None]
    if homoscedastic:
        variances = residuals.var(axis=0, ddof=1)
        live: NDArray[np.bool_] = variances > FLAT**2
        residuals[:, live] *= np.sqrt(variances.mean() / variances[live])
    return systems, effects, residuals


def _sums(residuals: Margins, topics: Margins, copula: Copula, random_topics: bool, number: int) -> Sums:
    below = None if random_topics else partial(chosen_below, number)
    return sums(residuals, topics.tables[0], copula, below)


# Topics that are not a random sample: easy or hard ones are favoured, by weights that change from draw to draw.

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
