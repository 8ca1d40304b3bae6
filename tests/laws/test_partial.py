"""Leaderboards: holes, aggregates, ranks gained and scores given, what was judged."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

import tauscope
from tauscope import Scores, judged_at, partial_ranking, rank_shifts, score_bias, swap_probabilities
from tauscope.errors import CallError, TauscopeError
from tauscope.scores.aggregation import rescaled


def board(seed: int = 1, topics: int = 20, systems: int = 9, holes: float = 0.0) -> Scores:
    rng = np.random.default_rng(seed)
    values = np.linspace(0.7, 0.4, systems) + rng.normal(0, 0.1, (topics, systems)) + rng.normal(0, 0.2, (topics, 1))
    values[rng.random(values.shape) < holes] = np.nan
    return Scores(values, missing="keep")


def test_without_holes_the_swap_probabilities_are_those_of_the_default_method() -> None:
    scores = board()
    found, known = partial_ranking(scores), swap_probabilities(scores)
    assert found.systems == known.systems
    assert np.abs(found.probabilities - known.values).max() < 1e-12
    assert found.expected_tau == pytest.approx(tauscope.expected_correlation(scores, "tau", rng=1).value, abs=1e-12)
    assert found.reliability == pytest.approx(
        tauscope.expected_correlation(scores, "tau", rng=1).reliability, abs=1e-12
    )
    assert (found.unknown, found.holes, found.against_means) == (0, 0, 0)


def test_with_holes_a_pair_is_a_paired_t_test_on_the_topics_that_both_have() -> None:
    scores = board(2, 30, 7, 0.3)
    found = partial_ranking(scores)
    at = {system: i for i, system in enumerate(scores.systems)}
    better = 0
    pvalues = []
    for i, first in enumerate(found.systems):
        for j, second in enumerate(found.systems[i + 1 :], start=i + 1):
            a, b = scores.values[:, at[first]], scores.values[:, at[second]]
            both = ~np.isnan(a) & ~np.isnan(b)
            assert found.shared[i, j] == both.sum()
            test = stats.ttest_rel(a[both], b[both])
            pvalues.append(test.pvalue)
            chance = stats.t.cdf(-test.statistic * math.sqrt(found.reliability), both.sum() - 1)
            assert found.probabilities[i, j] == pytest.approx(chance, abs=1e-12)
    ordered = np.sort(pvalues)
    for k, p in enumerate(ordered):  # Holm, one by one
        if p > 0.05 / (len(ordered) - k):
            break
        better += 1
    # Each significant pair takes one rank from the best of the worse and one from the worst of the better.
    assert int((found.low - 1).sum()) == int((len(found.systems) - found.high).sum()) == better


def test_pairs_that_share_too_few_topics_are_unknown_and_say_so() -> None:
    values = np.array([[0.9, np.nan, 0.5], [0.8, np.nan, 0.4], [np.nan, 0.3, 0.6], [np.nan, 0.2, 0.5]])
    found = partial_ranking(Scores(values, systems=list("abc"), missing="keep"))
    assert found.unknown == 1
    assert math.isnan(found.probabilities[found.systems.index("a"), found.systems.index("b")])
    assert "1 pair with fewer than two in common left out" in found.lines()[2]


def test_the_order_of_the_input_does_not_matter() -> None:
    scores = board(3, 25, 8, 0.2)
    turned = scores.select(systems=scores.systems[::-1], topics=scores.topics[::-1])
    one, two = partial_ranking(scores), partial_ranking(turned)
    assert one.systems == two.systems
    assert np.allclose(one.probabilities, two.probabilities, atol=1e-12)
    assert one.tiers == two.tiers


def test_z_scores_and_borda_shares_are_those_of_the_definition() -> None:
    scores = board(4, 6, 5)
    z = rescaled(scores, "z")
    assert np.allclose(z.values, stats.zscore(scores.values, axis=1, ddof=1))
    borda = rescaled(scores, "borda")
    for row, own in zip(borda.values, scores.values, strict=True):
        assert row.tolist() == pytest.approx([((own < x).sum() + ((own == x).sum() - 1) / 2) / 4 for x in own])
    assert "z-score" in z.notes[-1]
    assert rescaled(scores) is not scores
    assert rescaled(scores, "mean") is scores


def test_a_topic_where_all_are_equal_adds_nothing() -> None:
    scores = Scores([[0.3, 0.3, 0.3], [0.1, 0.2, 0.3]])
    assert rescaled(scores, "z").values[0].tolist() == [0, 0, 0]
    assert rescaled(scores, "borda").values[0].tolist() == [0.5, 0.5, 0.5]


def test_group_means_count_every_group_alike() -> None:
    scores = board(5, 5, 4)
    groups = dict(zip(scores.topics, ["a", "a", "a", "b", "b"], strict=True))
    by_hand = (scores.values[:3].mean(axis=0) + scores.values[3:].mean(axis=0)) / 2
    assert np.allclose(rescaled(scores, "group-mean", groups).means(), by_hand)
    with pytest.raises(CallError, match="1 topic is in no group: '5'"):
        rescaled(scores, "group-mean", {t: g for t, g in groups.items() if t != "5"})


def test_missing_cells_stay_missing() -> None:
    scores = board(6, 8, 6, 0.3)
    for how in ("z", "borda"):
        assert np.array_equal(np.isnan(rescaled(scores, how).values), np.isnan(scores.values))


def test_ranks_gained_add_up_to_nothing_and_a_favoured_group_is_found() -> None:
    human = board(7, 40, 12)
    values = human.values.copy()
    values[:, 6:9] += 0.08
    judge = Scores(values, systems=human.systems)
    groups = {s: "own" if 6 <= i < 9 else "rest" for i, s in enumerate(human.systems)}
    found = rank_shifts(judge, truth=human, groups=groups, rng=1)
    assert float(np.dot(found.shift, found.members)) == pytest.approx(0.0, abs=1e-12)
    assert found.favoured() == ("own",)
    ranks = {name: scores.ranking().ranks()[6:9].mean() for name, scores in (("human", human), ("judge", judge))}
    assert found.shift[0] == pytest.approx(ranks["human"] - ranks["judge"])
    again = rank_shifts(judge, truth=human, groups=groups, rng=1)
    assert np.array_equal(again.low, found.low)


def test_a_judge_that_only_has_other_noise_favours_nobody_more_often_than_promised() -> None:
    wrong = 0
    for seed in range(60):
        rng = np.random.default_rng(seed)
        truth = np.linspace(0.7, 0.4, 10)
        human, judge = (Scores(truth + rng.normal(0, 0.15, (25, 10))) for _ in range(2))
        groups = {s: "odd" if int(s) % 2 else "even" for s in human.systems}
        found = rank_shifts(judge, truth=human, groups=groups, rng=seed)
        wrong += bool(found.favoured())
    assert wrong <= 9  # two groups, 5 % in all: nine or more of sixty by chance once in 500


def test_groups_must_be_complete_and_systems_the_same() -> None:
    scores = board()
    with pytest.raises(TauscopeError, match="8 systems have no group"):
        rank_shifts(scores, truth=scores, groups={"1": "a"})
    with pytest.raises(CallError, match="which scores are the truth"):
        rank_shifts(scores, scores, groups={})
    with pytest.raises(TauscopeError, match="the same systems"):
        rank_shifts(scores.select(systems=["1"]), truth=scores, groups=dict.fromkeys(scores.systems, "a"))


def test_bias_and_error_are_those_of_the_definition() -> None:
    human, judge = board(8), board(9)
    found = score_bias(judge, truth=human)
    difference = judge.values - human.values
    interval = stats.t.interval(0.95, 19, loc=difference.mean(), scale=stats.sem(difference.mean(axis=1)))
    assert (found.low, found.high) == pytest.approx(interval)
    assert found.rmse == pytest.approx(np.sqrt((difference**2).mean()))
    assert found.rmse_means == pytest.approx(np.sqrt((difference.mean(axis=0) ** 2).mean()))


def test_judged_is_a_share_of_what_was_shown() -> None:
    runs = {"a": {"1": {"x": 3.0, "y": 2.0, "z": 1.0}, "2": {"x": 1.0}}, "b": {"1": {"u": 2.0, "x": 1.0}}}
    qrels = {"1": {"x": 1, "y": -1}, "2": {"x": 0}, "3": {"q": 1}}
    assert judged_at(runs, qrels, k=2).shares.tolist() == [0.75, 0.5]
    with pytest.raises(CallError, match="k=0"):
        judged_at(runs, qrels, k=0)
