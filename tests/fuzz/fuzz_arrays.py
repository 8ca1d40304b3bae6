"""Arrays: compiled kernels = NumPy definitions = loops over fractions, whatever the scores and the tolerances."""

from __future__ import annotations

import math
import sys
from contextlib import contextmanager
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "laws"))
import naive

import tauscope
from tauscope.core import kernels
from tauscope.core.arrays import EXACT, Tolerance
from tauscope.errors import Undefined

ROWS = 32
SIZES = (2, 2, 3, 3, 4, 5, 6, 7, 8, 9, 15, 16, 17, 33, 64, 65)
LARGE = (127, 255, 256, 257, 300, 447, 448, 449, 450, 600)
ODD = (0.0, -0.0, 5e-324, -5e-324, 1e-300, 2e-300, 0.1, 0.3, -0.3, 1.0, 1e6, 1e6 + 1e-9, 1e15, 1e300, -3e300, 1.7e308)
BROKEN = (math.nan, math.inf, -math.inf)


@contextmanager
def by_numpy():
    """The twins instead of the compiled kernels."""
    kept, kernels.compiled = kernels.compiled, None
    try:
        yield
    finally:
        kernels.compiled = kept


def scores(rng: np.random.Generator, shape: tuple[int, ...]) -> np.ndarray:
    """Tied, constant, huge, tiny, nearly equal, and all of it mixed; sometimes no numbers at all."""
    kind = rng.integers(10)
    levels = int(rng.choice([1, 2, 3, shape[-1], 100, 10**6]))
    whole = rng.integers(0, levels, shape).astype(float)
    with np.errstate(over="ignore"):
        made = [
            whole,
            whole / 10,
            -whole / 7,
            whole * 1e300,
            whole * 1e-300,
            whole * 5e-324,
            1e6 + whole * 1e-9,
            rng.choice(ODD, shape),
            rng.normal(size=shape),
            np.frombuffer(rng.bytes(8 * math.prod(shape)), np.float64).reshape(shape).copy(),
        ][kind]
    if kind < 9 and rng.random() < 0.03:
        made.flat[rng.integers(made.size)] = rng.choice(BROKEN)
    return np.ascontiguousarray(np.where(np.isfinite(made) | (kind < 9) | (rng.random() < 0.2), made, 0.0))


def width(rng: np.random.Generator, values: np.ndarray) -> Tolerance:
    """No tolerance, one that is exactly a gap, a share, or one beyond all scores."""
    kind = rng.integers(6)
    if kind < 2:
        return EXACT
    with np.errstate(over="ignore", invalid="ignore"):
        gap = abs(float(rng.choice(values.ravel())) - float(rng.choice(values.ravel())))
    if kind == 2 and math.isfinite(gap):
        return Tolerance(gap / float(rng.choice([1, 2, 3])))
    if kind == 3:
        return Tolerance(float(rng.choice([0.05, 0.5, 3.0])), relative=True)
    return Tolerance(float(rng.choice([5e-324, 1e-300, 1e-9, 0.1, 1.0, 1e6, 1e300, 1.7e308])))


def same(found: float, expected: float) -> bool:
    return found == expected or (math.isnan(found) and math.isnan(expected)) or abs(found - expected) <= 1e-12


def case(seed: int) -> int:
    """One truth, several estimates, every coefficient; how many arrays that were."""
    rng = np.random.default_rng([1, seed])
    n = int(rng.choice(LARGE if rng.random() < 0.02 else SIZES))
    rows = 2 if n in LARGE else ROWS
    estimates, truth = scores(rng, (rows, n)), scores(rng, (1, n))
    wy, wx = width(rng, estimates), width(rng, truth)
    for c in tauscope.catalogue:
        if c.kernel is None:
            continue
        within = (wy, wx) if c.takes_tolerance else (EXACT, EXACT)
        values, reasons = kernels.batch(c, estimates, truth, *within, threads=1)
        with by_numpy(), np.errstate(over="ignore"):
            twins, twin_reasons = kernels.batch(c, estimates, truth, *within)
        assert (reasons == twin_reasons).all(), f"{c}: {reasons} and {twin_reasons}"
        assert all(map(same, values, twins)), f"{c}: {values} and {twins}"
        row = int(rng.integers(rows))
        one = kernels.one(c, estimates[row], truth[0], *within)
        assert same(one.value, values[row]), f"{c}: one {one.value}, batch {values[row]}"
        _naive(c, estimates[row], truth[0], within, float(values[row]), int(reasons[row]))
    _matrix(rng, np.concatenate([estimates, truth]), wy)
    _differences(rng, n)
    _draws(rng, n)
    return rows + 1


def _naive(c, y: np.ndarray, x: np.ndarray, within, value: float, reason: int) -> None:
    formula = naive.formula(c)
    broken = (Undefined.NOT_FINITE, Undefined.NEGATIVE_SHARE)
    if formula is None or len(y) > 9 or reason in broken:
        return
    thresholds = [f"{w.width * 100!r}%" if w.relative else w.width for w in within]
    if any(w.relative and float(t[:-1]) / 100 != w.width for w, t in zip(within, thresholds, strict=True)):
        return  # the text would be another number
    expected = formula(y.tolist(), x.tolist(), *thresholds)
    assert same(value, math.nan if expected is None else expected), f"{c}: {value}, by the loop {expected}"


def _matrix(rng: np.random.Generator, rankings: np.ndarray, within: Tolerance) -> None:
    c = list(tauscope.catalogue)[int(rng.integers(len(tauscope.catalogue)))]
    if c.kernel is None:
        return
    own = within if c.takes_tolerance else EXACT
    values, reasons = kernels.matrix(c, rankings, own, own, threads=1)
    i, j = rng.integers(len(rankings), size=2)
    one = kernels.one(c, rankings[j], rankings[i], own, own)
    assert same(one.value, values[i, j]), f"{c}: matrix {values[i, j]}, one {one.value}"
    assert one.reason == reasons[i, j], f"{c}: matrix {reasons[i, j]}, one {one.reason}"


def _near_one(values: np.ndarray) -> np.ndarray:
    """Finite, and brought near 1 as the callers of the kernels do."""
    values = np.nan_to_num(values, nan=0.0, posinf=0.0, neginf=0.0)
    return np.ldexp(values, -np.frexp(np.abs(values).max())[1])


def _differences(rng: np.random.Generator, n: int) -> None:
    """The kernels of expected correlation on the same kinds of scores."""
    values = _near_one(scores(rng, (3, n)))
    tolerance = 1e-12 * float(np.abs(values).max())
    ordered = np.sort(values, axis=1)
    estimates = -ordered[:1] if rng.random() < 0.5 else values[:1]
    found = [kernels.kernel_density(ordered, tolerance), *kernels.discordance(estimates, values, tolerance)]
    with by_numpy():
        twins = [kernels.kernel_density(ordered, tolerance), *kernels.discordance(estimates, values, tolerance)]
    for ours, theirs in zip(found, twins, strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=0, atol=1e-6)


def _draws(rng: np.random.Generator, n: int) -> None:
    """The kernels of tests by drawing: scores exchanged within topics, and sums under flips of signs."""
    systems, topics, flips = min(n, 33), int(rng.integers(1, 6)), int(rng.integers(1, 20))
    values = _near_one(scores(rng, (topics, systems)))
    key, begin = int(rng.integers(2**64, dtype=np.uint64)), int(rng.choice([0, 7, 2**40]))
    sums = np.einsum("ft,tm->fm", rng.choice([-1.0, 1.0], (flips, topics)), values)
    first, second = np.triu_indices(systems, 1)
    # Of identical systems the scale is 0, and every limit is reached.
    scale = rng.choice([0.0, 0.5, 1.0, 1e15], len(first))
    limit = np.sort(np.abs(rng.choice(values.ravel(), len(first))) * rng.choice([0.0, 1.0], len(first)))
    table = rng.choice([0.0, 0.5, 1.0, 1e15], (systems, systems))
    own = np.abs(rng.choice(values.ravel(), systems))

    def every() -> list[np.ndarray]:
        return [
            kernels.permuted_ranges(values, key, begin, 5, threads=1),
            kernels.flips_reached(sums, first, second, scale, limit, threads=1),
            kernels.flips_exceeding(sums, table, own, threads=1),
        ]

    found = every()
    with by_numpy():
        twins = every()
    for ours, theirs in zip(found, twins, strict=True):
        np.testing.assert_array_equal(ours, theirs)
