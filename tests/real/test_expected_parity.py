"""`expected_correlation()` gives the numbers that were recorded before its views became one result."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pytest

from tauscope import Scores, evaluate, expected_correlation
from tauscope import demo as made_up

CASES = json.loads((Path(__file__).parents[1] / "cases" / "expected.json").read_text(encoding="utf-8"))
#: What is said of the same collection: value, interval, one-sided limit, pairs of 100 in the wrong order.
METHODS = [name for name in CASES["demo"] if " " in name and not name.startswith(("curve", "needed"))]


@pytest.fixture(scope="module", params=CASES)
def case(request: pytest.FixtureRequest) -> tuple[Scores, dict[str, Any]]:
    if request.param == "demo":
        demo = made_up()
        return evaluate(demo.runs, demo.qrels, ["AP"])["AP"], CASES["demo"]
    shared: Path = request.getfixturevalue("shared")
    return Scores.read(shared / "data" / request.param), CASES[request.param]


def same(found: list[Any], recorded: list[Any]) -> bool:
    known = [math.nan if value is None else value for value in recorded]
    return [*found] == pytest.approx(known, abs=2e-9, nan_ok=True)


@pytest.mark.parametrize("name", METHODS)
def test_every_method_gives_the_recorded_numbers(name: str, case: tuple[Scores, dict[str, Any]]) -> None:
    scores, recorded = case
    coefficient, method = name.split()
    r = expected_correlation(scores, coefficient, None if method == "default" else method, interval=False, rng=3)
    assert same([r.value, r.low, r.high, r.limit, r.of_100], recorded[name])


def test_views_give_the_recorded_numbers(case: tuple[Scores, dict[str, Any]]) -> None:
    scores, recorded = case
    r = expected_correlation(scores, "tau", rng=3)
    assert r.sanity_line() == pytest.approx(recorded["sanity"], abs=1e-9)
    for part, row in zip(r.subsets, recorded["subsets"], strict=True):
        assert part[0] == row[0]
        assert same(part[1:], row[1:])
    n = r.topics
    for adding in (False, True):
        curve, needed = r.curve([n, 2 * n, 4 * n], adding=adding), r.topics_needed(0.9, adding=adding)
        for found, row in zip((curve.values, curve.low, curve.high), recorded[f"curve {adding}"], strict=True):
            assert same(found, row)
        assert [needed.topics, needed.low, needed.high] == recorded[f"needed {adding}"]
    s = r.sensitivity()
    assert same([s.difference, s.pairs, s.of_best, s.g, s.phi], recorded["sensitivity"])
    number, better, worse, probability = recorded["doubtful"]
    assert r.doubtful_pairs == number
    if probability < 0.5:  # systems with the same scores are named only where there are no others
        assert r.most_doubtful[:2] == (better, worse)
        assert r.most_doubtful.probability == pytest.approx(probability, abs=1e-9)
