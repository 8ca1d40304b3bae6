"""Public names that are gone: each has a call that does the same, or a reason why nothing does."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tauscope

MOVED: dict[str, dict[str, str]] = tomllib.loads((Path(__file__).parent / "moved.toml").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def prepared() -> dict[str, Any]:
    """What the new calls may use."""
    rng = np.random.default_rng(1)
    values = np.linspace(0.3, 0.7, 5) + rng.normal(0, 0.1, (24, 5))
    gaps = values.copy()
    gaps[rng.random(values.shape) < 0.1] = np.nan
    names = list("abcde")
    i = rng.integers(5, size=300)
    j = (i + rng.integers(1, 5, size=300)) % 5
    battles = tauscope.Battles(
        [names[k] for k in i], [names[k] for k in j], rng.choice(["first", "second", "tie"], size=300)
    )
    return {
        "t": tauscope,
        "np": np,
        "scores": tauscope.Scores(values, systems=names),
        "truth": tauscope.Scores(values + rng.normal(0, 0.05, values.shape), systems=names),
        "judge": tauscope.Scores(values + rng.normal(0, 0.05, values.shape), systems=names),
        "other": tauscope.Scores(values + rng.normal(0, 0.2, values.shape), systems=names),
        "groups": {name: "first" if name < "c" else "last" for name in names},
        "holes": tauscope.Scores(gaps, systems=names, missing="keep"),
        "battles": battles,
        "published": tauscope.Published({"x": 3.0, "y": 2.0, "z": 1.0}, errors=[0.2, 0.2, 0.2], votes=100),
        "demo": tauscope.demo(),
    }


#: The public names of 0.2.
BEFORE = (Path(__file__).parent / "cases" / "names-0.2.txt").read_text(encoding="utf-8").split()


def test_every_name_of_0_2_is_there_or_has_a_line() -> None:
    listed = {moved["old"].removeprefix("tauscope.") for moved in MOVED.values()}
    assert len(BEFORE) == 204
    assert set(BEFORE) - set(tauscope.__all__) <= listed


@pytest.mark.parametrize("name", MOVED)
def test_a_name_that_is_gone_has_a_call_that_works_or_a_reason(name: str, prepared: dict[str, Any]) -> None:
    moved = MOVED[name]
    owner, _, attribute = moved["old"].removeprefix("tauscope.").rpartition(".")
    home = getattr(tauscope, owner, None) if owner else tauscope
    public = tauscope.__all__ if home is tauscope else dir(home)
    assert attribute not in public, f"{moved['old']} is still there"
    assert ("new" in moved) != ("dropped" in moved), name
    if "new" in moved:
        exec(moved["new"], dict(prepared))
    else:
        assert moved["dropped"].strip()
