"""urbano2016: its two definitions of tau and of tau_ap, and the index that equation (4) gets wrong."""

from __future__ import annotations

import numpy as np
import pytest

from tauscope import tau, tau_ap

pytestmark = pytest.mark.both


def discordance(estimate: np.ndarray, truth: np.ndarray) -> np.ndarray:
    """D_ij of section 3, systems sorted by their observed means, best first."""
    x = truth[np.argsort(-estimate)]
    return (np.sign(x[:, None] - x[None, :]) == np.sign(np.arange(len(x))[:, None] - np.arange(len(x))[None, :])) & (
        ~np.eye(len(x), dtype=bool)
    )


@pytest.fixture(params=range(5))
def pair(request: pytest.FixtureRequest) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(request.param)
    return rng.permutation(9).astype(float), rng.permutation(9).astype(float)


def test_equation_1_counts_concordant_and_discordant_pairs(pair: tuple[np.ndarray, np.ndarray]) -> None:
    found = tau(*pair)
    assert found.concordant + found.discordant == 36
    assert abs(found.value - (found.concordant - found.discordant) / 36) < 1e-12
    assert abs(found.value - (1 - 2 * found.discordant / 36)) < 1e-12


def test_equation_2_sums_discordant_pairs_above_each_system(pair: tuple[np.ndarray, np.ndarray]) -> None:
    d = discordance(*pair)
    loss = sum(d[i, :i].sum() / i for i in range(1, 9))
    assert abs(tau_ap(pair[0], truth=pair[1]).value - (1 - 2 / 8 * loss)) < 1e-12


def test_equation_3_is_tau(pair: tuple[np.ndarray, np.ndarray]) -> None:
    d = discordance(*pair)
    assert abs(tau(*pair).value - (1 - 4 / (9 * 8) * np.triu(d).sum())) < 1e-12


def test_equation_4_as_printed_drops_the_last_system() -> None:
    # Erratum: the sum over i must run to m; the paper prints m - 1.
    truth = np.arange(5.0, 0, -1)
    estimate = np.array([5.0, 4.0, 3.0, 1.0, 2.0])  # the last two are swapped
    d = discordance(estimate, truth)
    printed = 1 - 2 / 4 * sum(d[i, :i].sum() / i for i in range(1, 4))
    right = 1 - 2 / 4 * sum(d[i, :i].sum() / i for i in range(1, 5))
    found = tau_ap(estimate, truth=truth).value
    assert abs(found - right) < 1e-12
    assert abs(found - 0.875) < 1e-12
    assert printed == 1


def test_tau_is_plus_one_zero_and_minus_one_where_section_2_says() -> None:
    same = [4.0, 3.0, 2.0, 1.0]
    assert tau(same, same).value == 1
    assert tau(same[::-1], same).value == -1
    assert tau([3.0, 1.0, 4.0, 2.0], same).value == 0  # as many concordant pairs as discordant ones


def test_tau_ap_also_ranges_between_minus_one_and_plus_one() -> None:
    same = [4.0, 3.0, 2.0, 1.0]
    assert tau_ap(same, truth=same).value == 1
    assert tau_ap(same[::-1], truth=same).value == -1
