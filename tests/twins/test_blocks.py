"""What is held at once must not change a number: blocks of the NumPy twins, limits of the table and of the size."""

from __future__ import annotations

import numpy as np
import pytest

import tauscope
from tauscope import TauscopeError, correlate
from tauscope.coefficients import pairs
from tauscope.coefficients.correlate import correlate_batch, correlation_matrix
from tauscope.coefficients.records import Coefficient, Ties
from tauscope.core import formulas, kernels

pytestmark = pytest.mark.both

EVERY = list(tauscope.catalogue)
every = pytest.mark.parametrize("c", EVERY, ids=str)


def two_rankings(c: Coefficient, n: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(n)
    if c.ties is Ties.FORBIDDEN:
        return rng.permutation(n) + 0.5, rng.permutation(n) + 1.0
    return rng.integers(0, n // 2, n) / 4, rng.integers(0, n // 2, n) / 4


@every
@pytest.mark.parametrize("block", [1, 100, 12 * 40])
def test_the_twins_do_not_depend_on_how_much_is_held_at_once(
    c: Coefficient, block: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kernels, "compiled", None)
    y, x = two_rankings(c, 40)
    estimates = np.array([y, x, y[::-1]])
    options = {"tied_within": (0.25, 0.5)} if c.takes_tolerance else {}
    whole = correlate_batch(estimates, truth=x, coefficient=c, **options).values
    monkeypatch.setattr(formulas, "BLOCK", block)
    in_blocks = correlate_batch(estimates, truth=x, coefficient=c, **options).values
    np.testing.assert_allclose(in_blocks, whole, rtol=0, atol=1e-12)


@every
@pytest.mark.parametrize("block", [1, 100, 12 * 40])
def test_the_explanation_does_not_depend_on_how_much_is_held_at_once(
    c: Coefficient, block: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    y, x = two_rankings(c, 40)
    whole = correlate(y, truth=x, coefficient=[c])[c]
    expected = whole.pairs, whole.heaviest(25)
    monkeypatch.setattr(formulas, "BLOCK", block)
    found = correlate(y, truth=x, coefficient=[c])[c]
    assert abs(found.pairs.loss.sum() - expected[0].loss.sum()) <= 1e-12
    assert len(found.pairs) == len(expected[0])
    np.testing.assert_allclose([p.loss for p in found.heaviest(25)], [p.loss for p in expected[1]], rtol=0, atol=1e-12)
    if c.walks:
        np.testing.assert_allclose(found.walk().loss, whole.walk().loss, rtol=0, atol=1e-12)


@every
def test_the_table_is_made_up_to_its_limit_and_refused_beyond(c: Coefficient, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pairs, "LIMIT", 30)
    for n in (29, 30):
        y, x = two_rankings(c, n)
        assert len(correlate(y, truth=x, coefficient=[c])[c].pairs) > 0
    y, x = two_rankings(c, 31)
    found = correlate(y, truth=x, coefficient=[c])[c]
    with pytest.raises(TauscopeError) as error:
        _ = found.pairs
    assert str(error.value) == (
        "31 items have 465 pairs; the table is made up to 30 items. Use .heaviest(k), which does not keep them."
    )
    assert 0 < sum(p.loss for p in found.heaviest(465)) - (1 - found.value) + 1e-12 < 2e-12


@every
def test_the_twins_refuse_what_would_take_them_hours(c: Coefficient, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kernels, "compiled", None)
    monkeypatch.setattr(kernels, "NUMPY_LIMIT", 30)
    y, x = two_rankings(c, 30)
    assert np.isfinite(correlate(y, truth=x, coefficient=[c])[c].value)
    y, x = two_rankings(c, 31)
    for call in (
        lambda: correlate(y, truth=x, coefficient=[c]),
        lambda: correlate_batch([y], truth=x, coefficient=c),
        lambda: correlation_matrix([y, x], c),
    ):
        with pytest.raises(TauscopeError) as error:
            call()
        assert str(error.value) == (
            "31 items are more than the 30 that the NumPy (no compiled kernels) kernels take."
            " Install Tauscope where a C++ compiler works to go on."
        )


def test_the_environment_can_ask_for_the_twins() -> None:
    import os
    import subprocess
    import sys

    code = "from tauscope import tau_b; from tauscope.core import kernels; "
    code += "print(kernels.implementation(), tau_b([1, 2, 3], [1, 3, 2]).value)"
    environment = {**os.environ, "TAUSCOPE_KERNELS": "numpy"}
    shown = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True
    ).stdout
    assert shown == "NumPy (no compiled kernels) 0.3333333333333333\n"
