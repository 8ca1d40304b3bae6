"""Topic by topic: correlate_topics and system_profile say what single calls say, and what was left out."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

import tauscope
from tauscope import Scores, TauscopeError, catalogue
from tauscope.coefficients.correlation_views import correlate_topics, system_profile
from tauscope.errors import AlignmentError, CallError
from tauscope.results import wording

pytestmark = pytest.mark.both


@pytest.fixture(scope="module")
def pair() -> tuple[Scores, Scores]:
    rng = np.random.default_rng(5)
    truth = rng.random((12, 7)).round(2)
    estimate = (truth + 0.3 * rng.random((12, 7))).round(1)
    topics, systems = [str(400 + i) for i in range(12)], list("ABCDEFG")
    return Scores(estimate, topics, systems), Scores(truth, topics, systems)


@pytest.mark.parametrize("name", [c.name for c in catalogue])
def test_a_topic_has_the_value_that_the_coefficient_gives_alone(name: str, pair: tuple[Scores, Scores]) -> None:
    one, two = pair
    found = correlate_topics(one, truth=two, coefficient=name)
    singles = [
        tauscope.correlate(y, truth=x, coefficient=[name])[name] for y, x in zip(one.values, two.values, strict=True)
    ]
    assert np.array_equal(found.values, [s.value for s in singles], equal_nan=True)
    assert [found.reason(row) for row in range(12)] == [s.undefined_because for s in singles]
    assert found.ties_estimate.tolist() == [s.ties.estimate for s in singles]
    assert found.ties_truth.tolist() == [s.ties.truth for s in singles]
    whole = tauscope.correlate(one, truth=two, coefficient=[name])[name]
    assert np.array_equal(found.of_means.value, whole.value, equal_nan=True)


def test_the_interval_is_students(pair: tuple[Scores, Scores]) -> None:
    found = correlate_topics(*pair[:1], truth=pair[1], coefficient="tau_a", level=0.9)
    expected = stats.ttest_1samp(found.values, 0).confidence_interval(0.9)
    assert np.allclose(found.interval, expected, rtol=0, atol=1e-12)
    assert found.mean == pytest.approx(found.values.mean())


def test_the_worst_topics_come_first_and_undefined_ones_are_counted() -> None:
    truth = Scores([[3, 2, 1], [3, 2, 1], [1, 1, 1], [3, 2, 1]])
    estimate = Scores([[3, 2, 1], [1, 2, 3], [3, 2, 1], [3, 1, 2]])
    found = correlate_topics(estimate, truth=truth, coefficient="tau_b")
    assert [(one.topic, one.value) for one in found.worst(9)] == [("2", -1), ("4", 1 / 3), ("1", 1)]
    assert found.mean == pytest.approx(1 / 9)
    assert "One topic has no value: all 3 items are tied in `truth`." in str(found)
    assert found.columns()["undefined_because"][2] == "all 3 items are tied in `truth`"
    assert found.to_dict()["topics"][2]["value"] is None


def test_a_tolerance_and_other_words_reach_the_result(pair: tuple[Scores, Scores]) -> None:
    found = correlate_topics(pair[0], truth=pair[1], coefficient="tau_e", tied_within=(0.1, 0.2))
    one = tauscope.tau_e(pair[0].values[4], truth=pair[1].values[4], tied_within=(0.1, 0.2))
    assert found.values[4] == one.value
    with wording(systems="models", topics="task/tasks"):
        assert str(found).startswith("On which tasks do the two sides agree?")
        assert "7 models, 12 tasks" in str(found).splitlines()[0]


def test_only_what_both_have_is_compared_and_named(pair: tuple[Scores, Scores]) -> None:
    part = pair[0].select(topics=["402", "400", "405"], systems=list("GBA"))
    with pytest.raises(
        AlignmentError,
        match=r'9 of 12 topics are only in `truth`: .*\n.*Pass unmatched="drop" to compare the 3 they share',
    ):
        correlate_topics(part, truth=pair[1])
    found = correlate_topics(part, truth=pair[1], unmatched="drop")
    assert found.topics == ("400", "402", "405")
    assert found.systems == 3
    assert len(found.dropped) == 9 + 4
    assert found.values[0] == tauscope.tau_b(part.values[1], truth=pair[1].values[0, [6, 1, 0]]).value
    with pytest.raises(AlignmentError, match="share none of their topics"):
        correlate_topics(Scores([[1, 2]], ["x"]), truth=Scores([[1, 2]], ["y"]), unmatched="drop")


def test_wrong_calls_and_missing_cells_say_what_is_wrong(pair: tuple[Scores, Scores]) -> None:
    with pytest.raises(CallError, match="`truth` is of type"):
        correlate_topics(pair[0], truth=3)
    with pytest.raises(CallError, match="level=2"):
        correlate_topics(pair[0], truth=pair[1], level=2)
    with pytest.raises(CallError, match="tau takes no tied_within"):
        correlate_topics(pair[0], truth=pair[1], coefficient="tau", tied_within=0.1)
    holes = Scores([[1, np.nan], [1, 2]], missing="keep")
    with pytest.raises(TauscopeError, match="needs a score in every cell"):
        correlate_topics(holes, truth=holes)
    with pytest.raises(CallError, match="k=0: k is a whole number of at least 1"):
        correlate_topics(pair[0], truth=pair[1]).worst(0)


def test_a_level_that_is_no_number_is_refused(pair: tuple[Scores, Scores]) -> None:
    with pytest.raises(CallError, match="level='a' must be between 0 and 1"):
        correlate_topics(pair[0], truth=pair[1], level="a")  # type: ignore[arg-type]


def test_one_topic_has_no_interval_and_one_system_no_value() -> None:
    single = correlate_topics(Scores([[3, 2, 1]]), truth=Scores([[3, 1, 2]]))
    assert np.isnan(single.interval).all()
    assert "[" not in str(single).splitlines()[0]
    lonely = correlate_topics(Scores([[3], [2]]), truth=Scores([[3], [1]]))
    assert np.isnan(lonely.values).all()
    assert "a ranking needs at least two items, this one has 1" in str(lonely).splitlines()[2]


def test_a_profile_names_the_topics_below_the_own_mean_and_the_places_lost(pair: tuple[Scores, Scores]) -> None:
    one, two = pair
    found = system_profile(one, "C", truth=two)
    own = one.values[:, 2]
    assert set(found.below_average) == {
        t for t, score in zip(one.topics, own, strict=True) if score < own.mean() - 1e-12
    }
    ranks = stats.rankdata(-one.values, axis=1)[:, 2], stats.rankdata(-two.values, axis=1)[:, 2]
    assert np.array_equal(found.rank, ranks[0])
    assert np.array_equal(found.overrated, ranks[1] - ranks[0])
    top = found.most_overrated(3)
    assert [places for _, places in top] == sorted((places for _, places in top), reverse=True)
    assert all(places < 0 for _, places in found.most_underrated(12))
    assert found.columns()["from_mean"].sum() == pytest.approx(0)
    assert "verrated" in str(found)
    alone = system_profile(one, "C")
    assert "verrated" not in str(alone)
    with pytest.raises(CallError, match="needs a truth"):
        _ = alone.overrated


def test_a_profile_tells_what_was_dropped(pair: tuple[Scores, Scores]) -> None:
    judge, human = pair
    fewer = human.select(topics=human.topics[1:])
    profile = system_profile(judge, judge.systems[0], truth=fewer, unmatched="drop")
    assert f"Only one side has {human.topics[0]}: left out." in str(profile)


def test_a_profile_of_huge_scores_has_a_finite_mean() -> None:
    values = np.array([[1.7, 0.2], [1.6, 0.3], [1.5, 0.1]])
    for truth in (None, Scores(values[::-1] * 1e308)):
        huge = system_profile(Scores(values * 1e308), "1", truth=truth)
        assert huge.mean == pytest.approx(1.6e308)
        assert huge.below_average == ("3",)
        assert str(huge).splitlines()


def test_a_constant_system_is_never_below_its_mean() -> None:
    scores = Scores(np.tile([0.1, 0.3], (9, 1)), systems=["flat", "other"])
    assert system_profile(scores, "flat").below_average == ()


def test_an_unknown_system_is_an_error_with_the_nearest_name(pair: tuple[Scores, Scores]) -> None:
    with pytest.raises(TauscopeError, match="There is no system 'H'"):
        system_profile(pair[0], "H")
