"""`tauscope expected` and `simulate`: what they print is what the functions say."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from tauscope import Scores, expected_correlation
from tauscope.cli import main
from tauscope.io.write import write_scores
from tauscope.results import count, said, word, wording
from tauscope.simulate import Simulator


@pytest.fixture
def board(tmp_path: Path) -> Path:
    generator = np.random.default_rng(3)
    values = np.clip(0.5 + 0.05 * np.arange(6) + 0.15 * generator.normal(size=(30, 6)), 0, 1).round(3)
    scores = Scores(values, systems=list("fedcba"), measure="AP", collection="made up")
    return Path(write_scores(scores, tmp_path / "board.csv", layout="wide"))


def run(capsys: pytest.CaptureFixture[str], *arguments: object) -> str:
    assert main([str(argument) for argument in arguments]) == 0
    return capsys.readouterr().out


def test_expected_prints_the_answer(board, capsys):
    printed = run(capsys, "expected", board, "-s", 4, "-c", "tau_ap")
    result = expected_correlation(Scores.read(board, collection="board"), "tau_ap", rng=4)
    assert printed.splitlines() == str(result).splitlines()
    assert " ".join(result.methods_sentence().split()) in " ".join(
        run(capsys, "expected", board, "-s", 4, "-c", "tau_ap", "--methods").split()
    )


def test_expected_has_facts_as_json_and_the_best_systems_as_csv(board, capsys):
    found = json.loads(run(capsys, "expected", board, "--json"))["facts"]
    result = expected_correlation(Scores.read(board), rng=0)
    assert (found["coefficient"], found["value"]) == ("tau", result.value)
    assert [found["low"], found["high"]] == list(result.interval)
    assert found["most_doubtful"]["probability"] == result.pairs.probability[0]
    lines = run(capsys, "expected", board, "--csv").splitlines()
    assert lines[0] == "subset,systems,value,low,high"
    assert len(lines) == 3


def test_the_options_of_the_methods_are_those_of_the_function(board, capsys):
    scores = Scores.read(board)
    for options, given in (
        (("--method", "split_half", "--no-replace", "--draws", 300), {"replace": False, "draws": 300}),
        (("--method", "res", "--draws", 50), {"draws": 50}),
        (("--method", "ml"), {}),
    ):
        found = json.loads(run(capsys, "expected", board, *options, "--json"))["facts"]
        assert found["value"] == expected_correlation(scores, "tau", options[1], **given).value
    assert json.loads(run(capsys, "expected", board, "--method", "shw", "--json"))["facts"]["of_100"] is None


@pytest.mark.parametrize(
    ("view", "options", "call"),
    [
        ("pairs", (), lambda r: r.pairs),
        ("swaps", (), lambda r: r.swaps),
        ("curve:topics=30,60", (), lambda r: r.curve([30, 60])),
        ("curve:adding", (), lambda r: r.curve(adding=True)),
        ("plan", (), lambda r: r.topics_needed(0.9)),
        ("plan:target=0.95,adding", (), lambda r: r.topics_needed(0.95, adding=True)),
        ("sensitivity:error=0.1", (), lambda r: r.sensitivity(0.1)),
    ],
)
def test_views_are_methods_and_properties_of_the_result(view, options, call, board, capsys):
    made = call(expected_correlation(Scores.read(board, collection="board"), rng=0))
    assert json.loads(run(capsys, "expected", board, "--view", view, *options, "--json"))["facts"] == made.to_dict()
    assert run(capsys, "expected", board, "--view", view, *options).rstrip().splitlines() == str(made).splitlines()


def test_simulate_writes_what_the_simulator_draws(board, tmp_path, capsys):
    printed = run(
        capsys,
        "experiments",
        "simulate",
        board,
        "--topics",
        8,
        "-o",
        tmp_path / "sim.csv",
        "--draws",
        2,
        "-s",
        5,
        "--json",
    )
    found = json.loads(printed)
    simulator = Simulator.fit(Scores.read(board))
    assert found["seeds"] == [5, 6]
    assert found["facts"]["true_means"] == simulator.true_means.tolist()
    for path, seed in zip(found["written"], found["seeds"], strict=True):
        assert np.array_equal(Scores.read(path).values, simulator.draw(8, rng=seed).values)
    one = tmp_path / "one.csv"
    assert run(capsys, "experiments", "simulate", board, "--topics", 8, "-o", one, "--model", "random_topics=no")
    assert one.is_file()


@pytest.mark.parametrize("command", ["expected", "rank"])
def test_the_words_of_the_user_replace_systems_and_topics_everywhere(command, board, capsys):
    printed = run(capsys, command, board, "--words", "systems=models,topics=query/queries")
    assert "topic" not in printed
    assert "system" not in printed
    assert "models" in printed or "model" in printed


def test_a_figure_is_saved_where_it_was_asked_for(board, tmp_path, capsys):
    assert main(["expected", str(board), "--json", "--plot", str(tmp_path / "chart.svg")]) == 0
    answered = capsys.readouterr()
    assert json.loads(answered.out)
    assert answered.err == f"figure: {tmp_path / 'chart.svg'}\n"
    assert (tmp_path / "chart.svg").read_text(encoding="utf-8").startswith("<?xml")
    assert not list(tmp_path.glob(".*part"))


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (["expected"], "tauscope: expected needs FILES: Scores of topics by systems"),
        (["expected", "none.csv"], "tauscope: none.csv: there is no such file."),
        (
            ["expected", "BOARD", "--view", "curve:target=0.9"],
            "tauscope: --view curve: target=0.9: it takes topics=…, adding=….",
        ),
        (["expected", "BOARD", "--json", "--csv"], "tauscope: --json and --csv: choose one."),
        (
            ["expected", "BOARD", "--words", "systems="],
            "tauscope: '' is no word for systems; give a plural such as 'models', or 'query/queries'.",
        ),
        (
            ["expected", "BOARD", "--view", "plan", "-c", "tau_gap"],
            "tauscope: The expected tau_gap is not a sum of swap probabilities",
        ),
        (
            ["expected", "BOARD", "--view", "plan:target=90"],
            "tauscope: target=90.0: target is a number above -1 and below 1.",
        ),
        (
            ["experiments", "simulate", "BOARD", "--topics", "0", "-o", "x.csv"],
            "tauscope: topics=0: topics is a whole number of at least 1.",
        ),
        (
            ["experiments", "simulate", "BOARD", "--topics", "3", "-o", "x.csv", "--draws", "0"],
            "tauscope: --draws 0: draw at least one collection.",
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
