"""Processes that compute: at most so many at once, each within its memory, and each can be stopped at any time."""

from __future__ import annotations

import asyncio
import contextlib
import multiprocessing
import os
import sys
import traceback
from collections.abc import Callable
from multiprocessing.connection import Connection
from typing import Any

from ..errors import Advice, TauscopeError
from .guard import Limits, megabytes

Task = Callable[..., Any]


class Stopped(TauscopeError):
    """A computation that ended without an answer, and not because of the input."""


class Pool:
    """Workers that wait, and those that work. `limits.computations` of them at most."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._free = asyncio.Semaphore(limits.computations)
        self._idle: list[Worker] = []
        self._busy: set[Worker] = set()

    async def run(self, task: Task, *arguments: Any) -> Any:
        """What the task returns. Where the caller is cancelled, its worker is stopped."""
        async with self._free:
            worker = self._idle.pop() if self._idle else await asyncio.to_thread(Worker, self._limits.worker_bytes)
            self._busy.add(worker)
            try:
                return await asyncio.to_thread(worker.call, task, arguments)
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
            context.set_forkserver_preload(["tauscope.app.calls"])
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

    def call(self, task: Task, arguments: tuple[Any, ...]) -> Any:
        """Send the task and wait for what it returns."""
        try:
            self._pipe.send((task, arguments))
            kind, value = self._pipe.recv()
        except (EOFError, OSError):
            self.stop()
            again = Advice("Nothing else is lost: change something, or ask again.")
            raise Stopped("The computation was stopped before it was done; its process is gone.", again) from None
        if kind == "done":
            return value
        raise self._too_little_memory() if kind == "memory" else value

    def _too_little_memory(self) -> Stopped:
        return Stopped(
            f"This takes more than {megabytes(self._memory)}, the memory that this app gives a computation.",
            Advice("Leave out systems or topics, or start the app with a larger limit: --limits memory=4096."),
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
    """Answer one task after the other; the server, which is waited for, comes first."""
    _hold_to(memory)
    if hasattr(os, "nice"):
        os.nice(5)
    while True:
        try:
            task, arguments = pipe.recv()
        except (EOFError, OSError, KeyboardInterrupt):
            return
        try:
            answer = "done", task(*arguments)
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
