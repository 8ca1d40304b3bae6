"""Experiments and simulation give the numbers that were recorded before they became namespaces."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tauscope import Scores, evaluate
from tauscope import demo as made_up
from tauscope.evaluation.demo import DemoCollection
from tauscope.experiments import (
    estimator_study,
    incomplete_judgments,
    perturb,
    predictive_power,
    swap_experiment,
)
from tauscope.simulate import Simulator

CASES = json.loads((Path(__file__).parents[1] / "cases" / "experiments.json").read_text(encoding="utf-8"))
OPTIONS = [name for name in CASES["demo"] if name.startswith("simulate")]


@pytest.fixture(scope="module")
def demo() -> DemoCollection:
    return made_up()


@pytest.fixture(scope="module", params=CASES)
def case(request: pytest.FixtureRequest, demo: DemoCollection) -> tuple[Scores, dict[str, Any]]:
    if request.param == "demo":
        return evaluate(demo.runs, demo.qrels, ["AP"])["AP"], CASES["demo"]
    shared: Path = request.getfixturevalue("shared")
    return Scores.read(shared / "data" / request.param).drop_worst(0.25), CASES[request.param]


def same(found: Any, recorded: Any) -> bool:
    return np.allclose(np.asarray(found, float), np.asarray(recorded, float), rtol=0, atol=2e-9, equal_nan=True)


def test_a_study(case: tuple[Scores, dict[str, Any]]) -> None:
    scores, recorded = case
    known: dict[str, Any] = {"sizes": [10], "draws": 4, "methods": ["ml", "shw", "shrunk"], "rng": 3}
    table = estimator_study({"c": scores}, means="published", decimals=4, **known).table
    assert all(same(table[name], values) for name, values in recorded["study"].items())


def test_perturbations_swaps_and_predictive_power(case: tuple[Scores, dict[str, Any]]) -> None:
    scores, recorded = case
    assert same(perturb(scores, draws=50, rng=3).values, recorded["perturb"])
    power = predictive_power(scores, ["tau_b", "tau_ap_b"], draws=20, topics=[10, 20], rng=3)
    assert same(power.values, recorded["power"])
    for pairs, means in zip(("significant", "not", "any"), recorded["swaps"], strict=True):
        assert same(swap_experiment(scores, pairs, swaps=2, draws=20, rng=3).means, means)


@pytest.mark.parametrize("name", OPTIONS)
def test_simulated_scores(name: str, case: tuple[Scores, dict[str, Any]]) -> None:
    scores, recorded = case
    simulator = Simulator.fit(scores, **json.loads(name.removeprefix("simulate ")))
    drawn = simulator.draw(7, rng=3).values
    total, of_draw, first = recorded[name]
    assert same([simulator.true_means.sum(), drawn.sum()], [total, of_draw])
    assert same(drawn[0, :3], first)


def test_incomplete_judgments(demo: DemoCollection) -> None:
    found = incomplete_judgments(demo.runs[:8], demo.qrels, (10, 50), ("tau_a", "tau_ap_a"), draws=2, rng=3)
    for own, recorded in zip((found.values, found.rms, found.topic_rms), CASES["demo"]["judgments"], strict=True):
        assert same(own, recorded)
