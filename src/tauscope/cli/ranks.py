"""`tauscope ranks`: the ranks that each system could have, the best set, and tiers."""

from __future__ import annotations

from ..expected.ranks import best_set, rank_intervals
from ..expected.ranks import tiers as find_tiers
from ..results import number, word
from . import inputs
from .options import Files, Flag, OnScores, Seed
from .output import show, show_table
from .progress import progress


def ranks(
    files: Files,
    /,
    *,
    simultaneous: Flag = False,
    by: str | None = None,
    letters: Flag = False,
    level: float = 0.95,
    seed: Seed = 0,
    shared: OnScores = OnScores(),
) -> None:
    """Which ranks could each system really have, which could be the best, and which tiers do they form?

    Example: `tauscope ranks scores.csv --letters`

    Parameters
    ----------
    files
        Scores: a matrix of topics by systems, a long table, or the output of an evaluation tool, one file per run.
    simultaneous
        Intervals that hold for all systems at once, not for each taken alone.
    by
        draws or tests: how intervals of systems taken alone are found. Tests hold for the truly best systems too.
    letters
        Also the letters of overlapping groups (a compact letter display).
    level
        The confidence of the intervals, the best set and the tiers.
    """
    with shared.said():
        scores = inputs.scores(files, shared)
        with progress("resampling"):
            intervals = rank_intervals(scores, simultaneous=simultaneous, by=by, level=level, rng=seed)
            best = best_set(scores, level=level, rng=seed)
            tiers = find_tiers(scores, letters=letters, level=level, rng=seed)
        columns = intervals.columns() | {"tier": [tiers[name] for name in intervals.systems]}
        if tiers.letters is not None:
            columns["letters"] = [tiers.letters[name] for name in intervals.systems]
        if not shared.print_both(lambda: {"ranks": intervals, "best_set": best, "tiers": tiers}, lambda: columns):
            show(intervals.lines()[0])
            rows = [[word("system"), "mean", "rank", "from", "to", *list(columns)[5:]]]
            for name, mean, rank, low, high, *rest in zip(*columns.values(), strict=True):
                rows.append([name, number(mean, 4), f"{rank:g}", str(low), str(high), *map(str, rest)])
            show_table(rows, right=range(1, 6), indent="  ")
            statement = [tiers.statement()] if len(tiers) > 1 else []
            show("", *best.lines(), *statement, tiers.lines()[-1])
        shared.save(intervals)
