"""The relation behind ranks, "significantly better": what follows from it, whatever test it comes from.

`better[i, j]` says that system i is significantly better than system j; systems stand in the order of the ranking, the
highest score first. Ranks, tiers and possible winners that are read off one relation cannot contradict one another.
"""

from __future__ import annotations

import numpy as np

from ..arrays import Bools, Floats, Ints


def closed(better: Bools, scores: Floats) -> Bools:
    """Return the transitive closure of the statements that agree with the order of the scores.

    If i is better than j, and j better than k, then i is better than k. The closure adds only consequences, and a
    statement against the order is left out, so that all statements are still true together with the same confidence.
    With a score in every cell nothing is left out, and next to nothing is added; paired tests on different topics need it.
    """
    found = np.asarray(better) & (scores[:, None] > scores[None, :])
    for k in range(len(found)):
        above = np.flatnonzero(found[:, k])
        if above.size:
            found[above] |= found[k]
    return found


def shared_ranks(scores: Floats) -> Ints:
    """Rank scores, the highest first; equal scores share the better rank (1, 1, 1, 4).

    >>> shared_ranks(np.array([0.5, 0.9, 0.5, 0.1])).tolist()
    [2, 1, 2, 4]
    """
    return np.asarray(1 + np.searchsorted(np.sort(-scores), -scores, side="left"))


def rank_limits(better: Bools) -> tuple[Ints, Ints]:
    """Return the best and the worst rank of each system: 1 + the number of better systems, m - that of worse ones."""
    return 1 + better.sum(axis=0), len(better) - better.sum(axis=1)


def tier_numbers(better: Bools, scores: Floats) -> Ints:
    """Return the tier of each system, from 1.

    A tier goes from its first system down to the last one that is not significantly worse, and equal scores stay together.
    """
    rank = shared_ranks(scores)
    tier, start, number = np.ones(len(rank), np.int64), 0, 0
    while start < len(rank):
        number += 1
        top = np.flatnonzero(rank == rank[start])
        last = int(np.flatnonzero(~better[top].any(axis=0))[-1])
        last = int(np.flatnonzero(rank == rank[last])[-1])
        tier[start : last + 1], start = number, last + 1
    return tier
