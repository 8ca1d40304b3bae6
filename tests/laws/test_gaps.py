"""What gao2015 and gao2016 promise of tau_gap and Pearson Rank."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import Pair, untied_pairs

from tauscope import pearson, pearson_rank, tau_ap, tau_gap

pytestmark = pytest.mark.both


@st.composite
def blocks(draw: st.DrawFn) -> list[list[float]]:
    """Truth scores in blocks, best block first: gaps of at most 9 within a block, of at least 91 between blocks."""
    sizes = draw(st.lists(st.integers(1, 4), min_size=2, max_size=4))
    within = [draw(st.lists(st.integers(0, 9), min_size=size, max_size=size, unique=True)) for size in sizes]
    return [
        [100.0 * (len(sizes) - place) + score for score in sorted(block)[::-1]] for place, block in enumerate(within)
    ]


def ranked(order: list[float]) -> tuple[list[float], list[float]]:
    """(estimate, truth) of items given by their truth scores in the order of the estimate."""
    return [float(-place) for place in range(len(order))], order


@given(pair=untied_pairs(min_size=3))
def test_tau_gap_lies_between_minus_one_and_one_as_theorem_1_says(pair: Pair) -> None:
    assert -1 <= tau_gap(pair[0], truth=pair[1]).value <= 1


@given(blocks=blocks())
def test_tau_gap_is_at_least_tau_ap_when_only_small_gaps_are_swapped_as_theorem_4_says(
    blocks: list[list[float]],
) -> None:
    # Each block upside down: the swapped pairs are those within blocks, and every kept pair has a larger gap.
    estimate, truth = ranked([score for block in blocks for score in block[::-1]])
    gap, ap = tau_gap(estimate, truth=truth).value, tau_ap(estimate, truth=truth).value
    swapped_below_the_first_block = any(len(block) > 1 for block in blocks[1:])
    assert gap > ap if swapped_below_the_first_block else abs(gap - ap) < 1e-12


@given(blocks=blocks())
def test_tau_gap_is_at_most_tau_ap_when_only_large_gaps_are_swapped_as_theorem_4_says(
    blocks: list[list[float]],
) -> None:
    # Blocks in reverse, each in order: the kept pairs are those within blocks, and every swapped pair has a larger gap.
    estimate, truth = ranked([score for block in blocks[::-1] for score in block])
    gap, ap = tau_gap(estimate, truth=truth).value, tau_ap(estimate, truth=truth).value
    kept_below_the_first_block = any(len(block) > 1 for block in blocks[:-1])
    assert gap < ap if kept_below_the_first_block else abs(gap - ap) < 1e-12


@given(pair=untied_pairs(min_size=3), shift=st.integers(1, 8))
def test_tau_gap_is_smaller_when_the_same_errors_have_larger_gaps_as_theorem_3_says(pair: Pair, shift: int) -> None:
    # One swap, of the last two ranks: the gap of that pair grows, all others stay as large or grow with it.
    n = len(pair[0])
    truth = [10.0 * (n - place) for place in range(n)]
    estimate = [*truth[:-2], truth[-1], truth[-2]]
    wider = [*truth[:-1], truth[-1] - shift]
    assert tau_gap(estimate, truth=wider).value < tau_gap(estimate, truth=truth).value


@st.composite
def positive_truths(draw: st.DrawFn) -> list[float]:
    return sorted(draw(st.lists(st.integers(1, 1000), min_size=3, max_size=9, unique=True)), reverse=True)


@given(truth=positive_truths())
def test_an_error_of_gaps_without_a_swap_lowers_pearson_rank_below_one(truth: list[float]) -> None:
    squared = [score**2 for score in truth]
    assert pearson_rank(squared, truth=truth).value < 1 - 1e-12
    assert tau_gap(squared, truth=truth).value == 1
    assert tau_ap(squared, truth=truth).value == 1


@given(truth=positive_truths(), scale=st.sampled_from([0.5, 1.0, 4.0]), shift=st.sampled_from([-8.0, 0.0, 16.0]))
def test_pearson_rank_is_one_for_an_estimate_on_a_rising_line(truth: list[float], scale: float, shift: float) -> None:
    assert abs(pearson_rank([scale * score + shift for score in truth], truth=truth).value - 1) < 1e-12


def swapped(scores: list[float], first: int, second: int) -> list[float]:
    result = list(scores)
    result[first], result[second] = result[second], result[first]
    return result


@pytest.mark.parametrize("n", [4, 5, 8, 12, 30])
def test_earlier_swaps_cost_pearson_rank_more(n: int) -> None:
    truth = [float(n - place) for place in range(n)]
    costs = [1 - pearson_rank(swapped(truth, place, place + 1), truth=truth).value for place in range(n - 1)]
    assert (np.diff(costs) < 0).all()
    # Pearson itself cannot tell head from tail.
    plain = [1 - pearson(swapped(truth, place, place + 1), truth).value for place in range(n - 1)]
    np.testing.assert_allclose(plain, plain[0], rtol=0, atol=1e-12)


@pytest.mark.parametrize("n", [4, 5, 8, 12, 30])
def test_swaps_with_larger_gaps_cost_pearson_rank_more(n: int) -> None:
    truth = [float(n - place) for place in range(n)]
    costs = [1 - pearson_rank(swapped(truth, 1, place), truth=truth).value for place in range(2, n)]
    assert (np.diff(costs) > 0).all()


@given(truth=positive_truths())
def test_pearson_rank_lies_between_minus_one_and_one(truth: list[float]) -> None:
    for estimate in (truth[::-1], [score % 7 + score / 1000 for score in truth], [-score for score in truth]):
        assert -1 <= pearson_rank(estimate, truth=truth).value <= 1
