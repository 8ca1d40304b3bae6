"""How far can t be trusted where differences are skewed, or a few topics decide?

Flips of signs take differences for symmetric about their mean. Those of reciprocal ranks are not: two systems may differ
on a handful of topics, and a sample without these makes one of them look better without exception. So the t of each
pair is divided by lambda + (lambda - 1)², where lambda is how much wider t spreads when topics are resampled than it
would for normal scores,

    lambda = max(1, 95 % quantile of |t*| / that of Student's t),   t* = sqrt(n) (d* - d)/s*,

d* and s* of resampled differences (the studentised bootstrap), or what a quarter of all pairs have more than where that
is larger: a pair whose sample happens to lack the topics that matter does not show it, but others of the same measure
do. The square is for what lies further out, where the largest of many pairs is: tails that are wide at 95 % are wider
still at 99 %.

Near copies of one system differ on a topic or two. A sample without these topics shows a difference that is next to
constant, of whatever size, and a t without measure. So the variance of each pair is that of its differences plus 1/n of
the median variance of all pairs: as if one more topic had told the two as far apart as systems usually are.

Caution has an end. Near copies, which differ on a topic or two, have a lambda without measure, and a system that is
behind on nearly every topic must not be spared for it. So t is at least what it would be with one more topic, on which
the two are as far apart the other way as any two systems are on any topic: what a sample may have missed, and no more.
"""

from __future__ import annotations

import math

import numpy as np

from ..arrays import Floats, blocks, product
from ..jobs.draws import CAUTION_DRAWS
from .observed import Observed
from .pair_tests import BLOCK

#: Of more pairs, so many are looked at, and all have what is common to those.
MOST_PAIRS = 20_000
#: A resampled variance is at least this share of the variance.
LEAST_VARIANCE = 1e-3
#: Which quantile of |t| is compared, and which quantile of lambda all pairs have at least.
SHARE, COMMON = 0.95, 0.75


def cautious_statistics(observed: Observed, generator: np.random.Generator) -> Floats:
    """r of each pair, |sum of differences| / root of the sum of their squares, as t/lambda has it."""
    n = observed.topics
    t = np.maximum(_moderated_statistics(observed) / caution(observed, generator), with_one_against(observed))
    with np.errstate(invalid="ignore"):
        return np.where(np.isinf(t), math.sqrt(n), t * math.sqrt(n) / np.sqrt(n - 1 + t * t))


def _moderated_statistics(observed: Observed) -> Floats:
    """t of each pair with the variance that one more topic, as usual as any, would leave it; at least 0."""
    n, variance = observed.topics, observed.deviations**2
    spread = np.sqrt(variance + (float(np.median(variance)) if variance.size else 0.0) / n)
    constant = np.where(observed.gaps > 0, np.inf, 0.0)
    return np.asarray(math.sqrt(n) * np.divide(observed.gaps, spread, out=constant, where=spread > 0))


def with_one_against(observed: Observed) -> Floats:
    """t of each pair with one more topic, as far the other way as any two systems are on any topic; at least 0."""
    n, gap = observed.topics, observed.gaps
    far = float(np.ptp(observed.centred, axis=0).max(initial=0.0))
    squares = (n - 1) * observed.deviations**2 + n / (n + 1) * (gap + far) ** 2
    spread = np.sqrt(np.maximum(squares, 1e-300) / n)
    return np.asarray(np.maximum(n * gap - far, 0.0) / math.sqrt(n + 1) / spread)


def caution(observed: Observed, generator: np.random.Generator) -> Floats:
    """What t of each pair is divided by, at least 1; what is drawn does not move the generator."""
    from scipy.special import stdtrit

    first, second = observed.pairs
    n, count = observed.topics, len(first)
    if n < 2 or not count:
        return np.ones(count)
    every = -(-count // MOST_PAIRS)
    looked = np.arange(0, count, every)
    looked = looked[observed.deviations[looked] > 0]
    if not len(looked):
        return np.ones(count)
    own = generator.spawn(1)[0]
    weights = (own.multinomial(n, np.full(n, 1 / n), size=CAUTION_DRAWS) / n).T
    student = float(stdtrit(n - 1, (1 + SHARE) / 2))
    # An order of their own, so that nothing drawn depends on how topics are listed.
    centred = observed.centred[:, np.lexsort(observed.centred)]
    centred = centred - centred.mean(axis=1, keepdims=True)
    resampled = product(centred, weights)
    found = np.empty(len(looked))
    for rows in blocks(len(looked), max(n, CAUTION_DRAWS), BLOCK):
        pairs = looked[rows]
        square = (centred[first[pairs]] - centred[second[pairs]]) ** 2
        moved = (resampled[first[pairs]] - resampled[second[pairs]]) ** 2
        least = LEAST_VARIANCE * square.mean(axis=1, keepdims=True)
        t = np.sqrt((n - 1) * moved / np.maximum(product(square, weights) - moved, least))
        found[rows] = np.maximum(np.quantile(t, SHARE, axis=1) / student, 1.0)
    result = np.full(count, float(np.quantile(found, COMMON)))
    if every == 1:
        result[looked] = np.maximum(found, result[looked])
    return result + (result - 1.0) ** 2
