"""Views of an expected correlation, pair by pair: swap probabilities, and the smallest difference to be trusted."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, NamedTuple

import numpy as np

from ..core import checking
from ..core.arrays import Floats
from ..data.holes import RestsOn
from ..errors import TauscopeError
from ..results import Plain, column, fact, large
from .methods import Method
from .observed import Observed, real_share


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
