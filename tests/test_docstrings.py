"""Docstrings are numpydoc: they document every parameter and field, and their examples run as they stand."""

from __future__ import annotations

import dataclasses
import doctest
import importlib
import inspect
import operator
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import tauscope
from tauscope.results import CLASSES, Result

PACKAGE = Path(__file__).resolve().parent.parent / "src" / "tauscope"
REFERENCE = PACKAGE.parent.parent / "docs" / "reference" / "index.md"
WITH_EXAMPLES = [
    ".".join(path.relative_to(PACKAGE.parent).with_suffix("").parts).removesuffix(".__init__")
    for path in sorted(PACKAGE.rglob("*.py"))
    if ">>>" in path.read_text(encoding="utf-8")
]
SECTION = re.compile(r"^([A-Z][A-Za-z ]+)\n-{3,}\n", re.MULTILINE)


def sections(text: str) -> dict[str, str]:
    """Heading -> what stands below it; what stands above all of them under ''."""
    parts = SECTION.split(text)
    return {"": parts[0], **dict(zip(parts[1::2], parts[2::2], strict=True))}


def entries(section: str) -> dict[str, str]:
    """The names that a section of parameters or attributes describes -> how: `low, high : array` are two."""
    found: dict[str, str] = {}
    for head, body in re.findall(r"^(\S.*)\n((?:(?:[ \t]+.*)?\n)*)", f"{section}\n", re.MULTILINE):
        names, colon, kind = head.partition(" : ")
        for name in names.split(","):
            found[name.strip().lstrip("*")] = body.strip() or kind if colon or body.strip() else ""
    return found


def of_signature(thing: Any, text: str) -> Iterator[str]:
    """What is wrong with the parameters and the Returns of a function or method."""
    signature = inspect.signature(thing)
    wanted = [name for name in signature.parameters if name not in ("self", "cls")]
    found = entries(sections(text).get("Parameters", ""))
    yield from (f"the parameter {name} is not documented" for name in wanted if not found.get(name))
    yield from (f"{name} is documented and is no parameter" for name in found if name not in wanted)
    if wanted and signature.return_annotation not in (None, "None", inspect.Signature.empty):
        if not {"Returns", "Yields"} & set(sections(text)):
            yield "there is no Returns"


def of_function(function: Any) -> Iterator[str]:
    """What is wrong with the docstring of a public function."""
    text = inspect.getdoc(function) or ""
    yield from of_signature(function, text)
    if ">>>" not in text and "See Also" not in sections(text):
        yield "there is neither an example nor a See Also"


def fields_of(kind: type) -> list[str]:
    """The names of what an object of this class holds, as far as they are public."""
    if dataclasses.is_dataclass(kind):
        return [one.name for one in dataclasses.fields(kind) if not one.name.startswith("_")]
    return list(getattr(kind, "_fields", ()))


def members(kind: type) -> Iterator[tuple[str, Any]]:
    """The public methods and properties of a class that were written here."""
    for name in sorted(
        {name for base in kind.__mro__ if base.__module__.startswith("tauscope") for name in vars(base)}
    ):
        member = inspect.getattr_static(kind, name)
        written = isinstance(member, (classmethod, staticmethod, property)) or inspect.isfunction(member)
        if not name.startswith("_") and (written or type(member).__name__ == "cached_property"):
            yield name, member


def of_class(kind: type) -> Iterator[str]:
    """What is wrong with the docstrings of a public class, of its methods and of its properties."""
    found = sections(inspect.getdoc(kind) or "")
    known: dict[str, str] = {}
    for base in kind.__mro__:  # what the docstring of a base says of its fields
        own = sections(inspect.cleandoc(base.__doc__ or ""))
        known = entries(own.get("Attributes", "")) | entries(own.get("Parameters", "")) | known
    yield from (f"the field {name} is not documented" for name in fields_of(kind) if not known.get(name))
    if "__init__" in vars(kind) and not dataclasses.is_dataclass(kind):
        text = inspect.getdoc(kind) or ""
        own = inspect.getdoc(vars(kind)["__init__"]) or ""
        yield from of_signature(kind.__init__, text if "Parameters" in found else own)  # type: ignore[misc]
    for name, member in members(kind):
        thing = getattr(kind, name) if isinstance(member, (classmethod, staticmethod)) else member
        text = inspect.getdoc(thing) or ""
        if len(text.split()) < 3:
            yield f".{name} has no docstring"
        elif callable(thing):
            # What a method of a base says of its parameters holds for the method that takes its place.
            texts = [text, *(inspect.getdoc(vars(base)[name]) or "" for base in kind.__mro__ if name in vars(base))]
            found_in = min((list(of_signature(thing, one)) for one in texts), key=len)
            yield from (f".{name}: {problem}" for problem in found_in)


def problems(name: str) -> list[str]:
    """All that is wrong with the docstrings of a public name, or of a result such as "results.Ranks"."""
    thing = operator.attrgetter(name)(tauscope)
    if inspect.isclass(thing):
        return list(of_class(thing))
    return list(of_function(thing)) if inspect.isfunction(thing) else []


@pytest.mark.parametrize("name", [*tauscope.__all__, *(f"results.{name}" for name in CLASSES)])
def test_every_parameter_method_and_field_of_a_public_name_is_documented(name: str) -> None:
    found = problems(name)
    assert not found, f"{name}: {'; '.join(found)}"


def test_every_result_has_its_class_in_results() -> None:
    for name in {module for module in WITH_EXAMPLES if "replications" not in module} | set(CLASSES.values()):
        importlib.import_module(name)
    found: set[type] = set()
    new = {Result}
    while new := {one for kind in new for one in kind.__subclasses__() if one.__module__.startswith("tauscope")}:
        found |= new
    bases = {base for kind in found for base in kind.__bases__}
    assert {kind.__name__ for kind in found - bases if ".urbano2016" not in kind.__module__} <= {*CLASSES, "Simulator"}
    assert {name for name in CLASSES if not issubclass(getattr(tauscope.results, name), Result)} == set()


def test_a_docstring_that_leaves_something_out_is_noticed() -> None:
    def one(first: int, second: int) -> int:
        """Half a docstring.

        Parameters
        ----------
        first, third : int
            The first.

        Examples
        --------
        >>> 1
        1
        """
        return first + second

    assert list(of_function(one)) == [
        "the parameter second is not documented",
        "third is documented and is no parameter",
        "there is no Returns",
    ]


def test_the_reference_has_every_public_name_under_one_question() -> None:
    text = REFERENCE.read_text(encoding="utf-8")
    parts = re.split(r"^## (.+)\n", text, flags=re.MULTILINE)[1:]
    groups = dict(zip(parts[::2], parts[1::2], strict=True))
    del groups["Coefficients"], groups["Papers"]
    listed = [name for names in groups.values() for name in re.findall(r"`(\w+)`", names)]
    assert sorted(listed) == sorted(set(tauscope.__all__) - set(tauscope.catalogue.names))
    assert sorted(re.findall(r"`results\.([A-Z]\w+)`", text)) == sorted(CLASSES)
    assert len(groups) > 5
    assert all(re.findall(r"`\w+`", names) for names in groups.values())


@pytest.mark.both
@pytest.mark.parametrize("name", WITH_EXAMPLES)
def test_the_examples_in_the_docstrings_print_what_they_say(name: str) -> None:
    module = importlib.import_module(name)
    finder, runner = doctest.DocTestFinder(exclude_empty=True), doctest.DocTestRunner(verbose=False)
    report: list[str] = []
    tried = 0
    for example in finder.find(module, name):
        outcome = runner.run(example, out=report.append)
        tried += outcome.attempted
    assert tried
    assert not report, "".join(report)


def test_every_coefficient_has_an_example() -> None:
    missing = [c.name for c in tauscope.catalogue if ">>>" not in (getattr(tauscope, c.name).__doc__ or "")]
    assert not missing
