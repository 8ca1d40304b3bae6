"""urbano2016 on its own data: every estimator against the numbers of the original scripts."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import pytest
from scipy import special, stats

from tauscope import Scores, expected_correlation
from tauscope.core import kernels
from tauscope.inference.methods import BY_NAME, unbiasing
from tauscope.inference.true_means import Observed

#: collection, bottom quarter dropped, method: E[tau], E[tau_ap], tolerance.
VALUES = {
    ("adhoc6", False, "ml"): (0.8560612, 0.8126929, 1e-6),
    ("adhoc6", False, "msqd"): (0.8600266, 0.8160990, 5e-6),
    ("adhoc6", True, "ml"): (0.7754890, 0.7639632, 1e-6),
    ("adhoc6", True, "msqd"): (0.7800832, 0.7674207, 5e-6),
    ("adhoc6", True, "res"): (0.78398, 0.77181, 0.005),
    ("adhoc6", True, "kd"): (0.77820, 0.76529, 0.005),
    ("adhoc7", True, "ml"): (0.8372461, 0.7778210, 1e-6),
    ("adhoc7", True, "msqd"): (0.8337069, 0.7727850, 5e-6),
}
SYSTEMS = {("adhoc6", False): 74, ("adhoc6", True): 55, ("adhoc7", True): 77}
#: All the cases of the simulated matrices: collection, topics, coefficient.
CASES = [
    (c, n, name)
    for c, n in (("adhoc6", 10), ("adhoc6", 50), ("adhoc6", 100), ("adhoc8", 10))
    for name in ("tau", "tauAP")
]


def collection(shared: Path, name: str, dropped: bool) -> Scores:
    values = np.loadtxt(shared / "data" / "urbano2016" / f"{name}.csv", delimiter=",", skiprows=1)
    scores = Scores(values, measure="AP", collection=name)
    return scores.drop_worst(0.25) if dropped else scores


def simulated(shared: Path, name: str, topics: int) -> np.ndarray:
    path = shared / "cases" / "urbano2016_sim" / f"{name}_t1_n{topics}.csv"
    return np.loadtxt(path, delimiter=",", skiprows=1)


@pytest.fixture(scope="session")
def expected_rows(shared: Path) -> dict[tuple[str, int, str], dict[str, str]]:
    with (shared / "cases" / "urbano2016_sim" / "expected.csv").open(encoding="utf-8") as file:
        return {(row["collection"], int(row["n"]), row["coefficient"]): row for row in csv.DictReader(file)}


def test_the_unbiasing_factor_is_that_of_equation_7_and_never_overflows() -> None:
    assert unbiasing(10) == pytest.approx(1.028109, abs=5e-7)
    assert unbiasing(50) == pytest.approx(1.005115, abs=5e-7)
    assert unbiasing(2) == pytest.approx(np.sqrt(np.pi / 2), rel=1e-12)
    assert 1 < unbiasing(10**6) < 1 + 1e-6


def two_systems(topics: int) -> tuple[Scores, np.ndarray]:
    """Scores of two systems, the first better, and their differences by topic."""
    rng = np.random.default_rng(3)
    values = rng.random((topics, 2)) * 0.5 + np.array([0.3, 0.2])
    return Scores(values), values[:, 0] - values[:, 1]


def swap_chance(scores: Scores, method: str) -> float:
    """The chance that two systems are in the other order: E[tau] = 1 - 2 p by equation 3."""
    return (1 - expected_correlation(scores, "tau", method=method).value) / 2


def test_equations_5_to_7_are_the_tail_of_students_t() -> None:
    scores, x = two_systems(12)
    n = len(x)
    factor = np.sqrt((n - 1) / 2) * special.gamma((n - 1) / 2) / special.gamma(n / 2)
    t = -np.sqrt(n) * x.mean() / (x.std(ddof=1) * factor)
    assert swap_chance(scores, "ml") == pytest.approx(stats.t.cdf(t, n - 1), rel=1e-10)


def test_equations_8_and_9_fit_the_quantiles_of_a_normal() -> None:
    scores, x = two_systems(12)
    n = len(x)
    e = special.erfinv(2 * stats.rankdata(x) / (n + 1) - 1)
    sigma = np.sqrt(2) * (x * e).sum() / (2 * (e**2).sum())
    t = -np.sqrt(n) * x.mean() / sigma
    assert swap_chance(scores, "msqd") == pytest.approx(stats.t.cdf(t, n - 1), rel=1e-10)


def test_equation_10_is_the_share_of_resampled_means_below_zero() -> None:
    scores, x = two_systems(12)
    rng = np.random.default_rng(0)
    resampled = x[rng.integers(len(x), size=(200_000, len(x)))].mean(axis=1)
    assert swap_chance(scores, "res") == pytest.approx((resampled < 0).mean(), abs=0.04)


@pytest.mark.both
@pytest.mark.parametrize(("name", "dropped", "method"), VALUES)
def test_the_estimators_give_the_numbers_of_the_original_scripts(
    shared: Path, name: str, dropped: bool, method: str
) -> None:
    scores = collection(shared, name, dropped)
    assert len(scores.systems) == SYSTEMS[name, dropped]
    tau, tau_ap, within = VALUES[name, dropped, method]
    for coefficient, value in (("tau", tau), ("tau_ap", tau_ap)):
        found = expected_correlation(scores, coefficient, method, rng=2016)
        assert found.value == pytest.approx(value, abs=within), coefficient


@pytest.mark.both
@pytest.mark.parametrize(("name", "topics", "coefficient"), CASES)
def test_simulated_collections_give_the_published_estimates(
    shared: Path, expected_rows: dict[tuple[str, int, str], dict[str, str]], name: str, topics: int, coefficient: str
) -> None:
    row = expected_rows[name, topics, coefficient]
    values = simulated(shared, name, topics)
    ours = "tau_ap" if coefficient == "tauAP" else "tau"
    tied = ours == "tau_ap" and Observed.of(values).has_ties
    tolerances = {
        "ml": [("R_ML", 5e-5 if tied else 1e-6), ("pub_ML", 1e-4)],
        "msqd": [("R_MSQD", 5e-5 if tied else 5e-6), ("pub_MSQD", 1e-4)],
        # The same resamples for all pairs: more Monte Carlo error a collection where there are few topics.
        "res": [("pub_RES", 0.012 if topics == 10 else 0.005)],
        "kd": [("pub_KD", 0.005)],
    }
    for method, targets in tolerances.items():
        found = BY_NAME[method].sums(Observed.of(values), np.random.default_rng(1))[ours]
        for column, within in targets:
            assert found == pytest.approx(float(row[column]), abs=within), column


@pytest.mark.parametrize(("name", "topics", "coefficient"), CASES)
@pytest.mark.parametrize(("method", "column"), [("shw", "pub_SHw"), ("shwo", "pub_SHwo")])
def test_split_half_is_within_its_monte_carlo_error_of_the_published_one(
    shared: Path,
    expected_rows: dict[tuple[str, int, str], dict[str, str]],
    name: str,
    topics: int,
    coefficient: str,
    method: str,
    column: str,
) -> None:
    ours = "tau_ap" if coefficient == "tauAP" else "tau"
    values = simulated(shared, name, topics)
    runs = [BY_NAME[method].sums(Observed.of(values), np.random.default_rng(seed))[ours] for seed in range(12)]
    published = float(expected_rows[name, topics, coefficient][column])
    # Both have error: ours is the mean of twelve runs, theirs is one of them.
    assert abs(published - np.mean(runs)) < 4 * np.std(runs, ddof=1)
    assert np.std(runs, ddof=1) < (0.06 if topics == 10 else 0.01)


@pytest.mark.parametrize(("name", "topics", "coefficient"), CASES)
def test_the_actual_correlation_counts_tied_pairs_as_not_discordant(
    shared: Path, expected_rows: dict[tuple[str, int, str], dict[str, str]], name: str, topics: int, coefficient: str
) -> None:
    row = expected_rows[name, topics, coefficient]
    truth = collection(shared, name, dropped=True).means()
    means = simulated(shared, name, topics).mean(axis=0)
    m = len(means)
    distance, head = kernels.discordance(means[None], truth[None], 1e-12)
    found = 1 - 2 * head[0] / (m - 1) if coefficient == "tauAP" else 1 - 4 * distance[0] / (m * (m - 1))
    assert found == pytest.approx(float(row["actual"]), abs=1e-8)
    assert found == pytest.approx(float(row["pub_actual"]), abs=1.5e-3)


def test_shrinking_costs_correlation_and_resampling_flatters_it(shared: Path) -> None:
    scores = collection(shared, "adhoc6", dropped=True)
    value = {method: expected_correlation(scores, "tau", method, rng=3).value for method in ("shrunk", "ml", "res")}
    assert value["shrunk"] < value["ml"] < value["res"]
