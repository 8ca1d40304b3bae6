"""Kendall's tau and its three ways with ties: a (against a truth), b (between observers), e (ties mean equal)."""

from __future__ import annotations

from typing import Any

from .correlation import Correlation, call
from .records import TAU, TAU_A, TAU_B, TAU_E


def tau(
    first: Any,
    second: Any = None,
    *more: Any,
    truth: Any = None,
    tied_within: Any = None,
    lower_is_better: bool = False,
    one_sided: str = "error",
    top_k: int | None = None,
) -> Correlation:
    """How much more often do two rankings without ties agree on the order of a pair than disagree?

    tau = (concordant - discordant) / (n(n-1)/2) (kendall1938; radja2018, eq. 2.1): 1 for the same order, -1 for the
    reverse.

    Ties are an error that names the variants. Do not use it when the head matters more than the tail (`tau_ap`).

    first, second: two rankings, or `estimate, truth=…`. Anything `Ranking` takes, or two equally long arrays.
    tied_within: not here; the variants a, b and e take it.
    lower_is_better: both rankings have their best item at the lowest score.
    one_sided: "drop" compares the items that both rankings have; "error" names those that only one has.
    top_k: compares only the union of both top k; an item outside one of them is tied below it there. Items on one side
        only are outside the other's.

    >>> round(tau([4, 3, 2, 1], [2, 4, 1, 3]).value, 4)      # radja2018, section 2.1.1: independent rankings
    0.0
    """
    return call(
        TAU,
        first,
        () if second is None else (second, *more),
        truth,
        tied_within=tied_within,
        lower_is_better=lower_is_better,
        one_sided=one_sided,
        top_k=top_k,
    )


def tau_a(
    first: Any,
    second: Any = None,
    *more: Any,
    truth: Any = None,
    tied_within: Any = None,
    lower_is_better: bool = False,
    one_sided: str = "error",
    top_k: int | None = None,
) -> Correlation:
    """How accurate is a ranking with ties, measured against the truth?

    tau_a = sum of sign(x_j - x_i) sign(y_j - y_i) over pairs / (n(n-1)/2) (kendall1945; radja2018, eq. 2.3; with
    thresholds 6.1).

    A tied pair counts 0: the value is the mean of tau over all ways of breaking the ties, and 0 if everything is tied.
    Do not use it when both rankings are opinions (`tau_b`) or when a tie says "these are equal" (`tau_e`).

    first, second: two rankings, or `estimate, truth=…`. Anything `Ranking` takes, or two equally long arrays.
    tied_within: scores this close are tied, inclusive: a number, a share of the smaller score ("5%"), or a pair of these
        in the order of the arguments. Default: the rankings' own tolerance.
    lower_is_better: both rankings have their best item at the lowest score.
    one_sided: "drop" compares the items that both rankings have; "error" names those that only one has.
    top_k: compares only the union of both top k; an item outside one of them is tied below it there. Items on one side
        only are outside the other's.

    >>> from tauscope import Ranking
    >>> truth, observer = Ranking.from_order("A B C D E"), Ranking.from_order("A (B C D) E")
    >>> round(tau_a(observer, truth=truth).value, 4)          # radja2018, section 2.1.2
    0.7
    """
    return call(
        TAU_A,
        first,
        () if second is None else (second, *more),
        truth,
        tied_within=tied_within,
        lower_is_better=lower_is_better,
        one_sided=one_sided,
        top_k=top_k,
    )


def tau_b(
    first: Any,
    second: Any = None,
    *more: Any,
    truth: Any = None,
    tied_within: Any = None,
    lower_is_better: bool = False,
    one_sided: str = "error",
    top_k: int | None = None,
) -> Correlation:
    """How far do two observers agree, where neither is asked to repeat the other's ties?

    tau_b = sum of sign(x_j - x_i) sign(y_j - y_i) over pairs / sqrt((N - t_X)(N - t_Y)), N = n(n-1)/2 (kendall1945;
    radja2018, eq. 2.4; with thresholds 6.3). It is what SciPy, R and pandas call Kendall's tau.

    A tied pair counts 0 and is taken out of its ranking's half of the denominator; undefined if a ranking is all tied.
    Do not use it against a truth (`tau_a`: ties of the estimate would be excused) or for ties that mean equal (`tau_e`).

    first, second: two rankings, or `estimate, truth=…`. Anything `Ranking` takes, or two equally long arrays.
    tied_within: scores this close are tied, inclusive: a number, a share of the smaller score ("5%"), or a pair of these
        in the order of the arguments. Default: the rankings' own tolerance.
    lower_is_better: both rankings have their best item at the lowest score.
    one_sided: "drop" compares the items that both rankings have; "error" names those that only one has.
    top_k: compares only the union of both top k; an item outside one of them is tied below it there. Items on one side
        only are outside the other's.

    >>> from tauscope import Ranking
    >>> first, second = Ranking.from_order("A (B C) D E"), Ranking.from_order("A (B C D) E")
    >>> round(tau_b(first, second).value, 4)                  # radja2018, section 2.1.3
    0.8819
    """
    return call(
        TAU_B,
        first,
        () if second is None else (second, *more),
        truth,
        tied_within=tied_within,
        lower_is_better=lower_is_better,
        one_sided=one_sided,
        top_k=top_k,
    )


def tau_e(
    first: Any,
    second: Any = None,
    *more: Any,
    truth: Any = None,
    tied_within: Any = None,
    lower_is_better: bool = False,
    one_sided: str = "error",
    top_k: int | None = None,
) -> Correlation:
    """Agreement of two rankings when a tie is a statement: "these systems are equal".

    tau_e = 2/N * sum(c_ij) - 1, with c_ij = 1 when both rankings order, or both tie, the pair (radja2018, eq. 5.1; with
    thresholds 6.6).

    A pair tied in one ranking only counts as discordant; +1 if both are all tied, -1 if one is and the other has no tie.
    Do not use it when a tie only means "too close to call"; that is `tau_a` (against a truth) or `tau_b`.

    first, second: two rankings, or `estimate, truth=…`. Anything `Ranking` takes, or two equally long arrays.
    tied_within: scores this close are tied, inclusive: a number, a share of the smaller score ("5%"), or a pair of these
        in the order of the arguments. Default: the rankings' own tolerance.
    lower_is_better: both rankings have their best item at the lowest score.
    one_sided: "drop" compares the items that both rankings have; "error" names those that only one has.
    top_k: compares only the union of both top k; an item outside one of them is tied below it there. Items on one side
        only are outside the other's.

    >>> round(tau_e([5, 4, 3, 2, 1], [5, 3, 3, 3, 1]).value, 4)      # radja2018, section 5.1
    0.4
    """
    return call(
        TAU_E,
        first,
        () if second is None else (second, *more),
        truth,
        tied_within=tied_within,
        lower_is_better=lower_is_better,
        one_sided=one_sided,
        top_k=top_k,
    )
