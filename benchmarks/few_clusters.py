"""How often do 95 % intervals hold where clusters are few: of a difference of two systems over topics in clusters, and
of a strength from battles in questions?

    python benchmarks/few_clusters.py [--trials 3000] [--battle-trials 400] [--json FILE]

Topics: normal differences with intraclass correlation .2 or .6, five topics a cluster or one to nine; Student's t over
the rows that `Scores.by_cluster()` makes. Battles: 20 models, 3,800 battles, each question shifts the strengths by a
normal effect of .6, questions equally or unequally often; Student's t with the sandwich error, as ranks have it, and
± 1.96.
"""

from __future__ import annotations

import argparse

import numpy as np
from scipy.special import stdtrit
from timing import Figures

from tauscope import Battles, Scores, bradley_terry

CLUSTERS = (8, 10, 12, 15, 20, 30)
#: What strengths are over questions that shift them: those of one question, shrunk by the spread of the shifts.
SHRUNK = 1 / np.sqrt(1 + 2 * 0.36 / 1.7**2)


def sizes(rng: np.random.Generator, clusters: int, uneven: bool) -> np.ndarray:
    return rng.integers(1, 10, size=clusters) if uneven else np.full(clusters, 5)


def of_topics(clusters: int, together: float, uneven: bool, trials: int) -> float:
    rng = np.random.default_rng(1)
    reach = stdtrit(clusters - 1, 0.975)
    held = 0
    for _ in range(trials):
        of = np.repeat(np.arange(clusters), sizes(rng, clusters, uneven))
        own = np.sqrt(together) * rng.normal(size=clusters)[of] + np.sqrt(1 - together) * rng.normal(size=len(of))
        names = {str(i + 1): str(k) for i, k in enumerate(of)}
        rows = Scores(np.stack((own, np.zeros_like(own)), axis=1)).by_cluster(names).values[:, 0]
        held += abs(rows.mean()) <= reach * rows.std(ddof=1) / np.sqrt(clusters)
    return held / trials


def of_battles(clusters: int, uneven: bool, trials: int) -> tuple[float, float]:
    names = np.array([f"s{k}" for k in range(20)])
    shares = []
    for seed in range(trials):
        rng = np.random.default_rng(seed)
        strength = 0.6 * rng.normal(size=20)
        i = rng.integers(20, size=3800)
        j = (i + rng.integers(1, 20, size=3800)) % 20
        weights = sizes(rng, clusters, uneven)
        asked = rng.choice(clusters, p=weights / weights.sum(), size=3800)
        shift = 0.6 * rng.normal(size=(clusters, 20))
        delta = strength[i] - strength[j] + shift[asked, i] - shift[asked, j]
        verdict = np.where(rng.random(3800) < 1 / (1 + np.exp(-delta)), "first", "second")
        found = bradley_terry(Battles(names[i], names[j], verdict, questions=asked), clusters="question")
        true = dict(zip(names.tolist(), (SHRUNK * (strength - strength.mean())).tolist(), strict=True))
        off = np.abs(found.strengths - np.array([true[name] for name in found.systems])) / found.errors
        shares.append([(off <= limit).mean() for limit in (stdtrit(found.independent - 1, 0.975), 1.96)])
    by_t, by_normal = np.mean(shares, axis=0)
    return float(by_t), float(by_normal)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--trials", type=int, default=3000)
    parser.add_argument("--battle-trials", type=int, default=400)
    parser.add_argument("--json")
    options = parser.parse_args()
    figures = Figures(f"{options.trials:,} and {options.battle_trials:,} trials a cell, 95 % intervals")
    for clusters in CLUSTERS:
        for uneven in (False, True):
            kind = "uneven" if uneven else "even"
            for together in (0.2, 0.6):
                share = of_topics(clusters, together, uneven, options.trials)
                figures.add(f"{clusters} {kind} clusters of topics, together {together:g}", share)
            by_t, by_normal = of_battles(clusters, uneven, options.battle_trials)
            figures.add(f"{clusters} {kind} questions, Student's t", by_t)
            figures.add(f"{clusters} {kind} questions, ± 1.96 errors", by_normal)
    figures.finish()


if __name__ == "__main__":
    main()
