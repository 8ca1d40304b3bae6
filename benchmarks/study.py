"""What does urbano2016's whole study cost, is it linear in draws, and what does a cluster cost beside a local pool?

    python benchmarks/study.py [--data DIR] [--json FILE]

The study is 3 collections x 10 sizes x 1,000 trials x 6 estimators x 2 coefficients, simulation included. It is
measured on a few trials of every size, in CPU time, so that a busy machine does not matter much; the whole is `tauscope
reproduce urbano2016 --draws 1000`. DIR holds `urbano2016/adhoc6.csv` and so on; without it, made-up collections of as
many systems are used.
"""

from __future__ import annotations

import multiprocessing
import os
import sys
import time
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import numpy as np
from expected import collection
from timing import Figures

from tauscope import Scores
from tauscope.core import kernels
from tauscope.experiments.study import SIZES, estimator_study, fit_collection, model_of, run_block
from tauscope.inference.methods import BY_NAME, URBANO2016
from tauscope.jobs import cluster
from tauscope.simulate.simulator import Options

SYSTEMS = {"adhoc6": 55, "adhoc7": 77, "adhoc8": 97}
METHODS = tuple(BY_NAME[name] for name in URBANO2016)
OPTIONS = Options("published", decimals=4)
TRIALS = 6


def collections() -> dict[str, Scores]:
    if "--data" in sys.argv[1:]:
        folder = Path(sys.argv[sys.argv.index("--data") + 1]) / "urbano2016"
        return {name: Scores.read(folder / f"{name}.csv").drop_worst(0.25) for name in SYSTEMS}
    return {name: Scores(collection(50, systems)) for name, systems in SYSTEMS.items()}


def cost(figures: Figures, boards: dict[str, Scores]) -> None:
    """CPU seconds of a trial, by collection, and of the whole."""
    total = simulating = 0.0
    ratios = []
    for name, scores in boards.items():
        fitted = fit_collection(np.ascontiguousarray(scores.values), OPTIONS)
        run_block(fitted, name, 50, (0, 2), METHODS, 0)
        spent = {}
        for draws in (TRIALS, 3 * TRIALS):
            start = time.process_time()
            for size in SIZES:
                run_block(fitted, name, size, (0, draws), METHODS, 0)
            spent[draws] = time.process_time() - start
        ratios.append(spent[3 * TRIALS] / spent[TRIALS])
        a_trial = spent[3 * TRIALS] / (3 * TRIALS * len(SIZES))
        figures.add(f"{name}, a trial, mean over sizes", 1e3 * a_trial, "ms")
        total += 1000 * len(SIZES) * a_trial
        model, start = model_of(fitted), time.process_time()
        for size in SIZES:
            for trial in range(TRIALS):
                model.draw(size, np.random.default_rng(trial))
        simulating += 1000 * len(SIZES) * (time.process_time() - start) / (TRIALS * len(SIZES))
    figures.add("three times the trials cost", float(np.mean(ratios)), "x", "3")
    figures.add("the whole study on 2 idle cores, projected", total / 2 / 60, "min", "<= 10")
    figures.add("of it simulation", 100 * simulating / total, "%")


def by_size(figures: Figures, scores: Scores) -> None:
    """Where the time goes, method by method."""
    fitted = fit_collection(np.ascontiguousarray(scores.values), OPTIONS)
    for method in METHODS:
        start = time.process_time()
        for size in SIZES:
            run_block(fitted, "adhoc8", size, (0, TRIALS), (method,), 0)
        figures.add(
            f"adhoc8, {method.name} alone with its simulation, a trial",
            1e3 * (time.process_time() - start) / (TRIALS * len(SIZES)),
            "ms",
        )


def workers(figures: Figures, boards: dict[str, Scores]) -> None:
    """The same study on a pool of two processes and on a cluster of two workers, both started before."""
    from distributed import LocalCluster

    def seconds(executor: object, draws: int) -> float:
        start = time.perf_counter()
        study = estimator_study(boards, draws=draws, means="published", decimals=4, executor=executor, rng=1)  # type: ignore[arg-type]
        took.setdefault(draws, []).append(study.columns()["error"])
        return time.perf_counter() - start

    took: dict[int, list[list[float]]] = {}
    local: list[float] = []
    there: list[float] = []
    context = multiprocessing.get_context("spawn")
    with (
        ProcessPoolExecutor(2, mp_context=context) as pool,
        LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None, host="127.0.0.1") as engine,
        cluster(engine.scheduler_address) as far,
    ):
        for executor in (pool, far):
            seconds(executor, 1)
        for _ in range(3):  # in turn, so that a busy machine disturbs both
            local.append(seconds(pool, 40))
            there.append(seconds(far, 40))
    if any(errors != found[0] for found in took.values() for errors in found):
        raise SystemExit("the pool and the cluster do not give the same numbers")
    figures.add("pool of 2 processes, 400 trials", min(local), "s")
    figures.add("cluster of 2 workers, 400 trials", min(there), "s")
    figures.add("cluster beside pool", min(there) / min(local), "x", "<= 1.3")


def main() -> None:
    if os.environ.get("OPENBLAS_NUM_THREADS") != "1":  # read when NumPy is loaded
        os.execve(sys.executable, [sys.executable, *sys.argv], {**os.environ, "OPENBLAS_NUM_THREADS": "1"})
    figures = Figures("The study of urbano2016, six estimators, both coefficients")
    boards = collections()
    with kernels.limited_threads(1):
        cost(figures, boards)
        by_size(figures, boards["adhoc8"])
    workers(figures, {"adhoc6": boards["adhoc6"]})
    figures.finish()


if __name__ == "__main__":
    main()
