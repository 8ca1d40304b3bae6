"""`rank_board()` and `compare_rules()`: the order of a board under a rule, and how far the winner depends on the
rule."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from .. import checking
from ..arrays import Floats, Ints
from ..coefficients.matrix import correlation_matrix
from ..errors import CallError, TauscopeError
from ..files.door import ScoresLike, takes_scores
from ..inference.observed import content_order
from ..jobs.seeds import Rng, remembered
from ..ranking import Ranking
from ..reference.rankings import midranks
from ..results import Result, count, fields_of, number, plain, word
from ..scores import Scores
from ..scores.alignment import require_one_scale
from ..scores.labels import place_of
from ..scores.matrix import NEGATED
from ..ties import snap
from .rule_ranks import rule_ranks
from .rules import Rule, board_rules, has_missing, swapped_without


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class BoardRanking(Result):
    """The order of a board under one rule, with simultaneous rank intervals.

    Attributes
    ----------
    rule : Rule
        The rule, with its formula, and what it makes of a missing task.
    systems : tuple of str
        Best first.
    scores : array
        The rule's scores; higher is better, unless they are means of scores of which lower is better.
    rank : array
        Ranks; ties share theirs.
    low, high : array
        Limits of the true ranks, simultaneous for all systems.
    level : float
        The confidence.
    how : str
        How the limits were made.
    seed : int
        The seed of the random numbers.
    tasks : int
        How many tasks there are.
    incomplete : int
        How many systems lack a task.
    lacking : array
        How many tasks each system lacks.
    swapped : tuple of str or None
        (a, b, c): on this board a stands above b, and below it once c is gone; None where nobody does that.
    lower_is_better : bool
        Whether the scores are in the units of a source in which lower is better.
    """

    rule: Rule
    systems: tuple[str, ...]
    scores: Floats
    rank: Floats
    low: Ints
    high: Ints
    level: float
    how: str
    seed: int
    tasks: int
    incomplete: int
    lacking: Ints
    swapped: tuple[str, str, str] | None = None
    lower_is_better: bool = False

    def __getitem__(self, system: str) -> float:
        """The rank of a system."""
        return float(self.rank[place_of(system, self.systems)])

    @property
    def named_winner(self) -> str:
        """The first system, and how many tasks it lacks."""
        without = lacks(int(self.lacking[0]), self.tasks)
        return f"{self.systems[0]} ({without})" if without else self.systems[0]

    def lines(self) -> list[str]:
        """The best, what the rule is, and what it makes of missing tasks and of other systems."""
        best = "; ".join(
            f"{name} {number(score)} ({a}–{b}{lacks(int(without), self.tasks, ', ')})"
            for name, score, a, b, without in zip(
                self.systems[:6], self.scores, self.low, self.high, self.lacking, strict=False
            )
        )
        third = f"rank intervals: {self.level * 100:g} %, simultaneous; {self.how}"
        if self.incomplete:
            third = f"{count(self.incomplete, 'system')} lack {word('topics')}: {self.rule.missing}; {third}"
        if self.swapped is not None:
            a, b, c = self.swapped
            third += f"; the order of {a} and {b} depends on {c} being there"
        return [
            f"{self.rule.title} of {count(len(self.systems), 'system')} over {count(self.tasks, 'topic')}: "
            f"{best}{'; …' if len(self.systems) > 6 else ''}",
            f"{self.rule.formula}; used by {self.rule.used_by}",
            third,
        ]

    def methods_sentence(self) -> str:
        """The sentence a paper needs: by which rule a board was ranked, who is first, and how sure that is.

        Returns
        -------
        str
            One sentence, with the level, the test and the seed.
        """
        lacking = (
            f"; {count(self.incomplete, 'system')} lack {word('topics')}: {self.rule.missing}"
            if self.incomplete
            else ""
        )
        if self.swapped is not None:
            a, b, c = self.swapped
            lacking += f"; the order of {a} and {b} depends on {c} being there"
        return (
            f"{count(len(self.systems), 'system')} were ranked over {count(self.tasks, 'topic')} by {self.rule.title} "
            f"({self.rule.formula}), which puts {self.systems[0]} first ({number(float(self.scores[0]))}"
            f"{lacks(int(self.lacking[0]), self.tasks, ', ')}; simultaneous {self.level * 100:g} % rank interval "
            f"{self.low[0]} to {self.high[0]}, {self.how}{lacking}{self._after()})."
        )

    def ranking(self) -> Ranking:
        """The ranking by the rule's scores.

        Returns
        -------
        Ranking
        """
        return Ranking.from_means(self.scores, self.systems, lower_is_better=self.lower_is_better)

    def columns(self) -> dict[str, Any]:
        """One row per system."""
        return {"system": list(self.systems), "score": self.scores, **fields_of(self, "rank", "low", "high", "lacking")}

    def to_dict(self) -> dict[str, Any]:
        """Plain values, ready for JSON."""
        own = fields_of(self, "level", "how", "seed", "tasks", "incomplete", "swapped")
        own["methods_sentence"] = self.methods_sentence()
        return {name: plain(value) for name, value in ({"rule": self.rule.name} | self.columns() | own).items()}

    def cited(self) -> tuple[str, ...]:
        """The rule's paper, where it has one."""
        return (self.rule.paper,) if self.rule.paper else ()

    def plot(self) -> Any:
        """One bar per system, from its best to its worst rank."""
        from ..figures import spans

        return spans(self.systems, self.low, self.high, self.rank, x="rank", title=self.lines()[0].partition(":")[0])


@takes_scores("scores", in_order=("systems",))
def rank_board(scores: ScoresLike, rule: str | Rule = "mean", *, level: float = 0.95, rng: Rng = 0) -> BoardRanking:
    """Rank the systems of a board under one of the rules that boards use, with simultaneous rank intervals.

    `tauscope.board_rules` lists the rules with their formulas, the boards that use them, and what a missing task means.
    Rank intervals hold for all systems simultaneously. Rules that are means of task scores are tested as
    `rank_intervals(simultaneous=True)` tests means: by sign-flip max-t, or, where cells are missing, by paired t-tests
    with Holm's step-down. Medians have limits from order statistics and Copeland scores from sign tests of all pairs,
    both of which give wide intervals. Systems with equal scores share the ranks of their group.

    Parameters
    ----------
    scores : Scores, or what read_scores() takes
        Tasks x systems; missing cells may be kept (`missing="keep"`).
    rule : str or Rule
        Its name.
    level : float
        The confidence of the rank intervals.
    rng : int, Generator or None
        The seed of the sign flips.

    Returns
    -------
    BoardRanking

    Raises
    ------
    TauscopeError
        Where the rule needs positive scores, or adds up scores of tasks that are on different scales.

    See Also
    --------
    compare_rules : All rules on one board.

    Examples
    --------
    >>> board = Scores([[0.9, 0.5, 0.4], [0.2, 0.6, 0.1], [0.3, 0.4, 0.2]], systems=["a", "b", "c"])
    >>> rank_board(board, "borda").systems
    ('b', 'a', 'c')
    """
    record = board_rules[rule]
    values = _values(scores, "rank_board()")
    if record.positive and _negated(scores) and np.nanmin(values) <= 0:
        raise TauscopeError(f"The {record.title} is not for scores where lower is better. Use another rule.")
    if record.one_scale:
        require_one_scale(scores, f"rank_board() by {record.name!r}")
    return _ranked(scores, values, record, checking.level(level), remembered(rng), example=True)


def _negated(scores: Scores) -> bool:
    """Whether scores of some tasks are held with the other sign, because lower is better in the source."""
    return any(note.startswith(NEGATED) for note in scores.notes)


def lacks(without: int, tasks: int, before: str = "") -> str:
    """Say that a system lacks tasks; nothing where it has them all."""
    return f"{before}lacks {without:,} of {count(tasks, 'topic')}" if without else ""


def _ranked(scores: Scores, values: Floats, rule: Rule, level: float, seed: int, *, example: bool) -> BoardRanking:
    missing = np.isnan(values)
    rows = content_order(np.where(missing, np.nanmin(values) - 1.0, values))
    own, _ = snap(rule.scores(values[rows]))  # sums in an order that no file decides
    order = np.argsort(-own, kind="stable")
    rank = midranks(-own) + 1
    ranks = rule_ranks(scores, rule, level, seed)
    # Where cells are missing, systems are tested on shared tasks only, and an observed rank may lie outside.
    low, high = np.minimum(ranks.low, np.floor(rank)), np.maximum(ranks.high, np.ceil(rank))
    swapped = swapped_without(rule, values) if example and rule.others_matter and values.shape[1] > 2 else None
    shift = math.exp if rule.positive else float
    lower = scores.lower_is_better and rule.one_scale
    shown = 0.0 - own if lower else own
    return BoardRanking(
        rule=rule,
        systems=tuple(scores.systems[i] for i in order),
        scores=np.array([shift(shown[i]) for i in order]),
        rank=rank[order],
        low=low[order].astype(np.int64),
        high=high[order].astype(np.int64),
        level=level,
        how=ranks.how,
        seed=seed,
        tasks=len(values),
        incomplete=int(has_missing(values).sum()),
        lacking=missing.sum(axis=0)[order],
        lower_is_better=lower,
        swapped=None
        if swapped is None
        else (scores.systems[swapped[0]], scores.systems[swapped[1]], scores.systems[swapped[2]]),
    )


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class RuleComparison(Result):
    """A board under several rules: who is first under which, and how far the orders agree.

    Attributes
    ----------
    boards : dict
        Rule -> BoardRanking.
    tau : array
        tau_b of the orders, rules x rules.
    winners : dict
        Rule -> the system that it puts first.
    systems : tuple of str
        In the order of the first rule.
    rank_range : dict
        System -> its best and its worst rank under any rule.
    left_out : dict
        Rule -> why it does not fit these scores.
    """

    boards: dict[str, BoardRanking]
    tau: Floats
    winners: dict[str, str]
    systems: tuple[str, ...]
    rank_range: dict[str, tuple[float, float]]
    left_out: dict[str, str]

    def __getitem__(self, rule: str) -> BoardRanking:
        """The board under one rule."""
        if not isinstance(rule, str) or rule not in self.boards:
            why = f": {self.left_out[rule]}" if isinstance(rule, str) and rule in self.left_out else ""
            raise TauscopeError(f"The rule {rule!r} is not in this comparison{why}.")
        return self.boards[rule]

    def lines(self) -> list[str]:
        """Who is first under which rule, and how far the orders agree."""
        first: dict[str, list[str]] = {}
        for rule, board in self.boards.items():
            first.setdefault(board.named_winner, []).append(rule)
        told = "; ".join(
            f"{winner} under {', '.join(rules)}" for winner, rules in sorted(first.items(), key=lambda x: -len(x[1]))
        )
        upper = self.tau[np.triu_indices(len(self.boards), 1)]
        names = list(self.boards)
        lines = [f"{count(len(first), 'winner')} under {count(len(self.boards), 'rule')}: {told}"]
        if len(upper):
            first_rules, second_rules = np.triu_indices(len(names), 1)
            least = int(np.argmin(upper))
            pair = f"{names[first_rules[least]]} and {names[second_rules[least]]}"
            low, high = number(float(upper.min())), number(float(upper.max()))
            range_ = f"{low} for all pairs" if low == high and len(upper) > 1 else f"{low} ({pair})"
            range_ += f" to {high}" if low != high else ""
            lines.append(f"tau_b between rules {range_}, {count(len(self.systems), 'system')}")
        if self.left_out:
            lines.append("left out: " + "; ".join(f"{rule} ({why})" for rule, why in self.left_out.items()))
        return lines

    def methods_sentence(self) -> str:
        """The sentence a paper needs: how far the order and the winner of a board depend on the rule.

        Returns
        -------
        str
            One sentence, with the rules that do not fit, and why.
        """
        upper, board = self.tau[np.triu_indices(len(self.boards), 1)], next(iter(self.boards.values()))
        first = "; ".join(f"{board.named_winner} under {rule}" for rule, board in self.boards.items())
        agree = (
            f", whose orders have a tau_b of {number(float(upper.min()))} to {number(float(upper.max()))}"
            if len(upper)
            else ""
        )
        left = [f"left out: {rule} ({why})" for rule, why in self.left_out.items()]
        return (
            f"{count(len(self.systems), 'system')} over {count(board.tasks, 'topic')} have "
            f"{count(len(set(self.winners.values())), 'winner')} under {count(len(self.boards), 'rule')}{agree}: {first}"
            f"{self._beside(*left)}."
        )

    def columns(self) -> dict[str, Any]:
        """One row per system, with its rank under each rule."""
        ranks = {
            rule: {name: float(rank) for name, rank in zip(board.systems, board.rank, strict=True)}
            for rule, board in self.boards.items()
        }
        return {"system": list(self.systems)} | {rule: [own[s] for s in self.systems] for rule, own in ranks.items()}

    def to_dict(self) -> dict[str, Any]:
        """Plain values, ready for JSON."""
        return {
            "boards": {rule: board.to_dict() for rule, board in self.boards.items()},
            "tau": plain(self.tau),
            "winners": self.winners,
            "rank_range": plain(self.rank_range),
            "left_out": self.left_out,
            "methods_sentence": self.methods_sentence(),
        }

    def cited(self) -> tuple[str, ...]:
        """The papers of the rules."""
        return tuple(dict.fromkeys(key for board in self.boards.values() for key in board.cited()))

    def plot(self) -> Any:
        """One bar per system, from its best to its worst rank under any rule; the tick is its rank under the first."""
        from ..figures import spans

        low, high = zip(*(self.rank_range[s] for s in self.systems), strict=True)
        first = next(iter(self.boards))
        at = self.columns()[first]
        return spans(
            self.systems, low, high, at, x="rank", title=f"Ranks under {count(len(self.boards), 'rule')}; tick: {first}"
        )


@takes_scores("scores", in_order=("systems",))
def compare_rules(
    scores: ScoresLike,
    rules: Iterable[str | Rule] | None = None,
    *,
    level: float = 0.95,
    rng: Rng = 0,
) -> RuleComparison:
    """How far does the order of a board, and its winner, depend on the rule?

    Every rule's order, tau_b between the orders, who is first under which rule, and simultaneous rank intervals under
    each as in `rank_board()`. A winner that lacks tasks is named with their number. A rule that does not fit the scores (a geometric mean of negative
    ones, a mean of percent and shares) is left out with the reason. Do not use it to choose the rule under which a system looks best.

    Parameters
    ----------
    scores : Scores, or what read_scores() takes
        Tasks x systems; missing cells may be kept.
    rules : iterable of str or Rule, optional
        By default all of them.
    level : float
        The confidence of the rank intervals.
    rng : int, Generator or None
        The seed of the sign flips, as in `rank_board()`.

    Returns
    -------
    RuleComparison

    Examples
    --------
    >>> board = Scores([[0.9, 0.5, 0.4], [0.2, 0.6, 0.1], [0.3, 0.4, 0.2]], systems=["a", "b", "c"])
    >>> compare_rules(board, ["mean", "borda"]).winners
    {'mean': 'b', 'borda': 'b'}
    """
    if rules is not None and (isinstance(rules, (str, Rule)) or not isinstance(rules, Iterable)):
        raise CallError("compare_rules() takes a list of rules, such as ['mean', 'borda'].")
    records = list(board_rules) if rules is None else [board_rules[rule] for rule in rules]
    if not records:
        raise CallError("compare_rules() needs at least one rule.")
    values = _values(scores, "compare_rules()")
    level, seed = checking.level(level), remembered(rng)
    boards: dict[str, BoardRanking] = {}
    left_out: dict[str, str] = {}
    mixed = scores.scales()
    for rule in records:
        if rule.positive and np.nanmin(values) <= 0:
            low = int(np.nanargmin(np.nanmin(values, axis=1)))
            left_out[rule.name] = (
                "it is not for scores where lower is better"
                if _negated(scores)
                else f"it needs scores above 0, and {scores.topics[low]} has {np.nanmin(values):g}"
            )
            continue
        if rule.one_scale and mixed is not None and mixed.sure:
            left_out[rule.name] = f"it needs one scale, and {mixed.text()}"
            continue
        if scores.clusters is not None and rule.limits is not None:
            left_out[rule.name] = f"its rank intervals need independent {word('topics')}, and these come in clusters"
            continue
        boards[rule.name] = _ranked(scores, values, rule, level, seed, example=False)
    if not boards:
        raise TauscopeError(f"No rule fits: {'; '.join(left_out.values())}.")
    by_system = {rule: dict(zip(board.systems, board.rank, strict=True)) for rule, board in boards.items()}
    first = next(iter(boards.values()))
    table = np.array([[-own[s] for s in scores.systems] for own in by_system.values()])
    tau = correlation_matrix(table, "tau_b").values if len(boards) > 1 else np.ones((1, 1))
    return RuleComparison(
        boards=boards,
        tau=np.asarray(tau, dtype=np.float64),
        winners={rule: board.systems[0] for rule, board in boards.items()},
        systems=first.systems,
        rank_range={
            s: (min(own[s] for own in by_system.values()), max(own[s] for own in by_system.values()))
            for s in first.systems
        },
        left_out=left_out,
    )


def _values(scores: Scores, what: str) -> Floats:
    if not isinstance(scores, Scores):
        raise CallError(f"{what} takes Scores, topics x systems, not {type(scores).__name__}.")
    if len(scores.systems) < 2:
        raise TauscopeError(f"{what} needs at least two {word('systems')}; there is {len(scores.systems)}.")
    return scores.values
