"""Numbers of audits and hybrids that were recorded before their results were made anew: they must not move."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tauscope import Scores, audit, evaluate, hybrid
from tauscope import demo as made_up

RECORDED = json.loads((Path(__file__).resolve().parent.parent / "cases" / "judges.json").read_text("utf-8"))
TREC = {"web2010": ("web2010_ap", "web2010_ndcg20"), "adhoc8": ("adhoc8_ap", "adhoc8_p10")}


def same(found: Iterable[Any], recorded: Iterable[Any]) -> None:
    known = [math.nan if value is None else value for value in recorded]
    assert [float(value) for value in found] == pytest.approx(known, rel=1e-8, abs=1e-9, nan_ok=True)


@pytest.fixture(scope="module")
def sides(shared: Path) -> dict[str, tuple[Scores, Scores]]:
    """People and a judge on the demo collection, and two measures of TREC collections."""
    demo = made_up()
    found = {"demo": tuple(evaluate(demo.runs, qrels, "AP")["AP"] for qrels in (demo.qrels, demo.judge_qrels))}
    for name, files in TREC.items():
        paths = [shared / "data" / "trec" / f"{file}.csv" for file in files]
        if all(path.is_file() for path in paths):
            found[name] = tuple(map(Scores.read, paths))
    return found  # type: ignore[return-value]


def of(sides: dict[str, Any], name: str) -> tuple[Scores, Scores]:
    if name not in sides:
        pytest.skip(f"no data/trec in the shared folder, so no {name} (set TAUSCOPE_SHARED)")
    return sides[name]  # type: ignore[no-any-return]


def made() -> tuple[dict[str, Scores], dict[str, Scores], Scores, dict[str, str]]:
    """Two judges, three people, lengths and families of 18 systems."""
    rng = np.random.default_rng(5)
    systems = [f"s{i:02}" for i in range(18)]
    truth = rng.normal(0, 0.08, 18) + rng.normal(0, 0.1, (40, 1)) + rng.normal(0, 0.12, (40, 18))
    families = {system: "abc"[i % 3] for i, system in enumerate(systems)}
    lift = np.array([families[system] == "a" for system in systems]) * 0.05
    people = {name: Scores(truth + rng.normal(0, 0.1, truth.shape), systems=systems) for name in "wxy"}
    judges = {
        "j1": Scores(0.7 * truth + lift + rng.normal(0, 0.05, truth.shape), systems=systems),
        "j2": Scores(0.5 * truth + rng.normal(0, 0.1, truth.shape), systems=systems),
    }
    return judges, people, Scores(np.exp2(rng.normal(8, 1, truth.shape)), systems=systems), families


@pytest.mark.parametrize("name", RECORDED["audit"])
def test_an_audit_has_the_recorded_numbers(name: str, sides: dict[str, Any]) -> None:
    recorded = RECORDED["audit"][name]
    if name == "made":
        judges, people, lengths, families = made()
        found = audit(judges, people=people, lengths=lengths, groups=families | {"j1": "a", "j2": "b"})
    elif name == "demo":
        human, judge = of(sides, name)
        found = audit(judge, truth=human, groups=dict(made_up().families) | {"judge": "dense"})
    else:
        human, judge = of(sides, name)
        found = audit(judge, truth=human)
    for judge_name in found.judges:
        known, own = recorded[judge_name], found[judge_name]
        same((own.observed, own.corrected, own.low, own.high, own.limit), known["agreement"])
        soft = found.soft_accuracy[judge_name]
        same((soft.value, soft.accuracy, soft.error, soft.monte_carlo), known["soft"])
        same(found.tied_accuracy[judge_name], known["tied"])
        same(found.scale[judge_name], known["scale"])
        if "people" in known:
            beside = found.people[judge_name]
            rest = (beside.winning, beside.advantage, beside.low, beside.high, *(one.p for one in beside.left_out))
            same((beside.between, beside.with_others, beside.of_judge, *rest), known["people"])
        if "length" in known:
            same(found.length[judge_name][:-1], known["length"])
    if "families" in recorded:
        known = recorded["families"]
        for key in ("scores", "p", "own_p", "adjusted"):
            same(getattr(found.families, key), known[key])
        same((found.families.mean_scores, found.families.p_all), (known["mean_scores"], known["p_all"]))
    if "panel" in recorded:
        one = found.panel
        same(
            (one.correlation, one.effective, one.low, one.high, one.mean_judge, one.best, *one.without),
            recorded["panel"],
        )


def some(human: Scores) -> Scores:
    return human.select(topics=list(human.topics[:15]))


@pytest.mark.parametrize("case", RECORDED["hybrid"])
def test_a_hybrid_has_the_recorded_numbers(case: str, sides: dict[str, Any]) -> None:
    recorded = RECORDED["hybrid"][case]
    name, kind = case.rsplit("-", 1)
    human, judge = of(sides, name)
    options = {"over": "topics"} if kind == "topics" else {"method": kind}
    found = hybrid(some(human), judge, **options)
    assert list(found.systems[:12]) == recorded["systems"]
    numbers = ("slope", "correlation", "worth", "worth_at_the_top", "expected_tau", "expected_tau_of_people")
    for key in (*numbers, "expected_tau_of_judge"):
        same([getattr(found, key)], [recorded[key]])
    for key in ("estimates", "errors", "people", "judge", "low_rank", "high_rank", "tier"):
        same(getattr(found, key)[:12], recorded[key])
    pair = found.difference(found.systems[0], found.systems[3])
    same((pair.difference, pair.low, pair.high, pair.p), recorded["difference"])


@pytest.mark.parametrize("case", RECORDED["plan"])
def test_a_plan_has_the_recorded_numbers(case: str, sides: dict[str, Any]) -> None:
    recorded = RECORDED["plan"][case]
    name, goal = case.rsplit("-", 1)
    human, judge = of(sides, name)
    found = hybrid(some(human), judge).plan(goal, target={"tau": 0.8, "width": 0.1, "top": 0.7}[goal])
    assert list(found.human_topics) == recorded["topics"]
    same(found.people, recorded["people"])
    same(found.hybrid, recorded["hybrid"])
    assert [found.people_needed, found.hybrid_needed] == recorded["needed"]
    assert (None if found.cheapest is None else list(found.cheapest)) == recorded["cheapest"]


@pytest.mark.parametrize("case", RECORDED["choose"])
def test_the_topics_to_judge_next_are_those_that_were_recorded(case: str, sides: dict[str, Any]) -> None:
    recorded = RECORDED["choose"][case]
    name, design = case.rsplit("-", 1)
    human, judge = of(sides, name)
    found = hybrid(some(human), judge).next(6, design=design)
    assert list(found.topics) == recorded["topics"]
    assert list(found.stratum[:6]) == recorded["strata"]
    same(found.chance[:6], recorded["chances"])


def test_a_hybrid_of_documents_has_the_recorded_numbers() -> None:
    recorded, demo = RECORDED["documents"]["demo"], made_up()
    runs, machine = demo.runs, demo.judge_qrels
    first = hybrid(None, machine, runs=runs, chances=(10, 30)).next(12)
    assert len(first) == recorded["n"]
    assert list(map(list, zip(first.topic[:10], first.document[:10], strict=True))) == recorded["first"]
    same(first.chance[:10], recorded["chances"])
    own = demo.qrels
    grades = {(own.topics[own.topic_of_entry[i]], own.document(i)): int(own.grades[i]) for i in range(len(own))}
    human: dict[str, dict[str, int]] = {topic: {} for topic in first.topic}
    for topic, document in zip(first.topic, first.document, strict=True):
        human[topic][document] = max(0, grades.get((topic, document), 0))
    found = hybrid(human, machine, runs=runs, chances=(10, 30))
    for key, values in (("means", found.means), ("errors", found.errors_here), ("judge", found.judge)):
        for row, known in zip(values, recorded[key], strict=True):
            same(row[:8], known)
    assert found.plan(target=0.01).needed == recorded["needed"]
