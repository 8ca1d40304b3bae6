r"""Plausible true means given the scores, and the intervals of coefficients that are computed with them.

`Observed` has the scores of a collection with what every question asks of them: differences of means, their standard
deviations, ties, and the reliability of the means. `true_means()` draws the true means. The model is that of a
random-effects analysis: observed means are true means plus the error of the topics, and true means vary about the mean
of their group with the variance that the error does not explain. With one group, the draw is

.. math:: \mu^* = \bar a + g\,(a - \bar a) + \sqrt{g}\; e^*

where a are the observed means without topic effects, g is the reliability (`tauscope.inference.reliability`), and e*
are the deviations of means over resampled topics. Given g and the error covariance Sigma of the means, and up to a
linear map that keeps the order of the systems, this is the posterior under Zellner's g-prior with a flat centre: true
contrasts are N(0, g/(1 - g) Sigma). g is not known, so each draw has a value of its own from its confidence
distribution. How g and the groups are weighed has no derivation: those constants are named, with their reasons, where
they stand.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from ..coefficients.records import Coefficient, catalogue
from ..core import formulas, kernels
from ..core.arrays import (
    BLOCK,
    EXACT,
    FEWEST_DRAWS,
    SNAP,
    Bools,
    Floats,
    Ints,
    Tolerance,
    blocks,
    content_order,
    near_one,
    product,
    snap,
    tally,
)
from ..core.checking import INTERVAL_DRAWS, Stream, stream
from ..data.alignment import require_scores
from ..data.clusters import independent
from ..data.labels import in_order
from ..data.scores import Scores
from ..errors import TauscopeError
from ..results import Note, word
from .reliability import FLOOR, Groups, LocalReliability, evenly


def topic_weights(topics: int, draws: int, generator: np.random.Generator, *, bayesian: bool) -> Iterator[Floats]:
    """Draw weights of topics, block by block.

    Parameters
    ----------
    topics, draws : int
        Number of topics, and of draws.
    generator : Generator
        The source of randomness.
    bayesian : bool
        Whether weights are Dirichlet(1, …, 1) (Bayesian bootstrap) instead of shares of a resample with replacement.

    Yields
    ------
    array of draws x topics
        Rows that add up to 1.
    """
    for rows in blocks(draws, topics, max(BLOCK, FEWEST_DRAWS * topics)):
        count = rows.stop - rows.start
        if bayesian:
            weights = generator.standard_exponential((count, topics))
            yield weights / weights.sum(axis=1, keepdims=True)
        else:
            drawn = generator.integers(topics, size=(count, topics))
            drawn += np.arange(count)[:, None] * topics
            yield tally(drawn.ravel(), count * topics).reshape(count, topics) / topics


def true_means(
    observed: Observed,
    draws: int,
    generator: np.random.Generator,
    *,
    bayesian: bool = False,
    scaled: bool = True,
    shares: Floats | None = None,
    chosen: Ints | None = None,
) -> Iterator[Floats]:
    """Blocks of draws x systems, best observed system first.

    Scaled: mu* = centre + g (a - centre) + sqrt(g) e*, a the observed means without topic effects, e* the deviations of
    the resampled ones times sqrt(n/(n-1)), for Dirichlet weights sqrt((n+1)/(n-1)), and g the reliability of the means,
    or of those of a group about its centre, which moves with its systems (`inference.reliability`). g is not known:
    each draw has the one that is not exceeded with the confidence in `shares`, which are evenly spread by default, and
    sees the systems in the way that is `chosen`, by default in proportion to the weights of the ways.
    Unscaled: the resampled means themselves.
    """
    if scaled:
        shares = evenly(draws, generator) if shares is None else shares
        chosen = observed.local.chosen(draws, generator) if chosen is None else chosen
        means = _scaled(observed, shares, chosen, generator, bayesian=bayesian)
    else:
        means = (
            product(weights, observed.x.T)
            for weights in topic_weights(observed.topics, draws, generator, bayesian=bayesian)
        )
    # Systems with the same scores must get the same means to the last bit, which a product of matrices does not
    # promise.
    twin = observed.twin
    for block in means:
        yield block if twin is None else np.ascontiguousarray(block[:, twin])


def _scaled(
    observed: Observed, shares: Floats, chosen: Ints, generator: np.random.Generator, *, bayesian: bool
) -> Iterator[Floats]:
    n, local, done = observed.topics, observed.local, 0
    stretch = math.sqrt((n + bayesian) / (n - 1))
    for weights in topic_weights(n, len(shares), generator, bayesian=bayesian):
        rows = slice(done, done + len(weights))
        done = rows.stop
        deviations = stretch * (product(weights, observed.centred.T) - observed.effects)
        yield local.believed(deviations, shares[rows], chosen[rows], generator)


def swapped(observed: Observed, means: Floats) -> dict[str, Floats]:
    """Measure, for each draw and each coefficient of `SWAP_SUMS`, how much of the observed order is swapped.

    Parameters
    ----------
    observed : Observed
        The scores.
    means : array of draws x systems
        Draws of the true means, the best observed system first.

    Returns
    -------
    dict of str to array
        Name of the coefficient -> weighted number of swapped pairs, at most `most_swapped()`.
    """
    distance, head = kernels.discordance(observed.places, means, observed.tolerance)
    return {c.name: head if c.head_weighted else distance for c in SWAP_SUMS}


def most_swapped(c: Coefficient, systems: int) -> float:
    """What a reversed ranking has swapped: all pairs, or where the head counts more one per rank below the first."""
    return systems - 1 if c.head_weighted else systems * (systems - 1) / 2


def coefficient_draws(
    observed: Observed,
    c: Coefficient,
    draws: int,
    generator: np.random.Generator,
    *,
    bayesian: bool = False,
    scaled: bool = True,
    shares: Floats | None = None,
    chosen: Ints | None = None,
) -> Floats:
    """Compute the coefficient of the observed ranking with each draw of the true means.

    In sums over pairs, a pair that is tied in the observed ranking counts half, and so do identical systems: the
    scores say nothing about their order.

    Parameters
    ----------
    observed : Observed
        The scores.
    c : Coefficient
        The coefficient.
    draws : int
        Number of draws.
    generator : Generator
        The source of randomness.
    bayesian, scaled, shares, chosen
        As in `true_means()`.

    Returns
    -------
    array of float
        One value per draw; NaN where the coefficient is not defined.
    """
    means = true_means(observed, draws, generator, bayesian=bayesian, scaled=scaled, shares=shares, chosen=chosen)
    if c.no_swap_sum:
        return np.concatenate([_kernel(observed, c, block, scaled=scaled) for block in means])
    return np.concatenate([correlations_with(observed, c, block) for block in means])


def correlations_with(observed: Observed, c: Coefficient, means: Floats) -> Floats:
    """A coefficient of `SWAP_SUMS` of the observed ranking with each row of means: 1 - 2 * sum(weight * swapped)."""
    if not observed.undecided:
        known = 1 - 2 * (swapped(observed, means)[c.name] / most_swapped(c, observed.systems))
        return known - observed.identical_weight(c.name)
    rows = np.broadcast_to(observed.means, means.shape)
    # Its first variant for ties is the one against a truth, where a pair tied in the estimate counts half.
    values, _ = kernels.batch(catalogue[c.instead[0]], np.ascontiguousarray(rows), np.ascontiguousarray(means))
    return np.asarray(values)


def _kernel(observed: Observed, c: Coefficient, means: Floats, *, scaled: bool) -> Floats:
    truth = means + observed.means.mean() if scaled else means  # some coefficients weigh by the means themselves
    within = Tolerance(observed.tolerance) if c.takes_tolerance else EXACT
    rows = np.ascontiguousarray(np.broadcast_to(observed.means, means.shape))
    values, _ = kernels.batch(c, rows, np.ascontiguousarray(truth), EXACT, within)
    return values


class Interval(NamedTuple):
    """Both limits of an interval; it unpacks: `low, high = result.interval`."""

    low: float
    high: float


@dataclass(frozen=True, eq=False, kw_only=True)
class CorrelationDraws:
    """Values of a coefficient of the observed ranking with draws of the true one; `undefined` of them had none.

    `lower` and `upper` are the weights of the draws in lower and in upper limits; `bayesian`: topics had random weights
    instead of being resampled; `expected`: the expected value, which lies between all limits, or NaN.
    """

    values: Floats
    lower: Floats
    upper: Floats
    undefined: int
    bayesian: bool
    expected: float = math.nan

    def interval(self, level: float) -> Interval:
        """Where the middle share `level` of the draws lies, and the expected value."""
        rest = (1 - level) / 2
        return Interval(self._low(rest), self._high(1 - rest))

    def at_least(self, level: float) -> float:
        """The value that is exceeded with this confidence, at most the expected one."""
        return self._low(1 - level)

    def _low(self, share: float) -> float:
        if not len(self.values):
            return math.nan
        return float(np.fmin(weighted_quantile(self.values, self.lower, share), self.expected))

    def _high(self, share: float) -> float:
        if not len(self.values):
            return math.nan
        alike = (self.upper == self.upper[0]).all()
        high = np.quantile(self.values, share) if alike else weighted_quantile(self.values, self.upper, share)
        return float(np.fmax(high, self.expected))

    @property
    def text(self) -> str:
        """How they were made, for a line of a result: "2,000 scaled draws"."""
        return str(Note("scaled_draws", draws=len(self.values) + self.undefined, bayesian=self.bayesian))


def weighted_quantile(values: Floats, weights: Floats, share: float) -> float:
    """Find the value below which a share of the weight lies, between draws by a straight line.

    Parameters
    ----------
    values, weights : array of float
        The draws, and what each counts for; draws without weight are ignored.
    share : float
        The share of the weight, between 0 and 1.

    Returns
    -------
    float

    Examples
    --------
    >>> weighted_quantile(np.array([3.0, 1.0, 2.0]), np.ones(3), 0.5)
    2.0
    >>> weighted_quantile(np.array([1.0, 2.0, 3.0]), np.array([1.0, 1.0, 0.0]), 0.9)
    2.0
    """
    order = np.argsort(values, kind="stable")
    order = order[weights[order] > 0]
    own = weights[order]
    return float(np.interp(share, (np.cumsum(own) - own / 2) / own.sum(), values[order]))


#: Calibrated: the power of 1 - u by which a lower limit counts a reliability that is not exceeded with confidence u. Where
#: the reliability is hardly known, that it may be low is what must not be missed (`docs/explanation/how-sure.md`).
CAUTIOUS = 2


def caution(shares: Floats) -> Floats:
    """Return how much a lower limit counts a reliability: 3 (1 - u)², so that low ones count more.

    Parameters
    ----------
    shares : array of float
        The confidence u with which each reliability is not exceeded.

    Returns
    -------
    array of float
        Weights whose mean over all confidences is 1.
    """
    return np.asarray((CAUTIOUS + 1) * (1 - shares) ** CAUTIOUS)


def draw_correlations(
    observed: Observed,
    c: Coefficient,
    seed: int,
    *,
    expected: float = math.nan,
    bayesian: bool = False,
    draws: int = INTERVAL_DRAWS,
) -> CorrelationDraws:
    """Draw the values behind an interval that holds the expected value.

    The draws come from a stream of their own, so that the interval is the same whatever method estimates the value.
    Lower limits count draws with a low reliability for more (`caution()`), because an interval that misses a low
    reliability promises too much.

    Parameters
    ----------
    observed : Observed
        The scores.
    c : Coefficient
        The coefficient.
    seed : int
        The seed of the call.
    expected : float, default NaN
        The expected value, which every interval holds.
    bayesian : bool, default False
        Whether topics have random weights instead of being resampled.
    draws : int, default INTERVAL_DRAWS
        Number of draws.

    Returns
    -------
    CorrelationDraws
        The values with their weights in lower and in upper limits.
    """
    generator = stream(seed, Stream.INTERVAL)
    shares = evenly(draws, generator)
    chosen = observed.local.chosen_for_limits(shares, generator)
    lower, upper = observed.local.weights_in_limits(chosen)
    values = coefficient_draws(observed, c, draws, generator, bayesian=bayesian, shares=shares, chosen=chosen)
    defined = ~np.isnan(values)
    return CorrelationDraws(
        values=values[defined],
        lower=(caution(shares) * lower)[defined],
        upper=upper[defined],
        undefined=len(values) - int(defined.sum()),
        bayesian=bayesian,
        expected=expected,
    )


#: Groups of topics of which one at a time is left out.
MOST_GROUPS = 20


@dataclass(frozen=True, kw_only=True)
class StandardError:
    """A standard error, NaN where there is none, and from how many groups left out it comes."""

    deviation: float
    groups: int

    @property
    def freedom(self) -> int:
        """Degrees of freedom: one less than groups."""
        return self.groups - 1

    def reach(self, level: float) -> float:
        """How far the limits of an interval with confidence `level` are from the value: Student's t times the error."""
        from scipy.special import stdtrit

        return float(stdtrit(self.freedom, (1 + level) / 2)) * self.deviation


#: What is known where nothing was left out.
NO_ERROR = StandardError(deviation=math.nan, groups=0)


def pseudo_values(
    every: Floats | float, left: Floats, sizes: Floats, used: Bools | None = None
) -> tuple[Floats, Floats]:
    r"""Compute pseudo-values of a jackknife over groups of any size (busing1999).

    .. math:: \tilde\theta_j = h_j \hat\theta - (h_j - 1)\, \hat\theta_{(-j)},\qquad h_j = n / n_j

    Parameters
    ----------
    every : float or array
        The value from all topics.
    left : array
        Values without one group after the other; one column per value where there are several.
    sizes : array of float
        Sizes of the groups.
    used : array of bool, optional
        Groups that count; None for all.

    Returns
    -------
    (array, array)
        The pseudo-values less their weighted mean, one row per group that is used; and h.
    """
    used = np.ones(len(left), bool) if used is None else used
    h = sizes.sum() / sizes[used]
    rows = h if left.ndim == 1 else h[:, None]
    pseudo = rows * every - (rows - 1) * left[used]
    return np.asarray(pseudo - np.average(pseudo, axis=0, weights=1 / h)), h


def jackknife(every: float, left: Floats, sizes: Floats) -> StandardError:
    """Compute a standard error from values without one group after the other (busing1999).

    The variance is the mean of (pseudo-value - their mean)²/(h - 1), with h = n/size of the group. Groups without a
    value are left out. Do not use it for values that jump when a single topic goes, such as medians.

    Parameters
    ----------
    every : float
        The value from all topics.
    left : array of float
        Values without each group; NaN where there is none.
    sizes : array of float
        Sizes of the groups.

    Returns
    -------
    StandardError
        NaN with fewer than two values.

    Examples
    --------
    >>> found = jackknife(5.0, np.array([6.5, 5.5, 3.0]), np.ones(3))  # of the mean of 2, 4 and 9
    >>> round(found.deviation**2, 6), round(float(np.var([2.0, 4.0, 9.0], ddof=1)) / 3, 6)
    (4.333333, 4.333333)
    """
    defined = ~np.isnan(left)
    groups = int(defined.sum())
    if math.isnan(every) or groups < 2:
        return StandardError(deviation=math.nan, groups=groups)
    centred, h = pseudo_values(every, left, sizes, defined)
    return StandardError(deviation=math.sqrt(float((centred**2 / (h - 1)).mean())), groups=groups)


#: One topic does not tell how scores vary from topic to topic.
LEAST = 2
#: Fewer cannot be split into two samples of several sizes.
LEAST_FOR_HALVES = 4
#: With fewer, noise is hardly told from differences.
LEAST_FOR_NOISE = 4
#: With fewer, draws of the true means are too sure.
LEAST_FOR_DRAWS = 5
#: A collection of fewer gets a warning from the linter, or a note.
LEAST_FOR_A_COLLECTION, ENOUGH_FOR_A_COLLECTION = 10, 25


def require_two(what: str, systems: int, topics: int, least: int = LEAST) -> None:
    """At least two systems, and so many topics; `what` is the function that wants them."""
    if systems < 2 or topics < least:
        needed = {2: "two"}.get(least, str(least))
        raise TauscopeError(
            f"{what} needs at least two {word('systems')} and {needed} {word('topics')}; there are {systems} and "
            f"{topics}."
        )


#: A variance this small beside those it was subtracted from is computed again from the differences themselves.
CANCELLED = 1e-6
#: Coefficients whose expected value is a sum of swap probabilities, as their records say. All pairs weigh the same, or,
#: where the record says that the head counts more, as in AP correlation: 1/((m-1)(i-1)) for a pair whose lower system
#: has rank i.
SWAP_SUMS = tuple(c for c in catalogue if not c.no_swap_sum)


def real_share(error: Any, spread: Any) -> Any:
    r"""Compute the reliability of means: the share of their observed spread that is real.

    .. math:: g = 1 - \frac{\text{error variance}}{\text{observed variance}}

    This is the generalisability coefficient of a ranking. It is below 0 where means differ by less than their noise.

    Parameters
    ----------
    error, spread : float or array
        Error variance and observed variance of the means, both sums or both means over systems.

    Returns
    -------
    float or array
    """
    return 1 - error / spread


def first_of_identical(rows: Floats, tolerance: float) -> Ints | None:
    """Find, for each system, the first one with the same scores up to rounding.

    Parameters
    ----------
    rows : array of systems x topics
        The scores.
    tolerance : float
        Scores closer than this are equal.

    Returns
    -------
    array of int or None
        Places of systems; None where every system has scores of its own.
    """
    twin = np.arange(len(rows))
    means = rows.mean(axis=1)
    order = np.argsort(means, kind="stable")
    ascending = means[order]
    # Systems with the same scores have the same mean: only neighbours in this order are compared.
    stops = np.searchsorted(ascending, ascending + 2 * tolerance, side="right")
    for place in np.flatnonzero(stops > np.arange(len(rows)) + 1):
        own, others = order[place], order[place + 1 : stops[place]]
        same = others[np.abs(rows[others] - rows[own]).max(axis=1) <= tolerance]
        first, second = np.minimum(own, same), np.maximum(own, same)
        np.minimum.at(twin, second, first)
    return None if (twin == np.arange(len(rows))).all() else twin


class _Spread(NamedTuple):
    """Standard deviations of the differences, and which pairs have the same scores on every topic."""

    deviations: Floats
    identical: Bools


@dataclass(frozen=True, eq=False)
class Observed:
    """Scores as systems x topics, best system first, times a power of two that keeps them near 1.

    `order` are the places of the systems in the input; `means` are snapped; `tied`: neighbours that have one mean;
    `tolerance`: means and differences closer than this are equal; `clustered`: where topics are clusters, how many
    topics these have, else 0.
    """

    x: Floats
    means: Floats
    order: Ints
    unit: float
    tolerance: float
    clustered: int = 0

    @classmethod
    def of(cls, values: Floats) -> Observed:
        """From topics x systems."""
        scaled, unit = near_one(values)
        means, _ = snap(scaled.mean(axis=0))
        order = np.argsort(-means, kind="stable")
        tolerance = SNAP * float(np.abs(scaled).max())
        return cls(np.ascontiguousarray(scaled[:, order].T), means[order], order, unit, tolerance)

    @classmethod
    def named(cls, values: Floats, systems: Sequence[str]) -> Observed:
        """From topics x systems, whatever their order: systems by name, then topics by their scores."""
        columns = np.array(in_order(systems), np.int64)
        sorted_columns = values[:, columns]
        made = cls.of(sorted_columns[content_order(sorted_columns)])
        return replace(made, order=columns[made.order])

    @cached_property
    def kept(self) -> dict[Any, Any]:
        """Answers that are asked for again, by what they answer; arrays in it are not written to."""
        return {}

    @property
    def systems(self) -> int:
        """How many systems there are."""
        return len(self.x)

    @property
    def topics(self) -> int:
        """How many topics there are."""
        return int(self.x.shape[1])

    @cached_property
    def pairs(self) -> tuple[Ints, Ints]:
        """(first, second) of every pair."""
        first, second = np.triu_indices(self.systems, 1)
        return first, second

    @cached_property
    def centred(self) -> Floats:
        """c: scores without the mean of their topic, systems x topics."""
        return np.asarray(self.x - self.x.mean(axis=0))

    @cached_property
    def effects(self) -> Floats:
        """a: means of the systems without the mean of all."""
        return np.asarray(self.centred.mean(axis=1))

    @cached_property
    def covariance(self) -> Floats:
        """Of the systems over topics, topic means removed: systems x systems."""
        residuals = self.centred - self.effects[:, None]
        return np.asarray(product(residuals, residuals.T) / max(1, self.topics - 1))

    @cached_property
    def gaps(self) -> Floats:
        """d: differences of observed means, at least 0; exactly 0 where they are tied."""
        first, second = self.pairs
        return np.where(self.tied, 0.0, np.maximum(self.effects[first] - self.effects[second], 0.0))

    @cached_property
    def tied(self) -> Bools:
        """Pairs with equal observed means."""
        first, second = self.pairs
        return np.asarray(self.means[first] == self.means[second])

    @cached_property
    def has_ties(self) -> bool:
        """Whether any means are equal."""
        return bool((self.means[1:] == self.means[:-1]).any())

    @cached_property
    def undecided(self) -> bool:
        """Whether systems that are not identical have equal means, so that their order is open."""
        return self.has_ties and bool((self.tied & ~self.identical).any())

    @cached_property
    def _spread(self) -> _Spread:
        first, second = self.pairs
        own = np.diagonal(self.covariance)
        both = own[first] + own[second]
        variance = both - 2 * self.covariance[first, second]
        identical = np.zeros(len(first), bool)
        doubtful = np.flatnonzero(variance <= CANCELLED * both)
        for rows in blocks(len(doubtful), self.topics):
            pairs = doubtful[rows]
            difference = self.x[first[pairs]] - self.x[second[pairs]]
            variance[pairs] = difference.var(axis=1, ddof=1) if self.topics > 1 else 0.0
            identical[pairs] = np.abs(difference).max(axis=1) <= self.tolerance
        deviation = np.sqrt(variance)
        deviation[deviation <= self.tolerance] = 0.0
        return _Spread(deviation, identical)

    @property
    def deviations(self) -> Floats:
        """s: standard deviations of the differences; 0 where they are constant up to rounding."""
        return self._spread.deviations

    @property
    def identical(self) -> Bools:
        """Pairs with the same scores on every topic."""
        return self._spread.identical

    @cached_property
    def twin(self) -> Ints | None:
        """For each system the first one with the same scores; None where every system is its own."""
        return first_of_identical(self.x, self.tolerance)

    @cached_property
    def raw_reliability(self) -> float:
        """1 - error variance of the means / their observed variance; can be negative, NaN where all means are equal."""
        spread = float(((self.effects - self.effects.mean()) ** 2).sum())
        error = float(np.trace(self.covariance)) / self.topics
        return float(real_share(error, spread)) if spread > self.tolerance**2 else math.nan

    @property
    def reliability(self) -> float:
        """g: how much of the observed spread of the means is real, at least 0.05."""
        return FLOOR if self.floored else self.raw_reliability

    @property
    def floored(self) -> bool:
        """Whether the reliability had to be lifted to its floor."""
        return not self.raw_reliability >= FLOOR

    @property
    def influence(self) -> Floats:
        """What each topic adds to each mean, topics x systems, so that the error covariance of the means is the sum
        over topics of its products."""
        n = self.topics
        influence = self.centred.T.copy()  # in place from here: a board may have millions of cells
        influence -= self.effects
        influence /= math.sqrt(n * max(1, n - 1))
        return influence

    @cached_property
    def local(self) -> LocalReliability:
        """The reliability of the means in one group of systems or in several, and how well it is known."""
        return self.local_in(None)

    def local_in(self, ways: tuple[Groups, ...] | None) -> LocalReliability:
        """The same, where it is known how the systems may be grouped."""
        return LocalReliability.of(self.effects - self.effects.mean(), self.influence, ways)

    @cached_property
    def places(self) -> Floats:
        """A score for each place, 1 x systems. Systems that are identical have places of their own: pairs of them are
        never discordant, but they are there for the weights of those below."""
        return -np.arange(float(self.systems))[None]

    @cached_property
    def weights(self) -> dict[str, Floats]:
        """The weights of all pairs in each coefficient of `SWAP_SUMS`: value = 1 - 2 * sum(weight * swapped); they sum
        to 1.
        """
        m = self.systems
        even = np.full(m * (m - 1) // 2, 2 / (m * (m - 1))) if m > 1 else np.zeros(0)
        return {c.name: self._head_weights if c.head_weighted else even for c in SWAP_SUMS}

    @cached_property
    def _head_weights(self) -> Floats:
        """1/((m-1)(i-1)) for the lower system's rank i, averaged over the orders of systems with equal means."""
        m = self.systems
        second = self.pairs[1]
        if not self.has_ties:
            return np.asarray(1 / ((m - 1) * second))
        above, size = formulas.subgroups(self.means, EXACT)
        outside, inside = 1 / np.maximum(above, 1), np.zeros(m)
        groups = size > 1
        outside[groups] = formulas.mean_inverse(above[groups], size[groups])
        inside[groups] = formulas.group_inverse(above[groups], size[groups])
        return np.asarray(np.where(self.tied, 2 * inside[second], outside[second]) / (m - 1))

    def identical_weight(self, name: str) -> float:
        """How much the pairs of identical systems weigh in a coefficient of `SWAP_SUMS`."""
        return float(self.weights[name][self.identical].sum()) if self.has_ties else 0.0

    def expectation(self, swaps: Floats) -> dict[str, float]:
        """The expected value of each coefficient of `SWAP_SUMS` from the swap probabilities of the pairs (urbano2016
        eq. 3 and 4).
        """
        return {name: 1 - 2 * float(product(weight, swaps)) for name, weight in self.weights.items()}

    def ordered_differences(self) -> Iterator[tuple[slice, Floats]]:
        """Blocks of pairs with their differences in ascending order, pairs x topics."""
        first, second = self.pairs
        for rows in blocks(len(first), self.topics):
            difference = self.x[first[rows]] - self.x[second[rows]]
            difference.sort(axis=1)
            yield rows, difference


#: What was computed of scores that many questions are asked about, by the identity of their values.
_SHARED: ContextVar[dict[int, tuple[Floats, Observed]] | None] = ContextVar("shared", default=None)


@contextmanager
def shared_observations() -> Iterator[None]:
    """Let questions about the same scores share what they need of them; nothing is kept afterwards.

    A report page asks ten questions about one collection, and covariances and reliabilities are computed once for all
    of them.

    Yields
    ------
    None
    """
    token = _SHARED.set({})
    try:
        yield
    finally:
        _SHARED.reset(token)


def observed_values(scores: Scores) -> Observed:
    """Describe the differences between the systems of complete scores.

    Parameters
    ----------
    scores : Scores
        Complete scores, trusted: the public function has checked them.

    Returns
    -------
    Observed
        The same object for the same scores inside `shared_observations()`.

    See Also
    --------
    observed_scores : the same with the checks of a public function.
    """
    shared, values = _SHARED.get(), scores.values
    if shared is None:
        return Observed.named(values, scores.systems)
    if id(values) not in shared:  # the values are kept beside it: no other array can have their identity meanwhile
        shared[id(values)] = (values, Observed.named(values, scores.systems))
    return shared[id(values)][1]


def observed_scores(scores: Any, what: str, *, clusters: bool = False) -> Observed:
    """Check scores as a public function needs them, and describe the differences between their systems.

    Parameters
    ----------
    scores : object
        What the caller gave.
    what : str
        The public function, for errors.
    clusters : bool, default False
        Whether topics may come in clusters, each of which then is one row.

    Returns
    -------
    Observed

    Raises
    ------
    CallError
        If it is not `Scores`, or topics come in clusters that `what` cannot take into account.
    TauscopeError
        If cells are missing, or there are fewer than two systems or two topics.
    """
    given = require_scores(scores, what, clusters=clusters)
    observed = observed_values(independent(given))
    require_two(what, observed.systems, observed.topics)
    return observed if given.clusters is None else replace(observed, clustered=len(given.topics))
