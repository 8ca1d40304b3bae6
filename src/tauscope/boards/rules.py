"""The rules by which boards make one number of a system's scores on tasks, each as a record, and a board under several.

The scores of a board are tasks x systems, NaN where one is missing; higher is better everywhere. `task_scores` of a
rule makes values whose mean over tasks is the rule's score. A rule that is not a mean over tasks has `total`, which
makes the scores at once.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from enum import Enum
from itertools import pairwise
from typing import Any, ClassVar, NamedTuple

import numpy as np

from ..coefficients.correlate import correlation_matrix
from ..core.arrays import Floats, Ints
from ..core.formulas import midranks
from ..data.scores import Scores
from ..errors import CallError, TauscopeError
from ..inference.corrections import holm, rejected
from ..results import Records, Result, column, fact, large, per_row

#: What may be done to the scores of all tasks alike without changing the order.
COMMON = "common affine"
#: Tasks x systems -> values of the same shape, whose means over tasks are the scores.
TaskScores = Callable[[Floats], Floats]
#: Tasks x systems -> one score per system.
Total = Callable[[Floats], Floats]
#: (tasks x systems, level) -> simultaneous lower and upper limits of the true scores.
Limits = Callable[[Floats, float], tuple[Floats, Floats]]


@dataclass(frozen=True, kw_only=True)
class Rule:
    """One rule by which a board makes one number of a system's scores on tasks.

    Attributes
    ----------
    name : str
        As it is typed.
    title : str
        In words.
    formula : str
        What it computes.
    used_by : str
        The boards that use it.
    paper : str
        Key of its paper; "" where it has none.
    missing : str
        What a missing task means under it.
    when_not : str
        Do not use it when.
    others_matter : bool
        Whether adding a system can change the order of two others.
    invariant : str
        What may be done to the scores without changing the order: "affine" (any task by itself), "common affine"
        (all tasks alike), "scale" or "monotone".
    positive : bool
        Whether it needs scores above 0.
    task_scores : callable or None
        Makes scores whose mean over tasks is the rule's score.
    total : callable or None
        Makes the rule's scores at once, where it is not a mean over tasks.
    limits, limits_by : callable or None, str
        Makes simultaneous limits of the true scores from (scores, level), where the rule cannot be tested as a mean
        over tasks, and says how.
    influence : callable or None
        Makes task scores whose mean is nearly the rule's score, for tests, where `task_scores` is missing.
    """

    name: str
    title: str
    formula: str
    used_by: str
    paper: str
    missing: str
    when_not: str
    others_matter: bool
    invariant: str
    positive: bool = False
    task_scores: TaskScores | None = None
    total: Total | None = None
    limits: Limits | None = None
    limits_by: str = ""
    influence: TaskScores | None = None

    def __str__(self) -> str:
        return self.name

    @property
    def additive(self) -> bool:
        """Whether the score is a mean over tasks."""
        return self.task_scores is not None

    def by_task(self, values: Floats) -> Floats:
        """Make the task scores that tests compare.

        Parameters
        ----------
        values : array
            Tasks x systems, NaN where a score is missing.

        Returns
        -------
        ndarray
            Tasks x systems.
        """
        make = self.task_scores or self.influence
        if make is None:
            raise CallError(f"The rule {self.name!r} has no scores of single tasks.")
        return make(values)

    @property
    def one_scale(self) -> bool:
        """Whether tasks must be on one scale: it adds up scores as they are."""
        return self.invariant == COMMON

    def scores(self, values: Floats) -> Floats:
        """Compute the score of each system under this rule.

        Parameters
        ----------
        values : array
            Tasks x systems, NaN where a score is missing.

        Returns
        -------
        ndarray
            One score per system; NaN for a system without any task.

        Raises
        ------
        CallError
            If the values are not a table of numbers.
        """
        try:
            values = np.asarray(values, dtype=np.float64)
        except (TypeError, ValueError):
            raise CallError(f"A rule takes numbers, tasks x systems, not {type(values).__name__}.") from None
        if values.ndim != 2:
            raise CallError(f"A rule takes tasks x systems; there are {values.ndim} dimensions.")
        if self.total is not None:
            return self.total(values)
        return _means(self.by_task(values))


def _means(values: Floats) -> Floats:
    """Average over the tasks that a system has; NaN for a system that has none.

    The sum runs over the tasks one after the other, so that its last digit depends on no library.
    """
    known = ~np.isnan(values)
    sums, sizes = np.where(known, values, 0.0).sum(axis=0), known.sum(axis=0)
    return np.asarray(np.divide(sums, sizes, out=np.full(sums.shape, np.nan), where=sizes > 0))


def _by_task(make: Callable[[Floats], Floats]) -> TaskScores:
    """A function of the known scores of one task, made one of all tasks; missing cells stay missing."""

    def of_all(values: Floats) -> Floats:
        result = np.full(values.shape, np.nan)
        for task, row in enumerate(values):
            known = ~np.isnan(row)
            if known.any():
                result[task, known] = make(row[known])
        return result

    return of_all


def _plain(values: Floats) -> Floats:
    return values


def _logarithm(values: Floats) -> Floats:
    """Return logarithms; a score that is not above 0 is an error."""
    if np.nanmin(values) <= 0:
        raise TauscopeError(
            f"The geometric mean needs scores above 0, and the lowest is {np.nanmin(values):g}. Leave out the tasks "
            "that have such scores, "
            "or use another rule."
        )
    return np.asarray(np.log(values))


def _standard(row: Floats) -> Floats:
    """Standardise the scores of one task; equal scores, up to rounding, are 0."""
    spread = float(row.std(ddof=1)) if len(row) > 1 else 0.0
    # Equal scores differ by rounding only: that is no spread.
    flat = spread <= 1e-12 * float(np.abs(row).max())
    return np.zeros(len(row)) if flat else np.asarray((row - row.mean()) / spread)


def _stretched(row: Floats) -> Floats:
    """Stretch the scores of one task to 0 to 1; equal scores, up to rounding, are 0.5."""
    span = float(np.ptp(row))
    return np.full(len(row), 0.5) if span <= 1e-12 * float(np.abs(row).max()) else np.asarray((row - row.min()) / span)


def _minus_rank(row: Floats) -> Floats:
    """Return the ranks of one task with the sign changed, so that higher is better; ties share theirs."""
    return np.asarray(-(midranks(-row) + 1))


def _win_rate(row: Floats) -> Floats:
    # Tasks that one system has say nothing: left out, as HELM does.
    """Return the share of other systems that each system beats on one task, ties half."""
    return np.asarray(midranks(row) / (len(row) - 1)) if len(row) > 1 else np.full(len(row), np.nan)


def _borda(values: Floats) -> Floats:
    """n - rank, n all systems of the board, whether they have the task or not; a missing task gives no points."""
    n = values.shape[1]
    points = _by_task(lambda row: n - (midranks(-row) + 1))(values)
    return np.where(np.isnan(points), 0.0, points)


def _median(values: Floats) -> Floats:
    return _each_system(values, np.median)


def _interquartile(values: Floats) -> Floats:
    return _each_system(values, _middle_half)


def _each_system(values: Floats, score: Callable[[Floats], Any]) -> Floats:
    """Apply a function to the scores that each system has, in ascending order; NaN for a system that has none."""
    columns = (np.sort(column[~np.isnan(column)]) for column in values.T)
    return np.array([float(score(column)) if len(column) else np.nan for column in columns])


def _middle_half(scores: Floats) -> float:
    """Average the middle half of sorted scores; those at its ends count with the part that is inside."""
    n = len(scores)
    end = np.arange(1.0, n + 1)
    inside = np.clip(np.minimum(end, 0.75 * n) - np.maximum(end - 1, 0.25 * n), 0.0, None)
    return float(inside @ scores / inside.sum())


def _copeland(values: Floats) -> Floats:
    """Share of the opponents that a system beats on more of the tasks that both have than it loses; ties are half."""
    m = values.shape[1]
    result = np.empty(m)
    for i in range(m):
        with np.errstate(invalid="ignore"):
            lead = np.nan_to_num(np.sign(values[:, [i]] - values)).sum(axis=0)
        result[i] = ((np.sign(lead) + 1) / 2).sum() - 0.5  # against itself it is a tie
    return np.asarray(result / (m - 1))


def _median_limits(values: Floats, level: float) -> tuple[Floats, Floats]:
    """Limits of the true median of each system, simultaneous, infinite where the tasks are too few.

    The interval from the k-th smallest to the k-th largest of n scores holds the median unless fewer than k scores are
    on one side of it, whatever the distribution.
    """
    from scipy.special import bdtr

    m = values.shape[1]
    low, high = np.full(m, -np.inf), np.full(m, np.inf)
    for system in range(m):
        column = np.sort(values[~np.isnan(values[:, system]), system])
        k = np.arange(1, len(column) // 2 + 1)
        allowed = np.flatnonzero(2 * bdtr(k - 1, len(column), 0.5) <= (1 - level) / m)
        if len(allowed):
            at = int(k[allowed[-1]])
            low[system], high[system] = column[at - 1], column[-at]
    return low, high


def _copeland_limits(values: Floats, level: float) -> tuple[Floats, Floats]:
    """Limits of the true Copeland scores: opponents beaten for certain, and opponents not lost to for certain."""
    from scipy.special import bdtr

    m = values.shape[1]
    wins = np.zeros((m, m), np.int64)
    with np.errstate(invalid="ignore"):
        for i in range(m):
            wins[i] = (values[:, [i]] > values).sum(axis=0)
    first, second = np.triu_indices(m, 1)
    more, fewer = np.maximum(wins, wins.T)[first, second], np.minimum(wins, wins.T)[first, second]
    p = np.minimum(1.0, 2 * bdtr(fewer, more + fewer, 0.5))
    apart = np.zeros((m, m), bool)
    apart[first, second] = rejected(holm(p), 1 - level)
    better = (apart | apart.T) & (wins > wins.T)
    return better.sum(axis=1).astype(float), m - 1.0 - better.sum(axis=0)


def _interquartile_influence(values: Floats) -> Floats:
    """Task scores whose means are the interquartile means, and whose errors are theirs for many tasks."""
    quartiles = np.nanquantile(values, [0.25, 0.75], axis=0)
    clipped = np.clip(values, *quartiles)
    return np.asarray(_interquartile(values) + 2 * (clipped - np.nanmean(clipped, axis=0)))


#: What a missing task means under several rules.
LEFT_OUT = "the task is left out of this system's mean"
AMONG_OTHERS = "the system is placed among those that have the task, by the tasks it has"

MEAN = Rule(
    name="mean",
    title="arithmetic mean",
    formula="mean of x_t over tasks",
    used_by="MTEB (Mean (Task)), HELM (mean score)",
    paper="",
    missing=f"{LEFT_OUT}, which rewards leaving out hard tasks",
    when_not="tasks have different scales or spreads: those with large spreads decide",
    others_matter=False,
    invariant=COMMON,
    task_scores=_plain,
)
MEDIAN = Rule(
    name="median",
    title="median",
    formula="median of x_t over tasks",
    used_by="Atari benchmarks",
    paper="agarwal2021",
    missing="the task is left out of this system's median",
    when_not="tasks are few: it ignores all but one or two of them",
    others_matter=False,
    invariant=COMMON,
    total=_median,
    limits=_median_limits,
    limits_by="order statistics, Bonferroni's correction",
)
INTERQUARTILE = Rule(
    name="iqm",
    title="interquartile mean",
    formula="mean of the middle half of x_t",
    used_by="rliable",
    paper="agarwal2021",
    missing=LEFT_OUT,
    when_not="the best or worst tasks are what you care about",
    others_matter=False,
    invariant=COMMON,
    total=_interquartile,
    influence=_interquartile_influence,
)
GEOMETRIC = Rule(
    name="geometric",
    title="geometric mean",
    formula="exp(mean of log x_t)",
    used_by="SPEC CPU, GMAP in TREC's robust track",
    paper="robertson2006",
    missing=LEFT_OUT,
    when_not="scores can be 0 or negative",
    others_matter=False,
    invariant="scale",
    positive=True,
    task_scores=_logarithm,
)
Z = Rule(
    name="z",
    title="mean z-score",
    formula="mean of (x_t - mean_t)/sd_t, over the systems that have t",
    used_by="score standardisation",
    paper="webber2008a",
    missing=AMONG_OTHERS,
    when_not="a few very bad systems set the spread",
    others_matter=True,
    invariant="affine",
    task_scores=_by_task(_standard),
)
MIN_MAX = Rule(
    name="min-max",
    title="mean of scores stretched to 0 to 1",
    formula="mean of (x_t - min_t)/(max_t - min_t)",
    used_by="papers that rescale tasks",
    paper="",
    missing=AMONG_OTHERS,
    when_not="one very bad or very good system can come or go",
    others_matter=True,
    invariant="affine",
    task_scores=_by_task(_stretched),
)
MEAN_RANK = Rule(
    name="mean-rank",
    title="mean rank",
    formula="mean of rank_t, ties share theirs",
    used_by="Friedman tests of classifiers",
    paper="demsar2006",
    missing="the system is ranked among those that have the task, and ranks among few are good ranks",
    when_not="systems have different tasks, or differences matter and not only their order",
    others_matter=True,
    invariant="monotone",
    task_scores=_by_task(_minus_rank),
)
BORDA = Rule(
    name="borda",
    title="Borda count",
    formula="mean of n - rank_t, n all systems, ties share theirs",
    used_by="MTEB (Rank (Borda))",
    paper="colombo2022",
    missing="a missing task gives no points, just like last place",
    when_not="tasks are missing for reasons that are not the system's fault",
    others_matter=True,
    invariant="monotone",
    task_scores=_borda,
)
WIN_RATE = Rule(
    name="win-rate",
    title="mean win rate",
    formula="mean over tasks of the share of other systems beaten, ties half",
    used_by="HELM",
    paper="liang2023",
    missing="the task is left out, and so is the system from the others' win rates on it",
    when_not="the set of systems changes: the same scores give other win rates",
    others_matter=True,
    invariant="monotone",
    task_scores=_by_task(_win_rate),
)
COPELAND = Rule(
    name="copeland",
    title="pairwise majorities (Copeland)",
    formula="share of opponents beaten on more tasks than lost, ties half",
    used_by="social choice; no large board",
    paper="colombo2022",
    missing="two systems are compared on the tasks that both have",
    when_not="differences matter and not only their order",
    others_matter=True,
    invariant="monotone",
    total=_copeland,
    limits=_copeland_limits,
    limits_by="exact sign tests of all pairs, Holm's correction",
)


class Rules(Records[Rule]):
    """All rules: iterate over the records, look one up by name, print the table."""

    KIND: ClassVar[str] = "rules"

    def __getitem__(self, name: str | Rule) -> Rule:
        if isinstance(name, Rule):
            return name
        key = str(name).strip().lower().replace("_", "-").replace(" ", "-")
        if key in self._records:
            return self._records[key]
        near = difflib.get_close_matches(key, self._records, 1, cutoff=0.5)
        hint = f" Did you mean {near[0]!r}?" if near else ""
        raise CallError(f"There is no rule {name!r}.{hint} There are: {', '.join(self._records)}.")

    def columns(self) -> dict[str, list[Any]]:
        return {
            "name": [rule.name for rule in self],
            "formula": [rule.formula for rule in self],
            "used by": [rule.used_by for rule in self],
            "a missing task": [rule.missing for rule in self],
            "others matter": ["yes" if rule.others_matter else "no" for rule in self],
        }


#: Every record of this module, in their order.
board_rules = Rules([record for record in tuple(globals().values()) if isinstance(record, Rule)])


def swapped_without(rule: Rule, values: Floats, most: int | None = None) -> tuple[int, int, int] | None:
    """Find three systems that show that the order of two depends on a third one.

    Parameters
    ----------
    rule : Rule
        The rule.
    values : array
        Tasks x systems.
    most : int or None
        Number of systems to leave out in turn; None for all.

    Returns
    -------
    tuple of three int, or None
        (a, b, c): a is above b on the board, and below b without c.
    """
    full = rule.scores(values)
    m = values.shape[1]
    for c in range(m if most is None else min(m, most)):
        left = np.flatnonzero(np.arange(m) != c)
        order = left[np.argsort(-full[left], kind="stable")]
        less = rule.scores(values[:, left])
        score = dict(zip(left.tolist(), less.tolist(), strict=True))
        for a, b in pairwise(order):
            if full[a] > full[b] + 1e-9 and score[int(b)] > score[int(a)] + 1e-9:
                return int(a), int(b), c
    return None


class Agreement(Enum):
    """The verdict: whether all rules put the same system first."""

    SAME = "same"
    DIFFERENT = "different"
    ONE = "one"


class FirstUnder(NamedTuple):
    """The system that a rule puts first.

    Parameters
    ----------
    rule : str
        Name of the rule.
    first : str
        The first system.
    lacks : int
        Number of topics that this system lacks.
    possible_winners : int
        Number of possible winners under the rule.
    """

    rule: str
    first: str
    lacks: int
    possible_winners: int


class LeftOut(NamedTuple):
    """A rule that does not fit the scores.

    Parameters
    ----------
    rule : str
        Its name.
    reason : {"positive", "lower", "scale", "clusters"}
        It needs scores above 0; it is not for scores of which lower is better; it adds up scores, and topics are on
        different scales; or it needs independent topics.
    """

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
        firsts = []
        for name, board in self._boards.items():
            lacks = self.topics - int(board.covered[0])
            firsts.append(FirstUnder(name, board.systems[0], lacks, len(board.winners)))
        return tuple(firsts)

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
    scores: Scores, rules: Iterable[str | Rule] | None, ranked: Callable[[Rule], Any], current: Any
) -> RuleComparison:
    """Rank a board under several rules; `Ranks.under_rules()` documents it.

    Parameters
    ----------
    scores : Scores
        The board.
    rules : iterable of str or Rule, or None
        The rules; None for all.
    ranked : callable
        Ranks the board under one rule.
    current : Ranks
        The board under the rule that it was ranked by.

    Returns
    -------
    RuleComparison
    """
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
            boards[rule.name] = current if rule.name == current.rule else ranked(rule)
    if not boards:
        raise TauscopeError("None of these rules fits the scores: " + ", ".join(one.rule for one in left_out) + ".")
    # The best score is the best rank, whatever the sign of a rule's scores.
    by_system = [dict(zip(board.systems, board.rank.tolist(), strict=True)) for board in boards.values()]
    table = np.array([[ranks[system] for system in current.systems] for ranks in by_system])
    tau = correlation_matrix(-table.astype(np.float64), "tau_b").values if len(boards) > 1 else np.ones((1, 1))
    return RuleComparison(
        systems=current.systems,
        rules=tuple(boards),
        ranks=table,
        tau=np.asarray(tau, dtype=np.float64),
        left_out=tuple(left_out),
        own=current.rule,
        topics=len(scores.topics),
        name=current.name,
        level=current.level,
        _boards=boards,
    )


def _unfit(rule: Rule, scores: Scores, mixed: bool) -> str:
    """Return why a rule does not fit the scores; "" if it does."""
    if rule.positive and np.nanmin(scores.values) <= 0:
        return "lower" if scores.some_negated else "positive"
    if rule.one_scale and mixed:
        return "scale"
    return "clusters" if scores.clusters is not None and rule.limits is not None else ""
