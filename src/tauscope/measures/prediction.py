"""`predict()`: what would an unreported measure have been, and which other measures predict it?"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from math import comb
from typing import Any, ClassVar, NamedTuple

import numpy as np

from ..core import checking
from ..core.arrays import Bools, Floats
from ..core.checking import Progress
from ..data.cube import ScoreCube
from ..data.labels import Labels, positions, shown
from ..data.names import MeasureName
from ..data.table import MeasureTable
from ..errors import Advice, CallError, Option, TauscopeError
from ..io.door import tells_oddities
from ..results import Note, Plain, count
from .columns import OWN_SCALES, Columns, as_collections, as_columns, constant, labels, notes_on
from .regression import (
    BLOCK,
    Fit,
    Fitted,
    LeastSquares,
    LinearFit,
    Sets,
    Variant,
    cross_validated,
    quality,
    sets_of,
    variants,
)

CRITERIA = ("tau_b", "r2")
#: Criteria that agree to this number of decimals are equal: fewer predictors win, then the order of the predictors.
EQUAL = 12
#: Number of sets of each size that models other than linear regression try: the best by linear regression.
SHORTLIST = 25


class PredictorSet(NamedTuple):
    """A set of predictors and how well it does.

    Parameters
    ----------
    predictors : tuple of str
        The measures of the set.
    variant : str
        The setting of the model, such as "kernel size 2"; "" if there is only one.
    fits : tuple of Fit
        The fit on the collection on which sets were chosen, then on those on which they were tested.
    singular : bool
        Whether the predictors are combinations of each other.
    """

    predictors: Labels
    variant: str
    fits: tuple[Fit, ...]
    singular: bool = False

    def __str__(self) -> str:
        return " + ".join(self.predictors) + (f" ({self.variant})" if self.variant else "")


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class PredictedMeasure(Plain):
    """What a measure would have been for new systems, with prediction intervals.

    An interval is cut to the range of its measure. If the value itself is outside the range, which a regression does
    not know, the interval ends at the value and `outside` marks it.

    Attributes
    ----------
    target : str
        The measure that is predicted.
    predictors : tuple of str
        The measures from which it is predicted.
    systems : tuple of str
        The new systems.
    values : array
        One prediction per system.
    low, high : array
        The ends of the prediction intervals.
    level : float
        The level of the intervals.
    intervals : {"student", "conformal"}
        How the intervals were found: by Student's t, or as a quantile of cross-validated residuals.
    extrapolated : tuple of bool
        Whether a predictor of the system is outside the range seen in training.
    """

    QUESTION: ClassVar[str] = "predicted"
    PAPERS: ClassVar[tuple[str, ...]] = ("gupta2019",)
    target: str
    predictors: Labels
    systems: Labels
    values: Floats
    low: Floats
    high: Floats
    level: float
    intervals: str
    extrapolated: tuple[bool, ...]

    def __len__(self) -> int:
        return len(self.values)

    @property
    def outside(self) -> Bools:
        """array of bool: Which values the measure cannot have, since a regression does not know its range."""
        lowest, highest = self.range
        return np.asarray((self.values < lowest) | (self.values > highest))

    @property
    def range(self) -> tuple[float, float]:
        """Range of the measure."""
        return MeasureName.parse(self.target).range

    def columns(self) -> dict[str, Any]:
        table = {"system": list(self.systems), self.target: self.values, "low": self.low, "high": self.high}
        return table | {"extrapolated": list(self.extrapolated)}


class Training:
    """What regressions learn from.

    Parameters
    ----------
    values : array
        Systems x measures.
    selection : array or None
        The same of the collection on which sets are chosen; None to leave out each training system in turn.
    measures : tuple of str
        The measures.
    """

    def __init__(self, values: Floats, selection: Floats | None = None, measures: Labels = ()) -> None:
        self.values, self.selection, self.measures = values, selection, measures

    @cached_property
    def squares(self) -> LeastSquares:
        """The regressions on these values."""
        return LeastSquares(self.values)


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class MeasurePrediction(Plain):
    """How well a measure can be predicted from others, and what it would have been for new systems.

    Attributes
    ----------
    target : str
        The measure that is predicted.
    model : str
        The regression, in words.
    criterion : {"tau_b", "r2"}
        The criterion by which sets were chosen.
    chosen : PredictorSet
        The best set: `.predictors`, `.variant` of the model, `.fits` on the collection on which it was chosen and on
        those on which it was tested (`.tau_b`, `.r2`, `.rmse`, `.covered`), `.singular`.
    sets : tuple of PredictorSet
        The best sets of each size, smallest sets first.
    tried : int
        The number of sets, or trained models, that were tried.
    singular : int
        The number of sets whose predictors were combinations of each other.
    systems : int
        The number of systems in training.
    chosen_on : str
        The collection on which sets were chosen.
    level : float
        The level of the prediction intervals.
    intervals : {"student", "conformal"}
        How the intervals are found: by Student's t, or as a quantile of cross-validated residuals.
    notes : tuple of Note or str or Note
        What was left out, and what a reader must know.
    """

    QUESTION: ClassVar[str] = "prediction"
    PAPERS: ClassVar[tuple[str, ...]] = ("gupta2019", "kendall1945")
    target: str
    model: str
    criterion: str
    chosen: PredictorSet
    sets: tuple[PredictorSet, ...]
    tried: int
    singular: int
    systems: int
    chosen_on: str
    level: float
    intervals: str
    notes: tuple[str | Note, ...] = ()
    _training: Training = field(repr=False)
    _variants: tuple[Variant, ...] = field(repr=False)

    def best(self, size: int) -> PredictorSet:
        """Return the best set of this many predictors.

        Parameters
        ----------
        size : int
            The number of predictors.

        Returns
        -------
        PredictorSet

        Raises
        ------
        CallError
            If no set of this size was tried.
        """
        for one in self.sets:
            if len(one.predictors) == size:
                return one
        sizes = ", ".join(map(str, self._sizes))
        raise CallError(f"No set of {size} predictors was tried; there are sizes {sizes}.")

    @property
    def _sizes(self) -> list[int]:
        return sorted({len(one.predictors) for one in self.sets})

    def frequencies(self) -> dict[str, int]:
        """Count in how many of the sets in `.sets` each predictor is.

        Returns
        -------
        dict
            Measure -> number of sets, most frequent first.
        """
        return dict(Counter(name for one in self.sets for name in one.predictors).most_common())

    def fitted(self, one: PredictorSet | None = None) -> Fitted:
        """Train the model of a set.

        Parameters
        ----------
        one : PredictorSet or None
            One of `.sets`; None for the chosen one.

        Returns
        -------
        Fitted
            An object with `predict(values)` and `half_widths(values, level)`.
        """
        one, training = one or self.chosen, self._training
        *at, target = positions([*one.predictors, self.target], training.measures, "measure")
        variant = next(variant for variant in self._variants if variant.label == one.variant)
        return variant.train(training.values[:, at], training.values[:, target])

    def predict(self, scores: Any, *, size: int | None = None, level: float | None = None) -> PredictedMeasure:
        """Predict the target of new systems, with prediction intervals.

        Parameters
        ----------
        scores : dict, MeasureTable or ScoreCube
            {measure: value} of one system, {measure: values} of several, or a table or cube that has the predictors.
        size : int or None
            Asks for the best set of that many predictors instead of the chosen one.
        level : float or None
            Of the intervals; None for the level of the search.

        Returns
        -------
        PredictedMeasure

        Raises
        ------
        TauscopeError
            If a predictor is not given, or is not a finite number.
        """
        one = self.chosen if size is None else self.best(size)
        level = checking.level(self.level if level is None else level)
        (values, systems), model = _rows(scores, one.predictors), self.fitted(one)
        seen = self._training.values[:, positions(one.predictors, self._training.measures, "measure")]
        slack = 1e-12 * np.abs(seen).max(axis=0)
        unseen = ((values < seen.min(axis=0) - slack) | (values > seen.max(axis=0) + slack)).any(axis=1)
        made, half = model.predict(values), model.half_widths(values, level)
        # The ends of one system do not depend on the other systems of the call.
        lowest, highest = MeasureName.parse(self.target).range
        return PredictedMeasure(
            target=self.target,
            predictors=one.predictors,
            systems=systems,
            values=made,
            low=np.maximum(made - half, np.minimum(lowest, made)),
            high=np.minimum(made + half, np.maximum(highest, made)),
            level=level,
            intervals=model.intervals,
            extrapolated=tuple(unseen.tolist()),
        )

    def formula(self, size: int | None = None) -> str:
        """Return the regression as a formula: "AP = 0.012 + 0.83 Rprec".

        Parameters
        ----------
        size : int or None
            Asks for the best set of that many predictors instead of the chosen one.

        Returns
        -------
        str

        Raises
        ------
        CallError
            If the model is not linear, so that it has no formula.
        """
        one = self.chosen if size is None else self.best(size)
        model = self.fitted(one)
        if not isinstance(model, LinearFit):
            raise CallError(f"{self.model} has no formula.", Option("model", "linear"))
        terms = zip(model.slopes, one.predictors, strict=True)
        signed = (f" {'-' if slope < 0 else '+'} {abs(slope):.4g} {name}" for slope, name in terms)
        return f"{self.target} = {model.intercept:.4g}{''.join(signed)}"

    def courses(self) -> list[tuple[str, list[int], list[float]]]:
        """Return τ_b of the best set of each size: (collection, sizes, values).

        Returns
        -------
        list of tuple
        """
        best = [self.best(size).fits for size in self._sizes]
        names = [fit.collection for fit in self.chosen.fits]
        return [(name, self._sizes, [fits[k].tau_b for fits in best]) for k, name in enumerate(names)]

    def columns(self) -> dict[str, Any]:
        return _table([self])

    def to_dict(self) -> dict[str, Any]:
        return {**super().to_dict(), "frequencies": self.frequencies()}


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class MeasurePredictions(Plain):
    """Several targets predicted alike: `predictions["AP"]`, and the table of all (gupta2019, Table 1).

    Attributes
    ----------
    results : tuple of MeasurePrediction
        One for each target.
    """

    QUESTION: ClassVar[str] = "predictions"
    PAPERS: ClassVar[tuple[str, ...]] = MeasurePrediction.PAPERS
    results: tuple[MeasurePrediction, ...]

    def __len__(self) -> int:
        return len(self.results)

    def __iter__(self) -> Iterator[MeasurePrediction]:
        return iter(self.results)

    def __getitem__(self, target: str) -> MeasurePrediction:
        at = positions(labels(target), tuple(one.target for one in self.results), "target")
        return self.results[at[0]]

    def frequencies(self) -> dict[str, int]:
        """Count how often each predictor is in the best set of a size, over all targets and sizes.

        Returns
        -------
        dict
            Measure -> number of best sets, most frequent first.
        """
        sizes = sorted({size for result in self.results for size in result._sizes})
        best = [result.best(size) for result in self.results for size in sizes if size in result._sizes]
        return dict(Counter(name for one in best for name in one.predictors).most_common())

    @property
    def good(self) -> tuple[str, ...]:
        """Targets that are predicted with τ_b of at least 0.9 on every collection."""
        return tuple(r.target for r in self.results if all(fit.tau_b >= 0.9 for fit in r.chosen.fits))

    @property
    def tried(self) -> int:
        """Number of sets that were tried."""
        return sum(result.tried for result in self.results)

    def columns(self) -> dict[str, Any]:
        return _table(self.results)


def _table(results: Sequence[MeasurePrediction]) -> dict[str, Any]:
    """Make one row for each set, in the order of size and criterion."""
    rows = [(result.target, one) for result in results for one in result.sets]
    table: dict[str, Any] = {"target": [t for t, _ in rows], "size": [len(one.predictors) for _, one in rows]}
    table["predictors"] = [str(one) for _, one in rows]
    for place, fit in enumerate(rows[0][1].fits):
        for name in ("tau_b", "r2", "rmse", "covered"):
            table[f"{name} {fit.collection}"] = [getattr(one.fits[place], name) for _, one in rows]
    return table


def _rows(scores: Any, predictors: Labels) -> tuple[Floats, Labels]:
    """Return the predictors of new systems.

    Parameters
    ----------
    scores : dict, MeasureTable or ScoreCube
        As in `MeasurePrediction.predict()`.
    predictors : tuple of str
        The measures that are needed.

    Returns
    -------
    pair of ndarray and tuple of str
        Systems x predictors, and the names of the systems.

    Raises
    ------
    TauscopeError
        If a predictor is missing or not a finite number.
    """
    if isinstance(scores, (MeasureTable, ScoreCube)):
        table = as_columns(scores, "system", "predict()")
        return table.select(predictors).values, table.systems
    if not isinstance(scores, Mapping):
        raise CallError(
            f"predict() takes {{measure: value}}, a measures.Table or a ScoreCube, not {type(scores).__name__}."
        )
    given = dict(zip(labels([str(name) for name in scores]), scores.values(), strict=True))
    missing = [name for name in predictors if name not in given]
    if missing:
        raise TauscopeError(f"predict() needs {', '.join(predictors)}; not given: {', '.join(missing)}.")
    try:
        columns = [np.atleast_1d(np.asarray(given[name], dtype=np.float64)) for name in predictors]
    except (TypeError, ValueError):
        raise CallError(
            "predict() takes numbers, and one of the values given is none.",
            Advice("Such as {'P@10': 0.55, 'nDCG@20': 0.41}."),
        ) from None
    if len({column.shape for column in columns}) > 1 or columns[0].ndim > 1:
        raise CallError("predict() takes one value of each measure, or equally many.")
    if not len(columns[0]):
        raise CallError(f"predict() was given no values of {', '.join(predictors)}; give one per system.")
    values = np.column_stack(columns)
    if not np.isfinite(values).all():
        raise TauscopeError("predict() needs finite numbers; a measure that is missing cannot predict.")
    return values, tuple(map(str, range(1, len(values) + 1)))


@tells_oddities(but=OWN_SCALES)
def predict(
    train: Any,
    target: str | Sequence[str] | None = None,
    *,
    predictors: Sequence[str] | None = None,
    min_predictors: int = 1,
    max_predictors: int = 3,
    select_on: Any = None,
    test: Any = (),
    model: Any = "linear",
    criterion: str = "tau_b",
    keep: int | None = None,
    shortlist: int | None = SHORTLIST,
    level: float = 0.95,
    by: str = "system",
    progress: Progress | None = None,
) -> Any:
    """Predict what an unreported measure would have been, and find the measures that predict it best.

    Use it if only a table of measures was published. Do not use it if the runs are available: `evaluate()` then
    computes the measure.

    The target is regressed on every set of up to `max_predictors` other measures (gupta2019, section 5). Models are
    trained on `train`, sets are chosen on `select_on` by Kendall's tau_b or R², and tested on `test`. Of equal criteria
    fewer predictors win, then their order. Figures on the collection on which sets were chosen are the best of many, so
    they are too high; believe those of `test`. R² can be negative on another collection, where the order can be right
    although the values are shifted. Intervals are for a new system of the kind in `train`.

    Parameters
    ----------
    train : measures.Table or ScoreCube, or several in a list or dict by name
        Collections to learn from; of a cube its means.
    target : str, list of str or None
        Measure to predict, or several; None for every measure. A target is never its own predictor.
    predictors : list of str or None
        Measures to choose from; None for all that every collection has. Constant ones are left out.
    min_predictors, max_predictors : int
        Sizes of the sets that are tried.
    select_on : measures.Table, ScoreCube or None
        Collection on which sets are chosen; None predicts each training system from the others (leave-one-out).
    test : measures.Table or ScoreCube, or several in a list or dict by name
        Collections that had no part in the choice.
    model : str or object
        "linear", "svm" (RBF, kernel sizes .5, 1, 2, 5), "boosting", or any object with `fit()` and `predict()`.
    criterion : {"tau_b", "r2"}
        What sets are chosen by.
    keep : int or None, default None
        Number of sets of each size in the result; None for five of one target, and one of several.
    shortlist : int or None
        Number of sets of each size, the best by linear regression, that the other models try; None for all.
    level : float
        Confidence level of the prediction intervals.
    by : {"system", "topic"}
        Whether an observation is a system (means over topics) or a system on a topic.
    progress : callable or None
        Called with (sets tried, sets), or (targets done, targets) if there are several.

    Returns
    -------
    MeasurePrediction or MeasurePredictions
        One prediction for one target, with `.predict()` for new systems, or one for each of several.

    Raises
    ------
    CallError
        If there are too many sets to try, or an argument is not what it should be.
    TauscopeError
        If a measure is not in every collection, the target is constant, or there are too few systems.

    See Also
    --------
    low_to_high : predict measures of deep runs from those of shallow ones.

    Examples
    --------
    >>> from tauscope.measures import Table, predict
    >>> old = Table([[.1, .2], [.2, .3], [.3, .5], [.4, .6]], ["a", "b", "c", "d"], ["AP", "P@10"])
    >>> predict(old, "AP").predict({"P@10": 0.4}).values.round(3)
    array([0.25])
    >>> len(predict(old).results)
    2
    """
    one = isinstance(target, str)
    targets = (target,) if isinstance(target, str) else target
    trials = _Trials(train, select_on, test, targets, predictors, by)
    wanted = trials.training.measures if targets is None else tuple(trials.canonical(name) for name in targets)
    for name, number in (("min_predictors", min_predictors), ("max_predictors", max_predictors)):
        checking.whole(number, name, least=1)
    if min_predictors > max_predictors:
        raise CallError(
            f"min_predictors={min_predictors} is more than max_predictors={max_predictors}.",
            Option("max_predictors", min_predictors),
        )
    plan = _Plan(
        smallest=min_predictors,
        largest=max_predictors,
        model=model,
        criterion=checking.one_of(criterion, CRITERIA, "criterion"),
        keep=(5 if one else 1) if keep is None else checking.whole(keep, "keep", least=1),
        shortlist=None if shortlist is None else checking.whole(shortlist, "shortlist", least=1),
        level=checking.level(level),
    )
    if one:
        return trials.find(wanted[0], plan, progress)
    results = []
    for name in wanted:
        results.append(trials.find(name, plan, None))
        if progress:
            progress(len(results), len(wanted))
    return MeasurePredictions(results=tuple(results))


class Candidate(NamedTuple):
    """A set of predictors in the search.

    Parameters
    ----------
    columns : tuple of int
        Places of the predictors.
    criterion : float
        The value by which sets are chosen.
    singular : bool
        Whether the predictors are combinations of each other.
    variant : Variant
        The setting of the model.
    """

    columns: tuple[int, ...]
    criterion: float
    singular: bool
    variant: Variant

    @property
    def rounded(self) -> float:
        """The criterion by which sets are ordered; an undefined one comes last."""
        return -np.inf if np.isnan(self.criterion) else round(self.criterion, EQUAL)


def search(
    training: Training,
    target: int,
    predictors: Sets,
    sizes: range,
    criterion: str,
    keep: int,
    progress: Progress | None = None,
) -> tuple[list[list[Candidate]], int, int]:
    """Find the best sets of each size by linear regression.

    Every set is tried. Criteria that agree to 12 decimals are equal, and then the set that comes first wins.

    Parameters
    ----------
    training : Training
        What to learn from, and where sets are chosen.
    target : int
        Column of the measure that is predicted.
    predictors : array of int
        Columns to choose from.
    sizes : range
        Sizes of the sets.
    criterion : {"tau_b", "r2"}
        What sets are chosen by.
    keep : int
        Number of sets of each size to keep.
    progress : callable or None
        Called with (sets tried, sets).

    Returns
    -------
    tuple
        The sets of each size, and how many were tried and singular.
    """
    rows = len(training.values if training.selection is None else training.selection)
    total = sum(comb(len(predictors), size) for size in sizes)
    best: list[list[Candidate]] = []
    tried = singular = 0
    for size in sizes:
        top: list[Candidate] = []
        for sets in sets_of(predictors, size, max(1, BLOCK // max(rows, size * training.values.shape[1]))):
            values, flags = _scored(training, target, sets, criterion)
            tried, singular = tried + len(sets), singular + int(flags.sum())
            # A stable sort: of equal criteria the set that comes first stays first.
            order = np.argsort(-np.round(np.where(np.isnan(values), -np.inf, values), EQUAL), kind="stable")[:keep]
            top += [Candidate(tuple(sets[i].tolist()), float(values[i]), bool(flags[i]), _LINEAR) for i in order]
            top = sorted(top, key=lambda one: -one.rounded)[:keep]
            if progress:
                progress(tried, total)
        best.append(top)
    return best, tried, singular


_LINEAR = Variant("", LinearFit)


def _scored(training: Training, target: int, sets: Sets, criterion: str) -> tuple[Floats, Bools]:
    """Return the criterion of each set, and whether its predictors are singular."""
    fits = training.squares.fit(sets, target)
    if training.selection is None:
        truth, made = training.values[:, target], training.squares.left_out(fits, target)
    else:
        truth, made = training.selection[:, target], fits.predictions(training.selection)
    taus, r2, _ = quality(made, truth)
    return (r2 if criterion == "r2" else taus), fits.singular


def chosen(best: list[list[Candidate]]) -> Candidate:
    """Return the best of all sizes; of equal ones the smallest."""
    return max((size[0] for size in best if size), key=lambda one: (one.rounded, -len(one.columns)))


class _Plan(NamedTuple):
    """What `predict()` was asked to try and to keep, checked.

    Parameters
    ----------
    smallest, largest : int
        Sizes of the sets.
    model, criterion, keep, shortlist, level
        As in `predict()`.
    """

    smallest: int
    largest: int
    model: Any
    criterion: str
    keep: int
    shortlist: int | None
    level: float


class _Trials:
    """The collections to learn from, to choose on and to test on, cut to the measures that all have.

    Parameters
    ----------
    train, select_on, test, predictors, by
        As in `predict()`.
    targets : sequence of str or None
        The measures to predict; None for every one.
    """

    def __init__(
        self, train: Any, select_on: Any, test: Any, targets: Sequence[str] | None, predictors: Any, by: str
    ) -> None:
        if select_on is not None and select_on is train:
            raise CallError(
                "select_on is the training data itself.",
                Advice("Leave it out: then each system is left out in turn."),
            )
        learnt = as_collections(train, by, "predict()")
        chosen_on = [] if select_on is None else as_collections(select_on, by, "predict()")
        tested = [] if isinstance(test, (list, tuple)) and not test else as_collections(test, by, "predict()")
        if len(chosen_on) > 1:
            raise CallError(
                f"select_on is one collection, and {len(chosen_on)} are given.",
                Advice("What sets are tested on goes into `test`."),
            )
        every = [*learnt, *chosen_on, *tested]
        asked = () if targets is None else labels(targets)
        if predictors is None:
            allowed = kept = tuple(m for m in learnt[0].measures if all(m in one.measures for one in every))
            self.notes = notes_on(every, kept)
        else:
            allowed, self.notes = labels(predictors), notes_on(every)
            kept = tuple(dict.fromkeys((*allowed, *asked)))
        _need(every, (*kept, *asked))
        cut = [one.select(kept) for one in every]
        values = np.concatenate([one.values for one in cut[: len(learnt)]])
        still = constant(values, kept)
        if dropped := tuple(m for m in kept if m in still and m not in asked):
            self.notes += (Note("constant_in_training", measures=dropped),)
        names: list[str] = []
        for place, one in enumerate([*chosen_on, *tested]):
            name = one.name or f"collection {place + 1}"
            names.append(name if name not in names else f"{name} ({place + 1})")
        self.others = [replace(one, name=name) for one, name in zip(cut[len(learnt) :], names, strict=True)]
        self.training = Training(values, self.others[0].values if chosen_on else None, kept)
        self.predictors = tuple(m for m in allowed if m not in still)
        self.selection = names[0] if chosen_on else "training (leave-one-out)"

    def canonical(self, target: str) -> str:
        """Return the label of a target, which must be there and vary."""
        name, training = labels(target)[0], self.training
        at = positions([name], training.measures, "measure")
        if constant(training.values[:, at], (name,)):
            raise TauscopeError(f"{name} is constant in training, so there is nothing to predict.")
        if training.selection is not None and np.ptp(training.selection[:, at]) == 0:
            raise TauscopeError(
                f"{name} is constant on {self.selection}, so no set can be chosen there.", Advice("Choose on another.")
            )
        return name

    def find(self, target: str, plan: _Plan, progress: Progress | None) -> MeasurePrediction:
        """Find the best sets of predictors of one target, and see how they do on the other collections.

        Parameters
        ----------
        target : str
            The measure that is predicted.
        plan : _Plan
            What to try and to keep.
        progress : callable or None
            Called with (sets tried, sets).

        Returns
        -------
        MeasurePrediction
        """
        title, models = variants(plan.model)
        at = positions([target], self.training.measures, "measure")[0]
        linear, notes = plan.model == "linear", list(self.notes)
        wanted = plan.keep if linear else max(plan.keep, plan.shortlist or 10**9)
        asked = *self._to_try(target, plan), plan.criterion, wanted, progress if linear else None
        best, tried, singular = search(self.training, at, *asked)
        if not linear:
            if plan.shortlist is not None and any(len(size) == wanted for size in best):
                notes.append(Note("shortlist", model=title, sets=wanted))
            best, tried = self._refitted(at, best, models, plan, progress)
        if singular:
            notes.append(Note("singular_sets", sets=singular))
        # An interval without a formula needs ten more fits: only the best set of a size gets one.
        sets = {
            one.columns: self._described(one, at, plan.level if linear or not place else None)
            for size in best
            for place, one in enumerate(size)
        }
        winner = sets[chosen(best).columns]
        if any(fit.r2 < 0 for fit in winner.fits):
            notes.append(Note("negative_r2"))
        return MeasurePrediction(
            target=target,
            model=title,
            criterion=plan.criterion,
            chosen=winner,
            sets=tuple(sets.values()),
            tried=tried,
            singular=singular,
            systems=len(self.training.values),
            chosen_on=self.selection,
            level=plan.level,
            intervals="student" if linear else "conformal",
            notes=tuple(notes),
            _training=self.training,
            _variants=models,
        )

    def _to_try(self, target: str, plan: _Plan) -> tuple[Sets, range]:
        """Return the columns of the predictors, and the sizes of the sets; the largest needs enough systems."""
        allowed = [m for m in self.predictors if m != target]
        if not allowed:
            raise TauscopeError(f"No measure is left to predict {target} from.")
        if plan.smallest > len(allowed):
            raise CallError(
                f"min_predictors={plan.smallest}, and there are {count(len(allowed), 'predictor')}.",
                Option("min_predictors", len(allowed)),
            )
        largest, n = min(plan.largest, len(allowed)), len(self.training.values)
        if n < largest + 2:
            raise TauscopeError(
                f"{count(n, 'system')} in training {'is' if n == 1 else 'are'} too few for an intercept, "
                f"{count(largest, 'slope')} and an error: {largest + 2} are needed.",
                Option("max_predictors", n - 2)
                if n - 2 >= plan.smallest
                else Advice("Give more systems to learn from."),
            )
        columns = np.array(positions(allowed, self.training.measures, "measure"), dtype=np.intp)
        return columns, range(plan.smallest, largest + 1)

    def _refitted(
        self,
        target: int,
        best: list[list[Candidate]],
        models: Sequence[Variant],
        plan: _Plan,
        progress: Progress | None,
    ) -> tuple[list[list[Candidate]], int]:
        """Choose among the best sets of linear regression by another model.

        Parameters
        ----------
        target : int
            Column of the measure that is predicted.
        best : list
            The sets of each size.
        models : sequence of Variant
            Settings of the model; each set takes its best one.
        plan, progress
            As in `find()`.

        Returns
        -------
        tuple
            The sets of each size, and the number of models trained.
        """
        total, done, chosen_sets = sum(map(len, best)) * len(models), 0, []
        chosen_on = [] if self.training.selection is None else self.others[:1]
        for size in best:
            scored = []
            for one in size:
                tried = []
                for variant in models:
                    fit = self._fits(one._replace(variant=variant), target, chosen_on, None)[0]
                    tried.append(one._replace(variant=variant, criterion=getattr(fit, plan.criterion)))
                    done += 1
                    if progress:
                        progress(done, total)
                scored.append(max(tried, key=lambda one: -np.inf if np.isnan(one.criterion) else one.criterion))
            chosen_sets.append(sorted(scored, key=lambda one: -one.rounded)[: plan.keep])
        return chosen_sets, done

    def _fits(self, one: Candidate, target: int, others: Sequence[Columns], level: float | None) -> list[Fit]:
        """Compare predictions with the truth on several collections.

        Parameters
        ----------
        one : Candidate
            The set and the setting of the model.
        target : int
            Column of the measure that is predicted.
        others : sequence of Columns
            Collections other than that in training.
        level : float or None
            Level of the prediction intervals; None for no intervals.

        Returns
        -------
        list of Fit
            In training first, if sets are chosen there; each system is then predicted from others.
        """
        columns, training = list(one.columns), self.training
        values, truth, fits = training.values[:, columns], training.values[:, target], []
        if training.selection is None:
            if one.variant.train is LinearFit:
                squares = training.squares
                made = squares.left_out(squares.fit(np.array([columns], dtype=np.intp), target), target)[0]
            else:
                made = cross_validated(one.variant.train, values, truth)
            fits.append(Fit.of(self.selection, made, truth))
        if not others:
            return fits
        fitted = one.variant.train(values, truth)
        for other in others:
            new, truth = other.values[:, columns], other.values[:, target]
            made, covered = fitted.predict(new), np.nan
            if level is not None:
                covered = float((np.abs(truth - made) <= fitted.half_widths(new, level)).mean())
            fits.append(Fit.of(other.name, made, truth, covered))
        return fits

    def _described(self, one: Candidate, target: int, level: float | None) -> PredictorSet:
        """Describe a set by the names of its predictors and its fits on every collection."""
        fits = tuple(self._fits(one, target, self.others, level))
        names = tuple(self.training.measures[i] for i in one.columns)
        return PredictorSet(names, one.variant.label, fits, one.singular)


def _need(collections: Sequence[Columns], measures: Sequence[str]) -> None:
    """Raise an error that says which collection lacks which measure.

    Parameters
    ----------
    collections : sequence of Columns
        All collections.
    measures : sequence of str
        The measures that each must have.
    """
    for place, one in enumerate(collections):
        for measure in measures:
            if measure not in one.measures:
                where = f"{one.name!r}" if one.name else f"collection {place + 1}"
                if any(measure in other.measures for other in collections):
                    raise TauscopeError(f"There is no measure {measure!r} in {where}; it has {shown(one.measures, 8)}.")
                positions([measure], one.measures, "measure")
