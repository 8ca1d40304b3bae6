"""One table is the value, the explanation and the test: losses are not negative and add up to 1 - value."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from strategies import Pair, fit, ranking_pairs, scores, tolerances

import tauscope
from tauscope import correlate
from tauscope.coefficients.correlation import Correlation
from tauscope.coefficients.records import Coefficient

pytestmark = pytest.mark.both

EVERY = list(tauscope.catalogue)
every = pytest.mark.parametrize("c", EVERY, ids=str)
walking = pytest.mark.parametrize("c", [c for c in EVERY if c.walks], ids=str)


def defined(c: Coefficient, data: st.DataObject, pair: Pair) -> Correlation:
    """A result with a value, with thresholds where there can be some."""
    pair = fit(c, pair)
    options: dict[str, Any] = {"tied_within": data.draw(tolerances(pair))} if c.takes_tolerance else {}
    c = c.taking(**{name: data.draw(st.sampled_from(sorted(own.values))) for name, own in c.own.items()})
    found = correlate(pair[0], truth=pair[1], coefficient=[c], **options)[c]
    assume(not math.isnan(found.value))
    return found


@every
@given(data=st.data(), pair=ranking_pairs())
def test_losses_are_nonnegative_and_add_up_to_one_minus_value(c: Coefficient, data: st.DataObject, pair: Pair) -> None:
    found = defined(c, data, pair)
    assert (found.pairs.loss >= 0).all()
    assert abs(math.fsum(found.pairs.loss) - (1 - found.value)) <= 1e-12


@pytest.mark.parametrize(
    ("name", "estimate", "truth"),
    [
        ("tau_gap", [0.0, 0.0, 1.0], [-1e-300, -1e15, 0.0]),
        ("tau_gap", [1.0, 3.0, 2.0], [1e300, 2e-300, 1e-300]),
        ("pearson_rank", [0.0, 1e15, 0.0, -1e-300], [0.0, 0.0, 1.0, 2.0]),
        ("pearson_rank", [4.0, 3.0, 1.0, 2.0], [1e300, 3e-20, 2e-20, 1e-20]),
        ("pearson_rank", [1e6, 1e6, 1e6, 1e6 + 1e-9], [0.0, 1.0, 2.0, 2.0]),
        ("pearson", [1e300, -1e300, 5e-324, 0.0], [1e-300, 2e-300, 0.0, 3.0]),
    ],
)
def test_losses_add_up_where_huge_and_tiny_differences_meet(
    name: str, estimate: list[float], truth: list[float]
) -> None:
    found = getattr(tauscope, name)(estimate, truth=truth)
    assert abs(math.fsum(found.pairs.loss) - (1 - found.value)) <= 1e-12
    assert abs(math.fsum(found.pairs.weight) - 1) <= 1e-12


@every
def test_the_heaviest_pairs_of_scores_further_apart_than_the_largest_float_are_found(c: Coefficient) -> None:
    found = correlate([1e298, -1.79e308, 1.0, 2.0], truth=[0.0, 1.7e308, 1.0, 3.0], coefficient=[c])[c]
    heaviest = found.heaviest(6)
    assert abs(math.fsum(p.loss for p in heaviest) - (1 - found.value)) <= 1e-12
    assert [p.loss for p in heaviest] == sorted((p.loss for p in heaviest), reverse=True)


def test_no_pair_of_an_almost_perfect_line_has_a_negative_loss() -> None:
    # 2uv/(u² + v²) rounds to a little more than 1 here.
    table = tauscope.pearson([0.0, -5e-324, 0.0], [0.0, -1e15, 1e6]).pairs
    assert (table.loss >= 0).all()
    assert (table.agreement <= 1).all()


@every
@given(data=st.data(), pair=ranking_pairs())
def test_weights_add_up_to_one_and_agreements_lie_between_minus_one_and_one(
    c: Coefficient, data: st.DataObject, pair: Pair
) -> None:
    table = defined(c, data, pair).pairs
    assert abs(math.fsum(table.weight) - 1) <= 1e-12
    assert (table.weight >= 0).all()
    assert (np.abs(table.agreement) <= 1).all()
    np.testing.assert_array_equal(table.loss, table.weight * (1 - table.agreement))


@every
@given(data=st.data(), pair=ranking_pairs())
def test_every_entry_is_a_pair_of_two_items_and_no_pair_has_more_entries_than_walks(
    c: Coefficient, data: st.DataObject, pair: Pair
) -> None:
    found = defined(c, data, pair)
    table = found.pairs
    assert (table.first != table.second).all()
    keys = list(
        zip(np.minimum(table.first, table.second), np.maximum(table.first, table.second), table.walk, strict=True)
    )
    # Equal estimates can stand in either order, and both orders have their share of the weight.
    limit = 2 if c.walks == "estimate" and c.takes_tolerance else 1
    assert max((keys.count(key) for key in keys), default=0) <= limit
    if not c.walks:
        assert len(keys) == found.n * (found.n - 1) // 2


@every
@given(data=st.data(), pair=ranking_pairs(), k=st.integers(1, 40))
def test_the_heaviest_pairs_are_those_of_the_sorted_table(
    c: Coefficient, data: st.DataObject, pair: Pair, k: int
) -> None:
    found = defined(c, data, pair)
    table, losses, above = found.pairs, {}, set()
    for entry in table:
        key = frozenset((entry.first, entry.second))
        losses[key] = losses.get(key, 0.0) + entry.loss
        above.add((entry.first, entry.second))
    costliest = sorted(losses.values(), reverse=True)[:k]
    for heaviest in (found.heaviest(k), table.heaviest(k)):
        shown = [p for p in heaviest if p.loss > 0]
        assert len(heaviest) <= k
        np.testing.assert_allclose(
            [p.loss for p in shown], [loss for loss in costliest if loss > 0], rtol=0, atol=1e-12
        )
        assert len({frozenset((p.first, p.second)) for p in shown}) == len(shown)
        for p in shown:
            assert abs(p.loss - losses[frozenset((p.first, p.second))]) <= 1e-12
            assert abs(p.loss - p.weight * (1 - p.agreement)) <= 1e-12
            assert (p.first, p.second) in above


@walking
@given(data=st.data(), pair=ranking_pairs())
def test_the_walks_add_up_to_the_value_and_the_profiles_to_the_loss(
    c: Coefficient, data: st.DataObject, pair: Pair
) -> None:
    found = defined(c, data, pair)
    walked = ["estimate", "truth"] if c.walks == "both" else [str(c.walks)]
    walks = [found.walk(ranking) for ranking in walked]
    assert abs(sum(math.fsum(walk.contribution) for walk in walks) - found.value) <= 1e-12
    assert abs(sum(math.fsum(found.walk(ranking).loss) for ranking in walked) - (1 - found.value)) <= 1e-12
    for walk in walks:
        assert sorted(walk.item) == sorted(found.items)
        assert (np.diff(walk.rank) >= 0).all()
        assert (walk.right <= walk.above).all()
        assert (walk.loss >= 0).all()


@given(data=st.data(), pair=ranking_pairs())
def test_each_walk_of_tau_ap_b_adds_up_to_half_of_its_direction(data: st.DataObject, pair: Pair) -> None:
    found = defined(tauscope.catalogue["tau_ap_b"], data, pair)
    for ranking, direction in zip(("estimate", "truth"), found.directions, strict=True):
        assert abs(2 * math.fsum(found.walk(ranking).contribution) - direction) <= 1e-12


@walking
@given(data=st.data(), n=st.integers(2, 9))
def test_a_walk_goes_from_the_head_of_the_walked_ranking_to_its_tail(
    c: Coefficient, data: st.DataObject, n: int
) -> None:
    x = data.draw(scores(n, non_negative=True))
    y = data.draw(st.permutations(range(n)))
    found = correlate(y, truth=x, coefficient=[c])[c]
    assume(not math.isnan(found.value))
    walked = x if c.walks == "truth" else y
    in_order = [walked[int(str(item)) - 1] for item in found.walk().item]
    assert in_order == sorted(walked, reverse=True)


@given(data=st.data(), pair=ranking_pairs())
def test_the_counts_of_a_result_are_those_of_its_pairs(data: st.DataObject, pair: Pair) -> None:
    found = defined(tauscope.catalogue["tau_a"], data, pair)
    agreement = found.pairs.agreement
    assert found.concordant == np.count_nonzero(agreement > 0)
    assert found.discordant == np.count_nonzero(agreement < 0)
    assert len(agreement) <= found.concordant + found.discordant + sum(found.ties)


@every
def test_a_result_without_a_value_has_no_losses(c: Coefficient) -> None:
    found = correlate([1.0], truth=[2.0], coefficient=[c])[c]
    for explanation in (
        lambda: found.pairs,
        lambda: found.heaviest(3),
        lambda: found.walk(),
        lambda: found.walk("truth"),
    ):
        with pytest.raises(tauscope.TauscopeError):
            explanation()


def test_above_five_thousand_items_the_table_is_an_error_that_names_heaviest() -> None:
    rng = np.random.default_rng(7)
    found = tauscope.tau_b(rng.permutation(5001).astype(float), rng.permutation(5001).astype(float))
    with pytest.raises(tauscope.TauscopeError, match=r"5,001 items have 12,502,500 pairs.*Use \.heaviest\(k\)"):
        _ = found.pairs
    assert len(found.heaviest(3)) == 3
