"""Every command of 0.2 has a call that answers the same question, and its JSON is what the schema describes."""

from __future__ import annotations

import json
import shlex
import tomllib
from importlib.resources import files
from pathlib import Path
from typing import Any

import jsonschema
import numpy as np
import pytest

from tauscope import demo, evaluate
from tauscope.cli import build, main
from tauscope.cli.commands import GROUPS, QUESTIONS
from tauscope.render.json import SCHEMA

MOVED: dict[str, str] = tomllib.loads((Path(__file__).parent / "commands.toml").read_text(encoding="utf-8"))
#: Questions that were new, or had no command of their own, in 0.2.
MORE = {
    "several judges": "compare a=judge.csv b=other.csv --truth people.csv",
    "several people": "audit judge.csv --people ann=people.csv bob=other.csv cid=judge.csv",
    "which differences a judge finds": "significance judge.csv --truth people.csv",
    "two opinions": "correlate judge.csv other.csv -c tau_b tau_a",
    "a table of an answer": "compare judge.csv --truth people.csv --view pairs",
    "a plan": "hybrid part.csv --judge judge.csv --view plan:target=0.9,human_cost=2",
    "the next topics": "hybrid --judge judge.csv --view next:choose=3",
    "where a system fails": "correlate judge.csv --truth people.csv --view profile:system=lexical01",
    "two qrels": "evaluate runs --qrels qrels.txt --qrels judge.qrels --measures AP",
    "sensitivity": "expected people.csv --view sensitivity",
    "one system": "rank people.csv --view one:system=lexical01",
    "the best set": "rank people.csv --view best-set",
}
VALIDATOR = jsonschema.Draft202012Validator(
    json.loads((files("tauscope.render") / "schema.json").read_text(encoding="utf-8"))
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The small demo as files, and small boards of every other kind."""
    here = tmp_path_factory.mktemp("demo")
    made = demo(rng=1, depth=30)
    made.write(here)
    (here / "judge.qrels").write_bytes((here / "judge_qrels.txt").read_bytes())
    measures = ["AP", "RR", "P@10"]
    people, judge = (evaluate(made.runs, own, measures) for own in (made.qrels, made.judge_qrels))
    systems, topics = people.systems[::5], people.topics[:12]
    for name, own in (("people", people["AP"]), ("judge", judge["AP"]), ("other", judge["RR"])):
        own.select(systems=systems, topics=topics).write(here / f"{name}.csv", layout="wide")
    people["AP"].select(systems=systems, topics=topics[:6]).write(here / "part.csv", layout="wide")
    people.system_wise().write(here / "measures.csv")
    rows = "".join(f"{run},{family}\n" for run, family in made.families.items())
    (here / "families.csv").write_text(f"run,group\n{rows}", encoding="utf-8")
    (here / "may.csv").write_text("system,score,se\na,0.5,0.1\nb,0.25,0.1\nc,0.7,0.05\n", encoding="utf-8")
    (here / "august.csv").write_text("system,score,se\na,0.6,0.1\nb,0.2,0.1\nd,0.7,0.05\n", encoding="utf-8")
    rng = np.random.default_rng(0)
    runs = [f"{s},{t},{r},{rng.random():.3f}" for s in "abc" for t in range(4) for r in range(2)]
    (here / "repeats.csv").write_text("\n".join(["system,topic,repeat,score", *runs, ""]), encoding="utf-8")
    for name in ("depths.csv", "deeper.csv"):
        lines = [f"{t},{s}," + ",".join(f"{v:.3f}" for v in rng.random(4)) for t in range(6) for s in "abcde"]
        head = "topic,system,AP(depth=10),AP(depth=20),P(depth=10),P(depth=20)"
        (here / name).write_text("\n".join([head, *lines, ""]), encoding="utf-8")
    pairs = [(a, b) for a in "abcd" for b in "abcd" if a != b] * 3
    for name in ("battles.csv", "verdicts.csv"):
        won = rng.choice(["model_a", "model_b", "tie"], len(pairs))
        lines = [f"{k},q{k % 6},{a},{b},{won[k]}" for k, (a, b) in enumerate(pairs)]
        (here / name).write_text("\n".join(["battle,question,model_a,model_b,winner", *lines, ""]), encoding="utf-8")
    return here


def flags(words: list[str]) -> set[str]:
    _, apps, _ = build().parse_commands(words)
    return {name for argument in apps[-1].assemble_argument_collection() for name in argument.names}


def test_every_command_of_0_2_is_in_the_table_and_the_new_ones_are_at_most_18() -> None:
    assert len(MOVED) == 44
    assert len(GROUPS) + sum(map(len, QUESTIONS.values())) <= 18


def test_all_commands_together_have_at_most_90_options() -> None:
    commands = [[name] for own in QUESTIONS.values() for name in own]
    commands += [[group, name] for group, (_, own, _) in GROUPS.items() for name in own]
    found = {flag for command in commands for flag in flags(command) if flag.startswith("--")}
    assert len({flag for flag in found if not flag.startswith("--no-")}) <= 90


@pytest.mark.parametrize("name", [*MOVED, *MORE])
def test_the_call_answers_and_its_json_is_what_the_schema_describes(
    name: str, folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(folder)
    words = shlex.split((MOVED | MORE)[name])
    assert main(words) in (0, 1), capsys.readouterr().err
    printed = capsys.readouterr()
    assert printed.out.strip()
    told = printed.err.splitlines()
    assert len(told) == len(set(told)), "a warning is told twice"
    if name in ("serve", "reproduce") or "--json" not in flags(words):
        return
    assert main([*words, "--json"]) in (0, 1)
    document: Any = json.loads(capsys.readouterr().out)
    assert document["schema"] == SCHEMA
    VALIDATOR.validate(document)
    for one in document.get("answers", [document]):
        if "answer" in one:
            verdict = one["answer"]["verdict"]
            label = f"{verdict['label']}. " if verdict["label"] else ""
            place = " ".join(printed.out.split()).find(" ".join(f"{label}{verdict['headline']}".split()))
            assert place >= 0, "the headline is not printed"
            assert place < 300 or len(document.get("answers", ())) > 1, "the headline is not first"
