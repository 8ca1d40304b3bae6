"""Laws that every coefficient of the catalogue obeys, on tied, constant, huge, tiny and nearly equal scores."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from strategies import Pair, fit, ranking_pairs, tolerances, untied_pairs

import tauscope
from tauscope import correlate
from tauscope.coefficients.correlate import correlate_batch, correlation_matrix
from tauscope.coefficients.correlation import Correlation
from tauscope.coefficients.records import Coefficient, Ties

pytestmark = pytest.mark.both

EVERY = list(tauscope.catalogue)
every = pytest.mark.parametrize("c", EVERY, ids=str)
ordinal = pytest.mark.parametrize("c", [c for c in EVERY if c.ordinal], ids=str)
tolerant = pytest.mark.parametrize("c", [c for c in EVERY if c.takes_tolerance], ids=str)
symmetric = pytest.mark.parametrize("c", [c for c in EVERY if c.symmetric], ids=str)
asymmetric = pytest.mark.parametrize("c", [c for c in EVERY if not c.symmetric], ids=str)


def result(c: Coefficient, pair: Pair, **options: Any) -> Correlation:
    return correlate(pair[0], truth=pair[1], coefficient=[c], **options)[c]


def value(c: Coefficient, pair: Pair, **options: Any) -> float:
    return result(c, pair, **options).value


def same(first: float, second: float, tolerance: float = 1e-12) -> bool:
    """Equal up to rounding; undefined equals undefined."""
    return (math.isnan(first) and math.isnan(second)) or abs(first - second) <= tolerance


@every
@given(data=st.data(), pair=ranking_pairs())
def test_a_value_lies_in_the_range_of_the_record_or_says_why_there_is_none(
    c: Coefficient, data: st.DataObject, pair: Pair
) -> None:
    pair = fit(c, pair)
    options = {"tied_within": data.draw(tolerances(pair))} if c.takes_tolerance else {}
    found = result(c, pair, **options)
    if math.isnan(found.value):
        assert found.undefined_because
    else:
        assert found.undefined_because is None
        assert c.range[0] <= found.value <= c.range[1]


@symmetric
@given(data=st.data(), pair=ranking_pairs())
def test_a_symmetric_coefficient_does_not_mind_the_order_of_its_arguments(
    c: Coefficient, data: st.DataObject, pair: Pair
) -> None:
    y, x = fit(c, pair)
    wy, wx = data.draw(tolerances((y, x))) if c.takes_tolerance else (0.0, 0.0)
    assert same(value(c, (y, x), tied_within=(wy, wx)), value(c, (x, y), tied_within=(wx, wy)))


@asymmetric
def test_an_asymmetric_coefficient_has_a_witness(c: Coefficient) -> None:
    # Somers' D is asymmetric through ties only, and tau_ap is not defined with them.
    y, untied, tied = [1.0, 5.0, 2.0, 4.0], [7.0, 5.0, 2.0, 1.0], [7.0, 5.0, 2.0, 2.0]
    assert any(abs(value(c, (y, x)) - value(c, (x, y))) > 0.01 for x in (untied, tied))


@every
@given(pair=ranking_pairs())
def test_the_names_of_the_items_do_not_matter(c: Coefficient, pair: Pair) -> None:
    y, x = fit(c, pair)
    names = [f"system {place}" for place in range(len(y))]
    named = result(c, (dict(zip(names, y, strict=True)), dict(zip(names, x, strict=True))))  # type: ignore[arg-type]
    assert same(named.value, value(c, (y, x)), 0.0)


@every
@given(data=st.data(), pair=ranking_pairs())
def test_the_order_of_the_items_does_not_matter(c: Coefficient, data: st.DataObject, pair: Pair) -> None:
    y, x = fit(c, pair)
    wy, wx = data.draw(tolerances((y, x))) if c.takes_tolerance else (0.0, 0.0)
    shuffled = data.draw(st.permutations(range(len(y))))
    moved = [y[i] for i in shuffled], [x[i] for i in shuffled]
    assert same(value(c, moved, tied_within=(wy, wx)), value(c, (y, x), tied_within=(wy, wx)))


@every
@given(data=st.data(), pair=ranking_pairs())
def test_rankings_are_matched_by_name_whatever_their_order(c: Coefficient, data: st.DataObject, pair: Pair) -> None:
    y, x = fit(c, pair)
    shuffled = data.draw(st.permutations(range(len(y))))
    named = {str(i): y[i] for i in range(len(y))}, {str(i): x[i] for i in shuffled}
    assert same(value(c, named), value(c, (y, x)))  # type: ignore[arg-type]


@ordinal
@given(data=st.data(), pair=ranking_pairs())
def test_an_ordinal_coefficient_sees_only_the_order(c: Coefficient, data: st.DataObject, pair: Pair) -> None:
    y, x = fit(c, pair)
    steps = data.draw(st.lists(st.integers(1, 10**6), min_size=2 * len(y), max_size=2 * len(y)))

    def stretched(scores: list[float], steps: list[int]) -> list[float]:
        """Strictly increasing and exact: every level gets a new integer."""
        levels = sorted(set(scores))
        image = dict(zip(levels, np.cumsum(steps)[: len(levels)], strict=True))
        return [float(image[score]) for score in scores]

    assert same(value(c, (stretched(y, steps[: len(y)]), stretched(x, steps[len(y) :]))), value(c, (y, x)), 0.0)


@every
@given(pair=untied_pairs(min_size=3))
def test_scaling_by_a_power_of_two_changes_nothing(c: Coefficient, pair: Pair) -> None:
    y, x = fit(c, pair)
    assume(max(map(abs, y + x)) < 1e307)
    assume(all(score == 0 or abs(score) > 1e-300 for score in y + x))
    assert same(value(c, ([4 * score for score in y], [0.25 * score for score in x])), value(c, (y, x)))


@every
@given(pair=ranking_pairs())
def test_a_ranking_agrees_with_itself(c: Coefficient, pair: Pair) -> None:
    _, x = fit(c, pair)
    if c.fully_tied[0] == 0:  # a tied pair counts 0, also in a ranking beside itself
        x = [float(rank) for rank in range(len(x))]
    found = result(c, (x, x))
    assert same(found.value, 1.0) or found.undefined_because
    if len(set(x)) == len(x) and not c.weights_are_scores:  # which leaves out pivots of weight 0
        assert found.undefined_because is None


@every
@given(pair=untied_pairs())
def test_the_reverse_of_a_ranking_without_ties_gives_minus_one(c: Coefficient, pair: Pair) -> None:
    _, x = fit(c, pair)
    assume(len(set(x)) == len(x))
    found = result(c, ([-score for score in x], x))
    assert same(found.value, -1.0) or (c.weights_are_scores and found.undefined_because)


@given(pair=untied_pairs())
def test_without_ties_the_variants_of_tau_are_one(pair: Pair) -> None:
    plain = value(tauscope.catalogue["tau"], pair)
    assert all(same(value(tauscope.catalogue[name], pair), plain) for name in ("tau_a", "tau_b", "tau_e"))


@given(pair=untied_pairs())
def test_without_ties_the_variants_of_tau_ap_are_one_and_b_is_the_mean_of_both_ways(pair: Pair) -> None:
    plain, back = (value(tauscope.catalogue["tau_ap"], p) for p in (pair, pair[::-1]))
    assert all(same(value(tauscope.catalogue[name], pair), plain) for name in ("tau_ap_a", "tau_ap_e"))
    both_ways = result(tauscope.catalogue["tau_ap_b"], pair)
    assert same(both_ways.value, (plain + back) / 2)
    assert same(both_ways.directions[0], plain)
    assert same(both_ways.directions[1], back)


@every
@given(pair=ranking_pairs())
def test_a_tolerance_of_zero_is_no_tolerance(c: Coefficient, pair: Pair) -> None:
    pair = fit(c, pair)
    plain = value(c, pair)
    assert same(value(c, pair, tied_within=0.0), plain, 0.0)
    assert same(value(c, pair, tied_within=("0%", 0)), plain, 0.0)


@tolerant
@given(pair=ranking_pairs(tame=True))
def test_a_tolerance_below_every_gap_changes_nothing(c: Coefficient, pair: Pair) -> None:
    assert same(value(c, pair, tied_within=1e-3), value(c, pair))


@tolerant
@given(pair=ranking_pairs(tame=True), k=st.integers(1, 5))
def test_a_tolerance_is_inclusive(c: Coefficient, pair: Pair, k: int) -> None:
    y, x = ([round(score) for score in scores] for scores in pair)
    tenths = [score / 10 for score in y], [score / 10 for score in x]
    # On integers |a - b| <= k is exact; 0.4 - 0.3 > 0.1 must not spoil it on tenths.
    assert same(value(c, tenths, tied_within=k / 10), value(c, (y, x), tied_within=k + 0.5))


@every
@given(data=st.data(), pair=ranking_pairs())
def test_lower_is_better_equals_negating_both(c: Coefficient, data: st.DataObject, pair: Pair) -> None:
    y, x = fit(c, pair)
    options = {"tied_within": data.draw(tolerances((y, x)))} if c.takes_tolerance else {}
    lower = result(c, (y, x), lower_is_better=True, **options)
    if c.weights_are_scores:
        assert math.isnan(lower.value)
        assert "a lower score is better" in str(lower.undefined_because)
    else:
        assert same(lower.value, value(c, ([-s for s in y], [-s for s in x]), **options), 0.0)


@every
@given(
    data=st.data(),
    pairs=st.integers(2, 7).flatmap(lambda n: st.lists(ranking_pairs(min_size=n, max_size=n), min_size=1, max_size=4)),
)
def test_a_row_of_a_batch_a_cell_of_a_matrix_and_a_single_call_are_one_number(
    c: Coefficient, data: st.DataObject, pairs: list[Pair]
) -> None:
    pairs = [fit(c, pair) for pair in pairs]
    wy, wx = data.draw(tolerances(pairs[0])) if c.takes_tolerance else (0.0, 0.0)
    estimates, truths = [y for y, _ in pairs], [x for _, x in pairs]
    batch = correlate_batch(estimates, truth=truths, coefficient=c, tied_within=(wy, wx))
    matrix = correlation_matrix(estimates + truths, c, tied_within=(wy, wx))
    one_truth = correlate_batch(estimates, truth=truths[0], coefficient=c, tied_within=(wy, wx))
    for row, (y, x) in enumerate(pairs):
        single = result(c, (y, x), tied_within=(wy, wx))
        assert same(batch.values[row], single.value)
        assert batch.reason(row) == single.undefined_because
        assert same(matrix.values[len(pairs) + row, row], single.value)
        against_first = result(c, (y, truths[0]), tied_within=(wy, wx))
        assert same(one_truth.values[row], against_first.value)
        assert one_truth.reason(row) == against_first.undefined_because


@every
@given(pair=ranking_pairs())
def test_the_function_of_the_coefficient_says_what_correlate_says(c: Coefficient, pair: Pair) -> None:
    y, x = fit(c, pair)
    function = getattr(tauscope, c.name)
    assert same(float(function(y, truth=x)), value(c, (y, x)), 0.0)
    if c.symmetric:
        assert same(float(function(y, x)), value(c, (y, x)), 0.0)


@every
@given(
    n=st.integers(2, 40),
    level=st.sampled_from([0.0, 0.1, -3.0, 1e300, 5e-324]),
    order=st.randoms(use_true_random=False),
)
def test_fully_tied_rankings_have_the_values_of_the_record(c: Coefficient, n: int, level: float, order: Any) -> None:
    tied, untied = [level] * n, order.sample(range(n), n)
    tied = [abs(score) for score in tied]
    for pair, expected in zip(((tied, tied), (tied, untied), (untied, tied)), c.fully_tied, strict=True):
        found = result(c, pair)
        assert same(found.value, math.nan if expected is None else expected)
        assert (found.undefined_because is None) == (expected is not None)


@pytest.mark.parametrize("c", [c for c in EVERY if c.ties is Ties.FORBIDDEN], ids=str)
@given(pair=ranking_pairs())
def test_a_coefficient_without_ties_is_undefined_with_them(c: Coefficient, pair: Pair) -> None:
    tied = [len(set(scores)) < len(scores) for scores in pair]
    assume(any(tied))
    found = result(c, pair)
    where = " and in ".join(name for name, hit in zip(("`estimate`", "`truth`"), tied, strict=True) if hit)
    assert math.isnan(found.value)
    assert found.undefined_because == f"there are ties in {where}"
    with pytest.raises(tauscope.errors.TiesError, match=f"Use {c.instead[0]} "):
        getattr(tauscope, c.name)(pair[0], truth=pair[1])


@every
@pytest.mark.parametrize("n", [0, 1])
def test_fewer_than_two_items_are_undefined(c: Coefficient, n: int, kernels_in_use: str) -> None:
    found = getattr(tauscope, c.name)([0.5] * n, truth=[0.5] * n)
    assert math.isnan(found.value)
    assert found.undefined_because == f"a ranking needs at least two items, this one has {n}"
    batch = correlate_batch(np.ones((3, n)), truth=np.ones(n), coefficient=c)
    assert np.isnan(batch.values).all()
    assert batch.reason(2) == found.undefined_because
