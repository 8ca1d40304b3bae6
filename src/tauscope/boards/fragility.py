"""`Fragility`: how few topics or battles decide who is first, or which of two systems is ranked above the other."""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import Enum
from itertools import combinations_with_replacement
from typing import Any, ClassVar, NamedTuple

import numpy as np

from ..core.arrays import SNAP, Floats, Ints, repeated
from ..data.battles import Battles
from ..data.labels import positions
from ..data.scores import Scores
from ..errors import CallError
from ..results import Result, fact, per_row
from .bradley_terry import BradleyTerry, Fit, bradley_terry, cells_of
from .likelihood import Diverged, Model, components, maximise
from .repeats import Repeats
from .rules import Rule, board_rules


class Robust(Enum):
    """The verdict: whether a removal changes the order, or no removal that was tried does."""

    CHANGES = "changes"
    NONE = "none"


class Remaining(NamedTuple):
    """The lead of the first system after a number of removals."""

    removed: int
    gap: float


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Fragility(Result):
    """The fewest topics or battles without which one system is no longer ranked above another.

    Parameters
    ----------
    kind : {"topic", "battle"}
        What is removed.
    leader, rival : str
        The first is ranked above the second, and below it after the removal; "" for any other system.
    removed : tuple of str
        Names of topics, or numbers of battles from 1, the most influential first; empty if no removal changes the
        order.
    out_of : int
        Number of topics or battles.
    exact : bool
        Whether no smaller set exists, or none at all; otherwise it is the smallest that was tried.
    chosen : bool
        Whether the two systems were given; otherwise the first place is at stake.
    tried : int
        Number of sets that were tried by fitting again.
    searched : int
        All sets of at most this size were tried, or are known not to change the order.
    gaps : tuple of Remaining
        How far the first system is ahead after some or all of the removals.
    rule, name, level
        Rule of the board ("" for battles), its name, and a level that is not used.
    """

    QUESTION: ClassVar[str] = "fragility"
    kind: str
    leader: str
    rival: str
    removed: tuple[str, ...] = per_row()
    out_of: int
    exact: bool
    chosen: bool
    tried: int
    searched: int
    gaps: tuple[Remaining, ...]
    rule: str
    name: str

    def __len__(self) -> int:
        """Return the number of removals."""
        return len(self.removed)

    def columns(self) -> dict[str, Any]:
        return {self.kind: list(self.removed)}

    @fact
    def share(self) -> float:
        """Share of all topics or battles that the removal is."""
        return len(self.removed) / self.out_of

    @fact
    def verdict(self) -> Robust:
        """Whether a removal changes the order."""
        return Robust.CHANGES if self.removed else Robust.NONE


#: Rivals of the leader that are tried where strengths have to be fitted again.
_RIVALS = 10
#: At most so many sets of votes are tried in the search through all of a size: a second or two.
_SETS = 2000
#: Imaginary battles of each system that order those without a finite strength, and hardly move the others.
_NEXT_TO_NOTHING = 0.01


def fragility(board: Any, above: str | None, below: str | None, rule: Rule, name: str) -> Fragility:
    """Find the fewest topics or battles of a board without which two systems change places; see `Ranks.fragility()`."""
    if (above is None) != (below is None):
        raise CallError("Name both systems, `above` and `below`, or none of them.")
    if isinstance(board, Repeats):
        board = board.scores()
    if isinstance(board, Scores):
        return _of_scores(board, above, below, rule, name)
    if isinstance(board, Battles):
        board = bradley_terry(board)
    if isinstance(board, BradleyTerry):
        return _of_battles(board, above, below, name)
    raise CallError("fragility() needs topics or battles to remove, and this board has neither.")


def _of_scores(scores: Scores, above: str | None, below: str | None, rule: Rule, name: str) -> Fragility:
    """Remove topics from scores until the order of two systems changes.

    The rule is a mean over topics, so that removing the topics with the largest differences is exact: no smaller set of
    topics does it.

    Parameters
    ----------
    scores : Scores
        A board without missing cells.
    above, below, rule, name
        As in `fragility()`.

    Returns
    -------
    Fragility
    """
    scores.require_complete("fragility()")
    if rule.task_scores is None:
        means = ", ".join(repr(record.name) for record in board_rules if record.additive)
        raise CallError(f"The rule {rule.name!r} is not a mean over topics; use one of {means}.")
    values = rule.task_scores(scores.values)
    means = values.mean(axis=0)
    leader, rivals = _who(scores.systems, means, above, below)
    tolerance = SNAP * float(np.abs(values).max()) * len(values)
    best: tuple[int, int, Ints] | None = None
    gaps: Floats = np.zeros(0)
    for rival in rivals:
        difference = values[:, leader] - values[:, rival]
        order = np.argsort(-difference, kind="stable")
        left = difference.sum() - np.cumsum(difference[order])
        # Without all topics there is no board.
        enough = np.flatnonzero(left[:-1] < -tolerance)
        if enough.size and (best is None or enough[0] + 1 < best[0]):
            best = int(enough[0]) + 1, rival, order[: enough[0] + 1]
            gaps = np.append(difference.sum(), left)[: best[0] + 1] / (len(values) - np.arange(best[0] + 1))
    shared: dict[str, Any] = {"kind": "topic", "leader": scores.systems[leader], "out_of": len(values), "exact": True}
    shared |= {"rule": rule.name, "chosen": above is not None, "tried": 1, "searched": len(values), "name": name}
    if best is None:
        named = scores.systems[rivals[0]] if above is not None else ""
        return Fragility(rival=named, removed=(), gaps=(), **shared)
    _, rival, topics = best
    removed = tuple(scores.topics[i] for i in topics)
    steps = tuple(map(Remaining, range(len(removed) + 1), gaps.tolist()))
    return Fragility(rival=scores.systems[rival], removed=removed, gaps=steps, **shared)


def _who(systems: Any, means: Floats, above: str | None, below: str | None) -> tuple[int, list[int]]:
    """Return the place of the system above, and the places of those that could take its place.

    Parameters
    ----------
    systems : sequence of str
        All systems.
    means : array
        Their scores.
    above, below : str or None
        Two systems; None for the leader and all others.

    Raises
    ------
    CallError
        If the first is not above the second.
    """
    if above is None or below is None:
        leader = int(np.argmax(means))
        return leader, [int(i) for i in np.argsort(-means, kind="stable") if i != leader]
    first, second = positions([above, below], tuple(systems), "system")
    if not means[first] > means[second]:
        raise CallError(f"{above!r} is not above {below!r} on this board: {means[first]:g} against {means[second]:g}.")
    return first, [second]


def _of_battles(board: BradleyTerry, above: str | None, below: str | None, name: str) -> Fragility:
    """Remove battles until the order of two systems changes.

    First the battles with the largest influence on the lead are removed, as few as suffice, for each of the nearest
    rivals. Then all smaller sets are tried, as long as there are few of them. Strengths are fitted again each time.

    Parameters
    ----------
    board : BradleyTerry
        The strengths.
    above, below, name
        As in `fragility()`.

    Returns
    -------
    Fragility
        `exact` says whether all smaller sets were tried.
    """
    fitted, rows_given = board.plain_fit(), board.rows
    systems = fitted.battles.systems
    leader, rivals = _who(systems, fitted.strengths, above, below)
    tried = 0
    best: tuple[int, Ints] | None = None
    gaps: dict[int, float] = {}
    for rival in _nearest(fitted, leader, rivals):
        search = _Votes(fitted, leader, rival)
        most = None if best is None else len(best[1]) - 1
        rows = search.shortest(most)
        tried += search.tried
        if rows is not None:
            best = rival, rows
            gaps = {number: gap for number, gap in sorted(search.gaps.items()) if number <= len(rows)}
    used = len(fitted.battles)
    every = _Every(fitted, leader, rivals)
    smaller = every.smallest((used if best is None else len(best[1])) - 1)
    tried += every.tried
    if smaller is not None:
        best, gaps = smaller, every.gaps
    exact = every.searched >= (used if best is None else len(best[1])) - 1
    shared: dict[str, Any] = {"kind": "battle", "leader": systems[leader], "out_of": board.given, "exact": exact}
    shared |= {"rule": "", "chosen": above is not None, "tried": tried, "searched": every.searched, "name": name}
    if best is None:
        return Fragility(rival=systems[rivals[0]] if above is not None else "", removed=(), gaps=(), **shared)
    rival, rows = best
    removed = tuple(str(rows_given[row] + 1) for row in rows)
    return Fragility(rival=systems[rival], removed=removed, gaps=tuple(map(Remaining, gaps, gaps.values())), **shared)


def _nearest(fitted: Fit, leader: int, rivals: list[int]) -> list[int]:
    """Return the rivals whose gap to the leader is smallest in standard errors, which few battles should close."""
    c = fitted.covariance
    gap = fitted.strengths[leader] - fitted.strengths[rivals]
    error = np.sqrt(c[leader, leader] + c[rivals, rivals] - 2 * c[leader, rivals])
    return [rivals[i] for i in np.argsort(gap / error, kind="stable")[:_RIVALS]]


class _Votes:
    """The search for the fewest battles without which a rival is above the leader, by their influence.

    To first order, one more battle moves the lead by its gradient times the inverse Hessian. Battles of one kind, the
    same two systems and outcome, have the same influence.

    Parameters
    ----------
    fitted : Fit
        The strengths.
    leader, rival : int
        Places of the two systems.
    """

    def __init__(self, fitted: Fit, leader: int, rival: int) -> None:
        self.fitted, self.leader, self.rival, self.tried = fitted, leader, rival, 0
        model = fitted.model
        direction = fitted.bread[leader] - fitted.bread[rival]
        by_delta, by_eta = model.residuals(fitted.theta)
        reach = direction[model.first] - direction[model.second]
        influence = by_delta * reach[:, None]
        if model.davidson:
            influence = influence + by_eta * direction[-1]
        #: Of each kind of vote, cells x outcomes: how much one adds to the gap.
        self.influence = influence
        order = np.argsort(-influence.ravel(), kind="stable")
        order = order[influence.ravel()[order] > 0]
        self.kinds = order[model.counts.ravel()[order] > 0]
        self.available = model.counts.ravel()[self.kinds].astype(np.int64)
        self.start = fitted.theta
        #: How far the leader is above, by how many votes are left out; where that was fitted.
        self.gaps = {0: float(fitted.theta[leader] - fitted.theta[rival])}

    def flips(self, number: int) -> bool:
        """Fit again without so many of the most influential battles: is the rival above now?"""
        self.tried += 1
        model = self.fitted.model
        before = np.cumsum(self.available) - self.available
        gone = np.clip(number - before, 0, self.available)
        counts = model.counts.copy()
        counts.ravel()[self.kinds] -= gone
        theta = _refitted(model, counts, self.start, self.leader)
        if theta is None or math.isnan(theta[self.rival]):
            return False
        self.gaps[number] = float(theta[self.leader] - theta[self.rival])
        return bool(theta[self.rival] > theta[self.leader] + 1e-9)

    def shortest(self, most: int | None) -> Ints | None:
        """Return the rows of the fewest battles, found by bisection on their number; None if no number suffices.

        Parameters
        ----------
        most : int or None
            The largest number to try; None for all battles that favour the leader.
        """
        total = int(self.available.sum())
        limit = total if most is None else min(total, most)
        gap = float(self.fitted.theta[self.leader] - self.fitted.theta[self.rival])
        gained = repeated(self.influence.ravel()[self.kinds], self.available).cumsum() if total else np.zeros(0)
        high = min(limit, int(np.searchsorted(gained, gap)) + 1)
        if limit < 1:
            return None
        while not self.flips(high):
            if high >= limit:
                return None
            high = min(limit, max(high + 1, int(high * 1.3)))
        low = 0
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (low, middle) if self.flips(middle) else (middle, high)
        return self._rows(high)

    def _rows(self, number: int) -> Ints:
        """Return the battles behind the most influential kinds."""
        return _rows_of(self.fitted, repeated(self.kinds, self.available)[:number].tolist())


class _Every:
    """The search through all sets of battles, from single ones on, as long as there are few sets.

    Battles of one kind, the same two systems and outcome, stand for each other, so that sets of kinds are tried.

    Parameters
    ----------
    fitted : Fit
        The strengths.
    leader : int
        Place of the leader.
    rivals : list of int
        Places of the systems that could pass it.
    """

    def __init__(self, fitted: Fit, leader: int, rivals: list[int]) -> None:
        self.fitted, self.leader, self.rivals, self.tried, self.searched = fitted, leader, rivals, 0, 0
        self.gaps = {0: 0.0}

    def smallest(self, most: int) -> tuple[int, Ints] | None:
        """Return a rival and the rows of the smallest set without which it is above the leader.

        Parameters
        ----------
        most : int
            The largest size to try.

        Returns
        -------
        pair of int and ndarray, or None
            None if there is no such set, or if there were too many to try; `searched` says up to which size all were
            tried.
        """
        model = self.fitted.model
        counts = model.counts.ravel()
        kinds = np.flatnonzero(counts > 0).tolist()
        for size in range(1, most + 1):
            if self.tried + math.comb(len(kinds) + size - 1, size) > _SETS:
                return None
            for gone in combinations_with_replacement(kinds, size):
                left = counts.copy()
                np.subtract.at(left, list(gone), 1)
                rival = self._above(left.reshape(model.counts.shape)) if left.min() >= 0 else None
                if rival is not None:
                    before = float(self.fitted.theta[self.leader] - self.fitted.theta[rival])
                    self.gaps = {0: before, size: self.gaps[size]}
                    self.searched = size - 1
                    order = _Votes(self.fitted, self.leader, rival).influence.ravel()
                    return rival, _rows_of(self.fitted, sorted(gone, key=lambda kind: -order[kind]))
            self.searched = size
        return None

    def _above(self, counts: Floats) -> int | None:
        """Fit again with these counts, and return the rival that is furthest above the leader, if any."""
        self.tried += 1
        theta = _refitted(self.fitted.model, counts, self.fitted.theta, self.leader)
        if theta is None:
            return None
        gap = theta[self.leader] - theta[self.rivals]
        if not (gap < -1e-9).any():
            return None
        best = int(np.nanargmin(gap))
        self.gaps[int((self.fitted.model.counts - counts).sum())] = float(gap[best])
        return self.rivals[best]


def _refitted(model: Model, counts: Floats, start: Floats, leader: int) -> Floats | None:
    """Fit strengths with other numbers of battles.

    Parameters
    ----------
    model : Model
        The likelihood of all battles.
    counts : array
        The battles that are left, cells x outcomes.
    start : array
        Parameters to begin with.
    leader : int
        Place of the leader.

    Returns
    -------
    ndarray or None
        Parameters, NaN for systems that no battle connects with the leader, because only a prior would compare the two;
        None if there is no fit.
    """
    met = counts.sum(axis=1) > 0
    first, second = model.first[met], model.second[met]
    if not ((first == leader) | (second == leader)).any():
        return None
    # A system that won all its remaining battles has no finite strength: a prior of next to nothing orders it.
    for prior in (model.prior, max(model.prior, _NEXT_TO_NOTHING)):
        less = Model(first, second, counts[met], model.systems, model.davidson, False, prior)
        try:
            theta = maximise(less, start).copy()
        except (Diverged, np.linalg.LinAlgError):
            continue
        part = components(first, second, model.systems, "weak")
        theta[: model.systems][part != part[leader]] = np.nan
        return theta
    return None


def _rows_of(fitted: Fit, kinds: list[int]) -> Ints:
    """Return the battles behind kinds of battles, the earliest of each kind first."""
    model, battles = fitted.model, fitted.battles
    rows_by_kind = cells_of(model, battles) * 3 + battles.winner
    rows: list[int] = []
    for kind in dict.fromkeys(kinds):
        rows += np.flatnonzero(rows_by_kind == kind)[: kinds.count(kind)].tolist()
    return np.array(rows, np.int64)
