"""Point estimates of the expected correlation from arrays: what `expected_correlation()` and the study call."""

from __future__ import annotations

import math

import numpy as np

from .. import kernels
from ..arrays import Floats
from ..significance.observed import Observed
from .methods import BayesianBootstrap, Bootstrap, Method, Resampling, SplitHalf
from .split_half import split_half_values
from .swap_probabilities import swap_vector
from .true_means import coefficient_draws, true_means


def estimate_sums(observed: Observed, method: Method, generator: np.random.Generator | None) -> dict[str, float]:
    """E[tau] and E[tau_ap] by one method. NaN where it has no answer."""
    if isinstance(method, SplitHalf):
        if generator is None:
            raise TypeError("split-half needs a generator")
        return split_half_values(observed, replacement=method.replacement, generator=generator)
    if isinstance(method, Resampling) and generator is not None and not observed.undecided:
        return _mean_loss(observed, method, generator)
    return observed.expectation(swap_vector(observed, method, generator))


def _mean_loss(observed: Observed, method: Resampling, generator: np.random.Generator) -> dict[str, float]:
    """Means over the draws, which is the sum over pairs of weight x share of draws, without the table of pairs."""
    m = observed.systems
    distance = head = 0.0
    for means in true_means(observed, method.draws, generator, **resampling(method)):
        distances, heads = kernels.discordance(observed.places, means, observed.tolerance)
        distance, head = distance + float(distances.sum()), head + float(heads.sum())
    tau, tau_ap = distance / (m * (m - 1) / 2), head / (m - 1)
    return {"tau": 1 - 2 * tau / method.draws, "tau_ap": 1 - 2 * tau_ap / method.draws}


def resampling(method: Method) -> dict[str, bool]:
    """How a method draws true means."""
    return {"bayesian": isinstance(method, BayesianBootstrap), "scaled": not isinstance(method, Bootstrap)}


def estimate_by_draws(
    observed: Observed, name: str, method: Resampling, generator: np.random.Generator
) -> tuple[float, int]:
    """The mean of any coefficient over draws of the true means, and in how many it was not defined."""
    values = coefficient_draws(observed, name, method.draws, generator, **resampling(method))
    undefined = int(np.isnan(values).sum())
    return (float(np.nanmean(values)) if undefined < len(values) else math.nan), undefined


def estimate_values(values: Floats, method: Method, generator: np.random.Generator | None) -> dict[str, float]:
    """E[tau] and E[tau_ap] of a matrix of topics x systems, nothing checked."""
    return estimate_sums(Observed.of(values), method, generator)
