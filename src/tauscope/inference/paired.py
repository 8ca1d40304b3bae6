"""Every two systems on the topics that both have: paired t-tests where cells are missing."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from ..core.arrays import Bools, Floats, Ints, product
from ..core.differences import near_one
from ..core.ties import SNAP, snap
from ..data.holes import RestsOn
from ..data.labelled import mean_over
from ..data.scores import Scores
from ..results import word
from .corrections import holm, rejected
from .methods import confidences
from .reliability import LocalReliability


@dataclass(frozen=True, eq=False, kw_only=True)
class Paired:
    """Every two systems on the topics that both have, best first: topics in common, t and two-sided p-values."""

    names: list[str]
    x: Floats
    means: Floats
    unit: float
    shared: Ints
    differing: Ints
    identical: Bools
    t: Floats
    p: Floats

    @classmethod
    def of(cls, scores: Scores) -> Paired:
        """From scores with holes; the order is that of the means over the topics that each system has."""
        x, unit = _scaled(scores.values)
        means, _ = snap(mean_over(x, 0))
        order = np.argsort(-means, kind="stable")
        x, means = x[:, order], means[order]
        tolerance = SNAP * float(np.nanmax(np.abs(x)))
        shared, gap, deviation = _differences(x)
        differing, identical = _differing(x, tolerance)
        t = _statistics(shared, gap, deviation, tolerance)
        return cls(
            names=[scores.systems[i] for i in order],
            x=x,
            means=means,
            unit=unit,
            shared=shared,
            differing=differing,
            identical=identical,
            t=t,
            p=_pvalues(t, shared, differing),
        )

    def better(self, level: float) -> Bools:
        """systems x systems: whether i is better than j, all such statements right at once (Holm)."""
        return _significantly_better(self.t, self.p, level)

    def apart_from(self, system: int, level: float) -> Bools:
        """Which systems differ from one, the one in this place, all statements about it right at once (Holm)."""
        apart, own = np.zeros(len(self.p), bool), self.p[system]
        known = np.flatnonzero(~np.isnan(own) & (np.arange(len(own)) != system))
        apart[known] = rejected(holm(own[known]), 1 - level)
        return np.asarray(apart & ~(self.t[system] == 0))

    def not_exceeded(self, level: float) -> Bools:
        """Systems that no other one exceeds beyond chance: the one-sided p-values of the others, times their number."""
        one_sided = np.where(self.t.T > 0, self.p / 2, 1 - self.p / 2)  # of "column is better than row"
        np.fill_diagonal(one_sided, 1.0)
        known = (~np.isnan(one_sided)).sum(axis=1) - 1
        least = np.nanmin(one_sided, axis=1)
        return np.asarray(~rejected(np.minimum(1.0, least * np.maximum(known, 1)), 1 - level))

    def swaps(self) -> Floats:
        """Swap probabilities of the pairs, NaN where fewer than two topics are shared."""
        local = LocalReliability.of(*means_and_influence(self.x))
        tails = _shrunk_tails(self.t, self.shared, local)
        tied = self.means[:, None] == self.means[None, :]
        return _swaps(self.t, tails, self.shared, self.differing, tied)

    def rests_on(self, tests: str = "paired t-tests, Holm") -> RestsOn:
        """How many cells the pairs rest on, and by which tests they are compared."""
        pairs = self.shared[np.triu_indices(len(self.names), 1)]
        rule = (
            f"in the order of means over the {word('topics')} that each has, "
            f"pairs on the {word('topics')} that both have ({tests})"
        )
        missing = int(np.isnan(self.x).sum())
        return RestsOn.of(pairs, f"{word('topics')} in common", rule, missing=missing, cells=self.x.size)


def _scaled(values: Floats) -> tuple[Floats, float]:
    """Scores times a power of two that keeps their squares finite, and what undoes it; holes stay."""
    known = ~np.isnan(values)
    scaled, unit = near_one(np.where(known, values, 0.0))
    return np.where(known, scaled, np.nan), unit


def _differences(x: Floats) -> tuple[Ints, Floats, Floats]:
    """Of every pair: topics that both have, mean and standard deviation of first - second over them."""
    known = ~np.isnan(x)
    o = known.astype(np.float64)
    topic = np.where(known, x, 0.0).sum(axis=1) / np.maximum(known.sum(axis=1), 1)
    c = np.where(known, x - topic[:, None], 0.0)  # without topic means: sums of squares do not cancel
    shared = product(o.T, o)
    sums, squares, products = product(c.T, o), product((c * c).T, o), product(c.T, c)
    with np.errstate(invalid="ignore", divide="ignore"):
        gap = (sums - sums.T) / shared
        variance = (squares + squares.T - 2 * products - shared * gap**2) / (shared - 1)
    few = shared < 2
    gap[few] = np.nan
    scale = float(np.abs(c).max())
    deviation = np.sqrt(np.where(few, np.nan, np.maximum(variance, 0.0)))
    return shared.astype(np.int64), gap, np.where(deviation <= 1e-7 * scale, 0.0, deviation)


def _differing(x: Floats, tolerance: float) -> tuple[Ints, Bools]:
    """Of every pair: shared topics on which the two differ, and whether they have the same scores everywhere."""
    m = x.shape[1]
    known = ~np.isnan(x)
    differing = np.zeros((m, m), np.int64)
    identical = np.zeros((m, m), bool)
    for i in range(m):
        differing[i] = (np.abs(x - x[:, [i]]) > tolerance).sum(axis=0)  # a missing cell makes NaN, which is not greater
        identical[i] = (known == known[:, [i]]).all(axis=0) & (differing[i] == 0) & (known[:, i].sum() > 1)
    return differing, identical


def means_and_influence(x: Floats) -> tuple[Floats, Floats]:
    """As those of `Observed`, error variances and means each over the topics that a system has.

    One topic does not tell how a system varies: such systems vary from topic to topic as the others do on average.
    """
    known = ~np.isnan(x)
    sizes = known.sum(axis=0)
    topic = np.where(known, x, 0.0).sum(axis=1) / np.maximum(known.sum(axis=1), 1)
    c = np.where(known, x - topic[:, None], 0.0)
    a = c.sum(axis=0) / np.maximum(sizes, 1)
    residual = np.where(known, c - a, 0.0)
    several, once = sizes > 1, sizes == 1
    if several.any():
        variance = (residual[:, several] ** 2).sum(axis=0) / (sizes[several] - 1)
        residual[known & once] = math.sqrt(float(variance.mean()))
    influence = residual / np.sqrt(np.maximum(sizes * (sizes - 1.0), 1.0))
    return np.where(sizes > 0, a, 0.0), influence


def _statistics(shared: Ints, gap: Floats, deviation: Floats, tolerance: float) -> Floats:
    """t of first - second; infinite for a constant difference, 0 where there is none."""
    constant = np.where(np.isnan(gap), np.nan, np.where(np.abs(gap) > tolerance, np.copysign(np.inf, gap), 0.0))
    return np.divide(gap * np.sqrt(shared), deviation, out=constant, where=deviation > 0)


def _tail(t: Floats, shared: Ints) -> Floats:
    """T_{k-1}(-|t|), NaN where t is."""
    from scipy.special import stdtr

    return np.where(np.isinf(t), 0.0, stdtr(np.maximum(shared - 1, 1), -np.abs(t)))


def _pvalues(t: Floats, shared: Ints, differing: Ints) -> Floats:
    """Two-sided, and never below what a sign test of as many topics could reach: few topics of 0 and 1 often differ
    alike.
    """
    least = np.where(differing > 0, np.exp2(1.0 - differing), 1.0)
    return np.where(np.isnan(t), np.nan, np.maximum(2 * _tail(t, shared), least))


def _shrunk_tails(t: Floats, shared: Ints, local: LocalReliability) -> Floats:
    """T_{k-1}(-sqrt(g) |t|), averaged over the reliabilities that a pair could have."""
    pairs = np.triu_indices(len(t), 1)
    tails = np.zeros(len(pairs[0]))
    for weight, reliabilities in local.terms(confidences(len(tails)), pairs):
        for g in reliabilities:
            tails += weight / len(reliabilities) * _tail(t[pairs] * math.sqrt(g), shared[pairs])
    found = np.zeros(t.shape)
    found[pairs] = tails
    return found + found.T


def _swaps(t: Floats, tails: Floats, shared: Ints, differing: Ints, tied: Bools) -> Floats:
    """Tails for the observed order: rows above columns in the upper triangle, symmetric."""
    upper = np.triu(np.ones(t.shape, bool), 1)
    against = np.maximum(tails, np.exp2(-np.maximum(differing, 1.0)))
    chance = np.where(upper, np.where(t >= 0, against, 1 - against), 0.0)
    chance[upper & tied] = 0.5
    chance[upper & (shared < 2)] = np.nan
    return np.asarray(np.where(upper, chance, chance.T) * (1 - np.eye(len(t))))


def _significantly_better(t: Floats, pvalues: Floats, level: float) -> Bools:
    """systems x systems: whether i is better than j, all such statements right at once (Holm)."""
    m = len(t)
    first, second = np.triu_indices(m, 1)
    own = t[first, second]
    known = np.flatnonzero(~np.isnan(own))
    found = known[rejected(holm(pvalues[first, second][known]), 1 - level)]
    wins = own[found] > 0
    better = np.zeros((m, m), bool)
    better[first[found[wins]], second[found[wins]]] = True
    better[second[found[~wins]], first[found[~wins]]] = True
    return better
