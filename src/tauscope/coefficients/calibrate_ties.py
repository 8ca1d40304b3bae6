"""Tolerances: the curve of a coefficient over them, and the one that serves best on held-out topics."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from ..core import checking, kernels
from ..core.arrays import EXACT, Floats, Tolerance, content_order, snap_rows, tolerance
from ..core.checking import CALIBRATION_DRAWS, Rng, Stream, remembered, stream
from ..data.alignment import aligned_scores
from ..data.scores import Scores
from ..errors import Advice, CallError, Option, TauscopeError
from ..results import Plain, count, fields_of
from .coefficient import Coefficient
from .correlation import Correlation, evaluate
from .records import catalogue


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


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class TieCalibration(Plain):
    """The estimate's threshold that maximises tau_e, chosen on half of the topics and reported on the other half.

    Parameters
    ----------
    coefficient : Coefficient
        What was maximised.
    threshold : float
        The median of the chosen thresholds.
    held_out, without : float
        Mean value on the other halves, with the chosen threshold and with none.
    chosen_on : float
        The (optimistic) mean value on the halves that the threshold was chosen on.
    better : float
        The share of splits in which the chosen threshold did better than none on the other half.
    chosen : ndarray
        The threshold chosen in each split.
    thresholds, curve : ndarray
        The thresholds tried, and the mean value over all halves at each.
    truth_tied_within : Tolerance
        When two of the truth's means are equal.
    truth_ties : float
        The share of the truth's pairs that are tied.
    systems, topics : int
        How many both sides have.
    draws, seed : int
        How many random splits were made, and their seed.
    dropped : tuple of str
        Systems and topics that only one side has.
    """

    QUESTION: ClassVar[str] = "calibration"

    coefficient: Coefficient
    threshold: float
    held_out: float
    without: float
    chosen_on: float
    better: float
    chosen: Floats
    thresholds: Floats
    curve: Floats
    truth_tied_within: Tolerance
    truth_ties: float
    systems: int
    topics: int
    draws: int
    seed: int
    dropped: tuple[str, ...] = ()

    def columns(self) -> Mapping[str, Any]:
        return {
            "tied_within": self.thresholds,
            "mean_value": self.curve,
            "chosen": [int((self.chosen == t).sum()) for t in self.thresholds],
        }

    @property
    def limits(self) -> tuple[float, float]:
        """The tolerances between which 90 % of the splits chose."""
        low, high = np.quantile(self.chosen, (0.05, 0.95))
        return float(low), float(high)

    def to_dict(self) -> dict[str, Any]:
        return super().to_dict() | {
            "coefficient": self.coefficient.name,
            "truth_tied_within": self.truth_tied_within.width,
        }

    def cited(self) -> tuple[str, ...]:
        return ("radja2018",)


def calibrate_ties(
    estimate: Scores,
    *,
    truth: Scores,
    coefficient: Coefficient,
    truth_tied_within: Any = 0.0,
    thresholds: Iterable[float] | None = None,
    draws: int = CALIBRATION_DRAWS,
    rng: Rng = 0,
    unmatched: str = "error",
) -> TieCalibration:
    """Choose the tolerance on random halves of the topics, and report it on the other halves.

    Only tau_e: tau_a and tau_ap_a fall with every tie, tau_b and tau_ap_b excuse it, so a best threshold would be none
    or all. (tau_ap_e could be searched, but walks the estimate whose ties it changes.)
    """
    c = coefficient
    if c.no_calibration:
        known = " and ".join(record.name for record in catalogue if not record.no_calibration)
        raise CallError(
            f"calibrate_ties() searches {known} only; with {c}, {c.no_calibration}.",
            Advice("Use .thresholds() to look at it.", "Use --view thresholds to look at it."),
        )
    same = aligned_scores({"estimate": estimate, "truth": truth}, "calibrate_ties()", unmatched, topics=True)
    one, two = same.scores
    n, m = len(one), len(one.systems)
    if n < 2:
        raise TauscopeError(f"calibrate_ties() splits the topics into halves, and there is {count(n, 'topic')}.")
    draws, within, seed = checking.whole(draws, "draws", least=1), tolerance(truth_tied_within), remembered(rng)
    grid = _grid(one.means(), thresholds)
    order = content_order(one.values, two.values)
    halves = [_half_means(scores.values[order], draws, stream(seed, Stream.HALVES)) for scores in (one, two)]
    widths = (Tolerance(float(t)) if t else EXACT for t in grid)
    value = np.stack([_both_halves(c, halves, width, within) for width in widths])  # grid x halves x splits
    best = value[:, 0].argmax(axis=0)  # the smallest of equally good thresholds
    places = np.arange(draws)
    held_out, without = value[best, 1, places], value[0, 1, places]
    gold = snap_rows(two.means()[None])[0]
    ties = kernels.pair_counts(gold, gold, within, within)[2] if m > 1 else 0
    return TieCalibration(
        coefficient=c,
        threshold=float(np.median(grid[best])),
        held_out=float(held_out.mean()),
        without=float(without.mean()),
        chosen_on=float(value[best, 0, places].mean()),
        better=float((held_out > without).mean()),
        chosen=grid[best],
        thresholds=grid,
        curve=value.mean(axis=(1, 2)),
        truth_tied_within=within,
        truth_ties=ties / max(1, m * (m - 1) // 2),
        systems=m,
        topics=n,
        draws=draws,
        seed=seed,
        dropped=same.dropped,
    )


def _grid(means: Floats, thresholds: Iterable[float] | None) -> Floats:
    """The thresholds to try, in order; none at all is always one of them."""
    grid = np.linspace(0, float(np.ptp(means)) / 4, 51) if thresholds is None else grid_of(thresholds)
    if not len(grid) or grid[0] < 0:
        raise CallError("thresholds: give at least one, and none below 0.")
    return np.unique(np.append(grid, 0.0))


def _half_means(values: Floats, draws: int, generator: np.random.Generator) -> tuple[Floats, Floats]:
    """Means of the systems on random halves of the topics, splits x systems each; the same seed, the same halves."""
    n = len(values)
    order = generator.permuted(np.broadcast_to(np.arange(n), (draws, n)), axis=1)
    first = order < n // 2
    weights = first / max(1, n // 2), ~first / (n - n // 2)
    # Not a product of matrices: that one's last digits may depend on how many threads it uses.
    one, other = (snap_rows(np.einsum("tn,nm->tm", half, values)) for half in weights)
    return one, other


def _both_halves(c: Coefficient, halves: list[tuple[Floats, Floats]], width: Tolerance, truth: Tolerance) -> Floats:
    """The coefficient on the one half and on the other, 2 x splits."""
    (y1, y2), (x1, x2) = halves
    return np.stack([kernels.batch(c, y, x, width, truth)[0] for y, x in ((y1, x1), (y2, x2))])
