"""What a judge's scores mean beside those of people: bias, scale, length, and pairwise accuracy, soft or with ties.

Bias
    The mean of judge - truth.

Scale: does a difference of .05 under the judge mean anything?
    Over all pairs of systems, people's difference d is set against the judge's D: d = b D. With b = 1 the judge's
    differences are people's; with b = .5 they are worth half. The noise of the topics makes D larger, and b too small; so what
    topics add to the products D d and D² on average is subtracted, and b is about true means. The interval is Fieller's, with a
    jackknife over topics for the two products; that of the slope of observed means held .47 instead of .95 with a noisy judge.
    How many pairs are in people's order from which difference on is counted, not modelled.

Ties: pairwise accuracy that gives credit for ties (acc_eq), with the judge's threshold for ties calibrated
    Over all topics and pairs of systems, acc_eq = (pairs both order alike + pairs both tie)/all pairs (deutsch2023). Judges
    with continuous scores never tie; so the judge's differences of at most eps are taken for ties, with the eps that makes
    acc_eq largest (tie calibration). A judge without skill reaches more than 0 by that alone, hence the chance level: the
    same, eps chosen anew, of the judge's scores dealt out to systems at random within each topic.

Length: does a judge like long answers better than people do?
    The judge's score is set against people's and the length, with an effect of each topic and of each system: f = a_t + a_s +
    b h + c log2(length), by least squares. c is what doubling the length is worth under the judge at people's score; its error
    is that of topics as clusters, with the usual small-sample correction G/(G - 1) (N - 1)/(N - K) for G topics, N scores and K
    coefficients; effects of topics, each within one cluster, are not counted. Length that is a trait of a system, the same
    on every topic, cannot be separated from what else the judge thinks of that system: the effect of the system takes it up,
    and c rests on how lengths vary within systems. Without that effect the test found a bias in a third to a half of
    collections that had none. Where people's scores are noisy and people themselves like long answers, c is too large: h takes
    up only a part of what they like, and the test found a bias in seven of ten collections that had none. So the same test is
    made of people's own scores, and the result says where these depend on length.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..core.arrays import SNAP, Floats, Ints, blocks, content_order, near_one, product, tally
from ..core.checking import CHANCE_DRAWS, SPA_ERROR_CELLS, Stream, spa_draws, stream
from ..data.alignment import aligned_scores
from ..data.scores import Scores
from ..errors import TauscopeError
from ..inference.true_means import NO_ERROR, Interval, StandardError, jackknife
from ..results import Note, Plain, fact

#: From this share of pairs in people's order on a difference is taken to mean something.
SURE = 0.95
#: Fewer pairs say nothing of a share.
FEWEST_PAIRS = 10
#: Fewer topics say nothing of their noise.
FEWEST_TOPICS = 3
#: What is less than this share of the judge's spread, squared, is rounding.
ROUNDING = 1e-9
#: A share of a variance below this is rounding.
NO_SHARE = 1e-12


class ScoreBias(NamedTuple):
    """How much higher the judge scores than the truth.

    Attributes
    ----------
    bias, low, high : float
        Mean of judge - truth, with its confidence limits over topics; NaN if there is only one topic.
    rmse, rmse_means : float
        Root mean square difference of the single scores, and of the systems' means.
    topics : int
        Number of topics that both have.
    """

    bias: float
    low: float
    high: float
    rmse: float
    rmse_means: float
    topics: int


def score_bias(judge: Floats, truth: Floats, *, level: float) -> ScoreBias:
    """Estimate how much higher or lower a judge scores than the truth, on the topics and systems that both have.

    bias = mean of estimate - truth, with Student's interval over topics; RMSE of the single scores, and of the means of
    the systems. A bias that all systems share moves no rank.
    """
    scaled, unit = near_one(np.stack([judge, truth]))
    difference = scaled[0] - scaled[1]
    # Sorted, so that sums do not depend on how a file lists its topics.
    difference, by_topic = np.sort(difference, axis=0), np.sort(difference.mean(axis=1))
    n = len(by_topic)
    from scipy.special import stdtrit

    reach = float(stdtrit(n - 1, (1 + level) / 2)) * float(by_topic.std(ddof=1)) / math.sqrt(n) if n > 1 else math.nan
    bias = float(by_topic.mean())
    return ScoreBias(
        bias=bias * unit,
        low=(bias - reach) * unit,
        high=(bias + reach) * unit,
        rmse=math.sqrt(float((difference**2).mean(axis=0).mean())) * unit,
        rmse_means=math.sqrt(float((difference.mean(axis=0) ** 2).mean())) * unit,
        topics=n,
    )


class Calibration(NamedTuple):
    """What a difference under the judge is worth under people.

    Attributes
    ----------
    slope, low, high : float
        People's difference for a difference of 1 under the judge, corrected for topic noise, with limits over topics; NaN
        where the judge's means hardly differ beyond noise.
    trustworthy : float
        The smallest difference under the judge from which on 95 % of pairs are in people's order; NaN where there is
        none.
    beyond : float
        The share of pairs that differ by so much.
    residual : float
        The root mean square of what is left of people's differences: how far a single pair is off.
    step : float
        A difference under the judge that one may speak of: .05, or one that goes with the judge's scale.
    """

    slope: float
    low: float
    high: float
    trustworthy: float
    beyond: float
    residual: float
    step: float


def calibration(judge: Floats, people: Floats, *, level: float) -> Calibration:
    """Both topics x systems, in the same order."""
    x, y = (values - values.mean(axis=1, keepdims=True) for values in (judge, people))
    f, h = x.mean(axis=0), y.mean(axis=0)
    slope, low, high = _slope(x, y, level)
    first, second = np.triu_indices(len(f), 1)
    gaps, own = f[first] - f[second], h[first] - h[second]
    trustworthy, beyond = _trustworthy(np.abs(gaps), np.sign(gaps) == np.sign(own))
    residual = math.sqrt(float(((own - slope * gaps) ** 2).mean()))
    return Calibration(slope, low, high, trustworthy, beyond, residual, _step(f))


def _step(means: Floats) -> float:
    """.05 where the judge's means lie that far apart, else about a fifth of their range, with one digit."""
    width = float(np.ptp(means))
    if 0.05 <= width <= 2 or width == 0:
        return 0.05
    size = 10.0 ** math.floor(math.log10(width / 5))
    return max(1.0, math.floor(width / 5 / size)) * size


def _slope(judge: Floats, people: Floats, level: float) -> tuple[float, float, float]:
    """Over all differences of two systems, which is over deviations from the mean, with its limits by Fieller's theorem;
    NaN where the judge's spread does not differ from 0 beyond chance. Topics x systems, topic means removed."""
    from scipy.special import stdtrit

    n, nan = len(judge), math.nan
    if n < FEWEST_TOPICS:
        return nan, nan, nan
    every = _products(judge, people)
    left = np.array([_products(np.delete(judge, t, axis=0), np.delete(people, t, axis=0)) for t in range(n)])
    off = left - left.mean(axis=0)
    t2 = float(stdtrit(n - 1, (1 + level) / 2)) ** 2
    spread, both, own = t2 * (n - 1) / n * (off.T @ off)[[0, 0, 1], [0, 1, 1]]
    # (product - b square)² <= t² var(product - b square), a quadratic in b.
    a, b, c = every[0] ** 2 - spread, every[0] * every[1] - both, every[1] ** 2 - own
    if every[0] <= 0 or a <= ROUNDING * every[0] ** 2:
        return nan, nan, nan
    reach = math.sqrt(max(b * b - a * c, 0.0))
    return every[1] / every[0], (b - reach) / a, (b + reach) / a


def _products(judge: Floats, people: Floats) -> tuple[float, float]:
    """Sums over systems of the judge's means squared, and times people's, less what the noise of the topics adds to them
    on average."""
    n, found = len(judge), []
    mean = judge.mean(axis=0)
    for other in (judge, people):
        gold = other.mean(axis=0)
        found.append(float(mean @ gold) - float(((judge - mean) * (other - gold)).sum()) / (n * (n - 1)))
    return found[0], found[1]


def _trustworthy(sizes: Floats, right: Floats) -> tuple[float, float]:
    """The smallest size from which on so many are right, and the share of pairs from there on."""
    order = np.argsort(-sizes, kind="stable")
    share = np.cumsum(right[order]) / np.arange(1, len(order) + 1)
    ends = np.flatnonzero(np.concatenate((np.diff(sizes[order]) < 0, [True])))
    good = ends[(share[ends] >= SURE) & (ends + 1 >= min(FEWEST_PAIRS, len(order)))]
    if not good.size:
        return math.nan, 0.0
    return float(sizes[order][good[-1]]), float((good[-1] + 1) / len(order))


class TiedAccuracy(NamedTuple):
    """acc_eq with eps calibrated, that at eps = 0, limits over topics, and the chance level.

    Attributes
    ----------
    value, uncalibrated : float
        acc_eq with the judge's ties calibrated, and as the judge ties.
    threshold : float
        eps: differences of at most this are ties.
    low, high : float
        Limits over topics, eps as it is.
    chance : float
        What scores dealt out at random reach.
    ties : float
        The share of pairs that people tie.
    """

    value: float
    uncalibrated: float
    threshold: float
    low: float
    high: float
    chance: float
    ties: float


def tied_accuracy(judge: Floats, people: Floats, *, level: float, seed: int) -> TiedAccuracy:
    """Both topics x systems, in the same order."""
    from scipy.special import stdtrit

    human = _signs(people)
    gaps = _gaps(judge)
    slack = SNAP * max(float(np.abs(judge).max()), 1e-300)
    value, threshold = calibrated(gaps, human, slack)
    by_topic = _right(gaps, human, threshold, slack).mean(axis=1)
    n = len(by_topic)
    reach = float(stdtrit(n - 1, (1 + level) / 2) * by_topic.std(ddof=1) / math.sqrt(n)) if n > 1 else math.nan
    generator = stream(seed, Stream.FLIPS)
    dealt = [calibrated(_gaps(generator.permuted(judge, axis=1)), human, slack)[0] for _ in range(CHANCE_DRAWS)]
    return TiedAccuracy(
        value=value,
        uncalibrated=float(_right(gaps, human, 0.0, slack).mean()),
        threshold=threshold,
        low=max(0.0, value - reach),
        high=min(1.0, value + reach),
        chance=float(np.mean(dealt)),
        ties=float((human == 0).mean()),
    )


def calibrated(gaps: Floats, human: Floats, slack: float) -> tuple[float, float]:
    """The largest acc_eq and the smallest eps that reaches it, over eps = 0 and all differences of the judge."""
    size, gap, sign = np.abs(gaps).ravel(), gaps.ravel(), human.ravel()
    order = np.argsort(size, kind="stable")
    size, right = size[order], (np.sign(gap[order]) == sign[order]) & (size[order] > slack)
    tied = sign[order] == 0
    # With the k smallest differences taken for ties: people's ties among them, and the right order of the others.
    counts = np.concatenate(([0], np.cumsum(tied))) + right.sum() - np.concatenate(([0], np.cumsum(right)))
    ends = np.flatnonzero(np.concatenate((size[1:] - size[:-1] > slack, [True]))) + 1
    start = int(np.searchsorted(size, slack, side="right"))
    ends = ends[ends >= start]
    ends = ends if len(ends) and ends[0] == start else np.concatenate(([start], ends))
    best = ends[np.argmax(counts[ends])]
    return float(counts[best] / len(size)), float(size[best - 1]) if best > start else 0.0


def _right(gaps: Floats, human: Floats, threshold: float, slack: float) -> Floats:
    found = np.where(np.abs(gaps) <= threshold + slack, 0.0, np.sign(gaps))
    return np.asarray(found == human)


def _gaps(values: Floats) -> Floats:
    first, second = np.triu_indices(values.shape[1], 1)
    return np.asarray(values[:, first] - values[:, second])


def _signs(values: Floats) -> Floats:
    gaps = _gaps(values)
    slack = SNAP * max(float(np.abs(values).max()), 1e-300)
    return np.asarray(np.where(np.abs(gaps) <= slack, 0.0, np.sign(gaps)))


class LengthBias(NamedTuple):
    """What doubling the length is worth under the judge, beyond people's score.

    Attributes
    ----------
    doubling, low, high : float
        In the judge's scores, with limits over topics.
    p : float
        Two-sided, against none.
    in_spreads : float
        The same in standard deviations of the judge's scores within topics.
    within : float
        The share of the variance of log lengths within topics that is not constant over a system's answers: what the
        estimate rests on. The rest cannot be separated from the systems themselves.
    of_people, p_of_people : float
        What doubling the length is worth under people, and the p-value of its test. Where this is more than chance and
        people's scores are noisy, part of it counts as the judge's.
    reason : Note or None
        Why there is no estimate.
    """

    doubling: float
    low: float
    high: float
    p: float
    in_spreads: float
    within: float = math.nan
    of_people: float = math.nan
    p_of_people: float = math.nan
    reason: Note | None = None


def length_bias(judge: Floats, people: Floats, lengths: Floats, *, level: float) -> LengthBias:
    """All topics x systems, in the same order; lengths are above 0."""
    from scipy.special import stdtrit

    by_topic = np.log2(lengths) - np.log2(lengths).mean(axis=1, keepdims=True)
    y, h, x = (_within(v) for v in (judge, people, np.log2(lengths)))
    whole = float((by_topic**2).sum())
    within = float((x**2).sum()) / whole if whole > 0 else math.nan
    if not within > NO_SHARE:
        nan = math.nan
        return LengthBias(nan, nan, nan, nan, nan, within, reason=Note("constant_length"))
    slope, error, p = _last_slope(y, (h, x))
    of_people, _, p_of_people = _last_slope(h, (x,))
    reach = float(stdtrit(max(1, len(judge) - 1), (1 + level) / 2)) * error
    spread = float((judge - judge.mean(axis=1, keepdims=True)).std())
    relative = slope / spread if spread > 0 else math.nan
    return LengthBias(slope, slope - reach, slope + reach, p, relative, within, of_people, p_of_people)


def _last_slope(y: Floats, predictors: tuple[Floats, ...]) -> tuple[float, float, float]:
    """The last slope of a least-squares fit, its standard error with topics as clusters, and a two-sided p-value. All are
    topics x systems, effects of both removed."""
    from scipy.special import stdtr

    design = np.stack([x.ravel() for x in predictors], axis=1)
    bread = np.linalg.pinv(design.T @ design)
    slopes = bread @ (design.T @ y.ravel())
    rest = y - sum(slope * x for slope, x in zip(slopes, predictors, strict=True))
    moments = np.stack([(x * rest).sum(axis=1) for x in predictors], axis=1)
    topics, systems = y.shape
    coefficients = systems - 1 + len(predictors)
    small = topics / max(1, topics - 1) * (y.size - 1) / max(1, y.size - coefficients)
    error = math.sqrt(max(float((bread @ (moments.T @ moments) @ bread)[-1, -1]), 0.0) * small)
    slope = float(slopes[-1])
    p = 2 * float(stdtr(max(1, topics - 1), -abs(slope) / error)) if error > 0 else float(slope == 0)
    return slope, error, p


def _within(values: Floats) -> Floats:
    """What is left without the effects of topics and of systems."""
    left = values - values.mean(axis=1, keepdims=True)
    return np.asarray(left - left.mean(axis=0))


Signs = NDArray[np.int8]
#: Groups of topics that are left out in turn.
MOST_GROUPS = 50
#: Rows of flips at once.
BLOCK = 5000
#: Sums that differ by less than this share of the largest are equal.
FLIP_ROUNDING = 1e-9
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
    signs = _flips(seed, draws, len(order))
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


def _flips(seed: int, draws: int, topics: int) -> Signs:
    """draws x topics of -1 and 1, a byte each: many draws of many topics would not fit otherwise."""
    generator = stream(seed, Stream.FLIPS)
    parts = [generator.integers(0, 2, (part.stop - part.start, topics)) for part in blocks(draws, topics)]
    return np.concatenate([(2 * part - 1).astype(np.int8) for part in parts])


def _counted(values: Floats, signs: Signs | Floats, ends: Ints) -> Ints:
    """pairs x parts: the number of flips with sum_i - sum_j at least the observed one, i < j, in each part of the flips;
    `ends` are where the parts begin."""
    observed = values.sum(axis=0)
    slack = FLIP_ROUNDING * max(float(np.abs(values).sum(axis=0).max()), 1e-300)
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
