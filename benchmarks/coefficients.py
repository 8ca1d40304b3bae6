"""How fast are many small rankings? 100 systems, as in a TREC track, against SciPy, pandas, trectools and numba.

Seconds are those of the processor; only threads are measured by the clock.
"""

from __future__ import annotations

import sys
import time
from functools import partial

import numpy as np
import timing
from timing import Figures

import tauscope
from tauscope import catalogue
from tauscope.coefficients.correlate import correlation_matrix
from tauscope.coefficients.records import Ties
from tauscope.core import kernels

ROWS, N = 4_000, 100
best = partial(timing.best, clock=time.process_time)


def numba_tau_ap(figures: Figures, estimates: np.ndarray, truth: np.ndarray) -> None:
    """A plain O(n^2) loop, compiled: what one would write oneself."""
    folder = sys.path.pop(0)  # numba imports the package `coverage`, and a script of that name stands here
    try:
        import numba
    except ImportError:
        figures.note("numba is not installed: left out")
        return
    finally:
        sys.path.insert(0, folder)

    @numba.njit
    def tau_ap(estimate: np.ndarray, truth: np.ndarray) -> float:
        n = len(estimate)
        order = np.argsort(-estimate)
        total = 0.0
        for i in range(1, n):
            right = 0
            for j in range(i):
                right += truth[order[j]] > truth[order[i]]
            total += right / i
        return 2 * total / (n - 1) - 1

    @numba.njit
    def rows(estimates: np.ndarray, truth: np.ndarray, out: np.ndarray) -> None:
        for row in range(len(estimates)):
            out[row] = tau_ap(estimates[row], truth)

    figures.peer("numba")
    out = np.empty(len(estimates))
    peer = best(lambda: rows(estimates, truth, out))
    ours = best(lambda: kernels.batch(catalogue["tau_ap"], estimates, truth[None], threads=1))
    assert np.allclose(out, kernels.batch(catalogue["tau_ap"], estimates, truth[None])[0])
    figures.add("tau_ap: numba loop / ours", peer / ours, "x", ">= 2, reach 4")


def trectools_tau_ap(figures: Figures, estimates: np.ndarray, truth: np.ndarray) -> None:
    try:
        from trectools import misc
    except Exception as error:  # its own imports fail on some versions of its dependencies
        figures.note(f"trectools cannot be imported ({type(error).__name__}): left out")
        return

    figures.peer("trectools")

    def ordered(scores: np.ndarray) -> list[tuple[float, str]]:
        return sorted(((float(s), f"s{i}") for i, s in enumerate(scores)), reverse=True)

    gold, others = ordered(truth), [ordered(row) for row in estimates[:40]]
    theirs = [misc.get_correlation(gold, other, "tauap")[0] for other in others]
    assert np.allclose(theirs, kernels.batch(catalogue["tau_ap"], estimates[:40], truth[None])[0])
    peer = best(lambda: [misc.get_correlation(gold, other, "tauap") for other in others], 3) / 40
    ours = best(lambda: kernels.batch(catalogue["tau_ap"], estimates, truth[None], threads=1)) / len(estimates)
    figures.add("tau_ap: trectools / ours", peer / ours, "x", ">= 150")


def pandas_matrix(figures: Figures, rankings: np.ndarray) -> None:
    try:
        import pandas as pd
    except ImportError:
        figures.note("pandas is not installed: left out")
        return
    figures.peer("pandas")
    frame = pd.DataFrame(rankings.T)
    peer = best(lambda: frame.corr(method="kendall"), 3)
    ours = best(lambda: correlation_matrix(rankings, "tau_b", threads=1))
    assert np.allclose(frame.corr(method="kendall").to_numpy(), correlation_matrix(rankings, "tau_b").values)
    figures.add(f"100 x 100 matrix of tau_b: pandas {pd.__version__} corr / ours", peer / ours, "x", ">= 30 (pandas 3)")
    figures.add("100 x 100 matrix of tau_b, ours", ours * 1e3, "ms")


def main() -> None:
    from scipy import stats

    figures = Figures(f"Batches: {ROWS} rankings of {N} systems, one thread")
    figures.peer("scipy")
    rng = np.random.default_rng(8)
    tied, tied_truth = rng.random((ROWS, N)).round(2), rng.random((ROWS, N)).round(2)
    untied, untied_truth = rng.random((ROWS, N)), rng.random(N)
    vectorised = best(lambda: stats.kendalltau(tied[:200], tied_truth[:200], axis=-1), 3) / 200
    loop = best(lambda: [stats.kendalltau(a, b) for a, b in zip(tied[:100], tied_truth[:100], strict=True)], 3) / 100
    figures.add("SciPy kendalltau(axis=-1), a row", vectorised * 1e6, "us")
    figures.add("SciPy kendalltau, a call", loop * 1e6, "us")
    tau_b = best(lambda: kernels.batch(catalogue["tau_b"], tied, tied_truth, threads=1)) / ROWS
    figures.add("tau_b with ties, ours, a row", tau_b * 1e6, "us")
    figures.add("tau_b with ties: SciPy axis / ours", vectorised / tau_b, "x", ">= 60, reach 70")
    figures.add("tau_b with ties: SciPy loop / ours", loop / tau_b, "x", ">= 100, reach 150")
    for c in (one for one in catalogue if one.kernel is not None):
        plain = c.ties is Ties.FORBIDDEN
        rows, truth = (untied, np.tile(untied_truth, (ROWS, 1))) if plain else (tied, tied_truth)
        ours = best(lambda c=c, rows=rows, truth=truth: kernels.batch(c, rows, truth, threads=1)) / ROWS
        figures.add(f"{c.name} / tau_b", ours / tau_b, "x", "<= 3")
        if c.takes_tolerance:
            within = kernels.Tolerance(0.03)
            ours = best(lambda c=c, within=within: kernels.batch(c, tied, tied_truth, within, within, threads=1)) / ROWS
            figures.add(f"{c.name} with a tolerance / tau_b", ours / tau_b, "x", "<= 3")
    trectools_tau_ap(figures, untied, untied_truth)
    numba_tau_ap(figures, untied, untied_truth)
    pandas_matrix(figures, rng.random((100, N)).round(2))
    first, second = tied[0], tied_truth[0]
    figures.add(
        "one public call of tau_b: SciPy / ours", loop / best(lambda: tauscope.tau_b(first, second)), "x", ">= 10"
    )
    one = timing.best(lambda: kernels.batch(catalogue["tau_b"], tied, tied_truth, threads=1))
    two = timing.best(lambda: kernels.batch(catalogue["tau_b"], tied, tied_truth, threads=2))
    figures.add("two threads against one", one / two, "x", ">= 1.7 on two idle cores")
    figures.finish()


if __name__ == "__main__":
    main()
