"""Files that are broken, huge or malicious: an error with the file and the line, or names carried safely."""

from __future__ import annotations

import gzip
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import zstandard

from tauscope.data.scores import Scores
from tauscope.errors import FileError, Option
from tauscope.io import streams
from tauscope.io.columns import read_groups
from tauscope.io.read import read_cube, read_ranking, read_scores, read_table, run_name
from tauscope.io.write import write_scores


def put(folder: Path, name: str, data: str | bytes) -> Path:
    path = folder / name
    path.write_bytes(data if isinstance(data, bytes) else data.encode())
    return path


def text_of(read: Callable[..., Any], path: Path, **options: Any) -> str:
    with pytest.raises(FileError) as error:
        read(path, **options)
    return str(error.value)


SAY = 'Pass missing="zero", "drop-topics", "drop-systems" or "keep" to say what that means.'

#: file name, content, line (None where there is none), what the error says after the place
BROKEN: dict[str, tuple[str, str | bytes, int | None, str]] = {
    "nothing": ("a.csv", b"", None, "the file is empty."),
    "blank lines": ("a.csv", "\n\n  \n", None, "the file is empty."),
    "a header alone": ("a.csv", "topic,a\n", 1, "there is a header and not one row below it."),
    "a header of one column": ("a.csv", "topic\n1\n", 1, "there is only one column, 'topic', and none of scores."),
    "NUL": ("a.csv", b"topic,a\n1,0.5\n2,\x000\n", 3, "this is not text: it holds NUL bytes."),
    "binary": ("a.csv", bytes(range(1, 32)) * 9 + b"\0", 10, "this is not text: it holds NUL bytes."),
    "damaged UTF-16": (
        "a.csv",
        "topic,a\n1,2\n".encode("utf-16") + b"\x00\xd8\x31\x00",
        1,
        "the UTF-16 text is damaged. Save it as UTF-8.",
    ),
    "UTF-16 cut in a character": (
        "a.csv",
        "topic,a\n1,2\n".encode("utf-16")[:-1],
        2,
        "the UTF-16 text is damaged. Save it as UTF-8.",
    ),
    "a zip": (
        "a.csv",
        b"PK\x03\x04rest",
        None,
        "the archive is damaged (File is not a zip file). Copy the file again.",
    ),
    "UTF-8 and latin-1": (
        "a.csv",
        "topic,é\n1,.5\n".encode() + "café,.6\n".encode("latin-1"),
        3,
        "byte 0xe9 is not UTF-8. Save the file as UTF-8, for example: iconv -f latin1 -t utf-8",
    ),
    "latin-1 and then UTF-8": (
        "a.csv",
        "topic,a\ncafé,.6\n".encode("latin-1") + "é,.5\n".encode(),
        2,
        "byte 0xe9 is not UTF-8. Save the file as UTF-8, for example: iconv -f latin1 -t utf-8",
    ),
    "latin-1 with a control character": (
        "a.csv",
        "topic,a\n1,.5\ncafé\x1b,.6\n".encode("latin-1"),
        3,
        "byte 0xe9 is not UTF-8. Save the file as UTF-8, for example: iconv -f latin1 -t utf-8",
    ),
    "both in gzip": (
        "a.csv.gz",
        gzip.compress("topic,é\n1,.5\n".encode() + "café,.6\n".encode("latin-1")),
        3,
        "byte 0xe9 is not UTF-8. Save the file as UTF-8, for example: iconv -f latin1 -t utf-8",
    ),
    "an empty cell": ("a.csv", "topic,a,b\n401,.1,.2\n402,,.4\n", 3, "system 'a' on topic '402' has no score. " + SAY),
    "NaN": (
        "a.csv",
        "a,b\n.1,.2\n.3,NaN\nNA,.2\n",
        3,
        "system 'b' on topic '2' has no score. In all, 2 cells of 6 have none. "
        'Pass missing="zero", "drop-topics" or "keep" to say what that means.',
    ),
    "NaN in a long table": (
        "a.csv",
        "topic,system,value\n1,a,.1\n1,b,nan\n",
        3,
        "system 'b' on topic '1' has no score. Pass missing=\"zero\" or \"drop-systems\" to say what that means.",
    ),
    "infinity": (
        "a.csv",
        "topic,a,b\n401,.1,.2\n402,.3,-inf\n",
        3,
        "system 'b' on topic '402' has the score -inf; scores are finite.",
    ),
    "infinity in a long table": (
        "a.csv",
        "topic,system,value\n1,a,inf\n",
        2,
        "the score of system 'a' on topic '1' is inf; scores are finite.",
    ),
    "a text among numbers": (
        "a.csv",
        "topic,a,b\n" + "".join(f"{i},.1,.2\n" for i in range(99)) + "100,.1,high\n",
        101,
        "'high' in the column 'b' is not a number.",
    ),
    "a decimal comma": (
        "a.csv",
        "topic;a\n" + "".join(f"{i};.5\n" for i in range(1, 99)) + "99;0,5\n",
        100,
        "'0,5' in the column 'a' has a decimal comma, and the numbers above have none. Write decimals with a point.",
    ),
    "a number with an underscore": (
        "a.csv",
        "topic,a\n" + "".join(f"{i},.5\n" for i in range(60)) + "x_1,1_0\n",
        62,
        "'1_0' in the column 'a' is not a number.",
    ),
    "a short row": ("a.csv", "topic,a,b\n401,.1,.2\n402,.3\n", 3, "2 cells, where the header (line 1) has 3."),
    "a long row": ("a.csv", "topic,a\n401,.1\n402,.3,.4\n", 3, "3 cells, where the header (line 1) has 2."),
    "rows longer than a header with a topic": (
        "a.csv",
        "topic,a\n401,.1,.2\n",
        2,
        "3 cells, where the header (line 1) has 2.",
    ),
    "a topic twice": (
        "a.csv",
        "topic,a\n401,.1\n402,.3\n401,.2\n",
        4,
        "the topic '401' is there twice (first on line 2). Names must be unique.",
    ),
    "a system twice": (
        "a.csv",
        "topic,a,b,a\n401,.1,.2,.3\n",
        1,
        "the system 'a' is there twice. Names must be unique.",
    ),
    "a cell twice": (
        "a.csv",
        "topic,system,value\n1,a,.1\n1,b,.1\n1,a,.2\n",
        4,
        "system 'a' on topic '1' has a score already, on line 2. Keep one of the two.",
    ),
    "a system without a name": ("a.csv", "topic,a,\n401,.1,.2\n", 1, "a system has no name."),
    "a topic without a name": ("a.csv", "topic,a\n401,.1\n,.2\n", 3, "a topic has no name."),
    "a quote that never ends": (
        "a.csv",
        'topic,a\n401,"0.1\n402,0.2\n',
        2,
        "the quotes or cells of this record are damaged (unexpected end of data).",
    ),
    "text after a quote": (
        "a.csv",
        'topic,a\n401,"0.1"x\n',
        2,
        "the quotes or cells of this record are damaged (',' expected after '\"').",
    ),
    "a huge cell": (
        "a.csv",
        'topic,a\n401,"' + "9" * 200_000 + '"\n',
        2,
        "the quotes or cells of this record are damaged (field larger than field limit (131072)).",
    ),
    "an interrupted gzip": (
        "a.csv.gz",
        gzip.compress(b"topic,a\n" + b"1,.5\n" * 999)[:-10],
        None,
        "the compressed data end too early; the file was cut short. Copy it again.",
    ),
    "a damaged gzip": (
        "a.csv.gz",
        gzip.compress(b"topic,a\n1,.5\n")[:10] + b"\xff" * 20,
        None,
        "the compressed data are damaged",
    ),
    "an interrupted zstd": (
        "a.csv.zst",
        zstandard.compress(b"topic,a\n1,.5\n" * 1000)[:-3],
        None,
        "the compressed data end too early; the file was cut short. Copy it again.",
    ),
    "a damaged zstd": (
        "a.csv.zst",
        zstandard.compress(b"topic,a\n1,.5\n")[:6] + b"\xff" * 20,
        None,
        "the compressed data are damaged",
    ),
    "a damaged Parquet": ("a.parquet", b"PAR1" + b"\x01" * 50, None, "the Parquet file cannot be read"),
    "broken JSON": ("a.json", '{"a": {"map": {"1": 0.5,\n}}}', 2, "this is not JSON"),
    "JSON without scores": ("a.json", "{}", None, "there are no scores in it"),
    "JSON of one level": ("a.json", '{"a": 1}', None, "1 level of dicts, where 2 or 3 are expected"),
    "a JSON key twice": (
        "a.json",
        '{"a": {"map": {"1": 0.5, "1": 0.6}}}',
        None,
        "the key '1' is there twice in one object. Names must be unique.",
    ),
    "deep JSON": ("a.json", "[" * 100_000, None, "the JSON is nested too deeply to be scores."),
    "a text in JSON": (
        "a.json",
        '{"a": {"map": {"1": "x"}}}',
        None,
        "at 'a' > 'map' > '1' there is 'x' and not a number.",
    ),
    "a broken line of JSON": (
        "a.jsonl",
        '{"query_id": "1", "measure": "AP", "value": 1}\n{"query_id"\n',
        2,
        "this line is not JSON.",
    ),
    "trec_eval with a short line": (
        "a.eval",
        "map\t1\t0.5\n" * 1 + "".join(f"map\t{i}\t0.5\n" for i in range(2, 99)) + "map\t99\n",
        99,
        "2 columns, where measure, topic and value should stand.",
    ),
    "trec_eval with a text": (
        "a.eval",
        "".join(f"map\t{i}\t0.5\n" for i in range(99)) + "map\t99\thigh\n",
        100,
        "the value 'high' is not a number.",
    ),
    "trec_eval with a topic twice": (
        "a.eval",
        "map\t1\t0.5\nmap\t2\t0.5\nmap\t1\t0.5\n",
        3,
        "system 'a' on topic '1' by AP has a score already, on line 1. Keep one of the two.",
    ),
    "tabs and commas": (
        "a.txt",
        "topic\ta,b\tc,d\n1\t2,5\t3,5\n",
        1,
        "the header has commas and tabs: which of them separate the cells? Call the file .csv (commas) or .tsv (tabs).",
    ),
}


@pytest.mark.parametrize("case", BROKEN)
def test_a_broken_file_is_refused_with_file_line_and_reason(case: str, tmp_path: Path) -> None:
    name, data, line, message = BROKEN[case]
    path = put(tmp_path, name, data)
    text = text_of(read_scores, path)
    place = f"{path}: " if line is None and not text.startswith(f"{path}:1") else f"{path}:{line or 1}: "
    assert text.startswith(place + message), text
    assert "\n" not in text


@pytest.mark.parametrize("read", [read_scores, read_cube, read_table, read_ranking])
def test_what_is_no_file_is_said(read: Callable[..., Any], tmp_path: Path) -> None:
    assert text_of(read, tmp_path / "no.csv") == f"{tmp_path / 'no.csv'}: there is no such file."
    assert "is not the name of a file" in text_of(read, Path("a\0b.csv"))
    empty = tmp_path / "empty"
    empty.mkdir()
    assert str(empty) in text_of(read, empty)


def test_an_interrupted_gzip_says_after_which_line(tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    rows = "topic,a\n" + "".join(f"{i},{value}\n" for i, value in enumerate(rng.random(200_000)))
    text = text_of(read_scores, put(tmp_path, "a.csv.gz", gzip.compress(rows.encode())[:-1000]))
    line = int(text.removeprefix(f"{tmp_path / 'a.csv.gz'}:").partition(":")[0])
    assert 150_000 < line < 200_001


def test_a_million_columns_are_read_quickly_and_more_are_refused(tmp_path: Path) -> None:
    names = ",".join(f"s{i}" for i in range(1_000_000))
    row = ",".join(["0.5"] * 1_000_000)
    path = put(tmp_path, "wide.csv", f"{names}\n{row}\n{row}\n")
    start = time.perf_counter()
    assert read_scores(path).shape == (2, 1_000_000)
    assert time.perf_counter() - start < 30
    path = put(tmp_path, "wider.csv", f"{names},one\n{row},1\n")
    assert text_of(read_scores, path) == f"{path}:1: 1,000,001 columns are too many; at most 1,000,000 are read."
    path = put(tmp_path, "ragged.csv", f"a,b\n1,2\n{row},{row}\n")
    assert text_of(read_scores, path).startswith(f"{path}:3: 2,000,000 columns are too many")


HUGE_LINE = """
import resource, sys
limit = 700 << 20
resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
from tauscope.errors import FileError
from tauscope.io.read import read_scores
try:
    read_scores(sys.argv[1])
except FileError as error:
    print(error)
"""


@pytest.mark.parametrize("packed", ["plain", "gzip", "zstd"])
def test_a_line_of_100_megabytes_is_refused_in_little_memory(packed: str, tmp_path: Path) -> None:
    data = b"topic,a\n1," + b"9" * 100_000_000
    pack = {"plain": bytes, "gzip": lambda b: gzip.compress(b, 1), "zstd": zstandard.compress}[packed]
    path = put(tmp_path, "long.csv", pack(data))
    ran = subprocess.run([sys.executable, "-c", HUGE_LINE, str(path)], capture_output=True, text=True, check=True)
    assert ran.stdout == f"{path}:2: this line is longer than 64 MiB; is it a table at all?\n"


@pytest.mark.parametrize("packed", ["gzip", "zstd"])
def test_a_file_that_unpacks_without_end_is_stopped_at_the_limit(packed: str, tmp_path: Path) -> None:
    bomb = b"topic,a\n" + b"1,.5\n" * 2_000_000
    path = put(tmp_path, "bomb.csv", gzip.compress(bomb) if packed == "gzip" else zstandard.compress(bomb))
    assert path.stat().st_size < 100_000
    text = text_of(read_scores, path, max_bytes=5 << 20)
    assert text.startswith(f"{path}:")
    assert text.endswith("the file holds more than 5 MiB of text. Pass max_bytes= with a higher limit, if it should.")


def test_a_long_table_that_would_fill_the_memory_is_refused(tmp_path: Path) -> None:
    rows = "".join(f"t{i},s{i},0.5\n" for i in range(20_000))
    path = put(tmp_path, "a.csv", "topic,system,value\n" + rows)
    assert text_of(read_scores, path) == (
        f"{path}: 1 measure x 20,000 topics x 20,000 systems make 400,000,000 cells for 20,000 scores; "
        "at most 250,000,000 are read. Are the columns what they seem?"
    )


NASTY = [
    "</script><script>alert(1)</script>",
    'a "quoted" name',
    "two\nlines",
    "\r",
    "a\r\nb",
    "comma,semi;tab\t",
    " padded ",
    "=1+1",
    "NaN",
    "topic",
    "0.5",
    "système",
    "名前",
    "\u2028",
    "'",
    "#",
    "\x85",
    "\x0b",
    "\ufeffbom",
]


@pytest.mark.parametrize("suffix", [".csv", ".tsv", ".csv.gz", ".tsv.zst", ".parquet"])
@pytest.mark.parametrize("measure", ["", "AP"])
def test_hostile_names_are_carried_safely(suffix: str, measure: str, tmp_path: Path) -> None:
    rng = np.random.default_rng(2)
    scores = Scores(rng.random((len(NASTY), len(NASTY))), NASTY, NASTY[::-1], measure)
    assert read_scores(write_scores(scores, tmp_path / f"a{suffix}")) == scores


@pytest.mark.parametrize("number", ["1" * 400, "-" + "9" * 5000, "²", "--1", "+1"])
@pytest.mark.parametrize("text", [",system,a\n{},x,.5\n2,y,.6\n3,z,.7\n", "system,,score\nx,{},.1\ny,2,.2\nz,3,.3\n"])
def test_a_column_without_a_name_may_hold_any_number(text: str, number: str, tmp_path: Path) -> None:
    """Whether it counts the rows was asked of whole numbers too large for a float, and of signs that are no numbers."""
    path = tmp_path / "scores.csv"
    path.write_text(text.format(number), encoding="utf-8")
    for read in (read_scores, read_ranking, read_table):
        with suppress(FileError):
            assert repr(read(path))


def test_a_record_with_newlines_is_reported_on_the_line_where_it_begins(tmp_path: Path) -> None:
    path = put(tmp_path, "a.csv", 'topic,a\n"two\nlines",0.5\n"three\nmore\nlines",\n')
    assert text_of(read_scores, path).startswith(f"{path}:4: system 'a' on topic 'three\\nmore\\nlines' has no score.")


def test_missing_packages_are_named_with_the_install_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for package in ("zstandard", "pyarrow", "pyarrow.parquet"):
        monkeypatch.setitem(sys.modules, package, None)
    packed = put(tmp_path, "a.csv.zst", zstandard.compress(b"topic,a\n1,.5\n"))
    for path in (packed, put(tmp_path, "a.parquet", b"PAR1")):
        with pytest.raises(ImportError, match=r"pip install 'tauscope\[frames\]'"):
            read_scores(path)
    for name in ("b.csv.zst", "b.parquet"):
        with pytest.raises(ImportError, match=r"pip install 'tauscope\[frames\]'"):
            write_scores(Scores([[0.5]]), tmp_path / name)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.csv.zst", "a.parquet"]


def test_the_limits_are_stated() -> None:
    assert (streams.MAX_BYTES, streams.MAX_LINE) == (2 << 30, 64 << 20)
    assert (streams.MAX_COLUMNS, streams.MAX_CELLS) == (1_000_000, 250_000_000)


def test_a_hole_is_named_with_its_own_line_whichever_measure_is_chosen(tmp_path: Path) -> None:
    rows = ["topic,system,map,P_10", "1,a,.1,", "1,b,.2,.3", "2,a,.3,.4", "2,b,,.5"]
    path = put(tmp_path, "a.csv", "\n".join(rows) + "\n")
    for measure, line, cell in (
        ("AP", 5, "system 'b' on topic '2' by AP"),
        ("P@10", 2, "system 'a' on topic '1' by P@10"),
    ):
        assert text_of(read_scores, path, measure=measure) == f"{path}:{line}: {cell} has no score. {SAY}"
    assert text_of(read_cube, path, measures=["P@10", "AP"]).startswith(
        f"{path}:5: system 'b' on topic '2' by AP has no score."
    )


def test_a_hole_that_another_file_fills_is_none(tmp_path: Path) -> None:
    first = put(tmp_path, "a.csv", "topic,system,value\n1,a,\n2,a,.2\n")
    second = put(tmp_path, "b.csv", "topic,system,value\n1,a,.1\n1,b,.3\n2,b,NA\n")
    with pytest.raises(FileError) as error:
        read_scores([first, second])
    assert str(error.value) == f"{second}:4: system 'b' on topic '2' has no score. {SAY}"


def test_a_hole_of_a_table_is_named_with_its_own_line(tmp_path: Path) -> None:
    # The first empty cell of the file is of the second measure, the first of the table of the first one.
    path = put(tmp_path, "a.csv", "system,map,P_10\na,.1,.2\nb,.3,\nc,,.4\n")
    # Dropping measures would leave none, so it is not offered.
    say = 'Pass missing="zero", "drop-systems" or "keep" to say what that means.'
    assert text_of(read_table, path) == f"{path}:4: system 'c' by AP has no value. {say}"
    with pytest.raises(FileError) as error:
        read_table(path)
    way = error.value.ways_out[0]
    assert isinstance(way, Option)
    for value in way.values:
        assert read_table(path, missing=value).shape
    topics = put(tmp_path, "b.csv", "topic,system,map,P_10\n1,a,.1,.2\n1,b,.3,\n")
    assert text_of(read_table, topics).startswith(f"{topics}:3: system 'b' on topic '1' by P@10 has no value.")


def test_a_hole_of_a_turned_table_is_that_of_its_line(tmp_path: Path) -> None:
    path = put(tmp_path, "a.csv", "system,1,2\na,.1,\nb,,.4\n")
    text = text_of(read_scores, path, format="turned")
    assert text.startswith(f"{path}:2: system 'a' on topic '2' has no score. In all, 2 cells of 4 have none.")


GROUPS = {
    "plain": ("a,x\nb,y\n", {"a": "x", "b": "y"}),
    "a header": ("system,group\na,x\n", {"a": "x"}),
    "a header of another name": ("model,maker\na,x\n", {"a": "x"}),
    "tabs": ("a\tx\nb\ty\n", {"a": "x", "b": "y"}),
    "spaces, blank lines and a mark of the order of bytes": ("\ufeffa , x\n\n b,y\n", {"a": "x", "b": "y"}),
    "quotes": ('"a,b",x\n', {"a,b": "x"}),
    "twice the same": ("a,x\na,x\n", {"a": "x"}),
}


@pytest.mark.parametrize("case", GROUPS)
def test_groups_are_read(case: str, tmp_path: Path) -> None:
    text, expected = GROUPS[case]
    path = put(tmp_path, "groups.csv", text)
    found = read_groups(path)
    assert found == expected
    assert found.file == str(path)
    packed = put(tmp_path, "groups.csv.gz", gzip.compress(text.encode()))
    assert read_groups(packed) == expected


BAD_GROUPS: dict[str, tuple[str | bytes, str]] = {
    "Latin-1": ("é,x\n".encode() + "caf\xe9,y\n".encode("latin-1"), ":2: byte 0xe9 is not UTF-8."),
    "one column": ("a,x\nb\n", ":2: 1 column; a file of groups has two, name and group."),
    "three columns": ("a,x,1\n", ":1: 3 columns; a file of groups has two, name and group."),
    "two groups": ("a,x\na,y\n", ":2: 'a' is in 'x' and in 'y'; give it one group."),
    "no group": ("a,x\nb,\n", ":2: the group is empty."),
    "no name": ("a,x\n,y\n", ":2: the name is empty."),
    "a header alone": ("system,group\n", ": there is no line of a name and its group."),
    "nothing": ("", ": there is no line of a name and its group."),
    "NUL": (b"a,x\nb,\0\n", ":2: this is not text: it holds NUL bytes."),
    "quotes that do not end": ('a,x\n"b,y\n', ":2: the quotes of this line are damaged"),
}


@pytest.mark.parametrize("case", BAD_GROUPS)
def test_a_broken_file_of_groups_is_refused_with_file_and_line(case: str, tmp_path: Path) -> None:
    data, message = BAD_GROUPS[case]
    path = put(tmp_path, "groups.csv", data)
    assert text_of(read_groups, path).startswith(f"{path}{message}")


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("bm25.txt", "bm25"),
        ("bm25.run.gz", "bm25"),
        ("bm25.v1.csv.zst", "bm25.v1"),
        ("bm25", "bm25"),
        (".run", ".run"),
        ("BM25.CSV", "BM25"),
        ("qrels.1-50.txt.gz", "qrels.1-50"),
        ("a.b", "a.b"),
        (".gz", ".gz"),
        ("x.run.txt", "x"),
    ],
)
def test_a_run_has_one_name(name: str, expected: str) -> None:
    assert run_name(Path("folder") / name) == expected
