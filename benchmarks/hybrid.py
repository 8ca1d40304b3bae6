"""Does a hybrid of people and a judge hold what it says, is it nearer to the truth than either, and is it worth what it
says?

    python benchmarks/hybrid.py --data DIR [--trials 1000] [--judges good fair biased bad]
    [--workers 1 or ADDRESS]

`DIR` has adhoc8_ap.csv, TREC-8 by topics and systems. Thirty of its systems are simulated on new topics; judges,
sixty of each kind, are people's scores on another scale, with a bias of each system and noise. One line per cell: the
share of 95 % intervals of differences that hold (population, topics at hand), tau of four rankings with the true one,
the standard error beside people's alone, the correlation of differences; then how many human topics alone have that tau
and how many the hybrid says, without shrinking, at the top, and with it.
"""

from __future__ import annotations

import argparse
import math
from concurrent.futures import Executor
from itertools import product
from pathlib import Path

import numpy as np
from workers import add_options, in_order

from tauscope import Scores, tau_b
from tauscope.inference.relation import NormalScores
from tauscope.judges.two_phase import TwoPhase, effective_topics, effective_topics_shrunken, shrunken
from tauscope.simulate.simulator import Simulator

CELLS = ((100, 10), (100, 20), (100, 50), (250, 10), (250, 20), (250, 50))
#: Bias of systems and noise of the judge, in units of the spread of the true means and of the scores.
JUDGES = {"good": 0.3, "fair": 0.6, "biased": 1.0, "bad": 3.0}
#: So many judges of each kind, whose biases differ.
CHOICES = 60
#: Human topics of the curve that worth is read off.
SIZES = (5, 7, 10, 14, 20, 28, 40, 56, 80, 113, 160, 226, 320)
TOP = 10


def centred(values: np.ndarray) -> np.ndarray:
    return np.asarray(values - values.mean(axis=1, keepdims=True))


def taus(estimate: np.ndarray, true: np.ndarray) -> tuple[float, float]:
    """With the true ranking: of all systems, and of the truly best ten."""
    top = np.argsort(-true)[:TOP]
    return tau_b(estimate, true).value, tau_b(estimate[top], true[top]).value


def trial(
    simulator: Simulator, n: int, k: int, wrong: np.ndarray, noise: float, rng: np.random.Generator
) -> list[float]:
    """Coverage of both targets, tau of four rankings, errors, correlation, tau at the top, and three kinds of worth."""
    people = simulator.draw_values(n, rng)
    judge = np.clip(0.1 + 0.7 * people + wrong + rng.normal(size=people.shape) * people.std() * noise, 0, 1.5)
    y, f = centred(people), centred(judge)
    true = simulator.true_means
    first, second = np.triu_indices(people.shape[1], 1)
    found = []
    for whole, means in ((False, true), (True, people.mean(axis=0))):
        data = TwoPhase(people=y[:k], judge_there=f[:k], judge=f, whole=whole)
        pairs = [(a, b, data.limits(a, b, 0.95, 0)) for a, b in zip(first[::23], second[::23], strict=True)]
        found.append(float(np.mean([pair.low <= means[a] - means[b] <= pair.high for a, b, pair in pairs])))
    data = TwoPhase(people=y[:k], judge_there=f[:k], judge=f)
    drawn = shrunken(data)
    rankings = data.people_only[0], f.mean(axis=0), data.pooled[0], drawn.means
    found += [taus(ranking, true)[0] for ranking in rankings]
    alone = data.people_only[1]
    own = np.diagonal(alone)
    spread = np.sqrt(np.maximum(own[first] + own[second] - 2 * alone[first, second], 0.0))
    scores = NormalScores.of(tuple(map(str, range(len(true)))), *data.pooled, float(k - 2))
    worth = [effective_topics(data, scores, pairs) for pairs in (second >= 0, second < TOP)]
    found += [float(data.by_pair.errors[first, second].mean() / spread.mean()), data.correlation]
    order = np.argsort(-drawn.means)
    return [*found, taus(data.pooled[0], true)[1], *worth, effective_topics_shrunken(data, drawn, order, second >= 0)]


def cell(task: tuple[Simulator, str, int, int, int]) -> list[float]:
    """The means of one judge and size over so many collections."""
    simulator, judge, n, k, trials = task
    size = JUDGES[judge]
    rng = np.random.default_rng((list(JUDGES).index(judge), n, k))
    spread = simulator.true_means.std() * size / 2
    biases = [spread * np.random.default_rng(seed).normal(size=simulator.true_means.shape) for seed in range(CHOICES)]
    rows = [trial(simulator, n, k, biases[number % CHOICES], 0.3 * size, rng) for number in range(trials)]
    return [float(value) for value in np.mean(rows, axis=0)]


def main(arguments: list[str] | None = None, executor: Executor | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--trials", type=int, default=1000)
    parser.add_argument("--judges", nargs="*", choices=JUDGES, default=list(JUDGES))
    add_options(parser, workers=1)
    options = parser.parse_args(arguments)
    values = np.loadtxt(options.data / "adhoc8_ap.csv", delimiter=",", skiprows=1)
    simulator = Simulator.fit(Scores(values[:, np.argsort(-values.mean(axis=0))[:60:2]]))
    rng = np.random.default_rng(5)
    curve = np.array(
        [
            np.mean(
                [taus(simulator.draw_values(k, rng).mean(axis=0), simulator.true_means) for _ in range(4000)], axis=0
            )
            for k in SIZES
        ]
    )

    def topics(tau: float, column: int = 0) -> float:
        return math.exp(float(np.interp(tau, curve[:, column], np.log(SIZES))))

    print(
        "judge    n    k  holds  at hand   people   judge  hybrid  shrunk  errors  correl  worth  said   top  said  "
        "shrunk  said"
    )
    judges = [name for name in JUDGES if name in options.judges]
    tasks = [(simulator, name, n, k, options.trials) for name, (n, k) in product(judges, CELLS)]
    for (_, name, n, k, _), means in in_order(cell, tasks, options, executor):
        *shown, top, said, said_top, said_shrunk = means
        # Collections that happen to be easy are easy for people alone as well.
        easy = topics(shown[2]) / k
        worth = topics(shown[4]) / easy, said, topics(top, 1) / easy, said_top, topics(shown[5]) / easy, said_shrunk
        text = "  ".join(f"{value:6.3f}" for value in shown) + "  " + "  ".join(f"{value:5.1f}" for value in worth)
        print(f"{name:7} {n:3} {k:4}  {text}", flush=True)


if __name__ == "__main__":
    main()
