"""What experiments share: coefficients with the thresholds that they take, moments of draws, the base of results."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from ..coefficients.records import Coefficient, catalogue
from ..core import checking, kernels
from ..core.arrays import EXACT, Floats, Ints, Tolerance, tolerance
from ..errors import CallError
from ..results import Plain, rows


class Variant(NamedTuple):
    """A coefficient with one threshold for both rankings.

    Parameters
    ----------
    name : str
        Name of the coefficient.
    width : float
        Scores at most this far apart are tied.
    ties_are_zero : bool
        Whether a tie of the ranking that is not walked counts 0 instead of -1.
    """

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
    variants: dict[Variant, None] = {}
    for c in (catalogue[name] for name in names):
        for width in sorted({width.width for width in widths}) if c.takes_tolerance else [0.0]:
            # Only a walk through both rankings meets ties of the one that it does not walk.
            variants[Variant(c.name, width, other_ties == "zero" and c.walks == "both")] = None
    return tuple(variants)


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

    @property
    def _coefficients(self) -> dict[str, Sequence[Any]]:
        """The axis of the variants, for `long_table()`."""
        return {"coefficient": [one.name for one in self.variants], "tied_within": [one.width for one in self.variants]}

    def to_dict(self) -> dict[str, Any]:
        return super().to_dict() | {"variants": [one.label for one in self.variants], "rows": rows(self.columns())}

    def cited(self) -> tuple[str, ...]:
        return (*self.PAPERS, *dict.fromkeys(catalogue[variant.name].paper for variant in self.variants))


def long_table(*axes: Mapping[str, Sequence[Any]], **values: Any) -> dict[str, Any]:
    """Lay out arrays that have one cell per combination of the axes as columns with one row per cell.

    Parameters
    ----------
    *axes : dict
        Name of the column -> labels along this axis of the arrays; several columns can describe one axis.
    **values : array
        Name of the column -> the cells.

    Returns
    -------
    dict
        Column -> values.

    Examples
    --------
    >>> long_table({"size": (10, 20)}, {"name": ("tau", "rbo")}, value=[[1, 2], [3, 4]])["name"].tolist()
    ['tau', 'rbo', 'tau', 'rbo']
    """
    places = np.indices([len(next(iter(axis.values()))) for axis in axes]).reshape(len(axes), -1)
    table: dict[str, Any] = {}
    for axis, at in zip(axes, places, strict=True):
        for name, labels in axis.items():
            table[name] = np.array(labels, object if isinstance(labels[0], str) else None)[at]
    return table | {name: np.asarray(cells).ravel() for name, cells in values.items()}


def among(value: Any, known: tuple[Any, ...], name: str) -> int:
    """The place of something that was tried, or an error that says what was."""
    if value not in known:
        raise CallError(f"{name}={value!r} was not tried; there are {', '.join(f'{one:g}' for one in known)}.")
    return known.index(value)


class Moments(NamedTuple):
    """Moments of many draws, which can be added up over parts.

    Parameters
    ----------
    known : array
        Number of values; NaN does not count.
    mean : array
        Their mean.
    spread : array
        The sum of their squared distances from the mean.
    """

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
