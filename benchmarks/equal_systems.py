"""How often does `rank()` make a false statement where all systems are equally good?

    python benchmarks/equal_systems.py [--trials 500]

A statement is false if any pair is called significantly different: then an interval, a tier, a letter or a list of
possible winners is wrong. At most 5 % of boards may have one. Boards have 8 or 20 systems and 25 topics: normal scores,
unequal variances, skewed scores, reciprocal ranks, missing cells, systems with few topics, battles, published scores.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import Any

import numpy as np

from tauscope import Battles, Published, Scores, rank

TOPICS = 25
Draw = Callable[[np.random.Generator, int], Any]


def _scores(kind: str, holes: str = "") -> Draw:
    def draw(rng: np.random.Generator, systems: int) -> Scores:
        shape = (TOPICS, systems)
        values = {
            "normal": lambda: rng.normal(size=(TOPICS, 1)) + rng.normal(size=shape),
            "unequal variances": lambda: rng.normal(size=shape) * np.linspace(0.3, 2, systems),
            "skewed": lambda: rng.exponential(size=shape) ** 2,
            "reciprocal ranks": lambda: 1 / rng.integers(1, 21, size=shape).astype(float),
        }[kind]()
        if holes == "30 % missing":
            values[rng.random(shape) < 0.3] = np.nan
        elif holes == "half with 3 to 6 topics":
            for j in range(systems // 2):
                values[rng.permutation(TOPICS)[3 + j % 4 :], j] = np.nan
        return Scores(values, missing="keep")

    return draw


def _published(rng: np.random.Generator, systems: int) -> Published:
    errors = rng.uniform(0.5, 2, systems)
    return Published(errors * rng.normal(size=systems), errors=errors)


def _battles(rng: np.random.Generator, systems: int) -> Battles:
    number = 60 * systems
    first = rng.integers(systems, size=number)
    second = (first + rng.integers(1, systems, size=number)) % systems
    names = np.array([f"s{k}" for k in range(systems)])
    return Battles(names[first], names[second], rng.choice(["first", "second", "tie"], size=number))


BOARDS: dict[str, Draw] = {
    **{kind: _scores(kind) for kind in ("normal", "unequal variances", "skewed", "reciprocal ranks")},
    "normal, 30 % missing": _scores("normal", "30 % missing"),
    "normal, half with 3 to 6 topics": _scores("normal", "half with 3 to 6 topics"),
    "published scores": _published,
    "battles": _battles,
}


def false_statements(name: str, systems: int, trials: int) -> float:
    """Return the share of boards with a false statement."""
    wrong = 0
    for trial in range(trials):
        found = rank(BOARDS[name](np.random.default_rng((trial, systems)), systems), rng=trial)
        said = found.significant_pairs or len(found.winners) < systems or len(found.tiers) > 1
        wrong += bool(said)
    return wrong / trials


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--trials", type=int, default=500)
    trials = parser.parse_args(arguments).trials
    print(f"{'boards':34}  {'8 systems':>9}  {'20 systems':>10}   ({trials} trials; at most 0.050)")
    for name in BOARDS:
        shares = [false_statements(name, systems, trials) for systems in (8, 20)]
        print(f"{name:34}  {shares[0]:9.3f}  {shares[1]:10.3f}", flush=True)


if __name__ == "__main__":
    main()
