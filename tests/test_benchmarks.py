"""Long tables of `benchmarks/` are the same whoever works on their cells, and go on where they were cut short."""

from __future__ import annotations

import argparse
import importlib.util
import json
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from tauscope import Scores, check

BENCHMARKS = Path(__file__).parents[1] / "benchmarks"


@pytest.fixture
def workers(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    return _module("workers", monkeypatch)


@pytest.fixture
def trials(workers: ModuleType, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    return _module("trials", monkeypatch)


def _module(name: str, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """One of the folder's modules, which the others find under its name."""
    spec = importlib.util.spec_from_file_location(name, BENCHMARKS / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, name, module)
    spec.loader.exec_module(module)
    return module


def _options(module: ModuleType, *arguments: str, add: str = "add_options") -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    getattr(module, add)(parser)
    return parser.parse_args(arguments)


def test_cells_come_back_in_order_from_processes_and_threads(workers: ModuleType) -> None:
    wanted = [(number, abs(number)) for number in (-3, 2, -1, 5)]
    tasks = [task for task, _ in wanted]
    assert list(workers.in_order(abs, tasks, _options(workers, "--workers", "1"))) == wanted
    with ThreadPoolExecutor(2) as pool:
        assert list(workers.in_order(abs, tasks, _options(workers), pool)) == wanted


class Counter:
    """Counts trials of a cell, and how many it was asked for."""

    def __init__(self, off: float = 0.0) -> None:
        self.off, self.asked = off, 0

    def __call__(self, cell: tuple[Any, ...], trials: range) -> list[list[float]]:
        self.asked += len(trials)
        name, factor = cell
        return [[factor * trial + self.off, float(name == "two" and trial == 3)] for trial in trials]


CELLS = [("one", 1.0), ("two", 2.0)]


def _count(trials: ModuleType, counter: Counter, *arguments: str) -> dict[str, Any]:
    options = _options(trials, *arguments, add="add_trial_options")
    with ThreadPoolExecutor(2) as pool:
        return {cell[0]: rows.tolist() for cell, rows in trials.count_trials(counter, CELLS, options, pool)}


def test_trials_go_on_where_their_record_ends(trials: ModuleType, tmp_path: Path) -> None:
    record = tmp_path / "record.jsonl"
    whole = _count(trials, Counter(), "--trials", "120")
    first = Counter()
    short = _count(trials, first, "--trials", "70", "--record", str(record))
    assert (first.asked, short) == (140, {name: rows[:70] for name, rows in whole.items()})
    # The last line, trials 50 to 69 of the second cell, was cut short.
    record.write_text(record.read_text(encoding="utf-8")[:-30], encoding="utf-8")
    then = Counter()
    assert _count(trials, then, "--trials", "120", "--record", str(record)) == whole
    assert then.asked == 2 + 50 + 70  # the first trial of each cell once more, and what was missing
    again = Counter()
    assert _count(trials, again, "--trials", "120", "--record", str(record)) == whole
    assert again.asked == 2


def test_a_record_of_other_code_is_refused(trials: ModuleType, tmp_path: Path) -> None:
    record = str(tmp_path / "record.jsonl")
    _count(trials, Counter(), "--trials", "4", "--record", record)
    with pytest.raises(SystemExit, match=r"other code or other data: the first trial of \('one', 1.0\)"):
        _count(trials, Counter(off=0.01), "--trials", "8", "--record", record)


@pytest.mark.parametrize("script", ["coverage", "compare_coverage", "board_coverage", "hybrid", "plan_hybrid"])
def test_every_long_table_takes_an_executor_and_a_scheduler(script: str) -> None:
    text = (BENCHMARKS / f"{script}.py").read_text(encoding="utf-8")
    assert "executor: Executor | None = None" in text
    assert "in_order(cell, " in text or "count_trials(partial(count, " in text
    assert "or ADDRESS]" in text


@pytest.fixture
def hard_boards(trials: ModuleType, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    module = _module("hard_boards", monkeypatch)
    monkeypatch.setattr(module, "MANY", 500)
    return module


@pytest.mark.parametrize("rule", ["mean", "median", "iqm", "z", "min-max", "borda"])
def test_systems_that_are_made_equal_under_a_rule_have_its_score_in_common(hard_boards: ModuleType, rule: str) -> None:
    values, _ = hard_boards.population("bimodal, 50 topics", "equal", rule)
    unequal, _ = hard_boards.population("bimodal, 50 topics", "spread")
    scores = hard_boards.catalogue.rules[rule].scores(values)
    assert scores.std() < 0.02 * hard_boards.catalogue.rules[rule].scores(unequal).std()


@pytest.mark.parametrize("question", ["ranks", "rules", "correlation", "claims", "skewness"])
def test_every_question_about_hard_boards_is_counted_and_stored(
    hard_boards: ModuleType, question: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "table.json"
    only = "rare 0/1, 8 systems, 20" if question == "skewness" else "holes at random"
    with ThreadPoolExecutor(1) as pool:
        hard_boards.main([question, "--trials", "2", "--only", only, "--json", str(file)], pool)
        hard_boards.main([question, "--trials", "3", "--first", "7", "--only", only, "--json", str(file)], pool)
    stored = json.loads(file.read_text(encoding="utf-8"))
    assert stored["trials"] == 2
    assert {(own["trials"], own["first"]) for own in stored["cells"].values()} == {(3, 7)}
    rows = hard_boards.lines(stored)[2:]
    assert len(rows) == len(stored["cells"]) > 0
    assert all("(3 trials)" in row for row in rows)
    assert "nan" not in capsys.readouterr().out


@pytest.mark.parametrize(("question", "figure"), [("claims", "Tukey HSD")])
def test_a_figure_that_is_counted_alone_is_that_of_the_whole_trial(
    hard_boards: ModuleType, question: str, figure: str, tmp_path: Path
) -> None:
    file = tmp_path / "table.json"
    whole = [question, "--trials", "4", "--only", "7 topics", "--without", "spread", "--json", str(file)]
    with ThreadPoolExecutor(1) as pool:
        hard_boards.main(whole, pool)
        hard_boards.main([*whole, "--figure", figure], pool)
        hard_boards.main([*whole, "--figure", figure], pool)
    ((name, own),) = json.loads(file.read_text(encoding="utf-8"))["cells"].items()
    assert own["again"][figure]["value"] == own[figure]
    assert f"{own[figure]:.3f}*" in hard_boards.lines({"question": question, "trials": 4, "cells": {name: own}})[2]


def test_the_warning_of_skewed_scores_says_the_largest_share_that_was_counted() -> None:
    file = BENCHMARKS / "results" / "coverage" / "hard_boards_skewness.json"
    counted = json.loads(file.read_text(encoding="utf-8"))["cells"]
    largest = max(cell["max-t"] for cell in counted.values())
    scores = Scores(np.exp(np.linspace(0.3, 2, 20) * np.random.default_rng(0).normal(size=(50, 20))))
    told = [str(finding) for finding in check(scores) if finding.code == "skewed-differences"]
    assert f"in up to {100 * largest:.0f} % of cases instead of 5 %" in told[0]
