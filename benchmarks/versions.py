"""How often does `versions()` call a change that is none, and does it find one that is there?

    python benchmarks/versions.py [--trials 1000] [--only TEXT]

Eight systems on 30 topics; the new version has other noise on the same topics, on half of them and as many new ones, or
on none of them, and all scores are shifted, which is no change. Then boards of printed scores with known errors, two
independent votes on the same systems. One line per kind: the share of pairs of versions in which any system is said to
have changed its score, and in which any is said to have moved beyond chance, though none has; and in which one that
gained is said to have changed: .15 on topics, two standard errors of a change where scores are printed.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Callable

import numpy as np

from tauscope import Published, Scores, versions
from tauscope.boards.versions import Step

SYSTEMS = list("abcdefgh")
TOPICS = 30
#: Where the topics of the new version begin; those of the old one are the first 30.
STARTS = {"the same topics": 0, "half of the topics the same": TOPICS // 2, "new topics": TOPICS}


def on_topics(start: int) -> Callable[[np.random.Generator, float], Step]:
    def made(rng: np.random.Generator, gain: float) -> Step:
        names = [f"t{i}" for i in range(2 * TOPICS)]
        # Around 50, so that small scores beside larger ones are not taken for another scale.
        means = 50 + rng.normal(size=len(SYSTEMS)) + rng.normal(size=(len(names), 1))
        old = means + 0.5 * rng.normal(size=means.shape)
        new = old + 0.2 * rng.normal(size=means.shape) + 2
        new[:, 2] += 0.15 * gain
        rows = slice(start, start + TOPICS)
        before, after = Scores(old[:TOPICS], names[:TOPICS], SYSTEMS), Scores(new[rows], names[rows], SYSTEMS)
        return versions([before, after]).steps[0]

    return made


def printed(rng: np.random.Generator, gain: float) -> Step:
    """Twenty systems whose errors are a sixth to a half of their spread."""
    truth, names = rng.normal(size=20), [f"s{i}" for i in range(20)]
    errors = rng.uniform(0.5, 1.5, size=20) / 3
    boards = []
    for more in (0.0, 2 * math.sqrt(2) * errors[2] * gain):
        own = truth + errors * rng.normal(size=20) + more * (np.arange(20) == 2)
        boards.append(Published(dict(zip(names, own.tolist(), strict=True)), errors=errors))
    return versions(list(boards)).steps[0]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--trials", type=int, default=1000)
    parser.add_argument("--only", default="")
    options = parser.parse_args()
    trials = options.trials
    print(f"95 %, {trials:,} pairs of versions a line (Monte Carlo error {math.sqrt(0.05 * 0.95 / trials):.3f})")
    kinds = {name: on_topics(start) for name, start in STARTS.items()} | {"printed scores": printed}
    for name, made in kinds.items():
        if options.only not in name:
            continue
        rows = []
        for trial in range(trials):
            same, gained = (made(np.random.default_rng(trial), gain) for gain in (0.0, 1.0))
            place = gained.systems.index("c" if "c" in gained.systems else "s2")
            rows.append([same.changed.any(), same.moved.any(), gained.changed[place]])
        changed, moved, found = np.mean(rows, axis=0)
        print(
            f"{name}: a score called changed {changed:.3f}, a rank called moved {moved:.3f}; a gain found {found:.3f}",
            flush=True,
        )


if __name__ == "__main__":
    main()
