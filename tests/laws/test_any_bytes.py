"""Whatever the bytes, a reader gives scores or an error of ours that names the file; never another exception."""

from __future__ import annotations

import gzip
import io
import tempfile
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet
import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

from tauscope import check
from tauscope.errors import TauscopeError
from tauscope.io.read import detect_format, read_cube, read_ranking, read_scores, read_table

WORDS = st.sampled_from(
    [
        "topic",
        "qid",
        "system",
        "run",
        "name",
        "value",
        "score",
        "measure",
        "map",
        "P_10",
        "AP",
        "all",
        "rank",
        "0.5",
        "1",
        "1",
        "2",
        "401",
        "a",
        "b",
        "NaN",
        "",
        "inf",
        "1e400",
        "1_0",
        "é",
        '"',
        "x y",
        "-",
        "{",
        "[",
        "0,5",
        " ",
    ]
)
TABLES = st.tuples(
    st.lists(st.lists(WORDS, min_size=1, max_size=4), max_size=6), st.sampled_from([",", "\t", ";", " "])
).map(lambda table: "\n".join(table[1].join(row) for row in table[0]).encode())
JSON = st.recursive(
    st.sampled_from(["0.5", "null", "NaN", '"x"', "[]", "{}", "true", "1e999", "1" * 5000]),
    lambda inner: st.lists(st.tuples(WORDS, inner), max_size=3).map(
        lambda pairs: "{" + ", ".join(f'"{key}": {value}' for key, value in pairs if '"' not in key) + "}"
    ),
).map(str.encode)
NUMBERS = st.sampled_from(["0.5", "0.25", "1", "7e-04", "0.1", "0", "NaN", "", "1e308", "-1", "55"])


@st.composite
def tidy(draw: st.DrawFn) -> bytes:
    """Tables that are nearly right: as wide as their header, names and numbers in columns of their own."""
    header = draw(
        st.lists(
            st.sampled_from(
                [
                    "topic",
                    "qid",
                    "system",
                    "name",
                    "value",
                    "score",
                    "measure",
                    "map",
                    "P_10",
                    "a",
                    "b",
                    "rank",
                    "id",
                    "",
                ]
            ),
            min_size=1,
            max_size=4,
            unique=True,
        )
    )
    texts = st.sampled_from(["a", "b", "401", "402", "map", "P_10"])
    kinds = [draw(st.sampled_from([texts, NUMBERS, NUMBERS])) for _ in header]
    rows = draw(st.lists(st.tuples(*kinds), min_size=1, max_size=5, unique=True))
    mark = draw(st.sampled_from([",", "\t"]))
    return "\n".join(mark.join(row) for row in (header, *rows)).encode()


PARQUET = io.BytesIO()
pyarrow.parquet.write_table(pa.table({"qid": ["1", "2"], "a": [0.1, 0.2]}), PARQUET)
WHOLE = [gzip.compress(b"topic,a\n1,.5\n2,.6\n"), zstandard.compress(b"topic,a\n1,.5\n2,.6\n"), PARQUET.getvalue()]


@st.composite
def damaged(draw: st.DrawFn) -> bytes:
    data = bytearray(draw(st.sampled_from(WHOLE)))
    for _ in range(draw(st.integers(1, 3))):
        data[draw(st.integers(0, len(data) - 1))] = draw(st.integers(0, 255))
    return bytes(data[: draw(st.integers(4, len(data)))])


@pytest.mark.parametrize("suffix", [".csv", ".tsv", ".txt", ".json"])
@given(data=st.one_of(st.binary(max_size=200), st.text(max_size=100).map(str.encode), TABLES, JSON, tidy(), damaged()))
def test_any_bytes_are_read_or_refused_with_the_name_of_the_file(suffix: str, data: bytes) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"file{suffix}"
        path.write_bytes(data)
        for read in (read_scores, read_cube, read_table, read_ranking, detect_format):
            refused = ""
            try:
                found = read(path)
            except TauscopeError as error:
                refused = str(error)
            assert not refused or path.name in refused or "say which one" in refused
            if not refused and read in (read_scores, read_cube, read_table):
                check(found)
