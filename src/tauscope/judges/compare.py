"""`compare()`: can this judge replace people? `Comparison`: how well it reproduces the ranking of the truth."""

from __future__ import annotations

import importlib
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, ClassVar, Literal, NamedTuple

import numpy as np

from ..coefficients.records import Coefficient, catalogue
from ..core import checking
from ..core.arrays import Ints, snap_rows
from ..core.checking import Rng, remembered
from ..data.alignment import REQUIRED, aligned_scores, require_truth
from ..data.battles import Battles
from ..data.clusters import rows_said
from ..data.scores import Scores
from ..errors import CallError
from ..inference.significance import Significance, tested_beside
from ..inference.true_means import Interval
from ..io.door import ScoresLike, takes_scores
from ..results import Note, Result, column, fact, per_row
from .accuracy import ScoreBias, SoftAccuracy, score_bias, soft_pairwise_accuracy
from .agreement import TOP, Agreement, Decision, Standing, Top, agreement
from .groups import Shift, groups_of, rank_shifts
from .panels import Ceiling, ceiling

#: How topics of both sides go together -> (which are used, whether labels say which are the same).
TOPICS: dict[str, tuple[str, bool | None]] = {
    "all": ("all", None),
    "shared": ("shared", None),
    "same": ("all", True),
    "independent": ("all", False),
}


@takes_scores("truth", one_or_each=("judge",), in_order=("systems",))
def compare(
    judge: ScoresLike | Mapping[str, ScoresLike],
    *unnamed: Any,
    truth: ScoresLike = REQUIRED,
    coefficient: str | Coefficient = "tau_b",
    margin: float | None = None,
    groups: Mapping[str, str] | None = None,
    level: float = 0.95,
    resample: Literal["topics", "systems", "both"] = "topics",
    topics: Literal["all", "shared", "same", "independent"] = "all",
    unmatched: Literal["error", "drop"] = "error",
    match: Literal["exact", "loose"] = "exact",
    rng: Rng = 0,
) -> Any:
    r"""Decide whether a judge can replace people in ranking systems, or which of several judges is closest to them.

    Use it if people and a judge, or two measures, scored the same systems, or judged the same battles. Do not use it if the judge was tuned on these
    topics, or if the topics are not a random sample of those you care about.

    The target is the coefficient of the true means,

    .. math:: c(\mu_{\text{judge}}, \mu_{\text{truth}}),

    over all topics that could have been asked. The observed value is lower, because topics are few. Plausible true means
    given the observed means are drawn, and the coefficient is computed for each draw. The corrected value is the middle of
    the draws, and the confidence interval consists of their quantiles (xie2013). A judge can replace people if the
    one-sided lower confidence limit reaches 0.9, and serves some uses from 0.8 on, unless the top of the ranking is shown
    to differ. It cannot replace them if the whole interval is below 0.8. State a margin of your own if you have one.

    Several judges are compared on the same draws. Two of them differ if their difference exceeds a critical value that
    holds for all pairs simultaneously, the quantile of the largest deviation over the draws.

    Parameters
    ----------
    judge : Scores, or what Scores.read() takes, or Mapping of str to such, or Battles
        Scores by the judge, with one row per topic and one column per system; or several judges by name. One judge of
        battles can be `Battles`, or strengths of `bradley_terry()`, whose ties, prior and clusters are then used.
    *unnamed, truth : Scores, or what Scores.read() takes
        Scores that are correct by definition, such as those of people, given by name. Required.
    coefficient : str or Coefficient, default "tau_b"
        Rank correlation coefficient, as listed by `tauscope.catalogue`.
    margin : float or None, default None
        Agreement that you require, stated before looking. None applies the rule of thumb, 0.9 and 0.8.
    groups : Mapping of str to str or None, default None
        Group of each system, such as its team. Shows whether the judge prefers a group; systems of one group are left
        out together if systems are resampled.
    level : float, default 0.95
        Confidence level of intervals and tests.
    resample : {"topics", "systems", "both"}, default "topics"
        What is a sample. With "systems" topics are fixed, and one system or group after the other is left out.
    topics : {"all", "shared", "same", "independent"}, default "all"
        all: means are over all topics of each side; topics with the same label are the same topic. shared: only topics
        that all sides have. same: as all, but an error if labels differ. independent: no two topics are the same.
    unmatched : {"error", "drop"}, default "error"
        What to do with systems that only one side has.
    match : {"exact", "loose"}, default "exact"
        Use loose to match names that differ only in spaces, case, leading zeros, ".0" or a common first word.
    rng : int, Generator or None, default 0
        Seed of everything drawn; None chooses one, which the result remembers. The same seed gives the same numbers.

    Returns
    -------
    Comparison, Comparisons or VerdictComparison
        A `Comparison` for one judge, `Comparisons` for several, or a `VerdictComparison` for battles.

    Raises
    ------
    CallError
        If the truth is not given by name, or an argument is unknown.
    AlignmentError
        If only one side has a system and `unmatched` is "error".
    TauscopeError
        If cells are missing; with several judges, if one has no value or there are fewer than four topics.

    See Also
    --------
    audit : all checks of a judge in one call.
    bradley_terry : strengths of systems from battles.
    hybrid : rank by people on some topics and a judge on all.
    significance : which differences between systems are significant.

    Examples
    --------
    >>> from tauscope import Scores, compare
    >>> people = Scores([[0.9, 0.5, 0.1], [0.8, 0.6, 0.3], [0.7, 0.6, 0.2], [0.9, 0.4, 0.3], [0.8, 0.5, 0.2]])
    >>> judge = Scores([[0.8, 0.6, 0.3], [0.9, 0.6, 0.2], [0.6, 0.7, 0.2], [0.9, 0.5, 0.4], [0.8, 0.4, 0.3]])
    >>> found = compare(judge, truth=people)
    >>> found.observed, found.verdict.value
    (1.0, 'can replace')
    >>> crowd = Scores(1 - people.values)
    >>> compare({"judge": judge, "crowd": crowd}, truth=people).judge
    ('judge', 'crowd')
    """
    require_truth(truth, unnamed, "compare(judge, truth=…)")
    checking.one_of(resample, ("topics", "systems", "both"), "resample")
    checking.one_of(topics, TOPICS, "topics")
    c, level, seed = catalogue[coefficient], checking.level(level), remembered(rng)
    margin = None if margin is None else checking.number(margin, "margin")
    if any(isinstance(side, Battles) or hasattr(side, "given_battles") for side in (judge, truth)):
        unused: dict[str, Any] = {"margin": margin, "groups": groups}
        unused |= {"resample": resample, "topics": topics}
        unused |= {"unmatched": unmatched, "match": match}
        refused = [name for name, value in unused.items() if value not in (None, "topics", "all", "error", "exact")]
        if refused:
            raise CallError(f"compare() of battles does not use `{refused[0]}`: leave it out.")
        # Battles belong to a higher layer, which is loaded by name.
        return importlib.import_module("tauscope.boards.verdicts").compare_battles(judge, truth, c, level, seed)
    means_over, paired = TOPICS[topics]
    if isinstance(judge, Mapping) and not judge:
        raise CallError("compare() takes one judge, or several by name: compare({'gpt': …, 'crowd': …}, truth=…).")
    judges = {str(name): one for name, one in judge.items()} if isinstance(judge, Mapping) else {"": judge}
    if "truth" in judges:
        raise CallError("A judge is called 'truth', as the truth is. Give it another name.")
    named = {name or "judge": one for name, one in judges.items()} | {"truth": truth}
    clusters = len(named) == 2
    same = aligned_scores(named, "compare()", unmatched, match=match, clusters=clusters, means_over=means_over)
    matrices, gold = dict(zip(judges, same.scores[:-1], strict=True)), same.scores[-1]
    done = tuple(note for note in same.notes if note not in same.remarks)
    if groups is not None:
        groups_of(gold.systems, groups)
    given = Given(c, margin, groups, level, resample, paired, seed)
    if len(matrices) > 1:
        from .comparisons import several_judges

        return several_judges(matrices, gold, given, same.notes, done)
    (name, own), *_ = matrices.items()
    return one_judge(name, own, gold, given, same.notes, {}, done)


#: Number of pairs that lower agreement most.
MOST_PAIRS = 20
#: By how much less than a person the judge may agree with the other people and still count as good as this person.
AS_GOOD = 0.1


#: Facts of a comparison that are those of its agreement.
OF_AGREEMENT = (
    *("observed", "corrected", "error", "resampled", "topics", "shared_topics", "reliability"),
    *("draws", "monte_carlo", "seed"),
)


class Swap(NamedTuple):
    """Two systems in opposite orders: which is better under the truth and under the judge, by how much the pair lowers
    the coefficient, and what becomes of their difference: "reversed", "missed", "spurious" or "neither"."""

    truth_better: str
    judge_better: str
    loss: float
    kind: str


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Comparison(Result):
    """How well a judge reproduces the ranking of a truth, and whether it can replace it. One row per system.

    Parameters
    ----------
    judge, truth : str
        Names of the two sides; empty if the data have none.
    system : tuple of str
        The systems in the order of the truth.
    truth_mean, judge_mean : tuple of float
        Their mean scores.
    truth_rank, judge_rank : tuple of int
        Their ranks; equal means share the better rank.
    group : tuple of str
        Their groups; empty without `groups`.
    margin : float or None
        What the agreement has to reach, stated beforehand; None for the rule of thumb (0.9, and 0.8 for some uses).
    coefficient : str
        Name of the coefficient.
    observed, corrected : float
        Agreement of the observed means, and corrected for topic noise (disattenuated).
    error : float
        Standard error of the corrected agreement.
    resampled : str
        What was treated as a sample: "topics", "systems" or "both".
    topics : (int, int)
        Number of topics of the judge and of the truth.
    shared_topics : int
        Number of topics that both have.
    reliability : (float, float)
        Share of the variance between observed means that is real, for judge and truth.
    draws, seed : int
        Number of draws of true means, and the seed of everything that was drawn.
    monte_carlo : float
        Monte Carlo error of `limit`.
    level : float
        Confidence of intervals and tests.
    notes : tuple
        What was done to match the two sides, and what a reader must know besides.
    """

    QUESTION: ClassVar[str] = "judge"
    VIEWS: ClassVar[tuple[str, ...]] = ("pairs", "shifts", "agreements", "systems", "differences", "soft_accuracy")
    judge: str
    truth: str
    system: tuple[str, ...] = per_row()
    truth_mean: tuple[float, ...] = per_row()
    judge_mean: tuple[float, ...] = per_row()
    truth_rank: tuple[int, ...] = per_row()
    judge_rank: tuple[int, ...] = per_row()
    group: tuple[str, ...] = per_row()
    margin: float | None
    coefficient: str
    observed: float
    corrected: float
    error: float
    resampled: str
    topics: tuple[int, int]
    shared_topics: int
    reliability: tuple[float, float]
    draws: int
    monte_carlo: float
    seed: int
    notes: tuple[Note | str, ...] = ()
    _whole: Agreement = field(repr=False)
    _sides: tuple[Scores, Scores] = field(repr=False)
    _people: Mapping[str, Scores] = field(default_factory=dict, repr=False)
    _done: tuple[Note | str, ...] = field(default=(), repr=False)

    def __float__(self) -> float:
        return self._whole.corrected

    @property
    def interval(self) -> Interval:
        """Confidence interval of the corrected agreement: (low, high), NaN where there is none."""
        return self._whole.interval

    def interval_at(self, level: float) -> Interval:
        """Return the interval at another level; nothing is drawn again.

        Parameters
        ----------
        level : float
            Confidence, between 0 and 1.

        Returns
        -------
        Interval
            (low, high); NaN where there is none.
        """
        return self._whole.interval_at(level)

    def at_least(self, level: float | None = None) -> float:
        """Return the one-sided lower confidence limit of the corrected agreement.

        Parameters
        ----------
        level : float or None, default None
            Confidence; None for that of the result.

        Returns
        -------
        float
            The limit; NaN where there is none.
        """
        return self._whole.at_least(level)

    def exceeds(self, margin: float, level: float | None = None) -> bool:
        """Return whether the one-sided lower confidence limit of the agreement reaches a margin.

        Parameters
        ----------
        margin : float
            What the agreement has to reach.
        level : float or None, default None
            Confidence; None for that of the result.

        Returns
        -------
        bool
        """
        return self._whole.exceeds(margin, level)

    def p_values(self, margin: float) -> tuple[float, float]:
        """Return p-values of the two claims that the true agreement reaches a margin, and that it is below it.

        Parameters
        ----------
        margin : float
            The margin.

        Returns
        -------
        (float, float)
            Neither is smaller than one divided by the number of draws; NaN without an interval.
        """
        return self._whole.p_values(margin)

    @property
    def done(self) -> tuple[Note | str, ...]:
        """Those of the notes that say what was done to match the two sides."""
        return self._done

    @cached_property
    def decision(self) -> Decision:
        """The verdict with what it rests on."""
        return Decision(whole=self._whole, margin=self.margin)

    @fact
    def verdict(self) -> Standing:
        """Whether the judge can replace the truth; decided by `judges.standing.Decision`."""
        return self.decision.verdict

    @fact
    def reason(self) -> Note | None:
        """Why the verdict is undefined, or None."""
        return self.decision.reason

    @fact
    def top(self) -> Top | None:
        """Whether agreement at the top of the ranking reaches what the whole ranking reached."""
        return self.decision.top

    @fact
    def required(self) -> float:
        """What the lower confidence limit has to reach for some uses."""
        return self.decision.required

    @fact
    def sufficient(self) -> float:
        """What the lower confidence limit has to reach to replace the truth."""
        return self.decision.sufficient

    @fact
    def low(self) -> float:
        """Lower limit of the confidence interval of the corrected agreement."""
        return self.interval.low

    @fact
    def high(self) -> float:
        """Upper limit of the confidence interval of the corrected agreement."""
        return self.interval.high

    @fact
    def limit(self) -> float:
        """One-sided lower confidence limit of the corrected agreement, which decides."""
        return self.at_least()

    @fact
    def agreements(self) -> dict[str, Agreement]:
        """Agreement over all systems ("whole"), head-weighted ("head"), and over the ten best ("ten")."""
        scopes = {"whole": self._whole, "head": self.decision.head, "ten": self.decision.ten}
        return {scope: one for scope, one in scopes.items() if one is not None}

    @fact
    def noise_ceiling(self) -> float:
        """What a perfect judge would be expected to reach on these topics; NaN if topics are not a sample."""
        if math.isnan(self._whole.corrected) or self._whole.resampled == "systems":
            return math.nan
        return self._whole.noise_ceiling

    @fact
    def systems(self) -> int:
        """Number of systems."""
        return len(self.system)

    @column
    def gain(self) -> tuple[int, ...]:
        """Ranks that each system gains under the judge."""
        return tuple(a - b for a, b in zip(self.truth_rank, self.judge_rank, strict=True))

    @property
    def differences(self) -> Significance | None:
        """All pairs of systems tested under both sides; None with fewer than two systems or topics."""
        return self._differences

    @cached_property
    def _differences(self) -> Significance | None:
        own, gold = self._whole.sides
        if len(own.systems) < 2 or min(len(own.topics), len(gold.topics)) < 2:
            return None
        return tested_beside(own, gold, alpha=1 - self.level, seed=self.seed)

    @fact
    def kept(self) -> int:
        """Number of significant differences of the truth that the judge finds too."""
        return self._counted("kept")

    @fact
    def missed(self) -> int:
        """Number of significant differences of the truth that the judge does not find."""
        return self._counted("missed")

    @fact
    def reversed(self) -> int:
        """Number of pairs that differ significantly on both sides, in opposite directions."""
        return self._counted("reversed")

    @fact
    def spurious(self) -> int:
        """Number of significant differences that only the judge finds."""
        return self._counted("spurious")

    def _counted(self, kind: str) -> int:
        return 0 if self.differences is None else int(getattr(self.differences, kind))

    @fact
    def truth_differences(self) -> int:
        """Number of significant differences under the truth."""
        return self.kept + self.missed + self.reversed

    @fact
    def precision(self) -> float:
        """Share of the judge's significant differences that the truth has too; NaN without any."""
        return math.nan if self.differences is None else self.differences.precision

    @fact
    def swaps(self) -> int:
        """Number of pairs of systems in opposite orders."""
        sides = [np.sign(np.subtract.outer(ranks, ranks)) for ranks in (self.truth_rank, self.judge_rank)]
        return int((sides[0] * sides[1] < 0).sum()) // 2

    @fact
    def top_shared(self) -> int:
        """Number of systems that are among the ten best on both sides."""
        return sum(a <= TOP and b <= TOP for a, b in zip(self.truth_rank, self.judge_rank, strict=True))

    @fact
    def pairs(self) -> tuple[Swap, ...]:
        """The pairs in opposite orders that lower the coefficient most."""
        observed = self._whole.correlation
        heaviest = [] if observed.undefined_because else observed.heaviest(MOST_PAIRS)
        place = {name: (a, b) for name, a, b in zip(self.system, self.truth_rank, self.judge_rank, strict=True)}
        kinds = {} if self.differences is None else self.differences.kinds
        swaps = []
        for pair in heaviest:
            one, other = sorted((str(pair.first), str(pair.second)), key=lambda name: place[name][0])
            if place[one][0] < place[other][0] and place[one][1] > place[other][1]:
                swaps.append(Swap(one, other, pair.loss, kinds.get(frozenset((one, other)), "neither")))
        return tuple(swaps)

    @fact
    def shifts(self) -> tuple[Shift, ...]:
        """Mean ranks gained by each group of systems, the largest gain first; empty without groups."""
        if not any(self.group) or len(self.system) < 2:
            return ()
        groups = dict(zip(self.system, self.group, strict=True))
        return rank_shifts(*self._whole.sides, groups, level=self.level, seed=self.seed)

    @fact
    def favoured(self) -> tuple[Shift, ...]:
        """The groups that the judge ranks significantly higher than the truth does, the largest gain first."""
        return tuple(one for one in self.shifts if one.significant and one.ranks > 0)

    @fact
    def bias(self) -> ScoreBias | None:
        """How much higher the judge scores than the truth, on topics that both have; None without such topics."""
        own, gold = self._sides
        shared = [topic for topic in gold.topics if topic in set(own.topics)]
        if not shared:
            return None
        sign = -1.0 if own.lower_is_better and gold.lower_is_better else 1.0  # on the scale of the source
        judge, truth = (sign * side.select(topics=shared).values for side in (own, gold))
        return score_bias(judge, truth, level=self.level)

    @fact
    def people(self) -> Ceiling | None:
        """Agreement among several people, and the judge beside them; None without `people`."""
        if not self._people:
            return None
        sides = [self._people[name] for name in self._people]
        own = self._sides[0].select(topics=sides[0].topics, systems=sides[0].systems)
        return ceiling(
            own.values,
            [one.values for one in sides],
            list(self._people),
            self._whole.coefficient,
            margin=AS_GOOD,
            level=self.level,
            seed=self.seed,
        )

    def soft_accuracy(self) -> SoftAccuracy:
        """Compute soft pairwise accuracy: does the judge order pairs as the truth does, and with the same confidence?

        Returns
        -------
        SoftAccuracy
            Its value with a confidence interval, and the p-values of all pairs, on the topics that both sides have.
        """
        own, gold = (one.in_order("topics", "systems") for one in self._sides)
        return soft_pairwise_accuracy(own, gold, level=self.level, seed=self.seed)

    def cited(self) -> tuple[str, ...]:
        more = () if self.differences is None else self.differences.cited()
        return tuple(dict.fromkeys((*self._whole.cited(), *more, *(("calderon2025",) if self._people else ()))))


class Given(NamedTuple):
    """What was asked for, whatever the judge."""

    coefficient: Coefficient
    margin: float | None
    groups: Mapping[str, str] | None
    level: float
    resample: str
    paired: bool | None
    seed: int


def one_judge(
    name: str,
    own: Scores,
    gold: Scores,
    given: Given,
    notes: tuple[Note | str, ...],
    people: Mapping[str, Scores],
    done: tuple[Note | str, ...] = (),
) -> Comparison:
    """Compare one judge with the truth, both with the same systems in the same order."""
    whole = agreement(
        own,
        gold,
        given.coefficient,
        level=given.level,
        resample=given.resample,
        groups=given.groups,
        paired=given.paired,
        seed=given.seed,
        head=True,
    )
    # Sums of sorted scores do not depend on how a file lists its topics.
    means = [np.sort(side.values, axis=0).mean(axis=0) for side in (gold, own)]
    ranks = [_competition(side) for side in means]
    order = np.lexsort((np.arange(len(ranks[0])), ranks[1], ranks[0])).tolist()
    systems = [gold.systems[i] for i in order]
    names = _names(name, own, gold)
    found = Comparison(
        judge=names[0],
        truth=names[1],
        system=tuple(systems),
        truth_mean=tuple(gold.as_read(means[0])[order].tolist()),
        judge_mean=tuple(own.as_read(means[1])[order].tolist()),
        truth_rank=tuple(ranks[0][order].tolist()),
        judge_rank=tuple(ranks[1][order].tolist()),
        group=tuple(str((given.groups or {}).get(system, "")) for system in systems),
        margin=given.margin,
        level=given.level,
        coefficient=whole.coefficient.name,
        **{shared: getattr(whole, shared) for shared in OF_AGREEMENT},
        notes=(*notes, *rows_said((own, gold), whole.sides), *whole.notes),
        _whole=whole,
        _sides=(own, gold),
        _people=people,
        _done=done,
    )
    for fact_name in found.facts():  # printing computes nothing
        getattr(found, fact_name)
    return found


def _competition(means: Any) -> Ints:
    """Rank means; equal ones share the better rank."""
    own = snap_rows(np.asarray(means, float)[None])[0]
    return np.asarray(1 + (own[None, :] > own[:, None]).sum(axis=1))


def _names(name: str, own: Scores, gold: Scores) -> tuple[str, str]:
    """Return what the two sides are called: the given name, else the collection or the measure if they differ."""
    for key in ("collection", "measure"):
        first, second = name or getattr(own, key), getattr(gold, key)
        if first != second and second:
            return first, second
    return name, ""
