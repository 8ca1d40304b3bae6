"""Matrices that nobody here wrote, through the shell as somebody who has them would: MTEB, AlpacaEval and LMArena as
boards. Skipped where the shared data are not there."""

from __future__ import annotations

import json
from pathlib import Path

import pandas as pd
import pytest

from tauscope import Ranking, Scores, TauscopeError, check, measures
from tauscope.cli import main


@pytest.fixture(scope="module")
def real(shared: Path) -> Path:
    folder = shared / "data" / "real"
    if not folder.is_dir():
        pytest.skip(f"no real boards: {folder} is not a folder")
    return folder


def run(capsys: pytest.CaptureFixture[str], *words: object) -> tuple[int, str, str]:
    code = main([str(word) for word in words])
    printed = capsys.readouterr()
    return code, printed.out, printed.err


def test_mteb_has_models_as_rows_and_nobody_must_say_so(real: Path) -> None:
    board = real / "mteb" / "board.csv"
    found = Scores.read(board)
    assert found == Scores.read(board, format="turned")
    assert found == Scores.read(pd.read_csv(board))
    assert found.shape == (41, 183)
    assert found.scales() is None
    told = check(found)
    assert told["duplicate-systems"].where == (
        "'jinaai__jina-embeddings-v5-omni-nano', 'jinaai__jina-embeddings-v5-text-nano'"
    )
    assert "layout" in told.codes


def test_mteb_through_the_shell(real: Path, capsys: pytest.CaptureFixture[str]) -> None:
    board = real / "mteb" / "board.csv"
    code, out, err = run(capsys, "correlate", board, board, "-c", "tau_b", "--json")
    facts = json.loads(out)["facts"]
    assert (code, facts["n"], facts["value"]) == (0, 183, pytest.approx(1))
    assert "note: board.csv:1: one row per system, named in 'model', and one column per topic (41)" in err
    code, out, err = run(capsys, "measures", "correlate", board, "--coefficient", "tau_b")
    assert code == 0
    assert "41 measures" in out
    assert "183 systems" in out
    code, out, err = run(capsys, "expected", board, "--json", "-c", "tau")
    assert code == 0
    assert "these systems have the same score on every topic" in err
    assert json.loads(out)["facts"]["systems"] == 183


def test_mteb_with_holes_is_reported_as_a_board(real: Path, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    board = real / "mteb" / "board-holes.csv"
    code, out, err = run(capsys, "check", board, "--json")
    codes = json.loads(out)["facts"]["codes"]
    assert {"missing-cells", "thin-system", "duplicate-systems", "layout"} <= set(codes)
    page = tmp_path / "page.json"
    code, out, err = run(capsys, "report", board, "--words", "systems=models,topics=tasks", "--out", page)
    assert code == 0
    assert "259 models, 41 tasks" in out
    assert "warning: 'deepfile__embedder-100p', 'keeeeenw__MicroLlama-text-embedding'" in err
    assert json.loads(page.read_text(encoding="utf-8"))["answers"][0]["facts"]["holes"] > 0


def test_two_judges_of_alpaca_eval_are_compared_on_the_models_and_instructions_they_share(
    real: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    one, other = sorted((real / "alpaca").glob("*.csv"))
    words = ["compare", one, "--truth", other, "--missing", "drop-topics"]
    code, _, err = run(capsys, *words)
    assert code == 2
    assert "Use --unmatched drop to compare the 17 they share." in err
    code, out, err = run(capsys, *words, "--unmatched", "drop", "--json")
    found = json.loads(out)["facts"]
    assert (code, found["systems"], found["shared_topics"]) == (0, 17, 787)
    assert "4 of 791 topics are only in the estimate and 13 of 800 topics are only in the truth" in err
    assert any("means over 791 and 800 topics are compared" in note for note in found["notes"])
    pair = check(*(Scores.read(path, missing="drop-topics") for path in (one, other)))
    assert {"systems-on-one-side", "topics-on-one-side"} <= set(pair.codes)


def test_lmarena_is_ranked_by_its_score_and_not_by_ranks_or_votes(
    real: Path, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    old, new = sorted((real / "lmarena").glob("*.csv"))
    table = measures.Table.read(old)
    assert table.measures == ("arena_score",)
    assert Ranking.read(old).groups()[0] == ("GPT-4o-2024-05-13",)
    assert Ranking.read(old, columns="score=votes").groups()[0] != ("GPT-4o-2024-05-13",)
    assert {"summary-column", "no-score-column", "text-column"} <= set(check(table).codes)
    code, out, err = run(capsys, "report", old, "--out", tmp_path / "page.json")
    assert code == 0
    # Its column of intervals makes it a board of printed scores.
    assert json.loads((tmp_path / "page.json").read_text(encoding="utf-8"))["answers"][0]["facts"]["unit"] == "vote"
    with pytest.raises(
        TauscopeError, match="202: system 'Yi-34B-Chat' by arena_score has a score already, on line 201"
    ):
        Ranking.read(new)
    once = pd.read_csv(new).drop_duplicates("model")
    once.to_csv(tmp_path / "new.csv")
    code, out, err = run(capsys, "correlate", old, tmp_path / "new.csv", "-c", "tau_b", "--unmatched", "drop", "--json")
    assert code == 0, err
    assert json.loads(out)["facts"]["value"] > 0.9
    assert "1 column left out, numbering the rows: ''" in err
