"""Which topics next, how many of them, and what they are worth: chances that keep estimates unbiased, plans that come
true."""

from __future__ import annotations

import csv
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tauscope
from tauscope import Scores, TauscopeError, hybrid
from tauscope.errors import AlignmentError, CallError
from tauscope.inference.relation import NormalScores
from tauscope.judges.hybrid_plan import HybridPlan, TopicSample, sampled_topics
from tauscope.judges.two_phase import TwoPhase, effective_topics, effective_topics_shrunken, shrunken

SIZE = 12
TRUE = np.sort(np.random.default_rng(8).normal(0, 0.06, SIZE))[::-1]


def choose_topics(
    judge: Scores, topics: int, *, design: str = "random", judged: Iterable[str] = (), rng: int = 0
) -> TopicSample:
    """Choose from any topics that were judged before, however few."""
    return sampled_topics(judge.in_order("topics"), topics, design=design, judged=judged, seed=rng)


def plan_hybrid(human: Scores, judge: Scores, *, rng: int = 0, **options: Any) -> HybridPlan:
    return hybrid(human, judge, rng=rng).plan(**options)  # type: ignore[no-any-return]


def centred(values: np.ndarray) -> np.ndarray:
    return np.asarray(values - values.mean(axis=1, keepdims=True))


def collection(rng: np.random.Generator, topics: int, noise: float = 0.08) -> tuple[np.ndarray, np.ndarray]:
    """People's and a judge's scores; the judge has a scale and noise of its own."""
    people = TRUE + rng.normal(0, 0.1, (topics, 1)) + rng.normal(0, 0.15, (topics, SIZE))
    return people, 0.2 + 0.6 * people + rng.normal(0, noise, people.shape)


# ---- which topics ----


def uneven(rng: np.random.Generator, n: int = 120) -> tuple[np.ndarray, Scores]:
    """Topics that tell systems apart by very different amounts."""
    size = rng.gamma(4, 0.25, (n, 1))
    people = TRUE * 4 * size + size * rng.normal(0, 0.15, (n, SIZE))
    return people, Scores(0.6 * people + rng.normal(0, 0.05, people.shape))


@pytest.mark.parametrize("design", ["random", "scores", "disagreement"])
@pytest.mark.parametrize("before", [0, 10])
def test_estimates_with_the_chances_kept_have_no_bias_and_their_intervals_hold(design: str, before: int) -> None:
    people, judge = uneven(np.random.default_rng(1))
    y, f = centred(people), centred(judge.values)
    true = y.mean(axis=0)
    found, held = [], []
    for seed in range(150):
        first = np.random.default_rng(seed).choice(len(y), before, replace=False)
        sample = choose_topics(judge, 20, design=design, judged=[judge.topics[i] for i in first], rng=seed)
        at = [judge.topics.index(topic) for topic in sample.chances]
        chances = np.array(list(sample.chances.values()))
        data = TwoPhase(people=y[at], judge_there=f[at], judge=f, whole=True, chances=chances)
        found.append(data.pooled[0])
        for a in range(SIZE - 1):
            pair = data.limits(a, a + 1, 0.95, 0)
            held.append(pair.low <= true[a] - true[a + 1] <= pair.high)
    # The slope comes from the same topics: a bias of the order 1/k is left, a share of the differences themselves.
    assert np.abs(np.mean(found, axis=0) - true).max() < 0.025 * np.ptp(true)
    assert 0.91 <= np.mean(held) <= 0.985


def test_without_their_chances_topics_chosen_by_disagreement_mislead() -> None:
    people, judge = uneven(np.random.default_rng(2))
    y, true = centred(people), centred(people).mean(axis=0)
    weighted, plain = [], []
    for seed in range(150):
        sample = choose_topics(judge, 20, design="disagreement", rng=seed)
        at = [judge.topics.index(topic) for topic in sample.topics]
        u = np.array([1 / sample.chances[topic] for topic in sample.topics])
        weighted.append(u @ y[at] / u.sum())
        plain.append(y[at].mean(axis=0))
    wrong, right = (np.abs(np.mean(one, axis=0) - true).max() for one in (plain, weighted))
    assert right < 0.25 * wrong


def test_chances_add_up_to_the_topics_and_the_list_can_be_handed_out(tmp_path: Path) -> None:
    _, judge = uneven(np.random.default_rng(3))
    for design in ("random", "scores", "disagreement"):
        sample = choose_topics(judge, 23, design=design)
        assert len(sample) == len(set(sample.topics)) == 23
        # n drawn of a stratum with the chance n/N each: the inverse chances add up to all topics.
        assert sum(1 / c for c in sample.columns()["chance"]) == pytest.approx(120)
        assert len(set(sample.stratum)) == (1 if design == "random" else 5)
    before = [topic for topic in judge.topics if topic not in sample.topics][:7]
    more = choose_topics(judge, 9, design="disagreement", judged=before, rng=1)
    assert not set(more.topics) & set(before)
    assert set(more.chances) == {*more.topics, *before}
    with more.write(tmp_path / "list.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert [row["topic"] for row in rows] == [*more.topics, *before]
    assert [row["judged"] for row in rows] == ["no"] * 9 + ["yes"] * 7
    assert float(rows[0]["chance"]) == more.chances[more.topics[0]]
    assert "neyman1934" in more.cited()


def test_hybrid_takes_the_chances_and_equal_ones_change_nothing() -> None:
    rng = np.random.default_rng(4)
    people, machine = collection(rng, 100)
    human, judge = Scores(people), Scores(machine)
    sample = choose_topics(judge, 25, design="disagreement")
    some = human.select(topics=sample.topics)
    found = hybrid(some, judge, chances=sample.chances)
    assert any("with unequal chances and are as good as " in str(note) for note in found.notes)
    assert "horvitz1952" in found.cited()
    plain, same = hybrid(some, judge), hybrid(some, judge, chances=dict.fromkeys(sample.topics, 0.25))
    assert same.estimates == pytest.approx(plain.estimates)
    assert found.estimates != pytest.approx(plain.estimates)
    with pytest.raises(TauscopeError, match="1 human topic has no chance"):
        hybrid(some, judge, chances=dict.fromkeys(sample.topics[1:], 0.3))
    with pytest.raises(CallError, match="is a share"):
        hybrid(some, judge, chances=dict.fromkeys(sample.topics, 2.0))


def test_wrong_choices_are_told() -> None:
    judge = Scores(collection(np.random.default_rng(5), 30)[1])
    with pytest.raises(TauscopeError, match="There are 25 topics to choose from, not 26"):
        choose_topics(judge, 26, judged=judge.topics[:5])
    with pytest.raises(AlignmentError, match="1 judged topic the judge has not: 'x'"):
        choose_topics(judge, 5, judged=["x"])


# ---- what they are worth ----


def test_effective_topics_are_those_of_a_simulation_within_a_tenth() -> None:
    rng = np.random.default_rng(6)
    k, n, trials = 20, 100, 100
    sizes = np.array([14, 20, 28, 40, 56, 80, 113])

    def tau(estimate: np.ndarray) -> float:
        return tauscope.tau_b(estimate, TRUE).value

    curve = [np.mean([tau(collection(rng, int(s))[0].mean(axis=0)) for _ in range(300)]) for s in sizes]
    found: dict[str, list[float]] = {"ppi": [], "shrunk": [], "said ppi": [], "said shrunk": []}
    for _ in range(trials):
        people, machine = collection(rng, n)
        y, f = centred(people), centred(machine)
        data = TwoPhase(people=y[:k], judge_there=f[:k], judge=f)
        scores = NormalScores.of(tuple(map(str, range(SIZE))), *data.pooled, float(k - 2))
        drawn = shrunken(data)
        found["ppi"].append(tau(data.pooled[0]))
        found["shrunk"].append(tau(drawn.means))
        every = np.ones(SIZE * (SIZE - 1) // 2, bool)
        found["said ppi"].append(effective_topics(data, scores, every))
        found["said shrunk"].append(effective_topics_shrunken(data, drawn, np.argsort(-drawn.means), every))
    for method, most in (("ppi", 0.1), ("shrunk", 0.15)):
        worth = float(np.exp(np.interp(np.mean(found[method]), curve, np.log(sizes))))
        assert worth > 1.3 * k
        assert np.mean(found[f"said {method}"]) == pytest.approx(worth, rel=most), method


# ---- how many ----


def test_a_plan_comes_true() -> None:
    rng = np.random.default_rng(7)
    n, k = 100, 40
    said, alone, came, came_alone = [], [], [], []
    for _ in range(20):
        people, machine = collection(rng, n)
        plan = plan_hybrid(Scores(people[:15]), Scores(machine))
        said.append(plan.at(k))
        alone.append(plan.at(k, 0))
        y, f = centred(people), centred(machine)
        new = TwoPhase(people=y[15 : 15 + k], judge_there=f[15 : 15 + k], judge=f)
        came.append(tauscope.tau_b(new.pooled[0], TRUE).value)
        came_alone.append(tauscope.tau_b(new.human_mean, TRUE).value)
    assert np.mean(said) == pytest.approx(np.mean(came), abs=0.04)
    assert np.mean(alone) == pytest.approx(np.mean(came_alone), abs=0.04)
    assert np.mean(said) > np.mean(alone)


@pytest.mark.parametrize(
    ("goal", "target"), [("tau", 0.75), ("width", 0.15), ("top", 0.85)], ids=["tau", "width", "top"]
)
def test_the_fewest_topics_reach_the_goal_and_one_less_does_not(goal: str, target: float) -> None:
    people, machine = collection(np.random.default_rng(9), 200)
    plan = plan_hybrid(Scores(people[:20]), Scores(machine), goal=goal, target=target, top=4)
    sign = -1 if goal == "width" else 1
    assert plan.hybrid_needed is not None
    assert plan.people_needed is not None
    assert 5 < plan.hybrid_needed < plan.people_needed
    for needed, judged in ((plan.hybrid_needed, None), (plan.people_needed, 0)):
        assert sign * plan.at(needed, judged) >= sign * target
        if goal != "top":  # drawn: not quite monotone
            assert sign * plan.at(needed - 1, judged) < sign * target
    assert (sign * np.diff(plan.hybrid) > -0.01).all()
    assert plan.hybrid[-1] == pytest.approx(plan.people[-1])  # people on all of the judge's topics
    assert plan.methods_sentence().endswith(".")


def test_the_cheapest_plan_is_the_cheapest_and_dear_judges_are_left_out() -> None:
    people, machine = collection(np.random.default_rng(10), 200)
    human, judge = Scores(people[:20]), Scores(machine)
    free = plan_hybrid(human, judge, target=0.75)
    assert free.cheapest.human_topics == free.hybrid_needed
    assert free.cheapest.cost == free.hybrid_needed
    assert free.cheapest.judge_topics == 200  # what it has, which costs nothing
    priced = plan_hybrid(human, judge, target=0.75, human_cost=5, judge_cost=0.5, labels=10)
    k, n, cost = priced.cheapest
    assert cost == pytest.approx((5 * k + 0.5 * n) * 10)
    assert priced.at(k, n) >= 0.75
    assert cost <= 5 * priced.people_needed * 10
    assert plan_hybrid(human, judge, target=0.75, judge_cost=100).cheapest.judge_topics == 0
    # With more topics for the judge than it has, people need not judge more.
    assert plan_hybrid(human, judge, target=0.75, most_topics=2000).cheapest.human_topics <= free.hybrid_needed


def test_a_plan_says_how_many_are_left_to_judge() -> None:
    people, machine = collection(np.random.default_rng(10), 200)
    human, judge = Scores(people[:20]), Scores(machine)
    plan = plan_hybrid(human, judge, target=0.8)
    assert plan.people_still == plan.people_needed - 20 > 0
    more = plan.hybrid_needed - 20
    still = f"Let people judge {more} more topics" if more > 0 else "People have judged enough topics"
    assert still in str(plan)
    assert "The cheapest plan: " in " ".join(str(plan).split())
    assert plan.to_dict()["hybrid_still"] == max(0, more)
    enough = plan_hybrid(human, judge, target=0.3)
    assert (enough.people_still, enough.hybrid_still) == (0, 0)
    assert "People have judged enough topics" in str(enough)


def test_where_the_judge_has_too_few_topics_a_plan_says_so_and_plans_with_more() -> None:
    people, machine = collection(np.random.default_rng(10), 60)
    human, judge = Scores(people[:20]), Scores(machine)
    plan = plan_hybrid(human, judge, target=0.95)
    assert plan.hybrid_needed == plan.people_needed > 60
    assert "The judge may help on more than its 60 topics; most_topics" in " ".join(str(plan).split())
    wider = plan_hybrid(human, judge, target=0.95, most_topics=20_000)
    assert wider.cheapest.human_topics < plan.people_needed
    assert wider.cheapest.judge_topics > 60
    assert "may help" not in str(wider)


def test_a_useless_judge_saves_nothing() -> None:
    rng = np.random.default_rng(11)
    people, _ = collection(rng, 100)
    plan = plan_hybrid(Scores(people[:20]), Scores(rng.normal(size=people.shape)), target=0.75)
    assert plan.hybrid_needed == pytest.approx(plan.people_needed, rel=0.1)
    assert plan.hybrid == pytest.approx(plan.people, abs=0.03)


def test_wrong_plans_are_told() -> None:
    people, machine = collection(np.random.default_rng(12), 40)
    with pytest.raises(CallError, match="the width has to be given") as told:
        plan_hybrid(Scores(people[:20]), Scores(machine), goal="width")
    assert "target=0.05" in str(told.value)
    for goal, target in (("tau", 1.0), ("tau", 1.5), ("top", 1.01), ("width", 0.0)):
        with pytest.raises(CallError, match=f"target={target}"):
            plan_hybrid(Scores(people[:20]), Scores(machine), goal=goal, target=target)
    with pytest.raises(CallError, match="top=100: top is a whole number from 1 to 11"):
        plan_hybrid(Scores(people[:20]), Scores(machine), goal="top", top=100)
    assert plan_hybrid(Scores(people[:20]), Scores(machine), goal="top").top == 10
    few = plan_hybrid(Scores(people[:20, :5]), Scores(machine[:, :5]), goal="top")
    assert few.top == 4
    with pytest.raises(TauscopeError, match=r"hybrid\(\) needs people's scores on at least 5 topics"):
        plan_hybrid(Scores(people[:4]), Scores(machine))
    with pytest.raises(CallError, match="most_topics=30"):
        plan_hybrid(Scores(people[:20]), Scores(machine), most_topics=30)
    none = plan_hybrid(Scores(people[:20]), Scores(machine), target=0.99999)
    assert none.people_needed is None
    assert none.cheapest is None
    assert "No plan within the searched range reaches the target." in str(none)
    assert "more than a million human topics" in " ".join(str(none).split())


def test_people_on_every_topic_plan_with_the_judge_as_people_on_all_but_one_do() -> None:
    people, judge = collection(np.random.default_rng(3), 60, noise=0.02)
    machine = Scores(judge)
    plans = [plan_hybrid(Scores(people[:k], topics=machine.topics[:k]), machine, target=0.8) for k in (59, 60)]
    with_judge = [plan.hybrid_needed for plan in plans]
    assert abs(with_judge[0] - with_judge[1]) <= 2
    assert with_judge[1] < 0.7 * plans[1].people_needed


@pytest.mark.parametrize("target", [0.8, 0.85])
def test_topics_needed_to_find_the_top_hardly_hang_on_the_seed(target: float) -> None:
    people, judge = collection(np.random.default_rng(4), 60)
    some = Scores(people).select(topics=[str(i + 1) for i in range(15)])
    plans = [plan_hybrid(some, Scores(judge), goal="top", top=4, target=target, rng=seed) for seed in range(5)]
    for needed in ([plan.hybrid_needed for plan in plans], [plan.people_needed for plan in plans]):
        assert 5 < min(needed) < 60
        assert max(needed) - min(needed) <= 1
