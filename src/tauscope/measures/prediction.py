"""`predict` and `predict`: what would an unreported measure have been, and which others predict it?"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

from ..core.draws import Progress
from ..data.labels import positions
from ..errors import Advice, CallError, Option
from ..io.door import tells_oddities
from ..results import Plain
from .columns import OWN_SCALES, labels
from .predicted_measure import PredictedMeasure, predicted
from .predictor_search import Plan, PredictorSet, Training, Trials
from .regression_models import Fitted, Variant

#: Sets of each size that models other than linear try: the best by linear regression.
SHORTLIST = 25


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class MeasurePrediction(Plain):
    """How well a measure can be predicted from others, and what it would have been for new systems.

    Attributes
    ----------
    target : str
        The measure that is predicted.
    model : str
        The regression, in words.
    criterion : str
        What sets were chosen by, "tau_b" or "r2".
    chosen : PredictorSet
        The best set: `.predictors`, `.variant` of the model, `.fits` on the collection it was chosen on and on those it
        was tested on (`.tau_b`, `.r2`, `.rmse`, `.covered`), `.singular`.
    sets : tuple of PredictorSet
        The best sets of each size, smallest sets first.
    tried : int
        How many sets, or trained models, were tried.
    singular : int
        How many of them had predictors that are combinations of each other.
    systems : int
        How many systems were learnt from.
    chosen_on : str
        The collection that sets were chosen on.
    level : float
        The level of the prediction intervals.
    intervals : str
        How the intervals are found, in words.
    notes : tuple of str
        What was left out, and what to beware of.
    """

    QUESTION: ClassVar[str] = "prediction"
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
    notes: tuple[str, ...] = ()
    _training: Training | None = field(default=None, repr=False)
    _variants: tuple[Variant, ...] = field(default=(), repr=False)

    def best(self, size: int) -> PredictorSet:
        """The best set of this many predictors.

        Parameters
        ----------
        size : int
            How many predictors.

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
        sizes = sorted({len(one.predictors) for one in self.sets})
        raise CallError(f"No set of {size} predictors was tried; there are sizes {', '.join(map(str, sizes))}.")

    def frequencies(self) -> dict[str, int]:
        """How many of the sets in `.sets` each predictor is in.

        Returns
        -------
        dict
            Measure -> number of sets, most frequent first.
        """
        return dict(Counter(name for one in self.sets for name in one.predictors).most_common())

    def fitted(self, one: PredictorSet | None = None) -> Fitted:
        """The trained model of a set.

        Parameters
        ----------
        one : PredictorSet or None
            One of `.sets`; None for the chosen one.

        Returns
        -------
        Fitted
            An object with `predict(values)` and `half_widths(values, level)`.
        """
        one = one or self.chosen
        training = self._learnt_from()
        at = positions(one.predictors, training.measures, "measure")
        target = positions([self.target], training.measures, "measure")[0]
        variant = next(variant for variant in self._variants if variant.label == one.variant)
        return variant.train(training.values[:, at], training.values[:, target])

    def predict(self, scores: Any, *, size: int | None = None, level: float | None = None) -> PredictedMeasure:
        """The target of new systems, with prediction intervals.

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
        training = self._learnt_from()
        seen = training.values[:, positions(one.predictors, training.measures, "measure")]
        level = self.level if level is None else level
        return predicted(self.target, one.predictors, self.fitted(one), scores, seen=seen, level=level)

    def formula(self, size: int | None = None) -> str:
        """The regression in words: "AP = 0.012 + 0.83 Rprec".

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
        model: Any = self.fitted(one)
        if not hasattr(model, "slopes"):
            raise CallError(f"{self.model} has no formula.", Option("model", "linear"))
        terms = "".join(
            f" {'-' if s < 0 else '+'} {abs(s):.4g} {name}"
            for s, name in zip(model.slopes, one.predictors, strict=True)
        )
        return f"{self.target} = {model.intercept:.4g}{terms}"

    def _learnt_from(self) -> Training:
        if self._training is None:
            raise CallError(
                "This result was made without its training data.",
                Advice("Call predict() again: its result has them.", shell=""),
            )
        return self._training

    def courses(self) -> list[tuple[str, list[int], list[float]]]:
        """Return τ_b of the best set of each size: (collection, sizes, values).

        Returns
        -------
        list of tuple
        """
        sizes = sorted({len(one.predictors) for one in self.sets})
        best = [self.best(size).fits for size in sizes]
        return [(fit.collection, sizes, [fits[k].tau_b for fits in best]) for k, fit in enumerate(self.chosen.fits)]

    def columns(self) -> dict[str, Any]:
        return _table([self])

    def to_dict(self) -> dict[str, Any]:
        return {**super().to_dict(), "frequencies": self.frequencies()}

    def cited(self) -> tuple[str, ...]:
        return ("gupta2019", "kendall1945")


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class MeasurePredictions(Plain):
    """Several targets predicted alike: `predictions["AP"]`, and the table of all (gupta2019, Table 1).

    Attributes
    ----------
    results : tuple of MeasurePrediction
        One for each target.
    """

    QUESTION: ClassVar[str] = "predictions"
    results: tuple[MeasurePrediction, ...]

    def __len__(self) -> int:
        return len(self.results)

    def __iter__(self) -> Iterator[MeasurePrediction]:
        return iter(self.results)

    def __getitem__(self, target: str) -> MeasurePrediction:
        at = positions(labels(target), tuple(one.target for one in self.results), "target")
        return self.results[at[0]]

    def frequencies(self) -> dict[str, int]:
        """How often each predictor is in the best set of a size, over all targets and sizes.

        Returns
        -------
        dict
            Measure -> number of best sets, most frequent first.
        """
        sizes = sorted({len(one.predictors) for result in self.results for one in result.sets})
        best = [r.best(k) for r in self.results for k in sizes if any(len(s.predictors) == k for s in r.sets)]
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

    def cited(self) -> tuple[str, ...]:
        return self.results[0].cited()


def _table(results: Sequence[MeasurePrediction]) -> dict[str, Any]:
    """One row for each set, in the order of size and criterion."""
    rows = [(result.target, one) for result in results for one in result.sets]
    table: dict[str, Any] = {"target": [t for t, _ in rows], "size": [len(one.predictors) for _, one in rows]}
    table["predictors"] = [str(one) for _, one in rows]
    for place, fit in enumerate(rows[0][1].fits):
        for name in ("tau_b", "r2", "rmse", "covered"):
            table[f"{name} {fit.collection}"] = [getattr(one.fits[place], name) for _, one in rows]
    return table


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
    trials = Trials.of(train, select_on, test, targets=targets, predictors=predictors, by=by)
    wanted = trials.training.measures if targets is None else tuple(trials.canonical(name) for name in targets)
    plan = Plan(
        smallest=min_predictors,
        largest=max_predictors,
        model=model,
        criterion=criterion,
        keep=(5 if one else 1) if keep is None else keep,
        shortlist=shortlist,
        level=level,
    )
    if one:
        return _prediction(trials, wanted[0], plan, progress)
    results = []
    for place, name in enumerate(wanted):
        results.append(_prediction(trials, name, plan, None))
        if progress:
            progress(place + 1, len(wanted))
    return MeasurePredictions(results=tuple(results))


def _prediction(trials: Trials, target: str, plan: Plan, progress: Progress | None) -> MeasurePrediction:
    found = trials.find(target, plan, progress)
    return MeasurePrediction(
        target=target,
        model=found.model,
        criterion=plan.criterion,
        chosen=found.best,
        sets=found.sets,
        tried=found.tried,
        singular=found.singular,
        systems=len(trials.training.values),
        chosen_on=trials.selection,
        level=plan.level,
        intervals=found.variants[0].intervals,
        notes=found.notes,
        _training=trials.training,
        _variants=found.variants,
    )
