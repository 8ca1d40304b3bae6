"""`Shrunk`: the default, Student's t with gaps shrunk by the reliability of the means."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

from ...arrays import Floats
from ...significance.observed import Observed
from .student import Student


@dataclass(frozen=True)
class Shrunk(Student):
    """Student's t with gaps shrunk by the reliability of the means: p = T_{n-1}(-sqrt(n g) d/s). This is the default.

    d is the difference of two observed means over n topics, s the standard deviation of the differences, and g the
    reliability: observed means are further apart than true ones, most of all where systems are close. It is for tau and
    tau_ap only.

    Examples
    --------
    >>> from tauscope import Scores, Shrunk, expected_correlation
    >>> scores = Scores([[0.5, 0.3], [0.6, 0.2], [0.4, 0.3]])
    >>> round(expected_correlation(scores, "tau", Shrunk()).value, 4)
    0.866
    """

    NAME: ClassVar[str] = "shrunk"
    TEXT: ClassVar[str] = "shrunk gaps, Student's t"

    def deviations(self, observed: Observed) -> Floats:
        return observed.deviations / math.sqrt(observed.reliability)
