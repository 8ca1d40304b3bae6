"""`swap_experiment`: what do coefficients say when a few pairs, significantly different or not, change places?"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from concurrent.futures import Executor
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from ..coefficients.records import Coefficient
from ..core import checking
from ..core.arrays import Bools, Floats, Ints, snap
from ..core.checking import SWAP_DRAWS, Progress, Rng, remembered
from ..core.differences import paired_p_values
from ..core.formulas import midranks
from ..data.scores import Scores
from ..errors import Advice, CallError, TauscopeError
from ..io.door import ScoresLike, takes_scores
from ..jobs import Pool, run_cells
from ..results import count, fact, large, word
from .variants import Experiment, Variant, documented, variants_of


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
        How many pairs in each draw, and how many draws.
    alpha : float
        A pair differs where its p-value is below.
    eligible, all_pairs, significant : int
        How many pairs could be drawn, there are, and differ significantly; None with one topic, where nothing can be
        tested.
    ranks : (array, array)
        True and swapped ranks of the first draw, for the figure.
    seed : int
        Repeats the draws.
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
@documented(none="here")
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
        How many pairs in each draw; fewer disjoint pairs than that are an error.
    draws : int
        How many draws.
    alpha : float
        The level of the t-test.
    <shared>

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
        there = (
            f"there are {eligible.shape[1]:,} such pairs of {count(m, 'system')}, each of which is swapped once at most"
        )
        raise TauscopeError(f"{count(swaps, 'swap')} of pairs={pairs!r} cannot be drawn: {there}.")
    means, _ = snap(scores.means())
    seed = remembered(rng)
    cells: dict[Any, tuple[Any, ...]] = {
        start: (means, eligible, swaps, min(CHUNK, draws - start), [tuple(v) for v in variants])
        for start in range(0, draws, CHUNK)
    }
    same = (means, eligible, swaps, [tuple(v) for v in variants])
    done = run_cells(
        _cell, cells, seed=seed, executor=executor, checkpoint=checkpoint, same=same, progress=progress
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
