"""Nobody is left with a problem alone: whatever is dropped and asked, there is a button or a sentence, and each button
leads on."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import permutations
from pathlib import Path
from typing import Any

import pytest
from odd_files import HUMAN, SYSTEMS, TOPICS, long, text, turned, wide
from running import Client

import tauscope

TREES = ("oak", "elm", "ash", "fir", "yew", "bay", "fig", "box", "may", "sal", "teak", "pine")
COLOURS = ("red", "blue", "green", "white", "black")


def _mixed() -> Any:
    values = HUMAN.copy()
    values[::2] = (values[::2] * 100).round(1)
    return values


def _holes(rows: list[list[Any]]) -> str:
    rows[3][2] = ""
    return text(rows)


def _odd(rows: list[list[Any]], cell: Any) -> str:
    rows[3][2] = cell
    return text(rows)


BATTLES = "model_a,model_b,winner\n"
WON = "x,y,model_a\ny,x,model_a\nx,y,tie\ny,z,model_a\nz,x,model_a\n" * 4
#: Whatever people drop: what it is -> the file.
FILES: dict[str, str] = {
    "one row per topic": text(wide()),
    "one row per system": text(turned()),
    "one row per score": text(long()),
    "rows that could be either": text(wide(topics=TREES, systems=COLOURS, first="thing")),
    "rows under no header": text(wide(topics=TREES, systems=COLOURS, first="")),
    "a first column of numbers": text(wide(first="no")).replace("no,", "nr,", 1),
    "a system called score": text(wide(systems=("score", *SYSTEMS[1:]))),
    "two columns of topics": text([[*row[:1], row[0], *row[1:]] for row in wide()]).replace("topic,topic", "topic,qid"),
    "columns that say nothing": text([["who", "where", "how much"], *long()[1:]]),
    "columns that say nothing, scores first": text([["x", "y", "z"], *(row[::-1] for row in long()[1:])]),
    "a column of texts in the middle": text([[row[1], row[0], *row[2:]] for row in wide(first="what", topics=TREES)]),
    "holes": _holes(wide()),
    "holes, one row per system": _holes(turned()),
    "a cell that is no number": _odd(wide(), "0.3x"),
    "other scales": text(wide(_mixed())),
    "other scales, one row per system": text(turned(_mixed())),
    "other names": text(wide(systems=COLOURS)),
    "names in capitals": text(wide(systems=[name.upper() for name in SYSTEMS])),
    "a system more": text(wide(HUMAN[:, [0, 1, 2, 3, 4, 4]], systems=(*SYSTEMS, "more"))),
    "one system": text(wide(HUMAN[:, :1], systems=SYSTEMS[:1])),
    "one topic": text(wide(HUMAN[:1], topics=TOPICS[:1])),
    "all the same": text(wide(HUMAN * 0 + 0.5)),
    "a list": "system,score\n" + "".join(f"{name},{i}\n" for i, name in enumerate(SYSTEMS)),
    "groups": "system,group\n" + "".join(f"{name},{i % 2}a\n" for i, name in enumerate(SYSTEMS)),
    "a published board": "model,score,ci\nx,71.2,1.2\ny,68,2\nz,50,1\n",
    "a board without errors": "model,score,votes\nx,71.2,12\ny,68,20\nz,50,10\n",
    "battles": BATTLES + WON,
    "battles, one unbeaten": BATTLES + "x,y,model_a\nx,z,model_a\ny,z,model_a\nz,y,model_a\n" * 3,
    "battles of two circles": BATTLES + "x,y,model_a\ny,x,model_a\nu,v,model_a\nv,u,model_a\n" * 3,
    "battles without a winner": BATTLES + WON + "x,z,\n",
    "battles of a system against itself": BATTLES + WON + "x,x,model_a\n",
    "battles with a word": BATTLES + WON + "x,z,whatever\n",
    "battles whose winner is elsewhere": BATTLES.replace("winner", "who") + WON,
    "judgments": "1 0 d1 1\n1 0 d2 0\n",
    "a run": "1 Q0 d1 1 2.0 tag\n1 Q0 d2 2 1.0 tag\n",
    "nested": '{"a": {"x": {"p": 0.1, "q": 0.2}}, "b": {"x": {"p": 0.3, "q": 0.1}}}',
    "nothing": "",
    "no table": "\x00\x01\x02PNG",
    "words": "It was a dark and stormy night.\nThe rain fell in torrents.\n",
}


@dataclass
class Desk:
    """A file among others, read with what was said of it, and a question."""

    client: Client
    id: str
    others: tuple[str, str]
    state: dict[str, Any] = field(default_factory=dict)

    def read(self, options: dict[str, str]) -> dict[str, Any]:
        return self.client.read(self.id, **options)

    def asked(self, question: str, options: dict[str, str]) -> dict[str, Any]:
        sources = {"judges": [self.id, self.others[1]]}.get(question, [self.id])
        truth = self.others[0] if question.startswith("judge") else ""
        return {"question": question, "sources": sources, "truth": truth, "reading": {self.id: options}}

    def problem(self, state: dict[str, Any]) -> dict[str, Any] | None:
        """What is wrong with an answer, or with its intervals."""
        response = self.client.http.post("/api/v1/answers", json={"state": state, "tab": "ways", "intervals": True})
        found = response.json()
        if response.status_code == 400:
            return found
        assert response.status_code == 200, response.text
        if found["job"] is None:
            return None
        kind, data = self.client.events(found["job"])[-1]
        assert kind in ("done", "failed"), data
        return data if kind == "failed" else None


def changes(way: dict[str, Any]) -> Iterator[Any]:
    """The values that a way out can set."""
    if "value" in way:
        yield way["value"]
    elif "roles" in way:
        names = way["choices"]
        for chosen in permutations(names, 3):
            yield ",".join(f"{role}={name}" for role, name in zip(way["roles"], chosen, strict=True))
    else:
        yield from way["choices"]


def told(problem: dict[str, Any], place: str) -> list[dict[str, Any]]:
    """The ways out that are buttons, once there is a way out at all."""
    assert problem["ways_out"], (place, problem["problem"])
    for way in problem["ways_out"]:
        assert way.get("advice") or way["label"], (place, way)
        assert way.get("label") is None or way["label"][0].isupper() or way["label"][0] == "“", (place, way)
    return [way for way in problem["ways_out"] if "option" in way]


@pytest.fixture
def desk(client: Client, request: pytest.FixtureRequest) -> Iterator[Desk]:
    others = tuple(
        client.drop(f"{name}.csv", text(wide(values))) for name, values in (("p", HUMAN[::-1]), ("q", 1 - HUMAN))
    )
    own = client.drop(f"{request.param}.csv", FILES[request.param])
    yield Desk(client, own["id"], (others[0]["id"], others[1]["id"]))
    for file in (own, *others):
        client.http.delete(f"/api/v1/files/{file['id']}")


@pytest.mark.parametrize("desk", FILES, ids=list(FILES), indirect=True)
def test_every_problem_has_a_way_out_and_every_button_leads_on(desk: Desk) -> None:
    file, options = desk.read({}), {}
    seen: set[str] = set()
    while file["problem"] and file["problem"] not in seen:
        seen.add(file["problem"])
        ahead = []
        for way in told(file, "the file"):
            kept = {name: value for name, value in options.items() if (name, way["option"]) != ("format", "columns")}
            led = [{**kept, way["option"]: str(value)} for value in changes(way)]
            found = [(one, desk.read(one if way["option"] != "kind" else {"kind": one["kind"]})) for one in led]
            other = [(one, after) for one, after in found if after["problem"] != file["problem"]]
            assert other, (file["problem"], way)
            ahead += other
        if not ahead:
            return  # a sentence says what to do with the file
        options, file = min(ahead, key=lambda one: bool(one[1]["problem"]))
    if file["problem"]:
        return
    for question in ("judge", "judges", "board", "set"):
        state = desk.asked(question, options)
        problem = desk.problem(state)
        for way in told(problem, question) if problem else ():
            for value in changes(way):
                changed = {**state, way["option"]: value}
                if way["option"] == "missing":
                    changed = {**state, "reading": {desk.id: {**options, "missing": value}}}
                after = desk.problem(changed)
                assert after is None or after["problem"] != problem["problem"], (question, way)


@pytest.mark.parametrize("question", ["set", "judge"])
def test_topics_on_one_scale_are_those_of_the_functions(
    question: str, client: Client, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    own, other = _mixed(), 1 - HUMAN
    texts = {"mixed.csv": text(wide(own)), "other.csv": text(wide(other))}
    ids = [client.drop(name, content)["id"] for name, content in texts.items()]
    state = {"question": question, "sources": ids[:1], "truth": ids[1] if question == "judge" else ""}
    problem = client.send("answers", "Problem", 400, state=state, tab="")
    assert "the widest scale would decide" in problem["problem"]
    assert [way["value"] for way in problem["ways_out"]] == ["z", "rank", "minmax", "mean"]
    assert {way["option"] for way in problem["ways_out"]} == {"aggregate"}
    state |= {"aggregate": "rank"}
    found = client.sure(state)
    scores, truth = (tauscope.Scores(values, TOPICS, SYSTEMS).aggregated("rank") for values in (own, other))
    made = tauscope.report(
        tauscope.Scores(own, TOPICS, SYSTEMS),
        aggregate="rank",
        **(
            {"truth": tauscope.Scores(other, TOPICS, SYSTEMS), "names": ("other", "mixed"), "coefficient": "tau_b"}
            if state["truth"]
            else {}
        ),
    )
    made.script.close()
    assert found["screen"]["words"] == json.loads(made.to_json())["first_screen"]
    for name, content in texts.items():
        (tmp_path / name).write_text(content, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    lines: dict[str, Any] = {}
    exec(client.send("repeat", "Repeat", state=state)["python"], lines)
    if question == "set":
        assert {row["system"]: row["score"] for row in found["points"]["rows"]} == pytest.approx(
            dict(zip(SYSTEMS, scores.means().tolist(), strict=True))
        )
        assert lines["expected"].value == found["intervals"]["expected"]["value"]
    else:
        right = tauscope.tau_b(scores.ranking(), truth=truth.ranking()).value
        assert found["points"]["agreement"]["value"] == right == lines["point"].value
        assert lines["sure"].corrected == found["intervals"]["comparison"]["corrected"]


def test_a_board_of_several_scales_says_by_which_rule(client: Client) -> None:
    id = client.drop("board.csv", text(turned(_mixed())))["id"]
    state = {"question": "board", "sources": [id]}
    problem = client.send("answers", "Problem", 400, state={**state, "aggregate": "z"}, tab="")
    assert "6 tasks have scores up to 1" in problem["problem"]
    assert [(way["option"], way["value"]) for way in problem["ways_out"]] == [
        ("rule", "z"),
        ("rule", "mean-rank"),
        ("rule", "min-max"),
        ("aggregate", "mean"),
    ]
    plain = client.answer({**state, "aggregate": "mean"})["points"]["rows"]
    assert [row["score"] for row in plain] == pytest.approx(sorted(_mixed().mean(axis=0), reverse=True))


def test_what_was_left_out_comes_back_by_the_button_that_left_it_out(client: Client) -> None:
    ids = [
        client.drop(name, content)["id"]
        for name, content in (("s.csv", FILES["one row per topic"]), ("g.csv", FILES["groups"]))
    ]
    state = {"question": "set", "sources": ids[:1], "groups": ids[1], "without_groups": ["0a", "1a"]}
    problem = client.send("answers", "Problem", 400, state=state, tab="")
    assert [(way["option"], way["value"]) for way in problem["ways_out"]] == [("without_groups", [])]
    assert client.answer({**state, "without_groups": []})["points"]["systems"] == len(SYSTEMS)
