"""Long tables of `benchmarks/` are the same whoever works on their cells."""

from __future__ import annotations

import argparse
import importlib.util
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import ModuleType

import pytest

BENCHMARKS = Path(__file__).parents[1] / "benchmarks"


@pytest.fixture
def workers() -> ModuleType:
    spec = importlib.util.spec_from_file_location("workers", BENCHMARKS / "workers.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _options(workers: ModuleType, *arguments: str) -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    workers.add_options(parser)
    return parser.parse_args(arguments)


def test_cells_come_back_in_order_from_processes_and_threads(workers: ModuleType) -> None:
    wanted = [(number, abs(number)) for number in (-3, 2, -1, 5)]
    tasks = [task for task, _ in wanted]
    assert list(workers.in_order(abs, tasks, _options(workers, "--workers", "1"))) == wanted
    with ThreadPoolExecutor(2) as pool:
        assert list(workers.in_order(abs, tasks, _options(workers), pool)) == wanted


@pytest.mark.parametrize("script", ["coverage", "compare_coverage", "board_coverage", "hybrid"])
def test_every_long_table_takes_an_executor_and_a_scheduler(script: str) -> None:
    text = (BENCHMARKS / f"{script}.py").read_text(encoding="utf-8")
    assert "executor: Executor | None = None" in text
    assert "in_order(cell, " in text
    assert "--scheduler ADDRESS" in text
