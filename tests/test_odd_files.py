"""Odd files in Python and in the shell: the right answer, or an error whose way out works; none silent and wrong."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from odd_files import CASES, HUMAN, MACHINE, SYSTEMS, TOPICS, Odd, table, text, wide

from tauscope import Scores, TauscopeError, check, compare
from tauscope.cli import main
from tauscope.errors import Option

DOCS = Path(__file__).resolve().parent.parent / "docs" / "reference" / "odd-files.md"
IDS = [f"{case.layout}: {case.what}" for case in CASES]
READ = [case for case in CASES if case.question == "read"]
COMPARED = [case for case in CASES if case.question == "compare"]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def put(case: Odd, folder: Path) -> None:
    for name, rows in case.files.items():
        (folder / name).write_text(text(rows).replace("nan", ""), encoding="utf-8")
    clean = wide(expected(case).values, case.topics, case.systems)
    (folder / "clean.csv").write_text(text(clean).replace("nan", ""), encoding="utf-8")


def expected(case: Odd) -> Scores:
    values = HUMAN if case.values is None else case.values
    return Scores(values, case.topics, case.systems, missing="keep")


def same(found: Scores, case: Odd) -> None:
    wanted = expected(case)
    assert (found.systems, found.topics) == (wanted.systems, wanted.topics)
    assert np.array_equal(found.values, wanted.values, equal_nan=True)


def ways(error: TauscopeError, name: str) -> list[Any]:
    return [value for way in error.ways_out if isinstance(way, Option) and way.name == name for value in way.values]


def test_there_are_sixty_of_them_and_the_docs_list_them() -> None:
    assert len(CASES) >= 60
    assert len(set(IDS)) == len(IDS)
    assert table() in DOCS.read_text(encoding="utf-8")


@pytest.mark.parametrize("case", READ, ids=[f"{case.layout}: {case.what}" for case in READ])
def test_a_file_in_python(case: Odd, folder: Path) -> None:
    put(case, folder)
    if case.answer != "error":
        found = Scores.read("a.csv", **case.options)
        same(found, case)
        told = check(found)
        assert case.says in " ".join(map(str, (*found.notes, *told)))
        assert not case.code or case.code in told.codes
        return
    if case.ways_out == ("aggregate",):
        scores = Scores.read("a.csv", **case.options)
        with pytest.raises(TauscopeError, match=case.says) as error:
            compare(scores, truth=scores)
        for how in ways(error.value, "aggregate"):
            assert compare(scores.aggregated(how), truth=scores.aggregated(how)).observed == 1
        return
    with pytest.raises(TauscopeError) as error:
        Scores.read("a.csv", **case.options)
    assert case.says in str(error.value)
    for way in case.ways_out:
        answers = [Scores.read("a.csv", **case.options, **{way: value}) for value in ways(error.value, way)]
        assert answers
        if way != "measure":
            assert any(answer.systems == case.systems and answer.topics == case.topics for answer in answers)


FRAMES = [case for case in READ if case.answer != "error"]


@pytest.mark.parametrize("case", FRAMES, ids=[f"{case.layout}: {case.what}" for case in FRAMES])
def test_a_frame_of_pandas_and_one_of_polars(case: Odd, folder: Path) -> None:
    put(case, folder)
    told = set()
    for frame in (pd.read_csv("a.csv"), pl.read_csv("a.csv")):
        found = Scores.read(frame, **case.options)
        same(found, case)
        told.add(frozenset(check(found).codes))
    assert len(told) == 1
    assert not case.code or case.code in next(iter(told))


@pytest.mark.parametrize("case", READ, ids=[f"{case.layout}: {case.what}" for case in READ])
def test_a_file_in_the_shell(case: Odd, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    put(case, folder)
    shell = flags(case.options)
    code, out, err = run(["check", "a.csv", *some(shell, "--columns"), "--json"], capsys)
    assert code != 2 or case.answer == "error"
    if case.answer != "error":
        assert case.code in out
        if "missing" in case.options:  # significance has no holes: the linter tells
            return
        if len(case.topics) == 1:
            code, out, err = run(["correlate", "a.csv", "a.csv", "-c", "tau_b", "--json", *shell], capsys)
            assert json.loads(out)["facts"]["n"] == len(case.systems)
            return
        code, out, err = run(["significance", "a.csv", "--test", "t", "--csv", *shell], capsys)
        assert code == 0, err
        assert case.says in err or case.says in out
        pairs = list(csv.DictReader(out.splitlines()))
        means = dict(zip(case.systems, expected(case).means().tolist(), strict=True))
        assert len(pairs) == len(means) * (len(means) - 1) // 2
        for pair in pairs:
            difference = means[pair["better"]] - means[pair["worse"]]
            assert float(pair["difference"]) == pytest.approx(difference, abs=1e-9)
        return
    code, out, err = run(["significance", "a.csv", "--test", "t", "--json", *shell], capsys)
    assert code == 2
    assert case.says in err
    for way in case.ways_out:
        assert f"--{way}" in err
        with pytest.raises(TauscopeError) as error:
            compare(Scores.read("a.csv", **case.options), truth=Scores(HUMAN, TOPICS, SYSTEMS))
        words = ["significance", "a.csv", "--test", "t", *shell, f"--{way}"]
        led_out = [run([*words, value], capsys)[0] == 0 for value in ways(error.value, way)]
        assert any(led_out) if way == "format" else all(led_out)


def judged(case: Odd, **more: Any) -> tuple[Scores, Scores, dict[str, Any]]:
    compared = {**case.compared, **more}
    truth_measure = compared.pop("truth_measure", None)
    truth = Scores.read("b.csv", **{**case.options, **({"measure": truth_measure} if truth_measure else {})})
    return Scores.read("a.csv", **case.options, like=truth), truth, compared


def right(case: Odd) -> float:
    """tau_b of the means that should be compared."""
    values = MACHINE if case.values is None else case.values
    rows = next(iter(case.files.values()))
    part = values[3:] if len(rows) == len(TOPICS) - 2 else values
    return compare(Scores(part), truth=Scores(HUMAN), topics="independent").observed


@pytest.mark.parametrize("case", COMPARED, ids=[f"{case.layout}: {case.what}" for case in COMPARED])
def test_two_files_in_python(case: Odd, folder: Path) -> None:
    put(case, folder)
    one, truth, compared = judged(case)
    if case.answer == "error":
        with pytest.raises(TauscopeError) as error:
            compare(one, truth=truth, **compared)
        assert case.says in str(error.value)
        assert ways(error.value, "match") == ["loose"]
        compared["match"] = "loose"
    found = compare(one, truth=truth, **compared)
    assert found.observed == right(case)
    if case.answer == "told":
        assert case.says in " ".join(map(str, found.notes))
        assert case.code in check(one, truth).codes
    if compared.get("match") == "loose":
        assert "matched loosely" in " ".join(map(str, found.notes))
        assert found.shared_topics == len(TOPICS)


@pytest.mark.parametrize("case", COMPARED, ids=[f"{case.layout}: {case.what}" for case in COMPARED])
def test_two_files_in_the_shell(case: Odd, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    put(case, folder)
    words = ["compare", "a.csv", "--truth", "b.csv", "--json", *flags(case.options), *flags(case.compared)]
    code, out, err = run(words, capsys)
    assert case.says in err
    if case.answer == "error":
        assert code == 2
        assert "--match loose" in err
        code, out, err = run([*words, "--match", "loose"], capsys)
    assert code == 0, err
    assert json.loads(out)["facts"]["observed"] == pytest.approx(right(case))


def test_a_report_on_the_same_scores_twice_does_not_say_yes(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    case = next(case for case in COMPARED if case.code == "same-data")
    put(case, folder)
    code, out, err = run(["report", "a.csv", "--truth", "b.csv", "--out", "page.json"], capsys)
    assert code == 0
    assert "Undefined. No verdict is possible because both sides hold the same scores" in " ".join(out.split())
    assert "hold the same score in every cell" in err


def test_a_report_of_a_board_on_two_scales_takes_z_scores_and_says_so(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    put(next(case for case in READ if case.ways_out == ("aggregate",)), folder)
    code, _, err = run(["report", "a.csv", "--out", "page.json"], capsys)
    assert code == 2
    assert "Use --aggregate z, rank, minmax or mean" in err
    scores = []
    for aggregate in ("z", "mean"):
        assert run(["report", "a.csv", "--aggregate", aggregate, "--out", "page.json"], capsys)[0] == 0
        scores.append(json.loads(Path("page.json").read_text(encoding="utf-8"))["answers"][0]["facts"]["scores"])
    assert scores[0] != scores[1]
    assert sum(scores[0]) == pytest.approx(0, abs=1e-9)


def test_standard_input_and_an_output_that_cannot_be_written(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    put(READ[1], folder)
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO((folder / "a.csv").read_bytes())))
    code, out, _ = run(["significance", "-", "--test", "t", "--csv"], capsys)
    assert (code, len(out.splitlines())) == (0, 11)
    assert run(["compare", "-", "--truth", "-"], capsys)[2].startswith(
        "tauscope: - is standard input, which is there once"
    )
    code, _, err = run(["report", "nothing.csv", "--out", "nowhere/page.html"], capsys)
    assert (code, err) == (2, "tauscope: nowhere/page.html: there is no folder nowhere. Make it first.\n")


def flags(options: dict[str, Any]) -> list[str]:
    """Arguments in the words of the shell."""
    words = []
    for name, value in options.items():
        if name != "missing":
            values = [value] if isinstance(value, str) else list(value)
            words += [f"--{name.replace('_', '-')}", *values]
    return words


def some(words: list[str], flag: str) -> list[str]:
    return words[words.index(flag) : words.index(flag) + 2] if flag in words else []


def run(words: list[str], capsys: pytest.CaptureFixture[str]) -> tuple[int, str, str]:
    code = main(words)
    printed = capsys.readouterr()
    return code, printed.out, printed.err
