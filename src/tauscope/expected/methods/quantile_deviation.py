"""`QuantileDeviation`, MSQD: Student's t with the minimum squared quantile deviation (urbano2016 eq. 9)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ...arrays import Floats
from ...inference.observed import Observed
from ...reference import differences
from .student import Student


@dataclass(frozen=True)
class QuantileDeviation(Student):
    """Student's t with the standard deviation of minimum squared quantile deviation, MSQD (urbano2016 eq. 8 and 9).

    sigma is the one whose normal quantiles lie closest to the ordered differences, so that a few odd topics count for
    less. It is for tau and tau_ap only.

    Examples
    --------
    >>> from tauscope import Scores, expected_correlation
    >>> scores = Scores([[0.5, 0.3], [0.6, 0.2], [0.4, 0.3]])
    >>> for method in (QuantileDeviation(), "msqd"):
    ...     print(round(expected_correlation(scores, "tau", method).value, 4))
    0.7892
    0.7892
    """

    NAME: ClassVar[str] = "msqd"
    TEXT: ClassVar[str] = "minimum squared quantile deviation (urbano2016 eq. 9)"

    def deviations(self, observed: Observed) -> Floats:
        parts = [differences.quantile_deviation(block) for _, block in observed.ordered_differences()]
        return np.where(observed.deviations > 0, np.concatenate(parts), 0.0)
