"""Predictive power: how well does one measure on some topics predict another on new ones? (webber2008; radja2018 7.1)"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from concurrent.futures import Executor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from .. import checking
from ..arrays import Floats, Ints
from ..coefficients.records import Coefficient, catalogue
from ..errors import CallError, TauscopeError
from ..jobs import Pool, run_cells, threads
from ..jobs.progress import Progress
from ..jobs.seeds import Rng, remembered
from ..results import Result, count, number, word
from ..scores import ScoreCube, Scores
from ..ties import snap_rows
from .variants import Moments, Variant, variants_of

#: Trials of a cell: the unit that a worker does and a checkpoint keeps. Numbers depend on it, so it is not an argument.
CHUNK = 250


@dataclass(frozen=True, eq=False, repr=False)
class PredictivePower(Result):
    """Mean coefficient between disjoint halves of the topics: `values[size, variant, truth, observer]`.

    Row = the measure that is predicted (the truth, on one half), column = the measure that predicts (the observer, on the
    other). `standard_errors` are of the draws: more trials make them smaller, more topics would move the values.
    `undefined` counts the trials without a value, which the means leave out.
    """

    measures: tuple[str, ...]
    variants: tuple[Variant, ...]
    sizes: tuple[int, ...]
    values: Floats = field(repr=False)
    standard_errors: Floats = field(repr=False)
    undefined: Ints = field(repr=False)
    draws: int
    systems: int
    topics: int
    seed: int
    collection: str = ""

    def table(self, coefficient: str | Coefficient, tied_within: float = 0.0, topics: int | None = None) -> Floats:
        """Row = truth, column = observer, as in the tables of radja2018; `topics` is one of the sizes, by default the largest."""
        found: Floats = self.values[self._place(coefficient, tied_within, topics)]
        return found

    def _place(self, coefficient: str | Coefficient, tied_within: float, topics: int | None) -> tuple[int, int]:
        name = catalogue[coefficient].name
        size = max(self.sizes) if topics is None else topics
        if size not in self.sizes:
            raise CallError(f"topics={size!r} was not tried; there are {', '.join(map(str, self.sizes))}.")
        for place, variant in enumerate(self.variants):
            if variant.name == name and abs(variant.width - tied_within) < 1e-12:
                return self.sizes.index(size), place
        raise CallError(
            f"{name} within {tied_within:g} was not computed; there are {', '.join(v.label for v in self.variants)}."
        )

    def lines(self) -> list[str]:
        size = self.sizes.index(max(self.sizes))
        first = self.variants[0]
        own = np.diagonal(self.values[size, 0])
        order = np.argsort(-np.nan_to_num(own, nan=-2), kind="stable")
        best = ", ".join(f"{self.measures[i]} {number(float(own[i]))}" for i in order[:5])
        where = f" ({self.collection})" if self.collection else ""
        sizes = (
            f"{max(self.sizes)} {word('topics')}"
            if len(self.sizes) == 1
            else f"{', '.join(map(str, self.sizes))} {word('topics')}"
        )
        error = float(np.nanmax(self.standard_errors)) if not np.isnan(self.standard_errors).all() else np.nan
        second = f"{count(self.draws, 'random split')} of {sizes}, {count(self.systems, 'system')}{where}; row = truth, column = observer; {count(len(self.variants), 'variant')}: {', '.join(v.label for v in self.variants[:6])}{', …' if len(self.variants) > 6 else ''}"
        return [
            f"predictive power of a measure for itself, {first.label}: {best}",
            second,
            f"webber2008, radja2018 section 7.1; Monte Carlo standard error at most {number(error, 4)}; {self._undefined()}; seed {self.seed}",
        ]

    def _undefined(self) -> str:
        told = []
        for place, variant in enumerate(self.variants):
            lost = self.undefined[:, place]
            if lost.any():
                told.append(
                    f"{variant.label} {int(lost.max()):,} of {self.draws:,} at worst, {int((lost == self.draws).sum()):,} of {lost.size:,} cells never defined"
                )
        return (
            f"undefined trials left out: {'; '.join(told[:3])}{'; …' if len(told) > 3 else ''}"
            if told
            else "defined in every trial"
        )

    def columns(self) -> Mapping[str, Any]:
        s, v, r, c = (axis.ravel() for axis in np.indices(self.values.shape))
        names = np.array(self.measures, object)
        return {
            "topics": np.array(self.sizes)[s],
            "coefficient": np.array([one.name for one in self.variants], object)[v],
            "tied_within": np.array([one.width for one in self.variants])[v],
            "truth": names[r],
            "observer": names[c],
            "value": self.values.ravel(),
            "standard_error": self.standard_errors.ravel(),
            "undefined": self.undefined.ravel(),
        }

    def to_dict(self) -> dict[str, Any]:
        from ..results import plain

        table = self.columns()
        rows = [
            dict(zip(table, row, strict=True))
            for row in zip(*(plain(values) for values in table.values()), strict=True)
        ]
        return super().to_dict() | {"variants": [variant.label for variant in self.variants], "rows": rows}

    def cited(self) -> tuple[str, ...]:
        return ("webber2008", "radja2018", *dict.fromkeys(catalogue[variant.name].paper for variant in self.variants))

    def plot(self, pairs: Iterable[tuple[str, str]] | None = None, tied_within: float | None = None) -> Any:
        """Curves by the number of topics, a panel a coefficient (radja2018, Figures 7.2 to 7.6), or for one size a heatmap.

        pairs: (truth, observer) to draw; by default every measure for itself, and the first two for each other.
        tied_within: only the variants with this threshold.
        """
        from ..figures import framed_curves, heatmap

        if len(self.sizes) == 1:
            title = f"predictive power, {self.variants[0].label}"
            return heatmap(
                self.values[0, 0],
                list(self.measures),
                list(self.measures),
                rows="truth",
                columns="observer",
                title=title,
            )
        default = [(name, name) for name in self.measures[:4]] + [
            (a, b) for a in self.measures[:2] for b in self.measures[:2] if a != b
        ]
        at = {name: place for place, name in enumerate(self.measures)}
        drawn, frames = [], []
        wanted = list(pairs or default)
        for place, variant in enumerate(self.variants):
            if tied_within is not None and abs(variant.width - tied_within) > 1e-12:
                continue
            for truth, observer in wanted:
                if truth not in at or observer not in at:
                    raise CallError(
                        f"There is no measure {truth if truth not in at else observer!r}; there are {', '.join(self.measures)}."
                    )
                drawn.append((f"{truth} by {observer}", self.values[:, place, at[truth], at[observer]]))
                frames.append(variant.label)
        return framed_curves(
            self.sizes,
            drawn,
            x=word("topics"),
            y="predictive power",
            title="Predictive power by the number of topics",
            frames=frames,
        )


def predictive_power(
    cube: ScoreCube | Scores,
    coefficients: Iterable[str | Coefficient] | str = ("tau_b",),
    *,
    draws: int = 2000,
    topics: int | Iterable[int] | None = None,
    tied_within: Any = (0.0,),
    other_ties: str = "discordant",
    rng: Rng = 0,
    executor: Executor | Pool | None = None,
    checkpoint: Path | None = None,
    progress: Progress | None = None,
) -> PredictivePower:
    """How well does a measure on some topics predict another, or itself, on new topics?

    Topics are split at random in two halves, `draws` times; systems are ranked by their means, by the row's measure on the
    one half (the truth) and by the column's on the other (the observer); the value is the mean of the coefficient
    (webber2008; radja2018, section 7.1). For `topics=(10, 20, 30)` a subset of that size is drawn first, then halved; of an
    odd number the observer has one more.

    Means that differ only by rounding tie. A trial in which a coefficient is undefined (tau, tau_ap: any tie) is counted in
    `.undefined` and left out of the mean. Every coefficient sees the same splits.
    Do not read it as the correlation with the true ranking: both halves are samples (`expected_correlation`).

    cube: `ScoreCube`, or `Scores` for one measure. coefficients: names; those that take a tolerance are computed for each of
    `tied_within`. other_ties: for tau_ap_b, "zero" as the tables of radja2018 did.
    executor, checkpoint, progress: as `jobs.cells`, by default threads; the numbers are the same with any.

    >>> import numpy as np
    >>> made = np.random.default_rng(0).normal(size=(40, 12)) + np.arange(12) / 4
    >>> print(predictive_power(Scores(made, measure="AP"), ["tau_b"], draws=200, rng=1))
    predictive power of a measure for itself, tau_b: AP 0.802
    200 random splits of 40 topics, 12 systems; row = truth, column = observer; 1 variant: tau_b
    webber2008, radja2018 section 7.1; Monte Carlo standard error at most 0.0046; defined in every trial; seed 1
    """
    if isinstance(cube, Scores):
        cube = ScoreCube.stack([cube], missing="keep")
    if not isinstance(cube, ScoreCube):
        raise CallError(
            "predictive_power() takes a ScoreCube (measures x topics x systems) or Scores; read_cube() and read_scores() make them."
        )
    cube.require_complete("predictive_power()")
    n, m = len(cube.topics), len(cube.systems)
    if m < 2:
        raise TauscopeError(f"predictive_power() ranks systems, and there is {count(m, 'system')}.")
    draws = checking.whole(draws, "draws", least=1)
    sizes = _sizes(topics, n)
    variants = variants_of(coefficients, tied_within, other_ties)
    seed = remembered(rng)
    values = np.ascontiguousarray(cube.values)
    cells: dict[Any, tuple[Any, ...]] = {
        (size, start): (values, size, min(CHUNK, draws - start), [tuple(variant) for variant in variants])
        for size in sizes
        for start in range(0, draws, CHUNK)
    }
    done = run_cells(
        _cell, cells, seed=seed, executor=executor or threads(), checkpoint=checkpoint, progress=progress
    ).require_all()
    totals = []
    for size in sizes:
        parts = [Moments(*done[key]) for key in cells if key[0] == size]
        total = parts[0]
        for part in parts[1:]:
            total = total.plus(part)
        totals.append(total)
    counts = np.stack([total.known for total in totals])
    return PredictivePower(
        cube.measures, variants, sizes, np.stack([total.value for total in totals]), np.stack([total.standard_error for total in totals]),
        draws - counts, int(draws), m, n, seed, cube.collection,
    )  # fmt: skip


def _sizes(topics: Any, n: int) -> tuple[int, ...]:
    listed = [n] if topics is None else [topics] if isinstance(topics, (int, np.integer)) else list(topics)
    for size in listed:
        if isinstance(size, bool) or not isinstance(size, (int, np.integer)) or not 2 <= size <= n:
            raise CallError(f"topics={size!r}: a subset to halve has from 2 to {n:,} of the {count(n, 'topic')}.")
    if not listed:
        raise CallError("topics=[] asks for nothing.")
    return tuple(sorted({int(size) for size in listed}))


def _cell(cube: Floats, size: int, draws: int, variants: Any, *, rng: np.random.Generator) -> list[Any]:
    """Some draws: moments, each variants x truth x observer."""
    k, n, _ = cube.shape
    order = rng.permuted(np.broadcast_to(np.arange(n), (draws, n)), axis=1)
    half = size // 2
    sides = [(order < half) / half, ((order >= half) & (order < size)) / (size - half)]
    # Not a product of matrices: that one's last digits may depend on how many threads it uses.
    truths, observers = ([snap_rows(np.einsum("tn,nm->tm", weights, measure)) for measure in cube] for weights in sides)
    chosen = [Variant(*variant) for variant in variants]
    values = np.empty((len(chosen), k, k, draws))
    for v, variant in enumerate(chosen):
        for row, truth in enumerate(truths):
            for column, observer in enumerate(observers):
                values[v, row, column] = variant.values(observer, truth)
    return list(Moments.of(values))
