"""One default on every surface: tau_b for two rankings, and half a win for each side of a tie."""

from __future__ import annotations

import inspect
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tauscope
from tauscope import bradley_terry, report
from tauscope.app.records import QUESTIONS
from tauscope.cli import main


@pytest.fixture
def tied(tmp_path: Path) -> tuple[Path, Path]:
    """A judge with tied means, and people."""
    rng = np.random.default_rng(0)
    people = np.round(rng.random((12, 6)) + np.linspace(0, 0.5, 6), 2)
    judge = np.round(people + 0.1 * rng.random((12, 6)), 2)
    judge[:, 2] = judge[::-1, 3]
    for name, values in (("judge.csv", judge), ("people.csv", people)):
        rows = [",".join(["topic", *"abcdef"]), *(f"t{i}," + ",".join(map(str, row)) for i, row in enumerate(values))]
        (tmp_path / name).write_text("\n".join(rows), encoding="utf-8")
    return tmp_path / "judge.csv", tmp_path / "people.csv"


def document(capsys: Any, *words: object) -> Any:
    capsys.readouterr()
    assert main([*map(str, words), "--json"]) == 0
    return json.loads(capsys.readouterr().out)


def test_report_app_compare_and_correlate_take_tau_b_for_tied_scores(tied: tuple[Path, Path], capsys: Any) -> None:
    judge, people = tied
    assert document(capsys, "correlate", judge, "--truth", people)["facts"]["coefficient"] == "tau_b"
    assert document(capsys, "compare", judge, "--truth", people)["facts"]["coefficient"] == "tau_b"
    answers = report(judge, truth=people).to_dict()["answers"]
    assert {one["facts"]["coefficient"] for one in answers if "coefficient" in one["facts"]} == {"tau_b"}
    assert QUESTIONS["compare"].call is tauscope.compare


@pytest.mark.parametrize("name", ["compare", "audit"])
def test_functions_that_compare_two_rankings_default_to_tau_b(name: str) -> None:
    assert inspect.signature(getattr(tauscope, name)).parameters["coefficient"].default == "tau_b"


def test_a_tie_is_half_a_win_in_every_function_and_command_of_battles(tmp_path: Path, capsys: Any) -> None:
    assert inspect.signature(tauscope.bradley_terry).parameters["ties"].default == "half"
    rng = np.random.default_rng(1)
    names = np.array(list("abcd"))
    i = rng.integers(4, size=300)
    j = (i + rng.integers(1, 4, size=300)) % 4
    winner = rng.choice(["model_a", "model_b", "tie"], p=[0.3, 0.2, 0.5], size=300)
    rows = [{"model_a": names[a], "model_b": names[b], "winner": w} for a, b, w in zip(i, j, winner, strict=True)]
    votes = tmp_path / "votes.jsonl"
    votes.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    printed = document(capsys, "rank", votes, "--view", "strengths")
    half = bradley_terry(tauscope.Battles.read(votes), ties="half")
    other = bradley_terry(tauscope.Battles.read(votes), ties="davidson")
    assert half.strengths != pytest.approx(other.strengths, abs=1e-3)
    assert printed["facts"]["strengths"] == pytest.approx(half.strengths.tolist())
