"""People on some topics and a judge on all: intervals that hold, narrower where the judge is good, people alone at k =
n."""

from __future__ import annotations

import numpy as np
import pytest

import tauscope
from tauscope import Scores, TauscopeError, hybrid, rank
from tauscope.errors import AlignmentError, CallError
from tauscope.judges.two_phase import TwoPhase

SYSTEMS = tuple("ABCDEFGHIJKL")


def judged(
    seed: int, *, topics: int = 120, noise: float = 0.05, bias: float = 0.0
) -> tuple[Scores, Scores, np.ndarray]:
    """People and a judge on the same topics, and the true means."""
    rng = np.random.default_rng(seed)
    true = np.linspace(0.6, 0.4, len(SYSTEMS))
    own = true + rng.normal(0, 0.1, (topics, 1)) + rng.normal(0, 0.15, (topics, len(SYSTEMS)))
    wrong = np.random.default_rng(99).normal(0, bias, len(SYSTEMS)) if bias else 0.0
    machine = 0.3 + 0.7 * own + wrong + rng.normal(0, noise, own.shape)
    return Scores(own, systems=SYSTEMS), Scores(machine, systems=SYSTEMS), true


def some(scores: Scores, k: int) -> Scores:
    return scores.select(topics=list(scores.topics[:k]))


def covered(seed: int, k: int, **options: float) -> float:
    """The share of pairs whose true difference is in its interval."""
    people, judge, true = judged(seed, **options)  # type: ignore[arg-type]
    y, f = (s.values - s.values.mean(axis=1, keepdims=True) for s in (people, judge))
    data = TwoPhase(people=y[:k], judge_there=f[:k], judge=f)
    held = []
    for first, second in zip(*np.triu_indices(len(true), 1), strict=True):
        found = data.limits(first, second, 0.95, 0)
        held.append(found.low <= true[first] - true[second] <= found.high)
    return float(np.mean(held))


@pytest.mark.parametrize("k", [10, 20, 50])
@pytest.mark.parametrize("options", [{}, {"bias": 0.1}, {"noise": 1.0}], ids=["good", "biased", "useless"])
def test_intervals_of_differences_hold_whatever_the_judge(k: int, options: dict[str, float]) -> None:
    share = np.mean([covered(seed, k, **options) for seed in range(40)])
    assert 0.92 <= share <= 0.985


def test_with_people_on_all_topics_the_judge_changes_nothing() -> None:
    people, judge, _ = judged(1)
    found = hybrid(people, judge)
    means = people.values.mean(axis=0) - people.values.mean()
    assert dict(zip(found.systems, found.estimates, strict=True)) == pytest.approx(
        dict(zip(SYSTEMS, means, strict=True))
    )
    assert found.slope == 0
    assert not found.worth_something
    assert "Use people alone" in str(found)


def test_a_good_judge_is_worth_topics_and_a_useless_one_none() -> None:
    people, judge, _ = judged(2)
    good = hybrid(some(people, 15), judge)
    assert 30 < good.worth <= 120
    assert good.expected_tau > good.expected_tau_of_people
    assert f"The judge makes 15 topics judged by people as informative as {good.worth:,.0f}." in str(good)
    _, noise, _ = judged(2, noise=3.0)
    useless = hybrid(some(people, 15), noise)
    assert useless.worth < 20


@pytest.mark.parametrize("method", ["ppi", "shrunk"])
def test_the_hybrid_ranking_is_nearer_to_the_truth_than_peoples(method: str) -> None:
    gains = []
    for seed in range(25):
        people, judge, true = judged(seed)
        found = hybrid(some(people, 12), judge, method=method)
        place = {system: rank for rank, system in enumerate(found.systems)}
        ours = tauscope.tau_b([-place[s] for s in SYSTEMS], list(true)).value
        theirs = tauscope.tau_b(list(some(people, 12).values.mean(axis=0)), list(true)).value
        gains.append(ours - theirs)
    assert np.mean(gains) > 0.1


def test_a_method_is_cited_by_those_who_use_it() -> None:
    people, judge, _ = judged(3)
    cited = {method: hybrid(some(people, 12), judge, method=method).cited() for method in ("ppi", "shrunk")}
    assert "efron1973" in cited["shrunk"]
    assert "efron1973" not in cited["ppi"]


def test_the_mean_over_the_topics_at_hand_has_the_smaller_error() -> None:
    people, judge, _ = judged(3)
    population, here = (hybrid(some(people, 60), judge, over=over) for over in ("population", "topics"))
    assert (here.errors < population.errors).all()
    assert here.systems == population.systems


def test_a_difference_has_an_interval_and_ranks_are_those_of_a_board() -> None:
    people, judge, _ = judged(4)
    found = hybrid(some(people, 30), judge)
    pair = found.difference(found.systems[0], found.systems[-1])
    assert 0 < pair.low < pair.difference < pair.high
    assert pair.p < 0.01
    assert rank(found).systems == found.systems
    assert list(found.columns()["low_rank"]) == list(rank(found).low)
    assert "angelopoulos2023" in found.cited()
    assert found.to_dict()["human_topics"] == 30


def test_the_order_of_topics_and_systems_does_not_matter() -> None:
    people, judge, _ = judged(5)
    one = hybrid(some(people, 20), judge)
    turned = hybrid(
        some(people, 20).select(topics=list(some(people, 20).topics[::-1]), systems=list(SYSTEMS[::-1])),
        judge.select(topics=list(judge.topics[::-1])),
    )
    assert turned.systems == one.systems
    assert turned.estimates == pytest.approx(one.estimates, abs=1e-12)


def test_wrong_calls_are_told() -> None:
    people, judge, _ = judged(6)
    with pytest.raises(TauscopeError, match="at least 5 topics; there are 3"):
        hybrid(some(people, 3), judge)
    with pytest.raises(AlignmentError, match="the judge has not: '1'"):
        hybrid(some(people, 20), judge.select(topics=list(judge.topics[1:])))
    kept = hybrid(some(people, 20), judge.select(topics=list(judge.topics[1:])), unmatched="drop")
    assert kept.human_topics == 19
    assert "1 topic that only people judged was left out" in map(str, kept.notes)
    with pytest.raises(CallError, match="method='best' is unknown"):
        hybrid(some(people, 20), judge, method="best")


def test_the_tau_of_people_alone_rests_on_the_same_gaps_and_is_never_above_the_hybrid() -> None:
    rng = np.random.default_rng(14)
    own = rng.normal(np.linspace(0.6, 0.5, 6), 0.1, (60, 6))
    found = hybrid(Scores(own[:10]), Scores(0.5 * own + rng.normal(0, 0.06, own.shape)))
    assert found.worth_something
    assert found.expected_tau > found.expected_tau_of_people  # people's own gaps happen to be larger
    for seed in range(30):
        people, judge, _ = judged(seed, topics=60, noise=0.4)
        for over in ("population", "topics"):
            found = hybrid(some(people, 12 + seed), judge, over=over)
            ahead = found.expected_tau - found.expected_tau_of_people
            assert ahead >= -1e-12  # the same pairs in the other order, or none
            assert ahead == pytest.approx(0, abs=1e-12) or not found.people_alone
            assert found.worth >= 0.999 * found.human_topics


def noisy_for_one(seed: int) -> tuple[Scores, Scores]:
    """A judge that is right on one system, which is far away, and noise on the others, which are close."""
    rng = np.random.default_rng(seed)
    own = np.linspace(0.5, 0.45, 8) + 0.1 * rng.normal(size=(80, 8))
    own[:, 0] = 3 + 2 * rng.normal(size=80)
    machine = 1.5 * rng.normal(size=own.shape)
    machine[:, 0] = own[:, 0]
    return Scores(own[:20]), Scores(machine)


def test_a_judge_that_costs_topics_is_left_out_and_that_is_said() -> None:
    people, judge = noisy_for_one(1)
    found = hybrid(people, judge)
    assert found._data.slope_seen > 0
    assert found.people_alone
    means = people.values.mean(axis=0) - people.values.mean()
    assert found.estimates == pytest.approx(np.sort(means)[::-1])
    assert found.worth == 20
    assert found.expected_tau == found.expected_tau_of_people
    assert "Use people alone, as this ranking does." in str(found)
    assert "by people's scores on 20 topics alone, because" in found.methods_sentence()
    assert "as with" not in found.methods_sentence()


def test_a_slope_that_makes_errors_larger_is_not_taken() -> None:
    taken = 0
    for seed in range(60):
        people, judge, _ = judged(seed, noise=3.0)
        y, f = (s.values - s.values.mean(axis=1, keepdims=True) for s in (people, judge))
        data = TwoPhase(people=y[:8], judge_there=f[:8], judge=f)
        assert np.trace(data.pooled[1]) <= np.trace(data.people_only[1])
        taken += data.slope > 0
        assert data.slope in (0.0, data.slope_seen)
    assert 0 < taken < 60


def test_a_judge_that_is_hardly_worth_more_is_said_to_be_and_the_methods_sentence_agrees() -> None:
    people, judge, _ = judged(3, noise=0.35)
    human = some(people, 100)
    found = hybrid(human, judge)
    assert not found.worth_something
    assert not found.people_alone
    shown = f"{found.worth:,.0f}"
    assert f"as informative as {shown}, hardly more than without it." in " ".join(str(found).split())
    assert "People alone would do." in str(found)
    assert f"as with {shown} human topics alone" in found.methods_sentence()


def test_people_on_all_topics_have_the_intervals_of_a_paired_t_test() -> None:
    from scipy.stats import ttest_rel

    people, judge, _ = judged(7, topics=20)
    pair = hybrid(people, judge).difference("A", "F")
    told = ttest_rel(people.values[:, 0], people.values[:, 5])
    low, high = told.confidence_interval()
    # The bootstrap may make them wider, for normal scores by a few per cent.
    assert low - 0.1 * (high - low) <= pair.low <= low + 1e-12
    assert high - 1e-12 <= pair.high <= high + 0.1 * (high - low)
    assert pair.p >= told.pvalue - 1e-12


def saturated(seed: int, topics: int) -> tuple[Scores, Scores, np.ndarray]:
    """Twelve systems that are right on 98 % of the items, a judge that errs on a few, and the true shares."""
    rng = np.random.default_rng(seed)
    true = np.linspace(1, 0.96, len(SYSTEMS))
    own = (rng.random((topics, len(SYSTEMS))) < true).astype(float)
    noise = rng.random(own.shape)
    return Scores(own, systems=SYSTEMS), Scores(np.where(own == 1, noise > 0.01, noise < 0.3), systems=SYSTEMS), true


def test_a_sample_without_variation_makes_no_interval_of_zero_width() -> None:
    held = []
    for seed in range(30):
        people, judge, true = saturated(seed, 100)
        found = hybrid(some(people, 20), judge)
        for a, b in ((0, 1), (0, 11), (5, 8)):
            pair = found.difference(SYSTEMS[a], SYSTEMS[b])
            other = found.difference(SYSTEMS[b], SYSTEMS[a])
            assert pair.high - pair.low > 0.05
            assert (other.low, other.high, other.p) == pytest.approx((-pair.high, -pair.low, pair.p))
            assert (pair.p < 0.05) == (not pair.low <= 0 <= pair.high)
            held.append(pair.low <= true[a] - true[b] <= pair.high)
        assert any("no variation on human topics" in str(note) for note in found.notes)
    assert np.mean(held) > 0.92


def test_a_difference_is_undefined_where_no_system_differs_from_another() -> None:
    same = Scores(np.ones((30, 3)), systems=list("abc"))
    pair = hybrid(some(same, 10), same).difference("a", "b")
    assert np.isnan([pair.low, pair.high, pair.p]).all()
    assert str(pair.reason) == "no two systems differ on any topic, under people or under the judge"


def test_everything_is_in_the_dict_and_ranks_are_those_of_rank() -> None:
    people, judge, _ = judged(4)
    found = hybrid(some(people, 30), judge)
    told = found.to_dict()
    ranks = rank(found)
    assert told["low_rank"] == ranks.low.tolist()
    assert told["high_rank"] == ranks.high.tolist()
    assert told["tier"] == ranks.tier.tolist() == sorted(told["tier"])
    assert told["possible_winner"] == ranks.possible_winner.tolist()
    assert ranks.systems == found.systems
    assert ranks.expected_tau().value == pytest.approx(found.expected_tau)


def test_the_target_is_named_and_so_is_a_worth_that_a_method_does_not_know() -> None:
    people, judge, _ = judged(2)
    assert "over the judge's 120 topics " in " ".join(str(hybrid(some(people, 15), judge, over="topics")).split())
    assert "over all topics " in " ".join(str(hybrid(some(people, 15), judge)).split())
    drawn = hybrid(some(people, 15), judge, method="shrunk")
    assert "not known by this method" in str(drawn)
    assert rank(drawn).expected_tau().value == drawn.expected_tau


def test_unequal_chances_are_in_the_methods_sentence() -> None:
    people, judge, _ = judged(1)
    chances = {topic: 0.2 + 0.03 * i for i, topic in enumerate(people.topics[:20])}
    assert "drawn with unequal chances" in hybrid(some(people, 20), judge, chances=chances).methods_sentence()


def test_a_hybrid_says_how_the_judge_alone_would_do() -> None:
    """A judge that ranks as people do, but says nothing of single topics: the hybrid gains nothing."""
    rng = np.random.default_rng(41)
    true = np.linspace(0.6, 0.4, len(SYSTEMS))
    own = Scores(true + rng.normal(0, 0.3, (400, len(SYSTEMS))), systems=SYSTEMS)
    apart = Scores(true + rng.normal(0, 0.1, own.values.shape), systems=SYSTEMS)
    found = hybrid(some(own, 20), apart)
    assert found.expected_tau_of_judge > found.expected_tau
    text = " ".join(str(found).split())
    assert f"The judge may rank better alone: its expected tau is {found.expected_tau_of_judge:.3f}" in text
    assert "Expected tau of the judge alone" in text
    assert found.to_dict()["expected_tau_of_judge"] == found.expected_tau_of_judge
    assert found.to_dict()["judge_may_rank_better"] is True
    useless = Scores(rng.normal(size=own.values.shape), systems=SYSTEMS)
    found = hybrid(some(own, 20), useless)
    assert found.expected_tau_of_judge < found.expected_tau
    assert "may rank better" not in str(found)


@pytest.mark.parametrize(("k", "bias", "noise"), [(10, 0.03, 0.1), (20, 0.1, 0.1), (20, 0.0, 1.0)])
def test_what_is_said_of_the_judge_alone_holds(k: int, bias: float, noise: float) -> None:
    errors, held = [], 0
    for seed in range(60):
        people, judge, true = judged(seed, noise=noise, bias=bias)
        found = hybrid(some(people, k), judge, rng=seed)
        actual = float(tauscope.tau_b(judge.means(), true))
        errors.append(found.expected_tau_of_judge - actual)
        held += found.interval_of_judge[0] <= actual <= found.interval_of_judge[1]
    assert held >= 54
    assert abs(np.mean(errors)) < 0.1


def test_a_judge_beside_topics_with_unequal_chances_is_not_ranked_alone() -> None:
    people, judge, _ = judged(2)
    chances = {topic: 0.1 + 0.01 * i for i, topic in enumerate(people.topics[:20])}
    found = hybrid(some(people, 20), judge, chances=chances)
    assert np.isnan(found.expected_tau_of_judge)
    assert "Expected tau of the judge alone" not in str(found)


def test_shrinking_says_that_its_effective_number_of_topics_is_unsure() -> None:
    people, judge, _ = judged(3)
    assert any("factor of two" in str(note) for note in hybrid(some(people, 20), judge, method="shrunk").notes)
    assert not any("factor of two" in str(note) for note in hybrid(some(people, 20), judge).notes)


def nearly_all_right(seed: int, systems: int = 10, k: int = 20, n: int = 100) -> tuple[Scores, Scores, np.ndarray]:
    """0/1 scores of people, nearly all of them 1, a judge that has nothing to do with people, and the true means."""
    rng = np.random.default_rng(seed)
    true = rng.uniform(0.93, 0.995, systems)
    people = (rng.random((k, systems)) < true).astype(float)
    judge = (rng.random((n, systems)) < rng.uniform(0.94, 0.995, systems)).astype(float)
    return Scores(people), Scores(judge), true


@pytest.mark.parametrize("method", ["ppi", "shrunk"])
@pytest.mark.parametrize("value", [1.0, 0.1, 1e6 / 3])
def test_people_who_see_no_difference_make_no_ranking(method: str, value: float) -> None:
    _, judge, _ = nearly_all_right(2, systems=7)
    found = hybrid(Scores(np.full((20, 7), value)), judge, method=method)
    assert not found.estimates.any()
    assert found.expected_tau == 0
    assert (found.low_rank == 1).all()
    assert (found.high_rank == 7).all()
    assert found.people_alone
    assert "no variation on human topics" in str(found)
    assert "Use people alone" in str(found)


@pytest.mark.parametrize("method", ["ppi", "shrunk"])
def test_people_means_that_are_equal_up_to_rounding_are_ties(method: str) -> None:
    scores = 0.3 * np.ones((21, 7))
    scores[np.arange(21), np.arange(21) % 7] -= np.repeat(
        [0.1, 0.07, 0.013], 7
    )  # the same three losses for each system
    judge = Scores(np.random.default_rng(1).permutation(np.tile(scores, (4, 1))))
    found = hybrid(Scores(scores), judge, method=method)
    assert not found.people.any()
    assert not found.estimates.any()
    assert found.expected_tau == 0


def test_shrunk_estimates_of_a_saturated_board_are_no_surer_than_they_are_right() -> None:
    said, right, held = [], [], 0
    for seed in range(40):
        people, judge, true = nearly_all_right(seed)
        found = hybrid(people, judge, method="shrunk")
        at = np.array([int(name) - 1 for name in found.systems])
        ranks = 1 + (true[:, None] < true).sum(axis=1)[at]
        held += bool(((found.low_rank <= ranks) & (ranks <= found.high_rank)).all())
        first, second = np.triu_indices(len(at), 1)
        right.append(np.sign(true[at][first] - true[at][second]).mean())
        said.append(found.expected_tau)
    assert held >= 38  # 12 with correlations that a sample without variation takes for perfect
    assert abs(np.mean(said) - np.mean(right)) < 0.08
