"""Correlations of scores and of ranks: Pearson, Spearman, and Pearson Rank, whose head counts most."""

from __future__ import annotations

from typing import Any

from .correlation import Correlation, call
from .records import PEARSON, PEARSON_RANK, SPEARMAN


def pearson_rank(
    estimate: Any,
    *unnamed: Any,
    truth: Any = None,
    tied_within: Any = None,
    lower_is_better: bool = False,
    one_sided: str = "error",
) -> Correlation:
    """Do the scores themselves agree, above all among the best systems of the truth, even where no pair is swapped?

    rho_r = sum of x_i rho_i / sum of x_i over the pivots i of the truth, best first; rho_i is the correlation of the
    differences to the pivot (not to the means) over the items strictly above it in the truth (gao2016).

    Pivots that are 0/0 are left out with their weight. The truth's scores are the weights: negative ones, and scores
    where lower is better, leave it undefined. Do not use it when only the order matters (`tau_ap`).

    estimate, truth: anything `Ranking` takes, or two equally long arrays.
    one_sided: "drop" compares the items that both rankings have; "error" names those that only one has.

    >>> round(pearson_rank([0.7, 0.6, 0.1], truth=[0.9, 0.5, 0.2]).value, 6)
    0.988082
    """
    return call(
        PEARSON_RANK,
        estimate,
        unnamed,
        truth,
        tied_within=tied_within,
        lower_is_better=lower_is_better,
        one_sided=one_sided,
    )


def pearson(
    first: Any,
    second: Any = None,
    *more: Any,
    truth: Any = None,
    tied_within: Any = None,
    lower_is_better: bool = False,
    one_sided: str = "error",
) -> Correlation:
    """Do two sets of scores lie on a line?

    r = cov(x, y) / (sd(x) sd(y)) (pearson1895; gao2015, eq. 1).

    Ties are just equal scores; undefined if a set is constant. Do not use it when only the order matters, or when a few
    outliers would decide.

    first, second: two rankings, or `estimate, truth=…`. Anything `Ranking` takes, or two equally long arrays.
    lower_is_better: both rankings have their best item at the lowest score (the value stays the same).
    one_sided: "drop" compares the items that both rankings have; "error" names those that only one has.

    >>> round(pearson([1, 2, 3], [1, 2, 4]).value, 4)
    0.982
    """
    return call(
        PEARSON,
        first,
        () if second is None else (second, *more),
        truth,
        tied_within=tied_within,
        lower_is_better=lower_is_better,
        one_sided=one_sided,
    )


def spearman(
    first: Any,
    second: Any = None,
    *more: Any,
    truth: Any = None,
    tied_within: Any = None,
    lower_is_better: bool = False,
    one_sided: str = "error",
    top_k: int | None = None,
) -> Correlation:
    """Do two sets of ranks lie on a line?

    Pearson's r of the mid-ranks (spearman1904): tied items share the mean of their places.

    Undefined if a ranking is all tied. Do not use it when you want a probability: tau is the difference between the
    chances that a pair agrees and disagrees, rho is not.

    first, second: two rankings, or `estimate, truth=…`. Anything `Ranking` takes, or two equally long arrays.
    lower_is_better: both rankings have their best item at the lowest score (the value stays the same).
    one_sided: "drop" compares the items that both rankings have; "error" names those that only one has.
    top_k: compares only the union of both top k; an item outside one of them is tied below it there. Items on one side
        only are outside the other's.

    >>> round(spearman([1, 2, 3, 4], [1, 3, 2, 4]).value, 4)
    0.8
    """
    return call(
        SPEARMAN,
        first,
        () if second is None else (second, *more),
        truth,
        tied_within=tied_within,
        lower_is_better=lower_is_better,
        one_sided=one_sided,
        top_k=top_k,
    )
