"""True means of several matrices as they could be, given their observed means: topic noise taken off.

y_s are the k observed means of a system, V_s their error covariance and V the mean of V_s, S the covariance of y over systems.
Omega = S - V is how the true means vary, made positive: along the directions in which S and V are both diagonal, the reliability
g = 1 - V/S is at least 0.05. With W = V_s^-1/2 Omega V_s^-1/2:

    K_s = Omega (Omega + V_s)^-1,   L_s = V_s^1/2 [W (W + I)^-1]^1/2 V_s^-1/2,   mu*_s = K_s y_s + L_s sqrt(n/(n-1)) (y*_s - y_s),

y* from topics resampled. These have the mean and covariance of the true means given y, where those are normal. V_s is the system's
own covariance with `STEADY` degrees of freedom of the mean one: with V for all systems the head, where scores vary most, comes
out too uncertain.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .. import kernels
from ..arrays import Floats, Ints
from ..coefficients.records import Coefficient
from ..significance.observed import FLOOR
from ..ties import EXACT, Tolerance
from .shared_topics import Joint, Moments

#: Degrees of freedom of the mean error covariance in a system's own.
STEADY = 10.0
#: Eigenvalues of a covariance are at least this share of the largest variance: directions without noise.
NO_NOISE = 1e-12


@dataclass(frozen=True, eq=False)
class Spread:
    """How true means vary over systems: `omega` k x k, the `reliability` of each matrix, and whether one had its floor."""

    omega: Floats
    mean_error: Floats
    reliability: Floats
    floored: bool


def spread(moments: Moments) -> Spread:
    """Omega = S - V, made positive along the directions that diagonalise both."""
    m = moments.means.shape[1]
    S = moments.means @ moments.means.T / m
    V = moments.errors.mean(axis=0)
    root, inverse = _roots(V[None], float(np.trace(S) + np.trace(V)))
    ratio, turn = np.linalg.eigh(inverse[0] @ S @ inverse[0])
    raw = 1 - 1 / np.maximum(ratio, 1e-300)
    g = np.clip(raw, FLOOR, 1 - NO_NOISE)
    omega = root[0] @ (turn * (g / (1 - g))) @ turn.T @ root[0]
    own = 1 - np.diagonal(V) / np.maximum(np.diagonal(S), 1e-300)
    return Spread(omega, V, own, bool((raw < FLOOR).any()))


def true_mean_draws(moments: Moments, found: Spread, freedom: float) -> list[Floats]:
    """mu*, one draws x systems a matrix, each without its general level. `freedom`: topics that V_s was estimated from, less 1."""
    k = len(moments.means)
    V = (STEADY * found.mean_error + freedom * moments.errors) / (STEADY + freedom)
    root, inverse = _roots(V, float(np.trace(found.omega) + np.trace(found.mean_error)))
    w, turn = np.linalg.eigh(inverse @ found.omega @ inverse)
    g = np.clip(w, 0.0, None)
    g = g / (1 + g)
    out, back = root @ turn, turn.transpose(0, 2, 1) @ inverse
    K = (out * g[:, None]) @ back
    L = (out * np.sqrt(g)[:, None]) @ back
    centre = np.einsum("mij,jm->im", K, moments.means)
    return [centre[i] + np.einsum("mj,jbm->bm", L[:, i], moments.deviations) for i in range(k)]


def _roots(V: Floats, scale: float) -> tuple[Floats, Floats]:
    """V^1/2 and V^-1/2 of each k x k matrix, directions without noise lifted to next to none."""
    size, turn = np.linalg.eigh(V)
    size = np.sqrt(np.maximum(size, NO_NOISE * scale + 1e-300))[:, None]
    across = turn.transpose(0, 2, 1)
    return (turn * size) @ across, (turn / size) @ across


def coefficient_of(
    c: Coefficient,
    joint: Joint,
    estimate: Floats,
    truth: Floats,
    twin: Ints | None,
    matrices: tuple[int, int] = (0, -1),
) -> Floats:
    """The coefficient row by row of means without their level; NaN where it is not defined. `matrices`: which the means are of."""
    rows = []
    for means, matrix in zip((estimate, truth), matrices, strict=True):
        equal = means if twin is None else means[:, twin]  # products do not give identical systems equal means
        rows.append(np.ascontiguousarray(equal + joint.level[matrix]))
    if c.name == "pearson_rank":  # its weights are the true means, which are not negative where no score is
        np.maximum(rows[1], joint.least[matrices[1]], out=rows[1])
    within = Tolerance(joint.tolerance) if c.takes_tolerance else EXACT
    values, _ = kernels.batch(c.name, rows[0], rows[1], within, within)
    return values
