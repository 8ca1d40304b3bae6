"""`compare_versions()` and `board_history()`: a board over time: who moved beyond chance, came, left, changed its
score?"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from .. import checking
from ..arrays import Bools, Floats, Ints
from ..coefficients.correlation import evaluate
from ..coefficients.records import catalogue
from ..errors import CallError, FileError, TauscopeError
from ..expected import normal_scores as normal
from ..expected.normal_scores import NormalScores
from ..files.door import takes_scores
from ..jobs.draws import error_draws
from ..jobs.seeds import Rng, remembered
from ..ranking import Ranking, align
from ..reference.rankings import midranks
from ..results import Result, count, fields_of, number, word
from ..scores import Scores
from ..scores.clusters import all_independent
from ..scores.labels import positions
from ..significance.corrections import holm
from ..ties import SNAP
from .any_board import normal_of
from .published_files import read_published

_DATE = re.compile(r"(\d{4})[._-]?(\d{2})[._-]?(\d{2})")


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class VersionComparison(Result):
    """What changed between two versions of a board, about the systems that both have.

    Attributes
    ----------
    systems : tuple of str
        Those of both, best of the new version first.
    old_rank, new_rank : array
        Ranks among the systems that both have.
    old_low, old_high, new_low, new_high : array
        Limits of the ranks; they hold for all systems of both versions at once.
    moved : array
        1 where a system rose beyond chance (its two intervals do not overlap), -1 where it fell, else 0.
    change, change_error : array
        Changes of the scores without the common shift, and their standard errors.
    p : array
        Holm's p-values of no change but the shift.
    changed : array of bool
        Where p is below 1 - level.
    shift : float
        The median change: boards move their scale.
    tau : float
        tau_b of the two orders.
    entered, left : tuple of str
        Systems of the new, and of the old version only.
    names : pair of str
        What the versions are called.
    level : float
        The confidence.
    seed : int
        The seed of the random numbers.
    topics : int
        Of scores on topics: how many topics both versions have, by which changes are paired; else 0.
    """

    systems: tuple[str, ...]
    old_rank: Floats
    new_rank: Floats
    old_low: Ints
    old_high: Ints
    new_low: Ints
    new_high: Ints
    moved: Ints
    change: Floats
    change_error: Floats
    p: Floats
    changed: Bools
    shift: float
    tau: float
    entered: tuple[str, ...]
    left: tuple[str, ...]
    names: tuple[str, str]
    level: float
    seed: int
    topics: int = 0

    @property
    def rose(self) -> tuple[str, ...]:
        """Systems whose rank rose beyond chance."""
        return tuple(name for name, way in zip(self.systems, self.moved, strict=True) if way > 0)

    @property
    def fell(self) -> tuple[str, ...]:
        """Systems whose rank fell beyond chance."""
        return tuple(name for name, way in zip(self.systems, self.moved, strict=True) if way < 0)

    def lines(self) -> list[str]:
        """Who moved, how alike the two are, who came and left."""
        moves = [
            f"{len(who):,} {how}{f' ({_few(who)})' if who else ''}"
            for who, how in ((self.rose, "rose"), (self.fell, "fell"))
        ]
        changed = [name for name, yes in zip(self.systems, self.changed, strict=True) if yes]
        return [
            f"{self.names[0]} to {self.names[1]}: of {count(len(self.systems), 'system')} in both, "
            f"{' and '.join(moves)} beyond chance; tau_b {number(self.tau)}",
            f"{len(self.entered):,} entered, {len(self.left):,} left; common shift of scores {self.shift:+.4g}, "
            f"beyond it {len(changed):,} changed{f' ({_few(tuple(changed))})' if changed else ''}",
            f"ranks among those in both, {self.level * 100:g} % for all at once; scores: Holm, {self._linked()}; seed "
            f"{self.seed}",
        ]

    def methods_sentence(self) -> str:
        """The sentence a paper needs: who moved between two versions of a board beyond chance.

        Returns
        -------
        str
            One sentence, with the level, the draws and the seed.
        """
        return (
            f"From {self.names[0]} to {self.names[1]}, of {count(len(self.systems), 'system')} in both, {len(self.rose):,} rose "
            f"and {len(self.fell):,} fell in rank beyond chance and {int(self.changed.sum()):,} changed their score beyond the "
            f"common shift of {self.shift:+.4g}; {len(self.entered):,} entered and {len(self.left):,} left, and the tau_b of "
            f"the two orders is {number(self.tau)} ({self.level * 100:g} %; ranks for all {word('systems')} of both versions at "
            f"once by max-t with step-down, {error_draws(len(self.systems)):,} draws of errors; scores by Holm's correction, "
            f"{self._linked()}; seed {self.seed}{self._after()})."
        )

    def _linked(self) -> str:
        return f"paired over {count(self.topics, 'topic')} in both" if self.topics else "versions taken as independent"

    def columns(self) -> dict[str, Any]:
        """One row per system that both have."""
        ranks = ("old_rank", "old_low", "old_high", "new_rank", "new_low", "new_high")
        return {"system": list(self.systems), **fields_of(self, *ranks, "moved", "change", "change_error", "p")}

    def cited(self) -> tuple[str, ...]:
        """Whose methods these are."""
        return ("mogstad2024", "holm1979")

    def plot(self) -> Any:
        """A line from the old to the new rank of each of the nine best of the new version, with the limits of both."""
        from ..figures.over_time import ranks_over_time

        rank, low, high = (
            np.stack([getattr(self, f"{version}_{side}") for version in ("old", "new")])
            for side in ("rank", "low", "high")
        )
        title = f"Ranks among {count(len(self.systems), 'system')} in both, {self.level * 100:g} % for all at once"
        return ranks_over_time(self.names, self.systems, rank, low, high, title=title)


def _few(names: tuple[str, ...], most: int = 4) -> str:
    return ", ".join(names[:most]) + (", …" if len(names) > most else "")


@takes_scores("old", "new", own_files=True)
def compare_versions(
    old: Any, new: Any, *, level: float = 0.95, names: tuple[str, str] = ("old", "new"), rng: Rng = 0
) -> VersionComparison:
    """What changed between two versions of a board, beyond chance?

    Ranks are those among the systems that both versions have. Each version gets rank limits that hold for all systems
    at once at level 1 - (1 - level)/2, so that both hold together; a system moved where its two do not overlap. Scores
    are compared after the common shift, the median change, because boards anchor their scale anew: z = (change -
    shift)/error, Holm over the systems. Of scores on topics, topics with the same name are the same, and changes are
    paired by them: topic t adds (new_t - new mean)/n_new - (old_t - old mean)/n_old to a change, 0 for a version
    without it, and the error is the root of the sum of the squares, the mean over systems taken out, since it is in the
    shift, times a factor near 1 for a median's being less sure than a mean (Student's t; the paired t-test where both
    have the same topics). Of everything else the error is sqrt(e_old² + e_new²):
    versions that share votes are alike for that reason too, and change less often than this says they could. Do not use
    it where the scale itself, and not only its origin, was changed.

    Parameters
    ----------
    old, new : PublishedScores, BradleyTerry, Scores, or a file of published scores
        The two versions.
    level : float
        The confidence.
    names : pair of str
        What to call them.
    rng : int, Generator or None
        The seed of the draws of errors.

    Returns
    -------
    VersionComparison

    Examples
    --------
    >>> from tauscope import PublishedScores
    >>> before = PublishedScores({"x": 5.0, "y": 3.0, "z": 1.0}, errors=[0.1, 0.1, 0.1])
    >>> after = PublishedScores({"x": 15.0, "y": 13.0, "z": 17.0, "new": 9.0}, errors=[0.1] * 4)
    >>> found = compare_versions(before, after)
    >>> found.rose, found.entered, found.shift
    (('z',), ('new',), 10.0)
    """
    level, seed = checking.level(level), remembered(rng)
    read = [_read(board) for board in (old, new)]
    boards = [normal_of(board, "compare_versions()") for board in read]
    before, after = boards
    shared = [name for name in after.systems if name in set(before.systems)]
    if len(shared) < 2:
        raise TauscopeError(
            f"The two versions share {count(len(shared), 'system')}; two are needed. Are the names spelled alike?"
        )
    own = [board.select(shared) for board in boards]
    both = 1 - (1 - level) / 2
    place = [{name: i for i, name in enumerate(board.systems)} for board in own]
    at = [np.array([where[name] for name in shared]) for where in place]
    limits = [_limits(board, both, seed) for board in own]
    rank = [midranks(-board.estimates) + 1 for board in own]
    low, high = ([side[k][at[v]] for v, side in enumerate(limits)] for k in (0, 1))
    moved = np.where(high[1] < low[0], 1, np.where(low[1] > high[0], -1, 0))
    score = [board.estimates[at[v]] for v, board in enumerate(own)]
    change = score[1] - score[0]
    shift = float(np.median(change))
    if all(isinstance(board, Scores) for board in read):
        error, freedom, topics = _paired(read[0], read[1], shared)
    else:
        variance = sum(np.diagonal(board.covariance)[at[v]] for v, board in enumerate(own))
        error, freedom, topics = np.sqrt(np.asarray(variance)), math.inf, 0
    p = holm(_two_sided(change - shift, error, freedom))
    sign = -1.0 if all(board.sign < 0 for board in boards) else 1.0  # changes are told on the scale of the source
    rankings = [Ranking.from_means(board.estimates, board.systems) for board in own]
    tau = evaluate(catalogue["tau_b"], align(rankings[0], rankings[1]), names=("old", "new")).value
    return VersionComparison(
        systems=tuple(shared),
        old_rank=rank[0][at[0]],
        new_rank=rank[1][at[1]],
        old_low=low[0],
        old_high=high[0],
        new_low=low[1],
        new_high=high[1],
        moved=moved,
        change=sign * (change - shift) + 0.0,
        change_error=error,
        p=p,
        changed=p < 1 - level,
        shift=sign * shift + 0.0,
        tau=tau,
        entered=tuple(name for name in after.systems if name not in set(before.systems)),
        left=tuple(name for name in before.systems if name not in set(after.systems)),
        names=names,
        level=level,
        seed=seed,
        topics=topics,
    )


def _read(board: Any) -> Any:
    return read_published(board) if isinstance(board, (str, Path)) else board


def _paired(old: Scores, new: Scores, systems: list[str]) -> tuple[Floats, float, int]:
    """The standard error of each system's change less the mean change, its degrees of freedom, and how many topics
    both versions have."""
    rows = all_independent((old, new))
    place = {topic: i for i, topic in enumerate(dict.fromkeys([*rows[0].topics, *rows[1].topics]))}
    influence = np.zeros((len(place), len(systems)))
    for sign, board in ((-1, rows[0]), (1, rows[1])):
        n = len(board.topics)
        values = board.values[:, positions(systems, board.systems, "system")]
        at = [place[topic] for topic in board.topics]
        influence[at] += sign * (values - values.mean(axis=0)) / math.sqrt(n * (n - 1))
    influence -= influence.mean(axis=1, keepdims=True)
    m = len(systems)
    # The median of m changes varies pi/2 times as much as their mean: 1 + pi/2m - 2/m where the mean has 1 - 1/m.
    median = (1 + math.pi / (2 * m) - 2 / m) / (1 - 1 / m)
    error = np.sqrt((influence**2).sum(axis=0) * median)
    largest = max(float(np.abs(board.values).max()) for board in rows)
    error[error <= SNAP * largest] = 0.0
    topics = len(set(old.topics) & set(new.topics))
    return error, float(min(len(board.topics) for board in rows) - 1), topics


def _limits(board: NormalScores, level: float, seed: int) -> tuple[Ints, Ints]:
    better = normal.better(board, level, seed)
    return 1 + better.sum(axis=0), board.size - better.sum(axis=1)


def _two_sided(gap: Floats, error: Floats, freedom: float) -> Floats:
    from scipy.special import ndtr, stdtr

    sure = np.where(np.abs(gap) <= SNAP * max(1e-300, float(np.abs(gap).max())), 0.0, np.inf)
    z = np.divide(np.abs(gap), error, out=sure, where=error > 0)
    return np.asarray(2 * (ndtr(-z) if math.isinf(freedom) else stdtr(freedom, -z)))


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class BoardHistory(Result):
    """A board on several dates: who stood where, and which moves were more than chance.

    Attributes
    ----------
    dates : tuple of str
        The dates, in the order of time.
    systems : tuple of str
        Those of the last date first, then all others.
    rank, low, high : array
        Ranks and their limits, dates x systems; NaN where a system is not on the board. Limits hold for all systems
        of one date at once.
    leaders : tuple of str
        The first of each date.
    changes : tuple of VersionComparison
        Each date compared with the next.
    level : float
        The confidence.
    seed : int
        The seed of the random numbers behind the limits.
    """

    dates: tuple[str, ...]
    systems: tuple[str, ...]
    rank: Floats
    low: Floats
    high: Floats
    leaders: tuple[str, ...]
    changes: tuple[VersionComparison, ...]
    level: float
    seed: int

    def lines(self) -> list[str]:
        """Who led when, and how much happened in between."""
        led = "; ".join(f"{date} {leader}" for date, leader in zip(self.dates, self.leaders, strict=True))
        steps = "; ".join(
            f"{c.names[1]}: {len(c.rose)} rose, {len(c.fell)} fell, {len(c.entered)} entered, {len(c.left)} left"
            for c in self.changes
        )
        return [
            f"{count(len(self.dates), 'version')} of a board of {count(len(self.systems), 'system')}; first: {led}",
            steps,
        ]

    def methods_sentence(self) -> str:
        """The sentence a paper needs: who led a board over time, and how much moved beyond chance.

        Returns
        -------
        str
            One sentence, with the level, the draws and the seed.
        """
        rose, fell = (sum(len(getattr(change, way)) for change in self.changes) for way in ("rose", "fell"))
        on = (~np.isnan(self.rank)).sum(axis=1).tolist()
        draws = " to ".join(f"{made:,}" for made in sorted({error_draws(max(on)), error_draws(min(on))}))
        return (
            f"Over {count(len(self.dates), 'version')} of a board of {count(len(self.systems), 'system')} in all, from "
            f"{self.dates[0]} to {self.dates[-1]}, {count(len(set(self.leaders)), 'system')} led it, and between neighbouring "
            f"versions {rose:,} times one rose and {fell:,} times one fell beyond chance ({self.level * 100:g} % for all "
            f"{word('systems')} of two versions at once; max-t with step-down, {draws} draws of errors, seed "
            f"{self.seed}{self._after()})."
        )

    def columns(self) -> dict[str, Any]:
        """One row per date and system."""
        there = [
            (k, i) for k in range(len(self.dates)) for i in range(len(self.systems)) if not math.isnan(self.rank[k, i])
        ]
        table: dict[str, Any] = {
            "date": [self.dates[k] for k, _ in there],
            "system": [self.systems[i] for _, i in there],
        }
        for name in ("rank", "low", "high"):
            table[name] = [float(getattr(self, name)[k, i]) for k, i in there]
        return table

    def cited(self) -> tuple[str, ...]:
        """Whose limits these are."""
        return ("mogstad2024",)

    def plot(self) -> Any:
        """Ranks of the nine best of the last date over time, with their limits."""
        from ..figures.over_time import ranks_over_time

        title = f"Ranks over {count(len(self.dates), 'version')}, {self.level * 100:g} % for all at once"
        return ranks_over_time(self.dates, self.systems, self.rank, self.low, self.high, title=title)


@takes_scores(each=("boards",), own_files=True)
def board_history(boards: Any, *, level: float = 0.95, rng: Rng = 0) -> BoardHistory:
    """How did the ranks of a board move over time, and which moves are more than chance?

    Ranks and their limits are those of each date's own board; neighbouring dates are compared by `compare_versions()`.
    Do not use it for boards of different things: names are all that links them.

    Parameters
    ----------
    boards : dict or folder
        {date: board} in the order of time, a board being what `compare_versions()` takes; or a folder of files of
        published scores with a date such as 2024.07.07 in their names.
    level : float
        The confidence of the limits.
    rng : int, Generator or None
        The seed of the draws of errors.

    Returns
    -------
    BoardHistory

    Raises
    ------
    FileError
        Where a folder has no two dated files.

    Examples
    --------
    >>> from tauscope import PublishedScores
    >>> january = PublishedScores({"x": 5.0, "y": 3.0}, errors=[0.1, 0.1])
    >>> june = PublishedScores({"x": 5.0, "y": 8.0}, errors=[0.1, 0.1])
    >>> board_history({"January": january, "June": june}).leaders
    ('x', 'y')
    """
    dated = _dated(Path(boards)) if isinstance(boards, (str, Path)) else boards
    if not isinstance(dated, Mapping) or len(dated) < 2:
        raise CallError("board_history() takes at least two boards, {date: board}, or a folder of dated files.")
    checking.level(level)
    seed = remembered(rng)
    values = [_read(board) for board in dated.values()]
    own = {str(date): normal_of(board, "board_history()") for date, board in zip(dated, values, strict=True)}
    dates = tuple(own)
    last = own[dates[-1]].systems
    systems = tuple(dict.fromkeys([*last, *(name for board in own.values() for name in board.systems)]))
    place = {name: i for i, name in enumerate(systems)}
    rank, low, high = (np.full((len(dates), len(systems)), np.nan) for _ in range(3))
    for k, board in enumerate(own.values()):
        at = [place[name] for name in board.systems]
        rank[k, at] = midranks(-board.estimates) + 1
        low[k, at], high[k, at] = _limits(board, level, seed)
    changes = tuple(
        compare_versions(values[k], values[k + 1], level=level, names=(dates[k], dates[k + 1]), rng=seed)
        for k in range(len(dates) - 1)
    )
    leaders = tuple(board.systems[0] for board in own.values())
    return BoardHistory(
        dates=dates,
        systems=systems,
        rank=rank,
        low=low,
        high=high,
        leaders=leaders,
        changes=changes,
        level=level,
        seed=seed,
    )


def _dated(folder: Path) -> dict[str, Any]:
    """The dated files of a folder, in the order of time."""
    if not folder.is_dir():
        raise FileError(f"{folder}: this is no folder; give one of dated files, or {{date: board}}.")
    found = sorted(
        ("-".join(match.groups()), path)
        for path in folder.iterdir()
        if path.is_file() and not path.name.startswith(".") and (match := _DATE.search(path.name))
    )
    dates = [date for date, _ in found]
    if len(set(dates)) < 2 or len(set(dates)) < len(dates):
        raise FileError(
            f"{folder}: {count(len(found), 'file')} with a date such as 2024.07.07, of "
            f"{count(len(set(dates)), 'day')}; one per day, two at least."
        )
    return {date: read_published(path) for date, path in found}
