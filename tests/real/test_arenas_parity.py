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
    collection = ts.demo()
    return ts.evaluate(collection.runs, collection.judge_qrels if judge else collection.qrels, ["AP"])["AP"]


def board(name: str) -> tuple[Any, Any]:
    """A board and its baseline."""
    if name == "demo":
        return demo(judge=True), demo()
    if name.startswith("trec"):
        return ts.Scores.read(file(f"{name}.csv")), ts.Scores.read(file(f"{name.removesuffix('ap')}p10.csv"))
    return ts.Published.read(file(f"{name}.csv")), None


@pytest.mark.parametrize("name", CASES["gate"])
def test_gate(name: str) -> None:
    new, old = board(name)
    expected = CASES["gate"][name]
    found = ts.gate(new, [claim for claim, *_ in expected], baseline=old).claims
    assert [[one.claim, one.verdict.value] for one in found] == [case[:2] for case in expected]
    np.testing.assert_allclose([(one.p, one.opposite_p) for one in found], [case[2:] for case in expected], rtol=1e-12)


def fitted(name: str, **options: Any) -> Any:
    return ts.bradley_terry(ts.Battles.read(file(f"real/{name}")), prior=0.5, **options)


@pytest.mark.parametrize("name", CASES["strengths"])
def test_strengths(name: str) -> None:
    _, ties, clusters = name.split()
    systems, strengths, errors, *rest = CASES["strengths"][name]
    found = fitted("arena/human.jsonl.gz", ties=ties, clusters=None if clusters == "None" else clusters, position=True)
    assert list(found.systems[:5]) == systems
    np.testing.assert_allclose(found.strengths[:5], strengths, rtol=1e-9)
    np.testing.assert_allclose(found.errors[:5], errors, rtol=1e-9)
    own = (found.log_likelihood, found.position, found.position_error, found.effective)
    np.testing.assert_allclose(own, rest, rtol=1e-7)


@pytest.mark.parametrize("name", CASES["verdicts"])
def test_two_judges_of_the_same_battles(name: str) -> None:
    expected = CASES["verdicts"][name]
    if name == "llmfao":
        sides = [fitted(f"llmfao/{one}.csv") for one in ("gpt4-crowd-comparisons", "crowd-comparisons")]
        found = ts.compare(sides[0], truth=sides[1], coefficient="tau_ap_b")
    else:
        judge, clusters = name.split()
        by = None if clusters == "battle" else clusters
        found = ts.compare(fitted(f"{judge}.jsonl.gz", clusters=by), truth=fitted("arena/human.jsonl.gz", clusters=by))
    for key, value in expected.items():
        np.testing.assert_allclose(np.array(getattr(found, key), float), value, rtol=1e-9, err_msg=key)


@cache
def track(year: int) -> Any:
    return ts.measures.Table.read(file(f"gupta2019/result_wt{year}.csv"))


@cache
def cube() -> Any:
    collection = ts.demo()
    return ts.evaluate(collection.runs, collection.qrels, ["AP", "P@10", "nDCG@10", "RR"])


def data(name: str) -> Any:
    return cube() if name == "demo" else track(2012)


@pytest.mark.parametrize("name", ["wt2012", "demo"])
def test_correlations_of_measures(name: str) -> None:
    names, total, first = CASES["measures"][f"correlations {name}"]
    found = ts.measures.correlations(data(name))
    assert list(found.measures) == names
    np.testing.assert_allclose([np.nansum(found.values), *found.values[0]], [total, *first], rtol=1e-12)


@pytest.mark.parametrize("case", [name for name in CASES["measures"] if name.startswith("rank ")])
def test_rankings_of_measures(case: str) -> None:
    _, name, method, scale = case.split()
    order, criterion = CASES["measures"][case]
    found = ts.measures.rank(data(name), method, scale=scale)
    assert list(found.order) == order
    np.testing.assert_allclose(found.criterion, [-np.inf if x is None else x for x in criterion], rtol=1e-9)


def test_predictions_of_measures() -> None:
    train, select, test = track(2012), track(2013), track(2014)
    predictors, fits, tried = CASES["measures"]["predict AP"]
    found = ts.measures.predict(train, "Rprec", select_on=select, test=test, max_predictors=2)
    assert (list(found.chosen.predictors), found.tried) == (predictors, tried)
    own = [[fit.tau_b, fit.r2, fit.rmse, fit.covered] for fit in found.chosen.fits]
    np.testing.assert_allclose(own, [fit[1:] for fit in fits], rtol=1e-9)
    several = ts.measures.predict(train, select_on=select, test=test, max_predictors=1)
    rows = [[one.target, list(one.chosen.predictors), one.chosen.fits[-1].tau_b] for one in several]
    assert rows == CASES["measures"]["predict all"]


@pytest.mark.parametrize("name", ["demo", "trec/adhoc8_ap"])
def test_subsets_of_topics(name: str) -> None:
    topics, value, held_out, random = CASES["measures"][f"topics {name}"]
    scores, options = (demo(), {}) if name == "demo" else (board(name)[0], {"draws": 5})
    found = ts.measures.select_topics(scores, 5 if name == "demo" else 10, **options)
    assert (list(found.topics), found.value) == (topics, pytest.approx(value))
    np.testing.assert_allclose([found.held_out, found.random], [held_out, random], rtol=1e-12)
