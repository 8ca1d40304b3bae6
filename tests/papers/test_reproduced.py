"""Which printed numbers `reproduce()` confirms: a redesign must not change the list."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tauscope.replications.reproduce import reproduce

PINNED = json.loads((Path(__file__).resolve().parent.parent / "cases" / "reproduced.json").read_text(encoding="utf-8"))
#: Where the data of a paper lie below `data`, and with which draws its list was made.
CALLS: dict[str, tuple[str, dict[str, Any]]] = {
    "gao2015": ("", {}),
    "radja2018": ("", {"rng": 1, "draws": 1000}),
    "gupta2019": ("gupta2019", {}),
}


@pytest.mark.parametrize("paper", CALLS)
def test_the_same_printed_numbers_hold_as_before(paper: str, shared: Path) -> None:
    below, options = CALLS[paper]
    found = reproduce(paper, shared / "data" / below, **options)
    pinned = PINNED[paper]
    assert sorted(f"{row.where}: {row.what}" for row in found.failing) == pinned["failing"]
    assert (len(found.rows) - len(found.failing), len(found.rows)) == (pinned["holding"], pinned["printed"])
