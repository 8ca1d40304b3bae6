"""Processes that compute: at most so many at once, each within its memory, and each can be stopped at any time."""

from __future__ import annotations

import asyncio
import contextlib
import multiprocessing
import os
import sys
import threading
import traceback
from collections.abc import Callable
from multiprocessing.connection import Connection
from typing import Any

from ..errors import Advice, TauscopeError
from .limits import Limits, megabytes

#: A task takes `progress(done, total)` by name, and whatever else it is called with.
Task = Callable[..., Any]
Told = Callable[[int, int], None]


class Stopped(TauscopeError):
    """A computation that ended without an answer, and not because of the input."""


class Pool:
    """Workers that wait, and those that work. `limits.computations` of them at most."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._free = asyncio.Semaphore(limits.computations)
        self._idle: list[Worker] = []
        self._busy: set[Worker] = set()

    async def run(self, task: Task, *arguments: Any, told: Told | None = None) -> Any:
        """What the task returns. Where the caller is cancelled, its worker is stopped."""
        async with self._free:
            worker = self._idle.pop() if self._idle else await asyncio.to_thread(Worker, self._limits.worker_bytes)
            self._busy.add(worker)
            try:
                return await asyncio.to_thread(worker.call, task, arguments, told or (lambda done, total: None))
            except asyncio.CancelledError:
                worker.kill()  # the thread that waits for it sees the end of the pipe, and closes it
                raise
            finally:
                self._busy.discard(worker)
                if worker.alive:
                    self._idle.append(worker)

    @property
    def busy(self) -> list[int]:
        """The processes that work."""
        return [worker.pid for worker in self._busy]

    def close(self) -> None:
        """Stops them all."""
        for worker in (*self._idle, *self._busy):
            worker.stop()
        self._idle.clear()


class Worker:
    """One process, and the pipe to it."""

    def __init__(self, memory: int) -> None:
        context: Any = multiprocessing.get_context("forkserver" if sys.platform != "win32" else "spawn")
        if sys.platform != "win32":
            # The server of forks has loaded all once, so that a new worker is there at once.
            context.set_forkserver_preload(["tauscope.app.tasks"])
        self._memory, self._killed = memory, False
        self._pipe, child = context.Pipe()
        self._process = context.Process(target=_work, args=(child, memory), daemon=True)
        self._process.start()
        child.close()

    @property
    def alive(self) -> bool:
        return not self._killed and bool(self._process.is_alive())

    @property
    def pid(self) -> int:
        return int(self._process.pid or 0)

    def call(self, task: Task, arguments: tuple[Any, ...], told: Told) -> Any:
        """Sends the task and waits; progress is told on the way."""
        try:
            self._pipe.send((task, arguments))
            while True:
                kind, value = self._pipe.recv()
                if kind == "progress":
                    told(*value)
                elif kind == "done":
                    return value
                elif kind == "memory":
                    raise self._too_little_memory()
                else:
                    raise value
        except (EOFError, OSError):
            self.stop()
            again = Advice("Nothing else is lost: change something, or ask again.")
            raise Stopped("The computation was stopped before it was done; its process is gone.", again) from None

    def _too_little_memory(self) -> Stopped:
        return Stopped(
            f"This takes more than {megabytes(self._memory)}, the memory that this app gives a computation.",
            Advice("Leave out systems or topics, or start the app with a larger --memory."),
        )

    def kill(self) -> None:
        """At once, whatever it does."""
        self._killed = True
        with contextlib.suppress(OSError, ValueError):
            self._process.kill()
            self._process.join(5)

    def stop(self) -> None:
        """Ends it, and closes the pipe to it."""
        self.kill()
        with contextlib.suppress(OSError):
            self._pipe.close()


def _work(pipe: Connection, memory: int) -> None:
    """The life of a worker; point values, which the server gives itself, come first."""
    _hold_to(memory)
    if hasattr(os, "nice"):
        os.nice(5)
    turn = threading.Lock()  # steps that are worked on at the same time are told one by one

    def told(done: int, total: int) -> None:
        with turn:
            pipe.send(("progress", (done, total)))

    while True:
        try:
            task, arguments = pipe.recv()
        except (EOFError, OSError, KeyboardInterrupt):
            return
        try:
            answer = "done", task(*arguments, progress=told)
        except TauscopeError as error:
            answer = "failed", error
        except MemoryError:
            answer = "memory", None
        except KeyboardInterrupt:
            return
        except Exception as error:
            # What is wrong with us is told in the terminal; texts of strange errors may hold paths.
            traceback.print_exc()
            answer = "failed", Stopped(f"This could not be computed ({type(error).__name__}); the terminal says more.")
        pipe.send(answer)


def _hold_to(memory: int) -> None:
    """The limit of memory that can be written to, where the system keeps to one.

    The whole address space (RLIMIT_AS) would be the wrong one: what draws figures reserves much that it never uses.
    """
    if sys.platform.startswith("linux"):
        import resource

        resource.setrlimit(resource.RLIMIT_DATA, (memory, memory))
