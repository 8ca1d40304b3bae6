"""Dependence: a gaussian copula of the residuals of all systems and the topic effects."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..core.arrays import Floats
from .margins import FLAT

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
        """How many independent normal numbers a topic takes beside its own."""
        return int(self.loadings.shape[0])

    @property
    def own(self) -> Floats:
        """The standard deviation of each system's normal score given the topic's: sqrt(1 - rho^2)."""
        return np.sqrt(np.maximum(1 - self.rho**2, 0.0))

    def scores(self, topics: Floats, noise: Floats) -> Floats:
        """Normal scores, topics x systems, from those of the topics and independent noise (topics x rank)."""
        result = np.einsum("tk,ks->ts", noise, self.loadings)  # not by BLAS, see _factor()
        result += topics[:, None] * self.rho
        return np.asarray(result)


def gaussian_copula(residuals: Floats, topic_effects: Floats, *, uncorrelated: bool = False) -> Copula:
    """The copula whose correlations are those of [e_1 .. e_m, nu_t] over the topics; with `uncorrelated` none.

    The matrix is made positive semi-definite by `nearest_semidefinite`; that is enough to draw from. (The original
    asks for positive definite and so lifts eigenvalues of 0 to 1e-8 of the largest; there always are some, as the
    residuals of a topic sum to 0.) A variable without spread is uncorrelated with the rest.
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
