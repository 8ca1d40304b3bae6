"""How likely is it that two systems are really in the other order? Every method, pair by pair."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from .. import kernels
from ..arrays import Bools, Floats
from ..coefficients.records import catalogue
from ..errors import CallError, TauscopeError
from ..jobs.seeds import Rng, Stream, remembered, stream
from ..reference import differences
from ..results import Result, count, number, said, word
from ..scores import Scores
from ..significance.observed import Observed
from .methods import (
    BayesianBootstrap,
    Bootstrap,
    KernelDensity,
    MaximumLikelihood,
    Method,
    QuantileDeviation,
    Resampling,
    Shrunk,
    SplitHalf,
    method_of,
)
from .true_means import true_means


def unbiasing(n: int) -> float:
    """C_n, which makes s * C_n an unbiased estimate of sigma (urbano2016 eq. 7).

    >>> round(unbiasing(10), 6), round(unbiasing(50), 6)
    (1.028109, 1.005115)
    """
    return math.sqrt((n - 1) / 2) * math.exp(math.lgamma((n - 1) / 2) - math.lgamma(n / 2))


def swap_vector(observed: Observed, method: Method, generator: np.random.Generator | None = None) -> Floats:
    """The swap probability of every pair of `observed.pairs`, by one method.

    Pairs that are tied in the observed ranking have 1/2; identical systems have 0, which is how urbano2016 counts them.
    """
    if isinstance(method, Resampling):
        if generator is None:
            raise CallError(f"{method.name} resamples topics and needs a generator.")
        swaps = _resampled(observed, method, generator)
    elif isinstance(method, KernelDensity):
        swaps = _kernel_density(observed)
    else:
        swaps = _student(observed, _deviations(observed, method))
    swaps[observed.tied] = 0.5
    swaps[observed.identical] = 0.0
    return swaps


def _deviations(observed: Observed, method: Method) -> Floats:
    """sigma of each pair, for T(-sqrt(n) d / sigma)."""
    if isinstance(method, Shrunk):
        return observed.deviations / math.sqrt(observed.reliability)
    if isinstance(method, MaximumLikelihood):
        return observed.deviations * unbiasing(observed.topics)
    if isinstance(method, QuantileDeviation):
        parts = [differences.quantile_deviation(block) for _, block in observed.ordered_differences()]
        return np.where(observed.deviations > 0, np.concatenate(parts), 0.0)
    raise CallError(f"{method!r} has no swap probabilities.")


def _student(observed: Observed, sigma: Floats, pairs: slice | Bools = slice(None)) -> Floats:
    """T_{n-1}(-sqrt(n) d / sigma) (urbano2016 eq. 5); 0 where the difference is constant."""
    gaps, sigma = observed.gaps[pairs], sigma[pairs]
    ratio = np.divide(gaps, sigma, out=np.full(len(sigma), np.inf), where=sigma > 0)
    return differences.student_tail(math.sqrt(observed.topics) * ratio, observed.topics - 1)


def _kernel_density(observed: Observed) -> Floats:
    parts = [kernels.kernel_density(block, observed.tolerance) for _, block in observed.ordered_differences()]
    swaps = np.concatenate(parts)
    without = np.isnan(swaps)
    swaps[without] = _student(observed, _deviations(observed, MaximumLikelihood()), without)
    return swaps


def _resampled(observed: Observed, method: Resampling, generator: np.random.Generator) -> Floats:
    """The share of draws in which the lower of two systems has the higher mean."""
    options = {"bayesian": isinstance(method, BayesianBootstrap), "scaled": not isinstance(method, Bootstrap)}
    m = observed.systems
    swapped = np.zeros(m * (m - 1) // 2)
    for means in true_means(observed, method.draws, generator, **options):
        columns = np.ascontiguousarray(means.T)
        start = 0
        for system in range(m - 1):
            stop = start + m - 1 - system
            swapped[start:stop] += np.count_nonzero(
                columns[system] < columns[system + 1 :] - observed.tolerance, axis=1
            )
            start = stop
    return swapped / method.draws


class SwapPair(NamedTuple):
    """Two systems, the one observed to be better first, and the chance that the other one really is."""

    better: str
    worse: str
    probability: float


@dataclass(frozen=True, eq=False, repr=False)
class SwapProbabilities(Result):
    """The chance that two systems are really in the other order: `values[i, j]`, systems best first, symmetric.

    `probabilities["a", "b"]` looks one up by name.
    """

    systems: tuple[str, ...]
    method: Method
    seed: int | None
    vector: Floats

    @cached_property
    def values(self) -> Floats:
        """systems x systems, 0 on the diagonal."""
        m = len(self.systems)
        matrix = np.zeros((m, m))
        first, second = np.triu_indices(m, 1)
        matrix[first, second] = matrix[second, first] = self.vector
        return matrix

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray[Any, Any]:
        return np.array(self.values, dtype=dtype, copy=copy)

    def __len__(self) -> int:
        """The number of pairs."""
        return len(self.vector)

    def __getitem__(self, pair: tuple[str, str]) -> float:
        at = {system: place for place, system in enumerate(self.systems)}
        unknown = [name for name in pair if name not in at]
        if unknown:
            raise TauscopeError(f"There is no system {unknown[0]!r} among the {len(self.systems):,}.")
        return float(self.values[at[pair[0]], at[pair[1]]])

    def __iter__(self) -> Iterator[SwapPair]:
        return iter(self.at_least(0.0))

    def at_least(self, probability: float) -> list[SwapPair]:
        """The pairs that are swapped with at least this probability, the most doubtful first."""
        first, second = np.triu_indices(len(self.systems), 1)
        found = np.flatnonzero(self.vector >= probability)
        found = found[np.argsort(-self.vector[found], kind="stable")]
        return [SwapPair(self.systems[first[k]], self.systems[second[k]], float(self.vector[k])) for k in found]

    @property
    def of_100(self) -> float:
        """How many of 100 pairs would change order."""
        return 100 * float(self.vector.mean()) if len(self.vector) else math.nan

    def lines(self) -> list[str]:
        seed = "" if self.seed is None else f", seed {self.seed}"
        top = "; ".join(f"{p.better} / {p.worse} {number(p.probability)}" for p in self.at_least(0.0)[:3])
        return [
            f"Swap probabilities of {count(len(self), 'pair')} of {count(len(self.systems), 'system')}: "
            f"about {number(self.of_100, 1)} of 100 would change order",
            f"{self.method.text}{seed}",
            f"most doubtful: {top or 'none'}",
        ]

    def columns(self) -> dict[str, Any]:
        first, second = np.triu_indices(len(self.systems), 1)
        return {"better": [self.systems[i] for i in first], "worse": [self.systems[j] for j in second],
                "probability": self.vector}  # fmt: skip

    def to_dict(self) -> dict[str, Any]:
        return {"systems": list(self.systems), "method": self.method.name, "seed": self.seed,
                "values": self.values.tolist()}  # fmt: skip

    def cited(self) -> tuple[str, ...]:
        return ("urbano2016",)

    def plot(self) -> Any:
        """The matrix as colours: dark near the diagonal, where systems are close."""
        from ..figures import heatmap

        return heatmap(self.values, self.systems, self.systems, rows=word("system"), columns=word("system"),
                       title=said("Chance that two systems are really in the other order"), diverging=False)  # fmt: skip


def swap_probabilities(scores: Scores, method: str | Method | None = None, *, rng: Rng = 0) -> SwapProbabilities:
    """How likely is it that two systems are really in the other order than their observed means say?

    By default p = T_{n-1}(-sqrt(n g) d/s): d the difference of the observed means over n topics, s the standard deviation
    of the differences, g the reliability of the means. Systems with equal means have 1/2; identical systems have 0.
    `method` is any of `expected_correlation()` but split-half; `rng` a seed or a Generator for those that resample.
    """
    chosen = method_of(method, catalogue["tau"])
    if isinstance(chosen, SplitHalf):
        raise CallError("Split-half looks at whole rankings and has no swap probabilities. Use another method.")
    scores.require_complete("swap_probabilities()")
    observed = Observed.of(scores.values)
    if observed.systems < 2 or observed.topics < 2:
        raise TauscopeError(
            f"Swap probabilities need at least two systems and two topics; there are {observed.systems} and {observed.topics}."
        )
    seed = remembered(rng) if isinstance(chosen, Resampling) else None
    vector = swap_vector(observed, chosen, None if seed is None else stream(seed, Stream.POINT))
    return SwapProbabilities(tuple(scores.systems[i] for i in observed.order), chosen, seed, vector)
