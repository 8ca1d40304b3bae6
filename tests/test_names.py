"""Spellings of measures: what trec_eval, ir_measures, PyTerrier, ranx and gupta2019 write is one label."""

from __future__ import annotations

import math
import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tauscope.data.names import FAMILIES, GUPTA2019, MeasureName, canonical

SPELLINGS = {
    "AP": ["map", "MAP", "AP", "ap", "AP(rel=1)", "AP(judged_only=False)"],
    "AP@10": ["map_cut_10", "map_cut.10", "AP@10", "map@10", "AP(cutoff=10)", "map_cut_10all"],
    "AP(rel=2)@100": ["AP(rel=2)@100", "AP( rel = 2 )@100", "AP(rel=2,cutoff=100)"],
    "nDCG": ["ndcg", "nDCG", "NDCG", "nDCG(dcg='log2')"],
    "nDCG@20": ["ndcg_cut_20", "ndcg_cut.20", "nDCG@20", "ndcg@20", "ndcg20", "nDCG(cutoff=20)@20", "ndcg_cut_20all"],
    "nDCG(dcg='exp-log2')@20": ["nDCG(dcg='exp-log2')@20", 'nDCG(dcg="exp-log2")@20', "ndcg_burges@20"],
    "P@10": ["P_10", "P.10", "P@10", "p10", "precision@10", "P(rel=1)@10", "P_10all"],
    "P(rel=2)@10": ["P(rel=2)@10"],
    "R@100": ["recall_100", "R@100", "recall@100", "recall_100all"],
    "RR": ["recip_rank", "RR", "mrr", "MRR", "recip_rankall"],
    "RR@10": ["RR@10", "mrr@10", "MRR@10"],
    "Rprec": ["Rprec", "R-Prec", "r-precision", "Rprecall"],
    "Bpref": ["bpref", "Bpref", "BPref", "bprefall"],
    "ERR@20": ["ERR@20", "err@20", "err_20", "err20", "errall"],
    "infAP": ["infAP", "infap"],
    "GMAP": ["gm_map", "GMAP"],
    "RBP(p=0.8)": ["rbp.80", "rbp_0.8", "rbp_80", "RBP(p=0.8)", "RBP(p=.80)", "RBP(0.8)", "RBP", "rdp_8", "rdp_8all"],
    "RBP(p=0.95)": ["rbp.95", "RBP(p=0.95)", "rdp_95all"],
    "RBP(p=0.5,rel=1)@10": ["RBP(rel=1,p=0.5)@10", "RBP(p=0.5, rel=1)@10"],
    "Success@5": ["success_5", "hit_rate@5"],
    "SetF(beta=2.0)": ["SetF(beta=2.0)", "set_F(beta=2)", "SetF(rel=1,beta=2.0)"],
    "P(rel=3)@10": ["P(rel=3.0)@10"],
    # Tables with depths: runs cut at 10, and P@1000 of what is left.
    "P(depth=10)@1000": ["10_P_1000all"],
    "AP(depth=10)": ["10_mapall"],
    "ERR(depth=1000)": ["1000_errall"],
    "RBP(depth=20,p=0.95)": ["20_rbp_95all"],
}


@pytest.mark.parametrize(("label", "spelling"), [(label, one) for label, all_ in SPELLINGS.items() for one in all_])
def test_every_spelling_has_one_label(label: str, spelling: str) -> None:
    assert canonical(spelling) == label


@pytest.mark.parametrize("label", [*SPELLINGS, *GUPTA2019, *FAMILIES])
def test_a_label_is_its_own_label(label: str) -> None:
    expected = "RBP(p=0.8)" if label == "RBP" else label
    assert canonical(label) == expected
    assert MeasureName.parse(label).known


@pytest.mark.parametrize(
    "name",
    [
        "my measure",
        "p",
        "r",
        "overall",
        "small",
        "BERTScore",
        "P@0",
        "nDCG(cutoff=10)@20",
        "RBP(p=2)",
        "RBP(p=x)",
        "AP(rel=1,rel=2)",
        "AP(",
        "iprec_at_recall_0.10",
        "",
        " ",
        "map\nmap",
        "P_" + "9" * 5000,
        "x" * 100_000,
    ],
)
def test_a_name_that_is_not_recognised_comes_back_unchanged(name: str) -> None:
    assert canonical(name) == name
    assert not MeasureName.parse(name).known
    assert MeasureName.parse(name).range == (-math.inf, math.inf)


@given(st.text())
def test_reading_a_label_again_changes_nothing(name: str) -> None:
    label = canonical(name)
    assert canonical(label) == label


def test_the_set_of_gupta2019_has_23_measures() -> None:
    assert len(set(GUPTA2019)) == 23
    assert {MeasureName.parse(name).family for name in GUPTA2019} == {
        "AP",
        "nDCG",
        "P",
        "R",
        "Bpref",
        "ERR",
        "RBP",
        "RR",
        "Rprec",
    }


def test_the_parts_of_a_name_are_at_hand() -> None:
    name = MeasureName.parse("RBP(rel=1,p=.5)@10")
    assert (name.family, name.cutoff, name.parameters) == ("RBP", 10, (("p", 0.5), ("rel", 1)))
    assert name.parameter("rel") == 1
    assert name.parameter("max_grade", 4) == 4
    assert name == MeasureName.parse("RBP(p=0.5,rel=1)@10")
    assert hash(name) == hash(pickle.loads(pickle.dumps(name)))


def test_ranges_are_known() -> None:
    assert MeasureName.parse("ndcg_cut_20").range == (0.0, 1.0)
    assert MeasureName.parse("num_ret").range == (0.0, math.inf)


def test_the_columns_of_gupta2019_are_all_recognised(shared) -> None:  # type: ignore[no-untyped-def]
    columns = (shared / "data/gupta2019/result_wt2012.csv").read_text().splitlines()[0].split(",")
    assert {canonical(column) for column in columns} == set(GUPTA2019)
