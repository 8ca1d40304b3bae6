"""A Dask cluster on this machine: killed workers and drivers, and the bytes of the table as if nothing had happened.

The engine is the real one: `dask scheduler` and `dask worker` processes on loopback, ended by SIGKILL.
"""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

import tauscope
from tauscope.errors import TauscopeError
from tauscope.jobs import cluster, run_cells

pytest.importorskip("distributed", reason="the cluster is Dask's, which is not installed")
sys.path.insert(0, str(Path(__file__).parent))
import poison

pytestmark = [
    pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="no SIGKILL on this system"),
    # Dask leaves sockets to the garbage collector where a worker was killed.
    pytest.mark.filterwarnings("default::ResourceWarning", "default::pytest.PytestUnraisableExceptionWarning"),
]
#: A worker of one thread each; linear algebra has one as well, as `dask worker` sees to by itself when it has a nanny.
ENVIRONMENT = {
    **os.environ,
    "PYTHONPATH": os.pathsep.join((str(Path(__file__).parent), str(Path(tauscope.__file__).parents[1]))),
    "OPENBLAS_NUM_THREADS": "1",
    "OMP_NUM_THREADS": "1",
}
STUDY = (
    "--draws",
    "300",
    "--sizes",
    "10,20",
    "--method",
    "ml",
    "msqd",
    "res",
    "kd",
    "shw",
    "shwo",
)
CELLS = 2 * 15


class Engine:
    """A scheduler and its workers, all of which end with the test."""

    def __init__(self, folder: Path, **settings: str) -> None:
        self.folder, self.file, self.started = folder, folder / "scheduler.json", []
        environment = ENVIRONMENT | settings
        self._start(
            "scheduler",
            "--host",
            "127.0.0.1",
            "--port",
            "0",
            "--no-dashboard",
            "--scheduler-file",
            str(self.file),
            environment=environment,
        )
        until(lambda: self.file.exists() and self.file.stat().st_size > 0, "the scheduler writes its address")
        self.address: str = json.loads(self.file.read_text())["address"]

    def worker(self, *options: str, **settings: str) -> subprocess.Popen[bytes]:
        words = ("--nthreads", "1", "--no-dashboard", "--host", "127.0.0.1", "--local-directory", str(self.folder))
        return self._start(
            "worker", self.address, *words, *(options or ("--no-nanny",)), environment=ENVIRONMENT | settings
        )

    def _start(self, *words: str, environment: dict[str, str]) -> subprocess.Popen[bytes]:
        log = (self.folder / f"dask-{len(self.started)}.log").open("wb")
        command = [sys.executable, "-W", "ignore", "-m", "dask", *words]
        process = subprocess.Popen(command, stdout=log, stderr=log, env=environment, start_new_session=True)
        log.close()
        self.started.append(process)
        return process

    def end(self) -> None:
        for process in reversed(self.started):
            try:
                os.killpg(process.pid, signal.SIGKILL)  # a nanny's worker with it
            except ProcessLookupError:
                process.kill()
            process.wait()


def until(happened: Callable[[], bool], what: str, seconds: float = 60.0) -> None:
    end = time.monotonic() + seconds
    while not happened():
        assert time.monotonic() < end, f"{what}: not within {seconds:g} s"
        time.sleep(0.01)


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[Engine]:
    started = Engine(tmp_path)
    try:
        yield started
    finally:
        started.end()


@pytest.fixture
def board(tmp_path: Path) -> Path:
    """Scores of 16 systems on 30 topics."""
    rng = np.random.default_rng(3)
    logits = rng.normal(-0.5, 1, (30, 1)) + rng.normal(0, 0.4, 16) + rng.normal(0, 0.8, (30, 16))
    path = tmp_path / "board.csv"
    names = ",".join(f"s{place}" for place in range(16))
    np.savetxt(path, 1 / (1 + np.exp(-logits)), delimiter=",", header=names, comments="", fmt="%.4f")
    return path


def study(board: Path, out: Path, *words: str) -> list[str]:
    return [sys.executable, "-m", "tauscope", "experiments", "study", str(board), "-o", str(out), *STUDY, *words]


def tables(out: Path, board: Path, *words: str) -> bytes:
    """The table of a study that runs to its end."""
    done = subprocess.run(study(board, out, *words), capture_output=True, text=True, timeout=120, check=False)
    assert (done.returncode, done.stderr.replace("tauscope: ", "")) == (0, done.stderr), done.stderr
    return (out / "study.csv").read_bytes()


def cells_in(out: Path) -> int:
    path = out / "study.cells"
    return max(0, path.read_bytes().count(b"\n") - 1) if path.exists() else 0


@pytest.mark.parametrize("seed", [1])
def test_killed_workers_and_a_killed_driver_change_no_byte_of_the_table(
    engine: Engine, board: Path, tmp_path: Path, seed: int
) -> None:
    chosen = random.Random(seed)
    first, second = chosen.randint(2, CELLS // 3), chosen.randint(CELLS // 3 + 3, 2 * CELLS // 3)
    workers = [engine.worker(), engine.worker()]
    out = tmp_path / "cluster"
    driver = subprocess.Popen(
        study(board, out, "--workers", engine.address),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    )
    try:
        until(lambda: cells_in(out) >= first or driver.poll() is not None, f"{first} cells are done")
        victim = chosen.choice(workers)
        victim.send_signal(signal.SIGKILL)
        until(lambda: cells_in(out) >= second or driver.poll() is not None, f"{second} cells are done")
        assert driver.poll() is None, "the driver ended before it could be killed"
    finally:
        driver.kill()
        said = driver.communicate()[0]
    assert driver.returncode == -signal.SIGKILL, said
    kept = cells_in(out)
    assert second <= kept < CELLS
    assert not (out / "study.csv").exists()
    resumed = tables(out, board, "--workers", engine.address)
    assert cells_in(out) == CELLS
    assert resumed == tables(tmp_path / "here", board, "--workers", "1")


def test_a_worker_with_other_kernels_is_an_error_at_the_start(engine: Engine, board: Path, tmp_path: Path) -> None:
    from tauscope.core import kernels

    if kernels.compiled is None:
        pytest.skip("no compiled kernels here, so a worker without them is no different")
    engine.worker(TAUSCOPE_KERNELS="numpy")
    command = study(board, tmp_path / "out", "--workers", engine.address)
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 2
    assert done.stderr.startswith("tauscope: Worker tcp://127.0.0.1:")
    assert "would compute otherwise: kernels compiled here, NumPy (no compiled kernels) there." in done.stderr
    assert "Traceback" not in done.stderr
    assert cells_in(tmp_path / "out") == 0


def test_a_cell_that_kills_every_worker_is_named_and_loses_nothing_else(tmp_path: Path) -> None:
    """With nannies, which start a worker again; one death is enough for Dask here, else it would be sixteen."""
    engine = Engine(tmp_path, DASK_DISTRIBUTED__SCHEDULER__ALLOWED_FAILURES="0")
    try:
        for _ in range(2):
            engine.worker("--nanny")
        cells = {place: (place, 5) for place in range(10)}
        with cluster(engine.address) as pool:
            outcome = run_cells(poison.work, cells, executor=pool, checkpoint=tmp_path / "run.cells")
        assert dict(outcome.failed) == {5: "all its workers died"}
        assert list(outcome.values.values()) == [place for place in range(10) if place != 5]
    finally:
        engine.end()


def test_a_cluster_that_loses_all_workers_ends_in_words_and_can_go_on(engine: Engine, tmp_path: Path) -> None:
    worker = engine.worker()
    cells = {place: (place, str(tmp_path / f"begun-{place}")) for place in range(6)}
    path = tmp_path / "run.cells"

    def kill(done: int, total: int) -> None:
        if done == 2:
            worker.kill()

    with cluster(engine.address, patience=30) as pool:
        pass  # it is there; below it is waited for only shortly
    with (
        cluster(engine.address, patience=2) as pool,
        pytest.raises(
            TauscopeError, match=r"No more workers: .* has had no workers for \d+ s\. [2-5] of 6 cells are done"
        ),
    ):
        run_cells(poison.slow, cells, executor=pool, checkpoint=path, progress=kill)
    assert list(run_cells(poison.slow, cells, checkpoint=path).values.values()) == list(range(6))


def test_a_scheduler_without_workers_says_so(engine: Engine) -> None:
    wanted = rf"^{engine.address}: the scheduler has no workers\. Start some: dask worker {engine.address}$"
    with pytest.raises(TauscopeError, match=wanted), cluster(engine.address, patience=1):
        pass


def test_a_long_table_of_the_benchmarks_is_the_same_on_a_cluster(engine: Engine, tmp_path: Path) -> None:
    script = Path(__file__).parents[2] / "benchmarks" / "board_coverage.py"
    engine.worker()
    found = []
    for place in (("--workers", "1"), ("--workers", engine.address)):
        file = tmp_path / f"{place[0]}.json"
        words = ("--trials", "2", "--only", "20 systems, heavy tails, errors", *place, "--json", str(file))
        subprocess.run([sys.executable, "-W", "ignore", str(script), *words], env=ENVIRONMENT, check=True)
        found.append(json.loads(file.read_text(encoding="utf-8")))
    assert len(found[0]["cells"]) == 2
    # NaN stands for what a population has not.
    assert str(found[0]) == str(found[1])
