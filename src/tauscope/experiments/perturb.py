"""Perturbations: what do coefficients say when scores move but, if asked, no system changes its rank? (gao2016)"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from concurrent.futures import Executor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from ..arrays import Floats
from ..coefficients.records import Coefficient, catalogue
from ..errors import CallError
from ..jobs import Pool, run_cells
from ..jobs.progress import Progress
from ..jobs.seeds import Rng, remembered
from ..ranking import as_ranking
from ..results import Result, count, number, plain
from .variants import Variant, variants_of

QUARTILES = ("lowest", "first quartile", "median", "third quartile", "highest")


@dataclass(frozen=True, eq=False, repr=False)
class Perturbation(Result):
    """Quartiles of coefficients between a ranking and its perturbed self: `values[amplitude, variant, quartile]`.

    `perturbed` has one perturbed ranking for each amplitude, `truth` the scores they come from, best first.
    """

    amplitudes: tuple[float, ...]
    variants: tuple[Variant, ...]
    values: Floats = field(repr=False)
    undefined: Any = field(repr=False)
    keep_ranks: bool
    draws: int
    systems: tuple[str, ...] = field(repr=False)
    truth: Floats = field(repr=False)
    perturbed: Floats = field(repr=False)
    seed: int

    def quartiles(self, coefficient: str | Coefficient, amplitude: float, tied_within: float = 0.0) -> Floats:
        """Lowest, first quartile, median, third quartile, highest."""
        name = catalogue[coefficient].name
        if amplitude not in self.amplitudes:
            raise CallError(
                f"amplitude={amplitude!r} was not tried; there are {', '.join(f'{a:g}' for a in self.amplitudes)}."
            )
        for place, variant in enumerate(self.variants):
            if variant.name == name and abs(variant.width - tied_within) < 1e-12:
                return np.asarray(self.values[self.amplitudes.index(amplitude), place])
        raise CallError(
            f"{name} within {tied_within:g} was not computed; there are {', '.join(v.label for v in self.variants)}."
        )

    def lines(self) -> list[str]:
        moved = [k for k in range(len(self.variants)) if not np.allclose(self.values[:, k], 1, rtol=0, atol=1e-12)] or [
            0
        ]
        k = moved[-1]
        table = "; ".join(
            f"{a:g}: {' '.join(number(q, 2) for q in self.values[p, k])}" for p, a in enumerate(self.amplitudes)
        )
        same = [
            v.label
            for i, v in enumerate(self.variants)
            if i not in moved and np.allclose(self.values[:, i], 1, rtol=0, atol=1e-12)
        ]
        ranks = "ranks kept" if self.keep_ranks else "neighbours may change places"
        always = f"; always 1: {', '.join(same)}" if same else ""
        lost = int(self.undefined.max(initial=0))
        undefined = f"; undefined in up to {lost:,} draws" if lost else ""
        return [
            f"{self.variants[k].label}, quartiles by amplitude: {table}",
            f"{count(self.draws, 'draw')}, {count(len(self.systems), 'system')}, {ranks}{always}{undefined}",
            f"gao2016; seed {self.seed}",
        ]

    def columns(self) -> Mapping[str, Any]:
        a, v = (axis.ravel() for axis in np.indices(self.values.shape[:2]))
        flat = self.values.reshape(-1, len(QUARTILES))
        return {
            "amplitude": np.array(self.amplitudes)[a],
            "coefficient": np.array([one.label for one in self.variants], object)[v],
            **{name: flat[:, k] for k, name in enumerate(QUARTILES)},
            "undefined": self.undefined.ravel(),
        }

    def to_dict(self) -> dict[str, Any]:
        table = self.columns()
        rows = [
            dict(zip(table, row, strict=True))
            for row in zip(*(plain(column) for column in table.values()), strict=True)
        ]
        return super().to_dict() | {"variants": [v.label for v in self.variants], "rows": rows}

    def cited(self) -> tuple[str, ...]:
        return ("gao2016", *dict.fromkeys(catalogue[variant.name].paper for variant in self.variants))

    def plot(self, amplitude: float | None = None) -> Any:
        """Perturbed scores against the true ones, of one draw."""
        from ..figures import scatter

        chosen = self.amplitudes[-1] if amplitude is None else amplitude
        if chosen not in self.amplitudes:
            raise CallError(
                f"amplitude={amplitude!r} was not tried; there are {', '.join(f'{a:g}' for a in self.amplitudes)}."
            )
        return scatter(self.truth, self.perturbed[self.amplitudes.index(chosen)], list(self.systems), x="score", y="perturbed score",
                       title=f"Scores perturbed with amplitude {chosen:g}", diagonal=True)  # fmt: skip


def perturb(
    scores: Any,
    *,
    keep_ranks: bool = True,
    amplitudes: Iterable[float] | float = (0.25, 0.5, 1.0),
    draws: int = 1000,
    coefficients: Iterable[str | Coefficient] | str = ("tau", "tau_ap", "tau_gap", "pearson", "pearson_rank"),
    tied_within: Any = 0.0,
    rng: Rng = 0,
    executor: Executor | Pool | None = None,
    checkpoint: Path | None = None,
    progress: Progress | None = None,
) -> Perturbation:
    """What does a coefficient say when scores move and no system changes its rank?

    Every score moves uniformly between the midpoints to its two neighbours, `amplitude` of the way (1 is all of it); the
    perturbed ranking is the estimate, the scores are the truth (gao2016; its exact noise was only in pictures). tau, tau_ap
    and tau_gap stay 1; Pearson Rank sees the gaps. With keep_ranks=False scores move up to the neighbours themselves, so
    that neighbours can change places.

    Equal scores move together and stay equal. The best score can only fall and the worst only rise: there is no neighbour
    to measure the other side by. Do not use it as a model of measurement error: gaps, not topics, make the noise here.

    scores: anything `Ranking` takes, or `Scores` (their means). amplitudes: from 0 to 1.

    >>> found = perturb({"A": 0.9, "B": 0.5, "C": 0.2, "D": 0.1}, amplitudes=1, draws=100, rng=1)
    >>> [round(float(q), 3) for q in found.quartiles("tau_ap", 1)]
    [1.0, 1.0, 1.0, 1.0, 1.0]
    >>> bool(found.quartiles("pearson_rank", 1)[0] < 1)
    True
    """
    ranking = as_ranking(scores, "`scores`")
    if ranking.lower_is_better:
        raise CallError("perturb() takes scores of which higher is better.")
    if len(ranking) < 2:
        raise CallError(f"perturb() needs at least two systems; there is {count(len(ranking), 'system')}.")
    if isinstance(draws, bool) or not isinstance(draws, (int, np.integer)) or draws < 1:
        raise CallError(f"draws={draws!r}: give a whole number of at least 1.")
    try:
        tried = tuple(
            sorted({float(a) for a in ([amplitudes] if isinstance(amplitudes, (int, float)) else amplitudes)})
        )
    except (TypeError, ValueError):
        raise CallError(f"amplitudes={amplitudes!r}: give numbers from 0 to 1 such as (0.25, 0.5, 1).") from None
    if not tried or not all(0 <= one <= 1 for one in tried):  # NaN is neither
        raise CallError(f"amplitudes={amplitudes!r}: give numbers from 0 to 1 such as (0.25, 0.5, 1).")
    variants = variants_of(coefficients, tied_within)
    order = ranking.order()
    truth = ranking.scores[order]
    seed = remembered(rng)
    cells: dict[Any, tuple[Any, ...]] = {
        f"{a:g}": (truth, a, bool(keep_ranks), int(draws), [tuple(v) for v in variants]) for a in tried
    }
    done = run_cells(_cell, cells, seed=seed, executor=executor, checkpoint=checkpoint, progress=progress).require_all()
    return Perturbation(
        tried, variants, np.stack([done[key]["quartiles"] for key in cells]), np.stack([done[key]["undefined"] for key in cells]),
        bool(keep_ranks), int(draws), tuple(str(ranking.labels[i]) for i in order), truth, np.stack([done[key]["first"] for key in cells]), seed,
    )  # fmt: skip


def perturbed_scores(truth: Floats, amplitude: float, keep_ranks: bool, draws: int, rng: np.random.Generator) -> Floats:
    """draws x systems; scores of which higher is better, in any order."""
    values, group = np.unique(truth, return_inverse=True)
    gaps = np.diff(values)
    reach = amplitude * (0.5 if keep_ranks else 1.0)
    down, up = np.concatenate(([0.0], reach * gaps)), np.concatenate((reach * gaps, [0.0]))
    moved = values + rng.uniform(-down, up, size=(draws, len(values)))
    if keep_ranks:  # two neighbours at their common midpoint, up to rounding
        moved = np.maximum.accumulate(moved, axis=1)
        moved = np.where(np.diff(moved, axis=1, prepend=-np.inf) > 0, moved, np.nextafter(moved, np.inf))
    return np.ascontiguousarray(moved[:, group])


def _cell(
    truth: Floats, amplitude: float, keep_ranks: bool, draws: int, variants: Any, *, rng: np.random.Generator
) -> dict[str, Any]:
    """All draws of one amplitude."""
    rows = perturbed_scores(truth, amplitude, keep_ranks, draws, rng)
    gold = np.tile(truth, (draws, 1))
    values = np.stack([Variant(*variant).values(rows, gold) for variant in variants])
    known = [one[~np.isnan(one)] for one in values]
    quartiles = np.stack(
        [np.quantile(one, (0, 0.25, 0.5, 0.75, 1)) if len(one) else np.full(5, np.nan) for one in known]
    )
    return {"quartiles": quartiles, "undefined": np.isnan(values).sum(axis=1), "first": rows[0]}
