"""radja2018: every worked example of chapters 2, 4, 5 and 6. Where the thesis prints a number that its formula does not
give, the test pins the right one, and that the printed one is another."""

from __future__ import annotations

from itertools import pairwise, product
from statistics import mean
from typing import Any

import pytest

from tauscope import Ranking, tau, tau_a, tau_ap, tau_ap_a, tau_ap_b, tau_ap_e, tau_b, tau_e
from tauscope.coefficients.correlation import Correlation

pytestmark = pytest.mark.both


def order(text: str) -> Ranking:
    return Ranking.from_order(text)


def near(found: Correlation | float, expected: float) -> bool:
    return abs(float(found) - expected) < 1e-12


def printed(found: Correlation | float, expected: float) -> bool:
    """Whether the number is the printed one, which has four decimals."""
    return abs(float(found) - expected) <= 0.5e-4 + 1e-12


# The six ways of breaking a tie of B, C, D after A, in the order of the thesis's tables Y1 to Y6.
SIX = ["A B C D", "A B D C", "A C B D", "A C D B", "A D B C", "A D C B"]
SIX_AND_E = [f"{text} E" for text in SIX]


# Chapter 2


@pytest.mark.parametrize(("second", "expected"), [("A B C D", 1), ("D C B A", -1), ("B D A C", 0)])
def test_2_1_1_concordant_discordant_and_independent_rankings(second: str, expected: int) -> None:
    assert tau(order("A B C D"), order(second)).value == expected


def test_2_1_2_tau_a_with_three_tied_items() -> None:
    assert near(tau_a(order("A (B C D) E"), truth=order("A B C D E")), 0.7)


def test_2_1_2_tau_a_is_the_mean_of_the_six_taus_in_the_table() -> None:
    taus = [tau(order(y), order("A B C D E")).value for y in SIX_AND_E]
    assert [round(value, 4) for value in taus] == [1.0, 0.8, 0.8, 0.6, 0.6, 0.4]
    assert near(mean(taus), 0.7)


def test_2_1_2_tau_a_with_ties_in_both_rankings_is_the_mean_of_twelve_taus() -> None:
    taus = [tau(order(y), order(x)).value for x, y in product(("A B C D E", "A B C E D"), SIX_AND_E)]
    assert [round(value, 4) for value in taus] == [1.0, 0.8, 0.8, 0.6, 0.6, 0.4, 0.8, 0.6, 0.6, 0.4, 0.4, 0.2]
    assert near(tau_a(order("A (B C D) E"), truth=order("A B C (D E)")), 0.6)
    assert near(mean(taus), 0.6)


def test_2_1_2_tau_a_is_zero_when_everything_is_tied() -> None:
    assert tau_a(order("(A B C)"), truth=order("A B C")).value == 0
    assert tau_a(order("(A B C)"), truth=order("(A B C)")).value == 0


def test_2_1_3_tau_b_takes_the_tied_pairs_out_of_the_denominator() -> None:
    found = tau_b(order("A (B C) D E"), order("A (B C D) E"))
    assert found.ties == (1, 3)
    assert near(found, 7 / (9**0.5 * 7**0.5))
    assert printed(found, 0.8819)


def test_2_1_3_tau_b_is_undefined_when_everything_is_tied() -> None:
    found = tau_b(order("(A B C)"), order("A B C"))
    assert found.value != found.value
    assert found.undefined_because == "all 3 items are tied in `first`"


def test_2_2_1_discordant_pairs_at_the_head() -> None:
    found = tau_ap(order("B C A D"), truth=order("A B C D"))
    assert near(found, 1 / 3)
    assert not printed(found, 0.0)  # erratum: the thesis walked X; its sum 0/1 + 1/2 + 3/3 is that of the truth's ranks
    assert printed(tau_ap(order("A B C D"), truth=order("B C A D")), 0.0)


def test_2_2_1_discordant_pairs_at_the_tail() -> None:
    found = tau_ap(order("A C D B"), truth=order("A B C D"))
    assert near(found, 5 / 9)
    assert not printed(found, 0.4444)  # erratum: the same
    assert printed(tau_ap(order("A B C D"), truth=order("A C D B")), 0.4444)


def test_2_2_2_tau_ap_a_is_the_mean_of_the_six_tau_aps_in_the_table() -> None:
    values = [tau_ap(order(y), truth=order("A B C D")).value for y in SIX]
    assert all(map(printed, values, [1.0, 0.7778, 0.6667, 0.5556, 0.4444, 0.2222]))
    # Erratum: section 2.2.2 prints Y4 and Y5 the other way round (it walked X); section 4.2 has them right.
    assert not printed(values[3], 0.4444)
    assert not printed(values[4], 0.5556)
    assert near(mean(values), 11 / 18)
    assert printed(tau_ap_a(order("A (B C D)"), truth=order("A B C D")), 0.6111)
    assert near(tau_ap_a(order("A (B C D)"), truth=order("A B C D")), 11 / 18)


def test_2_2_2_equation_2_8_with_its_two_terms_gives_the_same_number() -> None:
    term_1 = 1 * 3 * (1 / (3 * 1) + 1 / (3 * 2) + 1 / (3 * 3))
    term_2 = 1 / 2 * 3 * (1 / (3 * 2) + 2 / (3 * 3))
    assert near(tau_ap_a(order("A (B C D)"), truth=order("A B C D")), 2 / 3 * (term_1 + term_2) - 1)


def test_2_2_2_tau_ap_a_is_zero_when_everything_is_tied_in_the_estimate() -> None:
    assert tau_ap_a(order("(A B C D)"), truth=order("A B C D")).value == 0


def test_2_2_3_tau_ap_b_of_the_rankings_in_the_table() -> None:
    found = tau_ap_b(order("A (B C E) D"), truth=order("A (B C) D E"))
    assert near(found, 0.75)
    assert near(found.directions[0], 0.875)
    assert near(found.directions[1], 0.625)
    assert not printed(found, 0.8333)  # erratum: that number, 1.0 and 0.6667 belong to Y = A(BCD)E


def test_2_2_3_the_printed_numbers_belong_to_another_ranking() -> None:
    found = tau_ap_b(order("A (B C D) E"), truth=order("A (B C) D E"))
    assert printed(found, 0.8333)
    assert printed(found.directions[0], 1.0)
    assert printed(found.directions[1], 0.6667)


def test_2_2_3_tau_ap_b_is_undefined_when_everything_is_tied() -> None:
    for first, second in (("(A B C)", "A B C"), ("A B C", "(A B C)"), ("(A B C)", "(A B C)")):
        assert tau_ap_b(order(first), order(second)).undefined_because


# Chapter 4


def test_4_1_the_sign_form_gives_the_same_numbers() -> None:
    for text in SIX:
        y, x = text.split(), SIX[0].split()
        total = 0.0
        for i in range(1, 4):
            total += sum(1 if x.index(y[j]) < x.index(y[i]) else -1 for j in range(i)) / i
        assert near(tau_ap(order(text), truth=order("A B C D")), total / 3)


def test_4_1_the_examples_of_2_2_1_are_repeated_with_their_mistake() -> None:
    assert not printed(tau_ap(order("B C A D"), truth=order("A B C D")), 0.0)  # erratum: it walked X again
    assert not printed(tau_ap(order("A C D B"), truth=order("A B C D")), 0.4444)


def test_4_2_the_sign_form_of_tau_ap_a() -> None:
    by_hand = 1 / 3 * (1 * 3 * (1 / (3 * 1) + 1 / (3 * 2) + 1 / (3 * 3)))
    assert near(tau_ap_a(order("A (B C D)"), truth=order("A B C D")), by_hand)


def test_4_2_ties_in_both_rankings() -> None:
    found = tau_ap_a(order("A (B C D)"), truth=order("(A B) C D"))
    assert near(found, 11 / 27)
    assert printed(found, 0.4074)


def test_4_2_ties_in_both_rankings_are_the_mean_of_the_twelve_values_in_the_text() -> None:
    values = [tau_ap(order(y), truth=order(x)).value for x, y in product(("A B C D", "B A C D"), SIX)]
    text = [1.0, 0.7778, 0.6667, 0.5556, 0.4444, 0.2222, 0.3333, 0.1111, 0.3333, 0.3333, 0.1111, 0.0]
    assert all(map(printed, values, text))
    assert near(mean(values), 11 / 27)


def test_4_2_tau_ap_a_is_zero_when_everything_is_tied_in_either_ranking() -> None:
    for estimate, truth in (("(A B C)", "A B C"), ("A B C", "(A B C)"), ("(A B C)", "(A B C)")):
        assert tau_ap_a(order(estimate), truth=order(truth)).value == 0


def test_4_3_the_sign_form_of_tau_ap_b_counts_a_tie_of_the_other_ranking_as_minus_one() -> None:
    # The sums of the text, which are those of Y = A(BCD)E; walking X the pivot D has A above it, and B, C tied with it
    # in Y.
    walking_y = 1 / 4 * (1 / 1 + 1 / 1 + 1 / 1 + (1 + 1 + 1 + 1) / 4)
    walking_x = 1 / 4 * (1 / 1 + 1 / 1 + (1 - 1 - 1) / 3 + (1 + 1 + 1 + 1) / 4)
    found = tau_ap_b(order("A (B C D) E"), truth=order("A (B C) D E"))
    assert near(found.directions[0], walking_y)
    assert near(found.directions[1], walking_x)
    assert near(found, (walking_y + walking_x) / 2)
    # Erratum: the table of 4.3 is again the one with Y = A(BCE)D.
    assert not printed(tau_ap_b(order("A (B C E) D"), truth=order("A (B C) D E")), 0.8333)


def test_4_3_counting_such_a_tie_as_zero_is_an_option() -> None:
    # The tables of chapter 7 were made that way.
    found = tau_ap_b(order("A (B C D) E"), truth=order("A (B C) D E"), other_ties="zero")
    assert near(found.directions[1], 1 / 4 * (1 + 1 + 1 / 3 + 1))


# Chapter 5


@pytest.mark.parametrize(
    "y", ["A (B C D) E", "A (B D C) E", "A (C B D) E", "A (C D B) E", "A (D B C) E", "A (D C B) E"]
)
def test_5_1_tau_e_of_the_always_concordant_and_the_always_discordant_permutations(y: str) -> None:
    assert tau_e(order(y), order("A (B C D) E")).value == 1
    assert near(tau_e(order(y), order("A B C D E")), 0.4)


@pytest.mark.parametrize(
    "y", ["A (B C D) E", "A (B D C) E", "A (C B D) E", "A (C D B) E", "A (D B C) E", "A (D C B) E"]
)
def test_5_2_tau_ap_e_of_the_always_concordant_and_the_always_discordant_permutations(y: str) -> None:
    assert tau_ap_e(order(y), truth=order("A (B C D) E")).value == 1
    found = tau_ap_e(order(y), truth=order("A B C D E"))
    assert near(found, 2 / 4 * (1 / 1 + 1 / 2 + 1 / 3 + 4 / 4) - 1)
    assert printed(found, 0.4167)


def test_5_2_the_sum_does_depend_on_the_order_inside_groups_of_equal_estimates() -> None:
    # Erratum: the thesis says that it does not. x = A(BC)D, y = A(BCD); the orders of B, C, D in y, one by one.
    x, total = {"A": 1, "B": 2, "C": 2, "D": 3}, []
    for text in SIX:
        y, value = text.split(), 0.0
        for i in range(1, 4):
            agree = [(y[j] == "A") == (x[y[j]] < x[y[i]]) and (y[j] != "A") == (x[y[j]] == x[y[i]]) for j in range(i)]
            value += sum(agree) / i
        total.append(2 / 3 * value - 1)
    assert round(min(total), 3) == 0.444
    assert round(max(total), 3) == 0.556
    found = tau_ap_e(order("A (B C D)"), truth=order("A (B C) D"))
    assert near(found, mean(total))
    assert round(found.value, 6) == 0.481481


@pytest.mark.parametrize("c", [tau_e, tau_ap_e])
def test_5_rankings_that_are_all_tied_agree_or_disagree_perfectly(c: Any) -> None:
    assert c(order("(A B C D)"), truth=order("(A B C D)")).value == 1
    assert c(order("(A B C D)"), truth=order("A B C D")).value == -1
    assert c(order("A B C D"), truth=order("(A B C D)")).value == -1


# Chapter 6: one example for all; lower values are better, as ranks are.

X = {"A": 1, "B": 1.4, "C": 1.5, "D": 1.9, "E": 3}
Y = {"A": 1, "B": 1.5, "C": 2, "D": 3, "E": 4}


def with_thresholds(c: Any, *, reverse: bool = False) -> Correlation:
    if reverse:
        return c(X, truth=Y, tied_within=(0.5, 0.7), lower_is_better=True)
    return c(Y, truth=X, tied_within=(0.7, 0.5), lower_is_better=True)


def test_6_1_1_tau_a_with_thresholds() -> None:
    assert with_thresholds(tau_a).ties == (2, 5)
    assert near(with_thresholds(tau_a), 0.5)


def test_6_1_2_tau_ap_a_with_thresholds_is_the_same_both_ways_in_this_example() -> None:
    by_hand = 1 / 4 * (0 / 1 + 0 / 2 + 1 / 3 + 4 / 4)
    assert near(with_thresholds(tau_ap_a), by_hand)
    assert near(with_thresholds(tau_ap_a, reverse=True), by_hand)
    assert printed(with_thresholds(tau_ap_a), 0.3333)


def test_6_1_2_stepping_makes_the_sub_groups_of_the_table() -> None:
    # Walking X the sub-groups are A, (BC), D, E: B and C may exchange places, so their pairs weigh alike.
    walk = with_thresholds(tau_ap_a, reverse=True).walk()
    assert walk.item == ("A", "B", "C", "D", "E")
    pairs = {(p.first, p.second): p.weight for p in with_thresholds(tau_ap_a, reverse=True).pairs}
    assert near(pairs["A", "B"], 1 / 4 * (1 / (2 * 1) + 1 / (2 * 2)))
    assert near(pairs["A", "C"], pairs["A", "B"])
    assert near(pairs["B", "C"], pairs["C", "B"])
    assert near(pairs["A", "D"], 1 / 4 * 1 / 3)
    assert near(pairs["A", "E"], 1 / 4 * 1 / 4)


def test_6_1_3_tau_b_with_thresholds() -> None:
    found = with_thresholds(tau_b)
    assert near(found, 5 / (5**0.5 * 8**0.5))
    assert round(found.value, 6) == 0.790569
    assert not printed(found, 0.5)  # erratum: the fraction is set up rightly and printed as 0.5, which is tau_a


def test_6_1_4_tau_ap_b_with_thresholds() -> None:
    found = with_thresholds(tau_ap_b)
    walking_x = 1 / 2 * (1 / 1 + 4 / 4)
    walking_y = 1 / 3 * (-1 / 1 + (1 - 1 - 1) / 3 + 4 / 4)
    assert near(found.directions[1], walking_x)
    assert near(found.directions[0], walking_y)
    assert printed(found.directions[0], -0.1111)
    assert printed(found, 0.4444)
    assert near(found, 4 / 9)


def test_6_2_1_tau_e_with_thresholds() -> None:
    assert near(with_thresholds(tau_e), 0.4)


def test_6_2_2_tau_ap_e_with_thresholds() -> None:
    by_hand = 2 / 4 * (1 / 1 + (0 + 1) / 2 + (1 + 0 + 0) / 3 + (1 + 1 + 1 + 1) / 4) - 1
    assert near(with_thresholds(tau_ap_e), by_hand)
    assert printed(with_thresholds(tau_ap_e), 0.4167)


@pytest.mark.parametrize("c", [tau_a, tau_b, tau_e, tau_ap_a, tau_ap_b, tau_ap_e])
def test_6_a_threshold_of_zero_is_no_threshold(c: Any) -> None:
    assert c(Y, truth=X, tied_within=0).value == c(Y, truth=X).value


def test_6_thresholds_so_large_that_everything_is_tied() -> None:
    everything: dict[str, Any] = {"truth": X, "tied_within": 10, "lower_is_better": True}
    assert tau_a(Y, **everything).value == 0
    assert tau_ap_a(Y, **everything).value == 0
    assert tau_e(Y, **everything).value == 1
    assert tau_ap_e(Y, **everything).value == 1
    assert tau_b(Y, **everything).undefined_because == "all 5 items are tied in `estimate` and in `truth`"
    assert tau_ap_b(Y, **everything).undefined_because == "all 5 items are tied in `estimate` and in `truth`"


@pytest.mark.parametrize("c", [tau_e, tau_ap_e])
def test_6_2_one_threshold_that_ties_everything_in_one_ranking_is_not_perfect_concordance(c: Any) -> None:
    # Erratum: the thesis says 1 for "all items in either ranking"; that takes both.
    assert c(Y, truth=X, tied_within=(10, 0), lower_is_better=True).value == -1
    assert c(Y, truth=X, tied_within=(0, 10), lower_is_better=True).value == -1


# The tolerance of ties


def test_inclusive_thresholds_need_more_than_a_naive_comparison() -> None:
    grid = [0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1]
    for scores in (grid, [k * 0.1 for k in range(11)]):
        found = tau_a(scores, truth=scores, tied_within=0.1)
        assert found.ties == (10, 10)
        assert near(found, 45 / 55)
    naive_ties = sum(b - a <= 0.1 for a, b in pairwise(grid))
    assert naive_ties == 8
    assert round(47 / 55, 6) == 0.854545  # what the naive comparison would print


def test_means_that_differ_by_rounding_are_snapped_together() -> None:
    means = {"A": (0.1 + 0.2 + 0.3) / 3, "B": (0.3 + 0.2 + 0.1) / 3, "C": 0.1}
    assert means["A"] != means["B"]
    ranking = Ranking.from_means(means)
    assert ranking.scores[0] == ranking.scores[1]
    assert ranking.snapped == 1
    assert tau_b(ranking, ranking).ties == (1, 1)
    assert "Pairs tied by rounding of means  2" in str(tau_b(ranking, ranking))
