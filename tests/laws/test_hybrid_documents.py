"""People on some documents, a judge on all: measures without bias, errors that hold, all judged = evaluate()."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tauscope import TauscopeError, evaluate, hybrid
from tauscope.errors import AlignmentError, CallError
from tauscope.evaluation.runs import Runs

TOPICS, DOCUMENTS, SYSTEMS = 3, 48, 3
MEASURES = ["P@10", "AP", "nDCG@10"]
NAMES = [f"d{i:02}" for i in range(DOCUMENTS)]


def hybrid_documents(
    runs: Any, human: Any, judge: Any, measures: Any = MEASURES, depths: Any = None, unmatched: Any = "error"
) -> Any:
    return hybrid(human, judge, runs=runs, measures=measures, chances=depths, unmatched=unmatched)


def choose_documents(
    runs: Any, judge: Any, documents: int, *, depths: Any = (), judged: Any = None, rng: int = 0
) -> Any:
    """The first documents, or those after documents that people have judged."""
    return hybrid(judged, judge, runs=runs, measures="P@10", chances=depths, rng=rng).next(documents)


def collection(seed: int = 3) -> tuple[dict, dict, dict]:
    """Runs, what people would say of every document, and a judge that is too kind."""
    rng = np.random.default_rng(seed)
    quality = rng.normal(size=(TOPICS, DOCUMENTS))
    judged = 0.8 * quality + rng.normal(0, 0.6, quality.shape) + 0.3
    runs = {
        f"s{s}": {
            str(t): {
                NAMES[i]: float(quality[t, i] + rng.normal(0, 0.4 + 0.5 * s))
                for i in rng.choice(DOCUMENTS, 36, replace=False)
            }
            for t in range(TOPICS)
        }
        for s in range(SYSTEMS)
    }
    people, judge = (
        {str(t): dict(zip(NAMES, map(int, np.digitize(x[t], [0.5, 1.2])), strict=True)) for t in range(TOPICS)}
        for x in (quality, judged)
    )
    return runs, people, judge


def depth_of(runs: dict, depths: tuple[int, ...]) -> dict[str, dict[str, int]]:
    """The stratum of each document by its best place in any run."""
    found = {str(t): dict.fromkeys(NAMES, len(depths)) for t in range(TOPICS)}
    for run in Runs.read(runs):
        for topic, places in found.items():
            for place, document in enumerate(run.ranked(topic)):
                stratum = sum(place >= depth for depth in depths)
                places[document] = min(places[document], stratum)
    return found


def some(people: dict, strata: dict, shares: tuple[float, ...], rng: np.random.Generator) -> dict:
    """People's judgments of a random share of each stratum."""
    kept: dict = {}
    for topic, grades in people.items():
        kept[topic] = {}
        for stratum, share in enumerate(shares):
            there = [d for d in NAMES if strata[topic][d] == stratum]
            chosen = rng.choice(there, max(2, round(share * len(there))), replace=False)
            kept[topic] |= {str(d): grades[str(d)] for d in chosen}
    return kept


@pytest.mark.parametrize(("depths", "shares"), [((), (0.45,)), ((12,), (0.6, 0.3))], ids=["random", "by depth"])
def test_means_are_without_bias_over_500_samples_and_errors_are_right(depths, shares) -> None:
    runs, people, judge = collection()
    true = evaluate(runs, people, MEASURES).values.mean(axis=1)
    loaded, strata = Runs.read(runs), depth_of(runs, depths)
    rng = np.random.default_rng(7)
    found = [
        hybrid_documents(loaded, some(people, strata, shares, rng), judge, MEASURES, depths=depths) for _ in range(500)
    ]
    means = np.array([one.means for one in found])
    spread = means.std(axis=0, ddof=1)
    off = np.abs(means.mean(axis=0) - true) / (spread / np.sqrt(len(found)))
    # The mean over systems within two standard errors; single ones, nine of them, within three.
    assert (np.abs(means.mean(axis=(0, 2)) - true.mean(axis=1)) < 2 * means.mean(axis=2).std(axis=0) / 500**0.5).all()
    assert off.max() < 3
    said = np.sqrt(np.mean([one.errors_here**2 for one in found], axis=0))
    assert said == pytest.approx(spread, rel=0.15)
    alone = evaluate(runs, judge, MEASURES).values.mean(axis=1)
    assert found[0].judge == pytest.approx(alone)
    assert np.abs(alone - true).max() > 0.03  # the judge alone is biased


def test_with_all_documents_judged_it_is_evaluate_without_error() -> None:
    runs, people, judge = collection(4)
    measures = [*MEASURES, "AP@20", "nDCG", "nDCG(dcg='exp-log2')@10", "P(rel=2)@5"]
    found = hybrid_documents(runs, people, judge, measures)
    assert found.scores.values == pytest.approx(evaluate(runs, people, measures).values, abs=1e-12)
    assert not found.errors.any()
    assert found.plan(target=0.01).needed is None


def test_a_better_judge_leaves_less_error_and_fewer_documents_are_needed() -> None:
    runs, people, judge = collection(5)
    sample = some(people, depth_of(runs, ()), (0.4,), np.random.default_rng(1))
    useless = {
        t: dict(zip(grades, np.roll(list(grades.values()), 7).tolist(), strict=True)) for t, grades in judge.items()
    }
    good, bad = (hybrid_documents(runs, sample, one, MEASURES) for one in (people, useless))
    assert good.errors_here.max() < 1e-9
    assert good.means == pytest.approx(evaluate(runs, people, MEASURES).values.mean(axis=1), abs=1e-9)
    assert bad.errors_here[0].mean() > 0.01
    now = float(np.sqrt((bad.errors_here[1] ** 2).mean()))
    assert bad.plan(target=now, measure="AP").needed == pytest.approx(bad.human_documents, abs=1)
    assert bad.plan(target=now / 2, measure="AP").needed > bad.human_documents
    same = bad.plan(target=now, measure="AP").needed
    assert bad.plan("width", target=2 * 1.959964 * now, measure="AP").needed == same
    with pytest.raises(CallError, match="goal='tau' is unknown"):
        bad.plan("tau", target=0.1)
    assert "The bias is small beside them" in bad.answer().tables[0].caption
    assert set(bad.columns()) >= {"measure", "system", "mean", "error"}
    assert "aslam2006" in bad.cited()


def test_documents_chosen_in_strata_keep_their_chances_and_measures_their_truth(tmp_path) -> None:
    runs, people, judge = collection(5)
    depths = (8, 20)
    strata = depth_of(runs, depths)
    loaded = Runs.read(runs)
    values = []
    for seed in range(120):
        first = choose_documents(loaded, judge, 9, depths=depths, rng=seed)
        labels: dict = {t: {} for t in people}
        for topic, document in zip(first.topic, first.document, strict=True):
            labels[topic][document] = people[topic][document]
        second = choose_documents(loaded, judge, 6, depths=depths, judged=labels, rng=1000 + seed)
        for topic, document in zip(second.topic, second.document, strict=True):
            assert document not in labels[topic]
            labels[topic][document] = people[topic][document]
        values.append(hybrid_documents(loaded, labels, judge, "P@10", depths=depths).means[0])
    off = np.array(values) - evaluate(loaded, people, "P@10").values.mean(axis=1)[0]
    assert np.abs(off.mean(axis=0) / (off.std(axis=0, ddof=1) / len(off) ** 0.5)).max() < 3.5
    assert len(second) == 6 * TOPICS
    assert second.judged == 9 * TOPICS
    assert second.of == TOPICS * (DOCUMENTS - 9)
    for topic, document, stratum, chance in zip(*second.columns().values(), strict=True):
        there = [d for d in NAMES if strata[topic][d] == stratum - 1]
        assert strata[topic][document] == stratum - 1
        assert chance == pytest.approx(sum(d in labels[topic] for d in there) / len(there))
    written = second.write(tmp_path / "next.csv").read_text().splitlines()
    assert written[0] == "topic,document,stratum,chance"
    assert len(written) == 1 + len(second)
    assert len(choose_documents(loaded, judge, 1000)) == TOPICS * DOCUMENTS
    with pytest.raises(TauscopeError, match="judged all documents"):
        choose_documents(loaded, judge, 2, judged=people)


def test_ndcg_of_few_documents_is_told_and_that_of_many_is_not() -> None:
    runs, people, judge = collection(6)
    few = some(people, depth_of(runs, ()), (0.25,), np.random.default_rng(1))
    many = some(people, depth_of(runs, ()), (0.5,), np.random.default_rng(1))
    assert any("nDCG can be off" in str(note) for note in hybrid_documents(runs, few, judge, "nDCG").notes)
    assert not hybrid_documents(runs, few, judge, "AP").notes
    assert not hybrid_documents(runs, many, judge, "nDCG").notes
    assert not hybrid_documents(runs, people, judge, "nDCG").notes


def test_wrong_calls_are_told() -> None:
    runs, people, judge = collection(6)
    with pytest.raises(CallError, match="not RR"):
        hybrid_documents(runs, people, judge, ["RR"])
    with pytest.raises(TauscopeError, match="takes whole grades, and `judge` has others"):
        hybrid_documents(runs, people, {"0": {NAMES[0]: 0.5, NAMES[1]: 1.0}})
    one = {"0": {NAMES[0]: 1}}
    with pytest.raises(TauscopeError, match="Topic '0' has a stratum of which people judged fewer than two"):
        hybrid_documents(runs, one, judge)
    stranger = {t: {**grades, "x": 1} for t, grades in people.items()}
    with pytest.raises(AlignmentError, match="3 documents that people judged the judge did not: '0 x'"):
        hybrid_documents(runs, stranger, judge)
    kept = hybrid_documents(runs, stranger, judge, unmatched="drop")
    assert kept.human_documents == TOPICS * DOCUMENTS
    assert "3 documents that only people judged were left out" in map(str, kept.notes)
    few = hybrid_documents(runs, {"0": people["0"]}, judge)
    assert few.scores.topics == ("0",)
    assert "2 topics without people's judgments were left out" in map(str, few.notes)
