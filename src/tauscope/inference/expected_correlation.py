"""`expected_correlation()`: how close is the observed ranking to the true one, over all topics like these?"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum
from functools import cached_property
from typing import Any, ClassVar, NamedTuple

import numpy as np

from ..coefficients.coefficient import FAIR, GOOD, Coefficient, band
from ..coefficients.records import catalogue
from ..core import checking
from ..core.checking import Rng, Stream, remembered, stream
from ..data.alignment import refuse_clusters, require_type
from ..data.holes import RestsOn, adjusted_or_complete
from ..data.scores import Scores
from ..errors import CallError, Option
from ..io.door import ScoresLike, takes_scores, trusted
from ..results import Note, Result, fact, large
from .expected_views import (
    CorrelationCurve,
    Pairs,
    Planner,
    Sensitivity,
    SwapPair,
    SwapProbabilities,
    TopicsNeeded,
    correlation_curve,
    fewest,
    sensitivity_of,
    topics_needed,
)
from .methods import (
    SUMS_OVER_PAIRS,
    Estimate,
    Method,
    default_value,
    method_of,
    not_a_sum_error,
    sanity_line,
    without_answer,
)
from .reliability import FLOOR
from .true_means import (
    LEAST,
    LEAST_FOR_DRAWS,
    CorrelationDraws,
    Interval,
    Observed,
    draw_correlations,
    observed_values,
    require_two,
)

#: A pair that is in the wrong order with at least this probability is called doubtful.
DOUBTFUL = 0.25
#: Number of systems at the top of a long ranking, and the share of the worst systems that the other subset leaves out.
TOP, WORST = 20, 0.25
#: What a coefficient that has no sum over pairs is replaced by.
_SUMS = Option("coefficient", *SUMS_OVER_PAIRS, effect="to have such a sum")


class Holds(Enum):
    """Would the ranking hold on new topics?"""

    HOLDS = "holds"
    PARTLY = "partly"
    NOT_SHOWN = "not shown"
    UNDEFINED = "undefined"


class Subset(NamedTuple):
    """The expected correlation of some of the systems: of all, of the top 75 %, of the top 20."""

    subset: str
    systems: int
    value: float
    low: float
    high: float


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class ExpectedCorrelation(Result):
    """The expected correlation of an observed ranking with the true one; `float()` gives the value.

    Attributes
    ----------
    coefficient : Coefficient
        The record of the coefficient.
    value : float
        Its expected value; NaN if there is none.
    method : Method
        How the value was estimated.
    level : float
        Confidence level of the interval.
    seed : int
        Seed of all random numbers.
    systems, topics : int
        Their numbers.
    reliability : float
        The share of the variance of the observed means that is real (g).
    undefined_because : Note or None
        Why there is no value.
    undefined_draws : int
        Number of draws of the estimate without a value.
    rests_on : RestsOn or None
        What the means rest on if cells are missing.
    name, measure : str
        The collection and the measure, if they are named.
    """

    QUESTION: ClassVar[str] = "expected"
    VIEWS: ClassVar[tuple[str, ...]] = ("pairs", "swaps", "curve", "topics_needed", "sensitivity")

    coefficient: Coefficient
    value: float
    method: Method
    seed: int
    systems: int
    topics: int
    reliability: float
    undefined_because: Note | None = None
    undefined_draws: int = 0
    rests_on: RestsOn | None = None
    name: str = ""
    measure: str = ""
    _scores: Scores = large()
    _observed: Observed = large()

    def __float__(self) -> float:
        return self.value

    @fact
    def verdict(self) -> Holds:
        """Whether the ranking holds: by the lower end of the interval and the rule of thumb of .9 and .8."""
        if self.undefined_because is not None:
            return Holds.UNDEFINED
        return (Holds.NOT_SHOWN, Holds.PARTLY, Holds.HOLDS)[band(self.low)]

    @fact
    def low(self) -> float:
        """Lower end of the interval."""
        return self.interval.low

    @fact
    def high(self) -> float:
        """Upper end of the interval."""
        return self.interval.high

    @fact
    def limit(self) -> float:
        """One-sided lower confidence limit."""
        return self.at_least()

    @fact
    def of_100(self) -> float:
        """Expected number of reversed pairs per 100 pairs; NaN by split-half, which has no swap probabilities."""
        known = self.method.by_pairs and self.undefined_because is None
        return self.swaps.of_100 if known else math.nan

    @fact
    def of_100_limits(self) -> tuple[float, float]:
        """Interval of the same number, which is (1 - tau)/2 of the pairs; NaN for other coefficients."""
        if self.coefficient.no_swap_sum or self.coefficient.head_weighted or math.isnan(self.of_100):
            return math.nan, math.nan
        return 50 * (1 - self.high), 50 * (1 - self.low)

    @fact
    def doubtful_pairs(self) -> int:
        """Number of pairs that are in the wrong order with a probability of at least 0.25."""
        return 0 if math.isnan(self.of_100) else int((self.swaps.vector >= DOUBTFUL).sum())

    @fact
    def most_doubtful(self) -> SwapPair | None:
        """The pair that is most likely to be in the wrong order, identical systems last; None without probabilities."""
        if math.isnan(self.of_100):
            return None
        swaps = self.swaps
        k = int(np.argmax(swaps.vector - self._observed.identical))
        i, j = self._observed.pairs
        return SwapPair(swaps.system[i[k]], swaps.system[j[k]], float(swaps.vector[k]))

    @fact
    def identical_pairs(self) -> int:
        """Number of pairs of systems with the same scores on every topic."""
        return 0 if self.undefined_because is not None else int(self._observed.identical.sum())

    @fact
    def tied_pairs(self) -> int:
        """Number of other pairs of systems with equal means."""
        o = self._observed
        return 0 if self.undefined_because is not None else int((o.tied & ~o.identical).sum())

    @fact
    def ceiling(self) -> float:
        """The expected tau, or tau_ap, that ties among the observed means allow if all other pairs are in order."""
        o = self._observed
        if self.undefined_because is not None:
            return math.nan
        tied = o.tied & ~o.identical if self.method.identical_in_order else o.tied | o.identical
        name = "tau" if self.coefficient.no_swap_sum else self.coefficient.name
        return 1 - float(o.weights[name][tied].sum())

    @fact
    def floored(self) -> bool:
        """Whether the observed means differ by no more than noise, so that the reliability is set to its floor."""
        return self.undefined_because is None and self._observed.floored

    @fact
    def groups(self) -> tuple[tuple[int, float], ...]:
        """Groups of systems, each with a reliability of its own: (size, reliability); empty for one group."""
        split = None if self.undefined_because is not None else self._observed.local.split
        return tuple(
            (len(part.systems), math.nan if part.reliability is None else max(0.0, part.reliability))
            for part in split or ()
        )

    @fact
    def outside(self) -> bool:
        """Whether the value lies outside the interval, whose draws shrink gaps as this method does not."""
        low, value, high = (round(x, 3) for x in (self.low, self.value, self.high))
        return value < low or value > high

    @fact
    def few_topics(self) -> bool:
        """Whether topics are so few that the interval holds less often than stated."""
        return self.topics < LEAST_FOR_DRAWS

    @fact
    def topics_for_good(self) -> float:
        """Number of topics, these included, at which the expected value reaches 0.9; infinite if a million are too
        few, NaN if it is not known."""
        if not self._planned:
            return math.nan
        plan = self._planner.plan
        found = fewest(GOOD, self.topics, lambda n: plan.value(n, adding=True))
        return math.inf if found is None else float(found)

    @cached_property
    def growth(self) -> tuple[list[int], list[float]]:
        """Numbers of topics from the present one to four times as many, and the expected value with each."""
        topics = sorted({round(self.topics * times) for times in np.geomspace(1.0, 4.0, 9).tolist()})
        return topics, [self._planner.plan.value(n, adding=True) for n in topics]

    @property
    def thresholds(self) -> tuple[float, float]:
        """What the lower end of the interval must reach if the ranking is to hold, and to hold partly."""
        return GOOD, FAIR

    @property
    def floor(self) -> float:
        """The lowest reliability that is used."""
        return FLOOR

    @cached_property
    def draws(self) -> CorrelationDraws | None:
        """The values behind the interval; None if the expected value is undefined whatever is drawn."""
        if without_answer(self._observed) is not None or (self.undefined_because is not None and self.method.by_pairs):
            return None
        return draw_correlations(
            self._observed,
            self.coefficient,
            self.seed,
            expected=self._shrunken_value,
            bayesian=self.method.bayesian,
        )

    @property
    def _shrunken_value(self) -> float:
        """The value by a method that shrinks gaps as the draws of the interval do."""
        if self.method.shrinks:
            return self.value
        return default_value(self._observed, self.coefficient, self.seed)

    @property
    def interval(self) -> Interval:
        """Where the true value lies with confidence `level`: (low, high), NaN where there is none."""
        return self.interval_at(self.level)

    def interval_at(self, level: float) -> Interval:
        """The interval at another level, by scaled draws whatever the method of the value; nothing is drawn again.

        Parameters
        ----------
        level : float
            Confidence, between 0 and 1.

        Returns
        -------
        Interval
            (low, high); NaN where there is none.
        """
        level = checking.level(level)
        return Interval(math.nan, math.nan) if self.draws is None else self.draws.interval(level)

    def at_least(self, level: float | None = None) -> float:
        """What is the true value at least? A one-sided limit.

        Parameters
        ----------
        level : float or None, default None
            Confidence; None is that of the result.

        Returns
        -------
        float
            The lower limit; NaN where there is none.
        """
        level = self.level if level is None else checking.level(level)
        return math.nan if self.draws is None else self.draws.at_least(level)

    @cached_property
    def swaps(self) -> SwapProbabilities:
        """The probability of each pair of systems to be in the wrong order, by the method of the point estimate."""
        o = self._observed
        if self.method.by_pairs and (self.systems < 2 or self.topics < LEAST):
            raise CallError(f"There are no swap probabilities: {self.undefined_because}.")
        vector = self.method.swaps(o, stream(self.seed, Stream.POINT) if self.method.random else None)
        return SwapProbabilities(
            system=tuple(self._scores.systems[i] for i in o.order),
            method=self.method,
            seed=self.seed if self.method.random else None,
            vector=vector,
            topics=self.topics,
            rests_on=self.rests_on,
        )

    @property
    def pairs(self) -> Pairs:
        """All pairs of systems, the one most likely to be in the wrong order first."""
        return self.swaps.pairs

    @property
    def _planned(self) -> bool:
        """Whether the value at other numbers of topics is known."""
        return self.undefined_because is None and not self.coefficient.no_swap_sum

    @cached_property
    def _planner(self) -> Planner:
        if self.coefficient.no_swap_sum:
            raise not_a_sum_error(self.coefficient, _SUMS)
        if (reason := without_answer(self._observed)) is not None:
            raise CallError(f"There is nothing to plan from: {reason}.")
        return Planner(observed=self._observed, coefficient=self.coefficient, level=self.level, rests_on=self.rests_on)

    def curve(self, topics: Iterable[int] | None = None, *, adding: bool = False) -> CorrelationCurve:
        """Compute the expected correlation for other numbers of topics.

        Gaps are shrunk by the reliability, whatever the method of the point estimate.

        Parameters
        ----------
        topics : iterable of int or None, default None
            Numbers of topics; None takes 13 of them, from a fifth to four times the present number.
        adding : bool, default False
            Whether topics are added to this collection. Otherwise each number is that of a new collection.

        Returns
        -------
        CorrelationCurve
            Values with a band.

        Examples
        --------
        >>> scores = Scores([[0.5, 0.3, 0.4], [0.6, 0.2, 0.3], [0.4, 0.3, 0.2], [0.5, 0.4, 0.1]])
        >>> [round(value, 2) for value in expected_correlation(scores).curve([4, 8, 16]).values]
        [0.81, 0.86, 0.9]
        """
        return correlation_curve(self._planner, topics, adding=adding)

    def topics_needed(self, target: float = GOOD, *, adding: bool = False) -> TopicsNeeded:
        """Compute the number of topics at which the expected correlation reaches a target.

        Parameters
        ----------
        target : float, default 0.9
            The expected correlation to reach, below 1.
        adding : bool, default False
            Whether topics are added to this collection. Otherwise the number is that of a new collection.

        Returns
        -------
        TopicsNeeded
            The fewest topics, with a band; `int()` gives the number.
        """
        return topics_needed(self._planner, target, adding=adding)

    def sensitivity(self, error: float = 0.05) -> Sensitivity:
        """Compute how far apart two observed means must be to come out in the same order on new topics.

        With d the observed difference over n topics, s the standard deviation of the differences and g the
        reliability, the true difference is N(g d, g s²/n), and the one over n new topics is N(g d, (1 + g) s²/n): it
        has the other sign with probability Phi(-sqrt(n/(1 + g)) g d/s). The result is the smallest d for which the
        mean of that over the pairs of systems is at most `error`. Do not use it as a test of one pair: that is
        `significance()`.

        Parameters
        ----------
        error : float, default 0.05
            The share of mistakes that is allowed, below one half.

        Returns
        -------
        Sensitivity
            The difference, the number of pairs that are that far apart, and the reliability of the means.
        """
        require_two("sensitivity()", self.systems, self.topics)
        return sensitivity_of(self._observed, error, self.measure, self.rests_on)

    def sanity_line(self) -> float:
        """Return (1 + mean coefficient of random halves of the topics)/2.

        It is not an estimate with a theory, but it should be near the value. It is known for tau and tau_ap only.

        Returns
        -------
        float
        """
        return self._sanity

    @cached_property
    def _sanity(self) -> float:
        if self.coefficient.no_swap_sum:
            known = " and ".join(SUMS_OVER_PAIRS)
            raise CallError(f"The sanity line is known for {known}, not for {self.coefficient}.", _SUMS)
        return sanity_line(self._observed, stream(self.seed, Stream.HALVES))[self.coefficient.name]

    @fact
    def subsets(self) -> tuple[Subset, ...]:
        """The same for all systems, the top 75 % and the top 20: the choice of systems decides the value."""
        if self.undefined_because is not None:
            return ()
        parts = {"all": self}
        if self.systems >= 4:
            parts[f"top {1 - WORST:.0%}".replace("%", " %")] = self._of(self._scores.drop_worst(WORST))
        if self.systems > TOP:
            names = [self._scores.systems[i] for i in sorted(self._observed.order[:TOP])]
            parts[f"top {TOP}"] = self._of(self._scores.select(systems=names))
        return tuple(Subset(name, own.systems, own.value, *own.interval) for name, own in parts.items())

    def _of(self, scores: Scores) -> ExpectedCorrelation:
        return _EXPECTED(scores, self.coefficient, self.method, level=self.level, interval=False, rng=self.seed)

    def _draw(self) -> None:
        """Compute what is printed, so that printing draws nothing."""
        self.to_dict()
        if self._planned:
            _ = self.growth
        if not self.method.by_pairs and self.undefined_because is None:
            _ = self._sanity

    def columns(self) -> dict[str, Any]:
        rows = self.subsets or (Subset("all", self.systems, math.nan, math.nan, math.nan),)
        return {name: [getattr(row, name) for row in rows] for name in Subset._fields}

    def cited(self) -> tuple[str, ...]:
        return ("urbano2016", self.coefficient.paper)


@takes_scores("scores")
def expected_correlation(
    scores: ScoresLike,
    coefficient: str | Coefficient = "tau",
    method: str | Method | None = None,
    *,
    replace: bool = True,
    draws: int | None = None,
    missing: str = "error",
    level: float = 0.95,
    interval: bool = True,
    rng: Rng = 0,
) -> ExpectedCorrelation:
    r"""Estimate how close the observed ranking is to the true one, over all topics like these.

    Use it to see whether a ranking would hold on new topics, and how many topics are enough. Do not use it if topics
    are not a random sample, or to compare two sets of scores, which `compare()` does.

    With :math:`p_{ij}` the probability that two of the m systems are really in the other order (urbano2016 eq. 3
    and 4):

    .. math::

        E[\tau] = 1 - \frac{4}{m(m-1)} \sum_{i<j} p_{ij}, \qquad
        E[\tau_{ap}] = 1 - \frac{2}{m-1} \sum_i \sum_{j<i} \frac{p_{ij}}{i-1}.

    Other coefficients are means over draws of the true means. Equal observed means have p = 1/2, and the weights of
    tau_ap are averages over their orders; so have identical systems, except by the methods of urbano2016, which give
    them p = 0.

    Parameters
    ----------
    scores : Scores, or what Scores.read() takes
        Scores of topics by systems.
    coefficient : str or Coefficient, default "tau"
        Any coefficient of the catalogue. tau and tau_ap have a closed form; the others take a method that draws.
    method : str or None, default None
        shrunk (the default): Student's t with gaps shrunk by their reliability. draws (the default of coefficients that
        are not sums over pairs), bayes: draws of the true means. Those of urbano2016: ml (maximum likelihood), msqd
        (quantile deviation), res (bootstrap), kd (kernel density), split_half (or shw and shwo).
    replace : bool, default True
        Whether split_half draws topics with replacement. Otherwise two samples share no topic.
    draws : int or None, default None
        Number of draws of a method that draws; None for 2,000 (draws, split_half) or 1,000 (bayes, res).
    missing : {"error", "adjusted", "zero", "drop-topics", "drop-systems"}, default "error"
        What a cell without a score means. "adjusted" takes the means of an additive model of systems and topics, with
        the errors that its topics leave, if cells are missing at random; the others are those of `Scores`.
    level : float, default 0.95
        Confidence level of the interval.
    interval : bool, default True
        Whether to draw the interval, and those of the best systems, in the call, which takes most of its time. Without,
        they are drawn when they are first asked for: use it in a loop that needs `.value` only.
    rng : int, Generator or None, default 0
        Seed of everything drawn; None takes a fresh one, which the result remembers. The same seed gives the same
        numbers.

    Returns
    -------
    ExpectedCorrelation
        The value, or the reason why there is none, and the verdict, with `.interval`, `.pairs`, `.swaps`, `.curve()`,
        `.topics_needed()` and `.sensitivity()`.

    Raises
    ------
    CallError
        If something other than `Scores` is given, the method is unknown, or does not take the coefficient.
    TauscopeError
        If cells are missing.

    See Also
    --------
    rank : the ranks that single systems can have.
    significance : which differences are significant.

    Examples
    --------
    >>> scores = Scores([[0.5, 0.3], [0.6, 0.2], [0.4, 0.3]], systems=["new", "old"])
    >>> found = expected_correlation(scores, method="ml")
    >>> round(found.value, 4)
    0.8563
    >>> round(found.swaps["new", "old"], 4)
    0.0718
    >>> round(found.sensitivity().difference, 3)
    0.231
    """
    c = catalogue[coefficient]
    chosen = method_of(method, c, replace_topics=replace, draws=draws)
    require_type(scores, "expected_correlation()")
    refuse_clusters(scores, "expected_correlation()")
    scores, rests_on = adjusted_or_complete(scores, missing, "expected_correlation()")
    observed = observed_values(scores)
    level, seed = checking.level(level), remembered(rng)
    found, reason = Estimate(math.nan), without_answer(observed)
    if reason is None:
        found = chosen.estimate(observed, c, stream(seed, Stream.POINT) if chosen.random else None)
        reason = chosen.why_undefined(observed, c) if math.isnan(found.value) else None
    result = ExpectedCorrelation(
        coefficient=c,
        value=found.value,
        method=chosen,
        level=level,
        seed=seed,
        systems=observed.systems,
        topics=observed.topics,
        reliability=observed.reliability if observed.systems > 1 and observed.topics >= LEAST else math.nan,
        undefined_because=reason,
        undefined_draws=found.undefined,
        rests_on=rests_on,
        name=scores.collection or "",
        measure=scores.measure or "",
        _scores=scores,
        _observed=observed,
    )
    if interval:
        result._draw()
    return result


#: The same of scores that came in already.
_EXPECTED = trusted(expected_correlation)
