"""Which ranks could the systems really have, which could be the best, and which tiers do they form?"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from .. import checking
from ..arrays import Floats, Ints
from ..errors import CallError, Option, TauscopeError
from ..files.door import ScoresLike, takes_scores
from ..jobs.draws import INTERVAL_DRAWS
from ..jobs.seeds import Rng, Stream, remembered, stream
from ..reference.rankings import midranks
from ..results import Result, count, number, said, word
from ..scores import Scores
from ..scores.additive import RestsOn
from ..scores.alignment import refuse_clusters
from ..scores.clusters import few_said, sampled
from ..scores.holes import PAIRWISE, settled
from ..significance.corrections import rejected
from ..significance.few_topics import promises_too_much, require_two, too_few_flips
from ..significance.letters import compact_letters
from ..significance.observed import Observed, observed_scores
from ..significance.sign_flips import apart_from_each, exceeded_p, significantly_better
from .from_tests import ranks_from, tiers_of
from .methods.shrunk import Shrunk
from .partial_ranking import Paired
from .true_means import true_means

#: Systems that a chart of the possible bests shows beside them.
MOST_OTHERS = 5


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class RankIntervals(Result):
    """The ranks that each system could really have, best observed system first; `ranks["a"]` are its two limits.

    Parameters
    ----------
    systems : tuple of str
        The systems, the one with the highest observed mean first.
    means : ndarray
        Their observed means.
    rank : ndarray
        Their observed ranks, mid-ranks where means are equal.
    low, high : ndarray
        Their best and worst rank that could be true.
    level : float
        Confidence.
    simultaneous : bool
        Whether all intervals hold at once with that confidence; otherwise each does, taken alone.
    by : {"draws", "tests"}
        How they were found: from draws of the true means, or from tests.
    seed : int
        The seed of what was drawn.
    topics : int
        How many topics there are, or clusters of them.
    clustered : int
        How many topics the clusters have, where whole clusters were taken for independent; else 0.
    cells : ndarray or None
        Where cells are missing, how many topics each system has.
    rests_on : RestsOn or None
        Where cells are missing, how many the pairs rest on.
    """

    systems: tuple[str, ...]
    means: Floats
    rank: Floats
    low: Ints
    high: Ints
    level: float
    simultaneous: bool
    by: str
    seed: int
    topics: int
    clustered: int = 0
    cells: Ints | None = field(default=None, repr=False)
    rests_on: RestsOn | None = field(default=None, repr=False)

    def __getitem__(self, system: str) -> tuple[int, int]:
        if system not in self.systems:
            raise TauscopeError(f"There is no system {system!r} among the {len(self.systems):,}.")
        place = self.systems.index(system)
        return int(self.low[place]), int(self.high[place])

    def lines(self) -> list[str]:
        alone = {"draws": "scaled draws", "tests": "max-t of the comparisons with it, step-down"}[self.by]
        how = said(
            "all systems at once (max-t, step-down)" if self.simultaneous else f"each system taken alone ({alone})"
        )
        shown = "; ".join(
            f"{name} {low}–{high}" for name, low, high in zip(self.systems[:8], self.low, self.high, strict=False)
        )
        if self.rests_on is not None:
            how = said("all systems at once" if self.simultaneous else "each system taken alone")
        last = f"mean width {float((self.high - self.low + 1).mean()):.1f} ranks"
        last += f", seed {self.seed}{self._few()}" if self.rests_on is None else f"; {self.rests_on.line()}"
        return [
            f"Ranks of {count(len(self.systems), 'system')} over {sampled(self.topics, self.clustered)}: "
            f"{self.level * 100:g} % for {how}",
            f"{shown}{'; …' if len(self.systems) > 8 else ''}",
            last,
        ]

    def _few(self) -> str:
        if self.by == "tests":
            return too_few_flips(self.topics, self.level) + few_said(self.topics, self.clustered)
        few = promises_too_much(self.topics, several=True)
        return (f"; {few}" if few else "") + few_said(self.topics, self.clustered)

    def columns(self) -> dict[str, Any]:
        columns = {"mean": self.means, "rank": self.rank, "low": self.low, "high": self.high}
        counted = {} if self.cells is None else {"topics": self.cells}
        return {"system": list(self.systems), **columns, **counted}

    def cited(self) -> tuple[str, ...]:
        return ("mogstad2024",) if self.by == "tests" else ()

    def plot(self) -> Any:
        """One bar per system, from its best to its worst rank."""
        from ..figures import spans

        return spans(self.systems, self.low, self.high, self.rank, x="rank", title=self.lines()[0])


@takes_scores("scores")
def rank_intervals(
    scores: ScoresLike,
    *,
    simultaneous: bool = False,
    by: str | None = None,
    missing: str = "error",
    level: float = 0.95,
    rng: Rng = 0,
) -> RankIntervals:
    """Which ranks could each system really have?

    By tests: from 1 + the systems significantly better to m - those significantly worse. Simultaneous, these are found
    by max-t over all pairs with step-down; taken alone, by max-t over the comparisons with that system only, which
    gives narrower ranks (mogstad2024, theorems 3.1 to 3.3, with flips of signs; step-down as in westfall1993). By
    draws: quantiles of its rank over scaled draws of the true means, which hold on average over systems, but less often
    for those that are truly best. Systems with equal means are never significantly different. Use the simultaneous ones
    to speak of several systems, those taken alone only of a system that was chosen before looking.

    Parameters
    ----------
    scores : Scores, or what read_scores() takes
        One row per topic, one column per system.
    simultaneous : bool, default False
        Whether all intervals hold at once (familywise), or each taken alone.
    by : {"draws", "tests"} or None, default None
        How intervals are found; None is by tests where they are simultaneous, which draws cannot be, else by draws;
        with missing="pairwise" always by tests.
    missing : {"error", "pairwise", "zero", "drop-topics", "drop-systems"}, default "error"
        What a cell without a score means. "pairwise" compares two systems on the topics that both have, by paired
        t-tests with Holm's step-down as `partial_ranking()` does, if cells are missing at random; the others are those
        of `Scores`.
    level : float, default 0.95
        Confidence.
    rng : int, Generator or None, default 0
        Seed of the draws or flips; None takes a fresh one, which the result remembers.

    Returns
    -------
    RankIntervals
        The lowest and the highest rank of each system.

    Raises
    ------
    CallError
        Where something else than `Scores` is given, or draws are asked for all at once.
    TauscopeError
        Where cells are missing, or there are fewer than two systems or topics.

    See Also
    --------
    tiers, best_set : groups of systems.
    partial_ranking : where cells are missing.

    Examples
    --------
    >>> from tauscope import Scores
    >>> scores = Scores([[0.9, 0.5, 0.1], [0.8, 0.6, 0.2], [0.9, 0.4, 0.1], [0.7, 0.5, 0.3], [0.9, 0.5, 0.2]] * 2)
    >>> rank_intervals(scores, simultaneous=True)["2"]
    (2, 2)
    """
    scores = settled(scores, missing, "rank_intervals()", PAIRWISE)
    if scores.has_holes:
        refuse_clusters(scores, "rank_intervals(missing='pairwise')")
        return _pairwise_ranks(scores, bool(simultaneous), by, checking.level(level), remembered(rng))
    observed = observed_scores(scores, "rank_intervals()", clusters=True)
    level, seed = checking.level(level), remembered(rng)
    chosen = checking.one_of(by, ("draws", "tests"), "by") if by is not None else "tests" if simultaneous else "draws"
    if simultaneous and chosen == "draws":
        raise CallError(
            "Draws of the true means give each system a rank interval of its own, not all at once.",
            Option("by", "tests", effect="to have intervals that hold at once"),
        )
    if chosen == "draws":
        low, high = _drawn_ranks(observed, level, seed)
    elif simultaneous:
        low, high = ranks_from(significantly_better(observed, level, seed))
    else:
        apart = apart_from_each(observed, level, seed)
        low, high = 1 + np.tril(apart).sum(axis=1), observed.systems - np.triu(apart).sum(axis=1)
    return RankIntervals(
        systems=tuple(scores.systems[i] for i in observed.order),
        means=observed.means * observed.unit,
        rank=midranks(-observed.means) + 1,
        low=low.astype(np.int64),
        high=high.astype(np.int64),
        level=level,
        simultaneous=bool(simultaneous),
        by=chosen,
        seed=seed,
        topics=observed.topics,
        clustered=observed.clustered,
    )


def _pairwise_ranks(scores: Scores, simultaneous: bool, by: str | None, level: float, seed: int) -> RankIntervals:
    """Where cells are missing: by paired t-tests on the topics that two systems both have."""
    if by is not None and checking.one_of(by, ("draws", "tests"), "by") == "draws":
        raise CallError(
            "Draws of the true means need a score in every cell.",
            Option("by", "tests", effect="to compare pairs on what both have"),
        )
    require_two("rank_intervals()", len(scores.systems), len(scores.topics))
    paired = Paired.of(scores)
    if simultaneous:
        low, high = ranks_from(paired.better(level))
    else:
        apart = paired.apart_from_each(level)
        low = 1 + (apart & (paired.t < 0)).sum(axis=1)
        high = len(paired.names) - (apart & (paired.t > 0)).sum(axis=1)
    return RankIntervals(
        systems=tuple(paired.names),
        means=paired.means * paired.unit,
        rank=midranks(-paired.means) + 1,
        low=low.astype(np.int64),
        high=high.astype(np.int64),
        level=level,
        simultaneous=simultaneous,
        by="tests",
        seed=seed,
        topics=len(scores.topics),
        cells=(~np.isnan(paired.x)).sum(axis=0),
        rests_on=paired.rests_on(),
    )


def _drawn_ranks(observed: Observed, level: float, seed: int) -> tuple[Ints, Ints]:
    best, worst = [], []
    for means in true_means(observed, INTERVAL_DRAWS, stream(seed, Stream.RANKS)):
        ascending = np.sort(means, axis=1)
        for row, line in zip(means, ascending, strict=True):  # identical systems share their ranks
            best.append(observed.systems + 1 - np.searchsorted(line, row, side="right"))
            worst.append(observed.systems - np.searchsorted(line, row, side="left"))
    rest = (1 - level) / 2
    return (
        np.quantile(np.array(best), rest, axis=0, method="lower"),
        np.quantile(np.array(worst), 1 - rest, axis=0, method="higher"),
    )


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class BestSet(Result):
    """The systems that could be the best: the truly best one is among them with confidence `level`.

    `len()` counts them, and `"bm25" in found` looks one up.

    Parameters
    ----------
    systems : tuple of str
        Those that could be the best, the one with the highest observed mean first.
    out_of : int
        How many systems there are.
    level : float
        With which confidence the truly best system is among them.
    seed : int
        The seed of the flips.
    topics : int
        How many topics there are, or clusters of them.
    clustered : int
        How many topics the clusters have, where whole clusters were taken for independent; else 0.
    rests_on : RestsOn or None
        Where cells are missing, how many the pairs rest on.
    """

    systems: tuple[str, ...]
    out_of: int
    level: float
    seed: int
    topics: int
    clustered: int = 0
    rests_on: RestsOn | None = field(default=None, repr=False)
    #: All systems, best observed first, with their means.
    _every: tuple[str, ...] = field(default=(), repr=False)
    _means: Floats = field(default_factory=lambda: np.zeros(0), repr=False)

    def __contains__(self, system: object) -> bool:
        return system in self.systems

    def __len__(self) -> int:
        return len(self.systems)

    def lines(self) -> list[str]:
        shown = ", ".join(self.systems[:10]) + (", …" if len(self.systems) > 10 else "")
        first = f"{count(len(self), 'system')} of {self.out_of:,} could be the best ({self.level * 100:g} %): {shown}"
        if self.rests_on is not None:
            return [first, self.rests_on.line()]
        return [
            first,
            f"one-sided max-t of each {word('system')} against all others over {sampled(self.topics, self.clustered)}, "
            f"seed {self.seed}{too_few_flips(self.topics, self.level, sides=1)}",
        ]

    def columns(self) -> dict[str, Any]:
        return {"system": list(self.systems)}

    def cited(self) -> tuple[str, ...]:
        return ("mogstad2024",)

    def plot(self) -> Any:
        """The means of those that could be the best, and of the first that could not."""
        from ..figures import BLUE, GREY, dots

        last = max(self._every.index(name) for name in self.systems) if self.systems else 0
        shown = slice(0, last + 1 + MOST_OTHERS)
        could = [name in self.systems for name in self._every[shown]]
        return dots(
            self._every[shown],
            self._means[shown],
            groups=["yes" if own else "no" for own in could],
            group="could be the best",
            x="mean",
            title=f"{count(len(self), 'system')} of {self.out_of:,} could be the best ({self.level * 100:g} %)",
            colours=(BLUE, GREY),
        )


@takes_scores("scores")
def best_set(scores: ScoresLike, *, missing: str = "error", level: float = 0.95, rng: Rng = 0) -> BestSet:
    """Which systems could be the best?

    Every system that no other one exceeds by more than chance: by as much as the largest of them comes when signs are
    flipped at random, topic by topic (mogstad2024, with flips). The truly best system is among them with confidence
    `level`, whatever the number of systems, where differences are about symmetric around their mean; a few topics that
    decide all can leave it out more often. Systems with equal means are kept or left out together. Do not use it to
    order the systems in it.

    Parameters
    ----------
    scores : Scores, or what read_scores() takes
        One row per topic, one column per system.
    missing : {"error", "pairwise", "zero", "drop-topics", "drop-systems"}, default "error"
        What a cell without a score means. "pairwise" compares two systems on the topics that both have, by paired
        t-tests with Holm's step-down as `partial_ranking()` does, if cells are missing at random; the others are those
        of `Scores`.
    level : float, default 0.95
        With which confidence the truly best system is among them.
    rng : int, Generator or None, default 0
        Seed of the flips; None takes a fresh one, which the result remembers.

    Returns
    -------
    BestSet
        The systems that could be the best.

    Raises
    ------
    CallError, TauscopeError
        As `rank_intervals()` does.

    Examples
    --------
    >>> from tauscope import Scores
    >>> scores = Scores([[0.9, 0.8, 0.1], [0.8, 0.9, 0.2], [0.9, 0.8, 0.1], [0.7, 0.8, 0.3], [0.9, 0.7, 0.2]] * 2)
    >>> best_set(scores).systems
    ('1', '2')
    """
    scores = settled(scores, missing, "best_set()", PAIRWISE)
    if scores.has_holes:
        refuse_clusters(scores, "best_set(missing='pairwise')")
        require_two("best_set()", len(scores.systems), len(scores.topics))
        paired = Paired.of(scores)
        left = [
            name for name, could in zip(paired.names, paired.not_exceeded(checking.level(level)), strict=True) if could
        ]
        return BestSet(
            systems=tuple(left),
            out_of=len(paired.names),
            level=level,
            seed=remembered(rng),
            topics=len(scores.topics),
            rests_on=paired.rests_on(),
            _every=tuple(paired.names),
            _means=paired.means * paired.unit,
        )
    observed = observed_scores(scores, "best_set()", clusters=True)
    level, seed = checking.level(level), remembered(rng)
    exceeded = rejected(exceeded_p(observed, seed), 1 - level)
    kept = [scores.systems[i] for i, worse in zip(observed.order, exceeded, strict=True) if not worse]
    return BestSet(
        systems=tuple(kept),
        out_of=observed.systems,
        level=level,
        seed=seed,
        topics=observed.topics,
        clustered=observed.clustered,
        _every=tuple(scores.systems[i] for i in observed.order),
        _means=observed.means * observed.unit,
    )


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Tiers(Result):
    """Systems in tiers, best first; `tiers["bm25"]` is the number of a system's tier.

    Parameters
    ----------
    tiers : tuple of tuple of str
        The systems of each tier.
    letters : dict or None
        Where they were asked for, the letters of the overlapping groups of each system (compact letter display).
    level : float
        Confidence.
    seed : int
        The seed of the flips.
    topics : int
        How many topics there are, or clusters of them.
    clustered : int
        How many topics the clusters have, where whole clusters were taken for independent; else 0.
    reversed : float
        Of pairs of systems in different tiers, the share that is expected to be really in the other order.
    rests_on : RestsOn or None
        Where cells are missing, how many the pairs rest on.
    """

    tiers: tuple[tuple[str, ...], ...]
    letters: dict[str, str] | None
    level: float
    seed: int
    topics: int
    reversed: float
    clustered: int = 0
    rests_on: RestsOn | None = field(default=None, repr=False)
    _means: dict[str, float] = field(default_factory=dict, repr=False)

    def __len__(self) -> int:
        return len(self.tiers)

    def __getitem__(self, system: str) -> int:
        for place, tier in enumerate(self.tiers, start=1):
            if system in tier:
                return place
        raise TauscopeError(f"There is no system {system!r} in these tiers.")

    def lines(self) -> list[str]:
        if self.letters is not None:
            shown = "; ".join(f"{name} {letters}" for name, letters in list(self.letters.items())[:8])
            more = "; …" if len(self.letters) > 8 else ""
            first = f"Overlapping groups of {count(len(self.letters), 'system')} over {sampled(self.topics, self.clustered)}"
            return [f"{first}: {shown}{more}", self._how()]
        shown = "; ".join(
            f"{place}: {', '.join(tier[:4])}{', …' if len(tier) > 4 else ''} ({len(tier)})"
            for place, tier in enumerate(self.tiers[:6], start=1)
        )
        first = f"{count(len(self), 'tier')} over {sampled(self.topics, self.clustered)}; {shown}"
        return [first, *([self.statement()] if len(self) > 1 else []), self._how()]

    def statement(self) -> str:
        """What may be said of tiers: less than that everyone in a tier is better than everyone in the next.

        Returns
        -------
        str
            The leaders are better than all below their tier; and how many of the other pairs are in the wrong order.
        """
        wrong = "none" if self.reversed < 0.0005 else f"{number(100 * self.reversed, 1)} %"
        return said(
            "the first of each tier is better than all systems of the tiers below; of all pairs of systems in different "
            f"tiers, about {wrong} are really in the other order"
        )

    def _how(self) -> str:
        if self.rests_on is not None:
            return f"all pairs at once, {self.level * 100:g} %; {self.rests_on.line()}"
        few = too_few_flips(self.topics, self.level) + few_said(self.topics, self.clustered)
        return f"max-t over all pairs with step-down, {self.level * 100:g} %, seed {self.seed}{few}"

    def columns(self) -> dict[str, Any]:
        rows = [(name, place) for place, tier in enumerate(self.tiers, start=1) for name in tier]
        columns: dict[str, Any] = {"system": [name for name, _ in rows], "tier": [place for _, place in rows]}
        if self.letters is not None:
            columns["letters"] = [self.letters[name] for name, _ in rows]
        return columns

    def cited(self) -> tuple[str, ...]:
        return ("mogstad2024", *(("piepho2004",) if self.letters is not None else ()))

    def plot(self) -> Any:
        """The means of the systems, tier by tier, each tier in its colour."""
        from ..figures import PALETTE, dots

        columns = self.columns()
        return dots(
            columns["system"],
            [self._means[name] for name in columns["system"]],
            groups=[str(tier) for tier in columns["tier"]],
            group="tier",
            x="mean",
            title=f"{count(len(columns['system']), 'system')} in {count(len(self), 'tier')} ({self.level * 100:g} %)",
            colours=PALETTE,
        )


@takes_scores("scores")
def tiers(
    scores: ScoresLike, *, letters: bool = False, missing: str = "error", level: float = 0.95, rng: Rng = 0
) -> Tiers:
    """Which systems belong together, because the data do not tell them apart?

    Tier 1 is the leader and all that are not significantly worse than it (max-t over all pairs, step-down); the best of
    the others leads tier 2, and so on. So the first of a tier is better than all systems of the tiers below, but not
    everyone in a tier is better than everyone in the next: the result says how many such pairs are expected to be in
    the other order, by the swap probabilities of `Shrunk()`. Systems with equal means are never significantly
    different. Do not take systems of one tier for equal: the data do not tell them apart.

    Parameters
    ----------
    scores : Scores, or what read_scores() takes
        One row per topic, one column per system.
    letters : bool, default False
        Whether every system gets the letters of the overlapping groups it belongs to (compact letter display): two
        systems share a letter if and only if they are not told apart (piepho2004).
    missing : {"error", "pairwise", "zero", "drop-topics", "drop-systems"}, default "error"
        What a cell without a score means. "pairwise" compares two systems on the topics that both have, by paired
        t-tests with Holm's step-down as `partial_ranking()` does, if cells are missing at random; the others are those
        of `Scores`.
    level : float, default 0.95
        Confidence: no two systems are wrongly called different but with probability 1 - level (familywise error).
    rng : int, Generator or None, default 0
        Seed of the flips; None takes a fresh one, which the result remembers.

    Returns
    -------
    Tiers
        The systems of each tier, and the letters where they were asked for.

    Raises
    ------
    CallError, TauscopeError
        As `rank_intervals()` and `best_set()` do.

    Examples
    --------
    >>> from tauscope import Scores
    >>> scores = Scores([[0.9, 0.8, 0.1], [0.8, 0.9, 0.2], [0.9, 0.8, 0.1], [0.7, 0.8, 0.3], [0.9, 0.7, 0.2]] * 2)
    >>> found = tiers(scores, letters=True)
    >>> found.tiers, found.letters
    ((('1', '2'), ('3',)), {'1': 'a', '2': 'a', '3': 'b'})
    """
    scores = settled(scores, missing, "tiers()", PAIRWISE)
    if scores.has_holes:
        refuse_clusters(scores, "tiers(missing='pairwise')")
        return _pairwise_tiers(scores, letters, checking.level(level), remembered(rng))
    observed = observed_scores(scores, "tiers()", clusters=True)
    level, seed = checking.level(level), remembered(rng)
    better = significantly_better(observed, level, seed)
    names = [scores.systems[i] for i in observed.order]
    marks = compact_letters(better, names) if letters else None
    found = tiers_of(better, names)
    return Tiers(
        tiers=found,
        letters=marks,
        level=level,
        seed=seed,
        topics=observed.topics,
        clustered=observed.clustered,
        reversed=_reversed(observed.pairs, lambda: Shrunk().swaps(observed), found, names),
        _means=dict(zip(names, (observed.means * observed.unit).tolist(), strict=True)),
    )


def _pairwise_tiers(scores: Scores, letters: bool, level: float, seed: int) -> Tiers:
    """Where cells are missing: by paired t-tests on the topics that two systems both have."""
    require_two("tiers()", len(scores.systems), len(scores.topics))
    paired = Paired.of(scores)
    better = paired.better(level)
    found = tiers_of(better, paired.names)
    pairs = np.triu_indices(len(paired.names), 1)
    return Tiers(
        tiers=found,
        letters=compact_letters(better, paired.names) if letters else None,
        level=level,
        seed=seed,
        topics=len(scores.topics),
        reversed=_reversed(pairs, lambda: paired.swaps()[pairs], found, paired.names),
        rests_on=paired.rests_on(),
        _means=dict(zip(paired.names, (paired.means * paired.unit).tolist(), strict=True)),
    )


def _reversed(
    pairs: tuple[Ints, Ints], swaps_of: Callable[[], Floats], found: tuple[tuple[str, ...], ...], names: list[str]
) -> float:
    """Of pairs of systems in different tiers, the expected share that is in the other order; 0 where there are none."""
    tier = {name: number for number, own in enumerate(found) for name in own}
    place = np.array([tier[name] for name in names])
    first, second = pairs
    across = place[first] != place[second]
    if not across.any():
        return 0.0
    swaps = swaps_of()
    # A system that was not told apart from the leader stands in its tier, even below others that were.
    return float(np.nanmean(np.where(place[first] < place[second], swaps, 1 - swaps)[across]))
