"""The 89 cases of tests/cases/coefficients.json: twelve coefficients, with and without thresholds, by single calls,
batches and matrices, compiled and in NumPy. `null` there is NaN with a reason here. A coefficient that is not in the
file needs no case."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tauscope
from tauscope import correlate
from tauscope.coefficients.correlate import correlate_batch, correlation_matrix
from tauscope.coefficients.correlation import Correlation
from tauscope.coefficients.records import Coefficient, Ties
from tauscope.errors import TiesError

pytestmark = [pytest.mark.both, pytest.mark.usefixtures("kernels_in_use")]

FILE = Path(__file__).parent.parent / "cases" / "coefficients.json"
CASES = json.loads(FILE.read_text(encoding="utf-8"))["cases"]
each_case = pytest.mark.parametrize("case", CASES, ids=[f"{case['id']}-{case['kind']}" for case in CASES])


def expectations(case: dict[str, Any]) -> list[tuple[Coefficient, bool, float | None]]:
    """(coefficient, with the thresholds?, value)."""
    result = []
    for key, value in case["values"].items():
        if key.startswith("tau_ap_ties"):
            continue  # the directions of tau_ap_b, checked by themselves
        name, thresholds = (key[:-2], True) if key.endswith("_w") else (key, False)
        result.append((tauscope.catalogue[name], thresholds, value))
    return result


def options(case: dict[str, Any], thresholds: bool) -> dict[str, Any]:
    within = (case["tied_within_estimate"], case["tied_within_truth"]) if thresholds else 0.0
    return {"tied_within": within, "lower_is_better": not case["higher_is_better"]}


def agrees(found: float, expected: float | None) -> bool:
    return math.isnan(found) if expected is None else abs(found - expected) <= 1e-12


def test_the_file_has_89_cases_and_the_same_twelve_coefficients_in_each() -> None:
    assert len(CASES) == 89
    known = {c for case in CASES for c, _, _ in expectations(case)}
    assert len(known) == 12
    for case in CASES:
        # Weights that are truth scores: there is no value where lower is better.
        wanted = {c for c in known if case["higher_is_better"] or not c.weights_are_scores}
        assert {c for c, _, _ in expectations(case)} == wanted
        assert {c for c, thresholds, _ in expectations(case) if thresholds} == {c for c in known if c.takes_tolerance}


def test_a_case_of_a_coefficient_that_is_not_there_is_an_error() -> None:
    with pytest.raises(tauscope.errors.CallError, match="There is no coefficient 'tau_z'"):
        expectations({"values": {"tau_z": 0.5}})


@each_case
def test_correlate_gives_every_value_or_a_reason(case: dict[str, Any]) -> None:
    for c, thresholds, expected in expectations(case):
        found = correlate(case["estimate"], truth=case["truth"], coefficient=[c], **options(case, thresholds))[c]
        assert agrees(found.value, expected), (c.name, thresholds, found.value, expected)
        assert (found.undefined_because is None) == (expected is not None)


@each_case
def test_the_single_call_gives_every_value_and_ties_are_an_error_where_they_are_forbidden(case: dict[str, Any]) -> None:
    for c, thresholds, expected in expectations(case):

        def call(c: Coefficient = c, thresholds: bool = thresholds) -> Correlation:
            return getattr(tauscope, c.name)(case["estimate"], truth=case["truth"], **options(case, thresholds))

        if c.ties is Ties.FORBIDDEN and expected is None:
            with pytest.raises(TiesError, match="is not defined with ties"):
                call()
        else:
            assert agrees(call().value, expected), (c.name, thresholds)


@each_case
def test_the_two_walks_of_tau_ap_b_are_its_directions(case: dict[str, Any]) -> None:
    for thresholds, suffix in ((False, ""), (True, "_w")):
        found = tauscope.tau_ap_b(case["estimate"], truth=case["truth"], **options(case, thresholds))
        assert agrees(found.directions[0], case["values"][f"tau_ap_ties{suffix}"])
        assert agrees(found.directions[1], case["values"][f"tau_ap_ties{suffix}_rev"])


@each_case
def test_a_batch_gives_every_value_with_one_truth_and_with_a_truth_a_row(case: dict[str, Any]) -> None:
    for c, thresholds, expected in expectations(case):
        rows = np.array([case["estimate"]] * 3)
        for truth in (np.array(case["truth"]), np.array([case["truth"]] * 3)):
            batch = correlate_batch(rows, truth=truth, coefficient=c, **options(case, thresholds))
            assert all(agrees(value, expected) for value in batch.values), (c.name, thresholds, batch.values, expected)
            assert (batch.reason(1) is None) == (expected is not None)


@each_case
def test_a_matrix_has_every_value_in_the_row_of_the_truth_and_the_column_of_the_estimate(case: dict[str, Any]) -> None:
    rankings = {"truth": case["truth"], "estimate": case["estimate"]}
    for c, thresholds, expected in expectations(case):
        matrix = correlation_matrix(rankings, c, **options(case, thresholds))
        assert agrees(matrix["truth", "estimate"], expected), (c.name, thresholds)


@each_case
def test_the_losses_of_every_value_add_up(case: dict[str, Any]) -> None:
    for c, thresholds, expected in expectations(case):
        if expected is not None:
            found = correlate(case["estimate"], truth=case["truth"], coefficient=[c], **options(case, thresholds))[c]
            assert abs(found.pairs.loss.sum() - (1 - expected)) <= 1e-12, (c.name, thresholds)


@pytest.mark.parametrize("case", [case for case in CASES if not case["higher_is_better"]], ids=lambda case: case["id"])
def test_pearson_rank_is_undefined_where_lower_is_better(case: dict[str, Any]) -> None:
    found = tauscope.pearson_rank(case["estimate"], truth=case["truth"], lower_is_better=True)
    assert math.isnan(found.value)
    assert found.undefined_because == "its weights are the scores of `truth`, and there a lower score is better"


def test_the_copy_equals_the_shared_file(shared: Path) -> None:
    assert FILE.read_bytes() == (shared / "cases" / "coefficients.json").read_bytes()
