"""`tauscope ranks`: the ranks that each system could have, the best set, and tiers."""

from __future__ import annotations

from typing import Any

from ..expected.best_set import best_set
from ..expected.partial_ranking import partial_ranking
from ..expected.ranks import RankIntervals, rank_intervals
from ..expected.tiers import Tiers
from ..expected.tiers import tiers as find_tiers
from ..results import number, said, word
from . import inputs
from .options import Clusters, Files, Flag, OnHoles, Seed
from .output import show, show_table
from .progress import progress


def ranks(
    files: Files,
    /,
    *,
    simultaneous: Flag = False,
    by: str | None = None,
    letters: Flag = False,
    contiguous: Flag = False,
    clusters: Clusters = None,
    level: float = 0.95,
    seed: Seed = 0,
    shared: OnHoles = OnHoles(),
) -> None:
    """Which ranks could each system really have, which could be the best, and which tiers do they form?

    With --missing keep, two systems are compared on the topics that both have (a partial ranking).

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
    contiguous
        Tiers that follow the ranking: each down to the last system that is not told apart from its first.
    level
        The confidence of the intervals, the best set and the tiers.
    """
    with shared.said():
        scores = inputs.clustered(inputs.scores(files, shared), clusters)
        with progress("resampling"):
            options: dict[str, Any] = {"missing": shared.kept("pairwise"), "level": level, "rng": seed}
            intervals = rank_intervals(scores, simultaneous=simultaneous, by=by, **options)
            at_once = intervals if simultaneous else rank_intervals(scores, simultaneous=True, **options)
            best = best_set(scores, **options)
            tiers = find_tiers(scores, letters=letters, contiguous=contiguous, **options)
            partial = partial_ranking(scores, level=level) if scores.has_holes else None
            partial = partial.with_contiguous_tiers() if partial is not None and contiguous else partial
        columns = _columns(intervals, at_once, tiers)
        documents = {"ranks": intervals, "ranks_at_once": at_once, "best_set": best, "tiers": tiers}
        documents |= {} if partial is None else {"partial_ranking": partial}
        if not shared.print_both(lambda: documents, lambda: columns):
            show(intervals.lines()[0])
            _print(columns, level)
            if intervals.by == "draws":
                show(f"  {intervals.lines()[-1]}")
            statement = [tiers.statement()] if len(tiers) > 1 else []
            if partial is None:
                show("", *best.lines(), *statement, tiers.lines()[-1])
            else:
                show("", best.lines()[0], *statement, *tiers.lines()[-1:], partial.lines()[0], partial.lines()[-1])
        shared.save(intervals)


def _columns(intervals: RankIntervals, at_once: RankIntervals, tiers: Tiers) -> dict[str, Any]:
    """Ranks of each system taken alone, where these were asked for, and what holds for all of them at once."""
    columns = intervals.columns()
    counted = {name: columns.pop(name) for name in ("topics",) if name in columns}  # where cells are missing
    if intervals is not at_once:
        limits = {
            f"at_once_{name}": {s: at_once[s][i] for s in at_once.systems} for i, name in enumerate(("low", "high"))
        }
        columns |= {name: [found[system] for system in intervals.systems] for name, found in limits.items()}
    columns["tier"] = [tiers[name] for name in intervals.systems]
    if tiers.letters is not None:
        columns["letters"] = [tiers.letters[name] for name in intervals.systems]
    return columns | counted


def _print(columns: dict[str, Any], level: float) -> None:
    alone = "at_once_low" in columns
    rows = [[word("system"), "mean", "rank", *(["alone"] if alone else []), "at once", *list(columns)[5 + 2 * alone :]]]
    for name, mean, rank, *rest in zip(*columns.values(), strict=True):
        spans = [
            f"{low}–{high}" for low, high in zip(rest[: 2 + 2 * alone : 2], rest[1 : 2 + 2 * alone : 2], strict=True)
        ]
        rows.append([name, number(mean, 4), f"{rank:g}", *spans, *map(str, rest[2 + 2 * alone :])])
    show_table(rows, right=range(1, 5 + alone), indent="  ")
    if alone:
        show(
            said(
                f"  alone: {level * 100:g} % for one system that was chosen before looking; at once: {level * 100:g} % "
                "for all systems together, as are best set and tiers"
            )
        )
