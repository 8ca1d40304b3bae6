"""Seeds: the argument `rng` becomes a number that a result can remember."""

from __future__ import annotations

import numpy as np

from ..errors import CallError

Rng = int | np.integer | np.random.Generator | None


def remembered(rng: Rng) -> int:
    """A seed: the one given, one drawn from the generator given, or a fresh one."""
    if rng is None:
        return int(np.random.SeedSequence().generate_state(1)[0])
    if isinstance(rng, np.random.Generator):
        return int(rng.integers(2**32))
    if isinstance(rng, (bool, np.bool_)) or not isinstance(rng, (int, np.integer)) or rng < 0:
        raise CallError(f"rng={rng!r} is not a seed. Use a whole number of at least 0 or a numpy.random.Generator.")
    return int(rng)
