"""How far off is a plan of human topics, made from the few that people have judged so far?

    python benchmarks/plan_hybrid.py --data DIR [--trials 200] [--judges good fair biased bad]
    [--workers 1 or ADDRESS]

`DIR` has adhoc8_ap.csv, a TREC-8 matrix of topics by systems. Thirty of its systems are simulated on new topics; judges
are those of `hybrid.py`, on 250 topics. The goal is the tau with the true ranking that 40 human topics have on average,
alone, and with the judge. Plans from so many topics so far say how many are needed: one line per judge and number of
topics, with the median and the limits of the middle four fifths of the plans, and the share of plans that are off by
more than a third, alone and with the judge.
"""

from __future__ import annotations

import argparse
from concurrent.futures import Executor
from itertools import product
from pathlib import Path

import numpy as np
from hybrid import JUDGES, centred, taus
from workers import add_options, in_order

from tauscope import Scores, hybrid
from tauscope.judges.two_phase import TwoPhase
from tauscope.simulate.simulator import Simulator

#: Topics of the judge, human topics that are really needed, and those that plans are made from.
TOPICS, NEEDED, SO_FAR = 250, 40, (10, 20, 40)


def collection(simulator: Simulator, judge: str, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """People's and the judge's scores on new topics."""
    size = JUDGES[judge]
    true = simulator.true_means
    wrong = np.random.default_rng(1).normal(size=true.shape) * true.std() * size / 2
    people = simulator.draw_values(TOPICS, rng)
    noise = rng.normal(size=people.shape) * people.std() * 0.3 * size
    return people, np.clip(0.1 + 0.7 * people + wrong + noise, 0, 1.5)


def goals(simulator: Simulator, judge: str, trials: int, rng: np.random.Generator) -> tuple[float, float]:
    """The mean tau of so many human topics, alone and with the judge: what plans are to reach."""
    found = []
    for _ in range(trials):
        y, f = (centred(values) for values in collection(simulator, judge, rng))
        data = TwoPhase(people=y[:NEEDED], judge_there=f[:NEEDED], judge=f)
        found.append([taus(means, simulator.true_means)[0] for means in (data.human_mean, data.pooled[0])])
    alone, both = np.mean(found, axis=0)
    return float(alone), float(both)


def cell(task: tuple[Simulator, str, int, int]) -> list[float]:
    """Of the plans, alone and with the judge: median, limits, and the share that is off by more than a third."""
    simulator, judge, so_far, trials = task
    place = list(JUDGES).index(judge)
    alone, both = goals(simulator, judge, 5 * trials, np.random.default_rng((place, 1)))
    rng = np.random.default_rng((place, 2, so_far))
    said = []
    for _ in range(trials):
        people, machine = collection(simulator, judge, rng)
        human, scores = Scores(people[:so_far]), Scores(machine)
        plans = [hybrid(human, scores).plan(target=target) for target in (alone, both)]
        said.append([plans[0].people_needed or np.inf, plans[1].hybrid_needed or np.inf])
    found: list[float] = []
    for needed in np.array(said, dtype=float).T:
        off = (needed < NEEDED * 2 / 3) | (needed > NEEDED * 4 / 3)
        found += [*np.quantile(needed, [0.5, 0.1, 0.9], method="nearest"), float(off.mean())]
    return [float(value) for value in found]


def main(arguments: list[str] | None = None, executor: Executor | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--trials", type=int, default=200)
    parser.add_argument("--judges", nargs="*", choices=JUDGES, default=list(JUDGES))
    add_options(parser, workers=1)
    options = parser.parse_args(arguments)
    values = np.loadtxt(options.data / "adhoc8_ap.csv", delimiter=",", skiprows=1)
    simulator = Simulator.fit(Scores(values[:, np.argsort(-values.mean(axis=0))[:60:2]]))
    print(f"{NEEDED} human topics are needed; plans: median, middle four fifths, off by more than a third")
    print("judge    so far   alone                     with the judge")
    judges = [name for name in JUDGES if name in options.judges]
    tasks = [(simulator, name, so_far, options.trials) for name, so_far in product(judges, SO_FAR)]
    for (_, name, so_far, _), found in in_order(cell, tasks, options, executor):
        shown = [f"{m:5.0f} {low:5.0f} to {high:5.0f} {off:5.2f}" for m, low, high, off in (found[:4], found[4:])]
        print(f"{name:7} {so_far:7}   {'   '.join(shown)}", flush=True)


if __name__ == "__main__":
    main()
