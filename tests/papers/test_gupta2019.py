"""gupta2019 on its released tables: Table 1, the numbers of section 5.1, Sheffield's matrix."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tauscope import measures
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
    rank as rank_measures,
)
from tauscope.measures.depths import LowToHigh
from tauscope.replications.gupta2019 import ORDERS, RELEASED, SHEFFIELD, TABLE_3
from tauscope.replications.reproduce import reproduce

#: target, predictors: tau and R² on WT2012, WT2013, WT2014, as printed in Table 1.
TABLE_1 = {
    ("ERR@20", ("RR",)): (0.764, -1.874, 0.734, 0.293, 0.704, -1.004),
    ("ERR@20", ("RR", "RBP(p=0.8)")): (0.790, -1.809, 0.777, 0.392, 0.714, -0.686),
    ("ERR@20", ("RR", "RBP(p=0.8)", "R@100")): (0.796, -1.728, 0.741, 0.478, 0.704, -0.473),
    ("P@10", ("RBP(p=0.8)",)): (0.884, 0.942, 0.832, 0.895, 0.866, 0.893),
    ("P@10", ("RBP(p=0.8)", "RBP(p=0.5)")): (0.941, 0.994, 0.882, 0.966, 0.914, 0.988),
    ("P@10", ("RBP(p=0.8)", "RBP(p=0.5)", "RR")): (0.946, 0.994, 0.885, 0.968, 0.914, 0.987),
    ("RBP(p=0.95)", ("Rprec",)): (0.824, 0.346, 0.651, -0.786, 0.607, -2.401),
    ("RBP(p=0.95)", ("Bpref", "P@10")): (0.911, 0.952, 0.718, 0.873, 0.728, 0.591),
    ("RBP(p=0.95)", ("Bpref", "P@10", "RBP(p=0.8)")): (0.911, 0.967, 0.720, 0.868, 0.744, 0.639),
    ("RR", ("RBP(p=0.5)",)): (0.782, 0.904, 0.806, 0.927, 0.810, 0.878),
    ("RR", ("RBP(p=0.5)", "RBP(p=0.8)")): (0.869, 0.918, 0.809, 0.919, 0.820, 0.942),
    ("RR", ("RBP(p=0.5)", "RBP(p=0.8)", "ERR@20")): (0.876, 0.437, 0.818, 0.924, 0.915, 0.824),
    ("Rprec", ("R@100",)): (0.899, 0.708, 0.871, 0.624, 0.935, 0.019),
    ("Rprec", ("R@100", "RBP(p=0.95)")): (0.909, 0.952, 0.820, 0.882, 0.820, 0.759),
    ("R@100", ("Rprec",)): (0.899, 0.423, 0.871, 0.232, 0.935, -1.075),
    ("R@100", ("Rprec", "RR", "ERR@20")): (0.881, -0.104, 0.823, 0.355, 0.935, -1.187),
}
#: tau of RBP at depth 1000 from lower depths, on WT2012, WT2013, WT2014, trained on the two other tracks.
LOW_TO_HIGH = {30: (0.955, 0.841, 0.925), 40: (0.982, 0.950, 0.925), 50: (0.990, 0.973, 0.946)}


@pytest.fixture(scope="module")
def train(shared: Path) -> MeasureTable:
    return measures.Table.read(shared / "data/gupta2019/train_regress.csv")


@pytest.fixture(scope="module")
def tracks(shared: Path) -> dict[str, MeasureTable]:
    return {
        f"WT{year}": measures.Table.read(shared / f"data/gupta2019/result_wt{year}.csv") for year in (2012, 2013, 2014)
    }


@pytest.fixture(scope="module")
def depths(shared: Path) -> LowToHigh:
    tables = {
        f"WT{y}": measures.Table.read(shared / f"data/gupta2019/result_web{y}_low_to_high.csv")
        for y in (2012, 2013, 2014)
    }
    return low_to_high(tables, select_on="WT2012")


@pytest.mark.parametrize(
    ("target", "predictors"), TABLE_1, ids=lambda one: one if isinstance(one, str) else "+".join(one)
)
def test_a_row_of_table_1_has_its_printed_numbers_and_its_set_is_the_one_chosen(
    train: MeasureTable, tracks: dict[str, MeasureTable], target: str, predictors: tuple[str, ...]
) -> None:
    tests = {name: tracks[name] for name in ("WT2013", "WT2014")}
    found = predict_measure(train, target, predictors=RELEASED, select_on={"WT2012": tracks["WT2012"]}, test=tests)
    best = found.best(len(predictors))
    assert set(best.predictors) == set(predictors)
    assert [fit.collection for fit in best.fits] == ["WT2012", "WT2013", "WT2014"]
    numbers = [number for fit in best.fits for number in (fit.tau_b, fit.r2)]
    assert numbers == pytest.approx(TABLE_1[target, predictors], abs=0.0006)


def test_without_an_intercept_as_printed_the_rows_do_not_come_out(
    train: MeasureTable, tracks: dict[str, MeasureTable]
) -> None:
    slope = float(train["RBP(p=0.5)"] @ train["RR"] / (train["RBP(p=0.5)"] @ train["RBP(p=0.5)"]))
    truth = tracks["WT2012"]["RR"]
    errors = truth - slope * tracks["WT2012"]["RBP(p=0.5)"]
    r2 = 1 - float(errors @ errors) / float(((truth - truth.mean()) ** 2).sum())
    assert abs(r2 - 0.904) > 0.05


@pytest.mark.parametrize("depth", LOW_TO_HIGH)
def test_low_cost_measures_predict_rbp_at_depth_1000_as_well_as_said(depths: LowToHigh, depth: int) -> None:
    row = depths.at("RBP(p=0.95)", 1000, depth)
    assert [fit.tau_b for fit in row.fits] == pytest.approx(LOW_TO_HIGH[depth], abs=0.001)


def test_the_claim_of_tau_above_9_from_depth_30_on_holds_only_from_depth_40_on(depths: LowToHigh) -> None:
    assert depths.enough(0.9)["RBP(p=0.95)", 1000] == 40
    assert depths.at("RBP(p=0.95)", 1000, 30).fits[1].tau_b < 0.9
    assert depths.enough(0.9)["P@1000", 1000] is None
    assert depths.tried == 127
    assert len(depths.rows) == 4 * 2 * 5


def sheffield_matrix() -> np.ndarray:
    matrix = np.zeros((7, 7))
    for i, row in enumerate(SHEFFIELD):
        matrix[i, i:] = matrix[i:, i] = row
    return matrix


@pytest.mark.parametrize("method", ORDERS)
def test_the_orders_of_sheffields_matrix_are_exact(method: str) -> None:
    expected = {"forward": "5 1 4 7 3 6 2"}.get(method, "5 4 1 7 6 3 2")
    assert " ".join(rank_measures(sheffield_matrix(), method).order) == expected


def test_on_sheffields_matrix_rejection_happens_to_find_every_best_subset() -> None:
    found = rank_measures(sheffield_matrix(), "exact")
    assert found.efficiency["backward"] == pytest.approx(np.ones(7))
    assert found.efficiency["forward"].min() < 1
    assert " ".join(found.order) == "5 4 1 7 6 3 2"


def test_always_optimal_is_false_on_the_released_systems_and_so_is_the_bound_on_the_determinant(
    train: MeasureTable,
) -> None:
    found = rank_measures(train, "exact", scale="correlation")
    assert (found.efficiency["backward"] < 1 - 1e-6).sum() >= 3
    # 1 - 1/e of the determinant would be .632 of it; greedy-forward has far less of it at many sizes.
    share = found.efficiency["forward"] ** np.arange(1, 24)
    assert (share < 1 - 1 / np.e).sum() >= 5


def test_figure_3_the_determinant_grows_as_measures_are_removed(train: MeasureTable) -> None:
    # Figure 3a; its data were not released. Of correlations, and of variances below 1, no removal can lower it.
    for scale in ("covariance", "correlation"):
        found = rank_measures(train, "backward", scale=scale)
        defined = found.log_determinants[np.isfinite(found.log_determinants)]
        assert len(defined) > 10
        assert (np.diff(defined) <= 1e-9).all()


def test_the_replication_holds_but_for_the_five_numbers_with_a_known_reason(shared: Path, tmp_path: Path) -> None:
    calls: list[tuple[int, int]] = []
    found = reproduce("gupta2019", shared / "data/gupta2019", out=tmp_path, progress=lambda *at: calls.append(at))
    assert len(found.rows) == 16 * 7 + 2 + 2 + 18 + 3 + 28
    assert all(row.note for row in found.failing)
    assert len(found.failing) == 5
    assert calls[-1] == (4, 4)
    assert {path.name for path in tmp_path.iterdir()} == set(found.written)
    assert sorted(TABLE_3) == sorted(measures.Table.read(shared / "data/gupta2019/train_regress.csv").measures)
