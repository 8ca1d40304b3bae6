"""Two judges on the same battles: matched, compared, and a preference for a place found."""

from __future__ import annotations

import json

import numpy as np
import pytest

from tauscope import Battles, TauscopeError, bradley_terry, compare
from tauscope.boards.verdicts import VerdictComparison
from tauscope.errors import CallError

NAMES = np.array([f"s{k}" for k in range(10)])


def judged(
    strengths: np.ndarray,
    first: np.ndarray,
    second: np.ndarray,
    rng: np.random.Generator,
    bias: float = 0.0,
    ties: float = 0.2,
) -> np.ndarray:
    wins = rng.random(len(first)) < 1 / (1 + np.exp(strengths[second] - strengths[first] - bias))
    return np.where(rng.random(len(first)) < ties, "tie", np.where(wins, "first", "second"))


def two_judges(number: int = 3000, bias: float = 0.0, noise: float = 0.0, seed: int = 0) -> tuple[Battles, Battles]:
    rng = np.random.default_rng(seed)
    strengths = np.linspace(1.5, -1.5, 10)
    other = strengths + noise * rng.normal(size=10)
    i = rng.integers(10, size=number)
    j = (i + rng.integers(1, 10, size=number)) % 10
    ids = np.arange(number)
    people = Battles(NAMES[i], NAMES[j], judged(strengths, i, j, rng), ids=ids)
    judge = Battles(NAMES[i], NAMES[j], judged(other, i, j, rng, bias), ids=ids)
    return judge, people


def test_a_judge_compared_with_itself_agrees_in_everything() -> None:
    _, people = two_judges()
    found = compare(people, truth=people)
    assert found.agreement == found.kappa == found.decided == 1
    assert found.observed == 1
    assert found.corrected == pytest.approx(1, abs=1e-6)
    assert found.high == 1


def test_verdicts_are_matched_whatever_the_order_of_rows_and_sides() -> None:
    judge, people = two_judges(800)
    rng = np.random.default_rng(1)
    rows, turned = rng.permutation(len(judge)), rng.random(len(judge)) < 0.5
    names = np.array(judge.systems)
    first, second = np.where(turned, judge.second, judge.first), np.where(turned, judge.first, judge.second)
    winner = np.where(turned & (judge.winner < 2), 1 - judge.winner, judge.winner)
    assert judge.ids is not None
    labels = np.array(judge.ids.labels)[judge.ids.codes]
    words = np.array(["first", "second", "tie"])[winner]
    other = Battles(names[first][rows], names[second][rows], words[rows], ids=labels[rows])
    plain, moved = compare(judge, truth=people), compare(other, truth=people)
    assert moved.agreement == plain.agreement
    assert moved.kappa == pytest.approx(plain.kappa, abs=0.02)  # expected shares are by place
    assert moved.observed == plain.observed


def test_kappa_is_that_of_scikit_learn() -> None:
    metrics = pytest.importorskip("sklearn.metrics")
    judge, people = two_judges(noise=0.5)
    found = compare(judge, truth=people)
    assert found.kappa == pytest.approx(metrics.cohen_kappa_score(judge.winner, people.winner))
    assert found.table.sum() == len(judge)
    assert found.agreement == pytest.approx(np.mean(judge.winner == people.winner))


def test_a_preference_for_a_place_is_found_and_named_first() -> None:
    judge, people = two_judges(bias=1.5)
    found = compare(judge, truth=people)
    assert found.position[0].notable
    assert not found.position[1].notable
    assert found.position[0].equals == pytest.approx(
        1 / (1 + np.exp(-1.5 * 0.8)), abs=0.06
    )  # a fifth are ties, as half
    assert found.answer().warnings[0].startswith("Position bias: the judge decides for the first answer")
    turned, _ = two_judges(bias=-1.5)
    assert "for the second answer" in compare(turned, truth=people).answer().warnings[0]


def test_noise_lowers_the_observed_agreement_and_the_corrected_one_holds_the_truth() -> None:
    held, observed, corrected = [], [], []
    for seed in range(12):
        rng = np.random.default_rng(100 + seed)
        strengths = rng.normal(size=10)
        i = rng.integers(10, size=300)
        j = (i + rng.integers(1, 10, size=300)) % 10
        sides = [Battles(NAMES[i], NAMES[j], judged(strengths, i, j, rng), ids=np.arange(300)) for _ in range(2)]
        found = compare(sides[0], truth=sides[1])
        held.append(found.high > 0.97)  # the true rankings are one and the same
        observed.append(found.observed)
        corrected.append(found.corrected)
    assert np.mean(corrected) > np.mean(observed)
    assert sum(held) >= 8


def test_several_votes_meet_the_one_verdict_on_their_battle() -> None:
    judge, people = two_judges(400)
    votes = people.take(np.repeat(np.arange(400), 3))
    found = compare(judge, truth=votes)
    assert found.matched == 1200
    assert found.independent == 400
    assert found.battles == (400, 1200)
    assert json.loads(json.dumps(found.to_dict()))["matched_by"] == "label"


def test_battles_without_labels_are_matched_by_question_and_pair_or_by_row() -> None:
    judge, people = two_judges(300)
    questions = np.arange(300) % 50
    names = np.array(judge.systems)
    sides = [
        Battles(names[b.first], names[b.second], np.array(["first", "second", "tie"])[b.winner], questions=questions)
        for b in (judge.reordered(people.systems), people)
    ]
    assert compare(sides[0], truth=sides[1]).matched_by == "question and pair"
    assert by_question(*sides).independent == 50


def test_wrong_pairs_of_judges_are_errors_with_reasons() -> None:
    judge, people = two_judges(300)
    with pytest.raises(CallError, match="which scores are the truth"):
        compare(judge, people)
    with pytest.raises(CallError, match="takes Battles on both sides"):
        compare({"a": judge}, truth=people)
    with pytest.raises(CallError, match="does not use `groups`"):
        compare(judge, truth=people, groups={"s1": "x"})
    with pytest.raises(CallError, match="same ties, prior and clusters"):
        compare(bradley_terry(judge), truth=bradley_terry(people, prior=1.0))
    strangers = Battles(["x", "y"], ["y", "x"], ["first", "first"], ids=["1", "2"])
    with pytest.raises(TauscopeError, match="share 0 systems"):
        compare(strangers, truth=people)
    other = Battles(
        np.array(people.systems)[people.second],
        np.roll(np.array(people.systems)[people.second], 1),
        people.winner * 0 + 1,
        ids=np.arange(300),
        self_battles="drop",
    )
    with pytest.raises(TauscopeError, match="and the same battle of the truth between"):
        compare(other, truth=people)


def by_question(judge: Battles, people: Battles) -> VerdictComparison:
    """Both with all battles of a question kept together."""
    return compare(bradley_terry(judge, clusters="question"), truth=bradley_terry(people, clusters="question"))


def leaning(seed: int, bias: float) -> Battles:
    """Sixty questions with eight battles each; on each question the judge leans to one place, by `bias` on average."""
    rng = np.random.default_rng(seed)
    strengths, rows = np.linspace(0.8, -0.8, 6), []
    for question in range(60):
        lean = bias + rng.normal()
        for _ in range(8):
            a, b = rng.choice(6, 2, replace=False)
            first = rng.random() < 1 / (1 + np.exp(strengths[b] - strengths[a] - lean))
            rows.append((f"s{a}", f"s{b}", "first" if first else "second", f"q{question}"))
    first, second, winner, questions = (list(column) for column in zip(*rows, strict=True))
    return Battles(first, second, winner, questions=questions)


def test_a_lean_of_single_questions_is_not_taken_for_a_position_bias() -> None:
    none = [compare(leaning(seed, 0.0), truth=leaning(seed, 0.0)).position[0].p < 0.05 for seed in range(60)]
    some = [compare(leaning(seed, 0.8), truth=leaning(seed, 0.8)).position[0].p < 0.05 for seed in range(10)]
    assert np.mean(none) <= 0.12
    assert np.mean(some) >= 0.9
