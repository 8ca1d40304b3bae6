"""`tauscope experiments power`, `judgments`, `swaps`, `perturb`; views of `correlate`, and `--top-k`.

What they print is what the functions say, and a wrong call is one line.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tauscope import Ranking, ScoreCube, Scores, correlate, demo, rbo
from tauscope.cli import main
from tauscope.experiments import incomplete_judgments, perturb, predictive_power, swap_experiment
from tauscope.io.write import write_scores


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    """AP and P@10 of eight systems on twenty topics."""
    rng = np.random.default_rng(3)
    ap = np.clip(0.3 + 0.05 * np.arange(8) + 0.15 * rng.normal(size=(20, 8)), 0, 1).round(3)
    p10 = np.clip(ap + 0.1 * rng.normal(size=ap.shape), 0, 1).round(1)
    paths = []
    for name, values in (("ap", ap), ("p10", p10)):
        paths.append(
            Path(write_scores(Scores(values, systems=list("ABCDEFGH")), tmp_path / f"{name}.csv", layout="wide"))
        )
    return paths[0], paths[1]


def run(capsys: pytest.CaptureFixture[str], *arguments: object) -> str:
    assert main([str(argument) for argument in arguments]) == 0
    return capsys.readouterr().out


def fails(capsys: pytest.CaptureFixture[str], *arguments: object) -> str:
    assert main([str(argument) for argument in arguments]) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert "Traceback" not in printed.err
    return printed.err


def facts(capsys: pytest.CaptureFixture[str], *arguments: object) -> dict[str, Any]:
    return json.loads(run(capsys, "experiments", *arguments, "--json"))["facts"]


def test_power_prints_the_result(files, capsys, tmp_path) -> None:
    ap, p10 = files
    given = ("power", f"AP={ap}", f"P@10={p10}", "--draws", 40, "-c", "tau_b", "tau", "-w", "0,0.05", "-s", 2)
    found = predictive_power(
        ScoreCube.read({"AP": ap, "P@10": p10}), ["tau_b", "tau"], draws=40, tied_within=(0, 0.05), rng=2
    )
    assert run(capsys, "experiments", *given).splitlines() == str(found).splitlines()
    rows = facts(capsys, *given)["rows"]
    assert len(rows) == 3 * 4
    assert rows[1]["value"] == found.values[0, 0, 0, 1]
    lines = run(capsys, "experiments", *given, "--csv").splitlines()
    assert lines[0] == "topics,coefficient,tied_within,truth,observer,value,standard_error,undefined"
    assert len(lines) == 13
    given = ("power", f"AP={ap}", "--draws", 20, "--topics", "4,20", "--drop-worst", 0.25, "--workers", 1)
    printed = run(capsys, "experiments", *given, "--plot", tmp_path / "power.svg", "--words", "topics=tasks")
    assert "6 systems, 20 tasks" in printed
    assert (tmp_path / "power.svg").stat().st_size > 1000


def test_judgments_prints_the_result(capsys, tmp_path) -> None:
    made = demo(4, depth=60)
    (tmp_path / "runs").mkdir()
    for one in made.runs[:5]:
        one.write(tmp_path / "runs" / one.name)
    made.qrels.write(tmp_path / "qrels.txt")
    given = ("judgments", tmp_path / "runs", "-q", tmp_path / "qrels.txt", "--percents", "5,50", "-c", "tau_a")
    found = incomplete_judgments(tmp_path / "runs", tmp_path / "qrels.txt", (5, 50), "tau_a", draws=2, rng=0)
    assert run(capsys, "experiments", *given, "--draws", 2).splitlines() == str(found).splitlines()
    assert facts(capsys, *given, "--draws", 2)["rows"][0]["rms"] == found.rms[0]
    assert len(run(capsys, "experiments", *given, "--draws", 2, "--csv").splitlines()) == 3


def test_swaps_prints_the_result(files, capsys) -> None:
    for kind in ("significant", "not"):
        found = swap_experiment(Scores.read(files[0]), kind, swaps=2, draws=10, rng=0)
        given = ("swaps", files[0], "--swaps", 2, "--draws", 10, "--pairs", kind)
        assert run(capsys, "experiments", *given).splitlines() == str(found).splitlines()
        assert facts(capsys, *given)["means"] == found.means.tolist()
        assert len(found.each_draw()["tau_ap"]) == 10
    assert run(capsys, "experiments", *given, "--csv").splitlines()[0] == "coefficient,mean,standard_error"


def test_perturb_prints_the_result(files, capsys) -> None:
    found = perturb(Ranking.read(files[0]), amplitudes=0.5, draws=30, rng=0)
    given = ("perturb", files[0], "--amplitudes", "0.5", "--draws", 30)
    assert run(capsys, "experiments", *given).splitlines() == str(found).splitlines()
    rows = facts(capsys, *given)["rows"]
    assert [rows[-1][name] for name in ("lowest", "median", "highest")] == found.values[0, 4, [0, 2, 4]].tolist()
    assert facts(capsys, *given, "--swap-neighbours")["keep_ranks"] is False


def test_views_of_correlate_are_those_of_its_result(files, capsys) -> None:
    ap, p10 = files
    found = correlate(Scores.read(p10, collection="p10"), truth=Scores.read(ap, collection="ap"), coefficient="tau_e")
    given = ("correlate", p10, "--truth", ap, "-c", "tau_e")
    views = {
        "topics": found.by_topic(),
        "topics:level=0.9": found.by_topic(0.9),
        "profile:system=C": found.profile("C"),
        "thresholds:thresholds=0,0.1,both=no": found.thresholds([0, 0.1], both=False),
        "calibrate:truth_tied_within=0.05,draws=20": found.calibrate_ties(0.05, draws=20),
    }
    for view, expected in views.items():
        assert run(capsys, *given, "--view", view).splitlines() == str(expected).splitlines()
        assert facts_of(capsys, *given, "--view", view) == json.loads(json.dumps(expected.to_dict()))
    assert len(run(capsys, *given, "--view", "topics", "--csv").splitlines()) == 21


def facts_of(capsys, *given):
    return json.loads(run(capsys, *given, "--json"))["facts"]


def test_overlap_prints_what_the_function_says(files, capsys) -> None:
    ap, p10 = files
    lists = rbo(Ranking.read(ap), Ranking.read(p10), 0.8, ties="b")
    given = ("coefficients", "rbo", ap, p10)
    assert run(capsys, *given, "--p", 0.8, "--ties", "b").splitlines() == str(lists).splitlines()
    assert facts_of(capsys, *given)["shared"] == 8


def test_correlate_compares_heads(files, capsys) -> None:
    ap, p10 = files
    given = ("correlate", p10, "--truth", ap, "--top-k", 3, "-c", "tau_a")
    assert re.search(r"Compared +the union of both top 3, 3 systems", run(capsys, *given))
    assert facts_of(capsys, *given)["top"]["k"] == 3


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (("experiments", "power", "{ap}", "{p10}"), "Or name them here: AP="),
        (("experiments", "power", "AP={ap}", "{p10}"), "Name the measure of every file"),
        (("experiments", "power", "AP={ap}", "--topics", "4,x"), "--topics 4,x: give numbers separated by commas"),
        (("experiments", "power", "AP={ap}", "--draws", "0"), "draws=0"),
        (("experiments", "power", "AP=nothing.csv"), "nothing.csv"),
        (("experiments", "power", "AP={ap}", "-c", "tau_x"), "There is no coefficient 'tau_x'"),
        (("experiments", "power", "AP={ap}", "--json", "--csv"), "--json and --csv: choose one"),
        (("experiments", "swaps", "{ap}", "--swaps", "9"), "cannot be drawn"),
        (("experiments", "perturb", "{ap}", "--amplitudes", "3"), "at least 0 and at most 1"),
        (("correlate", "{ap}", "--truth", "{p10}", "--view", "profile:system=Z"), "There is no system 'Z'"),
        (("coefficients", "rbo", "{ap}", "{p10}", "--p", "1"), "p is a share, above 0 and below 1"),
        (("correlate", "{ap}", "{p10}", "--top-k", "0"), "top_k is a whole number of at least 1"),
        (
            ("correlate", "{ap}", "--truth", "{p10}", "--top-k", "3", "-c", "tau_gap"),
            "tau_gap needs the score of every item",
        ),
        (("experiments", "judgments", "{ap}", "-q", "{p10}", "--percents", "5,a"), "--percents 5,a"),
    ],
)
def test_a_wrong_call_is_one_line_without_a_traceback(arguments, text, files, capsys) -> None:
    given = [argument.format(ap=files[0], p10=files[1]) for argument in arguments]
    assert text in fails(capsys, *given)
