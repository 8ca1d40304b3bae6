"""What do the six estimators of urbano2016 cost for one collection of 97 systems and 50 topics, in CPU time?"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from timing import Figures

from tauscope.inference.methods import BY_NAME, URBANO2016, Method
from tauscope.inference.true_means import Observed


def collection(topics: int, systems: int = 97) -> np.ndarray:
    """Scores like those of average precision: skewed topics, systems that are close, four decimals."""
    rng = np.random.default_rng(8)
    logits = rng.normal(-1.4, 1.1, (topics, 1)) + rng.normal(0, 0.35, systems) + rng.normal(0, 0.6, (topics, systems))
    return np.round(1 / (1 + np.exp(-logits)), 4)


def cpu(function: Callable[[], Any], repeat: int = 15) -> float:
    """Milliseconds of CPU, best of `repeat`."""
    function()
    times = []
    for _ in range(repeat):
        start = time.process_time()
        function()
        times.append(time.process_time() - start)
    return min(times) * 1e3


def all_of(values: np.ndarray, methods: list[Method]) -> list[dict[str, float]]:
    """As the study does it: what the methods share is computed once."""
    observed, generator = Observed.of(values), np.random.default_rng(1)
    return [method.sums(observed, generator) for method in methods]


def main() -> None:
    if (
        os.environ.get("OPENBLAS_NUM_THREADS") != "1"
    ):  # read when NumPy is loaded: idle threads would be counted as work
        os.execve(sys.executable, [sys.executable, *sys.argv], {**os.environ, "OPENBLAS_NUM_THREADS": "1"})
    figures = Figures("Expected correlation, 97 systems, both coefficients, CPU time")
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    values, large = collection(50), collection(100)
    methods = [BY_NAME[name] for name in URBANO2016]
    figures.add("all six, 50 topics", cpu(lambda: all_of(values, methods)), "ms", "<= 40")
    for name, method in BY_NAME.items():
        spent = cpu(lambda method=method: method.sums(Observed.of(values), np.random.default_rng(1)))  # type: ignore[misc]
        figures.add(f"{name}, 50 topics", spent, "ms")
    spent = cpu(lambda: BY_NAME["kd"].sums(Observed.of(large)))
    figures.add("kd, 100 topics", spent, "ms", "<= 30")
    figures.finish()


if __name__ == "__main__":
    main()
