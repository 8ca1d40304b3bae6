"""How far below the true agreement of a judge with people is the one that is observed, because topics are few?

    python benchmarks/observed_agreement.py --data DIR [--trials 1000]

DIR holds `trec/adhoc6_ap.csv` and so on. Systems, judges and samples of topics are those of `compare_coverage.py`. One
line per number of topics: the mean observed tau_b of judges whose true tau is .95, .85 and .7, with 20, 40 and 100
systems.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
from compare_coverage import CHOICES, of_judges, tau

SYSTEMS, TOPICS, TRUE = (20, 40, 100), (20, 25, 50, 100), (0.95, 0.85, 0.7)


def observed(folder: Path, systems: int, target: float, trials: int) -> list[float]:
    """The mean over trials with each number of topics."""
    made = [of_judges(folder, np.random.default_rng((5, choice)), systems, target) for choice in range(CHOICES)]
    found = []
    for size in TOPICS:
        values = []
        for trial in range(trials):
            estimate, truth = made[trial % CHOICES]
            rows = np.random.default_rng((7, size, trial)).integers(len(truth), size=size)
            values.append(tau(estimate[rows], truth[rows]))
        found.append(float(np.mean(values)))
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--trials", type=int, default=1000)
    options = parser.parse_args()
    print(f"Mean observed tau_b, {options.trials:,} trials a cell; {' / '.join(map(str, SYSTEMS))} systems\n")
    print(f"| topics | {' | '.join(f'true tau {target:g}' for target in TRUE)} |\n|---|{'---|' * len(TRUE)}")
    found = {
        (systems, target): observed(options.data, systems, target, options.trials)
        for target in TRUE
        for systems in SYSTEMS
    }
    for place, size in enumerate(TOPICS):
        cells = (" / ".join(f"{found[systems, target][place]:.3f}" for systems in SYSTEMS) for target in TRUE)
        print(f"| {size} | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
