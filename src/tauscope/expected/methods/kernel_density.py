"""`KernelDensity`: the chance that n draws from the kernel density of the differences have a mean below 0 (urbano2016
3.1.4).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ... import kernels
from ...arrays import Floats
from ...inference.observed import Observed
from .base import Method
from .maximum_likelihood import MaximumLikelihood
from .student import student_swaps


@dataclass(frozen=True)
class KernelDensity(Method):
    """The mean of n draws from the kernel density of the differences, without drawing (urbano2016 3.1.4).

    Pairs whose differences have no density fall back to maximum likelihood. It is for tau and tau_ap only.

    Examples
    --------
    >>> from tauscope import Scores, expected_correlation
    >>> scores = Scores([[0.5, 0.3], [0.6, 0.2], [0.4, 0.3]])
    >>> expected_correlation(scores, "tau", "kd").method == KernelDensity()
    True
    >>> round(expected_correlation(scores, "tau", KernelDensity()).value, 4)
    0.9962
    """

    NAME: ClassVar[str] = "kd"
    TEXT: ClassVar[str] = "kernel density (urbano2016 3.1.4), no resampling"

    def pair_swaps(self, observed: Observed, generator: np.random.Generator | None = None) -> Floats:
        parts = [kernels.kernel_density(block, observed.tolerance) for _, block in observed.ordered_differences()]
        swaps = np.concatenate(parts)
        without = np.isnan(swaps)
        swaps[without] = student_swaps(observed, MaximumLikelihood().deviations(observed), without)
        return swaps
