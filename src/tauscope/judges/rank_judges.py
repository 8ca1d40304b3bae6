"""`rank_judges()`: which of several judges, or measures, rank systems most like the truth, and which are not told
apart?
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from itertools import combinations
from typing import Any

import numpy as np

from .. import checking
from ..arrays import Bools, Floats
from ..coefficients.records import Coefficient, catalogue
from ..errors import CallError, Option, TauscopeError
from ..files.door import ScoresLike, takes_scores
from ..inference.letters import compact_letters
from ..jobs.progress import Progress
from ..jobs.seeds import Rng, remembered
from ..results import Result, count, fields_of, number, plain, rows, word
from ..scores.alignment import REQUIRED, require_truth
from .attenuation import NOTICEABLE, Draws
from .several import Judges, measure_judges

#: How much wider limits of all pairs at once are than the draws say: what is a little too narrow for a pair, because true
#: means are not normal, adds up over many.
WIDER = 1.1
#: Parts of the draws, each of which has limits of its own, that say how far limits hang on what was drawn.
PARTS = 20


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class JudgeRanking(Result):
    """Judges, the closest to the truth first.

    Parameters
    ----------
    coefficient : Coefficient
        What the judges are ranked by: their coefficient with the truth.
    names : tuple of str
        The judges, the closest first.
    observed, corrected : ndarray
        Their agreement with the truth, observed, and without the noise of the topics (disattenuated).
    low, high : ndarray
        Limits of each corrected value, taken alone.
    apart : ndarray of bool
        `apart[i, j]`: judge i is closer than judge j, all such statements right at once with confidence `level`.
    letters : dict
        The letters of each judge's groups (compact letter display): judges that share one are not told apart.
    critical : float
        How many standard errors it takes to tell two judges apart.
    level : float
        Confidence.
    draws : int
        How many true means were drawn.
    monte_carlo : float
        How far a limit may be off because draws are not without number: the largest Monte Carlo error of those of the
        judges taken alone, and of those of all differences.
    seed : int
        The seed of everything that was drawn.
    systems : int
        How many systems the truth and all judges have.
    topics : tuple of int
        How many topics each matrix has.
    notes : tuple of str
        What a reader must know besides.
    """

    coefficient: Coefficient
    names: tuple[str, ...]
    observed: Floats
    corrected: Floats
    low: Floats
    high: Floats
    apart: Bools
    letters: dict[str, str]
    critical: float
    level: float
    draws: int
    monte_carlo: float
    seed: int
    systems: int
    topics: tuple[int, ...]
    notes: tuple[str, ...] = ()
    _judges: Judges = field(default=None, repr=False)  # type: ignore[assignment]

    def told_apart(self, a: str, b: str) -> bool:
        """Do the data tell which of two judges is closer to the truth?

        Parameters
        ----------
        a, b : str
            Names of two judges.

        Returns
        -------
        bool
            Whether they are told apart, with all such statements right at once.
        """
        for name in (a, b):
            if name not in self.names:
                raise TauscopeError(f"There is no judge {name!r}; there are {', '.join(self.names)}.")
        i, j = self.names.index(a), self.names.index(b)
        return bool(self.apart[i, j] or self.apart[j, i])

    def differences(self) -> dict[str, Any]:
        """How far apart are two judges? Every pair, the closer judge first.

        Returns
        -------
        dict
            Columns: the two names, the corrected difference, simultaneous limits, whether they are told apart.
        """
        rows = []
        for i, j in combinations(range(len(self.names)), 2):
            a, b = (self._judges.names.index(self.names[k]) for k in (i, j))
            wide = self.critical * self._judges.difference(a, b).error
            gap = float(self.corrected[i] - self.corrected[j])
            rows.append((self.names[i], self.names[j], gap, gap - wide, gap + wide, bool(self.apart[i, j])))
        names = ("closer", "other", "difference", "low", "high", "told_apart")
        return dict(zip(names, map(list, zip(*rows, strict=True)), strict=True))

    def lines(self) -> list[str]:
        shown = "; ".join(
            f"{name} {number(value)} ({self.letters[name]})"
            for name, value in zip(self.names[:8], self.corrected, strict=False)
        )
        shown += "; …" if len(self.names) > 8 else ""
        how = (
            f"{self._judges.size()}; max-t over all pairs, {self.draws:,} draws of true means, {self.level * 100:g} %, "
            f"seed {self.seed}"
        )
        if self.monte_carlo > NOTICEABLE:
            how += f" (Monte Carlo error {number(self.monte_carlo)})"
        return [
            f"{self.coefficient} with the truth, without the noise of {word('topics')}: {shown}",
            f"{self._told_apart('')}; judges that share a letter are not",
            "; ".join([how, *self.notes]),
        ]

    def _told_apart(self, are: str) -> str:
        """How many pairs are told apart; of two judges, whether they are."""
        pairs, apart = len(self.names) * (len(self.names) - 1) // 2, int(self.apart.sum())
        if pairs == 1:
            return f"the two judges are {'' if apart else 'not '}told apart"
        return f"{apart:,} of {count(pairs, 'pair')} of judges {are}told apart"

    def methods_sentence(self) -> str:
        """The sentence a paper needs: how the judges were ranked, and which are told apart.

        Returns
        -------
        str
            One sentence.
        """
        ranked = ", ".join(f"{name} {number(value)}" for name, value in zip(self.names, self.corrected, strict=True))
        return (
            f"{self.coefficient.full_title} with the true ranking of {self._judges.size()}, corrected for the noise of "
            f"{word('topics')}, is {ranked}; {self._told_apart('are ')} "
            f"(max-t over all pairs, limits {WIDER:g} times as wide, {self.draws:,} draws of true means, familywise error "
            f"{1 - self.level:.3g}, seed {self.seed})."
        )

    def columns(self) -> dict[str, Any]:
        values = fields_of(self, "observed", "corrected", "low", "high")
        return {"judge": list(self.names), **values, "letters": [self.letters[name] for name in self.names]}

    def to_dict(self) -> dict[str, Any]:
        own = fields_of(self, "critical", "level", "monte_carlo", "seed", "systems", "topics", "notes")
        tables = {"judges": rows(self.columns()), "pairs": rows(self.differences())}
        found = {"coefficient": self.coefficient.name} | tables | own | {"methods_sentence": self.methods_sentence()}
        return {key: plain(value) for key, value in found.items()}

    def cited(self) -> tuple[str, ...]:
        return (self.coefficient.paper, "xie2013")

    def plot(self) -> Any:
        """One bar per judge, from the lower to the upper limit of its own interval."""
        from ..figures import spans

        return spans(
            self.names,
            self.low,
            self.high,
            self.corrected,
            x=f"{self.coefficient.symbol} with the truth",
            title=self.lines()[0],
        )


@takes_scores("truth", each=("judges",), in_order=("systems",))
def rank_judges(
    judges: Mapping[str, ScoresLike],
    *unnamed: Any,
    truth: ScoresLike = REQUIRED,
    coefficient: str | Coefficient = "tau_b",
    level: float = 0.95,
    one_sided: str = "error",
    match: str = "exact",
    topics: str = "all",
    paired: bool | None = None,
    rng: Rng = 0,
    progress: Progress | None = None,
) -> JudgeRanking:
    """Which of several judges rank systems most like the truth, and which are not told apart?

    Every pair as in `better_judge()`, with one critical value for all of them: the quantile of the largest deviation of
    a difference from its mean over the draws of true means, in standard errors, made a tenth larger, which is what it
    takes to hold. So all statements "a is closer than b" are right at once with confidence `level` (familywise), however
    many judges there are. Ties are as the coefficient has them. Do not use it where a judge was tuned on these topics.

    Parameters
    ----------
    judges : Mapping of str to Scores
        Two or more judges by name.
    *unnamed, truth : Scores, or what read_scores() takes
        The scores that are right by definition, given by name. Required.
    coefficient : str or Coefficient, default "tau_b"
        Any of the catalogue.
    level : float, default 0.95
        Confidence.
    one_sided : {"error", "drop"}, default "error"
        What to do with systems that not all have.
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
    progress : callable or None, default None
        Called with how many judges are done, and how many there are.

    Returns
    -------
    JudgeRanking
        The judges in order, with intervals, letters, and which are told apart.

    Raises
    ------
    CallError
        Where fewer than two judges are given, or the truth is not given by name.
    AlignmentError
        Where not all have the same systems.
    TauscopeError
        Where a judge has no value because systems are tied, or there are fewer than two systems or four topics.

    Examples
    --------
    >>> from tauscope import Scores
    >>> human = Scores([[0.9, 0.5, 0.1], [0.8, 0.6, 0.3], [0.7, 0.6, 0.2], [0.9, 0.4, 0.3]])
    >>> machine = Scores([[0.8, 0.6, 0.3], [0.9, 0.6, 0.2], [0.6, 0.7, 0.2], [0.9, 0.5, 0.4]])
    >>> reverse = Scores(1 - human.values)
    >>> rank_judges({"machine": machine, "reverse": reverse}, truth=human, rng=1).names
    ('machine', 'reverse')
    """
    if not isinstance(judges, Mapping) or len(judges) < 2:
        raise CallError("rank_judges() takes two or more judges by name: rank_judges({'gpt': …, 'crowd': …}, truth=…).")
    require_truth(truth, unnamed, "rank_judges(judges, truth=…)")
    level, seed, c = checking.level(level), remembered(rng), catalogue[coefficient]
    named = {str(name): scores for name, scores in judges.items()}
    found = measure_judges(
        named,
        truth,
        c,
        "rank_judges()",
        one_sided=one_sided,
        match=match,
        topics=topics,
        paired=paired,
        seed=seed,
        progress=progress,
    )
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
    return JudgeRanking(
        coefficient=c,
        names=tuple(names),
        observed=found.observed[order],
        corrected=found.corrected[order],
        low=low,
        high=high,
        apart=apart,
        letters=compact_letters(apart, names),
        critical=critical,
        level=level,
        draws=len(found.draws[0].values),
        monte_carlo=_monte_carlo(found, level),
        seed=seed,
        systems=found.systems,
        topics=found.topics,
        notes=found.notes,
        _judges=found,
    )


def _critical(found: Judges, level: float) -> tuple[float, Floats]:
    """The quantile of the largest deviation of a difference from its mean, in standard errors, `WIDER`; these errors."""
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


def _monte_carlo(found: Judges, level: float) -> float:
    """The largest Monte Carlo error of a limit: of a judge alone from its quantiles, of a difference from how its limits
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


def _some(found: Judges, rows: slice) -> Judges:
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
