"""Do the 95 % intervals of `compare()` and `better_judge()` hold the true agreement 95 % of the time?

    python benchmarks/compare_coverage.py --data DIR [--trials 200] [--sizes 20,50] [--collections adhoc6,adhoc7,adhoc8]
    [--json FILE]

DIR holds `trec/adhoc6_ap.csv`, `_p10.csv`, `_rr.csv` and so on. The topics of a matrix, bottom 25 % of the systems
dropped, are the population; samples are drawn from it with replacement, and the agreement of the population's means is
the truth. Estimates: judges that see AP with an error a system and an error a cell, at several true values of tau; P@10
and RR of the same runs; two of them again on topics of their own.
"""

from __future__ import annotations

import argparse
import json
import math
import time
from itertools import combinations
from pathlib import Path

import numpy as np

from tauscope import Scores, kernels
from tauscope.coefficients.records import catalogue
from tauscope.expected.jackknife import jackknife
from tauscope.judges import attenuation
from tauscope.judges.attenuation import Correction, Samples, limits
from tauscope.judges.shared_topics import join

TAUS = (0.95, 0.9, 0.8, 0.6)
#: tau_ap_a is tau_ap where there are no ties; small samples have some.
COEFFICIENTS = ("tau_b", "tau_ap_a")


def value(name: str, estimate: np.ndarray, truth: np.ndarray) -> float:
    return float(kernels.batch(catalogue[name], estimate.mean(axis=0)[None], truth.mean(axis=0)[None])[0][0])


def population(folder: Path, name: str) -> tuple[np.ndarray, dict[str, np.ndarray]]:
    """(truth, estimates by name), topics x systems."""
    read = {m: np.loadtxt(folder / "trec" / f"{name}_{m}.csv", delimiter=",", skiprows=1) for m in ("ap", "p10", "rr")}
    means = read["ap"].mean(axis=0)
    kept = means >= np.quantile(means, 0.25)
    truth, *others = (read[m][:, kept] for m in ("ap", "p10", "rr"))
    rng = np.random.default_rng(5)
    scatter = 0.5 * (truth - truth.mean(axis=1, keepdims=True)).std(axis=0).mean()
    judges = {}
    for tau in TAUS:
        lean, noise = rng.normal(size=truth.shape[1]), scatter * rng.normal(size=truth.shape)
        low, high = 0.0, 20 * truth.mean(axis=0).std()
        for _ in range(50):
            middle = (low + high) / 2
            low, high = (middle, high) if value("tau_b", truth + middle * lean, truth) > tau else (low, middle)
        judges[f"judge, tau {tau:g}"] = truth + middle * lean + noise - noise.mean(axis=0)
    return truth, judges | {"P@10": others[0], "RR": others[1]}


class Tally:
    """Hits by cell."""

    def __init__(self) -> None:
        self.hits: dict[tuple[str, int, str], list[bool]] = {}

    def add(self, cell: tuple[str, int, str], low: float, high: float, true: float) -> None:
        self.hits.setdefault(cell, []).append(low - 1e-9 <= true <= high + 1e-9)

    def shares(self) -> dict[tuple[str, int, str], float]:
        return {cell: float(np.mean(hits)) for cell, hits in self.hits.items()}


def trial(
    truth: np.ndarray, judges: dict[str, np.ndarray], size: int, seed: tuple[int, ...], alone: Tally, paired: Tally
) -> None:
    """One sample: every estimate by itself, every pair of them."""
    rng = np.random.default_rng(seed)
    rows = rng.integers(len(truth), size=size)
    _measure({name: scores[rows] for name, scores in judges.items()}, truth[rows], judges, truth, rng, alone, paired)
    apart = {f"{name}, own topics": judges[name] for name in ("judge, tau 0.9", "P@10")}
    other = rng.integers(len(truth), size=size)
    sampled = {name: scores[other] for name, scores in apart.items()}
    _measure(sampled, truth[rows], apart, truth, rng, alone, None)


def _measure(
    sampled: dict[str, np.ndarray],
    gold: np.ndarray,
    judges: dict[str, np.ndarray],
    truth: np.ndarray,
    rng: np.random.Generator,
    alone: Tally,
    paired: Tally | None,
) -> None:
    """Without `paired` the estimates have topics of their own."""
    topics = None if paired is not None else [f"own {i}" for i in range(len(gold))]
    matrices = [*(Scores(values, topics=topics) for values in sampled.values()), Scores(gold)]
    samples = Samples(join(matrices, rng), rng)
    for name in COEFFICIENTS:
        c = catalogue[name]
        found = {}
        for i, (judge, values) in enumerate(sampled.items()):
            one = Correction(samples, c, (i, len(sampled)))
            found[judge] = (
                value(name, values, gold),
                one.value.value,
                *one.topics(),
                value(name, judges[judge], truth),
            )
        for judge, (seen, corrected, every, left, true) in found.items():
            error = jackknife(every, left, samples.sizes)
            alone.add((judge, len(gold), name), *limits(c, corrected, seen, error, 0.95), true)
        for a, b in combinations(found, 2) if paired is not None else ():
            seen, corrected, every, left, true = (x - y for x, y in zip(found[a], found[b], strict=True))
            error = jackknife(every, left, samples.sizes)
            paired.add(
                (f"{a} against {b}", len(gold), name), *limits(c, corrected, seen, error, 0.95, difference=True), true
            )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--trials", type=int, default=200)
    parser.add_argument("--sizes", default="20,50")
    parser.add_argument("--collections", default="adhoc6,adhoc7,adhoc8")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    # The value needs no more digits here, and its noise counts against us.
    attenuation.VALUE_DRAWS = attenuation.JACKKNIFE_DRAWS
    sizes = [int(size) for size in options.sizes.split(",")]
    print(
        f"Coverage of 95 % intervals, tau_b / tau_ap, {options.trials:,} trials: Monte Carlo error "
        f"{math.sqrt(0.95 * 0.05 / options.trials):.3f}\n"
    )
    tables: dict[str, dict[str, dict[str, float]]] = {"alone": {}, "paired": {}}
    started = time.perf_counter()
    for name in options.collections.split(","):
        truth, judges = population(options.data, name)
        alone, paired = Tally(), Tally()
        for size in sizes:
            for k in range(options.trials):
                trial(truth, judges, size, (7, 0, size, k), alone, paired)
        for kind, tally in (("alone", alone), ("paired", paired)):
            shares = tally.shares()
            print(f"\n| {name}: {kind} | {' | '.join(f'n = {size}' for size in sizes)} |\n|---|{'---|' * len(sizes)}")
            for judge in dict.fromkeys(cell[0] for cell in shares):
                cells = [" / ".join(f"{shares[judge, size, c]:.3f}" for c in COEFFICIENTS) for size in sizes]
                print(f"| {judge} | {' | '.join(cells)} |", flush=True)
            for (judge, size, c), share in shares.items():
                tables[kind].setdefault(f"{name}: {judge}", {})[f"{c}, n = {size}"] = share
    for kind, table in tables.items():
        shares_ = [share for row in table.values() for share in row.values()]
        print(
            f"\n{kind}: {len(shares_)} cells, from {min(shares_):.3f} to {max(shares_):.3f}, "
            f"mean {np.mean(shares_):.3f}"
        )
    print(f"{time.perf_counter() - started:.0f} s")
    if options.json:
        options.json.write_text(json.dumps({"trials": options.trials, **tables}, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
