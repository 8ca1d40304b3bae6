"""`soft_pairwise_accuracy()`: does a judge find the same differences, and as surely as people do?"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..arrays import Floats, blocks, tally
from ..errors import TauscopeError
from ..expected.intervals import NO_ERROR, Interval, StandardError, jackknife
from ..jobs.draws import SPA_ERROR_CELLS, spa_draws
from ..jobs.seeds import Stream, stream
from ..reference.differences import content_order
from ..results import Result, count, number, word
from ..scores import Scores
from ..scores.alignment import aligned_scores
from .attenuation import NOTICEABLE

Signs = NDArray[np.int8]
#: Groups of topics that are left out in turn.
MOST_GROUPS = 50
#: Rows of flips at once.
BLOCK = 2000
#: Sums that differ by less than this share of the largest are equal.
ROUNDING = 1e-9
#: Parts of the flips, each of which has a value and an error of its own, that say how far these hang on what was drawn.
PARTS = 10


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
    monte_carlo : float
        How far a limit of the interval may be off because flips are not without number: its Monte Carlo error. That of
        the value is smaller.
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
    monte_carlo: float
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
        if self.monte_carlo > NOTICEABLE:
            left = f" (Monte Carlo error {number(self.monte_carlo)}){left}"
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


def soft_pairwise_accuracy(
    estimate: Scores, truth: Scores, *, level: float = 0.95, draws: int | None = None, seed: int = 0
) -> SoftAccuracy:
    """Measure whether a judge orders systems as people do, and is as sure of each pair as they are.

    SPA = 1 - mean over pairs i < j of |p_ij(people) - p_ij(judge)| (thompson2024), p_ij the one-sided p-value of "i is
    not better than j" in a paired permutation test: the share of sign flips of the topics whose difference is at least
    the observed one. The flips are the same for both, and for all pairs. A judge that says the opposite of people where
    they are sure loses a whole pair; where they are not, next to nothing. Topics that only one side has are left out.

    Two systems with the same scores on all topics have p = 1 in both directions. Do not compare it across collections: it
    grows if people are unsure of all pairs, and so is the judge.
    """
    same = aligned_scores({"estimate": estimate, "truth": truth}, "soft_accuracy()", "drop", topics=True, clusters=True)
    own, gold = same.scores
    if len(own.systems) < 2 or len(own.topics) < 2:
        raise TauscopeError("soft_accuracy() needs at least two systems and two topics.")
    # An order of their own, so that nothing depends on how a file lists its topics.
    order = content_order(own.values, gold.values)
    people, judge = gold.values[order], own.values[order]
    draws = spa_draws(len(own.systems)) if draws is None else draws
    signs = _signs(seed, draws, len(order))
    p, of_parts = _accuracies(people, judge, signs)
    error, reaches = _error(people, judge, signs, level)
    first, second = np.triu_indices(len(own.systems), 1)
    gaps = [x.mean(axis=0)[first] - x.mean(axis=0)[second] for x in (people, judge)]
    return SoftAccuracy(
        value=accuracy_of(*p),
        accuracy=float((np.sign(gaps[0]) * np.sign(gaps[1]) > 0).mean()),
        error=error.deviation,
        level=level,
        systems=own.systems,
        topics=len(order),
        draws=draws,
        seed=seed,
        monte_carlo=math.hypot(_spread(of_parts), _spread(reaches)),
        notes=same.notes,
        _p=p,
        _error=error,
    )


def _signs(seed: int, draws: int, topics: int) -> Signs:
    """draws x topics of -1 and 1, a byte each: many draws of many topics would not fit otherwise."""
    generator = stream(seed, Stream.FLIPS)
    parts = [generator.integers(0, 2, (part.stop - part.start, topics)) for part in blocks(draws, topics)]
    return np.concatenate([(2 * part - 1).astype(np.int8) for part in parts])


def _counted(values: Floats, signs: Signs | Floats) -> Floats:
    """systems x systems: the number of flips with sum_i - sum_j at least the observed one."""
    observed = values.sum(axis=0)
    slack = ROUNDING * max(float(np.abs(values).sum(axis=0).max()), 1e-300)
    found = np.zeros((len(observed), len(observed)))
    for begin in range(0, len(signs), BLOCK):
        flipped = np.asarray(signs[begin : begin + BLOCK], float) @ values
        for i in range(len(observed)):
            found[i] += (flipped[:, i : i + 1] - flipped >= observed[i] - observed - slack).sum(axis=0)
    return found


def p_values(values: Floats, signs: Signs | Floats) -> Floats:
    """systems x systems: the share of flips with sum_i - sum_j at least the observed one."""
    return _counted(values, signs) / len(signs)


def accuracy_of(people: Floats, judge: Floats) -> float:
    """1 - the mean difference of two tables of p-values."""
    above = np.triu_indices(len(people), 1)
    return 1 - float(np.abs(people - judge)[above].mean())


def _accuracies(people: Floats, judge: Floats, signs: Signs) -> tuple[tuple[Floats, Floats], Floats]:
    """The p-values of both from all flips, and the accuracy from each part of the flips."""
    total = [np.zeros((people.shape[1], people.shape[1])) for _ in range(2)]
    of_parts = []
    for part in np.array_split(signs, min(PARTS, len(signs))):
        counted = [_counted(x, part) for x in (people, judge)]
        of_parts.append(accuracy_of(*(own / len(part) for own in counted)))
        for whole, own in zip(total, counted, strict=True):
            whole += own
    return (total[0] / len(signs), total[1] / len(signs)), np.array(of_parts)


def _spread(of_parts: Floats) -> float:
    """The Monte Carlo error of what has these values in parts of the flips; NaN where there is one part only."""
    n = len(of_parts)
    return float(of_parts.std(ddof=1)) / math.sqrt(n) if n > 1 else math.nan


def _error(people: Floats, judge: Floats, signs: Signs, level: float) -> tuple[StandardError, Floats]:
    """By a jackknife over topics, or over groups of them; and how far limits reach by parts of the flips."""
    n = len(people)
    groups = min(n, MOST_GROUPS)
    if n - n // groups < 2:
        return NO_ERROR, np.zeros(2)
    member = np.arange(n) % groups
    few = signs[: spa_draws(people.shape[1], SPA_ERROR_CELLS)]
    left, of_parts = [], []
    for group in range(-1, groups):  # the first leaves nothing out
        kept = member != group
        p, own = _accuracies(people[kept], judge[kept], few[:, kept])
        left.append(accuracy_of(*p))
        of_parts.append(own)
    sizes = tally(member).astype(float)
    reaches = [jackknife(own[0], own[1:], sizes).reach(level) for own in np.array(of_parts).T]
    return jackknife(left[0], np.array(left[1:]), sizes), np.array(reaches)
