"""Does a hybrid of people and a judge hold what it says, and is it nearer to the truth than either?

    python benchmarks/hybrid.py --data DIR [--trials 150]

`DIR` has adhoc8_ap.csv, a TREC-8 matrix of topics by systems. Thirty of its systems are simulated on new topics; judges are people's
scores on another scale, with a bias of each system and noise. One line per cell: the share of 95 % intervals of differences that hold
(population, topics at hand), tau of four rankings with the true one, and the standard error beside people's alone.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
from scipy.special import stdtrit

from tauscope import Scores, Simulator, tau_b
from tauscope.judges.empirical_bayes import shrunken
from tauscope.judges.two_phase import TwoPhase

CELLS = ((100, 10), (100, 20), (250, 20), (250, 50))
#: Bias of systems and noise of the judge, in units of the spread of the true means and of the scores.
JUDGES = {"good": 0.3, "biased": 1.0, "bad": 3.0}


def centred(values: np.ndarray) -> np.ndarray:
    return np.asarray(values - values.mean(axis=1, keepdims=True))


def trial(
    simulator: Simulator, n: int, k: int, wrong: np.ndarray, noise: float, rng: np.random.Generator
) -> list[float]:
    """Coverage of both targets, tau of four rankings, and the ratio of standard errors, of one collection."""
    people = simulator.draw_values(n, rng)
    judge = np.clip(0.1 + 0.7 * people + wrong + rng.normal(size=people.shape) * people.std() * noise, 0, 1.5)
    y, f = centred(people), centred(judge)
    first, second = np.triu_indices(people.shape[1], 1)
    wide = stdtrit(k - 2, 0.975)
    found = []
    for whole, means in ((False, simulator.true_means), (True, people.mean(axis=0))):
        data = TwoPhase(people=y[:k], judge_there=f[:k], judge=f, whole=whole)
        estimate, error = data.by_pair
        off = np.abs(estimate - (means[:, None] - means[None, :]))
        found.append(float((off <= wide * error)[first, second].mean()))
    data = TwoPhase(people=y[:k], judge_there=f[:k], judge=f)
    rankings = data.people_only[0], f.mean(axis=0), data.pooled[0], shrunken(data).means
    found += [tau_b(ranking, simulator.true_means).value for ranking in rankings]
    alone = data.people_only[1]
    own = np.diagonal(alone)
    spread = np.sqrt(np.maximum(own[first] + own[second] - 2 * alone[first, second], 0.0))
    return [*found, float(data.by_pair[1][first, second].mean() / spread.mean())]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--trials", type=int, default=150)
    options = parser.parse_args()
    values = np.loadtxt(options.data / "adhoc8_ap.csv", delimiter=",", skiprows=1)
    simulator = Simulator.fit(Scores(values[:, np.argsort(-values.mean(axis=0))[:60:2]]))
    print("judge    n    k  holds  at hand   people   judge  hybrid  shrunk  error ratio")
    for name, size in JUDGES.items():
        rng = np.random.default_rng(1)
        wrong = rng.normal(size=simulator.true_means.shape) * simulator.true_means.std() * size / 2
        for n, k in CELLS:
            rows = [trial(simulator, n, k, wrong, 0.3 * size, rng) for _ in range(options.trials)]
            print(f"{name:7} {n:3} {k:4}  " + "  ".join(f"{value:6.3f}" for value in np.mean(rows, axis=0)), flush=True)


if __name__ == "__main__":
    main()
