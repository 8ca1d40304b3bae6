"""`tauscope rank`, `compare` and `gate`: what they print is what the functions say; wrong input is told in a line."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import numpy as np
import pytest

from tauscope import (
    Battles,
    Published,
    Scores,
    bradley_terry,
    compare,
    gate,
    rank,
    significance,
    variance_components,
    versions,
)
from tauscope.boards.repeats import Repeats
from tauscope.cli import main
from tauscope.io.columns import read_groups
from tauscope.io.write import write_scores

NAMES = ("ant", "bee", "cat", "dog", "elk")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A board of scores, two printed ones, battles by people and by a judge, runs, clusters."""
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(7)
    means = np.array([0.71, 0.68, 0.55, 0.54, 0.3])
    board = Scores(
        (means + 0.1 * rng.normal(size=(40, 1)) + 0.08 * rng.normal(size=(40, 5))).round(3),
        topics=[f"task {i}" for i in range(1, 41)],
        systems=NAMES,
    )
    write_scores(board, "board.csv", layout="wide")
    rows = ["topic,cluster", *(f"task {i},family {i % 10}" for i in range(1, 41))]
    Path("families.csv").write_text("\n".join(rows) + "\n", encoding="utf-8")
    Path("may.csv").write_text("model,score,ci\nant,1470,+5/-5\nbee,1446,+6/-6\ncat,1441,± 9\ndog,1398,± 7\n", "utf-8")
    august = "model,score,stderr\nant,1494,2\nbee,1470,3\ncat,1466,4\ndog,1502,3\ngnu,1500,5\n"
    Path("august.csv").write_text(august, "utf-8")
    strength = np.array([1.2, 1.0, 0.2, 0.0, -1.0])
    i = rng.integers(5, size=1500)
    j = (i + rng.integers(1, 5, size=1500)) % 5
    for file, bias, ties in (("people", 0.0, 0.3), ("judge", 1.5, 0.02)):
        won = rng.random(1500) < 1 / (1 + np.exp(strength[j] - strength[i] - bias))
        winner = np.where(rng.random(1500) < ties, "tie (bothbad)", np.where(won, "model_a", "model_b"))
        with Path(f"{file}.jsonl").open("w", encoding="utf-8") as out:
            for k in range(1500):
                row = {"id": k, "question_id": f"q{k % 60}", "model_a": NAMES[i[k]], "model_b": NAMES[j[k]]}
                out.write(json.dumps(row | {"winner": str(winner[k])}) + "\n")
    cells = means[None, :, None] + 0.1 * rng.normal(size=(12, 5, 1)) + 0.1 * rng.normal(size=(12, 5, 3))
    made = Repeats(cells.round(3))
    lines = ["model,task,seed,score"]
    lines += [f"{NAMES[s]},t{t},{r},{made.values[t, s, r]}" for t in range(12) for s in range(5) for r in range(3)]
    Path("runs.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return tmp_path


def board_named() -> Scores:
    """The board as the shell names it."""
    return Scores.read("board.csv", collection="board")


def run(capsys: pytest.CaptureFixture[str], line: str, code: int = 0) -> str:
    assert main(line.split()) == code, capsys.readouterr().err
    return capsys.readouterr().out


def fails(capsys: pytest.CaptureFixture[str], line: str) -> str:
    assert main(line.split()) == 2
    printed = capsys.readouterr().err
    assert printed.startswith("tauscope: ")
    assert "Traceback" not in printed
    return printed


def test_rank_prints_its_answer_and_the_facts_as_a_table_and_as_json(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    found = rank(board_named())
    assert run(capsys, "rank board.csv").splitlines() == str(found).splitlines()
    rows = list(csv.DictReader(run(capsys, "rank board.csv --csv").splitlines()))
    assert [(row["system"], int(row["low"]), int(row["high"])) for row in rows] == [
        (name, *found[name]) for name in found.systems
    ]
    told = json.loads(run(capsys, "rank board.csv --json"))
    assert told["facts"] == json.loads(json.dumps(found.to_dict()))
    assert told["answer"]["verdict"]["label"] in run(capsys, "rank board.csv")
    assert run(capsys, "rank board.csv --latex").strip() == found.to_latex()
    assert "You may claim" in run(capsys, "rank board.csv --methods")


def test_tiers_follow_the_ranking_where_variances_are_unequal(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    # One that varies much is not distinguishable from the leader, two above it are.
    noise = np.array([0.01, 0.01, 0.01, 1.5, 0.01])
    spread = np.random.default_rng(1).normal(size=(40, 5))
    values = np.array([0.9, 0.7, 0.69, 0.6, 0.1]) + noise * (spread - spread.mean(axis=0))
    write_scores(Scores(values, systems=NAMES), "crossed.csv", layout="wide")
    write_scores(
        Scores(np.where(values == values[0, 1], np.nan, values), systems=NAMES, missing="keep"),
        "holes.csv",
        layout="wide",
    )
    Path("crossed-errors.csv").write_text("model,score,stderr\na,90,1\nb,70,1\nc,69,1\nd,60,40\ne,-90,1\n", "utf-8")
    for file in ("crossed.csv", "crossed-errors.csv", "holes.csv"):
        rows = csv.DictReader(run(capsys, f"rank {file} --csv").splitlines())
        assert [int(row["tier"]) for row in rows] == [1, 1, 1, 1, 2], file


def test_ranks_of_a_printed_table_are_those_of_its_errors(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    printed = run(capsys, "rank may.csv")
    assert printed.splitlines() == str(rank(Published.read("may.csv"))).splitlines()
    assert printed == (
        "Which ranks do the data support?  4 systems\n"
        "Clear winner. ant is significantly better than each of the other 3 systems.\n"
        "What to do: Name ant as the winner, and print rank intervals for the other systems.\n"
        "\n"
        "Possible winners (95 % confidence)  1 of 4  ant\n"
        "Significantly different pairs       5 of 6  All pairs are tested jointly. 2 of the 3 neighbouring\n"
        "                                            pairs differ significantly.\n"
        "Tiers                               3       Every system below a tier is significantly worse than\n"
        "                                            the system at the top of that tier.\n"
        "\n"
        "Rank  System  Rank interval  Score  Tier  Possible winner\n"
        "   1  ant     1–1             1470     1  yes\n"
        "   2  bee     2–3             1446     2\n"
        "   3  cat     2–3             1441     2\n"
        "   4  dog     4–4             1398     3\n"
    )
    named = run(capsys, "rank august.csv --columns error=stderr,score=score,system=model --csv")
    assert [row["system"] for row in csv.DictReader(named.splitlines())] == ["dog", "gnu", "ant", "bee", "cat"]
    worse = run(capsys, "rank august.csv --columns error=stderr,score=score --lower-is-better --csv")
    assert next(csv.DictReader(worse.splitlines()))["system"] == "cat"


def test_views_print_what_the_methods_say(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = rank(board_named())
    views = {
        "neighbours": found.neighbours,
        "rules": found.under_rules(),
        "rules:rules=mean,borda": found.under_rules(["mean", "borda"]),
        "fragility": found.fragility(),
        "fragility:above=cat,below=dog": found.fragility("cat", "dog"),
        "best-set": found.best_set(),
        "one:system=bee": found.one("bee"),
    }
    for view, expected in views.items():
        assert run(capsys, f"rank board.csv --view {view}").splitlines() == str(expected).splitlines(), view
    assert run(capsys, "rank board.csv --rule borda").splitlines() == str(rank(board_named(), "borda")).splitlines()
    printed = run(capsys, "rank may.csv --view neighbours --csv").splitlines()
    assert printed[0] == "above,below,difference,p,significant,tied,identical"
    assert "--view neighbours has no options: leave out above=cat" in fails(
        capsys, "rank board.csv --view neighbours:above=cat"
    )
    assert "--view one needs system" in fails(capsys, "rank board.csv --view one")
    assert "needs scores on topics" in fails(capsys, "rank may.csv --view rules")


def test_clusters_from_a_file_stay_together(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    printed = " ".join(run(capsys, "rank board.csv --clusters families.csv --methods").split())
    assert "40 topics in 10 clusters" in printed
    assert "With 10 clusters, 95 % intervals hold in only about 93 % of simulations" in printed
    assert "40 topics in 10 clusters" in run(capsys, "gate board.csv --clusters families.csv --claim ant>elk")


def test_versions_of_two_files_and_of_a_folder(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    boards = {"may": Published.read("may.csv"), "august": Published.read("august.csv")}
    expected = versions(boards)
    assert run(capsys, "versions may.csv august.csv").splitlines() == str(expected).splitlines()
    assert "dog" in expected.steps[0].rose
    told = json.loads(run(capsys, "versions may.csv august.csv --json"))
    assert told["facts"] == json.loads(json.dumps(expected.to_dict()))
    snapshots = folder / "snapshots"
    snapshots.mkdir()
    for date, file in (("2026.05.01", "may.csv"), ("2026-08-01", "august.csv")):
        (snapshots / f"{date}-board.csv").write_text(Path(file).read_text("utf-8"), "utf-8")
    assert "2026-05-01 to 2026-08-01" in run(capsys, "versions snapshots")
    assert "1 file: give two or more, the oldest first" in fails(capsys, "versions may.csv")


def test_variance_components_of_runs_and_of_scores(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = variance_components(Repeats.read("runs.csv"), target=0.99)
    assert run(capsys, "variance runs.csv --target 0.99").splitlines() == str(found).splitlines()
    told = json.loads(run(capsys, "variance runs.csv --target 0.99 --json"))
    assert told["schema"] == "tauscope-answer-1"
    assert told["facts"] == json.loads(json.dumps(found.to_dict()))
    assert told["facts"]["topics_for_scores"] == found.topics_needed(0.99, absolute=True)
    assert told["answer"]["verdict"]["headline"] in " ".join(str(found).splitlines())
    assert run(capsys, "variance board.csv").splitlines() == str(variance_components(board_named())).splitlines()
    assert run(capsys, "variance runs.csv --latex").strip() == variance_components(Repeats.read("runs.csv")).to_latex()


def test_a_column_of_runs_of_another_name_is_named_by_columns(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = Path("runs.csv").read_text(encoding="utf-8")
    Path("tries.csv").write_text(text.replace("seed", "attempt", 1), encoding="utf-8")
    assert run(capsys, "variance tries.csv --columns run=attempt") == run(capsys, "variance runs.csv")


def test_strengths_and_ranks_from_battles(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    people = Battles.read("people.jsonl")
    strengths = bradley_terry(people, ties="half", clusters="question")
    ranks = rank(strengths)
    assert (
        run(capsys, "rank people.jsonl --battles ties=half --clusters question").splitlines() == str(ranks).splitlines()
    )
    printed = run(capsys, "rank people.jsonl --battles ties=half --clusters question --view strengths").splitlines()
    assert printed == str(strengths).splitlines() == str(ranks.strengths).splitlines()
    told = json.loads(run(capsys, "rank people.jsonl --battles position --view strengths --json"))
    assert told["facts"]["position_p"] == bradley_terry(people, position=True).position_p
    assert "--battles says how strengths are fitted" in fails(capsys, "rank board.csv --battles prior=1")
    assert "Strengths are those of battles" in fails(capsys, "rank board.csv --view strengths")


def test_two_judges_of_battles_with_the_position_bias_first(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    judge, people = Battles.read("judge.jsonl"), Battles.read("people.jsonl")
    found = compare(judge, truth=people)
    assert run(capsys, "compare judge.jsonl --truth people.jsonl").splitlines() == str(found).splitlines()
    assert any(
        line.startswith("Warning: Position bias: the judge decides for the first answer")
        for line in str(found).splitlines()
    )
    other = compare(bradley_terry(judge, clusters="question"), truth=bradley_terry(people, clusters="question"))
    printed = run(capsys, "compare judge.jsonl --truth people.jsonl --clusters question --view judge").splitlines()
    assert printed == str(other.judge).splitlines()
    fragile = str(rank(people).fragility()).splitlines()
    assert run(capsys, "rank people.jsonl --view fragility").splitlines() == fragile


@pytest.mark.parametrize("board", ["board.csv", "august.csv", "people.jsonl"])
def test_the_gate_says_by_its_exit_code_whether_claims_hold(
    board: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["gate", board, "--claim", "ant > cat", "--claim", "ant in top 3"]) == 0
    assert "Passes. Both claims hold at 95 % confidence." in capsys.readouterr().out
    assert main(["gate", board, "--claim", "cat > ant"]) == 1
    assert "Fails. The claim cat > ant does not hold at 95 % confidence." in capsys.readouterr().out
    assert main(["gate", board, "--claim", "cat > ant", "--json"]) == 1
    assert json.loads(capsys.readouterr().out)["facts"]["claims"][0]["verdict"] == "does_not_hold"


def test_the_gate_writes_markdown_and_compares_with_the_old_board(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    claims = ["ant > bee", "tau(new, old) >= .2"]
    expected = gate(Scores.read("board.csv"), claims, baseline=Scores.read("board.csv"), rng=3)
    words = ["gate", "board.csv", "--baseline", "board.csv", "--seed", "3", "--markdown", "out.md"]
    code = main([*words, *(word for claim in claims for word in ("--claim", claim))])
    assert code == expected.exit_code
    assert capsys.readouterr().out.splitlines() == str(expected).splitlines()
    assert Path("out.md").read_text("utf-8") == expected.to_markdown()
    assert "needs the old board. Use --baseline to give it." in fails(capsys, "gate board.csv --claim tau(new,old)>=.9")
    assert main(["gate", "board.csv", "--judges", "other=board.csv", "--claim", "tau_ap(new, other) >= .2"]) == 0
    assert "τ_ap 1.000 observed" in capsys.readouterr().out
    assert "There is no board 'none'" in fails(capsys, "gate board.csv --claim tau(new,none)>=.9")
    assert "--json and --csv: choose one." in fails(capsys, "gate board.csv --claim ant>bee --json --csv")
    assert "gate needs --claim" in fails(capsys, "gate board.csv")
    assert "is not understood" in fails(capsys, "gate board.csv --claim ant")


#: Bad battles and boards -> what is said of them.
BAD_BATTLES = {
    "one vote": ("a,b,model_a\n", "Not all strengths have a finite value"),
    "all ties": ("a,b,tie\nb,a,tie\n", "are ties: nothing says which system is better"),
    "self-battles": ("a,b,model_a\nb,a,model_a\na,a,tie\n", "1 battle of 3 is of a system against itself"),
    "two components": (
        "a,b,model_a\nb,a,model_a\nc,d,model_a\nd,c,model_a\n",
        "The battles fall into 2 groups that never met",
    ),
    "no winner": ("a,b,model_a\nb,a,\n", "has no winner"),
    "an unknown verdict": ("a,b,maybe\n", "'maybe'"),
}
BAD_BOARDS = {
    "negative errors": ("model,score,stderr\na,1,0.1\nb,2,-0.1\n", "The standard error of 'b' is -0.1"),
    "infinite intervals": ("model,score,low,high\na,1,0.5,1.5\nb,2,-inf,inf\n", "The interval of 'b' is not finite"),
    "an interval beside its score": ("model,score,low,high\na,1,2,3\nb,2,1,3\n", "does not contain its score"),
    "a system twice": (
        "model,score,stderr\na,1,.1\n" + "".join(f"m{i},2,.1\n" for i in range(20)) + "a,3,.1\n",
        "twice",
    ),
    "one system": ("model,score,stderr\na,1,0.1\n", "A board needs at least two systems"),
}


@pytest.mark.parametrize("kind", BAD_BATTLES)
def test_bad_battles_get_a_reason_in_python_and_in_the_shell(
    kind: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows, text = BAD_BATTLES[kind]
    Path("bad.csv").write_text(f"model_a,model_b,winner\n{rows}", encoding="utf-8")
    assert text in fails(capsys, "rank bad.csv")
    with pytest.raises(ValueError, match=r"\w") as error:
        bradley_terry(Battles.read("bad.csv"))
    assert text in str(error.value)


@pytest.mark.parametrize("kind", BAD_BOARDS)
def test_bad_boards_get_a_reason_in_python_and_in_the_shell(
    kind: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows, text = BAD_BOARDS[kind]
    Path("bad.csv").write_text(rows, encoding="utf-8")
    assert text in fails(capsys, "rank bad.csv")
    with pytest.raises(ValueError, match=r"\w") as error:
        rank(Published.read("bad.csv"))
    assert text in str(error.value)


@pytest.mark.parametrize(
    ("rows", "way"),
    [
        ("a,b,model_a\nb,a,model_a\na,a,tie\n", "--columns self_battles=drop"),
        ("a,b,model_a\nb,a,model_a\na,b,\n", "--columns no_winner=drop"),
        ("a,b,model_a\n", "--battles prior=1.0"),
        ("a,b,model_a\nb,a,model_a\nc,d,model_a\nd,c,model_a\na,b,model_b\nb,c,tie\n", ""),
        ("a,b,model_a\nb,a,model_a\nc,d,model_a\nd,c,model_a\ne,a,tie\n", "--battles incomparable=drop"),
    ],
)
def test_the_ways_out_of_bad_battles_lead_out(
    rows: str, way: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("bad.csv").write_text(f"model_a,model_b,winner\n{rows}", encoding="utf-8")
    if way:
        assert f"Use {way} to" in fails(capsys, "rank bad.csv")
    assert main(["rank", "bad.csv", *way.split()]) == 0


def test_a_model_that_never_plays_is_named() -> None:
    from tauscope import Battles, TauscopeError

    with pytest.raises(TauscopeError, match="1 system of 3 has no battle: 'c'"):
        Battles(["a", "b"], ["b", "a"], ["first", "first"], systems=["a", "b", "c"])


def test_spellings_of_verdicts_and_columns_can_be_named(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path("odd.csv").write_text("one,two,who\na,b,gut\nb,a,gut\na,b,nix\n", encoding="utf-8")
    columns = "first=one,second=two,winner=who,winner:gut=first,winner:nix=missing"
    assert "Use --columns no_winner=drop to leave it out." in fails(capsys, f"rank odd.csv --columns {columns}")
    assert "2 systems, 2 battles" in run(capsys, f"rank odd.csv --columns {columns},no_winner=drop").splitlines()[0]
    assert "winner:SPELLING=tie to say what it means" in fails(
        capsys, "rank odd.csv --columns winner=who,first=one,second=two"
    )


@pytest.mark.parametrize("line", ["people.jsonl", "may.csv", "judge.jsonl --truth people.jsonl"])
def test_a_page_is_made_of_battles_and_of_printed_tables(
    line: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(capsys, f"report {line} -o page.html")
    assert "bee" in Path("page.html").read_text("utf-8")


def test_other_commands_keep_clusters_together_too(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    board = board_named().changed(clusters=read_groups("families.csv"))
    assert run(capsys, "rank board.csv --clusters families.csv").splitlines() == str(rank(board)).splitlines()
    told = run(capsys, "significance board.csv --test t --clusters families.csv").splitlines()
    assert told == str(significance(board, test="t")).splitlines()
    told = run(capsys, "compare board.csv --truth board.csv --clusters families.csv --methods")
    assert "Its 10 topics are clusters of 40 topics" in " ".join(told.split())
    assert "--clusters goes with one file" in fails(
        capsys, "significance board.csv --truth board.csv --clusters families.csv"
    )
    Path("few.csv").write_text("topic,cluster\n" + "".join(f"task {i},{i % 3}\n" for i in range(1, 41)), "utf-8")
    assert "There are 3 clusters of topics; at least 8 are needed" in fails(capsys, "rank board.csv --clusters few.csv")
