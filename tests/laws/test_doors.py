"""What comes in through one door: NumPy's numbers, matrices of the same systems, the truth by name; and what printing
may do.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pytest

import tauscope as ts
from tauscope import Scores
from tauscope.core import kernels
from tauscope.data.alignment import aligned_scores
from tauscope.errors import AlignmentError, CallError, Option
from tauscope.inference.corrections import holm, rejected
from tauscope.inference.methods import BY_NAME, SUMS_OVER_PAIRS
from tauscope.inference.true_means import Observed, first_of_identical
from tauscope.results import Result

SYSTEMS = tuple("abcdef")


def board(seed: int = 1, topics: int = 12, systems: tuple[str, ...] = SYSTEMS) -> Scores:
    rng = np.random.default_rng(seed)
    skill = np.linspace(0.3, 0.7, len(systems))
    return Scores(np.clip(skill + rng.normal(0, 0.1, (topics, len(systems))), 0, 1), systems=systems)


def with_holes() -> Scores:
    values = board().values.copy()
    values[0, 1] = np.nan
    return Scores(values, systems=SYSTEMS, missing="keep")


A, B, C = board(), board(2), board(3)
RUNS = {"a": {"1": {"x": 2.0, "y": 1.0}}, "b": {"1": {"y": 2.0, "x": 1.0}}}
QRELS = {"1": {"x": 1, "y": 0}}
GROUPS = dict(zip(SYSTEMS, "xxyyzz", strict=True))
#: Every public function of significance, expected and judges that takes a number, with all numbers it takes.
CALLS: dict[str, tuple[Callable[..., Any], dict[str, float]]] = {
    "expected_correlation": (
        lambda **n: ts.expected_correlation(A, "tau", "res", **n),
        {"level": 0.9, "draws": 50, "rng": 3},
    ),
    "swaps": (lambda **n: ts.expected_correlation(A, "tau", "res", **n).swaps, {"rng": 3}),
    "rank": (lambda **n: ts.rank(A, **n), {"level": 0.9, "rng": 3}),
    "rank with holes": (lambda **n: ts.rank(with_holes(), **n), {"level": 0.9}),
    "sensitivity": (lambda **n: ts.expected_correlation(A).sensitivity(**n), {"error": 0.1}),
    "significance": (lambda **n: ts.significance(A, **n), {"alpha": 0.1, "draws": 99, "rng": 3}),
    "significance, truth": (
        lambda **n: ts.significance(B, truth=A, **n),
        {"alpha": 0.1, "draws": 99, "rng": 3},
    ),
    "compare": (lambda **n: ts.compare(B, truth=A, **n), {"level": 0.9, "margin": 0.75, "rng": 3}),
    "compare, several": (lambda **n: ts.compare({"b": B, "c": C}, truth=A, **n), {"level": 0.9, "rng": 3}),
    "compare, groups": (lambda **n: ts.compare(B, truth=A, groups=GROUPS, **n), {"level": 0.9, "rng": 3}),
    "hybrid": (lambda **n: ts.hybrid(A, B, **n), {"level": 0.9, "rng": 3}),
    "hybrid of documents": (lambda **n: ts.hybrid(QRELS, QRELS, runs=RUNS, measures="AP", **n), {"level": 0.9}),
    "plan": (
        lambda **n: ts.hybrid(A, B).plan(**n),
        {"target": 0.8, "top": 3, "human_cost": 2.0, "judge_cost": 0.5, "labels": 3.0},
    ),
    "next documents": (lambda **n: ts.hybrid(None, QRELS, runs=RUNS).next(**n), {"choose": 1}),
    "next topics": (lambda **n: ts.hybrid(None, B).next(**n), {"choose": 5}),
    "audit": (lambda **n: ts.audit(B, truth=A, **n), {"level": 0.9, "rng": 3}),
    "audit, groups": (
        lambda **n: ts.audit({"j": B}, truth=A, groups=dict(zip((*SYSTEMS, "j"), "xxxyyyx", strict=True)), **n),
        {"level": 0.9, "rng": 3},
    ),
    "Simulator.draw": (lambda **n: ts.simulate.Simulator.fit(A).draw(**n), {"topics": 5, "rng": 3}),
    "bootstrap": (lambda **n: ts.expected_correlation(A, "tau", "res", **n), {"draws": 50}),
    "topics_needed": (lambda **n: ts.expected_correlation(A, interval=False).topics_needed(**n), {"target": 0.9}),
    "interval_at": (lambda **n: ts.compare(B, truth=A).interval_at(**n), {"level": 0.9}),
}
ROOMS = ("inference", "judges")


def plain(value: Any) -> Any:
    return (
        value.to_dict() if isinstance(value, Result) else value.values.tolist() if isinstance(value, Scores) else value
    )


@pytest.mark.parametrize("name", CALLS)
def test_numpys_numbers_are_taken_wherever_pythons_are(name: str) -> None:
    call, numbers = CALLS[name]
    expected = plain(call(**numbers))
    for real, whole in ((np.float64, np.int64), (np.float32, np.uint8)):
        given = {key: (whole if isinstance(value, int) else real)(value) for key, value in numbers.items()}
        assert plain(call(**given)) == expected, given


def test_no_public_function_with_a_number_was_forgotten() -> None:
    functions = [
        name
        for name in ts.__all__
        if inspect.isfunction(getattr(ts, name)) and getattr(ts, name).__module__.split(".")[1] in ROOMS
    ]
    assert len(functions) >= 5
    for name in functions:
        numbers = {"level", "alpha", "draws", "error"} & set(inspect.signature(getattr(ts, name)).parameters)
        assert numbers <= set(CALLS.get(name, (None, {}))[1]), name


# ---- what printing may compute ----

RESULTS: dict[str, Callable[[], Result]] = {
    **{name: partial(call, **numbers) for name, (call, numbers) in CALLS.items()},
    "all methods": lambda: ts.expected_correlation(A, "tau", "shw"),
    "tau_e": lambda: ts.expected_correlation(A, "tau_e"),
    "bayes": lambda: ts.expected_correlation(A, "tau_ap", "bayes"),
    "curve": lambda: ts.expected_correlation(A, interval=False).curve(),
    "simulator": lambda: ts.simulate.Simulator.fit(A),
}


@pytest.mark.parametrize("name", RESULTS)
def test_printing_draws_nothing_and_asks_no_kernel(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    result = RESULTS[name]()

    def never(*_: Any, **__: Any) -> Any:
        raise AssertionError("printing computes")

    monkeypatch.setattr(np.random, "default_rng", never)  # every stream of random numbers begins here
    for function in ("batch", "discordance", "flips_reached", "flips_exceeding", "kernel_density", "one"):
        monkeypatch.setattr(kernels, function, never)
    assert str(result)
    assert repr(result)
    if isinstance(result, Result):
        assert result._repr_html_()
    if name == "tau_e":  # the net holds: asking for something else is another matter
        with pytest.raises(AssertionError, match="printing computes"):
            ts.expected_correlation(A, "tau_e")


@pytest.mark.parametrize("method", BY_NAME)
def test_without_the_interval_the_value_is_the_same_and_the_interval_comes_when_asked_for(method: str) -> None:
    with_it, without = (ts.expected_correlation(A, "tau", method, interval=drawn) for drawn in (True, False))
    assert without.value == with_it.value
    assert "draws" in with_it.__dict__
    assert "draws" not in without.__dict__
    assert without.interval == with_it.interval
    assert without.to_dict() == with_it.to_dict()


# ---- one door for matrices of the same systems ----

UNMATCHED: dict[str, Callable[..., Any]] = {
    "compare": lambda one, **n: ts.compare(one, truth=A, **n),
    "compare, several": lambda one, **n: ts.compare({"one": one, "b": B}, truth=A, **n),
    "significance": lambda one, **n: ts.significance(one, truth=A, draws=99, **n),
}


TOPIC_BY_TOPIC: dict[str, Callable[..., Any]] = {
    "by_topic": lambda one, **n: ts.correlate(one, truth=A, **n).by_topic(),
    "profile": lambda one, **n: ts.correlate(one, truth=A, **n).profile("a"),
}


@pytest.mark.parametrize("name", [*UNMATCHED, *TOPIC_BY_TOPIC])
def test_systems_of_one_side_are_an_error_whose_way_out_leads_out(name: str) -> None:
    call = (UNMATCHED | TOPIC_BY_TOPIC)[name]
    fewer = C.select(systems=SYSTEMS[:5])
    with pytest.raises(AlignmentError, match=r"1 of 6 systems .*'f'") as caught:
        call(fewer)
    (way,) = caught.value.ways_out
    assert isinstance(way, Option)
    assert (way.name, way.values) == ("unmatched", ("drop",))
    result = call(fewer, **{way.name: way.values[0]})
    assert "f" in str(result.to_dict()) or getattr(result, "systems", 5) == 5
    with pytest.raises(CallError, match="unmatched='ignore' is unknown"):
        call(fewer, unmatched="ignore")


@pytest.mark.parametrize("name", UNMATCHED)
def test_what_is_no_scores_is_named_with_what_makes_some(name: str) -> None:
    with pytest.raises(CallError, match=r"takes Scores, topics x systems; `\w+` is of type int\. Make them with"):
        UNMATCHED[name](3)


@pytest.mark.parametrize("name", sorted(set(UNMATCHED) - {"significance", "compare, several"}))
def test_the_truth_looks_required_and_is(name: str) -> None:
    function = getattr(ts, name)
    assert repr(inspect.signature(function).parameters["truth"].default) == "<required>"
    for call in (lambda: function(A), lambda: function(A, C), lambda: function(A, truth=None)):
        with pytest.raises(CallError, match=rf"^{name}\(\) wants to know which scores are the truth: {name}\("):
            call()


def test_systems_come_in_the_order_of_the_last_and_topics_where_they_are_asked_for() -> None:
    turned = A.select(systems=SYSTEMS[::-1], topics=A.topics[2:])
    same = aligned_scores({"one": A, "two": turned}, "a test", "drop")
    assert same.scores[0].systems == SYSTEMS[::-1]
    told = ("2 of 12 topics are only in `one`: means over 12 and 10 topics are compared",)
    assert (same.dropped, same.notes[-1:], len(same.scores[0].topics)) == ((), told, 12)
    both = aligned_scores({"one": A, "two": turned}, "a test", "drop", topics=True)
    assert both.scores[0].topics == turned.topics
    same_data = "`one` and `two` hold the same score in every cell"
    assert (both.dropped, both.notes) == (("1", "2"), ("2 topics only in `one` dropped", same_data))
    with pytest.raises(AlignmentError, match=r"2 of 12 topics are only in `one`: '1', '2'"):
        aligned_scores({"one": A, "two": turned}, "a test", "error", topics=True)
    with pytest.raises(AlignmentError, match=r"share none of their systems\. Are the names spelled alike"):
        aligned_scores({"one": A, "two": board(systems=tuple("uvwxyz"))}, "a test", "drop")


# ---- one of each ----


def test_a_p_value_of_exactly_alpha_is_significant_for_every_correction() -> None:
    # Five topics, all in favour: 2 of 2^5 patterns of signs are as extreme, so p = 1/16.
    scores = Scores(np.array([[0.9, 0.5], [0.8, 0.3], [0.7, 0.5], [0.9, 0.6], [0.6, 0.1]]))
    assert ts.significance(scores, test="permutation", correction=None, draws=5000)["1", "2"] == 1 / 16
    for correction in (None, "holm", "fdr"):
        assert ts.significance(scores, test="permutation", correction=correction, alpha=1 / 16).significant == 1
        below = ts.significance(scores, test="permutation", correction=correction, alpha=1 / 16 - 1e-6)
        assert below.significant == 0
    assert ts.rank(scores, level=15 / 16).tiers == (("1",), ("2",))


def test_holms_adjusted_p_values_reject_what_his_steps_do() -> None:
    rng = np.random.default_rng(1)
    for alpha in (0.05, 0.1, 0.25):
        for _ in range(50):
            p = rng.choice([0.001, 0.0125, 0.025, 0.05, 0.1, 0.3, 1.0], rng.integers(1, 7))
            steps = np.sort(p) <= alpha / (len(p) - np.arange(len(p))) * (1 + 1e-9)
            assert rejected(holm(p), alpha).sum() == np.logical_and.accumulate(steps).sum()


def test_the_first_of_identical_systems_is_found_whatever_the_order_and_the_rounding() -> None:
    rng = np.random.default_rng(4)
    rows = rng.random((6, 9))
    rows[[4, 5]] = rows[1]
    rows[5] += 1e-16
    rows[3] = rows[0][::-1]  # the same mean, other scores
    found = first_of_identical(rows, 1e-12)
    assert found is not None
    assert found.tolist() == [0, 1, 2, 3, 1, 1]
    assert first_of_identical(rows[:4], 1e-12) is None
    observed = Observed.of(rows.T)
    first, second = observed.pairs
    assert observed.twin is not None
    assert ((observed.twin[first] == observed.twin[second]) == observed.identical).all()


def test_every_method_gives_every_sum_over_pairs_and_says_whether_it_needs_numbers() -> None:
    observed = Observed.of(A.values)
    for method in BY_NAME.values():
        generator = np.random.default_rng(1) if method.random else None
        assert tuple(method.sums(observed, generator)) == SUMS_OVER_PAIRS
        if method.random:
            with pytest.raises(CallError, match="needs a generator"):
                method.sums(observed)
        if not method.by_pairs:
            with pytest.raises(CallError, match="no swap probabilities"):
                method.swaps(observed, generator)
