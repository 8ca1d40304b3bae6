"""`soft_pairwise_accuracy()`: does a judge find the same differences, and as surely as people do?"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from .. import checking
from ..arrays import Floats, tally
from ..errors import TauscopeError
from ..expected.intervals import Interval
from ..expected.jackknife import NO_ERROR, StandardError, jackknife
from ..files.door import ScoresLike, takes_scores
from ..jobs.draws import SPA_DRAWS
from ..jobs.seeds import Rng, Stream, remembered, stream
from ..results import Result, count, number, word
from ..scores.alignment import REQUIRED, aligned_scores, require_truth
from ..significance.observed import content_marks

#: Groups of topics that are left out in turn.
MOST_GROUPS = 50
#: Rows of flips at once.
BLOCK = 2000
#: Sums that differ by less than this share of the largest are equal.
ROUNDING = 1e-9


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class SoftAccuracy(Result):
    """Soft pairwise accuracy of a judge, with an interval, and the p-values behind it.

    Parameters
    ----------
    value : float
        1 - mean over pairs of |p_people - p_judge|; `float()` gives it.
    accuracy : float
        Beside it, the share of pairs in the same order (pairwise accuracy); pairs that one side ties count as wrong.
    error : float
        Standard error, by a jackknife over topics.
    level : float
        Confidence of the interval.
    systems : tuple of str
        The systems.
    topics : int
        How many both have.
    draws, seed : int
        Sign flips, and what repeats them.
    notes : tuple of str
        What was dropped.
    """

    value: float
    accuracy: float
    error: float
    level: float
    systems: tuple[str, ...]
    topics: int
    draws: int
    seed: int
    notes: tuple[str, ...] = ()
    _p: tuple[Floats, Floats] = field(repr=False)
    _error: StandardError = field(default=NO_ERROR, repr=False)

    def __float__(self) -> float:
        return self.value

    @property
    def interval(self) -> Interval:
        """Limits with confidence `level`: Student's t, within 0 and 1."""
        reach = self._error.reach(self.level)
        return Interval(max(0.0, self.value - reach), min(1.0, self.value + reach))

    def lines(self) -> list[str]:
        """The value with its interval, and how it was made."""
        low, high = self.interval
        left = f"; {'; '.join(self.notes)}" if self.notes else ""
        return [
            f"Soft pairwise accuracy {number(self.value)} [{number(low)}, {number(high)}] (pairwise accuracy "
            f"{number(self.accuracy)})   {count(len(self.systems), 'system')} x {count(self.topics, 'topic')}",
            f"one-sided p-values from {self.draws:,} sign flips, the same for both; {self.level * 100:g} % interval by a "
            f"jackknife over {word('topics')}, seed {self.seed}{left}",
        ]

    def methods_sentence(self) -> str:
        """The sentence a paper needs: what was compared, and how.

        Returns
        -------
        str
            One sentence.
        """
        low, high = self.interval
        return (
            f"Soft pairwise accuracy (thompson2024) is {number(self.value)} ({self.level * 100:g} % interval {number(low)} "
            f"to {number(high)}) over {count(len(self.systems), 'system')} and {count(self.topics, 'topic')}, from "
            f"{self.draws:,} sign flips (seed {self.seed})."
        )

    def columns(self) -> dict[str, Any]:
        """One row per pair of systems."""
        first, second = np.triu_indices(len(self.systems), 1)
        human, judge = (p[first, second] for p in self._p)
        names = [self.systems[i] for i in first], [self.systems[j] for j in second]
        return {"first": names[0], "second": names[1], "p_people": human, "p_judge": judge}

    def cited(self) -> tuple[str, ...]:
        """Whose method this is."""
        return ("thompson2024",)

    def plot(self) -> Any:
        """One mark per pair: people's p-value against the judge's; on the diagonal they are as sure."""
        from ..figures import scatter

        table = self.columns()
        labels = [f"{a} > {b}" for a, b in zip(table["first"], table["second"], strict=True)]
        title = f"Soft pairwise accuracy {number(self.value)}"
        x, y = "p-value under people", "p-value under the judge"
        return scatter(table["p_people"], table["p_judge"], labels, x=x, y=y, title=title, diagonal=True)


@takes_scores("estimate", "truth", in_order=("topics", "systems"))
def soft_pairwise_accuracy(
    estimate: ScoresLike,
    *unnamed: Any,
    truth: ScoresLike = REQUIRED,
    draws: int = SPA_DRAWS,
    level: float = 0.95,
    one_sided: str = "error",
    rng: Rng = 0,
) -> SoftAccuracy:
    """Does a judge order systems as people do, and is it as sure of each pair as they are?

    SPA = 1 - mean over pairs i < j of |p_ij(people) - p_ij(judge)| (thompson2024), p_ij the one-sided p-value of "i is
    no better than j" in a paired permutation test: the share of sign flips of the topics whose difference is at least
    the observed one. The flips are the same for both, and for all pairs. A judge that says the opposite of people where
    they are sure loses a whole pair; where they are not, next to nothing.

    Two systems with the same scores on all topics have p = 1 both ways; ties of means need no rule. Do not compare it
    across collections: it grows where people are unsure of all pairs, and so does the judge.

    Parameters
    ----------
    estimate : Scores, or what read_scores() takes
        The judge: one row per topic, one column per system, a score in every cell.
    *unnamed, truth : Scores, or what read_scores() takes
        People's scores on the same topics, given by name. Required.
    draws : int, default 1000
        Sign flips.
    level : float, default 0.95
        Confidence of the interval.
    one_sided : {"error", "drop"}, default "error"
        What to do with systems and topics that only one of the two has.
    rng : int, Generator or None, default 0
        Seed of the flips; None takes a fresh one, which the result remembers.

    Returns
    -------
    SoftAccuracy
        The value with `.interval`, and the p-values of all pairs.

    Raises
    ------
    CallError
        Where the truth is not given by name.
    AlignmentError
        Where systems or topics are on one side only.
    TauscopeError
        Where there are fewer than two systems or topics.

    See Also
    --------
    compare : agreement of the rankings without the noise of the topics.
    audit : this and all else there is to ask of a judge.

    Examples
    --------
    >>> from tauscope import Scores
    >>> human = Scores([[0.9, 0.5, 0.1], [0.8, 0.6, 0.3], [0.7, 0.6, 0.2], [0.9, 0.4, 0.3]])
    >>> soft_pairwise_accuracy(human, truth=human).value
    1.0
    """
    require_truth(truth, unnamed, "soft_pairwise_accuracy(estimate, truth=…)")
    level, seed = checking.level(level), remembered(rng)
    draws = checking.whole(draws, "draws", least=1)
    same = aligned_scores({"estimate": estimate, "truth": truth}, "soft_pairwise_accuracy()", one_sided, topics=True)
    own, gold = same.scores
    if len(own.systems) < 2 or len(own.topics) < 2:
        raise TauscopeError("soft_pairwise_accuracy() needs at least two systems and two topics.")
    # An order of their own, so that nothing depends on how a file lists its topics.
    order = sorted(
        range(len(own.topics)),
        key=list(zip(content_marks(gold.values), content_marks(own.values), strict=True)).__getitem__,
    )
    people, judge = gold.values[order], own.values[order]
    signs = _signs(seed, draws, len(order))
    p = p_values(people, signs), p_values(judge, signs)
    value = accuracy_of(*p)
    error = _error(people, judge, signs, value)
    first, second = np.triu_indices(len(own.systems), 1)
    gaps = [x.mean(axis=0)[first] - x.mean(axis=0)[second] for x in (people, judge)]
    return SoftAccuracy(
        value=value,
        accuracy=float((np.sign(gaps[0]) * np.sign(gaps[1]) > 0).mean()),
        error=error.deviation,
        level=level,
        systems=own.systems,
        topics=len(order),
        draws=draws,
        seed=seed,
        notes=same.notes,
        _p=p,
        _error=error,
    )


def _signs(seed: int, draws: int, topics: int) -> Floats:
    return np.asarray(stream(seed, Stream.FLIPS).integers(0, 2, (draws, topics)) * 2.0 - 1)


def p_values(values: Floats, signs: Floats) -> Floats:
    """systems x systems: the share of flips with sum_i - sum_j at least the observed one."""
    observed = values.sum(axis=0)
    slack = ROUNDING * max(float(np.abs(values).sum(axis=0).max()), 1e-300)
    found = np.zeros((len(observed), len(observed)))
    for begin in range(0, len(signs), BLOCK):
        flipped = signs[begin : begin + BLOCK] @ values
        for i in range(len(observed)):
            found[i] += (flipped[:, i : i + 1] - flipped >= observed[i] - observed - slack).sum(axis=0)
    return found / len(signs)


def accuracy_of(people: Floats, judge: Floats) -> float:
    """1 - the mean difference of two tables of p-values."""
    above = np.triu_indices(len(people), 1)
    return 1 - float(np.abs(people - judge)[above].mean())


def _error(people: Floats, judge: Floats, signs: Floats, value: float) -> StandardError:
    """By a jackknife over topics, or over groups of them."""
    n = len(people)
    groups = min(n, MOST_GROUPS)
    if n - n // groups < 2:
        return NO_ERROR
    member = np.arange(n) % groups
    few = signs[:1000]  # as precise as an error needs to be
    base = accuracy_of(p_values(people, few), p_values(judge, few))
    left = []
    for group in range(groups):
        kept = member != group
        left.append(accuracy_of(*(p_values(x[kept], few[:, kept]) for x in (people, judge))))
    return jackknife(base, np.array(left), tally(member).astype(float))
