"""tau_gap: the head counts most, and so do large differences of the truth."""

from __future__ import annotations

from typing import Any, Never, Unpack

from ..errors import Undefined
from ..kernels import Code, Kernel
from ..reference import rankings
from .calling import Options, call, public
from .coefficient import Coefficient, Ties
from .correlation import Correlation

TAU_GAP = Coefficient(
    name="tau_gap",
    symbol="τ_gap",
    title="tau_gap",
    question="How right is a ranking, above all at its head and where the truth sees large differences?",
    definition="2/P · Σ_i Σ_{j above i} |CG_ji| / Σ_{j above i} |G_ji| − 1, over the P pivots with a gap above them",
    paper="gao2015",
    equation="gao2015 eq. 3",
    when_not=(
        "differences of the truth's scores mean nothing (ordinal scales), or small differences are what you care about"
    ),
    formula=rankings.tau_gap,
    terms=rankings.tau_gap_terms,
    kernel=Kernel(Code.TAU_GAP),
    symmetric=False,
    head_weighted=True,
    gap_sensitive=True,
    ties=Ties.SKIPPED,
    tie_rule="pairs tied in the estimate do not count",
    walks="estimate",
    instead=("tau_ap_a", "tau_ap_b", "tau_ap_e"),
    undefined=(Undefined.NOTHING_COUNTS,),
    nothing_counts="no item has both something above it and a difference to it that counts",
    discountable=True,
    no_swap_sum="its weights depend on the unknown truth",
)


@public(TAU_GAP)
def tau_gap(estimate: Any, *unnamed: Never, truth: Any, **options: Unpack[Options]) -> Correlation:
    """G_ji is the gap, the difference of the two items' scores in the truth, and CG_ji the gap of a pair that the estimate has
    in the right order. Only items strictly above the pivot in the estimate count; undefined if no pivot has a gap above it.
    There is no tolerance: a small gap has little weight anyway.

    Examples
    --------
    >>> truth = {"A": 4, "B": 3, "C": 2, "D": 1}
    >>> from tauscope import Ranking
    >>> round(tau_gap(Ranking.from_order("D A B C"), truth=truth).value, 4)
    -0.2778
    """
    return call(TAU_GAP, estimate, *unnamed, truth=truth, **options)
