"""`tauscope measures predict | low-to-high`: measures that were not reported, or not judged for."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Literal

from cyclopts import Parameter

from ..errors import CallError
from ..results import count, number, wording
from ..selection.low_to_high import low_to_high
from ..selection.predict import MeasurePrediction, predict_measure
from .options import Figure, Flag, MeasuresAre, Seed, SystemsAre, save_figure
from .output import one_format, show, show_table
from .progress import progress
from .tables import Files, Many, ManyFiles, Missing, Numbers, collections_from, documents


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
    missing: Missing = "error",
    systems_are: SystemsAre = "systems",
    measures_are: MeasuresAre = "measures",
    figure: Figure = None,
    json: Flag = False,
    csv: Flag = False,
) -> None:
    """What would an unreported measure have been?

    With --given the values of a published row, the prediction for that system. Without, which measures predict best: chosen on
    --select, tested on --test.

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
        Sets of each size that are listed.
    level
        Of the prediction intervals.
    json
        Print JSON.
    csv
        Print the table of sets as CSV.
    """
    one_format(json, csv)
    if not train or target is None:
        raise CallError("Give the tables to learn from and the measure to predict: --train FILE --target AP.")
    row = None if given is None else _given(given)
    if row is not None and (predictors is not None or select is not None or test):
        raise CallError("--given names the predictors itself; leave out --predictors, --select and --test.")
    with wording(systems=systems_are, measures=measures_are), progress("fitting") as report:
        options: dict[str, Any] = {
            "model": model,
            "criterion": criterion,
            "keep": keep,
            "level": level,
            "progress": report,
        }
        if row is not None:
            options |= {"predictors": list(row), "min_predictors": len(row), "max_predictors": len(row)}
        else:
            options |= {
                "predictors": predictors,
                "max_predictors": max_predictors,
                "test": collections_from(test, missing) if test else (),
            }
            options["select_on"] = None if select is None else collections_from([select], missing)
        found = predict_measure(collections_from(train, missing), target, **options)
    with wording(systems=systems_are, measures=measures_are):
        if row is not None:
            _print_given(found, row, json, csv)
        elif not documents(found, json, csv):
            show(*found.lines(), "")
            _print_sets(found)
        save_figure(found, figure)


def _print_given(found: MeasurePrediction, row: dict[str, float], json: bool, csv: bool) -> None:
    made = found.predict(row)
    if not documents(
        made,
        json,
        csv,
        {"model": found.model, "trained_on": found.systems, "left_out_in_turn": found.chosen.fits[0]._asdict()},
    ):
        fit = found.chosen.fits[0]
        quality = f"tau_b {number(fit.tau_b)}, R² {number(fit.r2)}, RMSE {number(fit.rmse, 4)}"
        show(
            *made.lines(),
            f"{found.model} on {count(fit.systems, 'system')}; predicting each of them from the others: {quality}",
        )


def _print_sets(found: MeasurePrediction) -> None:
    names = [fit.collection for fit in found.chosen.fits]
    rows = [["predictors", *(f"{what} {name}" for name in names for what in ("tau_b", "R²", "RMSE"))]]
    for one in found.sets:
        cells = [text for fit in one.fits for text in (number(fit.tau_b), number(fit.r2), number(fit.rmse, 4))]
        rows.append([str(one), *cells])
    show_table(rows, right=range(1, len(rows[0])), indent="  ")


def _given(text: str) -> dict[str, float]:
    """ "P@10=.55,RBP(p=0.8)=.41": the value comes after the last equals sign, commas in brackets belong to the name."""
    parts, depth, start = [], 0, 0
    for place, letter in enumerate(text):
        depth += (letter == "(") - (letter == ")")
        if letter == "," and depth == 0:
            parts.append(text[start:place])
            start = place + 1
    parts.append(text[start:])
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


def deepen(
    files: Files,
    /,
    *,
    target: Annotated[list[str] | None, Parameter(name=["--target", "-t"], consume_multiple=True, negative=())] = None,
    predictors: Many = None,
    depths: Numbers = None,
    target_depths: Numbers = None,
    select: str | None = None,
    seed: Seed = 0,
    missing: Missing = "error",
    systems_are: SystemsAre = "systems",
    measures_are: MeasuresAre = "measures",
    figure: Figure = None,
    json: Flag = False,
    csv: Flag = False,
) -> None:
    """How deep must be judged so that the measures of deep runs can be predicted?

    Parameters
    ----------
    files
        Tables of systems by measures with the depth in their labels, AP(depth=10), one a collection. Each collection is
        predicted from the others; a single one in five parts.
    target
        What to predict; by default P@1000, AP, nDCG and RBP(p=0.95).
    predictors
        From what; by default P@1000, Bpref, ERR, infAP, AP, nDCG and RBP(p=0.95).
    depths
        Depths of the predictors; by default 10 20 30 40 50.
    target_depths
        Depths of the targets; by default 100 1000.
    select
        The collection, by the name of its file, that sets are chosen on; by default the first.
    json
        Print JSON.
    csv
        Print every target and depth as CSV.
    """
    with wording(systems=systems_are, measures=measures_are):
        named = collections_from(files, missing)
        data: Any = named if len(named) > 1 else next(iter(named.values()))
        with progress("depths") as report:
            result = low_to_high(data, target, predictors=predictors, depths=tuple(depths or (10, 20, 30, 40, 50)),
                                 target_depths=tuple(target_depths or (100, 1000)), select_on=select and Path(select).stem,
                                 rng=seed, progress=report)  # fmt: skip
        if not documents(result, json, csv):
            show(*result.lines(), "")
            rows = [["target", "at", "from", "predictors", *(f"tau_b {name}" for name in result.collections)]]
            rows += [
                [
                    r.target,
                    str(r.target_depth),
                    str(r.depth),
                    " + ".join(r.predictors),
                    *(number(f.tau_b) for f in r.fits),
                ]
                for r in result.rows
            ]
            show_table(rows, right=(1, 2, *range(4, 4 + len(result.collections))), indent="  ")
        save_figure(result, figure)
