"""Systems in groups that are left out together."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ..arrays import Ints
from ..errors import TauscopeError
from ..jobs.seeds import Stream, stream
from ..results import count

#: Systems are left out one at a time up to this many; of more, in as many groups at random.
MOST_SYSTEMS = 100


def system_groups(systems: tuple[str, ...], groups: Mapping[str, Any] | None, seed: int) -> Ints:
    """The number of the group of each system: its own where none are given."""
    m = len(systems)
    if groups is None:
        order = stream(seed, Stream.JUDGES).permutation(m) if m > MOST_SYSTEMS else np.arange(m)
        own = np.empty(m, np.int64)
        own[order] = np.arange(m) % MOST_SYSTEMS
        return own
    without = [system for system in systems if system not in groups]
    if without:
        raise TauscopeError(
            f"{count(len(without), 'system')} {'has' if len(without) == 1 else 'have'} no group: "
            f"{', '.join(map(repr, without[:5]))}{', …' if len(without) > 5 else ''}. `groups` maps every system to its group."
        )
    numbers: dict[Any, int] = {}
    found = np.array([numbers.setdefault(groups[system], len(numbers)) for system in systems])
    if len(numbers) < 3:
        raise TauscopeError(
            f"There {'is' if len(numbers) == 1 else 'are'} {count(len(numbers), 'group')} of systems; leaving one out at a time "
            "needs at least three."
        )
    return found
