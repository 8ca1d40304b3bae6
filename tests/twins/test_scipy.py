"""SciPy computes some of our coefficients too."""

from __future__ import annotations

import inspect

import numpy as np
import pytest
import scipy
from scipy import stats

from tauscope import pearson, somers_d, spearman, tau_b, weighted_tau
from tauscope.coefficients.correlate import correlate_batch, correlation_matrix

pytestmark = pytest.mark.both

PEERS = {
    "tau_b": lambda y, x: stats.kendalltau(y, x).statistic,
    "spearman": lambda y, x: stats.spearmanr(y, x).statistic,
    "pearson": lambda y, x: stats.pearsonr(y, x).statistic,
    "weighted_tau": lambda y, x: stats.weightedtau(y, x).statistic,
}


@pytest.mark.parametrize("levels", [3, 10, 10**9])
@pytest.mark.parametrize("n", [2, 3, 10, 50, 200, 700])
@pytest.mark.parametrize("name", PEERS)
def test_a_batch_of_random_rankings_with_ties_equals_scipy(name: str, n: int, levels: int, kernels_in_use: str) -> None:
    rng = np.random.default_rng([n, levels])
    estimates, truths = rng.integers(0, levels, (2, 12, n)).astype(float)
    usable = (np.ptp(estimates, axis=1) > 0) & (np.ptp(truths, axis=1) > 0)  # SciPy warns of constant input
    found = correlate_batch(estimates, truth=truths, coefficient=name).values
    expected = [PEERS[name](y, x) for y, x in zip(estimates[usable], truths[usable], strict=True)]
    assert usable.any()
    np.testing.assert_allclose(found[usable], expected, rtol=0, atol=1e-12)
    assert np.isnan(found[~usable]).all()


@pytest.mark.skipif(
    "axis" not in inspect.signature(stats.kendalltau).parameters,
    reason=f"SciPy {scipy.__version__} has no axis in kendalltau; that came with 1.16",
)
def test_tau_b_of_one_axis_equals_scipy_row_by_row() -> None:
    rng = np.random.default_rng(5)
    estimates, truth = rng.integers(0, 30, (40, 100)).astype(float), rng.integers(0, 30, 100).astype(float)
    expected = stats.kendalltau(estimates, np.broadcast_to(truth, estimates.shape), axis=-1).statistic
    np.testing.assert_allclose(
        correlate_batch(estimates, truth=truth, coefficient="tau_b").values, expected, rtol=0, atol=1e-12
    )


@pytest.mark.parametrize("levels", [4, 10**9])
def test_weights_from_the_truth_are_scipys_by_the_ranks_of_its_first_argument(levels: int) -> None:
    y, x = np.random.default_rng(levels).integers(0, levels, (2, 60)).astype(float)
    found, expected = weighted_tau(y, truth=x, weights_from="truth").value, stats.weightedtau(x, y, rank=None).statistic
    assert abs(found - expected) <= 1e-12


@pytest.mark.parametrize("levels", [2, 4, 10**9])
@pytest.mark.parametrize("n", [3, 10, 30])
def test_somers_d_of_the_estimate_given_the_truth_is_scipys_of_columns_given_rows(n: int, levels: int) -> None:
    for y, x in np.random.default_rng([n, levels]).integers(0, levels, (9, 2, n)).astype(float):
        if np.ptp(x) > 0 and np.ptp(y) > 0:  # SciPy takes no constant input
            assert abs(somers_d(y, truth=x).value - stats.somersd(x, y).statistic) <= 1e-12


@pytest.mark.parametrize(("name", "method"), [("tau_b", "kendall"), ("spearman", "spearman"), ("pearson", "pearson")])
def test_a_matrix_equals_that_of_pandas(name: str, method: str, kernels_in_use: str) -> None:
    pandas = pytest.importorskip("pandas")
    rankings = np.random.default_rng(6).integers(0, 9, (7, 40)).astype(float)
    expected = pandas.DataFrame(rankings.T).corr(method=method).to_numpy()
    np.testing.assert_allclose(correlation_matrix(rankings, name).values, expected, rtol=0, atol=1e-12)


@pytest.mark.parametrize("name", ["spearman", "pearson"])
def test_scores_with_a_large_offset_are_no_problem(name: str, kernels_in_use: str) -> None:
    rng = np.random.default_rng(8)
    y, x = rng.integers(0, 1000, (2, 60)).astype(float)
    function = {"spearman": spearman, "pearson": pearson}[name]
    shifted = function(y / 1024 + 1e6, x / 1024 + 1e6).value  # exact: 2^-10 steps at 2^20
    assert abs(shifted - PEERS[name](y, x)) < 1e-12


def test_tau_b_of_a_million_items_equals_scipy(compiled: object) -> None:
    rng = np.random.default_rng(9)
    y = rng.integers(0, 200_000, 1_000_000).astype(float)
    x = np.round(y / 3 + rng.normal(0, 30_000, 1_000_000))
    assert abs(tau_b(y, x).value - stats.kendalltau(y, x).statistic) < 1e-12
