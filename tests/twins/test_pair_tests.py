"""p-values of all pairs against SciPy, against counting every case, and against plain loops."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from scipy import stats

from tauscope import Scores, significance
from tauscope.inference import corrections
from tauscope.inference.corrections import caution, with_one_against
from tauscope.inference.true_means import Observed


def matrix(topics: int, systems: int, *, digits: int | None = None, seed: int = 0) -> Scores:
    rng = np.random.default_rng(seed)
    values = rng.beta(1, 2, size=(topics, 1)) + np.linspace(0, 0.3, systems) + 0.3 * rng.normal(size=(topics, systems))
    return Scores(values if digits is None else values.round(digits))


def each(scores: Scores, p) -> list[tuple[float, np.ndarray]]:
    """(p, differences) of every pair of a result."""
    found = []
    for pair in p.pairs:
        a, b = (scores.values[:, scores.systems.index(name)] for name in pair[:2])
        found.append((pair.p, a - b))
    return found


def test_the_paired_t_is_that_of_scipy() -> None:
    scores = matrix(20, 9)
    for p, difference in each(scores, significance(scores, test="t", correction=None)):
        assert p == pytest.approx(stats.ttest_1samp(difference, 0).pvalue, rel=1e-9)


@pytest.mark.parametrize("topics", [5, 20, 50])
def test_wilcoxon_without_ties_is_scipys_exact_one(topics: int) -> None:
    scores = matrix(topics, 8)
    for p, difference in each(scores, significance(scores, test="wilcoxon", correction=None)):
        assert p == pytest.approx(stats.wilcoxon(difference, method="exact").pvalue, rel=1e-9)


@pytest.mark.parametrize(("topics", "digits"), [(30, 1), (60, None), (60, 1), (25, 0)])
def test_wilcoxon_with_ties_zeros_or_many_topics_is_scipys_normal_one(topics: int, digits: int | None) -> None:
    scores = matrix(topics, 8, digits=digits)
    normal = 0
    for p, difference in each(scores, significance(scores, test="wilcoxon", correction=None)):
        exact = np.round(difference, 9)  # as SciPy advises: ties up to rounding
        used = np.abs(exact[exact != 0])
        if len(np.unique(used)) < len(used) or len(used) > 50:
            normal += 1
            twin = stats.wilcoxon(exact, method="asymptotic", correction=False).pvalue
            assert p == pytest.approx(twin, rel=1e-9)
    assert normal > 20


def test_differences_that_differ_by_rounding_only_are_tied() -> None:
    scores = Scores([[0.3, 0.2], [0.4, 0.3], [0.2, 0.1], [0.9, 0.3], [0.1, 0.2], [0.5, 0.5]])
    twin = stats.wilcoxon([1, 1, 1, 6, -1, 0], method="asymptotic", correction=False).pvalue
    assert significance(scores, test="wilcoxon", correction=None)["1", "2"] == pytest.approx(twin)


def test_the_randomisation_test_counts_all_exchanges() -> None:
    scores = matrix(9, 5)
    result = significance(scores, test="permutation", correction=None, draws=20_000, rng=1)
    signs = np.array(list(product((-1, 1), repeat=9)))
    for p, difference in each(scores, result):
        exact = (np.abs(signs @ difference) >= abs(difference.sum()) - 1e-9).mean()
        assert p == pytest.approx(exact)
    sampled = significance(scores, test="permutation", correction=None, draws=200, rng=1)
    assert np.abs(sampled.p_values - result.p_values).max() < 0.15
    assert (result.draws, sampled.draws) == (255, 200)


def test_the_randomised_tukey_hsd_is_that_of_a_plain_loop() -> None:
    scores = matrix(12, 6)
    result = significance(scores, test="permutation", rng=1, draws=4000)
    rng = np.random.default_rng(7)
    ranges = []
    for _ in range(4000):
        shuffled = np.array([rng.permutation(row) for row in scores.values])
        ranges.append(np.ptp(shuffled.mean(axis=0)))
    for p, difference in each(scores, result):
        share = (np.array(ranges) >= abs(difference.mean()) - 1e-12).mean()
        assert p == pytest.approx(share, abs=4 * np.sqrt(share * (1 - share) / 2000) + 1e-3)


def test_max_t_with_step_down_is_that_of_a_plain_loop() -> None:
    observed = Observed.of(matrix(15, 5).values)
    draws = 500
    ours = corrections.max_t(observed, draws, np.random.default_rng(5))
    signs = corrections.signs_of(slice(0, draws), draws, 15, np.random.default_rng(5))
    pairs = list(zip(*observed.pairs, strict=True))
    differences = np.array([observed.x[i] - observed.x[j] for i, j in pairs])
    variance = differences.var(axis=1, ddof=1)
    # One more topic, as usual as any: 1/n of the median variance is added.
    t = np.sqrt(15) * differences.mean(axis=1) / np.sqrt(variance + np.median(variance) / 15)
    t = np.maximum(t / caution(observed, np.random.default_rng(5)), with_one_against(observed))
    flipped = np.abs(
        [stats.ttest_1samp(signs * (observed.x[i] - observed.x[j]), 0, axis=1).statistic for i, j in pairs]
    )
    running = 0.0
    for pair in np.argsort(-t):
        rest = flipped[t <= t[pair]].max(axis=0)
        running = max(running, (1 + (rest >= t[pair] - 1e-9).sum()) / (1 + draws))
        assert ours[pair] == pytest.approx(running)


def test_max_rank_is_that_of_a_plain_loop() -> None:
    observed = Observed.of(matrix(12, 5, digits=1).values)
    ours = corrections.max_rank(observed, 300, np.random.default_rng(5))
    signs = corrections.signs_of(slice(0, 300), 300, 12, np.random.default_rng(5))
    first, second = observed.pairs
    rows = []
    for i, j in zip(first, second, strict=True):
        difference = np.round(observed.x[i] - observed.x[j], 9)
        rank = np.zeros(12)
        rank[difference != 0] = stats.rankdata(np.abs(difference[difference != 0]))
        signed = np.sign(difference) * rank
        rows.append(signed / np.sqrt((signed**2).sum()))
    largest = np.abs(signs @ np.array(rows).T).max(axis=1)
    for p, row in zip(ours, rows, strict=True):
        assert p == pytest.approx((1 + (largest >= abs(row.sum()) - 1e-9).sum()) / 301)


def test_the_false_discovery_rate_is_scipys_and_holm_is_a_loop() -> None:
    p = np.random.default_rng(0).beta(0.3, 1, size=40)
    assert corrections.false_discovery(p) == pytest.approx(stats.false_discovery_control(p))
    running, twin = 0.0, np.empty(40)
    for k, place in enumerate(np.argsort(p)):
        running = max(running, min(1.0, (40 - k) * p[place]))
        twin[place] = running
    assert corrections.holm(p) == pytest.approx(twin)
