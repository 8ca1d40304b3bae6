"""Rank intervals, the set of possible bests, tiers and sensitivity."""

from __future__ import annotations

import math

import numpy as np
import pytest

from tauscope import (
    CallError,
    PublishedScores,
    Scores,
    TauscopeError,
    best_set,
    expected_correlation,
    neighbours,
    partial_ranking,
    rank_intervals,
    sensitivity,
    tiers,
)
from tauscope.expected.from_tests import tiers_of
from tauscope.expected.paired import paired_scores
from tauscope.expected.sensitivity import reliability_coefficients
from tauscope.inference.observed import Observed, observed_scores, shared_observations
from tauscope.inference.pair_tests import student_p
from tauscope.inference.sign_flips import exceeded_p, significantly_better


def scores_with_gaps(gaps: list[float], seed: int = 0, topics: int = 40) -> Scores:
    """Systems a, b, c, … whose true means lie these gaps below the first."""
    rng = np.random.default_rng(seed)
    values = 1 - np.array(gaps) + rng.normal(size=(topics, 1)) + 0.1 * rng.normal(size=(topics, len(gaps)))
    return Scores(values, systems=[chr(97 + i) for i in range(len(gaps))], measure="AP")


CLEAR = [0.0, 1.0, 2.0, 3.0]
TWO_TIERS = [0.0, 0.01, 0.02, 1.0, 1.01]


@pytest.mark.parametrize("simultaneous", [False, True])
def test_systems_that_are_far_apart_have_one_rank(simultaneous: bool) -> None:
    found = rank_intervals(scores_with_gaps(CLEAR), simultaneous=simultaneous, rng=1)
    assert found.systems == ("a", "b", "c", "d")
    assert found.low.tolist() == found.high.tolist() == [1, 2, 3, 4]
    assert found["c"] == (3, 3)
    with pytest.raises(TauscopeError, match="no system 'z'"):
        found["z"]


@pytest.mark.parametrize("simultaneous", [False, True])
def test_systems_that_are_close_share_their_ranks(simultaneous: bool) -> None:
    found = rank_intervals(scores_with_gaps(TWO_TIERS), simultaneous=simultaneous, rng=1)
    for system in "de":
        assert found[system] == (4, 5)
    for system in "abc":
        assert found[system][0] >= 1
        assert found[system][1] <= 3
    assert (found.low <= found.rank).all()
    assert (found.rank <= found.high).all()


def test_all_at_once_is_wider_than_each_alone() -> None:
    scores = Scores(np.random.default_rng(3).normal(size=(30, 12)) + np.linspace(0, 1, 12))
    alone, at_once = (rank_intervals(scores, simultaneous=choice, rng=1) for choice in (False, True))
    assert (at_once.high - at_once.low).sum() > (alone.high - alone.low).sum()


def test_marginal_intervals_by_draws_say_that_they_hold_on_average_over_the_systems() -> None:
    """Of twenty close systems the truly best one is held on .37 to .77 of boards of five to ten topics."""
    note = "marginal intervals by draws hold on average over systems, and less often for the best of close ones"
    scores = scores_with_gaps(TWO_TIERS)
    drawn = rank_intervals(scores)
    assert note in str(drawn)
    assert note in drawn.methods_sentence()
    assert note not in str(rank_intervals(scores, by="tests"))
    assert note not in str(rank_intervals(scores, simultaneous=True))


def test_marginal_intervals_of_fewer_than_ten_topics_say_that_they_promise_too_much() -> None:
    """They hold .91 of the ranks of twenty close systems with five and with seven topics, and .945 with ten."""
    few = "topics these intervals hold less often than they say"
    assert f"with 9 {few}" in str(rank_intervals(scores_with_gaps(CLEAR, topics=9)))
    assert few not in str(rank_intervals(scores_with_gaps(CLEAR, topics=10)))


def test_identical_systems_have_the_same_ranks() -> None:
    values = scores_with_gaps(CLEAR).values
    doubled = Scores(np.concatenate((values, values[:, 1:2]), axis=1))
    for simultaneous in (False, True):
        found = rank_intervals(doubled, simultaneous=simultaneous, rng=1)
        assert found["2"] == found["5"] == (2, 3)


def test_the_best_set_has_the_leader_and_whoever_is_near_it() -> None:
    assert best_set(scores_with_gaps(CLEAR), rng=1).systems == ("a",)
    near = best_set(scores_with_gaps(TWO_TIERS), rng=1)
    assert "a" in near or "b" in near or "c" in near
    assert "d" not in near
    assert "e" not in near
    noise = best_set(Scores(np.random.default_rng(1).normal(size=(20, 6))), level=0.999, rng=1)
    assert len(noise) == 6


def test_tiers_open_with_the_first_system_significantly_worse_than_the_leader() -> None:
    found = tiers(scores_with_gaps(TWO_TIERS), rng=1)
    assert [set(tier) for tier in found.tiers] == [set("abc"), set("de")]
    assert found["e"] == 2
    assert len(tiers(scores_with_gaps(CLEAR), rng=1)) == 4


@pytest.mark.parametrize("holes", [False, True])
@pytest.mark.parametrize("seed", range(6))
def test_contiguous_tiers_follow_the_ranking_and_all_below_one_are_worse_than_its_first(seed: int, holes: bool) -> None:
    # Systems that vary much and little, so that plain tiers cross the ranks.
    rng = np.random.default_rng(seed)
    values = np.linspace(0, 2.5, 14) + rng.normal(size=(30, 14)) * rng.choice([0.2, 2.5], 14)
    values[rng.random(values.shape) < 0.1 * holes] = np.nan
    scores = Scores(values, missing="keep")
    missing = "pairwise" if holes else "error"
    plain, found = (tiers(scores, contiguous=own, letters=True, missing=missing, rng=1) for own in (False, True))
    ranking = list(rank_intervals(scores, simultaneous=True, missing=missing, rng=1).systems)
    assert [name for tier in found.tiers for name in tier] == ranking
    if holes:
        order, paired = ranking, paired_scores(scores, "tiers")
        better = paired.better(0.95)
        assert list(paired.names) == order
    else:
        observed = Observed.named(scores.values, scores.systems)
        order = [scores.systems[i] for i in observed.order]
        better = significantly_better(observed, 0.95, 1)
    for tier in found.tiers:
        first, last = order.index(tier[0]), order.index(tier[-1])
        assert better[first, last + 1 :].all()
        assert not better[first, last]
    assert found.tiers[0][-1] == [name for name in ranking if name in plain.tiers[0]][-1]
    assert (len(found) <= len(plain), found.letters) == (True, plain.letters)
    follows = [name for tier in plain.tiers for name in tier] == ranking
    assert (found.tiers == plain.tiers) is follows
    words = str(tiers(scores, contiguous=True, missing=missing, rng=1))
    assert words.startswith(f"{len(found)} contiguous tiers over 30 topics; 1: {found.tiers[0][0]}")
    assert "the first of each tier is better than all systems of the tiers below" in words


def test_the_laws_of_contiguous_tiers_were_tried_on_tiers_that_cross_the_ranks() -> None:
    better = np.zeros((5, 5), bool)
    better[0, [1, 3, 4]] = better[1, 3] = better[2, 4] = True
    assert tiers_of(better, list("abcde")) == (("a", "c"), ("b", "e"), ("d",))
    assert tiers_of(better, list("abcde"), contiguous=True) == (("a", "b", "c"), ("d", "e"))
    follows = np.triu(np.ones((3, 3), bool), 1)
    assert tiers_of(follows, list("abc"), contiguous=True) == tiers_of(follows, list("abc")) == (("a",), ("b",), ("c",))


@pytest.mark.parametrize("holes", [False, True])
def test_boards_have_the_same_contiguous_tiers(holes: bool) -> None:
    rng = np.random.default_rng(3)
    but = {"tiers": None, "methods_sentence": None}  # which counts them
    if holes:
        values = np.linspace(0, 2, 12) + rng.normal(size=(40, 12)) * rng.choice([0.2, 2.5], 12)
        values[rng.random(values.shape) < 0.2] = np.nan
        scores = Scores(values, missing="keep")
        plain = partial_ranking(scores)
        found = plain.with_contiguous_tiers()
        assert found.tiers == tiers(scores, missing="pairwise", contiguous=True).tiers
        assert found.to_dict() | but == plain.to_dict() | but
    else:
        board = PublishedScores(np.linspace(0, 2, 12), errors=rng.choice([0.05, 0.6], 12)).ranks()
        found = board.with_contiguous_tiers()
        # Letters say who is told apart: two that share none.
        apart = [[not set(found.letters[a]) & set(found.letters[b]) for b in found.systems] for a in found.systems]
        assert found.tiers == tiers_of(np.triu(np.array(apart), 1), found.systems, contiguous=True) != board.tiers
        assert found.to_dict() | but == board.to_dict() | but
        assert [found.tier[name] for name in found.systems] == sorted(found.tier.values())
    assert [name for tier in found.tiers for name in tier] == list(found.systems)


def test_letters_are_shared_unless_systems_differ() -> None:
    scores = scores_with_gaps([0.0, 0.04, 0.08, 0.12, 0.16, 1.0], topics=60)
    found = tiers(scores, letters=True, rng=1)
    assert found.letters is not None
    observed = Observed.of(scores.values)
    better = significantly_better(observed, 0.95, 1)
    names = [scores.systems[i] for i in observed.order]
    for i, first in enumerate(names):
        for j in range(i + 1, len(names)):
            further_apart = better[: i + 1, j:].all()
            assert bool(set(found.letters[first]) & set(found.letters[names[j]])) != further_apart
    assert found.letters["f"] not in found.letters["a"]
    assert "letters" in found.columns()


def test_only_pairs_that_differ_by_themselves_differ_among_all() -> None:
    scores = Scores(np.random.default_rng(5).normal(size=(25, 10)) * 0.5 + np.linspace(0, 2, 10))
    observed = Observed.of(scores.values)
    found = significantly_better(observed, 0.95, 4)[observed.pairs]
    assert (student_p(observed)[found] < 0.05).all()
    assert found.any()
    assert not found.all()


@pytest.mark.parametrize("topics", [5, 10, 40])
def test_few_topics_promise_no_more_than_many(topics: int) -> None:
    # No real difference: any significant pair is a mistake, and so is a best set without a given system.
    rng = np.random.default_rng(topics)
    found, lost = 0, 0
    for trial in range(150):
        observed = Observed.of(rng.normal(size=(topics, 1)) + rng.normal(size=(topics, 8)))
        found += bool(significantly_better(observed, 0.95, trial, draws=300).any())
        lost += bool(exceeded_p(observed, trial, draws=300)[observed.order.tolist().index(0)] < 0.05)
    assert found <= 16  # 7.5 expected; more than 16 has probability 0.002
    assert lost <= 16


def test_all_systems_equal_are_told_apart_in_at_most_five_percent() -> None:
    # Twenty systems, no real difference, 200 collections: any significant pair is a mistake.
    rng = np.random.default_rng(9)
    mistakes = 0
    for trial in range(200):
        values = rng.normal(size=(20, 1)) + rng.standard_t(6, size=(20, 8))
        mistakes += bool(significantly_better(Observed.of(values), 0.95, trial, draws=400).any())
    assert mistakes <= 200 * 0.05 + 3 * math.sqrt(200 * 0.05 * 0.95)


def test_the_truly_best_system_is_in_its_set_and_ranks_are_in_their_intervals() -> None:
    rng = np.random.default_rng(21)
    truth = np.linspace(0, 1, 8)
    kept, alone, at_once = 0, [], 0
    for trial in range(100):
        scores = Scores(truth + rng.normal(size=(25, 1)) + rng.normal(size=(25, 8)))
        kept += "8" in best_set(scores, rng=trial)
        for simultaneous in (False, True):
            found = rank_intervals(scores, simultaneous=simultaneous, rng=trial)
            true_rank = np.array([9 - int(name) for name in found.systems])
            inside = (found.low <= true_rank) & (true_rank <= found.high)
            if simultaneous:
                at_once += bool(inside.all())
            else:
                alone.append(inside.mean())
    assert kept >= 89  # 95 % less three standard errors
    assert at_once >= 89
    assert 0.91 <= np.mean(alone) <= 0.995


def test_sensitivity_is_what_new_topics_show() -> None:
    # Two systems whose observed difference is just the one found keep their order on new topics in 95 % of the cases.
    rng = np.random.default_rng(2)
    scores = Scores(rng.normal(size=(50, 30)) + rng.normal(size=30))
    found = sensitivity(scores, error=0.05)
    g, s = found.g, math.sqrt(2)
    delta = g * found.difference + math.sqrt(g * s * s / 50) * rng.normal(size=200_000)
    again = delta + s / math.sqrt(50) * rng.normal(size=200_000)
    assert np.mean(again < 0) == pytest.approx(0.05, abs=0.01)
    assert sensitivity(scores, error=0.01).difference > found.difference
    assert 0 < found.pairs < found.all_pairs
    for error in (0, 0.5, 5):
        with pytest.raises(CallError, match="error"):
            sensitivity(scores, error=error)


def test_reliability_coefficients_are_those_of_the_variance_components() -> None:
    rng = np.random.default_rng(3)
    n, m = 2000, 300
    values = 0.5 * rng.normal(size=m) + 0.8 * rng.normal(size=(n, 1)) + rng.normal(size=(n, m))
    observed = Observed.of(values[:20])
    g, phi = reliability_coefficients(observed)
    assert g == pytest.approx(observed.raw_reliability, abs=1e-12)
    assert g == pytest.approx(0.25 / (0.25 + 1 / 20), abs=0.03)
    assert phi < g
    _, phi = reliability_coefficients(Observed.of(values))
    assert phi == pytest.approx(0.25 / (0.25 + 1.64 / n), abs=0.01)


@pytest.mark.parametrize("function", [rank_intervals, best_set, tiers, sensitivity])
def test_one_system_or_one_topic_is_an_error_that_says_so(function: object) -> None:
    for values in ([[0.1], [0.2]], [[0.1, 0.2]]):
        with pytest.raises(TauscopeError, match="two systems and two topics"):
            function(Scores(values))  # type: ignore[operator]


def test_results_have_three_lines_tables_and_pictures() -> None:
    scores = scores_with_gaps(TWO_TIERS)
    for found in (
        rank_intervals(scores, rng=1),
        rank_intervals(scores, simultaneous=True, rng=1),
        best_set(scores, rng=1),
        tiers(scores, rng=1),
        tiers(scores, letters=True, rng=1),
        sensitivity(scores),
    ):
        assert 2 <= len(str(found).splitlines()) <= 3
        assert len(found.to_frame("pandas")) >= 1
        assert found.plot().to_dict()["config"]
        assert found.to_dict()
        assert isinstance(found.cite(), str)


def test_charts_of_the_best_and_of_tiers_have_every_name_with_its_mean() -> None:
    scores = scores_with_gaps(TWO_TIERS)
    means = dict(zip(scores.systems, scores.means(), strict=True))
    for found, groups in ((best_set(scores, rng=1), "yes yes yes no no"), (tiers(scores, rng=1), "1 1 1 2 2")):
        chart = found.plot().to_dict()
        rows = chart["data"]["values"] if "values" in chart["data"] else chart["datasets"][chart["data"]["name"]]
        assert [row["label"] for row in sorted(rows, key=lambda row: -row["at"])] == sorted(
            means, key=lambda s: -means[s]
        )
        assert {row["label"]: row["at"] for row in rows} == pytest.approx(means)
        assert [row["group"] for row in rows] == groups.split()
        assert chart["width"] <= 500
        assert chart["height"] >= 12 * len(rows)


def test_questions_that_share_what_they_need_have_the_same_answers() -> None:
    scores = scores_with_gaps(TWO_TIERS)

    def answers() -> list[object]:
        return [
            tiers(scores, rng=1).to_dict(),
            rank_intervals(scores, simultaneous=True, rng=1).to_dict(),
            best_set(scores, rng=1).to_dict(),
            expected_correlation(scores, "tau", rng=1).to_dict(),
            expected_correlation(scores, "tau_ap", rng=1).to_dict(),
            neighbours(scores, rng=2).to_dict(),
        ]

    alone = answers()
    with shared_observations():
        first = observed_scores(scores, "a test")
        assert observed_scores(scores, "a test") is first
        assert answers() == alone == answers()
    assert observed_scores(scores, "a test") is not first
