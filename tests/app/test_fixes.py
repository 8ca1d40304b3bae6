"""Every problem has a fix: whatever is dropped and asked, there is a button or a sentence, and each button helps."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import permutations
from pathlib import Path
from typing import Any

import pytest
from odd_files import HUMAN, SYSTEMS, TOPICS, long, text, turned, wide
from running import Client

import tauscope
from tauscope.app.records import QUESTIONS, READING

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

    def read(self, options: dict[str, str]) -> dict[str, Any]:
        return self.client.read(self.id, **options)

    def asked(self, command: str, options: dict[str, str]) -> dict[str, Any]:
        roles = QUESTIONS[command].roles
        files = {role.name: [self.id] for role in roles[:1]}
        files |= {role.name: [self.others[0]] for role in roles if role.name == "truth"}
        if command == "versions":
            files = {"boards": [self.id, self.others[1]]}
        return {"question": command, "files": files, "each": {self.id: options}}

    def problem(self, asked: dict[str, Any]) -> dict[str, Any] | None:
        """What is wrong with an answer."""
        response = self.client.http.post("/api/v1/answers", json={"asked": asked, "tab": "fixes"})
        assert response.status_code in (200, 400), response.text
        return response.json() if response.status_code == 400 else None


def changes(way: dict[str, Any]) -> Iterator[Any]:
    """The values that a fix can set."""
    if "value" in way:
        yield way["value"]
    elif "roles" in way:
        names = way["choices"]
        for chosen in permutations(names, 3):
            yield ",".join(f"{role}={name}" for role, name in zip(way["roles"], chosen, strict=True))
    else:
        yield from way["choices"]


def buttons(problem: dict[str, Any], place: str) -> list[dict[str, Any]]:
    """The fixes that are buttons, once there is a fix at all."""
    assert problem["fixes"], (place, problem["problem"])
    for way in problem["fixes"]:
        assert way.get("advice") or way["label"], (place, way)
        assert way.get("label") is None or way["label"][0].isupper() or way["label"][0] == "“", (place, way)
    return [way for way in problem["fixes"] if "option" in way]


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
        for way in buttons(file, "the file"):
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
    for command in QUESTIONS:
        asked = desk.asked(command, options)
        problem = desk.problem(asked)
        for way in buttons(problem, command) if problem else ():
            for value in changes(way):
                where = "reading" if way["option"] in READING else "options"
                changed = {**asked, where: {way["option"]: value}}
                after = desk.problem(changed)
                assert after is None or after["problem"] != problem["problem"], (command, way)


@pytest.mark.parametrize("command", ["rank", "compare"])
def test_topics_on_one_scale_are_those_of_the_functions(
    command: str, client: Client, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    own, other = _mixed(), 1 - HUMAN
    for name, values in (("mixed.csv", own), ("other.csv", other)):
        client.drop(name, text(wide(values)))
        (tmp_path / name).write_text(text(wide(values)), encoding="utf-8")
    roles: dict[str, Any] = {"board": "mixed.csv"}
    if command == "compare":
        roles = {"judge": ["mixed.csv"], "truth": "other.csv"}
    asked = client.ask(command, **roles)
    problem = client.problem(asked)
    assert "the widest scale would decide" in problem["problem"]
    assert [way["value"] for way in problem["fixes"]] == ["z", "rank", "minmax", "mean"]
    assert {way["option"] for way in problem["fixes"]} == {"aggregate"}
    found = client.answer({**asked, "reading": {"aggregate": "rank"}})
    scores, truth = (tauscope.Scores(values, TOPICS, SYSTEMS).aggregated("rank") for values in (own, other))
    facts = found["document"]["facts"]
    if command == "rank":
        assert facts["scores"] == pytest.approx(sorted(scores.means().tolist(), reverse=True))
    else:
        assert facts["corrected"] == tauscope.compare(scores, truth=truth).corrected
    monkeypatch.chdir(tmp_path)
    lines: dict[str, Any] = {}
    exec(found["python"], lines)
    assert lines["result"].to_dict() == facts


def test_what_was_left_out_comes_back_by_a_button(client: Client) -> None:
    client.drop("s.csv", FILES["one row per topic"])
    asked = client.ask("rank", board="s.csv") | {"without": list(SYSTEMS)}
    problem = client.problem(asked)
    assert [(way["option"], way["value"]) for way in problem["fixes"]] == [("without", [])]
    assert len(client.answer({**asked, "without": []})["document"]["facts"]["systems"]) == len(SYSTEMS)
