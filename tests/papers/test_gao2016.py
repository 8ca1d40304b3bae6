"""gao2016: Pearson Rank, worked by hand on three and four items."""

from __future__ import annotations

import math

import numpy as np
import pytest

from tauscope import catalogue, pearson, pearson_rank, tau, tau_ap, tau_gap

pytestmark = pytest.mark.both


def test_the_example_of_three_items_follows_the_formula_of_the_poster() -> None:
    (x1, x2, x3), (y1, y2, y3) = (0.9, 0.5, 0.2), (0.7, 0.6, 0.1)
    second = x2 * (x1 - x2) * (y1 - y2) / math.sqrt((x1 - x2) ** 2 * (y1 - y2) ** 2)
    third = (
        x3
        * ((x1 - x3) * (y1 - y3) + (x2 - x3) * (y2 - y3))
        / (math.sqrt((x1 - x3) ** 2 + (x2 - x3) ** 2) * math.sqrt((y1 - y3) ** 2 + (y2 - y3) ** 2))
    )
    found = pearson_rank([y1, y2, y3], truth=[x1, x2, x3]).value
    assert abs(found - (second + third) / (x2 + x3)) < 1e-12
    assert round(found, 6) == 0.988082


def test_a_swap_of_the_best_two_of_four_costs_more_than_half() -> None:
    found = pearson_rank([0.8, 0.9, 0.3, 0.1], truth=[0.9, 0.8, 0.3, 0.1]).value
    assert round(found, 6) == -0.338144


def test_the_truth_gives_order_and_weights_not_the_estimate() -> None:
    # The annotations of the poster call y the ground truth; its formula orders and weighs by x, and x wins.
    estimate, truth = [0.7, 0.6, 0.1], [0.9, 0.5, 0.2]
    assert round(pearson_rank(truth, truth=estimate).value, 6) != round(pearson_rank(estimate, truth=truth).value, 6)


def test_correlation_is_about_the_pivot_and_not_about_the_means() -> None:
    estimate, truth = [3.0, 3.5, 1.0], [3.0, 2.0, 1.0]
    # Pivot 2: one difference, of the wrong sign. Pivot 3: (2, 1) against (2, 2.5).
    by_hand = (2 * -1 + 1 * (2 * 2 + 1 * 2.5) / math.sqrt(5 * 10.25)) / 3
    assert abs(pearson_rank(estimate, truth=truth).value - by_hand) < 1e-12
    assert abs(pearson(estimate, truth).value - by_hand) > 0.1


def test_items_of_equal_truth_are_not_above_each_other() -> None:
    # B and C have only A above them, and both are right.
    assert abs(pearson_rank([9.0, 2.0, 5.0], truth=[3.0, 1.0, 1.0]).value - 1) < 1e-12


def test_pivots_that_are_0_over_0_are_left_out_with_their_weight() -> None:
    # B has the estimate of everything above it (A): 0/0. Left: C, whose differences are (2, 1) against (4, 4).
    found = pearson_rank([5.0, 5.0, 1.0], truth=[3.0, 2.0, 1.0]).value
    assert abs(found - (2 * 4 + 1 * 4) / math.sqrt(5 * 32)) < 1e-12


@pytest.mark.parametrize("seed", range(5))
def test_a_perturbation_that_keeps_the_ranks_is_seen_by_pearson_rank_alone(seed: int) -> None:
    rng = np.random.default_rng(seed)
    truth = np.sort(rng.uniform(0.05, 0.6, 40))[::-1]
    midpoints = np.concatenate([[truth[0]], (truth[1:] + truth[:-1]) / 2, [truth[-1]]])
    estimate = rng.uniform(midpoints[1:], midpoints[:-1])
    assert (
        tau(estimate, truth).value == tau_ap(estimate, truth=truth).value == tau_gap(estimate, truth=truth).value == 1
    )
    assert 0.5 < pearson_rank(estimate, truth=truth).value < 1


def test_the_property_table_is_that_of_the_records() -> None:
    # name: interval, head-weighted, symmetric
    table = {
        "pearson": (True, False, True),
        "tau": (False, False, True),
        "tau_ap": (False, True, False),
        "tau_gap": (True, True, False),
        "pearson_rank": (True, True, False),
    }
    for name, properties in table.items():
        c = catalogue[name]
        assert (c.gap_sensitive, c.head_weighted, c.symmetric) == properties
