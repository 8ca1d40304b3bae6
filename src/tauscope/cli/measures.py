"""`tauscope measures correlate | predict | rank | low-to-high | topics`: which measures to report."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Literal

from cyclopts import Parameter

from ..errors import CallError, FileError, TauscopeError
from ..files import detect_format, read_cube, read_table
from ..results import Result, count, number, word, wording
from ..selection.correlations import measure_correlations
from ..selection.depths import low_to_high
from ..selection.informative import rank_measures
from ..selection.prediction import predict_measure
from ..selection.predictors import MeasurePrediction
from ..selection.topics import select_topics
from .output import one_format, show, show_csv, show_json, show_table
from .progress import progress
from .words import Figure, Flag, MeasuresAre, Seed, SystemsAre, TopicsAre, save_figure

Files = Annotated[list[Path], Parameter(negative=())]
Many = Annotated[list[str] | None, Parameter(consume_multiple=True, negative=())]
ManyFiles = Annotated[list[Path] | None, Parameter(consume_multiple=True, negative=())]
Numbers = Annotated[list[int] | None, Parameter(consume_multiple=True, negative=())]
By = Annotated[
    Literal["topic", "system"] | None, Parameter(help="A row a topic and system, or a row a system (means).")
]


def correlate(
    files: Files,
    /,
    *,
    by: By = None,
    coefficient: Annotated[str, Parameter(name=["--coefficient", "-c"])] = "pearson",
    groups: float | None = None,
    pairs: int = 0,
    topics_are: TopicsAre = "topics",
    systems_are: SystemsAre = "systems",
    measures_are: MeasuresAre = "measures",
    figure: Figure = None,
    json: Flag = False,
    csv: Flag = False,
) -> None:
    """Which measures, or tasks of a leaderboard, say the same?

    Parameters
    ----------
    files
        A collection each: a table of systems by measures (or models by tasks), or scores of topics by several measures.
    coefficient
        One of the catalogue.
    groups
        Also list groups in which every two correlate at least this much, such as 0.9.
    pairs
        Also list the K strongest and the K weakest pairs.
    json
        Print JSON.
    csv
        Print every pair as CSV.
    """
    with wording(systems=systems_are, topics=topics_are, measures=measures_are):
        result = measure_correlations(_collections(files), by, coefficient)
        found = [] if groups is None else result.groups(groups)
        if _documents(result, json, csv, {"groups": found} if groups is not None else {}):
            return
        show(*result.lines())
        if pairs:
            cells = [*result.strongest(pairs), *result.weakest(pairs)[::-1]]
            print()
            show_table([["first", "second", result.coefficient.name], *([p.first, p.second, number(p.value)] for p in cells)], right=(2,), indent="  ")  # fmt: skip
        if groups is not None:
            show("", f"groups in which every two have at least {groups:g}:")
            show(*(f"  {', '.join(group)}" for group in found))
        save_figure(result, figure)


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
                "test": _collections(test) if test else (),
            }
            options["select_on"] = None if select is None else _collections([select])
        found = predict_measure(_collections(train), target, **options)
    with wording(systems=systems_are, measures=measures_are):
        if row is not None:
            _print_given(found, row, json, csv)
        elif not _documents(found, json, csv):
            show(*found.lines(), "")
            _print_sets(found)
        save_figure(found, figure)


def _print_given(found: MeasurePrediction, row: dict[str, float], json: bool, csv: bool) -> None:
    made = found.predict(row)
    if not _documents(
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


def rank(
    files: Files,
    /,
    *,
    method: Literal["backward", "forward", "determinant", "sheffield", "exact"] = "backward",
    scale: Literal["covariance", "correlation"] = "covariance",
    keep: Annotated[int | None, Parameter(name=["--keep", "-k"])] = None,
    by: By = None,
    topics_are: TopicsAre = "topics",
    systems_are: SystemsAre = "systems",
    measures_are: MeasuresAre = "measures",
    figure: Figure = None,
    json: Flag = False,
    csv: Flag = False,
) -> None:
    """Which few measures say most?

    Parameters
    ----------
    files
        A collection each: a table of systems by measures (or models by tasks), or scores of topics by several measures.
    method
        exact finds the best subset; the others are greedy: backward and sheffield remove, forward and determinant add.
    scale
        covariance prefers measures that spread widely; correlation takes all as equally wide.
    keep
        How many to keep.
    json
        Print JSON.
    csv
        Print the order with its criterion as CSV.
    """
    with wording(systems=systems_are, topics=topics_are, measures=measures_are):
        with progress("searching") as report:
            result = rank_measures(_collections(files), method, scale=scale, keep=keep, by=by, progress=report)
        if not _documents(result, json, csv, {"kept": result.kept}):
            show(*result.lines())
            if keep is None:
                _print_order(result)
        save_figure(result, figure)


def _print_order(result: Any) -> None:
    table = result.columns()
    rows = [["", word("measure"), "criterion", "log det"]]
    for place, measure, criterion, value in zip(table["place"], table["measure"], table["criterion"], table["log_determinant"], strict=True):  # fmt: skip
        rows.append([str(place), measure, *(number(float(x), 2) if x > -1e300 else "-" for x in (criterion, value))])
    print()
    show_table(rows, right=(0, 2, 3), indent="  ")


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
        named = _collections(files)
        data: Any = named if len(named) > 1 else next(iter(named.values()))
        with progress("depths") as report:
            result = low_to_high(data, target, predictors=predictors, depths=tuple(depths or (10, 20, 30, 40, 50)),
                                 target_depths=tuple(target_depths or (100, 1000)), select_on=select and Path(select).stem,
                                 rng=seed, progress=report)  # fmt: skip
        if not _documents(result, json, csv):
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


def topics(
    file: Path,
    /,
    *,
    keep: Annotated[int, Parameter(name=["--keep", "-k"])],
    coefficient: Annotated[str, Parameter(name=["--coefficient", "-c"])] = "tau_b",
    halves: int = 20,
    seed: Seed = 0,
    topics_are: TopicsAre = "topics",
    systems_are: SystemsAre = "systems",
    measures_are: MeasuresAre = "measures",
    figure: Figure = None,
    json: Flag = False,
    csv: Flag = False,
) -> None:
    """Which few topics, or tasks, rank the systems most like all of them do?

    Parameters
    ----------
    file
        Scores of systems on topics, or a table of models by tasks.
    keep
        How many to choose.
    coefficient
        What agreement is measured by.
    halves
        Random halves of the systems that the choice is scored on.
    json
        Print JSON.
    csv
        Print the value of each half as CSV.
    """
    with wording(systems=systems_are, topics=topics_are, measures=measures_are):
        with progress("choosing") as report:
            result = select_topics(_read(file), keep, coefficient=coefficient, halves=halves, rng=seed, progress=report)
        if not _documents(result, json, csv):
            show(*result.lines())
        save_figure(result, figure)


def _collections(files: list[Path]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for path in files:
        name = path.stem
        if name in found:
            name = str(path)
        found[name] = _read(path)
    return found


def _read(path: Path) -> Any:
    """A table of systems by measures, scores by several measures, or scores by one."""
    try:
        if not path.is_dir() and detect_format(path) == "table":
            return read_table(path, collection=path.stem)
        cube = read_cube(path, collection=path.stem)
        return cube if len(cube.measures) > 1 else cube[cube.measures[0]]
    except TauscopeError as error:
        if str(path) in str(error):
            raise
        raise FileError(f"{path}: {error}") from None


def _documents(result: Result, json: bool, csv: bool, more: dict[str, Any] | None = None) -> bool:
    """Prints JSON or CSV if asked, and says whether it did."""
    one_format(json, csv)
    if json:
        show_json(result.to_dict() | (more or {}))
    elif csv:
        show_csv(result.columns())
    return json or csv
