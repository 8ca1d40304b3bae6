"""`PublishedScores`: a table of scores with errors or intervals, as boards print them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import InitVar, dataclass, field
from typing import Any

import numpy as np

from .. import checking
from ..arrays import Floats
from ..errors import CallError, TauscopeError
from ..expected.normal_scores import NormalScores
from ..ranking import Ranking, as_ranking
from ..results import Result, count
from ..scores.labels import place_of, shown
from ..scores.remarks import changes
from .intervals import binomial_errors, errors_of, half_widths

#: What the errors of different systems are taken to be where nobody says.
INDEPENDENT = "errors taken as normal, and as independent between systems (no covariance was given)"


@dataclass(frozen=True, eq=False, repr=False)
class PublishedScores(Result):
    """A printed table of scores and errors; `rank()` computes the ranks that it supports.

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
    CallError
        Where errors are given twice or not at all, or are not those of the systems of `scores`.
    TauscopeError
        Where an error is negative or not finite, or an interval does not contain its score.

    See Also
    --------
    read_published : The same from a file.

    Examples
    --------
    >>> board = PublishedScores({"x": 1470, "y": 1446, "z": 1441}, intervals=["+5/-5", "+6/-6", "± 9"])
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
            matrix = _covariance(self.covariance, names)
            source, assumes = "covariance as given", "errors taken as normal, with the covariance as given"
        else:
            said = {name: _by_system(given[name], names, name) for name in asked}
            own, source, more = _errors(values, names, said, level)
            matrix, assumes = np.diag(own**2), INDEPENDENT
            notes += more
        lower = checking.flag(self.lower_is_better, "lower_is_better") or ranking.lower_is_better
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
        return NormalScores.of(self.systems, sign * self.scores, self.covariance, sign=sign)

    def lines(self) -> list[str]:
        """The best systems, where their errors come from, and the notes."""
        shown_ = "; ".join(
            f"{name} {score:.6g} ± {error:.2g}"
            for name, score, error in zip(self.systems[:6], self.scores, self.errors, strict=False)
        )
        head = f"{count(len(self), 'system')} with standard errors: {shown_}{'; …' if len(self) > 6 else ''}"
        return [head, f"{self.source}; {self.assumes}", *(["; ".join(self.notes)] if self.notes else [])]

    def methods_sentence(self) -> str:
        """The sentence a paper needs: how much was published, and what its errors are taken to be.

        Returns
        -------
        str
            One sentence, with the range of the errors.
        """
        low, high = float(self.errors.min()), float(self.errors.max())
        votes = "" if self.votes is None else f" from {count(self.votes, 'vote')}"
        better = "; a lower score is better" if self.lower_is_better else ""
        told = changes(self.notes, "left out", "was taken", "wrong added", "without any error")
        notes = "".join(f"; {note}" for note in told)
        return (
            f"The published scores of {count(len(self), 'system')}{votes} have standard errors of {low:.2g} to {high:.2g} "
            f"({self.source}; {self.assumes}{better}{notes})."
        )

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


def _errors(
    values: Floats, names: Sequence[str], said: Mapping[str, Any], level: float
) -> tuple[Floats, str, tuple[str, ...]]:
    """Standard errors, where they come from, and notes."""
    if "errors" in said:
        own = _numbers(said["errors"], "errors")
        if own.shape != values.shape:
            raise CallError(f"There are {count(len(values), 'score')} and {count(own.size, 'error')}.")
        bad = np.flatnonzero(~(np.isfinite(own) & (own >= 0)))
        if bad.size:
            raise TauscopeError(
                f"The standard error of {names[int(bad[0])]!r} is {own[bad[0]]:g}; errors are at least 0, and finite."
            )
        return own, "standard errors as given", ()
    if "intervals" in said:
        level = checking.level(level)
        given = said["intervals"]
        below, above = half_widths(list(given) if _listed(given) else [given], values, names)
        own, notes = errors_of(below, above, level)
        return own, f"errors from {level * 100:g} % intervals", notes
    own, notes = binomial_errors(values, _numbers(said["items"], "items"), names)
    return own, "binomial errors of accuracies", notes


def _numbers(given: Any, what: str) -> Floats:
    try:
        return np.asarray(given, dtype=np.float64)
    except (TypeError, ValueError):
        seen = shown(list(given), 3) if _listed(given) else f"a value of type {type(given).__name__}"
        raise CallError(f"`{what}` are numbers, one per system; there is {seen}.") from None


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
