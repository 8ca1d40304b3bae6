"""`predict_measure`: what would an unreported measure have been?"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..jobs.progress import Progress
from .measure_prediction import MeasurePrediction, MeasurePredictions
from .predictor_trials import Plan, Trials

#: Sets of each size that models other than linear try: the best by linear regression.
SHORTLIST = 25


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

    Linear regression with an intercept of the target on every set of up to `max_predictors` others, learnt on `train`, chosen
    by Kendall's tau_b (or criterion="r2") on `select_on`, tested on `test` (gupta2019, section 5). Equal tau_b: fewer
    predictors, then their order. Without `select_on` each training system is predicted from the others (leave one out). The
    figures on the collection that sets were chosen on are the best of many, so they flatter; believe those of `test`. R² can be
    negative on another collection: the order can be right where the values are shifted. Intervals are for a new system of the
    kind in `train`; how many systems of the other collections they hold is in the result.

    Do not use it where the runs can be had: then `evaluate` computes the measure.

    train, select_on, test: a MeasureTable, a ScoreCube (its means), or several in a list or dict by name.
    predictors: measures to choose from, by default all that every collection has. Constant ones are left out, and said.
    model: "linear", "svm" (RBF, kernel sizes .5, 1, 2, 5), "boosting", or any object with fit() and predict(). All but
    linear try only the `shortlist` best sets of each size by linear regression (None: all).
    keep: sets of each size in the result. level: of the prediction intervals. by: "system" or "topic".

    >>> from tauscope import MeasureTable
    >>> old = MeasureTable([[.1, .2], [.2, .3], [.3, .5], [.4, .6]], ["a", "b", "c", "d"], ["AP", "P@10"])
    >>> print(predict_measure(old, "AP").predict({"P@10": 0.4}))
    AP = 0.250   [0.142, 0.358]
    95% prediction interval (least squares, Student's t), from P@10
    """
    setup = Trials.of(train, select_on, test, (target,), predictors, by)
    plan = Plan(min_predictors, max_predictors, model, criterion, keep, shortlist, level)
    return setup.predict(setup.canonical(target), plan, progress)


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
    """Which measures can be predicted from the others? `predict_measure` of each target, or of every measure.

    A target is never its own predictor. The table is that of gupta2019's Table 1: the best sets of each size.
    """
    setup = Trials.of(train, select_on, test, targets, predictors, by)
    wanted = setup.training.measures if targets is None else tuple(setup.canonical(name) for name in targets)
    plan = Plan(min_predictors, max_predictors, model, criterion, keep, shortlist, level)
    results = []
    for place, target in enumerate(wanted):
        results.append(setup.predict(target, plan, None))
        if progress:
            progress(place + 1, len(wanted))
    return MeasurePredictions(tuple(results))
