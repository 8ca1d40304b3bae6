"""yilmaz2008: the AP correlation and its random experiment, with two examples computed by hand."""

from __future__ import annotations

from fractions import Fraction
from itertools import permutations

import numpy as np
import pytest

from tauscope import Ranking, tau, tau_ap, tau_ap_b
from tauscope.coefficients.correlate import correlate_batch

pytestmark = pytest.mark.both

TRUTH = Ranking.from_order("A B C D")


def test_two_swaps_at_the_head_leave_a_third() -> None:
    found = tau_ap(Ranking.from_order("B C A D"), truth=TRUTH).value
    assert abs(found - 1 / 3) < 1e-12
    # Erratum: radja2018 (2.2.1, 4.1) prints 0, because it walked the truth.
    assert abs(found - 0) > 0.3


def test_two_swaps_at_the_tail_leave_five_ninths() -> None:
    found = tau_ap(Ranking.from_order("A C D B"), truth=TRUTH).value
    assert abs(found - 5 / 9) < 1e-12
    # Erratum: radja2018 (2.2.1, 4.1) prints 0.4444, because it walked the truth.
    assert abs(found - 0.4444) > 0.1


def test_walking_the_other_ranking_gives_the_numbers_that_the_thesis_prints() -> None:
    assert abs(tau_ap(TRUTH, truth=Ranking.from_order("B C A D")).value - 0) < 1e-12
    assert abs(tau_ap(TRUTH, truth=Ranking.from_order("A C D B")).value - 4 / 9) < 1e-12


def test_both_examples_have_the_same_tau() -> None:
    assert tau(Ranking.from_order("B C A D"), TRUTH).value == tau(Ranking.from_order("A C D B"), TRUTH).value


def test_an_error_at_the_head_costs_more_than_the_same_error_at_the_tail() -> None:
    head, tail = tau_ap(Ranking.from_order("B A C D"), truth=TRUTH), tau_ap(Ranking.from_order("A B D C"), truth=TRUTH)
    assert abs(head.value - 1 / 3) < 1e-12
    assert abs(tail.value - 7 / 9) < 1e-12


@pytest.mark.parametrize("n", [3, 4, 5])
def test_it_is_the_probability_of_its_random_experiment(n: int) -> None:
    # Pick a system that is not the first of the estimate, then one above it: p = P(the truth agrees); tau_ap = 2p - 1.
    for order in permutations(range(n)):
        p = Fraction(0)
        for i in range(1, n):
            for j in range(i):
                p += Fraction(order[j] < order[i], (n - 1) * i)
        estimate = [float(-order.index(item)) for item in range(n)]
        truth = [float(-item) for item in range(n)]
        assert abs(tau_ap(estimate, truth=truth).value - float(2 * p - 1)) < 1e-12


@pytest.mark.parametrize("n", [2, 3, 4, 5, 6])
def test_its_mean_over_all_orders_is_zero(n: int) -> None:
    orders = np.array(list(permutations(range(n))), float)
    assert abs(correlate_batch(orders, truth=np.arange(float(n)), coefficient="tau_ap").values.mean()) < 1e-12


def test_the_symmetrised_version_is_the_mean_of_both_walks() -> None:
    estimate = Ranking.from_order("B C A D")
    there, back = tau_ap(estimate, truth=TRUTH).value, tau_ap(TRUTH, truth=estimate).value
    assert abs(tau_ap_b(estimate, TRUTH).value - (there + back) / 2) < 1e-12
    assert abs(tau_ap_b(estimate, TRUTH).value - 1 / 6) < 1e-12
