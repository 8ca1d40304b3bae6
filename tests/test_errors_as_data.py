"""Errors carry their ways out as data: worded for Python and for the shell, pickled, and never taken apart again."""

from __future__ import annotations

import copy
import pickle

import pytest

from tauscope import TauscopeError
from tauscope.errors import Advice, AlignmentError, CallError, FileError, MissingPackageError, Option, TiesError

KINDS = (TauscopeError, CallError, AlignmentError, TiesError, FileError, MissingPackageError)
MISSING = Option("missing", "zero", "drop-topics", "keep", effect="to say what that means")


@pytest.mark.parametrize(
    ("option", "python", "shell"),
    [
        (Option("rel"), "Pass rel=.", "Use --rel."),
        (
            Option("rel", effect="to say what is relevant"),
            "Pass rel= to say what is relevant.",
            "Use --rel to say what is relevant.",
        ),
        (Option("rel", 2), "Pass rel=2.", "Use --rel 2."),
        (Option("missing", "zero"), 'Pass missing="zero".', "Use --missing zero."),
        (Option("missing", "a", "b"), 'Pass missing="a" or "b".', "Use --missing a or b."),
        (
            MISSING,
            'Pass missing="zero", "drop-topics" or "keep" to say what that means.',
            "Use --missing zero, drop-topics or keep to say what that means.",
        ),
        (
            Option("replace", True, effect="to draw more"),
            "Pass replace=True to draw more.",
            "Use --replace to draw more.",
        ),
        (Option("measure", 'the "best"'), "Pass measure='the \"best\"'.", "Use --measure 'the \"best\"'."),
        (Option("measure", "my measure"), 'Pass measure="my measure".', "Use --measure 'my measure'."),
        (Option("measure", "a\nb"), "Pass measure='a\\nb'.", "Use --measure 'a\nb'."),
        (Option("format", "run>topic"), 'Pass format="run>topic".', "Use --format 'run>topic'."),
        (Option("missing", "zero", python="Call .without_holes()."), "Call .without_holes().", "Use --missing zero."),
    ],
)
def test_an_option_is_worded_for_python_and_for_the_shell(option: Option, python: str, shell: str) -> None:
    assert option.in_python() == python
    assert option.in_shell(f"--{option.name}") == shell


def test_advice_may_differ_in_the_shell_or_have_nothing_to_say_there() -> None:
    assert Advice("Do this.").in_shell() == Advice("Do this.").in_python() == "Do this."
    assert Advice("Call x().", "Run x.").in_shell() == "Run x."
    assert Advice("Call x().", "").in_shell() == ""


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_an_error_survives_pickling_and_copying_with_its_ways_out(kind: type[TauscopeError]) -> None:
    error = kind("There is a hole.", MISSING, Advice("Or fill it.", ""), Option("rel", 2, python="Say rel."))
    for again in (pickle.loads(pickle.dumps(error)), copy.copy(error), copy.deepcopy(error)):
        assert type(again) is kind
        assert (again.problem, again.ways_out) == (error.problem, error.ways_out)
        assert str(again) == (
            'There is a hole. Pass missing="zero", "drop-topics" or "keep" to say what that means. Or fill it. Say rel.'
        )


def test_an_error_without_ways_out_is_its_sentence() -> None:
    assert str(TauscopeError("No.")) == "No."
    assert TauscopeError("No.").ways_out == ()


def test_options_are_values_and_cannot_be_changed() -> None:
    assert Option("a", 1, effect="x") == Option("a", 1, effect="x") != Option("a", 2, effect="x")
    assert len({Option("a", 1), Option("a", 1)}) == 1
    with pytest.raises(AttributeError):
        MISSING.name = "other"  # type: ignore[misc]


@pytest.mark.parametrize(
    ("place", "problem", "named"),
    [
        ("board.csv", "no scores.", False),
        ("board.csv", "board.csv: no scores.", True),
        ("board.csv", "board.csv:3: no scores.", True),
        ("board.csv", "The file board.csv has no scores.", True),
        ("board.csv", "dashboard.csv: no scores.", False),
        ("board.csv", "board.csv.gz: no scores.", False),
        ("a", "there is a score.", False),
        ("a", "a: no scores.", True),
        ("a", "a, row 2: no scores.", True),
        ("format=old.csv", "no scores.", False),
        ("format=old.csv", "format=old.csv:1: no scores.", True),
        ("Pass missing=", "no scores.", False),
    ],
)
def test_a_place_is_put_before_the_sentence_unless_it_is_there(place: str, problem: str, named: bool) -> None:
    error = FileError(problem, MISSING)
    found = error.at(place)
    assert type(found) is FileError
    assert found.problem == (problem if named else f"{place}: {problem}")
    assert found.ways_out == (MISSING,)


@pytest.mark.parametrize("name", ["format=old.csv", "--format old", 'Pass missing="drop"', "{system}", "a\nb"])
def test_names_that_look_like_ways_out_stay_as_they_are(name: str) -> None:
    error = FileError(f"{name}: no scores.", Option("measure", name))
    assert error.problem == f"{name}: no scores."
    assert error.ways_out[0].values == (name,)  # type: ignore[union-attr]
    assert str(error).startswith(f"{name}: no scores. Pass measure=")


def test_a_package_that_is_missing_is_named_with_the_command_that_installs_it() -> None:
    error = MissingPackageError.needed("a.parquet: Parquet", "pyarrow", "tauscope[frames]")
    assert isinstance(error, ImportError)
    assert error.problem == "a.parquet: Parquet needs the package pyarrow, which is not installed."
    assert error.ways_out[0].in_shell() == "Run: pip install 'tauscope[frames]'"  # type: ignore[call-arg]
