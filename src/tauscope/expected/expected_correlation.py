"""`expected_correlation()`: how close is the observed ranking to the one over all topics that could have been asked?"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from .. import checking, papers
from ..coefficients.records import Coefficient, catalogue
from ..errors import CallError
from ..jobs.seeds import Rng, Stream, remembered, stream
from ..results import Result, count, number, said, word
from ..scores import Scores
from ..significance.observed import FLOOR, Observed
from .intervals import FEW_TOPICS, CorrelationDraws, Interval, draw_correlations
from .methods import SUMS_OVER_PAIRS, BayesianBootstrap, Method, Resampling, SplitHalf, method_of, refusal
from .point_estimates import estimate_by_draws, estimate_sums
from .split_half import sanity_line
from .swap_probabilities import SwapPair, SwapProbabilities, swap_vector
from .topics_needed import CorrelationCurve, Planner, TopicsNeeded, correlation_curve, topics_needed

#: A pair this likely to be in the wrong order is called doubtful.
DOUBTFUL = 0.25


@dataclass(frozen=True, eq=False, repr=False)
class ExpectedCorrelation(Result):
    """The expected correlation of an observed ranking with the true one; `float()` gives the value.

    `.interval` is computed when it is first asked for. `undefined_because` is None where the value is a number; `reliability`
    is how much of the spread of the observed means is real (g).
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
    _scores: Scores = field(default=None, repr=False)  # type: ignore[assignment]
    _observed: Observed = field(default=None, repr=False)  # type: ignore[assignment]

    def __float__(self) -> float:
        return self.value

    @cached_property
    def draws(self) -> CorrelationDraws | None:
        """The values behind the interval; None where there are none."""
        if _hopeless(self._observed) is not None or (self.undefined_because and not isinstance(self.method, SplitHalf)):
            return None
        bayesian = isinstance(self.method, BayesianBootstrap)
        return draw_correlations(self._observed, self.coefficient.name, self.seed, bayesian=bayesian)

    @property
    def interval(self) -> Interval:
        """Where the correlation with the true ranking lies with confidence `level`, by scaled draws of the true means,
        whatever the method of the point estimate."""
        return self.interval_at(self.level)

    def interval_at(self, level: float) -> Interval:
        """The same at another level."""
        return Interval(math.nan, math.nan) if self.draws is None else self.draws.interval(level)

    def at_least(self, level: float | None = None) -> float:
        """The correlation is at least this much with confidence `level`: a one-sided limit."""
        return math.nan if self.draws is None else self.draws.at_least(self.level if level is None else level)

    @cached_property
    def swap_probabilities(self) -> SwapProbabilities:
        """The chance of each pair to be really in the other order, by the method of the point estimate."""
        if isinstance(self.method, SplitHalf):
            raise CallError("Split-half looks at whole rankings and has no swap probabilities. Use another method.")
        if self._observed.systems < 2 or self._observed.topics < 2:
            raise CallError(f"There are no swap probabilities: {self.undefined_because}.")
        resampled = isinstance(self.method, Resampling)
        generator = stream(self.seed, Stream.POINT) if resampled else None
        vector = swap_vector(self._observed, self.method, generator)
        names = tuple(self._scores.systems[i] for i in self._observed.order)
        return SwapProbabilities(names, self.method, self.seed if resampled else None, vector)

    def doubtful_pairs(self, at_least: float = DOUBTFUL) -> list[SwapPair]:
        """Pairs that are in the wrong order with at least this probability, the most doubtful first."""
        return self.swap_probabilities.at_least(at_least)

    @cached_property
    def _planner(self) -> Planner:
        if self.coefficient.name not in SUMS_OVER_PAIRS:
            raise CallError(f"{refusal(self.coefficient)} Plan with tau or tau_ap.")
        if (reason := _hopeless(self._observed)) is not None:
            raise CallError(f"There is nothing to plan from: {reason}.")
        return Planner(self._scores.values, self.coefficient.name, self.level)

    def curve(self, topics: Iterable[int] | None = None, *, adding: bool = False) -> CorrelationCurve:
        """The expected correlation of new collections of these many topics, or, with `adding`, of this one enlarged to
        them. Whatever the method: gaps are shrunk by the reliability."""
        return correlation_curve(self._planner, topics, adding=adding)

    def topics_needed(self, target: float, *, adding: bool = False) -> TopicsNeeded:
        """How many topics a new collection needs, or with `adding` this one in all, for this expected correlation."""
        return topics_needed(self._planner, target, adding=adding)

    def sanity_line(self) -> float:
        """(1 + mean coefficient of random halves)/2: no estimate with a theory, but it should be near the value."""
        if self.coefficient.name not in SUMS_OVER_PAIRS:
            raise CallError(f"The sanity line is known for tau and tau_ap, not for {self.coefficient}.")
        return sanity_line(self._observed, stream(self.seed, Stream.HALVES))[self.coefficient.name]

    @cached_property
    def _subsets(self) -> Subsets:
        means = self._scores.means()
        parts = [("all", self)]
        if len(self._scores.systems) >= 4:
            parts.append(("top 75 %", self._of(self._scores.drop_worst(0.25))))
        if len(means) > 20:
            names = [self._scores.systems[i] for i in sorted(self._observed.order[:20])]
            parts.append(("top 20", self._of(self._scores.select(systems=names))))
        return Subsets(tuple(name for name, _ in parts), tuple(part for _, part in parts))

    def _of(self, scores: Scores) -> ExpectedCorrelation:
        return expected_correlation(scores, self.coefficient, self.method, level=self.level, rng=self.seed)

    def subsets(self) -> Subsets:
        """The same for all systems, the top 75 % and the top 20: which systems count decides the figure."""
        return self._subsets

    @property
    def of_100(self) -> float:
        """How many of 100 pairs would change order; NaN by split-half, which does not say."""
        if isinstance(self.method, SplitHalf) or self.undefined_because is not None:
            return math.nan
        return self.swap_probabilities.of_100

    def notes(self) -> list[str]:
        """What a reader must know besides."""
        found: list[str] = []
        o = self._observed
        if self.undefined_because is not None:
            return found
        if isinstance(self.method, SplitHalf):
            found.append(
                said(
                    "split-half is the agreement of two samples of topics, not with the truth; that is near (1 + mean of "
                )
                + f"random halves)/2 = {number(self.sanity_line())}"
            )
        if self.topics < FEW_TOPICS:
            found.append(f"with {count(self.topics, 'topic')} the interval holds less often than it says")
        if o.floored:
            found.append(f"observed means hardly differ beyond noise: reliability set to its floor of {FLOOR:g}")
        identical, tied = int(o.identical.sum()), int((o.tied & ~o.identical).sum())
        if identical:
            found.append(f"{count(identical, 'pair')} of identical {word('systems')} counted as in order")
        if tied:
            found.append(f"{count(tied, 'pair')} tied in the observed means counted half")
        if self.undefined_draws:
            found.append(f"{self.undefined_draws:,} draws without a value left out")
        return found

    def _what(self) -> str:
        named = " ".join(text for text in (self._scores.collection, self._scores.measure) if text)
        return f"{named}, " * bool(named) + f"{count(self.systems, 'system')} x {count(self.topics, 'topic')}"

    def lines(self) -> list[str]:
        if self.undefined_because is not None:
            return [f"E[{self.coefficient}] is undefined   {self._what()}", f"because {self.undefined_because}"]
        low, high = self.interval
        first = f"E[{self.coefficient}] = {number(self.value)} [{number(low)}, {number(high)}]   {self._what()}"
        second = (
            f"{said(self.method.text)}, reliability {number(self.reliability)}; {self.level * 100:g} % interval from "
            f"{self._draws_text()}, seed {self.seed}"
        )
        parts = "; ".join(self.subsets().parts())
        return [first + self._swaps_text(), "; ".join([second, *self.notes()]), parts]

    def _swaps_text(self) -> str:
        share = self.of_100
        return "" if math.isnan(share) else f"; about {number(share, 1)} of 100 pairs would change order"

    def _draws_text(self) -> str:
        return "" if self.draws is None else self.draws.text

    def methods_sentence(self) -> str:
        """The sentence a paper needs: what was estimated, how, from what, and how sure it is."""
        c = self.coefficient
        title = c.title if c.name in c.title else f"{c.title} ({c.name})"
        by = f" by {self._scores.measure}" if self._scores.measure else ""
        what = f"{title} of the observed ranking of {count(self.systems, 'system')}{by} over {count(self.topics, 'topic')} with the true ranking"
        if self.undefined_because is not None:
            return f"The expected {what} is undefined: {self.undefined_because}."
        low, high = self.interval
        also = "".join(f"; {note}" for note in self.notes())
        return (
            f"The expected {what} is {number(self.value)} ({self.level * 100:g} % interval {number(low)} to {number(high)}"
            f"{self._swaps_text()}), estimated by {said(self.method.text)}, the interval by {self._draws_text()} (seed {self.seed}){also}; "
            f"after {papers.short('urbano2016')}."
        )

    def _flat(self) -> dict[str, Any]:
        low, high = self.interval
        return {"coefficient": self.coefficient.name, "value": self.value, "low": low, "high": high, "level": self.level,
                "method": self.method.name, "seed": self.seed, "systems": self.systems, "topics": self.topics,
                "reliability": self.reliability, "of_100": self.of_100,
                "undefined_because": self.undefined_because or ""}  # fmt: skip

    def columns(self) -> dict[str, Any]:
        return {key: [value] for key, value in self._flat().items()}

    def to_dict(self) -> dict[str, Any]:
        from ..results import plain

        subsets = {} if self.undefined_because is not None else {"subsets": self.subsets().to_dict()["subsets"]}
        flat = self._flat() | {"undefined_because": self.undefined_because, "notes": self.notes(), **subsets,
                               "methods_sentence": self.methods_sentence()}  # fmt: skip
        return {key: plain(value) for key, value in flat.items()}

    def cited(self) -> tuple[str, ...]:
        return ("urbano2016", self.coefficient.paper)

    def plot(self) -> Any:
        """How the draws of the correlation with the true ranking are spread."""
        from ..figures import histogram

        if self.draws is None:
            raise CallError(f"There is nothing to plot: {self.undefined_because}.")
        return histogram(self.draws.values, x=f"{self.coefficient.symbol} with the true ranking", title=self.lines()[0])


@dataclass(frozen=True, eq=False, repr=False)
class Subsets(Result):
    """One expected correlation for all systems, the top 75 % and the top 20."""

    names: tuple[str, ...]
    results: tuple[ExpectedCorrelation, ...]

    def __getitem__(self, name: str) -> ExpectedCorrelation:
        if name not in self.names:
            raise CallError(f"There is no subset {name!r}; there are {', '.join(self.names)}.")
        return self.results[self.names.index(name)]

    def parts(self) -> list[str]:
        """One phrase each: 'top 75 % (97 systems) 0.807 [0.723, 0.877]'."""
        return [
            f"{name} ({r.systems:,}) {number(r.value)} [{number(r.interval.low)}, {number(r.interval.high)}]"
            for name, r in zip(self.names, self.results, strict=True)
        ]

    def lines(self) -> list[str]:
        return [f"E[{self.results[0].coefficient}] with the true ranking", "; ".join(self.parts())]

    def columns(self) -> dict[str, Any]:
        rows = [r._flat() for r in self.results]
        keys = ("systems", "value", "low", "high", "of_100", "reliability")
        return {"subset": list(self.names), **{key: [row[key] for row in rows] for key in keys}}

    def to_dict(self) -> dict[str, Any]:
        from ..results import plain

        columns = self.columns()
        rows = zip(*columns.values(), strict=True)
        return {"subsets": [plain(dict(zip(columns, row, strict=True))) for row in rows]}

    def cited(self) -> tuple[str, ...]:
        return self.results[0].cited()

    def plot(self) -> Any:
        """One bar a subset."""
        import numpy as np

        from ..figures import bars

        return bars(np.arange(1.0, len(self.names) + 1), np.array([r.value for r in self.results]), self.names,
                    x=", ".join(self.names), y=f"E[{self.results[0].coefficient}]", title=self.lines()[0])  # fmt: skip


def expected_correlation(
    scores: Scores,
    coefficient: str | Coefficient = "tau",
    method: str | Method | None = None,
    *,
    level: float = 0.95,
    rng: Rng = 0,
) -> ExpectedCorrelation:
    """How close is the observed ranking to the true one, over all topics that could have been asked?

    E[tau] = 1 - 4/(m(m-1)) * sum of p_ij, E[tau_ap] = 1 - 2/(m-1) * sum over i of the sum over j above i of p_ij/(i-1)
    (urbano2016 eq. 3 and 4): p_ij is the chance that two of the m systems are really in the other order. Equal observed means:
    p = 1/2, and tau_ap's weights are averages over their orders; identical systems: p = 0, and the result says so. Other
    coefficients are means over draws of the true means. Do not use it where topics are no random sample, or to compare two
    score matrices.

    method: `Shrunk()` (the default), `BayesianBootstrap()`, `ScaledDraws()`, or urbano2016's `MaximumLikelihood()`,
    `QuantileDeviation()`, `Bootstrap()`, `KernelDensity()`, `SplitHalf()`; or their names shrunk, bayes, draws, ml, msqd,
    res, kd, shw, shwo. `level` of the interval; `rng` a seed or a Generator, by default a fresh seed that the result tells.

    >>> expected_correlation(Scores([[0.5, 0.3], [0.6, 0.2], [0.4, 0.3]]), method="ml", rng=1).value.__round__(4)
    0.8563
    """
    if not isinstance(scores, Scores):
        raise CallError(
            f"expected_correlation() takes Scores, topics x systems, not {type(scores).__name__}. Make them with "
            "Scores(values) or read_scores(file)."
        )
    c = catalogue[coefficient]
    chosen = method_of(method, c)
    scores.require_complete("expected_correlation()")
    observed = Observed.of(scores.values)
    seed = remembered(rng)
    value, undefined, reason = math.nan, 0, _hopeless(observed)
    if reason is None:
        generator = stream(seed, Stream.POINT)
        if c.name in SUMS_OVER_PAIRS:
            value = estimate_sums(observed, chosen, generator)[c.name]
        elif isinstance(chosen, Resampling):
            value, undefined = estimate_by_draws(observed, c.name, chosen, generator)
        reason = _why_nan(observed, c, chosen) if math.isnan(value) else None
    reliability = observed.reliability if observed.systems > 1 and observed.topics > 1 else math.nan
    return ExpectedCorrelation(
        c, value, chosen, checking.level(level), seed, observed.systems, observed.topics, reliability, reason, undefined,
        scores, observed,
    )  # fmt: skip


def _hopeless(observed: Observed) -> str | None:
    """Why no method has an answer, or None."""
    if observed.systems < 2:
        return f"a ranking needs at least two {word('systems')}, and there is {observed.systems}"
    if observed.topics < 2:
        return said("one topic does not tell how differences vary from topic to topic; two are the least")
    if observed.identical.all():
        return said(f"all {observed.systems} systems have the same scores on every topic")
    return None


def _why_nan(observed: Observed, c: Coefficient, method: Method) -> str:
    if isinstance(method, SplitHalf):
        if observed.topics < 4:
            return said(f"split-half needs at least four topics, and there are {observed.topics}")
        return "split-half found samples of at most one size that disagree, and has no line to extrapolate"
    return f"{c} has no value in any of the draws"
