"""What arrays are counted and repeated with, so that a Python of 32 bits gives the same numbers."""

import ast
from pathlib import Path

import numpy as np
import pytest

import tauscope
from tauscope.core.arrays import repeated, sums_by, tally

SOURCE = Path(tauscope.__file__).parent
pytestmark = pytest.mark.both


@pytest.mark.parametrize("kind", [np.int8, np.int32, np.int64, np.uint8, np.uint64, np.intp])
def test_places_of_any_size_are_counted_in_64_bits(kind):
    """NumPy of 32 bits refuses places of 64, and counts in 32, where pairs would overflow."""
    places = np.array([0, 2, 2, 5], kind)
    np.testing.assert_array_equal(tally(places), [1, 0, 2, 0, 0, 1])
    assert tally(places).dtype == np.int64
    np.testing.assert_array_equal(tally(places, 8), [1, 0, 2, 0, 0, 1, 0, 0])
    np.testing.assert_array_equal(sums_by(places, [0.5, 1.0, 2.0, 4.0], 7), [0.5, 0.0, 3.0, 0.0, 0.0, 4.0, 0.0])
    np.testing.assert_array_equal(repeated([7.0, 8.0, 9.0, 1.0], places), [8.0, 8.0, 9.0, 9.0, *[1.0] * 5])


def test_numbers_that_are_no_places_are_refused():
    with pytest.raises(TypeError, match="cast"):
        tally(np.array([0.5, 1.0]))
    with pytest.raises(ValueError, match="negative"):
        tally(np.array([-1]))


def test_nothing_else_counts_or_repeats():
    """Where Python has 32 bits, np.bincount and np.repeat refuse the 64-bit integers that the package passes around."""
    named = []
    for path in sorted(SOURCE.rglob("*.py")):
        for call in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            function = ast.unparse(call.func) if isinstance(call, ast.Call) else ""
            along = function == "np.repeat" and any(keyword.arg == "axis" for keyword in call.keywords)
            if function in ("np.bincount", "np.repeat") and not along and path != SOURCE / "core" / "arrays.py":
                named.append(f"{path.relative_to(SOURCE).as_posix()}, line {call.lineno}: {function}")
    assert not named, "tally, sums_by and repeated of tauscope.core.arrays do it on every machine"
