"""`tauscope board`: what a leaderboard may print: ranks, rules, neighbours, how few tasks decide, versions,
reliability."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal, cast

import numpy as np
from cyclopts import Parameter

from ..boards.bradley_terry import BradleyTerry
from ..boards.neighbours import neighbours as find_neighbours
from ..boards.rank_board import compare_rules, rank_board
from ..boards.robustness import fewest_removals
from ..expected.best_set import best_set
from ..expected.board_ranks import BoardRanks
from ..expected.ranks import rank_intervals
from ..expected.tiers import tiers as find_tiers
from ..results import number, word
from ..scores import Scores
from . import inputs
from .options import (
    Aggregate,
    Clusters,
    Columns,
    Files,
    Flag,
    Format,
    LowerIsBetter,
    Many,
    Measure,
    OnScores,
    Output,
    PrintedColumns,
    Reading,
    Seed,
    Words,
)
from .output import show, show_columns, show_table
from .progress import progress

Tasks = Annotated[Files, Parameter(help="The board: scores on topics or tasks.")]
AnyBoard = Annotated[
    Files, Parameter(help="The board: scores on topics or tasks, or a printed table of scores and errors.")
]


def ranks(
    files: AnyBoard,
    /,
    *,
    letters: Flag = False,
    contiguous: Flag = False,
    clusters: Clusters = None,
    level: float = 0.95,
    seed: Seed = 0,
    printed: PrintedColumns = PrintedColumns(),
    shared: OnScores = OnScores(),
) -> None:
    """Which ranks, tiers and possible bests may a board print, from scores on tasks or from printed scores and errors?

    A table of systems with a score and its standard error, interval, limits or number of items is taken as it is
    printed; everything else is read as scores on topics. Limits of ranks hold for all systems at once.

    Example: `tauscope board ranks board.csv`

    Parameters
    ----------
    letters
        Also the letters of overlapping groups (a compact letter display).
    contiguous
        Tiers that follow the ranking: each down to the last system that is not told apart from its first.
    level
        The confidence of the ranks, the best set and the tiers.
    """
    with shared.said():
        board = inputs.board(files, shared, printed, clusters)
        with progress("ranking"):
            if not isinstance(board, Scores):
                found = board.ranks(level=level, rng=seed)
                found = found.with_contiguous_tiers() if contiguous else found
                print_ranks(found, shared, board.lines(), letters)
                return
            intervals = rank_intervals(board, simultaneous=True, level=level, rng=seed)
            best = best_set(board, level=level, rng=seed)
            tiers = find_tiers(board, letters=letters, contiguous=contiguous, level=level, rng=seed)
        names = intervals.systems
        columns = intervals.columns() | {
            "tier": [tiers[name] for name in names],
            "could_be_best": [name in best for name in names],
        }
        if tiers.letters is not None:
            columns["letters"] = [tiers.letters[name] for name in names]
        if not shared.print_both(lambda: {"ranks": intervals, "best_set": best, "tiers": tiers}, lambda: columns):
            show(intervals.lines()[0])
            show_columns(_tidy(columns))
            # What few topics do is said once, with the tiers.
            how = best.how if best.rests_on is None else best.lines()[-1]
            show("", best.lines()[0], how, tiers.statement(), tiers.lines()[-1])
        shared.save(intervals)


def _tidy(columns: Mapping[str, Any]) -> dict[str, Any]:
    """Ranks without zeros behind the point, and their limits called "from" and "to"."""
    names = {"low": "from", "high": "to", "new_low": "from (new)", "new_high": "to (new)"}
    names |= {"old_low": "from (old)", "old_high": "to (old)"}
    found = {}
    for name, values in columns.items():
        listed = list(values.tolist() if hasattr(values, "tolist") else values)
        ranks = all(isinstance(value, float) and (2 * value).is_integer() for value in listed)
        found[names.get(name, name)] = [f"{value:g}" for value in listed] if ranks else listed
    return found


def print_ranks(
    found: BoardRanks, output: Output, before: list[str], letters: bool, *, elo: BradleyTerry | None = None
) -> None:
    """Ranks of scores with errors: what they are of, one row per system, and what was taken for granted; of strengths
    in Elo points."""
    if not output.print(found):
        show(*before[:1])
        columns = found.columns()
        cells: dict[str, list[str]] = {
            word("system"): columns["system"],
            **_points(found, elo),
            "rank": [f"{rank:g}" for rank in found.rank],
            "from": [str(low) for low in found.low],
            "to": [str(high) for high in found.high],
            "tier": [str(tier) for tier in columns["tier"]],
            "p to next": ["" if np.isnan(p) else number(p) for p in columns["p_to_next"]],
            "could be best": ["yes" if own else "no" for own in columns["could_be_best"]],
            **({"letters": columns["letters"]} if letters else {}),
        }
        show_table([list(cells), *zip(*cells.values(), strict=True)], right=range(1, 8), indent="  ")
        show("", *found.lines()[1:], *before[1:])
    output.save(found)


def _points(found: BoardRanks, elo: BradleyTerry | None) -> dict[str, list[str]]:
    """Scores and their errors as texts."""
    if elo is None:
        return {
            "score": [f"{score:.6g}" for score in found.scores],
            "error": [f"{error:.3g}" for error in found.errors],
        }
    return {
        "Elo": [f"{points:.1f}" for points in elo.elo()],
        "error": [f"{error:.1f}" for error in elo.elo_errors()],
    }


def rules(
    files: Tasks,
    /,
    *,
    rule: Many = None,
    level: float = 0.95,
    seed: Seed = 0,
    measure: Measure = None,
    missing: Literal["keep", "error", "zero", "drop-topics", "drop-systems"] = "keep",
    format: Format = None,
    columns: Columns = None,
    aggregate: Aggregate = None,
    lower_is_better: LowerIsBetter = None,
    output: Output = Output(),
    words: Words = Words(),
) -> None:
    """Under which rule is who first, and how far do the orders of a board agree?

    A missing task stays missing unless --missing says otherwise: each rule has its own answer to it. With --csv: one
    row per system.

    Example: `tauscope board rules board.csv --rule mean borda`

    Parameters
    ----------
    rule
        One rule, to see its order and ranks, or several; without, all of them: mean, borda, win-rate, median, …
    level
        The confidence of the rank intervals, which are simultaneous for all systems.
    missing
        What a cell without a score means: what the rule says (keep), an error that names it, 0, or leave out its topic
        or system.
    """
    options: dict[str, Any] = {"level": level, "rng": seed}
    with words.said():
        reading = Reading(
            measure=measure,
            missing=cast(Any, missing),
            format=format,
            columns=columns,
            aggregate=aggregate,
            lower_is_better=lower_is_better,
        )
        scores = inputs.scores(files, reading)
        with progress("testing"):
            one = rule is not None and len(rule) == 1
            found: Any = (
                rank_board(scores, rule[0], **options) if one and rule else compare_rules(scores, rule, **options)
            )
        if not output.print(found):
            show(*found.lines(), "")
            show_columns(_tidy(found.columns()))
        output.save(found)


def neighbours(
    files: AnyBoard,
    /,
    *,
    clusters: Clusters = None,
    level: float = 0.95,
    seed: Seed = 0,
    printed: PrintedColumns = PrintedColumns(),
    shared: OnScores = OnScores(),
) -> None:
    """How many neighbours of a board can be told apart?

    Example: `tauscope board neighbours board.csv`

    Parameters
    ----------
    level
        The confidence: neighbours with a p-value below 1 - level differ.
    """
    with shared.said():
        board = inputs.board(files, shared, printed, clusters)
        with progress("testing"):
            if isinstance(board, Scores):
                found: Any = find_neighbours(board, level=level, rng=seed)
                lines, columns = found.lines(), found.columns()
            else:
                found = board.ranks(level=level, rng=seed)
                lines, columns = found.lines()[1:], _next_ones(found)
        if not shared.print_both(found.to_dict, lambda: columns):
            show(*lines, "")
            show_columns(columns)
        shared.save(found)


def _next_ones(found: BoardRanks) -> dict[str, Any]:
    return {
        "above": list(found.systems[:-1]),
        "below": list(found.systems[1:]),
        "difference": np.abs(found.scores[:-1] - found.scores[1:]),
        "p": found.neighbour_p,
        "apart": (found.neighbour_p < 1 - found.level).tolist(),
        "apart_at_once": found.neighbour_apart.tolist(),
    }


def robustness(
    files: Tasks,
    /,
    *,
    above: str | None = None,
    below: str | None = None,
    rule: str = "mean",
    shared: OnScores = OnScores(),
) -> None:
    """How few topics or tasks would have to go for another system to be first, or for two systems to change places?

    Example: `tauscope board robustness board.csv --above mine --below theirs`

    Parameters
    ----------
    above
        A system that stands above --below; without both, the leader and whoever is nearest to taking its place.
    below
        The other system.
    rule
        The rule of the board: mean, or another that is a mean over tasks.
    """
    with shared.said():
        found = fewest_removals(inputs.scores(files, shared), above=above, below=below, rule=rule)
        if not shared.print(found):
            show(*found.lines())
        shared.save(found)
