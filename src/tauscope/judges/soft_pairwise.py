"""Soft pairwise accuracy: does a judge find the same differences as people do, and with the same confidence?"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..core.arrays import Floats, Ints, blocks, content_order, product, tally
from ..core.checking import SPA_ERROR_CELLS, Stream, spa_draws, stream
from ..data.alignment import aligned_scores
from ..data.scores import Scores
from ..errors import TauscopeError
from ..inference.true_means import NO_ERROR, Interval, StandardError, jackknife
from ..results import Plain, fact

Signs = NDArray[np.int8]
#: Groups of topics that are left out in turn.
MOST_GROUPS = 50
#: Rows of flips at once.
BLOCK = 5000
#: Sums that differ by less than this share of the largest are equal.
ROUNDING = 1e-9
#: Parts of the flips, each of which has a value and an error of its own, that say how far these depend on what was drawn.
PARTS = 10


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class SoftAccuracy(Plain):
    """Soft pairwise accuracy of a judge, with an interval, and the p-values behind it. One row per pair of systems.

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
        Number of topics that both have.
    draws, seed : int
        Number of sign flips, and their seed.
    monte_carlo : float
        Monte Carlo error of a limit of the interval, because the number of flips is finite. That of the value is smaller.
    """

    QUESTION: ClassVar[str] = "soft_accuracy"
    PAPERS: ClassVar[tuple[str, ...]] = ("thompson2024",)
    value: float
    accuracy: float
    error: float
    systems: tuple[str, ...]
    topics: int
    draws: int
    seed: int
    monte_carlo: float
    _p: tuple[Floats, Floats] = field(repr=False)
    _error: StandardError = field(default=NO_ERROR, repr=False)

    def __float__(self) -> float:
        return self.value

    @fact
    def interval(self) -> Interval:
        """Limits with confidence `level`: Student's t, within 0 and 1."""
        reach = self._error.reach(self.level)
        return Interval(max(0.0, self.value - reach), min(1.0, self.value + reach))

    def columns(self) -> dict[str, Any]:
        """One row per pair of systems."""
        first, second = np.triu_indices(len(self.systems), 1)
        human, judge = (p[first, second] for p in self._p)
        names = [self.systems[i] for i in first], [self.systems[j] for j in second]
        return {"first": names[0], "second": names[1], "p_people": human, "p_judge": judge}


def soft_pairwise_accuracy(
    estimate: Scores,
    truth: Scores,
    *,
    level: float = 0.95,
    draws: int | None = None,
    seed: int = 0,
    known: dict[bytes, Counted] | None = None,
) -> SoftAccuracy:
    """Measure whether a judge orders systems as people do, and is as sure of each pair as they are.

    SPA = 1 - mean over pairs i < j of |p_ij(people) - p_ij(judge)| (thompson2024), p_ij the one-sided p-value of "i is
    not better than j" in a paired permutation test: the share of sign flips of the topics whose difference is at least
    the observed one. The flips are the same for both, and for all pairs. A judge that says the opposite of people where
    they are sure loses a whole pair; where they are not, next to nothing. Topics that only one side has are left out.

    `known` keeps what was counted of each matrix, for several judges of the same people.

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
    few = signs[: spa_draws(len(own.systems), SPA_ERROR_CELLS)]
    counted = []
    for values in (people, judge):  # several judges of the same people: people's flips are counted once
        key = np.ascontiguousarray(values).tobytes()
        found = (known or {}).get(key) or Counted.of(values, signs, few)
        if known is not None:
            known[key] = found
        counted.append(found)
    human, own_counts = counted
    p, of_parts = _accuracies(human.whole, own_counts.whole)
    error, reaches = _error(human.left, own_counts.left, len(order), level)
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
        _p=(p[0], p[1]),
        _error=error,
    )


def _signs(seed: int, draws: int, topics: int) -> Signs:
    """draws x topics of -1 and 1, a byte each: many draws of many topics would not fit otherwise."""
    generator = stream(seed, Stream.FLIPS)
    parts = [generator.integers(0, 2, (part.stop - part.start, topics)) for part in blocks(draws, topics)]
    return np.concatenate([(2 * part - 1).astype(np.int8) for part in parts])


def _counted(values: Floats, signs: Signs | Floats, ends: Ints) -> Ints:
    """pairs x parts: the number of flips with sum_i - sum_j at least the observed one, i < j, in each part of the flips;
    `ends` are where the parts begin."""
    observed = values.sum(axis=0)
    slack = ROUNDING * max(float(np.abs(values).sum(axis=0).max()), 1e-300)
    found = np.zeros((len(observed) * (len(observed) - 1) // 2, len(ends)), np.int64)
    last = [*ends[1:].tolist(), len(signs)]
    step = max(1, len(ends) * BLOCK // len(signs))
    for first in range(0, len(ends), step):  # some parts at once
        starts, end = ends[first : first + step], last[min(first + step, len(ends)) - 1]
        flipped = np.ascontiguousarray(product(np.asarray(signs[starts[0] : end], float), values).T)
        at = 0
        for i in range(len(observed) - 1):
            more = flipped[i] - flipped[i + 1 :] >= (observed[i] - observed[i + 1 :] - slack)[:, None]
            counted = np.add.reduceat(more, starts - starts[0], axis=1, dtype=np.int64)
            found[at : at + len(more), first : first + step] = counted
            at += len(more)
    return found


def p_values(values: Floats, signs: Signs | Floats) -> Floats:
    """systems x systems: the share of flips with sum_i - sum_j at least the observed one, for i < j; 0 elsewhere."""
    found = np.zeros((values.shape[1], values.shape[1]))
    found[np.triu_indices(values.shape[1], 1)] = _counted(values, signs, np.zeros(1, np.int64))[:, 0] / len(signs)
    return found


def accuracy_of(people: Floats, judge: Floats) -> float:
    """1 - the mean difference of two tables of p-values."""
    above = np.triu_indices(len(people), 1)
    return 1 - float(np.abs(people - judge)[above].mean())


class Counted(NamedTuple):
    """How often flips reach what was observed under one matrix: pairs x parts of all flips, and of the few that are
    counted again without each group of topics; and the sizes of these parts."""

    whole: tuple[Ints, Ints]
    left: tuple[list[Ints], Ints]

    @classmethod
    def of(cls, values: Floats, signs: Signs, few: Signs) -> Counted:
        """Count flips of all topics, and of those without one group after the other."""
        n = len(values)
        groups = min(n, MOST_GROUPS)
        member = np.arange(n) % groups
        left = []
        ends, sizes = _parts(len(few))
        if n - n // groups >= 2:
            for group in range(-1, groups):  # the first leaves nothing out
                kept = member != group
                left.append(_counted(values[kept], few[:, kept], ends))
        every, all_sizes = _parts(len(signs))
        return cls((_counted(values, signs, every), all_sizes), (left, sizes))


def _parts(flips: int) -> tuple[Ints, Ints]:
    """Where parts of the flips begin, and their sizes."""
    sizes = np.array([len(part) for part in np.array_split(np.arange(flips), min(PARTS, flips))])
    return np.cumsum(sizes) - sizes, sizes


def _accuracies(people: tuple[Ints, Ints], judge: tuple[Ints, Ints]) -> tuple[list[Floats], Floats]:
    """The p-values of both from all flips, and the accuracy from each part of the flips."""
    sizes = people[1]
    of_parts = 1 - np.abs(people[0] / sizes - judge[0] / sizes).mean(axis=0)
    size = (1 + math.isqrt(1 + 8 * len(people[0]))) // 2
    tables = []
    for counted, _ in (people, judge):
        table = np.zeros((size, size))
        table[np.triu_indices(size, 1)] = counted.sum(axis=1) / sizes.sum()
        tables.append(table)
    return tables, np.asarray(of_parts)


def _spread(of_parts: Floats) -> float:
    """The Monte Carlo error of what has these values in parts of the flips; NaN where there is one part only."""
    n = len(of_parts)
    return float(of_parts.std(ddof=1)) / math.sqrt(n) if n > 1 else math.nan


def _error(
    people: tuple[list[Ints], Ints], judge: tuple[list[Ints], Ints], n: int, level: float
) -> tuple[StandardError, Floats]:
    """By a jackknife over topics, or over groups of them; and how far limits reach by parts of the flips."""
    if not people[0]:
        return NO_ERROR, np.zeros(2)
    left, of_parts = [], []
    for both in zip(people[0], judge[0], strict=True):
        p, own = _accuracies(*((one, people[1]) for one in both))
        left.append(accuracy_of(*p))
        of_parts.append(own)
    sizes = tally(np.arange(n) % min(n, MOST_GROUPS)).astype(float)
    reaches = [jackknife(own[0], own[1:], sizes).reach(level) for own in np.array(of_parts).T]
    return jackknife(left[0], np.array(left[1:]), sizes), np.array(reaches)
