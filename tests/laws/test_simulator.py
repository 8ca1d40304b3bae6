"""The simulator: it keeps means, distributions and correlations; each option changes what it says and nothing else."""

from __future__ import annotations

import json
import os
import pickle
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from tauscope.data.scores import Scores
from tauscope.simulate.simulator import Simulator

MANY = 100_000
OPTIONS = [
    {},
    {"normal": True},
    {"homoscedastic": True},
    {"uncorrelated": True},
    {"decimals": 4},
    {"decimals": 1},
    {"decimals": 0},
    {"normal": True, "homoscedastic": True, "uncorrelated": True, "decimals": 2},
]


def collection(seed: int = 1, topics: int = 50, systems: int = 12) -> Scores:
    """Skewed scores with some zeros, as AP has: systems differ in mean and spread, topics in difficulty."""
    generator = np.random.default_rng(seed)
    topic = generator.normal(0, 1.0, (topics, 1))
    shared = generator.normal(0, 0.6, (topics, 3)) @ generator.normal(0, 0.7, (3, systems))
    own = generator.normal(0, 1, (topics, systems)) * generator.uniform(0.2, 0.7, systems)
    z = -1.1 + np.linspace(0.6, -0.8, systems) + topic + shared + own
    return Scores(np.clip(1.1 / (1 + np.exp(-z)) - 0.05, 0, 1), measure="AP", collection="made up")


@pytest.fixture(scope="module")
def original() -> Scores:
    return collection()


@pytest.fixture(scope="module")
def simulator(original) -> Simulator:
    return Simulator.fit(original)


@pytest.fixture(scope="module")
def drawn(simulator) -> np.ndarray:
    return simulator.draw_values(MANY, 7)


def z_scores(values: np.ndarray, truth: np.ndarray) -> np.ndarray:
    return (values.mean(axis=0) - truth) / (values.std(axis=0, ddof=1) / np.sqrt(len(values)))


def correlations(values: np.ndarray) -> np.ndarray:
    return np.corrcoef(values.T)[np.triu_indices(values.shape[1], 1)]


def sections(simulator: Simulator) -> dict[str, np.ndarray]:
    """The parts of a fitted model that an option may or may not touch."""
    model = simulator.model
    return {
        "centres": model.centres,
        "residual margins": model.residuals.tables,
        "topic margin": model.topics.tables,
        "correlation with topics": model.copula.rho,
        "correlation of systems": model.copula.loadings.T @ model.copula.loadings,
    }


def changed(one: Simulator, other: Simulator) -> set[str]:
    a, b = sections(one), sections(other)
    return {name for name in a if not np.allclose(a[name], b[name], rtol=0, atol=1e-9)}


# What is kept


@pytest.mark.parametrize("means", ["exact", "published"])
@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_true_means_are_those_of_100_000_topics_within_monte_carlo_error(original, means, options):
    simulator = Simulator.fit(original, means=means, **options)
    z = z_scores(simulator.draw_values(MANY, 11), simulator.true_means)
    assert np.abs(z).max() < 4


def test_exact_means_are_the_original_means_and_those_of_100_000_topics(original, simulator, drawn):
    assert np.array_equal(simulator.true_means, original.means())
    z = z_scores(drawn, original.means())
    assert np.abs(z).max() < 4
    assert simulator.true_ranking == original.ranking()


def test_published_means_would_fail_where_exact_means_pass(original):
    published = Simulator.fit(original, means="published")
    z = z_scores(published.draw_values(MANY, 7), original.means())
    assert np.abs(z).max() > 8
    assert np.array_equal(published.model.shifts, np.zeros(12))


@pytest.mark.parametrize("random_topics", [True, False])
@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_exact_means_solve_the_integral(original, options, random_topics):
    simulator = Simulator.fit(original, random_topics=random_topics, **options)
    assert simulator.expected_means(50) == pytest.approx(original.means(), abs=1e-10)


def test_each_system_keeps_its_distribution(original, drawn):
    """A sample of 50 is itself about .12 from what it is drawn from, in KS distance."""
    distances = []
    for before, after in zip(original.values.T, drawn.T, strict=True):
        ordered = np.sort(before)
        below = np.searchsorted(np.sort(after), ordered, side="right") / MANY
        strictly = np.searchsorted(np.sort(after), ordered, side="left") / MANY
        upper = np.searchsorted(ordered, ordered, side="right") / 50
        lower = np.searchsorted(ordered, ordered, side="left") / 50
        distances.append(max((upper - below).max(), (strictly - lower).max()))
    assert max(distances) < 0.18
    assert np.mean(distances) < 0.12


def test_spreads_and_correlations_are_kept(original, drawn):
    assert drawn.std(axis=0) / original.values.std(axis=0) == pytest.approx(np.ones(12), abs=0.2)
    before, after = correlations(original.values), correlations(drawn)
    assert np.abs(after - before).max() < 0.15
    assert np.sqrt(np.mean((after - before) ** 2)) < 0.06
    assert abs(np.mean(after - before)) < 0.03


# What the options change


def test_uncorrelated_changes_dependence_only(original):
    plain = Simulator.fit(original, means="published")
    free = Simulator.fit(original, means="published", uncorrelated=True)
    assert changed(plain, free) == {"correlation with topics", "correlation of systems"}
    assert np.array_equal(free.model.copula.loadings, np.eye(12))


def test_uncorrelated_systems_share_the_topic_effect_and_nothing_else(original):
    free = Simulator.fit(original, means="published", uncorrelated=True)
    z = free.model.scale.forward(np.clip(free.draw_values(40_000, 3), 0.001, 0.999))
    effects = z.mean(axis=1)
    own = z[:, 0] - z[:, 1]
    assert abs(np.corrcoef(own, z[:, 2] - z[:, 3])[0, 1]) < 0.03
    assert np.corrcoef(effects, z[:, 0])[0, 1] > 0.5
    tied = Simulator.fit(original, means="published")
    z = tied.model.scale.forward(np.clip(tied.draw_values(40_000, 3), 0.001, 0.999))
    assert (
        max(abs(np.corrcoef(z[:, 0] - z[:, 1], z[:, i] - z[:, j])[0, 1]) for i in range(2, 8) for j in range(2, i))
        > 0.2
    )


def test_homoscedastic_changes_the_spread_of_residuals_only(original):
    plain = Simulator.fit(original, means="published")
    equal = Simulator.fit(original, means="published", homoscedastic=True)
    assert changed(plain, equal) == {"residual margins"}
    ratio = equal.model.residuals.bandwidths / plain.model.residuals.bandwidths
    scaled = plain.model.residuals.tables * ratio[:, None]
    assert equal.model.residuals.tables == pytest.approx(scaled, abs=1e-6)  # the same shapes


def test_homoscedastic_residuals_have_the_pooled_variance(original):
    equal = Simulator.fit(original, homoscedastic=True)
    plain = Simulator.fit(original)
    w = np.random.default_rng(1).standard_normal((200_000, 1)).repeat(12, axis=1)
    spread = [s.model.residuals.at(w.copy()).var(axis=0) - s.model.residuals.bandwidths**2 for s in (equal, plain)]
    assert spread[0] == pytest.approx(np.full(12, spread[1].mean()), rel=0.02)
    assert spread[1].max() > 2 * spread[1].min()


def test_normal_leaves_out_the_logit_and_makes_residuals_normal():
    generator = np.random.default_rng(4)
    board = Scores(0.5 + generator.normal(0, 0.05, (40, 1)) + generator.exponential(0.03, (40, 4)))
    simulator = Simulator.fit(board, normal=True)
    model = simulator.model
    knots = np.linspace(-6, 6, model.residuals.tables.shape[1])
    residuals = (
        board.values - board.values.mean(axis=0) - board.values.mean(axis=1, keepdims=True) + board.values.mean()
    )
    assert model.residuals.tables == pytest.approx(residuals.std(axis=0, ddof=1)[:, None] * knots, abs=1e-12)
    assert model.centres == pytest.approx(board.means(), abs=1e-4)  # nothing to mend far from 0 and 1
    effects = Simulator.fit(board.values, normal=True, uncorrelated=True).model.topics
    assert np.array_equal(effects.tables, model.topics.tables)
    assert not np.allclose(np.diff(effects.tables[0], 2), 0, atol=1e-7)  # topic effects stay kernel margins


def test_topics_that_are_no_random_sample_change_the_topics_only(original):
    plain = Simulator.fit(original, means="published")
    chosen = Simulator.fit(original, means="published", random_topics=False)
    assert changed(plain, chosen) == set()
    levels = [np.array([s.draw_values(20, seed).mean() for seed in range(200)]) for s in (plain, chosen)]
    assert levels[1].std() > 2 * levels[0].std()  # all easy or all hard


@pytest.mark.parametrize("topics", [3, 50, 120])
def test_expected_means_of_chosen_topics_are_those_of_many_collections(topics):
    simulator = Simulator.fit(collection(2, 30, 3), random_topics=False)
    generator = np.random.default_rng(5)
    means = np.array([simulator.draw_values(topics, generator).mean(axis=0) for _ in range(3_000)])
    z = z_scores(means, simulator.expected_means(topics))
    assert np.abs(z).max() < 3.5


def test_expected_means_depend_on_the_number_of_topics_only_if_they_are_chosen(original):
    plain, chosen = Simulator.fit(original), Simulator.fit(original, random_topics=False)
    assert np.array_equal(plain.expected_means(10), plain.expected_means(400))
    assert np.abs(chosen.expected_means(10) - chosen.true_means).max() > 0.005
    assert chosen.expected_means(50) == pytest.approx(chosen.true_means, abs=1e-12)
    assert chosen.expected_means(400) == pytest.approx(chosen.true_means, abs=1e-3)


@pytest.mark.parametrize("decimals", [0, 1, 4, 12])
def test_decimals_round_the_same_draw(original, decimals):
    plain = Simulator.fit(original, means="published")
    rounded = Simulator.fit(original, means="published", decimals=decimals)
    assert changed(plain, rounded) == set()
    assert np.array_equal(rounded.draw_values(200, 9), np.round(plain.draw_values(200, 9), decimals))


def test_exact_means_need_another_shift_when_scores_are_rounded_to_0_and_1(original):
    plain, rounded = Simulator.fit(original), Simulator.fit(original, decimals=0)
    assert np.abs(plain.model.centres - rounded.model.centres).max() > 0.05
    assert set(np.unique(rounded.draw_values(500, 1))) == {0.0, 1.0}


# What always holds


@given(
    values=arrays.arrays(
        np.float64,
        st.tuples(st.integers(2, 9), st.integers(1, 6)),
        elements=st.one_of(st.sampled_from([0.0, 0.5, 1.0]), st.floats(0, 1, width=32)),
    ),
    options=st.fixed_dictionaries(
        {
            "means": st.sampled_from(["exact", "published"]),
            **{name: st.booleans() for name in ("normal", "homoscedastic", "uncorrelated", "random_topics")},
            "decimals": st.sampled_from([None, 0, 1, 4]),
        }
    ),
)
@settings(max_examples=60, deadline=None)
def test_no_score_leaves_0_to_1_whatever_is_fitted_and_asked(values, options):
    simulator = Simulator.fit(values, **options)
    drawn = simulator.draw(30, rng=3).values
    assert drawn.min() >= 0
    assert drawn.max() <= 1
    assert np.isfinite(simulator.true_means).all()
    assert np.isfinite(simulator.model.centres).all()
    if options["means"] == "exact":
        moving = np.isnan(simulator.model.kept)
        expected = simulator.expected_means(len(values))
        assert expected[moving] == pytest.approx(values.mean(axis=0)[moving], abs=1e-9)


def test_the_seed_decides_what_is_drawn(simulator):
    first = simulator.draw(80, rng=5)
    assert first == simulator.draw(80, rng=5)
    assert first == simulator.draw(80, rng=np.random.default_rng(5))
    assert np.array_equal(first.values, simulator.draw_values(80, 5))
    assert not np.array_equal(first.values, simulator.draw(80, rng=6).values)


def test_a_generator_goes_on_from_draw_to_draw(simulator):
    generator = np.random.default_rng(5)
    first, second = simulator.draw(20, generator), simulator.draw(20, generator)
    assert not np.array_equal(first.values, second.values)


def test_threads_of_blas_do_not_change_a_digit():
    code = (
        "import hashlib, numpy as np; from tauscope.simulate.simulator import Simulator;"
        "g = np.random.default_rng(0); s = Simulator.fit(g.random((60, 90)) ** 2);"
        "print(hashlib.sha256(s.draw_values(700, 1).tobytes() + s.true_means.tobytes()).hexdigest())"
    )
    seen = {
        subprocess.run(
            [sys.executable, "-c", code],
            env={**os.environ, "OPENBLAS_NUM_THREADS": threads, "MKL_NUM_THREADS": threads},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for threads in ("1", "2")
    }
    assert len(seen) == 1


def test_a_pickled_simulator_draws_the_same(simulator):
    again = pickle.loads(pickle.dumps(simulator))
    assert again.draw(60, rng=2) == simulator.draw(60, rng=2)
    assert str(again) == str(simulator)


def test_draws_have_the_systems_of_the_collection_and_topics_of_their_own(original, simulator):
    first, second = simulator.draw(5, rng=1), simulator.draw(5, rng=2)
    assert first.systems == original.systems
    assert not set(first.topics) & (set(second.topics) | set(original.topics))
    assert (first.measure, first.collection) == ("AP", "made up")
    assert first.notes[-1] == "simulated from 50 topics (means exact; rng=1)"


# Collections at the edge


def test_a_system_with_one_score_keeps_it():
    generator = np.random.default_rng(0)
    values = generator.random((30, 5))
    values[:, 1], values[:, 2], values[:, 3] = 0.0, 1.0, 0.3
    simulator = Simulator.fit(values)
    drawn = simulator.draw_values(500, 1)
    for place, score in ((1, 0.0), (2, 1.0), (3, 0.3)):
        assert drawn[:, place] == pytest.approx(np.full(500, score), abs=1e-15)
    assert drawn[:, 0].std() > 0.1
    assert "3 systems with one score" in str(simulator)


def test_topics_that_are_all_alike_leave_every_system_its_score():
    simulator = Simulator.fit([[0.2, 0.5, 0.9]] * 6)
    assert simulator.draw_values(40, 1) == pytest.approx(np.tile([0.2, 0.5, 0.9], (40, 1)), abs=1e-12)


def test_systems_that_differ_by_nothing_but_the_topic_move_together():
    topic = np.random.default_rng(1).random((25, 1))
    drawn = Simulator.fit(np.repeat(topic, 3, axis=1)).draw_values(300, 1)
    assert np.ptp(drawn, axis=1).max() < 1e-9
    assert drawn.std() > 0.1


def test_identical_systems_stay_identical_and_tied():
    values = np.repeat(np.random.default_rng(1).random((25, 3)), 2, axis=1)
    simulator = Simulator.fit(values)
    drawn = simulator.draw(400, rng=1)
    assert drawn.values[:, ::2] == pytest.approx(drawn.values[:, 1::2], abs=1e-9)
    assert simulator.true_ranking.tied_pairs() == 3


def test_two_systems_one_system_and_more_systems_than_topics_keep_their_means():
    for seed, (topics, systems) in enumerate([(40, 2), (40, 1), (4, 30), (2, 5)]):
        board = collection(seed, topics, systems)
        z = z_scores(Simulator.fit(board).draw_values(MANY // 4, 3), board.means())
        assert np.abs(z).max() < 4.5


@pytest.mark.parametrize("decimals", [None, 0])
def test_0_1_scores_keep_their_means(decimals):
    generator = np.random.default_rng(3)
    board = (generator.random((80, 6)) < generator.beta(2, 2, (80, 1))).astype(float)
    simulator = Simulator.fit(board, decimals=decimals)
    assert np.array_equal(simulator.true_means, board.mean(axis=0))
    z = z_scores(simulator.draw_values(MANY, 3), board.mean(axis=0))
    assert np.abs(z).max() < 4


# What it says


def test_it_prints_what_was_fitted_and_how(simulator):
    told = " ".join(str(simulator).split())
    assert "made up: 12 systems, 50 topics, AP" in told
    assert "The true means are the original ones." in told
    assert "Options means exact Kernel bandwidth of the topic effects 0." in told
    assert (simulator.rank, simulator.moved) == (12, 0)


def test_options_are_printed(original):
    found = Simulator.fit(original, means="published", normal=True, uncorrelated=True, random_topics=False, decimals=1)
    told = " ".join(str(found).split())
    assert "means published, normal, uncorrelated, topics not a random sample, rounded to 1 decimal" in told
    assert "The true means differ from the original ones by at most" in told
    assert "normal residuals and no dependence" in found.methods_sentence()


def test_it_becomes_a_dict_columns_and_references(simulator):
    told = json.loads(json.dumps(simulator.to_dict()))
    assert told["options"]["means"] == "exact"
    assert len(told["true_means"]) == 12
    assert set(simulator.columns()) >= {"system", "original_mean", "true_mean", "shift", "bandwidth"}
    assert "Higham" in simulator.cite()


@pytest.mark.parametrize(
    ("values", "options", "message"),
    [
        ([[0.2, 1.2], [0.3, 0.4]], {}, r"1 score outside \[0, 1\]; the first is 1.2, system '2' on topic '1'"),
        ([[0.2, -0.1], [0.3, 0.4]], {"normal": True}, r"the first is -0.1.*divide by"),
        ([[0.2, 0.4]], {}, "at least two"),
        ([[0.2, 0.1], [0.3, 0.4]], {"means": "true"}, "'exact' or 'published'"),
        ([[0.2, 0.1], [0.3, 0.4]], {"normal": "no"}, "normal='no' must be True or False"),
        ([[0.2, 0.1], [0.3, 0.4]], {"decimals": -1}, "decimals=-1"),
        ([[0.2, 0.1], [0.3, 0.4]], {"decimals": 1.5}, "decimals=1.5"),
    ],
)
def test_what_cannot_be_fitted_is_an_error_that_says_why(values, options, message):
    with pytest.raises(ValueError, match=message):
        Simulator.fit(values, **options)


def test_missing_cells_are_an_error_that_names_them():
    holes = Scores([[0.2, np.nan], [0.3, 0.4]], missing="keep")
    with pytest.raises(ValueError, match=r"Simulator.fit\(\) needs a score in every cell.*system '2' on topic '1'"):
        Simulator.fit(holes)


@pytest.mark.parametrize(
    ("topics", "rng", "message"), [(0, 1, "at least 1"), (2.5, 1, "whole number"), (5, None, "seed")]
)
def test_draws_that_make_no_sense_are_errors(simulator, topics, rng, message):
    with pytest.raises(ValueError, match=message):
        simulator.draw(topics, rng=rng)
