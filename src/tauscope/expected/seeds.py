"""Randomness that is an argument and is remembered: every result knows the seed that repeats it."""

from __future__ import annotations

from enum import IntEnum

import numpy as np

from ..jobs.seeds import Rng as Rng
from ..jobs.seeds import remembered as remembered


class Stream(IntEnum):
    """What random numbers are for: each use has a stream of its own, so that none moves another's numbers."""

    POINT = 0
    INTERVAL = 1
    RANKS = 2
    PAIRS = 3
    HALVES = 4
    JUDGES = 20
    TESTS = 21
    SHIFTS = 30


def stream(seed: int, use: Stream) -> np.random.Generator:
    """The generator of one use under a seed."""
    return np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(int(use),)))
