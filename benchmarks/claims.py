"""How often is a pair of equal systems called different, and how many pairs that differ are found?

    python benchmarks/claims.py --data DIR [--trials 1000] [--workers 2]

DIR holds `trec/adhoc6_ap.csv` and so on. Eight systems from the upper half of a collection, their true means made
equal by a shift, on topics drawn with replacement, for several measures; and 0/1 boards. Claims are those of `rank()`
at 95 %; beside them flips of signs alone, and resampled normal errors, which is
what R's csranks has. Then how often a bad system is told from the best of seven good ones, or of seven near copies of
one model; and, on whole collections, mean widths of simultaneous ranks and numbers of tiers.
"""

from __future__ import annotations

import argparse
import math
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from pathlib import Path

import numpy as np

from tauscope.core.checking import PAIR_DRAWS
from tauscope.inference import corrections
from tauscope.inference.relation import rank_limits, tested, tier_numbers
from tauscope.inference.true_means import Observed

#: Ad hoc 5 and web 2011 are kept apart for checking.
COLLECTIONS = ("adhoc6", "adhoc7", "adhoc8", "web2010")
MEASURES = {"AP": "ap", "P@10": "p10", "RR": "rr", "0/1": ""}
LEVEL, FLIPS = 0.95, 1000


def equal_systems(folder: Path, measure: str, rng: np.random.Generator, systems: int = 8) -> np.ndarray:
    """A population whose true means are all the same, topics x systems."""
    if not MEASURES[measure]:
        z = rng.normal(size=(2000, 1)) * rng.uniform(0.5, 1.5, size=systems) + rng.normal(size=(2000, systems))
        return (z > np.quantile(z, 0.3, axis=0)).astype(float)
    name = COLLECTIONS[rng.integers(len(COLLECTIONS))]
    values = np.loadtxt(folder / "trec" / f"{name}_{MEASURES[measure]}.csv", delimiter=",", skiprows=1)
    best = np.argsort(-values.mean(axis=0))[: values.shape[1] // 2]
    values = values[:, rng.choice(best, systems, replace=False)]
    return values - values.mean(axis=0) + values.mean()


def flips_alone(observed: Observed, seed: int, draws: int = FLIPS) -> np.ndarray:
    """Claims without caution for skewed differences."""
    # Claims are kept with what was observed, so a copy of it that keeps none is asked.
    own = replace(observed)
    careful = corrections.caution
    corrections.caution = lambda o, generator: np.ones(len(o.gaps))  # type: ignore[assignment]
    found = tested(own, LEVEL, seed, draws).better
    corrections.caution = careful
    return found


def normal_errors(observed: Observed, rng: np.random.Generator) -> bool:
    """Whether any pair exceeds the largest of normal errors with the covariance of the means."""
    first, second = observed.pairs
    n, deviation = observed.topics, observed.deviations
    known = deviation > 0
    drawn = rng.normal(size=(FLIPS, n)) @ (observed.centred - observed.effects[:, None]).T / math.sqrt(n - 1)
    largest = (np.abs(drawn[:, first] - drawn[:, second])[:, known] / deviation[known]).max(axis=1)
    t = math.sqrt(n) * observed.gaps[known] / deviation[known]
    return bool((t > np.quantile(largest, LEVEL)).any())


def cell(task: tuple[Path, str, int, int]) -> list[float]:
    """Shares of collections with a false claim: ours, flips alone, normal errors."""
    folder, measure, size, trials = task
    found = []
    for trial in range(trials):
        rng = np.random.default_rng((9, size, trial))
        values = equal_systems(folder, measure, rng)
        observed = Observed.of(values[rng.integers(len(values), size=size)])
        ours = tested(observed, LEVEL, trial, FLIPS).better.any()
        found.append([ours, flips_alone(observed, trial).any(), normal_errors(observed, rng)])
    return np.mean(found, axis=0).tolist()


def beside_a_bad_one(folder: Path, measure: str, rng: np.random.Generator) -> np.ndarray:
    """A population of seven good systems and a bad one, which is the last: near copies of one model on a 0/1 board, or
    the best seven of a collection and one of its five worst."""
    if not MEASURES[measure]:
        good = rng.random((2000, 1)) < 0.9
        copies = good ^ (rng.random((2000, 7)) < 0.02)
        return np.hstack([copies, rng.random((2000, 1)) < 0.2]).astype(float)
    name = COLLECTIONS[rng.integers(len(COLLECTIONS))]
    values = np.loadtxt(folder / "trec" / f"{name}_{MEASURES[measure]}.csv", delimiter=",", skiprows=1)
    order = np.argsort(-values.mean(axis=0), kind="stable")
    return values[:, [*order[:7], order[-1 - rng.integers(5)]]]


def found_apart(task: tuple[Path, str, int, int]) -> list[float]:
    """Shares of collections in which the bad one is told from the best: ours, flips alone."""
    folder, measure, size, trials = task
    found = []
    for trial in range(trials):
        rng = np.random.default_rng((10, size, trial))
        values = beside_a_bad_one(folder, measure, rng)
        observed = Observed.of(values[rng.integers(len(values), size=size)])
        bad = int(np.flatnonzero(observed.order == 7)[0])
        ours = tested(observed, LEVEL, trial, FLIPS).better[0, bad]
        found.append([ours, flips_alone(observed, trial)[0, bad]])
    return np.mean(found, axis=0).tolist()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--trials", type=int, default=1000)
    parser.add_argument("--workers", type=int, default=2)
    options = parser.parse_args()
    error = math.sqrt(0.05 * 0.95 / options.trials)
    print(
        f"False claims of eight equal systems, ours / flips alone / normal errors, {options.trials:,} trials: Monte "
        f"Carlo error {error:.3f}\n"
    )
    print("| measure | n = 10 | n = 20 | n = 50 |\n|---|---|---|---|")
    tasks = [(options.data, measure, size, options.trials) for measure in MEASURES for size in (10, 20, 50)]
    with ProcessPoolExecutor(options.workers) as pool:
        found, apart = (
            dict(zip([task[1:3] for task in tasks], pool.map(what, tasks), strict=True)) for what in (cell, found_apart)
        )
    _print_rows(found)
    print("\nA bad system told from the best of seven good ones, ours / flips alone\n")
    print("| measure | n = 10 | n = 20 | n = 50 |\n|---|---|---|---|")
    _print_rows(apart)
    print(
        "\nMean width of simultaneous ranks and number of tiers, ours / flips alone\n\n| collection | width | tiers "
        "|\n|---|---|---|"
    )
    for name in (*(f"{c}_ap" for c in COLLECTIONS), "adhoc8_p10", "adhoc8_rr", "web2010_ndcg20"):
        observed = Observed.of(np.loadtxt(options.data / "trec" / f"{name}.csv", delimiter=",", skiprows=1))
        widths, tiers = [], []
        for better in (tested(observed, LEVEL, 0, None).better, flips_alone(observed, 0, PAIR_DRAWS)):
            low, high = rank_limits(better)
            widths.append(f"{(high - low + 1).mean():.1f}")
            tiers.append(str(tier_numbers(better, observed.means).max()))
        print(f"| {name} | {' / '.join(widths)} | {' / '.join(tiers)} |", flush=True)


def _print_rows(found: dict[tuple[str, int], list[float]]) -> None:
    for measure in MEASURES:
        cells = (" / ".join(f"{share:.3f}" for share in found[measure, size]) for size in (10, 20, 50))
        print(f"| {measure} | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
