"""Systems with few battles, and clusters of unequal size: limits are wide enough, and results say so."""

from __future__ import annotations

import json

import numpy as np
import pytest
from scipy.special import stdtrit
from scipy.stats import binom

from tauscope import Battles, bradley_terry, rank
from tauscope.boards.bradley_terry import ELO

NAMES = np.array([f"s{k}" for k in range(8)])


def established(rng: np.random.Generator, battles: int = 1600) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Eight systems of known strength with many battles: first, second and winner."""
    strength = np.linspace(-0.8, 0.8, 8)
    i = rng.integers(8, size=battles)
    j = (i + rng.integers(1, 8, size=battles)) % 8
    wins = rng.random(battles) < 1 / (1 + np.exp(strength[j] - strength[i]))
    return NAMES[i], NAMES[j], np.where(wins, "first", "second")


def with_newcomer(record: list[str], seed: int = 0) -> Battles:
    """The same arena with a newcomer that has this record: "first" is a win, "second" a loss."""
    rng = np.random.default_rng(seed)
    first, second, winner = established(rng)
    opponents = NAMES[rng.integers(8, size=len(record))]
    new = np.full(len(record), "new")
    return Battles(np.append(first, new), np.append(second, opponents), np.append(winner, record))


@pytest.mark.parametrize("votes", [2, 3, 5, 8, 14])
def test_a_newcomer_that_won_everything_is_not_better_known_than_one_with_a_mixed_record(votes: int) -> None:
    all_won = bradley_terry(with_newcomer(["first"] * votes), prior=1.0)
    lost = votes // 2
    mixed = bradley_terry(with_newcomer(["first"] * (votes - lost) + ["second"] * lost), prior=1.0)
    error = {found: found.errors[found.systems.index("new")] for found in (all_won, mixed)}
    assert error[all_won] > error[mixed]


@pytest.mark.parametrize("ties", ["half", "davidson"])
def test_two_ties_do_not_make_a_newcomer_certain(ties: str) -> None:
    found = bradley_terry(with_newcomer(["tie", "tie"]), ties=ties)
    assert found.errors[found.systems.index("new")] > 1


def test_an_established_system_keeps_its_error_when_a_newcomer_arrives() -> None:
    rng = np.random.default_rng(0)
    without = bradley_terry(Battles(*established(rng)))
    beside = bradley_terry(with_newcomer(["first"] * 3), prior=1e-9)
    for one, other in (("s0", "s7"), ("s3", "s4")):
        assert beside.error_between(one, other) == pytest.approx(without.error_between(one, other), rel=0.01)


def test_the_error_of_a_newcomer_is_that_of_the_curvature_of_the_penalised_likelihood() -> None:
    """Among forty equal systems the curvature is (n + prior) p (1 - p), p the penalised chance to win."""
    i, j = np.triu_indices(40, 1)
    i, j = np.tile(i, 40), np.tile(j, 40)
    verdicts = np.repeat(["first", "second"], len(i) // 2)
    first, second = np.append(i, [40, 40, 40]).astype(str), np.append(j, [5, 17, 30]).astype(str)
    found = bradley_terry(Battles(first, second, np.append(verdicts, ["first"] * 3)), prior=1.0)
    p = 3.5 / 4
    assert found["40"] == pytest.approx(np.log(p / (1 - p)), abs=0.05)
    assert found.errors[found.systems.index("40")] == pytest.approx((4 * p * (1 - p)) ** -0.5, rel=0.03)


def test_the_result_warns_of_few_battles_and_of_records_without_a_loss() -> None:
    found = bradley_terry(with_newcomer(["first"] * 3), prior=1.0)
    few, unbeaten = map(str, found.notes[:2])
    assert few.startswith("1 system has fewer than ten battles (new: 3): its strength is hardly known")
    assert unbeaten.startswith("1 system won all its battles (new: 3): the battles set no upper limit")
    assert rank(found).hardly_known == ("new",)
    assert "Warning: new has fewer than ten battles" in str(rank(found))
    for text in (" ".join(str(found).split()), json.dumps(found.to_dict(), ensure_ascii=False)):
        assert few[1:] in text.replace("One system", "1 system")
        assert unbeaten[1:] in text.replace("One system", "1 system")
    winless = bradley_terry(with_newcomer(["second"] * 12), prior=1.0)
    assert str(winless.notes[0]).startswith("1 system lost all its battles (new: 12): the battles set no lower limit")
    assert not bradley_terry(with_newcomer(["first", "second"] * 5), prior=1.0).notes


def test_limits_of_a_newcomer_hold_over_all_its_records() -> None:
    """Five votes against average opponents, true strengths from -1.5 to 1.5: the exact coverage, record by record."""
    spans = {}
    for won in range(6):
        found = bradley_terry(with_newcomer(["first"] * won + ["second"] * (5 - won)), prior=1.0)
        place = found.systems.index("new")
        others = np.delete(found.strengths, place).mean()
        low, high = (side[place] - others for side in found.limits())
        spans[won] = low, high
    held = []
    for strength in np.linspace(-1.5, 1.5, 21):
        p = 1 / (1 + np.exp(-strength))
        held.append(sum(binom.pmf(won, 5, p) for won, (low, high) in spans.items() if low <= strength <= high))
    assert np.mean(held) > 0.94
    assert min(held) > 0.88


def clustered(sizes: np.ndarray, effect: float, seed: int) -> tuple[Battles, np.ndarray]:
    """Battles of eight systems by workers who give this number of votes each, and have tastes of their own."""
    rng = np.random.default_rng(seed)
    strength = 0.6 * rng.normal(size=8)
    worker = np.repeat(np.arange(len(sizes)), sizes)
    n = len(worker)
    i = rng.integers(8, size=n)
    j = (i + rng.integers(1, 8, size=n)) % 8
    taste = effect * rng.normal(size=(len(sizes), 8))
    delta = strength[i] - strength[j] + taste[worker, i] - taste[worker, j]
    winner = np.where(rng.random(n) < 1 / (1 + np.exp(-delta)), "first", "second")
    return Battles(NAMES[i], NAMES[j], winner, workers=worker), strength


def zipf(workers: int, votes: int) -> np.ndarray:
    share = 1 / np.arange(1, workers + 1)
    return np.maximum(1, np.round(votes * share / share.sum())).astype(int)


def test_clusters_count_by_their_effective_number() -> None:
    sizes = zipf(40, 1500)
    battles, _ = clustered(sizes, 0.4, 0)
    found = bradley_terry(battles, clusters="worker")
    effective = sizes.sum() ** 2 / (sizes**2).sum()
    assert found.independent == 40
    assert found.effective == pytest.approx(effective)
    assert found.normal().freedom == pytest.approx(effective - 1)
    low, high = found.limits(0.9)
    assert high - found.strengths == pytest.approx(stdtrit(effective - 1, 0.95) * found.errors)
    assert found.strengths - low == pytest.approx(high - found.strengths)
    reach = 400 / np.log(10) * stdtrit(effective - 1, 0.975) * found.errors[0]
    assert f"{found.systems[0]} has the highest strength, {found.elo()[0]:.0f} ± {reach:.0f} Elo" in str(found)
    assert str(found.notes[-1]) == (
        f"40 workers count as {effective:.1f} clusters of equal size: limits use Student's t with {effective - 1:.1f} "
        "degrees of freedom"
    )


def test_equal_clusters_have_the_usual_factor_and_as_many_degrees_of_freedom_less_one() -> None:
    battles, _ = clustered(np.full(20, 60), 0.4, 1)
    found = bradley_terry(battles, clusters="worker")
    assert found.effective == pytest.approx(20)
    assert found.normal().freedom == pytest.approx(19)
    independent = bradley_terry(battles)
    assert independent.effective == len(battles)
    assert independent.normal().freedom == np.inf


def test_limits_hold_where_forty_workers_have_very_unequal_votes() -> None:
    """100 arenas of eight systems. In 500 of them the limits hold .950 of the strengths, and ± 1.96 errors .917."""
    held = []
    for seed in range(100):
        battles, strength = clustered(zipf(40, 1500), 0.5, seed)
        found = bradley_terry(battles, clusters="worker")
        # Strengths over workers with tastes of their own are those of one worker, shrunk.
        true = strength / np.sqrt(1 + 2 * 0.25 / 1.7**2)
        true = dict(zip(NAMES.tolist(), (true - true.mean()).tolist(), strict=True))
        own = np.array([true[name] for name in found.systems])
        low, high = found.limits()
        held.append(((low <= own) & (own <= high)).mean())
    assert np.mean(held) > 0.925


def test_the_printed_error_of_a_newcomer_that_won_everything_is_that_of_its_limits() -> None:
    arena = with_newcomer(["first"] * 3)
    found = bradley_terry(arena, prior=1.0)
    low, high = found.limits(0.95)
    at = found.systems.index("new")
    points = ELO * np.array([found.strengths[at] - low[at], high[at] - found.strengths[at]])
    assert points[0] == pytest.approx(points[1])
    assert f"new has the highest strength, {found.elo()[at]:.0f} ± {points[0]:.0f} Elo" in str(found)
