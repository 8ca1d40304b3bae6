"""The scale on which effects add up, and kernel distribution functions of the effects, kept as tables of quantiles."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..core.arrays import Floats, sums_by

#: Smooths the logit at 0 and 1: z = log((p + a) / (1 - p + a)).
A = 0.05
#: The logit of 1; that of 0 is its negative.
TOP = float(np.log((1 + A) / A))
#: Rounding to more decimals than this moves no expectation by 1e-9, so that it is left out of the integral.
COARSE = 4


@dataclass(frozen=True)
class Scale:
    """Effects add up on the logit scale, or with `normal` on that of the scores; `decimals` rounds what comes back."""

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
        """From scores to the scale of the effects."""
        if self.normal:
            return np.array(scores, dtype=np.float64)
        return np.asarray(np.log((scores + A) / (1 - scores + A)))

    def back(self, z: Floats) -> Floats:
        """From effects to scores, clipped to [0, 1] and rounded. Works in place and returns `z`."""
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
        """The integral of `back` from minus infinity to z. Differences of it average scores over an interval, steps
        of rounding included."""
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
        """Rounded scores rise by one unit at each half unit: a sum of ramps, so linear between the steps."""
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
    """The quantile functions of several variables: one row each, at equally spaced normal scores.

    What is drawn is the table, linear between its points. Its KS distance from the kernel distribution function is at
    most 1e-4, and in a gap without data, which one step of the table has to cross, the 0.0024 that such a step carries.
    """

    tables: Floats
    bandwidths: Floats

    def at(self, scores: Floats) -> Floats:
        """Quantiles at normal scores, a column for each variable. Works in place and returns `scores`."""
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
    """The normal scores at which the tables are given."""
    return np.linspace(-REACH, REACH, CELLS + 1)


def kernel_margins(columns: Floats, support: float) -> Margins:
    """Kernel distribution functions of the columns, cut to [-support, support] (wider where the data are), inverted.

    F(x) = 1/n * sum Phi((x - x_i)/h), with h by `bandwidths`; cut and made to end at 1 as in the original.
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
    """Normal distributions around 0; there are no bandwidths (NaN)."""
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
    """psi_r = mean over all pairs, each with itself too, of the r-th derivative of a normal density."""
    x = lags / width[:, None]
    hermite = x**2 - 1 if order == 2 else x**4 - 6 * x**2 + 3
    terms = pairs * hermite * np.exp(-(x**2) / 2)
    return np.asarray(_PEAK * terms.sum(axis=1) / width ** (order + 1))


def _binned(columns: Floats, low: Floats, high: Floats, points: int) -> Floats:
    """Shares of the data at grid points, one row per column: each is split between its two neighbours, so that
    means are kept."""
    n, k = columns.shape
    places = (columns - low) / (high - low) * (points - 1)
    left: NDArray[np.intp] = np.minimum(places.astype(np.intp), points - 2)
    share = places - left
    at = (left + np.arange(k) * points).ravel()
    counts = sums_by(at, (1 - share).ravel(), k * points) + sums_by(at + 1, share.ravel(), k * points)
    return np.asarray(counts.reshape(k, points) / n)


def _inverted(columns: Floats, widths: Floats, low: Floats, high: Floats) -> Floats:
    """Quantiles at the knots. Data and distribution functions are on one grid, so that a convolution sums kernels."""
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
