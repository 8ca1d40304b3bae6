"""tau_gap and tau_ap that do not count, or count less, what may be chance (the future work of gao2015).

A pair's weight is multiplied by (p < alpha), or softly by 1 - 2 p_ij, p_ij the chance that the pair is the other way
round; within each pivot weights are shares of what is left. Pivots with nothing left are left out.
"""

from __future__ import annotations

import math
from collections.abc import Hashable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from .. import pairs
from ..arrays import Floats
from ..errors import CallError, TauscopeError
from ..pairs import Pair, PairTable
from ..ranking import Aligned, align
from ..reference.differences import paired_p_values
from ..reference.rankings import summable
from ..results import Result, count, number
from ..scores import Scores
from ..scores.labels import shown
from .records import Coefficient, catalogue

#: Coefficients that have a discounted form.
DISCOUNTED = ("tau_gap", "tau_ap")


@dataclass(frozen=True, eq=False, repr=False)
class DiscountedCorrelation(Result):
    """A coefficient whose pairs count by how certain their order is in the truth; `float()` gives the value.

    `kept`: the share of all pairs that count (soft: their mean weight). `pivots`: those that count, of n - 1 at most.
    `plain`: the coefficient without the discount, NaN where it is not defined. `tied`: pairs that are certain, and tied in the
    estimate, so that they do not count. `dropped`: systems that only one side has.
    """

    coefficient: Coefficient
    value: float
    undefined_because: str | None
    n: int
    kept: float
    pivots: int
    alpha: float
    soft: bool
    plain: float
    topics: int
    tied: int = 0
    dropped: tuple[str, ...] = ()
    _data: Aligned = field(default=None, repr=False)  # type: ignore[assignment]
    _weight: Floats = field(default_factory=lambda: np.zeros((0, 0)), repr=False)

    def __float__(self) -> float:
        return self.value

    @property
    def items(self) -> tuple[Hashable, ...]:
        """The items compared."""
        return self._data.labels

    def _terms(self) -> list[pairs.Terms]:
        if math.isnan(self.value):
            raise TauscopeError(f"{self.coefficient} is undefined here, so it has no losses: {self.undefined_because}.")
        total = self._weight.sum(axis=1)
        share = self._weight / np.where(total > 0, total, 1.0)[:, None] / self.pivots
        x = self._data.second
        return [pairs.Terms(lambda i, j: (share[i, j], np.sign(x[None, j] - x[i, None])), symmetric=False)]

    @cached_property
    def pairs(self) -> PairTable:
        """Every pair that counts with its weight, agreement and loss; losses add up to 1 - value."""
        return pairs.pair_table(self._terms(), self._data.first, self.items)

    def heaviest(self, k: int = 10) -> list[Pair]:
        """The k pairs that cost most."""
        return pairs.heaviest(self._terms(), self._data.first, self.items, k)

    def lines(self) -> list[str]:
        how = "weights times 1 - 2 p_ij" if self.soft else f"pairs with p < {self.alpha:g} only"
        kept = "mean weight of a pair" if self.soft else "pairs kept"
        share = f"{kept} {number(self.kept)}" if self.soft else f"{kept} {number(100 * self.kept, 1)} %"
        first = f"discounted {self.coefficient} = {number(self.value, 4)}   {count(self.n, 'system')}, {share}, {count(self.pivots, 'pivot')} of {max(0, self.n - 1)}"
        second = f"{how}, paired t-test of the truth over {count(self.topics, 'topic')}; without the discount {number(self.plain, 4)}"
        if self.tied and not self.undefined_because:
            second += f"; {count(self.tied, 'pair')} tied in the estimate left out"
        if self.dropped:
            second += f"; left out, on one side only: {shown(self.dropped)}"
        return [first, *([f"undefined: {self.undefined_because}"] if self.undefined_because else []), second]

    def columns(self) -> dict[str, Any]:
        return {"coefficient": [self.coefficient.name], "value": [self.value], "plain": [self.plain], "n": [self.n],
                "kept": [self.kept], "pivots": [self.pivots]}  # fmt: skip

    def to_dict(self) -> dict[str, Any]:
        return super().to_dict() | {"coefficient": self.coefficient.name}

    def cited(self) -> tuple[str, ...]:
        return (self.coefficient.paper, "gao2015")


def discounted(
    estimate: Any,
    *,
    truth: Any,
    coefficient: str | Coefficient = "tau_gap",
    alpha: float = 0.05,
    soft: bool = False,
    p_values: Any = None,
    one_sided: str = "error",
) -> DiscountedCorrelation:
    """How right is a ranking where the truth is sure, without counting differences that may be chance?

    As tau_gap or tau_ap, with the weight of the pair (i, j) in pivot i, |gap| or 1, times (p_ij < alpha); weights are
    shares within each pivot, the value is the mean over the pivots that have any weight left (gao2015, section 5). `soft`
    multiplies by 1 - 2 p_ij instead, p_ij being the chance that the pair is the other way round: half of the two-sided p.

    Only items strictly above the pivot in the estimate count. Of tau_gap, pairs tied in the estimate are left out, and counted.
    tau_ap is not defined with ties: it is undefined where a pair that would count is tied, in the estimate or the truth; a tie of a
    pair that the discount takes out anyway does no harm. Undefined where no pair is left.
    Do not use it to compare coefficients across truths of different sizes: more topics keep more pairs.

    estimate: anything `Ranking` takes, or `Scores`. truth: `Scores` (topics x systems); p comes from a paired t-test.
    p_values: a systems x systems matrix of two-sided p in the order of the truth's systems, instead of the t-test.
    one_sided: "drop" compares the systems that both have; "error" names those that only one has.

    >>> truth = Scores([[3, 2, 1.9, 0], [4, 3, 3.1, 1], [5, 4, 4.1, 1]], systems=list("ABCD"))
    >>> found = discounted({"A": 4, "B": 3, "C": 2, "D": 1}, truth=truth)
    >>> print(found)                       # B and C cannot be told apart
    discounted tau_gap = 1.0000   4 systems, pairs kept 83.3 %, 3 pivots of 3
    pairs with p < 0.05 only, paired t-test of the truth over 3 topics; without the discount 0.9778
    """
    c = catalogue[coefficient]
    if c.name not in DISCOUNTED:
        raise CallError(f"{c} has no discounted form; there are {' and '.join(DISCOUNTED)}.")
    if not isinstance(truth, Scores):
        raise CallError(
            "The truth must be Scores, topics x systems (read_scores() makes them): its topics say which differences are chance."
        )
    if isinstance(alpha, bool) or not isinstance(alpha, (int, float, np.number)) or not 0 < alpha <= 1:
        raise CallError(f"alpha={alpha!r}: give a level above 0 and up to 1, such as 0.05.")
    truth.require_complete("discounted()")
    if p_values is None and len(truth) < 2:
        raise TauscopeError("discounted() needs at least two topics: one does not say which differences are chance.")
    data = align(estimate, truth.ranking(), names=("`estimate`", "`truth`"), one_sided=one_sided)
    place = {system: at for at, system in enumerate(truth.systems)}
    at = [place[str(item)] for item in data.labels]
    p = _p_values(p_values, truth)[np.ix_(at, at)]
    return _discounted(c, data, p, alpha, soft, len(truth))


def _p_values(given: Any, truth: Scores) -> Floats:
    if given is None:
        return paired_p_values(truth.values)
    m = len(truth.systems)
    try:
        p = np.asarray(given, float)
    except (TypeError, ValueError):
        raise CallError(
            f"p_values={given!r} is no matrix of numbers; give {m} x {m} two-sided p, or leave it out for a t-test."
        ) from None
    if p.shape != (m, m):
        raise CallError(f"p_values is of shape {p.shape}; the truth has {count(m, 'system')}, so it must be {m} x {m}.")
    off = p[~np.eye(m, dtype=bool)]
    if not ((off >= 0) & (off <= 1)).all():
        raise CallError("p_values must lie between 0 and 1.")
    if not np.array_equal(p, p.T) and not np.allclose(off, p.T[~np.eye(m, dtype=bool)], rtol=0, atol=1e-9):
        raise CallError("p_values must be two-sided, so the matrix is symmetric; this one is not.")
    return p


def _discounted(
    c: Coefficient, data: Aligned, p: Floats, alpha: float, soft: bool, topics: int
) -> DiscountedCorrelation:
    from .correlation import evaluate

    y, x, n = data.first, summable(data.second), len(data.first)
    keep = 1 - p if soft else (p < alpha).astype(float)
    above = y[None, :] > y[:, None]
    weight = np.where(above, keep, 0.0)
    if c.name == "tau_gap":
        weight = weight * np.abs(x[None, :] - x[:, None])
    total = weight.sum(axis=1)
    pivots = int(np.count_nonzero(total > 0))
    agreement = np.sign(x[None, :] - x[:, None])
    value = float(
        np.divide((weight * agreement).sum(1), total, out=np.zeros(n), where=total > 0).sum() / max(1, pivots)
    )
    upper = np.triu_indices(n, 1)
    certain, tied_y = keep[upper] > 0, (y[None, :] == y[:, None])[upper]
    tied, tied_x = int((certain & tied_y).sum()), int((certain & (agreement[upper] == 0)).sum())
    counts = ~tied_y & ((agreement[upper] != 0) | (c.name == "tau_ap"))
    kept = float(np.where(counts, keep[upper], 0.0).mean()) if n > 1 else math.nan
    reason = None
    if n < 2:
        reason = f"a ranking needs at least two items, this one has {n}"
    elif c.name == "tau_ap" and (tied or tied_x):
        where = "`estimate`" if tied else "`truth`"
        reason = f"tau_ap is not defined with ties, and {count(tied or tied_x, 'pair')} that would count {'is' if (tied or tied_x) == 1 else 'are'} tied in {where}; use tau_gap"
    elif not pivots:
        reason = "no pair is certain enough to count"
    plain = evaluate(c, data).value
    return DiscountedCorrelation(
        c, math.nan if reason else value, reason, n, kept, pivots, float(alpha), soft, plain, topics, tied,
        tuple(str(item) for side in data.dropped for item in side), data, weight,
    )  # fmt: skip
