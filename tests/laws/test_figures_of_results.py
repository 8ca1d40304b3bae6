"""Every public result has a figure one would publish, or says why it has none and what to take instead."""

from __future__ import annotations

import inspect
import json
import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import tauscope as ts
from tauscope.boards.repeats import Repeats
from tauscope.coefficients.choose import choose
from tauscope.coefficients.discounted import discounted
from tauscope.coefficients.identify import identify
from tauscope.results import Result

DRAW = np.random.default_rng(5)
NAMES = tuple(f"a-rather-long-name-of-a-system-{i}" for i in range(8))
TRUTH = ts.Scores(DRAW.normal(np.linspace(0.3, 0.6, 8), 0.08, (20, 8)).round(3), systems=NAMES)
JUDGE = ts.Scores(TRUTH.values + DRAW.normal(0.03, 0.05, (20, 8)).round(3), TRUTH.topics, NAMES)


def battles() -> ts.Battles:
    first = DRAW.integers(0, 4, 300)
    second = (first + DRAW.integers(1, 4, 300)) % 4
    names = np.array(["ant", "bee", "cat", "dog"])
    winner = np.where(DRAW.random(300) < 0.5 + 0.08 * (second - first), "first", "second")
    return ts.Battles(names[first].tolist(), names[second].tolist(), winner.tolist())


#: What had no figure of its own, and the names that must be in it.
DRAWN: dict[str, Callable[[], Any]] = {
    "Battles": battles,
    "Repeats": lambda: Repeats(np.stack([TRUTH.values, JUDGE.values], axis=2), systems=NAMES),
    "DiscountedCorrelation": lambda: discounted(JUDGE, truth=TRUTH),
    "PairTable": lambda: ts.tau(ts.Scores(TRUTH.values[:2], systems=NAMES), truth=TRUTH).pairs,
    "Identification": lambda: identify(JUDGE.ranking(), truth=TRUTH.ranking(), value="0.93"),
    "Judged": lambda: ts.Runs.read({"r": {"1": {"d1": 2.0, "d2": 1.0}}, "s": {"1": {"d1": 1.0}}}).judged_at(
        {"1": {"d1": 1}}
    ),
    "MeasurePredictions": lambda: ts.measures.predict(
        ts.measures.Table(
            DRAW.random((30, 4)), measures=["AP", "P@10", "RR", "nDCG@20"], systems=[f"r{i}" for i in range(30)]
        ),
        ["AP", "RR"],
        max_predictors=2,
    ),
}
#: Their axes are numbers, and names are told on hover.
NUMBERS_ONLY = ("DiscountedCorrelation",)
WORDS: dict[str, Callable[[], Any]] = {
    "Findings": lambda: ts.check(TRUTH),
    "Choice": lambda: choose(),
}


def rows(chart: dict[str, Any]) -> list[dict[str, Any]]:
    """All data of a chart, whatever its layers."""
    parts = [chart, *chart.get("layer", ())]
    own = [part["data"] for part in parts if "data" in part]
    return [row for data in own for row in data.get("values") or chart["datasets"][data["name"]]]


@pytest.mark.parametrize("name", DRAWN)
def test_a_result_has_a_figure_with_every_name(name: str) -> None:
    found = DRAWN[name]()
    assert type(found).__name__ == name.partition(" ")[0]
    chart = json.loads(json.dumps(found.plot().to_dict()))
    assert chart["title"]
    assert chart["width"] <= 520
    assert len(rows(chart)) >= 2
    text = json.dumps(chart)
    longest = max((len(row.get("label", "")) for row in rows(chart)), default=0)
    assert longest * 6 <= max([220, *map(int, re.findall(r'"labelLimit": (\d+)', text))])  # no name is cut
    assert '"labelFontSize": 12' in text or name in NUMBERS_ONLY
    for system in getattr(found, "systems", ()) if not isinstance(getattr(found, "systems", 0), int) else ():
        assert system in text


@pytest.mark.parametrize("name", WORDS)
def test_a_result_that_is_words_says_what_to_take_instead(name: str) -> None:
    with pytest.raises(ts.errors.CallError, match=rf"^{name} has no figure: it is .+\. \S.+") as error:
        WORDS[name]().plot()
    assert error.value.ways_out


def test_every_public_result_draws_or_says_why_not() -> None:
    classes = {name: one for name in dir(ts) if inspect.isclass(one := getattr(ts, name)) and issubclass(one, Result)}
    without = {name for name, one in classes.items() if one.plot is Result.plot}
    assert without == set(WORDS)
    assert all(classes[name].NO_FIGURE and classes[name].INSTEAD != Result.INSTEAD for name in without)
