"""Files that nobody here wrote, read as they are: layouts, facts and odd cells. Skipped where the shared data are not
there."""

from __future__ import annotations

import csv
import json
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest

from tauscope import Battles, Published, Ranking, ScoreCube, Scores, compare, rank, report
from tauscope.cli import main
from tauscope.data.findings import problems
from tauscope.io.columns import read_groups
from tauscope.io.read import detect_format


@pytest.fixture(scope="module")
def real(shared: Path) -> Path:
    folder = shared / "data" / "real"
    if not folder.is_dir():
        pytest.skip(f"no real boards: {folder} is not a folder")
    return folder


@pytest.fixture(scope="module")
def wmt(real: Path) -> ScoreCube:
    return ScoreCube.read(real / "wmt23", missing="keep")


def test_the_test_set_of_wmt23_is_read_with_its_gaps_and_documents(real: Path, wmt: ScoreCube) -> None:
    assert detect_format(real / "wmt23") == "mt-metrics"
    assert wmt.shape == (14, 557, 14)
    mqm = Scores.read(real / "wmt23", measure="mqm")
    # 12 systems and the reference, on the segments that were rated; one more has scores by metrics only.
    assert mqm.shape == (460, 13)
    assert "refA" in mqm.systems
    notes = " ".join(map(str, mqm.notes))
    assert "97 topics without mqm left out" in notes
    assert "1 system without mqm left out: 'synthetic_ref'" in notes
    documents = read_groups(real / "wmt23" / "documents" / "en-de.docs")
    assert set(documents) == set(wmt.topics)
    assert len({name.partition("/")[0] for name in documents.values()}) == 4


def test_means_of_the_segments_of_wmt23_are_the_scores_of_its_systems(real: Path, wmt: ScoreCube) -> None:
    human = real / "wmt23" / "human-scores"
    systems = Scores.read(human / "en-de.mqm.sys.score", missing="keep")
    segments = Scores.read(human / "en-de.mqm.seg.score", missing="keep")
    means = dict(zip(segments.systems, np.nanmean(segments.values, axis=0), strict=True))
    assert dict(zip(systems.systems, systems.values[0], strict=True)) == pytest.approx(means)
    assert Ranking.read(human / "en-de.mqm.sys.score").groups()[0] == ("refA",)


def test_metrics_of_wmt23_share_pairwise_accuracies(real: Path) -> None:
    cube = ScoreCube.read(real / "wmt23", format="mt-metrics-systems", missing="keep")
    values = dict(zip(cube.measures, cube.values[:, 0], strict=True))
    gold = values["mqm"]
    systems = [i for i, name in enumerate(cube.systems) if name != "refA" and not np.isnan(gold[i])]
    assert len(systems) == 12
    accuracy = {}
    for measure in cube.measures[2:]:
        mine = values[measure]
        agree = [(mine[i] - mine[j]) * (gold[i] - gold[j]) > 0 for i, j in combinations(systems, 2)]
        accuracy[measure] = round(float(np.mean(agree)), 6)
    found = list(accuracy.values())
    assert len(found) == 12
    assert len(set(found)) == 10  # 66 pairs leave few values


def test_samples_of_mqm_scores_are_on_one_scale_and_have_no_marks_for_spam(real: Path) -> None:
    full = Scores.read(real / "wmt23" / "human-scores" / "en-de.mqm.seg.score", missing="drop-topics")
    rng = np.random.default_rng(5)
    for size in (10, 20, 30, 40):
        for _ in range(30):
            systems = [full.systems[i] for i in rng.choice(len(full.systems), int(rng.integers(3, 14)), replace=False)]
            sample = full.sample_topics(size, rng).select(systems=systems)
            for scores in (sample, sample.negated(), Scores(-sample.values)):
                found = scores.scales()
                assert found is None or not found.sure
            assert not {"negative-grades", "minus-one"} & {remark.code for remark in problems(sample)}


def test_an_automatic_metric_is_compared_with_people_on_the_segments_that_both_rated(real: Path) -> None:
    people = Scores.read(real / "wmt23", measure="mqm")
    metric = Scores.read(real / "wmt23", measure="XCOMET-Ensemble-refA", missing="keep")
    kept = {"topics": people.topics, "systems": [name for name in people.systems if name != "refA"]}
    found = compare(metric.select(**kept), truth=people.select(**kept))
    assert found.observed > 0.7
    assert "460 topics" in str(found)


def test_results_of_mteb_are_the_board_on_every_task_in_one_language(real: Path) -> None:
    assert detect_format(real / "mteb" / "results") == "mteb"
    board = {}
    for name in ("board-holes.csv", "board.csv"):
        with open(real / "mteb" / name, newline="") as file:
            board |= {row["model"]: row for row in csv.DictReader(file)}
    found = Scores.read(real / "mteb" / "results", format="mteb-subsets", missing="keep")
    assert len(found.systems) == 8
    alone, english = 0, 0
    for row, topic in enumerate(found.topics):
        task, _, subset = topic.partition(" [")
        if subset and subset not in ("en]", "en-en]"):
            continue
        for column, model in enumerate(found.systems):
            assert float(board[model][task]) == pytest.approx(found.values[row, column], abs=1e-9), (topic, model)
            alone, english = alone + (not subset), english + bool(subset)
    assert (alone, english) == (8 * 35, 8 * 6)
    notes = " ".join(map(str, Scores.read(real / "mteb" / "results").notes))
    assert "not all models have all of STS17 (8 of 11)" in notes
    assert "the newest revision that has a task" in notes


def test_intervals_of_lmarena_are_read_as_they_are_printed(real: Path) -> None:
    for file in sorted((real / "lmarena").glob("*.csv")):
        board = Published.read(file)
        with open(file, newline="") as stream:
            rows = {row["model"]: row for row in reversed(list(csv.DictReader(stream)))}
        for at, system in enumerate(board.systems):
            up, down = (int(part.strip("+-")) for part in rows[system]["95_pct_ci"].split("/"))
            assert board.scores[at] == float(rows[system]["arena_score"])
            assert board.errors[at] == pytest.approx((up + down) / 2 / 1.959964, rel=1e-6)


def test_verdicts_of_the_arena_and_of_llmfao_are_read(real: Path) -> None:
    judge = Battles.read(real / "arena" / "gpt-3.5-turbo.jsonl.gz")
    assert judge.outcomes[0] / len(judge) == pytest.approx(0.86, abs=0.01)
    crowd = Battles.read(real / "llmfao" / "crowd-comparisons.csv")
    assert (len(crowd), len(crowd.systems), len(crowd.workers.labels)) == (8931, 59, 124)
    assert len(Battles.read(real / "llmfao" / "gpt4-crowd-comparisons.csv")) == 2139


def test_the_test_set_goes_through_the_shell(real: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    human = real / "wmt23" / "human-scores"
    assert main(["check", str(human / "en-de.da-sqm.seg.score"), "--json"]) in (0, 1)
    assert json.loads(capsys.readouterr().out)
    scores = Scores.read(real / "wmt23" / "metric-scores" / "en-de" / "COMET-refA.seg.score")
    assert scores.shape == (557, len(scores.systems))
    assert len(rank(scores).systems) == len(scores.systems)
    assert "13 systems, 40 topics" in str(report(scores.select(topics=scores.topics[:40])))
