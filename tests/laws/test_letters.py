"""Letters: two systems share one if and only if they are not told apart. Claims of skewed scores, ranks of one
system."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from tauscope import Scores, rank
from tauscope.core.checking import Stream, stream
from tauscope.inference import relation
from tauscope.inference.corrections import caution, cautious_statistics, student_statistics, with_one_against
from tauscope.inference.relation import apart_from, compact_letters
from tauscope.inference.true_means import Observed


def letters_of(marks: dict[str, str]) -> list[set[str]]:
    """The letters of each system; with more than 26 of them, which go on with aa, they stand apart."""
    many = any(" " in own for own in marks.values()) or "aa" in marks.values()
    return [set(own.split()) if many else set(own) for own in marks.values()]


@pytest.mark.parametrize("systems", [1, 2, 5, 12, 30])
@pytest.mark.parametrize("share", [0.0, 0.2, 0.5, 0.8, 1.0])
def test_two_systems_share_a_letter_if_and_only_if_they_are_not_told_apart(systems: int, share: float) -> None:
    generator = np.random.default_rng((systems, int(10 * share)))
    for _ in range(5):
        better = np.triu(generator.random((systems, systems)) < share, 1)
        marks = compact_letters(better, [str(i) for i in range(systems)])
        shown = letters_of(marks)
        for i in range(systems):
            assert shown[i]
            for j in range(i + 1, systems):
                assert bool(shown[i] & shown[j]) == (not better[i, j]), (i, j)


def test_no_letter_could_be_left_out() -> None:
    generator = np.random.default_rng(4)
    better = np.triu(generator.random((14, 14)) < 0.5, 1)
    shown = [set(own) for own in compact_letters(better, [str(i) for i in range(14)]).values()]
    for letter in set().union(*shown):
        rest = [own - {letter} for own in shown]
        alone = any(not own for own in rest)
        lost = any(
            bool(a & b) != bool(c & d)
            for a, c in zip(shown, rest, strict=True)
            for b, d in zip(shown, rest, strict=True)
        )
        assert alone or lost


def test_letters_of_a_chain_are_those_of_piepho() -> None:
    # Each differs from all but its neighbours: as many groups as neighbouring pairs.
    apart = np.triu(np.abs(np.subtract.outer(np.arange(5), np.arange(5))) > 1)
    assert list(compact_letters(apart, list("vwxyz")).values()) == ["a", "ab", "bc", "cd", "d"]


def test_letters_of_a_board_keep_the_law() -> None:
    generator = np.random.default_rng(2)
    scores = Scores(np.linspace(0, 1.5, 20) + generator.normal(size=(40, 20)))
    found = rank(scores, rng=1)
    observed = Observed.named(scores.values, scores.systems)
    better = relation.tested(observed, 0.95, 1, None).better
    assert 20 < better.sum() < 180
    assert found.systems == tuple(scores.systems[i] for i in observed.order)
    own = [set(letters) for letters in found.letters]
    shared = np.array([[bool(a & b) for b in own] for a in own])
    np.testing.assert_array_equal(shared, ~(better | better.T))


def skewed(systems: int, topics: int, seed: int) -> np.ndarray:
    """Scores of systems with the same true mean, some of which are nearly always 0, like reciprocal ranks."""
    generator = np.random.default_rng(seed)
    steady = np.geomspace(0.5, 20, systems)
    return generator.beta(0.2 * steady, 0.8 * steady, size=(topics, systems))


def test_normal_differences_lose_next_to_nothing_and_skewed_ones_count_for_less() -> None:
    generator = np.random.default_rng(0)
    plain = Observed.of(generator.normal(size=(60, 10)))
    kept = caution(plain, np.random.default_rng(1))
    assert kept.min() >= 1
    assert kept.mean() < 1.05
    odd = Observed.of(skewed(8, 30, 3))
    assert caution(odd, np.random.default_rng(1)).mean() > kept.mean() + 0.02
    r, t = cautious_statistics(odd, np.random.default_rng(1)), student_statistics(odd)
    n = odd.topics
    assert (r <= t * np.sqrt(n) / np.sqrt(n - 1 + t * t) + 1e-12).all()


def test_caution_does_not_move_the_flips() -> None:
    one, two = np.random.default_rng(1), np.random.default_rng(1)
    caution(Observed.of(skewed(8, 30, 3)), one)
    assert one.random() == two.random()


def test_constant_and_identical_differences_have_no_spread_to_be_cautious_about() -> None:
    values = np.array([[3.0, 2.0, 2.0], [4.0, 3.0, 3.0], [6.0, 5.0, 5.0]])
    observed = Observed.of(values)
    assert caution(observed, np.random.default_rng(0)) == pytest.approx(np.ones(3))
    assert cautious_statistics(observed, np.random.default_rng(0)) == pytest.approx(np.sqrt(3) * np.array([1, 1, 0]))


def near_copies(items: int, seed: int) -> np.ndarray:
    """Seven variants of one good model, and a bad one: right or wrong answers."""
    generator = np.random.default_rng(seed)
    good = generator.random((items, 1)) < 0.9
    copies = good ^ (generator.random((items, 7)) < 0.02)
    return np.hstack([copies, generator.random((items, 1)) < 0.2]).astype(float)


def test_near_copies_do_not_spare_a_system_that_is_far_behind() -> None:
    # The copies differ on an item or two: their t may be anything, and a common divisor of 50 would spare the bad one.
    for seed in range(20):
        scores = Scores(near_copies(50, seed), systems=[*"abcdefg", "bad"])
        assert "bad" not in rank(scores).best_set()
        assert rank(scores).low[-1] == 8
        assert caution(Observed.of(scores.values), np.random.default_rng(0)).min() > 1
    divisors = [caution(Observed.of(near_copies(50, seed)), np.random.default_rng(0)).min() for seed in range(20)]
    assert np.median(divisors) > 5


def test_one_more_topic_is_as_far_the_other_way_as_any_two_systems_are() -> None:
    observed = Observed.of(skewed(6, 15, 1))
    far = np.ptp(observed.x, axis=0).max()
    against = with_one_against(observed)
    for pair, (i, j) in enumerate(zip(*observed.pairs, strict=True)):
        longer = np.append(observed.x[i] - observed.x[j], -far)
        assert against[pair] == pytest.approx(max(0.0, stats.ttest_1samp(longer, 0).statistic))
    assert (against <= student_statistics(observed)).all()


def test_skewed_scores_of_equal_systems_seldom_differ() -> None:
    # Of 200 such collections flips alone call some pair different in 22, and in 17 with caution.
    false = sum(relation.tested(Observed.of(skewed(8, 20, seed)), 0.95, seed, 500).better.any() for seed in range(100))
    assert false <= 9


def test_ranks_of_one_system_use_only_the_comparisons_with_it() -> None:
    generator = np.random.default_rng(5)
    scores = Scores(np.linspace(0, 1.2, 25) + generator.normal(size=(40, 25)))
    found = rank(scores)
    alone = [found.one(name) for name in found.systems]
    low, high = (np.array([getattr(own, side) for own in alone]) for side in ("low", "high"))
    assert (low >= found.low - 1).all()
    assert (high <= found.high + 1).all()
    assert (high - low).mean() < (found.high - found.low).mean() - 1
    observed = Observed.of(scores.values)
    apart = apart_from(observed, 0, 0.95, 0)
    # By hand, for the best: the largest of its 24 statistics when signs are flipped.
    signs = 1 - 2.0 * stream(0, Stream.PAIRS).integers(0, 2, (2000, 40))
    difference = observed.x[0] - observed.x[1:]
    norm = np.sqrt((difference**2).sum(axis=1))
    limit = np.quantile(np.abs(signs @ difference.T / norm).max(axis=1), 0.95)
    own = cautious_statistics(observed, stream(0, Stream.PAIRS))[:24]
    assert set(np.flatnonzero(own > limit + 0.02) + 1) <= set(np.flatnonzero(apart))


def test_ranks_of_one_system_chosen_beforehand_hold() -> None:
    held = []
    for seed in range(60):
        generator = np.random.default_rng(seed)
        true = 0.2 * generator.normal(size=12)
        found = rank(Scores(true + generator.normal(size=(30, 12))), rng=seed)
        ranks = {str(i + 1): int((true > own).sum()) + 1 for i, own in enumerate(true)}
        alone = [found.one(name) for name in found.systems]
        held.append([own.low <= ranks[own.system] <= own.high for own in alone])
    assert np.mean(held, axis=0).min() > 0.9
    assert np.mean(held) >= 0.95


def test_letters_of_many_systems_that_overlap_anyhow_are_found_and_keep_the_law() -> None:
    # Insert and absorb would make more groups here than there is time for.
    better = np.triu(np.random.default_rng(6).random((120, 120)) < 0.3, 1)
    shown = letters_of(compact_letters(better, [str(i) for i in range(120)]))
    for i in range(120):
        assert shown[i]
        for j in range(i + 1, 120):
            assert bool(shown[i] & shown[j]) == (not better[i, j]), (i, j)
