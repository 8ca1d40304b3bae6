"""Leaderboards: holes, aggregates, ranks gained and scores given, what was judged."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from tauscope import Scores, compare, rank
from tauscope.errors import CallError, TauscopeError
from tauscope.evaluation.runs import Runs


def board(seed: int = 1, topics: int = 20, systems: int = 9, holes: float = 0.0) -> Scores:
    rng = np.random.default_rng(seed)
    values = np.linspace(0.7, 0.4, systems) + rng.normal(0, 0.1, (topics, systems)) + rng.normal(0, 0.2, (topics, 1))
    values[rng.random(values.shape) < holes] = np.nan
    return Scores(values, missing="keep")


def test_with_holes_a_pair_is_a_paired_t_test_on_the_topics_that_both_have() -> None:
    scores = board(2, 30, 7, 0.3)
    found = rank(scores)
    at = {system: i for i, system in enumerate(scores.systems)}
    pairs, pvalues = [], []
    for i, first in enumerate(found.systems):
        for j, second in enumerate(found.systems[i + 1 :], start=i + 1):
            a, b = scores.values[:, at[first]], scores.values[:, at[second]]
            both = ~np.isnan(a) & ~np.isnan(b)
            p = max(stats.ttest_rel(a[both], b[both]).pvalue, 2.0 ** (1 - both.sum()))
            if j == i + 1:
                assert found.neighbours.p[i] == pytest.approx(p)
            pairs.append((i, j))
            pvalues.append(p)
    order = np.argsort(pvalues)
    for k, place in enumerate(order):  # Holm, one by one
        if pvalues[place] > 0.05 / (len(order) - k):
            break
        assert found.better[pairs[place]]
    assert 0 < found.significant_pairs < found.pairs


def test_without_holes_adjusted_means_are_the_means() -> None:
    scores = board()
    values = scores.values.copy()
    values[0, 0] = np.nan
    found = rank(Scores(values, missing="keep"))
    assert found.scores[list(found.systems).index("3")] == pytest.approx(scores.means()[2], abs=0.01)
    assert found.unadjusted[list(found.systems).index("3")] == pytest.approx(scores.means()[2])


def test_the_order_of_the_input_does_not_matter() -> None:
    scores = board(3, 25, 8, 0.2)
    turned = scores.select(systems=scores.systems[::-1], topics=scores.topics[::-1])
    one, two = rank(scores), rank(turned)
    assert one.systems == two.systems
    assert np.allclose(one.scores, two.scores, atol=1e-12)
    assert one.tiers == two.tiers


@pytest.mark.parametrize(("systems", "topics", "holes"), [(12, 15, 0.6), (20, 30, 0.5)])
@pytest.mark.parametrize("accuracy", [0.5, 0.8])
def test_boards_of_equal_systems_with_scores_of_0_and_1_have_no_significant_pair(
    systems: int, topics: int, holes: float, accuracy: float
) -> None:
    wrong = 0
    for seed in range(40):
        rng = np.random.default_rng([seed, systems, int(10 * accuracy)])
        values = (rng.random((topics, systems)) < accuracy).astype(float)
        missing = rng.random(values.shape) < holes
        missing[0] &= ~missing.all(axis=0)
        values[missing] = np.nan
        wrong += bool(rank(Scores(values, missing="keep")).significant_pairs)
    assert wrong <= 3  # 0.07 of 40, rounded up; Student's t alone finds a difference on nearly all of them


def test_two_topics_of_1_against_0_prove_nothing() -> None:
    few = rank(Scores([[1.0, 0.0, 1.0], [1.0, 0.0, 0.0], [None, 1.0, None]], missing="keep"))
    assert (few.low.tolist(), few.high.tolist()) == ([1, 1, 1], [3, 3, 3])


def test_identical_systems_are_tied_and_counted() -> None:
    values = board(13, 15, 6, 0.3).values
    found = rank(Scores(np.column_stack([values, values[:, 2]]), missing="keep"))
    assert found["3"] == found["7"]
    assert found.neighbours.copies == 1
    ranks = dict(zip(found.systems, found.rank.tolist(), strict=True))
    assert ranks["3"] == ranks["7"]


@pytest.mark.parametrize("factor", [1e160, 1e300, 1e-300, 1e-14])
def test_the_unit_of_the_scores_does_not_matter(factor: float) -> None:
    for scores in (board(14, 12, 6, 0.3), Scores([[0.5, 0.3, None], [0.6, 0.4, 0.2], [0.7, 0.5, 0.4]], missing="keep")):
        one, two = rank(scores), rank(Scores(scores.values * factor, missing="keep"))
        assert one.systems == two.systems
        assert np.allclose(one.scores, two.scores / factor)
        assert (one.low.tolist(), one.high.tolist(), one.tiers) == (two.low.tolist(), two.high.tolist(), two.tiers)


def test_z_scores_and_borda_shares_are_those_of_the_definition() -> None:
    scores = board(4, 6, 5)
    z = scores.aggregated("z")
    assert np.allclose(z.values, stats.zscore(scores.values, axis=1, ddof=1))
    borda = scores.aggregated("borda")
    for row, own in zip(borda.values, scores.values, strict=True):
        assert row.tolist() == pytest.approx([((own < x).sum() + ((own == x).sum() - 1) / 2) / 4 for x in own])
    assert "z-score" in z.notes[-1]
    assert scores.aggregated() is not scores
    assert scores.aggregated("mean") is scores


def test_a_topic_where_all_are_equal_adds_nothing() -> None:
    scores = Scores([[0.3, 0.3, 0.3], [0.1, 0.2, 0.3]])
    assert scores.aggregated("z").values[0].tolist() == [0, 0, 0]
    assert scores.aggregated("borda").values[0].tolist() == [0.5, 0.5, 0.5]


def test_group_means_count_every_group_alike() -> None:
    scores = board(5, 5, 4)
    groups = dict(zip(scores.topics, ["a", "a", "a", "b", "b"], strict=True))
    by_hand = (scores.values[:3].mean(axis=0) + scores.values[3:].mean(axis=0)) / 2
    assert np.allclose(scores.aggregated("group-mean", groups).means(), by_hand)
    with pytest.raises(CallError, match="1 topic is in no group: '5'"):
        scores.aggregated("group-mean", {t: g for t, g in groups.items() if t != "5"})


def test_missing_cells_stay_missing() -> None:
    scores = board(6, 8, 6, 0.3)
    for how in ("z", "borda"):
        assert np.array_equal(np.isnan(scores.aggregated(how).values), np.isnan(scores.values))


def test_ranks_gained_add_up_to_nothing_and_a_favoured_group_is_found() -> None:
    human = board(7, 40, 12)
    values = human.values.copy()
    values[:, 6:9] += 0.08
    judge = Scores(values, systems=human.systems)
    groups = {s: "own" if 6 <= i < 9 else "rest" for i, s in enumerate(human.systems)}
    found = compare(judge, truth=human, groups=groups, rng=1)
    assert sum(one.ranks * one.systems for one in found.shifts) == pytest.approx(0.0, abs=1e-12)
    assert [one.group for one in found.favoured] == ["own"]
    ranks = {name: scores.ranking().ranks()[6:9].mean() for name, scores in (("human", human), ("judge", judge))}
    assert found.shifts[0].ranks == pytest.approx(ranks["human"] - ranks["judge"])
    assert "prefers the group own" in str(found).replace("\n", " ")
    assert compare(judge, truth=human, groups=groups, rng=1).shifts == found.shifts


def test_a_judge_that_only_has_other_noise_favours_nobody_more_often_than_promised() -> None:
    wrong = 0
    for seed in range(60):
        rng = np.random.default_rng(seed)
        truth = np.linspace(0.7, 0.4, 10)
        human, judge = (Scores(truth + rng.normal(0, 0.15, (25, 10))) for _ in range(2))
        groups = {s: "odd" if int(s) % 2 else "even" for s in human.systems}
        wrong += bool(compare(judge, truth=human, groups=groups, rng=seed).favoured)
    assert wrong <= 9  # two groups, 5 % in all: nine or more of sixty by chance once in 500


def test_one_topic_that_differs_does_not_undo_the_pairing() -> None:
    human = board(7, 40, 12)
    rng = np.random.default_rng(1)
    judge = Scores(human.values + rng.normal(0, 0.02, human.values.shape), systems=human.systems)
    groups = {s: "odd" if int(s) % 2 else "even" for s in human.systems}
    renamed = Scores(judge.values, topics=[*judge.topics[:-1], "other"], systems=judge.systems)
    apart = Scores(judge.values, topics=[f"j{t}" for t in judge.topics], systems=judge.systems)
    found = [compare(j, truth=human, groups=groups, rng=1) for j in (judge, renamed, apart)]
    assert [one.shared_topics for one in found] == [40, 39, 0]
    same, one, none = (own.shifts[0].high - own.shifts[0].low for own in found)
    assert same < 0.8 * none
    assert abs(one - same) < 0.5 * (none - same)
    turned = judge.select(topics=judge.topics[::-1])
    again = compare(turned, truth=human, groups=groups, rng=1)
    assert again.shifts[0].high == pytest.approx(found[0].shifts[0].high, abs=0.2)


def test_too_few_topics_give_a_shift_without_an_interval() -> None:
    human = board(7, 2, 4)
    judge = Scores(board(8, 2, 4).values, topics=[human.topics[0], "other"], systems=human.systems)
    found = compare(judge, truth=human, groups=dict(zip(human.systems, "aabb", strict=True)), rng=1)
    assert np.isnan([one.low for one in found.shifts]).all()
    assert not found.favoured


def test_groups_must_be_complete() -> None:
    scores = board()
    with pytest.raises(TauscopeError, match="8 systems have no group"):
        compare(scores, truth=scores, groups={"1": "a"})


def test_bias_and_error_are_those_of_the_definition() -> None:
    human, judge = board(8), board(9)
    found = compare(judge, truth=human).bias
    difference = judge.values - human.values
    interval = stats.t.interval(0.95, 19, loc=difference.mean(), scale=stats.sem(difference.mean(axis=1)))
    assert (found.low, found.high) == pytest.approx(interval)
    assert found.rmse == pytest.approx(np.sqrt((difference**2).mean()))
    assert found.rmse_means == pytest.approx(np.sqrt((difference.mean(axis=0) ** 2).mean()))


@pytest.mark.parametrize("factor", [1e200, 1e307, 1e-200])
def test_bias_and_error_of_huge_and_tiny_scores_are_finite(factor: float) -> None:
    human, judge = board(8), board(9)
    found, scaled = (compare(Scores(judge.values * by), truth=Scores(human.values * by)).bias for by in (1.0, factor))
    for name in ("bias", "low", "high", "rmse", "rmse_means"):
        assert getattr(scaled, name) / factor == pytest.approx(getattr(found, name), rel=1e-9)


def test_judged_is_a_share_of_what_was_shown() -> None:
    runs = {"a": {"1": {"x": 3.0, "y": 2.0, "z": 1.0}, "2": {"x": 1.0}}, "b": {"1": {"u": 2.0, "x": 1.0}}}
    qrels = {"1": {"x": 1, "y": -1}, "2": {"x": 0}, "3": {"q": 1}}
    assert Runs.read(runs).judged_at(qrels, k=2).shares.tolist() == [0.75, 0.5]
    with pytest.raises(CallError, match="k=0"):
        Runs.read(runs).judged_at(qrels, k=0)
