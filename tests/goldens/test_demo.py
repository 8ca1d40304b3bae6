"""The demo collection looks like a real one, is the same for a seed, and can be written and read."""

from __future__ import annotations

import time

import numpy as np
import pytest

from tauscope import tau_b
from tauscope.errors import CallError
from tauscope.evaluation.demo import FAVOURED
from tauscope.evaluation.demo import demo as demo_collection
from tauscope.evaluation.evaluate import evaluate
from tauscope.evaluation.qrels import Qrels, read_qrels
from tauscope.evaluation.runs import Runs
from tauscope.io.read import read_scores


@pytest.fixture(scope="module")
def demo():
    return demo_collection()


@pytest.fixture(scope="module")
def cubes(demo):
    measures = ["AP", "nDCG@20", "P@10", "RR"]
    return evaluate(demo.runs, demo.qrels, measures), evaluate(demo.runs, demo.judge_qrels, measures)


def test_it_has_40_systems_of_five_families_and_50_topics_with_graded_judgments(demo):
    assert (len(demo.runs), len(demo.families), len(demo.qrels.topics)) == (40, 40, 50)
    assert len(set(demo.families.values())) == 5
    assert {len(run) for run in demo.runs} == {50 * 300}
    assert set(np.unique(demo.qrels.grades)) == {0, 1, 2, 3}
    assert demo.judge_qrels.documents == demo.qrels.documents
    assert repr(demo).startswith("Demo collection: 40 systems of 5 families x 50 topics (rng=8)")


def test_every_document_of_the_first_thirty_of_each_run_is_judged_and_nothing_else(demo):
    pooled = {(t, d) for run in demo.runs for t in run.topics[:3] for d in run.ranked(t, ties="input")[:30]}
    judged = {(t, d) for t, documents in list(demo.qrels.to_dict().items())[:3] for d in documents}
    assert pooled == judged


def test_systems_and_topics_range_from_poor_to_good(cubes):
    means, topics = cubes[0]["AP"].means(), cubes[0]["AP"].values.mean(axis=1)
    assert 0.04 < means.min() < 0.1
    assert 0.4 < means.max() < 0.5
    assert topics.min() < 0.1
    assert topics.max() > 0.45


@pytest.mark.parametrize(("measure", "low", "high"), [("nDCG@20", 0.85, 0.98), ("P@10", 0.85, 0.96), ("RR", 0.7, 0.92)])
def test_measures_agree_with_ap_as_much_as_they_do_in_trec(cubes, measure, low, high):
    assert low < tau_b(cubes[0]["AP"].ranking(), cubes[0][measure].ranking()).value < high


def test_some_systems_tie_by_precision_at_ten(cubes):
    assert cubes[0]["P@10"].ranking().tied_pairs() > 0


def test_the_judge_agrees_well_but_not_fully_and_favours_one_family(demo, cubes):
    people, judge = cubes
    assert 0.8 < tau_b(people["AP"].ranking(), judge["AP"].ranking()).value < 0.92
    assert 0.5 < Qrels.read(demo.qrels).compare(demo.judge_qrels).relevance_kappa < 0.75
    places = [np.argsort(np.argsort(-cube["AP"].means())) for cube in cubes]
    gain = {family: [] for family in set(demo.families.values())}
    for system, before, after in zip(people.systems, *places, strict=True):
        gain[demo.families[system]].append(before - after)
    assert max(gain, key=lambda family: np.mean(gain[family])) == FAVOURED


def test_the_same_seed_gives_the_same_collection_and_another_seed_another(demo):
    again = demo_collection(8)
    assert (again.runs, again.qrels, again.judge_qrels) == (demo.runs, demo.qrels, demo.judge_qrels)
    assert demo_collection(9).qrels != demo.qrels
    assert demo_collection(np.random.default_rng(8)).qrels == demo.qrels


def test_it_takes_less_than_two_seconds():
    best = np.inf
    for _ in range(3):
        start = time.perf_counter()
        demo_collection()
        best = min(best, time.perf_counter() - start)
    assert best < 2


def test_it_is_written_as_trec_files_and_matrices_and_read_back(demo, cubes, tmp_path):
    demo.write(tmp_path)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["judge_qrels.txt", "qrels.txt", "runs", "scores"]
    runs = Runs.read(tmp_path / "runs")
    assert sorted(runs, key=lambda run: run.name) == sorted(demo.runs, key=lambda run: run.name)
    assert read_qrels(tmp_path / "judge_qrels.txt") == demo.judge_qrels
    scores = read_scores(tmp_path / "scores" / "judge_nDCG_20.csv")
    assert scores.measure == "nDCG@20"
    assert np.array_equal(scores.values, cubes[1]["nDCG@20"].values)


def test_the_depth_of_the_runs_can_be_chosen_within_limits():
    assert len(demo_collection(8, depth=1000).runs[0]) == 50_000
    with pytest.raises(CallError, match="depth=10: depth is a whole number from 30 to 2,000"):
        demo_collection(depth=10)
