"""Picks the compiled kernels or their NumPy twins; the only place that knows which are in use.

`TAUSCOPE_KERNELS=numpy` in the environment asks for the twins where both are there.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from types import ModuleType
from typing import TYPE_CHECKING, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from ..errors import Advice, TauscopeError, Undefined
from . import checking, differences, formulas, lines
from .arrays import EXACT, Floats, Ints, Tolerance
from .formulas import Result

if TYPE_CHECKING:
    compiled: ModuleType | None
else:
    try:
        from .. import _kernels as compiled
    except ImportError:
        compiled = None
if os.environ.get("TAUSCOPE_KERNELS", "").lower() in ("numpy", "pure", "python"):
    compiled = None


class Code:
    """Which compiled function: the numbers are those of `Code` in cpp/bindings.cpp. Plain integers: they are passed
    often."""

    TAU = 0
    TAU_A = 1
    TAU_B = 2
    TAU_E = 3
    TAU_AP = 4
    TAU_AP_A = 5
    TAU_AP_B = 6
    TAU_AP_E = 7
    TAU_GAP = 8
    PEARSON_RANK = 9
    PEARSON = 10
    SPEARMAN = 11


class Kernel(NamedTuple):
    """How a coefficient is called in the compiled kernels. `ties_are_zero` is of TAU_AP_B."""

    code: int
    ties_are_zero: bool = False


class Computable(Protocol):
    """What is computed here: a record of a coefficient. `one_way` is one of the two directions of which it is the
    mean."""

    @property
    def formula(self) -> Callable[[Floats, Floats, Tolerance, Tolerance], Result]: ...
    @property
    def one_way(self) -> Callable[[Floats, Floats, Tolerance, Tolerance], Floats] | None: ...
    @property
    def kernel(self) -> Kernel | None: ...
    @property
    def symmetric(self) -> bool: ...


#: The twins compare all pairs, which is hours beyond this many items.
NUMPY_LIMIT = 50_000
#: Positions are 31 bits in the compiled sort.
COMPILED_LIMIT = 2**31 - 1


class One(NamedTuple):
    """A value, why there is none, and of a mean of two directions both (walking the estimate, walking the truth)."""

    value: float
    reason: int
    walking_estimate: float
    walking_truth: float


def implementation() -> str:
    """Say which kernels are in use, in words, as `tauscope --version` prints it.

    Returns
    -------
    str
    """
    return "NumPy (no compiled kernels)" if compiled is None else "compiled"


def check_size(n: int, c: Computable | None = None) -> None:
    """Refuse so many items that the computation would take hours, before they are spent.

    Parameters
    ----------
    n : int
        Number of items.
    c : Computable or None, default None
        The coefficient; one without a compiled kernel takes fewer items.

    Raises
    ------
    TauscopeError
        If there are more than the implementation takes.
    """
    if compiled is not None and c is not None and c.kernel is None:
        if n > NUMPY_LIMIT:
            raise TauscopeError(
                f"{n:,} items are more than the {NUMPY_LIMIT:,} that {c} takes: it has no compiled kernel."
            )
        return
    limit = NUMPY_LIMIT if compiled is None else COMPILED_LIMIT
    if n > limit:
        ways_out = [Advice("Install Tauscope where a C++ compiler works to go on.")] if compiled is None else []
        raise TauscopeError(
            f"{n:,} items are more than the {limit:,} that the {implementation()} kernels take.", *ways_out
        )


def one(c: Computable, estimate: Floats, truth: Floats, wy: Tolerance = EXACT, wx: Tolerance = EXACT) -> One:
    """Compute one coefficient of one pair of rankings.

    Parameters
    ----------
    c : Computable
        The record of the coefficient.
    estimate, truth : array
        Scores of the same items, higher is better.
    wy, wx : Tolerance, default EXACT
        How close tied scores are in each.

    Returns
    -------
    One
        The value, the code of the reason if there is none, and both directions of a mean of two.
    """
    if compiled is not None and c.kernel is not None:
        code, ties_are_zero = c.kernel
        return One(*compiled.one(code, estimate, truth, *wy, *wx, ties_are_zero))
    check_size(estimate.shape[-1], c)
    values, reasons = _reference(c, estimate[None], truth[None], wy, wx)
    directions = np.nan, np.nan
    if c.one_way is not None and reasons[0] not in _NOT_COMPUTED:
        directions = float(c.one_way(estimate, truth, wy, wx)), float(c.one_way(truth, estimate, wx, wy))
    return One(float(values[0]), int(reasons[0]), *directions)


def batch(
    c: Computable,
    estimates: Floats,
    truth: Floats,
    wy: Tolerance = EXACT,
    wx: Tolerance = EXACT,
    *,
    threads: int | None = None,
) -> Result:
    """Compute one coefficient for many rankings, row by row.

    Parameters
    ----------
    c : Computable
        The record of the coefficient.
    estimates : array of rankings x items
        Scores, higher is better.
    truth : array
        One row for all estimates, or one for each.
    wy, wx : Tolerance, default EXACT
        How close tied scores are in each.
    threads : int or None, default None
        Number of threads; None takes as many as the work is worth. The values do not depend on it.

    Returns
    -------
    (array, array of int8)
        Values, NaN where undefined; and the codes of the reasons.
    """
    rows, n = estimates.shape
    values, reasons = np.full(rows, np.nan), np.zeros(rows, np.int8)
    workers = _threads(threads, rows * n)
    if compiled is not None and c.kernel is not None:
        code, ties_are_zero = c.kernel
        compiled.batch(code, estimates, truth, *wy, *wx, ties_are_zero, workers, values, reasons)
        return values, reasons
    check_size(n, c)
    step = max(1, formulas.BLOCK // max(1, n * n))
    for start in range(0, rows, step):
        part = slice(start, start + step)
        own_truth = np.broadcast_to(truth, estimates.shape)[part]
        values[part], reasons[part] = _reference(c, estimates[part], own_truth, wy, wx)
    return values, reasons


def matrix(
    c: Computable, rankings: Floats, wy: Tolerance = EXACT, wx: Tolerance = EXACT, *, threads: int | None = None
) -> Result:
    """Compute one coefficient for all pairs of k rankings.

    Parameters
    ----------
    c : Computable
        The record of the coefficient.
    rankings : array of rankings x items
        Scores of the same items, higher is better.
    wy, wx : Tolerance, default EXACT
        How close tied scores are in the column's and in the row's ranking.
    threads : int or None, default None
        Number of threads; None takes as many as the work is worth.

    Returns
    -------
    (array, array of int8)
        k x k values and reasons: the row is the truth, the column the estimate.
    """
    k, n = rankings.shape
    values, reasons = np.full((k, k), np.nan), np.zeros((k, k), np.int8)
    workers = _threads(threads, k * k * n)
    if compiled is not None and c.kernel is not None:
        code, ties_are_zero = c.kernel
        mirrored = c.symmetric and wy == wx
        compiled.matrix(code, rankings, *wy, *wx, ties_are_zero, mirrored, workers, values, reasons)
        return values, reasons
    for row in range(k):
        values[row], reasons[row] = batch(c, rankings, rankings[row : row + 1], wy, wx)
    return values, reasons


def pair_counts(
    estimate: Floats, truth: Floats, wy: Tolerance = EXACT, wx: Tolerance = EXACT
) -> tuple[int, int, int, int]:
    """Concordant, discordant, tied in the estimate, tied in the truth."""
    if compiled is not None:
        return tuple(compiled.counts(estimate, truth, *wy, *wx))
    check_size(estimate.shape[-1])
    concordant, discordant, tied_y, tied_x = (int(count) for count in formulas.pair_counts(estimate, truth, wy, wx))
    return concordant, discordant, tied_y, tied_x


#: Threads a call may use where it does not say; None: as many as there are processors.
_MOST_THREADS: ContextVar[int | None] = ContextVar("most_threads", default=None)


@contextmanager
def limited_threads(most: int) -> Iterator[None]:
    """Kernels called inside use at most so many threads: what several workers of one machine need."""
    token = _MOST_THREADS.set(most)
    try:
        yield
    finally:
        _MOST_THREADS.reset(token)


def _threads(asked: int | None, work: int) -> int:
    """A thread costs about as much as ranking a hundred small rankings: below that one is faster."""
    if asked is not None:
        return checking.whole(asked, "threads", least=1)
    available = checking.cores()
    return max(1, min(available, _MOST_THREADS.get() or available, work // 20_000))


#: Reasons that are found before the formula is asked.
_NOT_COMPUTED = (Undefined.NOT_FINITE, Undefined.TOO_FEW, Undefined.NEGATIVE_SHARE)


def _reference(c: Computable, estimates: Floats, truth: Floats, wy: Tolerance, wx: Tolerance) -> Result:
    """The formula on rows (B, n), with the checks that the compiled kernels make."""
    rows, n = estimates.shape
    values, reasons = np.full(rows, np.nan), np.zeros(rows, np.int8)
    for scores, within in ((truth, wx), (estimates, wy)):
        if within.relative:
            reasons[(scores < 0).any(-1) & (scores > 0).any(-1)] = Undefined.NEGATIVE_SHARE
    if n < 2:
        reasons[:] = Undefined.TOO_FEW
    reasons[~formulas.finite(estimates, truth)] = Undefined.NOT_FINITE
    usable = reasons == 0
    if usable.any():
        values[usable], reasons[usable] = c.formula(estimates[usable], truth[usable], wy, wx)
    return values, reasons


# ---- Runs and judgments: `lines` is the definition and the twin. ----


class JudgmentIndex(NamedTuple):
    """Finds the entry of a document among the judgments of a topic; made once, used for every run."""

    documents: bytes
    starts: Ints
    offsets: Ints
    tables: tuple[NDArray[np.uint64], Ints] | list[dict[bytes, int]]


def read_row(text: str, delimiter: str, row: Floats) -> bool:
    """Whether the text is as many plain numbers as `row` has places, which then holds them."""
    if compiled is None:
        return lines.row(text, delimiter, row)
    return bool(compiled.read_row(text, 0, delimiter, row))


def parse_lines(data: bytes, layout: lines.Layout) -> lines.Table:
    """Bytes of a run or of judgments to a table, or to the first bad line."""
    if compiled is None:
        return lines.parse(data, layout)
    parsed = compiled.parse_table(data, *layout)
    topics, topic_starts, offsets, documents, starts, values, by_hand, tag, fault, at = parsed
    for entry, begin, end in by_hand.reshape(-1, 3).tolist():
        value = lines.number(data[begin:end], whole=layout.whole)
        if value is None:
            return lines.faulty(lines.Fault.VALUE, max(data.rfind(end, 0, begin) for end in (b"\n", b"\r")) + 1)
        if not fault:
            values[entry] = value
    if fault:
        return lines.faulty(lines.Fault(fault), at)
    return lines.Table(tuple(lines.split(topics, topic_starts)), offsets, documents, starts, values, tag)


def order_documents(documents: bytes, starts: Ints, scores: Floats, offsets: Ints, *, input_order: bool) -> Ints:
    """Entries of each topic from first to last."""
    if compiled is None:
        return lines.order(documents, starts, scores, offsets, input_order=input_order)
    text = np.frombuffer(documents, np.uint8)
    ordered: Ints = compiled.order_documents(text, starts, scores, offsets, input_order)
    return ordered


def judgment_index(documents: bytes, starts: Ints, offsets: Ints) -> JudgmentIndex:
    """The index of a set of judgments."""
    if compiled is None:
        return JudgmentIndex(documents, starts, offsets, lines.index(documents, starts, offsets))
    tables = compiled.judgment_index(np.frombuffer(documents, np.uint8), starts, offsets)
    return JudgmentIndex(documents, starts, offsets, tables)


def judged_documents(
    documents: bytes,
    starts: Ints,
    offsets: Ints,
    ranked: Ints,
    topic_of: Ints,
    depth: int,
    index: JudgmentIndex,
) -> lines.Judged:
    """The judged documents among the first `depth` of each topic of a run."""
    if compiled is None or isinstance(index.tables, list):
        tables = index.tables if isinstance(index.tables, list) else lines.index(*index[:3])
        return lines.judged(documents, starts, offsets, ranked, topic_of, depth, tables)
    text, judged = np.frombuffer(documents, np.uint8), np.frombuffer(index.documents, np.uint8)
    return lines.Judged(
        *compiled.judged_documents(
            text, starts, offsets, ranked, topic_of, depth, judged, index.starts, index.offsets, *index.tables
        )
    )


# ---- Expected correlation: `differences` is the definition and the twin. ----


def kernel_density(ordered: Floats, tolerance: float, *, threads: int | None = None) -> Floats:
    """Compute the probability that the mean of draws from the kernel density of a pair's differences is below 0.

    Parameters
    ----------
    ordered : array of pairs x topics
        Differences of two systems, each row in ascending order.
    tolerance : float
        Quartiles closer than this leave no bandwidth.
    threads : int or None, default None
        Number of threads.

    Returns
    -------
    array of float
        One probability per pair; NaN without a bandwidth.

    See Also
    --------
    tauscope.core.differences.kernel_density : the method, and the twin in NumPy.
    """
    if compiled is None:
        return differences.kernel_density(ordered, tolerance)
    chances = np.empty(len(ordered))
    compiled.kernel_density(ordered, tolerance, _threads(threads, 20 * ordered.size), chances)
    return chances


def discordance(
    estimates: Floats, truths: Floats, tolerance: float, *, threads: int | None = None
) -> tuple[Floats, Floats]:
    """Row by row, estimates (1, m) or (B, m) against truths (B, m): Kendall's distance, and tau_ap's."""
    if compiled is None:
        return differences.discordance(estimates, truths, tolerance)
    distances, heads = np.empty(len(truths)), np.empty(len(truths))
    compiled.discordance(estimates, truths, tolerance, _threads(threads, truths.size), distances, heads)
    return distances, heads


def flips_reached(
    sums: Floats,
    first: Ints,
    second: Ints,
    scale: Floats,
    limit: Floats,
    *,
    threads: int | None = None,
) -> Ints:
    """How often the largest statistic of a pair and of those before it comes to its limit under flips of signs."""
    if compiled is None:
        return differences.flips_reached(sums, first, second, scale, limit)
    reached = np.zeros(len(scale), np.int64)
    workers = _threads(threads, len(sums) * len(scale) // 8)
    places = (np.ascontiguousarray(side, dtype=np.int32) for side in (first, second))
    compiled.flips_reached(np.ascontiguousarray(sums), *places, scale, limit, workers, reached)
    return reached


def flips_exceeding(sums: Floats, scale: Floats, own: Floats, *, threads: int | None = None) -> Ints:
    """How often another system exceeds each by at least `own` under flips of signs."""
    if compiled is None:
        return differences.flips_exceeding(sums, scale, own)
    reached = np.zeros(len(own), np.int64)
    workers = _threads(threads, len(sums) * scale.size // 8)
    compiled.flips_exceeding(np.ascontiguousarray(sums), np.ascontiguousarray(scale), own, workers, reached)
    return reached


def permuted_ranges(scores: Floats, key: int, first: int, draws: int, *, threads: int | None = None) -> Floats:
    """Of topics x systems, exchanged at random within topics: highest minus lowest sum, for the draws from `first`
    on."""
    if compiled is None:
        return differences.permuted_ranges(scores, key, first, draws)
    ranges = np.empty(draws)
    compiled.permuted_ranges(np.ascontiguousarray(scores), key, first, _threads(threads, draws * scores.size), ranges)
    return ranges
