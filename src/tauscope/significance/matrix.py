"""`significance_matrix()`: which differences between systems are more than chance?"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Executor
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from .. import checking
from ..arrays import Bools, Floats
from ..errors import TauscopeError
from ..files.door import ScoresLike, takes_scores
from ..jobs.cells import check_places
from ..jobs.draws import SIGNIFICANCE_DRAWS
from ..jobs.executors import Pool
from ..jobs.progress import Progress
from ..jobs.seeds import Rng, Stream, remembered, stream
from ..results import Result, count, number, plain, word
from ..scores.clusters import few_clusters, sampled
from .corrections import false_discovery, holm, max_rank, max_t, rejected
from .few_topics import nothing_significant
from .observed import Observed, observed_scores
from .pair_tests import flips, permutation_p, student_p, wilcoxon_p
from .tukey import tukey

#: p-values of all pairs of the observed scores, from so many draws.
PValues = Callable[[Observed, int, np.random.Generator, Progress | None], Floats]


@dataclass(frozen=True, kw_only=True)
class Way:
    """One way to p-values: pair by pair, or with the largest statistic of all pairs in view."""

    p_values: PValues
    words: str
    papers: tuple[str, ...] = ()
    #: Whether random numbers are drawn, and whether these are flips of the signs of topics, of which there are only so
    #: many.
    draws: bool = False
    flips: bool = False
    #: Whether workers can share the draws.
    shared: bool = False


@dataclass(frozen=True, kw_only=True)
class PairTest:
    """A test of the difference of two systems: each pair `alone`, and all `together`."""

    alone: Way
    together: Way


@dataclass(frozen=True, kw_only=True)
class Correction:
    """What is done about the number of pairs: `together` the test does it, otherwise `adjust` makes p-values larger."""

    words: str
    papers: tuple[str, ...] = ()
    together: bool = False
    adjust: Callable[[Floats], Floats] = np.asarray


def _max_over_pairs(p_values: PValues, words: str, papers: tuple[str, ...] = ()) -> Way:
    """The largest statistic of all pairs, by flips of signs."""
    text = f"{words}, max-t over all pairs"
    return Way(p_values=p_values, words=text, papers=(*papers, "westfall1993"), draws=True, flips=True)


_T, _PERMUTATION = "paired t-test", "paired randomisation test"
#: Signed ranks can differ from chance where means are equal, and the other way round: their hypothesis is said with them.
_WILCOXON = "Wilcoxon's signed-rank test (of differences symmetric about 0, not of equal means)"
TESTS = {
    "t": PairTest(
        alone=Way(p_values=lambda observed, draws, generator, progress: student_p(observed), words=_T),
        together=_max_over_pairs(max_t, _T),
    ),
    "wilcoxon": PairTest(
        alone=Way(
            p_values=lambda observed, draws, generator, progress: wilcoxon_p(observed, progress),
            words=_WILCOXON,
            papers=("wilcoxon1945",),
        ),
        together=_max_over_pairs(max_rank, _WILCOXON, ("wilcoxon1945",)),
    ),
    "permutation": PairTest(
        alone=Way(p_values=permutation_p, words=_PERMUTATION, draws=True, flips=True),
        together=Way(p_values=tukey, words="randomised Tukey HSD", papers=("carterette2012",), draws=True, shared=True),
    ),
}
CORRECTIONS: dict[str | None, Correction] = {
    "maxT": Correction(words="", together=True),
    "holm": Correction(words="Holm's correction", papers=("holm1979",), adjust=holm),
    "fdr": Correction(
        words="false discovery rate of Benjamini and Hochberg", papers=("benjamini1995",), adjust=false_discovery
    ),
    None: Correction(words="no correction for the number of pairs"),
}
#: From this ratio of the largest to the median deviation of a system on, the randomised Tukey HSD says that it claims too
#: much. Simulated levels at alpha = 0.05 with 8 and 20 equal systems and 50 topics, 400 boards each: 0.05 where the ratio
#: is 1.1 to 1.3 on average, 0.06 to 0.10 at 1.4, 0.08 to 0.15 at 1.5 to 2, and 0.13 to 0.17 at 3.
UNEQUAL = 1.25
#: More systems than this make a heatmap black; the best are shown.
MOST_SHOWN = 120


class Difference(NamedTuple):
    """Two systems, the one with the better observed mean first: by how much it is better, and the p-value."""

    better: str
    worse: str
    difference: float
    p: float
    significant: bool


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class SignificanceMatrix(Result):
    """p-values of all pairs of systems, two-sided and adjusted.

    `matrix["a", "b"]` looks one up by name.

    Parameters
    ----------
    systems, means : tuple of str, ndarray
        The systems and their observed means, the best first.
    p_values : ndarray
        systems x systems, 1 on the diagonal.
    better : ndarray of bool
        `better[i, j]`: the mean of system i is significantly higher than that of j.
    test, correction : str or None
        What was asked for.
    alpha : float
        p-values of at most this are significant.
    topics : int
        How many topics there are.
    draws : int
        How many draws were made; 0 where nothing was drawn. All flips of signs are made where there are fewer than
        asked for.
    seed : int or None
        The seed of the draws; None where nothing was drawn.
    identical : int
        Pairs of systems with the same scores on every topic.
    clustered : int
        Where `topics` counts clusters of topics, taken for independent as wholes, how many topics these have; else 0.
    unequal : float
        The largest standard deviation of a system's scores without topic effects, divided by the median one. The
        randomised Tukey HSD takes them for equal.
    """

    systems: tuple[str, ...]
    means: Floats
    p_values: Floats
    better: Bools
    test: str
    correction: str | None
    alpha: float
    topics: int
    draws: int
    seed: int | None
    identical: int
    clustered: int = 0
    unequal: float = 1.0

    def __getitem__(self, pair: tuple[str, str]) -> float:
        places = {name: place for place, name in enumerate(self.systems)}
        for name in pair:
            if name not in places:
                raise TauscopeError(f"There is no system {name!r} among the {len(self.systems):,}.")
        return float(self.p_values[places[pair[0]], places[pair[1]]])

    @property
    def all_pairs(self) -> int:
        """How many pairs of systems there are, m(m-1)/2."""
        return len(self.systems) * (len(self.systems) - 1) // 2

    @property
    def significant(self) -> int:
        """How many of `all_pairs` differ significantly."""
        return int(self.better.sum())

    @property
    def share(self) -> float:
        """Which share of all pairs differs significantly."""
        return self.significant / self.all_pairs

    @cached_property
    def pairs(self) -> tuple[Difference, ...]:
        """Every pair as a `Difference` (better, worse, difference, p, significant), the smallest p first, then the largest gap."""
        first, second = np.triu_indices(len(self.systems), 1)
        gaps, p = np.abs(self.means[first] - self.means[second]), self.p_values[first, second]  # the better one first
        better = self.better[first, second]
        return tuple(
            Difference(self.systems[first[k]], self.systems[second[k]], float(gaps[k]), float(p[k]), bool(better[k]))
            for k in np.lexsort((-gaps, p))
        )

    @property
    def _way(self) -> Way:
        return _way(self.test, self.correction)

    @property
    def how(self) -> str:
        """The test and the correction, for a line of a result, such as "randomised Tukey HSD, 5,000 draws, seed 0"."""
        text = ", ".join(filter(None, [self._way.words, CORRECTIONS[self.correction].words]))
        if self._exhausted:
            return f"{text}, all {self.draws + 1:,} flips of signs"
        return f"{text}, {self.draws:,} draws, seed {self.seed}" if self.draws else text

    @property
    def _exhausted(self) -> bool:
        """Whether all flips of signs there are were made."""
        return self._way.flips and self.draws == 2 ** (self.topics - 1) - 1

    def notes(self) -> list[str]:
        """What a reader must know besides.

        Returns
        -------
        list of str
            Parts of a sentence, without a full stop.
        """
        found = []
        if self.identical:
            found.append(f"{count(self.identical, 'pair')} of identical {word('systems')} have p = 1")
        found += few_clusters(self.topics) if self.clustered else ()
        if self._way.shared and self.unequal > UNEQUAL:
            found.append(
                f"{word('systems')} vary unequally from {word('topic')} to {word('topic')}, one {self.unequal:.1f} times as "
                "much as the median: the randomised Tukey HSD then claims false differences more often than alpha says "
                '(at 0.05 in 0.06 to 0.17 of simulations); test "t" does not'
            )
        least = (self.all_pairs if self.correction == "holm" else 1) / (self.draws + 1)
        if self.draws and least > self.alpha:
            found.append(
                nothing_significant(self.topics)
                if self._exhausted
                else f"{self.draws:,} draws give no p below {min(1.0, least):.2g}, so that nothing can be significant: "
                f"more than {int(least * (self.draws + 1) / self.alpha):,} are needed"
            )
        return found

    def lines(self) -> list[str]:
        first = (
            f"{self.significant:,} of {count(self.all_pairs, 'pair')} of {count(len(self.systems), 'system')} differ "
            f"significantly ({self.share * 100:.1f} %), alpha {self.alpha:g}, over {sampled(self.topics, self.clustered)}"
        )
        return [first, self.how, *(["; ".join(self.notes())] if self.notes() else [])]

    def methods_sentence(self) -> str:
        """The sentence a paper needs: how many pairs differ, at which level, by which test."""
        return (
            f"Of {count(self.all_pairs, 'pair')} of {count(len(self.systems), 'system')}, {self.significant:,} "
            f"({self.share * 100:.1f} %) differ significantly at alpha = {self.alpha:g} over "
            f"{sampled(self.topics, self.clustered)}, two-sided ({self.how})."
        )

    def columns(self) -> dict[str, Any]:
        return {name: [getattr(pair, name) for pair in self.pairs] for name in Difference._fields}

    def to_dict(self) -> dict[str, Any]:
        own = ("test", "correction", "alpha", "systems", "topics", "significant", "share", "draws", "seed")
        found = {name: getattr(self, name) for name in own} | {
            "pairs": self.all_pairs,
            "notes": self.notes(),
            "differences": [pair._asdict() for pair in self.pairs],
            "methods_sentence": self.methods_sentence(),
        }
        return {key: plain(value) for key, value in found.items()}

    def cited(self) -> tuple[str, ...]:
        return (*self._way.papers, *CORRECTIONS[self.correction].papers)

    def plot(self) -> Any:
        """A heatmap of 1 - p, systems best first: dark pairs differ. Of many systems, the best."""
        from ..figures import heatmap

        shown = min(len(self.systems), MOST_SHOWN)
        title = self.lines()[0] + (f"; the best {shown} shown" if shown < len(self.systems) else "")
        names = list(self.systems[:shown])
        return heatmap(
            1 - self.p_values[:shown, :shown], names, names, rows=word("system"), columns=word("system"), title=title
        )


@takes_scores("scores")
def significance_matrix(
    scores: ScoresLike,
    test: str = "permutation",
    correction: str | None = "maxT",
    *,
    alpha: float = 0.05,
    draws: int = SIGNIFICANCE_DRAWS,
    rng: Rng = 0,
    progress: Progress | None = None,
    executor: Executor | Pool | None = None,
) -> SignificanceMatrix:
    """Which differences between systems are more than the chance of the topics?

    All tests are two-sided. Systems with equal means never differ significantly, and identical ones have p = 1. No
    p-value from draws is below 1/(draws + 1), which Holm multiplies by the number of pairs. Do not use it to find the
    best system: that is `best_set()`.

    Parameters
    ----------
    scores : Scores, or what read_scores() takes
        One row per topic, one column per system, a score in every cell.
    test : {"permutation", "t", "wilcoxon"}, default "permutation"
        "permutation": the scores of two systems on a topic could as well be exchanged (paired randomisation test); "t":
        paired t-test; "wilcoxon": signed ranks, differences of 0 dropped, mid-ranks for ties (exact up to 50
        differences without ties, else normal). Wilcoxon's test, alone or with "maxT", is of another hypothesis than
        equal means: that differences are symmetric about 0. Skewed ones are found with equal means, too.
    correction : {"maxT", "holm", "fdr", None}, default "maxT"
        "maxT": no false difference among all pairs but with probability alpha (familywise error), by the largest
        statistic: with "permutation" the randomised Tukey HSD (carterette2012), if all systems could be exchanged on
        every topic (a few that vary much more than the others are called different too often); with "t" and "wilcoxon"
        signs flipped topic by topic, with "t" step-down (westfall1993), t counting for less where differences are
        skewed (`tauscope.significance.caution`); "holm": the same promise from the p-values alone (holm1979); "fdr":
        about alpha of the differences found are false, on average (benjamini1995; proved for independent or positively
        dependent tests, which pairs that share systems need not be); None: each pair taken alone, as in Figure 1 of
        gao2015.
    alpha : float, default 0.05
        p-values of at most this are significant.
    draws : int, default 5000
        Permutations or flips; none are made where t or Wilcoxon is not combined with maxT.
    rng : int, Generator or None, default 0
        Seed of the draws; None takes a fresh one, which the result remembers.
    progress : callable or None, default None
        Called, as the draws go on, with how many pieces are done and how many there are.
    executor : Executor, Pool or None, default None
        Who makes the permutations of the randomised Tukey HSD: `processes()`, `threads()`, what `cluster()` gives, or
        any concurrent.futures.Executor; None: threads of this process. The numbers are the same. All else is made here.

    Returns
    -------
    SignificanceMatrix
        One p-value per pair, and which systems are significantly better than which.

    Raises
    ------
    CallError
        Where a name is unknown, or a number outside its limits.
    TauscopeError
        Where cells are missing, or there are fewer than two systems or topics.

    See Also
    --------
    significance_agreement : whether two judges find the same differences.
    tiers : groups of systems that are not told apart.

    Examples
    --------
    >>> from tauscope import Scores
    >>> scores = Scores([[0.5, 0.3], [0.6, 0.2], [0.4, 0.3]])
    >>> round(significance_matrix(scores, "t", None)["1", "2"], 4)
    0.1181
    """
    checking.one_of(test, TESTS, "test")
    if correction is not None:
        checking.one_of(correction, (name for name in CORRECTIONS if name), "correction")
    alpha, draws = checking.share(alpha, "alpha"), checking.whole(draws, "draws", least=1)
    observed = observed_scores(scores, "significance_matrix()", clusters=True)
    seed, way = remembered(rng), _way(test, correction)
    check_places(executor, None)
    generator = stream(seed, Stream.TESTS)
    if way.shared and executor is not None:
        found = tukey(observed, draws, generator, progress, executor)
    else:
        found = way.p_values(observed, draws, generator, progress)
    vector = CORRECTIONS[correction].adjust(found)
    p = np.ones((observed.systems, observed.systems))
    first, second = observed.pairs
    p[first, second] = p[second, first] = vector
    better = np.zeros(p.shape, bool)
    better[first, second] = rejected(vector, alpha) & ~observed.tied
    return SignificanceMatrix(
        systems=tuple(scores.systems[i] for i in observed.order),
        p_values=p,
        better=better,
        means=scores.as_read(observed.means * observed.unit),
        test=test,
        correction=correction,
        alpha=alpha,
        topics=observed.topics,
        clustered=observed.clustered,
        draws=flips(draws, observed.topics) if way.flips else draws if way.draws else 0,
        seed=seed if way.draws else None,
        identical=int(observed.identical.sum()),
        unequal=_largest_to_median((observed.centred - observed.effects[:, None]).std(axis=1)),
    )


def _largest_to_median(deviations: Floats) -> float:
    median = float(np.median(deviations))
    return float(deviations.max()) / median if median > 0 else 1.0


def _way(test: str, correction: str | None) -> Way:
    return TESTS[test].together if CORRECTIONS[correction].together else TESTS[test].alone


def shown(value: float) -> str:
    """A p-value in text: never 0."""
    return "< 0.0001" if value < 0.0001 else number(value, 4)
