"""Do strengths and ranks of arenas hold where votes are few or unequal?

    python benchmarks/hard_arenas.py [--trials 500] [--only TEXT] [--first 0] [--record FILE] [--json FILE]

The true strengths of the models are normal with standard deviation 0.6 in log-odds; a fifth of the battles between
equal models are ties (Davidson's model), unless a cell says "no ties". All arenas are fitted with `prior=1`, which the
error for a model that won everything recommends, and ties as half a win. The true strengths are then those that
Bradley and Terry's model has for the expected shares of wins.

- newcomer: 20 models with 200 votes each, and one with 2, 3, 5 or 8 votes against opponents drawn at random. Its true
  strength is drawn from the spread of the others, or it is 0.1 above the strongest ("top").
- zipf: the number of votes of a model follows Zipf's law, over 20 models or 40.
- workers: 20 models, 3,800 votes of 12 or 40 workers whose tastes shift each model by a normal amount with standard
  deviation 0.5; every worker votes equally often ("even"), or their votes follow Zipf's law; votes are clustered by
  worker. "workers newcomer": the same with a newcomer that has five votes.
- small: 3 to 5 models and 10 to 40 votes in all. Arenas in which some models never met are left out.

Columns: the share of strengths whose 95 % limits hold the true one, the same of the newcomer, and of newcomers that won
all their votes (with their number); the share of boards on which all simultaneous rank intervals hold; the share on
which the truly best model is in the best set; the mean width of the limits in log-odds, of all and of the newcomer; the
mean width of the rank intervals; the mean error of the newcomer's strength; and the share of arenas that can be fitted.
"""

from __future__ import annotations

import argparse
import json
import time
import zlib
from concurrent.futures import Executor
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from scipy.stats import rankdata
from trials import Cell, Rows, add_trial_options, count_trials

from tauscope import Battles, TauscopeError, bradley_terry, rank

SPREAD = 0.6
#: Davidson's parameter: a fifth of the battles between equals are ties.
TIES = 0.5
TASTE = 0.5
#: Nodes and weights of Gauss and Hermite, for means over the tastes of workers.
NODES, WEIGHTS = np.polynomial.hermite_e.hermegauss(40)
FIGURES = (
    "strengths",
    "newcomer",
    "all won",
    "ranks",
    "best in set",
    "width",
    "width of newcomer",
    "width of ranks",
    "bias of newcomer",
    "fitted",
)
CELLS: list[Cell] = [
    *(
        ("newcomer", ties, where, votes)
        for ties in ("ties", "no ties")
        for where in ("spread", "top")
        for votes in (2, 3, 5, 8)
    ),
    *(("zipf", models, votes) for models, votes in ((20, 1000), (20, 4000), (40, 1000), (40, 4000))),
    *(("workers", kind, workers) for kind in ("even", "zipf") for workers in (12, 40)),
    *(("workers newcomer", kind, 40) for kind in ("even", "zipf")),
    *(("small", models, votes) for models, votes in ((3, 10), (4, 20), (5, 20), (5, 40))),
]


def outcome_chances(delta: np.ndarray, ties: float) -> np.ndarray:
    """The chances that the first wins, that the second wins, and of a tie, along a last axis."""
    weights = np.stack((np.exp(delta / 2), np.exp(-delta / 2), np.full(delta.shape, ties)), axis=-1)
    return weights / weights.sum(axis=-1, keepdims=True)


def expected_strengths(strength: np.ndarray, pairs: np.ndarray, ties: float, taste: float) -> np.ndarray:
    """The strengths that fit the expected shares of wins of these numbers of battles best (Zermelo's iteration)."""
    delta = strength[:, None] - strength[None, :]
    chances = outcome_chances(delta[..., None] + np.sqrt(2) * taste * NODES, ties)
    wins = pairs * ((chances[..., 0] + chances[..., 2] / 2) @ WEIGHTS / WEIGHTS.sum())
    worth = np.exp(strength)
    for _ in range(2000):
        new = wins.sum(axis=1) / (pairs / (worth[:, None] + worth[None, :])).sum(axis=1)
        new /= np.exp(np.log(new).mean())
        if np.abs(np.log(new / worth)).max() < 1e-10:
            break
        worth = new
    return np.log(new)


def drawn_pairs(rng: np.random.Generator, weights: np.ndarray, votes: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Who meets whom, each model as often as its weight says, and the expected number of battles of each pair."""
    share = weights / weights.sum()
    pairs = share[:, None] * share[None, :]
    np.fill_diagonal(pairs, 0.0)
    pairs /= pairs.sum()
    drawn = rng.choice(pairs.size, size=votes, p=pairs.ravel())
    return drawn // len(weights), drawn % len(weights), votes * (pairs + pairs.T)


def zipf(number: int) -> np.ndarray:
    return 1 / np.arange(1, number + 1)


def arena(cell: Cell, rng: np.random.Generator) -> dict[str, Any]:
    """First and second model of each battle, workers, true strengths, expected battles of pairs, and the newcomer."""
    kind = cell[0]
    workers: int = cell[2] if kind.startswith("workers") else 0
    models = cell[1] if kind in ("zipf", "small") else 20
    votes = {"newcomer": 2000, "zipf": cell[-1], "small": cell[-1]}.get(kind, 3800)
    weights = rng.permutation(zipf(models)) if kind == "zipf" else np.ones(models)
    strength = SPREAD * rng.normal(size=models)
    first, second, pairs = drawn_pairs(rng, weights, votes)
    newcomer = None
    if "newcomer" in kind:
        newcomer, own = models, 5 if workers else cell[3]
        top = not workers and cell[2] == "top"
        strength = np.append(strength, strength.max() + 0.1 if top else SPREAD * rng.normal())
        first, second = np.append(first, np.full(own, models)), np.append(second, rng.integers(models, size=own))
        pairs = np.pad(pairs, (0, 1))
        pairs[-1, :-1] = pairs[:-1, -1] = own / models
    share = zipf(workers) if cell[1] == "zipf" else np.ones(max(workers, 1))
    return {
        "strength": strength,
        "pairs": pairs,
        "sides": (first, second),
        "worker": rng.choice(len(share), p=share / share.sum(), size=len(first)) if workers else None,
        "tastes": TASTE * rng.normal(size=(len(share), len(strength))) if workers else None,
        "newcomer": newcomer,
        "ties": 0.0 if "no ties" in cell else TIES,
    }


def trial(cell: Cell, seed: int) -> list[float]:
    rng = np.random.default_rng((seed, zlib.crc32(repr(cell).encode())))
    made = arena(cell, rng)
    (i, j), strength, worker, tastes = made["sides"], made["strength"], made["worker"], made["tastes"]
    delta = strength[i] - strength[j] + (0 if worker is None else tastes[worker, i] - tastes[worker, j])
    chances = np.cumsum(outcome_chances(delta, made["ties"]), axis=1)
    verdict = np.minimum((rng.random(len(i))[:, None] > chances).sum(axis=1), 2)
    names = np.array([f"s{k:02d}" for k in range(len(strength))])
    battles = Battles(names[i], names[j], np.array(["first", "second", "tie"])[verdict], workers=worker)
    try:
        fitted = bradley_terry(battles, prior=1.0, clusters=None if worker is None else "worker")
        ranks = rank(fitted, rng=seed)
    except TauscopeError:
        return [np.nan] * (len(FIGURES) - 1) + [0.0]
    at = np.array([int(name[1:]) for name in fitted.systems])
    true = expected_strengths(strength, made["pairs"], made["ties"], TASTE if worker is not None else 0.0)[at]
    true -= true.mean()
    low, high = fitted.limits()
    held = (low <= true) & (true <= high)
    order = np.array([true[fitted.systems.index(name)] for name in ranks.systems])
    best, worst = rankdata(-order, "min"), rankdata(-order, "max")
    newcomer = [np.nan] * 4
    if made["newcomer"] is not None:
        place = int(np.flatnonzero(at == made["newcomer"])[0])
        won = bool((verdict[i == made["newcomer"]] == 0).all())
        newcomer = [
            held[place],
            held[place] if won else np.nan,
            (high - low)[place],
            fitted.strengths[place] - true[place],
        ]
    return [
        held.mean(),
        *newcomer[:2],
        ((ranks.low <= best) & (worst <= ranks.high)).all(),
        fitted.systems[int(np.argmax(true))] in ranks.best,
        (high - low).mean(),
        newcomer[2],
        (ranks.high - ranks.low + 1).mean(),
        newcomer[3],
        1.0,
    ]


def count(first: int, cell: Cell, trials: range) -> Rows:
    return [[float(x) for x in trial(cell, first + number)] for number in trials]


def main(arguments: list[str] | None = None, executor: Executor | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add_trial_options(parser)
    parser.set_defaults(trials=500)
    parser.add_argument("--only", help="only cells whose name contains this")
    parser.add_argument("--first", type=int, default=0, help="the first seed: give another one to count afresh")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args(arguments)
    cells = [cell for cell in CELLS if not options.only or options.only in name_of(cell)]
    error = (0.0475 / options.trials) ** 0.5
    print(f"{options.trials:,} trials per cell; the Monte Carlo error of a share is {error:.3f}\n")
    print("\n".join(HEADING), flush=True)
    started, table = time.perf_counter(), {}
    for cell, rows in count_trials(partial(count, options.first), cells, options, executor):
        counted = ~np.isnan(rows)
        means = np.where(counted.any(axis=0), np.nansum(rows, axis=0) / np.maximum(counted.sum(axis=0), 1), np.nan)
        own = {name: float(mean) for name, mean in zip(FIGURES, means, strict=True) if not np.isnan(mean)}
        if counted[:, 2].any():
            own["records all won"] = int(counted[:, 2].sum())
        table[name_of(cell)] = own
        print(row(name_of(cell), own), flush=True)
    print(f"\n{time.perf_counter() - started:.0f} s")
    if options.json:
        kept = {"trials": options.trials, "first": options.first, "cells": table}
        options.json.write_text(json.dumps(kept, indent=1) + "\n", encoding="utf-8")


def name_of(cell: Cell) -> str:
    return ", ".join(map(str, cell))


HEADING = (f"| arena | {' | '.join(FIGURES)} |", "|---" * (len(FIGURES) + 1) + "|")


def row(name: str, own: dict[str, float]) -> str:
    """A line of the table; records that are all won stand with their number."""
    texts = [f"{own[figure]:.3f}" if figure in own else "–" for figure in FIGURES]
    if "records all won" in own:
        texts[FIGURES.index("all won")] += f" ({own['records all won']})"
    return f"| {name} | {' | '.join(texts)} |"


def lines(stored: dict[str, Any]) -> list[str]:
    """The table as the documentation has it."""
    return [*HEADING, *(row(name, own) for name, own in stored["cells"].items())]


if __name__ == "__main__":
    main()
