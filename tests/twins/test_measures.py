"""Measures against pytrec_eval, cwl-eval, ir_measures and definitions by hand."""

from __future__ import annotations

import math
from importlib.util import find_spec

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tauscope.core import kernels
from tauscope.data.names import FAMILIES, GUPTA2019, MeasureName
from tauscope.errors import CallError
from tauscope.evaluation import labels, measures
from tauscope.evaluation.evaluate import evaluate, gmap
from tauscope.evaluation.runs import Run

pytrec_eval = pytest.importorskip("pytrec_eval")

DOCUMENTS = [f"d{i}" for i in range(24)] + ["D-1", "FBIS3-00001", "FBIS3-0000", "é", "日本", "clueweb09-en0000-00"]
#: Multiples of a quarter tie often; a part of them is moved by less than 32 bits can hold, and ties for trec_eval too.
SCORES = st.tuples(st.integers(-20, 20), st.sampled_from([0.0, 0.0, 1e-9, -1e-9])).map(lambda n: n[0] / 4 + n[1])
#: Ours, then trec_eval's.
NAMES = {
    "AP": "map",
    "AP@3": "map_cut_3",
    "AP@100": "map_cut_100",
    "nDCG": "ndcg",
    "nDCG@2": "ndcg_cut_2",
    "nDCG@20": "ndcg_cut_20",
    "P@1": "P_1",
    "P@10": "P_10",
    "R@5": "recall_5",
    "R@100": "recall_100",
    "RR": "recip_rank",
    "Rprec": "Rprec",
    "Bpref": "bpref",
    "infAP": "infAP",
    "R": "set_recall",
}
ASKED = {
    "map",
    "map_cut.3,100",
    "ndcg",
    "ndcg_cut.2,20",
    "P.1,10",
    "recall.5,100",
    "recip_rank",
    "Rprec",
    "bpref",
    "infAP",
    "gm_map",
    "set_recall",
}


def _lists(values: st.SearchStrategy[float] | st.SearchStrategy[int], largest: int) -> st.SearchStrategy[dict]:
    return st.dictionaries(st.sampled_from(DOCUMENTS), values, min_size=1, max_size=largest)


@st.composite
def collections(draw: st.DrawFn, lowest: int = -2, ties: bool = True) -> tuple[dict, dict]:
    """(run, qrels): some topics only in one of them, grades from `lowest` to 4."""
    topics = draw(st.lists(st.sampled_from([*map(str, range(1, 8))]), min_size=1, max_size=6, unique=True))
    qrels = {topic: draw(_lists(st.integers(lowest, 4), 24)) for topic in topics}
    for grades in qrels.values():  # trec_eval reads memory that is not its own where nothing of a topic was judged
        grades[draw(st.sampled_from(DOCUMENTS))] = draw(st.integers(0, 4))
    run = {topic: draw(_lists(SCORES, 30)) for topic in ["99", *reversed(topics)] if draw(st.integers(0, 4))}
    if not set(run) & set(topics):  # a run of other topics is an error, not a zero
        run[topics[0]] = draw(_lists(SCORES, 30))
    if not ties:
        orders = {topic: draw(st.permutations(list(documents))) for topic, documents in run.items()}
        run = {topic: {document: n / 8 for n, document in enumerate(order)} for topic, order in orders.items()}
    return run, qrels


def _trec_eval(run: dict, qrels: dict, rel: int = 1) -> dict[str, dict[str, float]]:
    return pytrec_eval.RelevanceEvaluator(qrels, ASKED, relevance_level=rel).evaluate(run)


def _check(run: dict, qrels: dict, rel: int = 1) -> None:
    labels = {_with_rel(ours, rel): theirs for ours, theirs in NAMES.items()}
    cube = evaluate({"it": run}, qrels, list(labels))
    expected = _trec_eval(run, qrels, rel)
    for label, theirs in labels.items():
        for topic, value in zip(cube.topics, cube[label].values[:, 0], strict=True):
            assert value == pytest.approx(expected.get(topic, {}).get(theirs, 0.0), rel=0, abs=1e-12), (label, topic)


def _with_rel(label: str, rel: int) -> str:
    if rel == 1 or label.startswith("nDCG"):
        return label
    family, at, cutoff = label.partition("@")
    return f"{family}(rel={rel}){at}{cutoff}"


@settings(max_examples=300, deadline=None)
@given(collections())
def test_every_measure_of_trec_eval_agrees_topic_by_topic_with_ties_and_missing_topics(pair):
    _check(*pair)


def test_scores_that_differ_in_64_bits_and_tie_in_32_are_in_the_order_of_trec_eval():
    rng = np.random.default_rng(3)
    qrels = {str(t): {d: int(rng.integers(0, 3)) for d in DOCUMENTS} for t in range(20)}
    run = {t: {d: 30.5 + 1e-7 * float(rng.integers(0, 40)) for d in DOCUMENTS} for t in qrels}
    _check(run, qrels)
    assert len({float(np.float32(score)) for score in run["0"].values()}) < len(set(run["0"].values()))
    exact, default = (evaluate({"it": run}, qrels, ["nDCG@10"], ties=ties).values for ties in ("exact", "trec_eval"))
    assert np.abs(exact - default).max() > 0.01
    ranked = Run.from_dict(run).ranked("0", "exact")
    assert ranked == sorted(run["0"], key=lambda d: (run["0"][d], d.encode()), reverse=True)


def test_scores_beyond_32_bits_are_ordered_as_trec_eval_orders_them():
    qrels = {"1": {"a": 0, "b": 1, "c": 2}}
    _check({"1": {"a": 1e39, "b": 1e300, "c": 5.0}}, qrels)
    _check({"1": {"a": 1e-46, "b": 0.0, "c": -1e-50}}, qrels)


@settings(max_examples=100, deadline=None)
@given(collections(), st.integers(2, 4))
def test_a_higher_level_of_relevance_agrees_with_trec_eval(pair, rel):
    _check(*pair, rel)


@pytest.mark.both
@settings(max_examples=60, deadline=None)
@given(collections())
def test_plain_python_gives_the_same_measures_as_the_compiled_kernels(pair):
    if kernels.compiled is None:
        pytest.skip("there are no compiled kernels to compare with")
    run, qrels = pair
    labels = [*NAMES, "ERR@20", "RBP(p=0.8)"]
    for ties in ("trec_eval", "exact", "input"):
        native = evaluate({"it": run}, qrels, labels, ties=ties)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(kernels, "compiled", None)
            plain = evaluate({"it": run}, qrels, labels, ties=ties)
        assert np.array_equal(native.values, plain.values)
        assert native.notes == plain.notes


@settings(max_examples=100, deadline=None)
@given(collections(), st.sampled_from([None, 1, 3]))
def test_gmap_is_gm_map_of_trec_eval(pair, cutoff):
    run, qrels = pair
    label = "GMAP" if cutoff is None else f"GMAP@{cutoff}"
    ours = evaluate({"it": run}, qrels, [label, "P@10"], by="system")
    logs = [_trec_eval(run, qrels).get(topic, {}).get("gm_map", math.log(1e-5)) for topic in qrels]
    if cutoff is None:
        assert ours[label][0] == pytest.approx(math.exp(sum(logs) / len(logs)), abs=1e-12)
    average = evaluate({"it": run}, qrels, [label.replace("GMAP", "AP")])
    assert ours[label][0] == gmap(average[average.measures[0]])[0]


@settings(max_examples=150, deadline=None)
@given(collections(lowest=0), st.sampled_from([0.5, 0.8, 0.95]), st.sampled_from([1, 2]), st.booleans())
def test_rbp_is_that_of_cwl_eval_with_binary_and_with_graded_gains(pair, p, rel, graded):
    cwl = pytest.importorskip("cwl.ruler.ranking")
    from cwl.ruler.measures.cwl_rbp import RBPCWLMetric

    run, qrels = pair
    label = f"RBP(p={p},gain='linear',max=4)" if graded else f"RBP(p={p},rel={rel})"
    cube = evaluate({"it": run}, qrels, label)
    for topic, value in zip(cube.topics, cube.values[0, :, 0], strict=True):
        grades = [qrels[topic].get(document, 0) for document in _ranked(run.get(topic, {}))]
        gains = [grade / 4 if graded else float(grade >= rel) for grade in grades]
        ranking = cwl.Ranking(topic, np.array(gains + [0.0] * (1000 - len(gains))), np.ones(1000))
        assert value == pytest.approx(RBPCWLMetric(p).measure(ranking), rel=0, abs=1e-12)


def test_a_topic_of_which_nothing_was_judged_scores_0_by_every_measure():
    cube = evaluate({"s": {"1": {"a": 2.0, "b": 1.0}}}, {"1": {"a": -1, "b": -2}}, [*NAMES, "ERR@20", "RBP(p=0.8)"])
    assert not cube.values.any()


def test_err_of_three_documents_by_hand():
    # r = 15/16, 0, 3/16 for grades 4, 0, 2 with maximum 4: 15/16 + 1/3 * 3/16 * (1 - 15/16) = 0.94140625
    run = {"a": {"q1": {"x": 3.0, "y": 2.0, "z": 1.0}}}
    qrels = {"q1": {"x": 4, "y": 0, "z": 2}}
    assert evaluate(run, qrels, "ERR@20").values.tolist() == [[[0.94140625]]]
    assert evaluate(run, qrels, "ERR@2").values.tolist() == [[[0.9375]]]
    assert evaluate(run, qrels, "ERR(max=5)@1").values.tolist() == [[[15 / 32]]]


@settings(max_examples=100, deadline=None)
@given(collections())
def test_err_and_exponential_ndcg_agree_with_their_definitions_written_as_loops(pair):
    run, qrels = pair
    cube = evaluate({"it": run}, qrels, ["ERR(max=4)@20", "ERR(max=4)", "nDCG(dcg='exp-log2')@7"])
    for row, topic in enumerate(cube.topics):
        grades = [max(0, qrels[topic].get(document, 0)) for document in _ranked(run.get(topic, {}))]
        assert cube.values[0, row, 0] == pytest.approx(_err(grades[:20]), abs=1e-14)
        assert cube.values[1, row, 0] == pytest.approx(_err(grades), abs=1e-14)
        ideal = _dcg(sorted((max(0, g) for g in qrels[topic].values()), reverse=True)[:7])
        assert cube.values[2, row, 0] == pytest.approx(_dcg(grades[:7]) / ideal if ideal else 0.0, abs=1e-14)


def _ranked(scores: dict[str, float]) -> list[str]:
    return sorted(scores, key=lambda document: (np.float32(scores[document]), document.encode()), reverse=True)


def _err(grades: list[int]) -> float:
    value, reached = 0.0, 1.0
    for rank, grade in enumerate(grades, 1):
        stop = (2**grade - 1) / 16
        value += reached * stop / rank
        reached *= 1 - stop
    return value


def _dcg(grades: list[int]) -> float:
    return sum((2**grade - 1) / math.log2(rank + 1) for rank, grade in enumerate(grades, 1))


@settings(max_examples=12, deadline=None)
@given(collections(lowest=0, ties=False))
def test_err_is_that_of_ir_measures_to_its_five_decimals(pair):
    ir_measures = pytest.importorskip("ir_measures")
    run, qrels = pair
    measure = ir_measures.parse_measure("ERR@20")
    try:
        theirs = {m.query_id: m.value for m in ir_measures.iter_calc([measure], qrels, run)}
    except ValueError:
        pytest.skip("ir_measures computes ERR with perl, which is not installed")
    cube = evaluate({"it": run}, qrels, "ERR(max=4)@20")
    for topic, value in zip(cube.topics, cube.values[0, :, 0], strict=True):
        # gdeval leaves topics without relevant documents out, and ir_measures then has 0.
        assert value == pytest.approx(theirs.get(topic, 0.0), abs=6e-6)


def test_depth_cuts_the_runs_and_keeps_the_judgments():
    run = {"a": {"1": {"w": 4.0, "x": 3.0, "y": 2.0, "z": 1.0}}}
    qrels = {"1": {"w": 1, "x": 0, "y": 2, "z": 1}}
    cut = evaluate(run, qrels, ["AP", "nDCG", "P@4", "R", "Bpref"], depth=2)
    ideal = 2 + 1 / math.log2(3) + 1 / 2
    assert cut.values[:, 0, 0].tolist() == pytest.approx([1 / 3, 1 / ideal, 0.25, 1 / 3, 1 / 3])
    assert "runs cut at depth 2, judgments kept" in cut.notes
    labelled = evaluate(run, qrels, ["AP(depth=2)", "nDCG(depth=2)", "P(depth=2)@4", "R(depth=2)", "Bpref(depth=2)"])
    assert np.array_equal(labelled.values, cut.values)


def test_scores_are_compared_in_32_bits_or_exactly_and_equal_ones_by_document_id():
    close = {"1": {"a": 1.0 + 1e-12, "b": 1.0}}
    qrels = {"1": {"a": 1, "b": 0}}
    assert evaluate({"s": close}, qrels, "P@1").values.item() == 0.0
    assert evaluate({"s": close}, qrels, "P@1", ties="exact").values.item() == 1.0
    assert evaluate({"s": {"1": {"a": 1.0, "b": 1.0}}}, qrels, "P@1").values.item() == 0.0
    assert evaluate({"s": {"1": {"a": 1.0, "b": 1.0}}}, qrels, "P@1", ties="input").values.item() == 1.0


def test_gupta2019_is_its_23_measures():
    cube = evaluate({"s": {"1": {"a": 1.0}}}, {"1": {"a": 1}}, "gupta2019")
    assert cube.measures == GUPTA2019
    assert len(cube.measures) == 23
    assert evaluate({"s": {"1": {"a": 1.0}}}, {"1": {"a": 1}}, "gupta2019", by="system").measures == GUPTA2019


def test_topics_that_are_missing_or_too_many_or_without_relevant_documents_are_reported():
    runs = {"full": {"1": {"a": 1.0}, "2": {"a": 1.0}, "9": {"a": 1.0}}, "half": {"1": {"a": 1.0}}}
    qrels = {"1": {"a": 1}, "2": {"a": 1}, "3": {"a": 0}}
    cube = evaluate(runs, qrels, ["AP"])
    assert cube.values[0].tolist() == [[1.0, 1.0], [1.0, 0.0], [0.0, 0.0]]
    assert cube.notes == (
        "1 topic without a relevant document: '3'",
        "3 topics missing in 2 runs scored 0: full '3'; half '2', '3'",
        "1 topic of the runs without judgments left out: '9'",
    )
    assert evaluate(runs, qrels, ["AP"], missing="drop-topics").topics == ("1",)
    assert np.isnan(evaluate(runs, qrels, ["AP"], missing="keep").values[0, 1, 1])
    with pytest.raises(ValueError, match="system 'half' on topic '2'"):
        evaluate({"half": runs["half"]}, qrels, ["AP"], missing="error")


def test_the_maximum_grade_of_err_is_reported_and_may_not_be_exceeded():
    run, qrels = {"s": {"1": {"a": 1.0}}}, {"1": {"a": 3}}
    assert evaluate(run, qrels, "ERR@20").notes == ("ERR: maximum grade 3",)
    assert evaluate(run, qrels, "ERR(max=4)@20").notes == ()
    with pytest.raises(CallError, match=r"ERR\(max=2\)@20: the qrels have the grade 3, above the maximum 2"):
        evaluate(run, qrels, "ERR(max=2)@20")


def test_err_of_many_topics_is_computed_in_blocks_with_the_same_values(monkeypatch):
    rng = np.random.default_rng(3)
    qrels = {str(t): {str(d): int(rng.integers(0, 4)) for d in range(30)} for t in range(40)}
    run = {t: {d: float(rng.integers(9)) for d in documents} for t, documents in qrels.items()}
    whole = evaluate({"s": run}, qrels, "ERR")
    monkeypatch.setattr(measures, "BLOCK", 100)
    assert np.array_equal(evaluate({"s": run}, qrels, "ERR").values, whole.values)


def test_grades_too_high_for_an_exponential_gain_are_refused():
    run, qrels = {"s": {"1": {"a": 1.0}}}, {"1": {"a": 2000}}
    for label in ("ERR@20", "nDCG(dcg='exp-log2')", "RBP(p=0.8,gain='exp')"):
        with pytest.raises(CallError, match="the grade 2000 is too high"):
            evaluate(run, qrels, label)
    assert evaluate(run, qrels, ["nDCG", "RBP(p=0.5,gain='linear')"]).values.ravel().tolist() == [1.0, 0.5]


@pytest.mark.parametrize(
    ("label", "message"),
    [
        ("GMAP", "GMAP is one number per system"),
        ("P", "P needs a cut-off"),
        ("AP(rel=-1.5)", "rel=-1.5: rel is a number above 0"),
        ("AP(rel=-1)", "rel=-1: rel is a whole number"),
        ("nDCG(dcg='x')", "dcg='x' is unknown"),
        ("RBP(p=0.8,gain='x')", "gain='x' is unknown"),
        ([], "No measure is asked for"),
    ],
)
def test_labels_that_make_no_sense_are_refused_with_the_reason(label, message):
    with pytest.raises(CallError, match=message):
        evaluate({"s": {"1": {"a": 1.0}}}, {"1": {"a": 1}}, label)


def test_measures_that_are_not_ours_come_from_ir_measures_with_our_order_of_ties():
    pytest.importorskip("ir_measures")
    runs = {"s": {"1": {"a": 1.0, "b": 1.0}, "2": {"c": 1.0}}}
    qrels = {"1": {"a": 1, "b": 0}, "2": {"c": 1}, "3": {"d": 1}}
    cube = evaluate(runs, qrels, ["Success@1", "P@1", "P(judged_only=True)@1"])
    assert cube["Success@1"].values[:, 0].tolist() == [0.0, 1.0, 0.0]
    assert cube["Success@1"].values.tolist() == cube["P@1"].values.tolist()
    assert "by ir_measures: Success@1, P(judged_only=True)@1" in cube.notes
    kept = evaluate(runs, qrels, ["Success@1"], ties="input")
    assert kept.values[0, :, 0].tolist() == [1.0, 1.0, 0.0]
    with pytest.raises(CallError, match="neither one of our measures nor one of ir_measures"):
        evaluate(runs, qrels, "no such thing")


def _compatibility(run: list[str], grades: dict[str, int], p: float) -> float:
    """Overlap with the ideal ranking nearest to the run, as clarke2021 has it, divided by the best possible."""
    place = {document: i for i, document in enumerate(run)}
    relevant = [document for document, grade in grades.items() if grade > 0]
    ideal = sorted(relevant, key=lambda document: (-grades[document], place.get(document, len(run))))
    depth = max(len(run), len(ideal))

    def overlap(first: list[str]) -> float:
        return sum(p**i * len({*first[: i + 1]} & {*ideal[: i + 1]}) / (i + 1) for i in range(depth))

    return overlap(run) / overlap(ideal)


def test_compat_puts_ideal_documents_that_the_run_lacks_last():
    pytest.importorskip("ir_measures")
    run = ["a", "x", "b", "y", "c"]
    grades = {"lacking": 1, "other": 1, "c": 1, "b": 1, "a": 2, "x": 0}
    scores = {document: -float(i) for i, document in enumerate(run)}
    value = evaluate({"s": {"1": scores}}, {"1": grades}, "Compat(p=0.8)").values[0, 0, 0]
    assert value == pytest.approx(_compatibility(run, grades, 0.8), abs=1e-12)


def test_counts_of_relevant_documents_are_ours_and_do_not_need_the_run():
    runs = {"s": {"1": {"a": 3.0, "b": 2.0, "c": 1.0}}}
    qrels = {"1": {"a": 1, "c": 2, "d": 1}, "2": {"x": 1, "y": 2}}
    cube = evaluate(runs, qrels, ["NumRel", "NumRel(rel=2)", "NumRelRet", "NumRelRet@2", "NumRelRet(rel=2)"])
    assert cube.values[:, :, 0].tolist() == [[3, 2], [1, 1], [2, 0], [1, 0], [1, 0]]


@pytest.mark.parametrize("label", ["hits@2", "Hits@2"])
def test_hits_are_a_count_or_a_share_and_each_way_out_says_which(label):
    pytest.importorskip("ir_measures")
    runs, qrels = {"s": {"1": {"a": 3.0, "b": 2.0}}}, {"1": {"a": 1, "b": 1}}
    with pytest.raises(CallError, match="how many relevant documents there are, or whether there is one") as error:
        evaluate(runs, qrels, [label])
    values = [evaluate(runs, qrels, [way.values[0]]).values[0, 0, 0] for way in error.value.ways_out]
    assert values == [2.0, 1.0]


def test_measures_of_ir_measures_are_no_slips_however_near_their_names_are():
    ir_measures = pytest.importorskip("ir_measures")
    ours = {str(MeasureName.parse(name).family) for name in ir_measures.measures.registry}
    assert ours - set(FAMILIES) == set(labels.NAMES)
    runs = {"s": {"1": {"a": 3.0, "b": 2.0, "c": 1.0}}}
    qrels = {"1": {"a": 0, "b": 1, "c": 1}}
    asked = ["IPrec@0.5", "IPrec@1", "SetF(beta=2)", "SetF(beta=2.0)"]
    cube = evaluate(runs, qrels, asked)
    assert cube.measures == ("IPrec@0.5", "IPrec@1", "SetF(beta=2.0)")
    # trec_eval's F does not square beta: (1 + beta) * P * R / (R + beta * P).
    assert cube.values[:, 0, 0].tolist() == pytest.approx([2 / 3, 2 / 3, 3 * 2 / 3 / (1 + 2 * 2 / 3)])
    with pytest.raises(CallError, match="Did you mean 'nDCG'"):
        evaluate(runs, qrels, "nDGC@10")


def test_a_parameter_that_ir_measures_needs_is_named_with_a_label_that_works():
    run, qrels = {"r": {"1": {"a": 3.0, "b": 2.0}}}, {"1": {"a": 2, "b": 0}}
    with pytest.raises(CallError, match=r"max_rel must be said, as in NERR8\(max_rel=2\)@5") as error:
        evaluate(run, qrels, "NERR8@5")
    label = str(error.value).rpartition("as in ")[2].rstrip(".")
    if find_spec("cwl_eval") is not None:
        assert evaluate(run, qrels, label).values[0, 0, 0] > 0


@pytest.mark.parametrize("label", ["SetF(beta=2)", "SetF(beta=2.0)", "IPrec@0.1", "RBP(p=0.5)", "AP(rel=2)@100"])
def test_labels_print_so_that_ir_measures_takes_them(label):
    ir_measures = pytest.importorskip("ir_measures")
    printed = str(MeasureName.parse(label))
    parsed = ir_measures.parse_measure(printed)
    parsed.validate_params()  # raises where a parameter has the wrong type
    assert parsed == ir_measures.parse_measure(label.replace("beta=2)", "beta=2.0)"))


def test_measures_of_cwl_eval_are_asked_by_their_names():
    pytest.importorskip("ir_measures")
    pytest.importorskip("cwl")
    runs, qrels = {"s": {"1": {"a": 3.0, "b": 2.0}}}, {"1": {"a": 0, "b": 1}}
    cube = evaluate(runs, qrels, ["SDCG(max_rel=1)@2", "NERR8(max_rel=1)@2"])
    discounted = 1 / math.log2(3)
    assert cube.values[0, 0, 0] == pytest.approx(discounted / (1 + discounted), abs=1e-6)
    assert 0 < cube.values[1, 0, 0] < 1


def test_without_ir_measures_the_error_has_the_line_that_installs_it(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "ir_measures", None)
    with pytest.raises(ImportError, match=r"pip install 'tauscope\[measures\]'"):
        evaluate({"s": {"1": {"a": 1.0}}}, {"1": {"a": 1}}, "Success@1")


def test_progress_is_told_after_each_run_and_threads_change_nothing(monkeypatch):
    runs = {f"s{i}": {"1": {"a": 1.0, "b": float(i)}} for i in range(9)}
    seen = []
    one = evaluate(runs, {"1": {"a": 1}}, ["AP"], progress=lambda done, total: seen.append((done, total)))
    assert seen == [(i + 1, 9) for i in range(9)]
    for cores in (1, 4):
        monkeypatch.setattr("tauscope.core.checking.cores", lambda cores=cores: cores)
        assert evaluate(runs, {"1": {"a": 1}}, ["AP"]) == one
