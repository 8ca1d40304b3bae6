"""Which systems are better than which, beyond chance, all pairs at once: max-t with step-down.

t_ij = d_ij sqrt(n)/s_ij. The critical value is a quantile of the largest deviation over all hypotheses "i is not better than
j" in resamples of the topics; hypotheses that are rejected leave, and it falls (mogstad2024; Romano and Wolf 2005). Resampled
deviations have the tails of a normal distribution and t has those of Student's: the value is taken over by its tail
probability, which matters below fifty topics.
"""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Iterator
from typing import Any

import numpy as np

from .. import kernels
from ..ties import Floats
from .draws import topic_weights
from .observed import Bools, Observed
from .seeds import Stream, stream

#: Resamples behind a critical value.
PAIR_DRAWS = 2000


def student_statistics(observed: Observed) -> Floats:
    """t of each pair, at least 0; infinite for a constant difference, 0 for identical systems."""
    s = observed.deviations
    constant = np.where(observed.gaps > 0, np.inf, 0.0)
    return np.asarray(np.sqrt(observed.topics) * np.divide(observed.gaps, s, out=constant, where=s > 0))


class Deviations:
    """Resampled deviations of all pairs, (d* - d) sqrt(n)/s, made again from the seed each time they are gone through."""

    def __init__(self, observed: Observed, seed: int, draws: int = PAIR_DRAWS) -> None:
        self.observed, self.seed, self.draws = observed, seed, draws
        n, m = observed.topics, observed.systems
        inverse = np.zeros((m, m))
        first, second = observed.pairs
        s = observed.deviations
        inverse[first, second] = np.divide(np.sqrt(n - 1.0), s, out=np.zeros(len(s)), where=s > 0)
        self.inverse = inverse + inverse.T

    def blocks(self) -> Iterator[Floats]:
        """Deviations of the means of the systems, draws x systems."""
        generator = stream(self.seed, Stream.PAIRS)
        observed = self.observed
        for weights in topic_weights(observed.topics, self.draws, generator, bayesian=False):
            yield weights @ observed.centred.T - observed.effects

    def largest(self, rejected: Bools) -> Floats:
        """For each draw the largest deviation of the hypotheses left: both directions of a pair, or only "the better one is
        not worse" where the other is rejected."""
        up = np.where(rejected, 0.0, self.inverse)
        return np.concatenate([kernels.largest_deviations(block, up, self.inverse) for block in self.blocks()])

    def largest_above_each(self) -> Floats:
        """For each draw and system the largest deviation of another system above it: draws x systems."""
        result = []
        for block in self.blocks():
            top = np.zeros_like(block)
            for system in range(self.observed.systems):
                top[:, system] = ((block - block[:, system : system + 1]) * self.inverse[system]).max(axis=1)
            result.append(top)
        return np.concatenate(result)


def students_critical(normal: float, topics: int) -> float:
    """The value that Student's t exceeds as rarely as a normal variable exceeds the given one."""
    from scipy.special import ndtr, stdtrit

    return float(-stdtrit(topics - 1, ndtr(-normal)))


def significantly_better(observed: Observed, level: float, seed: int, draws: int = PAIR_DRAWS) -> Bools:
    """systems x systems, best first: whether i is better than j, with all such statements right at once at `level`."""
    key = (hashlib.sha256(observed.x.tobytes()).digest(), observed.x.shape, level, seed, draws)
    with _LOCK:  # who asks for ranks asks for tiers next: the second waits for the first
        if key not in _FOUND:
            while len(_FOUND) >= _MOST_FOUND:
                del _FOUND[next(iter(_FOUND))]
            _FOUND[key] = _step_down(observed, level, seed, draws)
        return _FOUND[key].copy()


_FOUND: dict[tuple[Any, ...], Bools] = {}
_MOST_FOUND = 4
_LOCK = threading.Lock()


def _step_down(observed: Observed, level: float, seed: int, draws: int) -> Bools:
    m = observed.systems
    deviations = Deviations(observed, seed, draws)
    t = np.zeros((m, m))
    t[observed.pairs] = student_statistics(observed)
    rejected = np.zeros((m, m), bool)
    while True:
        critical = students_critical(float(np.quantile(deviations.largest(rejected), level)), observed.topics)
        found = t > critical
        if (found <= rejected).all():
            return rejected
        rejected |= found
