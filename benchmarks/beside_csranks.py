"""Where ranks at once are wider than those of R's csranks, what is the width paid for?

    python benchmarks/beside_csranks.py --data DIR

DIR holds `cases/csranks` (limits that csranks gave for 40 systems of three collections, with 5,000 draws) and the
scores in `data/trec`. Mean widths of ranks at once, one column per collection: csranks' own; ours from a covariance,
with several numbers of draws and, with 4,000, the spread over seeds; the same with Student's t for the errors of so
few topics; flips of signs alone; `rank()`, which is cautious of skewed scores too; and the
least that the last could be if Shaffer's logical constraints were used: the largest critical value over 300 ways to
part the systems into equal ones that fit what was found, which is at most the one that would have to be taken.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
from claims import flips_alone
from stored import SYSTEMS, TREC, of_collection, stored

from tauscope.core.checking import PAIR_DRAWS
from tauscope.inference import relation as normal
from tauscope.inference.corrections import cautious_statistics, pair_norms
from tauscope.inference.relation import NormalScores, significantly_better
from tauscope.inference.true_means import Observed

LEVEL, FLIPS, PARTITIONS, SEEDS = 0.95, 20_000, 300, 12


def width(better: np.ndarray) -> float:
    """Of a rank, counted with both limits."""
    return float((len(better) - better.sum(axis=0) - better.sum(axis=1)).mean())


def partition(apart: np.ndarray, order: np.ndarray) -> np.ndarray:
    """Systems taken in this order, each joined to the first group in which it differs from nobody: its number."""
    groups: list[list[int]] = []
    for system in order:
        for group in groups:
            if not apart[system, group].any():
                group.append(system)
                break
        else:
            groups.append([system])
    label = np.empty(len(order), int)
    for number, group in enumerate(groups):
        label[group] = number
    return label


def by_partitions(observed: Observed) -> tuple[float, float]:
    """(the critical value by partitions over that of the last step, the width that it leaves)."""
    rng = np.random.default_rng(0)
    own, (first, second) = cautious_statistics(observed, rng), observed.pairs
    signs = rng.choice([-1.0, 1.0], size=(FLIPS, observed.topics))
    sums = signs @ observed.centred.T
    flipped = np.abs(sums[:, first] - sums[:, second]) / pair_norms(observed)
    found = np.zeros(len(own), bool)
    while True:
        limit = float(np.quantile(flipped[:, ~found].max(axis=1), LEVEL))
        if ((own > limit) == found).all():
            break
        found = own > limit
    apart = np.zeros((SYSTEMS, SYSTEMS), bool)
    apart[first, second] = found
    apart |= apart.T
    least = 0.0
    for trial in range(PARTITIONS):
        turned = np.roll(np.arange(SYSTEMS), trial)
        label = partition(apart, turned if trial <= SYSTEMS else rng.permutation(SYSTEMS))
        inside = label[first] == label[second]
        least = max(least, float(np.quantile(flipped[:, inside].max(axis=1), LEVEL)))
    better = np.zeros((SYSTEMS, SYSTEMS), bool)
    better[first, second] = own > least
    return least / limit, width(better)


def column(folder: Path, name: str) -> dict[str, str]:
    """What is printed of one collection."""
    values, theirs = of_collection(folder, name), stored(folder, name)
    names = tuple(map(str, range(SYSTEMS)))
    moments = values.mean(axis=0), np.cov(values.T) / len(values)
    known, student = NormalScores.of(names, *moments), NormalScores.of(names, *moments, float(len(values) - 1))
    few = [width(normal.better(known, LEVEL, seed, 4000)) for seed in range(SEEDS)]
    observed = Observed.of(values)
    alone, careful = (
        " / ".join(f"{width(found(observed, draws)):.2f}" for draws in (PAIR_DRAWS, FLIPS))
        for found in (
            lambda o, draws: flips_alone(o, 0, draws),
            lambda o, draws: significantly_better(o, LEVEL, 0, draws),
        )
    )
    below, left = by_partitions(observed)
    return {
        "csranks, 5,000 draws": f"{float((theirs['upper'] - theirs['lower'] + 1).mean()):.2f}",
        "from a covariance, as many draws as a board has": f"{width(normal.better(known, LEVEL, 0)):.2f}",
        "the same, 100,000 draws": f"{width(normal.better(known, LEVEL, 0, 100_000)):.2f}",
        f"the same, 4,000 draws, {SEEDS} seeds: mean ± standard deviation": f"{np.mean(few):.2f} ± {np.std(few):.2f}",
        "with Student's t, 20,000 draws": f"{width(normal.better(student, LEVEL, 0, FLIPS)):.2f}",
        f"flips of signs alone, {PAIR_DRAWS:,} / {FLIPS:,} of them": alone,
        "the same with caution: rank()": careful,
        "at least so wide by partitions": f"{left:.2f}",
        "their critical value over ours": f"{below:.3f}",
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    folder = parser.parse_args().data
    columns = [column(folder, name) for name in TREC]
    print(f"Mean widths of ranks at once, {SYSTEMS} systems\n\n| | {' | '.join(TREC)} |\n|---|{'---|' * len(TREC)}")
    for line in columns[0]:
        print(f"| {line} | {' | '.join(found[line] for found in columns)} |")


if __name__ == "__main__":
    main()
