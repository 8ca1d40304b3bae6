"""`MaximumLikelihood`: Student's t with the unbiased standard deviation (urbano2016 eq. 5-7)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

from ...arrays import Floats
from ...inference.observed import Observed
from .student import Student


def unbiasing(n: int) -> float:
    """C_n, which makes s * C_n an unbiased estimate of sigma (urbano2016 eq. 7).

    >>> round(unbiasing(10), 6), round(unbiasing(50), 6)
    (1.028109, 1.005115)
    """
    return math.sqrt((n - 1) / 2) * math.exp(math.lgamma((n - 1) / 2) - math.lgamma(n / 2))


@dataclass(frozen=True)
class MaximumLikelihood(Student):
    """Student's t with the unbiased standard deviation: p = T_{n-1}(-sqrt(n) d/(C_n s)) (urbano2016 eq. 5-7).

    It takes observed differences for true ones and is too optimistic where systems are close: `Shrunk` is not.
    It is for tau and tau_ap only.

    Examples
    --------
    >>> from tauscope import Scores, expected_correlation
    >>> round(expected_correlation(Scores([[0.5, 0.3], [0.6, 0.2], [0.4, 0.3]]), "tau", "ml").value, 4)
    0.8563
    """

    NAME: ClassVar[str] = "ml"
    TEXT: ClassVar[str] = "maximum likelihood (urbano2016 eq. 7)"

    def deviations(self, observed: Observed) -> Floats:
        return observed.deviations * unbiasing(observed.topics)
