"""The API: its numbers are those of the public functions, its ways out lead out, and it says no more than it should."""

from __future__ import annotations

import html
import io
import json
import os
import re
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import pytest
from running import SCHEMA, Client, Running, matrix, valid, valid_as, wait_for
from tauscope.app.state import State

import tauscope
from tauscope.app.server import build
from tauscope.results import wording


@pytest.fixture
def two(client: Client) -> dict[str, Any]:
    """A judge and the truth."""
    truth, judge = client.drop("human.csv", matrix(1)), client.drop("judge.csv", matrix(2, noise=0.2))
    return {"question": "judge", "truth": truth["id"], "sources": [judge["id"]]}


def scores(text: str) -> tauscope.Scores:
    rows = [line.split(",") for line in text.splitlines()]
    return tauscope.Scores(
        [[float(cell) for cell in row[1:]] for row in rows[1:]], [row[0] for row in rows[1:]], rows[0][1:]
    )


def test_a_file_is_shown_with_what_was_understood(client: Client) -> None:
    found = client.drop("shown.csv", matrix(3))
    assert (found["kind"], found["counts"]) == ("scores", {"systems": 12, "topics": 15, "measures": 1})
    assert len(found["preview"]["rows"]) == 10
    assert found["preview"]["rows"][0][0] == "t1"
    assert "one column per system" in found["layout"][0]
    assert found["problem"] is None
    assert client.drop("other name.csv", matrix(3))["id"] == found["id"]


def test_the_point_values_are_those_of_the_functions(client: Client, two: dict[str, Any]) -> None:
    truth, judge = scores(matrix(1)).ranking(), scores(matrix(2, noise=0.2)).ranking()
    for coefficient, within, top in (
        ("tau_b", 0.0, None),
        ("tau_ap_b", 0.02, None),
        ("tau_e", 0.05, None),
        ("tau_b", 0.0, 5),
    ):
        found = client.answer({**two, "coefficient": coefficient, "tied_within": within, "top_k": top})["points"]
        right = tauscope.correlate(
            judge, truth=truth, coefficient=[coefficient], tied_within=within, top_k=top
        ).results[0]
        assert found["agreement"]["value"] == right.value
        assert [pair["loss"] for pair in found["pairs"]] == [pair.loss for pair in right.heaviest(12)]
    curve = client.answer({**two, "coefficient": "tau_e"})["points"]["curve"]
    right_curve = tauscope.threshold_curve(judge, truth=truth, coefficient="tau_e")
    assert curve["value"] == right_curve.values.tolist()


def test_the_intervals_are_those_of_compare(client: Client, two: dict[str, Any]) -> None:
    truth, judge = scores(matrix(1)), scores(matrix(2, noise=0.2))
    found = client.sure({**two, "margin": 0.7})
    right = tauscope.compare(judge, truth=truth)
    own = found["intervals"]["comparison"]
    assert (own["corrected"], own["low"], own["high"], own["at_least"]) == (
        right.corrected,
        *right.interval,
        right.at_least(),
    )
    assert found["intervals"]["ceiling"]["value"] == right.noise_ceiling
    kept = tauscope.significance(judge, truth=truth)
    assert found["intervals"]["significant"]["kept"] == kept.kept
    assert found["screen"]["words"]["tone"] == ("yes" if right.exceeds(0.7) else "open")


def test_several_judges_are_ranked(client: Client) -> None:
    ids = [
        client.drop(f"{name}.csv", matrix(seed, noise=noise))["id"]
        for name, seed, noise in (("gold", 1, 0.1), ("near", 5, 0.1), ("far", 6, 0.5))
    ]
    found = client.sure({"question": "judges", "truth": ids[0], "sources": ids[1:]})
    right = tauscope.compare({"near": scores(matrix(5)), "far": scores(matrix(6, noise=0.5))}, truth=scores(matrix(1)))
    assert [row["judge"] for row in found["intervals"]["judges"]] == list(right.judge)
    assert [row["letters"] for row in found["intervals"]["judges"]] == list(right.letters)


def test_a_board_and_one_set(client: Client) -> None:
    id = client.drop("board.csv", matrix(7))["id"]
    board = scores(matrix(7))
    found = client.sure({"question": "board", "sources": [id]})
    ranks = tauscope.rank(board)
    assert {row["system"]: (row["low"], row["high"]) for row in found["intervals"]["rows"]} == {
        name: ranks[name] for name in ranks.systems
    }
    assert found["intervals"]["best"] == list(ranks.winners)
    assert found["intervals"]["neighbours"]["apart"] == ranks.neighbours.significant_alone
    assert found["screen"]["words"]["sentence"].startswith(f"{len(ranks.winners)} of 12 models could be the best")
    for rule in ("borda", "median", "copeland"):
        ruled = client.sure({"question": "board", "sources": [id], "rule": rule})
        right = tauscope.rank(board, rule)
        assert [row["system"] for row in ruled["points"]["rows"]] == list(right.systems)
        if rule == "borda":  # a mean of something: the page has all ranks at once
            whole = tauscope.rank(board.aggregated("borda"))
            assert [row["high"] for row in ruled["intervals"]["rows"]] == whole.high.tolist()
        else:
            assert [row["high"] for row in ruled["intervals"]["rows"]] == right.high.tolist()
            assert f"leads by the {tauscope.catalogue.rules[rule].title}" in ruled["screen"]["words"]["sentence"]
    one = client.sure({"question": "set", "sources": [id]})
    expected = tauscope.expected_correlation(board, "tau")
    assert one["points"]["expected"]["value"] == pytest.approx(expected.value, abs=1e-12)
    assert one["intervals"]["expected"]["interval"] == list(expected.interval)


def first_screen(asked: Any, **options: Any) -> dict[str, Any]:
    """What the report opens with."""
    made = tauscope.report(asked, **options)
    made.script.close()
    found: dict[str, Any] = json.loads(made.to_json())["first_screen"]
    return found


@pytest.mark.parametrize("question", ["judge", "judges", "board", "holes", "set", "arena", "published"])
def test_the_final_screen_is_that_of_the_report(question: str, client: Client, tmp_path: Path) -> None:
    truth, judge, other = matrix(91), matrix(92, noise=0.2), matrix(93, noise=0.5)
    ids = [client.drop(f"{name}.csv", text)["id"] for name, text in (("a", truth), ("b", judge), ("c", other))]
    holes = truth.replace(truth.splitlines()[1].split(",")[1], "", 1)
    battles = "model_a,model_b,winner\n" + "x,y,model_a\ny,x,model_a\nx,y,tie\ny,z,model_a\nz,x,model_a\n" * 6
    printed = "model,score,ci\nx,71.2,1.2\ny,68,2\nz,50,1\n"
    words = {"systems": "models", "topics": "tasks"}
    if question == "judge":
        state = {"question": "judge", "truth": ids[0], "sources": ids[1:2], "margin": 0.7, "level": 0.9}
        right = first_screen(
            scores(judge), truth=scores(truth), coefficient="tau_b", margin=0.7, level=0.9, names=("a", "b")
        )
    elif question == "judges":
        state = {"question": "judges", "truth": ids[0], "sources": ids[1:], "coefficient": "tau_ap_b"}
        judges = {"b": scores(judge), "c": scores(other)}
        right = first_screen(judges, truth=scores(truth), coefficient="tau_ap_b", names=("a", "b", "c"))
    elif question == "set":
        state, right = {"question": "set", "sources": ids[:1]}, first_screen(scores(truth))
    elif question == "board":
        state = {"question": "board", "sources": ids[:1], "rule": "z"}
        with wording(**words):
            right = first_screen(scores(truth), leaderboard=True, aggregate="z")
    else:
        text = {"holes": holes, "arena": battles, "published": printed}[question]
        file = client.drop(f"{question}.csv", text)
        state = {"question": "board", "sources": [file["id"]]}
        if question == "holes":
            assert file["problem"]
            state["reading"] = {file["id"]: {"missing": "keep"}}
        (tmp_path / "board.csv").write_text(text, encoding="utf-8")
        read = {
            "holes": lambda path: tauscope.read_scores(path, missing="keep"),
            "arena": lambda path: tauscope.bradley_terry(tauscope.Battles.read(path)),
            "published": tauscope.Published.read,
        }[question]
        with wording(**words):
            options = {"leaderboard": True, "aggregate": "mean"} if question == "holes" else {}
            right = first_screen(read(tmp_path / "board.csv"), **options)
    first = client.answer(state)["screen"]
    final = client.sure(state)["screen"]
    assert final["words"] == right
    # What stands there before has the same question, and tiles of the same make.
    assert first["words"]["badge"] == "Computing"
    assert first["words"]["question"] == right["question"]
    waits, shown = ([tile["title"] for tile in one["tiles"]] for one in (first["words"], right))
    assert set(waits) <= set(shown)
    for tile in right["tiles"]:
        assert html.escape(tile["value"]) in final["html"]
    assert client.send("answers", "Answer", state=state, seen=final["id"])["screen"]["html"] is None


def test_another_margin_is_another_screen_of_the_same_numbers(client: Client, two: dict[str, Any]) -> None:
    client.sure(two)
    truth, judge = scores(matrix(1)), scores(matrix(2, noise=0.2))
    for margin in (0.5, 0.99):
        found = client.answer({**two, "margin": margin})
        assert found["intervals"] is not None
        names = ("human", "judge")
        assert found["screen"]["words"] == first_screen(
            judge, truth=truth, coefficient="tau_b", margin=margin, names=names
        )


def test_names_that_differ_by_spelling_have_a_button(
    client: Client, two: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = matrix(2, noise=0.2).replace("sys", "SYS ").replace("\nt", "\nT0")
    other = client.drop("spelled.csv", text)
    state = {**two, "sources": [other["id"]]}
    problem = client.send("answers", "Problem", 400, state=state, tab="")
    ways = {way["option"]: way for way in problem["ways_out"]}
    assert (ways["match"]["value"], ways["match"]["label"]) == ("loose", "Match names loosely")
    found = client.sure({**state, "match": "loose"})
    assert found["points"]["agreement"] == client.answer(two)["points"]["agreement"]
    assert found["intervals"]["comparison"]["corrected"] == client.sure(two)["intervals"]["comparison"]["corrected"]
    assert any("matched loosely" in note for note in found["points"]["notes"])
    lines = client.send("repeat", "Repeat", state={**state, "match": "loose"})["python"]
    for name, content in (("human.csv", matrix(1)), ("spelled.csv", text)):
        (tmp_path / name).write_text(content, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    made: dict[str, Any] = {}
    exec(lines, made)
    assert made["point"].value == found["points"]["agreement"]["value"]
    assert made["sure"].corrected == found["intervals"]["comparison"]["corrected"]


def test_a_rule_without_a_page_says_so(client: Client) -> None:
    id = client.drop("ruled.csv", matrix(7))["id"]
    state = {"question": "board", "sources": [id], "rule": "median"}
    job = client.send("take/report", "Started", 202, state=state, tab="x")["job"]
    kind, data = client.events(job)[-1]
    assert kind == "failed"
    assert "has nothing for the median" in data["problem"]
    (way,) = data["ways_out"]
    assert (way["option"], way["value"]) == ("rule", "mean")


def test_battles_and_published_boards(client: Client) -> None:
    rows = [
        ("a", "b", "model_a"),
        ("b", "a", "model_b"),
        ("a", "b", "model_b"),
        ("b", "c", "model_a"),
        ("c", "b", "model_a"),
        ("a", "c", "model_a"),
        ("c", "a", "model_a"),
    ] * 4
    text = "model_a,model_b,winner\n" + "".join(f"{','.join(row)}\n" for row in rows)
    file = client.drop("battles.csv", text)
    assert (file["kind"], file["counts"]["battles"]) == ("battles", 28)
    found = client.sure({"question": "board", "sources": [file["id"]]})
    fitted = tauscope.bradley_terry(
        tauscope.Battles.read([dict(zip(("model_a", "model_b", "winner"), row, strict=True)) for row in rows])
    )
    assert [row["system"] for row in found["points"]["rows"]] == list(fitted.systems)
    assert found["points"]["rows"][0]["score"] == fitted.elo()[0]
    printed = client.drop("printed.csv", "model,score,ci\nx,71.2,1.2\ny,68,2\nz,50,1\n")
    assert printed["kind"] == "published"
    found = client.sure({"question": "board", "sources": [printed["id"]]})
    assert [row["system"] for row in found["points"]["rows"]] == ["x", "y", "z"]


def test_every_button_of_a_file_leads_out(client: Client) -> None:
    turned = client.drop("turned.csv", "model,alpha,beta,gamma\nx,1,2,3\ny,2,3,4\nz,1,1,2\n")
    assert turned["problem"] is None  # its first column says that rows are models
    holes = "topic,x,y,z\n1,.1,.2,.3\n2,.2,,.3\n3,.2,.3,.1\n"
    unclear = "thing,x,y\na,.1,.2\nb,.3,.4\n"
    lacking = "model_a,model_b,who\nx,y,model_a\ny,x,model_a\n"
    for name, text, least in (
        ("holes.csv", holes, 4),
        ("unclear.csv", unclear, 2),
        ("lacking.csv", lacking, 1),
    ):
        file = client.drop(name, text)
        assert file["problem"], name
        assert file["preview"]["rows"], name
        assert len(file["preview"]["columns"]) <= 9
        ways = [way for way in file["ways_out"] if "option" in way]
        assert len(ways) >= least, file["ways_out"]
        for way in ways:
            value = way.get("value", "who")
            mended = client.read(file["id"], **{way["option"]: value})
            assert mended["problem"] is None, (name, way, mended["problem"])


def test_a_file_can_be_said_to_be_something_else(client: Client) -> None:
    file = client.drop("ranking.csv", "system,score\na,3\nb,2\nc,1\n")
    assert file["kind"] == "list"
    assert client.read(file["id"], kind="battles")["problem"]


def test_what_is_left_out_is_left_out(client: Client, two: dict[str, Any]) -> None:
    groups = client.drop(
        "groups.csv", "system,group\n" + "".join(f"sys{i},{'odd' if i % 2 else 'even'}\n" for i in range(12))
    )
    assert groups["kind"] == "groups"
    state = {
        **two,
        "groups": groups["id"],
        "without_groups": ["odd"],
        "without_systems": ["sys0"],
        "without_topics": ["t1", "t2"],
    }
    choices = client.send("choices", "Choices", state=state)
    assert (choices["groups"], len(choices["systems"]), len(choices["topics"])) == (["even", "odd"], 12, 15)
    found = client.answer(state)["points"]
    assert {row["system"] for row in found["ranks"]} == {"sys2", "sys4", "sys6", "sys8", "sys10"}
    kept = {"systems": ["sys2", "sys4", "sys6", "sys8", "sys10"], "topics": [f"t{i}" for i in range(3, 16)]}
    truth, judge = scores(matrix(1)).select(**kept), scores(matrix(2, noise=0.2)).select(**kept)
    assert found["agreement"]["value"] == tauscope.tau_b(judge.ranking(), truth=truth.ranking()).value
    nothing = client.http.post(
        "/api/v1/answers", json={"state": {**two, "without_systems": [f"sys{i}" for i in range(12)]}, "tab": ""}
    )
    assert nothing.json()["ways_out"][0]["option"] == "without_systems"


def test_one_sided_systems_have_a_button(client: Client, two: dict[str, Any]) -> None:
    more = client.drop(
        "more.csv",
        "\n".join(line + ("," + ("new" if i == 0 else ".5")) for i, line in enumerate(matrix(9).splitlines())) + "\n",
    )
    response = client.http.post("/api/v1/answers", json={"state": {**two, "sources": [more["id"]]}, "tab": ""})
    assert response.status_code == 400
    way = response.json()["ways_out"][0]
    assert (way["option"], way["value"], way["label"]) == ("one_sided", "drop", "Compare what both have")
    found = client.answer({**two, "sources": [more["id"]], way["option"]: way["value"]})
    assert found["points"]["systems"] == 12
    assert "left out" in found["points"]["notes"][0]


@pytest.fixture
def judged(client: Client, demo: Path) -> dict[str, Any]:
    """Runs and two judges."""
    for path in [*sorted((demo / "runs").iterdir()), demo / "families.csv"]:
        client.drop(path.name, path.read_bytes())
    truth, judge = (client.drop(name, (demo / name).read_bytes()) for name in ("qrels.txt", "judge_qrels.txt"))
    assert truth["kind"] == judge["kind"] == "judgments"
    return {"question": "judge", "truth": truth["id"], "sources": [judge["id"]], "measure": "AP"}


def test_from_a_pair_to_its_topics_to_their_documents(
    app: Running, client: Client, judged: dict[str, Any], demo: Path
) -> None:
    runs = sorted((demo / "runs").iterdir())
    right = [tauscope.evaluate(runs, demo / name, ["AP"])["AP"] for name in ("qrels.txt", "judge_qrels.txt")]
    first, second = right[0].systems[:2]
    found = client.send("pair", "Pair", state=judged, first=first, second=second)
    assert found["documents"] is True
    assert len(found["topics"]) == len(right[0].topics)
    for row in found["topics"]:
        at = right[0].topics.index(row["topic"])
        assert row["truth"] == right[0].values[at, :2].tolist()
        assert row["estimate"] == right[1].values[at, :2].tolist()
    topic = found["topics"][0]["topic"]
    looked = client.send("topic", "Topic", state=judged, topic=topic, systems=[first, second])
    at = right[0].topics.index(topic)
    grades = [
        {
            line.split()[2]: int(line.split()[3])
            for line in (demo / name).read_text().splitlines()
            if line.split()[0] == topic
        }
        for name in ("judge_qrels.txt", "qrels.txt")
    ]
    for place, one in enumerate(looked["systems"]):
        assert one["values"] == pytest.approx([right[1].values[at, place], right[0].values[at, place]], abs=1e-12)
        assert one["different"] > 0
        for row in one["documents"]:
            assert (row["estimate"], row["truth"]) == (grades[0].get(row["document"]), grades[1].get(row["document"]))
            assert ("effect" in row) <= (row["estimate"] != row["truth"])
    job = client.send("take/report", "Started", 202, state=judged, tab="x")["job"]
    page = client.http.get(client.events(job)[-1][1]["file"]).text
    assert "kappa" in page  # the judgments are on the page too
    assert str(app.session.folder.path) not in page
    row = next(row for row in looked["systems"][0]["documents"] if row.get("effect"))
    changed = {**grades[0], row["document"]: row["truth"]}
    run = next(run for run in tauscope.read_runs(runs) if run.name == first)
    as_run = {first: {topic: {document: -float(i) for i, document in enumerate(run.ranked(topic))}}}
    after = tauscope.evaluate(as_run, {topic: changed}, ["AP"]).values[0, 0, 0]
    assert row["effect"] == pytest.approx(after - looked["systems"][0]["values"][0], abs=1e-12)


def test_the_lines_of_python_repeat_the_state(
    client: Client, two: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    state = {
        **two,
        "coefficient": "tau_ap_b",
        "tied_within": 0.01,
        "without_systems": ["sys3"],
        "without_topics": ["t4"],
    }
    lines = client.send("repeat", "Repeat", state=state)["python"]
    for name, text in (("human.csv", matrix(1)), ("judge.csv", matrix(2, noise=0.2))):
        (tmp_path / name).write_text(text, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    made: dict[str, Any] = {}
    exec(lines, made)
    found = client.sure(state)
    assert made["point"].value == found["points"]["agreement"]["value"]
    assert made["sure"].corrected == found["intervals"]["comparison"]["corrected"]


@pytest.mark.parametrize("question", ["judges", "board", "set"])
def test_the_lines_of_python_repeat_other_questions(
    question: str, client: Client, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    texts = {"a.csv": matrix(71), "b.csv": matrix(72), "c.csv": matrix(73, noise=0.4)}
    ids = []
    for name, text in texts.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
        ids.append(client.drop(name, text)["id"])
    state = (
        {"question": question, "truth": ids[0], "sources": ids[1:]}
        if question == "judges"
        else {"question": question, "sources": ids[:1]}
    )
    monkeypatch.chdir(tmp_path)
    made: dict[str, Any] = {}
    exec(client.send("repeat", "Repeat", state=state)["python"], made)
    found = client.sure(state)["intervals"]
    if question == "judges":
        assert [row["corrected"] for row in found["judges"]] == made["sure"].corrected.tolist()
    elif question == "board":
        assert client.answer(state)["points"]["rows"][0]["system"] == made["sure"].systems[0]
    else:
        assert found["expected"]["value"] == made["expected"].value


def test_the_shell_command_prints_the_same_answer(client: Client, two: dict[str, Any], tmp_path: Path) -> None:
    import shlex

    state = {**two, "without_systems": ["sys3"], "tied_within": 0.01}
    command = shlex.split(client.send("repeat", "Repeat", state=state)["shell"])
    assert command[:2] == ["tauscope", "serve"]
    for name, text in (("human.csv", matrix(1)), ("judge.csv", matrix(2, noise=0.2))):
        (tmp_path / name).write_text(text, encoding="utf-8")
    environment = {**os.environ, "TMPDIR": str(tmp_path), "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run(
        [sys.executable, "-m", *command], cwd=tmp_path, env=environment, capture_output=True, text=True, check=True
    )
    printed = json.loads(done.stdout)
    taken = client.http.post("/api/v1/take/json", json={"state": state, "tab": ""})
    assert printed == taken.json()
    assert str(tmp_path) not in done.stdout


def test_the_table_is_taken_away_and_runs_no_formula(client: Client) -> None:
    text = matrix(1).replace("sys0", "=HYPERLINK(1)")
    ids = [client.drop(f"formula{i}.csv", text if i else text.replace("t1,", "t01,"))["id"] for i in range(2)]
    taken = client.http.post(
        "/api/v1/take/csv", json={"state": {"question": "judge", "truth": ids[0], "sources": ids[1:]}, "tab": ""}
    )
    assert taken.headers["content-disposition"] == 'attachment; filename="table.csv"'
    assert "'=HYPERLINK(1)" in taken.text
    assert not re.search(r"(^|,)=", taken.text)


def test_the_report_and_the_figures_are_taken_away(app: Running, client: Client, two: dict[str, Any]) -> None:
    one = {"question": "set", "sources": two["sources"]}
    for kind, name, state in (("report", "report.html", two), ("figures", "figures.zip", one)):
        job = client.send(f"take/{kind}", "Started", 202, state=state, tab="x")["job"]
        events = client.events(job)
        assert events[-1][0] == "done"
        assert events[-1][1]["name"] == name
        body = client.http.get(events[-1][1]["file"]).content
        if kind == "report":
            assert b"judge against human" in body
            assert str(app.session.folder.path).encode() not in body
            assert b"tauscope serve human.csv judge.csv --print" in body
        else:
            assert {Path(one).suffix for one in zipfile.ZipFile(io.BytesIO(body)).namelist()} == {".svg", ".png"}


def test_every_route_answers_as_the_schema_says(
    app: Running, client: Client, judged: dict[str, Any], tmp_path: Path
) -> None:
    """Bodies and answers of every route, and no answer holds a folder of this machine."""
    own = tmp_path / "named.csv"
    own.write_text(matrix(5, systems=4), encoding="utf-8")
    named = app.session.shelf.name_file(own)
    state = {"question": "set", "sources": [named.id]}
    done: set[tuple[str, str]] = set()
    secrets = [str(tmp_path), str(app.session.folder.path), f"{Path.home()}/"]

    def called(method: str, path: str, body: Any = None, *, status: int = 200, **places: str) -> Any:
        done.add((method, path))
        written = SCHEMA["paths"][path][method]
        if body is not None:
            valid_as(body, written["requestBody"]["content"]["application/json"]["schema"])
        response = client.http.request(method.upper(), f"/api/v1{path.format(**places)}", json=body)
        assert response.status_code == status, response.text
        kind = response.headers["content-type"].partition(";")[0]
        assert not any(secret in response.text for secret in secrets)
        (shape,) = [one for name, one in written["responses"][str(status)]["content"].items() if name == kind]
        if kind == "application/json":
            valid_as(response.json(), shape["schema"])
            return response.json()
        return response

    called("get", "/session")
    dropped = client.drop("routes.csv", matrix(6, systems=4))
    done.add(("post", "/files"))
    called("post", "/files/{id}/read", {"options": {"format": "turned"}}, id=dropped["id"])
    called("delete", "/files/{id}", id=dropped["id"])
    called("post", "/choices", {"state": state})
    job = called("post", "/answers", {"state": state, "tab": "routes", "intervals": True, "seen": ""})["job"]
    stream = called("get", "/jobs/{id}/events", id=job).text
    shapes = {"progress": "Progress", "done": "Found"}
    for event, data in re.findall(r"event: (\w+)\ndata: (.*)\n", stream):
        valid(json.loads(data), shapes[event])
    called("delete", "/jobs/{id}", id=job)
    systems = [row["system"] for row in called("post", "/answers", {"state": judged})["points"]["ranks"]][:2]
    pair = called("post", "/pair", {"state": judged, "first": systems[0], "second": systems[1]})
    called("post", "/topic", {"state": judged, "topic": pair["topics"][0]["topic"], "systems": systems})
    called("post", "/repeat", {"state": state})
    called("post", "/take/{kind}", {"state": state, "tab": ""}, kind="csv")
    called("post", "/take/{kind}", {"state": state, "tab": ""}, kind="json")
    made = called("post", "/take/{kind}", {"state": state, "tab": ""}, kind="report", status=202)["job"]
    told = client.events(made)[-1][1]
    valid(told, "Made")
    called("get", "/jobs/{id}/file", id=made)
    app.session.shelf.remove(named.id)
    written = {(method, path) for path, methods in SCHEMA["paths"].items() for method in methods}
    assert done == {one for one in written if one[0] != "parameters"}


def test_every_route_is_in_the_schema_and_the_schema_is_served(app: Running, client: Client) -> None:
    assert client.http.get("/api/v1/schema").json() == SCHEMA
    inner = build(app.session, app.keys)._app
    routes = {route.path.removeprefix("/api/v1") for route in inner.routes if route.path.startswith("/api/v1/")}
    assert routes - {"/schema"} == set(SCHEMA["paths"])
    client.checked(client.http.get("/api/v1/session"), "Session")


def test_an_outdated_computation_is_stopped(client: Client, app: Running) -> None:
    big = [client.drop(f"big{i}.csv", matrix(20 + i, systems=50, topics=30))["id"] for i in range(2)]
    state = {"question": "judge", "truth": big[0], "sources": big[1:]}
    first = client.answer({**state, "seed": 1}, intervals=True)["job"]
    wait_for(lambda: bool(app.session.pool.busy))
    second = client.answer({**state, "seed": 2}, intervals=True)["job"]
    assert client.events(first)[-1][0] == "cancelled"
    other = client.answer({**state, "seed": 3}, intervals=True, tab="another")["job"]
    assert len(app.session.pool.busy) <= 2
    assert client.events(second)[-1][0] == "done"
    assert client.events(other)[-1][0] == "done"


def test_errors_are_answers(client: Client, two: dict[str, Any]) -> None:
    for state, said in (
        ({"question": "why"}, "question"),
        ({"colour": 1}, "has no 'colour'"),
        ({**two, "truth": "0" * 12}, "not here"),
        ({**two, "coefficient": "tau_z"}, "no coefficient 'tau_z'"),
        ({**two, "tied_within": -1}, "tied_within"),
        ({**two, "sources": "x"}, "list of texts"),
        ({**two, "coefficient": "pearson", "top_k": 3}, "pearson"),
    ):
        found = client.send("answers", "Problem", 400, state=state, tab="")
        assert said in found["problem"]
    assert client.send("take/money", "Problem", 400, state=two, tab="")
    assert client.checked(client.http.get("/api/v1/jobs/none/events"), "Problem", 400)
    assert client.checked(client.http.get("/nothing"), "Problem", 404)
    assert client.checked(client.http.post("/api/v1/answers", content=b"{"), "Problem", 400)


def test_every_question_of_every_kind_of_file_is_answered(client: Client) -> None:
    kinds = {
        "scores": matrix(81),
        "list": "system,score\na,3\nb,2\nc,1\n",
        "groups": "system,group\nsys1,x\nsys2,y\n",
        "battles": "model_a,model_b,winner\n" + "x,y,model_a\ny,x,model_a\nx,y,tie\n" * 6,
        "published": "model,score,ci\nx,71.2,1.2\ny,68,2\nz,50,1\n",
        "judgments": "1 0 d1 1\n1 0 d2 0\n",
        "run": "1 Q0 d1 1 2.0 tag\n1 Q0 d2 2 1.0 tag\n",
        "unknown": "",
    }
    ids = {kind: client.drop(f"kind-{kind}.txt", text)["id"] for kind, text in kinds.items()}
    try:
        for kind, id in ids.items():
            for question in ("judge", "judges", "board", "set"):
                for truth in (ids["scores"], id):
                    state = {"question": question, "truth": truth, "sources": [id, ids["scores"]]}
                    for path in ("answers", "choices", "repeat"):
                        response = client.http.post(f"/api/v1/{path}", json={"state": state, "tab": ""})
                        assert response.status_code in (200, 400), (kind, question, path, response.text)
    finally:
        for id in ids.values():
            client.http.delete(f"/api/v1/files/{id}")


def test_a_state_survives_its_text() -> None:
    state = State.from_json(
        {
            "question": "judge",
            "truth": "a&b=c#d",
            "sources": ["é", "x,y"],
            "tied_within": 0.01,
            "top_k": 5,
            "without_systems": ['"quoted" & <odd>'],
            "reading": {"a": {"format": "turned"}},
        }
    )
    assert State.from_text(state.to_text()) == state
    assert State.from_text("#" + state.to_text()) == state
    assert State().to_text() == "question=set"
