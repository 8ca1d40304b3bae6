"""Rankings of measures by determinants of their covariance, which are large if measures vary much and differ.

The greedy methods are those of gupta2019 (section 6), and branch and bound finds the best set of every size. A
covariance is stored as correlations and log variances: log det S(Omega) = log det C(Omega) + sum of log variances, so
that measures on very different scales (P@1000 beside RR) do not spoil each other's digits. If S is singular, every
formula is the limit of S + e diag(S) for e -> 0: of two sets with determinant 0 the one with the larger leading
coefficient is better.

In the search, a node of the tree has decided about the first measures: it holds the log determinant of those taken
and the Schur complement of the undecided ones given them. Taking the next measure multiplies the determinant by its
variance there. At most the r largest variances can still be multiplied with r more measures (Hadamard and Fischer),
which bounds the node for every size at once. Whole levels of nodes are expanded together, depth first in pieces, so
that memory stays small.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..core.arrays import Floats, Ints, exponents
from ..core.checking import Progress
from ..errors import Advice, CallError, Option, TauscopeError

#: The order of the measures, best first, and the criterion of the method at each step.
Order = tuple[list[int], Floats]

#: A measure whose variance given others is below this share of its variance says nothing that they do not.
SINGULAR = 1e-12
#: Logarithms of determinants closer than this are equal: the later measure is removed first, as the input has them.
EQUAL = 1e-9
#: An inverse is updated after a removal, and computed anew every so many removals, or each time while it is small.
REFRESH, SMALL = 32, 64
#: Number of cells of the Schur complements that are expanded at once.
PIECE = 1 << 21
#: Number of nodes before the search gives up: a minute or so.
MOST_NODES = 20_000_000
#: Bits of a node's mask.
MOST_MEASURES = 62
#: Number of parts of the tree in which progress is counted.
PARTS = 1000


@dataclass(frozen=True, eq=False)
class Spread:
    """A covariance: `correlation`, and the log of each variance (zeros where correlations are asked for)."""

    correlation: Floats
    log_variance: Floats
    rank: int

    def __len__(self) -> int:
        return len(self.correlation)

    def log_determinant(self, subset: list[int]) -> float:
        """Return the log determinant of the covariance of some measures; -inf where it is singular."""
        if not subset:
            return 0.0
        eigenvalues = np.linalg.eigvalsh(self.correlation[np.ix_(subset, subset)])
        if eigenvalues[0] < SINGULAR:
            return -np.inf
        return float(np.log(eigenvalues).sum() + self.log_variance[subset].sum())

    def prefixes(self, order: list[int]) -> Floats:
        """Return the log determinants of the first 1, 2, 3, … measures of an order, by one elimination.

        Parameters
        ----------
        order : list of int
            Places of the measures.

        Returns
        -------
        ndarray
            -inf from the size on at which the covariance is singular.
        """
        left = self.correlation[np.ix_(order, order)].copy()
        pivots = np.zeros(len(order))
        for k in range(len(order)):
            pivots[k] = left[k, k]
            if pivots[k] < SINGULAR:
                break
            row = left[k, k + 1 :]
            left[k + 1 :, k + 1 :] -= np.outer(row, row / pivots[k])
        with np.errstate(divide="ignore"):
            return np.asarray(np.cumsum(np.log(np.where(pivots < SINGULAR, 0.0, pivots)) + self.log_variance[order]))


def spread_of(rows: Floats, groups: int, scale: str, powers: Any = 0) -> Spread:
    """Return the covariance of observations x measures.

    Parameters
    ----------
    rows : array
        Observations x measures, already centred in each collection and divided by 2^powers.
    groups : int
        Number of collections, each of which cost one degree of freedom.
    scale : {"covariance", "correlation"}
        Whether the variances of the measures matter.
    powers : array of int
        Powers of two by which the columns were divided so that no sum overflows.

    Returns
    -------
    Spread
    """
    freedom = len(rows) - groups
    if freedom < 1:
        raise TauscopeError(f"A covariance needs at least two rows per collection; there are {len(rows):,}.")
    shifts = exponents(rows.T)
    rows = np.ldexp(rows, -shifts)
    size = np.sqrt(np.einsum("ij,ij->j", rows, rows))
    unit = rows / size
    log_variance = 2 * (np.log(size) + (shifts + powers) * np.log(2.0)) - np.log(freedom)
    return _spread(unit.T @ unit, log_variance, scale, freedom)


def spread_of_matrix(matrix: Floats, scale: str) -> Spread:
    """Return the covariance that a user gave, which has no zeros on its diagonal."""
    deviations = np.sqrt(np.diag(matrix))
    return _spread(matrix / np.outer(deviations, deviations), 2 * np.log(deviations), scale, len(matrix))


def spread_of_pairs(rows: Floats, scale: str) -> tuple[Spread, float]:
    """Return the covariance of observations with holes, from the rows that every two measures share.

    Such correlations need not fit together. Where they have a negative eigenvalue, eigenvalues below 0 become 0, which
    gives the nearest matrix that has none, and the diagonal is made 1 again.

    Parameters
    ----------
    rows : array
        Centred observations x measures; NaN where a cell is missing.
    scale : {"covariance", "correlation"}
        Whether the variances of the measures matter.

    Returns
    -------
    pair of Spread and float
        The covariance, and the lowest eigenvalue before the correction, 0 if none was negative.
    """
    known = ~np.isnan(rows)
    o, x = known.astype(np.float64), np.where(known, rows, 0.0)
    sizes = o.T @ o
    sums, squares = x.T @ o, (x * x).T @ o  # of column i over the rows that j has too
    covariance = x.T @ x / sizes - sums * sums.T / sizes**2
    variances = squares / sizes - (sums / sizes) ** 2
    with np.errstate(invalid="ignore", divide="ignore"):
        correlation = np.nan_to_num(covariance / np.sqrt(variances * variances.T))
    correlation = np.clip((correlation + correlation.T) / 2, -1.0, 1.0)
    np.fill_diagonal(correlation, 1.0)
    eigenvalues, vectors = np.linalg.eigh(correlation)
    if eigenvalues[0] < 0:
        correlation = (vectors * np.maximum(eigenvalues, 0.0)) @ vectors.T
        root = np.sqrt(np.diag(correlation))
        correlation = correlation / np.outer(root, root)
    n = np.diag(sizes)
    log_variance = np.log(np.diag(variances) * n / (n - 1))
    return _spread(correlation, log_variance, scale, int(sizes.min()) - 1), min(0.0, float(eigenvalues[0]))


def check_covariance(matrix: Floats) -> None:
    """Raise an error if a matrix is not a covariance.

    Parameters
    ----------
    matrix : array
        What was given.

    Raises
    ------
    CallError
        If it is not square.
    TauscopeError
        If it is not symmetric, has a cell that is not finite, or a negative variance.
    """
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1]:
        raise CallError(
            f"A covariance is a square matrix; this array is {' x '.join(map(str, matrix.shape))}.",
            Advice("Scores of systems by measures are a measures.Table(values, systems, measures).", shell=""),
        )
    if not np.isfinite(matrix).all():
        raise TauscopeError("The covariance matrix has a cell that is not a finite number.")
    off = np.abs(matrix - matrix.T).max()
    if off > 1e-9 * np.abs(matrix).max():
        i, j = np.unravel_index(int(np.argmax(np.abs(matrix - matrix.T))), matrix.shape)
        raise TauscopeError(
            f"The covariance matrix is not symmetric: row {i + 1}, column {j + 1} is {matrix[i, j]:g}, "
            f"and row {j + 1}, column {i + 1} is {matrix[j, i]:g}."
        )
    if (np.diag(matrix) < 0).any():
        place = int(np.argmin(np.diag(matrix)))
        raise TauscopeError(
            f"Place {place + 1} of the covariance matrix has a negative variance: {matrix[place, place]:g}."
        )


def _spread(correlation: Floats, log_variance: Floats, scale: str, freedom: int) -> Spread:
    correlation = (correlation + correlation.T) / 2
    np.fill_diagonal(correlation, 1.0)
    eigenvalues = np.linalg.eigvalsh(correlation)
    # Two printed decimals of a covariance can make it slightly indefinite; more than that is another thing.
    if eigenvalues[0] < -1e-9 * len(correlation):
        raise TauscopeError(
            f"The matrix is not a covariance: its correlations have the negative eigenvalue {eigenvalues[0]:.3g}.",
            Advice("Correlations over different rows for each pair are a common reason."),
        )
    rank = min(int((eigenvalues >= SINGULAR).sum()), freedom)
    logs = np.zeros_like(log_variance) if scale == "correlation" else log_variance
    return Spread(correlation, logs, rank)


def backward(spread: Spread, progress: Progress | None = None) -> Order:
    r"""Rank measures by iterative-backward elimination (gupta2019, Algorithm 1).

    In each step the measure with the largest diagonal entry of the inverse leaves, by row and column. Because

    .. math:: (\Sigma^{-1})_{ii} = \det \Sigma_{-i} / \det \Sigma,

    what is left has the largest determinant. (The printed Schur update after a removal is a mistake.)

    Parameters
    ----------
    spread : Spread
        The covariance.
    progress : callable or None
        Called with (measures removed, measures).

    Returns
    -------
    Order
        The measures, best first, and the log determinants of the first 1, 2, 3, … of them.
    """
    left = np.arange(len(spread))
    removed: list[int] = []
    table, nullity, before, age = np.zeros((0, 0)), 0, 0, 0
    while len(left) > 1:
        if progress:
            progress(len(removed) + 1, len(spread))
        if not removed or len(left) <= SMALL or age == REFRESH or nullity == 0 < before:
            table, nullity = _inverse(spread.correlation[np.ix_(left, left)])
            age = 0
        diagonal = np.diag(table)
        # What is not in the null space can only lose: removing it keeps the determinant at 0.
        positive = diagonal > (EQUAL if nullity else 0.0)
        gains = np.where(positive, np.log(np.where(positive, diagonal, 1.0)), -np.inf) - spread.log_variance[left]
        place = _last_largest(gains)
        rest = np.delete(np.arange(len(left)), place)
        # Deleting a row and a column of C is this update of its inverse, and of the projector on its null space.
        table = table[np.ix_(rest, rest)] - np.outer(table[rest, place], table[place, rest] / table[place, place])
        removed.append(int(left[place]))
        left, before, nullity, age = left[rest], nullity, max(0, nullity - 1), age + 1
    order = [*left.tolist(), *removed[::-1]]
    return order, spread.prefixes(order)


def _inverse(matrix: Floats) -> tuple[Floats, int]:
    """Return the inverse and 0; of a singular matrix the projector on its null space, and the dimension of that."""
    eigenvalues, vectors = np.linalg.eigh(matrix)
    null = eigenvalues < SINGULAR
    if null.any():
        return vectors[:, null] @ vectors[:, null].T, int(null.sum())
    return (vectors / eigenvalues) @ vectors.T, 0


def _last_largest(values: Floats) -> int:
    """Return the place of the last of the largest values, up to rounding."""
    return int(np.flatnonzero(values >= values.max() - EQUAL)[-1])


def sheffield(spread: Spread, progress: Progress | None = None) -> Order:
    """Rank measures by the rejection method of sheffield1985, which computes every sub-determinant explicitly.

    It takes O(L S^4) steps and gives the order of `backward()`, whose slow twin it is, with the same arguments.
    """
    left = list(range(len(spread)))
    removed: list[int] = []
    while len(left) > 1:
        if progress:
            progress(len(removed) + 1, len(spread))
        scores = []
        for place in range(len(left)):
            rest = left[:place] + left[place + 1 :]
            eigenvalues = np.linalg.eigvalsh(spread.correlation[np.ix_(rest, rest)])
            positive = eigenvalues[eigenvalues >= SINGULAR]
            log_size = float(np.log(positive).sum() + spread.log_variance[rest].sum())
            scores.append((len(positive), log_size))  # det(C + eI) = e^(rest - rank) * product of the positive ones
        most = max(rank for rank, _ in scores)
        removed.append(left.pop(_last_largest(np.array([s if rank == most else -np.inf for rank, s in scores]))))
    order = left + removed[::-1]
    return order, spread.prefixes(order)


def forward(spread: Spread, progress: Progress | None = None) -> Order:
    r"""Rank measures by greedy-forward selection, as printed (gupta2019, Algorithm 2).

    In each step the measure with the largest :math:`\sum_j s_{ij}^2 / s_{ii}` is chosen, and what it explains is
    subtracted from the covariance. This maximises the decrease of the trace, the variance that the chosen measures
    explain, and not the determinant. The criterion is the log of the decrease, -inf once everything is explained. The
    arguments are those of `backward()`.
    """
    deviations = np.exp((spread.log_variance - spread.log_variance.max()) / 2)
    covariance = spread.correlation * np.outer(deviations, deviations)

    def gains(left: Floats, among: Ints, live: Ints) -> Floats:
        return np.asarray(np.log((left[np.ix_(among, live)] ** 2).sum(axis=1) / np.diag(left)[among]))

    order, criterion = _chosen(covariance, gains, progress)
    return order, criterion + float(spread.log_variance.max())


def determinant_gain(spread: Spread, progress: Progress | None = None) -> Order:
    """Rank measures by the gain of the determinant: the largest variance given those chosen (pivoted Cholesky).

    The arguments are those of `backward()`.
    """
    # What counts as equal must not depend on the unit of the scores.
    sizes = spread.log_variance - spread.log_variance.max()

    def gains(left: Floats, among: Ints, live: Ints) -> Floats:
        return np.asarray(np.log(np.diag(left)[among]) + sizes[among])

    order, _ = _chosen(spread.correlation, gains, progress)
    return order, spread.prefixes(order)


def _chosen(left: Floats, gains: Callable[[Floats, Ints, Ints], Floats], progress: Progress | None) -> Order:
    """Add the measure with the largest gain, subtract what it explains, and go on.

    Parameters
    ----------
    left : array
        The covariance; what is explained is subtracted from it.
    gains : callable
        Makes the gain of each measure from (what is left, the measures to choose from, those not yet chosen).
    progress : callable or None
        Called with (measures chosen, measures).

    Returns
    -------
    Order
        Measures that others explain completely come last.
    """
    variances, live = np.diag(left).copy(), np.arange(len(left))
    order: list[int] = []
    criterion = np.full(len(left), -np.inf)
    while len(live):
        if progress:
            progress(len(order) + 1, len(left))
        among = live[np.diag(left)[live] > SINGULAR * variances[live]]
        if not len(among):
            break
        values = gains(left, among, live)
        largest = values.max()
        best = int(among[np.flatnonzero(values >= largest - EQUAL * max(1.0, abs(largest)))[0]])
        criterion[len(order)] = largest
        order.append(best)
        live = live[live != best]
        left = left - np.outer(left[:, best], left[best]) / left[best, best]
    return order + live.tolist(), criterion


_GREEDY = Option("method", "backward", effect="to rank without that guarantee")


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
    """Find the subsets with the largest determinants by branch and bound.

    A node of the tree has decided about the first measures. At most the largest variances of the undecided ones can
    still be multiplied to its determinant (Hadamard and Fischer), which bounds it for every size at once. It starts
    from what the greedy methods find.

    Parameters
    ----------
    spread : Spread
        The covariance.
    sizes : range
        The sizes of the subsets.
    progress : callable or None
        Called with (parts of the tree done, parts).

    Returns
    -------
    Best

    Raises
    ------
    TauscopeError
        If there are too many measures, or too many nodes.
    """
    p = len(spread)
    if p > MOST_MEASURES:
        raise TauscopeError(f"method='exact' takes at most {MOST_MEASURES} measures, not {p:,}.", _GREEDY)
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
                    _GREEDY,
                    Advice("Or ask for one size by `keep`, or for fewer measures."),
                )
            done += before - len(part.value) * 0.5**part.level
            stack += _pieces(part)
        if progress:
            progress(int(done * PARTS), PARTS)
    subsets = [tuple(sorted(branching[i] for i in range(p) if mask >> i & 1)) for mask in masks.tolist()]
    return Best(tuple(subsets[size] if size <= spread.rank else () for size in sizes), nodes)


def _expanded(nodes: _Nodes, scales: Floats) -> _Nodes:
    """Return each node twice: without the next measure, and with it."""
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
    """Keep the nodes whose bound exceeds a known subset of some size."""
    level, left, value, size, _ = nodes
    undecided = left.shape[1]
    diagonal = np.maximum(np.einsum("bii->bi", left), 1e-300)
    most = -np.sort(-(np.log(diagonal) + scales[level:]), axis=1)
    bound = np.concatenate([value[:, None], value[:, None] + np.cumsum(most, axis=1)], axis=1)
    reach = size[:, None] + np.arange(undecided + 1)
    open_ = np.asarray((bound > known[reach] + EQUAL).any(axis=1))
    return nodes.some(open_)


def _pieces(nodes: _Nodes) -> list[_Nodes]:
    """Split nodes into pieces that fit into memory; those that took more measures come last, to be looked at first."""
    count = len(nodes.value)
    if not count:
        return []
    step = max(1, PIECE // max(1, nodes.left.shape[1] ** 2))
    return [nodes.some(slice(at, at + step)) for at in range(0, count, step)]


def _record(nodes: _Nodes, known: Floats, masks: Ints) -> None:
    """Record complete nodes that beat the best known subset of their size."""
    for size in np.unique(nodes.size):
        same = np.flatnonzero(nodes.size == size)
        best = same[np.argmax(nodes.value[same])]
        if nodes.value[best] > known[size] + EQUAL:
            known[size], masks[size] = nodes.value[best], nodes.mask[best]


def _incumbents(spread: Spread, branching: list[int], sizes: range) -> tuple[Floats, Ints]:
    """Return what the greedy methods find for each size: log determinants to beat, and masks of the measures."""
    p = len(spread)
    place = {measure: i for i, measure in enumerate(branching)}
    known, masks = np.full(p + 1, -np.inf), np.zeros(p + 1, np.int64)
    for method in (backward, determinant_gain, forward):
        order, _ = method(spread)
        for size, value in enumerate(spread.prefixes(order), 1):
            if size in sizes and value > known[size] + EQUAL:
                known[size], masks[size] = value, sum(1 << place[measure] for measure in order[:size])
    return known, masks
