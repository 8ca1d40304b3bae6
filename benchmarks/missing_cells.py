"""Is the expected correlation right where cells are missing and means are adjusted for the topics that each system has?

    python benchmarks/missing_cells.py [--trials 1000]

Twelve systems on 25 topics: normal effects of systems, of topics and of cells. Each system lacks a share of its cells,
at random, that is itself random between 0 and what the line says. One line per largest share: the mean expected tau,
the tau with the true ranking that was reached, and how often the 95 % interval holds the latter.
"""

from __future__ import annotations

import argparse

import numpy as np

from tauscope import Scores, expected_correlation, tau

SYSTEMS, TOPICS = 12, 25
SHARES = (0.0, 0.2, 0.4, 0.6)
#: Standard deviations of the effects of systems, topics and cells.
SPREADS = 0.05, 0.1, 0.12


def trial(share: float, seed: int) -> tuple[float, float, bool]:
    """(expected, reached, held)."""
    rng = np.random.default_rng(seed)
    own, hard, noise = SPREADS
    truth = own * rng.normal(size=SYSTEMS)
    values = 0.5 + truth + hard * rng.normal(size=(TOPICS, 1)) + noise * rng.normal(size=(TOPICS, SYSTEMS))
    values[rng.random(values.shape) < share * rng.random(SYSTEMS)] = np.nan
    names = [f"s{i:02}" for i in range(SYSTEMS)]
    found = expected_correlation(Scores(values, systems=names, missing="keep"), missing="adjusted", rng=seed)
    places = [found.swaps.system.index(name) for name in names]
    reached = tau(-np.array(places), truth).value
    low, high = found.interval
    return found.value, reached, low - 1e-9 <= reached <= high + 1e-9


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--trials", type=int, default=1000)
    trials = parser.parse_args().trials
    print(f"{SYSTEMS} systems, {TOPICS} topics, {trials:,} trials a line")
    for share in SHARES:
        expected, reached, held = np.mean([trial(share, seed) for seed in range(trials)], axis=0)
        text = f"expected tau {expected:.3f}, reached {reached:.3f}, held in {held:.3f}"
        print(f"up to {share:4.0%} of the cells of a system missing: {text}", flush=True)


if __name__ == "__main__":
    main()
