"""What do coefficients say of known changes? `swap_experiment` exchanges pairs of systems, `perturb` moves scores."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from ..coefficients.records import Coefficient
from ..core import checking
from ..core.arrays import Bools, Floats, Ints, snap
from ..core.checking import PERTURB_DRAWS, SWAP_DRAWS, Progress, Rng, remembered
from ..core.differences import paired_p_values
from ..core.formulas import midranks
from ..data.ranking import as_ranking
from ..data.scores import Scores
from ..errors import Advice, CallError, TauscopeError
from ..io.door import ScoresLike, takes_scores
from ..jobs import Pool, run_cells
from ..results import count, fact, large, word
from .variants import Experiment, Variant, among, long_table, several, variants_of


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class SwapExperiment(Experiment):
    """Coefficients between a ranking and the same with some pairs swapped; `found["tau_gap"]` is a mean.

    Attributes
    ----------
    systems : tuple of str
        The systems.
    variants : tuple of Variant
        Coefficients with their thresholds.
    values : array, draws x variants
        One value per draw.
    pairs : {"significant", "not", "any"}
        Which pairs were swapped.
    swaps, draws : int
        Number of pairs in each draw, and number of draws.
    alpha : float
        A pair differs where its p-value is below.
    eligible, all_pairs, significant : int
        Number of pairs that could be drawn, of all pairs, and of those that differ significantly; None with one topic,
        where nothing can be tested.
    ranks : (array, array)
        True and swapped ranks of the first draw, for the figure.
    seed : int
        Seed of the draws.
    collection : str
        The name of the collection.
    """

    QUESTION: ClassVar[str] = "swap_experiment"
    PAPERS: ClassVar[tuple[str, ...]] = ("gao2015",)

    systems: tuple[str, ...]
    variants: tuple[Variant, ...]
    values: Floats = large()
    pairs: str
    swaps: int
    draws: int
    alpha: float
    eligible: int
    all_pairs: int
    significant: int | None
    ranks: tuple[Floats, Floats] = large()
    seed: int
    collection: str = ""

    @fact
    def means(self) -> Floats:
        """array: The mean of each variant over the draws in which it is defined."""
        return np.array([one.mean() if len(one) else math.nan for one in self._known()])

    @fact
    def standard_errors(self) -> Floats:
        """array: The standard errors of the means; NaN below two draws."""
        return np.array([one.std(ddof=1) / math.sqrt(len(one)) if len(one) > 1 else math.nan for one in self._known()])

    @fact
    def most_undefined(self) -> int:
        """The largest number of draws in which a coefficient has no value."""
        return int(np.isnan(self.values).sum(0).max(initial=0))

    def _known(self) -> list[Floats]:
        return [column[~np.isnan(column)] for column in self.values.T]

    def __getitem__(self, name: str) -> float:
        """The mean of a coefficient: `found["tau_gap"]`."""
        for place, variant in enumerate(self.variants):
            if name in (variant.label, variant.name):
                return float(self.means[place])
        raise CallError(f"{name!r} was not computed; there are {', '.join(v.label for v in self.variants)}.")

    def columns(self) -> Mapping[str, Any]:
        labels = [variant.label for variant in self.variants]
        return {"coefficient": labels, "mean": self.means, "standard_error": self.standard_errors}

    def each_draw(self) -> dict[str, Any]:
        """Return one column per coefficient, with one value per draw.

        Returns
        -------
        dict
            Column -> values.
        """
        columns = {v.label: self.values[:, k] for k, v in enumerate(self.variants)}
        return {"draw": np.arange(1, self.draws + 1), **columns}


#: Which pairs may be swapped.
PAIRS = ("significant", "not", "any")
#: Draws of a cell. Numbers depend on it, so it is not an argument.
CHUNK = 50
#: Attempts at finding disjoint pairs before giving up.
ATTEMPTS = 100


@takes_scores("scores", in_order=("systems",))
def swap_experiment(
    scores: ScoresLike,
    pairs: str = "significant",
    *,
    swaps: int = 5,
    draws: int = SWAP_DRAWS,
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
    chance among the pairs left; the ranking is the truth, the swapped one the estimate (gao2015, section 4.1). Means
    that differ only by rounding tie.

    Do not compare the values of two collections: gaps, and what is significant, differ.

    Parameters
    ----------
    scores : Scores, or what Scores.read() takes
        Topics x systems.
    pairs : {"significant", "not", "any"}
        Which pairs may be drawn: those that differ by a two-sided paired t-test (p < alpha), those that do not, or any.
    swaps : int
        Number of pairs in each draw; fewer disjoint pairs than that are an error.
    draws : int
        Number of draws.
    alpha : float
        The level of the t-test.
    coefficients : str, Coefficient or list of them
        What the rankings are compared by.
    tied_within : float or list of float
        Thresholds of the coefficients that take one.
    rng, executor, checkpoint, progress
        As in `estimator_study()`.

    Returns
    -------
    SwapExperiment

    Raises
    ------
    TauscopeError
        If so many disjoint pairs cannot be drawn, or one topic is to be tested.

    See Also
    --------
    pair_weights : What one swap costs, for every pair, without drawing any.

    Examples
    --------
    >>> import numpy as np
    >>> made = np.random.default_rng(0).normal(size=(40, 20)) + np.arange(20) / 10
    >>> found = swap_experiment(Scores(made), "significant", swaps=2, rng=1)
    >>> found["tau_gap"] < found["tau_ap"]
    True
    >>> found = swap_experiment(Scores(made), "not", swaps=2, rng=1)
    >>> found["tau_gap"] > found["tau_ap"]
    True
    """
    if not isinstance(scores, Scores):
        raise CallError(
            f"swap_experiment() takes Scores, topics x systems, not {type(scores).__name__}.",
            Advice("Scores.read() makes them.", shell=""),
        )
    scores.require_complete("swap_experiment()")
    checking.one_of(pairs, PAIRS, "pairs")
    swaps, draws = checking.whole(swaps, "swaps", least=1), checking.whole(draws, "draws", least=1)
    alpha = checking.level(alpha, "alpha")
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
            f"{count(swaps, 'swap')} of pairs={pairs!r} cannot be drawn: there are {eligible.shape[1]:,} such pairs "
            f"of {count(m, 'system')}, each of which is swapped once at most."
        )
    means, _ = snap(scores.means())
    seed = remembered(rng)
    cells: dict[Any, tuple[Any, ...]] = {
        start: (means, eligible, swaps, min(CHUNK, draws - start), variants) for start in range(0, draws, CHUNK)
    }
    same = (means, eligible, swaps, variants)
    done = run_cells(
        _swapped, cells, seed=seed, executor=executor, checkpoint=checkpoint, same=same, progress=progress
    ).require_all()
    values = np.concatenate([done[key]["values"] for key in cells])
    ranks = midranks(-means) + 1, midranks(-np.asarray(done[0]["first"])) + 1
    return SwapExperiment(
        systems=scores.systems,
        variants=variants,
        values=values,
        pairs=pairs,
        swaps=swaps,
        draws=draws,
        alpha=alpha,
        eligible=eligible.shape[1],
        all_pairs=len(first),
        significant=int(differs.sum()) if len(scores) > 1 else None,
        ranks=ranks,
        seed=seed,
        collection=scores.collection,
    )


def _swapped(
    means: Floats, eligible: Ints, swaps: int, draws: int, variants: Sequence[Variant], *, rng: np.random.Generator
) -> dict[str, Any]:
    """Some draws: the values, and the swapped means of the first."""
    rows = np.tile(means, (draws, 1))
    for row in rows:
        for i, j in _disjoint(eligible, swaps, len(means), rng):
            row[i], row[j] = row[j], row[i]
    truth = np.tile(means, (draws, 1))
    values = np.stack([variant.values(rows, truth) for variant in variants], axis=1)
    return {"values": values, "first": rows[0]}


def _disjoint(eligible: Ints, swaps: int, systems: int, rng: np.random.Generator) -> list[tuple[int, int]]:
    """Pairs without a system in common, each drawn with equal chance among those left."""
    for _ in range(ATTEMPTS):
        free: Bools = np.ones(systems, bool)
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
        f"{swaps} pairs without a {word('system')} in common were not found in {ATTEMPTS} attempts.",
        Advice("Ask for fewer swaps."),
    )


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
        Number of draws without a value.
    keep_ranks : bool
        Whether no system changes its rank.
    draws : int
        Number of perturbed rankings of each amplitude.
    systems : tuple of str
        The systems, best first.
    truth : array
        Their scores.
    perturbed : array, amplitudes x systems
        One perturbed ranking of each amplitude, for the figure.
    seed : int
        Seed of the draws.
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
        labels = {"coefficient": [one.label for one in self.variants]}
        cells = dict(zip(QUARTILES, np.moveaxis(self.values, -1, 0), strict=True)) | {"undefined": self.undefined}
        return long_table({"amplitude": self.amplitudes}, labels, **cells)


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
        Number of perturbed rankings of each amplitude.
    coefficients : str, Coefficient or list of them
        What the rankings are compared by.
    tied_within : float or list of float
        Thresholds of the coefficients that take one.
    rng, executor, checkpoint, progress
        As in `estimator_study()`.

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
    cells: dict[Any, tuple[Any, ...]] = {f"{a:g}": (truth, a, bool(keep_ranks), draws, variants) for a in tried}
    done = run_cells(
        _moved, cells, seed=seed, executor=executor, checkpoint=checkpoint, progress=progress
    ).require_all()
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


def _moved(
    truth: Floats,
    amplitude: float,
    keep_ranks: bool,
    draws: int,
    variants: Sequence[Variant],
    *,
    rng: np.random.Generator,
) -> dict[str, Any]:
    """All draws of one amplitude."""
    rows = perturbed_scores(truth, amplitude, keep_ranks, draws, rng)
    gold = np.tile(truth, (draws, 1))
    values = np.stack([variant.values(rows, gold) for variant in variants])
    known = [one[~np.isnan(one)] for one in values]
    quartiles = np.stack(
        [np.quantile(one, (0, 0.25, 0.5, 0.75, 1)) if len(one) else np.full(5, np.nan) for one in known]
    )
    return {"quartiles": quartiles, "undefined": np.isnan(values).sum(axis=1), "first": rows[0]}
