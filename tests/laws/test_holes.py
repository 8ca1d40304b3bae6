"""Boards with missing cells: with none missing nothing changes, with some every number says what it rests on."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.stats import kendalltau, ttest_rel

import tauscope as ts
from tauscope import Scores, TauscopeError
from tauscope.cli import main
from tauscope.data.holes import additive
from tauscope.errors import Option
from tauscope.measures import Table as MeasureTable

SHARED = Path(os.environ.get("TAUSCOPE_SHARED", Path(__file__).parents[3] / "shared"))
BOARD = SHARED / "data/real/mteb/board-holes.csv"


def board(seed: int = 1, topics: int = 20, systems: int = 24, holes: float = 0.08) -> Scores:
    rng = np.random.default_rng(seed)
    values = rng.normal(0.5, 0.15, (topics, 1)) + rng.normal(0, 0.08, systems) + rng.normal(0, 0.1, (topics, systems))
    values[rng.random(values.shape) < holes] = np.nan
    return Scores(values, systems=[f"s{i}" for i in range(systems)], missing="keep")


#: Every function with `missing=`, and its own way with holes.
CALLS: dict[str, tuple[str, Callable[..., Any]]] = {
    "expected_correlation": ("adjusted", ts.expected_correlation),
    "swaps": ("adjusted", lambda s, **n: ts.expected_correlation(s, interval=False, **n).swaps),
    "sensitivity": ("adjusted", lambda s, **n: ts.expected_correlation(s, interval=False, **n).sensitivity()),
    "topics_needed": ("adjusted", lambda s, **n: ts.expected_correlation(s, interval=False, **n).topics_needed(0.9)),
    "curve": ("adjusted", lambda s, **n: ts.expected_correlation(s, interval=False, **n).curve([30, 60])),
    "select_topics": ("adjusted", lambda s, **n: ts.measures.select_topics(s, 3, draws=2, **n)),
    "measure_correlations": ("pairwise", ts.measures.correlations),
    "rank_measures": ("pairwise", lambda s, **n: ts.measures.rank(s, keep=3, **n)),
}


@pytest.mark.parametrize("name", CALLS)
def test_holes_are_an_error_whose_ways_out_lead_out(name: str) -> None:
    rule, call = CALLS[name]
    scores = board(holes=0.01)
    with pytest.raises(TauscopeError, match="needs a score in every cell") as caught:
        call(scores)
    (way,) = caught.value.ways_out
    assert isinstance(way, Option)
    assert way.values == (rule, "zero", "drop-topics", "drop-systems")
    for value in way.values:
        assert str(call(scores, missing=value))


@pytest.mark.parametrize("name", CALLS)
def test_with_holes_a_result_says_what_it_rests_on_and_on_which_assumption(name: str) -> None:
    rule, call = CALLS[name]
    scores = board()
    result = call(scores, missing=rule)
    said = " ".join(str(result).split())
    assert f"{scores.holes} of {scores.values.size} cells " in said
    assert "taken as missing at random" in said
    assert "at least" in said
    assert "median" in said
    if name != "rank_measures":  # a dict of its own
        assert result.to_dict()["rests_on"]["missing"] == scores.holes


@pytest.mark.parametrize("name", CALLS)
def test_with_no_cell_missing_the_option_changes_nothing(name: str) -> None:
    rule, call = CALLS[name]
    scores = board(holes=0)
    assert str(call(scores, missing=rule)) == str(call(scores))
    assert "missing" not in str(call(scores))


def test_the_additive_model_of_a_complete_board_is_its_means() -> None:
    values = board(holes=0).values
    model = additive(values)
    assert model.systems == pytest.approx(values.mean(axis=0) - values.mean())
    assert model.topics == pytest.approx(values.mean(axis=1))
    rebuilt = model.systems + model.topics[:, None] + len(values) * model.influence
    assert rebuilt == pytest.approx(values)


def test_the_additive_model_is_least_squares_over_the_cells_that_are_there() -> None:
    values = board().values
    known = ~np.isnan(values)
    t, s = np.nonzero(known)
    design = np.zeros((len(t), sum(values.shape)))
    design[np.arange(len(t)), t] = 1
    design[np.arange(len(t)), len(values) + s] = 1
    found = np.linalg.lstsq(design, values[known], rcond=None)[0]
    effects = found[len(values) :] - found[len(values) :].mean()
    assert additive(values).systems == pytest.approx(effects)
    assert additive(values).influence.sum(axis=0) == pytest.approx(np.zeros(values.shape[1]), abs=1e-12)


def test_adjusted_means_undo_that_a_system_was_tried_on_hard_topics_only() -> None:
    topics, skill = np.linspace(0.9, 0.1, 20), np.array([0.05, 0.0, -0.05])
    values = topics[:, None] + skill + np.random.default_rng(1).normal(0, 1e-3, (20, 3))
    values[:10, 0] = np.nan  # the best one, on the hard half alone
    scores = Scores(values, systems=list("abc"), missing="keep")
    assert scores.ranking().groups()[0] == ("b",)
    assert ts.expected_correlation(scores, missing="adjusted").swaps.system == ("a", "b", "c")


def test_the_expected_correlation_with_holes_is_near_what_it_promises() -> None:
    rng = np.random.default_rng(3)
    promised, reached = [], []
    for _ in range(40):
        skill = rng.normal(0, 0.05, 12)
        values = skill + rng.normal(0, 0.15, (25, 1)) + rng.normal(0, 0.1, (25, 12))
        values[rng.random(values.shape) < rng.uniform(0, 0.6, 12)] = np.nan
        scores = Scores(values, missing="keep")
        promised.append(ts.expected_correlation(scores, missing="adjusted", interval=False).value)
        reached.append(kendalltau(additive(values).systems, skill)[0])
    assert np.mean(promised) == pytest.approx(np.mean(reached), abs=0.08)


def test_systems_that_share_nothing_are_not_compared() -> None:
    apart = np.full((6, 4), np.nan)
    apart[:3, :2] = np.random.default_rng(1).random((3, 2))
    apart[3:, 2:] = np.random.default_rng(2).random((3, 2))
    scores = Scores(apart, missing="keep")
    with pytest.raises(TauscopeError, match=r"'3', '4' share no topic with '1', not even by way of other systems"):
        ts.expected_correlation(scores, missing="adjusted")
    thin = board().values.copy()
    thin[1:, 0] = np.nan
    thin[0, 0] = 0.5
    found = ts.expected_correlation(Scores(thin, missing="keep"), missing="adjusted", interval=False)
    assert found.systems == 23
    assert "1 has one score only and is left out." in " ".join(str(found).split())


def test_two_systems_with_holes_are_the_paired_t_test_on_what_both_have() -> None:
    rng = np.random.default_rng(6)
    values = rng.normal(0, 0.1, (30, 1)) + rng.normal(0, 0.1, (30, 2)) + [0.1, 0]
    values[rng.random(values.shape) < 0.2] = np.nan
    scores = Scores(values, systems=["s0", "s1"], missing="keep")
    both = ~np.isnan(scores.values).any(axis=1)
    p = ttest_rel(*scores.values[both].T).pvalue
    assert 0.001 < p < 0.2
    for level in (1 - 1.01 * p, 1 - 0.99 * p):
        found = ts.rank(scores, level=level)
        apart = found["s0"] != (1, 2)
        assert apart == (p < 1 - level)
        assert (len(found.tiers) == 2) == apart
        assert (len(ts.rank(scores, level=1 - (1 - level) / 2).best_set()) == 1) == apart


def test_ranks_with_holes_count_the_topics_of_each_system_and_are_wider_than_those_of_one() -> None:
    scores = board(seed=4)
    found = ts.rank(scores)
    alone = [found.one(name) for name in found.systems]
    assert all(own.low >= own.joint_low and own.high <= own.joint_high for own in alone)
    assert dict(zip(found.systems, found.covered, strict=True))["s3"] == (~np.isnan(scores.values[:, 3])).sum()
    assert found.systems[0] in found.best_set()
    assert "Holm's correction" in found.methods_sentence()
    assert "Bonferroni's correction" in found.best_set().methods_sentence()


def test_correlations_are_those_over_the_systems_that_have_both() -> None:
    scores = board(systems=40, topics=6, holes=0.2)
    for coefficient in ("pearson", "tau_b", "tau_ap_a"):
        found = ts.measures.correlations(scores, coefficient=coefficient, missing="pairwise")
        for i, j in ((0, 1), (2, 5), (4, 3)):
            both = ~np.isnan(scores.values[[i, j]]).any(axis=0)
            pair = MeasureTable(scores.values[[i, j]][:, both].T, [str(k) for k in range(both.sum())], ["x", "y"])
            alone = ts.measures.correlations(pair, coefficient=coefficient)
            assert found.values[i, j] == pytest.approx(alone.values[0, 1])
            assert found.values[j, i] == pytest.approx(alone.values[1, 0])
            assert found.common is not None
            assert found.common[i, j] == both.sum()


def test_a_correlation_over_three_systems_is_impossible() -> None:
    values = np.random.default_rng(1).random((56, 60))
    for system in range(3, 60):
        values[system % 56, system] = np.nan
    values[0, 7:] = values[1, 3:53] = np.nan  # tasks 1 and 2: few have both
    scores = Scores(values, missing="keep")
    with pytest.raises(TauscopeError, match=r"too few to correlate 56 topics: 10 are needed") as caught:
        ts.measures.correlations(scores, coefficient="tau_b", missing="drop-systems")
    assert 'missing="pairwise"' in str(caught.value)
    found = ts.measures.correlations(scores, coefficient="tau_b", missing="pairwise")
    assert np.isnan(found.values[0, 1])
    assert found.values[0, 2] != found.values[0, 2]
    assert np.isfinite(found.values[3, 4])
    assert "fewer than 10 systems have both" in str(found)
    with pytest.raises(TauscopeError, match="in common, too few to say what they share"):
        ts.measures.rank(scores, missing="pairwise")
    few = ts.measures.correlations(Scores(np.random.default_rng(1).random((4, 3))))
    assert "Only 3 systems: over so few, high values are often chance" in str(few)


def test_measures_are_ranked_alike_when_a_few_cells_are_missing() -> None:
    rng = np.random.default_rng(5)
    values = rng.random((300, 5)) * [1, 2, 3, 4, 5]
    values[:, 1] = values[:, 4] * 0.4 + rng.random(300) * 0.01
    full = MeasureTable(values, [str(i) for i in range(300)], list("abcde"))
    values[rng.random(values.shape) < 0.02] = np.nan
    some = MeasureTable(values, full.systems, list("abcde"), missing="keep")
    assert ts.measures.rank(some, missing="pairwise").order == ts.measures.rank(full).order


def test_correlations_that_do_not_fit_together_are_brought_to_the_nearest_that_do() -> None:
    rng = np.random.default_rng(2)
    values = np.full((60, 3), np.nan)
    x = rng.random(20)
    for rows, (i, j), sign in ((slice(0, 20), (0, 1), 1), (slice(20, 40), (1, 2), 1), (slice(40, 60), (0, 2), -1)):
        values[rows, i], values[rows, j] = x, sign * x
    table = MeasureTable(values, [str(i) for i in range(60)], list("abc"), missing="keep")
    assert "do not fit together (eigenvalue -" in str(ts.measures.rank(table, missing="pairwise"))


def test_group_means_are_over_what_a_system_has_in_each_group() -> None:
    values = [[1.0, 2.0], [3.0, np.nan], [5.0, 7.0], [np.nan, 8.0], [np.nan, 9.0]]
    scores = Scores(values, topics=list("abcde"), systems=["x", "y"], missing="keep")
    groups = {"a": "one", "b": "one", "c": "two", "d": "three", "e": "three"}
    found = scores.aggregated("group-mean", groups)
    assert found.means() == pytest.approx([(2 + 5) / 2, (2 + 7 + 8.5) / 3])
    assert "1 system without any in some group" in found.notes[-1]


def test_the_shell_has_the_partial_ranking(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = board().write(tmp_path / "board.csv", layout="wide")
    assert main(["rank", str(path), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["facts"]["holes"] == board().holes
    for command in (
        ["rank"],
        ["expected"],
        ["expected", "--view", "plan:target=0.9"],
        ["measures", "correlate"],
        ["measures", "rank"],
        ["measures", "topics", "--keep", "2", "--draws", "1"],
    ):
        split = 2 if command[0] == "measures" else 1
        assert main([*command[:split], str(path), *command[split:], "--missing", "keep"]) == 0
        assert "taken as missing at random" in " ".join(capsys.readouterr().out.split())
    assert main(["rank", str(path), "--missing", "error"]) != 0
    assert "or keep to say what that means" in capsys.readouterr().err


@pytest.mark.skipif(not BOARD.exists(), reason=f"{BOARD} is not there: real boards are kept beside the project")
def test_a_real_board_with_holes_answers_every_question() -> None:
    scores = ts.Scores.read(BOARD, format="turned", missing="keep")
    assert scores.shape == (41, 259)
    assert len(ts.rank(scores).tiers) > 1
    for name in ("sensitivity", "measure_correlations", "rank_measures"):
        rule, call = CALLS[name]
        assert f"{scores.holes:,} of 10,619 cells " in str(call(scores, missing=rule))
    expected = ts.expected_correlation(scores, missing="adjusted", interval=False)
    assert 0.85 < expected.value < 0.98
