"""How much of the spread of observed means is real, for a close head alone and beside a few bad baselines?

    python benchmarks/reliability.py --data DIR [--trials 200]

DIR holds `trec/adhoc8_ap.csv`: the reliability g of all systems of TREC-8 on its 50 topics. Then topics are drawn with
replacement: the mean g of the best 20 systems, and of these and the worst 5, with 20 topics and with 50; and the
degrees of freedom that the variance of the best 20 means has if the systems are equal, because they err together.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np

from tauscope.inference.true_means import Observed


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--trials", type=int, default=200)
    options = parser.parse_args()
    values = np.loadtxt(options.data / "trec" / "adhoc8_ap.csv", delimiter=",", skiprows=1)
    values = values[:, np.argsort(-values.mean(axis=0), kind="stable")]
    boards = {"best 20": values[:, :20], "best 20 and worst 5": values[:, [*range(20), *range(-5, 0)]]}
    print(f"all {values.shape[1]} systems, {len(values)} topics: reliability {Observed.of(values).reliability:.2f}")
    for name, board in boards.items():
        for size in (20, 50):
            found = []
            for trial in range(options.trials):
                rows = np.random.default_rng((size, trial)).integers(len(board), size=size)
                found.append(Observed.of(board[rows]).reliability)
            print(f"{name}, {size} topics: mean reliability {np.mean(found):.2f}", flush=True)
    errors = np.cov(boards["best 20"].T)
    errors -= errors.mean(axis=0) + errors.mean(axis=1)[:, None] - errors.mean()
    print(f"degrees of freedom of the best 20, if equal: {np.trace(errors) ** 2 / (errors**2).sum():.1f}")


if __name__ == "__main__":
    main()
