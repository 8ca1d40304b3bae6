"""Do the rank intervals of boards hold the true ranks as often as they say: strengths from battles, and published
scores?

    python benchmarks/board_coverage.py [--trials 1000] [--only TEXT] [--workers 2 or ADDRESS] [--json FILE]

Battles: strengths are normal with standard deviation 0.6 (some models close, a few far), 20 battles a pair or a few per
model, ties by Davidson's model in a fifth of them; votes clustered by question have a question effect on each model
that all votes of a question share. Published scores: 20 and 100 systems with errors between .5 and 1.5 of their
spread's third; normal errors, or Student's t with three degrees of freedom scaled to the same standard deviation; and
boards that print errors half as large again as they are, or two thirds as large.
Columns: the share of systems whose true rank is held taken alone, and of boards on which all are at once; the mean
width of the latter; how often the truly best is in the best set; how often there are strengths at all; and how often
the interval of the reliability holds the true one (repeats).
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable
from concurrent.futures import Executor
from pathlib import Path

import numpy as np
from scipy.stats import rankdata
from workers import add_options, in_order

from tauscope import Battles, Published, Scores, bradley_terry, rank, variance_components
from tauscope.boards.ranks import Ranks
from tauscope.boards.repeats import Repeats

COLUMNS = ("alone", "all at once", "mean width", "best in set", "fits", "reliability")


def held(ranks: Ranks, truth: dict[str, float]) -> list[float]:
    """Shares of ranks held alone, all at once, the mean width, and whether the truly best is in the set."""
    true = np.array([truth[name] for name in ranks.systems])
    best, worst = rankdata(-true, "min"), rankdata(-true, "max")
    own = [ranks.one(name) for name in ranks.systems]
    alone = np.array([one.low <= a and b <= one.high for one, a, b in zip(own, best, worst, strict=True)])
    at_once = bool(((ranks.low <= best) & (worst <= ranks.high)).all())
    first = max(ranks.systems, key=lambda name: truth[name])
    return [
        float(alone.mean()),
        float(at_once),
        float((ranks.high - ranks.low + 1).mean()),
        float(first in ranks.best_set()),
        1.0,
    ]


def battles(
    rng: np.random.Generator, systems: int, number: int, questions: int = 0, effect: float = 0.0
) -> tuple[Battles, dict[str, float]]:
    """Battles with ties, of models of known strength; with an effect, votes of one question go together."""
    strength = 0.6 * rng.normal(size=systems)
    i = rng.integers(systems, size=number)
    j = (i + rng.integers(1, systems, size=number)) % systems
    asked = rng.integers(max(1, questions), size=number) if questions else np.arange(number)
    shift = effect * rng.normal(size=(max(1, questions), systems)) if questions else np.zeros((1, systems))
    row = asked if questions else np.zeros(number, np.int64)
    delta = strength[i] - strength[j] + shift[row, i] - shift[row, j]
    weights = np.stack((np.exp(delta / 2), np.exp(-delta / 2), np.full(number, 0.5)), axis=1)
    chance = np.cumsum(weights / weights.sum(axis=1, keepdims=True), axis=1)
    verdict = np.minimum((rng.random(number)[:, None] > chance).sum(axis=1), 2)
    names = np.array([f"s{k}" for k in range(systems)])
    made = Battles(names[i], names[j], np.array(["first", "second", "tie"])[verdict], questions=asked)
    return made, dict(zip(names.tolist(), strength.tolist(), strict=True))


def from_battles(
    systems: int,
    number: int,
    ties: str = "davidson",
    questions: int = 0,
    effect: float = 0.0,
    clusters: str | None = None,
) -> Callable[[int], list[float]]:
    def trial(seed: int) -> list[float]:
        made, truth = battles(np.random.default_rng(seed), systems, number, questions, effect)
        try:
            fitted = bradley_terry(made, ties=ties, clusters=clusters)
        except ValueError:  # a model that won or lost all its battles
            return [np.nan] * 4 + [0.0]
        return held(rank(fitted, rng=seed), truth)

    return trial


def published(systems: int, heavy: bool, printed: float = 1.0) -> Callable[[int], list[float]]:
    """Systems whose errors are printed so many times as large as they are."""

    def trial(seed: int) -> list[float]:
        rng = np.random.default_rng(seed)
        truth = rng.normal(size=systems)
        errors = rng.uniform(0.5, 1.5, size=systems) / 3
        noise = rng.standard_t(3, size=systems) / np.sqrt(3) if heavy else rng.normal(size=systems)
        names = [f"s{k}" for k in range(systems)]
        board = Published(dict(zip(names, truth + errors * noise, strict=True)), errors=printed * errors)
        return held(rank(board, rng=seed), dict(zip(names, truth.tolist(), strict=True)))

    return trial


def topics(
    clusters: int, together: float, by_clusters: bool, *, spread: float = 0.15, uneven: bool = False
) -> Callable[[int], list[float]]:
    """Ten systems on five topics a cluster, or on one to nine; the effects of a cluster on the systems have this share
    of the variance."""

    def trial(seed: int) -> list[float]:
        rng = np.random.default_rng(seed)
        truth = spread * rng.normal(size=10)
        sizes = rng.integers(1, 10, size=clusters) if uneven else np.full(clusters, 5)
        of = np.repeat(np.arange(clusters), sizes)
        shared = np.sqrt(together) * rng.normal(size=(clusters, 10))
        # Around 50, so that small scores beside larger ones are not taken for another scale.
        scores = Scores(50 + truth + shared[of] + np.sqrt(1 - together) * rng.normal(size=(len(of), 10)))
        names = {str(i + 1): f"c{cluster}" for i, cluster in enumerate(of)}
        rows = scores.by_cluster(names) if by_clusters else scores
        return [*_ranks_of(rows, truth, seed), 1.0]

    return trial


def _ranks_of(rows: Scores, truth: np.ndarray, seed: int) -> list[float]:
    """Shares of ranks held alone, all at once, the mean width, and whether the truly best is in the set."""
    return held(rank(rows, rng=seed), {str(i + 1): float(own) for i, own in enumerate(truth)})[:4]


def repeats(topics: int, runs: int, run_share: float) -> Callable[[int], list[float]]:
    """Ten systems on topics in several runs each, which make this share of the variance of a single score: ranks by the
    means of the runs, and whether the interval of the reliability of the order holds the true one."""

    def trial(seed: int) -> list[float]:
        rng = np.random.default_rng(seed)
        truth = 0.3 * rng.normal(size=10)
        cells = 50 + truth + np.sqrt(1 - run_share) * rng.normal(size=(topics, 10))
        made = Repeats(cells[:, :, None] + np.sqrt(run_share) * rng.normal(size=(topics, 10, runs)))
        found = variance_components(made)
        noise = (1 - run_share + run_share / runs) / topics
        real = float(truth.var(ddof=1))
        low, high = found.relative_limits
        return [*_ranks_of(made.scores(), truth, seed), 1.0, float(low <= real / (real + noise) <= high)]

    return trial


CELLS: dict[str, Callable[[int], list[float]]] = {
    "20 models, 20 battles a pair, Davidson": from_battles(20, 20 * 190),
    "20 models, 20 battles a pair, ties as half": from_battles(20, 20 * 190, ties="half"),
    "20 models, sparse: 20 battles a model": from_battles(20, 200),
    "100 models, 20 battles a pair": from_battles(100, 20 * 4950),
    "100 models, sparse: 40 battles a model": from_battles(100, 2000),
    "20 models, 60 questions that matter, clustered": from_battles(
        20, 3800, questions=60, effect=0.6, clusters="question"
    ),
    "20 models, 60 questions that matter, not clustered": from_battles(20, 3800, questions=60, effect=0.6),
    **{
        f"{number} clusters of topics, together {share:g}, {how}": topics(number, share, how == "clustered")
        for number in (10, 30)
        for share in (0, 0.2, 0.6)
        for how in ("clustered", "not clustered")
    },
    **{
        f"{number} {size} clusters of topics, together .6, {kind}": topics(
            number, 0.6, True, spread=spread, uneven=size == "uneven"
        )
        for number in (8, 10, 12, 15)
        for size in ("even", "uneven")
        for kind, spread in (("equal systems", 0.0), ("close systems", 0.15))
    },
    **{
        f"20 models, {number} questions that matter, clustered": from_battles(
            20, 3800, questions=number, effect=0.6, clusters="question"
        )
        for number in (8, 10, 15, 30)
    },
    "repeats: 20 topics, 3 runs, half of the noise": repeats(20, 3, 0.5),
    "repeats: 50 topics, 2 runs, half of the noise": repeats(50, 2, 0.5),
    "published, 20 systems, normal errors": published(20, heavy=False),
    "published, 100 systems, normal errors": published(100, heavy=False),
    "published, 20 systems, heavy tails": published(20, heavy=True),
    "published, 100 systems, heavy tails": published(100, heavy=True),
    **{
        f"published, {systems} systems, {tails}, errors printed {name} as large": published(
            systems, heavy=tails == "heavy tails", printed=printed
        )
        for systems in (20, 100)
        for tails in ("normal errors", "heavy tails")
        for name, printed in (("1.5 times", 1.5), ("2/3", 2 / 3))
    },
}


def cell(task: tuple[str, int]) -> list[float]:
    """The figures of one population."""
    name, trials = task
    found = np.array([CELLS[name](seed) for seed in range(trials)])
    return [float(np.nanmean(column)) for column in found.T] + [np.nan] * (len(COLUMNS) - found.shape[1])


def main(arguments: list[str] | None = None, executor: Executor | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--trials", type=int, default=1000)
    parser.add_argument("--only", default="")
    add_options(parser, workers=1)
    parser.add_argument("--json")
    options = parser.parse_args(arguments)
    names = [name for name in CELLS if options.only in name]
    print(f"{'':<64}" + "".join(f"{column:>13}" for column in COLUMNS), flush=True)
    results = {}
    start = time.monotonic()
    for (name, _), values in in_order(cell, [(name, options.trials) for name in names], options, executor):
        results[name] = dict(zip(COLUMNS, values, strict=True))
        print(f"{name:<64}" + "".join(f"{value:>13.3f}" for value in values), flush=True)
    print(f"{options.trials:,} trials a cell, {time.monotonic() - start:.0f} s")
    if options.json:
        Path(options.json).write_text(
            json.dumps({"trials": options.trials, "cells": results}, indent=2) + "\n", encoding="utf-8"
        )


if __name__ == "__main__":
    main()
