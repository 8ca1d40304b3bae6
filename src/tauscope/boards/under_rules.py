"""`RuleComparison`: one board under several rules, and how far the order and the winner depend on the rule."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from enum import Enum
from typing import Any, ClassVar, NamedTuple

import numpy as np

from ..coefficients.correlate import correlation_matrix
from ..core.arrays import Floats, Ints
from ..data.scores import Scores
from ..errors import CallError, TauscopeError
from ..results import Result, column, fact, large, per_row
from .rules import Rule, board_rules


class Agreement(Enum):
    """The verdict: whether all rules put the same system first."""

    SAME = "same"
    DIFFERENT = "different"
    ONE = "one"


class FirstUnder(NamedTuple):
    """Which system a rule puts first, the number of topics that this system lacks, and its possible winners."""

    rule: str
    first: str
    lacks: int
    possible_winners: int


class LeftOut(NamedTuple):
    """A rule that does not fit the scores: "positive" (it needs scores above 0), "lower" (it is not for scores of which lower
    is better), "scale" (it adds up scores, and topics
    are on different scales) or "clusters" (it needs independent topics)."""

    rule: str
    reason: str


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class RuleComparison(Result):
    """A board under several rules: which system is first, and how far the orders agree; `found["borda"]` is one board.

    Parameters
    ----------
    systems : tuple of str
        Systems, in the order of the board's own rule.
    rules : tuple of str
        Names of the rules that fit.
    ranks : array of int
        Ranks, rules x systems; equal scores share the better rank.
    tau : array
        tau_b of the orders, rules x rules.
    left_out : tuple of LeftOut
        Rules that do not fit these scores.
    own : str
        The rule of the board.
    topics, name, level
        Number of topics, name of the board, and confidence of the ranks under each rule.
    """

    QUESTION: ClassVar[str] = "rules"
    systems: tuple[str, ...] = per_row()
    rules: tuple[str, ...]
    ranks: Ints = large()
    tau: Floats
    left_out: tuple[LeftOut, ...]
    own: str
    topics: int
    name: str
    #: Rule -> Ranks.
    _boards: dict[str, Any] = field(repr=False)

    def __getitem__(self, rule: str | Rule) -> Any:
        """Return the `Ranks` under one rule."""
        name = board_rules[rule].name
        if name not in self._boards:
            raise TauscopeError(f"The rule {name!r} is not in this comparison.")
        return self._boards[name]

    def cited(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(key for rule in self.rules if (key := board_rules[rule].paper)))

    def columns(self) -> dict[str, Any]:
        return {"system": list(self.systems)} | dict(zip(self.rules, self.ranks, strict=True))

    @column
    def best_rank(self) -> Ints:
        """Best rank of each system under any rule."""
        return np.asarray(self.ranks.min(axis=0))

    @column
    def worst_rank(self) -> Ints:
        """Worst rank of each system under any rule."""
        return np.asarray(self.ranks.max(axis=0))

    @fact
    def firsts(self) -> tuple[FirstUnder, ...]:
        """Which system each rule puts first."""
        found = []
        for name, board in self._boards.items():
            lacks = self.topics - int(board.covered[0])
            found.append(FirstUnder(name, board.systems[0], lacks, len(board.winners)))
        return tuple(found)

    @fact
    def winners(self) -> tuple[str, ...]:
        """Systems that some rule puts first, the most frequent one first."""
        names = [one.first for one in self.firsts]
        return tuple(sorted(dict.fromkeys(names), key=lambda name: -names.count(name)))

    @fact
    def lowest_tau(self) -> float:
        """The lowest tau_b between the orders of two rules; NaN for one rule."""
        off = self.tau[np.triu_indices(len(self.rules), 1)]
        return float(off.min()) if off.size else float("nan")

    @fact
    def least_alike(self) -> tuple[str, ...]:
        """The two rules whose orders agree least."""
        if len(self.rules) < 2:
            return ()
        first, second = np.triu_indices(len(self.rules), 1)
        at = int(np.argmin(self.tau[first, second]))
        return self.rules[first[at]], self.rules[second[at]]

    @fact
    def verdict(self) -> Agreement:
        """Whether all rules put the same system first."""
        if len(self.rules) == 1:
            return Agreement.ONE
        return Agreement.SAME if len(self.winners) == 1 else Agreement.DIFFERENT


def compared(
    scores: Scores, rules: Iterable[str | Rule] | None, ranked: Callable[[Rule], Any], own: Any
) -> RuleComparison:
    """Rank a board under several rules; `ranked` ranks it under one, and `own` has it under its own."""
    if rules is not None and (isinstance(rules, (str, Rule)) or not isinstance(rules, Iterable)):
        raise CallError("under_rules() takes a list of rules, such as ['mean', 'borda'].")
    records = list(board_rules) if rules is None else [board_rules[rule] for rule in rules]
    if not records:
        raise CallError("under_rules() needs at least one rule.")
    boards: dict[str, Any] = {}
    left_out: list[LeftOut] = []
    mixed = scores.scales()
    for rule in records:
        reason = _unfit(rule, scores, mixed is not None and mixed.sure)
        if reason:
            left_out.append(LeftOut(rule.name, reason))
        else:
            boards[rule.name] = own if rule.name == own.rule else ranked(rule)
    if not boards:
        raise TauscopeError("None of these rules fits the scores: " + ", ".join(one.rule for one in left_out) + ".")
    # The best score is the best rank, whatever the sign of a rule's scores.
    by_system = [dict(zip(board.systems, board.rank.tolist(), strict=True)) for board in boards.values()]
    table = np.array([[own_ranks[s] for s in own.systems] for own_ranks in by_system])
    tau = correlation_matrix(-table.astype(np.float64), "tau_b").values if len(boards) > 1 else np.ones((1, 1))
    return RuleComparison(
        systems=own.systems,
        rules=tuple(boards),
        ranks=table,
        tau=np.asarray(tau, dtype=np.float64),
        left_out=tuple(left_out),
        own=own.rule,
        topics=len(scores.topics),
        name=own.name,
        level=own.level,
        _boards=boards,
    )


def _unfit(rule: Rule, scores: Scores, mixed: bool) -> str:
    if rule.positive and np.nanmin(scores.values) <= 0:
        return "lower" if scores.some_negated else "positive"
    if rule.one_scale and mixed:
        return "scale"
    return "clusters" if scores.clusters is not None and rule.limits is not None else ""
