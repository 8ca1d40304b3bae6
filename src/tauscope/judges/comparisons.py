"""`Comparisons`: several judges beside one truth, on the same draws of true means, and which of them differ."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from enum import Enum
from itertools import combinations
from typing import ClassVar, NamedTuple

import numpy as np

from ..coefficients.correlation import evaluate
from ..coefficients.records import Coefficient
from ..core import checking
from ..core.arrays import Bools, Floats
from ..data.ranking import align
from ..data.scores import Scores
from ..errors import CallError, Option, TauscopeError
from ..inference.attenuation import Correction, Draws, Samples, join
from ..inference.methods import expected_value
from ..inference.relation import compact_letters
from ..inference.true_means import LEAST_FOR_NOISE, Interval, require_two
from ..results import Note, Result, fact, large, per_row
from .agreement import Decision, Standing, agreement
from .compare import Comparison, Given, one_judge

#: How much wider simultaneous limits of all pairs are than the draws say: what is a little too narrow for one pair, because
#: true means are not normal, adds up over many.
WIDER = 1.1
#: Parts of the draws, each of which has limits of its own, that say how far limits depend on what was drawn.
PARTS = 20


class Closest(Enum):
    """The verdict: whether one judge is closer to the truth than all others."""

    ONE = "one"
    SEVERAL = "several"


class JudgePair(NamedTuple):
    """Two judges, the closer one first: their difference, simultaneous limits, and whether they differ."""

    closer: str
    other: str
    difference: float
    low: float
    high: float
    differ: bool


@dataclass(frozen=True, eq=False, kw_only=True)
class Joint:
    """Several judges against one truth: values `observed` and `corrected`; `draws` of each judge's coefficient with the
    same confidence in the difference from the truth for all judges, and `own_draws` with one for each; `resampled`,
    draws x judges, observed values on resampled topics."""

    names: tuple[str, ...]
    observed: Floats
    corrected: Floats
    draws: tuple[Draws, ...]
    own_draws: tuple[Floats, ...]
    resampled: Floats
    systems: int
    topics: tuple[int, ...]
    shared: int
    notes: tuple[Note, ...]

    def difference(self, a: int, b: int) -> Draws:
        """Draws of the difference of two judges, on the same topics.

        With the same confidence in how far each differs from the truth, two judges that err independently come out too
        much alike, with confidences of their own not enough. So some draws are of one kind and the rest of the other,
        and values of the two judges go together as closely as the observed ones do over resampled topics.
        """
        together = self.draws[a].values, self.draws[b].values
        own = self.own_draws[a], self.own_draws[b]
        first, last, wanted = (
            _correlation(*pair) for pair in (own, together, (self.resampled[:, a], self.resampled[:, b]))
        )
        share = (wanted - first) / (last - first) if last > first else 1.0
        n = len(together[0])
        alike = np.arange(n) < (n if math.isnan(share) else round(n * min(max(share, 0.0), 1.0)))
        return Draws(values=np.where(alike, together[0] - together[1], own[0] - own[1]))


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Comparisons(Result):
    """Several judges beside one truth, the closest first. `result["gpt"]` is the `Comparison` of one judge.

    Parameters
    ----------
    judge : tuple of str
        The judges, the closest to the truth first.
    observed, corrected : ndarray
        Their agreement with the truth, observed and corrected for topic noise (disattenuated).
    low, high : ndarray
        Confidence limits of the corrected value of each judge, marginal.
    limit : ndarray
        One-sided lower confidence limits, which decide whether a judge can replace the truth.
    standing : tuple of Standing
        Whether each judge can replace the truth.
    letters : tuple of str
        Compact letter display: judges that share a letter do not differ significantly.
    apart : ndarray of bool
        `apart[i, j]` is true if judge i is significantly closer than judge j; all such statements are simultaneous.
    critical : float
        Number of standard errors by which two judges must differ.
    truth : str
        Name of the truth.
    coefficient : str
        Name of the coefficient.
    systems, topics, shared_topics : int, tuple of int, int
        Number of systems, of topics of each matrix (the truth is last), and of topics that all have.
    draws, seed, monte_carlo : int, int, float
        Number of draws of true means, their seed, and the largest Monte Carlo error of a limit.
    margin : float or None
        What the agreement has to reach to replace the truth; None for the rule of thumb.
    level : float
        Confidence of intervals and tests.
    notes : tuple
        What a reader must know besides.
    """

    QUESTION: ClassVar[str] = "judges"
    VIEWS: ClassVar[tuple[str, ...]] = ("judges", "pairs")
    judge: tuple[str, ...] = per_row()
    observed: Floats = per_row()
    corrected: Floats = per_row()
    low: Floats = per_row()
    high: Floats = per_row()
    limit: Floats = per_row()
    standing: tuple[Standing, ...] = per_row()
    letters: tuple[str, ...] = per_row()
    apart: Bools = large()
    critical: float
    truth: str
    coefficient: str
    systems: int
    topics: tuple[int, ...]
    shared_topics: int
    draws: int
    seed: int
    monte_carlo: float
    margin: float | None
    notes: tuple[Note | str, ...] = ()
    _joint: Joint = field(repr=False)
    _sides: tuple[Mapping[str, Scores], Scores] = field(repr=False)
    _given: Given = field(repr=False)
    _done: tuple[Note | str, ...] = field(default=(), repr=False)

    def __getitem__(self, judge: str) -> Comparison:
        judges, gold = self._sides
        return one_judge(judge, judges[self._known(judge)], gold, self._given, (), {}, self._done)

    @property
    def done(self) -> tuple[Note | str, ...]:
        """Those of the notes that say what was done to match all sides."""
        return self._done

    def __len__(self) -> int:
        return len(self.judge)

    def __iter__(self) -> Iterator[str]:
        return iter(self.judge)

    def _known(self, judge: str) -> str:
        if judge not in self.judge:
            raise TauscopeError(f"There is no judge {judge!r}; there are {', '.join(self.judge)}.")
        return judge

    @fact
    def verdict(self) -> Closest:
        """Whether one judge is significantly closer to the truth than all others."""
        return Closest.SEVERAL if self.not_worse else Closest.ONE

    @fact
    def not_worse(self) -> tuple[str, ...]:
        """Judges that are not significantly worse than the closest."""
        return tuple(name for name, worse in zip(self.judge[1:], self.apart[0, 1:].tolist(), strict=True) if not worse)

    @fact
    def pairs(self) -> tuple[JudgePair, ...]:
        """Every pair of judges with simultaneous limits, the closer judge first."""
        found = []
        for i, j in combinations(range(len(self.judge)), 2):
            wide = self.critical * self._joint.difference(*self._places(i, j)).error
            gap = float(self.corrected[i] - self.corrected[j])
            found.append(JudgePair(self.judge[i], self.judge[j], gap, gap - wide, gap + wide, bool(self.apart[i, j])))
        return tuple(found)

    @fact
    def differing(self) -> int:
        """Number of pairs of judges that differ significantly."""
        return int(self.apart.sum())

    @fact
    def noise_ceiling(self) -> float:
        """What a perfect judge would be expected to reach on these topics."""
        return expected_value(self._sides[1], self._given.coefficient, self.seed)

    def difference(self, first: str, second: str, level: float | None = None) -> tuple[float, Interval]:
        """Compute by how much one judge is closer to the truth than another, as one comparison chosen in advance.

        Parameters
        ----------
        first, second : str
            Names of two judges.
        level : float or None, default None
            Confidence; None for that of the result.

        Returns
        -------
        (float, Interval)
            The difference of the corrected values, and its marginal confidence interval. `pairs` has simultaneous
            limits for all pairs, which are wider.
        """
        places = [self.judge.index(self._known(name)) for name in (first, second)]
        drawn = self._joint.difference(*self._places(*places))
        value = float(self.corrected[places[0]] - self.corrected[places[1]])
        return value, drawn.interval(self.level if level is None else checking.level(level))

    def _places(self, i: int, j: int) -> tuple[int, int]:
        return self._joint.names.index(self.judge[i]), self._joint.names.index(self.judge[j])

    def cited(self) -> tuple[str, ...]:
        return (self._given.coefficient.paper, "xie2013")


def several_judges(
    judges: Mapping[str, Scores],
    gold: Scores,
    given: Given,
    notes: tuple[Note | str, ...],
    done: tuple[Note | str, ...] = (),
) -> Comparisons:
    """Compare several judges with the truth, all with the same systems in the same order.

    Values and limits of single judges are marginal. Two judges differ if their difference exceeds `critical` standard
    errors, which holds for all pairs simultaneously.

    Parameters
    ----------
    judges : Mapping of str to Scores
        Scores of each judge.
    gold : Scores
        Scores of the truth.
    given : Given
        What was asked for, whatever the judge.
    notes, done : tuple
        What was done to match the sides, and what a reader must know besides.

    Returns
    -------
    Comparisons

    Raises
    ------
    CallError
        If systems are to be resampled.
    TauscopeError
        If the coefficient has no value for a judge.
    """
    c, level = given.coefficient, given.level
    if given.resample != "topics":
        raise CallError(
            "Several judges are compared over resampled topics.",
            Option("resample", "topics", effect="to compare them"),
        )
    found = measured(judges, gold, c, paired=given.paired, seed=given.seed)
    hopeless = [name for name, value in zip(found.names, found.corrected, strict=True) if math.isnan(value)]
    if hopeless:
        raise TauscopeError(
            f"{c} has no value for {', '.join(hopeless)}: systems are tied.",
            Option("coefficient", *(c.instead or ("tau_b",)), effect="to have one"),
        )
    order = np.argsort(-found.corrected, kind="stable")
    critical, errors = _critical(found, level)
    gaps = found.corrected[order][:, None] - found.corrected[order]
    apart = np.triu(gaps > critical * errors[np.ix_(order, order)], 1)
    names = [found.names[i] for i in order]
    low, high = np.array([found.draws[i].interval(level) for i in order]).T
    letters = compact_letters(apart, names)
    alone = [agreement(judges[n], gold, c, level=level, paired=given.paired, seed=given.seed, head=True) for n in names]
    made = Comparisons(
        judge=tuple(names),
        observed=found.observed[order],
        corrected=found.corrected[order],
        low=low,
        high=high,
        limit=np.array([one.at_least() for one in alone]),
        standing=tuple(Decision(whole=one, margin=given.margin).verdict for one in alone),
        letters=tuple(letters[name] for name in names),
        apart=apart,
        critical=critical,
        truth=gold.collection,
        coefficient=c.name,
        systems=found.systems,
        topics=found.topics,
        shared_topics=found.shared,
        draws=len(found.draws[0].values),
        seed=given.seed,
        monte_carlo=_monte_carlo(found, level),
        margin=given.margin,
        level=level,
        notes=(*notes, *found.notes),
        _joint=found,
        _sides=(judges, gold),
        _given=given,
        _done=done,
    )
    for fact_name in made.facts():  # printing computes nothing
        getattr(made, fact_name)
    return made


def measured(judges: Mapping[str, Scores], gold: Scores, c: Coefficient, *, paired: bool | None, seed: int) -> Joint:
    """Measure the agreement of every judge with the truth on the same systems and the same draws.

    Parameters
    ----------
    judges : Mapping of str to Scores
        Scores of each judge.
    gold : Scores
        Scores of the truth.
    c : Coefficient
        The coefficient of the rankings.
    paired : bool or None
        Whether topics with the same label are the same topic, as in `agreement()`.
    seed : int
        Seed of the draws.

    Returns
    -------
    Joint
        Values, draws, and observed values on resampled topics.
    """
    every = [*judges.values(), gold]
    require_two("compare()", len(gold.systems), min(len(scores.topics) for scores in every), LEAST_FOR_NOISE)
    joint = join(every, paired=paired)
    samples = Samples.of(joint, seed)
    notes: list[Note] = []
    observed, draws, own_draws, resampled = [], [], [], []
    for i, (name, scores) in enumerate(judges.items()):
        found = evaluate(c, align(scores.ranking(), gold.ranking()), names=(name, "truth"))
        if found.undefined_because is not None:
            notes.append(Note("observed_undefined", judge=name, because=found.undefined_because))
        observed.append(found.value)
        pair = (i, len(judges))
        correction = Correction(samples, c, pair)
        if correction.own_scales:
            notes.append(Note("own_scales", judge=name))
        draws.append(correction.draws)
        own_draws.append(Correction(samples.with_own_confidence(i), c, pair).values)
        resampled.append(correction.resampled())
    return Joint(
        names=tuple(judges),
        observed=np.array(observed),
        corrected=np.array([own.value for own in draws]),
        draws=tuple(draws),
        own_draws=tuple(own_draws),
        resampled=np.array(resampled).T,
        systems=joint.systems,
        topics=joint.topics,
        shared=joint.shared,
        notes=tuple(notes),
    )


def _correlation(a: Floats, b: Floats) -> float:
    """Of the draws where both have a value; NaN where one of them does not vary."""
    both = ~(np.isnan(a) | np.isnan(b))
    x, y = (values[both] - values[both].mean() if both.any() else values[both] for values in (a, b))
    scale = math.sqrt(float(x @ x) * float(y @ y))
    return float(x @ y) / scale if scale > 0 else math.nan


def _critical(found: Joint, level: float) -> tuple[float, Floats]:
    """The quantile of the largest deviation of a difference from its mean, in standard errors, `WIDER`; these
    errors."""
    judges = len(found.draws)
    values = np.stack([*(own.values for own in found.draws), *found.own_draws])
    defined = ~np.isnan(values).any(axis=0)
    errors = np.zeros((judges, judges))
    largest = np.zeros(int(defined.sum()))
    for i, j in combinations(range(judges), 2):
        difference = found.difference(i, j)
        drawn = difference.values[defined]
        errors[i, j] = errors[j, i] = error = difference.error
        if error > 0:
            np.maximum(largest, np.abs(drawn - drawn.mean()) / error, out=largest)
    return WIDER * float(np.quantile(largest, level)), errors


def _monte_carlo(found: Joint, level: float) -> float:
    """The largest Monte Carlo error of a limit: of one judge from its quantiles, of a difference from how its limits
    vary over parts of the draws, since these are made of a critical value, an error and two middles."""
    alone = (Draws(values=sign * one.values) for one in found.draws for sign in (1, -1))
    own = [one.monte_carlo((1 + level) / 2) for one in (*found.draws, *alone)]
    first, second = np.triu_indices(len(found.draws), 1)
    limits = []
    for part in range(PARTS):
        some = _some(found, slice(part, None, PARTS))
        critical, errors = _critical(some, level)
        gaps, wide = some.corrected[first] - some.corrected[second], critical * errors[first, second]
        limits.append(np.concatenate([gaps - wide, gaps + wide]))
    of_pairs = np.std(limits, axis=0, ddof=1) / math.sqrt(PARTS)
    return float(np.max([*own, *of_pairs]))


def _some(found: Joint, rows: slice) -> Joint:
    """The same judges with some of the draws."""
    draws = tuple(
        Draws(
            values=one.values[rows],
            in_lower_limits=None if one.in_lower_limits is None else one.in_lower_limits[rows],
            most=one.most,
        )
        for one in found.draws
    )
    return replace(
        found,
        draws=draws,
        own_draws=tuple(values[rows] for values in found.own_draws),
        resampled=found.resampled[rows],
        corrected=np.array([one.value for one in draws]),
    )
