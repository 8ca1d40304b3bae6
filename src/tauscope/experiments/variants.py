"""What an experiment computes for every pair of rankings: coefficients, each with the thresholds that it takes."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np

from .. import kernels
from ..arrays import Floats, Ints
from ..coefficients.records import Coefficient, catalogue
from ..errors import CallError
from ..ties import EXACT, Tolerance, tolerance


class Variant(NamedTuple):
    """A coefficient with one threshold for both rankings."""

    name: str
    width: float = 0.0
    ties_are_zero: bool = False

    @property
    def within(self) -> Tolerance:
        return Tolerance(self.width) if self.width else EXACT

    @property
    def label(self) -> str:
        return f"{self.name}({self.width:g})" if self.width else self.name

    def values(self, estimates: Floats, truths: Floats) -> Floats:
        """Row by row; NaN where it is not defined. On one thread: cells run side by side."""
        rows = np.ascontiguousarray(estimates), np.ascontiguousarray(truths)
        return kernels.batch(self.name, *rows, self.within, self.within, ties_are_zero=self.ties_are_zero, threads=1)[0]


def variants_of(
    coefficients: Iterable[str | Coefficient] | str | Coefficient, tied_within: Any, other_ties: str = "discordant"
) -> tuple[Variant, ...]:
    """Each coefficient once, and those that take a tolerance once for every threshold."""
    if other_ties not in ("discordant", "zero"):
        raise CallError(f"other_ties={other_ties!r} is unknown; use 'discordant' or 'zero'.")
    names = _listed(coefficients, (str, Coefficient), "coefficients", "names such as ('tau_b', 'tau_ap')")
    if not names:
        raise CallError("coefficients=[] asks for nothing.")
    listed = _listed(tied_within, (str, float, int, np.number, Tolerance), "tied_within", "numbers such as (0, 0.01)")
    if not listed:
        raise CallError("tied_within=[] asks for nothing; 0 is no tolerance.")
    widths = [tolerance(one) for one in listed]
    if any(width.relative for width in widths):
        raise CallError(
            "An experiment takes thresholds that are numbers such as 0.01, not shares of the smaller score."
        )
    found: dict[Variant, None] = {}
    for c in (catalogue[name] for name in names):
        for width in sorted({width.width for width in widths}) if c.takes_tolerance else [0.0]:
            found[Variant(c.name, width, other_ties == "zero" and c.name == "tau_ap_b")] = None
    return tuple(found)


def _listed(given: Any, one: tuple[type, ...], name: str, example: str) -> list[Any]:
    """One thing or several, as a list."""
    if isinstance(given, one):
        return [given]
    if not isinstance(given, Iterable):
        raise CallError(f"{name}={given!r}: give {example}.")
    return list(given)


class Moments(NamedTuple):
    """How many values, their mean, and the sum of their squared distances from it; any shape."""

    known: Ints
    mean: Floats
    spread: Floats

    @classmethod
    def of(cls, values: Floats) -> Moments:
        """Along the last axis; NaN does not known."""
        there = ~np.isnan(values)
        known = there.sum(-1)
        mean = np.where(there, values, 0.0).sum(-1) / np.maximum(known, 1)
        spread = np.where(there, (values - mean[..., None]) ** 2, 0.0).sum(-1)
        return cls(known, mean, spread)

    def plus(self, other: Moments) -> Moments:
        """Of both samples together (Chan's update)."""
        known = self.known + other.known
        share = np.divide(other.known, known, out=np.zeros(known.shape), where=known > 0)
        apart = other.mean - self.mean
        mean = self.mean + apart * share
        spread = self.spread + other.spread + apart**2 * self.known * share
        return Moments(known, mean, spread)

    @property
    def value(self) -> Floats:
        """The mean, NaN where there is no value."""
        return np.where(self.known > 0, self.mean, np.nan)

    @property
    def standard_error(self) -> Floats:
        """Of the mean; NaN below two values."""
        variance = self.spread / np.maximum(self.known - 1, 1)
        return np.where(self.known > 1, np.sqrt(variance / np.maximum(self.known, 1)), np.nan)
