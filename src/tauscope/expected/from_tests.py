"""Ranks and tiers from which systems are better than which."""

from __future__ import annotations

from ..arrays import Bools, Ints


def ranks_from(better: Bools) -> tuple[Ints, Ints]:
    """Ranks from 1 + the systems that are better to m - those that are worse; `better[i, j]` says that i is better than
    j.
    """
    return 1 + better.sum(axis=0), len(better) - better.sum(axis=1)


def tiers_of(better: Bools, names: list[str]) -> tuple[tuple[str, ...], ...]:
    """The leader and all not significantly worse, then the same of the others; `better[i, j]` says that i is better
    than j.
    """
    left, found = list(range(len(names))), []
    while left:
        worse = better[left[0]]
        found.append(tuple(names[i] for i in left if not worse[i]))
        left = [i for i in left if worse[i]]
    return tuple(found)
