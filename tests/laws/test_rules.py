"""Rules of boards: each is what its record says, and what MTEB's and HELM's code make of their tables."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest

from tauscope import Scores, TauscopeError, catalogue, gate, papers, rank, versions
from tauscope.boards.rules import Rule, swapped_without
from tauscope.errors import CallError

NAN = math.nan
board_rules = catalogue.rules
RULES = list(board_rules)


def board(seed: int = 0, tasks: int = 9, systems: int = 7) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return rng.uniform(0.1, 1, size=(tasks, systems)) + np.linspace(0.3, 0, systems)


def order(rule: Rule, values: np.ndarray) -> list[int]:
    return np.argsort(-np.round(rule.scores(values), 12), kind="stable").tolist()


@pytest.mark.parametrize("rule", RULES, ids=str)
def test_a_record_says_what_a_reader_must_know(rule: Rule) -> None:
    for text in (rule.title, rule.formula, rule.used_by, rule.missing, rule.when_not):
        assert len(text) > 3
    if rule.paper:
        assert papers.reference(rule.paper)
    assert (rule.task_scores is None) != (rule.total is None)


@pytest.mark.parametrize("rule", RULES, ids=str)
def test_names_and_the_order_of_tasks_do_not_matter(rule: Rule) -> None:
    values = board()
    rng = np.random.default_rng(1)
    tasks, systems = rng.permutation(len(values)), rng.permutation(values.shape[1])
    assert rule.scores(values[tasks][:, systems]) == pytest.approx(rule.scores(values)[systems])


@pytest.mark.parametrize("rule", RULES, ids=str)
def test_what_the_record_calls_invariant_leaves_the_order(rule: Rule) -> None:
    values = board()
    factor = np.random.default_rng(2).uniform(0.5, 2, size=(len(values), 1))
    changed = {
        "common affine": 3 * values + 5,
        "affine": factor * values + 7 * factor**2,
        "scale": factor * values,
        "monotone": np.exp(factor * values) ** 3,
    }[rule.invariant]
    assert order(rule, changed) == order(rule, values)


@pytest.mark.parametrize("rule", RULES, ids=str)
def test_a_record_is_right_about_whether_others_matter(rule: Rule) -> None:
    boards = [board(seed, tasks=6, systems=6) for seed in range(200)]
    examples = [swapped_without(rule, values) for values in boards]
    assert any(found is not None for found in examples) == rule.others_matter


@pytest.mark.parametrize("rule", RULES, ids=str)
def test_a_copy_of_a_system_gets_its_score(rule: Rule) -> None:
    values = board()
    scores = rule.scores(np.column_stack((values, values[:, 2])))
    assert scores[-1] == pytest.approx(scores[2])
    if not rule.others_matter:
        assert scores[:-1] == pytest.approx(rule.scores(values))


@pytest.mark.parametrize("rule", RULES, ids=str)
def test_a_system_that_is_best_everywhere_is_first(rule: Rule) -> None:
    values = board()
    values[:, 4] = values.max(axis=1) + 0.1
    assert order(rule, values)[0] == 4


def test_plain_rules_are_those_of_numpy() -> None:
    values = board(tasks=8)
    assert board_rules["median"].scores(values) == pytest.approx(np.median(values, axis=0))
    assert board_rules["iqm"].scores(values) == pytest.approx(np.sort(values, axis=0)[2:6].mean(axis=0))
    assert np.exp(board_rules["geometric"].scores(values)) == pytest.approx(np.exp(np.log(values).mean(axis=0)))


def test_borda_is_that_of_mteb_where_a_missing_task_gives_no_points() -> None:
    pandas = pytest.importorskip("pandas")
    values = np.round(board(tasks=6), 1)  # with ties
    values[0, 0] = values[3, 2] = NAN
    # As mteb defines it: n - rank(method="average", ascending=False) per task, summed with missing ones skipped.
    table = pandas.DataFrame(values.T)
    points = table.apply(lambda task: len(task) - task.rank(method="average", ascending=False), axis="index").sum(
        axis=1
    )
    assert board_rules["borda"].scores(values) * len(values) == pytest.approx(points.to_numpy())


@pytest.mark.parametrize(
    ("table", "expected"),
    [  # from the tests of HELM's compute_aggregate_row_win_rates
        ([[1], [2], [3], [4], [5]], [0, 0.25, 0.5, 0.75, 1]),
        ([[1, 3], [2, 1], [3, 2], [4, 5], [5, 4]], [0.25, 0.125, 0.375, 0.875, 0.875]),
        ([[1, 3], [2, 1], [3, NAN], [4, NAN], [5, NAN]], [0.5, 0.125, 0.5, 0.75, 1]),
        ([[1, NAN], [2, NAN], [3, NAN], [4, NAN], [5, 5]], [0, 0.25, 0.5, 0.75, 1]),
        ([[1], [1], [1], [4], [5]], [0.25, 0.25, 0.25, 0.75, 1]),
    ],
)
def test_win_rates_are_those_of_helm(table: list[list[float]], expected: list[float]) -> None:
    assert board_rules["win-rate"].scores(np.array(table).T) == pytest.approx(expected)


def test_the_geometric_mean_says_which_scores_it_cannot_take() -> None:
    values = board()
    values[2, 1] = -0.1
    scores = Scores(values)
    with pytest.raises(TauscopeError, match=r"needs scores above 0, and the lowest is -0\.1"):
        rank(scores, "geometric")
    left_out = rank(scores).under_rules().left_out
    assert left_out == (("geometric", "positive"),)


def test_a_board_has_ranks_that_hold_the_observed_one_and_an_example() -> None:
    scores = Scores(board(), systems=list("abcdefg"))
    found = rank(scores, "borda")
    assert (found.low <= found.rank).all()
    assert (found.rank <= found.high).all()
    if found.swapped:
        a, b, c = found.swapped
        less = rank(scores.select(systems=[s for s in scores.systems if s != c]), "borda")
        assert found.systems.index(a) < found.systems.index(b)
        assert less.systems.index(a) > less.systems.index(b)
    assert json.loads(json.dumps(found.to_dict()))["rule"] == "borda"
    assert str(rank(scores, "borda")) == str(found)


def test_all_rules_at_once_tell_who_wins_under_which() -> None:
    values = board()
    values[:, 0] = [9.0] + [0.0] * 8  # first by the mean, and last elsewhere
    found = rank(Scores(values, systems=list("abcdefg"))).under_rules()
    first = {one.rule: one.first for one in found.firsts}
    assert first["mean"] == "a"
    assert first["median"] != "a"
    assert found.verdict.value == "different"
    place = found.systems.index("a")
    assert (found.best_rank[place], found.worst_rank[place]) == (1, 7)
    assert np.diagonal(found.tau) == pytest.approx(1)
    assert found["mean"].systems[0] == "a"
    assert "geometric" in found.answer().warnings[0]
    with pytest.raises(TauscopeError, match="not in this comparison"):
        found["geometric"]


def test_wrong_rules_and_boards_are_errors_with_reasons() -> None:
    scores = Scores(board())
    with pytest.raises(CallError, match=r"no rule 'bordo'\. Did you mean 'borda'"):
        rank(scores, "bordo")
    with pytest.raises(CallError, match="takes Scores"):
        rank(3)
    with pytest.raises(TauscopeError, match="two systems and two topics"):
        rank(Scores([[1], [2]]))
    with pytest.raises(CallError, match="at least one rule"):
        rank(scores).under_rules([])


def mixed_board() -> Scores:
    """Three tasks in shares and three in percent."""
    rng = np.random.default_rng(8)
    shares = rng.uniform(0.3, 0.9, size=(6, 5))
    return Scores(shares * np.array([1, 1, 1, 100, 100, 100])[:, None], systems=list("abcde"))


@pytest.mark.parametrize("rule", board_rules, ids=str)
def test_rules_that_add_up_scores_refuse_tasks_on_different_scales(rule: Rule) -> None:
    board = mixed_board()
    if rule.one_scale:
        with pytest.raises(TauscopeError, match=r"3 topics have scores up to 1 .* and 3 topics up to"):
            rank(board, rule)
        rank(board.aggregated("mean"), rule)  # as asked
    else:
        one = Scores(board.values / np.array([1, 1, 1, 100, 100, 100])[:, None], systems=board.systems)
        assert rank(board, rule).systems == rank(one, rule).systems


def test_all_rules_leave_those_out_that_need_one_scale() -> None:
    found = rank(mixed_board(), "z").under_rules()
    assert {one.rule for one in found.left_out} == {rule.name for rule in RULES if rule.one_scale}
    assert {one.reason for one in found.left_out} == {"scale"}


def test_other_functions_of_boards_refuse_them_too() -> None:
    board = mixed_board()
    for call in (
        lambda: rank(board),
        lambda: gate(board, "a > b"),
        lambda: versions([board, board]),
    ):
        with pytest.raises(TauscopeError, match="the widest scale would decide"):
            call()


@pytest.mark.parametrize("rule", RULES, ids=str)
def test_rank_intervals_of_equal_systems_hold_under_every_rule(rule: Rule) -> None:
    # 30 equal systems on a saturated 0/1 board: the true ranks of all of them are 1 to 30.
    held = 0
    for seed in range(40):
        right = np.random.default_rng(seed).random((50, 30)) < 0.98
        values = right + 0.01 if rule.positive else right.astype(float)
        found = rank(Scores(values), rule, rng=seed)
        held += bool((found.low == 1).all() and (found.high == 30).all())
    assert held >= 37


def test_systems_with_equal_scores_span_the_ranks_of_their_group() -> None:
    values = np.tile([[3.0, 2.0, 2.0, 2.0, 1.0]], (12, 1)) + 0.1 * np.random.default_rng(1).normal(size=(12, 1))
    found = rank(Scores(values, systems=list("abcde")))
    assert [(found.low[i], found.high[i]) for i in range(5)] == [(1, 1), (2, 4), (2, 4), (2, 4), (5, 5)]


def test_a_winner_that_lacks_tasks_is_announced_with_their_number() -> None:
    values = board(tasks=9)
    values[:, 2] += 2
    values[:4, 2] = NAN
    found = rank(Scores(values, systems=list("abcdefg"), missing="keep")).under_rules(["z", "mean"])
    assert [(one.first, one.lacks) for one in found.firsts] == [("c", 4), ("c", 4)]
    assert found.answer().tables[0].rows[0][-1] == 4


@pytest.mark.parametrize("rule", [rule for rule in board_rules if rule.name != "borda"], ids=str)
def test_rank_intervals_of_a_board_with_holes_say_that_they_take_them_for_random(rule: Rule) -> None:
    """Where weak systems lack the tasks on which they fail, .70 to .87 hold under rules that average task scores."""
    rng = np.random.default_rng(5)
    values = 1 + rng.random((30, 6))
    complete = rank(Scores(values), rule)
    values[rng.random(values.shape) < 0.2] = np.nan
    found = rank(Scores(values, missing="keep"), rule)
    assert any("missing at random" in text for text in found.answer().warnings)
    assert not complete.answer().warnings


@pytest.mark.parametrize("topics", [True, ["1", "2"]])
def test_the_geometric_mean_shows_no_negated_score_where_lower_is_better(topics: bool | list[str]) -> None:
    scores = Scores(board(), topics=[str(i + 1) for i in range(9)]).negated(topics)
    found = rank(scores, "borda").under_rules()
    assert ("geometric", "lower") in found.left_out
    assert "it is not for scores where lower is better" in " ".join(found.answer().warnings)
    with pytest.raises(TauscopeError, match=r"mean is not for scores where lower is better. Use"):
        rank(scores, "geometric")


def test_one_rule_is_not_compared_with_itself_and_equal_orders_are_of_two_rules() -> None:
    scores = Scores(np.arange(12.0).reshape(3, 4))  # the same order on every task
    three, one = rank(scores).under_rules(["mean", "median", "borda"]), rank(scores).under_rules(["mean"])
    assert three.lowest_tau == 1
    assert len(set(three.least_alike)) == 2
    assert one.least_alike == ()
    assert "τ_b" not in one.methods_sentence()
