"""The best subset of every size, found by branch and bound.

A node of the tree has decided about the first measures: it holds the log determinant of those taken and the Schur
complement of the undecided ones given them. Taking the next measure multiplies the determinant by its variance there.
At most the r largest variances can still be multiplied with r more measures (Hadamard and Fischer), which bounds what a
node can become for every size at once. Whole levels of nodes are expanded together, depth first in pieces, so that
memory stays small.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..core.arrays import Floats, Ints
from ..core.draws import Progress
from ..errors import Advice, Option, TauscopeError
from .determinants import EQUAL, SINGULAR, Spread, backward, determinant_gain, forward

#: Cells of the Schur complements that are expanded at once.
PIECE = 1 << 21
#: Nodes before the search gives up: a minute or so.
MOST_NODES = 20_000_000
#: Bits of a node's mask.
MOST_MEASURES = 62
#: Parts of the tree that progress is told in.
PARTS = 1000
GREEDY = Option("method", "backward", effect="to rank without that guarantee")


class Best(NamedTuple):
    """The best subset of each size (places, ascending; empty where every determinant is 0), and nodes looked at."""

    subsets: tuple[tuple[int, ...], ...]
    nodes: int


class _Nodes(NamedTuple):
    """Nodes that have decided about the first `level` measures."""

    level: int
    left: Floats
    value: Floats
    size: Ints
    mask: Ints

    def some(self, which: slice | NDArray[np.bool_]) -> _Nodes:
        """These nodes only."""
        return _Nodes(self.level, self.left[which], self.value[which], self.size[which], self.mask[which])


def best_subsets(spread: Spread, sizes: range, progress: Progress | None = None) -> Best:
    """The subsets of these sizes with the largest determinants."""
    p = len(spread)
    if p > MOST_MEASURES:
        raise TauscopeError(f"method='exact' takes at most {MOST_MEASURES} measures, not {p:,}.", GREEDY)
    branching, _ = determinant_gain(spread)  # large variances first: bounds close early
    matrix = spread.correlation[np.ix_(branching, branching)]
    scales = spread.log_variance[branching]
    known, masks = _incumbents(spread, branching, sizes)
    wanted = np.zeros(p + 1, bool)
    wanted[[size for size in sizes if size <= spread.rank]] = True
    known[~wanted] = np.inf  # no node can improve a size that nobody asked for
    stack = [_Nodes(0, matrix[None], np.zeros(1), np.zeros(1, np.int64), np.zeros(1, np.int64))]
    nodes, done = 0, 0.0
    while stack:
        part = stack.pop()
        before = len(part.value) * 0.5**part.level
        if part.level == p:
            _record(part, known, masks)
            done += before
        else:
            part = _pruned(_expanded(part, scales), scales, known)
            nodes += len(part.value)
            if nodes > MOST_NODES:
                raise TauscopeError(
                    f"method='exact' looked at {MOST_NODES:,} partial subsets of {p} measures and was not done.",
                    GREEDY,
                    Advice("Or ask for one size by `keep`, or for fewer measures."),
                )
            done += before - len(part.value) * 0.5**part.level
            stack += _pieces(part)
        if progress:
            progress(int(done * PARTS), PARTS)
    found = [tuple(sorted(branching[i] for i in range(p) if mask >> i & 1)) for mask in masks.tolist()]
    return Best(tuple(found[size] if size <= spread.rank else () for size in sizes), nodes)


def _expanded(nodes: _Nodes, scales: Floats) -> _Nodes:
    """Each node twice: without the next measure, and with it."""
    level, left, value, size, mask = nodes
    variance, row, rest = left[:, 0, 0], left[:, 0, 1:], left[:, 1:, 1:]
    can = variance > SINGULAR
    taken = rest[can] - row[can][:, :, None] * (row[can] / variance[can, None])[:, None, :]
    more = value[can] + np.log(variance[can]) + scales[level]
    return _Nodes(
        level + 1,
        np.concatenate([rest, taken]),
        np.concatenate([value, more]),
        np.concatenate([size, size[can] + 1]),
        np.concatenate([mask, mask[can] | np.int64(1 << level)]),
    )


def _pruned(nodes: _Nodes, scales: Floats, known: Floats) -> _Nodes:
    """Only the nodes that could still beat a known subset of some size."""
    level, left, value, size, _ = nodes
    undecided = left.shape[1]
    diagonal = np.maximum(np.einsum("bii->bi", left), 1e-300)
    most = -np.sort(-(np.log(diagonal) + scales[level:]), axis=1)
    bound = np.concatenate([value[:, None], value[:, None] + np.cumsum(most, axis=1)], axis=1)
    reach = size[:, None] + np.arange(undecided + 1)
    open_ = np.asarray((bound > known[reach] + EQUAL).any(axis=1))
    return nodes.some(open_)


def _pieces(nodes: _Nodes) -> list[_Nodes]:
    """The nodes in pieces that fit into memory, those that took more measures last, to be looked at first."""
    count = len(nodes.value)
    if not count:
        return []
    step = max(1, PIECE // max(1, nodes.left.shape[1] ** 2))
    return [nodes.some(slice(at, at + step)) for at in range(0, count, step)]


def _record(nodes: _Nodes, known: Floats, masks: Ints) -> None:
    for size in np.unique(nodes.size):
        mine = np.flatnonzero(nodes.size == size)
        best = mine[np.argmax(nodes.value[mine])]
        if nodes.value[best] > known[size] + EQUAL:
            known[size], masks[size] = nodes.value[best], nodes.mask[best]


def _incumbents(spread: Spread, branching: list[int], sizes: range) -> tuple[Floats, Ints]:
    """What the greedy methods find, for each size: the values to beat, and their masks in the order of branching."""
    p = len(spread)
    place = {measure: i for i, measure in enumerate(branching)}
    known, masks = np.full(p + 1, -np.inf), np.zeros(p + 1, np.int64)
    for method in (backward, determinant_gain, forward):
        order, _ = method(spread)
        for size, value in enumerate(spread.prefixes(order), 1):
            if size in sizes and value > known[size] + EQUAL:
                known[size], masks[size] = value, sum(1 << place[measure] for measure in order[:size])
    return known, masks
