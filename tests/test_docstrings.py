"""The examples in the docstrings, run as they stand."""

from __future__ import annotations

import doctest
import importlib
from pathlib import Path

import pytest

PACKAGE = Path(__file__).resolve().parent.parent / "src" / "tauscope"
WITH_EXAMPLES = [
    ".".join(path.relative_to(PACKAGE.parent).with_suffix("").parts).removesuffix(".__init__")
    for path in sorted(PACKAGE.rglob("*.py"))
    if ">>>" in path.read_text(encoding="utf-8")
]


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
    import tauscope

    missing = [c.name for c in tauscope.catalogue if ">>>" not in (getattr(tauscope, c.name).__doc__ or "")]
    assert not missing
