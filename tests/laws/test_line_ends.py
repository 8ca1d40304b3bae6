"""Laws of lines: runs and judgments end them with CR, LF or both, and hold one document each."""

from __future__ import annotations

from pathlib import Path

import pytest

import tauscope

RUN = "1 Q0 a 1 3.0 t\n1 Q0 b 2 2.0 t\n2 Q0 a 1 5.0 t\n2 Q0 c 2 4.0 t\n"
QRELS = "1 0 a 1\n1 0 b 0\n2 0 c 1\n2 0 a 0\n"


def file(folder: Path, text: str, name: str = "run.txt") -> Path:
    path = folder / name
    path.write_bytes(text.encode())
    return path


@pytest.mark.parametrize("end", ["\r", "\r\n", "\n"])
def test_every_line_end_gives_the_same_scores(tmp_path: Path, end: str) -> None:
    run, qrels = file(tmp_path, RUN.replace("\n", end)), file(tmp_path, QRELS.replace("\n", end), "qrels.txt")
    assert tauscope.evaluate([run], qrels, ["AP"]).values.ravel().tolist() == [1.0, 0.5]


@pytest.mark.parametrize("odd", ["\x0b", "\x0c", "\x01", "\x7f"])
@pytest.mark.parametrize("end", ["\r", "\r\n", "\n"])
def test_a_control_character_in_a_line_is_an_error_with_its_number(tmp_path: Path, odd: str, end: str) -> None:
    text = RUN.replace("1 Q0 b", f"1{odd}Q0 b").replace("\n", end)
    with pytest.raises(tauscope.TauscopeError, match=r"run\.txt:2: there is a control character"):
        tauscope.Runs.read(file(tmp_path, text))
    judged = QRELS.replace("2 0 c 1", f"2 0 c{odd} 1").replace("\n", end)
    with pytest.raises(tauscope.TauscopeError, match=r"qrels\.txt:3: there is a control character"):
        tauscope.Qrels.read(file(tmp_path, judged, "qrels.txt"))


def test_text_may_follow_the_tag_and_a_second_document_may_not(tmp_path: Path) -> None:
    run = tauscope.Runs.read(file(tmp_path, RUN.replace("3.0 t", "3.0 t some more text 12 here")))
    assert run["t"].ranked("1") == ["a", "b"]
    joined = RUN.replace("t\n1 Q0 b", "t 1 Q0 b")
    with pytest.raises(tauscope.TauscopeError, match=r"run\.txt:1: a second document"):
        tauscope.Runs.read(file(tmp_path, joined))


def test_lines_taken_for_comments_are_counted_in_the_notes(tmp_path: Path) -> None:
    run = file(tmp_path, "# made today\n" + RUN + "#9 Q0 z 1 1 t\n")
    notes = tauscope.evaluate([run], file(tmp_path, "# people\n" + QRELS, "qrels.txt"), ["AP"]).notes
    assert "2 lines of the runs that begin with # taken for comments" in notes
    assert "1 line of the judgments that begin with # taken for comments" in notes


def test_a_cell_that_is_too_long_is_an_error_with_its_line(tmp_path: Path) -> None:
    path = file(tmp_path, f"topic,{'x' * 140_000},b\n1,0.5,0.6\n2,0.1,0.2\n", "wide.csv")
    with pytest.raises(tauscope.TauscopeError, match=r"wide\.csv:1: .*131,072 characters"):
        tauscope.Scores.read(path)
