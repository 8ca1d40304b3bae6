"""Do ranks, best sets, rules, E[tau] and claims hold on boards that are hard?

    python benchmarks/hard_boards.py {ranks,rules,correlation,claims,skewness} [--data DIR] [--trials 500] [--only TEXT]
    [--without TEXT] [--first SEED] [--workers 2 or ADDRESS] [--record FILE] [--json FILE]

Each board is a population of 5,000 topics with known means, from which topics are drawn with replacement. The noise of
some systems is larger than that of others (0.6 to 1.4 times).

- saturated 0/1: 20 systems that answer 93.0 to 99.5 % of the items correctly; items differ in difficulty.
- zero-inflated: lognormal scores of 20 systems, 30 to 50 % of which are 0.
- ratings: whole numbers from 1 to 5; 20 systems.
- bimodal: most scores are close to 0 or to 1; 20 systems.
- 3 systems, 300 systems: scores between 0 and 1, as average precision has them.
- 5, 7 and 10 topics: 20 systems with such scores.
- clusters: 12 clusters of five topics; each cluster shifts each system by an effect of its own, with an intraclass
  correlation of .4. The clusters are declared, or they are not.
- holes: 20 systems on 50 topics. "at random": a fifth of the cells are missing. "weak on hard": the weaker half lacks
  half of the harder half of the topics. "own failures": the weaker half lacks half of the scores that are below the
  median of that system. Two systems are compared on the topics that both have.
- near copies: 100 systems, and four copies of the best one with little noise (standard deviation .002).

True means are normal quantiles ("spread"), the same with .3 of the spread ("close"), or all the same ("equal"). Equal
means keep their different distributions: systems are shifted, or scaled, or single ratings are moved.

Questions, one table each. All intervals are at 95 %.

- ranks: the share of boards on which all simultaneous rank intervals hold; of systems whose marginal interval holds,
  by draws and by tests, and the same of the truly best system; of boards whose best set holds the truly best system;
  the mean width of simultaneous and marginal intervals, and the mean size of the best set.
- rules: the share of boards on which all rank intervals of `rank()` hold, by the rule; the JSON has their mean
  widths. The truth is the score of the population under the rule. A missing task gives no points under Borda's rule, in
  the population too; under the other rules the population has no holes. "equal": systems are shifted until they have
  the same score under the rule in question, or, where scores take few values and for Copeland's rule, exchanged at
  random on each topic. Without holes, mean ranks and win rates are Borda's points on another scale.
- correlation: the share of intervals of `expected_correlation()` that hold tau with the true ranking, the share of
  one-sided lower limits that hold, the mean error of E[tau], the mean width of the interval, and the mean of the actual
  tau. A pair tied in the sample counts half.
- claims: boards of equal systems with a false difference, by max-t as tiers and simultaneous ranks have it, and by the
  randomised Tukey HSD, and the share of the systems that the best set lacks.

- skewness: eight and twenty equal systems whose scores are skewed, on 20 and 50 topics: zero-inflated lognormal scores,
  scores like RR, ERR and nDCG, rare 0/1 scores, lognormal scores of unequal spread, steady systems beside some that
  have few high scores, and, with --data, systems of TREC tracks shifted to equal means (ad hoc
  6 to 8, web 2010). The share of boards with a false difference beside the mean absolute skewness of the differences of
  two systems, in the sample and in the population.

"Warned" is the share of boards on which the result carries a warning about its scores, such as undeclared clusters.
"""

from __future__ import annotations

import argparse
import json
import time
import zlib
from collections.abc import Callable
from concurrent.futures import Executor
from dataclasses import dataclass
from functools import lru_cache, partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from scipy.special import expit, ndtri
from scipy.stats import rankdata
from trials import Cell, Rows, add_trial_options, count_trials

from tauscope import Scores, expected_correlation, rank, significance
from tauscope.boards.ranks import Ranks
from tauscope.boards.rules import Rule
from tauscope.coefficients.records import catalogue
from tauscope.core import kernels
from tauscope.data.findings import cautions

#: Topics of a population.
MANY = 5000
#: Topics of a cluster.
TOGETHER = 5
Rng = np.random.Generator


def levels(systems: int, spread: float) -> np.ndarray:
    """Strengths at the quantiles of a normal distribution, best first."""
    return -spread * ndtri((np.arange(systems) + 0.5) / systems)


def noise(rng: Rng, systems: int, shared: float) -> np.ndarray:
    """Normal noise, of which this share is common to the systems; the rest varies more for some than for others."""
    own = rng.normal(size=(MANY, systems)) * rng.permutation(np.linspace(0.6, 1.4, systems))
    return np.sqrt(shared) * rng.normal(size=(MANY, 1)) + np.sqrt(1 - shared) * own


def precision(systems: int, rng: Rng, spread: float) -> np.ndarray:
    """Scores between 0 and 1 as average precision has them."""
    return expit(-1 + levels(systems, 0.5 * spread) + 1.3 * noise(rng, systems, 0.6))


def saturated(rng: Rng, spread: float) -> np.ndarray:
    right = np.linspace(0.97 + 0.025 * spread, 0.97 - 0.04 * spread, 20)
    place = rankdata(-noise(rng, 20, 0.5), "ordinal", axis=0)
    return (place <= np.round(right * MANY)).astype(float)


def zero_inflated(rng: Rng, spread: float, systems: int = 20) -> np.ndarray:
    empty = rankdata(noise(rng, systems, 0.5), axis=0) <= rng.permutation(np.linspace(0.3, 0.5, systems)) * MANY
    values = np.where(empty, 0.0, np.exp(noise(rng, systems, 0.5)))
    return values * np.exp(levels(systems, 0.4 * spread)) / values.mean(axis=0)


def ratings(rng: Rng, spread: float) -> np.ndarray:
    values = np.clip(np.round(3.6 + levels(20, 0.3 * spread) + 1.1 * noise(rng, 20, 0.5)), 1, 5)
    if not spread:  # single ratings are moved until all sums are the same
        for own, excess in zip(values.T, values.sum(axis=0) - np.round(values.sum(axis=0).mean()), strict=True):
            step = np.sign(excess)
            movable = np.flatnonzero((own > 1) if step > 0 else (own < 5))
            own[rng.choice(movable, int(abs(excess)), replace=False)] -= step
    return values


def copies(rng: Rng, spread: float) -> np.ndarray:
    values = precision(100, rng, spread)
    return np.hstack([values, values[:, :1] + 0.002 * rng.normal(size=(MANY, 4))])


def bimodal(rng: Rng, spread: float) -> np.ndarray:
    return expit(4 * (0.3 + levels(20, 0.35 * spread) + noise(rng, 20, 0.5)))


def clusters(rng: Rng, spread: float) -> np.ndarray:
    together = np.sqrt(0.4) * np.repeat(rng.normal(size=(MANY // TOGETHER, 20)), TOGETHER, axis=0)
    values = 50 + levels(20, 0.3 * spread) + rng.normal(size=(MANY, 1)) + together
    return values + np.sqrt(0.6) * rng.normal(size=(MANY, 20))


def hidden(kind: str, values: np.ndarray, rng: Rng) -> np.ndarray:
    """Which cells of a population are missing; the weaker half of the systems is on the right."""
    weak = np.arange(values.shape[1]) >= values.shape[1] // 2
    half = rng.random(values.shape) < 0.5
    if kind == "at random":
        return rng.random(values.shape) < 0.2
    if kind == "weak on hard":
        ease = values.mean(axis=1, keepdims=True)
        return weak & half & (ease < np.median(ease))
    return weak & half & (values < np.median(values, axis=0))


@dataclass(frozen=True, kw_only=True)
class Board:
    """How a population is made, how many topics are drawn, and which cells are missing.

    `declared` is None where there are no clusters; `atoms` says that scores take few values, so that systems cannot be
    made equal by a shift.
    """

    make: Callable[[Rng, float], np.ndarray]
    topics: int
    declared: bool | None = None
    holes: str = ""
    atoms: bool = False


BOARDS = {
    "saturated 0/1, 50 items": Board(make=saturated, topics=50, atoms=True),
    "saturated 0/1, 200 items": Board(make=saturated, topics=200, atoms=True),
    "zero-inflated lognormal, 20 topics": Board(make=zero_inflated, topics=20, atoms=True),
    "zero-inflated lognormal, 50 topics": Board(make=zero_inflated, topics=50, atoms=True),
    "ratings 1 to 5, 50 topics": Board(make=ratings, topics=50, atoms=True),
    "bimodal, 50 topics": Board(make=bimodal, topics=50),
    "3 systems, 50 topics": Board(make=partial(precision, 3), topics=50),
    "5 topics": Board(make=partial(precision, 20), topics=5),
    "7 topics": Board(make=partial(precision, 20), topics=7),
    "10 topics": Board(make=partial(precision, 20), topics=10),
    "12 clusters of 5, declared": Board(make=clusters, topics=60, declared=True),
    "12 clusters of 5, undeclared": Board(make=clusters, topics=60, declared=False),
    "holes at random": Board(make=partial(precision, 20), topics=50, holes="at random"),
    "holes, weak on hard": Board(make=partial(precision, 20), topics=50, holes="weak on hard"),
    "holes, own failures": Board(make=partial(precision, 20), topics=50, holes="own failures"),
    "near copies, 100 + 4": Board(make=copies, topics=50),
    "300 systems, 50 topics": Board(make=partial(precision, 300), topics=50),
}
#: How far the true means of a board are apart, as a share of what the makers have.
SPREADS = {"spread": 1.0, "close": 0.3, "equal": 0.0}


def equal_under(rule: Rule, values: np.ndarray) -> np.ndarray:
    """The population with each system shifted until all have the same score under a rule.

    Scores of other rules than means, medians and interquartile means move with the other systems, so small steps are
    repeated. What is left is below a hundredth of the standard deviation of a topic.
    """
    if rule.positive:
        scores = np.log(values).mean(axis=0)
        return values * np.exp(scores.mean() - scores)
    step, last = values.std(axis=0).mean(), np.inf
    for _ in range(300):
        own = rule.scores(values)
        unit = rule.by_task(values).std(axis=0).mean() if rule.others_matter else values.std(axis=0).mean()
        excess = (own - own.mean()) / unit
        largest = np.abs(excess).max()
        if largest < 0.002:
            break
        if largest > 0.9 * last:
            step /= 2
        last = largest
        values = values - step * excess
    assert largest < 0.01, (rule.name, largest)
    return values


@lru_cache(maxsize=12)
def population(board: str, kind: str, rule: str = "mean") -> tuple[np.ndarray, np.ndarray]:
    """All scores, topics x systems, and those without the cells that are missing."""
    chosen = BOARDS[board]
    rng = np.random.default_rng((24, zlib.crc32(board.encode())))
    values = chosen.make(rng, SPREADS[kind])
    if kind == "equal" and not chosen.atoms and rule != "copeland":
        values = equal_under(catalogue.rules[rule], values)
    return values, np.where(hidden(chosen.holes, values, rng), np.nan, values) if chosen.holes else values


@lru_cache(maxsize=4)
def rule_truth(board: str) -> dict[str, np.ndarray]:
    """The scores of the systems in the population, by the rule."""
    complete, seen = population(board, "spread")
    return {
        name: catalogue.rules[name].scores(seen if name == "borda" else complete)
        for name in rules_of(board)
        if not (catalogue.rules[name].positive and complete.min() <= 0)
    }


def rules_of(board: str) -> list[str]:
    """Without holes, mean ranks and win rates are Borda's points on another scale; two rules refuse clusters."""
    chosen = BOARDS[board]
    return [
        name
        for name in RULES
        if (chosen.holes or name not in ("mean-rank", "win-rate"))
        and not (chosen.declared and catalogue.rules[name].limits)
    ]


def sample(board: str, rng: Rng, kind: str, rule: str = "mean") -> Scores:
    """A board of topics, or of whole clusters, drawn with replacement.

    Where systems cannot be made equal under a rule by shifts, they are exchanged at random on each topic.
    """
    chosen, (_, seen) = BOARDS[board], population(board, kind, rule)
    if chosen.declared is None:
        drawn = rng.integers(MANY, size=chosen.topics)
    else:
        first = TOGETHER * rng.integers(MANY // TOGETHER, size=chosen.topics // TOGETHER)
        drawn = (first[:, None] + np.arange(TOGETHER)).ravel()
    values = seen[drawn]
    if kind == "equal" and rule != "mean" and (chosen.atoms or rule == "copeland"):
        values = rng.permuted(values, axis=1)
    of = [f"c{i // TOGETHER}" for i in range(len(drawn))] if chosen.declared else None
    return Scores(values, missing="keep" if chosen.holes else "error", clusters=of)


def spans(found: Any, truth: np.ndarray) -> np.ndarray:
    """Whether each interval, in the order of the result, has all ranks that the system shares with its equals."""
    at = np.array([int(name) - 1 for name in found.systems])
    best, worst = rankdata(-truth, "min")[at], rankdata(-truth, "max")[at]
    return (np.asarray(found.low) <= best) & (worst <= np.asarray(found.high))


def width(found: Any) -> float:
    return float((np.asarray(found.high) - np.asarray(found.low) + 1).mean())


class Alone(NamedTuple):
    """Rank intervals of the systems of a board, each as if it had been chosen in advance."""

    systems: tuple[str, ...]
    low: np.ndarray
    high: np.ndarray


def one_by_one(found: Ranks) -> Alone:
    own = [found.one(name) for name in found.systems]
    return Alone(found.systems, np.array([one.low for one in own]), np.array([one.high for one in own]))


def ranks(board: str, kind: str, rng: Rng, seed: int) -> list[float]:
    truth = population(board, kind)[0].mean(axis=0)
    scores = sample(board, rng, kind)
    every = rank(scores, rng=seed)
    alone = one_by_one(every)
    first = str(int(np.argmax(truth)) + 1)
    best = every.best_set()
    held = spans(alone, truth)
    return [
        float(spans(every, truth).all()),
        float(held.mean()),
        float(held[every.systems.index(first)]),
        float(first in best),
        width(every),
        width(alone),
        float(len(best)),
        float(bool(every.cautions)),
    ]


def rules(board: str, kind: str, rng: Rng, seed: int) -> list[float]:
    truth: dict[str, np.ndarray] = rule_truth(board)
    if kind == "equal":
        truth = {name: np.zeros(len(own)) for name, own in truth.items() if name != "borda" or not BOARDS[board].holes}
        state = rng.bit_generator.state
        found = {}
        for name in truth:
            rng.bit_generator.state = state  # the same topics for all rules
            found |= under(sample(board, rng, kind, name), [name], seed)
    else:
        found = under(sample(board, rng, kind), list(truth), seed)
    held = [float(spans(found[name], truth[name]).all()) if name in found else np.nan for name in RULES]
    return held + [width(found[name]) if name in found else np.nan for name in RULES]


def under(scores: Scores, names: list[str], seed: int) -> dict[str, Ranks]:
    """Ranks under each of these rules."""
    found = rank(scores, names[0], rng=seed).under_rules(names)
    return {name: found[name] for name in found.rules}


def correlation(board: str, kind: str, rng: Rng, seed: int) -> list[float]:
    truth = population(board, kind)[0].mean(axis=0)
    scores = sample(board, rng, kind)
    if scores.clusters is not None:
        scores = scores.by_cluster()
    missing = "adjusted" if BOARDS[board].holes else "error"
    found = expected_correlation(scores, missing=missing, interval=False, rng=seed)
    observed = found._observed
    means = np.ascontiguousarray(truth[observed.order])[None]
    actual = float(kernels.batch(catalogue["tau_a"], observed.means[None], means)[0][0])
    low, high = found.interval
    return [
        float(low - 1e-9 <= actual <= high + 1e-9),
        float(found.at_least() - 1e-9 <= actual),
        found.value - actual,
        high - low,
        actual,
        float(bool(found.cautions)),
    ]


def claims(board: str, kind: str, rng: Rng, seed: int) -> list[float]:
    scores = sample(board, rng, kind)
    holes = bool(BOARDS[board].holes)
    every = rank(scores, rng=seed)
    rows = scores if scores.clusters is None else scores.by_cluster()
    tukey = None if holes else significance(rows, test="permutation", draws=999, rng=seed)
    return [
        float(every.low.max() > 1 or every.high.min() < len(every.systems)),
        np.nan if tukey is None else float(bool(tukey.better.any())),
        1 - len(every.best_set()) / len(every.systems),
        float(bool(every.cautions)),
        np.nan if tukey is None else float(bool(tukey.answer().warnings)),
    ]


def tukey(board: str, kind: str, rng: Rng, seed: int) -> list[float]:
    """The figure "Tukey HSD" of `claims` alone, which takes a tenth of the time."""
    scores = sample(board, rng, kind)
    rows = scores if scores.clusters is None else scores.by_cluster()
    return [float(bool(significance(rows, test="permutation", draws=999, rng=seed).better.any()))]


def warned(board: str, kind: str, rng: Rng, seed: int) -> list[float]:
    """The figure "warned" alone; `correlation` has one row per declared cluster instead."""
    return [float(bool(cautions(sample(board, rng, kind))))]


def equal_means(values: np.ndarray) -> np.ndarray:
    return values - values.mean(axis=0) + values.mean()


def reciprocal(rng: Rng, systems: int) -> np.ndarray:
    """1 / the rank of the first relevant document, 0 below rank 100."""
    place = 1 + np.floor(np.exp(1.2 + np.linspace(0.7, 2, systems) * noise(rng, systems, 0.5)))
    return np.where(place > 100, 0.0, 1 / place)


def expected_reciprocal(rng: Rng, systems: int) -> np.ndarray:
    """Many small values, and a few large ones where an excellent document is at the top, as ERR has them."""
    base = 0.12 * np.exp(0.9 * noise(rng, systems, 0.5))
    lucky = rankdata(noise(rng, systems, 0.4), axis=0) > np.linspace(0.88, 0.98, systems) * MANY
    empty = rankdata(noise(rng, systems, 0.6), axis=0) <= 0.25 * MANY
    return np.where(empty, 0.0, np.minimum(base + 0.6 * lucky, 1.0))


def discounted_gain(rng: Rng, systems: int) -> np.ndarray:
    """Values between 0 and 1 that are 0 on a fifth of the topics, as nDCG has them on sparse judgments."""
    empty = rankdata(noise(rng, systems, 0.6), axis=0) <= np.linspace(0.05, 0.4, systems) * MANY
    return np.where(empty, 0.0, expit(-1 + 1.2 * noise(rng, systems, 0.6)))


def rare(rng: Rng, systems: int) -> np.ndarray:
    """0/1 scores of which 8 % are 1."""
    return (rankdata(-noise(rng, systems, 0.5), "ordinal", axis=0) <= 0.08 * MANY).astype(float)


def lognormal(rng: Rng, systems: int) -> np.ndarray:
    """Lognormal scores: the logarithms of some systems vary five times as much as those of others."""
    return np.exp(np.linspace(0.3, 1.5, systems) * noise(rng, systems, 0.3))


def lucky(rng: Rng, systems: int) -> np.ndarray:
    """Half of the systems are steady; the others score less, and far more on one topic in twenty."""
    steady = np.arange(systems) < systems // 2
    hits = rankdata(-noise(rng, systems, 0.0), "ordinal", axis=0) <= 0.05 * MANY
    return 0.3 + 0.05 * noise(rng, systems, 0.3) + np.where(~steady & hits, 1.0, 0.0)


MADE: dict[str, Callable[[Rng, int], np.ndarray]] = {
    "zero-inflated lognormal": lambda rng, systems: zero_inflated(rng, 0.0, systems),
    "like RR": reciprocal,
    "like ERR": expected_reciprocal,
    "like nDCG": discounted_gain,
    "rare 0/1": rare,
    "lognormal, unequal spread": lognormal,
    "steady and lucky": lucky,
}
TRACKS = [
    *(f"adhoc{track}_{measure}" for track in (6, 7, 8) for measure in ("ap", "p10", "rr")),
    *(f"web2010_{measure}" for measure in ("ap", "p10", "rr", "err20", "ndcg20")),
]


@lru_cache(maxsize=32)
def track(folder: Path, name: str) -> np.ndarray:
    values = np.loadtxt(folder / "trec" / f"{name}.csv", delimiter=",", skiprows=1)
    return values[:, np.argsort(-values.mean(axis=0), kind="stable")[: values.shape[1] // 2]]


def skewness(folder: Path | None, cell: Cell, rng: Rng, seed: int) -> list[float]:
    _, name, systems, topics = cell
    if name in MADE:
        values = _made(name, systems)
    else:
        assert folder is not None
        upper = track(folder, name)
        values = equal_means(upper[:, rng.choice(upper.shape[1], systems, replace=False)])
    drawn = values[rng.integers(len(values), size=topics)]
    found = rank(Scores(drawn), rng=seed)
    tukey = significance(Scores(drawn), test="permutation", draws=999, rng=seed)
    return [
        float(found.low.max() > 1 or found.high.min() < systems),
        float(bool(tukey.better.any())),
        float(bool(found.cautions)),
        float(bool(tukey.answer().warnings)),
        skewness_of_differences(drawn),
        skewness_of_differences(values),
    ]


@lru_cache(maxsize=16)
def _made(name: str, systems: int) -> np.ndarray:
    return equal_means(MADE[name](np.random.default_rng((25, zlib.crc32(name.encode()), systems)), systems))


def skewness_of_differences(values: np.ndarray) -> float:
    """The mean over pairs of the absolute skewness of the differences of two systems."""
    first, second = np.triu_indices(values.shape[1], 1)
    differences = values[:, first] - values[:, second]
    centred = differences - differences.mean(axis=0)
    spread = np.sqrt((centred**2).mean(axis=0))
    known = spread > 1e-12
    return float(np.abs((centred[:, known] ** 3).mean(axis=0) / spread[known] ** 3).mean()) if known.any() else 0.0


RULES = tuple(rule.name for rule in catalogue.rules)
FIGURES = {
    "ranks": (
        "simultaneous",
        "marginal, tests",
        "marginal, tests, best",
        "best in set",
        "width",
        "width, tests",
        "size of best set",
        "warned",
    ),
    "rules": (*RULES, *(f"width, {name}" for name in RULES)),
    "correlation": ("interval", "lower limit", "bias", "width", "tau", "warned"),
    "claims": ("max-t", "Tukey HSD", "left out of best set", "warned", "Tukey warned"),
    "skewness": ("max-t", "Tukey HSD", "warned", "Tukey warned", "skewness, sample", "skewness, population"),
}
TRIAL = {"ranks": ranks, "rules": rules, "correlation": correlation, "claims": claims}
#: Figures that can be counted alone, with the same numbers.
ALONE = {"Tukey HSD": tukey, "warned": warned}
#: Which boards are counted for a question.
KINDS = {
    "ranks": ("spread", "close"),
    "rules": ("spread", "equal"),
    "correlation": ("spread", "close"),
    "claims": ("equal",),
}
#: Columns of the tables in the documentation; the JSON has all figures.
SHOWN = FIGURES | {
    "ranks": tuple(name for name in FIGURES["ranks"] if name not in ("marginal, tests, best", "size of best set")),
    "rules": RULES,
}


def trial(folder: Path | None, cell: Cell, seed: int, figure: str | None = None) -> list[float]:
    rng = np.random.default_rng((seed, zlib.crc32(repr(cell).encode())))
    if figure is not None:
        return ALONE[figure](cell[1], cell[2], rng, seed)
    if cell[0] == "skewness":
        return skewness(folder, cell, rng, seed)
    return TRIAL[cell[0]](cell[1], cell[2], rng, seed)


def count(folder: Path | None, first: int, figure: str | None, cell: Cell, trials: range) -> Rows:
    return [trial(folder, cell, first + number, figure) for number in trials]


def cells_of(question: str, folder: Path | None) -> list[Cell]:
    if question == "skewness":
        names = [*MADE, *(TRACKS if folder else ())]
        return [(question, name, systems, topics) for name in names for systems in (8, 20) for topics in (20, 50)]
    return [(question, board, kind) for board in BOARDS for kind in KINDS[question]]


def name_of(cell: Cell) -> str:
    return f"{cell[1]}; {cell[2]}" if len(cell) == 3 else f"{cell[1]}, {cell[2]} systems, {cell[3]} topics"


def lines(stored: dict[str, Any]) -> list[str]:
    """The table as the documentation has it; cells with another number of trials are marked with it."""
    shown = SHOWN[stored["question"]]
    rows = [f"| board | {' | '.join(shown)} |", "|---" * (len(shown) + 1) + "|"]
    for name, own in stored["cells"].items():
        again = f" ({own['trials']:,} trials)" if own.get("trials", stored["trials"]) != stored["trials"] else ""
        rows.append(f"| {name}{again} | {' | '.join(_with_width(own, figure) for figure in shown)} |")
    return rows


def _with_width(own: dict[str, Any], figure: str) -> str:
    """A figure, under a rule with the mean width of its intervals; one that was counted again is marked with a star."""
    if figure in own.get("again", {}):
        return f"{_text(own['again'][figure]['value'])}*"
    width = own.get(f"width, {figure}") if figure in RULES else None
    return _text(own.get(figure)) + (f" / {width:.1f}" if width is not None else "")


def _text(value: float | None) -> str:
    return "–" if value is None else f"{value:.1f}" if value >= 1.05 else f"{value:.3f}"


def main(arguments: list[str] | None = None, executor: Executor | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("question", choices=list(FIGURES))
    add_trial_options(parser)
    parser.set_defaults(trials=500)
    parser.add_argument("--data", type=Path, help="a folder with trec/adhoc6_ap.csv and so on, for skewness")
    parser.add_argument("--only", default="", help="only cells whose name contains this")
    parser.add_argument("--without", action="append", default=[], help="only cells whose name does not contain this")
    parser.add_argument("--first", type=int, default=0, help="the first seed: give another one to count afresh")
    parser.add_argument("--figure", choices=list(ALONE), help="count this figure alone")
    parser.add_argument("--json", type=Path, help="write the table here; cells that it has already are replaced")
    options = parser.parse_args(arguments)
    cells = [
        cell
        for cell in cells_of(options.question, options.data)
        if options.only in name_of(cell) and not any(text in name_of(cell) for text in options.without)
    ]
    shown, started = (options.figure,) if options.figure else FIGURES[options.question], time.perf_counter()
    print(f"{options.trials:,} trials per cell; Monte Carlo error of a share: {(0.0475 / options.trials) ** 0.5:.3f}\n")
    print(f"| board | {' | '.join(shown)} |\n|{'---|' * (len(shown) + 1)}", flush=True)
    table: dict[str, dict[str, float]] = {}
    for cell, rows in count_trials(
        partial(count, options.data, options.first, options.figure), cells, options, executor
    ):
        known = ~np.isnan(rows).all(axis=0)
        own = {name: float(np.nanmean(rows[:, i])) for i, name in enumerate(shown) if known[i]}
        table[name_of(cell)] = own
        print(f"| {name_of(cell)} | {' | '.join(_text(own.get(name)) for name in shown)} |", flush=True)
    print(f"\n{time.perf_counter() - started:.0f} s")
    if options.json:
        _store(options, table)


def _store(options: argparse.Namespace, table: dict[str, dict[str, Any]]) -> None:
    """Write the table; where the file has it already, these cells or figures are replaced, with trials and seed."""
    stored = {"question": options.question, "trials": options.trials, "first": options.first, "cells": table}
    counted = {"trials": options.trials, "first": options.first}
    if options.json.exists():
        stored = json.loads(options.json.read_text(encoding="utf-8"))
        for name, own in table.items():
            if options.figure == "warned" and counted == {key: stored[key] for key in counted}:
                stored["cells"][name][options.figure] = own[options.figure]
            elif options.figure:
                again = stored["cells"][name].setdefault("again", {})
                again[options.figure] = {"value": own[options.figure], **counted}
            else:
                stored["cells"][name] = own | counted
    options.json.write_text(json.dumps(stored, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
