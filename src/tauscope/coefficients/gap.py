"""tau_gap: the head counts most, and so do large differences of the truth."""

from __future__ import annotations

from typing import Any

from .correlation import Correlation, call
from .records import TAU_GAP


def tau_gap(
    estimate: Any,
    *unnamed: Any,
    truth: Any = None,
    tied_within: Any = None,
    lower_is_better: bool = False,
    one_sided: str = "error",
) -> Correlation:
    """How right is a ranking, above all at its head and where the truth sees large differences?

    tau_gap = 2/P * sum over pivots i of (gaps of the rightly ordered pairs above i) / (all gaps above i), minus 1; a gap is
    the difference of the two items' scores in the truth (gao2015, eq. 3).

    Only items strictly above the pivot in the estimate count; the P pivots are those with a gap above them. Undefined if
    there is none. There is no tolerance: a small gap has little weight anyway.
    Do not use it when differences of the truth's scores mean nothing (ordinal scales).

    estimate, truth: anything `Ranking` takes, or two equally long arrays; the truth's scores are the gaps.
    lower_is_better: both rankings have their best item at the lowest score.
    one_sided: "drop" compares the items that both rankings have; "error" names those that only one has.

    >>> truth = {"A": 4, "B": 3, "C": 2, "D": 1}
    >>> from tauscope import Ranking
    >>> round(tau_gap(Ranking.from_order("D A B C"), truth=truth).value, 4)
    -0.2778
    """
    return call(
        TAU_GAP, estimate, unnamed, truth, tied_within=tied_within, lower_is_better=lower_is_better, one_sided=one_sided
    )
