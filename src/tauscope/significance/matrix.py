"""`significance_matrix()`: which differences between systems are more than chance?"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from ..arrays import Bools, Floats
from ..errors import CallError, TauscopeError
from ..jobs.progress import Progress
from ..jobs.seeds import Rng, Stream, remembered, stream
from ..results import Result, count, number, word
from ..scores import Scores
from . import corrections, pair_tests
from .observed import Observed

TESTS = {
    "t": "paired t-test",
    "wilcoxon": "Wilcoxon's signed-rank test",
    "permutation": "paired randomisation test",
}
#: Correction -> (words, papers).
CORRECTIONS: dict[str | None, tuple[str, tuple[str, ...]]] = {
    "maxT": ("max-t over all pairs", ("westfall1993",)),
    "holm": ("Holm's correction", ("holm1979",)),
    "fdr": ("false discovery rate of Benjamini and Hochberg", ("benjamini1995",)),
    None: ("no correction for the number of pairs", ()),
}
#: Resamples, permutations or flips of signs.
DRAWS = 5000
#: More systems than this make a heatmap black; the best are shown.
MOST_SHOWN = 120


class Difference(NamedTuple):
    """Two systems, the one with the higher observed mean first."""

    better: str
    worse: str
    difference: float
    p: float
    significant: bool


@dataclass(frozen=True, eq=False, repr=False)
class SignificanceMatrix(Result):
    """p-values of all pairs of systems, two-sided and adjusted: `p_values[i, j]`, systems best first, 1 on the diagonal.

    `better[i, j]`: the mean of system i is significantly higher. `matrix["a", "b"]` looks a p-value up by name. `draws` is 0 and
    `seed` None where nothing was drawn; all flips of signs are made where there are fewer than asked for.
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

    def __getitem__(self, pair: tuple[str, str]) -> float:
        places = {name: place for place, name in enumerate(self.systems)}
        for name in pair:
            if name not in places:
                raise TauscopeError(f"There is no system {name!r} among the {len(self.systems):,}.")
        return float(self.p_values[places[pair[0]], places[pair[1]]])

    @property
    def all_pairs(self) -> int:
        return len(self.systems) * (len(self.systems) - 1) // 2

    @property
    def significant(self) -> int:
        """How many pairs differ."""
        return int(self.better.sum())

    @property
    def share(self) -> float:
        """Which share of all pairs that is."""
        return self.significant / self.all_pairs

    @cached_property
    def pairs(self) -> tuple[Difference, ...]:
        """Every pair, the smallest p first, then the largest difference."""
        first, second = np.triu_indices(len(self.systems), 1)
        gaps, p = self.means[first] - self.means[second], self.p_values[first, second]
        return tuple(
            Difference(self.systems[first[k]], self.systems[second[k]], float(gaps[k]), float(p[k]), bool(self.better[first[k], second[k]]))
            for k in np.lexsort((-gaps, p))
        )  # fmt: skip

    @property
    def how(self) -> str:
        """The test and the correction, for a line of a result."""
        if (self.test, self.correction) == ("permutation", "maxT"):
            text = "randomised Tukey HSD"
        else:
            text = f"{TESTS[self.test]}, {CORRECTIONS[self.correction][0]}"
        if self._exhausted:
            return f"{text}, all {self.draws + 1:,} flips of signs"
        return f"{text}, {self.draws:,} draws, seed {self.seed}" if self.draws else text

    @property
    def _exhausted(self) -> bool:
        """Whether all flips of signs there are were made."""
        return _by_flips(self.test, self.correction) and self.draws == 2 ** (self.topics - 1) - 1

    def notes(self) -> list[str]:
        """What a reader must know besides."""
        found = []
        if self.identical:
            found.append(f"{count(self.identical, 'pair')} of identical {word('systems')} have p = 1")
        least = (self.all_pairs if self.correction == "holm" else 1) / (self.draws + 1)
        if self.draws and least > self.alpha:
            found.append(
                f"{count(self.topics, 'topic')} are too few: nothing can be significant"
                if self._exhausted
                else f"{self.draws:,} draws give no p below {min(1.0, least):.2g}, so that nothing can be significant: more than "
                f"{int(least * (self.draws + 1) / self.alpha):,} are needed"
            )
        return found

    def lines(self) -> list[str]:
        first = (
            f"{self.significant:,} of {count(self.all_pairs, 'pair')} of {count(len(self.systems), 'system')} differ significantly "
            f"({self.share * 100:.1f} %), alpha {self.alpha:g}, over {count(self.topics, 'topic')}"
        )
        return [first, self.how, *(["; ".join(self.notes())] if self.notes() else [])]

    def methods_sentence(self) -> str:
        """The sentence a paper needs."""
        return (
            f"Of {count(self.all_pairs, 'pair')} of {count(len(self.systems), 'system')}, {self.significant:,} ({self.share * 100:.1f} %) "
            f"differ significantly at alpha = {self.alpha:g} over {count(self.topics, 'topic')}, two-sided ({self.how})."
        )

    def columns(self) -> dict[str, Any]:
        return {name: [getattr(pair, name) for pair in self.pairs] for name in Difference._fields}

    def to_dict(self) -> dict[str, Any]:
        from ..results import plain

        found = {"test": self.test, "correction": self.correction, "alpha": self.alpha, "systems": list(self.systems),
                 "topics": self.topics, "pairs": self.all_pairs, "significant": self.significant, "share": self.share,
                 "draws": self.draws, "seed": self.seed, "notes": self.notes(), "differences": [pair._asdict() for pair in self.pairs],
                 "methods_sentence": self.methods_sentence()}  # fmt: skip
        return {key: plain(value) for key, value in found.items()}

    def cited(self) -> tuple[str, ...]:
        if (self.test, self.correction) == ("permutation", "maxT"):
            return ("carterette2012",)
        own = ("wilcoxon1945",) if self.test == "wilcoxon" else ()
        return (*own, *CORRECTIONS[self.correction][1])

    def plot(self) -> Any:
        """A heatmap of 1 - p, systems best first: dark pairs differ. Of many systems, the best."""
        from ..figures import heatmap

        shown = min(len(self.systems), MOST_SHOWN)
        title = self.lines()[0] + (f"; the best {shown} shown" if shown < len(self.systems) else "")
        names = list(self.systems[:shown])
        return heatmap(
            1 - self.p_values[:shown, :shown], names, names, rows=word("system"), columns=word("system"), title=title
        )


def significance_matrix(
    scores: Scores,
    test: str = "permutation",
    correction: str | None = "maxT",
    *,
    alpha: float = 0.05,
    draws: int = DRAWS,
    rng: Rng = 0,
    progress: Progress | None = None,
) -> SignificanceMatrix:
    """Which differences between systems are more than the chance of the topics?

    test: "permutation", the scores of two systems on a topic could as well be exchanged; "t", paired t-test; "wilcoxon", signed
    ranks, differences of 0 dropped, mid-ranks for ties (exact up to 50 differences without ties, else normal). All two-sided.
    correction: "maxT", no false difference among all pairs but with probability alpha, by the largest statistic: with "permutation"
    the randomised Tukey HSD (carterette2012), with "t" and "wilcoxon" signs flipped topic by topic, with "t" step-down
    (westfall1993); "holm", the same promise from the p-values alone; "fdr", at most alpha of the differences found are false, on
    average; None, each pair taken alone, as in Figure 1 of gao2015. Do not use it to find the best system: `best_set()`.

    `draws` of resamples, permutations or flips; none where t or Wilcoxon is not combined with maxT. No p-value from draws is below
    1/(draws + 1), which Holm multiplies by the number of pairs.

    >>> scores = Scores([[0.5, 0.3], [0.6, 0.2], [0.4, 0.3]])
    >>> round(significance_matrix(scores, "t", None)["1", "2"], 4)
    0.1181
    """
    observed = _checked(scores, test, correction, alpha, draws)
    seed = remembered(rng)
    drawn = test == "permutation" or correction == "maxT"
    made = pair_tests.flips(draws, observed.topics) if _by_flips(test, correction) else draws if drawn else 0
    vector = _p_values(observed, test, correction, draws, seed, progress)
    p = np.ones((observed.systems, observed.systems))
    first, second = observed.pairs
    p[first, second] = p[second, first] = vector
    better = np.zeros(p.shape, bool)
    better[first, second] = (vector < alpha) & ~observed.tied
    return SignificanceMatrix(
        tuple(scores.systems[i] for i in observed.order), observed.means * observed.unit, p, better, test, correction, float(alpha),
        observed.topics, made, seed if drawn else None, int(observed.identical.sum()),
    )  # fmt: skip


def _by_flips(test: str, correction: str | None) -> bool:
    """Whether signs are flipped topic by topic: by all that draw but the randomised Tukey HSD."""
    return (test == "permutation") != (correction == "maxT")


def _checked(scores: Scores, test: str, correction: str | None, alpha: float, draws: int) -> Observed:
    if not isinstance(scores, Scores):
        raise CallError(f"significance_matrix() takes Scores, topics x systems, not {type(scores).__name__}.")
    if not isinstance(test, str) or test not in TESTS:
        raise CallError(f"test={test!r} is unknown; use {', '.join(map(repr, TESTS))}.")
    if not isinstance(correction, str | None) or correction not in CORRECTIONS:
        raise CallError(f"correction={correction!r} is unknown; use {', '.join(map(repr, CORRECTIONS))}.")
    if isinstance(alpha, bool) or not isinstance(alpha, (int, float, np.number)) or not 0 < alpha < 1:
        raise CallError(f"alpha={alpha!r} must be between 0 and 1, such as 0.05.")
    if isinstance(draws, bool) or not isinstance(draws, (int, np.integer)) or draws < 1:
        raise CallError(f"draws={draws!r}: draw at least once.")
    scores.require_complete("significance_matrix()")
    observed = Observed.of(scores.values)
    if observed.systems < 2 or observed.topics < 2:
        raise TauscopeError(
            f"significance_matrix() needs at least two {word('systems')} and two {word('topics')}; there are "
            f"{observed.systems} and {observed.topics}."
        )
    return observed


def _p_values(
    observed: Observed, test: str, correction: str | None, draws: int, seed: int, progress: Progress | None
) -> Floats:
    """Of each pair, adjusted."""
    generator = stream(seed, Stream.TESTS)
    if correction == "maxT":
        if test == "permutation":
            return corrections.tukey(observed, draws, generator, progress)
        if test == "t":
            return corrections.max_t(observed, draws, generator, progress)
        return corrections.max_rank(observed, draws, generator, progress)
    if test == "t":
        p = pair_tests.student_p(observed)
    elif test == "wilcoxon":
        p = pair_tests.wilcoxon_p(observed, progress)
    else:
        p = pair_tests.permutation_p(observed, draws, generator, progress)
    if correction is None:
        return p
    return corrections.holm(p) if correction == "holm" else corrections.false_discovery(p)


def shown(value: float) -> str:
    """A p-value in text: never 0."""
    return "< 0.0001" if value < 0.0001 else number(value, 4)
