"""`tauscope measures correlate | rank | topics`: which measures, tasks and topics to report."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Literal

from cyclopts import Parameter

from ..results import number, word, wording
from ..selection.measure_correlations import measure_correlations
from ..selection.rank_measures import rank_measures
from ..selection.select_topics import select_topics
from .options import Figure, Flag, MeasuresAre, Seed, SystemsAre, TopicsAre, save_figure
from .output import show, show_table
from .progress import progress
from .tables import By, Files, Missing, collections_from, documents, scores_or_table


def correlate(
    files: Files,
    /,
    *,
    by: By = None,
    coefficient: Annotated[str, Parameter(name=["--coefficient", "-c"])] = "pearson",
    groups: float | None = None,
    pairs: int = 0,
    topics_are: TopicsAre = "topics",
    missing: Missing = "error",
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
        result = measure_correlations(collections_from(files, missing), by, coefficient)
        found = [] if groups is None else result.groups(groups)
        if documents(result, json, csv, {"groups": found} if groups is not None else {}):
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


def rank(
    files: Files,
    /,
    *,
    method: Literal["backward", "forward", "determinant", "sheffield", "exact"] = "backward",
    scale: Literal["covariance", "correlation"] = "covariance",
    keep: Annotated[int | None, Parameter(name=["--keep", "-k"])] = None,
    by: By = None,
    topics_are: TopicsAre = "topics",
    missing: Missing = "error",
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
            result = rank_measures(
                collections_from(files, missing), method, scale=scale, keep=keep, by=by, progress=report
            )
        if not documents(result, json, csv, {"kept": result.kept}):
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


def topics(
    file: Path,
    /,
    *,
    keep: Annotated[int, Parameter(name=["--keep", "-k"])],
    coefficient: Annotated[str, Parameter(name=["--coefficient", "-c"])] = "tau_b",
    halves: int = 20,
    seed: Seed = 0,
    topics_are: TopicsAre = "topics",
    missing: Missing = "error",
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
            result = select_topics(
                scores_or_table(file, missing), keep, coefficient=coefficient, halves=halves, rng=seed, progress=report
            )
        if not documents(result, json, csv):
            show(*result.lines())
        save_figure(result, figure)
