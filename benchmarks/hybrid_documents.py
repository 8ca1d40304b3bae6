"""Are measures from people's labels of some documents and a judge's of all without bias, and are their errors right?

    python benchmarks/hybrid_documents.py [--samples 500]

A made-up collection: 6 topics, 60 documents each with grades 0 to 2, 4 systems, a judge that is too kind. One line per
sample design and measure: the bias of the mean over systems in its own standard errors over the samples, the largest of
a single system, the spread over samples, what was said of it, and the bias of the judge alone.
"""

from __future__ import annotations

import argparse

import numpy as np

from tauscope import evaluate, hybrid
from tauscope.evaluation.runs import Runs

TOPICS, DOCUMENTS, SYSTEMS = 6, 60, 4
NAMES = [f"d{i:02}" for i in range(DOCUMENTS)]
MEASURES = ["P@10", "AP", "nDCG@10", "nDCG"]
#: What it is called, where strata end, and the share of each that is sampled.
DESIGNS = (("40 % at random", (), (0.4,)), ("by depth", (10, 25), (0.6, 0.3, 0.25)), ("20 % at random", (), (0.2,)))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--samples", type=int, default=500)
    samples = parser.parse_args().samples
    rng = np.random.default_rng(3)
    quality = rng.normal(size=(TOPICS, DOCUMENTS))
    judged = 0.8 * quality + rng.normal(0, 0.6, quality.shape) + 0.3
    grades, judge = (np.digitize(x, [0.6, 1.3]) for x in (quality, judged))
    names = [str(t) for t in range(TOPICS)]
    runs = Runs.read(
        {
            f"s{s}": {
                name: {
                    NAMES[i]: float(quality[t, i] + rng.normal(0, 0.4 + 0.5 * s))
                    for i in rng.choice(DOCUMENTS, 45, replace=False)
                }
                for t, name in enumerate(names)
            }
            for s in range(SYSTEMS)
        }
    )
    machine, people = (
        {name: dict(zip(NAMES, row.tolist(), strict=True)) for name, row in zip(names, x, strict=True)}
        for x in (judge, grades)
    )
    best = np.full(grades.shape, DOCUMENTS)
    for run in runs:
        for t, name in enumerate(names):
            for place, document in enumerate(run.ranked(name)):
                at = NAMES.index(document)
                best[t, at] = min(best[t, at], place)
    true, alone = (evaluate(runs, x, MEASURES).values.mean(axis=1) for x in (people, machine))
    for label, depths, shares in DESIGNS:
        stratum = np.searchsorted(np.array(depths), best, side="right")
        means, errors = [], []
        for sample in range(samples):
            drawn = np.random.default_rng(sample)
            human: dict[str, dict[str, int]] = {name: {} for name in names}
            for t, name in enumerate(names):
                for h, share in enumerate(shares):
                    there = np.flatnonzero(stratum[t] == h)
                    kept = drawn.choice(there, min(len(there), max(2, round(share * len(there)))), replace=False)
                    human[name] |= {NAMES[i]: int(grades[t, i]) for i in kept}
            found = hybrid(human, machine, runs=runs, measures=MEASURES, chances=depths)
            means.append(found.means)
            errors.append(found.errors_here**2)
        values = np.array(means)
        spread, said = values.std(axis=0, ddof=1), np.sqrt(np.mean(errors, axis=0))
        off = (values.mean(axis=0) - true) / (spread / np.sqrt(samples))
        together = values.mean(axis=2)
        for row, measure in enumerate(MEASURES):
            z = (together[:, row].mean() - true[row].mean()) / (together[:, row].std(ddof=1) / np.sqrt(samples))
            print(
                f"{label:15} {measure:8} bias {z:+.1f} standard errors "
                f"({together[:, row].mean() - true[row].mean():+.4f}), "
                f"a system at most {np.abs(off[row]).max():.1f}; spread {spread[row].mean():.4f}, said "
                f"{said[row].mean():.4f}; "
                f"the judge alone {alone[row].mean() - true[row].mean():+.4f}",
                flush=True,
            )


if __name__ == "__main__":
    main()
