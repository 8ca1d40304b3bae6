"""How much of the spread of observed means is real, in all and group by group, and how well is that known?

Means of systems have an error covariance Z'Z, with one row of `influence` Z per topic: what the topic adds to the mean
of each system, over the root of n(n-1). The observed variance S of the means is true spread and error together,
S = tau² + error, and the reliability is g = tau²/(tau² + error). S is one draw of (tau² + error) chi²_f/f, where f, the
degrees of freedom, is below the number of systems because systems err together: f = (tr T)²/tr T², T the covariance of
the means at that tau². So every g has the chance of an S at least as large as the one observed,

    C(g) = P(F_{f(g), f2/(1-g)²} >= S (1 - g)/error),

f2 being the degrees of freedom of the error itself, and C is the confidence that the reliability is at most g (a
confidence distribution: its quantiles are one-sided limits of g).

One reliability for all systems fails where a close head stands beside a few bad baselines: the baselines make the
spread, and the head gets the credit. So two groups are tried, and three, by a mixture of normal distributions of true
means behind known errors. The weight of each number of groups is that of the Bayesian information criterion for lower
limits, where groups that go unseen must not be missed; for values and upper limits another group must explain half as
much again. Gaps inside a group shrink by the reliability of the group, gaps between groups do not. Where most of what
is seen of a group is noise, C has much of its confidence at g = 0, and draws of the true means must be free to be in
any order (`Reliability.floor`).
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from ..core.arrays import Floats, Ints, product

#: Shrinking goes no further: below this, the observed spread is hardly more than noise.
FLOOR = 0.05
#: With more confidence than this that the reliability is below the floor, there is no floor.
DOUBT = 0.25
#: What stands for no reliability at all, where gaps are divided by it.
NONE_AT_ALL = 1e-6
#: Error variances below this, whose squares are no longer numbers, are none.
LEAST_ERROR = 1e-100
#: Reliabilities of which the confidence is computed.
GRID = np.concatenate([np.linspace(0.0, 0.9, 46), 1 - np.geomspace(0.09, 1e-6, 40)])
#: Fewer systems are one group.
FEWEST_IN_TWO = 8
#: A group of fewer has no spread of its own: its systems stay where they were observed.
FEWEST_IN_ONE = 2.0
#: How many times what the Bayesian information criterion asks another group must explain.
CAUTION = 1.5
#: So many groups of systems are tried at most.
MOST_IN_MIXTURE = 3
#: Groups that are less likely than this are not thought about, those that are likelier than that are spoken of.
UNLIKELY, LIKELY = 1e-3, 0.5
#: The step of the Kronecker sequence of one dimension: its places are as even as can be, and those of its parts, too.
GOLDEN = (math.sqrt(5) - 1) / 2
#: Steps of the first fits of several groups, from several starts, and of the last one, from the best of them.
FIRST_STEPS, LAST_STEPS = 15, 80
#: A fit has settled where a step adds less than this to its log-likelihood.
SETTLED = 1e-7
#: A system's noise is the median over so many others.
MOST_PARTNERS = 200


@dataclass(frozen=True, eq=False, kw_only=True)
class Reliability:
    """How much of the spread of a group of means is real: `observed` and `error` are variances, `confidence` is that in
    each value of `GRID` as an upper limit, `freedom` the degrees of freedom of the observed variance."""

    observed: float
    error: float
    freedom: float
    confidence: Floats

    @classmethod
    def of(
        cls,
        means: Floats,
        influence: Floats,
        weights: Floats | None = None,
        groups: int = 1,
        known: float | None = None,
    ) -> Reliability:
        """Estimate the reliability of means, and how well it is known.

        Parameters
        ----------
        means : array of float
            Means without that of their group.
        influence : array of topics x systems
            What each topic adds to each mean, without the mean of the group too.
        weights : array of float, optional
            How far each system is in the group, at most 1; None for a group of all.
        groups : int, default 1
            Number of means that were taken off where several groups are looked at together.
        known : float, optional
            Degrees of freedom of the error covariance where the rows of `influence` are not topics but the directions
            of a covariance.

        Returns
        -------
        Reliability
            Without noise it has no confidence in anything but a reliability of 1.
        """
        from scipy.special import fdtrc

        own = np.ones(len(means)) if weights is None else weights
        free = max(float(own.sum() - (own @ own) / own.sum()) if groups == 1 else max(len(means) - groups, 1), 1e-9)
        scaled = influence if weights is None else influence * np.sqrt(own)
        total, square = _trace_and_square(scaled)
        observed, error = float(own @ means**2) / free, total / free
        if not error > max(1e-24 * observed, LEAST_ERROR):  # nothing is noise
            return cls(observed=observed, error=error, freedom=free, confidence=np.zeros(len(GRID)))
        spread = error * GRID / (1 - GRID)
        freedom = (total + spread * free) ** 2 / (square + 2 * spread * total + spread**2 * free)
        if known is None:
            by_topic = np.einsum("tm,tm->t", scaled, scaled)
            vary = float(by_topic.var(ddof=1)) if len(by_topic) > 1 else math.inf
            of_error = min(2 * total**2 / max(len(by_topic) * vary, 1e-300), 1e9)
        else:
            of_error = min(known * total**2 / square, 1e9)
        confidence = fdtrc(freedom, np.maximum(of_error / (1 - GRID) ** 2, 1.0), observed * (1 - GRID) / error)
        at = float(np.interp(max(0.0, 1 - error / observed) if observed > 0 else 0.0, GRID, freedom))
        return cls(observed=observed, error=error, freedom=at, confidence=np.maximum.accumulate(np.asarray(confidence)))

    @property
    def raw(self) -> float:
        """1 - error/observed; can be negative, NaN where all means are equal."""
        return 1 - self.error / self.observed if self.observed > 0 else math.nan

    def quantiles(self, shares: Floats, floor: float = FLOOR) -> Floats:
        """Return the reliabilities that are not exceeded with these confidences.

        Parameters
        ----------
        shares : array of float
            Confidences, between 0 and 1.
        floor : float, default FLOOR
            The lowest reliability that is returned.

        Returns
        -------
        array of float
        """
        return np.asarray(np.maximum(np.interp(shares, self.confidence, GRID, left=0.0, right=GRID[-1]), floor))

    @property
    def floor(self) -> float:
        """How low the reliability of a group may go: `FLOOR`, or where more than `DOUBT` of the confidence is below
        that, where `DOUBT` is reached. There the floor would promise an order that the means do not show."""
        return max(NONE_AT_ALL, float(self.quantiles(np.array([DOUBT]), 0.0).clip(max=FLOOR)[0]))

    def spreads(self, shares: Floats, floor: float = FLOOR) -> Floats:
        """Return the true variances that are not exceeded with these confidences: error g/(1 - g).

        Parameters
        ----------
        shares : array of float
            Confidences, between 0 and 1.
        floor : float, default FLOOR
            The lowest reliability.

        Returns
        -------
        array of float
        """
        g = self.quantiles(shares, floor)
        return np.asarray(self.error * g / (1 - g))


def _trace_and_square(influence: Floats) -> tuple[float, float]:
    """Trace of Z'Z and the sum of its squared entries, by the smaller of Z'Z and ZZ'."""
    topics, systems = influence.shape
    gram = product(influence, influence.T) if topics < systems else product(influence.T, influence)
    return float(np.trace(gram)), float((gram * gram).sum())


@dataclass(frozen=True, eq=False, kw_only=True)
class Groups:
    """One way to see the systems: `weight` among all ways, `wary`, the same for lower limits, and `members`, systems x
    groups, how likely each is where."""

    weight: float
    wary: float
    members: Floats

    @property
    def count(self) -> int:
        """How many groups."""
        return int(self.members.shape[1])

    @property
    def shares(self) -> Floats:
        """systems x groups, columns that sum to 1."""
        return np.asarray(self.members / np.maximum(self.members.sum(axis=0), 1e-300))

    def of_systems(self, places: Ints) -> Groups:
        """The same of some systems, or of all in another order."""
        return Groups(weight=self.weight, wary=self.wary, members=self.members[places])

    def within(self, values: Floats, group: int) -> Floats:
        """Values, systems last, without the mean of a group."""
        return np.asarray(values - product(values, self.shares[:, group])[..., None])

    def within_own(self, values: Floats) -> Floats:
        """Values, systems last, without the mean of the group of each."""
        return np.asarray(values - product(product(values, self.shares), self.members.T))

    def drawn(self, draws: int, generator: np.random.Generator) -> Ints:
        """Which group each system is in, draws x systems."""
        if self.count == 1:
            return np.zeros((draws, len(self.members)), np.int64)
        reached = np.cumsum(self.members, axis=1)[:, :-1]
        return np.asarray((generator.random((draws, len(reached), 1)) > reached).sum(axis=2))


def groups_of(means: Floats, influence: Floats, known: float | None = None) -> tuple[Groups, ...]:
    """Find how systems may be grouped: as one group, and where they are likely as two and as three.

    Mixtures of normal distributions of true means behind known errors are fitted by expectation-maximisation. The
    weight of a number of groups is that of the Bayesian information criterion for lower limits, where an unseen group
    would make the limit too high; for values and upper limits, another group must explain `CAUTION` times as much.

    Parameters
    ----------
    means : array of float
        Means of the systems without the mean of all.
    influence : array of topics x systems
        What each topic adds to each mean, without the mean of all.
    known : float, optional
        As in `Reliability.of()`.

    Returns
    -------
    tuple of Groups
        The first has one group; weights of all add up to 1.
    """
    m = len(means)
    one = Groups(weight=1.0, wary=1.0, members=np.ones((m, 1)))
    if m < FEWEST_IN_TWO:
        return (one,)
    noise = _noise(influence)
    all_of = Reliability.of(means, influence, known=known)
    if not noise.any() or not all_of.raw > 0:
        return (one,)
    noise = np.maximum(noise, 1e-3 * float(noise.mean()))
    single, _ = _fitted(means, noise, one.members[None], LAST_STEPS)
    freedom = max(all_of.freedom, 2.0)
    fits, gains, starts = [one.members], [0.0], _starts(means)
    while len(fits) < MOST_IN_MIXTURE and len(starts):
        found, members = _fitted(means, noise, starts, FIRST_STEPS)
        likelihood, members = _fitted(means, noise, members[[int(np.argmax(found))]], LAST_STEPS)
        gains.append(2 * freedom / (m - 1) * float(likelihood[0] - single[0]))
        fits.append(members[0])
        starts = _further_starts(means, members[0])
    # Each group but the first has a size, a centre and a spread.
    asked = 3 * math.log(freedom) * np.arange(len(fits))
    weights, wary = _weights(np.array(gains) - CAUTION * asked), _weights(np.array(gains) - asked)
    return tuple(
        Groups(weight=float(weight), wary=float(wary), members=members)
        for number, (weight, wary, members) in enumerate(zip(weights, wary, fits, strict=True))
        if weight or wary or not number
    )


def _weights(gains: Floats) -> Floats:
    """The weight of each number of groups, from twice its log-likelihood less what it costs; 0 where it is unlikely."""
    weights = np.exp(np.maximum(gains - gains.max(), -100.0) / 2)
    weights[1:][weights[1:] < UNLIKELY * weights.sum()] = 0.0
    return np.asarray(weights / weights.sum())


def _noise(influence: Floats) -> Floats:
    """The error variance of each mean beside its neighbours: half the median variance of its differences, mixed evenly
    with that of all. Bad systems, which err in ways of their own, are not to make good ones look noisy."""
    m = influence.shape[1]
    partners = np.unique(np.linspace(0, m - 1, min(m, MOST_PARTNERS)).astype(int))
    own = np.einsum("tm,tm->m", influence, influence)
    pair = own[:, None] + own[partners] - 2 * product(influence.T, influence[:, partners])
    pair[partners, np.arange(len(partners))] = math.inf
    half = np.maximum(np.median(pair, axis=1), 0.0) / 2
    return np.asarray((half + np.median(half)) / 2)


def _starts(means: Floats) -> Floats:
    """Two groups to start from: cut at the widest gaps and at quarters, and the middle against both ends."""
    m = len(means)
    order = np.argsort(-means, kind="stable")
    gaps = means[order][:-1] - means[order][1:]
    cuts = {int(c) + 1 for c in np.argsort(-gaps, kind="stable")[:6]} | {m // 4, m // 2, 3 * m // 4}
    found = []
    for cut in sorted(cuts):
        first = np.full(m, 0.01)
        first[order[:cut]] = 0.99
        found.append(first)
    far = np.argsort(np.abs(means - np.median(means)), kind="stable")
    middle = np.full(m, 0.1)
    middle[far[: 3 * m // 4]] = 0.9
    first = np.stack([*found, middle])
    return np.stack([first, 1 - first], axis=2)


def _further_starts(means: Floats, members: Floats) -> Floats:
    """One more group to start from: each of the groups cut at its widest gaps, at a quarter and at its middle."""
    order = np.argsort(-means, kind="stable")
    found = []
    for group in range(members.shape[1]):
        inside = order[members[order, group] > 0.5]
        if len(inside) < 3:
            continue
        gaps = means[inside][:-1] - means[inside][1:]
        cuts = {int(c) + 1 for c in np.argsort(-gaps, kind="stable")[:4]} | {max(1, len(inside) // 4), len(inside) // 2}
        for cut in sorted(cuts):
            upper = np.full(len(means), 0.01)
            upper[inside[:cut]] = 0.99
            own = members[:, [group]] * np.stack([upper, 1 - upper], axis=1)
            found.append(np.concatenate([np.delete(members, group, axis=1), own], axis=1))
    return np.stack(found) if found else np.zeros((0, *members.shape))


def _fitted(means: Floats, noise: Floats, members: Floats, steps: int) -> tuple[Floats, Floats]:
    """Log-likelihood and members of mixtures of normal groups behind known noise, by expectation-maximisation.

    `members` is fits x systems x groups, to start from.
    """
    least = 1e-3 * float(noise.mean())
    members = np.ascontiguousarray(members.transpose(0, 2, 1))  # systems last: sums run along memory
    size = members.sum(axis=2, keepdims=True)
    centre = _dot(members, means) / size
    off = means - centre
    spread = np.maximum(_dot(members, off * off) / size - noise.mean(), 50 * least)
    likelihood = np.full(len(members), -math.inf)
    for _ in range(steps):
        variance = spread + noise
        log = np.log(size / len(means)) - 0.5 * (np.log(variance) + off * off / variance)
        top = log.max(axis=1)
        members = np.exp(log - top[:, None])
        total = members.sum(axis=1)
        before, likelihood = likelihood, (top + np.log(total)).sum(axis=1)
        members /= total[:, None]
        if (likelihood - before < SETTLED).all():
            break
        size = members.sum(axis=2, keepdims=True) + 1e-9
        real = spread / variance
        believed = centre + real * off
        centre = _dot(members, believed) / size
        spread = np.maximum(_dot(members, (believed - centre) ** 2 + real * noise) / size, least)
        off = means - centre
    return likelihood, members.transpose(0, 2, 1)


def _dot(first: Floats, second: Floats) -> Floats:
    """Sums of products along the last axis, which stays."""
    return np.asarray(np.einsum("...m,...m->...", first, second))[..., None]


class Split(NamedTuple):
    """One of several groups: the places of its systems, and its reliability, None where it is too small to have one."""

    systems: Ints
    reliability: float | None


@dataclass(frozen=True, eq=False, kw_only=True)
class LocalReliability:
    """The reliability of means in one group or in several.

    `means` are without the mean of all systems; `ways` is how the systems may be grouped, `of_groups` for each way the
    reliability of each group, None where it has too few systems to spread.
    """

    means: Floats
    ways: tuple[Groups, ...]
    of_groups: tuple[tuple[Reliability | None, ...], ...]

    @classmethod
    def of(cls, means: Floats, influence: Floats, ways: tuple[Groups, ...] | None = None) -> LocalReliability:
        """From means and influence, topics x systems, both without the mean of all systems; `ways` may be known."""
        return cls._in(groups_of(means, influence) if ways is None else ways, means, influence)

    @classmethod
    def of_directions(cls, means: Floats, directions: Floats, freedom: float) -> LocalReliability:
        """From means and the directions of their error covariance, both without the mean of all systems; `freedom`: of
        that covariance."""
        return cls._in(groups_of(means, directions, freedom), means, directions, freedom)

    @classmethod
    def _in(
        cls, ways: tuple[Groups, ...], means: Floats, influence: Floats, known: float | None = None
    ) -> LocalReliability:
        found = tuple(
            tuple(_of_group(way, group, means, influence, known) for group in range(way.count)) for way in ways
        )
        return cls(means=means, ways=ways, of_groups=found)

    def seen_one_way(self) -> Iterator[tuple[Groups, LocalReliability]]:
        """Each way to see the systems, and what is known if it is the right one."""
        for way, found in zip(self.ways, self.of_groups, strict=True):
            sure = Groups(weight=1.0, wary=1.0, members=way.members)
            yield way, LocalReliability(means=self.means, ways=(sure,), of_groups=(found,))

    @property
    def split(self) -> tuple[Split, ...] | None:
        """The groups, the one with the highest mean first; None where systems may well be one group, or where a group
        lies on both sides of another (a middle and what is far from it)."""
        if self.ways[0].weight >= 1 - LIKELY:
            return None
        number = max(range(1, len(self.ways)), key=lambda way: self.ways[way].weight)
        place = self.ways[number].members.argmax(axis=1)
        parts = [
            Split(np.flatnonzero(place == group), None if found is None else found.raw)
            for group, found in enumerate(self.of_groups[number])
        ]
        parts = sorted((part for part in parts if len(part.systems)), key=lambda part: -self.means[part.systems].mean())
        apart = all(
            self.means[upper.systems].min() > self.means[lower.systems].max() for upper, lower in pairwise(parts)
        )
        return tuple(parts) if apart and len(parts) > 1 else None

    def terms(self, shares: Floats, pairs: tuple[Ints, Ints]) -> Iterator[tuple[Floats, Floats]]:
        """List the reliabilities that a pair of systems could have, with their weights.

        Parameters
        ----------
        shares : array of float
            Confidences at which reliabilities are taken.
        pairs : (array of int, array of int)
            The systems of each pair.

        Yields
        ------
        (array, array)
            The weight of each pair, and the reliabilities at these confidences, or 1 for pairs of different groups,
            whose gaps do not shrink. For each pair the weights add up to 1.
        """
        first, second = pairs
        for way, found in zip(self.ways, self.of_groups, strict=True):
            if not way.weight:
                continue
            left = np.full(len(first), way.weight)
            for group, reliability in enumerate(found):
                if reliability is None:
                    continue
                together = way.weight * way.members[first, group] * way.members[second, group]
                left -= together
                yield together, reliability.quantiles(shares, reliability.floor)
            if way.count > 1:
                yield np.maximum(left, 0.0), np.ones(1)

    def believed(self, deviations: Floats, shares: Floats, chosen: Ints, generator: np.random.Generator) -> Floats:
        """Turn resampled deviations into plausible true means.

        Gaps inside a group shrink by the reliability of the group, and so do the deviations by its root; the centre of
        a group moves with its systems, and gaps between groups do not shrink.

        Parameters
        ----------
        deviations : array of draws x systems
            Deviations of the means over resampled topics.
        shares : array of float
            The confidence of the reliability that each draw has.
        chosen : array of int
            The grouping that each draw takes.
        generator : Generator
            Draws the group of systems that lie between groups.

        Returns
        -------
        array of draws x systems
        """
        means = np.empty_like(deviations)
        for number, (way, found) in enumerate(zip(self.ways, self.of_groups, strict=True)):
            rows = np.flatnonzero(chosen == number)
            if not len(rows):
                continue
            own, place = deviations[rows], way.drawn(len(rows), generator)
            result = self.means + own
            for group, reliability in enumerate(found):
                if reliability is None:
                    continue
                here = place == group
                size = np.maximum(here.sum(axis=1, keepdims=True), 1)
                centre = (here * self.means).sum(axis=1, keepdims=True) / size
                moved = (here * own).sum(axis=1, keepdims=True) / size
                g = reliability.quantiles(shares[rows], reliability.floor)[:, None]
                inside = centre + moved + g * (self.means - centre) + np.sqrt(g) * (own - moved)
                result = np.where(here, inside, result)
            means[rows] = result
        return means

    def chosen(self, draws: int, generator: np.random.Generator) -> Ints:
        """Which way each draw takes, in proportion to the weights of the ways."""
        weights = np.array([way.weight for way in self.ways])
        if weights.max() >= 1:
            return np.full(draws, int(weights.argmax()))
        return way_of(weights, evenly(draws, generator))

    def chosen_for_limits(self, shares: Floats, generator: np.random.Generator) -> Ints:
        """The same in proportion to what both limits give the ways on average; draws of each way have the confidences
        in `shares`, which are evenly spread, as evenly as can be."""
        weights = self._weights_of_limits
        if weights.max() >= 1:
            return np.full(len(shares), int(weights.argmax()))
        return way_of(weights, _evenly_beside(shares, GOLDEN, generator))

    def weights_in_limits(self, chosen: Ints) -> tuple[Floats, Floats]:
        """What each draw that was chosen for limits counts for in the lower one, and in the upper one."""
        lower, upper = np.array([way.wary for way in self.ways]), np.array([way.weight for way in self.ways])
        drawn = np.maximum(self._weights_of_limits, 1e-300)
        return np.asarray((lower / drawn)[chosen]), np.asarray((upper / drawn)[chosen])

    @property
    def _weights_of_limits(self) -> Floats:
        return np.array([(way.weight + way.wary) / 2 for way in self.ways])


def way_of(weights: Floats, shares: Floats) -> Ints:
    """Which way to see the systems each of these numbers between 0 and 1 stands for, in proportion to the weights."""
    reached = np.cumsum(weights[:0:-1])  # one group comes last
    return np.asarray(len(weights) - 1 - np.searchsorted(reached, shares, side="right"))


def _of_group(way: Groups, group: int, means: Floats, influence: Floats, known: float | None) -> Reliability | None:
    if way.count == 1:  # the mean of all was taken off before
        return Reliability.of(means, influence, known=known)
    own = way.members[:, group]
    if own.sum() < FEWEST_IN_ONE:
        return None
    return Reliability.of(way.within(means, group), way.within(influence, group), own, known=known)


def evenly(draws: int, generator: np.random.Generator) -> Floats:
    """Numbers between 0 and 1, as evenly spread as can be, in random order."""
    return np.asarray((generator.permutation(draws) + 0.5) / draws)


def evenly_together(draws: int, sets: int, generator: np.random.Generator) -> Floats:
    """Return several sets of numbers between 0 and 1 that are evenly spread, each alone and all together.

    This is a Kronecker sequence in random order, its steps powers of the number rho > 1 with rho^sets = rho + 1. It
    makes the quantiles of draws that depend on several unknown quantities as steady as a grid would.

    Parameters
    ----------
    draws, sets : int
        Size and number of the sets.
    generator : Generator
        Draws the order and the starts.

    Returns
    -------
    array of sets x draws
    """
    first = evenly(draws, generator)
    if sets == 1:
        return first[None]
    root = 2.0
    for _ in range(50):
        root = (1 + root) ** (1 / sets)
    return np.stack([first, *(_evenly_beside(first, root**-k, generator) for k in range(1, sets))])


def _evenly_beside(first: Floats, step: float, generator: np.random.Generator) -> Floats:
    """Numbers that are evenly spread together with those of `evenly()`: places times a step, from a random start."""
    return np.asarray((first * len(first) * step + generator.random()) % 1)
