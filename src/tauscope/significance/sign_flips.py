"""Which systems are better than which, beyond chance, all statements at once: flips of signs, topic by topic.

The statistic of two systems is r = sum of their differences / root of the sum of the squares, which grows with t. When
topics could as well have had the opposite difference, all r change together; how far the largest one comes then is what
a difference must exceed (mogstad2024 do the same with resampled topics, which promises too much where topics are few:
with ten, noise had significant pairs 20 % of the time instead of 5 %).
"""

from __future__ import annotations

import numpy as np

from .. import kernels
from ..arrays import Bools, Floats
from ..jobs.draws import PAIR_DRAWS
from ..jobs.seeds import Stream, stream
from .corrections import max_t, pair_norms, rejected
from .observed import Observed
from .pair_tests import sign_blocks, signs_of


def significantly_better(observed: Observed, level: float, seed: int, draws: int = PAIR_DRAWS) -> Bools:
    """systems x systems, best first: whether i is better than j, with all such statements right at once at `level`."""
    better = np.zeros((observed.systems, observed.systems), bool)
    p = max_t(observed, draws, stream(seed, Stream.PAIRS))
    better[observed.pairs] = rejected(p, 1 - level) & ~observed.tied
    return better


def exceeded_p(observed: Observed, seed: int, draws: int = PAIR_DRAWS) -> Floats:
    """For each system, best first: how likely does another one exceed it as far as one does, if none is better?"""
    m, n = observed.systems, observed.topics
    scale = np.zeros((m, m))
    norm = pair_norms(observed)
    scale[observed.pairs] = np.divide(1.0, norm, out=np.zeros(len(norm)), where=norm > 0)
    scale += scale.T
    gaps = np.zeros((m, m))
    gaps[observed.pairs] = observed.gaps
    own = n * (gaps * scale).max(axis=0) * (1 - 1e-9)
    extreme = np.zeros(m, np.int64)
    generator = stream(seed, Stream.PAIRS)
    for rows in sign_blocks(draws, n):
        sums = signs_of(rows, draws, n, generator, one_sided=True) @ observed.centred.T
        extreme += kernels.flips_exceeding(sums, scale, own)
    return np.asarray((1 + extreme) / (1 + draws))
