"""Topics in clusters: `Scores(…, clusters=…)` are tested by cluster, or a function says that it cannot."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from scipy.special import stdtrit

from tauscope import (
    Battles,
    Scores,
    TauscopeError,
    bradley_terry,
    check,
    compare,
    expected_correlation,
    gate,
    rank,
    significance,
    variance_components,
)
from tauscope.boards.repeats import Repeats
from tauscope.data.clusters import undeclared
from tauscope.errors import CallError, FileError


def made(clusters: int = 20, each: int = 3, seed: int = 0) -> Scores:
    rng = np.random.default_rng(seed)
    own = np.repeat(np.arange(clusters), each)
    values = (
        np.array([1.4, 1.0, 0.5, 0.0])
        + 0.7 * rng.normal(size=(clusters, 4))[own]
        + 0.3 * rng.normal(size=(len(own), 4))
    )
    topics = [f"t{i}" for i in range(len(own))]
    return Scores(values, topics, list("abcd"), clusters=[f"c{k}" for k in own])


def test_clusters_are_given_by_topic_or_in_order_and_stay_with_their_topics() -> None:
    scores = made()
    assert scores.clusters is not None
    assert scores.clusters["t4"] == "c1"
    again = Scores(scores.values, scores.topics, scores.systems, clusters=scores.clusters | {"elsewhere": "c99"})
    assert again == scores
    assert scores.select(topics=["t9", "t0"]).clusters == {"t9": "c3", "t0": "c0"}
    assert scores.drop_worst(0.3).clusters == scores.clusters
    drawn = scores.sample_topics(60, 1, replace=True)
    assert drawn.clusters is not None
    assert all(drawn.clusters[topic] == scores.clusters[topic.partition("#")[0]] for topic in drawn.topics)
    assert pickle.loads(pickle.dumps(scores)) == scores
    holes = np.where(np.arange(60)[:, None] == 5, np.nan, scores.values)
    left = Scores(holes, scores.topics, clusters=list(scores.clusters.values()), missing="drop-topics")
    assert left.clusters is not None
    assert "t5" not in left.clusters
    assert len(left.clusters) == 59


@pytest.mark.parametrize(
    ("clusters", "text"),
    [
        ({"t0": "c0"}, "59 topics without a cluster"),
        (["c0"] * 3, "There are 60 topics and 3 clusters"),
        ("c0", "`clusters` is of type str"),
        (3, "`clusters` is of type int"),
    ],
)
def test_wrong_clusters_are_told(clusters: object, text: str) -> None:
    scores = made()
    with pytest.raises(CallError, match=text):
        Scores(scores.values, scores.topics, clusters=clusters)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "function",
    [
        lambda s: rank(s).low.tolist(),
        lambda s: rank(s).one("b").high,
        lambda s: rank(s).best_set().members,
        lambda s: rank(s).tiers,
        lambda s: significance(s).p_values.tolist(),
        lambda s: significance(s, test="t", correction="holm").p_values.tolist(),
        lambda s: rank(s).neighbours.p.tolist(),
        lambda s: gate(s, ["a > d", "a in top 2"]).claims,
    ],
)
def test_scores_with_clusters_are_tested_like_the_rows_of_their_clusters(function: object) -> None:
    scores = made()
    assert callable(function)
    assert function(scores) == function(scores.by_cluster())


def test_clusters_make_a_difference() -> None:
    scores = made()
    apart = [significance(s, test="t", correction="holm").significant for s in (scores, scores.changed(clusters=None))]
    assert apart[0] < apart[1]
    assert (rank(scores).neighbours.p > rank(scores.changed(clusters=None)).neighbours.p).all()
    said = [gate(s, "a > b").claims[0].p for s in (scores, scores.changed(clusters=None))]
    assert said[0] > said[1]


def test_results_say_that_rows_are_clusters_and_that_few_are_not_enough() -> None:
    few = made(clusters=9)
    found = rank(few)
    assert "27 topics in 9 clusters" in found.methods_sentence()
    assert "With 9 clusters, 95 % intervals hold in only about 93 % of simulations" in " ".join(str(found).split())
    said = " ".join(str(significance(few)).split())
    assert "9 clusters of 27 topics" in said
    assert "With 9 clusters, 95 % intervals hold in only about 93 % of simulations." in said
    assert "93 % of simulations" not in str(rank(made(clusters=16)))
    with pytest.raises(TauscopeError, match="There are 7 clusters of topics; at least 8 are needed"):
        rank(made(clusters=7))


def test_compare_resamples_clusters_of_both_sides() -> None:
    truth = made()
    noise = np.random.default_rng(5).normal(size=truth.shape)
    judge = Scores(truth.values + 0.2 * noise, truth.topics, truth.systems)
    found = compare(judge, truth=truth)
    rows = compare(judge.by_cluster(truth.clusters), truth=truth.by_cluster())
    assert (found.corrected, found.interval) == (rows.corrected, rows.interval)
    assert "its 20 topics are clusters of 60 topics" in found.notes
    assert found.noise_ceiling == rows.noise_ceiling
    other = judge.changed(clusters=dict.fromkeys(judge.topics, "c0"))
    with pytest.raises(CallError, match="is in the cluster 'c0' in one matrix, and in 'c1' in another"):
        compare(other, truth=truth)


@pytest.mark.parametrize(
    "function",
    [
        expected_correlation,
        variance_components,
        lambda s: rank(s, "median"),
        lambda s: compare({"one": s, "other": s}, truth=s),
        lambda s: significance(s, truth=s),
    ],
    ids=lambda function: function.__name__,
)
def test_what_cannot_take_clusters_says_so_and_how_to_go_on(function: object) -> None:
    scores = made()
    assert callable(function)
    with pytest.raises(CallError, match="takes topics for independent, and these come in"):
        function(scores)
    assert expected_correlation(scores.by_cluster()).topics == 20


def test_a_board_resamples_whole_clusters() -> None:
    scores = made(clusters=8, each=12)
    width = [
        int((board.high - board.low).sum()) for board in (rank(s) for s in (scores, scores.changed(clusters=None)))
    ]
    assert width[0] > width[1]


def test_a_long_table_brings_its_clusters_along() -> None:
    rows = [
        {"model": m, "task": f"t{t}", "seed": s, "document": f"d{t // 2}", "score": t / 20 + (m == "a") + s / 9}
        for m in "ab"
        for t in range(20)
        for s in (1, 2)
    ]
    repeats = Repeats.read(rows)
    assert (repeats.runs, repeats.scores().clusters) == (2, {f"t{t}": f"d{t // 2}" for t in range(20)})
    assert Repeats.read([row for row in rows if row.pop("seed") == 1]).runs == 1
    assert "20 topics in 10 clusters" in rank(repeats).methods_sentence()
    assert Repeats(repeats.values, clusters=["x"] * 20).clusters == {str(i): "x" for i in range(1, 21)}
    with pytest.raises(FileError, match="row 2: the topic 't0' is in the cluster 'other', and before in 'd0'"):
        Repeats.read([rows[0] | {"seed": 1}, rows[0] | {"seed": 2, "document": "other"}])


def in_clusters(seed: int, sizes: list[int], together: float, systems: int = 20) -> np.ndarray:
    """Scores of equal systems whose residuals correlate within clusters of neighbouring topics."""
    rng = np.random.default_rng(seed)
    own = np.repeat(np.arange(len(sizes)), sizes)
    shared = rng.normal(size=(len(sizes), systems))[own]
    values = rng.normal(size=(len(own), 1)) + together**0.5 * shared
    return values + (1 - together) ** 0.5 * rng.normal(size=(len(own), systems))


def warned(scores: Scores) -> bool:
    return any("declare the clusters" in text for text in rank(scores).cautions)


def test_undeclared_clusters_of_neighbours_are_found_and_rarely_where_there_are_none() -> None:
    found = [warned(Scores(in_clusters(seed, [5] * 12, 0.4))) for seed in range(40)]
    assert sum(found) == 40
    alarms = [warned(Scores(in_clusters(seed, [5] * 12, 0.0))) for seed in range(200)]
    assert sum(alarms) <= 14


def test_names_with_a_common_stem_are_a_sign_of_clusters_in_any_order() -> None:
    values = in_clusters(0, [5] * 12, 0.4)
    order = np.random.default_rng(1).permutation(60)
    names = [f"doc{i // 5}_seg{i % 5}" for i in order]
    told = [text for text in rank(Scores(values[order], names)).cautions if "declare the clusters" in text]
    assert len(told) == 1
    assert "12 stems" in told[0]
    assert "1.6 times as large" in told[0]
    unlike = Scores(values[order], [f"topic-{i}" for i in range(60)])  # one stem for all is no cluster
    assert not warned(unlike)
    declared = Scores(values[order], names, clusters=[name.partition("_")[0] for name in names])
    assert not warned(declared)


def test_the_sign_of_clusters_reaches_what_is_printed_and_the_linter() -> None:
    scores = Scores(in_clusters(0, [5] * 12, 0.4))
    for found in (rank(scores), expected_correlation(scores), significance(scores)):
        assert "declare the clusters" in " ".join(str(found).split())
    assert "undeclared-clusters" in {finding.code for finding in check(scores)}


def test_rows_of_uneven_clusters_hold_as_often_as_they_say() -> None:
    sizes = [60] + [3] * 29
    rng = np.random.default_rng(0)
    own = np.repeat(np.arange(30), sizes)
    names = [f"c{k}" for k in own]
    held = 0
    for _ in range(1000):
        values = 0.8**0.5 * rng.normal(size=(30, 2))[own] + 0.2**0.5 * rng.normal(size=(len(own), 2))
        rows = Scores(values, clusters=names).by_cluster().values
        difference = rows[:, 0] - rows[:, 1]
        assert difference.mean() == pytest.approx(values[:, 0].mean() - values[:, 1].mean())
        held += abs(difference.mean()) <= 2.0452 * difference.std(ddof=1) / 30**0.5  # Student's t, 29 degrees
    assert held >= 910  # 823 without the correction
    assert "count as about 6 of one size" in " ".join(str(rank(Scores(values, clusters=names))).split())


def test_the_agreement_of_judges_has_limits_by_the_effective_number_of_questions() -> None:
    rng = np.random.default_rng(2)
    asked = np.concatenate([np.zeros(300, int), rng.integers(1, 40, size=200)])
    names = np.array(list("abcd"))
    i = rng.integers(4, size=500)
    j = (i + rng.integers(1, 4, size=500)) % 4
    verdicts = [np.where(rng.random(500) < 0.5, "first", "second") for _ in range(2)]
    judges = [Battles(names[i], names[j], own, questions=asked) for own in verdicts]
    found = compare(bradley_terry(judges[0], clusters="question"), truth=bradley_terry(judges[1], clusters="question"))
    assert 1 <= found.freedom < 2  # of 40 questions, one has 60 % of the battles
    reach = float(stdtrit(found.freedom, 0.975)) * found.agreement_error
    assert f"± {reach * 100:.1f} %, Cohen's kappa" in " ".join(str(found).split())


@pytest.mark.parametrize("rows", [slice(0, 11), slice(19, 30)])
def test_topics_that_one_system_lacks_in_a_block_are_no_cluster(rows: slice) -> None:
    alarms, found = 0, 0
    for seed in range(60):
        values = np.random.default_rng(seed).random((30, 4)) * 0.1 + [0.5, 0.4, 0.3, 0.6]
        values[rows, 3] = np.nan
        alarms += bool(undeclared(Scores(values, missing="keep")))
        values = in_clusters(seed, [5] * 12, 0.4)
        values[rows, :8] = np.nan
        found += bool(undeclared(Scores(values, missing="keep")))
    assert alarms <= 6  # 60 with the means of the cells that there are
    assert found == 60
