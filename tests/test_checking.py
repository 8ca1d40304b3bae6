"""The one door for numbers: Python's and NumPy's numbers of every kind pass, booleans, texts and NaN do not."""

from __future__ import annotations

import math
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from tauscope.core import checking
from tauscope.errors import CallError

INTEGERS = [np.int8, np.int16, np.int32, np.int64, np.uint8, np.uint16, np.uint32, np.uint64]
FLOATS = [np.float16, np.float32, np.float64, np.longdouble]
NO_NUMBERS: list[Any] = [
    True,
    False,
    np.True_,
    np.False_,
    None,
    "3",
    "0.5",
    b"3",
    [3],
    (3,),
    {3},
    np.array(3),
    np.array([3]),
    3j,
    np.complex128(3),
    Decimal(3),
    np.datetime64("2020-01-01"),
    object(),
]


@pytest.mark.parametrize("kind", [int, *INTEGERS])
def test_whole_numbers_of_every_kind_become_plain_ones(kind: Any) -> None:
    found = checking.whole(kind(3), "draws", least=3, most=3)
    assert found == 3
    assert type(found) is int


@pytest.mark.parametrize("value", [*NO_NUMBERS, 3.0, np.float64(3), math.nan, math.inf, Fraction(3)])
def test_what_is_no_whole_number_is_refused(value: Any) -> None:
    with pytest.raises(CallError, match=r"^draws=.*: draws is a whole number of at least 1\.$"):
        checking.whole(value, "draws", least=1)


def test_a_whole_number_outside_its_limits_is_refused_with_them() -> None:
    with pytest.raises(CallError, match=r"^k=0: k is a whole number of at least 1\.$"):
        checking.whole(np.int64(0), "k", least=1)
    with pytest.raises(CallError, match=r"^k=1001: k is a whole number from 1 to 1,000\.$"):
        checking.whole(1001, "k", least=1, most=1000)


@pytest.mark.parametrize("kind", [float, *FLOATS])
@pytest.mark.parametrize("check", [checking.level, lambda x: checking.share(x, "x"), lambda x: checking.number(x, "x")])
def test_numbers_of_every_kind_are_what_they_print(kind: Any, check: Any) -> None:
    # float32(.95) is .949999988 as a double, and .95 as everybody means it.
    found = check(kind(0.95))
    assert type(found) is float
    assert found == (0.95 if kind is not np.float16 else float(str(np.float16(0.95))))


@pytest.mark.parametrize("value", [1, np.int8(1), np.uint64(1), Fraction(1, 2)])
def test_whole_numbers_and_fractions_are_numbers(value: Any) -> None:
    assert checking.number(value, "x") == float(value)
    assert checking.share(value, "x", one=True) == float(value)


@pytest.mark.parametrize(
    "value", [*NO_NUMBERS, math.nan, np.float32("nan"), math.inf, -math.inf, np.float64("inf"), 10**400]
)
def test_what_is_no_finite_number_is_refused(value: Any) -> None:
    with pytest.raises(CallError, match=r"^x=.*: x is a number"):
        checking.number(value, "x")
    with pytest.raises(CallError, match=r"^x=.*: x is a share, above 0 and below 1, such as"):
        checking.share(value, "x")
    with pytest.raises(CallError, match=r"^level=.* must be between 0 and 1, such as 0\.95\."):
        checking.level(value)


@pytest.mark.parametrize("value", [0, 1, np.float32(0), np.int64(1), -0.1, 1.1])
def test_the_ends_belong_to_a_share_only_where_that_is_said(value: Any) -> None:
    with pytest.raises(CallError):
        checking.share(value, "x")
    with pytest.raises(CallError):
        checking.level(value)
    if value == 0:
        assert checking.share(value, "x", zero=True) == 0
    elif value == 1:
        assert checking.share(value, "x", one=True) == 1
    else:
        with pytest.raises(CallError, match=f"at least 0 and at most 1.*|{value}"):
            checking.share(value, "x", zero=True, one=True)


def test_a_level_in_percent_is_understood() -> None:
    with pytest.raises(CallError, match=r"^level=95 must be between 0 and 1, such as 0.95. Do you mean 0.95\?$"):
        checking.level(95)


def test_numbers_stay_between_their_limits() -> None:
    assert checking.number(0.5, "x", above=0, below=1) == 0.5
    with pytest.raises(CallError, match=r"^x=0: x is a number above 0\.$"):
        checking.number(0, "x", above=0)
    with pytest.raises(CallError, match=r"^x=1\.0: x is a number above 0 and below 1\.$"):
        checking.number(np.float64(1), "x", above=0, below=1)


@pytest.mark.parametrize("value", ["alpha", np.str_("alpha")])
def test_one_of_several_names(value: Any) -> None:
    found = checking.one_of(value, ("alpha", "beta"), "kind")
    assert found == "alpha"
    assert type(found) is str


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("alhpa", "kind='alhpa' is unknown; use 'alpha', 'beta' or 'gamma'. Do you mean 'alpha'?"),
        ("xyz", "kind='xyz' is unknown; use 'alpha', 'beta' or 'gamma'."),
        (None, "kind=None is unknown; use 'alpha', 'beta' or 'gamma'."),
        (["alpha"], "kind=['alpha'] is unknown; use 'alpha', 'beta' or 'gamma'. Do you mean 'alpha'?"),
        (3, "kind=3 is unknown; use 'alpha', 'beta' or 'gamma'."),
    ],
)
def test_an_unknown_name_is_an_error_with_the_nearest(value: Any, text: str) -> None:
    with pytest.raises(CallError) as error:
        checking.one_of(value, ("alpha", "beta", "gamma"), "kind")
    assert str(error.value) == text


def test_long_values_are_cut_in_the_error() -> None:
    with pytest.raises(CallError) as error:
        checking.whole(list(range(1000)), "k")
    assert len(str(error.value)) < 200


def test_there_is_at_least_one_core() -> None:
    assert checking.cores() >= 1
