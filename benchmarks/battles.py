"""How long do strengths of 130 systems from 1.7 million battles take, names and covariance included, beside evalica?

    python benchmarks/battles.py [--battles 1700000] [--systems 130] [--json FILE]

Both start from the same lists of names. evalica (Rust) gives the estimate with ties as half; ours gives it with the
sandwich covariance, and once more with battles clustered by question. Seconds are those of the processor. `peak memory`
is that of this process, data included.
"""

from __future__ import annotations

import argparse
import resource
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from timing import Figures, alternating

from tauscope import Battles, bradley_terry


def best(function: Callable[[], Any], repeat: int) -> float:
    """Seconds of processor time, all threads together, best of several: what else the machine does hardly matters."""
    times = []
    for _ in range(repeat + 1):
        start = time.process_time()
        function()
        times.append(time.process_time() - start)
    return min(times)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--battles", type=int, default=1_700_000)
    parser.add_argument("--systems", type=int, default=130)
    parser.add_argument("--json")
    options = parser.parse_args()
    rng = np.random.default_rng(0)
    m, n = options.systems, options.battles
    names = np.array([f"organisation/model-{i}-instruct" for i in range(m)], dtype=object)
    strength = rng.normal(size=m)
    i = rng.integers(m, size=n)
    j = (i + rng.integers(1, m, size=n)) % m
    won = rng.random(n) < 1 / (1 + np.exp(strength[j] - strength[i]))
    verdict = np.where(rng.random(n) < 0.2, 2, np.where(won, 0, 1))
    first, second = names[i].tolist(), names[j].tolist()
    winner = np.array(["model_a", "model_b", "tie"], dtype=object)[verdict].tolist()
    questions = rng.integers(n // 5, size=n).tolist()

    figures = Figures(f"{n:,} battles of {m} systems, names as lists of texts")
    ours = best(lambda: bradley_terry(Battles(first, second, winner), ties="half"), repeat=3)
    figures.add("ours: strengths and covariance, ties as half", ours, "s", "<= 2")
    davidson = best(lambda: bradley_terry(Battles(first, second, winner), ties="davidson"), repeat=2)
    figures.add("ours: the same, ties by Davidson", davidson, "s", "<= 2")
    clustered = best(
        lambda: bradley_terry(Battles(first, second, winner, questions=questions), ties="half", clusters="question"),
        repeat=2,
    )
    figures.add("ours: the same, ties as half, clustered by question", clustered, "s", "<= 2")
    texts = [f"{number:032x}" for number in questions]
    named = best(
        lambda: bradley_terry(Battles(first, second, winner, questions=texts), ties="half", clusters="question"),
        repeat=2,
    )
    figures.add("ours: the same, questions as texts", named, "s", "<= 2")
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    figures.add("peak memory of this process, data included", peak, "GB", "<= 1")
    try:
        import evalica
    except ImportError:
        figures.note("evalica is not installed: pip install evalica")
    else:
        figures.peer("evalica")
        peers = [(evalica.Winner.X, evalica.Winner.Y, evalica.Winner.Draw)[k] for k in verdict]
        theirs, ours = alternating(
            lambda: evalica.bradley_terry(first, second, peers, tolerance=1e-9, limit=1000),
            lambda: bradley_terry(Battles(first, second, winner), ties="half"),
        )
        figures.add("evalica: strengths", theirs, "s")
        figures.add("ours, in turns with it: strengths and covariance", ours, "s")
        figures.add("evalica / ours", theirs / ours, "x", ">= 1")
        scores = np.log(evalica.bradley_terry(first, second, peers, tolerance=1e-9, limit=1000).scores)
        found = bradley_terry(Battles(first, second, winner), ties="half")
        gap = scores[list(found.systems)].to_numpy() - found.strengths
        figures.add("largest difference of strengths, without a shift", float(np.ptp(gap)), "", "< 1e-5")
    figures.finish()


if __name__ == "__main__":
    main()
