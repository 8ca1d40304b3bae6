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

import math
from typing import NamedTuple

import numpy as np

from .. import kernels
from ..arrays import Bools, Floats, product
from ..jobs.draws import PAIR_DRAWS, flip_draws
from ..jobs.seeds import Stream, stream
from .caution import cautious_statistics
from .corrections import MaxT, pair_norms, rejected
from .observed import Observed
from .pair_tests import flips, sign_blocks, signs_of
from .relation import tier_numbers

#: Flips are added while a p-value that decides a tier is within this many standard errors of the level, up to so many
#: times the flips of the start.
NEAR, MOST_TIMES = 2.0, 8


class Tested(NamedTuple):
    """Which systems are significantly better than which, the number of draws, and how many pairs that decide a tier are
    so near to the level that other draws may decide differently."""

    better: Bools
    draws: int
    near: int = 0


def significantly_better(observed: Observed, level: float, seed: int, draws: int | None = None) -> Bools:
    """systems x systems, best first: whether i is better than j, with all such statements right at once at `level`."""
    return tested(observed, level, seed, draws).better


def tested(observed: Observed, level: float, seed: int, draws: int | None) -> Tested:
    """Test all pairs jointly: which of two systems is better, with all such statements right at once at `level`.

    The small-sample correction has the same resamples whatever the seed, and flips are added where a tier is in doubt
    (unless `draws` says how many there are): the seed is not to decide who is in which tier.
    """
    asked = ("better", level, seed, draws)
    if asked not in observed.kept:
        first = flip_draws(observed.systems) if draws is None else draws
        test = MaxT(observed, stream(seed, Stream.PAIRS), first, stream(0, Stream.PAIRS))
        while True:
            p = test.p()
            better = np.zeros((observed.systems, observed.systems), bool)
            better[observed.pairs] = rejected(p, 1 - level) & ~observed.tied
            near = 0 if test.exact else _near(observed, better, p, level, test.made)
            if not near or draws is not None or test.made >= MOST_TIMES * first:
                break
        better.flags.writeable = False
        observed.kept[asked] = Tested(better, test.made, near)
    found: Tested = observed.kept[asked]
    return found


def _near(observed: Observed, better: Bools, p: Floats, level: float, draws: int) -> int:
    """Count the pairs with the first of a tier whose p-value is within Monte Carlo error of the level."""
    error = math.sqrt(level * (1 - level) / draws)
    starts = np.flatnonzero(np.diff(tier_numbers(better, observed.means), prepend=0))
    doubtful = (np.abs(p - (1 - level)) < NEAR * error) & ~observed.tied
    return int((doubtful & np.isin(observed.pairs[0], starts)).sum())


def apart_from(observed: Observed, system: int, level: float, seed: int) -> Bools:
    """Which systems differ from one, the one in this place, all statements about it right at once.

    Max-t with step-down over the comparisons with it only (mogstad2024, marginal).
    """
    m, n = observed.systems, observed.topics
    generator, draws = stream(seed, Stream.PAIRS), flip_draws(m)
    scale, own = (
        _square(observed, values)[system]
        for values in (_inverse_norms(observed), cautious_statistics(observed, stream(0, Stream.PAIRS)))
    )
    made = flips(draws, n)
    order = np.argsort(own, kind="stable")
    extreme = np.zeros(m, np.int64)
    for rows in sign_blocks(made, n):
        sums = product(signs_of(rows, draws, n, generator), observed.centred.T)
        largest = np.maximum.accumulate((np.abs(sums[:, [system]] - sums) * scale)[:, order], axis=1)
        extreme += (largest >= own[order] * (1 - 1e-9)).sum(axis=0)
    p = np.empty(m)
    p[order] = np.maximum.accumulate(((1.0 + extreme) / (1.0 + made))[::-1])[::-1]
    never = _square(observed, observed.tied | observed.identical)[system].astype(bool)
    never[system] = True
    return np.asarray(rejected(p, 1 - level) & ~never)


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
    statistics[observed.pairs] = cautious_statistics(observed, stream(0, Stream.PAIRS))
    own = statistics.max(axis=0) * (1 - 1e-9)
    extreme = np.zeros(m, np.int64)
    for rows in sign_blocks(draws, n):
        sums = product(signs_of(rows, draws, n, generator, one_sided=True), observed.centred.T)
        extreme += kernels.flips_exceeding(sums, scale, own)
    return np.asarray((1 + extreme) / (1 + draws))
