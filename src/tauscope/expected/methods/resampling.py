"""`Bootstrap`, `ScaledDraws` and `BayesianBootstrap`: methods that draw true means, and so take every coefficient."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ... import checking
from ...arrays import Floats
from ...coefficients.records import Coefficient
from ...inference.observed import SWAP_SUMS, Observed
from ...jobs.draws import RESAMPLING_DRAWS, SCALED_DRAWS
from ..true_means import coefficient_draws, most_swapped, swapped, true_means
from .base import Estimate, Method


@dataclass(frozen=True)
class Resampling(Method):
    """Base of the methods that draw true means, `draws` of them."""

    draws: int = RESAMPLING_DRAWS
    random: ClassVar[bool] = True
    any_coefficient: ClassVar[bool] = True
    #: Deviations are stretched for small samples too.
    shrinks: ClassVar[bool] = True
    identical_in_order: ClassVar[bool] = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "draws", checking.whole(self.draws, "draws", least=1))

    @property
    def text(self) -> str:
        return f"{self.draws:,} {self.TEXT}"

    def true_means(self, observed: Observed, generator: np.random.Generator | None) -> Iterator[Floats]:
        """True means as they could be.

        Parameters
        ----------
        observed, generator
            The scores and the random numbers, as in `pair_swaps()`.

        Returns
        -------
        iterator of ndarray
            Blocks of draws x systems, best observed system first.
        """
        return true_means(observed, self.draws, self.needed(generator), bayesian=self.bayesian, scaled=self.shrinks)

    def pair_swaps(self, observed: Observed, generator: np.random.Generator | None) -> Floats:
        """The share of draws in which the lower of two systems has the higher mean."""
        m = observed.systems
        swapped = np.zeros(m * (m - 1) // 2)
        for means in self.true_means(observed, generator):
            columns = np.ascontiguousarray(means.T)
            start = 0
            for system in range(m - 1):
                stop = start + m - 1 - system
                above = columns[system] < columns[system + 1 :] - observed.tolerance
                swapped[start:stop] += np.count_nonzero(above, axis=1)
                start = stop
        return swapped / self.draws

    def sums(self, observed: Observed, generator: np.random.Generator | None = None) -> dict[str, float]:
        """Means over the draws, which is the sum over pairs of weight x share of draws, without the table of pairs."""
        if observed.undecided:
            return super().sums(observed, generator)
        total = dict.fromkeys((c.name for c in SWAP_SUMS), 0.0)
        for means in self.true_means(observed, generator):
            for name, found in swapped(observed, means).items():
                total[name] += float(found.sum())
        return {
            c.name: 1
            - 2 * (total[c.name] / most_swapped(c, observed.systems)) / self.draws
            - (0.0 if self.identical_in_order else observed.identical_weight(c.name))
            for c in SWAP_SUMS
        }

    def estimate(self, observed: Observed, coefficient: Coefficient, generator: np.random.Generator | None) -> Estimate:
        if not coefficient.no_swap_sum:
            return super().estimate(observed, coefficient, generator)
        values = coefficient_draws(
            observed, coefficient, self.draws, self.needed(generator), bayesian=self.bayesian, scaled=self.shrinks
        )
        undefined = int(np.isnan(values).sum())
        return Estimate(float(np.nanmean(values)) if undefined < len(values) else math.nan, undefined)


@dataclass(frozen=True)
class Bootstrap(Resampling):
    """Topics resampled with replacement, the same for all systems (urbano2016 eq. 10).

    It takes observed means for true ones, and is too optimistic where systems are close: `ScaledDraws` is not.

    Parameters
    ----------
    draws : int, default 1000
        How many resamples are made.

    Examples
    --------
    >>> Bootstrap(200).text
    '200 resamples of topics (urbano2016 eq. 10)'
    """

    NAME: ClassVar[str] = "res"
    TEXT: ClassVar[str] = "resamples of topics (urbano2016 eq. 10)"
    shrinks: ClassVar[bool] = False
    identical_in_order: ClassVar[bool] = True


@dataclass(frozen=True)
class ScaledDraws(Resampling):
    """Resampled topics, their deviations scaled for small samples and for shrunk gaps: what intervals are made of.

    This is the default for coefficients that are no sum over pairs.

    Parameters
    ----------
    draws : int, default 2000
        How many are drawn.

    Examples
    --------
    >>> ScaledDraws().text
    '2,000 scaled draws'
    """

    draws: int = SCALED_DRAWS
    NAME: ClassVar[str] = "draws"
    TEXT: ClassVar[str] = "scaled draws"


@dataclass(frozen=True)
class BayesianBootstrap(Resampling):
    """Topics with random weights, Dirichlet(1, …, 1), scaled as `ScaledDraws`; the interval is drawn in the same way.

    Parameters
    ----------
    draws : int, default 1000
        How many random weightings of the topics are drawn.

    Examples
    --------
    >>> BayesianBootstrap(500)
    BayesianBootstrap(draws=500)
    """

    NAME: ClassVar[str] = "bayes"
    TEXT: ClassVar[str] = "scaled draws of a Bayesian bootstrap"
    bayesian: ClassVar[bool] = True
