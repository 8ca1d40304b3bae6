"""Prediction of measures against a loop of scikit-learn and SciPy, one regression and one tau_b at a time."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from scipy.stats import kendalltau

from tauscope.measures import Table as MeasureTable
from tauscope.measures import predict as predict_measure
from tauscope.measures.prediction import Training, search

linear_model = pytest.importorskip("sklearn.linear_model", reason="scikit-learn is not installed")
metrics = pytest.importorskip("sklearn.metrics")


def collection(seed: int, systems: int, measures: int = 7) -> MeasureTable:
    """Scores with four decimals, as in published tables, so that there are ties."""
    rng = np.random.default_rng(seed)
    values = rng.random((systems, 2)) @ rng.random((2, measures)) * 0.4 + 0.05 * rng.random((systems, measures))
    return MeasureTable(values.round(2), [f"s{i}" for i in range(systems)], [f"m{j}" for j in range(measures)])


@pytest.mark.both
@pytest.mark.parametrize("seed", range(3))
def test_every_set_has_the_tau_b_and_the_r2_of_a_loop_of_scikit_learn_and_scipy(seed: int) -> None:
    train, select = collection(seed, 50), collection(seed + 10, 30)
    found = predict_measure(train, "m0", select_on={"there": select}, keep=1000)
    assert len(found.sets) == 6 + 15 + 20
    for one in found.sets:
        columns = [train.measures.index(name) for name in one.predictors]
        model = linear_model.LinearRegression().fit(train.values[:, columns], train.values[:, 0])
        made = model.predict(select.values[:, columns])
        fit = one.fits[0]
        assert fit.r2 == pytest.approx(metrics.r2_score(select.values[:, 0], made), abs=1e-10)
        # BLAS gives equal systems predictions that differ in the last digit; they are the same.
        assert fit.tau_b == pytest.approx(kendalltau(made.round(12), select.values[:, 0]).statistic, abs=1e-12)


def test_the_best_sets_are_those_of_the_loop_in_the_same_order() -> None:
    train, select = collection(20, 60), collection(21, 40)
    training = Training(train.values, select.values, train.measures)
    best, tried, singular = search(training, 0, np.arange(1, 7), range(1, 4), "tau_b", 5)
    assert (tried, singular) == (41, 0)
    for size, kept in enumerate(best, 1):
        scored = []
        for columns in combinations(range(1, 7), size):
            model = linear_model.LinearRegression().fit(train.values[:, columns], train.values[:, 0])
            made = model.predict(select.values[:, columns]).round(12)
            scored.append((-round(kendalltau(made, select.values[:, 0]).statistic, 12), columns))
        assert [one.columns for one in kept] == [columns for _, columns in sorted(scored, key=lambda s: s[0])[:5]]


@pytest.mark.parametrize("alpha", [0.1, 10.0])
def test_a_regressor_of_scikit_learn_predicts_as_it_does_by_itself(alpha: float) -> None:
    train, new = collection(30, 50), collection(31, 9)
    found = predict_measure(
        train, "m0", predictors=["m1", "m2"], min_predictors=2, max_predictors=2, model=linear_model.Ridge(alpha=alpha)
    )
    assert found.model == "Ridge"
    alone = linear_model.Ridge(alpha=alpha).fit(train.values[:, 1:3], train.values[:, 0])
    assert found.predict(new).values == pytest.approx(alone.predict(new.values[:, 1:3]), abs=1e-12)
