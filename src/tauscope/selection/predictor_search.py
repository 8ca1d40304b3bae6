"""Every set of predictors, scored on one collection; the best of each size are kept."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import comb
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .. import kernels
from ..arrays import Floats
from ..errors import CallError
from ..jobs.progress import Progress
from ..scores.labels import Labels
from ..ties import snap_rows
from .columns import exponents
from .least_squares import BLOCK, LeastSquares, Sets, sets_of

CRITERIA = ("tau_b", "r2")
#: Criteria closer than this are equal: fewer predictors win, then the order of the predictors.
EQUAL = 12


class Fit(NamedTuple):
    """How well predictions do on one collection: order (tau_b), values (R², RMSE), and the share of systems in their interval."""

    collection: str
    systems: int
    tau_b: float
    r2: float
    rmse: float
    covered: float = np.nan


class Candidate(NamedTuple):
    """A set of predictors (columns), its criterion, and whether they are combinations of each other."""

    columns: tuple[int, ...]
    criterion: float
    singular: bool


@dataclass(frozen=True, eq=False)
class Training:
    """Systems x measures to learn from and, if there is one, the collection that sets are chosen on; the same columns."""

    values: Floats
    selection: Floats | None
    measures: Labels

    @cached_property
    def squares(self) -> LeastSquares:
        return LeastSquares(self.values)


def quality(predictions: Floats, truth: Floats) -> tuple[Floats, Floats, Floats]:
    """(tau_b, R², RMSE) of each row of predictions; undefined is NaN."""
    taus, _ = kernels.batch("tau_b", np.ascontiguousarray(snap_rows(predictions)), np.ascontiguousarray(truth[None]))
    errors = predictions - truth
    powers, power = exponents(errors), int(exponents(truth))
    errors, truth = np.ldexp(errors, -powers[:, None]), np.ldexp(truth, -power)
    squares = np.einsum("bi,bi->b", errors, errors)
    spread = float(((truth - truth.mean()) ** 2).sum())
    constant = np.ptp(truth) <= 1e-12 * np.abs(truth).max()
    r2 = np.full(len(squares), np.nan) if constant else 1 - np.ldexp(squares / spread, 2 * (powers - power))
    return taus, r2, np.ldexp(np.sqrt(squares / len(truth)), powers)


def search(
    training: Training,
    target: int,
    predictors: Sets,
    sizes: range,
    criterion: str,
    keep: int,
    progress: Progress | None = None,
) -> tuple[list[list[Candidate]], int, int]:
    """(the `keep` best sets of each size by linear regression, sets tried, singular ones among them)."""
    if criterion not in CRITERIA:
        raise CallError(f"criterion={criterion!r} is unknown; use 'tau_b' or 'r2'.")
    rows = len(training.values if training.selection is None else training.selection)
    total = sum(comb(len(predictors), size) for size in sizes)
    best: list[list[Candidate]] = []
    tried = singular = 0
    for size in sizes:
        kept: list[Candidate] = []
        for sets in sets_of(predictors, size, max(1, BLOCK // max(rows, size * len(training.measures)))):
            values, odd = _scored(training, target, sets, criterion)
            tried, singular = tried + len(sets), singular + int(odd.sum())
            # A stable sort: of equal criteria the set that comes first stays first.
            order = np.argsort(-np.round(np.where(np.isnan(values), -np.inf, values), EQUAL), kind="stable")[:keep]
            kept += [Candidate(tuple(sets[i].tolist()), float(values[i]), bool(odd[i])) for i in order]
            kept.sort(key=lambda one: -_rounded(one.criterion))
            del kept[keep:]
            if progress:
                progress(tried, total)
        best.append(kept)
    return best, tried, singular


def _scored(training: Training, target: int, sets: Sets, criterion: str) -> tuple[Floats, NDArray[np.bool_]]:
    fits = training.squares.fit(sets, target)
    if training.selection is None:
        truth, made = training.values[:, target], training.squares.left_out(fits, target)
    else:
        truth, made = training.selection[:, target], fits.predictions(training.selection)
    taus, r2, _ = quality(made, truth)
    return (taus if criterion == "tau_b" else r2), fits.singular


def _rounded(value: float) -> float:
    return -np.inf if np.isnan(value) else round(value, EQUAL)


def chosen(best: list[list[Candidate]]) -> Candidate:
    """The best of all sizes; of equal ones the smallest."""
    return max((size[0] for size in best if size), key=lambda one: (_rounded(one.criterion), -len(one.columns)))
