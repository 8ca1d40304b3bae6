"""`tauscope hybrid`, `plan --judge` and `audit`: what they print is what the functions say, and wrong calls say what to
do."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from tauscope import Scores, audit, compare, hybrid, rank
from tauscope.cli import main
from tauscope.io.columns import read_chances
from tauscope.io.write import write_scores

SYSTEMS = tuple("abcdefgh")


@pytest.fixture
def files(tmp_path: Path) -> dict[str, Path]:
    """People on all topics and on some, a judge, lengths, and families: 8 systems x 40 topics."""
    rng = np.random.default_rng(3)
    truth = np.linspace(0.2, 0.5, 8) + 0.1 * rng.normal(size=(40, 1)) + 0.1 * rng.normal(size=(40, 8))
    judge = 0.1 + 0.8 * truth + 0.05 * rng.normal(size=truth.shape)
    tables = {"all": truth, "some": truth[:12], "judge": judge, "lengths": rng.integers(20, 400, truth.shape)}
    tables |= {name: truth + 0.1 * rng.normal(size=truth.shape) for name in ("ann", "bob", "cid")}
    found = {}
    for name, values in tables.items():
        scores = Scores(np.round(values.astype(float), 4), systems=SYSTEMS)
        found[name] = Path(write_scores(scores, tmp_path / f"{name}.csv", layout="wide"))
    found["families"] = tmp_path / "families.csv"
    found["families"].write_text("system,family\n" + "".join(f"{s},{'xy'[i % 2]}\n" for i, s in enumerate(SYSTEMS)))
    return found


def run(capsys: pytest.CaptureFixture[str], *arguments: object, code: int = 0) -> str:
    assert main([str(argument) for argument in arguments]) == code
    captured = capsys.readouterr()
    return captured.err if code else captured.out


def test_hybrid_prints_the_answer_and_its_views(files, tmp_path, capsys):
    human, judge = Scores.read(files["some"]), Scores.read(files["judge"])
    result = hybrid(human, judge, rng=4)
    asked = ("hybrid", files["some"], "--judge", files["judge"])
    printed = run(capsys, *asked, "--seed", 4)
    assert printed.splitlines()[-8:] == str(result).splitlines()[-8:]
    found = json.loads(run(capsys, *asked, "--method", "shrunk", "--json"))["facts"]
    assert found["method"] == "shrunk"
    assert found["worth_at_the_top"] is None
    assert {"low_rank", "high_rank", "tier", "possible_winner"} <= set(found)
    assert result.winners == rank(result).winners
    table = run(capsys, *asked, "--csv").splitlines()
    assert table[0] == "system,estimate,error,low_rank,high_rank,tier,possible_winner,people,judge"
    assert len(table) == 9
    plan = hybrid(human, judge).plan(target=0.85)
    shown = run(capsys, *asked, "--view", "plan:target=0.85")
    assert shown.splitlines()[-5:] == str(plan).splitlines()[-5:]
    listed = tmp_path / "next.csv"
    drawn = ("--view", "next:choose=6,design=disagreement")
    listed.write_text(run(capsys, *asked, *drawn, "--csv"))
    sample = hybrid(human, judge).next(6, design="disagreement")
    assert read_chances(listed) == pytest.approx(dict(sample.chances))
    # The list goes back into the hybrid once people have judged it.
    everyone = Scores.read(files["all"]).select(topics=list(sample.chances))
    done = Path(write_scores(everyone, tmp_path / "done.csv", layout="wide"))
    combined = run(capsys, "hybrid", done, "--judge", files["judge"], "--chances", listed, "--methods")
    assert "unequal chances" in " ".join(combined.split())
    pair = json.loads(run(capsys, *asked, "--view", "difference:first=a,second=h", "--json"))["facts"]
    assert pair["difference"] == pytest.approx(hybrid(human, judge).difference("a", "h").difference)
    wider = run(capsys, *asked, "--view", "plan:target=0.98,most_topics=900", "--json")
    assert json.loads(wider)["facts"]["cheapest"]["judge_topics"] > 40
    assert len(json.loads(run(capsys, "hybrid", "--judge", files["judge"], *drawn, "--json"))["facts"]["topic"]) == 6


def test_wrong_hybrids_are_told(files, capsys):
    asked = ("hybrid", files["some"], "--judge", files["judge"])
    width = run(capsys, *asked, "--view", "plan:goal=width", code=2)
    assert "the width has to be given" in width
    assert "Use --view plan:goal=width,target=0.05 for intervals" in width
    assert "target=1.5" in run(capsys, *asked, "--view", "plan:target=1.5", code=2)
    assert "--view plan: choose=5: it takes goal=…" in run(capsys, *asked, "--view", "plan:choose=5", code=2)
    assert "--view next needs choose: write --view next:choose=…." in run(capsys, *asked, "--view", "next", code=2)
    assert "--depths goes with --runs" in run(capsys, *asked, "--depths", 10, code=2)


def test_hybrid_on_documents_takes_runs_and_two_qrels(tmp_path, capsys):
    runs = {"a": {"1": {"x": 4, "y": 3, "z": 2, "w": 1}}, "b": {"1": {"w": 4, "z": 3, "y": 2, "x": 1}}}
    people, judge = {"x": 1, "y": 0, "w": 0}, {"x": 1, "y": 1, "z": 0, "w": 0}
    folder = tmp_path / "runs"
    folder.mkdir()
    for name, lists in runs.items():
        lines = [f"1 Q0 {d} 0 {score} {name}\n" for d, score in lists["1"].items()]
        (folder / name).write_text("".join(lines))
    for name, grades in (("human", people), ("judge", judge)):
        (tmp_path / f"{name}.qrels").write_text("".join(f"1 0 {d} {g}\n" for d, g in grades.items()))
    human, machine = tmp_path / "human.qrels", tmp_path / "judge.qrels"
    asked = ("hybrid", human, "--judge", machine, "--runs", folder)
    printed = run(capsys, *asked, "--measures", "AP,P@2")
    result = hybrid({"1": people}, {"1": judge}, runs=runs, measures=["AP", "P@2"])
    assert printed.splitlines()[-4:] == str(result).splitlines()[-4:]
    assert "3 of 4 documents (75.0 %, at random)" in " ".join(printed.split())
    assert json.loads(run(capsys, *asked, "--json"))["facts"]["human_documents"] == 3
    everything = hybrid({"1": judge}, {"1": judge}, runs=runs, measures=["AP", "P@2"])
    assert "4 of 4 documents (100.0 %)" in " ".join(str(everything).split())
    assert "from people's labels of all 4 documents, and" in everything.methods_sentence()
    worst_first = dict(reversed(runs.items()))
    table = hybrid({"1": judge}, {"1": judge}, runs=worst_first, measures=["AP"]).columns()
    assert table["system"] == ["a", "b"]
    assert list(table["mean"]) == sorted(table["mean"], reverse=True)
    assert "are for scores on topics" in run(capsys, *asked, "--method", "shrunk", code=2)
    sample = run(capsys, *asked, "--view", "next:choose=1", "--csv").splitlines()
    assert sample[0] == "topic,document,stratum,chance"
    assert "People must judge" in run(capsys, *asked, "--view", "plan:target=0.01")
    assert "--view plan:top= says nothing of these files" in run(
        capsys, *asked, "--view", "plan:target=0.01,top=3", code=2
    )
    assert "--view plan needs target" in run(capsys, *asked, "--view", "plan", code=2)


def test_audit_prints_the_answer_and_one_row_per_check(files, capsys):
    judge, truth = Scores.read(files["judge"]), Scores.read(files["all"])
    result = audit({"judge": judge}, truth=truth)
    printed = run(capsys, "audit", files["judge"], "--truth", files["all"])
    assert "Soft pairwise accuracy" in printed
    assert str(result).splitlines()[-3:] == printed.splitlines()[-3:]
    named = files["judge"].with_name("gpt-9.csv")
    named.write_text(files["judge"].read_text())
    kin = files["families"].with_name("kin.csv")
    kin.write_text(files["families"].read_text() + "gpt-9,x\njudge,x\n")
    found = json.loads(run(capsys, "audit", named, "--truth", files["all"], "--groups", kin, "--json"))
    assert list(found["facts"]["soft_accuracy"]) == ["gpt-9"]
    assert found["facts"]["families"]["families"] == ["x"]
    people = [f"{name}={files[name]}" for name in ("ann", "bob", "cid")]
    asked = ("audit", files["judge"], "--people", *people, "--groups", kin, "--lengths", files["lengths"])
    found = json.loads(run(capsys, *asked, "--json"))["facts"]
    checks = ["agreement", "soft_accuracy", "tied_accuracy", "scale", "people", "length", "shifts", "families"]
    assert found["check"] == checks
    assert len(found["people"]["judge"]["left_out"]) == 3
    table = run(capsys, *asked, "--csv").splitlines()
    assert table[0] == "check,judge,outcome,value,low,high,p"
    for check in checks:
        assert run(capsys, *asked, "--view", check)
    both = run(capsys, "audit", f"one={files['judge']}", f"two={files['ann']}", "--truth", files["all"])
    assert "Independent judges" in both


def test_holes_of_systems_that_are_left_out_cost_no_topic(files, tmp_path, capsys):
    rows = files["judge"].read_text().splitlines()
    table = [f"{row},{'z' if at == 0 else '' if at == 3 else '0.5'}" for at, row in enumerate(rows)]
    more = tmp_path / "more.csv"
    more.write_text("\n".join(table) + "\n")
    assert "has no score" in run(capsys, "compare", more, "--truth", files["all"], code=2)
    for missing in ("error", "drop-topics"):
        asked = ("--unmatched", "drop", "--missing", missing, "--json")
        found = json.loads(run(capsys, "compare", more, "--truth", files["all"], *asked))
        assert (found["facts"]["topics"], found["facts"]["systems"]) == ([40, 40], 8)
        audited = json.loads(run(capsys, "audit", more, "--truth", files["all"], *asked))
        assert (audited["facts"]["topics"], audited["facts"]["systems"]) == (40, 8)
        several = json.loads(run(capsys, "compare", f"a={more}", f"b={files['ann']}", "--truth", files["all"], *asked))
        assert several["facts"]["topics"] == [40, 40, 40]
    gap = tmp_path / "gap.csv"
    rows[5] = ",".join([rows[5].split(",")[0], "", *rows[5].split(",")[2:]])
    gap.write_text("\n".join(rows) + "\n")
    asked = ("compare", gap, "--truth", files["all"], "--missing", "drop-topics", "--unmatched", "drop", "--json")
    assert json.loads(run(capsys, *asked))["facts"]["topics"][0] == 39
    shared = json.loads(run(capsys, *asked, "--topics", "shared"))
    assert shared["facts"]["topics"] == [39, 39]


def test_wrong_audits_are_told(files, capsys):
    nobody = run(capsys, "audit", files["judge"], code=2)
    assert "Name people's scores" in nobody
    assert "--truth" in nobody
    assert "--people" in nobody
    told = run(capsys, "audit", files["judge"], "--truth", files["all"], "--view", "family", code=2)
    assert "There is no view 'family'" in told


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("topic,share\n1,0.5\n", "chances.csv:1: the header has no column chance"),
        ("topic,chance\n1,0\n", "chances.csv:2: the chance '0' is no number above 0"),
        ("topic,chance\n1,0.5\n1,0.6\n", "chances.csv:3: '1' has two chances"),
    ],
)
def test_damaged_lists_of_chances_are_told_with_their_line(files, tmp_path, capsys, text: str, told: str):
    damaged = tmp_path / "chances.csv"
    damaged.write_text(text)
    assert told in run(capsys, "hybrid", files["some"], "--judge", files["judge"], "--chances", damaged, code=2)


def test_qrels_without_runs_are_told(tmp_path, files, capsys):
    qrels = tmp_path / "human.qrels"
    qrels.write_text("1 0 x 1\n1 0 y 0\n1 0 z -1\n")
    told = run(capsys, "hybrid", qrels, "--judge", qrels, code=2)
    assert "looks like judgments of documents (qrels), not like scores. Add --runs" in told
    four = tmp_path / "four.tsv"  # a matrix of topics by three systems is no qrels
    four.write_text("topic\ta\tb\tc\n" + "".join(f"{i}\t0\t{i % 5}.5\t{i % 3}\n" for i in range(1, 9)))
    assert "qrels" not in run(capsys, "hybrid", four, "--judge", four)


def test_a_warning_of_other_topics_names_the_judge_and_the_option_and_is_gone_with_it(files, capsys):
    asked = ["compare", f"a={files['some']}", f"b={files['judge']}", "--truth", str(files["some"])]
    assert main(asked) == 0
    warned = capsys.readouterr().err
    assert "28 of 40 topics are only in judge 'b': means over 40 and 12 topics are compared" in warned
    assert "--topics shared" in warned
    assert "only in the truth" not in warned
    assert main([*asked, "--topics", "shared"]) == 0
    assert "are compared" not in capsys.readouterr().err


def test_an_audit_that_does_not_say_yes_says_what_to_do(files, tmp_path, capsys):
    noise = Scores(np.random.default_rng(1).normal(size=(40, 8)).round(4), systems=SYSTEMS)
    bad = Path(write_scores(noise, tmp_path / "bad.csv", layout="wide"))
    now = "run tauscope hybrid"
    assert now in " ".join(run(capsys, "audit", bad, "--truth", files["all"]).split())
    assert now not in " ".join(run(capsys, "audit", files["all"], "--truth", files["all"]).split())


def test_families_that_do_not_meet_are_listed_and_missing_ones_are_named(files, capsys):
    few = files["families"].with_name("few.csv")
    few.write_text(files["families"].read_text() + "judge,z\n")
    asked = ("audit", files["judge"], "--truth", files["all"], "--groups", few)
    assert "judges are of 'z', systems of 'x', 'y'" in run(capsys, *asked, code=2)
    few.write_text("system,family\na,x\nb,y\n")
    assert "6 systems have no group: " in run(capsys, *asked, code=2)


def test_a_methods_sentence_has_what_was_done_and_not_what_is_odd():
    rng = np.random.default_rng(1)
    values = rng.random((30, 6)).round(3)
    values[:, 1] = values[:, 0]
    values[:3, 2] = -1
    judge = Scores(values, systems=SYSTEMS[:6])
    truth = Scores(rng.random((30, 5)).round(3), systems=SYSTEMS[:5])
    found = compare(judge, truth=truth, unmatched="drop")
    said = list(map(str, found.notes))
    odd = [note for note in said if "same score on every topic" in note or "cells are -1" in note]
    assert len(odd) == 2
    sentence = found.methods_sentence()
    assert not any(note in sentence for note in odd)
    assert "One system only in `judge` dropped" in sentence
