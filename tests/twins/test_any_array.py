"""Compiled kernels end in an answer or an error, never in the interpreter, whatever arrays and tolerances they are
given.

Each call runs in a process of its own where a crash would otherwise take the test run with it.
"""

import subprocess
import sys

import numpy as np
import pytest

from tauscope import Ranking, tau_ap_a, tau_b
from tauscope.coefficients.records import TAU_B
from tauscope.core import kernels
from tauscope.core.arrays import Tolerance
from tauscope.errors import CallError

compiled = kernels.compiled
WRONG_WIDTHS = (-1.0, float("nan"), float("inf"), -float("inf"))
KERNEL = pytest.mark.skipif(compiled is None, reason="there are no compiled kernels")


@pytest.mark.parametrize("relative", [False, True])
@pytest.mark.parametrize("width", WRONG_WIDTHS)
def test_a_wrong_tolerance_is_refused_at_the_door(width, relative):
    wrong = Tolerance(width, relative)
    for call in (
        lambda: tau_b([1, 2, 3], [3, 2, 1], tied_within=wrong),
        lambda: tau_ap_a([1, 2, 3], truth=[3, 2, 1], tied_within=(0, wrong)),
        lambda: Ranking([1, 2, 3], tied_within=wrong),
    ):
        with pytest.raises(CallError, match="at least 0, and finite"):
            call()


@KERNEL
@pytest.mark.parametrize("relative", [False, True])
@pytest.mark.parametrize("width", WRONG_WIDTHS)
def test_a_wrong_tolerance_that_came_past_the_door_is_refused_by_the_kernel(width, relative):
    scores, wrong = np.arange(5.0), Tolerance(width, relative)
    with pytest.raises(ValueError, match="tolerance"):
        kernels.one(TAU_B, scores, scores, wrong)
    with pytest.raises(ValueError, match="tolerance"):
        kernels.batch(TAU_B, scores[None], scores[None], wrong)
    with pytest.raises(ValueError, match="tolerance"):
        kernels.matrix(TAU_B, scores[None], wrong, wrong)
    with pytest.raises(ValueError, match="tolerance"):
        kernels.pair_counts(scores, scores, wrong)


@KERNEL
@pytest.mark.parametrize("n", [2, 17, 300, 600])
def test_scores_that_are_no_numbers_are_refused_where_pairs_are_counted(n):
    scores = np.arange(float(n))
    for wrong in (np.nan, np.inf, -np.inf):
        damaged = np.where(np.arange(n) % 3 == 1, wrong, scores)
        with pytest.raises(ValueError, match="finite"):
            kernels.pair_counts(damaged, scores)
        assert np.isnan(kernels.one(TAU_B, damaged, scores).value)


@KERNEL
@pytest.mark.parametrize(
    "call",
    [
        lambda k: k.one(2, np.zeros(5), np.zeros(500), 0.0, False, 0.0, False, False),
        lambda k: k.one(99, np.zeros(5), np.zeros(5), 0.0, False, 0.0, False, False),
        lambda k: k.counts(np.zeros(500), np.zeros(5), 0.0, False, 0.0, False),
        lambda k: k.batch(
            2, np.zeros((3, 5)), np.zeros((2, 5)), 0.0, False, 0.0, False, False, 1, np.zeros(3), np.zeros(3, np.int8)
        ),
        lambda k: k.batch(
            2, np.zeros((3, 5)), np.zeros((1, 5)), 0.0, False, 0.0, False, False, 1, np.zeros(1), np.zeros(3, np.int8)
        ),
        lambda k: k.matrix(
            2, np.zeros((3, 5)), 0.0, False, 0.0, False, False, True, 1, np.zeros((2, 3)), np.zeros((3, 3), np.int8)
        ),
        lambda k: k.discordance(np.zeros((1, 4)), np.zeros((3, 9)), 0.0, 1, np.zeros(3), np.zeros(3)),
        lambda k: k.kernel_density(np.zeros((3, 9)), 0.0, 1, np.zeros(1)),
        lambda k: k.flips_reached(
            np.zeros((3, 4)), *[np.array([9], np.int32)] * 2, np.ones(1), np.ones(1), 1, np.zeros(1, np.int64)
        ),
        lambda k: k.flips_exceeding(np.zeros((3, 4)), np.zeros((2, 2)), np.zeros(4), 1, np.zeros(4, np.int64)),
        lambda k: k.parse_table(b"a b c", 3, 900, 2, -1, False, -1),
        lambda k: k.order_documents(np.zeros(1, np.uint8), np.array([0, 10**9]), np.zeros(1), np.array([0, 1]), False),
        lambda k: k.judgment_index(np.zeros(1, np.uint8), np.array([0, 1]), np.array([0, 7])),
    ],
)
def test_arrays_that_do_not_fit_together_are_refused(call):
    with pytest.raises(ValueError):
        call(compiled)


CRASHES = {
    "differences that are not in order": "kernels.kernel_density(np.array([[3.0, 1.0, 2.0, -9.0]]), 0.0)",
    "differences that are not finite": "kernels.kernel_density(np.array([[-np.inf, 1.0, 2.0, np.nan]]), 0.0)",
    "no differences": "kernels.kernel_density(np.zeros((2, 0)), 0.0)",
    "a negative tolerance of differences": "kernels.kernel_density(np.zeros((2, 9)), -1.0)",
    "a negative tolerance of discordance": "kernels.discordance(-np.arange(9.0)[None], np.zeros((2, 9)), -1.0)",
    "a tolerance that is no number": "kernels.discordance(-np.arange(9.0)[None], np.zeros((2, 9)), np.nan)",
    "estimates that are no numbers": "kernels.discordance(np.full((1, 9), np.nan), np.zeros((2, 9)), 0.1)",
}


@KERNEL
def test_no_array_of_differences_ends_the_interpreter():
    code = "import numpy as np\nfrom tauscope.core import kernels\n" + "\n".join(
        f"{call}; print()" for call in CRASHES.values()
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    survived = len(done.stdout.splitlines())
    assert done.returncode == 0, f"{list(CRASHES)[min(survived, len(CRASHES) - 1)]}: {done.stderr}"
