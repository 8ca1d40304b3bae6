"""How fast is one huge pair? Against one np.argsort of the same array, in turns, by processor time; memory at 10^7."""

from __future__ import annotations

import resource
import sys

import numpy as np
from timing import Figures, alternating

import tauscope
from tauscope.core import kernels
from tauscope.core.arrays import Tolerance

GOALS = {"tau_gap": "<= 3", "pearson_rank": "<= 1.5", "tau_b": "<= 1.5"}


def main() -> None:
    figures = Figures("One pair of 10^6 items, one thread, against one np.argsort")
    rng = np.random.default_rng(8)
    estimate = rng.random(10**6)
    truth = np.abs(estimate + rng.normal(0, 0.2, 10**6))
    figures.note(f"numpy {np.__version__}")
    for c in (one for one in tauscope.catalogue if one.kernel is not None):
        sort, ours = alternating(lambda: np.argsort(estimate), lambda c=c: kernels.one(c, estimate, truth), 5)
        goal = GOALS.get(c.name, "<= 1.75" if c.name.startswith("tau_ap") else "")
        figures.add(f"{c.name} / argsort", ours / sort, "x", goal)
        if c.takes_tolerance:
            within = Tolerance(0.01)
            sort, ours = alternating(
                lambda: np.argsort(estimate),
                lambda c=c, within=within: kernels.one(c, estimate, truth, within, within),
                5,
            )
            figures.add(f"{c.name} with a tolerance / argsort", ours / sort, "x", "<= 4")
    if "--memory" in sys.argv:
        memory(figures)
    figures.finish()


def memory(figures: Figures) -> None:
    """Peak memory at 10^7 items, in arrays of n doubles, the two inputs included."""
    n = 10**7
    rng = np.random.default_rng(8)
    estimate, truth = rng.random(n), rng.random(n)
    base = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    for name in ("tau_b", "tau_ap_b", "tau_ap_e", "tau_gap", "pearson_rank"):
        within = Tolerance(0.001) if name in ("tau_ap_b", "tau_ap_e") else Tolerance()
        kernels.one(tauscope.catalogue[name], estimate, truth, within, within)
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
        figures.add(
            f"10^7 items, up to {name}: peak beyond the inputs, arrays of n doubles",
            (peak - base) / (8 * n) + 2,
            "",
            "<= 12",
        )


if __name__ == "__main__":
    main()
