"""What a tie means: over every pair of rankings of up to five items the a-variants are the mean over all ways of
breaking the ties; the e-variant of tau_ap is the mean over the orders of equal estimates."""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from itertools import permutations, product

import naive
import numpy as np
import pytest

from tauscope import tau_ap_a
from tauscope.coefficients.correlate import correlate_batch

pytestmark = pytest.mark.both

SIZES = [2, 3, 4, 5]


@cache
def weak_orders(n: int) -> tuple[tuple[float, ...], ...]:
    """Every ranking of n items with ties, as levels 0..k-1 that are all in use: 3, 13, 75, 541 of them."""
    return tuple(
        tuple(map(float, levels))
        for levels in product(range(n), repeat=n)
        if set(levels) == set(range(max(levels) + 1))
    )


@cache
def breakings(n: int) -> np.ndarray:
    """[ranking with ties, ranking without]: the share of the former's tie-breakings that the latter is."""
    place = {order: column for column, order in enumerate(permutations(range(n)))}
    shares = np.zeros((len(weak_orders(n)), len(place)))
    for row, levels in enumerate(weak_orders(n)):
        orders = naive.orders(levels)
        for order in orders:
            shares[row, place[order]] = 1 / len(orders)
    return shares


@cache
def mean_over_breakings(n: int, plain: str) -> np.ndarray:
    """[estimate, truth]: mean of the coefficient without ties over all tie-breakings of both."""
    scores = []
    for order in permutations(range(n)):
        untied = [0.0] * n
        for place, item in enumerate(order):
            untied[item] = float(-place)
        scores.append(untied)
    table = np.array([[getattr(naive, plain)(y, x) for x in scores] for y in scores])
    return breakings(n) @ table @ breakings(n).T


def every_pair(n: int) -> tuple[np.ndarray, np.ndarray]:
    levels = np.array(weak_orders(n))
    return np.repeat(levels, len(levels), 0), np.tile(levels, (len(levels), 1))


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize(("variant", "plain"), [("tau_a", "tau"), ("tau_ap_a", "tau_ap")])
def test_an_a_variant_is_the_mean_over_all_ways_of_breaking_the_ties(
    variant: str, plain: str, n: int, kernels_in_use: str
) -> None:
    estimates, truths = every_pair(n)
    found = correlate_batch(estimates, truth=truths, coefficient=variant).values
    np.testing.assert_allclose(found, mean_over_breakings(n, plain).ravel(), rtol=0, atol=1e-12)


@cache
def mean_over_orders(y: tuple[float, ...], x: tuple[float, ...], wy: float = 0.0, wx: float = 0.0) -> float:
    orders = naive.orders(y)
    return float(sum((naive.tau_ap_e_of_order(order, y, x, wy, wx) for order in orders), Fraction(0)) / len(orders))


@pytest.mark.parametrize("n", SIZES)
def test_tau_ap_e_is_the_mean_over_the_orders_of_equal_estimates(n: int, kernels_in_use: str) -> None:
    # One estimate a composition of n is enough: the others only rename the items.
    estimates = [levels for levels in weak_orders(n) if list(levels) == sorted(levels)]
    pairs = [(y, x) for y in estimates for x in weak_orders(n)]
    pairs = pairs[:: 7 if n == 5 else 1]  # all 8,656 pairs of five items take too long
    expected = [mean_over_orders(y, x) for y, x in pairs]
    found = correlate_batch([y for y, _ in pairs], truth=[x for _, x in pairs], coefficient="tau_ap_e").values
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-12)


@pytest.mark.parametrize("n", SIZES[:3])
@pytest.mark.parametrize("within", [(1.0, 0.0), (0.0, 1.0), (1.0, 1.0)], ids=str)
def test_tau_ap_e_with_thresholds_is_the_mean_over_the_orders_of_equal_estimates(
    n: int, within: tuple[float, float], kernels_in_use: str
) -> None:
    pairs = list(product(weak_orders(n), weak_orders(n)))
    expected = [mean_over_orders(y, x, *within) for y, x in pairs]
    found = correlate_batch(
        [y for y, _ in pairs], truth=[x for _, x in pairs], coefficient="tau_ap_e", tied_within=within
    )
    np.testing.assert_allclose(found.values, expected, rtol=0, atol=1e-12)


def test_stepping_does_not_chain() -> None:
    # Five sub-groups, so the places are those of five items without ties.
    estimate, truth = [0, 0.4, 0.8, 1.2, 3], [1.0, 5.0, 2.0, 4.0, 3.0]
    assert naive.subgroups(estimate, 0.5) == [[4], [3], [2], [1], [0]]

    def sign(above: int, pivot: int) -> int:
        return 1 if truth[above] > truth[pivot] else -1

    # Neighbours up to 0.4 apart are tied and count 0; everything else counts at its place.
    pivots = (
        sign(4, 3) / 1 + sign(4, 2) / 2 + (sign(4, 1) + sign(3, 1)) / 3 + (sign(4, 0) + sign(3, 0) + sign(2, 0)) / 4
    )
    assert abs(tau_ap_a(estimate, truth=truth, tied_within=(0.5, 0.0)).value - pivots / 4) < 1e-12
