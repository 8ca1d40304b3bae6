"""`Published`: a table of scores with errors or intervals, as boards print them."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import InitVar, dataclass, field
from typing import Any

import numpy as np

from ..core import checking
from ..core.arrays import Floats
from ..data.labels import place_of, shown
from ..data.ranking import Ranking, as_ranking
from ..errors import CallError, FileError, Option, TauscopeError
from ..inference.relation import NormalScores
from ..io.columns import PUBLISHED, Columns, columns_of, find_column, interval_column, named_columns
from ..io.streams import MAX_BYTES
from ..results import Data, Note, Notes, count, word

#: What columns can be named.
ROLES = ("system", "score", "error", "interval", "low", "high", "items")


@dataclass(frozen=True, eq=False, repr=False)
class Published(Data):
    """A published table of scores and errors; `rank()` computes the ranks that it supports.

    Errors are normal. The standard error of an interval of half width h at level L is h/z, z the (1 + L)/2 quantile; of
    an accuracy p over n items, sqrt(p (1 - p)/n). Without a covariance the errors of different systems are taken as
    independent, and results say so: where all systems answered the same items, errors go together, differences are
    surer than this takes them to be, and `Scores` of the items tell more; strengths around their own mean have errors
    that go against each other, so that with few systems differences are less sure than this. Do not use it where topics
    or items are at hand. After it is made, systems, scores, errors and covariance stand best first.

    Parameters
    ----------
    scores : dict, Series, Ranking or sequence
        A score per system; without names systems are numbered.
    errors : sequence of float, dict or Series, optional
        Standard errors, in the order of `scores` or by name.
    intervals : sequence, dict or Series, optional
        Per system a text ("+5/-5", "± 1.2", "[0.61, 0.66]"), two limits, or a half width.
    covariance : array or data frame, optional
        Of the errors, systems x systems in the order of `scores`, or with their names.
    items : int, sequence of int, dict or Series, optional
        How many items each accuracy is of.
    level : float
        The confidence of `intervals`, as the board states it.
    lower_is_better : bool
        Whether a lower score is better.
    votes : int, optional
        Number of votes or items behind the board, for `rank(board).votes_needed()`.
    notes : tuple of Note or str
        What else is to be said of the table.

    Attributes
    ----------
    systems : tuple of str
        Best first.
    source : {"errors", "intervals", "items", "covariance"}
        Where the errors come from.

    Raises
    ------
    CallError
        Where errors are given twice or not at all, or are not those of the systems of `scores`.
    TauscopeError
        Where an error is negative or not finite, or an interval does not contain its score.

    Examples
    --------
    >>> board = Published({"x": 1470, "y": 1446, "z": 1441}, intervals=["+5/-5", "+6/-6", "± 9"])
    >>> board["x"], board.errors.round(2).tolist()
    (1470.0, [2.55, 3.06, 4.59])
    """

    scores: Floats
    errors: Floats = None  # type: ignore[assignment]
    intervals: InitVar[Sequence[Any] | None] = None
    covariance: Floats = None  # type: ignore[assignment]
    items: InitVar[Any] = None
    level: InitVar[float] = 0.95
    lower_is_better: bool = False
    votes: int | None = None
    notes: Notes = ()
    systems: tuple[str, ...] = field(default=(), init=False)
    source: str = field(default="", init=False)

    def __post_init__(self, intervals: Sequence[Any] | None, items: Any, level: float) -> None:
        ranking = as_ranking(self.scores, "`scores`")
        names = tuple(map(str, ranking.items or range(1, len(ranking) + 1)))
        values = np.asarray(ranking.scores, dtype=np.float64)
        given = {"errors": self.errors, "intervals": intervals, "covariance": self.covariance, "items": items}
        asked = [name for name, value in given.items() if value is not None]
        if len(asked) != 1:
            raise CallError(
                "Scores need one of errors, intervals, covariance or items to say how sure they are; "
                f"there {'are' if asked else 'is'} {' and '.join(asked) or 'none of them'}."
            )
        notes = self.notes
        if "covariance" in asked:
            matrix = _covariance(self.covariance, names)
        else:
            said = {name: _by_system(given[name], names, name) for name in asked}
            own, more = _errors(values, names, said, level)
            matrix = np.diag(own**2)
            notes += more
        lower = checking.flag(self.lower_is_better, "lower_is_better") or ranking.lower_is_better
        order = np.argsort(values if lower else -values, kind="stable")
        deviation = np.sqrt(np.diagonal(matrix))
        if not deviation.all():
            notes += (Note("without_error", systems=int((deviation == 0).sum())),)
        settled = {
            "systems": tuple(names[i] for i in order),
            "scores": values[order],
            "errors": deviation[order],
            "covariance": matrix[np.ix_(order, order)],
            "lower_is_better": lower,
            "source": asked[0],
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
        return NormalScores.of(self.systems, sign * self.scores, self.covariance, sign=sign)

    def __str__(self) -> str:
        return "\n".join(map(str, (Note("published", systems=self.systems), *self.notes)))

    @property
    def independent(self) -> bool:
        """Whether the errors of different systems are taken as independent, because no covariance was given."""
        return self.source != "covariance"

    @classmethod
    def read(
        cls,
        source: Any,
        *,
        columns: str | Mapping[str, str] | None = None,
        level: float | None = None,
        lower_is_better: bool = False,
    ) -> Published:
        """Read scores and errors from the file of a board.

        Columns are found by their names: model, system, …; score, rating, accuracy, …; standard_error, ci, low and high,
        n. Do not use it for scores on topics, which `Scores.read()` reads.

        Parameters
        ----------
        source : str, Path, data frame or list of dicts
            One row per system.
        columns : str or dict, optional
            Columns with other names: "system=model,score=points,error=se". The roles are system, score, error, interval,
            low, high and items.
        level : float, optional
            Confidence level of printed intervals; by default what the name of their column says, or 0.95.
        lower_is_better : bool, default False
            Whether a lower score is better.

        Returns
        -------
        Published

        Raises
        ------
        FileError
            If no columns hold names, scores and how precise they are.

        Examples
        --------
        >>> Published.read([{"model": "x", "score": 71.2, "ci": "± 1.2"}, {"model": "y", "score": 68, "ci": "± 2"}]).systems
        ('x', 'y')
        """
        named = named_columns(columns, ROLES)
        return read_published(source, **named, level=level, lower_is_better=lower_is_better)

    def columns(self) -> dict[str, Any]:
        """Return one row per system."""
        return {"system": list(self.systems), "score": self.scores, "error": self.errors}


def _by_system(given: Any, names: Sequence[str], what: str) -> Any:
    """What was given for each system, in the order of `names`: matched by name where it has names, else as it is."""
    if isinstance(given, Mapping):
        labelled = {str(name): value for name, value in given.items()}
    elif hasattr(given, "index") and hasattr(given, "to_numpy") and not hasattr(given, "columns"):
        labelled = dict(zip(map(str, given.index), given.to_numpy().tolist(), strict=True))
        if not labelled.keys() & set(names):  # a column with row numbers
            return list(labelled.values())
    elif isinstance(given, (str, bytes, set, frozenset)) or not (isinstance(given, (int, float)) or _listed(given)):
        raise CallError(
            f"`{what}` is of type {type(given).__name__}; give one value per system, in their order or by name."
        )
    else:
        return given
    for missing, where in ((set(names) - labelled.keys(), f"`{what}`"), (labelled.keys() - set(names), "`scores`")):
        if missing:
            raise CallError(f"{count(len(missing), 'system')} missing in {where}: {shown(sorted(missing))}.")
    return [labelled[name] for name in names]


def _listed(given: Any) -> bool:
    return hasattr(given, "__len__") and hasattr(given, "__iter__") and not hasattr(given, "columns")


def _errors(values: Floats, names: Sequence[str], said: Mapping[str, Any], level: float) -> tuple[Floats, Notes]:
    """Standard errors, and notes."""
    if "errors" in said:
        own = _numbers(said["errors"], "errors")
        if own.shape != values.shape:
            raise CallError(f"There are {count(len(values), 'score')} and {count(own.size, 'error')}.")
        bad = np.flatnonzero(~(np.isfinite(own) & (own >= 0)))
        if bad.size:
            raise TauscopeError(
                f"The standard error of {names[int(bad[0])]!r} is {own[bad[0]]:g}; errors are at least 0, and finite."
            )
        return own, ()
    if "intervals" in said:
        level = checking.level(level)
        given = said["intervals"]
        below, above = half_widths(list(given) if _listed(given) else [given], values, names)
        return errors_of(below, above, level)
    return binomial_errors(values, _numbers(said["items"], "items"), names)


def _numbers(given: Any, what: str) -> Floats:
    try:
        return np.asarray(given, dtype=np.float64)
    except (TypeError, ValueError):
        raise CallError(
            f"`{what}` are numbers, one per system; there is "
            f"{shown(list(given), 3) if _listed(given) else f'a value of type {type(given).__name__}'}."
        ) from None


def _covariance(given: Any, names: Sequence[str]) -> Floats:
    size = len(names)
    if hasattr(given, "columns") and hasattr(given, "index"):
        given = _framed(given, names)
    if isinstance(given, Mapping):
        raise CallError(
            "`covariance` is a dict; give an array, systems x systems in the order of `scores`, or a frame."
        )
    matrix = _numbers(given, "covariance")
    if matrix.shape != (size, size):
        shape = " x ".join(map(str, matrix.shape)) or "one number"
        raise CallError(f"`covariance` is {shape}; for {count(size, 'score')} it is {size} x {size}.")
    if not np.isfinite(matrix).all() or np.abs(matrix - matrix.T).max() > 1e-8 * max(1e-300, np.abs(matrix).max()):
        raise TauscopeError("`covariance` must be finite and symmetric.")
    if np.linalg.eigvalsh(matrix).min() < -1e-8 * max(1e-300, np.abs(matrix).max()):
        raise TauscopeError("`covariance` is none: some combination of the systems would have a negative variance.")
    return matrix


def _framed(frame: Any, names: Sequence[str]) -> Any:
    """A frame of a covariance in the order of the systems, where its rows and columns have their names."""
    at = {str(label): place for place, label in enumerate(frame.columns)}
    if set(at) != set(names) or list(map(str, frame.index)) != list(at):
        raise CallError("`covariance` is a frame whose rows and columns are not the systems of `scores`.")
    order = [at[name] for name in names]
    return frame.to_numpy()[np.ix_(order, order)]


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
) -> Published:
    """Read scores and errors from the file of a board; see `Published.read()`."""
    columns, where = columns_of(source, "Published.read()", max_bytes)
    names = _needed(columns, system, PUBLISHED["system"], where, "the systems", "system")
    values = _needed(columns, score, PUBLISHED["score"], where, "the scores", "score")
    kept = [i for i, cell in enumerate(columns[values]) if not _empty(cell)]
    notes: list[Note | str] = [f"{where}: {names!r} and {values!r}", *columns.notes]
    if len(kept) < len(columns[values]):
        notes.append(Note("rows_without_score", rows=len(columns[values]) - len(kept)))
    kept, repeated = _once(columns[names], columns[values], kept, where)
    notes += repeated
    labels = [str(columns[names][i]).strip() for i in kept]
    points = _cells([columns[values][i] for i in kept], values, where)
    found, used, stated = _how_sure(columns, kept, (error, interval, low, high, items), where)
    notes.append(f"errors from {used}")
    voted = find_column(columns, None, PUBLISHED["votes"], where)
    votes = None if voted is None else int(np.nansum(_cells([columns[voted][i] for i in kept], voted, where)) // 2)
    return Published(
        dict(zip(labels, points, strict=True)),  # type: ignore[arg-type]
        **found,
        level=level if level is not None else stated,
        lower_is_better=lower_is_better,
        votes=votes or None,
        notes=tuple(notes),
    )


def _once(names: Sequence[Any], scores: Sequence[Any], kept: list[int], where: str) -> tuple[list[int], list[Note]]:
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
    return list(first.values()), [Note("repeated_rows", systems=again)] if again else []


def _needed(columns: Columns, asked: str | None, known: Sequence[str], where: str, what: str, option: str) -> str:
    found = find_column(columns, asked, known, where)
    if found is None:
        raise FileError(
            f"{where}: no column holds {what}; there are {shown(list(columns), 12)}.",
            Option("columns", f"{option}=COLUMN", effect="to name it"),
        )
    return found


def _how_sure(
    columns: Columns, kept: list[int], asked: tuple[str | None, ...], where: str
) -> tuple[dict[str, Any], str, float]:
    """What says how sure the scores are, as an argument of `Published`; its columns in words; the level."""
    error, interval, low, high, items = asked
    by_interval, by_limits, by_items = (name is not None for name in (interval, low, items))
    own = find_column(columns, error, PUBLISHED["error"], where) if not (by_interval or by_limits or by_items) else None
    if own is not None:
        return {"errors": _cells([columns[own][i] for i in kept], own, where)}, repr(own), 0.95
    text = (
        (find_column(columns, interval, PUBLISHED["interval"], where) or interval_column(columns))
        if not (by_limits or by_items)
        else None
    )
    if text is not None:
        return {"intervals": [_half(columns[text][i]) for i in kept]}, repr(text), _level_in(text)
    below, above = (
        find_column(columns, low, PUBLISHED["low"], where),
        find_column(columns, high, PUBLISHED["high"], where),
    )
    if below is not None and above is not None:
        sides = [_cells([columns[side][i] for i in kept], side, where) for side in (below, above)]
        return {"intervals": list(zip(*sides, strict=True))}, f"{below!r} and {above!r}", _level_in(below)
    number_of = find_column(columns, items, PUBLISHED["items"], where)
    if number_of is not None:
        return {"items": _cells([columns[number_of][i] for i in kept], number_of, where)}, repr(number_of), 0.95
    raise FileError(
        f"{where}: no column says how sure the scores are, such as standard_error, ci, low and high, or items; there "
        "are "
        f"{shown(list(columns), 12)}."
    )


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


def _cells(cells: Sequence[Any], column: str, where: str) -> Floats:
    found = []
    for row, cell in enumerate(cells, start=1):
        try:
            found.append(math.nan if _empty(cell) else float(str(cell).replace(",", "").rstrip("%").strip()))
        except ValueError:
            raise FileError(f"{where}, row {row}: {cell!r} in the column {column!r} is not a number.") from None
    return np.array(found)


_NUMBER = r"[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?"
_UP_DOWN = re.compile(rf"^\+\s*({_NUMBER})\s*/\s*[-−]\s*({_NUMBER})$")
_DOWN_UP = re.compile(rf"^[-−]\s*({_NUMBER})\s*/\s*\+\s*({_NUMBER})$")
_BOTH_WAYS = re.compile(rf"^(?:±|\+/-|\+-|\+/−)\s*({_NUMBER})\s*%?$")
_LIMITS = re.compile(rf"^[\[(]?\s*({_NUMBER})\s*(?:,|;|to|–|\s-\s)\s*({_NUMBER})\s*[\])]?$")


def half_widths(given: Sequence[Any], scores: Floats, systems: Sequence[str]) -> tuple[Floats, Floats]:
    """Return how far each interval reaches below and above its score.

    Parameters
    ----------
    given : sequence
        For each system a text such as "+5/-5", "± 1.2" or "[0.61, 0.66]", two limits, or half a width.
    scores : array
        The scores.
    systems : sequence of str
        Their names, for errors.

    Returns
    -------
    pair of ndarray
        Widths below and above.

    Raises
    ------
    CallError, TauscopeError
        If an interval is not understood, is not finite, or does not contain its score.
    """
    if len(given) != len(scores):
        raise CallError(f"There are {count(len(scores), 'score')} and {count(len(given), 'interval')}.")
    below, above = np.empty(len(scores)), np.empty(len(scores))
    for place, (interval, score, name) in enumerate(zip(given, scores, systems, strict=True)):
        below[place], above[place] = _one(interval, float(score), name)
    return below, above


def _one(interval: Any, score: float, name: str) -> tuple[float, float]:
    """Return the two widths of one interval."""
    if isinstance(interval, str):
        text = interval.strip()
        if found := _UP_DOWN.match(text):
            reach = (float(found[2]), float(found[1]))
        elif found := _DOWN_UP.match(text):
            reach = (float(found[1]), float(found[2]))
        elif found := _BOTH_WAYS.match(text):
            reach = (float(found[1]),) * 2
        elif found := _LIMITS.match(text):
            reach = (score - float(found[1]), float(found[2]) - score)
        else:
            raise TauscopeError(
                f"The interval of {name!r} is {interval!r}, which is none: write '+5/-5', '± 1.2', or two limits."
            )
    elif isinstance(interval, (tuple, list, np.ndarray)) and len(interval) == 2:
        reach = _limits(interval, score, name)
    elif isinstance(interval, (int, float, np.number)) and not isinstance(interval, bool):
        reach = (float(interval),) * 2
    else:
        raise CallError(f"The interval of {name!r} is {interval!r}: give a text, two limits, or a half width.")
    if not all(math.isfinite(side) for side in reach):
        raise TauscopeError(f"The interval of {name!r} is not finite: {interval!r}.")
    # Boards print rounded numbers: a limit may lie a little on the wrong side.
    if min(reach) < -1e-6 * max(1.0, abs(score)) or sum(reach) < 0:
        raise TauscopeError(f"The interval of {name!r}, {interval!r}, does not contain its score, {score:g}.")
    return reach


def _limits(interval: Any, score: float, name: str) -> tuple[float, float]:
    """Return the two widths of an interval that is given by its limits."""
    try:
        return score - float(interval[0]), float(interval[1]) - score
    except (TypeError, ValueError):
        raise CallError(f"The limits of {name!r} are {interval!r}, which are no numbers.") from None


def errors_of(below: Floats, above: Floats, level: float) -> tuple[Floats, Notes]:
    """Return the standard errors of normal intervals, half the width over the normal quantile.

    Parameters
    ----------
    below, above : array
        Widths of the intervals on both sides.
    level : float
        Their confidence level.

    Returns
    -------
    pair of ndarray and tuple of str
        The errors, and a note if intervals are lopsided; their mean half width is taken then.
    """
    from scipy.special import ndtri

    z = float(ndtri((1 + level) / 2))
    errors = (below + above) / (2 * z)
    lopsided = int((np.abs(above - below) > 0.25 * (above + below)).sum())
    return errors, (Note("lopsided_intervals", intervals=lopsided),) if lopsided else ()


def binomial_errors(scores: Floats, items: Any, systems: Sequence[str]) -> tuple[Floats, Notes]:
    r"""Return the standard errors of accuracies, :math:`\sqrt{p (1 - p)/n}`.

    An accuracy of 0 or 1 would have the error 0; the error of (x + 2)/(n + 4) is taken instead (agresti1998).

    Parameters
    ----------
    scores : array
        The accuracies, from 0 to 1.
    items : int or sequence of int
        Number of items behind each.
    systems : sequence of str
        Their names, for errors.

    Returns
    -------
    pair of ndarray and tuple of str
        The errors, and a note if an accuracy is 0 or 1.
    """
    n = np.asarray(items, dtype=np.float64)
    if n.ndim == 0:
        n = np.full(len(scores), float(n))
    if n.shape != scores.shape or not (np.isfinite(n).all() and (n >= 1).all()):
        raise CallError(
            "`items` is the number of items behind each accuracy, at least 1: one number, or one per system."
        )
    if scores.min() < 0 or scores.max() > 1:
        bad = int(np.argmax((scores < 0) | (scores > 1)))
        raise TauscopeError(
            f"The accuracy of {systems[bad]!r} is {scores[bad]:g}: a binomial error needs shares from 0 to 1, such "
            "as 0.63."
        )
    edge = (scores == 0) | (scores == 1)
    share = np.where(edge, (scores * n + 2) / (n + 4), scores)
    size = np.where(edge, n + 4, n)
    notes = (Note("certain_accuracies", accuracies=int(edge.sum())),) if edge.any() else ()
    return np.sqrt(share * (1 - share) / size), notes
