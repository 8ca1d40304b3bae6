"""Every class of results prints, pickles, becomes JSON, a frame and a chart, and has sentences for a paper."""

from __future__ import annotations

import importlib
import json
import pickle
import pkgutil
import re
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import tauscope as ts
from tauscope.boards.repeats import Repeats
from tauscope.coefficients.choose import choose, identify
from tauscope.coefficients.correlate import correlate_batch, correlation_matrix
from tauscope.coefficients.correlation_views import calibrate_ties, correlate_topics, system_profile
from tauscope.coefficients.discounted import discounted
from tauscope.coefficients.pairs import pair_weights
from tauscope.evaluation.evaluate import Means
from tauscope.replications.reproduce import Printed, Replication
from tauscope.results import Result

DRAW = np.random.default_rng(7)
NAMES = tuple(f"s{i}" for i in range(8))
HUMAN = ts.Scores(DRAW.normal(np.linspace(0.3, 0.6, 8), 0.08, (20, 8)).round(3).clip(0.01, 0.99), systems=NAMES)
JUDGE = ts.Scores(HUMAN.values + DRAW.normal(0.03, 0.05, (20, 8)).round(3), HUMAN.topics, NAMES)
SOME = ts.Scores(HUMAN.values[:10], HUMAN.topics[:10], NAMES)
HOLES = ts.Scores(np.where(DRAW.random((20, 8)) < 0.1, np.nan, HUMAN.values), HUMAN.topics, NAMES, missing="keep")
FAMILIES = {name: "ab"[i % 2] for i, name in enumerate(NAMES)}
MEASURES = ["AP", "P@10", "RR", "nDCG@20"]
CUBE = ts.ScoreCube(DRAW.random((4, 8, 12)).round(3), MEASURES)
TABLE = ts.measures.Table(DRAW.random((30, 4)), measures=MEASURES, systems=[f"r{i}" for i in range(30)])
DEPTHS = ts.measures.Table(
    DRAW.random((12, 2)), measures=["AP(depth=10)", "AP(depth=100)"], systems=[f"r{i}" for i in range(12)]
)
RUNS = {
    name: {t: {f"d{d}": float(DRAW.random()) for d in range(8)} for t in ("1", "2", "3")} for name in ("r", "s", "t")
}
GRADES = {t: {f"d{d}": int(DRAW.integers(0, 2)) for d in range(8)} for t in ("1", "2", "3")}
FEW = {t: dict(list(own.items())[::2]) for t, own in GRADES.items()}


def battles(seed: int) -> ts.Battles:
    draw, names = np.random.default_rng(seed), np.array(["ant", "bee", "cat", "dog"])
    first = np.arange(300) % 4
    second = (first + 1 + np.arange(300) // 4 % 3) % 4
    winner = np.where(draw.random(300) < 0.5 + 0.08 * (second - first), "first", "second")
    return ts.Battles(names[first].tolist(), names[second].tolist(), winner.tolist(), ids=list(map(str, range(300))))


def published(shift: float = 0.0) -> ts.Published:
    return ts.Published({"x": 1470 + shift, "y": 1446, "z": 1441}, intervals=["+5/-5", "+6/-6", "± 9"])


#: One call for each class, and what its sentence must have: sizes, levels and seeds as they were asked for.
MADE: dict[str, tuple[Callable[[], Any], tuple[str, ...]]] = {
    "Batch": (lambda: correlate_batch(JUDGE.values, truth=HUMAN.values, coefficient="tau_b"), ("8 items", "20")),
    "BestSet": (
        lambda: ts.rank(HUMAN, level=0.9, rng=3).best_set(),
        ("8 systems", "20 topics", "90 %", "seed 3", "Mogstad et al. 2024"),
    ),
    "BradleyTerry": (lambda: ts.bradley_terry(battles(1)), ("4 systems", "300 battles", "95 %", "independent")),
    "Correlation": (lambda: ts.tau_b(JUDGE, HUMAN), ("8 systems", "Kendall 1945")),
    "CorrelationMatrix": (
        lambda: correlation_matrix(HUMAN.values, "tau_b", tied_within=0.01),
        ("20 rankings", "8 systems", "Kendall 1945"),
    ),
    "Correlations": (lambda: ts.correlate(JUDGE, truth=HUMAN, coefficient=["tau_b"]), ("8 systems",)),
    "DiscountedCorrelation": (lambda: discounted(JUDGE, truth=HUMAN), ("8 systems", "20 topics", "p < 0.05")),
    "Fragility": (lambda: ts.rank(HUMAN).fragility(), ("of the 20", "topic", "exact")),
    "Gate": (
        lambda: ts.gate(HUMAN, ["s7 > s0", "s0 > s1"], level=0.9, rng=3),
        ("2 claims", "8 systems", "90 %", "Holm", "seed 3"),
    ),
    "Identification": (
        lambda: identify(JUDGE.ranking(), truth=HUMAN.ranking(), value="0.93"),
        ("0.93", "convention"),
    ),
    "Comparisons": (
        lambda: ts.compare({"a": JUDGE, "b": HUMAN}, truth=HUMAN, rng=3),
        ("8 systems", "20 topics", "seed 3"),
    ),
    "Judged": (lambda: ts.Runs.read(RUNS).judged_at(FEW, k=5), ("first 5", "3 runs", "3 topics")),
    "LowToHigh": (
        lambda: ts.measures.low_to_high(DEPTHS, ["AP"], predictors=["AP"], depths=(10,), target_depths=(100,), rng=3),
        ("12 systems", "AP at 100", "seed 3"),
    ),
    "MeasureCorrelations": (lambda: ts.measures.correlations(CUBE), ("4 measures", "96 observations")),
    "MeasurePrediction": (
        lambda: ts.measures.predict(TABLE, "AP", max_predictors=1),
        ("30 systems", "3 sets", "tau_b"),
    ),
    "MeasurePredictions": (
        lambda: ts.measures.predict(TABLE, ["AP", "RR"], max_predictors=1),
        ("2 measures", "30 systems", "6 sets"),
    ),
    "MeasureRanking": (
        lambda: ts.measures.rank(CUBE, keep=2),
        ("4 measures", "96 observations", "2 most informative"),
    ),
    "Neighbours": (
        lambda: ts.rank(HUMAN, level=0.9, rng=3).neighbours,
        ("7 neighbouring pairs", "systems", "20 topics", "90 %"),
    ),
    "OneRank": (lambda: ts.rank(HUMAN, level=0.9, rng=3).one("s3"), ("s3", "7 systems", "20 topics", "90 %", "seed 3")),
    "Overlap": (lambda: ts.rbo(list("abc"), list("acde"), p=0.8), ("p = 0.8", "3 and 4 items", "Corsi")),
    "PairWeights": (lambda: pair_weights([3.0, 2.0, 1.0], "tau_ap"), ("3 items", "Yilmaz et al. 2008")),
    "PredictedMeasure": (
        lambda: ts.measures.predict(TABLE, "AP", max_predictors=1, level=0.9).predict(TABLE),
        ("30 systems", "90 %"),
    ),
    "QrelsComparison": (
        lambda: ts.Qrels.read(GRADES).compare(FEW, names=("one", "other")),
        ("12 documents", "3 topics", "quadratic"),
    ),
    "Ranks": (
        lambda: ts.rank(HUMAN, level=0.9, rng=3),
        ("8 systems", "20 topics", "90 %", "max-t", "sign flips", "seed 3", "Mogstad et al. 2024"),
    ),
    "RuleComparison": (
        lambda: ts.rank(HUMAN).under_rules(["mean", "borda"]),
        ("8 systems", "20 topics", "2 rules", "τ_b"),
    ),
    "Significance": (
        lambda: ts.significance(JUDGE, truth=HUMAN, draws=99, rng=3),
        ("8 systems", "20 topics", "99 sign flips", "seed 3"),
    ),
    "SystemProfile": (lambda: system_profile(JUDGE, "s3", truth=HUMAN), ("s3", "8 systems", "20 topics")),
    "ThresholdCurve": (
        lambda: ts.correlate(JUDGE, truth=HUMAN, coefficient="tau_e").thresholds([0.0, 0.01, 0.1]),
        ("8 items", "3 tolerances", "0 and 0.1"),
    ),
    "TieCalibration": (
        lambda: calibrate_ties(JUDGE, truth=HUMAN, coefficient=ts.catalogue["tau_e"], draws=4, rng=3),
        ("20 topics", "4 splits", "seed 3"),
    ),
    "TopicCorrelations": (
        lambda: correlate_topics(JUDGE, truth=HUMAN, level=0.9),
        ("8 systems", "20 topics", "90 % t-interval"),
    ),
    "TopicSelection": (
        lambda: ts.measures.select_topics(HUMAN, 3, draws=2, rng=3),
        ("3 of 20 topics", "8 systems", "2 random halves", "200 random sets", "seed 3"),
    ),
    "VarianceComponents": (
        lambda: ts.variance_components(Repeats(np.stack([HUMAN.values, JUDGE.values], axis=2)), level=0.9),
        ("8 systems", "20 topics", "2 runs", "90 %", "Brennan 2001"),
    ),
    "VerdictComparison": (
        lambda: ts.compare(battles(1), truth=battles(2), level=0.9, rng=3),
        ("4 systems", "300 battles", "90 %", "500 draws", "seed 3"),
    ),
    "Versions": (
        lambda: ts.versions({"May": published(), "June": published(9)}, level=0.9, rng=3),
        ("2 versions", "90 %", "draws, seed 3", "Mogstad et al. 2024"),
    ),
    "Walk": (lambda: ts.tau_ap(JUDGE, truth=HUMAN).walk(), ("8 pivots", "tau_ap")),
    "Audit": (lambda: ts.audit(JUDGE, truth=HUMAN, rng=3), ("8 systems",)),
    "Choice": (choose, ()),
    "Comparison": (lambda: ts.compare(JUDGE, truth=HUMAN, rng=3), ("8 systems", "20 topics", "95 %")),
    "CorrelationCurve": (lambda: ts.expected_correlation(HUMAN, interval=False).curve(), ("8 systems", "20 topics")),
    "DocumentPlan": (lambda: ts.hybrid(FEW, GRADES, runs=RUNS, measures="AP").plan(target=0.2), ()),
    "DocumentSample": (lambda: ts.hybrid(None, GRADES, runs=RUNS).next(3), ("9 documents of 24", "seed 0")),
    "ExpectedCorrelation": (lambda: ts.expected_correlation(HUMAN, rng=3), ("8 systems", "20 topics")),
    "Findings": (lambda: ts.check(HUMAN), ()),
    "Hybrid": (lambda: ts.hybrid(SOME, JUDGE, rng=3), ("8 systems", "10 topics", "20 topics")),
    "HybridDifference": (lambda: ts.hybrid(SOME, JUDGE, rng=3).difference("s7", "s0"), ("s7", "s0")),
    "HybridDocuments": (lambda: ts.hybrid(FEW, GRADES, runs=RUNS, measures="AP"), ("12 of 24 documents",)),
    "HybridPlan": (lambda: ts.hybrid(SOME, JUDGE, rng=3).plan(target=0.8), ("0.8",)),
    "HybridStart": (lambda: ts.hybrid(None, JUDGE), ()),
    "IncompleteJudgments": (
        lambda: ts.experiments.incomplete_judgments(RUNS, GRADES, (50,), "tau_b", draws=2, rng=3),
        ("seed 3",),
    ),
    "Means": (
        lambda: Means(table=ts.evaluate(RUNS, GRADES, ["AP"], by="system"), topics=3, notes=()),
        ("3 runs", "3 topics"),
    ),
    "PairTable": (lambda: ts.tau_b(JUDGE, HUMAN).pairs, ()),
    "Pairs": (lambda: ts.expected_correlation(HUMAN, interval=False).swaps.pairs, ()),
    "Perturbation": (lambda: ts.experiments.perturb(HUMAN, draws=5, rng=3), ("8 systems", "seed 3")),
    "PredictivePower": (lambda: ts.experiments.predictive_power(CUBE, draws=2, rng=3), ("12 systems", "seed 3")),
    "Replication": (
        lambda: Replication(
            paper="gao2015", rows=(Printed(where="table 1", what="tau", printed=0.5, ours=0.5, tolerance=0.01),)
        ),
        ("Gao and Oard",),
    ),
    "Sensitivity": (lambda: ts.expected_correlation(HUMAN, interval=False).sensitivity(0.1), ()),
    "Simulator": (lambda: ts.simulate.Simulator.fit(HUMAN), ("8 systems", "20 topics")),
    "SoftAccuracy": (lambda: ts.compare(JUDGE, truth=HUMAN, rng=3).soft_accuracy(), ("8 systems", "20 topics")),
    "Study": (
        lambda: ts.experiments.estimator_study({"here": HUMAN}, sizes=(10,), draws=2, methods=["ml"], rng=3),
        ("seed 3",),
    ),
    "SwapExperiment": (lambda: ts.experiments.swap_experiment(HUMAN, "any", swaps=1, draws=5, rng=3), ("seed 3",)),
    "SwapProbabilities": (lambda: ts.expected_correlation(HUMAN, interval=False).swaps, ("8 systems", "20 topics")),
    "TopicSample": (lambda: ts.hybrid(None, JUDGE).next(5), ("5 topics of 20", "seed 0")),
    "TopicsNeeded": (lambda: ts.expected_correlation(HUMAN, interval=False).topics_needed(0.9), ("0.9",)),
}
#: Made of the papers' data only; `tests/papers/` has it.
ELSEWHERE = ("FiguresRedone",)
#: What no paper reports has no sentence: a list of things to look at, and a recommendation.
NO_SENTENCE = ("Findings", "Choice")
#: What is made without a formula of a paper has no references.
NO_PAPER = (*("Findings", "PairTable", "Walk", "Identification", "Fragility", "Judged", "HybridStart", "Means"),)


def results(base: type[Result] = Result) -> Iterator[type[Result]]:
    """Every class of results that has a question of its own, wherever it stands."""
    for module in pkgutil.walk_packages(ts.__path__, "tauscope."):
        if base is Result and not module.name.endswith("__main__"):
            importlib.import_module(module.name)
    for one in base.__subclasses__():
        if one.__dict__.get("QUESTION") or not one.__subclasses__():
            yield one
        yield from results(one)


def test_there_is_a_call_for_every_class_of_results() -> None:
    classes = {one.__name__ for one in results()}
    assert classes - {*ELSEWHERE} == set(MADE)


@pytest.mark.parametrize("name", MADE)
def test_a_result_prints_pickles_and_has_methods_references_a_table_and_a_chart(name: str) -> None:
    import matplotlib.pyplot as plt

    plt.switch_backend("agg")
    make, words = MADE[name]
    found = make()
    assert type(found).__name__ == name
    known = found.to_dict()
    assert json.loads(json.dumps(known, allow_nan=False)) == known
    again = pickle.loads(pickle.dumps(found))
    assert str(again) == str(found) == repr(found) != ""
    assert again.to_dict() == known
    assert found._repr_html_().startswith("<")
    sentence = found.methods_sentence()
    assert [word for word in words if word not in sentence] == [], sentence
    assert sentence.endswith(".") != (name in NO_SENTENCE)
    assert "\n" not in sentence
    assert not re.search(r"\(\)|\(; |; ;|; \)| \.|  |\bnan\b|\bNone\b(?! of)|\.\.(?!\.)", sentence), sentence
    assert known.get("methods_sentence", sentence) == sentence
    assert bool(found.cite()) == bool(found.cite("bibtex")) == (name not in NO_PAPER)
    assert len(found.to_frame("pandas").columns) >= 1
    if found.answer().charts:
        assert found.plot().has_data()
        plt.close("all")
    else:
        with pytest.raises(ts.errors.CallError):
            found.plot()


@pytest.mark.parametrize("name", ["Ranks", "BestSet"])
def test_a_sentence_is_in_the_words_of_the_user(name: str) -> None:
    with ts.results.wording(systems="models", topics="tasks"):
        sentence = MADE[name][0]().methods_sentence()
    assert "8 models" in sentence
    assert "tasks" in sentence
    assert not re.search(r"\b(systems?|topics?)\b", sentence), sentence
