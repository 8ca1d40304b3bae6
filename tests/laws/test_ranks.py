"""Ranks: intervals, tiers, letters, possible winners and neighbours agree with one another, and hold. Sensitivity."""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tauscope import (
    Battles,
    Published,
    Scores,
    TauscopeError,
    bradley_terry,
    catalogue,
    evaluate,
    expected_correlation,
    hybrid,
    rank,
)
from tauscope import demo as made_up
from tauscope.boards.ranks import Ranks
from tauscope.errors import CallError
from tauscope.inference import relation
from tauscope.inference.corrections import student_p
from tauscope.inference.expected_views import reliability_coefficients
from tauscope.inference.relation import exceeded_p
from tauscope.inference.true_means import Observed, observed_scores, shared_observations


def scores_with_gaps(gaps: list[float], seed: int = 0, topics: int = 40) -> Scores:
    """Systems a, b, c, … whose true means lie these gaps below the first."""
    rng = np.random.default_rng(seed)
    values = 1 - np.array(gaps) + rng.normal(size=(topics, 1)) + 0.1 * rng.normal(size=(topics, len(gaps)))
    return Scores(values, systems=[chr(97 + i) for i in range(len(gaps))], measure="AP")


CLEAR = [0.0, 1.0, 2.0, 3.0]
TWO_TIERS = [0.0, 0.01, 0.02, 1.0, 1.01]


def arena(seed: int, systems: int = 12, number: int = 900) -> Battles:
    rng = np.random.default_rng(seed)
    strength = np.linspace(1.5, 0, systems)
    i = rng.integers(systems, size=number)
    j = (i + rng.integers(1, systems, size=number)) % systems
    wins = rng.random(number) < 1 / (1 + np.exp(strength[j] - strength[i]))
    names = np.array([f"s{k}" for k in range(systems)])
    return Battles(names[i], names[j], np.where(rng.random(number) < 0.2, "tie", np.where(wins, "first", "second")))


def made_up_boards() -> Iterator[tuple[str, Any]]:
    """Boards of every kind: ties, holes, clusters, unequal variances, battles, published scores, a hybrid."""
    rng = np.random.default_rng(3)
    for m, n in ((2, 5), (6, 12), (15, 30), (30, 50)):
        values = rng.normal(size=(n, m)) * rng.uniform(0.2, 2, m) + rng.normal(size=m) * 0.6
        yield f"scores-{m}", Scores(values)
        yield f"ties-{m}", Scores(np.round(values))
        holes = values.copy()
        holes[rng.random(values.shape) < 0.15] = np.nan
        yield f"holes-{m}", Scores(holes, missing="keep")
        yield f"published-{m}", Published(np.round(rng.normal(size=m), 1), errors=rng.uniform(0.01, 0.5, m))
        lower = Published(rng.normal(size=m), errors=rng.uniform(0.01, 0.3, m), lower_is_better=True)
        yield f"lower-{m}", lower
    values = rng.normal(size=(48, 10)) + np.linspace(0, 2, 10)
    yield "clusters", Scores(values, clusters={str(i + 1): f"c{i // 3}" for i in range(48)})
    for seed in range(3):
        yield f"arena-{seed}", arena(seed)
    yield "clustered arena", bradley_terry(arena(4), ties="davidson", prior=1.0)
    people = rng.normal(np.linspace(0, 1, 8), 0.5, (30, 8))
    judge = np.vstack([0.6 * people, rng.normal(np.linspace(0, 0.6, 8), 0.3, (60, 8))])
    yield "hybrid", hybrid(Scores(people), Scores(judge))
    demo = made_up()
    yield "demo", evaluate(demo.runs, demo.qrels, "AP")
    for rule in catalogue.rules.names:
        yield f"rule {rule}", (Scores(0.1 + rng.random((20, 9)) + np.linspace(0, 0.6, 9)), rule)
        gaps = 0.1 + rng.random((20, 9)) + np.linspace(0, 0.6, 9)
        gaps[rng.random(gaps.shape) < 0.1] = np.nan
        yield f"rule {rule} with holes", (Scores(gaps, missing="keep"), rule)


def check_coherence(r: Ranks) -> None:
    """No statement of a result contradicts another one."""
    m, better = len(r.systems), r.better
    scores = -r.scores if r.lower_is_better else r.scores
    assert (np.diff(scores) <= 0).all(), "the order is that of the scores"
    assert not (better & better.T).any()
    assert not better.diagonal().any()
    assert not (better & (scores[:, None] <= scores[None, :])).any(), "no significant pair contradicts the order"
    assert not ((better[:, :, None] & better[None, :, :]).any(axis=1) & ~better).any(), "the relation is transitive"
    # Who could be best: three ways to say it.
    starts = {name for name, (low, _) in r.intervals.items() if low == 1}
    assert set(r.winners) == starts == {n for n, yes in zip(r.systems, r.possible_winner, strict=True) if yes}
    assert r.winners
    assert set(r.winners) <= set(r.tiers[0])
    assert (len(r.winners) == 1) == (r.verdict.value == "clear") == bool(better[0].sum() == m - 1)
    # Intervals.
    assert (r.low <= r.rank).all()
    assert (r.rank <= r.high).all()
    assert (r.low == 1 + better.sum(axis=0)).all()
    assert (r.high == m - better.sum(axis=1)).all()
    for i, j in zip(*np.nonzero(better), strict=True):
        assert r.low[i] < r.low[j]
        assert r.high[i] < r.high[j]
        assert r.tier[i] <= r.tier[j]
    # Ranks 1, 1, 1, 4; tiers follow the ranking and keep equal scores together.
    for i in range(m):
        assert r.rank[i] == 1 + (scores > scores[i]).sum()
    assert [name for tier in r.tiers for name in tier] == list(r.systems)
    assert (np.diff(r.tier) >= 0).all()
    assert (np.diff(r.tier)[np.diff(scores) == 0] == 0).all()
    ends = [k for k in range(m - 1) if r.tier[k] != r.tier[k + 1]]
    for end in ends:
        top = np.flatnonzero(scores == scores[list(r.tier).index(r.tier[end])])
        assert better[top].any(axis=0)[end + 1 :].all(), "everything below a tier is worse than a system at its top"
    # Letters.
    many = any(" " in text for text in r.letters)
    letters = [set(text.split() if many else text) for text in r.letters]
    shared = np.array([[bool(a & b) for b in letters] for a in letters])
    np.testing.assert_array_equal(shared, ~(better | better.T))
    # Neighbours.
    beside = r.neighbours
    assert beside.above == r.systems[:-1]
    assert beside.below == r.systems[1:]
    np.testing.assert_array_equal(beside.significant, np.diagonal(better, 1))
    np.testing.assert_array_equal(beside.tied, r.rank[1:] == r.rank[:-1])
    assert not (beside.significant & beside.tied).any()
    assert beside.significant_pairs == r.significant_neighbours
    # The table says the same, and so do the words.
    rows = r.answer().tables[0].rows
    assert [row[2] for row in rows] == list(r.intervals.values())
    assert sum(bool(row[7]) for row in rows) == len(r.winners)
    assert r.answer().numbers[0].value == f"{len(r.winners)} of {m}"


@pytest.mark.parametrize("board", [pytest.param(board, id=name) for name, board in made_up_boards()])
def test_statements_about_ranks_cannot_contradict_one_another(board: Any) -> None:
    check_coherence(rank(*board) if isinstance(board, tuple) else rank(board))


def test_statements_about_trec_collections_arenas_and_boards_cannot_contradict_one_another(shared: Path) -> None:
    folder = shared / "data"
    if not folder.is_dir():
        pytest.skip(f"no shared data: {folder} is not a folder")
    boards: list[Any] = [Scores.read(path, missing="drop-topics") for path in sorted(folder.glob("trec/*.csv"))]
    boards += [Scores.read(folder / "real/mteb/board.csv", format="turned")]
    boards += [Scores.read(folder / "real/mteb/board-holes.csv", format="turned", missing="keep")]
    boards += [Battles.read(path) for path in sorted(folder.glob("real/arena/*.gz"))]
    boards += [Published.read(path) for path in sorted(folder.glob("real/lmarena/*.csv"))]
    assert len(boards) > 24
    for board in boards:
        check_coherence(rank(board))


def test_the_seed_does_not_decide_who_is_in_which_tier(shared: Path) -> None:
    """At most 1 % of the systems change their tier with the seed, on average over seeds 0 to 19."""
    folder = shared / "data" / "trec"
    if not folder.is_dir():
        pytest.skip(f"no TREC collections: {folder} is not a folder")
    for name in ("adhoc5_p10", "adhoc7_rr", "web2010_p10", "web2011_ndcg20"):
        scores = Scores.read(folder / f"{name}.csv", missing="drop-topics")
        tiers = np.array([rank(scores, rng=seed).tier for seed in range(20)])
        usual = np.array([np.bincount(own).argmax() for own in tiers.T])
        assert (tiers != usual).mean() <= 0.01, name


def test_systems_that_are_far_apart_have_one_rank() -> None:
    found = rank(scores_with_gaps(CLEAR), rng=1)
    assert found.systems == ("a", "b", "c", "d")
    assert found.low.tolist() == found.high.tolist() == [1, 2, 3, 4]
    assert found["c"] == (3, 3)
    assert (found.one("c").low, found.one("c").high) == (3, 3)
    assert len(found.tiers) == 4
    for wrong in (found.__getitem__, found.one):
        with pytest.raises(TauscopeError, match="no system 'z'"):
            wrong("z")


def test_systems_that_are_close_share_their_ranks_and_their_tier() -> None:
    found = rank(scores_with_gaps(TWO_TIERS), rng=1)
    for system in "de":
        assert found[system] == (4, 5)
    for system in "abc":
        assert found[system][1] <= 3
    assert [set(tier) for tier in found.tiers] == [set("abc"), set("de")]
    assert set(found.best_set().members) <= set("abc")
    assert "a" in found.best_set() or "b" in found.best_set() or "c" in found.best_set()


def test_the_interval_of_one_system_chosen_in_advance_is_narrower_and_the_best_set_smaller() -> None:
    scores = Scores(np.random.default_rng(3).normal(size=(30, 12)) + np.linspace(0, 1, 12))
    found = rank(scores, rng=1)
    alone = [found.one(name) for name in found.systems]
    assert sum(own.high - own.low for own in alone) < (found.high - found.low).sum()
    assert [(own.joint_low, own.joint_high) for own in alone] == list(found.intervals.values())
    assert set(found.best_set().members) <= set(found.winners)
    noise = rank(Scores(np.random.default_rng(1).normal(size=(20, 6))), level=0.999, rng=1)
    assert len(noise.best_set()) == 6


def test_identical_systems_have_the_same_ranks() -> None:
    values = scores_with_gaps(CLEAR).values
    found = rank(Scores(np.concatenate((values, values[:, 1:2]), axis=1)), rng=1)
    assert found["2"] == found["5"] == (2, 3)
    assert found.rank.tolist() == [1, 2, 2, 4, 5]
    assert found.neighbours.copies == 1


def test_equal_scores_share_the_better_rank_and_more_topics_are_not_advised_where_ties_are_the_cause() -> None:
    found = rank(Scores([[0.5, 0.5, 0.5, 0.2]] * 9 + [[0.6, 0.6, 0.6, 0.1]]))
    assert found.rank.tolist() == [1, 1, 1, 4]
    advice = " ".join(found.answer().advice.paragraphs)
    assert "More topics" not in advice
    assert "share a rank" in advice


def test_a_board_with_holes_is_ordered_by_adjusted_means() -> None:
    """A system that lacks the hard topics has a high plain mean, and is not ranked first for it."""
    rng = np.random.default_rng(2)
    hard = np.linspace(0.9, 0.1, 20)[:, None]
    values = hard + np.array([0.1, 0.0]) + 0.01 * rng.normal(size=(20, 2))
    values[8:, 1] = np.nan
    found = rank(Scores(values, systems=["better", "easy topics only"], missing="keep"))
    assert found.systems == ("better", "easy topics only")
    assert found.unadjusted[1] > found.unadjusted[0]
    assert found.verdict.value == "clear"
    assert (found.score, found.method, found.holes) == ("adjusted", "pairs", 12)
    assert any("missing at random" in text for text in found.answer().warnings)
    apart = Scores([[0.5, None], [0.4, None], [None, 0.5], [None, 0.2]], missing="keep")
    with pytest.raises(TauscopeError, match="share no topic"):
        rank(apart)


def test_too_few_topics_show_nothing_and_say_how_many_would() -> None:
    found = rank(Scores(np.linspace(0, 3, 4) + 0.001 * np.random.default_rng(0).normal(size=(4, 4))))
    assert found.too_few
    assert len(found.winners) == 4
    assert "at least 6 topics" in " ".join(found.answer().advice.paragraphs)
    assert not rank(Scores(np.linspace(0, 3, 4) + 0.001 * np.random.default_rng(0).normal(size=(6, 4)))).too_few


def test_only_pairs_that_differ_by_themselves_differ_among_all() -> None:
    scores = Scores(np.random.default_rng(5).normal(size=(25, 10)) * 0.5 + np.linspace(0, 2, 10))
    observed = Observed.of(scores.values)
    found = relation.tested(observed, 0.95, 4, None).better[observed.pairs]
    assert (student_p(observed)[found] < 0.05).all()
    assert found.any()
    assert not found.all()


@pytest.mark.parametrize("topics", [5, 10, 40])
def test_few_topics_promise_no_more_than_many(topics: int) -> None:
    # No real difference: any significant pair is a mistake, and so is a best set without a given system.
    rng = np.random.default_rng(topics)
    found, lost = 0, 0
    for trial in range(150):
        observed = Observed.of(rng.normal(size=(topics, 1)) + rng.normal(size=(topics, 8)))
        found += bool(relation.tested(observed, 0.95, trial, 300).better.any())
        lost += bool(exceeded_p(observed, trial, draws=300)[observed.order.tolist().index(0)] < 0.05)
    assert found <= 16  # 7.5 expected; more than 16 has probability 0.002
    assert lost <= 16


def test_all_systems_equal_are_told_apart_in_at_most_five_percent() -> None:
    # Twenty systems, no real difference, 200 collections: any significant pair is a mistake.
    rng = np.random.default_rng(9)
    mistakes = 0
    for trial in range(200):
        values = rng.normal(size=(20, 1)) + rng.standard_t(6, size=(20, 8))
        mistakes += bool(relation.tested(Observed.of(values), 0.95, trial, 400).better.any())
    assert mistakes <= 200 * 0.05 + 3 * math.sqrt(200 * 0.05 * 0.95)


@pytest.mark.parametrize(("systems", "holes"), [(8, 0.0), (20, 0.0), (8, 0.3)])
def test_equal_systems_have_a_false_statement_in_at_most_five_percent_of_boards(systems: int, holes: float) -> None:
    """`benchmarks/equal_systems.py` counts more of them."""
    wrong = 0
    for trial in range(120):
        rng = np.random.default_rng((trial, systems))
        values = rng.normal(size=(25, 1)) + rng.normal(size=(25, systems))
        values[rng.random(values.shape) < holes] = np.nan
        found = rank(Scores(values, missing="keep"), rng=trial)
        wrong += bool(len(found.tiers) > 1 or len(found.winners) < systems or found.significant_pairs)
    assert wrong <= 13  # 6 expected; more than 13 has probability 0.002


def test_the_truly_best_system_is_in_its_set_and_ranks_are_in_their_intervals() -> None:
    rng = np.random.default_rng(21)
    truth = np.linspace(0, 1, 8)
    kept, at_once, alone = 0, 0, 0
    for trial in range(100):
        scores = Scores(truth + rng.normal(size=(25, 1)) + rng.normal(size=(25, 8)))
        found = rank(scores, rng=trial)
        kept += "8" in found.best_set()
        true_rank = np.array([9 - int(name) for name in found.systems])
        at_once += bool(((found.low <= true_rank) & (true_rank <= found.high)).all())
        one = found.one("5")
        alone += one.low <= 4 <= one.high
    assert kept >= 89  # 95 % less three standard errors
    assert at_once >= 89
    assert alone >= 89


def test_sensitivity_is_what_new_topics_show() -> None:
    # Two systems whose observed difference is just the one found keep their order on new topics in 95 % of the cases.
    rng = np.random.default_rng(2)
    scores = Scores(rng.normal(size=(50, 30)) + rng.normal(size=30))
    expected = expected_correlation(scores, interval=False)
    found = expected.sensitivity(0.05)
    g, s = found.g, math.sqrt(2)
    delta = g * found.difference + math.sqrt(g * s * s / 50) * rng.normal(size=200_000)
    again = delta + s / math.sqrt(50) * rng.normal(size=200_000)
    assert np.mean(again < 0) == pytest.approx(0.05, abs=0.01)
    assert expected.sensitivity(0.01).difference > found.difference
    assert 0 < found.pairs < found.all_pairs
    for error in (0, 0.5, 5):
        with pytest.raises(CallError, match="error"):
            expected.sensitivity(error)


def test_reliability_coefficients_are_those_of_the_variance_components() -> None:
    rng = np.random.default_rng(3)
    n, m = 2000, 300
    values = 0.5 * rng.normal(size=m) + 0.8 * rng.normal(size=(n, 1)) + rng.normal(size=(n, m))
    observed = Observed.of(values[:20])
    g, phi = reliability_coefficients(observed)
    assert g == pytest.approx(observed.raw_reliability, abs=1e-12)
    assert g == pytest.approx(0.25 / (0.25 + 1 / 20), abs=0.03)
    assert phi < g
    _, phi = reliability_coefficients(Observed.of(values))
    assert phi == pytest.approx(0.25 / (0.25 + 1.64 / n), abs=0.01)


@pytest.mark.parametrize("function", [rank, lambda s: expected_correlation(s).sensitivity()])
def test_one_system_or_one_topic_is_an_error_that_says_so(function: object) -> None:
    for values in ([[0.1], [0.2]], [[0.1, 0.2]]):
        with pytest.raises(TauscopeError, match="two systems and two topics"):
            function(Scores(values))  # type: ignore[operator]


def test_what_a_board_lacks_is_said_where_it_is_needed() -> None:
    board = Published({"x": 3.0, "y": 1.0}, errors=[0.1, 0.1])
    with pytest.raises(CallError, match="has none"):
        rank(board, "borda")
    with pytest.raises(CallError, match="needs scores on topics"):
        rank(board).under_rules()
    with pytest.raises(CallError, match="needs topics or battles"):
        rank(board).fragility()
    with pytest.raises(CallError, match="expected_correlation"):
        rank(scores_with_gaps(CLEAR)).expected_tau()
    with pytest.raises(CallError, match="rank\\(\\) takes Scores"):
        rank(3)


def test_questions_that_share_what_they_need_have_the_same_answers() -> None:
    scores = scores_with_gaps(TWO_TIERS)

    def answers() -> list[object]:
        return [
            rank(scores, rng=1).to_dict(),
            rank(scores, rng=1).best_set().to_dict(),
            expected_correlation(scores, "tau", rng=1).to_dict(),
            expected_correlation(scores, "tau_ap", rng=1).to_dict(),
            rank(scores, rng=2).neighbours.to_dict(),
        ]

    alone = answers()
    with shared_observations():
        first = observed_scores(scores, "a test")
        assert observed_scores(scores, "a test") is first
        assert answers() == alone == answers()
    assert observed_scores(scores, "a test") is not first
