"""Which of several judges, or measures, ranks systems more like the truth?"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from .. import checking
from ..arrays import Bools, Floats
from ..coefficients.correlation import evaluate
from ..coefficients.records import Coefficient, catalogue
from ..errors import CallError, TauscopeError
from ..expected.intervals import Interval
from ..expected.ranks import group_letters, in_order
from ..jobs.progress import Progress
from ..jobs.seeds import Rng, Stream, remembered, stream
from ..ranking import align
from ..results import Result, count, number, word
from ..scores import Scores
from ..scores.alignment import aligned_scores
from .attenuation import VALUE_DRAWS, Correction, Error, Samples, jackknife, limits
from .compare import FEWEST_TOPICS
from .noise_free_means import coefficient_of
from .shared_topics import join

#: Draws behind a critical value of several differences.
CRITICAL_DRAWS = 20_000


@dataclass(frozen=True, eq=False)
class Judges:
    """Several judges against one truth, jointly: values `observed` and `corrected`, `left` groups x judges without each group of
    topics, `every` with all of them, `resampled` draws x judges of the observed values on resampled topics."""

    names: tuple[str, ...]
    observed: Floats
    corrected: Floats
    every: Floats
    left: Floats
    sizes: Floats
    resampled: Floats
    systems: int
    topics: tuple[int, ...]
    shared: int
    notes: tuple[str, ...]

    def error(self, a: int, b: int | None = None) -> Error:
        """Of one judge's corrected value, or of the difference of two."""
        if b is None:
            return jackknife(float(self.every[a]), self.left[:, a], self.sizes)
        return jackknife(float(self.every[a] - self.every[b]), self.left[:, a] - self.left[:, b], self.sizes)

    @property
    def how(self) -> str:
        """Which topics were resampled together."""
        topics = word("topics")
        if self.shared == max(self.topics):
            return f"{topics} shared by all"
        return (
            f"{count(self.shared, 'topic')} shared by all, the others as labelled"
            if self.shared
            else f"{topics} not shared by all"
        )


def _measure(
    judges: Mapping[str, Scores], truth: Any, c: Coefficient, what: str, one_sided: str, paired: bool | None, seed: int,
    progress: Progress | None,
) -> Judges:  # fmt: skip
    if truth is None:
        raise CallError(f"{what} wants to know which scores are the truth: truth=…")
    if "truth" in judges:
        raise CallError("A judge is called 'truth', as the truth is. Give it another name.")
    matrices, notes = aligned_scores({**judges, "truth": truth}, what, one_sided)
    *estimates, gold = matrices
    if len(gold.systems) < 2 or min(len(scores.topics) for scores in matrices) < FEWEST_TOPICS:
        raise TauscopeError(
            f"{what} needs at least two {word('systems')} and {FEWEST_TOPICS} {word('topics')}; there are {len(gold.systems)} and "
            f"{min(len(scores.topics) for scores in matrices)}."
        )
    generator = stream(seed, Stream.JUDGES)
    joint = join(matrices, generator, paired=paired)
    samples = Samples(joint, generator)
    observed, corrected, every, left, resampled = [], [], [], [], []
    whole = samples.whole
    drawn = whole.means[:, None] + whole.deviations
    for i, (name, scores) in enumerate(zip(judges, estimates, strict=True)):
        found = evaluate(c, align(scores.ranking(), gold.ranking()), names=(name, "truth"))
        if found.undefined_because is not None:
            notes += (f"{c} of {name} is undefined in the observed means: {found.undefined_because}",)
        observed.append(found.value)
        correction = Correction(samples, c, (i, len(judges)))
        corrected.append(correction.value.value)
        own = correction.topics()
        every.append(own[0])
        left.append(own[1])
        resampled.append(coefficient_of(c, joint, drawn[i], drawn[-1], whole.twin, (i, len(judges))))
        if progress is not None:
            progress(i + 1, len(judges))
    return Judges(tuple(judges), np.array(observed), np.array(corrected), np.array(every), np.array(left).T, samples.sizes,
                  np.array(resampled).T, joint.systems, joint.topics, joint.shared, notes)  # fmt: skip


@dataclass(frozen=True, eq=False, repr=False)
class JudgeDifference(Result):
    """Two judges against one truth: how much closer the first one is, `observed` and `corrected` for the noise of the topics.

    `interval` is of the corrected difference, `values` are (observed, corrected) of each judge. `share` of the resamples of topics have
    the first judge closer (equal ones count half), and in 95 % of them (`level`) the observed difference lies in `resampled`: what
    another sample of as many topics would show, not where the true difference is.
    """

    coefficient: Coefficient
    names: tuple[str, str]
    observed: float
    corrected: float
    error: float
    groups: int
    level: float
    values: tuple[tuple[float, float], tuple[float, float]]
    share: float
    resampled: Interval
    seed: int
    systems: int
    topics: tuple[int, ...]
    undefined_because: str | None = None
    notes: tuple[str, ...] = ()
    _judges: Judges = field(default=None, repr=False)  # type: ignore[assignment]

    def __float__(self) -> float:
        return self.corrected

    @property
    def interval(self) -> Interval:
        """Of the true difference, with confidence `level`; contains the observed one."""
        error = Error(self.error, self.groups)
        return limits(self.coefficient, self.corrected, self.observed, error, self.level, difference=True)

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
        return [
            f"{verdict}: {self.coefficient} {number(self.observed)} observed, {number(self.corrected)} [{number(low)}, {number(high)}] "
            f"without the noise of {word('topics')}",
            f"{told}; {a} closer in {self.share * 100:.1f} % of {VALUE_DRAWS:,} resamples",
            "; ".join([f"{count(self.systems, 'system')} x {count(max(self.topics), 'topic')}, {self._judges.how}; jackknife over "
                       f"{count(self.groups, 'group')} of {word('topics')}, {self.level * 100:g} %, seed {self.seed}", *self.notes]),
        ]  # fmt: skip

    def methods_sentence(self) -> str:
        """The sentence a paper needs."""
        if self.undefined_because is not None:
            return f"{self.lines()[0]}: {self.undefined_because}."
        (a, b), (low, high) = self.names, self.interval
        return (
            f"{self.coefficient.title} with the truth of {a} exceeds that of {b} by {number(self.observed)} observed and by "
            f"{number(self.corrected)} corrected for the noise of {word('topics')} ({self.level * 100:g} % interval {number(low)} to "
            f"{number(high)}; {count(self.systems, 'system')}, {count(max(self.topics), 'topic')}, {self._judges.how}, jackknife over "
            f"{count(self.groups, 'group')}, seed {self.seed})."
        )

    def columns(self) -> dict[str, Any]:
        return {
            "judge": list(self.names),
            "observed": [v[0] for v in self.values],
            "corrected": [v[1] for v in self.values],
        }

    def to_dict(self) -> dict[str, Any]:
        from ..results import plain

        low, high = self.interval
        found = {"coefficient": self.coefficient.name, "judges": self.columns(), "observed": self.observed, "corrected": self.corrected,
                 "low": low, "high": high, "level": self.level, "error": self.error, "better": self.better, "share": self.share,
                 "resampled": self.resampled, "seed": self.seed, "systems": self.systems, "topics": self.topics,
                 "undefined_because": self.undefined_because, "notes": self.notes, "methods_sentence": self.methods_sentence()}  # fmt: skip
        return {key: plain(value) for key, value in found.items()}

    def cited(self) -> tuple[str, ...]:
        return (self.coefficient.paper, "busing1999")

    def plot(self) -> Any:
        """How the observed difference is spread over resamples of the topics."""
        from ..figures import histogram

        drawn = self._judges.resampled[:, 0] - self._judges.resampled[:, 1]
        return histogram(
            drawn[~np.isnan(drawn)],
            x=f"{self.coefficient.symbol} of {self.names[0]} minus {self.names[1]}",
            title=self.lines()[0],
        )


def better_judge(
    a: Scores,
    b: Scores,
    *,
    truth: Scores | None = None,
    coefficient: str | Coefficient = "tau_b",
    level: float = 0.95,
    names: tuple[str, str] | None = None,
    one_sided: str = "error",
    paired: bool | None = None,
    rng: Rng = 0,
) -> JudgeDifference:
    """Which of two judges, or measures, ranks systems more like the truth?

    The difference of the two coefficients, each corrected for the noise of the topics as by `compare()`, with a jackknife standard error
    of the difference itself: both judges lose the same topics. Quantiles of the difference over resampled topics are given beside it
    (`.resampled`), but do not hold the true difference: noise takes more from a good judge than from a bad one, and resampling takes it
    twice. Do not use it where one of the judges was tuned on these topics. Arguments as in `compare()`. names: by default A and B.

    >>> human = Scores([[0.9, 0.5, 0.1], [0.8, 0.6, 0.3], [0.7, 0.6, 0.2], [0.9, 0.4, 0.3]])
    >>> machine = Scores([[0.8, 0.6, 0.3], [0.9, 0.6, 0.2], [0.6, 0.7, 0.2], [0.9, 0.5, 0.4]])
    >>> better_judge(human, machine, truth=human, rng=1).observed
    0.0
    """
    checking.level(level)
    names = ("A", "B") if names is None else names
    if isinstance(names, str) or not isinstance(names, Sequence) or len(names) != 2 or names[0] == names[1]:
        raise CallError(f"names={names!r}: give two names that differ.")
    c = catalogue[coefficient]
    seed = remembered(rng)
    judges = _measure(dict(zip(names, (a, b), strict=True)), truth, c, "better_judge()", one_sided, paired, seed, None)
    error = judges.error(0, 1)
    drawn = judges.resampled[:, 0] - judges.resampled[:, 1]
    drawn = drawn[~np.isnan(drawn)]
    share = float(((drawn > 0) + 0.5 * (drawn == 0)).mean()) if len(drawn) else math.nan
    limits = np.quantile(drawn, [(1 - level) / 2, (1 + level) / 2]) if len(drawn) else (math.nan, math.nan)
    corrected = float(judges.corrected[0] - judges.corrected[1])
    reason = (
        None
        if not math.isnan(corrected + error.deviation)
        else f"{c} has no value without the noise of {word('topics')}"
    )
    values = tuple((float(x), float(y)) for x, y in zip(judges.observed, judges.corrected, strict=True))
    return JudgeDifference(
        c, (names[0], names[1]), float(judges.observed[0] - judges.observed[1]), corrected, error.deviation, error.groups, level,
        (values[0], values[1]), share, Interval(float(limits[0]), float(limits[1])), seed, judges.systems, judges.topics, reason,
        judges.notes, judges,
    )  # fmt: skip


@dataclass(frozen=True, eq=False, repr=False)
class JudgeRanking(Result):
    """Judges, the closest to the truth first: `observed` and `corrected` values, `low` and `high` of each taken alone.

    `apart[i, j]`: judge i is closer than judge j, all such statements right at once with confidence `level`; `letters` are
    those of groups that overlap: judges that share one are not told apart. `critical` is how many standard errors it takes.
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
    groups: int
    seed: int
    systems: int
    topics: tuple[int, ...]
    notes: tuple[str, ...] = ()
    _judges: Judges = field(default=None, repr=False)  # type: ignore[assignment]

    def told_apart(self, a: str, b: str) -> bool:
        """Whether the data tell which of two judges is closer to the truth."""
        for name in (a, b):
            if name not in self.names:
                raise TauscopeError(f"There is no judge {name!r}; there are {', '.join(self.names)}.")
        i, j = self.names.index(a), self.names.index(b)
        return bool(self.apart[i, j] or self.apart[j, i])

    def differences(self) -> dict[str, Any]:
        """Every pair, the closer judge first: corrected difference, simultaneous limits, whether they are told apart."""
        rows = []
        for i, j in zip(*np.triu_indices(len(self.names), 1), strict=True):
            a, b = (self._judges.names.index(self.names[k]) for k in (i, j))
            wide = self.critical * self._judges.error(a, b).deviation
            gap = float(self.corrected[i] - self.corrected[j])
            rows.append((self.names[i], self.names[j], gap, gap - wide, gap + wide, bool(self.apart[i, j])))
        return dict(
            zip(
                ("closer", "other", "difference", "low", "high", "told_apart"),
                map(list, zip(*rows, strict=True)),
                strict=True,
            )
        )

    def lines(self) -> list[str]:
        shown = "; ".join(
            f"{name} {number(value)} ({self.letters[name]})"
            for name, value in zip(self.names[:8], self.corrected, strict=False)
        )
        pairs = len(self.names) * (len(self.names) - 1) // 2
        return [
            f"{self.coefficient} with the truth, without the noise of {word('topics')}: {shown}{'; …' if len(self.names) > 8 else ''}",
            f"{int(self.apart.sum()):,} of {count(pairs, 'pair')} of judges told apart; judges that share a letter are not",
            "; ".join([f"{count(self.systems, 'system')} x {count(max(self.topics), 'topic')}, {self._judges.how}; max-t over all pairs, "
                       f"jackknife over {count(self.groups, 'group')} of {word('topics')}, {self.level * 100:g} %, seed {self.seed}", *self.notes]),
        ]  # fmt: skip

    def columns(self) -> dict[str, Any]:
        return {"judge": list(self.names), "observed": self.observed, "corrected": self.corrected, "low": self.low, "high": self.high,
                "letters": [self.letters[name] for name in self.names]}  # fmt: skip

    def to_dict(self) -> dict[str, Any]:
        from ..results import plain

        def rows(columns: dict[str, Any]) -> list[Any]:
            return [plain(dict(zip(columns, row, strict=True))) for row in zip(*columns.values(), strict=True)]

        found = {"coefficient": self.coefficient.name, "judges": rows(self.columns()), "pairs": rows(self.differences()),
                 "critical": self.critical, "level": self.level, "seed": self.seed, "systems": self.systems, "topics": self.topics,
                 "notes": self.notes}  # fmt: skip
        return {key: plain(value) for key, value in found.items()}

    def cited(self) -> tuple[str, ...]:
        return (self.coefficient.paper, "busing1999")

    def plot(self) -> Any:
        """One bar a judge, from the lower to the upper limit of its own interval."""
        from ..figures import spans

        return spans(
            self.names,
            self.low,
            self.high,
            self.corrected,
            x=f"{self.coefficient.symbol} with the truth",
            title=self.lines()[0],
        )


def rank_judges(
    judges: Mapping[str, Scores],
    *,
    truth: Scores | None = None,
    coefficient: str | Coefficient = "tau_b",
    level: float = 0.95,
    one_sided: str = "error",
    paired: bool | None = None,
    rng: Rng = 0,
    progress: Progress | None = None,
) -> JudgeRanking:
    """Which of several judges rank systems most like the truth, and which are not told apart?

    Every pair as in `better_judge()`, with one critical value for all of them: the quantile of the largest |difference|/error of
    correlated Student variables with the covariance that the jackknife found. So all statements "a is closer than b" are right at once
    with confidence `level`, however many judges there are. Arguments as in `compare()`.
    """
    if not isinstance(judges, Mapping) or len(judges) < 2:
        raise CallError("rank_judges() takes two or more judges by name: rank_judges({'gpt': …, 'crowd': …}, truth=…).")
    checking.level(level)
    c = catalogue[coefficient]
    seed = remembered(rng)
    found = _measure(
        {str(name): scores for name, scores in judges.items()},
        truth,
        c,
        "rank_judges()",
        one_sided,
        paired,
        seed,
        progress,
    )
    hopeless = [name for name, value in zip(found.names, found.corrected, strict=True) if math.isnan(value)]
    if hopeless:
        raise TauscopeError(
            f"{c} has no value for {', '.join(hopeless)}: systems are tied. Use {' or '.join(c.instead) or 'tau_b'}."
        )
    order = np.argsort(-found.corrected, kind="stable")
    errors = [found.error(int(i)) for i in order]
    groups = errors[0].groups
    critical = _critical(found, level, seed)
    apart = np.zeros((len(order), len(order)), bool)
    for i, j in zip(*np.triu_indices(len(order), 1), strict=True):
        a, b = int(order[i]), int(order[j])
        apart[i, j] = found.corrected[a] - found.corrected[b] > critical * found.error(a, b).deviation
    names = [found.names[i] for i in order]
    both = [
        limits(c, float(found.corrected[i]), float(found.observed[i]), error, level)
        for i, error in zip(order, errors, strict=True)
    ]
    low, high = np.array(both).T
    return JudgeRanking(c, tuple(names), found.observed[order], found.corrected[order], low, high, apart,
                        group_letters(in_order(apart), names), critical, level, groups, seed, found.systems, found.topics,
                        found.notes, found)  # fmt: skip


def _critical(found: Judges, level: float, seed: int) -> float:
    """The quantile of the largest |difference|/error over all pairs of judges."""
    from scipy.special import stdtrit

    defined = ~np.isnan(found.left).any(axis=1)
    h = found.sizes.sum() / found.sizes[defined]
    pseudo = h[:, None] * found.every - (h[:, None] - 1) * found.left[defined]
    scaled = (pseudo - np.average(pseudo, axis=0, weights=1 / h)) / np.sqrt((h[:, None] - 1) * len(h))
    freedom = len(h) - 1
    if len(found.names) == 2:
        return float(stdtrit(freedom, (1 + level) / 2))
    generator = stream(seed, Stream.TESTS)
    drawn = generator.standard_normal((CRITICAL_DRAWS, len(h))) @ scaled  # rows have the jackknife's covariance
    drawn /= np.sqrt(generator.chisquare(freedom, CRITICAL_DRAWS) / freedom)[:, None]
    largest = np.zeros(CRITICAL_DRAWS)
    for i, j in zip(*np.triu_indices(len(found.names), 1), strict=True):
        error = math.sqrt(float(((scaled[:, i] - scaled[:, j]) ** 2).sum()))
        if error > 0:
            np.maximum(largest, np.abs(drawn[:, i] - drawn[:, j]) / error, out=largest)
    return float(np.quantile(largest, level))
