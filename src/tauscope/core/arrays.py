"""Types of arrays, blocks of work, products whose sums have one order; and whether something is a data frame."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

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


def tally(places: ArrayLike, least: int = 0) -> Ints:
    """How often each number from 0 on occurs, for `least` of them at least: np.bincount, also where Python has 32 bits.

    There NumPy refuses places of 64 bits, and would count in 32.
    """
    return np.bincount(_places(places), minlength=least).astype(np.int64, copy=False)


def sums_by(places: ArrayLike, weights: ArrayLike, least: int = 0) -> Floats:
    """The sum of the weights of each number from 0 on, for `least` of them at least."""
    return np.asarray(np.bincount(_places(places), np.asarray(weights), least))


def repeated(values: ArrayLike, times: ArrayLike) -> NDArray[Any]:
    """Each value so many times in a row: np.repeat, also where Python has 32 bits."""
    return np.repeat(np.asarray(values), _places(times))


def _places(numbers: ArrayLike) -> NDArray[np.intp]:
    """Whole numbers as NumPy wants them for places and sizes; what is none of them stays, so that NumPy refuses it."""
    found = np.asarray(numbers)
    return found.astype(np.intp, copy=False) if found.dtype.kind in "iu" else found


def exponents(values: Floats) -> NDArray[np.int32]:
    """The power of two just above the largest number of each row.

    Rows divided by it keep their digits, and their squares neither overflow nor vanish.
    """
    finite = np.where(np.isfinite(values), values, 0.0)
    return np.asarray(np.frexp(np.abs(finite).max(axis=-1, initial=0.0))[1])


#: BLAS multiplies matrices with m * k * n up to this on one thread; tiles have at most so many terms and columns.
_ONE_THREAD, _TERMS, _COLUMNS = 1 << 18, 256, 64


def product(first: Floats, second: Floats) -> Floats:
    """first @ second, each sum in one order: the last bit does not depend on how many threads BLAS has.

    Matrices are multiplied in tiles too small for a second thread; products with a vector are not left to BLAS at all.
    """
    if second.ndim == 1:
        return np.asarray(np.einsum("...k,k->...", first, second))
    if first.ndim == 1:
        return np.asarray(np.einsum("k,kn->n", first, second))
    if first.ndim > 2:
        return product(first.reshape(-1, first.shape[-1]), second).reshape(*first.shape[:-1], second.shape[1])
    (m, k), n = first.shape, second.shape[1]
    terms, columns = max(1, min(k, _TERMS)), max(1, min(n, _COLUMNS))
    rows = _ONE_THREAD // (terms * columns)
    found = np.zeros((m, n))
    for part in range(0, k, terms):
        left, right = first[:, part : part + terms], second[part : part + terms]
        for j in range(0, n, columns):
            beside = right[:, j : j + columns]
            for i in range(0, m, rows):
                found[i : i + rows, j : j + columns] += left[i : i + rows] @ beside
    return found


#: Objects of these packages are no frames, so that narwhals need not be imported to ask.
_NO_FRAMES = frozenset({"builtins", "numpy", "pathlib", "collections", "tauscope"})


def is_frame(data: Any, *, series: bool = False) -> bool:
    """Whether this is a data frame (pandas, polars, pyarrow, …), eager or lazy; or, with `series`, a series."""
    if type(data).__module__.partition(".")[0] in _NO_FRAMES:
        return False
    import narwhals as nw

    kinds = (nw.DataFrame, nw.LazyFrame, nw.Series) if series else (nw.DataFrame, nw.LazyFrame)
    return isinstance(nw.from_native(data, pass_through=True, allow_series=True), kinds)


def is_pandas(data: Any) -> bool:
    """Whether this has labels of rows as a frame or series of pandas has: an index that can become a column."""
    return hasattr(data, "index") and hasattr(data, "reset_index")


def is_labelled_array(data: Any) -> bool:
    """Whether this is an array of xarray: dimensions with names, and coordinates along them."""
    return type(data).__module__.partition(".")[0] == "xarray" and hasattr(data, "dims") and hasattr(data, "values")
