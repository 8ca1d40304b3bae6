"""`better_judge()`: which of two judges, or measures, ranks systems more like the truth?"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from .. import checking
from ..coefficients.records import Coefficient, catalogue
from ..errors import CallError
from ..expected.intervals import Interval, WithInterval
from ..files.door import ScoresLike, takes_scores
from ..jobs.seeds import Rng, remembered
from ..results import Result, count, number, plain, word
from ..scores.alignment import REQUIRED, require_truth
from .attenuation import NOTICEABLE, Draws
from .several import Judges, measure_judges


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class JudgeDifference(WithInterval, Result):
    """Two judges against one truth: how much closer the first one is, `observed` and `corrected` for the noise of the
    topics.

    Parameters
    ----------
    coefficient : Coefficient
        What is compared: each judge's coefficient with the truth.
    names : (str, str)
        What the two judges are called.
    observed, corrected : float
        The difference of their coefficients with the truth, observed, and without the noise of the topics
        (disattenuated).
    error : float
        Standard error of the corrected difference.
    draws : int
        How many true means were drawn.
    level : float
        Confidence.
    values : ((float, float), (float, float))
        (observed, corrected) of each judge.
    monte_carlo : float
        How far a limit of the interval may be off because draws are not without number: its Monte Carlo error.
    seed : int
        The seed of everything that was drawn.
    systems : int
        How many systems all have.
    topics : tuple of int
        How many topics each matrix has.
    undefined_because : str or None
        Why they cannot be compared.
    notes : tuple of str
        What a reader must know besides.
    """

    coefficient: Coefficient
    names: tuple[str, str]
    observed: float
    corrected: float
    error: float
    draws: int
    level: float
    values: tuple[tuple[float, float], tuple[float, float]]
    monte_carlo: float
    seed: int
    systems: int
    topics: tuple[int, ...]
    undefined_because: str | None = None
    notes: tuple[str, ...] = ()
    _judges: Judges = field(default=None, repr=False)  # type: ignore[assignment]

    def __float__(self) -> float:
        return self.corrected

    def interval_at(self, level: float) -> Interval:
        level = checking.level(level)
        none = self.undefined_because is not None
        return Interval(math.nan, math.nan) if none else self._judges.difference(0, 1).interval(level)

    @property
    def better(self) -> str | None:
        """The name of the judge that is closer to the truth; None where the data do not tell."""
        low, high = self.interval
        return self.names[0] if low > 0 else self.names[1] if high < 0 else None

    def lines(self) -> list[str]:
        a, b = self.names
        if self.undefined_because is not None:
            return [f"{self.coefficient} of {a} and {b} cannot be compared", f"because {self.undefined_because}"]
        low, high = self.interval
        verdict = (
            f"{self.better} is closer to the truth"
            if self.better
            else f"the data do not tell whether {a} or {b} is closer to the truth"
        )
        told = "; ".join(
            f"{name} {number(seen)} observed, {number(value)} corrected"
            for name, (seen, value) in zip(self.names, self.values, strict=True)
        )
        how = f"{self._judges.size()}; {self.draws:,} draws of true means, {self.level * 100:g} %, seed {self.seed}"
        if self.monte_carlo > NOTICEABLE:
            how += f" (Monte Carlo error {number(self.monte_carlo)})"
        return [
            f"{verdict}: {self.coefficient} {number(self.observed)} observed, {number(self.corrected)} "
            f"[{number(low)}, {number(high)}] without the noise of {word('topics')}",
            told,
            "; ".join([how, *self.notes]),
        ]

    def methods_sentence(self) -> str:
        """The sentence a paper needs: by how much one judge is closer, how, and how sure that is.

        Returns
        -------
        str
            One sentence, with the interval and the seed.
        """
        if self.undefined_because is not None:
            return f"{self.lines()[0]}: {self.undefined_because}."
        (a, b), (low, high) = self.names, self.interval
        return (
            f"{self.coefficient.title} with the truth of {a} exceeds that of {b} by {number(self.observed)} observed "
            f"and by {number(self.corrected)} corrected for the noise of {word('topics')} ({self.level * 100:g} % "
            f"interval {number(low)} to {number(high)}; {count(self.systems, 'system')}, "
            f"{count(max(self.topics), 'topic')}, {self._judges.how}, {self.draws:,} draws of true means, "
            f"seed {self.seed})."
        )

    def columns(self) -> dict[str, Any]:
        return {
            "judge": list(self.names),
            "observed": [v[0] for v in self.values],
            "corrected": [v[1] for v in self.values],
        }

    def to_dict(self) -> dict[str, Any]:
        low, high = self.interval
        own = (
            "observed",
            "corrected",
            "level",
            "error",
            "better",
            "monte_carlo",
            "seed",
            "systems",
            "topics",
        )
        found = {name: getattr(self, name) for name in (*own, "undefined_because", "notes")} | {
            "coefficient": self.coefficient.name,
            "judges": self.columns(),
            "low": low,
            "high": high,
            "methods_sentence": self.methods_sentence(),
        }
        return {key: plain(value) for key, value in found.items()}

    def cited(self) -> tuple[str, ...]:
        return (self.coefficient.paper, "xie2013")

    def plot(self) -> Any:
        """How the difference, corrected for topic noise, is spread over the draws of the true means."""
        from ..figures import histogram

        return histogram(
            self._judges.difference(0, 1).defined,
            x=f"{self.coefficient.symbol} of {self.names[0]} minus {self.names[1]}",
            title=self.lines()[0],
        )


@takes_scores("a", "b", "truth", in_order=("systems",))
def better_judge(
    a: ScoresLike,
    b: ScoresLike,
    *unnamed: Any,
    truth: ScoresLike = REQUIRED,
    coefficient: str | Coefficient = "tau_b",
    level: float = 0.95,
    names: tuple[str, str] | None = None,
    one_sided: str = "error",
    match: str = "exact",
    topics: str = "all",
    paired: bool | None = None,
    rng: Rng = 0,
) -> JudgeDifference:
    """Which of two judges, or measures, ranks systems more like the truth?

    The difference of the two coefficients, each corrected for the noise of the topics (disattenuated) as by
    `compare()`: the interval are quantiles of the difference over draws of the true means that have the same topics for
    both judges, and so often the same confidence in how far each differs from the truth (xie2013) that both go together
    as they do over resampled topics. The share of resamples in which one judge is closer is not given: the sample has topic
    noise, a resample has it twice, and noise lowers the coefficient of a good judge more than that of a poor one. Ties
    are as the coefficient has them. Do not use it where one of the judges was tuned on these topics.

    Parameters
    ----------
    a, b : Scores, or what read_scores() takes
        The two judges: one row per topic, one column per system, a score in every cell.
    *unnamed, truth : Scores, or what read_scores() takes
        The scores that are right by definition, given by name. Required.
    coefficient : str or Coefficient, default "tau_b"
        Any of the catalogue.
    level : float, default 0.95
        Confidence of the interval.
    names : (str, str) or None, default None
        What the judges are called; None calls them A and B.
    one_sided : {"error", "drop"}, default "error"
        What to do with systems that not all three have.
    match : {"exact", "loose"}, default "exact"
        "loose" takes names of systems and topics for the same that differ by spelling only: spaces, case, leading
        zeros, ".0", or a word that all of them begin with. The notes say how many.
    topics : {"all", "shared"}, default "all"
        "all": means are over all topics that each side has, and those that are not shared are drawn apart; "shared":
        topics that not all have are left out. The notes say which.
    paired : bool or None, default None
        As for `compare()`.
    rng : int, Generator or None, default 0
        Seed of everything drawn; None takes a fresh one, which the result remembers.

    Returns
    -------
    JudgeDifference
        The difference with its interval; `.better` names the closer judge.

    Raises
    ------
    CallError
        Where the truth is not given by name, or the coefficient or another argument is unknown.
    AlignmentError
        Where not all have the same systems.
    TauscopeError
        Where there are fewer than two systems or four topics.

    See Also
    --------
    rank_judges : more than two judges.

    Examples
    --------
    >>> from tauscope import Scores
    >>> human = Scores([[0.9, 0.5, 0.1], [0.8, 0.6, 0.3], [0.7, 0.6, 0.2], [0.9, 0.4, 0.3]])
    >>> machine = Scores([[0.8, 0.6, 0.3], [0.9, 0.6, 0.2], [0.6, 0.7, 0.2], [0.9, 0.5, 0.4]])
    >>> better_judge(human, machine, truth=human, rng=1).observed
    0.0
    """
    require_truth(truth, unnamed, "better_judge(a, b, truth=…)")
    level = checking.level(level)
    names = ("A", "B") if names is None else names
    if isinstance(names, str) or not isinstance(names, Sequence) or len(names) != 2 or names[0] == names[1]:
        raise CallError(f"names={names!r}: give two names that differ.")
    c, seed = catalogue[coefficient], remembered(rng)
    two = dict(zip(names, (a, b), strict=True))
    judges = measure_judges(
        two, truth, c, "better_judge()", one_sided=one_sided, match=match, topics=topics, paired=paired, seed=seed
    )
    difference = judges.difference(0, 1)
    corrected = float(judges.corrected[0] - judges.corrected[1])
    undefined = math.isnan(corrected)
    first, second = ((float(x), float(y)) for x, y in zip(judges.observed, judges.corrected, strict=True))
    return JudgeDifference(
        coefficient=c,
        names=(names[0], names[1]),
        observed=float(judges.observed[0] - judges.observed[1]),
        corrected=corrected,
        error=difference.error,
        draws=len(difference.values),
        level=level,
        values=(first, second),
        monte_carlo=max(one.monte_carlo((1 + level) / 2) for one in (difference, Draws(values=-difference.values))),
        seed=seed,
        systems=judges.systems,
        topics=judges.topics,
        undefined_because=f"{c} has no value without the noise of {word('topics')}" if undefined else None,
        notes=judges.notes,
        _judges=judges,
    )
