"""Which systems can be compared at all: those that battles join, in both directions."""

from __future__ import annotations

import numpy as np

from ..arrays import Ints, sums_by, tally
from ..scores.battles import Cells


def joined(cells: Cells, systems: int, *, ties: bool) -> Ints:
    """The component of each system in the graph of who met whom (`ties`: a tie joins too), numbered from the
    largest."""
    won = cells.counts[:, 0] + cells.counts[:, 1] + (cells.counts[:, 2] if ties else 0.0)
    return _numbered(cells.first[won > 0], cells.second[won > 0], systems, "weak")


def mutual(cells: Cells, systems: int, *, ties: bool) -> Ints:
    """The strong component of each system: inside one, everybody beat everybody, directly or through others
    (ford1957)."""
    tied = cells.counts[:, 2] > 0 if ties else np.zeros(len(cells.first), bool)
    beat = (cells.counts[:, 0] > 0) | tied
    beaten = (cells.counts[:, 1] > 0) | tied
    winners = np.concatenate((cells.first[beat], cells.second[beaten]))
    losers = np.concatenate((cells.second[beat], cells.first[beaten]))
    return _numbered(winners, losers, systems, "strong")


def _numbered(start: Ints, end: Ints, systems: int, connection: str) -> Ints:
    from scipy.sparse import coo_matrix
    from scipy.sparse.csgraph import connected_components

    graph = coo_matrix((np.ones(len(start)), (start, end)), shape=(systems, systems))
    _, labels = connected_components(graph, directed=True, connection=connection)
    size = tally(labels)
    place = np.empty(len(size), np.int64)
    place[np.argsort(-size, kind="stable")] = np.arange(len(size))
    return np.asarray(place[labels])


def never(cells: Cells, systems: int, *, ties: bool) -> tuple[Ints, Ints]:
    """Systems that lost no battle, and those that won none; with `ties`, tied none either."""
    m = systems
    won = sums_by(cells.first, cells.counts[:, 0], m) + sums_by(cells.second, cells.counts[:, 1], m)
    lost = sums_by(cells.first, cells.counts[:, 1], m) + sums_by(cells.second, cells.counts[:, 0], m)
    tied = sums_by(cells.first, cells.counts[:, 2], m) + sums_by(cells.second, cells.counts[:, 2], m)
    also = tied if ties else np.zeros(m)
    return np.flatnonzero(lost + also == 0), np.flatnonzero(won + also == 0)


def more_wins_than_ties(cells: Cells, systems: int) -> bool:
    """Whether some cycle of "beat or tied" has more wins than ties.

    Without one, strengths far apart and ties as likely as wins fit ever better: Davidson's likelihood has no largest
    value. (A direction d of the strengths and e > 0 of the ties never lowers it where d_i - d_j >= 2e for every win of
    i over j and |d_i - d_j| <= 2e for every tie. Such a d exists where no cycle has a positive sum of +1 per win and -1
    per tie.)
    """
    m = systems
    won, lost, tied = (cells.counts[:, k] > 0 for k in range(3))
    if (won & lost).any():
        return True
    start = np.concatenate((cells.first[won], cells.second[lost], cells.first[tied], cells.second[tied]))
    end = np.concatenate((cells.second[won], cells.first[lost], cells.second[tied], cells.first[tied]))
    wins = int(won.sum() + lost.sum())
    length = np.where(np.arange(len(start)) < wins, 1, -1)
    longest = np.zeros(m, np.int64)
    for _ in range(m + 1):
        new = longest.copy()
        np.maximum.at(new, start, longest[end] + length)
        if (new == longest).all():
            return False
        longest = new
    return True
