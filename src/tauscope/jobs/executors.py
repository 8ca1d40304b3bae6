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
    """Workers that can be had again after one of them broke the pool.

    `make`: a new executor. `width`: how many cells run at a time. `lost`: why no work can be done any more, or nothing.
    `own`: the executor was made for one run and ends with it.
    """

    make: Callable[[], Executor]
    width: Callable[[], int]
    lost: Callable[[], str] = lambda: ""
    own: bool = True


def threads(workers: int | None = None) -> Pool:
    """Threads of this process: for tasks that are kernels, and for what cannot be pickled."""
    number = _workers(workers)
    return Pool(lambda: ThreadPoolExecutor(number), lambda: number)


def processes(workers: int | None = None) -> Pool:
    """Processes of this machine, as many as it has cores for us. They end when the driver does, however it ends."""
    number = _workers(workers)
    return Pool(lambda: _process_pool(number), lambda: number)


def given(executor: Executor) -> Pool:
    """A pool that was made elsewhere and is not ours to close."""
    return Pool(lambda: executor, lambda: int(getattr(executor, "_max_workers", 0) or 16), own=False)


@contextmanager
def cluster(address: str, *, patience: float = 60.0) -> Iterator[Pool]:
    """The workers of the Dask scheduler at this address, all of which must have our versions.

    A cluster without workers is waited for, `patience` seconds at a time.
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
    """All workers there at the start compute as we do."""
    try:
        client.wait_for_workers(1, timeout=patience)
    except TimeoutError:
        start = Advice(f"Start some: dask worker {address}")
        raise TauscopeError(f"{address}: the scheduler has no workers.", start) from None
    here = environment()
    for worker, found in client.run(environment, on_error="return").items():
        if isinstance(found, BaseException):
            raise TauscopeError(f"Worker {worker} cannot run Tauscope: {_first_line(found)}")
        if what := difference(here, found):
            same = Advice("Install the same on both sides.")
            raise TauscopeError(f"Worker {worker} would compute otherwise: {what}.", same)


def _cores(client: Any) -> int:
    return sum(client.ncores().values()) or 1


def _watch(client: Any, address: str, patience: float) -> Callable[[], str]:
    """Says so when the scheduler is gone, or all workers have been for longer than `patience`."""
    import time

    alone_since: list[float] = []

    def lost() -> str:
        if client.status not in ("running", "connecting"):
            return f"the scheduler at {address} is gone"
        try:
            if client.ncores():
                alone_since.clear()
                return ""
        except (OSError, TimeoutError):
            return f"the scheduler at {address} does not answer"
        alone_since[:] = alone_since or [time.monotonic()]
        waited = time.monotonic() - alone_since[0]
        return f"the scheduler at {address} has had no workers for {waited:.0f} s" if waited > patience else ""

    return lost


def _workers(asked: int | None) -> int:
    return checking.cores() if asked is None else checking.whole(asked, "workers", least=1)


def _process_pool(workers: int) -> Executor:
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
    """Ctrl-C is the driver's to handle, and a worker whose driver was killed ends: it would wait for work for ever."""
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
