"""A record carries its functions: no code compares a coefficient's name, and the record says what the functions do."""

from __future__ import annotations

import ast
import inspect
import pickle
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from strategies import Pair, ranking_pairs

import tauscope
from tauscope import catalogue
from tauscope.coefficients.coefficient import GENERAL, Catalogue
from tauscope.coefficients.correlate import correlate_batch, correlation_matrix
from tauscope.coefficients.records import Coefficient, Ties
from tauscope.errors import CallError, Undefined

pytestmark = pytest.mark.both

PACKAGE = Path(tauscope.__file__).parent
MODULES = sorted(PACKAGE.rglob("*.py"))
every = pytest.mark.parametrize("c", list(catalogue), ids=str)
NAMES = set(catalogue.names)


def literals(*operands: ast.AST) -> set[str]:
    """Names of coefficients that are operands, alone or in a list."""
    listed = [one for node in operands for one in (node, *getattr(node, "elts", ()))]
    return {one.value for one in listed if isinstance(one, ast.Constant) and one.value in NAMES}


def compared(code: str) -> Iterator[tuple[int, set[str]]]:
    """Where code decides by a coefficient's name: comparisons, `startswith`, `match` and functions looked up by it."""
    for node in ast.walk(ast.parse(code)):
        found: set[str] = set()
        if isinstance(node, ast.Compare):
            found = literals(node.left, *node.comparators)
        elif isinstance(node, ast.MatchValue):
            found = literals(node.value)
        elif (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and node.func.attr in ("startswith", "endswith")
        ):
            texts = {
                one.value for one in ast.walk(node) if isinstance(one, ast.Constant) and isinstance(one.value, str)
            }
            found = {text for text in texts if len(text) > 2 and any(name.startswith(text) for name in NAMES)}
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "getattr":
            found = {ast.unparse(node)} if ast.unparse(node.args[0]) in ("rankings", "reference") else set()
        if found:
            yield node.lineno, found


@pytest.mark.parametrize("module", MODULES, ids=[str(path.relative_to(PACKAGE)) for path in MODULES])
def test_no_code_compares_the_name_of_a_coefficient(module: Path) -> None:
    found = list(compared(module.read_text(encoding="utf-8")))
    assert not found, f"{module.name} decides by a coefficient's name: let the record say it: {found}"


@pytest.mark.parametrize(
    "code",
    [
        "if c.name == 'tau_b': pass",
        "same = name in ('tau', 'tau_ap')",
        "what = c.name.startswith('tau_ap')",
        "function = getattr(rankings, name)",
        "match c.name:\n    case 'pearson': pass",
    ],
)
def test_that_law_finds_what_it_forbids(code: str) -> None:
    assert list(compared(code))


@every
def test_a_record_is_that_of_its_public_function(c: Coefficient) -> None:
    function = getattr(tauscope, c.name)
    assert function([3, 1, 2], truth=[3, 2, 1]).coefficient == c
    text = inspect.getdoc(function) or ""
    assert text.startswith(c.question.split(",")[0])
    assert c.definition in text
    assert " ".join(c.when_not.split()) in " ".join(text.split())


@every
def test_the_signature_has_every_option_that_applies_and_documents_it(c: Coefficient) -> None:
    function = getattr(tauscope, c.name)
    parameters = inspect.signature(function).parameters
    required = [p.name for p in parameters.values() if p.default is p.empty]
    assert required == (["first"] if c.symmetric else ["estimate", "truth"])
    assert parameters["truth"].kind is inspect.Parameter.KEYWORD_ONLY
    assert ("tied_within" in parameters, "top_k" in parameters) == (c.takes_tolerance, c.ordinal)
    assert set(c.own) <= set(parameters)
    text = (inspect.getdoc(function) or "").partition("Parameters\n----------\n")[2].partition("\n\nReturns")[0]
    named = {name for line in text.splitlines() if " : " in line for name in line.partition(" : ")[0].split(", ")}
    assert named == set(parameters)


@every
def test_an_unknown_argument_is_an_error_that_names_those_there_are(c: Coefficient) -> None:
    with pytest.raises(CallError, match=rf"^{c.name}\(\) has no argument 'tie'\. It takes truth, .*unmatched"):
        getattr(tauscope, c.name)([1, 2], truth=[1, 2], tie=1)


@every
@given(pair=ranking_pairs())
def test_a_coefficient_is_undefined_only_for_the_reasons_of_its_record(c: Coefficient, pair: Pair) -> None:
    for lower in (False, True):
        found = correlate_batch([pair[0]], truth=pair[1], coefficient=c, lower_is_better=lower)
        assert Undefined(int(found.undefined_because[0])) in (Undefined.DEFINED, *GENERAL, *c.undefined)


@every
def test_a_record_survives_the_way_to_another_process(c: Coefficient) -> None:
    again = pickle.loads(pickle.dumps(c))
    assert again == c
    assert hash(again) == hash(c)
    y, x = np.array([[3.0, 1.0, 2.0]]), np.array([3.0, 2.0, 1.0])
    np.testing.assert_array_equal(
        correlate_batch(y, truth=x, coefficient=again).values, correlate_batch(y, truth=x, coefficient=c).values
    )


@every
def test_a_record_without_ties_or_a_tolerance_names_three_variants_that_take_both(c: Coefficient) -> None:
    if c.takes_tolerance:
        return
    assert [catalogue[name].ties for name in c.instead] == [Ties.INDISCERNIBLE, Ties.INDISCERNIBLE, Ties.EQUAL]
    assert all(catalogue[name].takes_tolerance for name in c.instead)


@every
def test_every_value_of_an_own_option_is_a_coefficient(c: Coefficient) -> None:
    for name, own in c.own.items():
        assert c.taking(**{name: own.default}) is c
        for value in own.values:
            taken = c.taking(**{name: value})
            assert taken.option(name) == value
            assert taken.taking(**{name: own.default}) is c
            assert str(taken) == c.name
        with pytest.raises(CallError, match=f"{name}='no' is unknown; use "):
            c.taking(**{name: "no"})
    with pytest.raises(CallError, match=f"{c.name} has no option 'flavour'"):
        c.taking(flavour="sweet")


def plain_footrule(y: np.ndarray, x: np.ndarray, wy: object, wx: object) -> tuple[np.ndarray, np.ndarray]:
    return np.full(y.shape[:-1], 0.25), np.zeros(y.shape[:-1], np.int8)


def test_a_record_without_a_kernel_is_computed_by_its_formula_everywhere(kernels_in_use: str) -> None:
    from dataclasses import replace

    new = replace(catalogue["tau_a"], name="quarter", formula=plain_footrule, kernel=None)
    y, x = [3.0, 1.0, 2.0], [1.0, 2.0, 3.0]
    assert tauscope.correlate(y, truth=x, coefficient=[new])[new].value == 0.25
    assert tauscope.correlate(y, truth=x, coefficient=[new], top_k=1)[new].value == 0.25
    assert correlate_batch([y, x], truth=x, coefficient=new).values.tolist() == [0.25, 0.25]
    assert correlate_batch([y], truth=x, coefficient=new, top_k=1).values.tolist() == [0.25]
    assert np.isnan(correlate_batch([[1.0, np.nan, 3.0]], truth=x, coefficient=new).values).all()
    assert correlation_matrix([y, x], new).values.tolist() == [[0.25, 0.25]] * 2
    assert "quarter" in str(Catalogue([new]))


def test_a_coefficient_without_a_kernel_says_how_many_items_it_takes(monkeypatch: pytest.MonkeyPatch) -> None:
    from dataclasses import replace

    from tauscope.core import kernels

    monkeypatch.setattr(kernels, "NUMPY_LIMIT", 3)
    new = replace(catalogue["tau_a"], name="quarter", formula=plain_footrule, kernel=None)
    with pytest.raises(tauscope.TauscopeError, match="4 items are more than the 3 that"):
        correlate_batch([[1, 2, 3, 4]], truth=[1, 2, 3, 4], coefficient=new)
