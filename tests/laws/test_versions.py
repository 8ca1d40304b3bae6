"""Versions of a board: who moved, came, left; the scale may be anchored anew."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from scipy.special import stdtr

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


def boards_of_tasks(old: slice, new: slice, seed: int, rise: float = 0.0) -> tuple[Scores, Scores]:
    """Eight systems on tasks of a board and of its next version, between which scores change a little."""
    rng = np.random.default_rng(seed)
    names = [f"task {i}" for i in range(60)]
    before = 50 + rng.normal(size=8) + rng.normal(size=(60, 1)) + 0.5 * rng.normal(size=(60, 8))
    after = before + 0.2 * rng.normal(size=(60, 8)) + rise * (np.arange(8) == 2)
    systems = list("abcdefgh")
    return Scores(before[old], names[old], systems), Scores(after[new], names[new], systems)


#: How much less sure a change is that is measured from the median of eight, and not from their mean.
MEDIAN = np.sqrt((1 + np.pi / 16 - 2 / 8) / (1 - 1 / 8))


def test_changes_on_the_same_tasks_are_those_of_the_paired_t_test() -> None:
    old, new = boards_of_tasks(slice(0, 30), slice(0, 30), 0, rise=0.2)
    found = compare_versions(old, new)
    difference = new.values - old.values
    difference -= difference.mean(axis=1, keepdims=True)  # the mean change is in the shift
    errors = dict(zip(old.systems, MEDIAN * difference.std(axis=0, ddof=1) / np.sqrt(30), strict=True))
    assert found.change_error.tolist() == pytest.approx([errors[name] for name in found.systems])
    at = found.systems.index("c")
    assert found.changed.tolist() == [name == "c" for name in found.systems]
    t = found.change[at] / found.change_error[at]
    assert found.p[at] == pytest.approx(8 * 2 * stdtr(29, -t))
    assert found.topics == 30
    assert "paired over 30 topics in both" in str(found)
    # Tasks in another order are the same tasks.
    turned = Scores(new.values[::-1], new.topics[::-1], new.systems)
    assert compare_versions(old, turned).p.tolist() == pytest.approx(found.p.tolist())


def test_tasks_that_one_version_has_add_their_own_noise() -> None:
    same, half, none = (
        compare_versions(*boards_of_tasks(slice(0, 30), slice(start, start + 30), 1)) for start in (0, 15, 30)
    )
    assert (same.topics, half.topics, none.topics) == (30, 15, 0)
    assert same.change_error.mean() < 0.5 * half.change_error.mean() < 0.5 * none.change_error.mean()
    assert "versions taken as independent" in str(none)


@pytest.mark.parametrize("start", [0, 15, 30])
def test_versions_without_a_change_have_none_beyond_chance(start: int) -> None:
    wrong = sum(
        compare_versions(*boards_of_tasks(slice(0, 30), slice(start, start + 30), seed)).changed.any()
        for seed in range(30)
    )
    assert wrong <= 6


def test_unchanged_scores_are_unchanged_whatever_others_do() -> None:
    old, _ = boards_of_tasks(slice(0, 30), slice(0, 30), 2)
    new = Scores(old.values + 0.3 * (np.arange(8) == 1), old.topics, old.systems)
    found = compare_versions(old, new)
    assert dict(zip(found.systems, found.changed.tolist(), strict=True)) == {s: s == "b" for s in old.systems}
    assert not compare_versions(old, old).changed.any()


def test_tasks_in_clusters_are_paired_by_cluster() -> None:
    old, new = boards_of_tasks(slice(0, 30), slice(0, 30), 3)
    clusters = {topic: f"family {i % 10}" for i, topic in enumerate(old.topics)}
    rows = [Scores(side.values, side.topics, side.systems, clusters=clusters) for side in (old, new)]
    found = compare_versions(rows[0], rows[1])
    difference = new.values - old.values
    difference -= difference.mean(axis=1, keepdims=True)
    means = np.array([difference[k::10].mean(axis=0) for k in range(10)])
    errors = dict(zip(old.systems, MEDIAN * means.std(axis=0, ddof=1) / np.sqrt(10), strict=True))
    assert found.change_error.tolist() == pytest.approx([errors[name] for name in found.systems])


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
