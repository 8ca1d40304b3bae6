"""Versions of a board: who moved, came, left; the scale may be anchored anew."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from tauscope import CallError, FileError, PublishedScores, Scores, TauscopeError, board_history, compare_versions


def board(scores: dict[str, float], error: float = 0.1) -> PublishedScores:
    return PublishedScores(scores, errors=[error] * len(scores))


OLD = {"a": 9.0, "b": 7.0, "c": 5.0, "d": 3.0, "gone": 1.0}


def test_a_common_shift_moves_nobody() -> None:
    new = {name: score + 40 for name, score in OLD.items()}
    found = compare_versions(board(OLD), board(new))
    assert found.shift == pytest.approx(40)
    assert not found.changed.any()
    assert not found.moved.any()
    assert found.tau == 1


def test_who_rose_fell_came_and_left_is_told() -> None:
    new = {"d": 19.0, "a": 18.8, "b": 17.0, "c": 15.0, "new": 30.0}
    found = compare_versions(board(OLD), board(new), names=("May", "June"))
    assert found.systems == ("d", "a", "b", "c")
    assert found.rose == ("d",)
    assert set(found.fell) == {"b", "c"}
    assert found.entered == ("new",)
    assert found.left == ("gone",)
    assert [name for name, yes in zip(found.systems, found.changed, strict=True) if yes] == ["d"]
    assert str(found).startswith("May to June: of 4 systems in both, 1 rose (d) and 2 fell")
    assert json.loads(json.dumps(found.to_dict()))["shift"] == pytest.approx(10)


def test_noise_is_no_move() -> None:
    rng = np.random.default_rng(0)
    moved = changed = 0
    for _ in range(20):
        truth = rng.normal(size=12)
        sides = [{f"s{i}": x for i, x in enumerate(truth + 0.3 * rng.normal(size=12))} for _ in range(2)]
        found = compare_versions(board(sides[0], 0.3), board(sides[1], 0.3))
        moved += bool(found.moved.any())
        changed += bool(found.changed.any())
    assert moved <= 3
    assert changed <= 4


def test_scores_on_topics_are_versions_too() -> None:
    rng = np.random.default_rng(1)
    values = np.array([0.5, 0.0, -0.5]) + 0.1 * rng.normal(size=(20, 3))
    found = compare_versions(Scores(values), Scores(values[:, ::-1]))
    assert found.rose == ("3",)
    assert found.fell == ("1",)


def test_a_folder_of_dated_files_is_a_history(tmp_path: Path) -> None:
    head = "model,score,se\n"
    (tmp_path / "2024.07.07-board.csv").write_text(head + "x,5,0.1\ny,3,0.1\n", "utf-8")
    (tmp_path / "2025-08-04.csv").write_text(head + "x,5,0.1\ny,9,0.1\nz,4,0.1\n", "utf-8")
    (tmp_path / "notes.txt").write_text("nothing", "utf-8")
    found = board_history(tmp_path)
    assert found.dates == ("2024-07-07", "2025-08-04")
    assert found.leaders == ("x", "y")
    assert found.systems == ("y", "x", "z")
    assert np.isnan(found.rank[0]).tolist() == [False, False, True]
    assert found.changes[0].entered == ("z",)
    assert len(found.columns()["date"]) == 5
    assert found.plot().to_dict()


def test_wrong_versions_are_errors_with_reasons(tmp_path: Path) -> None:
    with pytest.raises(TauscopeError, match="share 0 systems"):
        compare_versions(board({"a": 1.0, "b": 2.0}), board({"c": 1.0, "d": 2.0}))
    with pytest.raises(FileError, match="0 files with a date"):
        board_history(tmp_path)
    with pytest.raises(CallError, match="at least two boards"):
        board_history({"one": board(OLD)})
    with pytest.raises(CallError, match="takes Scores, PublishedScores"):
        compare_versions({"a": 1}, board(OLD))
