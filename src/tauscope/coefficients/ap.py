"""AP correlation: the head counts most. Plain, and its three ways with ties."""

from __future__ import annotations

from typing import Any

from .correlation import Correlation, call
from .records import TAU_AP, TAU_AP_A, TAU_AP_B, TAU_AP_E


def tau_ap(
    estimate: Any,
    *unnamed: Any,
    truth: Any = None,
    tied_within: Any = None,
    lower_is_better: bool = False,
    one_sided: str = "error",
    top_k: int | None = None,
) -> Correlation:
    """How right is a ranking without ties, above all at its head, measured against the truth?

    tau_ap = 2/(n-1) * sum over ranks i = 2..n of the estimate of C_i/(i-1), minus 1; C_i counts the items above rank i
    that the truth puts above too (yilmaz2008; urbano2016, eq. 2). The estimate is walked; the truth only says who is right.

    Ties are an error that names the variants. Do not use it between two opinions of equal standing (`tau_ap_b`).

    estimate, truth: anything `Ranking` takes, or two equally long arrays. `truth` is a keyword always: public
        implementations disagree on the order of the arguments, and give other numbers.
    tied_within: not here; the variants a, b and e take it.
    lower_is_better: both rankings have their best item at the lowest score.
    one_sided: "drop" compares the items that both rankings have; "error" names those that only one has.
    top_k: compares only the union of both top k; an item outside one of them is tied below it there. Items on one side
        only are outside the other's.

    >>> from tauscope import Ranking
    >>> truth = Ranking.from_order("A B C D")
    >>> round(tau_ap(Ranking.from_order("B C A D"), truth=truth).value, 4)
    0.3333
    >>> round(tau_ap(Ranking.from_order("A C D B"), truth=truth).value, 4)
    0.5556
    """
    return call(
        TAU_AP,
        estimate,
        unnamed,
        truth,
        tied_within=tied_within,
        lower_is_better=lower_is_better,
        one_sided=one_sided,
        top_k=top_k,
    )


def tau_ap_a(
    estimate: Any,
    *unnamed: Any,
    truth: Any = None,
    tied_within: Any = None,
    lower_is_better: bool = False,
    one_sided: str = "error",
    top_k: int | None = None,
) -> Correlation:
    """How right is a ranking with ties, above all at its head, measured against the truth?

    tau_ap_a = 1/(n-1) * sum over pivots i of h_i * sum over items j above of sign(x_i-x_j) sign(y_i-y_j), where
    h_i = sum over k = 1..t_i of 1/(t_i(p_i+k-2)) (urbano2017; radja2018, eq. 4.4; with thresholds 6.2).

    It is the mean of tau_ap over all ways of breaking the ties, in both rankings. With a tolerance, items tied with
    exactly the same items form a sub-group (stepping); ties do not chain. 0 if everything is tied.
    Do not use it when both rankings are opinions (`tau_ap_b`) or when a tie says "these are equal" (`tau_ap_e`).

    estimate, truth: anything `Ranking` takes, or two equally long arrays.
    tied_within: scores this close are tied, inclusive: a number, a share of the smaller score ("5%"), or a pair of these
        in the order (estimate, truth). Default: the rankings' own tolerance.
    lower_is_better: both rankings have their best item at the lowest score.
    one_sided: "drop" compares the items that both rankings have; "error" names those that only one has.
    top_k: compares only the union of both top k; an item outside one of them is tied below it there. Items on one side
        only are outside the other's.

    >>> from tauscope import Ranking
    >>> truth, observer = Ranking.from_order("(A B) C D"), Ranking.from_order("A (B C D)")
    >>> round(tau_ap_a(observer, truth=truth).value, 4)       # radja2018, section 4.2
    0.4074
    """
    return call(
        TAU_AP_A,
        estimate,
        unnamed,
        truth,
        tied_within=tied_within,
        lower_is_better=lower_is_better,
        one_sided=one_sided,
        top_k=top_k,
    )


def tau_ap_b(
    first: Any,
    second: Any = None,
    *more: Any,
    truth: Any = None,
    tied_within: Any = None,
    lower_is_better: bool = False,
    one_sided: str = "error",
    top_k: int | None = None,
    other_ties: str = "discordant",
) -> Correlation:
    """How far do two observers agree, above all at the head, where neither is asked to repeat the other's ties?

    tau_ap_b = mean of the two walks; in one walk only the items above the pivot's tie group count, and the mean goes
    over the pivots that have something above (urbano2017; radja2018, eq. 4.7 and 4.8; with thresholds 6.4 and 6.5). The
    result has both walks in `.directions`. Without ties it is the symmetrised tau_ap.

    A pair that is tied in the ranking that is not walked counts -1; `other_ties="zero"` counts it 0, as the tables of
    radja2018 did. Undefined if a ranking is all tied.
    Do not use it against a truth (`tau_ap_a`) or for ties that mean equal (`tau_ap_e`).

    first, second: two rankings, or `estimate, truth=…`. Anything `Ranking` takes, or two equally long arrays.
    tied_within: scores this close are tied, inclusive: a number, a share of the smaller score ("5%"), or a pair of these
        in the order of the arguments. Default: the rankings' own tolerance.
    lower_is_better: both rankings have their best item at the lowest score.
    one_sided: "drop" compares the items that both rankings have; "error" names those that only one has.
    top_k: compares only the union of both top k; an item outside one of them is tied below it there. Items on one side
        only are outside the other's.

    >>> from tauscope import Ranking
    >>> first, second = Ranking.from_order("A (B C) D E"), Ranking.from_order("A (B C D) E")
    >>> round(tau_ap_b(first, second).value, 4)               # radja2018, section 2.2.3, for these rankings
    0.8333
    """
    return call(TAU_AP_B, first, () if second is None else (second, *more), truth, tied_within=tied_within, lower_is_better=lower_is_better, one_sided=one_sided, top_k=top_k,
                other_ties=other_ties)  # fmt: skip


def tau_ap_e(
    estimate: Any,
    *unnamed: Any,
    truth: Any = None,
    tied_within: Any = None,
    lower_is_better: bool = False,
    one_sided: str = "error",
    top_k: int | None = None,
) -> Correlation:
    """How right is a ranking, above all at its head, when a tie is a statement: "these systems are equal"?

    tau_ap_e = 2/(n-1) * sum over ranks i = 2..n of the estimate of C_i/(i-1), minus 1; C_i counts the items above that
    both rankings put above, or both tie with, the item at rank i (radja2018, eq. 5.2; with thresholds 6.7).

    The sum depends on the order of exactly equal estimates, so it is averaged over those orders. A pair tied in one
    ranking only counts as wrong; +1 if both are all tied, -1 if one is and the other has no tie.
    Do not use it when a tie only means "too close to call"; that is `tau_ap_a` (against a truth) or `tau_ap_b`.

    estimate, truth: anything `Ranking` takes, or two equally long arrays.
    tied_within: scores this close are tied, inclusive: a number, a share of the smaller score ("5%"), or a pair of these
        in the order (estimate, truth). Default: the rankings' own tolerance.
    lower_is_better: both rankings have their best item at the lowest score.
    one_sided: "drop" compares the items that both rankings have; "error" names those that only one has.
    top_k: compares only the union of both top k; an item outside one of them is tied below it there. Items on one side
        only are outside the other's.

    >>> from tauscope import Ranking
    >>> ties = Ranking.from_order("A (B C D) E")
    >>> round(tau_ap_e(ties, truth=ties).value, 4)            # radja2018, section 5.2: always concordant
    1.0
    """
    return call(
        TAU_AP_E,
        estimate,
        unnamed,
        truth,
        tied_within=tied_within,
        lower_is_better=lower_is_better,
        one_sided=one_sided,
        top_k=top_k,
    )
