"""People on k topics, a judge on all N: estimates of the systems' means and their errors, from arrays.

Scores have their topic means removed, since only differences between systems matter. With y people's scores on k topics
and f the judge's on N topics, the k among them, the estimate of a system, or of the difference of two, is

    ybar_k + b (fbar_N - fbar_k),   b = cov(y, f)/var(f),

the regression estimator of two-phase sampling, which is prediction-powered inference with power tuning (PPI++): its
lambda is b (N - k)/N. Whatever the judge says, b decides how much is gained; the bias is of the order 1/k, since b comes from
the same topics: next to nothing with normal scores, up to one standard error with sparse, very skewed ones. (Slopes without the topic itself, cross-fitting, take that bias away as well; they were
tried on scores whose differences grow with their size, and cost a tenth more error than they saved.) The variance is

    var(e) (1/k + (fbar_N - fbar_k)^2/SS_f) + b^2 var(f)/N,   e = y - b f, with k - 2 degrees of freedom,

for the population of topics (one slope for all systems has 2 b cov(e, f)/N besides); for the mean over the N topics at
hand 1/k becomes 1/k - 1/N, and the last term goes. Where this is not less than people's own var(y)/k, over all systems
together, b is 0: the judge is left out.

Where the k topics were drawn with unequal chances p_t, every mean over them has the weights u_t = (1/p_t)/sum(1/p)
(Horvitz-Thompson, divided by the sum of its weights: Hajek), and var(e)/k becomes k/(k - 2) sum u_t^2 (e_t - ebar)^2,
each term times 1 - p_t for the topics at hand. Strata are not used in it, which makes it too large rather than too
small.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from ..core import checking
from ..core.arrays import SNAP, Bools, Floats, Ints, product, snap
from ..core.checking import DIFFERENCE_DRAWS, Stream, stream
from ..data.alignment import aligned_scores
from ..data.labels import shown
from ..data.scores import Scores
from ..errors import Advice, AlignmentError, Option, TauscopeError
from ..inference.corrections import LEAST_VARIANCE
from ..inference.relation import NormalScores
from ..results import Note, count

#: Slopes beyond this, in units of people's spread over the judge's, are cut, which costs no coverage.
STEEPEST = 3.0
#: A variance of differences that is this share of those it was subtracted from is rounding.
ROUNDING = 1e-12


class Pairs(NamedTuple):
    """Differences of all pairs, systems x systems: `estimates`, the `slopes` of the judge, and error variances, `sampled`
    from people's topics, and `other` from the slope and the judge's topics."""

    estimates: Floats
    slopes: Floats
    sampled: Floats
    other: Floats

    @property
    def errors(self) -> Floats:
        """Standard errors."""
        return np.asarray(np.sqrt(self.sampled + self.other))


class PairLimits(NamedTuple):
    """The difference of two systems, its limits, and a two-sided p-value against 0."""

    difference: float
    low: float
    high: float
    p: float


@dataclass(frozen=True, eq=False, kw_only=True)
class TwoPhase:
    """Scores of the same systems by people and by a judge, topics x systems, topic means removed.

    `people` and `judge_there` are on the same k topics, `judge` on all N. `whole`: the target is the mean over the N
    topics at hand instead of the population that they were drawn from. `chances`: with which each of the k was drawn,
    None where all had the same. `alone`: the judge is left out of the pooled estimates, whatever it says.
    """

    people: Floats
    judge_there: Floats
    judge: Floats
    whole: bool = False
    chances: Floats | None = None
    alone: bool = False

    @property
    def systems(self) -> int:
        """How many systems there are."""
        return int(self.people.shape[1])

    @property
    def k(self) -> int:
        """How many topics people judged."""
        return len(self.people)

    @property
    def n(self) -> int:
        """How many topics the judge judged."""
        return len(self.judge)

    @cached_property
    def weights(self) -> Floats:
        """u_t of each of the k topics; they add up to 1."""
        u = np.ones(self.k) if self.chances is None else 1 / self.chances
        return np.asarray(u / u.sum())

    @cached_property
    def size(self) -> float:
        """How many topics with equal weights would be as good (Kish): k where the chances are equal."""
        return float(1 / (self.weights**2).sum())

    @cached_property
    def human_mean(self) -> Floats:
        """ybar_k of each system."""
        return _means(self.weights, self.people)

    @cached_property
    def judge_mean_there(self) -> Floats:
        """fbar_k of each system."""
        return _means(self.weights, self.judge_there)

    @cached_property
    def judge_mean(self) -> Floats:
        """fbar_N of each system."""
        return _means(np.full(self.n, 1 / self.n), self.judge)

    @cached_property
    def gap(self) -> Floats:
        """fbar_N - fbar_k of each system."""
        return np.asarray(self.judge_mean - self.judge_mean_there)

    @cached_property
    def covariances(self) -> tuple[Floats, Floats, Floats, Floats]:
        """Of people on the k topics, of the judge on all, of the judge there, and between people and judge there."""
        y, there, f = self.people - self.human_mean, self.judge_there - self.judge_mean_there, _centred(self.judge)
        u = (self.weights / max(1e-12, 1 - 1 / self.size))[:, None] if self.k > 1 else self.weights[:, None]
        return y.T @ (u * y), f.T @ f / max(1, self.n - 1), there.T @ (u * there), y.T @ (u * there)

    @cached_property
    def sampled(self) -> tuple[Floats, Floats, Floats]:
        """Error covariances of the means over the k topics: of people, of the judge there, and between the two."""
        y, there = self.people - self.human_mean, self.judge_there - self.judge_mean_there
        chances = np.full(self.k, self.k / self.n) if self.chances is None else self.chances
        u = self.weights**2 * (self.k / max(1, self.k - 1)) * ((1 - chances) if self.whole else 1.0)
        return y.T @ (u[:, None] * y), there.T @ (u[:, None] * there), y.T @ (u[:, None] * there)

    @cached_property
    def slope(self) -> float:
        """The b of the estimate: 0 where people judged all topics, or the judge does not make the error smaller."""
        b = self.slope_seen
        if self.alone or self.n <= self.k or not b:
            return 0.0
        return b if np.trace(self._with_slope(b)) < np.trace(self.sampled[0]) else 0.0

    @cached_property
    def slope_seen(self) -> float:
        """One b for all systems: pooled over all differences of two."""
        _, judge, _, between = self.covariances
        spread = float(np.trace(judge))
        return float(np.clip(np.trace(between) / spread, 0.0, self.steepest)) if spread > 0 else 0.0

    @cached_property
    def steepest(self) -> float:
        """The largest slope: the unit of the judge's scores must not matter."""
        people, judge, _, _ = self.covariances
        spread = float(np.trace(judge))
        return STEEPEST * (float(np.trace(people)) / spread) ** 0.5 if spread > 0 else 0.0

    @cached_property
    def correlation(self) -> float:
        """Of people's and the judge's differences of two systems, topic by topic, pooled over all pairs."""
        people, _, there, between = self.covariances
        both = float(np.trace(people)) * float(np.trace(there))
        return float(np.trace(between)) / both**0.5 if both > 0 else float("nan")

    @cached_property
    def pooled(self) -> tuple[Floats, Floats]:
        """Estimates of all systems with one slope, and their covariance."""
        b = self.slope
        return (self.human_mean + b * self.gap, self._with_slope(b)) if b else self.people_only

    def _with_slope(self, b: float) -> Floats:
        """The covariance of the estimates with one slope that is not 0."""
        people, there, between = self.sampled
        rest = (people - b * (between + between.T) + b * b * there) * self.short
        return np.asarray(rest + (0.0 if self.whole else self.of_judge / self.n))

    @property
    def freedom(self) -> float:
        """Degrees of freedom of the pooled estimates: a slope takes one."""
        return float(self.k - 2 if self.slope else self.k - 1)

    @cached_property
    def of_judge(self) -> Floats:
        """What the judge's N topics leave open, times N: b^2 var(f) + 2 b cov(e, f). One slope for all systems leaves
        residuals of single pairs that go with the judge's scores; they are in both means."""
        b = self.slope_seen
        _, judge, there, between = self.covariances
        left = between - b * there
        return np.asarray(b * b * judge + b * (left + left.T))

    @cached_property
    def short(self) -> float:
        """By how much the residuals of the pooled slope are too small: it takes one degree of freedom of all systems
        together, which vary in as many directions as (sum of eigenvalues)^2/(sum of their squares) says."""
        if not self.slope_seen or self.k < 3:
            return 1.0
        there = self.covariances[2]
        directions = max(1.0, float(np.trace(there)) ** 2 / max(float((there**2).sum()), 1e-300))
        return (self.k - 1) / (self.k - 1 - 1 / directions)

    @cached_property
    def people_only(self) -> tuple[Floats, Floats]:
        """Means of the k topics, and their covariance."""
        return self.human_mean, self.sampled[0]

    @cached_property
    def by_pair(self) -> Pairs:
        """Differences of all pairs, each with its own slope, and their error variances: systems x systems."""
        own, judge, there, between = self.covariances
        vy, vf, vt = (_of_differences(c) for c in (own, judge, there))
        cross = _across(between)
        # Where people or the judge see no difference on people's topics there is no slope.
        known = (vf > 0) & (vt > 0) & (vy > 0)
        b = np.divide(cross, vf, out=np.zeros_like(cross), where=known) if self.n > self.k else np.zeros_like(cross)
        b = np.clip(b, 0.0, self.steepest)
        means, gap = self.human_mean, self.gap
        step = gap[:, None] - gap[None, :]
        estimate = means[:, None] - means[None, :] + b * step
        free = np.where(b > 0, self.k - 2, self.k - 1)
        people, there, between = self.sampled
        alone = _of_differences(people)
        rest = alone - 2 * b * _across(between) + b * b * _of_differences(there)
        rest = np.where(rest > ROUNDING * alone, rest, 0.0) * (self.k - 1) / np.maximum(free, 1)
        # The slope's own error: (fbar_N - fbar_k)^2/SS_f beside 1/k, and 1 - k/N less of 1/k for the topics at hand.
        lever = np.divide(step**2 * self.k, vt * (self.k - 1), out=np.zeros_like(vt), where=known & (b > 0))
        if self.whole:
            lever *= 1 / max(1 - self.k / self.n, 1e-12)
        other = rest * lever + (0.0 if self.whole else 1.0) * b * b * vf / self.n
        return Pairs(estimate, b, rest, other)

    @cached_property
    def farthest(self) -> float:
        """How far any two systems are apart on any topic: for people, or for the judge where people saw no difference."""
        own = float(np.ptp(self.people, axis=1).max())
        return own if own > 0 else float(np.ptp(self.judge, axis=1).max())

    @cached_property
    def deciding(self) -> float:
        """How many of people's topics would vary as much if all varied alike: (sum of v)²/(sum of v²), v the squares of a
        topic's deviations from the means."""
        by_topic = ((self.people - self.human_mean) ** 2).sum(axis=1)
        square = float((by_topic**2).sum())
        return float(by_topic.sum()) ** 2 / square if square > 0 else 0.0

    @property
    def few_decide(self) -> bool:
        """Whether these are less than two thirds of people's topics: on simulated boards of ten systems normal scores and
        ratings have about .8, sparse and saturated scores .1 to .4."""
        return self.deciding < 2 / 3 * self.k

    @cached_property
    def alike(self) -> int:
        """How many pairs of systems show no variation on people's topics beyond what the judge explains."""
        return int((self.by_pair.sampled[np.triu_indices(self.systems, 1)] == 0).sum())

    def limits(self, first: int, second: int, level: float, seed: int) -> PairLimits:
        """The difference of two systems with its limits and a two-sided p-value; NaN where nothing varies at all.

        Of the noise of people's topics, Student's t takes differences for normal. Where few topics decide, that is too
        narrow, and where no topic does, it has no width at all. So the reach is the quantile of |t*| over resampled
        topics (the symmetric studentised bootstrap) where that is larger, but no more than the reach with one more topic
        on which the two are as far apart, the other way, as any two systems are on any topic: this is what a sample may
        have missed. What the judge's topics leave open is added as the other side of a right angle.
        """
        from scipy.special import stdtr, stdtrit

        pairs, k = self.by_pair, self.k
        d = float(pairs.estimates[first, second])
        rest, other = (float(v[first, second]) for v in (pairs.sampled, pairs.other))
        free = float(k - (2 if self.n > k else 1))
        if self.whole and k >= self.n:
            return PairLimits(d, d, d, float(d == 0))  # people judged all topics that are asked about
        if self.farthest == 0:
            return PairLimits(d, math.nan, math.nan, math.nan)
        spread = self._resampled_t(first, second, d, seed) if rest > 0 else None
        left = 1 - k / self.n if self.whole else 1.0

        def one_more(way: float, share: float) -> float:
            """The reach with one more topic against, at this two-sided share."""
            off = max(way * d + self.farthest, 0.0)
            deviation = math.sqrt((k - 1) * rest + left * off * off / (k + 1))
            return math.sqrt(left) * off / (k + 1) + float(stdtrit(k, 1 - share / 2)) * deviation / math.sqrt(k + 1)

        def whole(own: float, share: float) -> float:
            return math.hypot(own, float(stdtrit(free, 1 - share / 2)) * math.sqrt(other))

        def reach(way: float, share: float) -> float:
            student = float(stdtrit(free, 1 - share / 2)) * math.sqrt(rest)
            drawn = math.inf if spread is None else float(np.quantile(spread, 1 - share)) * math.sqrt(rest)
            return whole(max(student, min(drawn, one_more(way, share))), share)

        # p is the smallest share at which the interval excludes 0; that of the bootstrap is one of a number of draws.
        way, gap = (1.0, d) if d >= 0 else (-1.0, -d)
        student = 2 * float(stdtr(free, -gap / math.sqrt(rest + other))) if rest + other > 0 else 0.0
        drawn = (
            1.0
            if spread is None
            else _smallest(
                lambda share: whole(float(np.quantile(spread, 1 - share)) * math.sqrt(rest), share) < gap,
                1 / len(spread),
            )
        )
        p = max(student, min(drawn, _smallest(lambda share: whole(one_more(way, share), share) < gap)))
        return PairLimits(d, d - reach(1.0, 1 - level), d + reach(-1.0, 1 - level), p)

    def _resampled_t(self, first: int, second: int, estimate: float, seed: int) -> Floats:
        """|t*| of the residuals of a pair over resampled topics, in ascending order."""
        b = float(self.by_pair.slopes[first, second])
        own = (
            self.people[:, first]
            - self.people[:, second]
            - b * (self.judge_there[:, first] - self.judge_there[:, second])
        )
        z = self.k * self.weights * (own - float(self.weights @ own))
        # The order of the topics, and which of the two comes first, do not matter.
        towards = estimate if estimate else float((z**3).sum())
        z = np.sort(-z if towards < 0 else z)
        counts = self._counts(seed)
        n, least = self.k, LEAST_VARIANCE * float((z**2).mean())
        means, squares = (product(counts, values[:, None])[:, 0] / n for values in (z - z.mean(), (z - z.mean()) ** 2))
        return np.sort(np.sqrt((n - 1) * means**2 / np.maximum(squares - means**2, least)))

    def _counts(self, seed: int) -> Floats:
        """How often each topic is in each resample: draws x topics."""
        if seed not in self._kept:
            drawn = stream(seed, Stream.TOPICS).multinomial(self.k, np.full(self.k, 1 / self.k), DIFFERENCE_DRAWS)
            self._kept[seed] = drawn.astype(float)
        return self._kept[seed]

    @cached_property
    def _kept(self) -> dict[int, Floats]:
        return {}


def _smallest(excludes: Callable[[float], bool], least: float = 1e-300) -> float:
    """The smallest share, from `least` on, at which an interval excludes 0; 1 where it does at none."""
    low, high = math.log(least), 0.0
    if excludes(least):
        return least
    while high - low > 1e-9:
        middle = (low + high) / 2
        low, high = (low, middle) if excludes(math.exp(middle)) else (middle, high)
    return math.exp(high)


def _means(weights: Floats, x: Floats) -> Floats:
    """Weighted means of the columns, whose topic means are 0; those that differ by rounding are equal."""
    size = float(np.abs(x).max(initial=0.0))
    found, _ = snap(weights @ x, size)
    return np.where(np.abs(found) > SNAP * size, found, 0.0)


def _centred(x: Floats) -> Floats:
    return np.asarray(x - x.mean(axis=0))


def _of_differences(covariance: Floats) -> Floats:
    own = np.diagonal(covariance)
    both = own[:, None] + own[None, :]
    found = both - covariance - covariance.T
    return np.where(found > ROUNDING * both, found, 0.0)


def _across(covariance: Floats) -> Floats:
    """The same of a covariance between two sides, which may be negative."""
    own = np.diagonal(covariance)
    return np.asarray(own[:, None] + own[None, :] - covariance - covariance.T)


#: Fewer human topics leave no degrees of freedom worth the name for the slope.
LEAST_TOPICS = 5


class Sides(NamedTuple):
    """People's and the judge's scores as arrays, the systems, what was left out, and the scores themselves."""

    data: TwoPhase
    systems: tuple[str, ...]
    notes: tuple[Note | str, ...]
    human: Scores
    judge: Scores


def two_phase(
    human: Scores,
    judge: Scores,
    *,
    unmatched: str = "error",
    chances: Mapping[str, float] | None = None,
    whole: bool = False,
) -> Sides:
    """Align people's scores on some of a judge's topics with the judge's."""
    same = aligned_scores({"human": human, "judge": judge}, "hybrid()", unmatched, subset=True)
    own, machine = same.scores
    there, notes = _topics(own, machine, unmatched)
    own = own.select(topics=there)
    if len(there) < LEAST_TOPICS:
        raise TauscopeError(
            f"hybrid() needs people's scores on at least {LEAST_TOPICS} topics; there {'is' if len(there) == 1 else 'are'} "
            f"{len(there)}."
        )
    data = TwoPhase(
        people=_differing(own.values),
        judge_there=_differing(machine.select(topics=there).values),
        judge=_differing(machine.values),
        whole=whole,
        chances=_chances_of(there, chances),
    )
    if data.chances is not None:
        notes += (Note("unequal_chances", size=data.size),)
    return Sides(data, own.systems, (*same.notes, *notes), own, machine)


def _topics(human: Scores, judge: Scores, unmatched: str) -> tuple[list[str], tuple[Note | str, ...]]:
    """People's topics that the judge has too, and what was left out."""
    known = set(judge.topics)
    alone = [topic for topic in human.topics if topic not in known]
    there = [topic for topic in human.topics if topic in known]
    if alone and (unmatched == "error" or not there):
        way = (
            Option("unmatched", "drop", effect=f"to use the {len(there):,} that both have")
            if there
            else Advice("Are topics spelled alike in both?")
        )
        raise AlignmentError(f"{count(len(alone), 'topic')} of `human` the judge has not: {shown(alone)}.", way)
    return there, ((Note("human_only_topics", topics=len(alone)),) if alone else ())


def _chances_of(topics: list[str], chances: Mapping[str, float] | None) -> Floats | None:
    """The chance of each human topic; None where there are none, or where they are all the same."""
    if chances is None:
        return None
    without = [topic for topic in topics if topic not in chances]
    if without:
        raise TauscopeError(
            f"{count(len(without), 'human topic')} {'has' if len(without) == 1 else 'have'} no chance: {shown(without)}.",
            Advice("`chances` maps every topic that people judged to the chance with which it was drawn."),
        )
    found = np.array([checking.share(chances[topic], f"chances[{topic!r}]", one=True) for topic in topics])
    return None if (found == found[0]).all() else found


def _differing(values: Floats) -> Floats:
    """Without the means of topics; nothing is left of a topic on which systems differ by rounding only."""
    differ = np.ptp(values, axis=1) > SNAP * np.abs(values).max(axis=1)
    return np.where(differ[:, None], values - values.mean(axis=1, keepdims=True), 0.0)


#: Values of the correlation of true means, and of the spread of people's, over which the estimate is averaged.
CORRELATIONS = np.linspace(-0.95, 0.99, 40)
SPREADS = np.exp(np.linspace(-1.2, 1.2, 13))


@dataclass(frozen=True, eq=False, kw_only=True)
class Shrunken:
    """Means of mu_s, one per system; and one entry per covariance G that was thought of: its `weight`, the
    covariance itself (`prior`), the means under it (`each`) and how z makes them (`pulls`, covariances x systems x 3).
    """

    means: Floats
    weight: Floats
    prior: Floats
    each: Floats
    pulls: Floats

    def left_open(self, data: TwoPhase) -> Floats:
        """The covariance of the errors of all means: the noise of topics, which systems have in common, what a system is
        of its own, which no other shares, and what is not known of G.

        Where people judged all topics it is that of their means. Errors of systems are correlated, so that m systems say
        less of G than as many that are not: the likelihood counts for sqrt(m d) systems, d the directions in which errors
        vary. Between d and m, what simulations had.
        """
        if data.n <= data.k:
            return data.people_only[1]
        k = data.size
        people, judge, there, between = data.covariances
        directions = float(np.trace(people)) ** 2 / max(float((people**2).sum()), 1e-300)
        weight = self.weight ** math.sqrt(min(1.0, directions / data.systems))
        weight /= weight.sum()
        noise = [(0, 0, people / k), (1, 1, there / k), (0, 1, between / k), (1, 0, between.T / k)]
        noise.append((2, 2, judge / (data.n - k)))
        off = self.each - self.means
        total = off.T @ (weight[:, None] * off)
        for a, b, own in noise:
            total += own * (self.pulls[:, :, a].T @ (weight[:, None] * self.pulls[:, :, b]))
        amiss = np.stack([self.pulls[:, :, 0] - 1, self.pulls[:, :, 1] + self.pulls[:, :, 2]], axis=2)
        return np.asarray(total + np.diag(weight @ np.einsum("gmi,gij,gmj->gm", amiss, self.prior, amiss)))


def shrunken(data: TwoPhase) -> Shrunken:
    """E[mu_s | z_s], and what it was made of."""
    if data.n <= data.k:
        estimate, covariance = data.people_only
        own = np.diagonal(covariance)
        prior = np.zeros((1, 2, 2))
        prior[0, 0, 0] = _spread(estimate, own)
        pulls = np.zeros((1, data.systems, 3))
        pulls[0, :, 0] = 1.0
        return Shrunken(means=estimate, weight=np.ones(1), prior=prior, each=estimate[None], pulls=pulls)
    return _averaged(data)


def _averaged(data: TwoPhase) -> Shrunken:
    """The mean of mu_s given z_s, averaged over the covariance of the true means by its likelihood."""
    k, m = data.size, data.systems
    r = data.n - k
    people, judge, _, between = (np.diagonal(c) for c in data.covariances)
    vy, vf, vyf = ((own + own.mean()) / 2 for own in (people, judge, between))
    most = 0.95 * np.sqrt(vy * vf)
    vyf = np.clip(vyf, -most, most)
    rest = (data.n * data.judge_mean - k * data.judge_mean_there) / r
    z = np.stack([data.human_mean, data.judge_mean_there, rest], axis=1)
    errors = np.zeros((m, 3, 3))
    errors[:, 0, 0], errors[:, 1, 1], errors[:, 2, 2] = vy / k, vf / k, vf / r
    errors[:, 0, 1] = errors[:, 1, 0] = vyf / k
    spread_judge = _spread(data.judge_mean, vf / data.n)
    spread_people = _spread(data.human_mean, vy / k) * SPREADS
    sees = np.array([[1.0, 0.0], [0.0, 1.0], [0.0, 1.0]])
    rho, spread = (grid.ravel() for grid in np.meshgrid(CORRELATIONS, spread_people, indexing="ij"))
    cross = rho * np.sqrt(spread * spread_judge)
    prior = np.array([[spread, cross], [cross, np.full_like(spread, spread_judge)]]).transpose(2, 0, 1)
    seen = np.einsum("ai,gij,bj->gab", sees, prior, sees)
    total = seen[:, None] + errors[None]  # one for each covariance and system
    inverse = np.linalg.inv(total)
    # One degree of freedom went with the topic means, which leave the systems' means with the sum 0.
    fit = np.einsum("mi,gmij,mj->gm", z, inverse, z) + np.linalg.slogdet(total)[1]
    likelihood = -0.5 * (m - 1) / m * fit.sum(axis=1)
    towards = (sees @ prior)[:, :, 0]
    pulls = np.einsum("gi,gmij->gmj", towards, inverse)
    means = (pulls * z).sum(axis=2)
    weight = np.exp(likelihood - likelihood.max())
    weight /= weight.sum()
    return Shrunken(means=weight @ means, weight=weight, prior=prior, each=means, pulls=pulls)


def _spread(means: Floats, errors: Floats) -> float:
    """How much true means vary: what is left of the observed variance, at least a twentieth of it."""
    observed = float(means.var(ddof=1))
    return max(observed - float(errors.mean()), 0.05 * observed, 1e-300)


class Gaps:
    """What the true gaps of some pairs could be, given estimates: delta ~ N(g d, g se²) with the weight of each g."""

    def __init__(self, scores: NormalScores, first: Ints, second: Ints) -> None:
        self.sizes, self.errors = np.abs(scores.gaps[first, second]), scores.errors[first, second]
        self.terms = scores.terms(first, second)

    def swapped(self, errors: Floats) -> float:
        """How many of these pairs estimates with these errors have in the wrong order, on average: a share."""
        parts = (
            (weight * differ_in_sign(g * self.sizes, math.sqrt(g) * self.errors, errors)).mean()
            for weight, g in self.terms
        )
        return float(sum(parts))


def differ_in_sign(means: Floats, deviations: Floats, errors: Floats) -> Floats:
    """P(delta and delta + noise differ in sign), delta ~ N(mean, deviation²) and noise with this standard error."""
    from scipy.special import owens_t

    wrong = np.maximum(errors, 1e-300)
    with np.errstate(divide="ignore"):
        return np.asarray(2 * owens_t(means / np.hypot(deviations, wrong), wrong / deviations))


def human_deviations(data: TwoPhase, scores: NormalScores, first: Ints, second: Ints) -> Floats:
    """Standard deviations over topics of people's differences of these pairs, which are in the order of `scores`."""
    return deviations_of(data.covariances[0], scores.order, first, second)


def deviations_of(covariance: Floats, order: Ints, first: Ints, second: Ints) -> Floats:
    """Of differences, from the covariance of single systems."""
    i, j = order[first], order[second]
    own = np.diagonal(covariance)
    return np.asarray(np.sqrt(np.maximum(own[i] + own[j] - covariance[i, j] - covariance[j, i], 1e-300)))


def effective_topics(data: TwoPhase, scores: NormalScores, pairs: Bools) -> float:
    """How many human topics alone would put as few of these pairs in the wrong order as prediction-powered estimates."""
    first, second = (index[pairs] for index in np.triu_indices(scores.size, 1))
    gaps = Gaps(scores, first, second)
    spread = human_deviations(data, scores, first, second)
    goal = gaps.swapped(scores.errors[first, second])
    return _where(lambda topics: -gaps.swapped(_share(data, topics) * spread), -goal, data.n)


def effective_topics_shrunken(data: TwoPhase, found: Shrunken, order: Ints, pairs: Bools) -> float:
    """The same of estimates that are drawn towards the judge; `order` is that of the systems, the best first."""
    from scipy.special import ndtr

    people = data.covariances[0]
    first, second = (index[pairs] for index in np.triu_indices(data.systems, 1))
    left = deviations_of(found.left_open(data), order, first, second)
    gaps = np.abs(found.means[order[first]] - found.means[order[second]])
    spread = deviations_of(people, order, first, second)

    def of_people(topics: float) -> float:
        return -float(differ_in_sign(gaps, left, _share(data, topics) * spread).mean())

    return _where(of_people, -float(ndtr(-gaps / left).mean()), data.n)


def _share(data: TwoPhase, topics: float) -> float:
    """The standard error of people's means on so many topics, over the deviation of one topic."""
    return math.sqrt(max(1 / topics - (1 / data.n if data.whole else 0.0), 1e-12))


def _where(value: Callable[[float], float], goal: float, most: int) -> float:
    """Where a value that grows with topics reaches its goal; never more than the judge's own topics, which the best of
    judges would make of them."""
    low, high = 1.0, float(most)
    if value(high) <= goal:
        return high
    while high / low > 1.001:
        middle = math.sqrt(low * high)
        low, high = (middle, high) if value(middle) < goal else (low, middle)
    return math.sqrt(low * high)
