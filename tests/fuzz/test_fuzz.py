"""A few seconds of fuzzing: first the seeds that once found something, then as many others as the time allows.

Longer, by hand: `python tests/fuzz/fuzz.py arrays --count 900000`.
"""

import sys
from pathlib import Path

import pytest

from tauscope.cli import main
from tauscope.core import kernels

sys.path.insert(0, str(Path(__file__).resolve().parent))
import fuzz

#: Seconds of each target, and how much it must have tried by then on the slowest machine: fewer would test nothing.
SECONDS = {"arrays": (8.0, 500), "files": (6.0, 50), "commands": (8.0, 8), "names": (6.0, 2)}
SAVED = [(name, seed) for name in fuzz.CHUNKS for seed in fuzz.saved(name)]


@pytest.mark.parametrize(("name", "seed"), SAVED)
def test_a_seed_that_found_something_finds_nothing_now(name, seed):
    assert fuzz.one(fuzz.target(name), name, seed) > 0


@pytest.mark.parametrize("name", fuzz.CHUNKS)
def test_a_few_seconds_find_nothing(name):
    if name == "arrays" and kernels.compiled is None:
        pytest.skip("arrays are compared with compiled kernels, and there are none")
    seconds, least = SECONDS[name]
    assert fuzz.for_seconds(name, seconds) >= least


def test_the_lines_that_the_fuzz_starts_from_are_accepted(monkeypatch):
    """Were they refused at the first word, a fuzz of them would try the parser and nothing behind it."""
    commands = fuzz.target("commands").__globals__
    codes = []
    monkeypatch.setitem(commands, "main", lambda words: codes.append(main(words)) or codes[-1])
    for line in commands["LINES"]:
        if line[0] in ("correlate", "hybrid", "expected", "board", "battles"):
            monkeypatch.setitem(commands, "words", lambda rng, line=line: list(line))
            commands["case"](0)
            assert codes.pop() == 0, line


def test_the_array_fuzz_notices_a_kernel_that_is_wrong(monkeypatch):
    """A harness that cannot fail would find nothing for ever."""
    real = kernels.batch

    def wrong(c, *arguments, **options):
        values, reasons = real(c, *arguments, **options)
        return (values + 1e-9 if kernels.compiled is not None else values), reasons

    if kernels.compiled is None:
        pytest.skip("there are no compiled kernels")
    monkeypatch.setattr(kernels, "batch", wrong)
    with pytest.raises(AssertionError, match="tau"):
        fuzz.for_seconds("arrays", 5.0)
