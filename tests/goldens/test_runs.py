"""Formats of runs and judgments, and the texts of the errors."""

from __future__ import annotations

import gzip
import json
import re

import numpy as np
import pytest

from tauscope.cli import main
from tauscope.core import kernels
from tauscope.errors import CallError, FileError, MissingPackageError, TauscopeError
from tauscope.evaluation.evaluate import evaluate
from tauscope.evaluation.qrels import Qrels, read_qrels
from tauscope.evaluation.runs import Run, Runs, read_run

RUN = {"401": {"FBIS3-1": 2.5, "LA-7": 1e-07}, "q2": {"é": -3.0}}
QRELS = {"401": {"FBIS3-1": 2, "LA-7": 0}, "q2": {"é": -1}}


@pytest.fixture(params=["compiled", "plain"], autouse=True)
def implementation(request, monkeypatch):
    """Every format and error with and without compiled kernels."""
    if request.param == "plain":
        monkeypatch.setattr(kernels, "compiled", None)
    elif kernels.compiled is None:
        pytest.skip("there are no compiled kernels")


@pytest.fixture
def written(tmp_path):
    def write(data: str | bytes, name: str = "run.txt") -> str:
        path = tmp_path / name
        path.write_bytes(data.encode() if isinstance(data, str) else data)
        return str(path)

    return write


@pytest.mark.parametrize("name", ["run.txt", "run.gz", "run.zst"])
def test_a_run_is_written_and_read_back_without_loss(tmp_path, name):
    if name.endswith("zst"):
        pytest.importorskip("zstandard")
    run = Run.from_dict(RUN, "bm25")
    run.write(tmp_path / name)
    again = read_run(tmp_path / name)
    assert again == run
    assert (again.name, again.topics, again.to_dict()) == ("bm25", ("401", "q2"), RUN)
    assert repr(again) == "Run 'bm25': 2 topics, 3 documents"
    assert len(again) == 3


@pytest.mark.parametrize("name", ["qrels.txt", "qrels.gz"])
def test_judgments_are_written_and_read_back_without_loss(tmp_path, name):
    qrels = Qrels.from_dict(QRELS)
    qrels.write(tmp_path / name)
    again = read_qrels(tmp_path / name)
    assert again == qrels
    assert again.to_dict() == QRELS
    assert repr(again) == "Qrels: 2 topics, 3 documents (2 judged, 1 relevant, highest grade 2)"


def test_the_written_run_has_trec_columns_and_ranks_by_score(tmp_path):
    Run.from_dict({"1": {"low": 1.0, "high": 2.0, "other": 2.0}}, "s").write(tmp_path / "run")
    assert (tmp_path / "run").read_text() == "1 Q0 low 3 1.0 s\n1 Q0 high 2 2.0 s\n1 Q0 other 1 2.0 s\n"


def test_any_white_space_blank_lines_byte_order_mark_and_mixed_topics_are_read(written):
    text = "\ufeff2\tQ0  b 1 1 t\r\n\n  1 Q0 a 1 +3.5E0 t  \n \t \n2 0 c 9 .25 t"
    run = read_run(written(text))
    assert run.to_dict() == {"2": {"b": 1.0, "c": 0.25}, "1": {"a": 3.5}}
    assert run.ranked("2") == ["b", "c"]


def test_comments_and_text_after_the_tag_are_left_out_and_line_numbers_stay_right(written):
    text = "# made by hand\n1 Q0 a 1 2.5 t then some 1 2 3\n  #1 Q0 z 1 9 t\n1 Q0 b#2 2 1.5 t\n"
    assert read_run(written(text)).to_dict() == {"1": {"a": 2.5, "b#2": 1.5}}
    assert read_run(written(text)).name == "t"
    assert read_qrels(written("#\n1 0 a 1\n# 0 b 1\n")).to_dict() == {"1": {"a": 1}}
    with pytest.raises(FileError, match=r":5: the tag is 'u', and 't' above"):
        read_run(written(text + "1 Q0 c 3 1 u\n"))
    with pytest.raises(FileError, match=r":5: document 'a' of topic '1' is there twice, first at line 2"):
        read_run(written(text + "1 Q0 a 3 1 t\n"))


def test_a_document_with_a_space_is_not_taken_for_text_after_the_tag(written):
    with pytest.raises(FileError, match=r":1: 7 columns where a run has 6"):
        read_run(written("1 Q0 my document 1 2.5 t\n"))
    with pytest.raises(FileError, match=r":1: 5 columns where qrels have 4"):
        read_qrels(written("1 0 my document 1\n"))


def test_a_file_of_comments_is_refused_and_no_topic_is_written_as_a_comment(written, tmp_path):
    with pytest.raises(FileError, match="only comments"):
        read_run(written("# nothing\n#\n"))
    with pytest.raises(TauscopeError, match="The topic '#1' cannot begin a line"):
        Run.from_dict({"#1": {"a": 1.0}}).write(tmp_path / "run")


def test_ids_are_texts_whatever_they_look_like(written):
    run = read_run(written("007 Q0 1e5 1 1 t\n7 Q0 001 1 1 t\n2019-05 Q0 </script> 1 1 t\n2020-05 Q0 nan 1 1 t\n"))
    assert run.topics == ("007", "7", "2019-05", "2020-05")
    assert run.to_dict()["2019-05"] == {"</script>": 1.0}
    qrels = {"2019-05": {"</script>": 1}, "2020-05": {"x": 1}}
    assert evaluate(run, qrels, "ERR@20").values[0, :, 0].tolist() == [0.5, 0.0]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "1 Q0 a 1 1 t\n1 Q0 b 1 t\n",
            ":2: 5 columns where a run has 6: topic Q0 document rank score tag. The line is '1 Q0 b 1 t'.",
        ),
        (
            "1 0 a 1\n",
            ":1: 4 columns where a run has 6: topic Q0 document rank score tag. It looks like qrels. "
            "The line is '1 0 a 1'.",
        ),
        ("\n\n1 Q0 a 1 high t\n", ":3: the score is 'high', not a finite number."),
        ("1 Q0 a 1 nan t\n", ":1: the score is 'nan', not a finite number."),
        ("1 Q0 a 1 -inf t\n", ":1: the score is '-inf', not a finite number."),
        ("1 Q0 a 1 1e999 t\n", ":1: the score is '1e999', not a finite number."),
        ("1 Q0 a 1 1_0 t\n", ":1: the score is '1_0', not a finite number."),
        (
            "1 Q0 a 1 1 t\n2 Q0 a 1 1 t\n\n1 Q0 a 2 0 t\n",
            ":4: document 'a' of topic '1' is there twice, first at line 1.",
        ),
        ("", ": the file is empty."),
        (" \n\r\n", ": the file is empty."),
        ("1 Q0 a 1 1 t\n1 Q0 \0 2 1 t\n", ":2: this is not text: it holds NUL bytes."),
        ("1 Q0 a 1 1 t\n".encode("utf-16")[:-1], ":1: the UTF-16 text is damaged. Save it as UTF-8."),
        (
            "1 Q0 a 1 1 t\n1 Q0 é 1 1 t\n".encode("latin-1"),
            ":2: byte 0xe9 is not UTF-8. Save the file as UTF-8, for example: iconv -f latin1 -t utf-8",
        ),
    ],
)
def test_a_bad_run_is_refused_with_file_and_line(written, text, message):
    path = written(text)
    with pytest.raises(FileError) as error:
        read_run(path)
    assert str(error.value) == path + message
    with pytest.raises(FileError) as error:
        evaluate([path], {"1": {"a": 1}}, "AP")
    assert str(error.value) == path + message


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("1 0 a 1\n1 0 b 1.5x\n", ":2: the grade is '1.5x', not a finite number."),
        ("1 0 a 1\n1 0 b nan\n", ":2: the grade is 'nan', not a finite number."),
        ("1 0 a 1.5\n1 0 b 1\n1 0 a 2\n", ":3: document 'a' of topic '1' is there twice, first at line 1."),
        ("1 0 a 99999999999\n", ":1: the grade is '99999999999', not a whole number."),
        (
            "1 Q0 a 1 1 t\n",
            ":1: 6 columns where qrels have 4: topic iteration document grade. It looks like a run. "
            "The line is '1 Q0 a 1 1 t'.",
        ),
        ("1 0 a 1\n1 0 a 0\n", ":2: document 'a' of topic '1' is there twice, first at line 1."),
        (
            "1 1 a 1\n1 2 a 0\n",
            ":2: document 'a' of topic '1' is there twice, first at line 1. "
            "Judgments of subtopics (diversity qrels) cannot be used.",
        ),
    ],
)
def test_bad_judgments_are_refused_with_file_and_line(written, text, message):
    path = written(text)
    with pytest.raises(FileError) as error:
        read_qrels(path)
    assert str(error.value) == path + message


def test_a_file_of_several_tags_is_no_one_run(written):
    path = written("1 Q0 a 1 1 t\n1 Q0 b 2 1 u\n")
    with pytest.raises(FileError) as error:
        read_run(path)
    assert str(error.value) == (
        f"{path}:2: the tag is 'u', and 't' above. One run is wanted: Runs.read() and evaluate() take several by their "
        "tags."
    )


def test_the_runs_of_a_file_are_told_apart_by_their_tags(written):
    path = written("# two\n1 Q0 a 1 2 t\n1 Q0 b 1 2 u more text\n1 Q0 b 2 1 t\n2 Q0 a 1 1 u\n1 Q0 a 2 1 u\n")
    runs = Runs.read(path)
    assert [(run.name, run.to_dict()) for run in runs] == [
        ("t", {"1": {"a": 2.0, "b": 1.0}}),
        ("u", {"1": {"b": 2.0, "a": 1.0}, "2": {"a": 1.0}}),
    ]
    cube = evaluate(path, {"1": {"a": 1}, "2": {"a": 1}}, "RR")
    assert cube.values.tolist() == [[[1.0, 0.5], [0.0, 1.0]]]
    assert any(f"2 runs distinguished by tag in '{path}'" in note for note in cube.notes)
    bad = written("1 Q0 a 1 2 t\n1 Q0 a 1 2 u\n1 Q0 b 2 1 t\n1 Q0 b 2 high u\n")
    with pytest.raises(FileError, match=r":4: the score is 'high', not a finite number"):
        Runs.read(bad)


def test_runs_in_utf_16_are_read(written):
    assert read_run(written("1 Q0 a 1 1 t\n".encode("utf-16"))).to_dict() == {"1": {"a": 1.0}}


def test_a_truncated_or_damaged_gzip_file_is_refused_with_the_line_where_it_breaks(written):
    rows = "".join(f"1 Q0 d{i * 2654435761 % 2**32:010d} {i} {i} t\n" for i in range(20_000)).encode()
    packed = gzip.compress(rows)
    with pytest.raises(FileError, match=r"run\.gz:\d{4,}: the compressed data end too early"):
        read_run(written(packed[: len(packed) // 2], "run.gz"))
    with pytest.raises(FileError, match=r"bad\.gz:\d+: the compressed data are damaged"):
        read_run(written(packed[:1000] + b"\xff" * 1000 + packed[2000:], "bad.gz"))
    twice = gzip.compress(b"1 Q0 a 1 1 t\n") + gzip.compress(b"1 Q0 b 1 1 t\n")
    assert len(read_run(written(twice, "two.gz"))) == 2


def test_a_truncated_zstd_file_is_refused_and_a_missing_package_gives_its_install_line(written, monkeypatch):
    zstandard = pytest.importorskip("zstandard")
    packed = zstandard.ZstdCompressor().compress(b"1 Q0 a 1 1 t\n" * 1000)
    path = written(packed[:-4], "run.zst")
    with pytest.raises(FileError, match=r"run\.zst:\d+: the compressed data end too early"):
        read_run(path)
    monkeypatch.setitem(__import__("sys").modules, "zstandard", None)
    with pytest.raises(MissingPackageError, match=r"pip install 'tauscope\[frames\]'"):
        read_run(path)


def test_very_long_lines_are_refused_in_a_short_message(written):
    path = written(b"1 Q0 a 1 1 t\n" + b"x" * 100_000_000)
    with pytest.raises(FileError) as error:
        read_run(path)
    assert str(error.value).startswith(f"{path}:2: 1 column where a run has 6")
    assert len(str(error.value)) < len(path) + 200
    many = written(b"c " * 1_000_000, "many")
    with pytest.raises(FileError, match=r"many:1: 1,000,000 columns where a run has 6"):
        read_run(many)


def test_a_document_id_of_a_million_letters_is_carried(written):
    long = "x" * 1_000_000
    assert read_run(written(f"1 Q0 {long} 1 1 t\n")).to_dict() == {"1": {long: 1.0}}


def test_files_that_are_not_there_or_are_folders_are_refused(tmp_path):
    with pytest.raises(FileError, match=r"nowhere: there is no such file\."):
        read_run(tmp_path / "nowhere")
    with pytest.raises(FileError, match="this is a folder"):
        read_qrels(tmp_path)
    with pytest.raises(FileError, match="the folder has no files"):
        Runs.read(tmp_path)


def test_a_folder_of_runs_is_read_by_file_name_and_hidden_files_are_left_out(tmp_path):
    for name, tag in (("b.run", "second"), ("a.txt", "first"), (".hidden", "third")):
        (tmp_path / name).write_text(f"1 Q0 d 1 1 {tag}\n")
    (tmp_path / "folder").mkdir()
    assert [run.name for run in Runs.read(tmp_path)] == ["first", "second"]
    assert [run.name for run in Runs.read(tmp_path, names="file")] == ["a", "b"]
    assert evaluate(tmp_path, {"1": {"d": 1}}, "AP").systems == ("first", "second")


def test_two_runs_of_one_name_are_refused_with_both_files(tmp_path):
    files = []
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        files.append(tmp_path / name / "run.txt")
        files[-1].write_text("1 Q0 d 1 1 same\n")
    message = f"Two runs are called 'same': {files[0]} and {files[1]}. Give a dict, {{name: file}}, to name them."
    for call in (Runs.read, lambda files: evaluate(files, {"1": {"d": 1}}, "AP")):
        with pytest.raises(TauscopeError) as error:
            call(files)
        assert str(error.value) == message


def test_runs_of_one_tag_are_called_by_their_files_and_that_is_told(tmp_path):
    for name, tag in (("a.txt", "Anserini"), ("b.txt", "Anserini"), ("c.txt", "mine")):
        (tmp_path / name).write_text(f"1 Q0 d 1 1 {tag}\n")
    assert [run.name for run in Runs.read(tmp_path)] == ["a", "b", "mine"]
    cube = evaluate(tmp_path, {"1": {"d": 1}}, "AP")
    assert cube.systems == ("a", "b", "mine")
    assert "2 runs are called by their files, for they share their tags: 'Anserini'" in cube.notes


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_frames_of_ir_measures_and_pyterrier_are_read(library):
    frames = pytest.importorskip(library)
    run = frames.DataFrame({"qid": ["1", "1"], "docno": ["a", "b"], "score": [2, 1], "rank": [0, 1]})
    assert read_run(run, "bm25").to_dict() == {"1": {"a": 2.0, "b": 1.0}}
    assert read_qrels(frames.DataFrame({"qid": ["1"], "docno": ["a"], "label": [1]})).to_dict() == {"1": {"a": 1}}
    qrels = frames.DataFrame({"query_id": [1, 1], "doc_id": ["a", "b"], "relevance": [1, 0]})
    assert read_qrels(qrels).to_dict() == {"1": {"a": 1, "b": 0}}
    both = frames.DataFrame({"name": ["x", "y"], "query_id": ["1", "1"], "doc_id": ["a", "b"], "score": [1.0, 2.0]})
    assert {r.name: r.to_dict() for r in Runs.read(both)} == {"x": {"1": {"a": 1.0}}, "y": {"1": {"b": 2.0}}}
    assert evaluate(both, qrels, "P@1").values[0].tolist() == [[1.0, 0.0]]
    with pytest.raises(CallError, match=r"has no column for the document .* its columns are qid, label"):
        read_qrels(frames.DataFrame({"qid": ["1"], "label": [1]}))
    with pytest.raises(CallError, match=r"The id of a topic of the qrels is 1\.0; ids are texts"):
        read_qrels(frames.DataFrame({"qid": [1.0], "docno": ["a"], "label": [1]}))
    with pytest.raises(TauscopeError, match="Document 'a' of topic '1' is in run 'run' twice"):
        read_run(frames.DataFrame({"qid": ["1", "1"], "docno": ["a", "a"], "score": [2.0, 1.0]}))


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ({"1": {"a": float("nan")}}, "The score of document 'a', topic '1', in run 'run' is nan, not a finite number."),
        ({"1": {}, "2": {"a": 1, "b": "2"}}, "The score of document 'b', topic '2', in run 'run' is '2'"),
        ({"1": {"a": None}}, "The score of document 'a', topic '1', in run 'run' is None"),
        ({}, "run 'run' has no topics."),
        ({"1": ["a"]}, "Topic '1' of run 'run' holds list; give {document: score}."),
        ({1: {"a": 1.0}, "1": {"a": 1.0}}, "run 'run' has a topic twice, as a number and as a text."),
        ({"1": {2.5: 1.0}}, "The id of a document of run 'run', topic '1', is 2.5; ids are texts."),
    ],
)
def test_a_bad_dictionary_is_refused_with_topic_and_document(source, message):
    with pytest.raises(TauscopeError, match=re.escape(message)):
        read_run(source)


def test_one_run_where_several_are_expected_asks_for_a_name():
    with pytest.raises(CallError, match=re.escape("Give it a name: {'bm25': run}.")):
        evaluate({"1": {"a": 1.0}}, {"1": {"a": 1}}, "AP")


def test_a_topic_without_documents_counts_as_searched():
    cube = evaluate({"s": {"1": {}, "2": {"a": 1.0}}}, {"1": {"a": 1}, "2": {"a": 1}}, "AP", missing="error")
    assert cube.values[0, :, 0].tolist() == [0.0, 1.0]


def test_names_that_cannot_be_columns_are_carried_and_refused_only_in_files(tmp_path):
    for documents in ({"two words": 1.0}, {"new\nline": 1.0}, {"": 1.0}):
        run = Run.from_dict({"1": documents}, "s")
        assert run.to_dict() == {"1": documents}
        with pytest.raises(TauscopeError, match="cannot be a column"):
            run.write(tmp_path / "run")
    with pytest.raises(TauscopeError, match="cannot be written as UTF-8"):
        Run.from_dict({"1": {"lone \ud800".replace(" ", "-"): 1.0}}, "s").write(tmp_path / "run")
    with pytest.raises(TauscopeError, match="The name 'my system' cannot be a column"):
        Run.from_dict({"1": {"a": 1.0}}, "my system").write(tmp_path / "run")


def test_runs_and_judgments_are_frozen_and_survive_pickling():
    import pickle

    for thing in (Run.from_dict(RUN, "s"), Qrels.from_dict(QRELS)):
        assert pickle.loads(pickle.dumps(thing)) == thing
        with pytest.raises(AttributeError):
            thing.topics = ()
        with pytest.raises(ValueError, match="read-only"):
            thing.starts[0] = 1


def test_a_sample_keeps_the_share_of_each_topic_and_at_least_one_relevant_document():
    grades = {f"t{t}": {f"d{i}": int(i == 7) * 2 for i in range(40 + t)} for t in range(20)}
    qrels = Qrels.from_dict({**grades, "none": {"a": 0, "b": 0, "c": -1}})
    sample = Qrels.read(qrels).sample(10, 3)
    assert sample == Qrels.read(qrels).sample(10, 3)
    assert sample != Qrels.read(qrels).sample(10, 4)
    assert sample.topics == qrels.topics
    assert sample.documents == qrels.documents
    for topic, judged in sample.to_dict().items():
        kept = [document for document, grade in judged.items() if grade >= 0]
        full = qrels.to_dict()[topic]
        assert all(judged[document] == full[document] for document in kept)
        assert len(kept) == max(1, round(0.1 * sum(grade >= 0 for grade in full.values())))
        assert (2 in judged.values()) == (topic != "none")
    assert np.array_equal(Qrels.read(qrels).sample(100, 3).grades, qrels.grades)
    with pytest.raises(CallError, match="percent=0: percent is a number above 0"):
        Qrels.read(qrels).sample(0, 1)
    with pytest.raises(CallError, match="more than 0 and at most 100"):
        Qrels.read(qrels).sample(101, 1)


def test_a_smaller_sample_is_part_of_a_larger_one_with_the_same_seed():
    qrels = Qrels.from_dict({"1": {f"d{i}": 1 for i in range(50)}})
    small, large = (set(np.flatnonzero(Qrels.read(qrels).sample(percent, 1).grades >= 0)) for percent in (20, 60))
    assert small < large


def test_a_shallower_pool_keeps_what_the_runs_had_above_that_depth():
    runs = {"a": {"1": {"x": 3.0, "y": 2.0, "z": 1.0}}, "b": {"1": {"v": 3.0, "x": 2.0}, "2": {"x": 1.0}}}
    qrels = {"1": {"x": 1, "y": 1, "z": 2, "v": 0, "w": 1}, "2": {"x": 0}, "3": {"x": 1}}
    assert Qrels.read(qrels).to_depth(runs, 1).to_dict() == {"1": {"x": 1, "v": 0}, "2": {"x": 0}, "3": {}}
    assert Qrels.read(qrels).to_depth(runs, 2).to_dict()["1"] == {"x": 1, "y": 1, "v": 0}
    cube = evaluate(runs, Qrels.read(qrels).to_depth(runs, 1), ["AP", "R@10"])
    assert cube.values[0].tolist() == [[1.0, 0.5], [0.0, 0.0], [0.0, 0.0]]
    with pytest.raises(CallError, match="depth=0: depth is a whole number of at least 1"):
        Qrels.read(qrels).to_depth(runs, 0)


def test_a_run_of_other_topics_is_an_error_and_not_a_row_of_zeros():
    with pytest.raises(
        TauscopeError, match=r"The run 'a' .* has none of the topics of .*: it has '9', they are '1', '2'\."
    ):
        evaluate({"a": {"9": {"x": 1.0}}}, {"1": {"x": 1}, "2": {"x": 0}}, "AP")


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"depth": 2.5}, "depth=2.5: depth is a whole number of at least 1."),
        ({"max_grade": 1}, "has the grade 2. Pass max_grade=2 or more."),
    ],
)
def test_an_odd_option_is_named(options, text):
    with pytest.raises(CallError, match=re.escape(text)):
        evaluate({"a": {"1": {"x": 1.0}}}, {"1": {"x": 2}}, "AP", **options)


@pytest.mark.parametrize("rng", [-1, True, 1.5, "1"])
def test_a_sample_of_judgments_wants_a_seed(rng):
    with pytest.raises(CallError, match="is not a seed"):
        Qrels.read({"1": {"x": 1}}).sample(50, rng)


def test_a_sample_without_a_seed_remembers_the_one_it_made_up():
    qrels = {"1": {f"d{i}": i % 2 for i in range(100)}}
    sample = Qrels.read(qrels).sample(50, None)
    seed = int(re.search(r"rng=(\d+)", sample.source)[1])
    assert Qrels.read(qrels).sample(50, seed) == sample


def test_two_judges_share_the_scale_of_err_in_the_shell(tmp_path, capsys):
    (tmp_path / "run.txt").write_text("1 Q0 x 1 2.0 a\n1 Q0 y 2 1.0 a\n", encoding="utf-8")
    for name, grade in (("human", 3), ("machine", 1)):
        (tmp_path / f"{name}.qrels").write_text(f"1 0 x {grade}\n1 0 y 0\n", encoding="utf-8")
    qrels = [option for name in ("human", "machine") for option in ("-q", str(tmp_path / f"{name}.qrels"))]
    assert (
        main(["evaluate", str(tmp_path / "run.txt"), *qrels, "-m", "ERR@20", "GMAP", "--names", "file", "--json"]) == 0
    )
    found = json.loads(capsys.readouterr().out)
    human, machine = found["answers"]
    tables = [one["answer"]["tables"][0] for one in (human, machine)]
    assert [column["key"] for column in tables[0]["columns"]] == ["run", "ERR@20", "GMAP"]
    assert [table["rows"] for table in tables] == [[["run", 7 / 8, 1.0]], [["run", 1 / 8, 1.0]]]
    assert machine["facts"]["notes"] == ["ERR: maximum grade 3"]


TREC_RUN, TREC_QRELS = "1 Q0 a 1 3.0 t\n1 Q0 b 2 2.0 t\n", "1 0 a 1\n1 0 b 0\n"


def test_the_content_says_what_a_file_is_and_not_its_name(written):
    assert read_qrels(written(TREC_QRELS, "qrels.json")).to_dict() == {"1": {"a": 1, "b": 0}}
    assert read_run(written(TREC_RUN, "run.json")).to_dict() == {"1": {"a": 3.0, "b": 2.0}}
    assert read_qrels(written(json.dumps({"1": {"a": 1}}), "qrels.txt")).to_dict() == {"1": {"a": 1}}
    assert read_run(written(json.dumps({"1": {"a": 1.5}}), "bm25.run")).to_dict() == {"1": {"a": 1.5}}
    packed = written(gzip.compress(TREC_QRELS.encode()), "qrels.json.gz")
    assert read_qrels(packed).to_dict() == {"1": {"a": 1, "b": 0}}
    with pytest.raises(FileError, match=r"qrels\.json:1: "):
        read_qrels(written("1 0 a\n", "qrels.json"))
    with pytest.raises(FileError, match=r"qrels\.txt: \{topic: \{document: grade\}\} is expected"):
        read_qrels(written('[{"query_id": "1", "doc_id": "a", "relevance": 1}]', "qrels.txt"))


def test_what_is_not_a_run_is_left_out_of_a_folder_and_told(tmp_path, written, capsys):
    folder = tmp_path / "runs"
    folder.mkdir()
    for name in ("x", "y"):
        (folder / f"{name}.run").write_text(TREC_RUN.replace(" t\n", f" {name}\n"))
    (folder / "plot.png").write_bytes(b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR")
    (folder / "README.md").write_text("# Runs\n\nThese are the 2 runs of 2024.\n")
    (folder / "qrels.txt").write_text(TREC_QRELS)
    qrels = written(TREC_QRELS, "judged.txt")
    assert [run.name for run in Runs.read(folder)] == ["x", "y"]
    found = evaluate(folder, qrels, ["AP"])
    assert found.systems == ("x", "y")
    told = "3 files left out, not runs: 'README.md', 'plot.png', 'qrels.txt'"
    assert any(told in note for note in found.notes)
    assert any(told in note for note in evaluate(Runs.read(folder), qrels, ["AP"]).notes)
    assert main(["evaluate", str(folder), "--qrels", qrels, "-m", "AP"]) == 0
    assert "3 files left out, not runs" in capsys.readouterr().out


def test_a_damaged_run_in_a_folder_is_an_error_and_not_left_out(tmp_path):
    (tmp_path / "x.run").write_text(TREC_RUN)
    damaged = tmp_path / "y.run"
    for text in ("1 a 1 3.0 y\n1 b 2 2.0 y\n", "1 Q0 a 1 three y\n1 Q0 b 2 2.0 y\n", ""):
        damaged.write_text(text)
        with pytest.raises(FileError, match=r"y\.run"):
            Runs.read(tmp_path)
    damaged.unlink()
    (tmp_path / "x.run").write_bytes(b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR")
    with pytest.raises(FileError, match=r"x\.run"):
        Runs.read(tmp_path)
