"""Every switch of algorithm by size, crossed at n-1, n, n+1; and large rankings against algorithms of another kind."""

from __future__ import annotations

import time
from functools import lru_cache
from typing import Any

import numpy as np
import prefixes
import pytest
from scipy import stats

import tauscope
from tauscope import catalogue
from tauscope.coefficients.correlate import correlate_batch, correlation_matrix
from tauscope.coefficients.records import Coefficient, Ties
from tauscope.core import formulas, kernels
from tauscope.core.arrays import EXACT, Tolerance, tolerances

pytestmark = pytest.mark.skipif(kernels.compiled is None, reason="compares compiled kernels with their twins")

#: Those that have a compiled kernel to compare with its twin.
EVERY = [c for c in tauscope.catalogue if c.kernel is not None]
SORT_ABOVE = getattr(kernels.compiled, "SORT_ABOVE", 0)
SET_ABOVE = getattr(kernels.compiled, "SET_ABOVE", 0)


def around(*sizes: int) -> list[int]:
    return sorted({n for size in sizes for n in (size - 1, size, size + 1) if n > 1})


def kinds(n: int, seed: int) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """(estimate, truth), not negative."""
    rng = np.random.default_rng([n, seed])
    untied = rng.permutation(n) + 0.5, rng.permutation(n) * 0.25
    few = rng.integers(0, 4, n) / 10, rng.integers(0, 6, n) / 10
    some = np.round(rng.normal(50, 20, n).clip(0)), np.round(rng.normal(50, 10, n).clip(0))
    near = 1e6 + rng.integers(0, 5 * n, n) * 1e-9, 1e6 + rng.permutation(n) * 1e-9
    alike = np.arange(n) // 3 * 1.0, (np.arange(n) + rng.integers(0, 4, n)) * 1.0
    return {"untied": untied, "few levels": few, "some ties": some, "nearly equal": near, "nearly sorted": alike}


def twin(c: Coefficient, y: np.ndarray, x: np.ndarray, wy: Tolerance = EXACT, wx: Tolerance = EXACT) -> kernels.One:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(kernels, "compiled", None)
        return kernels.one(c, y, x, wy, wx)


def assert_twins(c: Coefficient, y: np.ndarray, x: np.ndarray, wy: Tolerance = EXACT, wx: Tolerance = EXACT) -> None:
    found, expected = kernels.one(c, y, x, wy, wx), twin(c, y, x, wy, wx)
    assert found.reason == expected.reason
    np.testing.assert_allclose(np.array(found, float), np.array(expected, float), rtol=0, atol=1e-12)


@pytest.mark.parametrize("n", around(2, 16, 32, SORT_ABOVE, SET_ABOVE))
@pytest.mark.parametrize("c", EVERY, ids=str)
def test_compiled_and_numpy_agree_where_the_algorithm_changes(c: Coefficient, n: int) -> None:
    for y, x in kinds(n, seed=1).values():
        assert_twins(c, y, x)


@pytest.mark.parametrize("n", around(16, 32, SORT_ABOVE, SET_ABOVE))
@pytest.mark.parametrize("c", [c for c in EVERY if c.takes_tolerance], ids=str)
def test_compiled_and_numpy_agree_on_thresholds_where_the_algorithm_changes(c: Coefficient, n: int) -> None:
    data = kinds(n, seed=2)
    assert_twins(c, *data["few levels"], Tolerance(0.1), Tolerance(0.2))
    assert_twins(c, *data["some ties"], Tolerance(3.0), Tolerance(0.05, relative=True))
    assert_twins(c, *data["untied"], EXACT, Tolerance(n / 16))
    assert_twins(c, *data["nearly equal"], Tolerance(2e-9), EXACT)


@pytest.mark.parametrize("n", around(16, SORT_ABOVE, SET_ABOVE, 4096))
def test_rows_of_a_batch_equal_single_calls_where_the_algorithm_changes(n: int) -> None:
    data = list(kinds(n, seed=3).values())
    estimates, truth = np.array([y for y, _ in data]), data[2][1]
    for c in EVERY:
        batch = correlate_batch(estimates, truth=truth, coefficient=c)
        single = [kernels.one(c, y, truth) for y in estimates]
        np.testing.assert_array_equal(batch.values, [one.value for one in single])
        np.testing.assert_array_equal(batch.undefined_because, [one.reason for one in single])


# Signs of pairs are packed into words of 64: 11 items have 55, 12 have 66, 128 have exactly 127 words.
@pytest.mark.parametrize("n", around(11, 12, 128, SORT_ABOVE, SET_ABOVE))
def test_cells_of_a_matrix_equal_single_calls_where_the_algorithm_changes(n: int) -> None:
    rankings = np.array([scores for pair in kinds(n, seed=4).values() for scores in pair])
    for c in EVERY:
        for within in ((0.1, 2.0), (0.1, 0.1)) if c.takes_tolerance else (0.0,):
            matrix = correlation_matrix(rankings, c, tied_within=within)
            wy, wx = tolerances(within)
            for i, j in ((0, 1), (1, 0), (3, 4), (9, 2), (5, 5)):
                single = kernels.one(c, rankings[j], rankings[i], wy, wx)
                np.testing.assert_allclose(matrix.values[i, j], single.value, rtol=0, atol=1e-12)
                assert matrix.undefined_because[i, j] == single.reason


def test_a_small_ranking_after_a_large_one_does_not_see_what_was_left_behind() -> None:
    rng = np.random.default_rng(11)
    for n in rng.permutation(np.repeat([2, 7, 15, 40, SORT_ABOVE - 3, SORT_ABOVE + 3, SET_ABOVE - 2, SET_ABOVE], 3)):
        for c in EVERY:
            y, x = rng.integers(0, n, (2, n)).astype(float)
            width = Tolerance(1.0) if c.takes_tolerance and rng.random() < 0.5 else EXACT
            assert_twins(c, y, x, width, width)


@pytest.mark.parametrize("c", EVERY, ids=str)
def test_the_number_of_threads_does_not_change_a_bit(c: Coefficient) -> None:
    rng = np.random.default_rng(12)
    estimates, truth = rng.integers(0, 400, (301, 97)).astype(float), rng.integers(0, 400, 97).astype(float)
    alone = correlate_batch(estimates, truth=truth, coefficient=c, threads=1)
    square = correlation_matrix(estimates[:23], c, threads=1)
    for threads in (2, 3, 8, None):
        shared = correlate_batch(estimates, truth=truth, coefficient=c, threads=threads)
        np.testing.assert_array_equal(shared.values, alone.values)
        np.testing.assert_array_equal(shared.undefined_because, alone.undefined_because)
        np.testing.assert_array_equal(correlation_matrix(estimates[:23], c, threads=threads).values, square.values)


# n = 20,000


@pytest.fixture
def patient_reference(monkeypatch: pytest.MonkeyPatch) -> None:
    """The O(n²) twins; what several coefficients share is counted once, in blocks that fit into the cache."""
    monkeypatch.setattr(formulas, "BLOCK", 400_000)
    for name in ("pair_counts", "pivot_counts", "subgroups"):
        monkeypatch.setattr(formulas, name, once_an_array(getattr(formulas, name)))


KEPT: dict[Any, Any] = {}


def once_an_array(function: Any) -> Any:
    def cached(*arguments: Any) -> Any:
        key = function.__name__, *(a.ctypes.data for a in arguments if isinstance(a, np.ndarray))
        if key not in KEPT:
            KEPT[key] = function(*arguments), arguments  # kept alive, so that no address is used twice
        return KEPT[key][0]

    return cached


@lru_cache
def twenty_thousand(kind: str) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(13)
    if kind == "heavy ties":
        return rng.integers(0, 40, 20_000) / 8, (rng.integers(0, 300, 20_000) ** 2) / 8
    quality = rng.permutation(20_000)
    # Steps of 1.2e-10 at 1e6 are single units in the last place.
    return 1e6 + np.argsort(np.argsort(quality + rng.normal(0, 4000, 20_000))) * 2.0**-33, 1e6 + quality * 2.0**-33


@pytest.mark.parametrize("kind", ["heavy ties", "1e6 and small differences"])
def test_pair_counts_of_20_000_items_equal_those_of_the_quadratic_twin(kind: str, patient_reference: None) -> None:
    y, x = twenty_thousand(kind)
    assert kernels.pair_counts(y, x) == tuple(map(int, formulas.pair_counts(y, x)))


@pytest.mark.parametrize(
    ("kind", "name"),
    [("1e6 and small differences", c.name) for c in EVERY]
    + [("heavy ties", c.name) for c in EVERY if c.ties not in (Ties.FORBIDDEN, Ties.SKIPPED) and c.walks != "truth"],
)
def test_values_of_20_000_items_equal_those_of_the_quadratic_twin(
    kind: str, name: str, patient_reference: None
) -> None:
    y, x = twenty_thousand(kind)
    value, reason = catalogue[name].formula(y, x, EXACT, EXACT)
    found = kernels.one(catalogue[name], y, x)
    assert (found.reason, int(reason)) == (0, 0)
    assert abs(found.value - float(value)) <= 1e-12


def test_pearson_rank_of_5_000_items_with_heavy_ties_equals_the_quadratic_twin() -> None:
    y, x = (scores[:5000].copy() for scores in twenty_thousand("heavy ties"))
    assert_twins(catalogue["pearson_rank"], y, x)


def test_tau_gap_of_20_000_items_with_heavy_ties_equals_sorted_prefixes() -> None:
    y, x = twenty_thousand("heavy ties")
    assert abs(kernels.one(catalogue["tau_gap"], y, x).value - gaps_above(prefixes.pivots(y, x))) <= 1e-12


def gaps_above(p: prefixes.Pivots) -> float:
    """gao2015 (3)."""
    gaps = p.right_gaps + p.wrong_gaps
    return 1 - 2 * (p.wrong_gaps[gaps > 0] / gaps[gaps > 0]).mean()


@pytest.mark.parametrize("within", [(0.0, 40.0), (3.0, 0.0), (7.0, 300.0)], ids=str)
def test_pairs_within_thresholds_of_20_000_items_are_counted_exactly(within: tuple[float, float]) -> None:
    rng = np.random.default_rng(14)
    y, x = rng.integers(0, 900, 20_000).astype(float), rng.permutation(20_000).astype(float)
    p = prefixes.pivots(y, x, *within)
    tied = prefixes.tied_pairs(y, within[0]), prefixes.tied_pairs(x, within[1])
    wy, wx = map(Tolerance, within)
    assert kernels.pair_counts(y, x, wy, wx) == (p.right.sum(), p.wrong.sum(), *tied)
    assert abs(kernels.one(catalogue["tau_ap_b"], y, x, wy, wx).walking_estimate - walk_with_ties(p)) <= 1e-12


def walk_with_ties(p: prefixes.Pivots) -> float:
    """radja2018 (4.8), (6.5)."""
    has = p.above > 0
    return 1 - 2 * ((p.above - p.right)[has] / p.above[has]).mean()


@pytest.mark.parametrize("name", [c.name for c in EVERY if c.takes_tolerance])
def test_values_within_thresholds_of_2_000_items_equal_those_of_the_quadratic_twin(name: str) -> None:
    rng = np.random.default_rng(15)
    y, x = np.round(rng.beta(2, 5, 2000), 3), np.round(rng.beta(2, 5, 2000), 3)
    assert_twins(catalogue[name], y, x, Tolerance(0.01), Tolerance(0.05, relative=True))


# Pages of the position set (2^6, 2^12, 2^18 items) and of the sums of gaps (2^5, 2^10, 2^15 items)


@pytest.mark.parametrize("n", around(2**10, 2**12, 2**15))
@pytest.mark.parametrize("tied", [False, True], ids=["untied", "tied"])
def test_walks_across_page_boundaries_equal_sorted_prefixes(n: int, tied: bool) -> None:
    rng = np.random.default_rng(n)
    y, x = (rng.integers(0, 50, n) if tied else rng.permutation(n)).astype(float), rng.permutation(n).astype(float)
    p = prefixes.pivots(y, x)
    assert kernels.pair_counts(y, x)[:2] == (p.right.sum(), p.wrong.sum())
    assert abs(kernels.one(catalogue["tau_ap_b"], y, x).walking_estimate - walk_with_ties(p)) <= 1e-12
    assert abs(kernels.one(catalogue["tau_gap"], y, x).value - gaps_above(p)) <= 1e-12
    if not tied:
        assert abs(kernels.one(catalogue["tau_ap"], y, x).value - walk_with_ties(p)) <= 1e-12


@pytest.mark.parametrize("n", around(2**12, 2**18))
@pytest.mark.parametrize("levels", [1000, 2**40])
def test_pair_counts_across_page_boundaries_follow_from_scipys_tau_b(n: int, levels: int) -> None:
    rng = np.random.default_rng([n, levels, 1])
    y, x = rng.integers(0, levels, (2, n)).astype(float)
    every, tied_y, tied_x = n * (n - 1) // 2, prefixes.tied_pairs(y), prefixes.tied_pairs(x)
    tied_both = prefixes.tied_pairs(y * 2.0**10 + x) if levels == 1000 else 0
    # 3e10 pairs times 1e-16: the product rounds to the one integer that it can be.
    difference = round(
        stats.kendalltau(y, x).statistic * np.sqrt(float(every - tied_y)) * np.sqrt(float(every - tied_x))
    )
    ordered = every - tied_y - tied_x + tied_both
    expected = ((ordered + difference) // 2, (ordered - difference) // 2, tied_y, tied_x)
    assert kernels.pair_counts(y, x) == expected


# Huge rankings whose values are known


@lru_cache(maxsize=1)
def upside_down(n: int) -> tuple[np.ndarray, np.ndarray]:
    """(estimate, truth): the integers 0..n-1, far from sorted, and the same with every thousand reversed."""
    y = 1_000_003 * np.arange(n) % n  # every integer once: the prime divides no n here
    x = y - 2 * (y % 1000)
    return y.astype(float), x.astype(float)


def expected_upside_down(n: int) -> dict[str, Any]:
    """From the top, rank by rank: items of earlier blocks are rightly above, those of its own block wrongly."""
    full, rest = divmod(n, 1000)
    discordant = full * (1000 * 999 // 2) + rest * (rest - 1) // 2
    top_first = np.arange(n)[::-1]
    above = np.arange(n)
    size = np.where(top_first >= 1000 * full, rest, 1000)
    wrong = size - 1 - top_first % 1000
    x = (top_first - 2 * (top_first % 1000)).astype(float)
    earlier = above - wrong
    sums = np.concatenate([[0.0], np.cumsum(x)])
    right_gaps, wrong_gaps = sums[earlier] - earlier * x, wrong * (wrong + 1.0) / 2
    tau = 1 - 2 * discordant / (n * (n - 1) // 2)
    tau_ap = 1 - 2 * (wrong[1:] / above[1:]).mean()
    tau_gap = 1 - 2 * (wrong_gaps[1:] / (wrong_gaps + right_gaps)[1:]).mean()
    return (
        {"discordant": discordant, "tau_gap": tau_gap}
        | dict.fromkeys(("tau", "tau_a", "tau_b", "tau_e"), tau)
        | dict.fromkeys(("tau_ap", "tau_ap_a", "tau_ap_b", "tau_ap_e"), tau_ap)
    )


def needs_memory() -> None:
    if available_gigabytes() < 6:
        pytest.skip("needs 6 GB of memory")


@pytest.mark.parametrize("n", around(2**24))
def test_the_sort_with_fewer_passes_takes_over_at_2_to_the_24(n: int) -> None:
    needs_memory()
    y = sixteen_million()[:n]
    assert kernels.pair_counts(y, -y) == (0, n * (n - 1) // 2, 0, 0)


@lru_cache
def sixteen_million() -> np.ndarray:
    """2^24 + 1 different scores, far from sorted, whose leading bits do not tell them apart."""
    n = 2**24 + 1
    return (1_000_003 * np.arange(n) % n) / 3


@pytest.mark.parametrize("n", around(2**22))
def test_memory_is_given_back_early_from_2_to_the_22_on_without_changing_a_value(n: int) -> None:
    needs_memory()
    y, x = upside_down(n)
    expected = expected_upside_down(n)
    within = Tolerance(0.25)  # ties nothing, but takes the way of thresholds
    for name, tolerance in (
        ("tau_b", EXACT),
        ("tau_ap", EXACT),
        ("tau_ap_b", EXACT),
        ("tau_gap", EXACT),
        ("tau_ap_e", within),
    ):
        found = kernels.one(catalogue[name], y, x, tolerance, tolerance)
        assert abs(found.value - expected[name]) <= 1e-12, name


def test_a_matrix_of_packed_signs_equals_one_of_counted_pairs() -> None:
    # Two rankings have 2 * n(n-1)/2 signs; up to PACKED_WORDS words of 64 they are packed.
    words = getattr(kernels.compiled, "PACKED_WORDS", 2**25) // 2
    last = max(n for n in range(2, 2**17) if (n * (n - 1) // 2 + 63) // 64 <= words)
    rng = np.random.default_rng(17)
    for n in (last, last + 1):
        rankings = rng.integers(0, n // 3, (2, n)).astype(float)
        matrix = correlation_matrix(rankings, "tau_b")
        assert matrix.values[0, 1] == kernels.one(catalogue["tau_b"], rankings[1], rankings[0]).value


def available_gigabytes() -> float:
    with open("/proc/meminfo", encoding="ascii") as lines:
        return next(int(line.split()[1]) for line in lines if line.startswith("MemAvailable")) / 2**20


def test_counts_of_a_million_items_do_not_overflow() -> None:
    n = 1_000_000
    y = np.arange(float(n))
    assert kernels.pair_counts(y, y) == (n * (n - 1) // 2, 0, 0, 0)
    assert kernels.pair_counts(y, -y) == (0, n * (n - 1) // 2, 0, 0)
    assert kernels.one(catalogue["tau_b"], y, -y).value == -1
    assert kernels.one(catalogue["tau_ap"], y, -y).value == -1
    assert kernels.pair_counts(np.zeros(n), y) == (0, 0, n * (n - 1) // 2, 0)


@pytest.mark.parametrize("c", EVERY, ids=str)
def test_large_rankings_stay_within_the_range_and_agree_with_themselves(c: Coefficient) -> None:
    for n in (SET_ABOVE + 5, 3000):
        for y, x in kinds(n, seed=5).values():
            for estimate in (y, x, -x, x + (np.arange(n) == 7), np.where(np.arange(n) == 9, 1e12, x)):
                value = kernels.one(c, estimate, x).value
                assert np.isnan(value) or -1 <= value <= 1
        untied = kinds(n, seed=5)["untied"][1]
        assert abs(kernels.one(c, untied, untied).value - 1) <= 1e-12
        assert abs(kernels.one(c, -untied, untied).value + 1) <= 1e-12


@pytest.mark.parametrize("outlier", [1e3, 1e9, 1e15, -1e12])
@pytest.mark.parametrize("name", ["tau_gap", "pearson_rank", "pearson"])
def test_an_outlier_does_not_cost_accuracy(name: str, outlier: float) -> None:
    n = 2000
    rng = np.random.default_rng(18)
    y, x = rng.random(n), rng.random(n)
    with_outlier = np.where(np.arange(n) == n // 3, outlier, y)
    assert_twins(catalogue[name], with_outlier, x)
    assert_twins(catalogue[name], x, with_outlier)


def test_an_outlier_does_not_make_tau_gap_quadratic() -> None:
    n = 40_000
    rng = np.random.default_rng(16)
    y, x = rng.random(n), rng.random(n)
    outlier = np.where(np.arange(n) == n // 2, 1e6, x)

    def seconds(truth: np.ndarray) -> float:
        begin = time.perf_counter()
        kernels.one(catalogue["tau_gap"], y, truth)
        return time.perf_counter() - begin

    assert min(seconds(outlier) for _ in range(3)) < 12 * min(seconds(x) for _ in range(3))
