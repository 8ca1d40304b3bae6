"""`run_cells`: the same values on any number of workers of any kind, with or without interruptions."""

from __future__ import annotations

import os
from collections import Counter, deque
from collections.abc import Callable, Mapping
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, CancelledError, Executor, Future, wait
from contextlib import closing, nullcontext, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from ..core import kernels
from ..core.checking import Progress
from ..errors import Advice, CallError, Option, TauscopeError
from .checkpoints import Checkpoint, Key, decoded, difference, encoded, environment, identity, marks
from .executors import Pool, given

#: How often a run that waits looks whether its workers are still there, in seconds.
_LOOK = 5.0


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """What came of the cells.

    Attributes
    ----------
    values : dict
        Cell -> what it gave, in the order of the cells.
    failed : dict
        Cell -> why it failed twice.
    resumed : int
        Number of cells that were in the checkpoint already.
    retried : tuple
        Cells that needed a second attempt.
    """

    values: Mapping[Key, Any]
    failed: Mapping[Key, str] = field(default_factory=dict)
    resumed: int = 0
    retried: tuple[Key, ...] = ()

    def require_all(self) -> Mapping[Key, Any]:
        """Return the values, or raise an error that names the cells that have none.

        Returns
        -------
        dict
            Cell -> value.

        Raises
        ------
        TauscopeError
            If a cell failed twice.
        """
        if self.failed:
            shown = "; ".join(f"{named(key)}: {why}" for key, why in list(self.failed.items())[:5])
            more = f"; and {len(self.failed) - 5} more" if len(self.failed) > 5 else ""
            total = len(self.failed) + len(self.values)
            raise TauscopeError(f"{len(self.failed)} of {total} cells failed: {shown}{more}.")
        return self.values


def named(key: Key) -> str:
    """Return a cell in words, such as "adhoc8/50/3"."""
    return "/".join(map(str, key)) if isinstance(key, tuple) else str(key)


def run_cells(
    task: Callable[..., Any],
    cells: Mapping[Key, tuple[Any, ...]],
    *,
    seed: int | None = None,
    executor: Executor | Pool | None = None,
    checkpoint: Path | None = None,
    about: Mapping[str, Any] | None = None,
    same: Any = None,
    progress: Progress | None = None,
) -> Outcome:
    """Calls `task(*arguments)` for every cell, here or on workers.

    A cell that fails, or whose worker dies, is tried once more: alone, if nobody knows whose fault it was. One that
    fails again is in `.failed`, and all others are done.

    Parameters
    ----------
    task : function
        Of a module, since workers import it. It returns numbers, texts, arrays, or lists and dicts of them; what comes
        back has been through the checkpoint's encoding, with or without one, so tuples are lists.
    cells : dict
        Key -> arguments. A key is a text, a whole number or a tuple of them.
    seed : int or None
        With one, `task` also gets `rng=`, a generator of the cell's own: SeedSequence(seed, spawn_key=(place,)).
    executor : Executor, Pool or None
        `processes()`, `threads()`, what `cluster()` gives, or any concurrent.futures.Executor; None: here, one by one.
    checkpoint : path or None
        A file. Every finished cell is in it at once; with the same task, arguments, seed and versions a second call
        goes on where the first stopped, and with others it is an error.
    about : dict or None
        What was asked, in words; where the checkpoint is of another run, the error says which of them differ.
    same : object or None
        What the cells have in common: with it the checkpoint may be extended. A later call with the same in common may
        have more cells, or fewer; those that were given the same arguments before, and with a `seed` had the same
        place, are not done again.
    progress : callable or None
        Called with (done, total).

    Returns
    -------
    Outcome

    Examples
    --------
    >>> run_cells(pow, {"square": (3, 2), "cube": (2, 3)}).values
    {'square': 9, 'cube': 8}
    """
    _check_cells(cells)
    check_places(executor, checkpoint)
    asked = identity(task, cells, seed, about, same)
    keep = None if checkpoint is None else Checkpoint(Path(checkpoint), asked)
    kept_as = _kept_as(cells, extendable=same is not None and keep is not None, seeded=seed is not None)
    with nullcontext() if keep is None else closing(keep):
        finished = {} if keep is None else {key: keep.done[name] for key, name in kept_as.items() if name in keep.done}
        run = _Run(task, cells, seed, keep, progress, dict(finished), kept_as)
        if progress is not None:
            progress(len(finished), len(cells))
        if len(finished) < len(cells):
            run.go(executor)
    values = {key: decoded(run.texts[key]) for key in cells if key in run.texts}
    failed = {key: run.failed[key] for key in cells if key in run.failed}
    retried = tuple(key for key in cells if run.attempts[key] > 1)
    return Outcome(values=values, failed=failed, resumed=len(finished), retried=retried)


def _kept_as(cells: Mapping[Key, tuple[Any, ...]], *, extendable: bool, seeded: bool) -> dict[Key, Key]:
    """Return what cells are called in the checkpoint.

    In a checkpoint that may be extended they are called by what they were given, too, and by the place that their
    generator depends on, so that a later call with more cells finds those that were done.

    Parameters
    ----------
    cells : dict
        Key -> arguments.
    extendable : bool
        Whether the checkpoint may be extended.
    seeded : bool
        Whether cells have generators of their own.
    """
    if not extendable:
        return {key: key for key in cells}
    return {
        key: (*(key if isinstance(key, tuple) else (key,)), mark, *([place] if seeded else []))
        for place, (key, mark) in enumerate(marks(cells).items())
    }


def check_places(executor: Any, checkpoint: Any) -> None:
    """Raise an error if cells cannot run where they should, or cannot be kept.

    Parameters
    ----------
    executor : object
        Who does the work.
    checkpoint : object
        Where finished cells are kept.

    Raises
    ------
    CallError
        If `executor` runs nothing, or `checkpoint` is not a path.
    """
    if not (executor is None or isinstance(executor, (Pool, Executor)) or callable(getattr(executor, "submit", None))):
        raise CallError(
            f"executor={executor!r} cannot run anything.",
            Advice(
                "Give processes(), threads(), what cluster() gives, a concurrent.futures.Executor, or None.", shell=""
            ),
        )
    if checkpoint is not None and not isinstance(checkpoint, (str, os.PathLike)):
        raise CallError(f"checkpoint={checkpoint!r} is no file.", Option("checkpoint", "run.checkpoint"))


def _check_cells(cells: Mapping[Key, tuple[Any, ...]]) -> None:
    """Raise an error if a key cannot stand in a checkpoint, or arguments are not a tuple."""
    for key, arguments in cells.items():
        parts = key if isinstance(key, tuple) else (key,)
        if any(isinstance(part, bool) or not isinstance(part, (str, int)) for part in parts):
            raise CallError(f"The cell {key!r} cannot be named in a checkpoint: use texts and whole numbers.")
        if not isinstance(arguments, tuple):
            raise CallError(f"The arguments of the cell {key!r} are a {type(arguments).__name__}; a tuple is needed.")


def _on_worker(*arguments: Any) -> str:
    """Do one cell beside others, with one thread: several in each of several workers would wait for each other."""
    with kernels.limited_threads(1):
        return _call(*arguments)


def _call(
    task: Callable[..., Any], arguments: tuple[Any, ...], entropy: tuple[int, int] | None, driver: dict[str, str]
) -> str:
    """Do one cell, wherever that is.

    Parameters
    ----------
    task, arguments
        What is called.
    entropy : pair of int or None
        Seed of the run and place of the cell, from which its generator is made.
    driver : dict
        The versions of the driver. Workers that joined later than the others are checked here.

    Returns
    -------
    str
        The encoded value.
    """
    if what := difference(driver, environment()):
        raise TauscopeError(f"a worker computes otherwise than the driver: {what}")
    if entropy is None:
        return encoded(task(*arguments))
    seed, place = entropy
    generator = np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(place,)))
    return encoded(task(*arguments, rng=generator))


@dataclass
class _Run:
    """One call of `run_cells` while it goes on.

    A cell that raised an error waits for a second attempt. If a worker dies, nobody knows which of the running cells it
    was: all of them become suspects, and each runs alone, so that the guilty one is known.

    Parameters
    ----------
    task, cells, seed
        As in `run_cells()`.
    keep : Checkpoint or None
        Where finished cells are kept.
    progress : callable or None
        Called with (done, total).
    texts : dict
        Cells that are done already -> their encoded values.
    kept_as : dict
        Cell -> what it is called in the checkpoint.
    """

    task: Callable[..., Any]
    cells: Mapping[Key, tuple[Any, ...]]
    seed: int | None
    keep: Checkpoint | None
    progress: Progress | None
    texts: dict[Key, str]
    kept_as: Mapping[Key, Key]
    failed: dict[Key, str] = field(default_factory=dict)
    attempts: Counter[Key] = field(default_factory=Counter)
    #: Cells that were running when a worker died: each runs alone, so that the guilty one is known.
    suspects: deque[Key] = field(default_factory=deque)

    def __post_init__(self) -> None:
        self.places = {key: place for place, key in enumerate(self.cells)}
        self.environment = environment()
        self.waiting = deque(key for key in self.cells if key not in self.texts)

    def arguments(self, key: Key) -> tuple[Any, ...]:
        """Return the arguments of a cell as its worker gets them."""
        entropy = None if self.seed is None else (self.seed, self.places[key])
        return (self.task, self.cells[key], entropy, self.environment)

    def go(self, executor: Executor | Pool | None) -> None:
        """Do all cells that are waiting.

        Parameters
        ----------
        executor : Executor, Pool or None
            Who does the work; None for this thread.

        Raises
        ------
        TauscopeError
            If an executor of the caller breaks, which cannot be made again here.
        """
        if executor is None:
            while self.waiting:
                self._here(self.waiting.popleft())
            return
        pool = executor if isinstance(executor, Pool) else given(executor)
        while self.waiting or self.suspects:
            workers = pool.make()
            complete = False
            try:
                complete = self._with(workers, pool)
            finally:
                if pool.own:
                    _end(workers, wait_for_it=complete)
            if not complete and not pool.own:
                raise self._error(
                    "The executor broke when a worker died;",
                    Advice(
                        "Give processes() or another pool that can be made again, or call again with a new executor."
                    ),
                )

    def _error(self, problem: str, *fixes: Advice) -> TauscopeError:
        """Return an error that says how many cells are done, and whether they are kept."""
        fate = "are in the checkpoint" if self.keep is not None else "are lost, as there was no checkpoint"
        return TauscopeError(f"{problem} {len(self.texts)} of {len(self.cells)} cells are done and {fate}.", *fixes)

    def _here(self, key: Key) -> None:
        """Do one cell in this thread."""
        self.attempts[key] += 1
        try:
            text = _call(*self.arguments(key))
        except Exception as error:
            self._raised(key, error)
        else:
            self._done(key, text)

    def _with(self, workers: Executor, pool: Pool) -> bool:
        """Work until nothing is left (True), or a worker died and took the executor with it (False)."""
        running: dict[Future[str], Key] = {}
        try:
            while self.waiting or self.suspects or running:
                while queue := self._next(pool, running):
                    running[workers.submit(_on_worker, *self.arguments(queue[0]))] = queue[0]
                    self.attempts[queue.popleft()] += 1
                finished, _ = wait(running, _LOOK, FIRST_COMPLETED)
                if not finished and (why := pool.lost()):
                    raise self._error(f"No more workers: {why}.")
                for future in finished:
                    self._collect(future, running)
            return True
        except BrokenExecutor:
            self._broke(running)
            return False
        finally:
            for future in running:
                future.cancel()

    def _next(self, pool: Pool, running: dict[Future[str], Key]) -> deque[Key]:
        """Return the queue from which the next cell comes, empty where none can start: a suspect runs alone."""
        if self.suspects and not running:
            return self.suspects
        alone = bool(self.suspects) or any(self.attempts[key] > 1 for key in running.values())
        return deque() if alone or len(running) >= 2 * pool.width() else self.waiting

    def _collect(self, future: Future[str], running: dict[Future[str], Key]) -> None:
        """Take the value of a cell that ended, or note why it has none."""
        try:
            text = future.result()
        except BrokenExecutor:
            raise
        except CancelledError:
            raise self._error("The workers gave up a cell: their scheduler is gone.") from None
        except Exception as error:
            self._raised(running.pop(future), error)
        else:
            self._done(running.pop(future), text)

    def _broke(self, running: dict[Future[str], Key]) -> None:
        """Sort the cells that were running when a worker died.

        Those that finished before are kept. A cell that ran alone and died twice fails; all others are suspects.
        """
        lost = []
        for future, key in running.items():
            try:
                text = future.result(timeout=0)
            except Exception:
                lost.append(key)
            else:
                self._done(key, text)
        running.clear()
        for key in lost:
            if self.attempts[key] > 1 and len(lost) == 1:
                self._fails(key, "its worker died, twice")
            else:
                self.suspects.append(key)

    def _raised(self, key: Key, error: Exception) -> None:
        """Let a cell that raised an error wait for its second attempt, or fail if that was the second one."""
        text = " ".join(str(error).split()) or "no message"
        died = type(error).__name__ == "KilledWorker"  # Dask: it was at work on several workers, and all of them died
        if self.attempts[key] > 1:
            reason = text if isinstance(error, TauscopeError) else f"{type(error).__name__}: {text}"
            self._fails(key, "all its workers died" if died else reason)
        elif died:
            self.suspects.append(key)  # perhaps it only waited on the worker that another cell killed
        else:
            self.waiting.append(key)

    def _done(self, key: Key, text: str) -> None:
        """Keep the value of a cell."""
        if self.keep is not None:
            self.keep.add(self.kept_as[key], text)
        self.texts[key] = text
        self._report()

    def _fails(self, key: Key, why: str) -> None:
        """Note why a cell failed twice."""
        self.failed[key] = why
        self._report()

    def _report(self) -> None:
        """Tell how many cells are done or failed."""
        if self.progress is not None:
            self.progress(len(self.texts) + len(self.failed), len(self.cells))


def _end(workers: Executor, *, wait_for_it: bool) -> None:
    """End an executor of ours.

    Parameters
    ----------
    workers : Executor
        The executor.
    wait_for_it : bool
        Whether to wait until it has ended; one that was interrupted or broke must not hold up what comes next, so that
        its processes are killed.
    """
    processes = list((getattr(workers, "_processes", None) or {}).values())  # shutdown() forgets them
    workers.shutdown(wait=wait_for_it, cancel_futures=True)
    if not wait_for_it:
        for process in processes:
            with suppress(OSError, ValueError):
                process.kill()
