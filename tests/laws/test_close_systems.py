"""Where systems are close the reliability of their means is hardly known, and the intervals say so."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from tauscope import Scores, catalogue, check, expected_correlation, rank
from tauscope.core import kernels
from tauscope.inference.expected_views import Planner
from tauscope.inference.methods import confidences
from tauscope.inference.reliability import DOUBT, FLOOR, Reliability, evenly
from tauscope.inference.true_means import Observed, true_means


def noise(systems: int, topics: int, spread: float, seed: int, together: float = 0.0) -> np.ndarray:
    """Topics x systems; `together` is the share of the noise that all even systems have in common."""
    generator = np.random.default_rng(seed)
    own = generator.normal(size=(topics, systems))
    shared = generator.normal(size=(topics, 1)) * (np.arange(systems) % 2 * 2 - 1)
    errors = np.sqrt(1 - together) * own + np.sqrt(together) * shared
    return np.asarray(spread * generator.normal(size=systems) + errors)


def known(observed: Observed) -> Reliability:
    """The reliability of all systems as one group."""
    found = observed.local.of_groups[0][0]
    assert found is not None
    return found


def test_independent_errors_have_nearly_a_degree_of_freedom_a_system_less_one() -> None:
    assert known(Observed.of(noise(20, 20_000, 0.0, 1))).freedom == pytest.approx(19, rel=0.01)


def test_systems_that_err_together_leave_fewer_degrees_of_freedom() -> None:
    assert known(Observed.of(noise(20, 20_000, 0.0, 1, together=0.9))).freedom < 3


def test_reliabilities_are_spread_around_the_estimate_and_never_below_the_floor() -> None:
    observed = Observed.of(noise(40, 50, 0.15, 2))
    drawn = known(observed).quantiles(evenly(100_000, np.random.default_rng(3)))
    kept = drawn[drawn > FLOOR]
    assert drawn.min() == FLOOR
    assert np.median(drawn) == pytest.approx(observed.raw_reliability, abs=0.02)
    # The standard deviation of (1 - g) chi²/f is (1 - g) sqrt(2/f).
    width = (1 - observed.raw_reliability) * np.sqrt(2 / known(observed).freedom)
    assert np.quantile(kept, 0.9) - np.median(kept) == pytest.approx(1.28 * width, rel=0.35)


def test_the_confidence_in_a_limit_of_the_reliability_is_how_often_it_holds() -> None:
    # 400 collections of 30 systems whose errors are independent; the true reliability of the means is known.
    generator = np.random.default_rng(7)
    below = []
    for _ in range(400):
        true = 0.2 * generator.normal(size=30)
        values = true + generator.normal(size=(25, 30))
        observed = Observed.of(values)
        spread = float(np.var(true, ddof=1))
        g = spread / (spread + 1 / 25)
        below.append(g <= known(observed).quantiles(np.array([0.1, 0.5, 0.9]), 0.0))
    # Systems are fixed here, so that the spread of the true means is no draw: limits are a little too wide.
    assert np.mean(below, axis=0) == pytest.approx([0.1, 0.5, 0.9], abs=0.1)
    assert np.mean(below, axis=0)[0] <= 0.12
    assert np.mean(below, axis=0)[2] >= 0.88


def test_where_systems_are_far_apart_every_draw_shrinks_alike() -> None:
    observed = Observed.of(noise(30, 40, 50.0, 4))
    np.testing.assert_allclose(known(observed).quantiles(np.linspace(0.001, 0.999, 9)), 1.0, atol=1e-3)
    drawn = np.concatenate(list(true_means(observed, 2000, np.random.default_rng(5))))
    np.testing.assert_allclose(drawn.mean(axis=0), observed.effects, atol=0.05)
    error = np.sqrt(np.diagonal(observed.covariance) / 40)
    np.testing.assert_allclose(drawn.std(axis=0), error, rtol=0.1)


def test_equal_means_have_no_reliability_to_draw() -> None:
    values = np.array([[0.0, 1.0], [1.0, 0.0]])
    assert set(known(Observed.of(values)).quantiles(evenly(10, np.random.default_rng(0)))) == {FLOOR}
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


def test_there_is_no_floor_where_it_would_promise_an_order_that_the_means_do_not_show() -> None:
    shown = known(Observed.of(noise(40, 50, 0.15, 2)))
    assert shown.quantiles(np.array([DOUBT]), 0.0)[0] > FLOOR
    assert shown.floor == FLOOR
    # Equal systems: what is seen is noise, and draws of the true means are in any order.
    observed = Observed.of(noise(40, 30, 0.0, 10))
    assert known(observed).raw < 0.1
    assert known(observed).floor < FLOOR
    result = expected_correlation(Scores(noise(40, 30, 0.0, 10)), rng=1)
    lowest = result.draws.values[result.draws.lower > 2.5]  # of low confidence
    assert abs(np.median(lowest)) < 0.03
    assert result.interval.low < 0 < result.value < 0.1


def test_the_value_is_about_the_median_of_the_confidence_and_one_reliability_is_enough_for_many_pairs() -> None:
    few, many = confidences(100), confidences(100_000)
    assert few.mean() == many.mean() == 0.5
    assert 0.25 < few.min() < few.max() < 0.75


def test_the_band_of_a_plan_is_as_wide_as_the_reliability_is_unknown() -> None:
    # At its floor the reliability does not move when topics are left out: the jackknife alone says it is known.
    scores = Scores(noise(40, 30, 0.02, 10))
    observed = Observed.of(scores.values)
    assert observed.floored
    low, high = known(observed).quantiles(np.array([0.025, 0.975]))
    assert low == FLOOR < high
    curve = expected_correlation(scores, rng=1).curve([100])
    assert curve.high[0] - curve.low[0] > 0.2


def board(head: int, tail: int, spread: float, topics: int, seed: int, distance: float = 1.0) -> np.ndarray:
    """Topics x systems: a close head, and bad baselines far below it."""
    generator = np.random.default_rng(seed)
    true = np.concatenate([spread * generator.normal(size=head), -distance + spread * generator.normal(size=tail)])
    return np.asarray(true + generator.normal(size=(topics, 1)) + generator.normal(size=(topics, head + tail)))


def test_lower_limits_count_groups_for_more_than_values_do() -> None:
    values = board(20, 5, 0.5, 10, 3, distance=1.5)
    observed = Observed.of(values)
    several = observed.local.ways[1:]
    assert 0 < sum(way.weight for way in several) < sum(way.wary for way in several) < 1
    for total in (sum(way.weight for way in observed.local.ways), sum(way.wary for way in observed.local.ways)):
        assert total == pytest.approx(1)
    generator = np.random.default_rng(1)
    chosen = observed.local.chosen_for_limits(evenly(10_000, generator), generator)
    for counted, known in zip(
        observed.local.weights_in_limits(chosen),
        ([way.wary for way in observed.local.ways], [way.weight for way in observed.local.ways]),
        strict=True,
    ):
        found = [counted[chosen == number].sum() / 10_000 for number in range(len(known))]
        np.testing.assert_allclose(found, known, atol=1e-3)
        assert counted.max() <= 2


@pytest.mark.parametrize("seed", [0, 1, 77, 86, 115, 136])  # from the third on, two groups only count for the value
def test_the_weights_of_all_ways_sum_to_one(seed: int) -> None:
    generator = np.random.default_rng(seed)
    true = np.repeat(generator.normal(0, 2, size=3), [4, 15, 6]) + 0.1 * generator.normal(size=25)
    local = Observed.of(true + generator.normal(size=(15, 25))).local
    assert sum(way.weight for way in local.ways) == pytest.approx(1)
    assert sum(way.wary for way in local.ways) == pytest.approx(1)


def test_a_group_without_noise_beside_others_leaves_no_system_without_a_rank() -> None:
    values = np.array([[1, -45, 0, 1, 0, 42, 1, 1, 0.0], [1, -45, 0, 1, 0, 42, 1, 1, 0.1]])
    with np.errstate(all="raise", under="ignore"):
        drawn = np.concatenate(list(true_means(Observed.of(values), 50, np.random.default_rng(0))))
    assert np.isfinite(drawn).all()


def test_a_board_of_one_group_draws_as_if_no_other_had_been_thought_of() -> None:
    local = Observed.of(board(30, 0, 0.3, 30, 1)).local
    alone = replace(local.ways[0], weight=1.0, wary=0.9)
    sure = replace(local, ways=(alone, *(replace(way, weight=0.0) for way in local.ways[1:])))
    generator = np.random.default_rng(1)
    before = generator.bit_generator.state
    assert not sure.chosen(100, generator).any()
    assert generator.bit_generator.state == before


def test_a_plan_of_a_board_that_may_be_in_groups_has_a_lower_limit_that_allows_for_it() -> None:
    values = board(20, 5, 0.5, 10, 3, distance=1.5)
    observed = Observed.of(values)
    planner = Planner(observed=observed, coefficient=catalogue["tau"], level=0.95)
    sure = tuple(replace(way, wary=way.weight) for way in observed.local.ways)
    bold = Planner(observed=Observed.of(values), coefficient=catalogue["tau"], level=0.95)
    bold.observed.__dict__["local"] = replace(observed.local, ways=sure)
    (value, low, high), (same, above, up) = (p.band(200, adding=False) for p in (planner, bold))
    assert (value, high) == (same, up)
    assert low < above - 0.001


def test_three_groups_are_told_apart() -> None:
    generator = np.random.default_rng(2)
    true = np.repeat([6.0, 3.0, 0.0], [4, 15, 6]) + 0.05 * generator.normal(size=25)
    values = true + generator.normal(size=(40, 25))
    observed = Observed.of(values)
    split = observed.local.split
    assert split is not None
    assert [len(part.systems) for part in split] == [4, 15, 6]
    assert "The systems form three groups, each with its own reliability: 4 systems (" in " ".join(
        str(expected_correlation(Scores(values))).split()
    )
    assert check(Scores(values))["in-groups"].text == (
        "the systems come in three groups that are apart, 4 above 15 above 6"
    )
    between = observed.local.ways[-1].members[:4, :] @ observed.local.ways[-1].members[4:, :].T
    assert between.max() < 1e-6


def test_a_head_beside_baselines_is_a_group_of_its_own() -> None:
    observed = Observed.of(board(20, 5, 0.05, 40, 1, distance=3.0))
    one, two, *three = observed.local.ways
    assert (one.weight, two.weight) == pytest.approx((0, 1), abs=5e-3)
    assert all(way.weight < 5e-3 and way.wary < 0.1 for way in three)
    head = two.members[:20].mean(axis=0)
    assert sorted(head) == pytest.approx([0, 1], abs=1e-3)
    np.testing.assert_allclose(two.members[20:], np.broadcast_to(1 - head, (5, 2)), atol=1e-3)
    assert observed.reliability > 0.95
    split = observed.local.split
    assert split is not None
    assert [len(part.systems) for part in split] == [20, 5]
    assert "The systems form two groups, each with its own reliability: 20 systems (" in " ".join(
        str(expected_correlation(Scores(board(20, 5, 0.05, 40, 1, distance=3.0)))).split()
    )
    finding = check(Scores(board(20, 5, 0.05, 40, 1, distance=3.0)))["in-groups"]
    assert finding.text == "the systems come in two groups that are apart, 20 above 5"
    of_head = observed.local.of_groups[1][int(np.argmax(head))]
    assert of_head is not None
    assert of_head.raw < 0.5


def test_baselines_do_not_make_the_head_look_sure() -> None:
    values = board(20, 5, 0.05, 40, 1, distance=3.0)
    head = expected_correlation(Scores(values[:, :20]), rng=1)
    both = expected_correlation(Scores(values), rng=1)
    # 190 pairs of the head, 10 of the tail, 100 between them that are beyond doubt.
    of_head = sum(p.probability for p in both.pairs if int(p.better) <= 20 and int(p.worse) <= 20)
    assert of_head / 190 == pytest.approx((1 - head.value) / 2, abs=0.05)
    between = [p.probability for p in both.pairs if (int(p.better) <= 20) != (int(p.worse) <= 20)]
    assert max(between) < 1e-6


def test_the_weights_of_the_groups_of_a_pair_sum_to_one() -> None:
    observed = Observed.of(board(20, 5, 0.5, 10, 3, distance=1.5))
    total = sum(weight for weight, _ in observed.local.terms(np.array([0.2, 0.8]), observed.pairs))
    np.testing.assert_allclose(total, 1.0, rtol=1e-12)


def test_one_group_of_systems_is_seldom_taken_for_two() -> None:
    ones = [Observed.of(board(30, 0, 0.3, 30, seed)).local.ways[0] for seed in range(40)]
    assert np.mean([way.weight for way in ones]) > 0.98
    assert np.mean([way.weight < 0.5 for way in ones]) < 0.06
    assert np.mean([way.wary for way in ones]) > 0.9


def test_a_middle_with_far_ends_is_no_board_of_two_groups_to_speak_of() -> None:
    generator = np.random.default_rng(3)
    true = np.concatenate([0.02 * generator.normal(size=30), [-3, -2.5, 2.4, 3.1]])
    observed = Observed.of(true + generator.normal(size=(40, 34)))
    assert observed.local.ways[0].weight < 0.1
    assert observed.local.split is None


def test_fewer_than_eight_systems_and_systems_without_noise_are_one_group() -> None:
    assert len(Observed.of(board(5, 2, 0.05, 40, 1, distance=9.0)).local.ways) == 1
    assert len(Observed.of(np.tile(np.arange(12.0), (5, 1))).local.ways) == 1


@pytest.mark.parametrize("topics", [20, 50])
def test_the_interval_of_a_head_beside_baselines_holds_the_truth(topics: int) -> None:
    # With one reliability for all systems 24 and 21 of these 40 intervals hold it.
    held = 0
    for trial in range(40):
        generator = np.random.default_rng((topics, trial))
        true = np.concatenate([0.1 * generator.normal(size=20), -3 + 0.1 * generator.normal(size=5)])
        values = true + generator.normal(size=(topics, 25))
        observed = Observed.of(values)
        actual = kernels.batch(
            catalogue["tau_a"], observed.means[None], np.ascontiguousarray(true[observed.order])[None]
        )[0][0]
        low, high = expected_correlation(Scores(values), rng=trial).interval
        held += low <= actual <= high
    assert held >= 36


def test_a_plan_does_not_depend_on_the_order_of_the_topics() -> None:
    values = board(12, 3, 0.4, 30, 2)
    turned = values[np.random.default_rng(0).permutation(30)]
    names = [f"s{i}" for i in range(values.shape[1])]
    one, two = (
        Planner(observed=Observed.named(v, names), coefficient=catalogue["tau"], level=0.95).band(100, adding=False)
        for v in (values, turned)
    )
    assert one == pytest.approx(two, abs=1e-12)


def test_near_copies_with_equal_means_are_hardly_ever_told_apart() -> None:
    """Twelve copies of one system, each changed on 3 of 60 topics, shifted to the same mean: a sample of 20 topics
    often lacks those of a pair, and shows a constant difference."""
    told = 0
    for seed in range(100):
        rng = np.random.default_rng(seed)
        values = np.repeat(rng.random((60, 1)), 20, axis=1)
        values[:, 12:] = rng.random((60, 8))
        for system in range(12):
            values[rng.choice(60, 3, replace=False), system] = rng.random(3)
        values += 0.5 - values.mean(axis=0)
        sample = Scores(values[rng.integers(60, size=20)])
        ranks = rank(sample)
        told += bool((ranks.low > 1).any() or (ranks.high < 20).any())
    assert told <= 10  # 98 where a difference that is constant in the sample is taken for certain
