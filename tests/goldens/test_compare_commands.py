"""`tauscope compare` and `significance`: what they print is what the functions say, and wrong calls say what to do."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from tauscope import (
    Scores,
    compare,
    rank_judges,
    read_scores,
    significance,
    write_scores,
)
from tauscope.cli import main
from tauscope.judges.standing_in import stands_in


@pytest.fixture
def files(tmp_path: Path) -> dict[str, Path]:
    """A truth, a good and a poor judge, 8 systems x 20 topics."""
    rng = np.random.default_rng(3)
    truth = np.linspace(0.2, 0.7, 8) + 0.1 * rng.normal(size=(20, 1)) + 0.1 * rng.normal(size=(20, 8))
    found = {}
    for name, lean, noise in (("truth", 0.0, 0.0), ("good", 0.0, 0.05), ("poor", 0.3, 0.1)):
        values = truth + lean * np.random.default_rng(1).normal(size=8) + noise * rng.normal(size=(20, 8))
        scores = Scores(values.round(4), systems=list("abcdefgh"))
        found[name] = Path(write_scores(scores, tmp_path / f"{name}.csv", layout="wide"))
    return found


def run(capsys: pytest.CaptureFixture[str], *arguments: object, code: int = 0) -> str:
    assert main([str(argument) for argument in arguments]) == code
    captured = capsys.readouterr()
    return captured.err if code else captured.out


def test_compare_prints_the_result_the_ceiling_the_margin_and_the_sentence(files, capsys):
    printed = run(capsys, "compare", files["good"], "--truth", files["truth"], "--margin", 0.5, "-s", 4).splitlines()
    result = compare(read_scores(files["good"]), truth=read_scores(files["truth"]), rng=4)
    assert printed[: len(result.lines())] == result.lines()
    assert printed[-3] == result.methods_sentence()
    assert printed[-1] == f"Can it stand in? {stands_in(result, 0.5).sentence}"
    (ceiling,) = [line for line in printed if line.startswith(f"noise ceiling {result.noise_ceiling.value:.3f}: ")]
    assert ceiling.endswith("(tau_b by draws; `tauscope expected` has tau by a formula, which differs a little)")
    plain = run(capsys, "compare", files["good"], "--truth", files["truth"], "-c", "tau")
    assert "by a formula" not in plain
    assert f"at least 0.5 with confidence 95 %: yes (lower confidence limit {result.at_least():.3f})" in printed


def test_a_no_says_what_to_do_now(files, capsys):
    printed = run(capsys, "compare", files["poor"], "--truth", files["truth"], "--margin", 0.99)
    assert "not shown" in printed
    assert "now what: `tauscope hybrid` combines it with people on some topics" in printed
    assert "now what" not in run(capsys, "compare", files["good"], "--truth", files["truth"], "--margin", 0.1)
    thumb = run(capsys, "compare", files["poor"], "--truth", files["truth"]).splitlines()[-1]
    assert thumb.endswith("(0.9 and 0.8 are a rule of thumb; --margin asks for your own.)")
    assert thumb.startswith("Can it stand in? ")


def test_compare_gives_json_and_csv(files, capsys):
    arguments = ("compare", files["poor"], "--truth", files["truth"], "-c", "tau_ap_b", "--margin", 0.99)
    found = json.loads(run(capsys, *arguments, "--json"))
    result = compare(read_scores(files["poor"]), truth=read_scores(files["truth"]), coefficient="tau_ap_b", rng=0)
    assert found["corrected"] == result.corrected
    assert found["exceeds_margin"] is False
    assert 0 < found["noise_ceiling"] <= 1
    head, row = run(capsys, *arguments, "--csv").splitlines()
    assert head.startswith("coefficient,observed,corrected,low,high,at_least")
    assert row.startswith("tau_ap_b,")


def test_compare_speaks_the_users_words(files, capsys):
    printed = run(
        capsys,
        "compare",
        files["good"],
        "--truth",
        files["truth"],
        "--systems-are",
        "models",
        "--topics-are",
        "query/queries",
        "--resample",
        "both",
    )
    assert "8 models x 20 queries" in printed
    assert "draws of true means, queries shared; jackknife over 8 groups of models" in printed
    assert "system" not in printed
    assert "topic" not in printed


def test_compare_leaves_out_groups_of_systems(files, capsys, tmp_path):
    teams = tmp_path / "teams.csv"
    teams.write_text(
        "system,team\n" + "".join(f"{name},{k // 2}\n" for k, name in enumerate("abcdefgh")), encoding="utf-8"
    )
    arguments = ("compare", files["good"], "--truth", files["truth"], "--resample", "systems", "--groups", teams)
    assert "8 systems in 4 groups left out together, groups given" in run(capsys, *arguments)
    teams.write_text("a;1\n", encoding="utf-8")
    assert "teams.csv:1: 1 column; a file of groups has two" in run(capsys, *arguments, code=2)


def test_compare_ranks_judges_by_name(files, capsys):
    arguments = ("compare", "--truth", files["truth"], "--judges", f"poor={files['poor']}", f"good={files['good']}")
    result = rank_judges(
        {name: read_scores(files[name]) for name in ("poor", "good")}, truth=read_scores(files["truth"]), rng=0
    )
    printed = run(capsys, *arguments).splitlines()
    assert printed[:3] == result.lines()
    assert [line.split()[0] for line in printed if line.startswith("  ")] == ["judge", "good", "poor"]
    assert printed[-3].endswith("--pairs prints all 1 differences")
    assert printed[-1].startswith("Can good, the closest, stand in? ")
    printed = run(capsys, *arguments, "--pairs").splitlines()
    assert [line.split()[0] for line in printed if line.startswith("  ")] == ["judge", "good", "poor", "closer", "good"]
    assert json.loads(run(capsys, *arguments, "--json"))["judges"][0]["judge"] == "good"
    assert run(capsys, *arguments, "--csv").splitlines()[0] == "judge,observed,corrected,low,high,letters"


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ((), "Give one estimate, `tauscope compare JUDGE.csv --truth HUMAN.csv`, or several by name"),
        (("good", "--judges", "a=b"), "Give one estimate"),
        (("--judges", "good.csv"), "--judges good.csv: write NAME=FILE"),
        (("--judges", "a=nowhere.csv", "b=nowhere.csv"), "there is no such file"),
        (("--judges", "a=good", "b=poor", "--margin", "0.5"), "go with one estimate"),
        (("good", "--groups", "good"), "use --resample systems or --resample both"),
        (("good", "-c", "tau_c"), "tau_c"),
        (("good", "--level", "95"), "Do you mean 0.95"),
        (("good", "--json", "--csv"), "choose one"),
    ],
)
def test_wrong_calls_are_told_in_one_line_without_a_traceback(files, capsys, arguments, text):
    shown = [
        files[a] if a in files else a.replace("=good", f"={files['good']}").replace("=poor", f"={files['poor']}")
        for a in arguments
    ]
    message = run(capsys, "compare", *shown, "--truth", files["truth"], code=2)
    assert message.startswith("tauscope: ")
    assert text in message
    assert "Traceback" not in message


def test_significance_prints_the_answer_and_the_methods_on_request(files, capsys):
    arguments = ("significance", files["truth"], "--test", "t", "--correction", "holm")
    result = significance(read_scores(files["truth"]), test="t", correction="holm")
    assert run(capsys, *arguments).splitlines() == result.lines()
    assert result.methods_sentence()[:60] in " ".join(run(capsys, *arguments, "--methods").split())
    found = json.loads(run(capsys, "significance", files["truth"], "--json"))
    assert found["facts"]["correction"] == "maxT"
    assert found["facts"]["test"] == "t"
    assert found["facts"]["all_pairs"] == len(found["facts"]["pairs"]) == 28
    assert len(run(capsys, "significance", files["truth"], "--csv").splitlines()) == 29


def test_significance_against_a_truth_counts_what_is_kept(files, capsys):
    arguments = ("significance", files["poor"], "--truth", files["truth"])
    result = significance(read_scores(files["poor"]), truth=read_scores(files["truth"]), rng=0)
    assert run(capsys, *arguments).splitlines() == result.lines()
    assert json.loads(run(capsys, *arguments, "--json"))["facts"]["kept"] == result.kept
    assert run(capsys, *arguments, "--csv").splitlines()[0].endswith("truth_difference,truth_p,kind")


def test_significance_saves_its_chart(files, capsys, tmp_path):
    run(capsys, "significance", files["truth"], "--correction", "none", "--plot", tmp_path / "groups.svg")
    assert (tmp_path / "groups.svg").stat().st_size > 1000
