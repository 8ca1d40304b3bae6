"""The randomised Tukey HSD: the largest difference of two means when systems are exchanged within topics
(carterette2012).
"""

from __future__ import annotations

import numpy as np

from ..arrays import Floats, blocks
from ..jobs.progress import Progress
from .observed import Observed
from .pair_tests import BLOCK


def tukey(observed: Observed, draws: int, generator: np.random.Generator, progress: Progress | None = None) -> Floats:
    """p-values of the randomised Tukey HSD (carterette2012), which keep the familywise error.

    Each is the share of permutations of the systems within each topic in which the best and the worst mean differ at
    least as much as the two; the data themselves count as one.
    """
    ranges = np.empty(draws)
    scores = np.ascontiguousarray(observed.centred.T)
    for rows in blocks(draws, scores.size, BLOCK):
        for draw in range(rows.start, rows.stop):
            means = generator.permuted(scores, axis=1).mean(axis=0)
            ranges[draw] = means.max() - means.min()
        if progress is not None:
            progress(rows.stop, draws)
    ranges.sort()
    at_least = draws - np.searchsorted(ranges, observed.gaps - observed.tolerance, side="left")
    return np.where(observed.identical, 1.0, (1.0 + at_least) / (1.0 + draws))
