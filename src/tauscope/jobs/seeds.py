"""Seeds: the argument `rng` becomes a number that a result remembers, and every use of it has numbers of its own."""

from __future__ import annotations

from enum import IntEnum

import numpy as np

from ..errors import Advice, CallError

Rng = int | np.integer | np.random.Generator | None


def remembered(rng: Rng) -> int:
    """A seed: the one given, one drawn from the generator given, or a fresh one."""
    if rng is None:
        return int(np.random.SeedSequence().generate_state(1)[0])
    if isinstance(rng, np.random.Generator):
        return int(rng.integers(2**32))
    if isinstance(rng, (bool, np.bool_)) or not isinstance(rng, (int, np.integer)) or rng < 0:
        raise CallError(
            f"rng={rng!r} is not a seed.",
            Advice(
                "Use a whole number of at least 0 or a numpy.random.Generator.",
                "A seed is a whole number of at least 0.",
            ),
        )
    return int(rng)


def generator(rng: Rng) -> tuple[np.random.Generator, str]:
    """The generator that `rng` asks for, and its name in notes: "rng=3" for a seed, also for one that was just made
    up."""
    if isinstance(rng, np.random.Generator):
        return rng, "rng a Generator"
    seed = remembered(rng)
    return np.random.default_rng(seed), f"rng={seed}"


class Stream(IntEnum):
    """What random numbers are for: each use has a stream of its own, so that none moves another's numbers."""

    POINT = 0
    INTERVAL = 1
    RANKS = 2
    PAIRS = 3
    HALVES = 4
    SUBSETS = 5
    JUDGES = 20
    TESTS = 21
    SHIFTS = 30
    TOPICS = 31
    FLIPS = 32
    FAMILIES = 33
    PEOPLE = 34
    PLAN = 35
    PLAN_NOISE = 36
    RELIABILITY = 37


def stream(seed: int, use: Stream, *places: int) -> np.random.Generator:
    """The generator of one use under a seed; with places, that of one repetition of it."""
    return np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(int(use), *places)))
