"""Do the 95 % intervals of `expected_correlation()` and `rank()` hold the truth 95 % of the time?

    python benchmarks/coverage.py --data DIR [--trials 1000] [--sizes 10,20,50,100] [--groups | --other-groups]
    [--ranks | --at-once | --plan] [--workers 2 or ADDRESS] [--record FILE] [--json FILE]

DIR holds `urbano2016/adhoc6.csv` and so on. Populations whose true means are known: the topics of each matrix (bottom
25 % of the systems dropped) drawn with replacement; the simulator with exact means; 0/1 boards. Then the same topics
with all true means pulled together to .5 and .2 of their spread, where systems are close. With --ranks: the ranks of
the systems, each taken alone (all, the ten best observed, the ten truly best); with --at-once: all ranks at once. With
--plan: the bands of `.curve()` at 50 and 200 topics of a new collection. With --groups: boards whose systems come in
groups instead, the best 20 and the worst 5, say, from `trec/adhoc5_ap.csv` and so on, and 0/1 boards with five
baselines; the table has biases and widths too. With --other-groups: the same of other measures, which were not looked
at when the method was made. Tables are printed as they stand in `docs/explanation/how-sure.md`, and a line sums them up
for each number of topics; the JSON has every figure. With --record a run that was cut short goes on where it ended.
"""

from __future__ import annotations

import argparse
import json
import math
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Executor
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from scipy.stats import rankdata
from trials import add_trial_options, count_trials

from tauscope import Scores, catalogue, expected_correlation, rank
from tauscope.core import kernels
from tauscope.inference.methods import BY_NAME
from tauscope.inference.true_means import SWAP_SUMS, Observed, draw_correlations
from tauscope.simulate import Simulator

DRAWS = 1000
#: Topics of the new collections that are planned.
PLANNED = (50, 200)
#: What is asked of a cell: coverages of at least, and a bias of at most.
LEAST, MOST_BIAS = 0.91, 0.06
#: What the names of populations have in common whose true means are pulled together.
PULLED = "with means pulled to"
Draw = Callable[[int, np.random.Generator], np.ndarray]


def populations(folder: Path) -> Iterator[tuple[str, Draw, np.ndarray]]:
    """(name, draw(topics, generator), true means)."""
    matrices = {}
    for track in (6, 7, 8):
        values = np.loadtxt(folder / "urbano2016" / f"adhoc{track}.csv", delimiter=",", skiprows=1)
        matrices[f"TREC-{track}"] = np.array(Scores(values).drop_worst(0.25).values)
    for name, values in matrices.items():
        yield name, _topics_of(values), values.mean(axis=0)
    for name, values in matrices.items():
        simulator = Simulator.fit(Scores(values), means="exact")
        yield f"{name} simulated", simulator.draw_values, simulator.true_means
    for spread in (0.1, 0.03):
        board = _board(spread)
        yield f"0/1 board, chances .6 ± {f'{spread:g}'[1:]}", _topics_of(board), board.mean(axis=0)
    for share in (0.5, 0.2):
        for name, values in matrices.items():
            means = values.mean(axis=0)
            pulled = values - (1 - share) * (means - means.mean())
            yield f"{name} {PULLED} {share:g}", _topics_of(pulled), pulled.mean(axis=0)


def grouped(folder: Path) -> Iterator[tuple[str, Draw, np.ndarray]]:
    """The same of boards whose systems come in groups."""
    yield from _boards(folder, ("adhoc5_ap", "adhoc6_ap", "adhoc7_ap", "adhoc8_ap", "web2010_ndcg20", "web2011_ap"))
    for spread in (0.1, 0.03):
        board = _board(spread, systems=50, baselines=5)
        yield f"0/1 board, spread {spread:g}, five baselines", _topics_of(board), board.mean(axis=0)


def other_groups(folder: Path) -> Iterator[tuple[str, Draw, np.ndarray]]:
    """The same of other measures."""
    adhoc = (f"adhoc{track}_{measure}" for track in (5, 6, 7, 8) for measure in ("p10", "rr"))
    web = (f"web{year}_{measure}" for year in (2010, 2011) for measure in ("err20", "p10", "rr"))
    yield from _boards(folder, (*adhoc, *web))


def _boards(folder: Path, names: tuple[str, ...]) -> Iterator[tuple[str, Draw, np.ndarray]]:
    for name in names:
        values = np.loadtxt(folder / "trec" / f"{name}.csv", delimiter=",", skiprows=1)
        values = values[:, np.argsort(-values.mean(axis=0), kind="stable")]
        for title, board in boards_of(values).items():
            yield f"{name}, {title}", _topics_of(board), board.mean(axis=0)


POPULATIONS = {"plain": populations, "groups": grouped, "other_groups": other_groups}


def boards_of(values: np.ndarray) -> dict[str, np.ndarray]:
    """Boards of one collection, its systems from the best to the worst."""
    head, tail = np.arange(20), np.arange(20, 25)
    with_worst = values[:, [*range(20), *range(-5, 0)]]
    clusters = _pulled(_pulled(values[:, :40], head, 0.5), np.arange(20, 40), 0.5)
    clusters[:, 20:] -= 0.15
    outlier = values[:, :30].copy()
    outlier[:, 29] -= 0.3
    heavy = values[:, :40] - values[:, :40].mean(axis=0)
    heavy += 0.012 * np.sort(np.random.default_rng(1).standard_t(2, size=40))
    return {
        "best 20 and worst 5": with_worst,
        "the same, head pulled to .5": _pulled(with_worst, head, 0.5),
        "the same, head pulled to .2": _pulled(with_worst, head, 0.2),
        "the same, both pulled to .2": _pulled(_pulled(with_worst, head, 0.2), tail, 0.2),
        "best 20 and worst 10": values[:, [*range(20), *range(-10, 0)]],
        "two clusters": clusters,
        "one outlier": outlier,
        "heavy tail": heavy,
        "best 20": values[:, :20],
    }


def _pulled(values: np.ndarray, systems: np.ndarray, share: float) -> np.ndarray:
    """With the true means of some systems pulled together."""
    result = values.copy()
    means = values[:, systems].mean(axis=0)
    result[:, systems] -= (1 - share) * (means - means.mean())
    return result


def _topics_of(values: np.ndarray) -> Draw:
    return lambda topics, generator: values[generator.integers(len(values), size=topics)]


def _board(spread: float, systems: int = 100, items: int = 5000, baselines: int = 0) -> np.ndarray:
    """Right or wrong answers of systems whose chances lie about .6, of baselines about .3; items differ in
    difficulty."""
    rng = np.random.default_rng(5)
    own = 0.6 + spread * rng.normal(size=systems)
    own[systems - baselines :] -= 0.3
    chances = own + 0.2 * rng.normal(size=(items, 1))
    return (rng.random((items, systems)) < chances).astype(float)


def covered(values: np.ndarray, truth: np.ndarray, seed: int, level: float = 0.95) -> list[float]:
    """Whether the interval holds the true value: tau, tau_ap; then the error of E[tau] and the width of its interval. A
    pair tied in the sample counts half on both sides."""
    observed = Observed.of(values)
    means = np.ascontiguousarray(truth[observed.order])[None]
    expected = BY_NAME["shrunk"].sums(observed)
    found, widths, errors = [], [], []
    for c in SWAP_SUMS:
        actual = kernels.batch(catalogue[c.instead[0]], observed.means[None], means)[0][0]
        low, high = draw_correlations(observed, c, seed, draws=DRAWS).interval(level)
        found.append(float(low - 1e-9 <= actual <= high + 1e-9))
        errors.append(expected[c.name] - actual)
        widths.append(high - low)
    return [*found, errors[0], widths[0]]


def covered_ranks(values: np.ndarray, truth: np.ndarray, seed: int) -> list[float]:
    """Shares of systems whose true rank is held, each taken alone: all, the ten best observed, the ten truly best."""
    held, top = _held_ranks(values, truth, alone=True, seed=seed)
    return [float(held.mean()), float(held[:10].mean()), float(held[top].mean())]


def covered_at_once(values: np.ndarray, truth: np.ndarray, seed: int) -> list[float]:
    """Whether the true ranks of all systems are held."""
    held, _ = _held_ranks(values, truth, alone=False, seed=seed)
    return [float(held.all())]


def _held_ranks(values: np.ndarray, truth: np.ndarray, *, alone: bool, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Whose true rank is held, best observed system first, and who is among the ten truly best."""
    best, worst = rankdata(-truth, "min"), rankdata(-truth, "max")
    found = rank(Scores(values), rng=seed)
    at = np.array([int(name) - 1 for name in found.systems])
    low, high = found.low, found.high
    if alone:
        own = [found.one(name) for name in found.systems]
        low, high = (np.array([getattr(one, side) for one in own]) for side in ("low", "high"))
    return (low <= worst[at]) & (best[at] <= high), best[at] <= 10


def expected_truth(draw: Draw, truth: np.ndarray, topics: int, seed: int, collections: int = 300) -> float:
    """The mean tau with the true ranking of new collections of so many topics."""
    generator = np.random.default_rng(seed)
    found = []
    for _ in range(collections):
        observed = Observed.of(draw(topics, generator))
        means = np.ascontiguousarray(truth[observed.order])[None]
        found.append(kernels.batch(catalogue["tau_a"], observed.means[None], means)[0][0])
    return float(np.mean(found))


def covered_plans(values: np.ndarray, goals: dict[int, float], seed: int) -> list[float]:
    """Whether the bands of the curve hold the expected tau of new collections; then the errors of the curve."""
    curve = expected_correlation(Scores(values), rng=seed, interval=False).curve(list(goals))
    held = [low <= goal <= high for low, goal, high in zip(curve.low, goals.values(), curve.high, strict=True)]
    return [*map(float, held), *(value - goal for value, goal in zip(curve.values, goals.values(), strict=True))]


@dataclass(frozen=True, kw_only=True)
class Question:
    """What is counted in each trial: coverages, then errors of values, then other figures.

    `check` takes the sample, the truth and a seed.
    """

    check: Callable[..., list[float]]
    held: tuple[str, ...]
    errors: tuple[str, ...] = ()
    others: tuple[str, ...] = ()

    def shown(self, in_groups: bool) -> tuple[str, ...]:
        """The figures that the table has."""
        return (*self.held, *self.errors, *self.others) if in_groups else self.held

    def cell(self, figures: list[float], in_groups: bool) -> str:
        """These figures as the table has them."""
        signs = ("+" if name in self.errors else "" for name in self.shown(in_groups))
        return " / ".join(f"{figure:{sign}.3f}" for sign, figure in zip(signs, figures, strict=False))

    def summary(self, table: dict[str, dict[int, list[float]]]) -> Iterator[str]:
        """One line for each number of topics."""
        for size in next(iter(table.values())):
            cells = np.array([row[size] for row in table.values()])
            held, off = np.split(cells, [len(self.held)], axis=1)
            text = f"n = {size}: mean {held.mean():.3f}, least {held.min():.3f}, "
            text += f"{(held < LEAST).sum()} of {held.size} below {LEAST:g}"
            if self.errors:
                most = np.abs(off[:, : len(self.errors)]).max(axis=1)
                text += f"; bias at most {MOST_BIAS:g} in {(most <= MOST_BIAS).sum()} of {len(most)}"
                text += f", up to {most.max():.3f}"
            yield text


QUESTIONS = {
    "correlation": Question(
        check=covered, held=("tau", "tau_ap"), errors=("bias of the value",), others=("mean width for tau",)
    ),
    "ranks": Question(check=covered_ranks, held=("alone", "the ten best observed", "the ten truly best")),
    "at_once": Question(check=covered_at_once, held=("all at once",)),
    "plan": Question(
        check=covered_plans,
        held=tuple(f"new collections of {topics}" for topics in PLANNED),
        errors=tuple(f"bias at {topics}" for topics in PLANNED),
    ),
}


#: What was made for a population: a dictionary, because a function with `functools.cache` cannot be sent to workers.
_MADE: dict[tuple[Any, ...], Any] = {}


def _made(key: tuple[Any, ...], make: Callable[[], Any]) -> Any:
    if key not in _MADE:
        _MADE[key] = make()
    return _MADE[key]


def count(folder: Path, cell: tuple[str, str, int, int], trials: range) -> list[list[float]]:
    """The figures of these trials of one population and size."""
    what, kind, number, size = cell
    known = _made((folder, kind), lambda: list(POPULATIONS[kind](folder)))
    _, draw, target = known[number]
    if what == "plan":
        target = _made((folder, kind, number), lambda: _goals(draw, known[number][2], number))
    found = []
    for trial in trials:
        generator = np.random.default_rng(np.random.SeedSequence(7, spawn_key=(number, size, trial)))
        found.append(QUESTIONS[what].check(draw(size, generator), target, trial))
    return found


def _goals(draw: Draw, truth: np.ndarray, seed: int) -> dict[int, float]:
    return {topics: expected_truth(draw, truth, topics, seed) for topics in PLANNED}


def line(name: str, cells: list[str]) -> str:
    """A row of a table."""
    return f"| {name} | {' | '.join(cells)} |"


def lines(*stored: dict[str, Any]) -> list[str]:
    """The rows of the table that one JSON file has, or of several with the same populations, side by side."""
    found = []
    for name, row in stored[0]["table"].items():
        cells = [
            " / ".join(QUESTIONS[one["what"]].cell(one["table"][name][size], one["kind"] != "plain") for one in stored)
            for size in row
        ]
        found.append(line(name, cells))
    return found


def main(arguments: list[str] | None = None, executor: Executor | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--sizes", default="10,20,50,100")
    parser.add_argument("--groups", dest="kind", action="store_const", const="groups", default="plain")
    parser.add_argument("--other-groups", dest="kind", action="store_const", const="other_groups")
    parser.add_argument("--ranks", dest="what", action="store_const", const="ranks", default="correlation")
    parser.add_argument("--at-once", dest="what", action="store_const", const="at_once")
    parser.add_argument("--plan", dest="what", action="store_const", const="plan")
    add_trial_options(parser)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args(arguments)
    sizes = [int(size) for size in options.sizes.split(",")]
    names = [name for name, _, _ in POPULATIONS[options.kind](options.data)]
    question = QUESTIONS[options.what]
    in_groups = options.kind != "plain"
    shown = question.shown(in_groups)
    error = math.sqrt(0.95 * 0.05 / options.trials)
    print(f"95 %, {' / '.join(shown)}, {options.trials:,} trials a cell (Monte Carlo error {error:.3f})")
    table: dict[str, dict[int, list[float]]] = {}
    started = time.perf_counter()
    cells = [(options.what, options.kind, number, size) for number in range(len(names)) for size in sizes]
    for (_, _, number, size), rows in count_trials(partial(count, options.data), cells, options, executor):
        row = table.setdefault(names[number], {})
        row[size] = rows.mean(axis=0).tolist()
        if size == sizes[-1]:
            if number == 0 or (PULLED in names[number] and PULLED not in names[number - 1]):
                print(f"\n| population | {' | '.join(f'n = {size}' for size in sizes)} |\n|---|{'---|' * len(sizes)}")
            print(line(names[number], [question.cell(figures, in_groups) for figures in row.values()]), flush=True)
    print("\n" + "\n".join(question.summary(table)) + f"\n{time.perf_counter() - started:.0f} s")
    if options.json:
        kept = {"trials": options.trials, "figures": [*question.held, *question.errors, *question.others]}
        text = json.dumps(kept | {"what": options.what, "kind": options.kind, "table": table}, indent=1)
        options.json.write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
