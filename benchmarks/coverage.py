"""Do the 95 % intervals of `expected_correlation()` hold the true correlation 95 % of the time?

    python benchmarks/coverage.py --data DIR [--trials 1000] [--sizes 10,20,50,100] [--json FILE]

DIR holds `urbano2016/adhoc6.csv` and so on. Populations whose true means are known: the topics of each matrix (bottom 25 % of
the systems dropped) drawn with replacement; the simulator with exact means; 0/1 boards. Then the same topics with all true means
pulled together to .5 and .2 of their spread, where systems are too close for the method.
"""

from __future__ import annotations

import argparse
import json
import math
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np

from tauscope import Scores, Simulator, kernels
from tauscope.expected.draws import coefficient_draws
from tauscope.expected.observed import Observed

DRAWS = 1000
Draw = Callable[[int, np.random.Generator], np.ndarray]


def populations(folder: Path) -> Iterator[tuple[str, Draw, np.ndarray]]:
    """(name, draw(topics, generator), true means)."""
    matrices = {}
    for name in ("adhoc6", "adhoc7", "adhoc8"):
        values = np.loadtxt(folder / "urbano2016" / f"{name}.csv", delimiter=",", skiprows=1)
        matrices[name] = np.array(Scores(values).drop_worst(0.25).values)
    for name, values in matrices.items():
        yield name, _topics_of(values), values.mean(axis=0)
    for name, values in matrices.items():
        simulator = Simulator.fit(Scores(values), means="exact")
        yield f"{name} simulated", simulator.draw_values, simulator.true_means
    for spread in (0.1, 0.03):
        board = _board(spread)
        yield f"0/1 board, spread {spread:g}", _topics_of(board), board.mean(axis=0)
    for share in (0.5, 0.2):
        for name, values in matrices.items():
            means = values.mean(axis=0)
            pulled = values - (1 - share) * (means - means.mean())
            yield f"{name}, means x {share:g}", _topics_of(pulled), pulled.mean(axis=0)


def _topics_of(values: np.ndarray) -> Draw:
    return lambda topics, generator: values[generator.integers(len(values), size=topics)]


def _board(spread: float, systems: int = 100, items: int = 5000) -> np.ndarray:
    """Right or wrong answers of systems whose chances lie about .6; items differ in difficulty."""
    rng = np.random.default_rng(5)
    chances = 0.6 + spread * rng.normal(size=systems) + 0.2 * rng.normal(size=(items, 1))
    return (rng.random((items, systems)) < chances).astype(float)


def covered(values: np.ndarray, truth: np.ndarray, seed: int, level: float = 0.95) -> list[bool]:
    """Whether the interval holds the true value: tau, tau_ap. A pair tied in the sample counts half on both sides."""
    observed = Observed.of(values)
    means = np.ascontiguousarray(truth[observed.order])[None]
    found = []
    for name in ("tau", "tau_ap"):
        actual = kernels.batch(f"{name}_a", observed.means[None], means)[0][0]
        actual += float(observed.weights[name] @ observed.identical)
        draws = coefficient_draws(observed, name, DRAWS, np.random.default_rng(seed))
        low, high = np.quantile(draws, [(1 - level) / 2, (1 + level) / 2])
        found.append(bool(low - 1e-9 <= actual <= high + 1e-9))
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--trials", type=int, default=1000)
    parser.add_argument("--sizes", default="10,20,50,100")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    sizes = [int(size) for size in options.sizes.split(",")]
    print(f"Coverage of 95 % intervals, tau / tau_ap, {options.trials:,} trials: "
          f"Monte Carlo error {math.sqrt(0.95 * 0.05 / options.trials):.3f}\n")  # fmt: skip
    print(f"| population | {' | '.join(f'n = {size}' for size in sizes)} |\n|---|{'---|' * len(sizes)}", flush=True)
    table: dict[str, dict[int, list[float]]] = {}
    started = time.perf_counter()
    for number, (name, draw, truth) in enumerate(populations(options.data)):
        table[name] = {}
        for size in sizes:
            hits = np.zeros(2)
            for trial in range(options.trials):
                generator = np.random.default_rng(np.random.SeedSequence(7, spawn_key=(number, size, trial)))
                hits += covered(draw(size, generator), truth, trial)
            table[name][size] = (hits / options.trials).tolist()
        cells = (f"{tau:.3f} / {tau_ap:.3f}" for tau, tau_ap in table[name].values())
        print(f"| {name} | {' | '.join(cells)} |", flush=True)
    print(f"\n{time.perf_counter() - started:.0f} s")
    if options.json:
        options.json.write_text(
            json.dumps({"trials": options.trials, "coverage": table}, indent=2) + "\n", encoding="utf-8"
        )


if __name__ == "__main__":
    main()
