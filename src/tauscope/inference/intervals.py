"""True means as they could be, given the scores, and the intervals of coefficients with them."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ..coefficients.records import Coefficient, catalogue
from ..core import checking, kernels
from ..core.arrays import BLOCK, FEWEST_DRAWS, Bools, Floats, Ints, blocks, product, tally
from ..core.draws import INTERVAL_DRAWS, Stream, stream
from ..core.ties import EXACT, Tolerance
from .observed import SWAP_SUMS, Observed
from .reliability import evenly


def topic_weights(topics: int, draws: int, generator: np.random.Generator, *, bayesian: bool) -> Iterator[Floats]:
    """Blocks of draws x topics, rows adding up to 1: shares of a resample, or Dirichlet(1, …, 1) weights."""
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
    """For each draw and each coefficient of `SWAP_SUMS`, how much is swapped, of at most `most_swapped()`."""
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
    """The coefficient of the observed ranking with each draw of the true means; NaN where it is not defined.

    Sums over pairs with ties: a pair tied in the observed ranking counts half, and so do identical systems.
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


class WithInterval:
    """What results with an interval share: `level`, and limits at that level and at others."""

    level: float

    @property
    def interval(self) -> Interval:
        """Where the true value lies with confidence `level`: (low, high), NaN where there is none."""
        return self.interval_at(self.level)

    def interval_at(self, level: float) -> Interval:
        """The interval at another level; nothing is drawn again.

        Parameters
        ----------
        level : float
            Confidence, between 0 and 1.

        Returns
        -------
        Interval
            (low, high); NaN where there is none.
        """
        raise TypeError(f"{type(self).__name__} must define interval_at()")

    def at_least(self, level: float | None = None) -> float:
        """What is the true value at least? A one-sided limit.

        Parameters
        ----------
        level : float or None, default None
            Confidence, above 0.5; None is that of the result.

        Returns
        -------
        float
            The lower limit; NaN where there is none.
        """
        # One-sided at 95 % is the lower end of the interval at 90 %.
        one_sided = checking.level(self.level if level is None else level)
        return self.interval_at(2 * one_sided - 1).low if one_sided > 0.5 else math.nan


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
        rest = (1 - checking.level(level)) / 2
        return Interval(self._low(rest), self._high(1 - rest))

    def at_least(self, level: float) -> float:
        """The value that is exceeded with this confidence, at most the expected one."""
        return self._low(1 - checking.level(level))

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
        kind = "scaled draws of a Bayesian bootstrap" if self.bayesian else "scaled draws"
        return f"{len(self.values) + self.undefined:,} {kind}"


def weighted_quantile(values: Floats, weights: Floats, share: float) -> float:
    """The value below which this share of the weight lies, between draws by a straight line.

    >>> weighted_quantile(np.array([3.0, 1.0, 2.0]), np.ones(3), 0.5)
    2.0
    >>> weighted_quantile(np.array([1.0, 2.0, 3.0]), np.array([1.0, 1.0, 0.0]), 0.9)
    2.0
    """
    order = np.argsort(values, kind="stable")
    order = order[weights[order] > 0]
    own = weights[order]
    return float(np.interp(share, (np.cumsum(own) - own / 2) / own.sum(), values[order]))


def caution(shares: Floats) -> Floats:
    """How much a lower limit counts a reliability of this confidence: 3 (1 - u)², so that low ones count more."""
    return np.asarray(3 * (1 - shares) ** 2)


def draw_correlations(
    observed: Observed,
    c: Coefficient,
    seed: int,
    *,
    expected: float = math.nan,
    bayesian: bool = False,
    draws: int = INTERVAL_DRAWS,
) -> CorrelationDraws:
    """Draws for an interval that holds the expected value, from the seed's own stream."""
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
    """h every - (h - 1) left, h = n/size, less their mean by size, one row per group that is `used`; and h
    (busing1999).

    `left` has one row per group, and one column per value where there are several.
    """
    used = np.ones(len(left), bool) if used is None else used
    h = sizes.sum() / sizes[used]
    rows = h if left.ndim == 1 else h[:, None]
    pseudo = rows * every - (rows - 1) * left[used]
    return np.asarray(pseudo - np.average(pseudo, axis=0, weights=1 / h)), h


def jackknife(every: float, left: Floats, sizes: Floats) -> StandardError:
    """The standard error from values without one group after the other, groups of any size (busing1999).

    With h = n/size the variance is the mean of (pseudo-value - their mean)²/(h - 1). Groups without a value are left
    out.

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
