"""Kappa of two qrels by `tauscope check`, and the conventions of every measure by `tauscope measures list`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tauscope.cli import main
from tauscope.evaluation import measures
from tauscope.evaluation.measures import MEASURES
from tauscope.evaluation.qrels import Qrels

PAGE = Path(__file__).resolve().parents[2] / "docs" / "explanation" / "measures.md"


@pytest.fixture
def files(tmp_path: Path) -> tuple[str, str]:
    (tmp_path / "people.txt").write_text("1 0 a 2\n1 0 b 0\n1 0 c 1\n1 0 d 0\n")
    (tmp_path / "judge.txt").write_text("1 0 a 0.9\n1 0 b 0.1\n1 0 c 0.4\n1 0 d 0.0\n")
    return str(tmp_path / "people.txt"), str(tmp_path / "judge.txt")


def test_kappa_of_two_qrels_from_the_shell(files: tuple[str, str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", files[0], files[0]]) == 0
    text = " ".join(capsys.readouterr().out.split())
    assert "4 documents" in text
    assert "1 topic" in text
    assert "They agree on the relevance of 100.0 % of 4 documents; beyond chance, Cohen’s κ is 1.000." in text
    assert "κ on grades, quadratic weights 1.000" in text


def test_thresholds_of_two_judges_and_the_document(files: tuple[str, str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", *files, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)["facts"]
    assert found["relevance_kappa"] == Qrels.read(files[0]).compare(files[1]).relevance_kappa == 0.5
    assert found["rel"] == [1, 0.5]
    assert Qrels.read(files[0]).compare(files[1], rel=(1, 0.4)).relevance_kappa == 1


def test_the_list_of_measures_has_all_of_them_with_definition_and_convention(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["measures", "list", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)["facts"]
    assert [row["measure"].removesuffix("@k") for row in found["measures"]] == list(MEASURES)
    assert all(row["definition"] and row["convention"] for row in found["measures"])
    assert any("-2" in text for text in found["conventions"])
    assert main(["measures", "list", "ndcg_cut_20"]) == 0
    text = " ".join(capsys.readouterr().out.split())
    assert "gain is the grade, as in trec_eval" in text
    assert main(["measures", "list", "nothing"]) != 0


def test_the_page_of_measures_says_what_the_code_says() -> None:
    page = " ".join(PAGE.read_text(encoding="utf-8").split())
    for row in measures.rows():
        cells = [
            f"`{row['measure']}`",
            *(row[key] for key in ("definition", "convention", "parameters", "also", "paper")),
        ]
        assert " ".join(f"| {' | '.join(cells)} |".split()) in page
    assert all(" ".join(str(text).split()) in page for text in measures.GENERAL)
