"""`rank()`: which ranks do the data support? One relation, "significantly better", and all that follows from it.

`Ranks` reads intervals, possible winners, tiers, letters and neighbours off this relation. Its views answer questions
of their own: `BestSet` (which set contains a best system?), `OneRank` (which rank can one system have?) and
`Neighbours` (do two neighbouring systems differ?).
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import Enum
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from ..core import checking
from ..core.arrays import Bools, Floats, Ints
from ..core.checking import Rng, remembered
from ..data.labels import place_of
from ..errors import CallError
from ..inference.relation import (
    ExpectedTau,
    closed,
    compact_letters,
    expected_tau,
    rank_limits,
    shared_ranks,
    tier_numbers,
    times_needed,
)
from ..io.door import takes_scores
from ..results import Result, column, fact, large, per_row
from .bradley_terry import BradleyTerry
from .evidence import Evidence, evidence_of
from .fragility import Fragility, fragility
from .rules import Rule, RuleComparison, board_rules, compared, swapped_without


class Extent(Enum):
    """The verdict on a set of systems or an interval of ranks: it has one member, several, or all of them."""

    ONE = "one"
    SEVERAL = "several"
    ALL = "all"


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class BestSet(Result):
    """A set of systems that contains each best one with confidence `level`; `len()` counts it, `in` looks one up.

    It answers one question, and is sharper than the possible winners of `Ranks`, which hold together with all other
    statements about ranks.

    Parameters
    ----------
    systems : tuple of str
        All systems, the best score first.
    scores, errors : array
        Their scores and standard errors.
    in_set : array of bool
        Whether a system is in the set.
    possible_winners : int
        Number of possible winners by the joint tests, for comparison.
    method, unit, units, seed, name, level
        As in `Ranks`.
    """

    QUESTION: ClassVar[str] = "best_set"
    PAPERS: ClassVar[tuple[str, ...]] = ("mogstad2024",)
    systems: tuple[str, ...] = per_row()
    scores: Floats = per_row()
    errors: Floats = per_row()
    in_set: Bools = per_row()
    possible_winners: int
    method: str
    unit: str
    units: int
    seed: int
    name: str

    @fact
    def members(self) -> tuple[str, ...]:
        """Systems of the set, the best score first."""
        return tuple(name for name, member in zip(self.systems, self.in_set, strict=True) if member)

    @fact
    def verdict(self) -> Extent:
        """Whether the set has one system, several, or all of them."""
        if len(self.members) == 1:
            return Extent.ONE
        return Extent.ALL if len(self.members) == len(self.systems) else Extent.SEVERAL

    def columns(self) -> dict[str, Any]:
        return {"system": list(self.systems), "score": self.scores, "error": self.errors, "in_set": self.in_set}

    def __len__(self) -> int:
        """Return the number of systems in the set."""
        return len(self.members)

    def __contains__(self, system: object) -> bool:
        return system in self.members


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class OneRank(Result):
    """The rank interval of one system that was chosen before looking at the data; it says nothing about the others.

    Parameters
    ----------
    system : str
        Its name.
    rank, low, high : int
        Observed rank, and the limits of its true rank.
    joint_low, joint_high : int
        Limits that hold for all systems together, which are wider.
    out_of : int
        Number of systems.
    method, unit, units, seed, name, level
        As in `Ranks`.
    """

    QUESTION: ClassVar[str] = "one_rank"
    PAPERS: ClassVar[tuple[str, ...]] = ("mogstad2024",)
    system: str
    rank: int
    low: int
    high: int
    joint_low: int
    joint_high: int
    out_of: int
    method: str
    unit: str
    units: int
    seed: int
    name: str

    @fact
    def verdict(self) -> Extent:
        """Whether the data support one rank, several, or all of them."""
        if self.low == self.high:
            return Extent.ONE
        return Extent.ALL if (self.low, self.high) == (1, self.out_of) else Extent.SEVERAL

    def columns(self) -> dict[str, Any]:
        names = ("system", "rank", "low", "high", "joint_low", "joint_high")
        return {name: [getattr(self, name)] for name in names}


class Separated(Enum):
    """The verdict: whether all neighbouring pairs differ significantly, some, or none."""

    ALL = "all"
    SOME = "some"
    NONE = "none"


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Neighbours(Result):
    """Each system beside the next one in the ranking, and whether the two differ significantly.

    Parameters
    ----------
    above, below : tuple of str
        The two systems of each pair.
    difference : array
        Absolute difference of their scores.
    p : array
        Two-sided p-value of the pair by itself, without a correction for the number of pairs; 1 for equal scores.
    significant : array of bool
        Whether the two differ with all pairs of systems tested jointly, as in `Ranks`.
    tied, identical : array of bool
        Whether the two have equal scores, and whether they have the same score on every topic.
    method, unit, units, name, level
        As in `Ranks`.
    """

    QUESTION: ClassVar[str] = "neighbours"
    PAPERS: ClassVar[tuple[str, ...]] = ("mogstad2024",)
    above: tuple[str, ...] = per_row()
    below: tuple[str, ...] = per_row()
    difference: Floats = per_row()
    p: Floats = per_row()
    significant: Bools = per_row()
    tied: Bools = per_row()
    identical: Bools = per_row()
    method: str
    unit: str
    units: int
    name: str

    def __len__(self) -> int:
        """Return the number of neighbouring pairs."""
        return len(self.above)

    @fact
    def significant_pairs(self) -> int:
        """Number of pairs that differ significantly with all pairs of systems tested jointly."""
        return int(self.significant.sum())

    @fact
    def significant_alone(self) -> int:
        """Number of pairs whose own p-value is below 1 - level, without a correction for the number of pairs."""
        return int((self.p < 1 - self.level).sum())

    @fact
    def copies(self) -> int:
        """Number of pairs with the same score on every topic."""
        return int(np.sum(self.identical))

    @fact
    def verdict(self) -> Separated:
        """Whether all neighbouring pairs differ significantly, some, or none."""
        if not self.significant_pairs:
            return Separated.NONE
        return Separated.ALL if self.significant_pairs == len(self) else Separated.SOME


class Winner(Enum):
    """The verdict: how many systems are possible winners."""

    CLEAR = "clear"
    SEVERAL = "several"
    ALL = "all"


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Ranks(Result):
    """The ranks that the data support: intervals, possible winners, tiers, letters and neighbours.

    All of them are read off one relation, "significantly better", which holds for all pairs of systems together. So
    they cannot contradict one another: a system is a possible winner exactly if its interval starts at 1, tiers follow
    the ranking, all possible winners are in the first tier, and two systems share a letter exactly if neither is
    significantly better.

    Parameters
    ----------
    systems : tuple of str
        Systems, the best score first.
    scores, errors : array
        Scores by which the systems are ranked, as in the source if lower is better, and their standard errors.
    covered : array of int
        Number of topics or battles of each system; 0 if it is not known.
    unadjusted : array
        Means over the topics that each system has, if cells are missing; otherwise NaN.
    rule : str
        Name of the rule that makes one score of the scores on topics; "" for other boards.
    score : {"mean", "adjusted", "rule", "elo", "score", "estimate"}
        What the scores are.
    method : {"flips", "pairs", "limits", "errors"}
        How pairs are tested: sign-flip max-t, paired t-tests on shared topics, limits of each score, or max-t over
        draws of normal errors.
    unit, units : str, int
        What was sampled ("topic", "battle", "vote" or ""), and its number.
    clusters, clustered_by : int, str
        The number of clusters that are taken as independent, 0 for none, and what they are.
    holes : int
        Number of missing cells.
    independent_errors : bool
        Whether the errors of different systems are taken as independent, because no covariance is known.
    lower_is_better : bool
        Whether a lower score is better.
    hardly_known : tuple of str
        Systems with few battles, or that won or lost all of them.
    draws, seed : int
        Number of draws or flips behind the relation, 0 for none, and the seed.
    near : int
        Number of pairs that decide a tier and are within Monte Carlo error of the level.
    name : str
        Name of the board.
    level : float
        Confidence that all statements are true together.
    better : array of bool
        `better[i, j]`: system i is significantly better than system j. The relation is transitive.
    """

    QUESTION: ClassVar[str] = "ranks"
    systems: tuple[str, ...] = per_row()
    scores: Floats = per_row()
    errors: Floats = per_row()
    covered: Ints = per_row()
    unadjusted: Floats = per_row()
    rule: str
    score: str
    method: str
    unit: str
    units: int
    clusters: int = 0
    clustered_by: str = ""
    holes: int = 0
    independent_errors: bool = False
    lower_is_better: bool = False
    hardly_known: tuple[str, ...] = ()
    draws: int
    seed: int
    near: int = 0
    name: str = ""
    better: Bools = large()
    _board: Any = field(repr=False)

    def cited(self) -> tuple[str, ...]:
        paper = board_rules[self.rule].paper if self.rule else ""
        papers = {"flips": ("westfall1993",), "errors": ("romano2005",), "pairs": ("holm1979",)}.get(self.method, ())
        return ("mogstad2024", *papers, "piepho2004", *([paper] if paper else []))

    def columns(self) -> dict[str, Any]:
        table = {"system": list(self.systems), "rank": self.rank, "score": self.scores, "error": self.errors}
        table |= {name: getattr(self, name) for name in ("low", "high", "tier", "letters", "possible_winner")}
        table |= {"unadjusted": self.unadjusted} if self.holes else {}
        return table | ({"covered": self.covered} if self.covered.any() else {})

    def __getstate__(self) -> dict[str, Any]:
        """Leave out what is derived from the board."""
        return {name: value for name, value in vars(self).items() if name != "_evidence"}

    def __len__(self) -> int:
        """Return the number of systems."""
        return len(self.systems)

    def __getitem__(self, system: str) -> tuple[int, int]:
        """Return the simultaneous rank interval of a system."""
        place = place_of(system, self.systems)
        return int(self.low[place]), int(self.high[place])

    @cached_property
    def _order(self) -> Floats:
        """The scores, higher is better."""
        return -self.scores if self.lower_is_better else self.scores

    @column
    def rank(self) -> Ints:
        """Observed ranks; equal scores share the better rank (1, 1, 1, 4)."""
        return shared_ranks(self._order)

    @column
    def low(self) -> Ints:
        """Best rank that the data support: one more than the number of significantly better systems."""
        return rank_limits(self.better)[0]

    @column
    def high(self) -> Ints:
        """Worst rank that the data support: the number of systems that are not significantly worse."""
        return rank_limits(self.better)[1]

    @column
    def tier(self) -> Ints:
        """Tier of each system, from 1: a tier goes from its first system down to the last not significantly worse."""
        return tier_numbers(self.better, self._order)

    @column
    def letters(self) -> tuple[str, ...]:
        """Compact letter display: two systems share a letter exactly if neither is significantly better."""
        return tuple(compact_letters(self.better, list(self.systems)).values())

    @column
    def possible_winner(self) -> Bools:
        """Whether no system is significantly better: the interval starts at rank 1."""
        return np.asarray(self.low == 1)

    @property
    def intervals(self) -> dict[str, tuple[int, int]]:
        """Simultaneous rank interval of each system."""
        return {name: (int(a), int(b)) for name, a, b in zip(self.systems, self.low, self.high, strict=True)}

    @fact
    def winners(self) -> tuple[str, ...]:
        """Possible winners, the best score first."""
        return tuple(name for name, could in zip(self.systems, self.possible_winner, strict=True) if could)

    @fact
    def tiers(self) -> tuple[tuple[str, ...], ...]:
        """Systems of each tier."""
        numbered = list(zip(self.systems, self.tier.tolist(), strict=True))
        return tuple(tuple(s for s, tier in numbered if tier == k) for k in range(1, int(self.tier.max()) + 1))

    @fact
    def verdict(self) -> Winner:
        """Whether there is a clear winner, several possible ones, or as many as there are systems."""
        if len(self.winners) == 1:
            return Winner.CLEAR
        return Winner.ALL if len(self.winners) == len(self.systems) else Winner.SEVERAL

    @fact
    def pairs(self) -> int:
        """Number of pairs of systems."""
        return len(self.systems) * (len(self.systems) - 1) // 2

    @fact
    def significant_pairs(self) -> int:
        """Number of pairs that are significantly different."""
        return int(self.better.sum())

    @fact
    def significant_neighbours(self) -> int:
        """Number of neighbouring pairs that are significantly different."""
        return int(np.diagonal(self.better, 1).sum())

    @fact
    def mean_width(self) -> float:
        """Mean number of ranks in an interval."""
        return float((self.high - self.low + 1).mean())

    @fact
    def too_few(self) -> bool:
        """Whether there are so few topics that no pair could be significant: 2 of 2^n sign flips are as extreme."""
        return self.method == "flips" and 2 * 2.0 ** -(self.clusters or self.units) > 1 - self.level

    @fact
    def swapped(self) -> tuple[str, ...]:
        """Three systems (a, b, c), if the order of a and b depends on c under this rule; otherwise empty."""
        rule = board_rules[self.rule] if self.rule else None
        if rule is None or not rule.others_matter or len(self) < 3:
            return ()
        places = swapped_without(rule, self._board.values)
        return () if places is None else tuple(self._board.systems[i] for i in places)

    @cached_property
    def _evidence(self) -> Evidence:
        return evidence_of(self._board, board_rules[self.rule or "mean"])

    @property
    def _about(self) -> dict[str, Any]:
        """What the views say of the board: how pairs were tested, what was sampled, its name, and the level."""
        return {name: getattr(self, name) for name in ("method", "unit", "units", "name", "level")}

    @cached_property
    def groups(self) -> tuple[tuple[int, ...], ...]:
        """Places of the systems that share a letter, for each letter."""
        many = any(" " in text for text in self.letters)  # with more than 26 groups a letter can be "ab"
        split = [text.split() if many else list(text) for text in self.letters]
        every = dict.fromkeys(letter for letters in split for letter in letters)
        return tuple(tuple(k for k, letters in enumerate(split) if letter in letters) for letter in every)

    @cached_property
    def neighbours(self) -> Neighbours:
        """Each system beside the next one in the ranking: do the two differ significantly?"""
        place = {name: i for i, name in enumerate(self._evidence.systems)}
        at = np.array([place[name] for name in self.systems])
        gap = np.abs(self.scores[:-1] - self.scores[1:])
        return Neighbours(
            above=self.systems[:-1],
            below=self.systems[1:],
            difference=gap,
            p=np.where(self.rank[1:] == self.rank[:-1], 1.0, self._evidence.p(at[:-1], at[1:])),
            significant=np.diagonal(self.better, 1).copy(),
            tied=self.rank[1:] == self.rank[:-1],
            identical=self._evidence.identical(at[:-1], at[1:]),
            **self._about,
        )

    def under_rules(self, rules: Iterable[str | Rule] | None = None) -> RuleComparison:
        """Rank the same board under several rules: how far do the order and the winner depend on the rule?

        A rule that does not fit the scores (a geometric mean of negative ones, a mean of percent and shares) is left
        out with the reason. Do not use it to choose the rule under which a system looks best.

        Parameters
        ----------
        rules : iterable of str or Rule, optional
            Names of rules (see `catalogue.rules`); all of them by default.

        Returns
        -------
        RuleComparison

        Raises
        ------
        CallError
            If the board has no scores on topics.
        """
        self._needs_topics("under_rules()")
        return compared(self._board, rules, lambda rule: _ranked(self._board, rule, self.level, self.seed), self)

    @property
    def strengths(self) -> BradleyTerry:
        """Strengths of the systems, for a board of battles."""
        if not isinstance(self._board, BradleyTerry):
            raise CallError("Strengths are those of battles, and this board has none.")
        return self._board

    def fragility(self, above: str | None = None, below: str | None = None) -> Fragility:
        """Find the fewest topics, or battles, whose removal changes the first place, or the order of two systems.

        Scores under a rule that is a mean over topics: the topics with the largest differences are removed first, which
        is exact. Battles: the most influential battles are removed and strengths are fitted again; a smaller set may
        exist. Do not read it as a test: a leader can be robust and not significant, and the other way round.

        Parameters
        ----------
        above : str, optional
            A system that is ranked above `below`; by default the leader.
        below : str, optional
            The other system; by default the one that is nearest to taking the first place.

        Returns
        -------
        Fragility

        Raises
        ------
        CallError
            If the board has neither topics nor battles, or the two systems are not in that order.
        """
        return fragility(self._board, above, below, board_rules[self.rule or "mean"], self.name)

    def best_set(self) -> BestSet:
        """Return the smallest set that contains a best system: sharper than `winners`, for this one question only.

        A system is left out if some other one exceeds it by more than chance: one-sided max-t of each system against
        all others. Each best system is in the set with confidence `level`. Do not print it beside joint rank intervals:
        the two do not hold together.

        Returns
        -------
        BestSet
        """
        places = set(np.flatnonzero(self._evidence.not_exceeded(self.level, self.seed)).tolist())
        names = {self._evidence.systems[i] for i in places}
        return BestSet(
            systems=self.systems,
            scores=self.scores,
            errors=self.errors,
            in_set=np.array([name in names for name in self.systems]),
            possible_winners=len(self.winners),
            seed=self.seed,
            **self._about,
        )

    def one(self, system: str) -> OneRank:
        """Return the rank interval of one system that was chosen before looking at the data.

        It is narrower than the simultaneous one, because only the comparisons with this system are tested. It is not
        valid for a system that was chosen because of its score, such as the leader.

        Parameters
        ----------
        system : str
            Name of the system.

        Returns
        -------
        OneRank
        """
        place = place_of(system, self.systems)
        low, high = self._evidence.one(list(self._evidence.systems).index(system), self.level, self.seed)
        return OneRank(
            system=system,
            rank=int(self.rank[place]),
            low=low,
            high=high,
            joint_low=int(self.low[place]),
            joint_high=int(self.high[place]),
            out_of=len(self),
            seed=self.seed,
            **self._about,
        )

    def expected_tau(self) -> ExpectedTau:
        """Estimate the correlation (tau) of this ranking with the true one, for boards of scores with errors.

        Returns
        -------
        ExpectedTau
            Its value and confidence limits.

        Raises
        ------
        CallError
            If the board has scores on topics: `expected_correlation()` tells more of these.
        """
        return expected_tau(self._needs_errors("expected_tau()"), self.level, self.seed)

    def votes_needed(self, target: float = 0.9) -> float:
        """Estimate the number of votes or battles, those there are included, for an expected tau of `target`.

        Parameters
        ----------
        target : float, default 0.9
            The expected tau of the ranking with the true one.

        Returns
        -------
        float
            A whole number, or infinite; NaN if the number of votes is not known.
        """
        times = times_needed(self._needs_errors("votes_needed()"), target)
        return (
            math.ceil(times * self.units)
            if self.units and math.isfinite(times)
            else (times if self.units else math.nan)
        )

    def _needs_errors(self, what: str) -> Any:
        if self._evidence.normal is None:
            raise CallError(f"{what} is for scores with errors; expected_correlation() is for scores on topics.")
        return self._evidence.normal

    def _needs_topics(self, what: str) -> None:
        if not self.rule:
            raise CallError(f"{what} needs scores on topics, and this board has none.")


@takes_scores("board", in_order=("systems",))
def rank(board: Any, rule: str | Rule = "mean", *, level: float = 0.95, rng: Rng = 0) -> Ranks:
    r"""Compute the ranks, tiers and possible winners that the data support.

    Use it to decide which ranks a leaderboard may print, and who may be called the best. Do not use it to predict ranks
    on topics of another kind: the topics at hand are taken as a random sample.

    All pairs of systems are tested jointly. System *i* is significantly better than *j* if

    .. math:: t_{ij} = (\bar x_i - \bar x_j) / \mathrm{se}_{ij} > c_{1-\alpha},

    where :math:`c_{1-\alpha}` is the quantile of the largest statistic if no systems differ, with step-down. Scores on
    topics take it from sign flips (of whole clusters, if topics come in clusters); battles, published scores and
    hybrids from draws of their errors. If cells are missing, systems are ordered by means that are adjusted for the
    topics they have, and tested by paired t-tests on shared topics with Holm's correction. The relation is closed
    transitively. The rank of a system then lies between 1 plus the number of significantly better systems and the
    number of systems that are not significantly worse (mogstad2024). A tier goes from its first system down to the last
    one that is not significantly worse. With probability `level` all these statements are true together.

    Parameters
    ----------
    board : Scores, Repeats, Battles, BradleyTerry, Published, Hybrid, or what Scores.read() takes
        Scores of topics by systems, with or without missing cells; battles; scores with errors.
    rule : str or Rule, default "mean"
        How scores on topics become one score: a name of `catalogue.rules`, such as "median", "borda" or "win-rate".
    level : float, default 0.95
        Confidence that all statements about all systems are true together.
    rng : int, Generator or None, default 0
        Seed of the draws. The same seed gives the same numbers.

    Returns
    -------
    Ranks
        Intervals, tiers, letters and possible winners, and views: `neighbours`, `under_rules()`, `fragility()`,
        `best_set()` and `one()`.

    Raises
    ------
    CallError
        If the board is not one, or a rule is given for a board without topics.
    TauscopeError
        If there are fewer than two systems or topics, topics are on different scales, or systems share no topics.

    See Also
    --------
    expected_correlation : how well the whole ranking would hold on new topics.
    significance : p-values of all pairs.

    Examples
    --------
    >>> from tauscope import Published, Scores, rank
    >>> scores = Scores([[0.9, 0.8, 0.1], [0.8, 0.9, 0.2], [0.9, 0.8, 0.1], [0.7, 0.8, 0.3], [0.9, 0.7, 0.2]] * 2)
    >>> ranks = rank(scores)
    >>> ranks["1"], ranks.winners, ranks.letters
    ((1, 2), ('1', '2'), ('a', 'a', 'b'))
    >>> board = Published({"x": 1470, "y": 1446, "z": 1441}, intervals=["+5/-5", "+6/-6", "± 9"])
    >>> rank(board).tiers
    (('x',), ('y', 'z'))
    """
    return _ranked(board, board_rules[rule], checking.level(level), remembered(rng))


def _ranked(board: Any, rule: Rule, level: float, seed: int) -> Ranks:
    """Test all pairs of a board and order the systems by their scores.

    Parameters
    ----------
    board : Scores, Battles, Published, …
        The board.
    rule : Rule
        How scores on topics become one score.
    level, seed
        Confidence of all statements together, and the seed of the draws.

    Returns
    -------
    Ranks
    """
    evidence = evidence_of(board, rule)
    tested = evidence.tested(level, seed)
    order = np.argsort(-evidence.scores, kind="stable")
    sign = -1.0 if evidence.lower_is_better else 1.0
    result = Ranks(
        systems=tuple(evidence.systems[i] for i in order),
        scores=sign * evidence.shown[order] + 0.0,
        errors=evidence.errors[order],
        covered=evidence.covered[order],
        unadjusted=evidence.unadjusted[order],
        better=closed(tested.better[np.ix_(order, order)], evidence.scores[order]),
        draws=tested.draws,
        near=tested.near,
        seed=seed,
        level=level,
        lower_is_better=evidence.lower_is_better,
        **evidence.known,
    )
    vars(result)["_evidence"] = evidence
    return result
