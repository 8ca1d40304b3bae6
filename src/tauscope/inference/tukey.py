"""The randomised Tukey HSD: the largest difference of two means when systems are exchanged within topics
(carterette2012).
"""

from __future__ import annotations

import numpy as np

from .. import kernels
from ..arrays import Floats, blocks
from ..jobs.progress import Progress
from .observed import Observed

#: Permuted scores between two reports of progress.
BLOCK = 1 << 24


def tukey(observed: Observed, draws: int, generator: np.random.Generator, progress: Progress | None = None) -> Floats:
    """p-values of the randomised Tukey HSD (carterette2012), which keep the familywise error where all systems could
    be exchanged on every topic.

    Each is the share of permutations of the systems within each topic in which the best and the worst mean differ at
    least as much as the two; the data themselves count as one. A permutation is a function of the seed and its number:
    the number of threads does not matter.
    """
    scores = np.ascontiguousarray(observed.centred.T)
    key = int(generator.integers(2**64, dtype=np.uint64))
    found = []
    for rows in blocks(draws, scores.size, BLOCK):
        found.append(kernels.permuted_ranges(scores, key, rows.start, rows.stop - rows.start))
        if progress is not None:
            progress(rows.stop, draws)
    ranges = np.sort(np.concatenate(found)) / observed.topics
    at_least = draws - np.searchsorted(ranges, observed.gaps - observed.tolerance, side="left")
    return np.where(observed.identical, 1.0, (1.0 + at_least) / (1.0 + draws))
