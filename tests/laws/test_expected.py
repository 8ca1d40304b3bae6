"""What holds for every expected correlation, whatever the scores."""

from __future__ import annotations

import math
import pickle
import tracemalloc
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

import tauscope
from tauscope import Published, Scores, TauscopeError, expected_correlation, rank
from tauscope.coefficients.correlate import correlate_batch
from tauscope.core.arrays import content_order
from tauscope.core.checking import Stream, stream
from tauscope.errors import CallError
from tauscope.inference.expected_views import enlarged_collection, new_collection
from tauscope.inference.methods import extrapolate, sample_sizes
from tauscope.inference.true_means import Observed

BY_PAIRS = ("shrunk", "bayes", "ml", "msqd", "res", "kd", "draws")
#: Score matrices with ties, identical systems and constant topics among them.
MATRICES = st.tuples(st.integers(2, 7), st.integers(2, 8)).flatmap(
    lambda shape: st.one_of(
        arrays.arrays(float, shape, elements=st.sampled_from([0.0, 0.25, 0.5, 1.0])),
        arrays.arrays(float, shape, elements=st.floats(0, 1, width=32)),
    )
)


def some_scores(seed: int = 0, topics: int = 20, systems: int = 12) -> Scores:
    rng = np.random.default_rng(seed)
    values = rng.normal(size=systems) * 0.3 + rng.normal(size=(topics, 1)) + rng.normal(size=(topics, systems)) * 0.5
    return Scores(values, systems=[f"s{i}" for i in range(systems)], measure="AP")


@pytest.mark.both
@pytest.mark.parametrize("method", BY_PAIRS)
@given(MATRICES)
def test_the_value_is_one_minus_twice_the_weighted_swap_probabilities(method: str, values: np.ndarray) -> None:
    scores = Scores(values)
    observed = Observed.of(values)
    probabilities = expected_correlation(scores, "tau", method, interval=False, rng=7).swaps
    assert ((probabilities.vector >= 0) & (probabilities.vector <= 1)).all()
    for name in ("tau", "tau_ap"):
        found = expected_correlation(scores, name, method, interval=False, rng=7)
        if found.undefined_because is None:
            weight = observed.weights[name]
            assert weight.sum() == pytest.approx(1, abs=1e-12)
            assert found.value == pytest.approx(1 - 2 * float(weight @ probabilities.vector), abs=1e-9)


@given(MATRICES)
def test_the_weights_are_those_of_the_coefficients_own_pairs(values: np.ndarray) -> None:
    observed = Observed.of(values)
    m = observed.systems
    truth = np.random.default_rng(1).permutation(m).astype(float)
    for name in ("tau", "tau_ap"):
        table = tauscope.correlate(observed.means, truth=truth, coefficient=[f"{name}_a"])[f"{name}_a"].pairs
        matrix = np.zeros((m, m))
        np.add.at(matrix, (table.first, table.second), table.weight)
        first, second = observed.pairs
        assert observed.weights[name] == pytest.approx((matrix + matrix.T)[first, second], abs=1e-12)


@pytest.mark.parametrize("name", ["tau", "tau_ap"])
def test_swaps_that_are_certain_give_the_coefficient_itself(name: str) -> None:
    scores = some_scores(3)
    observed = Observed.of(scores.values)
    truth = np.random.default_rng(5).permutation(observed.systems).astype(float)
    first, second = observed.pairs
    swapped = (truth[first] < truth[second]).astype(float)
    expected = getattr(tauscope, name)(observed.means, truth=truth).value
    assert observed.expectation(swapped)[name] == pytest.approx(expected, abs=1e-12)


@pytest.mark.both
@pytest.mark.parametrize("method", [*BY_PAIRS, "shw", "shwo"])
def test_the_order_of_systems_and_topics_and_their_scale_do_not_matter(method: str) -> None:
    scores = some_scores(1)
    rng = np.random.default_rng(2)
    systems = rng.permutation(len(scores.systems))
    moved = Scores(scores.values[:, systems] * 8 + 3, systems=[scores.systems[i] for i in systems])
    for name in ("tau", "tau_ap"):
        first, second = (expected_correlation(s, name, method, rng=5) for s in (scores, moved))
        assert first.value == pytest.approx(second.value, abs=1e-9)
        assert first.interval == pytest.approx(second.interval, abs=1e-9)
    if method in ("shrunk", "ml", "msqd", "kd"):
        topics = rng.permutation(len(scores.topics))
        again = expected_correlation(Scores(scores.values[topics]), "tau", method, rng=5)
        assert again.value == pytest.approx(expected_correlation(scores, "tau", method, rng=5).value, abs=1e-9)


@pytest.mark.parametrize("method", [*BY_PAIRS, "shw", "shwo"])
def test_the_same_seed_gives_the_same_numbers_and_another_one_others(method: str) -> None:
    scores = some_scores(4)
    first, again, other = (expected_correlation(scores, "tau", method, rng=seed) for seed in (11, 11, 12))
    assert (first.value, first.interval) == (again.value, again.interval)
    assert not np.array_equal(first.draws.values, other.draws.values)  # type: ignore[union-attr]
    random = method not in ("shrunk", "ml", "msqd", "kd")
    assert (first.value != other.value) == random
    # Asking for the interval first moves nothing.
    late = expected_correlation(scores, "tau", method, rng=11)
    assert late.interval == first.interval
    assert late.value == first.value


def test_a_generator_and_a_fresh_seed_are_remembered() -> None:
    scores = some_scores(4)
    drawn = expected_correlation(scores, "tau", "res", rng=np.random.default_rng(3))
    assert expected_correlation(scores, "tau", "res", rng=drawn.seed).value == drawn.value
    fresh = expected_correlation(scores, "tau", "res")
    assert expected_correlation(scores, "tau", "res", rng=fresh.seed).interval == fresh.interval
    assert f"seed {fresh.seed}" in fresh.methods_sentence()
    with pytest.raises(CallError, match="not a seed"):
        expected_correlation(scores, rng=-1)
    with pytest.raises(CallError, match="not a seed"):
        expected_correlation(scores, rng="7")  # type: ignore[arg-type]


def test_more_draws_come_closer_to_the_closed_form() -> None:
    scores = some_scores(8, topics=60)
    closed = expected_correlation(scores, "tau", "shrunk").value
    drawn = expected_correlation(scores, "tau", "draws", draws=20_000, rng=1)
    assert drawn.value == pytest.approx(closed, abs=0.01)
    assert drawn.interval.low <= drawn.at_least(0.95) < drawn.value < drawn.interval.high
    assert drawn.at_least(0.99) < drawn.at_least(0.8)


def test_limits_widen_with_the_level() -> None:
    result = expected_correlation(some_scores(2), rng=1)
    assert result.interval_at(0.99).low <= result.interval.low <= result.interval_at(0.5).low
    assert result.interval_at(0.99).high >= result.interval.high >= result.interval_at(0.5).high
    assert result.at_least(0.975) == pytest.approx(result.interval.low)
    for level in (0, 1, 95, "high"):
        with pytest.raises(CallError, match="level"):
            expected_correlation(some_scores(2), level=level)  # type: ignore[arg-type]


# ---- edges ----


@pytest.mark.both
@pytest.mark.parametrize("method", BY_PAIRS)
def test_two_topics_are_enough(method: str) -> None:
    result = expected_correlation(Scores([[0.9, 0.5, 0.1], [0.7, 0.6, 0.3]]), "tau", method, rng=1)
    assert result.undefined_because is None
    assert -1 <= result.interval.low <= result.interval.high <= 1
    assert 0 < result.value <= 1
    assert "Expected τ" in str(result)


def test_ml_of_two_systems_and_two_topics_is_cauchys_distribution() -> None:
    # d = .2, s = .1 sqrt(2), C_2 = sqrt(pi/2), one degree of freedom.
    result = expected_correlation(Scores([[0.5, 0.2], [0.5, 0.4]]), "tau", "ml")
    t = math.sqrt(2) * 0.2 / (0.1 * math.sqrt(2) * math.sqrt(math.pi / 2))
    assert result.value == pytest.approx(1 - 2 * (0.5 - math.atan(t) / math.pi), abs=1e-12)


@pytest.mark.parametrize("method", [*BY_PAIRS, "shw"])
def test_what_cannot_be_estimated_is_undefined_with_a_reason(method: str) -> None:
    one_system = expected_correlation(Scores([[0.1], [0.2], [0.3], [0.4]]), "tau", method)
    assert math.isnan(one_system.value)
    assert "two systems" in str(one_system.undefined_because)
    one_topic = expected_correlation(Scores([[0.1, 0.4, 0.3]]), "tau", method)
    assert math.isnan(one_topic.value)
    assert "one topic" in str(one_topic.undefined_because)
    alike = expected_correlation(Scores([[0.1, 0.1], [0.2, 0.2], [0.3, 0.3], [0.4, 0.4]]), "tau", method)
    assert math.isnan(alike.value)
    assert "same scores" in str(alike.undefined_because)
    for result in (one_system, one_topic, alike):
        assert all(map(math.isnan, result.interval))
        assert math.isnan(result.at_least())
        assert "undefined" in str(result)
        assert result.to_dict()["value"] is None
        assert "undefined" in result.methods_sentence()


def test_split_half_of_three_topics_says_why_it_is_undefined() -> None:
    result = expected_correlation(some_scores(1, topics=3), "tau", "shwo", rng=1)
    assert math.isnan(result.value)
    assert "four topics" in str(result.undefined_because)
    agreeing = Scores(np.tile([0.4, 0.3, 0.2], (6, 1)))
    assert "no line" in str(expected_correlation(agreeing, "tau", "shw", rng=1).undefined_because)


@pytest.mark.both
@pytest.mark.parametrize("method", BY_PAIRS)
def test_identical_systems_are_undecided_but_by_the_methods_of_urbano2016(method: str) -> None:
    scores = some_scores(6, systems=5)
    values = np.concatenate((scores.values, scores.values[:, 2:3]), axis=1)
    result = expected_correlation(Scores(values), "tau_ap", method, rng=1)
    published = method in ("ml", "msqd", "res", "kd")
    assert result.swaps["3", "6"] == (0 if published else 0.5)
    how = "correctly ordered" if published else "undecided"
    assert f"One pair of identical systems counts as {how}" in " ".join(str(result).split())
    # A system and its copy lose as much to the others as one another.
    for name in "1245":
        assert result.swaps["3", name] == pytest.approx(result.swaps["6", name], abs=1e-12)


def test_constant_differences_never_swap_even_where_rounding_moves_them() -> None:
    base = np.random.default_rng(1).random(40)
    values = np.stack([base, base + 0.1, base + 0.3, np.random.default_rng(2).random(40)], axis=1)
    for method in BY_PAIRS:
        assert expected_correlation(Scores(values), "tau", method, interval=False, rng=1).swaps["1", "2"] == 0


def test_constant_topics_change_nothing_but_the_number_of_topics() -> None:
    scores = some_scores(5, topics=10)
    constant = Scores(np.concatenate((scores.values, np.full((1, 12), 0.5))))
    observed, other = Observed.of(scores.values), Observed.of(constant.values)
    assert other.gaps * other.unit == pytest.approx(observed.gaps * observed.unit * 10 / 11, abs=1e-12)
    assert expected_correlation(constant, rng=1).undefined_because is None


def test_equal_means_have_an_even_chance_however_rounding_left_them() -> None:
    values = np.array([[0.1, 0.3, 0.9], [0.2, 0.2, 0.1], [0.3, 0.1, 0.9]])
    for method in BY_PAIRS:
        assert expected_correlation(Scores(values), "tau", method, interval=False, rng=1).swaps["1", "2"] == 0.5
    assert "One pair with equal means counts as correctly ordered with probability 0.5" in str(
        expected_correlation(Scores(values), rng=1)
    )


def test_noise_alone_sets_the_reliability_to_its_floor_and_says_so() -> None:
    result = expected_correlation(Scores(np.random.default_rng(1).normal(size=(30, 8))), rng=1)
    assert result.reliability == 0.05
    assert "floor" in str(result)
    assert result.value < 0.4


@pytest.mark.parametrize("method", ["shrunk", "ml", "draws"])
def test_a_board_of_500_systems_and_10000_topics_stays_small(method: str) -> None:
    rng = np.random.default_rng(1)
    skill = np.linspace(0.4, 0.6, 500)
    scores = Scores((rng.random((10_000, 500)) < skill).astype(float))
    draws = 100 if method == "draws" else None
    tracemalloc.start()
    result = expected_correlation(scores, "tau", method, draws=draws, rng=1)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 8 * scores.values.nbytes  # systems x systems x topics would be 500 times as much
    truth = tauscope.tau_a(scores.means(), truth=skill).value
    assert result.value == pytest.approx(truth, abs=0.02)


@pytest.mark.parametrize("method", ["msqd", "kd", "res"])
def test_a_board_of_zeros_and_ones_has_answers_by_every_method(method: str) -> None:
    rng = np.random.default_rng(2)
    values = (rng.random((400, 12)) < np.linspace(0.3, 0.7, 12)).astype(float)
    result = expected_correlation(Scores(values), "tau", method, rng=1)
    assert result.value == pytest.approx(expected_correlation(Scores(values), "tau", "ml").value, abs=0.04)


@pytest.mark.both
def test_huge_and_tiny_scores_neither_overflow_nor_vanish() -> None:
    values = some_scores(9).values
    plain = expected_correlation(Scores(values), "tau", "ml").value
    for factor in (2.0**900, 2.0**-900):
        assert expected_correlation(Scores(values * factor), "tau", "ml").value == pytest.approx(plain, abs=1e-12)


def test_missing_cells_and_other_things_than_scores_are_refused() -> None:
    holes = Scores([[0.1, np.nan], [0.2, 0.3]], missing="keep")
    with pytest.raises(TauscopeError, match="needs a score in every cell"):
        expected_correlation(holes)
    with pytest.raises(CallError, match="takes Scores"):
        expected_correlation(3)


# ---- coefficients without the shortcut ----


@pytest.mark.parametrize("method", ["shrunk", "ml", "msqd", "kd", "shw", "shwo"])
@pytest.mark.parametrize("coefficient", ["tau_gap", "pearson_rank", "tau_a", "tau_b", "tau_e", "tau_ap_b", "pearson"])
def test_the_shortcut_refuses_what_is_no_sum_over_pairs_and_says_why(coefficient: str, method: str) -> None:
    with pytest.raises(CallError, match=r"not a sum of swap probabilities: .*resample topics"):
        expected_correlation(some_scores(), coefficient, method)


def test_tau_gap_is_refused_because_its_weights_depend_on_the_truth() -> None:
    with pytest.raises(CallError, match="weights depend on the unknown truth"):
        expected_correlation(some_scores(), "tau_gap", "ml")


@pytest.mark.both
@pytest.mark.parametrize("coefficient", [c.name for c in tauscope.catalogue])
def test_every_coefficient_can_be_estimated_by_resampling(coefficient: str) -> None:
    values = np.abs(some_scores(3).values) + 1
    scores = Scores(values)
    found = expected_correlation(scores, coefficient, "res", draws=200, rng=5)
    generator, observed = stream(5, Stream.POINT), Observed.named(values, scores.systems)
    rows = values[content_order(values)]
    weights = [generator.integers(20, size=20) for _ in range(200)]
    truths = np.array([rows[w].mean(axis=0) for w in weights])
    name = {"tau": "tau_a", "tau_ap": "tau_ap_a"}.get(coefficient, coefficient)
    expected = correlate_batch(
        np.tile(scores.means(), (200, 1)),
        truth=truths,
        coefficient=name,
        tied_within=1e-12 if tauscope.catalogue[name].takes_tolerance else 0.0,
    ).values
    assert observed.systems == 12
    assert found.value == pytest.approx(expected.mean(), abs=1e-9)
    assert found.interval.low < found.interval.high


# ---- planning ----


def by_quadrature(ratio: float, n: int, g: float, topics: float) -> float:
    """E[Phi(-|delta| sqrt(n')/s)], delta ~ N(g d, g s²/n), s = 1, by brute force."""
    from scipy.special import ndtr

    delta = g * ratio + math.sqrt(g / n) * np.linspace(-9, 9, 200_001)
    density = np.exp(-(np.linspace(-9, 9, 200_001) ** 2) / 2)
    return float((ndtr(-np.abs(delta) * math.sqrt(topics)) * density).sum() / density.sum())


@pytest.mark.parametrize("g", [0.05, 0.5, 0.97])
@pytest.mark.parametrize("topics", [1, 10, 50, 500])
def test_the_chance_in_a_new_collection_is_the_normal_integral(g: float, topics: int) -> None:
    ratios = np.array([0.0, 0.01, 0.1, 0.5, 3.0])
    found = new_collection(ratios, 50, g, topics)
    assert found == pytest.approx([by_quadrature(r, 50, g, topics) for r in ratios], abs=1e-7)


@pytest.mark.parametrize("g", [0.3, 0.9])
@pytest.mark.parametrize("topics", [51, 60, 200, 5000])
def test_the_chance_in_an_enlarged_collection_is_what_sampling_gives(g: float, topics: int) -> None:
    rng = np.random.default_rng(topics)
    n, size = 50, 400_000
    ratios = np.array([0.0, 0.05, 0.2])
    found = enlarged_collection(ratios, n, g, topics)
    for ratio, chance in zip(ratios, found, strict=True):
        delta = g * ratio + math.sqrt(g / n) * rng.normal(size=size)
        added = topics - n
        new = n * ratio + added * delta + math.sqrt(added) * rng.normal(size=size)
        share = np.mean((new < 0) != (delta < 0))
        assert chance == pytest.approx(share, abs=5 * math.sqrt(0.25 / size))


def test_nothing_added_is_the_normal_limit_of_the_default() -> None:
    found = enlarged_collection(np.array([0.3]), 50, 0.8, 50)
    near = enlarged_collection(np.array([0.3]), 50, 0.8, 50.0001)
    assert found == pytest.approx(0.5 * math.erfc(math.sqrt(50 * 0.8) * 0.3 / math.sqrt(2)), abs=1e-12)
    assert near == pytest.approx(found, abs=1e-4)


@pytest.mark.parametrize("adding", [False, True])
def test_the_curve_rises_and_topics_needed_is_where_it_reaches_the_target(adding: bool) -> None:
    result = expected_correlation(some_scores(2, topics=30), rng=1)
    curve = result.curve([30, 60, 120, 1000], adding=adding)
    assert list(curve.values) == sorted(curve.values)
    assert all(low < value < high for low, value, high in zip(curve.low, curve.values, curve.high, strict=True))
    needed = result.topics_needed(0.9, adding=adding)
    n = int(needed)
    before, at = result.curve([n - 1, n], adding=adding).values
    assert before < 0.9 <= at
    assert needed.low is not None
    assert needed.high is not None
    assert needed.low <= n <= needed.high


def test_more_than_a_million_topics_are_not_counted() -> None:
    result = expected_correlation(Scores(np.random.default_rng(0).normal(size=(12, 6))), rng=1)
    needed = result.topics_needed(0.99999)
    assert needed.topics is None
    assert "A million topics are not enough" in str(needed)
    with pytest.raises(CallError, match="not reached"):
        int(needed)
    for target in (1, 1.2, "high"):
        with pytest.raises(CallError, match="target"):
            result.topics_needed(target)  # type: ignore[arg-type]
    with pytest.raises(CallError, match="at least 12"):
        result.curve([5, 20], adding=True)
    with pytest.raises(CallError, match="weights depend"):
        expected_correlation(some_scores(), "tau_gap", rng=1).curve()


# ---- split-half ----


def test_sample_sizes_are_those_of_the_original() -> None:
    assert sample_sizes(100).tolist() == [3, 6, 8, 11, 13, 16, 18, 21, 23, 26, 28, 30, 33, 35, 38, 40, 43, 45, 48, 50]
    assert sample_sizes(10).tolist() == [2, 3, 4, 5]
    assert sample_sizes(4).tolist() == [1, 2]
    assert sample_sizes(3).tolist() == []


def test_split_half_extrapolates_a_line_of_logarithms() -> None:
    size = np.array([1, 2, 3, 4, 5])
    values = 1 - 2 * np.exp(-0.5 - 0.1 * size)
    assert extrapolate(size, values, 20) == pytest.approx(1 - 2 * math.exp(-2.5), abs=1e-12)
    values[2] = 1.0  # full agreement has no logarithm
    assert extrapolate(size, values, 20) == pytest.approx(1 - 2 * math.exp(-2.5), abs=1e-12)
    assert extrapolate(size, 1 - 2 * np.exp(0.1 * size - 0.6), 20) == -1.0


@pytest.mark.parametrize("name", ["tau", "tau_ap"])
def test_the_sanity_line_is_near_the_expected_correlation(name: str) -> None:
    scores = some_scores(11, topics=60, systems=30)
    result = expected_correlation(scores, name, rng=1)
    assert result.sanity_line() == pytest.approx(result.value, abs=0.03)
    split = expected_correlation(scores, name, "shw", rng=1)
    assert split.value > result.value + 0.03
    assert f"{split.sanity_line():.3f}" in str(split)
    with pytest.raises(CallError, match="tau and tau_ap"):
        expected_correlation(scores, "tau_gap", rng=1).sanity_line()


# ---- results ----


def test_results_survive_pickling_and_have_tables_and_pictures() -> None:
    result = expected_correlation(some_scores(1, systems=25), "tau_ap", "res", rng=1)
    copy = pickle.loads(pickle.dumps(result))
    assert str(copy) == str(result)
    assert result.to_frame("pandas")["value"].tolist()[0] == result.value
    assert [row["subset"] for row in result.to_dict()["subsets"]] == ["all", "top 75 %", "top 20"]
    assert "Urbano" in result.cite()
    assert "Yilmaz" in result.cite()
    for part in (result, result.swaps, result.pairs, result.curve(), result.sensitivity()):
        assert part.plot().has_data()
    for name in result.VIEWS:
        part = result.view(name)
        assert len(part.to_frame("pandas")) >= 1
        assert str(part)


def test_doubtful_pairs_are_sorted_and_looked_up_by_name() -> None:
    result = expected_correlation(some_scores(1), rng=1)
    pairs = result.pairs.at_least(0.25)
    assert pairs == sorted(pairs, key=lambda pair: -pair.probability)
    assert all(pair.probability >= 0.25 for pair in pairs)
    assert 0 < len(pairs) < len(result.pairs)
    assert (result.doubtful_pairs, result.most_doubtful) == (len(pairs), pairs[0])
    means = dict(zip(some_scores(1).systems, some_scores(1).means(), strict=True))
    for pair in pairs:
        assert means[pair.better] >= means[pair.worse]
        assert result.swaps[pair.worse, pair.better] == pair.probability
    with pytest.raises(TauscopeError, match="no system 'nobody'"):
        result.swaps["nobody", "s1"]
    with pytest.raises(CallError, match="no swap probabilities"):
        _ = expected_correlation(some_scores(1), "tau", "shw", rng=1).pairs


def test_unknown_methods_are_named_with_the_nearest() -> None:
    with pytest.raises(CallError, match="Did you mean 'msqd'"):
        expected_correlation(some_scores(), "tau", "mqsd")
    with pytest.raises(CallError, match="replace=False goes with the method 'split_half'"):
        expected_correlation(some_scores(), "tau", "ml", replace=False)
    with pytest.raises(CallError, match="'ml' draws nothing"):
        expected_correlation(some_scores(), "tau", "ml", draws=9)
    with pytest.raises(CallError, match="draws"):
        expected_correlation(some_scores(), "tau", "res", draws=0)


def test_trec_8_has_the_figures_of_all_top_75_percent_and_top_20(shared: Path) -> None:
    values = np.loadtxt(shared / "data" / "trec" / "adhoc8_ap.csv", delimiter=",", skiprows=1)
    result = expected_correlation(Scores(values, measure="AP", collection="TREC-8"), "tau", "draws", rng=8)
    parts = {part.subset: part for part in result.subsets}
    # value, low, high, and twice the Monte Carlo error of a value and of a limit from 1,000 draws.
    known = {"all": (0.882, 0.829, 0.922), "top 75 %": (0.810, 0.716, 0.877), "top 20": (0.70, 0.33, 0.87)}
    within = {"all": (0.002, 0.006), "top 75 %": (0.004, 0.012), "top 20": (0.01, 0.04)}
    for name, (value, low, high) in known.items():
        assert parts[name].value == pytest.approx(value, abs=within[name][0]), name
        assert parts[name][3:] == pytest.approx((low, high), abs=within[name][1]), name
    assert [part.systems for part in result.subsets] == [129, 97, 20]
    assert "5.9 of 100 pairs are expected to be in the wrong order" in result.methods_sentence()
    closed = expected_correlation(Scores(values), "tau", rng=8)
    assert closed.value == pytest.approx(0.882, abs=0.005)


@pytest.mark.parametrize(
    ("systems", "topics"), [(2, 2), (2, 3), (2, 4), (2, 5), (2, 9), (3, 2), (3, 5), (4, 3), (9, 4)]
)
def test_an_interval_holds_its_own_value_however_few_systems_and_topics_there_are(systems: int, topics: int) -> None:
    rng = np.random.default_rng(systems * 100 + topics)
    noise = rng.normal(size=(topics, systems))
    for values in (noise, noise + 3 * np.arange(systems), (noise > 0).astype(float)):
        for coefficient in ("tau", "tau_ap", "tau_b"):
            found = expected_correlation(Scores(values), coefficient)
            if math.isnan(found.value):
                assert found.undefined_because
                assert all(map(math.isnan, found.interval))
                continue
            for level in (0.5, 0.8, 0.95):
                low, high = found.interval_at(level)
                assert low <= found.value <= high
            assert found.at_least() <= found.value


def test_a_method_that_does_not_shrink_says_where_its_value_lies_outside_the_interval() -> None:
    values = np.array([[0.5, 0.9], [0.4, 0.95]])
    shrunk, plain = (expected_correlation(Scores(values), "tau", method) for method in ("shrunk", "ml"))
    assert plain.interval == shrunk.interval
    assert plain.value < plain.interval.low == shrunk.value
    assert (plain.outside, shrunk.outside) == (True, False)
    assert "The value lies outside the interval" in str(plain)


def test_the_expected_tau_of_a_board_lies_in_its_interval_where_every_draw_has_one_order() -> None:
    found = rank(Published({"a": 3.2, "b": 0.0}, errors=[1.0, 1.0]), level=0.5).expected_tau()
    assert found.low == found.value < 1 == found.high


@pytest.mark.both
@pytest.mark.parametrize("method", ["shrunk", "draws", "bayes"])
@pytest.mark.parametrize("coefficient", ["tau", "tau_ap"])
def test_equal_systems_on_a_saturated_board_do_not_agree_by_being_alike(coefficient: str, method: str) -> None:
    """Thirty systems that are right on 98 % of 50 items: most scores are the same, and nothing is known of them."""
    right = (np.random.default_rng(4).random((50, 30)) < 0.98).astype(float)
    result = expected_correlation(Scores(right), coefficient, method, rng=1)
    low, high = result.interval
    assert low <= result.value <= high
    assert result.value < 0.25  # 0.44 for tau where pairs of identical systems count as in order
    assert result.curve([50], adding=True).values[0] < 0.25


@pytest.mark.parametrize(("long", "short"), [("bootstrap", "res"), ("bayesian", "bayes"), ("kde", "kd")])
def test_methods_have_the_short_names_of_the_paper_and_longer_ones(long: str, short: str) -> None:
    one, other = (expected_correlation(some_scores(), "tau", name, interval=False, rng=4) for name in (long, short))
    assert (one.value, str(one.method)) == (other.value, short)


def test_split_half_is_with_or_without_replacement_and_of_any_number_of_draws() -> None:
    def value(*method: str, **options: Any) -> float:
        return expected_correlation(some_scores(), "tau", *method, interval=False, rng=4, **options).value

    assert value("split_half") == value("shw") != value("shwo") == value("split_half", replace=False)
    assert value("split_half", draws=200) != value("split_half")


def test_the_verdict_follows_from_the_interval() -> None:
    names = {}
    for noise, topics in ((0.02, 60), (0.3, 40), (2.0, 30), (1.0, 1)):
        rng = np.random.default_rng(3)
        values = 0.1 * np.arange(12) + noise * rng.normal(size=(topics, 12))
        result = expected_correlation(Scores(values))
        names[result.verdict.value] = result.interval.low
    assert list(names) == ["holds", "partly", "not shown", "undefined"]
    assert names["holds"] >= 0.9 > names["partly"] >= 0.8 > names["not shown"]


def test_an_answer_does_not_contradict_itself() -> None:
    """No advice to narrow an interval that has no width, to score more topics because of ties, and no count of
    doubtful pairs beside an interval that says that nothing is known."""
    sure = expected_correlation(Scores(np.arange(5) + 0.001 * np.random.default_rng(1).normal(size=(20, 5))))
    assert sure.interval == (1.0, 1.0)
    assert "narrow" not in str(sure)
    two = expected_correlation(Scores([[0.5, 0.3], [0.6, 0.2], [0.4, 0.3]]))
    assert two.interval.low < 0
    assert two.verdict.value == "not shown"
    assert two.of_100_limits == pytest.approx([50 * (1 - limit) for limit in reversed(two.interval)])
    assert not any(f"0 {word}" in str(two) for word in ("pairs", "of the"))
    twins = Scores(np.repeat(np.random.default_rng(2).normal([0, 2], size=(30, 2)), 3, axis=1))
    tied = expected_correlation(twins)
    assert tied.ceiling == pytest.approx(1 - 6 / 15)
    assert "Let systems with equal scores share a rank" in str(tied)
    assert "Use about" not in str(tied)
