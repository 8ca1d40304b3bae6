"""Do the tests of an audit hold their level, and do they find what is there?

    python benchmarks/audit.py [--trials 200] [--only favours|standing-in|length|panel]

Everything is simulated, since no file has several people, families and lengths with a known truth: 18 systems in three
families, 40 topics. One line per test and per size of what it looks for: the share of collections in which it speaks
up; of standing in for a person, with several margins.
"""

from __future__ import annotations

import argparse

import numpy as np

from tauscope import Scores
from tauscope.coefficients.records import TAU_B
from tauscope.judges.accuracy import length_bias
from tauscope.judges.groups import own_families
from tauscope.judges.panels import ceiling, panel

SYSTEMS, TOPICS = 18, 40
NAMES = [f"s{i}" for i in range(SYSTEMS)]
FAMILIES = dict(zip(NAMES, ["a", "b", "c"] * (SYSTEMS // 3), strict=True))
OWN = {"j1": "a", "j2": "b", "j3": "c"}
#: How far below a person a judge may be: the first is the default.
MARGINS = (0.1, 0.15, 0.2)


def people(rng: np.random.Generator) -> np.ndarray:
    """Topics x systems: what people say on average."""
    return rng.normal(0, 0.08, SYSTEMS) + rng.normal(0, 0.1, (TOPICS, 1)) + rng.normal(0, 0.12, (TOPICS, SYSTEMS))


def favours(rng: np.random.Generator, gain: float) -> tuple[bool, float]:
    """Whether judges that add `gain` to their own family are found out, and what is said to be gained."""
    truth = people(rng)
    liked = rng.normal(0, 0.03, SYSTEMS)  # what all judges like alike
    judges = {}
    for name, own in OWN.items():
        bias = rng.normal(0, 0.03, SYSTEMS) + gain * np.array([FAMILIES[s] == own for s in NAMES])
        judges[name] = Scores(0.2 + 0.7 * (truth + liked + bias) + rng.normal(0, 0.08, truth.shape), systems=NAMES)
    found = own_families(judges, Scores(truth, systems=NAMES), FAMILIES | OWN, draws=999)
    return found.p_all < 0.05, found.mean_scores


def stands_in(rng: np.random.Generator, noise: float) -> list[bool]:
    """Whether a judge whose own opinion of systems differs by `noise` passes, with each margin; people differ by
    0.03."""
    truth = people(rng)
    persons = [truth + rng.normal(0, 0.03, SYSTEMS) + rng.normal(0, 0.1, truth.shape) for _ in range(5)]
    judge = truth + rng.normal(0, noise, SYSTEMS) + rng.normal(0, 0.1, truth.shape)
    return [
        ceiling(judge, persons, list("vwxyz"), TAU_B, margin=margin, level=0.95, seed=0).stands_in for margin in MARGINS
    ]


def likes_length(rng: np.random.Generator, worth: float) -> bool:
    """Whether a judge that gives `worth` for twice the length is found out."""
    truth = people(rng)
    lengths = np.exp2(rng.normal(8, 1, truth.shape))
    judge = truth + worth * np.log2(lengths) + rng.normal(0, 0.1, truth.shape)
    return length_bias(judge, truth, lengths, level=0.95).p < 0.05


def effective(rng: np.random.Generator, rho: float) -> float:
    """What four judges whose errors correlate by rho are said to be worth."""
    truth = people(rng)
    shared = rng.normal(size=truth.shape)
    judges = [truth + 0.1 * (np.sqrt(rho) * shared + np.sqrt(1 - rho) * rng.normal(size=truth.shape)) for _ in range(4)]
    return panel(judges, truth, TAU_B, level=0.95).effective


def of_favours(trials: int) -> None:
    for gain in (0.0, 0.02, 0.04, 0.08):
        found = np.array([favours(np.random.default_rng((1, i)), gain) for i in range(trials)], dtype=float)
        share, said = found.mean(axis=0)
        print(f"favours its own by {gain:.2f}: found in {share:.3f}, said to be {said:.3f}", flush=True)


def of_standing_in(trials: int) -> None:
    for noise in (0.0, 0.03, 0.06, 0.12):
        shares = np.mean([stands_in(np.random.default_rng((2, i)), noise) for i in range(trials)], axis=0)
        text = ", ".join(f"{share:.3f} with {margin:g}" for share, margin in zip(shares, MARGINS, strict=True))
        print(f"judge's own opinion {noise:.2f} (people 0.03), margins: stands in {text}", flush=True)


def of_length(trials: int) -> None:
    for worth in (0.0, 0.005, 0.01, 0.02):
        share = np.mean([likes_length(np.random.default_rng((3, i)), worth) for i in range(trials)])
        print(f"twice the length worth {worth:.3f}: found in {share:.3f}", flush=True)


def of_panel(trials: int) -> None:
    for rho in (0.0, 0.3, 0.7):
        said = np.mean([effective(np.random.default_rng((4, i)), rho) for i in range(trials)])
        text = f"worth {said:.2f}, by definition {4 / (1 + 3 * rho):.2f}"
        print(f"four judges, errors correlate {rho:.1f}: {text}", flush=True)


QUESTIONS = {"favours": of_favours, "standing-in": of_standing_in, "length": of_length, "panel": of_panel}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--trials", type=int, default=200)
    parser.add_argument("--only", choices=QUESTIONS, action="append")
    options = parser.parse_args()
    print(f"{options.trials:,} collections a line")
    for name in options.only or QUESTIONS:
        QUESTIONS[name](options.trials)


if __name__ == "__main__":
    main()
