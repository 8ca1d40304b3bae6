"""Tables as people export them: decimal commas, percent signs, comments, other encodings, .xlsx and .ods."""

from __future__ import annotations

import os
import sys
import threading
import zipfile
from pathlib import Path

import numpy as np
import pytest
import sheets

from tauscope import Battles, Published, Ranking, Scores, measures
from tauscope.errors import FileError, MissingPackageError
from tauscope.io import streams, tables
from tauscope.io.columns import read_groups
from tauscope.io.numerals import Numerals, shape
from tauscope.io.read import detect_format

EXPECTED = [[0.5, 0.25], [0.125, 1.5]]
ROWS = [["topic", "a", "b"], [401, 0.5, 0.25], [402, 0.125, 1.5]]


def put(folder: Path, name: str, text: str | bytes) -> Path:
    path = folder / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def refused(path: Path) -> str:
    with pytest.raises(FileError) as error:
        Scores.read(path)
    return str(error.value).removeprefix(str(path))


#: file name, content, and what the notes say of it
TOLD: dict[str, tuple[str, str | bytes, str]] = {
    "decimal commas": ("s.csv", "topic;a;b\n401;0,5;0,25\n402;0,125;1,5\n", "semicolon-separated"),
    "decimal commas are noted": ("s.csv", "topic;a;b\n401;0,5;0,25\n402;0,125;1,5\n", "decimal commas"),
    "quoted decimal commas": ("s.csv", 'topic,a,b\n401,"0,5","0,25"\n402,"0,125","1,5"\n', "decimal commas"),
    "decimal commas between tabs": ("s.tsv", "topic\ta\tb\n401\t0,5\t0,25\n402\t0,125\t1,5\n", "decimal commas"),
    "percent": ("s.csv", "topic,a,b\n401,50%,25 %\n402,12.5%,150%\n", "percent signs read as hundredths"),
    "percent with commas": ("s.csv", "topic;a;b\n401;50%;25%\n402;12,5%;150%\n", "decimal commas, percent signs"),
    "spaces after commas": ("s.csv", "topic, a, b\n401, 0.5, 0.25\n402, 0.125, 1.5\n", "comma-separated"),
    "stray spaces": ("s.csv", "topic,a,b\n401, 0.5 ,0.25\n402,0.125\u00a0,1.5\n", "comma-separated"),
    "comments": (
        "s.csv",
        "# made by hand\n# twice\ntopic,a,b\n401,.5,.25\n# half, way\n402,.125,1.5\n",
        "3 comments left",
    ),
    "a header that begins with #": ("s.csv", "#topic,a,b\n401,.5,.25\n402,.125,1.5\n", "topics in 'topic'"),
    "empty rows and columns": ("s.csv", "topic,a,b,,\n401,.5,.25,,\n,,,,\n402,.125,1.5,,\n", "1 empty row left out"),
    "cp1252": ("s.csv", "topic,a,b\ncafé,.5,.25\n€,.125,1.5\n".encode("cp1252"), "cp1252 text, not UTF-8"),
    "UTF-16": ("s.csv", "topic,a,b\n401,.5,.25\n402,.125,1.5\n".encode("utf-16"), "UTF-16 text"),
    "UTF-16, the other end first": (
        "s.tsv",
        b"\xfe\xff" + "topic\ta\tb\né\t.5\t.25\n2\t.125\t1.5\n".encode("utf-16-be"),
        "UTF-16",
    ),
    "commas in names, semicolons between cells": (
        "s.csv",
        "topic;a, old;b, new\n401;0.5;0.25\n402;0.125;1.5\n",
        "semicolon",
    ),
    "a minus of typesetters": (
        "s.csv",
        "topic,a,b\n401,0.5,0.25\n402,0.125,1.5\n403,−1,–\n404,1,1\n",
        "comma-separated",
    ),
}


@pytest.mark.parametrize("case", TOLD)
def test_a_table_as_exported_is_read_right_and_its_notes_say_how(case: str, tmp_path: Path) -> None:
    name, text, note = TOLD[case]
    scores = Scores.read(put(tmp_path, name, text), missing="keep")
    np.testing.assert_array_equal(scores.values[:2], EXPECTED)
    assert note in scores.notes[0]


def test_a_column_of_ranks_called_by_its_sign_is_no_comment(tmp_path: Path) -> None:
    with streams.open_start(put(tmp_path, "s.csv", "#,model,score\n1,x,0.5\n2,y,0.4\n")) as text:
        table = tables.TextTable(text)
        assert (table.header, table.comments) == (["#", "model", "score"], 0)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no named pipes here")
def test_a_sheet_cannot_be_read_from_a_pipe(tmp_path: Path) -> None:
    data = sheets.xlsx(tmp_path / "s.xlsx", {"x": ROWS}).read_bytes()
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = threading.Thread(target=pipe.write_bytes, args=(data,), daemon=True)
    writer.start()
    assert refused(pipe) == ": a spreadsheet or an archive cannot be read from a pipe: give the file."
    writer.join()


def test_names_in_cp1252_are_right(tmp_path: Path) -> None:
    text = "topic,a\ncafé,.5\n€,.1\n".encode("cp1252")
    assert Scores.read(put(tmp_path, "s.csv", text)).topics == ("café", "€")
    # Long after the first block that is looked at.
    long = "topic,a\n" + "".join(f"{i},.5\n" for i in range(200_000)) + "café,.5\n"
    assert Scores.read(put(tmp_path, "l.csv", long.encode("cp1252"))).topics[-1] == "café"


@pytest.mark.parametrize("cell", ["N/A", "-", "n/a", "#N/A", "—", " ", "None", "n.a."])
def test_a_cell_that_says_so_is_missing(cell: str, tmp_path: Path) -> None:
    path = put(tmp_path, "s.csv", f"topic,a,b\n401,{cell},0.5\n402,0.1,0.2\n")
    assert np.isnan(Scores.read(path, missing="keep").values[0, 0])
    assert refused(path).startswith(":2: system 'a' on topic '401' has no score.")


def test_the_line_of_a_hole_is_named_also_where_the_caller_names_the_measure(tmp_path: Path) -> None:
    path = put(tmp_path, "s.csv", "topic,a,b\n401,0.1,0.5\n402,0.1,\n403,,1\n")
    with pytest.raises(FileError) as error:
        Scores.read(path, measure="map")
    assert str(error.value).startswith(f"{path}:3: system 'b' on topic '402' by AP has no score.")


#: content, line and what the error says: the cell by row, column and content
REFUSED: dict[str, tuple[str, int, str]] = {
    "a thousand or a comma": (
        "topic;a;b\n401;1,234;2\n402;3;4\n",
        2,
        "'1,234' in the column 'a' could be a thousand or a decimal comma, and no other number tells which.",
    ),
    "a point among commas": (
        "topic;a;b\n401;0,5;0,25\n402;0.5;1\n",
        3,
        "'0.5' in the column 'a' has a decimal point, and other numbers have decimal commas.",
    ),
    "a thousand or a point": (
        "topic;a;b\n401;0,5;0,25\n402;1.234;1\n",
        3,
        "'1.234' in the column 'a' could be a thousand, for other numbers have decimal commas, or have a decimal "
        "point.",
    ),
    "a comma among points": (
        "topic;a;b\n401;0.5;0.25\n" + "".join(f"{i};0.5;1\n" for i in range(60)) + "402;0,5;1\n",
        63,
        "'0,5' in the column 'a' has a decimal comma, and the numbers above have none.",
    ),
    "percent among shares": (
        "topic;a;b\n401;50%;0.25\n402;0.5;1\n",
        3,
        "'0.5' in the column 'a' has no percent sign, and other cells of the column have one.",
    ),
    "a text": (
        "topic;a;b\n" + "401;1;2\n" * 0 + "".join(f"{i};1;2\n" for i in range(55)) + "x;good;1\n",
        57,
        "'good' in",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_could_mean_two_numbers_is_refused_by_its_cell(case: str, tmp_path: Path) -> None:
    text, line, message = REFUSED[case]
    assert refused(put(tmp_path, "s.csv", text)).startswith(f":{line}: {message}")


def test_thousands_are_read_where_another_number_tells_that_they_are(tmp_path: Path) -> None:
    text = 'topic,a,b\n401,"1,234",0.5\n402,"12,345.5",1\n403,1 234 567,2\n'
    np.testing.assert_array_equal(Scores.read(put(tmp_path, "s.csv", text)).values[:, 0], [1234, 12345.5, 1234567])
    text = "topic;a\n401;1.234,5\n402;0,5\n403;1,234\n"
    np.testing.assert_array_equal(Scores.read(put(tmp_path, "c.csv", text)).values[:, 0], [1234.5, 0.5, 1.234])


def test_commas_in_the_first_column_alone_are_seen(tmp_path: Path) -> None:
    scores = Scores.read(put(tmp_path, "s.csv", "a;b\n0,5;1\n0,125;2\n"), format="matrix")
    np.testing.assert_array_equal(scores.values, [[0.5, 1], [0.125, 2]])
    # A topic with a point is no number with one.
    rows = "".join(f"{i}.1;1\n" for i in range(60))
    assert "could be a thousand" in refused(put(tmp_path, "t.csv", f"topic;a\n{rows}x;1,234\n"))


def test_the_way_out_of_a_doubtful_number_leads_out(tmp_path: Path) -> None:
    path = put(tmp_path, "s.csv", "topic;a\n401;1,234\n402;2\n")
    assert refused(path).endswith("Write decimals with a point.")
    assert Scores.read(put(tmp_path, "t.csv", "topic;a\n401;1.234\n402;2\n")).values[0, 0] == 1.234


def test_percent_signs_lose_no_digit() -> None:
    style = Numerals([["12.3%", "7%"]])
    assert [style.value(cell, 0) for cell in ("12.3%", "7%", "0.1%")] == [0.123, 0.07, 0.001]
    assert shape("1,2,3") is None
    assert shape("1.2.3") is None


def test_lists_and_tables_with_commas_are_read_too(tmp_path: Path) -> None:
    ranking = Ranking.read(put(tmp_path, "r.csv", "system;score\na;0,5\nb;0,75\n"))
    assert ranking.groups() == [("b",), ("a",)]
    table = measures.Table.read(put(tmp_path, "t.csv", "system;map;P_10\na;0,5;10%\nb;0,75;20%\n"))
    np.testing.assert_array_equal(table.values, [[0.5, 0.1], [0.75, 0.2]])


@pytest.mark.parametrize("kind", ["xlsx", "ods"])
def test_a_spreadsheet_is_read_as_a_table(kind: str, tmp_path: Path) -> None:
    path = tmp_path / f"s.{kind}"
    sheets.xlsx(path, {"Results": ROWS}) if kind == "xlsx" else sheets.ods(path, ROWS)
    scores = Scores.read(path)
    np.testing.assert_array_equal(scores.values, EXPECTED)
    assert scores.topics == ("401", "402")
    assert scores.notes == (f"s.{kind}: sheet 'Results', one column per system (2 columns), topics in 'topic'",)
    assert detect_format(path) == "wide"


def test_every_reader_of_tables_reads_sheets(tmp_path: Path) -> None:
    battles = sheets.xlsx(tmp_path / "b.xlsx", {"x": [["model_a", "model_b", "winner"], ["x", "y", "model_b"]]})
    assert Battles.read(battles).outcomes == (0, 1, 0)
    board = [["model", "score", "ci"], ["x", 1200, "+5/-5"], ["y", 1100, "+7/-4"], ["z", 1000, "+7/-4"]]
    assert Published.read(sheets.xlsx(tmp_path / "p.xlsx", {"x": board})).systems == ("x", "y", "z")
    ranking = sheets.ods(tmp_path / "r.ods", [["system", "score"], ["a", 0.5], ["b", 0.75]])
    assert Ranking.read(ranking).groups() == [("b",), ("a",)]
    assert read_groups(sheets.xlsx(tmp_path / "g.xlsx", {"x": [["system", "group"], ["a", "g"]]})) == {"a": "g"}


def test_rows_of_a_sheet_are_the_lines_of_its_errors(tmp_path: Path) -> None:
    rows = [[], [None, "topic", "a"], [None, 401, 0.5], [], [None, 402, "good"]]
    rows += [[None, 403 + i, 0.5] for i in range(60)]
    rows[4] = [None, 402, 0.25]
    rows.append([None, 999, "good"])
    path = sheets.xlsx(tmp_path / "s.xlsx", {"Results": rows})
    assert refused(path) == f":{len(rows)}: 'good' in the column 'a' is not a number."


def test_one_of_several_sheets_is_named_after_the_file(tmp_path: Path) -> None:
    path = sheets.xlsx(tmp_path / "s.xlsx", {"First": ROWS, "Second": [["topic", "a"], [1, 7]], "Third": []})
    assert refused(path) == ": 2 sheets hold cells: 'First', 'Second'. Name one after the file, as in 's.xlsx#First'."
    np.testing.assert_array_equal(Scores.read(f"{path}#First").values, EXPECTED)
    assert Scores.read(f"{path}#Second").values[0, 0] == 7
    with pytest.raises(FileError, match="there is no sheet 'Fourth'; there are 'First', 'Second', 'Third'"):
        Scores.read(f"{path}#Fourth")
    hidden = sheets.xlsx(tmp_path / "h.xlsx", {"First": ROWS, "Notes": [["x"], ["y"]]}, hidden=["Notes"])
    np.testing.assert_array_equal(Scores.read(hidden).values, EXPECTED)


def test_hostile_sheets_are_refused(tmp_path: Path) -> None:
    far = sheets.xlsx(tmp_path / "far.xlsx", {"x": ROWS}, extra='<row r="1048576"><c r="XFD1048576"><v>1</v></c></row>')
    assert refused(far) == ": 1,048,576 rows x 16,384 columns in a sheet; at most 10,000,000 cells are read."
    many = '<table:table-row table:number-rows-repeated="99999999">'
    many += '<table:table-cell office:value-type="float" office:value="1" '
    many += 'table:number-columns-repeated="99999999"/></table:table-row>'
    assert ": 100,000,002 rows x 99,999,999 columns" in refused(sheets.ods(tmp_path / "many.ods", ROWS, extra=many))
    laughs = '<!DOCTYPE x [<!ENTITY a "ha"><!ENTITY b "&a;&a;">]>'
    assert "the archive is damaged (it declares entities)" in refused(
        sheets.ods(tmp_path / "laughs.ods", [["topic", "a"]], start=laughs)
    )
    whole = sheets.xlsx(tmp_path / "s.xlsx", {"x": ROWS}).read_bytes()
    assert "the archive is damaged" in refused(put(tmp_path, "cut.xlsx", whole[:-30]))
    assert refused(sheets.xlsx(tmp_path / "none.xlsx", {"x": []})) == ": the file is empty."
    assert "Save it as .xlsx or CSV" in refused(put(tmp_path, "old.xls", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" * 9))
    with pytest.raises(FileError, match="holds more than 0 MiB of text"):
        Scores.read(put(tmp_path, "again.xlsx", whole), max_bytes=500)


def test_an_archive_that_unpacks_without_end_is_stopped(tmp_path: Path) -> None:
    path = sheets.xlsx(tmp_path / "bomb.xlsx", {"x": ROWS})
    with zipfile.ZipFile(path, "a", zipfile.ZIP_DEFLATED) as file:
        file.writestr("xl/media/zeros.bin", bytes(30 << 20))
    with pytest.raises(FileError, match="holds more than 10 MiB of text"):
        Scores.read(path, max_bytes=10 << 20)


def test_a_zip_of_other_things_is_told_apart(tmp_path: Path) -> None:
    path = tmp_path / "a.zip"
    with zipfile.ZipFile(path, "w") as file:
        file.writestr("scores.csv", "topic,a\n1,2\n")
    assert refused(path) == ": this is a zip archive: unpack it, and give what is in it."


def test_without_calamine_the_install_line_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = sheets.xlsx(tmp_path / "s.xlsx", {"x": ROWS})
    monkeypatch.setitem(sys.modules, "python_calamine", None)
    with pytest.raises(MissingPackageError, match=r"python-calamine.*pip install 'tauscope\[sheets\]'"):
        Scores.read(path)
