"""What a board says about its systems, for each kind of board: scores with errors, and tests of all pairs jointly.

`evidence_of()` makes one of four kinds of evidence. Each has the scores, higher is better, and answers four questions:
which of two systems is better (`tested()`), the p-value of one pair (`p()`), the rank interval of one system (`one()`),
and which systems no other exceeds (`not_exceeded()`). Systems stand in the order of `systems`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from functools import cached_property
from typing import Any, Protocol, runtime_checkable

import numpy as np

from ..core.arrays import Bools, Floats, Ints, content_order, snap
from ..core.checking import rank_draws
from ..data.alignment import refuse_clusters, require_one_scale
from ..data.battles import Battles
from ..data.clusters import independent
from ..data.holes import additive, require_connected
from ..data.labels import mean_over
from ..data.scores import Scores
from ..errors import CallError, TauscopeError
from ..inference import relation
from ..inference.corrections import Paired, rejected, student_p
from ..inference.relation import NormalScores, Tested, apart_from, exceeded_p, rank_limits, tested
from ..inference.true_means import Observed, observed_values, require_two
from .bradley_terry import ELO, BradleyTerry, bradley_terry, kinds_of
from .published import Published
from .repeats import Repeats
from .rules import MEAN, Rule
from .rules import Limits as RuleLimits


@runtime_checkable
class Board(Protocol):
    """What has systems and can be estimates with a covariance."""

    systems: tuple[str, ...]

    def normal(self) -> NormalScores: ...


def normal_of(board: Any, what: str) -> NormalScores:
    """Return a board as estimates with a covariance; of scores on topics those are the means.

    Parameters
    ----------
    board : Scores or Board
        The board.
    what : str
        The function that needs them, for errors.

    Returns
    -------
    NormalScores

    Raises
    ------
    CallError
        If the board cannot be such estimates.
    """
    if isinstance(board, Scores):
        board.require_complete(what)
        require_one_scale(board, what)
        board = independent(board)
        n = len(board.topics)
        if n < 2:
            raise CallError(f"{what} needs at least two topics; there is {n}.")
        covariance = np.atleast_2d(np.cov(board.values.T)) / n
        sign = -1.0 if board.lower_is_better else 1.0
        return NormalScores.of(board.systems, board.means(), covariance, float(n - 1), sign=sign)
    if isinstance(board, Board):
        return board.normal()
    raise CallError(f"{what} takes Scores, Published or the strengths of bradley_terry(), not {type(board).__name__}.")


class Evidence(ABC):
    """What is known of the systems of one board.

    Attributes
    ----------
    systems : tuple of str
        The systems, in any order.
    scores, shown, errors : array
        Scores, higher is better and equal ones snapped; how they are printed; their standard errors.
    covered, unadjusted : array
        Number of topics or battles of each system; its mean over these, where cells are missing.
    lower_is_better : bool
        Whether the source has the other sign.
    known : dict
        Result about the board, as `Ranks` has them.
    normal : NormalScores or None
        The estimates with their covariance, of boards that consist of these.
    """

    systems: tuple[str, ...]
    scores: Floats
    shown: Floats
    errors: Floats
    covered: Ints
    unadjusted: Floats
    lower_is_better: bool = False
    known: dict[str, Any]
    normal: NormalScores | None = None

    @abstractmethod
    def tested(self, level: float, seed: int) -> Tested:
        """Test all pairs jointly: systems x systems, whether the first is better."""

    @abstractmethod
    def p(self, first: Ints, second: Ints) -> Floats:
        """Return the two-sided p-values of pairs, each by itself; NaN if there is no such test."""

    @abstractmethod
    def one(self, place: int, level: float, seed: int) -> tuple[int, int]:
        """Return the rank interval of one system that was chosen in advance."""

    @abstractmethod
    def not_exceeded(self, level: float, seed: int) -> Bools:
        """Return which systems no other one exceeds by more than chance."""

    def identical(self, first: Ints, second: Ints) -> Bools:
        """Return which pairs have the same scores on every topic."""
        return np.zeros(len(first), bool)


def evidence_of(board: Any, rule: Rule) -> Evidence:
    """Return what a board of any kind says under a rule; a board without topics has none but its own scores."""
    if isinstance(board, Repeats):
        board = board.scores()
    if isinstance(board, Scores):
        return _of_scores(board, rule)
    if rule is not MEAN:
        raise CallError(f"The rule {rule.name!r} makes one score of scores on topics, and this board has none.")
    if isinstance(board, Battles):
        board = bradley_terry(board)
    if isinstance(board, Board):
        return Errors(board)
    raise CallError(
        f"rank() takes Scores, Battles, Published or the strengths of bradley_terry(), not {type(board).__name__}."
    )


def _of_scores(scores: Scores, rule: Rule) -> Evidence:
    """Choose the tests for scores on topics: by limits, on shared topics, or by sign flips.

    Parameters
    ----------
    scores : Scores
        The scores, with or without missing cells.
    rule : Rule
        How they become one score.

    Returns
    -------
    Limits, SharedTopics or Topics
        By what the rule needs, and by whether cells are missing.
    """
    require_two("rank()", *scores.shape[::-1])
    if rule.one_scale:
        require_one_scale(scores, "rank()")
    if rule.positive and scores.some_negated and np.nanmin(scores.values) <= 0:
        raise TauscopeError(f"The {rule.title} is not for scores where lower is better. Use another rule.")
    if rule.limits is not None:
        refuse_clusters(scores, f"rank() by {rule.name!r}")
        return Limits(scores, rule, rule.limits)
    tasks = scores if rule is MEAN else scores.changed(values=rule.by_task(scores.values))
    if tasks.has_holes:
        refuse_clusters(scores, "rank() of a board with missing cells")
        return SharedTopics(scores, tasks, rule)
    return Topics(scores, tasks, rule)


class _OnTopics(Evidence):
    """Base of the evidence from scores on topics, under a rule.

    Parameters
    ----------
    scores : Scores
        The board.
    rule : Rule
        How scores on topics become one score.
    method : {"flips", "pairs", "limits"}
        How pairs are tested.
    """

    def __init__(self, scores: Scores, rule: Rule, method: str) -> None:
        self.systems = scores.systems
        self.rule = rule
        self.lower_is_better = scores.lower_is_better and rule.one_scale
        known = ~np.isnan(scores.values)
        self.covered = known.sum(axis=0)
        self.unadjusted = np.full(len(self.systems), np.nan)
        if scores.has_holes:
            self.unadjusted = scores.as_read(mean_over(scores.values, 0))
        self.known = {
            "rule": rule.name,
            "score": "rule" if rule is not MEAN else "mean",
            "method": method,
            "unit": "topic",
            "units": len(scores.topics),
            "holes": scores.holes,
            "name": scores.collection,
            "_board": scores,
        }

    def _scored(self, values: Floats) -> None:
        """Compute the scores of the systems by the rule.

        Topics are summed in an order that depends on their values, so that the order of a file moves no digit.
        """
        missing = np.isnan(values)
        rows = content_order(np.where(missing, np.nanmin(values) - 1.0, values))
        self.scores, _ = snap(self.rule.scores(values[rows]))
        self.shown = np.exp(self.scores) if self.rule.positive else self.scores

    def _with_errors(self, deviations: Floats, sizes: Ints | int) -> None:
        """Compute standard errors of means; those of a geometric mean follow by the delta method."""
        self.errors = deviations / np.sqrt(sizes)
        if self.rule.positive:
            self.errors = self.errors * self.shown


class Topics(_OnTopics):
    """A score in every cell: sign-flip max-t with step-down.

    Under the hypothesis that two systems do not differ, the sign of their difference on a topic is as likely to be + as
    -. All pairs see the same flips, so that the quantile of the largest statistic takes their dependence into account.
    If topics come in clusters, whole clusters are flipped.
    """

    def __init__(self, scores: Scores, tasks: Scores, rule: Rule) -> None:
        super().__init__(scores, rule, "flips")
        rows = independent(tasks)
        require_two("rank()", *rows.shape[::-1])
        self.observed: Observed = observed_values(rows)
        self._place = np.argsort(self.observed.order)
        if rule is MEAN:
            self.scores = self.shown = self.observed.means[self._place] * self.observed.unit
        else:
            self._scored(scores.values)
        x = self.observed.x[self._place]
        self._with_errors(x.std(axis=1, ddof=1) * self.observed.unit, self.observed.topics)
        if scores.clusters is not None:
            self.known |= {"clusters": self.observed.topics, "clustered_by": "cluster"}

    def tested(self, level: float, seed: int) -> Tested:
        relation = tested(self.observed, level, seed, None)
        return relation._replace(better=relation.better[np.ix_(self._place, self._place)])

    def _pairs(self, values: Any, first: Ints, second: Ints) -> Any:
        """Return values that are known for all pairs, for some pairs of places."""
        square = np.zeros((len(self.systems),) * 2, values.dtype)
        square[self.observed.pairs] = values
        return (square + square.T)[self._place[first], self._place[second]]

    @cached_property
    def _p(self) -> Floats:
        return np.where(self.observed.tied, 1.0, student_p(self.observed))

    def p(self, first: Ints, second: Ints) -> Floats:
        return np.asarray(self._pairs(self._p, first, second))

    def identical(self, first: Ints, second: Ints) -> Bools:
        return np.asarray(self._pairs(self.observed.identical, first, second))

    def one(self, place: int, level: float, seed: int) -> tuple[int, int]:
        at = int(self._place[place])
        apart = apart_from(self.observed, at, level, seed)
        return 1 + int(apart[:at].sum()), len(apart) - int(apart[at:].sum())

    def not_exceeded(self, level: float, seed: int) -> Bools:
        return np.asarray(~rejected(exceeded_p(self.observed, seed), 1 - level)[self._place])


class SharedTopics(_OnTopics):
    """Cells are missing: paired t-tests on the topics that two systems share, with Holm's correction.

    Systems are ranked by means that an additive model of systems and topics adjusts for the topics they have; under a
    rule, by the rule's scores. Sign flips of adjusted scores would be sharper, but do not keep the level where a system
    has few topics: among 8 equal systems, four of them with 3 to 6 of 25 topics, they made false statements in 21 % of
    boards, where paired tests made 1 %.
    """

    def __init__(self, scores: Scores, tasks: Scores, rule: Rule) -> None:
        super().__init__(scores, rule, "pairs")
        require_connected(tasks, ~np.isnan(tasks.values), "rank()")
        self._paired = Paired.of(tasks)
        order = {name: i for i, name in enumerate(self._paired.names)}
        self._at = np.array([order[name] for name in tasks.systems])
        x = self._paired.x[:, self._at]
        if rule is MEAN:
            model = additive(x)
            effects, _ = snap(model.systems + float(model.topics.mean()))
            self.scores = self.shown = effects * self._paired.unit
            self.known["score"] = "adjusted"
        else:
            self._scored(scores.values)
        several = self.covered > 1
        deviations = np.full(len(self.systems), np.nan)
        deviations[several] = np.nanstd(x[:, several], axis=0, ddof=1) * self._paired.unit
        self._with_errors(deviations, np.maximum(self.covered, 1))

    def tested(self, level: float, seed: int) -> Tested:
        return Tested(self._paired.better(level)[np.ix_(self._at, self._at)], 0)

    def p(self, first: Ints, second: Ints) -> Floats:
        return np.asarray(self._paired.p[self._at[first], self._at[second]])

    def identical(self, first: Ints, second: Ints) -> Bools:
        return np.asarray(self._paired.identical[self._at[first], self._at[second]])

    def one(self, place: int, level: float, seed: int) -> tuple[int, int]:
        at = int(self._at[place])
        apart, t = self._paired.apart_from(at, level), self._paired.t[at]
        return 1 + int((apart & (t < 0)).sum()), len(apart) - int((apart & (t > 0)).sum())

    def not_exceeded(self, level: float, seed: int) -> Bools:
        return np.asarray(self._paired.not_exceeded(level)[self._at])


class Limits(_OnTopics):
    """A rule that is not a mean over topics: two systems differ if the limits of their scores do not overlap.

    The limits are simultaneous for all systems, so that all such statements hold together. There is no test of a single
    pair: p-values are NaN.
    """

    def __init__(self, scores: Scores, rule: Rule, limits: RuleLimits) -> None:
        super().__init__(scores, rule, "limits")
        self._values, self._limits = scores.values, limits
        self._scored(scores.values)
        self.errors = np.full(len(self.systems), np.nan)

    def tested(self, level: float, seed: int) -> Tested:
        low, high = self._limits(self._values, level)
        return Tested(low[:, None] > high[None, :], 0)

    def p(self, first: Ints, second: Ints) -> Floats:
        return np.full(len(first), np.nan)

    def one(self, place: int, level: float, seed: int) -> tuple[int, int]:
        low, high = rank_limits(self.tested(level, seed).better)
        return int(low[place]), int(high[place])

    def not_exceeded(self, level: float, seed: int) -> Bools:
        return np.asarray(rank_limits(self.tested(level, seed).better)[0] == 1)


class Errors(Evidence):
    """Estimates with a covariance, such as strengths from battles, published scores and hybrids.

    All pairs are tested by max-t with step-down over draws of normal errors, which have the covariance of the
    estimates.
    """

    normal: NormalScores

    def __init__(self, board: Board) -> None:
        normal = self.normal = board.normal()
        if normal.size < 2:
            raise TauscopeError(f"A board needs at least two systems; there is {normal.size}.")
        self.systems, self.scores = normal.systems, normal.estimates
        self.lower_is_better = normal.sign < 0
        self.shown, self.errors = normal.estimates, np.sqrt(np.diagonal(normal.covariance))
        self.covered = np.zeros(normal.size, np.int64)
        self.unadjusted = np.full(normal.size, np.nan)
        self.known = {"rule": "", "method": "errors", "score": "estimate", "unit": "", "units": 0, "_board": board}
        if isinstance(board, BradleyTerry):
            self._arena(board)
        elif isinstance(board, Published):
            votes = {"unit": "vote" if board.votes else "", "units": board.votes or 0}
            self.known |= {"score": "score", "independent_errors": board.independent} | votes
        elif hasattr(board, "human_topics"):
            self.known |= {"unit": "topic", "units": board.human_topics}

    def _arena(self, board: BradleyTerry) -> None:
        """Describe strengths: Elo points around 1000, battles of each system, and systems with few of them."""
        self.shown, self.errors = 1000 + ELO * self.scores, ELO * self.errors
        self.covered = board.battles_each[board.normal().order]
        self.known |= {"score": "elo", "unit": "battle", "units": board.battles, "hardly_known": board.hardly_known}
        if board.clusters is not None:
            self.known |= {"clusters": board.independent, "clustered_by": " and ".join(kinds_of(board.clusters))}

    def tested(self, level: float, seed: int) -> Tested:
        return Tested(relation.better(self.normal, level, seed), rank_draws(self.normal.size))

    def p(self, first: Ints, second: Ints) -> Floats:
        return np.asarray(relation.two_sided_p(self.normal)[first, second])

    def one(self, place: int, level: float, seed: int) -> tuple[int, int]:
        return relation.rank_of_one(self.normal, place, level, seed)

    def not_exceeded(self, level: float, seed: int) -> Bools:
        return relation.not_exceeded(self.normal, level, seed)
