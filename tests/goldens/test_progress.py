"""Progress bars appear on a terminal when work takes a while, and nowhere else."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

CODE = """
import sys, time
from tauscope.cli.output import progress
with progress("short"):
    pass
assert "rich" not in sys.modules
with progress("moving"):
    time.sleep(1.8)
with progress("counting") as report:
    for step in range(18):
        report(step + 1, 18)
        time.sleep(0.1)
print("answer")
"""


def on_a_terminal(code: str) -> tuple[str, str]:
    pty = pytest.importorskip("pty", reason="there are no terminals to open on this system")
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-W", "error", "-c", code], stdout=subprocess.PIPE, stderr=theirs, text=True
    )
    os.close(theirs)
    shown = b""
    try:
        while chunk := os.read(ours, 4096):
            shown += chunk
    except OSError:  # the other end was closed
        pass
    os.close(ours)
    answer = process.communicate(timeout=60)[0]
    assert process.returncode == 0, shown
    return answer, shown.decode()


def test_a_bar_appears_after_a_second_counts_what_is_reported_and_leaves_the_answer_alone():
    answer, shown = on_a_terminal(CODE)
    assert answer == "answer\n"
    assert "short" not in shown
    assert "moving" in shown
    assert "counting" in shown
    assert "/18" in shown


def test_without_a_terminal_nothing_is_shown():
    done = subprocess.run([sys.executable, "-c", CODE], capture_output=True, text=True, timeout=60, check=True)
    assert (done.stdout, done.stderr) == ("answer\n", "")
