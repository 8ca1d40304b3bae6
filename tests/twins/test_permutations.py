"""Permutations within topics: kernel and twin are the same to the last bit, fair, and the same whoever makes them."""

import itertools

import numpy as np
import pytest

from tauscope.core import differences, kernels


@pytest.mark.parametrize(("topics", "systems"), [(1, 1), (1, 2), (3, 5), (7, 6), (20, 33), (50, 8)])
def test_kernel_and_twin_are_the_same_to_the_last_bit(compiled, topics, systems):
    scores = np.random.default_rng(topics).normal(size=(topics, systems))
    for key, first in ((0, 0), (2**64 - 1, 3), (12345, 10**12)):
        found = kernels.permuted_ranges(scores, key, first, 17, threads=1)
        np.testing.assert_array_equal(found, differences.permuted_ranges(scores, key, first, 17))
        np.testing.assert_array_equal(found, kernels.permuted_ranges(scores, key, first, 17, threads=3))
        np.testing.assert_array_equal(found[5:], kernels.permuted_ranges(scores, key, first + 5, 12))


@pytest.mark.both
def test_all_orders_are_equally_likely():
    """4 systems have 24 orders; the statistic is chi-squared with 23 degrees of freedom, 49.7 at the 99.9th
    percentile."""
    starts = differences.finalise(np.arange(24_000, dtype=np.uint64) * differences.GOLDEN)
    places = differences.random_places(starts, 4)
    assert (places >= 0).all()
    assert (places <= np.arange(4)).all()
    orders = dict.fromkeys(itertools.permutations(range(4)), 0)
    for row in places.tolist():
        shuffled = [0] * 4
        for i, at in enumerate(row):
            shuffled[i], shuffled[at] = shuffled[at], i
        orders[tuple(shuffled)] += 1
    counts = np.array(list(orders.values()))
    assert ((counts - 1000) ** 2 / 1000).sum() < 49.7


@pytest.mark.both
def test_the_mean_squared_difference_is_what_permutations_have():
    """Two systems of which each topic's scores are exchanged or not: the range is |sum of +-differences|, of mean
    square sum of d²."""
    gaps = np.random.default_rng(1).normal(size=12)
    scores = np.column_stack([gaps / 2, -gaps / 2])
    ranges = kernels.permuted_ranges(scores, 7, 0, 4000)
    assert (ranges**2).mean() == pytest.approx((gaps**2).sum(), rel=0.08)
