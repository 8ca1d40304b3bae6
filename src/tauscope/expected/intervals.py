"""Between which values does the correlation with the true ranking lie? Quantiles of scaled draws of the true means.

With topic means removed, a the observed means and a* the resampled ones: mu* = a + sqrt(n/((n-1) g)) (a* - a). The
factor n/(n-1) makes up for the variance that resampling loses, and 1/g, the reliability, for observed means being
further apart than true ones. Without it the interval is too optimistic where systems are close. There g itself is
hardly known, so each draw has its own: 1 - (1 - g) chi²/f, f the degrees of freedom of the observed variance of the
means.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from .. import checking
from ..arrays import Floats
from ..coefficients.records import Coefficient
from ..jobs.draws import INTERVAL_DRAWS
from ..jobs.seeds import Stream, stream
from ..significance.observed import Observed
from .true_means import coefficient_draws


class Interval(NamedTuple):
    """Both limits of an interval; it unpacks: `low, high = result.interval`."""

    low: float
    high: float


@dataclass(frozen=True, eq=False, kw_only=True)
class CorrelationDraws:
    """Values of a coefficient of the observed ranking with draws of the true one; `undefined` of them had none.

    Parameters
    ----------
    values : ndarray
        The values that are defined.
    undefined : int
        How many draws had no value.
    bayesian : bool
        Whether topics had random weights instead of being resampled.
    """

    values: Floats
    undefined: int
    bayesian: bool

    def interval(self, level: float) -> Interval:
        """Where the middle share `level` of the draws lies.

        Parameters
        ----------
        level : float
            Confidence, between 0 and 1.

        Returns
        -------
        Interval
            Both limits.
        """
        rest = (1 - checking.level(level)) / 2
        return Interval(self._quantile(rest), self._quantile(1 - rest))

    def at_least(self, level: float) -> float:
        """The value that is exceeded with this confidence.

        Parameters
        ----------
        level : float
            Confidence, between 0 and 1.

        Returns
        -------
        float
            A one-sided limit.
        """
        return self._quantile(1 - checking.level(level))

    def _quantile(self, share: float) -> float:
        return float(np.quantile(self.values, share)) if len(self.values) else float("nan")

    @property
    def text(self) -> str:
        """How they were made, for a line of a result.

        Returns
        -------
        str
            Such as "2,000 scaled draws".
        """
        kind = "scaled draws of a Bayesian bootstrap" if self.bayesian else "scaled draws"
        return f"{len(self.values) + self.undefined:,} {kind}"


def draw_correlations(
    observed: Observed, c: Coefficient, seed: int, *, bayesian: bool = False, draws: int = INTERVAL_DRAWS
) -> CorrelationDraws:
    """Draws for an interval, from the seed's own stream."""
    values = coefficient_draws(observed, c, draws, stream(seed, Stream.INTERVAL), bayesian=bayesian)
    defined = values[~np.isnan(values)]
    return CorrelationDraws(values=defined, undefined=len(values) - len(defined), bayesian=bayesian)
