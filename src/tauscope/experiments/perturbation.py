"""`perturb`: what do coefficients say when scores move but, if asked, no system changes its rank? (gao2016)"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from concurrent.futures import Executor
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from ..coefficients.records import Coefficient
from ..core import checking
from ..core.arrays import Floats, repeated
from ..core.checking import PERTURB_DRAWS, Progress, Rng, remembered
from ..data.ranking import as_ranking
from ..errors import CallError
from ..jobs import Pool, run_cells
from ..results import count, fact, large
from .variants import Experiment, Variant, among, documented, several, variants_of

QUARTILES = ("lowest", "first quartile", "median", "third quartile", "highest")


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Perturbation(Experiment):
    """Quartiles of coefficients between a ranking and its perturbed self.

    Attributes
    ----------
    amplitudes : tuple of float
        How far scores moved, ascending.
    variants : tuple of Variant
        Coefficients with their thresholds.
    values : array, amplitudes x variants x 5
        Lowest, first quartile, median, third quartile, highest.
    undefined : array, amplitudes x variants
        In how many draws there was no value.
    keep_ranks : bool
        Whether no system changes its rank.
    draws : int
        How many perturbed rankings of each amplitude.
    systems : tuple of str
        The systems, best first.
    truth : array
        Their scores.
    perturbed : array, amplitudes x systems
        One perturbed ranking of each amplitude, for the figure.
    seed : int
        Repeats the draws.
    """

    QUESTION: ClassVar[str] = "perturbation"
    PAPERS: ClassVar[tuple[str, ...]] = ("gao2016",)

    amplitudes: tuple[float, ...]
    variants: tuple[Variant, ...]
    values: Floats = large()
    undefined: Any = large()
    keep_ranks: bool
    draws: int
    systems: tuple[str, ...]
    truth: Floats = large()
    perturbed: Floats = large()
    seed: int

    def quartiles(self, coefficient: str | Coefficient, amplitude: float, tied_within: float = 0.0) -> Floats:
        """The spread of one coefficient at one amplitude.

        Parameters
        ----------
        coefficient : str or Coefficient
            One of those computed.
        amplitude : float
            One of `.amplitudes`.
        tied_within : float
            The threshold of the variant.

        Returns
        -------
        array of 5
            Lowest, first quartile, median, third quartile, highest.
        """
        at = among(amplitude, self.amplitudes, "amplitude")
        return np.asarray(self.values[at, self._place(coefficient, tied_within)])

    @fact
    def unmoved(self) -> tuple[str, ...]:
        """Coefficients that are 1 in every draw of every amplitude."""
        same = np.isclose(self.values, 1, rtol=0, atol=1e-12).all(axis=(0, 2))
        return tuple(v.label for v, still in zip(self.variants, np.atleast_1d(same).tolist(), strict=True) if still)

    @fact
    def medians(self) -> dict[str, float]:
        """The median of each coefficient at the largest amplitude."""
        return {v.label: float(self.values[-1, k, 2]) for k, v in enumerate(self.variants)}

    @fact
    def most_undefined(self) -> int:
        """The largest number of draws in which a coefficient has no value."""
        return int(self.undefined.max(initial=0))

    def columns(self) -> Mapping[str, Any]:
        labels = np.array([one.label for one in self.variants], object)
        return {
            "amplitude": repeated(self.amplitudes, len(labels)),
            "coefficient": np.tile(labels, len(self.amplitudes)),
            **{name: self.values[..., k].ravel() for k, name in enumerate(QUARTILES)},
            "undefined": self.undefined.ravel(),
        }


@documented(none="here")
def perturb(
    scores: Any,
    *,
    keep_ranks: bool = True,
    amplitudes: Iterable[float] | float = (0.25, 0.5, 1.0),
    draws: int = PERTURB_DRAWS,
    coefficients: Iterable[str | Coefficient] | str = ("tau", "tau_ap", "tau_gap", "pearson", "pearson_rank"),
    tied_within: Any = 0.0,
    rng: Rng = 0,
    executor: Executor | Pool | None = None,
    checkpoint: Path | None = None,
    progress: Progress | None = None,
) -> Perturbation:
    """What does a coefficient say when scores move and no system changes its rank?

    Every score moves uniformly between the midpoints to its two neighbours, `amplitude` of the way (1 is all of it);
    the perturbed ranking is the estimate, the scores are the truth (gao2016; its exact noise was only in pictures).
    tau, tau_ap and tau_gap stay 1; Pearson Rank sees the gaps. Equal scores move together and stay equal. The best
    score can only fall and the worst only rise: there is no neighbour to measure the other side by.

    Do not use it as a model of measurement error: gaps, not topics, make the noise here.

    Parameters
    ----------
    scores : Ranking, dict, Series, array or Scores
        Anything `Ranking` takes; of Scores the means.
    keep_ranks : bool
        If False, scores move up to the neighbours themselves, so that neighbours can change places.
    amplitudes : float or list of float
        How far scores move, from 0 to 1.
    draws : int
        How many perturbed rankings of each amplitude.
    <shared>

    Returns
    -------
    Perturbation

    Examples
    --------
    >>> found = perturb({"A": 0.9, "B": 0.5, "C": 0.2, "D": 0.1}, amplitudes=1, draws=100, rng=1)
    >>> [round(float(q), 3) for q in found.quartiles("tau_ap", 1)]
    [1.0, 1.0, 1.0, 1.0, 1.0]
    >>> bool(found.quartiles("pearson_rank", 1)[0] < 1)
    True
    """
    ranking = as_ranking(scores, "`scores`")
    if len(ranking) < 2:
        raise CallError(f"perturb() needs at least two systems; there is {count(len(ranking), 'system')}.")
    draws = checking.whole(draws, "draws", least=1)
    listed = several(amplitudes, (float, int, np.number), "amplitudes", "numbers from 0 to 1 such as (0.25, 0.5, 1)")
    tried = tuple(sorted({checking.share(one, "amplitudes", zero=True, one=True) for one in listed}))
    variants = variants_of(coefficients, tied_within)
    order = ranking.order()
    truth, sign = ranking.oriented[order], -1.0 if ranking.lower_is_better else 1.0
    seed = remembered(rng)
    cells: dict[Any, tuple[Any, ...]] = {
        f"{a:g}": (truth, a, bool(keep_ranks), draws, [tuple(v) for v in variants]) for a in tried
    }
    done = run_cells(_cell, cells, seed=seed, executor=executor, checkpoint=checkpoint, progress=progress).require_all()
    values, undefined, first = (
        np.stack([done[key][what] for key in cells]) for what in ("quartiles", "undefined", "first")
    )
    return Perturbation(
        amplitudes=tried,
        variants=variants,
        values=values,
        undefined=undefined,
        draws=draws,
        keep_ranks=bool(keep_ranks),
        systems=tuple(str(ranking.labels[i]) for i in order),
        truth=sign * truth + 0.0,
        perturbed=sign * first + 0.0,
        seed=seed,
    )


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
