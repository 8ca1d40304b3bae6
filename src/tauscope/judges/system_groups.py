"""Systems in groups: every system has one, such as its team."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ..arrays import Ints
from ..errors import Advice, CallError, TauscopeError
from ..jobs.seeds import Stream, stream
from ..results import count
from ..scores.labels import shown

#: Systems are left out one at a time up to this many; of more, in as many groups at random.
MOST_SYSTEMS = 100
#: Leaving one group out at a time takes at least so many.
FEWEST_GROUPS = 3


def groups_of(
    systems: tuple[str, ...], groups: Mapping[str, Any], *, argument: str = "groups", what: str = "group"
) -> tuple[list[Any], Ints]:
    """The groups, in the order in which they are met, and the number of each system's; every system must have one.
    `argument` is what the caller calls them, `what` one of them."""
    way = Advice(f"`{argument}` maps every system to its {what}.", "The file has one line per system.")
    if not isinstance(groups, Mapping):
        raise CallError(f"{argument} is of type {type(groups).__name__}, not a mapping.", way)
    without = [system for system in systems if system not in groups]
    if without:
        has = "has" if len(without) == 1 else "have"
        raise TauscopeError(f"{count(len(without), 'system')} {has} no {what}: {shown(without)}.", way)
    numbers: dict[Any, int] = {}
    found = np.array([numbers.setdefault(groups[system], len(numbers)) for system in systems])
    return list(numbers), found


def left_out_together(systems: tuple[str, ...], groups: Mapping[str, Any] | None, seed: int) -> Ints:
    """The number of the group of each system, for a jackknife: its own where no groups are given."""
    m = len(systems)
    if groups is None:
        order = stream(seed, Stream.JUDGES).permutation(m) if m > MOST_SYSTEMS else np.arange(m)
        own = np.empty(m, np.int64)
        own[order] = np.arange(m) % MOST_SYSTEMS
        return own
    names, found = groups_of(systems, groups)
    if len(names) < FEWEST_GROUPS:
        raise TauscopeError(
            f"There {'is' if len(names) == 1 else 'are'} {count(len(names), 'group')} of systems; "
            "leaving one out at a time needs at least three."
        )
    return found
