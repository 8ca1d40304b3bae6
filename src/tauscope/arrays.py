"""Names for the arrays that the package passes around, how large work is cut into blocks, and powers of two."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]

#: How many cells of work are held at once, by default: as many as stay in the cache.
BLOCK = 1 << 15
#: Draws made at once: few enough to stay in the cache, enough for a product of matrices to be worth it.
FEWEST_DRAWS = 64


def blocks(rows: int, columns: int, most: int = BLOCK) -> Iterator[slice]:
    """Slices of the rows of a table, each with at most `most` cells, and at least one row."""
    step = max(1, most // max(1, columns))
    for start in range(0, rows, step):
        yield slice(start, min(rows, start + step))


def exponents(values: Floats) -> NDArray[np.int32]:
    """The power of two just above the largest number of each row.

    Rows divided by it keep their digits, and their squares neither overflow nor vanish.
    """
    finite = np.where(np.isfinite(values), values, 0.0)
    return np.asarray(np.frexp(np.abs(finite).max(axis=-1, initial=0.0))[1])
