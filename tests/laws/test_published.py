"""Published scores: what intervals are understood, and that ranks are those of csranks."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tauscope import Published, Scores, TauscopeError, rank
from tauscope.errors import CallError, FileError
from tauscope.inference import relation as normal
from tauscope.inference.relation import NormalScores

Z = 1.959963984540054


@pytest.mark.parametrize(
    ("interval", "error"),
    [
        ("+5/-5", 5 / Z),
        ("+4/-6", 5 / Z),
        ("-6/+4", 5 / Z),
        ("± 1.2", 1.2 / Z),
        ("+/- 1.2", 1.2 / Z),
        ("±1.2%", 1.2 / Z),
        ("[95, 106]", 5.5 / Z),
        ("95 to 106", 5.5 / Z),
        ("95 – 106", 5.5 / Z),
        ((95, 106), 5.5 / Z),
        (2.0, 2 / Z),
        ("+0/-0", 0.0),
    ],
)
def test_intervals_are_read_as_boards_print_them(interval: Any, error: float) -> None:
    board = Published([100, 50], intervals=[interval, "± 1"])
    assert board.errors[0] == pytest.approx(error)


def test_the_level_of_the_intervals_matters() -> None:
    wide, narrow = (Published([2, 1], intervals=["± 1", "± 1"], level=level).errors[0] for level in (0.95, 0.68))
    assert narrow == pytest.approx(1 / 0.994457883, rel=1e-6)
    assert wide < narrow


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"errors": [1, -1]}, r"error of '2' is -1; errors are at least 0"),
        ({"errors": [1, np.inf]}, "at least 0, and finite"),
        ({"errors": [1]}, "2 scores and 1 error"),
        ({"intervals": ["+5/-5", "soon"]}, "is 'soon', which is none"),
        ({"intervals": [(8, 12), (5, np.inf)]}, "not finite"),
        ({"intervals": [(8, 9), (4, 6)]}, "does not contain its score, 10"),
        ({"covariance": [[1, 2], [2, 1]]}, "negative variance"),
        ({"covariance": [[1, 0.5], [0, 1]]}, "finite and symmetric"),
        ({"covariance": [[1]]}, "for 2 scores it is 2 x 2"),
        ({"items": 100}, "shares from 0 to 1"),
        ({"items": 0}, "at least 1"),
        ({}, "there is none of them"),
        ({"errors": [1, 1], "items": 3}, "there are errors and items"),
        ({"errors": [1, 1], "votes": 0}, "votes=0"),
    ],
)
def test_what_cannot_be_an_error_is_refused_with_the_reason(options: dict[str, Any], said: str) -> None:
    with pytest.raises(TauscopeError, match=said):
        Published([10, 5], **options)


def test_accuracies_have_binomial_errors() -> None:
    board = Published({"a": 0.8, "b": 0.5, "c": 1.0}, items=[100, 400, 50])
    assert board.systems == ("c", "a", "b")
    assert board.errors[1:] == pytest.approx([0.04, 0.025])
    assert board.errors[0] == pytest.approx(np.sqrt((52 / 54) * (2 / 54) / 54))
    assert "1 accuracy of 0 or 1" in board.notes[0]
    assert rank(board).independent_errors
    assert "assumed to be independent" in rank(board).methods_sentence()


def test_a_covariance_tells_apart_what_independent_errors_cannot() -> None:
    scores = {"a": 1.0, "b": 0.9}
    together = Published(scores, covariance=[[0.01, 0.0099], [0.0099, 0.01]])
    apart = Published(scores, errors=[0.1, 0.1])
    assert rank(together)["a"] == (1, 1)
    assert rank(apart)["a"] == (1, 2)
    assert not together.independent


def test_lower_is_better_turns_the_board_round() -> None:
    board = Published({"a": 3.0, "b": 1.0}, errors=[0.1, 0.1], lower_is_better=True)
    assert board.systems == ("b", "a")
    assert rank(board)["b"] == (1, 1)
    assert board.ranking().ranks().tolist() == [1, 2]


def test_a_file_names_its_columns_and_states_its_level(tmp_path: Path) -> None:
    path = tmp_path / "board.csv"
    path.write_text(
        "rank,model,arena_score,90_pct_ci,votes\n1,x,1470,+5/-5,100\n2,y,1446,+6/-6,60\n2,y,1446,+6/-6,60\n", "utf-8"
    )
    board = Published.read(path)
    assert board.systems == ("x", "y")
    assert board.errors[0] == pytest.approx(5 / 1.6448536)
    assert board.votes == 80
    assert "1 row that repeated a system left out: 'y'" in board.notes
    limits = [
        {"name": "x", "rating": 5, "ci_low": 4, "ci_high": 6},
        {"name": "y", "rating": 3, "ci_low": 2, "ci_high": 4},
    ]
    assert Published.read(limits).errors == pytest.approx(1 / Z)
    accuracy = [
        {"model": "x", "accuracy": 0.5, "n": 100},
        {"model": "y", "accuracy": None, "n": 100},
        {"model": "z", "accuracy": 0.1, "n": 9},
    ]
    assert Published.read(accuracy).systems == ("x", "z")
    with pytest.raises(FileError, match="no column says how sure the scores are"):
        Published.read([{"model": "x", "score": 1}])
    with pytest.raises(FileError, match="no column holds the scores"):
        Published.read([{"model": "x", "points": 1}])
    with pytest.raises(FileError, match="there twice, in rows 1 and 2, with different scores"):
        Published.read([{"model": "x", "score": 1, "se": 1}, {"model": "x", "score": 2, "se": 1}])


def csranks(shared: Path, name: str) -> list[dict[str, str]]:
    with (shared / "cases" / "csranks" / f"{name}.csv").open(encoding="utf-8") as file:
        return list(csv.DictReader(file))


@pytest.mark.parametrize("subject", ["math", "reading", "science"])
def test_ranks_on_pisa_are_those_of_csranks_within_one(shared: Path, subject: str) -> None:
    rows = csranks(shared, f"pisa_{subject}")
    names = [f"c{i}" for i in range(len(rows))]
    scores = dict(zip(names, (float(row["estimate"]) for row in rows), strict=True))
    board = Published(scores, errors=[float(row["standard_error"]) for row in rows])
    ranks = rank(board)
    stored = dict(zip(names, rows, strict=True))
    for place, name in enumerate(ranks.systems):
        row = stored[name]
        assert abs(ranks.low[place] - int(row["lower"])) <= 1
        assert abs(ranks.high[place] - int(row["upper"])) <= 1
        # Of one system only, limits depend on the draws of both: two ranks at most, and seldom more than one.
        alone = ranks.one(name)
        assert abs(alone.low - int(row["marginal_lower"])) <= 2
        assert abs(alone.high - int(row["marginal_upper"])) <= 2
    widths = [int(row["upper"]) - int(row["lower"]) for row in rows]
    assert float((ranks.high - ranks.low).mean()) == pytest.approx(np.mean(widths), abs=0.4)
    # Our set tests each system against all others by itself; theirs takes the lower limits that hold for all at once.
    theirs = {name for name, row in stored.items() if row["could_be_best"] == "TRUE"}
    assert set(ranks.best_set().members) <= theirs
    assert ranks.systems[0] in ranks.best_set()
    assert len(set(ranks.winners) ^ theirs) <= 1


def trec_limits(shared: Path, name: str, columns: int = 40) -> tuple[np.ndarray, np.ndarray]:
    """Limits at once from the means and their covariance, ours and those of csranks: low and high x systems."""
    rows = csranks(shared, name)
    values = np.loadtxt(shared / "data" / "trec" / f"{name}.csv", delimiter=",", skiprows=1)
    kept: list[int] = []
    for k in range(values.shape[1]):
        if not any((values[:, k] == values[:, c]).all() for c in kept):
            kept.append(k)
    values = values[:, kept[:columns]]
    normals = NormalScores.of(tuple(map(str, range(columns))), values.mean(axis=0), np.cov(values.T) / len(values))
    better = normal.better(normals, 0.95, 0)
    ours = np.stack((1 + better.sum(axis=0), columns - better.sum(axis=1)))
    return ours, np.array([[int(row[side]) for row in rows] for side in ("lower", "upper")])[:, normals.order]


TREC = ("adhoc5_p10", "adhoc7_ap", "web2010_ndcg20")


@pytest.mark.parametrize("name", TREC)
def test_ranks_on_trec_are_those_of_csranks(shared: Path, name: str) -> None:
    ours, theirs = trec_limits(shared, name)
    assert np.abs(ours - theirs).max() <= 2
    assert np.ptp(ours, axis=0).mean() == pytest.approx(np.ptp(theirs, axis=0).mean(), rel=0.01)


def test_ranks_on_trec_are_on_average_not_wider_than_those_of_csranks(shared: Path) -> None:
    widths = [[np.ptp(side, axis=0).mean() for side in trec_limits(shared, name)] for name in TREC]
    ours, theirs = np.mean(widths, axis=0)
    assert ours <= theirs + 1e-9


def test_ranks_of_one_system_lie_inside_simultaneous_ones_and_widen_with_the_level() -> None:
    rng = np.random.default_rng(3)
    board = Published(rng.normal(size=15), errors=rng.uniform(0.1, 0.4, 15))
    narrow, wide = rank(board, level=0.8), rank(board, level=0.99)
    for ranks in (narrow, wide):
        alone = [ranks.one(name) for name in ranks.systems]
        assert all(own.low >= own.joint_low and own.high <= own.joint_high for own in alone)
        assert {name for tier in ranks.tiers for name in tier} == set(ranks.systems)
        assert ranks.tier[0] == 1
        assert all(ranks.letters)
    assert (wide.low <= narrow.low).all()
    assert (wide.high >= narrow.high).all()
    assert str(rank(board, rng=5)) == str(rank(board, rng=5))
    assert json.loads(json.dumps(narrow.to_dict()))["level"] == 0.8


def test_scores_without_errors_are_known() -> None:
    ranks = rank(Published({"a": 2.0, "b": 1.0, "c": 1.0}, errors=[0, 0, 0]))
    assert ranks.low.tolist() == [1, 2, 2]
    assert ranks.high.tolist() == [1, 3, 3]
    assert ranks.rank.tolist() == [1, 2, 2]
    assert ranks.neighbours.significant_alone == ranks.significant_neighbours == 1


def test_more_votes_bring_the_expected_tau_that_they_promise() -> None:
    rng = np.random.default_rng(4)
    truth = rng.normal(size=30)
    board = Published(truth + 0.5 * rng.normal(size=30), errors=[0.5] * 30, votes=1000)
    ranks = rank(board)
    assert ranks.votes_needed(0.9) > 1000
    assert ranks.votes_needed(ranks.expected_tau().value) == 1000
    assert ranks.votes_needed(0.999999) == np.inf
    with pytest.raises(CallError, match="target=2"):
        ranks.votes_needed(2)
    unknown = Published(truth, errors=[0.5] * 30)
    assert np.isnan(rank(unknown).votes_needed(0.9))


def test_neighbours_are_tested_by_the_paired_t_test_and_copies_are_said() -> None:
    from scipy.stats import ttest_rel

    rng = np.random.default_rng(5)
    values = rng.normal(size=(30, 5)) * 0.1 + np.linspace(1, 0, 5) + rng.normal(size=(30, 1))
    values = np.column_stack((values, values[:, 2]))
    found = rank(Scores(values, systems=["a", "b", "c", "d", "e", "copy"])).neighbours
    assert found.above[:3] == ("a", "b", "c")
    assert found.p[0] == pytest.approx(ttest_rel(values[:, 0], values[:, 1]).pvalue)
    assert found.p[2] == 1
    assert found.identical.tolist() == [False, False, True, False, False]
    assert found.copies == 1
    assert "with identical scores" in " ".join(str(found).split())
    assert found.significant_alone == 4
