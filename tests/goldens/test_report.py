"""The page: a list of answers, the same in HTML, Markdown and JSON."""

from __future__ import annotations

import json
import re
from html import unescape
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tauscope as ts
from tauscope.answers.wording import unmarked
from tauscope.cli import main
from tauscope.errors import CallError
from tauscope.pages import Report

HOSTILE = ("<script>alert(1)</script>", "</script><b>", "a'b\"c", "\x1b[31mred", "=cmd|' /C calc'!A0", "x" * 200)


def two(systems: int = 12, topics: int = 20, names: Any = None) -> tuple[ts.Scores, ts.Scores]:
    rng = np.random.default_rng(3)
    truth = 0.3 * np.arange(systems) + rng.normal(size=(topics, systems))
    judge = truth + 0.4 * rng.normal(size=truth.shape)
    return ts.Scores(judge, systems=names), ts.Scores(truth, systems=names)


@pytest.fixture(scope="module")
def page() -> Report:
    judge, truth = two()
    return ts.report(judge, truth=truth, groups={s: "odd" if int(s) % 2 else "even" for s in truth.systems}, rng=5)


def words(text: str) -> str:
    return " ".join(unescape(re.sub(r"<[^>]+>", "", text)).split())


def test_a_page_with_a_truth_opens_with_the_judge_and_then_asks_about_ranks_differences_and_topics(
    page: Report,
) -> None:
    assert [result.QUESTION for result in page.results] == ["judge", "ranks", "significance", "topics"]


def test_the_answers_of_a_page_are_those_of_the_functions(page: Report) -> None:
    judge, truth = two()
    groups = {s: "odd" if int(s) % 2 else "even" for s in truth.systems}
    own = [
        ts.compare(judge, truth=truth, groups=groups, rng=5),
        ts.rank(truth, rng=5),
        ts.significance(judge, truth=truth, rng=5),
        ts.correlate(judge, truth=truth).by_topic(),
    ]
    assert [result.to_dict() for result in page.results] == [result.to_dict() for result in own]


def test_html_markdown_json_and_text_have_the_same_verdicts(page: Report) -> None:
    html, markdown, document = words(page.html()), page.markdown(), page.to_dict()
    for result, answer in zip(page.results, document["answers"], strict=True):
        verdict = result.answer().verdict
        headline = unmarked(verdict.headline)
        assert headline.replace("τ_", "τ") in html
        assert answer["answer"]["verdict"]["headline"] == headline
        assert headline in str(page)
        if verdict.label:
            assert verdict.label in html
            assert f"**{verdict.label}.**" in markdown


def test_the_same_input_and_seed_give_the_same_bytes(page: Report) -> None:
    judge, truth = two()
    groups = {s: "odd" if int(s) % 2 else "even" for s in truth.systems}
    again = ts.report(judge, truth=truth, groups=groups, rng=5)
    assert again.html() == page.html()
    assert json.dumps(again.to_dict()) == json.dumps(page.to_dict())


def arena() -> ts.Battles:
    rng = np.random.default_rng(2)
    i = rng.integers(4, size=200)
    j = (i + rng.integers(1, 4, size=200)) % 4
    wins = rng.random(200) < 1 / (1 + np.exp(0.5 * (i - j)))
    return ts.Battles([f"m{k}" for k in i], [f"m{k}" for k in j], np.where(wins, "first", "second"))


PAGES: dict[str, tuple[Any, list[str]]] = {
    "a board": (lambda: ts.report(two()[1]), ["ranks"]),
    "votes": (lambda: ts.report(arena()), ["ranks"]),
    "published scores": (
        lambda: ts.report(ts.Published({"a": 2.0, "b": 1.0, "c": 0.5}, errors=[0.1, 0.1, 0.1])),
        ["ranks"],
    ),
    "several judges": (lambda: ts.report({"x": two()[0], "y": two()[1]}, truth=two()[1]), ["judges", "ranks"]),
    "two rankings": (lambda: ts.report({"a": 3, "b": 2, "c": 1}, truth={"a": 3, "b": 1, "c": 2}), ["correlation"]),
    "a result": (lambda: ts.report(ts.rank(two()[1])), ["ranks"]),
    "results": (lambda: ts.report([ts.rank(two()[1]), ts.versions([two()[0], two()[1]])]), ["ranks", "versions"]),
}


@pytest.mark.parametrize("what", PAGES)
def test_every_kind_of_input_has_its_page(what: str) -> None:
    make, questions = PAGES[what]
    page = make()
    assert [result.QUESTION for result in page.results][: len(questions)] == questions
    assert page.html().startswith("<!doctype html>")


def test_runs_are_measured_and_the_judge_of_two_qrels_is_compared(tmp_path: Path) -> None:
    demo = ts.demo(rng=1)
    demo.write(tmp_path)
    page = ts.report(tmp_path / "runs", qrels=[tmp_path / "qrels.txt", tmp_path / "judge_qrels.txt"], measures="AP")
    truth, judge = (ts.evaluate(demo.runs, own, "AP") for own in (demo.qrels, demo.judge_qrels))
    assert page.results[0].observed == ts.compare(judge["AP"], truth=truth["AP"]).observed  # type: ignore[attr-defined]


def test_a_page_allows_its_own_script_and_style_only(page: Report) -> None:
    html = page.html()
    policy = re.findall(r'Content-Security-Policy" content="([^"]*)"', html)[0]
    assert "default-src 'none'" in policy
    assert policy.count("sha256-") == 2
    assert html.count("<script>") == html.count("<style>") == 1
    assert not re.search(r" on\w+=|<link|<img|@import|https?://(?!www\.w3\.org)", html.split("<main>")[0])


def test_hostile_names_are_text_on_every_surface() -> None:
    judge, truth = two(len(HOSTILE), names=list(HOSTILE))
    page = ts.report(judge, truth=truth)
    html = page.html()
    assert "<script>alert" not in html
    assert "</script><b>" not in html
    assert "\x1b" not in html + page.markdown() + str(page)
    assert html.count("<script>") == 1


def test_a_table_of_more_rows_than_a_page_shows_says_so() -> None:
    _, truth = two(systems=1005, topics=4)
    html = ts.report(ts.rank(truth)).html()
    assert "The first 1,000 of 1,005 rows." in html


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: ts.report(3), "report() takes scores, votes, runs or results; this is of type int."),
        (lambda: ts.report({"a": 1, "b": 2}), "One ranking without topics is not enough for a page."),
        (lambda: ts.report("runs", qrels="q", truth="t"), "truth and qrels both name the reference."),
    ],
)
def test_a_wrong_call_is_told_what_to_do(call: Any, said: str) -> None:
    with pytest.raises(CallError) as error:
        call()
    assert said in str(error.value)


def test_the_command_writes_the_page_and_prints_its_headlines(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    judge, truth = two()
    judge.write("judge.csv", layout="wide")
    truth.write("people.csv", layout="wide")
    assert main(["report", "judge.csv", "--truth", "people.csv", "-o", "page.html"]) == 0
    told = capsys.readouterr().out
    assert "page: page.html" in told
    page = Path("page.html").read_text(encoding="utf-8")
    assert ts.compare(judge, truth=truth).answer().verdict.label in told
    assert len(page) < 250_000
    assert main(["report", "judge.csv", "--truth", "people.csv", "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["answers"][0]["facts"]["observed"] == ts.compare(judge, truth=truth).to_dict()["observed"]
    assert main(["report", "people.csv", "-o", "board.txt"]) == 2
    assert "written as .html, .json or .md" in capsys.readouterr().err


def test_every_command_writes_its_answer_as_a_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    two()[1].write("people.csv", layout="wide")
    assert main(["rank", "people.csv", "--html", "ranks.html"]) == 0
    assert "Which ranks do the data support?" in Path("ranks.html").read_text(encoding="utf-8")
