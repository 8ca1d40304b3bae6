"""Do the 95 % intervals of `compare()`, one judge and two, hold the true agreement, and are they no wider than needed?

    python benchmarks/compare_coverage.py --data DIR [--trials 1000] [--what judges|saturating|own_topics|groups|boards|
    measures|pairs|pairs_of_boards|several|systems] [--workers 2 or ADDRESS] [--record FILE] [--json FILE]

DIR holds `trec/adhoc6_ap.csv`, `_p10.csv`, `_rr.csv` and so on. The topics of a matrix are the population: samples are
drawn from it with replacement, and the agreement of the population's means is the truth. A judge sees the truth with an
error per system, which decides its true tau, and an error per cell.

judges: {20, 40, 100 systems} x {25, 50, 100 topics} x true tau {.7, .85, .95, 1}; 30 choices of systems and judge a
cell, from several collections. saturating: judges whose scores crowd at the top instead, from the median of all scores
on, from twice or from four times the median. own_topics: 40 systems, judged on topics of the judge's own, as many as
people have or four times as many. groups: the best 20 systems and the worst 5 or 10. boards: the boards in groups of
`coverage.py`, of all collections and measures (AP, nDCG, P@10, RR, ERR), 200 choices a cell. measures: P@10 and RR
against AP. pairs: two judges, with the power of their difference beside that of a z-test that knew the standard
deviation of the difference; pairs_of_boards: the same on those boards. several: four judges, how
often the limits of all six differences hold at once. systems: `compare(resample="systems")` and `"both"`, forty systems
as a sample of four hundred, one by one or as five families of eight, or ten of four, that the judge favours together.
Columns: the true value on average; coverage; mean width over that of 1.96 true standard deviations; bias.
"""

from __future__ import annotations

import argparse
import json
import math
import time
from collections.abc import Callable
from concurrent.futures import Executor
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
from coverage import boards_of
from trials import add_trial_options, count_trials

from tauscope import Scores, catalogue, compare
from tauscope.core import kernels
from tauscope.inference import attenuation
from tauscope.inference.attenuation import Correction, Samples, join
from tauscope.judges.agreement import agreement
from tauscope.judges.comparisons import measured

TAU = catalogue["tau_b"]
COLLECTIONS = ("adhoc5", "adhoc6", "adhoc7", "adhoc8", "web2010", "web2011")
#: Matrices that the boards in groups are made of.
MATRICES = (
    *(f"adhoc{track}_{measure}" for track in (5, 6, 7, 8) for measure in ("ap", "p10", "rr")),
    *(f"web{year}_{measure}" for year in (2010, 2011) for measure in ("ap", "ndcg20", "err20", "p10", "rr")),
)
#: Kinds of boards in groups.
BOARDS = tuple(boards_of(np.zeros((1, 40))))
#: Choices of systems and judge in a cell, and of a board.
CHOICES, BOARD_CHOICES = 30, 200
#: Systems of a population, and of a sample of it.
POPULATION, SAMPLE = 400, 40
#: Draws behind each interval: its Monte Carlo error counts against us.
DRAWS = 1000


def matrix(folder: Path, name: str, by: str = "ap") -> np.ndarray:
    """Topics x systems, the best system first by the mean of a measure."""
    values, order = (_read(folder / "trec" / f"{n}.csv") for n in (name, f"{name.split('_')[0]}_{by}"))
    return values[:, np.argsort(-order.mean(axis=0), kind="stable")]


#: What was read: a dictionary, because a function with `functools.cache` cannot be sent to workers elsewhere.
_READ: dict[Path, np.ndarray] = {}


def _read(path: Path) -> np.ndarray:
    if path not in _READ:
        _READ[path] = np.loadtxt(path, delimiter=",", skiprows=1)
    return _READ[path]


def tau(estimate: np.ndarray, truth: np.ndarray) -> float:
    """Of the means of two populations."""
    return float(kernels.batch(TAU, estimate.mean(axis=0)[None], truth.mean(axis=0)[None])[0][0])


def judge(truth: np.ndarray, target: float, rng: np.random.Generator) -> np.ndarray:
    """Sees the truth with an error per system, so large that tau is the target, and an error per cell."""
    scatter = scatter_of(truth, rng)
    lean, noise = rng.normal(size=truth.shape[1]), scatter * rng.normal(size=truth.shape)
    low, high = 0.0, 0.0 if target == 1 else 20 * truth.mean(axis=0).std()
    for _ in range(50):
        middle = (low + high) / 2
        low, high = (middle, high) if tau(truth + middle * lean, truth) > target else (low, middle)
    return truth + (low + high) / 2 * lean + noise - noise.mean(axis=0)


def scatter_of(truth: np.ndarray, rng: np.random.Generator) -> float:
    """The size of a judge's errors per cell, beside the scatter of the truth."""
    return float(rng.choice([0.3, 0.5, 0.8]) * (truth - truth.mean(axis=1, keepdims=True)).std(axis=0).mean())


def saturating_judge(truth: np.ndarray, times: int, rng: np.random.Generator) -> np.ndarray:
    """Good is good enough from so many times the median of all scores on; with an error per cell."""
    seen = 1 - np.exp(-truth / (times * np.median(truth)))
    noise = scatter_of(seen, rng) * rng.normal(size=truth.shape)
    return seen + noise - noise.mean(axis=0)


def some_systems(folder: Path, systems: int, rng: np.random.Generator) -> np.ndarray:
    """The truth: AP of systems from the upper three quarters of a collection, or of all where these are too few."""
    known = [name for name in COLLECTIONS if matrix(folder, f"{name}_ap").shape[1] >= systems]
    values = matrix(folder, f"{known[rng.integers(len(known))]}_ap")
    kept = max(systems, 3 * values.shape[1] // 4)
    return values[:, np.sort(rng.choice(kept, systems, replace=False))]


def of_judges(folder: Path, rng: np.random.Generator, systems: int, target: float) -> tuple[np.ndarray, np.ndarray]:
    truth = some_systems(folder, systems, rng)
    return judge(truth, target, rng), truth


def of_saturating(folder: Path, rng: np.random.Generator, systems: int, times: int) -> tuple[np.ndarray, np.ndarray]:
    truth = some_systems(folder, systems, rng)
    return saturating_judge(truth, times, rng), truth


def of_groups(folder: Path, rng: np.random.Generator, worst: int, target: float) -> tuple[np.ndarray, np.ndarray]:
    values = matrix(folder, f"{COLLECTIONS[rng.integers(len(COLLECTIONS))]}_ap")
    truth = values[:, [*range(20), *range(-worst, 0)]]
    return judge(truth, target, rng), truth


def board(folder: Path, name: str, kind: str) -> np.ndarray:
    """Of the systems in the order of this measure."""
    return boards_of(matrix(folder, name, by=name.split("_")[1]))[kind]


def of_boards(folder: Path, rng: np.random.Generator, kind: str, target: float) -> tuple[np.ndarray, np.ndarray]:
    truth = board(folder, MATRICES[rng.integers(len(MATRICES))], kind)
    return judge(truth, target, rng), truth


def of_measures(folder: Path, rng: np.random.Generator, name: str, measure: str) -> tuple[np.ndarray, np.ndarray]:
    estimate, truth = matrix(folder, f"{name}_{measure}"), matrix(folder, f"{name}_ap")
    kept = 3 * truth.shape[1] // 4
    return estimate[:, :kept], truth[:, :kept]


#: (estimate, truth) of a population, for each table of one judge.
MAKERS: dict[str, Callable[..., tuple[np.ndarray, np.ndarray]]] = {
    "judges": of_judges,
    "saturating": of_saturating,
    "own_topics": lambda folder, rng, _, target: of_judges(folder, rng, 40, target),
    "groups": of_groups,
    "boards": of_boards,
    "measures": of_measures,
}
Row = tuple[float, float, float, float]


def alone(
    make: Callable[[np.random.Generator], tuple[np.ndarray, np.ndarray]],
    size: int,
    trial: int,
    choices: int = CHOICES,
    own_topics: int = 0,
) -> Row:
    """(true, value, low, high) of one sample; the judge may have topics of its own, so many times as many."""
    estimate, truth = make(np.random.default_rng((5, trial % choices)))
    rng = np.random.default_rng((7, size, trial))
    rows = rng.integers(len(truth), size=size)
    seen = Scores(estimate[rows])
    if own_topics:
        others = rng.integers(len(truth), size=own_topics * size)
        seen = Scores(estimate[others], topics=[f"its own {i}" for i in range(len(others))])
    samples = Samples(join([seen, Scores(truth[rows])]), rng)
    found = Correction(samples, TAU).draws
    return tau(estimate, truth), found.value, *found.interval(0.95)


def paired(folder: Path, systems: int | str, targets: tuple[float, float], size: int, trial: int) -> Row:
    """The same of the difference of two judges of so many systems, or of a board of this kind."""
    if isinstance(systems, str):
        choice = np.random.default_rng((5, trial % BOARD_CHOICES))
        truth = board(folder, MATRICES[choice.integers(len(MATRICES))], systems)
    else:
        choice = np.random.default_rng((5, trial % CHOICES))
        truth = some_systems(folder, systems, choice)
    judges = [judge(truth, target, choice) for target in targets]
    rng = np.random.default_rng((7, size, trial))
    rows = rng.integers(len(truth), size=size)
    two = {f"{i}": Scores(own[rows]) for i, own in enumerate(judges)}
    found = measured(two, Scores(truth[rows]), catalogue["tau_b"], paired=None, seed=trial)
    value = float(found.corrected[0] - found.corrected[1])
    return tau(judges[0], truth) - tau(judges[1], truth), value, *found.difference(0, 1).interval(0.95)


def four(folder: Path, systems: int, targets: tuple[float, ...], size: int, trial: int) -> Row:
    """Of four judges: 0 as the truth, and limits that hold it where all six differences are held at once."""
    choice = np.random.default_rng((5, trial % CHOICES))
    truth = some_systems(folder, systems, choice)
    judges = {f"{i}": judge(truth, target, choice) for i, target in enumerate(targets)}
    rng = np.random.default_rng((7, size, trial))
    rows = rng.integers(len(truth), size=size)
    found = compare({name: Scores(own[rows]) for name, own in judges.items()}, truth=Scores(truth[rows]), rng=trial)
    held, reach, errors = True, [], []
    for a, b, _, low, high, _ in found.pairs:
        true = tau(judges[a], truth) - tau(judges[b], truth)
        held &= low - 1e-9 <= true <= high + 1e-9
        reach.append((high - low) / 2)
        errors.append(((low + high) / 2 - true) * (1 if a < b else -1))
    middle = 0.0 if held else 9.0  # limits far from the truth
    return 0.0, errors[0], middle - float(np.mean(reach)), middle + float(np.mean(reach))


def many_systems(values: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Systems of a population that a collection could be a sample of: as far apart, and each errs as a mixture of two
    of the collection's systems does."""
    one, other = (rng.integers(values.shape[1], size=POPULATION) for _ in range(2))
    angle = rng.uniform(0, math.pi / 2, size=POPULATION)
    effects = values - values.mean(axis=0) - (values - values.mean()).mean(axis=1, keepdims=True)
    means = values.mean() + values.mean(axis=0).std() * rng.normal(size=POPULATION)
    topics = values.mean(axis=1, keepdims=True) - values.mean()
    return means + topics + np.cos(angle) * effects[:, one] + np.sin(angle) * effects[:, other]


def of_systems(folder: Path, what: str, families: int, size: int, trial: int) -> Row:
    """Forty systems as a sample of four hundred; the judge favours families of them, of which so many are drawn whole,
    or none where it is 0."""
    choice = np.random.default_rng((5, trial % CHOICES))
    values = matrix(folder, f"{COLLECTIONS[choice.integers(len(COLLECTIONS))]}_ap")
    truth = many_systems(values[:, : 3 * values.shape[1] // 4], choice)
    estimate = judge(truth, 0.85, choice)
    family = np.arange(POPULATION) // (SAMPLE // families if families else 1)
    if families:
        estimate = estimate + 0.3 * truth.mean(axis=0).std() * choice.normal(size=family[-1] + 1)[family]
    rng = np.random.default_rng((7, size, trial))
    rows = rng.integers(len(truth), size=size)
    drawn = rng.choice(family[-1] + 1, families or SAMPLE, replace=False)
    columns = np.flatnonzero(np.isin(family, drawn))
    groups = {str(i + 1): f"{family[c]}" for i, c in enumerate(columns)} if families else None
    one, gold = (Scores(values[np.ix_(rows, columns)]) for values in (estimate, truth))
    found = agreement(one, gold, catalogue["tau_b"], level=0.95, resample=what, groups=groups, seed=trial)
    # Systems alone: these topics are all there are.
    at = rows if what == "systems" else np.arange(len(truth))
    true = tau(estimate[at], truth[at])
    return true, found.observed if what == "systems" else float(found), *found.interval


def count(folder: Path, cell: tuple[Any, ...], trials: range) -> list[list[float]]:
    """(true, value, low, high) of these trials of a cell."""
    what, first, size, second = cell
    attenuation.value_draws = lambda systems: DRAWS  # type: ignore[assignment]
    choices = BOARD_CHOICES if what == "boards" else CHOICES
    times = first if what == "own_topics" else 0
    rows = []
    for trial in trials:
        if what.startswith("pairs"):
            rows.append(paired(folder, first, second, size, trial))
        elif what == "several":
            rows.append(four(folder, first, second, size, trial))
        elif what == "systems":
            rows.append(of_systems(folder, first, second, size, trial))
        else:
            rows.append(alone(lambda rng: MAKERS[what](folder, rng, first, second), size, trial, choices, times))
    return [list(map(float, row)) for row in rows]


def figures(rows: np.ndarray, *, of_pairs: bool) -> list[float]:
    """The true value, coverage, width, bias; of pairs also power and that of the z-test."""
    true, value, low, high = rows.T
    error = value - true
    found = [
        true.mean(),
        ((low - 1e-9 <= true) & (true <= high + 1e-9)).mean(),
        (high - low).mean() / (3.92 * error.std()),
        error.mean(),
    ]
    if of_pairs:
        found += [((low > 0) | (high < 0)).mean(), (np.abs(value) > 1.96 * error.std()).mean()]
    return [float(x) for x in found]


CELLS: dict[str, tuple[tuple[object, ...], ...]] = {
    "judges": tuple(product((20, 40, 100), (25, 50, 100), (0.7, 0.85, 0.95, 1.0))),
    "saturating": tuple(product((20, 40, 100), (25, 50, 100), (1, 2, 4))),
    "own_topics": tuple(product((1, 4), (25, 50, 100), (0.7, 0.85, 0.95, 1.0))),
    "groups": tuple(product((5, 10), (25, 50, 100), (0.7, 0.8, 0.95))),
    "boards": tuple(product(BOARDS, (20, 50), (0.8, 0.95))),
    "measures": tuple(product(COLLECTIONS, (20, 50), ("p10", "rr"))),
    "several": tuple(product((20, 40), (25, 50, 100), ((0.95, 0.9, 0.85, 0.8), (0.85, 0.85, 0.85, 0.85)))),
    "systems": tuple(product(("systems", "both"), (25, 50), (0, 5, 10))),
    "pairs": tuple(product((20, 40, 100), (25, 50, 100), ((0.95, 0.85), (0.9, 0.8), (0.85, 0.7), (0.85, 0.85)))),
    "pairs_of_boards": tuple(product(BOARDS, (20, 50), ((0.95, 0.85), (0.85, 0.85)))),
}


def short(value: object) -> str:
    """.95 for 0.95, and so on; of several, what they have in common."""
    if isinstance(value, list | tuple):
        return f"all {short(value[0])}" if len(value) > 2 and len(set(value)) == 1 else ", ".join(map(short, value))
    return f"{value:g}".removeprefix("0") if isinstance(value, float) else str(value)


#: How a table stands in the documents: which coordinates of a cell its rows are called by (1 is the number of topics),
#: and what a cell says.
SHAPES: dict[str, tuple[tuple[int, ...], str]] = {
    "judges": ((0, 1), "{coverage:.3f} / {width:.2f} / {bias:+.3f}"),
    "saturating": ((0, 1), "{true:.2f}: {coverage:.3f} / {width:.2f} / {bias:+.3f}"),
    "own_topics": ((0, 1), "{coverage:.3f} / {width:.2f} / {bias:+.3f}"),
    "groups": ((0, 1), "{coverage:.3f} / {width:.2f} / {bias:+.3f}"),
    "boards": ((0,), "{coverage:.3f} / {width:.2f} / {bias:+.3f}"),
    "measures": ((0, 1), "{coverage:.3f} / {width:.2f} / {bias:+.3f}"),
    "several": ((0, 2), "{coverage:.3f}"),
    "systems": ((0, 1), "{coverage:.3f}, {width:.2f}"),
    "pairs": ((0, 1), "{coverage:.3f} / {width:.2f} / {bias:+.3f} / {power:.2f} ({z_test:.2f})"),
    "pairs_of_boards": ((0,), "{coverage:.3f} / {width:.2f} / {bias:+.3f} / {power:.2f} ({z_test:.2f})"),
}
FIGURES = ("true", "coverage", "width", "bias", "power", "z_test")


def lines(stored: dict[str, Any]) -> list[str]:
    """The rows of the table that a JSON file has, as they stand in the documents."""
    called_by, text = SHAPES[stored["what"]]
    rows: dict[tuple[str, ...], list[str]] = {}
    for cell in stored["cells"]:
        row = rows.setdefault(tuple(short(cell[i]) for i in called_by), [])
        row.append(text.format(**dict(zip(FIGURES, cell[3:], strict=False))))
    return [f"| {' | '.join([*names, *cells])} |" for names, cells in rows.items()]


def main(arguments: list[str] | None = None, executor: Executor | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--what", choices=list(CELLS), default="judges")
    add_trial_options(parser)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args(arguments)
    more = " | power | of a z-test" if options.what.startswith("pairs") else ""
    error = math.sqrt(0.95 * 0.05 / options.trials)
    print(f"{options.what}, tau_b, {options.trials:,} trials a cell: Monte Carlo error of a coverage {error:.3f}\n")
    print(
        f"| {options.what} | n | which | true | coverage | width | bias{more} |\n|{'---|' * (7 + 2 * bool(more))}",
        flush=True,
    )
    started, table = time.perf_counter(), []
    cells = [(options.what, *cell) for cell in CELLS[options.what]]
    for (_, first, size, second), rows in count_trials(partial(count, options.data), cells, options, executor):
        found = figures(rows, of_pairs=options.what.startswith("pairs"))
        shown = [f"{found[0]:.3f}", f"{found[1]:.3f}", f"{found[2]:.2f}", f"{found[3]:+.3f}"]
        print(f"| {first} | {size} | {second} | {' | '.join([*shown, *(f'{x:.2f}' for x in found[4:])])} |", flush=True)
        table.append([first, size, second, *found])
    # Judges of a true tau of 1 are not counted with the others.
    below = np.array([row[4:7] for row in table if options.what == "saturating" or row[2] != 1.0])
    print(
        f"\ncoverage {below[:, 0].mean():.3f} (from {below[:, 0].min():.3f}), width {below[:, 1].mean():.2f} (to "
        f"{below[:, 1].max():.2f}), largest bias {np.abs(below[:, 2]).max():.3f}; {time.perf_counter() - started:.0f} s"
    )
    if options.json:
        kept = {"what": options.what, "trials": options.trials, "cells": table}
        options.json.write_text(json.dumps(kept, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
