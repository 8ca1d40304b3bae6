"""How well would the ranking of scores with errors hold? The expected tau with the true ranking, and votes needed."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from .. import checking, kernels
from ..coefficients.unweighted import TAU_A
from ..jobs.draws import TRUTH_DRAWS
from . import normal_scores as normal
from .intervals import CorrelationDraws
from .normal_scores import NormalScores
from .topics_needed import enlarged_collection

#: Boards with more than so many times the votes are not thought about.
MOST_TIMES = 1e6


class ExpectedTau(NamedTuple):
    """The expected tau of a ranking with the true one, and its confidence limits."""

    value: float
    low: float
    high: float


def expected_tau(scores: NormalScores, level: float, seed: int) -> ExpectedTau:
    """Estimate the tau with the true ranking; limits are quantiles over draws of true scores, as far as the value."""
    expected = 1 - 2 * float(normal.swap_chances(scores).mean())
    truths, lower, upper = normal.truths_for_limits(scores, seed, TRUTH_DRAWS)
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
