"""What fuzzing found, each by name: a call that once ended in a raw error, in hours, or in no value where there is
one."""

import json
import time

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tauscope import Qrels, Scores, evaluate, tau_a, tau_ap_e, tau_b
from tauscope.coefficients.choose import identify
from tauscope.coefficients.correlate import correlate_batch
from tauscope.errors import CallError, FileError
from tauscope.evaluation.runs import read_run


def test_heaviest_takes_whole_numbers():
    table = tau_b([1, 2, 3], [3, 2, 1]).pairs
    with pytest.raises(CallError, match=r"k=1\.5"):
        table.heaviest(1.5)


@pytest.mark.parametrize("digits", [-400, 1.5, "x", True])
def test_identify_takes_whole_digits(digits):
    with pytest.raises(CallError, match="digits"):
        identify([1, 2, 3], truth=[3, 2, 1], value=0.5, digits=digits)


def test_a_series_is_no_qrels():
    with pytest.raises(CallError, match="Series"):
        evaluate({"run": {"q1": {"d1": 1.0}}}, pd.Series({"d1": 1}), ["AP"])
    with pytest.raises(CallError, match="Series"):
        Qrels.read(pd.Series({"d1": 1}))


def test_half_a_character_in_a_run_is_read_or_refused_by_name():
    """A lone surrogate has no UTF-8."""
    found = evaluate({"run": {"q1": {"d\ud800": 2.0, "d1": 1.0}}}, {"q1": {"d1": 1}}, ["AP"])
    assert found.values.item() == pytest.approx(0.5)
    assert read_run({"q\udfff": {"d": 1.0}}, "a\ud800") is not None


def test_a_column_and_an_index_of_one_name_are_one_where_they_are_the_same_and_an_error_where_not():
    frame = pd.DataFrame({"topic": ["a", "b"], "s1": [1.0, 2.0], "s2": [2.0, 1.0]}).set_index("topic", drop=False)
    assert Scores.read(frame).topics == ("a", "b")
    with pytest.raises(FileError, match="topic"):
        Scores.read(frame.set_axis(pd.Index(["x", "y"], name="topic")))
    assert Scores.read(frame.reset_index(drop=True)).topics == ("a", "b")


@pytest.mark.parametrize("beside", [{"notes": 5}, {"notes": None}, {"notes": "abc"}, {"notes": [1, None]}, [], 3])
def test_metadata_of_strangers_are_no_notes(tmp_path, beside):
    table = pa.table({"topic": ["a", "b"], "s1": [1.0, 2.0], "s2": [2.0, 1.0]})
    plain, path = tmp_path / "plain.parquet", tmp_path / "strange.parquet"
    pq.write_table(table, plain)
    pq.write_table(table.replace_schema_metadata({b"tauscope": json.dumps(beside).encode()}), path)
    assert len(Scores.read(path).notes) == len(Scores.read(plain).notes) == 1
    assert (Scores.read(path).measure, Scores.read(path).collection) == ("", "")


def bomb(path, rows, text):
    """Many rows that are all alike: a few kilobytes."""
    same = np.zeros(rows, np.int32)
    columns = {
        name: pa.DictionaryArray.from_arrays(pa.array(same), pa.array([value]))
        for name, value in {"topic": text, "system": text, "score": 0.5}.items()
    }
    pq.write_table(pa.table(columns), path, compression="zstd")


def test_a_parquet_file_that_unpacks_to_gigabytes_is_refused_before_it_does(tmp_path):
    path = tmp_path / "bomb.parquet"
    bomb(path, 2_000_000, "t" * 1000)
    assert path.stat().st_size < 1_000_000
    started = time.process_time()
    with pytest.raises(FileError, match=r"2,000,000 rows x 3 columns \(3,815 MiB\) are too many"):
        Scores.read(path)
    assert time.process_time() - started < 5


def test_rows_that_must_name_a_cell_twice_are_refused_without_reading_them_all(tmp_path):
    path = tmp_path / "alike.parquet"
    bomb(path, 10_000_000, "t")
    assert path.stat().st_size < 200_000
    started = time.process_time()
    with pytest.raises(FileError, match="row 2: system 't' on topic 't' has a score already, on row 1"):
        Scores.read(path)
    assert time.process_time() - started < 5


def test_more_rows_than_can_be_named_are_refused_at_once(tmp_path):
    path = tmp_path / "rows.parquet"
    pq.write_table(pa.table({"s1": pa.array(np.zeros(26_000_000, np.int8))}), path)
    with pytest.raises(FileError, match="at most 25,000,000 rows"):
        Scores.read(path)


@pytest.mark.parametrize("width", [1e300, 4e307, 1e308, 1.7e308])
def test_top_k_has_a_value_however_wide_the_tolerance(width):
    estimate, truth = np.array([4.0, 3, 2, 1, 5]), np.array([1.0, 3, 4, 2, 0])
    for coefficient in (tau_a, tau_ap_e):
        wide = coefficient(estimate, truth=truth, tied_within=width, top_k=2)
        assert wide.value == coefficient(estimate, truth=truth, tied_within=100, top_k=2).value
    batch = correlate_batch(estimate[None], coefficient="tau_a", truth=truth, tied_within=width, top_k=2)
    assert batch.values[0] == tau_a(estimate, truth=truth, tied_within=100, top_k=2).value
    low = [-1e308, -1.1e308, -1.2e308, -1.5e308]
    assert not np.isnan(tau_b(low, [1, 3, 4, 2], tied_within=width, top_k=2).value)
