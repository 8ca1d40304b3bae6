"""Margins, dependence, choice of topics and integrals of the simulator, each against a slower way to the same."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import integrate, special, stats

from tauscope.simulate.distributions import (
    TOP,
    Margins,
    Scale,
    bandwidths,
    centres,
    gaussian_copula,
    kernel_margins,
    knots,
    nearest_semidefinite,
    normal_margins,
    sums,
)
from tauscope.simulate.simulator import choose, chosen_below, pool_size


def samples(n: int = 50) -> np.ndarray:
    """A normal, a skewed, a bimodal and a discrete sample, one a column."""
    g = np.random.default_rng(2)
    two = np.where(np.arange(n) % 2, -2.0, 2.0) + g.normal(0, 0.3, n)
    return np.column_stack([g.normal(0, 1, n), g.exponential(1, n) - 1, two, g.integers(0, 3, n) - 1.0])


def plug_in(x: np.ndarray) -> float:
    """The bandwidth from all pairs, in the words of the formula."""
    n, differences = len(x), np.subtract.outer(x, x)

    def psi(order: int, g: float) -> float:
        u = differences / g
        polynomial = {2: u**2 - 1, 4: u**4 - 6 * u**2 + 3}[order]
        return float((polynomial * stats.norm.pdf(u)).sum() / (n**2 * g ** (order + 1)))

    psi_6 = -15 / (16 * math.sqrt(math.pi) * x.std(ddof=1) ** 7)
    peak = stats.norm.pdf(0)
    psi_4 = psi(4, (2 * 3 * peak / (-psi_6 * n)) ** (1 / 7))
    psi_2 = psi(2, (2 * -peak / (-psi_4 * n)) ** (1 / 5))
    return float((2 / math.sqrt(4 * math.pi) / (-psi_2 * n)) ** (1 / 3))


# Margins


@pytest.mark.parametrize("n", [2, 10, 50, 700])
def test_bandwidths_are_the_plug_in_formula_over_all_pairs(n):
    x = samples(n)
    live = x.std(axis=0) > 0
    assert bandwidths(x)[live] == pytest.approx([plug_in(column) for column in x[:, live].T], rel=2e-4)


def test_the_bandwidth_of_normal_data_is_near_the_best_one():
    """The bandwidth that is best for a normal density: 4^(1/3) sigma n^(-1/3)."""
    x = stats.norm.ppf((np.arange(400) + 0.5) / 400)[:, None]
    assert bandwidths(x)[0] == pytest.approx(4 ** (1 / 3) * 400 ** (-1 / 3), rel=0.05)


def test_bandwidths_scale_with_the_data_and_ignore_where_they_are():
    x = samples()
    assert bandwidths(7 * x + 3) == pytest.approx(7 * bandwidths(x), rel=1e-6)


def test_a_column_without_spread_has_no_bandwidth_and_one_quantile():
    margins = kernel_margins(np.column_stack([np.full(9, 0.25), np.arange(9.0)]), 6)
    assert margins.bandwidths[0] == 0
    assert np.array_equal(margins.tables[0], np.full(knots().size, 0.25))
    assert margins.bandwidths[1] > 0


def test_quantiles_are_those_of_the_kernel_distribution_function():
    x = samples()
    margins = kernel_margins(x, 100.0)
    for column, table, width in zip(x.T, margins.tables, margins.bandwidths, strict=True):
        level = special.ndtr((table[:, None] - column) / width).mean(axis=1)
        assert level == pytest.approx(special.ndtr(knots()), abs=1e-4)


def test_a_table_is_within_the_stated_distance_even_in_a_gap():
    x = np.concatenate([np.full(30, -3.0), np.full(20, 3.0)])[:, None] + np.random.default_rng(0).normal(
        0, 0.02, (50, 1)
    )
    margins = kernel_margins(x, 100.0)
    u = (np.arange(400_000) + 0.5) / 400_000
    drawn = np.sort(margins.at(special.ndtri(u)[:, None])[:, 0])
    level = special.ndtr((drawn[:, None] - np.unique(x)) / margins.bandwidths[0]).mean(axis=1)
    assert np.abs(level - u).max() < 0.0024


def test_margins_keep_means_and_add_the_kernel_to_variances():
    x = samples()
    margins = kernel_margins(x, 100.0)
    u = (np.arange(200_000) + 0.5) / 200_000
    drawn = margins.at(np.repeat(special.ndtri(u)[:, None], 4, axis=1))
    assert drawn.mean(axis=0) == pytest.approx(x.mean(axis=0), abs=2e-4)
    assert drawn.var(axis=0) == pytest.approx(x.var(axis=0) + margins.bandwidths**2, rel=2e-3)


def test_margins_end_at_the_support_or_at_the_data():
    x = np.column_stack([np.linspace(-1, 1, 20), np.linspace(-3, 3, 20)])
    margins = kernel_margins(x, 1.2)
    assert margins.tables[:, 0] == pytest.approx([-1.2, -3.0], abs=1e-6)
    assert margins.tables[:, -1] == pytest.approx([1.2, 3.0], abs=1e-6)


def test_quantiles_rise():
    assert (np.diff(kernel_margins(samples(), 6).tables, axis=1) >= 0).all()


def test_reading_a_table_is_linear_between_knots_and_flat_beyond():
    margins = Margins(np.array([knots(), knots() ** 3]), np.ones(2))
    read = margins.at(np.array([[-9.0, -9.0], [0.7, 0.7], [9.0, 9.0]]))
    assert read[:, 0] == pytest.approx([-6, 0.7, 6], abs=1e-8)
    assert read[:, 1] == pytest.approx([-216, np.interp(0.7, knots(), knots() ** 3), 216], abs=1e-6)


# Dependence


def test_the_nearest_matrix_is_the_one_printed_in_the_paper():
    """higham2002, section 4: the nearest correlation matrix to a tridiagonal one."""
    nearest = nearest_semidefinite(np.array([[1.0, 1.0, 0.0], [1.0, 1.0, 1.0], [0.0, 1.0, 1.0]]))
    printed = [[1.0, 0.7607, 0.1573], [0.7607, 1.0, 0.7607], [0.1573, 0.7607, 1.0]]
    assert nearest == pytest.approx(np.array(printed), abs=5e-5)
    assert np.linalg.eigvalsh(nearest)[0] > -1e-8


def test_a_covariance_matrix_is_not_moved():
    x = np.random.default_rng(0).normal(size=(5, 9))
    covariance = np.cov(x, rowvar=False)  # of rank 4
    assert np.array_equal(nearest_semidefinite(covariance), covariance)


@pytest.mark.parametrize("topics", [6, 60])
def test_the_copula_has_the_correlations_of_residuals_and_topic_effects(topics):
    g = np.random.default_rng(1)
    residuals, effects = g.normal(size=(topics, 10)), g.normal(size=topics)
    residuals -= residuals.mean(axis=1, keepdims=True)
    residuals += 0.4 * effects[:, None] * np.linspace(-1, 1, 10)
    copula = gaussian_copula(residuals, effects)
    expected = np.corrcoef(np.column_stack([residuals, effects]).T)
    assert copula.rho == pytest.approx(expected[:10, 10], abs=1e-12)
    systems = np.outer(copula.rho, copula.rho) + copula.loadings.T @ copula.loadings
    assert systems == pytest.approx(expected[:10, :10], abs=1e-9)
    assert copula.rank == min(topics - 2, 9)
    assert copula.moved < 1e-12


def test_normal_scores_have_the_correlations_of_the_copula():
    g = np.random.default_rng(1)
    copula = gaussian_copula(g.normal(size=(20, 4)) @ g.normal(size=(4, 4)), g.normal(size=20))
    topics = g.standard_normal(200_000)
    scores = copula.scores(topics, g.standard_normal((200_000, copula.rank)))
    systems = np.outer(copula.rho, copula.rho) + copula.loadings.T @ copula.loadings
    assert np.corrcoef(scores.T) == pytest.approx(systems, abs=0.01)
    assert [np.corrcoef(topics, column)[0, 1] for column in scores.T] == pytest.approx(copula.rho, abs=0.01)
    assert scores.std(axis=0) == pytest.approx(np.ones(4), abs=0.01)


# Topics that are not a random sample


def test_topics_are_chosen_once_and_by_their_weights():
    generator = np.random.default_rng(0)
    chosen = [choose(generator, 200, 50) for _ in range(4_000)]
    assert all(len(set(places.tolist())) == 50 for places in chosen)
    ends = np.array([np.mean(places < 100) for places in chosen])
    assert np.mean((ends > 0.9) | (ends < 0.1)) > 0.3  # mostly hard or mostly easy topics
    assert np.mean(ends) == pytest.approx(0.5, abs=0.03)


def test_the_pool_is_200_topics_or_four_times_as_many_as_are_wanted():
    assert [pool_size(n) for n in (1, 50, 51, 100, 1000)] == [200, 200, 204, 400, 4000]


def test_topics_are_chosen_as_the_paper_says_it():
    """Beta(u, v) weights, u ~ U(.01, 2), v ~ U(2, 8), exchanged with probability 1/2, without replacement."""
    generator = np.random.default_rng(8)
    trials, places = 5_000, np.arange(1, 201)
    shares = np.empty((trials, 2, 2))
    for row in shares:
        u, v = generator.uniform(0.01, 2), generator.uniform(2, 8)
        u, v = (u, v) if generator.random() < 0.5 else (v, u)
        weights = (places / 201) ** (u - 1) * (1 - places / 201) ** (v - 1)
        plain = generator.choice(200, 30, replace=False, p=weights / weights.sum())
        for chosen, found in zip((plain, choose(generator, 200, 30)), row, strict=True):
            found[:] = np.mean(chosen < 50), np.mean((chosen < 20) | (chosen >= 180))
    means, spread = shares.mean(axis=0), shares.std(axis=0) / math.sqrt(trials)
    assert np.abs((means[0] - means[1]) / np.hypot(*spread)).max() < 3.5
    assert shares.std(axis=0)[0] == pytest.approx(shares.std(axis=0)[1], rel=0.05)


@pytest.mark.parametrize("topics", [1, 10, 50])
def test_the_expected_share_chosen_below_a_level_is_that_of_many_choices(topics):
    """Places in the pool stand for levels: the share in the lowest quarter, in the outer quarters."""
    generator = np.random.default_rng(1)
    pool = pool_size(topics)
    trials = 6_000
    shares = np.empty((trials, 2))
    for row in shares:
        level = np.sort(generator.random(pool))[choose(generator, pool, topics)]
        row[:] = np.mean(level < 0.25), np.mean((level < 0.1) | (level > 0.9))
    quarter, tenth, rest = chosen_below(topics, np.array([0.25, 0.1, 0.9]))
    expected = np.array([quarter, tenth + 1 - rest])
    z = (shares.mean(axis=0) - expected) / (shares.std(axis=0) / math.sqrt(trials))
    assert np.abs(z).max() < 3.5


def test_levels_run_from_0_to_1_and_easy_and_hard_topics_are_favoured_alike():
    levels = np.linspace(0, 1, 41)
    below = chosen_below(50, levels)
    assert below[[0, -1]] == pytest.approx([0, 1], abs=1e-9)
    assert below + below[::-1] == pytest.approx(np.ones(41), abs=1e-9)
    assert (np.diff(below) > 0).all()


# Scales and integrals


@pytest.mark.parametrize("normal", [False, True])
def test_the_way_back_is_the_inverse_and_clips(normal):
    scale = Scale(normal)
    p = np.linspace(0, 1, 33)
    assert scale.back(scale.forward(p)) == pytest.approx(p, abs=1e-12)
    assert scale.back(np.array([-9.0, 9.0])).tolist() == [0.0, 1.0]
    assert scale.forward(np.array([0.0, 1.0])) == pytest.approx(scale.ends, abs=1e-12)
    assert pytest.approx(math.log(21), abs=1e-12) == TOP


def test_the_logit_is_that_of_the_paper():
    p = np.linspace(0.01, 0.99, 9)
    z = Scale().forward(p)
    assert z == pytest.approx(np.log((p + 0.05) / (1 - p + 0.05)), abs=1e-12)
    assert Scale().back(z.copy()) == pytest.approx((np.exp(z) * 1.05 - 0.05) / (1 + np.exp(z)), abs=1e-12)


@pytest.mark.parametrize("normal", [False, True])
@pytest.mark.parametrize("decimals", [None, 0, 1, 3, 9])
def test_integrals_of_the_way_back_are_those_of_many_small_steps(normal, decimals):
    scale = Scale(normal, decimals)
    grid = np.linspace(-5, 5, 2_000_001)
    small = (grid[1:] + grid[:-1]) / 2
    areas = np.concatenate(([0.0], np.cumsum(scale.back(small) * np.diff(grid))))
    assert scale.integral(grid[::50_000]) == pytest.approx(areas[::50_000], abs=1e-5)


@pytest.mark.parametrize("rho", [0.0, 0.6, -0.97])
@pytest.mark.parametrize("decimals", [None, 0])
def test_expected_scores_are_those_of_a_plain_double_integral(rho, decimals):
    """Cells of 1/100 in both normal scores are right to 1e-5, and to 1e-3 where rounding makes steps."""
    x = samples() * 0.8
    topics, residuals = kernel_margins(x[:, :1], 2 * TOP), kernel_margins(x[:, 1:], 2 * TOP)
    w = np.arange(-5.995, 6, 0.01)
    weight = stats.norm.pdf(w) * 0.01
    scale = Scale(False, decimals)
    centre = np.array([-1.0, 0.4, 0.1])
    effect = topics.at(w[:, None].copy())[:, 0]
    expected = []
    for s in range(3):
        given = np.repeat((rho * w[:, None] + math.sqrt(1 - rho**2) * w).reshape(-1, 1), 3, axis=1)
        z = residuals.at(given)[:, s].reshape(len(w), len(w)) + effect[:, None] + centre[s]
        expected.append(weight @ scale.back(z) @ weight)
    copula = gaussian_copula(x[:, 1:], x[:, 0])
    copula = type(copula)(np.full(3, rho), copula.loadings, 0.0)
    found = sums(residuals, topics.tables[0], copula).expected(centre, scale)
    assert found == pytest.approx(expected, abs=1e-5 if decimals is None else 1e-3)


def test_normal_effects_without_bounds_have_the_expectation_of_a_normal():
    """mu + N(0, a^2) + N(0, b^2) with correlation r is normal; clipped to [0, 1] its mean is known."""
    a, b, r, mu = 0.3, 0.2, 0.5, 0.7
    topics, residuals = normal_margins(np.array([a])), normal_margins(np.array([b]))
    copula = gaussian_copula(np.zeros((3, 1)), np.arange(3.0))
    copula = type(copula)(np.array([r]), copula.loadings, 0.0)
    found = sums(residuals, topics.tables[0], copula).expected(np.array([mu]), Scale(True))
    spread = math.sqrt(a**2 + b**2 + 2 * r * a * b)
    inside = integrate.quad(lambda p: p * stats.norm.pdf(p, mu, spread), 0, 1)[0]
    assert found[0] == pytest.approx(inside + stats.norm.sf(1, mu, spread), abs=1e-6)


@pytest.mark.parametrize("decimals", [None, 0, 1])
def test_centres_reach_every_mean_from_0_to_1(decimals):
    x = samples()
    topics, residuals = kernel_margins(x[:, :1], 2 * TOP), kernel_margins(x[:, [1] * 7], 2 * TOP)
    copula = gaussian_copula(x[:, [1] * 7], x[:, 0])
    total = sums(residuals, topics.tables[0], copula)
    targets = np.array([0.0, 1e-6, 0.01, 0.5, 0.9, 0.9999, 1.0])
    scale = Scale(False, decimals)
    found = centres(total, targets, np.zeros(7), scale)
    assert total.expected(found, scale) == pytest.approx(targets, abs=1e-10)
