"""Gates, strengths, judges of battles and measures give the numbers that they gave before they moved."""

from __future__ import annotations

import json
import os
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tauscope as ts

DATA = Path(os.environ.get("TAUSCOPE_SHARED") or Path(__file__).parents[3] / "shared") / "data"
CASES = json.loads((Path(__file__).parents[1] / "cases" / "arenas.json").read_text(encoding="utf-8"))


def file(name: str) -> Path:
    found = DATA / name
    if not found.exists():
        pytest.skip(f"no {found} (set TAUSCOPE_SHARED)")
    return found


@cache
def demo(judge: bool = False) -> ts.Scores:
    collection = ts.demo_collection()
    return ts.evaluate(collection.runs, collection.judge_qrels if judge else collection.qrels, ["AP"])["AP"]


def board(name: str) -> tuple[Any, Any]:
    """A board and its baseline."""
    if name == "demo":
        return demo(judge=True), demo()
    if name.startswith("trec"):
        return ts.read_scores(file(f"{name}.csv")), ts.read_scores(file(f"{name.removesuffix('ap')}p10.csv"))
    return ts.read_published(file(f"{name}.csv")), None


@pytest.mark.parametrize("name", CASES["gate"])
def test_gate(name: str) -> None:
    new, old = board(name)
    expected = CASES["gate"][name]
    found = ts.gate(new, [claim for claim, *_ in expected], baseline=old).claims
    assert [[one.claim, one.verdict.value] for one in found] == [case[:2] for case in expected]
    np.testing.assert_allclose([(one.p, one.opposite_p) for one in found], [case[2:] for case in expected], rtol=1e-12)
