"""`Method`: what every method of expected correlation has. A method is one class, which computes its own estimates.

The recipe for another one is in CONTRIBUTING ("Add an estimator"): a file here with one class, and its line in the
registry.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from ...arrays import Floats
from ...coefficients.records import Coefficient
from ...errors import CallError, Option
from ...inference.observed import Observed


class Estimate(NamedTuple):
    """An expected correlation, NaN where the method has no answer, and how many of its draws had no value."""

    value: float
    undefined: int = 0


@dataclass(frozen=True)
class Method:
    """One way to estimate an expected correlation; it prints as you type it, and compares by what it is.

    A subclass gives `NAME`, `TEXT` and `pair_swaps()`: the sums over pairs follow from those. One that does not go pair
    by pair gives `sums()` instead, and says `by_pairs = False`.
    """

    #: The short name, which calls and the shell accept too.
    NAME: ClassVar[str] = ""
    #: What it is, for a line of a result.
    TEXT: ClassVar[str] = ""
    #: Whether it has swap probabilities, pair by pair.
    by_pairs: ClassVar[bool] = True
    #: Whether it draws random numbers, and so needs a generator.
    random: ClassVar[bool] = False
    #: Whether it estimates every coefficient, and not only sums over pairs.
    any_coefficient: ClassVar[bool] = False
    #: Whether the draws behind the interval beside it weigh topics at random instead of resampling them.
    bayesian: ClassVar[bool] = False
    #: Whether observed gaps shrink by the reliability, as in the draws behind the interval: it holds the value then.
    shrinks: ClassVar[bool] = False
    #: Whether a pair of systems with the same scores counts as in order, as in urbano2016; otherwise as undecided.
    identical_in_order: ClassVar[bool] = True
    #: What a reader must know of it, before the value that random halves of the topics lead to; "" where nothing.
    caution: ClassVar[str] = ""

    @property
    def name(self) -> str:
        """The short name, which the call accepts too, such as "msqd"."""
        return self.NAME

    @property
    def text(self) -> str:
        """What it is, for a line of a result, such as "maximum likelihood (urbano2016 eq. 7)"."""
        return self.TEXT

    def pair_swaps(self, observed: Observed, generator: np.random.Generator | None) -> Floats:
        """The chance of each pair of `observed.pairs` to be really in the other order, before ties are looked at.

        Parameters
        ----------
        observed : Observed
            The scores, best system first.
        generator : numpy.random.Generator or None
            Random numbers, for a method that is `random`.

        Returns
        -------
        ndarray
            One probability per pair; it may be written to.
        """
        raise CallError(
            f"{type(self).__name__} looks at whole rankings and has no swap probabilities.",
            Option("method", "shrunk", "draws", effect="to have them"),
        )

    def swaps(self, observed: Observed, generator: np.random.Generator | None = None) -> Floats:
        """The chance of each pair of `observed.pairs` to be really in the other order.

        Pairs that are tied in the observed ranking have 1/2. So do identical systems, about which the scores say
        nothing; only the methods of urbano2016 count them as in order.

        Parameters
        ----------
        observed, generator
            As in `pair_swaps()`.

        Returns
        -------
        ndarray
            One probability per pair.
        """
        if generator is None and self in observed.kept:
            return np.asarray(observed.kept[self])
        swaps = self.pair_swaps(observed, generator)
        swaps[observed.tied] = 0.5
        if self.identical_in_order:
            swaps[observed.identical] = 0.0
        if generator is None:
            swaps.flags.writeable = False
            observed.kept[self] = swaps
        return swaps

    def sums(self, observed: Observed, generator: np.random.Generator | None = None) -> dict[str, float]:
        """The expected value of every coefficient that is a sum over pairs, by its name; nothing is checked.

        Parameters
        ----------
        observed, generator
            The scores, and random numbers where it needs some, as in `pair_swaps()`.

        Returns
        -------
        dict
            E[tau] and E[tau_ap]; NaN where the method has no answer.
        """
        return observed.expectation(self.swaps(observed, generator))

    def estimate(self, observed: Observed, coefficient: Coefficient, generator: np.random.Generator | None) -> Estimate:
        """The expected value of one coefficient.

        Parameters
        ----------
        observed, generator
            As in `pair_swaps()`.
        coefficient : Coefficient
            A sum over pairs, or any coefficient where the method takes `any_coefficient`.

        Returns
        -------
        Estimate
            The value, and how many draws had none.
        """
        return Estimate(self.sums(observed, generator)[coefficient.name])

    def why_undefined(self, observed: Observed, coefficient: Coefficient) -> str:
        """Why there is no value where `estimate()` found none.

        Parameters
        ----------
        observed : Observed
            The scores.
        coefficient : Coefficient
            What was estimated.

        Returns
        -------
        str
            The reason, as the end of a sentence.
        """
        return f"{coefficient} has no value in any of the draws"

    def needed(self, generator: np.random.Generator | None) -> np.random.Generator:
        """The generator, which a method that is `random` must have.

        Parameters
        ----------
        generator : numpy.random.Generator or None
            What the method was given.

        Returns
        -------
        numpy.random.Generator
        """
        if generator is None:
            raise CallError(f"{self.name} draws random numbers and needs a generator.")
        return generator
