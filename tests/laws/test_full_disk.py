"""Where the disk is full, the error names the file, what stood there before stays, and no finished cell is lost."""

import errno
import os
import subprocess
import sys
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from tauscope import Scores, rank, report
from tauscope.errors import CallError, FileError
from tauscope.io.write import write_scores
from tauscope.jobs.cells import run_cells
from tauscope.jobs.executors import threads
from tauscope.render.mpl import save

SCORES = Scores(np.random.default_rng(0).random((6, 4)))
CHART = rank(SCORES).answer().chart().figure
FULL = OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def square(number):
    return {"square": number * number, "text": "x" * 50}


@cache
def page():
    return report(SCORES)


CELLS = {f"cell {k}": (k,) for k in range(6)}


def fill_after(monkeypatch, writes):
    """The disk takes so many lines, then half of one, then nothing until `room` is called."""
    real, taken = os.write, []

    def write(descriptor, data):
        if len(taken) > writes:
            raise FULL
        taken.append(data)
        return real(descriptor, data[: len(data) // 2] if len(taken) > writes else data)

    monkeypatch.setattr(os, "write", write)
    return lambda: monkeypatch.setattr(os, "write", real)


@pytest.mark.parametrize("executor", [None, threads(2)], ids=["here", "threads"])
def test_finished_cells_outlive_a_full_disk(tmp_path, monkeypatch, executor):
    path = tmp_path / "run.checkpoint"
    room = fill_after(monkeypatch, 4)  # the head and three cells
    with pytest.raises(FileError, match=r"run\.checkpoint: .*No space left on device.*the 3 cells that are in it stay"):
        run_cells(square, CELLS, executor=executor, checkpoint=path)
    room()
    again = run_cells(square, CELLS, executor=executor, checkpoint=path)
    assert again.resumed == 3
    assert again.retried == ()
    assert {key: value["square"] for key, value in again.values.items()} == {f"cell {k}": k * k for k in range(6)}


def test_a_checkpoint_that_cannot_even_be_begun_is_named(tmp_path, monkeypatch):
    path = tmp_path / "run.checkpoint"
    room = fill_after(monkeypatch, 0)
    with pytest.raises(FileError, match=r"run\.checkpoint: it cannot be written \(No space left on device\)"):
        run_cells(square, CELLS, checkpoint=path)
    room()
    assert run_cells(square, CELLS, checkpoint=path).resumed == 0
    (tmp_path / "file").write_text("")
    with pytest.raises(FileError, match="below: it cannot be written"):
        run_cells(square, CELLS, checkpoint=tmp_path / "file" / "below")


class Full:
    """A file on a full disk."""

    def __init__(self, real):
        self.real = real

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.real.close()

    def write(self, data):
        raise FULL

    def __getattr__(self, name):
        return getattr(self.real, name)


WRITERS = {
    "scores.csv": lambda path: write_scores(SCORES, path),
    "scores.csv.gz": lambda path: write_scores(SCORES, path),
    "scores.parquet": lambda path: write_scores(SCORES, path),
    "page.html": lambda path: page().write(path),
    "page.json": lambda path: page().write(path),
    "chart.svg": lambda path: save(CHART, path),
    "chart.pdf": lambda path: save(CHART, path),
}


@pytest.mark.parametrize("name", WRITERS)
def test_a_file_that_cannot_be_written_is_named_and_what_was_there_stays(tmp_path, monkeypatch, name):
    path = tmp_path / name
    path.write_bytes(b"before")
    real = Path.open
    monkeypatch.setattr(
        Path, "open", lambda self, mode="r", **o: Full(real(self, mode)) if "x" in mode else real(self, mode, **o)
    )
    with pytest.raises(FileError, match=rf"{name}: it cannot be written \(No space left on device\)"):
        WRITERS[name](path)
    monkeypatch.undo()
    assert path.read_bytes() == b"before"
    assert [found.name for found in tmp_path.iterdir()] == [name]


@pytest.mark.parametrize("ending", [".pdf", ".svg", ".png"])
def test_the_same_chart_is_the_same_file(tmp_path, ending):
    one, two = (save(CHART, tmp_path / f"{name}{ending}").read_bytes() for name in "ab")
    assert one == two


def test_a_chart_with_another_ending_is_answered_with_those_there_are(tmp_path):
    with pytest.raises(CallError, match=r"chart\.gif: a chart is written as \.pdf, \.pgf, \.svg or \.png") as caught:
        save(CHART, tmp_path / "chart.gif")
    assert caught.value.ways_out[0].values == ("chart.pdf", "chart.pgf", "chart.svg", "chart.png")
    assert not list(tmp_path.iterdir())


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full")
@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_the_shell_names_standard_output(tmp_path, unbuffered):
    path = write_scores(SCORES, tmp_path / "scores.csv")
    command = [sys.executable, "-m", "tauscope", "check", str(path)]
    with Path("/dev/full").open("wb") as full:
        variables = {**os.environ, "PYTHONUNBUFFERED": unbuffered}
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, env=variables)
    assert (done.returncode, done.stderr) == (2, "tauscope: standard output: No space left on device\n")
