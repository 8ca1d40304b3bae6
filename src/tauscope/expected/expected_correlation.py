"""`expected_correlation()`: how close is the observed ranking to the one over all topics that could have been asked?"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from .. import checking, papers
from ..coefficients.records import Coefficient, catalogue
from ..errors import CallError, Option
from ..files.door import ScoresLike, takes_scores
from ..inference.few_topics import LEAST, promises_too_much
from ..inference.observed import Observed, observed_values
from ..inference.reliability import FLOOR
from ..jobs.seeds import Rng, Stream, remembered, stream
from ..results import Result, count, number, plain, said, word
from ..scores import Scores
from ..scores.additive import RestsOn
from ..scores.alignment import refuse_clusters, require_type
from ..scores.holes import adjusted_or_complete
from .intervals import CorrelationDraws, Interval, WithInterval, draw_correlations
from .methods import SUMS_OVER_PAIRS, Method, method_of, refusal
from .methods.base import Estimate
from .methods.split_half import sanity_line
from .swap_probabilities import SwapPair, SwapProbabilities, swaps_of
from .topics_needed import CorrelationCurve, Planner, TopicsNeeded, correlation_curve, topics_needed

#: A pair this likely to be in the wrong order is called doubtful.
DOUBTFUL = 0.25
#: So many systems are the top of a long ranking, and this share of the worst is left out of it.
TOP, WORST = 20, 0.25


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class ExpectedCorrelation(WithInterval, Result):
    """The expected correlation of an observed ranking with the true one; `float()` gives the value.

    Parameters
    ----------
    coefficient : Coefficient
        The record of the coefficient.
    value : float
        Its expected value; NaN where there is none.
    method : Method
        How the value was estimated.
    level : float
        Confidence of the interval.
    seed : int
        The seed of everything that was drawn.
    systems, topics : int
        How many there are.
    reliability : float
        How much of the spread of the observed means is real (g).
    undefined_because : str or None
        Why there is no value.
    undefined_draws : int
        Draws of the estimate that had no value.
    drawn : bool
        Whether the call drew the interval and the subsets, so that they are printed. Where not, `.interval` draws when
        asked.
    rests_on : RestsOn or None
        Where cells are missing, how many the means rest on.
    """

    coefficient: Coefficient
    value: float
    method: Method
    level: float
    seed: int
    systems: int
    topics: int
    reliability: float
    undefined_because: str | None = None
    undefined_draws: int = 0
    drawn: bool = False
    rests_on: RestsOn | None = field(default=None, repr=False)
    _scores: Scores = field(default=None, repr=False)  # type: ignore[assignment]
    _observed: Observed = field(default=None, repr=False)  # type: ignore[assignment]

    def __float__(self) -> float:
        return self.value

    @cached_property
    def draws(self) -> CorrelationDraws | None:
        """The values behind the interval; None where the expected value is undefined whatever is drawn."""
        if _hopeless(self._observed) is not None or (self.undefined_because is not None and self.method.by_pairs):
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
        """The value, by the default method where this one does not shrink gaps as the draws of the interval do."""
        if self.method.shrinks:
            return self.value
        default = method_of(None, self.coefficient)
        generator = stream(self.seed, Stream.POINT) if default.random else None
        return default.estimate(self._observed, self.coefficient, generator).value

    def interval_at(self, level: float) -> Interval:
        # By scaled draws of the true means, whatever the method of the point estimate.
        return Interval(math.nan, math.nan) if self.draws is None else self.draws.interval(level)

    def at_least(self, level: float | None = None) -> float:
        return math.nan if self.draws is None else self.draws.at_least(self.level if level is None else level)

    @cached_property
    def swap_probabilities(self) -> SwapProbabilities:
        """The chance of each pair of systems to be really in the other order, by the method of the point estimate."""
        if self.method.by_pairs and (self.systems < 2 or self.topics < LEAST):
            raise CallError(f"There are no swap probabilities: {self.undefined_because}.")
        return swaps_of(self._observed, self.method, self._scores.systems, self.seed)

    def doubtful_pairs(self, at_least: float = DOUBTFUL) -> list[SwapPair]:
        """Which pairs may well be in the wrong order?

        Parameters
        ----------
        at_least : float, default 0.25
            Only pairs that are in the wrong order with at least this probability.

        Returns
        -------
        list of SwapPair
            Named tuples (better, worse, probability), the most doubtful first.
        """
        return self.swap_probabilities.at_least(at_least)

    @cached_property
    def _planner(self) -> Planner:
        if self.coefficient.no_swap_sum:
            raise CallError(refusal(self.coefficient), _SUMS)
        if (reason := _hopeless(self._observed)) is not None:
            raise CallError(f"There is nothing to plan from: {reason}.")
        return Planner(
            observed=self._observed,
            name=self.coefficient.name,
            level=self.level,
            rests_on=self.rests_on,
        )

    def curve(self, topics: Iterable[int] | None = None, *, adding: bool = False) -> CorrelationCurve:
        """How does the expected correlation rise with the number of topics?

        Gaps are shrunk by the reliability, whatever the method of the point estimate.

        Parameters
        ----------
        topics : iterable of int or None, default None
            Numbers of topics; None takes 13 of them, from a fifth to four times as many as there are.
        adding : bool, default False
            False: of new collections of these many topics. True: of this one, enlarged to them.

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

    def topics_needed(self, target: float, *, adding: bool = False) -> TopicsNeeded:
        """How many topics are needed for this expected correlation?

        Parameters
        ----------
        target : float
            The expected correlation to reach, below 1.
        adding : bool, default False
            False: topics of a new collection. True: topics in all, those of now among them.

        Returns
        -------
        TopicsNeeded
            The fewest topics, with a band; `int()` gives the number.
        """
        return topics_needed(self._planner, target, adding=adding)

    def sanity_line(self) -> float:
        """What do random halves of the topics say?

        (1 + mean coefficient of random halves)/2 is no estimate with a theory, but it should be near the value.

        Returns
        -------
        float
            A number to hold the value against, for tau and tau_ap only.
        """
        return self._sanity

    @cached_property
    def _sanity(self) -> float:
        if self.coefficient.no_swap_sum:
            known = " and ".join(SUMS_OVER_PAIRS)
            raise CallError(f"The sanity line is known for {known}, not for {self.coefficient}.", _SUMS)
        return sanity_line(self._observed, stream(self.seed, Stream.HALVES))[self.coefficient.name]

    @cached_property
    def _subsets(self) -> Subsets:
        parts = {"all": self}
        if self.systems >= 4:
            parts[f"top {1 - WORST:.0%}".replace("%", " %")] = self._of(self._scores.drop_worst(WORST))
        if self.systems > TOP:
            names = [self._scores.systems[i] for i in sorted(self._observed.order[:TOP])]
            parts[f"top {TOP}"] = self._of(self._scores.select(systems=names))
        return Subsets(names=tuple(parts), results=tuple(parts.values()))

    def _of(self, scores: Scores) -> ExpectedCorrelation:
        part = expected_correlation(
            scores, self.coefficient, self.method, level=self.level, rng=self.seed, interval=False
        )
        part._draw()
        return part

    def _draw(self) -> None:
        """Everything that a line about it needs, so that printing draws nothing."""
        _ = self.draws
        if self.undefined_because is None:
            _ = self.swap_probabilities if self.method.by_pairs else self._sanity

    def subsets(self) -> Subsets:
        """What is it for all systems, the top 75 % and the top 20? Which systems count decides the figure.

        Returns
        -------
        Subsets
            One expected correlation for each.
        """
        return self._subsets

    @property
    def of_100(self) -> float:
        """How many of 100 pairs are probably in the wrong order; NaN by split-half, which does not say."""
        known = self.method.by_pairs and self.undefined_because is None
        return self.swap_probabilities.of_100 if known else math.nan

    def notes(self) -> list[str]:
        """What a reader must know besides.

        Returns
        -------
        list of str
            Parts of a sentence, without a full stop.
        """
        found: list[str] = []
        o = self._observed
        if self.undefined_because is not None:
            return found
        if self.rests_on is not None:
            found.append(self.rests_on.line())
        if self.method.caution and self.drawn:
            found.append(f"{said(self.method.caution)} = {number(self.sanity_line())}")
        if few := promises_too_much(self.topics):
            found.append(few)
        if self.drawn and self._outside():
            found.append(
                "the value lies outside the interval, whose draws shrink observed gaps as this method does not"
            )
        if o.floored:
            found.append(f"observed means hardly differ beyond noise: reliability set to its floor of {FLOOR:g}")
        if (groups := in_groups(o)) is not None:
            found.append(groups)
        identical, tied = int(o.identical.sum()), int((o.tied & ~o.identical).sum())
        if identical:
            how = "in order" if self.method.identical_in_order else "undecided"
            found.append(f"{count(identical, 'pair')} of identical {word('systems')} counted as {how}")
        if tied:
            found.append(f"{count(tied, 'pair')} tied in the observed means counted half")
        if self.undefined_draws:
            found.append(f"{self.undefined_draws:,} draws without a value left out")
        return found

    def _outside(self) -> bool:
        """Whether the value, as it is printed, is not between the limits: only of methods that do not shrink."""
        low, value, high = (round(x, 3) for x in (self.interval.low, self.value, self.interval.high))
        return value < low or value > high

    def _what(self) -> str:
        named = " ".join(text for text in (self._scores.collection, self._scores.measure) if text)
        return f"{named}, " * bool(named) + f"{count(self.systems, 'system')} x {count(self.topics, 'topic')}"

    def lines(self) -> list[str]:
        if self.undefined_because is not None:
            return [f"E[{self.coefficient}] is undefined   {self._what()}", f"because {self.undefined_because}"]
        value = f"E[{self.coefficient}] = {number(self.value)}"
        how = f"{said(self.method.text)}, reliability {number(self.reliability)}"
        if not self.drawn:
            seed = f", seed {self.seed}" if self.method.random else ""
            return [f"{value}   {self._what()}", "; ".join([how + seed, "no interval drawn", *self.notes()])]
        low, high = self.interval
        how += f"; {self.level * 100:g} % interval from {self._draws_text()}, seed {self.seed}"
        return [
            f"{value} [{number(low)}, {number(high)}]   {self._what()}{self._swaps_text()}",
            "; ".join([how, *self.notes()]),
            "; ".join(self.subsets().parts()),
        ]

    def _swaps_text(self) -> str:
        share = self.of_100
        return "" if math.isnan(share) else f"; about {number(share, 1)} of 100 pairs are probably in the wrong order"

    def _draws_text(self) -> str:
        return "" if self.draws is None else self.draws.text

    def methods_sentence(self) -> str:
        """The sentence a paper needs: what was estimated, how, from what, and how sure it is.

        Returns
        -------
        str
            One sentence, with the interval and the seed.
        """
        c = self.coefficient
        by = f" by {self._scores.measure}" if self._scores.measure else ""
        what = (
            f"{c.full_title} of the observed ranking of {count(self.systems, 'system')}{by} over "
            f"{count(self.topics, 'topic')} with the true ranking"
        )
        if self.undefined_because is not None:
            return f"The expected {what} is undefined: {self.undefined_because}."
        low, high = self.interval
        also = "".join(f"; {note}" for note in self.notes())
        return (
            f"The expected {what} is {number(self.value)} ({self.level * 100:g} % interval {number(low)} to "
            f"{number(high)}{self._swaps_text()}), estimated by {said(self.method.text)}, "
            f"the interval by {self._draws_text()} (seed {self.seed}){also}; after {papers.short('urbano2016')}."
        )

    def row(self) -> dict[str, Any]:
        """The result as one row of a table; limits are in it where they were drawn.

        Returns
        -------
        dict
            Column by column.
        """
        known = self.drawn or "draws" in self.__dict__  # parts of a result were drawn with it
        low, high = self.interval if known else (math.nan, math.nan)
        return {
            "coefficient": self.coefficient.name,
            "value": self.value,
            "low": low,
            "high": high,
            "level": self.level,
            "method": self.method.name,
            "seed": self.seed,
            "systems": self.systems,
            "topics": self.topics,
            "reliability": self.reliability,
            "of_100": self.of_100 if known else math.nan,
            "undefined_because": self.undefined_because or "",
        }

    def columns(self) -> dict[str, Any]:
        return {key: [value] for key, value in self.row().items()}

    def to_dict(self) -> dict[str, Any]:
        subsets = {"subsets": self.subsets().to_dict()["subsets"]} if self.undefined_because is None else {}
        low, high = self.interval
        row = self.row() | {"of_100": self.of_100, "undefined_because": self.undefined_because}
        row |= {"low": low, "high": high}
        also = {"notes": self.notes(), **subsets, "methods_sentence": self.methods_sentence()}
        return {key: plain(value) for key, value in (row | also).items()}

    def cited(self) -> tuple[str, ...]:
        return ("urbano2016", self.coefficient.paper)

    def plot(self) -> Any:
        """How the draws of the correlation with the true ranking are spread, as values and upper limits weigh them."""
        from ..figures import histogram

        if self.draws is None:
            raise CallError(f"There is nothing to plot: {self.undefined_because}.")
        x, title = f"{self.coefficient.symbol} with the true ranking", self.lines()[0]
        return histogram(self.draws.values, self.draws.upper, x=x, title=title)


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Subsets(Result):
    """One expected correlation for all systems, the top 75 % and the top 20; `subsets["top 20"]` looks one up.

    Parameters
    ----------
    names : tuple of str
        What the subsets are called.
    results : tuple of ExpectedCorrelation
        One for each.
    """

    names: tuple[str, ...]
    results: tuple[ExpectedCorrelation, ...]

    def __getitem__(self, name: str) -> ExpectedCorrelation:
        if name not in self.names:
            raise CallError(f"There is no subset {name!r}; there are {', '.join(self.names)}.")
        return self.results[self.names.index(name)]

    def parts(self) -> list[str]:
        """One phrase each: 'top 75 % (97) 0.807 [0.723, 0.877]'.

        Returns
        -------
        list of str
            In the order of `names`.
        """
        return [
            f"{name} ({r.systems:,}) {number(r.value)} [{number(r.interval.low)}, {number(r.interval.high)}]"
            for name, r in zip(self.names, self.results, strict=True)
        ]

    def lines(self) -> list[str]:
        return [f"E[{self.results[0].coefficient}] with the true ranking", "; ".join(self.parts())]

    def methods_sentence(self) -> str:
        """The sentence a paper needs: what is expected of all systems, and of the best of them.

        Returns
        -------
        str
            One sentence, with the intervals and the seed.
        """
        r = self.results[0]
        return (
            f"The expected {r.coefficient.full_title} with the true ranking over {count(r.topics, 'topic')} is, by "
            f"which {word('systems')} count (how many), {'; '.join(self.parts())} (estimated by {said(r.method.text)}, "
            f"{r.level * 100:g} % intervals by draws of the true means, seed {r.seed}; after "
            f"{papers.short('urbano2016')})."
        )

    def columns(self) -> dict[str, Any]:
        rows = [r.row() for r in self.results]
        keys = ("systems", "value", "low", "high", "of_100", "reliability")
        return {"subset": list(self.names), **{key: [row[key] for row in rows] for key in keys}}

    def to_dict(self) -> dict[str, Any]:
        columns = self.columns()
        rows = zip(*columns.values(), strict=True)
        found = [plain(dict(zip(columns, row, strict=True))) for row in rows]
        return {"subsets": found, "methods_sentence": self.methods_sentence()}

    def cited(self) -> tuple[str, ...]:
        return self.results[0].cited()

    def plot(self) -> Any:
        """One bar for each subset."""
        from ..figures import named_bars

        y = f"E[{self.results[0].coefficient}]"
        return named_bars(self.names, [r.value for r in self.results], y=y, title=self.lines()[0])


def in_groups(observed: Observed) -> str | None:
    """What to say of systems that come in groups, whose gaps shrink by a reliability of their own; None of one."""
    split = observed.local.split
    if split is None:
        return None
    parts = (
        count(len(part.systems), "system")
        + ("" if part.reliability is None else f" ({number(max(0.0, part.reliability))})")
        for part in split
    )
    many = "two" if len(split) == 2 else "three"
    return said(f"systems come in {many} groups, each with its own reliability: {' above '.join(parts)}")


@takes_scores("scores")
def expected_correlation(
    scores: ScoresLike,
    coefficient: str | Coefficient = "tau",
    method: str | Method | None = None,
    *,
    missing: str = "error",
    level: float = 0.95,
    interval: bool = True,
    rng: Rng = 0,
) -> ExpectedCorrelation:
    """How close is the observed ranking to the true one, over all topics that could have been asked?

    E[tau] = 1 - 4/(m(m-1)) * sum of p_ij, E[tau_ap] = 1 - 2/(m-1) * sum over i of the sum over j above i of p_ij/(i-1)
    (urbano2016 eq. 3 and 4): p_ij is the chance that two of the m systems are really in the other order. Other
    coefficients are means over draws of the true means.

    Equal observed means have p = 1/2, and tau_ap's weights are averages over their orders; so have identical systems,
    and the result says so. The methods of urbano2016 give identical systems p = 0, as the paper does. Do not
    use it where topics are no random sample, or to compare two score matrices: that is `compare()`.

    The call draws the interval, and the same for the top 75 % and the top 20 of the systems, because they are printed
    with the value; that takes most of its time. Pass interval=False in a loop that only looks at `.value`.

    Parameters
    ----------
    scores : Scores, or what read_scores() takes
        One row per topic, one column per system.
    coefficient : str or Coefficient, default "tau"
        Any of the catalogue; tau and tau_ap have a closed form, the others take a method that draws.
    method : str, Method or None, default None
        `Shrunk()` (the default), `BayesianBootstrap()`, `ScaledDraws()` (the default of the other coefficients), or
        urbano2016's `MaximumLikelihood()`, `QuantileDeviation()`, `Bootstrap()`, `KernelDensity()`, `SplitHalf()`; or
        their names shrunk, bayes, draws, ml, msqd, res, kd, shw, shwo.
    missing : {"error", "adjusted", "zero", "drop-topics", "drop-systems"}, default "error"
        What a cell without a score means. "adjusted" takes the means of an additive model of systems and topics, with
        the errors that its topics leave, if cells are missing at random; the others are those of `Scores`.
    level : float, default 0.95
        Confidence of the interval.
    interval : bool, default True
        Whether to draw the interval and the subsets in the call. Without, they are drawn when asked for, and not
        printed.
    rng : int, Generator or None, default 0
        Seed of everything drawn; None takes a fresh one, which the result remembers.

    Returns
    -------
    ExpectedCorrelation
        The value, or the reason why there is none, with `.interval`, `.doubtful_pairs()`, `.subsets()`,
        `.topics_needed()`.

    Raises
    ------
    CallError
        Where something else than `Scores` is given, the method is unknown, or does not take the coefficient.
    TauscopeError
        Where cells are missing.

    See Also
    --------
    swap_probabilities : pair by pair.
    rank : what holds of single systems.
    sensitivity : how far apart two means must be.

    Examples
    --------
    >>> scores = Scores([[0.5, 0.3], [0.6, 0.2], [0.4, 0.3]])
    >>> round(expected_correlation(scores, method="ml", rng=1).value, 4)
    0.8563
    """
    c = catalogue[coefficient]
    chosen = method_of(method, c)
    require_type(scores, "expected_correlation()")
    refuse_clusters(scores, "expected_correlation()")
    scores, rests_on = adjusted_or_complete(scores, missing, "expected_correlation()")
    observed = observed_values(scores)
    level, seed = checking.level(level), remembered(rng)
    found, reason = Estimate(math.nan), _hopeless(observed)
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
        drawn=bool(interval),
        rests_on=rests_on,
        _scores=scores,
        _observed=observed,
    )
    if interval:
        result._draw()
        _ = result.subsets() if reason is None else None
    return result


#: The way out of what only sums over pairs have.
_SUMS = Option("coefficient", *SUMS_OVER_PAIRS, effect="to have such a sum")


def _hopeless(observed: Observed) -> str | None:
    """Why no method has an answer, or None."""
    if observed.systems < 2:
        return f"a ranking needs at least two {word('systems')}, and there is {observed.systems}"
    if observed.topics < LEAST:
        return said("one topic does not tell how differences vary from topic to topic; two are the least")
    if observed.identical.all():
        return said(f"all {observed.systems} systems have the same scores on every topic")
    return None
