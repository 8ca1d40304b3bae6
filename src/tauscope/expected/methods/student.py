"""Methods that take the mean difference of two systems for Student's t: they differ in its standard deviation."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from ...arrays import Bools, Floats
from ...inference.observed import Observed
from ...reference import differences
from .base import Method


@dataclass(frozen=True)
class Student(Method):
    """Base of the methods with p = T_{n-1}(-sqrt(n) d / sigma); a subclass gives `deviations()`."""

    def deviations(self, observed: Observed) -> Floats:
        """sigma of each pair.

        Parameters
        ----------
        observed : Observed
            The scores, best system first.

        Returns
        -------
        ndarray
            One standard deviation per pair; 0 where the difference is constant.
        """
        raise TypeError(f"{type(self).__name__} must define deviations()")

    def pair_swaps(self, observed: Observed, generator: np.random.Generator | None = None) -> Floats:
        return student_swaps(observed, self.deviations(observed))


def student_swaps(observed: Observed, sigma: Floats, pairs: slice | Bools = slice(None)) -> Floats:
    """T_{n-1}(-sqrt(n) d / sigma) of these pairs (urbano2016 eq. 5); 0 where the difference is constant."""
    gaps, sigma = observed.gaps[pairs], sigma[pairs]
    ratio = np.divide(gaps, sigma, out=np.full(len(sigma), np.inf), where=sigma > 0)
    return differences.student_tail(math.sqrt(observed.topics) * ratio, observed.topics - 1)
