"""Predicting measures: every set equals a regression of its own, leaving out equals refitting, intervals hold."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from tauscope import ScoreCube
from tauscope.core.arrays import snap, snap_rows
from tauscope.errors import CallError, TauscopeError
from tauscope.measures import (
    Table as MeasureTable,
)
from tauscope.measures import (
    low_to_high,
)
from tauscope.measures import (
    predict as predict_measure,
)
from tauscope.measures import (
    predict as predict_measures,
)
from tauscope.measures.depths import split_by_depth
from tauscope.measures.regression import LeastSquares, LinearFit, quality, sets_of

MEASURES = ["AP", "P@10", "RR", "nDCG", "Rprec", "Bpref"]


def collection(seed: int, systems: int = 40, shift: float = 0.0, measures: list[str] = MEASURES) -> MeasureTable:
    """Measures that share how good a system is."""
    rng = np.random.default_rng(seed)
    quality_ = rng.normal(0, 1, (systems, 2)) @ np.array(
        [[1.0, 0.8, 0.3, 0.9, 1.0, 0.5], [0.0, 0.4, 1.0, 0.3, 0.1, 0.6]]
    )
    values = 0.3 + shift + 0.05 * quality_ + 0.01 * rng.normal(size=(systems, 6))
    return MeasureTable(values[:, : len(measures)].round(4), [f"s{i}" for i in range(systems)], measures)


def least_squares(values: np.ndarray, target: np.ndarray) -> np.ndarray:
    return np.linalg.lstsq(np.column_stack([np.ones(len(values)), values]), target, rcond=None)[0]


@pytest.mark.parametrize("size", [1, 2, 3, 5])
def test_every_set_at_once_equals_a_regression_of_its_own(size: int) -> None:
    rng = np.random.default_rng(size)
    values = rng.normal(size=(30, 7)) @ rng.normal(size=(7, 7)) * 10.0 ** rng.uniform(-3, 3, 7) + 1000
    squares = LeastSquares(values)
    for sets in sets_of(np.arange(6), size, 4):
        fits = squares.fit(sets, 6)
        for row, one in enumerate(sets):
            expected = least_squares(values[:, one], values[:, 6])
            scale = np.abs(expected[1:]).max()
            assert fits.slopes[row] == pytest.approx(expected[1:], abs=1e-9 * scale)
            predicted = fits.predictions(values)[row]
            assert predicted == pytest.approx(expected[0] + values[:, one] @ expected[1:], rel=1e-8)


def test_nearly_collinear_predictors_keep_their_digits() -> None:
    rng = np.random.default_rng(1)
    base = rng.normal(size=(60, 1))
    values = np.column_stack([base, base + 1e-4 * rng.normal(size=(60, 1)), rng.normal(size=60)])
    target = values @ [3.0, -2.0, 1.0] + 0.1 * rng.normal(size=60)
    fits = LeastSquares(np.column_stack([values, target])).fit(np.array([[0, 1, 2]]), 3)
    assert not fits.singular.any()
    assert fits.slopes[0] == pytest.approx(least_squares(values, target)[1:], rel=1e-9)


def test_collinear_predictors_are_singular_and_predict_like_the_pseudo_inverse() -> None:
    rng = np.random.default_rng(2)
    values = rng.normal(size=(25, 3))
    values[:, 2] = values[:, 0] - 2 * values[:, 1]
    target = values[:, 0] + 0.1 * rng.normal(size=25)
    fits = LeastSquares(np.column_stack([values, target])).fit(np.array([[0, 1, 2]]), 3)
    assert fits.singular.tolist() == [True]
    expected = least_squares(values[:, :2], target)
    assert fits.predictions(values)[0] == pytest.approx(expected[0] + values[:, :2] @ expected[1:], abs=1e-9)


def test_leaving_a_system_out_equals_fitting_without_it() -> None:
    table = collection(3, 15)
    squares = LeastSquares(table.values)
    sets = np.array(list(combinations(range(1, 6), 2)))
    left_out = squares.left_out(squares.fit(sets, 0), 0)
    for row, one in enumerate(sets):
        for out in range(15):
            kept = np.arange(15) != out
            b = least_squares(table.values[kept][:, one], table.values[kept, 0])
            assert left_out[row, out] == pytest.approx(b[0] + table.values[out, one] @ b[1:], abs=1e-10)


def test_equal_systems_get_equal_predictions_wherever_they_stand() -> None:
    rng = np.random.default_rng(4)
    values = rng.random((50, 4)).round(2)
    repeated = values[rng.integers(0, 10, 203)]
    made = LeastSquares(values).fit(np.array([[0, 1, 2]]), 3).predictions(repeated)[0]
    for value in np.unique(repeated, axis=0):
        assert len(set(made[(repeated == value).all(axis=1)])) == 1


def test_rows_are_snapped_as_single_rankings_are() -> None:
    rng = np.random.default_rng(5)
    rows = rng.integers(0, 6, (50, 9)) * 0.1 + rng.choice([0, 1e-16, -1e-16, 1e-10], (50, 9))
    snapped = snap_rows(rows)
    assert any((snapped != rows).any(axis=1))
    for row, expected in zip(snapped, rows, strict=True):
        assert row.tolist() == snap(expected)[0].tolist()
    assert snap_rows(np.ones((3, 1))).shape == (3, 1)


def test_the_quality_of_predictions_is_scipys_tau_and_the_textbooks_r2_and_rmse() -> None:
    rng = np.random.default_rng(6)
    truth = rng.random(30).round(2)
    made = truth + 0.1 * rng.normal(size=(4, 30))
    tau, r2, rmse = quality(made, truth)
    for row in range(4):
        assert tau[row] == pytest.approx(stats.kendalltau(made[row], truth).statistic, abs=1e-12)
        assert r2[row] == pytest.approx(1 - ((truth - made[row]) ** 2).sum() / ((truth - truth.mean()) ** 2).sum())
        assert rmse[row] == pytest.approx(np.sqrt(((truth - made[row]) ** 2).mean()))
    tau, r2, _ = quality(made, np.full(30, 0.3))
    assert np.isnan(tau).all()
    assert np.isnan(r2).all()


def test_prediction_intervals_are_those_of_the_textbook() -> None:
    table = collection(7, 30)
    x, y = table.values[:, 1:4], table.values[:, 0]
    design = np.column_stack([np.ones(30), x])
    b = np.linalg.solve(design.T @ design, design.T @ y)
    s = np.sqrt(((y - design @ b) ** 2).sum() / 26)
    new = np.array([[0.31, 0.25, 0.4], [0.2, 0.3, 0.1]])
    rows = np.column_stack([np.ones(2), new])
    width = (
        stats.t.ppf(0.95, 26) * s * np.sqrt(1 + np.einsum("ij,jk,ik->i", rows, np.linalg.inv(design.T @ design), rows))
    )
    fitted = LinearFit(x, y)
    assert fitted.predict(new) == pytest.approx(rows @ b)
    assert fitted.half_widths(new, 0.9) == pytest.approx(width)


@pytest.mark.parametrize("model", ["linear", "svm"])
def test_intervals_hold_what_they_promise_for_new_systems_of_the_same_kind(model: str) -> None:
    held = []
    for seed in range(20 if model == "linear" else 4):
        every = collection(100 + seed, 240)
        train, new = every.select(systems=every.systems[:40]), every.select(systems=every.systems[40:])
        found = predict_measure(
            train, "AP", predictors=["P@10", "RR"], min_predictors=2, max_predictors=2, model=model, level=0.8
        )
        made = found.predict(new)
        held.append(((new["AP"] >= made.low) & (new["AP"] <= made.high)).mean())
    assert 0.74 < np.mean(held) < 0.9


def test_a_set_is_chosen_on_one_collection_and_tested_on_others() -> None:
    train, select, test = collection(1), collection(2, 25), collection(3, 30, shift=0.5)
    found = predict_measure(train, "AP", select_on={"chosen": select}, test={"tested": test}, keep=100)
    best = -2.0
    for size in (1, 2, 3):
        for one in combinations(range(1, 6), size):
            b = least_squares(train.values[:, one], train.values[:, 0])
            made = b[0] + select.values[:, one] @ b[1:]
            best = max(best, stats.kendalltau(made.round(12), select["AP"]).statistic)
    assert found.chosen.fits[0].tau_b == pytest.approx(best, abs=1e-12)
    assert (found.tried, len(found.sets)) == (5 + 10 + 10, 25)
    assert [fit.collection for fit in found.chosen.fits] == ["chosen", "tested"]
    by_r2 = predict_measure(train, "AP", select_on=select, criterion="r2")
    assert by_r2.chosen.fits[0].r2 >= found.chosen.fits[0].r2


def test_of_equal_sets_the_smaller_one_is_chosen_and_then_the_first() -> None:
    rng = np.random.default_rng(8)
    base = np.sort(rng.random(20)).round(3)
    train = MeasureTable(
        np.column_stack([base, base, base * 2, rng.random(20)]),
        [f"s{i}" for i in range(20)],
        ["AP", "P@10", "RR", "Bpref"],
    )
    select = MeasureTable(train.values[::-1] + 0.0, train.systems, train.measures)
    found = predict_measure(train, "AP", select_on=select, max_predictors=2)
    assert found.chosen.predictors == ("P@10",)
    assert found.chosen.fits[0].tau_b == 1


def test_the_trained_formula_is_what_predicts() -> None:
    found = predict_measure(collection(1), "AP", predictors=["P@10"], max_predictors=1)
    made = found.predict({"P_10": [0.3, 0.4]})
    slope = (made.values[1] - made.values[0]) / 0.1
    assert found.formula() == f"AP = {made.values[0] - 0.3 * slope:.4g} + {slope:.4g} P@10"
    assert made.systems == ("1", "2")
    assert (made.low < made.values).all()
    assert (made.high > made.values).all()


def test_a_prediction_outside_training_says_so_and_stays_in_the_range_of_the_measure() -> None:
    found = predict_measure(collection(1), "AP", predictors=["P@10"], max_predictors=1)
    far = found.predict({"P@10": -3.0})
    assert far.extrapolated == (True,)
    assert "what was seen in training" in str(far)
    assert far.low[0] == far.values[0] < 0  # the point is not moved, the interval is cut
    near = found.predict({"P@10": 0.3}, level=0.999999999)
    assert near.low[0] >= 0
    assert near.high[0] <= 1


def test_an_interval_does_not_depend_on_the_other_systems_of_the_call() -> None:
    found = predict_measure(collection(1), "AP", predictors=["P@10"], max_predictors=1)
    alone, beside = (
        found.predict({"P@10": 0.02}, level=0.999999),
        found.predict({"P@10": [0.02, -3, 9]}, level=0.999999),
    )
    assert alone.low[0] == 0
    assert (beside.low[0], beside.high[0]) == (alone.low[0], alone.high[0])
    assert beside.outside.tolist() == [False, True, True]
    assert "The value of 2 systems is outside the range of AP, 0 to 1." in " ".join(str(beside).split())
    assert not any("range" in line for line in str(alone).splitlines())


@pytest.mark.parametrize("scale", [1e160, 1e300, 1e-170, 1e-300])
def test_the_unit_of_the_scores_changes_no_prediction(scale: float) -> None:
    table = collection(1)
    names = [f"m{i}" for i in range(6)]
    usual, scaled = (
        predict_measure(MeasureTable(table.values * by, table.systems, names), "m0", max_predictors=2)
        for by in (1.0, scale)
    )
    assert scaled.chosen.predictors == usual.chosen.predictors
    one, two = usual.chosen.fits[0], scaled.chosen.fits[0]
    assert (two.tau_b, two.r2, two.rmse / scale) == pytest.approx((one.tau_b, one.r2, one.rmse))
    values = dict.fromkeys(names[1:], 0.3)
    near, far = usual.predict(values), scaled.predict({name: value * scale for name, value in values.items()})
    assert (far.low / scale, far.high / scale) == (pytest.approx(near.low), pytest.approx(near.high))


def test_many_targets_share_their_training_and_no_target_predicts_itself() -> None:
    train, select = collection(1), collection(2)
    many = predict_measures(train, select_on={"there": select})
    assert [one.target for one in many] == MEASURES
    for one in many:
        alone = predict_measure(train, one.target, select_on={"there": select}, keep=1)
        assert alone.chosen == one.chosen
        assert all(one.target not in chosen.predictors for chosen in one.sets)
    assert sum(many.frequencies().values()) == 6 * (1 + 2 + 3)
    assert many["map"].target == "AP"
    assert list(many.columns())[:3] == ["target", "size", "predictors"]


def test_cubes_are_predicted_by_their_means_and_any_regressor_will_do() -> None:
    rng = np.random.default_rng(9)
    cube = ScoreCube(rng.random((3, 10, 20)), ["AP", "RR", "P@10"])

    class Mean:
        def fit(self, values: np.ndarray, target: np.ndarray) -> None:
            self.mean = target.mean()

        def predict(self, values: np.ndarray) -> np.ndarray:
            return np.full(len(values), self.mean)

    found = predict_measure(cube, "AP", model=Mean(), test={"again": cube})
    assert found.model == "Mean"
    assert np.isnan(found.chosen.fits[1].tau_b)  # all predictions are tied
    assert found.predict({"RR": 0.5, "P@10": 0.1}).values[0] == pytest.approx(cube.means()[0].mean())


def test_other_models_try_the_shortlist_only_and_say_so() -> None:
    pytest.importorskip("sklearn")
    told: list[tuple[int, int]] = []
    found = predict_measure(
        collection(1),
        "AP",
        select_on=collection(2),
        model="svm",
        max_predictors=2,
        shortlist=2,
        keep=1,
        progress=lambda *at: told.append(at),
    )
    assert found.tried == 2 * 2 * 4
    assert told[-1] == (16, 16)
    assert "tried on the 2 best sets of each size by linear regression" in " ".join(str(found).split()).lower()
    assert found.chosen.variant.startswith("kernel size")
    boosted = predict_measure(collection(1), "AP", model="boosting", max_predictors=1, shortlist=1, keep=1)
    assert boosted.chosen.fits[0].r2 < 1  # left out, not fitted


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: predict_measure(collection(1), "ap2"), r"There is no measure 'AP@2' among the 6\. Do you mean 'AP'\?"),
        (
            lambda: predict_measure(collection(1), "AP", predictors=["GMAP"]),
            r"There is no measure 'GMAP' among the 6\.",
        ),
        (lambda: predict_measure(collection(1), "AP", predictors=["AP"]), r"No measure is left to predict AP from\."),
        (
            lambda: predict_measure(collection(1), "AP", test={"new": collection(2, measures=MEASURES[1:])}),
            r"There is no measure 'AP' in 'new'; it has 'P@10'",
        ),
        (
            lambda: predict_measure(collection(1, 4), "AP"),
            r"4 systems in training are too few for an intercept, 3 slopes and an error: 5 are needed\. "
            r"Pass max_predictors=2\.",
        ),
        (lambda: predict_measure(collection(1, 2), "AP", max_predictors=1), r"Give more systems to learn from\."),
        (
            lambda: predict_measure(collection(1), "AP", max_predictors=0),
            r"max_predictors=0: max_predictors is a whole number of at least 1",
        ),
        (
            lambda: predict_measure(collection(1), "AP", min_predictors=6, max_predictors=6),
            r"min_predictors=6, and there are 5 predictors",
        ),
        (
            lambda: predict_measure(collection(1), "AP", criterion="mse"),
            r"criterion='mse' is unknown; use 'tau_b' or 'r2'\.",
        ),
        (
            lambda: predict_measure(collection(1), "AP", model="tree"),
            r"model='tree' is unknown\. Pass model=\"linear\", \"svm\" or \"boosting\" or an object",
        ),
        (lambda: predict_measure(collection(1), "AP", model=3), r"model=3 has no fit\(\) and predict\(\)"),
        (lambda: predict_measure(collection(1), "AP", level=95), r"level=95 must be between 0 and 1"),
        (lambda: predict_measure(collection(1), "AP", keep=0), r"keep=0: keep is a whole number of at least 1"),
        (
            lambda: predict_measure(collection(1), "AP", max_predictors="2"),
            r"max_predictors='2': max_predictors is a whole number",
        ),
        (lambda: predict_measure(collection(1), "AP", shortlist=2.5), r"shortlist=2.5: shortlist is a whole number"),
        (lambda: predict_measure(collection(1), "AP", level="a"), r"level='a' must be between 0 and 1"),
        (
            lambda: predict_measure(collection(1), "AP").predict({"P@10": 0.1}, level="a"),
            r"level='a' must be between 0 and 1",
        ),
        (
            lambda: predict_measure(collection(1), "AP", predictors=["RR"]).predict({"RR": []}),
            r"was given no values of RR; give one per system",
        ),
        (lambda: predict_measure(3, "AP"), r"takes a ScoreCube, a measures.Table or Scores, not int\."),
        (lambda: predict_measure([], "AP"), r"needs at least one collection"),
        (
            lambda: predict_measure(collection(1), "AP", select_on=[collection(2), collection(3)]),
            r"select_on is one collection",
        ),
        (
            lambda: predict_measure(collection(1), "AP", predictors=["RR"]).predict({"RR": "x"}),
            r"predict\(\) takes numbers",
        ),
        (
            lambda: predict_measure(collection(1), "AP", predictors=["RR"]).predict({"P@10": 1}),
            r"predict\(\) needs RR; not given: RR\.",
        ),
        (lambda: predict_measure(collection(1), "AP").predict([0.3]), r"predict\(\) takes {measure: value}"),
        (
            lambda: predict_measure(collection(1), "AP", predictors=["RR"]).predict({"RR": float("nan")}),
            r"needs finite numbers",
        ),
        (
            lambda: predict_measure(collection(1), "AP").best(4),
            r"No set of 4 predictors was tried; there are sizes 1, 2, 3\.",
        ),
    ],
)
def test_a_wrong_call_says_what_is_wrong_and_what_to_do(call, message) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(TauscopeError, match=message):
        call()


def test_training_data_are_not_for_choosing() -> None:
    train = collection(1)
    with pytest.raises(CallError, match="select_on is the training data itself"):
        predict_measure(train, "AP", select_on=train)


def test_constant_measures_are_no_predictors_and_no_targets() -> None:
    values = np.array(collection(1).values)
    values[:, 2] = 0.5
    table = MeasureTable(values, [f"s{i}" for i in range(40)], MEASURES)
    found = predict_measure(table, "AP", test={"there": collection(2)})
    assert "onstant in training, so no predictor: RR" in " ".join(str(found).split())
    assert "RR" not in found.frequencies()
    with pytest.raises(TauscopeError, match=r"RR is constant in training, so there is nothing to predict"):
        predict_measure(table, "RR")
    with pytest.raises(TauscopeError, match=r"RR is constant on flat, so no set can be chosen there"):
        predict_measure(collection(2), "RR", select_on={"flat": table})
    tested = predict_measure(collection(2), "RR", select_on=collection(3), test={"flat": table})
    assert np.isnan(tested.chosen.fits[1].tau_b)
    assert np.isnan(tested.chosen.fits[1].r2)


def test_collections_with_other_systems_and_other_measures_share_what_they_share() -> None:
    other = collection(2, 13, measures=MEASURES[:4])
    found = predict_measure([collection(1), collection(4, 7)], "AP", test=[other])
    assert found.systems == 47
    assert "eft out, not in every collection: Rprec and Bpref" in " ".join(str(found).split())
    assert found.chosen.fits[1].systems == 13


def deep(seed: int, systems: int = 25) -> MeasureTable:
    rng = np.random.default_rng(seed)
    good = rng.random((systems, 1))
    labels, columns = [], []
    for depth in (10, 20, 100):
        for name in ("AP", "RR", "nDCG"):
            labels.append(f"{name}(depth={depth})")
            columns.append(good[:, 0] * (1 - 1 / depth) + (2 / depth) * rng.random(systems))
    return MeasureTable(np.column_stack(columns), [f"s{i}" for i in range(systems)], labels)


def test_shallow_measures_predict_deep_ones_better_the_deeper_they_are() -> None:
    options = {"targets": ["AP"], "predictors": ["AP", "RR", "nDCG"], "depths": (10, 20), "target_depths": (100,)}
    found = low_to_high({"a": deep(1), "b": deep(2), "c": deep(3)}, **options)  # type: ignore[arg-type]
    shallow, deeper = found.at("AP", 100, 10), found.at("AP", 100, 20)
    assert np.mean([fit.tau_b for fit in deeper.fits]) > np.mean([fit.tau_b for fit in shallow.fits])
    assert found.tried == 7
    assert "each collection from all the others" in found.methods_sentence()
    alone = low_to_high(deep(1), rng=4, **options)  # type: ignore[arg-type]
    assert alone.seed == 4
    assert alone.at("AP", 100, 20) == low_to_high(split_by_depth(deep(1)), rng=4, **options).at("AP", 100, 20)  # type: ignore[arg-type]
    assert alone.plot().lines


def test_a_predictor_that_is_constant_at_some_depth_does_no_harm() -> None:
    tables = {}
    for name in "abc":
        values = np.array(deep(ord(name)).values)
        values[:, 1] = 0.1 + 0.2  # RR at depth 10
        tables[name] = MeasureTable(values, deep(1).systems, deep(1).measures)
    options = {"targets": ["AP"], "depths": (10,), "target_depths": (100,)}
    with_it = low_to_high(tables, predictors=["AP", "RR", "nDCG"], **options)  # type: ignore[arg-type]
    without = low_to_high(tables, predictors=["AP", "nDCG"], **options)  # type: ignore[arg-type]
    here, there = with_it.at("AP", 100, 10), without.at("AP", 100, 10)
    assert here.predictors == there.predictors
    assert [fit.r2 for fit in here.fits] == pytest.approx([fit.r2 for fit in there.fits], abs=1e-12)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: low_to_high(collection(1)),
            r"No label of this table has a depth; it has 'AP', .* or labels such as 'AP\(depth=10\)'\.",
        ),
        (lambda: low_to_high({}), r"low_to_high\(\) takes {depth: table}"),
        (
            lambda: low_to_high(deep(1)),
            r"There is no measure 'P@1000' at depth 10 in the collection; there are 'AP', 'RR', 'nDCG'\.",
        ),
        (
            lambda: low_to_high(deep(1), ["AP"], predictors=["AP"]),
            r"There is no depth 30 in the collection; there are 10, 20, 100\.",
        ),
        (
            lambda: low_to_high(deep(1, 4), ["AP"], predictors=["AP", "RR", "nDCG"], depths=[10], target_depths=[100]),
            r"4 systems in the collection are too few for 3 predictors: 5 are needed\.",
        ),
        (
            lambda: low_to_high(
                {"a": deep(1), "b": deep(2)}, ["AP"], predictors=["AP"], depths=[10], target_depths=[100], select_on="c"
            ),
            r"select_on='c' is none of the collections 'a', 'b'\.",
        ),
        (
            lambda: low_to_high(
                {10: collection(1), 100: collection(1, 30)}, ["AP"], predictors=["AP"], depths=[10], target_depths=[100]
            ),
            r"Depth 100 in the collection has other systems",
        ),
    ],
)
def test_depths_that_cannot_be_compared_are_named(call, message) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(TauscopeError, match=message):
        call()


def test_a_result_becomes_a_table_a_figure_and_references(tmp_path: Path) -> None:
    found = predict_measure(collection(1), "AP", select_on={"there": collection(2)})
    assert found.to_dict()["chosen"]["predictors"] == list(found.chosen.predictors)
    assert len(found.to_frame()) == len(found.sets)
    assert "Gupta" in found.cite()
    found.plot().figure.savefig(tmp_path / "x.svg")
    assert found.predict(collection(3)).plot() is not None


class Stuck:
    """A regressor that predicts one value for all systems where the predictor is negative."""

    def fit(self, values: np.ndarray, target: np.ndarray) -> None:
        self.slopes = np.zeros(1) if (values < 0).all() else np.linalg.lstsq(values, target, rcond=None)[0]

    def predict(self, values: np.ndarray) -> np.ndarray:
        return values @ self.slopes


def test_a_set_whose_predictions_are_all_equal_is_the_last_choice() -> None:
    rng = np.random.default_rng(0)
    truth = rng.random(12)
    values = np.column_stack([truth, -1 - truth, truth + 0.3 * rng.random(12)])
    table = MeasureTable(values, [str(i) for i in range(12)], ["AP", "P@10", "RR"])
    found = predict_measure(table, "AP", max_predictors=1, model=Stuck())
    assert [one.predictors for one in found.sets] == [("RR",), ("P@10",)]
    assert found.chosen.predictors == ("RR",)
