"""`compare()` gives the numbers and the verdicts that were recorded before it became one function."""

from __future__ import annotations

from pathlib import Path

import pytest

from tauscope import Scores, compare, evaluate
from tauscope import demo as made_up

#: Judge and truth of TREC -> observed, corrected, low, high, one-sided limit, noise ceiling; and for the rule of thumb
#: and margins of 0.7, 0.8 and 0.9 the verdict of version 0.2, with what is known about the top (holds, open or fails).
TREC = {
    "adhoc5_p10 adhoc5_rr": (
        (0.839137822099, 0.944425563108, 0.866666666667, 1.0, 0.866666666667, 0.809443169399),
        ("for some uses o", "can replace h", "can replace o", "not shown"),
    ),
    "adhoc6_p10 adhoc6_rr": (
        (0.802676213627, 0.871154264918, 0.788226582747, 0.972602739726, 0.805257312107, 0.80637060348),
        ("for some uses o", "can replace h", "can replace o", "not shown"),
    ),
    "adhoc7_ap adhoc7_rr": (
        (0.672568056349, 0.728032870106, 0.642480487341, 0.795926137445, 0.658480868075, 0.803459546926),
        ("cannot replace", "not shown", "cannot replace", "cannot replace"),
    ),
    "adhoc8_ap adhoc8_p10": (
        (0.826563116508, 0.830376383168, 0.767143203295, 0.87885267749, 0.779743154834, 0.817349994565),
        ("not shown", "can replace h", "not shown", "cannot replace"),
    ),
    "web2010_ap web2010_ndcg20": (
        (0.467260345731, 0.457882595024, 0.339968569932, 0.572551073861, 0.358826610791, 0.807010214772),
        ("cannot replace", "cannot replace", "cannot replace", "cannot replace"),
    ),
    "web2011_p20 web2011_ndcg20": (
        (0.828246718024, 0.887543961073, 0.803921568627, 1.0, 0.803921568627, 0.803870694224),
        ("for some uses o", "can replace o", "can replace o", "not shown"),
    ),
}
WMT = {
    "BLEU-refA": "not shown",
    "BLEURT-20-refA": "can replace o",
    "COMET-refA": "can replace o",
    "GEMBA-MQM-src": "for some uses o",
}
DEMO = (0.838461538462, 0.854376923077, 0.812820512821, 0.889743589744, 0.820512820513, 0.932257692308)
MARGINS = (None, 0.7, 0.8, 0.9)


def told(judge: Scores, truth: Scores, margin: float | None) -> str:
    found = compare(judge, truth=truth, unmatched="drop", margin=margin)
    return f"{found.verdict.value} {found.top.value[0] if found.top else ''}".strip()


@pytest.mark.parametrize("pair", TREC)
def test_trec_has_the_recorded_numbers_and_verdicts(pair: str, shared: Path) -> None:
    judge, truth = (Scores.read(shared / "data" / "trec" / f"{name}.csv") for name in pair.split())
    numbers, verdicts = TREC[pair]
    found = compare(judge, truth=truth)
    own = (found.observed, found.corrected, found.low, found.high, found.limit, found.noise_ceiling)
    assert own == pytest.approx(numbers, abs=1e-9)
    assert tuple(told(judge, truth, margin) for margin in MARGINS) == verdicts


@pytest.mark.parametrize("metric", WMT)
def test_metrics_of_wmt_have_the_recorded_verdicts(metric: str, shared: Path) -> None:
    real = shared / "data" / "real"
    people = Scores.read(real / "wmt23" / "human-scores" / "en-de.mqm.seg.score", missing="drop-topics")
    (path,) = (real / "wmt23" / "metric-scores").rglob(f"{metric}.seg.score")
    assert told(Scores.read(path, missing="drop-topics"), people, None) == WMT[metric]


def test_the_demo_has_the_recorded_numbers() -> None:
    demo = made_up()
    people, judge = (evaluate(demo.runs, qrels, ["AP"])["AP"] for qrels in (demo.qrels, demo.judge_qrels))
    found = compare(judge, truth=people, groups=demo.families)
    own = (found.observed, found.corrected, found.low, found.high, found.limit, found.noise_ceiling)
    assert own == pytest.approx(DEMO, abs=1e-9)
    assert tuple(told(judge, people, margin) for margin in MARGINS) == ("for some uses f",) * 3 + ("cannot replace",)
    assert found.soft_accuracy().value == pytest.approx(0.923634358974359, abs=1e-9)
