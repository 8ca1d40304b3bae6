"""How many topics would be enough? The expected correlation of collections that do not exist yet.

The true gap of two systems is taken as delta ~ N(g d, g s²/n): d observed over n topics, s the standard deviation of
the differences, g the reliability of the pair's group, averaged over what it could be. Plugging in d itself would ask
for too few topics. Both chances below are closed forms (Owen's T) of the two-dimensional normal integrals, the same for
all pairs but for d/s.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, NamedTuple

import numpy as np

from ..coefficients.coefficient import Coefficient
from ..core import checking
from ..core.arrays import Floats, product, tally
from ..data.holes import RestsOn
from ..errors import CallError, TauscopeError
from ..results import Plain, column, fact, large
from .methods import Method, confidences
from .reliability import LocalReliability
from .true_means import LEAST, MOST_GROUPS, Observed, caution, jackknife, real_share, weighted_quantile

#: Distinct ratios d/s that chances are computed for, for each reliability.
MOST_RATIOS = 500
#: What may be left out: weights of all pairs sum to 1.
NO_WEIGHT = 1e-12
#: Confidences of the reliabilities that limits of a plan are taken over, and how much confidence each stands for.
POSSIBLE = np.array([0.01, 0.04, 0.1, 0.2, 0.35, 0.5, 0.65, 0.8, 0.9, 0.96, 0.99])
MASSES = np.diff(np.concatenate([[0.0], (POSSIBLE[1:] + POSSIBLE[:-1]) / 2, [1.0]]))
#: Collections of more topics than this are not thought about.
MOST_TOPICS = 1_000_000


def new_collection(ratio: Floats, n: int, g: Floats | float, topics: float) -> Floats:
    """P(a new collection swaps a pair) = E[Phi(-|delta| sqrt(n')/s)], `ratio` being d/s.

    = P(two normal variables differ in sign) = 2 T(sqrt(n') g d/s / sqrt(1 + g n'/n), sqrt(n/(g n'))).
    """
    from scipy.special import owens_t

    known = g * topics / n
    return np.asarray(2 * owens_t(np.sqrt(topics / (1 + known)) * g * ratio, 1 / np.sqrt(known)))


def enlarged_collection(ratio: Floats, n: int, g: Floats | float, topics: float) -> Floats:
    """P(this collection, with topics added up to n', has a pair in the wrong order), `ratio` being d/s.

    The mean over all n' topics and delta are jointly normal: k = n' - n new topics, the n old ones as observed. With
    nothing added it is Phi(-sqrt(n g) d/s).
    """
    from scipy.special import ndtr, owens_t

    added = topics - n
    if added <= 0:
        return np.asarray(ndtr(-np.sqrt(n * g) * ratio))
    truth = np.sqrt(n * g)  # mean over standard deviation of delta, in units of d/s
    variance = added * added * g / n + added  # of the sum of the new scores, in units of s²
    sample = (n + added * g) / np.sqrt(variance)
    correlation = added * np.sqrt(g / n) / np.sqrt(variance)
    rest = np.sqrt(1 - correlation * correlation)
    return np.asarray(
        2 * owens_t(truth * ratio, (sample / truth - correlation) / rest)
        + 2 * owens_t(sample * ratio, (truth / sample - correlation) / rest)
    )


class Term(NamedTuple):
    """Pairs whose gaps shrink alike: d/s and weight of each, and what their reliability could be, or is known to be."""

    ratio: Floats
    weight: Floats
    reliabilities: Floats


@dataclass(frozen=True, eq=False, kw_only=True)
class Plan:
    """What planning needs to know of one collection: its pairs by reliability, and how many topics it has."""

    terms: tuple[Term, ...]
    topics: int

    @classmethod
    def of(cls, observed: Observed, name: str, local: LocalReliability, shares: Floats | None = None) -> Plan:
        """Gather what planning needs of one collection.

        Parameters
        ----------
        observed : Observed
            The scores.
        name : str
            The coefficient, one of `SWAP_SUMS`, whose weights are used.
        local : LocalReliability
            The reliability of the means.
        shares : array of float, optional
            Confidences at which reliabilities are taken; None for those of `Shrunk`.

        Returns
        -------
        Plan
            Constant differences never swap; identical systems are undecided, as those with equal means are.
        """
        shares = confidences(len(observed.gaps)) if shares is None else shares
        moving = np.flatnonzero((observed.deviations > 0) | observed.identical)
        gaps, deviations = observed.gaps[moving], observed.deviations[moving]
        ratio = np.divide(gaps, deviations, out=np.zeros(len(moving)), where=deviations > 0)
        weight, pairs = observed.weights[name][moving], (observed.pairs[0][moving], observed.pairs[1][moving])
        order = np.argsort(ratio, kind="stable")
        terms = [Term(*_gathered(ratio[order], (weight * part)[order]), g) for part, g in local.terms(shares, pairs)]
        return cls(terms=tuple(terms), topics=observed.topics)

    def value(self, topics: float, *, adding: bool) -> float:
        """The expected correlation with the true ranking at a number of topics: the mean over the confidences."""
        return float(np.mean(self.values(topics, adding=adding)))

    def values(self, topics: float, *, adding: bool) -> Floats:
        """The same at each of the confidences that reliabilities were taken at."""
        chance = enlarged_collection if adding else new_collection
        total = np.zeros(1)
        for term in self.terms:
            swaps = chance(term.ratio, self.topics, term.reliabilities[:, None], topics)
            total = total + product(swaps, term.weight)
        return 1 - 2 * total


def _gathered(ratio: Floats, weight: Floats) -> tuple[Floats, Floats]:
    """Pairs of nearly the same d/s, which ascends, as one, in at most MOST_RATIOS groups: chances are smooth in d/s.

    Pairs without weight are left out: all of them together weigh less than `NO_WEIGHT`.
    """
    some = weight > NO_WEIGHT / max(1, len(weight))
    ratio, weight = ratio[some], weight[some]
    if len(ratio) <= MOST_RATIOS:
        return ratio, weight
    starts = np.unique(np.linspace(0, len(ratio), MOST_RATIOS, endpoint=False).astype(int))
    total = np.add.reduceat(weight, starts)
    return np.add.reduceat(ratio * weight, starts) / total, total


@dataclass(frozen=True, eq=False, kw_only=True)
class Planner:
    """Curves of one collection, with bands: the reach of a jackknife over groups of topics and that of what the
    reliability and the groups of systems could be, as sides of a right angle. At its floor, leaving topics out does not
    move the reliability.

    `observed` has the scores, with topics in an order that no file decides.
    """

    observed: Observed
    coefficient: Coefficient
    level: float
    rests_on: RestsOn | None = None

    @cached_property
    def plan(self) -> Plan:
        """Of all topics."""
        return Plan.of(self.observed, self.coefficient.name, self.observed.local)

    @cached_property
    def _possible(self) -> tuple[list[Plan], Floats, Floats]:
        """A plan for each way to see the systems, with reliabilities from the lowest to the highest that is likely, and
        the weights of their values for the lower and for the upper limit."""
        plans, low, high = [], [], []
        for way, local in self.observed.local.seen_one_way():
            plans.append(Plan.of(self.observed, self.coefficient.name, local, POSSIBLE))
            low.append(way.wary * MASSES * caution(POSSIBLE))
            high.append(way.weight * MASSES)
        return plans, np.concatenate(low), np.concatenate(high)

    @cached_property
    def _left_out(self) -> tuple[list[Plan], Floats]:
        """One plan for each group of topics left out, and the sizes of the groups; none where topics are too few.

        Groups of systems stay as they are.
        """
        values, n = self.observed.x.T, self.observed.topics
        groups = min(n, MOST_GROUPS)
        if n - math.ceil(n / groups) < LEAST:
            return [], np.zeros(0)
        member = np.arange(n) % groups
        seen = [way for way in self.observed.local.ways if way.weight]
        plans = []
        for group in range(groups):
            left = Observed.of(values[member != group])
            ways = tuple(way.of_systems(left.order) for way in seen)
            plans.append(Plan.of(left, self.coefficient.name, left.local_in(ways)))
        return plans, tally(member).astype(float)

    def band(self, topics: float, *, adding: bool) -> tuple[float, float, float]:
        """Compute the expected correlation at a number of topics, with limits.

        Parameters
        ----------
        topics : float
            Number of topics.
        adding : bool
            Whether they are added to this collection.

        Returns
        -------
        (float, float, float)
            Value, lower and upper limit; NaN limits where there are too few topics for a jackknife.
        """
        value = self.plan.value(topics, adding=adding)
        plans, sizes = self._left_out
        if len(plans) < 2:
            return value, math.nan, math.nan
        others = np.array([plan.value(topics, adding=adding) for plan in plans])
        reach = jackknife(value, others, sizes).reach(self.level)
        possible, *weights = self._possible
        found = (np.broadcast_to(plan.values(topics, adding=adding), len(POSSIBLE)) for plan in possible)
        values, rest = np.concatenate(list(found)), (1 - self.level) / 2
        low, high = (weighted_quantile(values, own, end) for own, end in zip(weights, (rest, 1 - rest), strict=True))
        down, up = math.hypot(reach, max(0.0, value - low)), math.hypot(reach, max(0.0, high - value))
        return value, max(-1.0, value - down), min(1.0, value + up)


def fewest(target: float, start: int, value: Callable[[float], float]) -> int | None:
    """Find the fewest topics at which a growing value reaches a target, by doubling and bisection.

    Parameters
    ----------
    target : float
        What to reach.
    start : int
        The fewest topics that are considered.
    value : callable
        The value at a number of topics.

    Returns
    -------
    int or None
        None where `MOST_TOPICS` topics are not enough.

    Examples
    --------
    >>> fewest(0.9, 1, lambda topics: 1 - 1 / topics)
    10
    """
    if value(start) >= target:
        return start
    low, high = start, start
    while value(high) < target:
        if high >= MOST_TOPICS:
            return None
        low, high = high, min(2 * high, MOST_TOPICS)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if value(middle) >= target else (middle, high)
    return high


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class CorrelationCurve(Plain):
    """Expected correlation with the true ranking by number of topics, with a band.

    Attributes
    ----------
    coefficient : Coefficient
        The record of the coefficient.
    topics : tuple of int
        Numbers of topics.
    values, low, high : tuple of float
        The expected correlation at each, and the limits of its band.
    level : float
        Confidence of the band.
    adding : bool
        Whether topics are added to this collection; otherwise each point is a new collection of its own.
    observed_topics, systems : int
        Number of topics that were observed, and of systems.
    rests_on : RestsOn or None
        What the means rest on if cells are missing.
    """

    QUESTION: ClassVar[str] = "curve"
    PAPERS: ClassVar[tuple[str, ...]] = ("urbano2016",)

    coefficient: Coefficient
    topics: tuple[int, ...]
    values: tuple[float, ...]
    low: tuple[float, ...]
    high: tuple[float, ...]
    level: float = 0.95
    adding: bool
    observed_topics: int
    systems: int
    rests_on: RestsOn | None = None

    def columns(self) -> dict[str, Any]:
        return {"topics": self.topics, "value": self.values, "low": self.low, "high": self.high}


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class TopicsNeeded(Plain):
    """The fewest topics at which the expected correlation reaches the target; `int()` gives the number.

    Attributes
    ----------
    coefficient : Coefficient
        The record of the coefficient.
    target : float
        The expected correlation to reach.
    topics : int or None
        The fewest topics; None if a million are not enough.
    low, high : int or None
        Where the band around the curve reaches the target.
    level, adding, observed_topics, systems, rests_on
        As in `CorrelationCurve`.
    """

    QUESTION: ClassVar[str] = "topics_needed"
    PAPERS: ClassVar[tuple[str, ...]] = ("urbano2016",)

    coefficient: Coefficient
    target: float
    topics: int | None
    low: int | None
    high: int | None
    level: float = 0.95
    adding: bool
    observed_topics: int
    systems: int
    rests_on: RestsOn | None = None

    def __int__(self) -> int:
        if self.topics is None:
            raise CallError(f"E[{self.coefficient}] = {self.target:g} is not reached with {MOST_TOPICS:,} topics.")
        return self.topics

    __index__ = __int__

    def columns(self) -> dict[str, Any]:
        return {name: [getattr(self, name)] for name in ("target", "topics", "low", "high")}


def correlation_curve(planner: Planner, topics: Iterable[int] | None, *, adding: bool) -> CorrelationCurve:
    """The curve at these numbers of topics, by default from a fifth to four times as many as there are."""
    n = planner.plan.topics
    if topics is None:
        spread = np.unique(np.round(n * np.geomspace(1.0 if adding else 0.2, 4.0, 13)).astype(int))
        places = [int(t) for t in spread if t >= 1]
    else:
        places = [checking.whole(t, "topics") for t in topics]
    if not places or min(places) < (n if adding else 1):
        least = f"{n:,}, those there are," if adding else "1"
        raise CallError(f"curve(topics): give numbers of at least {least} such as [25, 50, 100].")
    values, low, high = zip(*(planner.band(t, adding=adding) for t in places), strict=True)
    return CorrelationCurve(topics=tuple(places), values=values, low=low, high=high, **_made_by(planner, adding))


def topics_needed(planner: Planner, target: float, *, adding: bool) -> TopicsNeeded:
    """The fewest topics for the target, and where the ends of the band reach it."""
    target = checking.number(target, "target", above=-1, below=1)
    n = planner.plan.topics
    start = n if adding else 1
    found = fewest(target, start, lambda t: planner.plan.value(t, adding=adding))
    # Limits are looked for with the same rule; the band's upper end is there first.
    low = fewest(target, start, lambda t: _or(planner.band(t, adding=adding)[2], math.inf))
    high = fewest(target, start, lambda t: _or(planner.band(t, adding=adding)[1], -math.inf))
    return TopicsNeeded(target=target, topics=found, low=low, high=high, **_made_by(planner, adding))


def _made_by(planner: Planner, adding: bool) -> dict[str, Any]:
    """What both results say of how they were made."""
    own = {"coefficient": planner.coefficient, "level": planner.level, "observed_topics": planner.plan.topics}
    return own | {"adding": adding, "systems": planner.observed.systems, "rests_on": planner.rests_on}


def _or(value: float, otherwise: float) -> float:
    return otherwise if math.isnan(value) else value


class SwapPair(NamedTuple):
    """Two systems, the one observed to be better first, and the probability that the other one is really better."""

    better: str
    worse: str
    probability: float


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class SwapProbabilities(Plain):
    """The probability that two systems are really in the other order: `values[i, j]`, symmetric, the best system first.

    `swaps["a", "b"]` looks one up by name. `tauscope.expected_correlation(…).swaps` makes it.

    Attributes
    ----------
    system : tuple of str
        The systems, the one with the highest observed mean first.
    method : Method
        How the probabilities were estimated.
    seed : int or None
        The seed, if random numbers were drawn.
    vector : array of float
        One probability per pair: the upper triangle of the matrix, row by row.
    topics : int
        Number of topics.
    rests_on : RestsOn or None
        What the means rest on if cells are missing.
    """

    QUESTION: ClassVar[str] = "swaps"
    PAPERS: ClassVar[tuple[str, ...]] = ("urbano2016",)

    system: tuple[str, ...]
    method: Method
    seed: int | None
    vector: Floats = large()
    topics: int
    rests_on: RestsOn | None = None

    @fact
    def values(self) -> Floats:
        """The probabilities as a symmetric matrix, systems x systems, 0 on the diagonal."""
        m = len(self.system)
        matrix = np.zeros((m, m))
        first, second = np.triu_indices(m, 1)
        matrix[first, second] = matrix[second, first] = self.vector
        return matrix

    @fact
    def of_100(self) -> float:
        """Expected number of reversed pairs per 100 pairs; NaN without pairs."""
        return 100 * float(self.vector.mean()) if len(self.vector) else math.nan

    @column
    def next(self) -> Floats:
        """For each system: the probability that it is really worse than the next one; NaN for the last."""
        return np.append(np.diagonal(self.values, 1), math.nan)

    @column
    def reversed(self) -> Floats:
        """For each system: the expected number of other systems that are on the wrong side of it."""
        return np.asarray(self.values.sum(axis=1))

    @cached_property
    def pairs(self) -> Pairs:
        """All pairs, the one most likely to be in the wrong order first."""
        order = np.argsort(-self.vector, kind="stable")
        first, second = (side[order] for side in np.triu_indices(len(self.system), 1))
        return Pairs(
            better=tuple(self.system[i] for i in first),
            worse=tuple(self.system[j] for j in second),
            probability=self.vector[order],
            systems=len(self.system),
            topics=self.topics,
            method=self.method,
        )

    def columns(self) -> dict[str, Any]:
        return {"system": self.system, "next": self.next, "reversed": self.reversed}

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray[Any, Any]:
        return np.array(self.values, dtype=dtype, copy=copy)

    def __getitem__(self, pair: tuple[str, str]) -> float:
        at = {system: place for place, system in enumerate(self.system)}
        unknown = [name for name in pair if name not in at]
        if unknown:
            raise TauscopeError(f"There is no system {unknown[0]!r} among the {len(self.system):,}.")
        return float(self.values[at[pair[0]], at[pair[1]]])


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Pairs(Plain):
    """All pairs of systems, the one most likely to be in the wrong order first; iterate over it for `SwapPair`.

    Attributes
    ----------
    better, worse : tuple of str
        The system with the higher observed mean, and the other one.
    probability : array of float
        The probability that the other one is really better.
    systems, topics : int
        Their numbers.
    method : Method
        How the probabilities were estimated.
    """

    QUESTION: ClassVar[str] = "doubtful"
    PAPERS: ClassVar[tuple[str, ...]] = ("urbano2016",)

    better: tuple[str, ...]
    worse: tuple[str, ...]
    probability: Floats
    systems: int
    topics: int
    method: Method

    def __len__(self) -> int:
        return len(self.better)

    def __iter__(self) -> Iterator[SwapPair]:
        return map(SwapPair, self.better, self.worse, self.probability.tolist())

    def at_least(self, probability: float) -> list[SwapPair]:
        """Return the pairs that are in the wrong order with at least this probability.

        Parameters
        ----------
        probability : float
            Between 0 and 1; 0 returns all pairs.

        Returns
        -------
        list of SwapPair
            Named tuples (better, worse, probability), the most doubtful first.
        """
        least = checking.share(probability, "probability", zero=True, one=True)
        return [pair for pair in self if pair.probability >= least]

    def columns(self) -> dict[str, Any]:
        return {"better": self.better, "worse": self.worse, "probability": self.probability}


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Sensitivity(Plain):
    """The smallest difference of observed means that keeps its sign on as many new topics; `float()` gives it.

    Attributes
    ----------
    difference : float
        That difference.
    error : float
        The share of mistakes that was allowed.
    topics, systems : int
        Their numbers.
    pairs : int
        Number of pairs of systems that are at least this far apart.
    of_best : float
        The difference as a share of the best mean; NaN if that is not positive.
    g, phi : float
        The reliability of the means for ranking systems, and as numbers (generalisability coefficients).
    measure : str
        The measure, if it is named.
    rests_on : RestsOn or None
        What the means rest on if cells are missing.
    """

    QUESTION: ClassVar[str] = "sensitivity"
    PAPERS: ClassVar[tuple[str, ...]] = ("buckley2000",)

    difference: float
    error: float
    topics: int
    systems: int
    pairs: int
    of_best: float
    g: float
    phi: float
    measure: str
    rests_on: RestsOn | None = None

    def __float__(self) -> float:
        return self.difference

    @fact
    def all_pairs(self) -> int:
        """Number of pairs of systems, m(m - 1)/2."""
        return self.systems * (self.systems - 1) // 2

    def columns(self) -> dict[str, Any]:
        names = ("difference", "error", "topics", "pairs", "of_best", "g", "phi")
        return {name: [getattr(self, name)] for name in names}


def sensitivity_of(observed: Observed, error: float, measure: str, rests_on: RestsOn | None) -> Sensitivity:
    """Find the smallest difference for which the mean error over the pairs of systems is at most `error`."""
    error = checking.number(error, "error", above=0, below=0.5)
    difference = _smallest(observed, error)
    best = float(observed.means[0])
    g, phi = reliability_coefficients(observed)
    return Sensitivity(
        difference=difference * observed.unit,
        error=error,
        topics=observed.topics,
        systems=observed.systems,
        pairs=int((observed.gaps >= difference).sum()),
        of_best=difference / best if best > 0 else math.nan,
        g=g,
        phi=phi,
        measure=measure,
        rests_on=rests_on,
    )


def _smallest(observed: Observed, error: float) -> float:
    """Search by bisection: the mean error falls with d."""
    from scipy.special import ndtr

    g = observed.reliability
    s = observed.deviations[observed.deviations > 0]
    if not s.size:
        return 0.0
    steepness: Floats = g * math.sqrt(observed.topics / (1 + g)) / s
    low, high = 0.0, 10 / float(steepness.min())
    while high - low > 1e-12 * high:
        middle = (low + high) / 2
        low, high = (middle, high) if float(ndtr(-steepness * middle).mean()) > error else (low, middle)
    return high


def reliability_coefficients(observed: Observed) -> tuple[float, float]:
    """Return g, `Observed.raw_reliability` but not below 0, and Phi, which counts the variance of topics as error too.

    g = var(systems)/(var(systems) + var(residual)/n), Phi = var(systems)/(var(systems) + (var(residual) +
    var(topics))/n).
    """
    n, m = observed.topics, observed.systems
    residual = float(np.trace(observed.covariance)) / (m - 1)
    topics = max(0.0, float(observed.x.mean(axis=0).var(ddof=1)) - residual / m)
    error = residual / n
    spread = max(error, float(observed.effects.var(ddof=1)))
    if not spread:
        return math.nan, 0.0 if topics else math.nan
    g = max(0.0, float(real_share(error, spread)))
    return g, g * spread / (spread + topics / n)
