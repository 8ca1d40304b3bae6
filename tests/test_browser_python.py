"""Where only numbers are wanted, nothing needs processes, threads or pictures: a browser's Python has none of them."""

from __future__ import annotations

import subprocess
import sys

import pytest

pytestmark = pytest.mark.both

#: Pyodide's NumPy and SciPy come from their own builds, so they are loaded before the rest is taken away.
SETTING = """
import os, sys, threading
import numpy as np
import scipy.linalg, scipy.optimize, scipy.special, scipy.stats

gone = ("_multiprocessing", "_posixsubprocess", "multiprocessing", "subprocess", "concurrent.futures.process",
        "cyclopts", "distributed", "dask", "fcntl", "resource", "termios")
for name in [name for name in sys.modules if any(name == one or name.startswith(one + ".") for one in gone)]:
    del sys.modules[name]
sys.modules.update(dict.fromkeys(gone))     # None: an import of it is a ModuleNotFoundError
sys.platform = "emscripten"                 # after NumPy, which decides by it how it was built

def refused(*_, **__):
    raise RuntimeError("can't start new thread")

threading.Thread.start = os.system = os.popen = refused
if hasattr(os, "fork"):
    os.fork = os.posix_spawn = refused
if hasattr(os, "sched_getaffinity"):
    del os.sched_getaffinity
"""
CALLS = """
import pathlib, tempfile
import tauscope as t

rng = np.random.default_rng(0)
one, two = (t.Scores(rng.random((12, 6)) + np.linspace(0, 0.5, 6), systems=tuple("abcdef")) for _ in range(2))
first, second = one.ranking(), two.ranking()
runs = {"x": {"1": {"d1": 2.0, "d2": 1.0}}, "y": {"1": {"d1": 1.0, "d2": 2.0}}}
with tempfile.TemporaryDirectory() as folder:
    table, votes = pathlib.Path(folder, "scores.csv"), pathlib.Path(folder, "battles.csv")
    one.write(table)
    votes.write_text("model_a,model_b,winner\\n" + "a,b,model_a\\nb,c,model_b\\nc,a,tie\\nb,a,model_a\\n" * 4)
    read, battles = t.Scores.read(table), t.Battles.read(votes)
results = [
    t.catalogue, t.tau(first, second), t.tau_b(first, second), t.tau_ap(first, truth=second),
    t.correlate(rng.random((500, 50)), truth=rng.random(50), coefficient="tau_ap"),
    t.correlate(rng.random((20, 200))), read, battles,
    t.expected_correlation(one), t.expected_correlation(one, method="split_half"), t.rank(one), t.rank(one).best_set(),
    t.expected_correlation(one).swaps, t.significance(one, draws=50), t.significance(one, test="permutation", draws=50),
    t.compare(one, truth=two), t.hybrid(one, judge=two), t.rank(one, "borda"), t.rank(one).under_rules(),
    t.rank(one).neighbours, t.bradley_terry(battles), t.check(one),
    t.evaluate(runs, {"1": {"d1": 1, "d2": 0}}, ["AP", "nDCG@10"]),
]
for result in results:
    assert str(result) and repr(result)
    getattr(result, "to_dict", dict)()
print(len(results))
"""


def run(code: str) -> str:
    made = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=300)
    assert made.returncode == 0, made.stderr
    return made.stdout


def test_numbers_need_no_processes_threads_or_pictures():
    assert run(SETTING + CALLS).split()[0] == "23"


def test_processes_that_cannot_be_had_are_refused_with_the_way_out():
    asked = """
import tauscope
from tauscope.jobs import processes, run_cells
try:
    run_cells(abs, {"a": (1,)}, executor=processes(2))
except tauscope.TauscopeError as error:
    print(error)
"""
    said = run(SETTING + asked)
    assert "cannot start processes" in said
    assert "Leave the workers out" in said
