"""`fewest_removals()`: how few topics, tasks or votes decide who is first?"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from itertools import combinations_with_replacement
from typing import Any

import numpy as np

from ..arrays import Floats, Ints, repeated
from ..errors import CallError, TauscopeError
from ..files.door import ScoresLike, takes_scores
from ..results import Result, count, word
from ..scores import Scores
from ..scores.alignment import require_one_scale
from ..scores.battles import Battles
from ..scores.labels import positions
from ..ties import SNAP
from .fitting import Fit, fit
from .likelihood import Diverged, Model, maximise
from .rules import Rule, board_rules


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class FewestRemovals(Result):
    """The topics or battles without which one system is no longer above another.

    Attributes
    ----------
    kind : str
        "topic" or "battle".
    leader, rival : str
        The first stood above the second, and stands below it without them.
    removed : tuple of str
        Names of topics, or numbers of battles from 1, the most influential first; empty where nothing does it.
    out_of : int
        How many there are.
    exact : bool
        Whether no smaller set does it, or none at all; otherwise it is the smallest that was tried.
    rule : str
        How systems were ranked.
    asked : bool
        Whether the two were given.
    tried : int
        How many sets were tried by fitting again.
    searched : int
        All sets of at most so many were tried, or are known not to do it.
    undefined_because : str or None
        Why there is no such set.
    """

    kind: str
    leader: str
    rival: str
    removed: tuple[str, ...]
    out_of: int
    exact: bool
    rule: str
    asked: bool
    tried: int
    searched: int = 0
    undefined_because: str | None = None
    #: How many were left out, from none to all of `removed`, and by how much the first is above the second then: after
    #: each topic, or wherever strengths were fitted again.
    _left_out: tuple[int, ...] = field(default=(), repr=False)
    _gaps: tuple[float, ...] = field(default=(), repr=False)

    def __len__(self) -> int:
        """How many have to go."""
        return len(self.removed)

    @property
    def share(self) -> float:
        """Which share of all that is."""
        return len(self.removed) / self.out_of

    def lines(self) -> list[str]:
        """How many it takes, which they are, and how they were found."""
        what = f"{self.leader} stays above {self.rival}" if self.asked else f"{self.leader} stays first"
        if self.undefined_because is not None:
            return [f"{what}: {self.undefined_because}"]
        names = ", ".join(self.removed[:8]) + (", …" if len(self.removed) > 8 else "")
        how_many = f"{count(len(self.removed), self.kind)} of {self.out_of:,} ({self.share * 100:.2g} %)"
        keeps = f"above {self.rival}" if self.asked else "first"
        needs = f"{what} only with {how_many}" if self.exact else f"At most {how_many} keep {self.leader} {keeps}"
        return [
            f"{needs}: without {names} {self.rival} is above it",
            f"{self.rule}; {self._search()}",
        ]

    def _search(self) -> str:
        """How far the set is known to be the smallest."""
        if self.exact:
            return "no smaller set does it"
        up_to = _up_to(self.searched, self.kind)
        return f"the smallest of {count(self.tried, 'set')} tried by fitting again{up_to}; fewer may be enough"

    def methods_sentence(self) -> str:
        """The sentence a paper needs: how few topics or battles decide who is above whom.

        Returns
        -------
        str
            One sentence, with how they were found.
        """
        what = f"{self.leader} stays above {self.rival}" if self.asked else f"{self.leader} stays first"
        if self.undefined_because is not None:
            within = "whatever is left out of" if self.exact else "in a search among sets of"
            return f"{what} {within} {count(self.out_of, self.kind)}: {self.undefined_because}."
        return (
            f"Without {count(len(self), self.kind)} of {self.out_of:,} ({self.share * 100:.2g} %) {self.rival} would be above "
            f"{self.leader}, which stands {'above it' if self.asked else 'first'} ({self.rule}; {self._search()})."
        )

    def columns(self) -> dict[str, Any]:
        """One row per topic or battle, the most influential first."""
        return {word(self.kind): list(self.removed)}

    def plot(self) -> Any:
        """How far the first is above the second while one after the other goes, down to where it is below."""
        from ..figures import BLUE, RED, dots

        if self.undefined_because is not None:
            raise TauscopeError(f"Nothing is left out: {self.undefined_because}.")
        by_one = self._left_out == tuple(range(len(self) + 1))
        labels = [f"all {count(self.out_of, self.kind)}"]
        labels += [
            f"{'and' if by_one and k > 1 else 'without'} {self.removed[k - 1] if by_one else count(k, self.kind)}"
            for k in self._left_out[1:]
        ]
        above = [self.leader if gap >= 0 else self.rival for gap in self._gaps]
        return dots(
            labels,
            self._gaps,
            groups=above,
            group="above",
            x=f"{self.leader} less {self.rival}",
            title=self.lines()[0],
            colours=[BLUE, RED],
            mark=0.0,
        )


#: Rivals of the leader that are tried where strengths have to be fitted again.
_RIVALS = 10
#: Imaginary battles of each system that order those without a finite strength, and hardly move the others.
_NEXT_TO_NOTHING = 0.01
#: At most so many sets of votes are tried in the search through all of a size: a second or two.
_SETS = 2000


@takes_scores("board")
def fewest_removals(
    board: ScoresLike,
    *,
    above: str | None = None,
    below: str | None = None,
    rule: str | Rule = "mean",
    ties: str = "half",
    prior: float = 0.0,
) -> FewestRemovals:
    """How few topics, or votes, would have to go for another system to be first, or for two systems to change places?

    Scores under an additive rule: the difference of two systems is a sum over topics, so leaving out the topics with
    the largest differences is the shortest way, exactly; for the first place the shortest over all rivals. Battles: the
    influence of each vote on the difference of two strengths, H⁻¹ g, gives an order of the votes; the set is the
    shortest start of that order that changes the two when strengths are fitted again. Then all smaller sets are tried,
    from single votes on, as long as they are at most 2,000; `exact` says whether that was all of them. A tie is not a change of places. Do not read it as a test: a leader can be robust and not
    significant, and the other way round.

    Parameters
    ----------
    board : Scores or Battles
        Topics x systems without missing cells, or who beat whom.
    above, below : str, optional
        Two systems, the first above the second; by default the leader and whoever is nearest to taking its place.
    rule : str or Rule
        Of scores: a rule that is a mean over tasks.
    ties : {"half", "davidson", "drop"}
        Of battles.
    prior : float
        Of battles, as in `bradley_terry()`.

    Returns
    -------
    FewestRemovals

    Raises
    ------
    CallError
        Where the two are not in that order, or the rule is no mean over tasks.

    Examples
    --------
    >>> board = Scores([[0.9, 0.5], [0.2, 0.3], [0.4, 0.5]], topics=["q1", "q2", "q3"], systems=["a", "b"])
    >>> fewest_removals(board).removed
    ('q1',)
    """
    if (above is None) != (below is None):
        raise CallError("Name both systems, `above` and `below`, or none of them.")
    if isinstance(board, Scores):
        return _of_scores(board, above, below, board_rules[rule])
    if isinstance(board, Battles):
        return _of_battles(board, above, below, ties, prior)
    raise CallError(f"fewest_removals() takes Scores or Battles, not {type(board).__name__}.")


def _of_scores(scores: Scores, above: str | None, below: str | None, rule: Rule) -> FewestRemovals:
    scores.require_complete("fewest_removals()")
    if rule.one_scale:
        require_one_scale(scores, "fewest_removals()")
    if rule.task_scores is None:
        means = ", ".join(repr(record.name) for record in board_rules if record.additive)
        raise CallError(f"The rule {rule.name!r} is no mean over tasks; use one of {means}.")
    if len(scores.systems) < 2:
        raise TauscopeError(f"fewest_removals() needs at least two {word('systems')}.")
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
    how = f"{rule.title}, exact by sorting the topics' differences"
    shared: dict[str, Any] = {
        "kind": "topic",
        "leader": scores.systems[leader],
        "out_of": len(values),
        "exact": True,
        "rule": how,
        "asked": above is not None,
    }
    if best is None:
        name = scores.systems[rivals[0]] if above is not None else "any other"
        why = f"no {word('topics')} that could be left out put {name} above it"
        return FewestRemovals(rival=name, removed=(), tried=0, undefined_because=why, **shared)
    _, rival, topics = best
    names = tuple(scores.topics[i] for i in topics)
    shared |= {"_left_out": tuple(range(len(names) + 1)), "_gaps": tuple(gaps.tolist())}
    return FewestRemovals(rival=scores.systems[rival], removed=names, tried=1, **shared)


def _who(systems: Any, means: Floats, above: str | None, below: str | None) -> tuple[int, list[int]]:
    """The one above, and those that could take its place."""
    if above is None or below is None:
        leader = int(np.argmax(means))
        return leader, [int(i) for i in np.argsort(-means, kind="stable") if i != leader]
    first, second = positions([above, below], tuple(systems), "system")
    if not means[first] > means[second]:
        raise CallError(f"{above!r} is not above {below!r} on this board: {means[first]:g} against {means[second]:g}.")
    return first, [second]


def _of_battles(battles: Battles, above: str | None, below: str | None, ties: str, prior: float) -> FewestRemovals:
    found = fit(battles, ties=ties, clusters=None, prior=prior)
    systems = found.battles.systems
    leader, rivals = _who(systems, found.strengths, above, below)
    tried = 0
    best: tuple[int, Ints] | None = None
    gaps: dict[int, float] = {}
    for rival in _nearest(found, leader, rivals):
        search = _Votes(found, leader, rival)
        most = None if best is None else len(best[1]) - 1
        rows = search.shortest(most)
        tried += search.tried
        if rows is not None:
            best = rival, rows
            gaps = {number: gap for number, gap in sorted(search.gaps.items()) if number <= len(rows)}
    every = _Every(found, leader, rivals)
    smaller = every.smallest((len(battles) if best is None else len(best[1])) - 1)
    tried += every.tried
    if smaller is not None:
        best, gaps = smaller, every.gaps
    kind, how = "battle", f"Bradley-Terry strengths, ties {ties}"
    shared: dict[str, Any] = {
        "kind": kind,
        "leader": systems[leader],
        "out_of": len(battles),
        "exact": every.searched >= (len(battles) if best is None else len(best[1])) - 1,
        "rule": how,
        "asked": above is not None,
        "tried": tried,
        "searched": every.searched,
    }
    if best is None:
        name = systems[rivals[0]] if above is not None else "any other"
        sets = f"{count(tried, 'set')} tried by fitting again{_up_to(every.searched, kind)}"
        why = f"no set found that puts {name} above it, of {sets}"
        return FewestRemovals(rival=name, removed=(), undefined_because=why, **shared)
    rival, rows = best
    kept = np.flatnonzero(battles.winner != 2) if ties == "drop" else np.arange(len(battles))
    names = tuple(str(kept[row] + 1) for row in rows)
    shared |= {"_left_out": tuple(gaps), "_gaps": tuple(gaps.values())}
    return FewestRemovals(rival=systems[rival], removed=names, **shared)


def _up_to(searched: int, kind: str) -> str:
    """Which sets were all tried: the end of a sentence about how many there were."""
    if not searched:
        return ""
    return (
        f", among them every {word(kind)} alone"
        if searched == 1
        else f", among them all of up to {count(searched, kind)}"
    )


def _nearest(found: Fit, leader: int, rivals: list[int]) -> list[int]:
    """The rivals with the smallest gap in standard errors of it: those that fewest votes should bring past."""
    c = found.covariance
    gap = found.strengths[leader] - found.strengths[rivals]
    error = np.sqrt(c[leader, leader] + c[rivals, rivals] - 2 * c[leader, rivals])
    return [rivals[i] for i in np.argsort(gap / error, kind="stable")[:_RIVALS]]


class _Votes:
    """The search for the fewest votes that put `rival` above `leader`."""

    def __init__(self, found: Fit, leader: int, rival: int) -> None:
        self.found, self.leader, self.rival, self.tried = found, leader, rival, 0
        model = found.model
        direction = found.bread[leader] - found.bread[rival]
        by_delta, by_eta = model.residuals(found.theta)
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
        self.start = found.theta
        #: How far the leader is above, by how many votes are left out; where that was fitted.
        self.gaps = {0: float(found.theta[leader] - found.theta[rival])}

    def flips(self, number: int) -> bool:
        """Whether leaving out so many of the most influential votes puts the rival above, fitted again."""
        self.tried += 1
        model = self.found.model
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
        """The rows of the fewest votes found, at most `most`; None where none do it."""
        total = int(self.available.sum())
        limit = total if most is None else min(total, most)
        gap = float(self.found.theta[self.leader] - self.found.theta[self.rival])
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
        """The battles behind the most influential kinds of votes."""
        return _rows_of(self.found, repeated(self.kinds, self.available)[:number].tolist())


class _Every:
    """The search through all sets of votes, from single ones on, as long as they are few; votes of one kind, the same
    two systems and outcome, stand for each other."""

    def __init__(self, found: Fit, leader: int, rivals: list[int]) -> None:
        self.found, self.leader, self.rivals, self.tried, self.searched = found, leader, rivals, 0, 0
        self.gaps = {0: 0.0}

    def smallest(self, most: int) -> tuple[int, Ints] | None:
        """A rival, and the rows of the fewest votes without which it is above the leader, at most `most`."""
        model = self.found.model
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
                    before = float(self.found.theta[self.leader] - self.found.theta[rival])
                    self.gaps = {0: before, size: self.gaps[size]}
                    self.searched = size - 1
                    order = _Votes(self.found, self.leader, rival).influence.ravel()
                    return rival, _rows_of(self.found, sorted(gone, key=lambda kind: -order[kind]))
            self.searched = size
        return None

    def _above(self, counts: Floats) -> int | None:
        """The rival that is furthest above the leader with these votes."""
        self.tried += 1
        theta = _refitted(self.found.model, counts, self.found.theta, self.leader)
        if theta is None:
            return None
        gap = theta[self.leader] - theta[self.rivals]
        if not (gap < -1e-9).any():
            return None
        best = int(np.nanargmin(gap))
        self.gaps[int((self.found.model.counts - counts).sum())] = float(gap[best])
        return self.rivals[best]


def _refitted(model: Model, counts: Floats, start: Floats, leader: int) -> Floats | None:
    """Parameters with other numbers of votes; NaN for systems that no votes connect with the leader, since only a prior
    would compare the two. None where there is no fit."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

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
        pairs = coo_array((np.ones(len(first)), (first, second)), shape=(model.systems, model.systems))
        part = connected_components(pairs, directed=False)[1]
        theta[: model.systems][part != part[leader]] = np.nan
        return theta
    return None


def _rows_of(found: Fit, kinds: list[int]) -> Ints:
    """The battles behind kinds of votes, the earliest of each kind."""
    model, battles = found.model, found.battles
    place = np.zeros(model.systems**2, np.int64)
    place[model.first * model.systems + model.second] = np.arange(len(model.first))
    cell = place[battles.first.astype(np.int64) * model.systems + battles.second]
    rows_by_kind = cell * 3 + battles.winner
    rows: list[int] = []
    for kind in dict.fromkeys(kinds):
        rows += np.flatnonzero(rows_by_kind == kind)[: kinds.count(kind)].tolist()
    return np.array(rows, np.int64)
