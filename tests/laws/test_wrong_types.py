"""What is no board, no battle and no option: every function of the boards answers with an error of its own."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

import tauscope
from tauscope import Battles, Published, Scores, TauscopeError, bradley_terry
from tauscope.boards.repeats import Repeats

BOARD = Scores(np.random.default_rng(0).normal(size=(12, 4)), systems=["ann", "bob", "cat", "dog"])
PRINTED = Published({"ann": 3.0, "bob": 2.0, "cat": 1.0}, errors=[0.1, 0.2, 0.3])
BATTLES = Battles(
    ["ann", "ann", "bob", "bob", "cat", "cat"] * 4,
    ["bob", "cat", "ann", "cat", "ann", "bob"] * 4,
    ["first", "second", "second", "first", "tie", "second"] * 4,
)
STRENGTHS = bradley_terry(BATTLES)
RANKS = tauscope.rank(STRENGTHS)
REPEATS = Repeats(np.random.default_rng(1).normal(size=(6, 3, 2)))
ODD: dict[str, Any] = {
    "None": None,
    "a number": 3,
    "a text": "nonsense",
    "bytes": b"x",
    "numbers": [1, 2, 3],
    "nothing": [],
    "a dict": {"ann": 1, "bob": 2},
    "an array": np.zeros(3),
    "a matrix": np.zeros((3, 3)),
    "a Series": pd.Series([1, 2]),
    "a frame": pd.DataFrame({"x": [1, 2]}),
    "a frame of polars": pl.DataFrame({"x": [1, 2]}),
    "an object": object(),
    "True": True,
    "NaN": float("nan"),
    "scores": BOARD,
    "battles": BATTLES,
    "a function": len,
}
ROWS = [{"model": "x", "score": 1, "se": 1}, {"model": "y", "score": 2, "se": 1}]
THREE = (["x", "y"], ["y", "x"], ["x", "tie"])


def option(function: Callable[..., Any], *given: Any, **named: Any) -> Callable[[str], Callable[[Any], Any]]:
    return lambda name: lambda odd: function(*given, **named, **{name: odd})


def options(function: Callable[..., Any], *given: Any, of: str, **named: Any) -> dict[str, Callable[[Any], Any]]:
    return {f"{function.__name__}({name})": option(function, *given, **named)(name) for name in of.split()}


CALLS: dict[str, Callable[[Any], Any]] = {
    **{
        f"{f.__name__}()": f
        for f in (
            bradley_terry,
            tauscope.Published.read,
            tauscope.Battles.read,
            Repeats.read,
            tauscope.rank,
            tauscope.variance_components,
            tauscope.versions,
            Repeats,
        )
    },
    **options(bradley_terry, BATTLES, of="ties clusters position prior incomparable"),
    **options(Battles, *THREE, of="questions workers ids systems notes verdicts missing self_battles"),
    **options(tauscope.Published.read, ROWS, of="columns level lower_is_better"),
    **options(Published, {"x": 2.0, "y": 1.0}, of="errors intervals covariance items"),
    **options(Published, {"x": 2.0, "y": 1.0}, errors=[1, 1], of="lower_is_better votes"),
    **options(tauscope.rank, BOARD, of="rule level"),
    **options(tauscope.rank(BOARD).under_rules, of="rules"),
    **options(tauscope.rank(BATTLES).fragility, of="above"),
    **options(tauscope.versions, [PRINTED, PRINTED], of="level"),
    **options(tauscope.gate, BOARD, of="claims"),
    **options(tauscope.gate, PRINTED, "tau(new, old) >= .5", of="baseline level"),
    **options(tauscope.compare, BATTLES, of="truth"),
    **options(tauscope.compare, BATTLES, truth=BATTLES, of="coefficient"),
    **options(BOARD.by_cluster, of="clusters"),
    "strengths[]": STRENGTHS.__getitem__,
    "elo(anchor)": lambda odd: STRENGTHS.elo(anchor=odd),
    "ranks[]": RANKS.__getitem__,
    "votes_needed()": RANKS.votes_needed,
    "one()": RANKS.one,
    "take()": BATTLES.take,
    "select(systems)": lambda odd: BATTLES.select(systems=odd),
    "reordered()": BATTLES.reordered,
    "groups()": BATTLES.groups,
    "rule.scores()": tauscope.catalogue.rules["mean"].scores,
}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("call", CALLS)
def test_no_wrong_type_gets_through_to_python(call: str) -> None:
    for name, odd in ODD.items():
        try:
            CALLS[call](odd)
        except TauscopeError:
            continue
        except Exception as error:
            pytest.fail(f"{call} of {name}: {type(error).__name__}: {error}")


def test_errors_intervals_and_items_are_matched_by_name() -> None:
    scores = {"ann": 0.7, "bob": 0.5, "cat": 0.2}
    by_name = {"cat": 0.03, "ann": 0.01, "bob": 0.02}
    covariance = pd.DataFrame(np.diag([9e-4, 1e-4, 4e-4]), list(by_name), list(by_name))
    for given in (by_name, pd.Series(by_name), [0.01, 0.02, 0.03], pd.Series([0.01, 0.02, 0.03])):
        assert Published(scores, errors=given).errors.tolist() == [0.01, 0.02, 0.03]
    assert Published(scores, covariance=covariance).errors.tolist() == pytest.approx([0.01, 0.02, 0.03])
    limits = Published(scores, intervals={"cat": "± 3", "bob": (0.4, 0.6), "ann": 1.0}).errors
    assert limits.tolist() == pytest.approx(np.array([1, 0.1, 3]) / 1.959964, rel=1e-6)
    items = Published(scores, items={"bob": 25, "cat": 100, "ann": 21}).errors
    assert items.tolist() == pytest.approx([0.1, 0.1, 0.04])
    with pytest.raises(tauscope.errors.CallError, match="1 system missing in `errors`: 'cat'"):
        Published(scores, errors={"ann": 1, "bob": 1})
    with pytest.raises(tauscope.errors.CallError, match="1 system missing in `scores`: 'eve'"):
        Published(scores, errors=by_name | {"eve": 1})


def test_many_texts_are_coded_as_few_are() -> None:
    rng = np.random.default_rng(0)
    asked = [f"question {k}" for k in rng.integers(9000, size=70_000)]
    sides = ["ann", "bob"] * 35_000, ["bob", "ann"] * 35_000, ["first", "tie"] * 35_000
    coded = Battles(*sides, questions=asked).groups("question")
    numbers: dict[str, int] = {}
    assert coded.codes.tolist() == [numbers.setdefault(text, len(numbers)) for text in asked]
    assert coded.labels == tuple(numbers)
    with pytest.raises(tauscope.errors.CallError, match="`questions` has no value for battle 60,001"):
        Battles(*sides, questions=[*asked[:60_000], "", *asked[60_001:]])
