"""The expected score of each system, by integration over the margins and the copula; nothing is sampled."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..core.arrays import Floats, repeated
from .dependence import FOLLOWS, Copula
from .margins import FLAT, Margins, Scale, knots

#: Intervals, an even number, on which the distribution of a sum of two effects is held.
_GRID = 512
#: The normal scores of residuals are held on a grid so many times finer.
_FINER = 4
#: Cells of the topic effects with two nodes each, and with one each where topics are not a random sample.
_PAIRS, _SINGLES = 40, 240
#: A sum that moves less than this is a constant: a system that has one score on all topics.
_STILL = 1e-6
#: A normal score beyond all others.
_FAR = 40.0

#: The probability below each quantile level of the topic effects, where topics are not a random sample.
Below = Callable[[Floats], Floats]


@dataclass(frozen=True, eq=False)
class Nodes:
    """Topic effects with their normal scores and weights, to sum over instead of integrating."""

    values: Floats
    scores: Floats
    weights: Floats


@dataclass(frozen=True, eq=False)
class Sums:
    """The distribution of nu_t + e_s for each system: masses between `start + step * (0, 1, 2, …)`.

    `still` marks systems whose sum is the constant `start`.
    """

    start: Floats
    step: Floats
    masses: Floats
    still: NDArray[np.bool_]

    def expected(self, centre: Floats, scale: Scale) -> Floats:
        """The expected score of each system when this is added to its `centre`.

        Mass is even within an interval; what that costs falls with the square of the width, and intervals twice as
        wide show how much it is (Richardson).
        """
        edges = (self.start + centre)[:, None] + self.step[:, None] * np.arange(_GRID + 1)
        areas = scale.integral(edges)
        wide = self.masses[:, ::2] + self.masses[:, 1::2]
        narrow_mean = (np.diff(areas, axis=1) * self.masses).sum(axis=1)
        wide_mean = (np.diff(areas[:, ::2], axis=1) * wide).sum(axis=1) / 2
        result = (4 * narrow_mean - wide_mean) / (3 * np.where(self.still, 1.0, self.step))
        return np.asarray(np.where(self.still, scale.back(self.start + centre), np.clip(result, 0.0, 1.0)))

    def bracket(self, scale: Scale) -> tuple[Floats, Floats]:
        """Centres at which the expected scores are 0 and 1."""
        low, high = scale.ends
        return low - self.start - self.step * _GRID, high - self.start


def sums(residuals: Margins, topics: Floats, copula: Copula, below: Below | None = None) -> Sums:
    """The distribution of nu_t + e_s under the copula, for every system: an average over the topic effects of what the
    residuals do given them. The error of an expected score is below 1e-6; where rounding makes steps, or margins have
    gaps, below 5e-5."""
    m = len(residuals.tables)
    nodes = topic_nodes(topics, below)
    start, step, masses = np.zeros(m), np.zeros(m), np.zeros((m, _GRID))
    for s, (table, rho, own) in enumerate(zip(residuals.tables, copula.rho, copula.own, strict=True)):
        follows = own <= FOLLOWS or table[-1] - table[0] <= FLAT
        if follows:
            both = topics + (table if rho >= 0 else table[::-1])
            ends = float(both.min()), float(both.max())
        else:
            ends = float(nodes.values[0] + table[0]), float(nodes.values[-1] + table[-1])
        start[s], step[s] = ends[0], (ends[1] - ends[0]) / _GRID
        if ends[1] - ends[0] >= _STILL:
            masses[s] = np.diff(_followed(both, ends, below) if follows else _joint(nodes, table, rho, own, ends))
    return Sums(start, step, masses, step * _GRID < _STILL)


def topic_nodes(table: Floats, below: Below | None = None) -> Nodes:
    """Nodes for the topic effects, close where the probability is, both in the effect and in the normal score.

    Cells are cut in the normal score w. A random sample has two nodes a cell, at its mean ± its standard deviation,
    which is right for cubics; otherwise cells are small, with the probability that `below` gives them.
    """
    from scipy.special import ndtr

    w = knots()
    steps = np.diff(table)
    heavy = np.exp(-(((w[1:] + w[:-1]) / 2) ** 2) / 6)  # phi^(1/3): cells of equal error
    measure = heavy / heavy.sum()
    if table[-1] - table[0] > FLAT:
        measure = (measure + heavy * steps / (heavy * steps).sum()) / 2
    along = np.concatenate(([0.0], np.cumsum(measure)))
    pieces = _PAIRS if below is None else _SINGLES
    edges = np.interp(np.linspace(0, along[-1], pieces + 1), along, w)
    levels = np.concatenate(([0.0], ndtr(edges[1:-1]), [1.0]))
    density = np.exp(-(edges**2) / 2) / np.sqrt(2 * np.pi)
    density[[0, -1]] = 0.0
    masses = np.diff(levels)
    means = -np.diff(density) / masses
    if below is not None:
        return Nodes(np.interp(means, w, table), means, np.diff(below(levels)))
    variances = 1 - np.diff(edges * density) / masses - means**2
    spread = np.sqrt(np.maximum(variances, 0.0))
    scores = np.column_stack([means - spread, means + spread]).ravel()
    return Nodes(np.interp(scores, w, table), scores, repeated(masses / 2, 2))


def _joint(nodes: Nodes, table: Floats, rho: float, own: float, ends: tuple[float, float]) -> Floats:
    """The distribution function of the sum at the edges of the grid.

    P(e_s <= y | w_t) = Phi((G(y) - rho w_t)/own) with G(y) the normal score of the residual y, on a grid that divides
    the step of the sum's, so that all nodes read the same values.
    """
    from scipy.special import ndtr

    step = (ends[1] - ends[0]) / (_GRID * _FINER)
    size = int((table[-1] - table[0]) / step) + 2
    scores = np.full(size + 2, _FAR)
    scores[0] = -_FAR
    scores[1:-1] = np.interp(table[0] + step * np.arange(size), table, knots())
    offset = (nodes.values - nodes.values[0]) / step
    whole = np.floor(offset)
    share = (offset - whole)[:, None]
    # An edge less node k lies at its own place less offset_k on the residual's grid: between two scores.
    right = _FINER * np.arange(_GRID + 1) - whole[:, None].astype(np.intp) + 1
    left = scores[np.clip(right - 1, 0, size + 1)]
    reached = scores[np.clip(right, 0, size + 1)]
    left -= reached
    left *= share
    reached += left
    reached -= rho * nodes.scores[:, None]
    reached /= own
    result = np.einsum("k,kl->l", nodes.weights, ndtr(reached, out=reached))  # BLAS varies with its threads
    result[0], result[-1] = 0.0, 1.0
    return np.asarray(np.maximum.accumulate(result))


def _followed(both: Floats, ends: tuple[float, float], below: Below | None) -> Floats:
    """The same where the residual is a function of the topic effect, or a constant; `both` is their sum at knots."""
    from scipy.special import ndtr

    levels = np.concatenate(([0.0], ndtr(knots()[1:-1]), [1.0]))
    masses = np.diff(levels if below is None else below(levels))
    middles = (both[1:] + both[:-1]) / 2
    order = np.argsort(middles, kind="stable")
    risen = np.cumsum(masses[order])
    result = np.interp(np.linspace(*ends, _GRID + 1), middles[order], risen - masses[order] / 2)
    result[0], result[-1] = 0.0, 1.0
    return np.asarray(result)


def centres(total: Sums, targets: Floats, start: Floats, scale: Scale) -> Floats:
    """The centre of each system at which its expected score is the target: a bracketed root of a rising function.

    False position with halved ends (Illinois), every fourth time the middle. A system with one score has its own.
    """
    low, high = total.bracket(scale)
    at_low, at_high = -targets, 1 - targets
    result = np.clip(start, low, high)
    side = np.zeros(len(targets), dtype=np.int8)
    for turn in range(200):
        off = np.where(total.still, 0.0, total.expected(result, scale) - targets)
        if float(np.abs(off).max()) < 1e-13 or float((high - low)[~total.still].max()) < 1e-13:
            break
        above = off > 0
        at_low = np.where(above, np.where(side > 0, at_low / 2, at_low), off)
        at_high = np.where(above, off, np.where(side < 0, at_high / 2, at_high))
        low, high = np.where(above, low, result), np.where(above, result, high)
        side = np.where(above, np.int8(1), np.int8(-1))
        gap = at_high - at_low
        guess = low - at_low * (high - low) / np.where(gap > 0, gap, 1.0)
        slow = (turn % 4 == 3) | (gap <= 0) | (guess <= low) | (guess >= high)
        result = np.where(off == 0, result, np.where(slow, (low + high) / 2, guess))
    return np.asarray(np.where(total.still, scale.forward(targets) - total.start, result))
