"""Clusters of topics and repeated runs: rows that are clusters, and variance taken apart."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

from tauscope import Scores, TauscopeError, rank, significance, variance_components
from tauscope.boards.repeats import Repeats
from tauscope.errors import CallError, FileError
from tauscope.inference.expected_views import reliability_coefficients
from tauscope.inference.true_means import Observed


def clustered(
    seed: int, clusters: int = 20, each: int = 6, together: float = 0.6, systems: int = 4
) -> tuple[Scores, dict[str, str]]:
    """Equal systems whose topics of one cluster go together."""
    rng = np.random.default_rng(seed)
    shared = math.sqrt(together) * rng.normal(size=(clusters, 1, systems))
    own = math.sqrt(1 - together) * rng.normal(size=(clusters, each, systems))
    values = (shared + own).reshape(-1, systems)
    return Scores(values), {str(i + 1): f"c{i // each}" for i in range(len(values))}


def test_rows_of_clusters_have_the_means_and_the_errors_of_clusters() -> None:
    scores, clusters = clustered(0)
    rows = scores.by_cluster(clusters)
    assert rows.shape == (20, 4)
    assert rows.means() == pytest.approx(scores.means())
    # The usual sandwich: sums of residuals of the clusters, G/(G - 1).
    code = np.array([int(clusters[t][1:]) for t in scores.topics])
    residuals = scores.values - scores.means()
    sums = np.array([residuals[code == g].sum(axis=0) for g in range(20)])
    sandwich = sums.T @ sums / len(scores) ** 2 * 20 / 19
    assert np.cov(rows.values.T) / 20 == pytest.approx(sandwich)
    assert "rows are clusters, tested as wholes" in rows.notes[-1]


def test_clusters_of_one_topic_change_nothing() -> None:
    scores, _ = clustered(1, each=1)
    rows = scores.by_cluster({topic: topic for topic in scores.topics})
    assert rows.values == pytest.approx(scores.values)


def test_equal_systems_differ_too_often_without_clusters_and_seldom_with_them() -> None:
    alone = together = 0
    for seed in range(40):
        scores, clusters = clustered(seed)
        alone += significance(scores).significant > 0
        together += significance(scores.by_cluster(clusters)).significant > 0
    assert alone >= 16
    assert together <= 6
    wide = rank(Scores.by_cluster(*clustered(3)))
    assert wide.high.max() == 4


def test_few_clusters_are_refused_and_some_warned_of() -> None:
    scores, clusters = clustered(0, clusters=7)
    with pytest.raises(TauscopeError, match="There are 7 clusters of topics; at least 8 are needed"):
        scores.by_cluster(clusters)
    scores, clusters = clustered(0, clusters=10)
    assert scores.by_cluster(clusters).notes[-1] == (
        "with 10 clusters intervals hold somewhat less often than they say: those of 95 % in about 93 % of simulations "
        "with clusters of uneven size"
    )
    with pytest.raises(CallError, match="1 topic is in no cluster: '60'"):
        scores.by_cluster({t: c for t, c in clusters.items() if t != "60"})
    with pytest.raises(CallError, match="give a dict"):
        scores.by_cluster(["a"])


def simulated(seed: int, topics: int = 60, systems: int = 30, runs: int = 4) -> Repeats:
    """Variances 1 (systems), 2 (topics), 0.5 (both), 0.25 (runs)."""
    rng = np.random.default_rng(seed)
    parts = (
        rng.normal(size=(1, systems, 1)),
        math.sqrt(2) * rng.normal(size=(topics, 1, 1)),
        math.sqrt(0.5) * rng.normal(size=(topics, systems, 1)),
        0.5 * rng.normal(size=(topics, systems, runs)),
    )
    return Repeats(sum(parts))


def test_components_are_those_the_scores_were_made_of() -> None:
    found = [variance_components(simulated(seed)) for seed in range(8)]
    for name, truth in (("system", 1), ("topic", 2), ("interaction", 0.5), ("run", 0.25)):
        assert np.mean([getattr(parts, name) for parts in found]) == pytest.approx(truth, rel=0.15)


def test_without_repeats_the_coefficients_are_those_of_sensitivity() -> None:
    scores = simulated(0, runs=1).scores()
    found = variance_components(scores)
    relative, absolute = reliability_coefficients(Observed.of(scores.values))
    assert found.relative == pytest.approx(relative)
    assert found.absolute == pytest.approx(absolute)
    assert math.isnan(found.run)
    assert math.isnan(found.runs_needed())


def test_more_topics_or_runs_bring_the_reliability_that_they_promise() -> None:
    found = variance_components(simulated(1, topics=10, systems=12))
    topics = found.topics_needed(0.99)
    assert found.relative_at(topics) >= 0.99 > found.relative_at(topics - 1)
    runs = found.runs_needed(found.relative_at(10, 6))
    assert runs == 6
    assert found.runs_needed(0.9999) == math.inf
    assert found.topics_needed(0.99, runs=1) >= topics
    low, high = found.relative_limits
    assert low < found.relative < high < 1


def test_a_long_table_with_runs_is_read(tmp_path: Path) -> None:
    rows = [(m, t, s) for m in ("x", "y") for t in ("t1", "t2", "t3") for s in range(3)]
    path = tmp_path / "long.csv"
    path.write_text(
        "model,task,seed,score\n" + "".join(f"{m},{t},{s},{0.1 * s}\n" for m, t, s in rows) + "x,t1,9,1\n", "utf-8"
    )
    found = Repeats.read(path)
    assert found.values.shape == (3, 2, 3)
    assert found.notes[-1] == "up to 4 runs in some cells: the first 3 of each are used"
    assert found.scores().means() == pytest.approx([0.1, 0.1])
    with pytest.raises(FileError, match="no column holds the run"):
        Repeats.read([{"model": "x", "task": "t", "score": 1}])
    with pytest.raises(FileError, match="is there twice"):
        Repeats.read([{"model": "x", "task": "t", "seed": 1, "score": 1}] * 2)
    cells = [{"model": "x", "task": "t", "seed": 1, "score": 1}, {"model": "y", "task": "u", "seed": 1, "score": 1}]
    with pytest.raises(FileError, match="system 'y' has no run on topic 't'"):
        Repeats.read(cells)
    with pytest.raises(CallError, match="topics x systems x runs"):
        Repeats([[1, 2]])
    with pytest.raises(TauscopeError, match="one of them is missing"):
        Repeats([[[1, math.nan]]])


@pytest.mark.parametrize("absolute", [False, True])
@pytest.mark.parametrize("runs", [None, 1, 5])
def test_as_many_topics_as_are_needed_give_the_reliability_and_one_less_does_not(
    absolute: bool, runs: int | None
) -> None:
    rng = np.random.default_rng(2)
    values = 0.5 * rng.normal(size=6)[None, :, None] + 0.4 * rng.normal(size=(15, 1, 1)) + rng.normal(size=(15, 6, 2))
    found = variance_components(Repeats(values))
    at = found.absolute_at if absolute else found.relative_at
    needed = found.topics_needed(0.9, runs, absolute=absolute)
    assert at(needed, runs) >= 0.9 - 1e-12
    assert at(needed - 1, runs) < 0.9
    low, high = found.topics_needed_limits(0.9, runs, absolute=absolute)
    assert low <= needed <= high
    assert at(found.topics, found.runs) == pytest.approx(found.absolute if absolute else found.relative)
    if runs is None:
        # The upper limit of the coefficient needs the fewest topics.
        best = (found.absolute_limits if absolute else found.relative_limits)[1]
        assert low == math.ceil(15 * (1 / best - 1) * 9 - 1e-9)
