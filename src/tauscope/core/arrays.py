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
    """Slice the rows of a table so that the work on one slice stays in the cache.

    Parameters
    ----------
    rows, columns : int
        The size of the table.
    most : int, default BLOCK
        Number of cells that one slice may have; a slice has at least one row, however long that is.

    Yields
    ------
    slice
        Consecutive rows. The numbers computed in blocks are those of the whole table to the last bit, since no sum
        crosses a block.

    Examples
    --------
    >>> [(rows.start, rows.stop) for rows in blocks(5, 10, most=20)]
    [(0, 2), (2, 4), (4, 5)]
    """
    step = max(1, most // max(1, columns))
    for start in range(0, rows, step):
        yield slice(start, min(rows, start + step))


def tally(places: ArrayLike, least: int = 0) -> Ints:
    """Count how often each number from 0 on occurs: `np.bincount`, also where Python has 32 bits.

    There NumPy refuses places of 64 bits, and would count in 32.

    Parameters
    ----------
    places : array of int
        The numbers, none of them negative.
    least : int, default 0
        Length of the result at least; numbers that do not occur have the count 0.

    Returns
    -------
    array of int

    Examples
    --------
    >>> tally([0, 2, 2], least=4).tolist()
    [1, 0, 2, 0]
    """
    return np.bincount(_places(places), minlength=least).astype(np.int64, copy=False)


def sums_by(places: ArrayLike, weights: ArrayLike, least: int = 0) -> Floats:
    """Sum the weights of each number from 0 on.

    Parameters
    ----------
    places : array of int
        The number that each weight belongs to.
    weights : array
        The weights; booleans are counted.
    least : int, default 0
        Length of the result at least.

    Returns
    -------
    array of float

    Examples
    --------
    >>> sums_by([0, 2, 2], [0.5, 1.0, 2.0]).tolist()
    [0.5, 0.0, 3.0]
    """
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
    """Multiply matrices so that each sum has one order: the last bit does not depend on how many threads BLAS has.

    Matrices are multiplied in tiles too small for a second thread; products with a vector are not left to BLAS at all.
    Use it for every product whose result is compared, sorted or printed; the same seed then gives the same bytes on
    any machine with the same kind of processor.

    Parameters
    ----------
    first : array
        One vector, one matrix, or a stack of matrices.
    second : array
        One vector or one matrix.

    Returns
    -------
    array
        first @ second.
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
    """Tell whether this is a data frame (pandas, polars, pyarrow, …), eager or lazy.

    Objects of NumPy, of Python and of this package are recognised without importing narwhals, which costs time.

    Parameters
    ----------
    data : object
        Anything.
    series : bool, default False
        Whether a series counts too.

    Returns
    -------
    bool
    """
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
    """Return the power of two just above the largest number of each row.

    Rows divided by it keep their digits, and their squares neither overflow nor vanish.

    Parameters
    ----------
    values : array
        Rows along the last axis; what is not finite is ignored.

    Returns
    -------
    array of int
        One exponent per row; 0 for a row of zeros.
    """
    finite = np.where(np.isfinite(values), values, 0.0)
    return np.asarray(np.frexp(np.abs(finite).max(axis=-1, initial=0.0))[1])


def unit(scores: Floats) -> Floats:
    """Multiply scores by a power of two, so that squares and sums neither overflow nor vanish.

    Parameters
    ----------
    scores : array
        Scores along the last axis.

    Returns
    -------
    array
        The same scores, the largest of each row between 0.5 and 1 in size. No digit is lost, because only exponents
        change.

    See Also
    --------
    near_one : the same for a whole matrix, with what undoes it.
    """
    largest = np.abs(scores).max(-1, keepdims=True)
    exponent = np.clip(-np.frexp(largest)[1], -1022, 1022)
    return np.ldexp(scores, np.where(largest == 0, 0, exponent))


def summable(scores: Floats) -> Floats:
    """Divide scores by a power of two where the sum of n differences would not be finite; elsewhere they stay as they
    are.

    Parameters
    ----------
    scores : array
        Scores along the last axis.

    Returns
    -------
    array
        Scores whose differences can be added up. Numbers that are tiny beside the largest may become 0, so that callers
        use them only where the plain sums overflow.
    """
    largest = np.abs(scores).max(-1, keepdims=True)
    exponent = 1020 - np.frexp(largest)[1] - np.frexp(float(scores.shape[-1]))[1]
    scaled: Floats = np.ldexp(scores, np.minimum(exponent, 0))
    return scaled


def near_one(values: Floats) -> tuple[Floats, float]:
    """Multiply scores by a power of two that keeps the largest near 1, so that squares stay finite.

    Parameters
    ----------
    values : array
        Scores of any shape, such as topics x systems.

    Returns
    -------
    (array, float)
        The scaled scores, and the factor that undoes the scaling.

    Examples
    --------
    >>> scaled, factor = near_one(np.array([[3.0, 6.0]]))
    >>> scaled.tolist(), factor
    ([[0.375, 0.75]], 8.0)
    """
    scaled = unit(values.reshape(-1)).reshape(values.shape)
    largest = int(np.argmax(np.abs(values)))
    return scaled, float(values.flat[largest] / scaled.flat[largest]) if scaled.flat[largest] else 1.0


def content_marks(values: Floats) -> list[bytes]:
    """Compute a hash of the scores of each topic that does not depend on their unit.

    What is drawn or grouped in the order of these marks stays the same when a file lists its topics or its systems in
    another order. Scores are centred by topic, divided by their spread over the matrix, and rounded to six digits
    before they are hashed, so that rounding in a file does not change the order.

    Parameters
    ----------
    values : array of topics x systems
        Scores, systems in the order of their names.

    Returns
    -------
    list of bytes
        One mark per topic; topics with the same scores have the same mark.
    """
    scaled, _ = near_one(values)
    centred = scaled - scaled.mean(axis=1, keepdims=True)
    spread = float(np.sqrt((centred**2).mean()))
    whole = np.round(centred * (1e6 / spread if spread > 0 else 0.0)).astype(np.int64)
    return [hashlib.blake2b(row.tobytes(), digest_size=16).digest() for row in whole]


def content_order(*matrices: Floats) -> Ints:
    """Order topics by their scores, whatever their labels and their order in the file.

    Parameters
    ----------
    *matrices : array of topics x systems
        Scores of the same topics; the last matrix decides, and those before it where it has equal topics.

    Returns
    -------
    array of int
        The places of the rows in that order.
    """
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
        return f"{self.width * 100:g}%" if self.relative else f"{self.width:g}"


EXACT = Tolerance()


def tolerance(spec: Any, name: str = "tied_within") -> Tolerance:
    """Make one tolerance from what users write.

    Parameters
    ----------
    spec : float, str or Tolerance
        `0.01` for a difference of scores, `"5%"` for a share of the smaller score.
    name : str, default "tied_within"
        Name of the argument, for errors.

    Returns
    -------
    Tolerance

    Raises
    ------
    CallError
        If it is neither, negative, or not finite.

    Examples
    --------
    >>> tolerance("5%")
    Tolerance(width=0.05, relative=True)
    >>> str(tolerance(0.01))
    '0.01'
    """
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
    """Make a pair of tolerances, (estimate, truth) or (first, second), from one argument.

    Parameters
    ----------
    spec : float, str, Tolerance, pair of these, or None
        One tolerance for both rankings, one for each, or None for those that the rankings brought.
    own : pair of Tolerance, default (EXACT, EXACT)
        The tolerances that the rankings brought.

    Returns
    -------
    (Tolerance, Tolerance)

    Raises
    ------
    CallError
        If it is not a tolerance, or a sequence of another length than two.
    """
    if spec is None:
        return own
    if isinstance(spec, (tuple, list)) and not isinstance(spec, Tolerance):
        if len(spec) != 2:
            raise CallError(f"tied_within={spec!r}: give one tolerance, or a pair in the order (estimate, truth).")
        return tolerance(spec[0]), tolerance(spec[1])
    both = tolerance(spec)
    return both, both


def is_tied(a: Any, b: Any, within: Tolerance = EXACT) -> Any:
    """Tell whether scores are tied: equal numbers, or |a - b| <= w up to rounding.

    The comparison is inclusive and forgives rounding, because 0.4 - 0.3 is not 0.1 in floating point and users mean
    that it is. The slack is 1e-9 of the width, or eight units in the last place of the larger score if that is more.
    Kernels decide in the same way.

    Parameters
    ----------
    a, b : float or array
        Scores, which are broadcast against each other.
    within : Tolerance, default EXACT
        How close tied scores are.

    Returns
    -------
    bool or array of bool

    Examples
    --------
    >>> bool(is_tied(0.4, 0.3, Tolerance(0.1))), bool(is_tied(0.4, 0.3))
    (True, False)
    """
    if within.width == 0:
        return np.equal(a, b)
    size_a, size_b = np.abs(a), np.abs(b)
    with np.errstate(over="ignore"):
        width = within.width * np.minimum(size_a, size_b) if within.relative else within.width
        slack = np.maximum(1e-9 * width, 8 * np.finfo(float).eps * np.maximum(size_a, size_b))
        return np.abs(np.subtract(a, b)) <= width + slack


def signs(a: Any, b: Any, within: Tolerance = EXACT) -> NDArray[np.int8]:
    """Return the sign of a - b, 0 where the two are tied.

    Parameters
    ----------
    a, b : float or array
        Scores, which are broadcast against each other.
    within : Tolerance, default EXACT
        How close tied scores are.

    Returns
    -------
    array of int8
        +1 where a is higher, -1 where it is lower.
    """
    direction = np.greater(a, b).view(np.int8) - np.less(a, b).view(np.int8)
    if within.width:
        direction = np.where(is_tied(a, b, within), np.int8(0), direction)
    result: NDArray[np.int8] = direction.astype(np.int8, copy=False)
    return result


def snap(scores: Floats, size: float = 0.0) -> tuple[Floats, int]:
    """Give means that differ only by rounding one and the same value.

    The mean of the same scores depends in its last digits on the order in which they were added up, and a coefficient
    would take such a difference for an order. Sorted neighbours closer than 1e-12 times the largest absolute score are
    chained; all of a chain take its lowest score.

    Parameters
    ----------
    scores : array
        The means of one ranking.
    size : float, default 0.0
        Where means are differences from their mean, they can all be rounding: the largest number that went into them.

    Returns
    -------
    (array, int)
        The means, and how many tied pairs this made.

    Examples
    --------
    >>> means, made = snap(np.array([0.3, 0.1 + 0.2, 0.5]))
    >>> bool(means[0] == means[1]), made
    (True, 1)

    See Also
    --------
    snap_rows : the same for many rankings.
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
    """Give means that differ only by rounding one value, row by row: `snap` for resamples.

    Parameters
    ----------
    scores : array of rankings x systems
        One ranking per row.

    Returns
    -------
    array
        The same array where nothing had to be changed.
    """
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
