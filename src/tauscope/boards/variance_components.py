r"""Variance components of scores: where the variance of a single score comes from, and how reliable a ranking is.

The model is :math:`x_{tsr} = \mu + \tau_t + \sigma_s + (\tau\sigma)_{ts} + \varepsilon_{tsr}`: topics crossed with
systems, and runs nested within cells. Components come from the mean squares of the balanced design (brennan2001);
negative estimates are set to 0.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import Enum
from typing import ClassVar

import numpy as np

from ..core import checking
from ..core.arrays import Floats
from ..data.scores import Scores
from ..errors import Advice, CallError, TauscopeError
from ..io.door import takes_scores
from ..results import Result, column, fact, word
from .repeats import Repeats

Limits = tuple[float, float]
#: Variances of systems, topics, their interaction, and runs (NaN with one run per cell).
Components = tuple[float, float, float, float]


class Reliable(Enum):
    """The verdict: whether the order of the systems reaches the required reliability."""

    SHOWN = "shown"
    LIKELY = "likely"
    NOT_REACHED = "not reached"
    UNDEFINED = "undefined"


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class VarianceComponents(Result):
    """Variance components, and the reliability of the order of systems and of their scores.

    Parameters
    ----------
    system, topic, interaction, run : float
        Variance components. With one run per cell `run` is NaN, and `interaction` includes it.
    relative, relative_limits : float, pair of float
        Eρ², the reliability of the order of the systems, and its confidence limits.
    absolute, absolute_limits : float, pair of float
        Φ, the reliability of the scores themselves, and its confidence limits.
    systems, topics, runs : int
        Number of systems, of topics, and of runs per system and topic.
    target : float
        The required reliability.
    planned_runs : int
        Number of runs per system and topic that the numbers of topics needed assume.
    level : float
        Confidence level of the limits.
    name : str
        Name of the data.
    """

    QUESTION: ClassVar[str] = "variance"
    PAPERS: ClassVar[tuple[str, ...]] = ("brennan2001",)
    system: float
    topic: float
    interaction: float
    run: float
    relative: float
    relative_limits: Limits
    absolute: float
    absolute_limits: Limits
    systems: int
    topics: int
    runs: int
    target: float = 0.95
    planned_runs: int = 1
    name: str = ""

    @fact
    def verdict(self) -> Reliable:
        """Whether the lower limit of Eρ² reaches the target, or Eρ² itself, or neither."""
        if math.isnan(self.relative):
            return Reliable.UNDEFINED
        if self.relative_limits[0] >= self.target:
            return Reliable.SHOWN
        return Reliable.LIKELY if self.relative >= self.target else Reliable.NOT_REACHED

    @column
    def component(self) -> tuple[str, ...]:
        """Names of the components."""
        return ("system", "topic", "interaction") + (() if math.isnan(self.run) else ("run",))

    @column
    def variance(self) -> tuple[float, ...]:
        """The components."""
        return tuple(getattr(self, name) for name in self.component)

    @column
    def share(self) -> tuple[float, ...]:
        """The share of each component in the variance of a single score."""
        whole = sum(self.variance)
        return tuple(part / whole if whole > 0 else math.nan for part in self.variance)

    @fact
    def topics_for_order(self) -> float:
        """Number of topics at which Eρ² reaches the target."""
        return self.topics_needed(self.target, self.planned_runs)

    @fact
    def topics_for_order_limits(self) -> Limits:
        """Confidence limits of that number."""
        return self.topics_needed_limits(self.target, self.planned_runs)

    @fact
    def topics_for_scores(self) -> float:
        """Number of topics at which Φ reaches the target."""
        return self.topics_needed(self.target, self.planned_runs, absolute=True)

    @fact
    def topics_for_scores_limits(self) -> Limits:
        """Confidence limits of that number."""
        return self.topics_needed_limits(self.target, self.planned_runs, absolute=True)

    @fact
    def runs_for_order(self) -> float:
        """Number of runs per cell at which Eρ² reaches the target with these topics; NaN with one run per cell."""
        return self.runs_needed(self.target)

    def relative_at(self, topics: float, runs: float | None = None) -> float:
        """Return Eρ² for another number of topics and runs.

        Parameters
        ----------
        topics, runs : float
            Number of topics, and of runs per cell (by default the number at hand).

        Returns
        -------
        float
        """
        return self._share_of_systems(self._noise(topics, runs))

    def absolute_at(self, topics: float, runs: float | None = None) -> float:
        """Return Φ for another number of topics and runs.

        Parameters
        ----------
        topics, runs : float
            As in `relative_at()`.

        Returns
        -------
        float
        """
        return self._share_of_systems(self._noise(topics, runs) + self.topic / topics)

    def topics_needed(self, target: float = 0.95, runs: int | None = None, *, absolute: bool = False) -> float:
        """Return the smallest number of topics at which Eρ², or Φ, reaches a target.

        Parameters
        ----------
        target : float, default 0.95
            The required reliability.
        runs : int, optional
            Number of runs per cell; by default the number at hand.
        absolute : bool, default False
            Require Φ, the reliability of the scores, instead of Eρ², the reliability of their order.

        Returns
        -------
        float
            A whole number; infinite if the systems do not differ.
        """
        goal = checking.share(target, "target")
        each = self._noise_of_one(runs, absolute)
        return math.inf if self.system <= 0 else _whole(goal / (1 - goal) * each / self.system)

    def topics_needed_limits(self, target: float = 0.95, runs: int | None = None, *, absolute: bool = False) -> Limits:
        """Return confidence limits of `topics_needed()`.

        They follow from those of the coefficient: with r from n topics, the target needs n (1/r - 1) target/(1 -
        target).

        Parameters
        ----------
        target, runs, absolute
            As in `topics_needed()`.

        Returns
        -------
        pair of float
            The upper limit is infinite if the coefficient could be 0; both are NaN if the coefficient has no limits.
        """
        goal = checking.share(target, "target")
        limits = self.absolute_limits if absolute else self.relative_limits
        if any(map(math.isnan, limits)):
            return math.nan, math.nan
        now, then = self._noise_of_one(self.runs, absolute), self._noise_of_one(runs, absolute)
        scale = goal / (1 - goal) * self.topics * (then / now if now > 0 else 1.0)
        low, high = (math.inf if r <= 0 else _whole(scale * (1 / r - 1)) for r in reversed(limits))
        return low, high

    def runs_needed(self, target: float = 0.95) -> float:
        """Return the smallest number of runs per cell at which Eρ² reaches a target with the topics at hand.

        Parameters
        ----------
        target : float, default 0.95
            The required reliability.

        Returns
        -------
        float
            A whole number; infinite if no number of runs is enough; NaN if there is one run per cell.
        """
        goal = checking.share(target, "target")
        if math.isnan(self.run):
            return math.nan
        left = self.system * (1 - goal) / goal - self.interaction / self.topics
        return math.inf if left <= 0 else float(max(1, math.ceil(self.run / self.topics / left - 1e-9)))

    def _noise(self, topics: float, runs: float | None) -> float:
        """Return the error variance of a mean over so many topics and runs."""
        within = 0.0 if math.isnan(self.run) else self.run / (topics * (self.runs if runs is None else runs))
        return self.interaction / topics + within

    def _share_of_systems(self, noise: float) -> float:
        """Return the share of the systems in their variance plus this error variance."""
        return self.system / (self.system + noise) if self.system + noise > 0 else math.nan

    def _noise_of_one(self, runs: int | None, absolute: bool) -> float:
        """Return the error variance that a single topic leaves."""
        noise = self._noise(1.0, self.runs if runs is None else checking.whole(runs, "runs", least=1))
        return noise + self.topic if absolute else noise


def _whole(value: float) -> float:
    """Return the next whole number, at least 1, without what rounding adds."""
    return float(max(1, math.ceil(value - 1e-9)))


@takes_scores("scores")
def variance_components(
    scores: Repeats | Scores, *, target: float = 0.95, runs: int | None = None, level: float = 0.95
) -> VarianceComponents:
    r"""Compute variance components of scores and the reliability of the ranking.

    Use it to see whether differences between systems, topics or runs dominate the scores, and how many topics or runs a
    reliable ranking needs. Do not use it if runs of different systems share a seed that matters.

    Components are estimated from the mean squares of the balanced design of n topics, m systems and r runs:

    .. math::

        \sigma^2_r = MS_r,\quad \sigma^2_{ts} = (MS_{ts} - MS_r)/r,\quad \sigma^2_s = (MS_s - MS_{ts})/(nr),\quad
        \sigma^2_t = (MS_t - MS_{ts})/(mr),

    none below 0. The reliability of the order is
    :math:`E\rho^2 = \sigma^2_s / (\sigma^2_s + \sigma^2_{ts}/n + \sigma^2_r/(nr))`; that of the scores, :math:`\Phi`,
    has :math:`\sigma^2_t/n` in the denominator too (brennan2001). Confidence limits come from a jackknife over topics
    on the scale of log(1 - coefficient).

    Parameters
    ----------
    scores : Repeats, Scores, or what Scores.read() takes
        Scores of topics by systems, with or without repeated runs.
    target : float, default 0.95
        The reliability that the order of the systems is required to have.
    runs : int or None, default None
        Number of runs per system and topic that the numbers of topics needed assume; None for the number at hand.
    level : float, default 0.95
        Confidence level of the limits.

    Returns
    -------
    VarianceComponents
        The components, both coefficients with limits, and the topics and runs needed for the target.

    Raises
    ------
    CallError
        If topics come in clusters, or the data are of another kind.
    TauscopeError
        If there are fewer than two systems or three topics, or cells are missing.

    See Also
    --------
    expected_correlation : how close the observed ranking is to the true one.

    Examples
    --------
    >>> from tauscope.boards.repeats import Repeats
    >>> values = [[[0.9, 0.7], [0.4, 0.6]], [[0.8, 0.8], [0.5, 0.3]], [[0.9, 0.8], [0.2, 0.4]]]
    >>> found = variance_components(Repeats(values))
    >>> round(found.system, 3), round(found.run, 3)
    (0.084, 0.014)
    >>> found.topics_needed(0.99)
    10.0
    """
    checking.level(level)
    if getattr(scores, "clusters", None) is not None:
        raise CallError(
            f"variance_components() takes {word('topics')} for independent, and these come in clusters.",
            Advice("Leave the clusters out (clusters=None), and say so."),
        )
    if isinstance(scores, Scores):
        scores.require_complete("variance_components()")
        values = scores.values[:, :, None]
    elif isinstance(scores, Repeats):
        values = scores.values
    else:
        raise CallError(f"variance_components() takes Repeats or Scores, not {type(scores).__name__}.")
    n, m, r = values.shape
    if n < 3 or m < 2:
        raise TauscopeError(
            f"variance_components() needs at least two {word('systems')} and three {word('topics')}; there are {m} and "
            f"{n}."
        )
    parts = _components(values)
    relative, absolute = _coefficients(parts, n, r)
    left = np.array([_coefficients(_components(np.delete(values, t, axis=0)), n, r) for t in range(n)])
    return VarianceComponents(
        system=parts[0],
        topic=parts[1],
        interaction=parts[2],
        run=parts[3],
        relative=relative,
        relative_limits=_limits(relative, left[:, 0], level),
        absolute=absolute,
        absolute_limits=_limits(absolute, left[:, 1], level),
        systems=m,
        topics=n,
        runs=r,
        target=checking.share(target, "target"),
        planned_runs=r if runs is None else checking.whole(runs, "runs", least=1),
        level=level,
        name=getattr(scores, "collection", "") or "",
    )


def _components(values: Floats) -> Components:
    r"""Estimate the components from the mean squares of the balanced design.

    Each mean square has an expectation that is a sum of components, such as
    :math:`E(MS_s) = \sigma^2_r + r \sigma^2_{ts} + nr \sigma^2_s`; these equations are solved, and negative solutions
    are 0.

    Parameters
    ----------
    values : array
        Topics x systems x runs.

    Returns
    -------
    tuple of float
        Variances of systems, topics, interaction and runs; with one run per cell that of runs is NaN, and the
        interaction includes it.
    """
    n, m, r = values.shape
    cell = values.mean(axis=2)
    topic, system, mean = cell.mean(axis=1), cell.mean(axis=0), cell.mean()
    rest = cell - topic[:, None] - system[None, :] + mean
    by_rest = r * float((rest**2).sum()) / ((n - 1) * (m - 1))
    by_system = n * r * float(((system - mean) ** 2).sum()) / (m - 1)
    by_topic = m * r * float(((topic - mean) ** 2).sum()) / (n - 1)
    by_run = float(((values - cell[:, :, None]) ** 2).sum()) / (n * m * (r - 1)) if r > 1 else math.nan
    interaction = by_rest if r == 1 else max(0.0, (by_rest - by_run) / r)
    return max(0.0, (by_system - by_rest) / (n * r)), max(0.0, (by_topic - by_rest) / (m * r)), interaction, by_run


def _coefficients(parts: Components, n: int, r: int) -> tuple[float, float]:
    """Compute Eρ² and Φ of n topics and r runs."""
    system, topic, interaction, run = parts
    noise = interaction / n + (0.0 if math.isnan(run) else run / (n * r))
    relative = system / (system + noise) if system + noise > 0 else math.nan
    whole = system + noise + topic / n
    return relative, system / whole if whole > 0 else math.nan


def _limits(value: float, left: Floats, level: float) -> Limits:
    """Compute confidence limits of a coefficient by the jackknife on the scale of log(1 - coefficient)."""
    from scipy.special import stdtrit

    if not math.isfinite(value) or not np.isfinite(left).all() or value >= 1 or (left >= 1).any():
        return math.nan, math.nan
    n = len(left)
    logs = np.log1p(-left)
    error = math.sqrt((n - 1) / n * float(((logs - logs.mean()) ** 2).sum()))
    reach = float(stdtrit(n - 1, (1 + level) / 2)) * error
    centre = math.log1p(-value)
    low, high = (1 - math.exp(centre + sign * reach) for sign in (1, -1))
    return max(0.0, low), high
