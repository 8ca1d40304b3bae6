"""The API: its answers are those of the public functions, and so are the lines of shell and Python that it offers."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from running import Client, Running, matrix, wait_for

import tauscope
from tauscope.app.records import QUESTIONS
from tauscope.app.server import API, build
from tauscope.render import html
from tauscope.render import json as documents

BATTLES = "model_a,model_b,winner\n" + "x,y,model_a\ny,x,model_a\nx,y,tie\ny,z,model_a\nz,x,model_a\n" * 6
PRINTED = "model,score,ci\nx,71.2,1.2\ny,68,2\nz,50,1\n"
GROUPS = "system,group\n" + "".join(f"sys{i},{'odd' if i % 2 else 'even'}\n" for i in range(12))
HOLES = matrix(1).replace(matrix(1).splitlines()[1].split(",")[1], "", 1)
REPEATS = "model,topic,run,score\n" + "".join(
    f"m{m},t{t},r{r},{(m * 7 + t * 3 + r * m * t) % 11 / 10}\n" for m in range(4) for t in range(9) for r in range(3)
)
FILES = {
    "human.csv": matrix(1),
    "judge.csv": matrix(2, noise=0.2),
    "other.csv": matrix(3, noise=0.4),
    "groups.csv": GROUPS,
    "holes.csv": HOLES,
    "battles.csv": BATTLES,
    "printed.csv": PRINTED,
    "repeats.csv": REPEATS,
}
#: What is asked -> (question, files by role, options).
ASKED: dict[str, tuple[str, dict[str, Any], dict[str, Any]]] = {
    "one judge": ("compare", {"judge": ["judge.csv"], "truth": "human.csv"}, {"margin": 0.7, "level": 0.9}),
    "judge and groups": ("compare", {"judge": ["judge.csv"], "truth": "human.csv", "groups": "groups.csv"}, {}),
    "several judges": (
        "compare",
        {"judge": ["judge.csv", "other.csv"], "truth": "human.csv"},
        {"coefficient": "tau_ap_b"},
    ),
    "board": ("rank", {"board": "human.csv"}, {}),
    "board by the median": ("rank", {"board": "human.csv"}, {"rule": "median"}),
    "board with holes": ("rank", {"board": "holes.csv"}, {}),
    "arena": ("rank", {"board": "battles.csv"}, {}),
    "published": ("rank", {"board": "printed.csv"}, {}),
    "differences": ("significance", {"scores": "human.csv"}, {"correction": "holm", "test": "t"}),
    "versions": ("versions", {"boards": ["human.csv", "judge.csv"]}, {}),
    "variance": ("variance", {"scores": "repeats.csv"}, {}),
    "claims": ("gate", {"new": "human.csv"}, {"claims": "sys0 > sys11\n'sys1' in top 3"}),
    "rules": ("rank", {"board": "human.csv"}, {"view": "rules"}),
}


@pytest.fixture
def desk(client: Client) -> Client:
    """A client that has dropped all files."""
    for name, text in FILES.items():
        client.drop(name, text)
    return client


def asked(client: Client, name: str) -> dict[str, Any]:
    question, roles, chosen = ASKED[name]
    return {**client.ask(question, **roles), "options": chosen}


def written(folder: Path) -> None:
    for name, text in FILES.items():
        (folder / name).write_text(text, encoding="utf-8")


def test_a_file_is_shown_with_what_was_understood(client: Client) -> None:
    found = client.drop("shown.csv", matrix(3))
    assert (found["kind"], found["counts"]) == ("scores", {"systems": 12, "topics": 15, "measures": 1})
    assert len(found["preview"]["rows"]) == 10
    assert found["preview"]["rows"][0][0] == "t1"
    assert "one column per system" in found["layout"][0]
    assert found["problem"] is None
    assert client.drop("other name.csv", matrix(3))["id"] == found["id"]


@pytest.mark.parametrize("name", ASKED)
def test_the_lines_of_python_give_the_same_document(
    name: str, desk: Client, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = desk.answer(asked(desk, name))
    written(tmp_path)
    monkeypatch.chdir(tmp_path)
    made: dict[str, Any] = {}
    exec(found["python"], made)
    result = made["result"]
    assert json.loads(json.dumps(documents.document(result))) == found["document"]
    assert html.fragment(result.answer()) + html.details(result.answer()) == found["html"]


@pytest.mark.parametrize("name", ASKED)
def test_the_command_prints_the_same_document(name: str, desk: Client, tmp_path: Path) -> None:
    found = desk.answer(asked(desk, name))
    command = shlex.split(found["shell"])
    assert command[:2] == ["tauscope", ASKED[name][0]]
    written(tmp_path)
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run(
        [sys.executable, "-m", *command, "--json"], cwd=tmp_path, env=environment, capture_output=True, text=True
    )
    assert done.returncode in (0, 1), done.stderr  # 1: a claim does not hold
    printed = json.loads(done.stdout)
    assert printed["facts"] == found["document"]["facts"]
    assert printed["answer"]["verdict"] == found["document"]["answer"]["verdict"]


def test_every_question_says_what_its_function_says(client: Client) -> None:
    told = {own["command"]: own for own in client.http.get(f"{API}/session").json()["questions"]}
    assert set(told) == set(QUESTIONS)
    for command, question in QUESTIONS.items():
        text = question.call.__doc__ or ""
        assert told[command]["summary"] in text
        assert [one["name"] for one in told[command]["options"]] == list(question.options())
        assert all(one["help"] for one in told[command]["options"]), command


def test_systems_that_are_left_out_are_left_out(desk: Client, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    out = ["sys0", "sys1", "sys3"]
    found = desk.answer({**asked(desk, "one judge"), "without": out})
    kept = [f"sys{i}" for i in range(12) if f"sys{i}" not in out]
    written(tmp_path)
    judge, truth = (tauscope.Scores.read(tmp_path / name).select(systems=kept) for name in ("judge.csv", "human.csv"))
    right = tauscope.compare({"judge": judge}, truth=truth, margin=0.7, level=0.9)
    assert found["document"]["facts"]["corrected"] == right.corrected
    monkeypatch.chdir(tmp_path)
    made: dict[str, Any] = {}
    exec(found["python"], made)
    assert made["result"].corrected == right.corrected
    assert "--without sys0 sys1 sys3" in found["shell"]
    problem = desk.problem({**asked(desk, "one judge"), "without": [f"sys{i}" for i in range(11)]})
    assert problem["fixes"][0]["option"] == "without"


def test_groups_are_told_with_every_answer(desk: Client) -> None:
    found = desk.answer(desk.ask("rank", board="human.csv", groups="groups.csv"))
    assert found["groups"]["sys1"] == "odd"
    assert set(found["systems"]) == set(found["groups"])


def test_missing_cells_have_buttons_that_work(desk: Client) -> None:
    state = desk.ask("significance", scores="holes.csv")
    problem = desk.problem(state)
    fixes = [fix for fix in problem["fixes"] if fix.get("option") == "missing"]
    assert {"zero", "drop-topics", "drop-systems"} == {fix["value"] for fix in fixes}
    for fix in fixes:
        assert desk.answer({**state, "reading": {"missing": fix["value"]}})["document"]


def test_names_that_differ_by_spelling_have_a_button(desk: Client) -> None:
    desk.drop("spelled.csv", matrix(2, noise=0.2).replace("sys", "SYS "))
    state = desk.ask("compare", judge=["spelled.csv"], truth="human.csv")
    problem = desk.problem(state)
    fix = next(one for one in problem["fixes"] if one.get("value") == "loose")
    assert fix["label"] == "Match names loosely"


def test_one_system_topic_by_topic(desk: Client) -> None:
    found = desk.send("topics", asked=asked(desk, "one judge"), systems=["sys1", "sys2"])["html"]
    assert found.count("<tr>") == 16
    assert "human: sys1" in re.sub(r"<[^>]+>", "", found)
    desk.send("topics", 400, asked=asked(desk, "one judge"), systems=["nobody"])
    desk.send("topics", 400, asked=asked(desk, "one judge"), systems=["a", "b", "c"])


@pytest.fixture
def judged(client: Client, demo: Path) -> Path:
    """Runs and two judges, dropped."""
    for path in sorted((demo / "runs").iterdir()):
        client.drop(path.name, path.read_bytes())
    for name in ("qrels.txt", "judge_qrels.txt"):
        assert client.drop(name, (demo / name).read_bytes())["kind"] == "judgments"
    return demo


def test_runs_are_evaluated_by_both_judges(client: Client, judged: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    state = client.ask("compare", judge=["judge_qrels.txt"], truth="qrels.txt") | {"reading": {"measure": "P@10"}}
    found = client.answer(state)
    runs = sorted((judged / "runs").iterdir())
    truth, judge = (
        tauscope.evaluate(runs, judged / name, ["P@10"])["P@10"] for name in ("qrels.txt", "judge_qrels.txt")
    )
    right = tauscope.compare(judge, truth=truth)
    assert found["document"]["facts"]["corrected"] == right.corrected
    monkeypatch.chdir(judged / "runs")
    for name in ("qrels.txt", "judge_qrels.txt"):
        (judged / "runs" / name).write_bytes((judged / name).read_bytes())
    try:
        made: dict[str, Any] = {}
        exec(found["python"], made)
        assert made["result"].corrected == right.corrected
        *before, last = [shlex.split(line) for line in found["shell"].splitlines()]
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
        for line in (*before, [*last, "--json"]):
            done = subprocess.run([sys.executable, "-m", *line], env=environment, capture_output=True, text=True)
            assert done.returncode == 0, done.stderr
        assert json.loads(done.stdout)["facts"]["corrected"] == right.corrected
    finally:
        for name in ("qrels.txt", "judge_qrels.txt", "qrels.csv", "judge_qrels.csv"):
            (judged / "runs" / name).unlink(missing_ok=True)


def test_what_is_taken_away_is_what_was_shown(app: Running, desk: Client) -> None:
    state = asked(desk, "one judge")
    found = desk.answer(state)
    taken = {
        name: desk.http.post(f"{API}/take/{name}", json={"asked": state})
        for name in ("page.html", "answer.json", "table.csv", "table.tex", "figure.svg", "figure.pdf", "figure.png")
    }
    for name, response in taken.items():
        assert response.status_code == 200, (name, response.text)
        assert response.headers["content-disposition"] == f'attachment; filename="{name}"'
        assert str(app.session.folder.path).encode() not in response.content
    assert taken["answer.json"].json() == found["document"]
    assert found["document"]["answer"]["verdict"]["label"] in taken["page.html"].text
    assert taken["table.csv"].text.splitlines()[0].split(",")[0]
    assert "\\toprule" in taken["table.tex"].text
    assert taken["figure.pdf"].content.startswith(b"%PDF")
    desk.send("take/money", 400, asked=state)


def test_a_table_that_is_taken_away_runs_no_formula(client: Client) -> None:
    client.drop("formula.csv", matrix(1).replace("sys0", "=HYPERLINK(1)"))
    state = client.ask("rank", board="formula.csv")
    taken = client.http.post(f"{API}/take/table.csv", json={"asked": state})
    assert "'=HYPERLINK(1)" in taken.text
    assert not re.search(r"(^|,)=", taken.text)


def test_the_sample_is_read_and_answered(client: Client) -> None:
    files = client.send("sample", 201)
    assert [file["name"] for file in files] == ["people.csv", "judge.csv", "families.csv"]
    client.files |= {file["name"]: file for file in files}
    found = client.answer(client.ask("compare", judge=["judge.csv"], truth="people.csv", groups="families.csv"))
    assert found["document"]["answer"]["verdict"]["label"]


def test_an_outdated_question_is_stopped(client: Client, app: Running) -> None:
    from concurrent.futures import ThreadPoolExecutor

    big = {f"big{i}.csv": matrix(20 + i, systems=60, topics=30) for i in range(2)}
    for name, text in big.items():
        client.drop(name, text)
    state = client.ask("compare", judge=["big1.csv"], truth="big0.csv")

    def ask(seed: int) -> int:
        own = app.client().http
        return own.post(f"{API}/answers", json={"asked": {**state, "options": {"rng": seed}}, "tab": "one"}).status_code

    with ThreadPoolExecutor(2) as threads:
        first = threads.submit(ask, 1)
        wait_for(lambda: bool(app.session.pool.busy))
        second = threads.submit(ask, 2)
        assert (first.result(), second.result()) == (400, 200)


def test_errors_are_answers(desk: Client) -> None:
    state = asked(desk, "one judge")
    for given, said in (
        ({"question": "why"}, "no question 'why'"),
        ({"colour": 1}, "A request has"),
        ({**state, "files": {**state["files"], "truth": ["0" * 12]}}, "not here"),
        ({**state, "files": {"judge": state["files"]["judge"]}}, "takes one file as truth"),
        ({**state, "files": {**state["files"], "moon": []}}, "no files called 'moon'"),
        ({**state, "options": {"coefficient": "tau_z"}}, "tau_z"),
        ({**state, "options": {"level": 2}}, "level"),
        ({**state, "options": {"colour": 2}}, "no option 'colour'"),
        ({**state, "options": {"coefficient": ["tau_b"]}}, "a text or a number"),
        ({**state, "files": "x"}, "wrong type"),
    ):
        problem = desk.problem(given)
        assert said in problem["problem"], problem
        assert problem["fixes"]
    assert desk.http.get("/nothing").status_code == 404
    assert desk.http.post(f"{API}/answers", content=b"{").status_code == 400


def test_every_question_of_every_kind_of_file_is_an_answer_or_a_problem_with_a_fix(desk: Client) -> None:
    desk.drop("list.csv", "system,score\na,3\nb,2\nc,1\n")
    desk.drop("qrels.txt", "1 0 d1 1\n1 0 d2 0\n")
    desk.drop("empty.csv", "")
    for question in QUESTIONS.values():
        for name in desk.files:
            roles = {role.name: [name] * max(role.least, 1) for role in question.roles if role.least}
            response = desk.http.post(
                f"{API}/answers", json={"asked": desk.ask(question.command, **roles), "tab": name}
            )
            assert response.status_code in (200, 400), (question.command, name, response.text)
            if response.status_code == 400:
                assert response.json()["fixes"], (question.command, name)


def test_no_route_is_untested(app: Running) -> None:
    inner = build(app.session, app.keys)._app
    routes = {route.path.removeprefix(API) for route in inner.routes if route.path.startswith(API)}
    assert routes == {
        "/session",
        "/sample",
        "/files",
        "/files/{id}/read",
        "/files/{id}",
        "/answers",
        "/topics",
        "/take/{name}",
    }
