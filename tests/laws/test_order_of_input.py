"""The order in which a file lists its topics and its systems decides no number: everything is compared by name."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import tauscope
from tauscope import Scores


def graded(seed: int = 0) -> tuple[Scores, Scores]:
    """A judge and the truth, 14 systems on 30 topics; no topic has a name."""
    rng = np.random.default_rng(seed)
    skill, names = 0.1 * rng.normal(size=14), [f"s{i}" for i in range(14)]
    truth = np.clip(0.4 + skill + 0.2 * rng.normal(size=(30, 1)) + 0.15 * rng.normal(size=(30, 14)), 0, 1)
    judge = np.clip(truth + 0.05 * rng.normal(size=14) + 0.1 * rng.normal(size=(30, 14)), 0, 1)
    return Scores(judge, systems=names), Scores(truth, systems=names)


def saturated(seed: int = 0) -> tuple[Scores, Scores]:
    """The same of right and wrong answers: many topics have the same numbers, many systems the same mean."""
    return tuple(
        Scores((one.values > np.quantile(one.values, 0.2)).astype(float), systems=one.systems) for one in graded(seed)
    )


def shuffled(*matrices: Scores, seed: int = 7) -> tuple[Scores, ...]:
    """Rows and columns in another order, the same for all; rows have no names, so that positions name them anew."""
    rng = np.random.default_rng(seed)
    rows, columns = rng.permutation(len(matrices[0])), rng.permutation(len(matrices[0].systems))
    return tuple(
        Scores(one.values[np.ix_(rows, columns)], systems=[one.systems[i] for i in columns]) for one in matrices
    )


def by_name(result: Any) -> dict[str, Any]:
    """Every column of a result by the name of the system, where it has systems, and its other facts."""
    facts = {key: value for key, value in result.to_dict().items() if key not in ("notes", "methods_sentence")}
    names = facts.get("systems", facts.get("system"))
    if not isinstance(names, (list, tuple)):
        return facts
    place = np.argsort(np.array(names))
    turned: dict[str, Any] = {}
    for key, value in facts.items():
        rows = np.asarray(value, dtype=object) if isinstance(value, list) and len(value) == len(names) else None
        if rows is None or key in ("tiers", "winners", "members", "swapped"):
            turned[key] = value
        elif rows.ndim == 2 and rows.shape[1] == len(names):
            turned[key] = rows[np.ix_(place, place)].tolist()
        else:
            turned[key] = rows[place].tolist()
    return turned


ONE: dict[str, Callable[[Scores], Any]] = {
    "one rank": lambda s: tauscope.rank(s).one(sorted(s.systems)[2]),
    "best set": lambda s: tauscope.rank(s).best_set(),
    "expected_correlation": lambda s: tauscope.expected_correlation(s, "tau_b"),
    "expected_correlation, resampled": lambda s: tauscope.expected_correlation(s, "tau", "res"),
    "expected_correlation, split halves": lambda s: tauscope.expected_correlation(s, "tau", "shw"),
    "significance": lambda s: tauscope.significance(s),
    "significance, permutation": lambda s: tauscope.significance(s, test="permutation"),
    **{f"rank, {rule}": lambda s, rule=rule: tauscope.rank(s, rule) for rule in ("mean", "borda")},
}
TWO: dict[str, Callable[[Scores, Scores], Any]] = {
    "compare": lambda judge, truth: tauscope.compare(judge, truth=truth),
    "compare, tau_ap_b": lambda judge, truth: tauscope.compare(judge, truth=truth, coefficient="tau_ap_b"),
    "compare, systems": lambda judge, truth: tauscope.compare(judge, truth=truth, resample="both"),
    "calibrate_ties": lambda judge, truth: tauscope.correlate(judge, truth=truth, coefficient="tau_e").calibrate_ties(),
    "compare, groups": lambda judge, truth: tauscope.compare(
        judge, truth=truth, groups={name: name[-1] for name in truth.systems}
    ),
    "compare, soft accuracy": lambda judge, truth: tauscope.compare(judge, truth=truth).soft_accuracy(),
    "compare, several": lambda judge, truth: tauscope.compare({"a": judge, "b": truth}, truth=truth),
}


@pytest.mark.parametrize("made", [graded, saturated], ids=["graded", "right and wrong"])
@pytest.mark.parametrize("name", ONE)
def test_the_order_of_rows_and_columns_decides_no_number_of_one_board(name: str, made: Callable[..., Any]) -> None:
    _, scores = made()
    assert by_name(ONE[name](*shuffled(scores))) == by_name(ONE[name](scores))


@pytest.mark.parametrize("made", [graded, saturated], ids=["graded", "right and wrong"])
@pytest.mark.parametrize("name", TWO)
def test_the_order_of_rows_and_columns_decides_no_number_of_a_comparison(name: str, made: Callable[..., Any]) -> None:
    judge, truth = made()
    assert by_name(TWO[name](*shuffled(judge, truth))) == by_name(TWO[name](judge, truth))


@pytest.mark.parametrize("made", [graded, saturated], ids=["graded", "right and wrong"])
def test_the_order_of_rows_and_columns_decides_no_tier_and_no_plan(made: Callable[..., Any]) -> None:
    _, scores = made()
    (moved,) = shuffled(scores)
    tiers = [[set(tier) for tier in tauscope.rank(one).tiers] for one in (scores, moved)]
    assert tiers[0] == tiers[1]
    plans = [tauscope.expected_correlation(one, "tau").topics_needed(0.8).to_dict() for one in (scores, moved)]
    assert plans[0] == plans[1]
