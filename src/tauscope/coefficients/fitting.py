"""Which coefficients fit two rankings at hand, and whether another variant would change the conclusion."""

from __future__ import annotations

from typing import Any

from ..ranking import Aligned
from .coefficient import Coefficient
from .correlation import evaluate
from .head_weighted import TAU_AP, TAU_AP_A, TAU_AP_B
from .unweighted import TAU_B


def fitting(data: Aligned, within: Any, lower_is_better: bool, *, against_truth: bool) -> tuple[list[Coefficient], str]:
    """tau_b, and tau_ap in the variant that fits, and why."""
    if not against_truth:
        return [TAU_B, TAU_AP_B], "tau_b is the default; two opinions: tau_ap_b takes neither for the truth"
    wide = within is not None and any(w.width for w in within)
    if wide or any(evaluate(TAU_B, data, lower_is_better=lower_is_better).ties):
        return [TAU_B, TAU_AP_A], "tau_b is the default, for ties too; tau_ap_a is tau_ap against a truth with ties"
    return [TAU_B, TAU_AP], "tau_b is the default; without ties it is tau"
