"""Disattenuated: how high is a coefficient of two rankings of means once topic noise is taken off, and how sure is
that?

True means as they could be, given the observed ones. y_s = (estimate, truth) are the observed means of a system, V_s
the covariance of their errors, from the topics. In units of their true spreads, sigma_E and sigma_T, estimate and truth
of a system are what they have in common, and what each has of its own:

    the sum of the two varies over systems by u, their difference by d, and
    Omega = [[(u + d)/4 sigma_E², (u - d)/4 sigma_E sigma_T], [., (u + d)/4 sigma_T²]].

With d = 0 they agree entirely. u and d are not known, so each draw has values of its own, from the confidence
distribution of each (`inference.reliability`), and

    mu*_s = K_s y_s + K_s^1/2 e*_s,   K_s = Omega (Omega + V_s)^-1,

e* from topics resampled, has the mean and the covariance of true means given y, if these are normal. V_s is the
system's own covariance with `STEADY` degrees of freedom of the mean one: with V for all systems the head, where scores
vary most, comes out too uncertain. Where the systems are in groups, a close head and bad baselines, say, u is that of
the group, means are shrunk to that of the group, and d is what all have within their groups.

The value is the middle of the c(mu*_E, mu*_T), and the interval are their quantiles. Draws with d = 0, where estimate
and truth differ by no more than noise, have the value 1. Where topics have scales of their own, which estimate and
truth do not share, changes of scale are taken out of e and V (`without_scale`): they change no ranking. Groups that go
unseen make the agreement look better than it is, so the lower limit is drawn twice, with the weights of values and
with those of lower limits (`inference.reliability`), and the lower of the two is printed.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from copy import copy
from dataclasses import dataclass
from functools import cached_property
from zlib import crc32

import numpy as np

from ..coefficients.records import Coefficient
from ..core import kernels
from ..core.arrays import EXACT, SNAP, Bools, Floats, Ints, Tolerance, blocks, content_marks, near_one, product, tally
from ..core.checking import SYSTEMS_DRAWS, Progress, value_draws
from ..data.alignment import ALL
from ..data.labels import shown
from ..data.scores import Scores
from ..errors import AlignmentError, Option
from ..results import count, word
from .reliability import FEWEST_IN_ONE, FLOOR, Groups, Reliability, evenly_together, groups_of, way_of
from .true_means import Interval, first_of_identical, real_share

#: Degrees of freedom of the mean error covariance in a system's own.
STEADY = 10.0
#: A change of scale is taken out of the noise where it explains more than this share of the difference of estimate and
#: truth. Chosen on simulated boards: those whose intervals failed have .1 and more. Judges and measures on TREC rarely do
#: (P@10 against AP on 25 topics in one sample of ten), so that hardly anything changes for them.
SCALE = 0.1
#: Fewer systems have hardly another direction left.
FEWEST_FOR_SCALE = 4
#: A Monte Carlo error above this is printed.
NOTICEABLE = 0.0015
#: Variances are larger by this share, so that a direction without noise does no harm.
NO_NOISE = 1e-9


def coefficient_of(
    c: Coefficient,
    joint: Joint,
    estimate: Floats,
    truth: Floats,
    twin: Ints | None,
    matrices: tuple[int, int] = (0, -1),
) -> Floats:
    """Compute the coefficient of two sets of true means, row by row.

    Parameters
    ----------
    c : Coefficient
        The coefficient.
    joint : Joint
        The matrices, of which levels, tolerance and lowest scores are taken.
    estimate, truth : array of draws x systems
        True means without their level.
    twin : array of int or None
        The first of identical systems, which get equal means to the last bit.
    matrices : (int, int), default (0, -1)
        Which matrices the means are of.

    Returns
    -------
    array of float
        NaN where the coefficient is not defined.
    """
    rows = []
    for means, matrix in zip((estimate, truth), matrices, strict=True):
        equal = means if twin is None else means[:, twin]  # products do not give identical systems equal means
        rows.append(np.ascontiguousarray(equal + joint.level[matrix]))
    if c.weights_are_scores:  # its weights are the true means, which are not negative where no score is
        np.maximum(rows[1], joint.least[matrices[1]], out=rows[1])
    within = Tolerance(joint.tolerance) if c.takes_tolerance else EXACT
    values, _ = kernels.batch(c, rows[0], rows[1], within, within)
    return values


@dataclass(frozen=True, eq=False, kw_only=True)
class Draws:
    """Values of a coefficient of true means as they could be, NaN where it is not defined.

    Their middle is the value without topic noise, their quantiles are limits. `in_lower_limits` are the same draws with
    the weights that groups of systems have in lower limits, None where these are no others; `most` is the largest value
    there can be.
    """

    values: Floats
    in_lower_limits: Floats | None = None
    most: float = math.inf

    @cached_property
    def defined(self) -> Floats:
        """Those that have a value, in ascending order."""
        return _sorted(self.values)

    @cached_property
    def _below(self) -> tuple[Floats, ...]:
        """What lower limits are read off: the lowest of these."""
        return (self.defined,) if self.in_lower_limits is None else (self.defined, _sorted(self.in_lower_limits))

    @property
    def undefined(self) -> int:
        """How many have none."""
        return len(self.values) - len(self.defined)

    @property
    def value(self) -> float:
        """The mean of the middle fifth: the median, but for the steps of a coefficient of few systems; NaN where none
        is defined."""
        n = len(self.defined)
        cut = min(int(0.4 * n), (n - 1) // 2)
        return float(self.defined[cut : n - cut].mean()) if n else math.nan

    @property
    def mean(self) -> float:
        """The mean; NaN where none is defined."""
        return float(self.defined.mean()) if len(self.defined) else math.nan

    @property
    def error(self) -> float:
        """The standard deviation."""
        return float(self.defined.std()) if len(self.defined) else math.nan

    def interval(self, level: float) -> Interval:
        """Return the interval that holds the share `level` of the draws.

        Half of the rest lies above it; none where the upper limit is the largest value there can be, and all of the
        rest lies below then.

        Parameters
        ----------
        level : float
            Confidence, between 0 and 1.

        Returns
        -------
        Interval
            NaN where no draw has a value.
        """
        rest = 1 - level
        if not len(self.defined):
            return Interval(math.nan, math.nan)
        high = float(np.quantile(self.defined, 1 - rest / 2))
        return Interval(self.at_least(level if high >= self.most - 1e-9 else (1 + level) / 2), high)

    def at_least(self, level: float) -> float:
        """Return what the share `level` of the draws exceeds, by the lower of both weights of groups.

        Parameters
        ----------
        level : float
            Confidence, between 0 and 1.

        Returns
        -------
        float
        """
        rest = 1 - level
        return min((float(np.quantile(drawn, rest)) for drawn in self._below if len(drawn)), default=math.nan)

    def monte_carlo(self, level: float) -> float:
        """Return the standard error of the lower limit that comes from the finite number of draws.

        Parameters
        ----------
        level : float
            Confidence of the one-sided limit.

        Returns
        -------
        float
            Half the distance of the quantiles one standard error of the share below and above; NaN with fewer than two
            draws.
        """
        rest = 1 - level
        drawn = min(self._below, key=lambda one: np.quantile(one, rest) if len(one) else math.inf)
        if len(drawn) < 2:
            return math.nan
        step = math.sqrt(rest * (1 - rest) / len(drawn))
        low, high = np.quantile(drawn, [max(0.0, rest - step), min(1.0, rest + step)])
        return float(high - low) / 2


def _sorted(values: Floats) -> Floats:
    return np.sort(values[~np.isnan(values)])


#: V_s of each system: of the estimate, of both, of the truth.
Errors = tuple[Floats, Floats, Floats]


class Samples:
    """What is drawn once for all coefficients and judges: topics, and confidences of all that is not known."""

    def __init__(self, joint: Joint, generator: np.random.Generator) -> None:
        self.joint = joint
        self.draws = value_draws(joint.systems)
        self.counts = draw_counts(joint, self.draws, generator)
        self.of_difference, self.of_sum, self.of_ways = evenly_together(self.draws, 3, generator)
        self._seed = int(generator.integers(2**32))

    def with_own_confidence(self, matrix: int) -> Samples:
        """The same, but for confidences in the difference of estimate and truth that are this judge's own.

        They hang on its scores, in the order of the truth's, which come last, so that the order of judges and of
        systems does not matter, nor who else is there.
        """
        own = copy(self)
        scores, truth = (np.round(self.joint.means[i], 9) + 0.0 for i in (matrix, -1))
        mark = crc32(scores[np.lexsort((scores, truth))].tobytes())
        own.of_difference = np.random.default_rng((self._seed, mark)).permutation(self.of_difference)
        return own

    def places(self, way: Groups, rows: Ints) -> Ints:
        """Which group each system is in, in these draws."""
        return way.drawn(self.draws, np.random.default_rng(self._seed))[rows]


@dataclass(frozen=True, eq=False, kw_only=True)
class Spreads:
    """What is known of the true means of one way to see the systems: `units`, the true spreads of both matrices, and
    how the difference, and the sum in each group, vary in these units; None where a group has too few to vary."""

    way: Groups
    units: Floats
    difference: Reliability
    sums: tuple[Reliability | None, ...]


class Correction:
    """Corrects one coefficient of two of the matrices for topic noise.

    Parameters
    ----------
    samples : Samples
        Topics and confidences that were drawn once for all coefficients and judges.
    c : Coefficient
        The coefficient.
    matrices : (int, int), default (0, 1)
        Places of estimate and truth among the matrices.
    """

    def __init__(self, samples: Samples, c: Coefficient, matrices: tuple[int, int] = (0, 1)) -> None:
        self.samples, self.coefficient, self.matrices = samples, c, matrices
        self.joint = samples.joint
        self.freedom = min(self.joint.topics[i] for i in matrices) - 1.0
        two = list(matrices)
        self._means, self._influence = self.joint.means[two], self.joint.influence[:, two]
        enough = self.joint.systems >= FEWEST_FOR_SCALE
        #: Whether topics differ in scale, and not alike on both sides: changes of scale are then not counted as noise.
        self.own_scales = enough and scale_share(self._means, self._influence) > SCALE
        if self.own_scales:
            self._influence = without_scale(self._means, self._influence)

    @cached_property
    def observed_spread(self) -> Floats:
        """The variance of the observed means of both."""
        return np.asarray((self._means**2).sum(axis=1) / max(1, self.joint.systems - 1))

    @cached_property
    def reliability(self) -> Floats:
        """How much of the spread of the means is real, of both."""
        error = (self._influence**2).sum(axis=(0, 2)) / max(1, self.joint.systems - 1)
        return np.asarray(real_share(error, np.maximum(self.observed_spread, 1e-300)))

    @cached_property
    def ways(self) -> tuple[Groups, ...]:
        """How the systems may be grouped, by what both matrices say of them together."""
        weights = 1 / np.sqrt(np.maximum(self.observed_spread, 1e-300))
        influence = np.einsum("i,tim->tm", weights, self._influence)
        return groups_of(weights @ self._means, influence)

    def beside(self, c: Coefficient) -> Correction:
        """The same of another coefficient, from the same draws of true means, which are made once for both."""
        other = copy(self)
        other.coefficient = c
        for one, (values, lower) in zip((self, other), self._drawn(self.coefficient, c), strict=True):
            one.values, one.draws = values, Draws(values=values, in_lower_limits=lower, most=one.coefficient.range[1])
        return other

    @cached_property
    def values(self) -> Floats:
        """From all systems and all draws."""
        return self._values(self._every, self.ways, self._chosen, np.arange(self.samples.draws))

    @cached_property
    def draws(self) -> Draws:
        """The same, with what lower limits need."""
        ((values, lower),) = self._drawn(self.coefficient)
        self.values = values
        return Draws(values=values, in_lower_limits=lower, most=self.coefficient.range[1])

    def _drawn(self, *coefficients: Coefficient) -> list[tuple[Floats, Floats | None]]:
        """Values of each coefficient in all draws, and with the weights of groups in lower limits."""
        every = np.arange(self.samples.draws)
        values = self._all_values(coefficients, self._every, self.ways, self._chosen, every)
        wary = way_of(np.array([way.wary for way in self.ways]), self.samples.of_ways)
        others = np.flatnonzero(wary != self._chosen)
        if not len(others):
            return [(own, None) for own in values]
        lower = values.copy()
        lower[:, others] = self._all_values(coefficients, self._every, self.ways, wary[others], others)
        return list(zip(values, lower, strict=True))

    @cached_property
    def of_observed(self) -> Draws:
        """The coefficient of the estimate's observed means with draws of the truth's true means: how far the ranking at
        hand, with the noise of its topics, is right."""
        every = np.arange(self.samples.draws)
        values = self._values(self._every, self.ways, self._chosen, every, as_observed=True)
        return Draws(values=values, most=self.coefficient.range[1])

    def resampled(self) -> Floats:
        """The coefficient of the means over resampled topics, one value a draw, with all their noise."""
        values = np.empty(self.samples.draws)
        flat = self._influence.reshape(len(self._influence), -1)
        for part in blocks(len(values), 16 * self.joint.systems):
            moved = product(self.samples.counts[part], flat).reshape(-1, *self._influence.shape[1:])
            estimate, truth = (self._means[i] + moved[:, i] for i in (0, 1))
            values[part] = coefficient_of(self.coefficient, self.joint, estimate, truth, self.joint.twin, self.matrices)
        return values

    @property
    def _every(self) -> Bools:
        return np.ones(self.joint.systems, bool)

    @cached_property
    def _chosen(self) -> Ints:
        """Which way each draw sees the systems."""
        return way_of(np.array([way.weight for way in self.ways]), self.samples.of_ways)

    @property
    def agree_entirely(self) -> float:
        """In which share of the draws estimate and truth differ by no more than noise."""
        return (
            float(np.mean(self.draws.defined >= self.coefficient.range[1] - 1e-9)) if len(self.draws.defined) else 0.0
        )

    def systems(self, groups: Ints, report: Progress | None = None) -> tuple[float, Floats]:
        """Leave out one group of systems after the other.

        Parameters
        ----------
        groups : array of int
            The number of the group of each system.
        report : callable, optional
            Called with the number of groups done, and of all.

        Returns
        -------
        (float, array of float)
            The value of all systems from `SYSTEMS_DRAWS` draws, and the values without each group.
        """
        left = []
        for group in _counted(int(groups.max()) + 1, report):
            kept = groups != group
            ways = tuple(way.of_systems(np.flatnonzero(kept)) for way in self.ways)
            left.append(self._value(kept, ways))
        return self._value(self._every, self.ways), np.array(left)

    def _value(self, kept: Bools, ways: tuple[Groups, ...]) -> float:
        """Of these systems, from fewer draws."""
        rows = np.arange(min(SYSTEMS_DRAWS, self.samples.draws))
        return Draws(values=self._values(kept, ways, self._chosen[rows], rows)).value

    def _values(
        self, kept: Bools, ways: tuple[Groups, ...], chosen: Ints, rows: Ints, *, as_observed: bool = False
    ) -> Floats:
        """The coefficient of these systems in these draws."""
        values = self._all_values((self.coefficient,), kept, ways, chosen, rows, as_observed=as_observed)
        return np.asarray(values[0])

    def _all_values(
        self,
        coefficients: Sequence[Coefficient],
        kept: Bools,
        ways: tuple[Groups, ...],
        chosen: Ints,
        rows: Ints,
        *,
        as_observed: bool = False,
    ) -> Floats:
        """Each coefficient of these systems in these draws, each of which sees them the way that was chosen for it; the
        estimate as drawn, or as observed."""
        means, influence = self._means[:, kept], self._influence[:, :, kept]
        means = means - means.mean(axis=1, keepdims=True)
        twin = _twin_of(self.joint.twin, kept)
        values = np.empty((len(coefficients), len(rows)))
        for number, way in enumerate(ways):
            own = np.flatnonzero(chosen == number)
            if not len(own):
                continue
            spreads, places = self._spreads(way, means, influence), self.samples.places(way, rows[own])
            errors = [self._errors(way.within(influence, group), way.shares[:, group]) for group in range(way.count)]
            for part in blocks(len(own), 16 * means.shape[1]):
                estimate, truth = self._true_means(spreads, errors, means, influence, rows[own[part]], places[part])
                estimate = np.tile(means[0], (len(truth), 1)) if as_observed else estimate
                for k, c in enumerate(coefficients):
                    values[k, own[part]] = coefficient_of(c, self.joint, estimate, truth, twin, self.matrices)
        return values

    def _spreads(self, way: Groups, means: Floats, influence: Floats) -> Spreads:
        free = max(1, means.shape[1] - way.count)
        own, moves = way.within_own(means), way.within_own(influence)
        observed, error = (own**2).sum(axis=1) / free, (moves**2).sum(axis=(0, 2)) / free
        units = np.sqrt(np.maximum(observed - error, FLOOR * np.maximum(observed, error)))
        units[units == 0] = 1.0  # a matrix whose scores are all the same
        minus, plus = np.array([1.0, -1.0]) / units, 1 / units
        difference = Reliability.of(minus @ own, np.einsum("i,tim->tm", minus, moves), groups=way.count)
        total, all_moves = plus @ means, np.einsum("i,tim->tm", plus, influence)
        sums = tuple(
            None
            if way.members[:, group].sum() < FEWEST_IN_ONE
            else Reliability.of(way.within(total, group), way.within(all_moves, group), way.members[:, group])
            for group in range(way.count)
        )
        return Spreads(way=way, units=units, difference=difference, sums=sums)

    def _true_means(
        self, spreads: Spreads, errors: list[Errors], means: Floats, influence: Floats, rows: Ints, places: Ints
    ) -> tuple[Floats, Floats]:
        """mu* of both matrices in these draws, draws x systems each; `errors` are V_s in each group."""
        way, samples = spreads.way, self.samples
        flat = product(samples.counts[rows], influence.reshape(len(influence), -1))
        moved = flat.reshape(len(rows), *influence.shape[1:]).transpose(1, 0, 2)
        d = spreads.difference.spreads(samples.of_difference[rows], 0.0)
        result = means[:, None] + moved
        for group, reliability in enumerate(spreads.sums):
            here = places == group
            if reliability is None:
                continue
            u = reliability.spreads(samples.of_sum[rows])
            u = np.maximum(u, d) if way.count > 1 else u  # the head of a board is not ranked against the truth
            omega = (u + d) / 4, (u - d) / 4
            size = np.maximum(here.sum(axis=1), 1)
            centre, shift = ((values * here).sum(axis=2) / size for values in (means[:, None], moved))
            inside = _believed(
                omega, spreads.units, errors[group], means[:, None] - centre[..., None], moved - shift[..., None]
            )
            result = np.where(here, inside + (centre + shift)[..., None], result)
        return result[0], result[1]

    def _errors(self, influence: Floats, shares: Floats) -> Errors:
        """V_s of each system: of the estimate, of both, of the truth."""
        found = []
        for i, j in ((0, 0), (0, 1), (1, 1)):
            own = (influence[:, i] * influence[:, j]).sum(axis=0)
            found.append((STEADY * float(own @ shares) + self.freedom * own) / (STEADY + self.freedom))
        return found[0], found[1], found[2]


def scale_share(means: Floats, influence: Floats) -> float:
    """Measure how much of the difference of two matrices changes of scale would explain.

    Where topics differ in scale, the noise of the topics moves the means along themselves. What it moves there beyond
    its share of m - 1 directions is compared with the observed difference, in units of the true spreads.

    Parameters
    ----------
    means : array of matrices x systems
        Observed means of estimate and truth.
    influence : array of topics x matrices x systems
        What each topic adds to each mean.

    Returns
    -------
    float
        A share; above `SCALE` changes of scale are taken out of the noise.
    """
    observed, error = (means**2).sum(axis=1), (influence**2).sum(axis=(0, 2))
    units = np.sqrt(np.maximum(observed - error, FLOOR * np.maximum(observed, error)))
    if not (units > 0).all():
        return 0.0
    minus, total = np.array([1.0, -1.0]) / units, (means / units[:, None]).sum(axis=0)
    difference, moves = minus @ means, np.einsum("i,tim->tm", minus, influence)
    seen, size = float(difference @ difference), float(total @ total)
    if not seen * size > 0:
        return 0.0
    along = float(((moves @ total) ** 2).sum()) / size
    return float((along - float((moves**2).sum()) / max(1, means.shape[1] - 1)) / seen)


def without_scale(means: Floats, influence: Floats) -> Floats:
    """The noise of both matrices without what is a change of scale.

    Where topics differ in scale, and not alike in estimate and truth, means move along themselves when topics are drawn
    anew: all systems move apart, or closer together, and no ranking changes. Taken for noise that judge and truth do
    not share, it made the disattenuated agreement up to .13 too high, and intervals held in .37 to .90. What is left
    is scaled up, since it has one of m - 1 directions less.
    """
    m = means.shape[1]
    size = np.maximum((means**2).sum(axis=1), 1e-300)
    along = np.einsum("tim,im->ti", influence, means) / size
    return np.asarray((influence - along[:, :, None] * means) * math.sqrt((m - 1) / (m - 2)))


def _believed(omega: tuple[Floats, Floats], units: Floats, errors: Errors, means: Floats, moved: Floats) -> Floats:
    """K y + K^1/2 e for 2 x 2 matrices K = Omega (Omega + V)^-1, draw by draw and system by system."""
    own, shared = (part[:, None] for part in omega)
    a, b, c = own * units[0] ** 2, shared * units[0] * units[1], own * units[1] ** 2
    p, q, r = (a + errors[0]) * (1 + NO_NOISE), b + errors[1], (c + errors[2]) * (1 + NO_NOISE)
    size = p * r - q * q
    size = np.where(size > 0, size, 1.0)  # 0 where nothing varies and nothing is noise, and all below is 0
    k = (a * r - b * q) / size, (b * p - a * q) / size, (b * r - c * q) / size, (c * p - b * q) / size
    # The root of a 2 x 2 matrix K is (K + sqrt(det K) I)/sqrt(trace K + 2 sqrt(det K)).
    det = np.sqrt(np.maximum(a * c - b * b, 0.0) / size)
    scale = 1 / np.sqrt(np.maximum(k[0] + k[3] + 2 * det, 1e-300))
    estimate = k[0] * means[0] + k[1] * means[1] + scale * ((k[0] + det) * moved[0] + k[1] * moved[1])
    truth = k[2] * means[0] + k[3] * means[1] + scale * (k[2] * moved[0] + (k[3] + det) * moved[1])
    return np.stack([estimate, truth])


def _twin_of(twin: Ints | None, kept: Bools) -> Ints | None:
    """The first of identical systems, among those that are kept."""
    if twin is None:
        return None
    _, first, own = np.unique(twin[kept], return_index=True, return_inverse=True)
    return np.asarray(first[own])


def _counted(n: int, report: Progress | None) -> Iterator[int]:
    for i in range(n):
        yield i
        if report is not None:
            report(i + 1, n)


@dataclass(frozen=True, eq=False, kw_only=True)
class Joint:
    """k matrices over a sample of topics. `x[i]` is units x systems without topic means, 0 where matrix i has not the
    unit.

    `present` is strata x k, `stratum` is of each unit; `level[i]` is the mean of all scores of matrix i, taken off with
    the topic means; `least` is 0 where no score is negative; means within `tolerance` differ by rounding only; `twin`
    is the first of identical systems. Each matrix is times a power of two.
    """

    x: tuple[Floats, ...]
    present: Bools
    stratum: Ints
    level: Floats
    least: Floats
    tolerance: float
    twin: Ints | None

    @property
    def systems(self) -> int:
        """How many systems there are."""
        return int(self.x[0].shape[1])

    @cached_property
    def sizes(self) -> Ints:
        """Units of each stratum."""
        return tally(self.stratum, len(self.present))

    @property
    def topics(self) -> tuple[int, ...]:
        """How many each matrix has."""
        return tuple(int(self.sizes[own].sum()) for own in self.present.T)

    @property
    def shared(self) -> int:
        """Topics that all matrices have."""
        return int(self.sizes[self.present.all(axis=1)].sum())

    @cached_property
    def _shares(self) -> Floats:
        """Which share of a matrix's topics each stratum has, strata x k."""
        own = np.where(self.present, self.sizes[:, None], 0.0)
        return np.asarray(own / own.sum(axis=0))

    @cached_property
    def _centres(self) -> Floats:
        """Means of each stratum: strata x k x systems, 0 where a matrix has no topic there."""
        sums = [[x[self.stratum == s].sum(axis=0) for x in self.x] for s in range(len(self.present))]
        return np.array(sums) / self.sizes[:, None, None]

    @cached_property
    def means(self) -> Floats:
        """k x systems, without the mean of all."""
        return np.asarray(np.einsum("si,sim->im", self._shares, self._centres))

    @cached_property
    def influence(self) -> Floats:
        """Units x k x systems: what each unit adds to each mean, so that the error covariance of the means is the sum
        over units of its products, and a resample moves the means by the sum of what it drew. A stratum of one unit
        says nothing."""
        n = self.sizes[:, None]
        scale = np.divide(self._shares, np.sqrt(n * (n - 1.0)), out=np.zeros_like(self._shares), where=n > 1)
        residuals = np.stack(self.x, axis=1) - np.where(self.present[..., None], self._centres, 0.0)[self.stratum]
        return np.asarray(residuals * np.where(self.present, scale, 0.0)[self.stratum][..., None])


def draw_counts(joint: Joint, draws: int, generator: np.random.Generator) -> Floats:
    """Draw how often each topic is in each resample of its stratum.

    Parameters
    ----------
    joint : Joint
        The matrices.
    draws : int
        Number of resamples.
    generator : Generator
        The source of randomness.

    Returns
    -------
    array of draws x units
    """
    counts = np.zeros((draws, len(joint.stratum)))
    for s, size in enumerate(joint.sizes):
        drawn = generator.integers(size, size=(draws, size)) + np.arange(draws)[:, None] * size
        units = np.flatnonzero(joint.stratum == s)
        counts[:, units] = tally(drawn.ravel(), draws * size).reshape(draws, size)
    return counts


def join(matrices: Sequence[Scores], *, paired: bool | None = None) -> Joint:
    """Put matrices of the same systems over one sample of topics.

    Topics with the same label are the same topic, and are resampled together. Topics that only some matrices have form
    strata of their own. Units are ordered by their scores, so that no result depends on the order of a file.

    Parameters
    ----------
    matrices : sequence of Scores
        Complete matrices with the same systems in the same order, the truth last.
    paired : bool or None, default None
        None goes by the labels of the topics; False takes them for different topics; True requires the same labels in
        all.

    Returns
    -------
    Joint

    Raises
    ------
    AlignmentError
        If labels differ and `paired` is True.
    """
    if paired and len({frozenset(matrix.topics) for matrix in matrices}) > 1:
        raise _unpaired(matrices)
    units: dict[object, int] = {}
    places = []
    for i, matrix in enumerate(matrices):
        keys: list[object] = [(i, topic) if paired is False else topic for topic in matrix.topics]
        places.append(np.array([units.setdefault(key, len(units)) for key in keys]))
    present = np.zeros((len(units), len(matrices)), bool)
    x, level, least, tolerance = [], [], [], 0.0
    marks: list[tuple[bytes, ...]] = [()] * len(units)
    for i, (matrix, at) in enumerate(zip(matrices, places, strict=True)):
        scaled, _ = near_one(matrix.values)
        full = np.zeros((len(units), len(matrix.systems)))
        full[at] = scaled - scaled.mean(axis=1, keepdims=True)
        for unit, mark in zip(at, content_marks(matrix.values), strict=True):
            marks[unit] = (mark, *marks[unit])  # the truth, which is last, decides, so that other judges change nothing
        present[at, i] = True
        x.append(full)
        level.append(float(scaled.mean()))
        least.append(0.0 if scaled.min() >= 0 else -np.inf)
        tolerance = max(tolerance, SNAP * float(np.abs(scaled).max()))
    order = sorted(range(len(units)), key=marks.__getitem__)
    patterns, stratum = np.unique(present[order], axis=0, return_inverse=True)
    return Joint(
        x=tuple(full[order] for full in x),
        present=patterns,
        stratum=stratum.reshape(-1).astype(np.int64),
        level=np.array(level),
        least=np.array(least),
        tolerance=tolerance,
        twin=first_of_identical(np.concatenate(x).T, tolerance),
    )


def _unpaired(matrices: Sequence[Scores]) -> AlignmentError:
    first = set(matrices[0].topics)
    other = next(matrix for matrix in matrices if set(matrix.topics) != first)
    only = sorted(first ^ set(other.topics))
    return AlignmentError(
        f"The sides do not have the same {word('topics')}: "
        f"{count(len(first & set(other.topics)), 'topic')} of {len(first):,} and {len(other.topics):,} are shared; "
        f"not shared are {shown(only, 3)}.",
        Option(
            "topics",
            ALL,
            effect=f"to resample {word('topics')} with the same label together, and the others separately",
        ),
    )
