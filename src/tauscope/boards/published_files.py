"""`read_published()`: scores and errors from the file of a board, whatever it calls its columns."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ..arrays import Floats
from ..errors import Advice, FileError
from ..files.columns import Columns, columns_of, find_column, first_columns
from ..files.streams import MAX_BYTES
from ..results import count, word
from ..scores.labels import shown
from .published import PublishedScores

_NAMES = ("model", "system", "name", "method", "entry", "submission", "run", "country", "team", "key")
_SCORES = (
    "arena_score",
    "score",
    "rating",
    "elo",
    "elo_rating",
    "accuracy",
    "acc",
    "mean",
    "average",
    "estimate",
    "resolved",
)
_ERRORS = ("standard_error", "stderr", "std_error", "se", "error", "sem", "acc_stderr")
_INTERVALS = ("interval", "confidence_interval", "confidence interval", "±")
_LOWS = ("low", "lower", "rating_q025", "ci_low", "ci_lower", "lower_ci", "low_95", "q025")
_HIGHS = ("high", "upper", "rating_q975", "ci_high", "ci_upper", "upper_ci", "high_95", "q975")
_ITEMS = ("items", "n", "n_items", "questions", "total", "num_items")
_VOTES = ("votes", "num_battles", "battles", "n_votes")


def read_published(
    source: Any,
    *,
    system: str | None = None,
    score: str | None = None,
    error: str | None = None,
    interval: str | None = None,
    low: str | None = None,
    high: str | None = None,
    items: str | None = None,
    level: float | None = None,
    lower_is_better: bool = False,
    max_bytes: int = MAX_BYTES,
) -> PublishedScores:
    """Which scores and errors does a board's file hold?

    Columns are found by their names: model, system, name, …; arena_score, score, rating, accuracy, …; standard_error,
    stderr, …; ci, 95_pct_ci, interval, …; low and high; n, items; votes. An argument names a column that is called
    otherwise. The level of intervals is that of the column's name (95_pct_ci), or 0.95. Do not use it for scores on
    topics: `read_scores()`.

    Parameters
    ----------
    source : str, Path, data frame or list of dicts
        The board.
    system, score : str, optional
        The columns of the names and of the scores.
    error, interval, low, high, items : str, optional
        The columns of standard errors, of intervals, of limits, or of the number of items behind an accuracy.
    level : float, optional
        The confidence of the intervals.
    lower_is_better : bool
        Whether a lower score is better.
    max_bytes : int
        A file that unpacks to more is refused.

    Returns
    -------
    PublishedScores

    Raises
    ------
    FileError
        Where no columns hold names, scores and how sure they are.

    Examples
    --------
    >>> read_published([{"model": "x", "score": 71.2, "ci": "± 1.2"}, {"model": "y", "score": 68, "ci": "± 2"}]).systems
    ('x', 'y')
    """
    columns, where = columns_of(source, "read_published()", max_bytes)
    names = _needed(columns, system, _NAMES, where, "the systems", "system")
    values = _needed(columns, score, _SCORES, where, "the scores", "score")
    kept = [i for i, cell in enumerate(columns[values]) if not _empty(cell)]
    notes = [f"{where}: {names!r} and {values!r}", *columns.notes]
    if len(kept) < len(columns[values]):
        notes.append(f"{count(len(columns[values]) - len(kept), 'row')} without a score left out")
    kept, repeated = _once(columns[names], columns[values], kept, where)
    notes += repeated
    labels = [str(columns[names][i]).strip() for i in kept]
    points = _numbers([columns[values][i] for i in kept], values, where)
    found, used, stated = _how_sure(columns, kept, (error, interval, low, high, items), where)
    notes.append(f"errors from {used}")
    voted = find_column(columns, None, _VOTES, where)
    votes = None if voted is None else int(np.nansum(_numbers([columns[voted][i] for i in kept], voted, where)) // 2)
    return PublishedScores(
        dict(zip(labels, points, strict=True)),  # type: ignore[arg-type]
        **found,
        level=level if level is not None else stated,
        lower_is_better=lower_is_better,
        votes=votes or None,
        notes=tuple(notes),
    )


def is_published(path: Path, *, max_bytes: int = MAX_BYTES) -> bool:
    """Whether a file holds a printed table: names that stand there once, a score, and how sure it is."""
    columns = first_columns(path, max_bytes)
    where = str(path)
    names, score = (find_column(columns, None, known, where) for known in (_NAMES, _SCORES))
    if names is None or score is None:
        return False
    sure = find_column(columns, None, (*_ERRORS, *_INTERVALS, *_ITEMS), where) or _interval_column(columns)
    limits = all(find_column(columns, None, known, where) for known in (_LOWS, _HIGHS))
    once = len(set(columns[names])) >= 0.9 * len(columns[names])  # boards list a system twice now and then
    return bool(sure or limits) and once


def _once(names: Sequence[Any], scores: Sequence[Any], kept: list[int], where: str) -> tuple[list[int], list[str]]:
    """Rows without those that repeat a system with the same score; with another score it is an error."""
    first: dict[str, int] = {}
    again = []
    for i in kept:
        name = str(names[i]).strip()
        at = first.setdefault(name, i)
        if at != i:
            if str(scores[i]) != str(scores[at]):
                raise FileError(
                    f"{where}: {word('system')} {name!r} is there twice, in rows {at + 1:,} and {i + 1:,}, with "
                    "different scores."
                )
            again.append(name)
    note = [f"{count(len(again), 'row')} that repeated a {word('system')} left out: {shown(again)}"] if again else []
    return list(first.values()), note


def _needed(columns: Columns, asked: str | None, known: Sequence[str], where: str, what: str, option: str) -> str:
    found = find_column(columns, asked, known, where)
    if found is None:
        raise FileError(
            f"{where}: no column holds {what}; there are {shown(list(columns), 12)}.",
            Advice(f"Name it with {option}=.", f"Name it with --{option}."),
        )
    return found


def _how_sure(
    columns: Columns, kept: list[int], asked: tuple[str | None, ...], where: str
) -> tuple[dict[str, Any], str, float]:
    """What says how sure the scores are, as an argument of `PublishedScores`; its columns in words; the level."""
    error, interval, low, high, items = asked
    by_interval, by_limits, by_items = (name is not None for name in (interval, low, items))
    own = find_column(columns, error, _ERRORS, where) if not (by_interval or by_limits or by_items) else None
    if own is not None:
        return {"errors": _numbers([columns[own][i] for i in kept], own, where)}, repr(own), 0.95
    text = (
        (find_column(columns, interval, _INTERVALS, where) or _interval_column(columns))
        if not (by_limits or by_items)
        else None
    )
    if text is not None:
        return {"intervals": [_half(columns[text][i]) for i in kept]}, repr(text), _level_in(text)
    below, above = find_column(columns, low, _LOWS, where), find_column(columns, high, _HIGHS, where)
    if below is not None and above is not None:
        sides = [_numbers([columns[side][i] for i in kept], side, where) for side in (below, above)]
        return {"intervals": list(zip(*sides, strict=True))}, f"{below!r} and {above!r}", _level_in(below)
    number_of = find_column(columns, items, _ITEMS, where)
    if number_of is not None:
        return {"items": _numbers([columns[number_of][i] for i in kept], number_of, where)}, repr(number_of), 0.95
    raise FileError(
        f"{where}: no column says how sure the scores are, such as standard_error, ci, low and high, or items; there "
        "are "
        f"{shown(list(columns), 12)}."
    )


def _interval_column(columns: Columns) -> str | None:
    """The first column whose name has the word ci and no side: 90_pct_ci, CI (95%), not ci_low."""
    own = re.compile(r"(?<![a-z])ci(?![a-z])")
    sides = re.compile(r"low|high|upper|min|max")
    return next((name for name in columns if own.search(name.lower()) and not sides.search(name.lower())), None)


def _half(cell: Any) -> Any:
    """A cell of an interval: a text that is only a number is a half width."""
    try:
        return float(cell)
    except (TypeError, ValueError):
        return cell


def _level_in(name: str) -> float:
    """The level that a column's name states: 95_pct_ci."""
    found = re.search(r"(?<!\d)(\d{2}(?:\.\d+)?)(?:\s*%|_pct|_percent|ci|$)", name.lower())
    return float(found[1]) / 100 if found and 50 <= float(found[1]) < 100 else 0.95


def _empty(cell: Any) -> bool:
    return cell is None or cell != cell or str(cell).strip().lower() in ("", "nan", "n/a", "na", "-", "—")


def _numbers(cells: Sequence[Any], column: str, where: str) -> Floats:
    found = []
    for row, cell in enumerate(cells, start=1):
        try:
            found.append(math.nan if _empty(cell) else float(str(cell).replace(",", "").rstrip("%").strip()))
        except ValueError:
            raise FileError(f"{where}, row {row}: {cell!r} in the column {column!r} is not a number.") from None
    return np.array(found)
