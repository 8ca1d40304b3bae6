"""Arrays of numbers: their types, blocks of work, scaling, sums in one order, and every decision about ties."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..errors import CallError, Option

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


def exponents(values: Floats) -> NDArray[np.int32]:
    """The power of two just above the largest number of each row.

    Rows divided by it keep their digits, and their squares neither overflow nor vanish.
    """
    finite = np.where(np.isfinite(values), values, 0.0)
    return np.asarray(np.frexp(np.abs(finite).max(axis=-1, initial=0.0))[1])


def unit(scores: Floats) -> Floats:
    """Scores times a power of two, so that squares and sums neither overflow nor vanish."""
    largest = np.abs(scores).max(-1, keepdims=True)
    exponent = np.clip(-np.frexp(largest)[1], -1022, 1022)
    return np.ldexp(scores, np.where(largest == 0, 0, exponent))


def summable(scores: Floats) -> Floats:
    """Scores whose sums of n differences are finite: divided by a power of two where the largest are huge, else as they
    are."""
    largest = np.abs(scores).max(-1, keepdims=True)
    exponent = 1020 - np.frexp(largest)[1] - np.frexp(float(scores.shape[-1]))[1]
    scaled: Floats = np.ldexp(scores, np.minimum(exponent, 0))
    return scaled


def near_one(values: Floats) -> tuple[Floats, float]:
    """Scores times a power of two that keeps the largest near 1, so that squares stay finite, and what undoes it."""
    scaled = unit(values.reshape(-1)).reshape(values.shape)
    largest = int(np.argmax(np.abs(values)))
    return scaled, float(values.flat[largest] / scaled.flat[largest]) if scaled.flat[largest] else 1.0


def content_marks(values: Floats) -> list[bytes]:
    """Compute a hash of the scores of each topic that does not depend on their unit.

    Systems are in the order of their names. What is drawn or grouped in the order of these marks then stays the same
    when a file lists its topics or its systems in another order.
    """
    scaled, _ = near_one(values)
    centred = scaled - scaled.mean(axis=1, keepdims=True)
    spread = float(np.sqrt((centred**2).mean()))
    whole = np.round(centred * (1e6 / spread if spread > 0 else 0.0)).astype(np.int64)
    return [hashlib.blake2b(row.tobytes(), digest_size=16).digest() for row in whole]


def content_order(*matrices: Floats) -> Ints:
    """Order topics by their scores: the places of the rows, by the last matrix first, then by those before it."""
    marks = list(zip(*(content_marks(values) for values in matrices[::-1]), strict=True))
    return np.array(sorted(range(len(marks)), key=marks.__getitem__), np.int64)


#: Neighbouring means closer than this share of the largest are one number that was summed in two orders.
SNAP = 1e-12


class Tolerance(NamedTuple):
    """Scores this close are tied, inclusive: a number, or with `relative` a share of the smaller score.

    It is checked where it comes in, by `tolerance()`, and trusted below.
    """

    width: float = 0.0
    relative: bool = False

    def __str__(self) -> str:
        return f"{self.width * 100:g}% of the smaller score" if self.relative else f"{self.width:g}"


EXACT = Tolerance()


def tolerance(spec: Any, name: str = "tied_within") -> Tolerance:
    """One tolerance from what users write: `0.01`, `"5%"`, or a `Tolerance`; `name` is that of the argument."""
    try:
        width, relative = _read(spec)
    except (TypeError, ValueError):
        raise CallError(
            f"{name}={spec!r} is not a tolerance.", Option(name, 0.01, "5%", effect="for instance")
        ) from None
    if not math.isfinite(width) or width < 0:
        raise CallError(f"{name}={spec!r} must be a number of at least 0, and finite.")
    return Tolerance(width, relative and width > 0)


def _read(spec: Any) -> tuple[float, bool]:
    if isinstance(spec, Tolerance):
        return float(spec.width), bool(spec.relative)
    if isinstance(spec, str) and spec.strip().endswith("%"):
        return float(spec.strip()[:-1]) / 100, True
    return float(spec), False


def tolerances(spec: Any, own: tuple[Tolerance, Tolerance] = (EXACT, EXACT)) -> tuple[Tolerance, Tolerance]:
    """(estimate, truth) or (first, second) from one tolerance for both, a pair, or None for the rankings' own."""
    if spec is None:
        return own
    if isinstance(spec, (tuple, list)) and not isinstance(spec, Tolerance):
        if len(spec) != 2:
            raise CallError(f"tied_within={spec!r}: give one tolerance, or a pair in the order (estimate, truth).")
        return tolerance(spec[0]), tolerance(spec[1])
    both = tolerance(spec)
    return both, both


def is_tied(a: Any, b: Any, within: Tolerance = EXACT) -> Any:
    """Whether scores are tied: equal numbers, or |a - b| <= w up to rounding (0.4 - 0.3 counts as 0.1)."""
    if within.width == 0:
        return np.equal(a, b)
    size_a, size_b = np.abs(a), np.abs(b)
    with np.errstate(over="ignore"):
        width = within.width * np.minimum(size_a, size_b) if within.relative else within.width
        slack = np.maximum(1e-9 * width, 8 * np.finfo(float).eps * np.maximum(size_a, size_b))
        return np.abs(np.subtract(a, b)) <= width + slack


def signs(a: Any, b: Any, within: Tolerance = EXACT) -> NDArray[np.int8]:
    """The sign of a - b, 0 where the two are tied."""
    direction = np.greater(a, b).view(np.int8) - np.less(a, b).view(np.int8)
    if within.width:
        direction = np.where(is_tied(a, b, within), np.int8(0), direction)
    result: NDArray[np.int8] = direction.astype(np.int8, copy=False)
    return result


def snap(scores: Floats, size: float = 0.0) -> tuple[Floats, int]:
    """Means that differ only by rounding become one number; also returns how many tied pairs that made.

    Sorted neighbours closer than 1e-12 times the largest absolute score are chained; a chain takes its lowest score.
    Where means are differences from their mean, they can all be rounding: `size` is the largest number that went into
    them.
    """
    if scores.size < 2:
        return scores, 0
    order = np.argsort(scores, kind="stable")
    ascending = scores[order]
    new_group = np.diff(ascending) > SNAP * max(size, np.abs(ascending[[0, -1]]).max())
    group = np.concatenate(([0], np.cumsum(new_group)))
    starts = np.flatnonzero(np.concatenate(([True], new_group)))
    snapped = np.empty_like(scores)
    snapped[order] = ascending[starts][group]
    made = _tied_pairs(snapped) - _tied_pairs(scores)
    return snapped, made


def snap_rows(scores: Floats) -> Floats:
    """`snap` row by row: means of resamples that differ only by rounding become one number."""
    if scores.shape[-1] < 2:
        return scores
    gaps = np.diff(np.sort(scores, axis=1), axis=1)
    largest = np.abs(scores).max(axis=1, keepdims=True)
    rows = np.flatnonzero(((gaps <= SNAP * largest) & (gaps > 0)).any(axis=1))
    if not len(rows):  # equal or apart already
        return scores
    result, part = scores.copy(), scores[rows]
    order = np.argsort(part, axis=1)
    ascending = np.take_along_axis(part, order, 1)
    starts = np.diff(ascending, axis=1, prepend=-np.inf) > SNAP * largest[rows]
    # Each place takes the score at which its chain starts.
    chain = np.maximum.accumulate(np.where(starts, np.arange(scores.shape[1]), 0), axis=1)
    np.put_along_axis(part, order, np.take_along_axis(ascending, chain, 1), 1)
    result[rows] = part
    return result


def _tied_pairs(scores: Floats) -> int:
    sizes = np.unique(scores, return_counts=True)[1].astype(np.int64)
    return int((sizes * (sizes - 1) // 2).sum())
