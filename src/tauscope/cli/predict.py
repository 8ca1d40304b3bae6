"""`tauscope measures predict`: measures that were not reported."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Literal

from cyclopts import Parameter

from ..errors import CallError
from ..results import count, number
from ..selection.predict import MeasurePrediction, predict_measure
from . import inputs
from .options import Many, ManyFiles, OnMeasures, Output, labels_in
from .output import show, show_table
from .progress import progress


def predict(
    *,
    train: ManyFiles = None,
    target: Annotated[str | None, Parameter(name=["--target", "-t"])] = None,
    given: str | None = None,
    select: Path | None = None,
    test: ManyFiles = None,
    predictors: Many = None,
    max_predictors: Annotated[int, Parameter(name=["--max-predictors", "-k"])] = 3,
    model: Literal["linear", "svm", "boosting"] = "linear",
    criterion: Literal["tau_b", "r2"] = "tau_b",
    keep: int = 3,
    level: float = 0.95,
    shared: OnMeasures = OnMeasures(),
) -> None:
    """What would an unreported measure have been?

    With --given the values of a published row, the prediction for that system. Without, which measures predict best:
    chosen on --select, tested on --test.

    Example: `tauscope measures predict --train track.csv --target AP --given "P@10=.55,nDCG@20=.41"`

    Parameters
    ----------
    train
        Tables of systems by measures to learn from.
    target
        The measure to predict, such as AP.
    given
        The measures of one system: "P@10=.55,nDCG@20=.41". They are the predictors.
    select
        The collection that sets of predictors are chosen on; without, training systems are left out in turn.
    test
        Collections that the chosen sets are tested on.
    predictors
        Measures to choose from; without, all that every file has.
    max_predictors
        Sets of up to this many.
    model
        linear, svm (RBF) or boosting.
    criterion
        What sets are chosen by.
    keep
        How many sets of each size are listed.
    level
        The level of the prediction intervals.
    """
    if not train or target is None:
        raise CallError("Give the tables to learn from and the measure to predict: --train FILE --target AP.")
    row = None if given is None else _given(given)
    if row is not None and (predictors is not None or select is not None or test):
        raise CallError("--given names the predictors itself; leave out --predictors, --select and --test.")
    options: dict[str, Any] = {"model": model, "criterion": criterion, "keep": keep, "level": level}
    with shared.said():
        with progress("fitting") as report:
            if row is not None:
                options |= {"predictors": list(row), "min_predictors": len(row), "max_predictors": len(row)}
            else:
                options |= {"predictors": predictors, "max_predictors": max_predictors}
                options["test"] = inputs.collections(test, shared) if test else ()
                options["select_on"] = None if select is None else inputs.collections([select], shared)
            found = predict_measure(inputs.collections(train, shared), target, progress=report, **options)
        if row is not None:
            _print_given(found, row, shared)
        elif not shared.print(found):
            show(*found.lines(), "")
            _print_sets(found)
        shared.save(found)


def _print_given(found: MeasurePrediction, row: dict[str, float], output: Output) -> None:
    made, fit = found.predict(row), found.chosen.fits[0]
    more = {"model": found.model, "trained_on": found.systems, "left_out_in_turn": fit._asdict()}
    if not output.print(made, more):
        quality = f"tau_b {number(fit.tau_b)}, R² {number(fit.r2)}, RMSE {number(fit.rmse, 4)}"
        trained = f"{found.model} on {count(fit.systems, 'system')}"
        show(*made.lines(), f"{trained}; predicting each of them from the others: {quality}")


def _print_sets(found: MeasurePrediction) -> None:
    names = [fit.collection for fit in found.chosen.fits]
    rows = [["predictors", *(f"{what} {name}" for name in names for what in ("tau_b", "R²", "RMSE"))]]
    for one in found.sets:
        cells = [text for fit in one.fits for text in (number(fit.tau_b), number(fit.r2), number(fit.rmse, 4))]
        rows.append([str(one), *cells])
    show_table(rows, right=range(1, len(rows[0])), indent="  ")


def _given(text: str) -> dict[str, float]:
    """ "P@10=.55,RBP(p=0.8)=.41": the value comes after the last equals sign, commas in brackets belong to the name."""
    parts = labels_in(text) or [text]
    found: dict[str, float] = {}
    for part in parts:
        name, equals, value = part.rpartition("=")
        try:
            found[name.strip()] = float(value)
        except ValueError:
            equals = ""
        if not equals or not name.strip():
            raise CallError(
                f'--given {text!r}: write measures and values, such as "P@10=.55,nDCG@20=.41"; {part!r} is none.'
            )
    if len(found) < len(parts):
        raise CallError(f"--given {text!r}: a measure is there twice.")
    return found
