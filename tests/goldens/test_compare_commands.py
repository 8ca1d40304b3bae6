"""`tauscope compare` and `significance`: what they print is what the functions say, and wrong calls say what to do."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tauscope import Scores, compare, significance
from tauscope.cli import main
from tauscope.io.write import write_scores
from tauscope.judges.compare import Comparison


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


def both(files: dict[str, Path], judge: str, **options: Any) -> Comparison:
    """What Python says of the same files, with the names that the shell gives them."""
    truth = Scores.read(files["truth"]).changed(collection="truth")
    return compare({judge: Scores.read(files[judge])}, truth=truth, **options)


def test_compare_prints_verdict_advice_numbers_and_one_table(files, capsys):
    arguments = ("compare", files["good"], "--truth", files["truth"], "--margin", 0.5, "-s", 4)
    result = both(files, "good", margin=0.5, rng=4)
    printed = run(capsys, *arguments)
    assert printed.splitlines() == str(result).splitlines()
    assert printed.startswith("Can good replace truth?  8 systems, 20 topics\nCan replace. ")
    full = " ".join(run(capsys, *arguments, "--methods").replace("•", " ").split())
    for text in (result.methods_sentence(), "The one-sided lower confidence limit of the agreement decides"):
        assert text in full


def test_a_judge_that_cannot_replace_people_is_told_what_to_do_now(files, capsys):
    printed = " ".join(run(capsys, "compare", files["poor"], "--truth", files["truth"], "--margin", 0.99).split())
    assert "Cannot replace. " in printed
    assert "To rank with people and judge together, run tauscope hybrid." in printed
    assert "tauscope hybrid" not in run(capsys, "compare", files["good"], "--truth", files["truth"], "--margin", 0.1)
    thumb = " ".join(run(capsys, "compare", files["poor"], "--truth", files["truth"], "--methods").split())
    assert "These thresholds are a rule of thumb; state your own with margin." in thumb


def test_compare_gives_json_csv_and_latex(files, capsys):
    arguments = ("compare", files["poor"], "--truth", files["truth"], "-c", "tau_ap_b", "--margin", 0.99)
    found = json.loads(run(capsys, *arguments, "--json"))
    result = both(files, "poor", coefficient="tau_ap_b", margin=0.99)
    assert found["facts"]["corrected"] == result.corrected
    assert found["facts"]["verdict"] == "cannot"
    assert found["answer"]["verdict"]["label"] == "Cannot replace"
    assert 0 < found["facts"]["noise_ceiling"] <= 1
    head, *rows = run(capsys, *arguments, "--csv").splitlines()
    assert head == "system,truth_mean,judge_mean,truth_rank,judge_rank,group,gain"
    assert len(rows) == 8
    table = run(capsys, *arguments, "--latex").splitlines()
    assert table[2] == r"systems & coefficient & observed & corrected & 95 \% CI & lower limit \\"


@pytest.mark.parametrize(
    ("view", "first"), [("pairs", "Pairs that lower"), ("systems", "Ranks of all"), ("agreements", "Agreement")]
)
def test_a_view_is_a_table_of_the_answer(files, capsys, view, first):
    arguments = ("compare", files["poor"], "--truth", files["truth"], "--view", view)
    assert run(capsys, *arguments).startswith(first)
    rows = json.loads(run(capsys, *arguments, "--json"))["rows"]
    assert len(run(capsys, *arguments, "--csv").splitlines()) == 1 + len(rows)


def test_a_view_is_a_result_of_its_own(files, capsys):
    arguments = ("compare", files["poor"], "--truth", files["truth"])
    kept = significance(Scores.read(files["poor"]), truth=Scores.read(files["truth"])).kept
    assert json.loads(run(capsys, *arguments, "--view", "differences", "--json"))["facts"]["kept"] == kept
    assert "Soft pairwise accuracy" in run(capsys, *arguments, "--view", "soft_accuracy")
    assert "Use --view pairs" in run(capsys, *arguments, "--view", "everything", code=2)


def test_compare_speaks_the_users_words(files, capsys):
    words = ("--words", "systems=models,topics=query/queries", "--resample", "both", "--methods")
    printed = " ".join(run(capsys, "compare", files["good"], "--truth", files["truth"], *words).split())
    assert "8 models, 20 queries" in printed
    assert "draws of true means, queries shared, jackknife over 8 groups of models" in printed
    assert "system" not in printed.partition("References")[0]
    assert "topic" not in printed.partition("References")[0]


def test_compare_leaves_out_groups_of_systems(files, capsys, tmp_path):
    teams = tmp_path / "teams.csv"
    teams.write_text(
        "system,team\n" + "".join(f"{name},{k // 2}\n" for k, name in enumerate("abcdefgh")), encoding="utf-8"
    )
    arguments = ("compare", files["good"], "--truth", files["truth"], "--resample", "systems", "--groups", teams)
    assert "8 systems in 4 groups, as given: one group after the other" in run(capsys, *arguments, "--methods")
    assert "Ranks gained by group" in run(capsys, *arguments, "--view", "shifts")
    teams.write_text("a;1\n", encoding="utf-8")
    assert "teams.csv:1: 1 column; a file of groups has two" in run(capsys, *arguments, code=2)


def test_several_judges_are_compared_by_name(files, capsys):
    arguments = ("compare", f"worse={files['poor']}", files["good"], "--truth", files["truth"])
    judges = {"worse": Scores.read(files["poor"]), "good": Scores.read(files["good"])}
    result = compare(judges, truth=Scores.read(files["truth"]).changed(collection="truth"))
    assert run(capsys, *arguments).splitlines() == str(result).splitlines()
    assert json.loads(run(capsys, *arguments, "--json"))["facts"]["judge"] == ["good", "worse"]
    assert run(capsys, *arguments, "--view", "pairs", "--csv").splitlines()[1].startswith("good,worse,")
    head = run(capsys, *arguments, "--csv").splitlines()[0]
    assert head == "judge,observed,corrected,low,high,limit,standing,letters"


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ((), "FILES"),
        (("a=nowhere.csv", "b=nowhere.csv"), "there is no such file"),
        (("good", "poor", "--resample", "systems"), "Use --resample topics"),
        (("good", "-c", "tau_c"), "tau_c"),
        (("good", "--level", "95"), "Do you mean 0.95"),
        (("good", "--json", "--csv"), "choose one"),
    ],
)
def test_wrong_calls_are_told_in_one_line_without_a_traceback(files, capsys, arguments, text):
    shown = [files.get(a, a) for a in arguments]
    message = run(capsys, "compare", *shown, "--truth", files["truth"], code=2)
    assert message.startswith("tauscope: ")
    assert text in message
    assert "Traceback" not in message
    assert "Name the reference" in run(capsys, "compare", files["good"], code=2)


def test_significance_prints_the_answer_and_the_methods_on_request(files, capsys):
    arguments = ("significance", files["truth"], "--test", "t", "--correction", "holm")
    result = significance(Scores.read(files["truth"], collection="truth"), test="t", correction="holm")
    assert run(capsys, *arguments).splitlines() == str(result).splitlines()
    assert result.methods_sentence()[:60] in " ".join(run(capsys, *arguments, "--methods").split())
    found = json.loads(run(capsys, "significance", files["truth"], "--json"))
    assert found["facts"]["correction"] == "maxT"
    assert found["facts"]["test"] == "t"
    assert found["facts"]["all_pairs"] == len(found["facts"]["pairs"]) == 28
    assert len(run(capsys, "significance", files["truth"], "--csv").splitlines()) == 29


def test_significance_against_a_truth_counts_what_is_kept(files, capsys):
    arguments = ("significance", files["poor"], "--truth", files["truth"])
    result = significance(
        Scores.read(files["poor"], collection="poor"), truth=Scores.read(files["truth"], collection="truth"), rng=0
    )
    assert run(capsys, *arguments).splitlines() == str(result).splitlines()
    assert json.loads(run(capsys, *arguments, "--json"))["facts"]["kept"] == result.kept
    assert run(capsys, *arguments, "--csv").splitlines()[0].endswith("truth_difference,truth_p,kind")


def test_significance_saves_its_chart(files, capsys, tmp_path):
    run(capsys, "significance", files["truth"], "--correction", "none", "--plot", tmp_path / "groups.svg")
    assert (tmp_path / "groups.svg").stat().st_size > 1000
