"""Twenty-one inputs, each asked in Python, in the shell, on a page and in the app: one verdict, one set of numbers."""

from __future__ import annotations

import io
import json
import shlex
from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from running import Client, Running

import tauscope as t
from tauscope.boards.repeats import Repeats
from tauscope.cli import main

COLUMNS = [f"sys{i:02d}" for i in range(10)]


def matrix(seed: int, noise: float = 0.1, topics: int = 24, holes: int = 0) -> str:
    """Scores of ten systems as a CSV file."""
    rng = np.random.default_rng(seed)
    topic = np.random.default_rng(77).normal(0, 0.08, (topics, 1))
    values = np.clip(np.linspace(0.7, 0.25, 10) + topic + rng.normal(0, noise, (topics, 10)), 0, 1).round(3)
    cells = [[f"{value:.3f}" for value in row] for row in values]
    for row, column in zip(rng.integers(topics, size=holes), rng.integers(10, size=holes), strict=True):
        cells[row][column] = ""
    lines = [f"t{i:02d}," + ",".join(row) for i, row in enumerate(cells)]
    return "topic," + ",".join(COLUMNS) + "\n" + "\n".join(lines) + "\n"


def battles(seed: int) -> str:
    rng = np.random.default_rng(77)  # the same battles for every judge
    first = rng.integers(5, size=400)
    second = (first + rng.integers(1, 5, size=400)) % 5
    rng = np.random.default_rng(seed)
    wins = rng.random(400) < 1 / (1 + np.exp(0.5 * (first - second)))
    rows = [
        f"{k},m{a},m{b},{'tie' if k % 9 == 0 else 'model_a' if won else 'model_b'}"
        for k, (a, b, won) in enumerate(zip(first.tolist(), second.tolist(), wins.tolist(), strict=True))
    ]
    return "id,model_a,model_b,winner\n" + "\n".join(rows) + "\n"


def qrels(seed: int) -> str:
    rng = np.random.default_rng(seed)
    base = np.random.default_rng(5).random((12, 20))
    grades = (base + rng.normal(0, 0.1, base.shape) > 0.6).astype(int)
    return "".join(f"{q} 0 d{d} {grade}\n" for q, row in enumerate(grades.tolist()) for d, grade in enumerate(row))


def run(seed: int) -> str:
    rng = np.random.default_rng(seed)
    base = np.random.default_rng(5).random((12, 20))
    scores = base + rng.normal(0, 0.1 + 0.1 * seed, base.shape)
    return "".join(
        f"{q} Q0 d{d} {rank} {scores[q, d]:.4f} run{seed}\n"
        for q in range(12)
        for rank, d in enumerate(np.argsort(-scores[q]).tolist(), 1)
    )


REPEATS = "model,topic,run,score\n" + "".join(
    f"m{m},t{q},r{r},{np.random.default_rng([m, q, r]).normal(m / 5, 0.3):.3f}\n"
    for m in range(4)
    for q in range(9)
    for r in range(3)
)
FILES = {
    "people.csv": matrix(1),
    "judge.csv": matrix(2, 0.15),
    "rival.csv": matrix(3, 0.3),
    "few.csv": "\n".join(matrix(1).splitlines()[:13]) + "\n",
    "holes.csv": matrix(4, holes=12),
    "arena.csv": battles(1),
    "machine.csv": battles(2),
    "printed.csv": "model,score,ci\nx,71.2,1.2\ny,68,2\nz,50,1\n",
    "repeats.csv": REPEATS,
    "groups.csv": "system,group\n"
    + "".join(f"{name},{'odd' if i % 2 else 'even'}\n" for i, name in enumerate(COLUMNS)),
    "gold.qrels": qrels(1),
    "llm.qrels": qrels(2),
    **{f"run{seed}.txt": run(seed) for seed in range(1, 6)},
    **{f"person{seed}.csv": matrix(10 + seed, 0.12) for seed in range(3)},
}
RUNS = [f"run{seed}.txt" for seed in range(1, 6)]


def scores(name: str, missing: str = "error") -> t.Scores:
    return t.Scores.read(name, collection=Path(name).stem, missing=missing)


def groups() -> dict[str, str]:
    return dict(line.split(",") for line in FILES["groups.csv"].splitlines()[1:])


def judged(name: str) -> t.Scores:
    found: t.Scores = t.evaluate(RUNS, name, ["AP"])["AP"].changed(collection=Path(name).stem)
    return found


@dataclass(frozen=True)
class Input:
    """One input: its question in Python, in the shell, and in the app, where the app has it."""

    python: Callable[[], Any]
    shell: str
    app: dict[str, Any] = field(default_factory=dict)
    options: dict[str, Any] = field(default_factory=dict)


INPUTS = {
    "one judge": Input(
        lambda: t.compare({"judge": scores("judge.csv")}, truth=scores("people.csv")),
        "compare judge.csv --truth people.csv",
        {"question": "compare", "judge": ["judge.csv"], "truth": "people.csv"},
    ),
    "one judge and groups": Input(
        lambda: t.compare({"judge": scores("judge.csv")}, truth=scores("people.csv"), groups=groups()),
        "compare judge.csv --truth people.csv --groups groups.csv",
        {"question": "compare", "judge": ["judge.csv"], "truth": "people.csv", "groups": "groups.csv"},
    ),
    "several judges": Input(
        lambda: t.compare({"judge": scores("judge.csv"), "rival": scores("rival.csv")}, truth=scores("people.csv")),
        "compare judge.csv rival.csv --truth people.csv",
        {"question": "compare", "judge": ["judge.csv", "rival.csv"], "truth": "people.csv"},
    ),
    "several people": Input(
        lambda: t.audit(
            {"judge": scores("judge.csv")},
            truth=scores("people.csv"),
            people={f"p{k}": scores(f"person{k}.csv") for k in range(3)},
        ),
        "audit judge.csv --truth people.csv --people p0=person0.csv p1=person1.csv p2=person2.csv",
    ),
    "a board": Input(
        lambda: t.rank(scores("people.csv")), "rank people.csv", {"question": "rank", "board": "people.csv"}
    ),
    "a board with holes": Input(
        lambda: t.rank(scores("holes.csv", "keep")), "rank holes.csv", {"question": "rank", "board": "holes.csv"}
    ),
    "an arena": Input(
        lambda: t.rank(t.Battles.read("arena.csv")), "rank arena.csv", {"question": "rank", "board": "arena.csv"}
    ),
    "published scores": Input(
        lambda: t.rank(t.Published.read("printed.csv")),
        "rank printed.csv",
        {"question": "rank", "board": "printed.csv"},
    ),
    "a hybrid": Input(
        lambda: t.hybrid(scores("few.csv"), scores("judge.csv")),
        "hybrid few.csv --judge judge.csv",
        {"question": "hybrid", "human": "few.csv", "judge": "judge.csv"},
    ),
    "one set of scores": Input(
        lambda: t.expected_correlation(scores("people.csv")),
        "expected people.csv",
        {"question": "expected", "scores": "people.csv"},
    ),
    "runs and two qrels": Input(
        lambda: t.compare({"llm": judged("llm.qrels")}, truth=judged("gold.qrels")),
        "",
        {"question": "compare", "judge": ["llm.qrels"], "truth": "gold.qrels"},
    ),
    "versions": Input(
        lambda: t.versions({"people": scores("people.csv"), "judge": scores("judge.csv")}),
        "versions people.csv judge.csv",
        {"question": "versions", "boards": ["people.csv", "judge.csv"]},
    ),
    "battles by two judges": Input(
        lambda: t.compare(t.Battles.read("machine.csv"), truth=t.Battles.read("arena.csv")),
        "compare machine.csv --truth arena.csv",
    ),
    "significant differences": Input(
        lambda: t.significance(scores("judge.csv"), truth=scores("people.csv")),
        "significance judge.csv --truth people.csv",
        {"question": "significance", "scores": "judge.csv", "truth": "people.csv"},
    ),
    "two rankings": Input(
        lambda: t.correlate(scores("judge.csv"), truth=scores("people.csv")),
        "correlate judge.csv --truth people.csv",
        {"question": "correlate", "rankings": "judge.csv", "truth": "people.csv"},
    ),
    "claims about a board": Input(
        lambda: t.gate(scores("people.csv"), ["sys00 > sys09", "tau(new, old) >= .9"], baseline=scores("judge.csv")),
        'gate people.csv --baseline judge.csv --claim "sys00 > sys09" --claim "tau(new, old) >= .9"',
        {"question": "gate", "new": "people.csv", "baseline": "judge.csv"},
        {"claims": "sys00 > sys09\ntau(new, old) >= .9"},
    ),
    "a plan of labels": Input(
        lambda: t.hybrid(scores("few.csv"), scores("judge.csv")).plan(),
        "hybrid few.csv --judge judge.csv --view plan",
        {"question": "hybrid", "human": "few.csv", "judge": "judge.csv"},
        {"view": "plan"},
    ),
    "topics needed": Input(
        lambda: t.expected_correlation(scores("people.csv")).topics_needed(),
        "expected people.csv --view plan",
        {"question": "expected", "scores": "people.csv"},
        {"view": "plan"},
    ),
    "neighbours on a board": Input(
        lambda: t.rank(scores("people.csv")).neighbours,
        "rank people.csv --view neighbours",
        {"question": "rank", "board": "people.csv"},
        {"view": "neighbours"},
    ),
    "topics of two rankings": Input(
        lambda: t.correlate(scores("judge.csv"), truth=scores("people.csv")).by_topic(),
        "correlate judge.csv --truth people.csv --view topics",
        {"question": "correlate", "rankings": "judge.csv", "truth": "people.csv"},
        {"view": "topics"},
    ),
    "repeated runs": Input(
        lambda: t.variance_components(Repeats.read("repeats.csv")),
        "variance repeats.csv",
        {"question": "variance", "scores": "repeats.csv"},
    ),
}


@pytest.fixture(scope="module")
def app(start_app: Callable[..., Running]) -> Running:
    """An app of its own: files of other tests that have the same names would change what files are called."""
    return start_app()


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name, text in FILES.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def plain(document: Any) -> Any:
    """As JSON has it."""
    return json.loads(json.dumps(document))


@pytest.mark.parametrize("name", INPUTS)
def test_python_shell_page_and_app_give_one_answer(name: str, folder: Path, client: Client) -> None:
    from tauscope.render import json as documents

    own = INPUTS[name]
    result = own.python()
    expected = plain(documents.document(result))
    page = plain(t.report(result).to_dict())
    assert page["answers"][0]["facts"] == expected["facts"]
    assert page["answers"][0]["answer"] == expected["answer"]
    label, headline = expected["answer"]["verdict"]["label"], result.answer().verdict.headline
    if own.shell:
        out = io.StringIO()
        with redirect_stdout(out), redirect_stderr(io.StringIO()):
            code = main([*shlex.split(own.shell), "--json"])
        printed = json.loads(out.getvalue())
        assert code in (0, 1)
        assert printed["facts"] == expected["facts"]
        assert printed["answer"] == expected["answer"]
        text = io.StringIO()
        with redirect_stdout(text), redirect_stderr(io.StringIO()):
            main(shlex.split(own.shell))
        from tauscope.answers.wording import unmarked

        words = " ".join(text.getvalue().split())
        assert " ".join(unmarked(headline).split()) in words
        assert label in words
    if own.app:
        for file, content in FILES.items():
            client.drop(file, content)
        question, roles = own.app["question"], {role: own.app[role] for role in own.app if role != "question"}
        found = client.answer(client.ask(question, options=own.options, **roles))
        assert found["document"]["facts"] == expected["facts"]
        assert found["document"]["answer"] == expected["answer"]
        assert label in found["html"]
