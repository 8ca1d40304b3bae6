"""Correlations of measures, and topics that keep a ranking: equal to their definitions, honest about their limits."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from tauscope import ScoreCube, Scores, tau_ap_a, tau_b
from tauscope.coefficients.correlate import correlation_matrix
from tauscope.core.checking import RANDOM_SETS, TOPIC_HALVES, Stream, stream
from tauscope.errors import AlignmentError, CallError, TauscopeError
from tauscope.measures import Table as MeasureTable
from tauscope.measures import correlations as measure_correlations
from tauscope.measures import select_topics
from tauscope.results import wording

NAMES = ["AP", "nDCG", "RR", "P@10"]


def cube(
    seed: int, topics: int = 12, systems: int = 15, measures: list[str] = NAMES, collection: str = ""
) -> ScoreCube:
    rng = np.random.default_rng(seed)
    good = rng.normal(size=(1, topics, 1)) + rng.normal(size=(1, 1, systems))
    noise = np.linspace(0.2, 2, len(measures))[:, None, None] * rng.normal(size=(len(measures), topics, systems))
    return ScoreCube(good + noise, measures, collection=collection)


def test_by_topic_is_pearson_over_all_topics_and_systems_and_by_system_over_means() -> None:
    scores = cube(1)
    by_topic, by_system = measure_correlations(scores), measure_correlations(scores, "system")
    assert by_topic.values == pytest.approx(np.corrcoef(scores.values.reshape(4, -1)), abs=1e-12)
    assert by_system.values == pytest.approx(np.corrcoef(scores.means()), abs=1e-12)
    assert (by_topic.rows, by_system.rows) == ((180,), (15,))
    assert measure_correlations(scores.topic_wise(), "system").values == pytest.approx(by_system.values, abs=1e-9)
    assert measure_correlations(scores.system_wise()).by == "system"


@pytest.mark.parametrize("coefficient", ["tau_b", "spearman", "tau_ap_a", "tau_gap", "tau_e"])
def test_any_coefficient_of_the_catalogue_row_is_truth(coefficient: str) -> None:
    table = cube(2).system_wise()
    found = measure_correlations(table, coefficient=coefficient)
    expected = correlation_matrix(np.ascontiguousarray(table.values.T), coefficient)
    assert found.values == pytest.approx(expected.values, abs=1e-12, nan_ok=True)
    assert found["AP", "RR"] == found.values[0, 2]


def test_where_the_coefficient_is_not_symmetric_the_first_of_a_pair_is_the_truth() -> None:
    table = cube(3).system_wise()
    found = measure_correlations(table, coefficient="tau_ap_a")
    assert found["AP", "RR"] == pytest.approx(tau_ap_a(table["RR"], truth=table["AP"]).value)
    assert len(found.pairs()) == 12
    assert "The first of a pair is the truth" in found.answer().tables[0].caption


def test_of_several_collections_each_counts_alike_and_shifts_between_them_do_not() -> None:
    first, second = cube(4), cube(5, topics=20)
    shifted = ScoreCube(second.values + 100, NAMES)
    together = measure_correlations({"a": first, "b": shifted})
    expected = (np.corrcoef(first.values.reshape(4, -1)) + np.corrcoef(second.values.reshape(4, -1))) / 2
    assert together.values == pytest.approx(expected, abs=1e-9)
    assert together.each.shape == (2, 4, 4)
    assert list(together.columns()) == ["first", "second", "value", "a", "b"]


def test_a_constant_measure_is_undefined_and_named_and_the_others_are_not_touched() -> None:
    values = np.array(cube(6).values)
    values[2] = 0.5
    found = measure_correlations(ScoreCube(values, NAMES))
    assert np.isnan(found.values[2]).sum() >= 3
    assert not np.isnan(np.delete(np.delete(found.values, 2, 0), 2, 1)).any()
    assert [str(reason) for reason in found.undefined] == ["RR is constant"]
    assert "Undefined: RR is constant" in str(found)
    assert "RR" in found.clustered()
    assert ("RR",) in found.groups(0.5)


def test_ties_make_tau_undefined_with_the_reason() -> None:
    table = MeasureTable([[1, 1], [1, 2], [2, 3]], list("abc"), ["AP", "RR"])
    found = measure_correlations(table, coefficient="tau")
    assert np.isnan(found["AP", "RR"])
    assert any("there are ties in" in str(reason) for reason in found.undefined)


def test_measures_that_not_all_collections_have_are_left_out_and_named() -> None:
    found = measure_correlations([cube(7), cube(8, measures=["RR", "AP", "Bpref", "nDCG"])])
    assert found.measures == ("AP", "nDCG", "RR")
    assert [str(note) for note in found.notes] == ["left out, not in every collection: P@10 and Bpref"]
    assert found.collections == ("1", "2")
    with pytest.raises(AlignmentError, match=r"at least 2 measures; the 2 collections share 'RR'\."):
        measure_correlations([cube(7), cube(8, measures=["RR", "Rprec", "Bpref", "ERR@20"])])


def test_every_two_of_a_group_reach_the_threshold_and_no_two_groups_could_be_one() -> None:
    found = measure_correlations(cube(9, measures=[f"m{i}" for i in range(9)]), "system")
    for threshold in (0.5, 0.8, 0.95):
        groups = found.groups(threshold)
        assert sorted(m for group in groups for m in group) == sorted(found.measures)
        for group in groups:
            assert all(found[a, b] >= threshold - 1e-9 for a in group for b in group)


def test_similar_measures_stand_beside_each_other_when_clustered() -> None:
    rng = np.random.default_rng(10)
    base = rng.normal(size=(30, 2))
    values = base[:, [0, 1, 0, 1]] + 0.1 * rng.normal(size=(30, 4))
    order = measure_correlations(MeasureTable(values, [str(i) for i in range(30)], list("abcd"))).clustered()
    assert {frozenset(order[:2]), frozenset(order[2:])} == {frozenset("ac"), frozenset("bd")}


def test_the_result_says_that_correlated_is_not_exchangeable_in_the_users_words() -> None:
    found = measure_correlations(cube(11), "system")
    strongest, weakest = found.strongest(1)[0], found.weakest(1)[0]
    assert strongest.value == max(p.value for p in found.pairs()) > weakest.value
    assert f"{strongest.value:.3f} ({strongest.first} and {strongest.second})" in str(found)
    assert "are not exchangeable" in str(found)
    with wording(systems="models"):
        assert "over 15 models" in found.methods_sentence()
        assert "rank models alike" in str(found)
    assert found.plot().images or found.plot().collections


def test_the_topics_of_one_measure_are_the_columns_of_a_leaderboard() -> None:
    scores = Scores(np.random.default_rng(12).random((4, 20)), topics=["qa", "maths", "code", "law"])
    found = measure_correlations(scores)
    assert found["qa", "law"] == pytest.approx(stats.pearsonr(scores.values[0], scores.values[3]).statistic)
    with wording(topics="tasks"):
        assert "between 4 tasks" in found.methods_sentence()
    with pytest.raises(CallError, match="their topics are the columns"):
        measure_correlations(scores, "topic")


def test_a_topic_wise_table_needs_the_same_topics_for_every_system_to_be_averaged() -> None:
    table = MeasureTable([[1, 2], [3, 4], [5, 7]], ["a", "a", "b"], ["AP", "RR"], topics=["1", "2", "1"])
    with pytest.raises(AlignmentError, match="System 'b' has 1 topic and 'a' has 2"):
        measure_correlations(table, "system")
    with pytest.raises(CallError, match="by='query' is unknown"):
        measure_correlations(table, "query")


# ---- Topics that keep the ranking ----


def board(seed: int, topics: int = 14, systems: int = 30) -> Scores:
    rng = np.random.default_rng(seed)
    good = np.where(np.arange(topics) < 4, 2.0, 0.0)[:, None] * rng.normal(
        size=systems
    )  # four topics tell systems apart
    return Scores(good + rng.normal(size=(topics, systems)), topics=[f"t{i}" for i in range(topics)])


def test_chosen_topics_beat_random_ones_on_systems_they_were_not_chosen_for() -> None:
    found = select_topics(board(1), 4, rng=3)
    assert found.held_out.mean() > found.random.mean() + 0.05
    assert len(found.topics) == 4
    assert found.value == pytest.approx(tau_b(board(1).select(topics=found.topics).means(), board(1).means()).value)


def test_the_value_on_the_systems_used_flatters() -> None:
    rng = np.random.default_rng(2)
    noise = Scores(rng.normal(size=(30, 24)))  # nothing to find
    found = select_topics(noise, 3, rng=1)
    assert found.value > found.held_out.mean() + 0.1
    assert "On the systems used in the choice" in str(found)


def test_greedy_with_exchanges_finds_what_trying_every_set_finds_where_it_is_plain() -> None:
    from itertools import combinations

    scores = board(4, topics=9)
    found = select_topics(scores, 2, rng=0, draws=1)
    best = max(
        tau_b(scores.values[list(pair)].mean(axis=0), scores.means()).value for pair in combinations(range(9), 2)
    )
    assert found.value == pytest.approx(best)


def test_the_same_seed_gives_the_same_numbers_and_tables_of_tasks_work() -> None:
    table = MeasureTable(board(5).values.T, board(5).systems, [f"task{i}" for i in range(14)])
    first, second = select_topics(table, 3, rng=7), select_topics(table, 3, rng=7)
    assert first.held_out.tolist() == second.held_out.tolist()
    assert first.topics == second.topics
    assert first.seed == 7
    assert "3 of 14 measures" in str(first)
    assert select_topics(table, 3, rng=8).held_out.tolist() != first.held_out.tolist()
    assert first.topics == tuple(t.replace("t", "task") for t in select_topics(board(5), 3, rng=7).topics)


def test_a_choice_that_is_noise_is_called_noise() -> None:
    rng = np.random.default_rng(11)
    for seed in range(20):
        found = select_topics(Scores(rng.normal(size=(12, 16))), 2, rng=seed, draws=5)
        assert ("Do not use this choice" in str(found)) == (found.held_out.mean() <= found.random.mean())


def test_the_halves_have_random_numbers_of_their_own() -> None:
    """By hand, from the stream of this use: topics drawn at random, on the systems that had no part in the choice."""
    scores = board(3, topics=9)
    found = select_topics(scores, 3, rng=5, draws=2)
    ordered = scores.in_order("topics", "systems")
    for half in range(2):
        generator = stream(5, Stream.SUBSETS, half)
        other = np.sort(generator.permutation(len(scores.systems))[len(scores.systems) // 2 :])
        values = ordered.values[:, other]
        drawn = [generator.choice(9, 3, replace=False) for _ in range(RANDOM_SETS)]
        mean = np.mean([stats.kendalltau(values[own].mean(axis=0), values.mean(axis=0)).statistic for own in drawn])
        assert found.random[half] == pytest.approx(mean, abs=1e-12)
    states = {stream(5, use).bit_generator.state["state"]["state"] for use in Stream}
    halves = {stream(5, Stream.SUBSETS, half).bit_generator.state["state"]["state"] for half in range(TOPIC_HALVES)}
    assert len(halves) == TOPIC_HALVES
    assert not states & halves


def test_progress_is_told_and_a_coefficient_can_be_asked_for() -> None:
    told: list[tuple[int, int]] = []
    found = select_topics(board(6), 3, coefficient="tau_ap_b", draws=4, progress=lambda *at: told.append(at))
    assert told == [(1, 4), (2, 4), (3, 4), (4, 4)]
    assert str(found.coefficient) == "tau_ap_b"
    assert len(found.to_frame()) == 4
    assert found.plot().patches


def test_where_all_systems_are_equal_the_value_is_undefined_with_its_reason() -> None:
    found = select_topics(Scores(np.ones((5, 6))), 2)
    assert np.isnan(found.value)
    assert "undefined: all 6 items are tied" in str(found)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: select_topics(board(1), 14), r"k=14: k is a whole number from 1 to 13\."),
        (lambda: select_topics(board(1), True), r"k=True: k is a whole number"),
        (
            lambda: select_topics(board(1, systems=3), 2),
            r"3 systems are too few to choose on one half and score on the other",
        ),
        (lambda: select_topics(board(1), 2, draws=0), r"draws=0: draws is a whole number of at least 1"),
        (lambda: select_topics(board(1), 2, draws=1.5), r"draws=1.5: draws is a whole number"),
        (lambda: select_topics(board(1), 2, draws="3"), r"draws='3': draws is a whole number"),
        (lambda: select_topics(Scores([[1.0, 2, 3, 4]]), 2), r"chooses some of several topics, and there is only one"),
        (lambda: select_topics(board(1), 2, rng=-1), r"rng=-1 is not a seed"),
        (lambda: select_topics(cube(1), 2), r"not ScoreCube\. Of a cube give one measure: cube\['AP'\]\."),
        (lambda: select_topics(3, 2), r"takes a ScoreCube, a measures.Table or Scores, not int"),
        (lambda: measure_correlations(3), r"takes a ScoreCube, a measures.Table or Scores, not int"),
        (lambda: measure_correlations([]), r"needs at least one collection"),
        (lambda: measure_correlations(cube(1, measures=["AP"])), r"needs at least 2 measures; there is 1\."),
        (
            lambda: measure_correlations([cube(1), cube(1).system_wise()]),
            r"some collections are topic-wise and others system-wise",
        ),
    ],
)
def test_a_wrong_call_says_what_is_wrong_and_what_to_do(call, message) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(TauscopeError, match=message):
        call()


def test_scores_near_the_largest_number_choose_the_same_topics() -> None:
    values = np.random.default_rng(5).uniform(0.5, 1, (6, 8))
    usual, huge = (select_topics(Scores(values * by), 2, rng=1) for by in (1.0, 2.0**1023 * 1.9))
    assert huge.topics == usual.topics
    assert huge.held_out.tolist() == usual.held_out.tolist()
