"""Long runs: the same values on workers of any kind, whatever was interrupted; only what always fails is lost."""

from __future__ import annotations

import multiprocessing
import os
import pickle
import signal
import subprocess
import sys
import textwrap
from collections.abc import Mapping
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tauscope.core import kernels
from tauscope.errors import CallError, FileError, TauscopeError
from tauscope.jobs import checkpoints, cluster, processes, run_cells, threads
from tauscope.jobs.checkpoints import decoded, encoded

CELLS = {("a", place): (place,) for place in range(12)}


def noisy(place: int, *, rng: np.random.Generator) -> dict[str, object]:
    """A value that tells the cell and its generator."""
    return {"place": place, "drawn": rng.random(3), "last": float(rng.normal())}


def doubled(place: int) -> int:
    return 2 * place


def fails_at_three(place: int) -> int:
    if place == 3:
        raise ZeroDivisionError("three")
    return place


def dies(place: int, poison: int, mark: str) -> int:
    """Kills its worker at `poison`: always, or with a mark only the first time."""
    if place == poison and not (mark and Path(mark).exists()):
        if mark:
            Path(mark).touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return place


def fails_once(place: int, mark: str) -> int:
    if place == 2 and not Path(mark).exists():
        Path(mark).touch()
        raise OSError("the disk was away")
    return place


def same(first: Mapping[object, object], second: Mapping[object, object]) -> bool:
    """To the last bit."""
    return [encoded(list(values.items())) for values in (first, second)] == [encoded(list(first.items()))] * 2


def test_the_executor_changes_nothing(tmp_path: Path) -> None:
    here = run_cells(noisy, CELLS, seed=5)
    with ThreadPoolExecutor(3) as mine:
        others = [run_cells(noisy, CELLS, seed=5, executor=kind) for kind in (threads(4), processes(2), mine)]
    assert all(same(here.values, other.values) for other in others)
    assert all(list(other.values) == list(CELLS) for other in others)
    assert not same(here.values, run_cells(noisy, CELLS, seed=6).values)


def test_a_cell_has_the_seed_of_its_place() -> None:
    values = run_cells(noisy, CELLS, seed=5).values
    generator = np.random.default_rng(np.random.SeedSequence(5, spawn_key=(7,)))
    assert values["a", 7]["drawn"].tolist() == generator.random(3).tolist()


@pytest.mark.parametrize("kept", [1, 5, 11])
def test_a_run_goes_on_where_it_stopped(tmp_path: Path, kept: int) -> None:
    path = tmp_path / "run.cells"
    whole = run_cells(noisy, CELLS, seed=5, checkpoint=path)
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(lines[: 1 + kept]))
    again = run_cells(noisy, CELLS, seed=5, checkpoint=path)
    assert (whole.resumed, again.resumed) == (0, kept)
    assert same(whole.values, again.values)
    assert path.read_bytes() == b"".join(lines)
    assert run_cells(noisy, CELLS, seed=5, checkpoint=path).resumed == len(CELLS)


@given(data=st.data())
def test_whatever_a_kill_tears_off_is_done_again(tmp_path_factory: pytest.TempPathFactory, data: st.DataObject) -> None:
    path = tmp_path_factory.mktemp("torn") / "run.cells"
    whole = run_cells(noisy, CELLS, seed=5, checkpoint=path)
    content = path.read_bytes()
    end = data.draw(st.integers(0, len(content)))
    path.write_bytes(content[:end])
    again = run_cells(noisy, CELLS, seed=5, checkpoint=path)
    assert again.resumed == max(0, content[:end].count(b"\n") - 1)
    assert same(whole.values, again.values)
    assert path.read_bytes() == content


def test_a_damaged_record_is_done_again(tmp_path: Path) -> None:
    path = tmp_path / "run.cells"
    whole = run_cells(noisy, CELLS, seed=5, checkpoint=path)
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join([*lines[:4], lines[4].replace(b"1", b"2"), *lines[5:]]))
    again = run_cells(noisy, CELLS, seed=5, checkpoint=path)
    assert again.resumed == len(CELLS) - 1
    assert same(whole.values, again.values)


def test_another_run_at_the_same_checkpoint_is_an_error_that_says_what_differs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "run.cells"
    run_cells(noisy, CELLS, seed=5, checkpoint=path)
    with pytest.raises(FileError, match=r"another run \(seed 6 here, 5 there\)"):
        run_cells(noisy, CELLS, seed=6, checkpoint=path)
    with pytest.raises(FileError, match=r"task .*doubled here, .*noisy there; seed None here, 5 there"):
        run_cells(doubled, CELLS, checkpoint=path)
    with pytest.raises(FileError, match=r"\(arguments \w+ here, \w+ there\)"):
        run_cells(noisy, {key: (place + 1,) for key, (place,) in CELLS.items()}, seed=5, checkpoint=path)
    about = {"trials": 12}
    run_cells(doubled, CELLS, checkpoint=tmp_path / "told.cells", about=about)
    with pytest.raises(FileError, match=r"\(trials 1 here, 12 there\)"):
        run_cells(doubled, {"a": (1,)}, checkpoint=tmp_path / "told.cells", about={"trials": 1})
    monkeypatch.setattr(checkpoints, "__version__", "9.9")
    with pytest.raises(FileError, match=r"\(tauscope 9\.9 here, "):
        run_cells(noisy, CELLS, seed=5, checkpoint=path)


def test_a_file_that_is_no_checkpoint_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "thesis.txt"
    path.write_text("chapter 1\nchapter 2\n")
    with pytest.raises(FileError, match=r"thesis\.txt: it is no checkpoint"):
        run_cells(doubled, CELLS, checkpoint=path)
    assert path.read_text() == "chapter 1\nchapter 2\n"


def test_two_runs_at_one_checkpoint_are_noticed(tmp_path: Path) -> None:
    pytest.importorskip("fcntl", reason="no locks on this system")
    path = tmp_path / "run.cells"
    seen: list[str] = []

    def progress(done: int, total: int) -> None:
        if done == 4:
            with pytest.raises(FileError, match="another run is writing") as caught:
                run_cells(doubled, CELLS, checkpoint=path)
            seen.append(str(caught.value))

    run_cells(doubled, CELLS, checkpoint=path, progress=progress)
    assert len(seen) == 1


@pytest.mark.parametrize("executor", [None, threads(2), processes(2)], ids=["here", "threads", "processes"])
def test_a_cell_that_always_fails_is_named_and_loses_nothing_else(executor: object) -> None:
    outcome = run_cells(fails_at_three, CELLS, executor=executor)  # type: ignore[arg-type]
    assert dict(outcome.failed) == {("a", 3): "ZeroDivisionError: three"}
    assert sorted(outcome.values.values()) == [place for place in range(12) if place != 3]
    assert outcome.retried == (("a", 3),)
    with pytest.raises(TauscopeError, match=r"^1 of 12 cells failed: a/3: ZeroDivisionError: three\.$"):
        outcome.require_all()


def test_a_cell_that_fails_once_costs_one_retry(tmp_path: Path) -> None:
    cells = {place: (place, str(tmp_path / "mark")) for place in range(5)}
    outcome = run_cells(fails_once, cells)
    assert (dict(outcome.failed), outcome.retried) == ({}, (2,))
    assert list(outcome.values.values()) == list(range(5))


def test_a_worker_that_dies_costs_one_retry(tmp_path: Path) -> None:
    cells = {place: (place, 4, str(tmp_path / "mark")) for place in range(12)}
    outcome = run_cells(dies, cells, executor=processes(2), checkpoint=tmp_path / "run.cells")
    assert dict(outcome.failed) == {}
    assert list(outcome.values.values()) == list(range(12))
    assert 4 in outcome.retried


def test_a_cell_that_always_kills_its_worker_is_the_only_one_to_fail(tmp_path: Path) -> None:
    cells = {place: (place, 4, "") for place in range(12)}
    outcome = run_cells(dies, cells, executor=processes(2), checkpoint=tmp_path / "run.cells")
    assert dict(outcome.failed) == {4: "its worker died, twice"}
    assert list(outcome.values.values()) == [place for place in range(12) if place != 4]


def test_a_pool_of_the_caller_that_breaks_is_an_error_after_which_one_can_go_on(tmp_path: Path) -> None:
    cells = {place: (place, 4, str(tmp_path / "mark")) for place in range(12)}
    broke = r"The executor broke when a worker died; \d+ of 12 cells are done"
    with (
        ProcessPoolExecutor(2, mp_context=multiprocessing.get_context("spawn")) as mine,
        pytest.raises(TauscopeError, match=broke),
    ):
        run_cells(dies, cells, executor=mine, checkpoint=tmp_path / "run.cells")
    outcome = run_cells(dies, cells, checkpoint=tmp_path / "run.cells")
    assert list(outcome.values.values()) == list(range(12))


def test_an_interrupted_run_can_go_on(tmp_path: Path) -> None:
    def interrupt(done: int, total: int) -> None:
        if done == 5:
            raise KeyboardInterrupt

    for executor in (None, threads(2), processes(2)):
        path = tmp_path / f"{executor is None}{id(executor)}.cells"
        with pytest.raises(KeyboardInterrupt):
            run_cells(noisy, CELLS, seed=5, checkpoint=path, progress=interrupt, executor=executor)
        again = run_cells(noisy, CELLS, seed=5, checkpoint=path)
        assert again.resumed >= 5
        assert same(again.values, run_cells(noisy, CELLS, seed=5).values)


def test_progress_counts_what_was_there_and_what_failed(tmp_path: Path) -> None:
    seen: list[tuple[int, int]] = []
    run_cells(fails_at_three, CELLS, checkpoint=tmp_path / "run.cells", progress=lambda *now: seen.append(now))
    assert seen == [(done, 12) for done in range(13)]
    seen.clear()
    run_cells(fails_at_three, CELLS, checkpoint=tmp_path / "run.cells", progress=lambda *now: seen.append(now))
    assert seen == [(11, 12), (12, 12)]


def test_workers_end_with_their_driver(tmp_path: Path) -> None:
    """SIGKILL leaves no time to tell them."""
    psutil = pytest.importorskip("psutil", reason="processes are counted with psutil")
    script = tmp_path / "driver.py"
    script.write_text(
        textwrap.dedent("""
        import sys, time
        from tauscope.jobs import processes, run_cells
        if __name__ == "__main__":
            run_cells(time.sleep, {place: (0.2,) for place in range(1000)}, executor=processes(2),
                      progress=lambda done, total: print(done, flush=True))
    """)
    )
    driver = subprocess.Popen([sys.executable, script], stdout=subprocess.PIPE, text=True)
    try:
        assert driver.stdout is not None
        assert [driver.stdout.readline() for _ in range(3)][-1] == "2\n"
        workers = psutil.Process(driver.pid).children(recursive=True)
        assert len(workers) >= 2
    finally:
        driver.kill()
        driver.wait()
        driver.stdout.close()  # type: ignore[union-attr]
    _, alive = psutil.wait_procs(workers, timeout=10)
    assert not alive


def test_a_script_without_a_guard_is_told_so(tmp_path: Path) -> None:
    script = tmp_path / "careless.py"
    script.write_text("from tauscope.jobs import *\nrun_cells(abs, {1: (1,)}, executor=processes(1))\n")
    done = subprocess.run([sys.executable, script], capture_output=True, text=True, timeout=60, check=False)
    assert "what it does must stand under `if __name__ == '__main__':`" in done.stderr.splitlines()[-1]


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
        lambda part: st.lists(part) | st.dictionaries(st.text(), part),
    )
)
def test_a_value_comes_back_as_it_was(value: object) -> None:
    text = encoded(value)
    assert "\n" not in text
    assert encoded(decoded(text)) == text


@pytest.mark.parametrize("dtype", [">f8", "<f4", "i2", "bool"])
def test_an_array_comes_back_as_it_was(dtype: str) -> None:
    array = np.arange(6).reshape(2, 3).astype(dtype)
    back = decoded(encoded({"x": [array]}))["x"][0]
    assert back.dtype == array.dtype.newbyteorder("=")
    assert back.shape == (2, 3)
    assert (back == array).all()


@pytest.mark.parametrize(
    ("cells", "message"),
    [
        ({("a", 1.5): ()}, "cannot be named in a checkpoint"),
        ({"a": 3}, "a tuple is needed"),
        ({"a": (object(),)}, "An argument of a cell is a object, which has no fingerprint"),
    ],
)
def test_cells_that_cannot_be_kept_are_refused(cells: dict, message: str) -> None:
    with pytest.raises(CallError, match=message):
        run_cells(doubled, cells)


def test_a_value_that_cannot_be_kept_names_its_cell() -> None:
    outcome = run_cells(complex, {"x": (1, 2)})
    assert dict(outcome.failed) == {
        "x": "a cell gave a complex that cannot be kept (complex is no JSON). Use numbers, texts, arrays, lists and "
        "dicts with text keys."
    }


def test_a_key_that_would_come_back_as_another_is_refused() -> None:
    outcome = run_cells(dict, {"x": ([(1, 2)],)})
    assert "dicts with text keys" in outcome.failed["x"]


def test_no_scheduler_is_an_error_in_words() -> None:
    wanted = r"^tcp://127\.0\.0\.1:9: no Dask scheduler answers there"
    with pytest.raises(TauscopeError, match=wanted), cluster("tcp://127.0.0.1:9", patience=0.5):
        pass


def test_an_outcome_survives_a_pickle() -> None:
    found = run_cells(divmod, {"fine": (7, 2), "bad": (1, 0)})
    back = pickle.loads(pickle.dumps(found))
    assert back == found
    assert list(back.failed) == ["bad"]


def test_fingerprints_see_values_and_nothing_else() -> None:
    def print_of(*arguments: object) -> str:
        return checkpoints.identity(doubled, {"a": arguments}, None)["arguments"]

    text = "".join(["x", "y"])
    assert print_of(["xy", text]) == print_of([text, "".join(["x", "y"])])
    assert print_of(np.arange(4.0)[::2]) == print_of(np.array([0.0, 2.0]))
    kinds = [print_of(value) for value in (1, 1.0, "1", True, None, [1], {"1": 1}, np.array([1]), np.array([1.0]))]
    assert len(set(kinds)) == len(kinds)


def threads_of_a_kernel(work: int) -> int:
    return kernels._threads(None, work)


def test_kernels_on_workers_use_one_thread() -> None:
    """Several in each of several workers would wait for each other."""
    outcome = run_cells(threads_of_a_kernel, {"a": (10**9,), "b": (10**9,)}, executor=threads(2))
    assert list(outcome.values.values()) == [1, 1]
    available = kernels._threads(None, 10**9)
    with kernels.limited_threads(1):
        assert kernels._threads(None, 10**9) == 1
        assert kernels._threads(3, 10**9) == 3  # asked for by the call itself
    assert kernels._threads(None, 10**9) == available
