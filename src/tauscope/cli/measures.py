"""`tauscope measures correlate | rank | topics`: which measures, tasks and topics to report."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Literal

from cyclopts import Parameter

from ..results import number, word
from ..selection.measure_correlations import measure_correlations
from ..selection.rank_measures import rank_measures
from ..selection.select_topics import select_topics
from . import inputs
from .options import Coefficient, Files, OnMeasuresWithHoles, Seed
from .output import show, show_table
from .progress import progress

By = Annotated[
    Literal["topic", "system"] | None,
    Parameter(help="One row per topic and system, or one row per system (means)."),
]


def correlate(
    files: Files,
    /,
    *,
    by: By = None,
    coefficient: Coefficient = "pearson",
    groups: float | None = None,
    pairs: int = 0,
    shared: OnMeasuresWithHoles = OnMeasuresWithHoles(),
) -> None:
    """Which measures, or tasks of a leaderboard, say the same?

    With --csv: one row per pair of measures.

    Example: `tauscope measures correlate board.csv --coefficient tau_b --groups 0.9`

    Parameters
    ----------
    files
        Tables of systems by measures (or models by tasks), or scores on topics by several measures, one per collection.
    coefficient
        One of the catalogue.
    groups
        Also list groups in which every two correlate at least this much, such as 0.9.
    pairs
        Also list the K strongest and the K weakest pairs.
    """
    with shared.said():
        data = inputs.collections(files, shared)
        result = measure_correlations(data, by, coefficient, missing=shared.kept("pairwise"))
        found = [] if groups is None else result.groups(groups)
        if not shared.print(result, {} if groups is None else {"groups": found}):
            show(*result.lines())
            if pairs:
                rows = [["first", "second", result.coefficient.name]]
                for pair in (*result.strongest(pairs), *result.weakest(pairs)[::-1]):
                    rows.append([pair.first, pair.second, number(pair.value)])
                show("")
                show_table(rows, right=(2,), indent="  ")
            if groups is not None:
                show("", f"groups in which every two have at least {groups:g}:")
                show(*(f"  {', '.join(group)}" for group in found))
        shared.save(result)


def rank(
    files: Files,
    /,
    *,
    method: Literal["backward", "forward", "determinant", "sheffield", "exact"] = "backward",
    scale: Literal["covariance", "correlation"] = "covariance",
    keep: Annotated[int | None, Parameter(name=["--keep", "-k"])] = None,
    by: By = None,
    shared: OnMeasuresWithHoles = OnMeasuresWithHoles(),
) -> None:
    """Which few measures say most?

    With --csv: the order, with the criterion of each.

    Example: `tauscope measures rank board.csv --keep 3`

    Parameters
    ----------
    files
        Tables of systems by measures (or models by tasks), or scores on topics by several measures, one per collection.
    method
        exact finds the best subset; the others are greedy: backward and sheffield remove, forward and determinant add.
    scale
        covariance prefers measures that spread widely; correlation takes all as equally wide.
    keep
        How many to keep.
    """
    with shared.said():
        with progress("searching") as report:
            data = inputs.collections(files, shared)
            missing = shared.kept("pairwise")
            result = rank_measures(data, method, scale=scale, keep=keep, by=by, missing=missing, progress=report)
        if not shared.print(result, {"kept": result.kept}):
            show(*result.lines())
            if keep is None:
                _print_order(result)
        shared.save(result)


def _print_order(result: Any) -> None:
    table = result.columns()
    rows = [["", word("measure"), "criterion", "log det"]]
    columns = (table[name] for name in ("place", "measure", "criterion", "log_determinant"))
    for place, measure, *values in zip(*columns, strict=True):
        rows.append([str(place), measure, *(number(float(x), 2) if x > -1e300 else "-" for x in values)])
    show("")
    show_table(rows, right=(0, 2, 3), indent="  ")


def topics(
    file: Path,
    /,
    *,
    keep: Annotated[int, Parameter(name=["--keep", "-k"])],
    coefficient: Coefficient = "tau_b",
    halves: int = 20,
    seed: Seed = 0,
    shared: OnMeasuresWithHoles = OnMeasuresWithHoles(),
) -> None:
    """Which few topics, or tasks, rank the systems most like all of them do?

    With --csv: the value of each half.

    Example: `tauscope measures topics scores.csv --keep 10`

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
    """
    with shared.said():
        with progress("choosing") as report:
            data = inputs.scores_or_table(file, shared)
            result = select_topics(
                data,
                keep,
                coefficient=coefficient,
                halves=halves,
                missing=shared.kept("adjusted"),
                rng=seed,
                progress=report,
            )
        if not shared.print(result):
            show(*result.lines())
        shared.save(result)
