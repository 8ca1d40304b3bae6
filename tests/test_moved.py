"""No capability is lost: every public name that went has a call that replaces it, or a reason."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tauscope

MOVED = tomllib.loads(Path(__file__).with_name("moved.toml").read_text(encoding="utf-8"))
RNG = np.random.default_rng(1)
VALUES = np.linspace(0.2, 0.8, 8) + RNG.normal(0, 0.1, (20, 8))
SYSTEMS = list("abcdefgh")


def known() -> dict[str, Any]:
    """What the calls can use."""
    scores = tauscope.Scores(VALUES, systems=SYSTEMS)
    judge, other = (tauscope.Scores(VALUES + RNG.normal(0, k, VALUES.shape), systems=SYSTEMS) for k in (0.05, 0.2))
    groups = {name: "first" if name < "e" else "last" for name in SYSTEMS}
    return {"t": tauscope, "scores": scores, "truth": scores, "judge": judge, "other": other, "groups": groups}


@pytest.mark.parametrize("name", MOVED)
def test_what_went_has_a_call_that_works_or_a_reason(name: str) -> None:
    entry = MOVED[name]
    assert entry["old"] == f"tauscope.{name}"
    assert ("new" in entry) != ("dropped" in entry)
    assert name not in tauscope.__all__
    if "new" in entry:
        assert eval(entry["new"], known()) is not None
    else:
        assert entry["dropped"]
