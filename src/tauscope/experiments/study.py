"""`estimator_study`: how far estimates of the correlation with the true ranking are off, where the truth is known."""

from __future__ import annotations

import math
from binascii import crc32
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import asdict, dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any, ClassVar

import numpy as np

from ..coefficients.records import catalogue
from ..core import checking, kernels
from ..core.arrays import SNAP, Floats
from ..core.checking import STUDY_DRAWS, Progress, Rng, remembered
from ..data.scores import Scores
from ..errors import Advice, CallError, TauscopeError
from ..inference.methods import BY_NAME, SUMS_OVER_PAIRS, URBANO2016, Method, method_of, not_a_sum_error
from ..inference.true_means import Observed
from ..io.door import ScoresLike, takes_scores
from ..jobs import Outcome, Pool, run_cells
from ..jobs.cells import check_places, named
from ..jobs.checkpoints import Key, beside
from ..results import Notes, Plain, fact, large, rows, word
from ..simulate.distributions import Copula, Margins, Scale
from ..simulate.simulator import Model, Options, Simulator, fit

#: A fitted simulator as arrays, and the two truths that go with it: what `fit_collection` gives.
Fitted = dict[str, Any]
#: Sizes of the collections in urbano2016.
SIZES = tuple(range(10, 101, 10))
#: Trials of a cell: about a second of work for a hundred systems, which is what a kill may cost.
BLOCK = 20
#: Columns of the table that are not numbers.
LABELS = ("collection", "topics", "coefficient", "method")


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Study(Plain):
    """Error and bias of estimators by collection, number of topics and coefficient, each with its standard error.

    Attributes
    ----------
    table : dict
        Column -> values. `actual` and `estimate` are means over the draws; `error` is the mean of |estimate - actual|
        and `bias` of estimate - actual, with the original means as the truth; `error_own` and `bias_own` are against
        the true means of the simulator, which are the same with means="exact". `undefined` counts draws without an
        estimate; they are left out.
    collections : tuple of str
        Names of the collections.
    sizes : tuple of int
        Numbers of topics.
    draws : int
        Simulated collections of each size.
    methods, coefficients : tuple of str
        What was studied.
    simulator : str
        How collections were simulated, in words.
    seed : int
        Seed of the study.
    failed : dict
        Cells that failed twice, and why: their draws are missing.
    resumed : int
        Number of cells that were in the checkpoint already.
    notes : tuple of Note or str
        What was left out or filled in before, by collection.
    """

    QUESTION: ClassVar[str] = "study"
    PAPERS: ClassVar[tuple[str, ...]] = ("urbano2016",)

    table: Mapping[str, Any] = large()
    collections: tuple[str, ...]
    sizes: tuple[int, ...]
    draws: int
    methods: tuple[str, ...]
    coefficients: tuple[str, ...]
    simulator: str
    seed: int
    failed: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    resumed: int = large(0)
    notes: Notes = ()

    def __getstate__(self) -> dict[str, Any]:
        """For pickle, which does not know read-only views."""
        return vars(self) | {"table": dict(self.table), "failed": dict(self.failed)}

    def __setstate__(self, state: dict[str, Any]) -> None:
        views = {name: MappingProxyType(state[name]) for name in ("table", "failed")}
        vars(self).update(state | views)

    @fact
    def mean_errors(self) -> dict[str, float]:
        """The mean absolute error of each method, the smallest first."""
        methods, errors = np.array(self.table["method"]), np.asarray(self.table["error"])
        means = {name: _mean(errors[methods == name]) for name in self.methods}
        return dict(sorted(means.items(), key=lambda item: (math.isnan(item[1]), item[1])))

    def columns(self) -> Mapping[str, Any]:
        """One row for each collection, number of topics, coefficient and method."""
        return self.table

    def to_dict(self) -> dict[str, Any]:
        """What was asked, and the table row by row."""
        return super().to_dict() | {"rows": rows(self.table)}


@takes_scores(each=("collections",), in_order=("topics", "systems"))
def estimator_study(
    collections: Mapping[str, ScoresLike],
    *,
    sizes: Iterable[int] = SIZES,
    draws: int = STUDY_DRAWS,
    methods: Sequence[str | Method] = URBANO2016,
    coefficients: Sequence[str] = SUMS_OVER_PAIRS,
    means: str = "exact",
    decimals: int | None = None,
    normal: bool = False,
    homoscedastic: bool = False,
    uncorrelated: bool = False,
    random_topics: bool = True,
    rng: Rng = 0,
    executor: Executor | Pool | None = None,
    checkpoint: Path | str | None = None,
    progress: Progress | None = None,
) -> Study:
    """Which estimator of the correlation with the true ranking is the best for collections like these?

    New collections are simulated from each of those given, where the truth is known; each method estimates the
    correlation from the simulated scores alone. error = E|estimate - actual|, bias = E[estimate - actual] (urbano2016,
    section 4.1). In the actual correlation a tied pair is not discordant.

    Do not use it to choose a method for scores unlike those given, and note that split-half aims at another quantity.

    Parameters
    ----------
    collections : dict of str to Scores
        Name -> scores in [0, 1].
    sizes : list of int
        Numbers of topics to simulate.
    draws : int
        Simulated collections of each size.
    methods : list of str or method objects
        Names are ml, msqd, res, kd, shw, shwo, shrunk, bayes and draws.
    coefficients : list of str
        "tau", "tau_ap", or both.
    means, decimals, normal, homoscedastic, uncorrelated, random_topics
        As in `Simulator.fit`; urbano2016 has means="published" and decimals=4.
    rng : int, numpy.random.Generator or None
        The seed; None for fresh numbers. The same seed gives the same numbers on any workers, and each trial of a
        collection, size and method has its own, whatever else is studied beside it.
    executor : Executor, Pool or None
        `processes()`, `threads()` or `cluster(address)` of `tauscope.jobs`; None for one cell after the other.
        The numbers are the same with any.
    checkpoint : path or None
        A file in which every finished cell is kept; the same call goes on where it stopped.
    progress : callable or None
        Called with (cells done, cells).

    Returns
    -------
    Study

    Raises
    ------
    CallError
        If a coefficient is no sum over pairs, or a method, size or coefficient is given twice.
    TauscopeError
        If a collection cannot be simulated, or every cell failed.

    See Also
    --------
    expected_correlation : The estimates themselves.
    Simulator : The simulated collections themselves.

    Examples
    --------
    >>> board = Scores(np.random.default_rng(1).random((20, 5)))
    >>> study = estimator_study({"board": board}, sizes=[10], draws=4, methods=["ml"], rng=1)
    >>> len(study.table["error"]), list(study.mean_errors)
    (2, ['ml'])
    """
    seed = remembered(rng)
    chosen = tuple(_method(method, coefficients) for method in methods)
    options = Options(means, normal, homoscedastic, uncorrelated, random_topics, decimals)
    number_of = _sizes(sizes)
    draws = checking.whole(draws, "draws", least=1)
    _check(collections, chosen, coefficients, options)
    check_places(executor, checkpoint)
    path = None if checkpoint is None else Path(checkpoint)
    fitted = _fitted(collections, options, path)
    blocks = [(start, min(draws, start + BLOCK)) for start in range(0, draws, BLOCK)]
    cells: dict[Key, tuple[Any, ...]] = {
        (name, size, block): (fitted[name], name, size, trials, chosen, seed)
        # Block by block through all collections and sizes, so that the time left is about right from the start.
        for block, trials in enumerate(blocks)
        for name in collections
        for size in number_of
    }
    names = tuple(method.name for method in chosen)
    about = {
        "collections": _listed(collections),
        "methods": _listed(names),
        "simulator": options.text(),
        "seed of the study": seed,
    }
    same = ([fitted[name] for name in collections], chosen, seed)
    outcome = run_cells(run_block, cells, executor=executor, checkpoint=path, about=about, same=same, progress=progress)
    if not outcome.values:
        outcome.require_all()
    table = _table(outcome, tuple(collections), number_of, names, tuple(coefficients))
    notes = tuple(f"{name}: {note}" for name, scores in collections.items() for note in scores.notes)
    failed = MappingProxyType({named(key): why for key, why in outcome.failed.items()})
    return Study(
        table=MappingProxyType(table),
        collections=tuple(collections),
        sizes=number_of,
        draws=draws,
        methods=names,
        coefficients=tuple(coefficients),
        simulator=options.text(),
        seed=seed,
        failed=failed,
        resumed=outcome.resumed,
        notes=notes,
    )


def _fitted(collections: Mapping[str, Scores], options: Options, path: Path | None) -> Mapping[Key, Fitted]:
    """Fit the simulators, or take those of the first run, which are kept beside the checkpoint."""
    cells: dict[Key, tuple[Any, ...]] = {
        name: (np.ascontiguousarray(scores.values), options) for name, scores in collections.items()
    }
    about = {"collections": _listed(collections), "simulator": options.text()}
    fits = None if path is None else beside(path, "fits")
    return run_cells(fit_collection, cells, checkpoint=fits, about=about).require_all()


def _listed(names: Iterable[Any]) -> str:
    return " ".join(map(str, names))


def _method(spec: str | Method, coefficients: Sequence[str]) -> Method:
    for name in coefficients:
        if name not in SUMS_OVER_PAIRS:
            known = {str(record): record for record in catalogue}
            why = f" {not_a_sum_error(known[name])}" if name in known else ""
            raise CallError(f"A study is of {' and '.join(SUMS_OVER_PAIRS)}, not of {name!r}.{why}")
    return method_of(spec, catalogue[SUMS_OVER_PAIRS[0]])


def _sizes(sizes: Iterable[int]) -> tuple[int, ...]:
    numbers = tuple(checking.whole(size, "sizes", least=2) for size in sizes)
    if not numbers:
        raise CallError("sizes=[]: give whole numbers of at least 2.")
    if len(set(numbers)) < len(numbers):
        raise CallError(f"sizes: one is given twice among {', '.join(map(str, numbers))}.")
    return numbers


def _check(
    collections: Mapping[str, Scores], methods: tuple[Method, ...], coefficients: Sequence[str], options: Options
) -> None:
    if not collections:
        raise CallError("A study needs at least one collection.")
    if not methods or not coefficients:
        raise CallError(
            "A study needs at least one method and one coefficient.", Advice(f"The methods are {', '.join(BY_NAME)}.")
        )
    for named_, what in ((tuple(m.name for m in methods), "method"), (tuple(coefficients), "coefficient")):
        if twice := next((name for name in named_ if named_.count(name) > 1), None):
            raise CallError(f"The {what} {twice!r} is given twice.")
    for name, scores in collections.items():
        if len(scores.systems) < 2:
            raise TauscopeError(f"{name}: a ranking needs at least two {word('systems')}.")
        try:
            Simulator.fit(scores, **options._asdict())  # all that can be wrong is said before hours are spent
        except CallError:
            raise
        except TauscopeError as error:
            raise error.at(name) from None


def _table(
    outcome: Outcome,
    collections: tuple[str, ...],
    sizes: tuple[int, ...],
    methods: tuple[str, ...],
    coefficients: tuple[str, ...],
) -> dict[str, Any]:
    """Make the table of a study.

    Parameters
    ----------
    outcome : Outcome
        The trials of every block.
    collections, sizes, methods, coefficients : tuple
        The axes of the table.

    Returns
    -------
    dict
        Column -> values; cells that failed are left out.
    """
    rows: list[dict[str, Any]] = []
    for name in collections:
        for size in sizes:
            blocks = [
                value for key, value in outcome.values.items() if isinstance(key, tuple) and key[:2] == (name, size)
            ]
            if not blocks:
                continue
            actual = np.concatenate([block["actual"] for block in blocks])
            estimates = np.concatenate([block["estimates"] for block in blocks])
            for coefficient in coefficients:
                place = SUMS_OVER_PAIRS.index(coefficient)
                for column, method in enumerate(methods):
                    row = dict(zip(LABELS, (name, size, coefficient, method), strict=True))
                    rows.append(row | _summary(estimates[:, column, place], actual[:, :, place]))
    return {column: [row[column] for row in rows] for column in rows[0]}


def _summary(estimates: Floats, actual: Floats) -> dict[str, Any]:
    """One row of the table; `actual` has a column for the original means and one for the simulator's own."""
    defined = ~np.isnan(estimates)
    estimates, actual = estimates[defined], actual[defined]
    row: dict[str, Any] = {
        "draws": len(estimates),
        "undefined": int((~defined).sum()),
        "actual": _mean(actual[:, 0]),
        "actual_own": _mean(actual[:, 1]),
        "estimate": _mean(estimates),
    }
    for truth, suffix in ((0, ""), (1, "_own")):
        off = estimates - actual[:, truth]
        for what, values in (("error", np.abs(off)), ("bias", off)):
            row |= {f"{what}{suffix}": _mean(values), f"{what}{suffix}_se": _standard_error(values)}
    return row


def _mean(values: Floats) -> float:
    return float(values.mean()) if len(values) else float("nan")


def _standard_error(values: Floats) -> float:
    return float(values.std(ddof=1) / np.sqrt(len(values))) if len(values) > 1 else float("nan")


def fit_collection(values: Floats, options: Options) -> Fitted:
    """The simulator of a collection, once for the whole study.

    Workers get its numbers instead of fitting again: where "exact" means are solved for, a difference in the last digit
    of anything before grows to 1e-13, and no digit may depend on who computed it.
    """
    model, true_means = fit(values, options)
    return {"model": asdict(model), "original": values.mean(axis=0), "own": true_means}


def model_of(fitted: Fitted) -> Model:
    """Make the simulator of its numbers."""
    parts = fitted["model"]
    kinds: dict[str, Any] = {"scale": Scale, "residuals": Margins, "topics": Margins, "copula": Copula}
    return Model(**parts | {name: kind(**parts[name]) for name, kind in kinds.items()})


def run_block(
    fitted: Fitted, collection: str, topics: int, trials: tuple[int, int], methods: tuple[Method, ...], seed: int
) -> dict[str, Any]:
    """Trials first..last-1 of a collection and a size.

    `actual`: trials x truths x coefficients, the correlation of the simulated ranking with the original means and with
    the simulator's own; `estimates`: trials x methods x coefficients. Random numbers depend on the trial and on what
    they are for, so that neither blocks nor the choice of methods, sizes and collections move any.
    """
    model = model_of(fitted)
    # Chosen topics: what they are depends on how many are chosen.
    true_means = fitted["own"] if model.random_topics else model.expected(topics)
    truths = np.array([fitted["original"], true_means])
    name = crc32(collection.encode("utf-8"))
    actual, estimates = [], []
    for trial in range(*trials):
        drawn = model.draw(topics, _generator(seed, name, topics, trial, 0))
        observed = Observed.of(drawn)
        actual.append(correlations(drawn.mean(axis=0), truths))
        estimates.append([_estimate(observed, method, seed, (name, topics, trial)) for method in methods])
    shape = (len(actual), len(methods), len(SUMS_OVER_PAIRS))
    return {"actual": np.array(actual), "estimates": np.array(estimates).reshape(shape)}


def correlations(means: Floats, truths: Floats) -> Floats:
    """tau and tau_ap of the ranking by `means` with each row of `truths`; a tied pair is not discordant."""
    m = len(means)
    distance, head = kernels.discordance(means[None], truths, SNAP * float(np.abs(truths).max()))
    return np.column_stack([1 - 4 * distance / (m * (m - 1)), 1 - 2 * head / (m - 1)])


def _estimate(observed: Observed, method: Method, seed: int, place: tuple[int, ...]) -> list[float]:
    """Estimate all coefficients by one method; what a method does not estimate is NaN."""
    use = 1 + crc32(method.name.encode("utf-8"))
    generator = _generator(seed, *place, use) if method.random else None
    sums = method.sums(observed, generator)
    return [sums.get(name, math.nan) for name in SUMS_OVER_PAIRS]


def _generator(seed: int, *key: int) -> np.random.Generator:
    return np.random.default_rng(np.random.SeedSequence(seed, spawn_key=key))
