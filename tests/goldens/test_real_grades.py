"""Judgments whose grades are real numbers: what is relevant, what is a gain, what is the top of the scale."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import pytest
import pytrec_eval

from tauscope import Qrels, demo, evaluate
from tauscope.cli import main
from tauscope.errors import CallError, TauscopeError
from tauscope.evaluation.runs import read_run

RUN = {"bm25": {"1": {"a": 4.0, "b": 3.0, "c": 2.0, "d": 1.0}}}
UNIT = {"1": {"a": 0.25, "b": 0.75, "c": 0.0, "d": 0.5}}


def value(measure: str, qrels: object = UNIT, **options: object) -> float:
    return float(evaluate(RUN, qrels, measure, **options).values[0, 0, 0])


def test_real_grades_are_read_written_and_told(tmp_path: Path) -> None:
    path = tmp_path / "qrels"
    path.write_text("# nuggets\n1 0 a 0.25\n1 0 b .75\n1 0 c 0\n1 0 d 5e-1\n")
    qrels = Qrels.read(path)
    assert qrels.to_dict() == UNIT
    assert qrels.real
    assert (qrels.highest, qrels.top, qrels.threshold) == (0.75, 1, 0.5)
    assert repr(qrels) == "Qrels: 1 topic, 4 documents (4 judged, 2 relevant (from 0.5 up), highest grade 0.75)"
    qrels.write(tmp_path / "again")
    assert Qrels.read(tmp_path / "again") == qrels


def test_grades_that_are_whole_are_whole_however_they_are_written(tmp_path: Path) -> None:
    path = tmp_path / "qrels"
    path.write_text("1 0 a 2.0\n1 0 b 1e0\n1 0 c -1.0\n")
    qrels = Qrels.read(path)
    assert qrels.grades.dtype == np.int32
    assert qrels.to_dict() == {"1": {"a": 2, "b": 1, "c": -1}}
    assert Qrels.read({"1": {"a": 2.0}}).grades.dtype == np.int32


def test_real_grades_that_are_whole_agree_with_trec_eval(tmp_path: Path) -> None:
    made = demo(rng=3, depth=40)
    path = tmp_path / "qrels"
    path.write_text("".join(line.rstrip("\n") + ".0\n" for line in made.qrels.lines()))
    run = made.runs[0]
    theirs = pytrec_eval.RelevanceEvaluator(made.qrels.to_dict(), {"map", "ndcg_cut_20", "P_10", "bpref", "infAP"})
    expected = theirs.evaluate(run.to_dict())
    cube = evaluate([run], path, ["AP", "nDCG@20", "P@10", "Bpref", "infAP"])
    names = ("map", "ndcg_cut_20", "P_10", "bpref", "infAP")
    for row, name in enumerate(names):
        got = dict(zip(cube.topics, cube.values[row, :, 0], strict=True))
        assert got == pytest.approx({topic: found[name] for topic, found in expected.items()}, abs=1e-12)


def test_a_grade_of_half_or_more_is_relevant_on_a_scale_from_0_to_1() -> None:
    assert value("P@4") == 0.5
    assert value("AP") == pytest.approx((1 / 2 + 2 / 4) / 2)
    assert value("AP(rel=0.25)") == pytest.approx((1 + 1 + 3 / 4) / 3)
    assert value("AP", rel=0.75) == 0.5
    assert value("NumRel", rel=0) == 4
    notes = evaluate(RUN, UNIT, ["AP", "nDCG", "P(rel=0.7)@2"]).notes
    assert "grades are real numbers; relevant is a grade of 0.5 or more: AP" in notes


def test_beyond_1_a_grade_of_1_is_relevant_as_ever() -> None:
    grades = {"1": {"a": 0.5, "b": 2.5, "c": 1.0}}
    assert value("P@4", grades) == 0.5
    notes = evaluate(RUN, grades, "P@4").notes
    assert "grades are real numbers; relevant is a grade of 1 or more: P@4" in notes
    assert value("P@4", {"1": {"a": 1, "b": 2}}, rel=2) == 0.25


def test_gains_are_the_grades_themselves() -> None:
    ideal = 0.75 + 0.5 / math.log2(3) + 0.25 / 2
    assert value("nDCG") == pytest.approx((0.25 + 0.75 / math.log2(3) + 0.5 / math.log2(5)) / ideal)
    gains = {grade: 2**grade - 1 for grade in (0.25, 0.5, 0.75)}
    ideal = gains[0.75] + gains[0.5] / math.log2(3) + gains[0.25] / 2
    found = gains[0.25] + gains[0.75] / math.log2(3) + gains[0.5] / math.log2(5)
    assert value("nDCG(dcg='exp-log2')") == pytest.approx(found / ideal)


def test_the_top_of_a_real_scale_is_the_next_whole_number() -> None:
    stops = [(2**grade - 1) / 2 for grade in (0.25, 0.75, 0.0, 0.5)]
    expected, goes_on = 0.0, 1.0
    for rank, stop in enumerate(stops, 1):
        expected += goes_on * stop / rank
        goes_on *= 1 - stop
    assert value("ERR") == pytest.approx(expected)
    assert "ERR: maximum grade 1" in evaluate(RUN, UNIT, "ERR").notes
    assert value("RBP(p=0.5,gain='linear')") == pytest.approx(0.5 * (0.25 + 0.75 / 2 + 0.5 / 8))
    assert value("ERR(max=0.75)") > value("ERR") > value("ERR", max_grade=2)
    with pytest.raises(CallError, match=r"has the grade 0\.75"):
        evaluate(RUN, UNIT, "ERR", max_grade=0.5)
    with pytest.raises(CallError, match=r"the qrels have the grade 0\.75, above the maximum 0\.5"):
        evaluate(RUN, UNIT, "ERR(max=0.5)")


def test_negative_grades_are_no_judgments_real_or_not() -> None:
    assert value("Bpref", {"1": {"a": -2, "b": 1, "c": 0}}) == value("Bpref", {"1": {"a": -0.5, "b": 1.0, "c": 0.0}})


def test_what_needs_whole_grades_says_so() -> None:
    with pytest.raises(TauscopeError, match="ir_measures, which computes Success@2, needs whole grades"):
        evaluate(RUN, UNIT, "Success@2")
    with pytest.raises(CallError, match="rel=-1: grades below 0 are no judgments"):
        evaluate(RUN, UNIT, "AP", rel=-1)


def test_two_judges_one_of_them_real_are_compared_on_relevance() -> None:
    people = {"1": {"a": 0, "b": 2, "c": 0, "d": 1}}
    found = Qrels.read(people).compare(UNIT)
    assert found.rel == (1, 0.5)
    assert found.relevance_kappa == 1
    assert math.isnan(found.kappa)
    assert found.undefined_because == "grades are real numbers"
    assert "relevant from grade 1 (first) and 0.5 (second) up" in found.methods_sentence()
    assert Qrels.read(people).compare(UNIT, rel=(1, 0.75)).relevance_kappa == pytest.approx(0.5)
    with pytest.raises(CallError, match="give one grade, or two"):
        Qrels.read(people).compare(UNIT, rel=(1, 2, 3))


def test_the_shell_evaluates_with_real_grades_and_takes_a_threshold(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "run").write_text("".join(f"1 Q0 {d} {i} {9 - i} bm25\n" for i, d in enumerate("abcd")))
    (tmp_path / "qrels").write_text("1 0 a 0.25\n1 0 b 0.75\n1 0 c 0\n1 0 d 0.5\n")
    words = ["evaluate", str(tmp_path / "run"), "--qrels", str(tmp_path / "qrels"), "-m", "P@4"]
    assert main(words) == 0
    assert "relevant is a grade of 0.5 or more" in " ".join(capsys.readouterr().out.split())
    assert main([*words, "--rel", "0.75", "--csv"]) == 0
    assert "0.25" in capsys.readouterr().out


def test_samples_of_real_grades_stay_real() -> None:
    sampled = Qrels.read(UNIT).sample(50, rel=0.5)
    assert set(sampled.grades.tolist()) <= {-1.0, 0.25, 0.75, 0.0, 0.5}


def test_files_of_ranx_are_runs_and_judgments(tmp_path: Path) -> None:
    pa = pytest.importorskip("pyarrow")
    import pyarrow.parquet as parquet

    run = {"q1": {"a": 2.0, "b": 1.5}, "q2": {"c": 1.0}}
    text = json.dumps(run).encode()
    (tmp_path / "r.json").write_bytes(text)
    (tmp_path / "r.lz4").write_bytes(pa.compress(text, codec="lz4", asbytes=True))
    rows = [(topic, document, score) for topic, found in run.items() for document, score in found.items()]
    table = pa.table(dict(zip(("q_id", "doc_id", "score"), zip(*rows, strict=True), strict=True)))
    parquet.write_table(table, tmp_path / "r.parquet")
    for name in ("r.json", "r.lz4", "r.parquet"):
        found = read_run(tmp_path / name)
        assert (found.name, found.to_dict()) == ("r", run)
        assert Qrels.read(tmp_path / name).to_dict() == run
    assert read_run(table.to_pandas(), "x").to_dict() == run
    (tmp_path / "bad.lz4").write_bytes(pa.compress(text * 99, codec="lz4", asbytes=True)[:40])
    with pytest.raises(TauscopeError, match=r"bad\.lz4"):
        read_run(tmp_path / "bad.lz4")
    (tmp_path / "list.json").write_text("[1]")
    with pytest.raises(TauscopeError, match=r"\{topic: \{document: score\}\} is expected"):
        read_run(tmp_path / "list.json")
