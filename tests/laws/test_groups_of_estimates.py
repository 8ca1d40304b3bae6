"""Estimates with a covariance see groups of systems, as scores on topics do."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import ndtr

from tauscope import Scores, hybrid, tau_b
from tauscope.inference.relation import NormalScores, drawn_truths, expected_tau, swap_chances
from tauscope.judges.two_phase import differ_in_sign

HEAD, TAIL, ERROR = 20, 5, 0.03


def board(seed: int) -> tuple[np.ndarray, NormalScores]:
    """True scores of a head that is one score behind noise, and of bad baselines; and what was seen of them."""
    rng = np.random.default_rng(seed)
    true = np.concatenate([0.5 + 0.01 * rng.normal(size=HEAD), 0.1 + 0.01 * rng.normal(size=TAIL)])
    seen = true + ERROR * rng.normal(size=len(true))
    scores = NormalScores.of(tuple(map(str, range(len(true)))), seen, ERROR**2 * np.eye(len(true)))
    return true[scores.order], scores


def test_bad_baselines_lend_a_close_head_no_order() -> None:
    said, right, held, in_head = [], [], 0, []
    for seed in range(40):
        true, scores = board(seed)
        first, second = np.triu_indices(scores.size, 1)
        chance = swap_chances(scores)
        said.append(1 - 2 * chance.mean())
        right.append(np.sign(true[first] - true[second]).mean())
        in_head.append(chance[second < HEAD].mean())
        _, low, high = expected_tau(scores, 0.95, seed)
        held += low - 1e-9 <= right[-1] <= high + 1e-9
        assert scores.reliability > 0.9  # of all systems together: the baselines make it
    assert np.mean(said) == pytest.approx(np.mean(right), abs=0.06)
    assert np.mean(in_head) > 0.3
    assert held >= 36


def test_drawn_truths_mix_the_head_and_leave_the_baselines_below() -> None:
    _, scores = board(1)
    drawn = drawn_truths(scores, 0, 500)
    assert drawn.shape == (500, HEAD + TAIL)
    assert (drawn[:, :HEAD].min(axis=1) > drawn[:, HEAD:].max(axis=1)).mean() > 0.95
    assert len(np.unique(drawn[:, :HEAD].argmax(axis=1))) > HEAD / 2


def test_expected_taus_of_a_hybrid_and_of_people_are_those_of_a_simulation() -> None:
    found = []
    for seed in range(16):
        rng = np.random.default_rng(seed)
        centre = np.concatenate([0.5 + 0.01 * rng.normal(size=HEAD), 0.1 + 0.01 * rng.normal(size=TAIL)])
        people = centre + 0.15 * rng.normal(size=(100, 1)) + 0.1 * rng.normal(size=(100, HEAD + TAIL))
        judge = 0.1 + 0.7 * people + 0.05 * rng.normal(size=people.shape)
        both = hybrid(Scores(people[:20]), Scores(judge))
        true = centre[[int(name) - 1 for name in both.systems]]
        came = tau_b(-np.arange(HEAD + TAIL), true).value, tau_b(people[:20].mean(axis=0), centre).value
        found.append([both.expected_tau, both.expected_tau_of_people, *came])
    said, of_people, came, came_of_people = np.mean(found, axis=0)
    assert said == pytest.approx(came, abs=0.06)
    assert of_people == pytest.approx(came_of_people, abs=0.06)


def test_estimates_of_a_posterior_are_not_shrunk_again() -> None:
    _, scores = board(2)
    again = NormalScores.of(scores.systems, scores.estimates, scores.covariance, shrunk=True)
    z = again.statistics[np.triu_indices(again.size, 1)]
    assert swap_chances(again) == pytest.approx(ndtr(-z))
    assert swap_chances(scores).mean() > swap_chances(again).mean() + 0.05
    assert again.select(["3", "5"]).shrunk


@pytest.mark.parametrize(("mean", "deviation", "error"), [(0.3, 0.2, 0.5), (0.0, 1.0, 1.0), (2.0, 0.1, 1.0)])
def test_a_chance_to_differ_in_sign_is_that_of_drawn_numbers(mean: float, deviation: float, error: float) -> None:
    rng = np.random.default_rng(4)
    true = mean + deviation * rng.normal(size=400_000)
    seen = true + error * rng.normal(size=len(true))
    found = differ_in_sign(np.array([mean]), np.array([deviation]), np.array([error]))[0]
    assert found == pytest.approx(np.mean(np.sign(true) != np.sign(seen)), abs=0.003)


def test_a_gap_that_is_known_is_swapped_by_the_error_alone() -> None:
    found = differ_in_sign(np.array([1.0, 1.0]), np.zeros(2), np.array([0.5, 0.0]))
    assert found == pytest.approx([0.02275, 0.0], abs=1e-5)
