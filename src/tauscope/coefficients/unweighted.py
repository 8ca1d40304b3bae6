"""Coefficients in which every rank counts alike: records and functions.

Kendall's tau, its three ways with ties (a: against a truth, b: between observers, e: they mean equal), Pearson and
Spearman.
"""

from __future__ import annotations

from typing import Any, Never, Unpack

from ..core import formulas
from ..core.kernels import Code, Kernel
from ..errors import Undefined
from .calling import Options, call, public
from .coefficient import ALL_TIED, CONSTANT, WITH_TIES, Coefficient, Ties
from .correlation import Correlation

TAU = Coefficient(
    name="tau",
    symbol="τ",
    title="Kendall's tau",
    question="How much more often do two rankings without ties agree on the order of a pair than disagree?",
    definition="(concordant − discordant) / (n(n−1)/2)",
    paper="kendall1938",
    equation="radja2018 eq. 2.1",
    when_not="there are ties, or the head matters more than the tail",
    formula=formulas.tau,
    terms=formulas.tau_a_terms,
    kernel=Kernel(Code.TAU),
    symmetric=True,
    ties=Ties.FORBIDDEN,
    instead=("tau_a", "tau_b", "tau_e"),
    undefined=WITH_TIES,
    no_swap_sum="",
)


@public(TAU)
def tau(first: Any, second: Any = None, *more: Never, truth: Any = None, **options: Unpack[Options]) -> Correlation:
    """It is 1 for the same order and -1 for the reverse. Ties are an error that names the variants.

    Examples
    --------
    >>> round(tau([4, 3, 2, 1], [2, 4, 1, 3]).value, 4)      # radja2018, section 2.1.1: independent rankings
    0.0
    """
    return call(TAU, first, second, *more, truth=truth, **options)


TAU_A = Coefficient(
    name="tau_a",
    symbol="τ_a",
    title="Kendall's tau_a",
    question="How accurate is a ranking with ties, measured against the truth?",
    definition="Σ sign(x_j−x_i)·sign(y_j−y_i) / (n(n−1)/2)",
    paper="kendall1945",
    equation="radja2018 eq. 2.3, 6.1",
    when_not="both rankings are opinions (tau_b), or a tie says that two systems are equal (tau_e)",
    formula=formulas.tau_a,
    terms=formulas.tau_a_terms,
    kernel=Kernel(Code.TAU_A),
    symmetric=True,
    ties=Ties.INDISCERNIBLE,
    takes_tolerance=True,
    fully_tied=(0, 0, 0),
    no_swap_sum="with ties a pair is more than swapped or not",
    no_calibration="every tie only lowers it, so the best threshold is none",
)


@public(TAU_A)
def tau_a(first: Any, second: Any = None, *more: Never, truth: Any = None, **options: Unpack[Options]) -> Correlation:
    """A tied pair counts 0: the value is the mean of tau over all ways of breaking the ties, and 0 if everything is
    tied.

    Examples
    --------
    >>> from tauscope import Ranking
    >>> truth, observer = Ranking.from_order("A B C D E"), Ranking.from_order("A (B C D) E")
    >>> round(tau_a(observer, truth=truth).value, 4)          # radja2018, section 2.1.2
    0.7
    """
    return call(TAU_A, first, second, *more, truth=truth, **options)


TAU_B = Coefficient(
    name="tau_b",
    symbol="τ_b",
    title="Kendall's tau_b",
    question="How far do two observers agree, where neither is asked to repeat the other's ties?",
    definition="Σ sign(x_j−x_i)·sign(y_j−y_i) / √((N−t_X)(N−t_Y)),  N = n(n−1)/2",
    paper="kendall1945",
    equation="radja2018 eq. 2.4, 6.3",
    when_not="one ranking is the truth (tau_a), or a tie says that two systems are equal (tau_e)",
    formula=formulas.tau_b,
    terms=formulas.tau_b_terms,
    kernel=Kernel(Code.TAU_B),
    symmetric=True,
    ties=Ties.INDISCERNIBLE,
    takes_tolerance=True,
    undefined=ALL_TIED,
    no_swap_sum="its denominator depends on the unknown truth's ties",
    no_calibration="it excuses ties, so the best threshold ties nearly all",
)


@public(TAU_B)
def tau_b(first: Any, second: Any = None, *more: Never, truth: Any = None, **options: Unpack[Options]) -> Correlation:
    """It is what SciPy, R and pandas call Kendall's tau. A tied pair counts 0 and is taken out of its ranking's half of
    the denominator; undefined if a ranking is all tied.

    Examples
    --------
    >>> from tauscope import Ranking
    >>> first, second = Ranking.from_order("A (B C) D E"), Ranking.from_order("A (B C D) E")
    >>> round(tau_b(first, second).value, 4)                  # radja2018, section 2.1.3
    0.8819
    """
    return call(TAU_B, first, second, *more, truth=truth, **options)


TAU_E = Coefficient(
    name="tau_e",
    symbol="τ_e",
    title="tau_e",
    question="How far do two rankings agree when a tie is a statement: these systems are equal?",
    definition="2/N · Σ c_ij − 1,  c_ij = 1 when both order, or both tie, the pair",
    paper="radja2018",
    equation="radja2018 eq. 5.1, 6.6",
    when_not="a tie only means too close to call: that is tau_a (against a truth) or tau_b",
    formula=formulas.tau_e,
    terms=formulas.tau_e_terms,
    kernel=Kernel(Code.TAU_E),
    symmetric=True,
    ties=Ties.EQUAL,
    takes_tolerance=True,
    fully_tied=(1, -1, -1),
    no_swap_sum="it needs the chance that two true means are equal, not only that they are swapped",
    no_calibration="",
)


@public(TAU_E)
def tau_e(first: Any, second: Any = None, *more: Never, truth: Any = None, **options: Unpack[Options]) -> Correlation:
    """A pair tied in one ranking only counts as discordant; +1 if both are all tied, -1 if one is and the other has no
    tie.

    Examples
    --------
    >>> round(tau_e([5, 4, 3, 2, 1], [5, 3, 3, 3, 1]).value, 4)      # radja2018, section 5.1
    0.4
    """
    return call(TAU_E, first, second, *more, truth=truth, **options)


GAMMA = Coefficient(
    name="gamma",
    symbol="γ",
    title="Goodman and Kruskal's gamma",
    question="Of the pairs that both rankings order, how many more are in the same order than in opposite ones?",
    definition="(concordant − discordant) / (concordant + discordant)",
    paper="goodman1954",
    when_not="there are many ties: it does not see them, and one pair that both order is enough for 1",
    formula=formulas.gamma,
    terms=formulas.gamma_terms,
    symmetric=True,
    ties=Ties.SKIPPED,
    tie_rule="pairs tied in either ranking do not count",
    takes_tolerance=True,
    undefined=(Undefined.NOTHING_COUNTS,),
    nothing_counts="no pair is untied in both rankings",
    no_swap_sum="its denominator depends on the unknown truth's ties",
    no_calibration="it leaves ties out, so the best threshold ties nearly all",
)


@public(GAMMA)
def gamma(first: Any, second: Any = None, *more: Never, truth: Any = None, **options: Unpack[Options]) -> Correlation:
    """A pair tied in either ranking is left out; without ties it is tau. Undefined if every pair is tied in one of
    them.

    Examples
    --------
    >>> from tauscope import Ranking
    >>> first, second = Ranking.from_order("A (B C) E D"), Ranking.from_order("A B C D E")
    >>> round(gamma(first, second).value, 4)                  # of 9 pairs that both order, one is reversed: (8 - 1)/9
    0.7778
    >>> gamma(Ranking.from_order("A (B C) D"), Ranking.from_order("(A B) D C")).value        # of 4, C and D: (3 - 1)/4
    0.5
    >>> gamma([1, 1, 2], [1, 2, 2], tied_within=1).undefined_because
    'no pair is untied in both rankings'
    """
    return call(GAMMA, first, second, *more, truth=truth, **options)


SOMERS_D = Coefficient(
    name="somers_d",
    symbol="D",
    title="Somers' D",
    question="Of the pairs that the truth orders, how many more does the estimate order rightly than wrongly?",
    definition="(concordant − discordant) / (N − t_X),  N = n(n−1)/2, t_X pairs tied in the truth",
    paper="somers1962",
    when_not="both rankings are opinions (tau_b), or a tie says that two systems are equal (tau_e)",
    formula=formulas.somers_d,
    terms=formulas.somers_d_terms,
    symmetric=False,
    ties=Ties.INDISCERNIBLE,
    tie_rule="pairs tied in the truth do not count",
    takes_tolerance=True,
    fully_tied=(None, 0, None),
    undefined=(Undefined.ALL_TIED_TRUTH,),
    no_swap_sum="its denominator depends on the unknown truth's ties",
    no_calibration="no tie in the estimate helps it, so the best threshold is none",
)


@public(SOMERS_D)
def somers_d(estimate: Any, *unnamed: Never, truth: Any, **options: Unpack[Options]) -> Correlation:
    """A pair that the truth ties is left out; one that only the estimate ties counts 0. Without ties it is tau.
    Undefined if the truth is all tied.

    Examples
    --------
    >>> from tauscope import Ranking
    >>> judge, people = Ranking.from_order("A B C E D"), Ranking.from_order("(A B) C D E")
    >>> round(somers_d(judge, truth=people).value, 4)         # people order 9 pairs, one of them reversed: (8 - 1)/9
    0.7778
    >>> somers_d(people, truth=judge).value                   # the judge orders 10 pairs, of which people tie one
    0.7
    """
    return call(SOMERS_D, estimate, *unnamed, truth=truth, **options)


PEARSON = Coefficient(
    name="pearson",
    symbol="r",
    title="Pearson's r",
    question="Do two sets of scores lie on a line?",
    definition="cov(x, y) / (σ_x σ_y)",
    paper="pearson1895",
    equation="gao2015 eq. 1",
    when_not="only the order matters, or a few outliers would decide",
    formula=formulas.pearson,
    terms=formulas.pearson_terms,
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
        "you want a probability: tau is the difference between the chances of agreement and disagreement of a pair, "
        "rho is not"
    ),
    formula=formulas.spearman,
    terms=formulas.spearman_terms,
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
    """Tied items share the mean of their places; undefined if a ranking is all tied. It does not matter whether lower
    is better.

    Examples
    --------
    >>> round(spearman([1, 2, 3, 4], [1, 3, 2, 4]).value, 4)
    0.8
    """
    return call(SPEARMAN, first, second, *more, truth=truth, **options)
