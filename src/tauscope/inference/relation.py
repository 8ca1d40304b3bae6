"""Which systems are significantly better than which, from scores on topics or from estimates with a covariance; and the
ranks, tiers and letters that this leaves.

`NormalScores` are behind every board whose scores come with errors instead of topics. The statistic of two systems is
z_ij = (x_i - x_j)/se_ij; errors are drawn from the normal distribution of the estimates (Student's t where the
covariance was itself estimated from few clusters), and a difference must exceed what the largest of all comes to.

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
from ..core.checking import PAIR_DRAWS, TRUTH_DRAWS, Progress, Stream, flip_draws, rank_draws, stream
from .corrections import MaxT, cautious_statistics, flips, pair_norms, rejected, sign_blocks, signs_of
from .expected_views import enlarged_collection
from .methods import confidences
from .reliability import LocalReliability, evenly
from .true_means import CorrelationDraws, Observed, caution

Errors = NDArray[np.float32]
#: Boards with more than this many times the votes are not considered.
MOST_VOTES = 1e6


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

    Parameters
    ----------
    covariance : array of float
        A symmetric matrix without negative eigenvalues, up to rounding.

    Returns
    -------
    array of float
        The symmetric matrix whose square it is.

    Examples
    --------
    >>> symmetric_root(np.array([[4.0, 0.0], [0.0, 9.0]])).round(6).tolist()
    [[2.0, 0.0], [0.0, 3.0]]
    """
    values, vectors = np.linalg.eigh((covariance + covariance.T) / 2)
    values = np.where(values > SINGULAR * values[-1], values, 0.0)
    return np.asarray((vectors * np.sqrt(values)) @ vectors.T)


def better(scores: NormalScores, level: float, seed: int) -> Bools:
    """Find which system is better than which, all such statements right at once at `level`.

    Parameters
    ----------
    scores : NormalScores
        Estimates with their covariance, the best first.
    level : float
        Simultaneous confidence.
    seed : int
        Seed of the draws.

    Returns
    -------
    array of bool, systems x systems
        `[i, j]` is true if i is significantly better than j.
    """
    m = scores.size
    draws = rank_draws(m)
    errors = _errors_by_system(scores, seed)
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


def adjusted_p(scores: NormalScores, seed: int) -> Floats:
    """Compute p-values of "i is better than j", adjusted for all such statements by max-t in one step.

    Parameters
    ----------
    scores : NormalScores
        Estimates with their covariance, the best first.
    seed : int
        Seed of the draws.

    Returns
    -------
    array of systems x systems
        1 on the diagonal; 0 where a difference has no error.
    """
    draws = rank_draws(scores.size)
    errors = _errors_by_system(scores, seed)
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


def _errors_by_system(scores: NormalScores, seed: int) -> Errors:
    """Draws of the errors, systems x draws; seven digits are enough for a quantile of draws."""
    return np.ascontiguousarray(scores.draws(seed, rank_draws(scores.size)).T.astype(np.float32))


def _row(errors: Errors, scale: Floats, i: int, others: Any) -> Errors:
    """(e_i - e_j)/se_ij of a system against others: others x draws."""
    difference: Errors = errors[i] - errors[others]
    difference *= scale[i, others].astype(np.float32)[:, None]
    return difference


def _quantile(values: Errors, level: float) -> float:
    return float(np.quantile(values, level, method="higher"))


def rank_of_one(scores: NormalScores, system: int, level: float, seed: int) -> tuple[int, int]:
    """Compute the ranks that one system could have, if only this system is looked at and was chosen in advance.

    Max-t over the pairs of this system, in both directions, with step-down (mogstad2024, marginal). It is narrower
    than the simultaneous limits of all systems: do not use it for a system that was picked because of its rank.

    Parameters
    ----------
    scores : NormalScores
        Estimates with their covariance.
    system : int
        The place of the system.
    level : float
        Marginal confidence.
    seed : int
        Seed of the draws.

    Returns
    -------
    (int, int)
        Best and worst rank.
    """
    z, row = _against_others(scores, system, _errors_by_system(scores, seed))
    above, below = np.isneginf(z), np.isposinf(z)
    while True:
        largest = np.maximum(row[~below].max(axis=0, initial=0.0), -row[~above].min(axis=0, initial=0.0))
        limit = _quantile(largest, level)
        more_above, more_below = above | (z < -limit), below | (z > limit)
        if (more_above == above).all() and (more_below == below).all():
            return 1 + int(above.sum()), scores.size - int(below.sum())
        above, below = more_above, more_below


def not_exceeded(scores: NormalScores, level: float, seed: int) -> Bools:
    """Which systems no other one exceeds by more than chance: the truly best one is among these with confidence
    `level`."""
    best = np.zeros(scores.size, bool)
    errors = _errors_by_system(scores, seed)
    for j in range(scores.size):
        z, row = _against_others(scores, j, errors)
        best[j] = float(-z.min()) <= _quantile(-row.min(axis=0, initial=0.0), level)
    return best


def _against_others(scores: NormalScores, system: int, errors: Errors) -> tuple[Floats, Errors]:
    """z of one system against each other one, and draws of it."""
    others = np.flatnonzero(np.arange(scores.size) != system)
    return scores.statistics[system, others], _row(errors, scores.scale, system, others)


def two_sided_p(scores: NormalScores) -> Floats:
    """systems x systems: two-sided p-values of all differences, each pair by itself."""
    from scipy.special import ndtr, stdtr

    z = np.abs(scores.statistics)
    tail = ndtr(-z) if math.isinf(scores.freedom) else stdtr(scores.freedom, -z)
    return np.asarray(2 * tail)


def swap_chances(scores: NormalScores) -> Floats:
    r"""Compute, for all pairs i above j, the probability that they are really in the other order.

    .. math:: P_{ij} = \sum_g w_{ij}(g)\, \Phi(-\sqrt{g}\, z_{ij})

    Gaps are shrunk by the reliability g of the pair's group, averaged over what it could be.

    Parameters
    ----------
    scores : NormalScores
        Estimates with their covariance.

    Returns
    -------
    array of float
        One probability per pair; 0.5 for equal estimates.
    """
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
    """Compute how many times the votes, or items, of a board would give an expected tau of this much.

    New ones are added to those there are, spread over the systems as those are. The chance that a pair is then in the
    wrong order is that of `expected_correlation(…).topics_needed()`, with gaps shrunk by the reliability.

    Parameters
    ----------
    scores : NormalScores
        Estimates with their covariance.
    expected_tau : float, default 0.9
        What to reach.

    Returns
    -------
    float
        1 if the board has it already, infinite if `MOST_VOTES` times as many would not be enough.
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
    if tau(MOST_VOTES) < goal:
        return math.inf
    low, high = 0.0, math.log(MOST_VOTES)
    while high - low > 1e-4:
        middle = (low + high) / 2
        low, high = (low, middle) if tau(math.exp(middle)) >= goal else (middle, high)
    return math.exp(high)


def closed(better: Bools, scores: Floats) -> Bools:
    """Return the transitive closure of the statements that agree with the order of the scores.

    If i is better than j, and j better than k, then i is better than k. The closure adds only consequences, and a
    statement against the order is left out, so that all statements are still true together with the same confidence.
    With a score in every cell nothing is left out, and next to nothing is added; paired tests on different topics need
    it.
    """
    found = np.asarray(better) & (scores[:, None] > scores[None, :])
    for k in range(len(found)):
        above = np.flatnonzero(found[:, k])
        if above.size:
            found[above] |= found[k]
    return found


def shared_ranks(scores: Floats) -> Ints:
    """Rank scores, the highest first; equal scores share the better rank (1, 1, 1, 4).

    >>> shared_ranks(np.array([0.5, 0.9, 0.5, 0.1])).tolist()
    [2, 1, 2, 4]
    """
    return np.asarray(1 + np.searchsorted(np.sort(-scores), -scores, side="left"))


def rank_limits(better: Bools) -> tuple[Ints, Ints]:
    """Return the best and the worst rank of each system: 1 + the number of better systems, m - that of worse ones."""
    return 1 + better.sum(axis=0), len(better) - better.sum(axis=1)


def tier_numbers(better: Bools, scores: Floats) -> Ints:
    """Return the tier of each system, from 1.

    A tier goes from its first system down to the last one that is not significantly worse, and equal scores stay
    together.
    """
    rank = shared_ranks(scores)
    tier, start, number = np.ones(len(rank), np.int64), 0, 0
    while start < len(rank):
        number += 1
        top = np.flatnonzero(rank == rank[start])
        last = int(np.flatnonzero(~better[top].any(axis=0))[-1])
        last = int(np.flatnonzero(rank == rank[last])[-1])
        tier[start : last + 1], start = number, last + 1
    return tier


#: With more groups than this on the way, another search is used.
MOST = 500


def compact_letters(better: Bools, names: list[str]) -> dict[str, str]:
    """Return the letters of each system, a for the group of the best; `better[i, j]` says that i is better than j.

    >>> compact_letters(np.array([[0, 0, 1], [0, 0, 0], [0, 0, 0]], bool), ["a", "b", "c"])
    {'a': 'a', 'b': 'ab', 'c': 'b'}
    """
    groups = letter_groups(better)
    marks: dict[str, list[str]] = {name: [] for name in names}
    for k, group in enumerate(groups):
        for place in group:
            marks[names[place]].append(_letter(k))
    return {name: ("" if len(groups) <= 26 else " ").join(own) for name, own in marks.items()}


def letter_groups(better: Bools) -> list[list[int]]:
    """Find the groups behind a compact letter display: two systems share a group if and only if they do not differ.

    Insert and absorb: from one group of all systems, each system with its differences splits every group it is in,
    into one without those that differ from it and one without itself; groups inside others are dropped, and at the end
    those of which every pair is in another group too (piepho2004). Many systems can have too many such groups to
    enumerate (`MOST`). A greedy search then finds a small number of groups that hold every pair of systems that do not
    differ, so that the letters still say the same about every pair.

    Parameters
    ----------
    better : array of bool, systems x systems
        `better[i, j]` is true if i is significantly better than j.

    Returns
    -------
    list of list of int
        The places of the members of each group, the group of the best first.

    Examples
    --------
    >>> letter_groups(np.array([[0, 0, 1], [0, 0, 0], [0, 0, 0]], bool))
    [[0, 1], [1, 2]]
    """
    apart = np.asarray(better) | np.asarray(better).T
    # A group is a whole number: bit i is set where system i is in it.
    different = [sum(1 << int(j) for j in np.flatnonzero(row)) for row in apart]
    groups = [(1 << len(apart)) - 1]
    for i, others in enumerate(different):
        whole = [g for g in groups if not (g >> i & 1 and g & others)]
        split = [part for g in groups if g >> i & 1 and g & others for part in (g & ~others, g & ~(1 << i))]
        groups = _absorbed(whole, split)
        if len(groups) > MOST:
            groups = _covering(different)
            break
    return sorted(map(_members, _swept(groups, len(apart))))


def _covering(different: list[int]) -> list[int]:
    """Groups without two that differ, which together hold every pair that does not: each starts from a pair that is in
    no group yet, and takes in whoever leaves most others to be taken in."""
    everyone = (1 << len(different)) - 1
    same = [everyone & ~others for others in different]
    left = [own & ~(1 << i) for i, own in enumerate(same)]  # of each system, those it shares no group with yet
    groups = [1 << i for i, own in enumerate(left) if not own]
    for i in range(len(same)):
        while left[i]:
            group, open_to = 1 << i, same[i] & ~(1 << i)
            new = left[i]
            while open_to:
                wanted = open_to & new or open_to
                at = _members(wanted)
                sizes = [(open_to & same[k]).bit_count() for k in at]
                k = at[sizes.index(max(sizes))]
                group |= 1 << k
                open_to &= same[k] & ~(1 << k)
            for k in _members(group):
                left[k] &= ~group
            groups.append(group)
    return groups


def _absorbed(kept: list[int], new: list[int]) -> list[int]:
    """Groups that are in no other one."""
    for group in sorted(set(new), key=int.bit_count, reverse=True):
        if not any(group | other == other for other in kept):
            kept = [other for other in kept if other | group != group]
            kept.append(group)
    return kept


def _swept(groups: list[int], systems: int) -> list[int]:
    """Without groups of which every pair, and every system, is in another group too; the smallest go first."""
    together = np.zeros((systems, systems), np.int64)
    places = {group: _members(group) for group in groups}
    for at in places.values():
        together[np.ix_(at, at)] += 1
    kept = []
    for group in sorted(groups, key=int.bit_count):
        at = places[group]
        if (together[np.ix_(at, at)] > 1).all():
            together[np.ix_(at, at)] -= 1
        else:
            kept.append(group)
    return kept


def _members(group: int) -> list[int]:
    """Places of the set bits, the lowest first: the last of the binary digits is bit 0."""
    return [i for i, digit in enumerate(f"{group:b}"[::-1]) if digit == "1"]


def _letter(number: int) -> str:
    return chr(97 + number) if number < 26 else _letter(number // 26 - 1) + chr(97 + number % 26)


#: Flips are added while a p-value that decides a tier is within this many standard errors of the level, up to so many
#: times the flips of the start.
NEAR, MOST_TIMES = 2.0, 8


class Tested(NamedTuple):
    """The joint test of all pairs.

    Attributes
    ----------
    better : array of bool, systems x systems
        Which systems are significantly better than which.
    draws : int
        Number of draws or flips; 0 if the test needs none.
    near : int
        How many pairs that decide a tier are so near to the level that other draws may decide differently.
    p : array of float
        Adjusted p-values of all pairs, where they come from flips.
    """

    better: Bools
    draws: int
    near: int = 0
    p: Floats = np.empty(0)


def tested(observed: Observed, level: float, seed: int, draws: int | None, progress: Progress | None = None) -> Tested:  # noqa: PT028
    """Test all pairs jointly: which of two systems is better, with all such statements right at once at `level`.

    The small-sample correction has the same resamples whatever the seed, and flips are added where a tier is in doubt
    (unless `draws` says how many there are): the seed is not to decide who is in which tier.

    Parameters
    ----------
    observed : Observed
        The scores.
    level : float
        Simultaneous confidence.
    seed : int
        Seed of the flips.
    draws : int or None
        Number of flips; None for as many as the number of systems requires.
    progress : callable, optional
        `progress(done, total)` is called after each block of flips.

    Returns
    -------
    Tested
        The relation, the number of flips, and how many pairs that decide a tier other flips may decide differently.
    """
    asked = ("better", level, seed, draws)
    if asked not in observed.kept:
        first = flip_draws(observed.systems) if draws is None else draws
        test = MaxT(observed, stream(seed, Stream.PAIRS), first, stream(0, Stream.PAIRS))
        while True:
            p = test.p(progress)
            better = np.zeros((observed.systems, observed.systems), bool)
            better[observed.pairs] = rejected(p, 1 - level) & ~observed.tied
            near = 0 if test.exact else _near(observed, better, p, level, test.made)
            if not near or draws is not None or test.made >= MOST_TIMES * first:
                break
        better.flags.writeable = False
        observed.kept[asked] = Tested(better, test.made, near, p)
    found: Tested = observed.kept[asked]
    return found


def _near(observed: Observed, better: Bools, p: Floats, level: float, draws: int) -> int:
    """Count the pairs with the first of a tier whose p-value is within Monte Carlo error of the level."""
    error = math.sqrt(level * (1 - level) / draws)
    starts = np.flatnonzero(np.diff(tier_numbers(better, observed.means), prepend=0))
    doubtful = (np.abs(p - (1 - level)) < NEAR * error) & ~observed.tied
    return int((doubtful & np.isin(observed.pairs[0], starts)).sum())


def apart_from(observed: Observed, system: int, level: float, seed: int) -> Bools:
    """Which systems differ from one, the one in this place, all statements about it right at once.

    Max-t with step-down over the comparisons with it only (mogstad2024, marginal).
    """
    m, n = observed.systems, observed.topics
    generator, draws = stream(seed, Stream.PAIRS), flip_draws(m)
    scale, own = (
        _square(observed, values)[system]
        for values in (_inverse_norms(observed), cautious_statistics(observed, stream(0, Stream.PAIRS)))
    )
    made = flips(draws, n)
    order = np.argsort(own, kind="stable")
    extreme = np.zeros(m, np.int64)
    for rows in sign_blocks(made, n):
        sums = product(signs_of(rows, draws, n, generator), observed.centred.T)
        largest = np.maximum.accumulate((np.abs(sums[:, [system]] - sums) * scale)[:, order], axis=1)
        extreme += (largest >= own[order] * (1 - 1e-9)).sum(axis=0)
    p = np.empty(m)
    p[order] = np.maximum.accumulate(((1.0 + extreme) / (1.0 + made))[::-1])[::-1]
    never = _square(observed, observed.tied | observed.identical)[system].astype(bool)
    never[system] = True
    return np.asarray(rejected(p, 1 - level) & ~never)


def _square(observed: Observed, values: Floats | Bools) -> Floats:
    """systems x systems, the same on both sides of the diagonal."""
    found = np.zeros((observed.systems, observed.systems))
    found[observed.pairs] = values
    return found + found.T


def _inverse_norms(observed: Observed) -> Floats:
    norm = pair_norms(observed)
    return np.divide(1.0, norm, out=np.zeros(len(norm)), where=norm > 0)


def exceeded_p(observed: Observed, seed: int, draws: int = PAIR_DRAWS) -> Floats:
    """For each system, best first: how likely does another one exceed it as far as one does, if none is better?"""
    m, n = observed.systems, observed.topics
    scale = _square(observed, _inverse_norms(observed))
    generator = stream(seed, Stream.PAIRS)
    statistics = np.zeros((m, m))
    statistics[observed.pairs] = cautious_statistics(observed, stream(0, Stream.PAIRS))
    own = statistics.max(axis=0) * (1 - 1e-9)
    extreme = np.zeros(m, np.int64)
    for rows in sign_blocks(draws, n):
        sums = product(signs_of(rows, draws, n, generator, one_sided=True), observed.centred.T)
        extreme += kernels.flips_exceeding(sums, scale, own)
    return np.asarray((1 + extreme) / (1 + draws))
