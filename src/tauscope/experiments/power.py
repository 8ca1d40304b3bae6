"""`predictive_power`: how well does one measure on some topics predict another on new ones? (webber2008)"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from functools import reduce
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from ..coefficients.records import Coefficient
from ..core import checking
from ..core.arrays import Floats, Ints, snap_rows
from ..core.checking import POWER_DRAWS, Progress, Rng, remembered
from ..data.cube import ScoreCube
from ..data.scores import Scores
from ..errors import Advice, CallError, TauscopeError
from ..io.door import ScoresLike, scores_or_cube, tells_oddities
from ..jobs import Pool, run_cells, threads
from ..results import count, fact, large
from .variants import Experiment, Moments, Variant, among, long_table, several, variants_of

#: Trials of a cell: the unit that a worker does and a checkpoint keeps. Numbers depend on it, so it is not an argument.
CHUNK = 250


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class PredictivePower(Experiment):
    """The mean coefficient between disjoint halves of the topics.

    Row = the measure that is predicted (the truth, on one half), column = the measure that predicts (the observer, on
    the other).

    Attributes
    ----------
    measures : tuple of str
        The measures.
    variants : tuple of Variant
        Coefficients with their thresholds.
    sizes : tuple of int
        Numbers of topics that were halved.
    values : array, sizes x variants x measures x measures
        The means, row = truth, column = observer.
    standard_errors : array
        Of the draws: more of them make these smaller, more topics would move the values.
    undefined : array
        Number of draws without a value, which the means leave out.
    draws : int
        Number of random splits.
    systems, topics : int
        Number of systems, and of topics.
    seed : int
        Seed of the draws.
    collection : str
        The name of the collection.
    """

    QUESTION: ClassVar[str] = "power"
    PAPERS: ClassVar[tuple[str, ...]] = ("webber2008", "radja2018")

    measures: tuple[str, ...]
    variants: tuple[Variant, ...]
    sizes: tuple[int, ...]
    values: Floats = large()
    standard_errors: Floats = large()
    undefined: Ints = large()
    draws: int
    systems: int
    topics: int
    seed: int
    collection: str = ""

    def table(self, coefficient: str | Coefficient, tied_within: float = 0.0, topics: int | None = None) -> Floats:
        """One coefficient, as in the tables of radja2018.

        Parameters
        ----------
        coefficient : str or Coefficient
            One of those computed.
        tied_within : float
            The threshold of the variant.
        topics : int or None
            One of `.sizes`; None for the largest.

        Returns
        -------
        array, measures x measures
            Row = truth, column = observer.
        """
        size = among(max(self.sizes) if topics is None else topics, self.sizes, "topics")
        return np.asarray(self.values[size, self._place(coefficient, tied_within)])

    def select(self, measures: Sequence[str]) -> PredictivePower:
        """Keep some of the measures.

        Parameters
        ----------
        measures : list of str
            Their names.

        Returns
        -------
        PredictivePower
        """
        at = [among(name, self.measures, "measures") for name in measures]
        some = np.ix_(range(len(self.sizes)), range(len(self.variants)), at, at)
        parts = {name: getattr(self, name)[some] for name in ("values", "standard_errors", "undefined")}
        return replace(self, measures=tuple(measures), **parts)

    @fact
    def of_itself(self) -> dict[str, float]:
        """How well each measure predicts itself by the first coefficient at the largest size, the best first."""
        diagonal = np.diagonal(self.values[self.sizes.index(max(self.sizes)), 0])
        order = np.argsort(-np.nan_to_num(diagonal, nan=-2), kind="stable")
        return {self.measures[i]: float(diagonal[i]) for i in order}

    @fact
    def error(self) -> float:
        """The largest Monte Carlo standard error; NaN with one draw."""
        known = self.standard_errors[~np.isnan(self.standard_errors)]
        return float(known.max()) if known.size else math.nan

    @fact
    def most_undefined(self) -> int:
        """The largest number of draws without a value for a pair of measures."""
        return int(self.undefined.max(initial=0))

    def columns(self) -> Mapping[str, Any]:
        axes = {"topics": self.sizes}, self._coefficients, {"truth": self.measures}, {"observer": self.measures}
        values = {"value": self.values, "standard_error": self.standard_errors, "undefined": self.undefined}
        return long_table(*axes, **values)


@tells_oddities()
def predictive_power(
    cube: ScoresLike,
    coefficients: Iterable[str | Coefficient] | str = ("tau_b",),
    *,
    draws: int = POWER_DRAWS,
    topics: int | Iterable[int] | None = None,
    tied_within: Any = (0.0,),
    other_ties: str = "discordant",
    rng: Rng = 0,
    executor: Executor | Pool | None = None,
    checkpoint: Path | None = None,
    progress: Progress | None = None,
) -> PredictivePower:
    """How well does a measure on some topics predict another, or itself, on new topics?

    Topics are split at random in two halves, `draws` times; systems are ranked by their means, by the row's measure on
    the one half (the truth) and by the column's on the other (the observer); the value is the mean of the coefficient
    (webber2008; radja2018, section 7.1). Means that differ only by rounding tie. A trial in which a coefficient is
    undefined (tau, tau_ap: any tie) is counted in `.undefined` and left out of the mean. Every coefficient sees the
    same splits.

    Do not read it as the correlation with the true ranking: both halves are samples (`expected_correlation`).

    Parameters
    ----------
    cube : ScoreCube or Scores, or what ScoreCube.read() takes
        Measures x topics x systems, or Scores for one measure.
    draws : int
        Number of random splits.
    topics : int, list of int or None
        A subset of that many topics is drawn first, then halved; of an odd number the observer has one more. None for
        all.
    other_ties : {"discordant", "zero"}
        What a tie of the ranking that tau_ap_b does not walk counts; "zero" as in the tables of radja2018.
    coefficients : str, Coefficient or list of them
        What the rankings are compared by.
    tied_within : float or list of float
        Thresholds of the coefficients that take one.
    rng, executor, checkpoint, progress
        As in `estimator_study()`; without an executor the work is done by threads of this process.

    Returns
    -------
    PredictivePower

    See Also
    --------
    expected_correlation : The correlation with the true ranking.

    Examples
    --------
    >>> import numpy as np
    >>> made = np.random.default_rng(0).normal(size=(40, 12)) + np.arange(12) / 4
    >>> found = predictive_power(Scores(made, measure="AP"), ["tau_b"], draws=200, rng=1)
    >>> {name: round(value, 3) for name, value in found.of_itself.items()}
    {'AP': 0.802}
    >>> found = predictive_power(Scores(made, measure="AP"), "tau_b", topics=(10, 40), draws=200, rng=1)
    >>> found.table("tau_b", topics=10).round(3).tolist()
    [[0.627]]
    """
    cube = scores_or_cube(cube, "predictive_power()")
    if isinstance(cube, Scores):
        cube = ScoreCube.stack([cube], missing="keep")
    if not isinstance(cube, ScoreCube):
        raise CallError(
            f"predictive_power() takes a ScoreCube (measures x topics x systems) or Scores, not {type(cube).__name__}.",
            Advice("ScoreCube.read() and Scores.read() make them.", shell=""),
        )
    cube.require_complete("predictive_power()")
    cube = cube.in_order("topics")
    n, m = len(cube.topics), len(cube.systems)
    if m < 2:
        raise TauscopeError(f"predictive_power() ranks systems, and there is {count(m, 'system')}.")
    draws = checking.whole(draws, "draws", least=1)
    sizes = _sizes(topics, n)
    variants = variants_of(coefficients, tied_within, other_ties)
    seed = remembered(rng)
    values = np.ascontiguousarray(cube.values)
    cells: dict[Any, tuple[Any, ...]] = {
        (size, start): (values, size, min(CHUNK, draws - start), variants)
        for size in sizes
        for start in range(0, draws, CHUNK)
    }
    work: dict[str, Any] = {"executor": executor or threads(), "checkpoint": checkpoint, "progress": progress}
    done = run_cells(_cell, cells, seed=seed, same=(values, variants), **work).require_all()
    totals = [reduce(Moments.plus, (Moments(*done[key]) for key in cells if key[0] == size)) for size in sizes]
    counts = np.stack([total.known for total in totals])
    return PredictivePower(
        measures=cube.measures,
        variants=variants,
        sizes=sizes,
        collection=cube.collection,
        values=np.stack([total.value for total in totals]),
        standard_errors=np.stack([total.standard_error for total in totals]),
        undefined=draws - counts,
        draws=draws,
        systems=m,
        topics=n,
        seed=seed,
    )


def _sizes(topics: Any, n: int) -> tuple[int, ...]:
    """Sizes of the subsets to halve."""
    listed = several(n if topics is None else topics, (int, float, np.number), "topics", "numbers such as (10, 20)")
    return tuple(sorted({checking.whole(size, "topics", least=2, most=n) for size in listed}))


def _cell(cube: Floats, size: int, draws: int, variants: Sequence[Variant], *, rng: np.random.Generator) -> list[Any]:
    """Some draws: moments, each variants x truth x observer."""
    k, n, _ = cube.shape
    order = rng.permuted(np.broadcast_to(np.arange(n), (draws, n)), axis=1)
    half = size // 2
    sides = [(order < half) / half, ((order >= half) & (order < size)) / (size - half)]
    # Not a product of matrices: that one's last digits may depend on how many threads it uses.
    truths, observers = ([snap_rows(np.einsum("tn,nm->tm", weights, measure)) for measure in cube] for weights in sides)
    values = np.empty((len(variants), k, k, draws))
    for v, variant in enumerate(variants):
        for row, truth in enumerate(truths):
            for column, observer in enumerate(observers):
                values[v, row, column] = variant.values(observer, truth)
    return list(Moments.of(values))
