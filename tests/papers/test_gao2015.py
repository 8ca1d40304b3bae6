"""gao2015: tau_gap, the theorem that is false, and the pair weights of Figures 4-6 on TREC-5."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tauscope import Ranking, Scores, pearson, significance, tau_a, tau_ap, tau_gap
from tauscope.coefficients.pairs import pair_weights

pytestmark = pytest.mark.both

TRUTH = {"A": 4, "B": 3, "C": 2, "D": 1}


def test_equation_1_is_pearsons_correlation() -> None:
    rng = np.random.default_rng(1)
    truth, prediction = rng.random(9), rng.random(9)
    x, y = truth - truth.mean(), prediction - prediction.mean()
    expected = (x * y).sum() / np.sqrt((x**2).sum() * (y**2).sum())
    assert abs(pearson(prediction, truth=truth).value - expected) < 1e-12


def test_the_last_system_on_top_costs_tau_gap_more_than_tau_ap() -> None:
    prediction = Ranking.from_order("D A B C")
    assert abs(tau_ap(prediction, truth=TRUTH).value - -2 / 9) < 1e-12
    # Pivot A: 0/3; pivot B: 1/(2+1); pivot C: (2+1)/(1+2+1).
    assert abs(tau_gap(prediction, truth=TRUTH).value - (2 / 3 * (0 / 3 + 1 / 3 + 3 / 4) - 1)) < 1e-12
    assert round(tau_gap(prediction, truth=TRUTH).value, 6) == -0.277778


def test_theorem_2_is_false() -> None:
    # Erratum: with uniform gaps tau_gap should equal tau_ap; "gap" in the proof means the gap of every pair, not of
    # neighbours.
    prediction = Ranking.from_order("D A B C")
    assert abs(tau_gap(prediction, truth=TRUTH).value - tau_ap(prediction, truth=TRUTH).value) > 0.05


def test_equal_scores_in_the_prediction_are_not_above_each_other() -> None:
    # B and C are tied: each has A above it, gaps 1 and 2, both right.
    assert tau_gap([3, 2, 2], truth=[4, 3, 2]).value == 1


def test_pivots_whose_gaps_are_all_zero_are_left_out() -> None:
    # B has only A above it, at gap 0. Left: C, whose gaps are 1 (A) and 1 (B), both wrong.
    found = tau_gap([3, 2, 1], truth=[1, 1, 2])
    assert found.value == -1


def test_a_swap_within_five_percent_of_the_smaller_score_is_not_counted() -> None:
    # Section 1, after Buckley and Voorhees: the fuzziness value is relative to the smaller value.
    truth, estimate = [0.42, 0.40, 0.20], [0.40, 0.42, 0.20]
    assert tau_a(estimate, truth=truth, tied_within="5%").discordant == 0
    assert tau_a(estimate, truth=truth, tied_within="4.9%").discordant == 1
    assert tau_a(estimate, truth=truth).discordant == 1


@pytest.fixture(scope="module")
def trec5(shared: Path) -> Ranking:
    scores = np.loadtxt(shared / "data" / "trec" / "adhoc5_ap.csv", delimiter=",", skiprows=1)
    names = (shared / "data" / "trec" / "adhoc5_ap.csv").read_text(encoding="utf-8").partition("\n")[0].split(",")
    return Ranking.from_means(scores.mean(axis=0), names)


def test_trec5_has_61_systems(trec5: Ranking) -> None:
    assert len(trec5) == 61


# 1 - value after one swap of two ranks.
SWAPS = {
    "pearson": {(1, 61): 0.348710, (1, 30): 0.052750, (30, 61): 0.130208},
    "tau_ap": {(1, 61): 0.188773, (1, 30): 0.164239, (30, 61): 0.040607},
    "tau_gap": {(1, 61): 0.489772, (1, 30): 0.247208, (30, 61): 0.068801},
}


@pytest.mark.parametrize("coefficient", SWAPS)
def test_the_pair_weights_of_trec5_are_those_of_the_specification(coefficient: str, trec5: Ranking) -> None:
    weights = pair_weights(trec5, coefficient).values
    assert weights.shape == (61, 61)
    for (first, second), expected in SWAPS[coefficient].items():
        assert abs(weights[first - 1, second - 1] - expected) < 1e-6


@pytest.mark.parametrize("coefficient", SWAPS)
def test_a_pair_weight_is_one_minus_the_value_after_that_swap(coefficient: str, trec5: Ranking) -> None:
    truth = np.sort(trec5.scores)[::-1]
    weights = pair_weights(trec5, coefficient).values
    for first, second in ((0, 1), (4, 40), (59, 60)):
        swapped = truth.copy()
        swapped[[first, second]] = truth[[second, first]]
        functions = {"pearson": pearson, "tau_ap": tau_ap, "tau_gap": tau_gap}
        assert abs(weights[first, second] - (1 - functions[coefficient](swapped, truth=truth).value)) < 1e-12
        assert weights[first, second] == weights[second, first]


def test_the_weights_of_tau_ap_fall_from_head_to_tail_and_those_of_tau_gap_grow_with_the_gap(trec5: Ranking) -> None:
    # Section 4.2, what Figures 5 and 6 show.
    ap, gap = pair_weights(trec5, "tau_ap").values, pair_weights(trec5, "tau_gap").values
    neighbours = np.arange(60)
    assert (np.diff(ap[neighbours, neighbours + 1]) < 0).all()
    assert (np.diff(gap[0, 1:]) > 0).all()


def test_rescaled_weights_lie_between_zero_and_one(trec5: Ranking) -> None:
    plain, rescaled = (pair_weights(trec5, "tau_gap", rescale=rescale).values for rescale in (False, True))
    off_diagonal = ~np.eye(61, dtype=bool)
    assert rescaled[off_diagonal].min() == 0
    assert rescaled[off_diagonal].max() == 1
    assert np.corrcoef(plain[off_diagonal], rescaled[off_diagonal])[0, 1] > 1 - 1e-12


def test_significant_pairs_of_figure_1_are_1164_of_1830(shared: Path) -> None:
    # The paper's colours are exchanged: 63.6 % are significant, not 37 %. Two-sided paired t-test, no correction.
    scores = Scores(np.loadtxt(shared / "data" / "trec" / "adhoc5_ap.csv", delimiter=",", skiprows=1))
    result = significance(scores, test="t", correction=None, alpha=0.05)
    assert (result.significant, result.all_pairs) == (1164, 1830)
    assert abs(result.share - 0.636) < 5e-4
