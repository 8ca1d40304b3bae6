"""Claims about a board: the language, and that answers are what the tests say."""

from __future__ import annotations

import json

import numpy as np
import pytest

from tauscope import Battles, Published, Scores, TauscopeError, bradley_terry, compare, evaluate, gate
from tauscope import demo as made_up
from tauscope.boards.gate import parse
from tauscope.errors import CallError


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("mine > theirs", ("pair", "mine", "theirs", 0.0)),
        ("theirs < mine", ("pair", "mine", "theirs", 0.0)),
        ("mine>theirs", ("pair", "mine", "theirs", 0.0)),
        ("gpt-4 > claude-v1 - 0.01", ("pair", "gpt-4", "claude-v1", -0.01)),
        ("org/model:v1 > 'my model' + 2", ("pair", "org/model:v1", "my model", 2.0)),
        ('"a > b" > "c, d"', ("pair", "a > b", "c, d", 0.0)),
        ("'in' > 'top'", ("pair", "in", "top", 0.0)),
    ],
)
def test_pairs_are_understood(text: str, expected: tuple[str, str, str, float]) -> None:
    claim = parse(text)
    assert (claim.kind, claim.better, claim.worse, claim.margin) == expected


def test_tops_and_correlations_are_understood() -> None:
    assert (parse('"my model" in top 3').better, parse("mine in top 3").k) == ("my model", 3)
    for text in ("tau(new, old) >= .9", "tau(new,old)>=0.9", "tau( new , old ) > .9"):
        assert (parse(text).kind, parse(text).least) == ("agreement", 0.9)
    claim = parse("tau_ap('my judge', people) >= .7")
    assert (claim.coefficient, claim.boards) == ("tau_ap", ("my judge", "people"))


@pytest.mark.parametrize(
    "text",
    [
        "",
        "mine",
        "mine >",
        "mine > mine",
        "mine in top",
        "mine in top 0",
        "mine in top x",
        "tau(new) >= .9",
        "tau(new, new) >= .9",
        "tau(new, old) <= .9",
        "tau(new, old) >= 2",
        "tau(new, old)",
        "a > b > c",
        "a > b * 2",
        "a < b - 0.1",
        "a > b - c",
        "'a > b",
        "a = b",
    ],
)
def test_what_is_no_claim_is_an_error_with_the_forms(text: str) -> None:
    with pytest.raises(CallError, match="Claims are written like this"):
        parse(text)


def board(seed: int = 0, topics: int = 30) -> Scores:
    rng = np.random.default_rng(seed)
    gaps = np.array([0.0, 0.5, 0.51, 1.5])
    return Scores(1 - gaps + 0.2 * rng.normal(size=(topics, 4)), systems=["mine", "second", "third", "last one"])


@pytest.mark.parametrize("kind", ["scores", "published"])
def test_answers_follow_the_tests(kind: str) -> None:
    scores = board()
    errors = (scores.values.std(axis=0, ddof=1) / np.sqrt(30)).tolist()
    published = Published(dict(zip(scores.systems, scores.means(), strict=True)), errors=errors)
    claims = [
        "mine > second",
        "second > third",
        "'last one' > mine",
        "mine in top 1",
        "third in top 3",
        "'last one' in top 2",
        "second > third - 0.3",
    ]
    found = gate(scores if kind == "scores" else published, claims)
    answers = [answer.verdict.value for answer in found.claims]
    assert answers == ["holds", "not shown", "does not hold", "holds", "holds", "does not hold", "holds"]
    assert not found.passed
    assert found.exit_code == 1
    assert gate(published, "mine > second").exit_code == 0
    assert json.loads(json.dumps(found.to_dict()))["claims"][1]["verdict"] == "not_shown"
    assert "| **second \\> third** | ❔ not established |" in found.to_markdown()


def test_a_correlation_needs_the_old_board_and_gets_its_limit() -> None:
    old, new = board(0), board(1)
    claims = ["tau(new, old) >= -.5", "tau(new, old) >= .2"]
    with pytest.raises(CallError, match=r"needs the old board\. Pass baseline= to give it"):
        gate(new, claims)
    found = gate(new, claims, baseline=old)
    assert found.claims[0].verdict.value == "holds"
    assert found.claims[0].corrected >= found.claims[0].value - 1
    turned = Scores(-old.values, systems=old.systems)
    assert gate(turned, claims[1:], baseline=old).claims[0].verdict.value == "does not hold"
    boards = [Published({"a": 3.0, "b": 2.0, "c": 1.0, "d": 0.0}, errors=[0.01] * 4) for _ in range(2)]
    assert gate(boards[0], "tau(new, old) >= .9", baseline=boards[1]).passed


def test_holm_makes_many_claims_harder_than_one() -> None:
    rng = np.random.default_rng(7)
    scores = Scores(np.array([0.35, 0.0, 0.0, 0.0]) + rng.normal(size=(40, 4)), systems=list("abcd"))
    alone = gate(scores, "a > b").claims[0].p
    together = gate(scores, ["a > b", "c > d", "d > c", "b > c"]).claims[0].p
    assert together >= alone
    assert str(gate(scores, "a > b", rng=3)) == str(gate(scores, "a > b", rng=3))


def test_systems_that_are_not_there_are_named() -> None:
    with pytest.raises(TauscopeError, match=r"no system 'mien' among the 4\. Do you mean 'mine'"):
        gate(board(), "mien > second")
    with pytest.raises(CallError, match="at least one claim"):
        gate(board(), [])
    with pytest.raises(CallError, match="takes Scores, Published"):
        gate([1, 2], "a > b")


def test_a_gate_says_over_how_many_pairs_it_tested_and_what_ties_are() -> None:
    board = Published({"a": 5.0, "b": 3.0, "c": 1.0}, errors=[0.1] * 3)
    said = gate(board, "a > b").methods_sentence()
    assert "max-t procedure over all 3 pairs, assuming normal errors" in said
    assert "Errors of different systems were assumed to be independent." in said
    battles = Battles(["ann", "bob"] * 20, ["bob", "ann"] * 20, ["first", "second", "first", "tie"] * 10)
    found = gate(battles, "ann > bob")
    assert "max-t procedure over the only pair, assuming normal errors" in found.methods_sentence()
    assert "A tie counted as half a win." in found.methods_sentence()
    assert found.to_dict() == gate(bradley_terry(battles), "ann > bob").to_dict()


@pytest.fixture(scope="module")
def demo() -> tuple[Scores, Scores]:
    collection = made_up(depth=30)
    judge, human = (evaluate(collection.runs, q, "AP")["AP"] for q in (collection.judge_qrels, collection.qrels))
    return judge, human


def test_gate_and_compare_answer_alike_for_every_margin(demo: tuple[Scores, Scores]) -> None:
    judge, human = demo
    found = compare(judge, truth=human)
    answers = set()
    for margin in np.round(np.linspace(0.7, 0.95, 26), 2):
        (answer,) = gate(judge, f"tau(new, old) >= {margin}", baseline=human).claims
        high = found.interval.high
        expected = "holds" if found.exceeds(margin) else "does not hold" if high < margin else "not shown"
        assert (margin, answer.verdict.value) == (margin, expected)
        # The p-value is the smallest level at which the one-sided limit reaches the margin.
        if 0.001 < answer.p < 0.999:
            assert found.at_least(1 - answer.p * 1.001) >= margin > found.at_least(1 - answer.p * 0.999)
        answers.add(expected)
    assert answers == {"holds", "does not hold", "not shown"}


def test_a_margin_that_the_limit_just_reaches_holds_in_both() -> None:
    same = board(0)
    found = compare(same, truth=same)
    assert found.at_least() == 1.0
    assert found.exceeds(1.0)
    assert gate(same, "tau(new, old) >= 1", baseline=same).passed


def test_holm_leaves_each_correlation_the_limit_of_its_own_level(demo: tuple[Scores, Scores]) -> None:
    judge, human = demo
    limit = compare(judge, truth=human).at_least(1 - 0.05 / 2)
    two = [f"tau(new, old) >= {limit - 0.001}", "tau(new, old) >= .99"]
    assert gate(judge, two, baseline=human).claims[0].verdict.value == "holds"
    two[0] = f"tau(new, old) >= {limit + 0.001}"
    assert gate(judge, two, baseline=human).claims[0].verdict.value == "not shown"


def test_any_coefficient_and_any_named_judge_may_be_claimed(demo: tuple[Scores, Scores]) -> None:
    judge, human = demo
    limit = compare(judge, truth=human, coefficient="tau_ap").at_least()
    claims = [f"tau_ap(machine, people) >= {limit - 0.001}"]
    found = gate(human, claims, judges={"machine": judge, "people": human})
    assert found.passed
    assert found.claims[0].coefficient == "tau_ap"
    boards = [Published({"a": 3.0, "b": 2.0, "c": 1.0, "d": 0.0}, errors=[0.01] * 4) for _ in range(2)]
    assert gate(boards[0], "spearman(one, new) >= .9", judges={"one": boards[1]}).passed


def test_an_unknown_coefficient_or_judge_is_named() -> None:
    with pytest.raises(CallError, match=r"no coefficient 'tua_b'.*Did you mean 'tau_b'"):
        gate(board(), "tua_b(new, old) >= .9", baseline=board(1))
    with pytest.raises(CallError, match=r"no board 'gtp'.*new, old, gpt"):
        gate(board(), "tau(gtp, old) >= .9", baseline=board(1), judges={"gpt": board(2)})
    with pytest.raises(CallError, match="called 'old'"):
        gate(board(), "tau(new, old) >= .9", judges={"old": board(2)})
