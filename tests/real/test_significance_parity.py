"""significance() gives the numbers of the two functions that it replaces, significance_matrix() and
significance_agreement(), recorded before they were removed.

Tests without draws ("holm" and "fdr" of t and wilcoxon) also give the numbers of 0.2.0; draws have changed since (see
the changelog), and the default has the flips of rank(). Only the default moved: it was the randomised Tukey HSD, and is
sign-flip max-t.
"""

from __future__ import annotations

import os
from functools import cache
from pathlib import Path

import pytest

import tauscope as ts

DATA = Path(os.environ.get("TAUSCOPE_SHARED") or Path(__file__).parents[3] / "shared") / "data"
#: Data, test, correction -> number of significant pairs, and the sum of the p-values of all ordered pairs.
ALONE = [
    ("demo", "permutation", "maxT", 379, 675.4849030193961),
    ("demo", "permutation", "fdr", 635, 154.45663774636282),
    ("demo", "t", "maxT", 506, 431.66648667026664),
    ("demo", "t", "holm", 504, 490.8909474113492),
    ("demo", "t", None, 643, 147.29628808045175),
    ("demo", "wilcoxon", "maxT", 509, 449.2805438912218),
    ("demo", "wilcoxon", "holm", 507, 492.40537311355956),
    ("trec/adhoc8_ap", "permutation", "maxT", 2669, 10192.000199960008),
    ("trec/adhoc8_ap", "t", "maxT", 3306, 8267.473560371516),
    ("trec/adhoc8_ap", "t", "fdr", 5801, 2209.1389738186917),
    ("trec/adhoc8_ap", "wilcoxon", "holm", 3389, 8819.065770167435),
    ("trec/adhoc6_p10", "permutation", "maxT", 812, 3479.9748050389926),
    ("real/mteb/board", "permutation", "maxT", 4973, 20902.01699660068),
    ("real/mteb/board", "t", "maxT", 9899, 10591.339503015452),
]
#: Judge, truth, test, correction -> kept, missed, spurious, reversed.
WITH_TRUTH = [
    ("demo judge", "demo", "permutation", "maxT", (316, 63, 39, 0)),
    ("demo judge", "demo", "t", "maxT", (429, 77, 34, 0)),
    ("demo judge", "demo", "t", "holm", (425, 79, 33, 0)),
    ("demo judge", "demo", "wilcoxon", "fdr", (563, 73, 45, 0)),
    ("trec/adhoc8_p10", "trec/adhoc8_ap", "permutation", "maxT", (2222, 447, 372, 0)),
    ("trec/adhoc8_p10", "trec/adhoc8_ap", "t", "maxT", (2594, 712, 451, 0)),
    ("trec/web2011_err20", "trec/web2011_ndcg20", "t", "maxT", (72, 190, 47, 0)),
    ("trec/adhoc6_rr", "trec/adhoc6_p10", "wilcoxon", "fdr", (1282, 300, 107, 0)),
]


@cache
def data(name: str) -> ts.Scores:
    if name.startswith("demo"):
        demo = ts.demo()
        return ts.evaluate(demo.runs, demo.judge_qrels if name == "demo judge" else demo.qrels, ["AP"])["AP"]
    file = DATA / f"{name}.csv"
    if not file.exists():
        pytest.skip(f"no {file} (set TAUSCOPE_SHARED)")
    return ts.Scores.read(file)


@pytest.mark.parametrize(("name", "test", "correction", "significant", "sum_of_p"), ALONE)
def test_p_values_are_those_of_significance_matrix(
    name: str, test: str, correction: str | None, significant: int, sum_of_p: float
) -> None:
    found = ts.significance(data(name), test=test, correction=correction)
    assert found.significant == significant
    assert float(found.p_values.sum()) == pytest.approx(sum_of_p, rel=1e-12)


@pytest.mark.parametrize(("judge", "truth", "test", "correction", "counts"), WITH_TRUTH)
def test_kept_missed_spurious_and_reversed_differences_are_those_of_significance_agreement(
    judge: str, truth: str, test: str, correction: str, counts: tuple[int, ...]
) -> None:
    found = ts.significance(data(judge), truth=data(truth), test=test, correction=correction)
    assert (found.kept, found.missed, found.spurious, found.reversed) == counts


def test_the_default_is_sign_flip_max_t() -> None:
    assert ts.significance(data("demo")).significant == ts.rank(data("demo")).significant_pairs == 506
