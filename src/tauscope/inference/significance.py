"""Significance of the differences between systems, and the comparison of two judges by the differences they find."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from enum import Enum
from functools import cached_property
from typing import Any, ClassVar, NamedTuple

import numpy as np

from ..core import checking
from ..core.arrays import Bools, Floats
from ..core.checking import SIGNIFICANCE_DRAWS, Progress, Rng, Stream, remembered, stream
from ..data.alignment import aligned_scores, require_truth
from ..data.scores import Scores
from ..errors import TauscopeError
from ..io.door import ScoresLike, takes_scores
from ..results import Notes, Result, fact, large, plain
from .corrections import (
    false_discovery,
    flips,
    holm,
    max_rank,
    max_t,
    permutation_p,
    rejected,
    student_p,
    tukey,
    wilcoxon_p,
)
from .relation import tested
from .true_means import Observed, observed_scores, observed_values

#: Computes the p-values of all pairs from observed scores and a number of draws.
PValues = Callable[[Observed, int, np.random.Generator, Progress | None], Floats]


@dataclass(frozen=True, kw_only=True)
class Procedure:
    """One way to p-values of all pairs."""

    p_values: PValues
    papers: tuple[str, ...] = ()
    #: Whether it draws random numbers, and whether these are sign flips of topics, whose number is finite.
    draws: bool = False
    flips: bool = False
    #: Whether it assumes that all systems vary alike.
    equal_variances: bool = False


@dataclass(frozen=True, kw_only=True)
class PairTest:
    """A test of the difference between two systems: each pair separately, and all pairs by their largest statistic."""

    separate: Procedure
    joint: Procedure


@dataclass(frozen=True, kw_only=True)
class Correction:
    """A correction for the number of pairs: `joint` uses the joint procedure of the test, others adjust p-values."""

    papers: tuple[str, ...] = ()
    joint: bool = False
    adjust: Callable[[Floats], Floats] = np.asarray


TESTS = {
    "t": PairTest(
        separate=Procedure(p_values=lambda observed, draws, generator, progress: student_p(observed)),
        joint=Procedure(p_values=max_t, papers=("westfall1993",), draws=True, flips=True),
    ),
    "wilcoxon": PairTest(
        separate=Procedure(
            p_values=lambda observed, draws, generator, progress: wilcoxon_p(observed, progress),
            papers=("wilcoxon1945",),
        ),
        joint=Procedure(p_values=max_rank, papers=("wilcoxon1945", "westfall1993"), draws=True, flips=True),
    ),
    "permutation": PairTest(
        separate=Procedure(p_values=permutation_p, draws=True, flips=True),
        joint=Procedure(p_values=tukey, papers=("carterette2012",), draws=True, equal_variances=True),
    ),
}
CORRECTIONS: dict[str | None, Correction] = {
    "maxT": Correction(joint=True),
    "holm": Correction(papers=("holm1979",), adjust=holm),
    "fdr": Correction(papers=("benjamini1995",), adjust=false_discovery),
    None: Correction(),
}
#: From this ratio of the largest to the median deviation of a system on, the randomised Tukey HSD finds too much. Simulated
#: levels at alpha = 0.05 with 8 and 20 equal systems and 50 topics, 400 boards each: 0.05 if the ratio is 1.1 to 1.3 on
#: average, 0.06 to 0.10 at 1.4, 0.08 to 0.15 at 1.5 to 2, and 0.13 to 0.17 at 3.
UNEQUAL = 1.25
#: With more systems, or cells, all pairs of two sides are tested without draws, which would take minutes.
MOST_FOR_DRAWS = (300, 30_000)
#: What can become of a pair of systems under a judge, compared with the truth.
KINDS = ("kept", "reversed", "missed", "spurious")


class Differences(Enum):
    """The verdict: which differences are significant, or, with a truth, which of its differences the judge finds."""

    ALL = "all"
    SOME = "some"
    NONE = "none"
    IMPOSSIBLE = "impossible"
    SAME = "same"
    PARTLY = "partly"
    NONE_KEPT = "none kept"
    REVERSED = "reversed"
    NOTHING_TO_KEEP = "nothing to keep"


class Difference(NamedTuple):
    """A pair of systems, the one with the better observed mean first, and its adjusted p-value.

    `truth_difference` (in the same direction), `truth_p` and `kind` are set if there is a truth.
    """

    better: str
    worse: str
    difference: float
    p: float
    significant: bool
    truth_difference: float = math.nan
    truth_p: float = math.nan
    kind: str = ""


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Significance(Result):
    """Adjusted p-values of all pairs of systems, and the comparison with a truth if there is one.

    `result["a", "b"]` is the p-value of two systems.

    Parameters
    ----------
    systems, means : tuple of str, ndarray
        The systems and their observed means, the best first.
    p_values : ndarray
        Adjusted two-sided p-values, systems x systems; 1 on the diagonal.
    better : ndarray of bool
        `better[i, j]` is true if system i is significantly better than system j.
    test, correction : str, str or None
        The test of a pair, and the correction for the number of pairs.
    alpha, level : float
        A p-value of at most alpha is significant; the level is 1 - alpha.
    topics, clustered : int
        Number of topics. If topics come in clusters, `topics` is the number of clusters and `clustered` the number of
        topics in them; otherwise `clustered` is 0.
    draws, seed : int, int or None
        Number of sign flips or permutations, and their seed; 0 and None if the test needs none. If there are fewer
        sign flips than requested, each is made once.
    identical : int
        Number of pairs with the same scores on every topic; their p-value is 1.
    unequal : float
        The largest standard deviation of a system's scores without topic effects, divided by the median one. The
        randomised Tukey HSD assumes that they are equal.
    truth : Significance or None
        The same test of the truth.
    notes : tuple of Note or str
        What was done to match the systems of both sides.
    name : str
        Name of the data.
    """

    QUESTION: ClassVar[str] = "significance"
    systems: tuple[str, ...]
    means: Floats
    p_values: Floats = large()
    better: Bools = large()
    test: str
    correction: str | None
    alpha: float
    topics: int
    clustered: int = 0
    draws: int
    seed: int | None
    identical: int
    unequal: float = 1.0
    truth: Significance | None = large(None)
    notes: Notes = ()
    name: str = ""

    def __getitem__(self, pair: tuple[str, str]) -> float:
        for name in pair:
            if name not in self.systems:
                raise TauscopeError(f"There is no system {name!r} among the {len(self.systems):,}.")
        first, second = map(self.systems.index, pair)
        return float(self.p_values[first, second])

    @fact
    def verdict(self) -> Differences:
        """Which differences are significant, or, with a truth, which of its differences the judge finds."""
        if self.truth is None:
            if self.impossible:
                return Differences.IMPOSSIBLE
            every = self.significant == self.all_pairs
            return Differences.ALL if every else Differences.SOME if self.significant else Differences.NONE
        if not self.truth.significant:
            return Differences.NOTHING_TO_KEEP
        if self.reversed:
            return Differences.REVERSED
        if not self.kept:
            return Differences.NONE_KEPT
        return Differences.PARTLY if self.missed or self.spurious else Differences.SAME

    @fact
    def all_pairs(self) -> int:
        """Number of pairs of systems, m(m - 1)/2."""
        return len(self.systems) * (len(self.systems) - 1) // 2

    @fact
    def significant(self) -> int:
        """Number of pairs that differ significantly."""
        return int(self.better.sum())

    @fact
    def share(self) -> float:
        """Share of all pairs that differ significantly."""
        return self.significant / self.all_pairs

    @fact
    def neighbours(self) -> int:
        """Number of pairs of neighbours in the ranking that differ significantly."""
        return int(np.diagonal(self.better, 1).sum())

    @fact
    def exhaustive(self) -> bool:
        """Whether all possible sign flips were made."""
        return self._procedure.flips and self.draws == 2 ** (self.topics - 1) - 1

    @fact
    def smallest_p(self) -> float:
        """Smallest p-value that this number of draws can give; 0 without draws."""
        times = self.all_pairs if self.correction == "holm" else 1
        return min(1.0, times / (self.draws + 1)) if self.draws else 0.0

    @fact
    def impossible(self) -> bool:
        """Whether no difference, however large, could have been significant."""
        return self.smallest_p > self.alpha * (1 + 1e-9)

    @fact
    def unreliable(self) -> bool:
        """Whether the test assumes equal variances and the systems vary unequally."""
        return self._procedure.equal_variances and self.unequal > UNEQUAL

    @fact
    def truth_significant(self) -> int | None:
        """Number of pairs that differ significantly under the truth."""
        return None if self.truth is None else self.truth.significant

    @fact
    def kept(self) -> int | None:
        """Number of significant differences of the truth that are significant here, in the same direction."""
        return self._count("kept")

    @fact
    def reversed(self) -> int | None:
        """Number of pairs that differ significantly on both sides, in opposite directions."""
        return self._count("reversed")

    @fact
    def missed(self) -> int | None:
        """Number of pairs that differ significantly only under the truth."""
        return self._count("missed")

    @fact
    def spurious(self) -> int | None:
        """Number of pairs that differ significantly only here."""
        return self._count("spurious")

    @fact
    def neither(self) -> int | None:
        """Number of pairs that differ significantly on neither side."""
        return None if self.truth is None else self.all_pairs - sum(int(found.sum()) for found in self._kinds.values())

    @fact
    def precision(self) -> float:
        """Share of the differences found here that the truth has too; NaN without any, or without a truth."""
        return math.nan if self.kept is None or not self.significant else self.kept / self.significant

    @fact
    def recall(self) -> float:
        """Share of the truth's differences that are found here too; NaN without any, or without a truth."""
        return math.nan if self.kept is None or not self.truth_significant else self.kept / self.truth_significant

    @cached_property
    def pairs(self) -> tuple[Difference, ...]:
        """Every pair as a `Difference`, the smallest p-value first, then the largest difference."""
        first, second = np.triu_indices(len(self.systems), 1)
        gaps, p = np.abs(self.means[first] - self.means[second]), self.p_values[first, second]
        columns = [gaps, p, self.better[first, second]]
        if self.truth is not None:
            at = self._places(self.truth)
            a, b = at[first], at[second]
            sign = -1.0 if self.truth.means[0] < self.truth.means[-1] else 1.0  # the best is first: lower is better
            kinds = np.full(len(first), "neither", object)
            for kind, found in self._kinds.items():
                kinds[found[first, second] | found[second, first]] = kind
            columns += [sign * (self.truth.means[a] - self.truth.means[b]), self.truth.p_values[a, b], kinds]
        order = np.lexsort((-gaps, p))
        values = zip(*(column[order].tolist() for column in columns), strict=True)
        names = ((self.systems[first[k]], self.systems[second[k]]) for k in order)
        return tuple(Difference(*pair, *row) for pair, row in zip(names, values, strict=True))

    @cached_property
    def kinds(self) -> dict[frozenset[str], str]:
        """Pair of systems -> "kept", "reversed", "missed" or "spurious"; other pairs differ on neither side."""
        if self.truth is None:
            return {}
        return {
            frozenset((self.systems[i], self.systems[j])): kind
            for kind, found in self._kinds.items()
            for i, j in zip(*np.nonzero(found), strict=True)
        }

    @cached_property
    def _kinds(self) -> dict[str, Bools]:
        """Kind -> systems x systems: the pairs of this kind, in the direction of the truth, spurious ones as here."""
        assert self.truth is not None
        at = self._places(self.truth)
        here, there = self.better, self.truth.better[np.ix_(at, at)]
        found = (there & here, there & here.T, there & ~here & ~here.T, here & ~there & ~there.T)
        return dict(zip(KINDS, found, strict=True))

    def _places(self, other: Significance) -> np.ndarray[Any, np.dtype[np.int64]]:
        """Return the places of these systems in another result."""
        place = {name: k for k, name in enumerate(other.systems)}
        return np.array([place[name] for name in self.systems])

    def _count(self, kind: str) -> int | None:
        return None if self.truth is None else int(self._kinds[kind].sum())

    @property
    def _procedure(self) -> Procedure:
        return _procedure(self.test, self.correction)

    def cited(self) -> tuple[str, ...]:
        return (*self._procedure.papers, *CORRECTIONS[self.correction].papers)

    def columns(self) -> Mapping[str, Any]:
        shown = Difference._fields if self.truth is not None else Difference._fields[:5]
        return {name: [getattr(pair, name) for pair in self.pairs] for name in shown}

    def to_dict(self) -> dict[str, Any]:
        """Return every fact and every pair as plain Python values, ready for JSON.

        Returns
        -------
        dict
            One entry per fact, the list `pairs`, and the sentences for a paper; undefined numbers are None.
        """
        columns = self.columns()
        rows = zip(*columns.values(), strict=True)
        return super().to_dict() | {"pairs": [plain(dict(zip(columns, row, strict=True))) for row in rows]}


@takes_scores("scores", "truth")
def significance(
    scores: ScoresLike,
    *unnamed: Any,
    truth: ScoresLike | None = None,
    test: str = "t",
    correction: str | None = "maxT",
    alpha: float = 0.05,
    draws: int | None = None,
    unmatched: str = "error",
    match: str = "exact",
    rng: Rng = 0,
    progress: Progress | None = None,
) -> Significance:
    r"""Test which differences between systems are significant, and whether a truth has the same differences.

    Use it to report differences between pairs of systems, or to see which significant differences of people a judge
    finds. Do not use it to find the best systems or to form tiers, which `rank()` does, or to
    measure agreement between two rankings, which `compare()` does.

    Every test is paired and two-sided. By default the statistic of a pair is its paired t. All differences of a topic
    change their sign together at random, and the adjusted p-value of a pair is the share of sign flips in which the
    largest statistic reaches its own:

    .. math::

        p_{ij} = \frac{1 + \#\{b : \max_{(k,l)} |t^{(b)}_{kl}| \ge |t_{ij}|\}}{1 + B},

    where the maximum is over the pairs with a statistic of at most :math:`|t_{ij}|` (step-down, westfall1993). The
    probability of at least one false difference among all pairs is then at most alpha, exactly if differences are
    symmetric. If differences are skewed, t is reduced (`tauscope.inference.corrections`). With fewer than six topics
    nothing can be significant at 0.05. Systems with equal means never differ significantly.

    Parameters
    ----------
    scores : Scores, or what Scores.read() takes
        Scores of topics by systems, without missing cells. With a truth: the scores of the judge.
    *unnamed, truth : Scores, or what Scores.read() takes, or None, default None
        Scores that are correct by definition. Both sides are tested in the same way, on the systems that both have;
        their topics need not be the same.
    test : {"t", "permutation", "wilcoxon"}, default "t"
        t: paired t-test. permutation: paired randomisation test. wilcoxon: signed ranks without differences of 0; its
        hypothesis is that differences are symmetric about 0, not that means are equal.
    correction : {"maxT", "holm", "fdr", None}, default "maxT"
        Correction for the number of pairs. maxT: familywise error by the largest statistic of all pairs; with
        permutation this is the randomised Tukey HSD, which assumes that all systems vary alike. holm: familywise error
        from the p-values alone. fdr: false discovery rate. None: no correction.
    alpha : float, default 0.05
        A p-value of at most alpha is significant.
    draws : int or None, default None
        Number of sign flips or permutations. By default as many as `rank()` makes for the t-test with "maxT", so that
        both find the same pairs, and 5,000 otherwise. No p-value is below 1/(draws + 1), which Holm multiplies by the
        number of pairs.
    unmatched : {"error", "drop"}, default "error"
        What to do with systems that only one of scores and truth has.
    match : {"exact", "loose"}, default "exact"
        Use loose to match names that differ only in spaces, case, leading zeros, ".0" or a common first word.
    rng : int, Generator or None, default 0
        Seed of the draws, used for both sides. The same seed gives the same numbers.
    progress : callable or None, default None
        Called with the number of finished steps and the number of all steps.

    Returns
    -------
    Significance
        The p-value of every pair, the relation "significantly better", and the verdict. With a truth: how many of its
        differences are kept, missed and reversed, how many are spurious, and which.

    Raises
    ------
    CallError
        If the truth is not given by name, a name is unknown, or a number is outside its limits.
    AlignmentError
        If only one side has a system, and `unmatched` is "error".
    TauscopeError
        If cells are missing, or there are fewer than two systems or two topics.

    See Also
    --------
    tiers : groups of systems that are not distinguishable.
    compare : how well two rankings agree, corrected for topic noise.

    Examples
    --------
    >>> from tauscope import Scores, significance
    >>> scores = Scores([[0.5, 0.3], [0.6, 0.2], [0.4, 0.3]], systems=["new", "old"])
    >>> round(significance(scores, test="t", correction=None)["new", "old"], 4)
    0.1181
    >>> people = Scores([[0.9, 0.5, 0.1], [0.8, 0.4, 0.2], [0.9, 0.6, 0.1], [0.7, 0.5, 0.0]])
    >>> judge = Scores([[0.9, 0.8, 0.3], [0.9, 0.9, 0.2], [0.8, 0.9, 0.3], [0.9, 0.8, 0.2]])
    >>> found = significance(judge, truth=people, correction="holm")
    >>> found.kept, found.missed, found.spurious, found.reversed
    (2, 1, 0, 0)
    """
    if unnamed:
        require_truth(truth, unnamed, "significance(scores, truth=…)")
    checking.one_of(test, TESTS, "test")
    if correction is not None:
        checking.one_of(correction, (name for name in CORRECTIONS if name), "correction")
    alpha, draws = checking.share(alpha, "alpha"), None if draws is None else checking.whole(draws, "draws", least=1)
    seed, what = remembered(rng), "significance()"
    options: dict[str, Any] = {"test": test, "correction": correction, "alpha": alpha, "draws": draws, "seed": seed}
    if truth is None:
        return _tested(scores, observed_scores(scores, what, clusters=True), progress=progress, **options)
    same = aligned_scores({"scores": scores, "truth": truth}, what, unmatched, match=match)
    sides = [(one, observed_scores(one, what, clusters=True)) for one in same.scores]
    judge, gold = (_tested(*side, progress=progress, **options) for side in sides)
    return replace(judge, truth=gold, notes=same.notes)


def tested_beside(judge: Scores, truth: Scores, *, alpha: float, seed: int) -> Significance:
    """Test all pairs of systems under a judge and under the truth.

    Very many cells are tested by Student's t with Holm's correction, which takes no draws (`MOST_FOR_DRAWS`).

    Parameters
    ----------
    judge, truth : Scores
        Complete scores of the same systems on independent topics.
    alpha : float
        Level of significance.
    seed : int
        Seed of the flips, the same for both.

    Returns
    -------
    Significance
        That of the judge, with the truth's beside it.
    """
    many = len(truth.systems) > MOST_FOR_DRAWS[0] or truth.values.size > MOST_FOR_DRAWS[1]
    options: dict[str, Any] = {"test": "t", "correction": "holm" if many else "maxT", "draws": None}
    options |= {"alpha": alpha, "seed": seed}
    own, gold = (_tested(one, observed_values(one), **options) for one in (judge, truth))
    return replace(own, truth=gold)


def _tested(
    scores: Scores,
    observed: Observed,
    *,
    test: str,
    correction: str | None,
    alpha: float,
    draws: int | None,
    seed: int,
    progress: Progress | None = None,
) -> Significance:
    """Test all pairs of systems; the default test is the one behind the ranks of a board."""
    procedure = _procedure(test, correction)
    if procedure.p_values is max_t:
        joint = tested(observed, 1 - alpha, seed, draws, progress)
        adjusted, made = joint.p, joint.draws
    else:
        made = SIGNIFICANCE_DRAWS if draws is None else draws
        adjusted = procedure.p_values(observed, made, stream(seed, Stream.TESTS), progress)
        made = flips(made, observed.topics) if procedure.flips else made if procedure.draws else 0
    adjusted = CORRECTIONS[correction].adjust(adjusted)
    first, second = observed.pairs
    p = np.ones((observed.systems, observed.systems))
    p[first, second] = p[second, first] = adjusted
    better = np.zeros(p.shape, bool)
    better[first, second] = rejected(adjusted, alpha) & ~observed.tied
    return Significance(
        systems=tuple(scores.systems[i] for i in observed.order),
        means=scores.as_read(observed.means * observed.unit),
        p_values=p,
        better=better,
        test=test,
        correction=correction,
        alpha=alpha,
        level=round(1 - alpha, 12),
        topics=observed.topics,
        clustered=observed.clustered,
        draws=made,
        seed=seed if procedure.draws else None,
        identical=int(observed.identical.sum()),
        unequal=_largest_to_median((observed.centred - observed.effects[:, None]).std(axis=1)),
        name=scores.collection or "",
    )


def _procedure(test: str, correction: str | None) -> Procedure:
    return TESTS[test].joint if CORRECTIONS[correction].joint else TESTS[test].separate


def _largest_to_median(deviations: Floats) -> float:
    median = float(np.median(deviations))
    return float(deviations.max()) / median if median > 0 else 1.0
