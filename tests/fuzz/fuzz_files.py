"""Bytes into every reader: what comes back is an object of ours or an error of ours, within ten seconds."""

from __future__ import annotations

import gzip
import io
import json
import sys
import tempfile
import warnings
from functools import cache
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "goldens"))
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import sheets
import zstandard

import tauscope
from tauscope import TauscopeError
from tauscope.boards.repeats import Repeats
from tauscope.io.columns import read_groups
from tauscope.io.read import detect_format

READERS = {
    "scores": tauscope.Scores.read,
    "cube": tauscope.ScoreCube.read,
    "table": tauscope.measures.Table.read,
    "ranking": tauscope.Ranking.read,
    "run": tauscope.Runs.read,
    "qrels": tauscope.Qrels.read,
    "battles": tauscope.Battles.read,
    "published": tauscope.Published.read,
    "repeats": Repeats.read,
    "groups": read_groups,
    "format": detect_format,
}
SUFFIXES = (".csv", ".tsv", ".txt", ".json", ".jsonl", ".parquet", ".gz", ".zst", "")
PLAIN = (
    b"topic qid system run model model_a model_b winner tie value score se lower upper repeat seed group measure map "
    b"P_10 "
    b"all rank Q0 0.5 1 -1 NaN inf 1e400 1_0 0x1 1e-400 -0 \xc3\xa9 \xff \" ' { } [ ] null true 0,5 \0 # , "
    b"\xef\xbb\xbf "
    b"\xed\xa0\x80 \\u0000 \\ud800 __array__ 4294967296 2147483648"
)
WORDS = (*PLAIN.split(b" "), b"", b"x y", b" ", b"\t", b"\r", b"\n", b"1" * 400, b"9" * 19)


@cache
def samples() -> tuple[bytes, ...]:
    """Files that are right, one per format, from which the others are made."""
    wide = b"topic,a,b,c\n1,.5,.25,1\n2,.6,.1,0\n3,.7,.7,.2\n"
    long = b"topic\tsystem\tmeasure\tscore\n1\ta\tmap\t0.5\n1\tb\tmap\t0.25\n2\ta\tmap\t0.5\n2\tb\tmap\t0.75\n"
    table = pa.table({"qid": ["1", "2"], "a": [0.1, 0.2], "b": [0.3, 0.1]})
    buffer = io.BytesIO()
    pq.write_table(table.replace_schema_metadata({b"tauscope": b'{"notes": ["one"], "measure": "AP"}'}), buffer)
    return (
        wide,
        long,
        b"a 0.5\nb 0.25\nc 0.75\n",
        b"system,score,se\na,0.5,0.1\nb,0.25,0.1\nc,0.7,0.2\n",
        b"system,score,lower,upper\na,0.5,0.4,0.6\nb,0.25,0.1,0.4\n",
        b"runid\tall\tr1\nmap\t1\t0.5\nmap\t2\t0.25\nmap\tall\t0.375\nP_10\t1\t0.1\nP_10\t2\t0.4\n",
        b"1 Q0 d1 1 3.5 run\n1 Q0 d2 2 2.5 run\n2 Q0 d1 1 9 run\n2 Q0 d3 2 -1e3 run\n",
        b"1 0 d1 1\n1 0 d2 0\n2 0 d3 2\n",
        b"model_a,model_b,winner\nx,y,model_a\ny,z,tie\nz,x,model_b\nx,z,model_a\n",
        b'{"model_a": "x", "model_b": "y", "winner": "model_b"}\n{"model_a": "y", "model_b": "x", "winner": "tie"}\n',
        b"system,topic,repeat,score\na,1,1,.5\na,1,2,.6\na,2,1,.1\na,2,2,.3\nb,1,1,.2\nb,1,2,.2\nb,2,1,.4\nb,2,2,.5\n",
        b"run,group\na,one\nb,one\nc,two\n",
        json.dumps({"a": {"1": 0.5, "2": 0.25}, "b": {"1": 0.1, "2": 0.2}}).encode(),
        json.dumps([{"topic": "1", "system": "a", "score": 0.5}, {"topic": "1", "system": "b", "score": 0.1}]).encode(),
        b'{"run_id": "a", "topic_id": "1", "measure": "M", "value": 0.5}\n',
        b"run-a 1 measure 0.5\nrun-a 2 measure 0.25\nrun-b 1 measure 0.1\nrun-b 2 measure 0.9\n",
        buffer.getvalue(),
        gzip.compress(wide, mtime=0),
        zstandard.compress(long),
        b"",
    )


def damaged(rng: np.random.Generator) -> bytes:
    """A file that was right: bytes changed, cut, doubled, words put in, lines exchanged, joined with another."""
    files = samples()
    data = bytearray(files[int(rng.integers(len(files)))])
    for _ in range(int(rng.integers(0, 5))):
        at = int(rng.integers(len(data) + 1))
        kind = rng.integers(9)
        if kind == 0 and data:
            data[at % len(data)] = int(rng.integers(256))
        elif kind == 1:
            del data[at : at + int(rng.integers(1, 20))]
        elif kind == 2:
            data[at:at] = WORDS[int(rng.integers(len(WORDS)))]
        elif kind == 3:
            data[at:at] = data[at : at + int(rng.integers(1, 200))]
        elif kind == 4:
            lines = bytes(data).split(b"\n")
            rng.shuffle(lines)
            data = bytearray(b"\n".join(lines))
        elif kind == 5:
            data += files[int(rng.integers(len(files)))]
        elif kind == 6:
            data = data.replace(b",", bytes(rng.choice([b"\t", b";", b" ", b",,"])))
        elif kind == 7:
            data = data.replace(b"\n", bytes(rng.choice([b"\r\n", b"\r", b"\n\n"])))
        else:
            data = bytearray(data[:at])
    if rng.random() < 0.05:
        data = bytearray(rng.bytes(int(rng.integers(0, 400))))
    packed = rng.random()
    return (
        gzip.compress(data, mtime=0)
        if packed < 0.05
        else zstandard.compress(bytes(data))
        if packed < 0.1
        else bytes(data)
    )


def damaged_sheet(rng: np.random.Generator) -> bytes:
    """A workbook whose cells are words of any kind, and whose XML has something that does not belong there."""

    def word() -> str:
        return WORDS[int(rng.integers(len(WORDS)))].decode("utf-8", "replace")

    rows: list[list[object]] = [["topic", "a", "b"], ["1", 0.5, 0.25], ["2", 0.6, 0.1], ["3", 0.7, 0.7]]
    for _ in range(int(rng.integers(0, 4))):
        rows[int(rng.integers(4))][int(rng.integers(3))] = word()
    if rng.random() < 0.2:
        rows[int(rng.integers(4))].append(word())
    with tempfile.TemporaryDirectory() as folder:
        extra = word() if rng.random() < 0.2 else ""
        beside = {word() or "two": rows[: int(rng.integers(4))]} if rng.random() < 0.2 else {}
        made = sheets.xlsx(Path(folder) / "made.xlsx", {"one": rows} | beside, extra=extra)
        data = bytearray(made.read_bytes())
    if rng.random() < 0.2:
        data[int(rng.integers(len(data)))] = int(rng.integers(256))
    return bytes(data)


def case(seed: int) -> int:
    """One file, two or three readers; how many files that were."""
    rng = np.random.default_rng([2, seed])
    names = list(READERS)
    data, suffix = damaged(rng), SUFFIXES[int(rng.integers(len(SUFFIXES)))]
    if rng.random() < 0.05:
        data, suffix = damaged_sheet(rng), ".xlsx"
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("error")
        path = Path(folder) / f"file{suffix}"
        path.write_bytes(data)
        for name in rng.choice(names, 3, replace=False):
            try:
                found = READERS[str(name)](path)
            except TauscopeError as error:
                said = str(error)
            else:
                said = repr(found)
            assert said.strip(), f"{name}: not a word"
    return 1
