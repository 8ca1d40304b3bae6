"""Kernels of expected correlation: compiled = NumPy = SciPy = sampling."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from tauscope.core import differences, kernels

#: Scores with many ties, with few, of large size, and nearly alike.
SCORES = (st.sampled_from([0.0, 0.25, 0.5, 1.0]), st.floats(-1, 1), st.floats(-1e6, 1e6), st.floats(1.0, 1.0 + 1e-6))


def ordered_rows(seed: int, rows: int, topics: int) -> np.ndarray:
    """Differences of many shapes: normal, skewed, with outliers, on a grid."""
    rng = np.random.default_rng(seed)
    normal = rng.normal(size=(rows, topics))
    shapes = [
        normal,
        np.exp(normal) - 1,
        np.where(rng.random((rows, topics)) < 0.1, 30 * normal, normal),
        np.round(normal, 1),
        rng.integers(-2, 3, (rows, topics)).astype(float),
    ]
    moved = np.concatenate([part + rng.exponential(0.3, (rows, 1)) for part in shapes])
    return np.sort(moved * rng.choice([1e-3, 1.0, 1e4], (len(moved), 1)), axis=1)


@pytest.mark.parametrize("freedom", [1, 2, 3, 4, 5, 8, 9, 49, 50, 299, 300, 301, 9999])
def test_students_tail_is_scipys(freedom: int) -> None:
    from scipy.special import stdtr

    t = np.concatenate((np.linspace(0, 60, 3001), [1e6, np.inf]))
    assert np.abs(differences.student_tail(t, freedom) - stdtr(freedom, -t)).max() < 1e-14


def quantile_deviation_by_hand(row: np.ndarray) -> float:
    """Equation (9) as printed."""
    from scipy.special import erfinv
    from scipy.stats import rankdata

    e = erfinv(2 * rankdata(row) / (len(row) + 1) - 1)
    return float(np.sqrt(2) * (row * e).sum() / (2 * (e * e).sum())) if (e * e).sum() > 0 else 0.0


@pytest.mark.parametrize("topics", [2, 3, 10, 50, 101])
def test_quantile_deviation_is_equation_9(topics: int) -> None:
    rows = ordered_rows(topics, 6, topics)
    found = differences.quantile_deviation(rows)
    for row, sigma in zip(rows, found, strict=True):
        assert sigma == pytest.approx(max(0.0, quantile_deviation_by_hand(row)), rel=1e-10, abs=1e-300)


def test_quantile_deviation_of_equal_differences_is_zero() -> None:
    assert differences.quantile_deviation(np.full((1, 7), 0.3)).tolist() == [0.0]


@pytest.mark.parametrize("topics", [2, 3, 5, 8, 9, 10, 16, 50, 100, 257])
def test_compiled_kernel_densities_are_those_of_numpy(compiled: object, topics: int) -> None:
    rows = ordered_rows(topics, 20, topics)
    ours, twin = kernels.kernel_density(rows, 1e-12), differences.kernel_density(rows, 1e-12)
    assert np.array_equal(np.isnan(ours), np.isnan(twin))
    defined = ~np.isnan(twin)
    assert defined.any()
    assert np.abs(ours[defined] - twin[defined]).max() < 1e-6


def plug_in_by_double_sum(row: np.ndarray) -> float:
    """The bandwidth from the kernel functionals as double sums over all differences (Wand and Jones 1995, 3.6)."""
    n = len(row)
    quartiles = np.quantile(row, [0.25, 0.75])
    scale = min(row.std(ddof=1), (quartiles[1] - quartiles[0]) / 1.349)
    lags = (row[:, None] - row[None, :]) / scale

    def functional(order: int, width: float) -> float:
        z = lags / width
        hermite = {4: z**4 - 6 * z**2 + 3, 6: z**6 - 15 * z**4 + 45 * z**2 - 15}[order]
        return float((hermite * np.exp(-z * z / 2)).sum() / (np.sqrt(2 * np.pi) * width ** (order + 1) * n * n))

    pilot = (2 * np.sqrt(2) ** 9 / (7 * n)) ** (1 / 9)
    second = (-3 * np.sqrt(2 / np.pi) / (functional(6, pilot) * n)) ** (1 / 7)
    return float(scale * (4 * np.pi) ** -0.1 * (functional(4, second) * n) ** -0.2)


@pytest.mark.both
@pytest.mark.parametrize("topics", [3, 10, 50])
def test_kernel_densities_agree_with_sampling(topics: int) -> None:
    # The noise of the kernels is integrated out, so that only the resampling has Monte Carlo error.
    from scipy.special import ndtr

    rng = np.random.default_rng(topics)
    rows = ordered_rows(100 + topics, 4, topics)
    found = kernels.kernel_density(rows, 1e-9)
    compared = 0
    for row, chance in zip(rows, found, strict=True):
        if np.isnan(chance):
            continue
        error = plug_in_by_double_sum(row) / np.sqrt(topics)
        sampled = ndtr(-rng.choice(row, (20_000, topics)).mean(axis=1) / error)
        assert abs(chance - sampled.mean()) < 4.5 * sampled.std() / np.sqrt(20_000) + 1e-5
        compared += 1
    assert compared >= 10


@pytest.mark.both
def test_no_bandwidth_where_quartiles_coincide() -> None:
    rows = np.sort(
        np.array([[0, 0, 0, 0, 0, 0, 0, 0, 0.5, 1.0], [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0]]), axis=1
    )
    found = kernels.kernel_density(rows, 1e-12)
    assert np.isnan(found[0])
    assert 0 <= found[1] < 0.01


@pytest.mark.both
def test_a_far_outlier_changes_neither_time_nor_truth() -> None:
    rng = np.random.default_rng(4)
    row = np.append(rng.normal(0.3, 1, 49), 1e7)
    found = kernels.kernel_density(np.sort(row)[None], 1e-12)[0]
    # Without the outlier, by luck (49/50)^50 of the time, the mean can be negative; with it never.
    assert 0 < found < (49 / 50) ** 50


def discordance_by_hand(estimate: np.ndarray, truth: np.ndarray, tolerance: float) -> tuple[float, float]:
    distance, head = 0, 0.0
    for i in range(len(estimate)):
        above = [j for j in range(len(estimate)) if estimate[j] > estimate[i] + tolerance]
        wrong = sum(truth[j] < truth[i] - tolerance for j in above)
        distance += wrong
        head += wrong / len(above) if above else 0.0
    return distance, head


@pytest.mark.both
@given(st.data())
def test_discordance_is_what_counting_by_hand_gives(data: st.DataObject) -> None:
    scores = data.draw(st.sampled_from(SCORES))
    m, rows = data.draw(st.integers(1, 19)), data.draw(st.integers(1, 3))
    estimates, truths = (data.draw(arrays.arrays(float, (rows, m), elements=scores)) for _ in range(2))
    tolerance = data.draw(st.sampled_from([0.0, 1e-12, 0.25]))
    if data.draw(st.booleans()):
        estimates = -np.sort(-estimates[:1], axis=1)  # the order in which it is called most
    found = kernels.discordance(np.ascontiguousarray(estimates), truths, tolerance)
    for row, truth in enumerate(truths):
        distance, head = discordance_by_hand(estimates[row % len(estimates)], truth, tolerance)
        assert found[0][row] == distance
        assert found[1][row] == pytest.approx(head, abs=1e-12)


def test_values_do_not_depend_on_the_number_of_threads(compiled: object) -> None:
    rows = ordered_rows(7, 100, 50)
    assert np.array_equal(
        kernels.kernel_density(rows, 1e-12, threads=1), kernels.kernel_density(rows, 1e-12, threads=4), equal_nan=True
    )
    rng = np.random.default_rng(1)
    estimates, truths = rng.random((300, 40)), rng.random((300, 40))
    for one, four in zip(
        kernels.discordance(estimates, truths, 0.0, threads=1),
        kernels.discordance(estimates, truths, 0.0, threads=4),
        strict=True,
    ):
        assert np.array_equal(one, four)


@pytest.mark.parametrize(("flips", "systems"), [(1, 2), (7, 5), (8, 9), (9, 3), (40, 12), (203, 31)])
def test_flips_are_counted_alike_by_kernel_twin_and_hand_whatever_the_threads(flips: int, systems: int) -> None:
    generator = np.random.default_rng(flips)
    sums = generator.normal(size=(flips, systems)).round(1)
    first, second = np.triu_indices(systems, 1)
    order = generator.permutation(len(first))
    first, second = first[order], second[order]
    scale = generator.integers(0, 3, len(first)) / 2
    limit = generator.integers(0, 5, len(first)) / 2
    by_hand = [0] * len(first)
    for row in sums.tolist():
        pairs = (abs((row[i] - row[j]) * s) for i, j, s in zip(first, second, scale.tolist(), strict=True))
        for k, top in enumerate(itertools.accumulate(pairs, max)):
            by_hand[k] += top >= limit[k]
    for found in (
        differences.flips_reached(sums, first, second, scale, limit),
        kernels.flips_reached(sums, first, second, scale, limit, threads=1),
        kernels.flips_reached(sums, first, second, scale, limit, threads=3),
    ):
        assert found.tolist() == by_hand


@pytest.mark.parametrize(("flips", "systems"), [(1, 2), (7, 5), (8, 9), (9, 3), (203, 31)])
def test_flips_that_exceed_a_system_are_counted_alike(flips: int, systems: int) -> None:
    generator = np.random.default_rng(flips)
    sums = generator.normal(size=(flips, systems)).round(1)
    scale = generator.integers(0, 3, (systems, systems)) / 2
    np.fill_diagonal(scale, 0)
    own = generator.integers(0, 4, systems) / 2
    by_hand = [
        sum(max((row[j] - row[i]) * scale[i, j] for j in range(systems)) >= own[i] for row in sums)
        for i in range(systems)
    ]
    for found in (
        differences.flips_exceeding(sums, scale, own),
        kernels.flips_exceeding(sums, scale, own, threads=1),
        kernels.flips_exceeding(sums, scale, own, threads=3),
    ):
        assert found.tolist() == by_hand
