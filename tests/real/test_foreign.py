"""Numbers of other projects' own tests: SciPy, trec_eval, ir_measures, ranx, ircor, mt-metrics-eval and more.

The cases and their runner are part of the shared data and stay there; without them the tests are skipped.
"""

from __future__ import annotations

import json
import os
import warnings
from collections.abc import Iterator
from importlib.util import find_spec, module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from tauscope import Scores, TauscopeError, significance

ROOT = Path(__file__).resolve().parents[2]
FOLDER = Path(os.environ.get("TAUSCOPE_SHARED") or ROOT.parent / "shared") / "cases"
RUNNER, BOOK = FOLDER / "foreign.py", FOLDER / "foreign.json"
THERE = RUNNER.is_file() and BOOK.is_file()
ABSENT = pytest.param(
    None, id="absent", marks=pytest.mark.skip(reason=f"no cases of other projects in {FOLDER} (set TAUSCOPE_SHARED)")
)


def _book() -> dict[str, Any]:
    return json.loads(BOOK.read_text(encoding="utf-8")) if THERE else {"cases": []}


CASES = [pytest.param(case, id=case["id"]) for case in _book()["cases"]] or [ABSENT]


@pytest.fixture(scope="module")
def foreign() -> ModuleType:
    """The runner, imported from where it is; what it does to the filters of warnings is undone."""
    spec = spec_from_file_location("foreign", RUNNER)
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    with warnings.catch_warnings():
        spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def runner(foreign: ModuleType) -> Iterator[Any]:
    """The runner, with calls that have other names by now."""

    class Runner(foreign.Runner):  # type: ignore[name-defined, misc]
        def p_value(self, c: dict[str, Any]) -> float:
            scores = Scores(np.column_stack([c["x"], c["y"]]).astype(float), systems=["x", "y"])
            return significance(scores, test=c["test"], correction=None)["x", "y"]

    made = Runner(_book())
    yield made
    made.kept.cleanup()


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("case", CASES)
def test_a_number_of_another_project_is_ours_too(case: dict[str, Any], foreign: ModuleType, runner: Any) -> None:
    lacking = [name for name in case.get("needs", ()) if find_spec(name) is None]
    if lacking:
        pytest.skip(f"{', '.join(lacking)} is not installed: pip install 'ir-measures[cwl-eval]'")
    try:
        got = getattr(runner, case["op"])(case)
    except TauscopeError:
        if not case.get("refusal_counts", False):
            raise
        return
    assert foreign.agrees(case["expected"], got, case["tolerance"]), (
        f"{case['source']}: {case['how']} is {got}, and should be {case['expected']} within {case['tolerance']}"
    )
