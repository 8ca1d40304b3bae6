"""Which ranks could the systems really have, which could be the best, and which tiers do they form?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from .. import checking
from ..arrays import Bools, Floats, Ints
from ..errors import CallError, TauscopeError
from ..jobs.seeds import Rng, Stream, remembered, stream
from ..reference.rankings import midranks
from ..results import Result, count, said, word
from ..scores import Scores
from ..significance.observed import Observed
from ..significance.sign_flips import exceeded_p, significantly_better
from .intervals import FEW_TOPICS, INTERVAL_DRAWS
from .true_means import true_means


def _too_few(topics: int, level: float, sides: int = 2) -> str:
    """n topics have 2^n patterns of signs: with fewer than 2/(1 - level) of them nothing can be significant."""
    few = sides * 2.0**-topics > 1 - level
    return f"; {count(topics, 'topic')} are too few: nothing can be significant" if few else ""


def _hardly_enough(topics: int) -> str:
    few = topics < FEW_TOPICS
    return f"; with {count(topics, 'topic')} these intervals hold less often than they say" if few else ""


@dataclass(frozen=True, eq=False, repr=False)
class RankIntervals(Result):
    """The ranks that each system could really have, best observed system first.

    `simultaneous`: all intervals hold at once with confidence `level`; otherwise each does, taken alone.
    """

    systems: tuple[str, ...]
    means: Floats
    rank: Floats
    low: Ints
    high: Ints
    level: float
    simultaneous: bool
    seed: int
    topics: int

    def __getitem__(self, system: str) -> tuple[int, int]:
        if system not in self.systems:
            raise TauscopeError(f"There is no system {system!r} among the {len(self.systems):,}.")
        place = self.systems.index(system)
        return int(self.low[place]), int(self.high[place])

    def lines(self) -> list[str]:
        how = said(
            "all systems at once (max-t, step-down)" if self.simultaneous else "each system taken alone (scaled draws)"
        )
        shown = "; ".join(
            f"{name} {low}–{high}" for name, low, high in zip(self.systems[:8], self.low, self.high, strict=False)
        )
        return [
            f"Ranks of {count(len(self.systems), 'system')} over {count(self.topics, 'topic')}: {self.level * 100:g} % for {how}",
            f"{shown}{'; …' if len(self.systems) > 8 else ''}",
            f"mean width {float((self.high - self.low + 1).mean()):.1f} ranks, seed {self.seed}{self._few()}",
        ]

    def _few(self) -> str:
        return _too_few(self.topics, self.level) if self.simultaneous else _hardly_enough(self.topics)

    def columns(self) -> dict[str, Any]:
        return {"system": list(self.systems), "mean": self.means, "rank": self.rank, "low": self.low, "high": self.high}

    def cited(self) -> tuple[str, ...]:
        return ("mogstad2024",) if self.simultaneous else ()

    def plot(self) -> Any:
        """One bar a system, from its best to its worst rank."""
        from ..figures import spans

        return spans(self.systems, self.low, self.high, self.rank, x="rank", title=self.lines()[0])


def rank_intervals(scores: Scores, *, simultaneous: bool = False, level: float = 0.95, rng: Rng = 0) -> RankIntervals:
    """Which ranks could each system really have?

    Taken alone: quantiles of its rank over scaled draws of the true means. Simultaneous: from 1 + the systems significantly
    better to m - those significantly worse, by max-t over all pairs with step-down (mogstad2024). Use the latter to speak of
    several systems, the former of one that was chosen before looking.
    """
    observed = _observed(scores, "rank_intervals()")
    checking.level(level)
    seed = remembered(rng)
    m = observed.systems
    if simultaneous:
        better = significantly_better(observed, level, seed)
        low, high = 1 + better.sum(axis=0), m - better.sum(axis=1)
    else:
        low, high = _drawn_ranks(observed, level, seed)
    names = tuple(scores.systems[i] for i in observed.order)
    return RankIntervals(names, observed.means * observed.unit, midranks(-observed.means) + 1, low.astype(np.int64),
                         high.astype(np.int64), level, simultaneous, seed, observed.topics)  # fmt: skip


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


@dataclass(frozen=True, eq=False, repr=False)
class BestSet(Result):
    """The systems that could be the best: contains the truly best one with confidence `level`."""

    systems: tuple[str, ...]
    out_of: int
    level: float
    seed: int
    topics: int

    def __len__(self) -> int:
        return len(self.systems)

    def __contains__(self, system: object) -> bool:
        return system in self.systems

    def lines(self) -> list[str]:
        shown = ", ".join(self.systems[:10]) + (", …" if len(self.systems) > 10 else "")
        return [
            f"{count(len(self), 'system')} of {self.out_of:,} could be the best ({self.level * 100:g} %): {shown}",
            f"one-sided max-t of each {word('system')} against all others over {count(self.topics, 'topic')}, seed {self.seed}{_too_few(self.topics, self.level, sides=1)}",
        ]

    def columns(self) -> dict[str, Any]:
        return {"system": list(self.systems)}

    def cited(self) -> tuple[str, ...]:
        return ("mogstad2024",)

    def plot(self) -> Any:
        """The systems in their order."""
        from ..figures import bars

        places = np.arange(1.0, len(self) + 1)
        return bars(
            places, np.ones(len(self)), self.systems, x="observed rank", y="could be the best", title=self.lines()[0]
        )


def best_set(scores: Scores, *, level: float = 0.95, rng: Rng = 0) -> BestSet:
    """Which systems could be the best?

    Every system that no other one exceeds by more than chance: by as much as the largest of them comes when signs are flipped at
    random, topic by topic. The truly best system is among them with confidence `level`, whatever the number
    of systems, where differences are about symmetric around their mean; a few topics that decide all can leave it out more often.
    """
    observed = _observed(scores, "best_set()")
    seed = remembered(rng)
    checking.level(level)
    p = exceeded_p(observed, seed)
    kept = [scores.systems[i] for i, own in zip(observed.order, p, strict=True) if own >= 1 - level]
    return BestSet(tuple(kept), observed.systems, level, seed, observed.topics)


@dataclass(frozen=True, eq=False, repr=False)
class Tiers(Result):
    """Systems in tiers, best first; `letters`, where they were asked for, are those of groups that overlap."""

    tiers: tuple[tuple[str, ...], ...]
    letters: dict[str, str] | None
    level: float
    seed: int
    topics: int

    def __len__(self) -> int:
        return len(self.tiers)

    def __getitem__(self, system: str) -> int:
        for number, tier in enumerate(self.tiers, start=1):
            if system in tier:
                return number
        raise TauscopeError(f"There is no system {system!r} in these tiers.")

    def lines(self) -> list[str]:
        if self.letters is not None:
            shown = "; ".join(f"{name} {letters}" for name, letters in list(self.letters.items())[:8])
            more = "; …" if len(self.letters) > 8 else ""
            first = f"Overlapping groups of {count(len(self.letters), 'system')} over {count(self.topics, 'topic')}"
            return [f"{first}: {shown}{more}", self._how()]
        shown = "; ".join(
            f"{number}: {', '.join(tier[:4])}{', …' if len(tier) > 4 else ''} ({len(tier)})"
            for number, tier in enumerate(self.tiers[:6], start=1)
        )
        return [f"{count(len(self), 'tier')} over {count(self.topics, 'topic')}; {shown}", self._how()]

    def _how(self) -> str:
        return f"max-t over all pairs with step-down, {self.level * 100:g} %, seed {self.seed}{_too_few(self.topics, self.level)}"

    def columns(self) -> dict[str, Any]:
        rows = [(name, number) for number, tier in enumerate(self.tiers, start=1) for name in tier]
        columns: dict[str, Any] = {"system": [name for name, _ in rows], "tier": [number for _, number in rows]}
        if self.letters is not None:
            columns["letters"] = [self.letters[name] for name, _ in rows]
        return columns

    def cited(self) -> tuple[str, ...]:
        return ("mogstad2024",)

    def plot(self) -> Any:
        """Systems in order, tier by tier."""
        from ..figures import bars

        columns = self.columns()
        return bars(np.arange(1.0, len(columns["system"]) + 1), np.array(columns["tier"], float), columns["system"],
                    x="observed rank", y="tier", title=self.lines()[0])  # fmt: skip


def tiers(scores: Scores, *, letters: bool = False, level: float = 0.95, rng: Rng = 0) -> Tiers:
    """Which systems belong together, because the data do not tell them apart?

    Tier 1 is the leader and all that are not significantly worse than it (max-t over all pairs, step-down); the best of the
    others leads tier 2, and so on. `letters` gives every system the letters of the overlapping groups it belongs to, runs of
    the ranking: two systems share none where they, and all pairs that lie further apart, differ significantly.
    """
    observed = _observed(scores, "tiers()")
    seed = remembered(rng)
    better = significantly_better(observed, checking.level(level), seed)
    names = [scores.systems[i] for i in observed.order]
    left, found = list(range(observed.systems)), []
    while left:
        worse = better[left[0]]
        found.append(tuple(names[i] for i in left if not worse[i]))
        left = [i for i in left if worse[i]]
    marks = group_letters(in_order(better), names) if letters else None
    return Tiers(tuple(found), marks, level, seed, observed.topics)


def group_letters(better: Bools, names: list[str]) -> dict[str, str]:
    """Letters of the longest runs of systems without a difference, a for the one of the best."""
    groups: list[range] = []
    for first in range(len(names)):
        apart = np.flatnonzero(better[first])
        stop = int(apart[0]) if apart.size else len(names)
        if not groups or stop > groups[-1].stop:
            groups.append(range(first, stop))
    marks: dict[str, list[str]] = {name: [] for name in names}
    for number, group in enumerate(groups):
        for system in group:
            marks[names[system]].append(_letter(number))
    return {name: ("" if len(groups) <= 26 else " ").join(own) for name, own in marks.items()}


def in_order(better: Bools) -> Bools:
    """Only the differences for which all pairs that lie further apart differ too, so that groups are runs of ranks."""
    down = np.logical_and.accumulate(better, axis=0)
    return np.asarray(np.logical_and.accumulate(down[:, ::-1], axis=1)[:, ::-1])


def _letter(number: int) -> str:
    return chr(97 + number) if number < 26 else _letter(number // 26 - 1) + chr(97 + number % 26)


def _observed(scores: Scores, what: str) -> Observed:
    if not isinstance(scores, Scores):
        raise CallError(f"{what} takes Scores, topics x systems, not {type(scores).__name__}.")
    scores.require_complete(what)
    observed = Observed.of(scores.values)
    if observed.systems < 2 or observed.topics < 2:
        raise TauscopeError(
            f"{what} needs at least two systems and two topics; there are {observed.systems} and {observed.topics}."
        )
    return observed
