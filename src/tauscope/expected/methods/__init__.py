"""The ways to estimate an expected correlation: one class each, one file per idea, and the list of them.

To add one, see "Add an estimator" in CONTRIBUTING: its file beside these, and its line in `BY_NAME`.
"""

from __future__ import annotations

import difflib

from ...coefficients.records import Coefficient
from ...errors import CallError, Option
from ...inference.observed import SWAP_SUMS
from .base import Method
from .kernel_density import KernelDensity
from .maximum_likelihood import MaximumLikelihood
from .quantile_deviation import QuantileDeviation
from .resampling import BayesianBootstrap, Bootstrap, ScaledDraws
from .shrunk import Shrunk
from .split_half import SplitHalf

__all__ = [
    "BY_NAME",
    "SUMS_OVER_PAIRS",
    "URBANO2016",
    "BayesianBootstrap",
    "Bootstrap",
    "KernelDensity",
    "MaximumLikelihood",
    "Method",
    "QuantileDeviation",
    "ScaledDraws",
    "Shrunk",
    "SplitHalf",
    "method_of",
    "refusal",
]

#: Every method by its short name: the registry.
BY_NAME: dict[str, Method] = {
    method.name: method
    for method in (
        Shrunk(),
        BayesianBootstrap(),
        MaximumLikelihood(),
        QuantileDeviation(),
        Bootstrap(),
        KernelDensity(),
        SplitHalf(True),
        SplitHalf(False),
        ScaledDraws(),
    )
}
#: The six estimators of urbano2016.
URBANO2016 = ("ml", "msqd", "res", "kd", "shw", "shwo")
#: Names of the coefficients that every method estimates.
SUMS_OVER_PAIRS = tuple(c.name for c in SWAP_SUMS)


def method_of(spec: str | Method | None, coefficient: Coefficient) -> Method:
    """The method meant, checked against the coefficient. None: shrunk, or its draws where there is no shortcut."""
    if spec is None:
        return ScaledDraws() if coefficient.no_swap_sum else Shrunk()
    method = spec if isinstance(spec, Method) else BY_NAME.get(str(spec).strip().lower())
    if method is None:
        near = difflib.get_close_matches(str(spec).strip().lower(), BY_NAME, 1)
        hint = f" Did you mean {near[0]!r}?" if near else ""
        raise CallError(f"There is no method {spec!r}.{hint} There are: {', '.join(BY_NAME)}.")
    if coefficient.no_swap_sum and not method.any_coefficient:
        raise CallError(refusal(coefficient), Option("method", "draws", "res", "bayes", effect="to resample topics"))
    return method


def refusal(coefficient: Coefficient) -> str:
    """Why a coefficient cannot be estimated pair by pair."""
    return f"The expected {coefficient} is not a sum of swap probabilities: {coefficient.no_swap_sum}."
