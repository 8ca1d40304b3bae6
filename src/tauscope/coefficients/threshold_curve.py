"""How does the tolerance for ties change the answer? (radja2018 section 7.1.2)"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from ..arrays import Floats
from ..errors import CallError, Option
from ..results import Plain, fields_of
from .coefficient import Coefficient
from .correlation import Correlation, evaluate


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class ThresholdCurve(Plain):
    """How does a coefficient depend on the tolerance for ties?

    Attributes
    ----------
    coefficient : Coefficient
        The record of the coefficient.
    thresholds, values : array of float
        The tolerances that were tried, and the value with each.
    tied_estimate, tied_truth : array of float
        How many pairs are tied with each.
    turning_point : float or None
        Where the curve turns from falling to rising (or, if it never does, from rising to falling); None where it runs
        one way.
    turns : str
        Which of the two it is: "rises" after the turning point, or "falls"; empty where there is none.
    n : int
        How many items are compared.
    """

    QUESTION: ClassVar[str] = "thresholds"

    coefficient: Coefficient
    thresholds: Floats
    values: Floats
    tied_estimate: Floats
    tied_truth: Floats
    turning_point: float | None
    turns: str
    n: int

    def columns(self) -> dict[str, Any]:
        ties = fields_of(self, "tied_estimate", "tied_truth")
        return {"tied_within": self.thresholds, "value": self.values, **ties}

    def cited(self) -> tuple[str, ...]:
        return (self.coefficient.paper, "radja2018")


def threshold_curve(found: Correlation, thresholds: Iterable[float] | None, both: bool) -> ThresholdCurve:
    """Compute a correlation again for several tolerances."""
    c, data = found.coefficient, found._data
    if thresholds is None:
        spread = float(np.ptp(data.second)) if len(data.second) else 0.0
        grid = np.linspace(0, spread / 2, 51)
    else:
        grid = grid_of(thresholds)
    if len(grid) == 0:
        raise CallError("thresholds=[] asks for nothing.")
    results = [evaluate(c, data, tied_within=(t, t if both else found.tied_within[1])) for t in map(float, grid)]
    values = np.array([r.value for r in results])
    point, turns = _turning_point(grid, values)
    ties = np.array([r.ties for r in results], float)
    return ThresholdCurve(
        coefficient=c,
        thresholds=grid,
        values=values,
        turning_point=point,
        turns=turns,
        n=results[0].n,
        tied_estimate=ties[:, 0],
        tied_truth=ties[:, 1],
    )


def grid_of(thresholds: Any) -> Floats:
    """Thresholds in ascending order, each once."""
    try:
        grid = np.array(sorted({float(t) for t in thresholds}))
    except (TypeError, ValueError):
        raise CallError(
            f"thresholds={thresholds!r} is no list of numbers.",
            Option("thresholds", [0, 0.01, 0.05], effect="for instance"),
        ) from None
    if not np.isfinite(grid).all():
        raise CallError(f"thresholds={thresholds!r}: every threshold must be a finite number.")
    return grid


def _turning_point(grid: Floats, values: Floats) -> tuple[float | None, str]:
    """The first lowest point with higher values on both sides, else the first highest with lower ones."""
    usable = ~np.isnan(values)
    grid, values = grid[usable], values[usable]
    if len(values) < 3:
        return None, ""
    for sign, word in ((1, "rises"), (-1, "falls")):
        low = int(np.argmin(sign * values))
        if sign * values[0] > sign * values[low] + 1e-12 and sign * values[-1] > sign * values[low] + 1e-12:
            return float(grid[low]), word
    return None, ""
