"""The distributions behind a simulator: margins of the effects, the copula that ties them, and expected scores.

Effects add up on the scale of `Scale`. Their kernel distribution functions are kept as tables of quantiles
(`Margins`), a gaussian copula makes them dependent (`Copula`), and expected scores are integrals over both (`Sums`),
so that nothing has to be sampled.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..core.arrays import Floats, repeated, sums_by

#: Smooths the logit at 0 and 1: z = log((p + a) / (1 - p + a)).
A = 0.05
#: The logit of 1; that of 0 is its negative.
TOP = float(np.log((1 + A) / A))
#: Rounding to more decimals than this moves no expectation by 1e-9, so that it is left out of the integral.
COARSE = 4


@dataclass(frozen=True)
class Scale:
    """The scale on which effects add up: logits, or the scores themselves.

    Parameters
    ----------
    normal : bool
        Whether effects add up on the scale of the scores.
    decimals : int or None
        Number of decimals to which scores are rounded on the way back.
    """

    normal: bool = False
    decimals: int | None = None

    @property
    def support(self) -> float:
        """Effects lie between minus this and this: twice the largest logit, 2 log 21; 1 for plain scores."""
        return 1.0 if self.normal else 2 * TOP

    @property
    def ends(self) -> tuple[float, float]:
        """Where the scores 0 and 1 are."""
        return (0.0, 1.0) if self.normal else (-TOP, TOP)

    def forward(self, scores: Floats) -> Floats:
        r"""Return scores on the scale of the effects, :math:`\log((p + a)/(1 - p + a))` with a = 0.05."""
        if self.normal:
            return np.array(scores, dtype=np.float64)
        return np.asarray(np.log((scores + A) / (1 - scores + A)))

    def back(self, z: Floats) -> Floats:
        """Return effects as scores, clipped to [0, 1] and rounded. Works in place and returns `z`."""
        if not self.normal:
            # (e^z (1 + a) - a) / (1 + e^z) = (1 + 2a) / (1 + e^-z) - a
            np.negative(z, out=z)
            np.exp(z, out=z)
            z += 1
            np.divide(1 + 2 * A, z, out=z)
            z -= A
        np.clip(z, 0.0, 1.0, out=z)
        if self.decimals is not None:
            np.round(z, self.decimals, out=z)
        return z

    def integral(self, z: Floats) -> Floats:
        """Integrate `back` from minus infinity to z.

        Differences of the integral average scores over an interval, the steps of rounding included.

        Parameters
        ----------
        z : array
            Upper limits on the scale of the effects.
        """
        low, high = self.ends
        if self.decimals is not None and self.decimals <= COARSE:
            return self._integral_of_steps(z)
        inside = np.clip(z, low, high)
        if self.normal:
            area = inside**2 / 2
        else:
            area = (1 + 2 * A) * (np.log1p(np.exp(inside)) - np.log1p(np.exp(low))) - A * (inside - low)
        return np.asarray(area + np.maximum(z - high, 0.0))

    def _integral_of_steps(self, z: Floats) -> Floats:
        """Integrate rounded scores, which rise by one unit at each half unit: a sum of ramps."""
        steps = 10**self.decimals  # type: ignore[operator]
        places = self.forward((np.arange(steps) + 0.5) / steps)
        heights = np.arange(steps) / steps
        areas = np.concatenate(([0.0], np.cumsum(heights[1:] * np.diff(places))))
        return np.asarray(np.interp(z, places, areas) + np.maximum(z - places[-1], 0.0))


#: Tables run over normal scores from -REACH to REACH (a tail of 1e-9 each) in CELLS equal steps.
REACH = 6.0
CELLS = 2048
#: Points of the grids on which the data are binned: for the bandwidths and for the distribution functions.
_LAGS = 1024
_GRID = 1024
#: A kernel ends after this many bandwidths (5e-10 of its mass each side).
_KERNEL = 6.1
#: A spread below this, on scales whose numbers are around 1, is rounding.
FLAT = 1e-12

_PEAK = 1 / math.sqrt(2 * math.pi)


@dataclass(frozen=True, eq=False)
class Margins:
    """The quantile functions of several variables, tabulated at equally spaced normal scores and linear between them.

    The distance (Kolmogorov-Smirnov) from the kernel distribution function is at most 1e-4, and in a gap without data,
    which one step of the table has to cross, 0.0024.

    Parameters
    ----------
    tables : array
        Variables x knots: quantiles at the normal scores of `knots()`.
    bandwidths : array
        The bandwidth of each kernel distribution function; NaN for normal distributions.
    """

    tables: Floats
    bandwidths: Floats

    def at(self, scores: Floats) -> Floats:
        """Return quantiles at normal scores, one column for each variable. Works in place and returns `scores`."""
        k = self.tables.shape[0]
        scores += REACH
        scores *= CELLS / (2 * REACH)
        np.clip(scores, 0.0, CELLS * (1 - 1e-12), out=scores)
        cells = scores.astype(np.int32)
        scores -= cells
        cells += np.arange(k, dtype=np.int32) * (CELLS + 1)
        flat = self.tables.ravel()
        left = flat[cells]
        cells += 1
        right = flat[cells]
        right -= left
        scores *= right
        scores += left
        return scores


def knots() -> Floats:
    """Return the normal scores at which quantiles are tabulated."""
    return np.linspace(-REACH, REACH, CELLS + 1)


def kernel_margins(columns: Floats, support: float) -> Margins:
    r"""Invert the kernel distribution functions of columns, cut to [-support, support].

    .. math:: F(x) = \frac{1}{n} \sum \Phi((x - x_i)/h)

    Parameters
    ----------
    columns : array
        Observations x variables.
    support : float
        Where the distributions end, unless the data are wider.

    Returns
    -------
    Margins
        With the bandwidths h of `bandwidths()`.
    """
    widths = bandwidths(columns)
    least, most = columns.min(axis=0), columns.max(axis=0)
    low = np.maximum(least - _KERNEL * widths, np.minimum(least, -support))
    high = np.minimum(most + _KERNEL * widths, np.maximum(most, support))
    tables = np.repeat(columns.mean(axis=0)[:, None], CELLS + 1, axis=1)
    live = np.flatnonzero(widths > 0)
    if live.size:
        tables[live] = _inverted(columns[:, live], widths[live], low[live], high[live])
    return Margins(tables, widths)


def normal_margins(deviations: Floats) -> Margins:
    """Return normal distributions around 0 with these standard deviations; they have no bandwidths."""
    return Margins(deviations[:, None] * knots(), np.full(len(deviations), np.nan))


def bandwidths(columns: Floats) -> Floats:
    """The plug-in bandwidth of a kernel distribution function for each column, two stages (polansky2000).

    h = (2 / (sqrt(4 pi) * -psi_2 * n))^(1/3); psi_r, the integral of f^(r) f, is estimated from all pairs with a
    gaussian kernel of the width that cancels its leading bias, g_r = (-2 phi^(r)(0) / (psi_{r+2} n))^(1/(r+3)): psi_2
    from psi_4, psi_4 from psi_6 of a normal with the same standard deviation. Data are binned (1024 points).
    A column without spread has bandwidth 0.
    """
    n = len(columns)
    deviations = columns.std(axis=0, ddof=1)
    result = np.zeros(len(deviations))
    live = np.flatnonzero(deviations > FLAT)
    if not live.size:
        return result
    sigma = deviations[live]
    low, high = columns[:, live].min(axis=0), columns[:, live].max(axis=0)
    spectrum = np.fft.rfft(_binned(columns[:, live], low, high, _LAGS), 2 * _LAGS)
    pairs = np.fft.irfft(np.abs(spectrum) ** 2, 2 * _LAGS)[:, :_LAGS]
    pairs[:, 1:] *= 2
    lags = np.arange(_LAGS) * ((high - low) / (_LAGS - 1))[:, None]
    psi_6 = -15 / (16 * math.sqrt(math.pi) * sigma**7)
    psi_4 = _functional(pairs, lags, (6 * _PEAK / (-psi_6 * n)) ** (1 / 7), 4)
    psi_2 = _functional(pairs, lags, (2 * _PEAK / (psi_4 * n)) ** (1 / 5), 2)
    result[live] = (2 / (math.sqrt(4 * math.pi) * -psi_2 * n)) ** (1 / 3)
    return result


def _functional(pairs: Floats, lags: Floats, width: Floats, order: int) -> Floats:
    """Return the mean over all pairs of observations of a derivative of a normal density."""
    x = lags / width[:, None]
    hermite = x**2 - 1 if order == 2 else x**4 - 6 * x**2 + 3
    terms = pairs * hermite * np.exp(-(x**2) / 2)
    return np.asarray(_PEAK * terms.sum(axis=1) / width ** (order + 1))


def _binned(columns: Floats, low: Floats, high: Floats, points: int) -> Floats:
    """Return the shares of the data at grid points.

    Each observation is split between its two neighbours on the grid, so that means are kept.

    Parameters
    ----------
    columns : array
        Observations x variables.
    low, high : array
        The ends of the grid of each variable.
    points : int
        Number of grid points.

    Returns
    -------
    ndarray
        Variables x points.
    """
    n, k = columns.shape
    places = (columns - low) / (high - low) * (points - 1)
    left: NDArray[np.intp] = np.minimum(places.astype(np.intp), points - 2)
    share = places - left
    at = (left + np.arange(k) * points).ravel()
    counts = sums_by(at, (1 - share).ravel(), k * points) + sums_by(at + 1, share.ravel(), k * points)
    return np.asarray(counts.reshape(k, points) / n)


def _inverted(columns: Floats, widths: Floats, low: Floats, high: Floats) -> Floats:
    """Return quantiles at the knots. Data and kernels are on one grid, so that a convolution sums the kernels."""
    from scipy.special import ndtr

    shares = _binned(columns, low, high, _GRID)
    step = (high - low) / (_GRID - 1)
    kernels = ndtr(np.arange(1 - _GRID, _GRID) * (step / widths)[:, None])
    size = 4 * _GRID
    full = np.fft.irfft(np.fft.rfft(shares, size) * np.fft.rfft(kernels, size), size)
    rising = np.maximum.accumulate(full[:, _GRID - 1 : 2 * _GRID - 1], axis=1)
    rising -= rising[:, :1]
    rising /= rising[:, -1:]
    grid = np.linspace(0.0, 1.0, _GRID)
    wanted = ndtr(knots())
    relative = np.array([np.interp(wanted, row, grid) for row in rising])
    return np.asarray(low[:, None] + relative * (high - low)[:, None])


#: Variances below this, where those of all variables are 1, are rounding.
_RANK = 1e-10
#: A system whose normal score is this far from that of the topic, or less, follows it without noise of its own.
FOLLOWS = 1e-6


@dataclass(frozen=True, eq=False)
class Copula:
    """Normal scores of the systems' residuals given that of the topic: w_s = rho_s * w_topic + factor_s . noise.

    `loadings` holds factor_s in column s. `moved` is how far the nearest positive semi-definite matrix is from the
    covariance matrix, as a share of its Frobenius norm.
    """

    rho: Floats
    loadings: Floats
    moved: float

    @property
    def rank(self) -> int:
        """Number of independent normal numbers that a topic takes beside its own."""
        return int(self.loadings.shape[0])

    @property
    def own(self) -> Floats:
        """Standard deviation of the normal score of each system given that of the topic."""
        return np.sqrt(np.maximum(1 - self.rho**2, 0.0))

    def scores(self, topics: Floats, noise: Floats) -> Floats:
        """Return normal scores, topics x systems, from those of the topics and independent noise (topics x rank)."""
        result = np.einsum("tk,ks->ts", noise, self.loadings)  # not by BLAS, see _factor()
        result += topics[:, None] * self.rho
        return np.asarray(result)


def gaussian_copula(residuals: Floats, topic_effects: Floats, *, uncorrelated: bool = False) -> Copula:
    """Return the copula whose correlations are those of the residuals and the topic effects.

    The covariance is made positive semi-definite, which is enough to draw from. (The original asks for positive
    definite and lifts eigenvalues of 0 to 1e-8 of the largest; there always are some, because the residuals of a topic
    add up to 0.) A variable without spread is uncorrelated with the rest.

    Parameters
    ----------
    residuals : array
        Topics x systems.
    topic_effects : array
        One per topic.
    uncorrelated : bool
        Whether to leave out all correlations.

    Returns
    -------
    Copula
    """
    both = np.vstack([residuals.T, topic_effects])
    both -= both.mean(axis=1, keepdims=True)
    covariance = np.einsum("it,jt->ij", both, both) / (both.shape[1] - 1)
    nearest = nearest_semidefinite(covariance)
    size = float(np.linalg.norm(covariance))
    moved = float(np.linalg.norm(nearest - covariance)) / size if size else 0.0
    m = residuals.shape[1]
    if uncorrelated:
        return Copula(np.zeros(m), np.eye(m), moved)
    correlation = _correlation(nearest)
    rho = correlation[:m, m].copy()
    rho[np.abs(rho) > 1 - FLAT] = np.sign(rho[np.abs(rho) > 1 - FLAT])
    given = correlation[:m, :m] - np.outer(rho, rho)
    return Copula(rho, np.ascontiguousarray(_factor(given, np.maximum(1 - rho**2, 0.0)).T), moved)


def nearest_semidefinite(matrix: Floats, *, most: int = 200) -> Floats:
    """The nearest positive semi-definite matrix with the same diagonal, in the Frobenius norm (higham2002).

    Projections in turn onto the semi-definite matrices, with Dykstra's correction, and onto those with that diagonal.
    A matrix that is semi-definite already, up to rounding, is returned as it is.
    """
    diagonal = np.diag(matrix).copy()
    tolerance = 1e-12 * max(float(np.abs(diagonal).max()), np.finfo(float).tiny)
    current, correction = np.array(matrix), np.zeros_like(matrix)
    for _ in range(most):
        tried = current - correction
        values, vectors = np.linalg.eigh(tried)
        if values[0] >= -tolerance * len(diagonal):
            return current
        lifted = (vectors * np.maximum(values, 0.0)) @ vectors.T
        correction = lifted - tried
        before, current = current, (lifted + lifted.T) / 2
        np.fill_diagonal(current, diagonal)
        if float(np.linalg.norm(current - before)) <= 1e-10 * float(np.linalg.norm(current)):
            break
    return current


def _correlation(covariance: Floats) -> Floats:
    """Return correlations; a variable without spread has none."""
    deviations = np.sqrt(np.diag(covariance))
    flat = deviations <= FLAT
    deviations[flat] = 1.0
    result = covariance / np.outer(deviations, deviations)
    result[flat] = result[:, flat] = 0.0
    np.fill_diagonal(result, 1.0)
    return np.asarray(np.clip(result, -1.0, 1.0))


def _factor(matrix: Floats, diagonal: Floats) -> Floats:
    """F with F F' = matrix and the diagonal kept exactly, in as many columns as the matrix has rank (Cholesky).

    In the order of the systems and without BLAS: eigenvectors turn, and pivots change places, with the last digit, and
    BLAS has another last digit for each number of threads. What is drawn must not depend on that.
    """
    m = len(diagonal)
    rest = np.array(matrix)
    columns = []
    for j in range(m):
        pivot = float(rest[j, j])
        if pivot <= _RANK:
            continue
        column = np.zeros(m)
        column[j:] = rest[j:, j] / np.sqrt(pivot)
        rest[j:, j:] -= np.multiply.outer(column[j:], column[j:])
        columns.append(column)
    factor = np.array(columns).T if columns else np.zeros((m, 0))
    lengths = (factor**2).sum(axis=1)
    live = (lengths > 0) & (diagonal > FOLLOWS**2)
    scale = np.zeros(m)
    scale[live] = np.sqrt(diagonal[live] / lengths[live])
    return np.asarray(factor * scale[:, None])


#: Intervals, an even number, on which the distribution of a sum of two effects is held.
_INTERVALS = 512
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
    """Topic effects to sum over instead of integrating.

    Parameters
    ----------
    values, scores : array
        The effects and their normal scores.
    weights : array
        Their probabilities.
    """

    values: Floats
    scores: Floats
    weights: Floats


@dataclass(frozen=True, eq=False)
class Sums:
    """The distribution of the sum of topic effect and residual, for each system.

    Parameters
    ----------
    start, step : array
        The grid of each system begins at `start` and has this step.
    masses : array
        Systems x intervals: the probability of each interval.
    still : array of bool
        Systems whose sum is the constant `start`.
    """

    start: Floats
    step: Floats
    masses: Floats
    still: NDArray[np.bool_]

    def expected(self, centre: Floats, scale: Scale) -> Floats:
        """Return the expected score of each system.

        Mass is even within an interval. The error of that falls with the square of the width, and intervals twice as
        wide show how large it is (Richardson).

        Parameters
        ----------
        centre : array
            What is added to the sum of each system.
        scale : Scale
            Turns effects into scores.
        """
        edges = (self.start + centre)[:, None] + self.step[:, None] * np.arange(_INTERVALS + 1)
        areas = scale.integral(edges)
        wide = self.masses[:, ::2] + self.masses[:, 1::2]
        narrow_mean = (np.diff(areas, axis=1) * self.masses).sum(axis=1)
        wide_mean = (np.diff(areas[:, ::2], axis=1) * wide).sum(axis=1) / 2
        result = (4 * narrow_mean - wide_mean) / (3 * np.where(self.still, 1.0, self.step))
        return np.asarray(np.where(self.still, scale.back(self.start + centre), np.clip(result, 0.0, 1.0)))

    def bracket(self, scale: Scale) -> tuple[Floats, Floats]:
        """Centres at which the expected scores are 0 and 1."""
        low, high = scale.ends
        return low - self.start - self.step * _INTERVALS, high - self.start


def sums(residuals: Margins, topics: Floats, copula: Copula, below: Below | None = None) -> Sums:
    """Compute the distribution of topic effect plus residual under the copula, for every system.

    It is an average over the topic effects of what the residuals do given them. The error of an expected score is below
    1e-6; where rounding makes steps, or margins have gaps, below 5e-5.

    Parameters
    ----------
    residuals : Margins
        One variable per system.
    topics : array
        Table of quantiles of the topic effects.
    copula : Copula
        How both depend on each other.
    below : callable or None
        The probability below each quantile level of the topic effects; None for a random sample of topics.

    Returns
    -------
    Sums
    """
    m = len(residuals.tables)
    nodes = topic_nodes(topics, below)
    start, step, masses = np.zeros(m), np.zeros(m), np.zeros((m, _INTERVALS))
    for s, (table, rho, deviation) in enumerate(zip(residuals.tables, copula.rho, copula.own, strict=True)):
        follows = deviation <= FOLLOWS or table[-1] - table[0] <= FLAT
        if follows:
            both = topics + (table if rho >= 0 else table[::-1])
            ends = float(both.min()), float(both.max())
        else:
            ends = float(nodes.values[0] + table[0]), float(nodes.values[-1] + table[-1])
        start[s], step[s] = ends[0], (ends[1] - ends[0]) / _INTERVALS
        if ends[1] - ends[0] >= _STILL:
            masses[s] = np.diff(_followed(both, ends, below) if follows else _joint(nodes, table, rho, deviation, ends))
    return Sums(start, step, masses, step * _INTERVALS < _STILL)


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


def _joint(nodes: Nodes, table: Floats, rho: float, deviation: float, ends: tuple[float, float]) -> Floats:
    """The distribution function of the sum at the edges of the grid.

    P(e_s <= y | w_t) = Phi((G(y) - rho w_t)/own) with G(y) the normal score of the residual y, on a grid that divides
    the step of the sum's, so that all nodes read the same values.
    """
    from scipy.special import ndtr

    step = (ends[1] - ends[0]) / (_INTERVALS * _FINER)
    size = int((table[-1] - table[0]) / step) + 2
    scores = np.full(size + 2, _FAR)
    scores[0] = -_FAR
    scores[1:-1] = np.interp(table[0] + step * np.arange(size), table, knots())
    offset = (nodes.values - nodes.values[0]) / step
    whole = np.floor(offset)
    share = (offset - whole)[:, None]
    # An edge less node k lies at its own place less offset_k on the residual's grid: between two scores.
    right = _FINER * np.arange(_INTERVALS + 1) - whole[:, None].astype(np.intp) + 1
    left = scores[np.clip(right - 1, 0, size + 1)]
    reached = scores[np.clip(right, 0, size + 1)]
    left -= reached
    left *= share
    reached += left
    reached -= rho * nodes.scores[:, None]
    reached /= deviation
    result = np.einsum("k,kl->l", nodes.weights, ndtr(reached, out=reached))  # BLAS varies with its threads
    result[0], result[-1] = 0.0, 1.0
    return np.asarray(np.maximum.accumulate(result))


def _followed(both: Floats, ends: tuple[float, float], below: Below | None) -> Floats:
    """Return the distribution where the residual is a function of the topic effect, or a constant."""
    from scipy.special import ndtr

    levels = np.concatenate(([0.0], ndtr(knots()[1:-1]), [1.0]))
    masses = np.diff(levels if below is None else below(levels))
    middles = (both[1:] + both[:-1]) / 2
    order = np.argsort(middles, kind="stable")
    risen = np.cumsum(masses[order])
    result = np.interp(np.linspace(*ends, _INTERVALS + 1), middles[order], risen - masses[order] / 2)
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
