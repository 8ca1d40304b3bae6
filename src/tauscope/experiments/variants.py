"""What experiments share: coefficients with the thresholds that they take, moments of draws, the base of results."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple, TypeVar

import numpy as np

from ..coefficients.records import Coefficient, catalogue
from ..core import checking, kernels
from ..core.arrays import EXACT, Floats, Ints, Tolerance, tolerance
from ..errors import CallError
from ..results import Plain, rows

#: What all experiments say of these arguments, written once; `documented` puts it in place of <shared> and <work>.
SHARED = """coefficients : str, Coefficient or list of them
        What the rankings are compared by.
    tied_within : float or list of float
        Thresholds of the coefficients that take one.
    rng : int, numpy.random.Generator or None
        The seed; None for fresh numbers.
    """
WORK = """executor : Executor, Pool or None
        Who does the work: what `tauscope.jobs` has, `processes()`, `threads()`, `cluster(address)`; None: {none}. The
        numbers are the same with any.
    checkpoint : path or None
        A file in which every finished cell is kept; the same call goes on where it stopped.
    progress : callable or None
        Called with (cells done, cells)."""
Function = TypeVar("Function", bound=Callable[..., Any])


def documented(*, none: str) -> Callable[[Function], Function]:
    """Fills in what experiments share in their docstrings; `none` says who does the work where nobody is named."""

    def fill(function: Function) -> Function:
        text = (function.__doc__ or "").replace("<shared>", f"{SHARED}<work>")
        function.__doc__ = text.replace("<work>", WORK.format(none=none))
        return function

    return fill


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

    def __str__(self) -> str:
        return self.label

    def values(self, estimates: Floats, truths: Floats) -> Floats:
        """Row by row; NaN where it is not defined. On one thread: cells run side by side."""
        rows = np.ascontiguousarray(estimates), np.ascontiguousarray(truths)
        c = catalogue[self.name]
        c = c.taking(other_ties="zero") if self.ties_are_zero and "other_ties" in c.own else c
        return kernels.batch(c, *rows, self.within, self.within, threads=1)[0]


def variants_of(
    coefficients: Iterable[str | Coefficient] | str | Coefficient, tied_within: Any, other_ties: str = "discordant"
) -> tuple[Variant, ...]:
    """Each coefficient once, and those that take a tolerance once for every threshold."""
    checking.one_of(other_ties, ("discordant", "zero"), "other_ties")
    names = several(coefficients, (str, Coefficient), "coefficients", "names such as ('tau_b', 'tau_ap')")
    kinds = (str, float, int, np.number, Tolerance)
    listed = several(tied_within, kinds, "tied_within", "numbers such as (0, 0.01); 0 is no tolerance")
    widths = [tolerance(one) for one in listed]
    if any(width.relative for width in widths):
        raise CallError(
            "An experiment takes thresholds that are numbers such as 0.01, not shares of the smaller score."
        )
    found: dict[Variant, None] = {}
    for c in (catalogue[name] for name in names):
        for width in sorted({width.width for width in widths}) if c.takes_tolerance else [0.0]:
            # Only a walk through both rankings meets ties of the one that it does not walk.
            found[Variant(c.name, width, other_ties == "zero" and c.walks == "both")] = None
    return tuple(found)


def several(given: Any, one: tuple[type, ...], name: str, example: str) -> list[Any]:
    """One thing or several, as a list that is not empty."""
    listed = [given] if isinstance(given, one) else list(given) if isinstance(given, Iterable) else []
    if not listed:
        raise CallError(f"{name}={given!r}: give {example}.")
    return listed


class Experiment(Plain):
    """Base of the results of experiments with variants of coefficients."""

    variants: tuple[Variant, ...]

    def _place(self, coefficient: str | Coefficient, tied_within: float) -> int:
        """Where a variant stands, or an error that says which there are."""
        name = catalogue[coefficient].name
        for place, variant in enumerate(self.variants):
            if variant.name == name and abs(variant.width - tied_within) < 1e-12:
                return place
        there = ", ".join(variant.label for variant in self.variants)
        raise CallError(f"{name} within {tied_within:g} was not computed; there are {there}.")

    def to_dict(self) -> dict[str, Any]:
        return super().to_dict() | {"variants": [one.label for one in self.variants], "rows": rows(self.columns())}

    def cited(self) -> tuple[str, ...]:
        return (*self.PAPERS, *dict.fromkeys(catalogue[variant.name].paper for variant in self.variants))


def among(value: Any, known: tuple[Any, ...], name: str) -> int:
    """The place of something that was tried, or an error that says what was."""
    if value not in known:
        raise CallError(f"{name}={value!r} was not tried; there are {', '.join(f'{one:g}' for one in known)}.")
    return known.index(value)


class Moments(NamedTuple):
    """How many values, their mean, and the sum of their squared distances from it; any shape."""

    known: Ints
    mean: Floats
    spread: Floats

    @classmethod
    def of(cls, values: Floats) -> Moments:
        """Along the last axis; NaN does not count."""
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
