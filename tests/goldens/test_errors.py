"""Wrong calls and bad input: the exact text and class of every error, and the reason of every value that is not there.

The texts stand in errors.txt: a call, then what it answers. They are read by people: change them with care.
"""

from __future__ import annotations

import ast
import inspect
import math
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tauscope
from tauscope import Ranking, TauscopeError, correlate, tau_b
from tauscope.coefficients.choose import choose
from tauscope.coefficients.correlate import Batch, correlate_batch, correlation_matrix
from tauscope.coefficients.pairs import pair_weights
from tauscope.coefficients.records import Coefficient
from tauscope.core import kernels
from tauscope.core.arrays import Tolerance
from tauscope.errors import AlignmentError, CallError, FileError, MissingPackageError, Option, TiesError

pytestmark = pytest.mark.both

GOLDEN = Path(__file__).with_name("errors.txt")


def goldens() -> dict[str, str]:
    """Call -> answer."""
    found = {}
    text = GOLDEN.read_text(encoding="utf-8").replace("{catalogue}", ", ".join(tauscope.catalogue.names))
    for block in text.split("\n\n"):
        lines = [line for line in block.strip().splitlines() if not line.startswith("#")]
        if lines:
            assert lines[0].startswith(">>> "), lines[0]
            found[lines[0].removeprefix(">>> ")] = "\n".join(lines[1:])
    return found


NAMES = {name: getattr(tauscope, name) for name in tauscope.__all__} | {"nan": math.nan, "inf": math.inf, "np": np}


def answer(code: str) -> str:
    """What a call says: the class and text of its error, or why its value is NaN."""
    try:
        result = eval(code, dict(NAMES))
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    if isinstance(result, Batch):
        return "\n".join(f"{value:g}: {result.reason(row)}" for row, value in enumerate(result.values))
    return f"{result.value:g}: {result.undefined_because}"


@pytest.mark.parametrize("code", goldens())
def test_a_wrong_call_says_what_is_wrong_where_and_what_to_do(code: str) -> None:
    assert answer(code) == goldens()[code]


def raised(code: str) -> TauscopeError | None:
    """The error of a call; None where there is none."""
    try:
        eval(code, dict(NAMES))
    except TauscopeError as error:
        return error
    return None


def with_option(code: str, option: Option, value: Any) -> str | None:
    """The call with the argument that a way out names; None where its function takes no such argument."""
    tree = ast.parse(code, mode="eval")
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call):
            continue
        function = eval(ast.unparse(node.func), dict(NAMES))
        if option.name in inspect.signature(function).parameters or any(k.arg == option.name for k in node.keywords):
            kept = [keyword for keyword in node.keywords if keyword.arg != option.name]
            node.keywords = [*kept, ast.keyword(option.name, ast.parse(repr(value), mode="eval").body)]
            return ast.unparse(ast.fix_missing_locations(tree))
    return None


WITH_OPTIONS = [
    (code, option, value)
    for code in goldens()
    for option in getattr(raised(code), "ways_out", ())
    if isinstance(option, Option)
    for value in option.values
]


@pytest.mark.parametrize(("code", "option", "value"), WITH_OPTIONS, ids=str)
def test_a_way_out_that_is_an_option_leads_out(code: str, option: Option, value: Any) -> None:
    followed = with_option(code, option, value)
    assert followed is not None, f"no function in {code} takes {option.name}"
    before, after = raised(code), raised(followed)
    assert after is None or after.problem != before.problem, f"{followed} raises the same: {after}"
    assert f"{option.name}={value!r}".replace("'", '"') in str(before).replace("'", '"') or len(option.values) > 1


def test_there_are_ways_out_to_follow_and_none_stands_in_a_finished_sentence() -> None:
    assert {option.name for _, option, _ in WITH_OPTIONS} >= {"unmatched", "tied_within"}
    for code in goldens():
        error = raised(code)
        assert error is None or not re.search(r"\b[Pp]ass \w+=", error.problem), error


@pytest.mark.parametrize("code", [code for code, text in goldens().items() if "Error: " in text])
def test_an_error_is_a_tauscope_error_and_one_about_the_call_is_a_type_error(code: str) -> None:
    with pytest.raises(TauscopeError) as error:
        eval(code, dict(NAMES))
    assert isinstance(error.value, ValueError)
    assert isinstance(error.value, TypeError) == isinstance(error.value, CallError)


def test_there_is_a_golden_for_every_kind_of_bad_input() -> None:
    text = GOLDEN.read_text(encoding="utf-8")
    kinds = (
        "NaN, infinities, empty, one item, unequal lengths, duplicate labels, labels on one side only, strings for "
        "scores, "
        "ragged, unknown coefficient, negative thresholds, positional truth, masked scores and large integers"
    )
    for kind in kinds.split(", "):
        assert f"# {kind}\n" in text


def test_the_classes_of_errors_are_what_callers_catch() -> None:
    assert issubclass(TauscopeError, ValueError)
    assert issubclass(CallError, TauscopeError)
    assert issubclass(CallError, TypeError)
    for cls in (AlignmentError, TiesError, FileError):
        assert issubclass(cls, TauscopeError)
        assert not issubclass(cls, TypeError)
    assert issubclass(MissingPackageError, TauscopeError)
    assert issubclass(MissingPackageError, ImportError)


@pytest.mark.parametrize("c", [c for c in tauscope.catalogue if not c.symmetric], ids=str)
def test_every_asymmetric_coefficient_refuses_a_positional_truth(c: Coefficient) -> None:
    with pytest.raises(
        CallError, match=rf"^{c.name} is not symmetric.*Say which is which: {c.name}\(estimate, truth=…\)\.$"
    ):
        getattr(tauscope, c.name)([1, 2, 3], [1, 2, 3])


@pytest.mark.parametrize(
    "call",
    [
        lambda: correlate([1, 2, 3], [1, 2, 3], coefficient="tau_ap"),
        lambda: correlate([[1, 2, 3]], [1, 2, 3], coefficient="tau_ap"),
    ],
    ids=["two rankings", "a batch"],
)
def test_several_coefficients_and_batches_refuse_a_positional_truth_too(call: Any) -> None:
    with pytest.raises(CallError, match="truth="):
        call()


@pytest.mark.parametrize("c", [c for c in tauscope.catalogue if not c.takes_tolerance], ids=str)
def test_a_tolerance_is_refused_with_the_variants_to_use(c: Coefficient) -> None:
    way_out = f"Use {c.instead[0]}, {c.instead[1]} or {c.instead[2]} for ties within a tolerance."
    for call in (
        lambda: getattr(tauscope, c.name)([1, 2, 3], truth=[1, 2, 3], tied_within=0.1),
        lambda: correlate([1, 2, 3], truth=[1, 2, 3], coefficient=[c], tied_within=(0, 0.1)),
        lambda: correlate_batch([[1, 2, 3]], truth=[1, 2, 3], coefficient=c, tied_within=0.1),
        lambda: correlation_matrix([[1, 2, 3]], c, tied_within="5%"),
    ):
        with pytest.raises(CallError) as error:
            call()
        assert str(error.value) == f"{c.name} takes no tied_within. {way_out}"
    with pytest.raises(CallError) as error:
        getattr(tauscope, c.name)([1, 2, 3], truth=Ranking([1, 2, 3], tied_within="5%"))
    assert str(error.value) == f"{c.name} takes no tied_within, and these rankings have one of their own. {way_out}"


@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf])
@pytest.mark.parametrize("c", list(tauscope.catalogue), ids=str)
def test_a_row_of_a_batch_that_is_not_finite_is_nan_and_the_others_are_not(
    c: Coefficient, bad: float, kernels_in_use: str
) -> None:
    rows = [[1.0, 2.0, 4.0], [1.0, bad, 4.0], [2.0, 1.0, 4.0]]
    batch = correlate_batch(rows, truth=[1.0, 2.0, 3.0], coefficient=c)
    assert np.isnan(batch.values).tolist() == [False, True, False]
    assert [batch.reason(row) for row in range(3)] == [None, "a score is not a finite number", None]
    assert np.isnan(correlate_batch(rows, truth=[1.0, bad, 3.0], coefficient=c).values).all()
    assert np.isnan(correlation_matrix(rows, c).values).tolist() == [
        [False, True, False],
        [True] * 3,
        [False, True, False],
    ]


def test_the_way_out_that_the_error_of_a_matrix_names_is_there() -> None:
    rankings = {"human": {"a": 1, "b": 2, "c": 3}, "machine": {"a": 1, "b": 2, "d": 3}}
    with pytest.raises(AlignmentError) as error:
        correlation_matrix(rankings, "tau")
    if 'unmatched="drop"' in str(error.value):
        assert correlation_matrix(rankings, "tau", unmatched="drop").n == 2


@pytest.mark.parametrize(
    "scores",
    [
        pytest.param([10**400, 1, 2], id="an integer beyond the largest float"),
        pytest.param({3, 1, 2}, id="a set, which has no order"),
        pytest.param(np.ma.masked_array([1.0, 2.0, 3.0], mask=[False, True, False]), id="a masked score"),
        pytest.param(np.array(["2026-01-01", "2026-01-02", "2026-01-03"], "datetime64[D]"), id="dates"),
        pytest.param(np.array([1 + 1j, 2, 3]), id="complex numbers"),
    ],
)
def test_what_cannot_be_ranked_is_an_error_and_never_a_number(scores: Any) -> None:
    with pytest.raises(TauscopeError):
        tau_b(scores, [1, 2, 3])


MASKED = np.ma.masked_array([[1.0, 2.0, 3.0]], mask=[[False, True, False]])


@pytest.mark.parametrize(
    ("rows", "text"),
    [
        pytest.param([["1", "2", "3"]], "must be an array of numbers", id="texts"),
        pytest.param(MASKED, "has masked scores", id="masked"),
        pytest.param([[1, None, 3]], "must be an array of numbers", id="nulls"),
        pytest.param([[2**53, 2**53 + 1, 0]], "3 different integers of which floats keep 2 apart", id="large integers"),
        pytest.param([[1 + 1j, 2, 3]], "must be an array of numbers", id="complex"),
        pytest.param(np.array([["2026-01-01"] * 3], "datetime64[D]"), "must be an array of numbers", id="dates"),
        pytest.param([[10**400, 1, 2]], "must be an array of numbers", id="beyond the largest float"),
    ],
)
def test_what_is_no_score_in_a_single_call_is_none_in_a_batch_or_a_matrix_either(rows: Any, text: str) -> None:
    plain = [[1.0, 2.0, 3.0]]
    for call in (
        lambda: correlate_batch(rows, truth=plain, coefficient="tau_b"),
        lambda: correlate_batch(plain, truth=rows, coefficient="tau_b"),
        lambda: correlation_matrix(rows, "tau_b"),
    ):
        with pytest.raises(TauscopeError, match=text):
            call()


def test_a_mask_that_hides_nothing_and_integers_that_stay_apart_are_taken() -> None:
    whole = np.ma.masked_array([[1.0, 2.0, 3.0]], mask=False)
    assert correlate_batch(whole, truth=[1, 2, 3], coefficient="tau_b").values.tolist() == [1.0]
    assert correlate_batch([[2**53, 2**53 + 2, 0]], truth=[1, 2, 0], coefficient="tau_b").values.tolist() == [1.0]


@pytest.mark.parametrize("bad", [Tolerance(-1.0), Tolerance(math.nan), Tolerance(math.inf, True)], ids=str)
def test_a_tolerance_that_is_none_is_refused_at_every_door(bad: Tolerance) -> None:
    for call in (
        lambda: tau_b([1, 2, 3], [1, 2, 3], tied_within=bad),
        lambda: tau_b([1, 2, 3], [1, 2, 3], tied_within=(0.1, bad)),
        lambda: Ranking([1, 2, 3], tied_within=bad),
        lambda: correlate([1, 2], truth=[1, 2], tied_within=bad),
        lambda: correlate_batch([[1, 2, 3]], truth=[1, 2, 3], coefficient="tau_b", tied_within=bad),
        lambda: correlation_matrix([[1, 2, 3]], "tau_b", tied_within=bad),
        lambda: pair_weights([1, 2, 3], "tau_b", tied_within=bad),
        lambda: choose(tied_within=bad),
    ):
        with pytest.raises(CallError, match="must be a number of at least 0, and finite"):
            call()


def test_strings_are_no_scores_in_a_batch_either() -> None:
    with pytest.raises(TauscopeError):
        correlate_batch([["1", "2", "3"]], truth=[1, 2, 3], coefficient="tau_b")


def test_integers_that_floats_cannot_tell_apart_are_not_silently_tied() -> None:
    scores = [2**53, 2**53 + 1, 0]
    try:
        found = tau_b(scores, [1, 2, 0]).value
    except TauscopeError:
        return
    assert found == 1


def test_ten_million_items_are_refused_at_once_without_compiled_kernels(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kernels, "compiled", None)
    scores = np.zeros(10_000_000)
    with pytest.raises(TauscopeError) as error:
        tau_b(scores, scores)
    assert str(error.value) == (
        "10,000,000 items are more than the 50,000 that the NumPy (no compiled kernels) kernels take."
        " Install Tauscope where a C++ compiler works to go on."
    )
