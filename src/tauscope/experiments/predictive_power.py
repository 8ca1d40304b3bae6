"""`predictive_power`: how well does one measure on some topics predict another on new ones? (webber2008)"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from concurrent.futures import Executor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from .. import checking
from ..arrays import Floats, Ints
from ..coefficients.records import Coefficient
from ..errors import Advice, CallError, TauscopeError
from ..files.door import ScoresLike, scores_or_cube, tells_oddities
from ..jobs import Pool, run_cells, threads
from ..jobs.draws import POWER_DRAWS
from ..jobs.progress import Progress
from ..jobs.seeds import Rng, remembered
from ..results import count, number, word
from ..scores import ScoreCube, Scores
from ..ties import snap_rows
from .variants import Experiment, Moments, Variant, among, documented, several, variants_of

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
        How many topics were halved.
    values : array, sizes x variants x measures x measures
        The means, row = truth, column = observer.
    standard_errors : array
        Of the draws: more of them make these smaller, more topics would move the values.
    undefined : array
        How many draws had no value; the means leave them out.
    draws : int
        How many random splits.
    systems, topics : int
        How many there are.
    seed : int
        Repeats the draws.
    collection : str
        The name of the collection.
    """

    papers = ("webber2008", "radja2018")

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

    def lines(self) -> list[str]:
        size = self.sizes.index(max(self.sizes))
        first = self.variants[0]
        own = np.diagonal(self.values[size, 0])
        order = np.argsort(-np.nan_to_num(own, nan=-2), kind="stable")
        best = ", ".join(f"{self.measures[i]} {number(float(own[i]))}" for i in order[:5])
        where = f" ({self.collection})" if self.collection else ""
        sizes = f"{', '.join(map(str, self.sizes))} {word('topics')}"
        error = float(np.nanmax(self.standard_errors)) if not np.isnan(self.standard_errors).all() else np.nan
        shown = ", ".join(v.label for v in self.variants[:6]) + (", …" if len(self.variants) > 6 else "")
        return [
            f"predictive power of a measure for itself, {first.label}: {best}",
            f"{count(self.draws, 'random split')} of {sizes}, {count(self.systems, 'system')}{where}; "
            f"row = truth, column = observer; {count(len(self.variants), 'variant')}: {shown}",
            f"webber2008, radja2018 section 7.1; Monte Carlo standard error at most {number(error, 4)}; "
            f"{self._undefined()}; seed {self.seed}",
        ]

    def methods_sentence(self) -> str:
        """The sentence a paper needs: how well measures predict themselves on other topics.

        Returns
        -------
        str
            One sentence, with the splits, the seed and the error of the draws.
        """
        size = self.sizes.index(max(self.sizes))
        own = np.diagonal(self.values[size, 0])
        told = ", ".join(f"{name} {number(float(value))}" for name, value in zip(self.measures[:8], own, strict=False))
        more = ", …" if len(self.measures) > 8 else ""
        error = float(np.nanmax(self.standard_errors)) if not np.isnan(self.standard_errors).all() else np.nan
        where = f" ({self.collection})" if self.collection else ""
        return (
            f"{self.variants[0].label} of a {word('measure')} with itself on the other half of {max(self.sizes):,} of "
            f"{count(self.topics, 'topic')}, over {count(self.systems, 'system')}{where}, is {told}{more} (means of "
            f"{count(self.draws, 'random split')}, Monte Carlo standard error at most {number(error, 4)}, seed "
            f"{self.seed}; {self._undefined()}{self._after()})."
        )

    def _undefined(self) -> str:
        told = []
        for place, variant in enumerate(self.variants):
            lost = self.undefined[:, place]
            if lost.any():
                never = f"{int((lost == self.draws).sum()):,} of {lost.size:,} cells never defined"
                told.append(f"{variant.label} {int(lost.max()):,} of {self.draws:,} at worst, {never}")
        if not told:
            return "defined in every trial"
        return f"undefined trials left out: {'; '.join(told[:3])}{'; …' if len(told) > 3 else ''}"

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

    def plot(self, pairs: Iterable[tuple[str, str]] | None = None, tied_within: float | None = None) -> Any:
        """Curves by the number of topics (radja2018, Figures 7.2 to 7.6), or for one size a heatmap.

        Parameters
        ----------
        pairs : list of (str, str) or None
            Measures (truth, observer) to draw; None for every measure for itself, and the first two for each other.
        tied_within : float or None
            Only the variants with this threshold; None for all.

        Returns
        -------
        altair.Chart
            One panel per coefficient, or the heatmap.
        """
        from ..figures import framed_curves, heatmap

        if len(self.sizes) == 1:
            title, names = f"predictive power, {self.variants[0].label}", list(self.measures)
            return heatmap(self.values[0, 0], names, names, rows="truth", columns="observer", title=title)
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
                if unknown := [name for name in (truth, observer) if name not in at]:
                    raise CallError(f"There is no measure {unknown[0]!r}; there are {', '.join(self.measures)}.")
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


@documented(none="threads")
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
    cube : ScoreCube or Scores, or what read_cube() takes
        Measures x topics x systems, or Scores for one measure.
    draws : int
        How many random splits.
    topics : int, list of int or None
        A subset of that many topics is drawn first, then halved; of an odd number the observer has one more. None for
        all.
    other_ties : {"discordant", "zero"}
        What a tie of the ranking that tau_ap_b does not walk counts; "zero" as in the tables of radja2018.
    <shared>

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
    >>> print(predictive_power(Scores(made, measure="AP"), ["tau_b"], draws=200, rng=1))
    predictive power of a measure for itself, tau_b: AP 0.802
    200 random splits of 40 topics, 12 systems; row = truth, column = observer; 1 variant: tau_b
    webber2008, radja2018 section 7.1; Monte Carlo standard error at most 0.0046; defined in every trial; seed 1
    """
    cube = scores_or_cube(cube, "predictive_power()")
    if isinstance(cube, Scores):
        cube = ScoreCube.stack([cube], missing="keep")
    if not isinstance(cube, ScoreCube):
        raise CallError(
            f"predictive_power() takes a ScoreCube (measures x topics x systems) or Scores, not {type(cube).__name__}.",
            Advice("read_cube() and read_scores() make them.", shell=""),
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
        (size, start): (values, size, min(CHUNK, draws - start), [tuple(variant) for variant in variants])
        for size in sizes
        for start in range(0, draws, CHUNK)
    }
    same = (values, [tuple(variant) for variant in variants])
    done = run_cells(
        _cell, cells, seed=seed, executor=executor or threads(), checkpoint=checkpoint, same=same, progress=progress
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
