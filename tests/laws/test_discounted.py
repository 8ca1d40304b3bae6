"""Discounted tau_gap and tau_ap, the paired t-test behind them, and ties that are calibrated."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from tauscope import Scores, TauscopeError, correlate, significance, tau_ap, tau_e, tau_gap
from tauscope.coefficients.discounted import discounted
from tauscope.core.arrays import snap, snap_rows
from tauscope.core.differences import paired_p_values
from tauscope.errors import CallError

pytestmark = pytest.mark.both


def calibrate_ties(estimate, *, truth, coefficient="tau_e", **options):  # type: ignore[no-untyped-def]
    """Calibrate the ties of an estimate, through the result of correlate()."""
    return correlate(estimate, truth=truth, coefficient=coefficient).calibrate_ties(**options)


def made(seed: int, topics: int = 15, systems: int = 8) -> Scores:
    rng = np.random.default_rng(seed)
    return Scores(rng.normal(size=(topics, systems)) + np.arange(systems) / 5, systems=list("ABCDEFGH")[:systems])


def test_p_is_that_of_a_paired_t_test() -> None:
    values = made(1).values
    p = paired_p_values(values)
    expected = [
        [1.0 if i == j else stats.ttest_rel(values[:, i], values[:, j]).pvalue for j in range(8)] for i in range(8)
    ]
    assert np.allclose(p, expected, rtol=0, atol=1e-12)


def test_p_is_that_of_significance_without_correction() -> None:
    scores = made(2)
    matrix = significance(scores, test="t", correction=None)
    p = paired_p_values(scores.values)
    for i, one in enumerate(scores.systems):
        for j, other in enumerate(scores.systems):
            assert abs(matrix[one, other] - p[i, j]) < 1e-12


def test_identical_systems_have_p_1_and_a_constant_difference_has_p_0() -> None:
    base = np.random.default_rng(0).random(10)
    p = paired_p_values(np.stack([base, base, base + 0.25], axis=1))
    assert p[0, 1] == 1
    assert p[0, 2] == 0
    assert np.isnan(paired_p_values(np.ones((1, 2)))[0, 1])


def by_hand(estimate: dict[str, float], truth: Scores, gaps: bool, weight) -> float:  # type: ignore[no-untyped-def]
    """The definition, pivot by pivot."""
    means, p = dict(zip(truth.systems, truth.means(), strict=True)), paired_p_values(truth.values)
    place = {system: at for at, system in enumerate(truth.systems)}
    shares = []
    for pivot in truth.systems:
        total = right = 0.0
        for other in truth.systems:
            if estimate[other] > estimate[pivot]:
                gap = means[other] - means[pivot]
                w = weight(p[place[pivot], place[other]]) * (abs(gap) if gaps else 1.0)
                total += w
                right += w * np.sign(gap)
        if total > 0:
            shares.append(right / total)
    return float(np.mean(shares)) if shares else np.nan


@given(seed=st.integers(0, 500), alpha=st.sampled_from([0.01, 0.05, 0.3]), soft=st.booleans())
@pytest.mark.parametrize("name", ["tau_gap", "tau_ap"])
def test_it_is_the_definition_and_losses_add_up(name: str, seed: int, alpha: float, soft: bool) -> None:
    truth = made(seed)
    estimate = dict(zip(truth.systems, np.random.default_rng(seed + 1).integers(0, 6, 8).astype(float), strict=True))
    found = discounted(estimate, truth=truth, coefficient=name, alpha=alpha, soft=soft)
    expected = by_hand(estimate, truth, name == "tau_gap", (lambda p: 1 - p) if soft else (lambda p: float(p < alpha)))
    p, y = paired_p_values(truth.values)[np.triu_indices(8, 1)], np.array(list(estimate.values()))
    weights, tied = (1 - p if soft else (p < alpha) * 1.0), (y[:, None] == y[None, :])[np.triu_indices(8, 1)]
    assert found.tied == np.count_nonzero(weights[tied])
    if name == "tau_ap" and found.tied:
        assert np.isnan(found.value)
        assert "tau_ap is not defined with ties" in str(found.undefined_because)
        return
    assert np.isnan(found.value) == np.isnan(expected)
    if np.isnan(expected):
        assert found.undefined_because == "no pair is certain enough to count"
        return
    assert abs(found.value - expected) < 1e-12
    assert abs(found.pairs.loss.sum() - (1 - found.value)) < 1e-12
    assert abs(found.pairs.weight.sum() - 1) < 1e-12
    assert found.kept == pytest.approx(np.where(tied, 0, weights).mean())
    assert found.heaviest(1)[0].loss == pytest.approx(max(found.pairs.loss))


def test_without_a_discount_it_is_the_coefficient_itself() -> None:
    truth = made(3)
    estimate = dict(zip(truth.systems, np.random.default_rng(9).permutation(8), strict=True))
    for name, plain in (("tau_gap", tau_gap), ("tau_ap", tau_ap)):
        found = discounted(estimate, truth=truth, coefficient=name, alpha=1.0)
        assert found.kept == 1
        assert found.value == pytest.approx(plain(estimate, truth=truth).value, abs=1e-12)
        assert found.plain == plain(estimate, truth=truth).value


def test_a_swap_that_may_be_chance_costs_nothing_and_pivots_without_pairs_are_left_out() -> None:
    truth = Scores([[5, 1.0, 1.1], [6, 1.2, 1.1], [7, 1.1, 1.1]], systems=list("ABC"))
    found = discounted({"A": 3, "B": 2, "C": 1}, truth=truth, coefficient="tau_ap")
    assert (found.value, found.pivots) == (1, 2)
    alone = discounted({"A": 1, "B": 3, "C": 2}, truth=truth, coefficient="tau_ap")
    assert (alone.value, alone.pivots) == (-1, 1)
    assert "66.7 %" in str(alone)
    unsure = discounted({"A": 1, "B": 3, "C": 2}, truth=truth, alpha=1e-9)
    assert np.isnan(unsure.value)
    assert "is undefined: no pair is certain enough to count" in str(unsure)
    with pytest.raises(TauscopeError, match="it has no losses"):
        _ = unsure.pairs


def test_pairs_tied_in_the_estimate_are_told_and_tau_ap_minds_only_those_that_would_count() -> None:
    truth = Scores([[5, 1.0, 1.1], [6, 1.2, 1.1], [7, 1.1, 1.1]], systems=list("ABC"))
    harmless = discounted({"A": 3, "B": 1, "C": 1}, truth=truth, coefficient="tau_ap")  # B and C may be equal
    assert (harmless.value, harmless.tied) == (1, 0)
    harmful = discounted({"A": 3, "B": 3, "C": 1}, truth=truth, coefficient="tau_ap")
    assert np.isnan(harmful.value)
    assert harmful.undefined_because == (
        "tau_ap is not defined with ties, and 1 pair that would count is tied in `estimate`; use tau_gap"
    )
    gaps = discounted({"A": 3, "B": 3, "C": 1}, truth=truth)
    assert "One certain pair tied in the estimate is left out" in str(gaps)
    assert gaps.kept == pytest.approx(1 / 3)


def test_what_was_dropped_is_told() -> None:
    truth = made(4)
    found = discounted({"A": 1, "B": 2, "D": 3, "new": 4}, truth=truth.select(systems=list("ABCD")), unmatched="drop")
    assert set(found.dropped) == {"C", "new"}
    assert "Only one side has" in str(found)


@pytest.mark.parametrize("scale", [1e300, 1e-300])
def test_huge_and_tiny_scores_give_the_same_value(scale: float) -> None:
    truth = made(4)
    estimate = dict(zip(truth.systems, np.random.default_rng(2).permutation(8), strict=True))
    scaled = Scores(truth.values * scale, truth.topics, truth.systems)
    assert np.allclose(paired_p_values(scaled.values), paired_p_values(truth.values), rtol=0, atol=1e-12)
    assert discounted(estimate, truth=scaled).value == pytest.approx(discounted(estimate, truth=truth).value, abs=1e-12)


def test_systems_are_matched_by_name_whatever_their_order() -> None:
    truth = made(4)
    estimate = dict(zip(truth.systems, np.random.default_rng(2).permutation(8), strict=True))
    turned = dict(reversed(estimate.items()))
    assert discounted(turned, truth=truth).value == pytest.approx(discounted(estimate, truth=truth).value, abs=1e-12)
    fewer = {name: score for name, score in estimate.items() if name != "C"}
    kept = truth.select(systems=[s for s in truth.systems if s != "C"])
    assert discounted(fewer, truth=truth, unmatched="drop").value == pytest.approx(discounted(fewer, truth=kept).value)


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"coefficient": "tau_b"}, 'tau_b has no discounted form. Pass coefficient="tau_ap" or "tau_gap" instead.'),
        ({"alpha": 0}, "alpha=0"),
        ({"alpha": "a"}, "alpha='a': alpha is a share, above 0 and at most 1"),
    ],
)
def test_a_wrong_call_says_what_is_wrong(options, text) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(CallError) as error:
        discounted(dict.fromkeys("ABCDEFGH", 1.0), truth=made(1), **options)
    assert text in str(error.value)
    with pytest.raises(CallError, match="The truth must be Scores"):
        discounted([1, 2], truth=[1, 2])


def test_rows_are_snapped_as_single_rankings_are() -> None:
    rng = np.random.default_rng(0)
    exact = rng.integers(0, 6, (200, 12)) / 7
    noisy = exact * (1 + 1e-15 * rng.integers(-2, 3, exact.shape))
    snapped = snap_rows(noisy)
    assert all(np.array_equal(row, snap(given)[0]) for row, given in zip(snapped, noisy, strict=True))
    assert (np.unique(snapped[0]).size, np.unique(exact[0]).size) == (np.unique(exact[0]).size,) * 2
    assert snap_rows(np.ones((3, 1))).shape == (3, 1)


def ties_needed(noise: float = 0.02) -> tuple[Scores, Scores]:
    """A truth of four levels with three equal systems each, and an estimate of it with small systematic differences."""
    rng = np.random.default_rng(7)
    levels = np.repeat([0.2, 0.4, 0.6, 0.8], 3)
    truth = np.tile(levels, (40, 1))
    bias = rng.uniform(-0.02, 0.02, 12)
    return Scores(truth + bias + noise * rng.normal(size=truth.shape)), Scores(truth)


def test_the_threshold_that_recovers_the_ties_of_the_truth_is_found() -> None:
    estimate, truth = ties_needed()
    found = calibrate_ties(estimate, truth=truth, rng=1)
    gaps = np.abs(np.subtract.outer(estimate.means(), estimate.means()))
    same = np.equal.outer(truth.means().round(9), truth.means().round(9))
    assert gaps[same].max() * 0.5 < found.threshold < gaps[~same].min()
    assert found.held_out > found.without + 0.2
    assert found.held_out <= found.chosen_on + 0.01
    assert found.better == 1
    assert found.truth_ties == pytest.approx(12 / 66)
    assert tau_e(estimate, truth=truth, tied_within=(found.threshold, 0)).value > 0.9
    assert calibrate_ties(estimate, truth=truth, rng=1).to_dict() == found.to_dict()
    assert "seed 1" in found.methods_sentence()


def test_a_truth_without_ties_asks_for_none() -> None:
    rng = np.random.default_rng(3)
    truth = rng.random((20, 9))
    found = calibrate_ties(Scores(truth + 0.1 * rng.random((20, 9))), truth=Scores(truth), rng=2, draws=30)
    assert found.threshold == 0
    assert found.held_out == found.without
    assert "The truth has no ties" in str(found)


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("tau_a", "the best threshold is none"),
        ("tau_b", "ties nearly all"),
        ("tau_ap_e", "walks the estimate"),
        ("pearson", "takes no threshold"),
    ],
)
def test_other_coefficients_are_refused_with_the_reason(name: str, why: str) -> None:
    estimate, truth = ties_needed()
    with pytest.raises(CallError, match=why):
        calibrate_ties(estimate, truth=truth, coefficient=name)


def test_calibration_needs_topics_and_thresholds() -> None:
    with pytest.raises(TauscopeError, match="there is 1 topic"):
        calibrate_ties(Scores([[1, 2]]), truth=Scores([[1, 2]]))
    estimate, truth = ties_needed()
    with pytest.raises(CallError, match="none below 0"):
        calibrate_ties(estimate, truth=truth, thresholds=[-1])
    with pytest.raises(CallError, match="draws=0"):
        calibrate_ties(estimate, truth=truth, draws=0)
