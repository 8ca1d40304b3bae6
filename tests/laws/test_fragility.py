"""The fewest topics or votes that decide who is first: exact for means, really tried for strengths."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from tauscope import Battles, Scores, TauscopeError, bradley_terry, catalogue, rank
from tauscope.errors import CallError


def small_board(seed: int, topics: int = 8, systems: int = 4) -> Scores:
    rng = np.random.default_rng(seed)
    values = np.round(rng.normal(size=(topics, systems)), 1)
    return Scores(values, topics=[f"t{i}" for i in range(topics)], systems=[f"s{i}" for i in range(systems)])


def without(scores: Scores, topics: tuple[str, ...], rule: str = "mean") -> dict[str, float]:
    """The rule's scores once these topics are left out."""
    kept = scores.select(topics=[t for t in scores.topics if t not in topics])
    return dict(zip(kept.systems, catalogue.rules[rule].scores(kept.values), strict=True))


@pytest.mark.parametrize("seed", range(12))
def test_no_smaller_set_of_topics_changes_the_first_place(seed: int) -> None:
    scores = small_board(seed)
    before = rank(scores)
    found = before.fragility()
    if before.rank[1] == 1:  # a tie for the first place
        return
    assert found.leader == before.systems[0]
    after = without(scores, found.removed)
    assert after[found.rival] > after[found.leader]
    assert found.gaps[0].gap > 0 > found.gaps[-1].gap
    for size in range(1, len(found)):
        for gone in combinations(scores.topics, size):
            kept = without(scores, gone)
            assert max(kept.values()) == pytest.approx(kept[found.leader])


@pytest.mark.parametrize("rule", ["borda", "z", "win-rate"])
def test_rules_that_are_means_over_tasks_are_exact_too(rule: str) -> None:
    scores = small_board(3, systems=5)
    found = rank(scores, rule).fragility()
    after = without(scores, found.removed, rule)
    assert after[found.rival] > after[found.leader]


def test_a_leader_that_is_best_everywhere_cannot_be_removed() -> None:
    values = np.column_stack((np.full(5, 2.0), np.arange(5) / 5))
    found = rank(Scores(values, systems=["best", "other"])).fragility()
    assert len(found) == 0
    assert found.verdict.value == "none"
    assert "No removal of topics puts another system above best." in str(found)


def battles(seed: int = 0, number: int = 600) -> Battles:
    rng = np.random.default_rng(seed)
    strength = np.linspace(0.4, 0, 5)
    i = rng.integers(5, size=number)
    j = (i + rng.integers(1, 5, size=number)) % 5
    wins = rng.random(number) < 1 / (1 + np.exp(strength[j] - strength[i]))
    names = np.array([f"s{k}" for k in range(5)])
    winner = np.where(rng.random(number) < 0.2, "tie", np.where(wins, "first", "second"))
    return Battles(names[i], names[j], winner)


@pytest.mark.parametrize("ties", ["half", "davidson", "drop"])
def test_the_votes_found_change_the_first_place_when_they_are_really_left_out(ties: str) -> None:
    all_battles = battles()
    found = rank(bradley_terry(all_battles, ties=ties)).fragility()
    assert found.leader == bradley_terry(all_battles, ties=ties).systems[0]
    gone = [int(name) - 1 for name in found.removed]
    assert len(set(gone)) == len(found) > 0
    kept = np.setdiff1d(np.arange(len(all_battles)), gone)
    after = bradley_terry(all_battles.take(kept), ties=ties)
    assert after[found.rival] > after[found.leader]
    fewer = np.setdiff1d(np.arange(len(all_battles)), gone[:-1])
    before = bradley_terry(all_battles.take(fewer), ties=ties)
    assert before[found.rival] <= before[found.leader]


def test_a_given_pair_is_answered_and_a_wrong_one_refused() -> None:
    all_battles = battles()
    order = bradley_terry(all_battles, ties="half").systems
    board = rank(all_battles)
    found = board.fragility(above=order[0], below=order[-1])
    assert (found.leader, found.rival) == (order[0], order[-1])
    assert len(found) >= len(board.fragility())
    with pytest.raises(CallError, match="is not above"):
        board.fragility(above=order[-1], below=order[0])
    with pytest.raises(CallError, match="Name both systems"):
        board.fragility(above=order[0])
    with pytest.raises(CallError, match="not a mean over topics"):
        rank(small_board(0), "median").fragility()


def small_arena(seed: int) -> Battles:
    """Four systems and 8 to 15 votes without ties: many have records that are all won once a vote is left out."""
    rng = np.random.default_rng(seed)
    number = int(rng.integers(8, 16))
    i = rng.integers(4, size=number)
    j = (i + rng.integers(1, 4, size=number)) % 4
    names = np.array(list("abcd"))
    wins = rng.random(number) < 1 / (1 + np.exp(0.5 * (j - i)))
    return Battles(names[i], names[j], np.where(wins, "first", "second"))


def first_after_removals(arena: Battles, leader: str, most: int) -> str | None:
    """Who is above the leader once at most so many votes are left out, by trying all of them; None: nobody."""
    for size in range(1, most + 1):
        for gone in combinations(range(len(arena)), size):
            try:
                after = bradley_terry(arena.take(np.setdiff1d(np.arange(len(arena)), gone)), prior=0.01)
            except TauscopeError:
                continue
            strength = dict(zip(after.systems, after.strengths, strict=True))
            best = max(strength, key=strength.__getitem__)
            if leader in strength and strength[best] > strength[leader] + 1e-6:
                return best
    return None


def test_no_leader_is_said_to_stay_first_where_leaving_out_two_votes_changes_that() -> None:
    fitted = 0
    for seed in range(60):
        arena = small_arena(seed)
        try:
            bradley_terry(arena)
        except TauscopeError:
            continue  # somebody won every battle: there is no first place to defend
        fitted += 1
        found = rank(arena).fragility()
        if not found.removed:
            assert first_after_removals(arena, found.leader, 2) is None, seed
    assert fitted > 20


def changes_the_first_place(arena: Battles, leader: str, gone: tuple[int, ...]) -> bool:
    """Whether another system is above the leader without these votes; a small prior orders infinite strengths."""
    kept = arena.take(np.setdiff1d(np.arange(len(arena)), gone))
    for prior in (0.0, 0.01):
        try:
            after = bradley_terry(kept, prior=prior)
        except TauscopeError:
            continue
        strength = dict(zip(after.systems, after.strengths, strict=True))
        return leader in strength and max(strength.values()) > strength[leader] + 1e-8
    return False


def test_no_smaller_set_of_votes_changes_the_first_place_of_a_small_arena() -> None:
    sizes = []
    for seed in range(40):
        arena = small_arena(seed)
        try:
            bradley_terry(arena)
        except TauscopeError:
            continue
        found = rank(arena).fragility()
        assert found.exact, seed
        assert found.searched >= len(found) - 1
        if not found.removed:
            continue
        sizes.append(len(found))
        assert changes_the_first_place(arena, found.leader, tuple(int(name) - 1 for name in found.removed)), seed
        assert "No smaller set changes the order." in " ".join(str(found).split())
        for size in range(1, min(len(found), 4)):
            smaller = [
                g for g in combinations(range(len(arena)), size) if changes_the_first_place(arena, found.leader, g)
            ]
            assert not smaller, (seed, len(found), smaller[0])
    assert max(sizes) >= 3


def test_a_set_that_may_not_be_the_smallest_is_not_said_to_be() -> None:
    found = rank(battles()).fragility()
    assert not found.exact
    assert "a smaller set may exist" in found.answer().verdict.rule
    assert "That no smaller set exists: not all sets were tried." in found.answer().claims.may_not
