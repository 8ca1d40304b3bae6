"""Linear regressions of one target on very many sets of predictors at once.

The predictors are centred, scaled to length 1 and decomposed once, X = QR; a regression on the set S is then the small
problem min |z - R_S b|, z = Q'y. All sets of a size are solved together by the normal equations R_S'R_S (correlations)
in L D L' form, with one step of refinement on the residuals z - R_S b, which gives back the digits that squaring the
condition costs. A pivot of D is the share of a predictor's variance that the earlier ones of the set leave unexplained;
where one is below 1e-10 the set is singular, and is solved by the pseudo-inverse instead.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations, islice
from math import comb
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..core.arrays import Bools, Floats, exponents
from ..errors import Advice, CallError, Option

Sets = NDArray[np.intp]

#: Below this share of unexplained variance a predictor is a combination of the others in its set.
PIVOT = 1e-10
#: Cells of predictions made at once.
BLOCK = 1 << 22
#: More sets than this are not tried.
MOST_SETS = 5_000_000


@dataclass(frozen=True, eq=False)
class Fits:
    """Regressions on sets of one size: prediction = intercept + sum of slope x predictor."""

    sets: Sets
    intercept: Floats
    slopes: Floats
    singular: Bools

    def predictions(self, values: Floats) -> Floats:
        """Sets x observations, summed element by element: equal rows get equal predictions to the last digit."""
        made = np.repeat(self.intercept[:, None], len(values), axis=1)
        turned = np.ascontiguousarray(values.T)
        for place in range(self.sets.shape[1]):
            made += self.slopes[:, place, None] * turned[self.sets[:, place]]
        return made


class Centred(NamedTuple):
    """The mean of each column, the length of it centred (0 where it is constant but for rounding), and that of length
    1."""

    means: Floats
    lengths: Floats
    unit: Floats


@dataclass(frozen=True, eq=False)
class LeastSquares:
    """Ordinary least squares with an intercept, of any column of `values` on any sets of the others."""

    values: Floats

    @cached_property
    def centred(self) -> Centred:
        """The columns without their means."""
        means = self.values.mean(axis=0)
        centred = self.values - means
        powers = exponents(centred.T)
        scaled = np.ldexp(centred, -powers)
        lengths = np.ldexp(np.sqrt(np.einsum("ij,ij->j", scaled, scaled)), powers)
        lengths = np.where(lengths > 1e-13 * np.abs(self.values).max(axis=0), lengths, 0.0)  # constant but for rounding
        unit = np.divide(centred, lengths, out=np.zeros_like(centred), where=lengths > 0)
        return Centred(means, lengths, unit)

    @cached_property
    def _decomposed(self) -> tuple[Floats, Floats]:
        """(R, R'R), the second being the correlations"""
        r: Floats = np.asarray(np.linalg.qr(self.centred.unit, mode="r"))
        return r, r.T @ r

    def fit(self, sets: Sets, target: int) -> Fits:
        """The target on every set, a row of `sets` being the columns of one."""
        means, lengths, _ = self.centred
        r, gram = self._decomposed
        z = r[:, target]  # of length 1, like the predictors
        lower, pivots = _decompose(gram[sets[:, :, None], sets[:, None, :]])
        singular = np.asarray((pivots < PIVOT).any(axis=1))
        pivots = np.where(singular[:, None], 1.0, pivots)
        slopes = _solve(lower, pivots, gram[sets, target])
        parts = np.ascontiguousarray(r.T)[sets]  # sets x predictors x rows of R
        left = z - np.einsum("bk,bkr->br", slopes, parts)
        slopes += _solve(lower, pivots, np.einsum("bkr,br->bk", parts, left))
        for row in np.flatnonzero(singular):
            slopes[row] = np.linalg.lstsq(r[:, sets[row]], z, rcond=np.sqrt(PIVOT))[0]
        # A constant predictor has slope 0.
        slopes *= np.divide(lengths[target], lengths[sets], out=np.zeros(sets.shape), where=lengths[sets] > 0)
        intercept = means[target] - np.einsum("bk,bk->b", slopes, means[sets])
        return Fits(sets, intercept, slopes, singular)

    def leverages(self, sets: Sets) -> Floats:
        """Sets x observations: how much each observation pulls its own prediction, 1/n + x'(X'X)^-1 x."""
        columns = np.ascontiguousarray(self.centred.unit.T)[sets]  # sets x predictors x observations
        inverse = self.inverses(sets)
        return np.asarray(1 / len(self.values) + np.einsum("bkn,bkn->bn", columns, inverse @ columns))

    def inverses(self, sets: Sets) -> Floats:
        """(X'X)^-1 of each set, predictors of length 1; the pseudo-inverse where it is singular."""
        _, gram = self._decomposed
        return np.asarray(np.linalg.pinv(gram[sets[:, :, None], sets[:, None, :]], rcond=PIVOT, hermitian=True))

    def left_out(self, fits: Fits, target: int) -> Floats:
        """Sets x observations: each as predicted by the regression on all the others (leave-one-out, e/(1-h))."""
        truth = self.values[:, target]
        residuals = truth - fits.predictions(self.values)
        free = 1 - self.leverages(fits.sets)
        # An observation that alone carries a slope cannot be left out: undefined, not infinite.
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.asarray(np.where(free > 1e-12, truth - residuals / free, np.nan))


def _decompose(gram: Floats) -> tuple[Floats, Floats]:
    """L and D of many small matrices G = L D L', L with ones on its diagonal."""
    sets, k, _ = gram.shape
    lower, pivots = np.zeros((sets, k, k)), np.empty((sets, k))
    for j in range(k):
        scaled = lower[:, j, :j] * pivots[:, :j]
        pivots[:, j] = gram[:, j, j] - np.einsum("bi,bi->b", scaled, lower[:, j, :j])
        lower[:, j, j] = 1.0
        safe = np.where(pivots[:, j] < PIVOT, 1.0, pivots[:, j])
        for i in range(j + 1, k):
            lower[:, i, j] = (gram[:, i, j] - np.einsum("bi,bi->b", lower[:, i, :j], scaled)) / safe
    return lower, pivots


def _solve(lower: Floats, pivots: Floats, right: Floats) -> Floats:
    found = right.copy()
    k = right.shape[1]
    for i in range(k):
        found[:, i] -= np.einsum("bj,bj->b", lower[:, i, :i], found[:, :i])
    found /= pivots
    for i in reversed(range(k)):
        found[:, i] -= np.einsum("bj,bj->b", lower[:, i + 1 :, i], found[:, i + 1 :])
    return found


def sets_of(predictors: Sets, size: int, block: int) -> Iterator[Sets]:
    """All sets of one size of these columns, in their order, in blocks."""
    tried = comb(len(predictors), size)
    if tried > MOST_SETS:
        raise CallError(
            f"{tried:,} sets of {size} of {len(predictors)} predictors are too many to try (at most {MOST_SETS:,}).",
            Option("max_predictors", size - 1, effect="to try smaller sets"),
            Advice("Or name fewer predictors."),
        )
    every = combinations(range(len(predictors)), size)
    while chosen := list(islice(every, block)):
        yield predictors[np.array(chosen, dtype=np.intp)]
