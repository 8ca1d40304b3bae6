"""What is a user told: how often do judges whose true agreement is known get a yes, a yes in part, or a no?

    python benchmarks/verdicts.py --data DIR [--trials 200] [--workers 2 or ADDRESS] [--record FILE]

DIR holds `trec/adhoc6_ap.csv` and so on. Judges and samples of topics are those of `compare_coverage.py`: 40 systems, a
true tau of .8, .85, .9, .95 and 1, and 25, 50 and 100 topics; the answer is that of `tauscope compare` without a
margin. Beside them are judges that are bad at the top and perfect below it: of the ten best systems 19 or 20 of the 45
pairs are turned round, of 40 systems (a true tau of .95) and of 100 (.99). They must not get a yes without a word about
the top. One line per judge and number of topics: the share of each answer.
"""

from __future__ import annotations

import argparse
import math
from concurrent.futures import Executor
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
from compare_coverage import CHOICES, of_judges, scatter_of, short, some_systems
from trials import add_trial_options, count_trials

from tauscope import Scores
from tauscope.inference import attenuation
from tauscope.judges.agreement import TOP, Standing, Top, agree, stands_in

#: (systems, topics, true tau); None for a judge that is bad at the top.
CELLS = tuple(
    (systems, size, target)
    for (systems, target), size in product(
        [*((40, target) for target in (0.8, 0.85, 0.9, 0.95, 1.0)), (40, None), (100, None)], (25, 50, 100)
    )
)
ANSWERS = (
    "can replace",
    "can replace, top open",
    "for some uses: not at the top",
    "for some uses: a rough order",
    "not shown",
    "cannot replace",
)
#: Of the 45 pairs of the ten best, so many are turned round: as many as make a tau of .95 of 40 systems.
TURNED = (19, 20)
#: Draws behind each comparison: its Monte Carlo error counts against us.
DRAWS = 2000


def bad_at_the_top(folder: Path, rng: np.random.Generator, systems: int) -> tuple[np.ndarray, np.ndarray]:
    """(estimate, truth): the true means of the ten best are dealt out among them, the others are right."""
    truth = some_systems(folder, systems, rng)
    means = truth.mean(axis=0)
    best = np.argsort(-means, kind="stable")[:TOP]
    while True:
        dealt = rng.permutation(TOP)
        if np.triu(dealt[:, None] > dealt, 1).sum() in TURNED:
            break
    shift = np.zeros(systems)
    shift[best] = means[best[dealt]] - means[best]
    noise = scatter_of(truth, rng) * rng.normal(size=truth.shape)
    return truth + shift + noise - noise.mean(axis=0), truth


def told(estimate: Scores, truth: Scores) -> int:
    """Which of the answers is given."""
    found = stands_in(agree(estimate, truth))
    if found.verdict is Standing.REPLACES:
        return 0 if found.top is Top.HOLDS else 1
    if found.verdict is Standing.SOME_USES:
        return 2 if found.over_all is Standing.REPLACES else 3
    return {Standing.NOT_SHOWN: 4, Standing.CANNOT: 5}[found.verdict]


def count(folder: Path, cell: tuple[Any, ...], trials: range) -> list[list[float]]:
    """The number of the answer in these trials of a cell."""
    systems, size, target = cell
    attenuation.value_draws = lambda _: DRAWS  # type: ignore[assignment]
    rows = []
    for trial in trials:
        choice = np.random.default_rng((5, trial % CHOICES))
        make = bad_at_the_top if target is None else partial(of_judges, target=target)
        estimate, truth = make(folder, choice, systems)
        sample = np.random.default_rng((7, size, trial)).integers(len(truth), size=size)
        rows.append([float(told(Scores(estimate[sample]), Scores(truth[sample])))])
    return rows


def main(arguments: list[str] | None = None, executor: Executor | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    add_trial_options(parser)
    parser.set_defaults(trials=200)
    options = parser.parse_args(arguments)
    error = 0.5 / math.sqrt(options.trials)
    print(f"{options.trials:,} trials a line: Monte Carlo error of a share at most {error:.3f}\n")
    print(f"| judge | topics | {' | '.join(ANSWERS)} |\n|{'---|' * (2 + len(ANSWERS))}", flush=True)
    for (systems, size, target), rows in count_trials(partial(count, options.data), CELLS, options, executor):
        judge = f"top ten of {systems} shuffled" if target is None else f"true tau {short(target)}"
        shares = np.bincount(rows[:, 0].astype(int), minlength=len(ANSWERS)) / len(rows)
        print(f"| {judge} | {size} | {' | '.join(f'{share:.2f}' for share in shares)} |", flush=True)


if __name__ == "__main__":
    main()
