"""Every coefficient, its record beside its function, and the catalogue of them.

First those in which every rank counts alike: Kendall's tau, its three ways with ties (a: against a truth, b: between
observers, e: they mean equal), gamma, Somers' D, Pearson and Spearman. Then those in which the top counts most: AP
correlation, its three ways with ties, weighted tau, tau_gap and Pearson Rank.
"""

from __future__ import annotations

from functools import partial
from typing import Any, Never, Unpack

from ..core import formulas
from ..core.formulas import both_ways, both_ways_terms
from ..core.kernels import Code, Kernel
from ..errors import Undefined
from .calling import Options, call, public
from .coefficient import ALL_TIED, CONSTANT, WITH_TIES, Catalogue, Own
from .coefficient import Coefficient as Coefficient
from .coefficient import Ties as Ties
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


TAU_AP = Coefficient(
    name="tau_ap",
    symbol="τ_ap",
    title="AP correlation",
    called="AP correlation tau_ap",
    question="How right is a ranking without ties, above all at its head, measured against the truth?",
    definition=(
        "2/(n−1) · Σ_{i=2..n} C_i/(i−1) − 1,  C_i = items above rank i of the estimate that the truth puts above too"
    ),
    paper="yilmaz2008",
    equation="urbano2016 eq. 2",
    when_not="there are ties, or the two rankings are opinions of equal standing (tau_ap_b)",
    formula=formulas.tau_ap,
    terms=formulas.tau_ap_a_terms,
    kernel=Kernel(Code.TAU_AP),
    symmetric=False,
    head_weighted=True,
    ties=Ties.FORBIDDEN,
    walks="estimate",
    instead=("tau_ap_a", "tau_ap_b", "tau_ap_e"),
    undefined=WITH_TIES,
    discountable=True,
    no_swap_sum="",
)


@public(TAU_AP)
def tau_ap(estimate: Any, *unnamed: Never, truth: Any, **options: Unpack[Options]) -> Correlation:
    """The estimate is walked; the truth only says who is right. Ties are an error that names the variants.

    Examples
    --------
    >>> from tauscope import Ranking
    >>> truth = Ranking.from_order("A B C D")
    >>> round(tau_ap(Ranking.from_order("B C A D"), truth=truth).value, 4)
    0.3333
    >>> round(tau_ap(Ranking.from_order("A C D B"), truth=truth).value, 4)
    0.5556
    """
    return call(TAU_AP, estimate, *unnamed, truth=truth, **options)


TAU_AP_A = Coefficient(
    name="tau_ap_a",
    symbol="τ_ap,a",
    title="AP correlation for ties against a truth",
    called="AP correlation tau_ap_a",
    question="How right is a ranking with ties, above all at its head, measured against the truth?",
    definition=("1/(n−1) · Σ_i h_i Σ_{j above i} sign(x_i−x_j)·sign(y_i−y_j),  h_i = Σ_{k=1..t_i} 1/(t_i(p_i+k−2))"),
    paper="urbano2017",
    equation="radja2018 eq. 4.4, 6.2",
    when_not="both rankings are opinions (tau_ap_b), or a tie says that two systems are equal (tau_ap_e)",
    formula=formulas.tau_ap_a,
    terms=formulas.tau_ap_a_terms,
    kernel=Kernel(Code.TAU_AP_A),
    symmetric=False,
    head_weighted=True,
    ties=Ties.INDISCERNIBLE,
    walks="estimate",
    takes_tolerance=True,
    fully_tied=(0, 0, 0),
    no_swap_sum="with ties a pair is more than swapped or not",
    no_calibration="every tie only lowers it, so the best threshold is none",
)


@public(TAU_AP_A)
def tau_ap_a(estimate: Any, *unnamed: Never, truth: Any, **options: Unpack[Options]) -> Correlation:
    """It is the mean of tau_ap over all ways of breaking the ties, in both rankings, and 0 if everything is tied. With
    a tolerance, items tied with exactly the same items form a sub-group (stepping); ties do not chain.

    Examples
    --------
    >>> from tauscope import Ranking
    >>> truth, observer = Ranking.from_order("(A B) C D"), Ranking.from_order("A (B C D)")
    >>> round(tau_ap_a(observer, truth=truth).value, 4)       # radja2018, section 4.2
    0.4074
    """
    return call(TAU_AP_A, estimate, *unnamed, truth=truth, **options)


TAU_AP_B = Coefficient(
    name="tau_ap_b",
    symbol="τ_ap,b",
    title="AP correlation for ties between observers",
    called="AP correlation tau_ap_b",
    question="How far do two observers agree, above all at the head, where neither is asked to repeat the other's "
    "ties?",
    definition=(
        "(τ_ap,ties(Y|X) + τ_ap,ties(X|Y)) / 2, each the mean over pivots that have something above their tie group"
    ),
    paper="urbano2017",
    equation="radja2018 eq. 4.7, 4.8, 6.4, 6.5",
    when_not="one ranking is the truth (tau_ap_a), or a tie says that two systems are equal (tau_ap_e)",
    formula=formulas.tau_ap_b,
    terms=formulas.tau_ap_b_terms,
    one_way=partial(formulas.tau_ap_ties, ties_are_zero=False),
    kernel=Kernel(Code.TAU_AP_B),
    symmetric=True,
    head_weighted=True,
    ties=Ties.INDISCERNIBLE,
    walks="both",
    takes_tolerance=True,
    undefined=ALL_TIED,
    no_swap_sum="one of its walks goes through the unknown truth",
    no_calibration="it excuses ties, so the best threshold ties nearly all",
    own={
        "other_ties": Own(
            {
                "discordant": {},
                "zero": {
                    "formula": partial(formulas.tau_ap_b, ties_are_zero=True),
                    "terms": partial(formulas.tau_ap_b_terms, ties_are_zero=True),
                    "one_way": partial(formulas.tau_ap_ties, ties_are_zero=True),
                    "kernel": Kernel(Code.TAU_AP_B, ties_are_zero=True),
                },
            },
            'A pair that is tied in the ranking that is not walked counts -1, as one in the wrong order; "zero" '
            "counts it 0, as the "
            "tables of radja2018 did.",
            said="ties of the ranking that is not walked count 0",
        )
    },
)


@public(TAU_AP_B)
def tau_ap_b(
    first: Any,
    second: Any = None,
    *more: Never,
    truth: Any = None,
    other_ties: str = "discordant",
    **options: Unpack[Options],
) -> Correlation:
    """In one walk only the items above the pivot's tie group count. The result has both walks in `.directions`. Without
    ties it is the symmetrised tau_ap; undefined if a ranking is all tied.

    Examples
    --------
    >>> from tauscope import Ranking
    >>> first, second = Ranking.from_order("A (B C) D E"), Ranking.from_order("A (B C D) E")
    >>> round(tau_ap_b(first, second).value, 4)               # radja2018, section 2.2.3, for these rankings
    0.8333
    """
    return call(TAU_AP_B.taking(other_ties=other_ties), first, second, *more, truth=truth, **options)


TAU_AP_E = Coefficient(
    name="tau_ap_e",
    symbol="τ_ap,e",
    title="AP correlation for equal ties",
    called="AP correlation tau_ap_e",
    question="How right is a ranking, above all at its head, when a tie is a statement: these systems are equal?",
    definition="2/(n−1) · Σ_{i=2..n} Σ_{j<i} c_ij/(i−1) − 1, averaged over the orders of equal estimates",
    paper="radja2018",
    equation="radja2018 eq. 5.2, 6.7",
    when_not="a tie only means too close to call: that is tau_ap_a (against a truth) or tau_ap_b",
    formula=formulas.tau_ap_e,
    terms=formulas.tau_ap_e_terms,
    kernel=Kernel(Code.TAU_AP_E),
    symmetric=False,
    head_weighted=True,
    ties=Ties.EQUAL,
    walks="estimate",
    takes_tolerance=True,
    fully_tied=(1, -1, -1),
    no_swap_sum="it needs the chance that two true means are equal, not only that they are swapped",
    no_calibration="it walks the estimate, whose ties the threshold changes",
)


@public(TAU_AP_E)
def tau_ap_e(estimate: Any, *unnamed: Never, truth: Any, **options: Unpack[Options]) -> Correlation:
    """c_ij is 1 where both rankings order, or both tie, the pair. The sum depends on the order of exactly equal
    estimates, so it is averaged over those orders. A pair tied in one ranking only counts as wrong; +1 if both are all
    tied, -1 if one is and the other has no tie.

    Examples
    --------
    >>> from tauscope import Ranking
    >>> ties = Ranking.from_order("A (B C D) E")
    >>> round(tau_ap_e(ties, truth=ties).value, 4)            # radja2018, section 5.2: always concordant
    1.0
    """
    return call(TAU_AP_E, estimate, *unnamed, truth=truth, **options)


_BY_TRUTH = {"formula": formulas.weighted_tau, "terms": formulas.weighted_tau_terms, "symmetric": False}
WEIGHTED_TAU = Coefficient(
    name="weighted_tau",
    symbol="τ_h",
    title="Vigna's weighted tau",
    question="How far do two rankings agree, above all on the items that either puts at its head?",
    definition="Σ (w_i+w_j)·sign(y_i−y_j)·sign(x_i−x_j) / (‖y‖·‖x‖),  w = 1/(1+rank), the mean by ranks of y and of x",
    paper="vigna2015",
    when_not="one ranking is the truth (tau_ap), or scores are tied within a tolerance (tau_ap_b)",
    formula=partial(both_ways, formulas.weighted_tau),
    terms=partial(both_ways_terms, formulas.weighted_tau_terms),
    symmetric=True,
    head_weighted=True,
    ties=Ties.INDISCERNIBLE,
    instead=("tau_ap_a", "tau_ap_b", "tau_ap_e"),
    undefined=ALL_TIED,
    no_swap_sum="its weights depend on the unknown truth",
    own={"weights_from": Own({"both": {}, "truth": _BY_TRUTH}, 'Whose ranks are the weights; "truth" needs `truth`.')},
)


@public(WEIGHTED_TAU)
def weighted_tau(
    first: Any, second: Any = None, *, truth: Any = None, weights_from: str = "both", **options: Unpack[Options]
) -> Correlation:
    """It is SciPy's `weightedtau`: ranks count from 0, and ties as in tau_b.

    Examples
    --------
    >>> first, second = [2, 1, 3], [3, 2, 1]        # C A B and A B C: -6/11 by the ranks of one, -2/11 by the other's
    >>> round(weighted_tau(first, second).value, 4)
    -0.3636
    >>> round(weighted_tau(first, truth=second, weights_from="truth").value, 4)
    -0.1818
    """
    return call(WEIGHTED_TAU.taking(weights_from=weights_from), first, second, truth=truth, **options)


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
    formula=formulas.tau_gap,
    terms=formulas.tau_gap_terms,
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
    """G_ji is the gap, the difference of the two items' scores in the truth, and CG_ji the gap of a pair that the
    estimate has in the right order. Only items strictly above the pivot in the estimate count; undefined if no pivot
    has a gap above it. There is no tolerance: a small gap has little weight anyway.

    Examples
    --------
    >>> truth = {"A": 4, "B": 3, "C": 2, "D": 1}
    >>> from tauscope import Ranking
    >>> round(tau_gap(Ranking.from_order("D A B C"), truth=truth).value, 4)
    -0.2778
    """
    return call(TAU_GAP, estimate, *unnamed, truth=truth, **options)


PEARSON_RANK = Coefficient(
    name="pearson_rank",
    symbol="ρ_r",
    title="Pearson Rank",
    question="Do the scores themselves agree, above all among the best systems of the truth, even where no pair is "
    "swapped?",
    definition=(
        "Σ_i x_i ρ_i / Σ_i x_i,  ρ_i = correlation of the differences to pivot i over the items above it in the truth"
    ),
    paper="gao2016",
    when_not="truth scores can be negative or lower is better (they are its weights), or only the order matters",
    formula=formulas.pearson_rank,
    terms=formulas.pearson_rank_terms,
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
    """The truth is walked, best first; differences are to the pivot, not to the means, over the items strictly above
    it. Pivots that are 0/0 are left out with their weight. The truth's scores are the weights: negative ones, and
    scores where lower is better, leave it undefined.

    Examples
    --------
    >>> round(pearson_rank([0.7, 0.6, 0.1], truth=[0.9, 0.5, 0.2]).value, 6)
    0.988082
    """
    return call(PEARSON_RANK, estimate, *unnamed, truth=truth, **options)


#: Every record above: a new one needs no list.
catalogue = Catalogue(record for record in tuple(globals().values()) if type(record) is Coefficient)
