"""The jackknife: the standard error of a value, from what it becomes without one group after the other."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from ..arrays import Bools, Floats

#: Groups of topics of which one at a time is left out.
MOST_GROUPS = 20


@dataclass(frozen=True, kw_only=True)
class StandardError:
    """A standard error, NaN where there is none, and from how many groups left out it comes."""

    deviation: float
    groups: int

    @property
    def freedom(self) -> int:
        """Degrees of freedom: one less than groups."""
        return self.groups - 1

    def reach(self, level: float) -> float:
        """How far the limits of an interval with confidence `level` are from the value: Student's t times the error."""
        from scipy.special import stdtrit

        return float(stdtrit(self.freedom, (1 + level) / 2)) * self.deviation


#: What is known where nothing was left out.
NO_ERROR = StandardError(deviation=math.nan, groups=0)


def pseudo_values(
    every: Floats | float, left: Floats, sizes: Floats, used: Bools | None = None
) -> tuple[Floats, Floats]:
    """h every - (h - 1) left, h = n/size, less their mean by size, one row per group that is `used`; and h
    (busing1999).

    `left` has one row per group, and one column per value where there are several.
    """
    used = np.ones(len(left), bool) if used is None else used
    h = sizes.sum() / sizes[used]
    rows = h if left.ndim == 1 else h[:, None]
    pseudo = rows * every - (rows - 1) * left[used]
    return np.asarray(pseudo - np.average(pseudo, axis=0, weights=1 / h)), h


def jackknife(every: float, left: Floats, sizes: Floats) -> StandardError:
    """The standard error from values without one group after the other, groups of any size (busing1999).

    With h = n/size the variance is the mean of (pseudo-value - their mean)²/(h - 1). Groups without a value are left
    out.

    >>> found = jackknife(5.0, np.array([6.5, 5.5, 3.0]), np.ones(3))  # of the mean of 2, 4 and 9
    >>> round(found.deviation**2, 6), round(float(np.var([2.0, 4.0, 9.0], ddof=1)) / 3, 6)
    (4.333333, 4.333333)
    """
    defined = ~np.isnan(left)
    groups = int(defined.sum())
    if math.isnan(every) or groups < 2:
        return StandardError(deviation=math.nan, groups=groups)
    centred, h = pseudo_values(every, left, sizes, defined)
    return StandardError(deviation=math.sqrt(float((centred**2 / (h - 1)).mean())), groups=groups)
