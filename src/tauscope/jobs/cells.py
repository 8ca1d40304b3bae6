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
        How many were in the checkpoint already.
    retried : tuple
        Cells that needed a second attempt.
    """

    values: Mapping[Key, Any]
    failed: Mapping[Key, str] = field(default_factory=dict)
    resumed: int = 0
    retried: tuple[Key, ...] = ()

    def require_all(self) -> Mapping[Key, Any]:
        """The values, or an error that names the cells that have none."""
        if self.failed:
            shown = "; ".join(f"{named(key)}: {why}" for key, why in list(self.failed.items())[:5])
            more = f"; and {len(self.failed) - 5} more" if len(self.failed) > 5 else ""
            total = len(self.failed) + len(self.values)
            raise TauscopeError(f"{len(self.failed)} of {total} cells failed: {shown}{more}.")
        return self.values


def named(key: Key) -> str:
    """A cell in words: adhoc8/50/3."""
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
        found = {} if keep is None else {key: keep.done[name] for key, name in kept_as.items() if name in keep.done}
        run = _Run(task, cells, seed, keep, progress, dict(found), kept_as)
        if progress is not None:
            progress(len(found), len(cells))
        if len(found) < len(cells):
            run.go(executor)
    values = {key: decoded(run.texts[key]) for key in cells if key in run.texts}
    failed = {key: run.failed[key] for key in cells if key in run.failed}
    retried = tuple(key for key in cells if run.attempts[key] > 1)
    return Outcome(values=values, failed=failed, resumed=len(found), retried=retried)


def _kept_as(cells: Mapping[Key, tuple[Any, ...]], *, extendable: bool, seeded: bool) -> dict[Key, Key]:
    """What cells are called in the checkpoint: in one that may be extended, by what they were given, too, and by
    the place that their generator goes by."""
    if not extendable:
        return {key: key for key in cells}
    return {
        key: (*(key if isinstance(key, tuple) else (key,)), mark, *([place] if seeded else []))
        for place, (key, mark) in enumerate(marks(cells).items())
    }


def check_places(executor: Any, checkpoint: Any) -> None:
    """An error where `executor` runs nothing or `checkpoint` is no path."""
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
    for key, arguments in cells.items():
        parts = key if isinstance(key, tuple) else (key,)
        if any(isinstance(part, bool) or not isinstance(part, (str, int)) for part in parts):
            raise CallError(f"The cell {key!r} cannot be named in a checkpoint: use texts and whole numbers.")
        if not isinstance(arguments, tuple):
            raise CallError(f"The arguments of the cell {key!r} are a {type(arguments).__name__}; a tuple is needed.")


def _on_worker(*arguments: Any) -> str:
    """One cell beside others: more threads than one would only wait for each other."""
    with kernels.limited_threads(1):
        return _call(*arguments)


def _call(
    task: Callable[..., Any], arguments: tuple[Any, ...], entropy: tuple[int, int] | None, driver: dict[str, str]
) -> str:
    """One cell, on the worker. Workers that joined later are checked here."""
    if what := difference(driver, environment()):
        raise TauscopeError(f"a worker computes otherwise than the driver: {what}")
    if entropy is None:
        return encoded(task(*arguments))
    seed, place = entropy
    generator = np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(place,)))
    return encoded(task(*arguments, rng=generator))


class _Run:
    """One call of `run_cells` as it goes on."""

    def __init__(
        self,
        task: Callable[..., Any],
        cells: Mapping[Key, tuple[Any, ...]],
        seed: int | None,
        keep: Checkpoint | None,
        progress: Progress | None,
        texts: dict[Key, str],
        kept_as: Mapping[Key, Key],
    ) -> None:
        self.task, self.cells, self.seed = task, cells, seed
        self.keep, self.progress, self.texts, self.kept_as = keep, progress, texts, kept_as
        self.places = {key: place for place, key in enumerate(cells)}
        self.failed: dict[Key, str] = {}
        self.attempts: Counter[Key] = Counter()
        self.environment = environment()
        self.waiting = deque(key for key in cells if key not in texts)
        #: Cells that were running when a worker died: each runs alone, so that the guilty one is known.
        self.suspects: deque[Key] = deque()

    def arguments(self, key: Key) -> tuple[Any, ...]:
        entropy = None if self.seed is None else (self.seed, self.places[key])
        return (self.task, self.cells[key], entropy, self.environment)

    def go(self, executor: Executor | Pool | None) -> None:
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
                raise TauscopeError(
                    f"The executor broke when a worker died; {self._state()}",
                    Advice(
                        "Give processes() or another pool that can be made again, or call again with a new executor."
                    ),
                )

    def _state(self) -> str:
        kept = "are in the checkpoint" if self.keep is not None else "are lost, as there was no checkpoint"
        return f"{len(self.texts)} of {len(self.cells)} cells are done and {kept}."

    def _here(self, key: Key) -> None:
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
                    raise TauscopeError(f"No more workers: {why}. {self._state()}")
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
        try:
            text = future.result()
        except BrokenExecutor:
            raise
        except CancelledError:
            raise TauscopeError(f"The workers gave up a cell: their scheduler is gone. {self._state()}") from None
        except Exception as error:
            self._raised(running.pop(future), error)
        else:
            self._done(running.pop(future), text)

    def _broke(self, running: dict[Future[str], Key]) -> None:
        """A process died and with it all that were running. Those that finished before are kept."""
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
        text = " ".join(str(error).split()) or "no message"
        died = type(error).__name__ == "KilledWorker"  # Dask: it was at work on several workers, and all of them died
        if self.attempts[key] > 1:
            said = text if isinstance(error, TauscopeError) else f"{type(error).__name__}: {text}"
            self._fails(key, "its workers died, one after another" if died else said)
        elif died:
            self.suspects.append(key)  # perhaps it only waited on the worker that another cell killed
        else:
            self.waiting.append(key)

    def _done(self, key: Key, text: str) -> None:
        if self.keep is not None:
            self.keep.add(self.kept_as[key], text)
        self.texts[key] = text
        self._report()

    def _fails(self, key: Key, why: str) -> None:
        self.failed[key] = why
        self._report()

    def _report(self) -> None:
        if self.progress is not None:
            self.progress(len(self.texts) + len(self.failed), len(self.cells))


def _end(workers: Executor, *, wait_for_it: bool) -> None:
    """Ends an executor of ours. One that was interrupted or broke must not hold up what comes next."""
    processes = list((getattr(workers, "_processes", None) or {}).values())  # shutdown() forgets them
    workers.shutdown(wait=wait_for_it, cancel_futures=True)
    if not wait_for_it:
        for process in processes:
            with suppress(OSError, ValueError):
                process.kill()
