"""How do time and memory grow with systems, topics and draws, where people wait? CPU seconds, and the exponent of each.

An exponent of 1 means that twice as much takes twice as long. `--figure FILE.svg` plots the points.
"""

from __future__ import annotations

import resource
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
from timing import Figures

from tauscope import Scores, expected_correlation, significance
from tauscope.coefficients.records import TAU_B
from tauscope.core import kernels

STEPS = (1, 2, 4)


def scores(systems: int, topics: int) -> Scores:
    rng = np.random.default_rng(systems + topics)
    return Scores(rng.random((topics, systems)) + rng.normal(0, 0.05, systems))


def tukey(systems: int, topics: int, draws: int) -> Callable[[], object]:
    made = scores(systems, topics)
    return lambda: significance(made, draws=draws)


def expected(systems: int, topics: int, draws: int) -> Callable[[], object]:
    made = scores(systems, topics)
    return lambda: expected_correlation(made)


def batch(systems: int, topics: int, draws: int) -> Callable[[], object]:
    rng = np.random.default_rng(8)
    rows, truth = rng.random((draws, systems)).round(2), rng.random((draws, systems)).round(2)
    return lambda: kernels.batch(TAU_B, rows, truth, threads=1)


def matrix(systems: int, topics: int, draws: int) -> Callable[[], object]:
    rankings = np.random.default_rng(8).random((topics, systems)).round(2)
    return lambda: kernels.matrix(TAU_B, rankings, threads=1)


#: Name -> (what is measured, systems, topics or rankings, draws or rows, which of them grow).
WORK = {
    "randomised Tukey HSD": (tukey, 50, 250, 1000, ("systems", "topics", "draws")),
    "expected correlation with its interval": (expected, 100, 400, 0, ("systems", "topics")),
    "batch of tau_b": (batch, 25, 0, 2000, ("systems", "draws")),
    "matrix of tau_b (topics: rankings)": (matrix, 100, 100, 0, ("systems", "topics")),
}
#: What people waited for, with what it must take at most, in CPU seconds.
GOALS = {
    "randomised Tukey HSD, 200 systems x 1,000 topics, 5,000 draws": (tukey, (200, 1000, 5000), "<= 2.5, reach 2"),
    "randomised Tukey HSD, 50 systems x 10,000 topics, 5,000 draws": (tukey, (50, 10_000, 5000), "<= 5, reach 4"),
    "expected correlation, 500 systems x 2,000 topics": (expected, (500, 2000, 0), "<= 1.2, reach 1"),
}


def cpu(function: Callable[[], object], repeat: int = 3) -> float:
    times = []
    for _ in range(repeat):
        started = time.process_time()
        function()
        times.append(time.process_time() - started)
    return min(times)


def main() -> None:
    figures = Figures("Growth: CPU seconds")
    points = []
    for name, (make, *start, growing) in WORK.items():
        for what in growing:
            place = ("systems", "topics", "draws").index(what)
            sizes, seconds = [], []
            for step in STEPS:
                size = [one * step if at == place else one for at, one in enumerate(start)]
                sizes.append(size[place])
                seconds.append(cpu(make(*size)))
                points.append({"work": name, "what": what, "size": size[place], "seconds": seconds[-1]})
            exponent = float(np.polyfit(np.log(sizes), np.log(seconds), 1)[0])
            figures.add(f"{name}: exponent with {what} ({sizes[0]} to {sizes[-1]})", exponent)
    for name, (make, size, goal) in GOALS.items():
        figures.add(name, cpu(make(*size), 1), "s", goal)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    figures.add("peak memory of all of the above", peak, "MB", "<= 500")
    if "--figure" in sys.argv:
        plot(points, Path(sys.argv[sys.argv.index("--figure") + 1]))
    figures.finish()


def plot(points: list[dict[str, object]], path: Path) -> None:
    import altair as alt

    axes = {"x": alt.X("size:Q").scale(type="log"), "y": alt.Y("seconds:Q", title="CPU seconds").scale(type="log")}
    lines = alt.Chart({"values": points}).mark_line(point=True).encode(**axes, color="work:N")
    lines.facet(column=alt.Column("what:N", title=None)).resolve_scale(x="independent").save(str(path))


if __name__ == "__main__":
    main()
