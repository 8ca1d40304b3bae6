"""Ranks are those of the functions that `rank()` replaced, up to what more draws move: values of theirs, seed 0."""

from __future__ import annotations

from pathlib import Path

import pytest

from tauscope import Battles, Published, Scores, bradley_terry, rank

#: Collection -> tiers that follow the ranking and the size of the best set in 0.2, rank limits of some places.
TREC = {
    "adhoc5_ap": ([32, 25, 4], 12, {0: (1, 21), 30: (2, 54), 60: (55, 61)}),
    "adhoc6_ap": ([3, 26, 35, 10], 2, {0: (1, 3), 30: (5, 64), 73: (60, 74)}),
    "adhoc8_p10": ([11, 80, 22, 13, 3], 7, {0: (1, 11), 60: (10, 110), 128: (121, 129)}),
    "web2011_err20": ([57, 5], 39, {0: (1, 55), 30: (1, 62), 61: (33, 62)}),
}


@pytest.mark.parametrize("name", TREC)
def test_ranks_of_trec_collections_are_those_of_before(shared: Path, name: str) -> None:
    path = shared / "data" / "trec" / f"{name}.csv"
    if not path.is_file():
        pytest.skip(f"no TREC collection: {path} is not a file")
    tiers, best, limits = TREC[name]
    found = rank(Scores.read(path, missing="drop-topics"))
    assert [len(tier) for tier in found.tiers] == tiers
    assert len(found.best_set()) == best
    for place, (low, high) in limits.items():
        assert abs(int(found.low[place]) - low) <= 2
        assert abs(int(found.high[place]) - high) <= 2


def test_ranks_of_arenas_and_published_boards_are_those_of_before(shared: Path) -> None:
    folder = shared / "data" / "real"
    if not folder.is_dir():
        pytest.skip(f"no real boards: {folder} is not a folder")
    people = rank(bradley_terry(Battles.read(folder / "arena" / "human.jsonl.gz")))
    assert [len(tier) for tier in people.tiers] == [1, 2, 1, 4, 2, 3, 2, 2, 3]
    assert people.best_set().members == ("gpt-4",)
    assert people.expected_tau().value == pytest.approx(0.97832718, abs=1e-8)
    board = rank(Published.read(folder / "lmarena" / "2024.07.07-lmsys.csv"))
    assert board["GPT-4o-2024-05-13"] == (1, 1)
    assert (int(board.low.sum()), int(board.high.sum())) == (6018, 7322)
    assert board.expected_tau().value == pytest.approx(0.97957615, abs=1e-8)
