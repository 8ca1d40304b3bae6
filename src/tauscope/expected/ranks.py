"""Which ranks could the systems really have?"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from .. import checking, papers
from ..arrays import Floats, Ints
from ..errors import CallError, Option, TauscopeError
from ..files.door import ScoresLike, takes_scores
from ..inference.few_topics import promises_too_much, too_few_flips
from ..inference.observed import Observed, observed_scores
from ..inference.sign_flips import apart_from_each, flips_said, significantly_better
from ..jobs.draws import INTERVAL_DRAWS
from ..jobs.seeds import Rng, Stream, remembered, stream
from ..reference.rankings import midranks
from ..results import Result, count, said, word
from ..scores import Scores
from ..scores.additive import RestsOn
from ..scores.clusters import few_said, sampled
from ..scores.holes import PAIRWISE, settled
from .from_tests import ranks_from
from .paired import paired_scores
from .true_means import true_means


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class RankIntervals(Result):
    """The ranks that each system could really have, best observed system first; `ranks["a"]` are its two limits.

    Parameters
    ----------
    systems : tuple of str
        The systems, the one with the best observed mean first.
    means : ndarray
        Their observed means, as they are in the source, also where lower is better.
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

    def methods_sentence(self) -> str:
        """The sentence a paper needs: how wide the ranks are, for which systems at once, and how they were found.

        Returns
        -------
        str
            One sentence, with the level, the draws or flips and the seed.
        """
        low, high, mean = int(self.low[0]), int(self.high[0]), float((self.high - self.low + 1).mean())
        which = f"all {word('systems')} at once" if self.simultaneous else f"each {word('system')} taken alone"
        return (
            f"The true ranks of {count(len(self.systems), 'system')} over {sampled(self.topics, self.clustered)} have "
            f"{self.level * 100:g} % intervals for {which}, {mean:.1f} ranks wide on average ({self.systems[0]}, the "
            f"best observed, {low} to {high}), by {self._found_by()}."
        )

    def _found_by(self) -> str:
        """How, for a sentence: what was drawn or tested, and what few topics do to it."""
        if self.by == "draws":
            return said(f"{INTERVAL_DRAWS:,} scaled draws of the true means (seed {self.seed}{self._few()})")
        tested = "all pairs" if self.simultaneous else said("the comparisons with that system")
        how = (
            f"max-t with step-down, {flips_said(self.topics, self.seed)}{self._few()}"
            if self.rests_on is None
            else self.rests_on.line()
        )
        return f"tests of {tested} ({how}; after {papers.short('mogstad2024')})"

    def _few(self) -> str:
        if self.by == "tests":
            return too_few_flips(self.topics, self.level) + few_said(self.topics, self.clustered)
        few = promises_too_much(self.topics, several=True)
        average = (
            f"marginal intervals by draws hold on average over {word('systems')}, and less often for the best of close "
            "ones"
        )
        return "".join(f"; {text}" for text in (few, average) if text) + few_said(self.topics, self.clustered)

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
    gives narrower ranks (after mogstad2024, with flips of signs; step-down as in westfall1993; t counts for less where
    differences are skewed, `tauscope.inference.caution`). By draws: quantiles of its rank over scaled draws of the
    true means, which hold on average over systems, but less often for those that are truly best. Systems with equal
    means are never significantly different. Use the simultaneous ones to speak of several systems, those by tests taken
    alone of one system that was chosen before looking.

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
        t-tests with Holm's step-down as `partial_ranking()` does, if missing has nothing to do with how the two differ;
        the others are those of `Scores`.
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
        means=scores.as_read(observed.means * observed.unit),
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
    paired = paired_scores(scores, "rank_intervals")
    if simultaneous:
        low, high = ranks_from(paired.better(level))
    else:
        apart = paired.apart_from_each(level)
        low = 1 + (apart & (paired.t < 0)).sum(axis=1)
        high = len(paired.names) - (apart & (paired.t > 0)).sum(axis=1)
    return RankIntervals(
        systems=tuple(paired.names),
        means=scores.as_read(paired.means * paired.unit),
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
    drawn = [_shared_ranks(means) for means in true_means(observed, INTERVAL_DRAWS, stream(seed, Stream.RANKS))]
    best, worst = (np.concatenate(side) for side in zip(*drawn, strict=True))
    rest = (1 - level) / 2
    return (
        np.quantile(best, rest, axis=0, method="lower"),
        np.quantile(worst, 1 - rest, axis=0, method="higher"),
    )


def _shared_ranks(means: Floats) -> tuple[Ints, Ints]:
    """The best and the worst rank of each system, row by row: systems with equal means share theirs."""
    order = np.argsort(-means, axis=1)
    falling = np.take_along_axis(means, order, axis=1)
    place = np.arange(1, means.shape[1] + 1)
    opens = np.ones(means.shape, bool)
    opens[:, 1:] = falling[:, 1:] != falling[:, :-1]
    closes = np.ones(means.shape, bool)
    closes[:, :-1] = opens[:, 1:]
    first = np.maximum.accumulate(np.where(opens, place, 0), axis=1)
    last = np.minimum.accumulate(np.where(closes, place, len(place))[:, ::-1], axis=1)[:, ::-1]
    best, worst = np.empty_like(order), np.empty_like(order)
    np.put_along_axis(best, order, first, axis=1)
    np.put_along_axis(worst, order, last, axis=1)
    return best, worst
