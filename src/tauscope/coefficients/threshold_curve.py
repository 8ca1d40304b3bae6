"""How does the tolerance for ties change the answer? (radja2018 section 7.1.2)"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..arrays import Floats
from ..errors import CallError, Option
from ..ranking import align
from ..results import Result, count, fields_of, number
from .coefficient import Coefficient
from .correlation import evaluate
from .records import catalogue


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class ThresholdCurve(Result):
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
        Which of the two it is, in words.
    n : int
        How many items are compared.
    """

    coefficient: Coefficient
    thresholds: Floats
    values: Floats
    tied_estimate: Floats
    tied_truth: Floats
    turning_point: float | None
    turns: str
    n: int

    def lines(self) -> list[str]:
        where = "runs one way" if self.turning_point is None else f"{self.turns} at {self.turning_point:g}"
        defined = self.values[~np.isnan(self.values)]
        ends = [number(float(end), 4) for end in (defined.min(), defined.max())] if len(defined) else ["undefined"]
        grid = f"from {self.thresholds[0]:g} to {self.thresholds[-1]:g}"
        tried = count(len(self.thresholds), "threshold")
        return [f"{self.coefficient} for {tried} {grid}: {' to '.join(ends)}; {where}"]

    def methods_sentence(self) -> str:
        """The sentence a paper needs: how far the value depends on the tolerance for ties.

        Returns
        -------
        str
            One sentence, with the range of tolerances.
        """
        defined = self.values[~np.isnan(self.values)]
        ends = [number(float(end), 4) for end in (defined.min(), defined.max())] if len(defined) else []
        value = f"is from {ends[0]} to {ends[1]}" if ends else "is undefined"
        turn = "" if self.turning_point is None else f", and {self.turns} at {self.turning_point:g}"
        return (
            f"{self.coefficient.full_title} of the estimate against the truth over {count(self.n, 'item')} "
            f"{value}{turn}, for {count(len(self.thresholds), 'tolerance')} from {self.thresholds[0]:g} to "
            f"{self.thresholds[-1]:g} within which scores are tied{self._beside()}."
        )

    def columns(self) -> dict[str, Any]:
        ties = fields_of(self, "tied_estimate", "tied_truth")
        return {"tied_within": self.thresholds, "value": self.values, **ties}

    def cited(self) -> tuple[str, ...]:
        return (self.coefficient.paper, "radja2018")

    def plot(self) -> Any:
        """The curve, its turning point marked."""
        from ..figures import line

        y, title = self.coefficient.symbol, self.lines()[0]
        return line(self.thresholds, self.values, x="tied within", y=y, title=title, mark=self.turning_point)


def threshold_curve(
    estimate: Any,
    *,
    truth: Any,
    coefficient: str | Coefficient = "tau_e",
    thresholds: Iterable[float] | None = None,
    both: bool = True,
    lower_is_better: bool = False,
    one_sided: str = "error",
) -> ThresholdCurve:
    """How does the coefficient move as more and more pairs count as tied, and where does it turn?

    tau_a goes to 0 as the tolerance grows; tau_e first falls, while the ties of the two rankings miss each other, and
    then rises to 1 (radja2018 section 7.1.2). Do not pick the tolerance with the highest value: with one tolerance on
    both sides tau_e always ends at 1.

    Parameters
    ----------
    estimate, truth : ranking
        The two rankings: anything `Ranking` takes, or two arrays of one length.
    coefficient : str or Coefficient, default "tau_e"
        Which coefficient; one that takes a tolerance.
    thresholds : list of float, optional
        The tolerances to try; by default 51 from 0 to half the range of the truth.
    both : bool, default True
        Whether the tolerance goes to both rankings, or to the estimate only.
    lower_is_better : bool, default False
        Whether the best item has the lowest score, in both rankings.
    one_sided : "error" or "drop", default "error"
        What to do with items that only one ranking has: "drop" compares those that both have, "error" names the others.

    Returns
    -------
    ThresholdCurve

    Raises
    ------
    CallError
        Where a threshold is not a number, or the coefficient takes none.
    AlignmentError
        Where the rankings are not of the same items.

    Examples
    --------
    >>> curve = threshold_curve([1, 2, 3, 4, 6], truth=[1, 2, 4, 3, 6], coefficient="tau_e", thresholds=[0, 1, 2, 5])
    >>> [round(float(v), 3) for v in curve.values], curve.turning_point
    ([0.8, 0.6, 0.2, 1.0], 2.0)
    """
    c = catalogue[coefficient]
    data = align(estimate, truth, names=("`estimate`", "`truth`"), one_sided=one_sided)
    if thresholds is None:
        spread = float(np.ptp(data.second)) if len(data.second) else 0.0
        grid = np.linspace(0, spread / 2, 51)
    else:
        grid = grid_of(thresholds)
    if len(grid) == 0:
        raise CallError("thresholds=[] asks for nothing.")
    results = [
        evaluate(c, data, tied_within=(t, t if both else data.within[1]), lower_is_better=lower_is_better)
        for t in map(float, grid)
    ]
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
    for sign, word in ((1, "turns from falling to rising"), (-1, "turns from rising to falling")):
        low = int(np.argmin(sign * values))
        if sign * values[0] > sign * values[low] + 1e-12 and sign * values[-1] > sign * values[low] + 1e-12:
            return float(grid[low]), word
    return None, ""
