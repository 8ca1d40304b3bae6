"""How long do the experiments of the papers take, against a loop of SciPy?

Predictive power: 2,000 splits x 5 measures x 12 coefficients (the six with thresholds at 0, .01, .05, .1) on 97
systems. Incomplete judgments: 129 runs x 50 topics x 1000 documents, 17 percentages x 5 repeats; making the runs takes
a minute and is not measured. `--no-slow` leaves them out.
"""

from __future__ import annotations

import os
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from evaluate import make
from timing import Figures

from tauscope import ScoreCube, catalogue
from tauscope.experiments import incomplete_judgments, predictive_power

SYSTEMS, TOPICS, TRIALS = 97, 50, 2000
MEASURES = ("P@10", "RR", "RBP(p=0.95)", "AP", "nDCG")


def made(rng: np.random.Generator) -> ScoreCube:
    """Scores of the size of TREC-8, two of the measures with ties."""
    base = np.clip(0.25 + 0.1 * rng.normal(size=SYSTEMS) + 0.2 * rng.normal(size=(TOPICS, SYSTEMS)), 0, 1)
    layers = [np.clip(base + 0.05 * rng.normal(size=base.shape), 0, 1) for _ in MEASURES]
    layers[0], layers[1] = layers[0].round(1), 1 / np.maximum(1, (10 * (1 - layers[1])).round())
    return ScoreCube(np.stack(layers), MEASURES)


def timed(figures: Figures) -> None:
    """Predictive power, and its tau_b part against SciPy."""
    from scipy.stats import kendalltau

    cube = made(np.random.default_rng(1))
    start, cpu = time.perf_counter(), time.process_time()
    predictive_power(cube, list(catalogue), draws=TRIALS, tied_within=(0, 0.01, 0.05, 0.1), rng=1)
    figures.add("predictive power, 12 coefficients, 4 thresholds: seconds", time.perf_counter() - start, "s", "<= 30")
    figures.add("  CPU time", time.process_time() - cpu, "s")
    seconds, cpus = [], []
    for _ in range(5):
        start, cpu = time.perf_counter(), time.process_time()
        predictive_power(cube, ["tau_b"], draws=TRIALS, rng=1)
        seconds.append(time.perf_counter() - start)
        cpus.append(time.process_time() - cpu)
    figures.add("predictive power, tau_b only: seconds", min(seconds), "s")
    one, two = cube.values[:, ::2].mean(1), cube.values[:, 1::2].mean(1)
    theirs, their_cpus = [], []
    for _ in range(5):
        start, cpu = time.perf_counter(), time.process_time()
        for i in range(5):
            for j in range(5):
                kendalltau(one[i], two[j])
        theirs.append((time.perf_counter() - start) / 25)
        their_cpus.append((time.process_time() - cpu) / 25)
    figures.add("one call of scipy.stats.kendalltau", min(theirs) * 1e6, "us")
    figures.add("a loop of SciPy over the same splits / ours", min(theirs) * TRIALS * 25 / min(seconds), "x", ">= 100")
    figures.add("  in CPU time, that is on one core", min(their_cpus) * TRIALS * 25 / min(cpus), "x")


def judged(figures: Figures) -> None:
    """Incomplete judgments from run files."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        make(folder, 129, np.random.default_rng(2))
        start = time.perf_counter()
        found = incomplete_judgments(folder / "runs", folder / "qrels", rng=1)
        figures.add(
            "incomplete judgments, 17 percentages x 5 draws: seconds", time.perf_counter() - start, "s", "<= 120"
        )
        figures.note(str(found).splitlines()[1])


def main() -> None:
    figures = Figures("Experiments of the papers")
    figures.add("cores", len(os.sched_getaffinity(0)))
    figures.add("load of the machine before", os.getloadavg()[0])
    timed(figures)
    if "--no-slow" not in sys.argv[1:]:
        judged(figures)
    figures.finish()


if __name__ == "__main__":
    main()
