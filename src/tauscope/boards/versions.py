"""`versions()`: what changed between versions of a board, beyond chance: ranks, scores, systems that came and left."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from itertools import pairwise
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from ..coefficients.correlation import evaluate
from ..coefficients.records import catalogue
from ..core import checking
from ..core.arrays import SNAP, Bools, Floats, Ints
from ..core.checking import Rng, rank_draws, remembered
from ..data.clusters import all_independent
from ..data.labels import positions
from ..data.ranking import Ranking, align
from ..data.scores import Scores
from ..errors import CallError, FileError, TauscopeError
from ..inference import relation as normal
from ..inference.corrections import holm
from ..inference.relation import NormalScores, rank_limits, shared_ranks
from ..io.door import takes_scores
from ..results import Result, count, fact, large
from .evidence import normal_of
from .published import read_published

_DATE = re.compile(r"(\d{4})[._-]?(\d{2})[._-]?(\d{2})")


class Change(Enum):
    """The verdict: whether ranks changed, scores only, or neither."""

    RANKS = "ranks"
    SCORES = "scores"
    NONE = "none"


@dataclass(frozen=True, kw_only=True, eq=False)
class Step:
    """What changed between two neighbouring versions, about the systems that both have, best of the new one first.

    Parameters
    ----------
    before, after : str
        Names of the versions.
    systems : tuple of str
        Systems of both versions.
    old_rank, new_rank : array of int
        Ranks among these systems; equal scores share the better rank.
    old_low, old_high, new_low, new_high : array of int
        Rank limits, simultaneous for all systems of both versions.
    moved : array of int
        1 if a system rose beyond chance (its two intervals do not overlap), -1 if it fell, otherwise 0.
    change, change_error : array
        Changes of the scores without the common shift, and their standard errors.
    p : array
        Holm-adjusted p-values of "no change but the shift".
    changed : array of bool
        Whether the score changed significantly.
    shift : float
        The median change: boards often move their scale.
    tau : float
        tau_b of the two rankings.
    entered, left : tuple of str
        Systems of the new version only, and of the old version only.
    topics : int
        Number of topics that both versions have, by which changes are paired; 0 if versions are independent.
    """

    before: str
    after: str
    systems: tuple[str, ...]
    old_rank: Ints
    new_rank: Ints
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
    topics: int = 0

    def summary(self) -> dict[str, Any]:
        """Return the step in numbers and names."""
        names = ("rose", "fell", "rescored", "entered", "left", "shift", "tau", "topics")
        ends = {"before": self.before, "after": self.after, "shared": len(self.systems)}
        return ends | {name: getattr(self, name) for name in names}

    @property
    def rose(self) -> tuple[str, ...]:
        """Systems whose rank rose beyond chance."""
        return tuple(name for name, move in zip(self.systems, self.moved, strict=True) if move > 0)

    @property
    def fell(self) -> tuple[str, ...]:
        """Systems whose rank fell beyond chance."""
        return tuple(name for name, move in zip(self.systems, self.moved, strict=True) if move < 0)

    @property
    def rescored(self) -> tuple[str, ...]:
        """Systems whose score changed significantly beyond the common shift."""
        return tuple(name for name, yes in zip(self.systems, self.changed, strict=True) if yes)


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Versions(Result):
    """What changed between versions of a board. `to_frame()` has one row per step and system.

    Parameters
    ----------
    names : tuple of str
        Names of the versions, in the order of time.
    leaders : tuple of str
        The first system of each version.
    systems : tuple of str
        All systems: those of the last version first, best first, then all others.
    steps : tuple of Step
        Each version compared with the next.
    rank, low, high : array
        Ranks and simultaneous rank limits in each version's own board, versions x systems; NaN if a system is not on
        it.
    draws, seed : int
        Number of draws behind the limits, and the seed.
    level : float
        Confidence that all statements about two neighbouring versions are true together.
    """

    QUESTION: ClassVar[str] = "versions"
    PAPERS: ClassVar[tuple[str, ...]] = ("mogstad2024", "holm1979")
    names: tuple[str, ...]
    leaders: tuple[str, ...]
    draws: int
    seed: int
    systems: tuple[str, ...] = large()
    steps: tuple[Step, ...] = large()
    rank: Floats = large()
    low: Floats = large()
    high: Floats = large()

    @fact
    def verdict(self) -> Change:
        """Whether a rank changed beyond chance, or a score, or neither."""
        if any(step.moved.any() for step in self.steps):
            return Change.RANKS
        return Change.SCORES if any(step.changed.any() for step in self.steps) else Change.NONE

    @fact
    def changes(self) -> tuple[dict[str, Any], ...]:
        """Each step in numbers and names."""
        return tuple(step.summary() for step in self.steps)

    @fact
    def rows(self) -> dict[str, list[Any]]:
        """One row per step and system: ranks and limits before and after, the move, the change and its p-value."""
        ranks = ("old_rank", "old_low", "old_high", "new_rank", "new_low", "new_high")
        pairs = [(step, system) for step in self.steps for system in step.systems]
        return {
            "before": [step.before for step, _ in pairs],
            "after": [step.after for step, _ in pairs],
            "system": [system for _, system in pairs],
        } | {
            name: [value for step in self.steps for value in getattr(step, name).tolist()]
            for name in (*ranks, "moved", "change", "change_error", "p", "changed")
        }

    def columns(self) -> dict[str, list[Any]]:
        return self.rows


def versions(boards: Any, *, level: float = 0.95, rng: Rng = 0) -> Versions:
    r"""Compare versions of a board: which ranks and scores changed beyond chance?

    Use it for two versions of a leaderboard, or for its history. Do not use it if the scale itself, and not only its
    origin, was changed, or for boards of different things: names are all that links them.

    Ranks are those among the systems that two neighbouring versions share. Each version gets simultaneous rank limits
    at level :math:`1 - (1 - \text{level})/2`, so that both hold together; a system moved if its two intervals do not
    overlap. Scores are compared after the common shift, the median change, because boards anchor their scale anew:

    .. math:: z_i = (\text{change}_i - \text{shift}) / \mathrm{se}_i,

    with Holm's correction over the systems. Scores on topics are paired by the topics that both versions have
    (Student's t; the paired t-test if all topics are shared, with a factor near 1 because a median is less certain than
    a mean). Otherwise :math:`\mathrm{se}^2 = \mathrm{se}_{old}^2 + \mathrm{se}_{new}^2`: versions that share votes
    change less often than this allows.

    Parameters
    ----------
    boards : dict, list or folder
        {name: board} or [board, …] in the order of time, at least two; a board is Scores, Published, a fitted
        BradleyTerry, or what Scores.read() takes. Or a folder of files of published scores with a date such as
        2024.07.07 in their names.
    level : float, default 0.95
        Confidence that all statements about two neighbouring versions are true together.
    rng : int, Generator or None, default 0
        Seed of the draws of errors. The same seed gives the same numbers.

    Returns
    -------
    Versions
        Steps between neighbouring versions, and the ranks of every version.

    Raises
    ------
    CallError
        If there are fewer than two boards.
    TauscopeError
        If two neighbouring versions share fewer than two systems.
    FileError
        If a folder has no two dated files.

    See Also
    --------
    gate : check claims about a board.

    Examples
    --------
    >>> from tauscope import Published, versions
    >>> before = Published({"x": 5.0, "y": 3.0, "z": 1.0}, errors=[0.1, 0.1, 0.1])
    >>> after = Published({"x": 15.0, "y": 13.0, "z": 17.0, "new": 9.0}, errors=[0.1] * 4)
    >>> step = versions({"May": before, "June": after}).steps[0]
    >>> step.rose, step.entered, step.shift
    (('z',), ('new',), 10.0)
    >>> versions([before, after]).leaders
    ('x', 'z')
    """
    named = boards
    if isinstance(boards, (str, Path)):
        named = _dated(Path(boards))
    elif isinstance(boards, (list, tuple)):
        names = ("old", "new") if len(boards) == 2 else [f"version {k + 1}" for k in range(len(boards))]
        named = dict(zip(names, boards, strict=True))
    if not isinstance(named, Mapping) or len(named) < 2:
        raise CallError("versions() takes at least two boards, {name: board}, or a folder of dated files.")
    return _versions(dict(named), level=level, rng=rng)


@takes_scores(each=("boards",), own_files=True)
def _versions(boards: dict[str, Any], *, level: float, rng: Rng) -> Versions:
    """Compare versions that are named and read; see `versions()`."""
    level, seed = checking.level(level), remembered(rng)
    read = {str(name): _read(board) for name, board in boards.items()}
    estimates = {name: normal_of(board, "versions()") for name, board in read.items()}
    last = list(estimates.values())[-1].systems
    systems = tuple(dict.fromkeys([*last, *(name for board in estimates.values() for name in board.systems)]))
    place = {name: i for i, name in enumerate(systems)}
    rank, low, high = (np.full((len(estimates), len(systems)), np.nan) for _ in range(3))
    for k, board in enumerate(estimates.values()):
        at = [place[name] for name in board.systems]
        rank[k, at] = shared_ranks(board.estimates)
        low[k, at], high[k, at] = rank_limits(normal.better(board, level, seed))
    return Versions(
        names=tuple(estimates),
        leaders=tuple(board.systems[0] for board in estimates.values()),
        systems=systems,
        steps=tuple(
            _step((a, read[a]), (b, read[b]), estimates[a], estimates[b], level, seed) for a, b in pairwise(estimates)
        ),
        rank=rank,
        low=low,
        high=high,
        draws=rank_draws(max(board.size for board in estimates.values())),
        seed=seed,
        level=level,
    )


def _step(
    old: tuple[str, Any], new: tuple[str, Any], before: NormalScores, after: NormalScores, level: float, seed: int
) -> Step:
    """Compare two neighbouring versions.

    Parameters
    ----------
    old, new : pair of str and board
        Name and board of each version.
    before, after : NormalScores
        Their estimates.
    level, seed
        Confidence of all statements about the two, and the seed of the draws.

    Returns
    -------
    Step
        About the systems that both versions have.

    Raises
    ------
    TauscopeError
        If they share fewer than two systems.
    """
    shared = [name for name in after.systems if name in set(before.systems)]
    if len(shared) < 2:
        raise TauscopeError(
            f"The two versions share {count(len(shared), 'system')}; two are needed. Are the names spelled alike?"
        )
    pair = [board.select(shared) for board in (before, after)]
    places = [{name: i for i, name in enumerate(board.systems)} for board in pair]
    at = [np.array([where[name] for name in shared]) for where in places]
    limits = [rank_limits(normal.better(board, 1 - (1 - level) / 2, seed)) for board in pair]
    rank = [shared_ranks(board.estimates) for board in pair]
    low, high = ([side[k][at[v]] for v, side in enumerate(limits)] for k in (0, 1))
    score = [board.estimates[at[v]] for v, board in enumerate(pair)]
    change = score[1] - score[0]
    shift = float(np.median(change))
    beyond = change - shift
    beyond[np.abs(beyond) <= SNAP * np.max(np.abs(score))] = 0.0  # differs by rounding only
    if isinstance(old[1], Scores) and isinstance(new[1], Scores):
        error, freedom, topics = _paired(old[1], new[1], shared)
    else:
        variance = sum(np.diagonal(board.covariance)[at[v]] for v, board in enumerate(pair))
        error, freedom, topics = np.sqrt(np.asarray(variance)), math.inf, 0
    p = holm(_two_sided(beyond, error, freedom))
    sign = -1.0 if before.sign < 0 and after.sign < 0 else 1.0  # changes are shown on the scale of the source
    rankings = [Ranking.from_means(board.estimates, board.systems) for board in pair]
    return Step(
        before=old[0],
        after=new[0],
        systems=tuple(shared),
        old_rank=rank[0][at[0]],
        new_rank=rank[1][at[1]],
        old_low=low[0],
        old_high=high[0],
        new_low=low[1],
        new_high=high[1],
        moved=np.where(high[1] < low[0], 1, np.where(low[1] > high[0], -1, 0)),
        change=sign * beyond + 0.0,
        change_error=error,
        p=p,
        changed=p < 1 - level,
        shift=sign * shift + 0.0,
        tau=evaluate(catalogue["tau_b"], align(rankings[0], rankings[1]), names=("old", "new")).value,
        entered=tuple(name for name in after.systems if name not in set(before.systems)),
        left=tuple(name for name in before.systems if name not in set(after.systems)),
        topics=topics,
    )


def _read(board: Any) -> Any:
    """Read a file of published scores; a board stays as it is."""
    return read_published(board) if isinstance(board, (str, Path)) else board


def _paired(old: Scores, new: Scores, systems: list[str]) -> tuple[Floats, float, int]:
    """Compute the standard error of each system's change less the common shift, for scores on topics.

    A topic of both versions contributes the difference of its deviations, so that what both have in common cancels.

    Parameters
    ----------
    old, new : Scores
        The two versions.
    systems : list of str
        The systems of both.

    Returns
    -------
    tuple
        Standard errors, degrees of freedom, and the number of topics that both versions have.
    """
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


def _two_sided(gap: Floats, error: Floats, freedom: float) -> Floats:
    """Return two-sided p-values of gaps with their standard errors; 0 for a gap without error."""
    from scipy.special import ndtr, stdtr

    sure = np.where(gap == 0, 0.0, np.inf)
    z = np.divide(np.abs(gap), error, out=sure, where=error > 0)
    return np.asarray(2 * (ndtr(-z) if math.isinf(freedom) else stdtr(freedom, -z)))


def _dated(folder: Path) -> dict[str, Any]:
    """Read the dated files of a folder, in the order of time."""
    if not folder.is_dir():
        raise FileError(f"{folder}: this is no folder; give one of dated files, or {{date: board}}.")
    files = sorted(
        ("-".join(match.groups()), path)
        for path in folder.iterdir()
        if path.is_file() and not path.name.startswith(".") and (match := _DATE.search(path.name))
    )
    dates = [date for date, _ in files]
    if len(set(dates)) < 2 or len(set(dates)) < len(dates):
        raise FileError(
            f"{folder}: {count(len(files), 'file')} with a date such as 2024.07.07, of "
            f"{count(len(set(dates)), 'day')}; one per day, two at least."
        )
    return {date: read_published(path) for date, path in files}
