"""`tauscope board reliability`: where the variance of scores comes from, and how many topics or runs would be
enough."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ..boards.repeats import RUNS, TOPICS, read_repeats, variance_parts
from ..files.columns import find_column, first_columns
from ..files.streams import MAX_BYTES
from ..results import number, word
from . import inputs
from .options import OnScores
from .output import show, show_columns


def reliability(
    file: Path,
    /,
    *,
    target: float = 0.95,
    runs: int | None = None,
    run_column: str | None = None,
    level: float = 0.95,
    shared: OnScores = OnScores(),
) -> None:
    """Where does the variance of these scores come from, how reliable is the order, and how many topics or runs would
    be enough?

    A long table with a column of runs or seeds is taken apart into systems, topics, their interaction and runs; scores
    without runs into the first three (generalisability theory).

    Example: `tauscope board reliability runs.csv --target 0.95`

    Parameters
    ----------
    file
        A long table: system, topic, run and score; or any scores on topics.
    target
        The reliability that "would be enough" means.
    runs
        Runs per system and topic in the plan; without, as many as there are.
    run_column
        The column of the runs, where it is not called run, seed, repeat, trial or replicate.
    level
        The confidence of the limits.
    """
    with shared.said():
        source: Any
        if run_column is not None or has_runs(file):
            shared.refuse("a table with a column of runs")
            source = read_repeats(file, run=run_column)
        else:
            source = inputs.scores([file], shared)
        found = variance_parts(source, level=level)
        order, scores = (found.topics_needed(target, runs, absolute=absolute) for absolute in (False, True))
        more = {"target": target, "topics_needed": order, "topics_needed_absolute": scores}
        more["runs_needed"] = found.runs_needed(target)
        if not shared.print(found, more):
            show(*found.lines(), *source.notes[-1:], "")
            show_columns(found.columns())
            show("", f"{word('topics')} needed for {target:g}: {_of(found, target, runs)}")
            if found.runs > 1:
                show(f"runs needed with these {word('topics')}: {number(more['runs_needed'], 0)}")
        shared.save(found)


def _of(found: Any, target: float, runs: int | None) -> str:
    parts = []
    for absolute, name in ((False, "Eρ² (order)"), (True, "Φ (scores)")):
        low, high = found.topics_needed_limits(target, runs, absolute=absolute)
        value = found.topics_needed(target, runs, absolute=absolute)
        parts.append(f"{name} {number(value, 0)} [{number(low, 0)}, {number(high, 0)}]")
    return ", ".join(parts)


def has_runs(file: Path) -> bool:
    """Whether a file is a table with a column of runs."""
    columns = first_columns(file, MAX_BYTES)
    return all(find_column(columns, None, known, str(file)) is not None for known in (RUNS, TOPICS))
