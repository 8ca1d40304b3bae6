"""Which systems are better than which, beyond chance, all statements at once: flips of signs, topic by topic.

The statistic of two systems is r = sum of their differences / root of the sum of the squares, which grows with t. When
topics could as well have had the opposite difference, all r change together; how far the largest one comes then is what
a difference must exceed (mogstad2024 do the same with normal errors, which promises too much where topics are few: with
ten, equal systems were told apart in .13 to .38 of collections instead of .05, `benchmarks/claims.py`). Differences that are skewed count for less
(`caution`).

The step-down is two-sided: a pair that is found to differ leaves the family. All steps have the same flips, so that
fewer pairs never have a larger critical value, and romano2005 (for resampling westfall1993) show that then no two equal
systems are said to differ, at the level. Which of the two is better is told by the sign. That signs are right at the
same level after a step is not in these theorems; the step-down of `expected.normal_scores`, for which it is, keeps the
opposite of every pair in the family and has ranks that are a little wider. How often all ranks hold at once was counted
instead, and is in the documentation ("How sure").
"""

from __future__ import annotations

import numpy as np

from .. import kernels
from ..arrays import Bools, Floats, product
from ..jobs.draws import PAIR_DRAWS
from ..jobs.seeds import Stream, stream
from .caution import cautious_statistics
from .corrections import max_t, pair_norms, rejected
from .observed import Observed
from .pair_tests import flips, sign_blocks, signs_of


def flips_said(topics: int, seed: int, *, one_sided: bool = False) -> str:
    """How many flips max-t was taken over, for a sentence; all there are, where these are fewer (two-sided only)."""
    made = PAIR_DRAWS if one_sided else flips(PAIR_DRAWS, topics)
    many = f"{made:,}" if made == PAIR_DRAWS else f"all {made + 1:,}"
    return f"{many} flips of signs, t counting for less where differences are skewed, seed {seed}"


def significantly_better(observed: Observed, level: float, seed: int, draws: int = PAIR_DRAWS) -> Bools:
    """systems x systems, best first: whether i is better than j, with all such statements right at once at `level`."""
    asked = ("better", level, seed, draws)
    if asked not in observed.kept:
        better = np.zeros((observed.systems, observed.systems), bool)
        p = max_t(observed, draws, stream(seed, Stream.PAIRS))
        better[observed.pairs] = rejected(p, 1 - level) & ~observed.tied
        better.flags.writeable = False
        observed.kept[asked] = better
    return np.asarray(observed.kept[asked])


def apart_from_each(observed: Observed, level: float, seed: int, draws: int = PAIR_DRAWS) -> Bools:
    """systems x systems, best first: in row i, which systems differ from i, all statements about i right at once.

    For each system max-t with step-down over the comparisons with it only (mogstad2024, marginal).
    """
    m, n = observed.systems, observed.topics
    generator = stream(seed, Stream.PAIRS)
    scale, own = (
        _square(observed, values) for values in (_inverse_norms(observed), cautious_statistics(observed, generator))
    )
    made = flips(draws, n)
    sums = np.concatenate(
        [product(signs_of(rows, draws, n, generator), observed.centred.T) for rows in sign_blocks(made, n)]
    )
    apart = np.zeros((m, m), bool)
    for i in range(m):
        order = np.argsort(own[i], kind="stable")
        largest = np.maximum.accumulate((np.abs(sums[:, [i]] - sums) * scale[i])[:, order], axis=1)
        extreme = (largest >= own[i, order] * (1 - 1e-9)).sum(axis=0)
        p = np.maximum.accumulate(((1.0 + extreme) / (1.0 + made))[::-1])[::-1]
        apart[i, order] = rejected(p, 1 - level)
    never = _square(observed, observed.tied | observed.identical).astype(bool) | np.eye(m, dtype=bool)
    return np.asarray(apart & ~never)


def _square(observed: Observed, values: Floats | Bools) -> Floats:
    """systems x systems, the same on both sides of the diagonal."""
    found = np.zeros((observed.systems, observed.systems))
    found[observed.pairs] = values
    return found + found.T


def _inverse_norms(observed: Observed) -> Floats:
    norm = pair_norms(observed)
    return np.divide(1.0, norm, out=np.zeros(len(norm)), where=norm > 0)


def exceeded_p(observed: Observed, seed: int, draws: int = PAIR_DRAWS) -> Floats:
    """For each system, best first: how likely does another one exceed it as far as one does, if none is better?"""
    m, n = observed.systems, observed.topics
    scale = _square(observed, _inverse_norms(observed))
    generator = stream(seed, Stream.PAIRS)
    statistics = np.zeros((m, m))
    statistics[observed.pairs] = cautious_statistics(observed, generator)
    own = statistics.max(axis=0) * (1 - 1e-9)
    extreme = np.zeros(m, np.int64)
    for rows in sign_blocks(draws, n):
        sums = product(signs_of(rows, draws, n, generator, one_sided=True), observed.centred.T)
        extreme += kernels.flips_exceeding(sums, scale, own)
    return np.asarray((1 + extreme) / (1 + draws))
