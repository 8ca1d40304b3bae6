"""Every format becomes the same labelled scores, and what is read is said in the notes."""

from __future__ import annotations

import gzip
import json
import os
import subprocess
import sys
import threading
from collections import namedtuple
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet
import pytest
import zstandard

from tauscope import check as linter
from tauscope.boards.published import Published
from tauscope.cli import main
from tauscope.data.cube import ScoreCube
from tauscope.data.scores import Scores
from tauscope.errors import CallError, FileError, Option, TauscopeError
from tauscope.io.read import detect_format, read_cube, read_ranking, read_scores, read_table
from tauscope.io.write import write_scores

TOPICS, SYSTEMS = ("401", "402", "403"), ("bm25", "dense")
VALUES = [[0.1, 0.3], [0.25, 0.5], [0.0007, 1.0]]
EXPECTED = Scores(VALUES, TOPICS, SYSTEMS)

WIDE = "topic,bm25,dense\n401,0.1,0.3\n402,0.25,.5\n403,7e-04,1\n"
LONG = "qid,name,value\n401,bm25,0.1\n401,dense,0.3\n402,bm25,.25\n402,dense,.5\n403,bm25,7e-4\n403,dense,1\n"


def put(folder: Path, name: str, text: str | bytes) -> Path:
    path = folder / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


TABLES = {
    "wide CSV": ("a.csv", WIDE, "wide"),
    "wide TSV": ("a.tsv", WIDE.replace(",", "\t"), "wide"),
    "wide, semicolons": ("a.csv", WIDE.replace(",", ";"), "wide"),
    "wide, CRLF": ("a.csv", WIDE.replace("\n", "\r\n"), "wide"),
    "wide, BOM": ("a.csv", "\ufeff" + WIDE, "wide"),
    "wide, no newline at the end": ("a.csv", WIDE.rstrip(), "wide"),
    "wide, blank lines at the end": ("a.csv", WIDE + "\n\n", "wide"),
    "wide, unnamed first column": ("a.csv", WIDE.replace("topic", ""), "wide"),
    "wide, topic column last": ("a.csv", "bm25,dense,qid\n.1,.3,401\n.25,.5,402\n7e-4,1,403\n", "wide"),
    "R's write.table": ("a.txt", '"bm25" "dense"\n"401" 0.1 0.3\n"402" 0.25 0.5\n"403" 7e-04 1\n', "wide"),
    "quoted": ("a.csv", '"topic","bm25","dense"\n"401","0.1","0.3"\n"402",0.25,0.5\n"403",0.0007,1\n', "wide"),
    "gzip": ("a.csv.gz", gzip.compress(WIDE.encode()), "wide"),
    "two gzip members": ("a.csv.gz", gzip.compress(WIDE[:20].encode()) + gzip.compress(WIDE[20:].encode()), "wide"),
    "gzip without the suffix": ("a.csv", gzip.compress(WIDE.encode()), "wide"),
    "zstd": ("a.csv.zst", zstandard.compress(WIDE.encode()), "wide"),
    "two zstd frames": ("a.csv.zst", b"".join(map(zstandard.compress, (WIDE[:9].encode(), WIDE[9:].encode()))), "wide"),
    "long": ("a.csv", LONG, "long"),
    "long, other names and order": (
        "a.tsv",
        "score\trun_id\tquery_id\n.1\tbm25\t401\n.3\tdense\t401\n.25\tbm25\t402\n"
        ".5\tdense\t402\n7e-4\tbm25\t403\n1\tdense\t403\n",
        "long",
    ),
    "long, with a column more": (
        "a.csv",
        LONG.replace("value\n", "value,why\n")
        .replace("1\n", "1,x\n")
        .replace("3\n", "3,x\n")
        .replace("5\n", "5,x\n")
        .replace("-4\n", "-4,x\n"),
        "long",
    ),
}


@pytest.mark.parametrize("case", TABLES)
def test_every_table_gives_the_same_scores(case: str, tmp_path: Path) -> None:
    name, text, kind = TABLES[case]
    path = put(tmp_path, name, text)
    scores = read_scores(path)
    assert scores == EXPECTED
    assert detect_format(path) == kind
    assert scores.notes[0].startswith(f"{name}: ")


def test_the_notes_say_how_a_file_was_read(tmp_path: Path) -> None:
    assert read_scores(put(tmp_path, "a.csv", WIDE)).notes == (
        "a.csv: comma-separated, one column per system (2 columns), topics in 'topic'",
    )
    more = "topic,system,value,why\n1,a,.5,x\n"
    assert read_scores(put(tmp_path, "b.csv", more)).notes == (
        "b.csv: comma-separated, long table, topics in 'topic', systems in 'system', ignored 'why'",
    )


def test_a_matrix_without_topics_has_numbered_topics(shared: Path) -> None:
    path = shared / "data/trec/adhoc8_ap.csv"
    scores = read_scores(path, measure="map", collection="TREC-8")
    assert (scores.shape, scores.measure, scores.collection) == ((50, 129), "AP", "TREC-8")
    assert scores.topics == tuple(map(str, range(1, 51)))
    assert (scores.systems[1], scores.values[0, 0], scores.values[0, 1]) == ("run2", 0.0007, 0.4711)
    assert detect_format(path) == "matrix"


def test_every_shared_matrix_is_read(shared: Path) -> None:
    files = sorted((shared / "data/trec").glob("*.csv"))
    assert len(files) == 24
    for path in files:
        scores = read_scores(path)
        assert np.array_equal(scores.values, np.loadtxt(path, delimiter=",", skiprows=1)), path


def test_tables_of_gupta2019_are_tables_of_measures(shared: Path) -> None:
    path = shared / "data/gupta2019/result_wt2012.csv"
    table = read_table(path, collection="WT2012")
    assert table.values.shape == (48, 23)
    assert (table["P@1000"][0], table["ERR@20"][0], table["rbp.95"][0]) == (0.0198, 0.20724, 0.1983)
    assert table.systems[:2] == ("1", "2")
    assert detect_format(path) == "table"
    with pytest.raises(FileError, match=r":1: the columns are measures .* measures\.Table\.read\(\)"):
        read_scores(path)
    depths = read_table(shared / "data/gupta2019/result_web2012_low_to_high.csv")
    assert depths["ERR(depth=20)"].tolist() == table["ERR@20"].tolist()


TREC_EVAL = """runid                 \tall\tSTANDARD
num_ret               \t401\t1000
map                   \t401\t0.1000
P_10                  \t401\t0.5000
num_ret               \t402\t900
map                   \t402\t0.2500
P_10                  \t402\t0.4000
num_ret               \tall\t1900
map                   \tall\t0.1750
P_10                  \tall\t0.4500
"""
IR_MEASURES = (
    "401\tAP\t0.1000\n401\tP@10\t0.5000\n402\tAP\t0.2500\n402\tP@10\t0.4000\nall\tAP\t0.1750\nall\tP@10\t0.4500\n"
)


@pytest.mark.parametrize(("kind", "text"), [("trec_eval", TREC_EVAL), ("ir_measures", IR_MEASURES)])
def test_output_of_evaluation_tools_is_one_run_a_file(kind: str, text: str, tmp_path: Path) -> None:
    first = put(tmp_path, "bm25.eval", text)
    second = put(tmp_path, "dense.txt.gz", gzip.compress(text.replace("0.2500", "0.3500").encode()))
    assert detect_format(first) == kind
    scores = read_scores([first, second], measure="map")
    assert scores.systems == ("bm25", "dense")
    assert scores.topics == ("401", "402")
    assert scores.values.tolist() == [[0.1, 0.1], [0.25, 0.35]]
    assert f"bm25.eval: output of {kind} -q" in scores.notes
    cube = read_cube(tmp_path, measures=["P_10", "AP"])
    assert cube.measures == ("P@10", "AP")
    assert cube["AP"] == scores
    named = read_scores({"first": first, "second": second}, measure="AP")
    assert named.systems == ("first", "second")


def test_a_summary_that_is_not_the_mean_is_noted_beyond_rounding(tmp_path: Path) -> None:
    fine = put(tmp_path, "fine.eval", TREC_EVAL.replace("0.1750", "0.1751"))
    assert not any("topics give" in note for note in read_scores(fine, measure="map").notes)
    wrong = put(tmp_path, "wrong.eval", TREC_EVAL.replace("0.1750", "0.2750").replace("1900", "1901"))
    notes = read_scores(wrong, measure="map").notes
    assert "wrong.eval:9: AP of 'all' is 0.2750, but the topics give 0.1750" in notes
    assert "wrong.eval:8: NumRet of 'all' is 1901, but the topics give 1900" in notes
    assert "wrong.eval: the run calls itself 'STANDARD'" in notes


def test_a_run_without_topics_of_its_own_is_refused(tmp_path: Path) -> None:
    path = put(tmp_path, "a.eval", "map \tall\t0.2\nP_10\tall\t0.3\n")
    with pytest.raises(FileError, match=r"there are only rows for 'all'.*Run trec_eval with -q"):
        read_scores(path, measure="map")


def test_a_topic_that_one_run_lacks_is_named(tmp_path: Path) -> None:
    first = put(tmp_path, "bm25.eval", TREC_EVAL)
    second = put(tmp_path, "dense.eval", "".join(line for line in TREC_EVAL.splitlines(True) if "402" not in line))
    with pytest.raises(FileError) as error:
        read_scores([first, second], measure="map")
    assert str(error.value) == (
        f"{first} and 1 more file: system 'dense' on topic '402' by AP has no score. "
        'Pass missing="zero", "drop-topics", "drop-systems" or "keep" to say what that means.'
    )
    zero = read_scores([first, second], measure="map", missing="zero")
    assert zero.values.tolist() == [[0.1, 0.1], [0.25, 0.0]]
    assert zero.notes[-1] == "1 missing cell set to 0"


NESTED = {"bm25": {"map": {"401": 0.1, "402": 0.25}}, "dense": {"map": {"401": 0.3, "402": 0.5}}}
TURNED = {run: {topic: {"map": value} for topic, value in scores["map"].items()} for run, scores in NESTED.items()}


@pytest.mark.parametrize("data", [NESTED, TURNED], ids=["ranx", "pytrec_eval"])
def test_dicts_and_json_are_read_in_either_order(data: dict[str, Any], tmp_path: Path) -> None:
    expected = Scores([[0.1, 0.3], [0.25, 0.5]], ["401", "402"], ["bm25", "dense"], "AP")
    assert read_scores(data) == expected
    path = put(tmp_path, "a.json", json.dumps(data, indent=1))
    assert read_scores(path) == expected
    assert detect_format(path) == "json"
    assert read_scores(put(tmp_path, "bm25.json", json.dumps(data["bm25"]))) == expected.select(systems="bm25")


def test_dicts_whose_levels_are_not_clear_need_the_format() -> None:
    data = {"x": {"1": 0.1, "2": 0.2}, "y": {"1": 0.3, "2": 0.4}}
    with pytest.raises(FileError) as error:
        read_scores(data)
    assert str(error.value) == (
        "the dict: which level is which? The keys are 'x', 'y' > '1', '2'. "
        'Pass format="measure>topic", "topic>measure", "run>topic" or "topic>run".'
    )
    assert read_scores(data, format="run>topic").systems == ("x", "y")
    assert read_scores(data, format="topic>run").systems == ("1", "2")
    with pytest.raises(CallError, match="does not fit 2 levels"):
        read_scores(data, format="run>measure>topic")


Metric = namedtuple("Metric", ["query_id", "measure", "value"])


def test_records_of_ir_measures_are_read_with_the_name_of_the_run(tmp_path: Path) -> None:
    records = [Metric("401", "AP", 0.1), Metric("402", "AP", 0.25)]
    expected = Scores([[0.1], [0.25]], ["401", "402"], ["bm25"], "AP")
    assert read_scores({"bm25": records}) == expected
    assert read_scores({"bm25": pd.DataFrame(records)}) == expected
    lines = "".join(json.dumps(record._asdict()) + "\n" for record in [*records, Metric("all", "AP", 0.175)])
    assert read_scores(put(tmp_path, "bm25.jsonl", lines)) == expected
    with pytest.raises(CallError, match="no level of runs"):
        read_scores(records)


@pytest.mark.parametrize("library", [pd.DataFrame, pl.DataFrame, pa.table], ids=["pandas", "polars", "pyarrow"])
def test_frames_are_read_wide_and_long(library: Any) -> None:
    wide = library({"qid": [401, 402, 403], "bm25": [0.1, 0.25, 0.0007], "dense": [0.3, 0.5, 1.0]})
    assert read_scores(wide) == EXPECTED
    pyterrier = library(
        {
            "name": list(SYSTEMS) * 3,
            "qid": ["401", "401", "402", "402", "403", "403"],
            "measure": ["map"] * 6,
            "value": [0.1, 0.3, 0.25, 0.5, 0.0007, 1.0],
        }
    )
    assert read_scores(pyterrier) == Scores(VALUES, TOPICS, SYSTEMS, "AP")
    assert type(read_scores(wide).to_frame()) is type(wide)


def test_a_lazy_frame_is_collected() -> None:
    assert read_scores(pl.LazyFrame({"qid": ["401"], "bm25": [0.5]})).values.tolist() == [[0.5]]


def test_the_index_of_a_pandas_frame_names_the_topics() -> None:
    frame = pd.DataFrame({"bm25": [0.1, 0.25], "dense": [0.3, 0.5]}, index=["401", "402"])
    assert read_scores(frame) == Scores(VALUES[:2], TOPICS[:2], SYSTEMS)
    pivot = pd.DataFrame({"q": [401, 401], "s": ["a", "b"], "v": [0.1, 0.2]}).pivot(index="q", columns="s", values="v")
    with pytest.raises(FileError, match="does the first column, 'q', number the topics"):
        read_scores(pivot)
    assert read_scores(pivot, format="wide") == Scores([[0.1, 0.2]], ["401"], ["a", "b"])


def test_what_is_wrong_with_a_frame_is_said() -> None:
    with pytest.raises(FileError, match="the frame, row 2: the column 'qid' has no name there"):
        read_scores(pd.DataFrame({"qid": ["401", None], "name": ["a", "a"], "value": [0.1, 0.2]}))
    with pytest.raises(FileError, match="the frame, row 2: system 'a' on topic '1' has a score already, on row 1"):
        read_scores(pl.DataFrame({"qid": [1, 1], "name": ["a", "a"], "value": [0.1, 0.2]}))
    with pytest.raises(FileError, match="no column names the system"):
        read_scores(pl.DataFrame({"qid": [1], "measure": ["map"], "value": [0.1]}))
    with pytest.raises(FileError, match="there are no rows"):
        read_scores(pl.DataFrame({"qid": [], "a": []}))
    with pytest.raises(CallError, match="they must have 2: topics x systems"):
        read_scores(np.ones((2, 2, 2)))
    assert read_scores(np.ones((2, 2))).notes == ("the array: topics x systems, both numbered",)


def test_rows_of_a_large_matrix_are_read_alike_and_lines_are_counted_right(tmp_path: Path) -> None:
    values = np.random.default_rng(1).random((200, 3))
    rows = [f"q{i},{','.join(map(repr, row))}" for i, row in enumerate(values.tolist())]
    header = "topic,a,b,c"
    expected = read_scores(put(tmp_path, "a.csv", "\n".join([header, *rows]) + "\n"))
    assert np.array_equal(expected.values, values)
    quoted = [*rows[:120], f'"q120",{rows[120].partition(",")[2]}', *rows[121:]]
    assert read_scores(put(tmp_path, "b.csv", "\r\n".join([header, *quoted]))) == expected
    hole = [*rows[:120], "q120,0.1,,0.3", *rows[121:150], "q150,0.1,x,0.3", *rows[151:]]
    path = put(tmp_path, "c.csv", "\n".join([header, *hole]))
    with pytest.raises(FileError, match=r"c\.csv:152: 'x' in the column 'b' is not a number"):
        read_scores(path)
    path = put(tmp_path, "d.csv", "\n".join([header, *hole[:150], *rows[151:]]))
    with pytest.raises(FileError, match=r"d\.csv:122: system 'b' on topic 'q120' has no score"):
        read_scores(path)
    path = put(tmp_path, "e.csv", "\n".join([header, *rows[:150], rows[3]]))
    with pytest.raises(FileError, match=r"e\.csv:152: the topic 'q3' is there twice \(first on line 5\)"):
        read_scores(path)


AMBIGUOUS = {
    "an id that could be a system": (
        "id,a,b\n401,.1,.2\n402,.3,.4\n",
        "does the first column, 'id', number the topics, or is it a system? Call it 'topic'. "
        'Pass format="wide" if it numbers the topics. Pass format="matrix" if it is a system.',
    ),
    "names of who knows what": (
        "who,a,b\nx,.1,.2\n",
        "does the first column, 'who', name topics or systems? Call it 'topic' or 'system'. "
        'Pass format="wide" if it names topics. Pass format="turned" if it names systems.',
    ),
    "a score among systems": (
        "topic,score,other\n1,.1,.2\n",
        "the columns 'score', 'other' all hold numbers. Pass format=\"wide\" if each is a system. "
        "Pass format=\"long\" if the scores are in 'score' alone.",
    ),
    "two topics": (
        "qid,query,run,value\n1,x y,a,.2\n",
        "the columns 'qid' and 'query' could both be the topic. Rename or remove one. "
        'Pass columns="topic=qid" or "topic=query" to say which.',
    ),
    "two topics, and scores beside them": (
        "topic,task,a,b\n1,7,.1,.2\n",
        "the columns 'topic' and 'task' could both be the topic. Rename or remove one. "
        'Pass columns="topic=topic" or "topic=task" to say which. '
        'Pass format="wide" if the other columns are systems.',
    ),
    "two systems, and scores beside them": (
        "model,name,a,b\n1,7,.1,.2\n",
        "the columns 'model' and 'name' could both be the system. Rename or remove one. "
        'Pass columns="system=model" or "system=name" to say which. '
        'Pass format="turned" if the other columns are topics.',
    ),
    "no header": (
        "0.1,0.2\n0.3,0.4\n",
        "the first line holds numbers only, so the systems have no names. Add a line of names. "
        'Pass format="numbers" to number topics and systems.',
    ),
    "systems only": (
        "system,map,P_10\na,.1,.2\n",
        "there is a column of systems, 'system', and none of topics. A table of systems by measures is read by "
        'measures.Table.read(), a list of systems and scores by Ranking.read(). Pass format="turned" if the other '
        "columns are topics.",
    ),
    "systems and texts": (
        "system,x,y\na,.1,good\n",
        "there is a column of systems, 'system', and none of topics. A table of systems by measures is read by "
        'measures.Table.read(), a list of systems and scores by Ranking.read(). Pass format="turned" if the other '
        "columns are topics.",
    ),
    "a model that is a number": (
        "topic,model,other\n1,3,.2\n",
        "the column 'model' holds numbers. Pass format=\"wide\" if it is a system like the others. "
        'Pass format="measures" if it names the systems.',
    ),
}


@pytest.mark.parametrize("case", AMBIGUOUS)
def test_what_could_be_two_things_is_an_error_with_the_way_out(case: str, tmp_path: Path) -> None:
    text, message = AMBIGUOUS[case]
    path = put(tmp_path, "a.csv", text)
    with pytest.raises(FileError) as error:
        read_scores(path)
    assert str(error.value) == f"{path}:1: {message}"


@pytest.mark.parametrize("case", AMBIGUOUS)
def test_every_way_out_of_what_could_be_two_things_leads_out(case: str, tmp_path: Path) -> None:
    path = put(tmp_path, "a.csv", AMBIGUOUS[case][0])
    with pytest.raises(FileError) as error:
        read_scores(path)
    for way in error.value.ways_out:
        if isinstance(way, Option):
            for value in way.values:
                assert read_scores(path, **{way.name: value}).shape


@pytest.mark.parametrize("case", AMBIGUOUS)
def test_no_way_out_in_the_shell_speaks_of_python(case: str, tmp_path: Path) -> None:
    with pytest.raises(FileError) as error:
        read_scores(put(tmp_path, "a.csv", AMBIGUOUS[case][0]))
    for way in error.value.ways_out:
        said = way.in_shell(f"--{way.name}") if isinstance(way, Option) else way.in_shell()
        assert "()" not in said
        assert way.name == "columns" if isinstance(way, Option) and "=" in said else "=" not in said


@pytest.mark.parametrize(
    ("text", "format", "topics", "systems"),
    [
        ("id,a,b\n401,.1,.2\n402,.3,.4\n", "wide", ("401", "402"), ("a", "b")),
        ("id,a,b\n401,.1,.2\n402,.3,.4\n", "matrix", ("1", "2"), ("id", "a", "b")),
        ("0.1,0.2\n0.3,0.4\n0.5,0.6\n", "numbers", ("1", "2", "3"), ("1", "2")),
        ("system,401,402\na,.1,.2\nb,.3,.4\n", "turned", ("401", "402"), ("a", "b")),
        ("topic,score,other\n1,.1,.2\n", "wide", ("1",), ("score", "other")),
        ("topic,score,other\n1,.1,.2\n", "long", ("1",), ("a",)),
        ("topic,model,AP\n1,7,.2\n", "measures", ("1",), ("7",)),
    ],
)
def test_the_format_asked_for_settles_it(
    text: str, format: str, topics: tuple[str, ...], systems: tuple[str, ...], tmp_path: Path
) -> None:
    scores = read_scores(put(tmp_path, "a.csv", text), format=format)
    assert (scores.topics, scores.systems) == (topics, systems)
    assert scores.values[0, 0] == {"matrix": 401.0, "measures": 0.2}.get(format, 0.1)


def test_an_unknown_format_or_choice_is_named(tmp_path: Path) -> None:
    path = put(tmp_path, "a.csv", WIDE)
    with pytest.raises(CallError, match="format='xlsx' is unknown; use 'long'"):
        read_scores(path, format="xlsx")
    with pytest.raises(CallError, match="missing='ignore' is unknown"):
        read_scores(path, missing="ignore")


def test_a_file_of_several_measures_asks_which(tmp_path: Path) -> None:
    path = put(tmp_path, "a.csv", "topic,system,map,P_10\n1,a,.1,.2\n1,b,.3,.4\n")
    with pytest.raises(
        CallError, match=r"has 2 measures: 'AP', 'P@10'\. Pass measure=\"AP\" or another of them to say which one\."
    ):
        read_scores(path)
    assert read_scores(path, measure="P@10").values.tolist() == [[0.2, 0.4]]
    with pytest.raises(TauscopeError, match="does not have the measure 'RR'"):
        read_scores(path, measure="RR")


def test_matrices_that_do_not_name_their_measure_are_given_in_a_dict(shared: Path) -> None:
    folder = shared / "data/trec"
    cube = read_cube({"map": folder / "adhoc8_ap.csv", "P@10": folder / "adhoc8_p10.csv"}, collection="TREC-8")
    assert cube.measures == ("AP", "P@10")
    assert cube.shape == (2, 50, 129)
    assert cube["AP"].values[0, 1] == 0.4711
    with pytest.raises(FileError, match=r"the system 'run1' has scores in .*adhoc8_ap.csv too.*\{measure: path\}"):
        read_cube([folder / "adhoc8_ap.csv", folder / "adhoc8_p10.csv"])


RANKINGS = {
    "a list": ("system,score\na,.3\nb,.5\nc,.3\n", [("b",), ("a", "c")]),
    "a list with other names": ("Algorithm,Quality\na,.3\nb,.5\nc,.3\n", [("b",), ("a", "c")]),
    "a list without a header": ("a,.3\nb,.5\nc,.3\n", [("b",), ("a", "c")]),
    "a list of ranks": ("run,rank\na,2\nb,1\nc,2\n", [("b",), ("a", "c")]),
    "a matrix": ("a,b,c\n.1,.5,.3\n.2,.5,.2\n.3,.5,.1\n", [("b",), ("a", "c")]),
    "a long table": ("qid,run,score\n1,a,.3\n1,b,.5\n1,c,.3\n", [("b",), ("a", "c")]),
    "a table of two measures": ("model,P_10,AP\na,.7,.3\nb,.7,.5\nc,.7,.3\n", None),
}


@pytest.mark.parametrize("case", RANKINGS)
def test_rankings_are_read_from_lists_and_from_scores(case: str, tmp_path: Path) -> None:
    text, groups = RANKINGS[case]
    path = put(tmp_path, "a.csv", text)
    if groups is None:
        with pytest.raises(CallError, match="say which one"):
            read_ranking(path)
        assert read_ranking(path, measure="map").groups() == [("b",), ("a", "c")]
    else:
        assert read_ranking(path).groups() == groups
        assert detect_format(path) in ("ranking", "matrix", "long")


def test_a_table_of_one_measure_and_sizes_is_a_ranking_by_the_measure(tmp_path: Path) -> None:
    path = put(tmp_path, "a.csv", "model,params,AP\na,7,.3\nb,7,.5\nc,70,.3\n")
    assert read_ranking(path).groups() == read_ranking(path, measure="map").groups() == [("b",), ("a", "c")]
    assert read_ranking(path, columns="score=params").groups() == [("c",), ("a", "b")]


@pytest.mark.parametrize("library", [pd.DataFrame, pl.DataFrame, pa.table], ids=["pandas", "polars", "pyarrow"])
def test_rankings_are_read_from_frames_and_parquet(library: Any, tmp_path: Path) -> None:
    expected = [("b",), ("a", "c")]
    assert read_ranking(library({"who": ["a", "b", "c"], "how much": [0.3, 0.5, 0.3]})).groups() == expected
    assert read_ranking(library({"run": ["a", "b", "c"], "rank": [2, 1, 2]})).groups() == expected
    measures = library({"run": ["a", "b", "c"], "P_10": [0.1, 0.1, 0.1], "map": [0.3, 0.5, 0.3]})
    assert read_ranking(measures, measure="AP").groups() == expected
    assert read_ranking(library({"qid": ["1"], "a": [0.3], "b": [0.5], "c": [0.3]})).groups() == expected
    pyarrow.parquet.write_table(pa.table({"system": ["a", "b", "c"], "score": [0.3, 0.5, 0.3]}), tmp_path / "a.parquet")
    assert read_ranking(tmp_path / "a.parquet").groups() == expected
    assert read_ranking({"a": 0.3, "b": 0.5, "c": 0.3}).groups() == expected
    assert read_ranking(put(tmp_path, "a.json", '{"a": 0.3, "b": 0.5, "c": 0.3}')).groups() == expected


def test_a_pipe_is_read_once(tmp_path: Path) -> None:
    for read, text, right in (
        (read_scores, WIDE.encode(), lambda found: found == EXPECTED),
        (read_scores, gzip.compress(WIDE.encode()), lambda found: found == EXPECTED),
        (read_ranking, b"system,score\na,.3\nb,.5\n", lambda found: found.groups() == [("b",), ("a",)]),
        (read_ranking, WIDE.encode(), lambda found: found == EXPECTED.ranking()),
    ):
        pipe = tmp_path / "pipe"
        os.mkfifo(pipe)
        writer = threading.Thread(target=pipe.write_bytes, args=(text,))
        writer.start()
        assert right(read(pipe))
        writer.join()
        pipe.unlink()


def test_what_is_noted_of_many_files_is_told_once(tmp_path: Path) -> None:
    for i in range(5):
        put(tmp_path, f"run{i}.eval", TREC_EVAL)
    assert read_scores(tmp_path, measure="map").notes == (
        "5 files: output of trec_eval -q",
        "5 files: the run calls itself 'STANDARD'",
    )


def test_two_columns_of_numbers_are_no_ranking_until_named(tmp_path: Path) -> None:
    path = put(tmp_path, "a.csv", "x,y\n1,.5\n2,.3\n")
    with pytest.raises(FileError, match=r"a.csv:1: both columns, 'x' and 'y', hold numbers"):
        read_ranking(path)
    assert read_ranking(path, format="matrix").groups() == [("x",), ("y",)]
    with pytest.raises(FileError, match=r"a.csv:3: the system 'a' is there twice \(first on line 2\)"):
        read_ranking(put(tmp_path, "a.csv", "system,score\na,.5\na,.3\n"))
    with pytest.raises(FileError, match=r"a.csv:3: the system 'b' has no score"):
        read_ranking(put(tmp_path, "a.csv", "system,score\na,.5\nb,\n"))


def test_the_ranking_of_a_matrix_is_that_of_its_snapped_means(shared: Path) -> None:
    path = shared / "data/trec/adhoc8_ap.csv"
    assert read_ranking(path) == read_scores(path).ranking()
    assert read_ranking(path, tied_within=0.01).tied_pairs() > read_ranking(path).tied_pairs()


def test_parquet_keeps_measure_collection_and_notes(tmp_path: Path) -> None:
    scores = Scores(VALUES, TOPICS, SYSTEMS, "AP", "demo").drop_worst(0.0)
    path = write_scores(scores, tmp_path / "a.parquet")
    again = read_scores(path)
    assert again == scores
    assert again.notes == (
        *scores.notes,
        f"{path}: pyarrow frame, one column per system (2 columns), topics in 'topic'",
    )
    pyarrow.parquet.write_table(pa.table({"qid": ["1"], "a": [0.5]}), path)
    assert read_scores(path).values.tolist() == [[0.5]]


def test_a_wide_text_is_written_where_it_loses_nothing(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    write_scores(EXPECTED, path)
    assert path.read_text() == '"topic","bm25","dense"\n"401",0.1,0.3\n"402",0.25,0.5\n"403",0.0007,1.0\n'
    write_scores(Scores([[0.5]], ["1"], ["a"], "AP"), path)
    assert path.read_text() == '"system","topic","measure","value"\n"a","1","AP",0.5\n'
    write_scores(Scores([[0.5]], ["1"], ["score"]), path)
    assert path.read_text() == '"system","topic","value"\n"score","1",0.5\n'
    write_scores(ScoreCube([[[0.5]]], ["AP"], ["1"], ["a"]), path)
    assert path.read_text() == '"topic","system","AP"\n"1","a",0.5\n'


def test_writing_needs_a_name_that_says_the_format_and_leaves_nothing_half_written(tmp_path: Path) -> None:
    with pytest.raises(CallError, match=r"write to .csv, .tsv"):
        write_scores(EXPECTED, tmp_path / "a.xlsx")
    with pytest.raises(CallError, match="layout='tall' is unknown"):
        write_scores(EXPECTED, tmp_path / "a.csv", layout="tall")
    path = write_scores(EXPECTED, tmp_path / "a.csv")
    before = path.read_bytes()
    with pytest.raises(FileError, match="has a NUL character"):
        write_scores(Scores([[0.5], [0.5]], ["1", "\0"]), path)
    with pytest.raises(FileError, match="cannot be written as UTF-8"):
        write_scores(Scores([[0.5]], None, ["\ud800"]), path)
    assert path.read_bytes() == before
    assert [file.name for file in tmp_path.iterdir()] == ["a.csv"]
    with pytest.raises(FileError, match="it cannot be written"):
        write_scores(EXPECTED, tmp_path / "nowhere" / "a.csv")


def test_reading_a_csv_imports_numpy_only(tmp_path: Path) -> None:
    path = put(tmp_path, "a.csv", WIDE)
    code = (
        f"import sys; from tauscope import Scores, check; check(Scores.read({str(path)!r})); "
        "print(sorted({'pandas', 'scipy', 'narwhals', 'pyarrow', 'polars', 'zstandard', 'altair'} & set(sys.modules)))"
    )
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "[]\n"


TOT = "a M1 1 .1\nb M1 1 .3\na M1 2 .2\nb M1 2 .4\na M1 all .15\nb M1 all .35\n"


def test_autojudge_files_hold_many_runs_and_their_summaries_are_left_out(tmp_path: Path) -> None:
    path = put(tmp_path, "judge.tot", TOT)
    assert detect_format(path) == "tot"
    scores = read_scores(path)
    assert scores == Scores([[0.1, 0.3], [0.2, 0.4]], ["1", "2"], ["a", "b"], "M1")
    assert scores.notes == ("judge.tot: AutoJudge's tot",)
    assert read_ranking(path).groups() == [("b",), ("a",)]
    plain = put(tmp_path, "plain.tot", "".join(line for line in TOT.splitlines(True) if "all" not in line))
    with pytest.raises(FileError, match="no column of topics and scores is recognised"):
        read_scores(plain)  # four columns could be judgments as well
    assert read_scores(plain, format="tot") == scores
    assert detect_format(put(tmp_path, "known.tot", "a map 1 .1\n")) == "tot"


@pytest.mark.parametrize(
    ("kind", "line"),
    [
        ("tot", "{run}\t{measure}\t{topic}\t{value}"),
        ("ir_measures", "{run}\t{topic}\t{measure}\t{value}"),
        ("autojudge-ranking", "{topic}\tQ0\t{run}\t0\t{value}\t{measure}"),
    ],
)
def test_each_of_autojudges_orders_of_columns_gives_the_same_scores(kind: str, line: str, tmp_path: Path) -> None:
    cells = [("a", "1", 0.1), ("b", "1", 0.3), ("a", "2", 0.2), ("b", "2", 0.4)]
    rows = [line.format(run=r, topic=t, measure="FRACT", value=v) for r, t, v in cells]
    expected = Scores([[0.1, 0.3], [0.2, 0.4]], ["1", "2"], ["a", "b"], "FRACT")
    plain = put(tmp_path, "plain", "\n".join(rows))
    assert read_scores(plain, format=kind) == expected
    summed = put(tmp_path, "summed", "\n".join([*rows, line.format(run="a", topic="all", measure="FRACT", value=0.15)]))
    assert detect_format(summed) == kind
    assert read_scores(summed) == expected
    assert detect_format(put(tmp_path, "known", rows[0].replace("FRACT", "map"))) == kind


def test_a_run_of_documents_whose_tag_is_a_measure_is_not_taken_for_autojudges_ranking(tmp_path: Path) -> None:
    run = put(tmp_path, "run", "1 Q0 d1 1 2.5 map\n1 Q0 d2 2 1.5 map\n")
    with pytest.raises(FileError):
        read_scores(run)


def test_rbp_of_trec_eval_has_the_persistence_of_trec_eval(tmp_path: Path) -> None:
    text = "map\t1\t0.2\nrbp\t1\t0.5\nrbp\t2\t0.7\nmap\t2\t0.4\nrbp\tall\t0.6\n"
    cube = read_cube(put(tmp_path, "a.eval", text))
    assert cube["RBP(p=0.9)"].values[:, 0].tolist() == [0.5, 0.7]
    assert "a.eval: rbp is RBP(p=0.9), as trec_eval 10 has it" in cube.notes
    theirs = read_cube(put(tmp_path, "b.eval", "1\tAP\t0.2\n1\tRBP\t0.5\n"))
    assert theirs.measures == ("AP", "RBP(p=0.8)")


def test_a_line_that_is_none_of_autojudge_is_named(tmp_path: Path) -> None:
    with pytest.raises(FileError, match=r"a.tot:2: run, measure, topic and value should stand here"):
        read_scores(put(tmp_path, "a.tot", "a M1 all .1\na M1 .2\n"), format="tot")
    with pytest.raises(FileError, match="there is not one score in it"):
        read_scores(put(tmp_path, "b.tot", "a M1 all .1\n"))


# ---- columns that are means of the others ----


def livebench(weights: Any = None, *, systems: int = 40, seed: int = 4) -> tuple[list[str], np.ndarray, np.ndarray]:
    """Make a board printed with one decimal, and a mean of its tasks, taken before rounding, with two decimals."""
    rng = np.random.default_rng(seed)
    tasks = ["coding", "data_analysis", "instruction_following", "language", "math", "reasoning"]
    exact = np.clip(rng.normal(50, 14, (systems, 1)) + rng.normal(0, 9, (systems, len(tasks))), 0, 100)
    return tasks, exact.round(1), np.average(exact, axis=1, weights=weights).round(2)


def write_board(path: Path, tasks: list[str], values: np.ndarray, *, turned: bool = True) -> Path:
    rows = [["model" if turned else "topic", *(tasks if turned else [f"m{i}" for i in range(len(values))])]]
    if turned:
        rows += [[f"m{i}", *map(str, row)] for i, row in enumerate(values)]
    else:
        rows += [[task, *map(str, row)] for task, row in zip(tasks, values.T, strict=True)]
    path.write_text("".join(",".join(row) + "\n" for row in rows))
    return path


@pytest.mark.parametrize("turned", [True, False], ids=["column", "row"])
@pytest.mark.parametrize("weights", [None, [0.25, 0.25, 0.125, 0.125, 0.125, 0.125]], ids=["mean", "of categories"])
def test_a_column_that_is_the_mean_of_the_others_is_left_out_whatever_its_name(
    weights: Any, turned: bool, tmp_path: Path
) -> None:
    tasks, values, mean = livebench(weights)
    names = [*tasks[:2], "livebench_240725", *tasks[2:]]
    full = np.insert(values, 2, mean, axis=1)
    path = write_board(tmp_path / "board.csv", names, full, turned=turned)
    found = read_scores(path)
    assert found.topics == tuple(tasks)
    assert found.values.T.tolist() == values.tolist()
    told = linter(found)["mean-topic"]
    assert told.text == "1 topic left out, whose scores are the mean of the others: 'livebench_240725'"
    assert "keep=livebench_240725" in told.suggestion
    assert read_scores(pd.read_csv(path)).topics == tuple(tasks)
    kept = read_scores(path, columns="keep=livebench_240725")
    assert kept.topics == tuple(names)
    assert linter(kept)["mean-topic"].severity == "warning"
    if turned:
        assert read_table(path).measures == tuple(tasks)
        assert read_table(path, columns="keep=livebench_240725").measures == tuple(names)


def test_a_mean_is_not_found_where_chance_or_difficulty_explains_it(tmp_path: Path) -> None:
    tasks, values, mean = livebench(systems=5)
    path = write_board(tmp_path / "few.csv", [*tasks, "x"], np.column_stack([values, mean]))
    assert read_scores(path).topics == (*tasks, "x")  # too few systems
    ability = np.random.default_rng(2).normal(50, 10, (30, 1)).round(1)
    path = write_board(tmp_path / "additive.csv", list("abc"), ability + np.array([-10, 0, 10]))
    assert read_scores(path).topics == tuple("abc")  # tasks that differ in difficulty alone
    copies = np.repeat(values[:, :1], 4, axis=1)
    assert read_scores(write_board(tmp_path / "copies.csv", list("abcd"), copies)).topics == tuple("abcd")
    grades = np.random.default_rng(3).integers(0, 2, (60, 7)).astype(float)
    assert read_scores(write_board(tmp_path / "grades.csv", list("abcdefg"), grades)).topics == tuple("abcdefg")


def test_a_row_that_is_a_summary_by_name_is_kept_as_the_warning_says(tmp_path: Path) -> None:
    path = tmp_path / "board.csv"
    path.write_text("topic,a,b,c\nq1,.1,.2,.3\nq2,.4,.1,.2\nmean,.25,.15,.25\n")
    assert read_scores(path, columns="keep=mean").topics == ("q1", "q2", "mean")
    with pytest.raises(FileError, match="there is no column or row 'means' to keep"):
        read_scores(path, columns="keep=means")


# ---- JSON lines, runs of trec_eval and titles ----


def test_one_line_of_json_is_a_record_like_many(tmp_path: Path) -> None:
    line = '{"query_id": "q1", "system": "a", "value": 0.3}\n'
    more = '{"query_id": "q1", "system": "b", "value": 0.4}\n'
    one = read_scores(put(tmp_path, "one.jsonl", line))
    assert (one.topics, one.systems, one.values.tolist()) == (("q1",), ("a",), [[0.3]])
    assert one.values[0, 0] == read_scores(put(tmp_path, "two.jsonl", line + more)).values[0, 0]
    measure = put(tmp_path, "bm25.jsonl", '{"query_id": "q1", "measure": "AP", "value": 0.3}\n')
    assert read_scores(measure).systems == ("bm25",)
    with pytest.raises(FileError, match="1 level of dicts, where 2 or 3 are expected"):
        read_scores(put(tmp_path, "list.json", '{"a": 0.3, "b": 0.4}'))
    assert read_ranking(tmp_path / "list.json").groups() == [("b",), ("a",)]


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize(
    ("last", "says"),
    [
        ('{"query_id": "q2", "system": "a", "value": "x"}', "board.jsonl:4: there is 'x' and not a number"),
        ('{"query_id": "q2", "system": "a"}', "board.jsonl:4: this record does not have the keys of the first"),
        (
            '{"query_id": "q1", "system": "a", "value": 1}',
            "board.jsonl:4: system 'a' on topic 'q1' has a score already, on line 1",
        ),
        ('{"query_id": "q2", "system": "a", "value": 1, "value": 2}', "board.jsonl:4: the key 'value' is there twice"),
        ('{"query_id": "q2", "system"', "board.jsonl:4: this line is not JSON"),
        ('{"query_id": "q2", "system": "a", "value": null}', "board.jsonl:4: system 'a' on topic 'q2' has no score"),
    ],
)
def test_blank_lines_of_json_count_in_the_line_of_an_error(last: str, says: str, end: str, tmp_path: Path) -> None:
    first = '{"query_id": "q1", "system": "a", "value": 0.3}'
    path = put(tmp_path, "board.jsonl", end.join([first, "", " ", last, ""]))
    with pytest.raises(FileError) as error:
        read_scores(path)
    assert says in str(error.value)


@pytest.mark.parametrize("name", ["NAME", "", "two words"])
def test_the_runid_of_trec_eval_is_read_whatever_it_is(name: str, tmp_path: Path) -> None:
    runid = f"runid                 \tall\t{name}\n"
    topics = "map                   \tq1\t0.3000\nmap                   \tq2\t0.5000\n"
    means = "num_q                 \tall\t2\nmap                   \tall\t0.4000\n"
    for text in (topics + runid + means, runid + topics + means, topics + means + runid):
        found = read_scores(put(tmp_path, "a.eval", text), measure="map")
        assert (found.topics, found.systems, found.values.tolist()) == (("q1", "q2"), ("a",), [[0.3], [0.5]])
        assert (f"a.eval: the run calls itself {name!r}" in found.notes) == bool(name)
    summary = put(tmp_path, "a.eval", runid + means)
    assert detect_format(summary) == "trec_eval"
    with pytest.raises(FileError, match="there are only rows for 'all'"):
        read_scores(summary)
    table = read_table(summary)
    assert (table.systems, table.measures, table.values.tolist()) == (("a",), ("NumQ", "AP"), [[2.0, 0.4]])


def test_summaries_of_several_runs_are_a_table_by_their_runids(tmp_path: Path) -> None:
    runs = "".join(f"runid\tall\t{run}\nmap\tall\t{value}\nP_10\tall\t0.5\n" for run, value in (("x", 0.1), ("y", 0.2)))
    table = read_table(put(tmp_path, "both.eval", runs))
    assert (table.systems, table.measures) == (("x", "y"), ("AP", "P@10"))
    assert table.values.tolist() == [[0.1, 0.5], [0.2, 0.5]]


TITLED = "model,MMLU,GSM8K,ARC\na,.1,.2,.3\nb,.3,.2,.5\nc,.4,.4,.6\n"


@pytest.mark.parametrize(
    "title",
    [
        "Leaderboard of May 2024",
        "Leaderboard, May 2024",
        "Leaderboard of May 2024,,,",
        "Leaderboard of May 2024,,,\n,,,",
        "Leaderboard\nMay 2024\n",
        '"Leaderboard, as of May 2024"',
    ],
)
@pytest.mark.parametrize("mark", [",", "\t", ";"])
def test_a_title_above_the_header_is_left_out_and_told(title: str, mark: str, tmp_path: Path) -> None:
    padded = title.replace(",,,", mark * 3)
    path = put(tmp_path, "board.tsv" if mark == "\t" else "board.csv", f"{padded}\n{TITLED.replace(',', mark)}")
    found = read_scores(path)
    assert found.systems == ("a", "b", "c")
    assert found.topics == ("MMLU", "GSM8K", "ARC")
    assert linter(found)["title"].text.startswith("title above the header left out: 'Leaderboard")
    broken = put(tmp_path, path.name, f"{padded}\n{TITLED.replace('.6', 'x').replace(',', mark)}")
    with pytest.raises(FileError, match=f"{path.name}:{padded.count(chr(10)) + 5}: 'x' in the column 'ARC'"):
        read_scores(broken)


def test_a_title_of_a_list_or_a_printed_table_is_told_too(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    names = "title above the header left out: 'Arena of May'"
    listed = put(tmp_path, "list.csv", "Arena of May\nmodel,score\na,.1\nb,.3\nc,.2\n")
    assert read_ranking(listed).groups() == [("b",), ("c",), ("a",)]
    assert main(["correlate", str(listed), str(listed), "-c", "tau_b"]) == 0
    assert names in capsys.readouterr().err
    printed = put(tmp_path, "arena.csv", "Arena of May\nmodel,score,ci\na,1200,± 5\nb,1100,± 6\nc,1000,± 7\n")
    found = Published.read(printed)
    assert found.systems == ("a", "b", "c")
    assert any(names in note for note in found.notes)


def test_a_title_stands_above_ids_of_topics_too(tmp_path: Path) -> None:
    found = read_scores(put(tmp_path, "board.csv", "Results of May\nmodel,401,402,403\na,.1,0,.3\nb,.3,1,.5\n"))
    assert (found.topics, found.systems) == (("401", "402", "403"), ("a", "b"))
    for rows in ("a,.1,.2\nb,.3,.2\n", "a,1,2\nb,3,2\n", "401,.1,.2\n402,.3,.2\n"):  # no header below the title
        with pytest.raises(FileError, match="where the header"):
            read_scores(put(tmp_path, "board.csv", f"Results of May\n{rows}"))


@pytest.mark.parametrize(
    "text",
    [
        "a,b\nq1,.1,.2\nq2,.3,.4\n",  # R: the names of the rows have no header
        "topic,a,b\nq1,.1,.2\nq2,.3,.4\n",
        ",a\nq1,.1\nq2,.3\n",
        "topic,a,b\nq1,,.2\nq2,.3,.4\n",
    ],
)
def test_a_header_is_not_taken_for_a_title(text: str, tmp_path: Path) -> None:
    found = read_scores(put(tmp_path, "board.csv", text), format="wide", missing="keep")
    assert found.topics == ("q1", "q2")
    assert "title" not in linter(found).codes


def test_a_header_that_is_too_short_stays_an_error(tmp_path: Path) -> None:
    with pytest.raises(FileError, match=r"board\.csv:2: 4 cells, where the header \(line 1\) has 2"):
        read_scores(put(tmp_path, "board.csv", "topic,a\nq1,.1,.2,.3\nq2,.1,.2,.3\n"))


def test_a_picture_in_a_folder_of_scores_is_left_out_and_told(tmp_path: Path) -> None:
    put(tmp_path, "bm25.eval", TREC_EVAL)
    put(tmp_path, "dense.eval", TREC_EVAL.replace("0.2500", "0.3500"))
    put(tmp_path, "curve.png", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0")
    found = read_scores(tmp_path, measure="map")
    assert found.systems == ("bm25", "dense")
    assert linter(found)["not-scores"].text == "1 file left out, not text: 'curve.png'"
    for name in ("bm25.eval", "dense.eval"):
        (tmp_path / name).unlink()
    with pytest.raises(FileError, match=r"curve\.png:\d: this is not text"):
        read_scores(tmp_path)


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("map\t402\tx\n", "a.eval:5: the value 'x' is not a number"),
        ("map\t402\n", "a.eval:5: 2 columns, where measure, topic and value should stand"),
        ("map\t402\t0.3\t0.4\n", "a.eval:5: 4 columns, where measure, topic and value should stand"),
    ],
)
def test_a_damaged_line_of_trec_eval_is_named_and_not_read_as_a_table(line: str, says: str, tmp_path: Path) -> None:
    path = put(tmp_path, "a.eval", f"map\t401\t0.1\nP_10\t401\t0.1\n\nP_10\t402\t0.1\n{line}map\t403\t0.5\n")
    with pytest.raises(FileError) as error:
        read_scores(path, measure="map")
    assert says in str(error.value)
