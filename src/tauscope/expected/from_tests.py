"""Ranks and tiers from which systems are better than which."""

from __future__ import annotations

from collections.abc import Sequence

from ..arrays import Bools, Ints
from ..results import number, said


def ranks_from(better: Bools) -> tuple[Ints, Ints]:
    """Ranks from 1 + the systems that are better to m - those that are worse; `better[i, j]` says that i is better than
    j.
    """
    return 1 + better.sum(axis=0), len(better) - better.sum(axis=1)


def tiers_of(better: Bools, names: Sequence[str], *, contiguous: bool = False) -> tuple[tuple[str, ...], ...]:
    """The leader and all not significantly worse, then the same of the others; `better[i, j]` says that i is better
    than j. Contiguous: the leader and all down to the last that is not significantly worse.
    """
    left, found = list(range(len(names))), []
    while left:
        worse = better[left[0]]
        kept = [i for i in left if not worse[i]]
        own = left[: 1 + left.index(kept[-1])] if contiguous else kept
        found.append(tuple(names[i] for i in own))
        left = left[len(own) :] if contiguous else [i for i in left if worse[i]]
    return tuple(found)


def statement_of(reversed: float) -> str:
    """What may be said of tiers, given the share of pairs in different tiers that is really in the other order."""
    wrong = "none" if reversed < 0.0005 else f"{number(100 * reversed, 1)} %"
    return said(
        "the first of each tier is better than all systems of the tiers below; of all pairs of systems in different "
        f"tiers, about {wrong} are really in the other order"
    )
