"""How an expected correlation is estimated: one class per method, and the table that finds them by name.

To add a method, write a class with `NAME`, `TEXT` and `pair_swaps()`, and add it to `BY_NAME`: the sums over pairs
follow from those.
"""

from __future__ import annotations

import difflib
import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import ClassVar, NamedTuple

import numpy as np

from ..coefficients.records import Coefficient
from ..core import checking, differences, kernels
from ..core.arrays import BLOCK, FEWEST_DRAWS, Bools, Floats, Ints, blocks, product, repeated, tally
from ..core.checking import RESAMPLING_DRAWS, SANITY_HALVES, SCALED_DRAWS, Stream, stream
from ..data.scores import Scores
from ..errors import Advice, CallError, Option
from ..results import Note
from .true_means import (
    LEAST,
    LEAST_FOR_HALVES,
    SWAP_SUMS,
    Observed,
    coefficient_draws,
    most_swapped,
    observed_values,
    swapped,
    true_means,
)

#: Calibrated: swap probabilities are averaged over this part of the confidence distribution of the reliability. Its median
#: alone is too low as often as too high, and all of it pulls the value towards the middle of what is possible
#: (`docs/explanation/how-sure.md`).
MIDDLE_HALF = (0.25, 0.75)
#: Number of points in it; with more pairs than this, whose reliability is well known, one point is enough.
POINTS, MANY_PAIRS = 4, 20_000
#: Split-half: sizes of samples, trials of each, and observations in all.
SIZES, MOST_TRIALS, MOST_OBSERVATIONS = 20, 100, 2000
#: Names of the coefficients that every method estimates.
SUMS_OVER_PAIRS = tuple(c.name for c in SWAP_SUMS)


class Estimate(NamedTuple):
    """An expected correlation, NaN if the method has no answer, and the number of draws without a value."""

    value: float
    undefined: int = 0


@dataclass(frozen=True)
class Method:
    """One way to estimate an expected correlation.

    A subclass gives `NAME`, `TEXT` and `pair_swaps()`. One that does not go pair by pair gives `sums()` instead, and
    says `by_pairs = False`.
    """

    #: The short name.
    NAME: ClassVar[str] = ""
    #: What it is, as a noun phrase: "maximum likelihood (Urbano and Marrero 2016, eq. 7)".
    TEXT: ClassVar[str] = ""
    #: Whether it has swap probabilities, pair by pair.
    by_pairs: ClassVar[bool] = True
    #: Whether it draws random numbers, and so needs a generator.
    random: ClassVar[bool] = False
    #: Whether it estimates every coefficient, and not only sums over pairs.
    any_coefficient: ClassVar[bool] = False
    #: Whether the draws behind the interval weight topics at random instead of resampling them.
    bayesian: ClassVar[bool] = False
    #: Whether observed gaps shrink by the reliability, as in the draws behind the interval, which then holds the value.
    shrinks: ClassVar[bool] = False
    #: Whether a pair of systems with the same scores counts as in order, as in urbano2016; otherwise as undecided.
    identical_in_order: ClassVar[bool] = True

    @property
    def name(self) -> str:
        return self.NAME

    @property
    def text(self) -> str:
        return self.TEXT

    def __str__(self) -> str:
        return self.name

    def pair_swaps(self, observed: Observed, generator: np.random.Generator | None) -> Floats:
        """Return the probability that each pair of `observed.pairs` is in the wrong order, before ties are looked at.

        The generator is for a method that is `random`. The array may be written to.
        """
        raise CallError(
            f"The method {self.name!r} compares whole rankings and has no swap probabilities.",
            Option("method", "shrunk", "draws", effect="to have them"),
        )

    def swaps(self, observed: Observed, generator: np.random.Generator | None = None) -> Floats:
        """Return the probability that each pair of `observed.pairs` is in the wrong order.

        Pairs that are tied in the observed ranking have 1/2. So do identical systems, about which the scores say
        nothing; only the methods of urbano2016 count them as in order.
        """
        if generator is None and self in observed.kept:
            return np.asarray(observed.kept[self])
        swaps = self.pair_swaps(observed, generator)
        swaps[observed.tied] = 0.5
        if self.identical_in_order:
            swaps[observed.identical] = 0.0
        if generator is None:
            swaps.flags.writeable = False
            observed.kept[self] = swaps
        return swaps

    def sums(self, observed: Observed, generator: np.random.Generator | None = None) -> dict[str, float]:
        """Return the expected value of each coefficient that is a sum over pairs, NaN without an answer; nothing is
        checked."""
        return observed.expectation(self.swaps(observed, generator))

    def estimate(self, observed: Observed, coefficient: Coefficient, generator: np.random.Generator | None) -> Estimate:
        """Return the expected value of one coefficient, and the number of draws without a value."""
        return Estimate(self.sums(observed, generator)[coefficient.name])

    def why_undefined(self, observed: Observed, coefficient: Coefficient) -> Note:
        """Return why `estimate()` found no value."""
        return Note("no_value", coefficient=coefficient.symbol)

    def needed(self, generator: np.random.Generator | None) -> np.random.Generator:
        """Return the generator, which a method that is `random` must have."""
        if generator is None:
            raise CallError(f"{self.name} draws random numbers and needs a generator.")
        return generator


@dataclass(frozen=True)
class Shrunk(Method):
    """Student's t distribution, with gaps between systems shrunk by the reliability of the means: p = T_{n-1}(-sqrt(n g) d/s). This is the default.

    d is the difference of two observed means over n topics, s the standard deviation of the differences, and g the
    reliability of the means of the pair's group: observed means are further apart than true ones, most of all where
    systems are close. p is averaged over the middle half of what g could be, and over whether the two are in one group;
    gaps between groups do not shrink (`tauscope.inference.reliability`).
    """

    NAME: ClassVar[str] = "shrunk"
    TEXT: ClassVar[str] = "Student's t distribution, with gaps between systems shrunk by the reliability of the means"
    shrinks: ClassVar[bool] = True
    identical_in_order: ClassVar[bool] = False

    def pair_swaps(self, observed: Observed, generator: np.random.Generator | None = None) -> Floats:
        swaps = np.zeros(len(observed.gaps))
        for weight, reliabilities in observed.local.terms(confidences(len(swaps)), observed.pairs):
            some = weight > 0
            each = weight[some] / len(reliabilities)
            for g in reliabilities:
                swaps[some] += each * student_swaps(observed, observed.deviations / math.sqrt(g), some)
        return swaps


def confidences(pairs: int) -> Floats:
    """Return the confidences of the reliability that swap probabilities are averaged over.

    The median of the confidence distribution errs either way, so four points of its middle half are averaged. One
    point is enough for more than `MANY_PAIRS` pairs, whose reliability is well known.

    Parameters
    ----------
    pairs : int
        Number of pairs.

    Returns
    -------
    array of float

    Examples
    --------
    >>> confidences(100).tolist()
    [0.3125, 0.4375, 0.5625, 0.6875]
    """
    points = POINTS if pairs <= MANY_PAIRS else 1
    low, high = MIDDLE_HALF
    return np.asarray(low + (np.arange(points) + 0.5) * (high - low) / points)


def student_swaps(observed: Observed, sigma: Floats, pairs: slice | Bools = slice(None)) -> Floats:
    r"""Compute the swap probability of pairs by Student's t (Urbano and Marrero 2016, equation 5).

    .. math:: p = T_{n-1}\!\left(-\sqrt{n}\, d / \sigma\right)

    Parameters
    ----------
    observed : Observed
        The scores, of which d and n are taken.
    sigma : array of float
        The standard deviation of the differences of each pair.
    pairs : slice or array of bool, default all
        Which pairs.

    Returns
    -------
    array of float
        0 where the difference is constant.
    """
    gaps, sigma = observed.gaps[pairs], sigma[pairs]
    ratio = np.divide(gaps, sigma, out=np.full(len(sigma), np.inf), where=sigma > 0)
    return differences.student_tail(math.sqrt(observed.topics) * ratio, observed.topics - 1)


def unbiasing(n: int) -> float:
    r"""Return C_n, which makes s * C_n an unbiased estimate of sigma (Urbano and Marrero 2016, equation 7).

    .. math:: C_n = \sqrt{\frac{n-1}{2}}\; \frac{\Gamma\!\left(\frac{n-1}{2}\right)}{\Gamma\!\left(\frac{n}{2}\right)}

    Parameters
    ----------
    n : int
        Number of topics, at least two.

    Returns
    -------
    float

    Examples
    --------
    >>> round(unbiasing(10), 6), round(unbiasing(50), 6)
    (1.028109, 1.005115)
    """
    return math.sqrt((n - 1) / 2) * math.exp(math.lgamma((n - 1) / 2) - math.lgamma(n / 2))


@dataclass(frozen=True)
class MaximumLikelihood(Method):
    """Student's t with the unbiased standard deviation: p = T_{n-1}(-sqrt(n) d/(C_n s)) (Urbano and Marrero 2016, equation 5-7).

    It takes observed differences for true ones and is too optimistic where systems are close: `Shrunk` is not.
    """

    NAME: ClassVar[str] = "ml"
    TEXT: ClassVar[str] = "maximum likelihood (Urbano and Marrero 2016, eq. 7)"

    def pair_swaps(self, observed: Observed, generator: np.random.Generator | None = None) -> Floats:
        return student_swaps(observed, observed.deviations * unbiasing(observed.topics))


@dataclass(frozen=True)
class QuantileDeviation(Method):
    """Student's t with the standard deviation of minimum squared quantile deviation, MSQD (Urbano and Marrero 2016, equation 8 and 9).

    sigma is the one whose normal quantiles lie closest to the ordered differences, so that a few outlying topics count
    for less.
    """

    NAME: ClassVar[str] = "msqd"
    TEXT: ClassVar[str] = "minimum squared quantile deviation (Urbano and Marrero 2016, eq. 9)"

    def pair_swaps(self, observed: Observed, generator: np.random.Generator | None = None) -> Floats:
        parts = [differences.quantile_deviation(block) for _, block in observed.ordered_differences()]
        return student_swaps(observed, np.where(observed.deviations > 0, np.concatenate(parts), 0.0))


@dataclass(frozen=True)
class KernelDensity(Method):
    """The mean of n draws from the kernel density of the differences, without drawing (urbano2016 3.1.4).

    Pairs whose differences have no density fall back to maximum likelihood.
    """

    NAME: ClassVar[str] = "kd"
    TEXT: ClassVar[str] = "kernel density (Urbano and Marrero 2016, section 3.1.4), without resampling"

    def pair_swaps(self, observed: Observed, generator: np.random.Generator | None = None) -> Floats:
        parts = [kernels.kernel_density(block, observed.tolerance) for _, block in observed.ordered_differences()]
        swaps = np.concatenate(parts)
        without = np.isnan(swaps)
        swaps[without] = student_swaps(observed, observed.deviations * unbiasing(observed.topics), without)
        return swaps


@dataclass(frozen=True)
class Resampling(Method):
    """Base of the methods that draw true means: `draws` of them."""

    draws: int = RESAMPLING_DRAWS
    random: ClassVar[bool] = True
    any_coefficient: ClassVar[bool] = True
    #: Deviations are stretched for small samples too.
    shrinks: ClassVar[bool] = True
    identical_in_order: ClassVar[bool] = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "draws", checking.whole(self.draws, "draws", least=1))

    @property
    def text(self) -> str:
        return f"{self.draws:,} {self.TEXT}"

    def true_means(self, observed: Observed, generator: np.random.Generator | None) -> Iterator[Floats]:
        """Draw plausible true means: blocks of draws x systems, the best observed system first."""
        return true_means(observed, self.draws, self.needed(generator), bayesian=self.bayesian, scaled=self.shrinks)

    def pair_swaps(self, observed: Observed, generator: np.random.Generator | None) -> Floats:
        """Return the share of draws in which the lower of two systems has the higher mean."""
        m = observed.systems
        times = np.zeros(m * (m - 1) // 2)
        for means in self.true_means(observed, generator):
            columns = np.ascontiguousarray(means.T)
            start = 0
            for system in range(m - 1):
                stop = start + m - 1 - system
                above = columns[system] < columns[system + 1 :] - observed.tolerance
                times[start:stop] += np.count_nonzero(above, axis=1)
                start = stop
        return times / self.draws

    def sums(self, observed: Observed, generator: np.random.Generator | None = None) -> dict[str, float]:
        """Return means over the draws: the sum over pairs of weight x share of draws, without the table of pairs."""
        if observed.undecided:
            return super().sums(observed, generator)
        total = dict.fromkeys((c.name for c in SWAP_SUMS), 0.0)
        for means in self.true_means(observed, generator):
            for name, found in swapped(observed, means).items():
                total[name] += float(found.sum())
        return {
            c.name: 1
            - 2 * (total[c.name] / most_swapped(c, observed.systems)) / self.draws
            - (0.0 if self.identical_in_order else observed.identical_weight(c.name))
            for c in SWAP_SUMS
        }

    def estimate(self, observed: Observed, coefficient: Coefficient, generator: np.random.Generator | None) -> Estimate:
        if not coefficient.no_swap_sum:
            return super().estimate(observed, coefficient, generator)
        values = coefficient_draws(
            observed, coefficient, self.draws, self.needed(generator), bayesian=self.bayesian, scaled=self.shrinks
        )
        undefined = int(np.isnan(values).sum())
        return Estimate(float(np.nanmean(values)) if undefined < len(values) else math.nan, undefined)


@dataclass(frozen=True)
class Bootstrap(Resampling):
    """Topics resampled with replacement, the same for all systems (Urbano and Marrero 2016, equation 10).

    It takes observed means for true ones, and is too optimistic where systems are close: `ScaledDraws` is not.
    """

    NAME: ClassVar[str] = "res"
    TEXT: ClassVar[str] = "resamples of topics (Urbano and Marrero 2016, eq. 10)"
    shrinks: ClassVar[bool] = False
    identical_in_order: ClassVar[bool] = True


@dataclass(frozen=True)
class ScaledDraws(Resampling):
    """Resampled topics, their deviations scaled for small samples and for shrunk gaps: what intervals are made of.

    This is the default for coefficients that are not sums over pairs.
    """

    draws: int = SCALED_DRAWS
    NAME: ClassVar[str] = "draws"
    TEXT: ClassVar[str] = "scaled draws of the true means"


@dataclass(frozen=True)
class BayesianBootstrap(Resampling):
    """Topics with random weights, Dirichlet(1, …, 1), scaled as `ScaledDraws`; the interval is drawn likewise."""

    NAME: ClassVar[str] = "bayes"
    TEXT: ClassVar[str] = "scaled draws of a Bayesian bootstrap"
    bayesian: ClassVar[bool] = True


@dataclass(frozen=True)
class SplitHalf(Method):
    """The agreement of two samples of topics, extrapolated to all of them: the baseline of urbano2016 (section 4.2).

    This is the agreement of two samples with each other, not with the truth. What halves do say about the truth is the
    sanity line: (1 + mean coefficient of random halves)/2 is close to the expected correlation of the whole.
    `replacement`: whether topics are drawn with replacement ("shw"), or the two samples share none ("shwo"). `draws`:
    pairs of samples in all; 2,000 by default, and at most 100 of each size.
    """

    replacement: bool = True
    draws: int | None = None
    by_pairs: ClassVar[bool] = False
    random: ClassVar[bool] = True
    TEXTS: ClassVar[tuple[str, str]] = (
        "split-half without replacement (Urbano and Marrero 2016, section 4.2)",
        "split-half with replacement (Urbano and Marrero 2016, section 4.2)",
    )

    def __post_init__(self) -> None:
        if self.draws is not None:
            object.__setattr__(self, "draws", checking.whole(self.draws, "draws", least=1))

    @property
    def name(self) -> str:
        return "shw" if self.replacement else "shwo"

    @property
    def text(self) -> str:
        return self.TEXTS[self.replacement]

    def sums(self, observed: Observed, generator: np.random.Generator | None = None) -> dict[str, float]:
        """Return extrapolated coefficients of two samples of all topics; NaN below four topics."""
        if observed.topics < LEAST_FOR_HALVES:
            return {c.name: math.nan for c in SWAP_SUMS}
        generator = self.needed(generator)
        seen = observe(observed, replacement=self.replacement, generator=generator, draws=self.draws)
        return {c.name: extrapolate(seen.size, seen.of(c), observed.topics) for c in SWAP_SUMS}

    def why_undefined(self, observed: Observed, coefficient: Coefficient) -> Note:
        few = observed.topics < LEAST_FOR_HALVES
        return Note("few_for_halves", topics=observed.topics) if few else Note("no_line")


class Observations(NamedTuple):
    """One row per trial: the number of topics in each sample, and tau and tau_ap between the two rankings."""

    size: Ints
    tau: Floats
    tau_ap: Floats

    def of(self, coefficient: Coefficient) -> Floats:
        """Return the values of one of the two: of tau_ap if the coefficient is head-weighted."""
        return self.tau_ap if coefficient.head_weighted else self.tau


def sample_sizes(topics: int) -> Ints:
    """Return unique(round(linspace(1, floor(n/2), 21))) without the first; 1 and 2 if only 2 is left; none below 4."""
    sizes = np.unique(np.round(np.linspace(1, topics // 2, SIZES + 1))).astype(np.int64)[1:]
    return np.array([1, 2]) if len(sizes) == 1 else sizes


def observe(
    observed: Observed, *, replacement: bool, generator: np.random.Generator, draws: int | None = None
) -> Observations:
    """Compare the rankings of pairs of samples of topics; a tied pair is not discordant."""
    sizes = sample_sizes(observed.topics)
    if draws is None:
        trials = min(MOST_TRIALS, MOST_OBSERVATIONS // max(1, len(sizes)))
    else:
        trials = math.ceil(draws / max(1, len(sizes)))
    return _observed_at(observed, repeated(sizes, trials), replacement=replacement, generator=generator)


def _observed_at(observed: Observed, size: Ints, *, replacement: bool, generator: np.random.Generator) -> Observations:
    """Compare one pair of samples for each size."""
    scores = np.ascontiguousarray(observed.x.T)
    distance, head = np.empty(len(size)), np.empty(len(size))
    width = max(observed.topics, observed.systems)
    for rows in blocks(len(size), width, max(BLOCK, FEWEST_DRAWS * width)):
        estimate, truth = (
            product(weights, scores) for weights in _two_samples(size[rows], observed.topics, replacement, generator)
        )
        distance[rows], head[rows] = kernels.discordance(estimate, truth, observed.tolerance)
    m = observed.systems
    return Observations(size, 1 - 4 * distance / (m * (m - 1)), 1 - 2 * head / (m - 1))


def sanity_line(observed: Observed, generator: np.random.Generator) -> dict[str, float]:
    """Return (1 + mean of tau, tau_ap between random disjoint halves)/2, which needs no model."""
    if observed.topics < LEAST or observed.systems < 2:
        return {c.name: math.nan for c in SWAP_SUMS}
    seen = _observed_at(observed, np.full(SANITY_HALVES, observed.topics // 2), replacement=False, generator=generator)
    return {c.name: (1 + float(seen.of(c).mean())) / 2 for c in SWAP_SUMS}


def _two_samples(size: Ints, topics: int, replacement: bool, generator: np.random.Generator) -> tuple[Floats, Floats]:
    """Return the weights of the topics in the two samples of each trial: trials x topics, shares of the sample."""
    rows, places = len(size), np.arange(topics)
    share = 1.0 / size
    if not replacement:
        order = generator.permuted(np.broadcast_to(places, (rows, topics)), axis=1)
        first = np.where(order < size[:, None], share[:, None], 0.0)
        second = np.where((order >= size[:, None]) & (order < 2 * size[:, None]), share[:, None], 0.0)
        return first, second
    owner = repeated(np.arange(rows), size) * topics
    samples = []
    for _ in range(2):
        drawn = generator.integers(topics, size=len(owner)) + owner
        samples.append(tally(drawn, rows * topics).reshape(rows, topics) * share[:, None])
    return samples[0], samples[1]


def extrapolate(size: Ints, values: Floats, topics: int) -> float:
    """Extrapolate the agreement of halves to all topics, from a line through log((1 - value)/2) by size.

    Parameters
    ----------
    size : array of int
        Number of topics of each trial.
    values : array of float
        Its coefficient.
    topics : int
        Number of topics to extrapolate to.

    Returns
    -------
    float
        NaN if fewer than two sizes are left without the trials of full agreement.
    """
    loss = (1 - values) / 2
    usable = loss > 0
    if len(np.unique(size[usable])) < 2:
        return math.nan
    x, y = size[usable].astype(float), np.log(loss[usable])
    slope = float(((x - x.mean()) * (y - y.mean())).sum() / ((x - x.mean()) ** 2).sum())
    end = float(y.mean()) + slope * (topics - float(x.mean()))
    return 1 - 2 * min(1.0, math.exp(min(end, 0.0)))


def without_answer(observed: Observed) -> Note | None:
    """Return why no method has an answer, or None."""
    if observed.systems < 2:
        return Note("one_system")
    if observed.topics < LEAST:
        return Note("one_topic")
    return Note("all_identical", systems=observed.systems) if observed.identical.all() else None


def expected_value(scores: Scores, coefficient: Coefficient, seed: int) -> float:
    """Return the expected value of a coefficient by the default method; NaN without an answer.

    Parameters
    ----------
    scores : Scores
        Complete scores on independent topics.
    coefficient : Coefficient
        The coefficient of the observed ranking with the true one.
    seed : int
        Seed of a method that draws.

    Returns
    -------
    float

    See Also
    --------
    expected_correlation : the same with an interval, other methods, and plans.
    """
    observed = observed_values(scores)
    return math.nan if without_answer(observed) is not None else default_value(observed, coefficient, seed)


def default_value(observed: Observed, coefficient: Coefficient, seed: int) -> float:
    """Return the value by the default method, which shrinks gaps as the draws of intervals do."""
    method = method_of(None, coefficient)
    return method.estimate(observed, coefficient, stream(seed, Stream.POINT) if method.random else None).value


#: Every method by its short name.
BY_NAME: dict[str, Method] = {
    method.name: method
    for method in (
        Shrunk(),
        BayesianBootstrap(),
        MaximumLikelihood(),
        QuantileDeviation(),
        Bootstrap(),
        KernelDensity(),
        SplitHalf(True),
        SplitHalf(False),
        ScaledDraws(),
    )
}
#: Longer names of some of them.
LONG_NAMES = {"bayesian": "bayes", "bootstrap": "res", "kde": "kd"}
SPLIT_HALF = "split_half"
#: The six estimators of urbano2016.
URBANO2016 = ("ml", "msqd", "res", "kd", "shw", "shwo")


def method_of(
    spec: str | Method | None, coefficient: Coefficient, *, replace_topics: bool = True, draws: int | None = None
) -> Method:
    """Return the method that is meant, checked against the coefficient.

    Parameters
    ----------
    spec : str, Method or None
        A name of `BY_NAME` or `LONG_NAMES`, "split_half", a method, or None for the default: shrunk, or scaled draws
        for a coefficient that is not a sum of swap probabilities.
    coefficient : Coefficient
        The coefficient to estimate.
    replace_topics : bool, default True
        Whether split-half draws topics with replacement.
    draws : int or None, default None
        Number of draws of a method that draws.

    Returns
    -------
    Method

    Raises
    ------
    CallError
        If the method is unknown, cannot estimate the coefficient, or does not take one of the options.
    """
    if spec is None:
        spec = "draws" if coefficient.no_swap_sum else "shrunk"
    method = spec if isinstance(spec, Method) else _named(str(spec).strip().lower(), replace_topics)
    if method is None:
        near = difflib.get_close_matches(str(spec).strip().lower(), (*BY_NAME, *LONG_NAMES, SPLIT_HALF), 1)
        hint = f" Did you mean {near[0]!r}?" if near else ""
        raise CallError(f"There is no method {spec!r}.{hint} There are: {', '.join((*BY_NAME, SPLIT_HALF))}.")
    if not replace_topics and not isinstance(method, SplitHalf):
        raise CallError(f"replace=False goes with the method {SPLIT_HALF!r}, and not with {method.name!r}.")
    if draws is not None:
        if not isinstance(method, (Resampling, SplitHalf)):
            raise CallError(
                f"The method {method.name!r} draws nothing: leave draws out.",
                Option("method", "draws", "res", "bayes", SPLIT_HALF, effect="to draw"),
            )
        method = replace(method, draws=draws)
    if coefficient.no_swap_sum and not method.any_coefficient:
        raise not_a_sum_error(coefficient, Option("method", "draws", "res", "bayes", effect="to resample topics"))
    return method


def _named(name: str, replace_topics: bool) -> Method | None:
    if name == SPLIT_HALF:
        return SplitHalf(replace_topics)
    return BY_NAME.get(LONG_NAMES.get(name, name))


def not_a_sum_error(coefficient: Coefficient, *fixes: Option | Advice) -> CallError:
    """Return the error for a coefficient that cannot be estimated pair by pair."""
    return CallError(
        f"The expected {coefficient} is not a sum of swap probabilities: {coefficient.no_swap_sum}.", *fixes
    )
