"""tau_gap and tau_ap that do not count, or count less, what may be chance (the future work of gao2015).

A pair's weight is multiplied by (p < alpha), or softly by 1 - 2 p_ij, p_ij the chance that the pair is the other way
round; within each pivot weights are shares of what is left. Pivots with nothing left are left out.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from ..core import checking
from ..core.arrays import Floats, summable
from ..core.differences import paired_p_values
from ..core.formulas import Terms
from ..data.ranking import Aligned, align
from ..data.scores import Scores
from ..errors import Advice, CallError, Option, TauscopeError, Undefined
from ..io.door import takes_scores
from ..results import Note
from .coefficient import Coefficient, Ties
from .correlation import evaluate
from .pairs import Explained
from .records import catalogue


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class DiscountedCorrelation(Explained):
    """How right is a ranking where pairs count by how certain their order is in the truth? `float()` gives the value.

    Attributes
    ----------
    coefficient : Coefficient
        The record of the coefficient that is discounted.
    value : float
        The value, NaN where it is undefined.
    undefined_because : str or None
        Why there is no value.
    n : int
        How many systems are compared.
    kept : float
        The share of all pairs that count (soft: their mean weight).
    pivots : int
        How many pivots count, of n - 1 at most.
    alpha : float
        The level of significance.
    soft : bool
        Whether weights are multiplied by 1 - 2 p instead.
    plain : float
        The coefficient without the discount, NaN where it is not defined.
    topics : int
        How many topics the truth has.
    tied : int
        Pairs that are certain, and tied in the estimate, so that they do not count.
    dropped : tuple of str
        Systems that only one side has.
    """

    QUESTION: ClassVar[str] = "discounted"

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

    def _terms(self) -> list[Terms]:
        if math.isnan(self.value):
            raise TauscopeError(f"{self.coefficient} is undefined here, so it has no losses: {self.undefined_because}.")
        total = self._weight.sum(axis=1)
        share = self._weight / np.where(total > 0, total, 1.0)[:, None] / self.pivots
        x = self._data.second
        return [Terms(lambda i, j: (share[i, j], np.sign(x[None, j] - x[i, None])), symmetric=False)]

    def columns(self) -> dict[str, Any]:
        row = {"coefficient": self.coefficient.name, "value": self.value, "plain": self.plain, "n": self.n}
        return {name: [value] for name, value in (row | {"kept": self.kept, "pivots": self.pivots}).items()}

    def to_dict(self) -> dict[str, Any]:
        return super().to_dict() | {"coefficient": self.coefficient.name}

    def cited(self) -> tuple[str, ...]:
        return (self.coefficient.paper, "gao2015")


@takes_scores("truth")
def discounted(
    estimate: Any,
    *,
    truth: Any,
    coefficient: str | Coefficient = "tau_gap",
    alpha: float = 0.05,
    soft: bool = False,
    unmatched: str = "error",
) -> DiscountedCorrelation:
    """How right is a ranking where the truth is sure, without counting differences that may be chance?

    As tau_gap or tau_ap, with the weight of the pair (i, j) in pivot i, |gap| or 1, times (p_ij < alpha); weights are
    shares within each pivot, the value is the mean over the pivots that have any weight left (gao2015, section 5).
    `soft` multiplies by 1 - 2 p_ij instead, p_ij being the chance that the pair is the other way round: half of the
    two-sided p.

    Only items strictly above the pivot in the estimate count. Of tau_gap, pairs tied in the estimate are left out, and
    counted. tau_ap is not defined with ties: it is undefined where a pair that would count is tied, in the estimate or
    the truth; a tie of a pair that the discount takes out anyway does no harm. Undefined where no pair is left. Do not
    use it to compare coefficients across truths of different sizes: more topics keep more pairs.

    Parameters
    ----------
    estimate : ranking or Scores
        The ranking to judge: anything `Ranking` takes.
    truth : Scores, or what Scores.read() takes
        Topics x systems; p comes from a paired t-test over the topics.
    coefficient : str or Coefficient, default "tau_gap"
        One that has a discounted form: tau_gap or tau_ap.
    alpha : float, default 0.05
        The level of significance, above 0 and up to 1.
    soft : bool, default False
        Whether to multiply weights by 1 - 2 p instead of leaving out what is not significant.
    unmatched : "error" or "drop", default "error"
        What to do with systems that only one side has: "drop" compares those that both have, "error" names the others.

    Returns
    -------
    DiscountedCorrelation
        The value, or the reason why there is none.

    Raises
    ------
    CallError
        Where the coefficient has no discounted form, or the truth is not Scores.
    AlignmentError
        Where estimate and truth are not of the same systems.

    Examples
    --------
    >>> truth = Scores([[3, 2, 1.9, 0], [4, 3, 3.1, 1], [5, 4, 4.1, 1]], systems=list("ABCD"))
    >>> found = discounted({"A": 4, "B": 3, "C": 2, "D": 1}, truth=truth)
    >>> round(found.value, 4)  # B and C do not differ significantly
    1.0
    """
    c = catalogue[coefficient]
    if not c.discountable:
        known = [record.name for record in catalogue if record.discountable]
        raise CallError(f"{c} has no discounted form.", Option("coefficient", *known, effect="instead"))
    if not isinstance(truth, Scores):
        raise CallError(
            "The truth must be Scores, topics x systems: its topics say which differences are chance.",
            Advice("Read them with Scores.read()."),
        )
    alpha = checking.share(alpha, "alpha", one=True)
    truth.require_complete("discounted()")
    if len(truth) < 2:
        raise TauscopeError("discounted() needs at least two topics: one does not say which differences are chance.")
    data = align(estimate, truth.ranking(), names=("`estimate`", "`truth`"), unmatched=unmatched)
    place = {system: at for at, system in enumerate(truth.systems)}
    at = [place[str(item)] for item in data.labels]
    p = paired_p_values(truth.values)[np.ix_(at, at)]
    return _discounted(c, data, p, alpha, soft, len(truth))


def _discounted(
    c: Coefficient, data: Aligned, p: Floats, alpha: float, soft: bool, topics: int
) -> DiscountedCorrelation:
    y, x, n = data.first, summable(data.second), len(data.first)
    keep = 1 - p if soft else (p < alpha).astype(float)
    gap = x[None, :] - x[:, None]
    weight = np.where(y[None, :] > y[:, None], keep, 0.0) * (np.abs(gap) if c.gap_sensitive else 1.0)
    total = weight.sum(axis=1)
    pivots = int(np.count_nonzero(total > 0))
    agreement = np.sign(gap)
    shares = np.divide((weight * agreement).sum(1), total, out=np.zeros(n), where=total > 0)
    upper = np.triu_indices(n, 1)
    certain, tied_y, tied_x = keep[upper] > 0, (y[None, :] == y[:, None])[upper], agreement[upper] == 0
    tied = int((certain & tied_y).sum()), int((certain & tied_x).sum())
    counts = ~tied_y & ~(tied_x & c.gap_sensitive)
    reason = None
    if n < 2:
        reason = c.why_undefined(Undefined.TOO_FEW, n=n)
    elif c.ties is Ties.FORBIDDEN and any(tied):
        reason = _tied_reason(c, *tied)
    elif not pivots:
        reason = str(Note("no_certain_pair"))
    return DiscountedCorrelation(
        coefficient=c,
        value=math.nan if reason else float(shares.sum() / max(1, pivots)),
        undefined_because=reason,
        n=n,
        kept=float(np.where(counts, keep[upper], 0.0).mean()) if n > 1 else math.nan,
        pivots=pivots,
        alpha=alpha,
        soft=soft,
        plain=evaluate(c, data).value,
        topics=topics,
        tied=tied[0],
        dropped=tuple(str(item) for side in data.dropped for item in side),
        _data=data,
        _weight=weight,
    )


def _tied_reason(c: Coefficient, tied_estimate: int, tied_truth: int) -> str:
    where, tied = ("`estimate`", tied_estimate) if tied_estimate else ("`truth`", tied_truth)
    others = [record.name for record in catalogue if record.discountable and record != c]
    return str(Note("tied_pairs_that_count", coefficient=str(c), pairs=tied, where=where, others=others))
