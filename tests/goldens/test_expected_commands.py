"""`tauscope expected`, `plan`, `ranks` and `simulate`: what they print is what the functions say."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from tauscope import (
    Scores,
    Simulator,
    expected_correlation,
    read_scores,
    sensitivity,
    wording,
    write_scores,
)
from tauscope.cli import main
from tauscope.results import count, said, word


@pytest.fixture
def board(tmp_path: Path) -> Path:
    generator = np.random.default_rng(3)
    values = np.clip(0.5 + 0.05 * np.arange(6) + 0.15 * generator.normal(size=(30, 6)), 0, 1).round(3)
    scores = Scores(values, systems=list("fedcba"), measure="AP", collection="made up")
    return Path(write_scores(scores, tmp_path / "board.csv", layout="wide"))


def run(capsys: pytest.CaptureFixture[str], *arguments: object) -> str:
    assert main([str(argument) for argument in arguments]) == 0
    return capsys.readouterr().out


def test_expected_prints_the_result_its_doubtful_pairs_and_the_sentence(board, capsys):
    printed = run(capsys, "expected", board, "-s", 4, "-c", "tau_ap").splitlines()
    result = expected_correlation(read_scores(board), "tau_ap", rng=4)
    assert printed[:3] == result.lines()
    assert printed[-1] == result.methods_sentence()
    assert (
        f"{count(len(result.doubtful_pairs()), 'pair')} may well be in the wrong order (probability at least 0.25)"
        in printed
    )


def test_expected_without_a_coefficient_gives_tau_and_tau_ap_as_json_and_csv(board, capsys):
    found = json.loads(run(capsys, "expected", board, "--json", "--pairs", 1))
    assert [one["coefficient"] for one in found] == ["tau", "tau_ap"]
    assert found[0]["value"] == expected_correlation(read_scores(board), rng=0).value
    assert len(found[0]["most_doubtful"]) == 1
    lines = run(capsys, "expected", board, "--csv").splitlines()
    assert len(lines) == 3
    assert lines[0].startswith("coefficient,value,low,high")


def test_expected_by_split_half_has_no_pairs_to_list(board, capsys):
    assert "wrong order" not in run(capsys, "expected", board, "--method", "shw")
    assert json.loads(run(capsys, "expected", board, "--method", "shw", "--json"))[0]["doubtful_pairs"] is None


def test_plan_says_how_many_topics_and_which_difference_can_be_trusted(board, capsys):
    scores = read_scores(board)
    result = expected_correlation(scores, rng=0)
    printed = run(capsys, "plan", board, "--target", 0.9, "--topics", 30, 60).splitlines()
    assert printed[0] == "E[tau] by topics in a new collection"
    assert [row.split()[:2] for row in printed[2:4]] == [
        [str(n), f"{v:.3f}"] for n, v in zip((30, 60), result.curve([30, 60]).values, strict=True)
    ]
    assert any(row.startswith(result.topics_needed(0.9).lines()[0]) for row in printed)
    assert printed[-2:] == sensitivity(scores).lines()


def test_plan_for_adding_topics_and_as_json_and_csv(board, capsys):
    found = json.loads(run(capsys, "plan", board, "--adding", "--target", 0.9, "--json"))
    assert found["needed"][0]["adding"] is True
    assert (
        found["needed"][0]["topics"]
        == expected_correlation(read_scores(board), rng=0).topics_needed(0.9, adding=True).topics
    )
    assert run(capsys, "plan", board, "--csv").splitlines()[0] == "topics,value,low,high"


def test_simulate_writes_what_the_simulator_draws(board, tmp_path, capsys):
    printed = run(
        capsys, "simulate", board, "--topics", 8, "-o", tmp_path / "sim.csv", "--collections", 2, "-s", 5, "--json"
    )
    found = json.loads(printed)
    simulator = Simulator.fit(read_scores(board))
    assert found["seeds"] == [5, 6]
    assert found["true_means"] == dict(zip(simulator.systems, simulator.true_means.tolist(), strict=True))
    for path, seed in zip(found["files"], found["seeds"], strict=True):
        assert np.array_equal(read_scores(path).values, simulator.draw(8, rng=seed).values)
    assert run(capsys, "simulate", board, "--topics", 8, "-o", tmp_path / "one.csv", "--chosen-topics").endswith(
        "seed 0\n"
    )


@pytest.mark.parametrize("command", ["expected", "plan", "rank"])
def test_the_words_of_the_user_replace_systems_and_topics_everywhere(command, board, capsys):
    printed = run(capsys, command, board, "--systems-are", "models", "--topics-are", "query/queries")
    assert "topic" not in printed
    assert "system" not in printed
    assert "models" in printed or "model" in printed


@pytest.mark.parametrize("command", ["expected", "plan"])
def test_a_figure_is_saved_where_it_was_asked_for(command, board, tmp_path, capsys):
    assert main([command, str(board), "--json", "--figure", str(tmp_path / "chart.svg")]) == 0
    answered = capsys.readouterr()
    assert json.loads(answered.out)
    assert answered.err == f"figure: {tmp_path / 'chart.svg'}\n"
    assert (tmp_path / "chart.svg").read_text(encoding="utf-8").startswith("<svg")
    assert not list(tmp_path.glob(".*part"))


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (["expected"], "tauscope: expected needs FILES: Scores: a matrix of topics by systems"),
        (["expected", "none.csv"], "tauscope: none.csv: there is no such file."),
        (["expected", "BOARD", "--pairs", "-1"], "tauscope: --pairs -1: ask for 0 or more pairs."),
        (["expected", "BOARD", "--json", "--csv"], "tauscope: --json and --csv: choose one."),
        (
            ["expected", "BOARD", "--figure", "a.doc"],
            "tauscope: a.doc: a figure ends in .svg, .pdf, .png, .html, .json.",
        ),
        (
            ["expected", "BOARD", "--systems-are", ""],
            "tauscope: '' is no word for systems; give a plural such as 'models', or 'query/queries'.",
        ),
        (["plan", "BOARD", "-c", "tau_gap"], "tauscope: The expected tau_gap is not a sum of swap probabilities"),
        (["plan", "BOARD", "--target", "90"], "tauscope: target=90.0: target is a number above -1 and below 1."),
        (
            ["simulate", "BOARD", "--topics", "0", "-o", "x.csv"],
            "tauscope: topics=0: topics is a whole number of at least 1.",
        ),
        (
            ["simulate", "BOARD", "--topics", "3", "-o", "x.csv", "--collections", "0"],
            "tauscope: --collections 0: draw at least one.",
        ),
    ],
)
def test_a_wrong_call_is_answered_in_one_line(arguments, text, board, capsys):
    assert main([str(board) if a == "BOARD" else a for a in arguments]) == 2
    answered = capsys.readouterr().err
    assert answered.startswith(text), answered
    assert "Traceback" not in answered


def test_wording_changes_only_the_nouns_and_only_inside():
    with wording(systems="models", topics="query/queries"):
        assert (count(1, "topic"), count(2, "new topic"), word("systems")) == ("1 query", "2 new queries", "models")
        assert said("each system on two topics; subsystems stay") == "each model on two queries; subsystems stay"
        assert count(3, "pair") == "3 pairs"
    with wording(topics="categories"):
        assert count(1, "topic") == "1 category"
    assert count(2, "topic") == "2 topics"
