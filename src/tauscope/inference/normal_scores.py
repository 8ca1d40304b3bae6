"""Estimates with a covariance: which differences are more than chance, all at once, and which ranks that leaves.

The engine of every board whose scores come with errors instead of topics. The statistic of two systems is z_ij = (x_i -
x_j)/se_ij; errors are drawn from the normal distribution of the estimates (Student's t where the covariance was itself
estimated from few clusters), and a difference must exceed what the largest of all comes to.

The step-down is that of mogstad2024 (and of R's csranks): the hypotheses are "i is not better than j", one per ordered
pair; those that are rejected leave the family, their opposites stay in it. All draws serve every step, so that fewer
pairs never have a larger critical value, and this is all that romano2005 ask of a step-down that keeps the familywise
error: so no pair is called better the wrong way round, at the level, and all ranks are held at once. A step that drew
anew, as csranks does, would find a little more by luck.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..coefficients.records import TAU_A
from ..core import checking, kernels
from ..core.arrays import Bools, Floats, Ints, product, snap
from ..core.checking import TRUTH_DRAWS, Stream, error_draws, stream
from .expected_views import enlarged_collection
from .methods import confidences
from .reliability import LocalReliability, evenly
from .true_means import CorrelationDraws, caution

Errors = NDArray[np.float32]
#: Boards with more than this many times the votes are not considered.
MOST_TIMES = 1e6


@dataclass(frozen=True, eq=False)
class NormalScores:
    """Estimates, best first, and their covariance. `order`: places in the input; `freedom`: of the covariance;
    `shrunk`: that the estimates are means of a posterior, whose gaps are as large as the true ones are on average;
    `sign`: -1 where lower is better in the source, and the estimates are its scores negated."""

    systems: tuple[str, ...]
    estimates: Floats
    covariance: Floats
    order: Ints
    freedom: float = math.inf
    shrunk: bool = False
    sign: float = 1.0

    @classmethod
    def of(
        cls,
        systems: tuple[str, ...],
        estimates: Floats,
        covariance: Floats,
        freedom: float = math.inf,
        *,
        shrunk: bool = False,
        sign: float = 1.0,
    ) -> NormalScores:
        """From any order."""
        snapped, _ = snap(estimates)
        order = np.argsort(-snapped, kind="stable")
        names = tuple(systems[i] for i in order)
        return cls(names, snapped[order], covariance[np.ix_(order, order)], order, freedom, shrunk, sign)

    def select(self, systems: Sequence[str]) -> NormalScores:
        """Only these systems."""
        at = [self.systems.index(name) for name in systems]
        own, errors = self.estimates[at], self.covariance[np.ix_(at, at)]
        return NormalScores.of(tuple(systems), own, errors, self.freedom, shrunk=self.shrunk, sign=self.sign)

    def shifted(self, system: str, amount: float) -> NormalScores:
        """The same with something added to the score of one system."""
        own = self.estimates + amount * np.array([name == system for name in self.systems])
        return NormalScores.of(self.systems, own, self.covariance, self.freedom, shrunk=self.shrunk, sign=self.sign)

    @property
    def as_read(self) -> Floats:
        """The estimates on the scale of the source: with the other sign where lower is better."""
        return np.asarray(0.0 - self.estimates) if self.sign < 0 else self.estimates

    @property
    def size(self) -> int:
        return len(self.systems)

    @cached_property
    def gaps(self) -> Floats:
        """x_i - x_j."""
        return np.asarray(self.estimates[:, None] - self.estimates[None, :])

    @cached_property
    def errors(self) -> Floats:
        """Standard errors of all differences; 0 where they are nothing but rounding."""
        own = np.diagonal(self.covariance)
        both = own[:, None] + own[None, :]
        variance = both - 2 * self.covariance
        variance[variance <= 1e-12 * both] = 0.0
        return np.asarray(np.sqrt(variance))

    @cached_property
    def scale(self) -> Floats:
        """1/se of all differences; 0 where the error is 0."""
        return np.asarray(np.divide(1.0, self.errors, out=np.zeros_like(self.errors), where=self.errors > 0))

    @cached_property
    def statistics(self) -> Floats:
        """z of all differences; infinite where there is one without an error."""
        sure = np.where(self.gaps > 0, np.inf, np.where(self.gaps < 0, -np.inf, 0.0))
        return np.asarray(np.where(self.errors > 0, self.gaps * self.scale, sure))

    def draws(self, seed: int, draws: int, use: Stream = Stream.PAIRS) -> Floats:
        """Errors of the estimates as they could have been: draws x systems."""
        generator = stream(seed, use)
        drawn = product(generator.standard_normal((draws, self.size)), self._directions)
        if math.isfinite(self.freedom):
            drawn *= np.sqrt(self.freedom / generator.chisquare(self.freedom, draws))[:, None]
        return np.asarray(drawn)

    @cached_property
    def reliability(self) -> float:
        """How much of the spread of the estimates is real: 1 - error variance / observed variance; NaN without a
        spread."""
        centre = self.estimates - self.estimates.mean()
        spread = float(centre @ centre)
        error = float(np.trace(self.covariance) - self.covariance.sum() / self.size)
        return 1 - error / spread if spread > 0 else math.nan

    @cached_property
    def _directions(self) -> Floats:
        """Z with Z'Z the covariance, a row for each direction in which estimates err."""
        return symmetric_root(self.covariance)

    @cached_property
    def local(self) -> LocalReliability:
        """The reliability of the estimates in one group of systems or in several, and how well it is known."""
        directions = self._directions - self._directions.mean(axis=1, keepdims=True)
        return LocalReliability.of_directions(self.estimates - self.estimates.mean(), directions, self.freedom)

    def terms(self, first: Ints, second: Ints) -> list[tuple[Floats, float]]:
        """(weight of each of these pairs, how much of its gap is real): for each pair the weights sum to 1."""
        if self.shrunk:
            return [(np.ones(len(first)), 1.0)]
        found = []
        for weight, reliabilities in self.local.terms(confidences(len(first)), (first, second)):
            found += [(weight / len(reliabilities), float(g)) for g in reliabilities]
        return found


#: Eigenvalues of a covariance below this share of the largest are rounding, whose root would be far larger.
SINGULAR = 1e-10


def symmetric_root(covariance: Floats) -> Floats:
    """Compute the symmetric root of a covariance.

    Draws that are made with it are the same on all processors, which those made with eigenvectors are not: signs of
    eigenvectors, and directions with equal eigenvalues, are arbitrary.
    """
    values, vectors = np.linalg.eigh((covariance + covariance.T) / 2)
    values = np.where(values > SINGULAR * values[-1], values, 0.0)
    return np.asarray((vectors * np.sqrt(values)) @ vectors.T)


def better(scores: NormalScores, level: float, seed: int, draws: int | None = None) -> Bools:
    """systems x systems, best first: whether i is better than j, with all such statements right at once at `level`."""
    m = scores.size
    draws = error_draws(m) if draws is None else draws
    errors = _errors_by_system(scores, seed, draws)
    found = np.isposinf(scores.statistics)
    # Nobody is found better than one above it: of the ordered pairs (lower, higher) all stay in the family.
    upwards = np.zeros(draws, np.float32)
    for i in range(m - 1):
        np.maximum(upwards, -_row(errors, scores.scale, i, slice(i + 1, m)).min(axis=0), out=upwards)
    upper = np.triu(np.ones((m, m), bool), 1)
    while True:
        largest = upwards.copy()
        for i in range(m - 1):
            left = np.flatnonzero(upper[i] & ~found[i])
            if left.size:
                np.maximum(largest, _row(errors, scores.scale, i, left).max(axis=0), out=largest)
        new = found | (upper & (scores.statistics > _quantile(largest, level)))
        if (new == found).all():
            return found
        found = new


def adjusted_p(scores: NormalScores, seed: int, draws: int) -> Floats:
    """systems x systems: p-values of "i is better than j", adjusted for all such statements (max-t in one step)."""
    errors = _errors_by_system(scores, seed, draws)
    largest = np.zeros(draws, np.float32)
    for i in range(scores.size - 1):
        row = _row(errors, scores.scale, i, slice(i + 1, scores.size))
        np.maximum(largest, np.abs(row).max(axis=0), out=largest)
    largest.sort()
    beyond = draws - np.searchsorted(largest, scores.statistics.astype(np.float32), side="left")
    p = (1.0 + beyond) / (1.0 + draws)
    p[np.isposinf(scores.statistics)] = 0.0
    np.fill_diagonal(p, 1.0)
    return np.asarray(p)


def _errors_by_system(scores: NormalScores, seed: int, draws: int) -> Errors:
    """Draws of the errors, systems x draws; seven digits are enough for a quantile of draws."""
    return np.ascontiguousarray(scores.draws(seed, draws).T.astype(np.float32))


def _row(errors: Errors, scale: Floats, i: int, others: Any) -> Errors:
    """(e_i - e_j)/se_ij of a system against others: others x draws."""
    difference: Errors = errors[i] - errors[others]
    difference *= scale[i, others].astype(np.float32)[:, None]
    return difference


def _quantile(values: Errors, level: float) -> float:
    return float(np.quantile(values, level, method="higher"))


def rank_of_one(
    scores: NormalScores, system: int, level: float, seed: int, draws: int | None = None
) -> tuple[int, int]:
    """The ranks that one system could have, the one in this place: max-t over its own pairs, both directions, with
    step-down."""
    z, row = _against_others(scores, system, seed, draws)
    above, below = np.isneginf(z), np.isposinf(z)
    while True:
        largest = np.maximum(row[~below].max(axis=0, initial=0.0), -row[~above].min(axis=0, initial=0.0))
        limit = _quantile(largest, level)
        more_above, more_below = above | (z < -limit), below | (z > limit)
        if (more_above == above).all() and (more_below == below).all():
            return 1 + int(above.sum()), scores.size - int(below.sum())
        above, below = more_above, more_below


def not_exceeded(scores: NormalScores, level: float, seed: int, draws: int | None = None) -> Bools:
    """Which systems no other one exceeds by more than chance: the truly best one is among these with confidence
    `level`."""
    best = np.zeros(scores.size, bool)
    errors = _errors_by_system(scores, seed, error_draws(scores.size) if draws is None else draws)
    for j in range(scores.size):
        z, row = _against_others(scores, j, seed, draws, errors)
        best[j] = float(-z.min()) <= _quantile(-row.min(axis=0, initial=0.0), level)
    return best


def _against_others(
    scores: NormalScores, system: int, seed: int, draws: int | None, errors: Errors | None = None
) -> tuple[Floats, Errors]:
    """z of one system against each other one, and draws of it."""
    if errors is None:
        errors = _errors_by_system(scores, seed, error_draws(scores.size) if draws is None else draws)
    others = np.flatnonzero(np.arange(scores.size) != system)
    return scores.statistics[system, others], _row(errors, scores.scale, system, others)


def two_sided_p(scores: NormalScores) -> Floats:
    """systems x systems: two-sided p-values of all differences, each pair by itself."""
    from scipy.special import ndtr, stdtr

    z = np.abs(scores.statistics)
    tail = ndtr(-z) if math.isinf(scores.freedom) else stdtr(scores.freedom, -z)
    return np.asarray(2 * tail)


def swap_chances(scores: NormalScores) -> Floats:
    """For all pairs i above j: the chance that they are really in the other order, gaps shrunk by the reliability."""
    from scipy.special import ndtr

    first, second = np.triu_indices(scores.size, 1)
    z = scores.statistics[first, second]
    chance = sum(weight * ndtr(-math.sqrt(g) * z) for weight, g in scores.terms(first, second))
    return np.where(scores.gaps[first, second] > 0, chance, 0.5)


def drawn_truths(scores: NormalScores, seed: int, draws: int, use: Stream = Stream.INTERVAL) -> Floats:
    """True scores as they could be, draws x systems."""
    drawn = scores.draws(seed, draws, use)
    if scores.shrunk:
        return np.asarray(scores.estimates + drawn)
    generator = stream(seed, Stream.RELIABILITY)
    shares = evenly(draws, generator)
    return scores.local.believed(drawn, shares, scores.local.chosen(draws, generator), generator)


class TruthsForLimits(NamedTuple):
    """True scores as they could be, draws x systems, and what each draw counts for in lower and in upper limits."""

    values: Floats
    lower: Floats
    upper: Floats


def truths_for_limits(scores: NormalScores, seed: int, draws: int) -> TruthsForLimits:
    """Draws for limits: reliabilities that may be low, and groups of systems, count for more in lower ones."""
    drawn = scores.draws(seed, draws, Stream.INTERVAL)
    if scores.shrunk:
        return TruthsForLimits(scores.estimates + drawn, np.ones(draws), np.ones(draws))
    generator = stream(seed, Stream.RELIABILITY)
    shares = evenly(draws, generator)
    chosen = scores.local.chosen_for_limits(shares, generator)
    lower, upper = scores.local.weights_in_limits(chosen)
    return TruthsForLimits(scores.local.believed(drawn, shares, chosen, generator), caution(shares) * lower, upper)


class ExpectedTau(NamedTuple):
    """The expected tau of a ranking with the true one, and its confidence limits."""

    value: float
    low: float
    high: float


def expected_tau(scores: NormalScores, level: float, seed: int) -> ExpectedTau:
    """Estimate the tau with the true ranking; limits are quantiles over draws of true scores, as far as the value."""
    expected = 1 - 2 * float(swap_chances(scores).mean())
    truths, lower, upper = truths_for_limits(scores, seed, TRUTH_DRAWS)
    rows = np.ascontiguousarray(np.broadcast_to(scores.estimates, truths.shape))
    values = kernels.batch(TAU_A, rows, np.ascontiguousarray(truths))[0]
    drawn = CorrelationDraws(values=values, lower=lower, upper=upper, undefined=0, bayesian=False, expected=expected)
    return ExpectedTau(expected, *drawn.interval(level))


def times_needed(scores: NormalScores, expected_tau: float = 0.9) -> float:
    """Estimate how many times the votes, or items, of a board would give an expected tau of this much.

    New ones are added to those there are, spread over the systems as those are. The chance that a pair is then in the
    wrong order is that of `expected_correlation(…).topics_needed()`, with gaps shrunk by the reliability. 1 if the
    board has it already, infinite if a million times as many would not be enough.
    """
    goal = checking.number(expected_tau, "target", above=-1, below=1)
    first, second = np.triu_indices(scores.size, 1)
    ratio = scores.statistics[first, second]
    ratio, terms = np.where(np.isinf(ratio), 1e6, ratio), scores.terms(first, second)

    def tau(times: float) -> float:
        parts = ((weight * enlarged_collection(ratio, 1, g, times)).mean() for weight, g in terms)
        return 1 - 2 * float(sum(parts))

    if tau(1.0) >= goal:
        return 1.0
    if tau(MOST_TIMES) < goal:
        return math.inf
    low, high = 0.0, math.log(MOST_TIMES)
    while high - low > 1e-4:
        middle = (low + high) / 2
        low, high = (low, middle) if tau(math.exp(middle)) >= goal else (middle, high)
    return math.exp(high)
