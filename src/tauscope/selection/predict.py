"""`predict_measure` and `predict_measures`: what would an unreported measure have been, and which others predict it?"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..errors import Advice, CallError, Option
from ..files.door import tells_oddities
from ..jobs.progress import Progress
from ..results import Result, count, number
from ..scores.labels import positions
from .columns import OWN_SCALES, labels
from .predicted_measure import PredictedMeasure, predicted
from .predictor_search import Plan, PredictorSet, Training, Trials
from .regression_models import Fit, Fitted, Variant

#: Sets of each size that models other than linear try: the best by linear regression.
SHORTLIST = 25


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class MeasurePrediction(Result):
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
                Advice("Call predict_measure() again: its result has them.", shell=""),
            )
        return self._training

    def lines(self) -> list[str]:
        first = self.chosen.fits[0]
        many = self.tried > 1
        among = "the only set"
        if many:
            tried = count(self.tried, "set" if self.model == "linear regression" else "trained model")
            among = f"best of {tried} by {'R²' if self.criterion == 'r2' else self.criterion} on {first.collection}"
        lines = [f"{self.target} from {self.chosen}: {self.model} on {count(self.systems, 'system')}, {among}"]
        lines.append("; ".join(_in_words(fit, many and not place) for place, fit in enumerate(self.chosen.fits)))
        covered = [f for f in self.chosen.fits if not np.isnan(f.covered)]
        if covered:
            shares = ", ".join(f"{round(f.covered * f.systems)} of {f.systems} on {f.collection}" for f in covered)
            lines.append(f"{self.level:.0%} prediction intervals ({self.intervals}) hold {shares}")
        return [*lines, *(f"note: {note}" for note in self.notes)]

    def methods_sentence(self) -> str:
        """The sentence a paper needs: from which measures another is predicted, how, and how well.

        Returns
        -------
        str
            One sentence, with the value on each collection, and how many sets were tried.
        """
        tried = count(self.tried, "set" if self.model == "linear regression" else "trained model")
        by = "R²" if self.criterion == "r2" else self.criterion
        among = f", the best of {tried} by {by} on {self.chosen_on}" if self.tried > 1 else ""
        fits = "; ".join(_in_words(fit, self.tried > 1 and not place) for place, fit in enumerate(self.chosen.fits))
        held = "".join(
            f"; {self.level * 100:g} % prediction intervals hold {round(f.covered * f.systems):,} of {f.systems:,} on "
            f"{f.collection}"
            for f in self.chosen.fits
            if not np.isnan(f.covered)
        )
        return (
            f"{self.target} was predicted from {self.chosen} by {self.model} on {count(self.systems, 'system')}{among} "
            f"({fits}{held}{''.join(f'; {note}' for note in self.notes)}{self._after()})."
        )

    def columns(self) -> dict[str, Any]:
        return _table([self])

    def to_dict(self) -> dict[str, Any]:
        return {**super().to_dict(), "frequencies": self.frequencies()}

    def cited(self) -> tuple[str, ...]:
        return ("gupta2019", "kendall1945")

    def plot(self) -> Any:
        """Criterion of the best set of each size, one curve per collection."""
        from ..figures import curves

        sizes = sorted({len(one.predictors) for one in self.sets})
        rows = [
            {"predictors": size, "tau_b": fit.tau_b, "R²": fit.r2, "collection": fit.collection, "all": ""}
            for size in sizes
            for fit in self.best(size).fits
        ]
        title = f"{self.target} from other measures"
        return curves(rows, x="predictors", ys=("tau_b", "R²"), line="collection", panel="all", title=title, least=-1.0)


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class MeasurePredictions(Result):
    """Several targets predicted alike: `predictions["AP"]`, and the table of all (gupta2019, Table 1).

    Attributes
    ----------
    results : tuple of MeasurePrediction
        One for each target.
    """

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

    def lines(self) -> list[str]:
        often = ", ".join(f"{name} {times}" for name, times in list(self.frequencies().items())[:5])
        good = [r.target for r in self.results if all(fit.tau_b >= 0.9 for fit in r.chosen.fits)]
        tried = sum(result.tried for result in self.results)
        where = ", ".join(fit.collection for fit in self.results[0].chosen.fits)
        model = self.results[0].model
        return [
            f"{count(len(self), 'measure')} predicted from others: {model}, {count(tried, 'set')} tried",
            f"tau_b of at least .9 on {where}: {', '.join(good) or 'none'}",
            f"predictors most often in a best set: {often}",
        ]

    def methods_sentence(self) -> str:
        """The sentence a paper needs: how many measures are predicted from others, how, and which of them well.

        Returns
        -------
        str
            One sentence, with the collections, and how many sets were tried.
        """
        first, tried = self.results[0], sum(result.tried for result in self.results)
        good = [r.target for r in self.results if all(fit.tau_b >= 0.9 for fit in r.chosen.fits)]
        where = ", ".join(fit.collection for fit in first.chosen.fits)
        named = f" ({', '.join(good)})" if good else ""
        return (
            f"{count(len(self), 'measure')} were predicted from others by {first.model} on "
            f"{count(first.systems, 'system')}, {len(good):,} of them with a tau_b of at least 0.9 on {where}{named} "
            f"({count(tried, 'set')} tried, chosen on {first.chosen_on}{self._after()})."
        )

    def columns(self) -> dict[str, Any]:
        return _table(self.results)

    def plot(self) -> Any:
        """How well the chosen set predicts each target, one dot per collection."""
        from ..figures import PALETTE, dots

        fits = [(result.target, fit) for result in self.results for fit in result.chosen.fits]
        return dots(
            [target for target, _ in fits],
            [fit.tau_b for _, fit in fits],
            groups=[fit.collection for _, fit in fits],
            group="collection",
            x="tau_b of the prediction",
            title=self.lines()[0],
            colours=PALETTE,
        )

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


def _in_words(fit: Fit, here: bool) -> str:
    chosen_there = " (chosen there)" if here else ""
    return f"{fit.collection}{chosen_there}: tau_b {number(fit.tau_b)}, R² {number(fit.r2)}, RMSE {number(fit.rmse, 4)}"


@tells_oddities(but=OWN_SCALES)
def predict_measure(
    train: Any,
    target: str,
    *,
    predictors: Sequence[str] | None = None,
    min_predictors: int = 1,
    max_predictors: int = 3,
    select_on: Any = None,
    test: Any = (),
    model: Any = "linear",
    criterion: str = "tau_b",
    keep: int = 5,
    shortlist: int | None = SHORTLIST,
    level: float = 0.95,
    by: str = "system",
    progress: Progress | None = None,
) -> MeasurePrediction:
    """What would an unreported measure have been, given those that were reported, and which of them predict it best?

    Linear regression with an intercept of the target on every set of up to `max_predictors` others, learnt on `train`,
    chosen by Kendall's tau_b (or R²) on `select_on`, tested on `test` (gupta2019, section 5). Of equal criteria fewer
    predictors win, then their order. The figures on the collection that sets were chosen on are the best of many, so
    they flatter; believe those of `test`. R² can be negative on another collection: the order can be right where the
    values are shifted. Intervals are for a new system of the kind in `train`; how many systems of the other collections
    they hold is in the result.

    Do not use it where the runs can be had: then `evaluate` computes the measure.

    Parameters
    ----------
    train : MeasureTable or ScoreCube, or several in a list or dict by name
        What to learn from; of a cube its means.
    target : str
        The measure to predict.
    predictors : list of str or None
        Measures to choose from; None for all that every collection has. Constant ones are left out, and said.
    min_predictors, max_predictors : int
        Sizes of the sets that are tried.
    select_on : MeasureTable, ScoreCube or None
        The collection that sets are chosen on; None: each training system is predicted from the others (leave-one-out).
    test : MeasureTable or ScoreCube, or several in a list or dict by name
        Collections that had no part in the choice.
    model : str or object
        "linear", "svm" (RBF, kernel sizes .5, 1, 2, 5), "boosting", or any object with `fit()` and `predict()`.
    criterion : {"tau_b", "r2"}
        What sets are chosen by.
    keep : int
        How many sets of each size are in the result.
    shortlist : int or None
        How many sets of each size, the best by linear regression, the other models try; None for all.
    level : float
        Of the prediction intervals.
    by : {"system", "topic"}
        Whether an observation is a system (means over topics) or a system on a topic.
    progress : callable or None
        Called with (sets tried, sets).

    Returns
    -------
    MeasurePrediction

    Raises
    ------
    CallError
        If there are too many sets to try, or an argument is not what it should be.
    TauscopeError
        If a measure is not in every collection, the target is constant, or there are too few systems.

    See Also
    --------
    predict_measures : Several targets at once.
    low_to_high : Measures of deep runs from those of shallow ones.

    Examples
    --------
    >>> from tauscope import MeasureTable
    >>> old = MeasureTable([[.1, .2], [.2, .3], [.3, .5], [.4, .6]], ["a", "b", "c", "d"], ["AP", "P@10"])
    >>> print(predict_measure(old, "AP").predict({"P@10": 0.4}))
    AP = 0.250   [0.142, 0.358]
    95% prediction interval (least squares, Student's t), from P@10
    """
    trials = Trials.of(train, select_on, test, targets=(target,), predictors=predictors, by=by)
    plan = Plan(
        smallest=min_predictors,
        largest=max_predictors,
        model=model,
        criterion=criterion,
        keep=keep,
        shortlist=shortlist,
        level=level,
    )
    return _prediction(trials, trials.canonical(target), plan, progress)


@tells_oddities(but=OWN_SCALES)
def predict_measures(
    train: Any,
    targets: Sequence[str] | None = None,
    *,
    predictors: Sequence[str] | None = None,
    min_predictors: int = 1,
    max_predictors: int = 3,
    select_on: Any = None,
    test: Any = (),
    model: Any = "linear",
    criterion: str = "tau_b",
    keep: int = 1,
    shortlist: int | None = SHORTLIST,
    level: float = 0.95,
    by: str = "system",
    progress: Progress | None = None,
) -> MeasurePredictions:
    """Which measures can be predicted from the others?

    `predict_measure` of each target; a target is never its own predictor. The table is that of gupta2019's Table 1: the
    best sets of each size.

    Parameters
    ----------
    train : MeasureTable or ScoreCube, or several in a list or dict by name
        What to learn from; of a cube its means.
    targets : list of str or None
        The measures to predict; None for every measure.
    predictors, min_predictors, max_predictors, select_on, test, model, criterion, keep, shortlist, level, by
        As in `predict_measure`.
    progress : callable or None
        Called with (targets done, targets).

    Returns
    -------
    MeasurePredictions

    See Also
    --------
    predict_measure : One target, with predictions for new systems.

    Examples
    --------
    >>> from tauscope import MeasureTable
    >>> old = MeasureTable([[.1, .2], [.2, .3], [.3, .5], [.4, .6]], ["a", "b", "c", "d"], ["AP", "P@10"])
    >>> print(predict_measures(old).lines()[0])
    2 measures predicted from others: linear regression, 2 sets tried
    """
    trials = Trials.of(train, select_on, test, targets=targets, predictors=predictors, by=by)
    wanted = trials.training.measures if targets is None else tuple(trials.canonical(name) for name in targets)
    plan = Plan(
        smallest=min_predictors,
        largest=max_predictors,
        model=model,
        criterion=criterion,
        keep=keep,
        shortlist=shortlist,
        level=level,
    )
    results = []
    for place, target in enumerate(wanted):
        results.append(_prediction(trials, target, plan, None))
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
