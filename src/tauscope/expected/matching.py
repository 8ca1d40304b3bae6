"""Score matrices of the same systems, matched by their names, and systems in groups that are left out together."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ..errors import CallError, TauscopeError
from ..ranking import align
from ..reference import Ints
from ..results import count
from ..scores import Scores
from .seeds import Stream, stream

#: Systems are left out one at a time up to this many; of more, in as many groups at random.
MOST_SYSTEMS = 100


def aligned_scores(named: Mapping[str, Scores], what: str, missing: str) -> tuple[list[Scores], tuple[str, ...]]:
    """The matrices with the same systems in the same order, those of the last one, and what was dropped."""
    for name, scores in named.items():
        if not isinstance(scores, Scores):
            raise CallError(
                f"{what} takes Scores, topics x systems; `{name}` is of type {type(scores).__name__}. Make them with "
                "Scores(values) or read_scores(file)."
            )
        scores.require_complete(f"{what}, `{name}`")
    *others, (truth_name, gold) = named.items()
    shared = set(gold.systems)
    for name, scores in others:
        align(scores.ranking(), gold.ranking(), names=(f"`{name}`", f"`{truth_name}`"), missing=missing)
        shared &= set(scores.systems)
    if not shared:
        raise TauscopeError(f"{what}: no system is in all of the matrices. Are the names spelled alike?")
    kept = [system for system in gold.systems if system in shared]
    notes = tuple(
        f"{count(len(scores.systems) - len(kept), 'system')} only in `{name}` dropped"
        for name, scores in named.items()
        if len(scores.systems) > len(kept)
    )
    return [s if s.systems == tuple(kept) else s.select(systems=kept) for s in named.values()], notes


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
