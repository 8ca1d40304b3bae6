"""`BoardRanks`: what one may print beside a score that has an error: ranks, tiers, letters, neighbours, the possible
bests."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from .. import checking, kernels, papers
from ..arrays import Bools, Floats, Ints
from ..coefficients.unweighted import TAU_A
from ..errors import TauscopeError
from ..inference.letters import compact_letters
from ..jobs.draws import TRUTH_DRAWS, error_draws
from ..jobs.seeds import Rng, remembered
from ..reference.rankings import midranks
from ..results import Result, count, fields_of, number, word
from ..scores.labels import place_of
from . import normal_scores as normal
from .from_tests import statement_of, tiers_of
from .intervals import CorrelationDraws
from .normal_scores import NormalScores
from .topics_needed import enlarged_collection

#: Boards with more than so many times the votes are not thought about.
MOST_TIMES = 1e6


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class BoardRanks(Result):
    """The ranks that each system of a board could really have, and all else that one may print beside a score.

    Attributes
    ----------
    systems : tuple of str
        Best observed first.
    scores, errors : array
        Estimates, as they are in the source, also where lower is better, and their standard errors.
    rank : array
        Observed ranks; ties share theirs.
    low, high : array
        Limits of the ranks that hold for all systems at once.
    alone_low, alone_high : array
        Limits that hold for each system taken alone: one that was chosen before looking.
    tiers : tuple of tuples
        The leader and all not significantly worse, then the same of the others.
    letters : dict
        Letters of overlapping groups (compact letter display).
    best : tuple of str
        Systems that could be the best.
    neighbour_p : array
        p-values of each system and the next one below, each pair taken alone.
    neighbour_apart : array of bool
        Whether the two differ with all pairs of systems tested at once.
    expected_tau : float
        The expected tau of the observed ranking with the true one.
    tau_interval : pair of float
        Its limits.
    reliability : float
        Which share of the spread of the estimates is real.
    level : float
        The confidence.
    seed : int
        The seed of the random numbers.
    draws : int
        Draws of the errors behind the ranks.
    about : str
        What the scores are.
    assumes : str
        What their errors are taken to be.
    votes : int or None
        Votes or items behind the board, where they are known.
    """

    systems: tuple[str, ...]
    scores: Floats
    errors: Floats
    rank: Floats
    low: Ints
    high: Ints
    alone_low: Ints
    alone_high: Ints
    tiers: tuple[tuple[str, ...], ...]
    letters: dict[str, str]
    best: tuple[str, ...]
    neighbour_p: Floats
    neighbour_apart: Bools
    expected_tau: float
    tau_interval: tuple[float, float]
    reliability: float
    level: float
    seed: int
    draws: int
    about: str
    assumes: str
    votes: int | None = None
    _normal: NormalScores
    _better: Bools

    def __len__(self) -> int:
        """The number of systems."""
        return len(self.systems)

    def __getitem__(self, system: str) -> tuple[int, int]:
        """The ranks that a system could have, with those of all others right at once."""
        place = place_of(system, self.systems)
        return int(self.low[place]), int(self.high[place])

    @property
    def told_apart(self) -> int:
        """How many of the neighbouring pairs differ significantly, each pair taken alone."""
        return int((self.neighbour_p < 1 - self.level).sum())

    @property
    def told_apart_at_once(self) -> int:
        """How many of the neighbouring pairs differ significantly with all pairs of systems tested at once."""
        return int(self.neighbour_apart.sum())

    @cached_property
    def tier(self) -> dict[str, int]:
        """The number of each system's tier."""
        return {system: place for place, tier in enumerate(self.tiers, start=1) for system in tier}

    @cached_property
    def reversed(self) -> float:
        """Of pairs of systems in different tiers, the share that is expected to be really in the other order; 0 where
        there is one tier."""
        first, second = np.triu_indices(len(self), 1)
        place = np.array([self.tier[system] for system in self.systems])
        chance = normal.swap_chances(self._normal)
        wrong = np.where(place[first] < place[second], chance, 1 - chance)[place[first] != place[second]]
        return float(wrong.mean()) if wrong.size else 0.0

    def statement(self) -> str:
        """What may be said of the tiers: less than that everyone in a tier is better than everyone in the next.

        Returns
        -------
        str
            The leaders are better than all below their tier; and how many of the other pairs are in the wrong order.
        """
        return statement_of(self.reversed)

    def with_contiguous_tiers(self) -> BoardRanks:
        """The same with tiers that follow the ranking, as `tiers(contiguous=True)` makes them.

        Returns
        -------
        BoardRanks
            Each tier ends at the last system that is not told apart from its first.
        """
        return replace(self, tiers=tiers_of(self._better, self.systems, contiguous=True))

    def times_needed(self, expected_tau: float = 0.9) -> float:
        """How many times the votes, or items, of this board would give an expected tau of this much?

        New ones are added to those there are, spread over the systems as those are. The chance that a pair is then in
        the wrong order is that of `expected_correlation(…).topics_needed()`, with gaps shrunk by the reliability.

        Parameters
        ----------
        expected_tau : float
            The expected tau of the ranking with the true one that is wanted.

        Returns
        -------
        float
            1 where this board has it already; infinite where a million times as many would not be enough.
        """
        goal = checking.number(expected_tau, "expected_tau", above=-1, below=1)
        scores = self._normal
        first, second = np.triu_indices(scores.size, 1)
        ratio = scores.statistics[first, second]
        ratio, terms = np.where(np.isinf(ratio), 1e6, ratio), scores.terms(first, second)

        def tau(times: float) -> float:
            parts = ((weight * enlarged_collection(ratio, 1, g, times)).mean() for weight, g in terms)
            return 1 - 2 * float(sum(parts))

        if tau(1.0) >= goal:
            return 1.0
        if tau(MOST_TIMES) < goal:
            return math.inf
        low, high = 0.0, math.log(MOST_TIMES)
        while high - low > 1e-4:
            middle = (low + high) / 2
            low, high = (low, middle) if tau(math.exp(middle)) >= goal else (middle, high)
        return math.exp(high)

    def votes_needed(self, expected_tau: float = 0.9) -> float:
        """How many votes, those there are among them, would give an expected tau of this much?

        Parameters
        ----------
        expected_tau : float
            As in `times_needed()`, which this multiplies by the votes there are.

        Returns
        -------
        float
            A whole number, or infinite; NaN where the board does not tell its number of votes.
        """
        return math.nan if self.votes is None else float(np.ceil(self.times_needed(expected_tau) * self.votes))

    def lines(self) -> list[str]:
        """Ranks of the first systems, what neighbours and tiers there are, and what the errors are taken to be."""
        shown = "; ".join(f"{s} {a}–{b}" for s, a, b in zip(self.systems[:8], self.low, self.high, strict=False))
        low, high = self.tau_interval
        pairs = len(self) - 1
        return [
            f"Ranks of {count(len(self), 'system')} by {self.about}, {self.level * 100:g} % for all at once: {shown}"
            f"{'; …' if len(self) > 8 else ''}",
            f"{self.told_apart:,} of {count(pairs, 'pair')} of neighbours told apart taken alone, "
            f"{self.told_apart_at_once:,} at once; {count(len(self.tiers), 'tier')}; {len(self.best):,} could be the "
            "best; "
            f"E[tau] = {number(self.expected_tau)} [{number(low)}, {number(high)}]",
            f"{self.assumes}; max-t with step-down, {self.draws:,} draws, seed {self.seed}",
        ]

    def methods_sentence(self) -> str:
        """The sentence a paper needs: how far ranks, tiers and the best are known, and what that takes for granted.

        Returns
        -------
        str
            One sentence, with the level, the draws and the seed.
        """
        low, high = self.tau_interval
        width, level = float((self.high - self.low + 1).mean()), f"{self.level * 100:g} %"
        return (
            f"The true ranks of {count(len(self), 'system')} by {self.about} have {level} intervals for all "
            f"{word('systems')} at once, {width:.1f} ranks wide on average; there are "
            f"{count(len(self.tiers), 'tier')}, {len(self.best):,} could be the best, {self.told_apart:,} of "
            f"{count(len(self) - 1, 'pair')} of neighbours are told apart taken alone and {self.told_apart_at_once:,} "
            f"at once, and the expected tau with the true ranking is {number(self.expected_tau)} ({level} interval "
            f"{number(low)} to {number(high)}, {TRUTH_DRAWS:,} draws of true scores) ({self.assumes}; max-t with "
            f"step-down, {self.draws:,} draws of errors, seed {self.seed}; after {papers.short('mogstad2024')} and "
            f"{papers.short('urbano2016')})."
        )

    def columns(self) -> dict[str, Any]:
        """One row per system."""
        return {
            "system": list(self.systems),
            "score": self.scores,
            "error": self.errors,
            **fields_of(self, "rank", "low", "high", "alone_low", "alone_high"),
            "tier": [self.tier[system] for system in self.systems],
            "letters": [self.letters[system] for system in self.systems],
            "could_be_best": [system in self.best for system in self.systems],
            "p_to_next": [*self.neighbour_p, math.nan],
        }

    def cited(self) -> tuple[str, ...]:
        """Whose methods these are."""
        return ("mogstad2024", "urbano2016")

    def plot(self) -> Any:
        """One bar per system, from its best to its worst rank, in the colours of the tiers."""
        from ..figures import spans

        groups = [f"tier {self.tier[system]}" for system in self.systems]
        return spans(
            self.systems, self.low, self.high, self.rank, x="rank", title=self._title(), groups=groups, group="tier"
        )

    def _title(self) -> str:
        return f"Ranks of {count(len(self), 'system')} by {self.about}, {self.level * 100:g} % for all at once"


def board_ranks(
    scores: NormalScores, *, level: float, rng: Rng, about: str, assumes: str, votes: int | None = None
) -> BoardRanks:
    """The ranks of estimates with a covariance."""
    checking.level(level)
    seed = remembered(rng)
    m = scores.size
    if m < 2:
        raise TauscopeError(f"A board needs at least two {word('systems')}; there is {m}.")
    better = normal.better(scores, level, seed)
    alone_low, alone_high, kept = normal.taken_alone(scores, level, seed)
    names = list(scores.systems)
    expected = 1 - 2 * float(normal.swap_chances(scores).mean())
    return BoardRanks(
        systems=scores.systems,
        scores=scores.as_read,
        errors=np.sqrt(np.diagonal(scores.covariance)),
        rank=midranks(-scores.estimates) + 1,
        low=1 + better.sum(axis=0),
        high=m - better.sum(axis=1),
        alone_low=alone_low,
        alone_high=alone_high,
        tiers=tiers_of(better, names),
        letters=compact_letters(better, names),
        best=tuple(name for name, own in zip(names, kept, strict=True) if own),
        neighbour_p=normal.neighbour_p(scores),
        neighbour_apart=np.diagonal(better, 1).copy(),
        expected_tau=expected,
        tau_interval=_tau_interval(scores, expected, level, seed),
        level=level,
        seed=seed,
        draws=error_draws(m),
        reliability=scores.reliability,
        about=about,
        assumes=assumes,
        votes=votes,
        _normal=scores,
        _better=better,
    )


def _tau_interval(scores: NormalScores, expected: float, level: float, seed: int) -> tuple[float, float]:
    """Quantiles of drawn values, as far as the expected one: few draws may all have the same."""
    truths, lower, upper = normal.truths_for_limits(scores, seed, TRUTH_DRAWS)
    rows = np.ascontiguousarray(np.broadcast_to(scores.estimates, truths.shape))
    values = kernels.batch(TAU_A, rows, np.ascontiguousarray(truths))[0]
    drawn = CorrelationDraws(values=values, lower=lower, upper=upper, undefined=0, bayesian=False, expected=expected)
    return drawn.interval(level)
