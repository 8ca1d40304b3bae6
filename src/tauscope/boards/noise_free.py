"""Two sets of strengths without the noise of the battles: what their agreement would be if both were known.

Of system s, y_s = (e_s, t_s) with error covariance V_s (2 x 2). Over systems, S is the covariance of y, and Omega = S -
mean V_s, made positive, that of the true strengths. Draws of the true strengths given the observed ones are mu*_s = K_s
y_s + L_s z_s, K_s = Omega (Omega + V_s)⁻¹, z drawn from the joint covariance of all errors, and L_s such that mu*_s has
the variance it should have.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..coefficients.records import Coefficient
from ..core import kernels
from ..core.arrays import Floats
from ..inference.normal_scores import symmetric_root

#: Strengths are taken to be known no better than this share of their spread, and no worse.
_LEAST = 1e-6


@dataclass(frozen=True, eq=False)
class Pair:
    """Strengths of two judges, 2 x systems, and the covariance of all their errors, (2 systems) x (2 systems)."""

    strengths: Floats
    covariance: Floats

    def blocks(self) -> Floats:
        """V_s: systems x 2 x 2."""
        m = self.systems
        joint = self.covariance.reshape(2, m, 2, m)
        at = np.arange(m)
        return np.asarray(joint[:, at, :, at])

    @property
    def systems(self) -> int:
        """How many systems there are."""
        return int(self.strengths.shape[1])

    def spread(self) -> tuple[Floats, Floats]:
        """S, and Omega: what is left of it without noise, positive."""
        m = self.systems
        centred = self.strengths - self.strengths.mean(axis=1, keepdims=True)
        observed = centred @ centred.T / (m - 1)
        omega = observed - self.blocks().sum(axis=0) / (m - 1)
        values, vectors = np.linalg.eigh((omega + omega.T) / 2)
        floor = _LEAST * float(np.trace(observed))
        return observed, vectors @ np.diag(np.maximum(values, floor)) @ vectors.T

    def true_correlation(self) -> float:
        """Pearson's correlation of the strengths without noise (disattenuated; spearman1904)."""
        _, omega = self.spread()
        return float(np.clip(omega[0, 1] / np.sqrt(omega[0, 0] * omega[1, 1]), -1.0, 1.0))

    def reliability(self) -> tuple[float, float]:
        """Of both: which share of the observed spread is real."""
        observed, omega = self.spread()
        share = np.clip(np.diagonal(omega) / np.diagonal(observed), 0.0, 1.0)
        return float(share[0]), float(share[1])

    def draws(self, standard: Floats) -> tuple[Floats, Floats]:
        """True strengths of both as they could be, draws x systems each, from standard normal numbers, draws x 2
        systems."""
        m = self.systems
        # The symmetric root, which there is only one of: signs of eigenvectors are another processor's to choose.
        noise = (standard @ symmetric_root(self.covariance)).reshape(-1, 2, m)
        _, omega = self.spread()
        mean = self.strengths.mean(axis=1)
        drawn = np.empty_like(noise)
        for s, own in enumerate(self.blocks()):
            own = own + _LEAST * np.trace(omega) * np.eye(2)
            gain = omega @ np.linalg.inv(omega + own)
            root, back = _roots(own)
            w = back @ omega @ back
            share = symmetric_root(w @ np.linalg.inv(w + np.eye(2)))
            drawn[:, :, s] = mean + gain @ (self.strengths[:, s] - mean) + noise[:, :, s] @ (root @ share @ back).T
        return np.ascontiguousarray(drawn[:, 0]), np.ascontiguousarray(drawn[:, 1])

    def agreement(self, coefficient: Coefficient, standard: Floats) -> float:
        """The mean coefficient of such draws."""
        estimate, truth = self.draws(standard)
        return float(np.nanmean(kernels.batch(coefficient, estimate, truth)[0]))


def _roots(matrix: Floats) -> tuple[Floats, Floats]:
    """The symmetric root of a positive matrix, and its inverse."""
    values, vectors = np.linalg.eigh(matrix)
    root = np.sqrt(np.maximum(values, 1e-300))
    return (vectors * root) @ vectors.T, (vectors / root) @ vectors.T
