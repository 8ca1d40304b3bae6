"""What do all sets of predictors, and the best subsets of every size, cost for the 23 measures of gupta2019?

Seconds of the processor; ours and a loop of scikit-learn and SciPy take turns.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from itertools import combinations
from pathlib import Path

import numpy as np
from timing import Figures, alternating, best

from tauscope import measures
from tauscope.data.names import GUPTA2019
from tauscope.measures import Table as MeasureTable
from tauscope.measures import predict as predict_measures
from tauscope.measures import rank as rank_measures

#: Regressions of the loop that are timed; it is as fast for all of them.
TIMED = 300


def tables() -> tuple[MeasureTable, MeasureTable, str]:
    """gupta2019's training systems and WT2012 from `--data DIR`, or made-up ones of the same size and kind."""
    if "--data" in sys.argv[1:]:
        folder = Path(sys.argv[sys.argv.index("--data") + 1])
        return (
            measures.Table.read(folder / "train_regress.csv"),
            measures.Table.read(folder / "result_wt2012.csv"),
            "gupta2019",
        )
    made = []
    for seed, systems in ((1, 428), (2, 48)):
        rng = np.random.default_rng(seed)
        mixing = np.random.default_rng(0).random((4, 23))
        values = 0.2 * rng.random((systems, 4)) @ mixing + 0.02 * rng.random((systems, 23))
        made.append(MeasureTable(values.round(4), [str(i) for i in range(systems)], list(GUPTA2019)))
    return made[0], made[1], "made-up"


def loop(train: MeasureTable, select: MeasureTable) -> Callable[[], None] | None:
    """Some sets by a loop of scikit-learn and SciPy, or None where they are not installed."""
    try:
        from scipy.stats import kendalltau
        from sklearn.linear_model import LinearRegression
    except ImportError:
        return None
    rng = np.random.default_rng(1)
    every = [list(one) for size in (1, 2, 3) for one in combinations(range(1, 23), size)]
    some = [every[i] for i in rng.choice(len(every), TIMED, replace=False)]

    def run() -> None:
        for one in some:
            model = LinearRegression().fit(train.values[:, one], train.values[:, 0])
            kendalltau(model.predict(select.values[:, one]), select.values[:, 0])

    return run


def main() -> None:
    train, select, kind = tables()
    figures = Figures(f"23 measures, {len(train)} systems in training, {len(select)} to choose on ({kind})")
    sets = predict_measures(train, select_on=select)
    tried = sum(one.tried for one in sets)
    peer = loop(train, select)
    theirs, ours = alternating(peer or (lambda: None), lambda: predict_measures(train, select_on=select), 5)
    figures.add(f"all {tried:,} sets of up to 3 of 22 measures, 23 targets", ours, "s", "<= 2")
    if peer is None:
        figures.note("scikit-learn is not installed: no ratio")
    else:
        for package in ("scikit-learn", "scipy"):
            figures.peer(package)
        figures.add(f"the same by a loop of both, from {TIMED} of them", theirs / TIMED * tried, "s")
        figures.add("loop / ours", theirs / TIMED * tried / ours, "x", ">= 100")
    for scale in ("covariance", "correlation"):
        spent = best(lambda scale=scale: rank_measures(train, "exact", scale=scale), repeat=3)  # type: ignore[misc]
        figures.add(f"exact, every subset size, {scale}", spent, "s", "<= 10")
        found = rank_measures(train, "exact", scale=scale)
        figures.note(f"{found.nodes:,} nodes of {2**24 - 2:,}")
    figures.finish()


if __name__ == "__main__":
    main()
