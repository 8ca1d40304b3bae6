"""`PublishedScores`: a table of scores with errors or intervals, as boards print them, and the ranks it leaves open."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import InitVar, dataclass, field
from typing import Any

import numpy as np

from .. import checking
from ..arrays import Floats
from ..errors import Advice, CallError, FileError, TauscopeError
from ..expected.board_ranks import BoardRanks, board_ranks
from ..expected.normal_scores import NormalScores
from ..files.columns import Columns, columns_of, find_column
from ..files.streams import MAX_BYTES
from ..jobs.seeds import Rng
from ..ranking import Ranking, as_ranking
from ..results import Result, count, word
from ..scores.labels import place_of, shown
from .intervals import binomial_errors, errors_of, half_widths

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
#: What the errors of different systems are taken to be where nobody says.
INDEPENDENT = "errors taken as independent between systems (no covariance was given)"
_VOTES = ("votes", "num_battles", "battles", "n_votes")


@dataclass(frozen=True, eq=False, repr=False)
class PublishedScores(Result):
    """A printed table of scores and errors: `.ranks()` says which ranks it leaves open.

    Errors are normal. The standard error of an interval of half width h at level L is h/z, z the (1 + L)/2 quantile; of
    an accuracy p over n items, sqrt(p (1 - p)/n). Without a covariance the errors of different systems are taken as
    independent, and results say so: where all systems answered the same items, errors go together, differences are
    surer than this takes them to be, and `Scores` of the items tell more. Do not use it where topics or items are at
    hand. After it is made, systems, scores, errors and covariance stand best first.

    Parameters
    ----------
    scores : dict, Series, Ranking or sequence
        A score per system; without names systems are numbered.
    errors : sequence of float, optional
        Standard errors.
    intervals : sequence, optional
        Per system a text ("+5/-5", "± 1.2", "[0.61, 0.66]"), two limits, or a half width.
    covariance : array, optional
        Of the errors, systems x systems in the order of `scores`.
    items : int or sequence of int, optional
        How many items each accuracy is of.
    level : float
        The confidence of `intervals`, as the board states it.
    lower_is_better : bool
        Whether a lower score is better.
    votes : int, optional
        Votes or items of the board, for `ranks().votes_needed()`.
    notes : tuple of str
        What else is to be said of the table.

    Attributes
    ----------
    systems : tuple of str
        Best first.
    source : str
        Where the errors come from.
    assumes : str
        What the errors of different systems are taken to be.

    Raises
    ------
    TauscopeError
        Where an error is negative or not finite, or an interval does not contain its score.

    See Also
    --------
    read_published : The same from a file.

    Examples
    --------
    >>> board = PublishedScores({"x": 1470, "y": 1446, "z": 1441}, intervals=["+5/-5", "+6/-6", "± 9"])
    >>> board.ranks()["x"]
    (1, 1)
    """

    scores: Floats
    errors: Floats = None  # type: ignore[assignment]
    intervals: InitVar[Sequence[Any] | None] = None
    covariance: Floats = None  # type: ignore[assignment]
    items: InitVar[Any] = None
    level: InitVar[float] = 0.95
    lower_is_better: bool = False
    votes: int | None = None
    notes: tuple[str, ...] = ()
    systems: tuple[str, ...] = field(default=(), init=False)
    source: str = field(default="", init=False)
    assumes: str = field(default="", init=False)

    def __post_init__(self, intervals: Sequence[Any] | None, items: Any, level: float) -> None:
        ranking = as_ranking(self.scores, "`scores`")
        names = tuple(map(str, ranking.items or range(1, len(ranking) + 1)))
        values = np.asarray(ranking.scores, dtype=np.float64)
        given = {"errors": self.errors, "intervals": intervals, "covariance": self.covariance, "items": items}
        asked = [name for name, value in given.items() if value is not None]
        if len(asked) != 1:
            have = f"there are {' and '.join(asked)}" if asked else "there is none of them"
            raise CallError(
                f"Scores need one of errors, intervals, covariance or items to say how sure they are; {have}."
            )
        notes = self.notes
        if "covariance" in asked:
            matrix = _covariance(self.covariance, len(values))
            source, assumes = "covariance as given", "errors as their covariance says"
        else:
            own, source, more = _errors(values, names, self.errors, intervals, items, level)
            matrix, assumes = np.diag(own**2), INDEPENDENT
            notes += more
        lower = self.lower_is_better or ranking.lower_is_better
        order = np.argsort(values if lower else -values, kind="stable")
        deviation = np.sqrt(np.diagonal(matrix))
        if not deviation.all():
            sure = int((deviation == 0).sum())
            notes += (
                f"{count(sure, 'system')} without any error: the others are measured against it, or its interval was "
                "rounded to 0",
            )
        settled = {
            "systems": tuple(names[i] for i in order),
            "scores": values[order],
            "errors": deviation[order],
            "covariance": matrix[np.ix_(order, order)],
            "lower_is_better": lower,
            "source": source,
            "assumes": assumes,
            "votes": None if self.votes is None else checking.whole(self.votes, "votes", least=1),
            "notes": notes,
        }
        for name, value in settled.items():
            object.__setattr__(self, name, value)

    def __len__(self) -> int:
        """The number of systems."""
        return len(self.systems)

    def __getitem__(self, system: str) -> float:
        """The score of a system."""
        return float(self.scores[place_of(system, self.systems)])

    def ranking(self) -> Ranking:
        """The ranking by score.

        Returns
        -------
        Ranking
        """
        return Ranking.from_means(self.scores, self.systems, lower_is_better=self.lower_is_better)

    def normal(self) -> NormalScores:
        """The scores, higher is better, as the engine of ranks takes them.

        Returns
        -------
        NormalScores
        """
        sign = -1.0 if self.lower_is_better else 1.0
        return NormalScores.of(self.systems, sign * self.scores, self.covariance)

    def ranks(self, *, level: float = 0.95, rng: Rng = 0) -> BoardRanks:
        """Which ranks, tiers and best systems do these scores leave open?

        Parameters
        ----------
        level : float
            The confidence of the ranks, whatever that of the printed intervals was.
        rng : int, Generator or None
            The seed of the draws of errors.

        Returns
        -------
        BoardRanks
        """
        return board_ranks(
            self.normal(), level=level, rng=rng, about="published score", assumes=self.assumes, votes=self.votes
        )

    def lines(self) -> list[str]:
        """The best systems, where their errors come from, and the notes."""
        shown_ = "; ".join(
            f"{name} {score:.6g} ± {error:.2g}"
            for name, score, error in zip(self.systems[:6], self.scores, self.errors, strict=False)
        )
        head = f"{count(len(self), 'system')} with standard errors: {shown_}{'; …' if len(self) > 6 else ''}"
        return [head, f"{self.source}; {self.assumes}", *(["; ".join(self.notes)] if self.notes else [])]

    def columns(self) -> dict[str, Any]:
        """One row per system."""
        return {"system": list(self.systems), "score": self.scores, "error": self.errors}

    def plot(self) -> Any:
        """One bar per system: its score and the 95 % limits."""
        from ..figures import spans

        width = 1.96 * self.errors
        return spans(
            self.systems,
            self.scores - width,
            self.scores + width,
            self.scores,
            x="score",
            title=f"Scores of {count(len(self), 'system')}",
        )


def _errors(
    values: Floats, names: Sequence[str], errors: Any, intervals: Any, items: Any, level: float
) -> tuple[Floats, str, tuple[str, ...]]:
    """Standard errors, where they come from, and notes."""
    if errors is not None:
        own = np.asarray(errors, dtype=np.float64)
        if own.shape != values.shape:
            raise CallError(f"There are {count(len(values), 'score')} and {count(own.size, 'error')}.")
        bad = np.flatnonzero(~(np.isfinite(own) & (own >= 0)))
        if bad.size:
            raise TauscopeError(
                f"The standard error of {names[int(bad[0])]!r} is {own[bad[0]]:g}; errors are at least 0, and finite."
            )
        return own, "standard errors as given", ()
    if intervals is not None:
        checking.level(level)
        below, above = half_widths(list(intervals), values, names)
        own, notes = errors_of(below, above, level)
        return own, f"errors from {level * 100:g} % intervals", notes
    own, notes = binomial_errors(values, items, names)
    return own, "binomial errors of accuracies", notes


def _covariance(given: Any, size: int) -> Floats:
    matrix = np.asarray(given, dtype=np.float64)
    if matrix.shape != (size, size):
        raise CallError(
            f"`covariance` is {' x '.join(map(str, matrix.shape))}; for {count(size, 'score')} it is {size} x {size}."
        )
    if not np.isfinite(matrix).all() or np.abs(matrix - matrix.T).max() > 1e-8 * max(1e-300, np.abs(matrix).max()):
        raise TauscopeError("`covariance` must be finite and symmetric.")
    if np.linalg.eigvalsh(matrix).min() < -1e-8 * max(1e-300, np.abs(matrix).max()):
        raise TauscopeError("`covariance` is none: some combination of the systems would have a negative variance.")
    return matrix


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
    notes = [f"{where}: {names!r} and {values!r}"]
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
    own = find_column(columns, error, _ERRORS, where) if not (interval or low or items) else None
    if own is not None:
        return {"errors": _numbers([columns[own][i] for i in kept], own, where)}, repr(own), 0.95
    text = (
        (find_column(columns, interval, _INTERVALS, where) or _interval_column(columns)) if not (low or items) else None
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
