"""Views of a correlation: topic by topic, of one system, and over tolerances for ties.

Tolerances have two views. The curve of a coefficient shows what each would do; the calibration finds the one that
serves best on topics that did not choose it.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..core import checking, kernels
from ..core.arrays import EXACT, Floats, Ints, Tolerance, content_order, snap_rows, tolerance, tolerances
from ..core.checking import CALIBRATION_DRAWS, Rng, Stream, remembered, stream
from ..core.formulas import midranks
from ..data.alignment import aligned_scores, require_scores
from ..data.labels import positions
from ..data.ranking import align
from ..data.scores import Scores
from ..errors import Advice, CallError, Option, TauscopeError
from ..results import Plain, count, fields_of, plain
from .coefficient import Coefficient, check_tolerance
from .correlation import Correlation, evaluate
from .records import catalogue


class TopicValue(NamedTuple):
    """What is the coefficient on one topic?

    Attributes
    ----------
    topic : str
        The topic.
    value : float
        The coefficient of the systems' scores on it, NaN where it is undefined.
    ties_estimate, ties_truth : int
        How many pairs of systems are tied on it.
    undefined_because : str or None
        Why there is no value.
    """

    topic: str
    value: float
    ties_estimate: int
    ties_truth: int
    undefined_because: str | None


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class TopicCorrelations(Plain):
    """How far do two sets of scores agree on every topic, and how far do their means?

    Attributes
    ----------
    coefficient : Coefficient
        The record of the coefficient.
    topics : tuple of str
        The topics.
    values : array of float
        One value per topic, NaN where it is undefined.
    undefined_because : array of int
        A member of `Undefined` per topic, 0 where there is a value; `reason(row)` has it in words.
    ties_estimate, ties_truth : array of int
        Tied pairs on each topic.
    mean : float
        The mean over the topics that have a value.
    interval : pair of float
        Student's t-interval of the mean.
    level : float
        The level of the interval.
    of_means : Correlation
        The coefficient of the rankings by means, nearly always higher: averaging hides where topics disagree.
    systems : int
        How many systems.
    tied_within : pair of Tolerance
        The tolerances of estimate and truth.
    dropped : tuple of str
        Topics and systems that only one side has.
    """

    QUESTION: ClassVar[str] = "topics"

    coefficient: Coefficient
    topics: tuple[str, ...]
    values: Floats
    undefined_because: NDArray[np.int8]
    ties_estimate: Ints
    ties_truth: Ints
    mean: float
    interval: tuple[float, float]
    level: float
    of_means: Correlation
    systems: int
    tied_within: tuple[Tolerance, Tolerance]
    dropped: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.topics)

    @property
    def known(self) -> int:
        """How many topics have a value."""
        return int(np.count_nonzero(~np.isnan(self.values)))

    @property
    def missing(self) -> int:
        """How many topics have no value."""
        return len(self) - self.known

    @property
    def missing_reasons(self) -> list[str]:
        """Why topics have no value."""
        return sorted({str(self.reason(row)) for row in range(len(self)) if np.isnan(self.values[row])})

    @property
    def tied(self) -> tuple[float, float]:
        """The mean share of tied pairs on a topic, in the estimate and in the truth."""
        pairs = max(1, self.systems * (self.systems - 1) // 2)
        return float(self.ties_estimate.mean()) / pairs, float(self.ties_truth.mean()) / pairs

    def reason(self, row: int) -> str | None:
        """Why has a topic no value?

        Parameters
        ----------
        row : int
            The place of the topic, from 0.

        Returns
        -------
        str or None
            The reason in words; None where the topic has a value.
        """
        return self.coefficient.why_undefined(int(self.undefined_because[row]), n=self.systems)

    def worst(self, k: int = 5) -> list[TopicValue]:
        """On which topics is the agreement worst? Those without a value are left out.

        Parameters
        ----------
        k : int, default 5
            How many, from the lowest value on.

        Returns
        -------
        list of TopicValue
        """
        k = checking.whole(k, "k", least=1)
        defined = np.flatnonzero(~np.isnan(self.values))
        order = defined[np.argsort(self.values[defined], kind="stable")][:k]
        return [self._row(int(place)) for place in order]

    def _row(self, row: int) -> TopicValue:
        ties = int(self.ties_estimate[row]), int(self.ties_truth[row])
        return TopicValue(self.topics[row], float(self.values[row]), *ties, self.reason(row))

    def columns(self) -> Mapping[str, Any]:
        reasons = [self.reason(row) or "" for row in range(len(self))]
        found = {"topic": list(self.topics), "value": self.values, **fields_of(self, "ties_estimate", "ties_truth")}
        return found | {"undefined_because": reasons}

    def to_dict(self) -> dict[str, Any]:
        return {
            "coefficient": self.coefficient.name,
            "mean": plain(self.mean),
            "interval": plain(self.interval),
            "level": self.level,
            "of_means": self.of_means.to_dict(),
            "systems": self.systems,
            "dropped": list(self.dropped),
            "topics": [plain(self._row(row)) for row in range(len(self))],
            "methods_sentence": self.methods_sentence(),
        }

    def cited(self) -> tuple[str, ...]:
        return (*self.of_means.cited(), "radja2018")


def correlate_topics(
    estimate: Any,
    *,
    truth: Any,
    coefficient: str | Coefficient = "tau_b",
    tied_within: Any = 0.0,
    unmatched: str = "error",
    match: str = "exact",
    level: float = 0.95,
) -> TopicCorrelations:
    """Compute a coefficient on each topic, its mean with a t-interval, and that of the rankings by means."""
    c = catalogue[coefficient]
    within = tolerances(tied_within)
    check_tolerance(c, within)
    level = checking.level(level)
    same = aligned_scores({"estimate": estimate, "truth": truth}, "by_topic()", unmatched, topics=True, match=match)
    (one, two), dropped = same.scores, same.dropped
    values, codes = kernels.batch(c, np.ascontiguousarray(one.values), np.ascontiguousarray(two.values), *within)
    ties = np.array([kernels.pair_counts(y, x, *within)[2:] for y, x in zip(one.values, two.values, strict=True)])
    rankings = align(one.ranking(), two.ranking(), names=("`estimate`", "`truth`"))
    mean, interval = _t_interval(values[~np.isnan(values)], level)
    return TopicCorrelations(
        coefficient=c,
        topics=one.topics,
        values=values,
        undefined_because=codes,
        ties_estimate=ties[:, 0],
        ties_truth=ties[:, 1],
        mean=mean,
        interval=interval,
        level=level,
        of_means=evaluate(c, rankings, tied_within=within),
        systems=len(one.systems),
        tied_within=within,
        dropped=dropped,
    )


def _t_interval(values: Floats, level: float) -> tuple[float, tuple[float, float]]:
    """The mean, and mean ± t * s/sqrt(n); NaN below two values."""
    mean = float(values.mean()) if len(values) else math.nan
    if len(values) < 2:
        return mean, (math.nan, math.nan)
    from scipy.special import stdtrit

    half = float(stdtrit(len(values) - 1, (1 + level) / 2)) * float(values.std(ddof=1)) / math.sqrt(len(values))
    return mean, (max(-1.0, mean - half), min(1.0, mean + half))


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class SystemProfile(Plain):
    """How does one system fare on every topic?

    Ranks are among all systems on that topic, 1 for the best, ties at the mean of their places.

    Attributes
    ----------
    system : str
        The system.
    topics : tuple of str
        The topics.
    score, rank : array of float
        Its score and its rank on each topic.
    mean : float
        The mean of its scores.
    systems : int
        How many systems there are.
    true_score, true_rank : array of float, or None
        The same by the truth, where there is one.
    dropped : tuple of str
        Topics and systems that only one side has.
    lower_is_better : bool
        Whether a lower score is better.
    """

    QUESTION: ClassVar[str] = "profile"

    system: str
    topics: tuple[str, ...]
    score: Floats
    rank: Floats
    mean: float
    systems: int
    true_score: Floats | None = None
    true_rank: Floats | None = None
    dropped: tuple[str, ...] = ()
    lower_is_better: bool = False

    @property
    def below_average(self) -> tuple[str, ...]:
        """Topics on which the system is worse than its own mean, the worst first."""
        away = self.score / 2 - self.mean / 2  # halves: no difference of huge scores overflows
        away = -away if self.lower_is_better else away
        order = np.argsort(away, kind="stable")
        edge = -5e-13 * float(np.abs(self.score).max(initial=0.0))
        return tuple(self.topics[i] for i in order if away[i] < edge)

    @property
    def mean_rank(self) -> float:
        """The mean of its ranks."""
        return float(self.rank.mean())

    @property
    def over(self) -> int:
        """The number of topics on which it is overrated."""
        return int(np.count_nonzero(self.overrated > 0))

    @property
    def under(self) -> int:
        """The number of topics on which it is underrated."""
        return int(np.count_nonzero(self.overrated < 0))

    def lowest(self) -> list[tuple[str, float]]:
        """Return topics and scores minus the mean, the worst first."""
        away = self.score - self.mean
        return [(self.topics[i], float(away[i])) for i in np.argsort(away, kind="stable")]

    @property
    def overrated(self) -> Floats:
        """Places by which the estimate puts the system above where the truth has it, topic by topic."""
        if self.true_rank is None:
            raise CallError(
                "Whether a system is overrated needs a truth.",
                Advice("Say it: system_profile(scores, system, truth=…)."),
            )
        return self.true_rank - self.rank

    def most_overrated(self, k: int = 5) -> list[tuple[str, float]]:
        """On which topics does the estimate put the system furthest above the truth, and by how many places?

        Parameters
        ----------
        k : int, default 5
            How many topics to list, the largest shift first.

        Returns
        -------
        list of (str, float)
        """
        return self._extreme(k, 1.0)

    def most_underrated(self, k: int = 5) -> list[tuple[str, float]]:
        """On which topics does the estimate put the system furthest below the truth, and by how many places?

        Parameters
        ----------
        k : int, default 5
            How many; places are negative.

        Returns
        -------
        list of (str, float)
        """
        return self._extreme(k, -1.0)

    def _extreme(self, k: int, sign: float) -> list[tuple[str, float]]:
        k, places = checking.whole(k, "k", least=1), self.overrated
        order = np.argsort(-sign * places, kind="stable")[:k]
        return [(self.topics[i], float(places[i])) for i in order if sign * places[i] > 0]

    def columns(self) -> Mapping[str, Any]:
        table: dict[str, Any] = {
            "topic": list(self.topics),
            "score": self.score,
            "from_mean": self.score - self.mean,
            "rank": self.rank,
        }
        if self.true_score is not None:
            table |= {"true_score": self.true_score, "true_rank": self.true_rank, "overrated": self.overrated}
        return table

    def cited(self) -> tuple[str, ...]:
        return ("radja2018",)


def system_profile(
    scores: Any, system: str, *, truth: Any = None, unmatched: str = "error", match: str = "exact"
) -> SystemProfile:
    """Compare the scores and ranks of one system on each topic, with those of a truth where there is one."""
    scores = require_scores(scores, "profile()", means=False, clusters=True)
    dropped: tuple[str, ...] = ()
    if truth is not None:
        same = aligned_scores(
            {"scores": scores, "truth": truth}, "profile()", unmatched, topics=True, match=match, clusters=True
        )
        (scores, truth), dropped = same.scores, same.dropped
    place = positions(str(system), scores.systems, "system")[0]
    own = scores.as_read(scores.values[:, place])
    known: dict[str, Any] = {}
    if truth is not None:
        known = {
            "true_score": truth.as_read(truth.values[:, place]),
            "true_rank": midranks(-truth.values)[:, place] + 1,
        }
    return SystemProfile(
        system=str(system),
        topics=scores.topics,
        score=own,
        rank=midranks(-scores.values)[:, place] + 1,
        mean=_mean(own),
        systems=len(scores.systems),
        dropped=dropped,
        lower_is_better=scores.lower_is_better,
        **known,
    )


def _mean(values: Floats) -> float:
    """The mean, by way of a power of two where the sum would overflow."""
    power = int(np.frexp(np.abs(values).max(initial=0.0))[1])
    return float(np.ldexp(np.ldexp(values, -power).mean(), power))


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class ThresholdCurve(Plain):
    """How does a coefficient depend on the tolerance for ties?

    Attributes
    ----------
    coefficient : Coefficient
        The record of the coefficient.
    thresholds, values : array of float
        The tolerances that were tried, and the value with each.
    tied_estimate, tied_truth : array of float
        How many pairs are tied with each.
    turning_point : float or None
        Where the curve turns from falling to rising (or, if it never does, from rising to falling); None where it runs
        one way.
    turns : str
        Which of the two it is: "rises" after the turning point, or "falls"; empty where there is none.
    n : int
        How many items are compared.
    """

    QUESTION: ClassVar[str] = "thresholds"

    coefficient: Coefficient
    thresholds: Floats
    values: Floats
    tied_estimate: Floats
    tied_truth: Floats
    turning_point: float | None
    turns: str
    n: int

    def columns(self) -> dict[str, Any]:
        ties = fields_of(self, "tied_estimate", "tied_truth")
        return {"tied_within": self.thresholds, "value": self.values, **ties}

    def cited(self) -> tuple[str, ...]:
        return (self.coefficient.paper, "radja2018")


def threshold_curve(found: Correlation, thresholds: Iterable[float] | None, both: bool) -> ThresholdCurve:
    """Compute a correlation again for several tolerances."""
    c, data = found.coefficient, found._data
    if thresholds is None:
        spread = float(np.ptp(data.second)) if len(data.second) else 0.0
        grid = np.linspace(0, spread / 2, 51)
    else:
        grid = grid_of(thresholds)
    if len(grid) == 0:
        raise CallError("thresholds=[] asks for nothing.")
    results = [evaluate(c, data, tied_within=(t, t if both else found.tied_within[1])) for t in map(float, grid)]
    values = np.array([r.value for r in results])
    point, turns = _turning_point(grid, values)
    ties = np.array([r.ties for r in results], float)
    return ThresholdCurve(
        coefficient=c,
        thresholds=grid,
        values=values,
        turning_point=point,
        turns=turns,
        n=results[0].n,
        tied_estimate=ties[:, 0],
        tied_truth=ties[:, 1],
    )


def grid_of(thresholds: Any) -> Floats:
    """Thresholds in ascending order, each once."""
    try:
        grid = np.array(sorted({float(t) for t in thresholds}))
    except (TypeError, ValueError):
        raise CallError(
            f"thresholds={thresholds!r} is no list of numbers.",
            Option("thresholds", [0, 0.01, 0.05], effect="for instance"),
        ) from None
    if not np.isfinite(grid).all():
        raise CallError(f"thresholds={thresholds!r}: every threshold must be a finite number.")
    return grid


def _turning_point(grid: Floats, values: Floats) -> tuple[float | None, str]:
    """The first lowest point with higher values on both sides, else the first highest with lower ones."""
    usable = ~np.isnan(values)
    grid, values = grid[usable], values[usable]
    if len(values) < 3:
        return None, ""
    for sign, word in ((1, "rises"), (-1, "falls")):
        low = int(np.argmin(sign * values))
        if sign * values[0] > sign * values[low] + 1e-12 and sign * values[-1] > sign * values[low] + 1e-12:
            return float(grid[low]), word
    return None, ""


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class TieCalibration(Plain):
    """The estimate's threshold that maximises tau_e, chosen on half of the topics and reported on the other half.

    Parameters
    ----------
    coefficient : Coefficient
        What was maximised.
    threshold : float
        The median of the chosen thresholds.
    held_out, without : float
        Mean value on the other halves, with the chosen threshold and with none.
    chosen_on : float
        The (optimistic) mean value on the halves that the threshold was chosen on.
    better : float
        The share of splits in which the chosen threshold did better than none on the other half.
    chosen : ndarray
        The threshold chosen in each split.
    thresholds, curve : ndarray
        The thresholds tried, and the mean value over all halves at each.
    truth_tied_within : Tolerance
        When two of the truth's means are equal.
    truth_ties : float
        The share of the truth's pairs that are tied.
    systems, topics : int
        How many both sides have.
    draws, seed : int
        How many random splits were made, and their seed.
    dropped : tuple of str
        Systems and topics that only one side has.
    """

    QUESTION: ClassVar[str] = "calibration"

    coefficient: Coefficient
    threshold: float
    held_out: float
    without: float
    chosen_on: float
    better: float
    chosen: Floats
    thresholds: Floats
    curve: Floats
    truth_tied_within: Tolerance
    truth_ties: float
    systems: int
    topics: int
    draws: int
    seed: int
    dropped: tuple[str, ...] = ()

    def columns(self) -> Mapping[str, Any]:
        return {
            "tied_within": self.thresholds,
            "mean_value": self.curve,
            "chosen": [int((self.chosen == t).sum()) for t in self.thresholds],
        }

    @property
    def limits(self) -> tuple[float, float]:
        """The tolerances between which 90 % of the splits chose."""
        low, high = np.quantile(self.chosen, (0.05, 0.95))
        return float(low), float(high)

    def to_dict(self) -> dict[str, Any]:
        return super().to_dict() | {
            "coefficient": self.coefficient.name,
            "truth_tied_within": self.truth_tied_within.width,
        }

    def cited(self) -> tuple[str, ...]:
        return ("radja2018",)


def calibrate_ties(
    estimate: Scores,
    *,
    truth: Scores,
    coefficient: Coefficient,
    truth_tied_within: Any = 0.0,
    thresholds: Iterable[float] | None = None,
    draws: int = CALIBRATION_DRAWS,
    rng: Rng = 0,
    unmatched: str = "error",
) -> TieCalibration:
    """Choose the tolerance on random halves of the topics, and report it on the other halves.

    Only tau_e: tau_a and tau_ap_a fall with every tie, tau_b and tau_ap_b excuse it, so a best threshold would be none
    or all. (tau_ap_e could be searched, but walks the estimate whose ties it changes.)
    """
    c = coefficient
    if c.no_calibration:
        known = " and ".join(record.name for record in catalogue if not record.no_calibration)
        raise CallError(
            f"calibrate_ties() searches {known} only; with {c}, {c.no_calibration}.",
            Advice("Use .thresholds() to look at it.", "Use --view thresholds to look at it."),
        )
    same = aligned_scores({"estimate": estimate, "truth": truth}, "calibrate_ties()", unmatched, topics=True)
    one, two = same.scores
    n, m = len(one), len(one.systems)
    if n < 2:
        raise TauscopeError(f"calibrate_ties() splits the topics into halves, and there is {count(n, 'topic')}.")
    draws, within, seed = checking.whole(draws, "draws", least=1), tolerance(truth_tied_within), remembered(rng)
    grid = _grid(one.means(), thresholds)
    order = content_order(one.values, two.values)
    halves = [_half_means(scores.values[order], draws, stream(seed, Stream.HALVES)) for scores in (one, two)]
    widths = (Tolerance(float(t)) if t else EXACT for t in grid)
    value = np.stack([_both_halves(c, halves, width, within) for width in widths])  # grid x halves x splits
    best = value[:, 0].argmax(axis=0)  # the smallest of equally good thresholds
    places = np.arange(draws)
    held_out, without = value[best, 1, places], value[0, 1, places]
    gold = snap_rows(two.means()[None])[0]
    ties = kernels.pair_counts(gold, gold, within, within)[2] if m > 1 else 0
    return TieCalibration(
        coefficient=c,
        threshold=float(np.median(grid[best])),
        held_out=float(held_out.mean()),
        without=float(without.mean()),
        chosen_on=float(value[best, 0, places].mean()),
        better=float((held_out > without).mean()),
        chosen=grid[best],
        thresholds=grid,
        curve=value.mean(axis=(1, 2)),
        truth_tied_within=within,
        truth_ties=ties / max(1, m * (m - 1) // 2),
        systems=m,
        topics=n,
        draws=draws,
        seed=seed,
        dropped=same.dropped,
    )


def _grid(means: Floats, thresholds: Iterable[float] | None) -> Floats:
    """The thresholds to try, in order; none at all is always one of them."""
    grid = np.linspace(0, float(np.ptp(means)) / 4, 51) if thresholds is None else grid_of(thresholds)
    if not len(grid) or grid[0] < 0:
        raise CallError("thresholds: give at least one, and none below 0.")
    return np.unique(np.append(grid, 0.0))


def _half_means(values: Floats, draws: int, generator: np.random.Generator) -> tuple[Floats, Floats]:
    """Means of the systems on random halves of the topics, splits x systems each; the same seed, the same halves."""
    n = len(values)
    order = generator.permuted(np.broadcast_to(np.arange(n), (draws, n)), axis=1)
    first = order < n // 2
    weights = first / max(1, n // 2), ~first / (n - n // 2)
    # Not a product of matrices: that one's last digits may depend on how many threads it uses.
    one, other = (snap_rows(np.einsum("tn,nm->tm", half, values)) for half in weights)
    return one, other


def _both_halves(c: Coefficient, halves: list[tuple[Floats, Floats]], width: Tolerance, truth: Tolerance) -> Floats:
    """The coefficient on the one half and on the other, 2 x splits."""
    (y1, y2), (x1, x2) = halves
    return np.stack([kernels.batch(c, y, x, width, truth)[0] for y, x in ((y1, x1), (y2, x2))])
