"""Correlations of scores and of ranks: Pearson, Spearman, and Pearson Rank, whose head counts most."""

from __future__ import annotations

from typing import Any, Never, Unpack

from ..errors import Undefined
from ..kernels import Code, Kernel
from ..reference import rankings
from .calling import Options, call, public
from .coefficient import CONSTANT, Coefficient, Ties
from .correlation import Correlation

PEARSON_RANK = Coefficient(
    name="pearson_rank",
    symbol="ρ_r",
    title="Pearson Rank",
    question="Do the scores themselves agree, above all among the best systems of the truth, even where no pair is swapped?",
    definition=(
        "Σ_i x_i ρ_i / Σ_i x_i,  ρ_i = correlation of the differences to pivot i over the items above it in the truth"
    ),
    paper="gao2016",
    equation="gao2016",
    when_not="truth scores can be negative or lower is better (they are its weights), or only the order matters",
    formula=rankings.pearson_rank,
    terms=rankings.pearson_rank_terms,
    kernel=Kernel(Code.PEARSON_RANK),
    symmetric=False,
    head_weighted=True,
    gap_sensitive=True,
    ties=Ties.SCORES,
    walks="truth",
    instead=("tau_ap_a", "tau_ap_b", "tau_ap_e"),
    undefined=(Undefined.NOTHING_COUNTS, Undefined.NEGATIVE_TRUTH, Undefined.LOWER_IS_BETTER),
    nothing_counts="no item has both something above it and a difference to it that counts",
    weights_are_scores=True,
    no_swap_sum="its order and weights depend on the unknown truth",
)


@public(PEARSON_RANK)
def pearson_rank(estimate: Any, *unnamed: Never, truth: Any, **options: Unpack[Options]) -> Correlation:
    """The truth is walked, best first; differences are to the pivot, not to the means, over the items strictly above it.
    Pivots that are 0/0 are left out with their weight. The truth's scores are the weights: negative ones, and scores where
    lower is better, leave it undefined.

    Examples
    --------
    >>> round(pearson_rank([0.7, 0.6, 0.1], truth=[0.9, 0.5, 0.2]).value, 6)
    0.988082
    """
    return call(PEARSON_RANK, estimate, *unnamed, truth=truth, **options)


PEARSON = Coefficient(
    name="pearson",
    symbol="r",
    title="Pearson's r",
    question="Do two sets of scores lie on a line?",
    definition="cov(x, y) / (σ_x σ_y)",
    paper="pearson1895",
    equation="gao2015 eq. 1",
    when_not="only the order matters, or a few outliers would decide",
    formula=rankings.pearson,
    terms=rankings.pearson_terms,
    kernel=Kernel(Code.PEARSON),
    symmetric=True,
    gap_sensitive=True,
    ties=Ties.SCORES,
    instead=("tau_a", "tau_b", "tau_e"),
    undefined=CONSTANT,
)


@public(PEARSON)
def pearson(first: Any, second: Any = None, *more: Never, truth: Any = None, **options: Unpack[Options]) -> Correlation:
    """Ties are just equal scores; undefined if a set is constant. It does not matter whether lower is better.

    Examples
    --------
    >>> round(pearson([1, 2, 3], [1, 2, 4]).value, 4)
    0.982
    """
    return call(PEARSON, first, second, *more, truth=truth, **options)


SPEARMAN = Coefficient(
    name="spearman",
    symbol="ρ",
    title="Spearman's rho",
    question="Do two sets of ranks lie on a line?",
    definition="Pearson's r of the mid-ranks",
    paper="spearman1904",
    equation="textbook",
    when_not=(
        "you want a probability: tau is the difference between the chances of agreement and disagreement of a pair, rho is not"
    ),
    formula=rankings.spearman,
    terms=rankings.spearman_terms,
    kernel=Kernel(Code.SPEARMAN),
    symmetric=True,
    ties=Ties.SCORES,
    instead=("tau_a", "tau_b", "tau_e"),
    undefined=CONSTANT,
)


@public(SPEARMAN)
def spearman(
    first: Any, second: Any = None, *more: Never, truth: Any = None, **options: Unpack[Options]
) -> Correlation:
    """Tied items share the mean of their places; undefined if a ranking is all tied. It does not matter whether lower is better.

    Examples
    --------
    >>> round(spearman([1, 2, 3, 4], [1, 3, 2, 4]).value, 4)
    0.8
    """
    return call(SPEARMAN, first, second, *more, truth=truth, **options)
