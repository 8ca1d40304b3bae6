"""Swaps: what do coefficients say when a few pairs, significantly different or not, change places? (gao2015 4.1)"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from concurrent.futures import Executor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..arrays import Floats, Ints
from ..coefficients.records import Coefficient, catalogue
from ..errors import CallError, TauscopeError
from ..jobs import Pool, run_cells
from ..jobs.progress import Progress
from ..jobs.seeds import Rng, remembered
from ..reference.differences import paired_p_values
from ..reference.rankings import midranks
from ..results import Result, count, number, word
from ..scores import Scores
from ..ties import snap
from .variants import Variant, variants_of

PAIRS = {
    "significant": "significantly different pairs",
    "not": "pairs that are not significantly different",
    "any": "any pairs",
}
#: Draws of a cell. Numbers depend on it, so it is not an argument.
CHUNK = 50
#: Attempts at finding disjoint pairs before giving up.
ATTEMPTS = 100


@dataclass(frozen=True, eq=False, repr=False)
class SwapExperiment(Result):
    """Coefficients between a ranking and the same with some pairs swapped: `values[draw, variant]`.

    `ranks` are those of the first draw, (true, swapped), for the figure; `eligible` pairs of `all_pairs` could be drawn.
    """

    systems: tuple[str, ...]
    variants: tuple[Variant, ...]
    values: Floats = field(repr=False)
    pairs: str
    swaps: int
    draws: int
    alpha: float
    eligible: int
    all_pairs: int
    significant: int
    ranks: tuple[Floats, Floats] = field(repr=False)
    seed: int
    collection: str = ""
    #: False with one topic: then nothing can be tested, and `significant` says nothing.
    tested: bool = True

    @property
    def means(self) -> Floats:
        """The mean of each variant over the draws in which it is defined."""
        return np.array([one.mean() if len(one) else math.nan for one in self._known()])

    @property
    def standard_errors(self) -> Floats:
        """Of the means; NaN below two draws."""
        return np.array([one.std(ddof=1) / math.sqrt(len(one)) if len(one) > 1 else math.nan for one in self._known()])

    def _known(self) -> list[Floats]:
        return [column[~np.isnan(column)] for column in self.values.T]

    def __getitem__(self, name: str) -> float:
        """The mean of a coefficient: `found["tau_gap"]`."""
        for place, variant in enumerate(self.variants):
            if name in (variant.label, variant.name):
                return float(self.means[place])
        raise CallError(
            f"{name!r} was not computed; there are {', '.join(variant.label for variant in self.variants)}."
        )

    def lines(self) -> list[str]:
        values = ", ".join(
            f"{v.label} {number(a)} ± {number(b)}"
            for v, a, b in zip(self.variants, self.means, self.standard_errors, strict=True)
        )
        lost = int(np.isnan(self.values).sum(0).max(initial=0))
        tested = (
            f"one {word('topic')}: no pair can be tested for significance"
            if not self.tested
            else f"{self.significant:,} pairs have p < {self.alpha:g} (paired t-test, two-sided)"
        )
        undefined = f"; undefined in up to {lost:,} draws" if lost else ""
        return [
            f"{count(self.swaps, 'swap')} of {PAIRS[self.pairs]}: {values}",
            f"{count(self.draws, 'draw')} of disjoint pairs from {self.eligible:,} of {count(self.all_pairs, 'pair')}, {count(len(self.systems), 'system')}; {tested}{undefined}",
            f"gao2015 section 4.1; ± standard error over draws; seed {self.seed}",
        ]

    def columns(self) -> Mapping[str, Any]:
        return {
            "draw": np.arange(1, self.draws + 1),
            **{v.label: self.values[:, k] for k, v in enumerate(self.variants)},
        }

    def to_dict(self) -> dict[str, Any]:
        table = zip(self.variants, self.means, self.standard_errors, strict=True)
        known = super().to_dict() | ({} if self.tested else {"significant": None})
        return known | {"variants": [v.label for v in self.variants], "systems": len(self.systems),
                                    "means": {v.label: None if math.isnan(a) else float(a) for v, a, _ in table},
                                    "standard_errors": {v.label: None if math.isnan(b) else float(b) for v, b in zip(self.variants, self.standard_errors, strict=True)}}  # fmt: skip

    def cited(self) -> tuple[str, ...]:
        return ("gao2015", *dict.fromkeys(catalogue[variant.name].paper for variant in self.variants))

    def plot(self) -> Any:
        """Ranks before and after the first draw (gao2015, Figures 2 and 3)."""
        from ..figures import ranks

        return ranks(self.ranks[1], self.ranks[0], list(self.systems), names=("swapped", "true ranking"),
                     title=f"{count(self.swaps, 'swap')} of {PAIRS[self.pairs]}")  # fmt: skip


def swap_experiment(
    scores: Scores,
    pairs: str = "significant",
    *,
    swaps: int = 5,
    draws: int = 50,
    coefficients: Iterable[str | Coefficient] | str = ("pearson", "tau_ap", "tau_gap"),
    alpha: float = 0.05,
    tied_within: Any = 0.0,
    rng: Rng = 0,
    executor: Executor | Pool | None = None,
    checkpoint: Path | None = None,
    progress: Progress | None = None,
) -> SwapExperiment:
    """What does a coefficient say when a few systems that differ (or do not) change places?

    Each draw swaps the means of `swaps` pairs that have no system in common, drawn one after the other, each with equal
    chance among the pairs left; the ranking is the truth, the swapped one the estimate (gao2015, section 4.1). `pairs`:
    "significant" (two-sided paired t-test, p < alpha), "not", or "any".

    Means that differ only by rounding tie. Fewer disjoint pairs than `swaps` are an error.
    Do not compare the values of two collections: gaps, and what is significant, differ. One fixed swap: `pair_weights`.

    scores: topics x systems. executor, checkpoint, progress: as `jobs.cells`; the numbers are the same with any.

    >>> import numpy as np
    >>> made = np.random.default_rng(0).normal(size=(40, 20)) + np.arange(20) / 10
    >>> found = swap_experiment(Scores(made), "significant", swaps=2, rng=1)
    >>> found["tau_gap"] < found["tau_ap"]
    True
    """
    if not isinstance(scores, Scores):
        raise CallError("swap_experiment() takes Scores, topics x systems; read_scores() makes them.")
    scores.require_complete("swap_experiment()")
    if not isinstance(pairs, str) or pairs not in PAIRS:
        raise CallError(f"pairs={pairs!r} is unknown; use {', '.join(map(repr, PAIRS))}.")
    for name, value in (("swaps", swaps), ("draws", draws)):
        if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or value < 1:
            raise CallError(f"{name}={value!r}: give a whole number of at least 1.")
    if isinstance(alpha, bool) or not isinstance(alpha, (int, float, np.number)) or not 0 < alpha < 1:
        raise CallError(f"alpha={alpha!r}: give a level between 0 and 1, such as 0.05.")
    if pairs != "any" and len(scores) < 2:
        raise TauscopeError(f"A t-test needs two topics or more; there is {count(len(scores), 'topic')}.")
    variants = variants_of(coefficients, tied_within)
    m = len(scores.systems)
    first, second = np.triu_indices(m, 1)
    differs = paired_p_values(scores.values)[first, second] < alpha
    chosen = {"significant": differs, "not": ~differs, "any": np.ones(len(first), bool)}[pairs]
    eligible = np.stack([first[chosen], second[chosen]])
    if eligible.shape[1] == 0 or 2 * swaps > m:
        raise TauscopeError(
            f"{count(int(swaps), 'swap')} of {PAIRS[pairs]} cannot be drawn: there are {eligible.shape[1]:,} such pairs of {count(m, 'system')}."
        )
    means, _ = snap(scores.means())
    seed = remembered(rng)
    cells: dict[Any, tuple[Any, ...]] = {
        start: (means, eligible, int(swaps), min(CHUNK, draws - start), [tuple(v) for v in variants])
        for start in range(0, draws, CHUNK)
    }
    done = run_cells(_cell, cells, seed=seed, executor=executor, checkpoint=checkpoint, progress=progress).require_all()
    values = np.concatenate([done[key]["values"] for key in cells])
    ranks = midranks(-means) + 1, midranks(-np.asarray(done[0]["first"])) + 1
    return SwapExperiment(
        scores.systems, variants, values, pairs, int(swaps), int(draws), alpha, eligible.shape[1], len(first), int(differs.sum()), ranks, seed, scores.collection, len(scores) > 1,
    )  # fmt: skip


def _cell(
    means: Floats, eligible: Ints, swaps: int, draws: int, variants: Any, *, rng: np.random.Generator
) -> dict[str, Any]:
    """Some draws: the values, and the swapped means of the first."""
    rows = np.tile(means, (draws, 1))
    for row in rows:
        for i, j in _disjoint(eligible, swaps, len(means), rng):
            row[i], row[j] = row[j], row[i]
    truth = np.tile(means, (draws, 1))
    values = np.stack([Variant(*variant).values(rows, truth) for variant in variants], axis=1)
    return {"values": values, "first": rows[0]}


def _disjoint(eligible: Ints, swaps: int, systems: int, rng: np.random.Generator) -> list[tuple[int, int]]:
    """Pairs without a system in common, each drawn with equal chance among those left."""
    for _ in range(ATTEMPTS):
        free: NDArray[np.bool_] = np.ones(systems, bool)
        drawn: list[tuple[int, int]] = []
        while len(drawn) < swaps:
            left = np.flatnonzero(free[eligible[0]] & free[eligible[1]])
            if not len(left):
                break
            i, j = (int(end) for end in eligible[:, rng.choice(left)])
            free[[i, j]] = False
            drawn.append((i, j))
        if len(drawn) == swaps:
            return drawn
    raise TauscopeError(
        f"{swaps} pairs without a {word('system')} in common were not found in {ATTEMPTS} attempts; ask for fewer swaps."
    )
