"""The scale on which effects add up, the way back to scores, and the integral that expectations are taken with."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..arrays import Floats

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
