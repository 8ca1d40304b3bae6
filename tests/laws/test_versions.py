"""Versions of a board: who moved, came, left; the scale may be anchored anew."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from scipy.special import stdtr

from tauscope import Published, Scores, TauscopeError, versions
from tauscope.boards.versions import Step
from tauscope.errors import CallError, FileError


def board(scores: dict[str, float], error: float = 0.1) -> Published:
    return Published(scores, errors=[error] * len(scores))


def step(old: object, new: object, names: tuple[str, str] = ("old", "new")) -> Step:
    return versions(dict(zip(names, (old, new), strict=True))).steps[0]


OLD = {"a": 9.0, "b": 7.0, "c": 5.0, "d": 3.0, "gone": 1.0}


def test_a_common_shift_moves_nobody() -> None:
    new = {name: score + 40 for name, score in OLD.items()}
    found = step(board(OLD), board(new))
    assert found.shift == pytest.approx(40)
    assert not found.changed.any()
    assert not found.moved.any()
    assert found.tau == 1


def test_who_rose_fell_came_and_left_is_told() -> None:
    new = {"d": 19.0, "a": 18.8, "b": 17.0, "c": 15.0, "new": 30.0}
    found = step(board(OLD), board(new), names=("May", "June"))
    assert found.systems == ("d", "a", "b", "c")
    assert found.rose == ("d",)
    assert set(found.fell) == {"b", "c"}
    assert found.entered == ("new",)
    assert found.left == ("gone",)
    assert [name for name, yes in zip(found.systems, found.changed, strict=True) if yes] == ["d"]
    result = versions({"May": board(OLD), "June": board(new)})
    assert "Ranks changed. d rose, and b and c fell beyond chance." in str(result)
    assert json.loads(json.dumps(result.to_dict()))["changes"][0]["shift"] == pytest.approx(10)


def test_noise_is_no_move() -> None:
    rng = np.random.default_rng(0)
    moved = changed = 0
    for _ in range(20):
        truth = rng.normal(size=12)
        sides = [{f"s{i}": x for i, x in enumerate(truth + 0.3 * rng.normal(size=12))} for _ in range(2)]
        found = step(board(sides[0], 0.3), board(sides[1], 0.3))
        moved += bool(found.moved.any())
        changed += bool(found.changed.any())
    assert moved <= 3
    assert changed <= 4


def test_scores_on_topics_are_versions_too() -> None:
    rng = np.random.default_rng(1)
    values = np.array([0.5, 0.0, -0.5]) + 0.1 * rng.normal(size=(20, 3))
    found = step(Scores(values), Scores(values[:, ::-1]))
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
    found = step(old, new)
    difference = new.values - old.values
    difference -= difference.mean(axis=1, keepdims=True)  # the mean change is in the shift
    errors = dict(zip(old.systems, MEDIAN * difference.std(axis=0, ddof=1) / np.sqrt(30), strict=True))
    assert found.change_error.tolist() == pytest.approx([errors[name] for name in found.systems])
    at = found.systems.index("c")
    assert found.changed.tolist() == [name == "c" for name in found.systems]
    t = found.change[at] / found.change_error[at]
    assert found.p[at] == pytest.approx(8 * 2 * stdtr(29, -t))
    assert found.topics == 30
    assert "paired over the 30 topics in both" in versions([old, new]).methods_sentence()
    # Tasks in another order are the same tasks.
    turned = Scores(new.values[::-1], new.topics[::-1], new.systems)
    assert step(old, turned).p.tolist() == pytest.approx(found.p.tolist())


def test_tasks_that_one_version_has_add_their_own_noise() -> None:
    same, half, none = (step(*boards_of_tasks(slice(0, 30), slice(start, start + 30), 1)) for start in (0, 15, 30))
    assert (same.topics, half.topics, none.topics) == (30, 15, 0)
    assert same.change_error.mean() < 0.5 * half.change_error.mean() < 0.5 * none.change_error.mean()
    apart = versions(boards_of_tasks(slice(0, 30), slice(30, 60), 1))
    assert "versions taken as independent" in apart.methods_sentence()


@pytest.mark.parametrize("start", [0, 15, 30])
def test_versions_without_a_change_have_none_beyond_chance(start: int) -> None:
    wrong = sum(
        step(*boards_of_tasks(slice(0, 30), slice(start, start + 30), seed)).changed.any() for seed in range(30)
    )
    assert wrong <= 6


def test_unchanged_scores_are_unchanged_whatever_others_do() -> None:
    old, _ = boards_of_tasks(slice(0, 30), slice(0, 30), 2)
    new = Scores(old.values + 0.3 * (np.arange(8) == 1), old.topics, old.systems)
    found = step(old, new)
    assert dict(zip(found.systems, found.changed.tolist(), strict=True)) == {s: s == "b" for s in old.systems}
    assert not step(old, old).changed.any()


def test_tasks_in_clusters_are_paired_by_cluster() -> None:
    old, new = boards_of_tasks(slice(0, 30), slice(0, 30), 3)
    clusters = {topic: f"family {i % 10}" for i, topic in enumerate(old.topics)}
    rows = [Scores(side.values, side.topics, side.systems, clusters=clusters) for side in (old, new)]
    found = step(rows[0], rows[1])
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
    found = versions(tmp_path)
    assert found.names == ("2024-07-07", "2025-08-04")
    assert found.leaders == ("x", "y")
    assert found.systems == ("y", "x", "z")
    assert np.isnan(found.rank[0]).tolist() == [False, False, True]
    assert found.steps[0].entered == ("z",)
    assert found.columns()["system"] == ["y", "x"]
    assert found.plot().has_data()


def test_wrong_versions_are_errors_with_reasons(tmp_path: Path) -> None:
    with pytest.raises(TauscopeError, match="share 0 systems"):
        step(board({"a": 1.0, "b": 2.0}), board({"c": 1.0, "d": 2.0}))
    with pytest.raises(FileError, match="0 files with a date"):
        versions(tmp_path)
    with pytest.raises(CallError, match="at least two boards"):
        versions({"one": board(OLD)})
    with pytest.raises(CallError, match="takes Scores, Published"):
        step({"a": 1}, board(OLD))


def test_equal_scores_share_the_better_rank() -> None:
    found = step(board({"a": 3.0, "b": 2.0, "c": 2.0, "d": 1.0}), board({"a": 3.0, "b": 2.0, "c": 2.0, "d": 2.0}))
    assert found.old_rank.tolist() == [1, 2, 2, 4]
    assert found.new_rank.tolist() == [1, 2, 2, 2]


def test_three_versions_are_two_steps_and_their_ranks_over_time() -> None:
    boards = [board({"a": 3.0, "b": 2.0}), board({"a": 2.0, "b": 3.0}), board({"a": 2.0, "b": 3.0, "c": 9.0})]
    found = versions(boards)
    assert found.names == ("version 1", "version 2", "version 3")
    assert [s.rose for s in found.steps] == [("b",), ()]
    assert found.leaders == ("a", "b", "c")
    assert found.rank.shape == (3, 3)
    assert "ranks rose once and fell once beyond chance" in " ".join(str(found).split())


def test_numbers_are_those_of_the_former_functions(shared: Path) -> None:
    """Recorded before `compare_versions()` and `board_history()` became one function."""
    pinned = json.loads((Path(__file__).resolve().parent.parent / "cases" / "versions.json").read_text("utf-8"))
    history, before = versions(shared / "data/real/lmarena"), pinned["lmarena"]
    assert (list(history.names), list(history.leaders)) == (before["dates"], before["leaders"])
    assert [int(np.nansum(row)) for row in history.low] == before["low"]
    assert [int(np.nansum(row)) for row in history.high] == before["high"]
    for name in ("rose", "fell", "entered", "left"):
        assert [len(getattr(s, name)) for s in history.steps] == before[name]
    assert [int(s.changed.sum()) for s in history.steps] == before["changed"]
    assert [s.tau for s in history.steps] == pytest.approx(before["tau"], abs=1e-6)
    assert [s.shift for s in history.steps] == pytest.approx(before["shift"])
    ap = Scores.read(shared / "data/trec/adhoc8_ap.csv")
    for name, (first, second) in {"adhoc8 halves": (25, 25), "adhoc8 overlap": (35, 15)}.items():
        found, before = step(ap.select(topics=ap.topics[:first]), ap.select(topics=ap.topics[second:])), pinned[name]
        assert (len(found.rose), len(found.fell), int(found.changed.sum()), found.topics) == (
            before["rose"],
            before["fell"],
            before["changed"],
            before["topics"],
        )
        assert (found.tau, found.shift) == pytest.approx((before["tau"], before["shift"]), abs=1e-6)
        assert int(found.old_low.sum() + found.new_low.sum()) == before["low"]
        assert int(found.old_high.sum() + found.new_high.sum()) == before["high"]
        assert float(found.p.sum()) == pytest.approx(before["p"], abs=1e-5)
        assert float(found.change_error.sum()) == pytest.approx(before["error"], abs=1e-7)
