"""`fewest_removals()`: how few topics, tasks or votes decide who is first?"""

from __future__ import annotations

from dataclasses import dataclass, field
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
        Whether no smaller set does it; otherwise it is the smallest that was tried.
    rule : str
        How systems were ranked.
    asked : bool
        Whether the two were given.
    tried : int
        How many sets were tried by fitting again.
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
        found = (
            "no smaller set does it"
            if self.exact
            else f"the smallest of {count(self.tried, 'set')} tried by fitting again"
        )
        return [
            f"{what} only with {count(len(self.removed), self.kind)} of {self.out_of:,} ({self.share * 100:.2g} %): "
            f"without {names} {self.rival} is above it",
            f"{self.rule}; {found}",
        ]

    def methods_sentence(self) -> str:
        """The sentence a paper needs: how few topics or battles decide who is above whom.

        Returns
        -------
        str
            One sentence, with how they were found.
        """
        what = f"{self.leader} stays above {self.rival}" if self.asked else f"{self.leader} stays first"
        if self.undefined_because is not None:
            within = "whatever is left out of" if self.exact else "in a search among subsets of"
            return f"{what} {within} {count(self.out_of, self.kind)}: {self.undefined_because}."
        found = (
            "no smaller set does it"
            if self.exact
            else f"the smallest of {count(self.tried, 'set')} tried by fitting again"
        )
        return (
            f"Without {count(len(self), self.kind)} of {self.out_of:,} ({self.share * 100:.2g} %) {self.rival} would be above "
            f"{self.leader}, which stands {'above it' if self.asked else 'first'} ({self.rule}; {found})."
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
    shortest start of that order that changes the two when strengths are fitted again, which is always tried, but a
    smaller set may exist. A tie is not a change of places. Do not read it as a test: a leader can be robust and not
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
    kind, how = "battle", f"Bradley-Terry strengths, ties {ties}"
    shared: dict[str, Any] = {
        "kind": kind,
        "leader": systems[leader],
        "out_of": len(battles),
        "exact": False,
        "rule": how,
        "asked": above is not None,
        "tried": tried,
    }
    if best is None:
        name = systems[rivals[0]] if above is not None else "any other"
        why = f"no set found that puts {name} above it, among {count(tried, 'set')} tried by fitting again"
        return FewestRemovals(rival=name, removed=(), undefined_because=why, **shared)
    rival, rows = best
    kept = np.flatnonzero(battles.winner != 2) if ties == "drop" else np.arange(len(battles))
    names = tuple(str(kept[row] + 1) for row in rows)
    shared |= {"_left_out": tuple(gaps), "_gaps": tuple(gaps.values())}
    return FewestRemovals(rival=systems[rival], removed=names, **shared)


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
        met = counts.sum(axis=1) > 0
        if not met.any():
            return False
        theta = None
        # A system that won all its remaining battles has no finite strength: a prior of next to nothing orders it.
        for prior in (model.prior, max(model.prior, _NEXT_TO_NOTHING)):
            less = Model(model.first[met], model.second[met], counts[met], model.systems, model.davidson, False, prior)
            try:
                theta = maximise(less, self.start)
                break
            except (Diverged, np.linalg.LinAlgError):
                continue
        if theta is None:
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
        """The battles behind the most influential kinds of votes, the earliest of each kind."""
        model, battles = self.found.model, self.found.battles
        place = np.zeros(model.systems**2, np.int64)
        place[model.first * model.systems + model.second] = np.arange(len(model.first))
        cell = place[battles.first.astype(np.int64) * model.systems + battles.second]
        kind = cell * 3 + battles.winner
        rows: list[int] = []
        for own, available in zip(self.kinds, self.available, strict=True):
            wanted = min(int(available), number - len(rows))
            rows += np.flatnonzero(kind == own)[:wanted].tolist()
            if len(rows) == number:
                break
        return np.array(rows, np.int64)
