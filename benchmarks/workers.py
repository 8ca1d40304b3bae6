"""Who works on the cells of a long table: processes of this machine, the workers of a Dask cluster, or any executor."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Executor, ProcessPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

from tauscope.jobs import cluster

Task = TypeVar("Task")
Found = TypeVar("Found")


def add_options(parser: argparse.ArgumentParser, workers: int = 2) -> None:
    """--workers, as in `tauscope experiments study`."""
    parser.add_argument(
        "--workers", default=str(workers), help="number of processes, or the address of a Dask cluster: tcp://host:8786"
    )


def in_order(
    cell: Callable[[Task], Found], tasks: Iterable[Task], options: argparse.Namespace, executor: Executor | None = None
) -> Iterator[tuple[Task, Found]]:
    """(task, what came of it), in the order of the tasks, on the executor that is given, else on what was asked for.

    Workers need the data under the same path. What comes of a cell depends on the task alone, wherever it is computed.
    """
    listed = list(tasks)
    with _chosen(options, executor) as chosen:
        yield from zip(listed, chosen.map(cell, listed), strict=True)


@contextmanager
def _chosen(options: argparse.Namespace, executor: Executor | None) -> Iterator[Any]:
    if executor is not None:
        yield executor
    elif not options.workers.isdigit():
        _send_along()
        with cluster(options.workers) as pool:
            yield pool.make()
    else:
        with ProcessPoolExecutor(int(options.workers)) as processes:
            yield processes


def _send_along() -> None:
    """Modules of this folder go to the workers with what uses them: there they cannot be imported."""
    import cloudpickle

    for name, module in list(sys.modules.items()):
        if name != "__main__" and Path(getattr(module, "__file__", None) or "/").parent == Path(__file__).parent:
            cloudpickle.register_pickle_by_value(module)
