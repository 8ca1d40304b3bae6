"""`Shrunk`: the default, Student's t with gaps shrunk by the reliability of the means."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ...arrays import Floats
from ...inference.observed import Observed
from .base import Method
from .student import student_swaps

#: With more pairs, one value of the reliability is taken instead of the mean over four.
MANY_PAIRS = 20_000


@dataclass(frozen=True)
class Shrunk(Method):
    """Student's t with gaps shrunk by the reliability of the means: p = T_{n-1}(-sqrt(n g) d/s). This is the default.

    d is the difference of two observed means over n topics, s the standard deviation of the differences, and g the
    reliability of the means of the pair's group: observed means are further apart than true ones, most of all where
    systems are close. p is averaged over the middle half of what g could be, and over whether the two are in one group;
    gaps between groups do not shrink (`tauscope.inference.reliability`). It is for tau and tau_ap only.

    Examples
    --------
    >>> from tauscope import Scores, Shrunk, expected_correlation
    >>> scores = Scores([[0.5, 0.3], [0.6, 0.2], [0.4, 0.3]])
    >>> round(expected_correlation(scores, "tau", Shrunk()).value, 4)
    0.8737
    """

    NAME: ClassVar[str] = "shrunk"
    TEXT: ClassVar[str] = "shrunk gaps, Student's t"
    shrinks: ClassVar[bool] = True
    identical_in_order: ClassVar[bool] = False

    def pair_swaps(self, observed: Observed, generator: np.random.Generator | None = None) -> Floats:
        swaps = np.zeros(len(observed.gaps))
        for weight, reliabilities in observed.local.terms(confidences(len(swaps)), observed.pairs):
            some = weight > 0
            each = weight[some] / len(reliabilities)
            for g in reliabilities:
                swaps[some] += each * student_swaps(observed, observed.deviations / math.sqrt(g), some)
        return swaps


def confidences(pairs: int) -> Floats:
    """Confidences of the reliability to average over: the middle half, as the median errs either way.

    One is enough where there are many pairs, whose reliability is known.
    """
    points = 4 if pairs <= MANY_PAIRS else 1
    return np.asarray(0.25 + (np.arange(points) + 0.5) / (2 * points))
