"""Where systems are close the reliability of their means is hardly known, and the intervals say so."""

from __future__ import annotations

import numpy as np
import pytest

from tauscope import Scores, catalogue, expected_correlation, kernels
from tauscope.expected.true_means import factors
from tauscope.significance.observed import FLOOR, Observed


def noise(systems: int, topics: int, spread: float, seed: int, together: float = 0.0) -> np.ndarray:
    """Topics x systems; `together` is the share of the noise that all even systems have in common."""
    generator = np.random.default_rng(seed)
    own = generator.normal(size=(topics, systems))
    shared = generator.normal(size=(topics, 1)) * (np.arange(systems) % 2 * 2 - 1)
    errors = np.sqrt(1 - together) * own + np.sqrt(together) * shared
    return np.asarray(spread * generator.normal(size=systems) + errors)


def test_independent_errors_have_nearly_a_degree_of_freedom_a_system_less_one() -> None:
    assert Observed.of(noise(20, 20_000, 0.0, 1)).freedom == pytest.approx(19, rel=0.01)


def test_systems_that_err_together_leave_fewer_degrees_of_freedom() -> None:
    assert Observed.of(noise(20, 20_000, 0.0, 1, together=0.9)).freedom < 3


def test_reliabilities_are_drawn_around_the_estimate_and_never_below_the_floor() -> None:
    observed = Observed.of(noise(40, 50, 0.15, 2))
    drawn = observed.drawn_reliabilities(100_000, np.random.default_rng(3))
    kept = drawn[drawn > FLOOR]
    assert drawn.min() == FLOOR
    assert np.median(drawn) == pytest.approx(observed.raw_reliability, abs=0.02)
    # The standard deviation of (1 - g) chi²/f is (1 - g) sqrt(2/f).
    width = (1 - observed.raw_reliability) * np.sqrt(2 / observed.freedom)
    assert np.quantile(kept, 0.9) - np.median(kept) == pytest.approx(1.28 * width, rel=0.35)


def test_where_systems_are_far_apart_every_draw_has_the_same_factor() -> None:
    observed = Observed.of(noise(30, 40, 50.0, 4))
    drawn = factors(observed, 1000, np.random.default_rng(5), bayesian=False)
    np.testing.assert_allclose(drawn, np.sqrt(40 / 39 / observed.reliability), rtol=1e-3)


def test_equal_means_have_no_reliability_to_draw() -> None:
    values = np.array([[0.0, 1.0], [1.0, 0.0]])
    assert set(Observed.of(values).drawn_reliabilities(10, np.random.default_rng(0))) == {FLOOR}
    assert expected_correlation(Scores(values), rng=1).value == 0


def test_the_interval_of_a_close_board_holds_the_truth() -> None:
    # With the reliability fixed at its estimate, 42 of these 50 intervals hold it.
    generator = np.random.default_rng(8)
    chances = 0.6 + 0.03 * generator.normal(size=100) + 0.2 * generator.normal(size=(4000, 1))
    board = (generator.random((4000, 100)) < chances).astype(float)
    truth, held = board.mean(axis=0), 0
    for trial in range(50):
        scores = Scores(board[generator.integers(len(board), size=50)])
        observed = Observed.of(scores.values)
        actual = kernels.batch(
            catalogue["tau_a"], observed.means[None], np.ascontiguousarray(truth[observed.order])[None]
        )[0][0]
        low, high = expected_correlation(scores, rng=trial).interval
        held += low <= actual <= high
    assert held >= 46


def test_the_band_of_a_plan_is_as_wide_as_the_reliability_is_unknown() -> None:
    # At its floor the reliability does not move when topics are left out: the jackknife alone says it is known.
    scores = Scores(noise(40, 30, 0.02, 10))
    observed = Observed.of(scores.values)
    assert observed.floored
    low, high = observed.reliability_limits(0.95)
    assert low == FLOOR < high
    curve = expected_correlation(scores, rng=1).curve([100])
    assert curve.high[0] - curve.low[0] > 0.2


def test_the_limits_of_the_reliability_are_quantiles_of_its_draws() -> None:
    observed = Observed.of(noise(40, 50, 0.3, 2))
    drawn = observed.drawn_reliabilities(200_000, np.random.default_rng(3))
    np.testing.assert_allclose(observed.reliability_limits(0.9), np.quantile(drawn, [0.05, 0.95]), atol=0.005)
