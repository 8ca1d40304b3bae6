"""Who does the work: threads, processes of this machine, or the workers of a Dask cluster.

Processes are imported where they are asked for: a browser's Python (Pyodide) has none, and needs none for numbers.
"""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import BrokenExecutor, Executor, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from ..core import checking
from ..errors import Advice, MissingPackageError, TauscopeError
from .checkpoints import difference, environment

#: NumPy's linear algebra with several threads in each of several workers only makes them wait for each other.
_ONE_THREAD = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS")


@dataclass(frozen=True)
class Pool:
    """Workers that can be made again after one of them broke the executor.

    Parameters
    ----------
    make : callable
        Makes a new executor.
    width : callable
        Returns the number of cells that run at a time.
    lost : callable
        Returns why no work can be done any more, or "".
    own : bool
        Whether the executor was made for one run and ends with it.
    """

    make: Callable[[], Executor]
    width: Callable[[], int]
    lost: Callable[[], TauscopeError | None] = lambda: None
    own: bool = True


def threads(workers: int | None = None) -> Pool:
    """Return threads of this process, for tasks that are kernels and for what cannot be pickled.

    Parameters
    ----------
    workers : int or None
        Number of threads; None for as many as there are cores.

    Examples
    --------
    >>> from tauscope.jobs import run_cells, threads
    >>> run_cells(abs, {"a": (-1,), "b": (-2,)}, executor=threads(2)).values
    {'a': 1, 'b': 2}
    """
    number = _workers(workers)
    return Pool(lambda: ThreadPoolExecutor(number), lambda: number)


def processes(workers: int | None = None) -> Pool:
    """Return processes of this machine, for tasks that are Python.

    They end when the driver does, however it ends. In a script, the call must stand under `if __name__ == "__main__":`,
    because each process imports the script.

    Parameters
    ----------
    workers : int or None
        Number of processes; None for as many as there are cores.
    """
    number = _workers(workers)
    return Pool(lambda: _process_pool(number), lambda: number)


def given(executor: Executor) -> Pool:
    """Return a pool of an executor that was made elsewhere and is not closed here."""
    return Pool(lambda: executor, lambda: int(getattr(executor, "_max_workers", 0) or 16), own=False)


@contextmanager
def cluster(address: str, *, patience: float = 60.0) -> Iterator[Pool]:
    """Return the workers of a Dask cluster, as a context.

    All of them must have the versions of this process. A cluster without workers is waited for.

    Parameters
    ----------
    address : str
        Address of the scheduler, such as "tcp://host:8786".
    patience : float
        Seconds to wait at a time.

    Yields
    ------
    Pool

    Raises
    ------
    TauscopeError
        If no scheduler answers, it has no workers, or a worker has other versions.
    MissingPackageError
        If the package distributed is not installed.
    """
    try:
        from distributed import Client
    except ImportError:
        raise MissingPackageError(
            f"{address}: a cluster needs the package distributed, which is not installed.",
            Advice("Run: pip install 'tauscope[cluster]'"),
        ) from None
    try:
        client = Client(address, timeout=patience, set_as_default=False)
    except (OSError, ValueError, TimeoutError) as error:
        raise TauscopeError(f"{address}: no Dask scheduler answers there ({_first_line(error)}).") from None
    try:
        _meet(client, address, patience)
        # Not pure: Dask would answer a second attempt with what it remembers of the first.
        yield Pool(
            lambda: client.get_executor(pure=False),
            lambda: _cores(client),
            _watch(client, address, patience),
            own=False,
        )
    finally:
        client.close(timeout=5)


def _meet(client: Any, address: str, patience: float) -> None:
    """Raise an error if there are no workers, or one of them would compute differently."""
    try:
        client.wait_for_workers(1, timeout=patience)
    except TimeoutError:
        start = Advice(f"Start some: dask worker {address}")
        raise TauscopeError(f"{address}: the scheduler has no workers.", start) from None
    here = environment()
    for worker, versions in client.run(environment, on_error="return").items():
        if isinstance(versions, BaseException):
            raise TauscopeError(f"Worker {worker} cannot run Tauscope: {_first_line(versions)}")
        if what := difference(here, versions):
            same = Advice("Install the same on both sides.")
            raise TauscopeError(f"Worker {worker} would compute otherwise: {what}.", same)


def _cores(client: Any) -> int:
    """Return the number of cores of all workers, at least 1."""
    return sum(client.ncores().values()) or 1


def _watch(client: Any, address: str, patience: float) -> Callable[[], TauscopeError | None]:
    """Return a function that says when the scheduler is gone, or when all workers have been for too long."""
    import time

    alone_since: list[float] = []

    def lost() -> TauscopeError | None:
        if client.status not in ("running", "connecting"):
            return TauscopeError(f"the scheduler at {address} is gone")
        try:
            if client.ncores():
                alone_since.clear()
                return None
        except (OSError, TimeoutError):
            return TauscopeError(f"the scheduler at {address} does not answer")
        alone_since[:] = alone_since or [time.monotonic()]
        waited = time.monotonic() - alone_since[0]
        if waited <= patience:
            return None
        return TauscopeError(f"the scheduler at {address} has had no workers for {waited:.0f} s")

    return lost


def _workers(asked: int | None) -> int:
    return checking.cores() if asked is None else checking.whole(asked, "workers", least=1)


def _process_pool(workers: int) -> Executor:
    """Make an executor of processes that have one thread each for linear algebra.

    Processes are spawned and not forked, because a fork copies locks that other threads hold. All of them start at
    once, while the variables that limit their threads are set.
    """
    try:
        import multiprocessing
        from concurrent.futures import ProcessPoolExecutor
    except ImportError:
        here = Advice("Leave the workers out: the numbers are the same.")
        raise TauscopeError("This Python cannot start processes, as in a browser.", here) from None
    # Not by fork: a fork copies locks that other threads hold, and the lock of the checkpoint.
    context = multiprocessing.get_context("spawn")
    before = {name: os.environ.get(name) for name in _ONE_THREAD}
    os.environ.update({name: "1" for name in _ONE_THREAD if before[name] is None})
    try:
        pool = ProcessPoolExecutor(workers, mp_context=context, initializer=_start_worker)
        # All processes start now, while the variables are set: the executor starts them with the first submits.
        for first in [pool.submit(os.getpid) for _ in range(workers)]:
            first.result()
        return pool
    except BrokenExecutor:
        raise TauscopeError(
            "Worker processes end as soon as they start.",
            Advice(
                "In a script, what it does must stand under `if __name__ == '__main__':`, because each process imports "
                "the script; or use threads."
            ),
        ) from None
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)


def _start_worker() -> None:
    """Prepare a worker: Ctrl-C is for the driver to handle, and a worker ends when its driver does."""
    import multiprocessing

    signal.signal(signal.SIGINT, signal.SIG_IGN)
    driver = multiprocessing.parent_process()
    if driver is not None:
        threading.Thread(target=_end_with, args=(driver,), daemon=True).start()


def _end_with(driver: Any) -> None:
    driver.join()
    os._exit(1)


def _first_line(error: BaseException) -> str:
    return (str(error).strip().splitlines() or [type(error).__name__])[0]
