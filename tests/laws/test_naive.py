"""Three twins: compiled kernels, NumPy definitions, and loops over fractions straight from the formulas."""

from __future__ import annotations

import math

import naive
import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from strategies import Pair, fit, ranking_pairs, tolerances

import tauscope
from tauscope import correlate
from tauscope.coefficients.records import Coefficient
from tauscope.core import kernels
from tauscope.core.arrays import EXACT, Tolerance, tolerance

pytestmark = pytest.mark.both

#: Those that the loops have too.
EVERY = [c for c in tauscope.catalogue if naive.formula(c) is not None]
every = pytest.mark.parametrize("c", EVERY, ids=str)
tolerant = pytest.mark.parametrize("c", [c for c in EVERY if c.takes_tolerance], ids=str)
with_kernel = pytest.mark.parametrize("c", [c for c in tauscope.catalogue if c.kernel is not None], ids=str)


def test_every_coefficient_of_a_paper_with_printed_numbers_has_a_loop_of_its_own() -> None:
    assert len(EVERY) >= 12


def agrees(found: float, expected: float | None) -> bool:
    return math.isnan(found) if expected is None else abs(found - expected) <= 1e-12


# Huge beside tiny: a common scale for the whole ranking would lose the small differences.
@every
@example(pair=([1.0, 3.0, 2.0], [1e300, 2e-300, 1e-300]))
@example(pair=([2.0, 1.0], [1e300, 1e-300]))
@example(pair=([4.0, 3.0, 1.0, 2.0], [1e300, 3e-20, 2e-20, 1e-20]))
@example(pair=([1e300, 3e-300, 2e-300, 1e-300], [4.0, 3.0, 1.0, 2.0]))
@example(pair=([1.7e308, -1.7e308, 0.0, 1.0], [1.7e308, 1.7e308, 1.6e308, 0.0]))
@example(pair=([1e6, 1e6, 1e6, 1e6 + 1e-9], [0.0, 1.0, 2.0, 2.0]))
@example(pair=([0.0, 1.0, 1.0], [5e-324, 0.1, 0.3]))
# Scaled so that sums exist, the tiny scores of these would be equal.
@example(pair=([5e-324, 1e6, -3e300, -5e-324, 2e-300, 1.7e308, -0.0], [0.1, -0.0, 2e-300, 1.7e308, 0.0, 0.0, -0.0]))
@example(pair=([0.0] * 7 + [-1 / 7] * 2, [1e6, 1e-300, 0.1, 1.7e308, 1.7e308, 1e300, 0.0, -0.0, 5e-324]))
@example(pair=([1e15, 1e15, 5e-324, 1.7e308, 0.0, 0.1], [1e-300, 2e-300, 1e300, 0.3, 1.0, 5e-324]))
@example(pair=([3.0, 2.0, 4.0, 1.0], [5e-324, 0.0, 1.7e308, -1.7e308]))
@given(pair=ranking_pairs())
def test_a_value_is_that_of_the_naive_formula(c: Coefficient, kernels_in_use: str, pair: Pair) -> None:
    y, x = fit(c, pair)
    assert agrees(correlate(y, truth=x, coefficient=[c])[c].value, naive.formula(c)(y, x))


@every
@example(pair=([0.0, 0.0, 0.0, 1.0], [0.0, 5e-324, 1e-300, -0.1]))
@given(pair=ranking_pairs())
def test_ties_and_negative_truths_are_undefined_where_the_formula_is(
    c: Coefficient, kernels_in_use: str, pair: Pair
) -> None:
    assert agrees(correlate(pair[0], truth=pair[1], coefficient=[c])[c].value, naive.formula(c)(*pair))


@tolerant
@given(data=st.data(), pair=ranking_pairs())
def test_a_value_with_thresholds_is_that_of_the_naive_formula(
    c: Coefficient, kernels_in_use: str, data: st.DataObject, pair: Pair
) -> None:
    within = data.draw(tolerances(pair))
    found = correlate(pair[0], truth=pair[1], coefficient=[c], tied_within=within)[c]
    assert agrees(found.value, naive.formula(c)(*pair, *within))


def test_a_share_of_a_huge_score_ties_without_a_warning(kernels_in_use: str) -> None:
    # Three times the smaller score is more than the largest float, and more than the difference.
    assert tauscope.tau_e([1.7e308, 1e308, 1.0], truth=[2.0, 2.0, 1.0], tied_within=("300%", 0.0)).value == 1


@given(data=st.data(), pair=ranking_pairs(), zero=st.booleans())
def test_both_directions_of_tau_ap_b_are_those_of_the_naive_formula(
    kernels_in_use: str, data: st.DataObject, pair: Pair, zero: bool
) -> None:
    (y, x), (wy, wx) = pair, data.draw(tolerances(pair))
    found = tauscope.tau_ap_b(y, truth=x, tied_within=(wy, wx), other_ties="zero" if zero else "discordant")
    assert agrees(found.value, naive.tau_ap_b(y, x, wy, wx, zero))
    assert agrees(found.directions[0], naive.tau_ap_ties(y, x, wy, wx, zero))
    assert agrees(found.directions[1], naive.tau_ap_ties(x, y, wx, wy, zero))


@given(data=st.data(), pair=ranking_pairs())
def test_pairs_are_counted_as_the_naive_loop_counts_them(kernels_in_use: str, data: st.DataObject, pair: Pair) -> None:
    within = data.draw(tolerances(pair))
    found = tauscope.tau_a(pair[0], truth=pair[1], tied_within=within)
    assert (found.concordant, found.discordant, *found.ties) == naive.pair_counts(*pair, *within)


@with_kernel
@given(data=st.data(), n=st.sampled_from([2, 5, 15, 16, 17, 31, 33, 64]), levels=st.sampled_from([3, 20, 10**6]))
def test_the_compiled_kernel_equals_its_numpy_twin(
    c: Coefficient, compiled: object, data: st.DataObject, n: int, levels: int
) -> None:
    rng = np.random.default_rng(data.draw(st.integers(0, 2**32 - 1)))
    offset, step = data.draw(
        st.sampled_from([(0.0, 1.0), (1e6, 1e-9), (0.0, 1e300 / levels), (0.0, 1e-300), (0.5, 0.1)])
    )
    y, x = (offset + step * rng.integers(0, levels, n) for _ in range(2))
    wy, wx = (tolerance(w) if c.takes_tolerance else EXACT for w in data.draw(tolerances((y.tolist(), x.tolist()))))
    found, twin = twins(c, y, x, wy, wx)
    assert found.reason == twin.reason
    for ours, theirs in zip((found.value, *found[2:]), (twin.value, *twin[2:]), strict=True):
        assert agrees(ours, None if math.isnan(theirs) else theirs)


def twins(
    c: Coefficient, y: np.ndarray, x: np.ndarray, wy: Tolerance, wx: Tolerance
) -> tuple[kernels.One, kernels.One]:
    found = kernels.one(c, y, x, wy, wx)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(kernels, "compiled", None)
        return found, kernels.one(c, y, x, wy, wx)
