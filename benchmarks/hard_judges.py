"""Do audits, hybrids and comparisons of judges hold where data are hard?

    python benchmarks/hard_judges.py [--trials 500] [--only TEXT] [--first 0] [--record FILE] [--json FILE]

Everything is simulated, so that the truth is known. "Rejects" is the share of trials in which a test speaks up at the
level .05: the level where nothing is there to find ("0" or "none" in the name), the power elsewhere. "Holds" is the
share of 95 % intervals that contain the true value; "bias" and "width" are of the estimate and of its interval.

- length (18 systems; 10 or 40 topics): what twice the length is worth under the judge. "trait": nine tenths of the
  variance of log length are a trait of the system, and the judge has opinions of systems that depend on that trait
  ("liked") or do not. "within": lengths vary from answer to answer. "people": people like long answers too, and their
  scores are noisy ("warned": the result says that people's scores depend on length).
- family (18 systems in 3, 4 or 6 families, 40 topics; 1 or 3 judges): each judge prefers each family by a normal amount
  with standard deviation 0, .05 or .1, and its own by 0 or .1 more. "Rejects": all judges together; "names": at least
  one judge is named.
- position (6 systems, 60 or 20 questions with 8 battles each): on each question the judge leans to one place by a
  normal amount with standard deviation 0 or 1 (log-odds), by 0 or .4 on average.
- people (3 or 5 persons, 20 or 50 topics, 18 systems): the judge is exactly .1, the margin, further from the others
  than a person is. "Rejects": it is said to be as close as a person. "Holds": the interval of its mean advantage on as
  many topics.
- panel (4 judges, 40 topics, 12 systems): the number of independent judges, errors correlated by 0, .3 or .7.
- scale (12 systems, 20 or 50 topics): what a difference under the judge is worth under people, over the true means; the
  judge's noise in a cell is .05, .2 or .4 ("warned": the judge's means hardly differ beyond noise; no scale is
  given, which counts as holding).
- soft (8 systems, 30 topics): soft pairwise accuracy, against its mean over samples of as many topics; acc_eq: against
  its value over 2,000 topics.
- hybrid (10 systems, the judge on 50 or 200 topics, people on 10 to 50 of them): differences of four pairs, one of
  which is of equal systems ("rejects"). Scores are 0/1 with 98 % right ("saturated"), 70 % zeros and lognormal
  ("sparse"), ratings from 1 to 5, or normal. hybrid at hand: differences over the judge's topics. judge alone: tau of
  the judge's ranking with the true one ("warned": nothing is said, or few topics decide).
- documents (6 topics of 60 documents, 4 systems): means over the topics at hand, their intervals by people's sample of
  documents, at random or by depth.
- compare, better judge (20 or 40 systems, 25 or 50 topics): agreement of the true means. Topics have scales, which
  apply to judge and people ("both"), to the noise of both ("noise"), to the judge alone ("judge"), to people alone
  ("people"), or to each on its own ("own"). Scales are equal, lognormal (standard deviation 1), Pareto (1.5), or
  6 % of the topics have 30 times the scale of the others ("few"); the noise of a score is half the spread of the true
  means, or twice. "mqm": documents of very unequal length, penalties of
  their errors. "counts": Poisson counts with rates that differ by topic.
"""

from __future__ import annotations

import argparse
import json
import time
import zlib
from collections.abc import Callable
from concurrent.futures import Executor
from functools import cache, partial
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
from scipy.special import ndtri
from trials import Cell, Rows, add_trial_options, count_trials

from tauscope import Battles, Scores, compare, hybrid
from tauscope.coefficients.records import catalogue
from tauscope.core import kernels
from tauscope.evaluation.evaluate import evaluate
from tauscope.evaluation.runs import Runs
from tauscope.inference import attenuation
from tauscope.judges.accuracy import calibration, length_bias, soft_pairwise_accuracy, tied_accuracy
from tauscope.judges.agreement import agree
from tauscope.judges.comparisons import measured
from tauscope.judges.groups import own_families
from tauscope.judges.hybrid import judge_alone
from tauscope.judges.panels import ceiling, panel
from tauscope.judges.two_phase import TwoPhase, two_phase
from tauscope.results import Note

LEVEL = 0.95
#: Draws behind each interval of compare(): its Monte Carlo error counts against us.
DRAWS = 1000
TAU = catalogue["tau_b"]
#: By how much less than a person a judge may agree with people.
MARGIN = 0.1
#: Cells in which a 95 % statement holds less often, or a test of nothing speaks up more often, are counted again with
#: this number of trials and seeds from here on.
LEAST, MOST, RECOUNTED, FRESH, AGAIN = 0.92, 0.07, 2000, 1_000_000, "again"
#: The columns of the table; a kind of trial has some of them.
FIGURES = ("rejects", "names", "holds", "bias", "width", "true", "warned")
Found = dict[str, float]
Rng = np.random.Generator


def tau(estimate: np.ndarray, truth: np.ndarray) -> float:
    return float(kernels.batch(TAU, estimate[None], truth[None])[0][0])


def interval(value: float, low: float, high: float, true: float) -> Found:
    held = low - 1e-9 <= true <= high + 1e-9
    return {"holds": float(held), "bias": value - true, "width": high - low, "true": true}


def plain(values: np.ndarray) -> Scores:
    """Scores whose mean is meant, whatever the scales of the topics look like."""
    return Scores(values).aggregated("mean")


def latent(rng: Rng, topics: int, systems: int) -> np.ndarray:
    """Topics x systems: what people say on average."""
    own = rng.normal(0, 0.08, systems) + rng.normal(0, 0.1, (topics, 1))
    return own + rng.normal(0, 0.12, (topics, systems))


def of_length(rng: Rng, seed: int, shape: str, topics: int, worth: float) -> Found:
    truth = latent(rng, topics, 18)
    trait, own = rng.normal(size=18), rng.normal(size=truth.shape)
    log = 8 + (trait + own / 3 if shape.startswith("trait") else own)
    opinion = rng.normal(0, 0.05, 18) + (0.05 * trait if "liked" in shape else 0.0)
    people = truth
    if shape == "people":
        truth = truth + 0.03 * log
        people = truth + rng.normal(0, 0.1, truth.shape)
    judge = truth + opinion + worth * log + rng.normal(0, 0.1, truth.shape)
    found = length_bias(judge, people, np.exp2(log), level=LEVEL)
    warned = {"warned": float(found.p_of_people < 1 - LEVEL)}
    return {"rejects": float(found.p < 1 - LEVEL)} | interval(found.doubling, found.low, found.high, worth) | warned


def of_family(rng: Rng, seed: int, families: int, judges: int, preference: float, own: float) -> Found:
    names = [f"s{i}" for i in range(18)]
    kinds = [f"f{i % families}" for i in range(18)]
    truth = latent(rng, 40, 18)
    given, of_judge = {}, {}
    for j in range(judges):
        liked = rng.normal(0, preference, families) + own * (np.arange(families) == j)
        shift = np.array([liked[int(kind[1:])] for kind in kinds]) + rng.normal(0, 0.03, 18)
        given[f"j{j}"] = Scores(0.2 + 0.7 * (truth + shift) + rng.normal(0, 0.08, truth.shape), systems=names)
        of_judge[f"j{j}"] = f"f{j}"
    groups = dict(zip(names, kinds, strict=True)) | of_judge
    found = own_families(given, Scores(truth, systems=names), groups, level=LEVEL, draws=499, seed=seed)
    return {"rejects": float(found.p_all < 1 - LEVEL), "names": float(bool(found.partial))}


def of_position(rng: Rng, seed: int, questions: int, lean: float, bias: float) -> Found:
    strengths, rows = np.linspace(0.8, -0.8, 6), []
    for question in range(questions):
        shift = bias + lean * rng.normal()
        for _ in range(8):
            a, b = rng.choice(6, 2, replace=False)
            first = rng.random() < 1 / (1 + np.exp(strengths[b] - strengths[a] - shift))
            rows.append((f"s{a}", f"s{b}", "first" if first else "second", f"q{question}"))
    first, second, winner, asked = (list(column) for column in zip(*rows, strict=True))
    battles = Battles(first, second, winner, questions=asked)
    found = compare(battles, truth=battles).position[0]
    rejects = {"rejects": float(found.p < 1 - LEVEL)}
    return rejects | (interval(found.equals, found.low, found.high, 0.5) if not bias else {})


def advantage(means: np.ndarray) -> float:
    """Of the judge, who comes first, over people, one person left out at a time."""
    others = [np.delete(means[1:], i, axis=0).mean(axis=0) for i in range(len(means) - 1)]
    return float(np.mean([tau(means[0], other) - tau(means[1 + i], other) for i, other in enumerate(others)]))


def on_topics(rng: Rng, means: np.ndarray, topics: int) -> np.ndarray:
    """Judge and people x topics x systems."""
    noise = rng.normal(0, 0.1, (topics, 1)) + rng.normal(0, 0.12, (topics, means.shape[1]))
    return means[:, None] + noise + rng.normal(0, 0.1, (len(means), *noise.shape))


@cache
def people_and_judge(persons: int, topics: int, choice: int) -> tuple[np.ndarray, float]:
    """True means of a judge that is .1, the margin, further from the others than people are, and of people; and the
    expected advantage on as many topics."""
    rng = np.random.default_rng((16, persons, choice))
    truth = rng.normal(0, 0.08, 18)
    opinions, lean = truth + rng.normal(0, 0.03, (persons, 18)), rng.normal(size=18)
    low, high = 0.0, 2.0
    for _ in range(40):
        middle = (low + high) / 2
        far = advantage(np.array([truth + middle * lean, *opinions])) <= -MARGIN
        low, high = (low, middle) if far else (middle, high)
    means = np.array([truth + high * lean, *opinions])
    return means, float(np.mean([advantage(on_topics(rng, means, topics).mean(axis=1)) for _ in range(400)]))


def of_people(rng: Rng, seed: int, persons: int, topics: int) -> Found:
    means, expected = people_and_judge(persons, topics, seed % 10)
    scores = on_topics(rng, means, topics)
    found = ceiling(scores[0], list(scores[1:]), list("vwxyz")[:persons], TAU, margin=MARGIN, level=LEVEL, seed=seed)
    return {"rejects": float(found.stands_in)} | interval(found.advantage, found.low, found.high, expected)


def of_panel(rng: Rng, seed: int, rho: float) -> Found:
    truth = latent(rng, 40, 12)
    shared, own = rng.normal(size=truth.shape), rng.normal(size=(4, *truth.shape))
    judges = list(truth + 0.1 * (np.sqrt(rho) * shared + np.sqrt(1 - rho) * own))
    found = panel(judges, truth, TAU, level=LEVEL)
    return interval(found.effective, found.low, found.high, 4 / (1 + 3 * rho))


def of_scale(rng: Rng, seed: int, topics: int, noise: float) -> Found:
    means = rng.normal(0, 0.08, 12)
    judged = 0.6 * means + rng.normal(0, 0.02, 12)
    both = rng.normal(0, 0.1, (topics, 1)) + rng.normal(0, 0.12, (topics, 12))
    judge = judged + 0.6 * both + noise * rng.normal(size=both.shape)
    found = calibration(judge, means + both, level=LEVEL)
    x, y = judged - judged.mean(), means - means.mean()
    if np.isnan(found.slope):
        return {"warned": 1.0, "holds": 1.0}
    return {"warned": 0.0} | interval(found.slope, found.low, found.high, float(x @ y / (x @ x)))


def pair_of_judges(rng: Rng, topics: int, systems: int, means: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(judge, people), topics x systems."""
    both = rng.normal(0, 0.12, (topics, systems))
    people = means[0] + rng.normal(0, 0.1, (topics, 1)) + both
    return means[1] + both + rng.normal(0, 0.1, both.shape), people


def population(choice: int) -> np.ndarray:
    """True means of people and judge, one of ten choices."""
    rng = np.random.default_rng((17, choice))
    truth = rng.normal(0, 0.05, 8)
    return np.array([truth, truth + rng.normal(0, 0.03, 8)])


@cache
def expected_soft(choice: int) -> float:
    """Mean soft pairwise accuracy over samples of 30 topics."""
    rng = np.random.default_rng((18, choice))
    found = []
    for _ in range(300):
        judge, people = pair_of_judges(rng, 30, 8, population(choice))
        signs = 2.0 * rng.integers(0, 2, (500, 30)) - 1
        found.append(soft_value(people, judge, signs))
    return float(np.mean(found))


def soft_value(people: np.ndarray, judge: np.ndarray, signs: np.ndarray) -> float:
    from tauscope.judges.accuracy import accuracy_of, p_values

    return accuracy_of(p_values(people, signs), p_values(judge, signs))


def of_soft(rng: Rng, seed: int) -> Found:
    choice = seed % 10
    judge, people = pair_of_judges(rng, 30, 8, population(choice))
    found = soft_pairwise_accuracy(Scores(judge), Scores(people), draws=500, seed=seed)
    return interval(found.value, *found.interval, expected_soft(choice))


def rounded(judge: np.ndarray, people: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """People tie: they give tenths."""
    return judge, np.round(people, 1)


@cache
def true_acc_eq(choice: int) -> float:
    judge, people = rounded(*pair_of_judges(np.random.default_rng((19, choice)), 2000, 8, population(choice)))
    return tied_accuracy(judge, people, level=LEVEL, seed=0).value


def of_acc_eq(rng: Rng, seed: int, topics: int) -> Found:
    choice = seed % 10
    judge, people = rounded(*pair_of_judges(rng, topics, 8, population(choice)))
    found = tied_accuracy(judge, people, level=LEVEL, seed=seed)
    return interval(found.value, found.low, found.high, true_acc_eq(choice))


def hard_scores(shape: str, rng: Rng, topics: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(people, judge, true means); the first two of ten systems are equal."""
    mean = rng.normal(size=10)
    mean[1] = mean[0]
    difficulty, own = rng.normal(size=(topics, 1)), rng.normal(size=(topics, 10))
    if shape == "saturated":
        chance = 0.98 + 0.012 * np.tanh(mean)
        share = rng.random((topics, 10))
        # A difficult item is difficult for all: half of the uniform numbers are common to the systems.
        people = (np.where(rng.random((topics, 1)) < 0.5, rng.random((topics, 1)), share) < chance).astype(float)
        judge = np.where(rng.random(people.shape) < 0.01, 1 - people, people)
        return people, judge, chance
    if shape == "sparse":
        level = 0.3 * mean
        there = rng.random((topics, 10)) < 0.3
        people = there * np.exp(level + 0.7 * difficulty + 0.7 * own)
        judge = people * np.exp(0.3 * rng.normal(size=people.shape)) + 0.1 * rng.random(people.shape)
        return people, judge, 0.3 * np.exp(level + 0.49)
    if shape == "ratings":
        cuts = np.array([-2.0, -1.5, -0.8, 0.3])
        people = 1.0 + (own[..., None] + 0.5 * mean[:, None] > cuts).sum(axis=-1)
        judge = np.clip(people + rng.integers(-1, 2, people.shape), 1, 5).astype(float)
        from scipy.special import ndtr

        return people, judge, 1 + ndtr(0.5 * mean[:, None] - cuts).sum(axis=-1)
    people = 0.3 * mean + difficulty + own
    return people, 0.5 * people + 0.2 * rng.normal(size=10) + 0.3 * rng.normal(size=own.shape), 0.3 * mean


def of_hybrid(rng: Rng, seed: int, shape: str, n: int, k: int, *, at_hand: bool = False) -> Found:
    people, judge, true = hard_scores(shape, rng, n)
    true = people.mean(axis=0) if at_hand else true
    y, f = (values - values.mean(axis=1, keepdims=True) for values in (people, judge))
    data = TwoPhase(people=y[:k], judge_there=f[:k], judge=f, whole=at_hand)
    pairs = [(0, 1), (2, 3), (4, 5), (int(np.argmax(true)), int(np.argmin(true)))]
    limits = [data.limits(a, b, LEVEL, seed) for a, b in pairs]
    rows = [
        interval(own.difference, own.low, own.high, true[a] - true[b])
        for (a, b), own in zip(pairs, limits, strict=True)
        if not np.isnan(own.low)
    ]
    if not rows:
        return dict.fromkeys(("rejects", "holds", "bias", "width"), np.nan)
    means = {name: float(np.mean([row[name] for row in rows])) for name in ("holds", "width")}
    level = {} if at_hand else {"rejects": float(limits[0].p < 1 - LEVEL)}
    return means | level | {"bias": rows[-1]["bias"]}


def of_judge_alone(rng: Rng, seed: int, shape: str, n: int, k: int) -> Found:
    people, judge, true = hard_scores(shape, rng, n)
    sides = two_phase(plain(people[:k]), plain(judge), unmatched="error")
    value, limits = judge_alone(sides, LEVEL, seed)
    actual = tau(judge.mean(axis=0), true)
    if np.isnan(value) or np.isnan(actual):
        return {"warned": 1.0}
    return {"warned": float(sides.data.few_decide)} | interval(value, *limits, actual)


DOCUMENTS = [f"d{i:02}" for i in range(60)]


@cache
def collection(topics: int) -> tuple[Any, dict[str, Any], np.ndarray, np.ndarray, np.ndarray]:
    """Runs, the judge's labels, people's grades, the best places of documents, and true means: as in
    hybrid_documents.py."""
    rng = np.random.default_rng(3)
    quality = rng.normal(size=(topics, 60))
    grades, judge = (
        np.digitize(x, [0.6, 1.3]) for x in (quality, 0.8 * quality + rng.normal(0, 0.6, quality.shape) + 0.3)
    )
    names = [str(t) for t in range(topics)]
    runs = Runs.read(
        {
            f"s{s}": {
                name: {
                    DOCUMENTS[i]: float(quality[t, i] + rng.normal(0, 0.4 + 0.5 * s))
                    for i in rng.choice(60, 45, replace=False)
                }
                for t, name in enumerate(names)
            }
            for s in range(4)
        }
    )
    machine, people = (
        {name: dict(zip(DOCUMENTS, row.tolist(), strict=True)) for name, row in zip(names, x, strict=True)}
        for x in (judge, grades)
    )
    best = np.full(grades.shape, 60)
    for run in runs:
        for t, name in enumerate(names):
            for place, document in enumerate(run.ranked(name)):
                at = DOCUMENTS.index(document)
                best[t, at] = min(best[t, at], place)
    return runs, machine, grades, best, evaluate(runs, people, list(MEASURES)).values.mean(axis=1)


MEASURES = ("P@10", "AP", "nDCG@10")
DESIGNS = {"20 %": ((), (0.2,)), "40 %": ((), (0.4,)), "by depth": ((10, 25), (0.6, 0.3, 0.25))}


def of_documents(rng: Rng, seed: int, design: str, measure: str) -> Found:
    runs, machine, grades, best, true = collection(6)
    depths, shares = DESIGNS[design]
    stratum = np.searchsorted(np.array(depths), best, side="right")
    human: dict[str, dict[str, int]] = {name: {} for name in machine}
    for t, name in enumerate(human):
        for h, share in enumerate(shares):
            there = np.flatnonzero(stratum[t] == h)
            kept = rng.choice(there, min(len(there), max(2, round(share * len(there)))), replace=False)
            human[name] |= {DOCUMENTS[i]: int(grades[t, i]) for i in kept}
    found = hybrid(human, machine, runs=runs, measures=[measure], chances=depths)
    row = true[MEASURES.index(measure)]
    reach = float(ndtri((1 + LEVEL) / 2)) * found.errors_here[0]
    own = [interval(mean, mean - r, mean + r, x) for mean, r, x in zip(found.means[0], reach, row, strict=True)]
    return {name: float(np.mean([one[name] for one in own])) for name in ("holds", "bias", "width")}


def topic_scales(shape: str, rng: Rng, topics: int) -> np.ndarray:
    """Topics x 1."""
    drawn = {
        "equal": lambda: np.ones(topics),
        "lognormal 1": lambda: np.exp(rng.normal(size=topics)),
        "pareto": lambda: 1 + rng.pareto(1.5, topics),
        "few": lambda: np.where(rng.random(topics) < 0.06, 30.0, 1.0),
    }[shape]()
    return np.asarray(drawn)[:, None]


def scaled(where: str, shape: str, rng: Rng, means: list[np.ndarray], topics: int, noise: float) -> list[np.ndarray]:
    """Judges and, last, people, topics x systems, whose true means are in proportion to these."""
    systems = len(means[0])
    if where == "mqm":
        length = np.exp(1.2 * rng.normal(size=(topics, 1)))
        rate = [np.exp(0.3 * mean) for mean in means]
        major = rng.gamma(1.0, 1.0, (topics, systems))
        return [-(rng.poisson(4 * length * r * major) + 5.0 * rng.poisson(length * r * major)) for r in rate]
    if where == "counts":
        size = np.exp(1.5 * rng.normal(size=(topics, 1)))
        own = rng.gamma(2.0, 0.5, (topics, systems))
        return [rng.poisson(20 * size * np.exp(0.3 * mean) * own).astype(float) for mean in means]
    common = rng.normal(size=(topics, systems))
    errors = [noise * (0.7 * common + 0.7 * rng.normal(size=common.shape)) for _ in means]
    one = topic_scales(shape, rng, topics)
    found = []
    for place, (mean, error) in enumerate(zip(means, errors, strict=True)):
        people = place == len(means) - 1
        if where == "noise":
            found.append(mean + one * error)
        elif where == "own":
            found.append(topic_scales(shape, rng, topics) * (mean + error))
        elif where == "both" or where == ("people" if people else "judge"):
            found.append(one * (mean + error))
        else:
            found.append(mean + error)
    return found


def of_compare(rng: Rng, seed: int, where: str, shape: str, systems: int, topics: int, noise: float) -> Found:
    truth = rng.normal(size=systems)
    means = [truth + 0.4 * rng.normal(size=systems), truth]
    judge, people = scaled(where, shape, rng, means, topics, noise)
    found = agree(plain(judge), plain(people), seed=seed)
    return interval(found.corrected, *found.interval, tau(*means)) | {"warned": warned(found.notes)}


def of_better(rng: Rng, seed: int, where: str, shape: str, systems: int, topics: int, noise: float) -> Found:
    truth = rng.normal(size=systems)
    means = [truth + 0.3 * rng.normal(size=systems), truth + 0.5 * rng.normal(size=systems), truth]
    *judges, people = scaled(where, shape, rng, means, topics, noise)
    two = {f"{i}": plain(one) for i, one in enumerate(judges)}
    found = measured(two, plain(people), catalogue["tau_b"], paired=None, seed=seed)
    true = tau(means[0], truth) - tau(means[1], truth)
    value = float(found.corrected[0] - found.corrected[1])
    return interval(value, *found.difference(0, 1).interval(0.95), true) | {"warned": warned(found.notes)}


def warned(notes: tuple[Note, ...]) -> float:
    return float(any(note.code == "own_scales" for note in notes))


#: What scales of topics apply to.
WHERE = ("both", "noise", "judge", "people", "own")
#: How a trial of each kind is made, and the cells of the kind.
KINDS: dict[str, tuple[Callable[..., Found], list[tuple[Any, ...]]]] = {
    "length": (
        of_length,
        [
            *product(("trait", "trait liked", "within"), (10, 40), (0.0,)),
            *product(("trait", "within"), (10, 40), (0.02,)),
            *product(("people",), (40,), (0.0,)),
        ],
    ),
    "family": (
        of_family,
        [*product((3, 4, 6), (1, 3), (0.0, 0.05, 0.1), (0.0,)), *product((3, 4, 6), (1, 3), (0.0, 0.05), (0.1,))],
    ),
    "position": (of_position, [*product((20, 60), (0.0, 1.0), (0.0,)), *product((20, 60), (1.0,), (0.4,))]),
    "people": (of_people, [*product((3, 5), (20, 50))]),
    "panel": (of_panel, [(0.0,), (0.3,), (0.7,)]),
    "scale": (of_scale, [*product((20, 50), (0.05, 0.2, 0.4))]),
    "soft": (of_soft, [()]),
    "acc_eq": (of_acc_eq, [(20,), (50,)]),
    "hybrid": (
        of_hybrid,
        [
            *(
                (shape, n, k)
                for shape in ("saturated", "sparse")
                for n, k in ((50, 10), (50, 20), (200, 20), (200, 50))
            ),
            *((shape, n, k) for shape in ("ratings", "normal") for n, k in ((50, 10), (200, 20), (200, 50))),
        ],
    ),
    "hybrid at hand": (
        partial(of_hybrid, at_hand=True),
        [(s, n, k) for s in ("saturated", "sparse", "ratings", "normal") for n, k in ((50, 10), (200, 50))],
    ),
    "judge alone": (
        of_judge_alone,
        [(s, n, k) for s in ("saturated", "sparse", "ratings", "normal") for n, k in ((50, 10), (200, 20), (200, 50))],
    ),
    "documents": (of_documents, [*product(DESIGNS, MEASURES)]),
    "compare": (
        of_compare,
        [
            *product(("both",), ("equal",), (6, 20, 40), (25,), (0.5, 2.0)),
            *product(WHERE, ("lognormal 1", "pareto", "few"), (20,), (50,), (0.5, 2.0)),
            *product(("judge", "own"), ("lognormal 1", "pareto"), (6, 40), (25,), (0.5, 2.0)),
            *product(("mqm", "counts"), ("",), (20,), (25, 50), (0.0,)),
        ],
    ),
    "better judge": (
        of_better,
        [
            *product(("both",), ("equal",), (20,), (50,), (0.5, 2.0)),
            *product(WHERE, ("lognormal 1",), (20,), (50,), (0.5, 2.0)),
            *product(("mqm", "counts"), ("",), (20,), (50,), (0.0,)),
        ],
    ),
}
CELLS: list[Cell] = [(kind, *cell) for kind, (_, cells) in KINDS.items() for cell in cells]


def trial(cell: Cell, seed: int) -> list[float]:
    kind, *rest = cell
    found = KINDS[kind][0](np.random.default_rng((seed, zlib.crc32(repr(cell).encode()))), seed, *rest)
    return [float(found.get(name, np.nan)) for name in FIGURES]


def count(first: int, cell: Cell, trials: range) -> Rows:
    attenuation.value_draws = lambda systems: DRAWS
    if cell[-1] == AGAIN:
        cell, first = cell[:-1], first + FRESH
    return [trial(cell, first + number) for number in trials]


def suspicious(cell: Cell, own: dict[str, float]) -> bool:
    """Whether a 95 % statement holds in less than .92, or a test of nothing speaks up in more than .07."""
    nothing = cell[0] not in ("length", "family", "position") or cell[-1] == 0.0
    level = max(own.get("rejects", 0.0), own.get("names", 0.0)) if nothing else 0.0
    return own.get("holds", 1.0) < LEAST or level > MOST


def means_of(rows: np.ndarray) -> dict[str, float]:
    counted = ~np.isnan(rows)
    means = np.where(counted.any(axis=0), np.nansum(rows, axis=0) / np.maximum(counted.sum(axis=0), 1), np.nan)
    return {name: round(float(mean), 5) for name, mean in zip(FIGURES, means, strict=True) if not np.isnan(mean)}


def name_of(cell: Cell) -> str:
    return ", ".join(str(part) for part in cell if part != "")


def lines(stored: dict[str, Any]) -> list[str]:
    """The rows of the table that a JSON file has, as they stand in the documents."""
    return [
        f"| {name}{' (2,000 trials)' if 'recounted' in own else ''} | {' | '.join(shown(own))} |"
        for name, own in stored["cells"].items()
    ]


def shown(own: dict[str, float]) -> list[str]:
    return [f"{own[name]:.3f}" if name in own else "" for name in FIGURES if name != "true"]


def main(arguments: list[str] | None = None, executor: Executor | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add_trial_options(parser)
    parser.set_defaults(trials=500)
    parser.add_argument("--only", help="only cells whose name contains this")
    parser.add_argument("--first", type=int, default=0, help="the first seed: give another one to count afresh")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args(arguments)
    cells = [cell for cell in CELLS if not options.only or options.only in name_of(cell)]
    error = (0.0475 / options.trials) ** 0.5
    print(f"{options.trials:,} trials per cell; the Monte Carlo error of a share is {error:.3f}\n")
    columns = [name for name in FIGURES if name != "true"]
    print(f"| cell | {' | '.join(columns)} |\n|{'---|' * (len(columns) + 1)}", flush=True)
    started, table = time.perf_counter(), {}
    again = []
    for cell, rows in count_trials(partial(count, options.first), cells, options, executor):
        table[name_of(cell)] = own = means_of(rows)
        print(f"| {name_of(cell)} | {' | '.join(shown(own))} |", flush=True)
        again += [(*cell, AGAIN)] if suspicious(cell, own) else []
    print(f"\n{len(again)} cells counted again with fresh seeds and {RECOUNTED:,} trials:\n", flush=True)
    more = argparse.Namespace(**(vars(options) | {"trials": RECOUNTED}))
    for (*cell, _), rows in count_trials(partial(count, options.first), again, more, executor):
        table[name_of(tuple(cell))] = own = means_of(rows) | {"recounted": RECOUNTED}
        print(f"| {name_of(tuple(cell))} | {' | '.join(shown(own))} |", flush=True)
    print(f"\n{time.perf_counter() - started:.0f} s")
    if options.json:
        kept = {"trials": options.trials, "first": options.first, "cells": table}
        options.json.write_text(json.dumps(kept, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
