"""`tauscope report` of several judges, of people and a judge together, of an audit, and in the words of the file."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from tauscope import Scores, audit, compare, hybrid, read_scores, write_scores
from tauscope.cli import main
from tauscope.files import read_groups

M, N = 6, 24


def scores(seed: int, shift: float = 0.0, n: int = N) -> Scores:
    means = np.linspace(0.7, 0.3, M) + shift * np.random.default_rng(9).normal(0, 1, M)
    return Scores((means + np.random.default_rng(seed).normal(0, 0.1, (N, M)))[:n], measure="AP")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name, own in {"human": scores(1), "near": scores(2), "far": scores(3, 0.3), "some": scores(1, n=10)}.items():
        write_scores(own, f"{name}.csv", layout="wide")
    Path("families.csv").write_text(
        "topic,cluster\n" + "".join(f"{t},{i // 2}\n" for i, t in enumerate(scores(1).topics)), encoding="utf-8"
    )
    return tmp_path


def page(capsys: pytest.CaptureFixture[str], line: str) -> dict:  # type: ignore[type-arg]
    assert main(f"report {line} --json -o page.json".split()) == 0
    capsys.readouterr()
    return json.loads(Path("page.json").read_text("utf-8"))  # type: ignore[no-any-return]


def fails(capsys: pytest.CaptureFixture[str], line: str) -> str:
    assert main(line.split()) == 2
    return capsys.readouterr().err


def section(made: dict, name: str) -> dict:  # type: ignore[type-arg]
    return next(one for one in made["sections"] if one["id"] == name)  # type: ignore[no-any-return]


def test_several_judges_are_named_and_people_beside_them(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    made = page(capsys, "--truth human.csv --judges near=near.csv far=far.csv")
    judges, truth = {name: read_scores(f"{name}.csv") for name in ("near", "far")}, read_scores("human.csv")
    assert section(made, "judges")["data"]["judges"] == compare(judges, truth=truth).to_dict()
    assert made["title"] == "2 judges against human"
    files = [row[0] for row in section(made, "repeat")["tables"]["files"]["rows"]]
    assert files == ["near.csv", "far.csv", "human.csv"]
    made = page(capsys, "--judges near=near.csv far=far.csv --people ann=human.csv bob=near.csv")
    assert list(section(made, "judges")["data"]["people"]) == ["ann", "bob"]


def test_a_hybrid_and_an_audit_have_their_pages(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    made = page(capsys, "some.csv --judge near.csv")
    found = hybrid(read_scores("some.csv"), read_scores("near.csv"))
    assert made["first_screen"]["data"]["worth"] == pytest.approx(found.worth)
    assert made["title"] == "People and a judge together"
    made = page(capsys, "near.csv --truth human.csv --audit")
    assert section(made, "audit")["data"] == audit(read_scores("near.csv"), truth=read_scores("human.csv")).to_dict()
    made = page(capsys, "--judges near=near.csv far=far.csv --truth human.csv --audit")
    assert made["title"] == "Audit of 2 judges"


def test_clusters_stay_together_and_are_named(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    made = page(capsys, "near.csv --truth human.csv --clusters families.csv")
    assert made["brief"].startswith("6 systems, 24 topics in 12 clusters")
    assert len(set(read_groups("families.csv").values())) == 12


def test_a_page_speaks_of_models_where_the_file_does(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rng = np.random.default_rng(1)
    pairs = [rng.choice(4, 2, replace=False) for _ in range(60)]
    rows = "".join(f"m{a},m{b},{'model_a' if rng.random() < 0.5 + (b - a) / 8 else 'model_b'}\n" for a, b in pairs)
    Path("votes.csv").write_text(f"model_a,model_b,winner\n{rows}", encoding="utf-8")
    made = page(capsys, "votes.csv")
    assert made["brief"] == "4 models, 60 battles"
    assert "systems" not in json.dumps(made["first_screen"]["tiles"])
    assert page(capsys, "votes.csv --systems-are bots")["brief"] == "4 bots, 60 battles"


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("", "Give FILES"),
        ("near.csv --judges near=near.csv", "Give FILES"),
        ("near.csv --judge far.csv --qrels x", "--qrels and --judge: choose one"),
        ("near.csv -m AP,RR", "--measure AP,RR: the page looks at one measure; write one of them, such as AP"),
        ("runs --qrels x -m AP,RR --measures AP,RR", "all of them after --measures"),
        ("near.csv --lengths x", "--lengths and --judge-families go with --audit"),
        ("near.csv --people a=near.csv", "--people goes with --judges or --audit"),
        ("near.csv --judge far.csv --audit", "leave --qrels and --judge out"),
        ("--judges near=near.csv far=far.csv", "measured against a truth"),
    ],
)
def test_what_does_not_go_together_is_said(
    folder: Path, capsys: pytest.CaptureFixture[str], line: str, said: str
) -> None:
    assert said in fails(capsys, f"report {line}")


def test_several_measures_of_runs_are_asked_for_by_one_option_or_the_other(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rng = np.random.default_rng(3)
    Path("runs").mkdir()
    for run in range(4):
        lines = [f"{t} Q0 d{d} {r} {9 - r} s{run}" for t in range(6) for r, d in enumerate(rng.permutation(8))]
        Path("runs", f"s{run}").write_text("\n".join(lines) + "\n", encoding="utf-8")
    Path("qrels").write_text("\n".join(f"{t} 0 d{d} {int(d < 3)}" for t in range(6) for d in range(8)) + "\n")
    one = page(capsys, "runs --qrels qrels -m RR,AP")
    other = page(capsys, "runs --qrels qrels -m RR --measures RR,AP")
    same = [{key: value for key, value in found.items() if key != "command"} for found in (one, other)]
    assert same[0] == same[1]
    assert "AP" in json.dumps(one)
    assert "nDCG@20" not in json.dumps(one)
